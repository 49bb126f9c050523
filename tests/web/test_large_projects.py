"""Payloads, links, exports and geometry on large projects: one page of 840 tables, and one that
holds every payload among 800 tables.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from shown_page import WATCH, Shown
from test_geometry import geometry_is_right
from test_injection import PARSED, PAYLOADS, hostile, union
from test_map import LIMIT, can_be_read, layered

import lineal
from lineal.web.data import page_data
from lineal.web.page import html

Open = Callable[..., Any]
SVG = "{http://www.w3.org/2000/svg}"
HUB = "stg_sales_0000"
LINKS = {
    "map": "",
    "filter": "#q=layer%3Amarts",
    "two filters": "#q=layer%3Amarts%20finance",
    "around": f"#table={HUB}&up=1&down=2",
    "around, deep": "#table=fct_hr_0007&up=6",
    "path": "#column=fct_web_0003.id",
    "impact of a table": "#table=raw_sales_0001&mode=impact&change=drop",
    "impact of a column": "#column=raw_sales_0001.id&mode=impact&change=drop",
    "open box": "#open=sources&open=sources%2Fsales",
    "rows": "#inspect=1",
}


@pytest.fixture(scope="module")
def large(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    """One page of 840 tables for all tests of this file; each opens its own address."""
    yield from opened(browser, tmp_path_factory.mktemp("large"), layered(840))


def opened(browser: Any, folder: Path, found: lineal.Lineage, **options: Any) -> Iterator[Shown]:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
    context.add_init_script(WATCH)
    file = folder / "lineage.html"
    file.write_text(html(page_data(found.graph, title="large", **options), "large"), "utf-8")
    yield Shown(context.new_page(), file)
    context.close()


@pytest.mark.parametrize("name", LINKS)
def test_a_link_shows_the_same_picture(large: Shown, name: str) -> None:
    page = large.open(LINKS[name])
    cards, status = page.cards(), page.page.locator(".strip .status").inner_text()
    assert 0 < len(cards) <= LIMIT and len(page.page.url.partition("#")[2]) < 300
    geometry_is_right(page)
    can_be_read(page)
    page.does(lambda: page.page.keyboard.press("i"))
    rows = page.cards()
    page.does(page.page.go_back)
    assert page.cards() == cards
    page.does(page.page.go_forward)
    assert page.cards() == rows
    page.does(page.page.go_back)
    again = page.open("#" + page.page.url.partition("#")[2])
    assert again.cards() == cards
    assert again.page.locator(".strip .status").inner_text() == status
    assert page.problems == []


def export(page: Shown, name: str) -> bytes:
    page.page.locator(".menu summary").click()
    with page.page.expect_download() as download:
        page.page.locator(".menu button", has_text=name).click()
    return bytes(download.value.path().read_bytes())


def test_exports_of_a_map(large: Shown) -> None:
    page = large.open()
    rows = list(csv.reader(export(page, "CSV").decode().splitlines()))
    assert rows[0][:4] == ["source", "source_column", "target", "target_column"]
    assert len(rows) == 1 + 3 * 5 * 42  # a layer feeds the next one, table by table
    tables = export(page, "Mermaid of tables").decode().splitlines()
    assert sum("-->" in line for line in tables) == len(rows) - 1
    linked = {row[0] for row in rows[1:]} | {row[2] for row in rows[1:]}
    assert sum("[" in line for line in tables) == len(linked) == 700
    root = ElementTree.fromstring(export(page, "SVG"))
    words = {each.text for each in root.iter(f"{SVG}text")}
    assert set(page.cards()) <= words and "large · map" in words
    ends = [each.get("marker-end") for each in root.iter(f"{SVG}path") if each.get("marker-end")]
    assert len(ends) == page.page.locator(".wire").count() + 4  # and the legend's
    assert export(page, "PNG").startswith(b"\x89PNG")


def test_an_export_of_a_part_is_that_part(large: Shown) -> None:
    page = large.open("#table=stg_sales_0003&up=1&down=1")
    rows = list(csv.reader(export(page, "CSV").decode().splitlines()))[1:]
    assert {row[0] for row in rows} | {row[2] for row in rows} == set(page.cards())
    copy = page.file.with_name("copy.html")
    copy.write_bytes(export(page, "Page of this view"))
    cards = page.cards()
    before = page.page.evaluate("window.arranged")
    page.page.goto(copy.as_uri())
    page.settle(before if before < 0 else 0)
    assert page.cards() == cards and page.problems == []


def united() -> lineal.Lineage:
    """800 tables, and for each payload two tables that have it in every field."""
    return union([layered(800).extraction, *(hostile(each).extraction for each in PAYLOADS)])


WALK = """async () => {
  const pause = () => new Promise((go) => setTimeout(go, 20));
  for (const part of ['.card .head', '.band button', '.wire', '[role=tab]', '.tree-row', '.chip']) {
    for (const each of [...document.querySelectorAll(part)].slice(0, 40)) {
      each.dispatchEvent(new PointerEvent('pointerover', {bubbles: true}));
      each.dispatchEvent(new MouseEvent('click', {bubbles: true}));
    }
    await pause();
  }
}"""

VISIT = """async ([name, parsed]) => {
  const pause = () => new Promise((go) => setTimeout(go, 10));
  location.hash = '#' + new URLSearchParams({table: name});
  await pause();
  for (const key of ['2', '5', '1']) {
    document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
    await pause();
  }
  return {hit: window.hit ?? null, parsed: document.querySelectorAll(parsed).length};
}"""
"""A table in the map, in the impact view and as a path."""


def test_sixty_payloads_in_a_large_project(
    browser: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert len(PAYLOADS) >= 60
    texts = {payload: f"{payload}\n{payload}" for payload in PAYLOADS}
    for page in opened(browser, tmp_path_factory.mktemp("hostile"), united(), texts=texts):
        page.open()
        assert len(page.cards()) <= LIMIT
        page.page.evaluate(WALK)
        for payload in PAYLOADS:
            seen = page.page.evaluate(VISIT, [f"t.{payload}", PARSED])
            assert seen == {"hit": None, "parsed": 0}, payload
            assert page.problems == [] and page.outside() == [], payload
        page.page.keyboard.press("3")
        assert page.page.locator(".list details").count() == 100
        page.page.keyboard.press("1")
        for name in ("CSV", "Mermaid of columns", "SVG"):
            assert export(page, name)
        assert page.page.evaluate("window.hit") is None
