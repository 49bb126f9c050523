"""Functions in FROM that BigQuery applies to models and tables: ML.PREDICT, AI.FORECAST, …"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

from lineal.algebra.clauses import LATERAL
from lineal.algebra.expression import AGGREGATED, VALUE
from lineal.algebra.frame import Frame, Slot, Star, answer, slot_at, star_slot
from lineal.algebra.lineage import Lineage, absorb, pour
from lineal.algebra.values import OpenRow, Struct
from lineal.extract.sql.dialects.table_functions import (
    OF_A_SERIES,
    OF_ALL_ROWS,
    TABLE_CHANGES,
    WITH_HISTORY,
)
from lineal.extract.sql.nodes import is_string
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.tables import spell_table
from lineal.model.edge import Column
from lineal.model.sequences import present
from lineal.model.way import IDENTITY

Members = Sequence[exp.Expr]

MODEL_INPUTS = (exp.Table, exp.Subquery)


def member_frame(member: Any, scope: Scope, rows: Lineage) -> Frame:
    """TABLE t, (SELECT …)      the rows that a function is given"""
    query = member
    if isinstance(member, exp.Table):
        query = exp.select("*").from_(member.copy())

    frame = scope.evaluation.query(query, scope.parent, scope.ctes)
    absorb(frame.rows, rows)
    return frame


def model_columns(
    call: exp.Func, name: str, node: exp.Expr, scope: Scope, rows: Lineage
) -> list[Slot] | None:
    """ML.PREDICT(MODEL m, TABLE t), AI.FORECAST(TABLE t, …), CHANGES(TABLE t, …)

    None for any other function
    """
    if not isinstance(call, exp.Func):
        return None

    name = name.removeprefix("a_i_")
    members = [each for each in call.iter_expressions() if isinstance(each, MODEL_INPUTS)]
    model = model_of(call)
    if model is not None:
        others = [each for each in members if each is not model]
        return ml_predict(model, name, others, node, scope, rows)

    reader = READERS.get((name, scope.evaluation.facts.name))
    if reader is None or not members:
        return None

    return reader(call, name, members, scope, rows)


def model_of(call: exp.Func) -> exp.Table | None:
    """ML.PREDICT(MODEL m, …), ML.EVALUATE(MODEL => m)      m as a table"""
    first = next(call.iter_expressions(), None)
    if isinstance(call, OWN_CLASSES) and isinstance(first, exp.Table):
        return first

    if isinstance(first, exp.Kwarg) and first.name.upper() == "MODEL":
        column = first.expression
        parts = column.parts if isinstance(column, exp.Column) else [column]
        names = dict(zip(("this", "db", "catalog"), reversed(parts), strict=False))
        return exp.Table(**{key: part.copy() for key, part in names.items()})

    return None


def ml_predict(
    model: exp.Table, name: str, members: Members, node: exp.Expr, scope: Scope, rows: Lineage
) -> list[Slot]:
    """FROM ML.PREDICT(MODEL m, TABLE t), ML.EVALUATE(MODEL m, TABLE t), ML.WEIGHTS(MODEL m)

    The columns of t as they are; every other one is the model's, and made of all of t's. What is
    measured over all rows of t does not pass its columns on.
    """
    evaluation = scope.evaluation
    measured = name in OF_ALL_ROWS
    given = [slot for member in members for slot in member_frame(member, scope, rows).slots]
    made: Lineage = {}
    for slot in given:
        pour(slot.lineage, AGGREGATED if measured else VALUE, made)

    spelling, key = spell_table(model, evaluation.facts)
    dataset, _ = evaluation.scan(key, spelling, node)
    passed = [] if measured else given
    return passed if dataset is None else [*passed, star_slot(Star(dataset, arguments=made))]


def series_columns(
    call: exp.Func, name: str, members: Members, scope: Scope, rows: Lineage
) -> list[Slot]:
    """FROM AI.FORECAST(TABLE t, data_col => 'x', timestamp_col => 'at', id_cols => ['a'])

    the columns that tell the series apart, and others made of the times and values
    """
    frames = [member_frame(member, scope, rows) for member in members]
    made: Lineage = {}
    for column in (*texts_of(call, "timestamp_col"), *texts_of(call, "data_col")):
        for frame in frames:
            for slot in slots_called(frame, column, scope):
                pour(slot.lineage, VALUE, made, call)

    keys = [
        slot
        for column in texts_of(call, "id_cols")
        for slot in slots_called(frames[-1], column, scope)
    ]
    history = argument_of(call, "output_historical_time_series")
    columns = (
        WITH_HISTORY if isinstance(history, exp.Boolean) and history.this else OF_A_SERIES[name]
    )
    return [
        *keys,
        *(Slot(column, scope.evaluation.fold(column, False), made) for column in columns),
    ]


def changed_columns(
    call: exp.Func, name: str, members: Members, scope: Scope, rows: Lineage
) -> list[Slot]:
    """FROM CHANGES(TABLE t, NULL, NULL)      the columns of t, and the kind and time of each change"""
    frame = member_frame(members[0], scope, rows)
    fold = scope.evaluation.fold
    return [*frame.slots, *(Slot(each, fold(each, False), {}) for each in TABLE_CHANGES)]


def columns_at_a_time(
    call: exp.Func, name: str, members: Members, scope: Scope, rows: Lineage
) -> list[Slot]:
    """FROM ML.FEATURES_AT_TIME(TABLE t, time => …)      the columns of t as they were"""
    return list(member_frame(members[0], scope, rows).slots)


def slots_called(frame: Frame, name: str, scope: Scope) -> list[Slot]:
    """The column of a frame that a text names, or what an open star answers."""
    key = scope.evaluation.fold(name, False)
    if key in frame.index:
        return [slot_at(frame.index, key)]

    stars = [each.star for each in frame.stars if each.star is not None]
    return [slot for star in stars if (slot := answer(star, name, key)) is not None][:1]


def argument_of(call: exp.Func, name: str) -> Any:
    """f(TABLE t, data_col => 'x')      the value of a named argument"""
    for argument in call.iter_expressions():
        if isinstance(argument, exp.Kwarg) and argument.name.lower() == name:
            return argument.expression

    return call.args.get(name)


def texts_of(call: exp.Func, name: str) -> list[str]:
    """id_cols => ['a', 'b'], data_col => 'x'      the names that an argument lists"""
    value = argument_of(call, name)
    value = value.expression if isinstance(value, exp.Kwarg) else value
    items = value.expressions if isinstance(value, exp.Array) else [value]
    firsts = [item.expressions[0] if isinstance(item, exp.Tuple) else item for item in items]
    return [first.name for first in firsts if is_string(first)]


def filled_columns(
    call: exp.Func, name: str, members: Members, scope: Scope, rows: Lineage
) -> list[Slot]:
    """FROM GAP_FILL(TABLE t, ts_column => 'at', value_columns => [('price', 'locf')], …)

    the columns of t that the texts name, each computed from those of its neighbors
    """
    frame = member_frame(members[0], scope, rows)
    slots = []
    for column in [text for setting in FILLED for text in texts_of(call, setting)]:
        made: Lineage = {}
        for slot in slots_called(frame, column, scope):
            pour(slot.lineage, VALUE, made, call)

        slots.append(Slot(column, scope.evaluation.fold(column, False), made))

    return slots


FILLED = ("ts_column", "partitioning_columns", "value_columns")
"""The arguments that name columns of GAP_FILL: of the time, of the partitions, and those it fills."""


def neighbors(
    call: exp.Func, name: str, members: Members, scope: Scope, rows: Lineage
) -> list[Slot]:
    """FROM VECTOR_SEARCH(TABLE b, 'v', TABLE q), AI.SEARCH(TABLE b, 'v', 'a text')

    base and query are rows of b and q; distance is made of both vectors, which decide the rows
    """
    named = call.args.get("column_to_search") or next(
        filter(is_string, call.iter_expressions()), None
    )
    vector = named.name if named is not None else ""
    values = [row_as_struct(member_frame(member, scope, rows)) for member in members]
    distance: Lineage = {}
    for lineage in present([value.field(vector) for value in values]):
        pour(lineage, VALUE, distance)
        pour(lineage, LATERAL, rows)

    made = [*zip(("base", "query"), values, strict=False), ("distance", distance)]
    return [Slot(each, scope.evaluation.fold(each, False), value) for each, value in made]


def row_as_struct(frame: Frame) -> Struct:
    """A row as a value, with its columns as fields."""
    whole: Lineage = {}
    for slot in frame.slots:
        pour(slot.lineage, VALUE, whole)

    named = [slot for slot in frame.slots if slot.star is None]
    fields = {slot.key.lower(): slot.lineage for slot in named}
    names = [slot.name for slot in named]
    stars = present([slot.star for slot in frame.slots])
    if len(stars) == 1:
        rest: Lineage = {(Column(stars[0].dataset, "*"), IDENTITY): None}
        return OpenRow(whole, fields, names, rest)

    return Struct(whole, fields, names)


Reader = Callable[[exp.Func, str, Members, Scope, Lineage], list[Slot]]

OF_BIGQUERY: dict[str, Reader] = {
    **dict.fromkeys(OF_A_SERIES, series_columns),
    "appends": changed_columns,
    "changes": changed_columns,
    "features_at_time": columns_at_a_time,
    "entity_features_at_time": columns_at_a_time,
    "gap_fill": filled_columns,
    "vector_search": neighbors,
    "search": neighbors,
}
READERS = {(name, "bigquery"): reader for name, reader in OF_BIGQUERY.items()}
"""Functions of tables that are given as they are, or as a query."""

OWN_CLASSES = (
    exp.Predict, exp.GenerateEmbedding, exp.GenerateText, exp.GenerateTable, exp.MLForecast, exp.MLTranslate,
)  # fmt: skip
"""Classes of the parser whose first argument is a model."""
