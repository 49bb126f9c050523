"""MariaDB says what a query means: a view keeps it with every name resolved and every star
expanded, and a column that matters for no output can be drawn again.

Every case that MariaDB understands is held against it, whatever its own dialect is: the text is
read as MySQL's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import mariadb_server
import pytest
from sqlglot import exp
from sqlglot.errors import SqlglotError

from casefile import Case, all_cases
from lineal.extract.sql.dialects.nearest import grammar_of
from lineal.incremental.extraction import extract
from lineal.model.extraction import ColumnInfo, Extraction
from lineal.model.script import Corpus, Script

FEWEST = 150
"""MariaDB understands more cases than this."""

ROWS = 6
MARK = "@@@@"
VALUES = {
    "text": ["'a'", "'b'", "'c'", "'1'", "NULL"],
    "date": ["'2024-01-01'", "'2024-01-02'", "'2024-02-01'"],
    "number": ["0", "1", "2", "3", "7"],
}
CHANCE = re.compile(r"\b(rand|random|uuid|now|current_\w+|limit|row_number)\b", re.IGNORECASE)
"""What makes a query's outcome depend on more than the rows."""


class Understood(NamedTuple):
    number: int
    case: Case
    stored: str
    """the query as the view keeps it"""


def is_query(case: Case) -> bool:
    """Whether a case is one query over tables that are all known."""
    first = case.sql.lstrip().lower()
    plain = all("." not in info.dataset.name for info in case.schema)
    one = ";" not in case.sql.strip().rstrip(";")
    known = bool(case.schema) and not case.diagnostics
    return first.startswith(("select", "with")) and known and plain and one


def type_of(column: ColumnInfo, dialect: str) -> str:
    """The type of a column in MySQL's words."""
    try:
        kind = exp.DataType.build(column.type or "text", dialect=grammar_of(dialect))
    except SqlglotError:
        return "TEXT"
    return "VARCHAR(40)" if kind.is_type(*exp.DataType.TEXT_TYPES) else kind.sql("mysql")


def tables_of(case: Case) -> Iterator[str]:
    for info in case.schema:
        columns = ", ".join(f"`{each.name}` {type_of(each, case.dialect)}" for each in info.columns)
        yield f"CREATE TABLE `{info.dataset.name}` ({columns});"


def script_of(number: int, case: Case) -> str:
    query = case.sql.strip().rstrip(";")
    return "\n".join(
        [
            f"CREATE DATABASE c{number}; USE c{number};",
            *tables_of(case),
            f"CREATE VIEW v_{number} AS {query}\n;",
        ]
    )


@pytest.fixture(scope="module")
def server() -> Iterator[mariadb_server.Server]:
    try:
        with mariadb_server.server() as found:
            yield found
    except mariadb_server.NoServer as problem:
        pytest.skip(str(problem))


@pytest.fixture(scope="module")
def cases(server: mariadb_server.Server) -> list[Understood]:
    asked = [case for case in all_cases() if is_query(case) and case.name not in REWRITTEN]
    server.run("\n".join(script_of(number, case) for number, case in enumerate(asked)))
    rows = server.run(
        "SELECT table_name, replace(view_definition, '\\n', ' ') FROM information_schema.views "
        "WHERE table_schema LIKE 'c%' AND table_name LIKE 'v\\_%';"
    )
    found = []
    for row in rows.splitlines():
        name, _, stored = row.partition("\t")
        number = int(name.removeprefix("v_"))
        found.append(Understood(number, asked[number], stored.replace(f"`c{number}`.", "")))
    return sorted(found)


def lineage_of(sql: str, case: Case) -> Extraction:
    script = Script(sql, "mysql", file=case.path.name, target="result")
    return extract(Corpus("mysql", [script], list(case.schema)))


def facts_of(found: Extraction) -> set[str]:
    """The edges without their usages' texts: pairs with their usages."""
    return {
        f"{edge.source} {'->' if edge.field_level else '=>'} {edge.target} {usage.how.value}".lower()
        for edge in found.edges
        for usage in edge.usages
    }


def test_mariadb_understands_many_cases(cases: list[Understood]) -> None:
    assert len(cases) > FEWEST


def test_the_stored_query_has_the_lineage_of_the_text(cases: list[Understood]) -> None:
    different = {}
    for _, case, stored in cases:
        text, kept = facts_of(lineage_of(case.sql, case)), facts_of(lineage_of(stored, case))
        if text != kept:
            different[case.name] = (sorted(text - kept), sorted(kept - text), stored)
    assert not different, different


REWRITTEN = frozenset(
    (
        "join/using-full",  # MariaDB has no FULL JOIN: FULL is an alias
        "names/comment-inside-an-unnamed-expression",  # two spaces where the comment stood
        "cte/forward-reference-recursive",  # MariaDB, unlike MySQL, knows mutual recursion
    )
)
"""Cases that MariaDB reads in another way than MySQL, or than anybody else."""


# -- columns that are drawn again ------------------------------------------------------------------


def kind_of(column: ColumnInfo, dialect: str) -> str:
    name = type_of(column, dialect).upper()
    if "CHAR" in name or "TEXT" in name:
        return "text"
    return "date" if name.startswith(("DATE", "TIME")) else "number"


def drawn(case: Case, random: Random) -> dict[tuple[str, str], list[str]]:
    return {
        (info.dataset.name, column.name): [
            random.choice(VALUES[kind_of(column, case.dialect)]) for _ in range(ROWS)
        ]
        for info in case.schema
        for column in info.columns
    }


def filling(case: Case, values: dict[tuple[str, str], list[str]]) -> Iterator[str]:
    for info in case.schema:
        table = info.dataset.name
        lists = [values[table, column.name] for column in info.columns]
        rows = ", ".join(f"({', '.join(row)})" for row in zip(*lists, strict=True))
        yield f"DELETE FROM `{table}`; INSERT INTO `{table}` VALUES {rows};"


def claimed(found: Extraction) -> tuple[set[tuple[str, str]], dict[str, set[tuple[str, str]]]]:
    """What lineal lists for the rows, and for each output."""
    rows: set[tuple[str, str]] = set()
    outputs: dict[str, set[tuple[str, str]]] = {}
    for edge in found.edges:
        source = (edge.source.dataset.name.lower(), edge.source.name.lower())
        into = outputs.setdefault(edge.target.name, set()) if edge.field_level else rows
        into.add(source)
    return rows, outputs


class Experiment(NamedTuple):
    name: str
    position: int
    """the output that must not change"""
    drawn_again: list[tuple[str, str]]


def plan(each: Understood, random: Random) -> tuple[str, list[Experiment]]:
    """A script that asks for the outcome before, and after each drawing."""
    case = each.case
    found = lineage_of(case.sql, case)
    info = next(info for info in found.datasets.values() if info.dataset.name == "result")
    rows, outputs = claimed(found)
    values = drawn(case, random)
    ask = f"SELECT '{MARK}'; SELECT * FROM v_{each.number};"
    lines = [
        f"SELECT '{MARK}{MARK} {each.number}'; USE c{each.number};",
        *filling(case, values),
        ask,
    ]
    experiments = []
    for position, column in enumerate(info.columns):
        free = [
            atom for atom in values
            if (atom[0].lower(), atom[1].lower()) not in rows | outputs.get(column.name, set())
        ]  # fmt: skip
        if free:
            again = drawn(case, random)
            changed = {**values, **{atom: again[atom] for atom in free}}
            lines += [*filling(case, changed), ask]
            experiments.append(Experiment(case.name, position, free))
    return "\n".join(lines), experiments


def outcome(part: str) -> list[list[str]]:
    return [line.split("\t") for line in part.strip("\n").splitlines()]


def bag(rows: list[list[str]], position: int) -> Counter[str]:
    return Counter(row[position] for row in rows if position < len(row))


def test_unlisted_columns_change_nothing(
    server: mariadb_server.Server, cases: list[Understood]
) -> None:
    random = Random(0)
    steady = [each for each in cases if not CHANCE.search(each.case.sql)]
    plans = [plan(each, random) for each in steady]
    answer = server.run("\n".join(script for script, _ in plans))
    parts = answer.split(f"{MARK}{MARK} ")[1:]
    assert len(parts) == len(plans)
    wrong, compared = {}, 0
    for (_, experiments), part in zip(plans, parts, strict=True):
        before, *after = [outcome(each) for each in part.split(f"{MARK}\n")[1:]] or [[]]
        for experiment, rows in zip(experiments, after, strict=False):
            compared += 1
            if bag(before, experiment.position) != bag(rows, experiment.position):
                wrong[experiment.name] = experiment
    assert not wrong, wrong
    assert compared > FEWEST
