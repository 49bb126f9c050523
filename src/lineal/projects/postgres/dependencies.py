"""The columns that each view reads according to pg_depend, compared with lineal's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.edge import Read
from lineal.model.extraction import DatasetInfo
from lineal.projects.postgres.server import Session

READS = """
SELECT /* lineal */ DISTINCT vn.nspname || '.' || v.relname, rn.nspname || '.' || r.relname, a.attname
FROM pg_catalog.pg_rewrite w
JOIN pg_catalog.pg_class v ON v.oid = w.ev_class
JOIN pg_catalog.pg_namespace vn ON vn.oid = v.relnamespace
JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND d.objid = w.oid
JOIN pg_catalog.pg_class r ON d.refclassid = 'pg_catalog.pg_class'::regclass AND r.oid = d.refobjid
JOIN pg_catalog.pg_namespace rn ON rn.oid = r.relnamespace
LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid AND a.attnum = d.refobjsubid
WHERE w.rulename = '_RETURN' AND v.relkind IN ('v', 'm') AND r.relkind IN ('r', 'p', 'f', 'S', 'v', 'm')
    AND r.oid <> v.oid AND d.refobjsubid >= 0
"""
"""A relation without any column that is named has a row of its own, without a column; so has one
whose rows are taken
whole. Columns of the server's own (ctid) do not count."""

ROW_TYPES = """
SELECT /* lineal */ DISTINCT vn.nspname || '.' || v.relname, tn.nspname || '.' || tr.relname
FROM pg_catalog.pg_rewrite w
JOIN pg_catalog.pg_class v ON v.oid = w.ev_class
JOIN pg_catalog.pg_namespace vn ON vn.oid = v.relnamespace
JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND d.objid = w.oid
LEFT JOIN pg_catalog.pg_proc p ON d.refclassid = 'pg_catalog.pg_proc'::regclass AND p.oid = d.refobjid
LEFT JOIN pg_catalog.pg_attribute a
    ON d.refclassid = 'pg_catalog.pg_class'::regclass AND a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
LEFT JOIN pg_catalog.pg_type own ON d.refclassid = 'pg_catalog.pg_type'::regclass AND own.oid = d.refobjid
JOIN pg_catalog.pg_type t ON t.oid = coalesce(p.prorettype, a.atttypid, own.oid)
JOIN pg_catalog.pg_type e ON e.oid = CASE WHEN t.typelem <> 0 AND t.typcategory = 'A' THEN t.typelem ELSE t.oid END
JOIN pg_catalog.pg_class tr ON tr.oid = e.typrelid
JOIN pg_catalog.pg_namespace tn ON tn.oid = tr.relnamespace
"""
"""FROM friends(3) f, where friends() RETURNS SETOF customers: f.name is recorded as customers.name,
though nothing is
read from customers."""


class Recorded(NamedTuple):
    """The entries of pg_depend for the views of a database."""

    reads: dict[str, set[tuple[str, str | None]]]
    """view → (relation, column), or (relation, None)"""
    row_types: set[tuple[str, str]]
    """(view, relation): a field of the relation's row type may be recorded as if it were a column
    that is read
    """


def read_dependencies(session: Session) -> Recorded:
    """Return what the server has recorded about the reads of views."""
    reads: dict[str, set[tuple[str, str | None]]] = {}
    for view, relation, column in session.rows(READS):
        reads.setdefault(view, set()).add((relation, column))

    return Recorded(reads, {(view, relation) for view, relation in session.rows(ROW_TYPES)})


def disagreements(
    found: Iterable[Read], server: Recorded, views: dict[str, str], datasets: Iterable[DatasetInfo]
) -> Iterator[Diagnostic]:
    """Every column that only the text or only the server names in a view; `views` are their
    queries, by name.
    """
    relations = {info.dataset.name: set(info.names) for info in datasets if info.kind != "type"}
    ours: dict[str, set[tuple[str, str | None]]] = {}
    for read in found:
        if read.dataset.name in relations:
            ours.setdefault(read.target.name, set()).add((read.dataset.name, read.column))

    for view, query in views.items():
        mine, theirs = ours.get(view, set()), server.reads.get(view, set())
        for relation, column in sorted(mine - theirs, key=str):
            if not is_unrecorded(relation, column, mine, theirs, query, relations):
                yield disagreement(view, relation, column, "text")

        for relation, column in sorted(theirs - mine, key=str):
            named_only = column is None and ((relation, None) in mine or "::regclass" in query)
            if not named_only and (view, relation) not in server.row_types:
                yield disagreement(view, relation, column, "pg_depend")


def is_unrecorded(
    relation: str,
    column: str | None,
    mine: set[tuple[str, str | None]],
    theirs: set[tuple[str, str | None]],
    query: str,
    relations: dict[str, set[str]],
) -> bool:
    """Whether the server does not record such a read: of its own tables, of whole rows (t.*), of a
    bare name in FROM where columns are recorded.
    """
    if relation.startswith("pg_catalog."):
        return True

    known = any(other == relation for other, _ in theirs)
    if column is None:
        return known

    return known and ".*" in query and all((relation, name) in mine for name in relations[relation])


def disagreement(view: str, relation: str, column: str | None, only_in: str) -> Diagnostic:
    """Return the diagnostic of a read that only one side knows."""
    what = relation if column is None else f"{relation}.{column}"
    return Diagnostic(Code.ENGINES_DISAGREE, f"{view} reads {what}  (only in {only_in})")
