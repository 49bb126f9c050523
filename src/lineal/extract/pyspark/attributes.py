"""value.name and value[item] over abstract values."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from lineal.extract.pyspark.collected import KEPT_BY, MAPPING_METHODS, part_of
from lineal.extract.pyspark.columns.methods import METHODS as COLUMN_METHODS
from lineal.extract.pyspark.columns.methods import method as column_method
from lineal.extract.pyspark.columns.trees import bound_column
from lineal.extract.pyspark.dbt import Dbt, RelationName, part_of_name
from lineal.extract.pyspark.dbt import attribute as of_dbt
from lineal.extract.pyspark.dispatch import (
    ACTIONS,
    ATTRIBUTES,
    EXPRESSIONS,
    FRAME_METHODS,
    attribute_of,
    invoke,
    value,
)
from lineal.extract.pyspark.glue import attribute as of_glue
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.ml import apply_stage, attribute_of_stage, is_stage, parameter_method
from lineal.extract.pyspark.paths import PARTS
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Environment, Run
from lineal.extract.pyspark.types import spark_spelling, type_method, type_value
from lineal.extract.pyspark.values import (
    SCHEMA_UNKNOWN,
    Builder,
    Class,
    ColumnValue,
    FieldValue,
    Function,
    Instance,
    Library,
    Method,
    Module,
    Native,
    Partial,
    PartialMethod,
    SchemaValue,
    Session,
    Super,
    TextMember,
    TypeValue,
    Unknown,
    Value,
    label_of,
)
from lineal.model.sequences import first_of_each
from lineal.model.way import Confidence

COLUMN_NAMES = frozenset(COLUMN_METHODS) | {
    "substr",
    "startswith",
    "endswith",
    "contains",
    "transform",
    "isNaN",
}

STRONG = frozenset(
    """select selectExpr withColumn withColumns withColumnRenamed withColumnsRenamed where groupBy groupby filter
    orderBy dropDuplicates drop_duplicates unionByName unionAll crossJoin createOrReplaceTempView
    createTempView writeTo saveAsTable fillna dropna repartition printSchema toPandas exceptAll rdd
    createGlobalTempView createOrReplaceGlobalTempView unpersist mapInPandas toDF distinct agg na
    sortWithinPartitions""".split()  # noqa: SIM905
)
"""Names that only a DataFrame has: the value before them is one."""

SESSION_NAMES = frozenset(
    ("read", "readStream", "sql", "createDataFrame", "catalog", "sparkContext", "newSession")
)


def attribute(run: Run, node: ast.Attribute, env: Environment) -> Value:
    """Evaluate an attribute.

    df.x, F.col, self.spark
    """
    held = value(run, node.value, env)
    return attribute_of(run, held, node.attr, node)


def of_relation(run: Run, held: Relation, name: str, node: ast.AST) -> Value:
    """Return an attribute of a DataFrame.

    df.columns, df.write, df.filter, df.x
    """
    if run.patched and ("DataFrame", name) in run.patched:
        return Partial(run.patched["DataFrame", name], (held,), {})

    if name in FRAME_METHODS:
        return Method(held, name)

    part = FRAME_PARTS.get(name)
    if part is not None:
        return part(run, held, name, node)

    if name in ACTIONS or name in ("isStreaming", "storageLevel", "isLocal"):
        return Method(held, name)

    tree = bound_column(run, held, name, node)
    if tree is not None and name.lower() not in held.by_key:
        tree.meta["home"] = held  # perhaps a method that nobody knows

    return ColumnValue(tree)


def frame_columns(run: Run, held: Relation, name: str, node: ast.AST) -> Value:
    """Return the column names of a DataFrame.

    df.columns
    """
    if held.complete:
        return list(held.names)

    return unknown_names(held, label_of(node))


def unknown_names(held: Relation, label: str) -> Unknown:
    """Return the columns of a DataFrame whose schema is not known: all of them, whatever they are."""
    return Unknown(label, SCHEMA_UNKNOWN, Confidence.LOW, inputs=(held,))


def frame_schema(run: Run, held: Relation, name: str, node: ast.AST) -> Value:
    """df.schema"""
    return schema_value(held) or unknown_names(held, name)


def frame_types(run: Run, held: Relation, name: str, node: ast.AST) -> Value:
    """Return the column types of a DataFrame.

    df.dtypes
    """
    schema = schema_value(held)
    if schema is None:
        return unknown_names(held, name)

    return [(column, spark_spelling(kind)) for column, kind in schema.fields]


def frame_functions(run: Run, held: Relation, name: str, node: ast.AST) -> Value:
    """Return the null or statistics functions of a DataFrame.

    df.na, df.stat
    """
    return Builder(name, {"relation": held})


def frame_writer(run: Run, held: Relation, name: str, node: ast.AST) -> Value:
    """Return the writer of a DataFrame.

    df.write, df.writeStream
    """
    return Builder("write", {"relation": held, "stream": name == "writeStream"})


def frame_rdd(run: Run, held: Relation, name: str, node: ast.AST) -> Value:
    """Return the RDD of a DataFrame.

    df.rdd
    """
    run.dynamic("an RDD, which has no columns", node)
    return Unknown("rdd", "an RDD has no columns", inputs=(held,))


def frame_session(run: Run, held: Relation, name: str, node: ast.AST) -> Value:
    """Return the session of a DataFrame.

    df.sparkSession
    """
    return Session()


FRAME_PARTS: dict[str, Callable[[Run, Relation, str, Any], Value]] = {
    "columns": frame_columns,
    "schema": frame_schema,
    "dtypes": frame_types,
    "na": frame_functions,
    "stat": frame_functions,
    "write": frame_writer,
    "writeStream": frame_writer,
    "rdd": frame_rdd,
    "sparkSession": frame_session,
}
"""The attributes of a DataFrame that are neither columns nor methods."""


def schema_value(held: Relation) -> SchemaValue | None:
    """Return a schema as a value.

    df.schema      where all columns are known
    """
    if not held.complete:
        return None

    return SchemaValue([(each.slot.name, held.types.get(each.id, "")) for each in held.attributes])


def of_column(run: Run, held: ColumnValue, name: str, node: ast.AST) -> Value:
    """Return an attribute of a Column.

    col("a").alias, df.address.city
    """
    if run.patched and ("Column", name) in run.patched:
        return Partial(run.patched["Column", name], (held,), {})

    if name in COLUMN_NAMES or name.startswith("_"):
        return Method(held, name)

    return column_method(run, held, "getField", Invocation([name], {}, node))


def of_session(run: Run, held: Session, name: str, node: ast.AST) -> Value:
    """Return an attribute of the session.

    spark.read, spark.catalog, spark.udf
    """
    if name in ("read", "readStream"):
        return Builder("read", {"stream": name == "readStream"})

    if name in ("catalog", "conf", "udf", "udtf", "tvf", "sparkContext", "streams", "dataSource"):
        return Builder(name)

    return Method(held, name)


def of_builder(run: Run, held: Builder, name: str, node: ast.AST) -> Value:
    """Return a method of a builder.

    df.write.format, DeltaTable.alias
    """
    if held.kind == "glue":
        found = of_glue(run, held, name)
        if found is not None:
            return found

    if held.kind == "ml":
        found = attribute_of_stage(held, name)
        if found is not None:
            return found

    return Method(held, name)


def of_library(run: Run, held: Library, name: str, node: ast.AST) -> Value:
    """Return a name of a library.

    F.col, os.environ
    """
    if name in ("__name__", "__qualname__"):
        return held.name.rpartition(".")[2]

    return run.program.member_of_library(f"{held.name}.{name}")


def of_module(run: Run, held: Module, name: str, node: ast.AST) -> Value:
    """Return a name of a module of the program.

    helpers.clean, where helpers is a file of the program
    """
    if name in held.names:
        return held.names[name]

    return run.program.submodule(run, held, name, node)


def of_instance(run: Run, held: Instance, name: str, node: ast.AST) -> Value:
    """Return an attribute of an object.

    self.spark, config.target      a field, a property or a method
    """
    if name in held.names:
        return held.names[name]

    if name == "__class__":
        return held.home

    if name == "__dict__":
        return held.names

    if name in TUPLE_NAMES and held.home.is_tuple:
        return TUPLE_NAMES[name](held)

    found = taken_from(run, held.home.find(name), held, name, node)
    if found is not None:
        return found

    if name in ("fit", "transform") and is_stage(held):
        return Native(
            name,
            lambda run, call: apply_stage(run, held, name, call.argument(0, "dataset"), call.node),
        )

    if is_stage(held):
        method = parameter_method(held, name)
        if method is not None:
            return method

    asked = held.home.find("__getattr__")
    if isinstance(asked, Function):
        return invoke(run, asked, Invocation([held, name], {}, node))

    return Unknown(name, f"{held.home.name} has no {name} that is known", Confidence.LOW)


TUPLE_NAMES: dict[str, Callable[[Instance], Value]] = {
    "_fields": lambda held: tuple(first_of_each(held.home.all_fields)),
    "_asdict": lambda held: Native("_asdict", lambda *_: dict(held.names)),
    "_replace": lambda held: Native(
        "_replace", lambda run, call: Instance(held.home, {**held.names, **call.keywords})
    ),
}
"""The attributes of every named tuple."""


def taken_from(run: Run, found: Value, held: Value, name: str, node: ast.AST) -> Value:
    """Return the attribute that a class has under a name, seen from one of its instances."""
    if isinstance(found, PartialMethod):
        return Partial(found.function, (held, *found.arguments), found.keywords)

    if not isinstance(found, Function):
        return found

    if "property" in found.decorators or "cached_property" in found.decorators:
        return invoke(run, found, Invocation([held], {}, node))

    if "staticmethod" in found.decorators:
        return found

    if "classmethod" in found.decorators and isinstance(held, Instance):
        return Method(held.home, name, found)

    return Method(held, name, found)


def of_class(run: Run, held: Class, name: str, node: ast.AST) -> Value:
    """Return an attribute of a class.

    Config.DEFAULT, Kind.RENAME
    """
    found = held.find(name)
    if isinstance(found, Function) and "classmethod" in found.decorators:
        return Method(held, name, found)

    if found is not None:
        return found

    if name == "__name__":
        return held.name

    if name == "__subclasses__":
        return Native(name, lambda *_: list(held.heirs))

    if any(name in made.names for made in held.order):
        return None

    return Unknown(name, f"{held.name} has no {name} that is known")


def of_unknown(run: Run, held: Unknown, name: str, node: ast.AST) -> Value:
    """Return an attribute of a value that only a run knows; df.select tells that it is a DataFrame."""
    if held.collected is not None:
        return attribute_of_collected(run, held, name, node)

    is_file = held.label.startswith("open")
    if name in run.program.strong_names(run) or (name == "write" and not is_file):
        return attribute_of(run, run.program.open_frame(run, held, node), name, node)

    spelled = names_of_unknown(held, node)
    session = run.program.open_session(run) if "session" in spelled else None
    if session is not None:
        return attribute_of(run, session, name, node)

    if name in SESSION_NAMES:
        return of_session(run, Session(), name, node)

    if name in ("table", "range", "udf", "conf") and "spark" in spelled:
        return of_session(run, Session(), name, node)

    level = min(held.level, Confidence.LOW)
    return Unknown(name, held.reason, level, home=held.home, inputs=held.inputs)


MADE_BY = re.compile(r"what (\S+)\(\) gives")


def names_of_unknown(held: Unknown, node: ast.AST) -> str:
    """Return the words that tell what a value may be, in lower case.

    self.spark = get_spark("my job")      its label, what it is called, and the function it is from
    """
    called = [label_of(node.value)] if isinstance(node, ast.Attribute) else []
    return " ".join([held.label, *called, *MADE_BY.findall(held.reason)]).lower()


def attribute_of_collected(run: Run, held: Unknown, name: str, node: Any) -> Value:
    """row.x, row.asDict(), rows.copy(), latest.year"""
    assert held.collected is not None
    if name in KEPT_BY:
        return Native(name, lambda run, call: held)

    row = held.collected.row
    if row is None or isinstance(node.ctx, ast.Store):
        return held.rename(name)

    if name in MAPPING_METHODS and name not in row.by_key:
        method = MAPPING_METHODS[name]
        return Native(name, lambda run, call: method(run, held, call.arguments, call.node))

    return part_of(run, held, name, node)


def of_schema(run: Run, held: SchemaValue, name: str, node: ast.AST) -> Value:
    """Return an attribute of a schema.

    schema.names, schema.fields
    """
    if name == "names":
        return first_of_each(held.fields)

    if name == "fields":
        return held.field_values

    return Method(held, name)


def of_field(run: Run, held: FieldValue, name: str, node: ast.AST) -> Value:
    """Return an attribute of a schema's field.

    df.schema.fields[0].name
    """
    if name == "name":
        return held.name

    if name == "dataType":
        return type_value(held.type_name)

    if name == "nullable":
        return held.nullable

    return Unknown(name, "a property of a field")


def of_type(run: Run, held: TypeValue, name: str, node: ast.AST) -> Value:
    """Return an attribute of a type.

    field.dataType.simpleString
    """
    if name in ("typeName", "simpleString", "jsonValue"):
        return Method(held, name)

    return type_method(held, name)


def of_function(run: Run, held: Function, name: str, node: ast.AST) -> Value:
    """Return an attribute of a function.

    clean.__name__, clean.__doc__
    """
    if name in ("__name__", "__qualname__"):
        return held.name

    if name == "__doc__":
        if isinstance(held.node, ast.Lambda):
            return None

        return ast.get_docstring(held.node)

    other = held if name in STARTS else Unknown(name, "an attribute of a function")
    return held.notes.get(name, other)


STARTS = frozenset(("submit", "fn", "delay"))
"""The methods that a decorator of Prefect, Celery or Dask gives a function: load.submit(spark) runs it."""


def of_member(run: Run, held: TextMember, name: str, node: ast.AST) -> Value:
    """Return an attribute of an enumeration's member.

    Kind.RENAME.value, Kind.RENAME.name
    """
    return {"value": str(held), "name": held.name}.get(name) or of_instance(
        run, Instance(held.home), name, node
    )


def of_super(run: Run, held: Super, name: str, node: ast.AST) -> Value:
    """Return an attribute of super().

    super().load      found in the bases, called on self
    """
    found = taken_from(run, held.find(name), held.receiver, name, node)
    made = run.making[-1] if name == "__new__" and run.making else None
    return found or Native(name, lambda *_: made)


def of_text(run: Run, held: str, name: str, node: ast.AST) -> Value:
    """Return an attribute of a text.

    Path(__file__).parent; everything else that a text has is a method
    """
    part = PARTS.get(name)
    if part is not None:
        return part(held)

    return Method(held, name)


EXPRESSIONS[ast.Attribute] = attribute

ATTRIBUTES.update(
    {
        str: of_text,
        Relation: of_relation,
        ColumnValue: of_column,
        Session: of_session,
        Builder: of_builder,
        Library: of_library,
        Module: of_module,
        Instance: of_instance,
        Class: of_class,
        Unknown: of_unknown,
        SchemaValue: of_schema,
        FieldValue: of_field,
        TypeValue: of_type,
        Function: of_function,
        TextMember: of_member,
        Super: of_super,
        Dbt: of_dbt,
        RelationName: part_of_name,
    }
)
