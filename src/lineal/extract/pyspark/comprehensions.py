"""Expressions that bind names: comprehensions and the walrus."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from lineal.extract.pyspark.assignments import bind
from lineal.extract.pyspark.collected import DATA, item_in
from lineal.extract.pyspark.dispatch import COMPREHENDED, DECIDED, EXPRESSIONS, value
from lineal.extract.pyspark.knowledge import is_known, set_of, truth
from lineal.extract.pyspark.protocols import iterate, unknown_of
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Environment, Run
from lineal.extract.pyspark.values import (
    ANY_COLUMN,
    SCHEMA_UNKNOWN,
    Collected,
    Generator,
    Pattern,
    Unknown,
    Value,
    label_of,
    stands_for_columns,
)
from lineal.model.sequences import all_are, first_or_none
from lineal.model.way import Confidence


def comprehension(run: Run, node: ast.AST, env: Environment) -> Value:
    """Evaluate a comprehension.

    [F.col(c) for c in columns if c != "id"]
    """
    inner = Environment({}, env, env.file)
    run.bear(inner.names)
    loops = Loops(run, node, inner)
    stopped = loops.walk(0)
    if isinstance(stopped, Unknown):
        return stopped.rename(label_of(node))

    if stopped is not None:
        return stopped

    found = loops.with_rest()
    if loops.several:
        each_item = first_or_none(found)
        return Unknown(label_of(node), DATA, collected=Collected(each=each_item))

    if loops.open_tests and not all_are(found, Relation):
        return Unknown(label_of(loops.open_tests[0]), "a condition that only a run can tell")

    if isinstance(node, ast.GeneratorExp):
        return Generator(found)

    made: Value = found
    if isinstance(node, ast.DictComp):
        made = {key: item for key, item in found if is_known(key) or isinstance(key, Pattern)}
    elif isinstance(node, ast.SetComp):
        made = set_of(found)

    run.bear(made)
    return made


@dataclass
class Loops:
    """The loops of a comprehension as they run."""

    run: Run
    node: Any
    inner: Environment
    found: list[Value] = field(default_factory=list)
    """The items of the result so far; pairs of a dictionary."""
    open_tests: list[ast.expr] = field(default_factory=list)
    """The conditions that only a run can tell."""
    several: bool = False
    """Whether a loop runs over collected rows, so that one item represents all."""
    opened: Relation | None = None
    """The DataFrame over whose columns a loop runs, if only some of them are known."""

    def walk(self, position: int) -> Value:
        """Run the loop at a position and those inside it; return what stops it, if anything."""
        if position == len(self.node.generators):
            self.run.step()
            self.found.append(self.item())
            return None

        generator = self.node.generators[position]
        held = value(self.run, generator.iter, self.inner)
        items = self.items_of(held, generator)
        if items is None:
            return self.without_items(held, generator)

        for item in items:
            bind(self.run, generator.target, item, self.inner)
            stopped = self.walk(position + 1) if self.passes(generator.ifs) else None
            if stopped is not None:
                return stopped

        return None

    def without_items(self, held: Value, generator: ast.comprehension) -> Value:
        """Return what the comprehension gives where the items of a loop are not known."""
        handler = COMPREHENDED.get(held.__class__)
        made = None
        if handler is not None and len(self.node.generators) == 1:
            made = handler(self.run, self.node, held, self.inner)

        return made if made is not None else unknown_of(held, generator.iter)

    def item(self) -> Value:
        """Return the item that the comprehension makes of the names as they are bound now."""
        if isinstance(self.node, ast.DictComp):
            key = value(self.run, self.node.key, self.inner)
            return key, value(self.run, self.node.value, self.inner)

        return decided_value(self.run, self.node.elt, self.inner)

    def items_of(self, held: Value, generator: ast.comprehension) -> list[Value] | None:
        """Return the items that a loop runs over; for collected rows the one that they are like."""
        items = iterate(self.run, held, generator.iter)
        if items is None and (each := item_in(held)) is not None:
            self.several = True
            return [each]

        if items is None and isinstance(self.node, (ast.ListComp, ast.GeneratorExp)):
            return self.known_columns(held)

        return items

    def known_columns(self, held: Value) -> list[Value] | None:
        """Return the known columns of a DataFrame that has others, too.

        [c for c in df.columns if c.endswith("_flag")], after df.withColumn("new_flag", …)
        """
        if (
            not stands_for_columns(held)
            or held.label == ANY_COLUMN
            or len(self.node.generators) > 1
        ):
            return None

        self.opened = held.inputs[0]
        return list(self.opened.names) or None

    def with_rest(self) -> list[Value]:
        """Return the items, and one for the columns that are not known where there are such."""
        if self.opened is None:
            return self.found

        stars = self.opened.derive(self.opened.stars)
        rest = Unknown(ANY_COLUMN, SCHEMA_UNKNOWN, Confidence.LOW, inputs=(stars,))
        if self.opened.places[:1] == [0]:
            return [rest, *self.found]

        return [*self.found, rest]

    def passes(self, tests: list[ast.expr]) -> bool:
        """Tell whether no condition is false; note the conditions that are open."""
        results = [truth(value(self.run, test, self.inner)) for test in tests]
        if False in results:
            return False

        pairs = zip(tests, results, strict=True)
        self.open_tests.extend(test for test, known in pairs if known is None)
        return True


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
