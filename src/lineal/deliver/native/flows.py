"""A run event as catalogs with an interface of their own see it: tables, and pairs of their columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from lineal.deliver.failures import Event
from lineal.model.consumers import CONSUMERS
from lineal.model.grouping import group

STAR = "*"
"""The field of an edge whose columns are not known: it counts for the tables only."""


class Table(NamedTuple):
    """A dataset as an event names it."""

    namespace: str
    name: str

    @property
    def scheme(self) -> str:
        """Return the kind of system: `snowflake` of snowflake://account, `bigquery` of itself."""
        return self.namespace.partition("://")[0]

    @property
    def authority(self) -> str:
        """Return the server: `account` of snowflake://account."""
        return self.namespace.partition("://")[2]


class ColumnPair(NamedTuple):
    """A column, a column that is made of it, and how."""

    source: str
    target: str
    text: str


class Pair(NamedTuple):
    """A table, a table that is made of it, and their columns."""

    source: Table
    target: Table
    columns: list[ColumnPair]


class Flow(NamedTuple):
    """The inputs, outputs and column lineage of one job."""

    job: str
    sql: str
    pairs: list[Pair]
    columns: dict[Table, list[str]]
    """the columns of each table that are known"""

    def of_target(self) -> dict[Table, list[Pair]]:
        """Return the pairs by the table that is made."""
        return group(self.pairs, lambda pair: pair.target)


def flow_of(event: Event) -> Flow:
    """Return the pairs of tables of an event; tests, metrics and other consumers are left out."""
    inputs = {table_of(each): each for each in event.get("inputs", ()) if is_table(each)}
    outputs = {table_of(each): each for each in event.get("outputs", ()) if is_table(each)}
    pairs: dict[tuple[Table, Table], list[ColumnPair]] = {}
    for target, output in outputs.items():
        for source in inputs:
            if source != target:
                pairs[source, target] = []

        for source, columns in _column_pairs(output):
            is_known = (source, target) in pairs or (source == target and source in inputs)
            if is_known:
                pairs.setdefault((source, target), []).append(columns)

    told = event["job"].get("facets", {})
    return Flow(
        f"{event['job']['namespace']}/{event['job']['name']}",
        told.get("sql", {}).get("query", ""),
        [Pair(*ends, columns) for ends, columns in pairs.items()],
        {table: list(_columns(each)) for table, each in (inputs | outputs).items()},
    )


def table_of(dataset: Event) -> Table:
    """Return the name of a dataset."""
    return Table(dataset["namespace"], dataset["name"])


def is_table(dataset: Event) -> bool:
    """Tell whether a catalog can hold a dataset: tests, metrics and exposures are none of its tables."""
    kind = dataset.get("facets", {}).get("datasetType", {}).get("datasetType", "")
    return kind.lower() not in CONSUMERS


def _columns(dataset: Event) -> Iterator[str]:
    """Yield the names of the columns in the schema facet of a dataset."""
    for each in dataset.get("facets", {}).get("schema", {}).get("fields", ()):
        yield each["name"]


def _column_pairs(output: Event) -> Iterator[tuple[Table, ColumnPair]]:
    """Yield what each column of an output is made of."""
    fields = output.get("facets", {}).get("columnLineage", {}).get("fields", {})
    for name, made in fields.items():
        for source in made["inputFields"]:
            if STAR not in (name, source["field"]):
                text = transform_text(source)
                yield table_of(source), ColumnPair(source["field"], name, text)


def transform_text(source: dict[str, Any]) -> str:
    """Return the expressions that use a column, or how it is used where no expression is told."""
    told = source.get("transformations", ())
    texts = [each["description"] for each in told if each.get("description")]
    kinds = [f"{each['type']}:{each['subtype']}" for each in told if each.get("subtype")]
    return "; ".join(dict.fromkeys(texts or kinds))
