"""Progress of a run on standard error: a line for each node as it ends; on a terminal also the
nodes at work.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from lineal.cli.console import has_color
from lineal.views.safe import make_visible
from lineal.views.terminal import STYLES
from lineal.views.words import count_noun

if TYPE_CHECKING:
    from lineal.spark.run.result import Event, Outcome, Summary


def progress(events: Iterator[Event | Summary], color: str) -> Summary:
    """Show the events as they come; the summary is the last of them."""
    from lineal.spark.run.result import Began, Ended, Note, Planned, Summary

    running: dict[str, None] = {}
    done = total = 0
    with _screen(color, lambda: _at_work(running, done, total)) as (say, refresh):
        for event in events:
            if isinstance(event, Summary):
                return event

            if isinstance(event, Planned):
                total = event.jobs
            elif isinstance(event, Note):
                say(f"note: {event.text}", "")
            elif isinstance(event, Began):
                running[event.name] = None
            elif isinstance(event, Ended):
                running.pop(event.outcome.name, None)
                done += 1
                say(_line(event.outcome, done, total), event.outcome.status.value)

            refresh()

    raise AssertionError("a run ends with its summary")


def _line(outcome: Outcome, done: int, total: int) -> str:
    """5/22  ok       view         stg_orders  57 rows, 0.8 s"""
    width = len(str(total))
    rows = f"{count_noun(outcome.rows, 'row')}, " if outcome.rows is not None else ""
    end = (
        f"because {outcome.because} {outcome.lacks}"
        if outcome.because
        else f"{rows}{outcome.seconds:.1f} s"
    )
    return f"{done:>{width}}/{total}  {outcome.status.value:<7}  {outcome.kind:<11}  {outcome.name}  {end}"


def _at_work(running: dict[str, None], done: int, total: int) -> str:
    """Return the nodes at work and how much is done."""
    if not running:
        if not done:
            return "starting Spark"

        return f"{done}/{total}"

    return f"{done}/{total}  {', '.join(running)}"


@contextmanager
def _screen(
    color: str, at_work: Callable[[], str]
) -> Iterator[tuple[Callable[[str, str], None], Callable[[], None]]]:
    """Yield functions that print a line and renew the status."""
    if not (has_color(sys.stderr, color) and sys.stderr.isatty()):
        yield _print_line, lambda: None
        return

    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    with console.status(Text("starting Spark")) as status:

        def say(text: str, style: str) -> None:
            """Print a line above the status, in the style of its kind."""
            console.print(
                Text(make_visible(text), STYLES.get(style, "") if style != "ok" else ""),
                soft_wrap=True,
            )

        def refresh() -> None:
            """Show the jobs that are at work right now."""
            status.update(Text(make_visible(at_work())))

        yield say, refresh


def _print_line(text: str, style: str) -> None:
    """Print a line without a status."""
    click.echo(make_visible(text), err=True)
