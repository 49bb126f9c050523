"""What follows FROM, drawn at random: tables, CTEs, subqueries, laterals, pivots and the joins
between them.
"""

from __future__ import annotations

from collections.abc import Sequence

from generators.duck_expressions import Expressions
from generators.duck_schema import LIST, SCHEMA
from generators.scope import (
    NUMBER,
    TEXT,
    Columns,
    Field,
    Scope,
    has_unique_names,
    shown_names,
    table_fields,
)
from generators.writer import Sourced


class Relations(Expressions):
    """The part of the writer that draws FROM."""

    ctes: dict[str, Columns]

    def source(self, depth: int, outer: Scope = ()) -> Sourced:
        made = self.relation(depth)
        for _ in range(2):
            if self.maybe(35):
                made = (
                    self.lateral(made, depth, outer)
                    if self.maybe(25)
                    else self.join(made, self.relation(depth))
                )
        return made

    def relation(self, depth: int) -> Sourced:
        """A table, a CTE, a subquery, VALUES or a parenthesised join; now and then with a list of
        columns.
        """
        if depth > 0 and self.maybe(6):
            return self.parenthesised(depth)
        alias = self.new("t")
        if depth > 0 and self.maybe(25):
            inner = self.query(depth - 1)
            text, columns = f"({inner.text})", inner.columns
        elif self.maybe(5):
            text, columns = (
                f"(SELECT * FROM (VALUES ({self.literal(NUMBER)}, 'a'), (2, 'b')))",
                {"col0": NUMBER, "col1": TEXT},
            )
        elif self.ctes.keys().isdisjoint(SCHEMA) and self.maybe(8):
            text, columns = self.choose((self.pivot, self.unpivot))()
        else:
            tables = {**SCHEMA, **self.ctes}
            name = self.choose([*self.ctes, *self.ctes, *SCHEMA] if self.maybe(50) else [*tables])
            text, columns = name, dict(tables[name])
            if self.maybe(12):
                return Sourced(name, table_fields(name, columns))
        if self.maybe(8):
            columns = {self.new("c"): kind for kind in columns.values()}
            return Sourced(f"{text} AS {alias}({', '.join(columns)})", table_fields(alias, columns))
        return Sourced(f"{text} AS {alias}", table_fields(alias, columns))

    def parenthesised(self, depth: int) -> Sourced:
        """(a JOIN b ON …), (a JOIN b ON …) AS j"""
        made = self.join(self.relation(0), self.relation(0))
        return Sourced(f"({made.text})", made.scope)

    def pivot(self) -> tuple[str, Columns]:
        """(PIVOT orders ON region IN ('a', 'b') USING sum(amount) GROUP BY id)"""
        table = self.choose(("orders", "customers", "payments"))
        on = {"orders": "region", "customers": "region", "payments": "method"}[table]
        numbers = [name for name, kind in SCHEMA[table].items() if kind == NUMBER]
        value, key = self.random.sample(numbers, 2)
        call = self.choose(("sum", "max", "count"))
        grouped = f"GROUP BY {key}"
        if self.maybe(40):
            inner = f"(SELECT {key}, {on}, {value} FROM {table})"
            given = f"SELECT * FROM {inner} PIVOT ({call}({value}) FOR {on} IN ('a', 'b'))"
            return f"({given})", {key: NUMBER, "a": NUMBER, "b": NUMBER}
        return (f"(PIVOT {table} ON {on} IN ('a', 'b') USING {call}({value}) {grouped})",
                {key: NUMBER, "a": NUMBER, "b": NUMBER})  # fmt: skip

    def unpivot(self) -> tuple[str, Columns]:
        """(SELECT … FROM payments UNPIVOT (v FOR n IN (amount, order_id)))"""
        nulls = self.choose(("", "INCLUDE NULLS "))
        inner = "(SELECT id, amount, order_id FROM payments)"
        if self.maybe(50):
            return (f"(SELECT * FROM {inner} UNPIVOT {nulls}(v FOR n IN (amount, order_id)))",
                    {"id": NUMBER, "n": TEXT, "v": NUMBER})  # fmt: skip
        return (f"(UNPIVOT {inner} ON amount, order_id INTO NAME n VALUE v)",
                {"id": NUMBER, "n": TEXT, "v": NUMBER})  # fmt: skip

    # -- joins -------------------------------------------------------------------------------------

    def would_clash(self, left: Scope, right: Scope) -> bool:
        """Tell whether a merged column, or one of two tables, could not be named any more."""
        shared = not set(shown_names(left)).isdisjoint(shown_names(right))
        if shared and any(field.merged for field in left):
            return True
        return bool(aliases(left) & aliases(right))

    def cross(self) -> str:
        return self.choose((" CROSS JOIN ", ", "))

    def special_join(self, left: Sourced, right: Sourced) -> Sourced | None:
        return self.asof(left, right) if self.maybe(8) else None

    def may_be_natural(self, left: Scope, right: Scope) -> bool:
        return has_unique_names(left) and has_unique_names(right)

    def are_all_shared(self, keys: Sequence[str], left: Scope, right: Scope) -> bool:
        return set(keys) == set(shown_names(left)) & set(shown_names(right))

    def joinable(self, field: Field, scope: Scope) -> bool:
        return field.kind in (NUMBER, TEXT) and self.nameable(field, scope)

    def unrelated(self, scope: Scope) -> str:
        return "1 = 1"

    def asof(self, left: Sourced, right: Sourced) -> Sourced:
        """a ASOF JOIN b ON a.x = b.y AND a.n >= b.m"""
        pairs = [
            (a, b)
            for a in left.scope
            for b in right.scope
            if a.kind == b.kind == NUMBER and not a.merged
        ]
        if not pairs:
            return left
        one, other = self.choose(pairs)
        condition = f"{one.alias}.{one.name} >= {other.alias}.{other.name}"
        if self.maybe(50):
            condition = (
                f"{self.join_condition(left.scope, right.scope, extra=False)} AND {condition}"
            )
        kind = self.choose(("ASOF JOIN", "ASOF LEFT JOIN"))
        return Sourced(
            f"{left.text} {kind} {right.text} ON {condition}", [*left.scope, *right.scope]
        )

    def lateral(self, left: Sourced, depth: int, outer: Scope) -> Sourced:
        """…, LATERAL (SELECT … WHERE t.id = o.id) AS l, …, UNNEST(t.tags) AS u(x)"""
        alias, name = self.new("t"), self.new("c")
        seen = [field for field in left.scope if not field.merged]
        lists = [field for field in seen if field.kind == LIST]
        if lists and self.maybe(50):
            field = self.choose(lists)
            text = f"UNNEST({field.alias}.{field.name}) AS {alias}({name})"
            return Sourced(f"{left.text}, {text}", [*left.scope, Field(alias, name, NUMBER)])
        if self.maybe(15):
            text = f"generate_series(1, {self.number(seen, 0)}) AS {alias}({name})"
            return Sourced(f"{left.text}, {text}", [*left.scope, Field(alias, name, NUMBER)])
        inner = self.query(max(0, depth - 1), outer=seen)
        join = self.choose((", LATERAL ", " CROSS JOIN LATERAL ", " LEFT JOIN LATERAL "))
        on = " ON true" if "LEFT" in join else ""
        return Sourced(f"{left.text}{join}({inner.text}) AS {alias}{on}",
                       [*left.scope, *table_fields(alias, inner.columns)])  # fmt: skip


def aliases(scope: Scope) -> set[str]:
    return {field.alias for field in scope if field.alias}
