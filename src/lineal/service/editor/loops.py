"""The bodies of loops: one text of the file that the script has several times.

    {% for method in methods %}                   the file
    sum({{ method }}_amount) as {{ method }},
    {% endfor %}

    sum(card_amount) as card, sum(cash_amount) as cash,      the script, on the same line

Each round of the loop is found in the script; a word of the body is in the script once per round.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

TAG = re.compile(r"\{\{.*?\}\}|\{%-?\s*(?P<word>\w+).*?%\}|\{#.*?#\}", re.S)
CHUNK = re.compile(r"\S+")
SPACE = re.compile(r"\s*")


class Loop(NamedTuple):
    """A loop of a file: where it begins and ends, and where its body is."""

    start: int
    body: int
    body_end: int
    end: int


class Chunk(NamedTuple):
    """A stretch without space that a round has: where the file and the script have it."""

    file: int
    script: int
    length: int


class Word(NamedTuple):
    """A stretch of plain text without space, and where the file has it."""

    text: str
    start: int


class Branches(NamedTuple):
    """{% if a %} one {% else %} two {% endif %}      one of them, or nothing"""

    several: list[list[Token]]


class Gap(NamedTuple):
    """{{ x }}      anything"""


Token = Word | Branches | Gap


class MatchedChunks(NamedTuple):
    """The chunks that some tokens are, where the last one ends, and whether anything may follow."""

    chunks: list[Chunk]
    end: int
    is_open: bool


def loops_in(text: str) -> Iterator[Loop]:
    """Yield the loops of a template that contain no other loop."""
    opened: list[tuple[int, int]] = []
    is_innermost = False
    for tag in TAG.finditer(text):
        if tag["word"] == "for":
            opened.append(tag.span())
            is_innermost = True
        elif tag["word"] == "endfor" and opened:
            start, body = opened.pop()
            if is_innermost:
                yield Loop(start, body, tag.start(), tag.end())

            is_innermost = False


def rounds_of(text: str, loop: Loop, script: str, start: int, end: int) -> list[Chunk]:
    """Return what script[start:end] has of the body of a loop; nothing if that is not only rounds.

    `start` and `end` are those of the lines of the loop.
    """
    line = text.rfind("\n", 0, loop.start) + 1
    stop = text.find("\n", loop.end)
    head = tokens_of(text, line, loop.start)
    body = tokens_of(text, loop.body, loop.body_end)
    tail = tokens_of(text, loop.end, stop if stop >= 0 else len(text))
    found = match(head, script, MatchedChunks([], start, False), end)
    chunks: list[Chunk] = []
    while found is not None and not found.is_open:
        rest = match(tail, script, MatchedChunks([], found.end, False), end)
        if rest is not None and (rest.is_open or not script[rest.end : end].strip()):
            return chunks

        found = match(body, script, MatchedChunks([], found.end, False), end)
        if found is None or not found.chunks:
            return []

        chunks += found.chunks

    return chunks if found is not None and not tail else []


def match(
    tokens: Sequence[Token], script: str, before: MatchedChunks, end: int
) -> MatchedChunks | None:
    """Return where the script has some tokens, from the end of those before on; None: it has not.

    Behind a gap, a word is where it first occurs.
    """
    chunks, at, is_open = list(before.chunks), before.end, before.is_open
    for token in tokens:
        if isinstance(token, Gap):
            is_open = True
        elif isinstance(token, Branches):
            here = MatchedChunks(chunks, at, is_open)
            taken = (match(each, script, here, end) for each in token.several)
            chunks, at, is_open = next(filter(None, taken), here)
        else:
            found = find(token.text, script, at, end, is_open)
            if found < 0:
                return None

            chunks.append(Chunk(token.start, found, len(token.text)))
            at, is_open = found + len(token.text), False

    return MatchedChunks(chunks, at, is_open)


def find(word: str, script: str, at: int, end: int, is_open: bool) -> int:
    """Return where a word is: next, but for space, or anywhere behind a gap; -1 for nowhere."""
    if is_open:
        return script.find(word, at, end)

    space = SPACE.match(script, at, end)
    start = space.end() if space is not None else at
    return start if script.startswith(word, start, end) else -1


def tokens_of(text: str, start: int, end: int) -> list[Token]:
    """Return the plain words, gaps and branches of a part of a template, in order."""
    whole: list[Token] = []
    lists = [whole]
    opened: list[Branches] = []
    at = start
    for tag in TAG.finditer(text, start, end):
        lists[-1] += words_of(text, at, tag.start())
        at = tag.end()
        word = tag["word"] or ""
        if tag[0].startswith("{{"):
            lists[-1].append(Gap())
        elif word == "if":
            opened.append(Branches([[]]))
            lists[-1].append(opened[-1])
            lists.append(opened[-1].several[0])
        elif word in ("elif", "else") and opened:
            opened[-1].several.append([])
            lists[-1] = opened[-1].several[-1]
        elif word == "endif" and opened:
            opened.pop()
            lists.pop()

    lists[-1] += words_of(text, at, end)
    return whole


def words_of(text: str, start: int, end: int) -> Iterator[Word]:
    """Yield the words of a plain text."""
    return (Word(found[0], found.start()) for found in CHUNK.finditer(text, start, end))
