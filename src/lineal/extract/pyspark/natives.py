"""Python's own functions over abstract values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lineal.extract.pyspark.columns.trees import binary
from lineal.extract.pyspark.dispatch import BUILTINS, Arguments, Keywords, attribute_of, invoke
from lineal.extract.pyspark.expressions import LONGEST_LIST, as_text, asked, iterated, text_of_parts
from lineal.extract.pyspark.functions_list import FUNCTION_NAMES
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.types import is_of_type
from lineal.extract.pyspark.values import (
    Choice,
    Class,
    ColumnValue,
    Function,
    Generator,
    Instance,
    Library,
    Pattern,
    SchemaValue,
    TypeValue,
    Unknown,
    Value,
    is_known,
    items_of,
    truth,
)
from lineal.model.way import Confidence

Handler = Callable[[Run, Arguments, Keywords, Any], Value]

COMPUTED = "computed"


def unknown() -> Unknown:
    return Unknown("…", COMPUTED)


def length(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    held = arguments[0] if arguments else None
    if isinstance(held, (str, list, tuple, dict, set, frozenset, range)) and not isinstance(
        held, Pattern
    ):
        return len(held)
    said = asked(run, held, "__len__", [], node)
    return unknown() if said is ... else said


def range_(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    if arguments and all(isinstance(each, int) for each in arguments[:3]):
        try:
            return range(*arguments[:3])
        except ValueError:
            return unknown()
    return unknown()


def as_list(kind: Any) -> Handler:
    def convert(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
        if not arguments:
            return kind()
        items = iterated(run, arguments[0], node)
        if items is None:
            return arguments[0] if isinstance(arguments[0], Unknown) else unknown()
        return kind(items) if kind is not set or all(map(is_known, items)) else items

    return convert


def as_dict(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    found: dict[Any, Value] = {}
    if arguments:
        held = arguments[0]
        if isinstance(held, dict):
            found.update(held)
        else:
            items = items_of(held)
            if items is None or not all(
                isinstance(item, (tuple, list)) and len(item) == 2 for item in items
            ):
                return unknown()
            try:
                found.update((key, item) for key, item in items)
            except TypeError:
                return unknown()
    return {**found, **keywords}


def zip_(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    several = [items_of(argument) for argument in arguments]
    if any(items is None for items in several):
        return unknown()
    return [tuple(each) for each in zip(*several, strict=False)]


def enumerate_(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    items = items_of(arguments[0]) if arguments else None
    start = arguments[1] if len(arguments) > 1 else keywords.get("start", 0)
    if items is None or not isinstance(start, int):
        return unknown()
    return [(position, item) for position, item in enumerate(items, start)]


def sorted_(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    items = items_of(arguments[0]) if arguments else None
    if items is None:
        return arguments[0] if arguments else unknown()
    key = keywords.get("key")
    keys = [invoke(run, key, [item], {}, node) if key is not None else item for item in items]
    if not all(map(is_known, keys)):
        return items
    try:
        order = sorted(
            range(len(items)), key=lambda i: keys[i], reverse=truth(keywords.get("reverse")) is True
        )
    except TypeError:
        return items
    return [items[position] for position in order]


def reversed_(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    items = items_of(arguments[0]) if arguments else None
    return unknown() if items is None else items[::-1]


def map_(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    several = [items_of(argument) for argument in arguments[1:]]
    if not several or any(items is None for items in several):
        return (
            arguments[1] if len(arguments) > 1 and isinstance(arguments[1], Unknown) else unknown()
        )
    rows = zip(*several, strict=False)
    return Generator([invoke(run, arguments[0], list(row), {}, node) for row in rows])


def filter_(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    items = items_of(arguments[1]) if len(arguments) > 1 else None
    if items is None:
        return unknown()
    test = arguments[0]
    return Generator(
        [
            i
            for i in items
            if truth(i if test is None else invoke(run, test, [i], {}, node)) is not False
        ]
    )


def plain(function: Callable[..., Any]) -> Handler:
    """A function of constants, which cannot do harm."""

    def call(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
        if all(map(is_known, arguments)) and all(map(is_known, keywords.values())):
            try:
                return function(*arguments, **keywords)
            except Exception:  # the analysed program's mistake
                return unknown()
        items = [item for item in arguments if isinstance(item, Generator)]
        if len(arguments) == 1 and items:
            held = items_of(items[0]) or []
            if all(map(is_known, held)):
                return call(run, [held], keywords, node)
        return unknown()

    return call


def extreme(pick: Callable[..., Any]) -> Handler:
    """max(names, key=len), min(a, b)"""

    def call(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
        items = items_of(arguments[0]) if len(arguments) == 1 else arguments
        if not items:
            return keywords.get("default", unknown())
        key = keywords.get("key")
        keys = [invoke(run, key, [item], {}, node) for item in items] if key is not None else items
        if not all(map(is_known, keys)):
            return unknown()
        try:
            return items[pick(range(len(items)), key=lambda position: keys[position])]
        except TypeError:
            return unknown()

    return call


def as_truth(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    known = truth(arguments[0]) if arguments else False
    return unknown() if known is None else known


def from_keys(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """dict.fromkeys(names, "sum")"""
    items = items_of(arguments[0]) if arguments else None
    if items is None or not all(map(is_known, items)):
        return unknown()
    return dict.fromkeys(items, arguments[1] if len(arguments) > 1 else None)


def text(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    return text_of_parts([as_text(run, arguments[0], node)]) if arguments else ""


def sum_(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """sum(columns), sum(lists, [])      Python's own"""
    items = items_of(arguments[0]) if arguments else None
    if items is None:
        return unknown()
    start = arguments[1] if len(arguments) > 1 else keywords.get("start", 0)
    if any(isinstance(item, ColumnValue) for item in items):
        import ast

        total: Value = start
        for item in items:
            total = binary(run, ast.Add, total, item, node)
        return total
    if isinstance(start, list) and all(isinstance(item, list) for item in items):
        return [each for item in [start, *items] for each in item][:LONGEST_LIST]
    return plain(sum)(run, [items, start], {}, node)


def is_instance(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    if len(arguments) < 2 or isinstance(arguments[0], (Unknown, Choice)):
        return unknown()
    held = arguments[0]
    kinds = arguments[1] if isinstance(arguments[1], tuple) else (arguments[1],)
    answers = [is_a(held, kind) for kind in kinds]
    return True if True in answers else unknown() if None in answers else False


def is_a(held: Value, kind: Value) -> bool | None:
    if isinstance(kind, Class):
        return isinstance(held, Instance) and _inherits(held.home, kind)
    if not isinstance(kind, Library):
        return None
    name = kind.name.rsplit(".", 1)[-1]
    expected = PYTHON_TYPES.get(name)
    if expected is not None:
        return isinstance(held, expected) and not (name == "int" and isinstance(held, bool))
    if name == "DataFrame":
        return isinstance(held, Relation)
    if name == "Column":
        return isinstance(held, ColumnValue)
    if kind.name.startswith("pyspark.sql.types."):
        return isinstance(held, (TypeValue, SchemaValue)) and is_of_type(held, name)
    return None if not is_known(held) else False


def _inherits(kind: Class, wanted: Class) -> bool:
    return kind is wanted or any(
        _inherits(base, wanted) for base in kind.bases if isinstance(base, Class)
    )


PYTHON_TYPES: dict[str, Any] = {
    "str": str, "int": int, "float": float, "list": list, "tuple": tuple, "dict": dict, "set": set, "bool": bool,
    "slice": slice,
}  # fmt: skip


def names_of(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """vars(args)"""
    held = arguments[0] if arguments else None
    return held.names if isinstance(held, Instance) else unknown()


def get_attribute(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """getattr(F, name)(…)"""
    if (
        len(arguments) > 1
        and isinstance(arguments[1], str)
        and not isinstance(arguments[1], Pattern)
    ):
        found = attribute_of(run, arguments[0], arguments[1], node)
        if (
            isinstance(found, Unknown)
            and len(arguments) > 2
            and isinstance(arguments[0], (Instance, Class))
        ):
            return arguments[2]
        return found
    return unknown()


def has_attribute(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    held, name = (*arguments, None, None)[:2]
    if isinstance(held, Library) and held.name == "pyspark.sql.functions" and isinstance(name, str):
        return name in FUNCTION_NAMES
    if isinstance(held, Instance) and isinstance(name, str):
        return name in held.names or held.home.find(name) is not None
    return unknown()


def set_attribute(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    if (
        len(arguments) == 3
        and isinstance(arguments[0], (Instance, Class))
        and isinstance(arguments[1], str)
    ):
        run.touch(arguments[0].names)
        arguments[0].names[arguments[1]] = arguments[2]
    return None


def any_(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    items = items_of(arguments[0]) if arguments else None
    truths = [truth(item) for item in items] if items is not None else [None]
    return True if True in truths else unknown() if None in truths else False


def all_(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    items = items_of(arguments[0]) if arguments else None
    truths = [truth(item) for item in items] if items is not None else [None]
    return False if False in truths else unknown() if None in truths else True


def next_(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    held = arguments[0] if arguments else None
    if isinstance(held, Generator):
        if held.items:
            return held.items.pop(0)
        return arguments[1] if len(arguments) > 1 else unknown()
    return unknown()


def iter_(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    items = items_of(arguments[0]) if arguments else None
    return unknown() if items is None else Generator(items)


def nothing(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    return None


def kind_of(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    if len(arguments) == 1 and isinstance(arguments[0], Instance):
        return arguments[0].home
    return unknown()


def callable_(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    return isinstance(arguments[0], (Function, Class, Library)) if arguments else unknown()


BUILTINS.update({
    "dict.fromkeys": from_keys,
    "len": length, "range": range_, "list": as_list(list), "tuple": as_list(tuple), "set": as_list(set),
    "frozenset": as_list(set), "dict": as_dict, "zip": zip_, "enumerate": enumerate_, "sorted": sorted_,
    "reversed": reversed_, "map": map_, "filter": filter_, "str": text, "repr": plain(repr), "int": plain(int),
    "float": plain(float), "bool": as_truth, "abs": plain(abs), "min": extreme(min), "max": extreme(max),
    "round": plain(round), "sum": sum_, "isinstance": is_instance, "getattr": get_attribute,
    "hasattr": has_attribute, "setattr": set_attribute, "any": any_, "all": all_, "next": next_, "iter": iter_,
    "print": nothing, "type": kind_of, "callable": callable_, "ord": plain(ord), "chr": plain(chr),
    "divmod": plain(divmod), "globals": nothing, "locals": nothing, "format": lambda *_: unknown(),
    "property": nothing, "staticmethod": nothing, "classmethod": nothing, "object": nothing, "super": nothing,
    "Exception": nothing, "ValueError": nothing, "open": lambda *_: Unknown("open()", "a file", Confidence.LOW),
    "input": lambda *_: Unknown("input()", "asked of a person", Confidence.LOW), "id": lambda *_: unknown(),
    "issubclass": lambda *_: unknown(), "vars": names_of, "dir": lambda *_: unknown(),
    "hash": lambda *_: unknown(), "slice": lambda *_: unknown(), "exit": nothing, "quit": nothing,
    "eval": lambda *_: unknown(), "exec": nothing, "compile": lambda *_: unknown(),
    "__import__": lambda *_: unknown(), "bytes": lambda *_: unknown(), "pow": lambda *_: unknown(),
})  # fmt: skip
