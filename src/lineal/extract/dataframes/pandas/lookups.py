"""Values that a program looks up by a key: s.map(prices), prices[key], names.get(key, "other")."""

from __future__ import annotations

import ast
from typing import Any

from lineal.extract.dataframes.pandas.calls import Call
from lineal.extract.dataframes.pandas.trees import case, holds_unknown, operand, transforming_call
from lineal.extract.dataframes.pandas.values import Series, combine_series
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Unknown, Value
from lineal.model.sequences import any_is
from lineal.model.way import How


def look_up(call: Call, held: Series, other: Series) -> Series:
    """s.map(prices.set_index("sku")["price"])      the price, found by the key"""
    tree = case([key_test(call, held, other)], [found_value(call, held, other)])
    return combine_series(held, [held, other], tree).with_tree(tree, name=held.name)


def key_test(call: Call, held: Series, other: Series) -> Any:
    """Return the condition that a value is a key of a series, its index."""
    return transforming_call("index", held.tree, *call.leaves(other.table.index))


def found_value(call: Call, held: Series, other: Series) -> Any:
    """Return the value that a key finds in a series: what decides the rows there decides it.

    A group or duplicates of the keys decide no more than the comparison of the keys does.
    """
    keys = {origin for each in other.table.index for origin, _ in each.slot.lineage}
    grouped = {
        pair: trail
        for pair, trail in other.table.relation.rows.items()
        if pair[0] in keys and pair[1].how is How.GROUP_BY
    }
    one = other.with_tree(other.tree, is_scalar=True)
    return call.fit_series(one, {**held.table.relation.rows, **grouped})


def look_up_pairs(
    call: Call, held: Series, pairs: dict[Value, Value], default: Value = None
) -> Series:
    """s.map(dict(zip(prices["sku"], prices["price"])))"""
    key, value = next(item for item in pairs.items() if isinstance(item[0], Series))
    found = found_value(call, held, value) if isinstance(value, Series) else operand(value)
    test = transforming_call("index", held.tree, key.tree)
    tree = case([test], [found], operand(default))
    return combine_series(held, [held, key, value, default], tree).with_tree(
        tree, name=held.name, watch=held.watch
    )


def look_up_element(
    run: Run, key: Series, pairs: dict[Value, Value], default: Value, node: ast.AST
) -> Value:
    """[names.get(each, "other") for each in df["id"]]      Return what an element finds in a dict."""
    call = Call(run, [], {}, node)
    if any_is(pairs, Series):
        return look_up_pairs(call, key, pairs, default)

    values = [*pairs.values(), default]
    if any(map(holds_unknown, values)):
        return Unknown("…", "a key that is not known")

    tree = transforming_call("map", key.tree, *map(operand, values))
    return combine_series(key, [key, *values], tree).with_tree(tree, name=key.name, watch=key.watch)
