"""Effects: what a change of one column does to everything behind it, and why.

drop, rename    a statement that names the column breaks, and what is made of its result is not
                rebuilt; a star passes
                the loss on without a word, to whoever names the column further down
type            goes along where a column is taken as it is, ends at a cast, and may change what
                other expressions give
values          reach whatever is made of the column, or has rows that it decides
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from lineal.graph.change import DROP, RENAME, TYPE, Change
from lineal.graph.describe import description
from lineal.graph.graph import Graph, whole_column
from lineal.graph.impact import REFERENCED, Impact, impact
from lineal.graph.names_used import NamesUsed, Naming, mentions
from lineal.graph.types import same_type
from lineal.model.consumers import CONSUMERS, EXPOSURE, VIRTUAL
from lineal.model.diagnostic import Place
from lineal.model.edge import Column, Dataset, Edge, Usage
from lineal.model.grouping import group
from lineal.model.way import How

BREAKS, DISAPPEARS, RENAMED, RETYPED, MAY_BE_RETYPED, STALE, REVALUED = (
    "breaks", "disappears", "renamed", "type", "maybe-type", "stale", "values",
)  # fmt: skip
SEVEREST_FIRST = (BREAKS, DISAPPEARS, RENAMED, RETYPED, MAY_BE_RETYPED, STALE, REVALUED)
LOSSES = {DROP: DISAPPEARS, RENAME: RENAMED}

OF_ONE_TYPE = frozenset(
    (
        "cast", "try_cast", "safe_cast", "convert", "try_convert", "count", "count_if", "approx_count_distinct",
        "compare", "concat", "length", "md5", "sha1", "sha2", "sha", "hash", "xxhash64", "to_date", "to_timestamp",
        "date_trunc", "datediff", "extract", "year", "month", "day", "hour", "minute", "upper", "lower", "to_json",
        "to_char", "date_format", "row_number", "rank", "dense_rank", "ntile",
    )
)  # fmt: skip
"""Calls whose result has the same type whatever they are given."""
OF_THE_SAME_TYPE = frozenset(
    (
        "max",
        "min",
        "first",
        "last",
        "any_value",
        "first_value",
        "last_value",
        "nth_value",
        "lag",
        "lead",
        "max_by",
        "min_by",
    )
)
"""Calls that give back one of the values that they are given."""


@dataclass(frozen=True)
class ColumnEffect:
    """The effect of the change on one column."""

    impact: Impact
    effect: str
    note: str = ""

    @property
    def column(self) -> Column:
        """Return the column that is affected."""
        return self.impact.column


@dataclass(frozen=True)
class DatasetEffect:
    """The effect of the change on a dataset: on itself, or the worst effect on one of its columns."""

    dataset: Dataset
    kind: str
    effect: str
    columns: int
    depth: int
    note: str = ""
    place: Place | None = None


@dataclass(frozen=True)
class DescriptionEffect:
    """A description that may no longer be true."""

    at: Column | Dataset
    text: str
    note: str


@dataclass(frozen=True)
class Effects:
    """All of it, the worst first."""

    column: Column | Dataset
    """The column that changes, or a dataset with all of its columns."""
    change: Change
    columns: tuple[ColumnEffect, ...]
    datasets: tuple[DatasetEffect, ...]
    consumers: tuple[DatasetEffect, ...]
    """Tests, metrics, exposures and the like."""
    descriptions: tuple[DescriptionEffect, ...]
    from_type: str = ""

    @property
    def exposures(self) -> tuple[DatasetEffect, ...]:
        """Return the exposures among the consumers."""
        return tuple(each for each in self.consumers if each.kind == EXPOSURE)

    @property
    def breaks(self) -> bool:
        """Tell whether a dataset or a consumer breaks."""
        return any(each.effect == BREAKS for each in (*self.datasets, *self.consumers))


def effects(graph: Graph, column: Column, change: Change, used: NamesUsed | None = None) -> Effects:
    """Return the effects of a change of the column; a caller with many columns reuses `used`."""
    return _Finding(graph, column, change, used or NamesUsed(graph)).effects()


@dataclass
class _Removal:
    """The consequences of a removed name: who names it, and which columns disappear with it."""

    broken: dict[Dataset, tuple[Column, Naming]] = field(default_factory=dict)
    gone: dict[Column, Column] = field(default_factory=dict)
    shifted: dict[Dataset, Column] = field(default_factory=dict)


class _Finding:
    def __init__(self, graph: Graph, column: Column, change: Change, used: NamesUsed) -> None:
        self.graph = graph
        self.column = column
        self.change = change
        self.used = used

    def effects(self) -> Effects:
        """Return all effects of the change, the most severe first."""
        info = self.graph.info(self.column)
        if self.change.kind == TYPE and info is not None and same_type(info.type, self.change.to):
            return Effects(self.column, self.change, (), (), (), (), info.type)

        found = sorted(map(self.of_column, self.reached), key=column_rank)
        datasets = sorted(self.of_datasets(found), key=dataset_rank)
        consumers = [each for each in datasets if each.kind in CONSUMERS]
        return Effects(
            self.column,
            self.change,
            tuple(found),
            tuple(each for each in datasets if each.kind not in CONSUMERS),
            tuple(consumers),
            tuple(self.descriptions(found)),
            info.type if info is not None else "",
        )

    @cached_property
    def reached(self) -> list[Impact]:
        """Return the columns downstream."""
        return impact(self.graph, self.column)

    # -- columns -----------------------------------------------------------------------------------

    def of_column(self, found: Impact) -> ColumnEffect:
        """Return the effect on one column."""
        if self.change.loses_name:
            return self.of_lost(found)

        if self.change.kind == TYPE and found.why != REFERENCED:
            effect, note = self.retyped.get(whole_column(found.column), (REVALUED, ""))
            return ColumnEffect(found, effect, note)

        return ColumnEffect(found, REVALUED)

    def of_lost(self, found: Impact) -> ColumnEffect:
        """Return the effect on a column if the name is gone."""
        column, loss = whole_column(found.column), self.loss
        dataset = column.dataset
        if dataset in loss.broken:
            named, _ = loss.broken[dataset]
            return ColumnEffect(found, BREAKS, f"its statement names {named}")

        if dataset in loss.shifted:
            return ColumnEffect(
                found,
                BREAKS,
                f"columns are matched by position, and {loss.shifted[dataset]} is gone",
            )

        if column in loss.gone:
            return ColumnEffect(
                found, LOSSES[self.change.kind], f"a star passes on {loss.gone[column]}"
            )

        if dataset in self.starved:
            return ColumnEffect(found, STALE, f"{self.starved[dataset]} breaks")

        return ColumnEffect(found, REVALUED)

    @cached_property
    def loss(self) -> _Removal:
        """Follow the lost name: a statement that names it breaks, a star hands the loss on."""
        loss = _Removal()
        waiting, met = [self.column], {whole_column(self.column)}
        while waiting:
            column = waiting.pop(0)
            for into, naming in self.used.readers(column).items():
                if into == column.dataset:
                    continue  # an incremental model reads what it was

                if naming is not None:
                    loss.broken.setdefault(into, (column, naming))
                    waiting += self.needing(column, into, met)
                    continue

                for edge in self.graph.out_of(column):
                    target = edge.target
                    if (
                        not isinstance(target, Column)
                        or target.dataset != into
                        or edge.kind != "copy"
                    ):
                        continue

                    if self.change.kind == DROP and self.used.by_position(target):
                        loss.shifted.setdefault(into, column)
                    elif whole_column(target) not in met:
                        met.add(whole_column(target))
                        loss.gone[whole_column(target)] = column
                        waiting.append(target)

        return loss

    def needing(self, column: Column, into: Dataset, met: set[Column]) -> list[Column]:
        """The columns of a broken consumer that need the column: their readers break, too."""
        if self.graph.kind(into) not in VIRTUAL:
            return []

        found: list[Column] = []
        for edge in (*self.graph.out_of(column), *self.graph.decided_by(column)):
            if edge.into != into:
                continue

            target = edge.target
            own = [target] if isinstance(target, Column) else self.graph.columns(into)
            found += [each for each in own if whole_column(each) not in met]
            met.update(map(whole_column, own))

        return found

    @cached_property
    def starved(self) -> dict[Dataset, Dataset]:
        """Datasets behind one that breaks → the one that does."""
        behind: dict[Dataset, dict[Dataset, None]] = {}
        for read in self.graph.reads:
            behind.setdefault(read.dataset, {})[read.target] = None

        broken = [
            each
            for each in (*self.loss.broken, *self.loss.shifted)
            if self.graph.kind(each) not in VIRTUAL
        ]
        found: dict[Dataset, Dataset] = {}
        border = [(dataset, dataset) for dataset in broken]
        met = {*self.loss.broken, *self.loss.shifted, self.column.dataset}
        while border:
            ahead = []
            for at, cause in border:
                for follow in behind.get(at, ()):
                    if follow not in met:
                        met.add(follow)
                        found[follow] = cause
                        ahead.append((follow, cause))

            border = ahead

        return found

    @cached_property
    def retyped(self) -> dict[Column, tuple[str, str]]:
        """How far the type goes: as it is along copies, perhaps through expressions, never through
        a cast.
        """
        start = whole_column(self.column)
        found: dict[Column, tuple[str, str]] = {start: (RETYPED, "")}
        waiting = [self.column]
        while waiting:
            column = waiting.pop(0)
            state, _ = found[whole_column(column)]
            for edge in self.graph.out_of(column):
                target = edge.target
                if not isinstance(target, Column) or whole_column(target) == start:
                    continue

                effect, note = _type_through(edge, state)
                held = found.get(whole_column(target))
                if held is None or _severity(effect) < _severity(held[0]):
                    found[whole_column(target)] = (effect, note)
                    waiting.append(whole_column(target))

        return found

    # -- datasets, consumers, descriptions ---------------------------------------------------------

    def of_datasets(self, columns: Sequence[ColumnEffect]) -> Iterable[DatasetEffect]:
        """Yield the worst effect on each dataset."""
        held = group(columns, lambda each: each.column.dataset)
        worst = {
            dataset: min((each.effect for each in several), key=_severity)
            for dataset, several in held.items()
        }
        if self.change.loses_name:
            worst |= dict.fromkeys([*self.loss.broken, *self.loss.shifted], BREAKS)
            for dataset in self.starved:
                worst.setdefault(dataset, STALE)

        worst |= self.leaves({**worst, self.column.dataset: self.own_effect}, columns)
        for dataset, effect in worst.items():
            several = held.get(dataset, [])
            depth = min((each.impact.depth for each in several), default=len(self.graph.infos))
            note, place = self.why(dataset, effect)
            yield DatasetEffect(
                dataset, self.graph.kind(dataset), effect, len(several), depth, note, place
            )

    @property
    def own_effect(self) -> str:
        """Return what happens to the changed column itself."""
        return LOSSES.get(self.change.kind) or (RETYPED if self.change.kind == TYPE else REVALUED)

    def leaves(
        self, worst: dict[Dataset, str], columns: Iterable[ColumnEffect]
    ) -> dict[Dataset, str]:
        """A dashboard that reads a dataset shares its fate; a test that reads columns finds others
        in them.
        """
        found: dict[Dataset, str] = {}
        reached = {(each.column.dataset, each.column.name.lower()) for each in columns}
        reached.add((self.column.dataset, self.column.name.lower()))
        for read in self.used.leaves:
            if read.target in worst:
                continue

            if read.column is not None:
                if (read.dataset, read.column.lower()) in reached:
                    found.setdefault(read.target, REVALUED)
            elif self.graph.kind(read.target) == EXPOSURE and read.dataset in worst:
                effect = worst[read.dataset]
                effect = STALE if effect == BREAKS else effect
                found[read.target] = min(effect, found.get(read.target, effect), key=_severity)

        return found

    def why(self, dataset: Dataset, effect: str) -> tuple[str, Place | None]:
        """Return the reason for an effect on a dataset, and its place."""
        if effect == BREAKS and dataset in self.loss.broken:
            column, naming = self.loss.broken[dataset]
            return f"names {column} in {naming.clause}", naming.place

        if effect == BREAKS and dataset in self.loss.shifted:
            return f"matches columns by position, and {self.loss.shifted[dataset]} is gone", None

        if effect == STALE and dataset in self.starved:
            return f"{self.starved[dataset]} breaks", None

        return "", None

    def descriptions(self, columns: Iterable[ColumnEffect]) -> Iterable[DescriptionEffect]:
        """Those that repeat the changed column's own, and those that speak of it by name."""
        own, name = description(self.graph, self.column), self.column.name
        reached = [each.column for each in columns]
        for at in [self.column, *reached]:
            text = description(self.graph, at)
            if not text:
                continue

            if at != self.column and text == own:
                yield DescriptionEffect(at, text, f"repeats that of {self.column}")
            elif self.change.loses_name and mentions(text, name) and at.name != name:
                yield DescriptionEffect(at, text, f"names {name}")
            elif at == self.column:
                yield DescriptionEffect(at, text, "describes the column itself")

        if self.change.loses_name:
            for dataset in dict.fromkeys(
                [self.column.dataset, *(column.dataset for column in reached)]
            ):
                text = self.graph.infos[dataset].description.strip()
                if mentions(text, name):
                    yield DescriptionEffect(dataset, text, f"names {name}")


def _type_through(edge: Edge, state: str) -> tuple[str, str]:
    """The strongest that the usages of one edge do with a type."""
    return min(
        (_usage_type(usage, state) for usage in edge.usages), key=lambda each: _severity(each[0])
    )


def _usage_type(usage: Usage, state: str) -> tuple[str, str]:
    """Return what a usage makes of a changed type, and why."""
    if not usage.way.direct:
        return REVALUED, f"decides by it in {usage.clause.value}"

    if usage.how is How.IDENTITY:
        return state, "takes it as it is"

    fixing = next((call for call in usage.calls if call in OF_ONE_TYPE), None)
    if fixing is not None or (usage.masked and usage.how is How.AGGREGATION):
        return REVALUED, f"{fixing or 'count'} has a fixed type"

    if state == REVALUED:
        return REVALUED, ""

    if OF_THE_SAME_TYPE.issuperset(usage.calls):
        return state, f"takes it as it is through {usage.transform}"

    return MAY_BE_RETYPED, f"goes through {usage.transform}"


def _severity(effect: str) -> int:
    """Return the position of an effect among the severest first."""
    return SEVEREST_FIRST.index(effect)


def column_rank(found: ColumnEffect) -> tuple[int, bool, int, str]:
    """Return the sort key of an effect on a column."""
    return (
        _severity(found.effect),
        found.impact.why == REFERENCED,
        found.impact.depth,
        str(found.column),
    )


def dataset_rank(found: DatasetEffect) -> tuple[int, int, str, str]:
    """Return the sort key of an effect on a dataset."""
    return (_severity(found.effect), found.depth, found.dataset.name, found.dataset.namespace)
