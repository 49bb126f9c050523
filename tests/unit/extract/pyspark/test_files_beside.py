"""Files next to a program: read from the project if a literal path names them, never from elsewhere."""

from __future__ import annotations

from pathlib import Path

from jobbook import facts_in
from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.projects import load

SPARK = "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n"


def read(folder: Path, **files: str):
    for name, text in files.items():
        stem, _, suffix = name.rpartition("_")
        file = folder / f"{stem.replace('__', '/')}.{suffix}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return extract(load(folder, dialect="spark"))


def facts_into(found, target: str) -> set[str]:
    return {fact for fact in facts_in(found) if f" {target}." in fact or f"=> {target} " in fact}


def test_a_sql_file_is_the_text_of_a_query(tmp_path):
    job = SPARK + (
        'with open("sql/daily.sql") as file:\n'
        '    spark.sql(file.read().format(least=3)).write.saveAsTable("mart")\n'
        "from pathlib import Path\n"
        'text = (Path(__file__).parent / "sql" / "daily.sql").read_text()\n'
        'spark.sql(text.format(least=3)).write.saveAsTable("copy")\n'
    )
    query = "SELECT store FROM orders WHERE amount > {least}"
    found = read(tmp_path, job_py=job, sql__daily_sql=query)
    assert facts_into(found, "mart") == {
        "orders.store -> mart.store IDENTITY",
        "orders.amount => mart FILTER",
    }
    assert facts_into(found, "copy") == {
        "orders.store -> copy.store IDENTITY",
        "orders.amount => copy FILTER",
    }


def test_settings_name_tables_and_columns(tmp_path):
    job = SPARK + (
        "import json, yaml\n"
        'with open("conf/job.yml") as file:\n    settings = yaml.safe_load(file)\n'
        'keys = json.load(open("conf/keys.json"))["keys"]\n'
        'spark.table(settings["source"]).select(*keys).write.saveAsTable(settings["target"])\n'
    )
    found = read(
        tmp_path,
        job_py=job,
        conf__job_yml="source: orders\ntarget: mart\n",
        conf__keys_json='{"keys": ["id", "at"]}',
    )
    assert facts_in(found) == {"orders.id -> mart.id IDENTITY", "orders.at -> mart.at IDENTITY"}
    assert Code.DYNAMIC not in {each.code for each in found.diagnostics}


def test_a_file_outside_the_project_is_not_read(tmp_path):
    (tmp_path / "keys.json").write_text('{"keys": ["id"]}', encoding="utf-8")
    job = SPARK + (
        "import json\n"
        'keys = json.load(open("../keys.json"))["keys"]\n'
        'spark.table("orders").select(*keys).write.saveAsTable("mart")\n'
    )
    found = read(tmp_path / "project", job_py=job)
    assert facts_in(found) == set()
    assert Code.DYNAMIC in {each.code for each in found.diagnostics}


def test_a_damaged_file_is_a_value_that_only_a_run_knows(tmp_path):
    job = SPARK + (
        "import json\n"
        'keys = json.load(open("keys.json"))["keys"]\n'
        'spark.table("orders").select(*keys).write.saveAsTable("mart")\n'
    )
    found = read(tmp_path, job_py=job, keys_json='{"keys": [')
    assert Code.DYNAMIC in {each.code for each in found.diagnostics}
