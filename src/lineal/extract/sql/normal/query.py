"""Queries as values: what they read, which rows they keep, and what they return."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import NamedTuple

from lineal.extract.sql.normal.terms import (
    Subquery,
    Term,
    as_filter,
    column,
    equality,
    has_aggregate,
    may_fail,
    replace_columns,
)
from lineal.model.sequences import instances

NUMBERS = count(1)
"""Every source has a number of its own, so that two scans of a table stay apart."""


class Item(NamedTuple):
    """An output column; `*` where not all columns of a table are known."""

    name: str
    term: Term


@dataclass(eq=False)
class Source:
    """A member of FROM: a table or a query."""

    table: str
    query: Query | None = None
    columns: list[str] | None = None
    number: int = field(default_factory=lambda: next(NUMBERS))


@dataclass(eq=False)
class Left:
    """A source that is joined with LEFT JOIN, and the conditions of the join."""

    source: Source
    conditions: list[Term]


class Query(Subquery):
    """A SELECT or a set operation."""

    names: list[str] | None

    @abstractmethod
    def member_of(self, value: Term) -> Term:
        """Return the condition that a value is one of the query's rows: `x IN (SELECT y …)` as
        EXISTS. It is FALSE where IN is NULL, so it holds for filters only.
        """


@dataclass(eq=False)
class Block(Query):
    """SELECT items FROM sources LEFT JOIN lefts WHERE conditions GROUP BY keys HAVING having.

    An inner join is a source and conditions: for the rows there is no difference.
    """

    sources: list[Source] = field(default_factory=list)
    lefts: list[Left] = field(default_factory=list)
    conditions: list[Term] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    keys: list[Term] | None = None
    having: list[Term] = field(default_factory=list)
    distinct: bool = False
    order: list[Term] = field(default_factory=list)

    @property
    def names(self) -> list[str] | None:  # type: ignore[override]
        """Return the names of the columns; None where not all of them are known."""
        names = [item.name for item in self.items]
        if "*" in names:
            return None

        return names

    @property
    def all_sources(self) -> list[Source]:
        """Return the sources of all joins."""
        return [*self.sources, *(left.source for left in self.lefts)]

    @property
    def is_plain(self) -> bool:
        """Tell whether each row of the sources that is kept is one row of the result."""
        computed = any(has_aggregate(item.term) for item in self.items)
        return self.keys is None and not self.distinct and not self.order and not computed

    def own_terms(self) -> Iterator[Term]:
        """Yield every expression of the query, without those of derived tables."""
        for left in self.lefts:
            yield from left.conditions

        yield from self.conditions
        yield from (item.term for item in self.items)
        yield from self.keys or ()
        yield from self.having
        yield from self.order

    def terms(self) -> Iterator[Term]:
        """Yield every expression in the query."""
        yield from self.own_terms()
        for source in self.all_sources:
            if source.query is not None:
                yield from source.query.terms()

    def replace(self, change: Callable[[Term], Term]) -> Block:
        """Return the query with other columns."""

        def change_terms(several: list[Term]) -> list[Term]:
            """Return the terms with their columns replaced."""
            return [replace_columns(each, change) for each in several]

        lefts = [
            Left(replace_in_source(left.source, change), change_terms(left.conditions))
            for left in self.lefts
        ]
        keys = change_terms(self.keys) if self.keys is not None else None
        return replace(
            self,
            sources=[replace_in_source(each, change) for each in self.sources],
            lefts=lefts,
            conditions=change_terms(self.conditions),
            items=[Item(item.name, replace_columns(item.term, change)) for item in self.items],
            keys=keys,
            having=change_terms(self.having),
            order=change_terms(self.order),
        )

    def member_of(self, value: Term) -> Term:
        """x IN (SELECT y FROM u WHERE c)      EXISTS (SELECT 1 FROM u WHERE c AND y = x)"""
        if self.is_plain or (self.distinct and self.keys is None and not self.has_aggregates):
            found = as_filter(equality(value, self.items[0].term))
            inner = replace(self, items=[], distinct=False, order=[])
            inner.conditions = [*self.conditions, found]
            return ("exists", inner)

        return member_of_derived(self, value)

    @property
    def has_aggregates(self) -> bool:
        """Tell whether an output column is an aggregate or a window."""
        return any(has_aggregate(item.term) for item in self.items)

    @property
    def filters_may_fail(self) -> bool:
        """Tell whether a condition of this query can be refused."""
        joins = chain.from_iterable(left.conditions for left in self.lefts)
        return any(map(may_fail, (*self.conditions, *joins, *self.having)))


@dataclass(eq=False)
class SetOperation(Query):
    """Branches of UNION, EXCEPT or INTERSECT, matched by position."""

    kind: str
    distinct: bool
    branches: list[Query]
    order: list[Term] = field(default_factory=list)

    @property
    def names(self) -> list[str] | None:  # type: ignore[override]
        """Return the names of the first branch."""
        return self.branches[0].names

    def terms(self) -> Iterator[Term]:
        """Yield every expression in the branches."""
        for branch in self.branches:
            yield from branch.terms()

    def replace(self, change: Callable[[Term], Term]) -> SetOperation:
        """Return the query with other columns."""
        branches = [branch.replace(change) for branch in self.branches]
        return replace(self, branches=instances(branches, Query))

    def member_of(self, value: Term) -> Term:
        """Return the condition that a value is in the result."""
        return member_of_derived(self, value)


def member_of_derived(query: Query, value: Term) -> Term:
    """EXISTS (SELECT 1 FROM (query) AS q WHERE q.y = x)"""
    source = Source("", query, query.names)
    compared = equality(value, column(source.number, (query.names or [""])[0]))
    return ("exists", Block(sources=[source], conditions=[compared]))


def replace_in_source(source: Source, change: Callable[[Term], Term]) -> Source:
    """Return a source whose query has other columns."""
    if source.query is None:
        return source

    changed = source.query.replace(change)
    assert isinstance(changed, Query)
    return replace(source, query=changed)
