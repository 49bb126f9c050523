"""Writing: results to standard output, diagnostics and the footer to standard error."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, TextIO

import click

from lineal.cli.listing import Listing
from lineal.model.boundary import internal_errors, told_by_all
from lineal.model.diagnostic import Code, Diagnostic, Severity, order_of
from lineal.model.grouping import group
from lineal.model.limits import commit
from lineal.views.safe import make_visible
from lineal.views.terminal import Page, draw_page, plain_page
from lineal.views.words import count_noun

MOST_OF_A_CODE = 5
"""How many diagnostics of one code are listed."""

COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue"}


def show(made: str | Page, color: str) -> None:
    """Write a view to standard output: drawn on a terminal, plain in a pipe. A reader who closes
    the pipe early does not cause an error.
    """
    if sys.stdout is None:  # closed, as by >&-
        return

    commit()
    try:
        if isinstance(made, str):
            _write(made)
        elif has_color(sys.stdout, color):
            _draw(made)
        else:
            _write(plain_page(made))

        sys.stdout.flush()
    except OSError as problem:
        # what Python would still flush at its end goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(problem, BrokenPipeError):
            raise click.ClickException(
                f"cannot write to standard output: {problem.strerror}"
            ) from problem


def has_color(stream: TextIO | None, color: str) -> bool:
    """Tell whether colors are printed to a stream."""
    if stream is None:
        return False

    if color == "auto":
        return (
            stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        )

    return color == "always"


def report_diagnostics(
    diagnostics: list[Diagnostic],
    color: str,
    least: Severity,
    others: Sequence[Diagnostic] = (),
) -> None:
    """Write a line for each diagnostic from a severity on, errors first, and a line that counts
    them. Of each code the first five are listed, unless all are asked for.

    Those of datasets that nobody asked for are one line with a count.
    """
    if Listing.all_diagnostics:
        diagnostics, others = sorted([*diagnostics, *others], key=order_of), ()

    shown = [diagnostic for diagnostic in diagnostics if diagnostic.severity >= least]
    for code, several in _groups(shown):
        listed = several if Listing.all_diagnostics else several[:MOST_OF_A_CODE]
        for diagnostic in listed:
            complain(_one_line(diagnostic, has_color(sys.stderr, color)))

        if len(listed) < len(several):
            more = f"{len(several) - len(listed):,} more {code.severity.label}[{code.code}]"
            complain(f"… {more} (--all-diagnostics lists them)")

    if shown:
        complain(_count_severities(shown))

    elsewhere = [diagnostic for diagnostic in others if diagnostic.severity >= least]
    if elsewhere:
        counts = _count_severities(elsewhere)
        complain(f"{counts} in other datasets (--all-diagnostics lists them)")


def _count_severities(diagnostics: list[Diagnostic]) -> str:
    """1 error, 2 warnings"""
    counts = Counter(diagnostic.severity for diagnostic in diagnostics)
    present = (severity for severity in sorted(Severity, reverse=True) if counts[severity])
    return ", ".join(count_noun(counts[severity], severity.label) for severity in present)


def _groups(diagnostics: list[Diagnostic]) -> list[tuple[Code, list[Diagnostic]]]:
    """Group diagnostics by code, the gravest first; within a code they keep their order."""
    groups = group(diagnostics, lambda diagnostic: diagnostic.code)
    return sorted(groups.items(), key=lambda group: -group[0].severity)


def report_failures(diagnostics: list[Diagnostic], color: str) -> bool:
    """Report failures and an input without anything to read, in a command that shows no other
    diagnostics; return whether lineal has failed.
    """
    report_diagnostics(told_by_all(diagnostics), color, Severity.WARNING)
    return bool(internal_errors(diagnostics))


def _one_line(diagnostic: Diagnostic, color: bool) -> str:
    """Return a diagnostic on one line, with its advice."""
    text = make_visible(str(diagnostic))
    if color:
        label = f"{diagnostic.severity.label}[{diagnostic.code.code}]"
        text = text.replace(
            label, click.style(label, fg=COLOURS[diagnostic.severity], bold=True), 1
        )

    if diagnostic.advice:
        return f"{text} ({make_visible(diagnostic.advice)})"

    return text


def _write(text: str) -> None:
    """A stream that cannot write a character writes its escape."""
    encoding = sys.stdout.encoding or "utf-8"
    data = text.encode(encoding, "backslashreplace")
    beneath = getattr(sys.stdout, "buffer", None)
    if isinstance(beneath, io.RawIOBase):
        sys.stdout.flush()
        write_whole(beneath, data)
    else:
        sys.stdout.write(data.decode(encoding))


def write_whole(stream: io.RawIOBase, data: bytes) -> None:
    """Write bytes to a stream without a buffer, as PYTHONUNBUFFERED makes standard output.

    Such a stream takes a part if the disk is full, and Python passes over the rest.
    """
    rest = memoryview(data)
    while rest:
        count = stream.write(rest)
        if count is None:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

        rest = rest[count:]


PAGER, NO_PAGER = "LINEAL_PAGER", ("", "cat")
"""The environment variable that names the pager of lineal, and the values that ask for none."""

WIDE, QUIET, UNPAGED = "lineal.wide", "lineal.quiet", "lineal.unpaged"
"""The options --wide, --quiet and --no-pager, as the context of the command keeps them."""


def is_set(option: str) -> bool:
    """Tell whether an option of the output is given, to the command that is running."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.find_root().meta.get(option))


def pager() -> list[str] | None:
    """Return the command that shows a long page on a terminal; None if nobody wants one."""
    if is_set(UNPAGED) or not (
        sys.stdout.isatty() and sys.stdin is not None and sys.stdin.isatty()
    ):
        return None

    import shlex
    import shutil

    named = os.environ.get(PAGER, os.environ.get("PAGER", "less"))
    words = shlex.split(named)
    if not words or words[0] in NO_PAGER or shutil.which(words[0]) is None:
        return None

    return words


def _draw(page: Page) -> None:
    """Print a page with colors, through a pager if there is one."""
    command = pager()
    if command is None:
        _draw_to(page, sys.stdout)
        return

    import subprocess

    # as git has it: quit if it fits on the screen, keep colors, leave the text there
    environment = {"LESS": "FRX", "LESSCHARSET": "utf-8", **os.environ}
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment, text=True) as shown:  # noqa: S603
        assert shown.stdin is not None, "a pipe was asked for"
        with suppress(BrokenPipeError):
            _draw_to(page, shown.stdin)
            shown.stdin.close()


def _draw_to(page: Page, stream: IO[str]) -> None:
    """Write a page with colors to a stream."""
    import shutil

    from rich.console import Console
    from rich.text import Text

    boundless = shutil.get_terminal_size().columns if sys.stdout.isatty() else 1_000_000
    console = Console(
        file=stream,
        force_terminal=True,
        no_color=False,
        highlight=False,
        markup=False,
        emoji=False,
        width=boundless,
    )
    for part in draw_page(page, console.width, is_set(WIDE)):
        console.print(part, soft_wrap=isinstance(part, Text))


def complain(text: str) -> None:
    """Write a line to standard error, unless --quiet is given."""
    if is_set(QUIET):
        return

    with suppress(BrokenPipeError):
        click.echo(text, err=True)
