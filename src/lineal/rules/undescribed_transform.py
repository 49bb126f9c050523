"""A052: a column is computed, and nobody says what it means."""

from __future__ import annotations

from collections.abc import Iterator

from lineal.graph.describe import is_passed_on
from lineal.model.diagnostic import Place, Severity
from lineal.model.edge import Column
from lineal.model.finding import Found
from lineal.rules.rule import Rule, Subject, key_by_name


def find(subject: Subject) -> Iterator[Found]:
    """Yield each computed column without a description."""
    for info in subject.documented:
        made = key_by_name(info.produced_columns)
        for key, column in key_by_name(info.columns).items():
            about = Column(info.dataset, column.name)
            passed_on = column.inherits and is_passed_on(subject.graph, about)
            if column.place is None or column.description or passed_on:
                continue

            if key in made or subject.sources(about):
                yield _finding(about, column.place, subject)


def _finding(about: Column, declared: Place | None, subject: Subject) -> Found:
    """Return the finding of a computed column without a description."""
    sources = ", ".join(dict.fromkeys(str(edge.source) for edge in subject.sources(about)))
    how = f"is made from {sources}" if sources else "is made by the SQL"
    place, spots = subject.locate(about, declared, "made here")
    return Found(f"{about} {how}, and has no description", place, "", about, None, spots)


RULE = Rule(
    "A052",
    "undescribed-transform",
    Severity.WARNING,
    "A column that is computed has no description: no source can provide one, because its meaning is new."
    " SA02 reports columns that the YAML does not list.",
    "Describe the column.",
    find,
)
