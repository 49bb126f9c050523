"""A page: styled lines and grids, made into plain text for a pipe or drawn with rich for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from lineal.views.safe import padded, visible, width

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text


class Piece(NamedTuple):
    """A text and the name of its style."""

    text: str
    style: str = ""


Line = tuple[Piece, ...]


class Grid(NamedTuple):
    """Rows under a header."""

    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    numbers: tuple[int, ...] = ()
    """The columns that are numbers, written to the right."""


Page = list[Line | Grid]

STYLES = {
    "heading": "bold",
    "rule": "dim",
    "name": "bold cyan",
    "note": "dim",
    "quote": "italic",
    "arrow": "dim",
    "copy": "green",
    "rename": "cyan",
    "transform": "yellow",
    "inspect": "magenta",
    "contributed": "red",
    "both": "yellow",
    "referenced": "blue",
    "inherited": "green",
    "modified": "yellow",
    "missing": "red",
}
"""Style names are the words of the page; a cell that is one of them takes its colour."""

GAP = "  "


def line(*pieces: Piece | str) -> Line:
    return tuple(piece if isinstance(piece, Piece) else Piece(piece) for piece in pieces)


def plain(page: Page) -> str:
    """The page as text: nothing is wrapped or cut."""
    lines: list[str] = []
    for part in page:
        if isinstance(part, Grid):
            lines += _plain_grid(part)
        else:
            lines.append("".join(visible(piece.text) for piece in part).rstrip())
    return "\n".join([*lines, ""])


def _plain_grid(grid: Grid) -> Iterator[str]:
    rows = [grid.header, *(tuple(map(visible, row)) for row in grid.rows)]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]

    def laid_out(row: tuple[str, ...]) -> str:
        cells = (
            " " * (cells - width(cell)) + cell if position in grid.numbers else padded(cell, cells)
            for position, (cell, cells) in enumerate(zip(row, widths, strict=True))
        )
        return GAP.join(cells).rstrip()

    yield laid_out(rows[0])
    yield "─" * (sum(widths) + len(GAP) * (len(widths) - 1))
    yield from map(laid_out, rows[1:])


def drawn(page: Page) -> Iterator[RenderableType]:
    """The page as rich draws it. Only Text goes in, so that nothing in a name is taken for markup."""
    for part in page:
        yield _drawn_grid(part) if isinstance(part, Grid) else _drawn_line(part)


def _drawn_line(part: Line) -> Text:
    from rich.text import Text

    text = Text(no_wrap=False, overflow="fold")
    for piece in part:
        text.append(visible(piece.text), STYLES.get(piece.style, ""))
    return text


def _drawn_grid(grid: Grid) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.ROUNDED, border_style="dim", header_style="bold", highlight=False)
    for position, title in enumerate(grid.header):
        table.add_column(title, overflow="fold", justify="right" if position in grid.numbers else "left")
    for row in grid.rows:
        table.add_row(*(Text(visible(cell), STYLES.get(cell, "")) for cell in row))
    return table
