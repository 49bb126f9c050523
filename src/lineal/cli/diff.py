"""lineal diff: what has changed between two revisions, projects or saved lineages."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import click

from lineal.cli.coverage import fail_under
from lineal.cli.source import Mistake, Source, exists, is_source, shown_path, source_options
from lineal.cli.store_options import DEFAULT, WAIT, choose_namespace
from lineal.cli.store_options import open_store_at as opened_store

if TYPE_CHECKING:
    from lineal.graph.graph import Graph
    from lineal.model.diagnostic import Diagnostic
    from lineal.model.policy import Policy
    from lineal.model.script import Corpus
    from lineal.projects.git import Repository, Snapshot
    from lineal.views.diff import Compared

GIT = "git:"

Drawn = TypeVar("Drawn")
FAIL_ON = ("block", "review", "never")


class Asked(NamedTuple):
    """What is compared: two names of revisions or paths, and the project in the revisions."""

    base: str
    head: str | None
    project: str
    at: str | None = None
    """BASE is a store, as it was at this time"""
    namespace: str | None = None


@click.command(name="diff")
@click.argument("base", required=False)
@click.argument("head", required=False)
@click.option(
    "--project",
    default=".",
    show_default=True,
    metavar="PATH",
    help="The project in the repository.",
)
@click.option(
    "--at", metavar="TIME", help="BASE is a store, as it was then: 2026-11-16, 2026-11-16T09:30."
)
@click.option(
    "--namespace", metavar="NAME", help="Whose lineage in the store.  [default: the only one]"
)
@click.option(
    "--policy",
    metavar="FILE",
    help="What counts for how much.  [default: lineal-policy.yml of BASE]",
)
@click.option(
    "--output",
    type=click.Choice(["text", "markdown", "json", "sarif"]),
    default="text",
    show_default=True,
    help="For people, for a pull request's comment, for programs, or for code scanning.",
)
@click.option(
    "--fail-on",
    type=click.Choice(FAIL_ON),
    default="block",
    show_default=True,
    help="Exit with 1 if the verdict is this, or worse.",
)
@fail_under
@source_options
def command(
    base: str | None,
    head: str | None,
    project: str,
    at: str | None,
    namespace: str | None,
    policy: str | None,
    output: str,
    fail_on: str,
    fail_under: float | None,
    source: Source,
) -> None:
    """Show what has changed in the lineage from BASE to HEAD, what that reaches, and whether it is
    safe.

    BASE and HEAD are revisions of a git repository, project folders, folders that lineal pipeline
    wrote, or saved lineages (.lineal.json). Without HEAD, BASE is compared with the work tree. A
    path that exists is a path; git:NAME is a revision in any case. A..B is BASE and HEAD in one,
    A...B starts where the two parted.

    With --at, BASE is a store ($LINEAL_STORE or lineal.store.db, if it is left out) as it was at
    that time; without HEAD it is compared with the store as it is now.

    The verdict is SAFE, REVIEW or BLOCK. A statement that is only written in another way is said to
    be cosmetic.

    \b
    lineal diff main                                  what this work tree changes
    lineal diff main...topic --project warehouse      what a branch changes in a project
    lineal diff before.lineal.json after.lineal.json
    lineal diff origin/main... --output markdown > comment.md
    lineal diff lineal.store.db --at 2026-11-16       what has changed in a store since then

    Exit codes: 0 fine, 1 the verdict of --fail-on or a failure of lineal itself, 2 a mistake in
    what was asked.
    """
    if at is not None:
        asked = Asked(
            base or os.environ.get("LINEAL_STORE") or DEFAULT, head, project, at, namespace
        )
    elif base is None:
        raise Mistake("name what to compare with: a revision, a path, or a store with --at TIME")
    else:
        asked = ranged(base, head, project)
    sys.exit(_run(source, asked, policy, output, fail_on, fail_under))


def _run(
    source: Source, asked: Asked, policy: str | None, output: str, fail_on: str, least: float | None
) -> int:
    """Compare two sides, show the difference, and return the exit code."""
    from lineal.cli.console import report_diagnostics, show
    from lineal.cli.coverage import falls_short
    from lineal.model.boundary import internal_errors
    from lineal.model.diagnostic import Severity
    from lineal.model.policy import Level
    from lineal.views.diff import OUTPUTS

    found, text = compare(source, asked, lambda made: (made.found, OUTPUTS[output](made)), policy)
    show(text, source.color)
    head = found.pairs.head.graph
    before = internal_errors(found.pairs.base.graph.extraction.diagnostics)
    diagnostics = [*before, *(each for each in head.extraction.diagnostics if each not in before)]
    report_diagnostics(diagnostics, source.color, Severity.ERROR)
    _footer(output, head)
    short = falls_short(head.extraction.coverage, least)
    worst = fail_on != "never" and (
        found.verdict >= Level[fail_on.upper()] or bool(internal_errors(diagnostics))
    )
    return int(short or worst)


def compare(
    source: Source, asked: Asked, draw: Callable[[Compared], Drawn], policy: str | None = None
) -> Drawn:
    """What is drawn of both sides, compared; a dataset over which that fails is left out of both,
    and reported.

    The files of a revision are there until it is drawn.
    """
    from lineal.graph.boundary import sound_parts
    from lineal.graph.diff import diff
    from lineal.graph.graph import Graph
    from lineal.model.extraction import Extraction
    from lineal.projects import ProjectError
    from lineal.views.diff import Compared

    with ExitStack() as opened:
        try:
            before, after = _sides(asked, opened) if asked.at is None else _since(asked)
            rules = _policy(policy, before)
            base, head = before.graph(source), after.graph(source)
        except ProjectError as mistake:
            raise Mistake(str(mistake)) from mistake

        def draw_parts(parts: list[Extraction]) -> Drawn:
            return draw(
                Compared(diff(Graph(parts[0]), Graph(parts[1]), rules), before.name, after.name)
            )

        return sound_parts([base.extraction, head.extraction], draw_parts)


def _footer(output: str, head: Graph) -> None:
    """Print the coverage below a difference in text."""
    from lineal.cli.console import complain
    from lineal.cli.coverage import footer

    if output == "text":
        complain(footer(head))


# -- what is compared ------------------------------------------------------------------------------


def ranged(base: str, head: str | None, project: str) -> Asked:
    """main..topic, main...topic and main... say both in one."""
    if head is None and not exists(base) and ".." in base and not base.startswith(("./", "../")):
        dots = "..." if "..." in base else ".."
        base, _, rest = base.partition(dots)
        return Asked(f"{base}{dots}" if dots == "..." else base or "HEAD", rest or None, project)
    return Asked(base, head, project)


class _Side:
    """One side, opened: where its files are, what they are called, and what it is called itself."""

    def __init__(
        self, name: str, path: str, shown: str | None = None, snapshot: Snapshot | None = None
    ) -> None:
        self.name = name
        self.path = path
        self.shown = shown
        self.snapshot = snapshot

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
        from lineal.store import cache

        kept = cache() if source.use_cache and source.engine == "text" else None
        corpus = self.corpus(source)
        where = source._replace(paths=(self.shown or self.path,))
        return graph_of(extraction_of(where, corpus, kept))


class _Stored(_Side):
    """A store as it was, or as it is."""

    def __init__(self, asked: Asked, at: str | None) -> None:
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


def _since(asked: Asked) -> tuple[_Side, _Side]:
    """lineal diff STORE --at TIME [HEAD]"""
    if asked.head is None:
        return _Stored(asked, asked.at), _Stored(asked, None)
    if not _is_path(asked.head):
        raise Mistake(f"no such file or folder: {asked.head}")
    return _Stored(asked, asked.at), _Side(asked.head, asked.head)


def _sides(asked: Asked, opened: ExitStack) -> tuple[_Side, _Side]:
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
        else _of_revision(repository, asked.head, asked.project, opened)
    )
    if base_is_path:
        return _side(asked.base), after
    base = asked.base
    if base.endswith("..."):
        base = repository.merge_base(
            _plain(base[:-3]) or "HEAD", _plain(asked.head) if asked.head else "HEAD"
        )
    return _of_revision(repository, base, asked.project, opened), after


def _side(path: str) -> _Side:
    """A file or folder, or a server, whose password is shown to nobody."""
    return _Side(shown_path(path), path)


def _is_path(name: str) -> bool:
    """Tell whether a name means a file or folder, and not a revision."""
    return not name.startswith(GIT) and (exists(name) or "://" in name)


def _plain(name: str) -> str:
    """Return a revision without the prefix `git:`."""
    return name.removeprefix(GIT)


def _of_revision(
    repository: Repository, name: str | None, project: str, opened: ExitStack
) -> _Side:
    """A revision, or without a name the work tree."""
    snapshot = opened.enter_context(
        repository.revision(_plain(name)) if name else repository.work_tree()
    )
    if not snapshot.folder.exists():
        from lineal.projects import ProjectError

        raise ProjectError(f"{project} is not in {snapshot.name}")
    return _Side(snapshot.name, str(snapshot.folder), str(Path(project).resolve()), snapshot)


def _policy(file: str | None, base: _Side) -> Policy:
    """The policy that is named, else that of BASE: a change cannot weaken the rule that it is held
    against.
    """
    from lineal.model.policy import DEFAULT
    from lineal.projects.policy import FILE, read_policy

    if file is not None:
        if not exists(file):
            raise Mistake(f"there is no policy {file}")
        return read_policy(Path(file))
    folder = Path(base.path) if Path(base.path).is_dir() else Path(base.path).parent
    found = folder / FILE
    if found.is_file():
        return read_policy(found)
    return DEFAULT
