"""A020: a column that no statement downstream reads."""

from __future__ import annotations

from collections.abc import Iterator

from lineal.graph.graph import STAR
from lineal.model import names
from lineal.model.consumers import CONSUMERS, EXPOSURE, TEST
from lineal.model.diagnostic import Severity
from lineal.model.edge import Column, Dataset
from lineal.model.extraction import DatasetInfo
from lineal.model.finding import Found, Spot
from lineal.rules.rule import Rule, Subject

ENDS = CONSUMERS | {"query", "temporary"}
"""Kinds of datasets that are there to be looked at, or gone when the script ends."""

MARK = "Remove it, or set `meta: {lineal: {terminal: true}}` in the YAML of an output that others read."


def find(subject: Subject) -> Iterator[Found]:
    """Yield each dataset and column that nothing reads."""
    tests = {name for name, info in subject.graph.infos.items() if info.kind == TEST}
    read = _columns_read(subject, tests)
    tested = _columns_read(subject, set())
    for info in subject.infos:
        if not info.produced or info.kind in ENDS or subject.is_terminal(info):
            continue

        if info.dataset not in read:
            reader = "only a test" if info.dataset in tested else "nothing"
            message = f"{reader} reads {info.dataset}"
            yield Found(message, subject.home_of(info.dataset), MARK, info.dataset)
        elif STAR not in read[info.dataset]:
            yield from _columns(info, read[info.dataset], tested[info.dataset], subject)


def _columns(
    info: DatasetInfo, read: set[str], tested: set[str], subject: Subject
) -> Iterator[Found]:
    """Yield each column of a dataset that nothing reads, or nothing but tests."""
    for column in info.produced_columns:
        name = names.insensitive(column.name, False)
        if name not in read:
            about = Column(info.dataset, column.name)
            made, declared = subject.made_at(about), subject.declared_at(about)
            spots = (Spot(declared, "declared here"),) if made and declared else ()
            place = made or declared or subject.home_of(info.dataset)
            reader = "only a test" if name in tested or STAR in tested else "nothing"
            yield Found(f"{reader} reads {about}", place, MARK, about, None, spots)


def _columns_read(subject: Subject, without: set[Dataset]) -> dict[Dataset, set[str]]:
    """Dataset → the names of its columns that others read, some readers left out. What only reads
    itself, an incremental model, does not.
    """
    found: dict[Dataset, set[str]] = {}
    kinds = {info.dataset: info.kind for info in subject.infos}
    for read in subject.graph.reads:
        if read.target != read.dataset and read.target not in without:
            columns = found.setdefault(read.dataset, set())
            if read.column is not None:
                columns.add(names.insensitive(read.column, False))
            elif kinds.get(read.target) == EXPOSURE:
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
    "No downstream statement reads a column of a model in any clause, and the model is not marked as terminal. A model"
    " that nothing reads at all is reported once. Metrics, exposures and other consumers count as readers; a column"
    " that only tests read is reported as such.",
    MARK,
    find,
)
