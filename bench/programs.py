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
