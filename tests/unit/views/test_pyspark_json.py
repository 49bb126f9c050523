"""The PySpark view: context, line and whether a name is dynamic belong to the place that names a
column.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import lineal

HEAD = """from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.getOrCreate()
df = spark.table("t")
"""


def shown(folder: Path, text: str, name: str = "job.py") -> dict[str, Any]:
    (folder / name).write_text(text, encoding="utf-8")
    made: dict[str, Any] = json.loads(lineal.lineage(folder / name, "spark").to("pyspark-json"))
    return made


def read(made: dict[str, Any], column: str) -> list[tuple[Any, ...]]:
    keys = ("line_number", "context", "is_dynamic", "alias")
    return [
        tuple(each[key] for key in keys)
        for each in made["columns_read"]
        if each["column_name"] == column
    ]


def written(made: dict[str, Any]) -> list[tuple[Any, ...]]:
    keys = ("table_name", "column_name", "line_number", "is_dynamic")
    return [tuple(each[key] for key in keys) for each in made["columns_written"]]


def test_each_place_has_its_own_context_line_and_name(tmp_path: Path) -> None:
    made = shown(
        tmp_path,
        HEAD + 'cols = ["a", "k"]\n'
        'df.select(cols).write.saveAsTable("x")\n'
        'df.select("a").write.saveAsTable("y")\n'
        'df.groupBy("k").agg(F.sum("a").alias("s")).write.saveAsTable("z")\n'
        'df.filter(F.col("a") > 1).select(F.col("a").alias("b")).orderBy("b").write.saveAsTable("w")\n',
    )
    assert read(made, "a") == [
        (5, "select", True, None),
        (6, "select", False, None),
        (7, "agg", False, None),
        (8, "filter", False, None),
        (8, "select", False, "b"),
    ]
    assert read(made, "k") == [(5, "select", True, None), (7, "groupby", False, None)]


def test_two_places_in_one_clause_are_two_entries(tmp_path: Path) -> None:
    made = shown(
        tmp_path,
        HEAD + 'kept = df.filter((F.col("a") > 1) & (F.col("a") < 5))\n'
        'kept = kept.filter(F.col("a") != 3)\n'
        'kept.select(F.col("a") + F.col("a")).write.saveAsTable("x")\n',
    )
    assert [each[:2] for each in read(made, "a")] == [
        (4, "filter"), (4, "filter"), (5, "filter"), (6, "select"), (6, "select"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "dynamic"),
    [
        ('df.select("a").write.saveAsTable("x")', False),
        ('df.select(["a", "b"]).write.saveAsTable("x")', False),
        ('df.select(df.a).write.saveAsTable("x")', False),
        ('df.select(df["a"]).write.saveAsTable("x")', False),
        ('df.selectExpr("a AS c").write.saveAsTable("x")', False),
        ('df.select(F.expr("a + 1")).write.saveAsTable("x")', False),
        ('df.select("*").filter("a > 1").write.saveAsTable("x")', False),
        ('spark.sql("SELECT a FROM t").write.saveAsTable("x")', False),
        ('name = "a"\ndf.select(name).write.saveAsTable("x")', True),
        ('name = "a"\ndf.select(F.col(name)).write.saveAsTable("x")', True),
        ('names = ["a"]\ndf.select(*names, "b").write.saveAsTable("x")', True),
        ('names = ["a"]\ndf.select([F.col(n) for n in names]).write.saveAsTable("x")', True),
        ('names = ["a"]\ndf.select(*names, F.col("b").alias("a2")).write.saveAsTable("x")', True),
        ('part = ""\ndf.select(f"{part}a").write.saveAsTable("x")', False),
        ('part = "a"\ndf.select(f"{part}").write.saveAsTable("x")', True),
        (
            'def pick(frame, name):\n    return frame.select(name)\npick(df, "a").write.saveAsTable("x")',
            True,
        ),
        ('keys = ["a"]\ndf.groupBy(keys).count().write.saveAsTable("x")', True),
        ('spark.table(f"{env}.t").select("a").write.saveAsTable("x")', True),
    ],
)
def test_a_name_is_dynamic_where_a_variable_holds_it(
    tmp_path: Path, text: str, dynamic: bool
) -> None:
    found = read(shown(tmp_path, HEAD + text), "a")
    assert found and {each[2] for each in found} == {dynamic}


def test_only_written_datasets_have_written_columns(tmp_path: Path) -> None:
    made = shown(
        tmp_path,
        HEAD + 'spark.sql("SELECT a FROM t")\n'
        'df.select("a").show()\n'
        'made = df.select("a", F.lit(1).alias("one"), (F.col("b") + 1).alias("c"))\n'
        "\n"
        'made.write.saveAsTable("x")\n',
    )
    assert written(made) == [("x", "a", 8, False), ("x", "one", 8, False), ("x", "c", 8, False)]
    assert made["table_lineage"]["writes"] == ["x"]


def test_each_write_has_its_own_line(tmp_path: Path) -> None:
    made = shown(
        tmp_path,
        HEAD + 'df.select("a", "b").write.saveAsTable("x")\n'
        'spark.table("u").select("a").write.mode("append").saveAsTable("x")\n'
        'df.select("c").write.saveAsTable("y")\n',
    )
    assert written(made) == [
        ("x", "a", 4, False), ("x", "b", 4, False), ("x", "a", 5, False), ("y", "c", 6, False),
    ]  # fmt: skip


def test_a_query_without_a_target_writes_nothing(tmp_path: Path) -> None:
    made = shown(tmp_path, "SELECT a, sum(b) AS s FROM t WHERE a > 1 GROUP BY a", "q.sql")
    assert made["columns_written"] == [] and made["table_lineage"]["writes"] == []
    assert [each[:2] for each in read(made, "a")] == [(1, "select"), (1, "filter"), (1, "groupby")]
    assert read(made, "b") == [(1, "agg", False, None)]
    kept = shown(tmp_path, "CREATE TABLE x AS\nSELECT a AS c, 1 AS one FROM t", "x.sql")
    assert written(kept) == [("x", "c", 1, False), ("x", "one", 1, False)]
    assert read(kept, "a") == [(2, "select", False, "c")]


def test_a_saved_lineage_says_the_same(tmp_path: Path) -> None:
    from lineal.store.saved import read_text, write_text

    text = HEAD + 'cols = ["a"]\ndf.select(cols).groupBy().agg(F.max("a")).write.saveAsTable("x")\n'
    (tmp_path / "job.py").write_text(text, encoding="utf-8")
    found = lineal.lineage(tmp_path / "job.py")
    again = lineal.Lineage(read_text(write_text(found.extraction)))
    assert again.to("pyspark-json") == found.to("pyspark-json")


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("df.select(*names)", "columns from variable 'names' (not defined in this program)"),
        ("names = load()\ndf.select(*names)", "columns from variable 'names' (what load() gives is not known)"),
        ("names = load()\ndf.groupBy(names).count()", "columns from variable 'names' (what load() gives is not known)"),
        ("names = load()\ndf.drop(*names)", "columns from variable 'names' (what load() gives is not known)"),
        ("import sys\nname = sys.argv[1]\ndf.select(F.col(name))", "a column from variable 'name' (the command line)"),
        ("import sys\nname = sys.argv[1]\ndf.select(name + '_x')", "a column from variable 'name' (the command line)"),
        ("import sys\nname = sys.argv[1]\ndf.select(f'{name}_x')", "a column from variable 'name' (the command line)"),
        ("import sys\nname = sys.argv[1]\ndf.withColumn(name, F.lit(1))",
         "a column from variable 'name' (the command line)"),
        ("given = {'cols': load()}\ndf.select(given['cols'])",
         "columns from variable 'given[\"cols\"]' (what load() gives is not known)"),
        ("import config\ndf.select(config.columns)",
         "columns from variable 'config.columns' (config is not a part of the input)"),
        ("import config\ndf.select(*config.columns)",
         "columns from variable 'config.columns' (config is not a part of the input)"),
        ("import config\ndf.filter(config.test)",
         "a condition from variable 'config.test' (config is not a part of the input)"),
        ("import config\ndf.join(df, config.keys)",
         "a join condition from variable 'config.keys' (config is not a part of the input)"),
        ("df.select([c for c in df.columns if c != 'a'])",
         "columns from variable 'df.columns' (the schema is not known)"),
        ("df.select(*load())", "columns that only a run knows (what load() gives is not known)"),
    ],
)  # fmt: skip
def test_the_note_of_a_dynamic_column_names_the_variable(
    tmp_path: Path, text: str, note: str
) -> None:
    *before, last = text.split("\n")
    made = shown(tmp_path, "\n".join([HEAD.rstrip(), *before, f'({last}).write.saveAsTable("x")']))
    (dynamic,) = made["dynamic_columns"]
    assert dynamic["note"] == note
