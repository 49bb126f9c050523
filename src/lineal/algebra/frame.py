"""Frames: relations whose values are lineages. The relation verbs stand here.

Trail    where an influence was met: (node, calls around it, inner trail, doubt)
Lineage  {(origin column, way): trail}; the first trail met stays, a surer one replaces it
Slot     one output column; a star over an unknown schema is a slot of its own
Frame    slots in order, and the rows' lineage: what decides which rows there are
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from lineal.algebra.expression import VALUE
from lineal.model.edge import Column, Dataset, Doubt, Edge, Reader, Usage
from lineal.model.way import IDENTITY, Confidence, Way, compose

Trail = tuple[Any, Any, Any, Doubt | None]
Lineage = dict[tuple[Column, Way], Trail | None]

NOTHING: Lineage = {}


class Struct(dict[tuple[Column, Way], "Trail | None"]):
    """The lineage of a struct that was built here: of the whole, and of each field by its key."""

    fields: Mapping[str, Lineage]
    names: Sequence[str]
    """the fields as they were spelled, in order"""
    rest: Lineage | None
    """s.withField('x', a)      what the fields are parts of that nobody has named: s"""

    def __init__(
        self,
        whole: Lineage,
        fields: Mapping[str, Lineage],
        names: Sequence[str] | None = None,
        rest: Lineage | None = None,
    ) -> None:
        super().__init__(whole)
        self.fields = fields
        self.names = list(fields) if names is None else names
        self.rest = rest

    def field(self, name: str) -> Lineage | None:
        """The lineage of a field; None where the struct does not tell which it is."""
        found = self.fields.get(name.lower())
        return further(self.rest, [name]) if found is None and self.rest is not None else found

    def under(self, whole: Lineage) -> Struct:
        """The same fields of another whole."""
        return self.__class__(whole, self.fields, self.names, self.rest)

    def with_field(self, whole: Lineage, name: str, made: Lineage) -> Struct:
        """s.withField('x', a)      x is a, in its place or behind the others"""
        kept = [each for each in self.names if each.lower() != name.lower()]
        return Struct(whole, {**self.fields, name.lower(): made}, [*kept, name], self.rest)

    def without_field(self, whole: Lineage, name: str) -> Struct:
        """s.dropFields('y')      y is no name any more, and has no source"""
        kept = [each for each in self.names if each.lower() != name.lower()]
        return Struct(whole, {**self.fields, name.lower(): NOTHING}, kept, self.rest)


def as_struct(lineage: Lineage) -> Struct:
    """A struct whose fields are not listed: each is the part of the value that is called so."""
    return lineage if isinstance(lineage, Struct) else Struct(lineage, {}, rest=lineage)


class Items(Struct):
    """The lineage of an array of structs that the text lists: as many as there are, whatever the columns hold."""


class Part(dict[tuple[Column, Way], "Trail | None"]):
    """The lineage of a part of a column's value, a field or an element: its fields are further down the same path."""


class Made(NamedTuple):
    """PIVOT … FOR kind IN (ANY)      columns that are all made alike; what they are called, only data decides"""

    lineage: Lineage
    prefix: str
    suffix: str

    def matches(self, key: str) -> bool:
        return key.startswith(self.prefix) and key.endswith(self.suffix)


class Star(NamedTuple):
    """`*` over a dataset whose columns are not (all) known: answers any name but the excepted ones."""

    dataset: Dataset
    excepted: frozenset[str] = frozenset()
    beside: tuple[Star, ...] = ()
    """the stars of a union's other branches, which stand in the same place"""
    made: Made | None = None
    """the columns of a pivot, called after what the data holds"""
    arguments: Lineage = NOTHING
    """FROM f(a): what the columns of a function are made of, whatever they are called"""

    def made_also(self, other: Star) -> Star:
        """Two pivots in one place, whose columns are called after the same kind      either makes them"""
        if self.made is None or other.made is None:
            return self
        return self._replace(made=self.made._replace(lineage=united((self.made.lineage, other.made.lineage))))

    def without(self, key: str) -> Star:
        """* EXCEPT (a)"""
        beside = tuple(star.without(key) for star in self.beside)
        return self._replace(excepted=self.excepted | {key}, beside=beside)


class Slot(NamedTuple):
    """One output column: its spelling, its key, and where its value comes from."""

    name: str
    key: str
    lineage: Lineage
    star: Star | None = None
    scanned: Column | None = None
    """the dataset's column that a scanned slot stands for"""


class Frame:
    """A relation: slots in order, and the lineage of its rows."""

    __slots__ = ("_index", "_stars", "rows", "slots")

    def __init__(self, slots: Sequence[Slot], rows: Lineage) -> None:
        self.slots = slots
        self.rows = rows
        self._index: dict[str, Slot] | None = None
        self._stars: list[Slot] | None = None

    @property
    def index(self) -> dict[str, Slot]:
        """The slots by key; of two with one key the first is found."""
        if self._index is None:
            self._index = {slot.key: slot for slot in reversed(self.slots) if slot.star is None}
        return self._index

    @property
    def stars(self) -> list[Slot]:
        if self._stars is None:
            self._stars = [slot for slot in self.slots if slot.star is not None]
        return self._stars

    @property
    def complete(self) -> bool:
        return not self.stars


def scan(dataset: Dataset, columns: Iterable[tuple[str, str]], complete: bool) -> Frame:
    """FROM t      every column of t stands for itself; what is not known of t is an open star"""
    slots = [_scanned(Column(dataset, name), key) for name, key in columns]
    if not complete:
        slots.append(star_slot(Star(dataset)))
    return Frame(slots, NOTHING)


def _scanned(column: Column, key: str) -> Slot:
    return Slot(column.name, key, {(column, IDENTITY): None}, None, column)


class Scan(Frame):
    """FROM t, of whose hundred columns a query names three: a column is made a slot when it is first asked for.

    Until then `index` holds what it needs; `slot_at` makes the slot.
    """

    __slots__ = ("_made",)

    def __init__(self, dataset: Dataset, columns: Iterable[tuple[str, str]], complete: bool) -> None:
        self.rows = NOTHING
        self._index: dict[str, Any] = {}
        for name, key in columns:
            self._index.setdefault(key, (dataset, name, self._index))
        self._stars: list[Slot] = [] if complete else [star_slot(Star(dataset))]
        self._made: list[Slot] | None = None

    @property
    def slots(self) -> Sequence[Slot]:  # type: ignore[override]
        if self._made is None:
            self._made = [slot_at(self._index, key) for key in self._index] + self.stars
        return self._made


def slot_at(index: dict[str, Any], key: str) -> Any:
    """The slot under a key, made when it is first asked for; None if there is none.

    Tables of several scans share what has been made: a column that is not a slot yet knows the scan it belongs to.
    """
    slot = index.get(key)
    if slot.__class__ is tuple:
        dataset, name, home = slot
        slot = home[key]
        if slot.__class__ is tuple:
            slot = home[key] = _scanned(Column(dataset, name), key)
        index[key] = slot
    return slot


def star_slot(star: Star) -> Slot:
    """SELECT * FROM unknown      t.* -> target.*"""
    name = star.dataset.name if star.made is not None else "*"
    return Slot(name, name, united(_any_column(each) for each in (star, *star.beside)), star)


def _any_column(star: Star) -> Lineage:
    return (
        star.made.lineage if star.made is not None else {(Column(star.dataset, "*"), IDENTITY): None, **star.arguments}
    )


def answer(star: Star, name: str, key: str) -> Slot | None:
    """SELECT x FROM (SELECT * FROM unknown)      the star answers with unknown.x"""
    if key in star.excepted:
        return None
    if star.made is not None:
        return Slot(name, key, star.made.lineage) if star.made.matches(key) else None
    lineage: Lineage = {(Column(star.dataset, name), IDENTITY): None}
    for other in star.beside:  # the first branch's names are certain; in the others the same name stands there, likely
        if key not in other.excepted:
            lineage.setdefault((Column(other.dataset, name), IDENTITY), (None, None, None, SAME_NAME))
            absorb(other.arguments, lineage)
    absorb(star.arguments, lineage)
    return Slot(name, key, lineage)


SAME_NAME = Doubt(Confidence.MEDIUM, False, "a branch of a union whose columns are not known: matched by name")


def pour(lineage: Lineage, way: Way, into: Lineage, node: Any = None, calls: Any = None) -> None:
    """Compose every influence with what is done to the value, and add it."""
    after = way.after
    for (origin, inner), trail in lineage.items():
        key = (origin, after.get(inner) or compose(way, inner))
        if key not in into:
            into[key] = (node, calls, trail, trail[3] if trail is not None else None)
        elif trail is None or trail[3] is None:
            held = into[key]
            if held is not None and held[3] is not None:
                into[key] = (node, calls, trail, None)


def passed_on(lineage: Lineage, way: Way, beside: Lineage, node: Any = None) -> Lineage:
    """max_by(STRUCT(a, b), c)      the struct and each field of it, with what is done to the whole, and c beside it"""
    made: Lineage = dict(beside)
    pour(lineage, way, made, node)
    if isinstance(lineage, Struct):
        fields = {name: passed_on(field, way, beside, node) for name, field in lineage.fields.items()}
        rest = None if lineage.rest is None else passed_on(lineage.rest, way, beside, node)
        return Struct(made, fields, lineage.names, rest)
    return Part(made) if isinstance(lineage, Part) else made


def absorb(lineage: Lineage, into: Lineage) -> None:
    """Add influences as they are: the rows of a subquery keep their own subtype."""
    for key, trail in lineage.items():
        if key not in into or surer(trail, into[key]):
            into[key] = trail


def surer(trail: Trail | None, held: Trail | None) -> bool:
    return held is not None and held[3] is not None and _level(trail) > _level(held)


def _level(trail: Trail | None) -> Confidence:
    return trail[3].level if trail is not None and trail[3] is not None else Confidence.HIGH


def doubted(lineage: Lineage, doubt: Doubt) -> Lineage:
    """The same influences, less certain."""
    return {key: (None, None, trail, weaker(trail, doubt)) for key, trail in lineage.items()}


def weaker(trail: Trail | None, doubt: Doubt) -> Doubt:
    held = trail[3] if trail is not None else None
    return held if held is not None and held.level <= doubt.level else doubt


def united(lineages: Iterable[Lineage]) -> Lineage:
    """UNION ALL      every branch gives its influences; one lineage alone is shared, not copied"""
    total: Lineage | None = None
    owned = False
    for lineage in lineages:
        if total is None:
            total = lineage
        elif lineage is not total and lineage:
            if not owned:
                total, owned = dict(total), True
            absorb(lineage, total)
    return total if total is not None else NOTHING


def union(frames: Sequence[Frame]) -> Frame:
    """a UNION ALL b      by position, with the names of the first branch

    Past an open star positions are not known, so columns that both sides name are matched by name.
    """
    first = frames[0]
    rows = united(frame.rows for frame in frames)
    if all(frame.complete for frame in frames):
        columns = zip(*(frame.slots for frame in frames), strict=False)
        slots = [_joined(column) for column in columns]
        return Frame(slots, rows)
    return Frame(_union_around_stars(frames), rows) if len(frames) > 1 else first


def _joined(column: Sequence[Slot]) -> Slot:
    head = column[0]
    lineage = united(slot.lineage for slot in column)
    if lineage is head.lineage:
        return head
    if any(slot.lineage.__class__ is not dict for slot in column):
        lineage = _with_parts(lineage, [slot.lineage for slot in column])
    return Slot(head.name, head.key, lineage)


DEEPEST_MERGE = 3
"""Structs that recursion nests in each other are merged no deeper."""


def _with_parts(whole: Lineage, branches: Sequence[Lineage], depth: int = 0) -> Lineage:
    """SELECT STRUCT(a AS p) UNION ALL SELECT s      the field p is a, or the p of s"""
    structs = [branch for branch in branches if isinstance(branch, Struct)]
    if not structs:
        parts = all(isinstance(branch, Part) or all(way is IDENTITY for _, way in branch) for branch in branches)
        return Part(whole) if parts else whole
    if depth == DEEPEST_MERGE:
        return whole
    fields: dict[str, Lineage] = {}
    for position, name in enumerate(structs[0].names):
        members = [_member(branch, name, position) for branch in branches]
        fields[name.lower()] = _with_parts(united(members), members, depth + 1)
    return Struct(whole, fields, structs[0].names)


def size_of(lineage: Lineage) -> int:
    """How many influences there are, those of a struct's fields as well."""
    return len(lineage) + (sum(map(len, lineage.fields.values())) if isinstance(lineage, Struct) else 0)


def _member(lineage: Lineage, name: str, position: int) -> Lineage:
    """A field by its name, else the one that stands in its place."""
    if not isinstance(lineage, Struct):
        return further(lineage, [name])
    if name.lower() not in lineage.fields and lineage.rest is None and position < len(lineage.names):
        name = lineage.names[position]
    found = lineage.field(name)
    return NOTHING if found is None else found


PATH_DEPTH = 5
"""Paths of nested fields are cut here, or a recursive CTE would never reach its fixpoint."""


def is_own(lineage: Lineage) -> bool:
    """Whether a value is a column's own, whole or a part of it, and nothing that was computed from it."""
    return isinstance(lineage, Part) or any(way is IDENTITY for _, way in lineage)


def further(lineage: Lineage, path: Sequence[str]) -> Lineage:
    """address, and city in it      the origin that the path leads to, where the value is still the column's own"""
    part = isinstance(lineage, Part)
    found: Lineage = Part() if is_own(lineage) else {}
    for (origin, way), trail in lineage.items():
        if way is IDENTITY or (part and way is VALUE):
            origin = Column(origin.dataset, origin.name, (*origin.path, *path)[:PATH_DEPTH])
        found[(origin, way)] = trail
    return found


def _union_around_stars(frames: Sequence[Frame]) -> list[Slot]:
    shapes = {tuple(slot.star is None for slot in frame.slots) for frame in frames}
    if len(shapes) == 1:
        slots: list[Slot] = []
        for column in zip(*(frame.slots for frame in frames), strict=True):
            if column[0].star is None:
                slots.append(_joined(column))
            else:
                slots.append(_united_star(column))
        return slots
    return union_by_name(frames)


def _united_star(column: Sequence[Slot]) -> Slot:
    """SELECT * FROM a UNION ALL SELECT * FROM b      one open place, which both fill"""
    stars: dict[Dataset, Star] = {}
    for slot in column:
        if slot.star is not None:
            for star in (slot.star, *slot.star.beside):
                held = stars.get(star.dataset)
                stars[star.dataset] = star._replace(beside=()) if held is None else held.made_also(star)
    first, *others = stars.values()
    return column[0] if not others and first.made is None else star_slot(first._replace(beside=tuple(others)))


def union_by_name(frames: Sequence[Frame]) -> list[Slot]:
    """a UNION BY NAME b      columns that both name are one; the others stand alone"""
    order: dict[str, list[Slot]] = {}
    for frame in frames:
        for slot in frame.slots:
            key = slot.key if slot.star is None else f"*{slot.star.dataset}"
            order.setdefault(key, []).append(slot)
    return [slots[0] if slots[0].star else _joined(slots) for slots in order.values()]


def renamed(frame: Frame, names: Sequence[tuple[str, str]]) -> Frame:
    """AS d(p, q)      the first columns get new names, the others keep theirs

    From an open star on nobody knows which column a name stands for: it may be any that the star holds.
    """
    slots = list(frame.slots)
    for position, (name, key) in enumerate(names):
        if position >= len(slots):
            break
        if slots[position].star is not None:
            rest = [slot for slot in slots[position:] if slot.star is not None]
            return Frame([*slots[:position], *_any_of(rest, names[position:])], frame.rows)
        slots[position] = slots[position]._replace(name=name, key=key)
    return Frame(slots, frame.rows)


def _any_of(stars: Sequence[Slot], names: Sequence[tuple[str, str]]) -> list[Slot]:
    doubt = Doubt(Confidence.LOW, True, "a column list over an open star")
    lineage = doubted(united(slot.lineage for slot in stars), doubt)
    return [Slot(name, key, lineage) for name, key in names]


def merge(left: Frame, right: Frame) -> Frame:
    """if …: df = a else: df = b      either may be it"""
    return Frame(union_by_name([left, right]), united([left.rows, right.rows]))


def edges_of(frame: Frame, target: Dataset, reader: Reader, fallback: Trail | None = None) -> list[Edge]:
    """CREATE VIEW v AS …      how v came to be: one edge per origin and column, one per origin of the rows"""
    edges: list[Edge] = []
    for slot in distinct_names(frame):
        if slot.lineage:
            _edges_into(Column(target, slot.name), slot.lineage, reader, fallback, edges)
    if frame.rows:
        _edges_into(target, frame.rows, reader, fallback, edges)
    return edges


def distinct_names(frame: Frame) -> Sequence[Slot]:
    """SELECT a.id, b.id      two columns of one name are one target"""
    names = {slot.name for slot in frame.slots}
    if len(names) == len(frame.slots):
        return frame.slots
    together: dict[str, list[Slot]] = {}
    for slot in frame.slots:
        together.setdefault(slot.name, []).append(slot)
    return [_joined(slots) for slots in together.values()]


_new = tuple.__new__  # half the cost of a NamedTuple's own constructor, and edges are many


def placed(trail: Trail) -> bool:
    """Whether a trail leads anywhere: that of a column which only a star has named does not."""
    return trail[1] is not None or trail[2] is not None


def _edges_into(
    target: Column | Dataset, lineage: Lineage, reader: Reader, fallback: Trail | None, edges: list[Edge]
) -> None:
    if len(lineage) == 1:
        for (origin, way), trail in lineage.items():
            if trail is None:
                usage = _new(Usage, (way, None, fallback, reader))
            else:
                usage = _new(
                    Usage, (way, trail[3], trail if trail[0] is not None or placed(trail) else fallback, reader)
                )
            edges.append(_new(Edge, (origin, target, (usage,))))
        return
    usages: dict[Column, tuple[Usage, ...]] = {}
    for (origin, way), trail in lineage.items():
        if trail is None:
            usage = _new(Usage, (way, None, fallback, reader))
        else:
            usage = _new(Usage, (way, trail[3], trail if trail[0] is not None or placed(trail) else fallback, reader))
        held = usages.get(origin)
        usages[origin] = (usage,) if held is None else (*held, usage)
    edges.extend([_new(Edge, (origin, target, found)) for origin, found in usages.items()])
