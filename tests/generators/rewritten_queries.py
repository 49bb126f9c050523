"""Pairs of queries that mean the same, or nearly: one question, written in two ways.

Some ways are equal, some only look so (NOT IN for NOT EXISTS, a filter of a left join in WHERE, a
DISTINCT that is left out). Whoever calls a pair equal has to be right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random

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


@dataclass
class Writer:
    """Writes a question in a way that chance decides."""

    random: Random
    numbers: list[int] = field(default_factory=lambda: [0])
    ctes: list[str] = field(default_factory=list)

    def chance(self, share: float) -> bool:
        """Tell whether something happens this time."""
        return self.random.random() < share

    def name(self, start: str) -> str:
        """Return a name that is not used yet."""
        self.numbers[0] += 1
        return f"{start}{self.numbers[0]}"

    def write(self, question: Question) -> str:
        """Return the query."""
        names: dict[str, str] = {}
        rest = list(question.filters)
        first = self.source(question.table, "m", names, rest, movable=True)
        joins, members = [], []
        for join in question.joins:
            movable = join.kind == "JOIN" or self.chance(0.1)
            own = list(join.filters) if join.kind == "LEFT JOIN" else rest
            member = self.source(join.table, join.alias, names, own, movable or own is not rest)
            members.append((join, member, own if own is not rest else []))
        if self.chance(0.5):
            self.random.shuffle(members)
            members.sort(key=lambda each: each[0].on[0].split(".")[0] != "m")
        for join, member, own in members:
            conditions = [self.compare("eq", *join.on, names), *self.conditions(own, names)]
            joins.append(f"{join.kind} {member} ON {' AND '.join(conditions)}")
        text = " ".join([first, *joins])
        inner = [join for join in question.joins if join.kind == "JOIN"]
        if len(inner) == len(question.joins) == 1 and self.chance(0.4):
            found = self.compare("eq", *inner[0].on, names)
            text = f"{members[0][1]}, {first}" if self.chance(0.5) else f"{first}, {members[0][1]}"
            return self.select(question, text, [found, *self.conditions(rest, names)], names)
        if len(question.joins) == 1 and self.chance(0.3):
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
        shown = self.name(alias)
        if self.chance(0.45):
            names.update({f"{alias}.{each}": f"{shown}.{each}" for each in TABLES[table]})
            return f"{table} AS {shown}"
        renames = {each: each for each in TABLES[table]}
        if self.chance(0.3):
            renames = {each: f"{each}_{shown}" for each in TABLES[table]}
        inner = {f"{alias}.{each}": each for each in TABLES[table]}
        moved = [
            each for each in filters if movable and self.is_own(each, alias) and self.chance(0.7)
        ]
        for each in moved:
            filters.remove(each)
        listed = list(TABLES[table])
        if self.chance(0.3):
            self.random.shuffle(listed)
        items = ", ".join(f"{each} AS {renames[each]}" for each in listed)
        where = self.where(self.conditions(moved, inner))
        distinct = "DISTINCT " if self.chance(0.03) else ""
        body = f"SELECT {distinct}{items} FROM {table}{where}"
        names.update({f"{alias}.{each}": f"{shown}.{renames[each]}" for each in TABLES[table]})
        if self.chance(0.5):
            cte = self.name("w")
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
        if question.keys > 0 and self.chance(0.2):
            distinct = True
        having = ""
        outer: list[str] = []
        if question.having:
            at = int(question.having[1])
            if self.chance(0.5):
                having = f" HAVING {self.test(question.having, items[at][1])}"
            else:
                outer.append(self.test(question.having, items[at][0]))
        listed = ", ".join(f"{value} AS {name}" for name, value in items)
        word = "DISTINCT " if distinct else ""
        body = f"SELECT {word}{listed} FROM {text}{self.where(conditions)}{tail}{having}"
        if distinct and not keys and not having and self.chance(0.3):
            grouped = ", ".join(value for _, value in items)
            body = f"SELECT {listed} FROM {text}{self.where(conditions)} GROUP BY {grouped}"
        if outer or self.chance(0.25):
            names_only = ", ".join(name for name, _ in items)
            star = "*" if self.chance(0.5) else names_only
            word = "DISTINCT " if distinct and self.chance(0.3) else ""
            body = f"SELECT {word}{star} FROM ({body}) AS {self.name('q')}{self.where(outer)}"
        if self.ctes:
            body = f"WITH {', '.join(self.ctes)} {body}"
        return body

    def where(self, conditions: list[str]) -> str:
        """Return a WHERE, if there is anything to say."""
        if not conditions and self.chance(0.1):
            return " WHERE 1 = 1"
        return f" WHERE {' AND '.join(conditions)}" if conditions else ""

    # -- expressions -------------------------------------------------------------------------------

    def test(self, having: tuple[str, ...], value: str) -> str:
        """Return a condition on an output column."""
        return f"{value} > {having[2]}" if self.chance(0.5) else f"{having[2]} < {value}"

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
        return self.random.choice(ways[kind]())

    def members(self, value: str, least: str) -> list[str]:
        """x IN (SELECT …), x = ANY …, EXISTS"""
        n = self.name("e")
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
        n = self.name("e")
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
        return self.random.choice(ways[kind])


FILTERS = ("eq", "ne", "lt", "same", "other", "in", "null", "there", "member", "alien", "either")
VALUES_OF_ROWS = ("col", "col", "col", "coalesce", "nullif", "add")
AGGREGATES = ("sum", "max", "count", "counted", "some")


def draw_question(random: Random) -> Question:
    """Return a random question."""
    table = random.choice(list(TABLES))
    columns = {"m": TABLES[table]}
    joins = []
    for alias in ("j", "k")[: random.choice((0, 0, 1, 1, 2))]:
        joined = random.choice(list(TABLES))
        before = random.choice(list(columns))
        on = (
            f"{before}.{random.choice(columns[before])}",
            f"{alias}.{random.choice(TABLES[joined])}",
        )
        kind = random.choice(("JOIN", "LEFT JOIN"))
        own = [condition(random, {alias: TABLES[joined]})] if random.random() < 0.4 else []
        joins.append(Joined(kind, joined, alias, on, tuple(own) if kind == "LEFT JOIN" else ()))
        columns[alias] = TABLES[joined]
    filters = [condition(random, columns) for _ in range(random.choice((0, 1, 1, 2, 3)))]
    items = [item(random, columns, VALUES_OF_ROWS) for _ in range(random.choice((1, 2, 3)))]
    question = Question(table, tuple(joins), tuple(filters), tuple(items))
    style = random.random()
    if style < 0.35:
        made = [item(random, columns, AGGREGATES) for _ in range(random.choice((1, 2)))]
        keys = len(items) if random.random() < 0.9 else 0
        having = (
            "gt",
            str(random.randrange(len(items[:keys]) + len(made))),
            str(random.choice((0, 1))),
        )
        question = replace(
            question,
            items=(*items[:keys], *made),
            keys=keys,
            having=having if random.random() < 0.5 else (),
        )
    elif style < 0.55:
        question = replace(question, distinct=True)
    elif style < 0.6:
        question = replace(question, items=(*items, item(random, columns, ("over",))))
    return question


def column(random: Random, columns: dict[str, list[str]]) -> str:
    """Return a random column."""
    alias = random.choice(list(columns))
    return f"{alias}.{random.choice(columns[alias])}"


def condition(random: Random, columns: dict[str, list[str]]) -> tuple[str, ...]:
    """Return a random condition."""
    kind = random.choice(FILTERS)
    other = column(random, columns) if random.random() < 0.4 else str(random.choice((0, 1, 2)))
    if kind in ("member", "alien"):
        other = str(random.choice((0, 1)))
    return kind, column(random, columns), other


def item(random: Random, columns: dict[str, list[str]], kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Return a random output column."""
    return random.choice(kinds), column(random, columns), column(random, columns)


def draw_pair(seed: int) -> tuple[str, str]:
    """Return two queries: one question written twice, or a slightly different question."""
    random = Random(seed)
    question = draw_question(random)
    other = question
    if random.random() < 0.15:
        other = change_question(random, question)
    return Writer(random).write(question), Writer(random).write(other)


def change_question(random: Random, question: Question) -> Question:
    """Return a question that differs in one thing."""
    ways = [replace(question, distinct=not question.distinct)]
    if question.filters:
        ways.append(replace(question, filters=question.filters[1:]))
    if question.joins:
        first, *rest = question.joins
        kind = "JOIN" if first.kind == "LEFT JOIN" else "LEFT JOIN"
        ways.append(replace(question, joins=(replace(first, kind=kind, filters=()), *rest)))
    return random.choice(ways)


def draw_rows(random: Random) -> dict[str, list[tuple[int | None, ...]]]:
    """Return the rows of every table: few, with NULLs and duplicates."""
    made = {}
    for table, columns in TABLES.items():
        rows = [tuple(random.choice(VALUES) for _ in columns) for _ in range(random.randrange(6))]
        made[table] = rows + rows[: random.randrange(2)]
    return made
