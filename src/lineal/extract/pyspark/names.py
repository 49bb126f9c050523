"""Names of tables and paths: one spelling for one dataset."""

from __future__ import annotations

import re

from lineal.model.paths import path_name

QUOTED_PATH = re.compile(
    r"^(delta|parquet|csv|json|orc|avro|text|iceberg|binaryFile)\.`([^`]+)`$", re.IGNORECASE
)
PART = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)")


def table_parts(name: str) -> tuple[list[str], bool]:
    """`db`.`orders`, db.orders      its parts; and whether it is a path in disguise: delta.`/x`"""
    if "`" not in name:
        plain = name.strip()
        return (
            split_outside_braces(plain)
            if "{" in plain
            else [p for p in plain.split(".") if p] or [name]
        ), False

    path = QUOTED_PATH.match(name.strip())
    if path is not None:
        return [path_name(path[2])], True

    parts = [quoted.replace("``", "`") or plain for quoted, plain in PART.findall(name.strip())]
    return parts or [name], False


def split_outside_braces(name: str) -> list[str]:
    """{env.name}.orders      Split a name at its dots, outside of placeholders."""
    parts, depth, here = [], 0, ""
    for char in name:
        depth += (char == "{") - (char == "}")
        if char == "." and depth == 0:
            parts.append(here)
            here = ""
        else:
            here += char

    return [*parts, here]


def short_file(file: str) -> str:
    """Return the name of a file without its folders."""
    return file.replace("\\", "/").rsplit("/", 1)[-1] or "<input>"
