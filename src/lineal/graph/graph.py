"""The graph: what an extraction says, indexed by both ends of its edges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from lineal.graph.field_types import type_at
from lineal.graph.jobs import JobIndex
from lineal.model import names
from lineal.model.boundary import Passing
from lineal.model.collector import without_collector
from lineal.model.consumers import EXPOSURE, LEAVES
from lineal.model.edge import Column, Dataset, Doubt, Edge, Read, Site, Usage
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.grouping import group
from lineal.model.redaction import redact_secrets
from lineal.model.sequences import first_or_none, positions_of
from lineal.model.way import Confidence, How, way

STAR = "*"
MOST_CANDIDATES = 20
"""So many columns of one name a message lists."""


class UnknownName(Passing, LookupError):
    """No dataset or column has this name; the message says which one may have been meant.

    A name may be an address with a password in it, which the message does not repeat.
    """

    def __init__(self, message: str) -> None:
        super().__init__(redact_secrets(message))


class Graph:
    """Datasets and the edges between them, ready to be walked in both directions.

    A dataset is a node of its own: what decides its rows leads into it, never into each of its
    columns.
    """

    def __init__(self, extraction: Extraction) -> None:
        self.extraction = extraction
        self.infos: dict[Dataset, DatasetInfo] = {}
        self._into: dict[Column, list[Edge]] = {}
        self._leaving: dict[Column, list[Edge]] = {}
        self._rows: dict[Dataset, list[Edge]] = {}
        self._deciding: dict[Column, list[Edge]] = {}
        self._seen: dict[Dataset, dict[Column, None]] = {}
        with without_collector():
            self.infos.update(extraction.datasets)
            for edge in extraction.edges:
                self._add(edge)

    @cached_property
    def jobs(self) -> JobIndex:
        """The jobs whose statements make the edges."""
        return JobIndex(self.extraction.jobs)

    def _add(self, edge: Edge) -> None:
        """Enter an edge under both of its ends."""
        source, target = edge.source, edge.target
        if source.path:
            source = whole_column(source)

        self._known(source)
        if isinstance(target, Column):
            if target.path:
                target = whole_column(target)

            self._known(target)
            self._leaving.setdefault(source, []).append(edge)
            self._into.setdefault(target, []).append(edge)
        else:
            self._known_dataset(target)
            self._deciding.setdefault(source, []).append(edge)
            self._rows.setdefault(target, []).append(edge)

    def _known(self, column: Column) -> None:
        """Note a column and its dataset."""
        dataset = column.dataset
        seen = self._seen.get(dataset)
        if seen is None:
            seen = self._seen[dataset] = {}
            self._known_dataset(dataset)

        seen[column] = None

    def _known_dataset(self, dataset: Dataset) -> None:
        """Enter a dataset that only edges mention."""
        if dataset not in self.infos:
            self.infos[dataset] = DatasetInfo(dataset, "table")

    # -- what there is -----------------------------------------------------------------------------

    @cached_property
    def edges(self) -> list[Edge]:
        """Every edge, in the order of its target's definition: columns first, then what decides the
        rows.
        """
        with without_collector():
            return sorted(self.extraction.edges, key=self.order_of)

    def order_of(self, edge: Edge) -> tuple[object, ...]:
        """Return the sort key of an edge: target dataset, target, source."""
        source, target = edge.source, edge.target
        if isinstance(target, Column):
            goal = (0, *self._position(target), target.path)
        else:
            goal = (1, 0, "", ())

        origin = (self._rank.get(source.dataset, -1), *self._position(source), source.path)
        return (self._rank.get(edge.into, -1), goal, origin)

    @cached_property
    def _rank(self) -> dict[Dataset, int]:
        """Return the position of each dataset."""
        return positions_of(self.infos)

    @cached_property
    def _column_infos(self) -> dict[Column, tuple[int, ColumnInfo]]:
        """The position and description of each column that a dataset lists."""
        listed: dict[Column, tuple[int, ColumnInfo]] = {}
        for dataset, info in self.infos.items():
            for position, column in enumerate(info.columns):
                listed.setdefault(Column(dataset, column.name), (position, column))

        return listed

    def _position(self, column: Column) -> tuple[int, str]:
        """Return the position of a column in its dataset."""
        found = self._column_infos.get(whole_column(column))
        return (found[0] if found else len(self.infos[column.dataset].columns), column.name)

    def columns(self, dataset: Dataset) -> list[Column]:
        """The dataset's columns: those listed in order, then those that only edges name."""
        listed = {Column(dataset, info.name): None for info in self.infos[dataset].columns}
        listed.update(self._seen.get(dataset, {}))
        return list(listed)

    def info(self, column: Column) -> ColumnInfo | None:
        """Return the information about a column; a nested field may be listed by its
        dotted path.
        """
        if column.path:
            column = Column(column.dataset, ".".join((column.name, *column.path)))

        found = self._column_infos.get(column)
        if found:
            return found[1]

        return None

    def type_of(self, column: Column) -> str:
        """The type of a column, or of the field that its path leads to; an empty text where it is
        not known.
        """
        info = self.info(column)
        if info is not None and info.type:
            return info.type

        around = self.info(whole_column(column)) if column.path else None
        if around is not None:
            return type_at(around.type, column.path)

        return ""

    def kind(self, dataset: Dataset) -> str:
        """Return the kind of a dataset: table, view, model, …"""
        return self.infos[dataset].kind

    # -- walking -----------------------------------------------------------------------------------

    def into(self, column: Column) -> list[Edge]:
        """The field-level edges into a column, also those of its fields and of the column it is a
        field of.
        """
        own = self._into.get(whole_column(column))
        if own is not None:
            return edges_of_field(own, column, target=True)

        if self._own(column):
            return []

        return list(self._through_stars_into(column))

    def out_of(self, column: Column) -> list[Edge]:
        """The field-level edges that leave a column."""
        own = edges_of_field(self._leaving.get(whole_column(column), ()), column, target=False)
        return [*own, *self._through_stars_out_of(column)]

    def rows_into(self, dataset: Dataset) -> list[Edge]:
        """The dataset-level edges into a dataset: the columns that decide its rows."""
        return self._rows.get(dataset, [])

    def decided_by(self, column: Column) -> list[Edge]:
        """The dataset-level edges that leave a column: the datasets whose rows it decides."""
        return edges_of_field(self._deciding.get(whole_column(column), ()), column, target=False)

    def also_selected(self, edge: Edge) -> bool:
        """Whether an inspect edge's column reaches the same dataset by a field-level edge, too."""
        if edge.field_level:
            return False

        return any(other.into == edge.target for other in self._touching_source(edge.source))

    def _touching_source(self, column: Column) -> list[Edge]:
        """Return the edges that leave a column or a part of it."""
        return edges_of_field(self._leaving.get(whole_column(column), ()), column, target=False)

    # -- open stars: t.* -> v.* lets v.x go on to t.x ----------------------------------------------

    def is_open(self, dataset: Dataset) -> bool:
        """Tell whether a star over an unknown schema is among the dataset's columns."""
        star = Column(dataset, STAR)
        return star in self._column_infos or star in self._into

    def _own(self, column: Column) -> bool:
        """Tell whether the column is known by itself, and not only through a star."""
        column = whole_column(column)
        return column.name == STAR or column in self._column_infos or column in self._into

    def _through_stars_into(self, column: Column) -> Iterator[Edge]:
        """Yield the edges that open stars bring into a column."""
        stars = [
            edge
            for edge in self._into.get(Column(column.dataset, STAR), ())
            if edge.source.name == STAR
        ]
        for star in stars:
            yield _edge_of_star(
                star, Column(star.source.dataset, column.name, column.path), column, len(stars) > 1
            )

    def _through_stars_out_of(self, column: Column) -> Iterator[Edge]:
        """Yield the edges that open stars lead out of a column."""
        if column.name == STAR:
            return

        for star in self._leaving.get(Column(column.dataset, STAR), ()):
            target = Column(star.into, column.name, column.path)
            if (
                isinstance(star.target, Column)
                and star.target.name == STAR
                and not self._own(target)
            ):
                alternatives = self._into[star.target]
                yield _edge_of_star(star, column, target, len(alternatives) > 1)

    # -- looking up what a user typed --------------------------------------------------------------

    @cached_property
    def _by_name(self) -> dict[str, list[Dataset]]:
        """Return the datasets of each folded name."""
        return group(self.infos, lambda dataset: _fold(dataset.name))

    @cached_property
    def _by_ending(self) -> dict[str, list[Dataset]]:
        """`orders` and `sales.orders` find prod.sales.orders, where nothing else ends so."""
        found: dict[str, list[Dataset]] = {}
        for dataset in self.infos:
            parts = _fold(dataset.name).split(".")
            for start in range(1, len(parts)):
                found.setdefault(".".join(parts[start:]), []).append(dataset)

        return found

    def _datasets_called(self, text: str) -> list[Dataset]:
        """The datasets of a name, else those that end in it: a test only if nothing else does."""
        found = self._by_name.get(_fold(text)) or self._by_ending.get(_fold(text), [])
        return [each for each in found if self.infos[each].kind not in LEAVES] or found

    def dataset(self, text: str) -> Dataset:
        """The dataset of this name, whatever its case; several: the one that is spelt so."""
        candidates = self._datasets_called(text)
        exact = [dataset for dataset in candidates if dataset.name == text]
        if exact or len(candidates) == 1:
            return (exact or candidates)[0]

        if candidates:
            spellings = ", ".join(dataset.name for dataset in candidates)
            raise UnknownName(f"{text} could be any of {spellings}: write the name in full")

        if not self.infos:
            raise UnknownName(f"unknown dataset {text}: the input has no dataset")

        known = [dataset.name for dataset in self.infos]
        raise UnknownName(f"unknown dataset {text}{_did_you_mean(text, known)}")

    def column(self, text: str) -> Column:
        """The column that `dataset.column` or `dataset.column.field` names, or `column`, if only
        one dataset has it.
        """
        for dataset, rest in self._splits(text):
            if column := self._column_of(dataset, rest):
                return column

        for dataset, rest in self._splits(text):
            return self.column_in(dataset, rest)

        if found := self._only_column(text):
            return found

        head, dot, _ = text.rpartition(".")
        if dot:
            known = [dataset.name for dataset in self.infos]
            meant = _did_you_mean(text, known)
            if meant and not self._datasets_called(head) and not _did_you_mean(head, known):
                raise UnknownName(f"unknown dataset {text}{meant}")

            self.dataset(head)

        if self._datasets_called(text):
            raise UnknownName(f"{text} names no column: write dataset.column")

        every = {column.name for dataset in self.infos for column in self.columns(dataset)}
        meant = _did_you_mean(text, sorted(every)) or ": write dataset.column"
        raise UnknownName(f"unknown column {text}{meant}")

    def _only_column(self, text: str) -> Column | None:
        """The one column of this name, whatever dataset has it; several: the message lists them."""
        candidates = [
            column for dataset in self.infos if (column := self._column_of(dataset, text))
        ]
        if len(candidates) > 1:
            listed = sorted(map(str, candidates))
            shown = ", ".join(listed[:MOST_CANDIDATES])
            rest = len(listed) - MOST_CANDIDATES
            more = f" and {rest:,} more" if rest > 0 else ""
            raise UnknownName(
                f"{len(listed):,} datasets have a column {text}: write one of {shown}{more}"
            )

        return first_or_none(candidates)

    def column_in(self, dataset: Dataset, text: str) -> Column:
        """The column of a dataset that this name names."""
        if column := self._column_of(dataset, text):
            return column

        name, *path = text.split(".")
        if self.is_open(dataset):
            return Column(dataset, name, tuple(path))

        meant = _did_you_mean(text, [column.name for column in self.columns(dataset)])
        raise UnknownName(f"unknown column {text} in {dataset.name}{meant}")

    def find(self, text: str) -> Column | Dataset:
        """The dataset of this name, else the column."""
        if "." not in text or self._datasets_called(text):
            return self.dataset(text)

        return self.column(text)

    def _splits(self, text: str) -> Iterator[tuple[Dataset, str]]:
        """Every way to read `a.b.c` as a dataset and the rest, the longest dataset first."""
        parts = text.split(".")
        for count in range(len(parts) - 1, 0, -1):
            head = ".".join(parts[:count])
            if self._datasets_called(head):
                yield self.dataset(head), ".".join(parts[count:])

    def _column_of(self, dataset: Dataset, text: str) -> Column | None:
        """Return the column of a dataset that a text names."""
        known = self.columns(dataset)
        for name, path in _readings(text):
            alike = [column for column in known if names.is_same_name(column.name, name)]
            exact = [column for column in alike if column.name == name]
            if alike:
                return (exact or alike)[0]._replace(path=path)

        return None

    # -- reads -------------------------------------------------------------------------------------

    def checked_by(self, column: Column) -> list[Edge]:
        """The consumers that only read: a leaf for each test that reads the column, and for each
        exposure that reads its dataset.
        """
        named = self._checks.get((column.dataset, _fold(column.name)), {})
        whole_dataset = self._checks.get((column.dataset, ""), {})
        return [_leaf(column, read) for read in {**whole_dataset, **named}.values()]

    @cached_property
    def _checks(self) -> dict[tuple[Dataset, str], dict[Dataset, Read]]:
        """Return the reads of leaves by dataset and column; '' where a whole dataset is read."""
        found: dict[tuple[Dataset, str], dict[Dataset, Read]] = {}
        leaves = {name for name, info in self.infos.items() if info.kind in LEAVES}
        for read in self.reads if leaves else ():
            if read.target not in leaves:
                continue

            if read.column is not None:
                found.setdefault((read.dataset, _fold(read.column)), {}).setdefault(
                    read.target, read
                )
            elif self.infos[read.target].kind == EXPOSURE:
                found.setdefault((read.dataset, ""), {}).setdefault(read.target, read)

        return found

    @property
    def reads(self) -> list[Read]:
        """Return every read of a dataset or column."""
        return self.extraction.reads


def _leaf(column: Column, read: Read) -> Edge:
    """A check filters by what it reads: the edge of a read that leads nowhere else."""
    usage = Usage(way(How.FILTER, read.clause), None, None, Site(read.place, "", ()))
    return Edge(column, read.target, (usage,))


def whole_column(column: Column) -> Column:
    """The column that a nested field belongs to."""
    if column.path:
        return Column(column.dataset, column.name)

    return column


def overlap(left: Column, right: Column) -> bool:
    """Whether two columns are one, or one is a field of the other: t.address and t.address.city."""
    shared = min(len(left.path), len(right.path))
    return (
        left.name == right.name
        and left.dataset == right.dataset
        and left.path[:shared] == right.path[:shared]
    )


def edges_of_field(edges: Iterable[Edge], column: Column, *, target: bool) -> list[Edge]:
    """Those of a whole column's edges that a field of it has to do with."""
    if not column.path:
        return list(edges)

    ends = ((edge, edge.target if target else edge.source) for edge in edges)
    return [edge for edge, end in ends if isinstance(end, Column) and overlap(end, column)]


def _edge_of_star(star: Edge, source: Column, target: Column, several: bool) -> Edge:
    """The edge that an open star stands for, should the star's source have that column."""
    limit = Confidence.LOW if several else Confidence.MEDIUM
    usages = tuple(
        usage._replace(doubt=Doubt(min(usage.level, limit), several, "open star"))
        for usage in star.usages
    )
    return Edge(source, target, usages)


def _readings(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """`a.b.c` as a column with a path: the longest column name first, for names that have dots in
    them.
    """
    parts = text.split(".")
    for count in range(len(parts), 0, -1):
        yield ".".join(parts[:count]), tuple(parts[count:])


def _fold(text: str) -> str:
    """Return a name in the form in which names are compared."""
    return names.insensitive(text, False)


def _did_you_mean(text: str, candidates: list[str]) -> str:
    """Return the hint with the closest name; '' if none is close."""
    closest = names.closest(text, candidates)
    if closest:
        return f"; did you mean {closest}?"

    return ""
