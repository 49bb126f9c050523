"""The methods of Python's texts, lists, dicts and sets over abstract values."""

from __future__ import annotations

import string
from typing import Any

from lineal.extract.pyspark.branches import merged
from lineal.extract.pyspark.dispatch import BUILTINS, Arguments, Keywords, LibraryCall
from lineal.extract.pyspark.expressions import LONGEST_LIST, as_text, text_of_parts
from lineal.extract.pyspark.items import item_of_dict
from lineal.extract.pyspark.natives import COMPUTED, as_dict, sorted_, unknown
from lineal.extract.pyspark.paths import METHODS as PATH_METHODS
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import (
    Choice,
    Instance,
    Pattern,
    Unknown,
    Value,
    is_known,
    items_of,
)


def method_of_value(
    run: Run, held: Value, name: str, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    if isinstance(held, str):
        return method_of_text(run, held, name, arguments, keywords, node)
    if isinstance(held, list):
        return method_of_list(run, held, name, arguments, keywords, node)
    if isinstance(held, dict):
        return method_of_dict(run, held, name, arguments, keywords, node)
    if isinstance(held, (tuple, set, frozenset)):
        return method_of_collection(run, held, name, arguments, node)
    if isinstance(held, Choice):
        several = [
            method_of_value(run, each, name, arguments, keywords, node) for each in held.options
        ]
        result = several[0]
        for other in several[1:]:
            result = merged(run, result, other)
        return result
    return Unknown(f"{name}()", COMPUTED)


TEXT_METHODS = frozenset(
    """upper lower strip lstrip rstrip title capitalize split rsplit splitlines replace startswith endswith join
    format format_map removeprefix removesuffix zfill ljust rjust center count find index isdigit isalpha isalnum
    isidentifier islower isupper isspace partition rpartition casefold swapcase encode""".split()  # noqa: SIM905
)


def method_of_text(
    run: Run, held: str, name: str, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    if name in PATH_METHODS:
        return PATH_METHODS[name](run, [held, *arguments], keywords, node)
    if name == "format":
        given = {key: as_text(run, item, node) for key, item in keywords.items()}
        return formatted(held, [as_text(run, item, node) for item in arguments], given)
    if name == "join":
        items = items_of(arguments[0]) if arguments else None
        if items is None:
            return Unknown("…", COMPUTED)
        parts: list[Value] = []
        for position, item in enumerate(items):
            parts += [held, item] if position else [item]
        return text_of_parts(parts)
    if (
        name not in TEXT_METHODS
        or not all(map(is_known, arguments))
        or not all(map(is_known, keywords.values()))
    ):
        if (
            name == "replace"
            and len(arguments) == 2
            and isinstance(arguments[0], str)
            and isinstance(held, str)
        ):
            pieces = str(held).split(arguments[0]) if arguments[0] else [held]
            parts = [pieces[0]]
            for piece in pieces[1:]:
                parts += [arguments[1], piece]
            return text_of_parts(parts)
        return Unknown("…", COMPUTED)
    if (
        name in ("zfill", "ljust", "rjust", "center")
        and arguments
        and isinstance(arguments[0], int)
        and arguments[0] > 9999
    ):
        return Unknown("…", COMPUTED)
    if (
        name == "replace"
        and len(arguments) > 1
        and held.count(str(arguments[0])) * len(str(arguments[1])) > LONGEST_LIST
    ):
        return Unknown("…", COMPUTED)
    try:
        found = getattr(str(held), name)(*arguments, **keywords)
    except Exception:
        return Unknown("…", COMPUTED)
    if isinstance(held, Pattern):
        if isinstance(found, str):
            return Pattern(found, held.level, held.reason, held.variable)
        if isinstance(found, list):
            return [
                Pattern(each, held.level, held.reason) if "{" in each else each for each in found
            ]
        return Unknown("…", held.reason, held.level)
    return found


def grows(text: str, old: str, new: str) -> bool:
    """Whether a text with that replaced is larger than any name or statement."""
    return text.count(old) * len(new) > LONGEST_LIST


def formatted(held: str, arguments: Arguments, keywords: Keywords) -> Value:
    """ "{}.orders".format(schema), "{t}".format(t=name)"""
    parts: list[Value] = []
    counter = 0
    try:
        for text_part, field, _spec, _conversion in string.Formatter().parse(str(held)):
            parts.append(text_part)
            if field is None:
                continue
            base, *path = field.replace("[", ".").replace("]", "").split(".")
            if base == "":
                value: Value = (
                    arguments[counter] if counter < len(arguments) else Unknown("…", COMPUTED)
                )
                counter += 1
            elif base.isdigit():
                value = (
                    arguments[int(base)] if int(base) < len(arguments) else Unknown("…", COMPUTED)
                )
            else:
                value = keywords.get(base, Unknown(base, "not given"))
            for each in path:
                value = (
                    value.get(each)
                    if isinstance(value, dict)
                    else value.names.get(each)
                    if isinstance(value, Instance)
                    else Unknown(each, COMPUTED)
                )
            parts.append(value)
    except ValueError:
        return Unknown("…", COMPUTED)
    if isinstance(held, Pattern):
        return Pattern(str(text_of_parts(parts)), held.level, held.reason)
    return text_of_parts(parts)


def method_of_list(
    run: Run, held: list[Value], name: str, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    first = arguments[0] if arguments else None
    if name in ("popleft", "appendleft"):  # of a deque
        name, arguments = ("pop", [0]) if name == "popleft" else ("insert", [0, first])
        first = 0
    if name in ("append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse"):
        run.touch(held)
    if name == "append":
        held.append(first)
    elif name == "extend":
        held.extend(items_of(first) or [])
    elif name == "insert" and len(arguments) > 1 and isinstance(first, int):
        held.insert(first, arguments[1])
    elif name == "remove":
        if is_known(first) and any(is_known(item) and item == first for item in held):
            held.remove(next(item for item in held if is_known(item) and item == first))
    elif name == "pop":
        return (
            held.pop(first if isinstance(first, int) and -len(held) <= first < len(held) else -1)
            if held
            else unknown()
        )
    elif name == "clear":
        held.clear()
    elif name == "reverse":
        held.reverse()
    elif name == "sort":
        held[:] = sorted_(run, [held], keywords, node)
    elif name == "copy":
        return list(held)
    elif name in ("index", "count") and is_known(held) and is_known(first):
        try:
            return getattr(held, name)(first)
        except ValueError:
            return unknown()
    else:
        return unknown()
    return None


def method_of_dict(
    run: Run, held: dict[Any, Value], name: str, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    first = arguments[0] if arguments else None
    if name == "items":
        return list(held.items())
    if name == "keys":
        return list(held)
    if name == "values":
        return list(held.values())
    if name in ("get", "pop", "setdefault"):
        default = arguments[1] if len(arguments) > 1 else None
        if isinstance(first, (Unknown, Choice)):
            return item_of_dict(run, held, first, node)
        try:
            present = first in held
        except TypeError:
            return unknown()
        found = held[first] if present else default
        if name == "pop" and present:
            run.touch(held)
            del held[first]
        elif name == "setdefault" and not present:
            run.touch(held)
            held[first] = default
        return found
    if name == "update":
        run.touch(held)
        added = as_dict(run, arguments[:1], keywords, node)
        if isinstance(added, dict):
            held.update(added)
        return None
    if name == "popitem" and held:
        run.touch(held)
        return held.popitem()
    if name == "copy":
        return dict(held)
    if name == "clear":
        run.touch(held)
        held.clear()
        return None
    return unknown()


SET_METHODS = frozenset(
    (
        "union",
        "intersection",
        "difference",
        "symmetric_difference",
        "issubset",
        "issuperset",
        "isdisjoint",
        "copy",
    )
)


def method_of_collection(run: Run, held: Any, name: str, arguments: Arguments, node: Any) -> Value:
    if isinstance(held, tuple):
        return (
            method_of_list(run, list(held), name, arguments, {}, node)
            if name in ("index", "count")
            else unknown()
        )
    others = [items_of(argument) for argument in arguments]
    if name in ("add", "discard", "remove", "update"):
        run.touch(held)
        if name == "add" and is_known(arguments[0]):
            held.add(arguments[0])
        elif name == "update":
            held.update(item for items in others for item in items or [])
        elif arguments and is_known(arguments[0]):
            held.discard(arguments[0])
        return None
    known = all(items is not None and all(map(is_known, items)) for items in others)
    if known and name in SET_METHODS:
        return getattr(held, name)(*others)
    return unknown()


def method_of_type(name: str) -> LibraryCall:
    """map(str.lower, names), str.join(",", names), dict.get(d, "x")

    a method before it is bound
    """

    def call(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
        return (
            method_of_value(run, arguments[0], name, arguments[1:], keywords, node)
            if arguments
            else unknown()
        )

    return call


def builtin(name: str) -> LibraryCall:
    """len, dict.fromkeys, str.lower"""
    found = BUILTINS.get(name)
    return found if found is not None else method_of_type(name.rpartition(".")[2])
