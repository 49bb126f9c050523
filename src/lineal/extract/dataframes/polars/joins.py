"""Joins of Polars frames, and frames below each other or side by side."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlglot import exp

from lineal.algebra.clauses import JOINS, USING
from lineal.algebra.frame import Slot
from lineal.algebra.lineage import Lineage, unite_lineages
from lineal.algebra.relation import (
    SetOperation,
    decided_rows,
    merge_key,
    narrow,
    put_side_by_side,
    reopen,
    set_operation,
)
from lineal.extract.dataframes.polars.expressions import exprs_of, settle
from lineal.extract.dataframes.polars.values import Expr, PolarsFrame, Suffix
from lineal.extract.pyspark.dispatch import relation_in
from lineal.extract.pyspark.frame_scope import FrameScope
from lineal.extract.pyspark.frames.changes import narrow_stars
from lineal.extract.pyspark.frames.joins import told_apart
from lineal.extract.pyspark.frames.project import take_findings
from lineal.extract.pyspark.frames.sets import relation_of_slots, union_by_name
from lineal.extract.pyspark.invocation import Invocation, Keywords
from lineal.extract.pyspark.knowledge import items_of
from lineal.extract.pyspark.relation import Attribute, Relation, fresh, open_star
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Value, note_of
from lineal.extract.sql.expressions import expression_in
from lineal.model.diagnostic import Code
from lineal.model.sequences import first_of_each, present, second_of_each
from lineal.model.way import Clause, Way

SUFFIX = "_right"


class Sides(NamedTuple):
    """The two frames of a join, with their keys."""

    left: PolarsFrame
    right: PolarsFrame
    left_keys: list[Expr]
    right_keys: list[Expr]
    suffix: str

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Return the names of the keys that are columns of both sides."""
        return [
            (str(left.root), str(right.root))
            for left, right in zip(self.left_keys, self.right_keys, strict=False)
            if left.tree.__class__ is exp.Column and right.tree.__class__ is exp.Column
        ]


def other_frame(run: Run, held: Value, node: ast.AST) -> PolarsFrame | None:
    """Return the other frame of a join; one that only a run knows is reported."""
    found = relation_in(held)
    if found is None:
        run.dynamic(note_of("a DataFrame", held), node)
        return None

    if isinstance(held, PolarsFrame):
        return held

    return PolarsFrame(found)


def join(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """a.join(b, on="id", how="left", suffix="_b")"""
    given = dict(zip(("other", "on", "how"), call.arguments, strict=False)) | call.keywords
    other = other_frame(run, given.get("other"), call.node)
    if other is None:
        return frame.derive(
            Relation([*frame.relation.attributes, open_star()], {}, (frame.relation,))
        )

    how = given.get("how", "inner")
    kind = how if isinstance(how, str) else "inner"
    if not isinstance(how, str):
        run.dynamic(note_of("a kind of join", how), call.node)

    sides = sides_of(run, frame, other, given, call.node)
    return join_sides(run, sides, kind, given.get("coalesce"), USING)


def sides_of(
    run: Run, frame: PolarsFrame, other: PolarsFrame, given: dict[str, Value], node: ast.AST
) -> Sides:
    """Return the sides of a join: on="id", or left_on="a" and right_on="b"."""
    on = given.get("on")
    left_keys = exprs_of(run, [on, given.get("left_on")], node)
    right_keys = exprs_of(run, [on, given.get("right_on")], node)
    suffix = given.get("suffix", SUFFIX)
    left, right, twice = told_apart(frame.relation, other.relation)
    right.twice = twice
    text = suffix if isinstance(suffix, str) else SUFFIX
    return Sides(frame.derive(left), other.derive(right), left_keys, right_keys, text)


def join_sides(run: Run, sides: Sides, kind: str, coalesce: Value, way: Way) -> PolarsFrame:
    """Return the frame of a join: the columns of both sides, of which the keys are kept once."""
    left, right = sides.left.relation, sides.right.relation
    evaluation = run.evaluation()
    compared = [
        *conditions(sides.left, sides.left_keys, FrameScope(left, evaluation, Clause.USING)),
        *conditions(sides.right, sides.right_keys, FrameScope(right, evaluation, Clause.USING)),
    ]
    met = reopen(put_side_by_side([decided_rows(left.rows), decided_rows(right.rows)]))
    rows = narrow(met, way, compared).rows
    if kind in ("semi", "anti"):
        kept = left.derive(None, rows, evaluation, (right,))
        return sides.left.derive(take_findings(run, kept, evaluation))

    attributes = joined_columns(run, sides, kind, merges(kind, coalesce), evaluation)
    made = Relation(attributes, rows, (left, right), evaluation)
    made.types = {**right.types, **left.types}
    made.twice = right.twice
    take_findings(run, made, evaluation)
    program = run.reading.script.text
    latest = Suffix(sides.suffix, left, right, program)
    earlier = [each for each in sides.left.suffixes if not latest.hides(each)]
    return PolarsFrame(made, (*earlier, latest))


def conditions(frame: PolarsFrame, keys: Iterable[Expr], scope: FrameScope) -> list[Any]:
    """Return the keys of one side, as what the rows are compared by."""
    return [expression_in(scope, settle(frame, key.tree)) for key in keys]


def merges(kind: str, coalesce: Value) -> bool:
    """Tell whether a join keeps its keys once."""
    if isinstance(coalesce, bool):
        return coalesce

    return kind not in ("full", "outer", "cross")


def joined_columns(
    run: Run, sides: Sides, kind: str, merged: bool, evaluation: Any
) -> list[Attribute]:
    """Return the columns of both sides; a name that both have gets the suffix on the right."""
    left, right = list(sides.left.relation.attributes), list(sides.right.relation.attributes)
    pairs = sides.pairs if merged else []
    if kind == "right":
        left = drop_names(left, first_of_each(pairs))
    else:
        left = [merged_key(each, sides, kind, evaluation) for each in left] if pairs else left
        right = drop_names(right, second_of_each(pairs))

    taken = {each.key for each in left if each.slot.star is None}
    return [*left, *(add_suffix(each, taken, sides.suffix) for each in right)]


def merged_key(attribute: Attribute, sides: Sides, kind: str, evaluation: Any) -> Attribute:
    """a.join(b, on="id", how="full", coalesce=True)      id of either side"""
    if kind not in ("full", "outer", "outer_coalesce"):
        return attribute

    for left, right in sides.pairs:
        other = sides.right.relation.by_key.get(right.lower())
        if left.lower() == attribute.key and other:
            title = (attribute.slot.name, attribute.key)
            return fresh(merge_key(attribute.slot, other[0].slot, "FULL", title))

    return attribute


def drop_names(attributes: list[Attribute], names: Iterable[str]) -> list[Attribute]:
    """Return the columns without those of these names."""
    for name in names:
        key = name.lower()
        rest = [each for each in attributes if each.slot.star is not None or each.key != key]
        attributes = narrow_stars(rest, key)

    return attributes


def add_suffix(attribute: Attribute, taken: set[str], suffix: str) -> Attribute:
    """Return a column of the right side, under another name if the left side has its name."""
    if attribute.slot.star is not None or attribute.key not in taken:
        return attribute

    name = f"{attribute.slot.name}{suffix}"
    return fresh(Slot(name, name.lower(), attribute.slot.lineage))


def join_asof(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """a.join_asof(b, on="at", by="k")      the nearest row of b; rows stay in their order"""
    other = other_frame(run, call.argument(0, "other"), call.node)
    if other is None:
        return frame

    given = dict(call.keywords)
    plain = sides_of(run, frame, other, given, call.node)
    by = exprs_of(run, [call.keywords.get("by")], call.node)
    sides = plain._replace(
        left_keys=[
            *plain.left_keys,
            *by,
            *exprs_of(run, [call.keywords.get("by_left")], call.node),
        ],
        right_keys=[
            *plain.right_keys,
            *by,
            *exprs_of(run, [call.keywords.get("by_right")], call.node),
        ],
    )
    same_names = [name for name, other_name in sides.pairs if name == other_name]
    trimmed = drop_names(list(sides.right.relation.attributes), same_names)
    right = sides.right.derive(sides.right.relation.derive(trimmed))
    right.relation.hidden = tuple(sides.right.relation.attributes)
    found = join_sides(run, sides, "left", coalesce=False, way=JOINS)
    gone = {f"{name}{sides.suffix}".lower() for name in same_names}
    kept = [each for each in found.relation.attributes if each.key not in gone]
    relation = found.relation.derive(without_keys(kept, found, same_names))
    return PolarsFrame(relation, found.suffixes, frame.order)


def without_keys(
    attributes: list[Attribute], found: PolarsFrame, names: list[str]
) -> list[Attribute]:
    """Return the columns of an asof join, whose right side's star does not hold the keys."""
    right = {each.id for each in found.suffixes[-1].right.stars}
    keys = [name.lower() for name in names]
    made = []
    for each in attributes:
        for key in keys if each.id in right else ():
            each = narrow_stars([each], key)[0]

        made.append(each)

    return made


def join_where(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """a.join_where(b, pl.col("x") < pl.col("y"))"""
    other = other_frame(
        run, call.arguments[0] if call.arguments else call.keywords.get("other"), call.node
    )
    if other is None:
        return frame

    sides = sides_of(run, frame, other, {"suffix": call.keywords.get("suffix", SUFFIX)}, call.node)
    found = join_sides(run, sides, "cross", None, JOINS)
    evaluation = run.evaluation()
    scope = FrameScope(found.relation, evaluation, Clause.JOIN_ON)
    tests = conditions(found, exprs_of(run, call.arguments[1:], call.node), scope)
    rows = narrow(decided_rows(found.relation.rows), JOINS, tests).rows
    made = found.relation.derive(None, rows, evaluation)
    return found.derive(take_findings(run, made, evaluation))


# -- several frames --------------------------------------------------------------------------------


def concat(run: Run, call: Invocation) -> Value:
    """pl.concat([a, b], how="diagonal")"""
    items = items_of(call.argument(0, "items"))
    frames = list(map(relation_in, items or []))
    known = present(frames)
    how = call.keywords.get("how", "vertical")
    if items is None or len(known) < len(frames) or not known:
        run.dynamic("DataFrames that only a run knows", call.node)
        return PolarsFrame(Relation([open_star()], {}, tuple(known)))

    handler = CONCATS.get(str(how).removesuffix("_relaxed"))
    if handler is None:
        run.report(Code.UNSUPPORTED_CONSTRUCT, f"concat(how={how!r}) is not traced", call.node)
        return PolarsFrame(Relation([open_star()], {}, tuple(known)))

    found = known[0]
    for other in known[1:]:
        found = handler(run, found, other, call.node)

    return PolarsFrame(found)


def stack_frames(run: Run, left: Relation, right: Relation, node: ast.AST) -> Relation:
    """pl.concat([a, b])      the same columns in the same order"""
    whole = set_operation(SetOperation.UNION_ALL, [left.frame, right.frame])
    return relation_of_slots(left, right, list(whole.slots), whole.rows)


def by_names(run: Run, left: Relation, right: Relation, node: ast.AST) -> Relation:
    """pl.concat([a, b], how="diagonal")      by name"""
    found = union_by_name(run, left, Invocation([right], {}, node))
    assert isinstance(found, Relation)
    return found


def side_by_side(run: Run, left: Relation, right: Relation, node: ast.AST) -> Relation:
    """pl.concat([a, b], how="horizontal")"""
    rows: Lineage = unite_lineages([left.rows, right.rows])
    made = Relation([*left.attributes, *right.attributes], rows, (left, right))
    made.types = {**right.types, **left.types}
    return made


def align_frames(run: Run, left: Relation, right: Relation, node: ast.AST) -> Relation:
    """pl.concat([a, b], how="align")      a full join on the columns that both have"""
    common = [name for name in left.names if name.lower() in right.by_key]
    keywords: Keywords = {"on": common, "how": "full", "coalesce": True}
    found = join(run, PolarsFrame(left), Invocation([PolarsFrame(right)], keywords, node))
    assert isinstance(found, PolarsFrame)
    return found.relation


CONCATS = {
    "vertical": stack_frames,
    "diagonal": by_names,
    "horizontal": side_by_side,
    "align": align_frames,
    "align_full": align_frames,
}


def append(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """a.vstack(b), a.extend(b), a.merge_sorted(b, key="k")"""
    other = other_frame(run, call.argument(0, "other"), call.node)
    if other is None:
        return frame.derive(Relation([open_star()], {}, (frame.relation,)))

    return frame.derive(stack_frames(run, frame.relation, other.relation, call.node))
