"""Example 1 of seed 002 (LineageX): three views in an order in which none can be resolved alone,
and no schema.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import pytest

import lineal
from lineal.model.way import Confidence

INFO = """\
CREATE VIEW info AS
SELECT c.name, c.age, o.oid, w.*
FROM customers c JOIN orders o ON c.cid = o.cid
JOIN webact w ON c.cid = w.wcid;
"""
WEBACT = """\
CREATE VIEW webact AS
SELECT w.wcid, w.wdate, w.wpage, w.wreg
FROM webinfo w
INTERSECT
SELECT w1.cid, w1.date, w1.page, w1.reg
FROM web w1;
"""
WEBINFO = """\
CREATE VIEW webinfo AS
SELECT c.cid AS wcid, w.date AS wdate,
       w.page AS wpage, w.reg AS wreg
FROM customers c JOIN web w ON c.cid = w.cid
WHERE EXTRACT(YEAR from w.date) = 2022;
"""
ORDERS = list(permutations((INFO, WEBACT, WEBINFO)))
IDS = ["-".join(text.split()[2] for text in order) for order in ORDERS]
in_any_order = pytest.mark.parametrize("order", ORDERS, ids=IDS)

CONTRIBUTED = {
    "info.name": {"customers.name"},
    "info.age": {"customers.age"},
    "info.oid": {"orders.oid"},
    "info.wcid": {"webact.wcid"},
    "info.wdate": {"webact.wdate"},
    "info.wpage": {"webact.wpage"},
    "info.wreg": {"webact.wreg"},
    "webact.wcid": {"webinfo.wcid", "web.cid"},
    "webact.wdate": {"webinfo.wdate", "web.date"},
    "webact.wpage": {"webinfo.wpage", "web.page"},
    "webact.wreg": {"webinfo.wreg", "web.reg"},
    "webinfo.wcid": {"customers.cid"},
    "webinfo.wdate": {"web.date"},
    "webinfo.wpage": {"web.page"},
    "webinfo.wreg": {"web.reg"},
}
COMPARED = {f"webinfo.{name}" for name in ("wcid", "wdate", "wpage", "wreg")}
COMPARED |= {f"web.{name}" for name in ("cid", "date", "page", "reg")}
REFERENCED = {
    "info": {"customers.cid", "orders.cid", "webact.wcid"},
    "webact": COMPARED,
    "webinfo": {"customers.cid", "web.cid", "web.date"},
}


def of(order: Sequence[str]) -> lineal.Lineage:
    return lineal.lineage("\n".join(order))


@in_any_order
def test_every_column_of_every_view(order: Sequence[str]) -> None:
    found = of(order)
    listed = {str(column) for column in found.columns if column.dataset.name in REFERENCED}
    assert listed == set(CONTRIBUTED)
    assert [str(diagnostic) for diagnostic in found.diagnostics] == []


@in_any_order
def test_contributed_and_referenced(order: Sequence[str]) -> None:
    contributed: dict[str, set[str]] = {}
    referenced: dict[str, set[str]] = {}
    for edge in of(order).edges:
        side = contributed if edge.field_level else referenced
        side.setdefault(str(edge.target), set()).add(str(edge.source))
        assert edge.level is Confidence.HIGH and not edge.ambiguous
    assert contributed == CONTRIBUTED
    assert referenced == REFERENCED


@in_any_order
def test_a_view_uses_some_columns_in_both_ways(order: Sequence[str]) -> None:
    """Both: the column contributes to the view and is referenced by it."""
    found = of(order)
    both: dict[str, set[str]] = {}
    for edge in found.edges:
        if found.graph.also_selected(edge):
            both.setdefault(str(edge.target), set()).add(str(edge.source))
    assert both == {
        "info": {"webact.wcid"},
        "webact": COMPARED,
        "webinfo": {"customers.cid", "web.date"},
    }


@in_any_order
def test_the_impact_of_web_page(order: Sequence[str]) -> None:
    reached = {str(impact.column): impact.why for impact in of(order).impact("web.page")}
    expected = {column: "referenced" for column in CONTRIBUTED if not column.startswith("webinfo.")}
    expected |= {"webinfo.wpage": "contributed", "webact.wpage": "both", "info.wpage": "both"}
    assert reached == expected


@in_any_order
def test_each_statement_may_be_a_separate_text(order: Sequence[str]) -> None:
    together = {(edge.source, edge.target, edge.kind) for edge in of(order).edges}
    assert {
        (edge.source, edge.target, edge.kind) for edge in lineal.lineage(list(order)).edges
    } == together


def test_the_set_operation_compares_and_the_joins_meet() -> None:
    usages = {
        (str(edge.source), str(edge.target)): {
            (usage.how.value, usage.clause.value) for usage in edge.usages
        }
        for edge in of(ORDERS[0]).edges
        if not edge.field_level
    }
    assert usages["web.page", "webact"] == {("FILTER", "INTERSECT")}
    assert usages["webact.wcid", "info"] == {("JOIN", "JOIN ON")}
    assert usages["web.date", "webinfo"] == {("FILTER", "WHERE")}
