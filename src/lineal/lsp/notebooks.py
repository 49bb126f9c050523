"""Notebooks: an editor has their cells as documents of their own; lineal reads one file.

The cells are written as the JSON of a notebook, one line of a cell on each line, so that a line of
a cell is a line of the file. Its characters come after a quote there, and some are escaped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Any, NamedTuple

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from lineal.service.editor.positions import characters_in, units_of

NOTEBOOKS = types.NotebookDocumentSyncOptions(
    notebook_selector=[
        types.NotebookDocumentFilterWithNotebook(
            notebook="jupyter-notebook",
            cells=[
                types.NotebookCellLanguage(language="python"),
                types.NotebookCellLanguage(language="sql"),
            ],
        )
    ]
)
Position = Mapping[str, Any]


class Cell(NamedTuple):
    """A cell of a notebook: its address, the line of the file that it begins on, from 0, and its
    own lines.
    """

    uri: str
    line: int
    lines: list[str]


class Notebooks:
    """The open notebooks, and where their cells are in the files.

    cell 3, line 0, character 8      line 57 of the file, character 9
    """

    def __init__(self) -> None:
        self.cells: dict[str, list[Cell]] = {}
        self.encoding = "utf-16"

    def open(self, server: LanguageServer, uri: str) -> tuple[str, str]:
        """Return the file of a notebook and its text, made of the cells as they are now."""
        notebook = server.workspace.get_notebook_document(notebook_uri=uri)
        path = uris.to_fs_path(uri) or uri
        documents = []
        for cell in notebook.cells if notebook is not None else ():
            document = server.workspace.get_text_document(cell.document)
            kind = "code" if cell.kind == types.NotebookCellKind.Code else "markdown"
            text = document.source
            if document.language_id == "sql" and not text.lstrip().startswith("%"):
                kind = "markdown"

            documents.append((cell.document, kind, text))

        text, self.cells[path] = notebook_text(documents)
        return path, text

    def close(self, uri: str) -> str:
        """Forget a notebook; return its file."""
        path = uris.to_fs_path(uri) or uri
        self.cells.pop(path, None)
        return path

    def place(self, uri: str, position: Position) -> tuple[str, Position]:
        """Return the file of a document, and the position there."""
        for path, cells in self.cells.items():
            for cell in cells:
                if cell.uri == uri:
                    return path, self.in_file(cell, position)

        return uris.to_fs_path(uri) or uri, position

    def cell(self, path: str, span: Position, uri: str) -> tuple[str, Position]:
        """Return the document and range of a range in a file."""
        for cell in self.cells.get(path, ()):
            if cell.line <= span["start"]["line"] < cell.line + len(cell.lines):
                return cell.uri, {end: self.in_cell(cell, span[end]) for end in span}

        return uri, span

    def in_file(self, cell: Cell, position: Position) -> Position:
        """Return the position in the file of one in a cell."""
        line = line_of(cell, position["line"])
        head = line[: characters_in(line, position["character"], self.encoding)]
        character = 1 + units_of(escape(head), self.encoding)
        return {"line": position["line"] + cell.line, "character": character}

    def in_cell(self, cell: Cell, position: Position) -> Position:
        """Return the position in a cell of one in the file."""
        number = position["line"] - cell.line
        line = line_of(cell, number)
        ends = accumulate(units_of(escape(each), self.encoding) for each in line)
        before = sum(1 for end in ends if end < position["character"])
        return {"line": number, "character": units_of(line[:before], self.encoding)}

    def split(
        self, path: str, diagnostics: Iterable[dict[str, Any]], uri: str
    ) -> dict[str, list[dict[str, Any]]]:
        """Return the diagnostics of a file by document; those of a notebook by cell."""
        found: dict[str, list[dict[str, Any]]] = {cell.uri: [] for cell in self.cells.get(path, ())}
        found = found or {uri: []}
        for each in diagnostics:
            home, span = self.cell(path, each["range"], uri)
            found.setdefault(home, []).append({**each, "range": dict(span)})

        return found


def notebook_text(cells: Iterable[tuple[str, str, str]]) -> tuple[str, list[Cell]]:
    """Return the JSON of a notebook, and where each cell begins in it.

    {"cells": [{"cell_type": "code", "source": [
    "df = spark.table('orders')\\n",
    "df.show()"
    ]}, …]}
    """
    lines = ["{", ' "cells": [']
    placed: list[Cell] = []
    several = list(cells)
    for number, (uri, kind, text) in enumerate(several):
        source = text.split("\n")
        lines += ["  {", f'   "cell_type": "{kind}",', '   "source": [']
        placed.append(Cell(uri, len(lines), source))
        last = len(source) - 1
        lines += [
            f'"{escape(line)}\\n",' if at < last else f'"{escape(line)}"'
            for at, line in enumerate(source)
        ]
        lines += ["   ]", f"  }}{',' if number < len(several) - 1 else ''}"]

    lines += [" ],", ' "metadata": {}, "nbformat": 4, "nbformat_minor": 5', "}"]
    return "\n".join(lines), placed


def escape(text: str) -> str:
    """Return a text as a string of JSON has it, without the quotes."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def line_of(cell: Cell, number: int) -> str:
    """Return a line of a cell; '' if there is none."""
    return cell.lines[number].rstrip("\r") if 0 <= number < len(cell.lines) else ""
