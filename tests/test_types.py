"""The types that the text tells: compared with DuckDB, carried through models, not computed before
they are asked.
"""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from sqlglot import exp

import lineal
from data.typed import typed_queries
from lineal.model.extraction import ColumnInfo
from lineal.resolve.types import Types

SCHEMA = {
    "t": {
        "i": "INTEGER", "b": "BIGINT", "s": "SMALLINT", "y": "TINYINT", "d": "DECIMAL(10,2)", "e": "DECIMAL(18,6)",
        "f": "FLOAT", "g": "DOUBLE", "x": "VARCHAR", "k": "BOOLEAN", "dt": "DATE", "ts": "TIMESTAMP",
        "st": "STRUCT(a INTEGER, c STRUCT(z VARCHAR))", "ar": "INTEGER[]",
    },
    "u": {"i": "BIGINT", "x": "VARCHAR", "w": "DATE"},
}  # fmt: skip


def types(
    source: Any, schema: Any = None, dialect: str = "spark", name: str = "result"
) -> dict[str, str]:
    found = lineal.lineage(source, dialect=dialect, schema=schema)
    return {
        column.name: column.type
        for info in found.datasets
        if info.dataset.name == name
        for column in info.columns
    }


def test_claimed_types_are_those_of_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    engine = duckdb.connect()
    for table, columns in SCHEMA.items():
        engine.execute(
            f"CREATE TABLE {table} ({', '.join(f'{name} {kind}' for name, kind in columns.items())})"
        )
    wrong, claims = [], 0
    texts = typed_queries("typed_duckdb.txt")
    for text in texts:
        found = types({"result": text}, SCHEMA, "duckdb")
        for name, true, *_ in engine.execute(f"DESCRIBE {text}").fetchall():
            kind = found[name]
            claims += bool(kind)
            if kind and read(kind) != read(true):
                wrong.append(f"{text}: {kind} is {true}")
    assert wrong == []
    assert claims >= 0.75 * len(texts)


def read(text: str) -> exp.DataType:
    return exp.DataType.build(text, dialect="duckdb")


ORDERS = {
    "orders": {"id": "Integer", "amount": "decimal( 10,2 )", "placed": "date", "tag": "my_enum"}
}


def test_a_declared_type_keeps_its_spelling_through_models() -> None:
    models = {
        "a": "SELECT * FROM orders",
        "b": "WITH c AS (SELECT id, amount AS paid, tag FROM a) SELECT * FROM c UNION ALL SELECT id, paid, tag FROM c",
        "result": "SELECT s.paid, s.id, tag, (SELECT max(placed) FROM a) AS last FROM (SELECT * FROM b) s",
    }
    assert types(models, ORDERS) == {
        "paid": "decimal( 10,2 )",
        "id": "Integer",
        "tag": "my_enum",
        "last": "date",
    }


def test_types_come_from_ddl_and_casts() -> None:
    ddl = "CREATE TABLE t (a INT, s STRUCT<p: BIGINT>)"
    assert types(f"{ddl}; CREATE VIEW result AS SELECT a, s.p, CAST(a AS STRING) AS c FROM t") == {
        "a": "INT",
        "p": "BIGINT",
        "c": "STRING",
    }


def test_the_type_in_the_yaml_of_a_model_counts() -> None:
    assert types(
        {"result": "SELECT id AS n FROM orders"}, {**ORDERS, "result": {"n": "bigint"}}
    ) == {"n": "bigint"}


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT x FROM unknown_table", {"x": ""}),
        ("SELECT a.id FROM orders a JOIN unknown_table b", {"id": "Integer"}),
        ("SELECT id FROM orders JOIN unknown_table", {"id": ""}),
        ("SELECT wiggle(id) AS w FROM orders", {"w": ""}),
        ("SELECT id + tag AS w FROM orders", {"w": ""}),
        ("SELECT CASE WHEN id > 1 THEN id ELSE tag END AS w FROM orders", {"w": ""}),
        ("SELECT id FROM orders UNION SELECT tag FROM orders", {"id": ""}),
        ("SELECT NULL AS w", {"w": ""}),
        ("SELECT transform(xs, x -> x + 1) AS w FROM (SELECT array(1) AS xs, 2 AS x)", {"w": ""}),
    ],
)
def test_unknown_types_are_not_claimed(sql: str, expected: dict[str, str]) -> None:
    assert types({"result": sql}, ORDERS) == expected


def test_a_model_that_reads_itself_has_the_type_of_its_other_branch() -> None:
    found = types({"result": "SELECT id FROM orders UNION ALL SELECT id FROM result"}, ORDERS)
    assert found["id"] in ("", "Integer")


def test_definitions_in_a_circle_end() -> None:
    assert types({"a": "SELECT x FROM result", "result": "SELECT x FROM a"}) == {"x": ""}


def test_a_chain_of_any_length_is_typed() -> None:
    models = {f"m{n}": f"SELECT id FROM {'orders' if n == 0 else f'm{n - 1}'}" for n in range(3000)}
    assert types(models, ORDERS, name="m2999") == {"id": "Integer"}


@pytest.mark.parametrize(
    "kind",
    ["", "array<" * 5000, "struct<a:", "int); DROP TABLE x", "a" * 100_000, "🙂", "decimal(x,y)"],
)
def test_a_hostile_type_costs_nothing(kind: str) -> None:
    found = types({"result": "SELECT a, a + 1 AS b, a.c FROM t"}, {"t": {"a": kind, "z": "int"}})
    assert set(found) == {"a", "b", "c"}


def test_no_type_is_computed_before_somebody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    whole = Types.type_of
    monkeypatch.setattr(
        Types, "type_of", lambda self, entry, key: asked.append(key) or whole(self, entry, key)
    )
    found = lineal.lineage(
        {"result": "SELECT id + 1 AS n FROM orders"}, dialect="spark", schema=ORDERS
    )
    assert [column.name for info in found.datasets for column in info.columns] == [
        "n",
        "id",
        "amount",
        "placed",
        "tag",
    ]
    assert asked == []
    assert found.datasets[0].columns[0].type == "INT" and asked == ["n"]


def test_a_late_type_is_like_any_other() -> None:
    column = lineal.lineage({"result": "SELECT 1 AS n"}, dialect="spark").datasets[0].columns[0]
    plain = ColumnInfo("n", "INT")
    assert (column == plain, plain == column, hash(column) == hash(plain)) == (True, True, True)
    assert column != ColumnInfo("n", "BIGINT")
    travelled = pickle.loads(pickle.dumps(column))
    assert type(travelled) is ColumnInfo and travelled == plain
    assert column._replace(name="m") == ColumnInfo("m", "INT")


def test_types_are_in_the_json_view() -> None:
    found = lineal.lineage(
        {"result": "SELECT id, count(*) AS n, f(id) AS x FROM orders GROUP BY id"}, "spark", ORDERS
    )
    shown = {each["name"]: each for each in json.loads(found.to("json"))["datasets"]}
    assert [(column["name"], column["type"]) for column in shown["result"]["columns"]] == [
        ("id", "Integer"),
        ("n", "BIGINT"),
        ("x", None),
    ]
