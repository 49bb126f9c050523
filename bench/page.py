"""The page in Chromium, over a warehouse of 2,000 tables with 20 columns each, and search over
100,000 columns. The picture that is hovered over and expanded is around one table.

Times of hovering, expanding and searching are those of the browser's own clock, from an event to
the end of the next frame. Opening and the longest task are CPU time of the page's main thread, as
Chromium's trace has it, over a walk through all modes: other work on the machine does not count.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
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
  return times.length ? times.sort((a, b) => a - b)[Math.floor(times.length / 2)] : 0;
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


LARGE = 10_000
HUB, END = "t0100.c00", "t1999.c01"
WALK = (
    "#table=t1999&up=30", "#table=t1999&up=30&fold=near", "#table=t1999&up=30&fold=folder",
    f"#column={HUB}", f"#column={END}", f"#column={END}&mode=strip", "#mode=list",
    f"#column={HUB}&mode=impact&change=drop&unfolded=1", "#table=t0100&mode=impact&change=drop",
    "#mode=impact", "#q=kind:view", "#q=1", "#inspect=1", "#grouped=1", "#table=t1000&level=column",
)  # fmt: skip
"""Addresses that visit every mode, the filters, and pictures that have to be folded."""


class Tasks(NamedTuple):
    """CPU time of the main thread in milliseconds, and megabytes."""

    opening: float
    longest: float
    where: str
    memory: float


class Figures(NamedTuple):
    """Milliseconds, and megabytes."""

    first: float
    hover: float
    expand: float
    expanded: float
    longest_task: float
    memory: float
    search: float
    large: float
    large_memory: float


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
def open_page(file: Path, address: str = "") -> Iterator[Any]:
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


def write_page(place: Path, tables: int) -> Path:
    file = place / f"{tables}.html"
    found = lineal.lineage(warehouse(tables))
    file.write_text(html(page_data(found.graph, title="warehouse"), "warehouse"), encoding="utf-8")
    return file


def walk(file: Path, addresses: tuple[str, ...] = WALK) -> Tasks:
    """Open a page and go through its modes; hover over everything in each of them."""
    with open_page(file) as page:
        browser = page.context.browser
        tasks = {"open": _task_times(browser, page, lambda: _arrive(page, file.as_uri()))}
        memory = page.evaluate("performance.memory.usedJSHeapSize / 1e6")
        for address in addresses:
            go = f"() => {{ location.hash = {address!r} }}"
            tasks[address] = _task_times(browser, page, lambda go=go: page.evaluate(go))
            tasks[f"hover {address}"] = _task_times(browser, page, lambda: page.evaluate(HOVER))
    where = max(tasks, key=lambda name: max(tasks[name], default=0))
    return Tasks(sum(tasks["open"]), max(tasks[where]), where, memory)


def _arrive(page: Any, address: str) -> None:
    """Load the page again, until its first picture stands."""
    page.goto("about:blank")
    page.goto(address)
    while not page.evaluate("window.pictures.length"):
        page.wait_for_timeout(25)


def _task_times(browser: Any, page: Any, action: Callable[[], object]) -> list[float]:
    """Return the CPU time of each task of the main thread that an action leads to."""
    browser.start_tracing(page=page, categories=["toplevel", "__metadata"])
    action()
    page.wait_for_timeout(700)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    mains = {
        (event["pid"], event["tid"])
        for event in events
        if event.get("name") == "thread_name" and event["args"].get("name") == "CrRendererMain"
    }
    return [
        event.get("tdur", 0) / 1000
        for event in events
        if event.get("name") == "ThreadControllerImpl::RunTask"
        and event.get("ph") == "X"
        and (event["pid"], event["tid"]) in mains
    ]


def measure() -> Figures:
    with TemporaryDirectory() as place:
        usual = write_page(Path(place), TABLES)
        walked = walk(usual)
        large = walk(write_page(Path(place), LARGE), ())
        with open_page(usual, AROUND) as page:
            page.wait_for_timeout(500)
            hover = page.evaluate(HOVER)
            steps = [page.evaluate(EXPAND) for _ in range(6)]
            page.keyboard.press("2")
            page.locator(".row").first.click()
            page.wait_for_timeout(1000)
            memory = page.evaluate("performance.memory.usedJSHeapSize / 1e6")
        with open_page(write_page(Path(place), SEARCHED)) as page:
            page.keyboard.press("/")
            page.evaluate(SEARCH)
            search = page.evaluate(SEARCH)
    expand, expanded = (sorted(each)[len(each) // 2] for each in zip(*steps, strict=True))
    memory = max(memory, walked.memory)
    return Figures(
        walked.opening, hover, expand, expanded, walked.longest, memory, search, large.opening,
        large.memory,
    )  # fmt: skip


if __name__ == "__main__":
    for _name, _figure in measure()._asdict().items():
        print(f"{_name:14} {_figure:9,.1f}")
