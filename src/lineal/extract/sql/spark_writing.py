"""Trees of other dialects in Spark's SQL: what means something else there is said in other words.

    duckdb      a / b                              TRY_DIVIDE(CAST(a AS DOUBLE), b)      no error for b = 0
    postgres    a / b, of whole numbers            a DIV b
    postgres    extract(dow from a)                DAYOFWEEK(a) - 1                      Sunday is 0
    snowflake   datediff(month, a, b)              the months that begin between a and b, not those that have passed
    postgres    a - b, of dates                    DATEDIFF(a, b)                        days, no interval

sqlglot's generator does the rest; what it says that it cannot do exactly is kept as notes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel

from lineal.extract.sql.annotation import ColumnsOf, annotate

POSTGRES = frozenset(("postgres", "redshift", "duckdb", "materialize", "risingwave"))
COUNTS_FROM_SUNDAY = POSTGRES | {"snowflake"}
"""Dialects in which Sunday is the day 0 of the week; in Spark it is 1."""

DIVIDES_BY_ZERO = frozenset(("duckdb", "mysql", "sqlite", "doris", "starrocks", "singlestore", "clickhouse"))
"""Dialects in which a / 0 is null, or no number, and no error."""

ROUNDS = POSTGRES | {"snowflake", "bigquery", "trino", "presto", "athena", "mysql", "oracle", "exasol", "teradata"}
"""Dialects in which a cast to a whole number rounds; Spark cuts off."""

COUNTS_BEGUN = frozenset(("snowflake", "redshift", "duckdb", "bigquery", "tsql", "fabric"))
"""Dialects whose date difference counts the units that begin in between; Spark counts those that have passed."""

DECIMALS = {
    "bigquery": (38, 9),
    "duckdb": (18, 3),
    "materialize": (38, 12),
    "postgres": (38, 12),
    "redshift": (18, 0),
    "risingwave": (38, 12),
    "snowflake": (38, 0),
    "trino": (38, 0),
}
"""The precision and scale of a decimal that names none; PostgreSQL's has no limit."""

RENAMED = {
    "ARBITRARY": "ANY_VALUE",
    "ARRAY_CAT": "CONCAT",
    "LIST_CONCAT": "CONCAT",
    "PRINTF": "FORMAT_STRING",
    "STRLEN": "OCTET_LENGTH",
}
"""Functions that Spark has under another name."""

INTEGERS = exp.DataType.INTEGER_TYPES
FRACTIONS = {*exp.DataType.REAL_TYPES, exp.DType.DECIMAL}
SECONDS = {"HOUR": 3600, "MINUTE": 60, "SECOND": 1}


class Written(NamedTuple):
    """A statement in Spark's SQL, and what it does not say exactly."""

    sql: str
    notes: tuple[str, ...]


def write(tree: Any, dialect: str, columns_of: ColumnsOf) -> Written:
    """The statement in Spark's SQL."""
    annotate(tree, dialect, columns_of)
    tree = tree.transform(lambda node: reworded(node, dialect), copy=False)
    generator = Dialect.get_or_raise("spark").generator(pretty=True, unsupported_level=ErrorLevel.IGNORE)
    sql = generator.generate(tree, copy=False)
    return Written(sql, tuple(dict.fromkeys(generator.unsupported_messages)))


def reworded(node: Any, dialect: str) -> Any:
    """A node as it is, or in the words that mean the same in Spark."""
    rewrite = REWRITES.get(type(node))
    return rewrite(node, dialect) if rewrite is not None else node


def call(name: str, *arguments: Any) -> exp.Anonymous:
    return exp.Anonymous(this=name, expressions=list(arguments))


def is_a(node: Any, kinds: Any) -> bool:
    return node.type is not None and node.type.this in kinds


# -- numbers ---------------------------------------------------------------------------------------


def division(node: exp.Div, dialect: str) -> Any:
    """a / b"""
    if dialect not in DIVIDES_BY_ZERO:
        return node
    left, right = node.this, node.expression
    if dialect == "duckdb" and not is_a(left, (exp.DType.DOUBLE, exp.DType.FLOAT)):
        left = exp.cast(left.unnest() if isinstance(left, exp.Paren) else left, "double")
    return call("TRY_DIVIDE", left, right)


def cast(node: exp.Cast, dialect: str) -> Any:
    """CAST(a AS INT), of a fraction; CAST(a AS DECIMAL)"""
    kind = node.to
    if kind.this == exp.DType.DECIMAL and not kind.expressions and dialect in DECIMALS:
        precision, scale = DECIMALS[dialect]
        node.set("to", exp.DataType.build(f"decimal({precision}, {scale})"))
    elif kind.this in INTEGERS and dialect in ROUNDS and is_a(node.this, FRACTIONS):
        node.set("this", call("ROUND", node.this))
    return node


# -- times -----------------------------------------------------------------------------------------


def extract(node: exp.Extract, dialect: str) -> Any:
    """EXTRACT(dow FROM a)"""
    return part_of(node.name or node.this.name, node.expression, dialect) or node


def part_of(unit: str, value: Any, dialect: str) -> Any:
    """A part of a time, where it is counted otherwise than in Spark."""
    unit = unit.upper()
    if unit in ("DOW", "DAYOFWEEK", "WEEKDAY") and dialect in COUNTS_FROM_SUNDAY:
        return exp.paren(exp.Sub(this=call("DAYOFWEEK", value), expression=exp.Literal.number(1)), copy=False)
    if unit in ("ISODOW", "DAYOFWEEKISO", "DAYOFWEEK_ISO"):
        return exp.paren(exp.Add(this=call("WEEKDAY", value), expression=exp.Literal.number(1)), copy=False)
    if unit in ("EPOCH", "EPOCH_SECOND"):
        return call("UNIX_TIMESTAMP", value)
    return None


def anonymous(node: exp.Anonymous, dialect: str) -> Any:
    """DATE_PART('dow', a), ARBITRARY(a)"""
    name = node.name.upper()
    if name == "DATE_PART" and len(node.expressions) == 2 and node.expressions[0].is_string:
        return part_of(node.expressions[0].name, node.expressions[1], dialect) or node
    if name in RENAMED:
        node.set("this", RENAMED[name])
    return node


def day_of_week(node: exp.DayOfWeek, dialect: str) -> Any:
    """DAYOFWEEK(a)"""
    return part_of("DOW", node.this, dialect) or node


def day_of_week_iso(node: exp.DayOfWeekIso, dialect: str) -> Any:
    """ISODOW(a)"""
    return part_of("ISODOW", node.this, dialect)


def difference(node: Any, dialect: str) -> Any:
    """DATEDIFF(month, a, b)"""
    unit = node.args.get("unit")
    if dialect not in COUNTS_BEGUN or unit is None:
        return node
    return begun(str(unit.name).upper(), node.expression, node.this) or node


def begun(unit: str, first: Any, last: Any) -> Any:
    """How many units begin between two times."""
    if unit == "DAY":
        return call("DATEDIFF", last, first)
    if unit in SECONDS:
        parts = [call("UNIX_TIMESTAMP", call("DATE_TRUNC", exp.Literal.string(unit), each)) for each in (last, first)]
        seconds = exp.paren(exp.Sub(this=parts[0], expression=parts[1]), copy=False)
        return exp.IntDiv(this=seconds, expression=exp.Literal.number(SECONDS[unit])) if unit != "SECOND" else seconds
    if unit == "WEEK":
        monday = [call("DATE_TRUNC", exp.Literal.string("WEEK"), each) for each in (last, first)]
        return exp.IntDiv(this=call("DATEDIFF", *monday), expression=exp.Literal.number(7))
    years = exp.Sub(this=call("YEAR", last), expression=call("YEAR", first))
    if unit == "YEAR":
        return exp.paren(years, copy=False)
    inside = {"QUARTER": ("QUARTER", 4), "MONTH": ("MONTH", 12)}.get(unit)
    if inside is None:
        return None
    name, times = inside
    whole = exp.Mul(this=exp.paren(years, copy=False), expression=exp.Literal.number(times))
    rest = exp.Sub(this=call(name, last.copy()), expression=call(name, first.copy()))
    return exp.paren(exp.Add(this=whole, expression=exp.paren(rest, copy=False)), copy=False)


def subtraction(node: exp.Sub, dialect: str) -> Any:
    """a - b, of dates"""
    dates = (exp.DType.DATE, exp.DType.DATE32)
    if dialect in POSTGRES and is_a(node.this, dates) and is_a(node.expression, dates):
        return call("DATEDIFF", node.this, node.expression)
    return node


# -- others ----------------------------------------------------------------------------------------


def within_group(node: exp.WithinGroup, dialect: str) -> Any:
    """PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY a)      Spark has it, and exactly"""
    names = {exp.PercentileCont: "PERCENTILE_CONT", exp.PercentileDisc: "PERCENTILE_DISC"}
    name = names.get(type(node.this))
    if name is not None:
        node.set("this", call(name, node.this.this))
        for order in node.find_all(exp.Ordered):
            order.set("nulls_first", None)
    return node


def element(node: exp.Bracket, dialect: str) -> Any:
    """a[1]      null where there is none"""
    if len(node.expressions) != 1 or node.args.get("safe"):
        return node
    index = node.expressions[0]
    if isinstance(index, exp.Literal) and not index.is_string and index.name.isdigit():
        return call("GET", node.this, index)
    return node


def length(node: exp.Length, dialect: str) -> Any:
    """LEN(a), of an array"""
    return call("SIZE", node.this) if is_a(node.this, (exp.DType.ARRAY, exp.DType.LIST)) else node


REWRITES: dict[type[Any], Callable[[Any, str], Any]] = {
    exp.Anonymous: anonymous,
    exp.Bracket: element,
    exp.Cast: cast,
    exp.DateDiff: difference,
    exp.DatetimeDiff: difference,
    exp.DayOfWeek: day_of_week,
    exp.DayOfWeekIso: day_of_week_iso,
    exp.Div: division,
    exp.Extract: extract,
    exp.Length: length,
    exp.Sub: subtraction,
    exp.TimestampDiff: difference,
    exp.WithinGroup: within_group,
}
