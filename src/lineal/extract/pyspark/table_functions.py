"""Table functions: classes that yield rows (UDTFs), spark.tvf, and DataFrames as their arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lineal.algebra.expression import VALUE
from lineal.algebra.frame import Slot
from lineal.algebra.lineage import Expression, Lineage, as_expression, unite_lineages
from lineal.algebra.relation import everything_in, explode, one_row
from lineal.extract.pyspark.columns.functions import SPECIAL, handler_of
from lineal.extract.pyspark.columns.trees import column
from lineal.extract.pyspark.columns.udf_bodies import Body, Names, bound_arguments, union
from lineal.extract.pyspark.definitions import CLASS_DECORATORS
from lineal.extract.pyspark.dispatch import ACTIONS, BUILDERS, CALLS
from lineal.extract.pyspark.frame_scope import FrameScope
from lineal.extract.pyspark.frames.groups import OPAQUE
from lineal.extract.pyspark.frames.project import select_items, take_findings
from lineal.extract.pyspark.invocation import Arguments, Invocation, Keywords, argument_at
from lineal.extract.pyspark.relation import Relation, fresh, open_star
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.session import range_
from lineal.extract.pyspark.types import schema_of
from lineal.extract.pyspark.values import (
    Builder,
    Class,
    ColumnValue,
    Function,
    SchemaValue,
    TableFunction,
    Value,
)
from lineal.extract.sql.expressions import expression_in
from lineal.model.sequences import first_of_each, second_of_each
from lineal.model.way import Clause

Passed = tuple[str | None, Expression]
"""An argument of a call, with the parameter that it is bound to."""


def make_table_function(run: Run, name: str, call: Invocation) -> Value:
    """Make a UDTF of a class.

    F.udtf(SplitWords, returnType="word string"), @udtf(returnType="word string")
    """
    body = call.argument(0, "cls")
    schema = schema_of(
        run, call.keywords.get("returnType", argument_at(call.arguments, 1)), call.node
    )
    if isinstance(body, Class):
        return TableFunction(body.name, schema, body)

    return Builder("udtf_decorator", {"schema": schema})


def table_function_of(run: Run, owner: Value, made: Value) -> TableFunction | None:
    """Return the UDTF that a decorator makes of a class; None for any other decorator.

    @udtf(returnType="word string")
    """
    if isinstance(made, Class) and isinstance(owner, Builder) and owner.kind == "udtf_decorator":
        return TableFunction(made.name, owner.parts["schema"], made)

    return None


def call_table_function(run: Run, held: TableFunction, call: Invocation) -> Value:
    """Call a UDTF.

    SplitWords(col("title").outer()), Totals(df.asTable().partitionBy("store"))
    """
    evaluation = run.evaluation()
    scope = FrameScope(Relation([], {}), evaluation, Clause.LATERAL)
    function = held.body.find("eval") if isinstance(held.body, Class) else None
    rows: list[Lineage] = []
    passed: list[Passed] = []
    for name, given in arguments_of(function, call.arguments, call.keywords):
        if isinstance(given, Builder) and given.kind == "table_argument":
            relation: Relation = given.parts["relation"]
            rows.append(relation.rows)
            everything = everything_in(relation.frame.slots, OPAQUE)
            passed.append((name, as_expression(everything, call.node)))
        else:
            passed.append((name, expression_in(scope, column(run, given, call.node))))

    if held.schema is None:
        run.dynamic("columns that a table function makes", call.node)
        slots = [open_star().slot]
    else:
        slots = slots_of(held.schema, function, passed)

    exploded = explode(one_row(), slots, second_of_each(passed))
    made = Relation(
        list(map(fresh, exploded.slots)), unite_lineages([*rows, exploded.rows]), (), evaluation
    )
    return take_findings(run, made, evaluation)


def arguments_of(
    function: Value, arguments: Arguments, keywords: Keywords
) -> Iterator[tuple[str | None, Value]]:
    """Yield each argument with the parameter of eval that it is bound to; None if it is unknown."""
    if isinstance(function, Function):
        yield from list(bound_arguments(function, [None, *arguments], keywords))[1:]
    else:
        yield from ((None, each) for each in (*arguments, *keywords.values()))


def slots_of(schema: SchemaValue, function: Value, passed: list[Passed]) -> list[Slot]:
    """Return the columns of a UDTF: of each the arguments that reach it.

    def eval(self, text, day): yield text.upper(), day
    """
    names = first_of_each(schema.fields)
    uses = uses_by_position(function, len(names))
    found = []
    for name, used in zip(names, uses, strict=True):
        lineage: Lineage = {}
        for parameter, given in passed:
            if used is None or parameter is None or parameter in used:
                given(VALUE, lineage)

        found.append(Slot(name, name.lower(), lineage))

    return found


def uses_by_position(function: Value, length: int) -> list[Names | None]:
    """Return the names that each part of a yielded row is made of; None where that is not said."""
    unknown: list[Names | None] = [None] * length
    if not isinstance(function, Function):
        return unknown

    rows = [each.elts if isinstance(each, ast.Tuple) else () for each in yields_in(function.node)]
    if not rows or any(len(row) != length for row in rows):
        return unknown

    body = Body(function, {})
    found: list[Names | None] = []
    for parts in zip(*rows, strict=True):
        uses = union(map(body.uses_in, parts))
        found.append(body.behind(uses.value | uses.test))

    return found


def yields_in(node: ast.AST) -> Iterator[ast.expr | None]:
    """Yield the values that a function yields."""
    for each in ast.walk(node):
        if isinstance(each, ast.Yield):
            yield each.value


def as_table(run: Run, relation: Relation, call: Invocation) -> Value:
    """df.asTable()      an argument of a table function"""
    return Builder("table_argument", {"relation": relation})


def table_argument_call(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """df.asTable().partitionBy("store").orderBy("at")      the table function still gets all rows"""
    return held


def built_in_call(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """spark.tvf.explode(col("tags").outer()), spark.tvf.range(10)"""
    if name == "range":
        return range_(run, call)

    make, spelled = handler_of(name)
    made = make(run, spelled, call)
    items = [made] if isinstance(made, ColumnValue) else []
    return select_items(run, Relation([], {}), items, call.node)


SPECIAL.update(dict.fromkeys(("udtf", "arrow_udtf"), make_table_function))
CLASS_DECORATORS.append(table_function_of)
CALLS[TableFunction] = call_table_function
ACTIONS["asTable"] = as_table
BUILDERS.update(table_argument=table_argument_call, tvf=built_in_call)
