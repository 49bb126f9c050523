"""The command line: one file per command, the only room that prints.

`lineal --help` imports click and nothing else: a command's file is imported when the command is
run, and it imports what it needs when it runs. To add a command: a file here and a row in COMMANDS.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from lineal import __version__

COMMANDS = {
    "lineage": ("lineal.cli.lineage", "Show where columns come from and where they go."),
    "projects": (
        "lineal.cli.projects",
        "List the projects and files below a folder, and the files that are left out.",
    ),
    "show": ("lineal.cli.show", "Write the lineage as an HTML page, and open it."),
    "validate": (
        "lineal.cli.validate",
        "Check declarations, descriptions, classifications and references.",
    ),
    "impact": (
        "lineal.cli.impact",
        "Show what breaks or changes if a column changes.",
    ),
    "context": (
        "lineal.cli.context",
        "Print path, SQL and impact of a column for a language model.",
    ),
    "unused": (
        "lineal.cli.unused",
        "List unused columns and datasets, and print a patch that removes them.",
    ),
    "describe": ("lineal.cli.describe", "Copy descriptions to columns that are copied or renamed."),
    "diff": (
        "lineal.cli.diff",
        "Show how the lineage changes between two revisions, and whether that is safe.",
    ),
    "emit": ("lineal.cli.emit", "Send the lineage to a catalog, as OpenLineage events."),
    "serve": (
        "lineal.cli.serve",
        "Serve the page and its API on this machine, and receive OpenLineage events.",
    ),
    "mcp": ("lineal.cli.mcp", "Start the server for AI agents (Model Context Protocol)."),
    "lsp": ("lineal.cli.lsp", "Start the server for editors (Language Server Protocol)."),
    "store": ("lineal.cli.store", "Save lineage to a database and query its history."),
    "history": (
        "lineal.cli.history",
        "Show when the edges of a column began and ended, from a store.",
    ),
    "run": (
        "lineal.cli.run",
        "Build a project on Spark, and compare its lineage with Spark's plans.",
    ),
    "capture": ("lineal.cli.capture", "Run a PySpark job, and record the lineage of its writes."),
    "pipeline": ("lineal.cli.pipeline", "Extract the lineage of a query history as a Spark job."),
    "demo": ("lineal.cli.demo", "Unpack a sample project and answer five questions about it."),
}
"""Name → its file and the line that `--help` shows."""

CRASHED = 70
"""The exit code for an internal error of lineal."""


SELDOM = (400_000, 20, 100)
"""When the cycle collector looks for garbage: what a start makes is not garbage."""


def end_at_once(end: SystemExit) -> None:
    """End this process without freeing its objects one by one, which takes a fifth of a short run.

    Return if the process has to end as usual: it has other threads, somebody traces it, or its
    output cannot be written.
    """
    watched = sys.gettrace() is not None or sys.getprofile() is not None
    if watched or threading.active_count() > 1 or not isinstance(end.code, int | None):
        return

    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return

    os._exit(end.code or 0)


def missing_surroundings() -> str:
    """Return what the process lacks that every command needs; '' if nothing."""
    try:
        os.getcwd()  # noqa: PTH109 (pathlib takes 20 ms to import)
    except OSError:
        return "the current folder no longer exists: change to another one"

    return ""


class Commands(click.Group):
    """The commands of COMMANDS, each imported when it is run; no exception ends in a traceback."""

    is_program = False
    """Whether the command line has this process for itself; others may call it from theirs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; only its own module is imported."""
        if cmd_name not in COMMANDS:
            return None

        command: click.Command = import_module(COMMANDS[cmd_name][0]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments name; suggest the nearest for an unknown one."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"No such command '{args[0]}'.{_suggest(args[0])}", ctx)

        return super().resolve_command(ctx, args)

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Parse the arguments; a mistake is shown on one line."""
        with _in_one_line():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a mistake is shown on one line."""
        with _in_one_line():
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands for --help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run as a program, which has this process for itself."""
        Commands.is_program = True
        gc.set_threshold(*SELDOM)
        if problem := missing_surroundings():
            click.echo(f"Error: {problem}", err=True)
            sys.exit(2)

        try:
            return super().__call__(*args, **kwargs)
        except SystemExit as end:
            if kwargs.get("standalone_mode", True):
                end_at_once(end)

            raise

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run lineal; a failure of its own is shown without a traceback."""
        try:
            return super().main(*args, **kwargs)
        except Exception as problem:
            if os.environ.get("LINEAL_DEBUG"):
                raise

            from lineal.views.safe import make_visible

            said = make_visible(f"{type(problem).__name__}: {problem}")[:300]
            hint = "Please report this; LINEAL_DEBUG=1 shows where."
            click.echo(f"Error: lineal itself failed: {said}. {hint}", err=True)
            sys.exit(CRASHED)


def _suggest(text: str) -> str:
    """Return what a user may have meant by a word that is not a command."""
    if near := get_close_matches(text, COMMANDS, 1):
        return f" Did you mean '{near[0]}'?"

    if os.path.exists(text):  # noqa: PTH110 (pathlib takes 20 ms to import)
        return f" To read {text}, run 'lineal lineage {text}'."

    return ""


@contextmanager
def _in_one_line() -> Iterator[None]:
    """Report a usage error in one line, without the usage that click prints around it."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.UsageError as mistake:
        from lineal.views.safe import make_visible

        told = mistake.format_message()
        if mistake.ctx:
            stop = "" if told.endswith((".", "?", ")")) else "."
            told += f"{stop} Try '{mistake.ctx.command_path} --help'."

        raise click.UsageError(make_visible(told)) from mistake


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="lineal", message="%(prog)s %(version)s")
def main() -> None:
    """Column-level lineage of SQL: where each column comes from, where it goes, and what a change
    would break.
    """
