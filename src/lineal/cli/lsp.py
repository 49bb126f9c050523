"""lineal lsp: a language server that editors ask about the lineage of a project."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lineal.cli.answering import (
    answering_command,
    answering_option,
    begin_answering,
    end_at_interrupt,
)
from lineal.cli.source import (
    check_paths,
    mistakes,
    project_of,
    require_library,
    unsupervised_source_options,
)
from lineal.service.source import Source

if TYPE_CHECKING:
    from lineal.service.editor.workspace import Workspace
    from lineal.service.worker import Worker


@click.command(name="lsp")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@answering_option
@unsupervised_source_options
def command(paths: tuple[str, ...], server: int | None, source: Source) -> None:
    """Start a server that editors ask about the lineage (Language Server Protocol).

    PATH is what `lineal lineage` reads.  [default: the folder that the editor has open] The editor
    starts the command itself, and talks to it on standard input and output.

    \b
    lineal lsp                    for the configuration of an editor
    lineal lsp warehouse/         a project below the folder that the editor has open

    Needs the extra `lsp`: pip install 'lineal[lsp]'.
    """
    asked = source._replace(paths=check_paths(paths))
    if server is not None:
        begin_answering(server, source)
        _answer_lines(asked)
        return

    require_library("pygls", "lineal lsp needs the extra `lsp`: pip install 'lineal[lsp]'")
    from lineal.lsp.server import serve

    end_at_interrupt()
    serve(_starter(paths), sys.stdin.buffer)


def _starter(paths: tuple[str, ...]) -> Callable[[str, Callable[[], Any]], Worker]:
    """Return what starts the process that reads a folder: this one, with one option more."""
    from lineal.service.worker import Worker

    def start(folder: str, greeting: Callable[[], Any]) -> Worker:
        """Start the process that answers the editor, in the folder of the workspace."""
        own, *rest = sys.argv[1:]
        options = [each for each in rest if each not in paths]
        named = [str(Path(folder, path)) for path in paths] or [folder]
        return Worker(answering_command(own, [*options, *named]), greeting)

    return start


# -- the process that does the work ----------------------------------------------------------------


def _answer_lines(source: Source) -> None:
    """Answer the questions on standard input."""
    from lineal.service.editor.questions import QUESTIONS, answer
    from lineal.service.worker import answer_lines

    absolute = tuple(str(Path(path).absolute()) for path in source.paths)
    workspace = _workspace_of(source._replace(paths=absolute))

    def reply(question: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Answer one question of the editor."""
        with mistakes():
            return answer(workspace, question, asked)

    try:
        answer_lines(sys.stdin, sys.stdout, reply, QUESTIONS)
    finally:
        workspace.documents.close()


def _workspace_of(source: Source) -> Workspace:
    """Return the project with the unsaved texts of an editor."""
    from lineal.extract.sql.constructs import constructs_of
    from lineal.service.editor.workspace import Workspace

    return Workspace(project_of(source), constructs_of)
