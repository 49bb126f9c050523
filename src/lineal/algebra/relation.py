"""Relation verbs: what a clause does to the columns and the rows of a relation.

A front end walks its own tree and calls these; it constructs no frame itself. Each verb opens with
its SQL and says which columns survive, where their values come from, and which columns decide the
rows.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from enum import Enum
from typing import Any

from lineal.algebra.clauses import (
    DISTINCT,
    DISTINCT_ON,
    EXCEPT_COMPARES,
    GROUPS,
    INTERSECT_COMPARES,
    JOINS,
    LATERAL,
    PIVOT_KEYS,
    UNION_COMPARES,
    UNPIVOT_DROPS,
)
from lineal.algebra.expression import VALUE
from lineal.algebra.frame import (
    Candidates,
    Frame,
    Members,
    Piped,
    Scan,
    Slot,
    Star,
    scanned_slot,
    star_slot,
)
from lineal.algebra.lineage import (
    NOTHING,
    Expression,
    Lineage,
    absorb,
    add_doubt,
    pour,
    pour_and_decide,
    unite_lineages,
)
from lineal.algebra.values import Struct, merge_parts, size_of
from lineal.model.edge import Column, Dataset, Doubt
from lineal.model.sequences import flatten, second_of_each
from lineal.model.way import IDENTITY, Confidence, Way

Title = tuple[str, str]
"""A column's name as it is spelled, and the key that it is found by."""


# -- where rows come from --------------------------------------------------------------------------


def scan(
    dataset: Dataset, columns: Iterable[Title], complete: bool, sourceless: Container[str] = ()
) -> Frame:
    """SELECT * FROM t

    Every column of t survives and stands for itself; an open star answers for those that are not
    known. What only the engine knows of a row (`sourceless`: the file that it is in) is a
    column without sources.
    """
    slots = [
        Slot(name, key, {}) if name in sourceless else scanned_slot(Column(dataset, name), key)
        for name, key in columns
    ]
    if not complete:
        slots.append(star_slot(Star(dataset)))

    return Frame(slots, NOTHING)


def scan_on_demand(
    dataset: Dataset,
    columns: Iterable[Title],
    complete: bool,
    declared_in: frozenset[str] | None = None,
) -> Scan:
    """SELECT a FROM t

    as `scan`; a column of a wide table becomes a slot when it is first asked for
    """
    return Scan(dataset, columns, complete, declared_in)


def scan_together(
    datasets: Sequence[Dataset], columns: Sequence[Title], sourceless: Container[str] = ()
) -> Frame:
    """spark.read.parquet(a, b)

    The rows of every dataset, as by UNION ALL; a column comes from each of them, and is read of the
    first.
    """
    frames = [scan(dataset, columns, True, sourceless) for dataset in datasets]
    slots = zip(union(frames).slots, frames[0].slots, strict=True)
    return Frame([slot._replace(scanned=first.scanned) for slot, first in slots], NOTHING)


def scan_any(frames: Sequence[Frame], evidence: str) -> Frame:
    """SELECT a FROM t, where t may be any of several datasets

    A column comes from each of them that has it; one that several have is ambiguous.
    """
    doubt = Doubt(Confidence.LOW, True, evidence)
    together: dict[str, list[Slot]] = {}
    for frame in frames:
        for slot in frame.slots:
            if slot.star is None:
                together.setdefault(slot.key, []).append(slot)

    slots = [
        each[0]
        if len(each) == 1
        else Slot(
            each[0].name, key, unite_lineages(add_doubt(slot.lineage, doubt) for slot in each)
        )
        for key, each in together.items()
    ]
    stars = [slot.star for frame in frames for slot in frame.stars if slot.star is not None]
    if stars:
        slots.append(star_slot(stars[0]._replace(beside=tuple(stars[1:]))))

    return Candidates(slots, NOTHING)


def one_row() -> Frame:
    """Return a frame without columns, whose row nothing decides.

    SELECT 1      the row that a query without FROM reads: no column, and nothing decides it
    """
    return Frame([], {})


def decided_rows(rows: Lineage) -> Frame:
    """FROM t JOIN u ON t.id = u.id WHERE a > 1 …

    Rows whose clauses have been read already, so that it is known what decides them; which columns
    they have is said next, by `project`.
    """
    return Frame([], rows)


def reopen(frame: Frame) -> Frame:
    """(SELECT a FROM t UNION SELECT b FROM u) ORDER BY a LIMIT 1

    The same columns, and rows that the clauses which follow may still decide: they add to `rows`,
    and the query inside stays as it was.
    """
    return Frame(frame.slots, dict(frame.rows))


def values(titles: Iterable[Title], rows: Iterable[Iterable[Lineage]] = ()) -> Frame:
    """SELECT * FROM (VALUES (1, a), (2, b)) AS v(p, q)

    The columns are p and q; each takes the value in its place of every row (q ← a, b), IDENTITY.
    The text fixes the rows: no column decides them. Without any value a column has no sources, as
    those of range(10).
    """
    slots = [Slot(name, key, {}) for name, key in titles]
    for row in rows:
        for slot, lineage in zip(slots, row, strict=False):
            absorb(lineage, slot.lineage)

    return Frame(slots, NOTHING)


def refer_to(frame: Frame, titles: Iterable[Title]) -> Frame:
    """WITH c AS (SELECT a FROM t WHERE b) SELECT … FROM c

    Every column of the definition survives under the name and key of the reference, by position,
    with its lineage; what decides the rows of the definition decides those of the reference. It is
    no column of a dataset any more: t.a was read inside.
    """
    lineages = [slot.lineage for slot in frame.slots]
    return Frame([*_slots_of(titles, lineages)], frame.rows)


def _slots_of(titles: Iterable[Title], lineages: Sequence[Lineage]) -> Iterable[Slot]:
    """Yield a slot for each title; a title without a lineage gets an empty one."""
    for position, (name, key) in enumerate(titles):
        yield Slot(name, key, lineages[position] if position < len(lineages) else {})


MOST_ROUNDS = 64
"""A recursion that has not come to an end by then is cut."""


def recurse(anchor: Frame, step: Callable[[Frame], Frame]) -> Frame:
    """WITH RECURSIVE c AS (SELECT a FROM t UNION ALL SELECT … FROM c) …

    The columns of the anchor; each comes from the anchor and from every round of the step, and so
    do the rows. Both are finite, so the rounds end when one of them finds nothing new.
    """
    frame, size = anchor, -1
    for _ in range(MOST_ROUNDS):
        found = sum(size_of(slot.lineage) for slot in frame.slots) + len(frame.rows)
        if found == size:
            break

        size = found
        frame = union([frame, step(frame)])

    return frame


# -- which columns there are -----------------------------------------------------------------------


def project(frame: Frame, columns: Iterable[Slot]) -> Frame:
    """SELECT a, b + 1 AS c FROM t

    Exactly the listed columns survive, in their order, each with the lineage of its expression.
    What decides the rows of t goes on deciding them: a list of columns leaves out no row.
    """
    return Frame(columns if isinstance(columns, list) else [*columns], frame.rows)


def pipe(frame: Frame, columns: list[Slot], members: Members) -> Piped:
    """FROM a |> JOIN b ON a.id = b.id |> EXTEND a.x + b.x AS y

    The columns survive as by `project`; next to that, a step of a pipe knows which of them are still
    those of a and of b (`members`), for the next step may name them so.
    """
    return Piped(columns, frame.rows, members)


def extend(frame: Frame, columns: Iterable[Slot]) -> Frame:
    """SELECT *, row_number() OVER (ORDER BY a) AS n FROM t

    Every column of t survives, and the new ones stand behind them; the rows stay.
    """
    return Frame([*frame.slots, *columns], frame.rows)


def rename(frame: Frame, names: Sequence[tuple[str, str]]) -> Frame:
    """AS d(p, q)      the first columns get new names, the others keep theirs

    From an open star on positions are not known. A name that both sides use is the same column;
    any other name may be any column of the star, or one of the columns behind it that are left.
    """
    slots = list(frame.slots)
    for position, (name, key) in enumerate(names):
        if position >= len(slots):
            break

        if slots[position].star is not None:
            tail = _behind_star(slots[position:], names[position:])
            return Frame([*slots[:position], *tail], frame.rows)

        slots[position] = slots[position]._replace(name=name, key=key)

    return Frame(slots, frame.rows)


def _behind_star(slots: Sequence[Slot], names: Sequence[tuple[str, str]]) -> list[Slot]:
    """Return a slot for each name from an open star on: INSERT INTO t (a, b) SELECT m.*, 1 AS b"""
    listed = set(second_of_each(names))
    same = {slot.key: slot for slot in slots if slot.star is None and slot.key in listed}
    others = [slot for slot in slots if slot.key not in same]
    doubt = Doubt(Confidence.LOW, True, "a column list over an open star")
    lineage = add_doubt(unite_lineages(slot.lineage for slot in others), doubt)
    return [
        same[key]._replace(name=name) if key in same else Slot(name, key, lineage)
        for name, key in names
    ]


# -- which rows there are --------------------------------------------------------------------------


def narrow(frame: Frame, clause: Way, conditions: Sequence[Expression]) -> Frame:
    """SELECT * FROM t WHERE a > 1 ORDER BY b

    Every column survives as it is; each column that a condition names decides the rows, in the way
    of the clause (a: FILTER, b: SORT). Rows of subqueries inside a condition keep their own usage.
    """
    if not conditions:
        return frame

    rows = dict(frame.rows)
    for condition in conditions:
        condition(clause, rows)

    return Frame(frame.slots, rows)


def group(frame: Frame, keys: Sequence[Expression], columns: Iterable[Slot]) -> Frame:
    """SELECT a, sum(b) AS total FROM t GROUP BY a

    The listed columns survive: keys as they are, aggregates with AGGREGATION. Each key decides
    which rows there are (GROUP_BY), whether or not it is listed. Keys are read before the columns.
    """
    return project(narrow(frame, GROUPS, keys), columns)


def distinct(
    frame: Frame, keys: Sequence[Expression] | None = None, clause: Way = DISTINCT_ON
) -> Frame:
    """SELECT DISTINCT * FROM t; SELECT DISTINCT ON (a) * FROM t

    Every column survives as it is. All of them are compared, or only the keys: what is compared
    decides which rows there are (GROUP_BY).
    """
    if keys is not None:
        return narrow(frame, clause, keys)

    rows = dict(frame.rows)
    compare(frame.slots, DISTINCT, rows)
    return Frame(frame.slots, rows)


def compare(columns: Iterable[Slot], clause: Way, rows: Lineage) -> None:
    """SELECT DISTINCT a, b

    Every column that is compared decides the rows that are being collected
    """
    for slot in columns:
        pour(slot.lineage, clause, rows)


def explode(frame: Frame, items: Iterable[Slot], arrays: Iterable[Expression]) -> Frame:
    """SELECT * FROM t LATERAL VIEW explode(t.xs) v AS x

    Every column of t survives, and x next to them, x ← xs TRANSFORMATION. How many items an array
    has decides how often a row is there: xs => JOIN. An array that the text lists (explode(array(a,
    b))) is none of `arrays`.
    """
    rows = dict(frame.rows)
    for array in arrays:
        array(LATERAL, rows)

    return Frame([*frame.slots, *items], rows)


def repeat(frame: Frame, columns: Iterable[tuple[Title, Iterable[Lineage]]]) -> Frame:
    """SELECT stack(2, a, b, c, d) AS (p, q) FROM t; GROUP BY ROLLUP (a, b), as the engine expands
    it

    Each row of t once for every list of values: p ← a, c and q ← b, d, IDENTITY. Only the new
    columns survive. The text fixes how often a row is there, so that no column decides it.
    """
    slots = [Slot(name, key, unite_lineages(lineages)) for (name, key), lineages in columns]
    return Frame(slots, frame.rows)


# -- two relations and more ------------------------------------------------------------------------


def put_side_by_side(frames: Sequence[Frame]) -> Frame:
    """SELECT * FROM a, b

    The columns of the first, then those of the next; what decides the rows of one decides the rows
    of all.
    """
    slots = flatten(frame.slots for frame in frames)
    return Frame(slots, unite_lineages(frame.rows for frame in frames))


def join(
    frames: Sequence[Frame],
    on: Callable[[Frame], Sequence[Expression]],
    only_first: bool = False,
) -> Frame:
    """SELECT * FROM a JOIN b ON a.id = b.id; SELECT * FROM a LEFT SEMI JOIN b ON a.id = b.id

    The columns of all sides survive, of a semi or anti join those of the first. Both ids decide
    which rows meet: JOIN. An outer join adds nothing. `on` reads the condition in the scope of all
    sides.
    """
    both = put_side_by_side(frames)
    joined = narrow(both, JOINS, on(both))
    return project(joined, frames[0].slots) if only_first else joined


def merge_key(left: Slot, right: Slot, side: str, title: Title, node: Any = None) -> Slot:
    """SELECT id FROM a FULL JOIN b USING (id)

    The one column that two keys become: a.id for INNER and LEFT, b.id for RIGHT; for FULL either
    may be it, so both are the value and decide it (TRANSFORMATION and CONDITIONAL), as in
    COALESCE(a.id, b.id).
    """
    if side == "FULL":
        name, key = title
        lineage: Lineage = {}
        for slot in (left, right):
            pour_and_decide(slot.lineage, IDENTITY, lineage, node)

        return Slot(name, key, lineage)

    return right if side == "RIGHT" else left


class SetOperation(Enum):
    """How the rows of several relations become those of one."""

    UNION_ALL = "UNION ALL"
    UNION = "UNION"
    INTERSECT = "INTERSECT"
    EXCEPT = "EXCEPT"


COMPARES: dict[SetOperation, Way] = {
    SetOperation.UNION: UNION_COMPARES,
    SetOperation.INTERSECT: INTERSECT_COMPARES,
    SetOperation.EXCEPT: EXCEPT_COMPARES,
}
"""The way in which an operation that compares rows lets their columns decide."""


def set_operation(
    operation: SetOperation,
    frames: Sequence[Frame],
    combine: Callable[[Sequence[Frame]], Frame] | None = None,
) -> Frame:
    """SELECT a FROM t UNION SELECT b FROM u; … INTERSECT …; … EXCEPT …

    The columns have the names of the first branch. Each comes from its place in every branch
    (`combine` may match them by name instead); of EXCEPT only the first branch gives values. UNION
    ALL compares nothing; the others compare every column of every branch, and so each of them
    decides the rows.
    """
    if operation is SetOperation.EXCEPT:
        combined = Frame(frames[0].slots, unite_lineages(frame.rows for frame in frames))
    else:
        combined = (combine or union)(frames)

    clause = COMPARES.get(operation)
    if clause is None:
        return combined

    rows = dict(combined.rows)
    for frame in frames:
        compare(frame.slots, clause, rows)

    return Frame(combined.slots, rows)


def union(frames: Sequence[Frame]) -> Frame:
    """a UNION ALL b      by position, with the names of the first branch

    Past an open star positions are not known, so columns that both sides name are matched by name.
    """
    first = frames[0]
    rows = unite_lineages(frame.rows for frame in frames)
    if all(frame.complete for frame in frames):
        columns = zip(*(frame.slots for frame in frames), strict=False)
        slots = list(map(union_column, columns))
        return Frame(slots, rows)

    return Frame(_union_around_stars(frames), rows) if len(frames) > 1 else first


def union_column(column: Sequence[Slot]) -> Slot:
    """SELECT a FROM t UNION ALL SELECT b FROM u

    One column of the result, from what stands in its place
    """
    head = column[0]
    lineage = unite_lineages(slot.lineage for slot in column)
    if lineage is head.lineage:
        return head

    if any(slot.lineage.__class__ is not dict for slot in column):
        lineage = merge_parts(lineage, [slot.lineage for slot in column])

    return Slot(head.name, head.key, lineage)


def _union_around_stars(frames: Sequence[Frame]) -> list[Slot]:
    """Unite the frames of a set operation column by column, stars with stars."""
    shapes = {tuple(slot.star is None for slot in frame.slots) for frame in frames}
    if len(shapes) == 1:
        slots: list[Slot] = []
        for column in zip(*(frame.slots for frame in frames), strict=True):
            if column[0].star is None:
                slots.append(union_column(column))
            else:
                slots.append(_united_star(column))

        return slots

    return _columns_by_name(frames)


def _united_star(column: Sequence[Slot]) -> Slot:
    """Unite the open stars in one place of several frames.

    SELECT * FROM a UNION ALL SELECT * FROM b      one open place, which both fill
    """
    stars: dict[Dataset, Star] = {}
    for slot in column:
        if slot.star is not None:
            for star in (slot.star, *slot.star.beside):
                held = stars.get(star.dataset)
                stars[star.dataset] = (
                    star._replace(beside=()) if held is None else held.made_also(star)
                )

    first, *others = stars.values()
    return (
        column[0]
        if not others and first.made is None
        else star_slot(first._replace(beside=tuple(others)))
    )


def union_by_name(frames: Sequence[Frame]) -> Frame:
    """SELECT a, b FROM t UNION ALL BY NAME SELECT b, c FROM u

    The columns of every branch survive: those of one name are one column, which comes from each
    branch that has it.
    """
    return Frame(_columns_by_name(frames), unite_lineages(frame.rows for frame in frames))


def _columns_by_name(frames: Sequence[Frame]) -> list[Slot]:
    """Unite the columns of frames that have the same name (UNION BY NAME)."""
    order: dict[str, list[Slot]] = {}
    for frame in frames:
        for slot in frame.slots:
            key = slot.key if slot.star is None else f"*{slot.star.dataset}"
            order.setdefault(key, []).append(slot)

    return [slots[0] if slots[0].star else union_column(slots) for slots in order.values()]


def merge(left: Frame, right: Frame) -> Frame:
    """if …: df = a else: df = b

    Either may be it: the columns of both by name, and what decides either's rows
    """
    return union_by_name([left, right])


# -- columns from values, and values from columns --------------------------------------------------


def pivot(frame: Frame, keys: Sequence[Slot], cells: Iterable[Slot], node: Any = None) -> Frame:
    """SELECT * FROM t PIVOT (sum(amount) FOR kind IN ('a', 'b'))

    The columns that it does not name survive as keys (IDENTITY), and one column for each value
    stands behind them: amount AGGREGATION, kind CONDITIONAL (`pivot_cell`). The keys decide which
    rows there are: GROUP_BY.
    """
    rows = dict(frame.rows)
    for slot in keys:
        pour(slot.lineage, PIVOT_KEYS, rows, node)

    return Frame([*keys, *cells], rows)


def pivot_cell(aggregate: Lineage, deciding: Lineage) -> Lineage:
    """PIVOT (sum(amount) FOR kind IN ('a'))

    The column a ← amount AGGREGATION, and kind decides its value
    """
    return unite_lineages((aggregate, deciding))


def unpivot(
    frame: Frame,
    kept: Iterable[Slot],
    titles: Sequence[Title],
    members: Iterable[Iterable[Lineage]],
    label: Title,
    label_first: bool = False,
    drops_nulls: bool = True,
    node: Any = None,
) -> Frame:
    """SELECT * FROM t UNPIVOT (sales FOR quarter IN (q1, q2))

    The columns that are not listed survive; sales ← q1, q2 IDENTITY; quarter has no source, for it
    holds names. Rows whose value is NULL are dropped, so q1 and q2 decide the rows (FILTER), unless
    INCLUDE NULLS is written.
    """
    made = list(values(titles, members).slots)
    rows = dict(frame.rows)
    if drops_nulls:
        for slot in made:
            pour(slot.lineage, UNPIVOT_DROPS, rows, node)

    labels = [Slot(*label, NOTHING)]
    return Frame([*kept, *labels, *made] if label_first else [*kept, *made, *labels], rows)


# -- a relation as a value -------------------------------------------------------------------------


def take_value(frame: Frame, outer: Way, into: Lineage, rows: Lineage, calls: Any = None) -> None:
    """SELECT (SELECT max(a) FROM u WHERE b) + 1 AS x FROM t

    The value of a subquery composes with what is done to it (x ← a AGGREGATION). What decides its
    rows goes where the usages of the expression go, and keeps its own subtype (b FILTER).
    """
    for slot in frame.slots:
        pour(slot.lineage, outer, into, None, calls)

    absorb(frame.rows, rows)


def take_row(frame: Frame) -> Frame:
    """SELECT a INTO r FROM t WHERE b; SET VAR v = (SELECT a FROM t WHERE b)

    A row as a value: its fields are the columns, and what decides which row it is decides the value
    of every field (a IDENTITY, b FILTER). Where the value is used, no row depends on it any more.
    """
    return Frame(row_fields(frame.slots, frame.rows), NOTHING)


def row_fields(columns: Iterable[Slot], rows: Lineage) -> list[Slot]:
    """Return the columns of a row, each decided by what decides the row.

    FOR r IN (SELECT a FROM t WHERE b) LOOP      r.a ← a IDENTITY, and b decides it: FILTER
    """
    return [slot._replace(lineage=unite_lineages([slot.lineage, rows])) for slot in columns]


def row_struct(columns: Sequence[Slot], complete: bool, node: Any = None) -> Lineage:
    """SELECT t FROM t

    A whole row as one value: all columns TRANSFORMATION, and each is a field under its own name.
    Where the columns are not all known (`complete`), neither are the fields.
    """
    whole: Lineage = {}
    for slot in columns:
        pour(slot.lineage, VALUE, whole, node)

    if not complete:
        return whole

    fields = {slot.name.lower(): slot.lineage for slot in columns}
    return Struct(whole, fields, [slot.name for slot in columns])


def take_existence(frame: Frame, rows: Lineage) -> None:
    """SELECT * FROM t WHERE EXISTS (SELECT 1 FROM u WHERE b)

    No value; what decides its rows decides (b FILTER)
    """
    absorb(frame.rows, rows)


# -- columns that are not read ---------------------------------------------------------------------


def everything_in(columns: Iterable[Slot], doubt: Doubt) -> Lineage:
    """df.mapInPandas(f, schema)

    Whatever f makes, it may be made of any column (TRANSFORMATION), with doubt
    """
    lineage: Lineage = {}
    for slot in columns:
        pour(slot.lineage, VALUE, lineage)

    return add_doubt(lineage, doubt)


def doubt_columns(frame: Frame, doubt: Doubt) -> Frame:
    """An operator that is not known

    The same columns and rows, and less certain what the columns hold
    """
    slots = [slot._replace(lineage=add_doubt(slot.lineage, doubt)) for slot in frame.slots]
    return Frame(slots, frame.rows)


def doubt_all(frame: Frame, doubt: Doubt) -> Frame:
    """SELECT a FROM t WHERE b = 1 {and_more}

    The same columns and rows; what is not read may say more about either
    """
    slots = [slot._replace(lineage=add_doubt(slot.lineage, doubt)) for slot in frame.slots]
    return Frame(slots, add_doubt(frame.rows, doubt))


# -- symbols ---------------------------------------------------------------------------------------


def substitute(frame: Frame, change: Callable[[Lineage], Lineage]) -> Frame:
    """SET @v = (SELECT max(a) FROM t); SELECT @v + 1 AS b

    The same columns and rows, with what a symbol for @v stands for in its place
    """
    slots = []
    for slot in frame.slots:
        lineage = change(slot.lineage)
        star = slot.star
        if star is not None:
            star = _substitute_star(star, change)

        if lineage is not slot.lineage or star is not slot.star:
            slot = slot._replace(lineage=lineage, star=star)

        slots.append(slot)

    return Frame(slots, change(frame.rows))


def _substitute_star(star: Star, change: Callable[[Lineage], Lineage]) -> Star:
    """FROM f(@v)      columns of which only the function knows the names"""
    beside = tuple(_substitute_star(each, change) for each in star.beside)
    made = star.made
    if made is not None:
        made = made._replace(lineage=change(made.lineage))

    return star._replace(beside=beside, made=made, arguments=change(star.arguments))
