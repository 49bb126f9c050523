"""spark.createDataFrame: the columns of rows in the program; nothing invented where they
do not.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import lineal
from lineal.model.diagnostic import Code

ROWS = "rows = [{'id': 1, 'price': 2}, {'id': 3, 'price': 4}]\nfrom pyspark.sql import Row\n"


@pytest.mark.parametrize(
    "data", ["rows", "[Row(**r) for r in rows]", "(Row(**r) for r in rows)", "[Row(id=1, price=2)]"]
)
def test_rows_name_their_columns(data: str, tmp_path: Path) -> None:
    job = tmp_path / "job.py"
    job.write_text(f"{ROWS}spark.createDataFrame({data}).select('price').write.saveAsTable('o')\n")
    found = lineal.lineage(job)
    assert [str(column) for column in found.columns] == ["o.price"]
    assert not found.edges and not found.diagnostics


def test_rows_that_are_not_followed_are_dynamic(tmp_path: Path) -> None:
    job = tmp_path / "job.py"
    job.write_text("spark.createDataFrame(fetch()).select('price').write.saveAsTable('o')\n")
    found = lineal.lineage(job)
    assert Code.DYNAMIC in {diagnostic.code for diagnostic in found.diagnostics}
    assert Code.UNRESOLVED_COLUMN not in {diagnostic.code for diagnostic in found.diagnostics}
