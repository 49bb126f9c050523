"""Snapshots: a query's rows, each with the time for which it was so, as dbt keeps them.

    dbt_scd_id       the key and the time of the version, hashed
    dbt_updated_at   when the row was changed: a column of the query (timestamp), or the time of the
                     run (check)
    dbt_valid_from   the same
    dbt_valid_to     when the next version begins; null, or dbt_valid_to_current, for the current
                     one

A run adds the rows that are new or have changed, and closes the versions that they replace. Rows
that are gone stay current, are closed (hard_deletes: invalidate), or get a last version that says
so (new_record, dbt_is_deleted).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lineal.spark.names import column
from lineal.spark.run.columns import columns_by_key, types_by_key
from lineal.spark.run.incremental import add_null_columns, as_names
from lineal.spark.run.jobs import Job, key_of
from lineal.spark.run.result import Fault, Refused

NAMES = ("dbt_scd_id", "dbt_updated_at", "dbt_valid_from", "dbt_valid_to", "dbt_is_deleted")
KEY, CHANGED = "__lineal_key_", "__lineal_changed"
IGNORE, INVALIDATE, NEW_RECORD = "ignore", "invalidate", "new_record"


@dataclass(frozen=True)
class Snapshot:
    """The settings of a snapshot."""

    strategy: str
    keys: tuple[str, ...]
    updated_at: str
    check: tuple[str, ...]
    """The columns that are compared; none means all."""
    deletes: str
    current: str
    """The value of dbt_valid_to in a current version, as an expression; '' is null."""
    spoken: tuple[str, ...] = ()
    """The keys in Spark's words."""
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def own(self) -> tuple[str, ...]:
        """The names of the columns that are added."""
        return tuple(
            self.names[name] for name in NAMES if name != NAMES[-1] or self.deletes == NEW_RECORD
        )

    def query(self, text: str) -> str:
        """The query with its keys and its time in addition to its columns, in the project's own dialect."""
        keys = (f"{key} as {KEY}{at}" for at, key in enumerate(self.keys))
        time = (f"{self.updated_at} as {CHANGED}",) if self.updated_at else ()
        body = text.strip().rstrip(";")
        return f"select lineal_rows.*, {', '.join((*keys, *time))} from (\n{body}\n) as lineal_rows"  # noqa: S608


def snapshot_of(job: Job, translate: Callable[[str], str]) -> Snapshot:
    """The settings of a snapshot; Refused if they do not say enough."""
    settings = job.step.settings
    strategy = str(settings.get("strategy") or "").lower()
    keys, updated_at = as_names(settings.get("unique_key")), str(settings.get("updated_at") or "")
    wrong = ""
    if strategy not in ("timestamp", "check"):
        wrong = f"strategy: {strategy or 'none'} is not known: choose timestamp or check"
    elif not keys:
        wrong = "a snapshot needs a unique_key"
    elif strategy == "timestamp" and not updated_at:
        wrong = "the strategy timestamp needs updated_at"
    elif strategy == "check" and not settings.get("check_cols"):
        wrong = "the strategy check needs check_cols"

    if wrong:
        raise Refused(Fault(wrong, job.step.place))

    check = settings.get("check_cols")
    renamed = settings.get("snapshot_meta_column_names")
    names = {
        name: str(renamed.get(name) or name) if isinstance(renamed, dict) else name
        for name in NAMES
    }
    deletes = str(settings.get("hard_deletes") or IGNORE).lower()
    if deletes == IGNORE and str(settings.get("invalidate_hard_deletes", "")).lower() == "true":
        deletes = INVALIDATE

    current = str(settings.get("dbt_valid_to_current") or "")
    return Snapshot(
        strategy, keys, updated_at, () if check == "all" else as_names(check), deletes,
        translate(current) if current else "", tuple(map(translate, keys)), names,
    )  # fmt: skip


class Taking:
    """One run of a snapshot."""

    def __init__(self, snapshot: Snapshot, rows: Any, now: Any) -> None:
        from pyspark.sql import functions as F

        self.snapshot = snapshot
        self.names = snapshot.names
        self.now = F.lit(now)
        self.rows = rows if snapshot.updated_at else rows.withColumn(CHANGED, self.now)
        self.keys = [f"{KEY}{at}" for at in range(len(snapshot.keys))]
        self.columns = [name for name in rows.columns if name not in {*self.keys, CHANGED}]

    # -- the first time ----------------------------------------------------------------------------

    def first(self) -> Any:
        """Every row is current."""
        return self.versions(self.rows)

    def versions(self, rows: Any) -> Any:
        """New versions of rows: their columns, and dbt's own."""
        from pyspark.sql import functions as F

        names, changed = self.names, F.col(CHANGED)
        own = {
            names["dbt_scd_id"]: hash_values([*map(F.col, self.keys), changed]),
            names["dbt_updated_at"]: changed,
            names["dbt_valid_from"]: changed,
            names["dbt_valid_to"]: self.end(rows),
            names["dbt_is_deleted"]: F.lit("False"),
        }
        made = [own[name].alias(name) for name in self.snapshot.own]
        return rows.select(*map(column, self.columns), *made)

    def end(self, rows: Any) -> Any:
        """dbt_valid_to of a current version."""
        from pyspark.sql import functions as F

        kind = rows.schema[CHANGED].dataType
        if self.snapshot.current:
            return F.expr(self.snapshot.current).cast(kind)

        return F.lit(None).cast(kind)

    # -- every later time --------------------------------------------------------------------------

    def again(self, old: Any) -> Any:
        """The old versions, some of them closed, and the new ones."""
        from pyspark.sql import functions as F

        new = [name for name in self.columns if key_of(name) not in set(map(key_of, old.columns))]
        old = add_null_columns(old, self.rows, new)
        if self.snapshot.deletes == NEW_RECORD and self.names["dbt_is_deleted"] not in old.columns:
            old = old.withColumn(self.names["dbt_is_deleted"], F.lit("False"))

        current = self.current(old)
        pairs = self.rows.alias("new").join(current.alias("old"), self.matching(), "left")
        changed = self.is_changed(new)
        before = F.col(f"old.{column(self.names['dbt_scd_id'])}")
        fresh = pairs.where(before.isNull() | changed).select("new.*")
        closing = pairs.where(before.isNotNull() & changed).select(
            before.alias("id"), F.col(f"new.{CHANGED}").alias("end")
        )
        added = self.versions(fresh)
        if self.snapshot.deletes != IGNORE:
            gone = self.gone(current)
            closing = closing.unionByName(
                gone.select(
                    F.col(column(self.names["dbt_scd_id"])).alias("id"),
                    self.now.cast(self.rows.schema[CHANGED].dataType).alias("end"),
                )
            )
            added = (
                added.unionByName(self.farewells(gone))
                if self.snapshot.deletes == NEW_RECORD
                else added
            )

        kept = self.close_versions(old, closing)
        return kept.unionByName(typed_like(added, kept), allowMissingColumns=True)

    def current(self, old: Any) -> Any:
        """The versions that are valid now, with their keys."""
        from pyspark.sql import functions as F

        end = F.col(column(self.names["dbt_valid_to"]))
        is_current = (
            end.isNull() | (end == F.expr(self.snapshot.current))
            if self.snapshot.current
            else end.isNull()
        )
        return old.where(is_current).select(
            "*", *(F.expr(key).alias(name) for key, name in self.key_pairs(old))
        )

    def key_pairs(self, old: object) -> list[tuple[str, str]]:
        """The keys as expressions over the table itself: its columns are those of the query."""
        there = columns_by_key(old)
        return [
            (column(there[key_of(key)]) if key_of(key) in there else spoken, name)
            for key, spoken, name in zip(
                self.snapshot.keys, self.snapshot.spoken, self.keys, strict=True
            )
        ]

    def matching(self) -> Any:
        """Return the condition that a new row belongs to an old one."""
        from pyspark.sql import functions as F

        condition = F.lit(True)
        for name in self.keys:
            condition = condition & (F.col(f"new.{name}") == F.col(f"old.{name}"))

        return condition

    def is_changed(self, new: list[str]) -> Any:
        """Tell whether a row is another than its current version."""
        from pyspark.sql import functions as F

        snapshot = self.snapshot
        if snapshot.strategy == "timestamp":
            found = F.col(f"old.{column(self.names['dbt_valid_from'])}") < F.col(f"new.{CHANGED}")
        else:
            compared = snapshot.check or tuple(self.columns)
            added = set(map(key_of, new)) & set(map(key_of, compared))
            found = F.lit(bool(added))
            for name in compared:
                if key_of(name) not in added:
                    found = found | ~F.col(f"new.{column(name)}").eqNullSafe(
                        F.col(f"old.{column(name)}")
                    )

        if snapshot.deletes == NEW_RECORD:
            found = found | (F.col(f"old.{column(self.names['dbt_is_deleted'])}") == "True")

        return F.coalesce(found, F.lit(False))

    def gone(self, current: Any) -> Any:
        """The current versions whose rows are not there any more."""
        from pyspark.sql import functions as F

        found = current.alias("old").join(self.rows.alias("new"), self.matching(), "left_anti")
        if self.snapshot.deletes != NEW_RECORD:
            return found

        return found.where(
            F.coalesce(F.col(column(self.names["dbt_is_deleted"])), F.lit("False")) != "True"
        )

    def farewells(self, gone: Any) -> Any:
        """A last version of each row that is gone."""
        from pyspark.sql import functions as F

        names, kind = self.names, self.rows.schema[CHANGED].dataType
        own = {
            names["dbt_scd_id"]: hash_values([F.col(column(names["dbt_scd_id"])), self.now]),
            names["dbt_updated_at"]: self.now.cast(kind),
            names["dbt_valid_from"]: self.now.cast(kind),
            names["dbt_valid_to"]: self.end(self.rows),
            names["dbt_is_deleted"]: F.lit("True"),
        }
        made = [own[name].alias(name) for name in self.snapshot.own]
        return gone.select(*map(column, self.columns), *made)

    def close_versions(self, old: Any, closing: Any) -> Any:
        """The old versions; those that are replaced end when the next one begins."""
        from pyspark.sql import functions as F

        end = self.names["dbt_valid_to"]
        ends = closing.groupBy("id").agg(F.max("end").alias("end")).alias("closing")
        is_current = F.col(f"old.{column(end)}").isNull()
        if self.snapshot.current:
            is_current = is_current | (F.col(f"old.{column(end)}") == F.expr(self.snapshot.current))

        both = old.alias("old").join(
            ends,
            (F.col(f"old.{column(self.names['dbt_scd_id'])}") == F.col("closing.id")) & is_current,
            "left",
        )
        kind = old.schema[end].dataType
        chosen = F.coalesce(F.col("closing.end").cast(kind), F.col(f"old.{column(end)}")).alias(end)
        return both.select(
            *(chosen if name == end else F.col(f"old.{column(name)}") for name in old.columns)
        )


def typed_like(frame: Any, like: Any) -> Any:
    """The columns of a frame in the types that the table has them in."""
    from pyspark.sql import functions as F

    kinds = types_by_key(like)
    return frame.select(
        *(
            F.col(column(each.name)).cast(kinds[key_of(each.name)]).alias(each.name)
            if key_of(each.name) in kinds and kinds[key_of(each.name)] != each.dataType
            else F.col(column(each.name))
            for each in frame.schema.fields
        )
    )


def hash_values(values: list[Any]) -> Any:
    """md5(coalesce(cast(key as varchar), '') || '|' || …)"""
    from pyspark.sql import functions as F

    texts = [F.coalesce(value.cast("string"), F.lit("")) for value in values]
    return F.md5(F.concat_ws("|", *texts))
