"""A warehouse of 2,000 tables with 20 columns each: the number of drawn items is bounded.
Times: make bench.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import lineal
from page import warehouse

Open = Callable[..., Any]
MOST_NODES = 40_000
"""Elements of a page; a browser lays out so many without a pause."""


@pytest.fixture(scope="module")
def large() -> lineal.Lineage:
    return lineal.lineage(warehouse(2_000))


def nodes(page: Any) -> int:
    count: int = page.page.evaluate("document.querySelectorAll('*').length")
    return count


def test_it_begins_with_a_map(shown: Open, large: lineal.Lineage) -> None:
    page = shown(large)
    assert 2 <= len(page.cards()) <= 150 and nodes(page) < 5_000
    assert page.page.locator(".strip .status").inner_text().startswith("2,000 of 2,000 tables")
    page.does(page.page.locator(".card.box .head").first.click)
    assert len(page.cards()) <= 150 and nodes(page) < 6_000 and page.problems == []


def test_clicking_around_while_a_layout_is_under_way(shown: Open, large: lineal.Lineage) -> None:
    """The last click decides the view."""
    page = shown(large, start="t1999")
    for _ in range(8):
        page.page.get_by_role("button", name="one step more upstream").click()
    page.page.keyboard.press("t")
    page.page.locator(".panel .link").first.click()
    page.page.keyboard.press("t")
    page.does(lambda: page.page.locator(".actions >> text=Only this").click())
    page.page.wait_for_timeout(1500)
    assert len(page.cards()) == 1 and page.page.locator(".wire").count() == 0
    assert page.page.locator(".stage.arranging").count() == 0
    assert page.problems == []


def test_too_many_tables_ask_how_to_fold(shown: Open, large: lineal.Lineage) -> None:
    page = shown(large).open("#table=t1999&up=30")
    ask = page.page.locator(".ask")
    assert "more than 150" in ask.inner_text()
    assert len(page.cards()) <= 150
    page.does(ask.locator('[data-fold="near"]').click)
    assert len(page.cards()) == 150 and "fold=near" in page.page.url
    same = page.cards()
    assert page.open("#" + page.page.url.partition("#")[2]).cards() == same
    assert nodes(page) < MOST_NODES and page.problems == []


def test_an_impact_on_everything_is_bounded(shown: Open, large: lineal.Lineage) -> None:
    page = shown(large).open("#column=t0000.c00&mode=impact&change=drop&unfolded=1")
    assert len(page.cards()) <= 120 and page.page.locator(".impacts li").count() <= 1000
    assert nodes(page) < MOST_NODES


WIDE = ", ".join(f"c{number:04d}" for number in range(5_000))
MANY = ";".join(f"INSERT INTO v (total) SELECT c{number:04d} FROM t" for number in range(3_000))
SHAPES = {
    "nothing": ("", 0),
    "one": ("CREATE TABLE t (a INT)", 1),
    "no columns": ("CREATE VIEW v AS SELECT count(*) AS n FROM t", 2),
    "five thousand columns": (f"CREATE VIEW v AS SELECT {WIDE} FROM t", 2),
    "three thousand sources": (MANY, 2),
    "three thousand readers": (
        ";".join(f"CREATE VIEW v{n} AS SELECT a FROM t" for n in range(3_000)),
        2,
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(shown: Open, name: str) -> None:
    sql, cards = SHAPES[name]
    page = shown(lineal.lineage(sql or "SELECT 1"))
    if name == "nothing":
        assert page.page.locator(".panel h2").count() == 1
        return
    assert len(page.cards()) == cards
    page.columns().page.locator(".row").last.click()
    page.page.keyboard.press("z")
    page.page.keyboard.press("2")
    page.page.keyboard.press("3")
    page.page.locator(".list summary").first.click()
    page.page.keyboard.press("1")
    assert page.problems == []
