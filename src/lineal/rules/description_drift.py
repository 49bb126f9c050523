"""A051: a column is passed on as it is, but its description says something else than its source's."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lineal.graph.describe import MODIFIED, description, description_status
from lineal.model.diagnostic import Severity
from lineal.model.edge import Column, Edge
from lineal.model.finding import Found, Spot
from lineal.rules.rule import Rule, Subject

RENAME = "rename"
PASSED_ON = ("copy", RENAME)


def find(subject: Subject) -> Iterator[Found]:
    """Yield each copy whose description differs from that of its source."""
    graph = subject.graph
    for edge in graph.edges:
        target = edge.target
        if not isinstance(target, Column) or edge.kind not in PASSED_ON:
            continue

        info = graph.info(target)
        if info is None or not info.inherits or description_status(graph, edge) != MODIFIED:
            continue

        said, own = description(graph, edge.source), description(graph, target)
        if is_key_pair(edge, said, own):
            continue

        message = (
            f'{target} says "{own}", but is a {edge.kind} of {edge.source}, which says "{said}"'
        )
        spots = (
            [Spot(edge.place, f"{edge.kind} of {edge.source}")] if edge.place and info.place else []
        )
        if upstream := subject.declared_at(edge.source):
            spots.append(Spot(upstream, f'{edge.source}: "{said}"', own=False))

        yield Found(message, info.place or edge.place, "", target, edge.source, tuple(spots))


PRIMARY = re.compile(r"\b(?:primary key|surrogate key|unique (?:id|identifier|key)|pk)\b", re.I)
FOREIGN = re.compile(r"\b(?:foreign key|references?|fk)\b", re.I)
KEY_NAME = re.compile(r"(?:\w+_)?(?:id|key|pk|sk)\Z", re.I)


def is_key_pair(edge: Edge, said: str, own: str) -> bool:
    """Tell whether one column is the key of its table and the other refers to it: customers.id and
    orders.customer_id mean different things, and their descriptions differ for a reason.
    """
    if PRIMARY.search(said) and FOREIGN.search(own):
        return True

    if FOREIGN.search(said) and PRIMARY.search(own):
        return True

    assert isinstance(edge.target, Column), "asked of columns only"
    names = edge.source.name, edge.target.name
    is_rename = edge.kind == RENAME and all(map(KEY_NAME.match, names))
    return is_rename and own_key(edge.source) and not own_key(edge.target)


def own_key(column: Column) -> bool:
    """id, or customer_id of customers, stg_customers and dim_customer"""
    stem = column.name.lower().rpartition("_")[0]
    words = column.dataset.name.lower().replace(".", "_").split("_")
    return not stem or any(word.rstrip("s") == stem.rstrip("s") for word in words)


RULE = Rule(
    "A051",
    "description-drift",
    Severity.WARNING,
    "The description of a copied or renamed column differs from that of its source: one of the two may be out of date."
    " There is a finding for each source with a different description. A key of a table and a column that refers to it"
    " are not compared.",
    "Make the descriptions equal, or set `meta: {lineal: {inherit: false}}` on a column that is meant to differ.",
    find,
)
