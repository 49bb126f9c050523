"""From paths and options to a corpus: everything that is analyzed together."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.script import Corpus, Defaults
from lineal.model.sequences import flatten
from lineal.projects import ProjectError, corpus_of_text, load, make_rules, unite_corpora
from lineal.service.source import STANDARD_INPUT, Source
from lineal.store import Cache, cache, digest, machinery

if TYPE_CHECKING:
    from lineal.projects import Rules
    from lineal.projects.dbt.options import DbtOptions
    from lineal.projects.logs.period import Period
    from lineal.projects.sqlalchemy_schema import Inspected

ReadInput = Callable[[], bytes]
"""Returns everything on standard input."""


def corpus_of(source: Source, standard_input: ReadInput) -> Corpus:
    """Return the corpus to analyze, with the names that the options set."""
    catalogs = _catalogs(source)
    if source.dialect is None:
        spoken = ["postgres"] * bool(source.servers) + [catalog.dialect for catalog in catalogs]
        source = source._replace(dialect=next(filter(None, spoken), None))

    files = [path for path in (*source.paths, *source.sql) if path not in source.servers]
    read = [_read(path, source, standard_input) for path in files]
    read = _named_from_roots(files, read) if source.rooted else read
    several = [*_servers(source, read), *read]
    corpus = several[0] if len(several) == 1 else unite_corpora(several)
    for catalog in catalogs:
        corpus = unite_corpora([corpus, Corpus(corpus.dialect, datasets=catalog.datasets)])
        if corpus.defaults is None and catalog.schema:
            corpus.defaults = Defaults(None, (catalog.schema,))

    corpus.collapse_temporary = source.collapse_temp
    if source.default_catalog or source.default_schema:
        always = (
            corpus.defaults.schemas[-1:] if source.servers and corpus.defaults is not None else ()
        )
        corpus.defaults = Defaults(source.default_catalog, (*source.default_schema, *always))

    return corpus


def _named_from_roots(paths: list[str], corpora: list[Corpus]) -> list[Corpus]:
    """Return the corpora with their files named from the root of each; saved lineage keeps the
    names that it has.
    """
    from lineal.projects import is_saved
    from lineal.projects.relative import name_from_root, roots

    known = roots(path for path in paths if not is_saved(path))
    return [
        name_from_root(corpus, known[path]) if path in known else corpus
        for path, corpus in zip(paths, corpora, strict=True)
    ]


def _catalogs(source: Source) -> list[Inspected]:
    """The databases that only tell which columns tables have."""
    if not source.schema_from:
        return []

    from lineal.projects.sqlalchemy_schema import inspect_database

    return [inspect_database(url, source.only_schema) for url in source.schema_from]


def _servers(source: Source, beside: list[Corpus]) -> list[Corpus]:
    """Return the databases that are asked for, as far as the other inputs need them."""
    if not source.servers and (source.history or (source.only_schema and not source.schema_from)):
        raise ProjectError(
            "--history and --only-schema are about a server: name one, postgresql://host/database"
        )

    if not source.servers:
        return []

    from lineal.projects import postgres

    scripts = flatten(corpus.scripts for corpus in beside)
    return [
        postgres.load(address, scripts, source.only_schema, source.history)
        for address in dict.fromkeys(source.servers)
    ]


def _read(path: str, source: Source, standard_input: ReadInput) -> Corpus:
    """Return the project of a path, or of standard input."""
    if path != STANDARD_INPUT:
        return load(
            path,
            source.dialect,
            source.schema,
            dict(source.log),
            _render_cache(source),
            rules=rules_of(source),
            dbt_options=dbt_options_of(source),
            period=period_of(source),
        )

    if source.log or source.since or source.until:
        raise ProjectError("standard input is SQL: name the file of a query log")

    return _standard_input(source, standard_input)


def rules_of(source: Source) -> Rules:
    """Return which files may be read, by the options and the environment."""
    try:
        return make_rules(
            source.encoding,
            source.follow_links,
            source.max_file_size,
            source.exclude,
            source.include,
        )
    except ValueError as mistake:
        raise ProjectError(str(mistake)) from mistake


def period_of(source: Source) -> Period | None:
    """Return the time that --since and --until choose; None if neither is given."""
    if source.since is None and source.until is None:
        return None

    from lineal.projects.logs.period import make_period

    return make_period(source.since, source.until)


def dbt_options_of(source: Source) -> DbtOptions:
    """Return what the options say to dbt projects."""
    from lineal.projects.dbt.options import DbtOptions, parse_variables

    try:
        variables = parse_variables(source.variables or "")
    except ValueError as mistake:
        raise ProjectError(str(mistake)) from mistake

    return DbtOptions(source.target or "", source.profile or "", variables)


class _Rendered:
    """Rendered templates, by everything that decides them."""

    def __init__(self, memory: Cache) -> None:
        self.memory = memory

    def get(self, key: str) -> bytes | None:
        """Return the cached renderings of a key."""
        return self.memory.get(self.full(key))

    def put(self, key: str, data: bytes) -> None:
        """Keep rendered templates."""
        self.memory.put(self.full(key), data)

    def full(self, key: str) -> str:
        """Return the key with the version of lineal in it."""
        return digest("rendered", machinery(), key)


def _render_cache(source: Source) -> _Rendered | None:
    """Return the cache of rendered templates, unless it is turned off."""
    memory = cache() if source.use_cache else None
    if memory is not None:
        return _Rendered(memory)

    return None


def _standard_input(source: Source, standard_input: ReadInput) -> Corpus:
    """Return the corpus of the text on standard input; it is one file of the ledger."""
    from lineal.projects.intake import Intake, Refused
    from lineal.projects.text import decode

    content = standard_input()
    problems: list[Diagnostic] = []
    texts: list[str] = []
    corpus = Corpus("")
    with Intake(None, rules_of(source)):
        try:
            texts = [decode(content, "", problems.append)]
        except Refused as refused:
            message = f"standard input is left out: {refused.strerror}"
            problems.append(Diagnostic(Code.LEFT_OUT, message, Place("", 1, 1)))
            corpus.files.leave_out("<input>", refused.reason)

    corpus = unite_corpora([corpus_of_text(texts, source.dialect, source.schema), corpus])
    if texts and not texts[0].strip():
        problems.append(Diagnostic(Code.NO_INPUT, "standard input is empty", Place("", 1, 1)))

    corpus.diagnostics += problems
    return corpus
