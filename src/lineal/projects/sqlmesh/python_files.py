"""Python of a SQLMesh project: macros, models, config.py. It is parsed, never executed.

@macro()
def cents(evaluator, column): return f"{column} * 100"

@model("shop.orders", columns={"id": "int"}, depends_on=["raw.orders"])
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.projects.sqlmesh.macros import PythonMacro
from lineal.projects.text import Report

UNKNOWN = object()
"""The value of an expression that is not a constant."""


def parse_python(text: str, file: str, report: Report) -> ast.Module | None:
    """Return the tree of a Python file; None and a diagnostic if it is not valid."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        message = f"not valid Python: {getattr(error, 'msg', None) or error}"
        report(Diagnostic(Code.PARSE_ERROR, message, Place(file, line, 1)))
        return None


def constants_of(tree: ast.Module) -> dict[str, object]:
    """Return the constants that a module assigns to names."""
    found: dict[str, Any] = {}

    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = value_of(node.value, found)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            found[node.target.id] = value_of(node.value, found)

    return {name: value for name, value in found.items() if value is not UNKNOWN}


def value_of(node: ast.expr | None, names: Mapping[str, object]) -> Any:
    """Return the value of a constant expression; UNKNOWN for any other."""
    if isinstance(node, ast.Constant):
        return node.value

    if isinstance(node, ast.Name):
        return names.get(node.id, UNKNOWN)

    if isinstance(node, ast.Attribute):
        return node.attr  # ModelKindName.FULL

    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return [value_of(each, names) for each in node.elts]

    if isinstance(node, ast.ListComp):
        return comprehension_value(node, names)

    if isinstance(node, ast.Dict):
        return dict_value(node, names)

    if isinstance(node, ast.Call):
        return call_value(node, names)

    if isinstance(node, ast.JoinedStr):
        return joined_value(node, names)

    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = value_of(node.left, names), value_of(node.right, names)
        if isinstance(left, str) and isinstance(right, str):
            return left + right

        if isinstance(left, list) and isinstance(right, list):
            return [*left, *right]

    return UNKNOWN


def dict_value(node: ast.Dict, names: Mapping[str, object]) -> dict[Any, Any]:
    """Return a dictionary; keys other than constants are left out."""
    found: dict[Any, Any] = {}

    for key, item in zip(node.keys, node.values, strict=True):
        held = value_of(item, names)
        if key is None and isinstance(held, dict):
            found.update(held)
        elif key is not None:
            name = value_of(key, names)
            if isinstance(name, (str, int, float, bool)):
                found[name] = held

    return found


def comprehension_value(node: ast.ListComp, names: Mapping[str, object]) -> Any:
    """[to_column(c) for c in ("a", "b")]"""
    first = node.generators[0]
    items = value_of(first.iter, names)
    plain = len(node.generators) == 1 and not first.ifs and isinstance(first.target, ast.Name)
    if not plain or not isinstance(items, list):
        return UNKNOWN

    assert isinstance(first.target, ast.Name)
    return [value_of(node.elt, {**names, first.target.id: item}) for item in items]


NAMING = ("to_column", "exp.to_column", "exp.column", "column", "str", "exp.to_table")
"""Functions that make a name of a text."""


def call_value(node: ast.Call, names: Mapping[str, object]) -> Any:
    """dict(name=…), to_column("a"), ModelDefaultsConfig(dialect="duckdb")"""
    if node.keywords and not node.args:
        found: dict[Any, Any] = {}
        for keyword in node.keywords:
            held = value_of(keyword.value, names)
            if keyword.arg is not None:
                found[keyword.arg] = held
            elif isinstance(held, dict):
                found.update(held)

        return found

    if len(node.args) == 1 and not node.keywords and ast.unparse(node.func) in NAMING:
        held = value_of(node.args[0], names)
        if isinstance(held, str):
            return held

        return UNKNOWN

    return UNKNOWN


def joined_value(node: ast.JoinedStr, names: Mapping[str, object]) -> Any:
    """f"{SCHEMA}.orders" """
    written = []

    for each in node.values:
        held = each
        if isinstance(each, ast.FormattedValue):
            held = each.value

        found = value_of(held, names)
        if not isinstance(found, (str, int, float)):
            return UNKNOWN

        written.append(str(found))

    return "".join(written)


# -- macros ----------------------------------------------------------------------------------------


def macros_of(tree: ast.Module, file: str) -> Iterator[PythonMacro]:
    """Yield the macros of a file: @macro() def name(evaluator, …)."""
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef):
            continue

        decorator = decorator_of(node, "macro")
        if decorator is not None:
            given = None
            if decorator.args:
                given = value_of(decorator.args[0], {})

            name = node.name
            if isinstance(given, str):
                name = given

            yield PythonMacro(name.lower(), file, node.lineno, node.name)


def decorator_of(node: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> ast.Call | None:
    """Return the decorator of this name, as a call."""
    for each in node.decorator_list:
        called = each
        if isinstance(each, ast.Call):
            called = each.func

        spelled = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if spelled == name:
            if isinstance(each, ast.Call):
                return each

            return ast.Call(called, [], [])

    return None


# -- models ----------------------------------------------------------------------------------------


@dataclass
class PythonModel:
    """@model(…) def execute(context, …)"""

    name: str
    settings: dict[str, Any]
    line: int
    reads: list[tuple[str, int]] = field(default_factory=list)
    """The tables that it names by literals, with their lines."""
    queries: list[tuple[str, int]] = field(default_factory=list)
    """The SQL that it fetches, with its lines."""
    function: str = ""
    """The function that makes it."""

    @property
    def is_sql(self) -> bool:
        """Tell whether the function returns SQL."""
        return self.settings.get("is_sql") is True


READERS = ("resolve_table", "table", "fetch_table", "columns_to_types", "from_")
FETCHERS = ("fetchdf", "fetch_pyspark_df", "fetch_df", "fetchone", "fetchall", "sql")


def models_of(tree: ast.Module) -> Iterator[PythonModel]:
    """Yield the models of a file."""
    names = constants_of(tree)
    for node in tree.body:
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue

        decorator = decorator_of(node, "model")
        if decorator is None:
            continue

        settings = {
            each.arg: value_of(each.value, names) for each in decorator.keywords if each.arg
        }
        first = value_of(decorator.args[0], names) if decorator.args else settings.get("name")
        name = ""
        if isinstance(first, str):
            name = first

        model = PythonModel(name, settings, node.lineno, function=node.name)
        find_reads(tree, names, model)
        yield model


def find_reads(tree: ast.Module, names: Mapping[str, object], model: PythonModel) -> None:
    """context.resolve_table("a"), context.fetchdf("SELECT …")      in any function of the file"""
    for node in ast.walk(tree):
        called = None
        if isinstance(node, ast.Call):
            called = node.func

        if not isinstance(node, ast.Call) or not isinstance(called, ast.Attribute):
            continue

        given = UNKNOWN
        if node.args:
            given = value_of(node.args[0], names)

        if not isinstance(given, str):
            continue

        if called.attr in READERS:
            model.reads.append((given.split()[0] if given.split() else given, node.lineno))
        elif called.attr in FETCHERS:
            model.queries.append((given, node.args[0].lineno))

    depends = model.settings.get("depends_on")

    for name in depends if isinstance(depends, (list, tuple)) else ():
        if isinstance(name, str):
            model.reads.append((name, model.line))
