"""Classification: labels travel with the values, until something masks them."""

from __future__ import annotations

from lineal.graph.graph import Graph, whole
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.edge import Column, Edge

Labels = frozenset[str]
NONE: Labels = frozenset()


class Classification:
    """Each column's effective labels: the declared ones, else the union of what its unmasked sources have."""

    def __init__(self, graph: Graph) -> None:
        self._declared = _declared(graph)
        self._carriers = _carriers(graph)
        self._effective = self._spread()
        self._graph = graph

    def of(self, column: Column) -> tuple[str, ...]:
        """The effective labels of a column, in order; a field has its own, else those of its column."""
        return tuple(sorted(self._labels(column)))

    def _labels(self, column: Column) -> Labels:
        if column.path:
            named = Column(column.dataset, ".".join((column.name, *column.path)))
            if named in self._declared:
                return self._declared[named]
        return self._effective.get(whole(column), NONE)

    def _spread(self) -> dict[Column, Labels]:
        """The least fixpoint: a label only ever adds, so circles end."""
        self._effective = effective = dict(self._declared)
        queue = dict.fromkeys(self._carriers)
        while queue:
            column, _ = queue.popitem()
            for edge in self._carriers.get(column, ()):
                target = edge.target
                assert isinstance(target, Column)
                target = whole(target)
                if target in self._declared:
                    continue
                brought = self._labels(edge.source) | effective.get(target, NONE)
                if brought != effective.get(target, NONE):
                    effective[target] = brought
                    queue[target] = None
        return effective

    def conflicts(self) -> list[Diagnostic]:
        """Columns that declare less than their unmasked sources bring along."""
        found = []
        for column, declared in self._declared.items():
            brought: dict[str, Column] = {}
            for edge in self._graph.into(column):
                if carries(edge):
                    for label in sorted(self._labels(edge.source) - declared):
                        brought.setdefault(label, edge.source)
            if brought:
                found.append(self._conflict(column, declared, brought))
        return found

    def _conflict(self, column: Column, declared: Labels, brought: dict[str, Column]) -> Diagnostic:
        bringers = ", ".join(f"{source} brings {label}" for label, source in sorted(brought.items()))
        message = f"{column} declares {', '.join(sorted(declared))}, but {bringers}"
        info = self._graph.info(column)
        return Diagnostic(Code.CLASSIFICATION_CONFLICT, message, info.place if info else None)


def carries(edge: Edge) -> bool:
    """Whether the source's values, unmasked, are among the target's."""
    return any(usage.way.direct and not usage.way.masked for usage in edge.usages)


def _declared(graph: Graph) -> dict[Column, Labels]:
    return {
        Column(dataset, info.name): frozenset(info.classification)
        for dataset, known in graph.infos.items()
        for info in known.columns
        if info.classification
    }


def _carriers(graph: Graph) -> dict[Column, list[Edge]]:
    """Source column → the edges that carry its labels on."""
    carriers: dict[Column, list[Edge]] = {}
    for edge in graph.extraction.edges:
        if edge.field_level and carries(edge):
            carriers.setdefault(whole(edge.source), []).append(edge)
    return carriers
