"""The names that a query gives to its columns, without resolving anything."""

from __future__ import annotations

import sqlglot
from sqlglot import exp


def selected_names(text: str, dialect: str) -> list[str]:
    """select 1 as id, 'a' as name union all …      id, name; none if the text does not parse as a
    query
    """
    try:
        tree = sqlglot.parse_one(text, dialect=dialect or None)
    except (sqlglot.errors.SqlglotError, RecursionError):
        return []

    first = tree.find(exp.Select)
    if first is None:
        return []

    return [each.alias_or_name for each in first.selects if each.alias_or_name]
