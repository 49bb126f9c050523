"""Lineage out of a hat: circles, nested fields, open stars, rows, several statements, names of
every kind.
"""

from __future__ import annotations

from random import Random

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.edge import Column, Dataset, Doubt, Edge, Read, Site, Usage
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction, Occurrence
from lineal.model.ledger import Columns, Coverage, Files, Statements
from lineal.model.statement import Statement
from lineal.model.way import Clause, Confidence, How, way

HOSTILE = (
    "tab\there", "back\\slash", "line\nbreak", "nul\0", "half\ud800", "sub\x1a", "\\N", "\r", "𝒳", "ünï", "", "a.b",
    "'; DROP TABLE edges; --", "*?%s",
)  # fmt: skip
DIRECT = (How.IDENTITY, How.TRANSFORMATION, How.AGGREGATION)


def lineage(
    random: Random, size: int = 30, names: tuple[str, ...] = ("a", "b", "c", "*")
) -> Extraction:
    datasets = [Dataset(random.choice(("", "", "s3://lake")), f"d{number}") for number in range(6)]
    made = Maker(random, datasets, names)
    edges: dict[object, Edge] = {}
    for _ in range(size):
        edge = made.edge()
        edges.setdefault((edge.source, edge.target), edge)
    return Extraction(
        list(edges.values()),
        [made.read() for _ in range(size // 3)],
        {dataset: made.info(dataset) for dataset in datasets if random.random() < 0.8},
        [made.diagnostic() for _ in range(3)],
        Coverage(Files(2), Statements(random.randrange(9)), Columns(3)),
        [made.occurrence() for _ in range(2)],
        [
            made.statement(dataset, number)
            for dataset in datasets
            for number in range(random.randrange(3))
        ],
    )


class Maker:
    def __init__(self, random: Random, datasets: list[Dataset], names: tuple[str, ...]) -> None:
        self.random = random
        self.datasets = datasets
        self.names = names

    def place(self) -> Place | None:
        return self.random.choice(
            (None, Place("x.sql", self.random.randrange(40), 1), Place("", 1, 7))
        )

    def text(self) -> str:
        return self.random.choice((*self.names, *HOSTILE))

    def column(self) -> Column:
        path = self.random.choice(((), (), (), ("x",), ("x", "y.z"), ("x", self.text())))
        name = self.random.choice(self.names)
        return Column(self.random.choice(self.datasets), name, path if name != "*" else ())

    def edge(self) -> Edge:
        if self.random.random() < 0.25:
            return Edge(
                self.column(), self.random.choice(self.datasets), self.usages(tuple(How)[3:])
            )
        return Edge(
            self.column(),
            self.column(),
            self.usages(DIRECT if self.random.random() < 0.8 else tuple(How)),
        )

    def usages(self, hows: tuple[How, ...]) -> tuple[Usage, ...]:
        return tuple(self.usage(hows) for _ in range(self.random.choice((1, 1, 1, 2, 3))))

    def usage(self, hows: tuple[How, ...]) -> Usage:
        random = self.random
        taken = way(
            random.choice(hows),
            random.choice(tuple(Clause)),
            random.random() < 0.2,
            random.random() < 0.1,
        )
        doubt = (
            Doubt(Confidence(random.randrange(3)), True, self.text())
            if random.random() < 0.2
            else None
        )
        calls = random.choice(
            ((), ("sum",), ("coalesce", self.text()), ("round", ("cents", self.text(), "divide")))
        )
        return Usage(
            taken,
            doubt,
            None,
            Site(self.place(), self.text(), calls, Confidence(random.choice((3, 3, 4)))),
        )

    def info(self, dataset: Dataset) -> DatasetInfo:
        listed = [name for name in self.names if name != "*" and self.random.random() < 0.5]
        columns = [
            ColumnInfo(name, "int", self.text(), ("pii",), self.place(), False) for name in listed
        ]
        return DatasetInfo(
            dataset, "table", columns, self.random.random() < 0.5, self.text(), self.place()
        )

    def read(self) -> Read:
        column = self.random.choice((None, self.text()))
        clause = self.random.choice(tuple(Clause))
        target, dataset = self.random.choice(self.datasets), self.random.choice(self.datasets)
        stands = (self.random.random() < 0.1, self.random.random() < 0.1)
        return Read(target, dataset, column, clause, self.place(), *stands)

    def diagnostic(self) -> Diagnostic:
        return Diagnostic(self.random.choice(tuple(Code)), self.text(), self.place(), self.text())

    def occurrence(self) -> Occurrence:
        return Occurrence(
            self.text(), Place("log", 1, 1), 3, "then", "now", (self.text(),), (), self.text()
        )

    def statement(self, target: Dataset, number: int) -> Statement:
        place = Place("x.sql", 20 * number + 1, 1)
        return Statement(
            target,
            self.random.choice(("insert", "python")),
            place,
            "duckdb",
            self.text(),
            f"m{number}",
        )
