"""Bodies of Python UDFs: which arguments reach the result, and which ones only decide it.

A UDF works on plain values, one row at a time, so nothing in its body is lineage by itself. What
counts is how its parameters flow: through assignments, loops and calls into what it returns, or
into a test. The order of statements is left out, so the answer may say too much, never too little.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from sqlglot import exp

from lineal.extract.pyspark.columns.trees import column
from lineal.extract.pyspark.invocation import Arguments, Invocation, Keywords
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Function, Udf, positional_names
from lineal.extract.sql.naming import output_name
from lineal.model.sequences import all_are, any_is, flatten

Names = frozenset[str]
NOTHING: Names = frozenset()


class Uses(NamedTuple):
    """The names that an expression is made of, and those that decide it."""

    value: Names = NOTHING
    test: Names = NOTHING

    def __or__(self, other: Any) -> Uses:
        """Return the names of both."""
        return Uses(self.value | other.value, self.test | other.test)

    @property
    def as_test(self) -> Uses:
        """Return the uses of the same expression as a test."""
        return Uses(NOTHING, self.value | self.test)


def follow_body(udf: Udf, run: Run, call: Invocation) -> Any:
    """Return the expression of a call of a UDF; None where its body is not available.

    F.udf(lambda a, b: a.upper() if b > 1 else "")(x, y)      x is the value, y decides it
    """
    function = udf.body
    if not isinstance(function, Function) or not (call.arguments or call.keywords):
        return None

    uses = Body(function, {}).uses
    parts: list[Any] = []
    trees: list[Any] = []
    for name, given in bound_arguments(function, call.arguments, call.keywords):
        tree = column(run, given, call.node)
        trees.append(tree)
        if name is None or name in uses.value:
            parts.append(tree)

        if name is not None and name in uses.test:
            parts.append(exp.If(this=tree.copy(), true=exp.Null()))

    whole = exp.Anonymous(this=udf.name, expressions=[each.copy() for each in trees])
    made = exp.Anonymous(this=udf.name, expressions=parts)
    made.meta["called"] = output_name(whole, 0, run.evaluation())[0]
    return made


def bound_arguments(
    function: Function, arguments: Arguments, keywords: Keywords
) -> Iterator[tuple[str | None, Any]]:
    """Yield each argument with the parameter that it is bound to; None if there is none."""
    given = function.node.args
    names = positional_names(given)
    rest = given.vararg.arg if given.vararg is not None else None
    for position, held in enumerate(arguments):
        yield (names[position] if position < len(names) else rest), held

    known = {*names, *(each.arg for each in given.kwonlyargs)}
    more = given.kwarg.arg if given.kwarg is not None else None
    for name, held in keywords.items():
        yield (name if name in known else more), held


class Body:
    """The flow of names through the body of a function."""

    def __init__(self, function: Function, bodies: dict[int, Uses | None]) -> None:
        """Read the body of a function: which parameters its result is made of."""
        self.function = function
        self.bodies = bodies
        """the uses of the functions that were followed; None of one that is being followed"""
        bodies[id(function.node)] = None
        self.flows: dict[str, set[str]] = defaultdict(set)
        """for each name the names that its value is made of"""
        self.result = Uses()
        self.guards: set[int] = set()
        """the nodes of tests that only raise"""

        node = function.node
        if isinstance(node, ast.Lambda):
            self.result = self.uses_in(node.body)
        else:
            for statement in node.body:
                self.follow(statement)

    @property
    def parameters(self) -> Names:
        """Return the names of all parameters."""
        given = self.function.node.args
        several = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
        return frozenset(each.arg for each in several if each is not None)

    @property
    def uses(self) -> Uses:
        """Return the parameters that the result is made of, and those that decide it.

        A parameter whose flow is lost counts as a part of the value.
        """
        value = self.behind(self.result.value) & self.parameters
        test = self.behind(self.result.test) & self.parameters
        lost = (self.parameters & self.read_names()) - value - test
        return Uses(value | lost, test)

    def behind(self, names: Iterable[str]) -> Names:
        """Return these names and all that they are made of."""
        found: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.flows.get(name, ())

        return frozenset(found)

    def read_names(self) -> Names:
        """Return the names that the body reads, but for guards and unused arguments of calls."""
        unused = {id(name) for call in self.calls() for name in dropped_by(self, call)}
        left_out = unused | self.guards
        return frozenset(
            each.id
            for each in ast.walk(self.function.node)
            if isinstance(each, ast.Name)
            and isinstance(each.ctx, ast.Load)
            and id(each) not in left_out
        )

    def calls(self) -> Iterator[ast.Call]:
        """Yield the calls of the body."""
        for each in ast.walk(self.function.node):
            if isinstance(each, ast.Call):
                yield each

    # -- statements --------------------------------------------------------------------------------

    def follow(self, node: ast.AST) -> None:
        """Take note of where a statement lets values go."""
        handler = FOLLOWED.get(type(node))
        if handler is not None:
            handler(self, node)

        if not isinstance(node, DEFINITIONS):
            self.follow_parts(node)

    def follow_assignment(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> None:
        """x = a + b, x += a"""
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        self.assign(targets, self.uses_in(node.value))

    def follow_loop(self, node: ast.For | ast.AsyncFor) -> None:
        """for x in rows: total = …      the rows decide what the body assigns"""
        assigned = flatten(map(assigned_in, node.body))
        self.assign([node.target, *assigned], self.uses_in(node.iter))

    def follow_context(self, node: ast.With | ast.AsyncWith) -> None:
        """with open(path) as file: …"""
        for item in node.items:
            self.assign([item.optional_vars] if item.optional_vars else [], self.uses_in(item))

    def follow_match(self, node: ast.Match) -> None:
        """match value: case x: …"""
        subject = self.uses_in(node.subject)
        self.result |= subject.as_test
        self.assign(list(map(ast.Name, captures_of(node))), subject)

    def follow_definition(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    ) -> None:
        """def inner(): …      the name is made of every name inside"""
        self.assign([ast.Name(node.name)], Uses(names_in(node)))

    def follow_parts(self, node: ast.AST) -> None:
        """Follow the statements inside a statement."""
        for each in ast.iter_child_nodes(node):
            if isinstance(each, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                self.follow(each)

    def follow_end(self, node: ast.Return | ast.Expr) -> None:
        """return x, yield x, out.append(x)      a call changes its receiver by its arguments"""
        held = node.value
        if isinstance(node, ast.Return) or isinstance(held, (ast.Yield, ast.YieldFrom)):
            self.result |= self.uses_in(held)
        elif isinstance(held, ast.Call):
            receivers = [held.func] if isinstance(held.func, ast.Attribute) else held.args
            self.assign(receivers, self.uses_in(held))

    def follow_test(self, node: ast.If | ast.While) -> None:
        """if x > 1: …      x decides the result; a branch that only raises gives none"""
        if node.orelse or not all_are(node.body, ast.Raise):
            self.result |= self.uses_in(node.test).as_test
        else:
            self.guards.update(map(id, ast.walk(node)))

    def assign(self, targets: Iterable[ast.AST], held: Uses) -> None:
        """Let names flow into targets, and what decides them into the result."""
        self.result |= Uses(NOTHING, held.test)
        for target in targets:
            for name in roots_of(target):
                self.flows[name] |= held.value - {name}

    # -- expressions -------------------------------------------------------------------------------

    def uses_in(self, node: ast.AST | None) -> Uses:
        """Return the names that an expression is made of, and those that decide it."""
        if node is None:
            return Uses()

        if isinstance(node, ast.Name):
            return Uses(frozenset((node.id,)))

        if isinstance(node, ast.IfExp):
            return (
                self.uses_in(node.test).as_test
                | self.uses_in(node.body)
                | self.uses_in(node.orelse)
            )

        if isinstance(node, ast.BoolOp):
            return self.uses_in_choice(node)

        if isinstance(node, ast.comprehension):
            self.assign([node.target], self.uses_in(node.iter))
            tests = [self.uses_in(each).as_test for each in node.ifs]
            return union([self.uses_in(node.iter), *tests])

        if isinstance(node, ast.NamedExpr):
            self.assign([node.target], self.uses_in(node.value))

        if isinstance(node, ast.Call):
            return self.uses_in_call(node)

        return union(self.uses_in(each) for each in ast.iter_child_nodes(node))

    def uses_in_choice(self, node: ast.BoolOp) -> Uses:
        """x or y      all but the last decide, too"""
        several = list(map(self.uses_in, node.values))
        return union([*several, *(each.as_test for each in several[:-1])])

    def uses_in_call(self, node: ast.Call) -> Uses:
        """clean(x, y)      of a function of the program only the arguments that it uses"""
        called = self.callee(node)
        uses = self.uses_of(called)
        if called is None or uses is None:
            return union(map(self.uses_in, ast.iter_child_nodes(node)))

        found = Uses()
        for name, given in bound_nodes(called, node):
            if name is None or name in uses.value:
                found |= self.uses_in(given)

            if name is not None and name in uses.test:
                found |= self.uses_in(given).as_test

        return found

    def callee(self, node: ast.Call) -> Function | None:
        """Return the function of the program that a call names; None where it is not followed."""
        if not isinstance(node.func, ast.Name) or spreads(node):
            return None

        if node.func.id in self.parameters or node.func.id in self.flows:
            return None

        env = self.function.closure
        held = env.visible().get(node.func.id) if env is not None else None
        if isinstance(held, Function):
            return held

        return None

    def uses_of(self, called: Function | None) -> Uses | None:
        """Return how another function uses its parameters; None for one that calls itself."""
        if called is None:
            return None

        key = id(called.node)
        if key not in self.bodies:
            self.bodies[key] = Body(called, self.bodies).uses

        return self.bodies[key]


def union(several: Iterable[Uses]) -> Uses:
    """Return the names of several expressions."""
    found = Uses()
    for each in several:
        found |= each

    return found


def spreads(node: ast.Call) -> bool:
    """f(*args), f(**options)"""
    starred = any_is(node.args, ast.Starred)
    return starred or any(each.arg is None for each in node.keywords)


def bound_nodes(function: Function, node: ast.Call) -> Iterator[tuple[str | None, Any]]:
    """Yield each argument of a call with the parameter that it is bound to."""
    keywords = {each.arg: each.value for each in node.keywords if each.arg is not None}
    return bound_arguments(function, node.args, keywords)


def dropped_by(body: Body, node: ast.Call) -> Iterator[ast.AST]:
    """Yield the nodes of arguments that a function of the program does not use."""
    called = body.callee(node)
    uses = body.uses_of(called)
    if called is None or uses is None:
        return

    for name, given in bound_nodes(called, node):
        if name is not None and name not in uses.value | uses.test:
            yield from ast.walk(given)


def roots_of(target: ast.AST) -> Iterator[str]:
    """Yield the names that a target changes.

    x = …, rows[i] = …, self.total = …, (a, *b) = …
    """
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, (ast.Attribute, ast.Subscript, ast.Starred)):
        yield from roots_of(target.value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for each in target.elts:
            yield from roots_of(each)
    elif isinstance(target, ast.Call):
        yield from roots_of(target.func)


def assigned_in(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the targets of all assignments in a statement."""
    for each in ast.walk(node):
        if isinstance(each, ast.Assign):
            yield from each.targets
        elif isinstance(each, ast.AugAssign):
            yield each.target


def captures_of(node: ast.Match) -> Iterator[str]:
    """Yield the names that the patterns of a match bind."""
    for each in ast.walk(node):
        name = getattr(each, "name", None) or getattr(each, "rest", None)
        if isinstance(each, (ast.MatchAs, ast.MatchStar, ast.MatchMapping)) and name:
            yield name


def names_in(node: ast.AST) -> Names:
    """Return the names that a node reads."""
    return frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))


DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

FOLLOWED: dict[type, Callable[[Body, Any], None]] = {
    **dict.fromkeys((ast.Return, ast.Expr), Body.follow_end),
    **dict.fromkeys((ast.Assign, ast.AnnAssign, ast.AugAssign), Body.follow_assignment),
    **dict.fromkeys((ast.If, ast.While), Body.follow_test),
    **dict.fromkeys((ast.For, ast.AsyncFor), Body.follow_loop),
    **dict.fromkeys((ast.With, ast.AsyncWith), Body.follow_context),
    **dict.fromkeys(DEFINITIONS, Body.follow_definition),
    ast.Match: Body.follow_match,
}
"""Class of a statement -> where it lets values go"""
