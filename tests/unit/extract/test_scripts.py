"""Scripts beyond what a case can say: options, many statements, several files."""

from __future__ import annotations

import pytest

import lineal
from lineal.model.diagnostic import Code


def edges(found: lineal.Lineage) -> set[str]:
    return {str(edge) for edge in found.edges}


STAGED = "CREATE TEMP TABLE paid AS SELECT id FROM orders; CREATE VIEW mart AS SELECT id FROM paid;"


def test_temporary_tables_can_be_kept() -> None:
    kept = lineal.lineage(STAGED, "postgres", collapse_temp=False)
    assert edges(kept) == {"orders.id -> paid.id  IDENTITY", "paid.id -> mart.id  IDENTITY"}
    assert {info.dataset.name: info.kind for info in kept.datasets}["paid"] == "temporary"


def test_kept_tables_of_one_name_have_the_name_of_their_file() -> None:
    other = STAGED.replace("mart", "mart2").replace("orders", "orders2")
    kept = lineal.lineage(
        {"a": STAGED, "b": other, "c": "SELECT z FROM paid"}, "postgres", collapse_temp=False
    )
    assert "a::paid.id -> mart.id  IDENTITY" in edges(kept)
    assert "b::paid.id -> mart2.id  IDENTITY" in edges(kept)
    assert "paid.z -> c.z  IDENTITY" in edges(kept)


def test_a_temporary_table_is_seen_in_its_own_file_only() -> None:
    found = lineal.lineage({"a": STAGED, "b": "SELECT id FROM paid"}, "postgres")
    assert edges(found) == {"orders.id -> mart.id  IDENTITY", "paid.id -> b.id  IDENTITY"}


def test_reads_of_a_temporary_table_belong_to_its_reader() -> None:
    found = lineal.lineage(STAGED.replace("FROM orders", "FROM orders WHERE day > 1"), "postgres")
    assert {(str(read.target), str(read.dataset), read.column) for read in found.reads} == {
        ("mart", "orders", None),
        ("mart", "orders", "id"),
        ("mart", "orders", "day"),
    }


@pytest.mark.parametrize("asked_first", [False, True])
def test_chains_of_any_length(asked_first: bool) -> None:
    steps = ["CREATE TEMP TABLE x0 AS SELECT a FROM s"]
    steps += [f"CREATE TEMP TABLE x{i} AS SELECT a + 1 AS a FROM x{i - 1}" for i in range(1, 1500)]
    script = ";".join([*steps, "CREATE VIEW v AS SELECT a FROM x1499"])
    texts = {"asked": "SELECT a FROM v", "script": script} if asked_first else {"script": script}
    found = lineal.lineage(texts, "postgres")
    assert "s.a -> v.a  TRANSFORMATION" in edges(found)
    assert not found.diagnostics


def test_evidence_reaches_through_temporary_tables() -> None:
    script = """CREATE TEMP TABLE x AS SELECT a, b FROM p JOIN q ON p.i = q.i;
                CREATE VIEW v AS SELECT a FROM x;
                CREATE VIEW w AS SELECT p.a, q.b FROM p JOIN q ON p.i = q.i;"""
    found = lineal.lineage(script, "postgres")
    assert {
        str(edge.source): edge.level.name for edge in found.edges if str(edge.target) == "v.a"
    } == {"p.a": "MEDIUM"}


def test_one_table_under_three_names() -> None:
    texts = {
        "a": "SELECT id FROM orders",
        "b": "SELECT id FROM sales.orders",
        "c": "SELECT id FROM main.sales.orders",
    }
    found = lineal.lineage(texts, "postgres", default_catalog="main", default_schema="sales")
    assert {str(edge.source) for edge in found.edges} == {"main.sales.orders.id"}


def test_the_search_path_finds_the_first_schema_that_has_the_table() -> None:
    schema = {"raw.orders": {"id": "int"}, "mart.users": {"id": "int"}}
    text = "SELECT o.id, u.id AS uid, n.id AS nid FROM orders o, users u, new n"
    found = lineal.lineage({"a": text}, "postgres", schema, default_schema=["mart", "raw"])
    assert {str(edge.source) for edge in found.edges} == {
        "raw.orders.id",
        "mart.users.id",
        "mart.new.id",
    }


def test_an_open_star_is_reported_once_for_its_table() -> None:
    found = lineal.lineage({"a": "SELECT * FROM t", "b": "SELECT * FROM t", "c": "SELECT * FROM a"})
    stars = [diagnostic for diagnostic in found.diagnostics if diagnostic.code is Code.OPEN_STAR]
    assert [diagnostic.message for diagnostic in stars] == [
        "the columns of 't' are not known: * stays open"
    ]
