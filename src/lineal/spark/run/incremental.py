"""How new rows get into a table that is there: the strategies of incremental models.

append              they are added
replace             the old rows with the same unique_key go; null is a key like any other
delete+insert       the same, as dbt does it: null is no key
merge               matching rows are updated, in all columns or in some; the others are added
insert_overwrite    the old rows of the same partitions go; without partitions all of them
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lineal.spark.names import column
from lineal.spark.run.columns import columns_by_key, types_by_key
from lineal.spark.run.jobs import Job, key_of
from lineal.spark.run.result import Fault, Refused

APPEND, REPLACE, DELETE_INSERT, MERGE, OVERWRITE = (
    "append",
    "replace",
    "delete+insert",
    "merge",
    "insert_overwrite",
)
STRATEGIES = (APPEND, DELETE_INSERT, MERGE, OVERWRITE)
SCHEMA_CHANGES = ("ignore", "fail", "append_new_columns", "sync_all_columns")
OLD, NEW = "DBT_INTERNAL_DEST", "DBT_INTERNAL_SOURCE"
"""The names of the two sides in predicates."""

KEY = "__lineal_key_"
TRUNCATED = ("hour", "day", "month", "year")


@dataclass(frozen=True)
class Growth:
    """How an incremental model grows."""

    strategy: str = APPEND
    keys: tuple[str, ...] = ()
    """Columns, or expressions over them."""
    updated: tuple[str, ...] = ()
    """The columns that a merge updates; all of them if there are none."""
    left: tuple[str, ...] = ()
    """The columns that a merge leaves as they are."""
    predicates: tuple[str, ...] = ()
    on_schema_change: str = ""
    """How columns are treated that the table does not have; none is let through where this says
    nothing.
    """

    @property
    def appends(self) -> bool:
        """Tell whether new rows are only added."""
        return self.strategy == APPEND or (not self.keys and self.strategy != OVERWRITE)

    def grown(self, old: Any, fresh: Any) -> Any:
        """The rows of the table from now on. The new ones come first: the session of a Python model
        makes them.
        """
        if self.appends:
            return fresh.unionByName(old)

        if self.strategy == OVERWRITE:
            if self.keys:
                return fresh.unionByName(rows_to_keep(old, fresh, self, null_safe=True))

            return fresh

        if self.strategy == MERGE and (self.updated or self.left):
            return merge_rows(old, fresh, self)

        return fresh.unionByName(rows_to_keep(old, fresh, self, null_safe=self.strategy == REPLACE))

    def check_rows(self, fresh: Any) -> None:
        """Refused if a merge cannot tell which of two new rows is meant."""
        if self.strategy != MERGE or not self.keys:
            return

        names = [f"{KEY}{at}" for at in range(len(self.keys))]
        known = " AND ".join(f"{name} IS NOT NULL" for name in names)
        twice = (
            add_keys(fresh, self.keys)
            .where(known)
            .groupBy(*names)
            .count()
            .where("count > 1")
            .limit(1)
            .collect()
        )
        if twice:
            *values, times = twice[0]
            shown = ", ".join(map(str, values))
            raise Refused(
                Fault(
                    f"merge: {times} new rows have the unique_key {shown}, so that it is not clear which"
                )
            )


def growth_of(job: Job, translate: Callable[[str], str]) -> Growth:
    """Return how a model grows by its settings; Refused if a setting is unknown. Expressions are
    translated.
    """
    settings = job.step.settings
    keys = tuple(map(translate, as_names(settings.get("unique_key"))))
    if "incremental_strategy" not in settings:
        return Growth(REPLACE, keys)

    strategy = str(settings["incremental_strategy"]).lower().replace("delete_insert", DELETE_INSERT)
    if strategy not in STRATEGIES:
        known = ", ".join(STRATEGIES)
        raise Refused(
            Fault(f"incremental_strategy: {strategy} is not known: choose {known}", job.step.place)
        )

    change = str(settings.get("on_schema_change") or "ignore")
    if change not in SCHEMA_CHANGES:
        known = ", ".join(SCHEMA_CHANGES)
        raise Refused(
            Fault(f"on_schema_change: {change} is not known: choose {known}", job.step.place)
        )

    return Growth(
        strategy,
        tuple(map(translate, partitions(settings.get("partition_by"))))
        if strategy == OVERWRITE
        else keys,
        as_names(settings.get("merge_update_columns")),
        as_names(settings.get("merge_exclude_columns")),
        tuple(
            map(
                translate,
                as_names(settings.get("incremental_predicates") or settings.get("predicates")),
            )
        ),
        change,
    )


def as_names(value: object) -> tuple[str, ...]:
    """id, [a, b]      as they are written"""
    if isinstance(value, (list, tuple)):
        return tuple(map(str, value))

    if value:
        return (str(value),)

    return ()


def partitions(value: object) -> tuple[str, ...]:
    """day, [a, b], {field: at, data_type: timestamp, granularity: day}"""
    if isinstance(value, Mapping):
        field, unit = str(value.get("field", "")), str(value.get("granularity") or "day").lower()
        timed = str(value.get("data_type") or "date").lower() in ("date", "datetime", "timestamp")
        if not field:
            return ()

        if timed and unit in TRUNCATED:
            return (f"date_trunc('{unit}', {field})",)

        return (field,)

    return as_names(value)


# -- columns ---------------------------------------------------------------------------------------


def align_columns(frame: Any, old: Any, on_schema_change: str = "") -> tuple[Any, Any]:
    """The new rows and the old ones with the columns that the table is to have, in its order and
    types.
    """
    ours, theirs = (
        columns_by_key(old),
        columns_by_key(frame),
    )
    added = [theirs[key] for key in theirs if key not in ours]
    gone = [ours[key] for key in ours if key not in theirs]
    refused = (
        bool(added or gone)
        if on_schema_change in ("", "fail")
        else bool(gone) and on_schema_change == "ignore"
    )
    if refused:
        changes = [f"+{name}" for name in sorted(added)] + [f"-{name}" for name in sorted(gone)]
        raise Refused(
            Fault(
                f"its columns have changed ({', '.join(changes)}): rebuild it with --full-refresh"
            )
        )

    if on_schema_change == "sync_all_columns":
        old = old.drop(*map(column, gone))
        gone = []

    if on_schema_change in ("append_new_columns", "sync_all_columns"):
        old = add_null_columns(old, frame, added)

    return cast_columns(add_null_columns(frame, old, gone), old), old


def add_null_columns(frame: Any, like: Any, names: Iterable[str]) -> Any:
    """The frame with more columns, null in every row."""
    from pyspark.sql import functions as F

    kinds = types_by_key(like)
    more = [F.lit(None).cast(kinds[key_of(name)]).alias(name) for name in names]
    if more:
        return frame.select("*", *more)

    return frame


def cast_columns(frame: Any, like: Any) -> Any:
    """The columns of the table, in its order, each in its type."""
    from pyspark.sql import functions as F

    kinds = types_by_key(frame)
    return frame.select(
        *(
            F.col(column(each.name))
            if kinds[key_of(each.name)] == each.dataType
            else F.col(column(each.name)).cast(each.dataType).alias(each.name)
            for each in like.schema.fields
        )
    )


# -- rows ------------------------------------------------------------------------------------------


def add_keys(frame: Any, keys: Iterable[str]) -> Any:
    """The frame with its keys in addition to its columns: a key may be an expression over them."""
    from pyspark.sql import functions as F

    there = columns_by_key(frame)
    made = []
    for at, key in enumerate(keys):
        plain = there.get(key_of(key.strip("`")))
        if plain is None and key.replace("_", "").isalnum():
            raise Refused(Fault(f"unique_key: there is no column {key}"))

        made.append(
            (F.col(column(plain)) if plain is not None else F.expr(key)).alias(f"{KEY}{at}")
        )

    return frame.select("*", *made)


def rows_to_keep(old: Any, fresh: Any, growth: Growth, null_safe: bool) -> Any:
    """The old rows whose keys no new row has."""
    left, right = add_keys(old, growth.keys).alias(OLD), add_keys(fresh, growth.keys).alias(NEW)
    return left.join(right, keys_match(growth, null_safe), "left_anti").select(
        *map(column, old.columns)
    )


def merge_rows(old: Any, fresh: Any, growth: Growth) -> Any:
    """Return the old rows, with new values in some of their columns, and the new rows."""
    from pyspark.sql import functions as F

    only, left = set(map(key_of, growth.updated)), set(map(key_of, growth.left))
    changes = {
        name
        for name in old.columns
        if (not only or key_of(name) in only) and key_of(name) not in left
    }
    mine, theirs = add_keys(old, growth.keys).alias(OLD), add_keys(fresh, growth.keys).alias(NEW)
    on = keys_match(growth, False)
    both = mine.join(theirs.withColumn("__matched", F.lit(True)).alias(NEW), on, "left")
    updated = both.select(*(updated_column(name, name in changes) for name in old.columns))
    added = theirs.join(mine, on, "left_anti").select(*map(column, old.columns))
    return added.unionByName(updated)


def updated_column(name: str, changes: bool) -> Any:
    """Return a column of a merged row: the new value where the row matches."""
    from pyspark.sql import functions as F

    mine = F.col(f"{OLD}.{column(name)}")
    if not changes:
        return mine

    return F.when(F.col("__matched"), F.col(f"{NEW}.{column(name)}")).otherwise(mine).alias(name)


def keys_match(growth: Growth, null_safe: bool) -> Any:
    """When an old row and a new one have the same keys."""
    from pyspark.sql import functions as F

    condition = F.lit(True)
    for at in range(len(growth.keys)):
        mine, theirs = F.col(f"{OLD}.{KEY}{at}"), F.col(f"{NEW}.{KEY}{at}")
        condition = condition & (mine.eqNullSafe(theirs) if null_safe else mine == theirs)

    for predicate in growth.predicates:
        condition = condition & F.expr(predicate)

    return condition
