"""Paths: one spelling for one place."""

from __future__ import annotations

import re

SCHEMES = {"s3a": "s3", "s3n": "s3", "abfs": "abfss", "wasb": "wasbs", "gcs": "gs", "file": ""}
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(?=/)")
PARTITION_TAIL = re.compile(r"(?:/[^/=]+=[^/]*)+$")


def path_name(text: str) -> str:
    """s3a://lake/orders/year=2024/      s3://lake/orders: a place, whatever part of it is read"""
    scheme = SCHEME.match(text)
    if scheme is not None and scheme[1].lower() in SCHEMES:
        same = SCHEMES[scheme[1].lower()]
        text = f"{same}:{text[scheme.end() :]}" if same else "/" + text[scheme.end() :].lstrip("/")
    if text.startswith("/dbfs/"):
        text = f"dbfs:{text[5:]}"
    bare = PARTITION_TAIL.sub("", text.rstrip("/")).rstrip("/")
    return bare or text


def is_path(name: str) -> bool:
    """s3://lake/orders, /tmp/x.csv, @stage/x      rather than a table's name"""
    return "/" in name or name.startswith("@") or "\\" in name
