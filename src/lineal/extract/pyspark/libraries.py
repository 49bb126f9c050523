"""Known names of libraries: harmless parts of the standard library, configuration, and PySpark."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import lru_cache

from lineal.extract.pyspark.columns.functions import (
    ColumnFunction,
    columns_of,
    computed_column,
    handler_of,
    hands_columns,
    order_arguments,
)
from lineal.extract.pyspark.delta import delta_table
from lineal.extract.pyspark.dispatch import LIBRARY_ROOTS, computed_by, invoke
from lineal.extract.pyspark.file_contents import FILE_LIBRARIES, LOADERS, load_values
from lineal.extract.pyspark.glue import glue_call
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.library_functions import LIBRARIES
from lineal.extract.pyspark.ml import call_ml, load_logged, log_model
from lineal.extract.pyspark.pandas_api import PANDAS_LIBRARIES
from lineal.extract.pyspark.pipelines import pipeline_call
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.schemas import parsed_schema
from lineal.extract.pyspark.types import schema_of, type_call
from lineal.extract.pyspark.value_methods import builtin
from lineal.extract.pyspark.values import (
    Library,
    Method,
    Session,
    Udf,
    Unknown,
    Value,
    WindowSpec,
    label_of,
    trees_of,
)
from lineal.model.sequences import instances
from lineal.model.way import Confidence

FUNCTIONS = re.compile(
    r"^pyspark\.(?:sql|ml)\.(?:(?:connect|avro|protobuf)\.)?functions(?:\.builtin)?\.(\w+)$"
)
CONFIGURATION = (
    "argparse.",
    "sys.argv",
    "os.environ",
    "configparser",
    "dbutils.",
    "yaml.",
    "json.load",
    "toml",
    "click.",
)


SETTINGS = ("config", "conf.", "secret", "param", "args", "environ")
"""Words in the names of functions that read settings."""

SESSIONS = frozenset(("getOrCreate", "getActiveSession", "active", "create", "SparkSession"))
"""Members of SparkSession that give a session."""


@lru_cache(maxsize=4_096)
def column_function(name: str) -> tuple[ColumnFunction, str] | None:
    """Return the function that builds a Column.

    pyspark.sql.functions.sum      what makes a Column of it, and its name in SQL
    """
    found = FUNCTIONS.match(name)
    if found is not None:
        return handler_of(found[1])

    return None


def call(run: Run, name: str, call: Invocation) -> Value:
    """Call a name of a library.

    name(…), where name belongs to a library
    """
    arguments = call.arguments
    of_columns = column_function(name)
    if of_columns is not None:
        make, spelled = of_columns
        if call.keywords:
            arguments = order_arguments(spelled, arguments, call.keywords)

        return make(run, spelled, call.with_arguments(arguments))

    if name.startswith("builtins."):
        return builtin(name[9:])(run, call.with_arguments(arguments))

    handler = LIBRARIES.get(name)
    if handler is not None:
        return handler(run, call.with_arguments(arguments))

    for pattern, call_member in FAMILIES:
        found = pattern.match(name)
        if found is not None:
            return call_member(run, found, call.with_arguments(arguments))

    root = LIBRARY_ROOTS.get(name.partition(".")[0])
    if root is not None:
        return root(run, name, call.with_arguments(arguments))

    return call_unknown(run, name, call.with_arguments(arguments))


def call_unknown(run: Run, name: str, call: Invocation) -> Value:
    """Return a value that only a run knows.

    yaml.safe_load(f), helpers.clean(df)
    """
    computed = computed_by(call.arguments, call.keywords)
    if computed is not None:
        return computed(run, name, call)

    if hands_columns(call.arguments, call.keywords):
        return computed_column(run, name, call)

    if is_configuration(name):
        level = Confidence.LOW
    elif len(call.arguments) == 1 and isinstance(call.arguments[0], Relation) and not call.keywords:
        return Unknown(f"{name.rsplit('.', 1)[-1]}()", f"what {name}() does is not known")
    else:
        level = Confidence.UNKNOWN

    return Unknown(label_of(call.node), f"what {name}() gives is only known when it runs", level)


def is_configuration(name: str) -> bool:
    """Return whether a function of a library reads settings, by how it is called."""
    spelled = name.lower()
    return name.startswith(CONFIGURATION) or any(word in spelled for word in SETTINGS)


# -- families of names -----------------------------------------------------------------------------

Member = re.Match[str]


def call_type(run: Run, member: Member, call: Invocation) -> Value:
    """Build a type.

    T.StringType(), T.StructField("a", T.StringType())
    """
    return type_call(run, member[1], call)


def call_window(run: Run, member: Member, call: Invocation) -> Value:
    """Build a window.

    Window.partitionBy("a"), Window.orderBy("b")
    """
    name = member[3]
    if name not in ("partitionBy", "orderBy"):
        return WindowSpec((), ())

    trees = tuple(trees_of(columns_of(run, call.arguments, call.node)))
    if name == "partitionBy":
        return WindowSpec(trees, ())

    return WindowSpec((), trees)


def call_session(run: Run, member: Member, call: Invocation) -> Value:
    """Build a session.

    SparkSession.builder.appName("x").getOrCreate()
    """
    if member.string.rsplit(".", 1)[-1] in SESSIONS:
        return Session()

    return Library(member.string)


def call_unbound(run: Run, member: Member, call: Invocation) -> Value:
    """Call a DataFrame method that is not bound.

    DataFrame.union(a, b)      a method before it is bound
    """
    if not call.arguments:
        return call_unknown(run, member.string, call)

    return invoke(
        run,
        Method(call.arguments[0], member[2]),
        call.with_arguments(call.arguments[1:]),
    )


def call_context(run: Run, member: Member, call: Invocation) -> Value:
    """Build a context.

    SQLContext(sc)
    """
    return Session()


def call_delta(run: Run, member: Member, call: Invocation) -> Value:
    """Build a Delta table.

    DeltaTable.forName(spark, "orders")
    """
    return delta_table(run, member.string.rsplit(".", 1)[-1], call)


def call_pipeline(run: Run, member: Member, call: Invocation) -> Value:
    """Call a function of a pipeline.

    dlt.read("orders")
    """
    return pipeline_call(run, member.string, call)


def call_glue(run: Run, member: Member, call: Invocation) -> Value:
    """Call a transformation of AWS Glue.

    awsglue.transforms.ApplyMapping.apply(frame, mappings)
    """
    return glue_call(run, member.string, call)


def call_row(run: Run, member: Member, call: Invocation) -> Value:
    """Build a row.

    Row(a=1, b=2), Row(1, 2)
    """
    if call.keywords:
        return dict(call.keywords)

    return list(call.arguments)


def schema_from_text(run: Run, call: Invocation) -> Value:
    """StructType.fromDDL("id BIGINT, name STRING")"""
    return schema_of(run, call.only(), call.node) or unknown_schema(run, call.node)


def schema_from_json(run: Run, call: Invocation) -> Value:
    """StructType.fromJson({"fields": [{"name": "id", "type": "long"}]})"""
    found = json_type(call.only())
    schema = parsed_schema(found) if found.startswith("struct<") else None
    return schema or unknown_schema(run, call.node)


def unknown_schema(run: Run, node: ast.AST) -> Unknown:
    """Return a schema that only a run knows."""
    run.dynamic("a schema that only a run knows", node, gap=False)
    return Unknown("schema", "a schema that only a run knows")


def json_type(held: Value) -> str:
    """{"type": "array", "elementType": "long"}      array<long>, as DDL spells it"""
    if isinstance(held, str):
        return held

    if not isinstance(held, dict):
        return ""

    kind = held.get("type", "struct")
    if isinstance(kind, dict):
        return json_type(kind)

    if kind == "struct":
        fields = instances(held.get("fields", ()), dict)
        named = (f"{each.get('name')}:{json_type(each.get('type'))}" for each in fields)
        return f"struct<{','.join(named)}>"

    if kind == "array":
        return f"array<{json_type(held.get('elementType'))}>"

    if kind == "map":
        return f"map<{json_type(held.get('keyType'))},{json_type(held.get('valueType'))}>"

    return str(kind)


def call_learning(run: Run, member: Member, call: Invocation) -> Value:
    """pyspark.ml.feature.VectorAssembler(…), pyspark.ml.PipelineModel.load(path)"""
    return call_ml(run, member[1], member[2] or "", call)


MemberCall = Callable[[Run, Member, Invocation], Value]

LIBRARIES.update(
    {
        **dict.fromkeys(LOADERS, load_values),
        **FILE_LIBRARIES,
        **PANDAS_LIBRARIES,
        "pyspark.sql.types.StructType.fromDDL": schema_from_text,
        "pyspark.sql.types.StructType.fromJson": schema_from_json,
        "mlflow.spark.log_model": log_model,
        "mlflow.spark.save_model": log_model,
        "mlflow.spark.load_model": load_logged,
        "mlflow.pyfunc.spark_udf": lambda run, call: Udf("model"),
    }
)

FAMILIES: list[tuple[re.Pattern[str], MemberCall]] = [
    (re.compile(r"^pyspark\.sql\.types\.(\w*Type|StructField)$"), call_type),
    (re.compile(r"^pyspark\.sql(\.window)?\.Window(Spec)?\.(\w+)$"), call_window),
    (
        re.compile(
            r"^pyspark\.sql(\.session|\.connect)?\.SparkSession"
            r"|^databricks\.connect\.DatabricksSession"
        ),
        call_session,
    ),
    (re.compile(r"^pyspark\.sql\..*?\b(DataFrame|Column)\.(\w+)$"), call_unbound),
    (re.compile(r"^(.*\.)?(SQLContext|HiveContext)$"), call_context),
    (re.compile(r"^(delta\.|io\.delta).*DeltaTable\."), call_delta),
    (re.compile(r"^(dlt\.|pyspark\.pipelines|databricks\.declarative)"), call_pipeline),
    (re.compile(r"^awsglue\."), call_glue),
    (re.compile(r"^pyspark\.ml\.(?:[a-z]\w*\.)?([A-Z]\w*)(?:\.(\w+))?$"), call_learning),
    (re.compile(r"^pyspark\.sql\.(Row|types\.Row$)"), call_row),
]
"""Names of one library that are called alike; the first pattern that matches decides."""
