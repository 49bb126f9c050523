"""The two sides that `lineal diff` compares: revisions, paths or states of a store."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from lineal.cli.source import Mistake, cache_of, exists, is_source, mistakes, shown_path
from lineal.cli.store_options import WAIT, choose_namespace
from lineal.cli.store_options import open_store_at as opened_store
from lineal.service.source import Source

if TYPE_CHECKING:
    from lineal.graph.graph import Graph
    from lineal.model.diagnostic import Diagnostic
    from lineal.model.extraction import Extraction
    from lineal.model.policy import Policy
    from lineal.model.script import Corpus
    from lineal.projects.git import Repository, Snapshot
    from lineal.service.revisions import KeptRevision
    from lineal.views.diff import Compared

GIT = "git:"

Drawn = TypeVar("Drawn")


class ComparisonRequest(NamedTuple):
    """The sides of a comparison: two names of revisions or paths, and the project in the
    revisions.
    """

    base: str
    head: str | None
    project: str
    at: str | None = None
    """BASE is a store, as it was at this time"""
    namespace: str | None = None
    prove: bool = False


def compare(
    source: Source,
    asked: ComparisonRequest,
    draw: Callable[[Compared], Drawn],
    policy: str | None = None,
) -> Drawn:
    """Compare both sides and draw the result; a dataset over which that fails is left out of both,
    and reported.

    The files of a revision are there until it is drawn.
    """
    with ExitStack() as opened, mistakes():
        return compare_sides(source, open_sides(asked, opened), draw, policy)


def open_sides(asked: ComparisonRequest, opened: ExitStack) -> tuple[Side, Side]:
    """Return both sides of a comparison."""
    if asked.at is not None:
        return _sides_of_times(asked)

    return _sides(asked, opened)


def compare_sides(
    source: Source,
    sides: tuple[Side, Side],
    draw: Callable[[Compared], Drawn],
    policy: str | None = None,
) -> Drawn:
    """Draw the comparison of two sides under the policy that counts."""
    return compare_under(source, sides, draw, _policy(policy, sides[0]))


def compare_under(
    source: Source,
    sides: tuple[Side, Side],
    draw: Callable[[Compared], Drawn],
    rules: Policy,
) -> Drawn:
    """Draw the comparison of two sides under a policy."""
    from lineal.graph.boundary import sound_parts
    from lineal.graph.diff import diff
    from lineal.graph.graph import Graph
    from lineal.views.diff import Compared

    before, after = sides
    base, head = _extractions(source, before, after)

    def draw_parts(parts: list[Extraction]) -> Drawn:
        """Compare two extractions, and draw the result."""
        found = diff(Graph(parts[0]), Graph(parts[1]), rules)
        return draw(Compared(found, before.name, after.name))

    return sound_parts([base, head], draw_parts)


def _extractions(source: Source, before: Side, after: Side) -> tuple[Extraction, Extraction]:
    """Return the lineage of both sides; the second uses the results of the first."""
    from lineal.cli.source import at_the_end, watching_of
    from lineal.service.project import extract_sides
    from lineal.store import cache

    together = source.engine == "text" and not source.verbose and before.shown == after.shown
    kept = cache() if source.use_cache else None
    if not together or kept is None or before.shown is None:
        return before.graph(source).extraction, after.graph(source).extraction

    where = source._replace(paths=(before.shown,))
    sides = [(where, before.corpus(source)), (where, after.corpus(source))]
    first, second = extract_sides(sides, kept, watching_of(source))

    def save() -> None:
        """Save both memories as one."""
        first.memory.join(second.memory)
        first.save()

    at_the_end(save)
    return first.extraction, second.extraction


# -- the two sides ---------------------------------------------------------------------------------


def request_of_range(base: str, head: str | None, project: str) -> ComparisonRequest:
    """main..topic, main...topic and main... say both in one."""
    if head is None and not exists(base) and ".." in base and not base.startswith(("./", "../")):
        dots = "..." if "..." in base else ".."
        base, _, rest = base.partition(dots)
        return ComparisonRequest(
            f"{base}{dots}" if dots == "..." else base or "HEAD", rest or None, project
        )

    return ComparisonRequest(base, head, project)


class Side:
    """One side, opened: where its files are, what they are called, and what it is called itself."""

    def __init__(
        self, name: str, path: str, shown: str | None = None, snapshot: Snapshot | None = None
    ) -> None:
        self.name = name
        self.shown = shown
        self._path = path
        self._snapshot = snapshot

    @property
    def path(self) -> str:
        """Return where the files of this side are."""
        return self._path

    @property
    def snapshot(self) -> Snapshot | None:
        """Return the folder that a revision is written to, if this side is one."""
        return self._snapshot

    def stamp(self, source: Source) -> str:
        """Return a digest of all that decides this side; '' if it must be read to know."""
        return ""

    @property
    def folder(self) -> Path:
        """Return the folder of this side."""
        path = Path(self.path)
        if path.is_dir():
            return path

        return path.parent

    def has_file(self, name: str) -> bool:
        """Tell whether there is a file of this name in the folder."""
        return (self.folder / name).is_file()

    @property
    def notes(self) -> list[Diagnostic]:
        """Return the diagnostics of the checkout."""
        if self.snapshot is not None:
            return self.snapshot.diagnostics

        return []

    def corpus(self, source: Source) -> Corpus:
        """Return the project of this side, with paths relative to its folder."""
        from lineal.cli.source import corpus_of
        from lineal.model.ledger import Reason
        from lineal.projects.relative import relative

        corpus = corpus_of(source._replace(paths=(self.path,)))
        corpus.diagnostics += self.notes
        for note in self.notes:
            if note.place is not None:
                corpus.files.leave_out(note.place.file, Reason.NOT_IN_REVISION)

        top = self.snapshot.top if self.snapshot is not None else Path(self.path)
        if self.snapshot is not None or top.is_dir():
            return relative(corpus, top)

        return corpus

    def graph(self, source: Source) -> Graph:
        """Return the lineage of this side."""
        from lineal.cli.source import extraction_of
        from lineal.graph.boundary import graph_of

        kept = cache_of(source)
        corpus = self.corpus(source)
        where = source._replace(paths=(self.shown or self.path,))
        return graph_of(extraction_of(where, corpus, kept))


class Revision(Side):
    """A commit or the work tree; its files are written down only if they have to be read."""

    def __init__(
        self, repository: Repository, name: str | None, project: str, opened: ExitStack
    ) -> None:
        self.repository = repository
        self.commit = repository.commit(name) if name else None
        shown = f"{name} ({self.commit[:10]})" if self.commit is not None else "the work tree"
        super().__init__(shown, "", str(Path(project).resolve()))
        self.project = project
        self.opened = opened
        self._kept: KeptRevision | None = None

    @property
    def snapshot(self) -> Snapshot | None:
        """Return the folder with the files of this side."""
        if self._snapshot is None:
            self._snapshot = self.opened.enter_context(
                self.repository.revision(self.commit)
                if self.commit is not None
                else self.repository.work_tree()
            )
            if not self._snapshot.folder.exists():
                from lineal.projects import ProjectError

                raise ProjectError(f"{self.project} is not in {self.name}")

        return self._snapshot

    @property
    def path(self) -> str:
        """Return where the files of this side are."""
        assert self.snapshot is not None
        return str(self.snapshot.folder)

    def stamp(self, source: Source) -> str:
        """Return a digest of all that decides this side; '' if nothing may be kept of it."""
        kept = self.kept_revision(source)
        if kept is None:
            return ""

        return kept.stamp

    def has_file(self, name: str) -> bool:
        """Tell whether there is a file of this name in the project."""
        if self.commit is not None and not self.repository.holds(self.commit, name):
            return False

        return super().has_file(name)

    def kept_revision(self, source: Source) -> KeptRevision | None:
        """Return the cache of this side; None if nothing may be kept."""
        from lineal.service.revisions import KeptRevision

        if self._kept is None:
            folder = cache_of(source)
            if folder is None or source.sql or source.schema_from or source.log:
                return None

            asked = source._replace(paths=(str(self.shown),))
            self._kept = KeptRevision(self.repository, self.commit, asked, folder)

        return self._kept

    def corpus(self, source: Source) -> Corpus:
        """Return the project of this side, with paths relative to its folder."""
        kept = self.kept_revision(source)
        found = kept.recall() if kept is not None else None
        if found is None:
            found = super().corpus(source)
            if kept is not None:
                kept.keep(found)

        return found


class Stored(Side):
    """A store as it was, or as it is."""

    def __init__(self, asked: ComparisonRequest, at: str | None) -> None:
        from lineal.store.lineage.postgres import public_address

        name = public_address(asked.base) if "://" in asked.base else asked.base
        super().__init__(f"{name} at {at}" if at else name, ".")
        self.asked = asked
        self.at = at

    def graph(self, source: Source) -> Graph:
        """Return the lineage that the store has of this side."""
        from lineal.graph.graph import Graph

        with opened_store(self.asked.base, WAIT) as store:
            return Graph(store.extraction(choose_namespace(store, self.asked.namespace), self.at))


def _sides_of_times(asked: ComparisonRequest) -> tuple[Side, Side]:
    """lineal diff STORE --at TIME [HEAD]"""
    if asked.head is None:
        return Stored(asked, asked.at), Stored(asked, None)

    if not _is_path(asked.head):
        raise Mistake(f"no such file or folder: {asked.head}")

    return Stored(asked, asked.at), Side(asked.head, asked.head)


def _sides(asked: ComparisonRequest, opened: ExitStack) -> tuple[Side, Side]:
    """Return both sides of a comparison."""
    base_is_path = _is_path(asked.base)
    head_is_path = asked.head is not None and _is_path(asked.head)
    if base_is_path and asked.head is None:
        if not is_source(asked.project):
            raise Mistake(f"no such file or folder: {shown_path(asked.project)}")

        return _side(asked.base), _side(asked.project)

    if base_is_path and head_is_path:
        assert asked.head is not None
        return _side(asked.base), _side(asked.head)

    from lineal.projects.git import Repository

    if not exists(asked.project):
        raise Mistake(f"no such file or folder: {shown_path(asked.project)}")

    repository = Repository.around(asked.project)
    after = (
        _side(asked.head or "")
        if head_is_path
        else open_revision(repository, asked.head, asked.project, opened)
    )
    if base_is_path:
        return _side(asked.base), after

    base = asked.base
    if base.endswith("..."):
        base = repository.merge_base(
            _without_prefix(base[:-3]) or "HEAD",
            _without_prefix(asked.head) if asked.head else "HEAD",
        )

    return open_revision(repository, base, asked.project, opened), after


def _side(path: str) -> Side:
    """A file or folder, or a server, whose password is shown to nobody."""
    return Side(shown_path(path), path)


def _is_path(name: str) -> bool:
    """Tell whether a name means a file or folder, and not a revision."""
    return not name.startswith(GIT) and (exists(name) or "://" in name)


def _without_prefix(name: str) -> str:
    """Return a revision without the prefix `git:`."""
    return name.removeprefix(GIT)


def open_revision(
    repository: Repository, name: str | None, project: str, opened: ExitStack
) -> Side:
    """A revision, or without a name the work tree."""
    return Revision(repository, _without_prefix(name) if name else None, project, opened)


def _policy(file: str | None, base: Side) -> Policy:
    """The policy that is named, else that of BASE: a change cannot weaken the rule that it is checked
    against.
    """
    from lineal.model.policy import DEFAULT
    from lineal.projects.policy import FILE, read_policy

    if file is not None:
        if not exists(file):
            raise Mistake(f"no such policy file: {file}")

        return read_policy(Path(file))

    if base.has_file(FILE):
        return read_policy(base.folder / FILE, FILE)

    return DEFAULT
