"""The function table against the lists that others keep: sqlglot's classes, Spark's functions,
DuckDB's catalog.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
from sqlglot import exp

from lineal.algebra.functions import FUNCTIONS, RULES, Role, known
from lineal.extract.sql import expressions

PLAIN = Path(__file__).parent / "data" / "plain_functions.txt"
CLASSES: dict[str, type[exp.Func]] = {
    name: kind
    for name, kind in inspect.getmembers(exp, inspect.isclass)
    if issubclass(kind, exp.Func) and kind is not exp.Func
}
WITHOUT_NAMES = {
    "Agg",
    "AggFunc",
    "AnonymousAggFunc",
    "CombinedAggFunc",
    "CombinedParameterizedAgg",
    "ParameterizedAgg",
}
OVER_ROWS = (Role.AGGREGATE, Role.ORDERED, Role.VALUE_AT, Role.RANKING, Role.GROUPING)


def row(kind: type[exp.Func]) -> object:
    return next(
        (found for name in kind.sql_names() if (found := known(name.lower())) is not None), None
    )


def plain() -> list[str]:
    lines = PLAIN.read_text(encoding="utf-8").splitlines()
    return [name for line in lines if not line.startswith("#") for name in line.split()]


@pytest.mark.parametrize(
    "name", sorted(n for n, k in CLASSES.items() if issubclass(k, exp.AggFunc))
)
def test_every_aggregate_of_the_parser_has_a_row(name: str) -> None:
    if name not in WITHOUT_NAMES:
        found = row(CLASSES[name])
        assert found is not None and getattr(found, "role", None) in OVER_ROWS


def test_every_function_of_the_parser_has_a_row_or_is_listed_as_plain() -> None:
    listed = set(plain())
    others = {name: kind for name, kind in CLASSES.items() if not issubclass(kind, exp.AggFunc)}
    walked = {
        name
        for name, kind in others.items()
        if (expressions.HANDLERS.get(kind) or expressions.handler_for(kind)) is expressions.function
    }
    assert sorted(name for name in walked if row(others[name]) is None and name not in listed) == []
    assert (
        sorted(name for name in listed if name not in others or row(others[name]) is not None) == []
    )


def test_every_function_with_a_unit_takes_a_date_part() -> None:
    """Of a class with a unit that is not a DATE function, a date part would be read as a column."""
    with_unit = {name: kind for name, kind in CLASSES.items() if "unit" in kind.arg_types}
    assert {
        name
        for name, kind in with_unit.items()
        if getattr(row(kind), "role", None) is not Role.DATE
    } <= {"DateBin"}


def test_every_rule_is_a_rule_or_a_type() -> None:
    types = {"", "bigint", "int", "double", "text", "boolean"}
    assert {function.returns for function in FUNCTIONS.values()} <= types | set(RULES)


DOCUMENTED = re.compile(r"^\W*(aggregate|window) function", re.IGNORECASE)


def test_every_aggregate_of_pyspark_is_known() -> None:
    functions = pytest.importorskip("pyspark.sql.functions")
    documented = [
        name
        for name, function in inspect.getmembers(functions, inspect.isfunction)
        if DOCUMENTED.match((function.__doc__ or "").strip())
        and function.__module__.startswith("pyspark.sql")
    ]
    assert len(documented) > 50
    unknown = [
        name for name in documented if getattr(known(name.lower()), "role", None) not in OVER_ROWS
    ]
    assert unknown == []


def test_every_aggregate_of_duckdb_is_known() -> None:
    duckdb = pytest.importorskip("duckdb")
    query = (
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'aggregate'"
    )
    names = [name for (name,) in duckdb.sql(query).fetchall() if name.isidentifier()]
    assert len(names) > 50
    assert [name for name in names if getattr(known(name), "role", None) not in OVER_ROWS] == []


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("json_arrayagg", "json_array_agg"),
        ("jsonarrayagg", "json_array_agg"),
        ("uniqexact", "uniq"),
        ("sha512", "sha2"),
    ],
)
def test_a_function_is_known_in_all_of_its_spellings(name: str, shown: str) -> None:
    found = known(name)
    assert found is not None and found.name == shown


@pytest.mark.parametrize(
    "name", ["upper", "substring", "aes_decrypt", "decrypt", "array_max", "soundex", ""]
)
def test_a_plain_function_neither_aggregates_nor_masks(name: str) -> None:
    found = known(name)
    assert found is None or (found.role is Role.SCALAR and not found.masks)
