"""lineal context: path, SQL and impact of a column, within a size."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from lineal.cli import main

CAFE = Path(__file__).resolve().parents[2] / "data" / "cafe"


def run(*arguments: str) -> str:
    done = CliRunner().invoke(main, ["context", *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_it_prints_path_sql_and_impact() -> None:
    text = run("metric:net.net", str(CAFE))
    assert text.startswith("# Column `metric:net.net`\n")
    assert "- 1: `metric:revenue.revenue` → `metric:net.net` TRANSFORMATION" in text
    assert "- 3: `orders.amount` → `semantic_model:orders.revenue` AGGREGATION" in text
    assert "- 4: `raw_orders.amount` → `orders.amount` IDENTITY" in text
    assert "- saved_query `saved_query:by_city` breaks" in text
    assert "- `saved_query:by_city.net` (contributed, 1 step)" in text


def test_tests_that_break_are_listed() -> None:
    assert "- test `test:tip_below_amount` breaks: `names orders.tip in WHERE`" in run(
        "orders.tip", str(CAFE)
    )


@pytest.mark.parametrize("size", [500, 800, 2000])
def test_it_keeps_to_the_size_and_counts_omissions(size: int) -> None:
    whole = run("raw_orders.amount", str(CAFE), "--max-chars", "100000")
    cut = run("raw_orders.amount", str(CAFE), "--max-chars", str(size))
    assert len(cut.rstrip("\n")) <= size
    assert ("more" in cut) == (len(whole) > size)


def test_literals_are_taken_out_on_request(tmp_path: Path) -> None:
    file = tmp_path / "m.sql"
    file.write_text("CREATE VIEW m AS SELECT CASE WHEN name = 'Ann' THEN 17 END AS x FROM t")
    assert "'Ann'" in run("m.x", str(file))
    hidden = run("m.x", str(file), "--redact-literals")
    assert "Ann" not in hidden and "17" not in hidden


def test_an_unknown_name_is_a_usage_error() -> None:
    done = CliRunner().invoke(main, ["context", "orders.nothing", str(CAFE)])
    assert done.exit_code == 2
    assert "unknown column nothing" in done.output
