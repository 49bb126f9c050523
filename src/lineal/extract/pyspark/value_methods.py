"""The methods of Python's texts, lists, dicts and sets over abstract values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lineal.extract.pyspark.branches import merge_values
from lineal.extract.pyspark.dispatch import BUILTINS, LOOK_UPS, LibraryCall
from lineal.extract.pyspark.invocation import Arguments, Invocation, argument_at
from lineal.extract.pyspark.items import item_of_dict
from lineal.extract.pyspark.knowledge import all_known, is_known, items_of
from lineal.extract.pyspark.natives import COMPUTED, as_dict, call_sorted, unknown_value
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.sizes import charge_items
from lineal.extract.pyspark.text_methods import method_of_text
from lineal.extract.pyspark.values import Choice, Unknown, Value

MethodCall = Callable[[Run, Any, str, Invocation], Value]
"""held.name(…), where held is a value of Python itself."""


def method_of_value(run: Run, held: Value, name: str, call: Invocation) -> Value:
    """Call a method of a value of Python.

    name.upper(), names.append(x), config.get("k")
    """
    for kind, handler in METHODS_BY_KIND:
        if isinstance(held, kind):
            return handler(run, held, name, call)

    return Unknown(f"{name}()", COMPUTED)


def method_from(table: Mapping[str, MethodCall]) -> MethodCall:
    """Return a handler that looks a method up by its name; other methods are not followed."""

    def handle(run: Run, held: Value, name: str, call: Invocation) -> Value:
        """Call the handler of a method; a method without one gives an unknown value."""
        handler = table.get(name)
        if handler is None:
            return unknown_value()

        return handler(run, held, name, call)

    return handle


def method_of_options(run: Run, held: Choice, name: str, call: Invocation) -> Value:
    """Call a method of each value that a branch may have left, and merge the results."""
    first, *rest = [method_of_value(run, each, name, call) for each in held.options]
    for other in rest:
        first = merge_values(run, first, other)

    return first


# -- lists -----------------------------------------------------------------------------------------


def append_item(run: Run, held: list[Value], name: str, call: Invocation) -> Value:
    """Append an item.

    names.append(x)
    """
    run.touch(held)
    held.append(argument_at(call.arguments))
    return None


def append_left(run: Run, held: list[Value], name: str, call: Invocation) -> Value:
    """Prepend an item.

    queue.appendleft(x)      of a deque
    """
    run.touch(held)
    held.insert(0, argument_at(call.arguments))
    return None


def extend_list(run: Run, held: list[Value], name: str, call: Invocation) -> Value:
    """Append several items.

    names.extend(more)
    """
    more = items_of(argument_at(call.arguments)) or []
    charge_items(run, held, len(more))
    run.touch(held)
    held.extend(more)
    return None


def insert_item(run: Run, held: list[Value], name: str, call: Invocation) -> Value:
    """Insert an item.

    names.insert(0, x)
    """
    run.touch(held)
    if len(call.arguments) < 2 or not isinstance(call.arguments[0], int):
        return unknown_value()

    held.insert(call.arguments[0], call.arguments[1])
    return None


def remove_item(run: Run, held: list[Value], name: str, call: Invocation) -> Value:
    """Remove the first item that equals a known one.

    names.remove(x)
    """
    run.touch(held)
    wanted = argument_at(call.arguments)
    if not is_known(wanted):
        return None

    for position, item in enumerate(held):
        if is_known(item) and item == wanted:
            del held[position]
            break

    return None


def pop_item(run: Run, held: list[Value], name: str, call: Invocation) -> Value:
    """Remove and return an item.

    names.pop(), names.pop(0)      the last item, where the position is not known
    """
    run.touch(held)
    if not held:
        return unknown_value()

    position = argument_at(call.arguments)
    is_inside = isinstance(position, int) and -len(held) <= position < len(held)
    if is_inside:
        return held.pop(position)

    return held.pop()


def pop_left(run: Run, held: list[Value], name: str, call: Invocation) -> Value:
    """Remove and return the first item.

    queue.popleft()      of a deque
    """
    return pop_item(run, held, name, call.with_arguments([0]))


def clear_all(run: Run, held: Any, name: str, call: Invocation) -> Value:
    """Remove all items.

    names.clear()
    """
    run.touch(held)
    held.clear()
    return None


def reverse_list(run: Run, held: list[Value], name: str, call: Invocation) -> Value:
    """Reverse a list.

    names.reverse()
    """
    run.touch(held)
    held.reverse()
    return None


def sort_list(run: Run, held: list[Value], name: str, call: Invocation) -> Value:
    """Sort a list.

    names.sort(key=len)
    """
    run.touch(held)
    held[:] = call_sorted(run, call.with_arguments([held]))
    return None


def copy_list(run: Run, held: list[Value], name: str, call: Invocation) -> Value:
    """Copy a list.

    names.copy()
    """
    made = list(held)
    run.bear(made)
    return made


def search_sequence(run: Run, held: Any, name: str, call: Invocation) -> Value:
    """Search a list or tuple of constants.

    names.index(x), names.count(x)
    """
    wanted = argument_at(call.arguments)
    items = list(held)
    if not is_known(items) or not is_known(wanted):
        return unknown_value()

    try:
        return getattr(items, name)(wanted)
    except ValueError:
        return unknown_value()


LIST_METHODS: dict[str, MethodCall] = {
    "append": append_item,
    "appendleft": append_left,
    "extend": extend_list,
    "insert": insert_item,
    "remove": remove_item,
    "pop": pop_item,
    "popleft": pop_left,
    "clear": clear_all,
    "reverse": reverse_list,
    "sort": sort_list,
    "copy": copy_list,
    "index": search_sequence,
    "count": search_sequence,
}

TUPLE_METHODS: dict[str, MethodCall] = {"index": search_sequence, "count": search_sequence}


# -- dicts -----------------------------------------------------------------------------------------


def list_dict(run: Run, held: dict[Any, Value], name: str, call: Invocation) -> Value:
    """Return the keys, values or items of a dictionary.

    config.items(), config.keys(), config.values()
    """
    return list(getattr(held, name)())


def look_up(run: Run, held: dict[Any, Value], name: str, call: Invocation) -> Value:
    """Look a key up in a dictionary.

    config.get("k", 1), config.pop("k"), config.setdefault("k", [])
    """
    key, default = argument_at(call.arguments), argument_at(call.arguments, 1)
    if isinstance(key, (Unknown, Choice)):
        return item_of_dict(run, held, key, call.node)

    try:
        is_present = key in held
    except TypeError:
        return unknown_value()

    find = LOOK_UPS.get(key.__class__)
    if find is not None and not is_present and name == "get":
        return find(run, key, held, default, call.node)

    found = held[key] if is_present else default
    if name == "pop" and is_present:
        run.touch(held)
        del held[key]
    elif name == "setdefault" and not is_present:
        run.touch(held)
        held[key] = default

    return found


def update_dict(run: Run, held: dict[Any, Value], name: str, call: Invocation) -> Value:
    """Update a dictionary.

    config.update(more), config.update(k=1)
    """
    run.touch(held)
    added = as_dict(run, call.with_arguments(call.arguments[:1]))
    if isinstance(added, dict):
        charge_items(run, held, len(added))
        held.update(added)

    return None


def pop_pair(run: Run, held: dict[Any, Value], name: str, call: Invocation) -> Value:
    """Remove and return the last pair.

    config.popitem()
    """
    if not held:
        return unknown_value()

    run.touch(held)
    return held.popitem()


def copy_dict(run: Run, held: dict[Any, Value], name: str, call: Invocation) -> Value:
    """Copy a dictionary.

    config.copy()
    """
    made = dict(held)
    run.bear(made)
    return made


DICT_METHODS: dict[str, MethodCall] = {
    "items": list_dict,
    "keys": list_dict,
    "values": list_dict,
    "get": look_up,
    "pop": look_up,
    "setdefault": look_up,
    "update": update_dict,
    "popitem": pop_pair,
    "copy": copy_dict,
    "clear": clear_all,
}


# -- sets ------------------------------------------------------------------------------------------

SET_CHANGES = frozenset(("add", "discard", "remove", "update"))

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


def method_of_set(run: Run, held: Any, name: str, call: Invocation) -> Value:
    """Call a method of a set.

    seen.add(x), wanted.intersection(columns)
    """
    others = list(map(items_of, call.arguments))
    if name in SET_CHANGES:
        change_set(run, held, name, call.arguments, others)
        return None

    known = all(items is not None and all_known(items) for items in others)
    if known and name in SET_METHODS:
        return getattr(held, name)(*others)

    return unknown_value()


def change_set(
    run: Run, held: Any, name: str, arguments: Arguments, others: list[list[Value] | None]
) -> None:
    """Change a set by the known values.

    seen.add(x), seen.remove(x), seen.update(more)
    """
    run.touch(held)
    if name == "update":
        for items in others:
            charge_items(run, held, len(items or []))
            held.update(items or [])

        return

    if not arguments or not is_known(arguments[0]):
        return

    if name == "add":
        held.add(arguments[0])
    else:
        held.discard(arguments[0])


METHODS_BY_KIND: tuple[tuple[Any, MethodCall], ...] = (
    (str, method_of_text),
    (list, method_from(LIST_METHODS)),
    (dict, method_from(DICT_METHODS)),
    (tuple, method_from(TUPLE_METHODS)),
    ((set, frozenset), method_of_set),
    (Choice, method_of_options),
)


# -- methods before they are bound -----------------------------------------------------------------


def method_of_type(name: str) -> LibraryCall:
    """Return what calls a method of a type.

    map(str.lower, names), str.join(",", names), dict.get(d, "x")

    a method before it is bound
    """

    def handle(run: Run, call: Invocation) -> Value:
        """Call a method with its object as the first argument: `str.upper(name)`."""
        if not call.arguments:
            return unknown_value()

        return method_of_value(
            run, call.arguments[0], name, call.with_arguments(call.arguments[1:])
        )

    return handle


def builtin(name: str) -> LibraryCall:
    """Return what calls a function of Python itself.

    len, dict.fromkeys, str.lower
    """
    found = BUILTINS.get(name)
    if found is not None:
        return found

    return method_of_type(name.rpartition(".")[2])
