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
from sqlglot.tokenizer_core import Token, TokenType

from casefile import Case, all_cases, corpus_of
from generators.queries import Query
from generators.rounds import draw_examples, fixed_examples
from generators.strategies import queries, randoms
from lineal.extract.sql.fingerprint import BY_KIND, Masks, fingerprint
from lineal.extract.sql.literal_kinds import kind_of_string
from lineal.extract.sql.words import words
from lineal.incremental.extraction import extract
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Script

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
            glued = text[token.end + 1 : token.end + 2].isalnum()  # 512MB: NULLMB is another word
            free = masked != BY_KIND and not glued and compared(tokens, token)
            other = random.choice(LITERALS) if free else of_the_same_kind(token)
            made += [text[end : token.start], other]
            end, count = token.end + 1, count + 1
    return "".join(made) + text[end:], count


def of_the_same_kind(token: Token) -> str:
    """LIMIT 'x' and DATE 5 would be no SQL; a part of a value keeps its type."""
    if token.token_type is TokenType.NUMBER:
        return re.sub(r"\d", "8", token.text)
    return "'2031-12-30'" if kind_of_string(token.text) == "'d" else "'y'"


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
@given(queries(), randoms())
def test_random_queries(query: Query, random: Random) -> None:
    text = re.sub(
        r" AS out\d+", lambda alias: alias[0] if random.random() < 0.6 else "", query.sql()
    )
    other, _ = redrawn(text, "spark", random)
    assert fingerprint(Script(text, "spark")) == fingerprint(Script(other, "spark"))
    assert said(lineage_of(other)) == said(lineage_of(text))


def test_enough_is_masked() -> None:
    texts = [query.sql() for query in draw_examples(queries(), 7, 300)]
    counts = [redrawn(text, "spark", Random(7))[1] for text in texts]
    assert sum(count > 0 for count in counts) > 100


ANYWHERE = (
    "SELECT {0} AS k, a, b * {1} AS c FROM t WHERE d > {2}",
    "INSERT INTO u SELECT {0} AS k, {1} - a AS c, j.x FROM t WHERE a IN ({2}, {3})",
    "SELECT date_add(d, {0}) AS e, coalesce(a, {1}) AS f, g + {2} FROM t ORDER BY {3}",
    "SELECT a[{0}] AS x, b[c + {1}] AS y, element_at(m, {2}) AS z FROM t LIMIT {3}",
    "CREATE TABLE u AS SELECT k, sum(v) AS s FROM (SELECT {0} AS k, v + {1} AS v FROM t) GROUP BY {2}",
    "INSERT INTO u PARTITION (day = {0}) SELECT a, to_date({1}) AS d, f({2}) AS g FROM t",
    "SELECT * FROM (SELECT {0} AS k, v FROM t) PIVOT (sum(v) FOR k IN ({1}, {2}))",
    "SELECT get_json_object(j, {0}) AS x, stack({1}, a, b), CASE WHEN a = {2} THEN {3} END AS y FROM t",
    "WITH c AS (SELECT {0} AS a, b FROM t UNION ALL SELECT {1} AS a, b + {2} FROM u) SELECT a, b FROM c",
)
VALUES = st.sampled_from(("1", "2", "0.5", "0.25", "'a'", "'$.b'", "'2026-01-31'", "'2027-02-28'"))
FOUR = st.tuples(VALUES, VALUES, VALUES, VALUES)


@fixed_examples(400)
@given(st.sampled_from(ANYWHERE), FOUR, FOUR, st.sampled_from(("spark", "duckdb", "snowflake")))
def test_the_same_fingerprint_means_the_same_edges(
    text: str, some: tuple[str, ...], others: tuple[str, ...], dialect: str
) -> None:
    one, other = text.format(*some), text.format(*others)
    if fingerprint(Script(one, dialect)) == fingerprint(Script(other, dialect)):
        assert said(lineage_in(one, dialect)) == said(lineage_in(other, dialect))


def lineage_in(text: str, dialect: str) -> Extraction:
    return extract(Corpus(dialect, [Script(text, dialect, "case.sql", target="made")]))
