"""Python that the running interpreter does not parse, cells in other languages, metaclasses: a
diagnostic at the place, and the rest is read.
"""

from __future__ import annotations

import ast
import sys

import pytest

from lineal.extract.pyspark.syntax import parse_python
from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.model.script import Corpus, Script

READ = 'spark.table("raw.b").select("x").write.saveAsTable("mart.b")\n'
EDGE = "raw.b.x -> mart.b.x"


def read(text: str, name: str = "job.py"):
    return extract(Corpus("spark", [Script(text, "python", name)], []))


def edges_of(found) -> list[str]:
    return sorted(f"{edge.source} -> {edge.target}" for edge in found.edges)


MISTAKES = {
    "a header": ("def broken(:\n    pass\n", 1),
    "a bracket that is not closed": ("x = (1,\n     2\n", 1),
    "a decorated function": ("@dlt.table\ndef broken(:\n    return 1\n", 2),
    "a block without statements": ("if x:\ny = 1\n", 1),
    "too much indentation": ("x = 1\n    y = 2\n", 2),
    "a word too many": ("x = = 1\n", 1),
    "a string that is not closed": ("x = 'a\n", 1),
    "in a function": ("def f():\n    x = = 1\n    return 2\n", 2),
    "a merge conflict": ("<<<<<<< HEAD\nx = 1\n", 1),
}


@pytest.mark.parametrize("name", list(MISTAKES))
def test_a_mistake_costs_its_statement_only(name: str) -> None:
    text, line = MISTAKES[name]
    found = read(READ.replace("mart.b", "mart.a") + text + READ)
    assert edges_of(found) == ["raw.b.x -> mart.a.x", EDGE]
    errors = [each for each in found.diagnostics if each.code is Code.PARSE_ERROR]
    assert [each.place.line for each in errors if each.place is not None] == [line + 1]
    assert "not valid Python" in errors[0].message
    assert "--dialect" not in errors[0].advice
    assert found.coverage.statements.found == 3
    assert found.coverage.statements.evaluated == 2


def test_python_2_is_read_as_python_3() -> None:
    text = (
        'print "start", 1\nx = 10L\nif x <> 3:\n    print >>log, "no"\n'
        f'try:\n    {READ}except (IOError, ValueError), e:\n    print e\n    raise IOError, "x"\n'
    )
    found = read(text)
    assert edges_of(found) == [EDGE]
    assert [each.code for each in found.diagnostics] == [Code.NEAREST_DIALECT]
    place = found.diagnostics[0].place
    assert place is not None and place.line in (1, 2)  # where the interpreter complains first


NEWER = {
    "quotes": 'c = {"t": "raw.b"}\nspark.table(f"{c["t"]}").select("x").write.saveAsTable("mart.b")\n',
    "line ends": "spark.sql(f\"select {'\\n, '.join(['x'])} from raw.b\").write.saveAsTable('mart.b')\n",
    "type parameters": f"def f[T](x: T) -> T:\n    return x\nclass C[T]:\n    pass\n{READ}",
    "type aliases": f"type Pair[T] = tuple[T, T]\n{READ}",
}


@pytest.mark.parametrize("name", list(NEWER))
def test_newer_syntax_is_read(name: str) -> None:
    found = read(NEWER[name])
    assert edges_of(found) == [EDGE]
    expected = [] if sys.version_info >= (3, 12) else [Code.NEAREST_DIALECT]
    assert [each.code for each in found.diagnostics] == expected


def test_places_stay_after_a_mistake() -> None:
    text = "x = (\n  1 1\n)\n\n" + READ
    found = parse_python(text)
    assert [node.lineno for node in found.tree.body] == [1, 5]
    assert isinstance(found.tree.body[0], ast.Pass)


def test_a_file_of_mistakes_is_given_up() -> None:
    found = parse_python("x = = 1\n" * 500)
    assert found.tree.body == []
    assert found.problems[-1].message == "the file has too many mistakes to be read"


def test_cells_in_other_languages_are_reported() -> None:
    text = (
        "# Databricks notebook source\n# MAGIC %scala\n# MAGIC val df = 1\n\n# COMMAND ----------\n\n"
        f"# MAGIC %r\n# MAGIC library(SparkR)\n\n# COMMAND ----------\n\n# MAGIC %sh ls\n\n"
        f"# COMMAND ----------\n\n{READ}"
    )
    found = read(text)
    assert edges_of(found) == [EDGE]
    told = [each for each in found.diagnostics if each.code is Code.UNSUPPORTED_STATEMENT]
    assert [each.message for each in told] == [
        "a cell is not read: it is in Scala",
        "a cell is not read: it is in R",
    ]
    assert found.coverage.statements.evaluated == 1
    assert found.coverage.statements.found == 3


def test_a_metaclass_hears_of_the_classes() -> None:
    text = (
        "class Registry(type):\n    jobs = {}\n"
        "    def __new__(mcs, name, bases, body):\n"
        "        made = super().__new__(mcs, name, bases, body)\n"
        "        mcs.jobs[name] = made\n        return made\n"
        "class Job(metaclass=Registry):\n    source = target = None\n"
        "    def run(self):\n"
        '        spark.table(self.source).select("x").write.saveAsTable(self.target)\n'
        'class B(Job):\n    source = "raw.b"\n    target = "mart.b"\n'
        "for name, job in Registry.jobs.items():\n    if job.target:\n        job().run()\n"
    )
    assert edges_of(read(text)) == [EDGE]
