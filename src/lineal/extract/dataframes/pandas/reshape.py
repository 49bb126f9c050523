"""Columns from values and values from columns: pivot, melt, stack, get_dummies, crosstab."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lineal.algebra.expression import CONDITION
from lineal.algebra.frame import PatternColumns, Slot, Star, star_slot
from lineal.algebra.lineage import Lineage, add_doubt, pour, unite_lineages
from lineal.algebra.relation import pivot as pivot_frame
from lineal.algebra.relation import pivot_cell
from lineal.algebra.relation import unpivot as unpivot_frame
from lineal.extract.dataframes.pandas.calls import Call, is_name, name_of, without_names
from lineal.extract.dataframes.pandas.groups import aggregate_tree, label_of
from lineal.extract.dataframes.pandas.trees import aggregate, transforming_call
from lineal.extract.dataframes.pandas.values import (
    DataFrame,
    Groups,
    Levels,
    Names,
    Series,
    Table,
)
from lineal.extract.pyspark.relation import Attribute, fresh
from lineal.extract.pyspark.values import Library, Value
from lineal.model.edge import Dataset, Doubt
from lineal.model.way import Confidence

NOT_LISTED = Doubt(
    Confidence.LOW, True, "columns that are not listed, of a schema that is not known"
)


def pivot_table(call: Call, table: Table) -> Value:
    """df.pivot_table(index="day", columns="kind", values="amount", aggfunc="sum")"""
    index = optional_names(call, call.get(1, "index"))
    columns = optional_names(call, call.get(2, "columns"))
    given = call.get(0, "values")
    how = call.get(3, "aggfunc", "mean")
    if given is None and isinstance(how, dict):
        values = optional_names(call, list(how))
    else:
        values = values_of(call, table, given, [*index, *columns])

    return make_pivot(call, table, index, columns, values, how, given)


def pivot(call: Call, table: Table) -> Value:
    """df.pivot(index="day", columns="kind", values="amount")      one value for each pair of keys"""
    index = optional_names(call, call.get(1, "index"))
    columns = optional_names(call, call.get(0, "columns"))
    given = call.get(2, "values")
    values = values_of(call, table, given, [*index, *columns])
    return make_pivot(call, table, index, columns, values, None, given)


def optional_names(call: Call, held: Value) -> list[str]:
    """Return names of columns; none where an argument is not given or not known."""
    if held is None:
        return []

    return call.names(held) or []


def values_of(call: Call, table: Table, given: Value, keys: Sequence[str]) -> list[str]:
    """Return the columns whose values a pivot has: those that are given, else all but its keys."""
    return rest_of(call, table, keys) if given is None else optional_names(call, given)


def rest_of(call: Call, table: Table, names: Sequence[str]) -> list[str]:
    """Return the columns that are not named."""
    if not table.relation.complete:
        call.dynamic("all other columns of a schema that is not known")

    return [name for name in table.relation.names if name not in names]


def make_pivot(
    call: Call, table: Table, index: Sequence[str], columns: Sequence[str],
    values: Sequence[str], how: Value, given: Value,
) -> Value:  # fmt: skip
    """Return a row for each key, and columns that are called after values of the data."""
    evaluation = call.evaluation()
    keys = tuple(call.column_by_name(table, name, evaluation) for name in index)
    deciding: Lineage = {}
    for name in columns:
        found = call.lineage(call.leaf(call.column(table, name)), table.relation, evaluation)
        pour(found, CONDITION, deciding)

    cells: list[Attribute] = []
    groups = Groups(table, ())
    for name in values:
        for each in aggregates_of(how, name):
            tree = call.leaf(call.column(table, name))
            if each is not None:
                tree = aggregate_tree(call, groups, name, each)

            lineage = call.lineage(tree, table.relation, evaluation)
            cells.append(
                cell(lineage, deciding, columns, levels_of(how, each, name, given, columns))
            )

    frame = pivot_frame(table.relation.frame, [each.slot for each in keys], [])
    made = call.derive(table, cells, evaluation, frame.rows)
    return DataFrame(Table(made, keys))


def levels_of(
    how: Value, each: Value, name: str, given: Value, columns: Sequence[str]
) -> list[str]:
    """Return the levels before the values of the data in the names of a pivot."""
    levels = [label_of(each)] if isinstance(how, list) else []
    if isinstance(how, dict) and any(isinstance(held, list) for held in how.values()):
        return [label_of(each)] if is_name(given) else [name, label_of(each)]

    return levels if is_name(given) and columns else [*levels, name]


def aggregates_of(how: Value, name: str) -> list[Value]:
    """aggfunc="sum", aggfunc=["sum", "mean"], aggfunc={"amount": "sum"}"""
    if isinstance(how, dict):
        how = how.get(name, "mean")

    if isinstance(how, list):
        return how

    return [how]


def cell(
    lineage: Lineage, deciding: Lineage, columns: Sequence[str], first: Sequence[str]
) -> Attribute:
    """Return a column of a pivot; without columns it is called after the value."""
    if not columns:
        name = first[0] if len(first) == 1 else Levels(tuple(first))
        return fresh(Slot(name, name, lineage))

    label = f"<pivot:{'_'.join(columns)}>"
    if first:
        label = f"{'_'.join(first)}_{label}"

    united_ = pivot_cell(lineage, deciding)
    return fresh(star_slot(Star(Dataset("", label), made=PatternColumns(united_, "", ""))))


def melt(call: Call, table: Table) -> Table:
    """df.melt(id_vars=["id"], value_vars=["a", "b"], var_name="kind", value_name="amount")"""
    ids = optional_names(call, call.get(0, "id_vars"))
    kept = list(ids)
    listed = call.get(1, "value_vars")
    if isinstance(listed, Names):
        kept += [name for name in listed.gone if name not in kept]
        listed = None

    melted = [n for n in table.relation.names if n not in kept] if listed is None else None
    if melted is None:
        melted = optional_names(call, listed)

    label = name_or(call.get(2, "var_name"), "variable")
    title = name_or(call.get(3, "value_name"), "value")
    evaluation = call.evaluation()
    keys = [call.column_by_name(table, name, evaluation) for name in ids]
    lineages = [call.column_by_name(table, name, evaluation).slot.lineage for name in melted]
    if listed is None and table.relation.stars:
        call.dynamic("all other columns of a schema that is not known")
        stars = unite_lineages(each.slot.lineage for each in table.relation.stars)
        lineages.append(add_doubt(stars, NOT_LISTED))

    frame = unpivot_frame(
        table.relation.frame, [each.slot for each in keys], [(title, title)],
        [[lineage] for lineage in lineages], (label, label), label_first=True, drops_nulls=False,
    )  # fmt: skip
    attributes = list(map(fresh, frame.slots))
    return Table(call.derive(table, attributes, evaluation, frame.rows))


def name_or(held: Value, default: str) -> str:
    """Return a name, else the one that pandas gives."""
    return name_of(held) if is_name(held) else default


def stack(call: Call, table: Table) -> Value:
    """df.stack()      one value for each row and column; the names of the columns join the index"""
    evaluation = call.evaluation()
    lineage = unite_lineages(
        call.lineage(call.leaf(each), table.relation, evaluation)
        for each in table.relation.attributes
    )
    label = fresh(Slot("level_1", "level_1", {}))
    made = fresh(Slot("0", "0", lineage))
    relation = call.derive(table, [made], evaluation)
    return Series(call.leaf(made), None, Table(relation, (*table.index, label)))


def unstack(call: Call, table: Table) -> Value:
    """df.unstack()      the last column of the index becomes columns"""
    if not table.index:
        return DataFrame(call.unknown(table))

    *kept, last = table.index
    deciding: Lineage = {}
    pour(last.slot.lineage, CONDITION, deciding)
    cells = []
    for each in table.relation.attributes:
        first = [each.slot.name] if len(table.relation.attributes) > 1 else []
        cells.append(cell(each.slot.lineage, deciding, [last.slot.name], first))

    return DataFrame(Table(call.derive(table, cells, call.evaluation()), tuple(kept)))


def transpose(call: Call, table: Table) -> Value:
    """df.T      rows become columns: their names are labels of the index"""
    evaluation = call.evaluation()
    lineage = unite_lineages(each.slot.lineage for each in table.relation.attributes)
    label = fresh(
        star_slot(Star(Dataset("", "<pivot:index>"), made=PatternColumns(lineage, "", "")))
    )
    return DataFrame(Table(call.derive(table, [label], evaluation)))


def get_dummies(call: Call) -> Value:
    """pd.get_dummies(df, columns=["kind"]), pd.get_dummies(df["kind"], prefix="kind")"""
    held = call.get(0, "data")
    if isinstance(held, Series):
        prefix = call.get(1, "prefix")
        label = f"{prefix}_" if isinstance(prefix, str) else ""
        evaluation = call.evaluation()
        star = dummies(call, held.tree, held.name or "values", label, held.table, evaluation)
        return DataFrame(held.table.with_relation(call.derive(held.table, [star], evaluation)))

    if not isinstance(held, DataFrame):
        call.dynamic("a frame", held)
        return DataFrame(call.unknown())

    table = held.table
    names = optional_names(call, call.keywords.get("columns", call.get(5, "columns")))
    if not names:
        call.dynamic("columns by their type")
        return DataFrame(call.unknown(table))

    evaluation = call.evaluation()
    made = [
        dummies(call, call.leaf(call.column(table, name)), name, f"{name}_", table, evaluation)
        for name in names
    ]
    kept = without_names(table.relation.attributes, names)
    return DataFrame(table.with_relation(call.derive(table, [*kept, *made], evaluation)))


def dummies(
    call: Call, tree: Any, name: str, prefix: str, table: Table, evaluation: Any
) -> Attribute:
    """Return the columns that tell which value a row has: one for each value of the data."""
    lineage = call.lineage(transforming_call("get_dummies", tree), table.relation, evaluation)
    label = Dataset("", f"{prefix}<pivot:{name}>")
    return fresh(star_slot(Star(label, made=PatternColumns(lineage, prefix, ""))))


def crosstab(call: Call) -> Value:
    """pd.crosstab(df["a"], df["b"])      how often each pair is there"""
    rows, columns = call.get(0, "index"), call.get(1, "columns")
    if not isinstance(rows, Series) or not isinstance(columns, Series):
        call.dynamic("columns", rows)
        return DataFrame(call.unknown())

    table = rows.table
    evaluation = call.evaluation()
    keys = [call.make(rows.name or "row_0", rows, table.relation, evaluation)]
    found = call.make("column", columns, table.relation, evaluation)
    deciding: Lineage = {}
    pour(found.slot.lineage, CONDITION, deciding)
    values = call.keywords.get("values")
    lineage: Lineage = {}
    if isinstance(values, Series):
        given = call.get(5, "aggfunc")
        how = label_of(given) if isinstance(given, (str, Library)) else "aggregate"
        lineage = call.lineage(aggregate(how, values.tree), table.relation, evaluation)

    frame = pivot_frame(table.relation.frame, [each.slot for each in keys], [])
    made = cell(lineage, deciding, [columns.name or "col_0"], [])
    return DataFrame(Table(call.derive(table, [made], evaluation, frame.rows), tuple(keys)))


RESHAPING = {
    "pivot_table": pivot_table,
    "pivot": pivot,
    "melt": melt,
    "stack": stack,
    "unstack": unstack,
    "transpose": transpose,
}
"""Methods of a frame that turn values into columns, or columns into values."""
