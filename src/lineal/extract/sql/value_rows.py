"""VALUES: rows that are written down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from lineal.algebra.frame import Frame, Slot
from lineal.algebra.lineage import Lineage
from lineal.algebra.relation import one_row, project, rename, union
from lineal.algebra.relation import values as constant_rows
from lineal.extract.sql.columns import several_slots, star_slots
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.expressions import value_of
from lineal.extract.sql.placeholders import spread_rows
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.sources import Source
from lineal.extract.sql.table_aliases import alias_frame
from lineal.model.way import IDENTITY, Clause


def values(node: exp.Values, scope: Scope, rows: Lineage) -> Source:
    """Return VALUES as a source.

    FROM (VALUES (1, a), (2, b)) AS v(p, q)      column j takes the j-th of every row
    """
    evaluation = scope.evaluation
    alias = node.args.get("alias")
    if alias is not None:
        spread_rows(node, len(alias.columns))

    frame = name_by_position(values_frame(node, scope, [], evaluation), evaluation)
    return alias_frame(frame, alias, evaluation)


def values_frame(
    node: exp.Values, scope: Scope, names: Sequence[str], evaluation: Evaluation
) -> Frame:
    """Return the frame of VALUES.

    VALUES (1, a), (2, b)      a column for each place, under the dialect's names
    """
    scope.clause = Clause.VALUES
    first, prefix = evaluation.facts.values_names
    tuples = list(map(items_of, node.expressions))
    if any(is_row(item) for items in tuples for item in items):
        return values_of_rows(node, scope)

    width = max(map(len, tuples), default=0)
    names_given = [f"{prefix}{position + first}" for position in range(width)]
    rows = ([value_of(item, IDENTITY, scope) for item in items] for items in tuples)
    return constant_rows([(name, name) for name in names_given], rows)


def name_by_position(frame: Frame, evaluation: Evaluation) -> Frame:
    """Name the columns of VALUES by their positions.

    FROM (VALUES (NEW.*))      column1, column2, as the dialect calls them
    """
    first, prefix = evaluation.facts.values_names
    names = [f"{prefix}{position + first}" for position in range(len(frame.slots))]
    if frame.complete:
        return rename(frame, [(name, name) for name in names])

    return frame


def items_of(tuple_: Any) -> Sequence[Any]:
    """Return the values of one row.

    (1, a)      1 and a
    """
    if isinstance(tuple_, exp.Tuple):
        return tuple_.expressions

    return (tuple_,)


def is_row(item: exp.Expr) -> bool:
    """Tell whether an item stands for a row.

    NEW.*, (NEW).*, $1.*
    """
    return item.__class__ in (exp.Column, exp.Dot) and item.is_star


def row_slots(item: exp.Expr, scope: Scope) -> list[Slot]:
    """Return the columns of a row variable.

    NEW.*, (NEW).*      the columns of the row
    """
    if isinstance(item, exp.Column):
        return list(star_slots(item, scope))

    return several_slots(item, scope) or []


def values_of_rows(node: exp.Values, scope: Scope) -> Frame:
    """Return the frame of VALUES that hold rows.

    VALUES (NEW.*, now())      one column for each of the row's, under its name
    """
    first, prefix = scope.evaluation.facts.values_names
    frames = []
    for tuple_ in node.expressions:
        slots: list[Slot] = []
        for item in items_of(tuple_):
            if is_row(item):
                slots += row_slots(item, scope)
            else:
                name = f"{prefix}{len(slots) + first}"
                slots.append(Slot(name, name, value_of(item, IDENTITY, scope)))

        frames.append(project(one_row(), slots))

    return union(frames)
