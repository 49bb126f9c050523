"""The edit loop: what a command costs at first, after the edit of one model, and once more.

python bench/edit_loop.py 1000 diff impact      only these commands
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import dbt

SIZES = (1_000, 5_000)
SMALL = 60
"""Models of the project that is read once before anything is measured."""
EDITED = "models/layer_0/stg_10.sql"
COMMANDS = {
    "lineage": ("lineage", ".", "--column", "mart_1.s1"),
    "impact": ("impact", "stg_10.c1"),
    "diff": ("diff", "HEAD"),
    "validate": ("validate",),
    "show": ("show", "--no-open", "--out", "../page.html"),
}


class Loop(NamedTuple):
    """CPU seconds of a process and its children."""

    cold: float
    edited: float
    same: float


def measure(models: int, names: tuple[str, ...] = tuple(COMMANDS)) -> Iterator[tuple[str, Loop]]:
    """Yield what each command costs; each has a cache of its own, which is empty at first."""
    with TemporaryDirectory() as place:
        folder = dbt.project(Path(place, "project"), models, manifest=False)
        commit(folder)
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(Path(place, "compiled"))}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        small = dbt.project(Path(place, "small"), SMALL, manifest=False)
        commit(small)
        for name in names:
            # compiles lineal and what it imports, as an installation does: no run is to pay for that
            cpu_of(
                small, COMMANDS[name], {**environment, "LINEAL_CACHE": str(Path(place, "other"))}
            )
            cache = {"LINEAL_CACHE": str(Path(place, f"cache-{name}"))}
            yield name, loop(folder, COMMANDS[name], {**environment, **cache})


def commit(folder: Path) -> None:
    """Make a repository of the project: `lineal diff` compares with its only commit."""
    author = ("-c", "user.name=bench", "-c", "user.email=bench@example.com")
    for call in (("init", "-q"), ("add", "-A"), (*author, "commit", "-qm", "first")):
        subprocess.run(["git", *call], cwd=folder, check=True)


def loop(folder: Path, command: tuple[str, ...], environment: dict[str, str]) -> Loop:
    """Run a command four times: cold, unchanged, after an edit, unchanged."""
    model = folder / EDITED
    before = model.read_text(encoding="utf-8")
    cold = cpu_of(folder, command, environment)
    same = cpu_of(folder, command, environment)
    model.write_text(before.replace("source.c1 as c1", "source.c1 + 1 as c1"), encoding="utf-8")
    try:
        edited = cpu_of(folder, command, environment)
        same = min(same, cpu_of(folder, command, environment))
    finally:
        model.write_text(before, encoding="utf-8")
    return Loop(cold, edited, same)


def cpu_of(folder: Path, command: tuple[str, ...], environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "lineal", *command],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode not in (0, 1):  # 1: findings, or a verdict
        raise RuntimeError(f"lineal {' '.join(command)} ended with {done.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    asked = tuple(sys.argv[2:]) or tuple(COMMANDS)
    for name, found in measure(int(sys.argv[1]), asked):
        later = f"edited 1/{found.cold / found.edited:.1f}, same 1/{found.cold / found.same:.1f}"
        print(f"{name:<10} cold {found.cold:.2f} s, {later}", flush=True)
