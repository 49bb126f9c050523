"""What the limits cost: CPU time of commands and calls with limits and without, in turns.

A command with `--statement-timeout 0 --memory-limit 0` forks no process and watches nothing. The
API announces its tasks to nobody, but counts them; it is measured next to one that counts none.
The exit code is 1 if the limits cost more than 5 % of the CPU time anywhere.
"""

from __future__ import annotations

import gc
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from unittest.mock import patch

import lineal
import shapes

ROUNDS, FILES = 15, 100
MOST_ROUNDS = 60
"""As many rounds are measured before a missed bound counts: other work disturbs some of them."""

MOST = 1.05
"""How many times as much CPU time the limits may cost."""

STATEMENT = "CREATE VIEW v AS SELECT a, sum(b) AS total FROM t WHERE c > 1 GROUP BY a"
FREE = {"LINEAL_STATEMENT_TIMEOUT": "0", "LINEAL_MEMORY_LIMIT": "0"}
TASKS = (
    "lineal.extract.sql.one_statement",
    "lineal.extract.sql.parse",
    "lineal.resolve.boundary",
    "lineal.resolve.evaluator",
    "lineal.resolve.output",
)


class Cost(NamedTuple):
    """CPU seconds with limits and without, the least of several rounds."""

    limited: float
    free: float
    ratio: float
    """how many times as much the limits make of it: the median over the rounds, each of which
    measures both, one right after the other
    """


def compare(limited: Callable[[], float], free: Callable[[], float]) -> Cost:
    """Measure with limits and without in turns; every other round begins without."""
    pairs: list[tuple[float, float]] = []
    while len(pairs) < ROUNDS or (ratio_of(pairs) > MOST and len(pairs) < MOST_ROUNDS):
        if len(pairs) % 2:
            with_limits, without = limited(), free()
        else:
            without, with_limits = free(), limited()
        pairs.append((with_limits, without))
    return Cost(min(pair[0] for pair in pairs), min(pair[1] for pair in pairs), ratio_of(pairs))


def ratio_of(pairs: list[tuple[float, float]]) -> float:
    return median(with_limits / without for with_limits, without in pairs)


def costs() -> dict[str, Cost]:
    """What the limits cost on one statement, on a hundred files, and in the API."""
    with TemporaryDirectory() as place:
        one = Path(place, "one.sql")
        one.write_text(STATEMENT, encoding="utf-8")
        folder = shapes.folder(Path(place, "sql"), FILES)
        return {
            "lineal lineage, one statement": command_cost(one),
            f"lineal lineage, {FILES} files": command_cost(folder),
            f"lineal.lineage(), {FILES} files": call_cost(folder),
        }


def command_cost(path: Path) -> Cost:
    """The command as a process, with its children."""
    call = [sys.executable, "-m", "lineal", "lineage", str(path), "--no-cache"]
    return compare(lambda: cpu_of_process(call, {}), lambda: cpu_of_process(call, FREE))


def cpu_of_process(call: list[str], environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(call, capture_output=True, env={**os.environ, **environment}, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def call_cost(path: Path) -> Cost:
    """The call with its tasks, and with tasks and checks that do nothing."""

    def free() -> float:
        with without_limits():
            return cpu_of_call(path)

    return compare(lambda: cpu_of_call(path), free)


def cpu_of_call(path: Path) -> float:
    gc.collect()
    began = time.process_time()
    assert lineal.lineage(path).edges
    return time.process_time() - began


def without_limits() -> Any:
    """Patch tasks and checks away."""
    idle = nullcontext()
    targets = {f"{module}.Task": lambda *parts, size=0: idle for module in TASKS}
    targets["lineal.model.boundary.Task"] = lambda *parts, size=0: idle
    targets["lineal.extract.sql.query.check_limits"] = lambda: None
    return Patches(targets)


class Patches:
    """Several names that mean something else for a while."""

    def __init__(self, targets: dict[str, Any]) -> None:
        self.patches = [patch(target, instead) for target, instead in targets.items()]

    def __enter__(self) -> None:
        for each in self.patches:
            each.start()

    def __exit__(self, *_: object) -> None:
        for each in self.patches:
            each.stop()


def main() -> int:
    found = costs()
    for name, cost in found.items():
        said = "" if cost.ratio <= MOST else f"  MISSED: at most {MOST}"
        times = f"{cost.limited * 1000:8.1f} ms, without {cost.free * 1000:8.1f} ms"
        print(f"{name:<36} {times}, {cost.ratio:.3f}{said}")
    return int(any(cost.ratio > MOST for cost in found.values()))


if __name__ == "__main__":
    sys.exit(main())
