"""Rows as bytes, on their way between the driver and executors."""

from __future__ import annotations

from typing import Any

import pyarrow as pa


def pack_page(page: pa.Table) -> bytes:
    """Return rows as bytes."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, page.schema) as writer:
        writer.write_table(page)

    return bytes(sink.getvalue())


def read_page(data: Any) -> pa.Table:
    """Return rows that came as bytes."""
    with pa.ipc.open_stream(data) as reader:
        return reader.read_all()


def list_array(counts: Any, values: Any) -> pa.ListArray:
    """Return a column of lists: how many values each has, and all of them."""
    ends = counts.cumsum()
    return pa.ListArray.from_arrays(
        pa.array([0, *ends.tolist()], pa.int32()), pa.array(values, pa.int64())
    )
