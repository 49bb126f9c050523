"""CREATE TABLE and CREATE VIEW: with a query they define lineage, without one a schema."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import chain
from typing import Any

from sqlglot import exp

from lineal.algebra.frame import Slot
from lineal.algebra.relation import project
from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.nodes import list_arg
from lineal.extract.sql.statements.steps import Plan, Shown, Step, Unsupported, listed_columns
from lineal.extract.sql.tables import is_local, is_named, spell_table, target_of
from lineal.extract.sql.words import FAILURES
from lineal.model.extraction import ColumnInfo
from lineal.model.sequences import flatten, present

Created = Plan | list[Step] | type[Unsupported] | None


def create(node: exp.Create, facts: Facts) -> Created:
    """Plan CREATE.

    CREATE TABLE t AS SELECT …, CREATE VIEW v (a, b) AS SELECT …, CREATE TYPE p AS (…)
    """
    kind = str(node.args.get("kind")).upper()
    return KINDS.get(kind, other_object)(node, facts)


def other_object(node: exp.Create, facts: Facts) -> Created:
    """CREATE INDEX i ON t (a), CREATE SEQUENCE s      no data; any other kind is reported"""
    words = set(str(node.args.get("kind")).upper().replace("_", " ").split())
    if words == {"SEQUENCE"}:  # AS INT is its type
        return None

    if node.args.get("expression") is not None or not words & HOLDS_NO_ROWS:
        return Unsupported

    return None


HOLDS_NO_ROWS = frozenset(
    """INDEX SEQUENCE SCHEMA DATABASE NAMESPACE FUNCTION PROCEDURE TRIGGER CONSTRAINT COLUMN KEY ROLE USER TAG
    WAREHOUSE STAGE INTEGRATION FORMAT STREAMLIT SESSION OPERATOR PROTOTYPE POLICY""".split()  # noqa: SIM905
)
"""Kinds of objects that have no columns and move no data."""


def dataset(kind: str, node: exp.Create, facts: Facts) -> Created:
    """Plan CREATE TABLE and CREATE VIEW.

    CREATE TABLE t AS SELECT …, CREATE VIEW v (a, b) AS SELECT …, CREATE TABLE t (a INT)
    """
    table, schema = target_of(node.this)
    if not is_named(table):
        return Unsupported

    name, key = spell_table(table, facts)
    plan = Plan(
        name, key, kind, node=node, temporary=is_temporary(node, name), keeps=bool(node.args.get("exists")),
        replaces=bool(node.args.get("replace")),
    )  # fmt: skip
    clone = node.args.get("clone")
    if clone is not None and isinstance(clone.this, exp.Table):
        plan.query = exp.select("*").from_(clone.this, copy=False)
    elif node.args.get("expression") is not None:
        define_by_query(plan, node, schema, facts)
    else:
        declare_columns(plan, node, schema, facts)

    into = property_of(node, exp.ToTableProperty)
    if into is None or plan.query is None:
        return plan

    return feed_table(plan, into.this, facts)


def property_of(node: exp.Create, kind: type[exp.Expr]) -> exp.Expr | None:
    """Return a property of a statement. The query behind it is not searched: that takes time."""
    properties = node.args.get("properties")
    return properties.find(kind) if properties is not None else None


def define_by_query(plan: Plan, node: exp.Create, schema: exp.Schema | None, facts: Facts) -> None:
    """Define a dataset by its query.

    CREATE VIEW v (a, b) AS WITH … SELECT …      the query, and the names that are listed
    """
    plan.query = node.args["expression"]
    plan.with_ = node.args.get("with_")
    if schema is None:
        return

    plan.columns = listed_columns(schema, facts)
    if facts.declared_beside_query and plan.kind == "table":
        declare_beside(plan, schema, facts)


def declare_columns(plan: Plan, node: exp.Create, schema: exp.Schema | None, facts: Facts) -> None:
    """Declare the columns of a table.

    CREATE TABLE t (a INT) PARTITIONED BY (p STRING), CREATE TABLE t (LIKE s)
    """
    items = schema.expressions if schema is not None else []
    rows = [exp.ColumnDef(this=exp.to_identifier("value"))] if reads_rows(node, items) else []
    plan.schema = declared_columns([*rows, *items, *partition_columns(node, items)], facts)
    plan.like = parents(node, facts)


def reads_rows(node: exp.Create, items: list[Any]) -> bool:
    """CREATE EXTERNAL TABLE t (a INT AS (value:c1::INT))      Snowflake: VALUE is a column, too"""
    if property_of(node, exp.ExternalProperty) is None:
        return False

    columns = chain.from_iterable(item.find_all(exp.Column) for item in items)
    return any(column.name.lower() == "value" for column in columns)


def feed_table(view: Plan, table: Any, facts: Facts) -> list[Step]:
    """Plan a view that writes into a table.

    CREATE MATERIALIZED VIEW v TO t AS SELECT …

    ClickHouse: what is read goes into t by name, and v shows t
    """
    name, key = spell_table(table, facts)
    filled = Plan(
        name, key, "table", query=view.query, with_=view.with_, node=view.node, defines=False
    )
    return [filled, Shown(view.key, key, name)]


def partition_columns(node: exp.Create, listed: list[Any]) -> list[Any]:
    """Return the partition columns of a table.

    CREATE TABLE t (a INT) PARTITIONED BY (p STRING)      Hive, Spark: p is t's last column
    CREATE TABLE t (a INT, p INT) PARTITIONED BY (p)      p is listed already
    """
    parts = node.find(exp.PartitionedByProperty)
    if parts is None or not isinstance(parts.this, exp.Schema):
        return []

    names = {item.name.lower() for item in listed if isinstance(item, exp.ColumnDef)}
    return [part for part in parts.this.expressions if part.name.lower() not in names]


def declare_beside(plan: Plan, schema: exp.Schema, facts: Facts) -> None:
    """Declare columns in addition to those of a query.

    CREATE TABLE t (a INT) AS SELECT b FROM s

    MySQL: t has a and b; a query's a would be this a
    """
    columns, plan.columns = plan.columns, []
    plan.after = lambda frame, e, c: project(
        frame,
        [*(Slot(*named, {}) for named in columns if named[1] not in frame.index), *frame.slots],
    )


def parents(node: exp.Create, facts: Facts) -> tuple[tuple[str, str], ...]:
    """Return the tables whose columns a table takes over.

    LIKE s, INHERITS (s, r), PARTITION OF s      the tables whose columns this one has, too
    """
    found = node.find_all(exp.LikeProperty, exp.InheritsProperty, exp.PartitionedOfProperty)
    tables = flatten(
        each.expressions if isinstance(each, exp.InheritsProperty) else [each.this]
        for each in found
    )
    return tuple(spell_table(table, facts) for table in tables if is_named(table))


def is_temporary(node: exp.Create, name: str) -> bool:
    """Tell whether a dataset is temporary.

    CREATE TEMP TABLE t, CREATE TEMPORARY VIEW v, CREATE VOLATILE TABLE t, CREATE TABLE #t
    """
    properties = node.args.get("properties")
    return is_local(name) or (
        properties is not None and any(map(marks_temporary, properties.expressions))
    )


def marks_temporary(node: exp.Expr) -> bool:
    """Tell whether a property marks a temporary table.

    TEMP, and Teradata's VOLATILE
    """
    return isinstance(node, exp.TemporaryProperty) or (
        isinstance(node, (exp.StabilityProperty, exp.VolatileProperty))
        and node.name.upper() in ("", "VOLATILE")
    )


def cache(node: exp.Cache, facts: Facts) -> Plan | None:
    """Plan CACHE TABLE.

    CACHE TABLE t AS SELECT …      a temporary view
    """
    if node.args.get("expression") is None or not is_named(node.this):
        return None

    name, key = spell_table(node.this, facts)
    return Plan(name, key, "view", query=node.args["expression"], node=node, temporary=True)


def composite(node: exp.Create, facts: Facts) -> Plan | None:
    """Plan CREATE TYPE.

    CREATE TYPE place AS (lat FLOAT, lon FLOAT)      columns without rows; ENUM: nothing
    """
    fields = node.args.get("expression")
    if not isinstance(fields, exp.Schema) or not isinstance(node.this, exp.Table):
        return None

    name, key = spell_table(node.this, facts)
    return Plan(name, key, "type", schema=declared_columns(fields.expressions, facts), node=node)


def declared_columns(items: list[Any], facts: Facts) -> list[ColumnInfo]:
    """Return the declared columns of a table.

    (a INT, b TEXT, PRIMARY KEY (a))      a and b
    """
    declared = [declared_column(item, facts) for item in items]
    return present(declared)


def declared_column(node: exp.Expr, facts: Facts) -> ColumnInfo | None:
    """amount DECIMAL(10, 2) COMMENT 'paid in total'"""
    if isinstance(node, exp.Identifier):
        return ColumnInfo(node.name, "", "", quoted=bool(node.args.get("quoted")))

    if not isinstance(node, exp.ColumnDef):
        return None

    kind = node.args.get("kind")
    kinds = [constraint.args.get("kind") for constraint in list_arg(node, "constraints")]
    comment = next(
        (each.name for each in kinds if isinstance(each, exp.CommentColumnConstraint)), ""
    )
    type_ = kind.sql(dialect=facts.name or None) if kind is not None else ""
    quoted = isinstance(node.this, exp.Identifier) and bool(node.this.args.get("quoted"))
    filled = any(isinstance(each, facts.filled_by_table) for each in kinds)
    return ColumnInfo(node.name, type_, comment, quoted=quoted, filled=filled)


def dictionary(node: exp.Create, facts: Facts) -> Created:
    """CREATE DICTIONARY d (id UInt64, name String) … SOURCE(CLICKHOUSE(TABLE 'codes' WHERE 'id > 0'))

    SOURCE(CLICKHOUSE(QUERY 'SELECT …'))

    ClickHouse: the columns of codes or of the query, by name; of any other source only the columns
    are known
    """
    plan = dataset("table", node, facts)
    source = next(
        (each for each in node.find_all(exp.DictProperty) if each.name.upper() == "SOURCE"), None
    )
    if not isinstance(plan, Plan) or source is None or not plan.schema:
        return plan

    settings = {each.name.upper(): each.args["value"] for each in source.args["settings"] or ()}
    parts = [settings[key].name for key in ("DB", "TABLE") if key in settings]
    if source.args["kind"].upper() != "CLICKHOUSE":
        return plan

    rows: exp.Expr | None = None
    if "TABLE" in settings:
        rows = exp.to_table(".".join(parts), dialect=facts.name or None)
    elif "QUERY" in settings:
        rows = query_of_text(settings["QUERY"].name, facts)

    if rows is None:
        return plan

    columns = [exp.column(exp.to_identifier(each.name, quoted=True)) for each in plan.schema]
    query = exp.select(*columns).from_(rows)
    if "TABLE" in settings and "WHERE" in settings:
        query = query.where(settings["WHERE"].name, dialect=facts.name or None)

    plan.query, plan.schema = query, None
    return plan


def query_of_text(text: str, facts: Facts) -> exp.Subquery | None:
    """A query that a statement has in a string, as a table; None for any other text."""
    try:
        query: Any = exp.maybe_parse(text, dialect=facts.name or None)
    except FAILURES:
        return None

    return query.subquery("source") if isinstance(query, exp.Query) else None


KINDS: dict[str, Callable[[exp.Create, Facts], Created]] = {
    "TABLE": partial(dataset, "table"),
    "VIEW": partial(dataset, "view"),
    "MODEL": partial(dataset, "model"),
    "SINK": partial(dataset, "table"),
    "SOURCE": partial(dataset, "table"),
    "DICTIONARY": dictionary,
    "TYPE": composite,
}
"""The planner of each kind of CREATE; other kinds make no dataset."""

PLANNERS = {exp.Create: create, exp.Cache: cache}
