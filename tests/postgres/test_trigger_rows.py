"""Rows of triggers and records: where each value arrives on a server is where lineal says that it
goes.
"""

from __future__ import annotations

from typing import Any

import pytest

import lineal
from lineal.model.diagnostic import Severity

TABLES = """\
CREATE TABLE t (a int, b text, c int);
CREATE TABLE wide (x int, y text, z int);
CREATE TABLE audit (op text, x int, y text, z int, at timestamp);
CREATE TABLE pair (x1 int, y1 text, z1 int, x2 int, y2 text, z2 int);
CREATE TABLE few (y text, x int);
CREATE TABLE heir (d int) INHERITS (t);
CREATE TABLE same (LIKE t);
"""
FUNCTION = """\
CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$
{declared}
BEGIN
    {body}
    RETURN NEW;
END $$;
"""
TRIGGER = "CREATE TRIGGER g AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION f();\n"
INSERT = "INSERT INTO t VALUES (101, 'b102', 103)"
VALUES = {101: "t.a", "b102": "t.b", 103: "t.c"}
"""What each value of the row stands in."""

BODIES = {
    "values": "INSERT INTO wide VALUES (NEW.*);",
    "select": "INSERT INTO wide SELECT NEW.*;",
    "parentheses": "INSERT INTO wide SELECT (NEW).*;",
    "values in parentheses": "INSERT INTO wide VALUES ((NEW).*);",
    "between values": "INSERT INTO audit VALUES (TG_OP, NEW.*, now());",
    "between columns": "INSERT INTO audit SELECT 'I', NEW.*, current_timestamp;",
    "a column list": "INSERT INTO wide (z, y, x) VALUES (NEW.c, NEW.b, NEW.a);",
    "a star into a column list": "INSERT INTO audit (x, y, z) VALUES (NEW.*);",
    "two rows": "INSERT INTO wide VALUES (NEW.*), (NEW.*);",
    "twice": "INSERT INTO pair SELECT NEW.*, NEW.*;",
    "by fields": "INSERT INTO few VALUES (NEW.b, NEW.a);",
    "a table like it": "INSERT INTO same VALUES (NEW.*);",
    "an heir": "INSERT INTO heir VALUES (NEW.*, 1);",
    "a record": "r := NEW; INSERT INTO wide VALUES (r.*);",
    "a record of a query": "SELECT c, b, a INTO r FROM t LIMIT 1; INSERT INTO wide SELECT r.a, r.b, r.c;",
    "a row by position": "SELECT a, b, c INTO w FROM t LIMIT 1; INSERT INTO few VALUES (w.y, w.x);",
    "a row's fields": "w.y := NEW.b; w.x := NEW.a; INSERT INTO wide VALUES (w.*);",
    "a row of NEW": "w := NEW; INSERT INTO wide VALUES (w.*);",
    "into fields": "SELECT a, b INTO w.x, w.y FROM t LIMIT 1; INSERT INTO wide SELECT w.*;",
    "a row without ROW": "w := (NEW.a, NEW.b, NEW.c); INSERT INTO few VALUES (w.y, w.x);",
    "a row from fields": "w := ROW(NEW.a, NEW.b, NEW.c); INSERT INTO few VALUES (w.y, w.x);",
    "a loop": "FOR k IN SELECT * FROM t LOOP INSERT INTO wide VALUES (k.*); END LOOP;",
    "a loop over a row": "FOR w IN SELECT a, b, c FROM t LOOP INSERT INTO few VALUES (w.y, w.x); END LOOP;",
    "a cursor": "OPEN cur; FETCH cur INTO w; INSERT INTO wide VALUES (w.*); CLOSE cur;",
    "returning": "INSERT INTO wide VALUES (NEW.*) RETURNING * INTO w; INSERT INTO pair VALUES (w.*, NEW.*);",
    "dynamic": "EXECUTE 'INSERT INTO wide VALUES ($1.*)' USING NEW;",
    "dynamic in parentheses": "EXECUTE 'INSERT INTO wide SELECT ($1).*' USING NEW;",
    "dynamic fields": "EXECUTE 'INSERT INTO few VALUES ($2, $1)' USING NEW.a, NEW.b;",
    "a subquery": "INSERT INTO wide SELECT s.* FROM (SELECT NEW.*) AS s;",
    "a CTE": "WITH s AS (SELECT NEW.*) INSERT INTO wide SELECT * FROM s;",
    "a join": "INSERT INTO wide SELECT NEW.a, s.b, s.c FROM t AS s WHERE s.a = NEW.a;",
    "VALUES in FROM": "INSERT INTO few SELECT v.column2, v.column1 FROM (VALUES (NEW.*)) AS v;",
    "VALUES with names": "INSERT INTO few SELECT v.q, v.p FROM (VALUES (NEW.*)) AS v (p, q, r);",
    "branches": "IF NEW.a > 1 THEN INSERT INTO wide VALUES (NEW.*); ELSE INSERT INTO few VALUES (NEW.b); END IF;",
    "a block": "DECLARE k t%ROWTYPE := NEW; BEGIN INSERT INTO wide VALUES (k.*); END;",
    "an upsert": "INSERT INTO wide VALUES (NEW.*) ON CONFLICT DO NOTHING;",
    "an update": "INSERT INTO few VALUES ('', 0); UPDATE few SET (y, x) = (SELECT NEW.b, NEW.a);",
    "a type by name": "k := NEW; INSERT INTO wide SELECT k.*;",
}
DECLARED = "DECLARE r record; w wide%ROWTYPE; k t; cur CURSOR FOR SELECT a, b, c FROM t;"
NEVER = {"branches": {"few"}}
"""Targets that a run does not write: lineal counts every branch."""


def arrived(database: Any) -> set[tuple[str, str]]:
    """Where each value of the row is found after the trigger has fired."""
    found = set()
    for table in ("wide", "audit", "pair", "few", "heir", "same"):
        for row in database.execute(f"SELECT * FROM ONLY {table}").fetchall():
            columns = [
                column.name
                for column in database.execute(f"SELECT * FROM {table} LIMIT 0").description
            ]
            named = zip(columns, row, strict=True)
            found |= {
                (VALUES[value], f"{table}.{column}") for column, value in named if value in VALUES
            }
    return found


@pytest.mark.parametrize("name", BODIES)
def test_values_arrive_where_lineal_says(database: Any, name: str) -> None:
    text = TABLES + FUNCTION.format(declared=DECLARED, body=BODIES[name]) + TRIGGER
    database.execute(
        "DROP SCHEMA IF EXISTS rows_of_triggers CASCADE; CREATE SCHEMA rows_of_triggers"
    )
    database.execute("SET search_path TO rows_of_triggers")
    database.execute(text)
    database.execute(INSERT)
    found = lineal.lineage(text, dialect="postgres")
    assert [str(each) for each in found.diagnostics if each.severity > Severity.INFO] == []
    copies = {
        (str(edge.source), str(edge.target))
        for edge in found.edges
        if edge.field_level and any(usage.how.value == "IDENTITY" for usage in edge.usages)
    }
    ran = {edge for edge in copies if edge[1].partition(".")[0] not in NEVER.get(name, ())}
    ran |= {(source, target) for source, middle in ran for other, target in ran if other == middle}
    assert {(source, target) for source, target in ran if source.startswith("t.")} == arrived(
        database
    )
