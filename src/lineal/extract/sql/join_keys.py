"""The keys of JOIN … USING and NATURAL JOIN, which both sides share."""

from __future__ import annotations

from sqlglot import exp

from lineal.algebra.frame import Slot, slot_at
from lineal.algebra.lineage import NOTHING, Lineage, pour
from lineal.algebra.relation import merge_key
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.sources import Source, origin_of
from lineal.model.diagnostic import Code
from lineal.model.way import Way


def common_keys(source: Source, scope: Scope, before: int, node: exp.Join) -> list[tuple[str, str]]:
    """Return the columns that both sides of a join have.

    NATURAL JOIN      the names that both sides have
    """
    left = scope.order[:before]
    if source.stars or any(member.stars for member in left):
        scope.evaluation.report(
            Code.UNSUPPORTED_CONSTRUCT,
            "NATURAL JOIN over an unknown schema: its keys are not known",
            node,
        )
    names = [slot for member in left for slot in member.frame.slots if slot.key in source.index]
    return list({slot.key: (slot.name, slot.key) for slot in names}.values())


def merge_keys(
    keys: list[tuple[str, str]],
    node: exp.Join,
    source: Source,
    scope: Scope,
    rows: Lineage,
    before: int,
    merged: dict[str, Slot],
    way: Way,
) -> None:
    """Merge the keys of USING.

    USING (id)

    both ids decide; the merged id is the left one's, the right one's, or either (FULL)
    """
    scope.clause = way.clause
    side = node.args.get("side")
    shown: dict[str, Slot] = {}
    for name, key in keys:
        left = key_slot(scope, scope.order[:before], name, key, node, merged.get(key))
        right = key_slot(scope, [source], name, key, node, None)
        for slot in (left, right):
            pour(slot.lineage, way, rows, node)
        taken = {"FULL": (left, right), "RIGHT": (right,)}.get(side or "", (left,))
        scanned = {
            id(slot)
            for member in scope.order
            if member.dataset is not None
            for slot in (slot_at(member.index, key),)
        }
        scope.merged_reads[key] = [
            read for slot in taken if id(slot) in scanned and (read := origin_of(slot))
        ]
        scope.covered[key] = [member for member in scope.order if key in member.index]
        shown[key] = merge_key(left, right, side or "", (name, key), node)

    scope.merged = {**scope.merged, **shown}
    last = scope.steps[-1]
    scope.steps[-1] = (last[0], [key for _, key in keys], last[2])


def key_slot(
    scope: Scope, members: list[Source], name: str, key: str, node: exp.Join, merged: Slot | None
) -> Slot:
    """The column that USING means on one side: the merged one, the only one, or one of several
    candidates.
    """
    found = [merged] if merged is not None else []
    for member in members:
        slot = slot_at(member.index, key)
        if slot is not None and (merged is None or member not in scope.covered.get(key, ())):
            if member.dataset is not None:
                scope.evaluation.read(origin_of(slot), scope.clause, node)
            found.append(slot)

    if not found:
        opens = [member for member in members if member.stars]
        found = [
            slot
            for member in opens
            if (slot := scope.from_stars(member, name, key, node)) is not None
        ]

    if found:
        if len(found) == 1:
            return found[0]

        return scope.ambiguous(name, found, node)

    scope.evaluation.unresolved += 1
    scope.evaluation.report(Code.UNRESOLVED_COLUMN, f"no source has the join column '{name}'", node)
    return Slot(name, key, NOTHING)
