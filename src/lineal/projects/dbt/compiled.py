"""Compiled SQL: what dbt has put into it is taken out again, and its lines are those of the file
that users edit.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

from lineal.projects.lines import blank

INJECTED = re.compile(r"(?:(\bwith\b)\s*|(,)\s*)?__dbt__cte__(\w+)\s+as\s*\(", re.I)
PIECE = re.compile(r"""'(?:[^'\\]|\\.|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|/\*.*?\*/|[()]""", re.S)
FOLLOWING = re.compile(r"\s*,\s*")
TAG = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.S)
WORD = re.compile(
    r"""'(?:[^'\\]|\\.|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|/\*.*?\*/|\w+|[^\w\s]""", re.S
)
"""A string, a quoted name, a comment, a word or a sign: no line break is put into one."""
LOOP = re.compile(r"\{%-?\s*for\b")
MOST_WORDS = 20_000
"""Longer texts are not compared."""


def without_ephemeral(code: str, names: Collection[str]) -> str:
    """with __dbt__cte__a as (select …), b as (…) select …      with b as (…) select …

    A reference to __dbt__cte__a then means the ephemeral model a itself. One that is not in the
    manifest stays.
    """
    position = 0
    while (found := INJECTED.search(code, position)) is not None:
        end = closing_parenthesis(code, found.end())
        if found[3] not in names or end is None:
            position = found.end()
            continue

        rest = code[end:]
        comma = FOLLOWING.match(rest)
        if found[1]:  # the first of them: WITH stays if others follow
            code = code[: found.start()] + (f"with {rest[comma.end() :]}" if comma else rest)
        else:
            code = code[: found.start()] + rest

        position = found.start()

    return code


def closing_parenthesis(code: str, start: int) -> int | None:
    """Where the parenthesis ends that was opened before `start`."""
    depth = 1
    for piece in PIECE.finditer(code, start):
        if piece[0] == "(":
            depth += 1
        elif piece[0] == ")":
            depth -= 1
            if not depth:
                return piece.end()

    return None


def restore_lines(code: str, raw: str) -> str:
    """Insert blank lines where tags and comments lost theirs: a line that occurs once in the file
    gets its number back.
    """
    lines, wanted = code.split("\n"), raw.split("\n")
    if lines == wanted or len(wanted) <= 1:
        return code

    numbers: dict[str, int] = {}
    for number, line in enumerate(wanted):
        text = line.strip()
        numbers[text] = -1 if text in numbers else number

    made: list[str] = []
    for line in lines:
        number = numbers.get(line.strip(), -1)
        if number > len(made) and len(line.strip()) > 3:
            made += [""] * (number - len(made))

        made.append(line)

    return "\n".join(made)


# -- lines behind macros and loops -----------------------------------------------------------------


class Word(NamedTuple):
    """A word of a text, the line that it starts on, counted from 0, and the space before it."""

    text: str
    line: int
    space: str


def is_level(code: str, raw: str) -> bool:
    """Tell whether every line of a template without a tag has the same number in the compiled text,
    and so has the last one; no line is written more than once.
    """
    lines = code.rstrip().split("\n")
    if LOOP.search(raw) or len(lines) != raw.rstrip().count("\n") + 1:
        return False

    plain = TAG.sub(lambda tag: f"\0{blank(tag[0])}\0", raw).split("\n")
    return all(
        number < len(lines) and lines[number].strip() == line.strip()
        for number, line in enumerate(plain)
        if line.strip() and "\0" not in line
    )


def lay_out(code: str, renderings: Iterable[str]) -> str:
    """Return compiled SQL on the lines of its file, as a rendering of the same template has them.

    {% for method in methods %} … {% endfor %}      every round is on the lines of the loop

    Of several renderings the one with the most similar number of words counts. Words that only one
    of the two texts has stay next to their neighbors.
    """
    words = words_of(code)
    several = list(map(words_of, renderings))
    beside = min(several, key=lambda each: abs(len(each) - len(words)), default=[])
    if not beside or max(len(words), len(beside)) > MOST_WORDS:
        return code

    lines = lines_beside(words, beside)
    return "".join(laid_out(words, lines))


def words_of(code: str) -> list[Word]:
    """Return the words of a text with their lines."""
    found: list[Word] = []
    line = end = 0
    for word in WORD.finditer(code):
        space = code[end : word.start()]
        line += space.count("\n")
        found.append(Word(word[0], line, space))
        line += word[0].count("\n")
        end = word.end()

    return found


def lines_beside(words: list[Word], beside: list[Word]) -> list[int | None]:
    """Return the line of each word's counterpart; None for a word without one."""
    found: list[int | None] = [None] * len(words)
    one, other = ([each.text.lower() for each in texts] for texts in (words, beside))
    for start, there, size in SequenceMatcher(None, one, other, False).get_matching_blocks():
        for step in range(size):
            found[start + step] = beside[there + step].line

    return found


def laid_out(words: list[Word], lines: list[int | None]) -> Iterator[str]:
    """Yield words with the space between them, so that each is on its line or the next possible one.

    A comment up to the end of a line is left out if the next word is on that line, too.
    """
    at = 0
    before = ""
    for number, (word, line) in enumerate(zip(words, lines, strict=True)):
        wanted = at if line is None else max(line, at)
        if is_line_comment(word.text) and next_line(lines, number + 1) <= wanted:
            continue

        wanted = max(wanted, at + is_line_comment(before)) if word.space else at
        indent = word.space.rpartition("\n")[2]
        yield "\n" * (wanted - at) + (indent or word.space[:1].replace("\n", " ") * (wanted == at))
        yield word.text
        at = wanted + word.text.count("\n")
        before = word.text


def next_line(lines: list[int | None], number: int) -> int:
    """Return the line of the first word from a number on that has one."""
    return next((line for line in lines[number:] if line is not None), -1)


def is_line_comment(text: str) -> bool:
    """Tell whether a word is a comment up to the end of its line."""
    return text.startswith("--")
