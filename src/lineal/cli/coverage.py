"""How much of the input was understood, as every command says it; `--fail-under` makes a bound of
it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from lineal.graph.graph import Graph
    from lineal.model.ledger import Coverage

fail_under = click.option(
    "--fail-under",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="Exit with 1 if the coverage is lower, or if there is nothing to read.",
)


def footer(graph: Graph) -> str:
    """coverage 100 %: 9 files, 16 statements, 156 columns; 104 + 9 edges"""
    from lineal.views.ledger import summarize

    edges = graph.extraction.edges
    fields = sum(edge.field_level for edge in edges)
    inspects = sum(not edge.field_level and not graph.also_selected(edge) for edge in edges)
    return f"{summarize(graph.extraction.coverage)}; {fields:,} + {inspects:,} edges"


def falls_short(coverage: Coverage, least: float | None) -> bool:
    """Whether less was covered than is asked for; then it is said. No percentage is too little."""
    if least is None or (coverage.percent is not None and coverage.percent >= least):
        return False

    from lineal.cli.console import complain
    from lineal.views.ledger import NO_FILE, describe_percent

    said = NO_FILE if coverage.percent is None else f"it is {describe_percent(coverage.percent)}"
    complain(f"coverage is below {describe_percent(least)}: {said}")
    return True
