"""Queries that Python puts together with sqlglot, clause by clause.

exp.select("a", "b").from_("t").join("u", on="t.id = u.id").where("a > 1")
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from lineal.extract.pyspark.embedded.statements import Called
from lineal.extract.pyspark.values import Unknown, Value

SIGNS = {"WHERE": " AND ", "HAVING": " AND "}
CLAUSES = {
    "from_": "FROM", "where": "WHERE", "group_by": "GROUP BY", "having": "HAVING",
    "qualify": "QUALIFY", "order_by": "ORDER BY", "limit": "LIMIT",
}  # fmt: skip
"""The methods of a query that add to a clause, in the order in which SQL writes the clauses."""


@dataclass(frozen=True)
class Query:
    """A query in the making: the texts of each clause."""

    columns: tuple[str, ...] = ()
    clauses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    joins: tuple[str, ...] = ()
    is_distinct: bool = False

    def __str__(self) -> str:
        """Return the SELECT as SQL."""
        distinct = "DISTINCT " if self.is_distinct else ""
        written = [f"SELECT {distinct}{', '.join(self.columns) or '*'}"]
        for word in CLAUSES.values():
            texts = self.clauses.get(word, ())
            if texts:
                written.append(f"{word} {SIGNS.get(word, ', ').join(texts)}")

            if word == "FROM":
                written.extend(self.joins)

        return "\n".join(written)

    def adding(self, word: str, texts: tuple[str, ...]) -> Query:
        """Return the query with more in a clause."""
        return replace(self, clauses={**self.clauses, word: (*self.clauses.get(word, ()), *texts)})


def open_query(called: Called, text_of: Callable[[Value], str | None]) -> Value:
    """exp.select("a", "b")"""
    return call_query(Query(), called._replace(name="select"), text_of)


def call_query(held: Query, called: Called, text_of: Callable[[Value], str | None]) -> Value:
    """query.where("a > 1")"""
    texts = list(map(text_of, called.arguments))
    if None in texts:
        return Unknown(called.name, "a query that a macro makes")

    known = tuple(text for text in texts if text)
    if called.name in CLAUSES:
        return held.adding(CLAUSES[called.name], known)

    if called.name == "join" and known:
        return replace(held, joins=(*held.joins, join_text(known, called, text_of)))

    if called.name in METHODS:
        return METHODS[called.name](held, known)

    return Unknown(called.name, "a query that a macro makes")


METHODS: dict[str, Callable[[Query, tuple[str, ...]], Value]] = {
    "select": lambda held, texts: replace(held, columns=(*held.columns, *texts)),
    "distinct": lambda held, texts: replace(held, is_distinct=True),
    "copy": lambda held, texts: held,
    "subquery": lambda held, texts: f"({held})",
    "sql": lambda held, texts: str(held),
}


def join_text(
    known: tuple[str, ...], called: Called, text_of: Callable[[Value], str | None]
) -> str:
    """query.join("u", on="t.id = u.id", join_type="left")"""
    kind = text_of(called.keywords.get("join_type", "")) or ""
    using = text_of(called.keywords.get("using", "")) or ""
    on = text_of(called.value(1, "on") or "") or ""
    written = f"{kind.upper()} JOIN {known[0]}".strip()
    if using:
        return f"{written} USING ({using})"

    if on:
        return f"{written} ON {on}"

    return written
