"""A lineage, put together from the tables of an output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from lineal.extract.sql.dialects import facts_of
from lineal.extract.sql.expansions import reading_of
from lineal.extract.sql.parse import parse
from lineal.extract.sql.reading import Reading, Spot
from lineal.model.diagnostic import Code, Diagnostic, Place, order_of
from lineal.model.edge import Calls, Column, Dataset, Doubt, Edge, Read, Site, Usage
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction, Occurrence
from lineal.model.grouping import group
from lineal.model.job import Job
from lineal.model.ledger import Coverage
from lineal.model.script import Script
from lineal.model.statement import LateStatement, Statement
from lineal.model.way import Clause, Confidence, How, way
from lineal.projects.logs.histories import is_not_due
from lineal.resolve.catalog import table_key
from lineal.resolve.digests import Sql
from lineal.resolve.jobs import Jobs, WrittenDataset
from lineal.store.errors import Damaged
from lineal.store.outputs import Output

Row = Mapping[str, Any]


class Restored:
    """The tables of an output as an extraction."""

    def __init__(self, output: Output) -> None:
        self.output = output
        self.dialect = str(output.said["dialect"])
        self.namespace = str(output.said["namespace"])
        self.readings: dict[str, Reading] = {}
        self.poisoned = {row["statement"] for row in output.rows("quarantine") if row["statement"]}
        self.datasets = {
            row["dataset"]: Dataset(row["namespace"], row["name"])
            for row in sorted(output.rows("datasets"), key=lambda row: row["number"])
        }

    def extraction(self) -> Extraction:
        """Return the lineage that a pipeline has written."""
        occurrences = list(self.occurrences())
        infos = self.infos()
        writes = sorted(self.output.rows("writes"), key=lambda row: row["number"])
        self.open_procedures(writes)
        late = any(row["words"] is None for row in writes)
        statements = self.statements_of_log if late else self.statements_of_scripts
        return Extraction(
            edges=self.edges(),
            reads=list(map(self.read, self.output.rows("reads"))),
            datasets=infos,
            diagnostics=sorted(self.diagnostics(), key=order_of),
            coverage=Coverage.from_json(self.output.said["coverage"]),
            occurrences=occurrences,
            statements=lambda: list(statements(writes, infos)),
            jobs=lambda: self.jobs_of_log(writes) if late else list(self.jobs_of_scripts(writes)),
            texts={name: reading.script.text for name, reading in self.readings.items()},
        )

    def dataset(self, full: str) -> Dataset:
        """A dataset by its full name; a function, which is none, by the namespace of the corpus."""
        found = self.datasets.get(full)
        if found is not None:
            return found

        return Dataset(
            self.namespace, full.removeprefix(f"{self.namespace}:" if self.namespace else "")
        )

    # -- statements --------------------------------------------------------------------------------

    def occurrences(self) -> Iterator[Occurrence]:
        """The statements of the log; those that were given up have left no lineage."""
        for row in self.output.rows("statements"):
            name = row["name"]
            self.readings[name] = reading_of(Script(row["text"], self.dialect, name))
            if name not in self.poisoned:
                databases = (row["database"],) if row["database"] else ()
                seen = (row["runs"], row["first_seen"], row["last_seen"], tuple(row["users"]))
                yield Occurrence(name, Place(name, 1, 1), *seen, databases, row["id"])

    def open_procedures(self, writes: Iterable[Row]) -> None:
        """A procedure's body is one word of the text, until it is read."""
        for name in dict.fromkeys(row["statement"] for row in writes if row["procedural"]):
            parse(self.readings[name])

    def written_statement(self, row: Row) -> WrittenDataset:
        """A statement of the log by its text and its start in it."""
        offset = row["offset"]
        reading = self.readings[row["statement"]]
        return WrittenDataset(
            self.dataset(row["dataset"]), reading, None if offset is None else Spot(offset)
        )

    def statements_of_log(
        self, writes: Iterable[Row], infos: Mapping[Dataset, DatasetInfo]
    ) -> Iterator[Statement]:
        """Return the statements of a log; each text is read on first use."""
        columns = _columns_by_key(infos, self.dialect)
        for row in writes:
            target, reading, node = self.written_statement(row)
            saying = Sql(reading, node, bool(row["whole"]) or node is None, columns)
            saying.is_function = row["kind"] == "function"
            yield LateStatement.build(target, self.dialect, saying)

    def statements_of_scripts(
        self, writes: Iterable[Row], infos: Mapping[Dataset, DatasetInfo]
    ) -> Iterator[Statement]:
        """Yield the statements of a folder of scripts."""
        for row in writes:
            said = (row["dialect"], row["words"], row["meaning"])
            yield Statement(self.dataset(row["dataset"]), row["kind"], self.place(row), *said)

    def jobs_of_log(self, writes: Iterable[Row]) -> list[Job]:
        """Return a job for each statement of a log."""
        jobs = Jobs()
        for row in writes:
            if row["kind"] != "function":
                jobs.add(self.written_statement(row))

        return jobs.all()

    def jobs_of_scripts(self, writes: Iterable[Row]) -> Iterator[Job]:
        """Yield one job for each dataset: its text is next to the first statement that writes it."""
        for row in writes:
            if row["sql"] is not None:
                dialect = row["dialect"] if row["sql"] else ""
                yield Job(
                    (self.datasets[row["dataset"]],),
                    sql=row["sql"],
                    dialect=dialect,
                    place=self.place(row),
                )

    # -- edges -------------------------------------------------------------------------------------

    def edges(self) -> list[Edge]:
        """Return all edges in their order."""
        usages: dict[int, list[Usage]] = {}
        for row in self.output.rows("usages"):
            usages.setdefault(row["edge"], []).append(self.usage(row))

        numbered = sorted(self.output.rows("edges"), key=lambda row: row["number"])
        return [self.edge(row, usages[row["number"]]) for row in numbered]

    def edge(self, row: Row, usages: list[Usage]) -> Edge:
        """Return an edge."""
        source = self.column(row, "source")
        into = (
            self.datasets[row["target_dataset"]]
            if row["target_column"] is None
            else self.column(row, "target")
        )
        return Edge(source, into, tuple(usages))

    def column(self, row: Row, end: str) -> Column:
        """address.city      the column address, and the path to the field in it"""
        name, path = row[f"{end}_column"], tuple(row[f"{end}_path"])
        return Column(
            self.datasets[row[f"{end}_dataset"]],
            name.removesuffix("".join(f".{step}" for step in path)),
            path,
        )

    def usage(self, row: Row) -> Usage:
        """Return a usage."""
        taken = way(How(row["subtype"]), Clause(row["clause"]), row["masked"], row["windowed"])
        level = Confidence[row["confidence"]]
        doubt = (
            Doubt(level, row["ambiguous"], row["evidence"]) if row["evidence"] is not None else None
        )
        reading = self.readings.get(row["file"])
        if reading is None or row["expression"] is not None:
            certain = level if doubt is None else Confidence.HIGH
            site = Site(self.place(row), row["expression"] or "", _path(row), certain)
            return Usage(taken, doubt, None, site)

        spot = Spot(row["position"] - 1, _path(row))
        return Usage(taken, doubt, (spot, None, None, doubt), reading)

    def read(self, row: Row) -> Read:
        """Return a read."""
        target, dataset = self.datasets[row["target"]], self.datasets[row["dataset"]]
        return Read(target, dataset, row["column"], Clause(row["clause"]), self.place(row))

    def place(self, row: Row, position: str = "position") -> Place | None:
        """Of a log, the tables have the character in the statement's text; lines are for people."""
        if row["file"] is None:
            return None

        reading = self.readings.get(row["file"])
        if reading is not None and row["line"] == 1:
            return reading.place_at(row[position] - 1)

        return Place(row["file"], row["line"], row[position])

    # -- datasets ----------------------------------------------------------------------------------

    def infos(self) -> dict[Dataset, DatasetInfo]:
        """Return all datasets."""
        columns: dict[str, list[Row]] = group(
            self.output.rows("columns"), lambda row: row["dataset"]
        )
        rows = {row["dataset"]: row for row in self.output.rows("datasets")}
        return {
            dataset: self.info(rows[name], columns.get(name, []))
            for name, dataset in self.datasets.items()
        }

    def info(self, row: Row, columns: list[Row]) -> DatasetInfo:
        """Return a dataset with its columns."""
        listed = self.columns(columns, "position")
        found = DatasetInfo(
            self.datasets[row["dataset"]], row["kind"], listed, row["complete"], row["description"]
        )
        found.place, found.terminal = self.place(row), row["terminal"]
        if row["declared"]:
            found.declared = self.columns(columns, "declared_position", "declared_type")

        if row["produced"]:
            found.produced = self.columns(columns, "produced_position")

        return found

    def columns(self, rows: list[Row], order: str, kind: str = "type") -> list[ColumnInfo]:
        """The columns that have a position in one of the lists."""
        chosen = sorted((row for row in rows if row[order] is not None), key=lambda row: row[order])
        return [
            ColumnInfo(
                row["column"], row[kind] or "", row["description"], tuple(row["classification"]),
                self.place(row, "line_position"), row["quoted"], row["inherits"],
            )
            for row in chosen
        ]  # fmt: skip

    # -- what could not be done --------------------------------------------------------------------

    def diagnostics(self) -> Iterator[Diagnostic]:
        """Yield all diagnostics, and one for each row that was left out."""
        for row in self.output.rows("diagnostics"):
            yield Diagnostic(_code(row["code"]), row["message"], self.place(row), row["hint"])

        for row in self.output.rows("quarantine"):
            count, name = row["count"], row["statement"]
            rows = "1 row of the log is" if count == 1 else f"{count:,} rows of the log are"
            yield Diagnostic(
                Code.NOT_RUN if is_not_due(row["reason"]) else Code.LOG_ROW,
                f"{rows} left out: {row['reason']}",
                Place(name, 1, 1) if name else None,
            )


def _path(row: Row) -> Calls:
    """The calls around a column; a macro, and a function whose body is known, with the calls of its
    body.
    """
    if row["path"] is None:
        return tuple(row["calls"])

    pairs = zip(row["path"], row["bodies"], strict=True)
    return tuple(name if body is None else (name, *body) for name, body in pairs)


def _code(text: str) -> Code:
    """Return a diagnostic code by its name; raise Damaged if there is none."""
    found = CODES.get(text)
    if found is None:
        raise Damaged(f"a diagnostic has the code {text!r}, which this lineal does not know")

    return found


CODES = {code.code: code for code in Code}


def _columns_by_key(
    infos: Mapping[Dataset, DatasetInfo], dialect: str
) -> Callable[[str], list[str] | None]:
    """The columns of a table by its key, as far as they are all known."""
    fold = facts_of(dialect).fold_dataset
    known = {
        table_key(dataset.name, fold): info.names
        for dataset, info in infos.items()
        if info.complete
    }
    return known.get
