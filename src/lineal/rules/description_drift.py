"""A051: a column is passed on as it is, but its description says something else than its source's."""

from __future__ import annotations

from collections.abc import Iterator

from lineal.graph.describe import MODIFIED, description, description_status
from lineal.model.diagnostic import Severity
from lineal.model.edge import Column
from lineal.model.finding import Found, Spot
from lineal.rules.rule import Rule, Subject

PASSED_ON = ("copy", "rename")


def find(subject: Subject) -> Iterator[Found]:
    graph = subject.graph
    for edge in graph.edges:
        target = edge.target
        if not isinstance(target, Column) or edge.kind not in PASSED_ON:
            continue
        info = graph.info(target)
        if info is None or not info.inherits or description_status(graph, edge) != MODIFIED:
            continue
        said, own = description(graph, edge.source), description(graph, target)
        message = (
            f'{target} says "{own}", but is a {edge.kind} of {edge.source}, which says "{said}"'
        )
        spots = (
            [Spot(edge.place, f"{edge.kind} of {edge.source}")] if edge.place and info.place else []
        )
        if upstream := subject.declared_at(edge.source):
            spots.append(Spot(upstream, f'{edge.source}: "{said}"', own=False))
        yield Found(message, info.place or edge.place, "", target, edge.source, tuple(spots))


RULE = Rule(
    "A051",
    "description-drift",
    Severity.WARNING,
    "A column that is copied or renamed is described in other words than its source: one of the two may be out of date."
    " There is a finding for each source that says something else.",
    "Make the descriptions equal, or say `meta: {lineal: {inherit: false}}` on a column that is meant to differ.",
    find,
)
