"""Tables of catalogs: to change single rows gives the edges of the statement, not of Spark's
rewriting of it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from changes import (
    STATEMENTS,
    assert_gives,
    by_the_merge,
    by_the_program,
    by_the_text,
    make,
    merge_by_frame,
    program,
    statement,
)  # fmt: skip

HERE = Path(__file__).parent
KINDS = ("groups", "rows", "split")
"""How a table takes changes: whole groups again, rows that are updated, or rows that are deleted and
inserted
"""


@pytest.fixture(scope="module")
def changeable(spark, tmp_path_factory):
    """A catalog of tables that can change single rows: the smallest that Spark takes, compiled
    here.
    """
    home = os.environ.get("JAVA_HOME")
    compiler = shutil.which("javac", path=f"{home}/bin" if home else None)
    if compiler is None:
        pytest.skip("no Java compiler")
    import pyspark

    folder = tmp_path_factory.mktemp("changeable")
    jars = str(Path(os.environ.get("SPARK_HOME") or pyspark.__path__[0]) / "jars" / "*")
    source = str(HERE / "java" / "ChangeableCatalog.java")
    subprocess.run(
        [compiler, "-nowarn", "-cp", jars, "-d", str(folder), source], check=True, timeout=300
    )
    jar = folder / "changeable.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for made in folder.glob("*.class"):
            archive.write(made, made.name)
    spark.sql(f"ADD JAR '{jar}'")
    spark.conf.set("spark.sql.catalog.lake", "ChangeableCatalog")
    return spark


@pytest.mark.parametrize("kind", KINDS)
def test_a_statement_gives_the_edges_of_its_text(changeable, kind):
    tables, using = f"lake.{kind}", f"TBLPROPERTIES ('changes' = '{kind}')"
    make(changeable, tables, using)
    told = {name: statement(changeable, name, tables, using) for name in STATEMENTS}
    assert {name: facts for name, (facts, _) in told.items()} == {
        name: by_the_text(name, tables, using) for name in STATEMENTS
    }
    assert {name: problems for name, (_, problems) in told.items() if problems} == {}


@pytest.mark.parametrize("kind", KINDS)
def test_a_field_that_is_set_leaves_the_others_as_they_were(changeable, kind):
    table, using = f"lake.{kind}.fields", f"TBLPROPERTIES ('changes' = '{kind}')"
    make(changeable, f"lake.{kind}", using)
    changeable.sql(f"DROP TABLE IF EXISTS {table}")
    changeable.sql(
        f"CREATE TABLE {table} (id BIGINT, s STRUCT<a: BIGINT, b: STRING, c: STRING>) {using}"
    )
    merge = f"""MERGE INTO {table} t USING lake.{kind}.seen n ON t.id = n.id
        WHEN MATCHED THEN UPDATE SET t.s.b = n.k, t.s.a = n.n + 1"""
    for statement_, expected in {
        merge: {
            f"lake.{kind}.seen.k -> {table}.s  TRANSFORMATION",
            f"lake.{kind}.seen.n -> {table}.s  TRANSFORMATION",
            f"lake.{kind}.seen.id => {table}  JOIN",
            f"{table}.id => {table}  JOIN",
        },
        f"UPDATE {table} SET s.b = upper(s.c)": {f"{table}.s.c -> {table}.s  TRANSFORMATION"},
    }.items():
        assert_gives(changeable, lambda text=statement_: changeable.sql(text), expected)


def test_a_program_writes_in_every_way(changeable):
    make(changeable, "lake.program")
    assert_gives(
        changeable, lambda: program(changeable, "lake.program"), by_the_program("lake.program")
    )


def test_a_frame_is_merged(changeable):
    make(changeable, "lake.frames")
    assert_gives(
        changeable, lambda: merge_by_frame(changeable, "lake.frames"), by_the_merge("lake.frames")
    )


def test_a_database_is_a_catalog(spark):
    url = "jdbc:derby:memory:catalog;create=true"
    driver = "org.apache.derby.iapi.jdbc.AutoloadedDriver"
    settings = {
        "": "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog",
        ".url": url,
        ".driver": driver,
    }
    for setting, value in settings.items():
        spark.conf.set(f"spark.sql.catalog.derby{setting}", value)
    there = "derby.APP"
    for table, columns in {
        "IN_ROWS": "(ID BIGINT, N BIGINT)",
        "OUT_ROWS": "(ID BIGINT, N BIGINT)",
    }.items():
        spark.sql(f"CREATE TABLE {there}.{table} {columns}")

    def write():
        spark.sql(f"INSERT INTO {there}.OUT_ROWS SELECT ID, N + 1 FROM {there}.IN_ROWS WHERE N > 1")
        spark.sql(f"CREATE TABLE {there}.MADE_ROWS AS SELECT N AS M FROM {there}.OUT_ROWS")
        spark.table(f"{there}.IN_ROWS").writeTo(f"{there}.OUT_ROWS").append()
        spark.table(f"{there}.MADE_ROWS").write.mode("overwrite").jdbc(
            url, "PLAIN_ROWS", properties={"driver": driver}
        )

    edges = {
        f"{there}.IN_ROWS.ID -> {there}.OUT_ROWS.ID  IDENTITY",
        f"{there}.IN_ROWS.N -> {there}.OUT_ROWS.N  IDENTITY, TRANSFORMATION",
        f"{there}.IN_ROWS.N => {there}.OUT_ROWS  FILTER",
        f"{there}.OUT_ROWS.N -> {there}.MADE_ROWS.M  IDENTITY",
        f"{there}.MADE_ROWS.M -> PLAIN_ROWS.M  IDENTITY",
    }
    assert_gives(spark, write, edges)
