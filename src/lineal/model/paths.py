"""Paths: one spelling for one place."""

from __future__ import annotations

from lineal.model.late_pattern import late_pattern
from lineal.model.redaction import redact_path

SCHEMES = {"s3a": "s3", "s3n": "s3", "abfs": "abfss", "wasb": "wasbs", "gcs": "gs", "file": ""}
SCHEME = late_pattern(r"([A-Za-z][A-Za-z0-9+.-]+):(?=/)")
SAME_FOLDER = late_pattern(r"(?<=[^/])/(?:\.?/)+|^(?:\./+)+(?=.)")
PARTITION_TAIL = late_pattern(r"(?:/[^/=]+=[^/]*)+$")


def path_name(text: str) -> str:
    """Return the one name of a file path.

    s3a://lake/orders/year=2024/      s3://lake/orders: a place, whatever part of it is read
    ./data//orders.csv                data/orders.csv; keys of object stores may have empty parts
    """
    text = redact_path(text)
    scheme = SCHEME.match(text)
    if scheme is not None and scheme[1].lower() in SCHEMES:
        same = SCHEMES[scheme[1].lower()]
        text = f"{same}:{text[scheme.end() :]}" if same else "/" + text[scheme.end() :].lstrip("/")

    if text.startswith("/dbfs/"):
        text = f"dbfs:{text[5:]}"

    if "://" not in text:
        text = SAME_FOLDER.sub(lambda found: "/" if found.start() else "", text)

    bare = PARTITION_TAIL.sub("", text.rstrip("/")).rstrip("/")
    return bare or text


VERSION = late_pattern(r"@(?:v\d+|\d{17})$")


def delta_path(text: str) -> str:
    """Return the path of a Delta table without its version.

    /lake/orders@v3, /lake/orders@20240101000000000      /lake/orders, in a former state
    """
    return path_name(VERSION.sub("", text))


def is_path(name: str) -> bool:
    """Tell whether a name is a file path.

    s3://lake/orders, /tmp/x.csv, @stage/x      rather than a table's name
    """
    return "/" in name or name.startswith("@") or "\\" in name


MANY = 32
"""More paths than this are the files of one dataset, rather than datasets of their own."""


def places(paths: list[str]) -> list[str]:
    """/in/a.csv, /in/b.csv …

    each of them; of very many, the pattern that they have in common: /in/*.csv
    """
    if len(paths) <= MANY:
        return paths

    steps = [path.split("/") for path in paths]
    depth = min(map(len, steps))
    same = [
        each[0] if len(set(each)) == 1 else "*"
        for each in zip(*(each[:depth] for each in steps), strict=True)
    ]
    endings = {each[-1].rpartition(".")[2] for each in steps}
    if same[-1] == "*" and len(endings) == 1 and len(set(map(len, steps))) == 1:
        same[-1] = f"*.{endings.pop()}" if all("." in each[-1] for each in steps) else "*"

    return ["/".join(same)]
