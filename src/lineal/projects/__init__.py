"""Where statements and schemas come from: a project folder, SQL files, texts.

    load("examples/shop")                     a project, known by its lineal.yml or featherflow.yml
    load("jaffle/")                           a dbt project, or its target folder, or a
    manifest.json
    load("config.yaml")                       a SQLMesh project, by its configuration
    load("workflow_settings.yaml")            a Dataform project, by its settings
    load(".")                                 a folder with whatever is in it
    load("models/", dialect="spark")          a folder of .sql files, or one file
    load("queries.jsonl")                     a query log
    load("shop.lineal.json")                  a saved lineage
    load("output.json")                       the JSON of LineageX
    load("events.ndjson")                     OpenLineage events, or a folder of them
    load("lineal.store.db")                   a store
    load("lineage/")                          the folder that `lineal pipeline` wrote
    load("postgresql://ann@host/shop")        a PostgreSQL server
    corpus_of_text({"mart": "select …"})      SQL that is given
    read_schema("schema.yml"), schema_of({"orders": {"id": "int"}})

A new kind of project is one file with `matches` and `load`, and one name in `KINDS`. A kind is
imported when its turn comes, templates are rendered by a worker process, and YAML is read when it
is needed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from lineal.model.addresses import is_address, redact_address
from lineal.model.boundary import attempt, internal_error
from lineal.model.diagnostic import Code, Place, Severity
from lineal.model.ledger import Reason
from lineal.model.script import Corpus
from lineal.projects.embedded import add_embedded
from lineal.projects.enclosing import project_around
from lineal.projects.errors import ProjectError
from lineal.projects.extensions import SQL_ENDINGS, extension_of
from lineal.projects.files import corpus_of_text, unite_corpora
from lineal.projects.intake import Intake, Rules, count_others, current, make_rules
from lineal.projects.relative import root_of
from lineal.projects.schema import Schema, read_schema, schema_of

if TYPE_CHECKING:
    from lineal.projects.dbt.options import DbtOptions
    from lineal.projects.dbt.render_cache import ByteCache
    from lineal.projects.logs.period import Period

__all__ = [
    "KINDS",
    "ProjectError",
    "Rules",
    "Schema",
    "corpus_of_text",
    "has_stamp",
    "home",
    "is_saved",
    "load",
    "make_rules",
    "read_schema",
    "schema_of",
    "stamp",
    "unite_corpora",
]


class Kind(Protocol):
    """A kind of input: it tells whether a path is one, and reads it."""

    def matches(self, path: Path) -> bool:
        """Tell whether the path is a project of this kind."""

    def load(self, path: Path, dialect: str | None = None, schema: Schema = None) -> Corpus:
        """Read the project."""


class Stamped(Kind, Protocol):
    """A kind of input that is known by a stamp."""

    def stamp(self, path: Path) -> str:
        """Return a text that changes whenever the project does."""


KINDS = (
    "saved_lineage",
    "store_file",
    "pipeline",
    "repository",
    "dbt",
    "sqlmesh",
    "dataform",
    "featherflow",
    "openlineage",
    "lineagex",
    "logs",
    "files",
)
"""The first one that matches reads the path."""


RESTORED = ("saved_lineage", "store_file", "pipeline")
"""Kinds that lineal has written: they hold the ledger of the run that wrote them."""


def kinds_for(path: Path) -> tuple[str, ...]:
    """The kinds that a path can be of, as far as its name tells: a kind that is not asked is not
    imported. SQL in a file is a script, unless the file is a database.
    """
    if extension_of(path.name) in SQL_ENDINGS and path.is_file():
        return ("store_file", "files")

    return KINDS


def kinds(names: Iterable[str] = KINDS) -> Iterator[tuple[str, Kind]]:
    """Yield each project kind: its name and its module."""
    for name in names:
        kind: Kind = import_module(f"{__name__}.{name}")
        yield name, kind


def load(
    path: str | os.PathLike[str],
    dialect: str | None = None,
    schema: Schema = None,
    log: Mapping[str, str] | None = None,
    kept: ByteCache | None = None,
    to_run: bool = False,
    rules: Rules | None = None,
    dbt_options: DbtOptions | None = None,
    period: Period | None = None,
) -> Corpus:
    """Everything to analyze at a path; a path that is not there is the caller's mistake.

    What names the columns of a log makes a log of it: {"text": "sql", "user": "who"}. What is kept
    of an earlier time spares rendering templates again. A dbt project that is to be run has its
    steps read as well. If lineal fails over the whole of it, that is among the diagnostics. The
    rules say which files may be read; `Corpus.files` says what became of them. A period is one of a
    query log; it makes a log of a folder, too.
    """
    around = None
    if not log and "://" not in str(path):
        around = project_around(Path(path))
        if around is not None and around.asked.is_dir():
            path = around.folder

    intake = Intake(Path(path), rules)
    try:
        with intake:
            corpus = _load(
                path, dialect, schema, log, ReadingOptions(kept, to_run, dbt_options, period)
            )
            if not to_run:
                add_embedded(corpus, dialect)
    except Exception as error:
        where = redact_address(str(path))
        intake.files.leave_out(where, Reason.INTERNAL_ERROR)
        corpus = Corpus(
            dialect or "", diagnostics=[internal_error(error, Place(where, 1, 1), "this input")]
        )

    if around is not None:
        corpus.diagnostics.append(around.report)

    close_ledger(corpus, intake)
    return corpus


REASONS = {
    Code.TEMPLATE_ERROR: Reason.TEMPLATE_ERROR,
    Code.TEMPLATE_LIMIT: Reason.TEMPLATE_ERROR,
    Code.INTERNAL_ERROR: Reason.INTERNAL_ERROR,
    Code.YAML_ERROR: Reason.INVALID,
    Code.MISSING_SQL: Reason.MISSING_CODE,
    Code.MISSING_PYTHON: Reason.MISSING_CODE,
}
"""Diagnostics of a reader that cost their file its result; of any other error it costs a part."""


def close_ledger(corpus: Corpus, intake: Intake) -> None:
    """Give a corpus the ledger of its files, with those that a reader failed over or passed by."""
    for found in corpus.diagnostics:
        is_counted = found.code is Code.MISSING_PACKAGE  # with the models that need the package
        if found.severity < Severity.ERROR or found.place is None or is_counted:
            continue

        intake.files.leave_out(found.place.file, REASONS.get(found.code, Reason.FAULTY))

    if intake.restored:
        return

    folder = intake.path
    if folder is not None and folder.is_dir():
        known = len(corpus.diagnostics)
        count = partial(count_others, folder, intake)
        report = corpus.diagnostics.append
        attempt(count, None, Place(str(folder), 1, 1), report, "the count of other files")
        if len(corpus.diagnostics) > known:
            intake.files.leave_out(str(folder), Reason.INTERNAL_ERROR)

    corpus.files.unite(intake.files)
    has_texts = corpus.scripts or corpus.functions or corpus.given
    if not has_texts and any(found.code is Code.NO_INPUT for found in corpus.diagnostics):
        corpus.files.pass_over_rest()


def _load(
    path: str | os.PathLike[str],
    dialect: str | None,
    schema: Schema,
    log: Mapping[str, str] | None,
    way: ReadingOptions,
) -> Corpus:
    """Load the input at a path or an address."""
    if is_address(str(path)):
        from lineal.projects import postgres

        return postgres.load(str(path))

    if "://" in str(path):
        raise ProjectError(f"nothing here reads from {str(path).partition('://')[0]}://")

    where = Path(path)
    if where.exists():
        current().admit(root_of(where))

    if (log or way.period) and where.exists():
        return _load_log(where, dialect, schema, log, way.period)

    for name, kind in kinds(kinds_for(where)):
        if kind.matches(where) and not (name == "repository" and way.to_run):
            current().restored = name in RESTORED
            corpus = _load_kind(name, kind, where, dialect, schema, way)
            from lineal.projects.checks import checks_at

            corpus.checks = checks_at(where, corpus.diagnostics.append)
            return corpus

    raise ProjectError(f"no such file or folder: {os.fspath(path)}")


def _load_log(
    where: Path,
    dialect: str | None,
    schema: Schema,
    log: Mapping[str, str] | None,
    period: Period | None,
) -> Corpus:
    """Read a query log, or a folder of them."""
    from lineal.projects import logs
    from lineal.projects.logs.period import ALWAYS

    if period and not log and where.is_file() and not logs.matches(where):
        raise ProjectError(f"--since and --until choose rows of a query log, and {where} is none")

    return logs.load(where, dialect, schema, log, period or ALWAYS)


class ReadingOptions(NamedTuple):
    """How an input is read, beyond its dialect and schema."""

    kept: ByteCache | None
    to_run: bool
    dbt_options: DbtOptions | None
    period: Period | None


def _load_kind(
    name: str, kind: Kind, where: Path, dialect: str | None, schema: Schema, way: ReadingOptions
) -> Corpus:
    """Load a path by the loader of its kind."""
    if name not in ("dbt", "repository"):
        return kind.load(where, dialect, schema)

    from lineal.projects import dbt, repository
    from lineal.projects.dbt.options import NO_OPTIONS

    options = way.dbt_options or NO_OPTIONS
    if name == "repository":
        return repository.load(where, dialect, schema, way.kept, options)

    return dbt.load(where, dialect, schema, way.kept, way.to_run, options)


def is_saved(path: str | os.PathLike[str]) -> bool:
    """Whether an input is lineage that lineal has written: its files were named when it was made."""
    return any(kind.matches(Path(path)) for _, kind in kinds(RESTORED))


STAMPED = ("pipeline", "dbt")
"""Kinds of which it is known without reading an input what decides it."""


def home(path: str | os.PathLike[str]) -> Path:
    """The folder of a project, where a run keeps what it makes."""
    from lineal.projects import dbt

    where = Path(path)
    if dbt.matches(where):
        return dbt.home(where)

    if where.is_dir():
        return where

    return where.parent


def has_stamp(path: str | os.PathLike[str]) -> bool:
    """Tell whether it is known without reading an input what decides it."""
    return _stamp_of(path) is not None


def stamp(path: str | os.PathLike[str]) -> str | None:
    """The hash of all that decides what `load` gives."""
    kind = _stamp_of(path)
    if kind is not None:
        return kind.stamp(Path(path))

    return None


def _stamp_of(path: str | os.PathLike[str]) -> Stamped | None:
    """Return the module that stamps this kind of project; None if there is none."""
    if "://" in str(path):
        return None

    for name in STAMPED:
        kind: Stamped = import_module(f"{__name__}.{name}")
        if kind.matches(Path(path)):
            return kind

    return None
