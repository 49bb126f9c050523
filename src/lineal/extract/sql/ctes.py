"""WITH: the order of its members, recursion, SEARCH and CYCLE."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from lineal.algebra.clauses import FILTERS
from lineal.algebra.expression import CONDITION, VALUE
from lineal.algebra.frame import Frame, Slot, slot_at
from lineal.algebra.lineage import NOTHING, Expression, Lineage, absorb, as_expression, pour
from lineal.algebra.relation import (
    extend,
    narrow,
)
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.recursion_repairs import MARK
from lineal.extract.sql.table_aliases import table_name


def with_marks(node: exp.With, frame: Frame, evaluation: Evaluation) -> Frame:
    """Add the columns of SEARCH and CYCLE to a recursive CTE.

    SEARCH DEPTH FIRST BY a SET o, CYCLE a SET c USING p

    o and p are arrays of a; c: whether a stands in p

    Where it does the recursion ends, as if WHERE NOT c stood there.
    """
    slots: list[Slot] = []
    loops: list[Expression] = []
    for clause in (node.args.get("search"), node.args.get("cycle")):
        if clause is None:
            continue

        listed_: Lineage = {}
        for name in clause.this.name.split(MARK):
            slot = slot_at(frame.index, evaluation.fold(name, False))
            absorb(slot.lineage if slot is not None else NOTHING, listed_)

        cycle = clause.args.get("kind") == "CYCLE"
        made = [
            (clause.expression, CONDITION if cycle else VALUE),
            (clause.args.get("using"), VALUE),
        ]
        for identifier, way in made:
            if isinstance(identifier, exp.Identifier):
                lineage: Lineage = {}
                pour(listed_, way, lineage, clause)
                key = evaluation.fold(identifier.name, identifier.args.get("quoted"))
                slots.append(Slot(identifier.name, key, lineage))

        if cycle:
            loops.append(as_expression(listed_, clause))

    return extend(narrow(frame, FILTERS, loops), slots)


def without_parentheses(node: exp.Expr) -> Any:
    """Return the query inside parentheses.

    ((a UNION ALL b))      what stands inside, where the parentheses hold nothing else
    """
    while isinstance(node, exp.Subquery) and node.is_wrapper:
        node = node.this

    return node


def is_recursive(whole: exp.SetOperation, key: str, evaluation: Evaluation) -> bool:
    """Tell whether a CTE reads itself.

    anchor UNION ALL step

    whether a step reads the name; in the anchor it can only mean a table
    """
    branch: Any = whole
    while isinstance(branch, exp.SetOperation):
        if key in mentioned_tables(branch.expression, evaluation):
            return True

        branch = without_parentheses(branch.this)

    return False


def mentioned_tables(body: exp.Expr, evaluation: Evaluation) -> set[str]:
    """The names without a schema that a query reads from."""
    return {
        table_name(table.this, evaluation)
        for table in body.find_all(exp.Table)
        if table.args.get("db") is None and isinstance(table.this, exp.Identifier)
    }


def order_ctes(members: list[exp.CTE], evaluation: Evaluation) -> list[exp.CTE]:
    """Sort CTEs so that each follows those that it reads.

    WITH RECURSIVE a AS (… FROM b), b AS (…)      b first; a circle stays as it was written
    """
    waiting = {table_name(cte.args["alias"].this, evaluation): cte for cte in members}
    needs = {
        key: mentioned_tables(cte.this, evaluation) & waiting.keys() - {key}
        for key, cte in waiting.items()
    }
    ordered: list[exp.CTE] = []
    while waiting:
        ready = next(
            (key for key in waiting if not needs[key] & waiting.keys()), next(iter(waiting))
        )
        ordered.append(waiting.pop(ready))

    return ordered
