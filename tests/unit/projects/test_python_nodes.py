"""Python nodes of a project: their form, their imports and their lineage."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from lineal.extract.pyspark.forms import Kind, form_of
from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Step
from lineal.projects import load

RAW = {
    "nodes/orders/orders.yml": "kind: seed\ncolumns: [{name: id, type: INT}, {name: amount, type: INT}, "
    "{name: day, type: DATE}]\n",
    "nodes/orders/orders.csv": "id,amount,day\n1,2,2024-01-01\n",
}


def project(root: Path, files: Mapping[str, str], head: str = "") -> Path:
    for name, text in {"lineal.yml": f"name: p\ndialect: spark\n{head}", **RAW, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def model(name: str, code: str, about: str = "kind: python\n") -> dict[str, str]:
    return {f"nodes/{name}/{name}.py": code, f"nodes/{name}/{name}.yml": about}


def edges(extraction: Extraction, into: str) -> set[str]:
    """a.x -> m.y of one dataset"""
    return {
        f"{edge.source} -> {edge.target}" for edge in extraction.edges if edge.into.name == into
    }


def step(corpus: Corpus, name: str) -> Step:
    (found,) = (each for each in corpus.steps if each.name == name)
    return found


# -- forms -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind", "entry"),
    [
        ("def model(dbt, session):\n    return dbt.ref('a')\n", Kind.MODEL, "model"),
        (
            "def helper(x): ...\n\ndef model(dbt, spark):\n    return spark.table('a')\n",
            Kind.MODEL,
            "model",
        ),
        (
            "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n",
            Kind.JOB,
            "",
        ),
        ("def run(spark):\n    spark.table('a').write.saveAsTable('m')\n", Kind.JOB, "run"),
        ("def build(s: 'SparkSession'):\n    return s.table('a')\n", Kind.JOB, "build"),
        ("def run(spark): ...\nrun(spark.newSession())\n", Kind.JOB, ""),
        ("def main():\n    spark.sql('select 1')\n", Kind.JOB, "main"),
        ("def a(spark): ...\ndef b(spark): ...\nspark.x\n", Kind.JOB, ""),
        ("def a(spark): ...\ndef main(spark): ...\nspark.x\n", Kind.JOB, "main"),
        ("import json\nprint(json.dumps(1))\n", Kind.OTHER, ""),
        ("def model(x):\n    return x\n", Kind.OTHER, ""),
        ("def model(dbt, session:\n", Kind.JOB, ""),
        ("", Kind.OTHER, ""),
    ],
)
def test_the_form_of_a_file(text: str, kind: Kind, entry: str) -> None:
    form = form_of(text)
    assert (form.kind, form.entry) == (kind, entry)


def test_settings_in_the_text_of_a_model_are_read() -> None:
    text = "def model(dbt, session):\n    dbt.config(materialized='incremental', unique_key=['a', 'b'], x=now())\n"
    assert form_of(text).config == {"materialized": "incremental", "unique_key": ["a", "b"]}


# -- what is traced --------------------------------------------------------------------------------


def test_a_model_makes_the_dataset_of_its_node(tmp_path: Path) -> None:
    code = (
        "def model(dbt, session):\n"
        "    df = dbt.ref('orders')\n"
        "    return df.where(df.amount > 0).select('id', (df.amount * 2).alias('twice'))\n\n"
        "if __name__ == '__main__':\n    model(None, None)\n"
    )
    corpus = load(project(tmp_path, model("doubled", code)))
    found = extract(corpus)
    assert found.diagnostics == []
    assert edges(found, "doubled") == {
        "orders.id -> doubled.id",
        "orders.amount -> doubled.twice",
        "orders.amount -> doubled",
    }
    assert (
        step(corpus, "doubled").kind == "python" and step(corpus, "doubled").materialized == "table"
    )


@pytest.mark.parametrize(
    "code",
    [
        "from pyspark.sql import SparkSession\n\ndef main():\n    spark = SparkSession.builder.getOrCreate()\n"
        "    spark.table('orders').select('id').write.mode('overwrite').saveAsTable('m')\n    spark.stop()\n\n"
        "if __name__ == '__main__':\n    main()\n",
        "def run(spark):\n    spark.sql('select id from orders').write.saveAsTable('m')\n",
        "def run(spark):\n    return spark.table('orders').select('id')\n",
        "spark.table('orders').select('id').createOrReplaceTempView('m')\n",
        "spark.sql('create or replace table m as select id from orders')\n",
        "spark.table('orders').select('id').writeTo('m').createOrReplace()\n",
    ],
)
def test_a_job_writes_the_dataset_of_its_node(tmp_path: Path, code: str) -> None:
    found = extract(load(project(tmp_path, model("m", code))))
    assert [str(each) for each in found.diagnostics] == []
    assert edges(found, "m") == {"orders.id -> m.id"}


def test_sources_settings_and_variables_are_those_of_the_project(tmp_path: Path) -> None:
    code = (
        "def model(dbt, session):\n"
        "    df = dbt.source('shop', 'orders').select(*dbt.config.get('keep'))\n"
        "    return df.withColumn(dbt.var('extra'), df[dbt.var('of', 'amount')] + 1)\n"
    )
    about = "kind: python\nconfig: {keep: [id, amount]}\n"
    found = extract(load(project(tmp_path, model("m", code, about), "vars: {extra: more}\n")))
    assert [str(each) for each in found.diagnostics] == []
    assert edges(found, "m") == {
        "orders.id -> m.id",
        "orders.amount -> m.amount",
        "orders.amount -> m.more",
    }


def test_both_branches_of_is_incremental_count(tmp_path: Path) -> None:
    for asked in ("dbt.is_incremental", "dbt.is_incremental()"):
        code = (
            "def model(dbt, session):\n"
            "    dbt.config(materialized='incremental', unique_key='id')\n"
            "    df = dbt.ref('orders').select('id', 'day')\n"
            f"    if {asked}:\n"
            "        df = df.where(f'day > (select max(day) from {dbt.this})')\n"
            "    return df\n"
        )
        corpus = load(project(tmp_path, model("m", code)))
        assert edges(extract(corpus), "m") == {
            "orders.id -> m.id",
            "orders.day -> m.day",
            "orders.day -> m",
            "m.day -> m",
        }
        assert step(corpus, "m").materialized == "incremental"
        assert step(corpus, "m").settings["unique_key"] == "id"


@pytest.mark.parametrize("between", [False, True])
def test_a_chain_of_models_knows_its_columns(tmp_path: Path, between: bool) -> None:
    """Each passes all columns on but one, and nobody lists them; every other node may be a SQL
    view.
    """
    files = {}
    for number in range(8, 0, -1):
        above = f"m{number - 1}" if number > 1 else "orders"
        code = (
            "def model(dbt, session):\n"
            f"    df = dbt.ref('{above}').drop('n{number - 1}', 'n{number - 2}')\n"
            f"    return df.selectExpr('*', '{number} as n{number}')\n"
        )
        about = "kind: python\ncolumns: [{name: id}]\n"
        files |= model(f"m{number}", code, about)
        if between and number % 2:
            files.pop(f"nodes/m{number}/m{number}.py")
            files[f"nodes/m{number}/m{number}.sql"] = (
                f"select *, {number} as n{number} from {above}"
            )
            files[f"nodes/m{number}/m{number}.yml"] = "kind: sql\n"
    files |= {"nodes/last/last.sql": "select * from m8", "nodes/last/last.yml": "kind: sql\n"}
    found = extract(load(project(tmp_path, files)))
    assert edges(found, "last") == {
        f"m8.{name} -> last.{name}" for name in ("id", "amount", "day", "n8")
    }
    assert edges(found, "m8") == {f"m7.{name} -> m8.{name}" for name in ("id", "amount", "day")}
    assert [str(each) for each in found.diagnostics] == []


# -- modules ---------------------------------------------------------------------------------------

HELPER = (
    "from pyspark.sql import functions as F\n\n\n"
    "def doubled(df, name):\n    return df.withColumn(name, F.col('amount') * 2)\n"
)
CALLER = "def model(dbt, session):\n    return doubled(dbt.ref('orders').select('id', 'amount'), 'twice')\n"


@pytest.mark.parametrize(
    ("where", "imported"),
    [
        ("modules/shared.py", "from shared import doubled"),
        ("nodes/m/shared.py", "from shared import doubled"),
        ("nodes/shared.py", "from shared import doubled"),
        ("lib/text/shared.py", "from lib.text.shared import doubled"),
        ("modules/pack/__init__.py", "from pack import doubled"),
    ],
)
def test_a_model_imports_modules_of_the_project(tmp_path: Path, where: str, imported: str) -> None:
    files = {where: HELPER, **model("m", f"{imported}\n\n\n{CALLER}")}
    corpus = load(project(tmp_path, files))
    found = extract(corpus)
    assert [str(each) for each in found.diagnostics] == []
    assert edges(found, "m") == {
        "orders.id -> m.id",
        "orders.amount -> m.amount",
        "orders.amount -> m.twice",
    }
    assert {each.name for each in found.datasets} == {"orders", "m"}
    assert [info.dataset.name for info in corpus.datasets] == ["m", "orders"]


def test_two_models_with_modules_of_one_name_import_their_own(tmp_path: Path) -> None:
    files = {
        "nodes/a/own.py": HELPER,
        "nodes/b/own.py": HELPER.replace("amount", "id"),
        **model("a", f"from own import doubled\n\n\n{CALLER}"),
        **model("b", f"from own import doubled\n\n\n{CALLER}"),
    }
    found = extract(load(project(tmp_path, files)))
    assert "orders.amount -> a.twice" in edges(found, "a")
    assert "orders.id -> b.twice" in edges(found, "b")


def test_nothing_of_a_project_is_executed(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    touch = f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n"
    code = f"{touch}\n\ndef model(dbt, session):\n    return dbt.ref('orders')\n"
    extract(load(project(tmp_path, {"modules/x.py": code, **model("m", f"import x\n{code}")})))
    assert not mark.exists()


# -- what is not traced ----------------------------------------------------------------------------


def test_other_python_reads_what_it_depends_on(tmp_path: Path) -> None:
    about = "kind: python\ndepends_on: [orders]\ncolumns: [{name: x}, {name: y}]\n"
    files = {
        **model("other", "import duckdb\n", about),
        "nodes/v/v.sql": "select * from other",
        "nodes/v/v.yml": "",
    }
    found = extract(load(project(tmp_path, files)))
    assert [(each.code, each.severity.label) for each in found.diagnostics] == [
        (Code.NOT_TRACED, "info")
    ]
    assert [str(read.dataset) for read in found.reads if read.target.name == "other"] == ["orders"]
    assert edges(found, "v") == {"other.x -> v.x", "other.y -> v.y"}
    assert found.coverage.columns.count_of("not-traced") == 2


def test_a_python_node_without_a_file_is_an_error(tmp_path: Path) -> None:
    corpus = load(project(tmp_path, {"nodes/m/m.yml": "kind: python\n"}))
    assert [(each.code, each.place.line if each.place else 0) for each in corpus.diagnostics] == [
        (Code.MISSING_PYTHON, 1)
    ]


def test_a_job_that_does_not_write_its_table_is_reported(tmp_path: Path) -> None:
    found = extract(
        load(project(tmp_path, model("m", "spark.table('orders').write.saveAsTable('n')\n")))
    )
    assert [each.code for each in found.diagnostics] == [Code.NOT_WRITTEN]


def test_broken_python_is_an_error_with_its_line(tmp_path: Path) -> None:
    found = extract(
        load(project(tmp_path, model("m", "def model(dbt, session):\n    return dbt.ref('a'\n")))
    )
    assert [(each.code, each.place.line if each.place else 0) for each in found.diagnostics] == [
        (Code.PARSE_ERROR, 2)
    ]


def test_python_next_to_a_node_is_a_module(tmp_path: Path) -> None:
    files = {
        "nodes/v/v.sql": "select id from orders",
        "nodes/v/v.yml": "kind: sql\n",
        "nodes/v/notes.py": "import os\n",
        "nodes/tools/tools.py": HELPER,
    }
    corpus = load(project(tmp_path, files))
    assert corpus.diagnostics == []
    assert sorted(each.name for each in corpus.steps) == ["orders", "v"]


def test_a_model_without_yaml_and_a_model_of_the_kind_model(tmp_path: Path) -> None:
    files = {
        "nodes/a/a.py": CALLER.replace("doubled(", "(").replace(", 'twice')", ")"),
        **model("b", CALLER, "kind: model\n"),
    }
    corpus = load(project(tmp_path, files))
    assert [each.code for each in corpus.diagnostics] == [Code.MISSING_YAML]
    assert {each.name: each.kind for each in corpus.steps} == {
        "orders": "seed",
        "a": "python",
        "b": "python",
    }
