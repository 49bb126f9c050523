"""A log to be extracted, and what a single machine makes of it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq

from lineal.model.edge import Edge

SHAPES = (
    "CREATE OR REPLACE TABLE mart.t{i} AS SELECT a, sum(b) AS total, c{i} FROM raw.s{i} WHERE d = {n} GROUP BY a, c{i}",
    "SELECT t.total, x.name FROM mart.t{i} t JOIN raw.customers x ON t.a = x.id WHERE x.kind = '{n}' LIMIT {n}",
    "INSERT INTO mart.all_{j} (a, b) SELECT a, total FROM mart.t{i} WHERE total > {n}",
    "CREATE VIEW v{i} AS SELECT * FROM raw.w{i} w LEFT JOIN mart.t{i} USING (a) WHERE name = '{n}'",
    "SELECT coalesce(a, 0), b{i}, count(*) FROM v{i}, raw.z{i} WHERE e IN ({n}, 4) ORDER BY 1",
    "MERGE INTO mart.all_{j} m USING raw.w{i} w ON m.a = w.a WHEN MATCHED THEN UPDATE SET b = w.b + {n}",
    "CREATE TEMP TABLE tmp{i} AS SELECT a FROM v{i}; INSERT INTO mart.kept SELECT a FROM tmp{i} WHERE a > {n}",
)
"""Each reads what others write; two of each kind differ only in literals."""


def rows(count: int, seed: int = 1) -> list[dict[str, Any]]:
    """A log in the order of its times."""
    random = Random(seed)
    return [
        {
            "query_text": SHAPES[at % len(SHAPES)].format(
                i=at // len(SHAPES) % 12, j=at % 3, n=random.randrange(1000)
            ),
            "user_name": random.choice(("ann", "bob", "eve")),
            "start_time": f"2026-05-01T{at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}Z",
            "query_id": f"q{at}",
            "database_name": "shop",
        }
        for at in range(count)
    ]


def write_json(path: Path, said: Iterable[dict[str, Any]]) -> str:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in said), encoding="utf-8")
    return str(path)


def facts(edges: Iterable[Edge]) -> list[tuple[Any, ...]]:
    """Everything about edges but their places: those of a log are lines, and rows of a table have
    none.
    """
    return sorted(
        (
            str(edge.source),
            str(edge.target),
            edge.kind,
            edge.level,
            edge.masked,
            sorted((str(u.way), u.transform, u.expression, str(u.doubt)) for u in edge.usages),
        )
        for edge in edges
    )


def table(folder: Path, name: str) -> list[dict[str, Any]]:
    return [
        row
        for file in sorted((folder / name).rglob("*.parquet"))
        for row in pq.read_table(file).to_pylist()
    ]


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of an output, byte for byte; what only a next run reads is left out."""
    files = (file for file in folder.rglob("*") if file.is_file() and "_records" not in file.parts)
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}
