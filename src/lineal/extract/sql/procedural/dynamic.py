"""Dynamic SQL: a statement that stands in a string. A constant string is read as if it stood there
itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.procedural.flow import Moment
from lineal.extract.sql.procedural.pieces import Piece, Routine
from lineal.extract.sql.procedural.text import CLOSE, OPEN, STRINGS, closing, items, word

if TYPE_CHECKING:
    from lineal.extract.sql.procedural.walker import Walker

MOST_STEPS = 64
LONGEST = 1_000_000
CONCATENATION = frozenset((TokenType.PLUS, TokenType.DPIPE, TokenType.AMP))


@dataclass(slots=True)
class Dynamic:
    """EXECUTE of an expression, at its moment."""

    tokens: list[Token]
    at: Token
    moment: Moment
    into: list[str]
    routine: Routine | None
    depth: int = 0
    last: Piece | None = None
    """the last statement that it holds, or the one before it"""

    @property
    def position(self) -> int:
        if self.last is not None:
            return self.last.position

        return -1


def constant(
    tokens: list[Token], moment: Moment, walker: Walker, steps: int = MOST_STEPS
) -> str | None:
    """'a' || 'b', @sql, CONCAT('a', x)      the text, if it is the same whenever it runs"""
    if not tokens or steps <= 0:
        return None
    if tokens[0].token_type is OPEN and tokens[-1].token_type is CLOSE:
        return constant(tokens[1:-1], moment, walker, steps - 1)
    if (
        len(tokens) > 3
        and tokens[1].token_type is OPEN
        and closing(tokens, 1, len(tokens)) == len(tokens) - 1
    ):
        return called(word(tokens[0]), items(tokens[2:-1]), moment, walker, steps)
    operands: list[list[Token]] = [[]]
    for token in tokens:
        if token.token_type in CONCATENATION:
            operands.append([])
        else:
            operands[-1].append(token)
    if len(operands) > 1:
        return joined(operands, moment, walker, steps)
    if len(tokens) == 1 and tokens[0].token_type in STRINGS:
        return tokens[0].text
    key, end = walker.variable_at(tokens, 0)
    if key and end == len(tokens):
        return variable(key, moment, walker, steps)

    return None


def called(
    name: str, arguments: list[list[Token]], moment: Moment, walker: Walker, steps: int
) -> str | None:
    """CONCAT('a', x), format('INSERT INTO %I', t), REPLACE(sql, '#', 't'), QUOTENAME(t)"""
    if name == "CONCAT":
        return joined(arguments, moment, walker, steps)
    texts = [constant(argument, moment, walker, steps - 1) for argument in arguments]
    if name == "FORMAT" and texts[0] is not None and "%" in texts[0]:
        return formatted(texts[0], texts[1:])
    if name == "REPLACE" and len(texts) == 3:
        whole, part, by = texts
        if whole is not None and part and by is not None:
            return whole.replace(part, by)

        return None
    if name in AS_IT_IS and len(texts) == 1:
        return texts[0]

    return None


AS_IT_IS = frozenset(("FORMAT", "NVL", "COALESCE", "QUOTENAME", "QUOTE_IDENT", "TRIM"))
FORMATS = re.compile(r"%(?:(\d+)\$)?[-\d.]*([a-zA-Z%])")


def formatted(template: str, values: list[str | None]) -> str | None:
    """format('SELECT %s FROM %I WHERE a = %L', 'b', 't', x)

    a literal is no matter of columns, whatever it is
    """
    found: list[str] = []
    end = position = 0
    for mark in FORMATS.finditer(template):
        found.append(template[end : mark.start()])
        end = mark.end()
        if mark[2] == "%":
            found.append("%")
            continue
        position = int(mark[1]) if mark[1] else position + 1
        value = values[position - 1] if 0 < position <= len(values) else None
        if mark[2] in "LTdf":
            found.append("'" + (value or "").replace("'", "''") + "'")
        elif value is None or mark[2] not in "sIt":
            return None
        else:
            found.append(value)
    return "".join(found) + template[end:]


def joined(parts: list[list[Token]], moment: Moment, walker: Walker, steps: int) -> str | None:
    texts: list[str] = []
    for part in parts:
        text = constant(part, moment, walker, steps - 1)
        if text is None or sum(map(len, texts)) > LONGEST:
            return None
        texts.append(text)
    return "".join(texts)


def variable(key: str, moment: Moment, walker: Walker, steps: int) -> str | None:
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
