"""Fingerprints of many texts: what only the literals tell apart is cut into words once.

    WHERE a = 5 AND b = 'x'      its shape: WHERE a = 0 AND b = ''      and its values: 5, 'x'

Two texts of one shape fall into the same words but for the values, whose kinds are the same. Which
of these count, the fingerprint of the first tells; another one with the same values there has the
same fingerprint. A text in which a quote might not be what it looks like has no shape.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from lineal.extract.sql.dialects import parser_dialect
from lineal.extract.sql.fingerprint import Masks, fingerprint
from lineal.extract.sql.literal_kinds import kind_of_number, kind_of_string
from lineal.extract.sql.placeholders import has_placeholders
from lineal.extract.sql.words import words
from lineal.model.script import Script

VALUE = re.compile(r"""('[^']*'|"[^"]*"|`[^`]*`|(?<![\w.$@:])\d+(?:\.\d+)?(?![\w.]))""")
UNSURE = re.compile(r"--|/[*/]|[#\\${]|\]|'['\"`]|[\"`]'")
"""Comments, escapes, templates, brackets that may quote, and strings that touch."""

MOST_KEPT = 100_000


class Fingerprints:
    """`fingerprint`, of one text after the other."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        self.strings = '"' if '"' in parser_dialect(dialect).tokenizer_class._QUOTES else ""
        self.counting: dict[tuple[str, ...], tuple[int, ...]] = {}
        self.known: dict[tuple[tuple[str, ...], tuple[str, ...]], str] = {}

    def fingerprint_of(self, text: str) -> str:
        """Return the fingerprint of a statement; texts of one shape are read once."""
        script = Script(text, self.dialect)
        if UNSURE.search(text) or has_placeholders(text, self.dialect):
            return fingerprint(script)

        parts = VALUE.split(text)
        values = parts[1::2]
        parts[1::2] = list(map(self.kind, values))
        shape = tuple(parts)
        counting = self.counting.get(shape)
        if counting is None:
            self.forget()
            counting = self.counting[shape] = counting_values(script)

        key = shape, tuple([values[at] for at in counting])
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = fingerprint(script)

        return found

    def kind(self, value: str) -> str:
        """Of an identifier, all of it counts."""
        first = value[0]
        if first == "'" or first == self.strings:
            return first + kind_of_string(value[1:-1])

        if first.isdigit():
            return kind_of_number(value)

        return value

    def forget(self) -> None:
        """Make room when too many shapes are known."""
        if len(self.known) > MOST_KEPT:
            self.counting.clear()
            self.known.clear()


def counting_values(script: Script) -> tuple[int, ...]:
    """Which values of a text are not masked in its fingerprint."""
    tokens, unread = words(script)
    found = list(VALUE.finditer(script.text))
    if unread:
        return tuple(range(len(found)))

    masks = Masks(tokens)
    masks.mark()
    starts = [token.start for token in tokens]

    def is_masked(value: re.Match[str]) -> bool:
        """Tell whether a literal is masked in the fingerprint."""
        at = bisect_right(starts, value.start()) - 1
        return at >= 0 and tokens[at].end + 1 >= value.end() and bool(masks.masked[at])

    return tuple(number for number, value in enumerate(found) if not is_masked(value))
