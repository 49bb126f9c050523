"""Adapters: which dialect an adapter speaks, and which adapter a project is for where no profile
says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lineal.projects import yaml
from lineal.projects.dbt.stamp import HINTS
from lineal.projects.text import Report, read_text
from lineal.projects.yaml import Value

DIALECTS = {
    "athena": "athena",
    "bigquery": "bigquery",
    "clickhouse": "clickhouse",
    "databricks": "databricks",
    "doris": "doris",
    "dremio": "dremio",
    "duckdb": "duckdb",
    "exasol": "exasol",
    "fabric": "fabric",
    "glue": "spark",
    "hive": "hive",
    "impala": "hive",
    "materialize": "materialize",
    "mysql": "mysql",
    "oracle": "oracle",
    "postgres": "postgres",
    "redshift": "redshift",
    "risingwave": "risingwave",
    "singlestore": "singlestore",
    "snowflake": "snowflake",
    "spark": "spark",
    "sqlite": "sqlite",
    "sqlserver": "tsql",
    "starrocks": "starrocks",
    "synapse": "tsql",
    "teradata": "teradata",
    "trino": "trino",
    "vertica": "postgres",
}

PACKAGE = re.compile(r"\bdbt-(" + "|".join(DIALECTS) + r")\b")
TYPE = re.compile(r"^\s*type:\s*['\"]?(" + "|".join(DIALECTS) + r")\b", re.M)
MOST_CHARACTERS = 200_000

SAID = {
    "snowflake": r"flatten\s*\(|iff\s*\(|object_construct\b|try_parse_json\b|\w*_ntz\b|zeroifnull\b",
    "bigquery": r"safe_cast\s*\(|safe_divide\s*\(|struct\s*\(|int64\b|countif\s*\(|safe_offset\b|float64\b",
    "redshift": r"distkey\b|sortkey\b|json_extract_path_text\b|listagg\b",
    "clickhouse": r"toDate\w*\s*\(|toString\s*\(|ReplacingMergeTree\b|arrayJoin\b|toStartOf\w+",
    "databricks": r"lateral\s+view\b|explode\s*\(|from_json\s*\(|get_json_object\b",
    "sqlserver": r"isnull\s*\(|nvarchar\b|getdate\s*\(\)|top\s+\d+\b|datetime2\b",
    "postgres": r"generate_series\s*\(|ilike\b|to_char\s*\(|jsonb\b|distinct\s+on\b",
    "duckdb": r"read_(?:csv|parquet|json)\w*\s*\(|strptime\s*\(|exclude\s*\(|list_\w+\s*\(",
}
"""Words that only some engines know: what most models of a project use, it is written for."""

WORDS = [(adapter, re.compile(rf"\b(?:{words})", re.I)) for adapter, words in SAID.items()]


STRATEGIES = {
    "athena": "insert_overwrite",
    "bigquery": "merge",
    "databricks": "merge",
    "fabric": "merge",
    "glue": "append",
    "snowflake": "merge",
    "spark": "append",
    "trino": "append",
}
"""The incremental strategy of an adapter where a model names none; elsewhere it is delete+insert.
"""


def incremental_strategy(adapter: str, config: Mapping[str, Any]) -> str:
    """incremental_strategy: merge; else the adapter's own"""
    named = config.get("incremental_strategy")
    return str(named).lower() if named else STRATEGIES.get(adapter, "delete+insert")


def profile_of(folder: Path, name: str, report: Report) -> dict[str, str]:
    """profiles.yml beside the project: the type, database and schema of its default target; secrets
    are not read.
    """
    for file in (
        folder / "profiles.yml",
        folder / "profiles" / "profiles.yml",
        folder / "profile" / "profiles.yml",
    ):
        if not file.is_file():
            continue
        value = yaml.read(file, lambda _: None)
        profile = value.get(name) if value is not None else None
        outputs = profile.get("outputs") if profile is not None else None
        if (
            profile is None
            or outputs is None
            or not isinstance(outputs.data, dict)
            or not outputs.data
        ):
            continue
        wanted = profile.get("target")
        target = (
            str(wanted.raw)
            if wanted is not None and wanted.raw in outputs.data
            else next(iter(outputs.data))
        )
        return {"name": target, **kept(outputs.data[target])}
    return {}


def kept(output: Value) -> dict[str, str]:
    """Only what a template may ask for: of an adapter's other settings many are secret."""
    found = {}
    for key, keys in (
        ("type", ("type",)),
        ("schema", ("schema", "dataset")),
        ("database", DATABASE),
    ):
        value = output.get(*keys)
        if value is not None and isinstance(value.data, str) and "{{" not in value.data:
            found[key] = value.data
    return found


DATABASE = ("database", "dbname", "project", "catalog")


def adapter_named(text: str) -> str:
    """The profile of a project is often called after its engine."""
    words = re.split(r"[^a-z]+", text.lower())
    return next((adapter for adapter in DIALECTS if adapter in words), "")


def adapter_said(folder: Path, report: Report) -> str:
    """dbt-snowflake in requirements.txt, type: postgres in a sample profile; here or in the folder
    above.
    """
    for where in (folder, folder.parent):
        votes: dict[str, int] = {}
        for file in sorted(
            {each for pattern in HINTS for each in where.glob(pattern) if each.is_file()}
        ):
            text = (read_text(file, lambda _: None) or "")[:MOST_CHARACTERS]
            for found in {*PACKAGE.findall(text), *TYPE.findall(text)}:
                votes[found] = votes.get(found, 0) + 1
        best = sorted(votes, key=lambda adapter: -votes[adapter])[:2]
        if len(best) == 1 or (best and votes[best[0]] > votes[best[1]]):
            return best[0]
    return ""


def adapter_spoken(texts: Iterable[str]) -> str:
    """By the words that the models use; none where there are too few of them."""
    votes = dict.fromkeys((adapter for adapter, _ in WORDS), 0)
    for text in texts:
        for adapter, words in WORDS:
            if words.search(text):
                votes[adapter] += 1
    best = max(votes, key=lambda adapter: votes[adapter])
    return best if votes[best] else ""
