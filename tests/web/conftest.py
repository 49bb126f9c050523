"""One Chromium for the tests of a process, and pages of lineages in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

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
WATCH = """
window.long = [];
new PerformanceObserver((list) => list.getEntries().forEach((each) => window.long.push(each.duration)))
  .observe({type: 'longtask'});
window.arranged = 0;
addEventListener('arranged', () => window.arranged++, true);
"""


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


class Shown:
    """A page in the browser, and what went wrong in it."""

    def __init__(self, page: Any, file: Path) -> None:
        self.page = page
        self.file = file
        self.problems: list[str] = []
        self.requests: list[str] = []
        page.on(
            "console",
            lambda message: self.problems.append(message.text) if message.type == "error" else None,
        )
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on(
            "dialog",
            lambda dialog: (self.problems.append(f"dialog {dialog.message}"), dialog.dismiss()),
        )
        page.on("request", lambda request: self.requests.append(request.url))

    def open(self, address: str = "") -> Shown:
        self.page.goto("about:blank")
        self.page.goto(f"{self.file.as_uri()}{address}")
        self.settle(0)
        return self

    def settle(self, before: int) -> None:
        """Until a picture stands that was not there before; a picture is asked for and answered off
        the main thread.
        """
        for _ in range(600):
            if self.page.evaluate("window.arranged") > before:
                self.page.evaluate(
                    "() => Promise.allSettled(document.getAnimations().map((each) => each.finished))"
                )
                return  # and the cards have glided to their places
            self.page.wait_for_timeout(25)
        raise AssertionError("no picture came")

    def does(self, action: Callable[[], object]) -> None:
        """Something that leads to another picture."""
        before = self.page.evaluate("window.arranged")
        action()
        self.settle(before)

    def columns(self) -> Shown:
        """With the columns of all tables, which a page begins without."""
        self.does(lambda: self.page.keyboard.press("t"))
        return self

    def outside(self) -> list[str]:
        """What was asked of anybody but the page itself."""
        return [
            url
            for url in self.requests
            if not url.startswith(("file:", "data:", "blob:", "about:"))
        ]

    # -- what is to be seen ------------------------------------------------------------------------

    def cards(self) -> list[str]:
        names = self.page.locator(".card .name").all_inner_texts()
        return sorted(names)

    def row(self, table: str, column: str) -> Any:
        card = self.page.locator(".card").filter(has=self.page.locator(f'.name:text-is("{table}")'))
        return card.locator(".row").filter(
            has=self.page.locator(f'.column-name:text-is("{column}")')
        )

    def lit(self) -> set[str]:
        return set(self.page.evaluate(LIT))

    def marked(self) -> dict[str, str]:
        found: dict[str, str] = self.page.evaluate(MARKED)
        return found


NAMED = """
const named = (row) => row.closest('.card').querySelector('.name').textContent + '.' +
  row.querySelector('.column-name').textContent;
"""
LIT = "() => {" + NAMED + "return [...document.querySelectorAll('.row.on')].map(named)}"
MARKED = (
    "() => {"
    + NAMED
    + "const rows = [...document.querySelectorAll('.row[data-why]')];"
    + "return Object.fromEntries(rows.map((row) => [named(row), row.dataset.why]))}"
)


@pytest.fixture
def shown(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Shown]]:
    """shown(lineage) opens its page at 1280×800."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
    context.add_init_script(WATCH)

    def open_page(found: lineal.Lineage, **options: Any) -> Shown:
        file = tmp_path / "lineage.html"
        graph = options["over"].graph if "over" in options else found.graph
        file.write_text(html(page_data(graph, title="test", **options), "test"), encoding="utf-8")
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
