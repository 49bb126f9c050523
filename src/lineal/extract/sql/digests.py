"""Digests of a statement: of its words, and of their meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.fingerprint import QUOTES
from lineal.extract.sql.parse import allow_deep_calls
from lineal.extract.sql.repairs import tree_of
from lineal.extract.sql.words import is_refusal
from lineal.model.script import Script
from lineal.model.text_digest import digest

if TYPE_CHECKING:
    from lineal.extract.sql.canonical import Columns

Words = list[Token]

VERBS = {
    TokenType.SELECT: "select", TokenType.INSERT: "insert", TokenType.UPDATE: "update", TokenType.DELETE: "delete",
    TokenType.MERGE: "merge", TokenType.CREATE: "create", TokenType.COPY: "copy", TokenType.VALUES: "select",
    TokenType.FROM: "select",
}  # fmt: skip


def kind_of(words: Words) -> str:
    """Return the word that says what a statement does.

    WITH … INSERT INTO …      the first word that says what is done
    """
    depth = 0
    for word in words:
        if word.token_type is TokenType.L_PAREN:
            depth += 1
        elif word.token_type is TokenType.R_PAREN:
            depth -= 1
        elif depth == 0 and word.token_type in VERBS:
            return VERBS[word.token_type]

    if words[0].token_type is not TokenType.L_PAREN:
        return words[0].text.lower()

    return "select"


def words_of(words: Words) -> str:
    """The words; upper and lower case are one, except in quotes."""
    return "\x1f".join(map(_word, words))


def _word(word: Token) -> str:
    """Return a word as a digest takes it: lower case, except in quotes."""
    quote = QUOTES.get(word.token_type)
    if quote:
        return quote + word.text

    return word.text.lower()


def meaning(script: Script, chunks: list[Words], columns: Columns, words: str) -> str:
    """The canonical form of each statement; where one does not parse or nests too deeply, the
    words.
    """
    from lineal.extract.sql.canonical import canonical  # only for those who compare revisions

    try:
        with allow_deep_calls():
            trees = [tree_of(chunk, script.dialect, script.text) for chunk in chunks]
            return digest("\x1d".join(canonical(tree, script.dialect, columns) for tree in trees))
    except Exception as error:
        if isinstance(error, RecursionError) or is_refusal(error):
            return words

        raise
