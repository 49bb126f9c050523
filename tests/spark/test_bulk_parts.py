"""A log that is resolved in parts has the tables of one that is resolved as a whole."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from logbook import contents

from generators.rounds import fixed_examples
from generators.strategies import long_projects
from lineal.incremental.memory import Memory
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.script import Corpus, Script
from lineal.spark.pipeline import Options, lending, parts, resolve, run, spool
from lineal.spark.pipeline.book import Book
from lineal.spark.pipeline.closure import SCHEMA, Arrays, graph_of
from lineal.spark.pipeline.closure import parts as traced_parts
from lineal.spark.pipeline.folder import Local
from lineal.spark.pipeline.gathering import Keys
from lineal.spark.pipeline.logged import Logged
from lineal.spark.pipeline.parcels import PartSetting, parcel_of
from lineal.spark.pipeline.share import evaluate_levels, evaluate_rows
from lineal.spark.pipeline.state import State
from lineal.spark.pipeline.tables import Pages


@pytest.fixture
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    """No session is needed: what executors do is done here."""

    def levels(self: resolve.Levels, groups: list[Any]) -> list[resolve.Answer]:
        rows = self.page(groups).to_pylist()
        return list(resolve.answers_in(evaluate_levels(rows, self.setting, evaluate_rows)))

    def parcels(
        self: resolve.Levels, several: list[pa.Table], setting: PartSetting, guard: bool = False
    ) -> list[pa.RecordBatch]:
        return [parcel_of(part.to_pylist(), setting) for part in several]

    monkeypatch.setattr(resolve, "FEWEST", 1)
    monkeypatch.setattr(resolve, "parallelism", lambda spark: 2)
    monkeypatch.setattr(resolve.Levels, "elsewhere", levels)
    monkeypatch.setattr(resolve.Levels, "parcels_elsewhere", parcels)


def log_of(texts: list[str], dialect: str = "") -> Corpus:
    scripts = [
        Script(text, dialect, f"query_{at}", target=f"query_{at}", one_line=True, recurs=True)
        for at, text in enumerate(texts)
    ]
    return Corpus(dialect, scripts)


def outcome(corpus: Corpus, folder: Path, per_part: int) -> tuple[bool, dict[str, pa.Table], str]:
    """Whether it was resolved in parts, its tables, and its coverage."""
    logged = [
        Logged("", each.file, each.text, 1 + at % 3, f"{at}", f"{at}", ("eve",), "", "")
        for at, each in enumerate(corpus.scripts)
    ]
    found: dict[str, pa.Table] = {}

    def keep(name: str, pages: Pages) -> int:
        found[name] = pa.concat_tables(pages).combine_chunks()
        return int(found[name].num_rows)

    none: Any = None
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(parts, "PER_PART", per_part)
        patched.setattr(parts, "LARGEST_PART", 2 * per_part)
        patched.setattr(lending, "MANY", 0)
        patched.setattr(spool, "AT_ONCE", 4 * per_part)  # the rows of parts are sorted in ranges
        patched.setattr(spool, "APART", 1)
        state = State(Local(folder / f"{per_part}"))
        book = Book.from_scripts(
            folder / "book", corpus.scripts, Keys(corpus, Memory()).about, logged
        )
        log = replace(corpus, scripts=[])
        resolution = resolve.resolve(none, log, state, 60, book, closure=True)
        resolution.write(folder / "rows", keep)
        if resolution.closing is not None:
            keep("nodes", resolution.closing.nodes())
            keep("closure", resolution.closing.pairs())
        elif resolution.whole is not None:
            graph, nodes = graph_of(resolution.extraction.edges)
            keep("nodes", iter((nodes,)))
            keep("closure", parts_of_closure(graph))
    coverage = json.dumps(resolution.coverage.to_json(), sort_keys=True)
    return resolution.whole is None, found, coverage


def parts_of_closure(graph: Arrays) -> Pages:
    yield SCHEMA.empty_table()
    yield from (part.table() for part in traced_parts(graph, 0, graph.nodes))


def equal_tables(found: dict[str, pa.Table], whole: dict[str, pa.Table]) -> bool:
    """Whether tables are equal; a closure that parts cannot tell is that of all edges anyway."""
    return found == {name: table for name, table in whole.items() if name in found}


def assert_alike(texts: list[str], folder: Path, in_parts: bool = True) -> dict[str, pa.Table]:
    apart, found, coverage = outcome(log_of(texts), folder, 1)
    assert apart is in_parts
    _, whole, expected = outcome(log_of(texts), folder, 1_000)
    assert equal_tables(found, whole)
    assert coverage == expected
    return found


@pytest.mark.usefixtures("_here")
@fixed_examples(30)
@given(long_projects(16))
def test_any_statements(tmp_path_factory: pytest.TempPathFactory, corpus: Corpus) -> None:
    folder = tmp_path_factory.mktemp("any")
    made = log_of([script.text for script in corpus.scripts], corpus.dialect)
    made.datasets = corpus.datasets
    _, found, coverage = outcome(made, folder, 1)
    _, whole, expected = outcome(made, folder, 1_000)
    assert equal_tables(found, whole)
    assert coverage == expected


CALENDAR = (
    "CREATE TABLE raw_days (day DATE, week INT)",
    "CREATE VIEW calendar AS SELECT day, week AS week_of FROM raw_days",
    "CREATE TABLE weeks AS SELECT week_of, count(*) AS days FROM calendar GROUP BY week_of",
)
"""Tables that readers in all parts ask for, in a chain."""


def readers(count: int) -> list[str]:
    texts = (
        "CREATE TABLE m{at} AS SELECT c.week_of, s.x{at} FROM calendar c JOIN s{at} s ON s.day = c.day",
        "SELECT m.week_of, w.days, nowhere FROM m{at} m JOIN weeks w ON w.week_of = m.week_of",
        "SELECT * FROM calendar WHERE week_of = {at}",
    )
    return [text.format(at=at) for at in range(count) for text in texts]


@pytest.mark.usefixtures("_here")
@pytest.mark.parametrize("last", (False, True), ids=("made first", "made last"))
def test_a_table_that_everybody_reads_holds_no_parts_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: bool
) -> None:
    split_before, lent = parts.split, []

    def split(*about: Any) -> list[parts.PartNumbers]:
        found = split_before(*about)
        lent.append([each.lent.tolist() for each in found])
        return found

    monkeypatch.setattr(resolve, "split", split)
    texts = [*readers(4), *CALENDAR] if last else [*CALENDAR, *readers(4)]
    found = assert_alike(texts, tmp_path)
    makers = {texts.index(text) for text in CALENDAR}
    assert any(makers < set(each) for each in lent[0])
    targets = set(found["edges"]["target_dataset"].to_pylist())
    assert {"calendar", "weeks", "m0", "m3"} < targets


HUB_SHAPES = (
    "CREATE TABLE h{n} (a INT, b INT, c INT, d INT)",
    "CREATE TABLE h{n} AS SELECT x.a, x.b, x.c, x.d FROM {below} x",
    "CREATE VIEW h{n} AS SELECT a, b, c AS c, d FROM {below}",
    "CREATE VIEW h{n} AS SELECT * FROM {below}",
)
READER_SHAPES = (
    "SELECT x.{one}, x.{two} + 1 AS z FROM {left} x",
    "SELECT x.{one}, y.{two} AS q FROM {left} x JOIN {right} y ON x.a = y.a WHERE y.b > {at}",
    "SELECT * FROM {left} x",
    "SELECT x.*, 1 AS one FROM {left} x",
    "SELECT {one}, {two} AS w FROM {left}",
    "SELECT {one}, {two} AS w FROM {left}, {right}",
    "WITH c AS (SELECT a, b FROM {left}) SELECT c.a, sum(c.b) AS b FROM c GROUP BY c.a",
    "SELECT a, b, c FROM {left} UNION ALL SELECT a, b, d FROM {right}",
)
WRITER_SHAPES = (
    "CREATE TABLE {into} AS {query}",
    "CREATE OR REPLACE VIEW {into} AS {query}",
    "INSERT INTO {into} {query}",
    "UPDATE {into} SET a = {at} WHERE b = 2",
)


def log_with_hubs(seed: int) -> list[str]:
    """Four tables above each other, and statements that read them and each other's tables."""
    random = Random(seed)
    tables = [f"m{at}" for at in range(6)]
    read = [*[f"h{at}" for at in range(4)] * 3, "h1", "s.h0", "r0", "r1", "r2", *tables]
    texts = [
        random.choice(HUB_SHAPES).format(n=n, below=f"h{n - 1}" if n else "r2") for n in range(4)
    ]
    for at in range(16):
        left, right, one, two = *random.sample(read, 2), *random.sample("abcd", 2)
        query = random.choice(READER_SHAPES).format(left=left, right=right, one=one, two=two, at=at)
        shape = random.choice((*WRITER_SHAPES, *["{query}"] * 6))
        texts.append(shape.format(into=random.choice((*tables, "h0")), query=query, at=at))

    texts = list(dict.fromkeys(texts))
    random.shuffle(texts)
    return texts


@pytest.mark.usefixtures("_here")
@pytest.mark.parametrize("seed", range(8))
def test_any_log_with_tables_that_many_read(tmp_path: Path, seed: int) -> None:
    assert_alike(log_with_hubs(seed), tmp_path)


@pytest.mark.usefixtures("_here")
@pytest.mark.parametrize(
    "text",
    (
        "INSERT INTO weeks SELECT * FROM unknown_weeks",
        "SELECT Week_Of FROM calendar",
        'SELECT "week_of" FROM calendar',
        "SELECT weekday, day FROM calendar, holidays",
        "ALTER TABLE raw_days ADD COLUMN month INT",
        "DROP VIEW calendar",
        "CREATE OR REPLACE VIEW calendar AS SELECT *, 1 AS one FROM raw_days",
    ),
)
def test_tables_about_which_readers_tell_something(tmp_path: Path, text: str) -> None:
    apart = [*CALENDAR, *readers(3), text]
    _, found, coverage = outcome(log_of(apart), tmp_path, 1)
    _, whole, expected = outcome(log_of(apart), tmp_path, 1_000)
    assert equal_tables(found, whole)
    assert coverage == expected


@pytest.mark.usefixtures("_here")
def test_a_table_that_several_parts_read_has_the_columns_of_all(tmp_path: Path) -> None:
    found = assert_alike(
        ["CREATE TABLE a AS SELECT b, d FROM t", "CREATE TABLE z AS SELECT c, b FROM t",
         "SELECT a.d FROM a", "SELECT z.c FROM z"], tmp_path)  # fmt: skip
    rows = [row for row in found["columns"].to_pylist() if row["dataset"] == "t"]
    assert [(row["position"], row["column"]) for row in rows] == [(1, "b"), (2, "c"), (3, "d")]


@pytest.mark.usefixtures("_here")
def test_parts_have_their_own_closures(tmp_path: Path) -> None:
    found = assert_alike(
        ["CREATE TABLE a AS SELECT b, d FROM t", "CREATE TABLE z AS SELECT c, b FROM t",
         "CREATE TABLE y AS SELECT a.d + a.b AS s FROM a", "SELECT z.c FROM z WHERE z.b > 1"],
        tmp_path)  # fmt: skip
    names = [(row["dataset"], row["column"]) for row in found["nodes"].to_pylist()]
    pairs = [
        (names[row["source"]], names[row["target"]], row["depth"])
        for row in found["closure"].to_pylist()
    ]
    assert names == sorted(names, key=lambda name: (name[0], name[1] or ""))
    assert (("t", "d"), ("y", "s"), 2) in pairs
    assert (("t", "b"), ("query_3", None), 2) in pairs


@pytest.mark.usefixtures("_here")
def test_fields_of_a_table_that_several_parts_read_are_closed_together(tmp_path: Path) -> None:
    """t.s → w.f, since t.s.f → w.f: the part that reads t.s.f does not know that t.s is read."""
    texts = ["CREATE TABLE a AS SELECT s FROM t", "CREATE TABLE w AS SELECT t.s.f AS f FROM t"]
    found = assert_alike([*texts, "SELECT b FROM u"], tmp_path)
    assert "closure" not in found


@pytest.mark.usefixtures("_here")
def test_an_open_star_over_a_table_of_several_parts_is_reported_once(tmp_path: Path) -> None:
    found = assert_alike(
        ["CREATE VIEW v AS SELECT * FROM t", "CREATE VIEW w AS SELECT * FROM t",
         "SELECT w.x FROM w", "SELECT v.y FROM v", "SELECT x FROM u"], tmp_path)  # fmt: skip
    rows = found["diagnostics"].to_pylist()
    assert [(row["code"], row["file"]) for row in rows] == [("open-star", "query_0")]


@pytest.mark.usefixtures("_here")
def test_columns_that_stars_pass_on_are_listed_once(tmp_path: Path) -> None:
    texts = ["CREATE VIEW v AS SELECT * FROM t", "CREATE VIEW w AS SELECT * FROM t"]
    assert_alike([*texts, "SELECT w.A FROM w", "SELECT v.a FROM v", "SELECT v.b FROM v"], tmp_path)


@pytest.mark.usefixtures("_here")
def test_spellings_are_counted_over_all_statements(tmp_path: Path) -> None:
    texts = [
        "SELECT t.Id FROM t",
        "SELECT t.ID FROM T",
        "SELECT t.Id AS x FROM t",
        "SELECT a FROM u",
    ]
    found = assert_alike([*texts, 'SELECT "a b" FROM "U"'], tmp_path)
    assert {row["source_column"] for row in found["edges"].to_pylist()} == {"Id", "a", "a b"}


@pytest.mark.usefixtures("_here")
def test_evidence_about_a_column_comes_from_all_statements(tmp_path: Path) -> None:
    texts = ["SELECT x FROM t, u", "SELECT t.x AS y FROM t", "SELECT u.z FROM u", "SELECT o FROM p"]
    found = assert_alike(texts, tmp_path)
    sources = {(row["source_dataset"], row["source_column"]) for row in found["edges"].to_pylist()}
    assert sources == {("t", "x"), ("u", "z"), ("p", "o")}


@pytest.mark.usefixtures("_here")
def test_declared_datasets_are_sent_once(tmp_path: Path) -> None:
    """Those that are written, read by several parts, read by one, and not at all."""
    texts = ["CREATE VIEW v AS SELECT a, * FROM t", "SELECT v.b FROM v", "SELECT x FROM t"]
    corpora = [log_of([*texts, "SELECT u.c, t.y FROM u, t"]) for _ in range(2)]
    for corpus in corpora:
        corpus.datasets = [
            DatasetInfo(Dataset("", name), "source", [ColumnInfo("a", "INT")], name != "t")
            for name in ("v", "t", "u", "w")
        ]
        corpus.diagnostics = [Diagnostic(Code.NO_INPUT, "told once", None)]
    apart, found, coverage = outcome(corpora[0], tmp_path, 1)
    _, whole, expected = outcome(corpora[1], tmp_path, 1_000)
    assert apart
    assert equal_tables(found, whole)
    assert coverage == expected


@pytest.mark.usefixtures("_here")
def test_a_log_with_a_function_stays_whole(tmp_path: Path) -> None:
    texts = ["CREATE FUNCTION f(x INT) RETURNS INT AS 'SELECT x + 1'", "SELECT f(a) FROM t"]
    assert_alike([*texts, "SELECT b FROM u"], tmp_path, in_parts=False)


@pytest.mark.usefixtures("_here")
def test_a_statement_without_a_record_goes_with_all_that_it_names(tmp_path: Path) -> None:
    texts = ["CREATE TEMPORARY TABLE s AS SELECT k FROM t; SELECT s.k FROM s", "SELECT t.K FROM t"]
    assert_alike([*texts, "SELECT b FROM u", "SELECT c FROM q"], tmp_path)


@pytest.mark.parametrize("broken", (False, True), ids=("executors", "broken executors"))
def test_parts_on_executors(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: bool
) -> None:
    """If tasks fail, the driver resolves their parts in child processes."""
    texts = [
        text.format(at=at)
        for at in range(20)
        for text in (
            "CREATE VIEW v{at} AS SELECT * FROM t",
            "SELECT v{at}.a, u.b{at} FROM v{at}, u",
            "SELECT c{at} FROM u",
        )
    ]
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps({"query_text": text}) + "\n" for text in texts))
    monkeypatch.setattr(resolve, "FEWEST", 8)
    whole = run(Options((str(log),), tmp_path / "whole"), spark)
    monkeypatch.setattr(parts, "PER_PART", 8)
    if broken:
        monkeypatch.setattr(resolve, "part_resolver", breaking)
    apart = run(Options((str(log),), tmp_path / "apart"), spark)
    assert whole.kept is not None
    assert apart.kept is None
    assert contents(tmp_path / "apart") == contents(tmp_path / "whole")
    assert list(map(str, apart.extraction.edges)) == list(map(str, whole.extraction.edges))
    assert apart.coverage == whole.coverage


def breaking(*about: Any) -> Any:
    def work(batches: Any) -> Any:
        raise ValueError

    return work
