"""Random SELECT queries over a small schema whose tables share column names, as Spark accepts them.

    write_query(random, without={"star"}).sql()       one query, without some constructs

Names that a query makes up are `t1` (tables), `w1` (CTEs), `c1` (inner columns) and `out1` (output
columns). No table or column of a schema may be called so: a text can be renamed by a pattern, and
no alias hides a column. Everything is drawn from the `random` argument, so that Hypothesis can hand
in its own and shrink a query that fails.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import NamedTuple

from generators.scope import (
    NUMBER,
    TEXT,
    Columns,
    Field,
    Schema,
    Scope,
    common_names,
    fields_of_kind,
    has_unique_names,
    keys_first,
    table_fields,
)
from generators.writer import Grammar, Sourced, SqlWriter

SHOP: Schema = {
    "customers": {"id": NUMBER, "name": TEXT, "region": TEXT, "score": NUMBER},
    "orders": {
        "id": NUMBER,
        "customer_id": NUMBER,
        "region": TEXT,
        "amount": NUMBER,
        "status": TEXT,
    },
    "payments": {"id": NUMBER, "order_id": NUMBER, "amount": NUMBER, "method": TEXT},
    "regions": {"region": TEXT, "name": TEXT, "factor": NUMBER},
}
SPARK_TYPES = {NUMBER: "INT", TEXT: "STRING"}


class Item(NamedTuple):
    """One entry of a SELECT list."""

    text: str
    name: str
    kind: str
    aliased: bool = True

    def sql(self) -> str:
        return f"{self.text} AS {self.name}" if self.aliased else self.text


@dataclass(frozen=True)
class Select:
    """SELECT … FROM … WHERE … GROUP BY … HAVING …, and what can be named in it."""

    items: tuple[Item, ...]
    source: str
    scope: tuple[Field, ...]
    star: bool = False
    distinct: bool = False
    where: tuple[str, ...] = ()
    group: tuple[str, ...] = ()
    having: str = ""
    windows: tuple[str, ...] = ()
    hint: str = ""
    listed: str = "*"
    """the star as it is written"""

    def sql(self) -> str:
        listed = self.listed if self.star else ", ".join(item.sql() for item in self.items)
        text = (
            f"SELECT {self.hint}{'DISTINCT ' if self.distinct else ''}{listed}\nFROM {self.source}"
        )
        if self.where:
            text += "\nWHERE " + " AND ".join(self.where)
        if self.group:
            text += "\nGROUP BY " + ", ".join(self.group)
        if self.having:
            text += f"\nHAVING {self.having}"
        return f"{text}\nWINDOW {', '.join(self.windows)}" if self.windows else text


@dataclass(frozen=True)
class Query:
    """WITH … SELECT … UNION SELECT … ORDER BY … LIMIT"""

    first: Select
    rest: tuple[Select, ...] = ()
    operator: str = ""
    ctes: tuple[tuple[str, Query], ...] = ()
    order: tuple[str, ...] = ()
    limited: bool = False
    tail: str = ""

    @property
    def columns(self) -> dict[str, str]:
        """The output: name → kind."""
        return {item.name: item.kind for item in self.first.items}

    def sql(self) -> str:
        text = f"\n{self.operator}\n".join(select.sql() for select in (self.first, *self.rest))
        if self.ctes:
            text = (
                "WITH "
                + ",\n".join(f"{name} AS (\n{each.sql()}\n)" for name, each in self.ctes)
                + f"\n{text}"
            )
        if self.order:
            text += "\nORDER BY " + ", ".join(self.order)
        if self.tail:
            text += f"\n{self.tail}"
        return f"{text}\nLIMIT 7" if self.limited else text

    def with_condition(self, random: Random) -> Query:
        """The same query with one more predicate in the WHERE of its first SELECT."""
        writer = Writer(random, {})
        condition = writer.condition(self.first.scope, 1)
        return replace(self, first=replace(self.first, where=(*self.first.where, condition)))


def write_query(
    random: Random, schema: Schema = SHOP, *, depth: int = 2, without: Collection[str] = ()
) -> Query:
    """A query over the schema; `depth` bounds how deep queries stand in queries.

    What it is drawn without: "star", "natural" joins, "scalar" subqueries, and "bare" names in
    subqueries of expressions, which may mean a column of the inner or of the outer query where no
    schema is known.
    """
    return Writer(random, schema, without).query(depth, prefix="out")


JOINS = (
    "JOIN",
    "LEFT JOIN",
    "RIGHT JOIN",
    "FULL JOIN",
    "CROSS JOIN",
    "LEFT SEMI JOIN",
    "LEFT ANTI JOIN",
)
SET_OPERATIONS = ("UNION ALL", "UNION", "INTERSECT", "EXCEPT")


EXPRESSIONS = {
    NUMBER: [
        "(@N + @n)",
        "(@N * @n)",
        "-(@N)",
        "abs(@N)",
        "length(@T)",
        "cast(@T AS INT)",
        "coalesce(@N, @n)",
        "nullif(@N, @n)",
        "if(@c, @N, @n)",
        "CASE WHEN @c THEN @N ELSE @n END",
        "CASE @T WHEN 'a' THEN @n END",
        "hash(@T)",
    ],
    TEXT: [
        "upper(@T)",
        "concat(@T, @t)",
        "substr(@T, 1, 2)",
        "cast(@N AS STRING)",
        "coalesce(@T, @t)",
        "md5(@T)",
        "CASE WHEN @c THEN @T ELSE @t END",
    ],
}
CONDITIONS = [
    "@N > @n",
    "@T = @t",
    "@N BETWEEN @n AND @n",
    "@T LIKE 'a%'",
    "@T IN ('a', 'b')",
    "@N IS NOT NULL",
]
AGGREGATES = {
    NUMBER: [
        "sum(@N)",
        "max(@N)",
        "avg(@N)",
        "count(@T)",
        "count(DISTINCT @N)",
        "count(*)",
        "max_by(@N, @T)",
    ],
    TEXT: [
        "max(@T)",
        "min(@T)",
    ],
}
SPARK = Grammar(
    forms=EXPRESSIONS,
    conditions=CONDITIONS,
    aggregates=AGGREGATES,
    joins=JOINS,
    narrowing=("LEFT SEMI JOIN", "LEFT ANTI JOIN"),
    using=keys_first,
    numbers=(2, 9),
    texts=("'a'", "'b'", "'c%'"),
    as_number="length({})",
    as_text="cast({} AS STRING)",
    gap="\n",
)


class Writer(SqlWriter):
    """Draws one query as Spark accepts it."""

    grammar = SPARK

    def __init__(self, random: Random, schema: Schema, without: Collection[str] = ()) -> None:
        super().__init__(random)
        self.schema = schema
        self.without = without
        self.nesting = 0

    # -- queries -----------------------------------------------------------------------------------

    def query(
        self, depth: int, *, prefix: str = "c", ctes: Mapping[str, Columns] | None = None
    ) -> Query:
        named = dict(ctes or {})
        own: list[tuple[str, Query]] = []
        while depth > 0 and len(own) < 2 and self.maybe(30):
            name, inner = self.new("w"), self.query(depth - 1, ctes=named)
            own.append((name, inner))
            named[name] = inner.columns
        first = self.select(depth, prefix, named)
        kinds = [item.kind for item in first.items]
        rest: list[Select] = []
        while len(rest) < 2 and self.maybe(15):
            rest.append(self.select(depth - 1, "c", named, kinds))
        operator = self.choose(SET_OPERATIONS) if rest else ""
        found = Query(first, tuple(rest), operator, tuple(own))
        return replace(found, order=self.order(found), limited=self.maybe(10))

    def order(self, made: Query) -> tuple[str, ...]:
        """By output columns; where the rows are those of the source, by its columns too."""
        if not self.maybe(25):
            return ()
        first = made.first
        keys = [self.choose([*made.columns])]
        plain = not (made.rest or first.distinct or first.group or first.star or aggregates(first))
        if plain and self.maybe(50):
            keys.append(
                self.expression(first.scope, self.choose((NUMBER, TEXT)), 1, needs_column=True)
            )
        return tuple(f"{key} DESC" if self.maybe(30) else key for key in keys)

    def select(
        self,
        depth: int,
        prefix: str,
        ctes: Mapping[str, Columns],
        kinds: Sequence[str] | None = None,
    ) -> Select:
        source, scope = self.source(depth, ctes)
        shape = self.choose(("plain", "plain", "windowed", "grouped", "total", "star"))
        if shape == "star" and (
            kinds is not None or "star" in self.without or not has_unique_names(scope)
        ):
            shape = "plain"
        if kinds is None:
            kinds = [self.choose((NUMBER, TEXT)) for _ in range(self.random.randint(1, 3))]
        made = getattr(self, shape)(Select((), source, tuple(scope)), kinds, prefix, depth)
        conditions = [self.predicate(scope, depth, ctes)] if self.maybe(40) else []
        return replace(made, where=tuple(conditions))

    # -- FROM --------------------------------------------------------------------------------------

    def source(self, depth: int, ctes: Mapping[str, Columns]) -> Sourced:
        made = self.relation(depth, ctes)
        for _ in range(2):
            if self.maybe(35):
                made = self.join(made, self.relation(depth, ctes))
        return made

    def relation(self, depth: int, ctes: Mapping[str, Columns]) -> Sourced:
        """A table, a CTE or a subquery, with an alias."""
        alias = self.new("t")
        if depth > 0 and self.maybe(25):
            inner = self.query(depth - 1, ctes=ctes)
            text, columns = f"(\n{inner.sql()}\n) AS {alias}", inner.columns
        else:
            tables: dict[str, Columns] = {**self.schema, **ctes}
            name = self.choose([*ctes, *ctes, *self.schema] if self.maybe(50) else [*tables])
            text, columns = f"{name} AS {alias}", dict(tables[name])
        return Sourced(text, table_fields(alias, columns))

    def keys_of_join(self, left: Scope, right: Scope, narrowing: bool) -> list[str]:
        """A semi join or an anti join has a condition."""
        return [] if narrowing else common_names(left, right)

    def may_be_natural(self, left: Scope, right: Scope) -> bool:
        """Tell whether NATURAL finds each key once, and is asked for."""
        return "natural" not in self.without and has_unique_names(left)

    # -- SELECT lists ------------------------------------------------------------------------------

    def plain(self, made: Select, kinds: Sequence[str], prefix: str, depth: int) -> Select:
        items = self.items(
            kinds, prefix, lambda kind: self.value(made.scope, kind, depth), made.scope
        )
        return replace(made, items=items, distinct=self.maybe(15))

    def windowed(self, made: Select, kinds: Sequence[str], prefix: str, depth: int) -> Select:
        def item(kind: str) -> str:
            return (
                self.window(made.scope, kind)
                if self.maybe(60)
                else self.expression(made.scope, kind, 2)
            )

        return replace(made, items=self.items(kinds, prefix, item, made.scope))

    def total(self, made: Select, kinds: Sequence[str], prefix: str, depth: int) -> Select:
        """SELECT sum(a), max(b): one row"""
        return replace(
            made, items=self.items(kinds, prefix, lambda kind: self.aggregate(made.scope, kind, 1))
        )

    def grouped(self, made: Select, kinds: Sequence[str], prefix: str, depth: int) -> Select:
        keys = {
            kind: self.expression(made.scope, kind, 1, needs_column=True)
            for kind in (NUMBER, TEXT)
            if self.maybe(70) and any(field.kind == kind for field in made.scope)
        }

        def item(kind: str) -> str:
            return (
                keys[kind]
                if kind in keys and self.maybe(50)
                else self.aggregate(made.scope, kind, 1)
            )

        items = self.items(kinds, prefix, item)
        group = tuple(self.key(text, items) for text in keys.values())
        return replace(
            made, items=items, group=group, having=self.having(made.scope) if group else ""
        )

    def having(self, scope: Sequence[Field]) -> str:
        """Spark does not find a merged column here."""
        own = [field for field in scope if not field.merged]
        return (
            f"{self.aggregate(own, NUMBER, 0)} > {self.literal(NUMBER)}"
            if own and self.maybe(30)
            else ""
        )

    def key(self, text: str, items: Sequence[Item]) -> str:
        """A grouping key as it is written, as its position, or as its alias."""
        for position, item in enumerate(items, 1):
            if item.text == text and self.maybe(40):
                return str(position) if self.maybe(50) else item.name
        return text

    def star(self, made: Select, kinds: Sequence[str], prefix: str, depth: int) -> Select:
        fields = [field for field in made.scope if not field.hidden]
        items = tuple(Item(field.name, field.name, field.kind, aliased=False) for field in fields)
        return replace(made, items=items, star=True, distinct=self.maybe(10))

    def items(
        self,
        kinds: Sequence[str],
        prefix: str,
        item: Callable[[str], str],
        scope: Sequence[Field] = (),
    ) -> tuple[Item, ...]:
        """One entry of each kind; a column may keep its name where no other entry has it."""
        made: list[Item] = []
        for kind in kinds:
            taken = {each.name for each in made}
            bare = [field for field in fields_of_kind(scope, kind) if field.name not in taken]
            if bare and self.maybe(30):
                field = self.choose(bare)
                made.append(Item(self.spell(field, scope), field.name, kind, aliased=False))
            else:
                made.append(Item(item(kind), self.new(prefix), kind))
        return tuple(made)

    # -- expressions -------------------------------------------------------------------------------

    def may_be_bare(self, field: Field, scope: Scope) -> bool:
        """Tell whether the name alone means this column, inside a subquery as well."""
        if self.nesting and "bare" in self.without:
            return False
        return super().may_be_bare(field, scope)

    def value(self, scope: Sequence[Field], kind: str, depth: int) -> str:
        if depth > 0 and kind == NUMBER and "scalar" not in self.without and self.maybe(10):
            return self.scalar_subquery(scope)
        return self.expression(scope, kind, 2)

    def predicate(self, scope: Sequence[Field], depth: int, ctes: Mapping[str, Columns]) -> str:
        """A condition, or one that asks another query."""
        if depth == 0 or not self.maybe(30):
            return self.condition(scope, 1)
        negated = "NOT " if self.maybe(30) else ""
        if self.maybe(50):
            return f"{negated}EXISTS ({self.correlated(scope, '1')})"
        table, alias = self.choose([*self.schema]), self.new("t")
        fields = table_fields(alias, self.schema[table])
        field = self.choose(fields)
        asked = self.column(scope, field.kind)
        self.nesting += 1
        inner = (
            f"SELECT {alias}.{field.name} FROM {table} AS {alias} WHERE {self.condition(fields, 1)}"
        )
        self.nesting -= 1
        return f"{asked} {negated}IN ({inner})"

    def scalar_subquery(self, scope: Sequence[Field]) -> str:
        return f"({self.correlated(scope, '')})"

    def correlated(self, scope: Sequence[Field], listed: str) -> str:
        """SELECT … FROM t WHERE t.x = outer.y"""
        self.nesting += 1
        table, alias = self.choose([*self.schema]), self.new("t")
        fields = table_fields(alias, self.schema[table])
        listed = listed or self.aggregate(fields, NUMBER, 0)
        outer = [field for field in scope if not field.merged]
        pairs = [(one, other) for one in fields for other in outer if one.kind == other.kind]
        conditions = [self.condition(fields, 0)] if self.maybe(40) or not pairs else []
        if pairs and (self.maybe(80) or not conditions):
            one, other = self.choose(pairs)
            conditions.append(f"{alias}.{one.name} = {other.alias}.{other.name}")
        self.nesting -= 1
        return f"SELECT {listed} FROM {table} AS {alias} WHERE {' AND '.join(conditions)}"

    def aggregate(self, scope: Sequence[Field], kind: str, depth: int) -> str:
        if kind == TEXT and self.maybe(20):
            return f"cast({self.aggregate(scope, NUMBER, depth)} AS STRING)"
        text = self.call(scope, kind, depth)
        if self.maybe(15):
            text += f" FILTER (WHERE {self.condition(scope, 0)})"
        if kind == NUMBER and self.maybe(20):
            return f"coalesce({text}, 0)" if self.maybe(50) else f"{text} + {self.literal(NUMBER)}"
        return text

    def window(self, scope: Sequence[Field], kind: str) -> str:
        keys = [self.column(scope, self.choose((NUMBER, TEXT))) for _ in range(2)]
        value = self.expression(scope, kind, 1, needs_column=True)
        calls = [f"lag({value})", f"first_value({value})", f"max({value})"]
        if kind == NUMBER:
            calls += ["row_number()", "rank()", f"sum({value})", f"count({value})", "ntile(4)"]
        partition = f"PARTITION BY {keys[0]} " if self.maybe(70) else ""
        text = f"{self.choose(calls)} OVER ({partition}ORDER BY {keys[1]})"
        return f"{text} + 1" if kind == NUMBER and self.maybe(20) else text


def aggregates(select: Select) -> bool:
    """Whether the SELECT makes one row of many without a GROUP BY."""
    calls = ("sum(", "max(", "avg(", "count(", "max_by(", "min(")
    texts = [item.text for item in select.items if " OVER " not in item.text]
    return not select.group and any(call in text for call in calls for text in texts)
