"""S005: WITH x AS (…) in a project that wants every step to be a model."""

from __future__ import annotations

from collections.abc import Iterator

from lineal.model.finding import Found
from lineal.rules.rule import Rule, Subject


def find(subject: Subject) -> Iterator[Found]:
    """Yield each CTE."""
    for construct in subject.constructs():
        if construct.kind == "cte":
            yield Found(
                f"the CTE {construct.name}{_place_phrase(construct.dataset)}", construct.place
            )


def _place_phrase(dataset: str) -> str:
    """Return ` of DATASET`, or nothing for a query without a target."""
    if dataset:
        return f" of {dataset}"

    return ""


RULE = Rule(
    "S005",
    "cte",
    None,
    "A statement has a common table expression. If every step is a model, each step can be documented,"
    " tested and traced.",
    "Turn the CTE into a model.",
    find,
)
