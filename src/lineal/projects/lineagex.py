"""The JSON of LineageX as input: what it says of tables and columns is given.

{"webinfo": {"tables": ["web"], "columns": {"wcid": [["customers.cid"], ["web.date"]]},
"table_name": …, "sql": …}}

It tells which columns contribute and which are referenced, not how: contributing is a
transformation, being referenced by every column a filter of the rows, both with a doubt.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.edge import Column, Dataset, Doubt, Edge, Read, Site, Usage
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.job import Job
from lineal.model.ledger import Coverage, Statements
from lineal.model.plain import as_mapping, as_text, texts_in
from lineal.model.script import Corpus
from lineal.model.sequences import second_of_each
from lineal.model.way import Clause, Confidence, How, Way, way
from lineal.projects.errors import ProjectError
from lineal.projects.intake import peek_bytes
from lineal.projects.schema import Schema, empty_corpus
from lineal.projects.text import read_text

BASE = "this is a base table"
HEAD = 1 << 16
MARKS = (b'"tables"', b'"columns"')
SILENT = Doubt(Confidence.MEDIUM, False, "LineageX does not say how")
VALUE, FIELD, ROWS = way(How.TRANSFORMATION), way(How.CONDITIONAL), way(How.FILTER, Clause.WHERE)


def matches(path: Path) -> bool:
    """A .json of tables, each with tables and columns."""
    if path.suffix.lower() != ".json" or not path.is_file():
        return False

    head = peek_bytes(path, HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
    return head.startswith(b"{") and all(mark in head for mark in MARKS) and b'"table_name"' in head


def load(path: Path, dialect: str | None = None, schema: Schema = None) -> Corpus:
    """Read a LineageX document as lineage."""
    corpus = empty_corpus(dialect, schema)
    text = read_text(path, corpus.diagnostics.append)
    if text is not None:
        corpus.given.append(extraction_of(_document(text, path), str(path)))

    return corpus


def _document(text: str, path: Path) -> dict[str, object]:
    """Return the JSON object of a file; raise ProjectError if it is something else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise ProjectError(f"{path} is not JSON: {problem}") from problem

    if not isinstance(found, dict):
        raise ProjectError(f"{path} is not LineageX's: an object of tables is expected")

    return found


def extraction_of(document: Mapping[str, object], file: str) -> Extraction:
    """Return the lineage of a LineageX document."""
    return _Reader(document, file).extraction()


class _Reader:
    def __init__(self, document: Mapping[str, Any], file: str) -> None:
        self.place = Place(file, 1, 1)
        self.found = Extraction(coverage=Coverage(statements=Statements(len(document))))
        self.tables: dict[str, dict[str, Any]] = {}
        for name, about in document.items():
            if isinstance(as_mapping(about).get("columns"), dict):
                self.tables[name] = about
            else:
                self._report(f"{name} has no columns: left out")
                self.found.coverage.statements.lose("parsed", Code.LEFT_OUT.code)

    def extraction(self) -> Extraction:
        """Return the lineage of all tables."""
        for name, about in self.tables.items():
            dataset = Dataset("", name)
            columns = list(map(ColumnInfo, about["columns"]))
            self.found.datasets[dataset] = DatasetInfo(dataset, "table", columns, bool(columns))

        for name, about in self.tables.items():
            try:
                self._table(Dataset("", name), about)
            except Exception as error:
                self.found.failures.add(error, self.place, name, f"table {name}")

        return self.found

    def _table(self, dataset: Dataset, about: Mapping[str, Any]) -> None:
        """Add the reads and edges of one table."""
        reads: dict[Read, None] = {}
        for table in _texts(about.get("tables")):
            reads[Read(dataset, self._dataset(table), None, Clause.FROM, self.place)] = None

        pairs = {
            column: self._pair(dataset, column, lists) for column, lists in about["columns"].items()
        }
        common = _common_columns(second_of_each(pairs.values()))
        for source in common:
            self._edge(source, dataset, ROWS, reads)

        for column, (contributed, referenced) in pairs.items():
            target = Column(dataset, column)
            for source in contributed:
                self._edge(source, target, VALUE, reads)

            for source in referenced:
                if source not in common:
                    self._edge(source, target, FIELD, reads)

        self.found.reads.extend(reads)
        sql = as_text(about.get("sql"))
        if sql not in ("", BASE):
            self.found.jobs.append(Job((dataset,), sql=sql, place=self.place))

    def _pair(
        self, dataset: Dataset, column: str, lists: object
    ) -> tuple[list[Column], list[Column]]:
        """Return the contributing and the referenced columns of a column."""
        if not isinstance(lists, list) or len(lists) != 2:
            self._report(f"{dataset}.{column} has no list of two lists: left out")
            self.found.coverage.columns.count(1, unresolved=1)
            return [], []

        contributed, referenced = (list(map(self._column, _texts(each))) for each in lists)
        return contributed, referenced

    def _edge(
        self, source: Column, target: Column | Dataset, how: Way, reads: dict[Read, None]
    ) -> None:
        """Add an edge, and the read that it implies."""
        usage = Usage(how, SILENT, None, Site(self.place, "", (how.how.value.lower(),)))
        edge = Edge(source, target, (usage,))
        self.found.edges.append(edge)
        reads[Read(edge.into, source.dataset, source.name, how.clause, self.place)] = None

    def _column(self, text: str) -> Column:
        """schema.table.column: a table that is listed, as long as can be, else all before the last
        dot.
        """
        parts = text.split(".")
        for count in range(len(parts) - 1, 0, -1):
            table = ".".join(parts[:count])
            if table in self.tables:
                return Column(self._dataset(table), ".".join(parts[count:]))

        table, _, column = text.rpartition(".")
        return Column(self._dataset(table), column)

    def _dataset(self, name: str) -> Dataset:
        """Return a dataset by its name, and list it."""
        dataset = Dataset("", name)
        self.found.datasets.setdefault(dataset, DatasetInfo(dataset, "table"))
        return dataset

    def _report(self, message: str) -> None:
        """Report a problem of the file."""
        self.found.diagnostics.append(Diagnostic(Code.EVENT_ERROR, message, self.place))


def _common_columns(lists: list[list[Column]]) -> dict[Column, None]:
    """Return the columns that every column references."""
    shared = set.intersection(*map(set, lists)) if lists else set()
    return {column: None for column in (lists[0] if lists else ()) if column in shared}


def _texts(value: object) -> Iterator[str]:
    """The texts of a list; LineageX writes an empty one where there is none."""
    return filter(None, texts_in(value))
