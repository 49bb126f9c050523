"""A020: a column that no statement downstream reads."""

from __future__ import annotations

from collections.abc import Iterator

from lineal.graph.graph import STAR
from lineal.model import names
from lineal.model.diagnostic import Severity
from lineal.model.edge import Column, Dataset
from lineal.model.extraction import DatasetInfo
from lineal.model.finding import Found, Spot
from lineal.rules.rule import Rule, Subject

ENDS = frozenset(("query", "temporary", "exposure"))
"""Kinds of datasets that are there to be looked at, or gone when the script ends."""

MARK = "Remove it, or say `meta: {lineal: {terminal: true}}` in the YAML of what is read outside of the project."


def find(subject: Subject) -> Iterator[Found]:
    """Yield each dataset and column that nothing reads."""
    read = _read(subject)
    for info in subject.infos:
        if not info.produced or info.kind in ENDS or subject.is_terminal(info):
            continue
        if info.dataset not in read:
            message = f"nothing reads {info.dataset}"
            yield Found(message, subject.home_of(info.dataset), MARK, info.dataset)
        elif STAR not in read[info.dataset]:
            yield from _columns(info, read[info.dataset], subject)


def _columns(info: DatasetInfo, read: set[str], subject: Subject) -> Iterator[Found]:
    """Yield each column of a dataset that nothing reads."""
    for column in info.produced or ():
        if names.insensitive(column.name, False) not in read:
            about = Column(info.dataset, column.name)
            made, declared = subject.made_at(about), subject.declared_at(about)
            spots = (Spot(declared, "declared here"),) if made and declared else ()
            place = made or declared or subject.home_of(info.dataset)
            yield Found(f"nothing reads {about}", place, MARK, about, None, spots)


def _read(subject: Subject) -> dict[Dataset, set[str]]:
    """Dataset → the names of its columns that others read. What only reads itself, an incremental
    model, does not.
    """
    found: dict[Dataset, set[str]] = {}
    kinds = {info.dataset: info.kind for info in subject.infos}
    for read in subject.graph.reads:
        if read.target != read.dataset:
            columns = found.setdefault(read.dataset, set())
            if read.column is not None:
                columns.add(names.insensitive(read.column, False))
            elif kinds.get(read.target) == "exposure":
                columns.add(STAR)
    for edge in subject.graph.edges:
        if edge.into != edge.source.dataset:
            found.setdefault(edge.source.dataset, set()).add(
                names.insensitive(edge.source.name, False)
            )
    return found


RULE = Rule(
    "A020",
    "unused-column",
    Severity.INFO,
    "A model makes a column that no statement downstream reads, in whatever clause, and the model is not marked as"
    " terminal. A model that nothing reads at all is reported once.",
    MARK,
    find,
)
