"""The catalog of a server: relations with columns, queries of views, functions, composite types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from lineal.model.addresses import redact_address
from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.script import Meaning, Script
from lineal.projects.errors import ProjectError
from lineal.projects.postgres.server import Session

DIALECT = "postgres"

KINDS = {
    "r": "table",
    "p": "table",
    "f": "table",
    "S": "table",
    "v": "view",
    "m": "view",
    "c": "type",
}
"""Partitions, foreign tables and sequences are tables; a composite type has columns, too."""

SYSTEM = ("pg_catalog", "information_schema")

RELATIONS = """
SELECT /* lineal */ c.oid, n.nspname, c.relname, c.relkind::text, c.relpersistence = 't',
       pg_catalog.obj_description(c.oid, 'pg_class'), e.objid IS NOT NULL OR c.relkind = 'S',
       CASE WHEN c.relkind IN ('v', 'm') THEN pg_catalog.pg_get_viewdef(c.oid) END
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_depend e
    ON e.classid = 'pg_catalog.pg_class'::regclass AND e.objid = c.oid AND e.objsubid = 0 AND e.deptype = 'e'
WHERE c.relkind IN ('r', 'p', 'f', 'S', 'v', 'm', 'c') AND n.nspname !~ '^pg_toast|^pg_temp'
    AND n.nspname <> ALL (%s)
ORDER BY n.nspname, c.relname
"""

SYSTEM_RELATIONS = """
SELECT /* lineal */ c.oid, n.nspname, c.relname, c.relkind::text, false, NULL, true, NULL
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v') AND n.nspname = ANY (%s) AND c.relname = ANY (%s)
ORDER BY n.nspname, c.relname
"""

COLUMNS = """
SELECT /* lineal */ a.attrelid, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), d.description
FROM pg_catalog.pg_attribute a
LEFT JOIN pg_catalog.pg_description d
    ON d.classoid = 'pg_catalog.pg_class'::regclass AND d.objoid = a.attrelid AND d.objsubid = a.attnum
WHERE a.attrelid = ANY (%s) AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attrelid, a.attnum
"""

FUNCTIONS = """
SELECT /* lineal */ n.nspname, p.proname, p.prokind::text, l.lanname,
       CASE WHEN p.prokind IN ('f', 'p') AND l.lanname IN ('sql', 'plpgsql')
                 AND p.prorettype NOT IN ('pg_catalog.trigger'::regtype, 'pg_catalog.event_trigger'::regtype)
            THEN pg_catalog.pg_get_functiondef(p.oid) END
FROM pg_catalog.pg_proc p
JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
JOIN pg_catalog.pg_language l ON l.oid = p.prolang
LEFT JOIN pg_catalog.pg_depend e
    ON e.classid = 'pg_catalog.pg_proc'::regclass AND e.objid = p.oid AND e.deptype = 'e'
WHERE n.nspname !~ '^pg_toast|^pg_temp' AND n.nspname <> ALL (%s) AND e.objid IS NULL
ORDER BY n.nspname, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)
"""

Parts = tuple[str, str]
"""schema and name"""


class Relation(NamedTuple):
    """A row of pg_class."""

    oid: int
    schema: str
    name: str
    kind: str
    temporary: bool
    description: str | None
    foreign: bool
    """it belongs to the server or to an extension, or is a sequence: only of interest where
    somebody reads it
    """
    query: str | None

    @property
    def dataset(self) -> str:
        """Return the name of the relation with its schema."""
        return f"{self.schema}.{self.name}"


class Catalog(NamedTuple):
    """All that is known of a database."""

    database: str
    path: tuple[str, ...]
    datasets: list[DatasetInfo]
    views: list[tuple[Parts, Script]]
    functions: list[tuple[Parts, Script]]
    meanings: list[Meaning]
    plain_views: frozenset[str]
    """those that hold no rows of their own"""

    @property
    def scripts(self) -> list[tuple[Parts, Script]]:
        """Return the scripts of views and functions."""
        return [*self.views, *self.functions]


def read_catalog(
    session: Session, texts: Iterable[str] = (), schemas: tuple[str, ...] = ()
) -> Catalog:
    """The catalog, with the views and functions of these schemas, or of all.

    Of the server's own relations only those are listed that a view, a function or one of the texts
    names.
    """
    relations = [Relation(*row) for row in session.rows(RELATIONS, (list(SYSTEM),))]
    functions = session.rows(FUNCTIONS, (list(SYSTEM),))
    if schemas:
        known = {each.schema for each in relations} | {function[0] for function in functions}
        check(schemas, known, session)
        relations = [
            each if each.schema in schemas else each._replace(query=None) for each in relations
        ]
        functions = [each for each in functions if each[0] in schemas]

    named = words(
        *(each.query for each in relations), *(function[-1] for function in functions), *texts
    )
    relations = [each for each in relations if not each.foreign or each.name in named]
    relations += [
        Relation(*row) for row in session.rows(SYSTEM_RELATIONS, (list(SYSTEM), sorted(named)))
    ]
    columns = columns_by_relation(session, relations)
    return Catalog(
        session.database,
        session.path,
        [dataset(each, columns.get(each.oid, [])) for each in relations],
        list(views(relations, session.database)),
        list(routines(functions, session.database)),
        aggregates(functions, named),
        frozenset(each.dataset for each in relations if each.kind == "v"),
    )


def check(schemas: tuple[str, ...], known: set[str], session: Session) -> None:
    """Raise if a schema has nothing."""
    for schema in schemas:
        if schema not in known:
            there = f"there are {', '.join(sorted(known))}" if known else "there are none"
            raise ProjectError(
                f"{redact_address(session.address)} has nothing in a schema {schema}: {there}"
            )


def words(*texts: str | None) -> set[str]:
    """Return every word of the texts that may be a name."""
    found: set[str] = set()
    for text in texts:
        found.update(re.findall(r"\w+", text or ""))

    return found


def columns_by_relation(session: Session, relations: list[Relation]) -> dict[int, list[ColumnInfo]]:
    """Return the columns of each relation."""
    found: dict[int, list[ColumnInfo]] = {}
    for oid, name, type_, description in session.rows(COLUMNS, ([each.oid for each in relations],)):
        found.setdefault(oid, []).append(ColumnInfo(name, type_, description or "", quoted=True))

    return found


def dataset(relation: Relation, columns: list[ColumnInfo]) -> DatasetInfo:
    """Return a relation of the catalog: its columns are complete, its names exact; a table may have
    no column.
    """
    named = Dataset("", relation.dataset)
    return DatasetInfo(
        named, KINDS[relation.kind], columns, True, relation.description or "", exact=True
    )


def views(relations: list[Relation], database: str) -> Iterator[tuple[Parts, Script]]:
    """CREATE VIEW … AS what the server has stored: no star is in it, and every name has its schema."""
    for each in relations:
        if each.query and not each.foreign:
            head = f"CREATE VIEW {quote_name(each.schema)}.{quote_name(each.name)} AS"
            text = f"{head}\n{each.query}"
            yield (
                (each.schema, each.name),
                Script(text, DIALECT, f"{database}/{each.dataset}", line=0),
            )


def routines(functions: list[tuple[Any, ...]], database: str) -> Iterator[tuple[Parts, Script]]:
    """CREATE FUNCTION …

    those whose bodies are SQL or PL/pgSQL; what the others do is not known
    """
    for schema, name, _, _, definition in functions:
        if definition:
            yield (schema, name), Script(definition, DIALECT, f"{database}/{schema}.{name}")


def aggregates(functions: list[tuple[Any, ...]], named: set[str]) -> list[Meaning]:
    """CREATE AGGREGATE …"""
    return [
        Meaning(name, aggregates=True)
        for name in sorted({f[1] for f in functions if f[2] == "a"} & named)
    ]


def quote_name(name: str) -> str:
    """Return a name in PostgreSQL's quotes."""
    return '"' + name.replace('"', '""') + '"'
