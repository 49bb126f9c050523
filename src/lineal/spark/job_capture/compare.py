"""A job that has run, compared: what static reading finds in its program, and what Spark has
executed.

Static reading is told what the run knew: the entry point, the arguments, the folder, and the
columns of the tables as the job met them. What it says itself that only a run knows is not
comparable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from lineal.extract.pyspark.columns.alternatives import ONE_BRANCH
from lineal.graph.compare import Disagreement, Fact, fact_text, facts
from lineal.model.diagnostic import Code, Diagnostic, Place, order_of
from lineal.model.edge import Dataset, Edge
from lineal.model.extraction import DatasetInfo, Extraction
from lineal.model.script import Corpus, Main
from lineal.projects import load
from lineal.resolve.definitions import Definitions
from lineal.spark.job_capture.names import SameNames, is_open, names_in_run
from lineal.spark.job_capture.watch import Captured
from lineal.views.words import count_noun

QUERY = "query"
"""The kind of a result that is shown and not written."""

STATIC, CATALYST = "static", "catalyst"

BRANCH = "a branch of the code that this run did not take"
NAME = "a name that only a run knows"
NOT_WRITTEN = "a write that this run did not come to"
FAILED = "a write that the job failed before"
GAP = "what only a run knows"
UNREAD = "a write that the text does not show"
OPEN = "a table whose columns the program does not tell"


class UncomparedEdge(NamedTuple):
    """An edge that cannot be compared, and why."""

    target: str
    edge: str
    only_in: str
    why: str


@dataclass(frozen=True)
class Comparison:
    """The edges of both engines, and where they differ."""

    agreeing: int
    disagreements: tuple[Disagreement, ...]
    left: tuple[UncomparedEdge, ...]
    """differences that cannot be compared"""
    diagnostics: tuple[Diagnostic, ...]

    @property
    def agrees(self) -> bool:
        """Tell whether the run and the static reading have the same edges."""
        return not self.disagreements

    @property
    def columns_left(self) -> int:
        """How many columns, and datasets for their rows, have an edge that cannot be compared."""
        return len({each.edge.partition(" ")[2].partition("  ")[0] for each in self.left})


def program_at(job: str, arguments: Iterable[str]) -> Corpus:
    """The program as it is about to be run: its text, the modules that it imports, its arguments
    and its folder.
    """
    corpus = load(job, "spark")
    return replace(corpus, main=Main(job, tuple(arguments), Path.cwd().as_posix()))


def compare_job(program: Corpus, captured: Captured, failed: bool = False) -> Comparison:
    """Compare static lineage with the captured one; of a job that failed, up to the failure."""
    reading = Reading(program, captured, captured.schemas)
    borrowed = list(reading.borrowed_schemas())
    if borrowed:
        reading = Reading(program, captured, [*captured.schemas, *borrowed])

    return reading.comparison(failed)


class Reading:
    """One reading of the program, with the schemas that are known."""

    def __init__(self, program: Corpus, captured: Captured, schemas: Iterable[DatasetInfo]) -> None:
        self.schemas = {info.dataset: info for info in schemas}
        self.exact: Extraction = captured.latest
        self.written_by_run = {dataset.name.lower() for dataset in captured.targets}
        self.definitions = Definitions(
            replace(program, datasets=[*program.datasets, *self.schemas.values()])
        )
        self.static = self.definitions.extract()
        met = [*self.exact.datasets, *(info.dataset for info in captured.schemas)]
        self.names = SameNames(self.static.datasets, met)

    def borrowed_schemas(self) -> Iterator[DatasetInfo]:
        """The schemas of datasets that the program names differently from the run: under the names of
        the program.
        """
        for dataset, same in names_in_run(self.names.found).items():
            info = self.schemas.get(same)
            if info is not None and dataset not in self.schemas:
                yield replace(info, dataset=dataset)

    # -- facts -------------------------------------------------------------------------------------

    @cached_property
    def edges(self) -> list[Edge]:
        """The edges of the program's writes; showing a DataFrame does not count as a write."""
        shown = {
            definition.target
            for definition in self.definitions.order
            if definition.plan.kind == QUERY
        }
        return [self.names.edge(edge) for edge in self.static.edges if edge.into not in shown]

    @cached_property
    def ours(self) -> dict[Fact, str]:
        """Return the facts of the static reading."""
        return facts(self.edges, None)

    @cached_property
    def theirs(self) -> dict[Fact, str]:
        """Return the facts of the run."""
        return facts(self.exact, None)

    @cached_property
    def sure(self) -> set[Fact]:
        """The facts that hold on every way through the program."""
        return set(facts(map(on_every_branch, self.edges), None))

    @cached_property
    def written_in_text(self) -> set[str]:
        """Return the datasets that the text of the job writes."""
        return {self.key(definition.target) for definition in self.definitions.order}

    @cached_property
    def writers(self) -> dict[str, Place | None]:
        """By target, the place of the program that writes it last."""
        return {
            self.key(each.target): each.reading.place_of(each.plan.node)
            for each in self.definitions.order
        }

    @cached_property
    def written_surely(self) -> set[str]:
        """Return the datasets that every run of the job writes."""
        return set(map(self.key, self.definitions.written_surely))

    @cached_property
    def gaps(self) -> dict[str, list[Diagnostic]]:
        """By target, the places on the way to it of which static reading says that only a run knows
        them.
        """
        found: dict[str, set[Diagnostic]] = {}
        for dataset, several in self.definitions.gaps.items():
            found.setdefault(self.key(dataset), set()).update(several)

        return {
            target: sorted(several, key=order_of) for target, several in found.items() if several
        }

    @cached_property
    def reads_unknown(self) -> set[str]:
        """The targets that are made from what only a run can name."""
        unknown = self.names.unknown
        return {self.key(read.target) for read in self.static.reads if read.dataset in unknown}

    @cached_property
    def reads_unread(self) -> set[str]:
        """The targets that are made from what the run has not met: a view that a SQL text of the
        run has made.
        """
        if not self.definitions.unread:
            return set()

        unmet = self.names.unmet(self.static.datasets)
        return {self.key(read.target) for read in self.static.reads if read.dataset in unmet}

    @cached_property
    def writes_unknown(self) -> bool:
        """Tell whether the program writes what only a run can name."""
        return any(definition.target in self.names.unknown for definition in self.definitions.order)

    @cached_property
    def open_targets(self) -> set[str]:
        """The targets that have a star over a table whose columns are not known, though the run has
        met it.
        """
        met = {dataset.name.lower() for dataset in self.exact.datasets}
        stars = (
            edge
            for edge in self.edges
            if edge.source.name == "*" and edge.source.dataset.name.lower() in met
        )
        return {edge.into.name.lower() for edge in stars}

    def key(self, dataset: Dataset) -> str:
        """Return the name under which both sides know a dataset."""
        return self.names.name_of(dataset).name.lower()

    # -- comparable facts --------------------------------------------------------------------------

    def comparison(self, failed: bool) -> Comparison:
        """Return what agrees, what differs, and what cannot be compared."""
        disagreements: list[Disagreement] = []
        left: list[UncomparedEdge] = []
        sides = ((STATIC, self.ours, self.theirs), (CATALYST, self.theirs, self.ours))
        for side, here, there in sides:
            for fact in here.keys() - there.keys():
                why = self.why_not(fact, here[fact], side, failed)
                if why:
                    left.append(UncomparedEdge(here[fact], fact_text(fact), side, why))
                else:
                    disagreements.append(Disagreement(here[fact], fact_text(fact), side))

        agreeing = len(self.ours.keys() & self.theirs.keys())
        found = tuple(self.diagnostics(sorted(disagreements), left))
        return Comparison(agreeing, tuple(sorted(disagreements)), tuple(sorted(left)), found)

    def why_not(self, fact: Fact, target: str, side: str, failed: bool) -> str:
        """Why a fact that only one side has cannot be compared; '' if it can."""
        for holds, why in self.reasons(fact, target, side, failed):
            if holds:
                return why

        return ""

    def reasons(
        self, fact: Fact, target: str, side: str, failed: bool
    ) -> Iterator[tuple[bool, str]]:
        """Yield each reason for which a fact cannot be compared, and whether it holds."""
        static = side == STATIC
        if static:
            unwritten = target not in self.written_by_run
            yield unwritten and failed, FAILED
            yield is_open(fact[0]) or is_open(fact[1]), NAME
            yield unwritten and target not in self.written_surely, NOT_WRITTEN
            yield fact not in self.sure, BRANCH
        else:
            untold = target not in self.written_in_text
            yield untold and self.writes_unknown, NAME
            yield untold and bool(self.definitions.unread), UNREAD

        yield target in self.gaps, GAP
        yield target in self.reads_unknown, NAME
        yield target in self.reads_unread, UNREAD
        yield target in self.open_targets, OPEN

    # -- findings ----------------------------------------------------------------------------------

    def diagnostics(
        self, disagreements: list[Disagreement], left: list[UncomparedEdge]
    ) -> list[Diagnostic]:
        """Return the diagnostics in the words of `--engine both`; edges that cannot be compared are
        counted for each target.
        """
        found = [each for each in self.static.diagnostics if each.code not in COUNTED]
        found += [each for each in self.exact.diagnostics if each.code is not Code.DYNAMIC]
        found += [
            Diagnostic(Code.ENGINES_DISAGREE, str(each), self.writers.get(each.target))
            for each in disagreements
        ]
        found += self.not_comparable(left)
        return sorted(set(found), key=order_of)

    def not_comparable(self, left: list[UncomparedEdge]) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each dataset and reason."""
        counts: dict[tuple[str, str], int] = {}
        for each in left:
            counts[each.target, each.why] = counts.get((each.target, each.why), 0) + 1

        for (target, why), count in counts.items():
            places = self.places(target, why)
            said = f": {places[0].message}" if places else ""
            more = f" (and {count_noun(len(places) - 1, 'place')} more)" if len(places) > 1 else ""
            message = f"{count_noun(count, 'edge')} into {target} not comparable, because of {why}{said}{more}"
            yield Diagnostic(Code.NOT_COMPARED, message, places[0].place if places else None)

    def places(self, target: str, why: str) -> list[Diagnostic]:
        """The places of the program that keep a target from being compared."""
        if why == GAP:
            return self.gaps.get(target, [])

        if why == UNREAD:
            return sorted(set(self.definitions.unread), key=order_of)

        return []


COUNTED = frozenset((Code.DYNAMIC, Code.OPEN_STAR))
"""The gaps that static reading reports, counted with the edges that they cost."""


def on_every_branch(edge: Edge) -> Edge:
    """Return an edge with the usages that do not depend on a branch."""
    sure = tuple(
        each
        for each in edge.usages
        if each.doubt is None or each.doubt.evidence != ONE_BRANCH.evidence
    )
    return edge._replace(usages=sure)
