"""Ways to write tables of a format, each with a statement that does the same: capture gives that
statement's edges.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from changes import assert_gives, edges_of

from lineal.spark.pipeline.settings import settings


@dataclass(frozen=True)
class Shop:
    """A schema with two tables, and a folder for what a test makes."""

    spark: Any
    tables: str
    folder: Path
    names: Mapping[str, object] = field(default_factory=dict)
    """what texts may name in braces, next to the folder"""

    def told(self, text: str) -> str:
        return text.format(folder=self.folder, **self.names)

    def sql(self, text: str) -> Any:
        return self.spark.sql(self.told(text))

    @property
    def seen(self) -> Any:
        return self.spark.table(f"{self.tables}.seen")


class Written(NamedTuple):
    """A way to write, and a statement that does the same."""

    run: Callable[[Any], Any]
    same_as: str = ""
    """nothing for what leaves no lineage"""
    over: str = ""
    """the tables that it is written over, next to the two"""


def statement(text: str, same_as: str = "", over: str = "") -> Written:
    return Written(lambda shop: shop.sql(text), same_as or text, over)


def without_lineage(text: str) -> Written:
    return Written(lambda shop: shop.sql(text))


def assert_captured(shop: Shop, written: Written) -> None:
    expected = edges_of(shop.told(written.over + written.same_as), shop.tables)
    assert_gives(shop.spark, lambda: written.run(shop), expected)


def overwriting(shop: Shop, name: str) -> Any:
    """INSERT OVERWRITE replaces the partitions that are written, where the way's name says dynamic,
    else all.
    """
    mode = "dynamic" if "dynamic" in name else "static"
    return settings(shop.spark, {"spark.sql.sources.partitionOverwriteMode": mode})


def flow(shop: Shop, stream: Any, **start: Any) -> None:
    """A stream that takes all that is there, and ends."""
    started = stream.option("checkpointLocation", f"{shop.folder}/progress").trigger(
        availableNow=True
    )
    query = started.toTable(start["table"]) if "table" in start else started.start(**start)
    query.awaitTermination()
