"""Airflow: DAGs, tasks and their SQL.

    with DAG("shop") as dag:
        PostgresOperator(task_id="load", sql="sql/load.sql", params={"table": "orders"})

The job of a statement is <dag_id>.<task_id>, as the OpenLineage provider of Airflow names it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from lineal.extract.pyspark.embedded.contexts import DAG, GROUP, id_text
from lineal.extract.pyspark.embedded.statements import NOT_TAKEN, About, Called, Collector
from lineal.extract.pyspark.function_calls import call_class, call_function
from lineal.extract.pyspark.invocation import Invocation, Keywords
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import (
    Builder,
    Class,
    Function,
    Instance,
    Library,
    Unknown,
    Value,
    positional_names,
)
from lineal.model.way import Confidence

TASK = "airflow_task"
DAG_FUNCTION, GROUP_FUNCTION, TASK_FUNCTION = "dag_function", "group_function", "task_function"
SQL_KEYS = ("sql", "hql", "bql", "sql_query", "query", "select_query", "sql_statement")
OPERATOR = re.compile(r"^(\w*)(Operator|Sensor|Async)$")
CHECK = re.compile(r"Check(Operator|Sensor)|TestOperator")
DIALECTS: tuple[tuple[str, str], ...] = (
    ("bigquery", "bigquery"), ("bq", "bigquery"), ("gcp", "bigquery"), ("google", "bigquery"),
    ("snowflake", "snowflake"), ("databricks", "databricks"), ("redshift", "redshift"),
    ("postgres", "postgres"), ("pg", "postgres"), ("mysql", "mysql"), ("mariadb", "mysql"),
    ("mssql", "tsql"), ("sqlserver", "tsql"), ("oracle", "oracle"), ("sqlite", "sqlite"),
    ("trino", "trino"), ("presto", "presto"), ("hive", "hive"), ("athena", "athena"),
    ("clickhouse", "clickhouse"), ("duckdb", "duckdb"), ("teradata", "teradata"),
    ("exasol", "exasol"), ("sparksql", "spark"), ("spark", "spark"), ("starrocks", "starrocks"),
    ("greenplum", "postgres"), ("vertica", "postgres"),
)  # fmt: skip
"""Words in the names of operators and connections, and the dialect that they tell."""


def dialect_in(*texts: Any) -> str:
    """Return the dialect that the name of an operator, a hook or a connection tells."""
    for text in texts:
        spelled = ""
        if isinstance(text, str):
            spelled = str(text).lower()

        for word, dialect in DIALECTS:
            if word in spelled:
                return dialect

    return ""


def take_airflow(run: Run, collector: Collector, called: Called) -> Value:
    """Return what a call of Airflow gives."""
    held = called.function
    if called.receiver is not None:
        held = called.receiver

    if isinstance(called.function, Builder):
        held = called.function

    if isinstance(held, Builder) and held.kind in BUILDERS:
        return BUILDERS[held.kind](run, collector, called, held)

    if isinstance(called.function, Class):
        return call_own_operator(run, collector, called)

    last = called.library.rpartition(".")[2]
    if not called.library or not is_airflow(called.library, last):
        return NOT_TAKEN

    if last == "DAG":
        return open_dag(called)

    if last == "TaskGroup":
        return Builder(GROUP, {"id": called.value(0, "group_id")})

    if OPERATOR.match(last):
        return open_task(run, collector, called, last)

    return NOT_TAKEN


def is_airflow(library: str, last: str) -> bool:
    """Tell whether a name is one of Airflow, of a provider, or of a plugin with operators."""
    return library.startswith(("airflow", "astronomer")) or OPERATOR.match(last) is not None


def open_dag(called: Called) -> Builder:
    """DAG("shop", template_searchpath="include")"""
    return Builder(DAG, dag_parts(called.value(0, "dag_id"), called.keywords))


def dag_parts(name: Value, keywords: Mapping[str, Value]) -> dict[str, Value]:
    """Return the parts of a DAG that its tasks need."""
    return {
        "id": name,
        "folders": folders_of(keywords.get("template_searchpath")),
        "params": keywords.get("params"),
        "defaults": keywords.get("default_args"),
    }


def folders_of(held: Value) -> tuple[str, ...]:
    """template_searchpath="include", ["a", "b"]"""
    items = [held]
    if isinstance(held, (list, tuple)):
        items = list(held)

    return tuple(str(item).rstrip("/") for item in items if isinstance(item, str))


def job_of(collector: Collector, dag: Builder | None, task: Value) -> str:
    """<dag_id>.<group>.<task_id>"""
    name = ""
    if dag is not None:
        name = id_text(dag.parts.get("id"), "dag")

    parts = [name, *collector.groups, id_text(task, "task")]
    return ".".join(part for part in parts if part)


# -- operators -------------------------------------------------------------------------------------


def open_task(run: Run, collector: Collector, called: Called, last: str) -> Value:
    """SQLExecuteQueryOperator(task_id="load", sql="…")"""
    given = called.keywords.get("dag")
    dag = next(iter(collector.dags[-1:]), None)
    if isinstance(given, Builder):
        dag = given

    task = called.keywords.get("task_id")
    collector.tasks.append(job_of(collector, dag, task))

    try:
        carry_out(run, collector, called, last, dag)
    finally:
        collector.tasks.pop()

    return Builder(TASK, {"id": task})


def carry_out(
    run: Run, collector: Collector, called: Called, last: str, dag: Builder | None
) -> None:
    """Do what a task does: its SQL, or its function."""
    function = called.keywords.get("python_callable")
    if isinstance(function, Function):
        call_task(run, function, called)
        return

    if last.startswith("BigQueryInsertJob"):
        insert_job(run, collector, called, dag)
        return

    for key in SQL_KEYS:
        if key in called.keywords:
            about = about_task(called, last, dag)
            held = render_template(called.keywords[key], about)
            collector.add(run, called, held, called.expression(-1, key), about)

    if "column_mapping" in called.keywords and isinstance(called.keywords.get("table"), str):
        check_columns(run, collector, called, last)


def about_task(called: Called, last: str, dag: Builder | None) -> About:
    """Return what an operator says about its SQL."""
    connection = next(
        (held for key, held in called.keywords.items() if key.endswith("conn_id")), None
    )
    dialect = dialect_in(last) or dialect_in(connection)
    return About(
        dialect,
        target_of(called),
        "test" if CHECK.search(last) else "query",
        is_sure=True,
        folders=dag.parts["folders"] if dag is not None else (),
        values=values_of(called, dag),
    )


TARGET_KEYS = (
    "destination_dataset_table", "destination_table", "destination_project_dataset_table",
    "target_table", "output_table",
)  # fmt: skip


def target_of(called: Called) -> str:
    """destination_dataset_table="p.mart.daily"; bucket="b", filename="x.csv" is gs://b/x.csv"""
    for key in TARGET_KEYS:
        held = called.keywords.get(key)
        if isinstance(held, str):
            return held.replace(":", ".", 1).partition("$")[0]

    bucket, file = called.keywords.get("bucket"), called.keywords.get("filename")
    if isinstance(bucket, str) and isinstance(file, str):
        return f"gs://{bucket}/{file}"

    bucket, file = called.keywords.get("s3_bucket"), called.keywords.get("s3_key")
    if isinstance(bucket, str) and isinstance(file, str):
        return f"s3://{bucket}/{file}"

    return ""


def values_of(called: Called, dag: Builder | None) -> tuple[tuple[str, str], ...]:
    """params={"table": "orders"}      {{ params.table }} is orders"""
    found: dict[str, str] = {}

    for held in (
        dag.parts.get("params") if dag is not None else None,
        called.keywords.get("params"),
    ):
        for key, item in held.items() if isinstance(held, dict) else ():
            if isinstance(item, (str, int, float)) and not isinstance(item, bool):
                found[f"params.{key}"] = str(item)
                found[f"params['{key}']"] = str(item)
                found[f'params["{key}"]'] = str(item)

    return tuple(found.items())


def render_template(held: Value, about: About) -> Value:
    """Return a text with the values of its template."""
    if isinstance(held, (list, tuple)):
        return [render_template(each, about) for each in held]

    if isinstance(held, str) and "{{" in held and about.values:
        return about.render(str(held))

    return held


def insert_job(run: Run, collector: Collector, called: Called, dag: Builder | None) -> None:
    """BigQueryInsertJobOperator(configuration={"query": {"query": "…", "destinationTable": {…}}})"""
    configuration = called.keywords.get("configuration")
    query = None
    if isinstance(configuration, dict):
        query = configuration.get("query")

    about = About(
        "bigquery",
        table_of(query.get("destinationTable")) if isinstance(query, dict) else "",
        is_sure=True,
        folders=dag.parts["folders"] if dag is not None else (),
        values=values_of(called, dag),
    )
    held = configuration
    if isinstance(query, dict):
        held = query.get("query")

    text = read_include(render_template(held, about))
    if isinstance(configuration, dict) and query is None:
        return  # a load, a copy or an extract has no SQL

    expression = dict_item(dict_item(called.expression(-1, "configuration"), "query"), "query")
    collector.add(run, called, text, expression, about)


def dict_item(node: Any, key: str) -> Any:
    """Return the expression of a key in a literal dictionary."""
    for name, item in zip(getattr(node, "keys", ()), getattr(node, "values", ()), strict=False):
        if getattr(name, "value", None) == key:
            return item

    return None


INCLUDED = re.compile(r"""\s*\{%-?\s*include\s+["']([^"']+)["']\s*-?%\}\s*""")


def read_include(held: Value) -> Value:
    """{% include 'sql/load.sql' %}      the file"""
    found = None
    if isinstance(held, str):
        found = INCLUDED.fullmatch(held)

    if found is not None:
        return found[1]

    return held


def table_of(held: Value) -> str:
    """{"projectId": "p", "datasetId": "mart", "tableId": "daily"}"""
    if not isinstance(held, dict):
        return ""

    parts = list(map(held.get, ("projectId", "datasetId", "tableId")))
    return ".".join(id_text(part, "").partition("$")[0] for part in parts if part)


def check_columns(run: Run, collector: Collector, called: Called, last: str) -> None:
    """SQLColumnCheckOperator(table="orders", column_mapping={"id": {…}})"""
    mapping, table = called.keywords["column_mapping"], called.keywords["table"]
    columns = []
    if isinstance(mapping, dict):
        columns = list(map(str, mapping))

    if columns:
        text = f"SELECT {', '.join(columns)} FROM {table}"  # noqa: S608  it is read, never run
        about = About(about_task(called, last, None).dialect, "", "test")
        collector.add(run, called, text, None, about)


def call_task(run: Run, function: Function, called: Called) -> None:
    """PythonOperator(python_callable=load, op_kwargs={"table": "orders"})"""
    arguments = called.keywords.get("op_args")
    keywords = called.keywords.get("op_kwargs")
    given = []
    if isinstance(arguments, (list, tuple)):
        given = list(arguments)

    named = {
        str(key): held for key, held in keywords.items() if isinstance(key, str)
    } if isinstance(keywords, dict) else {}  # fmt: skip
    call_open(run, function, given, named, called.node)


def call_open(
    run: Run, function: Function, given: list[Value], named: Keywords, node: ast.AST
) -> Value:
    """Call the function of a task; only a run knows the arguments that the program does
    not pass.
    """
    spec = function.node.args
    names = positional_names(spec)
    known = {key: held for key, held in named.items() if spec.kwarg is not None or key in names}

    for name in names[len(given) : len(names) - len(spec.defaults)]:
        if name not in known:
            known[name] = Unknown(name, f"the parameter {name} of {function.name}", Confidence.LOW)

    return call_function(run, function, Invocation(given, known, node))


def call_own_operator(run: Run, collector: Collector, called: Called) -> Value:
    """class LoadOperator(BaseOperator), LoadOperator(task_id="load", sql="…")"""
    made = called.function
    bases = [base.name for base in made.bases if isinstance(base, Library)]
    is_operator = any(OPERATOR.match(name.rpartition(".")[2]) for name in bases)
    if not is_operator or "task_id" not in called.keywords:
        return NOT_TAKEN

    if made.find("execute") is None:
        return open_task(run, collector, called, bases[0].rpartition(".")[2])

    dag = called.keywords.get("dag")
    here = next(iter(collector.dags[-1:]), None)
    if isinstance(dag, Builder):
        here = dag

    collector.tasks.append(job_of(collector, here, called.keywords.get("task_id")))
    before = len(collector.statements)

    try:
        instance = call_class(run, made, Invocation(called.arguments, called.keywords, called.node))
        execute = made.find("execute")
        if isinstance(instance, Instance) and isinstance(execute, Function):
            call_open(run, execute, [instance], {}, called.node)

        if len(collector.statements) == before:
            carry_out(run, collector, called, made.name, here)  # its way to the database is unknown
    finally:
        collector.tasks.pop()

    return Builder(TASK, {"id": called.keywords.get("task_id")})


# -- decorators ------------------------------------------------------------------------------------


def decorate_airflow(
    run: Run, collector: Collector, made: Function, library: str, keywords: Keywords
) -> Value | None:
    """@dag, @task, @task.sql, @task_group"""
    if not library.startswith("airflow"):
        return None

    name = library.partition("decorators.")[2] or library.partition("sdk.")[2] or library
    if name == "dag":
        parts = dag_parts(keywords.get("dag_id") or made.name, keywords)
        return Builder(DAG_FUNCTION, {**parts, "function": made})

    if name == "task_group":
        group = keywords.get("group_id") or made.name
        return Builder(GROUP_FUNCTION, {"id": group, "function": made})

    if name == "task" or name.startswith("task."):
        task = keywords.get("task_id") or made.name
        parts = {"id": task, "function": made, "kind": name.partition(".")[2], "keywords": keywords}
        return Builder(TASK_FUNCTION, parts)

    return None


def call_dag(run: Run, collector: Collector, called: Called, held: Builder) -> Value:
    """shop()      after @dag def shop(): …"""
    collector.dags.append(Builder(DAG, held.parts))

    try:
        call_open(run, held.parts["function"], list(called.arguments), called.keywords, called.node)
    finally:
        collector.dags.pop()

    return Unknown("dag", "a DAG")


def call_group(run: Run, collector: Collector, called: Called, held: Builder) -> Value:
    """load()      after @task_group def load(): …"""
    collector.groups.append(id_text(held.parts["id"], "group"))
    try:
        return call_open(
            run, held.parts["function"], list(called.arguments), called.keywords, called.node
        )
    finally:
        collector.groups.pop()


def call_task_function(run: Run, collector: Collector, called: Called, held: Builder) -> Value:
    """load("orders")      after @task def load(table): …"""
    if called.receiver is held and called.name == "override":
        parts = {**held.parts, "id": called.keywords.get("task_id") or held.parts["id"]}
        return Builder(TASK_FUNCTION, parts)

    if called.receiver is held and called.name == "partial":
        return held

    given, named = list(called.arguments), dict(called.keywords)
    if called.receiver is held and called.name in ("expand", "expand_kwargs"):
        named = {key: Unknown(key, "a mapped task", Confidence.LOW) for key in named}
        given = []

    dag = next(iter(collector.dags[-1:]), None)
    collector.tasks.append(job_of(collector, dag, held.parts["id"]))

    try:
        made = call_open(run, held.parts["function"], given, named, called.node)
        if held.parts["kind"] in ("sql", "snowflake", "bigquery", "postgres"):
            keywords = held.parts["keywords"]
            about = About(
                dialect_in(held.parts["kind"], keywords.get("conn_id")), is_sure=True,
                folders=dag.parts["folders"] if dag is not None else (),
            )  # fmt: skip
            collector.add(run, called, made, None, about)
            return Unknown("result", "the result of a task")

        return made
    finally:
        collector.tasks.pop()


def call_task_method(run: Run, collector: Collector, called: Called, held: Builder) -> Value:
    """task.set_downstream(other), task.output"""
    return Unknown(called.name, "a task")


def call_dag_method(run: Run, collector: Collector, called: Called, held: Builder) -> Value:
    """dag.test()"""
    return Unknown(called.name, "a DAG")


BUILDERS: Mapping[str, Any] = {
    DAG: call_dag_method,
    GROUP: call_task_method,
    TASK: call_task_method,
    DAG_FUNCTION: call_dag,
    GROUP_FUNCTION: call_group,
    TASK_FUNCTION: call_task_function,
}
"""How the values of Airflow answer calls."""
