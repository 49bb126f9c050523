"""Trees of other dialects in Spark's SQL: what means something else there is said in other words.

    duckdb      a / b                              TRY_DIVIDE(CAST(a AS DOUBLE), b)      no error
                for b = 0
    postgres    a / b, of whole numbers            a DIV b
    postgres    extract(dow from a)                DAYOFWEEK(a) - 1                      Sunday is 0
    snowflake   datediff(month, a, b)              the months that begin between a and b, not those
                that have passed
    postgres    a - b, of dates                    DATEDIFF(a, b)                        days, no
                interval

sqlglot's generator does the rest; what it says that it cannot do exactly is kept as notes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel

from lineal.extract.sql.annotation import ColumnsOf, annotate
from lineal.extract.sql.dialects.arithmetic import (
    ADDS_TO_TIMES,
    COUNTS_BEGUN,
    COUNTS_FROM_SUNDAY,
    DECIMALS,
    DIVIDES_AS_DOUBLE,
    DIVIDES_BY_ZERO,
    MATCHES_WHOLE_TEXTS,
    POSTGRES,
    ROUNDS,
    TRUNCATES_TO_DATES,
)
from lineal.extract.sql.nodes import holds, is_string

RENAMED = {
    "ARBITRARY": "ANY_VALUE",
    "ARRAY_CAT": "CONCAT",
    "LIST_CONCAT": "CONCAT",
    "PRINTF": "FORMAT_STRING",
    "STRLEN": "OCTET_LENGTH",
}
"""Functions that Spark has under another name."""

SUBTRACTED = (exp.DateSub, exp.DatetimeSub, exp.TimestampSub)
INTEGERS = exp.DataType.INTEGER_TYPES
FRACTIONS = {*exp.DataType.REAL_TYPES, exp.DType.DECIMAL}
TRUNCATED = frozenset(("YEAR", "QUARTER", "MONTH", "WEEK"))
SECONDS = {"HOUR": 3600, "MINUTE": 60, "SECOND": 1}


class Written(NamedTuple):
    """A statement in Spark's SQL, and what it does not say exactly."""

    sql: str
    notes: tuple[str, ...]


def write(tree: exp.Expr, dialect: str, columns_of: ColumnsOf) -> Written:
    """The statement in Spark's SQL."""
    annotate(tree, dialect, columns_of)
    for node in reversed(list(tree.dfs())):
        made = write_for_spark(node, dialect)
        if made is not node and node is tree:
            tree = made
        elif made is not node:
            node.replace(made)

    generator = Dialect.get_or_raise("spark").generator(
        pretty=True, unsupported_level=ErrorLevel.IGNORE
    )
    # generate() would move all CTEs to the top, where names of two queries meet
    sql = generator.sql(tree)
    sql = sql.strip().replace(generator.SENTINEL_LINE_BREAK, "\n")
    return Written(sql, tuple(dict.fromkeys(generator.unsupported_messages)))


def write_for_spark(node: exp.Expr, dialect: str) -> Any:
    """A node as it is, or in the words that mean the same in Spark."""
    rewrite = REWRITES.get(type(node))
    if rewrite is not None:
        return rewrite(node, dialect)

    return node


def call(name: str, *arguments: Any) -> exp.Anonymous:
    """Build a call."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def is_a(node: exp.Expr, kinds: Any) -> bool:
    """Tell whether a node has one of some types."""
    return node.type is not None and node.type.this in kinds


# -- numbers ---------------------------------------------------------------------------------------


def division(node: exp.Div, dialect: str) -> Any:
    """Write a division.

    a / b
    """
    if dialect not in DIVIDES_BY_ZERO or is_a(node, (exp.DType.INTERVAL,)):
        return node

    left, right = without_parentheses(node.this), without_parentheses(node.expression)
    if dialect in DIVIDES_AS_DOUBLE and not is_a(left, (exp.DType.DOUBLE, exp.DType.FLOAT)):
        left = exp.cast(left, "double", copy=False)

    return call("TRY_DIVIDE", left, right)


def without_parentheses(node: exp.Expr) -> Any:
    """Return the expression inside parentheses.

    (a + b)      a + b
    """
    if isinstance(node, exp.Paren):
        return node.unnest()

    return node


def cast(node: exp.Cast, dialect: str) -> Any:
    """Write a cast.

    CAST(a AS INT), of a fraction; CAST(a AS DECIMAL)
    """
    kind = node.to
    if kind.this == exp.DType.DECIMAL and not kind.expressions and dialect in DECIMALS:
        precision, scale = DECIMALS[dialect]
        node.set("to", exp.DataType.build(f"decimal({precision}, {scale})"))
    elif kind.this in INTEGERS and dialect in ROUNDS and is_a(node.this, FRACTIONS):
        node.set("this", call("ROUND", node.this))

    return node


# -- times -----------------------------------------------------------------------------------------


def extract(node: exp.Extract, dialect: str) -> Any:
    """Write EXTRACT.

    EXTRACT(dow FROM a)
    """
    return part_of(node.name or node.this.name, node.expression, dialect) or node


def part_of(unit: str, value: Any, dialect: str) -> Any:
    """A part of a time, where it is counted differently from Spark."""
    unit = unit.upper()
    if unit in ("DOW", "DAYOFWEEK", "WEEKDAY") and dialect in COUNTS_FROM_SUNDAY:
        return exp.paren(
            exp.Sub(this=call("DAYOFWEEK", value), expression=exp.Literal.number(1)), copy=False
        )

    if unit in ("ISODOW", "DAYOFWEEKISO", "DAYOFWEEK_ISO"):
        return exp.paren(
            exp.Add(this=call("WEEKDAY", value), expression=exp.Literal.number(1)), copy=False
        )

    if unit in ("EPOCH", "EPOCH_SECOND"):
        return call("UNIX_TIMESTAMP", value)

    return None


def anonymous(node: exp.Anonymous, dialect: str) -> Any:
    """Write a function that sqlglot does not know.

    DATE_PART('dow', a), ARBITRARY(a)
    """
    name = node.name.upper()
    if name == "DATE_PART" and len(node.expressions) == 2 and node.expressions[0].is_string:
        return part_of(node.expressions[0].name, node.expressions[1], dialect) or node

    if name in RENAMED:
        node.set("this", RENAMED[name])

    return node


def day_of_week(node: exp.DayOfWeek, dialect: str) -> Any:
    """Write DAYOFWEEK.

    DAYOFWEEK(a)
    """
    return part_of("DOW", node.this, dialect) or node


def day_of_week_iso(node: exp.DayOfWeekIso, dialect: str) -> Any:
    """Write ISODOW.

    ISODOW(a)
    """
    return part_of("ISODOW", node.this, dialect)


def difference(node: Any, dialect: str) -> Any:
    """Write DATEDIFF.

    DATEDIFF(month, a, b)
    """
    unit = node.args.get("unit")
    if dialect not in COUNTS_BEGUN or unit is None:
        return node

    return units_begun(str(unit.name).upper(), node.expression, node.this) or node


def units_begun(unit: str, first: Any, last: Any) -> Any:
    """How many units begin between two times."""
    if unit == "DAY":
        return call("DATEDIFF", last, first)

    if unit in SECONDS:
        parts = [
            call("UNIX_TIMESTAMP", call("DATE_TRUNC", exp.Literal.string(unit), each))
            for each in (last, first)
        ]
        seconds = exp.paren(exp.Sub(this=parts[0], expression=parts[1]), copy=False)
        if unit != "SECOND":
            return exp.IntDiv(this=seconds, expression=exp.Literal.number(SECONDS[unit]))

        return seconds

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


def interval(node: exp.Interval, dialect: str) -> Any:
    """Write an interval.

    INTERVAL (n) DAY      n * INTERVAL '1' DAY
    """
    value = node.this
    if value is None or isinstance(value, exp.Literal) or node.args.get("unit") is None:
        return node

    if holds(value, exp.Neg, exp.Literal):
        return node

    one = exp.Interval(this=exp.Literal.string("1"), unit=node.args["unit"])
    return exp.paren(
        exp.Mul(this=exp.paren(without_parentheses(value), copy=False), expression=one), copy=False
    )


def added_time(node: exp.Expr, dialect: str) -> Any:
    """Write an addition to a time.

    DATETIME_ADD(a, INTERVAL n DAY)      DATEADD(DAY, n, a)
    """
    value, unit = node.expression, node.args.get("unit")
    if unit is None or value is None or isinstance(value, exp.Interval):
        return node

    if is_string(value):
        value = exp.Literal.number(value.name)

    if isinstance(node, SUBTRACTED):
        value = exp.Neg(this=exp.paren(without_parentheses(value), copy=False))

    return call("DATEADD", exp.var(str(unit.name).upper()), value, node.this)


def added_date(node: exp.Expr, dialect: str) -> Any:
    """Write an addition to a date.

    DATEADD(day, n, a), of a time      Spark's DATE_ADD would make a date of it
    """
    if dialect not in ADDS_TO_TIMES or is_a(node.this, (exp.DType.DATE,)):
        return node

    return added_time(node, dialect)


def datetime(node: exp.Datetime, dialect: str) -> Any:
    """Write DATETIME.

    DATETIME(a), DATETIME(a, 'America/New_York')
    """
    zone = node.expression
    if zone is None:
        return exp.cast(node.this, "timestamp", copy=False)

    return call("FROM_UTC_TIMESTAMP", node.this, zone)


def subtraction(node: exp.Sub, dialect: str) -> Any:
    """Write a subtraction of dates.

    a - b, of dates
    """
    dates = (exp.DType.DATE, exp.DType.DATE32)
    if dialect not in POSTGRES or not is_a(node.this, dates) or not is_a(node.expression, dates):
        return node

    made = call("DATEDIFF", node.this, node.expression)
    parent = node.parent
    while isinstance(parent, exp.Paren):
        parent._type = exp.DataType.build("int")
        parent = parent.parent

    made._type = exp.DataType.build("int")
    return made


def truncation(node: exp.Expr, dialect: str) -> Any:
    """Write DATE_TRUNC.

    DATE_TRUNC('month', a), of a date      a date
    """
    unit = str(node.text("unit") or "").upper()
    if dialect not in TRUNCATES_TO_DATES or not is_a(node.this, (exp.DType.DATE,)):
        return node

    if unit == "DAY":
        return node.this

    if unit in TRUNCATED:
        return call("TRUNC", node.this, exp.Literal.string(unit))

    return node


# -- queries ---------------------------------------------------------------------------------------


def select(node: exp.Select, dialect: str) -> Any:
    """Write DISTINCT ON and QUALIFY.

    SELECT DISTINCT ON (a) …, SELECT … QUALIFY …      a filter around the query

    The columns that the filter needs are left out again: sqlglot's own way shows them where a star
    is selected.
    """
    distinct = node.args.get("distinct")
    on = distinct.args.get("on") if distinct is not None else None
    if isinstance(on, exp.Tuple):
        return first_of_each(node, on.expressions)

    if node.args.get("qualify"):
        return write_qualify(node)

    return node


def first_of_each(node: exp.Select, keys: list[Any]) -> exp.Select:
    """Write DISTINCT ON.

    SELECT DISTINCT ON (a) * FROM t ORDER BY a, b
    """
    node.args["distinct"].pop()
    keys = [with_aliases(key, node) for key in keys]
    order = node.args.get("order")
    items = [with_aliases(item, node) for item in order.expressions] if order is not None else []
    window = exp.Window(
        this=exp.RowNumber(),
        partition_by=[key.copy() for key in keys],
        order=exp.Order(
            expressions=[item.copy() for item in items] or [key.copy() for key in keys]
        ),
    )
    limited = node.args.get("limit") is not None
    if not limited and order is not None:
        order.pop()

    return filter_around(
        node, {"_lineal_row": window}, exp.column("_lineal_row").eq(1), ordered=limited
    )


def write_qualify(node: exp.Select) -> exp.Select:
    """Write QUALIFY.

    SELECT * FROM t QUALIFY row_number() OVER (PARTITION BY a ORDER BY b) = 1
    """
    condition = node.args["qualify"].pop().this
    named, starred = set(node.named_selects), node.is_star
    helpers: dict[str, Any] = {}

    def add_helper(value: Any) -> exp.Column:
        """Give a value a name of its own, and return the column of this name."""
        name = f"_lineal_{len(helpers)}"
        helpers[name] = value
        return exp.column(name)

    holder = exp.Paren(this=condition)
    for window in [
        each for each in holder.find_all(exp.Window) if each.find_ancestor(exp.Window) is None
    ]:
        window.replace(add_helper(with_aliases(window.copy(), node)))

    for column in list(holder.find_all(exp.Column)):
        if column.name in helpers or column.find_ancestor(exp.Query) is not None:
            continue

        if column.name in named or starred:
            column.set("table", None)
        else:
            column.replace(add_helper(column.copy()))

    return filter_around(node, helpers, holder.this, ordered=True)


def with_aliases(node: exp.Expr, query: exp.Select) -> Any:
    """The names that the SELECT list gives to expressions, said with those expressions."""
    named = {item.alias: item.this for item in query.expressions if isinstance(item, exp.Alias)}
    holder = exp.Paren(this=node.copy())
    for column in list(holder.find_all(exp.Column)):
        if (
            not column.table
            and column.name in named
            and column.name not in sources_of(named[column.name])
        ):
            column.replace(exp.paren(named[column.name].copy()))

    return holder.this


def sources_of(node: exp.Expr) -> set[str]:
    """Return the columns that an expression names: `a + 1 AS a` does not replace its own a."""
    return {column.name for column in node.find_all(exp.Column)}


def filter_around(
    node: exp.Select, helpers: dict[str, Any], condition: Any, ordered: bool
) -> exp.Select:
    """Wrap a query in a filter.

    SELECT * EXCEPT (helper) FROM (SELECT …, … AS helper) AS _lineal WHERE …
    """
    parts = ("with_", "distinct", *(("order", "limit", "offset") if ordered else ()))
    moved = {key: node.args[key] for key in parts if node.args.get(key) is not None}
    for key in moved:
        node.set(key, None)

    inner = node.copy()
    for name, value in helpers.items():
        inner.append("expressions", exp.alias_(value, name, copy=False))

    star = exp.Star(except_=list(map(exp.to_identifier, helpers)))
    outer = exp.Select(expressions=[star]).from_(inner.subquery("_lineal", copy=False), copy=False)
    outer = outer.where(condition, copy=False)
    for key, value in moved.items():
        for column in value.find_all(exp.Column) if key == "order" else ():
            column.set("table", None)

        outer.set(key, value)

    return outer


# -- others ----------------------------------------------------------------------------------------


def within_group(node: exp.WithinGroup, dialect: str) -> Any:
    """Write WITHIN GROUP.

    PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY a)      Spark has it, and exactly
    """
    names = {exp.PercentileCont: "PERCENTILE_CONT", exp.PercentileDisc: "PERCENTILE_DISC"}
    name = names.get(type(node.this))
    if name is not None:
        node.set("this", call(name, node.this.this))
        for order in node.find_all(exp.Ordered):
            order.set("nulls_first", None)

    return node


def element(node: exp.Bracket, dialect: str) -> Any:
    """Write an array access.

    a[1]      null where there is none
    """
    if len(node.expressions) != 1 or node.args.get("safe"):
        return node

    index = node.expressions[0]
    if isinstance(index, exp.Literal) and not index.is_string and index.name.isdigit():
        return call("GET", node.this, index)

    return node


def length(node: exp.Length, dialect: str) -> Any:
    """Write LEN.

    LEN(a), of an array
    """
    if is_a(node.this, (exp.DType.ARRAY, exp.DType.LIST)):
        return call("SIZE", node.this)

    return node


def regular_expression(node: exp.Expr, dialect: str) -> Any:
    """Write a regular expression.

    a ~* 'x', regexp_matches(a, 'x', 'i')

    a RLIKE '(?i)x'; Snowflake's pattern is for the whole text
    """
    pattern, flag = node.expression, node.args.get("flag")
    flags = "i" if isinstance(node, exp.RegexpILike) else ""
    if flag is not None:
        if not flag.is_string or set(flag.name) - set(FLAGS):
            raise ValueError(f"the flags {flag.sql(dialect)} of a regular expression")

        flags += "".join(FLAGS[each] for each in flag.name)

    whole = dialect in MATCHES_WHOLE_TEXTS
    if not flags and not whole:
        return node

    before = (f"(?{flags})" if flags else "") + ("^(?:" if whole else "")
    after = ")$" if whole else ""
    if pattern.is_string:
        return exp.RegexpLike(
            this=node.this, expression=exp.Literal.string(before + pattern.name + after)
        )

    text = call("concat", exp.Literal.string(before), pattern, exp.Literal.string(after))
    return exp.RegexpLike(this=node.this, expression=text)


FLAGS = {"i": "i", "c": "", "s": "s", "m": "m"}
"""Flags of regular expressions, and what Java calls them."""


REWRITES: dict[type[Any], Callable[[Any, str], Any]] = {
    exp.Anonymous: anonymous,
    exp.Bracket: element,
    exp.Cast: cast,
    exp.DateAdd: added_date,
    exp.DateDiff: difference,
    exp.DateSub: added_date,
    exp.Datetime: datetime,
    exp.DatetimeAdd: added_time,
    exp.DatetimeDiff: difference,
    exp.DatetimeSub: added_time,
    exp.DayOfWeek: day_of_week,
    exp.DayOfWeekIso: day_of_week_iso,
    exp.Div: division,
    exp.Extract: extract,
    exp.Interval: interval,
    exp.DateTrunc: truncation,
    exp.Length: length,
    exp.RegexpLike: regular_expression,
    exp.RegexpILike: regular_expression,
    exp.Select: select,
    exp.Sub: subtraction,
    exp.TimestampAdd: added_time,
    exp.TimestampDiff: difference,
    exp.TimestampSub: added_time,
    exp.TimestampTrunc: truncation,
    exp.TsOrDsAdd: added_date,
    exp.WithinGroup: within_group,
}
