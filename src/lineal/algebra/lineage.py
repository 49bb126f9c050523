"""Lineages: where a value comes from, and how influences are composed and united.

Trail    where an influence was met: (node, calls around it, inner trail, doubt)
Lineage  {(origin column, way): trail}; the first trail met stays, a surer one replaces it
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from lineal.algebra.expression import value, when
from lineal.model.edge import Column, Doubt
from lineal.model.way import Confidence, Way, compose

Trail = tuple[Any, Any, Any, Doubt | None]

Lineage = dict[tuple[Column, Way], Trail | None]

NOTHING: Lineage = {}

Expression = Callable[[Way, Lineage], None]
"""An expression in its scope: it adds the influences of its columns, each composed with a way, to
a lineage.
"""


def pour(lineage: Lineage, way: Way, into: Lineage, node: Any = None, calls: Any = None) -> None:
    """Compose every influence with the way of the value, and add it."""
    after = way.after
    for (origin, inner), trail in lineage.items():
        key = (origin, after.get(inner) or compose(way, inner))
        if key not in into:
            into[key] = (node, calls, trail, trail[3] if trail is not None else None)
        elif trail is None or trail[3] is None:
            held = into[key]
            if held is not None and held[3] is not None:
                into[key] = (node, calls, trail, None)


def pour_and_decide(
    lineage: Lineage, outer: Way, into: Lineage, node: Any = None, calls: Any = None
) -> None:
    """COALESCE(a, 0), df.fillna(0)

    The value of a is taken where it is there, and a decides whether it is: TRANSFORMATION and
    CONDITIONAL.
    """
    pour(lineage, value(outer), into, node, calls)
    pour(lineage, when(outer), into, node, calls)


def as_expression(lineage: Lineage, node: Any = None) -> Expression:
    """Turn a lineage into an expression.

    GROUP BY 1, df.groupBy("a")      a value that is found already, as an expression
    """
    return lambda way, into: pour(lineage, way, into, node)


def absorb(lineage: Lineage, into: Lineage) -> None:
    """Add influences as they are: the rows of a subquery keep their own subtype."""
    for key, trail in lineage.items():
        if key not in into or is_surer(trail, into[key]):
            into[key] = trail


def is_surer(trail: Trail | None, held: Trail | None) -> bool:
    """Tell whether a trail is more certain than the one that is held."""
    return held is not None and held[3] is not None and _level(trail) > _level(held)


def _level(trail: Trail | None) -> Confidence:
    """Return the confidence of a trail; HIGH without a trail or a doubt."""
    return trail[3].level if trail is not None and trail[3] is not None else Confidence.HIGH


def add_doubt(lineage: Lineage, doubt: Doubt) -> Lineage:
    """The same influences, less certain."""
    return {key: (None, None, trail, weaker_doubt(trail, doubt)) for key, trail in lineage.items()}


def weaker_doubt(trail: Trail | None, doubt: Doubt) -> Doubt:
    """Return the less certain of a trail's doubt and another doubt."""
    held = trail[3] if trail is not None else None
    return held if held is not None and held.level <= doubt.level else doubt


def unite_lineages(lineages: Iterable[Lineage]) -> Lineage:
    """Return the union of several lineages.

    UNION ALL      every branch gives its influences; one lineage alone is shared, not copied
    """
    total: Lineage | None = None
    owned = False
    for lineage in lineages:
        if total is None:
            total = lineage
        elif lineage is not total and lineage:
            if not owned:
                total, owned = dict(total), True

            absorb(lineage, total)

    return total if total is not None else NOTHING
