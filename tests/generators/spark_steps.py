"""FROM t |> WHERE … |> AGGREGATE …: pipes of random steps, each with what can be named after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from generators.queries import SHOP, Writer
from generators.scope import NUMBER, TEXT, Field, fields_of_kind, table_fields


@dataclass
class Pipe:
    """The steps so far, and the columns that the next one sees."""

    writer: Writer
    text: str
    scope: list[Field]

    def step(self, text: str) -> None:
        self.text += f"\n|> {text}"


def pipe(w: Writer) -> Pipe:
    table, alias = w.choose([*SHOP]), w.new("t")
    return Pipe(
        w,
        f"FROM {table} AS {alias}",
        table_fields(alias, w.schema[table]),
    )


def where(made: Pipe) -> None:
    made.step(f"WHERE {made.writer.condition(made.scope, 1)}")


def extend(made: Pipe) -> None:
    w, name, kind = made.writer, made.writer.new("c"), made.writer.choose((NUMBER, TEXT))
    made.step(f"EXTEND {w.expression(made.scope, kind, 1, needs_column=True)} AS {name}")
    made.scope.append(Field("", name, kind))


def extend_by_window(made: Pipe) -> None:
    w, name = made.writer, made.writer.new("c")
    made.step(f"EXTEND {w.window(made.scope, NUMBER)} AS {name}")
    made.scope.append(Field("", name, NUMBER))


def join(made: Pipe) -> None:
    w, alias = made.writer, made.writer.new("t")
    table = w.choose([*SHOP])
    right = table_fields(alias, w.schema[table])
    kind = w.choose(("JOIN", "LEFT JOIN", "FULL JOIN", "LEFT SEMI JOIN"))
    made.step(f"{kind} {table} AS {alias} ON {w.join_condition(made.scope, right)}")
    if kind != "LEFT SEMI JOIN":
        made.scope += right


def aggregate(made: Pipe) -> None:
    """AGGREGATE sum(a) AS c1 GROUP BY b AS c2      the keys stand first"""
    w = made.writer
    number, text = w.new("c"), w.new("c")
    call = w.aggregate(made.scope, NUMBER, 0)
    key = w.expression(made.scope, TEXT, 1, needs_column=True)
    made.step(f"AGGREGATE {call} AS {number} GROUP BY {key} AS {text}")
    made.scope[:] = [Field("", text, TEXT), Field("", number, NUMBER)]


def select(made: Pipe) -> None:
    w = made.writer
    names = {w.new("c"): NUMBER, w.new("c"): TEXT}
    items = ", ".join(
        f"{w.expression(made.scope, kind, 1, needs_column=True)} AS {n}"
        for n, kind in names.items()
    )
    made.step(f"SELECT {'DISTINCT ' if w.maybe(30) else ''}{items}")
    made.scope[:] = [Field("", name, kind) for name, kind in names.items()]


def set_(made: Pipe) -> None:
    """SET a = a + 1

    only where no other column is called a; behind it, a is no column of its table
    """
    w = made.writer
    alone = [
        field
        for field in fields_of_kind(made.scope, NUMBER)
        if names_of(made.scope).count(field.name) == 1
    ]
    if alone:
        field = w.choose(alone)
        made.step(
            f"SET {field.name} = {w.spell(field, made.scope)} + {w.column(made.scope, NUMBER)}"
        )
        made.scope[made.scope.index(field)] = field._replace(alias="")


def drop(made: Pipe) -> None:
    alone = [field for field in made.scope if names_of(made.scope).count(field.name) == 1]
    if len(alone) > 2:
        field = made.writer.choose(alone)
        made.step(f"DROP {field.name}")
        made.scope.remove(field)


def order(made: Pipe) -> None:
    made.step(f"ORDER BY {made.writer.column(made.scope, NUMBER)} DESC")
    if made.writer.maybe(50):
        made.step("LIMIT 3")


def rename(made: Pipe) -> None:
    """AS t3

    one name for all that came through; of two columns that are called alike, neither can be named
    """
    alias = made.writer.new("t")
    made.step(f"AS {alias}")
    names = names_of(made.scope)
    made.scope[:] = [
        field._replace(alias=alias) for field in made.scope if names.count(field.name) == 1
    ]


def union(made: Pipe) -> None:
    """SELECT c1, c2 |> UNION ALL (SELECT …)"""
    w = made.writer
    select(made)
    table, alias = w.choose([*SHOP]), w.new("t")
    own = table_fields(alias, w.schema[table])
    items = ", ".join(w.expression(own, field.kind, 1, needs_column=True) for field in made.scope)
    operator = w.choose(("UNION ALL", "UNION", "EXCEPT", "INTERSECT"))
    made.step(f"{operator} (SELECT {items} FROM {table} AS {alias})")


def names_of(scope: Sequence[Field]) -> list[str]:
    return [field.name for field in scope]


STEPS: list[Callable[[Pipe], None]] = [
    where, where, extend, extend_by_window, join, join, aggregate, select, set_, drop, order, rename, union,
]  # fmt: skip


def piped(w: Writer, depth: int) -> tuple[str, list[Field]]:
    """(FROM orders AS t1 |> JOIN … |> EXTEND … |> SELECT …) AS t4"""
    made = pipe(w)
    for _ in range(w.random.randint(1, 5)):
        if fields_of_kind(made.scope, NUMBER) and fields_of_kind(made.scope, TEXT):
            w.choose(STEPS)(made)
    select(made)
    alias = w.new("t")
    return f"(\n{made.text}\n) AS {alias}", [field._replace(alias=alias) for field in made.scope]
