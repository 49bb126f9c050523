"""Mutants: a seed and the edits that were made to it. Hypothesis draws both, so that a finding
shrinks to few edits of a small seed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from hypothesis import strategies as st
from sqlglot.dialects.dialect import Dialects

from fuzz.seeds import Seed, seeds

DIALECTS = tuple(str(each.value) for each in Dialects)
PIECES = re.compile(r"\w+|\s+|.", re.DOTALL)
LONGEST = 60_000
"""Characters of a mutant: what is larger is about growth, which tests/test_growth.py counts."""

NASTY = (
    *"'\"`()[]{}<>;,.*+-/%=!@#$&|\\^~?:\n\t\r",
    *("''", '""', "--", "/*", "*/", "//", "$$", "$x$", "{{", "}}", "{%", "%}", "{#", "#}"),
    *(
        "${x}",
        ":x",
        "@x",
        "@@x",
        "%s",
        "?",
        "::",
        "->",
        "->>",
        "=>",
        "<=>",
        "||",
        ":=",
        "**",
        "\\N",
    ),
    *("\0", "\x1a", "\ufeff", "\u200b", "\u2028", "é", "中", "😀", "ﬁ", "İ", "\udcff", "\r\n"),
    *("0", "-1", "1e999", "9" * 400, "0x", "1_0", "1.", ".5", "x" * 300, "''''", "N'a'", "E'\\'"),
    *("NULL", "SELECT", "FROM", "AS", "WITH", "RECURSIVE", "UNION ALL", "JOIN", "LATERAL", "ON"),
    *("USING (a)", "WHERE", "GROUP BY", "ORDER BY", "OVER ()", "PARTITION BY", "PIVOT", "UNNEST"),
    *(
        "INSERT INTO",
        "UPDATE",
        "DELETE",
        "MERGE INTO",
        "CREATE VIEW v AS",
        "CREATE TABLE t",
        "ALTER",
    ),
    *(
        "DROP TABLE",
        "BEGIN",
        "END",
        "END IF",
        "IF",
        "THEN",
        "LOOP",
        "WHILE",
        "DECLARE",
        "SET",
        "CALL",
    ),
    *("EXEC", "RETURN", "CASE", "WHEN", "CAST(a AS", "INTERVAL", "VALUES", "(SELECT 1)", "EXISTS"),
    *(
        "STRUCT(",
        "ARRAY[",
        "MAP(",
        "x -> x",
        "*",
        "t.*",
        "* EXCEPT (a)",
        "COLUMNS('a')",
        "DISTINCT",
    ),
    *(
        "def f():",
        "class A:",
        "lambda x:",
        "for x in y:",
        "while True:",
        "if x:",
        "else:",
        "return",
    ),
    *("import x", "from x import *", "try:", "except:", "with x:", "async", "await x", "yield x"),
    *(
        "df",
        "spark",
        "F.col('a')",
        "self",
        "**x",
        "*x",
        "None",
        "True",
        "[x for x in y]",
        ":=",
        "@f",
    ),
    *(": ", "- ", "&a ", "*a ", "<<: *a", "!!python/object:os.system", "|\n", ">\n", "---\n", "? "),
    *(
        "null",
        "[]",
        "{}",
        "{{ ref('x') }}",
        "{% if x %}",
        "{% endif %}",
        "{{ x.y() }}",
        "{% for %}",
    ),
)
"""What is put between other words."""

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 10**30, 1.5, float("inf"), "", "x", "a.b", "\0", "\ud800", "é"),
    *([], {}, [None], [[]], {"": None}, {"a": {"b": []}}, "SELECT 1", "x" * 2000, "{{ x }}"),
    *(
        "2024-01-01T00:00:00Z",
        "-",
        "*",
        "'",
        '"',
        "../../x",
        "/dev/null",
        [1, "a", None],
        {"name": 1},
    ),
)
"""What a value of JSON or YAML is replaced with."""


class Edit(NamedTuple):
    """One change: what is done, and three numbers that say where, how much and with what."""

    kind: str
    where: int
    much: int
    what: int


@dataclass(frozen=True)
class Mutant:
    """A text that may be anything, in a format that lineal reads."""

    format: str
    seed: Seed
    text: str
    dialect: str = ""
    edits: tuple[Edit, ...] = ()
    view: int = 0
    """the number of the view that it is shown in"""

    @property
    def data(self) -> bytes:
        """The bytes of the file; what is no character stands for a byte that is no UTF-8."""
        return self.text.encode("utf-8", "surrogateescape")

    def __repr__(self) -> str:
        made = " ".join(
            f"{kind}({where}, {much}, {what})" for kind, where, much, what in self.edits
        )
        return f"{self.format} dialect={self.dialect!r} {self.seed!r} {made}\n{self.text}"


# -- edits of texts --------------------------------------------------------------------------------


def pieces_at(pieces: list[str], edit: Edit) -> slice:
    """The pieces that an edit is about: at least one, at most 30, where there are any."""
    start = edit.where % max(1, len(pieces))
    return slice(start, start + 1 + edit.much % 30)


def delete(pieces: list[str], edit: Edit, other: list[str]) -> None:
    del pieces[pieces_at(pieces, edit)]


def insert(pieces: list[str], edit: Edit, other: list[str]) -> None:
    pieces.insert(edit.where % (len(pieces) + 1), NASTY[edit.what % len(NASTY)])


def insert_spaced(pieces: list[str], edit: Edit, other: list[str]) -> None:
    pieces.insert(edit.where % (len(pieces) + 1), f" {NASTY[edit.what % len(NASTY)]} ")


def replace(pieces: list[str], edit: Edit, other: list[str]) -> None:
    found = pieces_at(pieces, edit._replace(much=0))
    pieces[found] = [NASTY[edit.what % len(NASTY)]]


def move(pieces: list[str], edit: Edit, other: list[str]) -> None:
    found = pieces_at(pieces, edit)
    moved = pieces[found]
    del pieces[found]
    at = edit.what % (len(pieces) + 1)
    pieces[at:at] = moved


def double(pieces: list[str], edit: Edit, other: list[str]) -> None:
    found = pieces_at(pieces, edit)
    pieces[found.start : found.start] = pieces[found]


def repeat(pieces: list[str], edit: Edit, other: list[str]) -> None:
    found = pieces_at(pieces, edit._replace(much=edit.much % 6))
    pieces[found] = pieces[found] * (2 + edit.what % 60)


def splice(pieces: list[str], edit: Edit, other: list[str]) -> None:
    at = edit.where % (len(pieces) + 1)
    pieces[at:at] = other[pieces_at(other, edit._replace(where=edit.what))]


def swap_with_other(pieces: list[str], edit: Edit, other: list[str]) -> None:
    found = pieces_at(pieces, edit)
    pieces[found] = other[pieces_at(other, edit._replace(where=edit.what))]


def wrap(pieces: list[str], edit: Edit, other: list[str]) -> None:
    found = pieces_at(pieces, edit)
    opening, closing = WRAPS[edit.what % len(WRAPS)]
    pieces[found] = [opening, *pieces[found], closing]


def truncate(pieces: list[str], edit: Edit, other: list[str]) -> None:
    del pieces[1 + edit.where % max(1, len(pieces)) :]


def change_case(pieces: list[str], edit: Edit, other: list[str]) -> None:
    found = pieces_at(pieces, edit)
    pieces[found] = [piece.swapcase() for piece in pieces[found]]


def other_word(pieces: list[str], edit: Edit, other: list[str]) -> None:
    """Put another word of either text in the place of a word: the syntax often survives."""
    words = [number for number, piece in enumerate(pieces) if WORD.match(piece)]
    strange = [piece for piece in (*pieces, *other) if WORD.match(piece)]
    if words and strange:
        pieces[words[edit.where % len(words)]] = strange[edit.what % len(strange)]


def groups_of(pieces: list[str]) -> list[slice]:
    """What is in parentheses, brackets or braces, without them."""
    opened: list[int] = []
    found = []
    for number, piece in enumerate(pieces):
        if piece in CLOSING:
            opened.append(number)
        elif opened and piece == CLOSING[pieces[opened[-1]]]:
            found.append(slice(opened.pop() + 1, number))
    return found


def other_group(pieces: list[str], edit: Edit, other: list[str]) -> None:
    """Put other arguments between a pair of parentheses: those of either text, or none."""
    groups = groups_of(pieces)
    strange = [[], *(pieces[each] for each in groups), *(other[each] for each in groups_of(other))]
    if groups:
        pieces[groups[edit.where % len(groups)]] = strange[edit.what % len(strange)]


def lines_in(pieces: list[str]) -> list[list[str]]:
    text = "".join(pieces)
    return [PIECES.findall(line) for line in text.splitlines(keepends=True)]


def delete_line(pieces: list[str], edit: Edit, other: list[str]) -> None:
    lines = lines_in(pieces)
    if lines:
        del lines[edit.where % len(lines)]
        pieces[:] = [piece for line in lines for piece in line]


def move_line(pieces: list[str], edit: Edit, other: list[str]) -> None:
    lines = lines_in(pieces)
    if lines:
        moved = lines[edit.where % len(lines)]
        if edit.much % 2:
            lines.remove(moved)
        lines.insert(edit.what % (len(lines) + 1), moved)
        pieces[:] = [piece for line in lines for piece in line]


def other_line(pieces: list[str], edit: Edit, other: list[str]) -> None:
    lines, strange = lines_in(pieces), lines_in(other)
    if strange:
        lines.insert(edit.where % (len(lines) + 1), strange[edit.what % len(strange)])
        pieces[:] = [piece for line in lines for piece in line]


WORD = re.compile(r"\w")
CLOSING = {"(": ")", "[": "]", "{": "}"}
WRAPS = (
    *(("(", ")"), ("[", "]"), ("{", "}"), ("'", "'"), ('"', '"'), ("`", "`"), ("$$", "$$")),
    *(("/*", "*/"), ("{{", "}}"), ("{%", "%}"), ("(SELECT ", ")"), ("CASE WHEN ", " END")),
    *(("BEGIN ", " END;"), ("IF ", " THEN "), ("EXECUTE IMMEDIATE '", "'"), ("lambda: ", "")),
    *(("STRUCT(", ")"), ("ARRAY(", ")"), ("CAST(", " AS INT)"), ("{", ": 1}"), ("f'{", "}'")),
    *(("WITH x AS (", ") SELECT * FROM x"), ("CREATE PROCEDURE p() AS BEGIN ", " END;")),
)
TEXT_EDITS: dict[str, Callable[[list[str], Edit, list[str]], None]] = {
    "delete": delete,
    "insert": insert,
    "insert_spaced": insert_spaced,
    "replace": replace,
    "move": move,
    "double": double,
    "repeat": repeat,
    "splice": splice,
    "swap_with_other": swap_with_other,
    "wrap": wrap,
    "truncate": truncate,
    "change_case": change_case,
    "other_word": other_word,
    "other_group": other_group,
    "delete_line": delete_line,
    "move_line": move_line,
    "other_line": other_line,
}
GENTLE = ("other_word", "other_group", "delete_line", "move_line", "other_line")
"""Edits after which a text is often still valid, and goes further than to the parser."""


def edit_text(text: str, edits: list[Edit], other: str) -> str:
    """A text after some edits."""
    pieces, strange = PIECES.findall(text), PIECES.findall(other)
    for edit in edits:
        before = list(pieces)
        TEXT_EDITS[edit.kind](pieces, edit, strange)
        if sum(map(len, pieces)) > LONGEST:
            pieces = before
    return "".join(pieces)


# -- edits of JSON ---------------------------------------------------------------------------------

Holder = tuple[Any, Any]
"""A list or mapping, and the place in it."""


def holders(document: Any) -> list[Holder]:
    """Every place of a document that has a value, the outermost first."""
    found: list[Holder] = []
    waiting = [document]
    while waiting:
        held = waiting.pop()
        if isinstance(held, dict):
            keys: list[Any] = list(held)
        elif isinstance(held, list):
            keys = list(range(len(held)))
        else:
            continue
        found += [(held, key) for key in keys]
        waiting += [held[key] for key in keys]
    return found


def drop_value(holder: Holder, edit: Edit, values: list[Any]) -> None:
    held, key = holder
    del held[key]


def set_value(holder: Holder, edit: Edit, values: list[Any]) -> None:
    held, key = holder
    held[key] = VALUES[edit.what % len(VALUES)]


def copy_value(holder: Holder, edit: Edit, values: list[Any]) -> None:
    held, key = holder
    held[key] = json.loads(json.dumps(values[edit.what % len(values)]))


def rename_key(holder: Holder, edit: Edit, values: list[Any]) -> None:
    held, key = holder
    if isinstance(held, dict):
        held[NASTY[edit.what % len(NASTY)].encode("utf-8", "replace").decode()] = held.pop(key)


def nest_value(holder: Holder, edit: Edit, values: list[Any]) -> None:
    held, key = holder
    for _ in range(1 + edit.much % 40):
        held[key] = [held[key]] if edit.what % 2 else {str(key): held[key]}


def edit_string(holder: Holder, edit: Edit, values: list[Any]) -> None:
    held, key = holder
    if isinstance(held[key], str):
        kinds = list(TEXT_EDITS)
        change = edit._replace(kind=kinds[edit.much % len(kinds)])
        other = next((value for value in values if isinstance(value, str)), "x")
        held[key] = edit_text(held[key], [change], other).encode("utf-8", "replace").decode()


JSON_EDITS: dict[str, Callable[[Holder, Edit, list[Any]], None]] = {
    "drop_value": drop_value,
    "set_value": set_value,
    "copy_value": copy_value,
    "rename_key": rename_key,
    "nest_value": nest_value,
    "edit_string": edit_string,
}


def edit_json(text: str, edits: list[Edit]) -> str:
    """A document after some edits of its values."""
    document = json.loads(text)
    for edit in edits:
        places = holders(document)
        if places:
            values = [held[key] for held, key in places]
            JSON_EDITS[edit.kind](places[edit.where % len(places)], edit, values)
    return json.dumps(document)


# -- strategies ------------------------------------------------------------------------------------

JSON_FORMATS = ("notebook", "log-json", "log-jsonl", "manifest", "event", "saved")
LINES = ("log-jsonl", "event")
"""Formats of which a mutant is one line among others."""

RANGE = 10_000
MOST_EDITS = 6


@st.composite
def edits(draw: st.DrawFn, kinds: tuple[str, ...]) -> list[Edit]:
    """A few edits of some kinds; each is one number, since drawing takes time."""
    made = []
    for _ in range(draw(st.integers(1, MOST_EDITS))):
        number, kind = divmod(draw(st.integers(0, RANGE**3 * len(kinds) - 1)), len(kinds))
        where, rest = divmod(number, RANGE**2)
        made.append(Edit(kinds[kind], where, *divmod(rest, RANGE)))
    return made


@st.composite
def mutants(draw: st.DrawFn, format: str) -> Mutant:
    """Mutants of every seed of a format."""
    known = seeds(format)
    seed = known[draw(st.integers(0, len(known) - 1))]
    text, made = seed.text, []
    if format in JSON_FORMATS and draw(st.integers(0, 3)) and text[:1] in "[{":
        structural = draw(edits(tuple(JSON_EDITS)))
        text = edit_json(text, structural)
        made += structural
    if not made or not draw(st.integers(0, 3)):
        other = known[draw(st.integers(0, len(known) - 1))].text
        textual = draw(edits(GENTLE if draw(st.booleans()) else tuple(TEXT_EDITS)))
        text = edit_text(text, textual, other)
        made += textual
    dialect = seed.dialect
    if format == "sql" and not draw(st.integers(0, 3)):
        dialect = draw(st.sampled_from(DIALECTS))
    if format in LINES:
        text = " ".join(text.splitlines())
    return Mutant(format, seed, text, dialect, tuple(made), draw(st.integers(0, 9)))
