"""Writing: results to standard output, diagnostics and the footer to standard error."""

from __future__ import annotations

import os
import sys
from collections import Counter
from contextlib import suppress
from typing import TextIO

import click

from lineal.model.boundary import internal_errors
from lineal.model.diagnostic import Diagnostic, Severity
from lineal.views.safe import visible
from lineal.views.terminal import Page, drawn, plain
from lineal.views.words import counted

COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue"}


def show(made: str | Page, color: str) -> None:
    """A view on standard output: drawn on a terminal, plain in a pipe. A reader who has seen enough
    is no error.
    """
    if sys.stdout is None:  # closed, as by >&-
        return
    try:
        if isinstance(made, str):
            _write(made)
        elif coloured(sys.stdout, color):
            _draw(made)
        else:
            _write(plain(made))
        sys.stdout.flush()
    except OSError as problem:
        # what Python would still flush at its end goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(problem, BrokenPipeError):
            raise click.ClickException(
                f"cannot write to standard output: {problem.strerror}"
            ) from problem


def coloured(stream: TextIO | None, color: str) -> bool:
    if stream is None:
        return False
    if color == "auto":
        return (
            stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        )
    return color == "always"


def report_diagnostics(diagnostics: list[Diagnostic], color: str, least: Severity) -> None:
    """One line a diagnostic, from a severity on, and a line that counts them."""
    shown = [diagnostic for diagnostic in diagnostics if diagnostic.severity >= least]
    for diagnostic in shown:
        complain(_one_line(diagnostic, coloured(sys.stderr, color)))
    if shown:
        counts = Counter(diagnostic.severity for diagnostic in shown)
        present = (severity for severity in sorted(Severity, reverse=True) if counts[severity])
        complain(", ".join(counted(counts[severity], severity.label) for severity in present))


def report_internal_errors(diagnostics: list[Diagnostic], color: str) -> bool:
    """Tell what lineal has failed over, in a command that shows no other diagnostics; whether there
    is anything.
    """
    found = internal_errors(diagnostics)
    report_diagnostics(found, color, Severity.ERROR)
    return bool(found)


def _one_line(diagnostic: Diagnostic, colour: bool) -> str:
    text = visible(str(diagnostic))
    if colour:
        label = f"{diagnostic.severity.label}[{diagnostic.code.code}]"
        text = text.replace(
            label, click.style(label, fg=COLOURS[diagnostic.severity], bold=True), 1
        )
    return f"{text} ({visible(diagnostic.advice)})" if diagnostic.advice else text


def _write(text: str) -> None:
    """A stream that cannot write a character writes its escape."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))


def _draw(page: Page) -> None:
    from rich.console import Console
    from rich.text import Text

    boundless = None if sys.stdout.isatty() else 1_000_000
    console = Console(
        force_terminal=True,
        no_color=False,
        highlight=False,
        markup=False,
        emoji=False,
        width=boundless,
    )
    for part in drawn(page, console.width):
        console.print(part, soft_wrap=isinstance(part, Text))


def complain(text: str) -> None:
    with suppress(BrokenPipeError):
        click.echo(text, err=True)
