"""How a repository starts its programs: their arguments and widgets are bound where they are
written out.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from lineal.incremental.extraction import extract
from lineal.projects import load

ARGV = 'import sys\nspark.table(sys.argv[1]).select("k").write.saveAsTable(sys.argv[2])\n'
PARSED = (
    "import argparse\np = argparse.ArgumentParser()\np.add_argument('--src')\n"
    "p.add_argument('--dst')\na = p.parse_args()\n"
    "spark.table(a.src).select('k').write.saveAsTable(a.dst)\n"
)
NOTEBOOK = (
    "# Databricks notebook source\nsrc = dbutils.widgets.get('src')\n"
    "spark.table(src).select('k').write.saveAsTable(dbutils.widgets.get('dst'))\n"
)
BUNDLE = """
resources:
  jobs:
    daily:
      parameters: [{{name: dst, default: mart.s}}]
      tasks:
        - task_key: load
          {}
"""
NOTEBOOK_TASK = "notebook_task: {notebook_path: ../nb/load, base_parameters: {src: raw.s}}"
FILE_TASK = "spark_python_task: {python_file: ../nb/load.py, parameters: [raw.s, mart.s]}"
OPERATOR = (
    "from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator\n"
    "SparkSubmitOperator(task_id='t', application='jobs/job.py',\n"
    "    application_args=['--src', 'raw.s', '--dst', 'mart.s'])\n"
)

REPOSITORIES = {
    "a notebook of a bundle": {
        "conf/databricks.yml": BUNDLE.format(NOTEBOOK_TASK),
        "nb/load.py": NOTEBOOK,
    },
    "a file of a bundle": {"conf/databricks.yml": BUNDLE.format(FILE_TASK), "nb/load.py": ARGV},
    "spark-submit": {
        "run.sh": "spark-submit --master yarn \\\n  --verbose jobs/job.py raw.s mart.s\n",
        "jobs/job.py": ARGV,
    },
    "spark-submit with argparse": {
        "run.sh": "spark-submit jobs/job.py --src raw.s --dst mart.s # daily\n",
        "jobs/job.py": PARSED,
    },
    "Airflow": {"dags/daily.py": OPERATOR, "jobs/job.py": PARSED},
}


def edges_of(folder: Path, files: dict[str, str]) -> list[str]:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return [f"{edge.source} -> {edge.target}" for edge in extract(load(folder)).edges]


@pytest.mark.parametrize("name", list(REPOSITORIES))
def test_literal_arguments_are_bound(name: str, tmp_path: Path) -> None:
    assert edges_of(tmp_path, REPOSITORIES[name]) == ["raw.s.k -> mart.s.k"]


def test_a_program_that_is_started_in_two_ways_stays_open(tmp_path: Path) -> None:
    text = "spark-submit job.py raw.s mart.s\nspark-submit job.py raw.t mart.t\n"
    found = edges_of(tmp_path, {"run.sh": text, "job.py": ARGV})
    assert found == ["job.py::{1}.k -> job.py::{2}.k"]


def test_arguments_that_a_variable_holds_stay_open(tmp_path: Path) -> None:
    found = edges_of(tmp_path, {"run.sh": "spark-submit job.py $SRC mart.s\n", "job.py": ARGV})
    assert found == ["job.py::{1}.k -> job.py::{2}.k"]


SETTINGS = (
    "import configparser\nc = configparser.ConfigParser()\nc.read('conf/job.properties')\n"
    "spark.table(c['tables']['source']).select('k').write.saveAsTable(c.get('tables', 'target'))\n"
)


def test_properties_are_read(tmp_path: Path) -> None:
    text = "[tables]\nsource=raw.s\ntarget: mart.s\n"
    found = edges_of(tmp_path, {"conf/job.properties": text, "job.py": SETTINGS})
    assert found == ["raw.s.k -> mart.s.k"]


def test_missing_properties_stay_open(tmp_path: Path) -> None:
    found = edges_of(tmp_path, {"job.py": SETTINGS})
    assert len(found) == 1 and "{" in found[0]


RESOURCE = (
    "from importlib import resources\n"
    "q = resources.files('app').joinpath('sql/daily.sql').read_text()\n"
    "spark.sql(q).write.saveAsTable('mart.s')\n"
)


def test_resources_of_a_package_are_read(tmp_path: Path) -> None:
    files = {
        "src/app/__init__.py": "",
        "src/app/sql/daily.sql": "SELECT k FROM raw.s",
        "src/app/main.py": RESOURCE,
    }
    assert "raw.s.k -> mart.s.k" in edges_of(tmp_path, files)
