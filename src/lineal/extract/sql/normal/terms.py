"""Expressions as plain tuples, and the rules that hold for them whatever the values are.

    ("col", 3, "amount")                     a column of source 3
    ("lit", "number", "1")                   a constant
    ("eq", a, b), ("lt", a, b), ("lte", …)   comparisons; a > b is b < a
    ("and", …), ("or", …), ("not", a)        conditions
    ("isnull", a), ("same", a, b)            a IS NULL; a IS NOT DISTINCT FROM b
    ("case", ((condition, value), …), else)  CASE, IF, NULLIF
    ("coalesce", a, b, …)
    ("plus", a, b), ("times", a, b)          sums and products of two, in any order
    ("exists", query), ("in", a, query), ("scalar", query)
    ("node", key, …)                         anything else, by the name of its class

SQL has three truth values. A rule that only holds where NULL counts as FALSE (WHERE, ON, HAVING,
the tests of CASE) is applied by `as_filter` alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from lineal.extract.sql.normal.functions import AGGREGATES, TOTAL
from lineal.model.sequences import flatten

Term = tuple[Any, ...]

TRUE: Term = ("lit", "boolean", "true")
FALSE: Term = ("lit", "boolean", "false")
NULL: Term = ("lit", "null", "null")
CONSTANTS = {TRUE: FALSE, FALSE: TRUE}
"""NOT TRUE is FALSE"""
COMPARISONS = frozenset(("eq", "lt", "lte"))
CONDITIONS = COMPARISONS | {"and", "or", "not", "isnull", "same", "exists", "in"}
"""Terms whose value is TRUE, FALSE or NULL."""
AGGREGATES_AND_WINDOWS = AGGREGATES | {"window"}
LAZY = frozenset(("case", "coalesce", "and", "or"))
"""The terms that need not evaluate all of their operands."""


class Subquery(ABC):
    """A query inside an expression: `query` says what can be asked of it."""

    @abstractmethod
    def terms(self) -> Iterator[Term]:
        """Yield every expression in the query."""

    @abstractmethod
    def replace(self, change: Callable[[Term], Term]) -> Subquery:
        """Return the query with other columns."""


def column(source: int, name: str) -> Term:
    """Return a column of a source."""
    return ("col", source, name)


def literal(kind: str, text: str) -> Term:
    """Return a constant."""
    return ("lit", kind, text)


# -- walking ---------------------------------------------------------------------------------------


def terms_in(term: Term) -> Iterator[Term]:
    """Yield a term and every term in it, those of subqueries included."""
    stack: list[Any] = [term]
    while stack:
        here = stack.pop()
        if isinstance(here, Subquery):
            stack.extend(here.terms())
        elif isinstance(here, tuple):
            if here and isinstance(here[0], str):
                yield here

            stack.extend(here)


def columns_in(term: Term) -> Iterator[Term]:
    """Yield every column that a term names."""
    return (each for each in terms_in(term) if each[0] in ("col", "star"))


def sources_of(term: Term) -> set[int]:
    """Return the sources that a term names."""
    return {each[1] for each in columns_in(term)}


def replace_columns(term: Term, change: Callable[[Term], Term]) -> Term:
    """Return a term with other columns, and its rules applied again."""
    if term[0] in ("col", "star"):
        return change(term)

    return rebuild(tuple(replace_part(each, change) for each in term))


def replace_part(part: Any, change: Callable[[Term], Term]) -> Any:
    """Return one part of a term with other columns."""
    if isinstance(part, Subquery):
        return part.replace(change)

    if not isinstance(part, tuple):
        return part

    if part and isinstance(part[0], str):
        return replace_columns(part, change)

    return tuple(replace_part(each, change) for each in part)


def rebuild(term: Term) -> Term:
    """Return a term whose operands were exchanged, with its rules applied."""
    build = BUILDERS.get(term[0])
    if build is None:
        return term

    return build(*term[1:])


# -- what a term can do ----------------------------------------------------------------------------


def is_aggregate(term: Term) -> bool:
    """Tell whether a term is an aggregate or a window."""
    return term[0] == "node" and term[1] in AGGREGATES_AND_WINDOWS


def has_aggregate(term: Term) -> bool:
    """Tell whether a term holds an aggregate or a window of its own query."""
    stack: list[Any] = [term]
    while stack:
        here = stack.pop()
        if isinstance(here, tuple):
            if here and isinstance(here[0], str) and is_aggregate(here):
                return True

            stack.extend(here)

    return False


def has_window(term: Term) -> bool:
    """Tell whether a term holds a window."""
    return any(each[0] == "node" and each[1] == "window" for each in terms_in(term))


def may_fail(term: Term) -> bool:
    """Tell whether evaluating a term can be refused: a division, a cast, a function that is not
    known, a scalar subquery with two rows.
    """
    return any(not is_total(each) for each in terms_in(term))


def is_total(term: Term) -> bool:
    """Tell whether one node always has a value."""
    kind: str = term[0]
    if kind == "node":
        return term[1] in TOTAL

    return kind != "scalar"


def strict_columns(term: Term) -> Iterator[Term]:
    """Yield the columns that are evaluated whenever a term is."""
    if term[0] == "col":
        yield term
    elif term[0] not in LAZY:
        for part in term:
            if isinstance(part, tuple) and part and isinstance(part[0], str):
                yield from strict_columns(part)


# -- conditions ------------------------------------------------------------------------------------


def operands(kind: str, term: Term) -> Iterator[Term]:
    """Yield the operands of nested conditions of one kind."""
    if term[0] != kind:
        yield term
        return

    for each in term[1:]:
        yield from operands(kind, each)


def and_(*several: Term) -> Term:
    """a AND b: in any order, without what always holds."""
    flat = [each for term in several for each in operands("and", term) if each != TRUE]
    kept = list(dict.fromkeys(flat))
    if len(kept) > 1:
        return ("and", *kept)

    return kept[0] if kept else TRUE


def or_(*several: Term) -> Term:
    """a OR b: in any order."""
    kept = list(dict.fromkeys(chain.from_iterable(operands("or", term) for term in several)))
    if len(kept) > 1:
        return ("or", *kept)

    return kept[0]


def not_(term: Term) -> Term:
    """NOT a, moved to the inside: NOT (a AND b) is NOT a OR NOT b, for NULL, too."""
    if term[0] == "and":
        return or_(*map(not_, term[1:]))

    if term[0] == "or":
        return and_(*map(not_, term[1:]))

    if term[0] == "not" and term[1][0] in CONDITIONS:
        inner: Term = term[1]
        return inner

    return CONSTANTS.get(term) or ("not", term)


def equality(left: Term, right: Term) -> Term:
    """a = b, the same as b = a; 1 = 1 always holds."""
    if left == right and left[0] == "lit" and left != NULL:
        return TRUE

    return ("eq", left, right)


def case(branches: tuple[tuple[Term, Term], ...], otherwise: Term) -> Term:
    """CASE WHEN … END; what only looks for the first value that is not NULL is COALESCE."""
    tested = tuple((as_filter(test), value) for test, value in branches)
    always = next((at for at, (test, _) in enumerate(tested) if test == TRUE), None)
    if always is not None:
        tested, otherwise = tested[:always], tested[always][1]

    if not tested:
        return otherwise

    test, value = tested[-1]
    if test == not_(("isnull", value)):
        return case(tested[:-1], coalesce(value, otherwise))

    if test == ("isnull", otherwise):
        return case(tested[:-1], coalesce(otherwise, value))

    return ("case", tested, otherwise)


def coalesce(*several: Term) -> Term:
    """COALESCE(a, COALESCE(b, c)) is COALESCE(a, b, c)."""
    flat = flatten(operands("coalesce", term) for term in several)
    kept = list(dict.fromkeys(each for each in flat if each != NULL))
    if len(kept) > 1:
        return ("coalesce", *kept)

    return kept[0] if kept else NULL


def as_filter(term: Term) -> Term:
    """Return a condition of which only TRUE counts, where NULL is as good as FALSE."""
    if term[0] == "and":
        return and_(*map(as_filter, term[1:]))

    if term[0] == "or":
        return null_safe(or_(*map(as_filter, term[1:])))

    if is_false_if_null(term):
        return as_filter(term[1])

    if term[0] == "case" and len(term[1]) == 1 and term[1][0][1] == TRUE:
        return as_filter(term[1][0][0]) if term[2] in (FALSE, NULL) else term

    if term[0] == "in" and not may_fail(term):
        found: Term = term[2].member_of(term[1])
        return found

    if term[0] == "not" and is_false_if_null(term[1]) and term[1][1][0] == "in":
        return not_(as_filter(term[1][1]))

    return term


def is_false_if_null(term: Term) -> bool:
    """COALESCE(condition, FALSE)"""
    plain = term[0] == "coalesce" and len(term) == 3
    return plain and term[2] == FALSE and term[1][0] in CONDITIONS


def null_safe(term: Term) -> Term:
    """a = b OR (a IS NULL AND b IS NULL) is a IS NOT DISTINCT FROM b, in a filter."""
    if term[0] != "or":
        return term

    pairs = {frozenset(each[1:]): each for each in term[1:] if each[0] == "eq"}
    for each in term[1:]:
        if each[0] != "and" or len(each) != 3 or any(part[0] != "isnull" for part in each[1:]):
            continue

        compared = pairs.get(frozenset(part[1] for part in each[1:]))
        if compared is not None:
            rest = [other for other in term[1:] if other not in (each, compared)]
            return or_(("same", *compared[1:]), *rest)

    return term


BUILDERS: dict[str, Callable[..., Term]] = {
    "and": and_,
    "or": or_,
    "not": not_,
    "eq": equality,
    "case": case,
    "coalesce": coalesce,
}
