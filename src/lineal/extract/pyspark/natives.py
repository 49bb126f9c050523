"""Python's own functions over abstract values."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from typing import Any

from lineal.extract.pyspark.columns.functions import chosen_function
from lineal.extract.pyspark.columns.trees import binary
from lineal.extract.pyspark.dispatch import BUILTINS, LISTED, attribute_of, invoke
from lineal.extract.pyspark.functions_list import FUNCTION_NAMES
from lineal.extract.pyspark.invocation import Arguments, Invocation, argument_at
from lineal.extract.pyspark.knowledge import (
    all_known,
    all_of,
    any_of,
    is_known,
    is_text,
    items_of,
    items_of_each,
    truth,
)
from lineal.extract.pyspark.protocols import as_text, call_special, iterate
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.sizes import MOST_DIGITS, MOST_ITEMS, TOO_LARGE, is_writable
from lineal.extract.pyspark.texts import text_of_parts
from lineal.extract.pyspark.types import is_of_type
from lineal.extract.pyspark.values import (
    Choice,
    Class,
    ColumnValue,
    Function,
    Generator,
    Instance,
    Library,
    SchemaValue,
    Transposed,
    TypeValue,
    Unknown,
    Value,
)
from lineal.model.sequences import all_are, any_is, flatten
from lineal.model.way import Confidence

Handler = Callable[[Run, Invocation], Value]

COMPUTED = "computed"

SIZED = (list, tuple, dict, set, frozenset, range)


def unknown_value() -> Unknown:
    """Return a value that is computed from values that only a run knows."""
    return Unknown("…", COMPUTED)


def length(run: Run, call: Invocation) -> Value:
    """Evaluate len().

    len(names)
    """
    held = argument_at(call.arguments)
    if is_text(held) or isinstance(held, SIZED):
        return len(held)

    found = call_special(run, held, "__len__", [], call.node)
    if found is ...:
        return unknown_value()

    return found


def range_(run: Run, call: Invocation) -> Value:
    """Evaluate range().

    range(10), range(1, 10, 2)
    """
    bounds = call.arguments[:3]
    if not all_are(bounds, int):
        return unknown_value()

    try:
        return range(*bounds)
    except (TypeError, ValueError):
        return unknown_value()


def as_list(kind: Any) -> Handler:
    """Return what evaluates list(), tuple() or set().

    list(names), tuple(names), set(names)
    """

    def convert(run: Run, call: Invocation) -> Value:
        """Return the items of the argument as a list, tuple or set."""
        if not call.arguments:
            return kind()

        items = iterate(run, call.arguments[0], call.node)
        if items is None:
            is_listed = call.arguments[0].__class__ in LISTED
            return call.arguments[0] if is_listed else unknown_or(call.arguments[0])

        if kind is set and not all_known(items):
            return items

        return kind(items)

    return convert


def unknown_or(held: Value) -> Unknown:
    """Return a value that is not known itself, else one that is computed from it."""
    if isinstance(held, Unknown):
        return held

    return unknown_value()


def as_dict(run: Run, call: Invocation) -> Value:
    """Evaluate dict().

    dict(pairs), dict(a=1, b=2)
    """
    held = argument_at(call.arguments, 0, {})
    if isinstance(held, dict):
        return {**held, **call.keywords}

    pairs = items_of(held)
    if pairs is None or not all(map(is_pair, pairs)):
        return unknown_value()

    try:
        return {**dict(pairs), **call.keywords}
    except TypeError:
        return unknown_value()


def is_pair(held: Value) -> bool:
    """Return whether a value is a key and what belongs to it."""
    return isinstance(held, (tuple, list)) and len(held) == 2


def zip_(run: Run, call: Invocation) -> Value:
    """Evaluate zip().

    zip(names, kinds), zip(*rows)
    """
    first = next(iter(call.arguments), None)
    if isinstance(first, Transposed):
        return first.columns

    several = items_of_each(call.arguments)
    if several is None:
        return unknown_value()

    return list(zip(*several, strict=False))


def enumerate_(run: Run, call: Invocation) -> Value:
    """Evaluate enumerate().

    enumerate(names, start=1)
    """
    items = items_of(argument_at(call.arguments))
    start = call.argument(1, "start", 0)
    if items is None or not isinstance(start, int):
        return unknown_value()

    return list(enumerate(items, start))


def keys_of_items(run: Run, items: list[Value], key: Value, node: ast.AST) -> list[Value]:
    """Return what decides the order of each item.

    key=len
    """
    if key is None:
        return items

    return [invoke(run, key, Invocation([item], {}, node)) for item in items]


def call_sorted(run: Run, call: Invocation) -> Value:
    """Evaluate sorted().

    sorted(names, key=len, reverse=True)      in their own order, where that is not known
    """
    items = items_of(argument_at(call.arguments))
    if items is None:
        return argument_at(call.arguments, 0, unknown_value())

    keys = keys_of_items(run, items, call.keywords.get("key"), call.node)
    if not all_known(keys):
        return items

    is_reversed = truth(call.keywords.get("reverse")) is True
    try:
        order = sorted(range(len(items)), key=lambda i: keys[i], reverse=is_reversed)
    except TypeError:
        return items

    return [items[position] for position in order]


def call_reversed(run: Run, call: Invocation) -> Value:
    """Evaluate reversed().

    reversed(names)
    """
    items = items_of(argument_at(call.arguments))
    if items is None:
        return unknown_value()

    return items[::-1]


def map_(run: Run, call: Invocation) -> Value:
    """Evaluate map().

    map(col, names)
    """
    several = items_of_each(call.arguments[1:])
    if not several:
        return unknown_or(argument_at(call.arguments, 1))

    rows = zip(*several, strict=False)
    return Generator(
        [invoke(run, call.arguments[0], call.with_arguments(list(row), {})) for row in rows]
    )


def filter_(run: Run, call: Invocation) -> Value:
    """Evaluate filter().

    filter(test, names)      without the items of which it is known that they go
    """
    items = items_of(argument_at(call.arguments, 1))
    if items is None:
        return unknown_value()

    answers = keys_of_items(run, items, call.arguments[0], call.node)
    stays = [truth(answer) is not False for answer in answers]
    return Generator(list(itertools.compress(items, stays)))


def pure(function: Callable[..., Any]) -> Handler:
    """A function of constants, which cannot do harm."""

    def handle(run: Run, call: Invocation) -> Value:
        """Call the Python function itself where all arguments are known."""
        arguments = call.arguments
        if len(arguments) == 1 and isinstance(arguments[0], Generator):
            arguments = [items_of(arguments[0])]

        given = [*arguments, *call.keywords.values()]
        if not all_known(given) or not is_writable(given):
            return unknown_value()

        try:
            return function(*arguments, **call.keywords)
        except Exception:  # the analyzed program's mistake
            return unknown_value()

    return handle


def round_(run: Run, call: Invocation) -> Value:
    """round(share, 2)"""
    digits = call.argument(1, "ndigits")
    if isinstance(digits, int) and abs(digits) > MOST_DIGITS:
        return unknown_value()

    return pure(round)(run, call)


def extreme(pick: Callable[..., Any]) -> Handler:
    """Return what evaluates max() or min().

    max(names, key=len), min(a, b)
    """

    def handle(run: Run, call: Invocation) -> Value:
        """Return the smallest or largest item where all keys are known."""
        items = items_of(call.arguments[0]) if len(call.arguments) == 1 else call.arguments
        if not items:
            return call.keywords.get("default", unknown_value())

        keys = keys_of_items(run, items, call.keywords.get("key"), call.node)
        if not all_known(keys):
            return unknown_value()

        try:
            return items[pick(range(len(items)), key=lambda position: keys[position])]
        except TypeError:
            return unknown_value()

    return handle


def as_truth(run: Run, call: Invocation) -> Value:
    """Evaluate bool().

    bool(x)
    """
    return known_or_unknown(truth(argument_at(call.arguments)))


def known_or_unknown(answer: bool | None) -> Value:
    """Return an answer, or a value that is not known where only a run can tell."""
    if answer is None:
        return unknown_value()

    return answer


def from_keys(run: Run, call: Invocation) -> Value:
    """Evaluate dict.fromkeys().

    dict.fromkeys(names, "sum")
    """
    items = items_of(argument_at(call.arguments))
    if items is None or not all_known(items):
        return unknown_value()

    return dict.fromkeys(items, argument_at(call.arguments, 1))


def text(run: Run, call: Invocation) -> Value:
    """Evaluate str().

    str(name)
    """
    if call.arguments:
        return text_of_parts([as_text(run, call.arguments[0], call.node)])

    return ""


def sum_(run: Run, call: Invocation) -> Value:
    """Evaluate sum().

    sum(columns), sum(lists, [])      Python's own
    """
    items = items_of(argument_at(call.arguments))
    if items is None:
        return unknown_value()

    start = call.argument(1, "start", 0)
    if any_is(items, ColumnValue):
        total: Value = start
        for item in items:
            total = binary(run, ast.Add, total, item, call.node)

        return total

    if isinstance(start, list) and all_are(items, list):
        if sum(map(len, items)) > MOST_ITEMS:
            return Unknown("…", TOO_LARGE)

        return flatten([start, *items])

    return pure(sum)(run, call.with_arguments([items, start], {}))


def is_instance(run: Run, call: Invocation) -> Value:
    """Evaluate isinstance().

    isinstance(x, (str, DataFrame))
    """
    if len(call.arguments) < 2 or isinstance(call.arguments[0], (Unknown, Choice)):
        return unknown_value()

    held, kinds = call.arguments[:2]
    if not isinstance(kinds, tuple):
        kinds = (kinds,)

    return known_or_unknown(any_of([is_a(held, kind) for kind in kinds]))


def is_a(held: Value, kind: Value) -> bool | None:
    """Return whether a value is of a class; None where only a run can tell."""
    if isinstance(kind, Class):
        return isinstance(held, Instance) and _inherits(held.home, kind)

    if not isinstance(kind, Library):
        return None

    name = kind.name.rsplit(".", 1)[-1]
    expected = PYTHON_TYPES.get(name)
    if expected is not None:
        return isinstance(held, expected) and not (name == "int" and isinstance(held, bool))

    if name in SPARK_TYPES:
        return isinstance(held, SPARK_TYPES[name])

    if kind.name.startswith("pyspark.sql.types."):
        return isinstance(held, (TypeValue, SchemaValue)) and is_of_type(held, name)

    if not is_known(held):
        return None

    return False


def _inherits(kind: Class, wanted: Class) -> bool:
    """Return whether a class equals the wanted class or derives from it."""
    return kind is wanted or any(
        _inherits(base, wanted) for base in kind.bases if isinstance(base, Class)
    )


PYTHON_TYPES: dict[str, Any] = {
    "str": str, "int": int, "float": float, "list": list, "tuple": tuple, "dict": dict, "set": set, "bool": bool,
    "slice": slice,
}  # fmt: skip

SPARK_TYPES: dict[str, type] = {"DataFrame": Relation, "Column": ColumnValue}


def attributes_as_dict(run: Run, call: Invocation) -> Value:
    """Evaluate vars().

    vars(args)
    """
    held = argument_at(call.arguments)
    if isinstance(held, Instance):
        return held.names

    return unknown_value()


def get_attribute(run: Run, call: Invocation) -> Value:
    """Evaluate getattr().

    getattr(F, name)(…)
    """
    name = argument_at(call.arguments, 1)
    held = argument_at(call.arguments)
    if not is_text(name):
        is_functions = isinstance(held, Library) and held.name == "pyspark.sql.functions"
        if is_functions:
            return chosen_function()

        return unknown_value()

    found = attribute_of(run, held, name, call.node)
    if isinstance(found, Unknown) and isinstance(held, (Instance, Class)):
        return argument_at(call.arguments, 2, found)

    return found


def has_attribute(run: Run, call: Invocation) -> Value:
    """Evaluate hasattr().

    hasattr(F, "try_add")
    """
    held, name = argument_at(call.arguments), argument_at(call.arguments, 1)
    if not isinstance(name, str):
        return unknown_value()

    if isinstance(held, Library) and held.name == "pyspark.sql.functions":
        return name in FUNCTION_NAMES

    if isinstance(held, Instance):
        return name in held.names or held.home.find(name) is not None

    return unknown_value()


def set_attribute(run: Run, call: Invocation) -> Value:
    """Evaluate setattr().

    setattr(self, name, x)
    """
    if len(call.arguments) != 3:
        return None

    held, name, value = call.arguments
    if isinstance(held, (Instance, Class)) and isinstance(name, str):
        run.touch(held.names)
        held.names[name] = value

    return None


def any_(run: Run, call: Invocation) -> Value:
    """Evaluate any().

    any(flags)
    """
    return known_or_unknown(any_of(truths_of(call.arguments)))


def all_(run: Run, call: Invocation) -> Value:
    """Evaluate all().

    all(flags)
    """
    return known_or_unknown(all_of(truths_of(call.arguments)))


def truths_of(arguments: Arguments) -> list[bool | None]:
    """Return which items of the first argument are true; one doubt, if they are not known."""
    items = items_of(argument_at(arguments))
    if items is None:
        return [None]

    return list(map(truth, items))


def next_(run: Run, call: Invocation) -> Value:
    """Evaluate next().

    next(iterator, None)
    """
    held = argument_at(call.arguments)
    if not isinstance(held, Generator):
        return unknown_value()

    if held.items:
        return held.items.pop(0)

    return argument_at(call.arguments, 1, unknown_value())


def iter_(run: Run, call: Invocation) -> Value:
    """Evaluate iter().

    iter(names)
    """
    items = items_of(argument_at(call.arguments))
    if items is None:
        return unknown_value()

    return Generator(items)


def return_none(run: Run, call: Invocation) -> Value:
    """Return None: the call has no value that a column could be made of.

    print(x)
    """
    return None


def kind_of(run: Run, call: Invocation) -> Value:
    """Evaluate type().

    type(self)
    """
    if len(call.arguments) == 1 and isinstance(call.arguments[0], Instance):
        return call.arguments[0].home

    return unknown_value()


def callable_(run: Run, call: Invocation) -> Value:
    """Evaluate callable().

    callable(step)
    """
    if call.arguments:
        return isinstance(call.arguments[0], (Function, Class, Library))

    return unknown_value()


BUILTINS.update({
    "dict.fromkeys": from_keys,
    "len": length, "range": range_, "list": as_list(list), "tuple": as_list(tuple), "set": as_list(set),
    "frozenset": as_list(set), "dict": as_dict, "zip": zip_, "enumerate": enumerate_, "sorted": call_sorted,
    "reversed": call_reversed, "map": map_, "filter": filter_, "str": text, "repr": pure(repr), "int": pure(int),
    "float": pure(float), "bool": as_truth, "abs": pure(abs), "min": extreme(min), "max": extreme(max),
    "round": round_, "sum": sum_, "isinstance": is_instance, "getattr": get_attribute,
    "hasattr": has_attribute, "setattr": set_attribute, "any": any_, "all": all_, "next": next_, "iter": iter_,
    "print": return_none, "type": kind_of, "callable": callable_, "ord": pure(ord), "chr": pure(chr),
    "divmod": pure(divmod), "globals": return_none, "locals": return_none, "format": lambda *_: unknown_value(),
    "property": return_none, "staticmethod": return_none, "classmethod": return_none,
    "object": return_none, "super": return_none,
    "Exception": return_none, "ValueError": return_none,
    "input": lambda *_: Unknown("input()", "asked of a person", Confidence.LOW), "id": lambda *_: unknown_value(),
    "issubclass": lambda *_: unknown_value(), "vars": attributes_as_dict, "dir": lambda *_: unknown_value(),
    "hash": lambda *_: unknown_value(), "slice": lambda *_: unknown_value(), "exit": return_none, "quit": return_none,
    "eval": lambda *_: unknown_value(), "exec": return_none, "compile": lambda *_: unknown_value(),
    "__import__": lambda *_: unknown_value(), "bytes": lambda *_: unknown_value(), "pow": lambda *_: unknown_value(),
})  # fmt: skip
