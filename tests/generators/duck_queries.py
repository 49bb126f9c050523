"""Random statements as DuckDB accepts them, over the tables of `duck_schema`.

    DuckWriter(random).statement()             a query, or an UPDATE, INSERT, DELETE or MERGE

Names that are made up: `t1` (tables), `w1` (CTEs), `c1` (columns). Some are the names of columns of
the schema on purpose: an alias may hide a column, and whose column a name then means is what is
tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from generators.duck_expressions import Drawn
from generators.duck_relations import Relations
from generators.duck_schema import LIST, SCHEMA, STRUCT
from generators.scope import NUMBER, TEXT, Columns, Field, Scope, shown_fields, table_fields
from generators.statement import Statement

SET_OPERATIONS = (
    "UNION ALL",
    "UNION",
    "INTERSECT",
    "EXCEPT",
    "UNION ALL BY NAME",
    "UNION BY NAME",
    "INTERSECT ALL",
)


class DuckWriter(Relations):
    """Draws one statement as DuckDB accepts it."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.ctes: dict[str, Columns] = {}
        self.depth = 0

    def statement(self) -> Statement:
        if not self.maybe(12):
            return Statement(self.query(self.choose((0, 1, 1, 2))).text)
        return self.choose((self.update, self.insert, self.delete, self.merge))()

    # -- queries -----------------------------------------------------------------------------------

    def query(self, depth: int, kinds: Sequence[str] | None = None, outer: Scope = ()) -> Drawn:
        """[WITH …] SELECT … [UNION SELECT …] [ORDER BY … LIMIT …]"""
        before, around = dict(self.ctes), self.depth
        self.depth = depth
        ctes = []
        recursive = self.maybe(15)
        while depth > 0 and len(ctes) < 2 and self.maybe(25):
            ctes.append(self.cte(depth - 1, recursive))
        made = self.body(depth, kinds, outer)
        text = made.text
        if ctes:
            text = f"WITH {'RECURSIVE ' if recursive else ''}{', '.join(ctes)} {text}"
        self.ctes, self.depth = before, around
        return Drawn(self.limited(text, made.columns), made.columns)

    def cte(self, depth: int, recursive: bool) -> str:
        if recursive:
            return self.recursive(self.new("w"))
        name = self.new("w") if self.maybe(80) else self.choose([*SCHEMA])
        inner = self.query(depth)
        columns, listed = inner.columns, ""
        if self.maybe(20):
            columns = {self.new("c"): kind for kind in columns.values()}
            listed = f"({', '.join(columns)})"
        self.ctes[name] = columns
        return f"{name}{listed} AS {self.choose(('', '', 'MATERIALIZED '))}({inner.text})"

    def recursive(self, name: str) -> str:
        """WITH RECURSIVE w(n, c) AS (SELECT … UNION ALL SELECT n + 1, … FROM w WHERE n < 3)"""
        step, value = self.new("n"), self.new("c")
        anchor = self.source(0)
        alias = self.new("t")
        own = [Field(alias, step, NUMBER), Field(alias, value, NUMBER)]
        joined, scope = alias, list(own)
        text = f"{name} AS {alias}"
        if self.maybe(50):
            joined = self.new("t")
            tables = {**SCHEMA, **self.ctes}
            table = self.choose([*tables])
            fields = table_fields(joined, tables[table])
            text += f" JOIN {table} AS {joined} ON {self.join_condition(own[1:], fields)}"
            scope += fields
        union = self.choose(("UNION ALL", "UNION"))
        first = f"SELECT 0 AS {step}, {self.number(anchor.scope, 1)} AS {value} FROM {anchor.text}"
        again = f"SELECT {alias}.{step} + 1, {self.number(scope, 1)} FROM {text} WHERE {alias}.{step} < 2"
        if self.maybe(30):
            again += f" AND {self.condition(scope, 0)}"
        self.ctes[name] = {step: NUMBER, value: NUMBER}
        return f"{name}({step}, {value}) AS ({first} {union} {again})"

    def body(self, depth: int, kinds: Sequence[str] | None, outer: Scope) -> Drawn:
        first = self.select(depth, kinds, outer)
        if not self.maybe(18) or not {*first.columns.values()} <= {NUMBER, TEXT}:
            return first
        operator = self.choose(SET_OPERATIONS)
        columns = first.columns
        parts = [first.text]
        for _ in range(self.choose((1, 1, 2))):
            other = self.select(max(0, depth - 1), [*columns.values()], outer, plain=True)
            text = other.text
            if "BY NAME" in operator:
                names = self.random.sample([*columns], len(columns))
                given = dict(zip(other.columns, columns, strict=True))
                shuffled = sorted(given, key=lambda each: names.index(given[each]))
                text = f"SELECT {', '.join(f'{each} AS {given[each]}' for each in shuffled)} FROM ({text})"
            parts.append(f"({text})" if self.maybe(20) else text)
        return Drawn(f" {operator} ".join(parts), columns)

    def limited(self, text: str, columns: Columns) -> str:
        """ORDER BY, and LIMIT where the order says which rows are first."""
        if not self.maybe(20):
            return text
        keys = [
            f"{name}{self.choose(('', ' DESC', ' NULLS FIRST'))}" for name in self.some([*columns])
        ]
        positions = [str(number) for number in range(1, len(columns) + 1)]
        ordered = f"SELECT * FROM ({text}) ORDER BY {', '.join([*keys, *positions])}"
        if self.maybe(30):
            ordered = f"SELECT * FROM ({text}) ORDER BY ALL"
        return f"{ordered} LIMIT {self.random.randint(1, 4)}" if self.maybe(60) else ordered

    # -- SELECT ------------------------------------------------------------------------------------

    def select(
        self, depth: int, kinds: Sequence[str] | None, outer: Scope, plain: bool = False
    ) -> Drawn:
        source = self.source(depth, outer)
        scope = [*source.scope, *outer]
        where = f" WHERE {self.predicate(scope, depth)}" if self.maybe(35) else ""
        shapes = [
            self.plain,
            self.plain,
            self.windowed,
            self.grouped,
            self.total,
            self.grouping_sets,
        ]
        if kinds is None and not plain:
            shapes += [
                self.star,
                self.distinct_on,
                self.unnested,
                self.columns_call,
                self.group_by_all,
            ]
        if kinds is None:
            kinds = [self.choose((NUMBER, NUMBER, TEXT)) for _ in range(self.random.randint(1, 3))]
        return self.choose(shapes)(f"{source.text}{where}", source.scope, scope, kinds, depth)

    def named_items(
        self, texts: Sequence[str], kinds: Sequence[str], own: Scope
    ) -> tuple[str, Columns]:
        """a AS c1, b AS amount, …

        now and then the alias is the name of a column of the source
        """
        columns: dict[str, str] = {}
        items = []
        for text, kind in zip(texts, kinds, strict=True):
            name = self.new("c")
            hiding = [
                field.name for field in own if field.kind == kind and field.name not in columns
            ]
            if hiding and self.maybe(10):
                name = self.choose(hiding)
            columns[name] = kind
            items.append(f"{text} AS {name}" if self.maybe(90) else f"{name}: {text}")
        return ", ".join(items), columns

    def plain(
        self, source: str, own: Scope, scope: Scope, kinds: Sequence[str], depth: int
    ) -> Drawn:
        texts: list[str] = []
        sofar: list[tuple[str, str]] = []
        columns: dict[str, str] = {}
        for kind in kinds:
            again = [name for name, each in sofar if each == NUMBER]
            if kind == NUMBER and again and self.maybe(25):
                text = f"({self.choose(again)} + {self.number(scope, 1)})"
            else:
                text = self.value(scope, kind, depth)
            name = self.new("c")
            sofar.append((name, kind))
            columns[name] = kind
            texts.append(f"{text} AS {name}")
        distinct = "DISTINCT " if self.maybe(12) else ""
        text = ", ".join(texts)
        if not distinct and " WHERE " not in source and self.maybe(15):
            return Drawn(f"FROM {source} SELECT {text}", columns)
        return Drawn(f"SELECT {distinct}{text} FROM {source}", columns)

    def windowed(
        self, source: str, own: Scope, scope: Scope, kinds: Sequence[str], depth: int
    ) -> Drawn:
        """… OVER (…), OVER w … WINDOW w AS (…) QUALIFY …"""
        names: list[str] = []
        definitions = []
        for _ in range(self.choose((0, 0, 1, 2))):
            name = self.new("w")
            base = (
                f"{self.choose(names)} "
                if names and "ORDER" not in definitions[0] and self.maybe(50)
                else ""
            )
            keys = self.keys(scope, partition=not base, order=bool(base) or self.maybe(60))
            definitions.append(f"{name} AS ({base}{keys})")
            names.append(name)
        texts = [
            self.window(scope, kind, names) if self.maybe(65) else self.expression(scope, kind, 2)
            for kind in kinds
        ]
        listed, columns = self.named_items(texts, kinds, own)
        text = f"SELECT {listed} FROM {source}"
        if definitions:
            text += f" WINDOW {', '.join(definitions)}"
        if self.maybe(25):
            sure = [name for name in columns if all(field.name != name for field in own)]
            asked = (
                self.choose(sure) if sure and self.maybe(40) else self.window(scope, NUMBER, names)
            )
            text += (
                f" QUALIFY {asked} IS NOT NULL" if self.maybe(30) else f" QUALIFY {asked} <= '2'"
            )
        return Drawn(text, columns)

    def total(
        self, source: str, own: Scope, scope: Scope, kinds: Sequence[str], depth: int
    ) -> Drawn:
        listed, columns = self.named_items(
            [self.aggregate(own, kind, 1) for kind in kinds], kinds, ()
        )
        having = (
            f" HAVING {self.aggregate(own, NUMBER, 0)} > {self.literal(NUMBER)}"
            if self.maybe(15)
            else ""
        )
        return Drawn(f"SELECT {listed} FROM {source}{having}", columns)

    def grouped(
        self, source: str, own: Scope, scope: Scope, kinds: Sequence[str], depth: int
    ) -> Drawn:
        keys = {kind: self.expression(own, kind, 1) for kind in (NUMBER, TEXT) if self.maybe(65)}
        texts = [
            keys[kind] if kind in keys and self.maybe(50) else self.aggregate(own, kind, 1)
            for kind in kinds
        ]
        listed, columns = self.named_items(texts, kinds, ())
        spelled = []
        for text in keys.values():
            position = texts.index(text) + 1 if text in texts else 0
            name = [*columns][position - 1] if position else ""
            spelled.append(self.choose((text, str(position), name)) if position else text)
        spelled = [key for key in spelled if not key.replace(".", "").isdigit() or key in "123"]
        text = f"SELECT {listed} FROM {source}"
        if spelled:
            text += f" GROUP BY {', '.join(spelled)}"
        if spelled and self.maybe(25):
            numbers = [name for name, kind in columns.items() if kind == NUMBER]
            asked = (
                self.choose(numbers)
                if numbers and self.maybe(40)
                else self.aggregate(own, NUMBER, 0)
            )
            text += f" HAVING {asked} > {self.literal(NUMBER)}"
        return Drawn(text, columns)

    def group_by_all(
        self, source: str, own: Scope, scope: Scope, kinds: Sequence[str], depth: int
    ) -> Drawn:
        texts = [
            self.aggregate(own, kind, 1) if self.maybe(50) else self.expression(own, kind, 1)
            for kind in kinds
        ]
        listed, columns = self.named_items(texts, kinds, ())
        return Drawn(f"SELECT {listed} FROM {source} GROUP BY ALL", columns)

    def grouping_sets(
        self, source: str, own: Scope, scope: Scope, kinds: Sequence[str], depth: int
    ) -> Drawn:
        one, other = self.column(own, NUMBER), self.column(own, TEXT)
        keys = {NUMBER: one, TEXT: other}
        texts = []
        for kind in kinds:
            text = keys[kind] if kind in keys and self.maybe(45) else self.aggregate(own, kind, 0)
            texts.append(f"GROUPING({one})" if kind == NUMBER and self.maybe(25) else text)
        listed, columns = self.named_items(texts, kinds, ())
        form = self.choose((f"GROUPING SETS (({one}), ({other}), ())", f"ROLLUP ({one}, {other})",
                            f"CUBE ({one}, {other})", f"{one}, ROLLUP ({other})"))  # fmt: skip
        return Drawn(f"SELECT {listed} FROM {source} GROUP BY {form}", columns)

    def distinct_on(
        self, source: str, own: Scope, scope: Scope, kinds: Sequence[str], depth: int
    ) -> Drawn:
        """SELECT DISTINCT ON (k) … ORDER BY k, x, …      the first row of each k"""
        listed, columns = self.named_items(
            [self.expression(own, kind, 1) for kind in kinds], kinds, ()
        )
        key = f"({self.expression(own, self.choose((NUMBER, TEXT)), 1)} || '')"
        order = ", ".join(
            [key, f"({self.number(own, 1)} + 0)", *map(str, range(1, len(columns) + 1))]
        )
        return Drawn(
            f"(SELECT DISTINCT ON ({key}) {listed} FROM {source} ORDER BY {order})", columns
        )

    def unnested(
        self, source: str, own: Scope, scope: Scope, kinds: Sequence[str], depth: int
    ) -> Drawn:
        """SELECT unnest(xs) AS x, …"""
        name, other = self.new("c"), self.new("c")
        text = f"SELECT unnest({self.list_(scope, 1)}) AS {name}, {self.expression(scope, NUMBER, 1)} AS {other}"
        return Drawn(f"{text} FROM {source}", {name: NUMBER, other: NUMBER})

    # -- stars -------------------------------------------------------------------------------------

    def star(
        self, source: str, own: Scope, scope: Scope, kinds: Sequence[str], depth: int
    ) -> Drawn:
        fields = shown_fields(own)
        names = [field.name for field in fields]
        if len(names) != len(set(names)) or not names:
            return self.plain(source, own, scope, kinds, depth)
        columns = {field.name: field.kind for field in fields}
        options = ""
        if len(names) > 2 and self.maybe(40):
            dropped = self.random.sample(names, self.random.randint(1, len(names) - 2))
            options += f" EXCLUDE ({', '.join(dropped)})"
            columns = {name: kind for name, kind in columns.items() if name not in dropped}
        numbers = [name for name, kind in columns.items() if kind == NUMBER]
        if numbers and self.maybe(40):
            options += f" REPLACE ({self.number(scope, 1)} AS {(changed := self.choose(numbers))})"
            numbers.remove(changed)
        if numbers and self.maybe(40):
            old, new = self.choose(numbers), self.new("c")
            options += f" RENAME ({old} AS {new})"
            columns = {new if name == old else name: kind for name, kind in columns.items()}
        added = ""
        if self.maybe(25):
            name = self.new("c")
            added, columns = f", {self.number(scope, 1)} AS {name}", {**columns, name: NUMBER}
        distinct = (
            "DISTINCT "
            if self.maybe(8) and not any(kind in (LIST, STRUCT) for kind in columns.values())
            else ""
        )
        return Drawn(f"SELECT {distinct}*{options}{added} FROM {source}", columns)

    def columns_call(
        self, source: str, own: Scope, scope: Scope, kinds: Sequence[str], depth: int
    ) -> Drawn:
        """SELECT max(COLUMNS('…'))"""
        fields = shown_fields(own)
        names = [field.name for field in fields]
        numbers = [field.name for field in fields if field.kind == NUMBER]
        if len(names) != len(set(names)) or not numbers:
            return self.plain(source, own, scope, kinds, depth)
        some = self.some(numbers)
        chosen = [name for name in numbers if name in some]
        columns = dict.fromkeys(chosen, NUMBER)
        form = self.choose(
            ("max(COLUMNS({}))", "COLUMNS({})", "COLUMNS({}) + 1", "coalesce(COLUMNS({}), 0)")
        )
        if self.maybe(25):
            form, columns = (
                f"{form} AS '\\0_{(name := self.new('c'))}'",
                {f"{each}_{name}": NUMBER for each in chosen},
            )
        elif self.maybe(15):
            form, columns = f"greatest(*COLUMNS({{}})) AS {(name := self.new('c'))}", {name: NUMBER}
        asked = self.choose((f"'^({'|'.join(chosen)})$'", f"lambda c: c IN ({', '.join(map(repr, chosen))})",
                             f"lambda c: {' OR '.join(f'c LIKE {name!r}' for name in chosen)}"))  # fmt: skip
        if self.maybe(30):
            asked = f"[{', '.join(map(repr, chosen))}]"
        return Drawn(f"SELECT {form.format(asked)} FROM {source}", columns)

    # -- statements that write ---------------------------------------------------------------------

    def target(self) -> tuple[str, str, list]:
        table, alias = self.choose([*SCHEMA]), self.new("t")
        return table, alias, table_fields(alias, SCHEMA[table])

    def update(self) -> Statement:
        table, alias, own = self.target()
        source = self.source(1) if self.maybe(50) else None
        scope = [*own, *(source.scope if source else ())]
        plain = [field for field in own if field.kind in (NUMBER, TEXT)]
        changed = self.random.sample(plain, self.random.randint(1, 2))
        sets = ", ".join(
            f"{field.name} = {self.expression(scope, field.kind, 2)}" for field in changed
        )
        text = f"UPDATE {table} AS {alias} SET {sets}"
        if source:
            text += f" FROM {source.text} WHERE {self.join_condition(own, source.scope)}"
        elif self.maybe(60):
            text += f" WHERE {self.predicate(scope, 1)}"
        return Statement(text, table)

    def insert(self) -> Statement:
        table, _, own = self.target()
        plain = [field for field in own if field.kind in (NUMBER, TEXT)]
        taken = self.random.sample(plain, self.random.randint(1, len(plain)))
        made = self.query(1, [field.kind for field in taken])
        if self.maybe(30):
            given = ", ".join(
                f"{name} AS {field.name}" for name, field in zip(made.columns, taken, strict=True)
            )
            return Statement(
                f"INSERT INTO {table} BY NAME SELECT {given} FROM ({made.text})", table
            )
        return Statement(
            f"INSERT INTO {table} ({', '.join(field.name for field in taken)}) {made.text}", table
        )

    def delete(self) -> Statement:
        table, alias, own = self.target()
        if self.maybe(40):
            source = self.source(0)
            return Statement(f"DELETE FROM {table} AS {alias} USING {source.text} WHERE "
                             f"{self.join_condition(own, source.scope)}", table)  # fmt: skip
        return Statement(f"DELETE FROM {table} AS {alias} WHERE {self.predicate(own, 1)}", table)

    def merge(self) -> Statement:
        table, alias, own = self.target()
        inner, other = self.query(1, [NUMBER, TEXT, NUMBER]), self.new("t")
        given = table_fields(other, inner.columns)
        both = [*own, *given]
        plain = [field for field in own if field.kind in (NUMBER, TEXT)]
        arms = []
        if self.maybe(80):
            also = f" AND {self.condition(both, 0)}" if self.maybe(60) else ""
            field = self.choose(plain)
            arms.append(
                f"WHEN MATCHED{also} THEN UPDATE SET {field.name} = {self.expression(both, field.kind, 1)}"
            )
        if self.maybe(25) and not any(" MATCHED THEN" in arm for arm in arms):
            arms.append("WHEN MATCHED THEN DELETE")
        if self.maybe(50) or not arms:
            also = f" AND {self.condition(given, 0)}" if self.maybe(40) else ""
            field = self.choose(plain)
            arms.append(f"WHEN NOT MATCHED{also} THEN INSERT ({field.name}) "
                        f"VALUES ({self.expression(given, field.kind, 1)})")  # fmt: skip
        if self.maybe(25):
            field = self.choose(plain)
            arms.append(f"WHEN NOT MATCHED BY SOURCE THEN UPDATE SET {field.name} = "
                        f"{self.expression(own, field.kind, 1)}")  # fmt: skip
        text = f"MERGE INTO {table} AS {alias} USING ({inner.text}) AS {other} ON {self.join_condition(own, given)}"
        return Statement(f"{text} {' '.join(arms)}", table)
