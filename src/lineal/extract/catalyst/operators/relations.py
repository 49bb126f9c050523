"""Leaves of a plan: tables, files, streams, views, VALUES, RDDs.

SELECT a FROM t
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineal.algebra.frame import Frame
from lineal.algebra.relation import scan, scan_together, values
from lineal.extract.catalyst.expressions import Scope
from lineal.extract.catalyst.operators.outputs import output_title
from lineal.extract.catalyst.operators.walk import frame_below
from lineal.extract.catalyst.tree import Node, leaf_outputs
from lineal.model.diagnostic import Code

if TYPE_CHECKING:
    from lineal.extract.catalyst.plan import Plan


def read_relation(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """FROM t      a table, a file, a stream: every column stands for itself"""
    outputs = leaf_outputs(node)
    datasets = list(map(plan.dataset, plan.leaf_names(node)))
    if not datasets:
        return without_sources(node, outer, plan)

    for dataset in datasets:
        plan.note_dataset(dataset, node)

    sourceless = pseudo_columns(outputs)
    if len(datasets) > 1:  # spark.read.parquet(a, b)
        plan.read_together[datasets[0]] = datasets[1:]
        return scan_together(datasets, list(map(output_title, outputs)), sourceless)

    if node.note.get("changes"):
        sourceless |= CHANGES

    return scan(datasets[0], map(output_title, outputs), True, sourceless)


MEMORIES = {"MemoryPlan": "the memory of a stream"}
"""The places that rows may come from in addition to an RDD."""

CHANGES = frozenset(("_change_type", "_commit_version", "_commit_timestamp"))
"""table_changes('t', 1)      the columns that Delta adds to those of t"""


def pseudo_columns(outputs: list[Node]) -> frozenset[str]:
    """SELECT a, _metadata.file_path FROM t

    what only the engine knows of a row is no column of t
    """
    return frozenset(str(output.args["name"]) for output in outputs if output.args.get("pseudo"))


def without_sources(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """VALUES (1), range(10), a local DataFrame      columns without sources"""
    return values(map(output_title, node.trees("output")))


def read_view(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """FROM v      a view that is a dataset of its own is a hop; a temporary one is composed away"""
    name = plan.view_name(node)
    if name is None:
        return frame_below(node, outer, plan)

    dataset = plan.dataset(name)
    plan.note_dataset(dataset, node)
    if not node.children:
        outputs = node.trees("output")
        return scan(dataset, map(output_title, outputs), True, pseudo_columns(outputs))

    inner = frame_below(node, outer, plan)
    plan.note_schema(dataset, [slot.name for slot in inner.slots], node.args.get("types"))
    return scan(dataset, [(slot.name, slot.key) for slot in inner.slots], True)


def from_rdd(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """spark.createDataFrame(rdd)

    the plan ends here, unless the rows are those of a checkpoint that was seen
    """
    known = plan.frame_of_rdd(node)
    if known is not None:
        return known

    made_from = MEMORIES.get(node.name, "an RDD")
    plan.report(
        Code.DYNAMIC,
        f"a DataFrame is made from {made_from}: the plan does not tell where its rows come from",
    )
    return without_sources(node, outer, plan)
