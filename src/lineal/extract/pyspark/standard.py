"""Smaller parts of the standard library: ways to pick, to iterate, to run things side by side."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from lineal.extract.pyspark.dispatch import attribute_of, invoke, item_of
from lineal.extract.pyspark.invocation import Invocation, argument_at
from lineal.extract.pyspark.knowledge import all_known, items_of, items_of_each, truth
from lineal.extract.pyspark.natives import as_list, keys_of_items, map_, unknown_value
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.sizes import TOO_LARGE
from lineal.extract.pyspark.values import Builder, Generator, Native, Unknown, Value
from lineal.model.sequences import all_are, first_or_none, second_of_each

Handler = Callable[[Run, Invocation], Value]

MOST_ITEMS = 5_000
WIDEST = 20
"""Items of one combination: nobody takes more columns at a time."""


def number_or_items(held: Value) -> int | list[Value] | None:
    """Return a number as it is, and the items of anything else where they are known."""
    if isinstance(held, int):
        return held

    return items_of(held)


def combine_by(function: Callable[..., Any]) -> Handler:
    """Return what combines lists of itertools.

    itertools.combinations(names, 2), zip_longest(a, b)

    of lists that are known, whatever is in them
    """

    def handle(run: Run, call: Invocation) -> Value:
        """Return the items that a function of itertools gives, unless they are too many."""
        several = list(map(number_or_items, call.arguments))
        if None in several:
            return unknown_value()

        widest = max((each for each in several if isinstance(each, int)), default=1)
        if widest > WIDEST and function is not itertools.islice:
            return unknown_value()

        try:
            found = list(itertools.islice(function(*several, **call.keywords), MOST_ITEMS + 1))
        except (TypeError, ValueError):
            return unknown_value()

        if len(found) > MOST_ITEMS:
            return Unknown("…", TOO_LARGE)

        return Generator(found)

    return handle


def starmap(run: Run, call: Invocation) -> Value:
    """Evaluate itertools.starmap.

    itertools.starmap(f, pairs)
    """
    rows = items_of(argument_at(call.arguments, 1))
    if rows is None:
        return unknown_value()

    return Generator(
        [
            invoke(run, call.arguments[0], call.with_arguments(items_of(row) or [], {}))
            for row in rows
        ]
    )


def group_by(run: Run, call: Invocation) -> Value:
    """Evaluate itertools.groupby.

    itertools.groupby(sorted(columns), key=len)
    """
    items = items_of(argument_at(call.arguments))
    key = call.argument(1, "key")
    if items is None:
        return unknown_value()

    keys = keys_of_items(run, items, key, call.node)
    if not all_known(keys):
        return unknown_value()

    pairs = itertools.groupby(zip(keys, items, strict=True), key=lambda pair: pair[0])
    return Generator([(found, Generator(second_of_each(group))) for found, group in pairs])


def accumulate(run: Run, call: Invocation) -> Value:
    """Evaluate itertools.accumulate.

    itertools.accumulate(steps, apply, initial=df)
    """
    items = items_of(argument_at(call.arguments))
    function = call.argument(1, "func")
    if items is None or function is None:
        return unknown_value()

    if "initial" in call.keywords:
        items = [call.keywords["initial"], *items]

    found = items[:1]
    for item in items[1:]:
        found.append(invoke(run, function, call.with_arguments([found[-1], item], {})))

    return Generator(found)


def getter(kind: str) -> Handler:
    """Return what builds a getter.

    operator.itemgetter("name"), attrgetter("name"), methodcaller("distinct")

    what takes it from a value
    """

    def make(run: Run, call: Invocation) -> Value:
        """Return the function that `itemgetter`, `attrgetter` or `methodcaller` makes."""

        def one(run: Run, held: Value, wanted: Value) -> Value:
            """Return the item, the attribute or the result of the method of one object."""
            if kind == "item":
                return item_of(run, held, wanted, call.node)

            found = held
            for name in str(wanted).split("."):
                found = attribute_of(run, found, name, call.node)

            if kind == "method":
                return invoke(run, found, call.with_arguments(call.arguments[1:]))

            return found

        def pick(run: Run, taken: Invocation) -> Value:
            """Return what the getter takes from its argument; a tuple where it takes several."""
            wanted = call.arguments[:1] if kind == "method" else call.arguments
            several = [one(run, first_or_none(taken.arguments), each) for each in wanted]
            if len(several) == 1:
                return several[0]

            return tuple(several)

        return Native(kind, pick)

    return make


def compress(run: Run, call: Invocation) -> Value:
    """Evaluate itertools.compress.

    itertools.compress(columns, flags)
    """
    several = items_of_each(call.arguments[:2])
    if several is None or len(several) < 2:
        return unknown_value()

    items, flags = several
    truths = list(map(truth, flags[: len(items)]))
    if None in truths:
        return unknown_value()

    return Generator(list(itertools.compress(items, truths)))


def pool(run: Run, call: Invocation) -> Value:
    """Build a pool of workers.

    ThreadPoolExecutor(4), ThreadPool(8)

    what is run side by side is read one after the other
    """
    return Builder("pool")


def as_completed(run: Run, call: Invocation) -> Value:
    """Evaluate as_completed.

    as_completed(futures)
    """
    items = items_of(argument_at(call.arguments))
    if items is None:
        return unknown_value()

    return items


def counter(run: Run, call: Invocation) -> Value:
    """Evaluate collections.Counter.

    collections.Counter(names)
    """
    items = items_of(argument_at(call.arguments, 0, []))
    if items is None or not all_known(items):
        return unknown_value()

    found: dict[Any, Value] = {}
    for item in items:
        found[item] = found.get(item, 0) + 1

    return found


def chain_map(run: Run, call: Invocation) -> Value:
    """Evaluate collections.ChainMap.

    collections.ChainMap(given, defaults)
    """
    if not all_are(call.arguments, dict):
        return unknown_value()

    return {key: held for argument in reversed(call.arguments) for key, held in argument.items()}


def pool_call(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Call a method of a pool.

    pool.map(load, tables), pool.submit(load, table)
    """
    if name in ("map", "imap", "imap_unordered"):
        found = map_(run, call.with_arguments(call.arguments, {}))
        if isinstance(found, Generator):
            return items_of(found)

        return found

    if name == "starmap":
        return items_of(starmap(run, call.with_arguments(call.arguments, {})))

    if name == "submit" and call.arguments:
        return Builder(
            "future",
            {"result": invoke(run, call.arguments[0], call.with_arguments(call.arguments[1:]))},
        )

    if name in ("apply_async", "apply") and call.arguments:
        given = call.argument(1, "args", ())
        result = invoke(
            run,
            call.arguments[0],
            call.with_arguments(items_of(given) or [], call.keywords.get("kwds") or {}),
        )
        if name == "apply":
            return result

        return Builder("future", {"result": result})

    return None


def future_call(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Call a method of a future.

    future.result()
    """
    if name in ("result", "get"):
        return held.parts["result"]

    return None


STANDARD: dict[str, Handler] = {
    **{
        f"itertools.{name}": combine_by(getattr(itertools, name))
        for name in ("combinations", "permutations", "zip_longest", "islice", "pairwise")
    },
    "itertools.starmap": starmap,
    "itertools.groupby": group_by,
    "itertools.accumulate": accumulate,
    "itertools.compress": compress,
    "operator.itemgetter": getter("item"),
    "operator.attrgetter": getter("attribute"),
    "operator.methodcaller": getter("method"),
    "concurrent.futures.ThreadPoolExecutor": pool,
    "concurrent.futures.ProcessPoolExecutor": pool,
    "concurrent.futures.as_completed": as_completed,
    "multiprocessing.pool.ThreadPool": pool,
    "multiprocessing.dummy.Pool": pool,
    "multiprocessing.Pool": pool,
    "collections.deque": as_list(list),
    "collections.Counter": counter,
    "collections.ChainMap": chain_map,
}
