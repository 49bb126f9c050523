"""A page in Chromium, and what goes wrong in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

WATCH = """
window.long = [];
new PerformanceObserver((list) => list.getEntries().forEach((each) => window.long.push(each.duration)))
  .observe({type: 'longtask'});
window.arranged = 0;
addEventListener('arranged', () => window.arranged++, true);
"""


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
