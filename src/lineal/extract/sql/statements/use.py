"""USE and SET search_path: what a name without a schema means from here on."""

from __future__ import annotations

import re

from sqlglot import exp

from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.statements.steps import Using
from lineal.model.late_pattern import late_pattern

FIRST_SCHEMA = {"tsql": "dbo", "fabric": "dbo", "snowflake": "public", "redshift": "public"}

PATHS = late_pattern(
    r"^\s*(?:SESSION\s+|LOCAL\s+)?(?:search_path|schema)\s*(?:=|\bTO\b|\s)\s*(.+)$", re.IGNORECASE
)
SESSION = late_pattern(r"^\s*SESSION\s+SET\s+CURRENT_SCHEMA\s*=\s*(.+)$", re.IGNORECASE)


def plan_use(node: exp.Use, facts: Facts) -> Using | None:
    """Plan USE.

    USE db, USE SCHEMA a.b, USE CATALOG c
    """
    table = node.args.get("this")
    if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
        return None

    kind = str(node.args.get("kind") or "").upper()
    name, above = table.name, table.db or None
    if name.upper() == "NAMESPACE" and table.alias:
        kind, name = "SCHEMA", table.alias

    if kind == "CATALOG" or (
        kind in ("", "DATABASE") and facts.databases_hold_schemas and above is None
    ):
        first = FIRST_SCHEMA.get(facts.name)
        return Using(name, (first,) if first else ())

    if kind in ("", "DATABASE", "SCHEMA"):
        return Using(above, (name,))

    return None


def set_(node: exp.Set, facts: Facts) -> Using | None:
    """Plan SET search_path.

    SET search_path TO a      one schema; the parser leaves longer paths as words
    """
    for item in node.expressions:
        pair = item.this
        if isinstance(pair, exp.EQ) and pair.this.name.lower() in ("search_path", "schema"):
            return path_of(pair.expression.name)

    return None


def set_path(text: str, facts: Facts) -> Using | None:
    """Return the schemas that SET names.

    SET search_path TO a, b; SET SCHEMA 'a'
    """
    found = PATHS.match(text)
    if found:
        return path_of(found[1])

    return None


def alter_session(text: str, facts: Facts) -> Using | None:
    """Return the schema that ALTER SESSION sets.

    ALTER SESSION SET CURRENT_SCHEMA = a
    """
    found = SESSION.match(text)
    if found:
        return path_of(found[1])

    return None


def path_of(text: str) -> Using:
    """Return the schemas of a search path."""
    names = [name.strip().strip("\"'`") for name in text.split(",")]
    return Using(None, tuple(name for name in names if name and name != "$user"))


PLANNERS = {exp.Use: plan_use, exp.Set: set_}
