"""A070: FROM stg_custmers, and neither a model nor a seed, source or table is called so."""

from __future__ import annotations

from collections.abc import Iterator

from lineal.model import names
from lineal.model.diagnostic import Code, Severity
from lineal.model.extraction import DatasetInfo
from lineal.model.finding import Found
from lineal.rules.rule import Rule, Subject

CATALOGUES = (
    "information_schema",
    "pg_catalog",
    "sys",
    "system",
    "snowflake",
    "duckdb_",
    "sqlite_",
)
"""The schemas that every engine has."""


MOST_COMPARED = 100_000
"""Pairs of names; beyond that nothing is suggested."""


def find(subject: Subject) -> Iterator[Found]:
    """Yield each name that nothing defines."""
    said = subject.diagnosed.get(Code.UNKNOWN_REFERENCE, [])
    for diagnostic in said:
        yield Found(diagnostic.message, diagnostic.place, diagnostic.advice)

    # else every table is one that somebody else fills
    if any(info.declared is not None for info in subject.infos):
        yield from _unknown_tables(
            subject, {diagnostic.place.file for diagnostic in said if diagnostic.place}
        )


def _unknown_tables(subject: Subject, said_in: set[str]) -> Iterator[Found]:
    """Yield each read of a table that is neither declared nor written."""
    written = {edge.into for edge in subject.graph.extraction.edges} | {
        read.target for read in subject.graph.reads
    }
    unknown = {info.dataset for info in subject.infos if _is_unknown(info)} - written
    known = [info.dataset.name for info in subject.infos if info.dataset not in unknown]
    cheap = len(unknown) * len(known) <= MOST_COMPARED
    meant = {dataset: names.closest(dataset.name, known) for dataset in unknown} if cheap else {}
    for read in subject.graph.reads:
        if (
            read.dataset in unknown
            and read.column is None
            and not (read.place and read.place.file in said_in)
        ):
            hint = f"Did you mean {meant[read.dataset]}?" if meant.get(read.dataset) else ""
            message = f"{read.target} reads {read.dataset}, which nothing defines or declares"
            yield Found(message, read.place, hint, read.dataset)


def _is_unknown(info: DatasetInfo) -> bool:
    """Tell whether nothing is known of a table but its name."""
    if (
        info.kind != "table"
        or info.declared is not None
        or info.produced is not None
        or info.complete
    ):
        return False

    parts = names.insensitive(info.dataset.name, False).split(".")
    return not any(part.startswith(CATALOGUES) for part in parts[:-1] or parts)


RULE = Rule(
    "A070",
    "unknown-reference",
    Severity.WARNING,
    "A statement reads a table that no model, seed, source, schema or CREATE TABLE of the project declares. If the"
    " project declares no tables at all, the rule reports nothing.",
    "Check the spelling, or declare the table as a source.",
    find,
)
