"""SQL inside Python: Airflow, cursors, pandas, SQLAlchemy, DuckDB, clients; one graph of it all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lineal.graph.graph import Graph
from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus
from lineal.projects import load
from lineal.views.json import edge
from lineal.views.openlineage.emission import Emission
from lineal.views.openlineage.events import events
from lineal.views.report import report_of_all


def corpus(folder: Path, files: dict[str, str]) -> Corpus:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return load(folder)


def edges(found: Extraction) -> set[str]:
    return {f"{each.source} {each.kind} {each.target}" for each in found.edges}


def jobs(found: Extraction) -> set[str]:
    return {f"{each.name}: {each.outputs[0]}" for each in found.jobs if each.name}


def codes(found: Extraction) -> set[Code]:
    return {each.code for each in found.diagnostics} - {Code.OTHER_LIBRARY, Code.GUESSED_DIALECT}


HEAD = """
from airflow import DAG
from airflow.decorators import dag, task
from airflow.operators.python import PythonOperator
from airflow.utils.task_group import TaskGroup
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.providers.google.cloud.operators.bigquery import BigQueryInsertJobOperator
from airflow.providers.postgres.hooks.postgres import PostgresHook
from airflow.providers.postgres.operators.postgres import PostgresOperator
from airflow.providers.snowflake.operators.snowflake import SnowflakeOperator
"""
LOAD = "INSERT INTO mart.m SELECT a FROM raw.t"
M = {"raw.t.a copy mart.m.a"}
AIRFLOW = {
    "a text": (
        f'with DAG("d"):\n    PostgresOperator(task_id="t", sql="{LOAD}")\n',
        M,
        {"d.t: mart.m"},
    ),
    "the DAG as an argument": (
        f'here = DAG(dag_id="d")\nSnowflakeOperator(task_id="t", dag=here, sql=["{LOAD}"])\n',
        M,
        {"d.t: mart.m"},
    ),
    "a file": (
        'with DAG("d"):\n    PostgresOperator(task_id="t", sql="sql/load.sql")\n',
        M,
        {"d.t: mart.m"},
    ),
    "parameters": (
        'with DAG("d", params={"from": "raw.t"}):\n'
        '    PostgresOperator(task_id="t", params={"to": "mart.m"}, '
        'sql="INSERT INTO {{ params.to }} SELECT a FROM {{ params.from }} '
        "WHERE d = '{{ ds }}'\")\n",
        {*M, "raw.t.d inspect mart.m"},
        {"d.t: mart.m"},
    ),
    "parameters that nobody knows": (
        'with DAG("d"):\n    PostgresOperator(task_id="t", '
        'sql="INSERT INTO mart.m SELECT a FROM raw_{{ var.value.env }}.t")\n',
        {"raw_{var.value.env}.t.a copy mart.m.a"},
        {"d.t: mart.m"},
    ),
    "a condition of a template": (
        'with DAG("d"):\n    PostgresOperator(task_id="t", sql="""INSERT INTO mart.m SELECT a FROM '
        '{% if params.x %}raw.t{% else %}raw.u{% endif %}""")\n',
        {*M, "raw.u.a copy mart.m.a"},
        {"d.t: mart.m"},
    ),
    "a loop and a group": (
        'with DAG("d"):\n  with TaskGroup("g"):\n    for x in ("a", "b"):\n'
        '      SQLExecuteQueryOperator(task_id=f"t_{x}", conn_id="pg", '
        'sql=f"INSERT INTO mart.{x} SELECT {x} FROM raw.{x}")\n',
        {"raw.a.a copy mart.a.a", "raw.b.b copy mart.b.b"},
        {"d.g.t_a: mart.a", "d.g.t_b: mart.b"},
    ),
    "a configuration of BigQuery": (
        'with DAG("d"):\n  BigQueryInsertJobOperator(task_id="t", configuration={"query": {\n'
        '    "query": "SELECT a FROM `p.raw.t`", "destinationTable": {"projectId": "p", '
        '"datasetId": "mart", "tableId": "m"}}})\n',
        {"p.raw.t.a copy p.mart.m.a"},
        {"d.t: p.mart.m"},
    ),
    "a function": (
        'def run(table):\n  hook = PostgresHook()\n  hook.run(f"INSERT INTO mart.{table} '
        'SELECT a FROM raw.t")\n'
        'with DAG("d"):\n  PythonOperator(task_id="t", python_callable=run, '
        'op_kwargs={"table": "m"})\n',
        M,
        {"d.t: mart.m"},
    ),
    "decorators": (
        '@dag(dag_id="d")\ndef make():\n  @task.sql(conn_id="pg")\n  def t():\n'
        f'    return "{LOAD}"\n  @task\n  def u(x):\n    PostgresHook().run('
        '"INSERT INTO mart.n SELECT b FROM raw.t")\n  u(t())\nmake()\n',
        {*M, "raw.t.b copy mart.n.b"},
        {"d.t: mart.m", "d.u: mart.n"},
    ),
    "an operator of the project": (
        "class Load(PostgresOperator):\n  pass\n"
        f'with DAG("d"):\n  Load(task_id="t", sql="{LOAD}")\n',
        M,
        {"d.t: mart.m"},
    ),
    "a factory": (
        "def build(name):\n  with DAG(f'd_{name}') as made:\n"
        "    PostgresOperator(task_id='t', sql=f'INSERT INTO mart.{name} SELECT a FROM raw.t')\n"
        "  return made\nfor name in ['m', 'n']:\n  globals()[name] = build(name)\n",
        {*M, "raw.t.a copy mart.n.a"},
        {"d_m.t: mart.m", "d_n.t: mart.n"},
    ),
}


@pytest.mark.parametrize("name", AIRFLOW)
def test_tasks_of_airflow(tmp_path: Path, name: str) -> None:
    text, expected, named = AIRFLOW[name]
    found = extract(
        corpus(tmp_path, {"dags/d.py": HEAD + text, "dags/sql/load.sql": LOAD + "\n"})
        if "load.sql" in text
        else corpus(tmp_path, {"dags/d.py": HEAD + text})
    )
    assert edges(found) == expected
    assert jobs(found) == named
    assert Code.INTERNAL_ERROR not in codes(found)


CLIENTS = {
    "a cursor": (
        "import psycopg2\nwith psycopg2.connect('x') as c, c.cursor() as cur:\n"
        f"    cur.execute('''{LOAD}''')\n",
        M,
    ),
    "a cursor that is given": (f"def f(cursor):\n    cursor.execute('{LOAD}')\n", M),
    "a text that is put together": (
        f"SQL = '{LOAD}'\ndef f(conn):\n    conn.execute(SQL + ' WHERE b > %s', (1,))\n",
        {*M, "raw.t.b inspect mart.m"},
    ),
    "SQLAlchemy": (
        "from sqlalchemy import create_engine, text\n"
        f"with create_engine('postgresql://h/d').begin() as c:\n    c.execute(text('{LOAD}'))\n",
        M,
    ),
    "pandas": (
        "import pandas as pd\n"
        "pd.read_sql('SELECT a FROM raw.t', con).to_sql('m', con, schema='mart')\n",
        M,
    ),
    "DuckDB": ("import duckdb\nduckdb.sql('CREATE TABLE mart.m AS SELECT a FROM raw.t')\n", M),
    "BigQuery": (
        "from google.cloud import bigquery\nclient = bigquery.Client()\n"
        "client.query('SELECT a FROM raw.t', "
        "job_config=bigquery.QueryJobConfig(destination='mart.m'))\n",
        M,
    ),
    "Snowflake": (
        "import snowflake.connector\ncs = snowflake.connector.connect(user='x').cursor()\n"
        "cs.execute('CREATE OR REPLACE TABLE mart.m AS SELECT a FROM raw.t')\n",
        {"raw.t.a copy mart.m.a"},
    ),
    "Snowpark": (
        "from snowflake.snowpark import Session\nsession = Session.builder.configs({}).create()\n"
        "session.sql('CREATE TABLE mart.m AS SELECT a FROM raw.t').collect()\n",
        M,
    ),
}


@pytest.mark.parametrize("name", CLIENTS)
def test_clients_of_databases(tmp_path: Path, name: str) -> None:
    text, expected = CLIENTS[name]
    found = extract(corpus(tmp_path, {"job.py": text}))
    assert {each.lower() for each in edges(found)} == expected
    assert Code.INTERNAL_ERROR not in codes(found)


def test_a_query_is_named_after_its_function(tmp_path: Path) -> None:
    text = (
        "import pandas as pd\ndef load(con):\n    return pd.read_sql('SELECT a FROM raw.t', con)\n"
    )
    (tmp_path / "job.py").write_text(text)
    found = extract(load(tmp_path / "job.py"))
    (target,) = {each.into.name for each in found.edges}
    assert target.endswith("job.py::load")


def test_places_are_those_of_the_literal(tmp_path: Path) -> None:
    text = 'SQL = """\nINSERT INTO mart.m\nSELECT a\nFROM raw.t\n"""\n\ndef f(cur):\n    cur.execute(SQL)\n'
    found = extract(corpus(tmp_path, {"job.py": text}))
    (only,) = found.edges
    assert only.place is not None
    assert (only.place.line, only.place.column) == (3, 8)


BROKEN = {
    "SQL that only a run knows": "def f(cursor):\n    cursor.execute(build())\n",
    "a file that is not there": HEAD
    + 'with DAG("d"):\n    PostgresOperator(task_id="t", sql="gone/load.sql")\n',
    "a frame that is not traced": "import vaex\n"
    "df = vaex.open('a.hdf5').trim()\ndf.to_sql('m', con)\n",
}


@pytest.mark.parametrize("name", BROKEN)
def test_values_that_only_a_run_knows_are_reported(tmp_path: Path, name: str) -> None:
    found = extract(corpus(tmp_path, {"job.py": BROKEN[name], "ok.sql": LOAD}))
    assert Code.DYNAMIC in codes(found)
    assert edges(found) == M


def test_other_libraries_are_named_with_their_files(tmp_path: Path) -> None:
    files = {"a.py": "import ibis\n", "b.py": "import dask.dataframe as dd\nimport ibis\n"}
    found = extract(corpus(tmp_path, files))
    told = [each.message for each in found.diagnostics if each.code is Code.OTHER_LIBRARY]
    assert sorted(message.partition(", which")[0] for message in told) == [
        "1 file uses Dask",
        "2 files use ibis",
    ]


def test_statements_of_duckdb_are_read_once(tmp_path: Path) -> None:
    text = (
        "import duckdb\nimport pandas as pd\ncon = duckdb.connect('a.db')\ndf = pd.read_csv('a.csv')\n"
        "con.execute('CREATE TABLE t AS SELECT x FROM df')\n"
        "one = con.execute('SELECT y FROM s').fetchall()\n"
        "two = con.execute('SELECT z FROM s').fetchone()\n"
    )
    found = extract(corpus(tmp_path, {"job.py": text}))
    made = {(str(edge.source), str(edge.target)) for edge in found.edges}
    assert {source for source, _ in made} == {"a.csv.x", "s.y", "s.z"}
    assert len({target.rpartition(".")[0] for _, target in made}) == 3
    assert found.coverage.statements.found == 3
    assert codes(found) == set()


def test_files_of_other_libraries_are_in_the_ledger(tmp_path: Path) -> None:
    files = {
        "a.py": "import ibis\n",
        "b.py": "import dask.dataframe as dd\nimport ibis\n",
        "c.py": "import daft\n",
        "load.sql": LOAD,
    }
    found = extract(corpus(tmp_path, files))
    lost = {loss.reason: (loss.count, loss.examples) for loss in found.coverage.files.losses()}
    places = [str(tmp_path / name) for name in ("a.py", "b.py", "c.py")]
    assert sum(count for count, _ in lost.values()) == 3
    assert lost["uses Daft, which is not traced"] == (1, (places[2],))
    assert "uses ibis, which is not traced" in lost
    assert found.coverage.percent == 25


def test_text_that_is_not_sql_is_left_alone(tmp_path: Path) -> None:
    text = "def f(client, df):\n    client.run('daily')\n    df.query('a > 1')\n    client.execute(5)\n"
    found = extract(corpus(tmp_path, {"job.py": text, "ok.sql": LOAD}))
    assert edges(found) == M
    assert codes(found) == set()


def test_each_task_has_its_own_part_of_a_table(tmp_path: Path) -> None:
    text = (
        'with DAG("d"):\n'
        '    PostgresOperator(task_id="one", sql="INSERT INTO m (a) SELECT x FROM raw.t")\n'
        '    PostgresOperator(task_id="two", sql="INSERT INTO m (a) SELECT y FROM raw.u")\n'
    )
    found = extract(corpus(tmp_path, {"dags/d.py": HEAD + text}))
    graph = Graph(found)
    report = report_of_all(graph)
    named = {str(each.source): edge(report, each)["jobs"] for each in found.edges}
    assert named == {"raw.t.x": ["d.one"], "raw.u.y": ["d.two"]}
    told = list(events(report, Emission(time="2026-01-01T00:00:00Z")))
    inputs = {
        event["job"]["name"]: [each["name"] for each in event["inputs"]]
        for event in json.loads(json.dumps(told))
    }
    assert inputs == {"d.one": ["raw.t"], "d.two": ["raw.u"]}


def test_one_graph_of_all_kinds(tmp_path: Path) -> None:
    files = {
        "dags/d.py": HEAD
        + 'with DAG("d"):\n    PostgresOperator(task_id="t", sql="INSERT INTO raw.t SELECT a FROM src.s")\n',
        "mesh/config.yaml": "model_defaults: {dialect: postgres}\n",
        "mesh/models/x.sql": "MODEL (name core.x); SELECT a FROM raw.t",
        "form/workflow_settings.yaml": "defaultProject: p\ndefaultDataset: d\n",
        "form/definitions/y.sqlx": 'config { type: "view" }\nSELECT a FROM core.x',
    }
    assert edges(extract(corpus(tmp_path, files))) == {
        "src.s.a copy raw.t.a",
        "raw.t.a copy core.x.a",
        "core.x.a copy d.y.a",
    }


def test_frames_of_pandas_are_not_taken_for_those_of_spark(tmp_path: Path) -> None:
    text = "import pandas as pd\n\ndef f(df: pd.DataFrame):\n    return df.groupby('a').apply(len).fillna(0)\n"
    found = extract(corpus(tmp_path, {"job.py": text, "ok.sql": LOAD}))
    assert edges(found) == M
    assert codes(found) == set()


UNREACHED = {
    "a loop over nothing that is known": "def f(cur):\n    ids = []\n    for i in range(0, len(ids), 2):\n"
    f"        cur.execute({LOAD!r})\n\nf(None)\n",
    "a method beside one that is called": "class Db:\n    def used(self, cur):\n        return 1\n"
    f"    def other(self, cur):\n        cur.execute({LOAD!r})\n\nDb().used(None)\n",
    "a text in a name": "def f(cur, n):\n    for i in []:\n"
    f"        sql = {LOAD!r}\n        cur.execute(sql)\n\nf(None, 1)\n",
}


@pytest.mark.parametrize("name", UNREACHED)
def test_sql_that_no_call_reaches(tmp_path: Path, name: str) -> None:
    found = extract(corpus(tmp_path, {"a.py": UNREACHED[name]}))
    assert edges(found) == M


def test_a_task_owns_the_sql_that_others_reach_too(tmp_path: Path) -> None:
    text = HEAD + (
        f"class Db:\n    def load(self, cur):\n        cur.execute({LOAD!r})\n"
        "    def other(self, cur):\n        self.load(cur)\n"
        "def run():\n    Db().load(PostgresHook('c'))\n"
        'with DAG("d"):\n    PythonOperator(task_id="t", python_callable=run)\n'
    )
    found = extract(corpus(tmp_path, {"a.py": text}))
    assert edges(found) == M
    assert jobs(found) == {"d.t: mart.m"}


def test_a_file_from_the_root_of_the_dags(tmp_path: Path) -> None:
    text = HEAD + 'with DAG("d"):\n    PostgresOperator(task_id="t", sql="/sql/load.sql")\n'
    found = extract(corpus(tmp_path, {"dags/a.py": text, "dags/sql/load.sql": LOAD}))
    assert edges(found) == M
    assert jobs(found) == {"d.t: mart.m"}


def test_files_of_dags_next_to_a_dbt_project_are_read(tmp_path: Path) -> None:
    files = {
        "dbt_project.yml": "name: p\nversion: '1'\nprofile: p\n",
        "models/v.sql": "SELECT a FROM raw.t",
        "dags/a.py": HEAD + 'with DAG("d"):\n    PostgresOperator(task_id="t", sql="load.sql")\n',
        "dags/load.sql": LOAD,
    }
    found = extract(corpus(tmp_path, files))
    assert edges(found) > M
    assert jobs(found) == {"d.t: mart.m"}


def test_an_operator_whose_way_to_the_database_is_unknown(tmp_path: Path) -> None:
    text = HEAD + (
        "from airflow.models import BaseOperator\n"
        "class Loader(BaseOperator):\n    def __init__(self, sql, **kwargs):\n"
        "        super().__init__(**kwargs)\n        self.sql = sql\n"
        "    def execute(self, context):\n        PostgresHook('c').copy_expert(self.sql, 'f')\n"
        f'with DAG("d"):\n    Loader(task_id="t", sql="{LOAD}")\n'
    )
    found = extract(corpus(tmp_path, {"a.py": text}))
    assert edges(found) == M
    assert jobs(found) == {"d.t: mart.m"}


def test_an_export_of_bigquery(tmp_path: Path) -> None:
    query = "EXPORT DATA OPTIONS(uri='gs://b/x*.csv', format='CSV') AS SELECT a FROM raw.t"
    text = HEAD + (
        'with DAG("d"):\n    BigQueryInsertJobOperator(task_id="t", '
        f'configuration={{"query": {{"query": "{query}"}}}})\n'
    )
    found = extract(corpus(tmp_path, {"a.py": text}))
    assert edges(found) == {"raw.t.a copy gs://b/x*.csv.a"}


def test_a_text_is_placed_in_its_own_file(tmp_path: Path) -> None:
    text = f"def f(hook):\n    sql = '{LOAD}'\n    hook.run(sql)\n"
    found = corpus(tmp_path, {"a.py": "\n" + text, "b.py": text})
    places = {
        (Path(each.file).name, each.line) for each in found.scripts if each.dialect != "python"
    }
    assert places == {("a.py", 3), ("b.py", 2)}


def test_values_that_are_called_are_placeholders(tmp_path: Path) -> None:
    text = (
        "def f(cursor, names):\n"
        "    cursor.execute(f\"INSERT INTO mart.m SELECT a, {','.join(names)} AS b FROM raw.t\")\n"
    )
    found = extract(corpus(tmp_path, {"a.py": text}))
    assert edges(found) >= M
    assert Code.PARSE_ERROR not in codes(found)


def test_cells_of_bigquery_are_read(tmp_path: Path) -> None:
    cells = [
        "%load_ext google.cloud.bigquery",
        "%%bigquery frame --project demo\nCREATE TABLE shop.daily AS\n"
        'SELECT day, SUM(amount) AS total FROM shop.Orders WHERE paid = "y" GROUP BY day',
        "%%bigquery --destination_table shop.top\nSELECT day FROM shop.daily",
    ]
    notebook = {
        "cells": [{"cell_type": "code", "source": cell} for cell in cells],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    found = extract(corpus(tmp_path, {"daily.ipynb": json.dumps(notebook)}))
    assert edges(found) == {
        "shop.Orders.day copy shop.daily.day",
        "shop.Orders.amount transform shop.daily.total",
        "shop.Orders.paid inspect shop.daily",
        "shop.Orders.day inspect shop.daily",
        "shop.daily.day copy shop.top.day",
    }
    assert not codes(found)


def test_cells_of_other_languages_are_reported_without_spark(tmp_path: Path) -> None:
    notebook = {"cells": [{"cell_type": "code", "source": "%%scala\nval x = 1"}]}
    found = extract(corpus(tmp_path, {"one.ipynb": json.dumps(notebook)}))
    assert codes(found) == {Code.UNSUPPORTED_STATEMENT}


UPSERT = """
def load(rows):
    cursor = PostgresHook().get_conn().cursor()
    cursor.execute('''
        INSERT INTO form (id, name) VALUES (
            %s, %s
        ) ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name
    ''', rows)
"""


def test_a_line_that_begins_with_a_parameter_is_not_a_magic(tmp_path: Path) -> None:
    found = extract(corpus(tmp_path, {"dags/d.py": HEAD + UPSERT}))
    assert codes(found) == set()
    form = next(info for each, info in found.datasets.items() if str(each) == "form")
    assert {column.name for column in form.columns} == {"id", "name"}


def test_rows_that_are_inserted_in_batches(tmp_path: Path) -> None:
    text = (
        "INSERT INTO form (id, name) VALUES %s ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name"
    )
    code = f"""
from psycopg2.extras import execute_values

def load(cursor, rows):
    execute_values(cursor, "{text}", rows)
"""
    found = extract(corpus(tmp_path, {"load.py": code}))
    assert codes(found) == set()
    assert [str(each) for each in found.datasets] == ["form"]


def test_a_block_of_postgres_is_sql(tmp_path: Path) -> None:
    block = f"DO $$ BEGIN IF EXISTS (SELECT 1) THEN {LOAD}; END IF; END $$;"
    text = f'with DAG("d"):\n    PostgresOperator(task_id="t", sql="""{block}""")\n'
    found = extract(corpus(tmp_path, {"dags/d.py": HEAD + text}))
    assert edges(found) == M
    assert codes(found) == set()
