"""Statements that only Spark says, or of which the session decides whether they do anything."""

from __future__ import annotations

import pytest

from lineal.incremental.extraction import extract
from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.script import Corpus, Script

SCHEMA = [
    DatasetInfo(
        Dataset("", "t"), "table", [ColumnInfo(name) for name in ("id", "a", "b")], complete=True
    ),
    DatasetInfo(
        Dataset("", "u"),
        "table",
        [ColumnInfo("id", "int"), ColumnInfo("s", "struct<f:int,g:int>")],
        complete=True,
    ),
]

STATEMENTS = {
    "CREATE TABLE k AS SELECT a FROM t; CREATE TABLE IF NOT EXISTS k AS SELECT b FROM t": {
        "t.a -> k.a  IDENTITY"
    },
    "CREATE TABLE k AS SELECT a FROM t; DROP TABLE k; CREATE TABLE IF NOT EXISTS k AS SELECT b FROM t": {
        "t.b -> k.b  IDENTITY"
    },
    "CREATE TABLE IF NOT EXISTS k AS SELECT a FROM t; INSERT INTO k SELECT b FROM t": {
        "t.a -> k.a  IDENTITY",
        "t.b -> k.a  IDENTITY",
    },
    "CREATE TABLE IDENTIFIER('d.k') AS SELECT a FROM IDENTIFIER('t')": {"t.a -> d.k.a  IDENTITY"},
    "INSERT INTO IDENTIFIER('d' || '.k') SELECT a FROM t": {"t.a -> d.k.a  IDENTITY"},
    "INSERT OVERWRITE DIRECTORY '/out' USING json OPTIONS ('x' 'y') SELECT a FROM t": {
        "t.a -> /out.a  IDENTITY"
    },
    "INSERT OVERWRITE LOCAL DIRECTORY USING json OPTIONS (path '/out') SELECT a FROM t": {
        "t.a -> /out.a  IDENTITY"
    },
    "UPDATE u SET s.f = id": {"u.id -> u.s.f  IDENTITY"},
    "UPDATE u AS v SET v.s.f = v.s.g, v.id = 1": {"u.s.g -> u.s.f  TRANSFORMATION"},
    "UPDATE u SET u.id = s.f": {"u.s.f -> u.id  TRANSFORMATION"},
    "CREATE TABLE k AS SELECT a:x::int AS n FROM t": {"t.a.x -> k.n  TRANSFORMATION"},
}


@pytest.mark.parametrize("text", STATEMENTS)
def test_a_statement_gives_its_edges(text):
    found = extract(Corpus("spark", [Script(text, "spark", "a.sql")], SCHEMA))
    assert {str(edge) for edge in found.edges} == STATEMENTS[text]
    assert not found.diagnostics
    assert found.coverage.statements.evaluated == found.coverage.statements.found
