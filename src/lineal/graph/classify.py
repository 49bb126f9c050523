"""Classification: labels travel with the values, until something masks them.

raw_customers.email   declared pii
stg_customers.email   pii ← raw_customers.email
dim_customers.mail    pii ← raw_customers.email via stg_customers.email
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from lineal.graph.graph import Graph, whole_column
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.edge import Column, Edge

Labels = frozenset[str]
NONE: Labels = frozenset()


class Brought(NamedTuple):
    """A label that a column has from somewhere else, and the shortest way that it came."""

    label: str
    path: tuple[Column, ...]
    """From the column that declares the label to the column that has it."""

    @property
    def origin(self) -> Column:
        """Return the declared column that the label comes from."""
        return self.path[0]

    def __str__(self) -> str:
        """pii ← raw_customers.email via stg_customers.email"""
        via = ", ".join(map(str, self.path[1:-1]))
        if via:
            return f"{self.label} ← {self.origin} via {via}"

        return f"{self.label} ← {self.origin}"


class Conflict(NamedTuple):
    """A column declares other labels than its unmasked sources bring along."""

    column: Column
    declared: Labels
    brought: dict[str, Column]

    def __str__(self) -> str:
        bringers = ", ".join(
            f"{source} brings {label}" for label, source in sorted(self.brought.items())
        )
        return f"{self.column} declares {', '.join(sorted(self.declared))}, but {bringers}"


class Classification:
    """Each column's effective labels: the declared ones, else the union of what its unmasked
    sources have.
    """

    def __init__(self, graph: Graph, also: Mapping[Column, Labels] | None = None) -> None:
        """`also` has labels that count in addition to those that the graph declares."""
        self._graph = graph
        self._declared = declared_labels(graph)
        for column, labels in (also or {}).items():
            if column.dataset in graph.infos:
                self._declared[column] = self._declared.get(column, NONE) | labels

        self._effective: dict[Column, set[str]] = {}
        self._before: dict[tuple[Column, str], Column] = {}
        self._spread()

    def labels_of(self, column: Column) -> tuple[str, ...]:
        """The effective labels of a column, in order; a field has its own, else those of its
        column.
        """
        return tuple(sorted(self._labels(column)))

    def is_declared(self, column: Column) -> bool:
        """Tell whether a project declares labels for the column."""
        return _dotted_column(column) in self._declared or whole_column(column) in self._declared

    def labels_brought(self, column: Column) -> list[Brought]:
        """The labels that a column has from somewhere else, each with its way; none where it
        declares its own.
        """
        if self.is_declared(column):
            return []

        return [
            Brought(label, self._path(whole_column(column), label))
            for label in self.labels_of(column)
        ]

    def columns(self, label: str) -> list[Column]:
        """Every column that has a label, declared or brought."""
        declared = (column for column, labels in self._declared.items() if label in labels)
        brought = (column for column, labels in self._effective.items() if label in labels)
        return [*declared, *brought]

    @property
    def known(self) -> list[str]:
        """Every label that somebody declares."""
        return sorted(set(chain.from_iterable(self._declared.values())))

    def passes_on(self, edge: Edge, label: str) -> bool:
        """Whether an edge carries a label into the column that it leads to, and the column takes
        it.
        """
        target = edge.target
        if (
            not isinstance(target, Column)
            or not carries(edge)
            or label not in self._labels(edge.source)
        ):
            return False

        return label in self._labels(target)

    def clashes(self) -> Iterator[Conflict]:
        """Columns that declare less than their unmasked sources bring along."""
        for column, declared in self._declared.items():
            brought: dict[str, Column] = {}
            for edge in self._graph.into(column):
                if carries(edge):
                    for label in sorted(self._labels(edge.source) - declared):
                        brought.setdefault(label, edge.source)

            if brought:
                yield Conflict(column, declared, brought)

    def conflicts(self) -> list[Diagnostic]:
        """The same as diagnostics, where the column is declared."""
        return [
            Diagnostic(Code.CLASSIFICATION_CONFLICT, str(found), info.place if info else None)
            for found in self.clashes()
            for info in [self._graph.info(found.column)]
        ]

    def _labels(self, column: Column) -> Labels:
        """Return the declared labels of a column, or those that reach it."""
        declared = self._declared.get(_dotted_column(column)) or self._declared.get(
            whole_column(column)
        )
        if declared is not None:
            return declared

        return frozenset(self._effective.get(whole_column(column), NONE))

    def _path(self, column: Column, label: str) -> tuple[Column, ...]:
        """Return the columns from the declared one to this one."""
        steps = [column]
        while not self.is_declared(steps[-1]):
            steps.append(self._before[whole_column(steps[-1]), label])

        return tuple(reversed(steps))

    def _spread(self) -> None:
        """Breadth first, so that each label comes by its shortest way; a label only ever adds, so
        circles end.
        """
        carriers = self._carriers()
        border = [
            (column, label) for column, labels in self._declared.items() for label in sorted(labels)
        ]
        while border:
            ahead: list[tuple[Column, str]] = []
            for column, label in border:
                for source, target in carriers.get(column, ()):
                    ahead += self._take(target, label, source)

            border = ahead

    def _carriers(self) -> dict[Column, list[tuple[Column, Column]]]:
        """Column, or field with labels of its own → the pairs of columns along which its labels go
        on.
        """
        carriers: dict[Column, list[tuple[Column, Column]]] = {}
        for edge in self._graph.extraction.edges:
            if isinstance(edge.target, Column) and carries(edge):
                named = _dotted_column(edge.source)
                holder = named if named in self._declared else whole_column(edge.source)
                carriers.setdefault(holder, []).append((edge.source, whole_column(edge.target)))

        return carriers

    def _take(self, target: Column, label: str, source: Column) -> Iterator[tuple[Column, str]]:
        """Give a column a label from a source, and yield both if that is new."""
        if target in self._declared or label in self._effective.get(target, NONE):
            return

        self._effective.setdefault(target, set()).add(label)
        self._before[target, label] = source
        yield target, label


def carries(edge: Edge) -> bool:
    """Tell whether the source's values, unmasked, are among the target's."""
    return any(usage.way.direct and not usage.way.masked for usage in edge.usages)


def _dotted_column(column: Column) -> Column:
    """A field as it may be declared: by its dotted path."""
    if column.path:
        return Column(column.dataset, ".".join((column.name, *column.path)))

    return column


def declared_labels(graph: Graph) -> dict[Column, Labels]:
    """Return the labels that the project declares for each column."""
    return {
        Column(dataset, info.name): frozenset(info.classification)
        for dataset, known in graph.infos.items()
        for info in known.columns
        if info.classification
    }
