"""Macros of SQLMesh in Python: interpreted, never run; what only a run knows is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.model.extraction import Extraction
from lineal.projects import load

CONFIG = "model_defaults:\n  dialect: duckdb\nvariables:\n  rate: 3\n"
HEAD = "from sqlglot import exp\nfrom sqlmesh import macro\n\n"


def project(folder: Path, macro: str, query: str) -> Extraction:
    files = {
        "config.yaml": CONFIG,
        "macros/m.py": HEAD + macro,
        "models/x.sql": f"MODEL (name s.x);\n{query}",
    }
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return extract(load(folder))


def edges(found: Extraction) -> set[str]:
    return {f"{each.source} {each.kind} {each.target}" for each in found.edges}


UNION = """
@macro()
def hub(evaluator, sources: exp.Table | exp.Tuple, key: exp.Column):
    if not isinstance(sources, exp.Tuple):
        sources = exp.Tuple(expressions=[sources])
    parts = " UNION ALL ".join(
        f"SELECT {number} AS source, {key} FROM {each}" for number, each in enumerate(sources)
    )
    where = "WHERE 1 = 1"
    if evaluator.locals.get("start_ts") and evaluator.locals.get("end_ts"):
        where = f"WHERE {key} > '{evaluator.locals['start_ts']}'"
    return f"WITH parts AS ({parts}) SELECT * FROM parts {where};"
"""
KEY = '''
@macro()
def key(evaluator, *fields: exp.Expression):
    """COALESCE(a, '-') || '|' || …"""
    parts = []
    for number, each in enumerate(fields):
        if number > 0:
            parts.append(exp.Literal.string("|"))
        parts.append(exp.func("COALESCE", exp.cast(each, exp.DataType.build("text")), "'-'"))
    return exp.func("SHA256", exp.func("CONCAT", *parts))
'''
CASES = {
    "a query out of several tables": (
        UNION,
        "@hub(sources := (raw.a, raw.b), key := k)",
        {"raw.a.k copy s.x.k", "raw.b.k copy s.x.k"},
    ),
    "one table is no tuple": (UNION, "@hub(raw.a, k)", {"raw.a.k copy s.x.k"}),
    "expressions that grow in a loop": (
        KEY,
        "SELECT @key(a, b) AS k FROM raw.t",
        {"raw.t.a transform s.x.k", "raw.t.b transform s.x.k"},
    ),
    "a case": (
        "@macro()\ndef share(evaluator, part: exp.Expression, whole: exp.Expression):\n"
        "    zero = exp.EQ(this=whole.copy(), expression=exp.Literal.number(0))\n"
        "    return exp.Case(ifs=[exp.If(this=zero, true=exp.null())],\n"
        "                    default=exp.Div(this=part, expression=whole))\n",
        "SELECT @share(SUM(a), SUM(b)) AS c FROM raw.t",
        {"raw.t.a transform s.x.c", "raw.t.b transform s.x.c"},
    ),
    "a function with a setting": (
        "@macro()\ndef digest(evaluator, fields: list):\n"
        "    parts = [exp.Coalesce(this=exp.cast(exp.Column(this=each), to='TEXT'),\n"
        "                          expressions=exp.Literal.string('-')) for each in fields]\n"
        "    joined = exp.Concat(expressions=parts)\n"
        "    return exp.SHA2(this=joined, length=exp.Literal.number(256))\n",
        "SELECT @digest([o.a, o.b]) AS k FROM raw.t AS o",
        {"raw.t.a transform s.x.k", "raw.t.b transform s.x.k"},
    ),
    "columns by name": (
        "@macro()\ndef renamed(evaluator, names: list[str]):\n"
        "    return [exp.column(name).as_(f'my_{name}') for name in names]\n",
        "SELECT @renamed(['a', 'b']) FROM raw.t",
        {"raw.t.a rename s.x.my_a", "raw.t.b rename s.x.my_b"},
    ),
    "operators and variables": (
        "@macro()\ndef scaled(evaluator, column):\n"
        "    return (column * evaluator.var('rate')).as_('c')\n",
        "SELECT @scaled(a) FROM raw.t",
        {"raw.t.a transform s.x.c"},
    ),
    "values of Python": (
        "@macro()\ndef named(evaluator, column: exp.Column, name: str, times: int = 2):\n"
        "    return f'{column} * {times + 1} AS {name.upper()}'\n",
        "SELECT @named(a, 'c') FROM raw.t",
        {"raw.t.a transform s.x.C"},
    ),
    "a helper and a constant of the file": (
        "UNIT = 100\n\ndef times(text):\n    return f'{text} * {UNIT}'\n\n"
        "@macro('cents')\ndef anything(evaluator, column):\n    return times(column)\n",
        "SELECT @cents(a) AS c FROM raw.t",
        {"raw.t.a transform s.x.c"},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_macro_writes_its_sql(tmp_path: Path, name: str) -> None:
    macro, query, expected = CASES[name]
    found = project(tmp_path, macro, query)
    selected = {each for each in edges(found) if " inspect " not in each}
    assert selected == expected
    assert not found.diagnostics


def test_a_condition_of_a_run_is_read_both_ways(tmp_path: Path) -> None:
    macro = (
        "import os\n\n@macro()\ndef chosen(evaluator):\n"
        "    if os.environ.get('FULL'):\n        return 'a'\n    return 'b'\n"
    )
    found = project(tmp_path, macro, "SELECT @chosen() AS c FROM raw.t")
    assert edges(found) == {"raw.t.a rename s.x.c", "raw.t.b rename s.x.c"}


ONLY_A_RUN = {
    "a file": "return open('/etc/hostname').read()",
    "the network": "import requests\n    return requests.get('https://x').text",
    "an expression of another syntax": "return exp.Window(this=c, partition_by=[c])",
    "code that never ends": "while True: c = c + 1\n    return c",
    "a function that is not there": "return build(c)",
}


@pytest.mark.parametrize("name", ONLY_A_RUN)
def test_a_value_that_only_a_run_knows_is_a_function_of_its_arguments(
    tmp_path: Path, name: str
) -> None:
    macro = f"@macro()\ndef odd(evaluator, c):\n    {ONLY_A_RUN[name]}\n"
    found = project(tmp_path, macro, "SELECT @odd(b) AS c, a FROM raw.t")
    assert edges(found) == {"raw.t.b transform s.x.c", "raw.t.a copy s.x.a"}
    reported = [each for each in found.diagnostics if each.code is Code.DYNAMIC]
    assert [each.place.line for each in reported if each.place] == [2]


def test_nothing_is_run(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    macro = (
        f"from pathlib import Path\nPath({str(mark)!r}).touch()\n\n"
        f"@macro()\ndef odd(evaluator, c):\n    Path({str(mark)!r}).touch()\n    return c\n"
    )
    project(tmp_path, macro, "SELECT @odd(b) AS c FROM raw.t")
    assert not mark.exists()


BUILT = """
from macros.m import recent
from sqlglot import exp
from sqlmesh import model


@model("s.built", is_sql=True)
def entry(evaluator):
    kept = []
    for name, kind in evaluator.columns_to_types("raw.seeded").items():
        if name not in {"secret"}:
            kept.append(f"{name}::{kind} AS {name}")
    return (
        exp.select(*kept)
        .from_("raw.seeded AS o")
        .join("raw.shops AS s", on="o.shop = s.id", join_type="left")
        .where(recent(evaluator, exp.to_column("day")))
        .distinct()
    )
"""


def test_a_model_that_returns_a_query(tmp_path: Path) -> None:
    macro = (
        "@macro()\ndef recent(evaluator, column):\n"
        "    return column.between(evaluator.locals['start_ds'], evaluator.locals['end_ds'])\n"
    )
    files = {
        "external_models.yaml": "- name: raw.seeded\n  columns:\n    id: int\n    shop: int\n"
        "    day: date\n    secret: text\n",
        "models/built.py": BUILT,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = project(tmp_path, macro, "SELECT id, day FROM s.built")
    assert edges(found) == {
        "raw.seeded.id transform s.built.id",
        "raw.seeded.shop transform s.built.shop",
        "raw.seeded.day transform s.built.day",
        "raw.seeded.id inspect s.built",
        "raw.seeded.shop inspect s.built",
        "raw.seeded.day inspect s.built",
        "raw.shops.id inspect s.built",
        "s.built.id copy s.x.id",
        "s.built.day copy s.x.day",
    }
    assert not found.diagnostics


def test_lists_of_arrays(tmp_path: Path) -> None:
    macro = (
        "@macro()\ndef sums(evaluator, kinds):\n"
        "    return [f'SUM({each.name}) AS {each.name}_sum' for each in kinds.expressions]\n"
    )
    query = "@DEF(kinds, ARRAY['a', 'b']);\nSELECT @sums(@kinds) FROM raw.t"
    found = project(tmp_path, macro, query)
    assert edges(found) == {"raw.t.a transform s.x.a_sum", "raw.t.b transform s.x.b_sum"}
