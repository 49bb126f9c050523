"""df.agg({"a": "sum", "b": "max"})

Spark gets a map: its columns stand in the order of Java's and Scala's maps.
"""

from __future__ import annotations

from collections.abc import Iterable

from lineal.model.sequences import flatten, second_of_each

FEW = 4
"""maps of Scala that keep the order in which they were made"""
WORD = 0xFFFFFFFF


def map_order(names: Iterable[str]) -> list[str]:
    """Return names in the order in which Spark reads a map of them."""
    in_java = order_in_java(list(names))
    if len(in_java) <= FEW:
        return in_java

    return order_in_scala([(improve_hash(hash_of(name)), name) for name in in_java])


def hash_of(text: str) -> int:
    """Return the hash code of a text in Java.

    java.lang.String.hashCode
    """
    found = 0
    units = text.encode("utf-16-be")
    for high, low in zip(units[::2], units[1::2], strict=True):
        found = (31 * found + (high << 8 | low)) & WORD

    return found


def order_in_java(names: list[str]) -> list[str]:
    """Sort keys as a Java hash map does.

    java.util.HashMap: by buckets, of which there are 16, and twice as many whenever three
    quarters are full
    """
    buckets = 16
    while len(names) > buckets * 3 // 4:
        buckets *= 2

    hashes = {name: hash_of(name) for name in names}
    return sorted(names, key=lambda name: (hashes[name] ^ hashes[name] >> 16) & (buckets - 1))


def improve_hash(number: int) -> int:
    """Spread a hash code as Scala does.

    scala.collection.Hashing.improve
    """
    number = (number + ~(number << 9)) & WORD
    number ^= number >> 14
    number = (number + (number << 4)) & WORD
    return number ^ number >> 10


def order_in_scala(items: list[tuple[int, str]], shift: int = 0) -> list[str]:
    """Sort keys as a Scala hash map does.

    scala.collection.immutable.HashMap: of each node what it holds itself, then what is below
    """
    if shift > 30:
        return second_of_each(items)

    branches: dict[int, list[tuple[int, str]]] = {}
    for item in items:
        branches.setdefault(item[0] >> shift & 31, []).append(item)

    own = [branches[mask][0][1] for mask in sorted(branches) if len(branches[mask]) == 1]
    below = [branches[mask] for mask in sorted(branches) if len(branches[mask]) > 1]
    return own + flatten(order_in_scala(branch, shift + 5) for branch in below)
