"""Dynamic SQL: a statement that stands in a string. A constant string is read as if it stood there itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.procedural.flow import Moment
from lineal.extract.sql.procedural.pieces import Piece, Routine
from lineal.extract.sql.procedural.text import CLOSE, OPEN, STRINGS, items, word

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
        return self.last.position if self.last is not None else -1


def constant(tokens: list[Token], moment: Moment, walker: Walker, steps: int = MOST_STEPS) -> str | None:
    """'a' || 'b', @sql, CONCAT('a', x)      the text, if it is the same whenever it runs"""
    if not tokens or steps <= 0:
        return None
    if tokens[0].token_type is OPEN and tokens[-1].token_type is CLOSE:
        return constant(tokens[1:-1], moment, walker, steps - 1)
    if word(tokens[0]) in ("CONCAT", "FORMAT", "NVL", "COALESCE") and len(tokens) > 3:
        inner = items(tokens[2:-1])
        if word(tokens[0]) != "CONCAT" and len(inner) > 1:
            return None
        return joined(inner, moment, walker, steps)
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
    return variable(key, moment, walker, steps) if key and end == len(tokens) else None


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
        walker.constants[assignment] = constant(assignment.constant or [], assignment.moment, walker, steps - 1)
    return walker.constants[assignment]
