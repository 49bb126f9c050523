"""Patterns of the input take no long time, or they are refused with a diagnostic."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

import lineal
from lineal.model.diagnostic import Code
from lineal.model.patterns import SlowPattern, compile_pattern, is_like
from lineal.model.way import Confidence

FINE = [
    ("amt_.*", "amt_net", True),
    ("^(a|b)_[0-9]{4}_(x|y)$", "b_2024_x", True),
    ("^(a|b)_[0-9]{4}_(x|y)$", "c_2024_x", False),
    ("(?i)^AMT", "amt_net", True),
    ("(ab)+c?", "ababc", True),
    (r"\d+_\w+", "12_ab", True),
    ("(?P<kind>net|gross)_.*", "gross_eur", True),
    ("[]a]+", "]]a", True),
    ("[(+*]+", "(+*", True),
]
REFUSED = [
    "(a+)+$", "(a|a)*b", "(a|ab)*c", "(a*)*b", "(a?){50}a{50}x", "a?" * 40 + "a" * 40, ".*.*.*.*.*.*x",
    "(a|a)" * 40 + "b", r"(a)\1", "(?=a)b", "(?<!a)b", "[", "(", ")", "*", "a" * 2_000, "(a{1,9}){1,9}b",
]  # fmt: skip
TEXT = "a" * 60


@pytest.mark.parametrize(("pattern", "text", "expected"), FINE)
def test_ordinary_patterns(pattern: str, text: str, expected: bool) -> None:
    assert bool(compile_pattern(pattern).search(text)) is expected


@pytest.mark.parametrize("pattern", REFUSED, ids=range(len(REFUSED)))
def test_patterns_that_may_take_long(pattern: str) -> None:
    with pytest.raises(SlowPattern):
        compile_pattern(pattern).search(TEXT)


def test_accepted_patterns_take_no_time() -> None:
    started = time.process_time()
    for pattern in ("a*b", "a*a*b", "(a|aa)(a|aa)(a|aa)b", "a{1,20}a{1,20}b", "(aa)*a*b"):
        assert compile_pattern(pattern).search(TEXT) is None
    assert time.process_time() - started < 2


@pytest.mark.parametrize("text", ["", "a", "ab", "axb", "user_id", "a%b", "A", "aXbXc"])
@pytest.mark.parametrize("pattern", ["", "%", "a%", "%b", "a_b", "a%b%c", "%%", "user%", "_"])
def test_like(pattern: str, text: str) -> None:
    parts = {"%": ".*", "_": "."}
    expected = re.fullmatch("".join(parts.get(char, re.escape(char)) for char in pattern), text)
    assert is_like(pattern, text) is (expected is not None)


def test_like_takes_time_in_proportion_to_the_text() -> None:
    started = time.process_time()
    assert not is_like("%a" * 50 + "%b", "a" * 2_000)
    assert time.process_time() - started < 5


def test_columns_of_a_slow_pattern_are_all_taken_and_marked() -> None:
    schema = {"t": {"a" * 60: "int", "b": "int"}}
    found = lineal.lineage({"v": "SELECT COLUMNS('(a+)+$') FROM t"}, "duckdb", schema=schema)
    assert {edge.source.name for edge in found.edges} == {"a" * 60, "b"}
    assert [each.code for each in found.diagnostics] == [Code.UNSUPPORTED_CONSTRUCT]
    assert "repeats a repetition" in found.diagnostics[0].message


@pytest.mark.parametrize("pattern", ["(a+)+$", "["])
def test_columns_of_pandas_that_a_slow_pattern_may_find(pattern: str, tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(
        f"import pandas as pd\ndf = pd.read_csv('i.csv')[['{'a' * 60}b']]\n"
        f"df.filter(regex={pattern!r}).to_csv('o.csv')\n",
        "utf-8",
    )
    found = lineal.lineage(tmp_path)
    assert [each.code for each in found.diagnostics] == [Code.DYNAMIC]
    assert not [edge for edge in found.edges if edge.level >= Confidence.HIGH]


def test_stars_with_a_slow_like() -> None:
    schema = {"t": {"a" * 2_000: "int", "ab": "int"}}
    query = f"SELECT * ILIKE '{'%a' * 50}%b' FROM t"
    found = lineal.lineage({"v": query.replace("%a" * 49, "", 1)}, "snowflake", schema=schema)
    assert {edge.source.name.lower() for edge in found.edges if edge.source.name} == {"ab"}
