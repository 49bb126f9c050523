"""Programs of DataFrame libraries, run for real: which columns of the output change with a source.

A job reads CSV files of the current folder and writes files below `out/`. It is run on small random
data, then once more for each source column with only that column redrawn. A column of the output
that is different then depends on the source column: an edge into the column or into its dataset
must say so.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Rows = dict[str, list[Any]]

WORDS = ("ash", "birch", "cedar", "elm", "fir", "oak", "pine", "yew")
KINDS = {
    "key": lambda draw: draw.randint(1, 9),
    "int": lambda draw: draw.randint(1, 60),
    "float": lambda draw: round(draw.uniform(1, 90), 2),
    "gaps": lambda draw: "" if draw.random() < 0.3 else round(draw.uniform(1, 20), 1),
    "word": lambda draw: f"{draw.choice(WORDS)} {draw.choice(WORDS)}",
    "status": lambda draw: draw.choice(("paid", "open", "void")),
    "tier": lambda draw: draw.choice(("gold", "silver", "basic")),
    "city": lambda draw: draw.choice(("Bonn", "Kyiv", "Lyon", "Oslo")),
    "category": lambda draw: draw.choice(("tools", "toys", "food")),
    "date": lambda draw: f"2024-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d}",
    "tags": lambda draw: "|".join(draw.sample(WORDS, draw.randint(1, 3))),
    "mail": lambda draw: f"{draw.choice(WORDS)}@{draw.choice(WORDS)}.org",
}

SOURCES: dict[str, dict[str, str]] = {
    "orders.csv": {
        "order_id": "int", "customer_id": "key", "product_id": "key", "qty": "int",
        "price": "float", "status": "status", "order_date": "date", "discount": "gaps",
    },
    "customers.csv": {
        "customer_id": "unique", "name": "word", "email": "mail", "tier": "tier", "city": "city",
        "signup": "date", "age": "int",
    },
    "products.csv": {
        "product_id": "unique", "title": "word", "category": "category", "cost": "float",
        "tags": "tags",
    },
    "events.csv": {
        "user_id": "key", "kind": "status", "day": "date", "value": "float", "page": "word",
    },
}  # fmt: skip
"""The files that jobs read, and the kinds of their columns."""

SIZES = {"orders.csv": 40, "customers.csv": 9, "products.csv": 9, "events.csv": 30}


def draw_column(kind: str, size: int, seed: str) -> list[Any]:
    """Draw the values of a column."""
    draw = random.Random(seed)
    if kind == "unique":
        return draw.sample(range(1, 12), size)
    return [KINDS[kind](draw) for _ in range(size)]


def draw_sources(seed: int, redrawn: tuple[str, str] | None = None) -> dict[str, Rows]:
    """Draw all files; one column may be drawn again."""
    return {
        file: {
            name: draw_column(kind, SIZES[file], f"{seed} {file} {name} {(file, name) == redrawn}")
            for name, kind in columns.items()
        }
        for file, columns in SOURCES.items()
    }


def write_sources(folder: Path, sources: dict[str, Rows]) -> None:
    """Write the files of a run."""
    for file, rows in sources.items():
        lines = [
            ",".join(rows),
            *(",".join(map(str, row)) for row in zip(*rows.values(), strict=True)),
        ]
        (folder / file).write_text("\n".join(lines) + "\n")
    (folder / "out").mkdir(exist_ok=True)


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Work in a folder, quietly."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        os.chdir(before)


def run_job(code: Any, folder: Path, sources: dict[str, Rows]) -> dict[str, Rows]:
    """Run a job on these files, and return the columns of the files that it wrote."""
    write_sources(folder, sources)
    for old in (folder / "out").iterdir():
        old.unlink()
    with inside(folder):
        exec(code, {"__name__": "__main__"})
        return {f"out/{path.name}": columns_of(path) for path in sorted((folder / "out").iterdir())}


def columns_of(path: Path) -> Rows:
    """Return the columns of a file that a job wrote."""
    import pandas as pd

    readers = {".csv": pd.read_csv, ".parquet": pd.read_parquet, ".json": pd.read_json,
               ".feather": pd.read_feather, ".pkl": pd.read_pickle}  # fmt: skip
    frame = readers[path.suffix](path)
    return {str(name): [str(each) for each in frame[name].tolist()] for name in frame.columns}


Change = tuple[str, str, str, str]
"""A source column that was redrawn, and a column of a target that was different then."""


def changes_of(path: Path, folder: Path, wanted: set[tuple[str, str]], seeds: int) -> set[Change]:
    """Return which columns of the output depend on which source columns, as runs show."""
    code = compile(path.read_text(), str(path), "exec")
    found: set[Change] = set()
    for seed in range(seeds):
        before = run_job(code, folder, draw_sources(seed))
        for source in sorted(wanted):
            after = run_job(code, folder, draw_sources(seed, source))
            found |= differing(source, before, after)
    return found


def differing(
    source: tuple[str, str], before: dict[str, Rows], after: dict[str, Rows]
) -> set[Change]:
    """Return the columns that differ between two runs; a column that is gone differs."""
    return {
        (*source, target, name)
        for target, columns in before.items()
        for name, values in columns.items()
        if after.get(target, {}).get(name) != values
    }
