"""Snapshots: the rows of a query, each with the time that it was so."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lineal.model.plain import as_mapping, some_or_none

NAMES = ("dbt_scd_id", "dbt_updated_at", "dbt_valid_from", "dbt_valid_to")
TEXTS = {
    "bigquery": "string",
    "databricks": "string",
    "hive": "string",
    "spark": "string",
    "clickhouse": "String",
}
"""The dialects' names for a text of any length, if it is not varchar."""

TRAILING = re.compile(r";\s*\Z")


def snapshot_query(text: str, config: Mapping[str, object], dialect: str = "") -> tuple[str, int]:
    """select * from orders, updated_at='changed'

    the query, and dbt's own columns next to it; where it begins

    A row is valid from the time of its change until that of the next one of the same key.
    """
    renamed = as_mapping(config.get("snapshot_meta_column_names"))
    names = {name: str(renamed.get(name) or name) for name in NAMES}
    keys = list(map(str, some_or_none(config.get("unique_key"))))
    time = str(config.get("updated_at") or "") if config.get("strategy") == "timestamp" else ""
    key = ", ".join(keys)
    kind = TEXTS.get(dialect, "varchar")
    made = " || '|' || ".join(
        f"coalesce(cast({each} as {kind}), '')" for each in (*keys, *filter(None, [time]))
    )
    until = (
        f"lead({time}) over (partition by {key} order by {time})"
        if time and key
        else "cast(null as timestamp)"
    )
    columns = (
        f"md5({made}) as {names['dbt_scd_id']}"
        if made
        else f"cast(null as {kind}) as {names['dbt_scd_id']}",
        f"{time or 'current_timestamp'} as {names['dbt_updated_at']}",
        f"{time or 'current_timestamp'} as {names['dbt_valid_from']}",
        f"{until} as {names['dbt_valid_to']}",
    )
    body = TRAILING.sub("", text.rstrip())
    opening = f"select snapshotted.*, {', '.join(columns)} from ("  # noqa: S608  it is read, never run
    return f"{opening}{body}\n) as snapshotted", len(opening)
