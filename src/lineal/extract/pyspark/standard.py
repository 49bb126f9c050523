"""Smaller parts of the standard library: ways to pick, to iterate, to run things side by side."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from lineal.extract.pyspark.dispatch import Arguments, Keywords, attribute_of, invoke, item_of
from lineal.extract.pyspark.natives import as_list, map_
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import (
    Builder,
    Generator,
    Native,
    Unknown,
    Value,
    is_known,
    items_of,
    truth,
)

Handler = Callable[[Run, Arguments, Keywords, Any], Value]

MOST_ITEMS = 5_000
WIDEST = 20
"""Items of one combination: nobody takes more columns at a time."""


def combined_by(function: Callable[..., Any]) -> Handler:
    """itertools.combinations(names, 2), zip_longest(a, b)

    of lists that are known, whatever is in them
    """

    def call(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
        several = [
            argument if isinstance(argument, int) else items_of(argument) for argument in arguments
        ]
        if any(items is None for items in several):
            return Unknown("…", "computed")
        wide = max((each for each in several if isinstance(each, int)), default=1)
        if wide > WIDEST and function is not itertools.islice:
            return Unknown("…", "computed")
        try:
            return Generator(list(itertools.islice(function(*several, **keywords), MOST_ITEMS)))
        except (TypeError, ValueError):
            return Unknown("…", "computed")

    return call


def starmap(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """itertools.starmap(f, pairs)"""
    rows = items_of(arguments[1]) if len(arguments) > 1 else None
    if rows is None:
        return Unknown("…", "computed")
    return Generator([invoke(run, arguments[0], items_of(row) or [], {}, node) for row in rows])


def group_by(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """itertools.groupby(sorted(columns), key=len)"""
    items = items_of(arguments[0]) if arguments else None
    key = arguments[1] if len(arguments) > 1 else keywords.get("key")
    if items is None:
        return Unknown("…", "computed")
    keys = [invoke(run, key, [item], {}, node) if key is not None else item for item in items]
    if not all(map(is_known, keys)):
        return Unknown("…", "computed")
    pairs = itertools.groupby(zip(keys, items, strict=True), key=lambda pair: pair[0])
    return Generator([(found, Generator([item for _, item in group])) for found, group in pairs])


def accumulate(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """itertools.accumulate(steps, apply, initial=df)"""
    items = items_of(arguments[0]) if arguments else None
    function = arguments[1] if len(arguments) > 1 else keywords.get("func")
    if items is None or function is None:
        return Unknown("…", "computed")
    if "initial" in keywords:
        items = [keywords["initial"], *items]
    found = items[:1]
    for item in items[1:]:
        found.append(invoke(run, function, [found[-1], item], {}, node))
    return Generator(found)


def picked(kind: str) -> Handler:
    """operator.itemgetter("name"), attrgetter("name"), methodcaller("distinct")

    what takes it from a value
    """

    def make(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
        def one(run: Run, held: Value, wanted: Value) -> Value:
            if kind == "item":
                return item_of(run, held, wanted, node)
            found = held
            for name in str(wanted).split("."):
                found = attribute_of(run, found, name, node)
            return invoke(run, found, arguments[1:], keywords, node) if kind == "method" else found

        def pick(run: Run, given: Arguments, _: Keywords, node: Any) -> Value:
            wanted = arguments[:1] if kind == "method" else arguments
            several = [one(run, given[0] if given else None, each) for each in wanted]
            return several[0] if len(several) == 1 else tuple(several)

        return Native(kind, pick)

    return make


def every(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """itertools.compress(columns, flags)"""
    several = [items_of(argument) for argument in arguments[:2]]
    if len(several) < 2 or several[0] is None or several[1] is None:
        return Unknown("…", "computed")
    pairs = list(zip(*several, strict=False))
    if any(truth(flag) is None for _, flag in pairs):
        return Unknown("…", "computed")
    return Generator([item for item, flag in pairs if truth(flag)])


def pool(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """ThreadPoolExecutor(4), ThreadPool(8)

    what is run side by side is read one after the other
    """
    return Builder("pool")


def completed(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """as_completed(futures)"""
    items = items_of(arguments[0]) if arguments else None
    return Unknown("…", "computed") if items is None else items


def counted(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """collections.Counter(names)"""
    items = items_of(arguments[0]) if arguments else []
    if items is None or not all(map(is_known, items)):
        return Unknown("…", "computed")
    found: dict[Any, Value] = {}
    for item in items:
        found[item] = found.get(item, 0) + 1
    return found


def chained(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """collections.ChainMap(given, defaults)"""
    if not all(isinstance(argument, dict) for argument in arguments):
        return Unknown("…", "computed")
    return {key: held for argument in reversed(arguments) for key, held in argument.items()}


def pool_call(
    run: Run, held: Builder, name: str, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """pool.map(load, tables), pool.submit(load, table)"""
    if name in ("map", "imap", "imap_unordered"):
        found = map_(run, arguments, {}, node)
        return items_of(found) if isinstance(found, Generator) else found
    if name == "starmap":
        return items_of(starmap(run, arguments, {}, node))
    if name == "submit" and arguments:
        return Builder(
            "future", {"result": invoke(run, arguments[0], arguments[1:], keywords, node)}
        )
    if name in ("apply_async", "apply") and arguments:
        given = arguments[1] if len(arguments) > 1 else keywords.get("args", ())
        result = invoke(run, arguments[0], items_of(given) or [], keywords.get("kwds") or {}, node)
        return result if name == "apply" else Builder("future", {"result": result})
    return None


def future_call(
    run: Run, held: Builder, name: str, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """future.result()"""
    return held.parts["result"] if name in ("result", "get") else None


STANDARD: dict[str, Handler] = {
    **{
        f"itertools.{name}": combined_by(getattr(itertools, name))
        for name in ("combinations", "permutations", "zip_longest", "islice", "pairwise")
    },
    "itertools.starmap": starmap,
    "itertools.groupby": group_by,
    "itertools.accumulate": accumulate,
    "itertools.compress": every,
    "operator.itemgetter": picked("item"),
    "operator.attrgetter": picked("attribute"),
    "operator.methodcaller": picked("method"),
    "concurrent.futures.ThreadPoolExecutor": pool,
    "concurrent.futures.ProcessPoolExecutor": pool,
    "concurrent.futures.as_completed": completed,
    "multiprocessing.pool.ThreadPool": pool,
    "multiprocessing.dummy.Pool": pool,
    "multiprocessing.Pool": pool,
    "collections.deque": as_list(list),
    "collections.Counter": counted,
    "collections.ChainMap": chained,
}
