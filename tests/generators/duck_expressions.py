"""Random expressions as DuckDB accepts them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from generators.duck_schema import FIELDS, LIST, STRUCT
from generators.scope import NUMBER, TEXT, Columns, Field, Scope
from generators.writer import BaseWriter


class Drawn(NamedTuple):
    """A query, and the kind of each output column."""

    text: str
    columns: Columns


class Sourced(NamedTuple):
    """What follows FROM, and the columns that the query can name then."""

    text: str
    scope: list[Field]


class Expressions(BaseWriter):
    """The part of the writer that stands below a SELECT list or a condition."""

    depth: int
    query: Callable[..., Drawn]
    source: Callable[..., Sourced]

    # -- names -------------------------------------------------------------------------------------

    def literal(self, kind: str) -> str:
        return (
            str(self.random.randint(0, 4))
            if kind == NUMBER
            else self.choose(("'a'", "'b'", "'ab'"))
        )

    def column(self, scope: Scope, kind: str) -> str:
        """A column of the kind, or a field of a struct; made of another kind where there is none."""
        fields = [field for field in scope if field.kind == kind and self.nameable(field, scope)]
        if fields:
            return self.spell(self.choose(fields), scope)
        structs = [field for field in scope if field.kind == STRUCT and self.nameable(field, scope)]
        wanted = [name for name, each in FIELDS.items() if each == kind]
        if structs and wanted:
            return f"{self.spell(self.choose(structs), scope)}.{wanted[0]}"
        others = [f for f in scope if f.kind in (NUMBER, TEXT) and self.nameable(f, scope)]
        if not others:
            return self.literal(kind) if kind in (NUMBER, TEXT) else "[1, 2]"
        other = self.spell(self.choose(others), scope)
        return f"length({other}::VARCHAR)" if kind == NUMBER else f"{other}::VARCHAR"

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

    def expression(self, scope: Scope, kind: str, depth: int) -> str:
        return {NUMBER: self.number, TEXT: self.text, LIST: self.list_, STRUCT: self.struct}[kind](
            scope, depth
        )

    def number(self, scope: Scope, depth: int) -> str:
        if depth == 0 or not self.maybe(60):
            return self.literal(NUMBER) if self.maybe(12) else self.column(scope, NUMBER)
        one, two = (lambda: self.number(scope, depth - 1)), (lambda: self.text(scope, depth - 1))
        test = lambda: self.condition(scope, 0)  # noqa: E731
        items = lambda: self.list_(scope, 0)  # noqa: E731
        forms: list[Callable[[], str]] = [
            lambda: f"({one()} {self.choose('+-*')} {one()})",
            lambda: f"abs({one()})",
            lambda: f"length({two()})",
            lambda: f"TRY_CAST({two()} AS INTEGER)",
            lambda: f"coalesce({one()}, {one()})",
            lambda: f"ifnull({one()}, {one()})",
            lambda: f"nullif({one()}, {one()})",
            lambda: f"greatest({one()}, {one()})",
            lambda: f"if({test()}, {one()}, {one()})",
            lambda: f"CASE WHEN {test()} THEN {one()} WHEN {test()} THEN {one()} ELSE {one()} END",
            lambda: f"CASE {two()} WHEN {two()} THEN {one()} END",
            lambda: f"({test()})::INTEGER",
            lambda: f"len({items()})",
            lambda: f"{items()}[{one()}::INTEGER]",
            lambda: f"list_sum({items()})",
            lambda: f"list_sum(list_transform({items()}, lambda x: x + {one()}))",
            lambda: f"len([x FOR x IN {items()} IF x > {one()}])",
            lambda: f"list_reduce({items()}, lambda x, y: x + y, {one()})",
            lambda: f"{{'p': {one()}, 'q': {one()}}}.{self.choose('pq')}",
            lambda: f"struct_extract({{'p': {one()}, 'q': {two()}}}, 'p')",
            lambda: f"list_position({items()}, {one()})",
            lambda: f"strpos({two()}, {two()})",
            lambda: f"extract('day' FROM DATE '2024-01-01' + {one()}::INTEGER)",
            lambda: f"-({one()})",
        ]
        return self.choose(forms)()

    def text(self, scope: Scope, depth: int) -> str:
        if depth == 0 or not self.maybe(55):
            return self.literal(TEXT) if self.maybe(12) else self.column(scope, TEXT)
        one, number = (lambda: self.text(scope, depth - 1)), (lambda: self.number(scope, depth - 1))
        forms: list[Callable[[], str]] = [
            lambda: f"upper({one()})",
            lambda: f"concat({one()}, {one()})",
            lambda: f"({one()} || {one()})",
            lambda: f"substr({one()}, 1, {number()}::INTEGER)",
            lambda: f"{number()}::VARCHAR",
            lambda: f"coalesce({one()}, {one()})",
            lambda: f"replace({one()}, {one()}, {one()})",
            lambda: f"concat_ws('-', {one()}, {one()})",
            lambda: f"CASE WHEN {self.condition(scope, 0)} THEN {one()} ELSE {one()} END",
            lambda: f"array_to_string({self.list_(scope, 0)}, ',')",
            lambda: f"string_split({one()}, {one()})[1]",
            lambda: f"{self.struct(scope, 0)}.town",
        ]
        return self.choose(forms)()

    def list_(self, scope: Scope, depth: int) -> str:
        fields = [field for field in scope if field.kind == LIST and self.nameable(field, scope)]
        if fields and self.maybe(60):
            return self.spell(self.choose(fields), scope)
        one = lambda: self.number(scope, max(0, depth - 1))  # noqa: E731
        if depth == 0 or not self.maybe(50):
            return f"[{one()}, {one()}]"
        inner = lambda: self.list_(scope, depth - 1)  # noqa: E731
        forms: list[Callable[[], str]] = [
            lambda: f"list_transform({inner()}, lambda x: x + {one()})",
            lambda: f"list_filter({inner()}, lambda x: x > {one()})",
            lambda: f"list_concat({inner()}, {inner()})",
            lambda: f"list_sort({inner()})",
            lambda: f"[x + {one()} FOR x IN {inner()}]",
            lambda: f"{inner()}[1:{one()}::INTEGER]",
            lambda: f"CASE WHEN {self.condition(scope, 0)} THEN {inner()} END",
        ]
        return self.choose(forms)()

    def struct(self, scope: Scope, depth: int) -> str:
        fields = [field for field in scope if field.kind == STRUCT and self.nameable(field, scope)]
        if fields and self.maybe(70):
            return self.spell(self.choose(fields), scope)
        return f"{{'lat': {self.number(scope, 0)}, 'town': {self.text(scope, 0)}}}"

    # -- conditions --------------------------------------------------------------------------------

    def condition(self, scope: Scope, depth: int) -> str:
        one, text = (lambda: self.number(scope, depth)), (lambda: self.text(scope, depth))
        forms: list[Callable[[], str]] = [
            lambda: f"{one()} {self.choose(('>', '<=', '<>', '='))} {one()}",
            lambda: f"{text()} = {text()}",
            lambda: f"{one()} BETWEEN {one()} AND {one()}",
            lambda: f"{text()} LIKE 'a%'",
            lambda: f"{text()} IN ('a', {text()})",
            lambda: f"{one()} IS NOT NULL",
            lambda: f"{one()} IS DISTINCT FROM {one()}",
            lambda: f"list_contains({self.list_(scope, 0)}, {one()})",
            lambda: f"{one()} IN {self.list_(scope, 0)}",
            lambda: f"{one()} = ANY({self.list_(scope, 0)})",
            lambda: f"({one()}, {text()}) = ({one()}, {text()})",
        ]
        made = self.choose(forms)()
        if depth > 0 and self.maybe(20):
            made = f"({made} {self.choose(('AND', 'OR'))} {self.condition(scope, depth - 1)})"
        return f"NOT ({made})" if self.maybe(10) else made

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
        one, text = (lambda: self.number(scope, depth)), (lambda: self.text(scope, depth))
        order = lambda: f"ORDER BY {self.choose((one, text))()}"  # noqa: E731
        if kind == TEXT:
            forms = [lambda: f"max({text()})", lambda: f"min({text()})",
                     lambda: f"string_agg({(t := text())}, ',' {order()}, {t})",
                     lambda: f"arg_max({text()}, {one()})", lambda: f"first({(t := text())} {order()}, {t})",
                     lambda: f"string_agg(DISTINCT {(t := text())}, ',' ORDER BY {t})"]  # fmt: skip
        else:
            forms = [lambda: f"sum({one()})", lambda: f"max({one()})", lambda: f"count({text()})",
                     lambda: "count(*)", lambda: f"count(DISTINCT {one()})", lambda: f"sum(DISTINCT {one()})",
                     lambda: f"arg_min({one()}, {text()})", lambda: f"quantile_disc({one()}, 0.5)",
                     lambda: f"count_if({self.condition(scope, 0)})", lambda: f"max_by({one()}, {one()})",
                     lambda: f"percentile_disc(0.5) WITHIN GROUP (ORDER BY {one()})",
                     lambda: f"list({(n := one())} {order()}, {n})[1]",
                     lambda: f"bool_or({self.condition(scope, 0)})::INTEGER",
                     lambda: f"len(array_agg({one()}))", lambda: f"last({(n := one())} {order()}, {n})"]  # fmt: skip
        made = self.choose(forms)()
        if self.maybe(15) and not made.startswith(("list(", "bool_or", "len(")):
            made += f" FILTER (WHERE {self.condition(scope, 0)})"
        if kind == NUMBER and self.maybe(20):
            return self.choose((f"coalesce({made}, 0)", f"({made} + {self.literal(NUMBER)})",
                                f"CASE WHEN {made} > 1 THEN {self.choose(forms)()} END"))  # fmt: skip
        return made

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
