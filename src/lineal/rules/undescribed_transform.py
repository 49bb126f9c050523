"""A052: a column is computed, and nobody says what it means."""

from __future__ import annotations

from collections.abc import Iterator

from lineal.graph.describe import is_passed_on
from lineal.model.diagnostic import Severity
from lineal.model.edge import Column
from lineal.model.finding import Found, Spot
from lineal.rules.rule import Rule, Subject, keyed


def find(subject: Subject) -> Iterator[Found]:
    for info in subject.documented:
        made = keyed(info.produced or ())
        for key, column in keyed(info.columns).items():
            about = Column(info.dataset, column.name)
            edges = subject.sources(about)
            if column.description or not (edges or key in made):
                continue
            if column.inherits and is_passed_on(subject.graph, about):
                continue
            at = subject.made_at(about)
            spots = (Spot(at, "made here"),) if at and column.place else ()
            sources = ", ".join(dict.fromkeys(str(edge.source) for edge in edges))
            how = f"is made from {sources}" if sources else "is made by the SQL"
            yield Found(
                f"{about} {how}, and has no description", column.place or at or info.place, "", about, None, spots
            )


RULE = Rule(
    "A052",
    "undescribed-transform",
    Severity.WARNING,
    "A column that is computed has no description: no source can lend it one, for it means something new.",
    "Describe the column.",
    find,
)
