"""Parts of a frame: df["x"], df[["a", "b"]], df[mask], df.loc, df.iloc, and assignments to them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

from sqlglot import exp

from lineal.algebra.clauses import FILTERS, SORTS
from lineal.algebra.lineage import absorb, add_doubt
from lineal.algebra.relation import decided_rows, doubt_columns, narrow
from lineal.extract.dataframes.pandas.calls import (
    CHANGED,
    FILLED,
    Call,
    as_series,
    is_name,
    mark_stars,
    name_of,
    relations_of,
    without_names,
)
from lineal.extract.dataframes.pandas.elements import bound_series
from lineal.extract.dataframes.pandas.lookups import look_up
from lineal.extract.dataframes.pandas.trees import case, operand, transforming_call
from lineal.extract.dataframes.pandas.values import (
    DataFrame,
    Indexer,
    Levels,
    Names,
    Row,
    Series,
    Table,
    Watch,
)
from lineal.extract.pyspark.dispatch import invoke
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.knowledge import items_of
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Function, Method, Pattern, Unknown, Value
from lineal.model.edge import Doubt
from lineal.model.sequences import all_are, any_is, as_list, instances, present
from lineal.model.way import Clause, Confidence, Way

EVERYTHING = slice(None, None, None)
ANY_COLUMN = Doubt(Confidence.MEDIUM, False, "a column whose name only a run knows is set")


# -- rows ------------------------------------------------------------------------------------------


def narrow_rows(
    call: Call, table: Table, trees: Iterable[Any], way: Way = FILTERS, clause: Clause = Clause.WHERE,
    parents: Iterable[Any] = (),
) -> Table:  # fmt: skip
    """Return a table whose rows some expressions decide."""
    evaluation = call.evaluation()
    conditions = call.expressions(table.relation, evaluation, trees, clause)
    rows = narrow(decided_rows(table.relation.rows), way, conditions).rows
    relation = call.derive(table, None, evaluation, rows, parents)
    return table.with_relation(relation)


def filter_rows(call: Call, table: Table, mask: Series) -> Table:
    """Return the rows for which a condition holds.

    df[df["a"] > 1]
    """
    tree = call.fit_series(mask, table.relation.rows)
    others = [each for each in relations_of([mask]) if each is not table.relation]
    found = narrow_rows(call, table, [tree], parents=others)
    if not mask.is_scalar:
        absorb(mask.table.relation.rows, found.relation.rows)

    return found


def rows_by_label(call: Call, table: Table) -> Table:
    """Return some rows by their labels.

    df.loc["2024-01"]      the columns of the index decide which rows they are
    """
    return narrow_rows(call, table, call.leaves(table.index))


def sort_rows(call: Call, table: Table, trees: Sequence[Any]) -> Table:
    """Return the rows in another order."""
    return narrow_rows(call, table, trees, SORTS, Clause.ORDER_BY)


# -- items -----------------------------------------------------------------------------------------


BY_PLACE = Doubt(Confidence.LOW, False, "a column of an array, by its place")


def item_of_frame(run: Run, held: DataFrame, key: Value, node: ast.AST) -> Value:
    """Return an item of a frame.

    df["x"], df[["a", "b"]], df[df["a"] > 1], df[:10]
    """
    call = Call(run, [], {}, node)
    if isinstance(key, Function):
        key = invoke(run, key, Invocation([held], {}, node))

    if is_name(key):
        return taken_from(held, name_of(key), named_part(call, held.table, name_of(key)))

    if is_name_of_data(key):
        call.dynamic("a column that the data names")
        return Unknown("column", "only the data names it", inputs=(held.relation,))

    if isinstance(key, Series):
        return DataFrame(filter_rows(call, held.table, key))

    if isinstance(key, slice):
        return DataFrame(held.table)

    if held.state.get("array") and isinstance(key, tuple) and is_column_of_array(key):
        return column_of_array(call, held.table)

    if isinstance(key, DataFrame):
        return DataFrame(mask_frame(call, held.table, key))

    return DataFrame(columns_by_key(call, held.table, key))


def is_name_of_data(key: Value) -> bool:
    """for kind in df["kind"].unique(): df[kind]      Tell whether a key is one value of a column."""
    if not isinstance(key, Series) or key.watch is None:
        return False

    return isinstance(key.tree, exp.Column)


def taken_from(frame: DataFrame, name: str | None, found: Value) -> Value:
    """Return a column, with the frame that it belongs to: a change in place may reach the frame."""
    if isinstance(found, Series):
        found.origin = (frame, name)

    return found


def is_column_of_array(key: tuple[Value, ...]) -> bool:
    """Tell whether a key takes one column of an array: components[:, 0]"""
    return len(key) == 2 and isinstance(key[0], slice) and isinstance(key[1], int)


def column_of_array(call: Call, table: Table) -> Series:
    """Return a column of what a transformer gives, made of all columns that may be in its place.

    PCA(2).fit_transform(X)[:, 0]
    """
    trees = call.leaves(table.relation.attributes)
    doubt = None if len(trees) == 1 else BY_PLACE
    return Series(transforming_call("item", *trees), None, table, doubt=doubt)


def named_part(call: Call, table: Table, name: str) -> Value:
    """Return a column; of columns with several levels, those below a name.

    df["x"], df["amount"] of df.groupby("k").agg(["min", "max"])
    """
    columns = table.relation.attributes
    if name not in table.relation.by_key and Levels in map(type, map(NAME, columns)):
        below = [each for each in columns if starts_with(each.slot.name, name)]
        if below:
            return DataFrame(without_level(call, table, below))

    return call.series(table, name)


NAME = attrgetter("slot.name")


def starts_with(name: str, first: str) -> bool:
    """Tell whether the first level of a column's name is this one."""
    return isinstance(name, Levels) and name.parts[0] == first


def without_level(call: Call, table: Table, columns: Sequence[Any]) -> Table:
    """Return columns of several levels without their first level."""
    kept = []
    for each in columns:
        rest = each.slot.name.parts[1:]
        name = rest[0] if len(rest) == 1 else Levels(rest)
        kept.append(each._replace(slot=each.slot._replace(name=name, key=name)))

    return table.with_relation(call.derive(table, kept, call.evaluation()))


def columns_by_key(call: Call, table: Table, key: Value) -> Table:
    """Return the columns of a list of names; a list of conditions decides rows that are not known."""
    if isinstance(key, Names):
        return columns_of_names(call, table, key)

    items = items_of(key) if isinstance(key, (list, tuple, set, dict)) else None
    if items and all_are(items, bool):
        return table

    names = call.names(key)
    if names is None:
        return some_columns(call, table)

    return call.select(table, flat_names(table, names))


def columns_of_names(call: Call, table: Table, names: Names) -> Table:
    """df[[c for c in df.columns if c != "id"]]      every column but those that are left out"""
    if names.some or any(names.affixes):
        call.dynamic("columns that a condition selects, of names that are not known")
        table = some_columns(call, table)

    return leave_out(call, table, names.gone) if names.gone else table


SOME_COLUMNS = Doubt(Confidence.LOW, False, "one of the columns that only a run selects")


def some_columns(call: Call, table: Table) -> Table:
    """df[names_that_only_a_run_knows]      names stay names: those that are read later are found"""
    relation = table.relation
    doubtful = [
        each._replace(
            slot=each.slot._replace(lineage=add_doubt(each.slot.lineage, SOME_COLUMNS)),
            doubt=SOME_COLUMNS,
        )
        for each in relation.attributes
    ]
    return table.with_relation(relation.derive(doubtful))


def flat_names(table: Table, names: Sequence[str]) -> list[str]:
    """Return names of columns; the first level of several stands for all below it."""
    found: list[str] = []
    for name in names:
        below = [each for each in table.relation.names if starts_with(each, name)]
        found += below if name not in table.relation.by_key and below else [name]

    return found


def mask_frame(call: Call, table: Table, mask: DataFrame) -> Table:
    """Return the values of a frame where another one holds.

    df[df > 0]
    """
    return change_together(call, table, [mask], lambda tree, test: case([test], [tree]), FILLED)


def change_columns(call: Call, table: Table, names: Iterable[str], change: Any) -> Table:
    """Return a table with some columns changed, each by itself."""
    given = {name: change(call.leaf(call.column(table, name))) for name in names}
    return call.assign(table, given)


def change_together(
    call: Call, table: Table, others: Sequence[Value], change: Callable[..., exp.Expr], mark: str
) -> Table:
    """Return a table whose columns are computed with those of the same name of other frames.

    df - other, df.where(df > 0, other)
    """
    frames: list[DataFrame | Row] = [*instances(others, DataFrame), *instances(others, Row)]
    names = dict.fromkeys(table.relation.names)
    if table.relation.stars:
        for frame in frames:
            names.update(dict.fromkeys(frame.table.relation.names))

    made = {
        name: change(
            call.leaf(call.column(table, name)),
            *(value_beside(call, each, name) for each in others),
        )
        for name in names
    }
    found = call.assign(table, made, relations_of(others))
    if not table.relation.stars:
        return found

    more = list(chain.from_iterable(each.table.relation.stars for each in frames))
    attributes = mark_stars([*found.relation.attributes, *without_names(more, names)], mark)
    return found.with_relation(call.derive(found, attributes, call.evaluation()))


def value_beside(call: Call, held: Value, name: str) -> Value:
    """Return the value next to a column: the column of its name, if the value is a frame or a row."""
    if not isinstance(held, (DataFrame, Row)):
        return operand(held)

    found = call.find(held.table, name)
    return call.leaf(found) if found is not None else call.tree(None)


def change_every(call: Call, table: Table, change: Any, mark: str = CHANGED) -> Table:
    """Return a table with every column changed by itself, those that are not known included."""
    made = change_columns(call, table, table.relation.names, change)
    if not made.relation.stars:
        return made

    attributes = mark_stars(made.relation.attributes, mark)
    return made.with_relation(call.derive(made, attributes, call.evaluation()))


# -- loc, iloc, at, iat ----------------------------------------------------------------------------


def item_of_indexer(run: Run, held: Indexer, key: Value, node: ast.AST) -> Value:
    """Return a part of a frame by rows and columns.

    df.loc[df["a"] > 1, ["a", "b"]], df.iloc[:, 0]
    """
    call = Call(run, [], {}, node)
    if isinstance(held.frame, Series):
        return part_of_series(call, held.frame, key)

    rows, columns = key if is_pair(key) else (key, EVERYTHING)
    table = pick_rows(call, held.frame.table, rows, held.kind)
    if columns == EVERYTHING:
        if is_label(rows):
            return row_of(table)

        return DataFrame(table)

    if isinstance(columns, Names):
        return DataFrame(columns_of_names(call, table, columns))

    found = pick_columns(call, table, columns, held.kind)
    if found is None:
        return DataFrame(call.unknown(table))

    if len(found) == 1 and not isinstance(columns, (list, slice)):
        return call.series(table, found[0])

    return DataFrame(call.select(table, found))


def is_pair(key: Value) -> bool:
    """Tell whether a key names rows and columns."""
    return isinstance(key, tuple) and len(key) == 2


def is_label(rows: Value) -> bool:
    """Tell whether a key is one row."""
    return isinstance(rows, (int, str)) and not isinstance(rows, bool)


def row_of(table: Table) -> Row:
    """Return one row of a table."""
    return Row(table, Watch())


def pick_rows(call: Call, table: Table, rows: Value, kind: str) -> Table:
    """Return the rows that a key of loc or iloc names."""
    if isinstance(rows, Function):
        rows = invoke(call.run, rows, Invocation([DataFrame(table)], {}, call.node))

    if isinstance(rows, Series):
        return filter_rows(call, table, rows)

    if rows == EVERYTHING or kind in ("iloc", "iat"):
        return table

    if isinstance(rows, Unknown) and rows.inputs:
        call.dynamic("rows", rows)

    return rows_by_label(call, table)


def pick_columns(call: Call, table: Table, columns: Value, kind: str) -> list[str] | None:
    """Return the names of the columns that a key of loc or iloc names; None where nobody knows."""
    if kind in ("iloc", "iat"):
        return columns_by_position(call, table, columns)

    if isinstance(columns, slice):
        return columns_between(call, table, columns)

    return call.names(columns)


def columns_by_position(call: Call, table: Table, columns: Value) -> list[str] | None:
    """df.iloc[:, 0], df.iloc[:, 1:3], df.iloc[:, [0, 2]]"""
    if not table.relation.complete:
        call.dynamic("columns by their position, of a schema that is not known")
        return None

    names = table.relation.names
    try:
        if isinstance(columns, (slice, int)):
            picked = names[columns]
            return [picked] if isinstance(picked, str) else picked

        return [names[each] for each in columns]
    except (IndexError, TypeError):
        call.dynamic("columns by their position")
        return None


def columns_between(call: Call, table: Table, columns: slice) -> list[str] | None:
    """df.loc[:, "a":"c"]      both ends are included"""
    names = table.relation.names
    first, last = columns.start, columns.stop
    known = table.relation.complete and all(each is None or each in names for each in (first, last))
    if not known:
        call.dynamic("a range of columns, of a schema that is not known")
        return None

    start = 0 if first is None else names.index(first)
    end = len(names) if last is None else names.index(last) + 1
    return names[start:end]


def part_of_series(call: Call, held: Series, key: Value) -> Value:
    """Return a part of a series.

    s[s > 0], s[0], s.loc["total"], s[:10]
    """
    if isinstance(key, Series) and key.watch is not None and held.table.index:
        return look_up(call, key, held)

    if isinstance(key, Series):
        return held.with_tree(held.tree, table=filter_rows(call, held.table, key))

    if isinstance(key, (slice, list)):
        return held

    if held.watch is not None:
        return held.with_tree(transforming_call("item", held.tree, call.tree(key)))

    return held.with_tree(transforming_call("item", held.tree), is_scalar=True)


def item_of_series(run: Run, held: Series, key: Value, node: ast.AST) -> Value:
    """Return an item of a series."""
    return part_of_series(Call(run, [], {}, node), held, key)


def item_of_row(run: Run, held: Row, key: Value, node: ast.AST) -> Value:
    """Return an element of a row.

    row["a"]
    """
    call = Call(run, [], {}, node)
    if isinstance(key, (list, tuple)) and all(map(is_name, key)):
        return Row(call.select(held.table, list(map(name_of, key))), held.watch)

    if not is_name(key):
        call.dynamic("a column", key)
        return Unknown("element", "a column that only a run knows")

    found = call.series(held.table, name_of(key))
    found.watch = held.watch
    held.watch.seen.append(found)
    return found


# -- assignment ------------------------------------------------------------------------------------


def set_item(run: Run, owner: DataFrame, key: Value, held: Value, node: ast.AST) -> None:
    """Set columns of a frame.

    df["x"] = …, df[["a", "b"]] = …, df[df["a"] > 1] = 0
    """
    call = Call(run, [], {}, node)
    table = owner.table
    if isinstance(key, Series) and not is_name_of_data(key):
        test = call.fit_series(key, table.relation.rows)
        given = call.tree(held)
        owner.put(run, change_every(call, table, lambda tree: case([test], [given], tree)))
        return

    names = call.names(key)
    if names is None:
        owner.put(run, doubt_table(call, table))
    else:
        owner.put(run, set_columns(call, table, names, held))


def doubt_table(call: Call, table: Table) -> Table:
    """Return a table of which any column may have been changed."""
    slots = doubt_columns(table.relation.frame, ANY_COLUMN).slots
    pairs = zip(table.relation.attributes, slots, strict=True)
    attributes = [each._replace(slot=slot, doubt=ANY_COLUMN) for each, slot in pairs]
    return table.with_relation(call.derive(table, attributes, call.evaluation()))


def set_columns(call: Call, table: Table, names: Sequence[str], held: Value) -> Table:
    """Return a table with columns set to a value; a frame gives one column for each."""
    parents = relations_of([held, *as_list(held)])
    values = values_for(call, held, len(names))
    return call.assign(table, dict(zip(names, values, strict=False)), parents)


def values_for(call: Call, held: Value, count: int) -> list[Any]:
    """Return one value for each of several columns that are set.

    df[["a", "b"]] = other, totals.loc[0] = [df["a"].sum(), df["b"].sum()]
    """
    if isinstance(held, DataFrame):
        return values_of_frame(call, held, count)

    if isinstance(held, Series):
        parts = parts_of(held.tree, count)
        if parts is not None:
            return [held.with_tree(each) for each in parts]

    is_list = isinstance(held, (list, tuple)) and len(held) == count > 1
    if is_list and any_is(held, Series):
        return [value_for(call, each) for each in held]

    return [value_for(call, held)] * count


def parts_of(tree: Any, count: int) -> list[Any] | None:
    """Return the values of a function that gives several for each row; None where it does not.

    df[["a", "b"]] = df.apply(lambda row: (row["x"], row["y"]), axis=1, result_type="expand")
    """
    if isinstance(tree, exp.Array):
        return tree.expressions if len(tree.expressions) == count > 1 else None

    if not isinstance(tree, exp.Case):
        return None

    arms = [parts_of(each.args["true"], count) for each in tree.args["ifs"]]
    tests = [each.this for each in tree.args["ifs"]]
    if tree.args.get("default") is not None or None in arms:
        return None

    return [case(tests, list(values)) for values in zip(*present(arms), strict=True)]


def columns_of_rows(run: Run, held: Series) -> list[Value] | None:
    """df["a"], df["b"] = zip(*df.apply(f, axis=1))      a series for each value that f returns"""
    first = held.tree
    while isinstance(first, exp.Case):
        first = first.args["ifs"][0].args["true"]

    parts = parts_of(held.tree, len(first.expressions)) if isinstance(first, exp.Array) else None
    if parts is None:
        return None

    return [held.with_tree(each, name=None) for each in parts]


def values_of_frame(call: Call, held: DataFrame, count: int) -> list[Any]:
    """Return the columns of a frame as values, by position.

    df[["a", "b"]] = df[["c", "d"]]
    """
    if held.relation.complete and len(held.relation.attributes) == count:
        return call.leaves(held.relation.attributes)

    stars = call.leaves(held.relation.stars)
    if len(stars) == 1:
        return stars * count

    call.dynamic("columns by their position, of a schema that is not known")
    return [call.tree(None)] * count


def value_for(call: Call, held: Value) -> Any:
    """Return a value that is assigned; one that only a run knows is reported."""
    held = as_series(held)
    for each in as_list(held):
        if isinstance(each, (Unknown, Pattern, Method)):
            call.dynamic("a value", each)

    if isinstance(held, Row):
        return transforming_call("row", *call.leaves(held.table.relation.attributes))

    if isinstance(held, Series):
        return held

    return call.tree(held)


def set_part(run: Run, owner: Indexer, key: Value, held: Value, node: ast.AST) -> None:
    """Set a part of a frame.

    df.loc[df["a"] > 1, "x"] = 0      x where the condition does not hold, and a decides
    """
    call = Call(run, [], {}, node)
    frame = owner.frame
    if isinstance(frame, Series):
        set_values(run, frame, key, held, node)
        return

    table = frame.table
    rows, columns = key if is_pair(key) else (key, EVERYTHING)
    if columns == EVERYTHING:
        names: list[str] | None = table.relation.names
    else:
        names = pick_columns(call, table, columns, owner.kind)

    if names is None:
        frame.put(run, doubt_table(call, table))
        return

    if isinstance(rows, Function):
        rows = invoke(run, rows, Invocation([frame], {}, node))

    if rows == EVERYTHING:
        frame.put(run, set_columns(call, table, names, held))
        return

    frame.put(run, set_where(call, table, rows, names, held))


def set_values(run: Run, owner: Series, key: Value, held: Value, node: ast.AST) -> None:
    """Set values of a series in place.

    s[s < 0] = 0, s.loc[mask] = other      the condition decides, both are the value
    """
    call = Call(run, [], {}, node)
    given = value_for(call, held)
    tree = given.tree if isinstance(given, Series) else given
    if isinstance(key, Series):
        owner.tree = case([key.tree], [tree], owner.tree)
    else:
        owner.tree = transforming_call("item", owner.tree, tree)

    owner.parents = tuple(dict.fromkeys((*owner.parents, *relations_of([key, held]))))
    bounded = bound_series(run, owner, node)
    owner.tree, owner.doubt = bounded.tree, bounded.doubt
    change_origin(call, owner)


THROUGH_COLUMN = Doubt(
    Confidence.MEDIUM, False, "a column that is changed in place; since pandas 3 it is a copy"
)


def change_origin(call: Call, held: Series) -> None:
    """Put a column that was changed in place into the frame that it was taken from.

    df["x"].fillna(0, inplace=True), df["x"][df["y"] > 1] = 0
    """
    frame, name = held.origin or (None, None)
    if frame is None or name is None or frame.relation is not held.table.relation:
        return

    made = held.with_tree(held.tree, doubt=held.doubt or THROUGH_COLUMN)
    frame.put(call.run, set_columns(call, frame.table, [name], made))
    held.table = frame.table


def set_where(call: Call, table: Table, rows: Value, names: Sequence[str], held: Value) -> Table:
    """Return a table with columns set in some rows."""
    tests = call.leaves(table.index)
    if isinstance(rows, Series):
        tests = [call.fit_series(rows, table.relation.rows)]
    elif isinstance(rows, Unknown) and rows.inputs:
        call.dynamic("rows", rows)

    several = values_for(call, held, len(names))
    made = {}
    for name, each in zip(names, several, strict=False):
        default = former_value(call, table, name)
        test = tests[0] if len(tests) == 1 else transforming_call("rows", *tests)
        tree = call.fit_series(each, table.relation.rows) if isinstance(each, Series) else each
        made[name] = case([test], [tree], default)

    return call.assign(table, made, relations_of([rows, held, *as_list(held)]))


MAYBE_NEW = Doubt(Confidence.MEDIUM, False, "the source may have the column that is set in a part")


def former_value(call: Call, table: Table, name: str) -> Value:
    """df.loc[mask, "x"] = 0      Return what x is elsewhere; a source may have it, or it is new."""
    held = call.find(table, name)
    if held is None:
        return None

    if name not in table.relation.by_key and held not in table.index:
        slot = held.slot._replace(lineage=add_doubt(held.slot.lineage, MAYBE_NEW))
        held = held._replace(slot=slot)

    return call.leaf(held)


def may_have(table: Table, name: str) -> bool:
    """Tell whether a frame has a column, or may have it."""
    return name in table.relation.by_key or bool(table.relation.stars)


def delete_item(run: Run, owner: DataFrame, key: Value, node: ast.AST) -> None:
    """del df["x"]"""
    call = Call(run, [], {}, node)
    names = call.names(key)
    owner.put(run, leave_out(call, owner.table, names))


def leave_out(call: Call, table: Table, names: Sequence[str] | None) -> Table:
    """Return the table without some columns; without any of them, where only a run knows which."""
    if names is None:
        return some_columns(call, table)

    kept = without_names(table.relation.attributes, names)
    return table.with_relation(call.derive(table, kept, call.evaluation()))
