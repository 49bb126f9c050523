"""The page in Chromium, over a warehouse of 2,000 tables with 20 columns each, and search over
100,000 columns. The picture that is hovered over and expanded is around one table.

Times are those of the browser's own clock: from the start of the navigation to the first picture,
and from an event to the end of the next frame.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import lineal
from lineal.web.data import page_data
from lineal.web.page import html

TABLES, COLUMNS = 2_000, 20
TAKEN = ("a.{name}", "b.{name} + 1 AS {name}", "b.{last} AS {name}")
SEARCHED = 5_000
AROUND = "#table=t1000&level=column"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--enable-precise-memory-info"]
WATCH = """
window.long = [];
new PerformanceObserver((list) => window.long.push(...list.getEntries().map((each) => each.duration)))
  .observe({type: 'longtask'});
window.pictures = [];
addEventListener('arranged', () => window.pictures.push(performance.now()), true);
window.drawn = () => new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
"""
HOVER = """async () => {
  const times = [];
  for (const row of [...document.querySelectorAll('.row')].slice(0, 40)) {
    const from = performance.now();
    row.dispatchEvent(new PointerEvent('pointerover', {bubbles: true}));
    await window.drawn();
    times.push(performance.now() - from);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
}"""
EXPAND = """async () => {
  const more = document.querySelector('.expand:not([disabled])');
  const seen = window.pictures.length;
  const from = performance.now();
  more.click();
  await window.drawn();
  const answered = performance.now() - from;
  while (window.pictures.length === seen) await new Promise((go) => setTimeout(go, 5));
  return [answered, window.pictures.at(-1) - from];
}"""
SEARCH = """() => {
  const input = document.querySelector('.palette input');
  const times = ['c', 't0', 't0123', 'c07', 't1 c1', 't4999.c19', 'tcz', 'nothing at all'].map((words) => {
    input.value = words;
    const from = performance.now();
    input.dispatchEvent(new Event('input'));
    return performance.now() - from;
  });
  return Math.max(...times);
}"""


class NotThere(Exception):
    """What is needed to measure is not installed."""


class Figures(NamedTuple):
    """Milliseconds, and megabytes."""

    first: float
    hover: float
    expand: float
    expanded: float
    longest_task: float
    memory: float
    search: float


def warehouse(tables: int, columns: int = COLUMNS) -> str:
    """A tenth are tables; each view joins two that were made shortly before, by a rule that needs
    no chance.
    """
    names = [f"c{number:02d}" for number in range(columns)]
    written = [
        f"CREATE TABLE t{n:04d} ({', '.join(f'{name} INT' for name in names)});"
        for n in range(tables // 10)
    ]
    for number in range(tables // 10, tables):
        left, right = (
            number - 1 - number * 7 % (tables // 10),
            number - 1 - number * 13 % (tables // 10),
        )
        taken = (
            TAKEN[place % 3].format(name=name, last=names[-1]) for place, name in enumerate(names)
        )
        written.append(
            f"CREATE VIEW t{number:04d} AS SELECT {', '.join(taken)} FROM t{left:04d} a JOIN t{right:04d} b "
            f"ON a.c00 = b.c00 WHERE a.c01 > 0;"
        )
    return "\n".join(written)


@contextmanager
def opened(file: Path, address: str = "") -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise NotThere("not measured: pip install 'lineal[web]'") from None
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if not program:
        raise NotThere("not measured: there is no Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.add_init_script(WATCH)
        page.goto(file.as_uri() + address)
        # the page's policy lets nobody evaluate a condition there
        while not page.evaluate("window.pictures.length"):
            page.wait_for_timeout(50)
        yield page
        browser.close()


def written(place: Path, tables: int) -> Path:
    file = place / f"{tables}.html"
    found = lineal.lineage(warehouse(tables))
    file.write_text(html(page_data(found.graph, title="warehouse"), "warehouse"), encoding="utf-8")
    return file


def measure() -> Figures:
    with TemporaryDirectory() as place:
        with opened(written(Path(place), TABLES)) as page:
            first = page.evaluate("window.pictures[0]")
        with opened(written(Path(place), TABLES), AROUND) as page:
            page.wait_for_timeout(500)
            page.evaluate("window.long.length = 0")
            hover = page.evaluate(HOVER)
            steps = [page.evaluate(EXPAND) for _ in range(6)]
            page.keyboard.press("2")
            page.locator(".row").first.click()
            page.wait_for_timeout(1000)
            memory = page.evaluate("performance.memory.usedJSHeapSize / 1e6")
            longest = page.evaluate("Math.max(0, ...window.long)")
        with opened(written(Path(place), SEARCHED)) as page:
            page.keyboard.press("/")
            page.evaluate(SEARCH)
            search = page.evaluate(SEARCH)
    expand, expanded = (sorted(each)[len(each) // 2] for each in zip(*steps, strict=True))
    return Figures(first, hover, expand, expanded, longest, memory, search)


if __name__ == "__main__":
    print(measure())
