"""The confidence of edges from PySpark, compared with the results of Spark: the table of
docs/reference/accuracy.md.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench" / "accuracy"))

import confidence  # noqa: E402


def test_high_edges_are_right_as_the_page_claims():
    table = confidence.count()
    assert table.right_of_high >= confidence.LEAST_RIGHT
    assert table.share_of_high >= confidence.LEAST_HIGH
    page = confidence.PAGE.read_text(encoding="utf-8")
    assert page == confidence.page_with(page, confidence.lines_in(table))


def test_a_wrong_fact_lowers_the_share():
    table = confidence.Table(
        1,
        confidence.Counter({confidence.Confidence.HIGH: 200}),
        confidence.Counter({confidence.Confidence.HIGH: 198}),
        3,
    )
    assert table.right_of_high == 0.99 < confidence.LEAST_RIGHT
    assert "3 edges that Spark gives are not found" in confidence.lines_in(table)[0]
