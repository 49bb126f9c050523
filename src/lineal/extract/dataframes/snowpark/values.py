"""Values of Snowpark programs: sessions, frames, groups, writers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.values import Grouped, Value


@dataclass(frozen=True)
class SnowSession:
    """snowflake.snowpark.Session"""


class SideSuffix(NamedTuple):
    """a.join(b, …, rsuffix="_b")      x_b is x of b, and x that of a"""

    text: str
    own: Relation
    other: Relation
    program: str
    """the text of the program, folded: where it names x_b, a has an x"""


@dataclass
class SnowFrame:
    """snowflake.snowpark.DataFrame, Table: a frame that never changes."""

    relation: Relation
    table: str = ""
    """the table that session.table names, which merge, update and delete change"""
    suffixes: tuple[SideSuffix, ...] = ()
    """of the joins before, whose sides have unknown columns"""


@dataclass
class SnowGroups:
    """df.group_by("a"), df.pivot("kind", ["x"])"""

    grouped: Grouped


@dataclass(frozen=True)
class SnowReader:
    """session.read.option(…).schema(…)"""

    parts: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class SnowWriter:
    """df.write.mode("append")"""

    frame: SnowFrame
    mode: Value = None


@dataclass(frozen=True)
class MergeClause:
    """when_matched(condition).update({…}), when_not_matched().insert({…})"""

    name: str
    condition: Value = None
    assigned: Value = None


@dataclass(frozen=True)
class Registry:
    """session.udf, session.sproc"""

    kind: str
