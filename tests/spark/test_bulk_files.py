"""Folders of scripts: the pipeline gives what a single machine gives, also after a file was
changed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from logbook import contents, facts, table

import lineal
from lineal.incremental.extraction import extract
from lineal.projects import load
from lineal.spark.pipeline import Options, resolve, run

SCRIPTS: dict[str, bytes] = {
    "a.sql": b"CREATE VIEW a AS SELECT x, y FROM raw.t WHERE z > 1;\nCREATE VIEW a2 AS SELECT * FROM a;",
    "sub/with blanks.sql": b"INSERT INTO mart.m (p, q) SELECT x, sum(y) FROM a GROUP BY x",
    "sub/two\nlines.sql": b"CREATE TABLE two AS SELECT p FROM mart.m",
    "empty.sql": b"",
    "blank.sql": b" \n;;\n-- nothing\n",
    "latin.sql": "CREATE VIEW latin AS SELECT a AS \xfc FROM t".encode("latin-1"),
    "wide.sql": "CREATE VIEW wide AS SELECT \xfc FROM t".encode("utf-16"),
    "marked.sql": "CREATE VIEW marked AS SELECT a FROM t".encode("utf-8-sig"),
    "broken.sql": b"SELECT FROM WHERE; CREATE VIEW whole AS SELECT x FROM a2",
    "bare.sql": b"SELECT x, p FROM a JOIN two ON a.x = two.p",
    "again.sql": b"CREATE TEMP TABLE tmp AS SELECT x FROM a; CREATE TABLE kept AS SELECT x FROM tmp",
    "function.sql": b"CREATE FUNCTION half(v INT) RETURNS INT RETURN v; CREATE VIEW h AS SELECT half(x) AS n FROM a",
    "quote'\".sql": b"CREATE VIEW quoted AS SELECT x FROM a2",
    "\xe4\xe9.sql": b"CREATE VIEW accented AS SELECT x FROM a2",
    "{{braces}}[1]*.sql": b"CREATE VIEW braces AS SELECT x FROM a2",
}
PROGRAMS = {
    "job.py": b'spark.table("a").withColumn("n", F.col("x") + 1).write.saveAsTable("from_job")\n',
    "latin.py": '# -*- coding: latin-1 -*-\nspark.table("a").write.saveAsTable("\xfc")\n'.encode(
        "latin-1"
    ),
    "wrong.py": b"def (:\n",
    "empty.py": b"",
}


@pytest.fixture(autouse=True)
def _few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolve, "FEWEST", 4)


def written(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def assert_as_alone(spark: Any, models: Path, out: Path, **options: Any) -> Any:
    summary = run(Options((str(models),), out, format="files", **options), spark)
    alone = extract(load(models, options.get("dialect")))
    assert facts(summary.extraction.edges) == facts(alone.edges)
    places = [edge.place for edge in alone.edges]
    assert [edge.place for edge in summary.extraction.edges] == places
    assert sorted(map(str, summary.extraction.diagnostics)) == sorted(map(str, alone.diagnostics))
    assert summary.extraction.coverage == alone.coverage
    assert summary.extraction.datasets == alone.datasets
    files = {place.file for place in places if place is not None}
    assert {row["file"] for row in table(out, "edges") if row["file"]} == files
    return summary


def test_any_names_and_bytes(spark: Any, tmp_path: Path) -> None:
    models = written(tmp_path / "models", SCRIPTS)
    summary = assert_as_alone(spark, models, tmp_path / "out")
    assert summary.edges >= 20 and summary.parsed > 4
    assert facts(summary.extraction.edges) == facts(lineal.lineage(models).edges)


def test_after_a_file_was_changed(spark: Any, tmp_path: Path) -> None:
    """Only new files are read; a view that has lost a column changes what reads it."""
    models = written(tmp_path / "models", SCRIPTS)
    assert_as_alone(spark, models, tmp_path / "out")
    again = assert_as_alone(spark, models, tmp_path / "out")
    assert again.parsed == 0
    edits = {
        "a.sql": b"CREATE VIEW a AS SELECT x, w AS v FROM raw.t;\nCREATE VIEW a2 AS SELECT * FROM a;",
        "new file.sql": b"CREATE VIEW new AS SELECT v FROM a2",
        "latin.sql": b"CREATE VIEW latin AS SELECT a AS u FROM t",
    }
    for name, data in edits.items():
        written(models, {name: data})
        assert_as_alone(spark, models, tmp_path / "out")
    (models / "sub" / "two\nlines.sql").unlink()
    assert_as_alone(spark, models, tmp_path / "out")
    assert_as_alone(spark, models, tmp_path / "whole")
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_programs_among_them(spark: Any, tmp_path: Path) -> None:
    models = written(tmp_path / "models", SCRIPTS | PROGRAMS)
    summary = assert_as_alone(spark, models, tmp_path / "out", dialect="spark")
    assert any("from_job" in str(edge.target) for edge in summary.extraction.edges)
    written(models, {"job.py": b'spark.table("a2").select("x").write.saveAsTable("other_job")\n'})
    assert_as_alone(spark, models, tmp_path / "out", dialect="spark")
    assert_as_alone(spark, models, tmp_path / "whole", dialect="spark")
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")
