"""S006: FROM (SELECT …) x in a project that wants every step to be a model."""

from __future__ import annotations

from collections.abc import Iterator

from lineal.model.finding import Found
from lineal.rules.rule import Rule, Subject


def find(subject: Subject) -> Iterator[Found]:
    """Yield each subquery in FROM."""
    for construct in subject.constructs():
        if construct.kind == "derived table":
            name = f" {construct.name}" if construct.name else ""
            where = f" of {construct.dataset}" if construct.dataset else ""
            yield Found(f"the derived table{name}{where}", construct.place)


RULE = Rule(
    "S006",
    "derived-table",
    None,
    "A query takes the place of a table in FROM or JOIN. If every step is a model, each step can be documented,"
    " tested and traced.",
    "Turn the query into a model.",
    find,
)
