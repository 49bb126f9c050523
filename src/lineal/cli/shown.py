"""What a request shows, remembered: the same question about the same input is answered from the cache."""

from __future__ import annotations

import marshal
import sys
from typing import Any, NamedTuple

from lineal.cli.console import coloured, footer
from lineal.cli.lineage import Request
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.script import Corpus
from lineal.store import Cache, cache, corpus_digest, digest, machinery
from lineal.views.page import Grid, Page, Piece, plain

ASIDE = ("path", "fail_on", "color", "use_cache", "jobs")
"""What changes nothing of what is shown; the names of the files stand in the corpus."""


class Shown(NamedTuple):
    """A view, what could not be done, and the last line."""

    made: str | Page
    diagnostics: list[Diagnostic]
    footer: str


def shown(request: Request) -> Shown:
    from lineal.cli.answer import corpus_of

    corpus = corpus_of(request)
    memory = cache() if request.use_cache and request.engine == "text" else None
    return _made(request, corpus, None) if memory is None else _remembered(request, corpus, memory)


def _remembered(request: Request, corpus: Corpus, memory: Cache) -> Shown:
    asked = [value for name, value in request._asdict().items() if name not in ASIDE]
    key = digest("shown", machinery(), corpus_digest(corpus), asked, _is_plain(request))
    held = memory.get(key)
    if held is not None:
        return _decoded(held)
    made = _made(request, corpus, memory)
    memory.put(key, _encoded(made))
    return made


def _made(request: Request, corpus: Corpus, kept: Cache | None) -> Shown:
    from lineal.cli.answer import answer
    from lineal.views import view

    report = answer(request, corpus, kept)
    made = view(request.view, report)
    if not isinstance(made, str) and _is_plain(request):
        made = plain(made)
    return Shown(made, report.diagnostics, footer(report) if request.view in ("table", "chain") else "")


def _is_plain(request: Request) -> bool:
    return not coloured(sys.stdout, request.color)


# -- as bytes: only texts and numbers, nothing that could be run ---------------------------------------------------


def _encoded(made: Shown) -> bytes:
    page = made.made if isinstance(made.made, str) else [_part(part) for part in made.made]
    diagnostics = [(found.code.name, found.message, _tuple(found.place), found.hint) for found in made.diagnostics]
    return marshal.dumps((page, diagnostics, made.footer))


def _decoded(data: bytes) -> Shown:
    page, diagnostics, last = marshal.loads(data)  # noqa: S302  what we wrote ourselves, and its checksum holds
    return Shown(
        page if isinstance(page, str) else [_part_of(part) for part in page],
        [Diagnostic(Code[code], said, Place(*at) if at else None, hint) for code, said, at, hint in diagnostics],
        last,
    )


def _part(part: Any) -> tuple[Any, ...]:
    if isinstance(part, Grid):
        return True, part.header, [tuple(row) for row in part.rows], part.numbers, part.folds
    return False, [tuple(piece) for piece in part]


def _part_of(part: Any) -> Any:
    is_grid, *rest = part
    return Grid(*rest) if is_grid else tuple(Piece(*piece) for piece in rest[0])


def _tuple(place: Place | None) -> tuple[Any, ...] | None:
    return tuple(place) if place is not None else None
