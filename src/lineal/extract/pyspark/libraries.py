"""What libraries offer: the standard library's harmless parts, configuration, and PySpark's own
names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from lineal.extract.pyspark.columns.functions import (
    ColumnFunction,
    columns_of,
    handler_of,
    order_arguments,
)
from lineal.extract.pyspark.delta import delta_table
from lineal.extract.pyspark.dispatch import (
    Arguments,
    Keywords,
    invoke,
)
from lineal.extract.pyspark.glue import glue_call
from lineal.extract.pyspark.library_functions import LIBRARIES
from lineal.extract.pyspark.pipelines import pipeline_call
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.types import type_call
from lineal.extract.pyspark.value_methods import builtin
from lineal.extract.pyspark.values import (
    Library,
    Method,
    Session,
    Unknown,
    Value,
    WindowSpec,
    label_of,
)
from lineal.model.way import Confidence

FUNCTIONS = re.compile(r"^pyspark\.sql\.(connect\.)?functions(\.builtin)?\.(\w+)$")
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
    """pyspark.sql.functions.sum      what makes a Column of it, and its name in SQL"""
    found = FUNCTIONS.match(name)
    if found is not None:
        return handler_of(found[3])
    return None


def call(run: Run, name: str, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """name(…), where name belongs to a library"""
    of_columns = column_function(name)
    if of_columns is not None:
        make, spelled = of_columns
        if keywords:
            arguments = order_arguments(spelled, arguments, keywords)
        return make(run, spelled, arguments, keywords, node)

    if name.startswith("builtins."):
        return builtin(name[9:])(run, arguments, keywords, node)

    handler = LIBRARIES.get(name)
    if handler is not None:
        return handler(run, arguments, keywords, node)

    for pattern, call_member in FAMILIES:
        found = pattern.match(name)
        if found is not None:
            return call_member(run, found, arguments, keywords, node)

    return call_unknown(run, name, arguments, keywords, node)


def call_unknown(
    run: Run, name: str, arguments: Arguments, keywords: Keywords, node: Any
) -> Unknown:
    """yaml.safe_load(f), helpers.clean(df)      Return that only a run knows what comes out."""
    if is_configuration(name):
        level = Confidence.LOW
    elif len(arguments) == 1 and isinstance(arguments[0], Relation) and not keywords:
        return Unknown(f"{name.rsplit('.', 1)[-1]}()", f"what {name}() does is not known")
    else:
        level = Confidence.UNKNOWN

    return Unknown(label_of(node), f"what {name}() gives is only known when it runs", level)


def is_configuration(name: str) -> bool:
    """Return whether a function of a library reads settings, by how it is called."""
    spelled = name.lower()
    return name.startswith(CONFIGURATION) or any(word in spelled for word in SETTINGS)


# -- families of names -----------------------------------------------------------------------------

Member = re.Match[str]


def call_type(
    run: Run, member: Member, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """T.StringType(), T.StructField("a", T.StringType())"""
    return type_call(run, member[1], arguments, keywords, node)


def call_window(
    run: Run, member: Member, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """Window.partitionBy("a"), Window.orderBy("b")"""
    name = member[3]
    if name not in ("partitionBy", "orderBy"):
        return WindowSpec((), ())

    trees = tuple(item.tree for item in columns_of(run, arguments, node))
    if name == "partitionBy":
        return WindowSpec(trees, ())
    return WindowSpec((), trees)


def call_session(
    run: Run, member: Member, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """SparkSession.builder.appName("x").getOrCreate()"""
    if member.string.rsplit(".", 1)[-1] in SESSIONS:
        return Session()
    return Library(member.string)


def call_unbound(
    run: Run, member: Member, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """DataFrame.union(a, b)      a method before it is bound"""
    if not arguments:
        return call_unknown(run, member.string, arguments, keywords, node)
    return invoke(run, Method(arguments[0], member[2]), arguments[1:], keywords, node)


def call_context(
    run: Run, member: Member, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """SQLContext(sc)"""
    return Session()


def call_delta(
    run: Run, member: Member, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """DeltaTable.forName(spark, "orders")"""
    return delta_table(run, member.string.rsplit(".", 1)[-1], arguments, keywords, node)


def call_pipeline(
    run: Run, member: Member, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """dlt.read("orders")"""
    return pipeline_call(run, member.string, arguments, keywords, node)


def call_glue(
    run: Run, member: Member, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """awsglue.transforms.ApplyMapping.apply(frame, mappings)"""
    return glue_call(run, member.string, arguments, keywords, node)


def call_row(
    run: Run, member: Member, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """Row(a=1, b=2), Row(1, 2)"""
    if keywords:
        return dict(keywords)
    return list(arguments)


MemberCall = Callable[[Run, Member, Arguments, Keywords, Any], Value]

FAMILIES: tuple[tuple[re.Pattern[str], MemberCall], ...] = (
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
    (re.compile(r"^pyspark\.sql\.(Row|types\.Row$)"), call_row),
)
"""Names of one library that are called alike; the first pattern that matches decides."""
