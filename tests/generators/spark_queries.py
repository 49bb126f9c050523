"""Random statements with what only Spark writes: pivots, lateral views, structs, lambdas, grouping
sets, writes.

    write_statement(random).text                one script

It draws on the Writer of `queries`; what it makes up is named in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random

from generators.queries import SHOP, Item, Query, Select, Writer
from generators.scope import (
    NUMBER,
    TEXT,
    Columns,
    Field,
    Scope,
    fields_of_kind,
    shown_names,
    table_fields,
)
from generators.spark_expressions import (
    BUILT,
    COMPARABLE,
    LITERALS,
    MORE,
    MORE_AGGREGATES,
    PARTS,
    PLACE,
    PROPS,
    TESTS,
)
from generators.spark_relations import GENERATORS, OPERATORS, RELATIONS, table_of
from generators.statement import TARGET, Statement
from generators.writer import Sourced


def write_statement(random: Random, depth: int = 2) -> Statement:
    """Return a query, or a statement that writes the rows of a query."""
    writer = SparkWriter(random, COMPARABLE)
    if writer.maybe(75):
        return Statement(writer.query(depth, prefix="out").sql(), TARGET)
    return writer.choose(STATEMENTS)(writer, TARGET, depth)


class SparkWriter(Writer):
    """A Writer that knows more of Spark."""

    # -- queries -----------------------------------------------------------------------------------

    def query(
        self, depth: int, *, prefix: str = "c", ctes: Mapping[str, Columns] | None = None
    ) -> Query:
        made = super().query(depth, prefix=prefix, ctes=ctes)
        if any(item.kind == PROPS for item in made.first.items):
            made = replace(made, rest=(), order=())
        if made.rest:
            made = replace(made, operator=self.choose(OPERATORS))
        if not made.rest and not made.first.star and self.maybe(10):
            by = self.choose(
                ("ORDER BY {}", "SORT BY {}", "CLUSTER BY {}", "ORDER BY {} NULLS LAST LIMIT ALL")
            )
            made = replace(
                made,
                order=(),
                limited=False,
                tail=by.format(self.choose((*made.columns, "1"))),
            )
            if made.tail.startswith(("SORT BY 1", "CLUSTER BY 1")):
                made = replace(made, tail="ORDER BY ALL")
        return made

    def select(
        self,
        depth: int,
        prefix: str,
        ctes: Mapping[str, Columns],
        kinds: Sequence[str] | None = None,
    ) -> Select:
        made = super().select(depth, prefix, ctes, kinds)
        has_map = any(item.kind == PROPS for item in made.items)
        if made.star:
            made = self.fewer_stars(made)
        if has_map:
            made = replace(made, distinct=False)
        if self.maybe(5):
            aliases = [field.alias for field in made.scope if field.alias]
            made = (
                replace(made, hint=f"/*+ BROADCAST({self.choose(aliases)}) */ ")
                if aliases
                else made
            )
        return made

    def fewer_stars(self, made: Select) -> Select:
        """* EXCEPT (a), t1.*, t1.place.*"""
        aliases = sorted({field.alias for field in made.scope if field.alias and not field.hidden})
        merged = any(field.merged or field.hidden for field in made.scope)
        if len(made.items) > 1 and self.maybe(30):
            out = self.choose(made.items)
            kept = tuple(item for item in made.items if item is not out)
            if shown_names(made.scope).count(out.name) == 1:
                return replace(made, items=kept, listed=f"* EXCEPT ({out.name})")
        if aliases and not merged and self.maybe(30):
            alias = self.choose(aliases)
            kept = tuple(
                Item(f.name, f.name, f.kind, aliased=False) for f in made.scope if f.alias == alias
            )
            return replace(made, items=kept, listed=f"{alias}.*")
        places = [field for field in made.scope if field.kind == PLACE and field.alias]
        if places and self.maybe(60):
            place = self.choose(places)
            kept = (
                Item("city", "city", TEXT, aliased=False),
                Item("zip", "zip", NUMBER, aliased=False),
            )
            return replace(made, items=kept, listed=f"{place.alias}.{place.name}.*")
        return made

    # -- FROM --------------------------------------------------------------------------------------

    def source(self, depth: int, ctes: Mapping[str, Columns]) -> Sourced:
        made = super().source(depth, ctes)
        if depth > 0 and self.maybe(12):
            made = self.with_lateral(*made)
        for _ in range(2):
            if self.maybe(15):
                made = self.with_view(*made)
        return made

    def with_lateral(self, text: str, fields: list[Field]) -> Sourced:
        """FROM t1, LATERAL (SELECT … WHERE t2.x = t1.y) AS t3"""
        alias, names = self.new("t"), [self.new("c"), self.new("c")]
        inner_table, inner = self.choose([*SHOP]), self.new("t")
        own = table_fields(inner, self.schema[inner_table])
        outer = [field for field in fields if not field.merged]
        pairs = [(one, other) for one in own for other in outer if one.kind == other.kind]
        if not pairs or any(field.merged for field in fields):
            return Sourced(text, fields)
        one, other = self.choose(pairs)
        where = f"{inner}.{one.name} = {other.alias}.{other.name}"
        self.nesting += 1
        if self.maybe(40):
            items = [self.aggregate(own, NUMBER, 0), self.aggregate(own, TEXT, 0)]
        else:
            items = [self.expression(own, NUMBER, 1, needs_column=True), self.column(own, TEXT)]
            if self.maybe(40):
                items[0] = (
                    f"{items[0]} + {self.column(outer, NUMBER)}"
                    if fields_of_kind(outer, NUMBER)
                    else items[0]
                )
        self.nesting -= 1
        listed = ", ".join(f"{item} AS {name}" for item, name in zip(items, names, strict=True))
        join = self.choose((",", "\nCROSS JOIN", "\nLEFT JOIN"))
        made = f"{text}{join} LATERAL (SELECT {listed} FROM {inner_table} AS {inner} WHERE {where}) AS {alias}"
        on = " ON true" if "LEFT" in join else ""
        own = [Field(alias, names[0], NUMBER), Field(alias, names[1], TEXT)]
        return Sourced(made + on, [*fields, *own])

    def with_view(self, text: str, fields: list[Field]) -> Sourced:
        """FROM t1 LATERAL VIEW explode(t1.tags) t2 AS c1"""
        call, kinds = self.choose(GENERATORS)(self, fields)
        alias = self.new("t")
        made = [Field(alias, self.new("c"), kind) for kind in kinds]
        outer = "OUTER " if self.maybe(30) else ""
        listed = ", ".join(field.name for field in made)
        return Sourced(f"{text}\nLATERAL VIEW {outer}{call} {alias} AS {listed}", [*fields, *made])

    def relation(self, depth: int, ctes: Mapping[str, Columns]) -> Sourced:
        if not self.maybe(22):
            return super().relation(depth, ctes)
        return Sourced(*self.choose(RELATIONS)(self, depth))

    def join(self, left: Sourced, right: Sourced) -> Sourced:
        """A PIVOT behind a join would turn the whole join."""
        if "PIVOT" in right.text and not right.text.startswith("(\n"):
            alias = right.scope[0].alias
            right = right._replace(text=f"(SELECT * FROM {right.text}) AS {alias}")
        return super().join(left, right)

    def joinable(self, field: Field, scope: Scope) -> bool:
        """Nothing compares a map."""
        return field.kind != PROPS

    # -- SELECT lists ------------------------------------------------------------------------------

    def plain(self, made: Select, kinds: Sequence[str], prefix: str, depth: int) -> Select:
        found = super().plain(made, kinds, prefix, depth)
        if self.maybe(15):
            return self.with_alias_reused(found, prefix)
        return found

    def with_alias_reused(self, made: Select, prefix: str) -> Select:
        """SELECT a + 1 AS c1, c1 * 2 AS c2"""
        own = {field.name for field in made.scope}
        earlier = [item for item in made.items[:-1] if item.aliased and item.name not in own]
        last = made.items[-1]
        if not earlier or not last.aliased or "(SELECT" in last.text:
            return made
        item = self.choose(earlier)
        if "(SELECT" in item.text:
            return made
        text = {
            (NUMBER, NUMBER): f"{item.name} * 2",
            (NUMBER, TEXT): f"cast({item.name} AS STRING)",
            (TEXT, TEXT): f"upper({item.name})",
            (TEXT, NUMBER): f"length({item.name})",
        }.get((item.kind, last.kind), "")
        return replace(made, items=(*made.items[:-1], last._replace(text=text))) if text else made

    def windowed(self, made: Select, kinds: Sequence[str], prefix: str, depth: int) -> Select:
        found = super().windowed(made, kinds, prefix, depth)
        if not self.maybe(30):
            return found
        window = self.new("t")
        keys = [self.column(made.scope, self.choose((NUMBER, TEXT))) for _ in range(2)]
        call = f"sum({self.column(made.scope, NUMBER)}) OVER {window}"
        if self.maybe(50):
            call = f"row_number() OVER {window}"
        items = (
            (*found.items[:-1], Item(call, self.new(prefix), NUMBER))
            if kinds[-1] == NUMBER
            else found.items
        )
        defined = f"{window} AS (PARTITION BY {keys[0]} ORDER BY {keys[1]} DESC)"
        return replace(found, items=items, windows=(defined,))

    def window(self, scope: Sequence[Field], kind: str) -> str:
        text = super().window(scope, kind)
        if self.maybe(30) and any(call in text for call in FRAMED) and text[-1] == ")":
            frame = self.choose(FRAMES)
            return f"{text[:-1]} {frame})"
        return text

    def grouped(self, made: Select, kinds: Sequence[str], prefix: str, depth: int) -> Select:
        found = super().grouped(made, kinds, prefix, depth)
        if not found.group:
            return found
        if not found.having and self.maybe(10):
            return replace(found, group=("ALL",))
        if self.maybe(40) and not any(is_reference(key) for key in found.group):
            return self.with_grouping_sets(found, kinds, prefix)
        numbers = [
            item.name
            for item in found.items
            if item.kind == NUMBER and item.aliased and item.text not in found.group
        ]
        if numbers and self.maybe(15):
            return replace(found, having=f"{self.choose(numbers)} > {self.literal(NUMBER)}")
        return found

    def with_grouping_sets(self, made: Select, kinds: Sequence[str], prefix: str) -> Select:
        """GROUP BY ROLLUP (a, b), CUBE (a, b), GROUPING SETS ((a, b), ()), a, b WITH ROLLUP"""
        shape = self.choose(GROUPINGS)
        items = made.items
        if self.maybe(50) and kinds[-1] == NUMBER:
            key = self.choose(made.group)
            call = f"grouping({key})" if self.maybe(60) else "grouping_id()"
            items = (*items[:-1], Item(call, self.new(prefix), NUMBER))
        return replace(made, items=items, group=(shape.format(", ".join(made.group)),), having="")

    # -- expressions -------------------------------------------------------------------------------

    def column(self, scope: Sequence[Field], kind: str) -> str:
        if fields_of_kind(scope, kind):
            return super().column(scope, kind)
        usable = (
            fields_of_kind(scope, TEXT if kind == NUMBER else NUMBER)
            if kind in (NUMBER, TEXT)
            else []
        )
        if usable:
            return self.cast(self.spell(self.choose(usable), scope), kind)
        return self.taken(scope, kind)

    def taken(self, scope: Sequence[Field], kind: str) -> str:
        """A value of the kind out of, or made of, whatever there is."""
        ways = [way for of, way in PARTS.get(kind, ()) if fields_of_kind(scope, of)]
        if ways:
            return self.choose(ways)(self, scope)
        if kind in BUILT:
            return BUILT[kind](self, scope)
        return self.literal(kind)

    def literal(self, kind: str) -> str:
        return LITERALS[kind] if kind in LITERALS else super().literal(kind)

    def expression(
        self, scope: Sequence[Field], kind: str, depth: int, *, needs_column: bool = False
    ) -> str:
        if kind in BUILT or kind == PROPS:
            return self.column(scope, kind)
        if depth > 0 and self.maybe(35):
            parts = [way for of, way in PARTS[kind] if fields_of_kind(scope, of)]
            if parts and self.maybe(60):
                return self.choose(parts)(self, scope)
            return self.fill(self.choose(MORE[kind]), scope, depth - 1)
        return super().expression(scope, kind, depth, needs_column=needs_column)

    def condition(self, scope: Sequence[Field], depth: int) -> str:
        if self.maybe(15):
            holder = [field for field in scope if field.kind in TESTS]
            if holder:
                field = self.choose(holder)
                return self.choose(TESTS[field.kind]).format(self.spell(field, scope))
            a, b = self.column(scope, NUMBER), self.column(scope, NUMBER)
            return self.choose((f"{a} <=> {b}", f"{a} IN ({b}, 3)", f"{a} IS DISTINCT FROM {b}"))
        return super().condition(scope, depth)

    def aggregate(self, scope: Sequence[Field], kind: str, depth: int) -> str:
        if kind in BUILT or kind == PROPS:
            return f"any_value({self.column(scope, kind)})"
        if self.maybe(30):
            return self.fill(self.choose(MORE_AGGREGATES[kind]), scope, depth)
        return super().aggregate(scope, kind, depth)


def is_reference(key: str) -> bool:
    """Tell whether a grouping key is a position or an alias."""
    return key.isdigit() or key.startswith(("out", "c"))


GROUPINGS = ("ROLLUP ({})", "CUBE ({})", "GROUPING SETS (({}), ())", "{} WITH ROLLUP")
FRAMED = ("sum(", "max(", "first_value(", "count(")
"""calls that can have a frame"""
FRAMES = (
    "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
    "ROWS UNBOUNDED PRECEDING",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
)
# -- statements ------------------------------------------------------------------------------------

WRITTEN: Columns = {"id": NUMBER, "total": NUMBER, "label": TEXT}


def created(w: SparkWriter, target: str, depth: int) -> Statement:
    made = w.query(depth, prefix="out")
    head = w.choose(
        ("CREATE TABLE {} AS", "CREATE VIEW {} AS", "CREATE OR REPLACE TABLE {} USING parquet AS")
    )
    return Statement(f"{head.format(target)}\n{made.sql()}", target)


def listed_view(w: SparkWriter, target: str, depth: int) -> Statement:
    made = w.query(depth, prefix="out")
    names = ", ".join(f"v{place}" for place in range(len(made.columns)))
    return Statement(f"CREATE VIEW {target} ({names}) AS\n{made.sql()}", target)


def filling(w: SparkWriter, depth: int) -> str:
    """A query with the kinds of the table that is written."""
    first = w.select(depth, "out", {}, [*WRITTEN.values()])
    return first.sql()


def inserted(w: SparkWriter, target: str, depth: int) -> Statement:
    heads = (
        "INSERT INTO {}",
        "INSERT INTO {} (total, id, label)",
        "INSERT OVERWRITE TABLE {}",
        "INSERT OVERWRITE {}",
    )
    return Statement(f"{w.choose(heads).format(target)}\n{filling(w, depth)}", target, WRITTEN)


def inserted_by_name(w: SparkWriter, target: str, depth: int) -> Statement:
    names = w.new("t")
    text = f"SELECT c_3 AS label, c_1 AS id, c_2 AS total FROM (\n{filling(w, depth)}\n) AS {names}(c_1, c_2, c_3)"
    return Statement(f"INSERT INTO {target} BY NAME\n{text}", target, WRITTEN)


def merged(w: SparkWriter, target: str, depth: int) -> Statement:
    text, fields = w.relation(depth, {})
    fields = [f for f in fields if f.alias == fields[0].alias]
    own = [Field("tgt", name, kind) for name, kind in WRITTEN.items()]
    both = [*own, *fields]
    on = w.join_condition(own, fields)

    def value(scope: Sequence[Field], kind: str) -> str:
        return w.expression(scope, kind, 2)

    if (
        not fields_of_kind(fields, NUMBER)
        or text.startswith("(")
        or not text.endswith(f" AS {fields[0].alias}")
    ):
        text, fields = "orders AS src", [Field("src", n, k) for n, k in SHOP["orders"].items()]
        both = [*own, *fields]
        on = w.join_condition(own, fields)
    parts = [
        f"WHEN MATCHED AND {w.condition(both, 0)} THEN DELETE",
        f"WHEN MATCHED THEN UPDATE SET total = {value(both, NUMBER)}, tgt.label = {value(both, TEXT)}",
        f"WHEN NOT MATCHED AND {w.condition(fields, 0)} THEN"
        f" INSERT (id, label) VALUES ({value(fields, NUMBER)}, {value(fields, TEXT)})",
        f"WHEN NOT MATCHED BY SOURCE THEN UPDATE SET total = {value(own, NUMBER)}",
    ]
    chosen = [part for part in parts if w.maybe(60)] or [parts[1]]
    return Statement(
        f"MERGE INTO {target} AS tgt USING {text}\nON {on}\n" + "\n".join(chosen), target, WRITTEN
    )


def updated(w: SparkWriter, target: str, depth: int) -> Statement:
    own = table_fields(target, WRITTEN)
    where = f"\nWHERE {w.predicate(own, depth, {})}" if w.maybe(70) else ""
    sets = f"total = {w.expression(own, NUMBER, 2)}, label = {w.expression(own, TEXT, 2)}"
    return Statement(f"UPDATE {target} SET {sets}{where}", target, WRITTEN)


def deleted(w: SparkWriter, target: str, depth: int) -> Statement:
    own = table_fields(target, WRITTEN)
    return Statement(f"DELETE FROM {target} WHERE {w.predicate(own, depth, {})}", target, WRITTEN)


def through_view(w: SparkWriter, target: str, depth: int) -> Statement:
    """CREATE TEMP VIEW v AS …; SELECT … FROM v"""
    view, alias = f"v{target}", w.new("t")
    made = w.query(max(depth - 1, 0), prefix="c")
    fields = tuple(Field(alias, name, kind) for name, kind in made.columns.items())
    items = w.items([NUMBER, TEXT], "out", lambda kind: w.expression(fields, kind, 1), fields)
    select = Select(items, f"{view} AS {alias}", fields, where=(w.condition(fields, 0),))
    text = (
        f"CREATE TEMPORARY VIEW {view} AS\n{made.sql()};\nCREATE TABLE {target} AS\n{select.sql()}"
    )
    return Statement(text, target)


def inserted_twice(w: SparkWriter, target: str, depth: int) -> Statement:
    """FROM … INSERT INTO d SELECT … INSERT INTO d SELECT … WHERE …"""
    text, scope = table_of(w)
    parts = []
    for _ in range(2):
        items = ", ".join(w.expression(scope, kind, 1) for kind in WRITTEN.values())
        where = f" WHERE {w.condition(scope, 0)}" if w.maybe(60) else ""
        parts.append(f"INSERT INTO {target} SELECT {items}{where}")
    return Statement("\n".join((f"FROM {text}", *parts)), target, WRITTEN)


def merged_by_name(w: SparkWriter, target: str, depth: int) -> Statement:
    """MERGE … WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"""
    source = f"SELECT c_3 AS label, c_1 AS id, c_2 AS total FROM (\n{filling(w, depth)}\n) AS made(c_1, c_2, c_3)"
    both = [Field(side, name, kind) for side in ("tgt", "src") for name, kind in WRITTEN.items()]
    arms = [
        f"WHEN MATCHED AND {w.condition(both, 0)} THEN UPDATE SET *",
        "WHEN NOT MATCHED THEN INSERT *",
        "WHEN NOT MATCHED BY SOURCE THEN DELETE",
    ]
    chosen = [arm for arm in arms if w.maybe(70)] or arms[:1]
    text = (
        f"MERGE INTO {target} AS tgt USING (\n{source}\n) AS src\nON tgt.id = src.id\n"
        + "\n".join(chosen)
    )
    return Statement(text, target, WRITTEN)


STATEMENTS: list[Callable[[SparkWriter, str, int], Statement]] = [
    created,
    listed_view,
    inserted,
    inserted_by_name,
    merged,
    updated,
    deleted,
    through_view,
    inserted_twice,
    merged_by_name,
]
