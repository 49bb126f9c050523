"""Functions that define a dataset: @dlt.table, @dp.materialized_view, dbt's model(dbt, session)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lineal.extract.pyspark.dbt import Dbt
from lineal.extract.pyspark.dispatch import invoke, named_argument
from lineal.extract.pyspark.frames.rows import filter_
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run, Write
from lineal.extract.pyspark.session import read_name, read_table
from lineal.extract.pyspark.sinks import write_dataset, write_to
from lineal.extract.pyspark.values import Function, Session, Value
from lineal.model.script import Script

VIEWS = ("view", "temporary_view")


def define(
    run: Run,
    function: Function,
    name: str,
    kind: str,
    node: Any,
    arguments: list[Value],
    rules: Sequence[Value] = (),
) -> None:
    """Call the function, and what it gives is the dataset."""
    found = invoke(run, function, arguments, {}, node)
    for rule in rules:
        found = filter_(run, found, [rule], {}, node) if isinstance(found, Relation) else found

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


def pipeline_call(
    run: Run, name: str, arguments: list[Value], keywords: dict[str, Value], node: Any
) -> Value:
    """Call a function of a declarative pipeline.

    dlt.read("x"), dlt.apply_changes(target="x", source="y")
    """
    last = name.rsplit(".", 1)[-1]
    if last in ("read", "read_stream"):
        return read_name(run, named_argument(arguments, keywords, 0, "name"), node, read_table)
    if (
        last in ("apply_changes", "create_auto_cdc_flow", "apply_changes_from_snapshot")
        and "target" in keywords
    ):
        source = read_name(run, keywords.get("source"), node, read_table)
        if isinstance(source, Relation):
            return write_to(run, source, keywords["target"], node)

    return None
