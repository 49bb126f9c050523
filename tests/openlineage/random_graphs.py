"""Lineage that nobody wrote: graphs with names that no one expects, for events to be made of."""

from __future__ import annotations

from random import Random

from lineal.model.diagnostic import Place
from lineal.model.edge import Column, Dataset, Doubt, Edge, Read, Site, Usage
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.job import Job
from lineal.model.way import Clause, Confidence, How, way

ODD = (
    *(
        "",
        " ",
        ".",
        "*",
        "a.b",
        "a",
        "b",
        "a.b.c",
        "ID",
        "id",
        '"Quoted"',
        "it's",
        "naïve",
        "日本語",
        "🙂",
        "x" * 300,
    ),
    *(
        "line\nbreak",
        "\t",
        "\x00",
        "\x1b[31m",
        "\u2028",
        "\u202eevil",
        "\ud800",
        "</script>",
        "${x}",
        "{{ x }}",
        "`",
    ),
    *(
        "default",
        "file",
        "columnLineage",
        "lineal_rows",
        "_producer",
        "__proto__",
        "-1",
        "null",
        "a/b",
        "../x",
        "a\\b",
    ),
)
PATHS = (
    *(
        "s3://lake/orders",
        "s3a://lake/orders/",
        "s3://lake/y=2024/m=1",
        "s3://lake",
        "s3://",
        "s3:///k",
        "gs://b//k",
    ),
    *(
        "hdfs://nn:8020/raw",
        "abfss://c@acc/x/",
        "dbfs:/mnt/x",
        "/tmp/x.csv",
        "data/x.csv",
        "@stage/x",
        "kafka://h/t",
    ),
    *("file:///tmp/y", "s3://b/a=1//c=2", "wasbs://c@acc/", "table/a/b", "s3://b/k//"),
)
SPACES = (
    "",
    "",
    "default",
    "postgres://h:5432",
    "arn:aws:glue:eu:1",
    "azurekusto://h",
    "s3://lake",
    "file",
    "a",
    "ü ",
)
KINDS = ("table", "view", "model", "file", "query", "function")
ROWS = (How.JOIN, How.FILTER, How.GROUP_BY, How.SORT, How.WINDOW, How.CONDITIONAL)


class Invented:
    """One graph: a handful of datasets, columns and edges between them."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.datasets = [self._dataset() for _ in range(self.random.randint(1, 8))]
        self.infos = {info.dataset: info for info in map(self._info, self.datasets)}

    def extraction(self) -> Extraction:
        edges = {
            (edge.source, edge.target): edge
            for edge in (self._edge() for _ in range(self._few(30)))
        }
        reads = [self._read() for _ in range(self._few(6))]
        jobs = [self._job() for _ in range(self._few(4))]
        return Extraction(list(edges.values()), reads, self.infos, jobs=jobs)

    def _few(self, most: int) -> int:
        return self.random.choice((0, 1, 2, most // 2, most))

    def _name(self) -> str:
        return self.random.choice(ODD)

    def _dataset(self) -> Dataset:
        name = self.random.choice(PATHS) if self.random.random() < 0.3 else self._name()
        return Dataset(self.random.choice(SPACES), name)

    def _info(self, dataset: Dataset) -> DatasetInfo:
        columns = [
            ColumnInfo(
                self._name(),
                self.random.choice(("", "int", "struct<a:int>")),
                self.random.choice(("", "d")),
            )
            for _ in range(self._few(6))
        ]
        labelled = [
            column._replace(classification=("pii",)) if self.random.random() < 0.2 else column
            for column in columns
        ]
        complete, described = self.random.random() < 0.5, self.random.choice(("", "a dataset"))
        return DatasetInfo(dataset, self.random.choice(KINDS), labelled, complete, described)

    def _column(self) -> Column:
        dataset = self.random.choice(self.datasets)
        listed = self.infos[dataset].names
        name = self.random.choice(listed) if listed and self.random.random() < 0.7 else self._name()
        path = tuple(self._name() for _ in range(self.random.choice((0, 0, 0, 1, 2))))
        return Column(dataset, name, path)

    def _edge(self) -> Edge:
        rows = self.random.random() < 0.4
        target: Column | Dataset = self.random.choice(self.datasets) if rows else self._column()
        ways = self.random.sample(ROWS if rows else tuple(How), self.random.randint(1, 3))
        return Edge(self._column(), target, tuple(self._usage(how) for how in ways))

    def _usage(self, how: How) -> Usage:
        doubt = self.random.choice((None, None, Doubt(Confidence.LOW, True, "invented")))
        made = way(
            how,
            self.random.choice(tuple(Clause)),
            self.random.random() < 0.2,
            self.random.random() < 0.2,
        )
        return Usage(made, doubt, None, Site(Place("x.sql", 1, 1), self._name(), ("sum",)))

    def _read(self) -> Read:
        column = self._column()
        return Read(
            self.random.choice(self.datasets), column.dataset, column.name, Clause.FROM, None
        )

    def _job(self) -> Job:
        place = self.random.choice((None, Place("models/a b.sql", 3, 1), Place("", 1, 1)))
        sql = self.random.choice(("", "SELECT 1", "\x00 \ud800"))
        return Job(
            (self.random.choice(self.datasets),),
            sql=sql,
            dialect=self.random.choice(("", "spark")),
            place=place,
        )
