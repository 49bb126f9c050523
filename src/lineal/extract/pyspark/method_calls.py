"""Calls of methods: of DataFrames, Columns, groups, the session and what it gives."""

from __future__ import annotations

from lineal.extract.pyspark.columns.functions import columns_of
from lineal.extract.pyspark.columns.methods import method as column_method
from lineal.extract.pyspark.dispatch import ACTIONS, BUILDERS, FRAME_METHODS, RECEIVERS
from lineal.extract.pyspark.frames.groups import GROUPED
from lineal.extract.pyspark.frames.methods import NA
from lineal.extract.pyspark.function_calls import call_function
from lineal.extract.pyspark.invocation import Invocation, argument_at
from lineal.extract.pyspark.relation import Relation, open_star
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.schemas import type_text
from lineal.extract.pyspark.session import SESSION
from lineal.extract.pyspark.types import type_method
from lineal.extract.pyspark.value_methods import method_of_value
from lineal.extract.pyspark.values import (
    Builder,
    ColumnValue,
    Grouped,
    Method,
    SchemaValue,
    Session,
    TypeValue,
    Unknown,
    Value,
    WindowSpec,
    trees_of,
)
from lineal.model.diagnostic import Code
from lineal.model.sequences import first_of_each


def call_method(run: Run, method: Method, call: Invocation) -> Value:
    """Evaluate a method call.

    df.select("a"), self.load()
    """
    if method.function is not None:
        return call_function(
            run,
            method.function,
            call.with_arguments([method.receiver, *call.arguments]),
        )

    if method.name == "result" and isinstance(method.receiver, RESULTS):
        return method.receiver

    handler = RECEIVERS.get(type(method.receiver))
    if handler is None:
        return method_of_value(run, method.receiver, method.name, call)

    return handler(run, method.receiver, method.name, call)


RESULTS = (tuple, list, dict, str)
"""Values without a method `result`: they are what a task has made, load.submit(spark).result()"""


def on_relation(run: Run, held: Relation, name: str, call: Invocation) -> Value:
    """Call a method of a DataFrame.

    df.select("a"), df.count()
    """
    handler = FRAME_METHODS.get(name)
    if handler is not None:
        return handler(run, held, call)

    if name in ACTIONS:
        return ACTIONS[name](run, held, call)

    run.report(Code.UNSUPPORTED_CONSTRUCT, f"DataFrame.{name} is not traced", call.node)
    return Relation([open_star()], dict(held.rows), (held,))


def on_column(run: Run, held: ColumnValue, name: str, call: Invocation) -> Value:
    """Call a method of a Column.

    col("a").alias("b")
    """
    return column_method(run, held, name, call)


def on_grouped(run: Run, held: Grouped, name: str, call: Invocation) -> Value:
    """Call a method of grouped data.

    df.groupBy("a").count()
    """
    handler = GROUPED.get(name)
    if handler is not None:
        return handler(run, held, call)

    run.report(Code.UNSUPPORTED_CONSTRUCT, f"GroupedData.{name} is not traced", call.node)
    return Relation([open_star()], dict(held.relation.rows), (held.relation,))


def on_session(run: Run, held: Session, name: str, call: Invocation) -> Value:
    """Call a method of the session.

    spark.table("orders")
    """
    handler = SESSION.get(name)
    if handler is not None:
        return handler(run, call)

    return Unknown(f"spark.{name}()", "not followed")


def on_builder(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Call a method of a builder, which is put together call by call.

    df.write.mode("append")
    """
    if held.kind == "na":
        handler = NA.get(name)
        if handler is not None:
            return handler(run, held.parts["relation"], call)

    handlers = BUILDERS.get(held.kind)
    if handlers is not None:
        return handlers(run, held, name, call)

    return Unknown(f"{held.kind}.{name}()", "not followed")


def on_window(run: Run, held: WindowSpec, name: str, call: Invocation) -> Value:
    """Add to a window.

    Window.partitionBy("a").orderBy("b"), and as Snowpark spells them
    """
    if name not in ("partitionBy", "orderBy", "partition_by", "order_by"):
        return held

    trees = tuple(trees_of(columns_of(run, call.arguments, call.node)))
    if name.startswith("partition"):
        return WindowSpec(trees, held.order)

    return WindowSpec(held.partition, trees)


def on_schema(run: Run, held: SchemaValue, name: str, call: Invocation) -> Value:
    """Call a method of a schema.

    schema.add("a", StringType()), schema.fieldNames()
    """
    if name == "add" and call.arguments:
        first = call.arguments[0]
        kind = argument_at(call.arguments, 1, "")
        text = type_text(kind) if kind else ""
        added = (str(getattr(first, "name", first)), str(getattr(first, "type_name", text)))
        return SchemaValue([*held.fields, added])

    if name == "fieldNames":
        return first_of_each(held.fields)

    if name == "typeName":
        return "struct"

    return Unknown(f"{name}()", "not followed")


def on_type(run: Run, held: TypeValue, name: str, call: Invocation) -> Value:
    """Call a method of a type.

    StringType().simpleString()
    """
    return type_method(held, name)


RECEIVERS.update(
    {
        Relation: on_relation,
        ColumnValue: on_column,
        Grouped: on_grouped,
        Session: on_session,
        Builder: on_builder,
        WindowSpec: on_window,
        SchemaValue: on_schema,
        TypeValue: on_type,
    }
)
