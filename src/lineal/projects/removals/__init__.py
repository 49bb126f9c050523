"""Edits that take columns and datasets out of the files of a project: SQL, YAML and whole files."""

from __future__ import annotations

from lineal.extract.sql.removals.edits import FileEdit, Refused, patch_of
from lineal.extract.sql.removals.sql_columns import INCREMENTAL, OF_INCREMENTAL, remove_columns
from lineal.extract.sql.removals.statements import remove_statement
from lineal.extract.sql.removals.templates import has_word
from lineal.projects.removals.yaml_entries import (
    entry_lines,
    is_yaml,
    remove_entries,
    settings_in,
)

__all__ = [
    "INCREMENTAL",
    "OF_INCREMENTAL",
    "FileEdit",
    "Refused",
    "entry_lines",
    "has_word",
    "is_yaml",
    "patch_of",
    "remove_columns",
    "remove_entries",
    "remove_statement",
    "settings_in",
]
