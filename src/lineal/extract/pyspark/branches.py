"""Branches of a program: what is true after an `if` of which only a run knows the outcome."""

from __future__ import annotations

from typing import Any

from lineal.algebra.frame import Slot
from lineal.algebra.lineage import doubted
from lineal.extract.pyspark.columns.alternatives import (
    ONE_BRANCH,
    merged_column,
    merged_groups,
    merged_lineage,
    merged_window,
)
from lineal.extract.pyspark.relation import Attribute, Relation, fresh, side_by_side_stars
from lineal.extract.pyspark.run import Run, restore
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
    is_known,
)

MOST_OPTIONS = 8


def merged(run: Run, left: Value, right: Value) -> Value:
    """Either may be it."""
    if left is right:
        return left
    if isinstance(left, Relation) and isinstance(right, Relation):
        return merged_relation(left, right)
    if isinstance(left, Relation) and not isinstance(right, Relation):
        return left
    if isinstance(right, Relation):
        return right
    if is_known(left) and is_known(right):
        if left == right:
            return left
        if isinstance(left, list) and isinstance(right, list):
            return merged_list(run, left, right)
        if isinstance(left, dict) and isinstance(right, dict):
            return merged_dict(run, left, right)
    if right is None or left is None:
        return left if right is None else right
    if isinstance(left, list) and isinstance(right, list):
        return merged_list(run, left, right)
    if isinstance(left, dict) and isinstance(right, dict):
        return merged_dict(run, left, right)
    if isinstance(left, ColumnValue) and isinstance(right, ColumnValue):
        return merged_column(left, right)
    if isinstance(left, WindowSpec) and isinstance(right, WindowSpec):
        return merged_window(left, right)
    if isinstance(left, Grouped) and isinstance(right, Grouped) and left.pivot is None and right.pivot is None:
        return Grouped(merged(run, left.relation, right.relation), merged_groups(left.keys, right.keys))
    options = [
        *options_of(left),
        *(o for o in options_of(right) if not any(same(o, held) for held in options_of(left))),
    ]
    if len(options) == 1:
        return options[0]
    if len(options) <= MOST_OPTIONS and (
        all(is_known(option) or isinstance(option, Pattern) for option in options) or all(map(is_function, options))
    ):
        return Choice(tuple(options))
    if isinstance(left, Unknown):
        return left
    if isinstance(right, Unknown):
        return right
    if type(left) is type(right) and not isinstance(left, (Instance, Generator)):
        return right
    return Unknown("…", "decided by a branch")


def is_function(value: Value) -> bool:
    """Of libraries a function of Spark: others are one library under several names, as after `except ImportError`."""
    if isinstance(value, Library):
        return value.name.startswith("pyspark.sql.functions.")
    return isinstance(value, (Function, Class, Partial, Udf, Native, Method))


def options_of(value: Value) -> tuple[Value, ...]:
    return value.options if isinstance(value, Choice) else (value,)


def same(left: Value, right: Value) -> bool:
    return left is right or (is_known(left) and is_known(right) and type(left) is type(right) and bool(left == right))


def merged_list(run: Run, left: list[Value], right: list[Value]) -> list[Value]:
    """What both begin with, then what either has more."""
    run.step(len(left) + len(right))
    common = 0
    while common < min(len(left), len(right)) and same(left[common], right[common]):
        common += 1
    return [*left[:common], *left[common:], *right[common:]]


def merged_dict(run: Run, left: dict[Any, Value], right: dict[Any, Value]) -> dict[Any, Value]:
    found = dict(left)
    for key, value in right.items():
        found[key] = merged(run, left[key], value) if key in left else value
    return found


def merged_relation(left: Relation, right: Relation) -> Relation:
    """if …: df = a else: df = b      columns by name; what only one branch says is MEDIUM"""
    attributes: list[Attribute] = []
    for attribute in left.attributes:
        if attribute.slot.star is not None:
            continue
        others = right.by_key.get(attribute.key)
        if others is None:
            attributes.append(_doubtful(attribute) if right.complete else attribute)
        elif others[0].id == attribute.id and others[0].slot.lineage.keys() == attribute.slot.lineage.keys():
            attributes.append(attribute)
        else:
            lineage = merged_lineage(attribute.slot.lineage, others[0].slot.lineage)
            qualifier = attribute.qualifier if attribute.qualifier == others[0].qualifier else ()
            attributes.append(fresh(Slot(attribute.slot.name, attribute.key, lineage), qualifier))
    for attribute in right.attributes:
        if attribute.slot.star is None and attribute.key not in left.by_key:
            attributes.append(_doubtful(attribute) if left.complete else attribute)
    attributes += side_by_side_stars(left.stars, right.stars, ONE_BRANCH)
    found = Relation(attributes, merged_lineage(left.rows, right.rows), (left, right))
    found.twice = left.twice
    found.types = {**right.types, **left.types}
    return found


def _doubtful(attribute: Attribute) -> Attribute:
    slot = attribute.slot
    return attribute._replace(slot=Slot(slot.name, slot.key, doubted(slot.lineage, ONE_BRANCH)))


def join_states(run: Run, one: dict[int, tuple[Any, Any]], other: dict[int, tuple[Any, Any]]) -> None:
    """Two branches have each changed some containers: now each of them is what either branch made of it."""
    for number in {**one, **other}:
        container = (one.get(number) or other[number])[0]
        before = container.copy()
        left = one[number][1] if number in one else before
        right = other[number][1] if number in other else before
        run.touch(container)
        if isinstance(container, list):
            restore(container, merged_list(run, left, right))
        elif isinstance(container, dict):
            restore(container, merged_dict(run, left, right))
        else:
            restore(container, left | right)
