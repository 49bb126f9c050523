"""Commands that write: which dataset they write, and the query whose columns go there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from lineal.algebra.changes import replace_rows
from lineal.algebra.clauses import FILTERS
from lineal.algebra.frame import Frame
from lineal.algebra.relation import scan
from lineal.extract.catalyst import row_level
from lineal.extract.catalyst.operators import frame_of
from lineal.extract.catalyst.operators.outputs import narrow_child
from lineal.extract.catalyst.sink import Sink
from lineal.extract.catalyst.tree import Node, identifier_parts, table_identifier
from lineal.model.diagnostic import Code

if TYPE_CHECKING:
    from lineal.extract.catalyst.plan import Plan


def sink_of(node: Node, plan: Plan) -> Sink | None:
    """Return the query that a command writes, and its target; None for a query."""
    command = COMMANDS.get(node.name)
    if command is None:
        return None

    return command(node, plan)


def commands_in(node: Node) -> list[Node]:
    """FROM s INSERT INTO a … INSERT INTO b …

    a union of commands, each with a target of its own
    """
    if node.name != "Union" or not node.children:
        return [node]

    if any(each.name not in COMMANDS for each in node.children):
        return [node]

    return node.children


def query_of(node: Node, plan: Plan) -> Frame | None:
    """The command's query: a child, or kept in a field."""
    query = node.args.get("query", node.args.get("plan"))
    if isinstance(query, int):
        return frame_of(node.children[query], None, plan)

    queries = node.trees("query") or node.trees("plan") or node.children[-1:]
    if not queries:
        return None

    return frame_of(queries[0], None, plan)


def table_as_select(node: Node, plan: Plan) -> Sink | None:
    """CREATE TABLE t AS SELECT …, INSERT INTO t SELECT …

    Spark has matched the columns by then
    """
    args = node.args
    table = args.get("table") or args.get("catalogTable") or args.get("tableDesc")
    return write_query(name_of(table_identifier(table), node, plan), "table", node, plan)


def view_as_select(node: Node, plan: Plan) -> Sink | None:
    """CREATE VIEW v (a, b) AS SELECT …, ALTER VIEW v AS SELECT …"""
    name = node.args.get("name")
    parts = identifier_parts(name) if isinstance(name, dict) else []
    return write_query(name_of(parts, node, plan), "view", node, plan)


def name_of(identifier: list[str], node: Node, plan: Plan) -> str:
    """The name of the dataset that a command writes; without an identifier the engine's note."""
    if identifier:
        return plan.names.dataset_name(identifier)

    return noted_name(node, plan)


def noted_sink(node: Node, plan: Plan) -> Sink | None:
    """df.write.save(path), CREATE TABLE catalog.t AS …      named by the engine's note"""
    return write_query(noted_name(node, plan), "table", node, plan)


def overwrite_rows(node: Node, plan: Plan) -> Sink | None:
    """INSERT INTO t REPLACE WHERE a = 3 SELECT …      a decides which rows of t go

    PARTITION (a = 3) is a null-safe comparison in the plan, and OVERWRITE alone is true: both say
    where the new rows go.
    """
    sink = noted_sink(node, plan)
    written = [tree for tree in node.trees("deleteExpr") if is_written(tree)]
    tables = node.trees("table")
    if sink is None or not written or not tables:
        return sink

    removed = narrow_child(frame_of(tables[0], None, plan), FILTERS, written, None, plan)
    return replace(sink, frame=replace_rows(sink.frame, removed.rows))


def is_written(condition: Node) -> bool:
    """Tell whether a user wrote the condition of an overwrite, rather than Spark."""
    if condition.name == "And":
        return any(map(is_written, condition.children))

    return condition.name not in ("Literal", "EqualNullSafe")


def create_delta_table(node: Node, plan: Plan) -> Sink | None:
    """Return the sink of a command that creates a Delta table or clones one.

    CREATE TABLE t SHALLOW CLONE s
    """
    clones = [query for query in node.trees("query") if query.name == "CloneTableCommand"]
    if not clones:
        return table_as_select(node, plan)

    name = plan.names.dataset_name(table_identifier(node.args.get("table")))
    return Sink(name, "table", scan_noted_table(clones[0], plan))


def restore_table(node: Node, plan: Plan) -> Sink | None:
    """RESTORE TABLE t TO VERSION AS OF 3      t is read in a former state, and written with it"""
    return Sink(noted_name(node, plan), "table", scan_noted_table(node, plan))


def scan_noted_table(node: Node, plan: Plan) -> Frame:
    """Every column of the table that the engine's note names."""
    dataset = plan.dataset(noted_name(node, plan))
    plan.note_dataset(dataset)
    return scan(dataset, [(name, name) for name in target_columns(node)], True)


def noted_name(node: Node, plan: Plan) -> str:
    """The name that the engine's note gives; '' without one."""
    name = node.note.get("name")
    if not name:
        return ""

    return plan.names.dataset_name(name)


def write_query(name: str, kind: str, node: Node, plan: Plan) -> Sink | None:
    """Write the query of a command to a dataset; report a target without a name."""
    frame = query_of(node, plan)
    if frame is None:
        return None

    if not name:
        plan.report(Code.UNSUPPORTED_CONSTRUCT, f"the target of {node.name} has no name")
        name = node.name

    return Sink(name, kind, frame, target_columns(node))


def target_columns(node: Node) -> list[str]:
    """The columns that a command fills, by the engine's note or its own list."""
    listed = node.note.get("columns") or node.args.get("outputColumnNames")
    if isinstance(listed, str) and listed.startswith("["):
        listed = listed[1:-1].split(",") if listed != "[]" else []
        return [part.strip() for part in listed]

    if isinstance(listed, list):
        return list(map(str, listed))

    return []


COMMANDS: dict[str, Callable[[Node, Plan], Sink | None]] = {
    "CreateDataSourceTableAsSelectCommand": table_as_select,
    "CreateHiveTableAsSelectCommand": table_as_select,
    "InsertIntoHadoopFsRelationCommand": table_as_select,
    "InsertIntoHiveTable": table_as_select,
    "InsertIntoHiveDirCommand": noted_sink,
    "InsertIntoDataSourceCommand": noted_sink,
    "InsertIntoDataSourceDirCommand": noted_sink,
    "SaveIntoDataSourceCommand": noted_sink,
    "CreateTableAsSelect": noted_sink,
    "ReplaceTableAsSelect": noted_sink,
    "AppendData": noted_sink,
    "OverwriteByExpression": overwrite_rows,
    "OverwritePartitionsDynamic": noted_sink,
    "DeltaDynamicPartitionOverwriteCommand": noted_sink,
    "CreateDeltaTableCommand": create_delta_table,
    "RestoreTableCommand": restore_table,
    "WriteToDataSourceV2": noted_sink,
    "WriteToMicroBatchDataSource": noted_sink,
    "WriteToMicroBatchDataSourceV1": table_as_select,
    "CreateViewCommand": view_as_select,
    "AlterViewAsCommand": view_as_select,
    "CreateView": noted_sink,
    "CacheTableAsSelect": noted_sink,
    "InsertOnlyMerge": noted_sink,
    "UpdateTable": row_level.read_update,
    "DeleteFromTable": row_level.read_delete,
    "MergeIntoTable": row_level.read_merge,
    "UpdateCommand": row_level.read_delta_update,
    "DeleteCommand": row_level.read_delta_delete,
    "MergeIntoCommand": row_level.read_delta_merge,
    "ReplaceData": row_level.read_rewritten,
    "WriteDelta": row_level.read_rewritten,
}
