"""COPY's binary format, read back field by field."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pytest

from lineal.store.lineage import binary


def read(data: bytes) -> Iterator[list[bytes | None]]:
    at = 0
    while at < len(data):
        (count,) = struct.unpack_from(">h", data, at)
        at += 2
        row: list[bytes | None] = []
        for _ in range(count):
            (length,) = struct.unpack_from(">i", data, at)
            at += 4
            row.append(None if length < 0 else data[at : at + length])
            at += max(length, 0)
        yield row


def four(number: int) -> bytes:
    return struct.pack(">i", number)


def test_numbers_texts_and_gaps_stay_where_they_are() -> None:
    columns = {"a": range(3), "b": ["x", None, "é"], "c": [7, 2**31 - 1, 0], "d": [None, 5, None]}
    assert list(read(binary.rows(columns, {"run": 9}, binary.Fields()))) == [
        [four(9), four(0), b"x", four(7), None],
        [four(9), four(1), None, four(2**31 - 1), four(5)],
        [four(9), four(2), "é".encode(), four(0), None],
    ]


def test_numbers_below_zero() -> None:
    columns = {"a": [-1, 2, -(2**31)]}
    assert list(read(binary.rows(columns, {}, binary.Fields()))) == [
        [four(-1)],
        [four(2)],
        [four(-(2**31))],
    ]


@pytest.mark.parametrize("number", [2**31, 2**32 - 1, 2**32, -(2**31) - 1])
def test_a_number_that_has_no_room_is_an_error(number: int) -> None:
    with pytest.raises(OverflowError):
        binary.rows({"a": [1, number]}, {}, binary.Fields())
