"""Query trees of ClickHouse: reads statements from standard input, and writes what the engine
resolves their names to.

It runs in an environment of its own, which has chdb (tools/clickhouse.sh), and imports nothing of
lineal.
"""

from __future__ import annotations

import json
import sys

from chdb.session import Session

AGGREGATES = "SELECT name FROM system.functions WHERE is_aggregate ORDER BY name"


def trees(session: Session, cases: list[dict[str, object]]) -> list[str | None]:
    """The tree of each statement; None where ClickHouse refuses it."""
    found: list[str | None] = []
    for number, case in enumerate(cases):
        try:
            session.query(f"CREATE DATABASE c{number} ENGINE = Memory")
            session.query(f"USE c{number}")
            for statement in case["tables"]:
                session.query(statement)
            asked = f"EXPLAIN QUERY TREE run_passes = 1 {case['sql']}"
            found.append(session.query(asked, "TSVRaw").data())
        except Exception:
            found.append(None)
    return found


if __name__ == "__main__":
    chdb = Session()
    aggregates = chdb.query(AGGREGATES, "TSVRaw").data().split()
    json.dump({"trees": trees(chdb, json.load(sys.stdin)), "aggregates": aggregates}, sys.stdout)
