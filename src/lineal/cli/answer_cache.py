"""Remember the output of a command, so that the same question about the same input comes from the
cache.
"""

from __future__ import annotations

import marshal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lineal.cli.console import has_color
from lineal.cli.source import cache_of, corpus_of, extraction_of, mistakes, project_of
from lineal.model.boundary import internal_errors
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.ledger import Coverage
from lineal.projects import stamp
from lineal.projects.intake import LARGEST, peek_bytes
from lineal.service.source import STANDARD_INPUT, Source
from lineal.store import Cache, corpus_digest, digest, machinery

if TYPE_CHECKING:
    from lineal.graph.graph import Graph
    from lineal.model.extraction import Extraction
    from lineal.model.script import Corpus
    from lineal.service.project import Project
    from lineal.views.terminal import Page


class ShownAnswer(NamedTuple):
    """A view, what could not be done, and the last line."""

    made: str | Page
    diagnostics: list[Diagnostic]
    footer: str
    coverage: Coverage = Coverage()
    facts: tuple[Any, ...] = ()
    """Texts and numbers that decide the exit code."""
    others: list[Diagnostic] = []  # noqa: RUF012  a default that nobody changes
    """diagnostics of datasets that nobody asked for"""

    @property
    def all_diagnostics(self) -> list[Diagnostic]:
        """Every diagnostic of the run."""
        return [*self.diagnostics, *self.others]


Make = Callable[["Graph"], ShownAnswer]


def answer_from_cache(source: Source, asked: object, make: Make) -> ShownAnswer:
    """Return the answer that `make` computes from the lineage; `asked` is all that decides it apart
    from the source.
    """
    memory = cache_of(source)
    if memory is None or source.verbose:  # what is read is said while it is read
        return _make_answer(source, corpus_of(source), make, memory)

    with mistakes():
        project = project_of(source)
        decided = decided_by(source, project)

        def work() -> ShownAnswer:
            """Compute the answer from the project."""
            return _make_answer(source, project.corpus(), make, memory)

        return kept_answer(source, (*decided, asked), work)


def kept_answer(
    source: Source, decided: tuple[object, ...], work: Callable[[], ShownAnswer]
) -> ShownAnswer:
    """The answer that is kept of an earlier run in which the same decided it; else that of `work`."""
    memory = cache_of(source)
    if memory is None or source.verbose:
        return work()

    key = digest("shown", machinery(), source.decides, _is_plain(source), *decided)
    held = memory.get(key)
    if held is not None:
        return _decode(held)

    made = work()
    if not isinstance(made.made, str) and _is_plain(source):
        from lineal.views.terminal import plain_page

        made = made._replace(made=plain_page(made.made))

    if not internal_errors(made.all_diagnostics):  # a defect of today is not kept for another day
        memory.put(key, _encode(made))

    return made


def decided_by(source: Source, project: Project) -> tuple[object, ...]:
    """Return a digest of everything that decides the lineage: of a project, the digests of its
    files.
    """
    if project.stamp is not None:
        schema = peek_bytes(Path(source.schema), LARGEST) if source.schema else b""
        return (source.paths, project.stamp, schema)

    stamps: list[object] = []
    if not (source.sql or source.servers or source.schema_from or STANDARD_INPUT in source.paths):
        stamps = list(map(stamp, source.paths))

    if stamps and all(stamps):
        schema = peek_bytes(Path(source.schema), LARGEST) if source.schema else b""
        return (source.paths, *stamps, schema)

    return (corpus_digest(project.corpus()),)


def _make_answer(source: Source, corpus: Corpus, make: Make, kept: Cache | None) -> ShownAnswer:
    """Return the answer that the lineage of the source gives."""
    from lineal.graph.boundary import sound_part
    from lineal.graph.graph import Graph

    extraction = extraction_of(source, corpus, kept)
    try:
        return sound_part(extraction, lambda part: make(Graph(part)))
    except Exception as error:
        return without_view(extraction, error)


def without_view(extraction: Extraction, error: Exception) -> ShownAnswer:
    """Return the diagnostics and the coverage, for a view that fails on any input."""
    from lineal.views.ledger import summarize

    extraction.failures.add(error, None, "view", "this view")
    coverage = extraction.coverage
    return ShownAnswer("", extraction.diagnostics, summarize(coverage), coverage)


def _is_plain(source: Source) -> bool:
    """Tell whether the output has no colors."""
    return not has_color(sys.stdout, source.color)


# -- as bytes: only texts and numbers, nothing that could be run -----------------------------------


def _encode(made: ShownAnswer) -> bytes:
    """Return an answer as bytes for the cache."""
    page = made.made if isinstance(made.made, str) else list(map(_part, made.made))
    diagnostics, others = _plain_values(made.diagnostics), _plain_values(made.others)
    coverage = made.coverage.to_json()
    return marshal.dumps((page, diagnostics, made.footer, coverage, made.facts, others))


def _decode(data: bytes) -> ShownAnswer:
    """Return the answer that bytes of the cache hold."""
    page, diagnostics, last, coverage, facts, others = marshal.loads(data)  # noqa: S302  what we wrote ourselves, and its checksum holds
    return ShownAnswer(
        page if isinstance(page, str) else list(map(_part_of, page)),
        _diagnostics_of(diagnostics),
        last,
        Coverage.from_json(coverage),
        facts,
        _diagnostics_of(others),
    )


def _plain_values(diagnostics: list[Diagnostic]) -> list[tuple[Any, ...]]:
    """Return diagnostics as plain values."""
    return [
        (found.code.name, found.message, _tuple(found.place), found.hint) for found in diagnostics
    ]


def _diagnostics_of(values: list[Any]) -> list[Diagnostic]:
    """Return diagnostics from plain values."""
    return [
        Diagnostic(Code[code], said, Place(*at) if at else None, hint)
        for code, said, at, hint in values
    ]


def _part(part: Any) -> tuple[object, ...]:
    """Return a part of a page as plain values."""
    from lineal.views.terminal import Grid

    if isinstance(part, Grid):
        return True, part.header, list(map(tuple, part.rows)), part.numbers, part.folds

    return False, list(map(tuple, part))


def _part_of(part: Any) -> Any:
    """Return a part of a page from plain values."""
    from lineal.views.terminal import Grid, Piece

    is_grid, *rest = part
    if is_grid:
        return Grid(*rest)

    return tuple(Piece(*piece) for piece in rest[0])


def _tuple(place: Place | None) -> tuple[Any, ...] | None:
    """Return a place as a plain tuple."""
    if place is not None:
        return tuple(place)

    return None
