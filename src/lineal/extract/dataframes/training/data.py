"""The columns that a model is given: from frames of any library, series and arrays."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from sqlglot import exp

from lineal.algebra.frame import Slot
from lineal.algebra.lineage import Lineage, add_doubt
from lineal.extract.dataframes.pandas.values import DataFrame, Series, Table
from lineal.extract.dataframes.polars.expressions import column_of_other
from lineal.extract.dataframes.polars.values import Expr
from lineal.extract.dataframes.training.values import Data
from lineal.extract.pyspark.dispatch import relation_in
from lineal.extract.pyspark.frame_scope import FrameScope
from lineal.extract.pyspark.frames.project import lineage_of
from lineal.extract.pyspark.relation import Relation, fresh
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Unknown, Value
from lineal.model.edge import Doubt
from lineal.model.way import Clause, Confidence

AS_THEY_ARE = frozenset(("values", "to_numpy()", "values()", "to_list()", "tolist()"))
"""Labels of values that hold the columns of a frame, as they are."""

THROUGH_CODE = Doubt(Confidence.LOW, False, "through values that only a run knows")


def data_of(run: Run, held: Value, node: ast.AST) -> Data | None:
    """Return the columns of a value; None if it has none that are known."""
    if isinstance(held, Series):
        return of_series(run, held)

    if isinstance(held, Expr):
        return of_expr(run, held)

    found = relation_in(held)
    if found is not None:
        return Data(tuple(each.slot for each in found.attributes), found)

    if isinstance(held, Unknown) and held.inputs:
        certain = held.label in AS_THEY_ARE and len(held.inputs) == 1
        slots = tuple(each.slot for part in held.inputs for each in part.attributes)
        return Data(slots if certain else doubt_slots(slots), held.inputs[0], certain)

    return None


def doubt_slots(slots: Iterable[Slot]) -> tuple[Slot, ...]:
    """Return columns of which only a run knows what happened to them."""
    return tuple(
        slot._replace(lineage=add_doubt(slot.lineage, THROUGH_CODE), scanned=None) for slot in slots
    )


def of_series(run: Run, held: Series) -> Data:
    """df["a"], df["a"] > 1"""
    relation = held.table.relation
    lineage = lineage_in(run, held.tree, relation)
    if held.doubt is not None:
        lineage = add_doubt(lineage, held.doubt)

    name = held.name or "label"
    return Data((Slot(name, name.lower(), lineage),), relation)


def of_expr(run: Run, held: Expr) -> Data:
    """df["a"] of Polars"""
    bound = [each.meta.get("bound") for each in held.tree.find_all(exp.Column)]
    relations = [each.relation for each in bound if each is not None]
    relation = relations[0] if relations else Relation([], {})
    is_one = all(each is relation for each in relations)
    tree = held.tree if is_one else held.tree.transform(as_subquery)
    name = held.name or held.root or "label"
    return Data((Slot(name, name.lower(), lineage_in(run, tree, relation)),), relation)


def as_subquery(part: Any) -> Any:
    """Return a column of a frame as the values that it has."""
    if isinstance(part, exp.Column) and "bound" in part.meta:
        return column_of_other(part)

    return part


def lineage_in(run: Run, tree: Any, relation: Relation) -> Lineage:
    """Return the lineage of an expression over a frame."""
    evaluation = run.evaluation()
    found = dict(lineage_of(tree, FrameScope(relation, evaluation, Clause.SELECT)))
    run.take_diagnostics(evaluation.diagnostics)
    return found


def table_of(held: Value, relation: Relation) -> Table:
    """Return the rows that predictions belong to."""
    if isinstance(held, DataFrame):
        return held.table

    if isinstance(held, Series):
        return held.table

    return Table(relation)


def frame_of(run: Run, held: Value, slots: Iterable[Slot], relation: Relation) -> DataFrame:
    """Return columns as an array of the rows of a value."""
    made = relation.derive(list(map(fresh, slots)))
    found = DataFrame(table_of(held, relation).with_relation(made))
    found.state["array"] = True
    return found
