"""Holds lineal against the graph that Dataform compiles.

    python bench/against_dataform.py project [project …] --dataform CLI [--core 3.0.62]

CLI is the command of @dataform/cli from npm; it executes the JavaScript of the project. Each project
is compiled in a copy. lineal must have every table, view and incremental table, and every table that
one of them depends on. Dependencies that only the configuration names, and no query, order the run
and carry no data: they do not count.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SETTINGS = "workflow_settings.yaml"
KEYS = {
    "defaultDatabase": "defaultProject", "defaultSchema": "defaultDataset",
    "assertionSchema": "defaultAssertionDataset", "defaultLocation": "defaultLocation",
    "vars": "vars",
}  # fmt: skip
"""The keys of dataform.json, and how workflow_settings.yaml calls them."""


def compile_copy(project: Path, cli: str, core: str) -> dict[str, Any]:
    """Return the compiled graph of a project."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "project"
        shutil.copytree(project, copy, ignore=shutil.ignore_patterns(".git", "node_modules"))
        prepare(copy, core)
        command = [cli, "compile", "--json", str(copy)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        start = done.stdout.find("{")
        if start < 0:
            sys.exit(
                f"Dataform does not compile {project}:\n{(done.stderr or done.stdout)[-1500:]}"
            )
        found: dict[str, Any] = json.loads(done.stdout[start:])
        return found


def prepare(project: Path, core: str) -> None:
    """Name the version of Dataform, which the command asks for."""
    for name in ("package.json", "package-lock.json"):
        (project / name).unlink(missing_ok=True)
    settings, old = project / SETTINGS, project / "dataform.json"
    if not settings.is_file() and old.is_file():
        held = json.loads(old.read_text(encoding="utf-8"))
        renamed = {new: held[key] for key, new in KEYS.items() if key in held}
        settings.write_text(json.dumps(renamed), encoding="utf-8")
        old.unlink()
    text = settings.read_text(encoding="utf-8") if settings.is_file() else ""
    if "dataformCoreVersion" not in text and text.lstrip().startswith("{"):
        text = json.dumps({**json.loads(text), "dataformCoreVersion": core})
    elif "dataformCoreVersion" not in text:
        text = f"{text.rstrip()}\ndataformCoreVersion: {core}\n"
    settings.write_text(re.sub(r"(dataformCoreVersion:\s*)\S+", rf"\g<1>{core}", text), "utf-8")


def name_of(target: dict[str, str]) -> str:
    """Return the name of a table without its project."""
    return f"{target.get('schema', '')}.{target['name']}".lower()


def sql_of(action: dict[str, Any]) -> str:
    """Return all SQL of an action, also that of an incremental run."""
    several = ("preOps", "postOps", "incrementalPreOps", "incrementalPostOps")
    texts = [action.get("query", ""), action.get("incrementalQuery", "")]
    texts += [text for key in several for text in action.get(key, ())]
    return "\n".join(texts)


def ask_lineal(project: Path) -> dict[str, set[str]]:
    """Return the tables that each table reads, as lineal has them; sources that nobody reads, too."""
    command = [sys.executable, "-m", "lineal", "lineage", str(project), "--output", "json"]
    options = ["--no-cache", "--fail-on", "never"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    document = json.loads(done.stdout)
    found: dict[str, set[str]] = {
        without_project(each["name"]): set() for each in document["datasets"]
    }
    for edge in document["edges"]:
        source, target = edge["source"]["dataset"], edge["target"]["dataset"]
        found.setdefault(without_project(target), set()).add(without_project(source))
    for read in document["reads"]:
        found.setdefault(without_project(read["target"]), set()).add(
            without_project(read["dataset"])
        )
    return found


def without_project(name: str) -> str:
    """Return a name without its project: p.d.t is d.t."""
    return ".".join(name.lower().split(".")[-2:])


def compare(project: Path, cli: str, core: str) -> bool:
    """Print what lineal lacks of a project; tell whether it lacks anything."""
    graph = compile_copy(project, cli, core)
    ours = ask_lineal(project)
    actions = [each for each in graph.get("tables", ()) if not each.get("disabled")]
    made = {name_of(each["target"]) for each in actions}
    sources = {name_of(each["target"]) for each in graph.get("declarations", ())}
    pairs = [
        (name_of(each["target"]), name_of(target))
        for each in actions
        for target in each.get("dependencyTargets", ())
        if f"{target['name']}`" in sql_of(each)
    ]
    tables = [pair for pair in pairs if pair[1] in made | sources]
    absent = sorted(made - set(ours))
    missing = [
        f"{source} -> {target}" for target, source in tables if source not in ours.get(target, ())
    ]
    print(
        f"{project.name}: tables {len(made) - len(absent)} of {len(made)}, "
        f"dependencies {len(tables) - len(missing)} of {len(tables)}"
    )
    for each in (*absent, *missing):
        print(f"    missing {each}")
    return bool(absent or missing)


def main() -> int:
    """Compare all projects; 1 if lineal lacks a table or a dependency."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("projects", nargs="+", type=Path)
    options.add_argument("--dataform", required=True, help="the command of @dataform/cli")
    options.add_argument("--core", default="3.0.62", help="the version of @dataform/core")
    asked = options.parse_args()
    found = [compare(project, asked.dataform, asked.core) for project in asked.projects]
    return int(any(found))


if __name__ == "__main__":
    sys.exit(main())
