"""Jinja in a text that nobody has rendered: names are taken from it, and nothing of it is read as
SQL by accident.

    {{ ref('x') }}, {{ source('a', 'b') }}      the tables x and a.b
    {{ config(…) }}, {# … #}, {% set … %}       say nothing about data: left out
    {{ rate }}, {{ var('day') }}                a value, or a part of a name
    {% if … %} … {% endif %}                    a statement that is only known when it is rendered:
    not read

Every character keeps its place. SQL's own strings and comments are known, so that `LIKE '{%'` is no
template.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property, lru_cache
from typing import NamedTuple

from lineal.extract.sql.dialects import parser_dialect
from lineal.model.late_pattern import late_pattern


class Expression(NamedTuple):
    """{{ … }}: its range, its content, and the name that it stands for."""

    start: int
    end: int
    content: str
    name: tuple[str, ...] = ()
    """('a', 'b') for source('a', 'b'); nothing where only rendering tells"""
    quoted: bool = False
    """it is in a string of SQL"""


class Unread(NamedTuple):
    """A statement that is only known when its template is rendered."""

    place: int
    """where its first template stands"""
    opening: str
    """how that begins: {% if %}"""


class Block(NamedTuple):
    """{% if … %} … {% endif %}: a part of the text that a tag decides about."""

    start: int
    end: int
    tag: int
    """where the tag stands"""
    word: str


class Template(NamedTuple):
    """A text with Jinja in it, and the SQL that is left to read."""

    text: str
    """the rest of the text, padded to its full length"""
    expressions: dict[int, Expression]
    """by where they start; without those that say nothing about data"""
    unread: list[Unread]

    says_more: bool
    """there is Jinja outside SQL's strings, too: inside them it means nothing"""

    @property
    def unknown(self) -> Expression | None:
        """The first part of the statements that are read of which only rendering tells what it is."""
        return next(
            (each for each in self.expressions.values() if not each.name and not each.quoted), None
        )


MARKS = ("{{", "{%", "{#")


def is_template(text: str) -> bool:
    """A glance, since hardly any text is one."""
    return "{" in text and any(mark in text for mark in MARKS)


@lru_cache(maxsize=16)
def template_of(text: str, dialect: str) -> Template | None:
    """Return the template of a text with Jinja; None for a text without."""
    if not is_template(text):
        return None

    scan = Scan(text, dialect)
    scan.walk()
    if scan.found or scan.expressions:
        return scan.template()

    return None


# -- names -----------------------------------------------------------------------------------------

STRING = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""
CALL = late_pattern(
    rf"(?:builtins\s*\.\s*)?(ref|source)\s*\(\s*({STRING})\s*(?:,\s*({STRING})\s*)?"
    rf"(?:,\s*v(?:ersion)?\s*=\s*({STRING}|\d+)\s*)?,?\s*\)",
    re.DOTALL,
)
"""ref('x'), ref('package', 'x'), ref('x', v=2), source('a', 'b')"""
SILENT = late_pattern(r"(?:config|log|print|debug|set_sql_header)\s*\(.*\)", re.DOTALL)
"""Calls that are rendered to nothing."""


def name_in(content: str) -> tuple[str, ...]:
    """The name of the table that an expression stands for; nothing where only rendering tells."""
    call = CALL.fullmatch(content)
    if call is None:
        return ()

    first, second, version = call[2][1:-1], (call[3] or "")[1:-1], (call[4] or "").strip("'\"")
    if call[1] == "source":
        if second and not version:
            return (first, second)

        return ()

    return (f"{second or first}_v{version}" if version else second or first,)


OF_DBT = re.compile(
    r"\{[{%][^{}]*?\b(?:(?:ref|source|config|var|env_var|is_incremental)\s*\(|(?:target|adapter)\.|this\b|dbt_\w+\.)"
)
"""{{ ref('x') }}, {{ var('day') }}, {% if is_incremental() %}"""
OF_AIRFLOW = re.compile(
    r"\{[{%][^{}]*?\b(?:ds(?:_nodash)?\b|ts(?:_nodash)?\b|(?:params|macros|ti|task|dag|dag_run|conn)[.\[]|var\.(?:value|json)"
    r"|(?:next_|prev_)?(?:ds|execution_date|logical_date)\b|data_interval_(?:start|end)\b)"
)
"""{{ ds }}, {{ params.table }}, {{ var.value.bucket }}"""
ADVICE = (
    (
        OF_DBT,
        "Name the folder of the dbt project to have its templates rendered: lineal lineage PROJECT.",
    ),
    (
        OF_AIRFLOW,
        "Give the value in `params` of the operator that runs this file, or take the lineage of a run: a query log.",
    ),
)
"""The remedy for a template, by the tool that would render it."""


def advice_about(text: str) -> str:
    """Return what a reader can do about a template that was not rendered; '' if no tool is known."""
    return next((advice for words, advice in ADVICE if words.search(text)), "")


# -- tags ------------------------------------------------------------------------------------------

TAG = late_pattern(r"\{%[-+]?\s*(\w+)")
DEFINING = frozenset(("macro", "test", "data_test", "materialization", "docs", "set"))
"""The words between such a tag and its end do not belong to the text."""
INLINE = frozenset(("set", "do", "import", "from", "snapshot", "endsnapshot", "raw", "endraw"))
"""Tags that leave the text around them as it is."""
OPENING = frozenset(("if", "for", "call", "filter", "block", "with", "autoescape", "trans"))
"""Tags that decide whether the words before their end are used."""
INSERTING = frozenset(("include", "extends"))
CONTROL = OPENING | {f"end{word}" for word in OPENING} | {"elif", "else"} | INSERTING
TAGS = DEFINING | INLINE | CONTROL | {f"end{word}" for word in DEFINING}
INSIDE = late_pattern(rf"{STRING}|[{{}}]|%\}}", re.DOTALL)
DEEPEST = 20
"""Braces of an expression are nested at most so deep: deeper ones are not a template."""
RAW_END = late_pattern(r"\{%[-+]?\s*endraw\s*[-+]?%\}")


# -- SQL -------------------------------------------------------------------------------------------

NEXT = late_pattern(r"\{[{%#]|--|/\*|['\"`;]")
"""The characters at which the text may change its meaning."""


class Scan:
    """A walk through a text: its Jinja, its strings and comments, and where its statements end."""

    def __init__(self, text: str, dialect: str) -> None:
        """Start scanning a template at its first character."""
        self.source = text
        self.characters = list(text)
        self.escapes = "\\" in parser_dialect(dialect).tokenizer_class.STRING_ESCAPES
        self.expressions: list[Expression] = []
        self.ends: list[int] = []
        self.control: list[Block] = []
        self.opened: list[tuple[int, str]] = []
        self.raw_until = 0
        self.last_comment = text.rfind("#}")
        self.pairs: dict[str, dict[int, int]] = {}
        self.found = False

    def walk(self) -> None:
        """Find every tag and expression."""
        at = 0
        while (match := NEXT.search(self.source, at)) is not None:
            at = self.step(match[0], match.start())

        for start, word in self.opened:  # never closed: it costs its own statement
            end = next((end for end in self.ends if end > start), len(self.source))
            self.control.append(Block(start, end, start, word))

    def step(self, mark: str, at: int) -> int:
        """Read the tag, string or comment that begins here, and return where it ends."""
        if mark in MARKS:
            return self.jinja(at) or at + 2

        if mark == ";":
            self.ends.append(at)
            return at + 1

        if mark == "--":
            return self.after("\n", at)

        if mark == "/*":
            return self.after("*/", at + 2)

        return self.string(mark, at)

    def after(self, end: str, at: int) -> int:
        """Return the position behind the next occurrence of a text."""
        found = self.source.find(end, at)
        if found >= 0:
            return found + len(end)

        return len(self.source)

    def string(self, quote: str, at: int) -> int:
        """Read a string.

        '{{ var('x') }}'      what stands in braces may have quotes of its own
        """
        position = at + 1
        while position < len(self.source):
            character = self.source[position]
            if character == quote:
                return position + 1

            if character == "\\" and self.escapes and quote != "`":
                position += 2
            elif character == "{" and (after := self.jinja(position, quote)):
                position = after
            else:
                position += 1

        return at + 1  # never closed: whatever it is, it is no string

    # -- Jinja -------------------------------------------------------------------------------------

    def jinja(self, at: int, quote: str = "") -> int:
        """Where an expression, a tag or a comment ends that starts here; 0 if none does. `quote` is
        the string's.
        """
        mark = self.source[at : at + 2]
        if at < self.raw_until:
            return 0

        if mark == "{{":
            return self.expression(at, quote)

        if mark == "{%":
            return self.tag(at)

        if mark == "{#" and not quote and at < self.last_comment:
            return self.leave_out(at, self.after("#}", at))

        return 0

    def end_of(self, at: int, closing: str) -> int:
        """Find the end of an expression.

        {{ f({'a': {'b': 1}}) }}

        where the braces are closed, outside strings; 0 if they are not
        """
        depth = 0
        position = at + 2
        while (match := INSIDE.search(self.source, position)) is not None:
            found = match[0]
            if depth == 0 and self.source.startswith(closing, match.start()):
                return match.start() + 2

            depth += (found == "{") - (found == "}")
            if not 0 <= depth <= DEEPEST:
                return 0

            position = match.end()

        return 0

    def expression(self, at: int, quote: str) -> int:
        """Read an expression."""
        end = self.end_of(at, "}}")
        if not end:
            return 0

        content = self.source[at + 2 : end - 2].strip("+-").strip()
        if quote:
            return self.quoted_expression(at, end, content, quote)

        if SILENT.fullmatch(content):
            return self.leave_out(at, end)

        self.found = True
        self.expressions.append(Expression(at, end, content, name_in(content)))
        for position in range(at + 2, end - 2):
            if self.characters[position] not in "\r\n":
                self.characters[position] = "x"

        return end

    def quoted_expression(self, at: int, end: int, content: str, quote: str) -> int:
        """Read an expression inside a string.

        '{{ var('day') }}'      a part of the string, whose quotes must not end it
        """
        if "{{" in content:
            return 0

        self.expressions.append(Expression(at, end, content, quoted=True))
        other = "'" if quote != "'" else '"'
        for position in range(at + 2, end - 2):
            if self.characters[position] == quote:
                self.characters[position] = other

        return end

    def tag(self, at: int) -> int:
        """Read a tag.

        {% if a %}; LIKE '{%' is no tag, and neither is {%x
        """
        match = TAG.match(self.source, at)
        end = self.end_of(at, "%}") if match is not None and match[1] in TAGS else 0
        if match is None or not end:
            return 0

        word = match[1]
        if word == "raw":
            return self.raw(at, end)

        if word in DEFINING and not (word == "set" and "=" in self.source[at:end]):
            end = self.ends_of(word).get(at, end)
        elif word in OPENING:
            self.opened.append((at, word))
        elif word in CONTROL:
            self.control_at(at, end, word)

        return self.leave_out(at, end)

    def control_at(self, at: int, end: int, word: str) -> None:
        """Read a control tag.

        {% endif %} closes {% if %}; {% else %} and {% include %} stand for themselves
        """
        start = at
        if word.startswith("end") and self.opened:
            start, word = self.opened.pop()

        self.control.append(Block(start, end, start, word))

    def ends_of(self, word: str) -> dict[int, int]:
        """Return where the blocks of a tag end.

        {% macro f() %} … {% endmacro %}

        where each tag of a word has its end, by where it starts
        """
        found = self.pairs.get(word)
        if found is not None:
            return found

        found = self.pairs[word] = {}
        opened: list[int] = []
        for match in re.compile(rf"\{{%[-+]?\s*(end)?{word}\b").finditer(self.source):
            end = self.end_of(match.start(), "%}")
            if match[1] is None:
                if word != "set" or "=" not in self.source[match.start() : end]:
                    opened.append(match.start())
            elif opened and end:
                found[opened.pop()] = end

        return found

    def raw(self, at: int, end: int) -> int:
        """Read a raw block.

        {% raw %} {{ no }} {% endraw %}      what stands inside is no template
        """
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

    # -- the result --------------------------------------------------------------------------------

    def template(self) -> Template:
        """Build the template that was found."""
        unread = [found for span in self.statements() if (found := self.unread(*span)) is not None]
        text = "".join(self.characters)
        shown = {each.start: each for each in self.expressions if text.startswith("{{", each.start)}
        return Template(text, shown, unread, self.found)

    def statements(self) -> list[tuple[int, int]]:
        """Return the statements, from one semicolon to the next, without the blanks around them."""
        found = []
        start = 0
        for end in (*self.ends, len(self.source)):
            written = "".join(self.characters[start:end])
            if left := written.strip():
                first = start + written.index(left)
                found.append((first, first + len(left)))

            start = end + 1

        return found

    def unread(self, first: int, last: int) -> Unread | None:
        """Leave a statement out of which a tag decides a part, or that is nothing but an
        expression.
        """
        near = bisect_left(self.blocks, (last,)) - 1
        block = self.blocks[near] if near >= 0 and self.blocks[near].end > first else None
        start = bisect_left(self.expressions, (first,))
        whole = self.expressions[start] if start < len(self.expressions) else None
        if block is not None:
            self.leave_out(first, last)
            return Unread(max(block.tag, first), f"{{% {block.word} %}}")

        if whole is not None and (whole.start, whole.end) == (first, last):
            self.leave_out(first, last)
            return Unread(first, f"{{{{ {shorten_text(whole.content)} }}}}")

        return None

    @cached_property
    def blocks(self) -> list[Block]:
        """Return the blocks that tags control, in order; a block inside another is a part of
        that.
        """
        found: list[Block] = []
        for block in sorted(map(self.spread, self.control)):
            if not found or block.start >= found[-1].end:
                found.append(block)

        return found

    def spread(self, block: Block) -> Block:
        """Return the extent of a tag that may be any part of a statement.

        {% include 'x' %}      may be any part of its statement
        """
        if block.word not in INSERTING:
            return block

        number = bisect_left(self.ends, block.start)
        start = self.ends[number - 1] + 1 if number else 0
        return block._replace(
            start=start, end=self.ends[number] if number < len(self.ends) else len(self.source)
        )


LONGEST = 40


def shorten_text(content: str) -> str:
    """Return a text on one line, cut to a readable length."""
    words = " ".join(content.split())
    if len(words) <= LONGEST:
        return words

    return f"{words[: LONGEST - 1]}…"
