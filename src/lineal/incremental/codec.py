"""Results as plain tuples, for a file or another process: the results of a statement, without its
syntax tree.

A node of the tree becomes a `Spot`: where it starts and what calls stand around it, which is all
that a view can ask.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Any

from lineal.algebra.edges import leads_to_place
from lineal.algebra.frame import Frame, PatternColumns, Slot, Star
from lineal.algebra.lineage import Lineage
from lineal.algebra.values import AssignedFields, Items, Part, Row, Struct
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.reading import Reading, Spot, anchor, offset_of
from lineal.extract.sql.statements.steps import Plan
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.edge import Column, Dataset, Doubt
from lineal.model.extraction import ColumnInfo
from lineal.model.sequences import invert
from lineal.model.way import Clause, Confidence, How, Way, way

TREES = ("query", "with_", "node", "made", "after", "partition", "columns")
"""The fields of a plan that only its evaluation needs."""

KEPT = {field.name: field.default for field in fields(Plan) if field.name not in TREES}
PLAIN = (str, bool, int, float, type(None))


class Unfit(Exception):
    """A value that has no plain form."""


# -- plans -----------------------------------------------------------------------------------------


def plan_out(plan: Plan) -> dict[str, object]:
    """Encode the unusual parts of a plan, without its tree."""
    return {
        name: as_plain_value(value)
        for name, usual in KEPT.items()
        if (value := getattr(plan, name)) is not usual and value != usual
    }


def plan_in(made: dict[str, Any], query: Spot | None, node: Spot | None) -> Plan:
    """Rebuild a plan from its fields, with where its query and its statement start."""
    plan = Plan(**made, query=query, node=node)
    if plan.schema is not None:
        plan.schema = [
            ColumnInfo(*column[:4], Place(*column[4]) if column[4] else None, *column[5:])
            for column in plan.schema
        ]

    return plan


def as_plain_value(value: object) -> Any:
    """Return a value as the codec stores it; raise Unfit if it cannot."""
    if isinstance(value, PLAIN):
        return value

    if isinstance(value, tuple):
        return tuple(map(as_plain_value, value))

    if isinstance(value, list):
        return list(map(as_plain_value, value))

    raise Unfit


# -- diagnostics -----------------------------------------------------------------------------------


def diagnostic_out(found: Diagnostic) -> tuple[object, ...]:
    """Write a diagnostic as a plain tuple."""
    return found.code.name, found.message, tuple(found.place) if found.place else None, found.hint


def diagnostic_in(made: tuple[Any, ...]) -> Diagnostic:
    """Read a diagnostic from a plain tuple."""
    code, message, place, hint = made
    return Diagnostic(Code[code], message, Place(*place) if place else None, hint)


# -- evaluations -----------------------------------------------------------------------------------


class Table(dict[Any, int]):
    """Values that occur often, each written once."""

    def __missing__(self, value: object) -> int:
        number = self[value] = len(self)
        return number


STRUCTS: dict[type, str] = {
    Struct: "struct",
    Row: "row",
    Items: "items",
    AssignedFields: "assigned",
}
BUILT: dict[str, type[Struct]] = invert(STRUCTS)


class Encoder:
    """One evaluation as tuples of numbers, and the values that they stand for."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.columns = Table()
        self.ways = Table()
        self.trails = Table()

    def evaluation(self, frame: Frame, evaluation: Evaluation) -> tuple[Any, ...]:
        """Encode a frame, its reads and its diagnostics."""
        slots = [
            (slot.name, slot.key, self.star(slot.star), self.lineage(slot.lineage))
            for slot in frame.slots
        ]
        reads = [
            (
                clause.value,
                [(self.columns[column], offset(node)) for column, node in columns.items()],
            )
            for clause, columns in evaluation.reads.items()
        ]
        return (
            slots,
            self.lineage(frame.rows),
            reads,
            [(tuple(dataset), offset(node)) for dataset, node in evaluation.datasets_read.items()],
            [(self.columns[column], count) for column, count in evaluation.learnt.items()],
            list(map(diagnostic_out, evaluation.diagnostics)),
            (
                evaluation.references,
                evaluation.ambiguous,
                evaluation.unresolved,
                evaluation.undecided,
            ),
            self.tables(),
        )

    def tables(self) -> tuple[Any, ...]:
        """Return the tables of columns, ways and trails that the numbers point into."""
        return (
            [(*column.dataset, column.name, column.path) for column in self.columns],
            list(map(_way_out, self.ways)),
            [(*trail[:-1], _doubt_out(trail[-1])) if trail else None for trail in self.trails],
        )

    def lineage(self, lineage: Lineage) -> tuple[Any, ...]:
        """Numbers, three for each influence; of a struct or a part of a value also what kind of
        lineage it is.
        """
        if isinstance(lineage, Struct):
            inside = [(key, self.lineage(each)) for key, each in lineage.fields.items()]
            rest = None if lineage.rest is None else self.lineage(lineage.rest)
            return STRUCTS[lineage.__class__], self.flat(lineage), inside, list(lineage.names), rest

        return ("part", self.flat(lineage)) if lineage.__class__ is Part else self.flat(lineage)

    def flat(self, lineage: Lineage) -> tuple[int, ...]:
        """Return a lineage as numbers, three for each influence."""
        flat: list[int] = []
        columns, ways, trails, calls = self.columns, self.ways, self.trails, self.reading.calls
        for (column, how), trail in lineage.items():
            if trail is None:
                said: Any = None
            elif trail[0] is None and not leads_to_place(trail):
                said = (trail[3],)
            else:
                said = (offset(anchor(trail)), calls(trail), trail[3])

            flat += (columns[column], ways[how], trails[said])

        return tuple(flat)

    def star(self, star: Star | None) -> tuple[Any, ...] | None:
        """Encode a star."""
        if star is None:
            return None

        made = star.made and (self.lineage(star.made.lineage), *star.made[1:])
        beside = tuple(map(self.star, star.beside))
        return (
            tuple(star.dataset),
            sorted(star.excepted),
            beside,
            made,
            self.lineage(star.arguments),
        )


class Datasets(dict[tuple[str, str], Dataset]):
    """Datasets by their parts, each made once for all results of a run."""

    def __missing__(self, made: tuple[str, str]) -> Dataset:
        found = self[made] = Dataset(*made)
        return found


class Columns(dict[tuple[str, str, str, tuple[str, ...]], Column]):
    """Columns by their parts, each made once for all results of a run."""

    def __init__(self) -> None:
        super().__init__()
        self.datasets = Datasets()

    def __missing__(self, made: tuple[str, str, str, tuple[str, ...]]) -> Column:
        space, table, name, path = made
        found = self[made] = Column(self.datasets[space, table], name, path)
        return found


class Decoder:
    """Reads the bytes that an Encoder has written."""

    def __init__(self, tables: tuple[Any, ...], known: Columns) -> None:
        columns, ways, trails = tables
        self.columns = list(map(known.__getitem__, columns))
        self.ways = [_way(*made) for made in ways]
        self.trails = [_trail(*made) if made else None for made in trails]

    def lineage(self, made: tuple[Any, ...]) -> Lineage:
        """Decode a lineage."""
        if not made:
            return {}

        if made[0] in BUILT:
            kind, whole, inside, names, rest = made
            fields = {key: self.lineage(each) for key, each in inside}
            return BUILT[kind](
                self.flat(whole), fields, names, None if rest is None else self.lineage(rest)
            )

        return Part(self.flat(made[1])) if made[0] == "part" else self.flat(made)

    def flat(self, flat: tuple[int, ...]) -> Lineage:
        """Decode the numbers of a lineage."""
        columns = map(self.columns.__getitem__, flat[::3])
        ways = map(self.ways.__getitem__, flat[1::3])
        return dict(
            zip(
                zip(columns, ways, strict=True),
                map(self.trails.__getitem__, flat[2::3]),
                strict=True,
            )
        )

    def star(self, made: tuple[Any, ...] | None) -> Star | None:
        """Decode a star."""
        if made is None:
            return None

        dataset, excepted, beside, pivoted, arguments = made
        return Star(
            Dataset(*dataset),
            frozenset(excepted),
            tuple(star for each in beside if (star := self.star(each)) is not None),
            PatternColumns(self.lineage(pivoted[0]), *pivoted[1:]) if pivoted else None,
            self.lineage(arguments),
        )


LEVELS = {int(level): level for level in Confidence}
CLAUSES = {clause.value: clause for clause in Clause}


@cache
def _way_out(way: Way) -> tuple[str, str, bool, bool]:
    """Return a way as a plain tuple."""
    return way.how.value, way.clause.value, way.masked, way.windowed


@cache
def _way(how: str, clause: str, masked: bool, windowed: bool) -> Way:
    """Return the way of a plain tuple."""
    return way(How(how), Clause(clause), masked, windowed)


def _doubt_out(doubt: Doubt | None) -> tuple[int, bool, str] | None:
    """Return a doubt as a plain tuple."""
    return (int(doubt.level), doubt.ambiguous, doubt.evidence) if doubt is not None else None


def _trail(*made: Any) -> tuple[Spot | None, None, None, Doubt | None]:
    """Where an influence is named, and how doubtful it is; or only that."""
    *where, doubt = made
    doubted = Doubt(LEVELS[doubt[0]], *doubt[1:]) if doubt else None
    return (Spot(*where) if where else None, None, None, doubted)


def evaluation_in(made: tuple[Any, ...], evaluation: Evaluation, known: Columns) -> Frame:
    """Fill in what an evaluation found out the last time; its frame."""
    slots, rows, reads, datasets, learnt, diagnostics, counts, tables = made
    decoder = Decoder(tables, known)
    columns = decoder.columns
    for clause, named in reads:
        evaluation.reads[CLAUSES[clause]] = {columns[column]: Spot(at) for column, at in named}

    evaluation.datasets_read = {known.datasets[dataset]: Spot(at) for dataset, at in datasets}
    evaluation.learnt = {columns[column]: count for column, count in learnt}
    if diagnostics:
        evaluation.diagnostics = list(map(diagnostic_in, diagnostics))

    evaluation.references, evaluation.ambiguous, evaluation.unresolved, evaluation.undecided = (
        counts
    )
    made_slots = [
        Slot(name, key, decoder.lineage(flat), decoder.star(star))
        for name, key, star, flat in slots
    ]
    return Frame(made_slots, decoder.lineage(rows))


def offset(node: object) -> int | None:
    """Return the offset of a node in its text."""
    return offset_of(node) if node is not None else None
