"""No word of a dialect without a parser is lost when its words are changed."""

from __future__ import annotations

import pytest

from lineal.extract.sql.dialects.nearest import WORDS_OF, Rewrite, grammar_of, rewrite_words
from lineal.extract.sql.procedural.text import tokens_of as tokens_of_blocks

EXTRA = "zzextra"

REWRITES = [
    pytest.param(dialect, rewrite, id=f"{dialect}-{rewrite.change.__name__}")
    for dialect, rewrites in WORDS_OF.items()
    for rewrite in rewrites
]


def tokens_of(text: str, dialect: str):
    return tokens_of_blocks(text, grammar_of(dialect))


def spelled(tokens) -> list[str]:
    return [token.text for token in tokens]


@pytest.mark.parametrize(("dialect", "rewrite"), REWRITES)
def test_a_rewrite_changes_its_example(dialect: str, rewrite: Rewrite):
    tokens = tokens_of(rewrite.example, dialect)
    changed = rewrite_words(tokens, rewrite)
    kinds = [[(token.token_type, token.text) for token in each] for each in (tokens, changed)]
    assert kinds[0] != kinds[1]
    assert spelled(changed) == spelled(rewrite.change(tokens)), "words of the example come back"


@pytest.mark.parametrize(("dialect", "rewrite"), REWRITES)
def test_an_extra_word_is_never_lost(dialect: str, rewrite: Rewrite):
    text = rewrite.example
    hidden = text.index(rewrite.opaque) if rewrite.opaque else len(text)
    lost = []
    for token in tokens_of(text, dialect):
        if hidden < token.start <= hidden + len(rewrite.opaque):
            continue
        changed = f"{text[: token.start]} {EXTRA} {text[token.start :]}"
        if EXTRA not in spelled(rewrite_words(tokens_of(changed, dialect), rewrite)):
            lost.append(changed)
    assert lost == []


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("teradata", "SELECT coalesce(a, unknown) FROM t"),
        ("teradata", "SELECT max(cs), min(uc) FROM t"),
        ("hana", "SELECT one.a FROM t one JOIN u ON u.a = one.a"),
        ("informix", "INSERT INTO t VALUES ('let', 'define')"),
        ("informix", "FOREACH EXECUTE PROCEDURE q() INTO a INSERT INTO t VALUES (a); END FOREACH"),
    ],
)
def test_names_like_words_of_a_dialect_stay(dialect: str, text: str):
    tokens = before = tokens_of(text, dialect)
    for rewrite in WORDS_OF[dialect]:
        tokens = rewrite_words(tokens, rewrite)
    names = {"unknown", "cs", "uc", "one", "let", "define", "q"}
    kept = [word for word in spelled(tokens) if word.lower() in names]
    assert kept == [word for word in spelled(before) if word.lower() in names]
