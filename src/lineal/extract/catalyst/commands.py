"""Commands that write: which dataset they write, and the query whose columns go there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lineal.algebra.expression import decides
from lineal.algebra.frame import NOTHING, Frame, Lineage, Slot, absorb
from lineal.extract.catalyst.expressions import Scope, gather
from lineal.extract.catalyst.operators import frame_of
from lineal.extract.catalyst.tree import Node
from lineal.model.diagnostic import Code
from lineal.model.way import IDENTITY, Clause, How

if TYPE_CHECKING:
    from lineal.extract.catalyst.plan import Plan


@dataclass
class Sink:
    """A dataset with the frame that is written to it."""

    name: str
    kind: str
    frame: Frame
    columns: list[str] = field(default_factory=list)


def sink_of(node: Node, plan: Plan) -> Sink | None:
    command = COMMANDS.get(node.name)
    return command(node, plan) if command is not None else None


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
    """CREATE TABLE t AS SELECT …, INSERT INTO t SELECT …      Spark has matched the columns by then"""
    from lineal.extract.catalyst.plan import table_identifier

    identifier = table_identifier(node.args.get("table") or node.args.get("catalogTable") or node.args.get("tableDesc"))
    return written(plan.names.of(identifier) if identifier else noted(node, plan), "table", node, plan)


def view_as_select(node: Node, plan: Plan) -> Sink | None:
    """CREATE VIEW v (a, b) AS SELECT …, ALTER VIEW v AS SELECT …"""
    name = node.args.get("name")
    parts = [str(name[p]) for p in ("catalog", "database", "table") if name.get(p)] if isinstance(name, dict) else []
    return written(plan.names.of(parts) if parts else noted(node, plan), "view", node, plan)


def noted_sink(node: Node, plan: Plan) -> Sink | None:
    """df.write.save(path), CREATE TABLE catalog.t AS …      named by the engine's note"""
    return written(noted(node, plan), "table", node, plan)


def noted(node: Node, plan: Plan) -> str:
    name = node.note.get("name")
    return plan.names.of(name) if name else ""


def written(name: str, kind: str, node: Node, plan: Plan) -> Sink | None:
    frame = query_of(node, plan)
    if frame is None:
        return None
    if not name:
        plan.report(Code.UNSUPPORTED_CONSTRUCT, f"the target of {node.name} has no name")
        name = node.name
    return Sink(name, kind, frame, columns_of(node))


def columns_of(node: Node) -> list[str]:
    if node.note.get("columns"):
        return [str(column) for column in node.note["columns"]]
    listed = node.args.get("outputColumnNames")
    if isinstance(listed, list):
        return [str(column) for column in listed]
    if isinstance(listed, str) and listed.startswith("["):
        return [part.strip() for part in listed[1:-1].split(",")] if listed != "[]" else []
    return []


# -- MERGE, UPDATE, DELETE ---------------------------------------------------------------------------------------

ON = decides(How.JOIN, Clause.JOIN_ON)
WHEN = decides(How.FILTER, Clause.WHERE)


def update(node: Node, plan: Plan) -> Sink | None:
    """UPDATE t SET a = b + 1 WHERE c      b → t.a, and c decides t.a: only what is set can change"""
    frame = frame_of(node.children[0], None, plan)
    scope = Scope(frame, None, plan, Clause.SET)
    decided: Lineage = {}
    for condition in node.trees("condition"):
        gather(condition, WHEN, decided, scope)
    columns: dict[str, Lineage] = {}
    for assignment in node.trees("assignments"):
        assign(assignment, scope, columns)
    for lineage in columns.values():
        absorb(decided, lineage)
    return into_target(node.children[0], columns, NOTHING, plan)


def delete(node: Node, plan: Plan) -> Sink | None:
    """DELETE FROM t WHERE a      a decides which rows t has"""
    frame = frame_of(node.children[0], None, plan)
    rows: Lineage = {}
    for condition in node.trees("condition"):
        gather(condition, WHEN, rows, Scope(frame, None, plan, Clause.WHERE))
    return into_target(node.children[0], {}, rows, plan)


def merge(node: Node, plan: Plan) -> Sink | None:
    """MERGE INTO t USING s ON … WHEN MATCHED AND … THEN UPDATE SET a = s.b      s.b → t.a; ON and AND decide rows"""
    target, source = (frame_of(child, None, plan) for child in node.children)
    both = Frame([*target.slots, *source.slots], NOTHING)
    rows = dict(source.rows)
    for condition in node.trees("mergeCondition"):
        gather(condition, ON, rows, Scope(both, None, plan, Clause.JOIN_ON))
    columns: dict[str, Lineage] = {}
    for branch in ("matchedActions", "notMatchedActions", "notMatchedBySourceActions"):
        for action in node.trees(branch):
            for child in action.children:
                if child.name == "Assignment":
                    assign(child, Scope(both, None, plan, Clause.SET), columns)
                else:
                    gather(child, WHEN, rows, Scope(both, None, plan, Clause.WHERE))
    return into_target(node.children[0], columns, rows, plan)


def assign(assignment: Node, scope: Scope, columns: dict[str, Lineage]) -> None:
    key, value = assignment.children
    name = str(key.args.get("name", ""))
    gather(value, IDENTITY, columns.setdefault(name, {}), scope)


def into_target(table: Node, columns: dict[str, Lineage], rows: Lineage, plan: Plan) -> Sink | None:
    leaf = table
    while leaf.children:
        leaf = leaf.children[0]
    name = plan.name_of(leaf)
    if name is None:
        plan.report(Code.UNSUPPORTED_CONSTRUCT, f"the target over {leaf.name} has no name")
        return None
    return Sink(name, "table", Frame([Slot(column, column, lineage) for column, lineage in columns.items()], rows))


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
    "WriteToDataSourceV2": noted_sink,
    "WriteToMicroBatchDataSource": noted_sink,
    "WriteToMicroBatchDataSourceV1": table_as_select,
    "CreateViewCommand": view_as_select,
    "AlterViewAsCommand": view_as_select,
    "CreateView": noted_sink,
    "CacheTableAsSelect": noted_sink,
    "UpdateTable": update,
    "DeleteFromTable": delete,
    "MergeIntoTable": merge,
}
