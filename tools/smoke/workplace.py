"""Prepares a folder in which the names that the pages use exist: models/, job.py, history/, a
project, a repository.

workplace/ next to this file has the files; the rest is copied from the repository or made here.
"""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from pathlib import Path

FILES = Path(__file__).with_name("workplace")

COPIES = (
    ("examples", "examples"),
    ("examples/jaffle", "path/to/project"),
    ("examples/sales", "path/to/sql"),
)
"""what is copied from the repository, and the name that the pages use for it"""

MANIFEST = ("tests/data/jaffle/manifest.json", "path/to/project/target/manifest.json")
LEFT_OUT = shutil.ignore_patterns(".lineal", "__pycache__", "target", "spark-warehouse")

WAREHOUSE = """
CREATE TABLE orders (id INTEGER, customer_id INTEGER, day DATE, amount DECIMAL(10, 2));
CREATE TABLE customers (id INTEGER, name TEXT, email TEXT);
"""

TOPIC = (
    "nodes/fct_orders/fct_orders.sql",
    "o.amount / d.revenue",
    "round(o.amount / d.revenue, 4)",
)
"""what the branch `topic` changes: a file, what stands there, and what it puts there"""


def prepare(root: Path, folder: Path) -> None:
    """Makes the folder, as a repository with the branches main, topic and origin/main; topic is
    checked out.
    """
    shutil.copytree(FILES, folder)
    for source, name in COPIES:
        shutil.copytree(root / source, folder / name, ignore=LEFT_OUT, dirs_exist_ok=True)
    (folder / MANIFEST[1]).parent.mkdir(parents=True)
    shutil.copy(root / MANIFEST[0], folder / MANIFEST[1])
    shutil.copy(folder / "events" / "orders.ndjson", folder / "events.ndjson")
    with sqlite3.connect(folder / "warehouse.db") as database:
        database.executescript(WAREHOUSE)
    database.close()
    make_repository(folder)


def make_repository(folder: Path) -> None:
    git(folder, "init", "--quiet", "--initial-branch", "main")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "Begin")
    git(folder, "update-ref", "refs/remotes/origin/main", "HEAD")
    git(folder, "checkout", "--quiet", "-b", "topic")
    file, old, new = folder / TOPIC[0], TOPIC[1], TOPIC[2]
    text = file.read_text(encoding="utf-8")
    if old not in text:
        raise ValueError(f"{file} no longer has: {old}")
    file.write_text(text.replace(old, new), encoding="utf-8")
    git(folder, "commit", "--quiet", "--all", "--message", "Round shares")


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)
