"""Snowpark sessions: tables, files of stages, SQL texts, procedures and functions by reference."""

from __future__ import annotations

import ast
from dataclasses import replace

from lineal.extract.dataframes.snowpark.frames import DIALECT, join_name, wrap
from lineal.extract.dataframes.snowpark.values import (
    Registry,
    SnowFrame,
    SnowReader,
    SnowSession,
    SnowWriter,
)
from lineal.extract.dataframes.sources import (
    read_path,
    read_sql,
    read_table_name,
    write_path,
    write_table,
)
from lineal.extract.pyspark.dispatch import invoke, relation_in
from lineal.extract.pyspark.invocation import Invocation, argument_at
from lineal.extract.pyspark.local_data import create_data_frame, local_relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.session import use_database
from lineal.extract.pyspark.types import schema_of
from lineal.extract.pyspark.values import Function, Method, SchemaValue, Udf, Unknown, Value
from lineal.model.sequences import first_of_each, instances
from lineal.model.way import Confidence


def table(run: Run, call: Invocation) -> Value:
    """session.table("raw.orders"), session.table(["db", "raw", "orders"])"""
    name = join_name(call.argument(0, "name"))
    shown = name if isinstance(name, str) else ""
    return SnowFrame(read_table_name(run, name, call.node), shown)


def sql(run: Run, call: Invocation) -> Value:
    """session.sql("SELECT …"), session.sql("INSERT …").collect()"""
    text = call.argument(0, "query")
    return SnowFrame(read_sql(run, text, DIALECT, call.node))


def create_dataframe(run: Run, call: Invocation) -> Value:
    """session.create_dataframe([[1, "a"]], schema=["id", "name"]), session.create_dataframe(pdf)"""
    found = relation_in(call.argument(0, "data"))
    if found is not None:
        return SnowFrame(found.derive())

    return wrap(create_data_frame(run, call))


def range_(run: Run, call: Invocation) -> Value:
    """session.range(10)"""
    return SnowFrame(local_relation(SchemaValue([("ID", "bigint")])))


def write_pandas(run: Run, call: Invocation) -> Value:
    """session.write_pandas(pdf, "ORDERS", overwrite=True)"""
    found = relation_in(call.argument(0, "df"))
    name = call.argument(1, "table_name")
    prefix = list(map(call.keywords.get, ("database", "schema")))
    parts = instances((*prefix, name), str)
    if found is None:
        run.dynamic("a DataFrame that only a run knows", call.node)
        return None

    target = ".".join(parts) if isinstance(name, str) else name
    write_table(run, found, target, call.node, append=not call.keywords.get("overwrite"))
    return SnowFrame(found)


def call_procedure(run: Run, call: Invocation) -> Value:
    """session.call("load_orders", 3)      a function of the program, where it was registered"""
    name = argument_at(call.arguments)
    found = run.udfs.get(f"procedure {str(name).lower()}")
    if found is not None:
        return invoke(run, found, call.with_arguments([SnowSession(), *call.arguments[1:]], {}))

    run.leave_unread("a procedure that is not here", call.node)
    return Unknown(f"{name}()", "a procedure that is not here")


def set_schema(run: Run, call: Invocation) -> Value:
    """session.use_schema("raw"), session.use_schema("db.raw")"""
    name = argument_at(call.arguments)
    if isinstance(name, str):
        database, _, schema = name.strip('"').rpartition(".")
        use_database(run, database or run.using[0], schema)

    return None


def set_database(run: Run, call: Invocation) -> Value:
    """session.use_database("db")"""
    name = argument_at(call.arguments)
    if isinstance(name, str):
        use_database(run, name.strip('"'), run.using[1])

    return None


def change_session(run: Run, call: Invocation) -> Value:
    """session.close(), session.add_packages("numpy")"""
    return None


SESSION_METHODS = {
    "table": table,
    "sql": sql,
    **dict.fromkeys(("create_dataframe", "createDataFrame"), create_dataframe),
    "range": range_,
    **dict.fromkeys(("write_pandas", "write_arrow"), write_pandas),
    "call": call_procedure,
    "use_schema": set_schema,
    "use_database": set_database,
    **dict.fromkeys(
        ("close", "add_packages", "add_import", "add_requirements", "use_role", "use_warehouse",
         "clear_packages", "use_secondary_roles", "begin_transaction", "commit", "rollback"),
        change_session,
    ),
}  # fmt: skip


def of_session(run: Run, held: SnowSession, name: str, node: ast.AST) -> Value:
    """session.read, session.udf"""
    if name == "read":
        return SnowReader()

    if name in ("udf", "sproc", "udtf", "udaf"):
        return Registry(name)

    if name in ("builder", "session"):
        return held

    return Method(held, name)


def call_session(run: Run, held: SnowSession, name: str, call: Invocation) -> Value:
    """session.table("orders")"""
    handler = SESSION_METHODS.get(name)
    if handler is not None:
        return handler(run, call)

    if name in BUILDING:
        return held

    return Unknown(f"session.{name}()", "asked of the session", Confidence.LOW)


BUILDING = ("config", "configs", "create", "getOrCreate", "app_name", "getActiveSession")
"""Session.builder.configs(…).create()"""

# -- readers and writers ---------------------------------------------------------------------------

FILES = frozenset(("csv", "json", "parquet", "avro", "orc", "xml", "load"))


def call_reader(run: Run, held: SnowReader, name: str, call: Invocation) -> Value:
    """session.read.schema(schema).option("skip_header", 1).csv("@stage/orders.csv")"""
    if name == "table":
        return table(run, call)

    if name == "schema":
        return SnowReader(
            {**held.parts, "schema": schema_of(run, argument_at(call.arguments), call.node)}
        )

    if name not in FILES:
        return held

    schema = held.parts.get("schema")
    names = first_of_each(schema.fields) if isinstance(schema, SchemaValue) else None
    path = call.argument(0, "path")
    return SnowFrame(read_path(run, path, call.node, names))


KEEPING = ("append", "ignore", "truncate")


def call_writer(run: Run, held: SnowWriter, name: str, call: Invocation) -> Value:
    """df.write.mode("overwrite").save_as_table("mart.orders")"""
    relation = held.frame.relation
    mode = call.keywords.get("mode", held.mode)
    appends = isinstance(mode, Unknown) or (isinstance(mode, str) and mode.lower() in KEEPING)
    if name == "mode":
        return replace(held, mode=call.only())

    if name in ("save_as_table", "saveAsTable"):
        target = join_name(call.argument(0, "table_name"))
        write_table(run, relation, target, call.node, append=appends)
        return None

    if name in ("insert_into", "insertInto"):
        target = join_name(call.argument(0, "table_name"))
        write_table(run, relation, target, call.node, append=True)
        return None

    if name in LOCATIONS:
        path = call.argument(0, LOCATIONS[name])
        write_path(run, relation, path, call.node)
        return None

    return held


LOCATIONS = {
    "copy_into_location": "location", "csv": "location", "json": "location", "parquet": "location",
    "save": "location",
}  # fmt: skip
"""Methods that write files to a stage, and the parameter with their place."""


# -- functions and procedures by reference ---------------------------------------------------------


def call_registry(run: Run, held: Registry, name: str, call: Invocation) -> Value:
    """session.udf.register(clean, name="clean"), session.sproc.register(load, name="load")"""
    function = call.argument(0, "func")
    named = call.keywords.get("name")
    title = named if isinstance(named, str) else getattr(function, "name", "udf")
    if held.kind == "sproc":
        return register_procedure(run, function, title)

    return Udf(str(title), aggregates=held.kind == "udaf")


def register_procedure(run: Run, function: Value, title: str) -> Value:
    """Remember a procedure by its name, for session.call."""
    if isinstance(function, Function):
        run.udfs[f"procedure {title.lower()}"] = function

    return function


def procedure(run: Run, call: Invocation) -> Value:
    """sproc(load, name="load"), @sproc(name="load")"""
    function = call.argument(0, "func")
    named = call.keywords.get("name")
    title = named if isinstance(named, str) else getattr(function, "name", "procedure")
    return register_procedure(run, function, str(title))


def active_session(run: Run, call: Invocation) -> Value:
    """get_active_session(), Session.builder.configs(…).create()"""
    return SnowSession()
