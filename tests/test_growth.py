"""Work grows with the size of the text: lines of lineal that are run, counted at n and at 2n.

Lines are the same on every machine, which times are not; `make bench` measures those.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import lineal
import shapes
from lineal.extract.sql.parse import parse
from lineal.extract.sql.reading import Reading
from lineal.incremental.extraction import extract
from lineal.model.script import Corpus, Script
from lineal.projects import corpus_of_text

HOME = str(Path(lineal.__file__).parent)
MOST_GROWTH = 2.1
SHAPES = {**shapes.BOUND, **shapes.OTHERS}


@pytest.mark.parametrize("name", list(SHAPES))
def test_twice_the_text_is_twice_the_work(name: str) -> None:
    shape, n = SHAPES[name]
    smaller = max(20, n // 10)
    lines_run(shape, smaller)  # what is remembered is remembered before counting
    once, twice = lines_run(shape, smaller), lines_run(shape, 2 * smaller)
    assert twice / once <= MOST_GROWTH, f"{once} lines at {smaller}, {twice} at {2 * smaller}"


IFS = {
    "tsql": (
        "CREATE PROCEDURE p AS BEGIN DECLARE @v INT = 0; {} INSERT INTO o SELECT @v AS v; END",
        "IF @x > {0} SET @v = @v + (SELECT sum(a{0}) FROM t{0});",
    ),
    "postgres": (
        "CREATE FUNCTION f() RETURNS void AS $$ DECLARE v int; BEGIN {} INSERT INTO o SELECT v; END; $$"
        " LANGUAGE plpgsql",
        "IF x > {0} THEN v := v + (SELECT sum(a{0}) FROM t{0}); END IF;",
    ),
    "bigquery": (
        "DECLARE v INT64 DEFAULT 0; {} INSERT INTO o (a) SELECT v;",
        "IF v > {0} THEN SET v = v + (SELECT sum(a{0}) FROM t{0}); END IF;",
    ),
    "mysql": (
        "CREATE PROCEDURE p() BEGIN DECLARE v INT; {} INSERT INTO o (a) SELECT v; END",
        "IF x > {0} THEN SET v = v + (SELECT sum(a{0}) FROM t{0}); END IF;",
    ),
}
SQUARE = 3.2
"""Each of n steps has the influences of all steps before: n² of them in all, next to much that is
linear. A cube is 4 and more.
"""

TABLES_THAT_CROSS = """
INSERT INTO kept SELECT * FROM found WHERE id IN (SELECT id FROM kept);
DELETE FROM found WHERE id IN (SELECT id FROM kept);"""

LOOPS = (
    "CREATE FUNCTION f() RETURNS void AS $$ DECLARE v int; BEGIN {} INSERT INTO o SELECT v; END; $$"
    " LANGUAGE plpgsql"
)

CIRCLE = "CREATE VIEW v{} AS SELECT x.a, y.b FROM v{} x JOIN v{} y ON x.a = y.a"
LAW = {
    **{
        f"variables that grow, {dialect}": (
            lambda n, whole=whole, step=step: whole.format(" ".join(map(step.format, range(n)))),
            dialect,
            60,
            2.1,
        )
        for dialect, (whole, step) in IFS.items()
    },
    "loops one after the other": (
        lambda n: LOOPS.format(
            "".join(f"WHILE v < {i} LOOP v := v + (SELECT max(a{i}) FROM t{i}); END LOOP; " for i in range(n))
        ),
        "postgres", 60, 2.1,
    ),
    "assignments one after the other": (
        lambda n: LOOPS.format("".join(f"v := v + (SELECT max(a{i}) FROM t{i}); " for i in range(n))),
        "postgres", 60, 2.1,
    ),
    "branches in one loop": (
        lambda n: LOOPS.format(
            "WHILE v < 9 LOOP "
            + "".join(f"IF v > {i} THEN v := v + (SELECT max(a{i}) FROM t{i}); END IF; " for i in range(n))
            + "END LOOP; "
        ),
        "postgres", 60, 2.1,
    ),
    "statements between assignments": (
        lambda n: LOOPS.format(
            "IF v > 1 THEN v := v + (SELECT max(a) FROM t); END IF; INSERT INTO o SELECT v; " * n
        ),
        "postgres", 60, 2.1,
    ),
    "variables in a circle": (
        lambda n: (
            "CREATE FUNCTION f() RETURNS void AS $$ DECLARE "
            + "".join(f"v{i} int; " for i in range(n + 1)) + "BEGIN WHILE v0 < 3 LOOP "
            + "".join(f"v{i + 1} := v{i} + (SELECT sum(a{i}) FROM t{i}); " for i in range(n))
            + f"v0 := v{n}; END LOOP; INSERT INTO o SELECT v0; END; $$ LANGUAGE plpgsql"
        ),
        "postgres", 24, 2.1,
    ),
    "fields of a record": (
        lambda n: LOOPS.replace("v int", "v int; r record").format(
            "SELECT 1 AS a INTO r; "
            + "".join(f"IF v > {i} THEN r.a := r.a + (SELECT max(a{i}) FROM t{i}); END IF; " for i in range(n))
            + "v := r.a; "
        ),
        "postgres", 20, SQUARE,
    ),
    "tables that cross": (
        lambda n: (
            "DROP TABLE IF EXISTS found; CREATE TABLE found (id int, b int); DROP TABLE IF EXISTS kept;"
            "CREATE TABLE kept (LIKE found); INSERT INTO found SELECT id, b FROM s WHERE d > 1;"
            + TABLES_THAT_CROSS * n + "INSERT INTO o SELECT id, b FROM found; DROP TABLE found; DROP TABLE kept;"
        ),
        "postgres", 40, 2.1,
    ),
    "loops in loops": (
        lambda n: LOOPS.format(
            "WHILE v < 10 LOOP " * n + "v := v + (SELECT max(a) FROM t); " + "END LOOP; " * n
        ),
        "postgres", 10, 2.1,
    ),
    "loops in loops that each assign": (
        lambda n: LOOPS.format(
            "".join(f"WHILE v < {i} LOOP v := v + (SELECT max(a{i}) FROM t{i}); " for i in range(n))
            + "END LOOP; " * n
        ),
        "postgres", 24, 2.15,
    ),
    "loops over rows in loops over rows": (
        lambda n: LOOPS.format(
            "".join(f"FOR r{i} IN SELECT a{i} FROM t{i} LOOP " for i in range(n))
            + "v := v + r0.a0; " + "END LOOP; " * n
        ),
        "postgres", 10, SQUARE,
    ),
    "updates of one table that nothing declares": (
        lambda n: "".join(f"UPDATE t SET a = u{i}.a FROM u{i} WHERE t.k = u{i}.k;" for i in range(n)),
        "postgres", 150, 2.1,
    ),
    "deletes from one table that nothing declares": (
        lambda n: "".join(f"DELETE FROM t USING u{i} WHERE t.k = u{i}.k;" for i in range(n)),
        "postgres", 150, 2.1,
    ),
    "updates of one temporary table": (
        lambda n: "CREATE TEMP TABLE x AS SELECT a, b FROM s;"
        + "".join(f"UPDATE x SET a = a + (SELECT max(c{i}) FROM t{i});" for i in range(n))
        + "INSERT INTO o SELECT a FROM x;",
        "postgres", 80, 2.1,
    ),
    "updates with joins of one temporary table": (
        lambda n: "SELECT a, b INTO #x FROM s;\n"
        + "".join(f"UPDATE #x SET a = a + t{i}.c FROM #x JOIN t{i} ON t{i}.k = #x.b;\n" for i in range(n))
        + "INSERT INTO o SELECT a FROM #x;",
        "tsql", 80, 2.1,
    ),
    "deletes of one temporary table": (
        lambda n: "CREATE TEMP TABLE x AS SELECT a, b FROM s;"
        + "".join(f"DELETE FROM x WHERE a IN (SELECT c{i} FROM t{i});" for i in range(n))
        + "INSERT INTO o SELECT a FROM x;",
        "postgres", 80, 2.1,
    ),
    "merges into one temporary table": (
        lambda n: "CREATE TEMP TABLE x AS SELECT a, b FROM s;"
        + "".join(
            f"MERGE INTO x USING t{i} ON x.a = t{i}.a WHEN MATCHED THEN UPDATE SET b = x.b + t{i}.b;"
            for i in range(n)
        )
        + "INSERT INTO o SELECT a, b FROM x;",
        "snowflake", 80, 2.1,
    ),
    "arrays of one table, joined": (
        lambda n: "SELECT " + ", ".join(f"x{i}.a AS a{i}" for i in range(n)) + " FROM t"
        + "".join(f" CROSS JOIN UNNEST(arr{i}) AS x{i}" for i in range(n)),
        "bigquery", 40, 2.1,
    ),
    "arrays of one table, listed": (
        lambda n: "SELECT " + ", ".join(f"u{i}" for i in range(n)) + " FROM t"
        + "".join(f", unnest(t.arr{i}) AS u{i}" for i in range(n)),
        "postgres", 40, 2.1,
    ),
    "arrays in lateral views": (
        lambda n: "SELECT " + ", ".join(f"a{i}" for i in range(n)) + " FROM t"
        + "".join(f" LATERAL VIEW explode(arr{i}) x{i} AS a{i}" for i in range(n)),
        "spark", 40, 2.1,
    ),
    "arrays in arrays": (
        lambda n: f"SELECT x{n - 1}.a FROM t, UNNEST(t.arr) AS x0"
        + "".join(f", UNNEST(x{i - 1}.arr) AS x{i}" for i in range(1, n)),
        "bigquery", 40, 2.1,
    ),
    "columns that are added and filled in turns": (
        lambda n: "CREATE TABLE t (a int, k int);"
        + "".join(
            f"ALTER TABLE t ADD COLUMN b{i} int; UPDATE t SET b{i} = s.x{i} FROM s WHERE s.k = t.k;"
            for i in range(n)
        ),
        "postgres", 40, 2.3,
    ),
    "columns of a star that are replaced": (
        lambda n: "SELECT * REPLACE (" + ", ".join(f"a{i} + 1 AS a{i}" for i in range(n)) + ") FROM (SELECT "
        + ", ".join(f"a{i}" for i in range(n)) + " FROM t)",
        "bigquery", 80, 2.1,
    ),
    "joins by one key": (
        lambda n: "SELECT k, " + ", ".join(f"v{i}" for i in range(n)) + " FROM t"
        + "".join(f" JOIN (SELECT k, v{i} FROM s{i}) x{i} USING (k)" for i in range(n)),
        "postgres", 40, 2.1,
    ),
    "joins by a key of their own": (
        lambda n: "SELECT " + ", ".join(f"v{i}" for i in range(n))
        + " FROM (SELECT " + ", ".join(f"k{i}" for i in range(n)) + " FROM t) t"
        + "".join(f" LEFT JOIN (SELECT k{i}, v{i} FROM s{i}) x{i} USING (k{i})" for i in range(n)),
        "postgres", 40, 2.1,
    ),
    "natural joins": (
        lambda n: "SELECT k, " + ", ".join(f"v{i}" for i in range(n)) + " FROM (SELECT k, a FROM t) t"
        + "".join(f" NATURAL JOIN (SELECT k, v{i} FROM s{i}) x{i}" for i in range(n)),
        "postgres", 40, 2.1,
    ),
    "branches of INSERT ALL": (
        lambda n: "INSERT ALL " + " ".join(f"WHEN k = {i} THEN INTO t{i} (x) VALUES (a)" for i in range(n))
        + " ELSE INTO u (x) VALUES (a) SELECT a, k FROM s",
        "oracle", 80, 2.1,
    ),
    "columns of INSERT ALL": (
        lambda n: "INSERT ALL " + " ".join(f"INTO t{i} (x) VALUES (a{i})" for i in range(n))
        + " SELECT " + ", ".join(f"a{i}" for i in range(n)) + " FROM s",
        "snowflake", 60, 2.1,
    ),
    "columns that are all added, then filled": (
        lambda n: "CREATE TABLE t (a int);" + "".join(f"ALTER TABLE t ADD COLUMN b{i} int;" for i in range(n))
        + "".join(f"UPDATE t SET b{i} = a;" for i in range(n)),
        "postgres", 60, 2.4,
    ),
    "fields of one struct": (
        lambda n: "SELECT STRUCT(" + ", ".join(f"a{i} AS f{i}" for i in range(n)) + ") AS s FROM t",
        "bigquery", 200, 2.1,
    ),
    "arrays that are joined at once": (
        lambda n: "SELECT " + ", ".join(f"x{i}" for i in range(n)) + " FROM t ARRAY JOIN "
        + ", ".join(f"a{i} AS x{i}" for i in range(n)),
        "clickhouse", 80, 2.1,
    ),
    "full joins by one key": (
        lambda n: "SELECT id FROM t" + "".join(f" FULL JOIN t{i} USING (id)" for i in range(n)),
        "postgres", 400, 2.8,
    ),
    "branches of INSERT FIRST": (
        lambda n: "INSERT FIRST " + " ".join(f"WHEN k = {i} THEN INTO t{i} (x) VALUES (a)" for i in range(n))
        + " ELSE INTO u (x) VALUES (a) SELECT a, k FROM s",
        "oracle", 80, 2.1,
    ),
    "parentheses that nothing closes": (lambda n: "SELECT " + "f(" * n + "a FROM t", "postgres", 100, 2.1),
    "statements that do not parse": (
        lambda n: ";\n".join(f"SELECT FROM WHERE {i} GROUP" for i in range(n)), None, 200, 2.1,
    ),
    "views in circles": (
        lambda n: ";\n".join(CIRCLE.format(i, (i + 1) % n, (i + 7) % n) for i in range(n)), None, 120, 2.4,
    ),
    "CTEs that each write": (
        lambda n: "WITH " + ", ".join(f"i{i} AS (INSERT INTO t{i} SELECT a FROM s{i} RETURNING a)" for i in range(n))
        + " SELECT " + ", ".join(f"i{i}.a" for i in range(n)) + " FROM " + ", ".join(f"i{i}" for i in range(n)),
        "postgres", 40, 2.1,
    ),
    "procedures of a package, with cursors": (
        lambda n: "CREATE PACKAGE BODY pk AS "
        + "".join(
            f"CURSOR c{i} IS SELECT a, b FROM s{i}; PROCEDURE p{i} IS BEGIN FOR r IN c{i} LOOP "
            f"INSERT INTO t{i} (x, y) VALUES (r.a, r.b); END LOOP; END; "
            for i in range(n)
        )
        + "END pk;",
        "oracle", 30, 2.1,
    ),
    "labels of BTEQ": (
        lambda n: "".join(
            f".IF ERRORCODE <> 0 THEN .GOTO L{i}\nINSERT INTO t{i} SELECT a FROM s{i};\n.LABEL L{i}\n"
            for i in range(n)
        ),
        "teradata", 60, 2.1,
    ),
    "branches of psql": (
        lambda n: "".join(
            f"\\if :x{i}\nINSERT INTO t{i} SELECT a FROM s{i};\n\\else\nINSERT INTO t{i} SELECT b FROM r{i};\n\\endif\n"
            for i in range(n)
        ),
        "postgres", 60, 2.1,
    ),
    "columns of UNPIVOT": (
        lambda n: "SELECT * FROM (SELECT k, " + ", ".join(f"c{i}" for i in range(n))
        + " FROM t) UNPIVOT (v FOR m IN (" + ", ".join(f"c{i}" for i in range(n)) + "))",
        "snowflake", 100, 2.1,
    ),
    "temporary views of Spark, each over the one before": (
        lambda n: "CREATE TEMPORARY VIEW v0 AS SELECT a, b FROM s; "
        + "".join(f"CREATE TEMPORARY VIEW v{i} AS SELECT a + {i} AS a, b FROM v{i - 1}; " for i in range(1, n))
        + f"INSERT INTO o SELECT * FROM v{n - 1};",
        "spark", 60, 2.1,
    ),
    "CTEs that each unite": (
        lambda n: "WITH c0 AS (SELECT a, b FROM t)"
        + "".join(f", c{i} AS (SELECT a, b FROM c{i - 1} UNION SELECT x, y FROM t{i})" for i in range(1, n))
        + f" SELECT * FROM c{n - 1}",
        None, 300, 2.5,
    ),
}  # fmt: skip
"""Texts of size n, their dialect, a size, and how much more work twice of it may be."""


@pytest.mark.parametrize("name", list(LAW))
def test_growth_of_scripts(name: str) -> None:
    make, dialect, n, most = LAW[name]
    work_of(make(n), dialect)
    once, twice = work_of(make(n), dialect), work_of(make(2 * n), dialect)
    assert twice / once <= most, f"{once} lines at {n}, {twice} at {2 * n}"


def work_of(text: str, dialect: str | None) -> int:
    return count_lines(lambda: extract(corpus_of_text({"result": text}, dialect, {})))


SHARED_NAMES = {
    "that differ": "a{0} INT, b{0} INT, c{0} INT, id INT",
    "that agree": "id INT, a INT, b INT, c{0} INT",
    "that are the same": "id INT, a INT",
}


@pytest.mark.parametrize("name", list(SHARED_NAMES))
def test_one_name_in_many_folders(name: str) -> None:
    """Each folder declares `customer`, and reads it."""

    def read(n: int) -> int:
        scripts = [
            Script(text, "postgres", f"teams/f{number}/{file}.sql")
            for number in range(n)
            for file, text in (
                ("ddl", f"CREATE TABLE customer ({SHARED_NAMES[name].format(number)})"),
                ("view", f"CREATE VIEW v{number} AS SELECT id FROM customer"),
            )
        ]
        return count_lines(lambda: extract(Corpus("postgres", scripts)))

    read(40)
    assert read(160) / read(80) <= 2.1


def diamond(n: int) -> str:
    """Each function calls the one below it twice, with the same values."""
    steps = [f"def f{i}(x):\n    return f{i - 1}(x) + f{i - 1}(x)\n" for i in range(1, n)]
    return "def f0(x):\n    return len(x)\n" + "".join(steps) + f"y = f{n - 1}('a')\n"


def recursion(n: int) -> str:
    """Functions that call themselves on what only a run knows."""
    return "".join(
        f"def walk{i}(node):\n    if node.left:\n        return walk{i}(node) + walk{i}(node)\n"
        f"    return 1\nwalk{i}(load())\n"
        for i in range(n)
    )


def rounds(n: int) -> str:
    """Loops that try again and again, and change nothing but a number."""
    return "".join(f"i = 0\nwhile i < 1000:\n    i += 1\n    step{i} = load(i)\n" for i in range(n))


def branches(n: int) -> str:
    """Branches one after the other, of which only a run knows which is taken."""
    return "".join(f"if flag({i}):\n    a{i} = 1\nelse:\n    a{i} = 2\n" for i in range(n))


def entries(n: int) -> str:
    """Functions that nobody calls, each over the same helper."""
    steps = [
        f'def job{i}(spark):\n    clean(spark.table("t{i}")).write.saveAsTable("u{i}")\n'
        for i in range(n)
    ]
    return 'def clean(df):\n    return df.select("a", "b").where("c > 1")\n' + "".join(steps)


def views(n: int) -> str:
    """Views of SQL in texts, each read by another text."""
    made = [f"spark.sql('SELECT a FROM t{i}').createOrReplaceTempView('v{i}')\n" for i in range(n)]
    return "".join(made) + "".join(
        f"spark.sql('INSERT INTO o{i} SELECT a FROM v{i}')\n" for i in range(n)
    )


def merges(n: int) -> str:
    """A frame of pandas that is merged with itself again and again."""
    return (
        "import pandas as pd\ndf = pd.read_csv('a.csv')\n"
        f"for i in range({n}):\n    df = df.merge(df, on='k')\ndf.to_csv('o.csv')\n"
    )


def sums(n: int) -> str:
    """An expression of Polars that is added to itself again and again."""
    return (
        "import polars as pl\ns = pl.col('c')\n"
        f"for i in range({n}):\n    s = s + s\n"
        "pl.read_csv('a.csv').with_columns(c=s).write_csv('o.csv')\n"
    )


def columns_of_spark(n: int) -> str:
    """Columns that are added one by one to a table of which nothing is known."""
    return (
        'from pyspark.sql import functions as F\ndf = spark.table("s")\n'
        + "".join(f'df = df.withColumn("c{i}", F.col("a") + F.col("b{i}"))\n' for i in range(n))
        + 'df.write.saveAsTable("o")\n'
    )


def arms_of_spark(n: int) -> str:
    """A CASE expression that is written with many calls of when."""
    arms = "".join(f'.when(F.col("a{i}") > {i}, F.col("b{i}"))' for i in range(n))
    return (
        "from pyspark.sql import functions as F\n"
        f'spark.table("s").withColumn("x", F{arms}).write.saveAsTable("o")\n'
    )


def columns_of_pandas(n: int) -> str:
    """Columns that are set one by one."""
    return (
        "import pandas as pd\ndf = pd.read_csv('a.csv')\n"
        + "".join(f"df['c{i}'] = df['a'] + df['b{i}']\n" for i in range(n))
        + "df.to_csv('o.csv')\n"
    )


def assigns_of_pandas(n: int) -> str:
    """Columns that are assigned one by one, each from the current frame."""
    return (
        "import pandas as pd\ndf = pd.read_csv('a.csv')\n"
        + "".join(f"df = df.assign(c{i}=lambda d: d['a'] + {i})\n" for i in range(n))
        + "df.to_csv('o.csv')\n"
    )


def columns_of_polars(n: int) -> str:
    """Columns that are added one by one."""
    return (
        "import polars as pl\ndf = pl.read_csv('a.csv')\n"
        + "".join(f"df = df.with_columns(c{i}=pl.col('a') + pl.col('b{i}'))\n" for i in range(n))
        + "df.write_csv('o.csv')\n"
    )


def joins_of_polars(n: int) -> str:
    """Joins with frames of unknown columns."""
    return (
        "import polars as pl\ndf = pl.scan_csv('a.csv')\n"
        + "".join(f"df = df.join(pl.scan_csv('u{i}.csv'), on='k')\n" for i in range(n))
        + "df.sink_csv('o.csv')\n"
    )


PROGRAM_SHAPES = {
    "joins of Polars": (joins_of_polars, 16, 2.1),
    "columns of Spark, one by one": (columns_of_spark, 60, 2.05),
    "arms of one CASE": (arms_of_spark, 40, 2.1),
    "columns of pandas, one by one": (columns_of_pandas, 40, 2.1),
    "columns of pandas, assigned": (assigns_of_pandas, 40, 2.1),
    "columns of Polars, one by one": (columns_of_polars, 60, 2.05),
    "merges of a frame with itself": (merges, 24, 2.3),
    "sums of an expression with itself": (sums, 30, 2.3),
    "views of texts": (views, 40, 2.3),
    "calls in diamonds": (diamond, 18, 2.3),
    "recursion on the unknown": (recursion, 12, 2.3),
    "rounds that change nothing": (rounds, 12, 2.4),
    "branches one after the other": (branches, 40, 4.2),
    "entry points over one helper": (entries, 30, 2.3),
}
"""Programs of size n, a size, and how much more work twice of it may be.

After a branch the names of both sides are compared, so n branches over n names are n² comparisons.
"""


@pytest.mark.parametrize("name", list(PROGRAM_SHAPES))
def test_growth_of_programs(name: str) -> None:
    make, n, most = PROGRAM_SHAPES[name]
    work_of_program(make(n))
    once, twice = work_of_program(make(n)), work_of_program(make(2 * n))
    assert twice / once <= most, f"{once} lines at {n}, {twice} at {2 * n}"


def work_of_program(text: str) -> int:
    job = 'spark.table("t").select("a").write.saveAsTable("u")\n'
    corpus = Corpus("spark", [Script(text + job, "python", "job.py")])
    return count_lines(lambda: extract(corpus))


TYPE_CALLS = {
    "clickhouse": "STRUCT", "bigquery": "STRUCT", "trino": "ROW", "tsql": "DATE", "spark": "DATE", "duckdb": "VARCHAR",
    "postgres": "CHAR", "snowflake": "DATE",
}  # fmt: skip


@pytest.mark.parametrize("dialect", TYPE_CALLS)
def test_calls_that_are_named_like_types_do_not_double_the_time_with_each_level(
    dialect: str,
) -> None:
    call = TYPE_CALLS[dialect]
    query = f"SELECT {f'{call}(' * 80}a{')' * 80} AS x FROM t"
    found = lineal.lineage({"v": query}, dialect)
    assert [str(edge) for edge in found.edges] == ["t.a -> v.x  TRANSFORMATION"]
    assert not found.diagnostics


STEPS = {
    "SET": " |> SET a = a + b{}",
    "DROP": " |> DROP a{}",
    "RENAME": " |> RENAME a{0} AS c{0}",
    "SELECT": " |> SELECT a, b + {0} AS b",
    "JOIN": " |> AS x{0} |> JOIN u{0} ON x{0}.k = u{0}.k |> SELECT x{0}.k, x{0}.v + u{0}.v AS v",
}


@pytest.mark.parametrize("step", STEPS)
def test_the_parser_does_not_copy_all_steps_of_a_pipe_for_the_next_one(step: str) -> None:
    def read(n: int) -> int:
        text = "FROM t" + "".join(map(STEPS[step].format, range(n)))
        return count_calls(lambda: parse(Reading(Script(text, "bigquery"))))

    read(20)
    assert read(80) / read(40) <= 2.3


def test_a_log_with_stray_quotes(tmp_path: Path) -> None:
    def read(n: int) -> int:
        log = tmp_path / "queries.csv"
        log.write_text(
            "query_text\n" + "".join(f'SELECT "a FROM t{i}\n' for i in range(n)), "utf-8"
        )
        return count_lines(lambda: lineal.lineage(log, log={"text": "query_text"}))

    read(100)
    assert read(200) / read(100) <= 2.2


def lines_run(shape: shapes.Shape, n: int) -> int:
    sql, schema = shape(n)
    corpus = corpus_of_text({"result": sql}, None, schema)
    found: list[Any] = []
    count = count_lines(lambda: found.append(extract(corpus)))
    assert found[0].edges
    return count


def count_lines(work: Callable[[], Any]) -> int:
    """The lines of lineal that are run."""
    count = 0

    def each_line(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return each_line

    def each_call(frame: FrameType, event: str, argument: Any) -> Any:
        return each_line if frame.f_code.co_filename.startswith(HOME) else None

    before = sys.gettrace()
    sys.settrace(each_call)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def count_calls(work: Callable[[], Any]) -> int:
    """The calls of all functions, those of libraries included."""
    count = 0

    def each_call(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(each_call)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count
