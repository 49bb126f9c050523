"""Notebooks: an editor sends their cells, and asks in them as in files."""

from __future__ import annotations

import json
from pathlib import Path

from editor_client import Editor, talk
from lsprotocol import types

from lineal.lsp.notebooks import Notebooks, notebook_text

NOTEBOOK = "totals.ipynb"
CELLS = [
    "orders = spark.table('orders')",
    'paid = orders.filter("status = \'paid\'")\ntotals = paid.groupBy("customer").agg({"amount": "sum"})',
    'spark.sql("""\n  CREATE TABLE totals AS\n  SELECT customer, amount AS paid\n  FROM orders\n""")',
]
TABLE = (
    "CREATE TABLE orders AS SELECT id, customer, cents / 100 AS amount, status FROM raw_orders;\n"
)


class Notebook:
    """A notebook that is open in an editor."""

    def __init__(self, editor: Editor) -> None:
        self.editor = editor
        self.uri = editor.uri(NOTEBOOK)
        self.cells = [
            f"{self.uri.replace('file:', 'vscode-notebook-cell:')}#{n}" for n in (0, 1, 2)
        ]

    def open(self) -> None:
        """Send the notebook with its cells."""
        code = types.NotebookCellKind.Code
        document = types.NotebookDocument(
            self.uri, "jupyter-notebook", 1, [types.NotebookCell(code, each) for each in self.cells]
        )
        texts = [
            types.TextDocumentItem(uri, "python", 1, text)
            for uri, text in zip(self.cells, CELLS, strict=True)
        ]
        self.editor.client.notebook_document_did_open(
            types.DidOpenNotebookDocumentParams(document, texts)
        )

    def edit(self, number: int, text: str) -> None:
        """Send another text of a cell."""
        cell = types.VersionedTextDocumentIdentifier(2, self.cells[number])
        whole = types.TextDocumentContentChangeWholeDocument(text)
        changed = types.NotebookDocumentCellContentChanges(cell, [whole])
        self.editor.client.notebook_document_did_change(
            types.DidChangeNotebookDocumentParams(
                types.VersionedNotebookDocumentIdentifier(2, self.uri),
                types.NotebookDocumentChangeEvent(
                    cells=types.NotebookDocumentCellChanges(text_content=[changed])
                ),
            )
        )

    def position(self, number: int, needle: str, inside: str) -> types.TextDocumentPositionParams:
        """The position of a word of a cell."""
        at = self.editor.at(NOTEBOOK, needle, inside, CELLS[number])
        return types.TextDocumentPositionParams(
            types.TextDocumentIdentifier(self.cells[number]), at
        )

    def unresolved(self, number: int) -> list[types.Diagnostic]:
        """The columns of a cell that are not found."""
        several = self.editor.client.diagnostics.get(self.cells[number], ())
        return [each for each in several if each.code == "unresolved-column"]


def test_hover_definition_and_diagnostics_in_a_cell(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    folder.joinpath("tables.sql").write_text(TABLE)
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": each} for each in CELLS]
    folder.joinpath(NOTEBOOK).write_text(
        json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    )

    async def conversation(editor: Editor) -> None:
        notebook = Notebook(editor)
        notebook.open()
        asked = notebook.position(2, "amount AS", "amount")
        hover = await editor.client.text_document_hover_async(
            types.HoverParams(asked.text_document, asked.position)
        )
        assert hover is not None
        assert isinstance(hover.contents, types.MarkupContent)
        assert "`orders.amount`" in hover.contents.value
        assert hover.range == types.Range(types.Position(2, 19), types.Position(2, 25))

        definition = await editor.client.text_document_definition_async(
            types.DefinitionParams(asked.text_document, asked.position)
        )
        assert editor.shown(definition) == [f"tables.sql:1:{TABLE.index('amount') + 1}"]

        broken = CELLS[2].replace("amount AS", "price AS")
        notebook.edit(2, broken)
        await editor.until(lambda: bool(notebook.unresolved(2)))
        (found,) = notebook.unresolved(2)
        assert "price" in found.message
        assert found.range.start == types.Position(2, 19)
        assert not notebook.unresolved(0)

        notebook.edit(2, CELLS[2])
        await editor.until(lambda: not notebook.unresolved(2))

    talk(folder, conversation)


def test_characters_of_a_cell_are_found_in_its_file_and_back() -> None:
    """A quote, a tab and a letter of two UTF-16 units: the file has 1 + 2 + 2 + 2 before `amount`."""
    notebooks = Notebooks()
    text, cells = notebook_text([("cell:0", "code", 'x = 1\n"\t\U0001f600amount\n')])
    notebooks.cells["/n.ipynb"] = cells
    source = json.loads(text)["cells"][0]["source"]
    assert "".join(source) == 'x = 1\n"\t\U0001f600amount\n'

    path, place = notebooks.place("cell:0", {"line": 1, "character": 4})
    assert path == "/n.ipynb"
    assert text.split("\n")[place["line"]].index("amount") == place["character"] - 1
    span = {"start": place, "end": {**place, "character": place["character"] + 6}}
    assert notebooks.cell(path, span, "") == (
        "cell:0",
        {"start": {"line": 1, "character": 4}, "end": {"line": 1, "character": 10}},
    )
    assert notebooks.place("file:///a.sql", {"line": 3, "character": 2}) == (
        "/a.sql",
        {"line": 3, "character": 2},
    )
