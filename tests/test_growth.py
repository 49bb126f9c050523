"""Work grows with the size of the text: lines of lineal that are run, counted at n and at 2n.

Lines are the same on every machine, which times are not; `make bench` measures those.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import lineal
import shapes
from lineal.incremental.extraction import extract
from lineal.projects import corpus_of_text

HOME = str(Path(lineal.__file__).parent)
MOST_GROWTH = 2.1
SHAPES = {**shapes.BOUND, **shapes.OTHERS}


@pytest.mark.parametrize("name", list(SHAPES))
def test_twice_the_text_is_twice_the_work(name: str) -> None:
    shape, n = SHAPES[name]
    smaller = max(20, n // 10)
    lines_run(shape, smaller)  # what is remembered is remembered before counting
    once, twice = lines_run(shape, smaller), lines_run(shape, 2 * smaller)
    assert twice / once <= MOST_GROWTH, f"{once} lines at {smaller}, {twice} at {2 * smaller}"


def lines_run(shape: shapes.Shape, n: int) -> int:
    sql, schema = shape(n)
    corpus = corpus_of_text({"result": sql}, None, schema)
    count = 0

    def each_line(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return each_line

    def each_call(frame: FrameType, event: str, argument: Any) -> Any:
        return each_line if frame.f_code.co_filename.startswith(HOME) else None

    before = sys.gettrace()
    sys.settrace(each_call)
    try:
        found = extract(corpus)
    finally:
        sys.settrace(before)
    assert found.edges
    return count
