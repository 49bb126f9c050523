"""Masking never changes lineage: texts with one fingerprint have the same edges.

Every literal that is masked gives way to another one, in the case files, the TPC queries and random
queries.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot.tokenizer_core import Token

from casefile import Case, all_cases, corpus_of
from generators.queries import Query, queries, write_query
from generators.rounds import fixed_examples
from lineal.extract.sql.fingerprint import Masks, fingerprint
from lineal.extract.sql.words import words
from lineal.incremental.extraction import extract
from lineal.model.extraction import Extraction
from lineal.model.script import Script

sys.path.append(str(Path(__file__).parent / "properties"))

from facts import facts, lineage_of

LITERALS = ("7", "'x'", "NULL", "0", "'SELECT z FROM y'", "1e9", "TRUE")
CASES = {case.name: case for case in all_cases()}


def redrawn(text: str, dialect: str, random: Random) -> tuple[str, int]:
    """The text with another literal in the place of each one that is masked, and how many those
    are.
    """
    tokens, unread = words(Script(text, dialect))
    masks = Masks(tokens)
    masks.words()
    made, end, count = [], 0, 0
    for token, masked in zip(tokens, masks.masked, strict=True):
        if masked and not unread:
            # LIMIT 'x' and DATE 5 would be no SQL
            kept_kind = "'y'" if text[token.start] == "'" else "8"
            made += [
                text[end : token.start],
                random.choice(LITERALS) if compared(tokens, token) else kept_kind,
            ]
            end, count = token.end + 1, count + 1
    return "".join(made) + text[end:], count


def compared(tokens: list[Token], token: Token) -> bool:
    return tokens[tokens.index(token) - 1].text in ("=", "<", ">", "<=", ">=", "<>", "(", ",")


def said(found: Extraction) -> tuple[object, ...]:
    listed = [
        (info.dataset, info.kind, info.names, info.complete) for info in found.datasets.values()
    ]
    codes = sorted(each.code.code for each in found.diagnostics)
    return facts(found), listed, codes, [read[:4] for read in found.reads]


@pytest.mark.parametrize("name", CASES)
def test_cases(name: str) -> None:
    case: Case = CASES[name]
    corpus = corpus_of(case)
    named = [
        Script(each.text, each.dialect, each.file or "case.sql", target=each.target)
        for each in corpus.scripts
    ]
    drawn = [redrawn(each.text, each.dialect, Random(7))[0] for each in named]
    others = [
        Script(text, each.dialect, each.file, target=each.target)
        for text, each in zip(drawn, named, strict=True)
    ]
    assert list(map(fingerprint, named)) == list(map(fingerprint, others))
    corpus.scripts = named
    before = said(extract(corpus))
    corpus.scripts = others
    assert said(extract(corpus)) == before


@fixed_examples(300)
@given(queries(), st.randoms(use_true_random=False))
def test_random_queries(query: Query, random: Random) -> None:
    text = re.sub(
        r" AS out\d+", lambda alias: alias[0] if random.random() < 0.6 else "", query.sql()
    )
    other, _ = redrawn(text, "spark", random)
    assert fingerprint(Script(text, "spark")) == fingerprint(Script(other, "spark"))
    assert said(lineage_of(other)) == said(lineage_of(text))


def test_enough_is_masked() -> None:
    texts = [write_query(Random(seed)).sql() for seed in range(300)]
    counts = [redrawn(text, "spark", Random(7))[1] for text in texts]
    assert sum(count > 0 for count in counts) > 100
