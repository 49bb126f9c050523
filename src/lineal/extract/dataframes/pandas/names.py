"""df.columns, where all names are known: a list that has the methods of an index."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from lineal.extract.dataframes.pandas.calls import Call
from lineal.extract.dataframes.pandas.values import Levels
from lineal.extract.pyspark.dispatch import invoke
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.knowledge import items_of
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Method, Unknown, Value
from lineal.model.sequences import all_are, instances


class NameList(list[Any]):
    """The names of a frame's columns, in order; names with levels are tuples."""


def names_of(names: list[str]) -> NameList:
    """Return the names of columns as df.columns gives them."""
    return NameList(each.parts if isinstance(each, Levels) else each for each in names)


def map_names(call: Call, held: NameList) -> Value:
    """df.columns.map("_".join), df.columns.map(str.lower)"""
    function = call.get(0, "mapper")
    if isinstance(function, dict):
        return NameList(function.get(each, each) for each in held)

    return NameList(invoke(call.run, function, Invocation([each], {}, call.node)) for each in held)


def names_without(call: Call, held: NameList) -> Value:
    """df.columns.difference(["id"]), df.columns.drop("id")"""
    given = call.get(0, "other", call.get(0, "labels"))
    gone = [given] if isinstance(given, str) else items_of(given)
    if gone is None:
        return Unknown("columns", "names that only a run knows")

    return NameList(each for each in held if each not in gone)


def names_in_both(call: Call, held: NameList) -> Value:
    """df.columns.intersection(["id", "name"])"""
    kept = items_of(call.get(0, "other"))
    if kept is None:
        return Unknown("columns", "names that only a run knows")

    return NameList(each for each in held if each in kept)


def level(call: Call, held: NameList) -> Value:
    """df.columns.get_level_values(0)"""
    number = call.get(0, "level")
    if not isinstance(number, int):
        return Unknown("columns", "a level of names")

    return NameList(each[number] if isinstance(each, tuple) else each for each in held)


def without_level(call: Call, held: NameList) -> Value:
    """df.columns.droplevel(0)"""
    number = call.get(0, "level", 0)
    if not isinstance(number, int) or not all_are(held, tuple):
        return Unknown("columns", "a level of names")

    return NameList(shorter_name(each, number) for each in held)


def shorter_name(name: tuple[str, ...], level: int) -> Value:
    """Return a name of several levels without one of them."""
    rest = list(name)
    del rest[level : level + 1 or None]
    return rest[0] if len(rest) == 1 else tuple(rest)


def same_names(call: Call, held: NameList) -> Value:
    """df.columns.tolist(), df.columns.to_flat_index()"""
    return NameList(held)


def text_method(name: str) -> Callable[[Call, NameList], Value]:
    """Return a method of texts: df.columns.str.lower(), df.columns.str.replace(" ", "_")."""

    def apply(call: Call, held: NameList) -> Value:
        """df.columns.str.strip()"""
        plain = instances(call.arguments, str)
        if len(plain) < len(call.arguments) or not all_are(held, str):
            return Unknown("columns", "names that are computed")

        if call.keywords.get("regex") is True:
            return Unknown("columns", "names that are computed")

        return NameList(getattr(each, name)(*plain) for each in held)

    return apply


METHODS: dict[str, Callable[[Call, NameList], Value]] = {
    "map": map_names,
    "difference": names_without,
    "drop": names_without,
    "intersection": names_in_both,
    "get_level_values": level,
    "droplevel": without_level,
    **dict.fromkeys(("tolist", "to_list", "copy", "to_flat_index", "astype"), same_names),
    **{
        name: text_method(name)
        for name in (
            "lower",
            "upper",
            "strip",
            "title",
            "replace",
            "lstrip",
            "rstrip",
            "capitalize",
        )
    },
}
"""Methods of df.columns and of df.columns.str."""


def attribute_of_names(run: Run, held: NameList, name: str, node: ast.AST) -> Value:
    """df.columns.str, df.columns.values"""
    if name in ("str", "values"):
        return held

    return Method(held, name)


def on_names(run: Run, held: NameList, name: str, given: Invocation) -> Value:
    """Call a method of df.columns; any other than these is only known when it runs."""
    method = METHODS.get(name)
    if method is None:
        return Unknown(f"columns.{name}()", "names that are computed")

    return method(Call(run, given.arguments, given.keywords, given.node), held)
