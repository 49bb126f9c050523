"""The table of confidence against correctness, over every recorded PySpark job.

    python bench/accuracy/confidence.py            print the table
    python bench/accuracy/confidence.py --write    and put it into docs/reference/accuracy.md

A recorded job has the edges that Spark's own analysis gave when it was run (tests/jobs,
tests/programs). An edge that lineal finds is right if Spark gave it. Exit code 1 if fewer HIGH
edges are right than must be.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from casefile import lines_of, read_schema  # noqa: E402
from jobbook import all_jobs, facts_of  # noqa: E402
from lineal.incremental.extraction import extract  # noqa: E402
from lineal.model.edge import Edge  # noqa: E402
from lineal.model.script import Corpus, Script  # noqa: E402
from lineal.model.way import Confidence  # noqa: E402

PAGE = ROOT / "docs" / "reference" / "accuracy.md"
PROGRAMS = ROOT / "tests" / "programs"
BEGIN = "<!-- confidence: made by `make confidence` -->"
END = "<!-- end of confidence -->"
LEAST_RIGHT = 0.995
"""The share of HIGH edges that must be right."""
LEAST_HIGH = 0.98
"""The share of edges that must be HIGH."""
LEVELS = (Confidence.HIGH, Confidence.MEDIUM, Confidence.LOW, Confidence.UNKNOWN)


class Answer(NamedTuple):
    """One recorded job: the edges that lineal finds, and the facts that Spark gave."""

    edges: list[Edge]
    truth: set[str]


class Table(NamedTuple):
    """How many facts of each level were found, how many of them are right, and how many missed."""

    jobs: int
    found: Counter[Confidence]
    right: Counter[Confidence]
    missed: int

    @property
    def right_of_high(self) -> float:
        """Return the share of HIGH facts that are right."""
        return self.right[Confidence.HIGH] / max(self.found[Confidence.HIGH], 1)

    @property
    def share_of_high(self) -> float:
        """Return the share of facts that are HIGH."""
        return self.found[Confidence.HIGH] / max(self.found.total(), 1)


def answers() -> Iterator[Answer]:
    """Read every recorded job."""
    for job in all_jobs():
        yield Answer(job.read().edges, {fact.lower() for fact in job.edges})

    schema = read_schema((PROGRAMS / "schema.txt").read_text(encoding="utf-8"))
    for path in sorted(PROGRAMS.glob("*.py")):
        script = Script(path.read_text(encoding="utf-8"), "python", path.name)
        truth = lines_of(path.with_suffix(".edges").read_text(encoding="utf-8"))
        edges = extract(Corpus("spark", [script], schema)).edges
        yield Answer(edges, {fact.lower() for fact in truth})


def count() -> Table:
    """Hold every fact against Spark's."""
    found: Counter[Confidence] = Counter()
    right: Counter[Confidence] = Counter()
    jobs = missed = 0
    for edges, truth in answers():
        jobs += 1
        facts: dict[str, Confidence] = {}
        for edge in edges:
            level = min(edge.level, Confidence.HIGH)
            for fact in facts_of(edge):
                name = fact.lower()
                facts[name] = max(level, facts.get(name, level))

        found.update(facts.values())
        right.update(level for fact, level in facts.items() if fact in truth)
        missed += len(truth - facts.keys())
    return Table(jobs, found, right, missed)


def lines_in(table: Table) -> list[str]:
    """Return the table as Markdown."""
    rows = [
        f"Over {table.jobs} recorded jobs; {table.missed} edges that Spark gives are not found.",
        "",
        "| confidence | edges | share | right |",
        "|---|---|---|---|",
    ]
    total = max(table.found.total(), 1)
    for level in LEVELS:
        edges = table.found[level]
        share = f"{100 * edges / total:.1f} %"
        right = f"{100 * table.right[level] / edges:.1f} %" if edges else "-"
        rows.append(f"| {level.name} | {edges:,} | {share} | {right} |")
    return rows


def page_with(text: str, rows: list[str]) -> str:
    """Return the page with the table between its marks."""
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n" + "\n".join(rows) + f"\n{END}{after}"


def main() -> int:
    """Print or write the table; 1 if HIGH is right too seldom, or too seldom given."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true")
    asked = options.parse_args()
    table = count()
    rows = lines_in(table)
    print("\n".join(rows))
    if asked.write:
        PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")
    holds = table.right_of_high >= LEAST_RIGHT and table.share_of_high >= LEAST_HIGH
    return int(not holds)


if __name__ == "__main__":
    sys.exit(main())
