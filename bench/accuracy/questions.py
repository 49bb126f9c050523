"""What is asked, and what is true: case files, the TPC queries, and the MIMIC-IV concepts of a
checkout.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from sqlglot import Dialect, exp, parse
from sqlglot.errors import SqlglotError

import lineal
import tpc
from casefile import Case, all_cases, corpus_of
from lineal.incremental.extraction import extract

Pair = tuple[str, str, str]
DIRECT = {"IDENTITY", "TRANSFORMATION", "AGGREGATION"}


class Question(NamedTuple):
    name: str
    suite: str
    topic: str
    dialect: str
    sql: str
    schema: dict[str, dict[str, str]]
    every: frozenset[Pair] | None = None
    """source table, source column, target column: every column in the expression"""
    value: frozenset[Pair] | None = None
    """only those that the value is made of; None: what is true is not known"""

    def asked(self) -> dict[str, Any]:
        return {"id": self.name, "sql": self.sql, "dialect": self.dialect, "schema": self.schema}


def from_cases() -> Iterator[Question]:
    """One statement, all schemas known, nothing in doubt: what every contender can be asked. Truth
    is the case's.
    """
    for case in all_cases():
        if not case.complete or not is_single_statement(case):
            continue
        schema = {
            str(info.dataset): {c.name: c.type or "string" for c in info.columns}
            for info in case.schema
        }
        every, value = pairs_of(case)
        yield Question(
            f"case {case.name}",
            "cases",
            case.name.split("/")[0],
            case.dialect,
            case.sql,
            schema,
            every,
            value,
        )


def is_single_statement(case: Case) -> bool:
    """Tell whether a case is one statement, in a dialect that sqlglot, and so most peers, can parse."""
    if case.dialect and Dialect.get(case.dialect) is None:
        return False
    try:
        trees = [tree for tree in parse(case.sql, read=case.dialect or None) if tree is not None]
    except SqlglotError:
        return False
    return len(trees) == 1 and isinstance(
        trees[0], (exp.Query, exp.Insert, exp.Create, exp.Update, exp.Merge)
    )


EDGE = re.compile(r"(\S.*?) -> (.*?)  (.*)")


def pairs_of(case: Case) -> tuple[frozenset[Pair], frozenset[Pair]]:
    names = {str(info.dataset) for info in extract(corpus_of(case)).datasets.values()}
    every, value = set(), set()
    for line in case.edges:
        found = EDGE.fullmatch(line)
        if found is None:
            continue
        table, column = split(found[1], names)
        pair = (table.lower(), column.lower(), split(found[2], names)[1].lower())
        every.add(pair)
        if {usage.split()[0] for usage in found[3].split("  ")[0].split(", ")} & DIRECT:
            value.add(pair)
    return frozenset(every), frozenset(value)


def split(text: str, names: set[str]) -> tuple[str, str]:
    """db.t.a.field      db.t and a, where db.t is known"""
    known = [name for name in names if text.startswith(f"{name}.")]
    table = max(known, key=len) if known else text.rpartition(".")[0]
    rest = text[len(table) + 1 :]
    return table, rest.split(".")[0] if known and "(" not in rest else rest


def from_tpc() -> Iterator[Question]:
    """Truth is Spark's: its analyzed plan of each query, read by lineal's reader of plans."""
    for name in tpc.SUITES:
        suite = tpc.suite(name)
        truths = by_spark(suite)
        for number, query in enumerate(suite.queries, 1):
            every, value = truths[number - 1]
            schema = {table: dict(columns) for table, columns in suite.schema.items()}
            yield Question(f"{name} {number}", name, name, "", query, schema, every, value)


def by_spark(suite: tpc.Suite) -> list[tuple[frozenset[Pair] | None, frozenset[Pair] | None]]:
    try:
        from sqlglot import transpile

        from lineal.extract.catalyst.plan import extract as read_plan
        from lineal.model.edge import Dataset
        from lineal.model.extraction import ColumnInfo, DatasetInfo
        from lineal.model.script import Corpus
        from lineal.spark.plan import analyze, describe_plan
        from lineal.spark.session import session
        from lineal.spark.stand_in import StandIns
    except ImportError:
        return [(None, None)] * len(suite.queries)
    spark = session()
    found: list[tuple[frozenset[Pair] | None, frozenset[Pair] | None]] = []
    with StandIns(spark, Corpus("")) as stand_ins:
        for table, columns in suite.schema.items():
            infos = [ColumnInfo(name, kind) for name, kind in columns.items()]
            stand_ins.add(DatasetInfo(Dataset("", table), "table", infos, complete=True))
        for query in suite.queries:
            plan = analyze(transpile(query, write="spark")[0], spark)
            edges = read_plan(
                describe_plan(plan, spark, stand_ins.names.views), "query", stand_ins.names
            ).edges
            fields = [edge for edge in edges if edge.field_level]
            found.append(
                (
                    by_position(fields),
                    by_position([e for e in fields if any(u.how.direct for u in e.usages)]),
                )
            )
    return found


def by_position(edges: list[Any]) -> frozenset[Pair]:
    return frozenset(
        (e.source.dataset.name.lower(), e.source.name.lower(), e.target.name.lower()) for e in edges
    )


def from_mimic(checkout: Path) -> Iterator[Question]:
    """The MIMIC-IV concepts as BigQuery and PostgreSQL have them; nobody says what is true: see
    `agreed`.

    Everybody gets the columns of the base tables, and those of the other concepts as lineal finds
    them.
    """
    for folder, dialect in (("concepts", "bigquery"), ("concepts_postgres", "postgres")):
        base = checkout / "mimic-iv" / folder
        texts = {path: query_in(path) for path in sorted(base.glob("*/*.sql"))}
        named = {f"mimiciv_derived.{path.stem}": text for path, text in texts.items()}
        schema = columns_of(checkout, named, dialect)
        for path, text in texts.items():
            read = {
                name: columns
                for name, columns in schema.items()
                if re.search(rf"\b{name.split('.')[1]}\b", text)
            }
            read.pop(f"mimiciv_derived.{path.stem}", None)
            name = f"MIMIC {dialect} {path.parent.name}/{path.stem}"
            yield Question(name, f"MIMIC-IV {dialect}", path.parent.name, dialect, text, read)


def query_in(path: Path) -> str:
    """The one query of a concept's file, without what creates the table around it, and without a
    project's name.
    """
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"(?i)DROP TABLE IF EXISTS[^;]*;\s*CREATE TABLE \S+ AS", "", text)
    text = re.sub(r"`physionet-data\.(\w+)\.(\w+)`", r"\1.\2", text)
    return text.strip().rstrip(";")


def columns_of(checkout: Path, named: dict[str, str], dialect: str) -> dict[str, dict[str, str]]:
    tables = (checkout / "mimic-iv" / "buildmimic" / "postgres" / "create.sql").read_text(
        encoding="utf-8"
    )
    found = lineal.lineage(tables, dialect="postgres").datasets
    base = {
        info.dataset.name: {c.name: c.type or "text" for c in info.columns}
        for info in found
        if info.columns
    }
    views = lineal.lineage(named, dialect=dialect, schema=base).datasets
    return {
        info.dataset.name: {c.name: c.type or "text" for c in info.columns}
        for info in views
        if "." in info.dataset.name
    }
