"""Reads checkouts of public repositories, and compares the ledger of each with the recorded one.

    make ecosystem CHECKOUTS=folder              a row for each repository, and what has changed
    python bench/ecosystem.py folder --record    keep the figures in bench/ecosystem.json

A checkout is a folder called owner+name. `lineal lineage .` runs at its root without options. CPU is
that of the whole run, next to that of parsing the same SQL files with sqlglot alone.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).with_name("ecosystem.json")
ENDINGS = (".sql", ".hql", ".ddl", ".pks", ".pkb", ".tsql", ".psql")
MOST_SECONDS = 1800
TOP = 3

PARSE = """
import sys
import sqlglot
from sqlglot.errors import ErrorLevel, SqlglotError
for path in sys.stdin.read().splitlines():
    try:
        text = open(path, encoding="utf-8", errors="replace").read()
        sqlglot.parse(text, error_level=ErrorLevel.IGNORE)
    except (SqlglotError, RecursionError, OSError, ValueError, AttributeError, TypeError, IndexError):
        pass
"""
"""What parsing alone takes; a file that sqlglot fails over counts as far as it came."""


DIALECTS = """
from collections import Counter
from lineal.projects import load
found = Counter(script.dialect or "unknown" for script in load(".").scripts)
print(*(dialect for dialect, _ in found.most_common(6)))
"""
"""The dialects of the scripts, the most frequent one first."""


def run_child(command: list[str], folder: Path, text: str = "") -> tuple[int, str, float]:
    """Return the exit code and output of a command, and the CPU seconds of it and its children."""
    before = cpu_of_children()
    done = subprocess.run(
        command,
        cwd=folder,
        input=text,
        capture_output=True,
        text=True,
        timeout=MOST_SECONDS,
        check=False,
    )
    return done.returncode, done.stdout, cpu_of_children() - before


def cpu_of_children() -> float:
    """Return the CPU seconds of all children so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(checkout: Path) -> dict[str, Any]:
    """Return the ledger, the most frequent diagnostics and the CPU time of one checkout."""
    lineal = [sys.executable, "-m", "lineal", "lineage", ".", "--output", "json", "--no-cache"]
    started = time.monotonic()
    code, output, cpu = run_child([*lineal, "--fail-on", "never"], checkout)
    found: dict[str, Any] = {"repository": checkout.name.replace("+", "/", 1), "exit": code}
    if code:
        return found
    document = json.loads(output)
    ledger = document["coverage"]
    codes = Counter(each["code"] for each in document["diagnostics"])
    files = [str(path) for path in checkout.rglob("*") if path.suffix.lower() in ENDINGS]
    parse_cpu = run_child([sys.executable, "-c", PARSE], checkout, "\n".join(files))[2]
    return found | {
        "percent": ledger["percent"],
        "files": {key: ledger["files"][key] for key in ("found", "due", "read", "rendered")},
        "statements": {key: ledger["statements"][key] for key in ("found", "parsed", "evaluated")},
        "columns": {key: ledger["columns"][key] for key in ("named", "resolved")},
        "edges": len(document["edges"]),
        "diagnostics": dict(codes.most_common(TOP)),
        "internal_errors": codes["internal-error"],
        "dialects": run_child([sys.executable, "-c", DIALECTS], checkout)[1].split(),
        "cpu": round(cpu, 1),
        "parse_cpu": round(parse_cpu, 1),
        "wall": round(time.monotonic() - started, 1),
    }


def row_of(found: dict[str, Any]) -> str:
    """Return the line of a repository."""
    name = found["repository"]
    if found["exit"]:
        return f"{name:<45} failed with exit code {found['exit']}"
    files, statements, columns = found["files"], found["statements"], found["columns"]
    top = ", ".join(f"{code} {count:,}" for code, count in found["diagnostics"].items())
    share = "no file is due" if found["percent"] is None else f"{found['percent']:.1f} %"
    return (
        f"{name:<45} {share:>7}  {'+'.join(found['dialects'][:2]):<20} files {files['rendered']:,}/{files['due']:,}  "
        f"statements {statements['evaluated']:,}/{statements['found']:,}  "
        f"columns {columns['resolved']:,}/{columns['named']:,}  "
        f"CPU {found['cpu']:.1f} s ({found['parse_cpu']:.1f} s to parse)  {top}"
    )


KEPT = (
    "exit",
    "percent",
    "files",
    "statements",
    "columns",
    "edges",
    "diagnostics",
    "internal_errors",
)
"""What must not change without a reason; CPU time may."""


def changes_of(found: dict[str, Any], before: dict[str, Any] | None) -> list[str]:
    """Return what differs from the recorded figures."""
    if before is None:
        return ["not recorded"]
    return [
        f"{key}: {before.get(key)} → {found.get(key)}"
        for key in KEPT
        if before.get(key) != found.get(key)
    ]


def main() -> int:
    """Run over all checkouts; 1 if a repository fails or differs from what is recorded."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--record", action="store_true")
    options.add_argument("--only", nargs="*", help="names of checkouts")
    asked = options.parse_args()
    recorded = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.is_file() else {}
    is_bad = False
    for checkout in sorted(path for path in asked.folder.iterdir() if path.is_dir()):
        if asked.only and checkout.name not in asked.only:
            continue
        found = measure(checkout)
        print(row_of(found), flush=True)
        for change in changes_of(found, recorded.get(found["repository"])):
            print(f"    {change}", flush=True)
            is_bad = is_bad or not asked.record
        is_bad = is_bad or bool(found["exit"])
        if asked.record:
            recorded[found["repository"]] = found
            text = json.dumps(dict(sorted(recorded.items())), indent=1) + "\n"
            RECORDED.write_text(text, encoding="utf-8")
    return int(is_bad)


if __name__ == "__main__":
    sys.exit(main())
