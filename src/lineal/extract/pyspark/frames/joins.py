"""Joins of DataFrames: on names, on expressions, with itself."""

from __future__ import annotations

import ast
from typing import Any

from lineal.algebra.clauses import USING
from lineal.algebra.frame import Slot
from lineal.algebra.lineage import Expression, as_expression
from lineal.algebra.relation import decided_rows, merge_key, narrow, put_side_by_side, reopen
from lineal.algebra.relation import join as join_frames
from lineal.extract.pyspark.columns.trees import column
from lineal.extract.pyspark.frame_scope import FrameScope, with_outer
from lineal.extract.pyspark.frames.changes import star_slot_like
from lineal.extract.pyspark.frames.project import take_findings
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.knowledge import is_text
from lineal.extract.pyspark.relation import Attribute, Relation, Twice, fresh
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.session import open_dataset, unknown_frame
from lineal.extract.pyspark.values import (
    ColumnValue,
    Library,
    Pattern,
    Unknown,
    Value,
    note_of,
    trees_of,
)
from lineal.extract.sql.expressions import expression_in
from lineal.model.sequences import all_are, instances
from lineal.model.way import Clause, Confidence

KINDS = {
    "inner": "inner", "cross": "inner", "outer": "full", "full": "full", "fullouter": "full", "left": "left",
    "leftouter": "left", "right": "right", "rightouter": "right", "semi": "semi", "leftsemi": "semi", "anti": "semi",
    "leftanti": "semi",
}  # fmt: skip


def join(run: Run, relation: Relation, call: Invocation) -> Value:
    """Join two DataFrames.

    df.join(other, "id"), df.join(other, df.a == other.b, "left")
    """
    given = dict(zip(("other", "on", "how"), call.arguments, strict=False)) | call.keywords
    other = as_relation(run, given.get("other"), call.node)
    if other is None:
        other = unknown_frame(
            run, Unknown("…", "the other side of a join is not followed"), call.node
        )

    how = given.get("how", "inner")
    kind = (
        KINDS.get(str(how).replace("_", "").lower(), "inner") if isinstance(how, str) else "inner"
    )
    on = given.get("on")
    run.step(2 * sum(len(side.attributes) + len(side.hidden) for side in (relation, other)))
    left, right, twice = told_apart(relation, other)
    names = key_names(on)
    if names is not None:
        return join_on_names(run, left, right, other, names, kind, twice, call.node)

    return join_on(run, left, right, other, conditions(run, on, call.node), kind, twice)


def lateral_join(run: Run, relation: Relation, call: Invocation) -> Value:
    """Join a DataFrame with one that depends on its rows.

    df.lateralJoin(other, on, how)      other may name columns of df: col("c.id").outer()
    """
    given = dict(zip(("other", "on", "how"), call.arguments, strict=False)) | call.keywords
    other = as_relation(run, given.get("other"), call.node)
    if other is None:
        other = unknown_frame(
            run, Unknown("…", "the other side of a join is not followed"), call.node
        )

    evaluation = run.evaluation()
    scope = FrameScope(relation, evaluation, Clause.LATERAL)
    attributes = [
        each._replace(slot=each.slot._replace(lineage=with_outer(each.slot.lineage, scope)))
        for each in other.attributes
    ]
    seen = other.derive(attributes, with_outer(other.rows, scope), evaluation)
    return join(
        run,
        relation,
        call.with_arguments([seen], {key: held for key, held in given.items() if key != "other"}),
    )


def cross_join(run: Run, relation: Relation, call: Invocation) -> Value:
    """Join all rows of two DataFrames.

    df.crossJoin(other)
    """
    return join(
        run, relation, call.with_arguments(call.arguments[:1] or [call.keywords.get("other")], {})
    )


def as_relation(run: Run, value: Value, node: ast.AST) -> Relation | None:
    """Return a DataFrame; one that only a run knows is an open dataset."""
    if isinstance(value, Relation):
        return value

    if isinstance(value, Unknown):
        return open_dataset(run, value, node)

    return None


def key_names(on: Value) -> list[str] | None:
    """Return the names of join keys.

    on="id", on=["a", "b"]
    """
    if is_text(on):
        return [on]

    if isinstance(on, (list, tuple)) and on and all_are(on, str):
        return list(on)

    return None


def conditions(run: Run, on: Value, node: ast.AST) -> list[Any]:
    """Return the names and the conditions of a join.

    on="id", on=["a", "b"], on=a.id == b.id
    """
    several = on if isinstance(on, (list, tuple)) else [on]
    for item in several:
        if isinstance(item, (Unknown, Pattern, Library)):
            run.dynamic(
                note_of("a join condition", item), node, getattr(item, "level", Confidence.UNKNOWN)
            )

    return trees_of(instances(several, ColumnValue))


def told_apart(left: Relation, right: Relation) -> tuple[Relation, Relation, tuple[Twice, ...]]:
    """Give the right side of a self-join its own identities.

    df.join(df, …)      the right side's columns get identities of their own
    """
    held = {attribute.id for attribute in (*left.attributes, *left.hidden)}
    if not any(attribute.id in held for attribute in (*right.attributes, *right.hidden)):
        return left, right, each_once((*left.twice, *right.twice))

    renewed: dict[int, int] = {}

    def again(attribute: Attribute) -> Attribute:
        """Return a column with a new id where the left side has it as well."""
        if attribute.id not in held:
            return attribute

        made = fresh(attribute.slot, attribute.qualifier, attribute.doubt)
        renewed[attribute.id] = made.id
        if attribute.id in right.types:
            right.types[made.id] = right.types[attribute.id]

        return made

    copy = right.derive(list(map(again, right.attributes)))
    copy.hidden = tuple(map(again, right.hidden))
    return left, copy, each_once((*left.twice, *right.twice, Twice(left, right, renewed)))


def each_once(several: tuple[Twice, ...]) -> tuple[Twice, ...]:
    """The self-joins of both sides; a side that is on both counts once."""
    return tuple({id(twice): twice for twice in several}.values())


def side_by_side(
    left: Relation, right: Relation, other: Relation, twice: tuple[Twice, ...]
) -> Relation:
    """Return the columns of both sides, before any of them are merged."""
    met = reopen(put_side_by_side([decided_rows(left.rows), decided_rows(right.rows)]))
    both = Relation([*left.attributes, *right.attributes], met.rows, (left, other))
    both.hidden = (*left.hidden, *right.hidden)
    both.twice = twice
    both.types = left.types if left.types is right.types else {**left.types, **right.types}
    return both


def join_on(
    run: Run,
    left: Relation,
    right: Relation,
    other: Relation,
    trees: list[Any],
    kind: str,
    twice: tuple[Twice, ...],
) -> Relation:
    """Join two DataFrames on a condition.

    a.join(b, a.id == b.id)
    """
    both = side_by_side(left, right, other, twice)
    evaluation = run.evaluation()
    scope = FrameScope(both, evaluation, Clause.JOIN_ON)
    on = [expression_in(scope, tree) for tree in trees]
    both.rows = join_frames([decided_rows(left.rows), decided_rows(right.rows)], lambda _: on).rows
    both.evaluation = evaluation

    if kind == "semi":
        both.hidden = left.hidden
        kept = Relation(left.attributes, both.rows, (left, other), evaluation)
        kept.twice, kept.types, kept.hidden = left.twice, left.types, left.hidden
        return take_findings(run, kept, evaluation)

    return take_findings(run, both, evaluation)


def join_on_names(
    run: Run, left: Relation, right: Relation, other: Relation, names: list[str], kind: str,
    twice: tuple[Twice, ...], node: ast.AST,
) -> Relation:  # fmt: skip
    """Join two DataFrames by column names.

    df.join(other, ["id"])

    id once and first: the left one's, the right one's, or either (full)
    """
    both = side_by_side(left, right, other, twice)
    evaluation = run.evaluation()
    keys: list[Attribute] = []
    gone: list[Attribute] = []
    compared: list[Expression] = []

    for name in names:
        tree = column(run, name, node)
        sides = [key_of(side, name, evaluation, tree) for side in (left, right)]
        compared += [as_expression(attribute.slot.lineage, tree) for attribute in sides]
        keys.append(merged_key(sides[0], sides[1], name, kind, tree))
        gone.extend(sides)

    both.rows = narrow(decided_rows(both.rows), USING, compared).rows
    taken = {attribute.id for attribute in gone}
    keyed = {name.lower() for name in names}
    rest = [attribute for attribute in both.attributes if attribute.id not in taken]
    rest = [_without_keys(attribute, keyed) for attribute in rest]

    if kind == "semi":
        kept = Relation(left.attributes, both.rows, (left, other), evaluation)
        kept.twice, kept.types, kept.hidden = left.twice, left.types, left.hidden
        return take_findings(run, kept, evaluation)

    made = Relation([*keys, *rest], both.rows, (left, other), evaluation)
    made.hidden = (*both.hidden, *(each for each in gone if all(each.id != key.id for key in keys)))
    made.twice, made.types = twice, both.types

    for key, side in zip(keys, gone[::2], strict=True):
        made.types.setdefault(key.id, both.types.get(side.id, ""))

    return take_findings(run, made, evaluation)


def _without_keys(attribute: Attribute, keys: set[str]) -> Attribute:
    """Return a `*` that leaves out the join's keys; any other column as it is."""
    if attribute.slot.star is None:
        return attribute

    for key in keys - attribute.slot.star.excluded:
        attribute = attribute._replace(slot=star_slot_like(attribute, key))

    return attribute


def key_of(side: Relation, name: str, evaluation: Any, tree: Any) -> Attribute:
    """Return the column of a side that a join is on."""
    scope = FrameScope(side, evaluation, Clause.USING)
    slot = scope.column(tree)
    held = next((attribute for attribute in side.attributes if attribute.slot is slot), None)
    if held is not None:
        return held

    return fresh(Slot(name, name.lower(), slot.lineage, None, slot.scanned))


def merged_key(left: Attribute, right: Attribute, name: str, kind: str, tree: Any) -> Attribute:
    """Return the one column that both keys become.

    a.join(b, "id")
    """
    slot = merge_key(left.slot, right.slot, kind.upper(), (left.slot.name, name.lower()), tree)
    if kind == "full":
        return fresh(slot)

    side = right if kind == "right" else left
    return side._replace(slot=slot._replace(lineage=dict(slot.lineage)))
