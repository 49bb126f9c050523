"""Build the history of dbt projects on DuckDB, and hold `lineal diff --select` against the results.

    python bench/histories.py CHECKOUTS --packages PACKAGES [--seeds SEEDS] [--commits 40]

Below CHECKOUTS are clones with their history, below PACKAGES the dbt packages that they ask for.
Below SEEDS are CSV files for clones whose large seeds are not there; every commit gets the same.
Every commit that touches the project is built with dbt into a database of its own. Between two
commits, every model whose rows or columns differ, and every test whose result differs, has to be in
the selection. A node that differs between two builds of one commit (a snapshot, `now()`) does not
count. The share saved is the part of the nodes that need not run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import yaml

ROOT = Path(__file__).resolve().parents[1]
PROJECT = "dbt_project.yml"
VARS = '{"load_source_data": true}'
"""jaffle-shop loads its seeds only if it is asked to."""
LONGEST = 300
TABLES = ("model", "seed", "snapshot")
"""The kinds of nodes that have rows; hooks have none."""
RENAMED = {"source-paths": "model-paths", "data-paths": "seed-paths"}
"""Settings of old versions of dbt, and their names today."""


@dataclass
class Built:
    """What dbt made of one commit."""

    rows: dict[str, str] = field(default_factory=dict)
    """model or seed → a digest of its columns and rows"""
    tests: dict[str, tuple[str, int]] = field(default_factory=dict)
    """test → its status, and how many rows fail"""

    @property
    def nodes(self) -> set[str]:
        """Return everything that dbt built or tested."""
        return {*self.rows, *self.tests}

    def differs_from(self, old: Built) -> set[str]:
        """Return the nodes whose results are not those of another build, or are new."""
        rows = {name for name, found in self.rows.items() if old.rows.get(name) != found}
        return rows | {name for name, found in self.tests.items() if old.tests.get(name) != found}


@dataclass
class Step:
    """Two commits, what differs between their results, and what was selected."""

    project: str
    commit: str
    subject: str
    differs: set[str]
    selected: set[str]
    nodes: int
    problem: str = ""
    """why `lineal diff` failed; '': it did not"""

    @property
    def missed(self) -> set[str]:
        """Return what differs and was not selected."""
        return self.differs - self.selected

    @property
    def saved(self) -> float:
        """Return the share of the nodes that need not run."""
        return 1 - len(self.selected) / self.nodes if self.nodes else 0.0


def main() -> int:
    """Check every clone, and fail if something was missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--packages", type=Path)
    parser.add_argument("--seeds", type=Path)
    parser.add_argument("--commits", type=int, default=40)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    steps: list[Step] = []
    for clone in sorted(each for each in asked.checkouts.iterdir() if (each / ".git").exists()):
        for step in History(clone, asked.packages, asked.seeds).check(asked.commits):
            show_step(step)
            steps.append(step)
    report(steps)
    if asked.json is not None:
        asked.json.write_text(json.dumps([vars_of(step) for step in steps], indent=2) + "\n")
    return int(any(step.missed or step.problem for step in steps) or not steps)


class History:
    """One clone; its commits are built one after the other."""

    def __init__(self, clone: Path, packages: Path | None, seeds: Path | None) -> None:
        self.clone = clone
        self.seeds = seeds
        self.packages = packages
        self.dbt = subprocess.run(
            [ROOT / "tools" / "dbt.sh"], capture_output=True, text=True, check=True
        ).stdout.strip()
        self.volatile: set[str] = set()
        """nodes that differ between two builds of one commit"""
        self.given = {file.stem for file in seeds.glob("*.csv")} if seeds is not None else set()
        """seeds that the clone lacks: their rows are the same at every commit"""

    def check(self, most: int) -> Iterator[Step]:
        """Compare each commit with the one before it; commits that dbt cannot build are said."""
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            copy = work / "clone"
            clone = ["git", "clone", "-q", "--shared", "--no-checkout", self.clone, copy]
            subprocess.run(clone, check=True)
            self.install(copy)
            before: tuple[str, Built] | None = None
            for commit, subject in self.commits(copy, most):
                built = self.build(copy, commit, work / commit)
                if built is None:
                    print(
                        f"{self.clone.name} {commit[:10]}: dbt does not build it", file=sys.stderr
                    )
                    continue
                if before is not None:
                    step = self.step(copy, before, (commit, built), subject)
                    if step.missed:
                        self.volatile |= self.find_volatile(copy, commit, built, work)
                        step.differs -= self.volatile
                    yield step
                before = commit, built

    def find_volatile(self, copy: Path, commit: str, built: Built, work: Path) -> set[str]:
        """Build a commit once more, and return the nodes whose results are others now."""
        again = self.build(copy, commit, work / f"{commit}-again")
        return again.differs_from(built) if again is not None else set()

    def commits(self, copy: Path, most: int) -> list[tuple[str, str]]:
        """Return the commits that touch the project, the oldest first."""
        shown = subprocess.run(
            ["git", "log", "--first-parent", f"--max-count={most}", "--reverse", "--format=%H %s",
             "HEAD", "--", "models", "seeds", "data", "macros", "snapshots", "tests", "data-tests", PROJECT],
            cwd=copy, capture_output=True, text=True, check=True,
        )  # fmt: skip
        pairs = (line.partition(" ") for line in shown.stdout.splitlines())
        return [(commit, subject) for commit, _, subject in pairs]

    def install(self, folder: Path) -> None:
        """Put the packages where `dbt deps` would put them."""
        if self.packages is None:
            return
        for package in self.packages.iterdir():
            shutil.copytree(
                package,
                folder / "dbt_packages" / package.name,
                ignore=shutil.ignore_patterns(".git", "integration_tests"),
            )

    # -- dbt ---------------------------------------------------------------------------------------

    def build(self, copy: Path, commit: str, folder: Path) -> Built | None:
        """Build one commit; None if dbt refuses it."""
        folder.mkdir()
        self.write_files(copy, commit, folder)
        if not (folder / PROJECT).is_file():
            return None
        self.prepare(folder)
        environment = {**os.environ, "DBT_PROFILES_DIR": str(folder)}
        command = [self.dbt, "--no-send-anonymous-usage-stats", "build", "--vars", VARS]
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        results = folder / "target" / "run_results.json"
        if not results.is_file() or not (folder / "made.duckdb").is_file():
            print(done.stdout[-LONGEST:], file=sys.stderr)
            return None
        return read_results(folder, json.loads(results.read_text()))

    def write_files(self, copy: Path, commit: str, folder: Path) -> None:
        """Write the files of a commit; a seed that the clone lacks comes from the other seeds."""
        listed = subprocess.run(
            ["git", "ls-tree", "-rz", commit], cwd=copy, capture_output=True, text=True, check=True
        )
        for row in filter(None, listed.stdout.split("\0")):
            about, _, name = row.partition("\t")
            content = subprocess.run(
                ["git", "cat-file", "blob", about.split()[2]],
                cwd=copy,
                capture_output=True,
                check=False,
            )
            file = folder / name
            given = self.seeds / file.name if self.seeds is not None else None
            file.parent.mkdir(parents=True, exist_ok=True)
            if given is not None and given.is_file():
                shutil.copy(given, file)
            elif content.returncode == 0:
                file.write_bytes(content.stdout)

    def prepare(self, folder: Path) -> None:
        """Write a profile for DuckDB, and install the packages."""
        for name in ("packages.yml", "package-lock.yml", "dependencies.yml"):
            (folder / name).unlink(missing_ok=True)
        self.install(folder)
        settings = yaml.safe_load((folder / PROJECT).read_text())
        for old, new in RENAMED.items():
            if old in settings:
                settings[new] = settings.pop(old)
        settings.pop("require-dbt-version", None)
        (folder / PROJECT).write_text(yaml.safe_dump({**settings, "config-version": 2}))
        target = {"type": "duckdb", "path": str(folder / "made.duckdb"), "threads": 1}
        profile = {
            settings.get("profile", "default"): {"target": "dev", "outputs": {"dev": target}}
        }
        (folder / "profiles.yml").write_text(yaml.safe_dump(profile))

    # -- lineal ------------------------------------------------------------------------------------

    def step(
        self, copy: Path, before: tuple[str, Built], after: tuple[str, Built], subject: str
    ) -> Step:
        """Compare the results of two commits with the selection between them."""
        new = after[1]
        differs = new.differs_from(before[1]) - self.volatile - self.given
        command = [sys.executable, "-m", "lineal", "diff", before[0], after[0], "--project", copy]
        command += ["--select", "--output", "json", "--vars", VARS]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        problem = done.stderr[-LONGEST:] if done.returncode > 1 else ""
        selected = json.loads(done.stdout)["select"] if not problem else []
        chosen = {each["node"] for each in selected if each["node"]} & new.nodes
        name, commit = self.clone.name, after[0][:10]
        return Step(name, commit, subject, differs, chosen, len(new.nodes), problem)


def read_results(folder: Path, results: dict[str, Any]) -> Built:
    """Return the rows of every model and seed, and the result of every test."""
    manifest = json.loads((folder / "target" / "manifest.json").read_text())
    database = duckdb.connect(str(folder / "made.duckdb"), read_only=True)
    made = Built()
    for each in results["results"]:
        node = manifest["nodes"].get(each["unique_id"]) or manifest["unit_tests"].get(
            each["unique_id"]
        )
        if node is None:
            continue
        kind, name = each["unique_id"].split(".")[0], node["name"]
        if kind in ("test", "unit_test"):
            made.tests[name] = (each["status"], each["failures"] or 0)
        elif kind in TABLES and each["status"] == "success":
            made.rows[name] = digest(database, node)
    database.close()
    return made


def digest(database: duckdb.DuckDBPyConnection, node: dict[str, Any]) -> str:
    """Return a digest of a table: its columns, and its rows in any order."""
    table = f'"{node["schema"]}"."{node["alias"]}"'
    try:
        found = database.execute(f"SELECT * FROM {table}")
    except duckdb.Error as problem:
        return f"not to be read: {type(problem).__name__}"
    columns = [column[0] for column in found.description or ()]
    rows = sorted(map(repr, found.fetchall()))
    return hashlib.sha256(repr((columns, rows)).encode()).hexdigest()


# -- the report ------------------------------------------------------------------------------------


def show_step(step: Step) -> None:
    """Print a row for a step."""
    missed = f"  MISSED {', '.join(sorted(step.missed))}" if step.missed else ""
    if step.problem:
        missed = f"  lineal diff FAILED: {step.problem}"
    print(
        f"{step.project:32} {step.commit}  differs {len(step.differs):3}  selected"
        f" {len(step.selected):3} of {step.nodes:3}  saved {step.saved:6.1%}{missed}  {step.subject[:50]}",
        flush=True,
    )


def report(steps: list[Step]) -> None:
    """Print the shares of all steps."""
    nodes, chosen = sum(step.nodes for step in steps), sum(len(step.selected) for step in steps)
    differs = sum(len(step.differs) for step in steps)
    missed = sum(len(step.missed) for step in steps)
    if steps:
        print(
            f"{len(steps)} steps: {differs} results differ, {missed} of them not selected;"
            f" {chosen} of {nodes} nodes selected, {1 - chosen / nodes:.1%} saved"
        )


def vars_of(step: Step) -> dict[str, Any]:
    """Return a step as JSON values."""
    return {
        "project": step.project,
        "commit": step.commit,
        "subject": step.subject,
        "differs": sorted(step.differs),
        "selected": sorted(step.selected),
        "missed": sorted(step.missed),
        "nodes": step.nodes,
        "problem": step.problem,
        "saved": round(step.saved, 3),
    }


if __name__ == "__main__":
    sys.exit(main())
