"""SQL in code that the interpreter has not reached.

    for batch in load_batches():        nobody knows whether there is a batch
        cursor.execute("INSERT INTO orders SELECT …")

A text that is handed to a database stays a statement, even if only a run knows whether the call
happens. The text is evaluated with the names of the module, and with the last assignment of a name
in the same function. Parameters and other local values are placeholders.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lineal.extract.pyspark.dispatch import value
from lineal.extract.pyspark.embedded.clients import SQL_NAMES, dialect_by_imports
from lineal.extract.pyspark.embedded.statements import About, Called, Collector, texts_in
from lineal.extract.pyspark.run import Environment, Exhausted, Run
from lineal.extract.pyspark.values import Unknown
from lineal.model.way import Confidence

if TYPE_CHECKING:
    from lineal.extract.pyspark.files import File

CALLS = frozenset(
    """execute executemany executescript exec_driver_sql execute_sql read_sql read_sql_query
    read_gbq get_records get_first get_pandas_df run_query query_and_wait fetchrow fetchval
    """.split()  # noqa: SIM905
)
"""Methods whose first argument is SQL, whatever their object is."""

STATEMENT = re.compile(
    r"\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*)*"
    r"(?:select|with|insert|create|update|delete|merge|replace|truncate|drop|alter)\s",
    re.IGNORECASE | re.DOTALL,
)
Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module


def add_unreached(run: Run, collector: Collector, files: list[File]) -> None:
    """Keep the SQL of calls that no run of the program has come to."""
    for file in files:
        if file.environment is None:
            continue

        run.start(file)
        run.reading = file.reading
        for scope, node in calls_in(file.tree):
            if id(node) not in collector.reached:
                run.home = home_of(file, scope)
                add_call(run, collector, scope, node, file.environment)


def home_of(file: File, scope: Scope) -> str:
    """Return what a bare query is named after: dags/load.py::fetch"""
    if isinstance(scope, ast.Module):
        return file.label

    return f"{file.label}::{scope.name}"


def calls_in(tree: ast.Module) -> Iterator[tuple[Scope, ast.Call]]:
    """Yield the calls that are handed SQL, each with the function around it."""
    waiting: list[tuple[Scope, ast.AST]] = [(tree, tree)]

    while waiting:
        scope, node = waiting.pop()
        inner = scope
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inner = node

        waiting.extend((inner, child) for child in ast.iter_child_nodes(node))
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue

        if node.func.attr in CALLS:
            yield scope, node


def add_call(
    run: Run, collector: Collector, scope: Scope, node: ast.Call, env: Environment
) -> None:
    """Keep the SQL of one call, as far as its text is known."""
    called = Called(None, None, node.func.attr, [], {}, node)  # type: ignore[attr-defined]
    expression = called.expression(0, *SQL_NAMES)
    if expression is None:
        return

    try:
        held = value(run, expression, local_environment(run, scope, expression, env))
    except (Exhausted, RecursionError):
        return

    if any(map(STATEMENT.match, texts_in(held))):
        collector.add(run, called, held, expression, About(dialect_by_imports(run)))


def local_environment(
    run: Run, scope: Scope, expression: ast.expr, env: Environment
) -> Environment:
    """Return the names of a function as far as a text needs them."""
    local = Environment({}, env, env.file)
    if isinstance(scope, ast.Module):
        return local

    spec = scope.args
    for parameter in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs):
        reason = f"the parameter {parameter.arg} of {scope.name}"
        local.names[parameter.arg] = Unknown(parameter.arg, reason, Confidence.LOW)

    for target, assigned in assignments_before(scope, expression.lineno):
        local.names[target] = value(run, assigned, local)

    return local


def assignments_before(scope: Scope, line: int) -> Iterator[tuple[str, ast.expr]]:
    """sql = "…"      the texts that names are bound to before a line"""
    for node in ast.walk(scope):
        if not isinstance(node, ast.Assign) or node.lineno >= line:
            continue

        if not isinstance(node.value, (ast.Constant, ast.JoinedStr, ast.BinOp)):
            continue

        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, node.value
