"""Control flow over abstract values: if, for, while, try, with, match."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from lineal.extract.pyspark.assignments import bind
from lineal.extract.pyspark.blocks import Flow, Returns, run_block, run_branches
from lineal.extract.pyspark.collected import item_in
from lineal.extract.pyspark.dispatch import invoke, value
from lineal.extract.pyspark.embedded.contexts import enter_context, leave_context
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.knowledge import all_of, truth
from lineal.extract.pyspark.matching import fits_pattern
from lineal.extract.pyspark.number_loops import (
    FEWEST_NUMBERS,
    NumberRounds,
    note_test,
    only_counts,
)
from lineal.extract.pyspark.protocols import iterate, unknown_of
from lineal.extract.pyspark.repetition import Rounds
from lineal.extract.pyspark.run import Environment, Run
from lineal.extract.pyspark.values import (
    ANY_COLUMN,
    SCHEMA_UNKNOWN,
    Builder,
    ColumnValue,
    Unknown,
    Value,
    label_of,
    method_of,
)
from lineal.model.diagnostic import Code

MOST_ROUNDS = 2_000
"""How many items of a list a loop is followed for."""
MOST_NUMBERS = 400
"""The same for a range, which costs nothing to write: a round for each day of a year."""
MOST_WHILE = 60


def if_(run: Run, node: ast.If, env: Environment, returns: Returns) -> Flow:
    """Run an if statement.

    if full: …      both branches, where only a run knows the condition
    """
    asked = value_of_test(run, node, env) if run.tests else value(run, node.test, env)
    test = truth(asked)
    if test is not None:
        return run_block(run, node.body if test else node.orelse, env, returns)

    if isinstance(asked, ColumnValue):
        run.dynamic("a branch that a field of each record decides", node.test)

    return run_branches(
        run,
        [
            lambda: run_block(run, node.body, env, returns),
            lambda: run_block(run, node.orelse, env, returns),
        ],
    )


def value_of_test(run: Run, node: ast.If, env: Environment) -> Value:
    """Return the value of a test inside a loop over numbers; it counts if anything depends on it.

    if epoch % 100 == 0: print(loss)
    """
    watching = run.tests
    if not _does_something([*node.body, *node.orelse]):
        run.tests = []

    asked = value(run, node.test, env)
    note_test(run, node.test, truth(asked), asked)
    run.tests = watching
    return asked


def for_(run: Run, node: ast.For | ast.AsyncFor, env: Environment, returns: Returns) -> Flow:
    """Run a for statement.

    for name in names: …      round by round, where the items are known
    """
    held = value(run, node.iter, env)
    most = MOST_NUMBERS if isinstance(held, range) else MOST_ROUNDS
    first = held[: most + 1] if isinstance(held, range) else held
    items = iterate(run, first, node.iter)
    if items is None:
        return unknown_loop(run, node, held, env, returns)

    watched = rounds_of(run, node, held)
    for rounds, item in enumerate(items):
        if rounds >= most:
            message = f"a loop over more than {most} items is followed for {most} only"
            run.report(Code.DYNAMIC, message, node)
            break

        bind(run, node.target, item, env)
        flow, is_over = run_round(run, node.body, env, returns, watched)
        if flow is Flow.BREAK:
            return Flow.ON

        if flow in (Flow.RETURN, Flow.RAISE):
            return flow

        if watched is not None and is_over:
            watched.leave(len(items[rounds + 1 : most]))
            bind(run, node.target, items[:most][-1], env)
            break

    return run_block(run, node.orelse, env, returns)


def rounds_of(run: Run, node: ast.For | ast.AsyncFor, held: Value) -> NumberRounds | None:
    """Return what watches the rounds of a loop over many numbers, so that it may end early."""
    if not isinstance(held, range) or len(held) < FEWEST_NUMBERS:
        return None

    return NumberRounds(run, only_counts(node))


def run_round(
    run: Run,
    body: list[ast.stmt],
    env: Environment,
    returns: Returns,
    watched: Rounds | NumberRounds | None,
) -> tuple[Flow, bool]:
    """Run the body of a loop; return how it ended, and whether the rounds that follow do the same."""
    if watched is None:
        return run_block(run, body, env, returns), False

    watched.begin()
    flow = run_block(run, body, env, returns)
    return flow, watched.end()


def unknown_loop(run: Run, node: Any, held: Value, env: Environment, returns: Returns) -> Flow:
    """Run a loop whose items are not known.

    for path in list_paths(): …      followed once, with an item that is not known
    """
    found = unknown_of(held, node.iter)
    label = label_of(node.target) if isinstance(node.target, ast.Name) else found.label

    def once() -> Flow:
        """Run the body once, with an item that represents all."""
        item = item_in(held)
        if item is None and found.reason == SCHEMA_UNKNOWN:
            item = Unknown(ANY_COLUMN, found.reason, found.level, inputs=found.inputs)
        elif item is None:
            item = Unknown(label, found.reason or "an item of a loop", found.level)

        bind(run, node.target, item, env)
        flow = run_block(run, node.body, env, returns)
        if flow in (Flow.RETURN, Flow.RAISE):
            return flow

        return Flow.ON

    run_branches(run, [once, lambda: Flow.ON])
    return Flow.ON


def while_(run: Run, node: ast.While, env: Environment, returns: Returns) -> Flow:
    """Run a while statement.

    while test: …
    """
    watched = Rounds(run)
    for _ in range(MOST_WHILE):
        test = truth(value(run, node.test, env))
        if test is False:
            return Flow.ON

        if test is None:
            run.dynamic("a loop whose rounds only a run knows", node.test, gap=False)
            return run_branches(run, [lambda: _run_once(run, node, env, returns), lambda: Flow.ON])

        flow, is_over = run_round(run, node.body, env, returns, watched)
        if flow is Flow.BREAK:
            return Flow.ON

        if flow in (Flow.RETURN, Flow.RAISE):
            return flow

        if is_over:
            break

    run.report(Code.DYNAMIC, f"a loop is followed for {watched.number} rounds only", node)
    return Flow.ON


def _run_once(run: Run, node: ast.While, env: Environment, returns: Returns) -> Flow:
    """Run the body of a loop once."""
    flow = run_block(run, node.body, env, returns)
    if flow in (Flow.RETURN, Flow.RAISE):
        return flow

    return Flow.ON


def try_(run: Run, node: Any, env: Environment, returns: Returns) -> Flow:
    """Run a try statement.

    try: … except: …

    a handler that goes on is a branch of its own; one that raises is none
    """

    def run_guarded_body() -> Flow:
        """Run the body of `try`, then its `else` if nothing ended the body."""
        flow = run_block(run, node.body, env, returns)
        if flow is Flow.ON:
            return run_block(run, node.orelse, env, returns)

        return flow

    branches: list[Callable[[], Flow]] = [run_guarded_body]
    for handler in node.handlers:
        if _does_something(handler.body):
            branches.append(lambda handler=handler: run_block(run, handler.body, env, returns))  # type: ignore[misc]

    flow = run_guarded_body() if len(branches) == 1 else run_branches(run, branches)
    if flow is Flow.RAISE and node.handlers:
        flow = Flow.ON

    last = run_block(run, node.finalbody, env, returns)
    if last is not Flow.ON:
        return last

    return flow


def _does_something(nodes: list[ast.stmt]) -> bool:
    """Whether a handler does anything but tell, pass or raise."""
    quiet = (ast.Pass, ast.Raise, ast.Continue, ast.Break)
    for node in nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, (ast.Call, ast.Constant)):
            called = node.value.func if isinstance(node.value, ast.Call) else None
            text = ast.unparse(called).lower() if called is not None else ""
            if any(word in text for word in ("print", "log", "exit", "raise", "warn")) or not text:
                continue

        if isinstance(node, quiet) or (isinstance(node, ast.Return) and _returns_nothing(node)):
            continue

        return True

    return False


def _returns_nothing(node: ast.Return) -> bool:
    """Return whether a handler gives up: return, return None, return False."""
    return node.value is None or (
        isinstance(node.value, ast.Constant) and node.value.value in (None, False)
    )


def with_(run: Run, node: ast.With | ast.AsyncWith, env: Environment, returns: Returns) -> Flow:
    """Run a with statement.

    with open_table() as df: …
    """
    return run_in_managers(run, node.items, node, env, returns)


def run_in_managers(
    run: Run,
    items: list[ast.withitem],
    node: ast.With | ast.AsyncWith,
    env: Environment,
    returns: Returns,
) -> Flow:
    """Run the body of a with statement inside its managers.

    with a as x, b as y: …      the first around the second, and that around the body
    """
    if not items:
        return run_block(run, node.body, env, returns)

    item, *rest = items
    flow = Flow.ON

    def run_entered(held: Value) -> None:
        """Bind the name behind `as` and run the items and the body that follow."""
        nonlocal flow
        if item.optional_vars is not None:
            bind(run, item.optional_vars, held, env)

        flow = run_in_managers(run, rest, node, env, returns)

    manager = value(run, item.context_expr, env)
    if isinstance(manager, Builder) and manager.kind == "context":
        around_yield(run, manager, run_entered, item)
        return flow

    if run.collector is not None and enter_context(run.collector, manager):
        run_entered(manager)
        leave_context(run.collector, manager)
        return flow

    enter, leave = method_of(manager, "__enter__"), method_of(manager, "__exit__")
    run_entered(
        invoke(run, enter, Invocation([manager], {}, item)) if enter is not None else manager
    )
    if leave is not None:
        invoke(run, leave, Invocation([manager, None, None, None], {}, item))

    return flow


def around_yield(run: Run, manager: Builder, body: Callable[[Value], None], node: ast.AST) -> None:
    """Run a context manager around a body.

    @contextmanager

    the function up to its yield, the body there, then the rest of the function
    """
    reading, depth, done = run.reading, run.depth, False

    def at_yield(held: Value) -> None:
        """Run the body of the `with` at the first `yield` of the context manager."""
        nonlocal done
        if not done:
            done = True
            inner, run.reading = run.reading, reading
            body(held)
            run.reading = inner

    manager.parts["call"](at_yield)
    run.depth = depth
    if not done:
        body(None)


def match_(run: Run, node: ast.Match, env: Environment, returns: Returns) -> Flow:
    """Run a match statement.

    match kind: case "a": …      the one case that fits, else each of those that may
    """
    subject = value(run, node.subject, env)
    possible: list[Callable[[], Flow]] = []

    for case in node.cases:
        fits = fits_pattern(run, case.pattern, subject, env)
        if case.guard is not None and fits is not False:
            guarded = truth(value(run, case.guard, env))
            fits = all_of([fits, guarded])

        if fits is False:
            continue

        possible.append(lambda case=case: run_block(run, case.body, env, returns))  # type: ignore[misc]
        if fits is True:
            break
    else:
        possible.append(lambda: Flow.ON)

    if len(possible) == 1:
        return possible[0]()

    return run_branches(run, possible)
