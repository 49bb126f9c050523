"""The logs of engines as rows, and rows that cannot be used."""

from __future__ import annotations

import bz2
import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from logbook import facts, table, write_json

import lineal
from lineal.projects import load
from lineal.projects.logs.period import AFTER, BEFORE, NO_TIME, make_period
from lineal.projects.logs.statements import moment
from lineal.spark.pipeline import BulkError, Options, run
from lineal.spark.pipeline.rows import (
    DID_NOT_RUN,
    IN_PARTS,
    NO_QUERY,
    NO_TEXT,
    NOT_READ,
    NOT_UTF8,
    TOO_LONG,
    Log,
    rows,
)
from lineal.spark.pipeline.settings import settings
from lineal.spark.pipeline.stages import RUNTIME
from lineal.spark.pipeline.times import moment as spark_moment

LOGS = Path(__file__).parents[1] / "data" / "logs"

EXPECTED = {
    "snowflake": [
        (
            "CREATE TABLE mart.daily AS\nSELECT day, sum(amount) AS total FROM raw.sales GROUP BY day",
            None, "ANN", "2026-05-01 06:00:00.123 -0700", "01a-1", "SHOP",
        ),
        ('SELECT "day" FROM mart.daily WHERE total > 5', None, "BOB", "2026-05-01 07:00:00.000 -0700", "01a-2", "SHOP"),
        (None, DID_NOT_RUN, "BOB", "2026-05-01 07:01:00.000 -0700", "01a-3", "SHOP"),
        (None, NO_TEXT, "BOB", "2026-05-01 07:02:00.000 -0700", "01a-4", "SHOP"),
    ],
    "bigquery": [
        (
            "SELECT name FROM `acme.crm.people` WHERE age > 5",
            None, "ann@acme.example", "2026-05-01 10:00:00 UTC", "job_1", "acme",
        ),
        (None, DID_NOT_RUN, "bob@acme.example", "2026-05-01 10:05:00 UTC", "job_2", "acme"),
        (None, DID_NOT_RUN, "bob@acme.example", "2026-05-01 10:06:00 UTC", "job_3", "acme"),
        (None, NO_TEXT, "", "2026-05-01 10:07:00 UTC", "job_4", "acme"),
        (None, NOT_READ, "", "", "", ""),
    ],
    "databricks": [
        (
            "INSERT INTO main.mart.t SELECT a FROM main.raw.s",
            None, "ann@acme.example", "2026-05-01T10:00:00.000Z", "s-1", "",
        ),
        (None, DID_NOT_RUN, "ann@acme.example", "2026-05-01T10:00:01.000Z", "s-2", ""),
        ("SELECT a FROM main.mart.t", None, "bob@acme.example", "2026-05-01T10:00:02.000Z", "s-3", ""),
    ],
    "redshift": [
        (
            "insert into mart.t (a) select a from stage.s where b = 'x, y'",
            None, "ann", "2026-05-01 10:00:00.5", "7001", "dev",
        ),
        (None, DID_NOT_RUN, "ann", "2026-05-01 10:01:00.5", "7002", "dev"),
        ("select a from mart.t", None, "bob", "2026-05-01 10:02:00.5", "7003", "dev"),
    ],
    "postgres-csvlog": [
        (
            "SELECT id,\n total FROM mart.daily WHERE day = 'x'",
            None, "ann", "2026-05-01 10:00:00.001 UTC", "-5411", "shop",
        ),
        ("INSERT INTO t SELECT a FROM s WHERE b = $1", None, "bob", "2026-05-01 10:00:01.001 UTC", "17", "shop"),
        ("SELECT z FROM u", None, "bob", "2026-05-01 10:00:02.001 UTC", "18", "shop"),
        (None, NO_QUERY, "", "2026-05-01 10:00:03.001 UTC", "0", ""),
        (None, NO_QUERY, "bob", "2026-05-01 10:00:04.001 UTC", "0", "shop"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("preset", EXPECTED)
def test_the_log_of_an_engine(spark: Any, preset: str) -> None:
    (file,) = LOGS.glob(f"{preset}.*")
    found = rows(spark, Log((str(file),), None, preset)).select(
        "text", "reason", "user", "time", "id", "database"
    )
    assert sorted(map(tuple, found.collect()), key=repr) == sorted(EXPECTED[preset], key=repr)


QUERYTEXT = """\
userid,xid,pid,query,sequence,text
1,5,7,100,1,"t where b = 1"
1,5,7,100,0,"select a\\nfrom "
1,6,7,101,0,"select 1"
1,6,7
"""
STATEMENTTEXT = f"""\
USERID,XID,STARTTIME,SEQUENCE,TEXT
1,5,2026-05-01 10:00:00,0,"{"x" * 185} select a from"
1,5,2026-05-01 10:00:00,1,"t"
"""
STL_QUERY = """\
userid,query,database,querytxt,starttime,aborted
100,7001,dev  ,"select a from t   ",2026-05-01 10:00:00.5,0
100,7002,dev  ,"select b from t   ",2026-05-01 10:00:01.5,1
"""


def test_texts_in_pieces(spark: Any, tmp_path: Path) -> None:
    """Redshift keeps texts in pieces of 200 characters, line ends as two, and columns filled up
    with blanks.
    """

    def found(content: str) -> list[Any]:
        (tmp_path / "log.csv").write_text(content, encoding="utf-8")
        read = rows(spark, Log((str(tmp_path / "log.csv"),), None, "redshift"))
        return sorted(
            map(tuple, read.select("text", "reason", "user", "time", "id", "database").collect()),
            key=repr,
        )

    assert found(QUERYTEXT) == [
        ("select 1", None, "1", "", "101", ""),
        ("select a\nfrom t where b = 1", None, "1", "", "100", ""),
        (None, NOT_READ, "", "", "", ""),
    ]
    ((text, *_),) = found(STATEMENTTEXT)
    assert text == f"{'x' * 185} select a from t"
    assert found(STL_QUERY) == [
        ("select a from t", None, "100", "2026-05-01 10:00:00.5", "7001", "dev"),
        (None, DID_NOT_RUN, "100", "2026-05-01 10:00:01.5", "7002", "dev"),
    ]


AS_CSV = {
    "a quote that is never closed": 'query_text,user_name\n"SELECT 1 FROM t,ann\nSELECT 2 FROM t,bob\n',
    "another delimiter": 'query_text;user_name\nSELECT a, b FROM t;ann\n"SELECT a FROM t; SELECT b FROM u";bob\n',
    "blanks and a mark": "\ufeffquery_text , user_name\r\nSELECT 1 FROM t,ann\r\n",
    "a number of its own for each row": ",query_text\n0,SELECT 1 FROM t\n1,SELECT a, b FROM t\n",
    "names twice": "query_text,user_name,user_name\nSELECT 1,ann,bob\n",
    "a character for bytes that were none": "query_text\nSELECT '\ufffd' FROM t\n",
}


def test_csv_is_read_as_on_one_machine(spark: Any, tmp_path: Path) -> None:
    """Also a file of another encoding, and files whose columns are in another order."""
    logs = tmp_path / "logs"
    logs.mkdir()
    for number, content in enumerate(AS_CSV.values()):
        (logs / f"{number}.csv").write_text(content, encoding="utf-8")
    (logs / "utf16.csv").write_text(
        "user_name,query_text\nann,SELECT x FROM t\n", encoding="utf-16"
    )
    (logs / "latin.csv").write_bytes(
        b"sql,gr\xf6\xdfe,query_text\n,1,SELECT y FROM t\n,\xf6,SELECT z FROM t\n"
    )
    alone = lineal.lineage(logs, log={"text": "query_text"})
    summary = run(
        Options((str(logs),), tmp_path / "out", log=(("text", "query_text"),), closure=False), spark
    )
    assert facts(summary.extraction.edges) == facts(alone.edges)
    assert {(each.name, each.runs, each.users) for each in summary.extraction.occurrences} == {
        (each.name, each.runs, each.users) for each in alone.extraction.occurrences
    }
    assert summary.statements == 8
    assert summary.quarantined == {NOT_READ: 2, NOT_UTF8: 1}


PACKED = {
    "a.csv.gz": gzip.compress(
        b'query_text,user_name\nSELECT a FROM t,ann\n"SELECT b FROM t,bob\nSELECT c FROM t,eve\n'
    ),
    "b.csv.bz2": bz2.compress(b"user_name;query_text\r\nann;SELECT d FROM t\r\n"),
    "c.csv": gzip.compress(b"query_text\nSELECT e FROM t\n"),
    "torn.csv.gz": gzip.compress(
        b"query_text\n" + b"".join(b"SELECT x%d FROM t\n" % n for n in range(9000))
    )[:-2000],
    "empty.csv.gz": gzip.compress(b""),
}


def test_packed_files_are_read_as_on_one_machine(spark: Any, tmp_path: Path) -> None:
    """Whatever they are called; of one that is torn, the rows before."""
    logs = tmp_path / "logs"
    logs.mkdir()
    for name, data in PACKED.items():
        (logs / name).write_bytes(data)
    summary = run(Options((str(logs),), tmp_path / "out", closure=False), spark)
    alone = lineal.lineage(logs, log={"text": "query_text"})
    assert facts(summary.extraction.edges) == facts(alone.edges)
    assert {each.users for each in summary.extraction.occurrences} == {("ann",), ("eve",), ()}
    assert summary.quarantined == {NOT_READ: 2} and 1000 < summary.statements < 9000
    assert [found.code.name for found in alone.diagnostics].count("UNREADABLE") == 1

    shutil.rmtree(logs)
    logs.mkdir()
    (logs / "a.jsonl.gz").write_bytes(
        gzip.compress(b'{"sql": "SELECT a FROM t"}\n{"sql": "SELECT b FROM t"}\n')
    )
    (logs / "b.json.gz").write_bytes(gzip.compress(b'[\n {\n  "sql": "SELECT c FROM t"\n }\n]'))
    (logs / "c.jsonl").write_text('{"sql": "SELECT d FROM t"}\n')
    assert run(Options((str(logs),), tmp_path / "json", closure=False), spark).edges == 4


def test_text_of_another_encoding(spark: Any, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "a.txt").write_text(
        "SELECT \u00fc FROM t\r\nSELECT b FROM t\r\n", encoding="utf-16", newline=""
    )
    (logs / "b.txt.gz").write_bytes(gzip.compress(b"SELECT c FROM t\nSELECT \xfc FROM t\n"))
    (logs / "c.txt").write_text("SELECT d FROM t\n")
    (logs / "d.txt.gz").write_bytes(gzip.compress(b"SELECT e FROM t\n")[:-9])
    found = rows(spark, Log((str(logs),))).select("text", "reason").collect()
    said = [(f"SELECT {name} FROM t", None) for name in "bcde\u00fc"] + [
        (None, NOT_UTF8),
        (None, NOT_READ),
    ]
    assert sorted(map(tuple, found), key=repr) == sorted(said, key=repr)


def test_a_log_that_got_more_columns(spark: Any, tmp_path: Path) -> None:
    """Of a column that only later files have, nothing is lost."""
    (tmp_path / "log").mkdir()
    said = [
        {"query_text": "SELECT 1"},
        {"query_text": "SELECT 2", "user_name": "ann"},
        {"QUERY_TEXT": "SELECT 3", "n": 1},
    ]
    for number, row in enumerate(said):
        pq.write_table(pa.Table.from_pylist([row]), tmp_path / "log" / f"{number}.parquet")
    found = rows(spark, Log((str(tmp_path / "log"),))).select("text", "user").collect()
    assert sorted(map(tuple, found)) == [("SELECT 1", ""), ("SELECT 2", "ann"), ("SELECT 3", "")]


def test_files_that_are_not_logs(spark: Any, tmp_path: Path) -> None:
    """Files with other names are left alone, unless the format was named; another log, also then."""
    (tmp_path / "log").mkdir()
    for name in ("a.jsonl", "part-00000"):
        write_json(tmp_path / "log" / name, [{"sql": f"SELECT {len(name)}"}])
    assert rows(spark, Log((str(tmp_path / "log"),))).count() == 1
    (tmp_path / "log" / "b.csv").write_text("sql\nSELECT 0\n")
    assert rows(spark, Log((str(tmp_path / "log"),), "json")).count() == 2


TIMES = """
2026-05-01T10:00:00Z|2026-05-01 12:30:00 +0200|2026-05-01 10:00:00.123456789|2026-05-01|2026-05-01 10:00 -07
1777629600|1.7776296e9|2026-05-01T10:00:00+05:30|2026-13-45 99:00:00|0001-01-01 00:00:00|0000-01-01
9999-12-31 23:59:59|2026-05-01 10:00:60|-5|1e400|NaN|2026-05-01 24:00:00|2026-02-30|2026-05-01 10:00:00 CEST
2026-05-01 10:00:00 +18:30|2026-05-01 10:00+02|2026-05-01 10:00:00+14|soon||2026-05-01 10:00:00 +1860
1582-10-10|12345678901234567890|2026-05-01 10:00:00 Europe/Berlin|05/01/2026|2026-05-01 10:00:00,5
"""


def test_times_are_read_as_on_one_machine(spark: Any) -> None:
    times = TIMES.strip().replace("\n", "|").split("|")
    with settings(spark, RUNTIME):
        found = (
            spark.createDataFrame([(time,) for time in times], "time string")
            .select("time", spark_moment())
            .collect()
        )
    assert dict(map(tuple, found)) == {time: moment(time) for time in times}
    assert len({moment(time) for time in times}) >= 15


def test_an_array_with_an_element_a_line(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "log.json").write_text(
        '[\n{"sql":"SELECT 1"},\n{"sql":"SELECT 2"}\n]\n', encoding="utf-8"
    )
    found = rows(spark, Log((str(tmp_path / "log.json"),))).select("text", "reason").collect()
    assert sorted(map(tuple, found)) == [("SELECT 1", None), ("SELECT 2", None)]


def test_other_files_of_postgresql(spark: Any, tmp_path: Path) -> None:
    """Its csvlog is called postgresql.log at times; a jsonlog has the same messages."""
    (tmp_path / "postgresql.log").write_bytes((LOGS / "postgres-csvlog.csv").read_bytes())
    assert (
        rows(spark, Log((str(tmp_path / "postgresql.log"),), None, "postgres-csvlog")).count() == 5
    )
    said = {
        "timestamp": "2026-05-01 10:00:00.001 UTC",
        "user": "ann",
        "dbname": "shop",
        "error_severity": "LOG",
    }
    path = write_json(
        tmp_path / "p.json",
        [said | {"message": "statement: SELECT a FROM t"}, said | {"message": "hm"}],
    )
    found = (
        rows(spark, Log((path,), None, "postgres-csvlog"))
        .select("text", "reason", "user", "database")
        .collect()
    )
    assert sorted(map(tuple, found), key=repr) == [
        ("SELECT a FROM t", None, "ann", "shop"),
        (None, NO_QUERY, "ann", "shop"),
    ]


@pytest.mark.parametrize("written", ["jsonl", "csv", "parquet"])
def test_scripts_of_bigquery(spark: Any, tmp_path: Path, written: str) -> None:
    """A script is a job, and so is each of its statements; one whose statements are not in the log
    counts itself.
    """
    script = (
        "DECLARE d INT64; CREATE TABLE m.t AS SELECT a FROM r.s; INSERT INTO m.u SELECT a FROM m.t;"
    )
    said = [
        {"job_id": "p1", "query": script, "statement_type": "SCRIPT", "parent_job_id": None},
        {"job_id": "c1", "query": "CREATE TABLE m.t AS SELECT a FROM r.s", "parent_job_id": "p1"},
        {"job_id": "c2", "query": "INSERT INTO m.u SELECT a FROM m.t", "parent_job_id": "p1"},
        {"job_id": "p2", "query": "BEGIN SELECT b FROM r.s; END", "statement_type": "SCRIPT"},
        {"job_id": "p3", "query": "SELECT c FROM r.s; SELECT nothing", "statement_type": "SCRIPT"},
        {"job_id": "c3", "query": "SELECT c FROM r.s", "parent_job_id": "p3", "state": "RUNNING"},
        {"job_id": "q", "query": "SELECT d FROM r.s", "parent_job_id": ""},
    ]
    names = ("job_id", "query", "statement_type", "parent_job_id", "state")
    table_ = pa.Table.from_pylist(
        [dict.fromkeys(names) | row for row in said], pa.schema([(n, pa.string()) for n in names])
    )
    path = str(tmp_path / f"log.{written}")
    if written == "jsonl":
        write_json(Path(path), said)
    elif written == "csv":
        pc.write_csv(table_, path)
    else:
        pq.write_table(table_, path)
    found = rows(spark, Log((path,), None, "bigquery")).select("id", "reason").collect()
    assert dict(map(tuple, found)) == {
        "p1": IN_PARTS, "c1": None, "c2": None, "p2": None, "p3": None, "c3": DID_NOT_RUN, "q": None,
    }  # fmt: skip


def test_texts_that_an_engine_has_cut_off(spark: Any, tmp_path: Path) -> None:
    """The rest may be read, and mean something else: sales_2026 without its last digits."""

    def found(preset: str, column: str, *texts: str) -> list[Any]:
        path = write_json(tmp_path / "log.jsonl", [{column: text} for text in texts])
        read = rows(spark, Log((path,), None, preset)).select("text", "reason").collect()
        return sorted((len(text or ""), reason) for text, reason in read)

    def said(length: int) -> str:
        return "SELECT a FROM sales_2".rjust(length, " ")

    cut = "cut off by the engine, which keeps {} characters".format
    assert found("snowflake", "QUERY_TEXT", said(99_999), said(100_000)) == [
        (0, cut("100,000")),
        (99_999, None),
    ]
    assert found("redshift", "querytxt", said(3999), "\\n" + said(3998)) == [
        (0, cut("4,000")),
        (3999, None),
    ]
    assert found("databricks", "statement_text", said(100_000)) == [(100_000, None)]


def test_one_column_in_two_ways(spark: Any, tmp_path: Path) -> None:
    """In a file that has an object a line, too."""
    said = [
        {"QUERY_TEXT": "SELECT a FROM t"},
        {"query_text": "SELECT b FROM t"},
        {"n": 1, "N": 2, "sql": ""},
    ]
    path = write_json(tmp_path / "log.jsonl", said)
    summary = run(Options((path,), tmp_path / "out", closure=False), spark)
    assert summary.quarantined == {NO_TEXT: 1}
    assert facts(summary.extraction.edges) == facts(lineal.lineage(path).edges)


ERRORS = [
    ({}, None),
    (None, None),
    ({"reason": None, "message": None}, None),
    ({"reason": "invalid"}, DID_NOT_RUN),
]


def test_the_error_of_a_row_decides_whether_it_failed(spark: Any, tmp_path: Path) -> None:
    said = [
        {"job_id": str(n), "query": "SELECT a FROM t", "error_result": e}
        for n, (e, _) in enumerate(ERRORS)
    ]
    expected = {str(n): reason for n, (_, reason) in enumerate(ERRORS)}
    for path in (
        write_json(tmp_path / "struct.jsonl", said),
        write_json(
            tmp_path / "text.jsonl",
            [row | {"error_result": json.dumps(row["error_result"])} for row in said],
        ),
    ):
        if "text" in path:
            expected["2"] = DID_NOT_RUN  # a text that is not empty, whatever it says
        found = rows(spark, Log((path,), None, "bigquery")).select("id", "reason").collect()
        assert dict(map(tuple, found)) == expected


AS_JSON = {
    "an array over many lines": json.dumps(
        [{"query_text": f"SELECT {c}\n{{}} FROM t"} for c in "ab"], indent=2
    ),
    "an array on one line": json.dumps([{"query_text": f"SELECT {c} FROM t1"} for c in "ab"]),
    "brackets beside the elements": '[{"query_text": "SELECT a FROM t2"},\n {"query_text": "SELECT b FROM t2"}]',
    "an element a line": '[\n{"query_text": "SELECT a FROM t3"},\n{"query_text": "SELECT b FROM t3"}\n]\n',
    "objects over many lines": "\n".join(
        json.dumps({"query_text": f"SELECT {c} FROM t4"}, indent=1) for c in "ab"
    ),
    "objects between commas": '[\n  {\n  "query_text": "SELECT \\"a}\\" FROM t5"\n  }, {\n  "query_text": "x"\n  }\n]',
    "names in capitals": '{"QUERY_TEXT": "SELECT a FROM t6"}\n{"query_text": "SELECT b FROM t6"}\n',
    "an object that is never closed": (
        '[\n  {\n    "query_text": "SELECT a FROM t7,\n    "n": {"m": 1}\n  },\n'
        '  {\n    "query_text": "SELECT b FROM t7",\n    "n": [\n      {}\n    ]\n  },\n  7\n]'
    ),
    "nothing at all": "[]",
}


def test_json_is_read_as_on_one_machine(spark: Any, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for number, content in enumerate(AS_JSON.values()):
        (logs / f"{number}.jsonl").write_text(content, encoding="utf-8")
    (logs / "marked.jsonl").write_text(AS_JSON["names in capitals"], encoding="utf-8-sig")
    (logs / "wide.jsonl").write_text(
        '{\n"query_text": "SELECT \u00fc FROM t"\n}', encoding="utf-16"
    )
    (logs / "latin.jsonl").write_bytes(
        '[{"query_text": "SELECT \u00fc FROM t"},\n{"query_text": "u"}]'.encode("latin-1")
    )
    summary = run(Options((str(logs),), tmp_path / "out"), spark)
    alone = lineal.lineage(logs, log={"text": "query_text"})
    left_out = [found for found in alone.diagnostics if found.code.name == "LOG_ROW"]
    assert len(left_out) == 3
    assert sum(summary.quarantined.values()) == 3, summary.quarantined
    assert summary.rows == 19 + 3
    assert facts(summary.extraction.edges) == facts(alone.edges)


def test_a_field_twice(spark: Any, tmp_path: Path) -> None:
    """In one object: the last one counts, as on one machine, and no other row is lost."""
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "a.jsonl").write_bytes(
        b'{"query_text": "SELECT a FROM t", "query_text": "SELECT b FROM t", "n": {"m": 1, "m": 2}}\n'
        b'{"query_text": "SELECT c FROM t"}\n\n{"query_text": "SELECT \xfc FROM t"}\n{"query_text": \n'
    )
    (logs / "b.jsonl").write_text(json.dumps([{"query_text": "SELECT d FROM t"}], indent=1))
    summary = run(Options((str(logs),), tmp_path / "out"), spark)
    assert (summary.rows, summary.quarantined) == (5, {NOT_UTF8: 1, NOT_READ: 1})
    assert facts(summary.extraction.edges) == facts(
        lineal.lineage(logs, log={"text": "query_text"}).edges
    )


def test_values_that_are_not_text_cost_no_statement(spark: Any, tmp_path: Path) -> None:
    """A user in bytes that are not text, a time in nanoseconds: neither costs the statement."""
    at = [1_777_629_600_123_456_789, None, 100]
    said = {
        "sql": ["SELECT a FROM t"] * 3,
        "user_name": pa.array([b"\xff\xfe", b"ann", None], pa.binary()),
        "start_time": pa.array(at, pa.timestamp("ns")),
    }
    pq.write_table(pa.table(said), tmp_path / "log.parquet")
    run(Options((str(tmp_path / "log.parquet"),), tmp_path / "out"), spark)
    (found,) = table(tmp_path / "out", "statements")
    assert found["runs"] == 3 and found["users"] == ["ann", "\ufffd\ufffd"]
    assert (found["first_seen"], found["last_seen"]) == ("100", "2026-05-01 10:00:00.123456")


def test_rows_that_cannot_be_used_are_counted(spark: Any, tmp_path: Path) -> None:
    """No text, bytes that are not text, a NUL, a statement of 50 MB: each costs itself only."""
    texts = [
        b"SELECT a FROM t",
        None,
        b"  \n ",
        b"SELECT '\xff\xfe' FROM t",
        b"SELECT b\0 FROM t",
        b"SELECT " + b"1+" * 25_000_000,
    ]
    pq.write_table(pa.table({"sql": pa.array(texts, pa.binary())}), tmp_path / "log.parquet")
    summary = run(Options((str(tmp_path / "log.parquet"),), tmp_path / "out"), spark)
    assert summary.rows == 6 and summary.statements == 2
    assert summary.quarantined == {NO_TEXT: 2, NOT_UTF8: 1, TOO_LONG: 1}
    counts = [(row["reason"], row["count"]) for row in table(tmp_path / "out", "quarantine")]
    assert counts == sorted(summary.quarantined.items())
    assert sorted(row["text"] for row in table(tmp_path / "out", "statements")) == [
        "SELECT a FROM t",
        "SELECT b  FROM t",
    ]


def test_a_line_of_text_is_a_statement(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "queries.txt").write_text(
        "SELECT a FROM t\n\nSELECT b FROM u WHERE c = 1\nSELECT b FROM u WHERE c = 2\n"
    )
    summary = run(Options((str(tmp_path / "queries.txt"),), tmp_path / "out"), spark)
    assert (summary.rows, summary.texts, summary.statements) == (4, 3, 2)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"preset": "oracle"}, "no preset oracle: choose one of snowflake, bigquery"),
        (
            {"preset": "databricks"},
            "the log has no column statement_text; its columns are n, query_text",
        ),
        ({"log": (("user", "who"),)}, "the log has no column who; its columns are n, query_text"),
        ({"log": (("text", "n"),)}, "the column of statements holds bigint, not text"),
    ],
)
def test_a_log_of_another_format_than_named(
    spark: Any, tmp_path: Path, options: dict[str, Any], says: str
) -> None:
    pq.write_table(pa.table({"n": [1], "query_text": ["SELECT 1"]}), tmp_path / "log.parquet")
    with pytest.raises(BulkError, match=says):
        run(Options((str(tmp_path / "log.parquet"),), tmp_path / "out", **options), spark)


def test_no_column_has_statements(spark: Any, tmp_path: Path) -> None:
    path = write_json(tmp_path / "log.jsonl", [{"a": "SELECT 1"}])
    with pytest.raises(
        BulkError, match="no column is known to hold statements: name it with --log-text; it has a"
    ):
        run(Options((path,), tmp_path / "out"), spark)
    nested = write_json(tmp_path / "nested.jsonl", [{"payload": {"q": "SELECT a FROM t"}}])
    summary = run(Options((nested,), tmp_path / "nested", log=(("text", "payload.q"),)), spark)
    assert [str(edge) for edge in summary.extraction.edges] == [
        f"t.a -> {summary.extraction.occurrences[0].name}.a  IDENTITY"
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [("empty.jsonl", ""), ("empty.csv", ""), ("broken.jsonl", "SELECT a FROM t\n{\n")],
)
@pytest.mark.parametrize("options", [{}, {"preset": "snowflake"}, {"log": (("text", "sql"),)}])
def test_a_log_without_a_row(
    spark: Any, tmp_path: Path, name: str, text: str, options: dict[str, Any]
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(
        BulkError, match=rf"{name} has no row that can be read: it is empty, or written otherwise"
    ):
        run(Options((str(tmp_path / name),), tmp_path / "out", **options), spark)


def test_files_that_do_not_agree(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    pq.write_table(pa.table({"sql": ["SELECT a FROM t"]}), tmp_path / "log" / "1.parquet")
    pq.write_table(pa.table({"sql": [7]}), tmp_path / "log" / "2.parquet")
    with pytest.raises(BulkError, match=r"parquet"):
        run(Options((str(tmp_path / "log"),), tmp_path / "out"), spark)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("big.txt", "{}\nSELECT a FROM t\n"),
        ("big.csv", 'sql\n"{}"\nSELECT a FROM t\n'),
        ("big.jsonl", '{{"sql": "{}"}}\n{{"sql": "SELECT a FROM t"}}\n'),
        ("big.parquet", None),
    ],
)
def test_a_statement_of_50_megabytes(
    spark: Any, tmp_path: Path, name: str, written: str | None
) -> None:
    big = "SELECT " + "a+" * 25_000_000 + "a FROM t"
    if written is None:
        pq.write_table(pa.table({"sql": [big, "SELECT a FROM t"]}), tmp_path / name)
    else:
        (tmp_path / name).write_text(written.format(big))
    summary = run(Options((str(tmp_path / name),), tmp_path / "out", closure=False), spark)
    assert summary.quarantined == {TOO_LONG: 1}
    assert (summary.rows, summary.statements, summary.edges) == (2, 1, 1)


def test_a_history_is_read_as_on_one_machine(spark: Any, tmp_path: Path) -> None:
    """Without a preset: the columns tell whose history it is, and --since and --until count alike."""
    said = [
        {"QUERY_TEXT": f"insert into t{n} select a{n} from s", "EXECUTION_STATUS": status, "START_TIME": time}
        for n, (status, time) in enumerate(
            [
                ("SUCCESS", "2026-05-01 10:00:00"),
                ("FAILED_WITH_ERROR", "2026-05-02 10:00:00"),
                ("SUCCESS", "1780308000000"),
                ("SUCCESS", "2026-07-01T00:00:00+02:00"),
                ("SUCCESS", ""),
            ]
        )
    ]  # fmt: skip
    file = tmp_path / "history.json"
    file.write_text(json.dumps(said), encoding="utf-8")
    for since, until, reasons in (
        (None, None, {DID_NOT_RUN: 1}),
        ("2026-05-15", None, {DID_NOT_RUN: 1, BEFORE: 1, NO_TIME: 1}),
        ("2026-05-15", "2026-06-30T22:00:00Z", {DID_NOT_RUN: 1, BEFORE: 1, AFTER: 1, NO_TIME: 1}),
    ):
        period = make_period(since, until)
        options = Options((str(file),), tmp_path / "out", closure=False, fresh=True, period=period)
        summary = run(options, spark)
        assert summary.quarantined == reasons
        alone = load(str(file), period=period)
        assert sorted(each.text for each in alone.scripts) == sorted(
            edge_text(edge) for edge in summary.extraction.edges
        )


def edge_text(edge: Any) -> str:
    """The statement of the history above that an edge comes from."""
    return f"insert into {edge.target.dataset.name} select {edge.source.name} from s"
