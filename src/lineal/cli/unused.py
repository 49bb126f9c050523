"""lineal unused: columns and datasets that nobody reads, and the patch that removes them."""

from __future__ import annotations

import sys

import click

from lineal.cli.coverage import fail_under, falls_short, footer
from lineal.cli.source import Mistake, check_paths, corpus_of, graph_in, source_options
from lineal.service.source import Source


@click.command(name="unused")
@click.argument("arguments", nargs=-1, metavar="[PATH]…")
@click.option(
    "--keep",
    metavar="NAME",
    multiple=True,
    help="An output, which is read outside the project: a name, a pattern such as 'fct_*', "
    "or a selector such as tag:daily or path:models/marts.",
)
@click.option(
    "--ignore-tests",
    is_flag=True,
    help="Count columns that only tests read as unused. The patch also removes the tests in their YAML entries.",
)
@click.option(
    "--patch", is_flag=True, help="Print the patch that removes unused columns and datasets."
)
@click.option(
    "--output",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="The output format.",
)
@fail_under
@source_options
def command(
    source: Source,
    arguments: tuple[str, ...],
    keep: tuple[str, ...],
    ignore_tests: bool,
    patch: bool,
    output: str,
    fail_under: float | None,
) -> None:
    """List unused columns and datasets, and print a patch that removes them.

    PATH is what `lineal lineage` reads.  [default: .] Readers come before the datasets that
    they read, so that each can be removed in this order.

    Consumers (exposures, metrics, tests and the like) need what they read, and outputs need all of
    their columns. Outputs are named by --keep, by `validate: {terminal: [...]}` in lineal.yml, or by
    `meta: {lineal: {terminal: true}}` in YAML. Without these and without consumers, the datasets
    that nothing reads are the outputs.

    The patch is checked: lineal reads a copy of the project with the patch, and leaves out
    removals that change the lineage of anything else. The list has a reason for each.

    \b
    lineal unused
    lineal unused --keep 'mart_*' --patch > unused.patch
    git apply unused.patch

    Exit codes: 0 fine, 1 less than --fail-under is resolved or lineal itself failed, 2 a usage error.
    """
    from lineal.cli.console import complain, report_failures, show
    from lineal.graph.graph import UnknownName
    from lineal.service.unused import Subject, plan_unused
    from lineal.views import unused as view

    source = source._replace(paths=check_paths(arguments))
    corpus = corpus_of(source)
    graph = graph_in(source, corpus)
    try:
        plan = plan_unused(Subject(source, corpus, graph), keep, ignore_tests=ignore_tests)
    except UnknownName as mistake:
        raise Mistake(f"--keep: {mistake}") from mistake

    if output == "json":
        show(view.as_json(graph, plan.outputs, plan.verdicts, plan.patch), source.color)
    elif patch:
        show(plan.patch, source.color)
        complain(view.summary(plan.verdicts))
    else:
        show(view.table(plan.outputs, plan.verdicts, graph), source.color)

    failed = report_failures(graph.extraction.diagnostics, source.color)
    if output == "text":
        complain(footer(graph))

    failed |= falls_short(graph.extraction.coverage, fail_under)
    sys.exit(failed)
