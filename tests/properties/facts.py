"""What a text says, in values that can be compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from generators.queries import SHOP, SPARK_TYPES
from generators.scope import Columns, Schema
from lineal.incremental.extraction import extract
from lineal.model.edge import Dataset, Edge
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.script import Corpus, Script
from lineal.model.way import Confidence, Way

RESULT = "result"


class Usage(NamedTuple):
    """How a usage is made, without its place."""

    way: Way
    transform: str
    level: Confidence


Facts = dict[tuple[str, str], frozenset[Usage]]
"""(source, target) → usages; a target is a column, or `=> dataset` for what decides its rows."""


def lineage_of(
    *texts: str, schema: Schema = SHOP, only: Collection[str] | None = None
) -> Extraction:
    """The extraction of texts, each a file of its own, over (some tables of) the schema."""
    known = [declared(table, schema[table]) for table in schema if only is None or table in only]
    named = [(f"{RESULT}{number or ''}", text) for number, text in enumerate(texts)]
    scripts = [Script(text, "spark", file=f"{name}.sql", target=name) for name, text in named]
    return extract(Corpus("spark", scripts, known))


def declared(table: str, columns: Columns) -> DatasetInfo:
    infos = [ColumnInfo(name, SPARK_TYPES[kind]) for name, kind in columns.items()]
    return DatasetInfo(Dataset("", table), "table", infos, complete=True)


def facts(extraction: Extraction) -> Facts:
    return {(str(edge.source), target(edge)): usages(edge) for edge in extraction.edges}


def target(edge: Edge) -> str:
    return str(edge.target) if edge.field_level else f"=> {edge.target}"


def usages(edge: Edge) -> frozenset[Usage]:
    return frozenset(Usage(usage.way, usage.transform, usage.level) for usage in edge.usages)


def columns(found: Facts) -> Facts:
    return {pair: usages for pair, usages in found.items() if not pair[1].startswith("=>")}


def rows(found: Facts) -> Facts:
    return {pair: usages for pair, usages in found.items() if pair[1].startswith("=>")}


def ways(found: Facts) -> Mapping[tuple[str, str], frozenset[Way]]:
    return {pair: frozenset(usage.way for usage in usages) for pair, usages in found.items()}


def problems(extraction: Extraction) -> list[str]:
    return sorted(str(diagnostic) for diagnostic in extraction.diagnostics)


def kinds_of_problem(extraction: Extraction) -> list[tuple[str, str]]:
    """Diagnostics without their places."""
    return sorted(
        (diagnostic.code.code, diagnostic.message) for diagnostic in extraction.diagnostics
    )


MADE_UP = re.compile(r"\b([twc])(\d+)\b")


def renamed(text: str, rename: Callable[[str, int], str]) -> str:
    """The text with other names for the aliases of tables, CTEs and inner columns."""
    return MADE_UP.sub(lambda found: rename(found[1], int(found[2])), text)
