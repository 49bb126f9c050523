"""ClickHouse says which columns a statement reads, and what each output is made of: its query tree
has every name resolved.

Every case that ClickHouse understands is held against it, whatever its own dialect is: the text is
read as ClickHouse's.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlglot import exp
from sqlglot.errors import SqlglotError

from casefile import Case, all_cases
from lineal.algebra.functions import Role, known
from lineal.extract.sql.dialects.nearest import grammar_of
from lineal.incremental.extraction import extract
from lineal.model.extraction import ColumnInfo, Extraction
from lineal.model.script import Corpus, Script

FEWEST = 250
"""ClickHouse understands more cases than this."""

Named = tuple[str, str]
NODE = re.compile(r"([A-Z_]+) id: (\d+)(.*)")
FIELD = {
    name: re.compile(rf"\b{name}: ([^,]+)")
    for name in ("column_name", "source_id", "table_name", "alias")
}


class Node:
    """A line of a query tree with the lines indented below it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.below: list[Node] = []
        found = NODE.match(text)
        self.kind = found[1] if found else ""
        self.id = found[2] if found else ""

    def field(self, name: str) -> str:
        found = FIELD[name].search(self.text)
        return found[1] if found else ""

    def section(self, title: str) -> list[Node]:
        return next((each.below for each in self.below if each.text == title), [])

    def all(self) -> list[Node]:
        return [self, *(node for child in self.below for node in child.all())]


class Tree:
    """The query tree of one statement."""

    def __init__(self, text: str) -> None:
        levels: list[tuple[int, Node]] = [(-1, Node(""))]
        for line in text.splitlines():
            indent = len(line) - len(line.lstrip())
            while levels[-1][0] >= indent:
                levels.pop()
            node = Node(line.strip())
            levels[-1][1].below.append(node)
            levels.append((indent, node))
        root = levels[0][1]
        self.top = root.below[0]
        self.ids: dict[str, Node] = {}
        for node in root.all():
            if node.id and (node.below or node.id not in self.ids):
                self.ids[node.id] = node

    def reads(self) -> set[Named]:
        """The columns of tables that the statement names."""
        columns = [node for node in self.top.all() if node.kind == "COLUMN"]
        return {found for node in columns for found in [self.of_table(node)] if found}

    def of_table(self, column: Node) -> Named | None:
        source = self.ids.get(column.field("source_id"))
        if source is None or source.kind != "TABLE":
            return None
        table = source.field("table_name").split(".", 1)[1]
        if table.startswith("_tmp_"):  # a recursive CTE inside its own definition
            return None
        return table.lower(), column.field("column_name").split(".")[0].lower()

    def outputs(self) -> list[set[Named]]:
        """The columns that each output of the statement is made of."""
        return [self.origins(node, 0) for node in projection(self.first(self.top))]

    def first(self, query: Node) -> Node:
        while query.kind == "UNION":
            query = query.section("QUERIES")[0].below[0]
        return query

    def origins(self, node: Node, depth: int) -> set[Named]:
        if depth > 40:
            return set()
        if node.kind == "COLUMN":
            table = self.of_table(node)
            return {table} if table else self.through(node, depth)
        if "function_name: tupleElement" in node.text:  # lineal knows which element it is
            return set()
        if node.kind in ("QUERY", "UNION"):
            items = projection(self.first(node))
            return {each for item in items for each in self.origins(item, depth + 1)}
        return {each for child in node.below for each in self.origins(child, depth + 1)}

    def through(self, column: Node, depth: int) -> set[Named]:
        """A column of a subquery is what the subquery makes it of."""
        source = self.ids.get(column.field("source_id"))
        if source is None or source.kind not in ("QUERY", "UNION"):
            return {each for child in column.below for each in self.origins(child, depth + 1)}
        query = self.first(source)
        name = column.field("column_name")
        titles = [title.text for title in query.section("PROJECTION COLUMNS")]
        items = projection(query)
        places = [place for place, title in enumerate(titles) if title.startswith(f"{name} ")]
        return self.origins(items[places[0]], depth + 1) if places else set()


def projection(query: Node) -> list[Node]:
    return [item for listed in query.section("PROJECTION") for item in listed.below]


class Understood(NamedTuple):
    case: Case
    tree: Tree


OTHER_STARS = frozenset(
    ("paths/struct-star-duckdb", "star/choice-of-structs", "star/of-a-chosen-row")
)
"""Cases with `s.*`, which ClickHouse reads as all columns of the tables."""


def is_query(case: Case) -> bool:
    """Whether a case is one query over tables that are all known."""
    first = case.sql.lstrip().lower()
    plain = all("." not in info.dataset.name for info in case.schema)
    one = ";" not in case.sql.strip().rstrip(";")
    return first.startswith(("select", "with")) and bool(case.schema) and plain and one


def is_same_in_clickhouse(case: Case) -> bool:
    return not case.diagnostics and case.name not in OTHER_STARS


def type_of(column: ColumnInfo, dialect: str) -> str:
    """The type of a column in ClickHouse's words."""
    try:
        kind = exp.DataType.build(column.type or "text", dialect=grammar_of(dialect))
    except SqlglotError:
        return "String"
    return kind.sql("clickhouse")


def tables_of(case: Case) -> list[str]:
    """The statements that create the tables of a case."""
    found = []
    for info in case.schema:
        columns = ", ".join(f"`{each.name}` {type_of(each, case.dialect)}" for each in info.columns)
        found.append(f"CREATE TABLE `{info.dataset.name}` ({columns}) ENGINE = Memory")
    return found


@cache
def answers() -> dict[str, list[Any]]:
    """What ClickHouse says of every case that is one query, and which functions it has."""
    asked = [
        {"tables": tables_of(case), "sql": case.sql.strip().rstrip(";")} for case in asked_for()
    ]
    program = Path(__file__).with_name("clickhouse_trees.py")
    done = subprocess.run(
        [os.environ["LINEAL_CHDB"], str(program)],
        input=json.dumps(asked), capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: dict[str, list[Any]] = json.loads(done.stdout)
    return found


@cache
def asked_for() -> list[Case]:
    return [case for case in all_cases() if is_query(case) and is_same_in_clickhouse(case)]


@pytest.fixture(scope="module")
def clickhouse() -> dict[str, list[Any]]:
    if not os.environ.get("LINEAL_CHDB"):
        pytest.skip('no ClickHouse: export LINEAL_CHDB="$(tools/clickhouse.sh)"')
    return answers()


@pytest.fixture(scope="module")
def cases(clickhouse: dict[str, list[Any]]) -> list[Understood]:
    texts = zip(asked_for(), clickhouse["trees"], strict=True)
    return [Understood(case, Tree(text)) for case, text in texts if text]


def lineage_of(case: Case) -> Extraction:
    script = Script(case.sql, "clickhouse", file=case.path.name, target="result")
    return extract(Corpus("clickhouse", [script], list(case.schema)))


WITHOUT_ROLE = frozenset(("nothing", "nothingNull", "nothingUInt64", "aggThrow", "ST_AsMVT"))
"""Aggregates that compute nothing, and one that is an aggregate of one argument only."""


def test_every_aggregate_of_the_catalog_has_its_role(clickhouse: dict[str, list[Any]]) -> None:
    names = [name for name in clickhouse["aggregates"] if name not in WITHOUT_ROLE]
    assert len(names) > 200
    assert [
        name for name in names if (row := known(name.lower())) is None or row.role is Role.SCALAR
    ] == []


def test_clickhouse_understands_many_cases(cases: list[Understood]) -> None:
    assert len(cases) > FEWEST


def test_every_column_that_clickhouse_reads_is_read(cases: list[Understood]) -> None:
    missing = {}
    for case, tree in cases:
        reads = {
            (each.dataset.name.lower(), each.column.lower())
            for each in lineage_of(case).reads
            if each.column is not None
        }
        if lost := tree.reads() - reads:
            missing[case.name] = sorted(lost)
    assert not missing, missing


def test_every_output_has_the_sources_that_clickhouse_gives_it(cases: list[Understood]) -> None:
    missing = {}
    for case, tree in cases:
        found = lineage_of(case)
        info = next(
            (each for each in found.datasets.values() if each.dataset.name == "result"), None
        )
        outputs = tree.outputs()
        if info is None or len(info.columns) != len(outputs):
            missing[case.name] = f"{len(outputs)} outputs, {info and len(info.columns)} columns"
            continue
        sources: dict[str, set[Named]] = {}
        for edge in found.edges:
            if edge.field_level:
                source = (edge.source.dataset.name.lower(), edge.source.name.lower())
                sources.setdefault(edge.target.name, set()).add(source)
        for column, origins in zip(info.columns, outputs, strict=True):
            if lost := origins - sources.get(column.name, set()):
                missing[f"{case.name}: {column.name}"] = sorted(lost)
    assert not missing, missing
