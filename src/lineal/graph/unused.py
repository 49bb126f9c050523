"""Unused: the datasets and columns that nobody reads, seen from the outputs of a project.

    found = find_unused(graph, outputs_of(graph, ("fct_*",)))
    found.datasets      nothing that is needed reads them
    found.columns       columns of needed datasets that go into nothing that is needed

An output is read by somebody outside the project, so all of its columns are needed. A consumer
needs what it reads. A needed column needs the columns that it is made of; a needed dataset also
needs the columns that decide its rows, and whatever its statement names without passing it on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import NamedTuple

from lineal.graph.graph import STAR, Graph, UnknownName, whole_column
from lineal.graph.names_used import NamesUsed
from lineal.graph.select import members, parse
from lineal.model import names
from lineal.model.consumers import CONSUMERS, EXPOSURE, TEST
from lineal.model.diagnostic import Place
from lineal.model.edge import Column, Dataset, Read, dataset_of
from lineal.model.extraction import DatasetInfo
from lineal.model.grouping import group_pairs
from lineal.model.sequences import flatten

LOOKED_AT = frozenset(("query", "temporary", "snapshot"))
"""Kinds that are kept for people: a bare SELECT, and a history that nothing can build again."""
NOT_MADE = CONSUMERS | LOOKED_AT | {"source", "function", "table_function", "parameter"}
"""Kinds that are never unused: others own them, or they read instead of being read."""
SEED = "seed"

DECLARED, CONSUMED, FINAL = "declared", "consumers", "final"
CONTRACT = "test:contract_"
"""How the consumer begins that stands for an enforced contract of dbt: a promise to readers."""


@dataclass(frozen=True)
class Outputs:
    """The datasets that are made for somebody outside the project, and how they were chosen."""

    datasets: tuple[Dataset, ...]
    chosen: str
    """`declared`, `consumers` (only consumers need something), `final`: what nothing reads"""


@dataclass(frozen=True)
class Unused:
    """Unused datasets and columns, readers first: in this order each can be removed."""

    outputs: Outputs
    datasets: tuple[Dataset, ...]
    columns: tuple[Column, ...]
    """of datasets that are needed"""
    tested: tuple[Column | Dataset, ...] = ()
    """The columns that only tests read; if tests are ignored, they are unused, too."""


REMOVED, KEPT = "removed", "kept"


class Verdict(NamedTuple):
    """Something that nobody reads, and what becomes of it."""

    at: Column | Dataset
    kind: str
    """the kind of the dataset, or `column`"""
    status: str
    """`removed` by the patch, or `kept`"""
    reason: str = ""
    """why it is kept, or what takes it along"""
    place: Place | None = None
    only_tested: bool = False


def outputs_of(graph: Graph, patterns: Sequence[str] = (), terminal: Sequence[str] = ()) -> Outputs:
    """Return the outputs: those that patterns, `validate: {terminal}` or `meta` name.

    Where nothing names outputs, consumers such as exposures and metrics say what is needed. Without
    these, the datasets that nothing reads are the outputs: somebody has to read them.
    """
    asked = flatten(_matching_datasets(graph, pattern) for pattern in patterns)
    marked = [info.dataset for info in graph.infos.values() if _is_marked(info, terminal)]
    if asked or marked:
        return Outputs(tuple(dict.fromkeys((*asked, *marked))), DECLARED)

    if any(info.kind in CONSUMERS - {TEST} for info in graph.infos.values()):
        return Outputs((), CONSUMED)

    return Outputs(tuple(_final_datasets(graph)), FINAL)


def _matching_datasets(graph: Graph, pattern: str) -> list[Dataset]:
    """Return the datasets that a pattern or selector means; none is a mistake."""
    selection = parse(pattern)
    if selection is not None and selection.method:
        return list(map(dataset_of, members(graph, selection)))

    found = [name for name in graph.infos if _is_like(name, pattern)]
    if not found and not set(pattern) & set("*?["):
        return [graph.dataset(pattern)]

    if not found:
        raise UnknownName(f"{pattern} names no dataset")

    return found


def _is_marked(info: DatasetInfo, terminal: Iterable[str]) -> bool:
    """Tell whether the project says that a dataset is read outside it."""
    return info.terminal or any(_is_like(info.dataset, pattern) for pattern in terminal)


def _is_like(dataset: Dataset, pattern: str) -> bool:
    """Tell whether the name of a dataset matches a pattern, without regard to case."""
    folded = names.insensitive(dataset.name, False)
    return fnmatchcase(folded, names.insensitive(pattern, False))


def _final_datasets(graph: Graph) -> list[Dataset]:
    """Return the datasets that the project makes and that only tests read."""
    read = {
        each.dataset
        for each in graph.reads
        if each.target != each.dataset and graph.kind(each.target) != TEST
    }
    return [
        info.dataset for info in graph.infos.values() if info.dataset not in read and _is_made(info)
    ]


def _is_made(info: DatasetInfo) -> bool:
    """Tell whether statements of the project make the dataset."""
    return bool(info.produced) and info.kind not in NOT_MADE


def find_unused(
    graph: Graph,
    outputs: Outputs,
    loaded: frozenset[Dataset] = frozenset(),
    *,
    ignore_tests: bool = False,
) -> Unused:
    """Return what neither the outputs nor consumers need; readers come before what they read.

    `loaded` are seeds that are needed under the name of a source.
    """
    found = _not_needed(Needed(graph, outputs, ignore_tests=False), loaded)
    without_tests = _not_needed(Needed(graph, outputs, ignore_tests=True), loaded)
    known = set(found)
    tested = tuple(each for each in without_tests if each not in known)
    wanted = without_tests if ignore_tests else found
    return Unused(
        outputs,
        tuple(each for each in wanted if isinstance(each, Dataset)),
        tuple(each for each in wanted if isinstance(each, Column)),
        tested,
    )


def _not_needed(needed: Needed, loaded: frozenset[Dataset]) -> list[Column | Dataset]:
    """Return the datasets that are not needed, and the columns of others that are not."""
    graph = needed.graph
    found: list[Column | Dataset] = []
    for name in in_removal_order(graph):
        if needed.is_unused(name) and name not in loaded:
            found.append(name)
        elif name in needed.datasets and _is_made(graph.infos[name]):
            found += needed.unused_columns(name)

    return found


def in_removal_order(graph: Graph) -> list[Dataset]:
    """Return the datasets, each after everything that reads it; a cycle stays in its order."""
    readers: dict[Dataset, dict[Dataset, None]] = {name: {} for name in graph.infos}
    for read in graph.reads:
        if read.target != read.dataset and read.target in readers:
            readers.setdefault(read.dataset, {})[read.target] = None

    found: dict[Dataset, None] = {}
    begun: set[Dataset] = set()
    waiting = list(reversed(readers))
    while waiting:
        name = waiting[-1]
        ahead = [each for each in readers[name] if each not in begun]
        begun.add(name)
        if ahead:
            waiting += reversed(ahead)
        else:
            found.setdefault(waiting.pop())

    return list(found)


class Needed:
    """The columns that outputs and consumers need, found backwards from them."""

    def __init__(self, graph: Graph, outputs: Outputs, ignore_tests: bool) -> None:
        self.graph = graph
        self.used = NamesUsed(graph)
        self.ignore_tests = ignore_tests
        self.datasets: set[Dataset] = set()
        self.columns: set[Column] = set()
        self._waiting: list[Column | Dataset] = []
        for name, info in graph.infos.items():
            if name in outputs.datasets or info.kind in LOOKED_AT or self._counts(info):
                self._need_all(name)

        self._follow()

    def _counts(self, info: DatasetInfo) -> bool:
        """Tell whether a dataset is a consumer that keeps what it reads."""
        is_promise = info.dataset.name.startswith(CONTRACT)
        is_passed_over = self.ignore_tests and info.kind == TEST and not is_promise
        return info.kind in CONSUMERS and not is_passed_over

    def is_unused(self, name: Dataset) -> bool:
        """Tell whether a dataset of the project's own is not needed at all."""
        info = self.graph.infos[name]
        return name not in self.datasets and (_is_made(info) or info.kind == SEED)

    def unused_columns(self, name: Dataset) -> list[Column]:
        """Return the columns of a dataset that are not needed."""
        made = self.graph.infos[name].produced_columns
        columns = (Column(name, info.name) for info in made if info.name != STAR)
        return [column for column in columns if column not in self.columns]

    # -- backwards ---------------------------------------------------------------------------------

    def _need_all(self, name: Dataset) -> None:
        """Need a dataset with all of its columns."""
        self._need(name)
        for column in self.graph.columns(name):
            self._need(column)

    def _need(self, at: Column | Dataset) -> None:
        """Need a dataset, or a column with its dataset."""
        if isinstance(at, Column):
            at = whole_column(at)
            self._need(at.dataset)
            if at not in self.columns:
                self.columns.add(at)
                self._waiting.append(at)
        elif at not in self.datasets:
            self.datasets.add(at)
            self._waiting.append(at)

    def _follow(self) -> None:
        """Go on until nothing new is needed."""
        while self._waiting:
            at = self._waiting.pop()
            if isinstance(at, Column):
                self._need_sources(at)
            else:
                self._need_reads(at)

    def _need_sources(self, column: Column) -> None:
        """Need what a column is made of; an open star is made of everything."""
        for edge in self.graph.into(column):
            if edge.source.name == STAR:
                self._need_all(edge.source.dataset)

            self._need(edge.source)

    def _need_reads(self, name: Dataset) -> None:
        """Need what decides the rows of a dataset, and what its statements name."""
        for edge in self.graph.rows_into(name):
            self._need(edge.source)

        for read in self._reads.get(name, ()):
            self._need(read.dataset)
            if read.column is None:
                self._need_whole(name, read)
            elif self._is_needed_here(name, read):
                self._need(self._column(read))

    def _need_whole(self, name: Dataset, read: Read) -> None:
        """An exposure that names no columns needs them all."""
        if self.graph.kind(name) == EXPOSURE:
            self._need_all(read.dataset)

    def _is_needed_here(self, name: Dataset, read: Read) -> bool:
        """Tell whether a statement names a column that it does not pass on."""
        column = self._column(read)
        if any(edge.into == name for edge in self.graph.out_of(column)):
            return False

        return self.used.readers(column).get(name) is not None

    def _column(self, read: Read) -> Column:
        """Return the column of a read, spelled as the dataset spells it."""
        folded = names.insensitive(read.column or "", False)
        spelled = self._spellings.get((read.dataset, folded), read.column or "")
        return Column(read.dataset, spelled)

    @cached_property
    def _spellings(self) -> dict[tuple[Dataset, str], str]:
        """The spelling of each column by its dataset and lower-case name."""
        return {
            (name, names.insensitive(column.name, False)): column.name
            for name in self.graph.infos
            for column in self.graph.columns(name)
        }

    @cached_property
    def _reads(self) -> dict[Dataset, list[Read]]:
        """Return the reads of each dataset, without those of itself."""
        return group_pairs(
            (read.target, read) for read in self.graph.reads if read.target != read.dataset
        )
