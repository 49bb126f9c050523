"""Selectors: `+dim_customers.customer_id`, `stg_orders.amount+`, `2+m.c`, `m.c+3`, `+m`."""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

ALL = sys.maxsize
"""As many hops as there are."""

_SELECTOR = re.compile(
    r"(?:(?P<hops_up>\d*)(?P<up>\+))?"
    r"(?P<name>[^+\s](?:[^+]*[^+\s])?)"
    r"(?:(?P<down>\+)(?P<hops_down>\d*))?"
)


class Selection(NamedTuple):
    """A dataset or column, and how many hops to follow upstream and downstream from it."""

    name: str
    up: int = 0
    down: int = 0


def parse(text: str) -> Selection | None:
    """The selection that a text asks for; None where it is no selector (one has a plus on either
    side).
    """
    found = _SELECTOR.fullmatch(text)
    if not found or not (found["up"] or found["down"]):
        return None
    return Selection(
        found["name"],
        _hops(found["up"], found["hops_up"]),
        _hops(found["down"], found["hops_down"]),
    )


def _hops(plus: str | None, count: str | None) -> int:
    if not plus:
        return 0
    return int(count) if count else ALL
