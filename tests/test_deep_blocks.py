"""Procedural blocks that nest deeply keep their lineage, or are too deep: lineal fails over none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lineal import lineage

INSERT = "INSERT INTO t (a) SELECT a FROM s"
Text = Callable[[int], str]


def nest(opening: str, closing: str, around: str = "{}", inner: str = f"{INSERT}; ") -> Text:
    """Return the text of blocks in blocks, by their depth."""
    return lambda depth: around.format(opening * depth + inner + closing * depth)


DOLLARS = "DO $$ BEGIN {} END $$;"
PROCEDURE = "CREATE PROCEDURE p() BEGIN {} END"
BLOCK = "BEGIN {} END;"
COUNTING = "SET @i = (SELECT a FROM s WHERE a = @i); "

SHAPES: dict[tuple[str, str], Text] = {
    ("tsql", "WHILE"): nest("WHILE @i < 3 ", ""),
    ("tsql", "IF"): nest("IF @i < 3 ", ""),
    ("tsql", "BEGIN"): nest("BEGIN ", "END "),
    ("tsql", "WHILE BEGIN"): nest("WHILE @i < 3 BEGIN ", "END "),
    ("tsql", "IF BEGIN"): nest("IF @i < 3 BEGIN ", "END "),
    ("tsql", "ELSE"): nest("IF @i < 3 SELECT 1 ELSE ", ""),
    ("tsql", "TRY"): nest("BEGIN TRY ", "END TRY BEGIN CATCH SELECT 1 END CATCH "),
    ("tsql", "IF SET"): nest(f"IF @i < 3 BEGIN {COUNTING}", "END "),
    ("oracle", "BEGIN"): nest("BEGIN ", "END; "),
    ("oracle", "IF"): nest("IF x < 3 THEN ", "END IF; ", BLOCK),
    ("oracle", "LOOP"): nest("LOOP ", "END LOOP; ", BLOCK),
    ("oracle", "FOR"): nest("FOR i IN 1 .. 3 LOOP ", "END LOOP; ", BLOCK),
    ("postgres", "BEGIN"): nest("BEGIN ", "END; ", DOLLARS),
    ("postgres", "IF"): nest("IF x < 3 THEN ", "END IF; ", DOLLARS),
    ("postgres", "WHILE"): nest("WHILE x < 3 LOOP ", "END LOOP; ", DOLLARS),
    ("snowflake", "BEGIN"): nest("BEGIN ", "END; "),
    ("snowflake", "IF"): nest("IF (x < 3) THEN ", "END IF; ", BLOCK),
    ("snowflake", "WHILE"): nest("WHILE (x < 3) DO ", "END WHILE; ", BLOCK),
    ("bigquery", "BEGIN"): nest("BEGIN ", "END; "),
    ("bigquery", "IF"): nest("IF x < 3 THEN ", "END IF; "),
    ("bigquery", "LOOP"): nest("LOOP ", "END LOOP; "),
    ("mysql", "BEGIN"): nest("BEGIN ", "END; ", PROCEDURE),
    ("mysql", "IF"): nest("IF x < 3 THEN ", "END IF; ", PROCEDURE),
    ("mysql", "WHILE"): nest("WHILE x < 3 DO ", "END WHILE; ", PROCEDURE),
}


@pytest.mark.parametrize("depth", [50, 128, 1000])
@pytest.mark.parametrize(("dialect", "name"), SHAPES)
def test_blocks_in_blocks_keep_their_lineage(dialect: str, name: str, depth: int) -> None:
    found = lineage(SHAPES[dialect, name](depth), dialect=dialect)
    codes = {each.code.code for each in found.diagnostics}
    edges = [str(edge.source) for edge in found.edges if str(edge.target) == "t.a"]
    if codes:
        assert codes == {"too-deep"} and found.coverage.percent < 100
    else:
        assert edges == ["s.a"]


@pytest.mark.parametrize("depth", [1, 2, 50, 128])
def test_loops_that_assign_a_variable_that_nothing_declares(depth: int) -> None:
    opening = f"BEGIN WHILE @i < 1 BEGIN IF @i > 2 BEGIN {COUNTING}"
    text = nest(opening, "END END END ", inner="INSERT INTO t (a) VALUES (@i) ")(depth)
    found = lineage(text, dialect="tsql")
    assert [each.code.code for each in found.diagnostics] == []
    assert [str(edge.source) for edge in found.edges if str(edge.target) == "t.a"] == ["s.a"]
