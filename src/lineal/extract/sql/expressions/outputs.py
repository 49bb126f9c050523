"""The values that a call of a procedure leaves in variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from lineal.algebra.lineage import Lineage, pour
from lineal.extract.sql.expressions.walk import Calls, Visit, value_of
from lineal.extract.sql.scope import Scope
from lineal.model.diagnostic import Code
from lineal.model.way import IDENTITY as NEUTRAL
from lineal.model.way import Way

if TYPE_CHECKING:
    from lineal.extract.sql.procedural.pieces import Routine


CALL = "call "
"""The start of the name of a node that stands for what a call leaves in a variable: with its space
a function is called differently.
"""


def output_of(name: str, arguments: list[exp.Expr], at: int, certain: bool) -> exp.Anonymous:
    """The node that stands for what a call leaves in the variable that is one of its arguments."""
    node = exp.Anonymous(this=f"{CALL}{name}", expressions=[each.copy() for each in arguments])
    node.meta.update(at=at, certain=certain)
    return node


def output(node: exp.Expr, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk the variable that a call may have filled.

    CALL p(1, x)      what the body of p assigns to the OUT parameter; x itself, if it is none
    """
    evaluation = visit.scope.evaluation
    given = list(map(named_value, node.expressions))
    routine = procedure_called(node.name.removeprefix(CALL), visit.scope)
    name, own = given[node.meta["at"]]
    if routine is None:
        report_unknown(node, own, visit.scope)
        visit.stack.append((own, way, calls))
        return

    filled = routine.gives_back.get(parameter_of(routine, node.meta["at"], name))
    summary = evaluation.catalog.summary_of(filled, evaluation) if filled is not None else None
    if summary is None:
        visit.stack.append((own, way, calls))
        return

    evaluation.absorb(summary.evaluation, own)
    pour(
        summary.lineage_of_call(values_given(routine, given, visit.scope)),
        way,
        visit.into,
        own,
        calls,
    )


def named_value(argument: exp.Expr) -> tuple[str, Any]:
    """x => a      x and a; no name where there is none"""
    if isinstance(argument, exp.Kwarg):
        return argument.this.name, argument.expression

    return "", argument


def procedure_called(name: str, scope: Scope) -> Routine | None:
    """The procedure of a name, else of its last part; the last one that the input defines."""
    procedures = scope.evaluation.catalog.functions
    found = procedures.get(f"{name}#") or procedures.get(f"{name.rpartition('.')[2]}#")
    return found[-1] if found else None


def values_given(
    routine: Routine, given: list[tuple[str, Any]], scope: Scope
) -> dict[int, Lineage]:
    """The lineage of each argument, by its position among the parameters that take a value."""
    inputs = [each.key for each in routine.inputs]
    values: dict[int, Lineage] = {}
    for at, (name, argument) in enumerate(given):
        key = parameter_of(routine, at, name)
        if key in inputs:
            values[inputs.index(key)] = value_of(argument, NEUTRAL, scope)

    return values


def report_unknown(node: exp.Expr, own: Any, scope: Scope) -> None:
    """Report a variable that a procedure fills whose body is not known."""
    if not node.meta["certain"]:
        return

    shown = own.sql(dialect=scope.evaluation.facts.name or None)
    scope.evaluation.report(
        Code.DYNAMIC,
        f"what procedure '{node.name.removeprefix(CALL)}' puts into {shown} is not known",
        own,
    )


def parameter_of(routine: Routine, position: int, name: str) -> str:
    """The key of the parameter that an argument is for, by its name or its own position."""
    keys = [each.key for each in routine.parameters]
    if not name:
        return keys[position] if position < len(keys) else ""

    wanted = name.lstrip("@")
    return next((key for key in keys if key.lstrip("@") == wanted), "")
