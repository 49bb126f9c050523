"""Schemas as texts: a INT, b STRUCT<c: INT>."""

from __future__ import annotations

import re

from lineal.extract.pyspark.values import SchemaValue, Value


def parsed_schema(text: str) -> SchemaValue | None:
    """Parse a schema.

    a INT, b STRUCT<c: INT>, d DECIMAL(10, 2)
    """
    fields: list[tuple[str, str]] = []
    inner = text.strip()
    if inner.lower().startswith("struct<") and inner.endswith(">"):
        inner = inner[7:-1]

    for part in top_level(inner):
        found = re.match(r"\s*(?:`([^`]+)`|([^\s:]+))\s*:?\s*(.*)", part, re.DOTALL)
        if found is None or not (found[1] or found[2]):
            return None

        kind = re.sub(r"\s+(NOT NULL|COMMENT .*)", "", found[3], flags=re.IGNORECASE | re.DOTALL)
        fields.append((found[1] or found[2], kind.strip().lower()))

    if len(fields) == 1 and not fields[0][1]:
        return SchemaValue([("value", fields[0][0].lower())])

    if fields:
        return SchemaValue(fields)

    return None


def top_level(text: str) -> list[str]:
    """Split a text at its outer commas.

    a INT, b STRUCT<c: INT, d: INT>
    """
    parts, depth, start = [], 0, 0
    for position, char in enumerate(text):
        depth += (char in "(<") - (char in ")>")
        if char == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1

    return [part for part in [*parts, text[start:]] if part.strip()]


def type_text(value: Value) -> str:
    """The spelling of a type inside another one."""
    if isinstance(value, SchemaValue):
        return f"struct<{','.join(f'{name}:{kind}' for name, kind in value.fields)}>"

    if isinstance(value, str):
        return value

    return str(getattr(value, "type_name", "")) or "void"
