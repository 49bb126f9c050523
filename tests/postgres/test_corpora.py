"""Known queries as views on a server: TPC-H, TPC-DS, and the concepts of MIMIC-IV where a checkout
is given.

LINEAL_TEST_MIMIC names the folder `mimic-iv` of a checkout of MIT-LCP/mimic-code.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import postgres_server
import pytest
import sqlglot
import truth
from sqlglot import exp
from test_views import column_edges

import tpc
from lineal.incremental.extraction import extract
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Script


@pytest.fixture
def fresh(postgres: str) -> Iterator[Any]:
    with postgres_server.database(postgres) as connection:
        yield connection


@pytest.mark.parametrize("name", list(tpc.SUITES))
def test_tpc_views_are_what_the_server_has_stored(name: str, fresh: Any) -> None:
    try:
        suite = tpc.suite(name)
    except tpc.NotFetched as problem:
        pytest.skip(str(problem))
    schema = tables_of(suite.schema)
    views = {
        f"q{number}": as_view(f"q{number}", query) for number, query in enumerate(suite.queries, 1)
    }
    fresh.execute(schema)
    for text in views.values():
        fresh.execute(text)
    found = extract(Corpus("postgres", [Script(schema, "postgres", "schema.sql"), *scripts(views)]))
    assert len(views) == tpc.SUITES[name][2]
    assert differences(found, truth.edges(fresh)) == {}


@pytest.mark.skipif(
    "LINEAL_TEST_MIMIC" not in os.environ,
    reason="LINEAL_TEST_MIMIC names no checkout of mimic-code",
)
def test_mimic_concepts_are_what_the_server_has_stored(fresh: Any) -> None:
    folder = Path(os.environ["LINEAL_TEST_MIMIC"])
    schema = (folder / "buildmimic/postgres/create.sql").read_text(encoding="utf-8")
    concepts = folder / "concepts_postgres"
    order = re.findall(
        r"\\i (\S+/\S+\.sql)", (concepts / "postgres-make-concepts.sql").read_text(encoding="utf-8")
    )
    texts = {file: (concepts / file).read_text(encoding="utf-8") for file in order}
    fresh.execute(schema)
    for text in texts.values():
        fresh.execute(
            re.sub(
                r"DROP TABLE IF EXISTS [^;]*;\s*CREATE TABLE (\S+) AS", r"CREATE VIEW \1 AS", text
            )
        )
    stored = truth.edges(fresh)
    forwards = [Script(schema, "postgres", "create.sql"), *scripts(texts)]
    backwards = [Script(text, "postgres", file) for file, text in reversed(texts.items())]
    assert len(stored) == len(texts) >= 60
    assert differences(extract(Corpus("postgres", forwards)), stored) == {}
    assert differences(extract(Corpus("postgres", [*backwards, forwards[0]])), stored) == {}


def scripts(texts: dict[str, str]) -> list[Script]:
    return [Script(text, "postgres", file) for file, text in texts.items()]


def differences(
    found: Extraction, stored: dict[str, set[str]]
) -> dict[str, tuple[list[str], list[str]]]:
    """What only the server has, and what only lineal has, by view."""
    lines = {view: {blunt(line) for line in edges} for view, edges in column_edges(found).items()}
    expected = {view: {blunt(line) for line in edges} for view, edges in stored.items()}
    return {
        view: (sorted(edges - lines.get(view, set())), sorted(lines.get(view, set()) - edges))
        for view, edges in expected.items()
        if edges != lines.get(view, set())
    }


def blunt(line: str) -> str:
    """The server does not store a cast to the type that is there already: copies and casts are not
    told apart.
    """
    arrow, *ways = line.split("  ")
    told = {way.replace("IDENTITY", "TRANSFORMATION") for each in ways for way in each.split(", ")}
    return f"{arrow}  {', '.join(sorted(told))}"


# -- TPC's queries as PostgreSQL accepts them ------------------------------------------------------


def tables_of(schema: dict[str, dict[str, str]]) -> str:
    return ";\n".join(
        f"CREATE TABLE {table} ({', '.join(f'{name} {type_of(name, type_)}' for name, type_ in columns.items())})"
        for table, columns in schema.items()
    )


def type_of(name: str, type_: str) -> str:
    return "date" if name == "d_date" else exp.DataType.build(type_).sql(dialect="postgres")


def as_view(name: str, query: str) -> str:
    """CREATE VIEW q1 (c1, c2) AS …

    the columns get numbers, since some queries have two of one name
    """
    tree = sqlglot.parse_one(query)
    for derived in tree.find_all(exp.Subquery):
        if isinstance(derived.parent, (exp.From, exp.Join)) and not derived.alias:
            derived.set("alias", exp.TableAlias(this=exp.to_identifier(f"derived_{id(derived)}")))
    for rounded in tree.find_all(exp.Round):
        rounded.set("this", exp.cast(rounded.this, "decimal"))
    if isinstance(tree, exp.Select) and tree.args.get("order") is not None:
        without_aliases(tree)
    columns = ", ".join(f"c{number}" for number, _ in enumerate(tree.selects, 1))
    return f"CREATE VIEW {name} ({columns}) AS\n{tree.sql(dialect='postgres', pretty=True)}"


def without_aliases(tree: exp.Select) -> None:
    """ORDER BY CASE WHEN level = 0 …      PostgreSQL knows outputs only where they are alone"""
    aliased = {item.alias: item.this for item in tree.selects if isinstance(item, exp.Alias)}
    for key in tree.args["order"].expressions:
        for column in list(key.find_all(exp.Column)):
            if column.parent is not key and not column.table and column.name in aliased:
                column.replace(aliased[column.name].copy())
