"""The input of an analysis: the paths and options that every command shares."""

from __future__ import annotations

from typing import NamedTuple

from lineal.model.limits import DEFAULT_SECONDS

STANDARD_INPUT = "-"
HERE = (".",)

SERVERS = ("postgresql://", "postgres://")

ASIDE = (
    "paths",
    "color",
    "use_cache",
    "jobs",
    "verbose",
    "all_diagnostics",
    "statement_timeout",
    "memory_limit",
)


class Source(NamedTuple):
    """The input that the user wants analyzed, and its options."""

    paths: tuple[str, ...]
    dialect: str | None = None
    schema: str | None = None
    log: tuple[tuple[str, str], ...] = ()
    default_catalog: str | None = None
    default_schema: tuple[str, ...] = ()
    collapse_temp: bool = True
    engine: str = "text"
    color: str = "auto"
    use_cache: bool = True
    jobs: int = 1
    sql: tuple[str, ...] = ()
    history: bool = False
    only_schema: tuple[str, ...] = ()
    schema_from: tuple[str, ...] = ()
    verbose: bool = False
    statement_timeout: float = DEFAULT_SECONDS
    memory_limit: int = 0
    encoding: str | None = None
    follow_links: bool = False
    max_file_size: int | None = None
    redact_literals: bool = False
    all_diagnostics: bool = False
    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    target: str | None = None
    profile: str | None = None
    variables: str | None = None
    since: str | None = None
    until: str | None = None
    rooted: bool = False
    """Files are named from the root of their project, whatever the working directory is."""

    @property
    def servers(self) -> tuple[str, ...]:
        """The addresses among the paths."""
        return tuple(path for path in self.paths if path.lower().startswith(SERVERS))

    @property
    def decides(self) -> tuple[object, ...]:
        """Return all that may change the result; the names and texts of files are in the corpus."""
        return tuple(value for name, value in self._asdict().items() if name not in ASIDE)
