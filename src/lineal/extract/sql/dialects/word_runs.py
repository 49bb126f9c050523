"""Runs of words that a rewrite leaves out, and the notation in which contracts describe them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType


def dropped_runs(before: Sequence[Token], after: Sequence[Token]) -> list[list[Token]]:
    """Return the words that a rewrite has left out, each run of neighbors as a list."""
    kept = {(word.start, word.end) for word in after}
    found: list[list[Token]] = []
    open_run = False
    for word in before:
        if (word.start, word.end) in kept:
            open_run = False
            continue

        if not open_run:
            found.append([])

        found[-1].append(word)
        open_run = True

    return found


def text_of(words: Sequence[Token]) -> str:
    """A run of words as contracts write it: strings are S, numbers 0, quoted names N, all others in
    capitals.
    """
    return " ".join(spell_word(word.token_type, word.text) for word in words)


def spell_word(kind: TokenType, text: str) -> str:
    """A word as contracts write it."""
    return KINDS.get(kind) or text.upper()


KINDS = {TokenType.STRING: "S", TokenType.NUMBER: "0", TokenType.IDENTIFIER: "N"}
