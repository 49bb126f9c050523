"""One type of result: what Spark's plans give is the `Lineage` that the text gives, and answers the
same questions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lineal
import lineal.spark

SQL = "SELECT id, amount * rate AS euros FROM orders WHERE paid"
COLUMNS = "id INT, amount DOUBLE, rate DOUBLE, paid BOOLEAN"


@pytest.fixture
def orders(spark: Any) -> Any:
    spark.createDataFrame([], COLUMNS).write.mode("overwrite").saveAsTable("orders")
    yield
    spark.sql("DROP TABLE orders")


def test_a_dataframe_and_a_text_give_a_lineage(spark: Any, orders: None) -> None:
    by_text = lineal.lineage(
        {"mart": SQL}, dialect="spark", schema={"orders": dict(_typed(COLUMNS))}
    )
    for found in (
        lineal.spark.lineage(spark.sql(SQL), target="mart"),
        lineal.spark.lineage(SQL, spark, target="mart"),
        lineal.spark.lineage(SQL, target="mart"),
    ):
        assert type(found) is lineal.Lineage
        assert sorted(map(str, found.edges)) == sorted(map(str, by_text.edges))
        assert [str(each) for each in found.upstream("mart.euros")] == [
            "orders.amount -> mart.euros  TRANSFORMATION", "orders.rate -> mart.euros  TRANSFORMATION",
        ]  # fmt: skip
        assert [str(each) for each in found.downstream("orders.paid")] == [
            "orders.paid => mart  FILTER"
        ]
        assert {str(each.column): each.why for each in found.impact("orders.paid")} == {
            "mart.id": "referenced", "mart.euros": "referenced",
        }  # fmt: skip
        assert found.to("json") and found.to("chain", "mart.euros").startswith("CHAIN: mart.euros")
        assert found.diagnostics == [] and found.coverage.percent == 100
        assert "<iframe" in found.show()._repr_html_() and "<iframe" in found._repr_html_()


def test_it_is_saved_and_read_again(spark: Any, orders: None, tmp_path: Path) -> None:
    found = lineal.spark.lineage(SQL, spark, target="mart")
    found.save(tmp_path / "kept")
    again = lineal.lineage(tmp_path / "kept")
    assert [str(edge) for edge in again.edges] == [str(edge) for edge in found.edges]
    assert {edge.level.name for edge in again.edges} == {"EXACT"}


def test_a_capture_has_the_same_type(spark: Any, orders: None) -> None:
    with lineal.spark.capture(spark) as captured:
        spark.sql(SQL).write.mode("overwrite").saveAsTable("kept_mart")
    spark.sql("DROP TABLE kept_mart")
    assert type(captured.lineage) is lineal.Lineage
    assert len(captured.lineage.upstream("kept_mart.euros")) == 2


def test_a_value_that_is_not_a_dataframe_is_the_callers_mistake(spark: Any) -> None:
    with pytest.raises(
        TypeError, match="a DataFrame or SQL text is needed, not int; a DataFrame of Spark Connect"
    ):
        lineal.spark.lineage(3)


def _typed(columns: str) -> list[tuple[str, str]]:
    return [tuple(column.split()) for column in columns.split(", ")]  # type: ignore[misc]
