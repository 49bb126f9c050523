"""Everything that writes, and the other methods of a DataFrame that end a chain."""

from __future__ import annotations

import ast
import re
from typing import Any

from sqlglot import exp

from lineal.extract.pyspark.collected import DATA, row_of, rows_of, subquery, value_of
from lineal.extract.pyspark.columns.trees import column
from lineal.extract.pyspark.command_line import parser_call
from lineal.extract.pyspark.connectors import connector_name
from lineal.extract.pyspark.dispatch import ACTIONS, BUILDERS, FRAME_METHODS, invoke, item_of
from lineal.extract.pyspark.invocation import Arguments, Invocation, Keywords, argument_at
from lineal.extract.pyspark.knowledge import is_text
from lineal.extract.pyspark.names import is_nameless, owned_name, table_parts
from lineal.extract.pyspark.relation import Relation, open_star
from lineal.extract.pyspark.run import Run, Write
from lineal.extract.pyspark.session import (
    JSON_ROWS,
    catalog_call,
    conf_call,
    in_use,
    read_call,
    udf_registry,
    udtf_registry,
)
from lineal.extract.pyspark.standard import future_call, pool_call
from lineal.extract.pyspark.texts import text_of_parts
from lineal.extract.pyspark.values import (
    Builder,
    Choice,
    ColumnValue,
    Pattern,
    Unknown,
    Value,
    label_of,
    note_of,
)
from lineal.model.diagnostic import Code
from lineal.model.sequences import as_list, flatten
from lineal.model.way import Confidence


def write_dataset(run: Run, write: Write) -> None:
    """Remember a write; within one script a table that is made again starts a new version."""
    if is_nameless(write.name):
        run.dynamic("a target whose name is empty", write.node, gap=False)
        return

    certain = len(run.journals) <= run.watched
    there = run.written.get(write.name.lower())
    if write.keeps and there is not None and there.certain:
        return

    if write.defines and certain and write.name.lower() in run.written:
        own = [held for held in run.writes[run.begun :] if held.name.lower() != write.name.lower()]
        run.writes[run.begun :] = own

    write.script, write.certain, write.reached = run.script, certain, not run.parted
    run.writes.append(write)
    run.touch(run.written)
    if there is None or write.defines:
        run.written[write.name.lower()] = write


def target_names(run: Run, name: Value, node: ast.AST, path: bool) -> list[str]:
    """The names that are written: one, or one for each branch that a name depends on."""
    if isinstance(name, Choice):
        return flatten(target_names(run, option, node, path) for option in name.options)

    if isinstance(name, Unknown) or name is None or not isinstance(name, str):
        level = name.level if isinstance(name, Unknown) else Confidence.UNKNOWN
        run.dynamic("a target that only a run knows", node, level, gap=False)
        label, home = label_of(node), run.home
        if isinstance(name, Unknown):
            label, home = name.label, name.home or home

        return [owned_name(f"{{{label}}}", home)]

    if isinstance(name, Pattern):
        run.dynamic("a target with parts that only a run knows", node, name.level, gap=False)
        name = name.retold(owned_name(name, name.home or run.home))

    if path:
        spelled = run.program.path_of(name)
        return [run.program.located.get(spelled, spelled)]

    parts, is_path = table_parts(name)
    return [".".join(parts if is_path else in_use(run, parts))]


def write_to(
    run: Run, relation: Relation, name: Value, node: ast.AST, path: bool = False, defines: bool = True,
    positional: bool = False, keeps: bool = False,
) -> Value:  # fmt: skip
    """Write a DataFrame to each dataset that a name may mean."""
    for each in target_names(run, name, node, path):
        kind = "file" if path and each not in run.program.located.values() else "table"
        write_dataset(
            run, Write(each, relation, node, run.reading, kind, defines, positional, keeps=keeps)
        )

    return None


PATHS = frozenset(
    ("parquet", "csv", "json", "orc", "text", "save", "xml", "avro", "delta", "start")
)


def write_call(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Call a method of a writer.

    df.write.mode("overwrite").saveAsTable("mart.orders")
    """
    if name in SETTINGS:
        setting, argument = SETTINGS[name]
        return held.with_(**{setting: call.argument(0, argument)})

    if name in ("option", "options"):
        return held.with_options(call.arguments, call.keywords)

    if name in ("mode", "outputMode"):
        return with_mode(run, held, call.only(), call.node)

    if name == "foreach":
        return held.with_(format="foreach")

    if name in FINISHING or name in PATHS:
        return finish_write(run, held, name, call)

    if name in TABLE_WRITES:
        parts = held.parts
        defines = TABLE_WRITES[name]
        return write_to(run, parts["relation"], parts.get("target"), call.node, defines=defines)

    return held


SETTINGS = {
    "format": ("format", "source"),
    "queryName": ("query", "queryName"),
    "foreachBatch": ("each", "func"),
}
"""Method of a writer -> the setting it changes, and the name of its argument"""

FINISHING = frozenset(("saveAsTable", "toTable", "insertInto", "jdbc"))

TABLE_WRITES = {
    "create": True,
    "replace": True,
    "createOrReplace": True,
    "append": False,
    "overwrite": False,
    "overwritePartitions": False,
}
"""Method of `df.writeTo(table)` -> whether it defines the table"""


def with_mode(run: Run, held: Builder, mode: Value, node: ast.AST) -> Builder:
    """Return a writer with its mode, and report a mode that only a run knows."""
    if isinstance(mode, Unknown):
        run.dynamic(note_of("a mode", mode), node, mode.level, gap=False)

    return held.with_(mode=mode)


KEEPING = ("append", "update", "complete", "ignore")
"""Modes that keep the existing rows."""


def finish_write(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Write a DataFrame.

    .save(path), .saveAsTable("orders"), .insertInto("orders")
    """
    parts = held.parts
    relation, options = parts["relation"], parts.get("options", {})
    mode = call.keywords.get("mode", parts.get("mode"))
    how = mode.lower() if isinstance(mode, str) else ""
    append, keeps = how in KEEPING or isinstance(mode, (Unknown, Choice)), how == "ignore"

    if parts.get("each") is not None and name == "start":
        batch = Unknown("batch_id", "the number of a batch", Confidence.LOW)
        invoke(run, parts["each"], call.with_arguments([relation, batch], {}))
        return Unknown("start()", "a streaming query")

    if name == "insertInto":
        target = first_of(call.arguments, call.keywords, "tableName")
        return write_to(run, relation, target, call.node, defines=False, positional=True)

    if name in ("saveAsTable", "toTable"):
        target = first_of(call.arguments, call.keywords, "name", "tableName")
        located = options.get("path")
        if isinstance(located, str) and is_text(target):
            run.program.located[run.program.path_of(located)] = target

        return write_to(run, relation, target, call.node, defines=not append, keeps=keeps)

    if name == "jdbc":
        target = first_of(call.arguments[1:], call.keywords, "table")
        return write_to(run, relation, target, call.node, defines=not append, keeps=keeps)

    database = connector_name(options)
    if database is not None and name == "save":
        return write_to(run, relation, database, call.node, defines=not append, keeps=keeps)

    path = first_of(call.arguments, call.keywords, "path")
    if path is None:
        path = options.get("path", options.get("topic"))

    if path is None and parts.get("format") in ("console", "noop", "foreach"):
        return None

    if path is None and parts.get("format") == "memory":
        query = parts.get("query", call.keywords.get("queryName"))
        return temporary_view(run, relation, call.with_arguments([query], {}))

    return write_to(run, relation, path, call.node, path=True, defines=not append, keeps=keeps)


def first_of(arguments: Arguments, keywords: Keywords, *names: str) -> Value:
    """Return the first argument, or the first of these keywords that is given."""
    if arguments:
        return arguments[0]

    return next((keywords[name] for name in names if name in keywords), None)


# -- the other ends of a chain ---------------------------------------------------------------------


def temporary_view(run: Run, relation: Relation, call: Invocation) -> Value:
    """Create a temporary view.

    df.createOrReplaceTempView("v")
    """
    name = first_of(call.arguments, call.keywords, "name")
    if not isinstance(name, str):
        run.dynamic(
            "a view whose name only a run knows",
            call.node,
            getattr(name, "level", Confidence.UNKNOWN),
        )
        return None

    views = (
        run.global_views
        if "Global" in getattr(getattr(call.node, "func", None), "attr", "")
        else run.views
    )
    run.touch(views)
    views[name.lower()] = relation
    return None


def transform(run: Run, relation: Relation, call: Invocation) -> Value:
    """Apply a function to a DataFrame.

    df.transform(f, a, b)
    """
    if call.arguments:
        return invoke(
            run,
            call.arguments[0],
            call.with_arguments([relation, *call.arguments[1:]]),
        )

    return relation


def write_to_builder(run: Run, relation: Relation, call: Invocation) -> Value:
    """Begin a write to a table.

    df.writeTo("orders")
    """
    return Builder(
        "write", {"relation": relation, "target": first_of(call.arguments, call.keywords, "table")}
    )


def scalar(run: Run, relation: Relation, call: Invocation) -> Value:
    """Return a DataFrame as one value.

    df.scalar()      a DataFrame of one value, in an expression
    """
    return ColumnValue(subquery(relation))


def exists(run: Run, relation: Relation, call: Invocation) -> Value:
    """Return a DataFrame as a condition.

    df.exists()      a subquery as a condition
    """
    return ColumnValue(exp.Exists(this=subquery(relation)))


def collect_rows(run: Run, relation: Relation, call: Invocation) -> Value:
    """Return the rows of a DataFrame.

    df.collect(), df.take(5)
    """
    return rows_of(action_name(call.node), relation)


def first_row(run: Run, relation: Relation, call: Invocation) -> Value:
    """Return one row of a DataFrame, or several.

    df.first(), df.head(), df.head(5)
    """
    if call.arguments or call.keywords:
        return rows_of(action_name(call.node), relation)

    return row_of(action_name(call.node), relation)


def count_rows(run: Run, relation: Relation, call: Invocation) -> Value:
    """Return the number of rows, which the columns decide that decide the rows.

    df.count(), df.isEmpty()
    """
    number = ColumnValue(exp.Count(this=exp.Star(), big_int=True), ("count",))
    return value_of(
        action_name(call.node),
        FRAME_METHODS["agg"](run, relation, call.with_arguments([number], {})),
    )


def column_statistic(run: Run, relation: Relation, call: Invocation) -> Value:
    """Return a number that is computed of columns.

    df.approxQuantile("x", [0.5], 0.0), df.corr("a", "b")
    """
    name = action_name(call.node).rstrip("()")
    given = [*call.arguments, *call.keywords.values()]
    taken = given[:1] if name == "approxQuantile" else given[:2]
    columns = flatten(map(as_list, taken))
    trees = [column(run, each, call.node) for each in columns]
    made = ColumnValue(exp.Anonymous(this=name, expressions=trees))
    return value_of(
        action_name(call.node),
        FRAME_METHODS["agg"](run, relation, call.with_arguments([made], {})),
    )


def action_name(node: Any) -> str:
    """df.collect()      collect()"""
    return f"{getattr(getattr(node, 'func', None), 'attr', 'collect')}()"


def data_only(run: Run, relation: Relation, call: Invocation) -> Value:
    """Return a value that no column decides, or that is not followed.

    df.inputFiles(), df.toArrow()
    """
    return Unknown(action_name(call.node), DATA, inputs=(relation,))


def json_rows(run: Run, relation: Relation, call: Invocation) -> Value:
    """df.toJSON()      an RDD of texts, which spark.read.json reads back"""
    return Unknown("toJSON()", JSON_ROWS, inputs=(relation,))


def write_nothing(run: Run, relation: Relation, call: Invocation) -> Value:
    """Return None: nothing is written.

    df.show()
    """
    return None


def split(run: Run, relation: Relation, call: Invocation) -> Value:
    """Split a DataFrame at random.

    df.randomSplit([0.8, 0.2])
    """
    weights = call.argument(0, "weights")
    count = len(weights) if isinstance(weights, (list, tuple)) else 2
    return [relation.derive() for _ in range(count)]


def report_opaque(run: Run, relation: Relation, call: Invocation) -> Value:
    """Report a method that is not followed.

    df.rdd.map(f)
    """
    name = getattr(getattr(call.node, "func", None), "attr", "this")
    run.report(Code.UNSUPPORTED_CONSTRUCT, f"DataFrame.{name} is not traced", call.node)
    return Relation([open_star()], dict(relation.rows), (relation,))


def column_by_name(run: Run, relation: Relation, call: Invocation) -> Value:
    """Return a column by its name.

    df.colRegex("a")
    """
    return item_of(run, relation, argument_at(call.arguments), call.node)


ACTIONS.update({
    **dict.fromkeys(
        ("createOrReplaceTempView", "createTempView", "registerTempTable", "createGlobalTempView",
         "createOrReplaceGlobalTempView"),
        temporary_view,
    ),
    "transform": transform,
    "writeTo": write_to_builder,
    "scalar": scalar,
    "exists": exists,
    **dict.fromkeys(
        ("toPandas", "toArrow", "inputFiles", "semanticHash", "sameSemantics"), data_only
    ),
    "toJSON": json_rows,
    **dict.fromkeys(("collect", "take", "tail", "toLocalIterator"), collect_rows),
    **dict.fromkeys(("first", "head"), first_row),
    **dict.fromkeys(("count", "isEmpty"), count_rows),
    **dict.fromkeys(("approxQuantile", "corr", "cov"), column_statistic),
    **dict.fromkeys(
        ("show", "printSchema", "explain", "foreach", "foreachPartition", "display", "awaitTermination"), write_nothing
    ),
    "randomSplit": split,
    "transpose": report_opaque,
    "getColumn": column_by_name,
    "metadataColumn": column_by_name,
})  # fmt: skip


def stat_call(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Call a statistics function.

    df.stat.crosstab("a", "b")
    """
    handler = FRAME_METHODS.get(name) or ACTIONS.get(name, collect_rows)
    return handler(run, held.parts["relation"], call)


def match_call(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Call a method of a match.

    re.match(…).group(1)
    """
    groups = held.parts["groups"]
    number = argument_at(call.arguments, 0, 0)
    if name == "group" and isinstance(number, int) and 0 <= number < len(groups):
        return groups[number]

    if name == "groups":
        return tuple(groups[1:])

    return Unknown(f"{name}()", "computed")


PLACEHOLDER = re.compile(r"\$(?:(\$)|([a-z_]\w*)|\{([a-z_]\w*)\})", re.IGNORECASE)


def template_call(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Call a method of a template.

    Template("SELECT $columns").substitute(columns="a, b")
    """
    text = held.parts["text"]
    given = {
        **(call.arguments[0] if call.arguments and isinstance(call.arguments[0], dict) else {}),
        **call.keywords,
    }
    if name not in ("substitute", "safe_substitute") or not isinstance(text, str):
        return Unknown(f"{name}()", "computed")

    parts: list[Value] = []
    end = 0

    for found in PLACEHOLDER.finditer(text):
        label = found[2] or found[3]
        parts += [
            text[end : found.start()],
            "$" if found[1] else given.get(label, Unknown(label, "not given")),
        ]
        end = found.end()

    return text_of_parts([*parts, text[end:]])


def udf_decorator(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Return a decorator that makes a UDF.

    @udf(returnType=StringType())
    """
    return held


BUILDERS.update(
    {
        "arguments": parser_call,
        "read": read_call,
        "write": write_call,
        "catalog": catalog_call,
        "conf": conf_call,
        "udf": udf_registry,
        "udtf": udtf_registry,
        "stat": stat_call,
        "pool": pool_call,
        "future": future_call,
        "match": match_call,
        "template": template_call,
    }
)
