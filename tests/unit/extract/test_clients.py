"""What a client says leaves every other character in its place."""

from __future__ import annotations

import pytest

from lineal.extract.sql.clients import CLIENTS, as_engine_reads

SAID = {
    "tsql": (
        "SELECT 1;\nGO\nSELECT 2\n  go 5 -- x\n:r x.sql\n",
        "SELECT 1;\n; \nSELECT 2\n  ;    -- x\n        \n",
    ),
    "postgres": ("SELECT :'a', b::\"char\" \\gset x\n", "SELECT  'a', b::\"char\" ;      \n"),
    "oracle": (
        "SET DEFINE OFF\nUPDATE t\nSET a = 1;\nEXEC p(1);\n/\n",
        "              \nUPDATE t\nSET a = 1;\nCALL p(1);\n;\n",
    ),
    "mysql": ("/*!50001 SELECT a */;\nSELECT b\\G\n", "         SELECT a   ;\nSELECT b; \n"),
    "teradata": (".LOGON a;\nSELECT t\n.b;", "         \nSELECT t\n.b;"),
}


@pytest.mark.parametrize("dialect", SAID)
def test_commands_are_left_out(dialect: str) -> None:
    text, read = SAID[dialect]
    assert as_engine_reads(text, dialect) == read


@pytest.mark.parametrize("dialect", CLIENTS)
def test_an_ordinary_statement_is_unchanged(dialect: str) -> None:
    text = "SELECT a, 'GO\\x'\nFROM t -- go\nWHERE a = b / 2\n/* it */ ORDER BY a;"
    assert as_engine_reads(text, dialect) == text


WRITTEN = {
    "postgres": "SELECT 'C:\\git\\x', a FROM t WHERE b = ' \\gx' AND c = 1;",
    "oracle": "BEGIN\nLOOP\na := 1;\nrem := 2;\nEXIT WHEN a > 1; INSERT INTO t VALUES (1);\nprint(a);\nEND LOOP;\nEND;",
}


@pytest.mark.parametrize("dialect", WRITTEN)
def test_text_that_only_looks_like_a_command_stays(dialect: str) -> None:
    assert as_engine_reads(WRITTEN[dialect], dialect) == WRITTEN[dialect]
