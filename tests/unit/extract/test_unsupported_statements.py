"""A statement that is not traced is named by its kind."""

from __future__ import annotations

import pytest

from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.model.script import Corpus, Script


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("CREATE FOOBAR x AS SELECT a FROM t", "CREATE FOOBAR …"),
        ("CREATE OR REPLACE FOOBAR r AS ON INSERT TO t DO ALSO SELECT a FROM s", "CREATE FOOBAR …"),
    ],
)
def test_the_message_names_the_kind(text: str, name: str) -> None:
    (found,) = extract(Corpus("postgres", [Script(text, "postgres", "a.sql")])).diagnostics
    assert found.code is Code.UNSUPPORTED_STATEMENT
    assert found.message == f"{name} is not traced"


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("UPDATE STATISTICS dbo.orders WITH FULLSCAN", []),
        ("UPDATE statistics SET a = b", [Code.UNSUPPORTED_STATEMENT]),
    ],
)
def test_statistics_move_no_data_but_a_table_of_that_name_does(
    text: str, codes: list[Code]
) -> None:
    found = extract(Corpus("tsql", [Script(text, "tsql", "a.sql")])).diagnostics
    assert [each.code for each in found] == codes


def test_a_procedure_that_never_begins_is_a_parse_error() -> None:
    text = "BEGIN\nPROCEDURE s()AS:"
    found = extract(Corpus("hana", [Script(text, "hana", "a.sql")])).diagnostics
    assert Code.PARSE_ERROR in {each.code for each in found}
    assert Code.INTERNAL_ERROR not in {each.code for each in found}
