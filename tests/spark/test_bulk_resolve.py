"""Whatever the statements are, level by level gives what one go gives; no session is needed for
that.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from generators.rounds import fixed_examples
from generators.strategies import long_projects, randoms
from lineal.incremental.extraction import extract
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Meaning, Script
from lineal.spark.pipeline import resolve
from lineal.spark.pipeline.book import Book
from lineal.spark.pipeline.components import component_numbers, members
from lineal.spark.pipeline.folder import Local
from lineal.spark.pipeline.share import evaluate_levels, evaluate_rows
from lineal.spark.pipeline.state import State


@pytest.fixture(autouse=True, params=("apart", "in groups"))
def _shared_out_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shares of three statements, none of which knows the others; or groups of statements that
    depend on each other, in one task.
    """

    def apart(self: resolve.Levels, groups: list[Any]) -> list[resolve.Answer]:
        work = np.concatenate(groups)
        shares = [work[start : start + 3] for start in range(0, len(work), 3)]
        return [answer for share in shares for answer in in_groups(self, [share])]

    def in_groups(self: resolve.Levels, groups: list[Any]) -> list[resolve.Answer]:
        rows = self.page(groups).to_pylist()
        return list(resolve.answers_in(evaluate_levels(rows, self.setting, evaluate_rows)))

    monkeypatch.setattr(resolve, "FEWEST", 1)
    monkeypatch.setattr(resolve, "parallelism", lambda spark: 2)
    if request.param == "apart":
        monkeypatch.setattr(resolve, "LARGEST", 0)
    monkeypatch.setattr(
        resolve.Levels, "elsewhere", apart if request.param == "apart" else in_groups
    )


def everything(found: Extraction) -> tuple[object, ...]:
    edges = [
        (
            edge.source,
            edge.target,
            [(u.way, u.doubt, u.level, u.place, u.expression, u.calls) for u in edge.usages],
        )
        for edge in found.edges
    ]
    return edges, found.reads, list(found.datasets.items()), found.diagnostics, found.coverage


def logged(corpus: Corpus) -> Corpus:
    scripts = [
        replace(
            script, file=f"query_{number}", target=f"query_{number}", one_line=True, recurs=True
        )
        for number, script in enumerate(corpus.scripts)
    ]
    return replace(corpus, scripts=scripts)


@fixed_examples(30)
@given(long_projects(16))
def test_any_statements(tmp_path_factory: pytest.TempPathFactory, corpus: Corpus) -> None:
    check_statements(corpus, tmp_path_factory.mktemp("any"))


@fixed_examples(30)
@given(long_projects(16, defaults=True))
def test_names_that_mean_something_else_in_each_session(
    tmp_path_factory: pytest.TempPathFactory, corpus: Corpus
) -> None:
    check_statements(corpus, tmp_path_factory.mktemp("any"))


def check_statements(corpus: Corpus, tmp_path: Path) -> None:
    """Statements that are resolved in parts, at once and again have the same lineage."""
    made = logged(corpus)
    expected = everything(extract(logged(corpus)))
    none: Any = None
    first = resolve.resolve(
        none, replace(made, scripts=made.scripts[::2]), State(Local(tmp_path / "out")), 60
    )
    assert first.poisoned == {}
    again = resolve.resolve(none, made, State(Local(tmp_path / "out")), 60)
    assert everything(again.extraction) == expected
    whole = resolve.resolve(none, logged(corpus), State(Local(tmp_path / "whole")), 60)
    assert everything(whole.extraction) == expected
    third = resolve.resolve(none, logged(corpus), State(Local(tmp_path / "whole")), 60)
    assert third.parsed == 0
    assert everything(third.extraction) == expected


PROGRAMS = (
    'spark.table("v1").withColumn("n", F.col("a") + 1).write.saveAsTable("from_job")',
    'spark.table("v2").select("n").write.saveAsTable("second")',
    'spark.sql("CREATE FUNCTION f(x INT) RETURNS INT RETURN 1")\nspark.table("v0").select("a").write.saveAsTable("t3")',
    'spark.sql("SELECT a, tok(b) AS b FROM v1 JOIN v2 USING (a)").write.insertInto("second")',
)
BESIDE = (
    "CREATE VIEW v0 AS SELECT a, f(b) AS b FROM raw.t",
    "CREATE VIEW v1 AS SELECT a, tok(b) AS b, c FROM raw.t WHERE d > 1",
    "CREATE VIEW v2 AS SELECT * FROM from_job",
    "CREATE TABLE m AS SELECT n, tok(b) AS b FROM v2, second",
    "SELECT a, n FROM v2 JOIN raw.u ON v2.a = u.id",
    "INSERT INTO second SELECT f(a) FROM t3",
    "CREATE VIEW v5 AS SELECT x.*, my_sum(y) AS s FROM v1 x GROUP BY a",
)


@fixed_examples(25)
@given(randoms())
def test_programs_and_functions_that_a_project_explains(
    tmp_path_factory: pytest.TempPathFactory, random: Random
) -> None:
    """Programs are read here, the SQL around them elsewhere; which functions are called is also
    known of the latter.
    """
    tmp_path = tmp_path_factory.mktemp("programs")
    said = [
        Script(text, "spark", f"{at}.sql")
        for at, text in enumerate(random.sample(BESIDE, random.randint(2, 7)))
    ]
    said += [
        Script(text, "python", f"{at}.py")
        for at, text in enumerate(random.sample(PROGRAMS, random.randint(0, 4)))
    ]
    meanings = [
        Meaning("tok", masks=True),
        Meaning("my_sum", aggregates=True),
        Meaning("nobody", masks=True),
    ]
    random.shuffle(said)
    corpus = Corpus("spark", said, meanings=random.choice(([], meanings, meanings[:1])))
    expected = everything(extract(replace(corpus)))
    none: Any = None
    resolve.resolve(none, replace(corpus, scripts=said[::2]), State(Local(tmp_path / "out")), 60)
    for _ in range(2):
        again = resolve.resolve(none, replace(corpus), State(Local(tmp_path / "out")), 60)
        assert everything(again.extraction) == expected
    assert again.parsed == 0
    other = replace(corpus, meanings=[Meaning("tok", aggregates=True)])
    found = resolve.resolve(none, replace(other), State(Local(tmp_path / "out")), 60)
    assert everything(found.extraction) == everything(extract(other))


def assert_as_in_one_go(texts: list[str], folder: Path) -> None:
    corpus = logged(Corpus("", [Script(text, "", "") for text in texts]))
    none: Any = None
    found = resolve.resolve(none, logged(corpus), State(Local(folder / "out")), 60)
    assert everything(found.extraction) == everything(extract(corpus))


def test_a_table_like_itself(tmp_path: Path) -> None:
    texts = [
        "CREATE TABLE v (c INT, id INT)",
        "CREATE VIEW v (a) AS SELECT d FROM v t LEFT JOIN r u USING (id)",
        "CREATE TABLE v LIKE v",
        "CREATE TABLE v AS SELECT t.*, e AS b FROM w t",
        "CREATE VIEW w (e, d) AS SELECT s.* FROM (SELECT t.*, e AS id FROM r t) s",
    ]
    assert_as_in_one_go(texts, tmp_path)


def test_in_a_cycle_no_question_is_asked_twice(tmp_path: Path) -> None:
    """Whose record does not hold goes on with the answers that it has: the second time they would
    be others.
    """
    texts = [
        "SELECT a, b FROM t0",
        "CREATE VIEW t3 AS SELECT amount FROM t3 x, t3 y",
        "CREATE VIEW t1 AS SELECT f, AMOUNT FROM t0",
        "CREATE TABLE t0 LIKE t3",
        "CREATE VIEW t0 AS SELECT b AS f, a AS c FROM t3",
        "CREATE TABLE t3 LIKE t1",
    ]
    assert_as_in_one_go(texts, tmp_path)


def levels_of(texts: list[str], folder: Path) -> list[int]:
    scripts = [Script(text, "", f"{at}.sql") for at, text in enumerate(texts)]
    return list(Book.from_scripts(folder, scripts, b"").glance().levels.tolist())


def test_a_chain_is_as_many_levels(tmp_path: Path) -> None:
    texts = [f"CREATE VIEW v{n} AS SELECT a FROM v{n - 1}" for n in range(5, 0, -1)]
    assert levels_of(texts, tmp_path) == [4, 3, 2, 1, 0]


def test_who_fills_a_table_goes_after_who_creates_it(tmp_path: Path) -> None:
    texts = [
        "INSERT INTO s.t SELECT 1",
        'CREATE TABLE IF NOT EXISTS s."T" (a INT)',
        "SELECT a FROM s.t",
        "INSERT INTO u SELECT 2",
    ]
    assert levels_of(texts, tmp_path) == [1, 0, 1, 0]


def test_a_circle_and_its_readers_have_no_level(tmp_path: Path) -> None:
    texts = [
        "CREATE VIEW a AS SELECT x FROM b",
        "CREATE VIEW b AS SELECT x FROM a",
        "SELECT x FROM a",
        "SELECT y FROM z",
    ]
    assert levels_of(texts, tmp_path) == [-1, -1, -1, 0]


def test_texts_that_share_a_name_are_a_group() -> None:
    pairs = [(0, 0), (1, 1), (1, 2), (3, 3), (4, 2), (4, 0), (6, 4), (6, 3)]
    texts, names = np.array(pairs).T
    found = [group.tolist() for group in members(component_numbers(7, texts, names, 5))]
    assert found == [[0, 1, 4], [2], [3, 6], [5]]
