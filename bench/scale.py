"""10,000 views in one folder, next to 1,000: time and memory in proportion, and next to the peers on
the same files.

    python bench/scale.py [views]

Each figure is that of a process of its own: CPU time without its start, and the most memory it
held. The peers read a sample of the files, in one environment each (see accuracy/contenders.py),
and their time is scaled up to all of them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "accuracy"), str(HERE)]

from contenders import CONTENDERS, python_of  # noqa: E402

SAMPLE = 300
LEAST = {"sqlglot lineage()": 3.0, "DataHub": 15.0, "sqllineage": 15.0}
MOST_GROWTH = 12.0

SCHEMA = {f"raw_{number}": {f"c{column}": "INT" for column in range(12)} for number in range(50)}


def view(number: int, random: Random) -> str:
    """A view over tables and earlier views, as a project has them: a CTE, a join, a CASE, a window,
    an aggregate.
    """
    left = (
        f"view_{random.randrange(number)}"
        if number > 20 and random.random() < 0.6
        else raw_table(random)
    )
    right = raw_table(random)
    keys = [f"c{random.randrange(6)}" for _ in range(4)]
    return f"""CREATE VIEW view_{number} AS
WITH recent AS (
    SELECT l.c0, l.c1, l.c2, l.c3, l.c4, l.c5, coalesce(l.{keys[0]}, 0) AS filled
    FROM {left} AS l
    WHERE l.{keys[1]} > 10 AND l.c0 IS NOT NULL
), ranked AS (
    SELECT recent.*, row_number() OVER (PARTITION BY c0, c1 ORDER BY {keys[2]} DESC) AS position
    FROM recent
)
SELECT ranked.c0, ranked.c1, max(ranked.c2) AS c2, sum(ranked.filled * r.{keys[3]}) AS c3,
    CASE WHEN max(r.c7) > 3 THEN min(ranked.c4) ELSE max(r.c8) END AS c4, count(DISTINCT r.c9) AS c5
FROM ranked
LEFT JOIN {right} AS r ON r.c0 = ranked.c0 AND r.c1 = ranked.c1
WHERE ranked.position = 1
GROUP BY ranked.c0, ranked.c1
"""


def raw_table(random: Random) -> str:
    return f"raw_{random.randrange(len(SCHEMA))}"


class Figures(NamedTuple):
    seconds: float
    megabytes: float


def main() -> int:
    views = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as scratch:
        less, more = (
            folder_of(Path(scratch) / "less", views // 10),
            folder_of(Path(scratch) / "more", views),
        )
        once, tenfold = min(measure_lineal(less) for _ in range(3)), measure_lineal(more)
        peers = {
            peer.name: measure_peer(peer, more, views) for peer in CONTENDERS if peer.name in LEAST
        }
    growth = Figures(tenfold.seconds / once.seconds, tenfold.megabytes / once.megabytes)
    kept = all(figure <= MOST_GROWTH for figure in growth)
    for number, figures in ((views // 10, once), (views, tenfold)):
        print(
            f"lineal: {number:,} views in {figures.seconds:.2f} s of CPU time and {figures.megabytes:.0f} MB"
        )
    times = f"{growth.seconds:.1f} times the time, {growth.megabytes:.1f} times the memory"
    print(f"  10 times the views: {times} (at most {MOST_GROWTH:g})")
    for name, seconds in peers.items():
        ratio = seconds / tenfold.seconds
        kept = kept and ratio >= LEAST[name]
        print(
            f"{name}: {seconds:.1f} s, from {SAMPLE} views: {ratio:.1f} times that (at least {LEAST[name]:g})"
        )
    return 0 if kept else 1


def folder_of(folder: Path, views: int) -> Path:
    """A file each, and the tables' DDL."""
    folder.mkdir()
    random = Random(7)
    tables = [
        f"CREATE TABLE {name} ({', '.join(f'{c} {t}' for c, t in columns.items())});"
        for name, columns in SCHEMA.items()
    ]
    (folder / "tables.sql").write_text("\n".join(tables))
    for number in range(views):
        (folder / f"view_{number}.sql").write_text(view(number, random))
    return folder


LINEAL = """
import json, resource, sys, time
import lineal
lineal.lineage("SELECT 1 AS a").diagnostics
start = time.process_time()
found = lineal.lineage(sys.argv[1])
assert not found.diagnostics, found.diagnostics[:3]
print(json.dumps([time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def measure_lineal(folder: Path) -> Figures:
    """Without the process's start and end, as it is measured for the peers."""
    done = subprocess.run(
        [sys.executable, "-c", LINEAL, str(folder)], check=True, capture_output=True, text=True
    )
    return Figures(*json.loads(done.stdout))


def measure_peer(peer: object, folder: Path, views: int) -> float:
    """CPU seconds for all views, from a sample: what the adapter's own loop says, without its
    start.
    """
    from contenders import answers_of

    python_of(peer)  # type: ignore[arg-type]
    random = Random(1)
    columns = {f"c{number}": "INT" for number in range(6)}
    known = {**SCHEMA, **{f"view_{number}": columns for number in range(views)}}
    questions = []
    for number in random.sample(range(views), min(SAMPLE, views)):
        text = (folder / f"view_{number}.sql").read_text()
        schema = {
            name: known[name] for name in words(text) if name in known and name != f"view_{number}"
        }
        questions.append({"id": str(number), "sql": text, "dialect": "", "schema": schema})
    answers = answers_of(peer, questions)  # type: ignore[arg-type]
    return sum(answer.seconds for answer in answers.values()) * views / len(questions)


def words(text: str) -> set[str]:
    return {word.strip("(),;") for word in text.split()}


if __name__ == "__main__":
    sys.exit(main())
