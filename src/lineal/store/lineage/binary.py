"""Rows in COPY's binary format: columns of numbers are laid out a whole column at a time, texts
field by field.

PGCOPY … | 2 fields | 4 bytes: 17 | 3 bytes: "sum" | 2 fields | 4 bytes: 18 | … | -1
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any

BEGIN = b"PGCOPY\n\xff\r\n\0" + bytes(8)
END = b"\xff\xff"
EMPTY = b"\xff\xff\xff\xff"

_count = struct.Struct(">h").pack
_length = struct.Struct(">i").pack
_number = struct.Struct(">ii").pack

ZERO = _number(4, 0)
LENGTH = 4
"""So many bytes of a field say how long the rest is."""


MOST = 100_000


class Fields(dict[Any, bytes]):
    """value → its field; most texts come more than once."""

    def __missing__(self, value: object) -> bytes:
        if len(self) >= MOST:
            self.clear()

        self[value] = made = field(value)
        return made


def field(value: Any) -> bytes:
    """Return a value in the binary format of COPY."""
    if value is None:
        return EMPTY

    if isinstance(value, str):
        text = value.encode()
        return _length(len(text)) + text

    return _number(4, _check_range(value))


def _check_range(value: int) -> int:
    """Return a number that fits into 32 bits; raise OverflowError otherwise."""
    if not -(1 << 31) <= value < 1 << 31:
        raise OverflowError(f"{value} does not fit into 32 bits")

    return value


def rows(columns: Mapping[str, Sequence[Any]], same: Mapping[str, int], fields: Fields) -> bytes:
    """Return rows whose columns are given one by one, all equally long; the values in `same` are
    equal in all rows and come first.
    """
    length = len(next(iter(columns.values())))
    before = _count(len(same) + len(columns)) + b"".join(map(field, same.values()))
    numbers: list[array[int]] = []
    parts: list[Iterable[bytes]] = []
    for values in columns.values():
        found = _numbers(values)
        if found is not None:
            numbers.append(found)
            continue

        if before or numbers:
            parts.append(_row_by_row(before, numbers, length))
            before, numbers = b"", []

        parts.append(map(fields.__getitem__, values))

    if not parts:
        return _side_by_side(before, numbers, length)

    if numbers:
        parts.append(_row_by_row(before, numbers, length))

    whole = [b""] * (length * len(parts))
    for at, part in enumerate(parts):
        whole[at :: len(parts)] = part

    return b"".join(whole)


def _numbers(values: Sequence[Any]) -> array[int] | None:
    """As numbers of four bytes, the highest first; None where there are texts or gaps among them."""
    try:
        found = array("I", values)
    except TypeError:
        return None
    except OverflowError:
        return _highest_first(array("I", array("i", values).tobytes()))

    made = _highest_first(found)
    if not made.tobytes()[0::4].isascii():
        _check_range(max(values))

    return made


def _highest_first(numbers: array[int]) -> array[int]:
    """Return numbers with the highest byte first."""
    if sys.byteorder == "little":
        numbers.byteswap()

    return numbers


def _row_by_row(before: bytes, numbers: Sequence[array[int]], length: int) -> Iterable[bytes]:
    """Return the bytes of each row."""
    if not numbers:
        return repeat(before, length)

    width = len(before) + len(ZERO) * len(numbers)
    return struct.unpack(f"{width}s" * length, _side_by_side(before, numbers, length))


def _side_by_side(before: bytes, numbers: Sequence[array[int]], length: int) -> bytes:
    """Every column is put into the places that it has in all rows, in two steps of two bytes."""
    row = array("H", before + ZERO * len(numbers))
    whole = row * length
    at = (len(before) + LENGTH) // 2
    for values in numbers:
        halves = array("H", values.tobytes())
        whole[at :: len(row)] = halves[0::2]
        whole[at + 1 :: len(row)] = halves[1::2]
        at += len(ZERO) // 2

    return whole.tobytes()
