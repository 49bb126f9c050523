"""SELECT … on its own: a dataset named after its file or model."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.statements import Plan


def bare(node: Any, facts: Facts) -> Plan:
    """SELECT a FROM t      the caller gives it a name"""
    into = node.args.get("into")
    if into is not None and isinstance(into.this, exp.Table):
        from lineal.extract.sql.statements import spelled

        name, key = spelled(into.this, facts)
        return Plan(name, key, "table", query=node, node=node)
    return Plan("", "", "query", query=node, node=node)


PLANNERS = {
    exp.Select: bare,
    exp.Union: bare,
    exp.Intersect: bare,
    exp.Except: bare,
    exp.Subquery: bare,
    exp.Values: bare,
    exp.Pivot: bare,
}
