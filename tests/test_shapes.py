"""Fingerprints by shape are the fingerprints themselves, whichever texts went before."""

from __future__ import annotations

import re
from random import Random

import pytest

from casefile import all_cases
from lineal.extract.sql.fingerprint import fingerprint
from lineal.model.script import Script
from lineal.spark.pipeline.shapes import Fingerprints

LITERAL = re.compile(r"'[^']*'|\b\d+(?:\.\d+)?\b")
OTHERS = (
    "1",
    "2",
    "17",
    "3.5",
    "1e5",
    "'a'",
    "'b c'",
    "''",
    "'it''s'",
    "'x\"y'",
    "'--'",
    "-4",
    "NULL",
    "DATE '2026-01-01'",
)

TEXTS = (
    "SELECT a FROM t WHERE a = 1 AND b IN (1, 2) ORDER BY 1",
    "SELECT 'x' AS k, f(5), a = 5, decimal(10, 2) FROM t LIMIT 5",
    'SELECT "col 1", "col 2", `c 3` FROM t WHERE a = 1',
    'SELECT "text" FROM t WHERE a = "1" AND b = "it\'s"',
    "SELECT * FROM t PIVOT (sum(a) FOR k IN ('x', 'y')) WHERE b = 1",
    "INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'z')",
    "SELECT j -> 'key', j #>> '{a,1}', a[1], b['k'] FROM t WHERE x = 1",
    "SELECT a FROM t WHERE b = r'raw' AND c = x'AB' AND d = N'n' AND e = 1",
    "SELECT a -- 1\nFROM t /* 'x' */ WHERE b = 1",
    "SELECT a FROM t WHERE b = :1 AND c = ?1 AND d = @p1 AND e = 5",
    "SELECT '''a''', a FROM t WHERE b = 1",
    "SELECT 'open FROM t WHERE b = 1",
    "SET x = 5; SELECT a FROM t WHERE b = 5",
    "SELECT a FROM t1 WHERE t1.b2 = 3 AND c BETWEEN 1 AND 2",
)


def variants(text: str, random: Random) -> list[str]:
    return [
        text,
        *(LITERAL.sub(lambda found: random.choice((*OTHERS, found[0])), text) for _ in range(6)),
    ]


@pytest.mark.parametrize(
    "dialect",
    ["", "spark", "bigquery", "snowflake", "postgres", "mysql", "tsql", "duckdb", "clickhouse"],
)
def test_fingerprints_of_variants_are_the_same(dialect: str) -> None:
    random, prints = Random(11), Fingerprints(dialect)
    texts = [variant for text in TEXTS * 3 for variant in variants(text, random)]
    assert [
        text for text in texts if prints.fingerprint_of(text) != fingerprint(Script(text, dialect))
    ] == []


def test_fingerprints_of_variants_are_the_same_for_all_cases() -> None:
    random = Random(12)
    by_dialect: dict[str, Fingerprints] = {}
    wrong = []
    for case in all_cases():
        for text in variants(case.sql, random) if case.sql else ():
            dialect = case.dialect or ""
            prints = by_dialect.setdefault(dialect, Fingerprints(dialect))
            if prints.fingerprint_of(text) != fingerprint(Script(text, dialect)):
                wrong.append((case.name, text))
    assert wrong == []


def test_only_the_first_of_a_shape_is_cut_into_words(monkeypatch: pytest.MonkeyPatch) -> None:
    from lineal.spark.pipeline import shapes

    cut: list[str] = []
    monkeypatch.setattr(
        shapes, "fingerprint", lambda script: cut.append(script.text) or fingerprint(script)
    )
    prints = Fingerprints("")
    assert (
        len(
            {
                prints.fingerprint_of(f"SELECT a, f(7) FROM t WHERE b = {n} AND c = 'x{n}'")
                for n in range(50)
            }
        )
        == 1
    )
    assert len(cut) == 1
    assert (
        len({prints.fingerprint_of(f"SELECT a, f({n}) FROM t WHERE b = 1") for n in range(5)}) == 5
    )
