"""Query logs: rows of JSON or CSV with a statement each, and PostgreSQL's csvlog and jsonlog.

    load("queries.jsonl")                                {"query_text": "SELECT …", "user_name":
    "ann"}
    load("history.csv", columns={"text": "sql"})         which column holds the statements
    load("postgresql.csv")                               csvlog: known by its columns

    load("jobs.json")                                    the history that Snowflake or BigQuery
    exports

Statements that failed give no edges: `histories` says how each warehouse tells. Statements that
differ only in literals are analyzed once; how often they ran is kept in
`Corpus.occurrences`. A row that cannot be read is a diagnostic with its line, and costs no other
row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain, islice
from pathlib import Path

from lineal.model.boundary import attempt, attempt_each
from lineal.model.diagnostic import Diagnostic, Place
from lineal.model.script import Corpus
from lineal.projects.errors import ProjectError
from lineal.projects.intake import current, leave_out, walk
from lineal.projects.logs.entry import Entry, Row
from lineal.projects.logs.histories import field_paths, recognize
from lineal.projects.logs.period import ALWAYS, Period
from lineal.projects.logs.reader import LogReader
from lineal.projects.logs.rows import TORN, rows
from lineal.projects.logs.statements import Statements
from lineal.projects.nothing import no_input
from lineal.projects.schema import Schema, schema_datasets
from lineal.projects.text import Report, start_of

PACKED = ("", ".gz", ".bz2")
JSON_SUFFIXES = tuple(f".json{packed}" for packed in PACKED)
"""Any tool writes .json: the contents tell."""
TEXT_COLUMNS = ("query_text", "sql_text", "statement_text", "querytext", "sqltext", "querytxt")
"""Names that nothing but a column of statements has."""
MOST_PEEKED = 100

SUFFIXES = tuple(
    f"{kind}{packed}" for kind in (".jsonl", ".ndjson", ".csv", ".tsv", ".log") for packed in PACKED
)


def matches(path: Path) -> bool:
    """A file that is named; in a folder only the options of a log make logs of such files."""
    name = path.name.lower()
    if name.endswith(JSON_SUFFIXES):
        return path.is_file() and is_history(path)

    return name.endswith(SUFFIXES) and path.is_file()


def is_history(file: Path) -> bool:
    """Tell whether a .json file is the export of a query history, by its first objects."""
    try:
        head = list(peek(file))
    except TORN:
        return False

    columns = {name.lower() for row in head for name in field_paths(row.fields)}
    return recognize(columns) is not None or not columns.isdisjoint(TEXT_COLUMNS)


def load(
    path: Path,
    dialect: str | None = None,
    schema: Schema = None,
    columns: Mapping[str, str] | None = None,
    period: Period = ALWAYS,
) -> Corpus:
    """The statements of a log, or of every log in a folder, that ran in a period."""
    corpus = Corpus(dialect or "")
    report = corpus.diagnostics.append
    corpus.datasets = schema_datasets(schema, "", report)
    files = list(_logs(path, report)) if path.is_dir() else [path]
    if not files and not corpus.diagnostics:
        report(no_input(path, "no query logs (.json, .jsonl, .ndjson, .csv, .tsv, .log)"))

    statements = Statements(dialect)
    for file in files:
        attempt(
            partial(_read, file, columns or {}, period, statements, report),
            None,
            start_of(file),
            report,
            "this log",
        )

    corpus.dialect = statements.dialect
    corpus.scripts, corpus.occurrences = statements.scripts(), statements.occurrences()
    return corpus


def _read(
    file: Path,
    columns: Mapping[str, str],
    period: Period,
    statements: Statements,
    report: Report,
) -> None:
    """Add the statements of one log file."""
    current().add(str(file))
    for entry in _entries(file, columns, period, report):
        at = Place(entry.row.file, entry.row.line, 1)
        attempt(partial(statements.add, entry, report), None, at, report, "this row")


def _logs(folder: Path, report: Report) -> Iterator[Path]:
    """The logs below a folder, sorted; hidden ones are skipped and links to folders not followed."""
    for where, names in walk(folder, report):
        visible = (where / name for name in names if not name.startswith("."))
        yield from filter(matches, visible)


def _entries(
    file: Path, named: Mapping[str, str], period: Period, report: Report
) -> Iterator[Entry]:
    """Yield the statements of a log that ran, and report how many rows did not."""
    log = LogReader(str(file), named, period, report)
    try:
        log.recognize(peek(file))
        if log.has_scripts:
            log.scripts = _scripts_in(file, log)

        ran = attempt_each(
            rows(file, report),
            log.read,
            lambda row: Place(row.file, row.line, 1),
            report,
            "this row",
        )
        yield from chain.from_iterable(ran)
    except TORN as error:
        leave_out(file, error if isinstance(error, OSError) else OSError(str(error)), report)

    yield from log.end()
    problem = log.columns.problem()
    if problem:
        raise ProjectError(problem)

    log.close()


def _scripts_in(file: Path, log: LogReader) -> frozenset[str]:
    """Return the ids of the scripts whose statements have rows of their own; BigQuery has them."""
    return frozenset(filter(None, map(log.parent_of, rows(file, ignore))))


def peek(file: Path) -> Iterator[Row]:
    """Yield the first rows of a log."""
    return islice(rows(file, ignore), MOST_PEEKED)


def ignore(found: Diagnostic) -> None:
    """Pass over a diagnostic: the rows are read again, and then it is reported."""
