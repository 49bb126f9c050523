"""Random expressions as DuckDB accepts them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from generators.duck_schema import FIELDS, LIST, STRUCT
from generators.scope import NUMBER, TEXT, Columns, Field, Scope, keys_in_place
from generators.writer import Grammar, Sourced, SqlWriter


class Drawn(NamedTuple):
    """A query, and the kind of each output column."""

    text: str
    columns: Columns


JOINS = (
    "JOIN",
    "JOIN",
    "LEFT JOIN",
    "RIGHT JOIN",
    "FULL JOIN",
    "CROSS JOIN",
    "SEMI JOIN",
    "ANTI JOIN",
)
FORMS = {
    NUMBER: [
        "(@n @o @n)",
        "abs(@n)",
        "length(@t)",
        "TRY_CAST(@t AS INTEGER)",
        "coalesce(@n, @n)",
        "ifnull(@n, @n)",
        "nullif(@n, @n)",
        "greatest(@n, @n)",
        "if(@c, @n, @n)",
        "CASE WHEN @c THEN @n WHEN @c THEN @n ELSE @n END",
        "CASE @t WHEN @t THEN @n END",
        "(@c)::INTEGER",
        "len(@l)",
        "@l[@n::INTEGER]",
        "list_sum(@l)",
        "list_sum(list_transform(@l, lambda x: x + @n))",
        "len([x FOR x IN @l IF x > @n])",
        "list_reduce(@l, lambda x, y: x + y, @n)",
        "{'p': @n, 'q': @n}.@p",
        "struct_extract({'p': @n, 'q': @t}, 'p')",
        "list_position(@l, @n)",
        "strpos(@t, @t)",
        "extract('day' FROM DATE '2024-01-01' + @n::INTEGER)",
        "-(@n)",
    ],
    TEXT: [
        "upper(@t)",
        "concat(@t, @t)",
        "(@t || @t)",
        "substr(@t, 1, @n::INTEGER)",
        "@n::VARCHAR",
        "coalesce(@t, @t)",
        "replace(@t, @t, @t)",
        "concat_ws('-', @t, @t)",
        "CASE WHEN @c THEN @t ELSE @t END",
        "array_to_string(@l, ',')",
        "string_split(@t, @t)[1]",
        "@s.town",
    ],
}
LISTS = [
    "list_transform(@L, lambda x: x + @n)",
    "list_filter(@L, lambda x: x > @n)",
    "list_concat(@L, @L)",
    "list_sort(@L)",
    "[x + @n FOR x IN @L]",
    "@L[1:@n::INTEGER]",
    "CASE WHEN @c THEN @L END",
]
CONDITIONS = [
    "@n @r @n",
    "@t = @t",
    "@n BETWEEN @n AND @n",
    "@t LIKE 'a%'",
    "@t IN ('a', @t)",
    "@n IS NOT NULL",
    "@n IS DISTINCT FROM @n",
    "list_contains(@l, @n)",
    "@n IN @l",
    "@n = ANY(@l)",
    "(@n, @t) = (@n, @t)",
]
AGGREGATES = {
    NUMBER: [
        "sum(@n)",
        "max(@n)",
        "count(@t)",
        "count(*)",
        "count(DISTINCT @n)",
        "sum(DISTINCT @n)",
        "arg_min(@n, @t)",
        "quantile_disc(@n, 0.5)",
        "count_if(@c)",
        "max_by(@n, @n)",
        "percentile_disc(0.5) WITHIN GROUP (ORDER BY @n)",
        "list(@n @b, @1)[1]",
        "bool_or(@c)::INTEGER",
        "len(array_agg(@n))",
        "last(@n @b, @1)",
    ],
    TEXT: [
        "max(@t)",
        "min(@t)",
        "string_agg(@t, ',' @b, @1)",
        "arg_max(@t, @n)",
        "first(@t @b, @1)",
        "string_agg(DISTINCT @t, ',' ORDER BY @1)",
    ],
}
WITHOUT_FILTER = ("list(", "bool_or", "len(")
"""Aggregates that are written without FILTER: it would follow what is around the call."""

DUCK = Grammar(
    forms=FORMS,
    conditions=CONDITIONS,
    aggregates=AGGREGATES,
    joins=JOINS,
    narrowing=("SEMI JOIN", "ANTI JOIN"),
    using=keys_in_place,
    numbers=(0, 4),
    texts=("'a'", "'b'", "'ab'"),
    as_number="length({}::VARCHAR)",
    as_text="{}::VARCHAR",
    nested={TEXT: 55},
    literals=12,
    by_name=45,
    picks={"o": "+-*", "p": "pq", "r": (">", "<=", "<>", "=")},
    parts={"l": "short_list", "L": "list_", "s": "short_struct", "b": "order"},
)


class Expressions(SqlWriter):
    """The part of the writer that stands below a SELECT list or a condition."""

    grammar = DUCK
    depth: int
    query: Callable[..., Drawn]
    source: Callable[..., Sourced]

    # -- names -------------------------------------------------------------------------------------

    def other_column(self, scope: Scope, kind: str) -> str:
        """A field of a struct; made of another kind where there is none."""
        structs = self.fields(scope, STRUCT)
        wanted = [name for name, each in FIELDS.items() if each == kind]
        if structs and wanted:
            return f"{self.spell(self.choose(structs), scope)}.{wanted[0]}"
        others = [f for f in scope if f.kind in (NUMBER, TEXT) and self.nameable(f, scope)]
        if not others:
            return self.literal(kind) if kind in (NUMBER, TEXT) else "[1, 2]"
        return self.cast(self.spell(self.choose(others), scope), kind)

    def nameable(self, field: Field, scope: Scope) -> bool:
        """A merged column that another table has as well cannot be named any more."""
        return (
            not field.merged
            or sum(each.name == field.name and not each.hidden for each in scope) == 1
        )

    # -- values ------------------------------------------------------------------------------------

    def value(self, scope: Scope, kind: str, depth: int) -> str:
        if depth > 0 and self.maybe(12):
            return self.subquery(scope, kind, depth)
        return self.expression(scope, kind, 2)

    def expression(self, scope: Scope, kind: str, depth: int, *, needs_column: bool = False) -> str:
        """Return a value of the kind; lists and structs have forms of their own."""
        if kind == LIST:
            return self.list_(scope, depth)
        if kind == STRUCT:
            return self.struct(scope, depth)
        return super().expression(scope, kind, depth, needs_column=needs_column)

    def number(self, scope: Scope, depth: int) -> str:
        return self.expression(scope, NUMBER, depth)

    def text(self, scope: Scope, depth: int) -> str:
        return self.expression(scope, TEXT, depth)

    def list_(self, scope: Scope, depth: int) -> str:
        fields = self.fields(scope, LIST)
        if fields and self.maybe(60):
            return self.spell(self.choose(fields), scope)
        if depth == 0 or not self.maybe(50):
            return self.fill("[@n, @n]", scope, max(0, depth - 1))
        return self.fill(self.choose(LISTS), scope, depth - 1)

    def short_list(self, scope: Scope, depth: int) -> str:
        return self.list_(scope, 0)

    def short_struct(self, scope: Scope, depth: int) -> str:
        return self.struct(scope, 0)

    def struct(self, scope: Scope, depth: int) -> str:
        fields = self.fields(scope, STRUCT)
        if fields and self.maybe(70):
            return self.spell(self.choose(fields), scope)
        return f"{{'lat': {self.number(scope, 0)}, 'town': {self.text(scope, 0)}}}"

    # -- conditions --------------------------------------------------------------------------------

    def predicate(self, scope: Scope, depth: int) -> str:
        """A condition, or one that asks another query."""
        if depth == 0 or not self.maybe(35):
            return self.condition(scope, 1)
        kind = self.choose((NUMBER, TEXT))
        inner = self.query(depth - 1, [kind], outer=self.seen(scope)).text
        asked = self.expression(scope, kind, 1)
        forms = (
            f"{self.choose(('', 'NOT '))}EXISTS ({inner})",
            f"{asked} {self.choose(('', 'NOT '))}IN ({inner})",
            f"{asked} {self.choose(('>', '<=', '='))} {self.choose(('ANY', 'ALL'))} ({inner})",
            f"{asked} = {self.subquery(scope, kind, depth)}",
        )
        return self.choose(forms)

    def seen(self, scope: Scope) -> Scope:
        """What a query inside may name of the one around it: not what it would have to name without
        a table.
        """
        return [field for field in scope if not field.merged]

    def subquery(self, scope: Scope, kind: str, depth: int) -> str:
        """(SELECT max(x) FROM t WHERE …)      one row, and correlated now and then"""
        inner = self.query(
            depth - 1, [kind, NUMBER], outer=self.seen(scope) if self.maybe(70) else ()
        )
        first, second = inner.columns
        forms = [f"(SELECT max({first}) FROM ({inner.text}))",
                 f"(SELECT {first} FROM ({inner.text}) ORDER BY {second}, {first} LIMIT 1)"]  # fmt: skip
        if kind == NUMBER:
            forms += [f"(SELECT count(*) FROM ({inner.text}))", f"(EXISTS ({inner.text}))::INTEGER",
                      f"(SELECT sum({first}) FILTER (WHERE {second} > 1) FROM ({inner.text}))",
                      f"list_sum(ARRAY(SELECT {first} FROM ({inner.text})))",
                      f"({self.column(scope, NUMBER)} IN (SELECT {first} FROM ({inner.text})))::INTEGER"]  # fmt: skip
        return self.choose(forms)

    # -- aggregates and windows --------------------------------------------------------------------

    def aggregate(self, scope: Scope, kind: str, depth: int) -> str:
        made = self.call(scope, kind, depth)
        if self.maybe(15) and not made.startswith(WITHOUT_FILTER):
            made += f" FILTER (WHERE {self.condition(scope, 0)})"
        if kind == NUMBER and self.maybe(20):
            return self.choose((f"coalesce({made}, 0)", f"({made} + {self.literal(NUMBER)})",
                                f"CASE WHEN {made} > 1 THEN {self.call(scope, kind, depth)} END"))  # fmt: skip
        return made

    def order(self, scope: Scope, depth: int) -> str:
        """ORDER BY inside of an aggregate"""
        return f"ORDER BY {self.expression(scope, self.choose((NUMBER, TEXT)), depth)}"

    def keys(self, scope: Scope, *, partition: bool, order: bool, total: bool = False) -> str:
        """PARTITION BY … ORDER BY …; a total order has every column in it, so that no tie is left
        to chance.
        """
        made = ""
        if partition and self.maybe(65):
            made = f"PARTITION BY {self.expression(scope, self.choose((NUMBER, TEXT)), 1)}"
        if order or total:
            keys = [
                self.expression(scope, self.choose((NUMBER, TEXT)), 1)
                for _ in range(self.choose((1, 2, 3)))
            ]
            keys = [key + self.choose(("", " DESC")) for key in keys]
            if total:
                keys += [f"{field.alias}.{field.name}" for field in scope if not field.merged]
            made += f" ORDER BY {', '.join(keys)}"
        return made

    def window(self, scope: Scope, kind: str, names: Sequence[str] = ()) -> str:
        made = self.peers(scope, kind, names) if self.maybe(60) else self.neighbours(scope, kind)
        return f"({made} + 1)" if kind == NUMBER and self.maybe(20) else made

    def peers(self, scope: Scope, kind: str, names: Sequence[str]) -> str:
        """rank() OVER w, sum(a) OVER (…)      rows that compare equal get the same"""
        one = self.expression(scope, kind, 1)
        calls = [f"max({one})", f"min({one}) FILTER (WHERE {self.condition(scope, 0)})"]
        if kind == NUMBER:
            calls += ["rank()", "dense_rank()", f"sum({one})", f"count({one})", "count(*)", f"count(DISTINCT {one})",
                      f"sum({one}) FILTER (WHERE {self.condition(scope, 0)})", "cume_dist()::INTEGER"]  # fmt: skip
        call = self.choose(calls)
        if names and self.maybe(70):
            return f"{call} OVER {self.choose(names)}"
        ordered = "rank" in call or "dist" in call or self.maybe(60)
        frame = ""
        if (
            ordered
            and self.maybe(35)
            and "rank" not in call
            and "dist" not in call
            and "DISTINCT" not in call
        ):
            frame = (
                f" GROUPS BETWEEN {self.choose(('1', 'UNBOUNDED'))} PRECEDING AND "
                + self.choose(("CURRENT ROW", "1 FOLLOWING", "UNBOUNDED FOLLOWING"))
            )
            frame += self.choose(("", "", " EXCLUDE CURRENT ROW", " EXCLUDE TIES"))
        return f"{call} OVER ({self.keys(scope, partition=True, order=ordered)}{frame})"

    def neighbours(self, scope: Scope, kind: str) -> str:
        """lag(a) OVER (… ORDER BY …)      each row gets its own, and the order has to be total"""
        one = self.expression(scope, kind, 1)
        calls = [f"lag({one})", f"lead({one}, 1, {self.expression(scope, kind, 0)})"]
        framed = [f"first_value({one})", f"last_value({one})", f"nth_value({one}, 2)", f"max({one})",
                  f"first_value({one} IGNORE NULLS)"]  # fmt: skip
        calls += framed
        if kind == NUMBER:
            calls += ["row_number()", "ntile(2)"]
        call = self.choose(calls)
        frame = ""
        if call in framed and self.maybe(40):
            frame = f" ROWS BETWEEN {self.choose(('1', 'UNBOUNDED'))} PRECEDING AND " + self.choose(
                ("CURRENT ROW", "1 FOLLOWING")
            )
        return f"{call} OVER ({self.keys(scope, partition=True, order=True, total=True)}{frame})"
