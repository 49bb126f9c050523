"""Comments that speak to lineal, in SQL, Python and YAML alike.

select id, -- lineal: ignore[A050]        of this line
-- lineal: ignore[A050, SA02]             alone on a line: of the next line with something on it
# lineal: ignore                          at the head of a file, before anything else: of the whole
file, all rules

A comment is a comment only where the language says so: what stands in a string is none.
"""

from __future__ import annotations

import io
import re
import tokenize
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

from lineal.extract.sql.words import words
from lineal.model.diagnostic import Place
from lineal.model.finding import Suppression
from lineal.model.script import Script

MARK = "lineal:"
_SAID = re.compile(r"lineal:\s*ignore(?:\s*\[([^\]\n]*)\])?(?=\s|\*/|#\}|$)")
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/|#[^\n]*|//[^\n]*", re.DOTALL)
FAR = 10**9
"""Beyond the last line of any file."""


class Comment(NamedTuple):
    start: int
    text: str


def suppressions(file: str, text: str, dialect: str = "") -> list[Suppression]:
    """Return the suppressions in the comments of a text; none if its language is unknown or
    unreadable.
    """
    if MARK not in text:
        return []

    comments_in = LANGUAGES.get(file.rsplit(".", 1)[-1].lower(), in_sql)
    comments = list(comments_in(text, dialect))
    lines = Lines(text, comments, items=comments_in is in_yaml)
    return [
        _suppression(file, comment, said, lines)
        for comment in comments
        if (said := _SAID.search(comment.text))
    ]


def _suppression(file: str, comment: Comment, said: re.Match[str], lines: Lines) -> Suppression:
    """Return the suppression that a comment makes, with the lines it covers."""
    offset = comment.start + said.start()
    line = lines.number(offset)
    codes = tuple(code.strip() for code in (said[1] or "").split(",") if code.strip())
    return Suppression(
        Place(file, line, offset - lines.starts[line - 1] + 1), codes, *lines.lines_of_comment(line)
    )


class Lines:
    """The lines of a text, and which of them have more on them than comments."""

    def __init__(self, text: str, comments: list[Comment], *, items: bool) -> None:
        self.items = items
        self.starts = [0, *(found.end() for found in re.finditer("\n", text))]
        bare = list(text)
        for comment in comments:
            end = comment.start + len(comment.text)
            bare[comment.start : end] = [each if each == "\n" else " " for each in comment.text]

        self.bare = "".join(bare).split("\n")

    def number(self, offset: int) -> int:
        """Return the line of an offset."""
        return bisect_right(self.starts, offset)

    def lines_of_comment(self, line: int) -> tuple[int, int]:
        """The first and the last line that a comment on this line speaks of."""
        if self.bare[line - 1].strip():
            return (self._item(line) if self.items else line), line

        if not any(each.strip() for each in self.bare[: line - 1]):
            return 1, FAR

        below = (
            number
            for number in range(line + 1, len(self.bare) + 1)
            if self.bare[number - 1].strip()
        )
        following = next(below, line)
        return following, following

    def _item(self, line: int) -> int:
        """description: … # lineal: ignore[A051]

        the line on which the list's item begins that this is part of
        """
        indent = _indent(self.bare[line - 1])
        for number in range(line, 0, -1):
            text = self.bare[number - 1]
            if text.strip() and _indent(text) < indent:
                if text.lstrip().startswith("- "):
                    return number

                return line

            if text.strip() and text.lstrip().startswith("- ") and _indent(text) <= indent:
                return number

        return line


def _indent(text: str) -> int:
    """Return how many characters a line is indented."""
    return len(text) - len(text.lstrip())


def in_sql(text: str, dialect: str) -> Iterator[Comment]:
    """Yield the comments between the words of a text; a string is a word in its dialect."""
    before = 0
    for token in words(Script(text, dialect))[0]:
        yield from _between(text, before, token.start)
        before = max(before, token.end + 1)

    yield from _between(text, before, len(text))


def _between(text: str, start: int, end: int) -> Iterator[Comment]:
    """Yield the comments of a part of a SQL text."""
    if end - start > len(MARK):
        for found in _COMMENT.finditer(text, start, end):
            yield Comment(found.start(), found[0])


def in_python(text: str, dialect: str) -> Iterator[Comment]:
    """Yield the comments of a Python text."""
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield Comment(starts[token.start[0] - 1] + token.start[1], token.string)
    except (tokenize.TokenError, SyntaxError, IndexError):
        return


def in_yaml(text: str, dialect: str) -> Iterator[Comment]:
    """Yield the comments of a YAML text: # outside every scalar."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    before = 0
    try:
        for token in yaml.scan(text, loader):
            if isinstance(token, yaml.ScalarToken):
                yield from _hashes(text, before, token.start_mark.index)
                before = token.end_mark.index
    except yaml.YAMLError:
        return

    yield from _hashes(text, before, len(text))


def _hashes(text: str, start: int, end: int) -> Iterator[Comment]:
    """Yield the comments that start with # in a part of a text."""
    for found in re.compile(r"#[^\n]*").finditer(text, start, end):
        if found.start() == 0 or text[found.start() - 1].isspace():
            yield Comment(found.start(), found[0])


LANGUAGES: dict[str, Callable[[str, str], Iterator[Comment]]] = {
    "py": in_python,
    "yml": in_yaml,
    "yaml": in_yaml,
}
"""By the ending of the file's name; the rest is SQL."""
