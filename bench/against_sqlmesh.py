"""Holds lineal against SQLMesh's own column lineage.

    python bench/against_sqlmesh.py project [project …] --python PYTHON [--config NAME]

PYTHON is an interpreter with SQLMesh. It loads the projects and lists, for each model in SQL, the
tables that the model depends on and the columns that each column depends on. lineal must have every
table and every column; columns that only lineal has are counted, not judged: SQLMesh leaves out
columns that reach a model only through a star of an unknown table.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ASK = """
import json, sys
from sqlmesh import Context
from sqlmesh.core.lineage import column_dependencies
chosen = {"config": sys.argv[2]} if sys.argv[2] else {}
context = Context(paths=sys.argv[1].split(","), **chosen)
tables, columns, untold = {}, {}, []
for model in context.models.values():
    if not model.is_sql:
        continue
    tables[model.name] = sorted(str(each).replace('"', "") for each in model.depends_on)
    for column in model.columns_to_types or {}:
        try:
            found = column_dependencies(context, model.name, column)
        except Exception as problem:
            untold.append(f"{model.name}.{column}: {problem}"[:200])
            continue
        columns[model.name + "." + column] = sorted(
            table.replace('"', "") + "." + name for table, names in found.items() for name in names
        )
print(json.dumps({"tables": tables, "columns": columns, "untold": untold}))
"""
"""Run by the interpreter that has SQLMesh: it executes the macros and the configuration."""


def ask_sqlmesh(python: str, projects: list[str], config: str) -> dict[str, Any]:
    """Return the tables and columns of each model, as SQLMesh has them."""
    command = [python, "-c", ASK, ",".join(projects), config]
    own = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=own)
    if done.returncode:
        sys.exit(f"SQLMesh does not load the project:\n{(done.stderr or done.stdout)[-2000:]}")

    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def ask_lineal(projects: list[str]) -> dict[str, Any]:
    """Return the same, as lineal has them: columns of every way, tables of every read."""
    tables: dict[str, set[str]] = {}
    columns: dict[str, set[str]] = {}
    folder = os.path.commonpath(projects)  # several projects are one graph
    command = [sys.executable, "-m", "lineal", "lineage", folder, "--output", "json"]
    options = ["--no-cache", "--fail-on", "never"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    document = json.loads(done.stdout)
    for edge in document["edges"]:
        target, source = edge["target"], edge["source"]
        tables.setdefault(target["dataset"], set()).add(source["dataset"])
        if target.get("column"):
            key = f"{target['dataset']}.{target['column']}"
            columns.setdefault(key, set()).add(f"{source['dataset']}.{source['column']}")
    for read in document["reads"]:
        tables.setdefault(read["target"], set()).add(read["dataset"])
    return {"tables": tables, "columns": columns}


def last_parts(name: str, parts: int) -> str:
    """Return the last parts of a name, as names compare: memory.sushi.orders is sushi.orders."""
    return ".".join(name.lower().split(".")[-parts:])


def missing_from(asked: dict[str, Any], held: dict[str, Any], parts: int) -> tuple[int, list[str]]:
    """Return how many facts SQLMesh has, and those that lineal does not have."""
    known = {
        (last_parts(target, parts), last_parts(source, parts))
        for target, sources in held.items()
        for source in sources
    }
    facts = [
        (last_parts(target, parts), last_parts(source, parts))
        for target, sources in asked.items()
        for source in sources
    ]
    return len(facts), [
        f"{source} -> {target}" for target, source in facts if (target, source) not in known
    ]


def main() -> int:
    """Compare; 1 if lineal lacks a table or a column."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("projects", nargs="+")
    options.add_argument("--python", required=True, help="an interpreter with SQLMesh")
    options.add_argument("--config", default="", help="the name of the configuration")
    asked = options.parse_args()
    projects = [str(Path(each)) for each in asked.projects]
    theirs = ask_sqlmesh(asked.python, projects, asked.config)
    ours = ask_lineal(projects)
    is_bad = False
    for each in theirs["untold"]:
        print(f"SQLMesh itself does not tell: {each}")
    for what, parts in (("tables", 2), ("columns", 3)):
        count, missing = missing_from(theirs[what], ours[what], parts)
        print(f"{what}: {count - len(missing)} of {count}")
        for each in missing:
            print(f"    missing {each}")
        is_bad = is_bad or bool(missing)
    return int(is_bad)


if __name__ == "__main__":
    sys.exit(main())
