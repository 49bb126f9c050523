"""Tables that are written page by page are the files that a whole table would be."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lineal.spark.pipeline import output
from lineal.spark.pipeline.folder import Local
from lineal.spark.pipeline.output import Output

SCHEMA = pa.schema([("n", pa.int64()), ("target_column", pa.string())])


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "GROUP", 10)
    monkeypatch.setattr(output, "PART", 30)
    monkeypatch.setattr(output, "is_connect", lambda spark: True)


def prepared(folder: Path, name: str, sizes: tuple[int, ...]) -> tuple[int, Path]:
    """Write pages of these sizes; every third row has no column."""
    pages, first = [SCHEMA.empty_table()], 0
    for size in sizes:
        numbers = range(first, first + size)
        columns = [list(numbers), [None if n % 3 == 0 else f"c{n}" for n in numbers]]
        pages.append(pa.table(columns, schema=SCHEMA))
        first += size
    none: Any = None
    made = Output(Local(folder), none)
    return made.prepare(name, iter(pages)), made.folder.aside(name)


def numbers_in(folder: Path) -> dict[str, list[int]]:
    return {
        file.name: pq.read_table(file)["n"].to_pylist() for file in sorted(folder.glob("*.parquet"))
    }


@pytest.mark.parametrize("sizes", [(), (3,), (10,), (10, 20), (7, 7, 7, 7, 7), (65,), (30, 0, 1)])
def test_parts_and_row_groups(sizes: tuple[int, ...], tmp_path: Path) -> None:
    rows, folder = prepared(tmp_path, "reads", sizes)
    assert rows == sum(sizes)
    expected = {
        f"part-{at:05}.parquet": list(range(rows))[at * 30 : at * 30 + 30]
        for at in range(max(1, -(-rows // 30)))
    }
    assert numbers_in(folder) == expected
    for name, numbers in expected.items():
        whole = tmp_path / "whole.parquet"
        held = [None if n % 3 == 0 else f"c{n}" for n in numbers]
        pq.write_table(
            pa.table([numbers, held], schema=SCHEMA), whole, compression="zstd", row_group_size=10
        )
        assert pq.ParquetFile(folder / name).num_row_groups == pq.ParquetFile(whole).num_row_groups


def test_edges_by_their_level(tmp_path: Path) -> None:
    rows, folder = prepared(tmp_path, "edges", (50, 3, 50))
    assert rows == 103
    columns = numbers_in(folder / "level=column")
    assert list(chain.from_iterable(columns.values())) == [n for n in range(103) if n % 3]
    assert [len(numbers) for numbers in columns.values()] == [30, 30, 8]
    datasets = numbers_in(folder / "level=dataset")
    assert list(chain.from_iterable(datasets.values())) == list(range(0, 103, 3))
