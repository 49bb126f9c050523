"""Columns of a frame: added, renamed, left out, converted, filled; and its index."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import starmap
from typing import Any

from sqlglot import exp

from lineal.algebra.frame import PatternColumns, Slot, Star, star_slot
from lineal.algebra.relation import rename as rename_frame
from lineal.extract.dataframes.pandas.calls import (
    CHANGED,
    FILLED,
    Call,
    doubt_stars,
    is_name,
    mark_stars,
    name_of,
    relations_of,
    texts_of,
    without_names,
)
from lineal.extract.dataframes.pandas.elements import apply_to_element, apply_to_row
from lineal.extract.dataframes.pandas.selection import (
    change_columns,
    change_every,
    change_together,
    leave_out,
    may_have,
    narrow_rows,
    set_columns,
    some_columns,
    value_beside,
)
from lineal.extract.dataframes.pandas.trees import aggregate, case, operand, transforming_call
from lineal.extract.dataframes.pandas.values import (
    DataFrame,
    Levels,
    Names,
    Row,
    Series,
    Table,
    Watch,
)
from lineal.extract.pyspark.dispatch import invoke
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.relation import Attribute, Relation, fresh
from lineal.extract.pyspark.values import Function, Partial, Value
from lineal.model.edge import Dataset, Doubt
from lineal.model.patterns import SlowPattern, compile_pattern
from lineal.model.sequences import all_are
from lineal.model.way import Confidence, How

RENAMED = Doubt(
    Confidence.MEDIUM,
    False,
    "a function renames columns, and the columns of the source are not known",
)
BY_TYPE = Doubt(Confidence.MEDIUM, False, "columns by their type, and the types are not known")


def assign(call: Call, table: Table) -> Table:
    """df.assign(total=lambda d: d["a"] + d["b"], kind="x")      each sees those before it"""
    given = dict(call.keywords)
    for name, held in given.items():
        if isinstance(held, (Function, Partial)):
            held = invoke(call.run, held, Invocation([DataFrame(table)], {}, call.node))

        table = set_columns(call, table, [name], held)

    return table


def insert(call: Call, table: Table) -> Table:
    """df.insert(0, "x", values)"""
    names = call.names(call.get(1, "column"))
    if names is None:
        return table

    made = set_columns(call, table, names, call.get(2, "value"))
    position = call.get(0, "loc")
    if not isinstance(position, int) or not table.relation.complete:
        return made

    *others, new = made.relation.attributes
    others.insert(position, new)
    return made.with_relation(call.derive(made, others, call.evaluation()))


# -- names -----------------------------------------------------------------------------------------


def rename(call: Call, table: Table) -> Table:
    """df.rename(columns={"a": "b"}), df.rename(columns=str.lower)"""
    names = call.keywords.get("columns")
    if names is None and call.get(-1, "axis") in (1, "columns"):
        names = call.get(0, "mapper")

    if names is None:
        return rename_index(call, table)

    if isinstance(names, Mapping):
        return rename_columns(call, table, names)

    return rename_by_function(call, table, names)


def rename_index(call: Call, table: Table) -> Table:
    """df.rename(index={0: "first"})      labels of rows, which no column has"""
    return table


def rename_columns(call: Call, table: Table, names: Mapping[Value, Value]) -> Table:
    """Return the table with columns renamed; names that it does not have are passed over."""
    known = {
        name_of(old): name_of(new) for old, new in names.items() if is_name(old) and is_name(new)
    }
    if len(known) < len(names):
        unknown = next(each for pair in names.items() for each in pair if not is_name(each))
        call.dynamic("columns", unknown)

    evaluation = call.evaluation()
    attributes = []
    for each in table.relation.attributes:
        new = known.get(each.key) if each.slot.star is None else None
        attributes.append(each if new is None else rename_column(each, new))

    if table.relation.stars:
        for old, new in known.items():
            found = (
                call.from_stars(table.relation, old) if old not in table.relation.by_key else None
            )
            if found is not None:
                lineage = call.lineage(call.leaf(found), table.relation, evaluation)
                made = fresh(Slot(new, new, lineage))
                attributes = [*without_names(attributes, [old, new]), made]

    index = tuple(
        rename_column(each, known.get(each.slot.name, each.slot.name)) for each in table.index
    )
    return Table(call.derive(table, attributes, evaluation), index, table.order)


def rename_column(each: Attribute, name: str) -> Attribute:
    """Return a column under another name."""
    return each._replace(slot=Slot(name, name, each.slot.lineage))


def rename_by_function(call: Call, table: Table, function: Value) -> Table:
    """df.rename(columns=str.lower), df.rename(columns=lambda c: c.strip())"""
    return rename_each(
        call, table, lambda name: invoke(call.run, function, Invocation([name], {}, call.node))
    )


def rename_each(call: Call, table: Table, new_name: Callable[[str], Value]) -> Table:
    """Return the table with every column renamed; columns that are not known are less certain."""
    attributes = []
    for each in table.relation.attributes:
        if each.slot.star is not None:
            attributes.append(rename_star(each, each.slot.star, new_name))
            continue

        name = new_name(each.slot.name)
        if not is_name(name):
            call.dynamic("columns", name)
            return call.unknown(table)

        attributes.append(rename_column(each, name_of(name)))

    return table.with_relation(call.derive(table, attributes, call.evaluation()))


def is_pivoted(each: Attribute) -> bool:
    """Tell whether columns that are not known are those of a pivot."""
    return each.slot.star is not None and isinstance(each.slot.star.made, PatternColumns)


def rename_star(each: Attribute, star: Star, new_name: Callable[[str], Value]) -> Attribute:
    """Return columns that are not known under other names; those of a pivot keep the placeholder
    of their names.

    wide.columns = [f"paid_{c}" for c in wide.columns]      paid_<pivot:kind>
    """
    label = star.dataset.name
    made = star.made
    name = new_name(label) if isinstance(made, PatternColumns) else None
    if made is None or not is_name(name) or label not in name_of(name):
        return doubt_stars([each], RENAMED)[0]

    before, _, behind = name_of(name).partition(label)
    made = made._replace(prefix=before + made.prefix, suffix=made.suffix + behind)
    return fresh(star_slot(star._replace(dataset=Dataset("", name_of(name)), made=made)))


def set_names(call: Call, table: Table, names: Value) -> Table:
    """df.columns = ["a", "b"]      by position"""
    if isinstance(names, Names) and not names.gone and not names.some:
        return rename_by_names(call, table, names)

    known = call.names(names)
    if known is None:
        return replace(call.unknown(table), index=table.index)

    relation = table.relation
    if relation.complete and len(relation.attributes) == len(known):
        pairs = zip(relation.attributes, known, strict=True)
        attributes = list(starmap(rename_column, pairs))
        return table.with_relation(call.derive(table, attributes, call.evaluation()))

    frame = rename_frame(relation.frame, [(name, name) for name in known])
    attributes = list(map(fresh, frame.slots))
    return table.with_relation(call.derive(table, attributes, call.evaluation()))


def has_names_of(table: Table, names: Names) -> bool:
    """Tell whether a frame has the columns whose names are given: known ones and stars."""
    one, other = table.relation, names.frame.relation
    return one is other or (one.names, stars_of(one)) == (other.names, stars_of(other))


def stars_of(relation: Relation) -> list[Dataset]:
    """Return the datasets whose columns a frame has without knowing them."""
    return [each.slot.star.dataset for each in relation.attributes if each.slot.star is not None]


def rename_by_names(call: Call, table: Table, names: Names) -> Table:
    """df.columns = df.columns.str.lower(), df.columns = ["x_" + c for c in df.columns]"""
    if not has_names_of(table, names):
        call.dynamic("columns of another frame, which are not known")
        return replace(call.unknown(table), index=table.index)

    before, behind = names.affixes
    if not names.changed and not before and not behind:
        return table

    if (before or behind) and any(not is_pivoted(each) for each in table.relation.stars):
        call.dynamic("columns that are not known, under other names")
        return replace(call.unknown(table), index=table.index)

    return rename_each(call, table, lambda name: f"{before}{name}{behind}")


def set_axis(call: Call, table: Table) -> Table:
    """df.set_axis(["a", "b"], axis=1)"""
    if call.get(1, "axis", 0) in (1, "columns"):
        return set_names(call, table, call.get(0, "labels"))

    return table


def add_prefix(call: Call, table: Table) -> Table:
    """df.add_prefix("order_")"""
    prefix = call.get(0, "prefix")
    return rename_each(call, table, lambda name: f"{prefix}{name}" if is_name(prefix) else prefix)


def add_suffix(call: Call, table: Table) -> Table:
    """df.add_suffix("_old")"""
    suffix = call.get(0, "suffix")
    return rename_each(call, table, lambda name: f"{name}{suffix}" if is_name(suffix) else suffix)


# -- columns that stay -----------------------------------------------------------------------------


def drop(call: Call, table: Table) -> Table:
    """df.drop(columns=["a"]), df.drop("a", axis=1), df.drop(index=0)"""
    gone = call.keywords.get("columns")
    if gone is None and call.get(1, "axis", 0) in (1, "columns"):
        gone = call.get(0, "labels")

    if gone is None:
        return drop_rows(call, table)

    return leave_out(call, table, call.names(gone))


def drop_rows(call: Call, table: Table) -> Table:
    """df.drop(df[df["a"] < 0].index)      what decides those rows decides which are left"""
    given = call.get(0, "labels", call.keywords.get("index"))
    if not isinstance(given, Series):
        return table

    rows = dict(table.relation.rows)
    rows.update(given.table.relation.rows)
    relation = call.derive(table, None, call.evaluation(), rows, [given.table.relation])
    return narrow_rows(call, table.with_relation(relation), [])


def filter_names(call: Call, table: Table) -> Table:
    """df.filter(items=["a"]), df.filter(like="amount_"), df.filter(regex="^x")"""
    items = call.get(0, "items")
    if items is not None:
        names = call.names(items)
        return call.unknown(table) if names is None else call.select(table, names)

    like, pattern = call.keywords.get("like"), call.keywords.get("regex")
    if not table.relation.complete or not isinstance(like or pattern, str):
        call.dynamic("columns by their names, of a schema that is not known")
        return some_columns(call, table)

    names = table.relation.names
    if isinstance(like, str):
        return call.select(table, [name for name in names if like in name])

    try:
        matches = compile_pattern(str(pattern)).search
        return call.select(table, [name for name in names if matches(name)])
    except SlowPattern as refused:
        call.dynamic(f"columns by their names: {refused}")
        return some_columns(call, table)


def by_type(call: Call, table: Table) -> Table:
    """df.select_dtypes(include="number")      the types are not known"""
    call.dynamic("columns by their type")
    doubtful = [each.doubtful(BY_TYPE) for each in table.relation.attributes]
    return table.with_relation(call.derive(table, doubtful, call.evaluation()))


def round_numbers(call: Call, table: Table) -> Table:
    """df.round(2)      texts stay as they are, and the type of a copied column is not known"""
    made = elementwise("round")(call, table)
    if isinstance(call.get(0, "decimals"), dict):
        return made

    copies = {each.key for each in table.relation.attributes if is_copy(each)}
    attributes = [
        each.doubtful(BY_TYPE) if each.key in copies else each for each in made.relation.attributes
    ]
    return made.with_relation(call.derive(made, attributes, call.evaluation()))


def is_copy(attribute: Attribute) -> bool:
    """Tell whether a column is taken from its sources as it is."""
    return all(way.how is How.IDENTITY for _, way in attribute.slot.lineage)


def reindex(call: Call, table: Table) -> Table:
    """df.reindex(columns=["a", "b"])"""
    names = call.keywords.get("columns")
    if names is None:
        return table

    known = call.names(names)
    if known is None:
        return call.unknown(table)

    return call.select(table, known)


# -- values ----------------------------------------------------------------------------------------


def as_type(call: Call, table: Table) -> Table:
    """df.astype({"a": int}), df.astype(str)"""
    kinds = call.get(0, "dtype")
    return change_some(call, table, kinds, lambda tree: transforming_call("astype", tree))


def change_some(call: Call, table: Table, given: Value, change: Callable[[Any], Any]) -> Table:
    """Return the table with the columns of a dict changed, or with every column changed."""
    if isinstance(given, dict):
        return change_columns(call, table, call.names(list(given)) or [], change)

    return change_every(call, table, change)


def fill_missing(call: Call, table: Table) -> Table:
    """df.fillna(0), df.fillna({"a": 0, "b": "x"}), df.fillna(df.mean())"""
    held = call.get(0, "value")
    if isinstance(held, dict):
        given = {}
        for name, each in held.items():
            if is_name(name) and call.find(table, name_of(name)) is not None:
                found = call.leaf(call.column(table, name_of(name)))
                given[name_of(name)] = coalesce(found, operand(each))

        return call.assign(table, given, relations_of(held.values()))

    if isinstance(held, Row):
        row = held

        def fill_from(name: str) -> Any:
            """Return the expression of the row's column with this name, else NULL."""
            other = call.find(row.table, name)
            return call.leaf(other) if other is not None else exp.Null()

        pairs = {name: fill_from(name) for name in table.relation.names}
        trees = {
            name: coalesce(call.leaf(call.column(table, name)), other)
            for name, other in pairs.items()
        }
        return call.assign(table, trees, [row.table.relation])

    default = operand(held)
    return change_every(call, table, lambda tree: coalesce(tree, default), FILLED)


def coalesce(tree: Any, default: Any) -> Any:
    """Return a value, or another one where it is missing."""
    return exp.Coalesce(this=tree, expressions=[default])


def replace_values(call: Call, table: Table) -> Table:
    """df.replace({"a": {1: 2}}), df.replace("old", "new")"""
    given = call.get(0, "to_replace")
    if not isinstance(given, dict) or not all_are(given.values(), dict):
        given = None

    return change_some(call, table, given, lambda tree: transforming_call("replace", tree))


def elementwise(name: str) -> Callable[[Call, Table], Table]:
    """Return a method that changes every column by itself.

    df.round(2), df.abs(), df.clip(lower=0)
    """

    def change(call: Call, table: Table) -> Table:
        """df.round(2), df.round({"a": 1})"""
        return change_some(
            call, table, call.get(0, "decimals"), lambda tree: transforming_call(name, tree)
        )

    return change


def fill_forward(name: str) -> Callable[[Call, Table], Table]:
    """Return a method that fills missing values from other rows: df.ffill(), df.interpolate()."""

    def fill(call: Call, table: Table) -> Table:
        """df.ffill()"""
        return change_every(
            call, table, lambda tree: coalesce(tree, transforming_call(name, tree)), FILLED
        )

    return fill


def where(call: Call, table: Table) -> Table:
    """df.where(df > 0, 0), df.mask(mask, value)"""
    given = [call.get(0, "cond"), call.get(1, "other")]
    return change_together(
        call, table, given, lambda tree, test, other: case([test], [tree], other), FILLED
    )


def is_in(call: Call, table: Table) -> Table:
    """df.isin([1, 2]), df.isin(other)"""
    return change_together(
        call,
        table,
        [call.get(0, "values")],
        lambda tree, other: transforming_call("isin", tree, other),
        CHANGED,
    )


def update(call: Call, table: Table) -> Table:
    """df.update(other)      the values of the other frame, where it has any"""
    other = call.get(0, "other")
    if not isinstance(other, DataFrame):
        call.dynamic("a frame", other)
        return table

    names = [name for name in table.relation.names if may_have(other.table, name)]
    made = {}
    for name in names:
        tree = coalesce(value_beside(call, other, name), call.leaf(call.column(table, name)))
        doubt = None if name in other.relation.by_key else MAYBE_THERE
        made[name] = Series(tree, name, table, doubt=doubt)

    found = call.assign(table, made, [other.relation])
    if not table.relation.stars:
        return found

    more = without_names(other.relation.stars, names)
    attributes = mark_stars([*found.relation.attributes, *more], FILLED)
    return found.with_relation(call.derive(found, attributes, call.evaluation()))


MAYBE_THERE = Doubt(Confidence.MEDIUM, False, "a column that the other frame may have")


def transform(call: Call, table: Table) -> Value:
    """df.transform(lambda s: s - s.mean()), df.transform("sqrt")"""
    function = call.get(0, "func")
    if isinstance(function, (list, tuple, dict)):
        call.report_unsupported("DataFrame.transform with several functions")
        return DataFrame(call.unknown(table))

    if isinstance(function, str):
        return elementwise(function)(Call(call.run, [], {}, call.node), table)

    return apply(call, table)


def squeeze(call: Call, table: Table) -> Value:
    """df[["x"]].squeeze()      a frame of one column is a series"""
    if table.relation.complete and len(table.relation.names) == 1:
        return call.series(table, table.relation.names[0])

    return DataFrame(table)


def apply(call: Call, table: Table) -> Value:
    """df.apply(f, axis=1) for each row, df.apply(f) for each column"""
    function = call.get(0, "func")
    if call.get(1, "axis", 0) in (1, "columns"):
        more = call.keywords.get("args", ())
        return apply_to_row(
            call, table, function, *(more if isinstance(more, (tuple, list)) else ())
        )

    return apply_to_columns(call, table, function)


def apply_to_columns(call: Call, table: Table, function: Value) -> Value:
    """df.apply(lambda s: s / s.max()), df.apply(np.sum)"""
    if not table.relation.complete:
        call.dynamic("a function of each column, of a schema that is not known")
        return DataFrame(call.unknown(table))

    made = {}
    for name in table.relation.names:
        series = call.series(table, name)
        found = column_result(call, series, function)
        made[name] = found

    if any(each.is_scalar for each in made.values()):
        return Row(call.assign(table, made), Watch())

    return call.assign(table, made)


def column_result(call: Call, series: Series, function: Value) -> Series:
    """Return what a function makes of one column."""
    if isinstance(function, str):
        return series.with_tree(aggregate(function, series.tree), is_scalar=True)

    held = invoke(call.run, function, Invocation([series], {}, call.node))
    return (
        held
        if isinstance(held, Series)
        else series.with_tree(transforming_call("apply", series.tree))
    )


def apply_map(call: Call, table: Table) -> Table:
    """df.map(f), df.applymap(f)"""
    function = call.get(0, "func")
    made = {
        name: apply_to_element(call, call.series(table, name), function)
        for name in table.relation.names
    }
    found = call.assign(table, made)
    attributes = mark_stars(found.relation.attributes, CHANGED)
    return found.with_relation(call.derive(found, attributes, call.evaluation()))


def pipe(call: Call, table: Table) -> Value:
    """df.pipe(clean, strict=True)"""
    function, *rest = call.arguments or [None]
    return invoke(
        call.run, function, Invocation([DataFrame(table), *rest], call.keywords, call.node)
    )


# -- index -----------------------------------------------------------------------------------------


def set_index(call: Call, table: Table) -> Table:
    """df.set_index("id"), df.set_index(["a", "b"], drop=False)"""
    keys = call.get(0, "keys")
    if isinstance(keys, Series):
        evaluation = call.evaluation()
        made = call.make(keys.name or "index", keys, table.relation, evaluation)
        return Table(call.derive(table, None, evaluation), (made,), table.order)

    names = call.names(keys)
    if names is None:
        return table

    evaluation = call.evaluation()
    index = tuple(call.column_by_name(table, name, evaluation) for name in names)
    if call.flag("append"):
        index = (*table.index, *index)

    kept = list(table.relation.attributes)
    if call.flag("drop", True):
        kept = without_names(kept, names)

    return Table(call.derive(table, kept, evaluation), index, table.order)


def reset_index(call: Call, table: Table) -> Table:
    """df.reset_index(), df.reset_index(drop=True)      the index becomes columns in front"""
    if call.flag("drop"):
        return Table(call.derive(table, None, call.evaluation()), (), table.order)

    gone = call.get(0, "level")
    moved = table.index
    if is_name(gone):
        moved = tuple(each for each in table.index if each.slot.name == name_of(gone))

    if not table.index:
        moved = (fresh(Slot("index", "index", {})),)

    left = tuple(each for each in table.index if each not in moved)
    names = texts_of(call.keywords.get("names"))
    if names is not None:
        moved = tuple(map(rename_column, moved, names))

    attributes = [*moved, *table.relation.attributes]
    return Table(call.derive(table, attributes, call.evaluation()), left, table.order)


def rename_axis(call: Call, table: Table) -> Table:
    """df.rename_axis("id")      the name of the index"""
    name = call.get(0, "mapper", call.keywords.get("index"))
    if not is_name(name) or len(table.index) != 1:
        return table

    return Table(table.relation, (rename_column(table.index[0], name_of(name)),), table.order)


def droplevel(call: Call, table: Table) -> Table:
    """df.droplevel(0, axis=1)      columns of several levels lose one"""
    if call.get(1, "axis", 0) not in (1, "columns"):
        return Table(table.relation, (), table.order)

    level = call.get(0, "level")
    position = level if isinstance(level, int) else 0

    def shorter(name: str) -> str:
        """Return a column's name without the level that is dropped."""
        if not isinstance(name, Levels):
            return name

        rest = tuple(part for at, part in enumerate(name.parts) if at != position)
        return rest[0] if len(rest) == 1 else Levels(rest)

    return rename_each(call, table, shorter)


COLUMNS = {
    "assign": assign,
    "insert": insert,
    "rename": rename,
    "set_axis": set_axis,
    "add_prefix": add_prefix,
    "add_suffix": add_suffix,
    "drop": drop,
    "filter": filter_names,
    "select_dtypes": by_type,
    "reindex": reindex,
    "astype": as_type,
    "fillna": fill_missing,
    "replace": replace_values,
    "where": where,
    "mask": where,
    "isin": is_in,
    "update": update,
    "transform": transform,
    "squeeze": squeeze,
    "apply": apply,
    "applymap": apply_map,
    "map": apply_map,
    "pipe": pipe,
    "set_index": set_index,
    "reset_index": reset_index,
    "rename_axis": rename_axis,
    "droplevel": droplevel,
    **{name: fill_forward(name) for name in ("ffill", "bfill", "pad", "interpolate", "backfill")},
    "round": round_numbers,
    **{
        name: elementwise(name)
        for name in ("abs", "clip", "isna", "isnull", "notna", "notnull")
    },
}  # fmt: skip
"""Methods of a frame that concern its columns and its index."""
