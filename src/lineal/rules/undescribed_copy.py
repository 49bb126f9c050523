"""A050: a column is passed on as it is, and has no description; its source may have one."""

from __future__ import annotations

from collections.abc import Iterator

from lineal.graph.describe import inheritance, is_passed_on
from lineal.model.diagnostic import Severity
from lineal.model.edge import Column
from lineal.model.finding import Found, Spot
from lineal.rules.rule import Rule, Subject


def find(subject: Subject) -> Iterator[Found]:
    graph = subject.graph
    texts = inheritance(graph)
    for info in subject.documented:
        for column in info.columns:
            about = Column(info.dataset, column.name)
            if column.description or not column.inherits or not is_passed_on(graph, about):
                continue
            edge = subject.sources(about)[0]
            made = subject.made_at(about)
            heir = texts.get(about)
            hint = f'{heir.source} says "{heir.text}": `lineal describe --write` writes it down.' if heir else ""
            spots = (Spot(made, f"{edge.kind} of {edge.source}"),) if made and column.place else ()
            message = f"{about} is a {edge.kind} of {edge.source}, and has no description"
            place = column.place or made or info.place
            yield Found(message, place, hint, about, heir.source if heir else edge.source, spots)


RULE = Rule(
    "A050",
    "undescribed-copy",
    Severity.WARNING,
    "A column that is copied or renamed has no description. Where its source has one, that is what it means.",
    "Describe the column, or let `lineal describe --write` take over the description of its source.",
    find,
)
