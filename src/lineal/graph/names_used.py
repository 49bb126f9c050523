"""Which statements name a column: those break when the column goes. A star, or a row as a whole,
names none.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

from lineal.graph.graph import Graph, whole_column
from lineal.model import names
from lineal.model.consumers import LEAVES
from lineal.model.diagnostic import Place
from lineal.model.edge import Column, Dataset, Edge, Read, Usage
from lineal.model.grouping import group, group_pairs
from lineal.model.statement import Statement
from lineal.model.way import Clause, How

COMPARING_ALL = frozenset((Clause.UNION, Clause.DISTINCT, Clause.NATURAL))
"""The clauses that compare whole rows name no column."""


class Naming(NamedTuple):
    """Where a statement names a column."""

    clause: str
    place: Place | None


class NamesUsed:
    """Who names what, asked column by column."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @cached_property
    def _reads(self) -> dict[tuple[Dataset, str], list[Read]]:
        """Return the reads of each column, by dataset and folded name."""
        return group_pairs(
            ((read.dataset, _fold(read.column)), read)
            for read in self.graph.reads
            if read.column is not None
        )

    @cached_property
    def _read_at(self) -> dict[tuple[Dataset, Dataset, Place], set[str]]:
        """The columns of a dataset that are read at one place: several, where a star stands."""
        found: dict[tuple[Dataset, Dataset, Place], set[str]] = {}
        for read in self.graph.reads:
            if read.column is not None and read.place is not None:
                found.setdefault((read.target, read.dataset, read.place), set()).add(
                    _fold(read.column)
                )

        return found

    def readers(self, column: Column) -> dict[Dataset, Naming | None]:
        """Every dataset whose statement reads the column, with the place where it is named; None
        where it is not.
        """
        edges = group(
            (*self.graph.out_of(column), *self.graph.decided_by(column)), lambda edge: edge.into
        )
        found: dict[Dataset, Naming | None] = {
            into: self._named_by(column, into, edges[into]) for into in edges
        }
        for read in self._reads.get((column.dataset, _fold(column.name)), ()):
            if found.get(read.target) is None:
                own = edges.get(read.target, [])
                if self._names(read, own) or (not own and self._left_out(column, read)):
                    found[read.target] = Naming(read.clause.value, read.place)

        return found

    def _named_by(self, column: Column, into: Dataset, edges: list[Edge]) -> Naming | None:
        """Return where a statement names the column, if it does."""
        for edge in edges:
            for usage in edge.usages:
                if self._says(column.name, edge, usage, into):
                    return Naming(usage.clause.value, usage.place)

        return None

    def _says(self, name: str, edge: Edge, usage: Usage, into: Dataset) -> bool:
        """Tell whether a usage needs the name of the column."""
        if mentions(usage.expression, name):
            return True

        if usage.clause in COMPARING_ALL or (usage.how is How.IDENTITY and edge.kind == "copy"):
            return False

        return not self._of_a_row(edge, usage, into)  # SELECT k, where a CTE calls it so

    def _of_a_row(self, edge: Edge, usage: Usage, into: Dataset) -> bool:
        """to_json(t), SELECT DISTINCT *

        other columns of the same dataset are used at the same place
        """
        place = usage.place
        others = (
            column
            for column in self.graph.columns(edge.source.dataset)
            if column != whole_column(edge.source)
        )
        for other in others:
            for beside in (*self.graph.out_of(other), *self.graph.decided_by(other)):
                if beside.into == into and any(each.place == place for each in beside.usages):
                    return True

        return False

    def _names(self, read: Read, edges: list[Edge]) -> bool:
        """Tell whether a read is that of a name: no other column is read there, and no star stands
        there.
        """
        if read.column is None or read.place is None:
            return False

        at_stars = {
            usage.place for edge in edges for usage in edge.usages if _is_star(usage.expression)
        }
        alone = len(self._read_at[read.target, read.dataset, read.place]) == 1
        return alone and read.place not in at_stars and read.clause not in COMPARING_ALL

    def _left_out(self, column: Column, read: Read) -> bool:
        """SELECT * EXCEPT (a)      a star that names what it does not want"""
        others = (
            other for other in self.graph.columns(column.dataset) if other != whole_column(column)
        )
        edges = (
            edge
            for other in others
            for edge in self.graph.out_of(other)
            if edge.into == read.target
        )
        usages = (usage for edge in edges for usage in edge.usages if usage.place == read.place)
        return any(mentions(usage.expression, column.name) for usage in usages)

    def by_position(self, target: Column) -> bool:
        """SELECT * FROM a UNION ALL SELECT * FROM b

        whether a column that goes shifts the others
        """
        return self._is_inserted(target.dataset) or any(
            map(self._has_branches, self.graph.columns(target.dataset))
        )

    def _has_branches(self, column: Column) -> bool:
        """Whether a column is several others, each as it is: only a set operation makes one so."""
        taken = (
            edge
            for edge in self.graph.into(column)
            if any(usage.how is How.IDENTITY for usage in edge.usages)
        )
        return len({edge.source for edge in taken}) > 1

    def _is_inserted(self, dataset: Dataset) -> bool:
        """Whether a dataset is filled by INSERT … SELECT, and by nothing that could follow a change
        of columns.
        """
        return {statement.kind for statement in self._statements.get(dataset, ())} == {"insert"}

    @cached_property
    def _statements(self) -> dict[Dataset, list[Statement]]:
        """Return the statements that write each dataset."""
        return group(self.graph.extraction.statements, lambda statement: statement.target)

    @cached_property
    def leaves(self) -> list[Read]:
        """The reads of tests and exposures, which lie behind everything else."""
        return [read for read in self.graph.reads if self.graph.kind(read.target) in LEAVES]


def mentions(text: str, name: str) -> bool:
    """Tell whether a text has a name as a word of its own."""
    return (
        bool(name)
        and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None
    )


def _is_star(expression: str) -> bool:
    """Tell whether an expression is `*` or `t.*`."""
    return re.match(r"[^\s()]*\*(?!\s*[\w(])", expression) is not None


def _fold(name: str) -> str:
    """Return a name in the form in which names are compared."""
    return names.insensitive(name, False)
