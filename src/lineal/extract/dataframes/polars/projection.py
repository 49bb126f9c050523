"""Columns and rows of Polars frames: what expressions make of a frame, by the verbs."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from sqlglot import exp

from lineal.algebra.frame import Slot
from lineal.algebra.lineage import Lineage, add_doubt
from lineal.algebra.relation import decided_rows, narrow
from lineal.extract.dataframes.polars.expressions import Item, expand, settle
from lineal.extract.dataframes.polars.values import Expr, PolarsFrame
from lineal.extract.pyspark.frame_scope import FrameScope
from lineal.extract.pyspark.frames.changes import narrow_star, narrow_stars, replace_column
from lineal.extract.pyspark.frames.project import (
    lineage_of,
    note_type,
    pass_column,
    take_findings,
)
from lineal.extract.pyspark.relation import (
    Attribute,
    Draft,
    Relation,
    fresh,
    open_star,
    star_places,
)
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.sizes import charge_item
from lineal.extract.sql.expressions import expression_in
from lineal.model.way import Clause, Way


class Projection:
    """The expressions of one call, over one frame."""

    def __init__(self, run: Run, frame: PolarsFrame, clause: Clause = Clause.SELECT) -> None:
        """Start a list of columns over a frame; nothing is evaluated yet."""
        self.run = run
        self.frame = frame
        self.evaluation = run.evaluation()
        self.scope = FrameScope(frame.relation, self.evaluation, clause)
        self.rows: Lineage = dict(frame.relation.rows)

    def columns(
        self, exprs: Iterable[Expr], node: ast.AST, in_groups: bool = False
    ) -> list[Attribute]:
        """Return the columns of expressions; those of a group say nothing about the rows."""
        found: list[Attribute] = []
        for expr in exprs:
            for item in expand(self.run, self.frame, expr, node):
                found.append(self.column(item, in_groups))
                charge_item(self.run, self.scope, item.tree, len(found))

            if not in_groups:
                self.decide(expr)

        return found

    def column(self, item: Item, in_groups: bool = False) -> Attribute:
        """Return one column; a column of the frame under its own name keeps its identity."""
        tree = item.tree
        if item.star is not None:
            return item.star

        if tree.__class__ is exp.Placeholder:
            return open_star()

        if tree.__class__ is exp.Column and tree.name == item.name and not in_groups:
            return pass_column(self.frame.relation, tree, self.scope, item.doubt)

        lineage = lineage_of(collect_values(tree) if in_groups else tree, self.scope)
        if item.doubt is not None:
            lineage = add_doubt(lineage, item.doubt)

        made = fresh(Slot(item.name, item.name.lower(), lineage))
        return note_type(self.frame.relation, tree, made, self.scope)

    def decide(self, expr: Expr) -> None:
        """Add what an expression does to the rows.

        select(pl.col("a").explode())
        """
        for way, tree in expr.rows:
            self.narrow(way, [tree])

    def narrow(self, way: Way, trees: Iterable[Any]) -> None:
        """Let the columns of expressions decide the rows."""
        settled = [settle(self.frame, tree) for tree in trees]
        conditions = [expression_in(self.scope, tree) for tree in settled]
        self.rows = narrow(decided_rows(self.rows), way, conditions).rows

    def finish(self, attributes: list[Attribute] | None = None) -> PolarsFrame:
        """Return the frame of these columns; of all columns, where none are given."""
        relation = self.frame.relation
        made = relation.derive(attributes, self.rows, self.evaluation)
        if attributes is None:
            made.hidden = relation.hidden

        made.under = None
        found = take_findings(self.run, made, self.evaluation)
        return self.frame.derive(found)


AGGREGATES = (exp.AggFunc, exp.AnonymousAggFunc, exp.Subquery)


def aggregates(tree: Any) -> bool:
    """Tell whether a tree aggregates its columns: no column is outside an aggregate."""
    if isinstance(tree, AGGREGATES):
        return True

    if isinstance(tree, (exp.Column, exp.Window)):
        return False

    if isinstance(tree, exp.Filter):
        return aggregates(tree.this)

    return all(aggregates(part) for part in tree.iter_expressions())


def collect_values(tree: Any) -> Any:
    """agg(pl.col("a"))      a column in a group is the list of its values"""
    if aggregates(tree):
        return tree

    return exp.AnonymousAggFunc(this="implode", expressions=[tree])


def select(run: Run, frame: PolarsFrame, exprs: Iterable[Expr], node: ast.AST) -> PolarsFrame:
    """df.select("a", pl.col("b").sum())      these columns only"""
    projection = Projection(run, frame)
    found = projection.finish(projection.columns(exprs, node))
    return PolarsFrame(found.relation, order=frame.order)


def with_columns(run: Run, frame: PolarsFrame, exprs: Iterable[Expr], node: ast.AST) -> PolarsFrame:
    """df.with_columns(total=pl.col("a") + 1)      all columns, some of them new, from the old ones"""
    projection = Projection(run, frame)
    made = projection.columns(exprs, node)
    draft = set_attributes(frame.relation, made)
    projection.rows = dict(frame.relation.rows)
    found = projection.finish(draft.attributes)
    if len(draft.index) == len(frame.relation.by_key) + len(made):  # all of them are new
        found.relation.index(draft.index, draft.places)

    return found


def with_attributes(relation: Relation, made: Iterable[Attribute]) -> list[Attribute]:
    """Return the columns of a relation, with new ones in the place of those of their name."""
    return set_attributes(relation, made).attributes


def set_attributes(relation: Relation, made: Iterable[Attribute]) -> Draft:
    """Return the columns of a relation and their keys, with new ones in the place of those of
    their name.
    """
    draft = Draft(relation)
    for each in made:
        if each.slot.star is not None:
            draft.attributes = over_stars(draft.attributes, each)
            if draft.places:
                draft.places = star_places(draft.attributes)
        elif each.key in draft.index:
            draft.attributes = replace_column(draft.attributes, each, draft.index)
            draft.index[each.key] = [each]
        else:
            draft.add(each, narrow_star)

    return draft


def over_stars(attributes: list[Attribute], star: Attribute) -> list[Attribute]:
    """with_columns(pl.all().fill_null(0))      each unknown column changes"""
    if any(each.id == star.id for each in attributes):
        return [star if each.id == star.id else each for each in attributes]

    return [*attributes, star]


def narrow_frame(
    run: Run, frame: PolarsFrame, way: Way, trees: Iterable[Any], clause: Clause
) -> PolarsFrame:
    """Return the frame with rows that expressions decide."""
    projection = Projection(run, frame, clause)
    projection.narrow(way, trees)
    return projection.finish()


def drop_columns(frame: PolarsFrame, names: Iterable[str]) -> PolarsFrame:
    """df.drop("a")"""
    attributes = list(frame.relation.attributes)
    for name in names:
        key = name.lower()
        rest = [each for each in attributes if each.slot.star is not None or each.key != key]
        attributes = narrow_stars(rest, key)

    return frame.derive(frame.relation.derive(attributes))
