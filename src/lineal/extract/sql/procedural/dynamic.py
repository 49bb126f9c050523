"""Dynamic SQL: a statement in a string. A constant string is read as if its text were there itself.

EXECUTE IMMEDIATE 'INSERT INTO ' || 't' || ' SELECT a FROM s'
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.procedural.flow import Moment
from lineal.extract.sql.procedural.pieces import Piece, Routine
from lineal.extract.sql.procedural.text import (
    CLOSE,
    OPEN,
    STRINGS,
    Tokens,
    closing_parenthesis,
    items,
    new_token,
    split_at,
    word,
)
from lineal.model.sequences import only_or_none

if TYPE_CHECKING:
    from lineal.extract.sql.procedural.walker import Walker

MOST_STEPS = 64
LONGEST = 1_000_000
CONCATENATION = frozenset((TokenType.PLUS, TokenType.DPIPE, TokenType.AMP))


@dataclass(slots=True)
class Dynamic:
    """EXECUTE of an expression, at its moment."""

    tokens: Tokens
    at: Token
    moment: Moment
    into: list[str]
    routine: Routine | None
    bound: str = ""
    """how its marks are bound: USING a, b in order, USING a AS x by name"""
    depth: int = 0
    last: Piece | None = None
    """the last statement that it holds, or the one before it"""

    @property
    def position(self) -> int:
        """How many steps of the script come before it."""
        if self.last is not None:
            return self.last.position

        return -1


def constant(tokens: Tokens, moment: Moment, walker: Walker, steps: int = MOST_STEPS) -> str | None:
    """Return the value of a text that is known without a run.

    'a' || 'b', @sql, CONCAT('a', x)      the text, if it is the same whenever it runs
    """
    if not tokens or steps <= 0:
        return None

    if tokens[0].token_type is OPEN and tokens[-1].token_type is CLOSE:
        return constant(tokens[1:-1], moment, walker, steps - 1)

    if is_call(tokens):
        return constant_call(word(tokens[0]), items(tokens[2:-1]), moment, walker, steps)

    operands = split_at(tokens, CONCATENATION)
    if len(operands) > 1:
        return join_texts(operands, moment, walker, steps)

    if len(tokens) == 1 and tokens[0].token_type in STRINGS:
        return tokens[0].text

    key, end = walker.variable_at(tokens, 0)
    if not key or end != len(tokens):
        return None

    return constant_variable(key, moment, walker, steps)


MARK = "mark {}"
"""The name of a mark: with its space it hides no variable and no column."""


def number_marks(tokens: Tokens, bound: str) -> Tokens:
    """VALUES (:x, ?) with USING a, b      the marks, each under the name of its place"""
    if not bound:
        return tokens

    found: Tokens = []
    count = 0
    for token in tokens:
        if token.token_type is TokenType.PLACEHOLDER:
            found.append(new_token(TokenType.COLON, ":", token))
        elif not ends_with_mark(found):
            found.append(token)
            continue

        count += 1
        name = str(count)
        if bound == "by name" and token.token_type is not TokenType.PLACEHOLDER:
            name = token.text.lower()

        found.append(new_token(TokenType.VAR, MARK.format(name), token))

    return found


def ends_with_mark(found: Tokens) -> bool:
    """Whether a colon marks the word that comes next; behind a value it leads to a part."""
    if not found or found[-1].token_type is not TokenType.COLON:
        return False

    return len(found) < 2 or found[-2].token_type not in VALUES


VALUES = (TokenType.VAR, TokenType.IDENTIFIER, TokenType.STRING, TokenType.R_BRACKET, CLOSE)
"""SELECT v:name, v[0]:name      the ends of values, of which a colon reads a part"""


def is_call(tokens: Tokens) -> bool:
    """Tell whether tokens are a single call.

    CONCAT('a', x)      a word, and parentheses up to the end
    """
    if len(tokens) < 4 or tokens[1].token_type is not OPEN:
        return False

    return closing_parenthesis(tokens, 1, len(tokens)) == len(tokens) - 1


Texts = list[str | None]
"""The texts of a call's arguments; None for one that only a run knows."""


def constant_call(
    name: str, arguments: list[Tokens], moment: Moment, walker: Walker, steps: int
) -> str | None:
    """Return the value of a call over constant texts.

    CONCAT('a', x), format('INSERT INTO %I', t), REPLACE(sql, '#', 't'), QUOTENAME(t)
    """
    if name == "CONCAT":
        return join_texts(arguments, moment, walker, steps)

    texts = [constant(argument, moment, walker, steps - 1) for argument in arguments]
    compute = CALLS.get(name)
    if compute is None:
        return None

    return compute(texts)


def same_text(texts: Texts) -> str | None:
    """Return the argument itself.

    QUOTENAME(t)      t
    """
    return only_or_none(texts)


def format_texts(texts: Texts) -> str | None:
    """Return the text that format() makes.

    format('INSERT INTO %I', t)
    """
    if texts[0] is not None and "%" in texts[0]:
        return fill_template(texts[0], texts[1:])

    return same_text(texts)


def replace_text(texts: Texts) -> str | None:
    """Return the text that REPLACE() makes.

    REPLACE(sql, '#', 't')
    """
    if len(texts) != 3:
        return None

    whole, part, by = texts
    if whole is None or by is None or not part:
        return None

    return whole.replace(part, by)


CALLS: dict[str, Callable[[Texts], str | None]] = {
    "FORMAT": format_texts,
    "REPLACE": replace_text,
    **dict.fromkeys(("NVL", "COALESCE", "QUOTENAME", "QUOTE_IDENT", "TRIM"), same_text),
}
"""Functions of constant texts."""

FORMATS = re.compile(r"%(?:(\d+)\$)?[-\d.]*([a-zA-Z%])")
LITERALS = "LTdf"
"""Formats of a value, which no column depends on."""

NAMES = "sIt"
"""Formats of a part of the statement."""


def fill_template(template: str, values: Texts) -> str | None:
    """Fill the placeholders of a format.

    format('SELECT %s FROM %I WHERE a = %L', 'b', 't', x)

    a literal is no matter of columns, whatever it is
    """
    found: list[str] = []
    by_number = dict(enumerate(values, 1))
    end = position = 0
    for mark in FORMATS.finditer(template):
        found.append(template[end : mark.start()])
        end = mark.end()
        if mark[2] == "%":
            found.append("%")
            continue

        position = int(mark[1] or position + 1)
        value = by_number.get(position)
        if mark[2] in LITERALS:
            found.append("'" + (value or "").replace("'", "''") + "'")
        elif value is None or mark[2] not in NAMES:
            return None
        else:
            found.append(value)

    return "".join(found) + template[end:]


def join_texts(parts: list[Tokens], moment: Moment, walker: Walker, steps: int) -> str | None:
    """Join constant texts.

    'a' || b || 'c'      the whole text; None, if only a run knows one of them
    """
    texts: list[str] = []
    for part in parts:
        text = constant(part, moment, walker, steps - 1)
        if text is None or sum(map(len, texts)) > LONGEST:
            return None

        texts.append(text)

    return "".join(texts)


def constant_variable(key: str, moment: Moment, walker: Walker, steps: int) -> str | None:
    """A variable that holds the same constant on every way that leads here."""
    refs = moment.body.refs(key, moment)
    if len(refs) != 1 or refs[0].assignment.constant is None:
        return None

    assignment = refs[0].assignment
    if assignment not in walker.constants:
        walker.constants[assignment] = constant(
            assignment.constant or [], assignment.moment, walker, steps - 1
        )

    return walker.constants[assignment]
