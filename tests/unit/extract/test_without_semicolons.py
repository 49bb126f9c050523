"""Statements that follow each other without a semicolon, in a file whose dialect nothing tells."""

from pathlib import Path

from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.projects import load

TEXT = """SELECT a, COUNT(*) AS n
FROM b.t
GROUP BY a

-- load
INSERT INTO s.t (x)
SELECT a FROM b.t

WITH c AS (SELECT x FROM s.t)
SELECT x AS y FROM c
"""


def test_each_is_a_statement(tmp_path: Path) -> None:
    (tmp_path / "notes.sql").write_text(TEXT)
    found = extract(load(tmp_path))
    edges = {f"{edge.source} -> {edge.target}" for edge in found.edges if "." in str(edge.target)}
    assert {"b.t.a -> notes.a", "b.t.a -> s.t.x", "s.t.x -> notes_2.y"} <= edges
    assert not found.diagnostics


def test_a_broken_statement_stays_one_error(tmp_path: Path) -> None:
    (tmp_path / "notes.sql").write_text("SELECT a FROM t\n\nINSERT INTO u SET a = 1 WHERE FROM\n")
    found = extract(load(tmp_path))
    assert [each.code for each in found.diagnostics] == [Code.PARSE_ERROR]
    assert not found.edges
