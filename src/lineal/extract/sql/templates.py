"""Jinja in a text that nobody has rendered: names are taken from it, and nothing of it is read as SQL by accident.

    {{ ref('x') }}, {{ source('a', 'b') }}      the tables x and a.b
    {{ config(…) }}, {# … #}, {% set … %}       say nothing about data: left out
    {{ rate }}, {{ var('day') }}                a value, or a part of a name
    {% if … %} … {% endif %}                    a statement that is only known when it is rendered: not read

Every character keeps its place. SQL's own strings and comments are known, so that `LIKE '{%'` is no template.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from lineal.extract.sql.dialects import parser_dialect


class Expression(NamedTuple):
    """{{ … }}: where it is, what is in it, and the name that it stands for."""

    start: int
    end: int
    content: str
    name: tuple[str, ...] = ()
    """('a', 'b') for source('a', 'b'); nothing where only rendering tells"""
    quoted: bool = False
    """it stands in a string of SQL"""


class Unread(NamedTuple):
    """A statement that is only known when its template is rendered."""

    place: int
    """where its first template stands"""
    opening: str
    """how that begins: {% if %}"""


class Template(NamedTuple):
    """A text with Jinja in it, and what was made of that."""

    text: str
    """what is left to be read: as long as the text itself"""
    expressions: dict[int, Expression]
    """by where they start; without those that say nothing about data"""
    unread: list[Unread]

    @property
    def unknown(self) -> Expression | None:
        """The first part of the statements that are read of which only rendering tells what it is."""
        return next((each for each in self.expressions.values() if not each.name), None)


MARKS = ("{{", "{%", "{#")


def is_template(text: str) -> bool:
    """A glance, since hardly any text is one."""
    return "{" in text and any(mark in text for mark in MARKS)


@lru_cache(maxsize=16)
def template_of(text: str, dialect: str) -> Template | None:
    """What a text with Jinja says; None for a text without."""
    if not is_template(text):
        return None
    scan = Scan(text, dialect)
    scan.walk()
    return scan.template() if scan.found else None


# -- names ---------------------------------------------------------------------------------------------------------

STRING = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""
CALL = re.compile(
    rf"(?:builtins\s*\.\s*)?(ref|source)\s*\(\s*({STRING})\s*(?:,\s*({STRING})\s*)?"
    rf"(?:,\s*v(?:ersion)?\s*=\s*({STRING}|\d+)\s*)?,?\s*\)",
    re.DOTALL,
)
"""ref('x'), ref('package', 'x'), ref('x', v=2), source('a', 'b')"""
SILENT = re.compile(r"(?:config|log|print|debug|set_sql_header)\s*\(.*\)", re.DOTALL)
"""Calls that are rendered to nothing."""


def name_in(content: str) -> tuple[str, ...]:
    """The name of the table that an expression stands for; nothing where only rendering tells."""
    call = CALL.fullmatch(content)
    if call is None:
        return ()
    first, second, version = call[2][1:-1], (call[3] or "")[1:-1], (call[4] or "").strip("'\"")
    if call[1] == "source":
        return (first, second) if second and not version else ()
    return (f"{second or first}_v{version}" if version else second or first,)


# -- tags ----------------------------------------------------------------------------------------------------------

TAG = re.compile(r"\{%[-+]?\s*(\w+)")
DEFINING = frozenset(("macro", "test", "data_test", "materialization", "docs", "set"))
"""What stands between such a tag and its end is not a part of the text."""
INLINE = frozenset(("set", "do", "import", "from", "snapshot", "endsnapshot", "raw", "endraw"))
"""Tags that leave the text around them as it is."""
OPENING = frozenset(("if", "for", "call", "filter", "block", "with", "autoescape", "trans"))
"""Tags that decide what stands between them and their end."""
CONTROL = OPENING | {f"end{word}" for word in OPENING} | {"elif", "else", "include", "extends"}
TAGS = DEFINING | INLINE | CONTROL | {f"end{word}" for word in DEFINING}
INSIDE = re.compile(rf"{STRING}|[{{}}]|%\}}", re.DOTALL)
RAW_END = re.compile(r"\{%[-+]?\s*endraw\s*[-+]?%\}")


# -- SQL -----------------------------------------------------------------------------------------------------------

NEXT = re.compile(r"\{[{%#]|--|/\*|['\"`;]")
"""What the text may change its meaning at."""


class Scan:
    """A walk through a text: its Jinja, its strings and comments, and where its statements end."""

    def __init__(self, text: str, dialect: str) -> None:
        self.source = text
        self.characters = list(text)
        self.escapes = "\\" in parser_dialect(dialect).tokenizer_class.STRING_ESCAPES
        self.expressions: list[Expression] = []
        self.ends: list[int] = []
        self.control: list[tuple[int, int, str]] = []
        """the parts of the text that a tag decides about, with the tag's word"""
        self.opened: list[tuple[int, str]] = []
        self.raw_until = 0
        self.found = False

    def walk(self) -> None:
        at = 0
        while (match := NEXT.search(self.source, at)) is not None:
            at = self.step(match[0], match.start())
        for start, word in self.opened:  # never closed: it costs its own statement
            end = next((end for end in self.ends if end > start), len(self.source))
            self.control.append((start, end, word))

    def step(self, mark: str, at: int) -> int:
        """What begins here, and where it ends."""
        if mark in MARKS:
            return self.jinja(at, quoted=False) or at + 2
        if mark == ";":
            self.ends.append(at)
            return at + 1
        if mark == "--":
            return self.after("\n", at)
        if mark == "/*":
            return self.after("*/", at + 2)
        return self.string(mark, at)

    def after(self, end: str, at: int) -> int:
        found = self.source.find(end, at)
        return found + len(end) if found >= 0 else len(self.source)

    def string(self, quote: str, at: int) -> int:
        """'{{ var('x') }}'      what stands in braces may have quotes of its own"""
        position = at + 1
        while position < len(self.source):
            character = self.source[position]
            if character == quote:
                return position + 1
            if character == "\\" and self.escapes and quote != "`":
                position += 2
            elif character == "{" and (after := self.jinja(position, quoted=True)):
                position = after
            else:
                position += 1
        return at + 1  # never closed: whatever it is, it is no string

    # -- Jinja -----------------------------------------------------------------------------------------------------

    def jinja(self, at: int, quoted: bool) -> int:
        """Where an expression, a tag or a comment ends that starts here; 0 if none does."""
        mark = self.source[at : at + 2]
        if at < self.raw_until:
            return 0
        if mark == "{{":
            return self.expression(at, quoted)
        if mark == "{%":
            return self.tag(at, quoted)
        if mark == "{#" and not quoted and "#}" in self.source[at:]:
            return self.leave_out(at, self.after("#}", at))
        return 0

    def end_of(self, at: int, closing: str) -> int:
        """{{ f({'a': {'b': 1}}) }}      where the braces are closed, outside of strings; 0 if they are not"""
        depth = 0
        position = at + 2
        while (match := INSIDE.search(self.source, position)) is not None:
            found = match[0]
            if depth == 0 and self.source.startswith(closing, match.start()):
                return match.start() + 2
            depth += (found == "{") - (found == "}")
            if depth < 0:
                return 0
            position = match.end()
        return 0

    def expression(self, at: int, quoted: bool) -> int:
        end = self.end_of(at, "}}")
        if not end:
            return 0
        content = self.source[at + 2 : end - 2].strip("+-").strip()
        if SILENT.fullmatch(content) and not quoted:
            return self.leave_out(at, end)
        self.found = True
        name = () if quoted else name_in(content)
        self.expressions.append(Expression(at, end, content, name, quoted))
        for position in range(at + 2, end - 2):
            if self.characters[position] not in "\r\n":
                self.characters[position] = "x"
        return end

    def tag(self, at: int, quoted: bool) -> int:
        """{% if a %}; LIKE '{%' is no tag, and neither is {%x"""
        match = TAG.match(self.source, at)
        end = self.end_of(at, "%}") if match is not None and match[1] in TAGS else 0
        if match is None or not end:
            return 0
        word = match[1]
        if word == "raw":
            return self.raw(at, end)
        if word in DEFINING and not (word == "set" and "=" in self.source[at:end]):
            end = self.closed(word, at, end)
        elif word in OPENING:
            self.opened.append((at, word))
        elif word in CONTROL:
            self.control_at(at, end, word)
        return self.leave_out(at, end)

    def control_at(self, at: int, end: int, word: str) -> None:
        """{% endif %} closes {% if %}; {% else %} and {% include %} stand for themselves"""
        start = at
        if word.startswith("end") and self.opened:
            start, word = self.opened.pop()
        self.control.append((start, end, word))

    def closed(self, word: str, at: int, end: int) -> int:
        """{% macro f() %} … {% endmacro %}      where it ends; the tag's own end, if it has no other"""
        depth = 0
        for match in re.finditer(rf"\{{%[-+]?\s*(end)?{word}\b", self.source[at:]):
            is_end = match[1] is not None
            inner = self.end_of(at + match.start(), "%}")
            if not inner or (word == "set" and not is_end and "=" in self.source[at + match.start() : inner]):
                continue
            depth += -1 if is_end else 1
            if depth == 0:
                return inner
        return end

    def raw(self, at: int, end: int) -> int:
        """{% raw %} {{ no }} {% endraw %}      what stands inside is no template"""
        closing = RAW_END.search(self.source, end)
        if closing is None:
            return self.leave_out(at, end)
        self.raw_until = closing.start()
        self.leave_out(closing.start(), closing.end())
        return self.leave_out(at, end)

    def leave_out(self, at: int, end: int) -> int:
        """Blanks instead of a part of the text, whose lines stay."""
        self.found = True
        for position in range(at, end):
            if self.characters[position] not in "\r\n":
                self.characters[position] = " "
        return end

    # -- the result ------------------------------------------------------------------------------------------------

    def template(self) -> Template:
        unread = [found for span in self.spans() if (found := self.unread(*span)) is not None]
        text = "".join(self.characters)
        shown = {each.start: each for each in self.expressions if text.startswith("{{", each.start)}
        return Template(text, shown, unread)

    def spans(self) -> Iterator[tuple[int, int]]:
        """The statements, from one semicolon to the next."""
        start = 0
        for end in (*self.ends, len(self.source)):
            yield start, end
            start = end + 1

    def unread(self, start: int, end: int) -> Unread | None:
        """Leave a statement out of which a tag decides a part, or that is nothing but an expression."""
        written = "".join(self.characters[start:end])
        left = written.strip()
        if not left:
            return None
        first = start + written.index(left)
        touching = [each for each in self.control if each[0] < first + len(left) and each[1] > first]
        inside = [each for each in self.expressions if start <= each.start < end and not each.quoted]
        alone = len(inside) == 1 and inside[0].end - inside[0].start == len(left)
        if not touching and not alone:
            return None
        self.leave_out(start, end)
        if touching:
            at, _, word = min(touching)
            return Unread(max(at, start), f"{{% {word} %}}")
        return Unread(inside[0].start, f"{{{{ {shortened(inside[0].content)} }}}}")


LONGEST = 40


def shortened(content: str) -> str:
    words = " ".join(content.split())
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"
