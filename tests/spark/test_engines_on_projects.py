"""`--engine both` over projects: a Python model makes columns of unknown type, and dbt's SQL has
whole names.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lineal.model.diagnostic import Severity
from lineal.projects import load
from lineal.spark.plan_lineage import compare_with_spark

PYTHON_BETWEEN = {
    "lineal.yml": "name: shop\ndialect: spark\n",
    "nodes/raw/raw.yml": "kind: seed\ncolumns: [{name: id, data_type: INT}, {name: amount, data_type: DOUBLE}]\n",
    "nodes/raw/raw.csv": "id,amount\n1,2.5\n",
    "nodes/totals/totals.yml": "kind: python\n",
    "nodes/totals/totals.py": (
        "from pyspark.sql import functions as F\n\n\n"
        "def model(dbt, session):\n"
        '    grouped = dbt.ref("raw").groupBy("id")\n'
        '    return grouped.agg(F.sum("amount").alias("total"), F.max("amount").alias("most"))\n'
    ),
    "nodes/rest/rest.yml": "kind: sql\n",
    "nodes/rest/rest.sql": "SELECT id, total - most AS rest FROM totals\n",
    "nodes/twice/twice.yml": "kind: sql\n",
    "nodes/twice/twice.sql": "SELECT rest * 2 AS twice FROM rest\n",
}
DBT = {
    "dbt_project.yml": "name: tiny\nversion: '1'\nprofile: none\n",
    "seeds/raw_items.csv": "item,price,qty\na,1.5,2\n",
    "models/stg_items.sql": "select i.item, price * qty as worth from {{ ref('raw_items') }} as i\n",
    "models/best.sql": "select item from {{ ref('stg_items') }} where worth > 1\n",
}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def complaints(folder: Path, spark: Any) -> list[str]:
    found = compare_with_spark(load(folder, None), spark)
    return [str(each) for each in found.diagnostics if each.severity is not Severity.INFO]


def test_spark_computes_with_columns_of_a_python_model(tmp_path: Path, spark: Any) -> None:
    before = spark.conf.get("spark.sql.ansi.enabled")
    assert complaints(write(tmp_path, PYTHON_BETWEEN), spark) == []
    assert spark.conf.get("spark.sql.ansi.enabled") == before


def test_a_known_type_is_checked_against_its_use(tmp_path: Path, spark: Any) -> None:
    files = {**PYTHON_BETWEEN, "nodes/rest/rest.sql": "SELECT id, explode(id) AS rest FROM raw\n"}
    (said,) = complaints(write(tmp_path, files), spark)[:1]
    assert "rest.sql" in said and "DATATYPE_MISMATCH" in said


def test_spark_knows_the_relations_of_a_dbt_project(tmp_path: Path, spark: Any) -> None:
    assert complaints(write(tmp_path, DBT), spark) == []
    found = compare_with_spark(load(tmp_path, None), spark)
    assert {str(edge) for edge in found.edges} >= {
        "raw_items.price -> stg_items.worth  TRANSFORMATION"
    }


def test_a_disagreement_in_a_dbt_project_is_found(
    tmp_path: Path, spark: Any, monkeypatch: Any
) -> None:
    from lineal.extract.catalyst import expressions

    monkeypatch.setitem(expressions.EXPRESSIONS, "Upper", lambda *_: None)
    files = {**DBT, "models/best.sql": "select upper(item) as item from {{ ref('stg_items') }}\n"}
    (said,) = complaints(write(tmp_path, files), spark)
    assert "stg_items.item -> best.item  TRANSFORMATION  (only in static)" in said
