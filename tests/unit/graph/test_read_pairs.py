"""Which dataset reads which, asked without the columns and places of reads."""

from __future__ import annotations

import pytest

from lineal.incremental.extraction import extract
from lineal.projects import corpus_of_text

SCRIPTS = {
    "spellings": {
        "a.sql": "CREATE VIEW a AS SELECT t.Id FROM Orders t",
        "b.sql": "CREATE VIEW b AS SELECT t.ID FROM ORDERS t",
    },
    "a temporary table": {
        "s.sql": "CREATE TEMP TABLE x AS SELECT a FROM t; CREATE TABLE y AS SELECT a FROM x JOIN u ON x.a = u.b"
    },
    "a column in two clauses": {"v.sql": "CREATE VIEW v AS SELECT a FROM t WHERE a > 1 ORDER BY a"},
    "an UPDATE": {"u.sql": "UPDATE t SET a = (SELECT max(b) FROM s) WHERE c IN (SELECT d FROM r)"},
}  # fmt: skip


@pytest.mark.parametrize("name", SCRIPTS)
def test_pairs_are_those_of_the_reads_in_their_order(name: str) -> None:
    found = extract(corpus_of_text(SCRIPTS[name], None, None))
    assert found.reads
    assert list(found.read_pairs) == list(
        dict.fromkeys((read.target, read.dataset) for read in found.reads)
    )
