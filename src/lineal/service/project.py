"""A project that is kept up to date while its files change.

    project = Project(Source(("warehouse",)), cache())
    project.graph()                 lineage, to be asked
    project.diagnostics()           what could not be read, and where
    project.coverage()              how much was read, parsed and resolved
    project.update()                True if files have changed; the next question sees them

Commands, the page, a language server and a tool server ask a project, and compute no lineage
themselves. The first run records what later runs need: which files there are, what was read from
them, and what was made of each statement. After an edit only changed templates are rendered, and
only changed statements are parsed and evaluated, with those that depend on them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lineal.model.boundary import let_pass
from lineal.service.inputs import ReadInput, corpus_of
from lineal.service.kept_corpus import Followed, can_follow
from lineal.service.source import Source
from lineal.store import Cache, digest, machinery

if TYPE_CHECKING:
    from lineal.graph.graph import Graph
    from lineal.incremental.memory import Memory
    from lineal.model.diagnostic import Diagnostic
    from lineal.model.extraction import Extraction
    from lineal.model.ledger import Coverage
    from lineal.model.script import Corpus
    from lineal.resolve.progress import Progress
    from lineal.service.memories import KeptMemory

Tick = Callable[[int], object]


def no_input() -> bytes:
    """Return nothing, in place of a missing standard input."""
    return b""


def no_bar(count: int) -> AbstractContextManager[Tick]:
    """Return a context without a progress bar."""
    return nullcontext(lambda done: None)


class Watching(NamedTuple):
    """Who is told how far the work is."""

    open_bar: Callable[[int], AbstractContextManager[Tick]] = no_bar
    """Opens a progress bar for so many scripts."""
    progress: Progress | None = None


UNWATCHED = Watching()
"""Nobody is told."""


class Project:
    """The project that is analyzed, with its corpus and lineage as far as known."""

    def __init__(
        self,
        source: Source,
        cache: Cache | None = None,
        standard_input: ReadInput = no_input,
        watching: Watching = UNWATCHED,
    ) -> None:
        self.source = source
        self.cache = cache
        self.standard_input = standard_input
        self.watching = watching
        self.followed = Followed(source, cache) if can_follow(source) else None
        self._memory: Memory | None = None
        self._corpus: Corpus | None = None
        self._extraction: Extraction | None = None
        self._graph: Graph | None = None

    # -- following files ---------------------------------------------------------------------------

    def update(self) -> bool:
        """Look at the files; whether one of them has changed since the last look."""
        if self.followed is not None and not self.followed.update():
            return False

        self._corpus = self._extraction = self._graph = None
        if self._memory is not None:
            self._memory = type(self._memory).after(self._memory)

        return True

    @property
    def stamp(self) -> str | None:
        """Return a digest of all files that decide the lineage; None if they must be read to know."""
        return self.followed.files.stamp if self.followed is not None else None

    # -- asking ------------------------------------------------------------------------------------

    def corpus(self) -> Corpus:
        """Return everything that is analyzed together."""
        if self._corpus is None:
            found = self.followed.recall() if self.followed is not None else None
            if found is None:
                found = corpus_of(self.source, self.standard_input)
                if self.followed is not None:
                    self.followed.keep(found)

            self._corpus = found

        return self._corpus

    def extraction(self) -> Extraction:
        """Return the lineage; what earlier runs have made of the same statements is used."""
        if self._extraction is None:
            found = extract_text(
                self.source, self.corpus(), self.cache, self.watching, self._memory
            )
            found.save()
            self._extraction, self._memory = found.extraction, found.memory

        return self._extraction

    def graph(self) -> Graph:
        """Return the lineage, ready for questions."""
        if self._graph is None:
            from lineal.graph.boundary import graph_of

            self._graph = graph_of(self.extraction())

        return self._graph

    def diagnostics(self) -> list[Diagnostic]:
        """Return what could not be read, parsed or resolved, and where."""
        return self.extraction().diagnostics

    def coverage(self) -> Coverage:
        """Return how much was read, parsed and resolved."""
        return self.extraction().coverage


class Extracted(NamedTuple):
    """A lineage, and what a later run may use of it."""

    extraction: Extraction
    memory: Memory
    kept: KeptMemory | None

    def save(self) -> None:
        """Keep in the cache what a later run may use; best after the answer is given."""
        if self.kept is not None:
            self.kept.save(self.memory)


def extract_text(
    source: Source,
    corpus: Corpus,
    cache: Cache | None,
    watching: Watching,
    memory: Memory | None = None,
) -> Extracted:
    """Return the lineage of a corpus, and what a later run may use of it.

    After an edit only what has to do with it is read again; what is new is shared out among
    processes. A memory of this process counts; without one, that of the cache.
    """
    from lineal.incremental.extraction import extract
    from lineal.incremental.memory import Memory
    from lineal.resolve.progress import Watched
    from lineal.service.memories import KeptMemory

    kept = KeptMemory(cache, memory_key(source, corpus)) if cache is not None else None
    records = memory is not None or kept is not None
    if memory is None:
        memory = kept.load() if kept is not None else Memory()

    with watching.open_bar(len(corpus.scripts)) as tick:
        shared = share_out(corpus, memory, source.jobs, tick)
        counted = corpus
        if not shared:
            counted = replace(corpus, scripts=Watched(corpus.scripts, tick))

        found = extract(counted, memory if shared or records else None, watching.progress)

    return Extracted(found, memory, kept)


def share_out(corpus: Corpus, memory: Memory, jobs: int, tick: Tick) -> bool:
    """Tell whether other processes have read the new scripts; if that fails, this one reads all."""
    if jobs < 2 or len(corpus.scripts) < 2:
        return False

    from lineal.incremental.parallel import remember_in_parallel

    try:
        return remember_in_parallel(corpus, memory, jobs, tick)
    except Exception as error:
        let_pass(error)
        return False


def extract_sides(
    sides: list[tuple[Source, Corpus]], cache: Cache | None, watching: Watching
) -> list[Extracted]:
    """Return the lineages of several versions of a project: each uses the results of the one before
    it. Saving the first saves all.
    """
    made: list[Extracted] = []
    for source, corpus in sides:
        if not made or cache is None:
            made.append(extract_text(source, corpus, cache, watching))
            continue

        first = made[0].memory
        memory = type(first).after(first)
        made.append(extract_text(source, corpus, None, watching, memory))

    return made


def memory_key(source: Source, corpus: Corpus) -> str:
    """Return the key of a project's results in the cache."""
    where = [path if "://" in path else str(Path(path).resolve()) for path in source.paths]
    return digest(
        "memory",
        machinery(),
        where,
        corpus.dialect,
        corpus.collapse_temporary,
        source.log,
        source.rooted,
    )
