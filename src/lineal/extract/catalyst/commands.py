"""Commands that write: which dataset they write, and the query whose columns go there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lineal.algebra.frame import Frame
from lineal.algebra.relation import scan
from lineal.extract.catalyst import row_level
from lineal.extract.catalyst.operators import frame_of
from lineal.extract.catalyst.sink import Sink
from lineal.extract.catalyst.tree import Node, table_identifier
from lineal.model.diagnostic import Code

if TYPE_CHECKING:
    from lineal.extract.catalyst.plan import Plan


def sink_of(node: Node, plan: Plan) -> Sink | None:
    command = COMMANDS.get(node.name)
    return command(node, plan) if command is not None else None


def commands_in(node: Node) -> list[Node]:
    """FROM s INSERT INTO a … INSERT INTO b …

    a union of commands, each with a target of its own
    """
    several = (
        node.name == "Union"
        and len(node.children) > 0
        and all(each.name in COMMANDS for each in node.children)
    )
    return node.children if several else [node]


def query_of(node: Node, plan: Plan) -> Frame | None:
    """The command's query: a child, or kept in a field."""
    query = node.args.get("query", node.args.get("plan"))
    if isinstance(query, int):
        return frame_of(node.children[query], None, plan)
    found = node.trees("query") or node.trees("plan")
    if found:
        return frame_of(found[0], None, plan)
    return frame_of(node.children[-1], None, plan) if node.children else None


def table_as_select(node: Node, plan: Plan) -> Sink | None:
    """CREATE TABLE t AS SELECT …, INSERT INTO t SELECT …

    Spark has matched the columns by then
    """
    identifier = table_identifier(
        node.args.get("table") or node.args.get("catalogTable") or node.args.get("tableDesc")
    )
    return write_query(
        plan.names.dataset_name(identifier) if identifier else noted(node, plan),
        "table",
        node,
        plan,
    )


def view_as_select(node: Node, plan: Plan) -> Sink | None:
    """CREATE VIEW v (a, b) AS SELECT …, ALTER VIEW v AS SELECT …"""
    name = node.args.get("name")
    parts = (
        [str(name[p]) for p in ("catalog", "database", "table") if name.get(p)]
        if isinstance(name, dict)
        else []
    )
    return write_query(
        plan.names.dataset_name(parts) if parts else noted(node, plan), "view", node, plan
    )


def noted_sink(node: Node, plan: Plan) -> Sink | None:
    """df.write.save(path), CREATE TABLE catalog.t AS …      named by the engine's note"""
    return write_query(noted(node, plan), "table", node, plan)


def create_delta_table(node: Node, plan: Plan) -> Sink | None:
    """CREATE TABLE t SHALLOW CLONE s      CreateDeltaTableCommand(t, CloneTableCommand(s))"""
    source = next(
        (query for query in node.trees("query") if query.name == "CloneTableCommand"), None
    )
    if source is None:
        return table_as_select(node, plan)
    return Sink(
        plan.names.dataset_name(table_identifier(node.args.get("table"))),
        "table",
        scan_noted_table(source, plan),
    )


def restore_table(node: Node, plan: Plan) -> Sink | None:
    """RESTORE TABLE t TO VERSION AS OF 3      t is read in a former state, and written with it"""
    return Sink(noted(node, plan), "table", scan_noted_table(node, plan))


def scan_noted_table(node: Node, plan: Plan) -> Frame:
    """Every column of the table that the engine's note names."""
    dataset = plan.dataset(noted(node, plan))
    plan.reads_dataset(dataset)
    return scan(dataset, [(name, name) for name in target_columns(node)], True)


def noted(node: Node, plan: Plan) -> str:
    name = node.note.get("name")
    return plan.names.dataset_name(name) if name else ""


def write_query(name: str, kind: str, node: Node, plan: Plan) -> Sink | None:
    frame = query_of(node, plan)
    if frame is None:
        return None
    if not name:
        plan.report(Code.UNSUPPORTED_CONSTRUCT, f"the target of {node.name} has no name")
        name = node.name
    return Sink(name, kind, frame, target_columns(node))


def target_columns(node: Node) -> list[str]:
    if node.note.get("columns"):
        return [str(column) for column in node.note["columns"]]
    listed = node.args.get("outputColumnNames")
    if isinstance(listed, list):
        return [str(column) for column in listed]
    if isinstance(listed, str) and listed.startswith("["):
        return [part.strip() for part in listed[1:-1].split(",")] if listed != "[]" else []
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
    "OverwriteByExpression": noted_sink,
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
