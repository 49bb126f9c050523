"""A page: styled lines and grids, made into plain text for a pipe or drawn with rich for a
terminal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from lineal.views.safe import make_visible, width

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
    folds: bool = False
    """Whether the last column may be broken into lines."""
    paths: bool = False
    """Whether the last column holds paths: one that is too long loses its beginning."""


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
    "ok": "green",
    "kept": "dim",
    "failed": "bold red",
    "skipped": "yellow",
    "error": "bold red",
    "warning": "bold yellow",
    "info": "bold blue",
}
"""Style names are the words of the page; a cell that is one of them takes its color."""

GAP = "  "


def line(*pieces: Piece | str) -> Line:
    """Return a line of pieces; a plain text has no style."""
    return tuple(piece if isinstance(piece, Piece) else Piece(piece) for piece in pieces)


def plain_page(page: Page) -> str:
    """The page as text: nothing is wrapped or cut."""
    lines: list[str] = []
    for part in page:
        if isinstance(part, Grid):
            lines += _plain_grid(part)
        else:
            lines.append("".join(make_visible(piece.text) for piece in part).rstrip())

    return "\n".join([*lines, ""])


def _visible_rows(grid: Grid) -> list[tuple[str, ...]]:
    """Return the rows of a grid without characters that a terminal would obey."""
    return [tuple(map(make_visible, row)) for row in grid.rows]


def _plain_grid(grid: Grid) -> Iterator[str]:
    """As `_laid_out` has it, a column at a time: tens of thousands of rows are common."""
    rows = _visible_rows(grid)
    padded = []
    for position, column in enumerate(zip(grid.header, *rows, strict=True)):
        wide = max(map(width, column))
        padded.append([_pad_cell(cell, wide, position in grid.numbers) for cell in column])

    header, *lines = map(GAP.join, zip(*padded, strict=True))
    yield header.rstrip()
    yield "─" * width(header)
    yield from (each.rstrip() for each in lines)


def _pad_cell(cell: str, wide: int, number: bool) -> str:
    """Return a cell filled with spaces to its width."""
    if cell.isascii():
        if number:
            return cell.rjust(wide)

        return cell.ljust(wide)

    space = " " * (wide - width(cell))
    if number:
        return space + cell

    return cell + space


def _laid_out(grid: Grid) -> Iterator[Line]:
    """Header, rule and rows as lines, each column as wide as its widest cell."""
    rows = _visible_rows(grid)
    widths = _widths(grid.header, rows)
    yield _cells(grid, grid.header, widths, "heading")
    yield line(Piece("─" * (sum(widths) + len(GAP) * (len(widths) - 1)), "rule"))
    for row in rows:
        yield _cells(grid, row, widths)


def _widths(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[int]:
    """Return the width of each column."""
    return [max(map(width, column)) for column in zip(header, *rows, strict=True)]


def _cells(grid: Grid, row: tuple[str, ...], widths: list[int], style: str = "") -> Line:
    """Return a row as a line, each cell filled to its width."""
    pieces: list[Piece] = []
    for position, (cell, cells) in enumerate(zip(row, widths, strict=True)):
        space = " " * (cells - width(cell))
        before, after = (space, "") if position in grid.numbers else ("", space)
        pieces += [Piece(before), Piece(cell, style or cell), Piece(after + GAP)]

    return tuple(pieces[:-1])


def draw_page(page: Page, columns: int, wide: bool = False) -> Iterator[RenderableType]:
    """The page as rich draws it on so many columns. Only Text goes in: nothing in a name is taken
    for markup. Names that do not fit are shortened, unless the page is to be `wide`.
    """
    for part in page:
        if not isinstance(part, Grid):
            yield _drawn_line(part)
        elif _fits_screen(part, columns):
            yield _drawn_grid(part)
        elif not wide and (fitted := fit(part, columns)) is not None:
            yield _drawn_grid(fitted)
        elif not wide and (fitted := fit_without_box(part, columns)) is not None:
            yield from map(_drawn_line, _laid_out(fitted))
        else:
            yield from map(_drawn_line, _laid_out(part))


NARROWEST = 10
"""A cell is never shortened to less than this."""


def fit(grid: Grid, columns: int) -> Grid | None:
    """Return the grid with long cells shortened, so that its box is not wider than the screen; None
    if even the shortest cells do not fit.
    """
    rows = _visible_rows(grid)
    natural = _widths(grid.header, rows)
    if grid.folds:
        natural[-1] = min(natural[-1], FOLDED)

    cap = _widest_cell(natural, columns - 3 * len(natural) - 1, NARROWEST)
    if cap is None:
        return None

    last = len(natural) - 1
    shorter = [
        tuple(
            cell
            if grid.folds and position == last
            else shorten(cell, cap, grid.paths and position == last)
            for position, cell in enumerate(row)
        )
        for row in rows
    ]
    titles = tuple(shorten(title, cap) for title in grid.header)
    return grid._replace(header=titles, rows=shorter)


NARROWEST_WITHOUT_BOX = 6


def fit_without_box(grid: Grid, columns: int) -> Grid | None:
    """Return the grid with long cells and titles shortened, so that its lines fit on the screen."""
    rows = _visible_rows(grid)
    natural = _widths(grid.header, rows)
    room = columns - len(GAP) * (len(natural) - 1)
    cap = _widest_cell(natural, room, NARROWEST_WITHOUT_BOX)
    if cap is None:
        return None

    last = len(natural) - 1
    shorter = [
        tuple(
            shorten(cell, cap, grid.paths and position == last) for position, cell in enumerate(row)
        )
        for row in (grid.header, *rows)
    ]
    return grid._replace(header=shorter[0], rows=shorter[1:])


def _widest_cell(natural: list[int], room: int, least: int) -> int | None:
    """Return how wide a cell may be for all columns to fit; None if that is less than `least`."""
    cap = max(natural)
    while sum(min(cells, cap) for cells in natural) > room:
        cap -= 1
        if cap < least:
            return None

    return cap


FOLDED = 24
"""How narrow a column may be that is broken into lines."""


def shorten(text: str, cells: int, is_path: bool = False) -> str:
    """a_very_long_name, 9      a_ve…name; of a path the end is kept: …ong_name"""
    if width(text) <= cells:
        return text

    if is_path:
        return "…" + text[len(text) - cells + 1 :]

    kept = cells - 1
    return f"{text[: kept - kept // 2]}…{text[len(text) - kept // 2 :]}"


def _fits_screen(grid: Grid, columns: int) -> bool:
    """Whether a box goes on the screen without breaking a name; a last column that folds breaks
    between words.
    """
    rows = _visible_rows(grid)
    widths = _widths(grid.header, rows)
    if grid.folds:
        widths[-1] = max((width(word) for row in rows for word in row[-1].split()), default=0)

    return sum(widths) + 3 * len(widths) + 1 <= columns


def _drawn_line(part: Line) -> Text:
    """Return a line with its styles."""
    from rich.text import Text

    text = Text()
    for piece in part:
        text.append(make_visible(piece.text), STYLES.get(piece.style, ""))

    return text


def _drawn_grid(grid: Grid) -> Table:
    """Return a table with its borders."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.ROUNDED, border_style="dim", header_style="bold", highlight=False)
    last = len(grid.header) - 1
    for position, title in enumerate(grid.header):
        side: Literal["left", "right"] = "right" if position in grid.numbers else "left"
        table.add_column(
            title, justify=side, no_wrap=not (grid.folds and position == last), overflow="fold"
        )

    for row in grid.rows:
        table.add_row(*(Text(make_visible(cell), STYLES.get(cell, "")) for cell in row))

    return table
