"""workflow_settings.yaml or dataform.json: defaults of names, the warehouse, variables.

defaultProject: shop-prod       defaultDataset: analytics       vars: {env: prod}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.plain import as_mapping
from lineal.projects import yaml
from lineal.projects.intake import current, first_file
from lineal.projects.text import Report, read_text

FILES = ("workflow_settings.yaml", "workflow_settings.yml", "dataform.json")
DIALECTS = {
    "bigquery": "bigquery", "snowflake": "snowflake", "redshift": "redshift",
    "postgres": "postgres", "sqldatawarehouse": "tsql",
}  # fmt: skip
"""The dialect of each warehouse."""


@dataclass
class Settings:
    """The settings of a project."""

    file: Path
    database: str = ""
    schema: str = ""
    assertions: str = ""
    dialect: str = "bigquery"
    variables: Mapping[str, Any] = field(default_factory=dict)
    plain: Mapping[str, Any] = field(default_factory=dict)
    """All of it, as `dataform.projectConfig` gives it."""


def settings_file(folder: Path) -> Path | None:
    """Return the settings of a folder, if there are any."""
    return first_file(folder, FILES)


def read_settings(folder: Path, report: Report) -> Settings:
    """Read the settings of a project."""
    file = settings_file(folder) or folder / FILES[0]
    data = read_data(file, report) if file.is_file() else {}
    database = text_at(data, "defaultProject", "defaultDatabase")
    schema = text_at(data, "defaultDataset", "defaultSchema")
    assertions = text_at(data, "defaultAssertionDataset", "assertionSchema")
    known = as_mapping(data.get("vars"))
    warehouse = text_at(data, "warehouse").lower() or "bigquery"
    plain = {
        **data, "vars": known, "defaultSchema": schema, "defaultDatabase": database,
        "defaultProject": database, "defaultDataset": schema, "warehouse": warehouse,
        "schemaSuffix": "", "databaseSuffix": "", "tablePrefix": "", "assertionSchema": assertions,
        "defaultLocation": text_at(data, "defaultLocation"),
    }  # fmt: skip
    dialect = DIALECTS.get(warehouse, "bigquery")
    return Settings(file, database, schema, assertions, dialect, known, plain)


def read_data(file: Path, report: Report) -> dict[str, object]:
    """Return the values of a file of settings."""
    text = read_text(file, report)
    if text is None:
        return {}

    if file.suffix == ".json":
        try:
            held = json.loads(text)
        except (ValueError, RecursionError) as error:
            current().mark_invalid(str(file))
            message = f"{file} is not valid JSON: {error}"
            report(Diagnostic(Code.YAML_ERROR, message, Place(str(file), 1, 1)))
            return {}
    else:
        held = (yaml.parse(text, str(file), report) or yaml.NOTHING).plain()

    return as_mapping(held)


def text_at(data: Mapping[str, object], *keys: str) -> str:
    """Return the text of the first of these keys that is there."""
    return next((str(data[key]) for key in keys if data.get(key) is not None), "")
