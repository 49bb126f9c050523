"""Which files are SQL, Python or notebooks, by their extensions, and the dialect that one tells."""

from __future__ import annotations

from collections.abc import Mapping

PYTHON = "python"

EXTENSIONS: Mapping[str, str] = {
    ".sql": "",
    ".ddl": "",
    ".dml": "",
    ".prc": "",
    ".trg": "",
    ".vw": "",
    ".hql": "hive",
    ".q": "hive",
    ".bteq": "teradata",
    ".pls": "oracle",
    ".pks": "oracle",
    ".pkb": "oracle",
    ".pck": "oracle",
    ".tsql": "tsql",
    ".psql": "postgres",
    ".sqlx": "bigquery",
    ".py": PYTHON,
    ".ipynb": PYTHON,
}
"""'' where several engines use the extension."""

SQL_ENDINGS = tuple(ending for ending, dialect in EXTENSIONS.items() if dialect != PYTHON)

PROJECT_FILES = {
    "lineal.yml": "",
    "lineal.yaml": "",
    "featherflow.yml": "duckdb",
    "featherflow.yaml": "duckdb",
}
"""The files that make a folder a project, and the dialect of one that names none."""


def extension_of(name: str) -> str:
    """Return the extension of a file's name in lower case, '' if it has none or is hidden."""
    _, dot, ending = name.rpartition(".")
    return f".{ending.lower()}" if dot and not name.startswith(".") else ""
