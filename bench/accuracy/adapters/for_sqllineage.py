"""sqllineage: schemas by its metadata provider; a bare SELECT has no columns for it, so it is
inserted somewhere.
"""

from __future__ import annotations

import re
from typing import Any

from loop import Pairs, answer_all
from sqllineage.config import SQLLineageConfig
from sqllineage.core.metadata.dummy import DummyMetaDataProvider
from sqllineage.runner import LineageRunner

DIALECTS = {"spark": "sparksql", "": "ansi", "presto": "trino"}
DEFAULT = "main"
QUERY = re.compile(r"(\s|--[^\n]*\n|/\*.*?\*/)*(select|with|\()", re.IGNORECASE | re.DOTALL)


def pairs_of(question: dict[str, Any]) -> Pairs:
    sql = question["sql"]
    if QUERY.match(sql) and not re.search(r"\binto\b", sql, re.IGNORECASE):
        sql = f"INSERT INTO result {sql}"
    schema = {
        name if "." in name else f"{DEFAULT}.{name}": list(columns)
        for name, columns in question["schema"].items()
    }
    dialect = DIALECTS.get(question["dialect"], question["dialect"])
    with SQLLineageConfig(DEFAULT_SCHEMA=DEFAULT):
        runner = LineageRunner(
            sql, dialect=dialect, metadata_provider=DummyMetaDataProvider(schema)
        )
        paths = runner.get_column_lineage()
    for path in paths:
        source, target = path[0], path[-1]
        if source.parent is not None:
            yield str(source.parent).removeprefix(f"{DEFAULT}."), source.raw_name, target.raw_name


answer_all(pairs_of)
