"""lineal diff: what has changed between two revisions, projects or saved lineages."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn, TypeVar

import click

from lineal.cli.coverage import fail_under
from lineal.cli.source import Mistake, exists, is_source, mistakes, shown_path, source_options
from lineal.cli.store_options import DEFAULT, WAIT, choose_namespace
from lineal.cli.store_options import open_store_at as opened_store
from lineal.service.source import Source

if TYPE_CHECKING:
    from lineal.cli.answer_cache import Shown
    from lineal.graph.diff.witness import Experiment
    from lineal.graph.graph import Graph
    from lineal.model.diagnostic import Diagnostic
    from lineal.model.edge import Dataset
    from lineal.model.extraction import Extraction
    from lineal.model.policy import Policy
    from lineal.model.script import Corpus
    from lineal.projects.git import Repository, Snapshot
    from lineal.service.revisions import KeptRevision
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
    prove: bool = False


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
    "--select",
    is_flag=True,
    help="Print what has to run again, as dbt's and lineal run's --select take it (or as json).",
)
@click.option(
    "--prove",
    is_flag=True,
    help="Run both versions of changed statements over random tables in DuckDB, and show rows that differ.",
)
@click.option(
    "--backtest",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Hold the last N commits against the policy of the work tree, or --policy; fails nobody.",
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
    select: bool,
    prove: bool,
    backtest: int | None,
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

    The verdict is SAFE, REVIEW or BLOCK. A statement that is proven to return the same is cosmetic.

    \b
    lineal diff main                                  what this work tree changes
    lineal diff main...topic --project warehouse      what a branch changes in a project
    lineal diff before.lineal.json after.lineal.json
    lineal diff origin/main... --output markdown > comment.md
    lineal diff lineal.store.db --at 2026-11-16       what has changed in a store since then
    dbt build --select $(lineal diff main --select)   only what the change can affect
    lineal diff --backtest 50                         what the policy says of the last 50 commits

    With --select the verdict does not count. With --prove, statements that are not proven to be
    equal are run over small random tables in DuckDB. Rows that differ are shown.

    Exit codes: 0 fine, 1 the verdict of --fail-on or a failure of lineal itself, 2 a mistake in
    what was asked.
    """
    if backtest is not None:
        _backtest(source, (base, head, at, select, prove), project, backtest, policy, output)
    asked = _asked(base, head, project, at, namespace)
    if select:
        if output not in ("text", "json"):
            raise Mistake(
                "--select prints text or json: leave --output out, or write --output json"
            )
        sys.exit(_select(source, asked, output, fail_under))
    if prove:
        _need_duckdb()
        source = source._replace(use_cache=False)  # the texts have to be at hand
    sys.exit(_run(source, asked._replace(prove=prove), policy, output, fail_on, fail_under))


def _backtest(
    source: Source,
    others: tuple[object, ...],
    project: str,
    most: int,
    policy: str | None,
    output: str,
) -> NoReturn:
    """Try a policy on the last commits, and end."""
    from lineal.cli.backtest import backtest

    if any(others):
        raise Mistake("--backtest takes no BASE: it compares each commit with the one before it")
    sys.exit(backtest(source, project, most, policy, output))


def _asked(
    base: str | None, head: str | None, project: str, at: str | None, namespace: str | None
) -> Asked:
    """Return the two sides that the arguments name."""
    if at is not None:
        store = base or os.environ.get("LINEAL_STORE") or DEFAULT
        return Asked(store, head, project, at, namespace)
    if base is None:
        raise Mistake("name what to compare with: a revision, a path, or a store with --at TIME")
    return ranged(base, head, project)


def _need_duckdb() -> None:
    """Say what is missing, before anything is read."""
    from importlib.util import find_spec

    if find_spec("duckdb") is None:
        raise Mistake("--prove runs statements in DuckDB: pip install 'lineal[prove]'")


def _select(source: Source, asked: Asked, output: str, least: float | None) -> int:
    """Print what a change can affect; the rows of seeds are compared, too."""
    from lineal.cli.console import report_diagnostics, show
    from lineal.cli.coverage import falls_short
    from lineal.model.boundary import internal_errors
    from lineal.model.diagnostic import Severity
    from lineal.views.diff import SELECTIONS

    with ExitStack() as opened, mistakes():
        sides = _open_sides(asked, opened)

        def draw(made: Compared) -> tuple[str, Extraction]:
            made = made._replace(other_seeds=_other_seeds(made, *sides))
            return SELECTIONS[output](made), made.found.pairs.head.graph.extraction

        text, head = _compare(source, sides, draw)
    show(text, source.color)
    report_diagnostics(head.diagnostics, source.color, Severity.ERROR)
    short = falls_short(head.coverage, least)
    return int(short or bool(internal_errors(head.diagnostics)))


def _other_seeds(made: Compared, before: _Side, after: _Side) -> tuple[Dataset, ...]:
    """Return the seeds of the head side whose rows differ."""
    from lineal.projects.seeds import seed_digests

    base, head = seed_digests(before.folder), seed_digests(after.folder)
    stems = {Path(file).stem.lower() for file, said in head.items() if base.get(file) != said}
    infos = made.found.pairs.head.graph.infos
    return tuple(
        dataset
        for dataset, info in infos.items()
        if info.kind == "seed" and dataset.name.rpartition(".")[2].lower() in stems
    )


def _run(
    source: Source, asked: Asked, policy: str | None, output: str, fail_on: str, least: float | None
) -> int:
    """Compare two sides, show the difference, and return the exit code."""
    from lineal.cli.console import complain, report_diagnostics, show
    from lineal.cli.coverage import falls_short
    from lineal.model.boundary import internal_errors
    from lineal.model.diagnostic import Severity
    from lineal.model.policy import Level

    found = _answer(source, asked, policy, output)
    show(found.made, source.color)
    report_diagnostics(found.diagnostics, source.color, Severity.ERROR)
    if found.footer:
        complain(found.footer)
    short = falls_short(found.coverage, least)
    verdict = Level(found.facts[0])
    worst = fail_on != "never" and (
        verdict >= Level[fail_on.upper()] or bool(internal_errors(found.diagnostics))
    )
    return int(short or worst)


def _answer(source: Source, asked: Asked, policy: str | None, output: str) -> Shown:
    """Return the difference in the format that was asked for; the same two sides are compared once."""
    from lineal.cli.answer_cache import kept_answer
    from lineal.projects.intake import LARGEST, peek_bytes

    with ExitStack() as opened, mistakes():
        before, after = _open_sides(asked, opened)

        def work() -> Shown:
            return _compare(source, (before, after), draw, policy)

        def draw(made: Compared) -> Shown:
            if asked.prove:
                made = made._replace(experiments=_experiments(made))
            return _shown(made, output)

        if asked.prove:
            return work()
        stamps = (before.stamp(source), after.stamp(source))
        if not all(stamps):
            return work()
        said = peek_bytes(Path(policy), LARGEST) if policy is not None else b""
        decided = ("diff", stamps, before.name, after.name, policy, said, output)
        return kept_answer(source, decided, work)


def _experiments(made: Compared) -> dict[str, Experiment]:
    """Return the experiments with the changed statements."""
    from lineal.prove import experiments_of

    return experiments_of(made.found)


def _shown(made: Compared, output: str) -> Shown:
    """Return what is shown of a comparison."""
    from lineal.cli.answer_cache import Shown
    from lineal.cli.coverage import footer
    from lineal.model.boundary import internal_errors
    from lineal.views.diff import OUTPUTS

    found = made.found
    head = found.pairs.head.graph
    before = internal_errors(found.pairs.base.graph.extraction.diagnostics)
    diagnostics = [*before, *(each for each in head.extraction.diagnostics if each not in before)]
    last = footer(head) if output == "text" else ""
    text = OUTPUTS[output](made)
    return Shown(text, diagnostics, last, head.extraction.coverage, (int(found.verdict),))


def compare(
    source: Source, asked: Asked, draw: Callable[[Compared], Drawn], policy: str | None = None
) -> Drawn:
    """What is drawn of both sides, compared; a dataset over which that fails is left out of both,
    and reported.

    The files of a revision are there until it is drawn.
    """
    with ExitStack() as opened, mistakes():
        return _compare(source, _open_sides(asked, opened), draw, policy)


def _open_sides(asked: Asked, opened: ExitStack) -> tuple[_Side, _Side]:
    """Return both sides of a comparison."""
    if asked.at is not None:
        return _since(asked)
    return _sides(asked, opened)


def _compare(
    source: Source,
    sides: tuple[_Side, _Side],
    draw: Callable[[Compared], Drawn],
    policy: str | None = None,
) -> Drawn:
    """Draw the comparison of two sides under the policy that counts."""
    return compare_under(source, sides, draw, _policy(policy, sides[0]))


def compare_under(
    source: Source,
    sides: tuple[_Side, _Side],
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
        found = diff(Graph(parts[0]), Graph(parts[1]), rules)
        return draw(Compared(found, before.name, after.name))

    return sound_parts([base, head], draw_parts)


def _extractions(source: Source, before: _Side, after: _Side) -> tuple[Extraction, Extraction]:
    """Return the lineage of both sides; the second uses what was made of the first."""
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
        first.memory.join(second.memory)
        first.save()

    at_the_end(save)
    return first.extraction, second.extraction


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
        from lineal.store import cache

        kept = cache() if source.use_cache and source.engine == "text" else None
        corpus = self.corpus(source)
        where = source._replace(paths=(self.shown or self.path,))
        return graph_of(extraction_of(where, corpus, kept))


class _Revision(_Side):
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
        kept = self.kept(source)
        if kept is None:
            return ""
        return kept.stamp

    def has_file(self, name: str) -> bool:
        """Tell whether there is a file of this name in the project."""
        if self.commit is not None and not self.repository.holds(self.commit, name):
            return False
        return super().has_file(name)

    def kept(self, source: Source) -> KeptRevision | None:
        """Return what is kept of this side; None if nothing may be."""
        from lineal.service.revisions import KeptRevision
        from lineal.store import cache

        if self._kept is None:
            folder = cache() if source.use_cache and source.engine == "text" else None
            if folder is None or source.sql or source.schema_from or source.log:
                return None
            asked = source._replace(paths=(str(self.shown),))
            self._kept = KeptRevision(self.repository, self.commit, asked, folder)
        return self._kept

    def corpus(self, source: Source) -> Corpus:
        """Return the project of this side, with paths relative to its folder."""
        kept = self.kept(source)
        found = kept.recall() if kept is not None else None
        if found is None:
            found = super().corpus(source)
            if kept is not None:
                kept.keep(found)
        return found


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
        else open_revision(repository, asked.head, asked.project, opened)
    )
    if base_is_path:
        return _side(asked.base), after
    base = asked.base
    if base.endswith("..."):
        base = repository.merge_base(
            _plain(base[:-3]) or "HEAD", _plain(asked.head) if asked.head else "HEAD"
        )
    return open_revision(repository, base, asked.project, opened), after


def _side(path: str) -> _Side:
    """A file or folder, or a server, whose password is shown to nobody."""
    return _Side(shown_path(path), path)


def _is_path(name: str) -> bool:
    """Tell whether a name means a file or folder, and not a revision."""
    return not name.startswith(GIT) and (exists(name) or "://" in name)


def _plain(name: str) -> str:
    """Return a revision without the prefix `git:`."""
    return name.removeprefix(GIT)


def open_revision(
    repository: Repository, name: str | None, project: str, opened: ExitStack
) -> _Side:
    """A revision, or without a name the work tree."""
    return _Revision(repository, _plain(name) if name else None, project, opened)


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
    if base.has_file(FILE):
        return read_policy(base.folder / FILE)
    return DEFAULT
