"""Counts the models and tasks of checkouts that have column lineage.

    python bench/kinds.py folder              a row for each repository, and a sum for each kind
    python bench/kinds.py folder --missing    also each model or task without column lineage

A checkout is a folder called owner+name. `lineal lineage .` runs at its root without options. What
is due is counted by a light scan of the text that shares no code with lineal:

    sqlmesh     files with MODEL ( … ) whose query selects columns from a table
    dataform    .sqlx files with such a query, and calls of publish() and operate() in JavaScript
    python      Airflow operators with SQL, and calls that are handed a text of SQL

A model counts if one of its columns has a source. Three reasons are counted apart, because the
repository does not tell the columns: the text is computed, its file is in another repository, or
nothing but a star over a table is selected. They are printed, and a second share leaves them out.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

MOST_SECONDS = 900
SKIPPED = {".git", "node_modules", ".venv", "venv", "site-packages", "__pycache__", "tests"}
COMMENT = re.compile(
    r"--[^\n]*|/\*.*?\*/|\{#.*?#\}|\bextract\s*\(\s*\w+\s+from\b", re.DOTALL | re.I
)
SPREAD = re.DOTALL | re.IGNORECASE
QUERY = re.compile(r"\bselect\b(?P<items>.*?)\bfrom\b", SPREAD)
CHANGE = re.compile(r"\bmerge\s+into\b|\bupdate\s+\S+\s+(?:\w+\s+)?set\b.*\bfrom\b", SPREAD)
EMPTY_ITEM = re.compile(
    r"(?:distinct\s+)?(?:count\s*\(\s*(?:\*|1)\s*\)|\d+|'[^']*'|null)(?:\s+as)?(?:\s+\w+)?",
    re.IGNORECASE,
)
SQL_KEYS = ("sql", "hql", "bql", "query", "sql_query", "select_query", "configuration")
SQL_CALLS = (
    "execute", "read_sql", "read_sql_query", "read_gbq", "get_records", "get_first",
    "get_pandas_df", "sql", "query", "run", "exec_driver_sql",
)  # fmt: skip
SQL_START = re.compile(r"\s*(?:with|select|insert|create|merge|update|replace)\b", re.IGNORECASE)


class Unit(NamedTuple):
    """A model or task with SQL: its name, and the lines of its text."""

    kind: str
    name: str
    file: str
    first: int
    last: int
    text_file: str = ""
    """The file of SQL that a task names."""
    spans: tuple[tuple[int, int], ...] = ()
    """The lines of the texts that a call is given."""
    untold: str = ""
    """Why the repository does not tell its columns: computed, elsewhere, star."""
    names: str = ""
    """A pattern for the names of tasks that a loop makes: load_{table}"""


def selects_columns(text: str) -> bool:
    """Tell whether a text selects more than counts and constants from a table."""
    bare = COMMENT.sub(" ", text)
    if CHANGE.search(bare):
        return True
    for found in QUERY.finditer(bare):
        items = [item.strip() for item in found["items"].split(",")]
        if not all(EMPTY_ITEM.fullmatch(item) for item in items):
            return True

    return False


STAR = re.compile(r"\s*(?:distinct\s+)?(?:\w+\.)?\*\s*", re.IGNORECASE)


def selects_only_stars(text: str) -> bool:
    """Tell whether a text selects nothing but all columns of tables."""
    bare = COMMENT.sub(" ", text)
    lists = [found["items"] for found in QUERY.finditer(bare)]
    return bool(lists) and all(STAR.fullmatch(items) for items in lists)


def files_of(folder: Path, ending: str) -> Iterator[tuple[Path, str]]:
    """Yield the files with an ending and their texts."""
    for path in sorted(folder.rglob(f"*{ending}")):
        inner = path.relative_to(folder).parts
        if not SKIPPED & set(inner) and path.is_file():
            yield path, path.read_text(encoding="utf-8", errors="replace")


# -- SQLMesh ---------------------------------------------------------------------------------------

HEADER = re.compile(r"^\s*MODEL\s*\(", re.IGNORECASE | re.MULTILINE)
NAME = re.compile(r"\bname\s+([^\s,]+)")
MACRO_BODY = re.compile(r"\s*@\w+\s*\(")
"""A model whose whole query is written by a macro."""
NO_QUERY = re.compile(r"\bkind\s+(seed|external)\b|\benabled\s+false\b", re.IGNORECASE)


def sqlmesh_units(folder: Path) -> Iterator[Unit]:
    """models/*.sql with MODEL ( … )"""
    for path, text in files_of(folder, ".sql"):
        header = HEADER.search(COMMENT.sub("", text))
        if header is None or NO_QUERY.search(text):
            continue
        body = text[text.find(");") + 2 :]
        name = NAME.search(text)
        if selects_columns(body) or MACRO_BODY.match(COMMENT.sub("", body)):
            file = str(path.relative_to(folder))
            lines = text.count("\n") + 1
            is_named = name is not None and name.start() < text.find(");")
            untold = "star" if selects_only_stars(body) else ""
            unit = Unit("sqlmesh", name[1] if is_named else path.stem, file, 1, lines)
            yield unit._replace(untold=untold)


# -- Dataform --------------------------------------------------------------------------------------

CONFIG = re.compile(r"\bconfig\s*\{.*?\n\}", re.DOTALL)
OFF = re.compile(r"disabled\s*:\s*true|type\s*:\s*[\"'](declaration|test|notebook)[\"']")
DEFINER = re.compile(r"^\s*(?:\w+\s*=\s*)?(publish|operate)\(", re.MULTILINE)


def dataform_units(folder: Path) -> Iterator[Unit]:
    """definitions/*.sqlx, and publish(…) in definitions/*.js"""
    for path, text in files_of(folder, ".sqlx"):
        if "definitions" not in path.relative_to(folder).parts:
            continue
        config = CONFIG.search(text)
        if config is not None and OFF.search(config[0]):
            continue
        body = CONFIG.sub("", text, count=1)
        file = str(path.relative_to(folder))
        if selects_columns(body):
            untold = "star" if selects_only_stars(body) else ""
            unit = Unit("dataform", path.stem, file, 1, text.count("\n") + 1)
            yield unit._replace(untold=untold)

    for path, text in files_of(folder, ".js"):
        file = str(path.relative_to(folder))
        if "definitions" not in file.split("/"):
            continue
        starts = [found.start() for found in DEFINER.finditer(text)]
        for start, end in zip(starts, [*starts[1:], len(text)], strict=False):
            body = text[start:end]
            if selects_columns(body) and not OFF.search(body.partition("`")[0]):
                untold = "star" if selects_only_stars(body) else ""
                first = text.count("\n", 0, start) + 1
                last = text.count("\n", 0, end) + 1
                unit = Unit("dataform", path.stem, file, first, last)
                yield unit._replace(untold=untold)


# -- SQL inside Python -----------------------------------------------------------------------------


class Texts:
    """The texts that the names of a Python file are bound to."""

    def __init__(self, tree: ast.Module, folder: Path, path: Path) -> None:
        self.folder = folder
        self.path = path
        self.spans: list[tuple[int, int]] = []
        """The lines of the texts that the last question has met."""
        self.names: dict[str, ast.expr] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self.names[target.id] = node.value

    def text_of(self, node: ast.expr | None, depth: int = 0) -> str | None:
        """Return the text of an expression; None if only a run knows it."""
        if node is None or depth > 20:
            return None
        if isinstance(node, (ast.Constant, ast.JoinedStr)):
            self.spans.append((node.lineno, node.end_lineno or node.lineno))
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else None
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "x" for part in node.values]
            return "".join(str(part) for part in parts)
        if isinstance(node, ast.Name):
            return self.text_of(self.names.get(node.id), depth + 1)
        if isinstance(node, ast.BinOp):
            left, right = self.text_of(node.left, depth + 1), self.text_of(node.right, depth + 1)
            return None if left is None else left + (right or "x")
        if isinstance(node, (ast.List, ast.Tuple)):
            several = [self.text_of(item, depth + 1) or "" for item in node.elts]
            return ";\n".join(several)
        if isinstance(node, ast.Dict):
            return self.of_dict(node, depth)
        if isinstance(node, ast.Call):
            return self.of_call(node, depth)
        return None

    def of_call(self, node: ast.Call, depth: int) -> str | None:
        """Return the text of "…".format(…), text("…"), dedent("…")."""
        if isinstance(node.func, ast.Attribute) and node.func.attr in (
            "format",
            "strip",
            "replace",
        ):
            return self.text_of(node.func.value, depth + 1)
        called = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if node.args and called in ("text", "dedent"):
            return self.text_of(node.args[0], depth + 1)
        return None

    def of_dict(self, node: ast.Dict, depth: int) -> str | None:
        """Return the query of a BigQuery configuration; '' for a load or a copy."""
        for key, item in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == "query":
                return self.text_of(item, depth + 1)

        return ""

    def of_file(self, name: str) -> tuple[str, str] | None:
        """Return the path and the text of a file of SQL that a task names."""
        near = [self.path.parent / name, self.folder / name.lstrip("/")]
        pattern = re.sub(r"\{[^}]*\}+", "*", name.lstrip("./"))
        if "*" in pattern:
            near = [*self.folder.glob(pattern), *self.path.parent.glob(pattern)]
        beside = list(self.folder.rglob(Path(name).name)) if "*" not in pattern else []
        tail = [path for path in beside if str(path).endswith(name.lstrip("./"))]
        for path in (*near, *tail, *beside):
            if path.is_file():
                text = path.read_text(encoding="utf-8", errors="replace")
                return str(path.resolve().relative_to(self.folder.resolve())), text

        return None


INCLUDE = re.compile(r"\s*\{%\s*include\s+[\"']([^\"']+)[\"']\s*%\}\s*")


def python_units(folder: Path) -> Iterator[Unit]:
    """Operators with SQL, and calls that are handed a text of SQL."""
    for path, text in files_of(folder, ".py"):
        if path.name.startswith("test_") or path.name == "conftest.py":
            continue
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        texts = Texts(tree, folder, path)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                unit = unit_of(node, texts)
                if unit is not None:
                    yield unit


def pattern_of(node: ast.expr | None) -> str:
    """Return a pattern for f"load_{table}"; empty if fewer than four letters of it are known."""
    if not isinstance(node, ast.JoinedStr):
        return ""
    known = [part.value for part in node.values if isinstance(part, ast.Constant)]
    if sum(len(str(each)) for each in known) < 4:
        return ""
    parts = [
        re.escape(str(part.value)) if isinstance(part, ast.Constant) else r"\w+"
        for part in node.values
    ]
    return "".join(parts)


def unit_of(node: ast.Call, texts: Texts) -> Unit | None:
    """Return the unit of a call; None if it runs no SQL that selects columns."""
    called = getattr(node.func, "id", getattr(node.func, "attr", ""))
    keywords = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    is_operator = called.endswith("Operator") and "task_id" in keywords
    held: ast.expr | None = None
    if is_operator:
        held = next((keywords[key] for key in SQL_KEYS if key in keywords), None)
    elif called in SQL_CALLS and node.args and isinstance(node.func, ast.Attribute):
        held = node.args[0]
    if held is None:
        return None

    texts.spans.clear()
    text = texts.text_of(held)
    spans = ((node.lineno, node.end_lineno or 0), *texts.spans)
    file = str(texts.path.relative_to(texts.folder))
    name = texts.text_of(keywords.get("task_id")) or f"{called}:{node.lineno}"
    kind = "operator" if is_operator else "call"
    unit = Unit(kind, name, file, node.lineno, node.end_lineno or 0, spans=spans)
    unit = unit._replace(names=pattern_of(keywords.get("task_id")))
    if text is None:
        return unit._replace(untold="computed") if is_operator else None

    included = INCLUDE.fullmatch(text)
    where = included[1] if included else text.strip()
    if where.endswith((".sql", ".hql")) and "\n" not in where:
        found = texts.of_file(where)
        if found is None:
            return unit._replace(untold="elsewhere")
        unit, text = unit._replace(text_file=found[0]), found[1]
    elif not is_operator and not SQL_START.match(COMMENT.sub("", text)):
        return None
    if not selects_columns(text):
        return None
    return unit._replace(untold="star" if selects_only_stars(text) else "")


# -- what lineal finds -----------------------------------------------------------------------------


class Lineage:
    """The edges between columns that lineal finds in a checkout."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.targets: set[str] = set()
        self.tasks: set[str] = set()
        self.lines: dict[str, set[int]] = defaultdict(set)
        for edge in document["edges"]:
            if edge["target"].get("column"):
                self.add(edge)

    def add(self, edge: dict[str, Any]) -> None:
        """Keep the target, the jobs and the places of an edge."""
        self.targets.add(edge["target"]["dataset"].lower())
        self.tasks.update(job.rpartition(".")[2] for job in edge.get("jobs", ()))
        places = [edge.get("place"), *(usage.get("place") for usage in edge["usages"])]
        for place in places:
            if place:
                self.lines[place["file"].removeprefix("./")].add(place["line"])

    def has(self, unit: Unit) -> bool:
        """Tell whether a model or task has column lineage."""
        if unit.text_file and self.lines.get(unit.text_file):
            return True
        if unit.kind == "operator" and unit.name in self.tasks:
            return True
        if unit.names and any(re.fullmatch(unit.names, task) for task in self.tasks):
            return True
        if unit.kind == "sqlmesh" and unit.name.strip("'\"").lower() in self.targets:
            return True

        lines = self.lines.get(unit.file, set())
        spans = unit.spans or ((unit.first, unit.last),)
        return any(first <= line <= last for first, last in spans for line in lines)


def measure(checkout: Path) -> tuple[list[Unit], list[Unit], str]:
    """Return what is due in a checkout, what of it has no column lineage, and what went wrong."""
    due = [*sqlmesh_units(checkout), *dataform_units(checkout), *python_units(checkout)]
    command = [sys.executable, "-m", "lineal", "lineage", ".", "--output", "json", "--no-cache"]
    done = subprocess.run(
        [*command, "--fail-on", "never"],
        cwd=checkout,
        capture_output=True,
        text=True,
        timeout=MOST_SECONDS,
        check=False,
    )
    if done.returncode or "Traceback" in done.stderr:
        return due, due, f"exit code {done.returncode}: {done.stderr[-300:]}"
    document = json.loads(done.stdout)
    internal = sum(each["code"] == "internal-error" for each in document["diagnostics"])
    found = Lineage(document)
    missing = [unit for unit in due if not found.has(unit)]
    return due, missing, f"{internal} internal errors" if internal else ""


LEAST = 0.9
"""The share of models and tasks that must have column lineage."""


class Sum:
    """The models or tasks of one kind: those due, those with lineage, and why the others have none."""

    def __init__(self) -> None:
        self.due = 0
        self.held = 0
        self.untold: Counter[str] = Counter()

    def add(self, due: list[Unit], missing: list[Unit]) -> None:
        """Add those of a checkout."""
        lost = [unit for unit in due if unit in missing]
        self.due += len(due)
        self.held += len(due) - len(lost)
        self.untold.update(unit.untold for unit in lost if unit.untold)

    @property
    def share(self) -> float:
        """Return the share of those whose columns the repository tells."""
        told = self.due - self.untold.total()
        return self.held / told if told else 1.0

    def __str__(self) -> str:
        text = f"{self.held}/{self.due} = {100 * self.held / self.due:.1f} %"
        if not self.untold:
            return text
        reasons = ", ".join(f"{count} {reason}" for reason, count in self.untold.items())
        return f"{text}; without {reasons}: {100 * self.share:.1f} %"


def shares_of(due: list[Unit], missing: list[Unit]) -> str:
    """Return the shares of each kind that a checkout has."""
    shares = []
    for kind in dict.fromkeys(unit.kind for unit in due):
        found = Sum()
        found.add([unit for unit in due if unit.kind == kind], missing)
        shares.append(f"{kind} {found}")

    return "   ".join(shares)


def main() -> int:
    """Run over all checkouts; 1 if one fails, or a kind has less than 90 %."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--missing", action="store_true", help="list what has no column lineage")
    options.add_argument("--only", nargs="*", help="names of checkouts")
    asked = options.parse_args()
    sums = {kind: Sum() for kind in ("sqlmesh", "dataform", "operator", "call")}
    is_bad = False

    for checkout in sorted(path for path in asked.folder.iterdir() if path.is_dir()):
        if asked.only and checkout.name not in asked.only:
            continue
        due, missing, wrong = measure(checkout)
        is_bad = is_bad or bool(wrong)
        print(
            f"{checkout.name.replace('+', '/', 1):<50} {shares_of(due, missing)}  {wrong}",
            flush=True,
        )
        for kind, held in sums.items():
            held.add([unit for unit in due if unit.kind == kind], missing)
        for unit in missing if asked.missing else ():
            print(f"    {unit.kind} {unit.file}:{unit.first} {unit.name} {unit.untold}")

    for kind, held in sums.items():
        if held.due:
            print(f"{kind:<50} {held}")
            is_bad = is_bad or held.share < LEAST
    return int(is_bad)


if __name__ == "__main__":
    sys.exit(main())
