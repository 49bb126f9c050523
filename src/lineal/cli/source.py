"""The input of every command: the shared paths and options, and the lineage that comes
of them.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from lineal.cli.listing import Listing
from lineal.cli.supervisor import read_standard_input, supervise
from lineal.model.boundary import Passing
from lineal.model.limits import (
    DEFAULT_SECONDS,
    MEMORY,
    TIMEOUT,
    Limits,
    default_memory,
    size_of,
)
from lineal.model.redaction import redact_literals
from lineal.service.source import HERE, STANDARD_INPUT, Source

if TYPE_CHECKING:
    from lineal.graph.graph import Graph
    from lineal.model.extraction import Extraction
    from lineal.model.script import Corpus
    from lineal.projects import Rules
    from lineal.service.project import Project, Watching
    from lineal.store import Cache

LOG_COLUMNS = ("text", "user", "time", "id", "database")

Command = TypeVar("Command", bound=Callable[..., Any])


class Mistake(Passing, click.ClickException):
    """A mistake of the user: one line, exit code 2."""

    exit_code = 2

    def format_message(self) -> str:
        """Return the message without characters that a terminal would obey."""
        from lineal.views.safe import make_visible

        return make_visible(self.message)


def require_library(library: str, message: str) -> None:
    """Raise a mistake with the message if a library is not installed."""
    if find_spec(library) is None:
        raise Mistake(message)


def keep_option(context: click.Context, option: click.Parameter, value: bool) -> None:
    """Keep an option of the output for the code that writes it."""
    if value:
        context.find_root().meta[f"lineal.{option.name}"] = True


OUTPUT_OPTIONS = (
    click.option(
        "--wide",
        is_flag=True,
        expose_value=False,
        callback=keep_option,
        help="Show names in full, even if the table is wider than the terminal.",
    ),
    click.option(
        "--no-pager",
        "unpaged",
        is_flag=True,
        expose_value=False,
        callback=keep_option,
        help="Do not page long tables.  [LINEAL_PAGER names the pager]",
    ),
    click.option(
        "-q",
        "--quiet",
        is_flag=True,
        expose_value=False,
        callback=keep_option,
        help="Show results only: no diagnostics, no coverage line.",
    ),
)
"""How results are written; `lineal.cli.console` asks for them."""

OPTIONS = (
    click.option("--dialect", metavar="D", help="The SQL dialect, if the project does not say."),
    click.option(
        "--schema",
        metavar="FILE",
        help="JSON or YAML with the columns of tables: {table: {column: type}}.",
    ),
    click.option(
        "--schema-from",
        metavar="URL",
        multiple=True,
        help="A database that knows the columns of tables (SQLAlchemy).",
    ),
    click.option(
        "--sql",
        metavar="PATH",
        multiple=True,
        help="More statements, in addition to those of a server.",
    ),
    click.option(
        "--history",
        is_flag=True,
        help="Also read the statements that a server has run (pg_stat_statements).",
    ),
    click.option(
        "--only-schema",
        metavar="S",
        multiple=True,
        help="Read only these schemas of a server or of --schema-from.",
    ),
    click.option(
        "--log-text",
        metavar="COLUMN",
        help="The column of a query log with the text of a statement.",
    ),
    click.option(
        "--log-user",
        metavar="COLUMN",
        help="The column of a query log with the user who ran a statement.",
    ),
    click.option(
        "--log-time",
        metavar="COLUMN",
        help="The column of a query log with the time of a statement.",
    ),
    click.option(
        "--log-id", metavar="COLUMN", help="The column of a query log with the id of a statement."
    ),
    click.option(
        "--log-database",
        metavar="COLUMN",
        help="The column of a query log with the database of a statement.",
    ),
    click.option(
        "--since",
        metavar="TIME",
        help="Read only statements of a query log that ran at this time or later.",
    ),
    click.option(
        "--until",
        metavar="TIME",
        help="Read only statements of a query log that ran before this time.",
    ),
    click.option(
        "--default-catalog",
        metavar="C",
        help="The catalog of names without one: s.t is C.s.t.",
    ),
    click.option(
        "--default-schema",
        metavar="S",
        multiple=True,
        help="The schema of names without one: t is S.t. Repeat it for a search path.",
    ),
    click.option(
        "--exclude",
        metavar="PATTERN",
        multiple=True,
        help="Leave out these files and folders; patterns are those of .gitignore.",
    ),
    click.option(
        "--include",
        metavar="PATTERN",
        multiple=True,
        help="Read only these files, and the projects that hold one of them.",
    ),
    click.option(
        "--target",
        metavar="NAME",
        help="The target of a dbt profile.  [default: DBT_TARGET, else the profile's]",
    ),
    click.option("--profile", metavar="NAME", help="The profile of dbt projects."),
    click.option(
        "--vars",
        "variables",
        metavar="YAML",
        help="Variables of dbt projects, such as '{start: 2024}'. They override the projects' own.",
    ),
    click.option(
        "--encoding",
        metavar="E",
        help="The encoding of files without a byte order mark.  [default: UTF-8, else Latin-1]",
    ),
    click.option(
        "--follow-links",
        is_flag=True,
        help="Follow symbolic links that leave the project.",
    ),
    click.option(
        "--max-file-size",
        metavar="SIZE",
        callback=lambda context, option, value: None if value is None else _size(value),
        help="Leave out files that are larger: 500MB, 2GB.  [default: 1GB]",
    ),
    click.option(
        "--collapse-temp/--no-collapse-temp",
        default=True,
        show_default=True,
        help="Replace temporary tables by their sources, or keep them as datasets.",
    ),
    click.option(
        "--engine",
        type=click.Choice(["text", "catalyst", "both"]),
        default="text",
        show_default=True,
        help="Read the text, ask Spark's analyzer, or do both and report every disagreement. "
        "With a PostgreSQL PATH, ask the server.",
    ),
    click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        help="Colors and box lines.",
    ),
    *OUTPUT_OPTIONS,
    click.option(
        "-v",
        "--verbose",
        is_flag=True,
        help="List each model as it is read, with its number of resolved columns, and the ledger.",
    ),
    click.option(
        "--all-diagnostics",
        is_flag=True,
        help="List every diagnostic, not only the first five of each code.",
    ),
    click.option(
        "--redact-literals",
        is_flag=True,
        help="Replace literals in SQL by ? in everything that is shown, sent or saved.",
    ),
    click.option(
        "--cache/--no-cache",
        "use_cache",
        default=True,
        help="Use the cache of earlier results.  [default: --cache]",
    ),
    click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=1),
        default=lambda: cores(),
        metavar="N",
        help="Number of processes that read files.  [default: one per core]",
    ),
    click.option(
        "--statement-timeout",
        type=click.FloatRange(min=0),
        default=DEFAULT_SECONDS,
        show_default=True,
        envvar=TIMEOUT,
        metavar="SECONDS",
        help="Abandon a statement or file that takes more CPU time; 0: no limit.",
    ),
    click.option(
        "--memory-limit",
        default=default_memory,
        callback=lambda context, option, value: _size(value),
        envvar=MEMORY,
        metavar="SIZE",
        help="Abandon a statement or file that takes more memory, such as 4GB; 0: no limit.  "
        "[default: 8GB, at most half of the machine's]",
    ),
)
"""In the order in which --help shows them, after those of the command itself."""


def source_options(command: Command) -> Command:
    """@source_options

    def command(source: Source, …)      the options above, handed over as one value

    The paths are the command's own affair: `source._replace(paths=…)`.
    """
    return _with_source(command, supervise)


def unsupervised_source_options(command: Command) -> Command:
    """The same, for a command that starts the process that does the work by itself."""
    return _with_source(command, lambda limits: None)


def _with_source(command: Command, begin: Callable[[Limits], None]) -> Command:
    """Return a command with the options above; `begin` is told the limits before it runs."""

    @functools.wraps(command)
    def run_packed(*args: Any, **options: Any) -> Any:
        """Run a command with its source options packed into one `Source`."""
        named = ((name, options.pop(f"log_{name}")) for name in LOG_COLUMNS)
        log = tuple((name, column) for name, column in named if column)
        own = {
            name: options.pop(name)
            for name in Source._fields
            if name in options and name != "paths"
        }
        source = Source(HERE, log=log, **own)
        redact_literals(source.redact_literals)
        Listing.all_diagnostics = source.all_diagnostics
        begin(Limits(source.statement_timeout, source.memory_limit))
        return command(*args, source=source, **options)

    made: Any = run_packed
    for option in reversed(OPTIONS):
        made = option(made)

    wrapped: Command = made
    return wrapped


def _size(value: str | int) -> int:
    """A size in bytes, as an option gives it."""
    try:
        if isinstance(value, int):
            return value

        return size_of(value)
    except ValueError as mistake:
        raise click.BadParameter(str(mistake)) from mistake


def cores() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))

    return os.cpu_count() or 1


# -- paths -----------------------------------------------------------------------------------------


def exists(path: str) -> bool:
    """Tell whether a path exists; a text that cannot be a path does not."""
    try:
        return path != "" and Path(path).exists()
    except (OSError, ValueError):  # too long for a path, or with a NUL in it
        return False


SQL_TEXT = re.compile(
    r"\s*(?:--|/\*|\(|(?:select|with|insert|create|update|delete|merge|from)\s)", re.IGNORECASE
)
"""How SQL begins, which somebody may have written where a path is expected."""


def is_source(argument: str) -> bool:
    """A path that is there, standard input, or the address of a server."""
    return argument == STANDARD_INPUT or "://" in argument or exists(argument)


def check_paths(paths: tuple[str, ...]) -> tuple[str, ...]:
    """The paths, or the one here; one that is not there is a mistake."""
    for path in paths:
        if not is_source(path):
            if SQL_TEXT.match(path):
                raise Mistake(
                    "this is SQL text, not a path. Pass it on standard input: "
                    "echo 'SELECT …' | lineal lineage -"
                )

            raise Mistake(f"no such file or folder: {shown_path(path)}{_hint_for(path)}")

    return paths or HERE


def check_order(command: str, column: str, paths: tuple[str, ...]) -> None:
    """A path before the column is a mistake.

    lineal impact models/ orders.id      lineal impact orders.id models/
    """
    if len(paths) == 1 and is_source(column) and not is_source(paths[0]):
        path, meant = shown_path(column), shown_path(paths[0])
        raise Mistake(f"{path} is a path. Name the column first: lineal {command} {meant} {path}")


def shown_path(path: str) -> str:
    """A path as it may be shown: an address without its password, also one that has lost its ://"""
    from lineal.model.addresses import redact_address

    if "@" in path or "://" in path:
        return redact_address(path)

    return path


def _hint_for(path: str) -> str:
    """Return a hint: the target of a broken link, or the most similar name in the folder."""
    from lineal.model.names import closest

    asked = Path(path)
    if asked.is_symlink():
        return f": it is a link to {asked.readlink()}, which does not exist"

    try:
        near = closest(asked.name, [entry.name for entry in asked.parent.iterdir()])
    except (OSError, ValueError):
        return ""

    if near:
        return f"; did you mean {asked.with_name(near)}?"

    return ""


# -- lineage ---------------------------------------------------------------------------------------


def project_of(source: Source) -> Project:
    """The project that is asked about, with what earlier runs know of it."""
    from lineal.service.project import Project

    kept = cache_of(source)
    return Project(source, kept, read_standard_input, watching_of(source))


def watching_of(source: Source) -> Watching:
    """Who is told how far the work is: a bar on a terminal, or a line for each statement."""
    from lineal.cli.bar import bar
    from lineal.service.project import Watching

    progress = None
    if source.verbose:
        from lineal.cli.verbose import tell_statement

        progress = tell_statement

    return Watching(lambda total: bar(total, source.color, source.verbose), progress)


def graph_of(source: Source) -> Graph:
    """The lineage of all that is asked about, ready for questions."""
    from lineal.graph.boundary import graph_of

    return graph_of(lineage_of(source))


def graph_in(source: Source, corpus: Corpus) -> Graph:
    """The same, for whom the corpus says more than its lineage."""
    from lineal.graph.boundary import graph_of

    return graph_of(lineage_in(source, corpus))


def lineage_of(source: Source) -> Extraction:
    """The lineage of all that is asked about."""
    with mistakes():
        corpus = project_of(source).corpus()

    return lineage_in(source, corpus)


def current_lineage(project: Project) -> Extraction:
    """The lineage of a project that is followed, as its files are now."""
    from lineal.extract import UnknownDialect

    with mistakes_of(UnknownDialect):
        return project.extraction()


def lineage_in(source: Source, corpus: Corpus) -> Extraction:
    """The lineage of a corpus, with the cache that the options allow."""

    kept = cache_of(source)
    return extraction_of(source, corpus, kept)


def corpus_of(source: Source) -> Corpus:
    """Return the corpus to analyze, with the names that the options set."""
    from lineal.service import inputs

    with mistakes():
        return inputs.corpus_of(source, read_standard_input)


def rules_of(source: Source) -> Rules:
    """Return which files may be read, by the options and the environment."""
    from lineal.service import inputs

    with mistakes():
        return inputs.rules_of(source)


def cache_of(source: Source) -> Cache | None:
    """Return the cache of earlier results, if the options and the engine allow it."""
    from lineal.store import cache

    if source.use_cache and source.engine == "text":
        return cache()

    return None


def mistakes() -> AbstractContextManager[None]:
    """Report input that cannot be read as a mistake of the user."""
    from lineal.projects import ProjectError

    return mistakes_of(ProjectError)


@contextmanager
def mistakes_of(*kinds: type[Exception]) -> Iterator[None]:
    """Report errors of these kinds as mistakes of the user."""
    try:
        yield
    except kinds as mistake:
        raise Mistake(str(mistake)) from mistake


def extraction_of(source: Source, corpus: Corpus, kept: Cache | None = None) -> Extraction:
    """Return the lineage of a corpus, by the engine that is asked for; the cache of an earlier run
    spares work.
    """
    from lineal.extract import UnknownDialect

    with mistakes_of(UnknownDialect):
        found = ENGINES[source.engine](source, corpus, kept)

    if source.verbose:
        from lineal.cli.verbose import tell_total

        tell_total(found)

    return found


def _by_text(source: Source, corpus: Corpus, kept: Cache | None) -> Extraction:
    """The reading of the text; what earlier runs have made of the same statements is used."""
    from lineal.service.project import extract_text

    found = extract_text(source, corpus, kept, watching_of(source))
    at_the_end(found.save)
    return found.extraction


def at_the_end(work: Callable[[], None]) -> None:
    """Do some work when the command has given its answer; a server, which does not end, at once."""
    context = click.get_current_context(silent=True)
    if context is None:
        work()
    else:
        context.find_root().call_on_close(work)


def _by_plan(source: Source, corpus: Corpus, kept: Cache | None) -> Extraction:
    """Spark's own analysis, on empty tables made from the known schemas."""
    if source.servers:
        raise Mistake("--engine catalyst is Spark's; --engine both asks the server")

    spark = _spark()
    from lineal.spark.plan_lineage import of_corpus

    return of_corpus(corpus, spark)[1]


def _by_both(source: Source, corpus: Corpus, kept: Cache | None) -> Extraction:
    """The text's lineage, with a diagnostic for every edge on which Spark, or the server, does not
    agree.
    """
    if source.servers:
        return _by_server(source, corpus)

    spark = _spark()
    from lineal.spark.plan_lineage import compare_with_spark

    return compare_with_spark(corpus, spark)


def _by_server(source: Source, corpus: Corpus) -> Extraction:
    """Return the lineage, compared with what the PostgreSQL server knows."""
    from lineal.projects.postgres.crosscheck import compare_with_server

    if len(set(source.servers)) > 1:
        raise Mistake("--engine both asks one server: name one")

    with mistakes():
        return compare_with_server(corpus, source.servers[0])


def _spark() -> Any:
    """Return a session; asked for before anything that imports pyspark, so that a missing part is
    reported in one line.
    """
    from lineal.spark.availability import SparkUnavailable
    from lineal.spark.session import session

    with mistakes_of(SparkUnavailable):
        return session()


ENGINES: dict[str, Callable[[Source, Corpus, Cache | None], Extraction]] = {
    "text": _by_text,
    "catalyst": _by_plan,
    "both": _by_both,
}
