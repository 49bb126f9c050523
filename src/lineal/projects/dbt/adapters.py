"""Adapters: which dialect an adapter speaks, and which adapter a project is for where no profile
says so.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.projects import yaml
from lineal.projects.dbt.stamp import HINTS, SECRET
from lineal.projects.ignore import repository_above
from lineal.projects.intake import current
from lineal.projects.text import Report, peek_text
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

ONLY, SHARED = 3, 1

SAID: tuple[tuple[str, int, str], ...] = (
    ("postgres", ONLY, r"jsonb\b"),
    ("sqlserver", ONLY, r"isnull\s*\(|nvarchar\b|datetime2\b"),
    ("redshift", ONLY, r"distkey\b|sortkey\b|json_extract_path_text\b"),
    ("duckdb", ONLY, r"read_(?:csv|parquet|json)\w*\s*\(|strptime\s*\(|list_\w+\s*\("),
    ("snowflake", ONLY, r"flatten\s*\(|iff\s*\(|object_construct\b|try_parse_json\b|\w*_ntz\b|zeroifnull\b"),
    ("snowflake", ONLY, r"div0(?:null)?\s*\(|try_to_\w+\s*\("),
    ("bigquery", ONLY, r"safe_cast\s*\(|safe_divide\s*\(|int64\b|countif\s*\(|safe_offset\b|float64\b"),
    ("bigquery", ONLY, r"json_extract_(?:scalar|array)\s*\("),
    ("databricks", ONLY, r"lateral\s+view\b|explode\s*\(|from_json\s*\(|get_json_object\b"),
    ("clickhouse", ONLY, r"toDate\w*\s*\(|toString\s*\(|ReplacingMergeTree\b|arrayJoin\b|toStartOf\w+"),
    ("postgres redshift duckdb snowflake databricks", SHARED, r"ilike\b"),
    ("postgres redshift snowflake", SHARED, r"to_char\s*\("),
    ("postgres duckdb", SHARED, r"generate_series\s*\(|distinct\s+on\b"),
    ("postgres redshift duckdb", SHARED, r"\w+\s+!?~\*?\s*'"),
    ("sqlserver redshift", SHARED, r"getdate\s*\(\)"),
    ("sqlserver snowflake", SHARED, r"top\s+\d+\b"),
    ("redshift snowflake", SHARED, r"listagg\b"),
    ("duckdb snowflake", SHARED, r"exclude\s*\("),
    ("snowflake databricks", SHARED, r"contains\s*\("),
    ("bigquery databricks", SHARED, r"struct\s*\(|except\s*\("),
    ("duckdb snowflake bigquery databricks", SHARED, r"qualify\b"),
)  # fmt: skip
"""Adapters, weight, and words that only their engines know. What most models of a project use, it
is written for; of a tie the adapter that is named first.
"""

WORDS = [
    (adapters.split(), weight, re.compile(rf"\b(?:{words})", re.I))
    for adapters, weight, words in SAID
]


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
    if named:
        return str(named).lower()

    return STRATEGIES.get(adapter, "delete+insert")


PROFILES = "profiles.yml"
PROFILE_FOLDERS = ("", "profiles", "profile", ".dbt", "config")
PROFILES_DIR = "DBT_PROFILES_DIR"


def profile_of(
    folder: Path, name: str, target: str, project_file: Path, report: Report
) -> dict[str, str]:
    """profiles.yml next to the project or above it in the repository: the type, database and schema
    of the target that is asked for, else of the default one; secrets are not read.
    """
    for file in profile_files(folder):
        value = yaml.read(file, lambda _: None) or yaml.NOTHING
        profile = value.part(name)
        outputs = profile.part("outputs").entries
        if not outputs:
            continue

        if target and target not in outputs:
            known = ", ".join(outputs)
            message = f"the profile {name} has no target {target}; it has {known}"
            report(Diagnostic(Code.NO_EFFECT, message, Place(str(project_file), 1, 1)))

        usual = with_environment(profile.part("target").raw)
        names = (target, usual, next(iter(outputs)))
        chosen = next(each for each in names if each and each in outputs)
        return {"name": chosen, **public_settings(outputs[chosen])}

    return {}


def profile_files(folder: Path) -> Iterator[Path]:
    """Yield the profiles.yml that may be the project's: the nearest first."""
    top = repository_above(str(folder.resolve()))
    named = os.environ.get(PROFILES_DIR)
    folders = [Path(named)] if named else []
    here = folder.resolve()
    folders.append(folder)
    while top is not None and str(here) != top:
        here = here.parent
        folders.append(here)

    for each in folders:
        for inner in PROFILE_FOLDERS:
            file = each / inner / PROFILES
            if file.is_file():
                current().admit(file.parent)
                yield file


ENVIRONMENT = re.compile(
    r"""\{\{\s*env_var\(\s*['"](\w+)['"]\s*(?:,\s*['"]([^'"]*)['"]\s*)?\)\s*(?:\|[^}]*)?\}\}"""
)


def with_environment(text: str) -> str | None:
    """{{ env_var('DBT_SCHEMA', 'dev') }}      the variable, else the default; None if neither is known"""

    def variable_value(found: re.Match[str]) -> str:
        """Return the value of an environment variable; secrets are not read."""
        known = found[1].startswith("DBT_") and not found[1].startswith(SECRET)
        value = os.environ.get(found[1]) if known else None
        return found[2] or "" if value is None else value

    rendered = ENVIRONMENT.sub(variable_value, text)
    return None if "{{" in rendered or "{%" in rendered else rendered


def public_settings(output: Value) -> dict[str, str]:
    """Only what a template may ask for: of an adapter's other settings many are secret."""
    found = {}
    for key, keys in (
        ("type", ("type",)),
        ("schema", ("schema", "dataset")),
        ("database", DATABASE),
    ):
        value = output.get(*keys)
        if value is not None and isinstance(value.data, str):
            found[key] = with_environment(value.data) or ""

    return {key: value for key, value in found.items() if value}


DATABASE = ("database", "dbname", "project", "catalog")


ADAPTERS = {"tsql": "sqlserver", "spark2": "spark", "presto": "trino"}


def adapter_of(dialect: str) -> str:
    """Return the adapter whose SQL is of a dialect; '' if no adapter is known to speak it."""
    name = ADAPTERS.get(dialect, dialect)
    return name if name in DIALECTS else ""


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
            text = peek_text(file, asked=True)[:MOST_CHARACTERS]
            for found in {*PACKAGE.findall(text), *TYPE.findall(text)}:
                votes[found] = votes.get(found, 0) + 1

        best = sorted(votes, key=lambda adapter: -votes[adapter])[:2]
        if len(best) == 1 or (best and votes[best[0]] > votes[best[1]]):
            return best[0]

    return ""


def adapter_spoken(texts: Iterable[str]) -> str:
    """By the words that the models use; none where there are too few of them."""
    votes = {adapter: 0 for adapters, _, _ in WORDS for adapter in adapters}
    for text in texts:
        for adapters, weight, words in WORDS:
            if words.search(text) is None:
                continue

            for adapter in adapters:
                votes[adapter] += weight

    best = max(votes, key=lambda adapter: votes[adapter])
    if votes[best]:
        return best

    return ""
