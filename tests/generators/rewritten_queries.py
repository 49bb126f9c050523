"""Pairs of queries that mean the same, or nearly: one question, written in two ways.

Some ways are equal, some only look so (NOT IN for NOT EXISTS, a filter of a left join in WHERE, a
DISTINCT that is left out). Whoever calls a pair equal has to be right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from generators.writer import SqlWriter

TABLES = {"t": ["id", "a", "b", "c"], "u": ["id", "x", "y"], "v": ["k", "x", "z"]}
VALUES = (None, 0, 1, 2)
"""Few values, so that keys meet, duplicates occur and conditions hold for some rows."""


@dataclass(frozen=True)
class Joined:
    """A table that is joined: how, under which name, and by which columns."""

    kind: str
    table: str
    alias: str
    on: tuple[str, str]
    filters: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Question:
    """What a query asks, without the way in which it is written."""

    table: str
    joins: tuple[Joined, ...] = ()
    filters: tuple[tuple[str, ...], ...] = ()
    items: tuple[tuple[str, ...], ...] = ()
    keys: int = -1
    """how many of the items are keys of a group; -1: no group"""
    having: tuple[str, ...] = ()
    distinct: bool = False


class Rewriter(SqlWriter):
    """Writes a question in one of many ways."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.ctes: list[str] = []

    def write(self, question: Question) -> str:
        """Return the query."""
        names: dict[str, str] = {}
        rest = list(question.filters)
        first = self.source(question.table, "m", names, rest, movable=True)
        joins, members = [], []
        for join in question.joins:
            movable = join.kind == "JOIN" or self.maybe(10)
            own = list(join.filters) if join.kind == "LEFT JOIN" else rest
            member = self.source(join.table, join.alias, names, own, movable or own is not rest)
            members.append((join, member, own if own is not rest else []))
        if self.maybe(50):
            self.random.shuffle(members)
            members.sort(key=lambda each: each[0].on[0].split(".")[0] != "m")
        for join, member, own in members:
            conditions = [self.compare("eq", *join.on, names), *self.conditions(own, names)]
            joins.append(f"{join.kind} {member} ON {' AND '.join(conditions)}")
        text = " ".join([first, *joins])
        inner = [join for join in question.joins if join.kind == "JOIN"]
        if len(inner) == len(question.joins) == 1 and self.maybe(40):
            found = self.compare("eq", *inner[0].on, names)
            text = f"{members[0][1]}, {first}" if self.maybe(50) else f"{first}, {members[0][1]}"
            return self.select(question, text, [found, *self.conditions(rest, names)], names)
        if len(question.joins) == 1 and self.maybe(30):
            turned = {"JOIN": "JOIN", "LEFT JOIN": "RIGHT JOIN"}[question.joins[0].kind]
            text = f"{members[0][1]} {turned} {first} ON {joins[0].partition(' ON ')[2]}"
        return self.select(question, text, self.conditions(rest, names), names)

    # -- FROM --------------------------------------------------------------------------------------

    def source(
        self,
        table: str,
        alias: str,
        names: dict[str, str],
        filters: list[tuple[str, ...]],
        movable: bool,
    ) -> str:
        """Return a table or a derived table, perhaps with conditions that are moved into it."""
        shown = f"{alias}{next(self.numbers['n'])}"
        if not self.maybe(55):
            names.update({f"{alias}.{each}": f"{shown}.{each}" for each in TABLES[table]})
            return f"{table} AS {shown}"
        renames = {each: each for each in TABLES[table]}
        if self.maybe(30):
            renames = {each: f"{each}_{shown}" for each in TABLES[table]}
        inner = {f"{alias}.{each}": each for each in TABLES[table]}
        moved = [
            each for each in filters if movable and self.is_own(each, alias) and self.maybe(70)
        ]
        for each in moved:
            filters.remove(each)
        listed = list(TABLES[table])
        if self.maybe(30):
            self.random.shuffle(listed)
        items = ", ".join(f"{each} AS {renames[each]}" for each in listed)
        where = self.where(self.conditions(moved, inner))
        distinct = "DISTINCT " if self.maybe(3) else ""
        body = f"SELECT {distinct}{items} FROM {table}{where}"
        names.update({f"{alias}.{each}": f"{shown}.{renames[each]}" for each in TABLES[table]})
        if self.maybe(50):
            cte = self.new("w")
            self.ctes.append(f"{cte} AS ({body})")
            return f"{cte} AS {shown}"
        return f"({body}) AS {shown}"

    def is_own(self, condition: tuple[str, ...], alias: str) -> bool:
        """Tell whether a condition names columns of one source only."""
        return all(each.startswith(f"{alias}.") for each in condition[1:] if "." in each)

    # -- SELECT ------------------------------------------------------------------------------------

    def select(
        self, question: Question, text: str, conditions: list[str], names: dict[str, str]
    ) -> str:
        """Return the query over its FROM."""
        self.random.shuffle(conditions)
        items = [(f"o{at}", self.value(item, names)) for at, item in enumerate(question.items)]
        keys = [value for _, value in items[: max(question.keys, 0)]]
        tail = f" GROUP BY {', '.join(self.random.sample(keys, len(keys)))}" if keys else ""
        distinct = question.distinct
        if question.keys > 0 and self.maybe(20):
            distinct = True
        having = ""
        outer: list[str] = []
        if question.having:
            at = int(question.having[1])
            if self.maybe(50):
                having = f" HAVING {self.test(question.having, items[at][1])}"
            else:
                outer.append(self.test(question.having, items[at][0]))
        listed = ", ".join(f"{value} AS {name}" for name, value in items)
        word = "DISTINCT " if distinct else ""
        body = f"SELECT {word}{listed} FROM {text}{self.where(conditions)}{tail}{having}"
        if distinct and not keys and not having and self.maybe(30):
            grouped = ", ".join(value for _, value in items)
            body = f"SELECT {listed} FROM {text}{self.where(conditions)} GROUP BY {grouped}"
        if outer or self.maybe(25):
            names_only = ", ".join(name for name, _ in items)
            star = "*" if self.maybe(50) else names_only
            word = "DISTINCT " if distinct and self.maybe(30) else ""
            body = f"SELECT {word}{star} FROM ({body}) AS {self.new('q')}{self.where(outer)}"
        if self.ctes:
            body = f"WITH {', '.join(self.ctes)} {body}"
        return body

    def where(self, conditions: list[str]) -> str:
        """Return a WHERE, if there is anything to say."""
        if not conditions and self.maybe(10):
            return " WHERE 1 = 1"
        return f" WHERE {' AND '.join(conditions)}" if conditions else ""

    # -- expressions -------------------------------------------------------------------------------

    def test(self, having: tuple[str, ...], value: str) -> str:
        """Return a condition on an output column."""
        return f"{value} > {having[2]}" if self.maybe(50) else f"{having[2]} < {value}"

    def conditions(self, several: list[tuple[str, ...]], names: dict[str, str]) -> list[str]:
        """Return conditions as text."""
        return [self.compare(*each, names) for each in several]  # type: ignore[arg-type]

    def compare(self, kind: str, left: str, right: str, names: dict[str, str]) -> str:
        """Return one condition, in one of the ways to write it."""
        one, other = names.get(left, left), names.get(right, right)
        ways: dict[str, Callable[[], list[str]]] = {
            "eq": lambda: [f"{one} = {other}", f"{other} = {one}"],
            "ne": lambda: [f"{one} <> {other}", f"NOT {one} = {other}", f"NOT ({other} = {one})"],
            "lt": lambda: [f"{one} < {other}", f"{other} > {one}"],
            "same": lambda: [
                f"{one} IS NOT DISTINCT FROM {other}",
                f"({one} = {other} OR ({one} IS NULL AND {other} IS NULL))",
                f"COALESCE({one}, -1) = COALESCE({other}, -1)",
            ],
            "other": lambda: [
                f"{one} IS DISTINCT FROM {other}",
                f"NOT ({one} = {other} OR ({one} IS NULL AND {other} IS NULL))",
            ],
            "in": lambda: [
                f"{one} IN (1, 2)", f"({one} = 2 OR {one} = 1)", f"{one} BETWEEN 1 AND 2",
                f"({one} >= 1 AND 2 >= {one})",
            ],
            "null": lambda: [f"{one} IS NULL", f"NOT {one} IS NOT NULL", f"{one} IS NULL AND {one} IS NULL"],
            "there": lambda: [f"{one} IS NOT NULL", f"NOT {one} IS NULL"],
            "member": lambda: self.members(one, other),
            "alien": lambda: self.aliens(one, other),
            "either": lambda: [
                f"({one} = 1 OR {one} = {other})", f"COALESCE({one} = 1 OR {one} = {other}, FALSE)",
                f"CASE WHEN {one} = {other} OR {one} = 1 THEN TRUE ELSE FALSE END",
            ],
        }  # fmt: skip
        return self.choose(ways[kind]())

    def members(self, value: str, least: str) -> list[str]:
        """x IN (SELECT …), x = ANY …, EXISTS"""
        n = self.new("e")
        return [
            f"{value} IN (SELECT id FROM u WHERE x > {least})",
            f"{value} IN (SELECT DISTINCT {n}.id FROM u AS {n} WHERE {n}.x > {least})",
            f"EXISTS (SELECT 1 FROM u AS {n} WHERE {n}.id = {value} AND {n}.x > {least})",
            f"EXISTS (SELECT {n}.y FROM u AS {n} WHERE {least} < {n}.x AND {value} = {n}.id)",
            f"{value} IN (SELECT id FROM (SELECT id, x FROM u) AS {n} WHERE x > {least})",
            f"{value} IN (SELECT id FROM u WHERE x > {least} GROUP BY id)",
        ]

    def aliens(self, value: str, least: str) -> list[str]:
        """NOT IN and NOT EXISTS differ where there is a NULL."""
        n = self.new("e")
        return [
            f"{value} NOT IN (SELECT id FROM u WHERE x > {least})",
            f"NOT {value} IN (SELECT {n}.id FROM u AS {n} WHERE {least} < {n}.x)",
            f"NOT EXISTS (SELECT 1 FROM u AS {n} WHERE {n}.id = {value} AND {n}.x > {least})",
            f"NOT COALESCE({value} IN (SELECT id FROM u WHERE x > {least}), FALSE)",
        ]

    def value(self, item: tuple[str, ...], names: dict[str, str]) -> str:
        """Return an output column, in one of the ways to write it."""
        kind, *given = item
        one, *rest = (names.get(each, each) for each in given)
        other = rest[0] if rest else ""
        ways: dict[str, list[str]] = {
            "col": [one],
            "coalesce": [
                f"COALESCE({one}, {other})", f"CASE WHEN {one} IS NULL THEN {other} ELSE {one} END",
                f"CASE WHEN {one} IS NOT NULL THEN {one} ELSE {other} END", f"IFNULL({one}, {other})",
                f"CASE WHEN NOT {one} IS NULL THEN {one} WHEN TRUE THEN {other} END",
            ],
            "nullif": [
                f"NULLIF({one}, {other})", f"CASE WHEN {one} = {other} THEN NULL ELSE {one} END",
                f"CASE WHEN {one} <> {other} THEN {one} END", f"CASE {one} WHEN {other} THEN NULL ELSE {one} END",
            ],
            "add": [f"{one} + {other}", f"({one}) + ({other})"],
            "sum": [f"SUM({one})", f"SUM(({one}))"],
            "max": [f"MAX({one})", f"MAX(DISTINCT {one})"],
            "count": ["COUNT(*)", "COUNT(1)"],
            "counted": [f"COUNT({one})", f"COUNT(DISTINCT {one})", f"COUNT(CASE WHEN {one} IS NOT NULL THEN 1 END)"],
            "some": [
                f"SUM({one}) FILTER (WHERE {other} > 0)", f"SUM(CASE WHEN {other} > 0 THEN {one} END)",
                f"SUM(CASE WHEN {other} > 0 THEN {one} ELSE 0 END)",
            ],
            "over": [f"SUM({one}) OVER (PARTITION BY {other})"],
        }  # fmt: skip
        return self.choose(ways[kind])


FILTERS = ("eq", "ne", "lt", "same", "other", "in", "null", "there", "member", "alien", "either")
VALUES_OF_ROWS = ("col", "col", "col", "coalesce", "nullif", "add")
AGGREGATES = ("sum", "max", "count", "counted", "some")


def draw_question(w: SqlWriter) -> Question:
    """Return a random question."""
    table = w.choose(list(TABLES))
    columns = {"m": TABLES[table]}
    joins = []
    for alias in ("j", "k")[: w.choose((0, 0, 1, 1, 2))]:
        joins.append(draw_join(w, columns, alias))
        columns[alias] = TABLES[joins[-1].table]
    filters = [condition(w, columns) for _ in range(w.choose((0, 1, 1, 2, 3)))]
    items = [item(w, columns, VALUES_OF_ROWS) for _ in range(w.choose((1, 2, 3)))]
    question = Question(table, tuple(joins), tuple(filters), tuple(items))
    return w.choose(STYLES)(w, question, columns)


def draw_join(w: SqlWriter, columns: dict[str, list[str]], alias: str) -> Joined:
    """Return a join with one of the tables."""
    joined = w.choose(list(TABLES))
    on = column(w, columns), f"{alias}.{w.choose(TABLES[joined])}"
    kind = w.choose(("JOIN", "LEFT JOIN"))
    own = (condition(w, {alias: TABLES[joined]}),) if w.maybe(40) else ()
    return Joined(kind, joined, alias, on, own if kind == "LEFT JOIN" else ())


def ask_rows(w: SqlWriter, question: Question, columns: dict[str, list[str]]) -> Question:
    """SELECT a, b"""
    return question


def ask_groups(w: SqlWriter, question: Question, columns: dict[str, list[str]]) -> Question:
    """SELECT a, sum(b) … GROUP BY a HAVING …"""
    made = [item(w, columns, AGGREGATES) for _ in range(w.choose((1, 2)))]
    keys = 0 if w.maybe(10) else len(question.items)
    items = (*question.items[:keys], *made)
    having = "gt", str(w.choose(range(len(items)))), str(w.choose((0, 1)))
    return replace(question, items=items, keys=keys, having=having if w.maybe(50) else ())


def ask_distinct(w: SqlWriter, question: Question, columns: dict[str, list[str]]) -> Question:
    """SELECT DISTINCT a, b"""
    return replace(question, distinct=True)


def ask_window(w: SqlWriter, question: Question, columns: dict[str, list[str]]) -> Question:
    """SELECT a, sum(b) OVER (PARTITION BY c)"""
    return replace(question, items=(*question.items, item(w, columns, ("over",))))


STYLES = [*[ask_rows] * 8, *[ask_groups] * 7, *[ask_distinct] * 4, ask_window]


def column(w: SqlWriter, columns: dict[str, list[str]]) -> str:
    """Return a random column."""
    alias = w.choose(list(columns))
    return f"{alias}.{w.choose(columns[alias])}"


def condition(w: SqlWriter, columns: dict[str, list[str]]) -> tuple[str, ...]:
    """Return a random condition."""
    kind = w.choose(FILTERS)
    other = column(w, columns) if w.maybe(40) else str(w.choose((0, 1, 2)))
    if kind in ("member", "alien"):
        other = str(w.choose((0, 1)))
    return kind, column(w, columns), other


def item(w: SqlWriter, columns: dict[str, list[str]], kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Return a random output column."""
    return w.choose(kinds), column(w, columns), column(w, columns)


def write_pair(random: Random) -> tuple[str, str]:
    """Return two queries: one question written twice, or a slightly different question."""
    writer = Rewriter(random)
    question = draw_question(writer)
    other = change_question(writer, question) if writer.maybe(15) else question
    return writer.write(question), Rewriter(random).write(other)


def change_question(w: SqlWriter, question: Question) -> Question:
    """Return a question that differs in one thing."""
    ways = [replace(question, distinct=not question.distinct)]
    if question.filters:
        ways.append(replace(question, filters=question.filters[1:]))
    if question.joins:
        first, *rest = question.joins
        kind = "JOIN" if first.kind == "LEFT JOIN" else "LEFT JOIN"
        ways.append(replace(question, joins=(replace(first, kind=kind, filters=()), *rest)))
    return w.choose(ways)


def draw_rows(random: Random) -> dict[str, list[tuple[int | None, ...]]]:
    """Return the rows of every table: few, with NULLs and duplicates."""
    made = {}
    for table, columns in TABLES.items():
        rows = [tuple(random.choice(VALUES) for _ in columns) for _ in range(random.randrange(6))]
        made[table] = rows + rows[: random.randrange(2)]
    return made
