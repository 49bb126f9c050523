"""The type of an expression, by the rules of its dialect."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from lineal.algebra.functions import returns_of
from lineal.extract.sql.types.kinds import (
    NULL,
    UNKNOWN,
    Kind,
    Type,
    build_type,
    element,
    field,
    spell_type,
)
from lineal.extract.sql.types.rules import WITHOUT_LENGTHS

if TYPE_CHECKING:
    from lineal.extract.sql.types.queries import CTEs, Scope, Typing

DEEPEST = 400


class Walk:
    """Where the names of an expression are looked up."""

    __slots__ = ("ctes", "depth", "scope", "typing")

    def __init__(self, typing: Typing, scope: Scope, ctes: CTEs) -> None:
        """Type the expressions of one scope."""
        self.typing = typing
        self.scope = scope
        self.ctes = ctes
        self.depth = 0

    def type_of(self, node: Any) -> Type:
        """Return the type of an expression."""
        if not isinstance(node, exp.Expr) or self.depth > DEEPEST:
            return UNKNOWN

        handler = HANDLERS.get(type(node)) or _handler(type(node))
        self.depth += 1
        try:
            if handler is not None:
                return handler(node, self)

            return UNKNOWN
        finally:
            self.depth -= 1


def type_of(node: exp.Expr, typing: Typing, scope: Scope, ctes: CTEs) -> Type:
    """Return the type of an expression in a scope."""
    return Walk(typing, scope, ctes).type_of(node)


def column(node: exp.Column, walk: Walk) -> Type:
    """Return the type of a column."""
    if not node.is_star:
        return walk.typing.column(node, walk.scope)

    return UNKNOWN


def type_of_only_child(node: exp.Expr, walk: Walk) -> Type:
    """Return the type of the only child."""
    return walk.type_of(node.this)


def whole_number_type(number: int) -> str:
    """Return the type of a whole number.

    1, 3000000000      the smallest type that holds it
    """
    if number < 2**31:
        return "int"

    if number < 2**63:
        return "bigint"

    return ""


def literal(node: exp.Literal, walk: Walk) -> Type:
    """Return the type of a constant.

    'a', 1, 3000000000, 1.5, 1e3
    """
    rules = walk.typing.rules
    if node.is_string:
        if rules.family in WITHOUT_LENGTHS:
            return rules.normal("text")

        return UNKNOWN

    text = node.name
    if text.isdigit():
        return rules.normal(whole_number_type(int(text)))

    if "e" in text.lower():
        return rules.normal("double")

    whole, _, fraction = text.partition(".")
    if rules.family in ("spark", "duckdb") and (whole + fraction).isdigit():
        if rules.family == "spark":
            digits = len(whole.lstrip("0") + fraction)
        else:
            digits = len(whole + fraction)

        return build_type(rules.dialect, Kind.DECIMAL, max(digits, len(fraction), 1), len(fraction))

    return UNKNOWN


def boolean(node: exp.Expr, walk: Walk) -> Type:
    """Return the boolean type.

    a = b, a AND b, a IN (…), a IS NULL, EXISTS (…)
    """
    return walk.typing.rules.normal("boolean")


def null(node: exp.Expr, walk: Walk) -> Type:
    """Return the type of NULL."""
    return NULL


def cast(node: exp.Cast, walk: Walk) -> Type:
    """Return the type of a cast.

    CAST(a AS DECIMAL(10, 2))
    """
    to = node.args.get("to")
    if not isinstance(to, exp.DataType) or to.this in (Kind.USERDEFINED, Kind.UNKNOWN):
        return UNKNOWN

    return spell_type(to, walk.typing.dialect)


def arithmetic(node: exp.Expr, walk: Walk) -> Type:
    """Return the type of an arithmetic expression."""
    return walk.typing.rules.arithmetic(
        node, walk.type_of(node.this), walk.type_of(node.expression)
    )


def negative(node: exp.Expr, walk: Walk) -> Type:
    """Return the type of a negated number."""
    return walk.type_of(node.this)


def concat(node: exp.Expr, walk: Walk) -> Type:
    """Return the type of a concatenation.

    a || b
    """
    return walk.typing.rules.result(
        "concat", [walk.type_of(node.this), walk.type_of(node.expression)]
    )


def case(node: exp.Case, walk: Walk) -> Type:
    """Return the type of CASE."""
    branches = [walk.type_of(arm.args["true"]) for arm in node.args["ifs"]]
    if node.args.get("default") is not None:
        branches.append(walk.type_of(node.args["default"]))

    return walk.typing.rules.widest(branches)


def if_(node: exp.If, walk: Walk) -> Type:
    """Return the type of IF."""
    branches = [
        walk.type_of(node.args[part])
        for part in ("true", "false")
        if node.args.get(part) is not None
    ]
    return walk.typing.rules.widest(branches)


def nullif(node: exp.Nullif, walk: Walk) -> Type:
    """Return the type of NULLIF.

    NULLIF(a, b)      a's type; where b's differs, engines do
    """
    left, right = walk.type_of(node.this), walk.type_of(node.expression)
    if left.kind is not None and (left.kind == right.kind or walk.typing.rules.family == "spark"):
        return left

    return UNKNOWN


def window(node: exp.Expr, walk: Walk) -> Type:
    """Return the type of a window function.

    sum(a) OVER (…), sum(a) FILTER (…), f(0.5) WITHIN GROUP (…)
    """
    return walk.type_of(node.this)


def within_group(node: exp.WithinGroup, walk: Walk) -> Type:
    """Return the type of WITHIN GROUP."""
    if isinstance(node.this, exp.GroupConcat):
        return walk.type_of(node.this)

    return UNKNOWN


def subquery(node: exp.Subquery, walk: Walk) -> Type:
    """Return the type of a scalar subquery.

    (SELECT max(a) FROM t)
    """
    table = walk.typing.query(node, walk.scope, walk.ctes)
    if table.complete and len(table.columns) == 1:
        return table.columns[0][1]

    return UNKNOWN


def dot(node: exp.Dot, walk: Walk) -> Type:
    """Return the type of a field.

    (a.b).c      a field
    """
    if not isinstance(node.expression, exp.Identifier):
        return UNKNOWN

    return field(walk.type_of(node.this), node.expression.name, walk.typing.dialect)


def bracket(node: exp.Bracket, walk: Walk) -> Type:
    """Return the type of an item or a field.

    xs[1], m['a'], s['field']
    """
    of = walk.type_of(node.this)
    if len(node.expressions) != 1 or isinstance(node.expressions[0], exp.Slice):
        return UNKNOWN

    if of.is_a((Kind.MAP,)) and len(of.inner) == 2 and walk.typing.rules.family == "spark":
        return spell_type(of.inner[1], walk.typing.dialect)

    return element(of, walk.typing.dialect)


def array(node: exp.Array, walk: Walk) -> Type:
    """Return the type of an array."""
    rules = walk.typing.rules
    kind = rules.widest(list(map(walk.type_of, node.expressions)))
    if kind.kind is not None and rules.family in ("spark", "duckdb"):
        return rules.array(kind)

    return UNKNOWN


def interval_of_days(node: exp.Expr, walk: Walk) -> Type:
    """Return the type of a date with days added.

    date_add(d, 3)      Spark: a date
    """
    if walk.typing.rules.family == "spark":
        return walk.typing.rules.normal("date")

    return UNKNOWN


def days(node: exp.Expr, walk: Walk) -> Type:
    """Return the type of a difference of dates.

    datediff(a, b): INT in Spark; datediff(MONTH, a, b): BIGINT
    """
    rules = walk.typing.rules
    if rules.family == "spark":
        return rules.normal("int" if node.args.get("unit") is None else "bigint")

    return rules.result("days", [])


def whole_quotient(node: exp.IntDiv, walk: Walk) -> Type:
    """Return the type of a whole quotient.

    a div b
    """
    if walk.typing.rules.family == "spark":
        return walk.typing.rules.normal("bigint")

    return UNKNOWN


def extract(node: exp.Extract, walk: Walk) -> Type:
    """Return the type of EXTRACT.

    EXTRACT(YEAR FROM d)      a number; of seconds and of epochs it has a fraction
    """
    whole = node.this.name.lower() in WHOLE_PARTS
    if whole:
        return walk.typing.rules.result("part", [])

    return UNKNOWN


WHOLE_PARTS = frozenset(
    (
        "year",
        "quarter",
        "month",
        "week",
        "day",
        "dayofweek",
        "dayofyear",
        "hour",
        "minute",
        "doy",
        "dow",
    )
)


def function(node: Any, walk: Walk) -> Type:
    """Return the type of a function call.

    f(a, b)      by the function table
    """
    if walk.typing.evaluation.has_body(node):
        return UNKNOWN

    if isinstance(node, exp.Anonymous):
        name = node.name.lower()
        rule, arguments = (
            returns_of(MEANT.get((walk.typing.rules.family, name), name)),
            list(node.expressions),
        )
    else:
        rules = (returns_of(name.lower()) for name in type(node).sql_names())
        rule, arguments = next((rule for rule in rules if rule), ""), _arguments(node)

    if rule:
        return walk.typing.rules.result(rule, list(map(walk.type_of, arguments)))

    return UNKNOWN


MEANT = {("spark", "date_trunc"): "timestamp_trunc"}
"""Functions that are called as another one is elsewhere."""


def _arguments(node: exp.Expr) -> list[Any]:
    """Return the arguments in order; modifiers (DISTINCT, ORDER BY) do not count."""
    found = []
    for name in node.arg_types:
        held = node.args.get(name)
        if isinstance(held, list):
            found += held
        elif held is not None:
            found.append(held)

    return [_plain_argument(item) for item in found if isinstance(item, exp.Expr)]


def _plain_argument(node: exp.Expr) -> Any:
    """Return an aggregate's argument without ORDER BY, LIMIT, HAVING MAX and DISTINCT."""
    while True:
        if isinstance(node, (exp.Order, exp.Limit, exp.HavingMax)) and node.this is not None:
            node = node.this
        elif isinstance(node, exp.Distinct) and len(node.expressions) == 1:
            node = node.expressions[0]
        else:
            return node


Handler = Callable[[Any, Walk], Type]

HANDLERS: dict[type, Handler] = {
    exp.Column: column,
    exp.Paren: type_of_only_child,
    exp.Alias: type_of_only_child,
    exp.Literal: literal,
    exp.Boolean: boolean,
    exp.Null: null,
    exp.Cast: cast,
    exp.TryCast: cast,
    exp.Case: case,
    exp.If: if_,
    exp.Nullif: nullif,
    exp.Window: window,
    exp.Filter: window,
    exp.IgnoreNulls: window,
    exp.RespectNulls: window,
    exp.WithinGroup: within_group,
    exp.Subquery: subquery,
    exp.Dot: dot,
    exp.Bracket: bracket,
    exp.Array: array,
    exp.Add: arithmetic,
    exp.Sub: arithmetic,
    exp.Mul: arithmetic,
    exp.Div: arithmetic,
    exp.Mod: arithmetic,
    exp.Neg: negative,
    exp.IntDiv: whole_quotient,
    exp.Nvl2: if_,
    exp.DateDiff: days,
    exp.TimestampDiff: days,
    exp.DPipe: concat,
    exp.Extract: extract,
    exp.TsOrDsAdd: interval_of_days,
    exp.Exists: boolean,
    exp.In: boolean,
    exp.Between: boolean,
    exp.Not: boolean,
    exp.Is: boolean,
}


def _handler(kind: type) -> Handler | None:
    """Comparisons and connectors are true or false; a function is looked up."""
    if issubclass(kind, (exp.Predicate, exp.Connector)) and not issubclass(
        kind, exp.SubqueryPredicate
    ):
        return boolean

    if issubclass(kind, exp.Func):
        return function

    return None
