"""lineal history: when the edges of a column came and went."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from lineal.cli.source import Mistake
from lineal.cli.store_options import choose_namespace, find_in_store, open_store_at, store_options

if TYPE_CHECKING:
    from lineal.store.lineage.history import Period
    from lineal.views.terminal import Page

HEADER = ("FROM", "TO", "SOURCE", "TARGET", "USED AS", "STATEMENT IN")


@click.command(name="history")
@click.argument("column")
@click.option(
    "--output",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="The output format.",
)
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="Colors and box lines.",
)
@store_options
def command(
    column: str, output: str, color: str, address: str, namespace: str | None, wait: float
) -> None:
    """Show when each edge into and out of COLUMN began and ended, from a store.

    COLUMN is dataset.column. A row ends when the edge is gone or has another usage. A row without
    an end is current.
    """
    from lineal.cli.console import show
    from lineal.model.edge import Column

    with open_store_at(address, wait) as store:
        whose = choose_namespace(store, namespace)
        asked = find_in_store(store, whose, column, None)
        if not isinstance(asked, Column):
            raise Mistake(f"{column} is a dataset: name one of its columns")

        periods = store.history(whose, asked)

    show(_json(periods) if output == "json" else _table(periods), color)


def _table(periods: list[Period]) -> Page:
    """Return the periods as a table."""
    from lineal.views.terminal import Grid, Piece, line
    from lineal.views.words import NOTHING

    rows = [
        (
            period.came, period.went or NOTHING, str(period.source), str(period.target), ", ".join(period.hows),
            period.file or NOTHING,
        )
        for period in periods
    ]  # fmt: skip
    grid = Grid(HEADER, rows)
    if rows:
        return [grid]

    return [grid, line(Piece("No edges.", "note"))]


def _json(periods: list[Period]) -> str:
    """Return the periods as JSON."""
    from lineal.views.safe import json_safe

    told = [
        {
            "from": period.came,
            "to": period.went,
            "source": str(period.source),
            "target": str(period.target),
            "used_as": list(period.hows),
            "file": period.file,
        }
        for period in periods
    ]
    return json_safe(json.dumps(told, indent=2, ensure_ascii=False) + "\n")
