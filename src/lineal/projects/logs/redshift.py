r"""Redshift's texts: in pieces of 200 or 4000 characters, with \n for line ends.

query  sequence  text
7      0         INSERT INTO t\nSELECT a, b
7      1          FROM s
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lineal.projects.logs.columns import field_at
from lineal.projects.logs.entry import Row

PIECES = ("sequence", "text")
IDS = ("query", "query_id")
TEXTS = ("text", "query_text", "querytxt")
WIDTHS = (200, 4000)
SLACK = 10
"""Blanks that may be missing at the end of the longest piece."""


class Pieces:
    """The statements of STL_QUERYTEXT or SYS_QUERY_TEXT, put together at the end."""

    def __init__(self) -> None:
        self.rows: dict[str, list[Row]] = {}

    def take(self, row: Row) -> bool:
        """Keep a row that holds a piece of a statement; tell whether it does."""
        if any(field_at(row.fields, name) is None for name in PIECES):
            return False

        ids = (field_at(row.fields, name) for name in IDS)
        key = next((str(each) for each in ids if each is not None), "")
        self.rows.setdefault(key, []).append(row)
        return True

    def whole(self) -> Iterator[Row]:
        """Yield a row for each statement, with its whole text."""
        for rows in self.rows.values():
            rows.sort(key=_number)
            texts = [str(field_at(row.fields, "text")) for row in rows]
            yield unescape(rows[0], {"text": join_pieces(texts)})

        self.rows = {}


def _number(row: Row) -> int:
    """Return the number of a part of a split statement."""
    digits = str(field_at(row.fields, "sequence")).strip()
    return int(digits) if digits.isdecimal() else 0


def join_pieces(texts: list[str]) -> str:
    """Join the pieces of a text; those in the middle get back the blanks that an export cut off."""
    longest = max(map(len, texts))
    width = next((each for each in WIDTHS if each - SLACK <= longest <= each), longest)
    return "".join([*(text.ljust(width) for text in texts[:-1]), texts[-1]])


def unescape(row: Row, texts: Mapping[str, Any] | None = None) -> Row:
    r"""Return a row whose texts have line ends in place of \n, and no blanks at their ends."""
    fields = dict(row.fields)
    for name, value in fields.items():
        if name.lower() not in TEXTS or not isinstance(value, str):
            continue

        text = str((texts or {}).get(name.lower(), value))
        fields[name] = text.replace("\\n", "\n").rstrip(" ")

    return row._replace(fields=fields)
