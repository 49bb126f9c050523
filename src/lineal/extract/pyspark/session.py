"""The session: tables, files, SQL texts, temporary views."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from lineal.algebra.relation import scan
from lineal.extract.pyspark.branches import merge_relations
from lineal.extract.pyspark.connectors import connector_name
from lineal.extract.pyspark.dispatch import FRAME_METHODS
from lineal.extract.pyspark.invocation import (
    Arguments,
    Invocation,
    Keywords,
    argument_at,
    named_argument,
)
from lineal.extract.pyspark.local_data import create_data_frame, local_relation
from lineal.extract.pyspark.names import is_nameless, owned_name, table_parts
from lineal.extract.pyspark.relation import Relation, open_star, scan_frame
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.types import schema_of
from lineal.extract.pyspark.values import (
    Builder,
    Choice,
    Function,
    Pattern,
    SchemaValue,
    Session,
    Udf,
    Unknown,
    Value,
    label_of,
)
from lineal.model.paths import delta_path
from lineal.model.sequences import all_are
from lineal.model.way import Confidence

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


# -- reading ---------------------------------------------------------------------------------------


def table(run: Run, call: Invocation) -> Value:
    """Read a table.

    spark.table("db.orders")
    """
    name = call.argument(0, "tableName", call.keywords.get("name"))
    return read_name(run, name, call.node, read_table)


def read_name(
    run: Run, name: Value, node: ast.AST, read: Callable[[Run, str, Any], Relation]
) -> Value:
    """Read a dataset by its name; one of several names gives one of several DataFrames."""
    if isinstance(name, Choice) and all_are(name.options, str):
        found = read(run, name.options[0], node)
        for option in name.options[1:]:
            found = merge_relations(found, read(run, option, node))

        return found

    if isinstance(name, str):
        if isinstance(name, Pattern):
            if name.level < Confidence.HIGH:
                run.dynamic("a name with parts that only a run knows", node, name.level, gap=False)

            return read(run, name.retold(owned_name(name, name.home or run.home)), node)

        return read(run, name, node)

    if isinstance(name, Unknown):
        run.dynamic(f"a name that only a run knows ({name.reason})", node, name.level, gap=False)
        return read(run, owned_name(f"{{{name.label}}}", name.home or run.home), node)

    run.dynamic("a name that only a run knows", node, gap=False)
    return read(run, owned_name(f"{{{label_of(node)}}}", run.home), node)


def in_use(run: Run, parts: list[str]) -> list[str]:
    """Return a table's name in the current database.

    USE sales; spark.table("orders")      sales.orders
    """
    catalog, database = run.using
    if len(parts) == 1 and database:
        parts = [database, *parts]

    if len(parts) == 2 and catalog and parts[0].lower() != "global_temp":
        parts = [catalog, *parts]

    if run.program.main is None:
        return parts

    return without_session(parts)


def without_session(parts: list[str]) -> list[str]:
    """Return a table's name without the session catalog.

    spark_catalog.default.orders      orders, as a run calls it
    """
    for word, length in SESSION_PARTS:
        if len(parts) == length and parts[0].lower() == word:
            parts = parts[1:]

    return parts


SESSION_PARTS = (("spark_catalog", 3), ("default", 2))
"""The parts that a run leaves out of names, and how many parts such a name has."""


def use_database(run: Run, catalog: str, database: str) -> None:
    """Set the current database.

    USE sales, spark.catalog.setCurrentDatabase("sales")      from here on
    """
    if catalog == "spark_catalog":
        catalog = ""

    if database == "default":
        database = ""

    run.using = (catalog, database)


def is_live(run: Run, parts: list[str]) -> bool:
    """Tell whether a name is a dataset of the pipeline.

    LIVE.orders      a dataset of the pipeline itself
    """
    return len(parts) == 2 and parts[0].lower() == "live" and run.reading.is_pipeline


def read_table(run: Run, name: str, node: ast.AST) -> Relation:
    """Read a view of the session or a table."""
    parts, is_path = table_parts(name)
    if is_live(run, parts):
        parts = parts[1:]

    if is_path:
        return dataset(run, parts[0], ".".join(parts), node)

    view = find_view(run, parts)
    if view is not None:
        return view

    if run.using != ("", "") or run.program.main is not None:
        parts = in_use(run, parts)

    qualifier = tuple(part.lower() for part in parts)
    return dataset(run, ".".join(qualifier), ".".join(parts), node, qualifier)


def find_view(run: Run, parts: list[str]) -> Relation | None:
    """Return a temporary view of that name.

    orders, global_temp.orders
    """
    folded = [part.lower() for part in parts]
    name = folded[-1]
    if len(folded) == 1 and name in run.views:
        return read_view(run.views[name], name)

    if folded[:-1] == ["global_temp"] and name in run.global_views:
        return read_view(run.global_views[name], name)

    return None


def read_view(relation: Relation, name: str) -> Relation:
    """A temporary view is composed away; its columns may be called by its name."""
    found = relation.derive([each._replace(qualifier=(name,)) for each in relation.attributes])
    found.under = None
    return found


def dataset(
    run: Run, key: str, spelling: str, node: ast.AST, qualifier: tuple[str, ...] = (),
    schema: SchemaValue | None = None, of_format: bool = False,
) -> Relation:  # fmt: skip
    """A scan of a dataset by its name: what the program or the corpus knows of it, else an open
    star.

    read.text("/out/orders.csv")      its lines, whatever columns were written there
    """
    if is_nameless(key):
        return unknown_frame(run, Unknown("", "a name that is empty"), node)

    evaluation = run.evaluation()
    home, frame = evaluation.scan(key, spelling, node)
    types = run.program.types_of(key)
    otherwise = of_format and schema is not None and schema.fields[0][0].lower() not in frame.index
    if (frame.stars or otherwise) and schema is not None and home is not None:
        frame = scan(home, [(name, name.lower()) for name, _ in schema.fields], True)
        types = {name.lower(): kind for name, kind in schema.fields}

    relation = scan_frame(frame, qualifier)
    relation.evaluation = evaluation
    relation.types = {
        each.id: types[each.key] for each in relation.attributes if types.get(each.key)
    }
    return relation


def read_path_or_table(run: Run, name: str, node: ast.AST) -> Relation:
    """Read a path, or the table that is stored there."""
    spelled = run.program.path_of(name)
    table_at = run.program.located.get(spelled)
    if table_at is not None:
        return read_table(run, table_at, node)

    return dataset(run, spelled, spelled, node)


def open_dataset(run: Run, held: Unknown, node: ast.AST) -> Relation:
    """An undefined df, a parameter that no call binds: an open dataset of its own."""
    if held.level < Confidence.MEDIUM:
        return unknown_frame(run, held, node)

    name = f"{run.home.partition('::')[0]}::{held.label}"
    found = run.program.opened.get(name)
    if found is None:
        found = run.program.opened[name] = dataset(run, name.lower(), name, node)

    return found


def unknown_frame(run: Run, held: Unknown, node: ast.AST) -> Relation:
    """Return a DataFrame of an unknown source.

    enrich(orders).select(…)

    Return a DataFrame without a source: it may have any column, and it reads what it was made of.
    """
    run.dynamic(f"a DataFrame that only a run knows ({held.reason})", node, held.level)
    return Relation([open_star()], {}, held.inputs)


def range_(run: Run, call: Invocation) -> Value:
    """Build a DataFrame of numbers.

    spark.range(10)
    """
    return local_relation(SchemaValue([("id", "bigint")]))


# -- the table of the session's methods ------------------------------------------------------------


def register(run: Run, call: Invocation) -> Value:
    """Register a UDF.

    spark.udf.register("name", f)
    """
    name = call.argument(0, "name")
    if not isinstance(name, str):
        name = "udf"

    function = call.argument(1, "f")
    if isinstance(function, Udf):
        return replace(function, name=name)

    return Udf(name, body=function, by_row=isinstance(function, Function))


def same_session(run: Run, call: Invocation) -> Value:
    """Return the session itself.

    spark.newSession(), SparkSession.builder
    """
    return Session()


SESSION: dict[str, Callable[[Run, Invocation], Value]] = {
    "table": table,
    "createDataFrame": create_data_frame,
    "range": range_,
    "newSession": same_session,
    "builder": same_session,
    "getOrCreate": same_session,
    "registerDataFrameAsTable": lambda run, call: None,
    "stop": lambda run, call: None,
}


# -- spark.read ------------------------------------------------------------------------------------

COLUMNS_OF_FORMATS = {
    "text": ("value",),
    "textFile": ("value",),
    "binaryFile": ("path", "modificationTime", "length", "content"),
    "kafka": ("key", "value", "topic", "partition", "offset", "timestamp", "timestampType"),
}
"""The columns that a format gives to whatever it reads."""

FORMATS = frozenset(
    ("parquet", "csv", "json", "orc", "text", "load", "textFile", "xml", "avro", "delta")
)


def read_call(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Call a method of a reader.

    spark.read.option(…).schema(…).parquet(path)
    """
    if name in ("option", "options"):
        return held.with_options(call.arguments, call.keywords)

    if name == "format":
        return held.with_(format=call.argument(0, "source"))

    if name == "schema":
        return held.with_(schema=schema_of(run, argument_at(call.arguments), call.node))

    if name == "table":
        return table(run, call)

    if name == "jdbc":
        given = dict(zip(("url", "table"), call.arguments, strict=False)) | call.keywords
        return read_name(run, given.get("table"), call.node, database_table)

    if name in FORMATS:
        return read_path(run, held, name, call)

    return held


def read_path(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Read files.

    spark.read.parquet(path), spark.read.format("csv").load(path)
    """
    options = held.parts.get("options", {})
    database = connector_name(options)
    if database is not None and name == "load":
        return read_name(run, database, call.node, database_table)

    schema = held.parts.get("schema")
    if call.keywords.get("schema") is not None:
        schema = schema_of(run, call.keywords["schema"], call.node)

    fixed = columns_of_format(held, name)
    if fixed is not None and (schema is None or fixed[0] != "value"):
        schema = SchemaValue([(each, "") for each in fixed])

    def read(run: Run, spelled: str, node: ast.AST) -> Relation:
        """Return the table whose files are at the path, else the path as a dataset."""
        shown = run.program.path_of(spelled)
        located = run.program.located.get(shown)
        if located is not None:
            return read_table(run, located, node)

        return dataset(run, shown, shown, node, (), schema, of_format=fixed is not None)

    found: Value = None

    for path in paths_to_read(held, name, call.arguments, call.keywords):
        one = read_rows(run, path, call.node) or read_name(run, path, call.node, read)
        if found is None:
            found = one
        elif isinstance(found, Relation) and isinstance(one, Relation):
            found = FRAME_METHODS["unionByName"](run, found, call.with_arguments([one], {}))

    return found


JSON_ROWS = "the rows of a DataFrame, as JSON"
"""Why the value of df.toJSON() is not known."""


def read_rows(run: Run, held: Value, node: ast.AST) -> Relation | None:
    """Return a DataFrame of rows that another one gave; None for a path.

    spark.read.json(df.toJSON()), spark.read.json(df.rdd.map(f))      the columns of df, or unknown
    """
    if not isinstance(held, Unknown) or not held.inputs or held.collected is not None:
        return None

    if held.reason == JSON_ROWS:
        return held.inputs[0].derive()

    return unknown_frame(run, held, node)


def columns_of_format(held: Builder, name: str) -> tuple[str, ...] | None:
    """Return the columns that a format fixes.

    spark.read.text(path), spark.read.format("kafka").load()
    """
    if name == "load":
        name = str(held.parts.get("format", ""))

    return COLUMNS_OF_FORMATS.get(name)


def paths_to_read(
    held: Builder, name: str, arguments: Arguments, keywords: Keywords
) -> Sequence[Value]:
    """Return the paths that a reader is given.

    load(path), load([a, b]), parquet(a, b), option("path", a)
    """
    options, kind = held.parts.get("options", {}), held.parts.get("format", name)
    default = options.get("path", options.get("subscribe"))
    path = named_argument(arguments, keywords, 0, "path", default)
    if path is None:
        path = options.get("topic", f"{{{kind}}}")

    if isinstance(path, (list, tuple)):
        return path

    is_delta = "delta" in (name, str(kind).lower())
    if isinstance(path, str) and is_delta:
        path = delta_path(path)

    if name not in SEVERAL_PATHS:
        return [path]

    return [path, *(more for more in arguments[1:] if isinstance(more, str))]


SEVERAL_PATHS = ("parquet", "orc", "json")
"""Methods that take any number of paths."""

AROUND_QUERY = re.compile(r"\)\s*(AS\s+)?\w*\s*$", re.IGNORECASE)


def database_table(run: Run, name: str, node: ast.AST) -> Relation:
    """Read a table of another database.

    jdbc: a table, or (SELECT …) AS t
    """
    text = name.strip()
    if text.startswith("("):
        query = AROUND_QUERY.sub("", text[1:])
    elif text.lower().startswith(("select ", "with ")):
        query = text
    else:
        return read_table(run, text, node)

    result = SESSION["sql"](run, Invocation([query], {}, node))
    if isinstance(result, Relation):
        return result

    return local_relation(SchemaValue([]))


def catalog_call(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Call a method of the catalog.

    spark.catalog.dropTempView("v"), spark.catalog.setCurrentDatabase("sales")
    """
    if name == "currentDatabase":
        return run.using[1] or "default"

    given = argument_at(call.arguments)
    if name in CATALOG_CHANGES and isinstance(given, str):
        return CATALOG_CHANGES[name](run, given)

    return unknown_of_catalog(name)


def unknown_of_catalog(name: str) -> Unknown:
    """Return the answer of the catalog that only a run knows."""
    return Unknown(f"catalog.{name}()", "asked of the catalog", Confidence.LOW)


def drop_temporary(run: Run, view: str) -> Value:
    """spark.catalog.dropTempView("v")"""
    drop_view(run, run.views, view)
    return unknown_of_catalog("dropTempView")


def drop_global(run: Run, view: str) -> Value:
    """spark.catalog.dropGlobalTempView("v")"""
    drop_view(run, run.global_views, view)
    return unknown_of_catalog("dropGlobalTempView")


CATALOG_CHANGES: dict[str, Callable[[Run, str], Value]] = {
    "setCurrentDatabase": lambda run, database: use_database(run, run.using[0], database),
    "setCurrentCatalog": lambda run, catalog: use_database(run, catalog, ""),
    "dropTempView": drop_temporary,
    "dropGlobalTempView": drop_global,
}


def drop_view(run: Run, views: dict[str, Relation], name: str) -> None:
    """Drop a temporary view.

    spark.catalog.dropTempView("v")
    """
    run.touch(views)
    views.pop(name.lower(), None)


def conf_call(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Call a method of the configuration.

    spark.conf.get("day")
    """
    if name == "get" and call.arguments and isinstance(call.arguments[0], str):
        return Unknown(call.arguments[0], "configuration", Confidence.LOW)

    return None


def udf_registry(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Call a method of the UDF registry.

    spark.udf.register("clean", clean)
    """
    return register(run, call)


def udtf_registry(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Call a method of the registry of table functions.

    spark.udtf.register("split_words", SplitWords)
    """
    return call.argument(1, "f")
