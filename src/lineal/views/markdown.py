"""Markdown: text from the input goes into code spans, where nothing in it is markup, a link or a
mention.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from lineal.views.safe import make_visible


def code(text: str) -> str:
    """Return a name as a code span, also in a table: `a\\|b`; backticks in it lengthen
    the fence.
    """
    shown = make_visible(text).replace("|", "\\|")
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    space = " " if shown.startswith("`") or shown.endswith("`") or not shown.strip() else ""
    return f"{fence}{space}{shown or ' '}{space}{fence}"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Rows whose cells are Markdown already."""
    return [
        f"| {' | '.join(header)} |",
        f"|{'|'.join(' --- ' for _ in header)}|",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]


def fold_text(title: str, lines: Iterable[str]) -> list[str]:
    """Fold long text: readers open it by its title."""
    return ["<details>", f"<summary>{title}</summary>", "", *lines, "", "</details>"]


def fence_lines(lines: Iterable[str]) -> list[str]:
    """Lines as they are, with a fence that is longer than any in them."""
    shown = list(map(make_visible, lines))
    longest = max((len(run) for each in shown for run in re.findall("`+", each)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence, *shown, fence]
