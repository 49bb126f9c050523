"""Job scripts: programs in the style of data teams, with the edges that Spark's own analysis gives
for them.

A job is `tests/jobs/<name>.py`, or a folder with a `main.py`. `<name>.edges` holds what Spark said
when it was run for real (`tests/spark/test_jobs.py` asks it again); where Spark cannot say it, the
first line says why. A line `# collected …` is an edge through a value that the program collects: in
Spark's plan it is a constant. `# dynamic 19 20` names the lines with a place that only a run can tell; a job
without it has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from casefile import read_schema
from lineal.incremental.extraction import extract
from lineal.model.edge import Edge
from lineal.model.extraction import DatasetInfo, Extraction
from lineal.model.script import Corpus, Script

JOBS = Path(__file__).parent / "jobs"
WITHOUT_SPARK = "# without Spark"
DYNAMIC = "# dynamic"
COLLECTED = "# collected "


@dataclass(frozen=True)
class Job:
    name: str

    @property
    def entry(self) -> Path:
        folder = JOBS / self.name
        return folder / "main.py" if folder.is_dir() else JOBS / f"{self.name}.py"

    @property
    def files(self) -> list[Path]:
        folder = JOBS / self.name
        return sorted(folder.rglob("*.py")) if folder.is_dir() else [self.entry]

    @cached_property
    def recorded(self) -> list[str]:
        return (JOBS / f"{self.name}.edges").read_text().splitlines()

    @property
    def by_hand(self) -> bool:
        return self.recorded[0].startswith(WITHOUT_SPARK)

    @property
    def edges(self) -> set[str]:
        """What the text gives: the edges of the run, and those through collected values."""
        marked = [line for line in self.recorded if line.startswith(COLLECTED)]
        return self.run_edges | {line.removeprefix(COLLECTED) for line in marked}

    @property
    def run_edges(self) -> set[str]:
        """What Spark said."""
        return {line for line in self.recorded if not line.startswith("#")}

    @property
    def dynamic(self) -> set[int]:
        marked = [line for line in self.recorded if line.startswith(DYNAMIC)]
        return {int(number) for line in marked for number in line.removeprefix(DYNAMIC).split()}

    def read(self) -> Extraction:
        root = self.entry.parent
        scripts = [
            Script(path.read_text(), "python", str(path.relative_to(root))) for path in self.files
        ]
        return extract(Corpus("spark", scripts, schema()))


def all_jobs() -> list[Job]:
    return [Job(path.stem) for path in sorted(JOBS.glob("*.edges"))]


def schema() -> list[DatasetInfo]:
    return read_schema((JOBS / "schema.txt").read_text())


def facts_of(edge: Edge) -> set[str]:
    """One line for each usage of an edge; names compare without regard to case."""
    pair = f"{edge.source} {'->' if edge.field_level else '=>'} {edge.target}".lower()
    return {f"{pair} {usage.how.value}" for usage in edge.usages}


def facts_in(extraction: Extraction) -> set[str]:
    return {fact for edge in extraction.edges for fact in facts_of(edge)}
