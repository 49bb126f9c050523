"""A folder of PySpark jobs: the jobs of tests/programs, each many times under other names."""

from __future__ import annotations

import ast
from pathlib import Path

from sqlglot import parse
from sqlglot.errors import ParseError

from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.script import Corpus, Script

JOBS = Path(__file__).resolve().parent.parent / "tests" / "programs"
FILES = 1_000
SQL_CALLS = ("sql", "expr", "selectExpr", "where", "filter")
STATEMENTS = ("select", "with", "create", "insert", "drop")


def corpus() -> Corpus:
    jobs = [job.read_text(encoding="utf-8") for job in sorted(JOBS.glob("*.py"))]
    texts = [
        jobs[number % len(jobs)].replace("mart.", f"mart_{number}.") for number in range(FILES)
    ]
    scripts = [Script(text, "python", f"jobs/job_{number}.py") for number, text in enumerate(texts)]
    return Corpus("spark", scripts, schema())


FRAMEWORK = """
class Job:
    def __init__(self, spark, source, target):
        self.spark, self.source, self.target = spark, source, target
        self.options = options_of(source)
    def run(self):
        attempt = 0
        while attempt < 100:
            attempt += 1
            df = clean(self.spark.table(self.source))
            if df.isEmpty():
                continue
            df.write.mode(self.options["mode"]).saveAsTable(self.target)
def options_of(name):
    return {"mode": "append" if is_large(name) else "overwrite"}
def is_large(name):
    return len(name) > 10 or is_large_by_default(name) or is_large_by_default(name)
def is_large_by_default(name):
    return name.startswith("fact")
def clean(df):
    for name in ("a", "b", "c"):
        df = df.withColumn(name, trim(df[name]))
    return df.where("a > 1").select("a", "b", "c")
"""
"""A framework that every entry point below imports: retries, options, helpers of helpers."""

ENTRY = "from framework import Job\nJob(spark, 'raw.t{0}', 'mart.t{0}').run()\n"
ENTRIES = 200


def framework() -> Corpus:
    """Return entry points over one framework, each with tables of its own."""
    home = f"from pyspark.sql.functions import trim\n{FRAMEWORK}"
    scripts = [Script(home, "python", "framework.py")]
    for number in range(ENTRIES):
        text = "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n"
        scripts.append(Script(text + ENTRY.format(number), "python", f"jobs/job_{number}.py"))
    return Corpus("spark", scripts, [])


PANDAS_JOBS = JOBS.parent / "pandas_jobs"


def frames() -> Corpus:
    """Return a folder of pandas jobs, each many times under other names."""
    jobs = [job.read_text(encoding="utf-8") for job in sorted(PANDAS_JOBS.glob("*.py"))]
    texts = [jobs[number % len(jobs)].replace("out/", f"out_{number}/") for number in range(FILES)]
    scripts = [
        Script(text, "python", f"jobs/frame_{number}.py") for number, text in enumerate(texts)
    ]
    return Corpus("spark", scripts, [])


def schema() -> list[DatasetInfo]:
    found = []
    for line in (JOBS / "schema.txt").read_text(encoding="utf-8").splitlines():
        name, columns = line.rstrip(")").split("(", 1)
        infos = [ColumnInfo(*item.strip().split(" ", 1)) for item in columns.split(", ")]
        found.append(DatasetInfo(Dataset("", name), "table", infos, complete=True))
    return found


def parse_all(scripts: list[Script]) -> None:
    """What nobody can do without: the Python, and the SQL that stands in it."""
    for script in scripts:
        for node in ast.walk(ast.parse(script.text)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in SQL_CALLS
            ):
                for argument in node.args:
                    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                        parse_sql(argument.value)


def parse_sql(text: str) -> None:
    words = text.lower().split()
    try:
        parse(text if words and words[0] in STATEMENTS else f"SELECT {text}", dialect="spark")
    except ParseError:
        return
