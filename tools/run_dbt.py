"""Run the dbt projects below a folder of checkouts on local Spark, and report what becomes of each.

    python tools/run_dbt.py CHECKOUTS [--only NAME] [--details] [--json FILE]

Every project is copied to a temporary folder first: nothing is written to a checkout. Packages that
a project asks for are taken from the other checkouts, as `dbt deps` would take them from the
network.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from lineal.projects import load
from lineal.spark.run.pipeline import Options, run
from lineal.spark.run.result import Outcome, Status, Summary
from lineal.spark.session import session

PROJECT = "dbt_project.yml"
LEFT_OUT = (
    ".git",
    "target",
    "logs",
    "dbt_packages",
    "dbt_modules",
    ".lineal",
    "node_modules",
    "docs",
)
MODELS = ("view", "table", "incremental", "python")
COLUMNS = (
    "project",
    "models",
    "ok",
    "failed",
    "skipped",
    "others ok",
    "tests",
    "passed",
    "failed",
    "skipped",
    "static =",
)
SPARK = {
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.sql.shuffle.partitions": "1",
}


@dataclass
class Result:
    """What became of one project."""

    name: str
    outcomes: tuple[Outcome, ...] = ()
    seconds: float = 0.0
    problem: str = ""
    notes: list[str] = field(default_factory=list)

    def row(self) -> tuple[str, ...]:
        """The project's line of the table."""
        if self.problem:
            return (self.name, *["-"] * (len(COLUMNS) - 2), self.problem)
        models = [each for each in self.outcomes if each.kind in MODELS]
        others = [each for each in self.outcomes if each.kind not in (*MODELS, "test", "function")]
        tests = Counter(test.status for each in self.outcomes for test in each.tests)
        counts = Counter(each.status for each in models)
        compared = [each.agreement for each in self.outcomes if each.agreement is not None]
        agree = sum(each.agrees for each in compared)
        numbers = (
            len(models),
            sum(each.status.stands for each in models),
            counts[Status.FAILED],
            counts[Status.SKIPPED],
            f"{sum(each.status.stands for each in others)}/{len(others)}",
            sum(tests.values()),
            tests["passed"] + tests["warned"],
            tests["failed"],
            tests["skipped"],
            f"{agree}/{len(compared)}",
        )
        return (self.name, *map(str, numbers))

    def details(self) -> Iterator[str]:
        """Why a node failed, a test was not run, or the two lineages differ."""
        for each in self.outcomes:
            if each.because:
                continue
            for fault in each.faults:
                yield f"{each.status.value:<8} {each.name}: {fault}"
            for note in each.notes:
                yield f"note     {each.name}: {note}"
            for test in each.tests:
                if test.status != "passed":
                    yield f"{test.status:<8} {each.name}: {test}"
            if each.agreement is not None and not each.agreement.agrees:
                said = [each.agreement.problem, *map(str, each.agreement.disagreements)]
                yield f"differs  {each.name}: {'; '.join(text for text in said if text)[:600]}"


def projects_in(checkouts: Path) -> Iterator[Path]:
    """Every folder with a dbt_project.yml that is no installed package."""
    for file in sorted(checkouts.rglob(PROJECT)):
        if not set(file.relative_to(checkouts).parts) & {"dbt_packages", "dbt_modules", "target"}:
            yield file.parent


def names_of(folders: list[Path]) -> dict[str, Path]:
    """The projects by the names that packages.yml calls them by."""
    found: dict[str, Path] = {}
    for folder in folders:
        try:
            about = yaml.safe_load((folder / PROJECT).read_text("utf-8"))
        except (OSError, yaml.YAMLError):
            continue
        if isinstance(about, dict) and about.get("name"):
            found.setdefault(str(about["name"]), folder)
    return found


def install(folder: Path, known: dict[str, Path], into: Path, origin: Path) -> None:
    """Copy what packages.yml asks for, and what that asks for, as far as it is among the checkouts."""
    for file in ("packages.yml", "dependencies.yml"):
        try:
            about = yaml.safe_load((origin / file).read_text("utf-8")) or {}
        except (OSError, yaml.YAMLError):
            continue
        for each in about.get("packages") or ():
            local = (
                origin / str(each["local"]) if isinstance(each, dict) and "local" in each else None
            )
            asked = (
                str(each.get("package") or each.get("git") or "").rstrip("/")
                if isinstance(each, dict)
                else ""
            )
            name = asked.removesuffix(".git").rpartition("/")[2].replace("-", "_")
            found = (
                local
                if local is not None
                else known.get(name) or known.get(name.removeprefix("dbt_"))
            )
            if found is None or not (found / PROJECT).is_file():
                continue
            target = into / found.resolve().name
            if not target.exists():
                copy(found, target)
                install(folder, known, into, found)


def copy(source: Path, target: Path) -> None:
    shutil.copytree(
        source, target, ignore=shutil.ignore_patterns(*LEFT_OUT, "integration_tests"), symlinks=True
    )


def run_project(folder: Path, name: str, known: dict[str, Path], spark: Any) -> Result:
    """Run one project in a copy of it."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="lineal-dbt-") as place:
        here = Path(place) / "project"
        copy(folder, here)
        (here / "packages.yml").unlink(missing_ok=True)
        (here / "dependencies.yml").unlink(missing_ok=True)
        install(here, known, here / "dbt_packages", folder)
        try:
            corpus = load(here, to_run=True)
            if not corpus.steps:
                return Result(name, problem="there is nothing to run")
            *_, summary = run(corpus, Options(here, threads=2), spark)
        except Exception as problem:  # the next project is run, whatever becomes of this one
            traceback.print_exc()
            return Result(name, problem=f"{type(problem).__name__}: {problem}"[:200])
    assert isinstance(summary, Summary)
    return Result(name, summary.outcomes, time.monotonic() - began)


def format_results(results: list[Result]) -> str:
    rows = [COLUMNS, *(result.row() for result in results)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(COLUMNS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--only", default="", help="run projects whose path has this in it")
    parser.add_argument(
        "--details", action="store_true", help="say why nodes failed and tests were not run"
    )
    parser.add_argument("--json", type=Path, help="write what was found to this file")
    given = parser.parse_args()
    folders = list(projects_in(given.checkouts))
    if not folders:
        sys.stderr.write(f"there is no {PROJECT} below {given.checkouts}\n")
        return 2
    known = names_of(folders)
    spark = session("local[2]", SPARK)
    results = []
    for folder in folders:
        name = str(folder.relative_to(given.checkouts))
        if given.only in name:
            sys.stderr.write(f"{name}\n")
            results.append(run_project(folder, name, known, spark))
            if given.details:
                sys.stdout.write(
                    f"\n{name}\n" + "".join(f"  {line}\n" for line in results[-1].details())
                )
                sys.stdout.flush()
    sys.stdout.write(format_results(results) + "\n")
    if given.json:
        data = [{"row": result.row(), "details": list(result.details())} for result in results]
        given.json.write_text(json.dumps(data, indent=1), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
