"""Parsed expressions as terms: one small function for each kind of node."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from lineal.extract.sql.normal.errors import Unproven
from lineal.extract.sql.normal.terms import (
    FALSE,
    NULL,
    TRUE,
    Term,
    and_,
    as_filter,
    case,
    coalesce,
    equality,
    literal,
    not_,
    or_,
)

if TYPE_CHECKING:
    from lineal.extract.sql.normal.reader import Reader, Scope


def term_of(reader: Reader, node: exp.Expr, scope: Scope) -> Term:
    """Return the term of an expression."""
    reader.spend()
    handler = HANDLERS.get(type(node))
    if handler is not None:
        return handler(reader, node, scope)

    if isinstance(node, exp.Query):
        return ("scalar", reader.query(node, scope))

    return any_node(reader, node, scope)


def any_node(reader: Reader, node: exp.Expr, scope: Scope) -> Term:
    """Return a node for which there is no rule: its kind, and every operand in its place."""
    parts = [
        (name, value_of(reader, node.args[name], scope))
        for name in sorted(node.args)
        if node.args[name] not in (None, False, [], "")
    ]
    return ("node", node.key, tuple(parts))


def value_of(reader: Reader, value: Any, scope: Scope) -> Term:
    """Return an operand of a node."""
    if isinstance(value, list):
        return ("list", *(value_of(reader, each, scope) for each in value))

    if isinstance(value, exp.Expr):
        return term_of(reader, value, scope)

    return ("prim", repr(value.lower() if isinstance(value, str) else value))


def operand(reader: Reader, node: exp.Expr, scope: Scope, name: str = "this") -> Term:
    """Return one operand of a node."""
    return term_of(reader, node.args[name], scope)


# -- leaves ----------------------------------------------------------------------------------------


def column(reader: Reader, node: exp.Column, scope: Scope) -> Term:
    """t.a, a"""
    if isinstance(node.this, exp.Star) or node.args.get("join_mark"):
        raise Unproven("a star inside an expression")

    return reader.column(node, scope)


def identifier(reader: Reader, node: exp.Identifier, scope: Scope) -> Term:
    """Return the term of a name that is not a column."""
    return ("id", reader.fold(node))


def constant(reader: Reader, node: exp.Literal, scope: Scope) -> Term:
    """1, 'a'"""
    return literal("text" if node.is_string else "number", str(node.this))


def boolean(reader: Reader, node: exp.Boolean, scope: Scope) -> Term:
    """TRUE, FALSE"""
    if node.this:
        return TRUE

    return FALSE


def null(reader: Reader, node: exp.Null, scope: Scope) -> Term:
    """NULL"""
    return NULL


def brackets(reader: Reader, node: exp.Paren, scope: Scope) -> Term:
    """(a)"""
    return operand(reader, node, scope)


# -- conditions ------------------------------------------------------------------------------------


def both_sides(reader: Reader, node: exp.Expr, scope: Scope) -> tuple[Term, Term]:
    """Return the two sides of an operator."""
    return operand(reader, node, scope), operand(reader, node, scope, "expression")


def conjunction(reader: Reader, node: exp.And, scope: Scope) -> Term:
    """a AND b"""
    return and_(*both_sides(reader, node, scope))


def disjunction(reader: Reader, node: exp.Or, scope: Scope) -> Term:
    """a OR b"""
    return or_(*both_sides(reader, node, scope))


def negation(reader: Reader, node: exp.Not, scope: Scope) -> Term:
    """NOT a"""
    return not_(operand(reader, node, scope))


def equal(reader: Reader, node: exp.EQ | exp.NEQ, scope: Scope) -> Term:
    """a = b"""
    refuse_rows(node)
    return equality(*both_sides(reader, node, scope))


def inequality(reader: Reader, node: exp.NEQ, scope: Scope) -> Term:
    """a <> b is NOT a = b"""
    return not_(equal(reader, node, scope))


def less_than(reader: Reader, node: exp.Expr, scope: Scope) -> Term:
    """a < b, a <= b"""
    left, right = both_sides(reader, node, scope)
    return ("lt" if isinstance(node, exp.LT) else "lte", left, right)


def greater(reader: Reader, node: exp.Expr, scope: Scope) -> Term:
    """a > b is b < a"""
    left, right = both_sides(reader, node, scope)
    return ("lt" if isinstance(node, exp.GT) else "lte", right, left)


def between(reader: Reader, node: exp.Between, scope: Scope) -> Term:
    """a BETWEEN x AND y is x <= a AND a <= y"""
    if node.args.get("symmetric"):
        raise Unproven("BETWEEN SYMMETRIC")

    if kinds_of([node.args["low"], node.args["high"]]) > 1:
        return any_node(reader, node, scope)

    value = operand(reader, node, scope)
    low, high = operand(reader, node, scope, "low"), operand(reader, node, scope, "high")
    return and_(("lte", low, value), ("lte", value, high))


def is_(reader: Reader, node: exp.Is, scope: Scope) -> Term:
    """a IS NULL, a IS TRUE"""
    if isinstance(node.expression, exp.Null):
        return ("isnull", operand(reader, node, scope))

    return any_node(reader, node, scope)


def null_safe_equality(reader: Reader, node: exp.NullSafeEQ, scope: Scope) -> Term:
    """a IS NOT DISTINCT FROM b"""
    return ("same", *both_sides(reader, node, scope))


def null_safe_inequality(reader: Reader, node: exp.NullSafeNEQ, scope: Scope) -> Term:
    """a IS DISTINCT FROM b"""
    return not_(("same", *both_sides(reader, node, scope)))


def in_(reader: Reader, node: exp.In, scope: Scope) -> Term:
    """a IN (1, 2) is a = 1 OR a = 2; a IN (SELECT …)"""
    refuse_rows(node)
    if set(operand_names(node)) - {"this", "expressions", "query"}:
        raise Unproven("IN with more to it")

    value = operand(reader, node, scope)
    if node.args.get("query") is None:
        if kinds_of(node.expressions) != 1:
            return any_node(reader, node, scope)

        return or_(*(equality(value, term_of(reader, each, scope)) for each in node.expressions))

    query = reader.query(node.args["query"], scope)
    if query.names is None or len(query.names) != 1:
        raise Unproven("IN over columns that are not known")

    return ("in", value, query)


def kinds_of(nodes: list[Any]) -> int:
    """Count the kinds of constants: an engine compares a list of mixed ones by a common type."""
    return len({node.is_string if isinstance(node, exp.Literal) else type(node) for node in nodes})


def refuse_rows(node: exp.Expr) -> None:
    """(a, b) = (c, d) compares rows: NULL in them has rules of its own."""
    sides = [node.this, node.args.get("expression"), *node.args.get("expressions", ())]
    if any(isinstance(side.unnest() if side else side, exp.Tuple) for side in sides):
        raise Unproven("rows as values")


def exists(reader: Reader, node: exp.Exists, scope: Scope) -> Term:
    """EXISTS (SELECT …)"""
    if not isinstance(node.this, exp.Query):
        raise Unproven("EXISTS over an array")

    return ("exists", reader.query(node.this, scope))


# -- values ----------------------------------------------------------------------------------------


def case_(reader: Reader, node: exp.Case, scope: Scope) -> Term:
    """CASE a WHEN 1 … is CASE WHEN a = 1 …"""
    tested = node.this
    branches = []
    for each in node.args["ifs"]:
        test = term_of(reader, each.this, scope)
        if tested is not None:
            test = equality(term_of(reader, tested, scope), test)

        branches.append((test, operand(reader, each, scope, "true")))

    otherwise = operand(reader, node, scope, "default") if node.args.get("default") else NULL
    return case(tuple(branches), otherwise)


def if_(reader: Reader, node: exp.If, scope: Scope) -> Term:
    """IF(a, b, c) is CASE WHEN a THEN b ELSE c END"""
    otherwise = operand(reader, node, scope, "false") if node.args.get("false") else NULL
    test, value = operand(reader, node, scope), operand(reader, node, scope, "true")
    return case(((test, value),), otherwise)


def first_value(reader: Reader, node: exp.Coalesce, scope: Scope) -> Term:
    """COALESCE, IFNULL, NVL"""
    rest = [term_of(reader, each, scope) for each in node.expressions]
    return coalesce(operand(reader, node, scope), *rest)


def null_if(reader: Reader, node: exp.Nullif, scope: Scope) -> Term:
    """NULLIF(a, b) is CASE WHEN a = b THEN NULL ELSE a END"""
    left, right = both_sides(reader, node, scope)
    return case(((equality(left, right), NULL),), left)


def plus(reader: Reader, node: exp.Add, scope: Scope) -> Term:
    """a + b is b + a, unless + joins texts"""
    if reader.facts.plus_joins_texts:
        return any_node(reader, node, scope)

    return ("plus", *both_sides(reader, node, scope))


def times(reader: Reader, node: exp.Mul, scope: Scope) -> Term:
    """a * b is b * a"""
    return ("times", *both_sides(reader, node, scope))


# -- aggregates ------------------------------------------------------------------------------------


def count(reader: Reader, node: exp.Count, scope: Scope) -> Term:
    """COUNT(1) is COUNT(*)"""
    if isinstance(node.this, exp.Literal) and not node.expressions:
        return count_rows()

    if isinstance(node.this, exp.Star) and not any(node.this.args.values()):
        return count_rows()

    if node.expressions:
        raise Unproven("COUNT of several columns")

    return ("node", "count", (("this", operand(reader, node, scope)),))


def count_rows() -> Term:
    """COUNT(*)"""
    return ("node", "count", (("this", ("rows",)),))


def alike_when_distinct(reader: Reader, node: exp.Expr, scope: Scope) -> Term:
    """MAX(DISTINCT a) is MAX(a)"""
    inner = node.this
    single = (
        isinstance(inner, exp.Distinct) and len(inner.expressions) == len(operand_names(node)) == 1
    )
    if not single:
        return any_node(reader, node, scope)

    return ("node", node.key, (("this", term_of(reader, inner.expressions[0], scope)),))


def rewrite_filter(reader: Reader, node: exp.Filter, scope: Scope) -> Term:
    """SUM(a) FILTER (WHERE c) is SUM(CASE WHEN c THEN a END)"""
    made = operand(reader, node, scope)
    test = term_of(reader, node.expression.this, scope)
    plain = len(made) == 3 and len(made[2]) == 1 and made[2][0][0] == "this"
    if not plain or made[2][0][1][:2] == ("node", "distinct"):
        return ("node", "filter", (made, as_filter(test)))

    value = made[2][0][1]
    if value == ("rows",):
        value = literal("number", "1")

    return ("node", made[1], (("this", case(((test, value),), NULL)),))


def operand_names(node: exp.Expr) -> list[str]:
    """Return the names of the operands that a node has."""
    return [name for name, value in node.args.items() if value]


HANDLERS: dict[type, Callable[[Any, Any, Any], Term]] = {
    exp.Column: column,
    exp.Identifier: identifier,
    exp.Literal: constant,
    exp.Boolean: boolean,
    exp.Null: null,
    exp.Paren: brackets,
    exp.And: conjunction,
    exp.Or: disjunction,
    exp.Not: negation,
    exp.EQ: equal,
    exp.NEQ: inequality,
    exp.LT: less_than,
    exp.LTE: less_than,
    exp.GT: greater,
    exp.GTE: greater,
    exp.Between: between,
    exp.Is: is_,
    exp.NullSafeEQ: null_safe_equality,
    exp.NullSafeNEQ: null_safe_inequality,
    exp.In: in_,
    exp.Exists: exists,
    exp.Case: case_,
    exp.If: if_,
    exp.Coalesce: first_value,
    exp.Nullif: null_if,
    exp.Add: plus,
    exp.Mul: times,
    exp.Count: count,
    exp.Min: alike_when_distinct,
    exp.Max: alike_when_distinct,
    exp.LogicalAnd: alike_when_distinct,
    exp.LogicalOr: alike_when_distinct,
    exp.Filter: rewrite_filter,
}
