"""UNION, INTERSECT and EXCEPT of frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from sqlglot import exp

from lineal.algebra.frame import Frame, Slot
from lineal.algebra.relation import (
    SetOperation,
    project,
    set_operation,
    union_by_name,
)
from lineal.extract.sql.evaluation import Evaluation
from lineal.model.diagnostic import Code


def continues_chain(node: exp.Expr) -> bool:
    """Tell whether the left side belongs to the same chain.

    a UNION b UNION c      whether the left side is a part of the same run
    """
    return isinstance(node, exp.SetOperation) and not any(
        map(node.args.get, ("with_", "order", "limit"))
    )


def is_same_operation(left: Any, right: Any) -> bool:
    """Tell whether two set operations can be done at once.

    UNION ALL next to UNION ALL      whether two operations can be done at once
    """
    return (
        type(left) is type(right)
        and all(
            bool(left.args.get(part)) == bool(right.args.get(part))
            for part in ("distinct", "by_name", "on")
        )
        and all(left.args.get(part) == right.args.get(part) for part in ("side", "kind"))
    )


def combine(node: Any, frames: list[Frame], evaluation: Evaluation) -> Frame:
    """Combine the frames of one run of UNION, INTERSECT or EXCEPT."""
    operation = OPERATIONS.get(type(node), SetOperation.UNION_ALL)
    if operation is SetOperation.UNION_ALL and node.args.get("distinct"):
        operation = SetOperation.UNION

    if node.args.get("by_name"):
        return set_operation(operation, frames, partial(unite_by_name, node, evaluation))

    check_widths(node, frames, evaluation)
    return set_operation(operation, frames)


OPERATIONS = {exp.Intersect: SetOperation.INTERSECT, exp.Except: SetOperation.EXCEPT}


def unite_by_name(node: exp.Expr, evaluation: Evaluation, frames: Sequence[Frame]) -> Frame:
    """Return a union by name.

    a FULL UNION ALL BY NAME b, a LEFT UNION ALL BY NAME b, a UNION ALL BY NAME ON (x) b
    """
    united = union_by_name(frames)
    return project(united, slots_kept(node, frames, united.slots, evaluation))


def slots_kept(
    node: exp.Expr, frames: Sequence[Frame], slots: Sequence[Slot], evaluation: Evaluation
) -> Iterable[Slot]:
    """Return the columns that a union by name keeps.

    INNER UNION ALL BY NAME: what all have; LEFT: what the first has; ON (a): what is listed;
    FULL: everything
    """
    if node.args.get("on"):
        keys = {evaluation.fold(column.name, False) for column in node.args["on"]}
    elif node.args.get("side") == "LEFT":
        keys = set(frames[0].index)
    elif node.args.get("kind") == "INNER":
        keys = set.intersection(*(set(frame.index) for frame in frames))
    else:
        return slots

    return [slot for slot in slots if slot.star is not None or slot.key in keys]


def check_widths(node: exp.Expr, frames: list[Frame], evaluation: Evaluation) -> None:
    """Report branches that differ in their number of columns."""
    widths = {len(frame.slots) for frame in frames if frame.complete}
    if len(widths) > 1:
        listed_widths = " and ".join(map(str, sorted(widths)))
        evaluation.report(
            Code.COLUMN_COUNT, f"branches of {node.key.upper()} have {listed_widths} columns", node
        )
