"""Query logs: JSON lines, CSV, PostgreSQL's csvlog; alike statements together, broken rows alone."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import lineal
from lineal.model.diagnostic import Code, Place
from lineal.model.extraction import Occurrence
from lineal.projects import ProjectError, load, logs
from lineal.projects.logs.period import make_period, seconds_of

A = "SELECT a FROM t WHERE b = 5"


def json_log(path: Path, *rows: dict[str, Any] | str) -> Path:
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def csv_log(path: Path, *rows: list[str], delimiter: str = ",") -> Path:
    made = io.StringIO()
    csv.writer(made, delimiter=delimiter).writerows(rows)
    path.write_text(made.getvalue(), encoding="utf-8", newline="")
    return path


def server_row(message: str, *, width: int = 26, severity: str = "LOG", **other: str) -> list[str]:
    from lineal.projects.logs.postgres import HEADER

    fields = {
        "log_time": "2024-05-01 10:00:00.123 UTC", "user_name": "ann", "database_name": "shop", "session_id": "s1",
        "session_line_num": "7", "error_severity": severity, "message": message, "query_id": "42", **other,
    }  # fmt: skip
    return [fields.get(name, "") for name in HEADER[:width]]


def texts(path: Path, **named: str) -> list[str]:
    return [script.text for script in load(path, log=named).scripts]


def problems(path: Path, **named: str) -> list[tuple[Code, int]]:
    found = load(path, log=named).diagnostics
    assert all(each.place is not None and each.place.file == str(path) for each in found)
    return [(each.code, each.place.line) for each in found if each.place]


# -- what is alike ---------------------------------------------------------------------------------


def test_statements_that_differ_in_literals_are_one(tmp_path: Path) -> None:
    log = json_log(
        tmp_path / "q.jsonl",
        {
            "query_text": A,
            "user_name": "ann",
            "start_time": "2024-01-02T10:00:00Z",
            "query_id": "q1",
        },
        {"query_text": A, "user_name": "ann", "start_time": "2024-01-03 10:00:00"},
        {"query_text": "select 1"},
        {
            "query_text": "SELECT a\nFROM t WHERE b = 'x'",
            "user_name": "bob",
            "start_time": "2024-01-01T10:00:00+02:00",
        },
    )
    corpus = load(log)
    first, second = corpus.scripts
    assert (first.text[-3:], first.file, first.line, second.line) == ("'x'", str(log), 4, 3)
    assert first.target is not None and first.target.startswith("query_") and first.kind == "query"
    assert corpus.occurrences == [
        Occurrence(
            first.target, Place(str(log), 4, 1), 3, "2024-01-01T10:00:00+02:00", "2024-01-03 10:00:00",
            ("ann", "bob"), (), "",
        ),
        Occurrence(second.target or "", Place(str(log), 3, 1)),
    ]  # fmt: skip


def edges_of(tmp_path: Path, rows: list[dict[str, Any]], **options: Any) -> list[str]:
    (tmp_path / "log.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    found = lineal.lineage(tmp_path / "log.jsonl", **options)
    return sorted(
        {
            f"{edge.source} -> {edge.target}"
            for edge in found.edges
            if "query_" not in str(edge.target)
        }
    )


def test_names_of_two_databases_are_not_mixed(tmp_path: Path) -> None:
    """CREATE TABLE t AS SELECT a FROM s      run in two databases makes two tables"""
    text = "CREATE TABLE t AS SELECT a FROM s"
    assert edges_of(tmp_path, [{"query": text, "database": "shop"}] * 2) == ["s.a -> t.a"]
    both = [{"query": text, "database": name} for name in ("shop", "bank")]
    assert edges_of(tmp_path, both) == ["bank..s.a -> bank..t.a", "shop..s.a -> shop..t.a"]
    assert edges_of(tmp_path, both, default_schema="public") == [
        "bank.public.s.a -> bank.public.t.a", "shop.public.s.a -> shop.public.t.a",
    ]  # fmt: skip
    told = [row | {"schema_name": name} for row, name in zip(both, ("x", "y"), strict=True)]
    assert edges_of(tmp_path, told) == ["bank.y.s.a -> bank.y.t.a", "shop.x.s.a -> shop.x.t.a"]
    assert edges_of(tmp_path, [row | {"database": "shop"} for row in told]) == [
        "x.s.a -> x.t.a",
        "y.s.a -> y.t.a",
    ]
    full = [row | {"query": "CREATE TABLE bank.y.t AS SELECT a FROM y.s"} for row in told]
    assert edges_of(tmp_path, full) == ["bank.y.s.a -> bank.y.t.a", "shop.y.s.a -> bank.y.t.a"]
    nowhere = [*both, {"query": text, "database": None}]
    assert edges_of(tmp_path, nowhere) == [
        "bank..s.a -> bank..t.a",
        "s.a -> t.a",
        "shop..s.a -> shop..t.a",
    ]
    odd = [{"query": text, "database": name} for name in ("a.b", 'c"d')]
    assert edges_of(tmp_path, odd) == ['"a.b"..s.a -> "a.b"..t.a', '"c""d"..s.a -> "c""d"..t.a']


def test_a_schema_holds_in_every_database(tmp_path: Path) -> None:
    rows = [
        {"query": "CREATE TABLE t AS SELECT * FROM m.s", "database": name}
        for name in ("shop", "bank")
    ]
    assert edges_of(tmp_path, rows, schema={"m.s": {"b": "int"}}) == [
        "bank.m.s.b -> bank..t.b", "shop.m.s.b -> shop..t.b",
    ]  # fmt: skip


def test_two_databases_are_two_statements(tmp_path: Path) -> None:
    rows = [{"query": A, "database": name} for name in ("a", "b", "a")]
    found = load(json_log(tmp_path / "q.jsonl", *rows))
    assert [each.runs for each in found.occurrences] == [2, 1]
    assert len({each.name for each in found.occurrences}) == 2


def test_times_have_an_order_whichever_way_they_are_written(tmp_path: Path) -> None:
    for times in (
        ["9", "10", "100"],
        ["2024-01-01 23:00:00 UTC", "2024-01-01T23:30:00Z"],
        ["soon", "then"],
    ):
        rows = [{"sql": A, "time": time} for time in [*times[1:], times[0]]]
        (found,) = load(json_log(tmp_path / "q.jsonl", *rows)).occurrences
        assert (found.first, found.last) == (times[0], times[-1])


def test_the_order_of_rows_does_not_matter(tmp_path: Path) -> None:
    """Where times do not tell, texts do; `raw.t` is called as most statements write it."""
    rows = [
        {"sql": "SELECT a FROM raw.T", "time": "2024-01-02"},
        {"sql": "SELECT b FROM RAW.t", "time": "2024-01-02"},
        {"sql": "CREATE TABLE v AS SELECT a, b FROM raw.t WHERE c = 2"},
        {"sql": "CREATE TABLE v AS SELECT a, b FROM raw.t WHERE c = 1"},
        {"sql": "CREATE TEMP TABLE v AS SELECT c FROM raw.t", "time": "2024-01-01 23:00:00 -0200"},
    ]
    found = [lineal.lineage(json_log(tmp_path / "q.jsonl", *said)) for said in (rows, rows[::-1])]
    one, other = ([str(edge) for edge in each.edges] for each in found)
    assert one == other and "raw.t.a -> v.a  IDENTITY" in one
    assert [each.name for each in found[0].extraction.occurrences] == [
        s.name for s in found[1].extraction.occurrences
    ]


def test_two_logs_may_say_the_same(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        json_log(tmp_path / name, {"sql": f"CREATE TABLE t AS SELECT {name[0]} FROM s"})
    found = lineal.lineage(tmp_path, log={"text": "sql"})
    assert found.diagnostics == [] and len(found.edges) == 2


def test_names_that_would_be_the_same_are_written_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs.statements, "SHORT", 1)
    rows = [{"sql": f"SELECT a{number} FROM t"} for number in range(40)]
    names = [script.target for script in load(json_log(tmp_path / "q.jsonl", *rows)).scripts]
    assert len(set(names)) == 40


# -- where statements stand ------------------------------------------------------------------------


def test_a_place_is_a_line_of_the_log(tmp_path: Path) -> None:
    wide = "SELECT a,\n  c AS d\nFROM t"
    found = lineal.lineage(json_log(tmp_path / "q.jsonl", {"sql": "SELECT 1"}, {"sql": wide}))
    assert [(edge.place.line, edge.place.column) for edge in found.edges if edge.place] == [
        (2, 8),
        (2, 13),
    ]
    assert found.edges[1].usages[0].expression == "c AS d"
    found = lineal.lineage(csv_log(tmp_path / "q.csv", ["sql"], ["SELECT 1"], [wide]))
    assert [(edge.place.line, edge.place.column) for edge in found.edges if edge.place] == [
        (3, 8),
        (4, 3),
    ]


def test_a_statement_that_does_not_parse_is_listed_with_its_line(tmp_path: Path) -> None:
    log = json_log(
        tmp_path / "q.jsonl", {"sql": "SELECT a FROM t"}, {"sql": "SELECT a\nFROM\nWHERE"}
    )
    found = lineal.lineage(log)
    (problem,) = found.diagnostics
    assert problem.code is Code.PARSE_ERROR and problem.place and problem.place[:2] == (str(log), 2)
    assert len(found.edges) == 1


# -- columns ---------------------------------------------------------------------------------------


def test_columns_are_named_by_options(tmp_path: Path) -> None:
    log = csv_log(tmp_path / "any.txt", ["Who", "What", "query"], ["ann", A, "no"], delimiter=";")
    corpus = load(log, log={"text": "what", "user": "Who"})
    assert [script.text for script in corpus.scripts] == [A]
    assert corpus.occurrences[0].users == ("ann",)


def test_a_field_in_a_field(tmp_path: Path) -> None:
    log = json_log(
        tmp_path / "q.jsonl", {"job": {"query": A, "by": 7}}, {"job": 1}, {"job.query": "SELECT 2"}
    )
    corpus = load(log, log={"text": "job.query", "user": "job.by"})
    assert [script.text for script in corpus.scripts] == ["SELECT 2", A]
    assert corpus.occurrences[1].users == ("7",)
    assert [each.code for each in corpus.diagnostics] == [Code.LOG_ROW]


@pytest.mark.parametrize("named", [{"text": "sequel"}, {"user": "sequel"}])
def test_a_wrong_name_is_answered_with_those_that_exist(
    tmp_path: Path, named: dict[str, str]
) -> None:
    for log in (
        json_log(tmp_path / "q.jsonl", {"sql": A}, {"who": "ann"}),
        csv_log(tmp_path / "q.csv", ["sql", "who"], [A, "ann"]),
    ):
        with pytest.raises(ProjectError, match="has no column sequel; its columns are sql, who"):
            load(log, log=named)


def test_a_log_without_a_known_column_asks_for_one(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="--log-text; it has color, size"):
        load(csv_log(tmp_path / "q.csv", ["color", "size"], ["red", "7"]))


def test_a_folder_of_logs_is_one(tmp_path: Path) -> None:
    json_log(tmp_path / "b.jsonl", {"sql": A})
    json_log(tmp_path / "a.ndjson", {"sql": "SELECT a FROM t WHERE b = 7"})
    (tmp_path / "c.sql").write_text("SELECT never")
    corpus = load(tmp_path, log={"text": "sql"})
    assert [(script.file, script.text[-1]) for script in corpus.scripts] == [
        (str(tmp_path / "b.jsonl"), "5")
    ]
    assert corpus.occurrences[0].runs == 2
    (tmp_path / "empty").mkdir()
    assert [each.code for each in load(tmp_path / "empty", log={"text": "sql"}).diagnostics] == [
        Code.NO_INPUT
    ]


# -- broken rows -----------------------------------------------------------------------------------


def test_a_broken_line_of_json_costs_itself(tmp_path: Path) -> None:
    log = json_log(
        tmp_path / "q.jsonl", "", {"sql": A}, '{"sql": "SELECT', "[" * 100_000, "7", {"sql": None}, {"sql": 5},
        {"other": 1}, {"sql": "  "}, "9" * 5000, {"sql": "SELECT b FROM t"},
    )  # fmt: skip
    assert texts(log) == [A, "SELECT b FROM t"]
    assert problems(log) == [(Code.LOG_ROW, line) for line in (3, 4, 5, 6, 7, 8, 9, 10)]


def test_an_array_with_an_element_a_line(tmp_path: Path) -> None:
    log = tmp_path / "q.jsonl"
    log.write_text('[\n{"sql": "SELECT a FROM t"},\n{"sql": "SELECT b FROM t"}\n]\n')
    assert texts(log) == ["SELECT a FROM t", "SELECT b FROM t"]


def test_bytes_that_are_not_utf8_cost_their_row(tmp_path: Path) -> None:
    log = tmp_path / "q.jsonl"
    log.write_bytes(b'{"sql": "SELECT \xff"}\n{"sql": "SELECT b FROM t"}\n')
    assert texts(log) == ["SELECT b FROM t"] and problems(log) == [(Code.LOG_ROW, 1)]
    log = tmp_path / "q.csv"
    log.write_bytes(b'sql,who\nSELECT 1,\xe4\n"SELECT b FROM t",\xc3\xa4\n')
    assert texts(log) == ["SELECT b FROM t"] and problems(log) == [(Code.LOG_ROW, 2)]
    assert lineal.lineage(log).coverage.percent == 50


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_a_byte_order_mark_says_the_encoding(tmp_path: Path, encoding: str) -> None:
    log = tmp_path / "q.jsonl"
    log.write_bytes('{"sql": "SELECT ä FROM t"}\n{"sql": "SELECT b FROM t"}\n'.encode(encoding))
    assert texts(log) == ["SELECT b FROM t", "SELECT ä FROM t"]


def test_a_quote_that_is_never_closed_costs_its_line(tmp_path: Path) -> None:
    log = tmp_path / "q.csv"
    rows = [
        "sql,who",
        '"SELECT a FROM t",ann',
        '"SELECT b FROM t,ann',
        '"SELECT c FROM t",ann',
        'SELECT d FROM t,"x',
    ]
    log.write_text("\n".join([*rows, "SELECT e FROM t,ann", ""]))
    assert texts(log) == ["SELECT a FROM t", "SELECT c FROM t", "SELECT e FROM t"]
    assert problems(log) == [(Code.LOG_ROW, 3), (Code.LOG_ROW, 5)]


def test_a_row_of_another_width_is_not_guessed_at(tmp_path: Path) -> None:
    log = tmp_path / "q.csv"
    log.write_text("sql,who\nSELECT a, b FROM t,ann\nSELECT a FROM t\nSELECT c FROM t,ann\n")
    assert texts(log) == ["SELECT c FROM t"]
    assert problems(log) == [(Code.LOG_ROW, 2), (Code.LOG_ROW, 3)]


def test_long_fields_and_nuls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs.statements, "LONGEST_STATEMENT", 200_000)
    long, longer = (f"SELECT a FROM t WHERE b = '{'x' * size}'" for size in (150_000, 250_000))
    log = csv_log(tmp_path / "q.csv", ["sql"], [long], [longer], ["SELECT\0b FROM t"])
    assert [len(text) for text in texts(log)] == [len(long), 15]
    assert problems(log) == [(Code.LOG_ROW, 3), (Code.LOG_ROW, 4)]
    assert csv.field_size_limit() == 131_072


def test_nothing_in_it(tmp_path: Path) -> None:
    for name, content in (("a.jsonl", ""), ("b.csv", ""), ("c.csv", "sql\n"), ("d.log", "\n\n")):
        (tmp_path / name).write_text(content)
        assert load(tmp_path / name).scripts == []
    (tmp_path / "e.log").symlink_to(tmp_path / "none")
    with pytest.raises(ProjectError):
        load(tmp_path / "e.log")


# -- PostgreSQL ------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [23, 24, 26])
def test_a_csvlog_is_known_by_its_columns(tmp_path: Path, width: int) -> None:
    log = csv_log(
        tmp_path / "postgresql.csv",
        server_row("connection received: host=[local]", width=width),
        server_row("statement: SELECT a\nFROM t WHERE b = 1", width=width),
        server_row("duration: 0.123 ms  statement: SELECT a FROM t WHERE b = 2", width=width),
        server_row("duration: 0.123 ms", width=width),
        server_row("duration: 1.5 ms  parse <unnamed>: SELECT c FROM t", width=width),
        server_row("duration: 1.5 ms  bind <unnamed>: SELECT c FROM t", width=width),
        server_row(
            "execute <unnamed>: SELECT c FROM t WHERE d = $1",
            width=width,
            detail="parameters: $1 = '5'",
        ),
        server_row("execute S_1/C_2: INSERT INTO u SELECT c FROM t", width=width),
        server_row(
            "statement: EXECUTE p (1)",
            width=width,
            detail="prepare: PREPARE p (int) AS SELECT e FROM t",
        ),
        server_row("execute a:b: SELECT g FROM t", width=width),
        server_row(
            "statement: EXECUTE p (1)",
            width=width,
            detail='prepare: PREPARE "p q" (numeric(9, 2)) AS SELECT g FROM t',
        ),
        server_row(
            'relation "x" does not exist', width=width, severity="ERROR", query="SELECT f FROM x"
        ),
        server_row("statement: SELECT x, FROM", width=width, severity="LOG"),
    )
    corpus = load(log)
    assert corpus.dialect == "postgres" and {script.dialect for script in corpus.scripts} == {
        "postgres"
    }
    assert [script.text for script in corpus.scripts] == [
        "INSERT INTO u SELECT c FROM t",
        "SELECT a\nFROM t WHERE b = 1",
        "SELECT c FROM t WHERE d = $1",
        "SELECT e FROM t",
        "SELECT g FROM t",
        "SELECT x, FROM",
    ]
    first = corpus.occurrences[1]
    assert (first.runs, first.users, first.databases, first.place.line) == (
        2,
        ("ann",),
        ("shop",),
        2,
    )
    assert first.id == ("42" if width == 26 else "")
    found = lineal.lineage(log)
    assert sorted(map(str, found.edges))[0].startswith("t.a -> query_")
    assert [(each.code, each.place.line) for each in found.diagnostics if each.place] == [
        (Code.PARSE_ERROR, 14)
    ]


def test_a_jsonlog_is_read_alike(tmp_path: Path) -> None:
    row = {
        "timestamp": "2024-05-01 10:00:00.123 UTC", "user": "ann", "dbname": "shop", "session_id": "s", "line_num": 1,
        "error_severity": "LOG", "message": "statement: SELECT a FROM t", "query_id": 42,
    }  # fmt: skip
    log = json_log(
        tmp_path / "p.log", row, {**row, "message": "checkpoint complete"}, {**row, "message": ""}
    )
    corpus = load(log)
    assert [script.text for script in corpus.scripts] == [
        "SELECT a FROM t"
    ] and corpus.diagnostics == []
    assert corpus.occurrences[0].users == ("ann",)


def test_the_dialect_that_is_asked_for_counts(tmp_path: Path) -> None:
    corpus = load(
        csv_log(tmp_path / "p.csv", server_row("statement: SELECT a FROM t")), dialect="redshift"
    )
    assert corpus.dialect == "redshift" and corpus.scripts[0].dialect == "redshift"


# -- histories of warehouses -----------------------------------------------------------------------

HISTORY_FILES = Path(__file__).parents[2] / "data" / "logs"


@pytest.mark.parametrize(
    ("name", "dialect", "kept", "left_out"),
    [
        ("snowflake", "snowflake", 2, 1),
        ("bigquery", "bigquery", 1, 2),
        ("databricks", "databricks", 2, 1),
        ("redshift", "redshift", 2, 1),
        ("postgres-csvlog", "postgres", 3, 0),
    ],
)
def test_statements_that_failed_are_left_out(
    name: str, dialect: str, kept: int, left_out: int
) -> None:
    """The files of the pipeline's tests, without a preset: their columns tell whose they are."""
    (file,) = (each for each in HISTORY_FILES.glob(f"{name}.*") if each.suffix != ".parquet")
    corpus = load(file)
    assert corpus.dialect == dialect
    assert len(corpus.scripts) == kept
    said = [each.message for each in corpus.diagnostics if each.code is Code.NOT_RUN]
    plural = "s" if left_out > 1 else ""
    assert said == [f"{left_out} statement{plural} left out: did not succeed"] * bool(left_out)


SNOWFLAKE = [
    {"QUERY_TEXT": "insert into t select a from s", "EXECUTION_STATUS": "SUCCESS", "START_TIME": "2026-05-01 10:00"},
    {"QUERY_TEXT": "insert into u select b from s", "EXECUTION_STATUS": "FAIL", "START_TIME": "2026-05-02 10:00"},
    {"QUERY_TEXT": "insert into v select c from s", "EXECUTION_STATUS": "SUCCESS", "START_TIME": "2026-06-01 10:00"},
]  # fmt: skip


def job(name: str, text: str, parent: str = "", error: Any = None) -> dict[str, Any]:
    return {
        "configuration": {"query": {"query": text}}, "jobReference": {"jobId": name, "projectId": "p"},
        "status": {"state": "DONE", "errorResult": error}, "statistics": {"creationTime": "1777629600000"}
        | ({"parentJobId": parent} if parent else {}),
    }  # fmt: skip


JOBS = [
    job("1", "begin insert into d.t select a from d.s; end"),
    job("2", "insert into d.t select a from d.s", parent="1"),
    job("3", "insert into d.u select b from d.s", error={"reason": "notFound"}),
]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_json_array_of_a_warehouse(tmp_path: Path, indent: int | None) -> None:
    file = tmp_path / "history.json"
    file.write_text(json.dumps(SNOWFLAKE, indent=indent), encoding="utf-8")
    found = lineal.lineage(file)
    assert {str(edge.source) for edge in found.edges} == {"s.a", "s.c"}
    file.write_text(json.dumps(JOBS, indent=indent), encoding="utf-8")
    found = lineal.lineage(file)
    assert [str(edge.target) for edge in found.edges] == ["d.t.a"]
    said = sorted(each.message for each in found.diagnostics)
    assert said == [
        "1 statement left out: a script whose statements have their own rows",
        "1 statement left out: did not succeed",
    ]


def test_other_json_is_not_a_log(tmp_path: Path) -> None:
    file = tmp_path / "package.json"
    file.write_text('{"name": "shop", "query": "x", "version": "1"}', encoding="utf-8")
    assert not logs.matches(file)
    file.write_text('[{"query_text": "select 1"}]', encoding="utf-8")
    assert logs.matches(file)
    file.write_text('{"query_text": ', encoding="utf-8")
    assert not logs.matches(file)


@pytest.mark.parametrize(
    ("since", "until", "kept"),
    [
        ("2026-05-01", None, ["t", "v"]),
        ("2026-05-02", None, ["v"]),
        (None, "2026-06-01T10:00:00Z", ["t"]),
        ("2026-06-01T12:00:00+02:00", None, ["v"]),
        ("1780308000", None, ["v"]),
        ("2026-05-03", "2026-05-04", []),
    ],
)
def test_a_period(tmp_path: Path, since: str | None, until: str | None, kept: list[str]) -> None:
    """--since counts from its time on, --until up to it."""
    file = json_log(tmp_path / "log.jsonl", *SNOWFLAKE, {"QUERY_TEXT": "select z from s"})
    corpus = load(file, period=make_period(since, until))
    assert [script.text.split()[2] for script in corpus.scripts] == kept
    said = {each.message for each in corpus.diagnostics}
    assert "1 statement left out: without a time that can be read" in said


def test_times_in_any_unit() -> None:
    at = 1777629600.0
    assert {seconds_of(str(int(at * scale))) for scale in (1, 1e3, 1e6, 1e9)} == {at}
    assert seconds_of("2026-05-01T10:00:00Z") == at
    with pytest.raises(ProjectError, match="--until soon is not a time"):
        make_period(None, "soon")


def test_a_period_is_one_of_a_log(tmp_path: Path) -> None:
    file = tmp_path / "a.sql"
    file.write_text("select a from t", encoding="utf-8")
    with pytest.raises(ProjectError, match="choose rows of a query log"):
        load(file, period=make_period("2026-05-01", None))


def test_a_statement_that_postgresql_reports_an_error_for(tmp_path: Path) -> None:
    """It is logged before it runs; the error comes after it in the same session."""
    file = csv_log(
        tmp_path / "log.csv",
        server_row("statement: INSERT INTO t SELECT a FROM s"),
        server_row("statement: INSERT INTO t SELECT b FROM s", session_id="s2"),
        server_row("no such column", severity="ERROR", query="INSERT INTO t SELECT a FROM s"),
        server_row("statement: INSERT INTO t SELECT c FROM s"),
    )
    corpus = load(file)
    assert sorted(script.text[-8:-7] for script in corpus.scripts) == ["b", "c"]
    assert [each.message for each in corpus.diagnostics] == [
        "1 statement left out: did not succeed"
    ]


def test_texts_of_redshift_in_pieces(tmp_path: Path) -> None:
    file = csv_log(
        tmp_path / "log.csv",
        ["userid", "query", "sequence", "text"],
        ["1", "100", "1", "t where b = 1"],
        ["1", "101", "0", "x" * 185 + " select a from"],
        ["1", "100", "0", "select a\\nfrom "],
        ["1", "101", "1", "t"],
    )
    said = {script.text for script in load(file).scripts}
    assert said == {"select a\nfrom t where b = 1", "x" * 185 + " select a from t"}


def test_the_interface_takes_a_period(tmp_path: Path) -> None:
    file = json_log(tmp_path / "log.jsonl", *SNOWFLAKE)
    later = lineal.lineage(file, since=datetime(2026, 5, 2, tzinfo=UTC))
    earlier = lineal.lineage(str(file), until="2026-05-02")
    names = [{each.dataset.name.lower() for each in found.datasets} for found in (later, earlier)]
    assert ["v" in each for each in names] == [True, False]
    assert ["t" in each for each in names] == [False, True]
    with pytest.raises(ProjectError, match="--since soon is not a time"):
        lineal.lineage(file, since="soon")
