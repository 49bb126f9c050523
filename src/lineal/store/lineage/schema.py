"""The tables of a store, as a list of versions: an older store is brought up to date when something
is loaded.

    names    namespaces, datasets, columns, files, statements, ways     what has a number; never
             changes
    facts    edges, usages, dataset_infos, column_infos, …              true from a run to a run
    runs     one row per load that changed something

A fact is true from the run `from_run` until the run `to_run`, which is empty while it is true. A
dataset's rows are a column without a name: what decides them leads there, so that every edge goes
from a column to a column.
"""

from __future__ import annotations

from itertools import starmap
from typing import NamedTuple

VERSION = 2
READABLE = 1
"""Since this version the tables can be read as they are, but for later additions."""

ADDED = {("reads", "manner"): 2}
"""Columns that a table has since a version; in an older one they are empty."""


class Dialect(NamedTuple):
    """The parts of SQL that the two databases spell differently."""

    key: str
    """a table's number, by which its rows are found"""
    number: str
    """the number of an edge, of which there are many: looked up in ranges only"""
    usages: str
    """how the usages of an edge are found"""
    indexes: dict[str, tuple[str, str]]
    """in addition to those of INDEXES"""
    json: str
    """the function that makes an object of names and values"""
    time: str
    """a moment, from its text"""


SQLITE = Dialect(
    key="INTEGER PRIMARY KEY",
    number="INTEGER PRIMARY KEY",
    usages=", PRIMARY KEY (edge_id, position, from_run)) WITHOUT ROWID",
    indexes={},
    json="json_object",
    time="{}",
)
POSTGRES = Dialect(
    key="INTEGER PRIMARY KEY",
    number="INTEGER NOT NULL",
    usages=")",
    indexes={
        "columns_by_number": ("columns", "(id)"),
        "usages_of_edges": ("usages", "(edge_id)"),
        "edges_by_number": ("edges", "USING brin (id) WITH (pages_per_range = 16)"),
        "reads_by_number": ("reads", "USING brin (id) WITH (pages_per_range = 16)"),
    },
    json="json_build_object",
    time="CAST({} AS timestamptz)",
)

NAMES = """
CREATE TABLE counters (name TEXT PRIMARY KEY, next INTEGER NOT NULL);
CREATE TABLE namespaces (id {key}, name TEXT NOT NULL UNIQUE);
CREATE TABLE runs (
    id {key}, namespace_id INTEGER NOT NULL, at TEXT NOT NULL, lineal TEXT NOT NULL, source TEXT NOT NULL,
    coverage TEXT NOT NULL, layout TEXT);
CREATE TABLE datasets (
    id {key}, namespace_id INTEGER NOT NULL, space TEXT NOT NULL, name TEXT NOT NULL, label TEXT NOT NULL);
CREATE TABLE columns (id {number}, dataset_id INTEGER NOT NULL, name TEXT, path TEXT, label TEXT);
CREATE TABLE files (id {key}, namespace_id INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE statements (id {key}, dataset_id INTEGER NOT NULL, file_id INTEGER, number INTEGER NOT NULL);
CREATE TABLE ways (
    id {key}, how TEXT NOT NULL, clause TEXT NOT NULL, masked SMALLINT NOT NULL, windowed SMALLINT NOT NULL,
    level SMALLINT NOT NULL, doubt SMALLINT, ambiguous SMALLINT, evidence TEXT);
CREATE INDEX runs_of_namespace ON runs (namespace_id, id);
CREATE INDEX datasets_of_namespace ON datasets (namespace_id, label);
CREATE INDEX files_of_namespace ON files (namespace_id);
CREATE INDEX statements_of_dataset ON statements (dataset_id)
"""

PLACE = "file_id INTEGER, line INTEGER, col INTEGER"

FACTS = """
CREATE TABLE edges (
    id {number}, namespace_id INTEGER NOT NULL, source_id INTEGER NOT NULL, target_id INTEGER NOT NULL,
    statement_id INTEGER, from_run INTEGER NOT NULL, to_run INTEGER);
CREATE TABLE usages (
    edge_id INTEGER NOT NULL, position INTEGER NOT NULL, way_id INTEGER NOT NULL, {place},
    expression TEXT NOT NULL, calls TEXT, from_run INTEGER NOT NULL, to_run INTEGER{usages};
CREATE TABLE dataset_infos (
    id {key}, namespace_id INTEGER NOT NULL, dataset_id INTEGER NOT NULL, kind TEXT NOT NULL,
    complete SMALLINT NOT NULL, description TEXT NOT NULL, {place}, rest TEXT,
    from_run INTEGER NOT NULL, to_run INTEGER);
CREATE TABLE column_infos (
    id {key}, namespace_id INTEGER NOT NULL, dataset_id INTEGER NOT NULL, position INTEGER NOT NULL,
    name TEXT NOT NULL, type TEXT NOT NULL, description TEXT NOT NULL, classification TEXT NOT NULL, {place},
    quoted SMALLINT NOT NULL, own SMALLINT NOT NULL, from_run INTEGER NOT NULL, to_run INTEGER);
CREATE TABLE statement_infos (
    id {key}, namespace_id INTEGER NOT NULL, statement_id INTEGER NOT NULL, kind TEXT NOT NULL, {place},
    dialect TEXT NOT NULL, words TEXT NOT NULL, meaning TEXT NOT NULL, from_run INTEGER NOT NULL, to_run INTEGER);
CREATE TABLE reads (
    id {number}, namespace_id INTEGER NOT NULL, target_id INTEGER NOT NULL, dataset_id INTEGER NOT NULL,
    column_name TEXT, clause TEXT NOT NULL, {place}, from_run INTEGER NOT NULL, to_run INTEGER);
CREATE TABLE jobs (
    id {key}, namespace_id INTEGER NOT NULL, name TEXT NOT NULL, job TEXT NOT NULL, from_run INTEGER NOT NULL,
    to_run INTEGER);
CREATE TABLE diagnostics (
    id {key}, namespace_id INTEGER NOT NULL, code TEXT NOT NULL, severity TEXT NOT NULL, message TEXT NOT NULL,
    {place}, hint TEXT NOT NULL, from_run INTEGER NOT NULL, to_run INTEGER);
CREATE TABLE occurrences (
    id {key}, namespace_id INTEGER NOT NULL, name TEXT NOT NULL, {place}, runs INTEGER NOT NULL,
    first TEXT NOT NULL, last TEXT NOT NULL, users TEXT NOT NULL, databases TEXT NOT NULL, log_id TEXT NOT NULL,
    from_run INTEGER NOT NULL, to_run INTEGER)
"""

VIEW = """
CREATE VIEW columns_lineage AS
SELECT namespace, source_object, source_column, target_object, target_column,
    CASE strength WHEN 3 THEN 'window_function' WHEN 2 THEN 'aggregation' WHEN 1 THEN 'expression' ELSE 'direct' END
        AS transformation_type,
    CAST(round(CASE WHEN level = 4 THEN 1.0 ELSE
        CASE WHEN direct = 0 THEN 0.75 WHEN strength = 3 THEN 0.85 WHEN strength = 2 THEN 0.9
            WHEN strength = 1 THEN 0.8 ELSE 0.95 END
        * CASE level WHEN 3 THEN 1.0 WHEN 2 THEN 0.8 WHEN 1 THEN 0.5 ELSE 0.25 END END, 4)
        AS DOUBLE PRECISION) AS confidence,
    CASE WHEN level = 4 THEN 'engine_plan' WHEN programs = 1 THEN 'pyspark_source' ELSE 'sql_parsing' END
        AS extracted_from,
    {json}('parser', 'lineal', 'statements', statements, 'usages', usages, 'file', file, 'line', line) AS metadata,
    {time_of_from} AS valid_from
FROM (
    SELECT spaces.name AS namespace,
        origins.label AS source_object, coalesce(sources.label, sources.name) AS source_column,
        goals.label AS target_object, coalesce(targets.label, targets.name) AS target_column,
        max(CASE WHEN ways.windowed = 1 THEN 3 WHEN ways.how = 'AGGREGATION' THEN 2 WHEN ways.how = 'IDENTITY' THEN 0
            ELSE 1 END) AS strength,
        max(CASE WHEN ways.how IN ('IDENTITY', 'TRANSFORMATION', 'AGGREGATION') THEN 1 ELSE 0 END) AS direct,
        min(coalesce(ways.doubt, ways.level)) AS level,
        max(CASE WHEN statement_infos.kind = 'python' THEN 1 ELSE 0 END) AS programs,
        count(DISTINCT edges.id) AS statements, count(*) AS usages, min(files.name) AS file, min(usages.line) AS line,
        min(runs.at) AS came
    FROM edges
    JOIN columns sources ON sources.id = edges.source_id
    JOIN datasets origins ON origins.id = sources.dataset_id
    JOIN columns targets ON targets.id = edges.target_id
    JOIN datasets goals ON goals.id = targets.dataset_id
    JOIN namespaces spaces ON spaces.id = goals.namespace_id
    JOIN runs ON runs.id = edges.from_run
    JOIN usages ON usages.edge_id = edges.id AND usages.to_run IS NULL
    JOIN ways ON ways.id = usages.way_id
    LEFT JOIN files ON files.id = usages.file_id
    LEFT JOIN statement_infos ON statement_infos.statement_id = edges.statement_id AND statement_infos.to_run IS NULL
    WHERE edges.to_run IS NULL AND targets.name IS NOT NULL
    GROUP BY spaces.name, origins.label, coalesce(sources.label, sources.name), goals.label,
        coalesce(targets.label, targets.name)
) AS pairs
"""

INDEXES = {
    "columns_by_name": ("columns", "(dataset_id, name)"),
    "edges_into": ("edges", "(target_id)"),
    "edges_out_of": ("edges", "(source_id)"),
    "infos_of_columns": ("column_infos", "(dataset_id, name)"),
    "infos_of_datasets": ("dataset_infos", "(dataset_id)"),
    "infos_of_statements": ("statement_infos", "(statement_id)"),
}
"""The indexes that traces and views use: name → table and columns."""


ROOTED = """
UPDATE files SET name = substr(name, length(root) + 2)
FROM (
    SELECT namespace_id, CASE WHEN substr(source, 1, 2) = './' THEN substr(source, 3) ELSE source END AS root
    FROM (SELECT namespace_id, rtrim(source, '/') AS source FROM runs
          WHERE id IN (SELECT max(id) FROM runs GROUP BY namespace_id)) AS lasts
) AS loaded
WHERE loaded.namespace_id = files.namespace_id AND root <> '' AND substr(name, 1, length(root) + 1) = root || '/'
    AND NOT EXISTS (
        SELECT 1 FROM files AS others
        WHERE others.namespace_id = files.namespace_id AND others.name = substr(files.name, length(root) + 2))
"""
"""Version 2 names files from the root of their project: without the path that they were loaded
from.
"""


def migration(dialect: Dialect, version: int) -> list[str]:
    """The statements that bring a store from the version before to this one."""
    if version == 2:
        return [ROOTED.strip(), "ALTER TABLE reads ADD COLUMN manner SMALLINT"]

    if version != 1:
        raise ValueError(f"there is no version {version}")

    spelt = {**dialect._asdict(), "place": PLACE, "time_of_from": dialect.time.format("came")}
    made = [each.format(**spelt) for part in (NAMES, FACTS, VIEW) for each in part.split(";\n")]
    return [
        *(each.strip() for each in made),
        *starmap(creation, indexes(dialect).items()),
    ]


def selected_columns(table: str, columns: tuple[str, ...], version: int) -> str:
    """The columns of a table for SELECT, in a store of some version."""
    return ", ".join(name if ADDED.get((table, name), 1) <= version else "NULL" for name in columns)


def indexes(dialect: Dialect) -> dict[str, tuple[str, str]]:
    """Return the indexes of a dialect: table and columns by name."""
    return {**INDEXES, **dialect.indexes}


def creation(name: str, on: tuple[str, str]) -> str:
    """Return the statement that creates an index."""
    table, columns = on
    return f"CREATE INDEX {name} ON {table} {columns}"
