"""Branches of a program: the values after an `if` of which only a run knows the outcome."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lineal.algebra.frame import Slot
from lineal.algebra.lineage import add_doubt
from lineal.extract.pyspark.columns.alternatives import (
    ONE_BRANCH,
    merge_lineage,
    merge_windows,
    merged_column,
    merged_groups,
)
from lineal.extract.pyspark.knowledge import is_known
from lineal.extract.pyspark.relation import Attribute, Relation, fresh, side_by_side_stars
from lineal.extract.pyspark.run import Run, restore
from lineal.extract.pyspark.sizes import charge_columns
from lineal.extract.pyspark.values import (
    Choice,
    Class,
    ColumnValue,
    Function,
    Generator,
    Grouped,
    Instance,
    Library,
    Method,
    Native,
    Partial,
    Pattern,
    Udf,
    Unknown,
    Value,
    WindowSpec,
)

MOST_OPTIONS = 8


def merge_values(run: Run, left: Value, right: Value) -> Value:
    """Return a value that may be either of two: what the branches of an `if` leave behind."""
    if left is right:
        return left

    merge_either = MERGED.get(left.__class__) or MERGED.get(right.__class__)
    if merge_either is not None:
        return merge_either(run, left, right)

    if isinstance(left, Relation) or isinstance(right, Relation):
        return one_relation(run, left, right)

    if is_known(left) and is_known(right) and left == right:
        return left

    if right is None:
        return left

    if left is None:
        return right

    for kind, merge in MERGES:
        if isinstance(left, kind) and isinstance(right, kind):
            found = merge(run, left, right)
            if found is not None:
                return found

    return one_of_several(left, right)


def one_relation(run: Run, left: Value, right: Value) -> Value:
    """Return the DataFrame of either branch, or what both have in common."""
    if isinstance(left, Relation) and isinstance(right, Relation):
        charge_columns(run, len(left.attributes) + len(right.attributes))
        return merge_relations(left, right)

    if isinstance(left, Relation):
        return left

    return right


def merged_grouping(run: Run, left: Grouped, right: Grouped) -> Value:
    """Merge the groupings of two branches.

    df.groupBy("a") or df.groupBy("b")      None where either has a pivot
    """
    if left.pivot is not None or right.pivot is not None:
        return None

    relation = merge_values(run, left.relation, right.relation)
    return Grouped(relation, merged_groups(left.keys, right.keys))


def one_of_several(left: Value, right: Value) -> Value:
    """Return a choice of a few known values or functions, else an unknown value."""
    held = options_of(left)
    others = (
        each for each in options_of(right) if not any(is_same_value(each, one) for one in held)
    )
    options = [*held, *others]
    if len(options) == 1:
        return options[0]

    if len(options) <= MOST_OPTIONS and can_be_chosen(options):
        return Choice(tuple(options))

    for side in (left, right):
        if isinstance(side, Unknown):
            return side

    if type(left) is type(right) and not isinstance(left, (Instance, Generator)):
        return right

    return Unknown("…", "decided by a branch")


def can_be_chosen(options: list[Value]) -> bool:
    """Whether all are known, or all are functions."""
    known = all(is_known(option) or isinstance(option, Pattern) for option in options)
    return known or all(map(is_function, options))


def is_function(value: Value) -> bool:
    """Of libraries a function of Spark: others are one library under several names, as after
    `except ImportError`.
    """
    if isinstance(value, Library):
        return value.name.startswith("pyspark.sql.functions.")

    return isinstance(value, (Function, Class, Partial, Udf, Native, Method))


def options_of(value: Value) -> tuple[Value, ...]:
    """Return the values that one value may be."""
    if isinstance(value, Choice):
        return value.options

    return (value,)


def is_same_value(left: Value, right: Value) -> bool:
    """Return whether two branches left the same value."""
    return left is right or (
        is_known(left) and is_known(right) and type(left) is type(right) and bool(left == right)
    )


def merged_list(run: Run, left: list[Value], right: list[Value]) -> list[Value]:
    """Return the common beginning of two lists, then the rest of either."""
    run.step(len(left) + len(right))
    common = 0
    while common < min(len(left), len(right)) and is_same_value(left[common], right[common]):
        common += 1

    return [*left[:common], *left[common:], *right[common:]]


def merge_dicts(run: Run, left: dict[Any, Value], right: dict[Any, Value]) -> dict[Any, Value]:
    """Merge two dicts key by key."""
    run.step(len(right))
    found = dict(left)
    for key, value in right.items():
        if key not in left:
            found[key] = value
        elif left[key] is not value:
            found[key] = merge_values(run, left[key], value)

    return found


def merge_relations(left: Relation, right: Relation) -> Relation:
    """Merge the DataFrames of two branches.

    if …: df = a else: df = b      columns by name; what only one branch says is MEDIUM
    """
    attributes: list[Attribute] = []
    for attribute in left.attributes:
        if attribute.slot.star is not None:
            continue

        others = right.by_key.get(attribute.key)
        if others is None:
            attributes.append(_doubt_column(attribute) if right.complete else attribute)
        elif (
            others[0].id == attribute.id
            and others[0].slot.lineage.keys() == attribute.slot.lineage.keys()
        ):
            attributes.append(attribute)
        else:
            lineage = merge_lineage(attribute.slot.lineage, others[0].slot.lineage)
            qualifier = attribute.qualifier if attribute.qualifier == others[0].qualifier else ()
            attributes.append(fresh(Slot(attribute.slot.name, attribute.key, lineage), qualifier))

    for attribute in right.attributes:
        if attribute.slot.star is None and attribute.key not in left.by_key:
            attributes.append(_doubt_column(attribute) if left.complete else attribute)

    attributes += side_by_side_stars(left.stars, right.stars, ONE_BRANCH)
    found = Relation(attributes, merge_lineage(left.rows, right.rows), (left, right))
    found.twice = left.twice
    found.types = {**right.types, **left.types}
    return found


def _doubt_column(attribute: Attribute) -> Attribute:
    """Return a column whose lineage holds only if one branch ran."""
    slot = attribute.slot
    return attribute._replace(slot=Slot(slot.name, slot.key, add_doubt(slot.lineage, ONE_BRANCH)))


def join_states(
    run: Run, one: dict[int, tuple[Any, Any]], other: dict[int, tuple[Any, Any]]
) -> None:
    """Two branches have each changed some containers: now each of them is what either branch made
    of it.
    """
    for number in {**one, **other}:
        container = (one.get(number) or other[number])[0]
        before = container.copy()
        left = one[number][1] if number in one else before
        right = other[number][1] if number in other else before
        run.touch(container)

        if isinstance(container, list):
            restore(container, merged_list(run, left, right))
        elif isinstance(container, dict):
            restore(container, merge_dicts(run, left, right))
        else:
            restore(container, left | right)


MERGES: list[tuple[type, Callable[[Run, Any, Any], Value]]] = [
    (list, merged_list),
    (dict, merge_dicts),
    (ColumnValue, lambda run, left, right: merged_column(left, right)),
    (WindowSpec, lambda run, left, right: merge_windows(left, right)),
    (Grouped, merged_grouping),
]
"""How two values of one kind become one; None where they do not."""

MERGED: dict[type, Callable[[Run, Any, Any], Value]] = {}
"""How a value of a DataFrame library and any other one become one."""
