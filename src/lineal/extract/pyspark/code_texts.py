"""Calls that see the names around them: super(), locals(), eval(), %run."""

from __future__ import annotations

import ast
from collections.abc import Callable

from lineal.extract.pyspark.blocks import Returns, run_block
from lineal.extract.pyspark.dispatch import value
from lineal.extract.pyspark.function_calls import super_of
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.knowledge import is_text
from lineal.extract.pyspark.run import DEEPEST_CALL, Environment, Run
from lineal.extract.pyspark.values import (
    Library,
    Unknown,
    Value,
)
from lineal.model.diagnostic import Code
from lineal.model.way import Confidence


def super_call(run: Run, node: ast.Call, env: Environment) -> Value:
    """Evaluate super().

    super()
    """
    return super_of(run, env)


def include_notebook(run: Run, node: ast.Call, env: Environment) -> Value:
    """Run another notebook.

    %run ./helpers
    """
    path = value(run, node.args[0], env) if node.args else ""
    return run.program.include(run, str(path), env, node)


def names_here(run: Run, node: ast.Call, env: Environment) -> Value:
    """Return the names of the current function.

    locals()["df"]
    """
    return env.names


def names_of_module(run: Run, node: ast.Call, env: Environment) -> Value:
    """Return the names of the module.

    globals()["df"]
    """
    return env.globals.names


def evaluate_text(run: Run, node: ast.Call, env: Environment) -> Value:
    """Evaluate a text as an expression.

    eval("F.sum")

    a text that is known is read like the code around it, and no more executed than that
    """
    text = value(run, node.args[0], env) if node.args else None
    if not is_text(text) or len(text) > LONGEST_EVAL:
        return Unknown("eval()", "a text that only a run knows")

    if run.depth >= DEEPEST_CALL:
        return Unknown("eval()", "nested too deeply")

    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Unknown("eval()", "not followed")

    for each in ast.walk(tree):
        ast.copy_location(each, node)

    run.depth += 1
    try:
        return value(run, tree.body, env)
    finally:
        run.depth -= 1


def execute_text(run: Run, node: ast.Call, env: Environment) -> Value:
    """Run a text as statements.

    exec("total = df.count()")

    as eval: a text that is known is read like the code around it
    """
    text = value(run, node.args[0], env) if node.args else None
    tree = parse_module(text) if run.depth < DEEPEST_CALL else None
    if tree is None:
        run.dynamic("code that only a run knows", node, gap=False)
        run.leave_unread("code that only a run knows", node)
        return None

    for each in ast.walk(tree):
        ast.copy_location(each, node)

    run.depth += 1
    try:
        run_block(run, tree.body, env, Returns())
    finally:
        run.depth -= 1

    return None


def parse_module(text: Value) -> ast.Module | None:
    """Return the statements of a text of code; None if the text is unknown or does not parse."""
    if not is_text(text) or len(text) > LONGEST_EVAL:
        return None

    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def import_module(run: Run, library: Library, call: Invocation) -> Value:
    """Import a module by its name.

    importlib.import_module("jobs.orders")
    """
    name = call.argument(0, "name")
    file = next((each for each in run.program.files if each.reading is run.reading), None)
    if not is_text(name) or file is None:
        return Unknown("import_module()", "a module that only a run knows", Confidence.LOW)

    return run.program.module(run, name.lstrip("."), file, 0, call.node)


LONGEST_EVAL = 1_000

FOREIGN_CELL = "a cell is not read: it is in"


def skip_cell(run: Run, node: ast.Call, env: Environment) -> Value:
    """Report a cell of a notebook in a language that is not read.

    %scala, %r
    """
    language = value(run, node.args[0], env) if node.args else "another language"
    run.report(Code.UNSUPPORTED_STATEMENT, f"{FOREIGN_CELL} {language}", node)
    return None


WORDS: dict[str, Callable[[Run, ast.Call, Environment], Value]] = {
    "super": super_call,
    "lineal_include": include_notebook,
    "lineal_foreign": skip_cell,
    "locals": names_here,
    "globals": names_of_module,
    "eval": evaluate_text,
    "exec": execute_text,
}
"""Calls that see the names around them."""
