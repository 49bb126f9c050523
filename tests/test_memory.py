"""A memory changes nothing: after any edits of any project, what is remembered equals what is
worked out anew.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

import lineal
from casefile import all_cases, corpus_of
from lineal.api import Lineage
from lineal.extract.entries import Definition
from lineal.extract.sql.evaluation import Evaluation
from lineal.incremental import memory as remembering
from lineal.incremental.extraction import extract
from lineal.incremental.memory import Memory
from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.script import Corpus, Defaults, Function, Script

TABLES = {
    "orders": "id customer_id amount status",
    "customers": "id name region",
    "events": "",
    "raw.clicks": "",
}
COLUMNS = ["id", "customer_id", "amount", "status", "name", "region", "a", "b"]


class Author:
    """Writes small statements over each other's tables, some of them wrong."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def source(self) -> str:
        return self.random.choice([*TABLES, *(f"v{number}" for number in range(8))])

    def column(self, alias: str = "") -> str:
        return f"{alias}{'.' if alias else ''}{self.random.choice(COLUMNS)}"

    def query(self) -> str:
        one, other = self.source(), self.source()
        return self.random.choice(
            [
                f"SELECT * FROM {one}",
                f"SELECT {self.column()}, {self.column()} AS b FROM {one} WHERE {self.column()} > 1",
                f"SELECT x.{self.column()}, {self.column()} FROM {one} x JOIN {other} y ON x.id = y.id",
                f"SELECT {self.column()}, sum({self.column()}) AS amount FROM {one}, {other} GROUP BY 1",
                f"WITH c AS (SELECT *, 1 AS a FROM {one}) SELECT c.*, {self.column()} FROM c",
                f"SELECT a.* FROM {one} a UNION ALL SELECT * FROM {other}",
                f"SELECT x.{self.column()}, half(amount) AS a FROM {one} AS x ORDER BY {self.column()}",
                f"SELECT upper(Name) AS name, count(*) AS n FROM {one.upper()} GROUP BY name",
            ]
        )

    def text(self, number: int) -> str:
        query, target = self.query(), self.source()
        return self.random.choice(
            [
                *[f"CREATE VIEW v{number} AS {query}"] * 6,
                f"CREATE VIEW v{number} (p, q) AS {query}",
                f"CREATE TABLE v{number} (id INT, amount INT, Name TEXT)",
                f"INSERT INTO {target} {query}",
                f"INSERT INTO v{number} (a, b) {query}; SELECT 1; {query}",
                query,
                f"{query};\n{query}",
                f"UPDATE {target} SET amount = {self.column()} + 1 WHERE status = 'x'",
                f"CREATE TEMP TABLE t AS {query}; CREATE TABLE v{number} AS SELECT * FROM t",
                f"ALTER TABLE {target} RENAME COLUMN id TO key",
                f"CREATE TABLE v{number} AS {query}; CREATE OR REPLACE TABLE v{number} AS {query}",
                "SELECT FROM WHERE",
                f"CREATE FUNCTION {self.random.choice(('half', 'upper', 'f'))}(x INT) RETURNS INT RETURN x + {number}",
                f"CREATE VIEW v{number} AS SELECT f({self.column()}) AS a, {self.column()}::int AS b FROM {target}",
                f"GRANT ALL ON x TO y; CREATE VIEW v{number} AS {query}; CREATE VIEW v{number} AS SELECT 'open",
                "",
            ]
        )

    def project(self) -> Corpus:
        datasets = [
            DatasetInfo(
                Dataset("", name),
                "table",
                [ColumnInfo(column) for column in columns.split()],
                complete=True,
            )
            for name, columns in TABLES.items()
            if columns
        ]
        half = Function("half", False, ("x",), Script("x / 2", ""))
        scripts = [
            Script(self.text(number), "", f"f{number}.sql")
            for number in range(self.random.randint(1, 8))
        ]
        return Corpus("", scripts, datasets, [half])

    def edited(self, corpus: Corpus) -> Corpus:
        scripts, datasets = list(corpus.scripts), list(corpus.datasets)
        for _ in range(self.random.choice((0, 1, 1, 1, 2, 3))):
            at = self.random.randrange(len(scripts)) if scripts else 0
            kind = self.random.choice(
                ("text", "text", "text", "gone", "new", "order", "schema", "name")
            )
            if kind == "new" or not scripts:
                number = self.random.randrange(8)
                scripts.insert(at, Script(self.text(number), "", f"g{number}{at}.sql"))
            elif kind == "text":
                scripts[at] = replace(scripts[at], text=self.text(self.random.randrange(8)))
            elif kind == "gone":
                del scripts[at]
            elif kind == "order":
                self.random.shuffle(scripts)
            elif kind == "name":
                scripts[at] = replace(scripts[at], file=f"h{at}.sql")
            elif datasets:
                wider = [*datasets[0].columns, ColumnInfo(f"x{self.random.randrange(3)}")]
                datasets[0] = replace(datasets[0], columns=wider)
                datasets = datasets[:: self.random.choice((1, -1))]
        return Corpus(corpus.dialect, scripts, datasets, corpus.functions, defaults=corpus.defaults)

    def told_where(self, corpus: Corpus) -> Corpus:
        """Names without a schema mean something: everywhere, and in some sessions something else."""
        corpus.defaults = self.random.choice(
            (None, Defaults(None, ("raw",)), Defaults("c", ("mart", "raw")))
        )
        sessions = self.random.choice((((), ""), (("raw", "mart", ""), "ab")))
        corpus.scripts = [
            replace(
                script,
                schemas=(self.random.choice(sessions[0]),) if sessions[0] else (),
                catalog=self.random.choice(sessions[1]) if sessions[1] else "",
            )
            for script in corpus.scripts
        ]
        return corpus


def everything(corpus: Corpus, memory: Memory | None = None) -> tuple[object, ...]:
    """All that can be asked of a result, in its order."""
    found = extract(corpus, memory)
    edges = [
        (
            edge.source,
            edge.target,
            [(u.way, u.doubt, u.level, u.place, u.expression, u.calls) for u in edge.usages],
        )
        for edge in found.edges
    ]
    shown = Lineage(found)
    return (
        edges,
        found.reads,
        list(found.datasets.items()),
        found.diagnostics,
        found.coverage,
        shown.to("json"),
    )


@pytest.mark.parametrize("seed", range(250))
def test_any_project_after_any_edits(seed: int) -> None:
    author = Author(Random(seed))
    corpus, data = author.project(), None
    for _ in range(5):
        memory = Memory(data)
        assert everything(corpus, memory) == everything(corpus)
        data = memory.data() or data
        corpus = author.edited(corpus)


@pytest.mark.parametrize("seed", range(150))
def test_names_that_mean_something_else_in_each_session(seed: int) -> None:
    author = Author(Random(seed))
    corpus, data = author.told_where(author.project()), None
    for _ in range(5):
        memory = Memory(data)
        assert everything(corpus, memory) == everything(corpus)
        data = memory.data() or data
        corpus = author.edited(corpus)


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name)
def test_every_case_from_memory(case) -> None:  # type: ignore[no-untyped-def]
    corpus = corpus_of(case)
    corpus.scripts = [replace(script, file=script.file or "case.sql") for script in corpus.scripts]
    fresh = everything(corpus)
    memory = Memory()
    assert everything(corpus, memory) == fresh
    again = Memory(memory.data())
    assert everything(corpus, again) == fresh
    assert again.data() is None


def evaluated(corpus: Corpus, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files of the statements that are evaluated, and not remembered."""
    files: list[str] = []

    class Telling(remembering.Recorder):
        def __init__(
            self, catalog: remembering.Remembering, definition: Definition, *heard: Any
        ) -> None:
            files.append(definition.reading.script.file)
            super().__init__(catalog, definition, *heard)

    with monkeypatch.context() as patched:
        patched.setattr(remembering, "Recorder", Telling)
        extract(corpus, memory)
    return sorted(files)


@pytest.mark.parametrize("defaults", [None, Defaults("c", ("s",))])
def test_only_what_has_to_do_with_an_edit_is_evaluated(
    monkeypatch: pytest.MonkeyPatch, defaults: Defaults | None
) -> None:
    texts = {
        "a": "CREATE VIEW a AS SELECT x, y FROM t",
        "b": "CREATE VIEW b AS SELECT x FROM a",
        "c": "CREATE VIEW c AS SELECT * FROM b",
        "d": "CREATE VIEW d AS SELECT z FROM u",
        "bad": "SELECT FROM",
    }

    def corpus(**changes: str) -> Corpus:
        scripts = [Script(text, "", name) for name, text in {**texts, **changes}.items()]
        return Corpus("", scripts, defaults=defaults)

    memory = Memory()
    assert evaluated(corpus(), memory, monkeypatch) == ["a", "b", "c", "d"]
    data = memory.data()
    assert evaluated(corpus(), Memory(data), monkeypatch) == []
    assert evaluated(
        corpus(a="CREATE VIEW a AS SELECT x + 1 AS x, y FROM t"), Memory(data), monkeypatch
    ) == ["a"]
    assert evaluated(corpus(a="CREATE VIEW a AS SELECT x FROM t"), Memory(data), monkeypatch) == [
        "a",
        "b",
    ]
    assert evaluated(corpus(b="CREATE VIEW b AS SELECT y FROM a"), Memory(data), monkeypatch) == [
        "b",
        "c",
    ]
    assert evaluated(corpus(u="CREATE TABLE u (z INT)"), Memory(data), monkeypatch) == ["d"]


def test_nothing_is_parsed_that_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Corpus(
        "", [Script("CREATE VIEW a AS SELECT x FROM t", "", "a.sql"), Script("SELECT", "", "b.sql")]
    )
    memory = Memory()
    fresh = Lineage(extract(corpus, memory)).to("table")
    monkeypatch.setattr("lineal.resolve.scripts.parse", None)
    assert Lineage(extract(corpus, Memory(memory.data()))).to("table") == fresh


def test_texts_without_a_file_are_left_alone() -> None:
    memory = Memory()
    corpus = Corpus("", [Script("SELECT a FROM t", "")])
    assert everything(corpus, memory) == everything(corpus) and memory.data() is None
    assert lineal.lineage("SELECT a FROM t").edges


def test_all_that_an_evaluation_finds_out_is_kept() -> None:
    """A new field has to be kept by the codec, or named here as one that nobody asks for
    afterwards.
    """
    kept = {
        "reads",
        "datasets_read",
        "learnt",
        "diagnostics",
        "references",
        "ambiguous",
        "unresolved",
        "undecided",
    }
    while_it_runs = {
        "around",
        "catalog",
        "definition",
        "facts",
        "fold",
        "fold_table",
        "frames",
        "keys",
        "reading",
    }
    of_programs = {"further"}  # programs are read anew each time
    named = kept | while_it_runs | of_programs
    assert {*Evaluation.__slots__} == named | {"composed", "own_functions", "table_keys", "target"}
