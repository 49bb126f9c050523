"""Datasets of connectors, named by the options of a reader or writer: JDBC, Cassandra, MongoDB, …"""

from __future__ import annotations

from collections.abc import Mapping

from lineal.extract.pyspark.knowledge import is_text
from lineal.extract.pyspark.values import Value

TABLES = ("dbtable", "query", "table", "collection", "es.resource")
"""Options that name a table or hold a query, the first that is given."""

HOMES = (("sfdatabase", "sfschema"), ("keyspace",), ("database",))
"""Options that say where the table is: Snowflake, Cassandra, MongoDB."""


def connector_name(options: Mapping[str, Value]) -> Value:
    """option("keyspace", "shop").option("table", "orders")      Return shop.orders, else None."""
    option = next((each for each in TABLES if options.get(each) is not None), None)
    if option is None:
        return None

    table = options[option]
    if option == "query" or not is_text(table) or "." in table or "(" in table:
        return table

    for parts in HOMES:
        home = [options[part] for part in parts if is_text(options.get(part))]
        if home:
            return ".".join([*home, table])

    return table
