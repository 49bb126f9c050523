"""The parts of a file that are not SQL, written over so that every offset stays.

    select {{ cents('a') }} as x {% if y %} … {% endif %}
    select j______________ as x              …

A value of a template stands for an expression or a name, so it becomes one word. A tag stands for
nothing, so it becomes spaces; an edit must not cut through it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lineal.extract.sql.removals.edits import Cut

JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
BLOCK = re.compile(r"^(?:config|js|pre_operations|post_operations|input\s+\S+)\s*\{", re.MULTILINE)
"""The blocks of SQLX that are not its query."""
SQLX = ".sqlx"


class Template(NamedTuple):
    """A text whose template parts are written over."""

    masked: str
    tags: tuple[Cut, ...]
    """`{% if x %}` and the like: parts that decide whether the text around them counts"""
    parts: tuple[tuple[Cut, str], ...]
    """all template parts with their texts: configuration, calls, hooks, tags"""

    def cuts_tag(self, cut: Cut) -> bool:
        """Tell whether a cut touches a tag."""
        return any(cut.start < tag.end and tag.start < cut.end for tag in self.tags)

    def says(self, word: str) -> list[Cut]:
        """Return the template parts that have a word; a comment says nothing."""
        spoken = (part for part in self.parts if not part[1].startswith("{#"))
        return [cut for cut, text in spoken if has_word(text, word)]


def has_word(text: str, word: str) -> bool:
    """Tell whether a text has a word of its own, whatever its case."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) is not None


def read_template(text: str, file: str) -> Template:
    """Return a text with its template parts written over."""
    parts = list(_parts(text, file))
    masked = list(text)
    for cut, is_value in parts:
        filler = "_" if is_value else " "
        masked[cut.start : cut.end] = filler * (cut.end - cut.start)
        if is_value:
            masked[cut.start] = "j"

    tags = tuple(cut for cut, _ in parts if text.startswith("{%", cut.start))
    said = tuple((cut, text[cut.start : cut.end]) for cut, _ in parts)
    return Template("".join(masked), tags, said)


def _parts(text: str, file: str) -> Iterator[tuple[Cut, bool]]:
    """Yield the template parts of a text, and whether each stands for a value."""
    if file.lower().endswith(SQLX):
        yield from _sqlx_parts(text)
        return

    for found in JINJA.finditer(text):
        stands_alone = re.match(r"\{\{-?\s*config\s*\(", found[0]) is not None
        yield Cut(*found.span()), found[0].startswith("{{") and not stands_alone


def _sqlx_parts(text: str) -> Iterator[tuple[Cut, bool]]:
    """Yield the blocks and the `${…}` of SQLX."""
    done = 0
    for found in BLOCK.finditer(text):
        if found.start() >= done:
            done = _closing_brace(text, found.end() - 1)
            yield Cut(found.start(), done), False

    for found in re.finditer(r"\$\{", text):
        if found.start() >= done:
            done = _closing_brace(text, found.end() - 1)
            yield Cut(found.start(), done), True


def _closing_brace(text: str, opening: int) -> int:
    """Return the offset behind the brace that closes another one."""
    depth = 0
    for found in re.compile(r"[{}]").finditer(text, opening):
        depth += 1 if found[0] == "{" else -1
        if not depth:
            return found.end()

    return len(text)
