"""The name that a dialect gives to an expression without an alias."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

from sqlglot import exp

from lineal.extract.sql.dialects import parser_dialect
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.nodes import holds, part_names
from lineal.extract.sql.placeholders import name_of
from lineal.extract.sql.tables import literal_name
from lineal.model.late_pattern import late_pattern
from lineal.model.sequences import flatten


def output_name(
    node: exp.Expr, position: int, evaluation: Evaluation, sources: Container[str] | None = None
) -> tuple[str, bool]:
    """Return the name of an output column.

    SELECT a, t.b, s.c, sum(d)

    a, b, c, and what the dialect says; with whether the name was quoted
    """
    while isinstance(node, exp.Paren):
        node = node.this

    if isinstance(node, exp.Column):
        identifier = node.args["this"]
        if not isinstance(identifier, exp.Identifier):  # Snowflake's t.$2
            return f"${identifier.name}", False

        return identifier.args["this"], bool(identifier.args.get("quoted"))

    if (placeholder := name_of(node)) != "":
        return placeholder, False

    if (named := literal_name(node)) is not None:
        return named.rpartition(".")[2], False

    if (
        isinstance(node, exp.Dot)
        and not isinstance(node.expression, exp.Func)
        and not in_full(node, evaluation)
    ):
        return node.expression.name, False

    if sources is not None and evaluation.facts.names_fields_in_paths:
        node = without_tables(node, evaluation, sources)

    return NAMES.get(evaluation.facts.name, name_by_number)(node, position, evaluation), False


def in_full(node: exp.Dot, evaluation: Evaluation) -> bool:
    """Tell whether the name of a field includes the path that leads to it.

    xs[0].price      Spark calls it so; elsewhere it is called price
    """
    return evaluation.facts.names_fields_in_paths and isinstance(node.this, (exp.Bracket, exp.Dot))


def without_tables(node: exp.Expr, evaluation: Evaluation, sources: Container[str]) -> Any:
    """Remove the tables from the columns of a name.

    sum(o.amount), max(o.place.zip)      are called sum(amount), max(place.zip)
    """
    if not any(each.table for each in node.find_all(exp.Column)) or is_deeper(node, DEEPEST_NAME):
        return node

    node = node.copy()
    for each in list(node.find_all(exp.Column)):
        if each.table:
            name = ".".join(path_in_table(part_names(each), evaluation, sources))
            each.replace(exp.Column(this=exp.Identifier(this=name, quoted=False)))

    return node


def path_in_table(parts: list[str], evaluation: Evaluation, sources: Container[str]) -> list[str]:
    """Return the parts of a name behind its table.

    o.amount, shop.orders.amount, o.place.zip, place.zip      what comes behind the table
    """
    if evaluation.keys[parts[0]] in sources:
        return parts[1:]

    if evaluation.keys[parts[-2]] in sources:
        return parts[-1:]

    return parts


def name_by_number(node: exp.Expr, position: int, evaluation: Evaluation) -> str:
    """Return the name of an unnamed column, by its number.

    SELECT a + 1      _col_0
    """
    return f"_col_{position}"


def bigquery(node: exp.Expr, position: int, evaluation: Evaluation) -> str:
    """Return the name that BigQuery gives to an unnamed column.

    SELECT a, b + 1, c + 1      f0_ and f1_: only columns without a name are counted
    """
    top = node
    while isinstance(top.parent, exp.Paren):
        top = top.parent

    beside = top.parent.expressions if isinstance(top.parent, exp.Select) else []
    unnamed = [item for item in beside[:position] if not has_name(item)]
    return f"f{len(unnamed)}_"


def has_name(item: exp.Expr) -> bool:
    """Tell whether an item of a SELECT list is a column, a field, a star or has an alias."""
    while isinstance(item, exp.Paren):
        item = item.this

    if isinstance(item, exp.Dot):
        return not isinstance(item.expression, exp.Func)

    return isinstance(item, (exp.Alias, exp.Column, exp.Star, exp.Aliases))


DEEPEST_NAME = 100
"""Writing a deeper tree out takes long, and at some thousand levels kills the process."""


def spark_name(node: exp.Expr, position: int, evaluation: Evaluation) -> str:
    """Spark: a / b * 2 is called ((a / b) * 2), and a cast of a column by that column's name."""
    if holds(node, exp.Cast, exp.Column):
        return str(node.this.name)

    if is_deeper(node, DEEPEST_NAME):
        return name_by_text(node, position, evaluation)

    return pretty(node, evaluation)


SPARK_OPERATORS: dict[type, str] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%", exp.EQ: "=", exp.GT: ">", exp.GTE: ">=",
    exp.LT: "<", exp.LTE: "<=", exp.And: "AND", exp.Or: "OR", exp.NullSafeEQ: "<=>",
}  # fmt: skip


def pretty(node: exp.Expr, evaluation: Evaluation) -> str:
    """An expression as Spark prints it in a name."""
    if isinstance(node, exp.Paren):
        return pretty(node.this, evaluation)

    symbol = SPARK_OPERATORS.get(type(node))
    if symbol is not None:
        return f"({pretty(node.this, evaluation)} {symbol} {pretty(node.expression, evaluation)})"

    if isinstance(node, exp.Cast):
        kind = node.to.sql(dialect="spark").replace(", ", ",")
        return f"CAST({pretty(node.this, evaluation)} AS {kind})"

    if isinstance(node, (exp.Literal, exp.Column)):
        return str(node.name)

    if isinstance(node, exp.Bracket):
        return f"{pretty(node.this, evaluation)}[{', '.join(pretty(item, evaluation) for item in node.expressions)}]"

    if isinstance(node, exp.Dot):
        field = node.expression.name
        if node.find(exp.Bracket) is not None:
            return f"{pretty(node.this, evaluation)}.{field}"

        return str(field)

    return name_by_text(node, 0, evaluation)


def name_by_text(node: exp.Expr, position: int, evaluation: Evaluation) -> str:
    """Spark, DuckDB: sum(amount) is called sum(amount)."""
    if holds(node, exp.Cast, exp.Column):
        return str(node.this.name)

    if is_deeper(node, DEEPEST_NAME):
        return evaluation.reading.text_of(node) or name_by_number(node, position, evaluation)

    dialect = evaluation.facts.name
    if holds(node, exp.Count, exp.Star) and dialect in COUNT_STAR:
        return COUNT_STAR[dialect]

    if dialect in OPERATORS_IN_PARENTHESES:
        node = in_parentheses(node)

    return str(
        without_quotes(node).sql(dialect=dialect, normalize_functions="lower", comments=False)
    )


def as_typed(node: exp.Expr, position: int, evaluation: Evaluation) -> str:
    """MySQL: SUM( `a` ) is called SUM( `a` )"""
    text = "" if node.find(exp.Query) is not None else evaluation.reading.text_of(node)
    if not text or "/*" in text or "--" in text:
        return name_by_text(node, position, evaluation)

    return text


def without_quotes(node: exp.Expr) -> Any:
    """Remove the quotes from a name.

    max(`units`)      is called max(units)
    """
    if not any(
        each.args.get("quoted") and SAFE.fullmatch(each.name)
        for each in node.find_all(exp.Identifier)
    ):
        return node

    node = node.copy()
    for each in node.find_all(exp.Identifier):
        each.set("quoted", not SAFE.fullmatch(each.name))

    return node


SAFE = late_pattern(r"[A-Za-z_]\w*")
"""A name that needs no quotes."""


COUNT_STAR = {
    **dict.fromkeys(("spark", "spark2", "databricks"), "count(1)"),
    "duckdb": "count_star()",
}

OPERATORS_IN_PARENTHESES = frozenset(("spark", "spark2", "databricks", "duckdb"))
"""sum(a + 1)      is called sum((a + 1))"""


def in_parentheses(node: exp.Expr) -> Any:
    """Write an expression with all its parentheses.

    a * 2 - b      ((a * 2) - b)
    """
    whole = exp.Paren(this=node.copy())
    operators: list[Any] = list(whole.find_all(*SPARK_OPERATORS))
    for operator in reversed(operators):
        if not isinstance(operator.parent, exp.Paren):
            operator.replace(exp.Paren(this=operator.copy()))

    if type(node) in SPARK_OPERATORS:
        return whole

    return whole.this


def is_deeper(node: exp.Expr, limit: int) -> bool:
    """Whether a tree has more levels than that."""
    level = [node]
    for _ in range(limit):
        level = flatten(parent.iter_expressions() for parent in level)
        if not level:
            return False

    return True


def name_by_function(node: exp.Expr, position: int, evaluation: Evaluation) -> str:
    """PostgreSQL: sum(amount) is called sum, a cast like what it casts, an operator ?column?"""
    return figure_name(node, evaluation)[0]


Figured = tuple[str, bool]
"""A name, and whether it is better than the name of a type around it, or than `case`."""

NAMELESS: Figured = ("?column?", False)


def figure_name(node: exp.Expr, evaluation: Evaluation) -> Figured:
    """As the server figures it out, from the outside in."""
    while isinstance(node, PASSED_OVER):
        node = node.this

    if isinstance(node, exp.Column):
        return str(node.name), True

    if isinstance(node, exp.Dot):
        if isinstance(node.expression, exp.Func):
            return figure_name(node.expression, evaluation)

        return (node.name, True)

    if isinstance(node, (exp.Cast, exp.Interval)):
        inner = figure_name(node.this, evaluation) if isinstance(node, exp.Cast) else NAMELESS
        if inner[1]:
            return inner

        return (type_name(node), False)

    if isinstance(node, exp.Case):
        if node.args.get("default") is not None:
            inner = figure_name(node.args["default"], evaluation)
        else:
            inner = NAMELESS

        if inner[1]:
            return inner

        return ("case", False)

    if holds(node, exp.Subquery, exp.Select):
        item = node.this.expressions[0]
        if isinstance(item, exp.Alias):
            return (item.alias, True)

        return figure_name(item, evaluation)

    if type(node) in OWN_NAMES:
        return OWN_NAMES[type(node)], True

    # a #>> b is a function to sqlglot
    if isinstance(node, exp.Binary) and not isinstance(node, exp.Pow):
        return NAMELESS

    if isinstance(node, exp.Func) and not isinstance(node, exp.Connector):
        return function_written(node, evaluation), True

    return NAMELESS


PASSED_OVER = (exp.Paren, exp.Window, exp.Filter, exp.WithinGroup, exp.Collate, exp.Bracket)

OWN_NAMES: dict[type, str] = {
    exp.Array: "array", exp.Tuple: "row", exp.Exists: "exists", exp.AtTimeZone: "timezone", exp.Overlaps: "overlaps",
    exp.LogicalOr: "bool_or", exp.LogicalAnd: "bool_and", exp.GroupConcat: "string_agg", exp.VariancePop: "var_pop",
    exp.TimestampTrunc: "date_trunc", exp.Rand: "random", exp.CurrentTimestamp: "now",
}  # fmt: skip
"""The names of constructs that have another name in sqlglot."""

TYPE_NAMES = {
    "int": "int4", "integer": "int4", "bigint": "int8", "smallint": "int2", "boolean": "bool", "real": "float4",
    "double precision": "float8", "decimal": "numeric", "char": "bpchar",
}  # fmt: skip
"""The names that the server's types have inside."""

WRITTEN = late_pattern(r'\s*(?:(?:\w+|"[^"]*")\s*\.\s*)*(\w+)\s*\(')
"""A function's name, at the start of an item."""


def type_name(node: Any) -> str:
    """Return PostgreSQL's name of a type.

    x::int[] is called int4, x::varchar(10) varchar
    """
    if isinstance(node, exp.Interval):
        return "interval"

    text = str(node.to.sql(dialect="postgres")).lower().partition("(")[0].partition("[")[0].strip()
    return TYPE_NAMES.get(text, text)


def function_written(node: Any, evaluation: Evaluation) -> str:
    """The name as it was written: sqlglot keeps one for ceil and ceiling."""
    if isinstance(node, exp.Anonymous):
        return str(node.name).lower()

    if isinstance(node, exp.Trim):
        return {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(
            str(node.args.get("position")), "btrim"
        )

    found = WRITTEN.match(evaluation.reading.text_of(node))
    if found is not None and may_be(found[1], node, evaluation):
        return found[1].lower()

    return str(node.sql_name()).lower()


def may_be(name: str, node: exp.Expr, evaluation: Evaluation) -> bool:
    """Whether an item that starts with this name may start with this function, and not with another
    around it.
    """
    if name.lower() in ("cast", "case"):
        return False

    build = parser_dialect(evaluation.facts.name).parser_class.FUNCTIONS.get(name.upper())
    return getattr(build, "__self__", type(node)) is type(node)


def as_text(node: exp.Expr, position: int, evaluation: Evaluation) -> str:
    """No dialect: an expression is named by its text, and a cast column keeps its name."""
    if holds(node, exp.Cast, exp.Column):
        return str(node.this.name)

    text = evaluation.reading.text_of(node)
    if "--" in text or "/*" in text:
        return name_by_text(node, position, evaluation)

    return text or name_by_number(node, position, evaluation)


def hive(node: exp.Expr, position: int, evaluation: Evaluation) -> str:
    """Return the name that Hive gives to an unnamed column.

    SELECT a + 1      _c0
    """
    return f"_c{position}"


def trino(node: exp.Expr, position: int, evaluation: Evaluation) -> str:
    """Return the name that Trino gives to an unnamed column.

    SELECT a + 1      _col0
    """
    return f"_col{position}"


NAMES: dict[str, Callable[[Any, int, Evaluation], str]] = {
    "": as_text,
    "spark": spark_name,
    "spark2": spark_name,
    "databricks": spark_name,
    "hive": hive,
    "duckdb": name_by_text,
    "mysql": as_typed,
    "sqlite": name_by_text,
    "postgres": name_by_function,
    "redshift": name_by_function,
    "bigquery": bigquery,
    "trino": trino,
    "presto": trino,
    "athena": trino,
}

BY_POSITION = (name_by_number, hive, trino, bigquery)
"""Names that tell nothing but the place of a column in its list."""


def expression_name(node: exp.Expr, evaluation: Evaluation) -> str:
    """Return the name of an expression outside SELECT lists.

    PIVOT (sum(a), max(b) FOR k IN ('x'))      sum(a); a number would be no part of a name
    """
    if NAMES.get(evaluation.facts.name, name_by_number) in BY_POSITION:
        return str(node.sql(dialect=evaluation.facts.name or None)).lower()

    return output_name(node, 0, evaluation)[0]
