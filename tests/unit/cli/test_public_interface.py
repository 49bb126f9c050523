from __future__ import annotations

from pathlib import Path

import pytest

import lineal

VIEW = "CREATE VIEW v AS SELECT a AS b FROM t"


def edges(found: lineal.Lineage) -> list[str]:
    return [str(edge) for edge in found.edges]


def test_a_path_a_text_a_list_and_a_mapping(tmp_path: Path) -> None:
    (tmp_path / "v.sql").write_text(VIEW)
    expected = ["t.a -> v.b  IDENTITY"]
    assert edges(lineal.lineage(tmp_path)) == expected
    assert edges(lineal.lineage(str(tmp_path / "v.sql"))) == expected
    assert edges(lineal.lineage(VIEW)) == expected
    assert edges(lineal.lineage({"v": "SELECT a AS b FROM t"})) == expected
    both = lineal.lineage([tmp_path / "v.sql", "CREATE VIEW w AS SELECT b FROM v"])
    assert [str(edge) for edge in both.upstream("w.b")] == ["v.b -> w.b  IDENTITY", *expected]
    assert edges(lineal.lineage([])) == []
    assert edges(lineal.lineage("")) == []


def test_text_without_white_space_is_sql_if_it_has_a_keyword() -> None:
    assert edges(lineal.lineage({"v": "SELECT(a)FROM(t)"})) == edges(
        lineal.lineage({"v": "select a from t"})
    )
    lineal.lineage("SELECT(1)")
    with pytest.raises(FileNotFoundError, match="not SQL"):
        lineal.lineage("orders.sql")
    with pytest.raises(FileNotFoundError):
        lineal.lineage(Path("no such file"))
    with pytest.raises(TypeError):
        lineal.lineage([1])  # type: ignore[list-item]


def test_a_schema_is_a_mapping_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "schema.json").write_text('{"tables": {"t": {"a": "int", "b": "int"}}}')
    for schema in (
        {"t": {"a": "int", "b": "int"}},
        tmp_path / "schema.json",
        str(tmp_path / "schema.json"),
    ):
        assert len(lineal.lineage("CREATE VIEW v AS SELECT * FROM t", schema=schema).edges) == 2
        assert len(lineal.lineage(["CREATE VIEW v AS SELECT * FROM t"], schema=schema).edges) == 2


def test_columns_are_given_as_names_or_objects() -> None:
    found = lineal.lineage(VIEW)
    column = found.column("V.B")
    assert str(column) == "v.b"
    assert found.upstream(column) == found.upstream("v.b")
    assert found.impact(found.column("t.a"))[0].column == column
    with pytest.raises(lineal.UnknownName):
        found.downstream(lineal.Column(lineal.Dataset("", "nowhere"), "b"))


def test_every_format() -> None:
    found = lineal.lineage(VIEW)
    for format in ("table", "json", "dot", "mermaid"):
        assert "v" in found.to(format) and "v" in found.to(format, "v.b")
    assert "CHAIN: v.b" in found.to("chain", "v.b")
    with pytest.raises(ValueError, match="one column"):
        found.to("chain")
    with pytest.raises(ValueError, match="choose one of"):
        found.to("pdf")


def test_example_1_of_seed_002_in_the_given_order() -> None:
    found = lineal.lineage(
        """
        CREATE VIEW info AS
        SELECT c.name, c.age, o.oid, w.*
        FROM customers c JOIN orders o ON c.cid = o.cid JOIN webact w ON c.cid = w.wcid;
        CREATE VIEW webact AS
        SELECT w.wcid, w.wdate, w.wpage, w.wreg FROM webinfo w
        INTERSECT SELECT w1.cid, w1.date, w1.page, w1.reg FROM web w1;
        CREATE VIEW webinfo AS
        SELECT c.cid AS wcid, w.date AS wdate, w.page AS wpage, w.reg AS wreg
        FROM customers c JOIN web w ON c.cid = w.cid WHERE EXTRACT(YEAR from w.date) = 2022;
        """
    )
    reached = {str(one.column): one.why for one in found.impact("web.page")}
    assert {name: why for name, why in reached.items() if why != "referenced"} == {
        "webinfo.wpage": "contributed",
        "webact.wpage": "both",
        "info.wpage": "both",
    }
    rest = {f"webact.{name}" for name in ("wcid", "wdate", "wreg")}
    rest |= {f"info.{name}" for name in ("name", "age", "oid", "wcid", "wdate", "wreg")}
    assert {name for name, why in reached.items() if why == "referenced"} == rest
