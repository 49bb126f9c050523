"""A050: a column is passed on as it is, and has no description; its source may have one."""

from __future__ import annotations

from collections.abc import Iterator

from lineal.graph.describe import Inherited, description, inheritance, is_passed_on
from lineal.model.diagnostic import Place, Severity
from lineal.model.edge import Column
from lineal.model.finding import Found
from lineal.rules.rule import Rule, Subject


def find(subject: Subject) -> Iterator[Found]:
    """Yield each copy without a description."""
    texts = inheritance(subject.graph)
    for info in subject.documented:
        for column in info.columns:
            about = Column(info.dataset, column.name)
            heir = texts.get(about)
            lacks = (
                column.inherits and not column.description and is_passed_on(subject.graph, about)
            )
            if lacks and (heir or column.place):
                yield _finding(about, column.place, heir, subject)


def _finding(
    about: Column, declared: Place | None, heir: Inherited | None, subject: Subject
) -> Found:
    """Return the finding of a copied column without a description."""
    edge = subject.sources(about)[0]
    message = f"{about} is a {edge.kind} of {edge.source}, and has no description"
    hint = _hint(about, edge.source, heir, subject)
    place, spots = subject.locate(about, declared, f"{edge.kind} of {edge.source}")
    return Found(message, place, hint, about, heir.source if heir else edge.source, spots)


def _hint(about: Column, source: Column, heir: Inherited | None, subject: Subject) -> str:
    """Return how to describe the column."""
    if heir is not None:
        return f'{heir.source} says "{heir.text}": `lineal describe --write` writes it down.'

    if any(description(subject.graph, edge.source) for edge in subject.sources(about)):
        return "Its sources say different things: describe the column."

    return f"Describe {source}, and `lineal describe --write` passes it on."


RULE = Rule(
    "A050",
    "undescribed-copy",
    Severity.WARNING,
    "A column that is copied or renamed has no description. The description of its source applies to it."
    " Columns that the YAML does not list are reported only if a source can describe them (see SA02).",
    "Describe the column, or run `lineal describe --write` to copy the description of its source.",
    find,
)
