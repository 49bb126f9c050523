"""Rewrites that keep the meaning keep the edges: every one, on every query of the corpus that it
applies to.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import pytest
from rewrites import REWRITES, reordered
from sqlglot import exp, parse
from sqlglot.errors import SqlglotError

import tpc
from casefile import all_cases
from lineal.extract.sql.dialects.nearest import grammar_of
from lineal.incremental.extraction import extract
from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.script import Corpus, Script
from lineal.model.way import Way, compose

LEAST = {
    "other aliases": 200, "CTE to subquery": 60, "subquery to CTE": 50, "CTE to view": 35, "USING to ON": 5,
    "ON to USING": 3, "star to list": 6, "branch order": 5, "quoting": 600, "comments and white space": 600,
    "letter case": 600, "dead CTE": 450, "wrapped": 350, "qualified": 150, "unqualified": 15, "sides of a join": 20,
    "1 = 1": 450, "parentheses": 100,
}  # fmt: skip
"""How many queries each rewrite has to reach, so that none passes because it never applies."""

READ_OTHERWISE = frozenset(
    (
        "create/view-qualify-teradata",
        "dialects/teradata-casts-behind",
        "names/bigquery-templates-in-backticks",
        "scripts/tsql-executesql-output",
    )
)
"""Texts that sqlglot takes for something else: `LOCKING ROW FOR ACCESS WITH …` for a command,
`s.note (CHAR(5))` for a call of a function in a schema s, a template in backticks for a name,
and `@c = @n OUTPUT` for an alias.
"""

Edges = frozenset[tuple[str, str, frozenset[str]]]


class Query(NamedTuple):
    name: str
    text: str
    dialect: str
    schema: tuple[DatasetInfo, ...]

    @property
    def columns(self) -> dict[str, list[str]]:
        return {info.dataset.name: [column.name for column in info.columns] for info in self.schema}


@cache
def corpus() -> list[Query]:
    """One statement each that sqlglot can write as it read it: the cases, TPC-H and TPC-DS."""
    found = [
        Query(case.name, case.sql, grammar_of(case.dialect), case.schema) for case in all_cases()
    ]
    for name in tpc.SUITES:
        try:
            suite = tpc.suite(name)
        except tpc.NotFetched:
            continue
        schema = tuple(
            DatasetInfo(
                Dataset("", table),
                "table",
                [ColumnInfo(*column) for column in columns.items()],
                complete=True,
            )
            for table, columns in suite.schema.items()
        )
        found += [
            Query(f"{name} {number}", text, "", schema)
            for number, text in enumerate(suite.queries, 1)
        ]
    return found


def statements_of(query: Query) -> list[exp.Expression]:
    try:
        return [tree for tree in parse(query.text, read=query.dialect or None) if tree is not None]
    except (SqlglotError, TypeError):  # TypeError: XMLTABLE(… FOR ORDINALITY)
        return []


@cache
def singles() -> list[tuple[Query, exp.Expression, Edges]]:
    """The statements that sqlglot rewrites with the same edges and no new error; the others are
    its own affair.
    """
    found = []
    for query in corpus():
        trees = statements_of(query)
        if "|>" in query.text or query.name in READ_OTHERWISE:  # sqlglot makes CTEs of pipes
            continue
        if len(trees) == 1 and isinstance(trees[0], (exp.Query, exp.Create, exp.Insert)):
            before = lineage(query, [query.text])
            again = lineage(query, [trees[0].sql(dialect=query.dialect or None)])
            is_same = edges_of(again) == edges_of(before) and len(again.diagnostics) <= len(
                before.diagnostics
            )
            if before.edges and is_same:
                found.append((query, trees[0], edges_of(before)))
    return found


def lineage(query: Query, texts: Iterable[str]) -> Extraction:
    scripts = [
        Script(text, query.dialect, file=f"{n}.sql", target="result")
        for n, text in enumerate(texts)
    ]
    return extract(Corpus(query.dialect, scripts, list(query.schema)))


def edges_of(found: Extraction) -> Edges:
    """Edges by what they say: names without their case, subtypes without their clause."""
    return frozenset(
        (str(edge.source).lower(), f"{'' if edge.field_level else '=> '}{edge.target}".lower(),
         frozenset(f"{usage.how.value}{' masked' if usage.masked else ''}" for usage in edge.usages))
        for edge in found.edges
    )  # fmt: skip


def test_most_of_the_corpus_can_be_rewritten() -> None:
    assert len(singles()) >= 500


@pytest.mark.parametrize("name", REWRITES)
def test_a_rewrite_keeps_the_edges(name: str) -> None:
    reached, wrong = 0, []
    for query, tree, before in singles():
        texts = REWRITES[name](tree.copy(), query.columns, query.dialect or None)
        if not texts:
            continue
        reached += 1
        found = lineage(query, texts)
        after = composed(found, query) if len(texts) > 1 else edges_of(found)
        if after != before:
            lost, new = sorted(map(str, before - after)), sorted(map(str, after - before))
            wrong.append(
                f"{query.name}\n{query.text}\n{';'.join(texts)}\n- {lost}\n+ {new}\n{found.diagnostics}"
            )
    assert not wrong, f"{len(wrong)} of {reached}:\n" + "\n\n".join(wrong[:3])
    assert reached >= LEAST[name], f"{name} reached {reached} queries"


def test_statements_come_in_any_order() -> None:
    reached = 0
    for query in corpus():
        texts = reordered(statements_of(query), query.dialect or "")
        if texts:
            reached += 1
            assert edges_of(lineage(query, [";\n".join(texts)])) == edges_of(
                lineage(query, [query.text])
            ), query.name
    assert reached >= 4


def composed(found: Extraction, query: Query) -> Edges:
    """The edges into datasets other than views, with those into the views composed away, hop by hop."""
    views = {info.dataset for info in found.datasets.values() if info.kind == "view"}
    into: dict[str, dict[str, set[Way]]] = {}
    for edge in found.edges:
        target = str(edge.target) if edge.field_level else f"=> {edge.target}"
        into.setdefault(target, {}).setdefault(str(edge.source), set()).update(
            usage.way for usage in edge.usages
        )
    reads: dict[Dataset, set[Dataset]] = {}
    for read in found.reads:
        reads.setdefault(read.target, set()).add(read.dataset)
    names = {str(view) for view in views}

    def in_view(source: str) -> tuple[str | None, str]:
        """v.s.lat      the view's column v.s, and the path .lat"""
        view = next((name for name in names if source.startswith(f"{name}.")), None)
        if view is None:
            return None, ""
        column, dot, path = source[len(view) + 1 :].partition(".")
        return f"{view}.{column}", dot + path

    def sources(target: str) -> dict[str, set[Way]]:
        made: dict[str, set[Way]] = {}
        for source, ways in into.get(target, {}).items():
            column, path = in_view(source)
            if column is not None:
                for origin, inner in sources(column).items():
                    made.setdefault(origin + path, set()).update(
                        compose(way, each) for way in ways for each in inner
                    )
            else:
                made.setdefault(source, set()).update(ways)
        if target.startswith("=> "):
            for read in (
                read
                for dataset, all_ in reads.items()
                if str(dataset) == target[3:]
                for read in all_
            ):
                if read in views:
                    for origin, ways in sources(f"=> {read}").items():
                        made.setdefault(origin, set()).update(ways)
        return made

    targets = {
        target for target in into if target.removeprefix("=> ").rpartition(".")[0] not in names
    }
    targets = {target for target in targets if target.removeprefix("=> ") not in names}
    targets |= {f"=> {dataset}" for dataset in reads if dataset not in views}
    return frozenset(
        (
            source.lower(),
            target.lower(),
            frozenset(f"{w.how.value}{' masked' if w.masked else ''}" for w in ways),
        )
        for target in targets
        for source, ways in sources(target).items()
    )
