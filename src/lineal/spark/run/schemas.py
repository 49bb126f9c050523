"""Schemas: the columns of tables as Spark knows them, asked for once."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import Any

from lineal.spark.names import quote_name
from lineal.spark.run.jobs import key_of


class Schemas:
    """The columns and types of tables, until they are rebuilt."""

    def __init__(self, spark: Any) -> None:
        self.spark = spark
        self.known: dict[str, Mapping[str, str]] = {}
        self.lock = Lock()

    def columns(self, table: str) -> Mapping[str, str]:
        """The columns of a table and their types; none if Spark does not know it."""
        key = key_of(table)
        with self.lock:
            if key in self.known:
                return self.known[key]

        try:
            found = dict(self.spark.table(quote_name(table)).dtypes)
        except Exception:  # it is not there, or cannot be read: then nothing is known of it
            found = {}

        with self.lock:
            self.known[key] = found

        return found

    def forget(self, table: str) -> None:
        """It has been rebuilt."""
        with self.lock:
            self.known.pop(key_of(table), None)


def reads(spark: Any, sql: str) -> bool:
    """Tell whether Spark's grammar takes a statement; what it means is another question."""
    try:
        spark._jsparkSession.sessionState().sqlParser().parsePlan(sql)
    except Exception:
        return False

    return True
