"""Facts about the marks that stand for a value in a text."""

from __future__ import annotations

EMPTY_LITERALS = frozenset(("snowflake", "clickhouse", "duckdb"))
"""SELECT {}, MAP {}      the dialects that have a literal without items"""

SUBSTITUTES_AFTER_AMPERSAND = frozenset(("snowflake",))
"""WHERE a = &x      SnowSQL puts a value there; the dialect has no operator &"""

DOLLARS_IN_NAMES = frozenset(("oracle",))
"""SELECT $x      no placeholder"""
