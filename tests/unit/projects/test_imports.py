"""A job that is named alone brings along what it imports from its own tree."""

from __future__ import annotations

from pathlib import Path

import lineal


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


JOB = """
from helpers import clean
from steps.last import finish
clean(spark.table("raw.orders").select("id", "name")).transform(finish).write.saveAsTable("mart.orders")
"""


def test_modules_next_to_a_job_are_followed(tmp_path: Path) -> None:
    folder = written(
        tmp_path,
        {
            "job.py": JOB,
            "helpers.py": "from pyspark.sql import functions as F\nimport job\n"
            "def clean(df):\n    return df.withColumn('name', F.trim('name'))\n",
            "steps/__init__.py": "",
            "steps/last.py": "from .inner import KEPT\ndef finish(df):\n    return df.select(*KEPT)\n",
            "steps/inner.py": "KEPT = ['name']\n",
            "unrelated.py": "spark.table('a.b').write.saveAsTable('c.d')\n",
        },
    )
    found = lineal.lineage(folder / "job.py")
    assert {str(edge) for edge in found.edges} == {
        "raw.orders.name -> mart.orders.name  TRANSFORMATION"
    }


def test_a_module_that_is_broken_costs_only_itself(tmp_path: Path) -> None:
    folder = written(
        tmp_path,
        {
            "job.py": "import broken\nspark.table('a.b').select('x').write.saveAsTable('c.d')\n",
            "broken.py": "def (:\n",
        },
    )
    found = lineal.lineage(folder / "job.py")
    assert "a.b.x -> c.d.x  IDENTITY" in {str(edge) for edge in found.edges}
    assert any(str(folder / "broken.py") in str(diagnostic) for diagnostic in found.diagnostics)


SHARED = {
    "shared/tables.py": "ORDERS = 'raw.orders'\n",
    "src/lake/out.py": "def save(df):\n    df.select('id').write.saveAsTable('mart.ids')\n",
    "jobs/daily/job.py": "from shared.tables import ORDERS\nfrom lake.out import save\nsave(spark.table(ORDERS))\n",
}
NOTEBOOK = """# Databricks notebook source
# MAGIC %run {}

# COMMAND ----------
save(spark.table('raw.orders'))
"""
IDS = {"raw.orders.id -> mart.ids.id  IDENTITY"}


def test_packages_start_where_the_project_does(tmp_path: Path) -> None:
    folder = written(tmp_path, {**SHARED, "pyproject.toml": ""})
    assert {str(edge) for edge in lineal.lineage(folder / "jobs/daily/job.py").edges} == IDS


def test_without_a_project_nothing_above_is_searched(tmp_path: Path) -> None:
    folder = written(tmp_path, SHARED)
    assert {str(edge) for edge in lineal.lineage(folder / "jobs/daily/job.py").edges} != IDS


def test_a_notebook_brings_along_what_it_runs(tmp_path: Path) -> None:
    notebook = NOTEBOOK.format("./setup/common")
    folder = written(tmp_path, {"main.py": notebook, "setup/common.py": SHARED["src/lake/out.py"]})
    assert {str(edge) for edge in lineal.lineage(folder / "main.py").edges} == IDS


def test_a_notebook_outside_the_project_is_not_read(tmp_path: Path) -> None:
    notebook = NOTEBOOK.format("../common")
    folder = written(tmp_path, {"jobs/main.py": notebook, "common.py": SHARED["src/lake/out.py"]})
    assert {str(edge) for edge in lineal.lineage(folder / "jobs/main.py").edges} != IDS
