"""One Chromium for the tests of a process, and pages of lineages in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from shown_page import WATCH, Shown

import lineal
from lineal.web.data import page_data
from lineal.web.page import html

ROOT = Path(__file__).resolve().parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--enable-precise-memory-info",
]

WRITTEN: dict[int, tuple[lineal.Lineage, str]] = {}
"""The pages of lineages that were shown without options: most tests share a few of them."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="no playwright: pip install 'lineal[web]'"
    )
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if not program:
        pytest.skip("no Chromium: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield started
        started.close()


def page_of(found: lineal.Lineage, **options: Any) -> str:
    """The page of a lineage."""
    graph = options["over"].graph if "over" in options else found.graph
    if options:
        return html(page_data(graph, title="test", **options), "test")
    if id(found) not in WRITTEN:
        WRITTEN[id(found)] = found, html(page_data(graph, title="test"), "test")
    return WRITTEN[id(found)][1]


@pytest.fixture
def shown(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Shown]]:
    """shown(lineage) opens its page at 1280×800."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
    context.add_init_script(WATCH)

    def open_page(found: lineal.Lineage, **options: Any) -> Shown:
        file = tmp_path / "lineage.html"
        file.write_text(page_of(found, **options), encoding="utf-8")
        return Shown(context.new_page(), file).open()

    yield open_page
    context.close()


@pytest.fixture(scope="session")
def shop() -> lineal.Lineage:
    return lineal.lineage(ROOT / "examples" / "shop")


SEED_002 = """
CREATE TABLE customers (cid INT, name TEXT, age INT);
CREATE TABLE orders (oid INT, cid INT);
CREATE TABLE web (cid INT, date DATE, page TEXT, reg BOOLEAN);
CREATE VIEW info AS
SELECT c.name, c.age, o.oid, w.* FROM customers c JOIN orders o ON c.cid = o.cid JOIN webact w ON c.cid = w.wcid;
CREATE VIEW webact AS
SELECT w.wcid, w.wdate, w.wpage, w.wreg FROM webinfo w INTERSECT SELECT w1.cid, w1.date, w1.page, w1.reg FROM web w1;
CREATE VIEW webinfo AS
SELECT c.cid AS wcid, w.date AS wdate, w.page AS wpage, w.reg AS wreg FROM customers c JOIN web w ON c.cid = w.cid
WHERE EXTRACT(YEAR FROM w.date) = 2022;
"""


@pytest.fixture(scope="session")
def web_views() -> lineal.Lineage:
    return lineal.lineage(SEED_002, dialect="postgres")
