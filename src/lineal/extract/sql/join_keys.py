"""The keys of JOIN … USING and NATURAL JOIN, which both sides share."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from lineal.algebra.frame import Slot, slot_at
from lineal.algebra.lineage import NOTHING, Lineage, pour
from lineal.algebra.relation import merge_key
from lineal.extract.sql.scope import FEW_SOURCES, Scope
from lineal.extract.sql.sources import KeyHolders, Source, origin_of
from lineal.model.diagnostic import Code
from lineal.model.sequences import second_of_each
from lineal.model.way import Way


def common_keys(source: Source, scope: Scope, before: int, node: exp.Join) -> list[tuple[str, str]]:
    """Return the columns that both sides of a join have.

    NATURAL JOIN      the names that both sides have
    """
    right = scope.order[before:]
    opens = (member for member in scope.open_sources() if member.stars and member not in right)
    if source.stars or any(opens):
        scope.evaluation.report(
            Code.UNSUPPORTED_CONSTRUCT,
            "NATURAL JOIN over an unknown schema: its keys are not known",
            node,
        )

    left = left_of_natural(source, scope, before)
    names = [slot for member in left for slot in member.frame.slots if slot.key in source.index]
    return list({slot.key: (slot.name, slot.key) for slot in names}.values())


def left_of_natural(source: Source, scope: Scope, before: int) -> list[Source]:
    """Return the members on the left of a join that spell its keys: of each key, the first and the
    last one that has it.
    """
    if before <= FEW_SOURCES:
        return scope.order[:before]

    right = scope.order[before:]
    found: dict[int, Source] = {}
    for key in source.index:
        holders = scope.sources_with(key)
        ends = (*holders[:1], *holders[-1 - len(right) :])
        found.update((id(member), member) for member in ends if member not in right)

    return sorted(found.values(), key=scope.order.index)


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
        left = left_key(scope, before, name, key, node, merged.get(key))
        right = key_slot(scope, [source], [source], name, key, node, None)
        for slot in (left, right):
            pour(slot.lineage, way, rows, node)

        taken = {"FULL": (left, right), "RIGHT": (right,)}.get(side or "", (left,))
        holders = holders_of(scope, key)
        scope.merged_reads[key] = [
            read for slot in taken if id(slot) in holders.scanned and (read := origin_of(slot))
        ]
        scope.covered[key] = holders.members
        made = merge_key(left, right, side or "", (name, key), node)
        shown[key] = scope.evaluation.share_column(made)

    scope.merged = {**scope.merged, **shown}
    last = scope.steps[-1]
    scope.steps[-1] = (last[0], second_of_each(keys), last[2])


def holders_of(scope: Scope, key: str) -> KeyHolders:
    """Return the members that have a key; those of the joins before are not looked at again."""
    holders = scope.key_holders.setdefault(key, KeyHolders())
    for member in members_with(scope, key)[len(holders.members) :]:
        holders.members.append(member)
        if member.dataset is not None:
            holders.scanned.add(id(slot_at(member.index, key)))

    return holders


def members_with(scope: Scope, key: str) -> Sequence[Source]:
    """Return the members that have a column, in order."""
    members = scope.sources_with(key)
    if members is scope.order:
        return [member for member in members if key in member.index]

    return members


def left_key(
    scope: Scope, before: int, name: str, key: str, node: exp.Join, merged: Slot | None
) -> Slot:
    """The column that USING means on the left: members that the merged one covers are done."""
    right = scope.order[before:]
    covered = scope.covered.get(key, ())
    holders = scope.key_holders.get(key)
    are_done = merged is not None and holders is not None and holders.members is covered
    members = members_with(scope, key)[len(covered) if are_done else 0 :]
    left = [member for member in members if member not in right]
    return key_slot(scope, left, scope.order[:before], name, key, node, merged)


def key_slot(
    scope: Scope, holders: list[Source], members: list[Source], name: str, key: str, node: exp.Join,
    merged: Slot | None,
) -> Slot:  # fmt: skip
    """The column that USING means on one side: the merged one, the only one, or one of several
    candidates.
    """
    found = [merged] if merged is not None else []
    for member in holders:
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
