"""Expressions that bind names: comprehensions and the walrus."""

from __future__ import annotations

import ast
from typing import Any

from lineal.extract.pyspark.assignments import bind
from lineal.extract.pyspark.collected import DATA, item_in
from lineal.extract.pyspark.dispatch import DECIDED, EXPRESSIONS, value
from lineal.extract.pyspark.knowledge import is_known, set_of, truth
from lineal.extract.pyspark.protocols import iterate, unknown_of
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Environment, Run
from lineal.extract.pyspark.values import Collected, Generator, Pattern, Unknown, Value, label_of


def comprehension(run: Run, node: Any, env: Environment) -> Value:
    """Evaluate a comprehension.

    [F.col(c) for c in columns if c != "id"]
    """
    inner = Environment({}, env, env.file)
    found: list[Value] = []
    open_tests: list[ast.expr] = []
    several: list[Unknown] = []

    def each(position: int) -> Unknown | None:
        if position == len(node.generators):
            run.step()
            if isinstance(node, ast.DictComp):
                found.append((value(run, node.key, inner), value(run, node.value, inner)))
            else:
                found.append(decided_value(run, node.elt, inner))

            return None

        generator = node.generators[position]
        held = value(run, generator.iter, inner)
        items = iterate(run, held, generator.iter)
        if items is None and item_in(held) is not None:
            several.append(held)
            items = [item_in(held)]

        if items is None:
            return unknown_of(held, generator.iter)

        for item in items:
            bind(run, generator.target, item, inner)
            tests = [truth(value(run, test, inner)) for test in generator.ifs]
            if False not in tests:
                open_tests.extend(
                    test for test, known in zip(generator.ifs, tests, strict=True) if known is None
                )
                stopped = each(position + 1)
                if stopped is not None:
                    return stopped

        return None

    stopped = each(0)
    if stopped is not None:
        return stopped.renamed(label_of(node))

    if several:
        each_item = found[0] if found else None
        return Unknown(label_of(node), DATA, collected=Collected(each=each_item))

    if open_tests and not all(isinstance(item, Relation) for item in found):
        return Unknown(label_of(open_tests[0]), "a condition that only a run can tell")

    if isinstance(node, ast.DictComp):
        return {key: item for key, item in found if is_known(key) or isinstance(key, Pattern)}

    if isinstance(node, ast.GeneratorExp):
        return Generator(found)

    return set_of(found) if isinstance(node, ast.SetComp) else found


def decided_value(run: Run, node: ast.expr, inner: Environment) -> Value:
    """Return the value of a comprehension, with the conditions that it asks of elements.

    [1 if x > 0 else 2 for x in df["a"]]
    """
    bound = [each for each in inner.names.values() if each.__class__ in DECIDED]
    is_element = any(getattr(each, "watch", None) is not None for each in bound)
    run.elements += is_element
    try:
        made = value(run, node, inner)
    finally:
        run.elements -= is_element

    if not bound:
        return made

    return DECIDED[bound[0].__class__](run, made, list(inner.names.values()), node)


def walrus(run: Run, node: ast.NamedExpr, env: Environment) -> Value:
    """Evaluate an assignment expression.

    (df := spark.table("orders"))
    """
    held = value(run, node.value, env)
    bind(run, node.target, held, env)
    return held


EXPRESSIONS.update(
    {
        ast.ListComp: comprehension,
        ast.SetComp: comprehension,
        ast.GeneratorExp: comprehension,
        ast.DictComp: comprehension,
        ast.NamedExpr: walrus,
    }
)
