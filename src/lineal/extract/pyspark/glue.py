"""AWS Glue: DynamicFrames, which are DataFrames with methods of their own."""

from __future__ import annotations

import ast
from collections.abc import Callable

from sqlglot import exp

from lineal.extract.pyspark.columns.methods import cast
from lineal.extract.pyspark.columns.trees import bound_column, column
from lineal.extract.pyspark.dispatch import ACTIONS, BUILDERS, invoke
from lineal.extract.pyspark.frames.changes import drop, rename, with_all, with_column
from lineal.extract.pyspark.frames.joins import as_relation, join_on, told_apart
from lineal.extract.pyspark.frames.project import select_items
from lineal.extract.pyspark.frames.rows import drop_nulls, filter_
from lineal.extract.pyspark.invocation import Invocation, Keywords, argument_at
from lineal.extract.pyspark.knowledge import is_known, is_text, items_of
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.session import read_name, read_path_or_table, read_table
from lineal.extract.pyspark.sinks import write_to
from lineal.extract.pyspark.texts import text_of_parts
from lineal.extract.pyspark.values import (
    Builder,
    ColumnValue,
    Function,
    Session,
    Unknown,
    Value,
    positional_names,
)
from lineal.model.diagnostic import Code
from lineal.model.sequences import all_are
from lineal.model.way import Confidence


def glue_call(run: Run, name: str, call: Invocation) -> Value:
    """Call a function of AWS Glue.

    GlueContext(sc), DynamicFrame.fromDF(df, …), ApplyMapping.apply(frame=…, mappings=…)
    """
    last = name.rsplit(".", 1)[-1]
    owner = name.rsplit(".", 2)[-2] if name.count(".") > 1 else ""
    if last == "GlueContext":
        return Builder("glue")

    if last == "fromDF":
        return call.argument(0, "dataframe")

    if last == "apply" and owner in TRANSFORMS:
        frame = call.keywords.get("frame", call.keywords.get("frame1", argument_at(call.arguments)))
        relation = as_relation(run, frame, call.node)
        given = {
            key: value for key, value in call.keywords.items() if key not in ("frame", "frame1")
        }
        if relation is not None:
            return TRANSFORMS[owner](run, relation, call.with_arguments(call.arguments[1:], given))

    if last == "getResolvedOptions":
        names = argument_at(call.arguments, 1)
        if isinstance(names, list) and is_known(names):
            return {
                key: Unknown(str(key), "the arguments of the job", Confidence.LOW) for key in names
            }

        return Unknown("args", "the arguments of the job", Confidence.LOW)

    return Unknown(f"{last}()", f"{name} is not followed", Confidence.LOW)


def attribute(run: Run, held: Builder, name: str) -> Value | None:
    """Return an attribute of a Glue context.

    glueContext.create_dynamic_frame, glueContext.spark_session
    """
    if name == "spark_session":
        return Session()

    if name in ("create_dynamic_frame", "create_data_frame"):
        return Builder("glue_read")

    if name in ("write_dynamic_frame", "write_data_frame"):
        return Builder("glue_write")

    return None


def context_call(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Call a method of a Glue context.

    glueContext.create_dynamic_frame_from_catalog(…)
    """
    for prefix, handler in (
        ("create_dynamic_frame_", read_call),
        ("write_dynamic_frame_", write_call),
    ):
        if name.startswith(prefix):
            return handler(run, held, name.removeprefix(prefix), call)

    return Unknown(f"{name}()", "not followed", Confidence.LOW)


def read_call(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Read a dynamic frame.

    .from_catalog(database="raw", table_name="orders"),
    .from_options(connection_options={"paths": […]})
    """
    if name == "from_catalog":
        given = dict(zip(("database", "table_name"), call.arguments, strict=False)) | call.keywords
        return read_name(run, table_of(given), call.node, read_table)

    options = call.keywords.get("connection_options", argument_at(call.arguments, 1))
    if isinstance(options, dict):
        if "dbtable" in options:
            return read_name(run, options["dbtable"], call.node, read_table)

        paths = options.get("paths", options.get("path"))
        first = paths[0] if isinstance(paths, (list, tuple)) and paths else paths
        return read_name(run, first, call.node, read_path_or_table)

    return read_name(run, None, call.node, read_path_or_table)


def write_call(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Write a dynamic frame.

    .from_options(frame=…, connection_options={"path": …}), .from_catalog(frame=…, database=…,
    table_name=…)
    """
    relation = as_relation(run, call.keywords.get("frame", argument_at(call.arguments)), call.node)
    if relation is None:
        run.dynamic("a DynamicFrame that only a run knows", call.node)
        return None

    if name == "from_catalog":
        return write_to(run, relation, table_of(call.keywords), call.node, defines=False)

    options = call.keywords.get("connection_options")
    if isinstance(options, dict) and "dbtable" in options:
        return write_to(run, relation, options["dbtable"], call.node, defines=False)

    path = options.get("path") if isinstance(options, dict) else None
    return write_to(run, relation, path, call.node, path=True, defines=False)


def table_of(given: Keywords) -> Value:
    """Return the name of a table.

    database="sales", table_name="orders"
    """
    return text_of_parts(
        [given.get("database", given.get("name_space", "")), ".", given.get("table_name", "")]
    )


# -- methods of DynamicFrame -----------------------------------------------------------------------


def apply_mapping(run: Run, relation: Relation, call: Invocation) -> Value:
    """Map the fields of a dynamic frame.

    [("a", "string", "b", "int")]      a becomes b, cast where the types differ
    """
    mappings = call.keywords.get("mappings", argument_at(call.arguments))
    if not isinstance(mappings, (list, tuple)):
        run.dynamic("a mapping that only a run knows", call.node)
        return relation

    items = []
    for mapping in mappings:
        if (
            not isinstance(mapping, (list, tuple))
            or len(mapping) not in (2, 4)
            or not is_known(mapping)
        ):
            run.dynamic("a mapping that only a run knows", call.node)
            continue

        source, target = str(mapping[0]), str(mapping[len(mapping) // 2])
        item = ColumnValue(column(run, source, call.node), (target.strip("`"),))
        if len(mapping) == 4 and mapping[1] != mapping[3]:
            changed = cast(run, ColumnValue(item.tree), call.with_arguments([mapping[3]], {}))
            item = ColumnValue(changed.tree, item.names)

        items.append(item)

    return select_items(run, relation, items, call.node)


def select_fields(run: Run, relation: Relation, call: Invocation) -> Value:
    """Select fields of a dynamic frame.

    frame.select_fields(["a", "b"])
    """
    paths = call.keywords.get("paths", argument_at(call.arguments, 0, []))
    return select_items(
        run,
        relation,
        [ColumnValue(column(run, path, call.node)) for path in paths or []],
        call.node,
    )


def drop_fields(run: Run, relation: Relation, call: Invocation) -> Value:
    """Drop fields of a dynamic frame.

    frame.drop_fields(["a"])
    """
    return drop(
        run,
        relation,
        call.with_arguments([call.keywords.get("paths", argument_at(call.arguments, 0, []))], {}),
    )


def rename_field(run: Run, relation: Relation, call: Invocation) -> Value:
    """Rename a field of a dynamic frame.

    frame.rename_field("a", "b")
    """
    given = [
        *call.arguments,
        *(call.keywords[key] for key in ("old_name", "new_name") if key in call.keywords),
    ]
    return rename(run, relation, [(given[0], given[1])] if len(given) > 1 else [], call.node)


def keep_frame(run: Run, relation: Relation, call: Invocation) -> Value:
    """Return the dynamic frame itself.

    DropNullFields.apply(…)
    """
    return relation.derive()


def filter_frame(run: Run, relation: Relation, call: Invocation) -> Value:
    """Filter a dynamic frame.

    Filter.apply(frame, f=lambda row: row["a"] > 1)

    what the function reads decides the rows
    """
    test = call.keywords.get("f", argument_at(call.arguments))
    condition = condition_of(run, test, relation, call) if isinstance(test, Function) else None
    if condition is not None:
        return filter_(run, relation, call.with_arguments([condition], {}))

    run.dynamic("a condition in Python that is not followed", call.node)
    return relation.derive()


def condition_of(
    run: Run, test: Function, relation: Relation, call: Invocation
) -> ColumnValue | None:
    """Return the condition that a function makes of a record; None where it is not followed.

    A lambda is one expression. Of a function with branches every field that it reads decides.
    """
    if isinstance(test.node, ast.Lambda):
        found = invoke(run, test, call.with_arguments([relation], {}))
        if isinstance(found, ColumnValue):
            return found

    fields = fields_read(test)
    if not fields:
        return None

    columns = [bound_column(run, relation, name, call.node) for name in fields]
    return ColumnValue(exp.Anonymous(this=test.name, expressions=columns))


def fields_read(function: Function) -> list[str] | None:
    """Return the fields that a function reads of its record; None if it hands the record on.

    lambda rec: rec["a"] > 1 and rec.get("b") is None
    """
    reader = FieldReader(next(iter(positional_names(function.node.args)), ""))
    reader.visit(function.node)
    if reader.is_handed_on:
        return None

    return list(reader.fields)


class FieldReader(ast.NodeVisitor):
    """Collects the fields that code reads of a record."""

    def __init__(self, record: str) -> None:
        """Start with no field; `record` is the name of the record."""
        self.record = record
        self.fields: dict[str, None] = {}
        self.is_handed_on = False
        """whether the record itself is used, not one of its fields"""

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """rec["a"]"""
        self.read_field(node, node.value, [node.slice])

    def visit_Call(self, node: ast.Call) -> None:
        """rec.get("a")"""
        owner = getattr(node.func, "value", None)
        self.read_field(node, owner, node.args)

    def visit_Name(self, node: ast.Name) -> None:
        """rec"""
        self.is_handed_on |= node.id == self.record

    def read_field(self, node: ast.AST, owner: ast.AST | None, key: list[ast.expr]) -> None:
        """Keep the field of the record that a node reads; look further inside any other node."""
        name = getattr(next(iter(key), None), "value", None)
        if getattr(owner, "id", "") == self.record and isinstance(name, str):
            self.fields[name] = None
            return

        self.generic_visit(node)


def resolve_choice(run: Run, relation: Relation, call: Invocation) -> Value:
    """Give columns of several types one type.

    frame.resolveChoice(specs=[("price", "cast:double")])

    The columns of make_cols are called after types that only the data knows.
    """
    found: Value = relation
    for spec in items_of(call.argument(0, "specs")) or []:
        if not (isinstance(spec, (list, tuple)) and len(spec) == 2 and all(map(is_text, spec))):
            run.dynamic("a choice of types that only a run knows", call.node)
            continue

        name, action = spec[0].strip("`"), spec[1]
        if action.startswith("make_cols"):
            run.dynamic(f"the columns that make_cols makes of '{name}'", call.node)
            found = drop(run, found, call.with_arguments([name], {}))
        else:
            cast = exp.Anonymous(
                this=action.partition(":")[0],
                expressions=[bound_column(run, found, name, call.node)],
            )
            found = with_column(run, found, call.with_arguments([name, ColumnValue(cast)], {}))

    return found


def join_frames(run: Run, relation: Relation, call: Invocation) -> Value:
    """Join two dynamic frames.

    Join.apply(a, b, "id", "id")
    """
    given = dict(zip(("frame2", "keys1", "keys2"), call.arguments, strict=False)) | call.keywords
    other = as_relation(run, given.get("frame2"), call.node)
    keys = [given.get("keys1"), given.get("keys2")]
    listed = [[key] if isinstance(key, str) else key for key in keys]
    if other is None or not all_are(listed, (list, tuple)):
        run.dynamic("a join that only a run knows", call.node)
        return relation

    left, right, twice = told_apart(relation, other)
    trees = [
        exp.EQ(
            this=bound_column(run, left, one, call.node),
            expression=bound_column(run, right, two, call.node),
        )
        for one, two in zip(listed[0] or [], listed[1] or [], strict=False)
    ]
    return join_on(run, left, right, other, trees, "inner", twice)


def map_frame(run: Run, relation: Relation, call: Invocation) -> Value:
    """Apply a function to each record, which is a dict of its fields.

    Map.apply(frame, f=add_total)      def add_total(rec): rec["total"] = rec["a"] * 2; return rec
    """
    function = call.keywords.get("f", argument_at(call.arguments))
    if not isinstance(function, Function):
        return report_untraced(run, relation, call)

    names = relation.names if relation.complete else keys_in(function.node)
    before = {name: ColumnValue(column(run, name, call.node)) for name in names}
    run.elements += 1
    try:
        after = invoke(run, function, call.with_arguments([dict(before)], {}))
    finally:
        run.elements -= 1

    if not isinstance(after, dict) or not all(map(is_text, after)):
        return report_untraced(run, relation, call)

    changed = [(name, held) for name, held in after.items() if held is not before.get(name)]
    found = with_all(run, relation, dict(enumerate(changed)), call.node)
    return drop(run, found, call.with_arguments([name for name in before if name not in after], {}))


def keys_in(node: ast.AST) -> list[str]:
    """Return the texts by which a function reads and writes items: rec["a"], rec.get("a")"""
    texts = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant))
    return list(dict.fromkeys(each for each in texts if isinstance(each, str)))


def report_untraced(run: Run, relation: Relation, call: Invocation) -> Value:
    """Report that a change of all records is not followed.

    Relationalize.apply(frame, staging, "root")
    """
    run.report(
        Code.UNSUPPORTED_CONSTRUCT,
        "a transformation of the records of a DynamicFrame is not traced",
        call.node,
    )
    return Unknown("apply()", "made by a transformation that is not traced")


TRANSFORMS: dict[str, Callable[[Run, Relation, Invocation], Value]] = {
    "ApplyMapping": apply_mapping,
    "SelectFields": select_fields,
    "DropFields": drop_fields,
    "RenameField": rename_field,
    "ResolveChoice": resolve_choice,
    "DropNullFields": keep_frame,
    "Filter": filter_frame,
    "Join": join_frames,
    "Map": map_frame,
    "Relationalize": report_untraced,
}

METHODS: dict[str, Callable[[Run, Relation, Invocation], Value]] = {
    "apply_mapping": apply_mapping,
    "select_fields": select_fields,
    "drop_fields": drop_fields,
    "rename_field": rename_field,
    "resolveChoice": resolve_choice,
    "drop_nulls": drop_nulls,
    "map": map_frame,
    "relationalize": report_untraced,
}

ACTIONS.update(METHODS)
BUILDERS.update(glue=context_call, glue_read=read_call, glue_write=write_call)
