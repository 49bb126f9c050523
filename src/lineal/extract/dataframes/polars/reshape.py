"""Columns into rows and rows into columns: unpivot, pivot, unnest, transpose."""

from __future__ import annotations

import ast

from sqlglot import exp

from lineal.algebra.expression import CONDITION
from lineal.algebra.frame import PatternColumns, Slot, Star, star_slot
from lineal.algebra.lineage import Lineage
from lineal.algebra.relation import decided_rows, pivot_cell
from lineal.algebra.relation import pivot as pivot_frame
from lineal.algebra.relation import unpivot as unpivot_frame
from lineal.extract.dataframes.polars.expressions import column_expr, exprs_of
from lineal.extract.dataframes.polars.methods import AGGREGATE_NAMES, METHODS
from lineal.extract.dataframes.polars.projection import Projection
from lineal.extract.dataframes.polars.values import Expr, PolarsFrame
from lineal.extract.pyspark.columns.trees import identifier, mark_place
from lineal.extract.pyspark.frame_scope import expand_star
from lineal.extract.pyspark.frames.project import lineage_of
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.knowledge import is_known
from lineal.extract.pyspark.relation import Attribute, Relation, fresh, open_star
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Value, note_of
from lineal.extract.sql.expressions import gather
from lineal.model.diagnostic import Code
from lineal.model.edge import Dataset


def unpivot(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.unpivot(on=["a", "b"], index="id", variable_name="kind", value_name="amount")"""
    on, index = call.keywords.get("on", call.keywords.get("value_vars")), call.keywords.get("index")
    if call.arguments:
        on = call.arguments[0]

    if "id_vars" in call.keywords:
        index = call.keywords["id_vars"]

    projection = Projection(run, frame)
    kept = projection.columns(exprs_of(run, [index], call.node), call.node)
    held = {each.id for each in kept} | {-1}
    members = projection.columns(exprs_of(run, [on], call.node), call.node)
    if on is None:
        keys = {each.key for each in kept}
        members = [
            each
            for each in frame.relation.attributes
            if each.id not in held and each.key not in keys
        ]

    label = text_of(call.keywords.get("variable_name"), "variable")
    name = text_of(call.keywords.get("value_name"), "value")
    melted = unpivot_frame(
        decided_rows(projection.rows),
        [],
        [(name, name.lower())],
        [[each.slot.lineage] for each in members],
        (label, label.lower()),
        label_first=True,
        drops_nulls=False,
    )
    made = [*kept, *map(fresh, melted.slots)]
    projection.rows = melted.rows
    return PolarsFrame(projection.finish(made).relation)


def text_of(held: Value, default: str) -> str:
    """Return a text, else the default."""
    if isinstance(held, str):
        return held

    return default


def pivot(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.pivot(on="kind", index="id", values="amount", aggregate_function="sum")"""
    on = call.argument(0, "on", call.keywords.get("columns"))
    index, values = call.keywords.get("index"), call.keywords.get("values")
    projection = Projection(run, frame)
    deciding = exprs_of(run, [on], call.node)
    cells = exprs_of(run, [values], call.node)
    kept = exprs_of(run, [index], call.node)
    if not kept or not cells:
        rest = other_columns(run, frame, [*deciding, *cells, *kept], call.node)
        kept, cells = (rest, cells) if cells else (kept, rest)

    keys = projection.columns(kept, call.node)
    decided: Lineage = {}
    for each in deciding:
        gather(each.tree, CONDITION, decided, projection.scope)

    labels = labels_of(run, call.keywords.get("on_columns"), deciding, call.node)
    made: list[Attribute] = []
    for cell in cells:
        aggregate = aggregate_cell(run, cell, call.keywords.get("aggregate_function"), call.node)
        lineage = pivot_cell(lineage_of(aggregate.tree, projection.scope), decided)
        prefix = f"{cell.root}_" if len(cells) > 1 else ""
        made += [pivot_column(label, prefix, lineage, deciding) for label in labels]

    framed = pivot_frame(
        decided_rows(projection.rows), [each.slot for each in keys], [each.slot for each in made]
    )
    projection.rows = framed.rows
    return PolarsFrame(projection.finish([*keys, *made]).relation)


def other_columns(run: Run, frame: PolarsFrame, named: list[Expr], node: ast.AST) -> list[Expr]:
    """Return the columns that a pivot does not name."""
    keys = {str(each.root).lower() for each in named}
    if not frame.relation.complete:
        run.report(
            Code.UNSUPPORTED_CONSTRUCT,
            "pivot over an unknown schema: its other columns are not known",
            node,
        )

    return [
        column_expr(run, name, node) for name in frame.relation.names if name.lower() not in keys
    ]


def labels_of(run: Run, given: Value, deciding: list[Expr], node: ast.AST) -> list[Value]:
    """Return the names of the new columns; None where only the data knows."""
    if isinstance(given, (list, tuple)) and is_known(given):
        return list(given)

    run.report(Code.DYNAMIC, "the columns of a pivot whose values only the data knows", node)
    return [None]


def aggregate_cell(run: Run, cell: Expr, function: Value, node: ast.AST) -> Expr:
    """Return the aggregate of a pivot's values: "sum", pl.element().max()"""
    if isinstance(function, str) and function in AGGREGATE_NAMES:
        found = METHODS[function](run, cell, Invocation([], {}, node))
        assert isinstance(found, Expr)
        return found

    if isinstance(function, Expr):
        return cell.with_tree(
            exp.AnonymousAggFunc(this="agg", expressions=[cell.tree, function.tree])
        )

    return cell.with_tree(exp.AnonymousAggFunc(this="item", expressions=[cell.tree]))


def pivot_column(label: Value, prefix: str, lineage: Lineage, deciding: list[Expr]) -> Attribute:
    """Return a column of a pivot; <pivot:kind> where only the data knows its name."""
    if label is None:
        kinds = "_".join(str(each.root) for each in deciding)
        star = Star(
            Dataset("", f"{prefix}<pivot:{kinds}>"), made=PatternColumns(lineage, prefix, "")
        )
        return fresh(star_slot(star))

    name = f"{prefix}{label}"
    return fresh(Slot(name, name.lower(), lineage))


def unnest(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.unnest("address")      a column for each field of the struct"""
    projection = Projection(run, frame)
    relation = frame.relation
    attributes = list(relation.attributes)
    for expr in exprs_of(run, [*call.arguments, call.keywords.get("columns")], call.node):
        name = str(expr.root)
        tree = mark_place(run, exp.Column(this=exp.Star(), table=identifier(name)), call.node)
        fields = expand_star(relation, tree, projection.scope)
        place = next(
            (at for at, each in enumerate(attributes) if each.key == name.lower()), len(attributes)
        )
        rest = [each for each in attributes if each.key != name.lower()]
        attributes = [*rest[:place], *fields, *rest[place:]]

    return projection.finish(attributes)


def transpose(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.transpose(column_names=["a", "b"])      every column of every column"""
    names = call.keywords.get("column_names")
    whole: Lineage = {}
    for each in frame.relation.frame.slots:
        whole.update({(origin, way): trail for (origin, way), trail in each.lineage.items()})

    if not isinstance(names, (list, tuple)) or not is_known(names):
        run.dynamic(note_of("the columns of transpose", names), call.node)
        return PolarsFrame(Relation([open_star()], dict(frame.relation.rows), (frame.relation,)))

    made = [fresh(Slot(str(name), str(name).lower(), dict(whole))) for name in names]
    return PolarsFrame(frame.relation.derive(made))
