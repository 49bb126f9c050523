"""The text of a file and the text that was read from it: which part is which.

    select {{ cents('amount') }} as amount      the file
    select amount / 100.0 as amount             what was read: only ` as amount` and `select ` are both

An offset in a macro's text, or in a loop's, has no counterpart: there an editor changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import accumulate
from typing import NamedTuple

from lineal.service.editor.loops import loops_in, rounds_of
from lineal.service.editor.positions import Text

WORD = re.compile(r"\w+")
TAG = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.S)
MARKS = ("{{", "{%", "{#", "}}", "%}", "#}")
MOST_LINES = 5_000
"""Longer texts whose lines do not correspond one by one are not compared."""


class Segment(NamedTuple):
    """A stretch that both texts have."""

    file: int
    script: int
    length: int


class Alignment:
    """Which offsets of a file are which offsets of the text that was read from it.

    Alignment(file, script).to_file(7, 13)      the same stretch in the file, or None
    """

    def __init__(self, file: str, script: str, line: int = 1, is_in_place: bool = False) -> None:
        self.file = file
        self.script = script
        if is_in_place:
            self.segments = list(words_in_place(file, script, line))
        elif file == script:
            self.segments = [Segment(0, 0, len(file))]
        else:
            self.segments = list(join_segments(align(file, script, line)))
            self.segments = with_loops(self.segments, file, script, line)

    def to_file(self, start: int, end: int) -> tuple[int, int] | None:
        """Return where a stretch of the script is in the file."""
        for segment in self.segments:
            if segment.script <= start and end <= segment.script + segment.length:
                moved = segment.file - segment.script
                return start + moved, end + moved

        return None

    def to_script(self, offset: int) -> int | None:
        """Return where an offset of the file is in the script."""
        for segment in self.segments:
            if segment.file <= offset <= segment.file + segment.length:
                return offset + segment.script - segment.file

        return None

    def near(self, offset: int) -> int:
        """Return the offset of the file that is nearest to one of the script."""
        best = 0
        for segment in self.segments:
            if segment.script > offset:
                break

            best = segment.file + min(offset - segment.script, segment.length)

        return best

    def patch(self, file: str) -> str | None:
        """Return the script of an edited file; None if an edit touches more than plain text.

        select amount from {{ ref('orders') }}      amount was typed: the script changes there, too
        select {{ cents('a') }}                     a was typed: only rendering tells the result
        """
        changes: list[tuple[int, int, str]] = []
        for start, end, new in edits_between(self.file, file):
            spans = self.to_script_spans(start, end)
            if not spans or any(mark in new for mark in MARKS):
                return None

            changes += [(*span, new) for span in spans]

        script = self.script
        for first, last, new in sorted(changes, reverse=True):
            script = script[:first] + new + script[last:]

        return script

    def to_script_spans(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return where a stretch of the file is in the script: in a loop, once per round.

        There is none inside a tag.
        """
        if is_in_tag(self.file, start):
            return []

        inside = [
            segment.script - segment.file
            for segment in self.segments
            if segment.file <= start and end <= segment.file + segment.length
        ]
        is_repeated = any(loop.body <= start < loop.body_end for loop in loops_in(self.file))
        moved = inside if is_repeated else inside[:1]
        return list(dict.fromkeys((start + each, end + each) for each in moved))


def edits_between(before: str, after: str) -> list[tuple[int, int, str]]:
    """Return the stretches of a text that were replaced, and by what; lines that stay are between.

    "a b\nc\nd", "a x\nc\ny"      (2, 3, "x"), (6, 7, "y")
    """
    start, end, new = edit_between(before, after)
    if "\n" not in before[start:end] or before.count("\n") > MOST_LINES:
        return [(start, end, new)]

    old, fresh = before.splitlines(keepends=True), after.splitlines(keepends=True)
    offsets = list(accumulate(map(len, old), initial=0))
    found = []
    for tag, one, two, three, four in SequenceMatcher(None, old, fresh, False).get_opcodes():
        if tag != "equal":
            first, last, text = edit_between("".join(old[one:two]), "".join(fresh[three:four]))
            found.append((offsets[one] + first, offsets[one] + last, text))

    return found


def edit_between(before: str, after: str) -> tuple[int, int, str]:
    """Return the shortest stretch of a text that was replaced, and by what.

    "select a from t", "select ab from t"      (8, 8, "b")
    """
    most = min(len(before), len(after))
    start = 0
    while start < most and before[start] == after[start]:
        start += 1

    tail = 0
    while tail < most - start and before[-1 - tail] == after[-1 - tail]:
        tail += 1

    return start, len(before) - tail, after[start : len(after) - tail]


def is_in_tag(text: str, offset: int) -> bool:
    """Tell whether an offset is inside a tag, or of one that is not closed yet."""
    opened = max(text.rfind(mark, 0, offset) for mark in MARKS[:3])
    closed = max(text.rfind(mark, 0, offset) for mark in MARKS[3:])
    return opened > closed


# -- word by word --------------------------------------------------------------------------------------


def words_in_place(file: str, script: str, line: int) -> Iterator[Segment]:
    """Yield the words of a script that its file has at the same line and column.

    expr: amount * 2      in YAML; the script has `amount * 2` at the same place, in a SELECT
    """
    theirs, mine = Text(file), Text(script)
    for word in WORD.finditer(script):
        position = mine.position(word.start())
        number = position["line"] + line - 1
        column = word.start() - mine.start_of(position["line"])
        if WORD.match(theirs.line(number), column, column + len(word[0]) + 1) and (
            theirs.line(number)[column : column + len(word[0])] == word[0]
        ):
            yield Segment(theirs.start_of(number) + column, word.start(), len(word[0]))


# -- line by line ----------------------------------------------------------------------------------


class Line(NamedTuple):
    """A line with its offset, and the pieces of it that no tag covers."""

    start: int
    text: str
    pieces: tuple[tuple[int, str], ...]
    is_plain: bool


def align(file: str, script: str, line: int) -> Iterator[Segment]:
    """Yield the stretches that both texts have, line by line.

    {{ config(…) }}      no counterpart
    select amount        the same line of the script
    """
    tags = [found.span() for found in TAG.finditer(file)]
    theirs = list(lines_of(file, tags))[line - 1 :]
    mine = list(lines_of(script, []))
    for here, there in pair_lines([each.text for each in theirs], [each.text for each in mine]):
        yield from match_line(theirs[here], mine[there])


def with_loops(segments: list[Segment], file: str, script: str, line: int) -> list[Segment]:
    """Return segments in which the bodies of loops are found in each of their rounds.

    A loop whose rounds are not found keeps the segments that it has.
    """
    if "{%" not in file:
        return segments

    mine = Text(script)
    theirs = Text(file)
    for loop in loops_in(file):
        first = theirs.position(loop.start)["line"] - line + 1
        last = theirs.position(loop.end)["line"] - line + 1
        if not 0 <= first <= last < len(mine.starts):
            continue

        start, end = mine.start_of(first), mine.start_of(last) + len(mine.line(last))
        found = [Segment(*chunk) for chunk in rounds_of(file, loop, script, start, end)]
        if found:
            kept = [each for each in segments if not loop.body <= each.file < loop.body_end]
            segments = [*kept, *found]

    return sorted(segments, key=lambda each: each.script)


def join_segments(segments: Iterator[Segment]) -> Iterator[Segment]:
    """Yield segments; those that follow each other in both texts are one, with the line end
    between.

    two lines that follow each other in both texts are one stretch
    """
    last: Segment | None = None
    for segment in segments:
        if last is not None:
            gap = segment.file - last.file - last.length
            if gap in (0, 1) and segment.script - last.script - last.length == gap:
                last = Segment(last.file, last.script, last.length + gap + segment.length)
                continue

            yield last

        last = segment

    if last is not None:
        yield last


def lines_of(text: str, tags: list[tuple[int, int]]) -> Iterator[Line]:
    """Yield the lines of a text with their plain pieces."""
    start = 0
    waiting = list(tags)
    for text_line in text.split("\n"):
        end = start + len(text_line)
        while waiting and waiting[0][1] <= start:
            waiting.pop(0)

        inside = [span for span in waiting if span[0] < end]
        yield Line(start, text_line, tuple(pieces_of(text, start, end, inside)), not inside)
        start = end + 1


def pieces_of(
    text: str, start: int, end: int, tags: list[tuple[int, int]]
) -> Iterator[tuple[int, str]]:
    """Yield the parts of a line that no tag covers, without the space around them.

    coalesce({{ x }}, 0) as total      `coalesce(` and `, 0) as total`
    """
    for begin, stop in [*tags, (end, end)]:
        piece = text[start : max(start, min(begin, end))]
        bare = piece.strip()
        if bare:
            yield start + piece.index(bare), bare

        start = min(max(stop, start), end)


def pair_lines(theirs: list[str], mine: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the lines of two texts that belong together."""
    if len(theirs) == len(mine) or max(len(theirs), len(mine)) > MOST_LINES:
        yield from zip(range(len(theirs)), range(len(mine)), strict=False)
        return

    here = there = 0
    matcher = SequenceMatcher(lambda text: not text.strip(), theirs, mine, False)
    for block in matcher.get_matching_blocks():
        gap = range(here, block.a), range(there, block.b)
        yield from zip(*gap, strict=False)
        yield from zip(
            range(block.a, block.a + block.size), range(block.b, block.b + block.size), strict=True
        )
        here, there = block.a + block.size, block.b + block.size


def match_line(file: Line, script: Line) -> Iterator[Segment]:
    """Yield the stretches that a line of the file and one of the script share.

    from {{ ref('orders') }} as o      `from` and `as o`
    """
    if file.text == script.text:
        yield Segment(file.start, script.start, len(file.text))
    elif file.is_plain:
        yield from match_part(file, script)
    elif file.pieces:
        yield from match_pieces(file, script)


def match_part(file: Line, script: Line) -> Iterator[Segment]:
    """Yield where a line of the script is part of a line of the file: SQL in a string of Python.

    spark.sql("select a from t")      select a from t
    """
    bare = script.text.strip()
    if bare and file.text.count(bare) == 1:
        inside = script.text.index(bare)
        yield Segment(file.start + file.text.index(bare), script.start + inside, len(bare))


def match_pieces(file: Line, script: Line) -> Iterator[Segment]:
    """Yield the pieces between tags, as far as there is only one way to find them."""
    ways = [pieces_pattern(file, gap).fullmatch(script.text) for gap in (".*?", ".*")]
    starts = [[each.start(n + 1) for n in range(len(file.pieces))] for each in ways if each]
    for (start, piece), *found in zip(file.pieces, *starts, strict=True):
        if len(set(found)) == 1:
            yield Segment(start, script.start + found[0], len(piece))


def pieces_pattern(line: Line, gap: str) -> re.Pattern[str]:
    """Return the pattern of what a line may have become: its pieces, with anything for the tags."""
    between = [f"({re.escape(piece)})" for _, piece in line.pieces]
    first, last = line.pieces[0], line.pieces[-1]
    head = line.text[: first[0] - line.start].strip()
    tail = line.text[last[0] + len(last[1]) - line.start :].strip()
    return re.compile(
        (gap if head else r"\s*") + gap.join(between) + (gap if tail else r"\s*"), re.S
    )
