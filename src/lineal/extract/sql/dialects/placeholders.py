"""Facts about the marks that stand for a value in a text."""

from __future__ import annotations

EMPTY_LITERALS = frozenset(("snowflake", "clickhouse", "duckdb"))
"""SELECT {}, MAP {}      the dialects that have a literal without items"""

SUBSTITUTES_AFTER_AMPERSAND = frozenset(("snowflake", "oracle"))
"""WHERE a = &x      SnowSQL and SQL*Plus put a value there; the dialects have no operator &"""

DOLLARS_IN_NAMES = frozenset(("oracle",))
"""SELECT $x      no placeholder"""
