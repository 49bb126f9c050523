"""Names in filters and groupings of the semantic layer.

{{ Dimension('order_id__status') }} = 'paid'
TimeDimension('metric_time', 'day')
Entity('customer')
{{ Metric('orders', group_by=['customer']) }} > 3
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lineal.projects.yaml import Value

TEMPLATE = re.compile(r"\{\{(.*?)\}\}", re.S)
CALL = re.compile(r"\s*(Dimension|TimeDimension|Entity|Metric)\s*\(\s*['\"]([^'\"]+)['\"]")
GRAINS = frozenset(
    [
        "nanosecond",
        "microsecond",
        "millisecond",
        "second",
        "minute",
        "hour",
        "day",
        "week",
        "month",
        "quarter",
        "year",
    ]
)
METRIC_TIME = "metric_time"


class Named(NamedTuple):
    """An element of the semantic layer as a filter or a grouping names it."""

    kind: str
    """Dimension, TimeDimension, Entity or Metric"""
    entities: tuple[str, ...]
    name: str

    def __str__(self) -> str:
        return f"{self.kind}('{'__'.join((*self.entities, self.name))}')"


def named_in(text: str) -> Named | None:
    """Dimension('order_id__status').grain('day'), order_id__status, metric_time__day"""
    call = CALL.match(text)
    kind, whole = (call[1], call[2]) if call is not None else ("", text.strip())
    if call is None and not re.fullmatch(r"\w+", whole):
        return None

    if kind == "Metric":
        return Named(kind, (), whole)

    *before, name = whole.split("__")
    if before and name.lower() in GRAINS:
        *before, name = before

    return Named(kind or "Dimension", tuple(before), name)


def filters_of(about: Value, *keys: str) -> Iterator[Value]:
    """filter: "…", filter: ["…", "…"], and a manifest's {where_filters: [{where_sql_template: "…"}]}"""
    for item in about.items_of(*keys):
        if not item.is_mapping:
            yield item

        for inner in item.items_of("where_filters"):
            yield from inner.items_of("where_sql_template") if inner.is_mapping else [inner]
