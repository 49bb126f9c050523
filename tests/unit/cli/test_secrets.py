"""Secrets of the input are in nothing that a command prints, writes or keeps."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from lineal.cli import main

SECRET = "Zk81xQ"

SQL = f"""
CREATE TABLE t (a INT, b TEXT);
COPY t FROM 's3a://AKIAKEY:{SECRET}@lake/in.csv' CREDENTIALS 'aws_secret_access_key={SECRET}';
CREATE TABLE raw USING jdbc OPTIONS (url 'jdbc:postgresql://h/d?user=u&password={SECRET}', password '{SECRET}');
CREATE VIEW v AS SELECT a, CASE WHEN b = 'postgresql://u:{SECRET}@h/d' THEN 1 ELSE 0 END AS c FROM t;
SELECT FROM WHERE 's3://K:{SECRET}@b';
"""

PYTHON = f"""
df = spark.read.format("jdbc").option("url", "jdbc:postgresql://h/d?user=u&password={SECRET}").option(
    "password", "{SECRET}").option("dbtable", "orders").load()
df.select("id").write.parquet("s3a://AKIAKEY:{SECRET}@lake/out")
spark.read.csv("s3a://AKIAKEY:{SECRET}@lake/in").select("x").write.saveAsTable("made")
"""

FRAMES = f"""
import pandas as pd
import polars as pl

df = pd.read_sql("SELECT a, b FROM orders", "postgresql://bob:{SECRET}@h/shop")
df.to_sql("mart", "mysql://bob:{SECRET}@h/x")
pl.read_database_uri("SELECT a FROM u", "postgres://bob:{SECRET}@h/x").write_csv("s3://K:{SECRET}@b/o.csv")
pd.read_csv("https://bob:{SECRET}@h/x.csv").to_csv("ftp://bob:{SECRET}@h/y.csv")
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LINEAL_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.sql").write_text(SQL)
    (folder / "job.py").write_text(PYTHON)
    (folder / "frames.py").write_text(FRAMES)
    return folder


@pytest.mark.parametrize(
    "arguments",
    [
        ("lineage", "{}", "--dialect", "spark"),
        ("lineage", "{}", "--dialect", "spark", "--output", "json"),
        ("lineage", "{}", "--dialect", "spark", "--output", "openlineage"),
        ("lineage", "{}", "--dialect", "spark", "--output", "mermaid"),
        ("lineage", "{}", "--dialect", "redshift", "--save", "{}/../saved.lineal.json"),
        ("emit", "{}", "--dialect", "redshift", "--describe"),
        ("show", "{}", "--dialect", "spark", "--no-open", "--out", "{}/../page.html"),
        ("store", "load", "{}", "--dialect", "spark", "--store", "{}/../store.db"),
        ("validate", "{}", "--dialect", "spark", "--output", "json"),
        ("validate", "{}", "--dialect", "spark"),
        ("validate", "{}", "--dialect", "spark", "--output", "sarif"),
        ("validate", "{}", "--dialect", "spark", "--output", "github"),
        ("unused", "{}", "--dialect", "spark", "--output", "json"),
        ("context", "v.c", "{}", "--dialect", "spark"),
        ("impact", "t.b", "{}", "--dialect", "spark"),
        ("projects", "{}"),
        ("lineage", f"postgresql://ann:{SECRET}@127.0.0.1:1/shop"),
        ("lineage", "{}", "--schema-from", f"postgresql://ann:{SECRET}@127.0.0.1:1/shop"),
        ("lineage", "{}", "--schema", f"postgresql://ann:{SECRET}@127.0.0.1:1/shop"),
    ],
)
def test_no_secret_leaves(project: Path, arguments: tuple[str, ...]) -> None:
    result = CliRunner().invoke(main, [each.format(project) for each in arguments])
    assert result.exit_code in (0, 1, 2), result.output
    assert SECRET not in result.stdout and SECRET not in result.stderr
    for file in project.parent.rglob("*"):
        if file.is_file() and project not in file.parents:
            assert SECRET.encode() not in file.read_bytes(), file


@pytest.mark.parametrize("output", ["json", "openlineage", "table", "lineagex"])
def test_literals_do_not_leave_on_request(tmp_path: Path, output: str) -> None:
    sql = "CREATE VIEW v AS SELECT CASE WHEN name = 'Mallory' THEN 4711 ELSE 0 END AS c FROM t"
    arguments = ["lineage", "-", "--output", output, "--no-cache"]
    plain = CliRunner().invoke(main, arguments, input=sql)
    redacted = CliRunner().invoke(main, [*arguments, "--redact-literals"], input=sql)
    assert redacted.exit_code == plain.exit_code == 0
    assert "Mallory" not in redacted.stdout and "4711" not in redacted.stdout
    again = CliRunner().invoke(main, arguments, input=sql)
    assert again.stdout.count("Mallory") == plain.stdout.count("Mallory")
