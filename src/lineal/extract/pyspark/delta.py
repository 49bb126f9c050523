"""Delta tables: DeltaTable.forName("t").alias("t").merge(source, condition).whenMatchedUpdate(…)."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from lineal.algebra.changes import delete as delete_rows
from lineal.algebra.changes import update as set_columns
from lineal.algebra.clauses import FILTERS, JOINS
from lineal.algebra.frame import Slot
from lineal.algebra.lineage import Lineage, pour, unite_lineages
from lineal.extract.pyspark.columns.trees import literal, parse_items
from lineal.extract.pyspark.dispatch import ACTIONS, BUILDERS, BuilderCall
from lineal.extract.pyspark.frame_scope import FrameScope
from lineal.extract.pyspark.frames.changes import alias
from lineal.extract.pyspark.frames.joins import as_relation, side_by_side, told_apart
from lineal.extract.pyspark.frames.project import lineage_of, take_findings
from lineal.extract.pyspark.invocation import Invocation, Keywords, argument_at
from lineal.extract.pyspark.names import owned_name
from lineal.extract.pyspark.relation import Relation, fresh
from lineal.extract.pyspark.run import Run, Write
from lineal.extract.pyspark.session import read_name, read_path_or_table, read_table
from lineal.extract.pyspark.sinks import target_names, write_dataset
from lineal.extract.pyspark.values import Builder, ColumnValue, Unknown, Value, label_of
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.expressions import gather
from lineal.model.paths import path_name
from lineal.model.sequences import first_or_none
from lineal.model.way import Clause

ARMS = {
    "update": "Update",
    "updateAll": "UpdateAll",
    "insert": "Insert",
    "insertAll": "InsertAll",
    "delete": "Delete",
}
"""Of DataFrame.mergeInto, whose arms are calls of their own"""


def delta_table(run: Run, name: str, call: Invocation) -> Value:
    """Return a Delta table.

    DeltaTable.forName(spark, "t"), DeltaTable.forPath(spark, "/x")
    """
    target = call.arguments[-1] if call.arguments else next(iter(call.keywords.values()), None)
    if len(call.arguments) > 1 and name in ("forName", "forPath"):
        target = call.arguments[1]

    if name not in DELTA_READERS:
        return Builder("delta_builder", {})

    relation = read_name(run, target, call.node, DELTA_READERS[name])
    shown = owner_name(run, target, call.node)
    if name == "forPath" and isinstance(target, str):
        spelled = path_name(target)
        shown = run.program.located.get(spelled, spelled)

    is_path = name == "forPath" and shown not in run.program.located.values()
    return Builder(
        "delta", {"relation": relation, "target": str(shown), "path": is_path, "qualifier": ""}
    )


DELTA_READERS = {"forPath": read_path_or_table, "forName": read_table}


def owner_name(run: Run, target: Value, node: ast.AST) -> str:
    """Return the name of a table, with its file and function if nothing of it is known."""
    if isinstance(target, str):
        return target

    if isinstance(target, Unknown):
        return owned_name(f"{{{target.label}}}", target.home or run.home)

    return owned_name(f"{{{label_of(node)}}}", run.home)


def call(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Call a method of a Delta table.

    DeltaTable.alias("t").merge(…)      one row of the table per method; others change nothing
    """
    handler = METHODS.get(name)
    if handler is None and name.startswith("when"):
        handler = add_arm

    if handler is not None:
        return handler(run, held, name, call)

    return held


def with_alias(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Give a Delta table an alias.

    DeltaTable.alias("t")
    """
    return held.with_(relation=alias(run, held.parts["relation"], call))


def as_frame(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Return a Delta table as a DataFrame.

    DeltaTable.toDF()
    """
    return held.parts["relation"]


def begin_merge(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Begin a merge.

    DeltaTable.merge(source, condition); df.mergeInto(…).merge() carries it out
    """
    if not call.arguments and not call.keywords:
        return execute(run, held, call.node)

    given = dict(zip(("source", "condition"), call.arguments, strict=False)) | call.keywords
    source = as_relation(run, given.get("source"), call.node)
    if source is None:
        run.dynamic("a merge of a DataFrame that only a run knows", call.node)
        return held

    return held.with_(source=source, on=given.get("condition"), arms=())


def set_condition(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Set the condition of the next clause.

    .whenMatched(condition), before .update(…)
    """
    return held.with_(when=(name, call.argument(0, "condition")))


def add_own_arm(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Add a clause to a merge, or change the table.

    .whenMatched(…).update(…); without it, DeltaTable.update(…) and .delete(…) are writes
    """
    if "when" not in held.parts:
        return change_rows(run, held, name, call)

    when, condition = held.parts["when"]
    assigned = call.only()
    arm = (when + ARMS[name], {"condition": condition, "set": assigned, "values": assigned})
    return held.with_(arms=(*held.parts["arms"], arm))


def add_arm(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Add a clause to a merge.

    .whenMatchedUpdate(condition, set={…}), .whenNotMatchedInsertAll()
    """
    given = dict(call.keywords)
    if name.endswith(("UpdateAll", "InsertAll", "Delete")):
        given.setdefault("condition", argument_at(call.arguments))
    else:
        names = ("condition", "set" if "Update" in name else "values")
        given = dict(zip(names, call.arguments, strict=False)) | given
        if isinstance(given.get("condition"), dict):
            given = {"set": given["condition"], "values": given["condition"]}

    return held.with_(arms=(*held.parts.get("arms", ()), (name, given)))


def carry_out(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Carry a merge out.

    .execute()
    """
    return execute(run, held, call.node)


def change_rows(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Update or delete rows of a Delta table.

    DeltaTable.update(condition, set), DeltaTable.delete(condition)
    """
    if name == "delete":
        condition = call.argument(0, "condition")
        return update(run, held, {"condition": condition, "set": {}}, call.node)

    if name == "update":
        given = dict(zip(("condition", "set"), call.arguments, strict=False)) | call.keywords
        return update(run, held, given, call.node)

    return held


def restore_version(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Write a Delta table with its former state.

    DeltaTable.restoreToVersion(3)
    """
    return restore(run, held, call.node)


def clone_version(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Copy a Delta table.

    DeltaTable.cloneAtVersion(3, "/lake/copy")
    """
    given = dict(zip(CLONES[name], call.arguments, strict=False)) | call.keywords
    return clone(run, held, given.get("target"), call.node)


def expression(run: Run, value: Value, node: ast.AST) -> Any | None:
    """Return the tree of a value that a column is set to: a Column or a text of SQL."""
    if isinstance(value, ColumnValue):
        return value.tree

    if isinstance(value, str):
        found = parse_items(run, value, node)
        return first_or_none(found)

    if value is not None:
        return literal(run, value, node)

    return None


def execute(run: Run, held: Builder, node: ast.AST) -> Value:
    """Each assignment is an edge into its column; ON joins, WHEN … AND filters."""
    parts = held.parts
    target, source = parts["relation"], parts.get("source")
    if not isinstance(target, Relation) or not isinstance(source, Relation):
        return None

    left, right, twice = told_apart(target, source)
    both = side_by_side(left, right, source, twice)
    evaluation = run.evaluation()
    scope = FrameScope(both, evaluation, Clause.JOIN_ON)
    on = expression(run, parts.get("on"), node)
    if on is not None:
        gather(on, JOINS, both.rows, scope)

    columns: dict[str, list[Slot]] = {}
    for name, given in parts.get("arms", ()):
        scope.clause = Clause.WHERE
        condition = expression(run, given.get("condition"), node)
        if condition is not None:
            gather(condition, FILTERS, both.rows, scope)

        scope.clause = Clause.SET
        if name.endswith(("UpdateAll", "InsertAll")):
            for slot in columns_by_name(left, right, evaluation, "evolves" in parts):
                columns.setdefault(slot.key, []).append(slot)

            continue

        assigned = given.get("set") if "Update" in name else given.get("values")
        for column, value in (assigned or {}).items() if isinstance(assigned, dict) else ():
            spelled = str(column).rsplit(".", 1)[-1].strip("`")
            tree = expression(run, value, node)
            lineage = lineage_of(tree, scope) if tree is not None else {}
            columns.setdefault(spelled.lower(), []).append(Slot(spelled, spelled.lower(), lineage))

    slots = [
        Slot(
            several[0].name,
            several[0].key,
            unite_lineages(slot.lineage for slot in several),
            several[0].star,
        )
        for several in columns.values()
    ]
    return emit(run, held, slots, both, evaluation, (left, source), node)


def columns_by_name(
    target: Relation, source: Relation, evaluation: Evaluation, evolves: bool
) -> list[Slot]:
    """Return the columns that UPDATE * and INSERT * set.

    A target whose columns are known takes those, and only those, unless the schema may evolve.
    """
    if evolves or not target.complete:
        return [each.slot for each in source.attributes]

    scope = FrameScope(source, evaluation, Clause.SET)
    found: list[Slot] = []
    for attribute in target.attributes:
        if attribute.key in source.by_key or source.stars:
            tree = exp.Column(this=exp.Identifier(this=attribute.slot.name, quoted=True))
            found.append(Slot(attribute.slot.name, attribute.key, lineage_of(tree, scope)))

    return found


def evolve(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Let a merge add the columns of its source.

    .withSchemaEvolution()
    """
    return held.with_(evolves=True)


def update(run: Run, held: Builder, given: Keywords, node: ast.AST) -> Value:
    """Write an update of a Delta table.

    DeltaTable.update("id = 1", {"a": "b + 1"})

    the condition decides the columns that are set
    """
    target = held.parts["relation"]
    evaluation = run.evaluation()
    scope = FrameScope(target, evaluation, Clause.WHERE)
    condition = given.get("condition")
    assigned = given.get("set")
    if isinstance(condition, dict):
        condition, assigned = None, condition

    deciding: Lineage = {}
    tree = expression(run, condition, node)
    if tree is not None:
        gather(tree, FILTERS, deciding, scope)

    scope.clause = Clause.SET
    slots = []

    for column, value in (assigned or {}).items() if isinstance(assigned, dict) else ():
        found = expression(run, value, node)
        lineage: Lineage = {}
        pour(lineage_of(found, scope) if found is not None else {}, IDENTITY_WAY, lineage)
        slots.append(Slot(str(column), str(column).lower(), lineage))

    changed = set_columns(slots, deciding) if slots else delete_rows(deciding)
    both = Relation([], changed.rows, (target,))
    return emit(run, held, changed.slots, both, evaluation, (target,), node)


RESTORES = ("restoreToVersion", "restoreToTimestamp")
CLONES = {
    "clone": ("target",),
    "cloneAtVersion": ("version", "target"),
    "cloneAtTimestamp": ("timestamp", "target"),
}


def restore(run: Run, held: Builder, node: ast.AST) -> Value:
    """Write a restored Delta table.

    DeltaTable.restoreToVersion(3)      the table is written with what it held before
    """
    table = held.parts["relation"]
    return emit(
        run, held, [each.slot for each in table.attributes], table, run.evaluation(), (table,), node
    )


def clone(run: Run, held: Builder, target: Value, node: ast.AST) -> Value:
    """Write a cloned Delta table.

    DeltaTable.cloneAtVersion(3, "/lake/copy", True)

    every column, as it is, in another place
    """
    for name in target_names(run, target, node, True):
        write_dataset(run, Write(name, held.parts["relation"], node, run.reading, "file"))

    return None


def emit(
    run: Run,
    held: Builder,
    slots: Sequence[Slot],
    both: Relation,
    evaluation: Any,
    parents: tuple[Relation, ...],
    node: ast.AST,
) -> Value:
    """Write the columns that a merge or an update sets."""
    made = Relation(list(map(fresh, slots)), both.rows, parents, evaluation)
    take_findings(run, made, evaluation)
    kind = "file" if held.parts.get("path") else "table"
    write_dataset(run, Write(held.parts["target"], made, node, run.reading, kind, defines=False))
    return None


from lineal.model.way import IDENTITY as IDENTITY_WAY  # noqa: E402


def merge_into(run: Run, relation: Relation, call: Invocation) -> Value:
    """Begin a merge of a DataFrame into a table.

    df.mergeInto("t", condition).whenMatched().updateAll().merge()
    """
    given = dict(zip(("table", "condition"), call.arguments, strict=False)) | call.keywords
    target = delta_table(run, "forName", call.with_arguments([None, given.get("table")], {}))
    return target.with_(source=relation, on=given.get("condition"), arms=())


METHODS: dict[str, BuilderCall] = {
    **dict.fromkeys(("alias", "as_"), with_alias),
    "toDF": as_frame,
    "merge": begin_merge,
    **dict.fromkeys(("whenMatched", "whenNotMatched", "whenNotMatchedBySource"), set_condition),
    **dict.fromkeys(ARMS, add_own_arm),
    "execute": carry_out,
    "withSchemaEvolution": evolve,
    **dict.fromkeys(RESTORES, restore_version),
    **dict.fromkeys(CLONES, clone_version),
}

BUILDERS["delta"] = call
ACTIONS["mergeInto"] = merge_into
