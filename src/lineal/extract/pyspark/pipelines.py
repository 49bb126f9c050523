"""Functions that define a dataset: @dlt.table, @dp.materialized_view, dbt's model(dbt, session)."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial
from typing import Any

from lineal.algebra.clauses import FILTERS, JOINS
from lineal.extract.pyspark.columns.functions import columns_of
from lineal.extract.pyspark.dbt import Dbt
from lineal.extract.pyspark.dispatch import invoke
from lineal.extract.pyspark.frames.changes import drop
from lineal.extract.pyspark.frames.project import select
from lineal.extract.pyspark.frames.rows import filter_, narrow_relation
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.knowledge import items_of
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run, Write
from lineal.extract.pyspark.session import read_name, read_table
from lineal.extract.pyspark.sinks import write_dataset, write_to
from lineal.extract.pyspark.values import ColumnValue, Function, Session, Value, trees_of
from lineal.model.script import Script
from lineal.model.way import Clause, Way

VIEWS = ("view", "temporary_view")


def define(
    run: Run,
    function: Function,
    name: str,
    kind: str,
    node: ast.AST,
    arguments: list[Value],
    rules: Sequence[Value] = (),
) -> None:
    """Call the function, and what it gives is the dataset."""
    found = invoke(run, function, Invocation(arguments, {}, node))
    for rule in rules:
        found = (
            filter_(run, found, Invocation([rule], {}, node))
            if isinstance(found, Relation)
            else found
        )

    if isinstance(found, Relation):
        reading, run.reading = run.reading, function.file.reading
        shown = "view" if kind in VIEWS else "table"
        write_dataset(
            run,
            Write(name, found, function.node, run.reading, shown, defines=kind != "append_flow"),
        )
        run.reading = reading


def dbt_model(run: Run, function: Function, script: Script, name: str) -> None:
    """Run a dbt model.

    def model(dbt, session)      the DataFrame that it returns is the dataset
    """
    define(run, function, name, "table", function.node, [Dbt(name, script.dbt), Session()])


def pipeline_call(run: Run, name: str, call: Invocation) -> Value:
    """Call a function of a declarative pipeline.

    dlt.read("x"), dlt.apply_changes(target="x", source="y")
    """
    last = name.rsplit(".", 1)[-1]
    if last in ("read", "read_stream"):
        return read_name(run, call.argument(0, "name"), call.node, read_table)

    if last in CHANGES and "target" in call.keywords:
        flow = partial(apply_changes, run, call.keywords, call.node)
        flows = getattr(run.script, "flows", None)
        if flows is None:
            flow()
        else:
            flows.append(flow)

    return None


CHANGES = frozenset(("apply_changes", "create_auto_cdc_flow", "apply_changes_from_snapshot"))
"""Functions that keep a table up to date with rows of changes."""


def apply_changes(run: Run, keywords: dict[str, Value], node: ast.AST) -> None:
    """Write the changes of a dataset.

    dlt.apply_changes(target="x", source="y", keys=["id"], sequence_by="seq")

    The keys match rows of the target; the sequence and the conditions decide which changes count.
    """
    source = read_name(run, keywords.get("source"), node, read_table)
    if not isinstance(source, Relation):
        return

    keys = columns_of(run, [keywords.get("keys")], node)
    order = columns_of(run, [keywords.get("sequence_by")], node)
    found = decided_by(run, source, keys, JOINS, Clause.JOIN_ON)
    found = decided_by(run, found, order, FILTERS, Clause.WHERE)
    for name in ("apply_as_deletes", "apply_as_truncates"):
        if keywords.get(name) is not None:
            found = filter_(run, found, Invocation([keywords[name]], {}, node))

    if keywords.get("column_list") is not None:
        found = select(run, found, Invocation([keywords["column_list"]], {}, node))

    left_out = keywords.get("except_column_list")
    if left_out is not None:
        several = items_of(left_out)
        found = drop(
            run, found, Invocation(several if several is not None else [left_out], {}, node)
        )

    write_to(run, found, keywords["target"], node)


def decided_by(
    run: Run, relation: Relation, columns: list[ColumnValue], way: Way, clause: Clause
) -> Any:
    """Return a dataset whose rows some columns decide."""
    return narrow_relation(run, relation, trees_of(columns), way, clause)
