"""openlineage-sql: takes no schema; a column whose table it does not know has none."""

from __future__ import annotations

from typing import Any

from loop import Pairs, answer_all
from openlineage_sql import parse

DIALECTS = {"": "generic", "postgres": "postgres", "tsql": "mssql", "spark": "spark"}


def pairs_of(question: dict[str, Any]) -> Pairs:
    found = parse([question["sql"]], dialect=DIALECTS.get(question["dialect"], question["dialect"]))
    if found is None or found.errors:
        raise ValueError(found.errors[0].message if found is not None else "nothing was parsed")
    for column in found.column_lineage:
        for source in column.lineage:
            origin = source.origin
            yield (
                origin.qualified_name if origin is not None else "",
                source.name,
                column.descendant.name,
            )


answer_all(pairs_of)
