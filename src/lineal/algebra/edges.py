"""Edges: the lineage that is recorded when a frame becomes a dataset."""

from __future__ import annotations

from collections.abc import Sequence

from lineal.algebra.frame import Frame, Slot
from lineal.algebra.lineage import Lineage, Trail
from lineal.algebra.relation import union_column
from lineal.algebra.values import AssignedFields
from lineal.model.edge import Column, Dataset, Edge, Reader, Usage
from lineal.model.grouping import group


def name(
    frame: Frame, target: Dataset, reader: Reader, fallback: Trail | None = None
) -> list[Edge]:
    """CREATE VIEW v AS SELECT a AS x FROM t WHERE b

    The frame becomes the dataset v: every column survives as a column of v, and an edge leads into
    it from each of its origins (t.a -> v.x); what decides the rows is an edge into v itself (t.b =>
    v). Lineage ends here: whoever reads v scans it, and its columns stand for themselves.
    """
    edges: list[Edge] = []
    for slot in distinct_names(frame):
        if slot.lineage.__class__ is AssignedFields:
            for path, lineage in slot.lineage.fields.items():
                field = Column(target, slot.name, tuple(path.split(".")))
                _edges_into(field, lineage, reader, fallback, edges)
        elif slot.lineage:
            _edges_into(Column(target, slot.name), slot.lineage, reader, fallback, edges)

    if frame.rows:
        _edges_into(target, frame.rows, reader, fallback, edges)

    return edges


def distinct_names(frame: Frame) -> Sequence[Slot]:
    """Unite the columns of a frame that share a name.

    SELECT a.id, b.id      two columns of one name are one target
    """
    names = {slot.name for slot in frame.slots}
    if len(names) == len(frame.slots):
        return frame.slots

    together = group(frame.slots, lambda slot: slot.name)
    return list(map(union_column, together.values()))


_new = tuple.__new__  # half the cost of a NamedTuple's own constructor, and edges are many


def leads_to_place(trail: Trail) -> bool:
    """Whether a trail leads anywhere: that of a column which only a star has named does not."""
    return trail[1] is not None or trail[2] is not None


def _edges_into(
    target: Column | Dataset,
    lineage: Lineage,
    reader: Reader,
    fallback: Trail | None,
    edges: list[Edge],
) -> None:
    """Add the edges from every origin of a lineage into a target, one for each origin."""
    if len(lineage) == 1:
        for (origin, way), trail in lineage.items():
            if trail is None:
                usage = _new(Usage, (way, None, fallback, reader))
            else:
                usage = _new(
                    Usage,
                    (
                        way,
                        trail[3],
                        trail if trail[0] is not None or leads_to_place(trail) else fallback,
                        reader,
                    ),
                )

            edges.append(_new(Edge, (origin, target, (usage,))))

        return

    usages: dict[Column, tuple[Usage, ...]] = {}
    for (origin, way), trail in lineage.items():
        if trail is None:
            usage = _new(Usage, (way, None, fallback, reader))
        else:
            usage = _new(
                Usage,
                (
                    way,
                    trail[3],
                    trail if trail[0] is not None or leads_to_place(trail) else fallback,
                    reader,
                ),
            )

        held = usages.get(origin)
        usages[origin] = (usage,) if held is None else (*held, usage)

    edges.extend([_new(Edge, (origin, target, found)) for origin, found in usages.items()])
