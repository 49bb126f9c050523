"""Columns of the rows that a called function gives: (f(a)).b."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from lineal.algebra.clauses import LATERAL
from lineal.algebra.frame import slot_at
from lineal.algebra.lineage import Lineage, pour
from lineal.extract.sql.expressions.bodies import arguments_of
from lineal.extract.sql.expressions.walk import gather, take
from lineal.extract.sql.scope import Scope
from lineal.model.way import Clause, Way


def returned_column(node: exp.Dot, way: Way, calls: Any, scope: Scope, into: Lineage) -> bool:
    """Take a column of a table function, and tell whether the function's body is known.

    SELECT (f(t.a)).b FROM t      f.b, as in SELECT r.b FROM t, f(t.a) AS r

    An argument that the body puts into b is in it as well; each argument decides the rows.
    """
    base = node.this.unnest()
    call = base.expression if isinstance(base, exp.Dot) else base
    evaluation = scope.evaluation
    if not isinstance(call, exp.Anonymous):
        return False

    routine = evaluation.catalog.shapes.get(call.name.lower())
    if routine is None or not routine.rows:
        return False

    dataset, frame = evaluation.scan(routine.key, routine.name, base)
    slot = slot_at(
        frame.index, evaluation.fold(node.expression.name, node.expression.args.get("quoted"))
    )
    if dataset is None or slot is None:
        return False

    take(slot, way, into, base, calls)
    evaluation.read(next(iter(slot.lineage))[0], scope.clause, base)
    summary = evaluation.catalog.summary_of(routine, evaluation)
    if summary is not None:
        values = arguments_of(call, summary, scope)
        pour(summary.given_to(frame.slots.index(slot), values), way, into, base, calls)

    if scope.clause is Clause.SELECT and scope.rows is not None:
        for argument in call.expressions:
            gather(argument, LATERAL, scope.rows, scope)

    return True
