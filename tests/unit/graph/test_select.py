from __future__ import annotations

import pytest

from lineal.graph.select import ALL, Selection, parse


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("+m.c", Selection("m.c", ALL, 0)),
        ("m.c+", Selection("m.c", 0, ALL)),
        ("+m.c+", Selection("m.c", ALL, ALL)),
        ("2+m.c", Selection("m.c", 2, 0)),
        ("m.c+3", Selection("m.c", 0, 3)),
        ("1+m.c+2", Selection("m.c", 1, 2)),
        ("+m", Selection("m", ALL, 0)),
        ("+db.schema.m.c", Selection("db.schema.m.c", ALL, 0)),
        ("+m.sum(a b)", Selection("m.sum(a b)", ALL, 0)),
    ],
)
def test_selectors(text: str, meant: Selection) -> None:
    assert parse(text) == meant


@pytest.mark.parametrize("text", ["m.c", "", "+", "++", "+ ", "a+b", "+a+b", "x+m.c"])
def test_texts_that_are_not_selectors(text: str) -> None:
    assert parse(text) is None
