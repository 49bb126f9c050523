"""sqlglot's expression classes, all of them: an upgrade that brings a new one fails here instead of
losing columns.
"""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from sqlglot import exp

from lineal.extract.sql import expressions
from lineal.extract.sql.query import QUERIES

LIST = Path(__file__).parent / "data" / "expression_classes.txt"

CLASSES: dict[str, type] = {
    name: kind
    for name, kind in inspect.getmembers(exp, inspect.isclass)
    if issubclass(kind, exp.Expr)
}


def listed() -> dict[str, list[str]]:
    """The sections of the list, each with its classes."""
    sections: dict[str, list[str]] = {}
    for line in LIST.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            names = sections.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            names.extend(line.split())
    return sections


SECTIONS = listed()


def handler(kind: type) -> object:
    return expressions.HANDLERS.get(kind) or expressions.handler_for(kind)


def is_operator_by_default(kind: type) -> bool:
    """Whether a class is in no table and is neither a function nor a binary operator."""
    return handler(kind) is expressions.operator


def test_every_class_has_a_handler_or_is_listed() -> None:
    known = {name for names in SECTIONS.values() for name in names}
    new = sorted(
        name for name, kind in CLASSES.items() if is_operator_by_default(kind) and name not in known
    )
    assert new == [], f"give these a handler, or list them in {LIST.name} with what they are"


def test_the_list_names_only_what_there_is() -> None:
    assert (
        sorted(name for names in SECTIONS.values() for name in names if name not in CLASSES) == []
    )


def test_each_class_is_listed_once() -> None:
    names = [name for names in SECTIONS.values() for name in names]
    assert sorted(names) == sorted(set(names))


def test_queries_inside_expressions_are_read_as_queries() -> None:
    """A class that is a query and is walked as an operator would leak the columns of its scope."""
    queries = {kind for kind in CLASSES.values() if kind in QUERIES}
    walked = {kind.__name__ for kind in queries if is_operator_by_default(kind)}
    assert walked <= {"Values", "Table", "Pivot"}  # these stand in FROM


@pytest.mark.parametrize(
    "name", sorted(name for name, kind in CLASSES.items() if issubclass(kind, exp.AggFunc))
)
def test_every_aggregate_is_a_function(name: str) -> None:
    """Of an aggregate no argument may be walked as if nothing was done to it."""
    found = handler(CLASSES[name])
    assert found not in (
        expressions.operator,
        expressions.binary,
        expressions.pass_only_child,
        expressions.pass_children,
    )


# -- the arguments of the classes that are read part by part ---------------------------------------

ARGUMENTS = {
    "Select": "cluster connect distinct distribute exclude expressions for_ format from_ group having hint into joins "
    "kind laterals limit locks match offset operation_modifiers options order pivots prewhere qualify sample settings "
    "sort where windows with_",
    "Union": "by_name cluster connect distinct distribute expression for_ format group having joins kind laterals "
    "limit locks match offset on options order pivots prewhere qualify sample settings side sort this where windows "
    "with_",
    "Table": "alias catalog changes db format hints indexed joins laterals only ordinality partition pattern pivots "
    "rows_from sample system_time this version when",
    "Join": "directed expressions global_ hint kind match_condition method nearest on pivots side this using",
    "Lateral": "alias cross_apply ordinality outer this view",
    "Unnest": "alias explode_array expressions offset",
    "Values": "alias expressions limit offset order pivots",
    "With": "cycle expressions recursive search udfs",
    "CTE": "alias key_expressions materialized scalar this",
    "TableAlias": "columns this",
    "Group": "all cube expressions grouping_sets rollup totals",
    "Order": "expressions siblings this",
    "Ordered": "desc nulls_first this with_fill",
    "Distinct": "expressions on",
    "Star": "except_ ilike rename replace",
    "Column": "catalog db join_mark shadow table this",
    "Window": "alias first order over partition_by spec this",
    "Filter": "expression this",
    "WithinGroup": "expression this",
    "Case": "default ifs this",
    "If": "false this true",
    "Nullif": "expression this",
    "Exists": "expression this",
    "Lambda": "expressions this",
    "Dot": "expression this",
    "PropertyEQ": "expression this",
    "Kwarg": "expression this",
    "Insert": "alternative by_name conflict default exists expression hint ignore is_function overwrite partition "
    "returning settings source stored this using where with_",
    "Create": "begin clone clustered concurrently exists expression indexes kind no_schema_binding properties refresh "
    "replace this unique with_",
}
"""These are not walked as a whole, so that a new argument would be a clause that is lost without a
word.
"""


@pytest.mark.parametrize("name", ARGUMENTS)
def test_no_clause_is_new(name: str) -> None:
    assert sorted(CLASSES[name].arg_types) == sorted(ARGUMENTS[name].split())
