"""Query logs: rows of JSON or CSV with a statement each, and PostgreSQL's csvlog and jsonlog.

    load("queries.jsonl")                                {"query_text": "SELECT …", "user_name":
    "ann"}
    load("history.csv", columns={"text": "sql"})         which column holds the statements
    load("postgresql.csv")                               csvlog: known by its columns

Statements that differ only in literals are analysed once; how often they ran is kept in
`Corpus.occurrences`. A row that cannot be read is a diagnostic with its line, and costs no other
row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from lineal.model.boundary import attempt, attempt_each
from lineal.model.diagnostic import Place
from lineal.model.script import Corpus
from lineal.projects.errors import ProjectError
from lineal.projects.intake import current, leave_out, walk
from lineal.projects.logs import postgres
from lineal.projects.logs.columns import Columns
from lineal.projects.logs.entry import Entry, Row
from lineal.projects.logs.rows import TORN, rows
from lineal.projects.logs.statements import Statements
from lineal.projects.nothing import no_input
from lineal.projects.schema import Schema, schema_datasets
from lineal.projects.text import Report, start_of

SUFFIXES = tuple(
    f"{kind}{packed}"
    for kind in (".jsonl", ".ndjson", ".csv", ".tsv", ".log")
    for packed in ("", ".gz", ".bz2")
)


def matches(path: Path) -> bool:
    """A file that is named; in a folder only the options of a log make logs of such files."""
    return path.name.lower().endswith(SUFFIXES) and path.is_file()


def load(
    path: Path,
    dialect: str | None = None,
    schema: Schema = None,
    columns: Mapping[str, str] | None = None,
) -> Corpus:
    """The statements of a log, or of every log in a folder."""
    corpus = Corpus(dialect or "")
    report = corpus.diagnostics.append
    corpus.datasets = schema_datasets(schema, "", report)
    files = list(_logs(path, report)) if path.is_dir() else [path]
    if not files and not corpus.diagnostics:
        report(no_input(path, "no query logs (.jsonl, .ndjson, .csv, .tsv, .log)"))
    statements = Statements(dialect)
    for file in files:
        attempt(
            partial(_read, file, columns or {}, statements, report),
            None,
            start_of(file),
            report,
            "this log",
        )
    corpus.dialect = statements.dialect
    corpus.scripts, corpus.occurrences = statements.scripts(), statements.occurrences()
    return corpus


def _read(file: Path, columns: Mapping[str, str], statements: Statements, report: Report) -> None:
    current().add(str(file))
    for entry in _entries(file, columns, report):
        at = Place(entry.row.file, entry.row.line, 1)
        attempt(partial(statements.add, entry, report), None, at, report, "this row")


def _logs(folder: Path, report: Report) -> Iterator[Path]:
    """The logs below a folder, sorted; hidden ones are skipped and links to folders not followed."""
    for where, names in walk(folder, report):
        yield from (where / name for name in names if _is_log(name))


def _is_log(name: str) -> bool:
    return name.lower().endswith(SUFFIXES) and not name.startswith(".")


def _entry(row: Row, columns: Columns, named: bool, report: Report) -> Entry | None:
    if not named and postgres.is_log(row.fields):
        return postgres.entry(row)
    return columns.entry(row, report)


def _entries(file: Path, named: Mapping[str, str], report: Report) -> Iterator[Entry]:
    columns = Columns(str(file), named)
    try:
        yield from attempt_each(
            rows(file, report),
            lambda row: _entry(row, columns, bool(named), report),
            lambda row: Place(row.file, row.line, 1),
            report,
            "this row",
        )
    except TORN as error:
        leave_out(file, error if isinstance(error, OSError) else OSError(str(error)), report)
    problem = columns.problem()
    if problem:
        raise ProjectError(problem)
