"""A name in a text is read by lineal itself: no text reaches a parser, and none ends
the run.
"""

from __future__ import annotations

import pytest

from lineal.extract.sql.tables import parts_in_text
from lineal.incremental.extraction import extract
from lineal.model.script import Corpus, Script


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("orders", [("orders", False)]),
        ("shop.orders", [("shop", False), ("orders", False)]),
        ('shop."My Orders"', [("shop", False), ("My Orders", True)]),
        ("`a.b`.c", [("a.b", True), ("c", False)]),
        ("", [("", True)]),
        ("a; DROP TABLE b", [("a; DROP TABLE b", False)]),
        ("a..b", [("a..b", True)]),
        ('"never closed', [('"never closed', True)]),
    ],
)
def test_parts(text: str, parts: list[tuple[str, bool]]) -> None:
    assert [(part.name, part.args["quoted"]) for part in parts_in_text(text)] == parts


@pytest.mark.parametrize("text", ["", "(" * 5_000, ";", "a.b.c.d.e.f", ".", "'", "select * from t"])
def test_any_text_is_a_name(text: str) -> None:
    quoted = text.replace("'", "''")
    sql = f"SELECT IDENTIFIER('{quoted}') AS x FROM IDENTIFIER('{quoted}') AS t; SELECT a FROM t2"
    found = extract(Corpus("snowflake", [Script(sql, "snowflake", target="result")]))
    assert any(str(edge.source) == "t2.a" for edge in found.edges)
