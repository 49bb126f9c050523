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
