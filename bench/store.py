"""A million edges into a store, next to the bare bulk load of the same rows; and a trace of ten hops
at that size.

    python bench/store.py [edges]

Bare means: the very rows that the store writes into its tables, ready in memory, in one
transaction, by `executemany` (SQLite) or by COPY, a `write_row` each (PostgreSQL); into tables
without keys or indexes, and in PostgreSQL also into the store's own tables, whose indexes are
dropped before and made after, as one does. The store starts from values of the model, and when it
is done its indexes stand. Times are wall-clock, the smallest of several rounds in which the
contenders take turns.
"""

from __future__ import annotations

import gc
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from lineal.graph.graph import Graph
from lineal.graph.trace import upstream
from lineal.model.diagnostic import Place
from lineal.model.edge import Column, Dataset, Edge, Site, Usage
from lineal.model.extraction import Extraction
from lineal.model.way import How, way
from lineal.store.lineage import Store, open_store

EDGES = 1_000_000
LAYERS = 12
WIDTH = 100
SOURCES = (1, 2)
HOPS = 10
ROUNDS = 3
TABLES = ("datasets", "columns", "files", "ways", "edges", "usages")
NAMESPACE = "bench"
TRACE = "--trace"

WAYS = (way(How.IDENTITY), way(How.TRANSFORMATION), way(How.AGGREGATION))


class Figures(NamedTuple):
    """Seconds."""

    load: float
    bare: list[float]
    """into tables without indexes; in PostgreSQL also into the store's own"""
    again: float
    """to load the same once more, which changes nothing"""
    trace: float
    traced: int

    @property
    def speed(self) -> float:
        """Of the bare load that leaves behind what the store does; in SQLite, of the one that
        leaves less.
        """
        return self.bare[-1] / self.load

    @property
    def speed_without(self) -> float:
        """Of the bare load into tables without indexes."""
        return self.bare[0] / self.load


def lineage(edges: int = EDGES) -> Extraction:
    """Tables in layers: every other column is made of two columns of the layer before, the others
    of one.
    """
    chance = random.Random(1)
    tables = edges // (sum(SOURCES) * WIDTH // len(SOURCES))
    per_layer = max(tables // LAYERS, 1)
    layers = [
        [table(layer, number) for number in range(per_layer)]
        for layer in range(-(-tables // per_layer) + 1)
    ]
    made: list[Edge] = []
    for before, layer in pairwise(layers):
        for columns in layer:
            file = f"models/{columns[0].dataset.name}.sql"
            for position, column in enumerate(columns):
                tables_read = chance.sample(
                    before, min(SOURCES[position % len(SOURCES)], len(before))
                )
                made += [edge(chance.choice(read), column, file, position) for read in tables_read]
    return Extraction(made[:edges])


def table(layer: int, number: int) -> list[Column]:
    dataset = Dataset("", f"warehouse.layer_{layer}.table_{number}")
    return [Column(dataset, f"column_{position}") for position in range(WIDTH)]


def edge(source: Column, target: Column, file: str, position: int) -> Edge:
    kind = position % 3
    text, calls = (
        (source.name, ()),
        (f"coalesce({source.name}, 0)", ("coalesce",)),
        (f"sum({source.name})", ("sum",)),
    )[kind]
    site = Site(Place(file, 3 + position, 5), text, calls)
    return Edge(source, target, (Usage(WAYS[kind], None, None, site),))


# -- contenders ------------------------------------------------------------------------------------


Bare = Callable[[dict[str, list[Any]]], float]


def measure(address: str, found: Extraction, bares: list[Bare], rounds: int) -> Figures:
    loads: list[float] = []
    took: list[list[float]] = [[] for _ in bares]
    rows: dict[str, list[Any]] = {}
    for _ in range(rounds):
        clear(address)
        with open_store(address, create=True) as store:
            gc.collect()
            loads.append(seconds(lambda store=store: store.load(NAMESPACE, found)))
            rows = rows or rows_of(store)
        for bare, times in zip(bares, took, strict=True):
            times.append(bare(rows))
    clear(address)
    with open_store(address, create=True) as store:
        store.load(NAMESPACE, found)
    rows.clear()
    gc.collect()
    gc.freeze()
    with open_store(address) as store:
        again = seconds(lambda: store.load(NAMESPACE, found))
    trace, traced = trace_of(address, found)
    return Figures(min(loads), [min(times) for times in took], again, trace, traced)


def rows_of(store: Store) -> dict[str, list[Any]]:
    with store.database.reading():
        return {table: store.database.rows(f"SELECT * FROM {table}") for table in TABLES}


def trace_of(address: str, found: Extraction) -> tuple[float, int]:
    """The median of many columns of the last tables, in a process that holds nothing but the
    question.
    """
    targets = [
        str(edge.target) for edge in found.edges[-20_000::1000] if isinstance(edge.target, Column)
    ]
    call = [sys.executable, __file__, TRACE, address, *targets]
    said = subprocess.run(call, check=True, capture_output=True, text=True).stdout.split()
    return float(said[0]), int(said[1])


def traces(address: str, targets: list[str]) -> tuple[float, int]:
    times, counts = [], []
    with open_store(address) as store:
        for name in targets:
            dataset, _, column = name.rpartition(".")
            target = Column(Dataset("", dataset), column)
            began = time.perf_counter()
            part = store.region(NAMESPACE, [target], up=HOPS)
            counts.append(len(upstream(Graph(part), [target], depth=HOPS)))
            times.append(time.perf_counter() - began)
    return sorted(times)[len(times) // 2], sorted(counts)[len(counts) // 2]


def seconds(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def clear(address: str) -> None:
    if "://" not in address:
        for ending in ("", "-wal", "-shm"):
            Path(address + ending).unlink(missing_ok=True)
        return
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("SET client_min_messages TO warning")
        connection.execute("DROP SCHEMA IF EXISTS lineal CASCADE")


def bare_sqlite(folder: Path) -> Callable[[dict[str, list[Any]]], float]:
    def load(rows: dict[str, list[Any]]) -> float:
        file = folder / "bare.db"
        file.unlink(missing_ok=True)
        connection = sqlite3.connect(file, isolation_level=None)
        for table, some in rows.items():
            connection.execute(
                f"CREATE TABLE {table} ({', '.join(f'c{number}' for number in range(len(some[0])))})"
            )
        gc.collect()

        def fill() -> None:
            connection.execute("BEGIN")
            for table, some in rows.items():
                connection.executemany(
                    f"INSERT INTO {table} VALUES ({', '.join('?' * len(some[0]))})", some
                )
            connection.execute("COMMIT")

        took = seconds(fill)
        connection.close()
        return took

    return load


def bare_postgres(address: str) -> Callable[[dict[str, list[Any]]], float]:
    import psycopg

    def load(rows: dict[str, list[Any]]) -> float:
        with psycopg.connect(address, autocommit=True) as connection:
            for table, some in rows.items():
                connection.execute(f"CREATE TABLE bare_{table} ({', '.join(kinds(some))})")
            gc.collect()

            def fill() -> None:
                with connection.transaction():
                    for table, some in rows.items():
                        copy_rows(connection, f"bare_{table}", some)

            took = seconds(fill)
            for table in rows:
                connection.execute(f"DROP TABLE bare_{table}")
        return took

    return load


def bare_into_store(address: str) -> Callable[[dict[str, list[Any]]], float]:
    import psycopg

    def load(rows: dict[str, list[Any]]) -> float:
        clear(address)
        with open_store(address, create=True):
            pass
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("SET search_path TO lineal")
            connection.execute(f"TRUNCATE {', '.join(rows)} CASCADE")
            indexes = connection.execute(INDEXES, [list(rows)]).fetchall()
            assert indexes
            gc.collect()

            def fill() -> None:
                with connection.transaction():
                    for name, _ in indexes:
                        connection.execute(f'DROP INDEX "{name}"')
                    for table, some in rows.items():
                        copy_rows(connection, table, some)
                    for _, statement in indexes:
                        connection.execute(statement)

            return seconds(fill)

    return load


INDEXES = """
    SELECT i.indexname, i.indexdef FROM pg_indexes AS i
    WHERE i.schemaname = 'lineal' AND i.tablename = ANY (%s)
      AND NOT EXISTS (SELECT FROM pg_constraint AS c WHERE c.conname = i.indexname)
"""


def copy_rows(connection: Any, table: str, rows: list[Any]) -> None:
    with connection.cursor().copy(f"COPY {table} FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def kinds(rows: list[Any]) -> list[str]:
    some = rows[:1000]
    return [
        f"c{number} {'TEXT' if any(isinstance(row[number], str) for row in some) else 'INTEGER'}"
        for number in range(len(rows[0]))
    ]


@contextmanager
def server() -> Iterator[str | None]:
    """A PostgreSQL server that is thrown away, with the settings that it comes with, if there is
    one.
    """
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "postgres"))
    import postgres_server

    if find_spec("psycopg") is None:
        yield None
        return
    import psycopg

    try:
        with postgres_server.address(settings=()) as conninfo:
            said = psycopg.conninfo.conninfo_to_dict(conninfo)
            yield "postgresql://?" + "&".join(f"{name}={value}" for name, value in said.items())
    except postgres_server.NoServer:
        yield None


def figures(edges: int = EDGES, rounds: int = ROUNDS) -> Iterator[tuple[str, Figures]]:
    found = lineage(edges)
    gc.freeze()
    with TemporaryDirectory() as place:
        folder = Path(place)
        yield "SQLite", measure(str(folder / "store.db"), found, [bare_sqlite(folder)], rounds)
    with server() as address:
        if address is not None:
            bares = [bare_postgres(address), bare_into_store(address)]
            yield "PostgreSQL", measure(address, found, bares, rounds)


if __name__ == "__main__" and sys.argv[1:2] == [TRACE]:
    print(*traces(sys.argv[2], sys.argv[3:]))
elif __name__ == "__main__":
    for name, made in figures(int(sys.argv[1]) if len(sys.argv) > 1 else EDGES):
        print(f"{name}: load {made.load:.2f} s, bare {made.bare} s: {made.speed:.2f} of its speed;"
              f" again {made.again:.2f} s; {HOPS} hops ({made.traced} edges) {made.trace * 1000:.1f} ms")  # fmt: skip
