"""Parentheses and brackets among the words of a statement."""

from __future__ import annotations

from sqlglot.tokenizer_core import Token, TokenType

PARENTHESES = (TokenType.L_PAREN, TokenType.R_PAREN)
BRACKETS = (TokenType.L_BRACKET, TokenType.R_BRACKET)


def closing_bracket(
    words: list[Token], opening: int, pair: tuple[TokenType, TokenType] = PARENTHESES
) -> int:
    """Where the parenthesis is closed that opens here; the end, if it is not."""
    opens, closes = pair
    depth = 0
    for position in range(opening, len(words)):
        depth += words[position].token_type is opens
        depth -= words[position].token_type is closes
        if depth == 0:
            return position

    return len(words) - 1
