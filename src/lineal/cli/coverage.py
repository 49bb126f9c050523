"""How much of the input was understood, as every command says it; `--fail-under` makes a bound of
it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from lineal.graph.graph import Graph
    from lineal.model.extraction import Coverage

fail_under = click.option(
    "--fail-under",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="Exit with 1 if less of the statements, or of the columns that they name, is resolved.",
)


def footer(graph: Graph) -> str:
    """16 statements, 104 + 9 edges, 100 % of 156 columns resolved"""
    from lineal.views.words import counted

    coverage = graph.extraction.coverage
    fields = sum(edge.field_level for edge in graph.edges)
    inspects = sum(not edge.field_level and not graph.also_selected(edge) for edge in graph.edges)
    statements = counted(coverage.read, "statement")
    if coverage.resolved < coverage.read:
        statements = f"{coverage.resolved:,} of {statements}"
    return f"{statements}, {fields:,} + {inspects:,} edges{share(coverage)}"


def share(coverage: Coverage) -> str:
    """, 97.5 % of 80 columns resolved (1 ambiguous, 1 open)"""
    from lineal.views.words import counted

    if not coverage.columns:
        return ""
    missing = {
        "ambiguous": coverage.ambiguous,
        "unresolved": coverage.unresolved,
        "open": coverage.open,
    }
    said = ", ".join(f"{count:,} {name}" for name, count in missing.items() if count)
    return (
        f", {percent(coverage.column_percent)} of {counted(coverage.columns, 'column')} resolved"
        + (f" ({said})" if said else "")
    )


def falls_short(coverage: Coverage, least: float | None) -> bool:
    """Whether less was resolved than is asked for; then it is said."""
    if least is None or coverage.percent >= least:
        return False
    from lineal.cli.console import complain

    statements, columns = percent(coverage.statement_percent), percent(coverage.column_percent)
    shares = f"{statements} of the statements, {columns} of the columns"
    complain(f"coverage is below {percent(least)}: {shares} resolved")
    return True


def percent(share: float) -> str:
    """100 %, 97.5 %"""
    return f"{share:g} %"
