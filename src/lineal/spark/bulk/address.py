"""Where logs and outputs are: on this machine, or where Hadoop's FileSystem reaches.

history/  file:///data/history      here
s3a://bucket/history  hdfs:///logs  elsewhere
"""

from __future__ import annotations

import re
from pathlib import Path

from lineal.spark.bulk.errors import BulkError

SCHEME = re.compile(r"([a-z][a-z0-9+.-]+):/", re.IGNORECASE)
"""Of two letters at least: a drive of Windows is none."""

PATTERN = re.compile(r"([\\*?\[\]{}])")


def local(where: str | Path) -> Path | None:
    """The path of what is here, None for what is elsewhere."""
    text = str(where)
    found = SCHEME.match(text) if isinstance(where, str) else None
    if found is None:
        return Path(where)
    if found[1].lower() != "file":
        return None
    path = text[len("file:") :]
    if path.startswith("//"):
        path = path[2:].removeprefix("localhost")
        if not path.startswith("/"):
            raise BulkError(f"{text} names a machine: write file:/// and the whole path")
    return Path(path)


def to_read(where: str) -> str:
    """As Spark has to be told it: what is here is here whatever its first file system is, and a name is no pattern."""
    path = local(where)
    if path is None:
        return where
    return PATTERN.sub(r"\\\1", to_write(path)) if path.exists() else to_write(path)


def to_write(path: Path) -> str:
    return f"file://{path.absolute().as_posix()}"
