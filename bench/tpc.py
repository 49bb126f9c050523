"""The 99 TPC-DS and 22 TPC-H queries with their schemas, as sqlglot's source distribution carries
them.

They are fetched once, with pip, into .cache/ and are no part of this repository.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tarfile
import tempfile
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

CACHE = Path(__file__).resolve().parent.parent / ".cache"


class Suite(NamedTuple):
    name: str
    queries: list[str]
    schema: dict[str, dict[str, str]]


class NotFetched(Exception):
    """The source distribution cannot be had; offline, most of the time."""


SUITES = {"TPC-DS": ("tpc-ds", "TPCDS_SCHEMA", 99), "TPC-H": ("tpc-h", "TPCH_SCHEMA", 22)}


@cache
def suite(name: str) -> Suite:
    stem, constant, count = SUITES[name]
    tests = fetch_sources() / "tests"
    queries = _queries(
        (tests / "fixtures" / "optimizer" / stem / f"{stem}.sql").read_text(encoding="utf-8")
    )
    if len(queries) != count:
        raise ValueError(f"{name} has {len(queries)} queries in this sqlglot, not {count}")
    return Suite(
        name, queries, _constant((tests / "helpers.py").read_text(encoding="utf-8"), constant)
    )


def fetch_sources() -> Path:
    """The unpacked source distribution of the sqlglot that is installed."""
    release = version("sqlglot")
    folder = CACHE / f"sqlglot-{release}"
    if not folder.exists():
        CACHE.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            unpacked = _unpack(_download(release, Path(scratch)))
            try:
                unpacked.rename(folder)
            except OSError:  # another process was quicker
                if not folder.exists():
                    raise
    return folder


def _download(release: str, into: Path) -> Path:
    asked = [
        "download",
        "--quiet",
        "--no-deps",
        "--no-binary",
        "sqlglot",
        "--dest",
        str(into),
        f"sqlglot=={release}",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pip", *asked], capture_output=True, text=True, check=False
    )
    archives = list(into.glob("*.tar.gz"))
    if done.returncode or not archives:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise NotFetched(
            f"sqlglot's source distribution cannot be fetched: {said[-1] if said else 'pip says nothing'}"
        )
    return archives[0]


def _unpack(archive: Path) -> Path:
    with tarfile.open(archive) as packed:
        wanted = [member for member in packed if member.name.endswith((".sql", "tests/helpers.py"))]
        packed.extractall(archive.parent, members=wanted, filter="data")
    return archive.parent / archive.name.removesuffix(".tar.gz")


def _queries(text: str) -> list[str]:
    """A fixture file lists pairs: the query, and what sqlglot's optimizer makes of it."""
    lines = [line for line in text.split("\n") if not line.startswith(("#", "--"))]
    statements = [
        statement.strip() for statement in "\n".join(lines).split(";") if statement.strip()
    ]
    return statements[0::2]


def _constant(source: str, name: str) -> dict[str, dict[str, str]]:
    """A dictionary of literals, read without running the file."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and any(
            isinstance(t, ast.Name) and t.id == name for t in node.targets
        ):
            found: dict[str, dict[str, str]] = ast.literal_eval(node.value)
            return found
    raise ValueError(f"{name} is not in sqlglot's test helpers")
