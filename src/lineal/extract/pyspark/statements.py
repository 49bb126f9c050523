"""Statements of Python over abstract values."""

from __future__ import annotations

import ast

from lineal.extract.pyspark.assignments import assign, assign_annotated, assign_augmented, delete
from lineal.extract.pyspark.blocks import STATEMENTS, Flow, Returns
from lineal.extract.pyspark.control_flow import for_, if_, match_, try_, while_, with_
from lineal.extract.pyspark.definitions import define_class, define_function
from lineal.extract.pyspark.dispatch import value
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Environment, Run
from lineal.extract.pyspark.values import (
    Library,
    Value,
)


def expression(run: Run, node: ast.Expr, env: Environment, returns: Returns) -> Flow:
    """Run an expression statement.

    df.write.saveAsTable("orders")
    """
    held = value(run, node.value, env)
    if isinstance(held, Relation):
        run.leaves.append((held, node.value, run.reading))

    if is_exit(run, node.value, env):
        return Flow.RAISE

    return Flow.ON


EXITS = frozenset(("exit", "quit", "_exit"))
EXIT_CALLS = frozenset(("sys.exit", "os._exit"))


def is_exit(run: Run, node: ast.expr, env: Environment) -> bool:
    """Tell whether a call ends the program.

    sys.exit(1), exit()      ends the program, as an exception does
    """
    called = node.func if isinstance(node, ast.Call) else None
    if isinstance(called, ast.Name) and called.id in EXITS:
        return env.home_of(called.id) is None or is_library(value(run, called, env))

    return (
        isinstance(called, ast.Attribute)
        and called.attr in EXITS
        and is_library(value(run, called, env))
    )


def is_library(held: Value) -> bool:
    """Tell whether a value is a function that ends the program."""
    return isinstance(held, Library) and held.name in EXIT_CALLS


# -- definitions -----------------------------------------------------------------------------------


def return_(run: Run, node: ast.Return, env: Environment, returns: Returns) -> Flow:
    """Run a return statement.

    return df
    """
    returns.append(value(run, node.value, env))
    return Flow.RETURN


def declare_shared(
    run: Run, node: ast.Global | ast.Nonlocal, env: Environment, returns: Returns
) -> None:
    """Run a global or nonlocal statement.

    global df, nonlocal df
    """
    env.shared.update(node.names)


def import_(run: Run, node: ast.Import, env: Environment, returns: Returns) -> None:
    """Run an import statement.

    import jobs.orders as orders
    """
    run.touch(env.names)
    for alias in node.names:
        found = run.program.module(run, alias.name, env.file, 0, node)
        if alias.asname:
            env.names[alias.asname] = found
        else:
            top = alias.name.split(".")[0]
            env.names[top] = (
                run.program.module(run, top, env.file, 0, node) if "." in alias.name else found
            )


def import_from(run: Run, node: ast.ImportFrom, env: Environment, returns: Returns) -> None:
    """Run a from-import statement.

    from jobs.orders import clean
    """
    run.touch(env.names)
    for alias in node.names:
        if alias.name == "*":
            run.program.import_all(run, node.module or "", env, node.level, node)
        else:
            found = run.program.member(
                run, node.module or "", alias.name, env.file, node.level, node
            )
            env.names[alias.asname or alias.name] = found


def raise_(run: Run, node: ast.Raise, env: Environment, returns: Returns) -> Flow:
    """Run a raise statement.

    raise ValueError(…)
    """
    return Flow.RAISE


def break_(run: Run, node: ast.Break, env: Environment, returns: Returns) -> Flow:
    """Run a break statement.

    break
    """
    return Flow.BREAK


def continue_(run: Run, node: ast.Continue, env: Environment, returns: Returns) -> Flow:
    """Run a continue statement.

    continue
    """
    return Flow.CONTINUE


STATEMENTS.update(
    {
        ast.Expr: expression,
        ast.Assign: assign,
        ast.AnnAssign: assign_annotated,
        ast.AugAssign: assign_augmented,
        ast.If: if_,
        ast.For: for_,
        ast.AsyncFor: for_,
        ast.While: while_,
        ast.Try: try_,
        ast.TryStar: try_,
        ast.With: with_,
        ast.AsyncWith: with_,
        ast.Match: match_,
        ast.Return: return_,
        ast.FunctionDef: define_function,
        ast.AsyncFunctionDef: define_function,
        ast.ClassDef: define_class,
        ast.Delete: delete,
        ast.Global: declare_shared,
        ast.Nonlocal: declare_shared,
        ast.Import: import_,
        ast.ImportFrom: import_from,
        ast.Raise: raise_,
        ast.Break: break_,
        ast.Continue: continue_,
    }
)
