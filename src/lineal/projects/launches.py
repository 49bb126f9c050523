"""How a repository starts its programs: Databricks bundles, spark-submit and Airflow.

Only arguments that are written out are taken; a program that is started in several ways keeps its
parameters open.
"""

from __future__ import annotations

import ast
import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from lineal.model.boundary import attempt_each
from lineal.model.diagnostic import Place
from lineal.model.late_pattern import late_pattern
from lineal.model.plain import as_list, as_mapping, mappings_in
from lineal.model.script import Launch, Script
from lineal.projects.intake import is_regular
from lineal.projects.text import Report, read_text, start_of
from lineal.projects.yaml import NOTHING, parse

LARGEST = 1_000_000
SHELL = (".sh", ".bash")
TASKS = late_pattern(r"notebook_task|spark_python_task")
OPEN = late_pattern(r"\$|\{\{")
"""A part of a value that is filled in later."""

FLAGS = frozenset(("--verbose", "-v", "--supervise"))
"""Options of spark-submit without a value."""

OPERATORS = late_pattern(r"SparkSubmitOperator\s*\(")


def launches_in(
    files: Sequence[Path], scripts: Sequence[Script], report: Report
) -> dict[str, Launch]:
    """Return how programs are started, by their file; None of those started in several ways."""
    names = [script.file.replace("\\", "/") for script in scripts]
    several: dict[str, list[Launch]] = {}
    for home, target, launch in find_launches(files, scripts, report):
        name = file_named(home, target, names)
        if name is not None and launch not in several.setdefault(name, []):
            several[name].append(launch)

    return {name: found[0] for name, found in several.items() if len(found) == 1}


def find_launches(
    files: Sequence[Path], scripts: Sequence[Script], report: Report
) -> Iterator[tuple[str, str, Launch]]:
    """Yield the folder that a program is started from, its path as it is written, and how."""
    read = partial(launches_of_file, report=report)
    for found in attempt_each(files, read, start_of, report, "this file"):
        yield from found

    for found in attempt_each(
        scripts, launches_of_program, start_of_program, report, "this program"
    ):
        yield from found


def launches_of_file(file: Path, report: Report) -> list[tuple[str, str, Launch]]:
    """Return the launches in a shell script, or in the YAML of a bundle."""
    suffix = file.suffix.lower()
    if suffix not in (*SHELL, ".yml", ".yaml") or not is_regular(file):
        return []

    text = read_text(file, report) if file.stat().st_size <= LARGEST else None
    home = file.parent.as_posix()
    if text and suffix in SHELL and "spark-submit" in text:
        return launches_below(home, launches_in_shell(text))

    if text and suffix not in SHELL and TASKS.search(text):
        parsed = parse(text, str(file), report) or NOTHING
        return launches_below(home, tasks_of(parsed.plain()))

    return []


def launches_of_program(script: Script) -> list[tuple[str, str, Launch]]:
    """Return the launches that a program of Airflow writes out."""
    if not OPERATORS.search(script.text):
        return []

    home = posixpath.dirname(script.file.replace("\\", "/"))
    return launches_below(home, operators_in(script.text))


def start_of_program(script: Script) -> Place:
    """Return where a program starts."""
    return Place(script.file, script.line, 1)


def launches_below(
    home: str, launches: Iterable[tuple[str, Launch]]
) -> list[tuple[str, str, Launch]]:
    """Return launches with the folder that their paths are relative to."""
    return [(home, target, launch) for target, launch in launches]


def file_named(home: str, target: str, names: Iterable[str]) -> str | None:
    """Return the script that a path means: from the folder of its definition, else the only one."""
    asked = posixpath.normpath(target)
    beside = posixpath.normpath(posixpath.join(home, asked))
    tail = "/" + asked.removeprefix("./").lstrip("./")
    spelled = {ending: name for name in names for ending in (name, without_ending(name))}
    if beside in spelled:
        return spelled[beside]

    alike = {name for each, name in spelled.items() if f"/{each}".endswith(tail)}
    return alike.pop() if len(alike) == 1 else None


def without_ending(name: str) -> str:
    """Return the path of a notebook as Databricks spells it."""
    return re.sub(r"\.(py|ipynb)$", "", name)


def is_literal(held: object) -> bool:
    """Tell whether a value is written out."""
    return isinstance(held, (str, int, float)) and not OPEN.search(str(held))


def launch_with(arguments: object, parameters: Mapping[str, object]) -> Launch | None:
    """Return a launch; None where arguments are not all written out."""
    words = as_list(arguments)
    if not all(map(is_literal, words)):
        return None

    given = {str(key): str(held) for key, held in parameters.items() if is_literal(held)}
    return Launch(tuple(map(str, words)), tuple(sorted(given.items())))


# -- Databricks ------------------------------------------------------------------------------------


def tasks_of(document: object) -> Iterator[tuple[str, Launch]]:
    """Yield the notebooks and files that the jobs of a bundle start, with their parameters."""
    for job in jobs_in(document):
        named = mappings_in(job.get("parameters"))
        shared = {str(each.get("name")): each.get("default") for each in named}
        for task in mappings_in(job.get("tasks")):
            notebook = as_mapping(task.get("notebook_task"))
            file = as_mapping(task.get("spark_python_task"))
            if notebook:
                own = as_mapping(notebook.get("base_parameters"))
                launch = launch_with(None, {**own, **shared})
                target = notebook.get("notebook_path")
            else:
                launch = launch_with(file.get("parameters"), shared)
                target = file.get("python_file")

            if launch is not None and isinstance(target, str):
                yield target, launch


def jobs_in(document: object) -> Iterator[dict[str, Any]]:
    """Yield the jobs of a bundle, or the one job of a definition by itself."""
    bundle = as_mapping(document)
    if isinstance(bundle.get("tasks"), list):
        yield bundle

    jobs = as_mapping(as_mapping(bundle.get("resources")).get("jobs"))
    yield from map(as_mapping, jobs.values())


# -- spark-submit and Airflow ----------------------------------------------------------------------


def launches_in_shell(text: str) -> Iterator[tuple[str, Launch]]:
    """Yield the programs that a shell script gives to spark-submit.

    spark-submit --master yarn jobs/daily.py raw.orders mart.daily
    """
    for line in text.replace("\\\n", " ").splitlines():
        at = line.find("spark-submit")
        if at < 0 or line.lstrip().startswith("#"):
            continue

        try:
            words = shlex.split(line[at:], comments=True)[1:]
        except ValueError:
            continue

        while words and words[0].startswith("-"):
            takes = 1 if "=" in words[0] or words[0] in FLAGS else 2
            words = words[takes:]

        launch = launch_with(words[1:], {}) if words else None
        if launch is not None and words[0].endswith(".py") and not OPEN.search(words[0]):
            yield words[0], launch


def operators_in(text: str) -> Iterator[tuple[str, Launch]]:
    """Yield the programs that Airflow submits.

    SparkSubmitOperator(application="jobs/daily.py", application_args=["raw.orders"])
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return

    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not is_operator(node.func):
            continue

        given = {each.arg: each.value for each in node.keywords if each.arg is not None}
        application = given.get("application")
        listed = given.get("application_args")
        parts = listed.elts if isinstance(listed, (ast.List, ast.Tuple)) else []
        words = [part.value if isinstance(part, ast.Constant) else None for part in parts]
        launch = launch_with(words, {})
        if launch is not None and isinstance(application, ast.Constant):
            yield str(application.value), launch


def is_operator(node: ast.expr) -> bool:
    """Tell whether a call makes a task of spark-submit."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name == "SparkSubmitOperator"
