"""Reading Python source again: places, texts and calls, looked up only when a view asks."""

from __future__ import annotations

import ast
import re
from typing import Any, NamedTuple

from sqlglot import exp

from lineal.algebra.functions import DATE_PARTS, known
from lineal.algebra.lineage import Trail
from lineal.extract.sql.nodes import meta_of
from lineal.extract.sql.reading import Reading, first_node, offset_of
from lineal.model.boundary import Failures
from lineal.model.diagnostic import Diagnostic, Place
from lineal.model.script import Script
from lineal.model.way import Confidence

PIPELINE = re.compile(r"\bdlt\b|\bpipelines\b|databricks\.declarative")
"""the libraries of Databricks' pipelines, imported"""


class PythonReading(Reading):
    """A Python file, with the SQL texts in it."""

    __slots__ = ("_pipeline", "_split", "cells", "embedded", "parsed")

    level = Confidence.HIGH
    every_place = True

    def __init__(
        self,
        text: str,
        file: str,
        cells: list[int] | None = None,
        embedded: dict[int, tuple[Any, Reading]] | None = None,
        failures: Failures | None = None,
    ) -> None:
        """Read a Python text; places inside a notebook or an embedded SQL text are mapped back."""
        super().__init__(Script(text, "python", file), failures)
        self.cells = cells
        """of a notebook: the line in the file that each line of its code stands for"""
        self.embedded = embedded if embedded is not None else {}
        """the SQL texts of a whole program, by the trees that were made of them"""
        self.parsed: dict[
            tuple[str, str, str, int], tuple[Reading, list[Any], list[Diagnostic]]
        ] = {}
        """the SQL texts of this file that were parsed, by dialect, text and place"""
        self._split: list[str] | None = None
        self._pipeline: bool | None = None

    @property
    def is_pipeline(self) -> bool:
        """Tell whether a file is a declarative pipeline.

        import dlt

        where LIVE.orders is a dataset of the pipeline, and not a table of a schema `live`
        """
        if self._pipeline is None:
            self._pipeline = PIPELINE.search(self.script.text) is not None

        return self._pipeline

    def embed(self, tree: Any, reading: Reading) -> None:
        """Add a SQL text of this file: its trees know their places in it."""
        self.embedded[id(tree)] = (tree, reading)

    def spelling_of(self, name: str) -> str:
        """Return how the text spells a unit.

        F.expr("date_trunc(period, a)")      a unit that no engine knows is a column
        """
        if name.lower() in DATE_PARTS:
            return ""

        return name.lower()

    def place(self, trail: Trail | None) -> Place | None:
        """Return the place of the node that a trail begins with."""
        node = first_node(trail)
        if node is not None:
            return self.place_of(node)

        return None

    def expression(self, trail: Trail | None) -> str:
        """Return the text of the expression that a trail begins with."""
        node = first_node(trail)
        if node is None:
            return ""

        if isinstance(node, ast.AST):
            return self.text_of(node)

        spot = spot_of(node)
        if spot is not None:
            return spot.reading.text_of(spot.node)

        inside = self.around(node)
        offset = offset_of(node)
        if inside is not None and offset is not None:
            return inside.item_around(offset)

        return ""

    def place_of(self, node: Any) -> Place | None:
        """Return the place of a node of Python or of SQL inside a text."""
        if isinstance(node, ast.AST):
            line = getattr(node, "lineno", None)
            if line is None:
                return None

            return self.at(line, node.col_offset)  # type: ignore[attr-defined]

        if node is None:
            return None

        spot = spot_of(node)
        if spot is not None:
            return spot.reading.place_of(spot.node)

        inside = self.around(node)
        if inside is not None:
            return inside.place_of(node)

        return None

    def name_of(self, call: Any) -> str:
        """Return the name of a call as the program writes it.

        F.to_date("x")      to_date, whatever the SQL parser calls it
        """
        meta = call._meta
        spelled = meta.get("function") if meta else None
        if spelled is None:
            return super().name_of(call)

        row = known(spelled)
        if row is not None:
            return row.name

        return str(spelled)

    def manner(self, node: Any, name: str) -> tuple[bool, bool]:
        """Return how a column is named.

        F.sum("a"), df.select(cols)

        whether it stands in an aggregate, and whether a variable holds its name
        """
        if isinstance(node, ast.AST):
            return False, not is_spelled(name, node)

        spot = meta_of(node).get("at") if isinstance(node, exp.Column) else None
        return self.stands_in_aggregate(node), spot is not None and not is_spelled(name, spot.node)

    def place_of_statement(self, tree: Any) -> Place | None:
        """Return the place of a statement."""
        return self.place_of(tree)

    def report_failure(self, error: Exception, trail: Trail | None) -> None:
        """A trail leads to an expression, and not to the write that it belongs to: a file is told
        once.
        """
        if self.failures is None:
            raise error

        self.failures.add(error, self.statement_near(first_node(trail)), id(self))

    def at(self, line: int, column: int) -> Place:
        """Return a place; of a notebook, by its cell."""
        if self.cells is not None and 0 < line <= len(self.cells):
            line = self.cells[line - 1]

        return Place(self.script.file, line, column + 1)

    def around(self, node: Any) -> Reading | None:
        """The SQL text that a node was read from."""
        while node is not None:
            found = self.embedded.get(id(node))
            if found is not None:
                return found[1]

            node = node.parent

        return None

    def text_of(self, node: Any) -> str:
        """Return the text of a node, shortened."""
        if not isinstance(node, ast.AST) or not hasattr(node, "lineno"):
            return ""

        if self._split is None:
            self._split = self.script.text.splitlines()

        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1  # type: ignore[attr-defined]
        lines = self._split[first : last + 1]
        if not lines:
            return ""

        encoded = [line.encode() for line in lines]
        if len(encoded) == 1:
            encoded[0] = encoded[0][node.col_offset : node.end_col_offset]  # type: ignore[attr-defined]
        else:
            encoded[0] = encoded[0][node.col_offset :]  # type: ignore[attr-defined]
            encoded[-1] = encoded[-1][: node.end_col_offset]  # type: ignore[attr-defined]

        text = " ".join(b" ".join(encoded).decode(errors="replace").split())
        if len(text) <= 200:
            return text

        return f"{text[:199]}…"


class Spot(NamedTuple):
    """A Python expression and its file."""

    reading: PythonReading
    node: ast.AST

    def __deepcopy__(self, memo: Any) -> Spot:
        """Return the spot itself: it does not change."""
        return self


def is_spelled(name: str, node: ast.AST) -> bool:
    """Whether an expression spells a column's name; a call inside it speaks for itself."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
    waiting: list[ast.AST] = [node]
    if isinstance(node, ast.Call):
        waiting = [*node.args, *(keyword.value for keyword in node.keywords)]

    while waiting:
        part = waiting.pop()
        if (
            isinstance(part, ast.Constant)
            and isinstance(part.value, str)
            and word.search(part.value)
        ):
            return True

        if isinstance(part, ast.Attribute) and part.attr.lower() == name.lower():
            return True

        if not isinstance(part, ast.Call):
            waiting.extend(ast.iter_child_nodes(part))

    return False


def spot_of(node: Any) -> Spot | None:
    """The Python expression that an expression node was made from; only leaves know, so the first
    that does.
    """
    stack = [node]
    seen = 0

    while stack and seen < 500:
        seen += 1
        here = stack.pop()
        meta = here._meta
        if meta is not None and "at" in meta:
            spot: Spot = meta["at"]
            return spot

        stack.extend(reversed(list(here.iter_expressions())))

    return None
