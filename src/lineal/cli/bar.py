"""How far the reading of many files is: a bar on a terminal, nothing in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from lineal.cli.console import has_color

FEWEST = 200
"""Of fewer files nobody has to wait for long."""

Tick = Callable[[int], object]


@contextmanager
def bar(total: int, color: str, verbose: bool = False) -> Iterator[Tick]:
    """Something to be told how many more files are read; lines about each of them need no bar."""
    if verbose or total < FEWEST or not (has_color(sys.stderr, color) and sys.stderr.isatty()):
        yield lambda count: None
        return

    done = 0
    with click.progressbar(length=total, label="reading", file=sys.stderr, show_pos=True) as shown:

        def tick(count: int) -> None:
            """Advance the bar, at most to its end."""
            nonlocal done
            count = min(count, total - done)
            done += count
            shown.update(count)

        yield tick
        tick(total)
