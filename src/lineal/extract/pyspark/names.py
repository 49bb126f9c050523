"""Names of tables and paths: one spelling for one dataset."""

from __future__ import annotations

import re

from lineal.model.paths import path_name

QUOTED_PATH = re.compile(
    r"^(delta|parquet|csv|json|orc|avro|text|iceberg|binaryFile)\.`([^`]+)`$", re.IGNORECASE
)
PART = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)")


def table_parts(name: str) -> tuple[list[str], bool]:
    """Return the parts of a table's name.

    `db`.`orders`, db.orders      its parts; and whether it is a path in disguise: delta.`/x`
    """
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
    """Split a name at its dots, outside placeholders.

    {env.name}.orders
    """
    parts, depth, here = [], 0, ""
    for char in name:
        depth += (char == "{") - (char == "}")
        if char == "." and depth == 0:
            parts.append(here)
            here = ""
        else:
            here += char

    return [*parts, here]


NAMELESS = re.compile(
    r"^((delta|parquet|csv|json|orc|avro|text|iceberg|binaryfile)\.)?[\s`.]*$", re.IGNORECASE
)


def is_nameless(name: str) -> bool:
    """Tell whether a name of a dataset is empty.

    save(""), delta.``
    """
    return NAMELESS.match(name) is not None


BRACED = re.compile(r"\{[^{}]*\}")
SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*:/+", re.IGNORECASE)


def is_placeholder(name: str) -> bool:
    """Tell whether no literal part says anything.

    {output}, {db}.{table}, s3://{bucket}/
    """
    return "{" in name and not re.search(r"\w", BRACED.sub("", SCHEME.sub("", name)))


def owned_name(name: str, home: str) -> str:
    """Return a name that belongs to its file and function.

    {output}      jobs/daily.py::main::{output}: a name of its file and function
    """
    if is_placeholder(name):
        return f"{home}::{name}"

    return name
