"""A061: personal data reaches a column whose declaration does not say so."""

from __future__ import annotations

from collections.abc import Iterator

from lineal.model.diagnostic import Severity
from lineal.model.edge import Column
from lineal.model.finding import Found
from lineal.rules.rule import Rule, Subject


def find(subject: Subject) -> Iterator[Found]:
    """Yield each column that holds personal data and is not declared so."""
    graph, labels = subject.graph, subject.labels
    personal = {label.lower() for label in subject.checks.personal}
    for info in subject.infos:
        for about in graph.columns(info.dataset):
            if not personal.isdisjoint(labels.labels_of(about)) and not labels.is_declared(about):
                brought = [each for each in labels.labels_brought(about) if each.label in personal]
                yield _finding(about, list(map(str, brought)), brought[0].origin, subject)


def _finding(about: Column, ways: list[str], origin: Column, subject: Subject) -> Found:
    """Return the finding of a column that personal data reaches."""
    place, spots = subject.locate(about, subject.declared_at(about), "brought here")
    message = f"{about} holds personal data, but is not declared so: {', '.join(ways)}"
    return Found(message, place, "", about, origin, spots)


RULE = Rule(
    "A061",
    "undeclared-personal-data",
    Severity.WARNING,
    "The values of a column that is declared as personal data reach, unmasked, a column that declares no"
    " classification. `validate: {personal: […]}` in the project file names the labels that count.",
    "Declare the label on the column, or mask its values on the way.",
    find,
)
