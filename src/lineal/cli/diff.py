"""lineal diff: the changes between two revisions, projects or saved lineages."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from lineal.cli.comparison import (
    ComparisonRequest,
    Side,
    compare_sides,
    open_sides,
    request_of_range,
)
from lineal.cli.coverage import fail_under
from lineal.cli.source import Mistake, mistakes, require_library, source_options
from lineal.cli.store_options import DEFAULT
from lineal.service.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineal.cli.answer_cache import ShownAnswer
    from lineal.graph.diff.witness import Experiment
    from lineal.model.diagnostic import Diagnostic
    from lineal.model.edge import Dataset
    from lineal.model.extraction import DatasetInfo, Extraction
    from lineal.views.diff import Compared

FAIL_ON = ("block", "review", "never")


@click.command(name="diff")
@click.argument("base", required=False)
@click.argument("head", required=False)
@click.option(
    "--project",
    default=".",
    show_default=True,
    metavar="PATH",
    help="The folder of the project in the repository.",
)
@click.option(
    "--at", metavar="TIME", help="BASE is a store at that time: 2026-11-16, 2026-11-16T09:30."
)
@click.option(
    "--namespace", metavar="NAME", help="The namespace in the store.  [default: the only one]"
)
@click.option(
    "--policy",
    metavar="FILE",
    help="The file with the policy.  [default: lineal-policy.yml of BASE]",
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
    help="Print the nodes that have to run again, for --select of dbt or lineal run (or as json).",
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
    help="Try the policy of the work tree, or of --policy, on the last N commits. The exit code stays 0.",
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
    """Show how the lineage changes from BASE to HEAD, what the changes reach, and whether they are
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

    Exit codes: 0 fine, 1 the verdict of --fail-on or a failure of lineal itself, 2 a usage error.
    """
    if backtest is not None:
        _backtest(source, (base, head, at, select, prove), project, backtest, policy, output)

    asked = _request_of(base, head, project, at, namespace)
    if select:
        if output not in ("text", "json"):
            raise Mistake(
                "--select prints text or json: leave --output out, or write --output json"
            )

        sys.exit(_select(source, asked, output, fail_under))

    if prove:
        require_library("duckdb", "--prove runs statements in DuckDB: pip install 'lineal[prove]'")
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


def _request_of(
    base: str | None, head: str | None, project: str, at: str | None, namespace: str | None
) -> ComparisonRequest:
    """Return the two sides that the arguments name."""
    if at is not None:
        store = base or os.environ.get("LINEAL_STORE") or DEFAULT
        return ComparisonRequest(store, head, project, at, namespace)

    if base is None:
        raise Mistake("name what to compare with: a revision, a path, or a store with --at TIME")

    return request_of_range(base, head, project)


def _select(source: Source, asked: ComparisonRequest, output: str, least: float | None) -> int:
    """Print what a change can affect; the rows of seeds are compared, too."""
    from lineal.cli.console import report_diagnostics, show
    from lineal.cli.coverage import falls_short
    from lineal.model.boundary import internal_errors
    from lineal.model.diagnostic import Severity
    from lineal.views.diff import SELECTIONS

    with ExitStack() as opened, mistakes():
        sides = open_sides(asked, opened)

        def draw(made: Compared) -> tuple[str, Extraction]:
            """Write the changed datasets as a selection."""
            made = made._replace(other_seeds=_other_seeds(made, *sides))
            return SELECTIONS[output](made), made.found.pairs.head.graph.extraction

        text, head = compare_sides(source, sides, draw)

    show(text, source.color)
    report_diagnostics(head.diagnostics, source.color, Severity.ERROR)
    short = falls_short(head.coverage, least)
    return int(short or bool(internal_errors(head.diagnostics)))


def _other_seeds(made: Compared, before: Side, after: Side) -> tuple[Dataset, ...]:
    """Return the seeds of the head side whose rows differ, or the types that they are loaded with."""
    from lineal.projects.seeds import seed_digests

    base, head = seed_digests(before.folder), seed_digests(after.folder)
    stems = {stem for stem, digests in head.items() if base.get(stem) != digests}
    former, infos = (side.graph.infos for side in (made.found.pairs.base, made.found.pairs.head))
    return tuple(
        dataset
        for dataset, info in infos.items()
        if info.kind == "seed"
        and (
            dataset.name.rpartition(".")[2].lower() in stems
            or _types_of(former.get(dataset)) != _types_of(info)
        )
    )


def _types_of(info: DatasetInfo | None) -> list[tuple[str, str]]:
    """Return the columns of a dataset with the types that are declared."""
    columns = info.columns if info is not None else []
    return [(column.name, column.type) for column in columns]


def _run(
    source: Source,
    asked: ComparisonRequest,
    policy: str | None,
    output: str,
    fail_on: str,
    least: float | None,
) -> int:
    """Compare two sides, show the difference, and return the exit code."""
    from lineal.cli.console import complain, report_diagnostics, show
    from lineal.cli.coverage import falls_short
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
        verdict >= Level[fail_on.upper()] or bool(losses(found.diagnostics))
    )
    return int(short or worst)


def losses(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics of parts that were not read, so that a comparison with them proves nothing."""
    from lineal.model.diagnostic import Code

    lost = (Code.INTERNAL_ERROR, Code.UNREADABLE)
    return [each for each in diagnostics if each.code in lost]


def _answer(
    source: Source, asked: ComparisonRequest, policy: str | None, output: str
) -> ShownAnswer:
    """Return the difference in the format that was asked for; the same two sides are compared once."""
    from lineal.cli.answer_cache import kept_answer
    from lineal.projects.intake import LARGEST, peek_bytes

    with ExitStack() as opened, mistakes():
        before, after = open_sides(asked, opened)

        def work() -> ShownAnswer:
            """Compare both sides and draw the difference."""
            return compare_sides(source, (before, after), draw, policy)

        def draw(made: Compared) -> ShownAnswer:
            """Draw the difference, with the experiments if they are requested."""
            if asked.prove:
                made = made._replace(experiments=_experiments(made))

            return _show_comparison(made, output)

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


def _show_comparison(made: Compared, output: str) -> ShownAnswer:
    """Return the output of a comparison."""
    from lineal.cli.answer_cache import ShownAnswer
    from lineal.cli.coverage import footer
    from lineal.views.diff import OUTPUTS

    found = made.found
    head = found.pairs.head.graph
    before = losses(found.pairs.base.graph.extraction.diagnostics)
    diagnostics = [*before, *(each for each in head.extraction.diagnostics if each not in before)]
    last = footer(head) if output == "text" else ""
    text = OUTPUTS[output](made)
    return ShownAnswer(text, diagnostics, last, head.extraction.coverage, (int(found.verdict),))
