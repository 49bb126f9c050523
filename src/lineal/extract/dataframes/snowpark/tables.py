"""Changes of Snowflake tables: Table.merge, Table.update, Table.delete."""

from __future__ import annotations

from lineal.extract.dataframes.snowpark.values import MergeClause, SnowFrame
from lineal.extract.pyspark.delta import execute
from lineal.extract.pyspark.delta import update as change_rows
from lineal.extract.pyspark.dispatch import relation_in
from lineal.extract.pyspark.invocation import Invocation, Keywords, argument_at
from lineal.extract.pyspark.knowledge import items_of
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Builder, Value


def target_of(frame: SnowFrame) -> Builder:
    """Return the table that a frame reads, as the target of a change."""
    parts = {"relation": frame.relation, "target": frame.table, "path": False, "qualifier": ""}
    return Builder("delta", parts)


def merge(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """target.merge(source, target["id"] == source["id"], [when_matched().update({…})])"""
    given = (
        dict(zip(("source", "join_expr", "clauses"), call.arguments, strict=False)) | call.keywords
    )
    source = relation_in(given.get("source"))
    clauses = items_of(given.get("clauses"))
    if source is None or clauses is None or not frame.table:
        run.dynamic("a merge that only a run knows", call.node)
        return None

    arms = tuple(arm_of(each, frame) for each in clauses if isinstance(each, MergeClause))
    return execute(
        run, target_of(frame).with_(source=source, on=given.get("join_expr"), arms=arms), call.node
    )


def arm_of(clause: MergeClause, frame: SnowFrame) -> tuple[str, Keywords]:
    """Return a clause of a merge; a list of values goes to the columns in their order."""
    assigned = clause.assigned
    if isinstance(assigned, (list, tuple)) and frame.relation.complete:
        assigned = dict(zip(frame.relation.names, assigned, strict=False))

    return clause.name, {"condition": clause.condition, "set": assigned, "values": assigned}


def update(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """target.update({"a": col("b") + 1}, col("id") == 1, source)"""
    given = (
        dict(zip(("assignments", "condition", "source"), call.arguments, strict=False))
        | call.keywords
    )
    source = relation_in(given.get("source"))
    changed = {"set": given.get("assignments"), "condition": given.get("condition")}
    if source is None:
        return change_rows(run, target_of(frame), changed, call.node)

    arm = ("whenMatchedUpdate", {"set": changed["set"], "condition": None})
    held = target_of(frame).with_(source=source, on=changed["condition"], arms=(arm,))
    return execute(run, held, call.node)


def delete(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """target.delete(col("id") == 1)"""
    condition = argument_at(call.arguments, 0, call.keywords.get("condition"))
    return change_rows(run, target_of(frame), {"condition": condition, "set": {}}, call.node)
