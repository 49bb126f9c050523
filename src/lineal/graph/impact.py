"""Impact: everything that a change of one column may change, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from lineal.graph.graph import Graph, whole_column
from lineal.model.edge import Column, Dataset

CONTRIBUTED, REFERENCED, BOTH = "contributed", "referenced", "both"


class Spot(NamedTuple):
    """A column or dataset as reached by field-level edges throughout (`pure`), or through some
    dataset's rows.
    """

    at: Column | Dataset
    pure: bool


@dataclass(frozen=True)
class Impact:
    """A column that a change reaches: `contributed` by value, `referenced` through the rows, or
    `both`.
    """

    column: Column
    why: str
    depth: int
    _spot: Spot = field(repr=False, compare=False)
    _before: dict[Spot, Spot | None] = field(repr=False, compare=False)

    @property
    def path(self) -> tuple[Column | Dataset, ...]:
        """The shortest chain from the changed column to this one; a dataset stands for its rows."""
        return tuple(self.backwards())[::-1]

    def backwards(self) -> Iterator[Column | Dataset]:
        """The path from its end, step by step."""
        spot: Spot | None = self._spot
        while spot is not None:
            yield spot.at
            spot = self._before[spot]


def impact(graph: Graph, column: Column) -> list[Impact]:
    """Every column that a change of this column reaches, the contributed ones first, then by
    distance and name.
    """
    depths, before = _reach(graph, column)
    reached = {
        spot.at: None
        for spot in depths
        if isinstance(spot.at, Column) and whole_column(spot.at) != whole_column(column)
    }
    found = [_impact(at, depths, before) for at in reached if isinstance(at, Column)]
    return sorted(found, key=_rank)


def _reach(graph: Graph, column: Column) -> tuple[dict[Spot, int], dict[Spot, Spot | None]]:
    """Breadth first over columns and datasets. Into a dataset is a hop; from it to its columns is
    none.
    """
    start = Spot(column, True)
    depths: dict[Spot, int] = {start: 0}
    before: dict[Spot, Spot | None] = {start: None}
    border, distance = [start], 0
    while border:
        distance += 1
        ahead: list[Spot] = []
        for spot in border:
            for follow in _next_spots(graph, spot):
                if follow not in depths:
                    depths[follow], before[follow] = distance, spot
                    ahead.append(follow)
                    if not isinstance(follow.at, Column):
                        ahead += _columns_of(graph, follow, depths, before)

        border = [spot for spot in ahead if isinstance(spot.at, Column)]

    return depths, before


def _next_spots(graph: Graph, spot: Spot) -> Iterator[Spot]:
    """Yield the spots one step downstream."""
    assert isinstance(spot.at, Column)
    for edge in graph.out_of(spot.at):
        yield Spot(edge.target, spot.pure)

    for edge in graph.decided_by(spot.at):
        yield Spot(edge.target, False)


def _columns_of(
    graph: Graph, spot: Spot, depths: dict[Spot, int], before: dict[Spot, Spot | None]
) -> Iterator[Spot]:
    """A column that decides a dataset's rows reaches all of its columns, those without sources
    included.
    """
    assert not isinstance(spot.at, Column)
    for column in graph.columns(spot.at):
        follow = Spot(column, False)
        if follow not in depths:
            depths[follow], before[follow] = depths[spot], spot
            yield follow


def _impact(column: Column, depths: dict[Spot, int], before: dict[Spot, Spot | None]) -> Impact:
    """Return the impact on a column that was reached in one way or in both."""
    pure, mixed = Spot(column, True), Spot(column, False)
    if mixed not in depths:
        return Impact(column, CONTRIBUTED, depths[pure], pure, before)

    if pure not in depths:
        return Impact(column, REFERENCED, depths[mixed], mixed, before)

    nearest = pure if depths[pure] <= depths[mixed] else mixed
    return Impact(column, BOTH, depths[nearest], nearest, before)


def _rank(found: Impact) -> tuple[bool, int, str]:
    """Return the sort key of an impact."""
    return (found.why == REFERENCED, found.depth, str(found.column))
