"""lineal projects: what a folder holds, and what lineal would read of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from lineal.cli.source import Mistake, check_paths, rules_of
from lineal.service.source import Source

if TYPE_CHECKING:
    from lineal.model.diagnostic import Diagnostic
    from lineal.projects.listing import Part

FORMATS = ("text", "json")


@click.command(name="projects")
@click.argument("where", nargs=-1, metavar="[PATH]...")
@click.option(
    "--format",
    "output",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="For people or for programs.",
)
@click.option(
    "--exclude",
    metavar="PATTERN",
    multiple=True,
    help="Leave out these files and folders; patterns are those of .gitignore.",
)
@click.option(
    "--include",
    metavar="PATTERN",
    multiple=True,
    help="Read only these files, and the projects that hold one of them.",
)
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="Colors and box lines.",
)
def command(
    where: tuple[str, ...],
    output: str,
    exclude: tuple[str, ...],
    include: tuple[str, ...],
    color: str,
) -> None:
    """List the projects, SQL files, programs and notebooks below PATH, and the files that are left out.

    Nothing is parsed: only names of files, and the files that configure a project, are read.
    [default: .]

    \b
    lineal projects                      what `lineal lineage .` would read
    lineal projects --format json        the same for a program

    Exit codes: 0 fine, 1 there is nothing to read, 2 a usage error.
    """
    source = Source(check_paths(where), exclude=exclude, include=include)
    sys.exit(_run(source, output, color))


def _run(source: Source, output: str, color: str) -> int:
    """List the parts of each path, and print them; return the exit code."""
    from pathlib import Path

    from lineal.cli.console import report_diagnostics, show
    from lineal.model.diagnostic import Severity
    from lineal.projects.listing import list_parts
    from lineal.views import projects

    parts: list[Part] = []
    problems: list[Diagnostic] = []
    for path in source.paths:
        if not Path(path).is_dir():
            raise Mistake(f"{path} is not a folder")

        found = list_parts(Path(path), rules_of(source))
        parts += found.parts
        problems += found.diagnostics

    show(projects.page(parts) if output == "text" else projects.document(parts, problems), color)
    report_diagnostics(problems, color, Severity.ERROR if output == "json" else Severity.INFO)
    return int(not any(part.is_read for part in parts))
