"""Pivots at their limits."""

from __future__ import annotations

from casefile import codes_in, edges_in
from lineal.extract.sql.pivots import MOST_COLUMNS
from lineal.incremental.extraction import extract
from lineal.model.script import Corpus, Script


def test_values_that_multiply_beyond_measure_are_one_open_column():
    values = ", ".join(str(number) for number in range(int(MOST_COLUMNS**0.5) + 1))
    text = f"SELECT * FROM (PIVOT t ON a IN ({values}), b IN ({values}) USING sum(x) GROUP BY k)"
    extraction = extract(Corpus("duckdb", [Script(text, "duckdb", target="wide")]))
    assert codes_in(extraction) == ("unsupported-construct",)
    assert "t.x -> wide.<pivot:a>_<pivot:b>  AGGREGATION" in edges_in(extraction)
    assert len(extraction.edges) == 5
