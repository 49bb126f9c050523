"""Values of pandas: frames that change in place, series, groups, windows and accessors.

A frame holds a `Table`: a relation, the columns of its index, and the columns that it is sorted by.
A series holds an expression whose columns are slots already (`leaf`): pandas computes at once, so a
series keeps its meaning when the frame that it was taken from changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from lineal.extract.pyspark.relation import Attribute, Relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Value
from lineal.model.edge import Doubt
from lineal.model.sequences import first_or_none, instances

Columns = tuple[Attribute, ...]


class Levels(str):
    """The name of a column with several levels: ("amount", "sum")."""

    parts: tuple[str, ...]

    def __new__(cls, parts: tuple[str, ...]) -> Levels:
        """Build the name of a column with several levels; as a text it reads like the tuple."""
        made = super().__new__(cls, str(parts))
        made.parts = parts
        return made


@dataclass(frozen=True)
class Table:
    """The state of a frame at one moment."""

    relation: Relation
    index: Columns = ()
    """the columns of the index; none if it only counts the rows"""
    order: Columns = ()
    """the columns that the rows are sorted by"""

    def with_relation(self, relation: Relation) -> Table:
        """Return the table with other columns or rows, and the same index."""
        return replace(self, relation=relation)


@dataclass(frozen=True)
class Body(Table):
    """The rows of the arguments of a pandas UDF, and the conditions that its body asks of them."""

    asked: list[Series] = field(default_factory=list, compare=False)


class DataFrame:
    """A frame of pandas: every name that holds it sees its changes."""

    __slots__ = ("state",)

    def __init__(self, table: Table) -> None:
        """Hold a table; methods with `inplace=True` exchange it."""
        self.state: dict[str, Value] = {}
        self.set(table)

    def set(self, table: Table) -> None:
        """Put a table in, without telling anybody."""
        self.state.update(relation=table.relation, index=table.index, order=table.order)

    def put(self, run: Run, table: Table) -> None:
        """Change the frame in place."""
        run.touch(self.state)
        gaps = (*run.gaps, *run.loose)
        if gaps:
            table.relation.gaps = table.relation.gaps.union(gaps)

        self.set(table)

    @property
    def table(self) -> Table:
        """Return what the frame is at the moment."""
        return Table(
            self.relation, known_columns(self.state["index"]), known_columns(self.state["order"])
        )

    @property
    def relation(self) -> Relation:
        """Return the columns of the frame at the moment."""
        held = self.state["relation"]
        assert isinstance(held, Relation)
        return held


def known_columns(held: Value) -> Columns:
    """Return columns of an index; none where branches of the program leave different ones."""
    if isinstance(held, tuple):
        return held

    return ()


@dataclass(eq=False)
class Series:
    """A column, an expression over columns, or one value that was computed of a column."""

    tree: Any
    name: str | None
    table: Table
    """the rows and the index that it belongs to"""
    is_scalar: bool = False
    """df["x"].sum(): one value"""
    parents: tuple[Relation, ...] = ()
    """further frames that it was computed of"""
    doubt: Doubt | None = None
    watch: Watch | None = None
    """of an element that a function of the program is given: what the function asks of it"""
    origin: tuple[DataFrame, str | None] | None = None
    """the frame that it was taken from, and its name there; no name is the index"""

    def with_tree(self, tree: Any, **changes: Any) -> Series:
        """Return a series of the same rows with another expression."""
        return replace(self, tree=tree, **{"origin": None, **changes})


@dataclass(eq=False)
class Watch:
    """The conditions and columns that a function reads from the elements of a row."""

    tests: list[Series] = field(default_factory=list)
    seen: list[Series] = field(default_factory=list)


@dataclass(eq=False)
class Row:
    """One row of a frame, as df.apply(f, axis=1) and df.iterrows() hand it to a program."""

    table: Table
    watch: Watch


@dataclass(eq=False)
class Groups:
    """df.groupby(keys), with the columns that are selected of it."""

    table: Table
    keys: Columns
    as_index: bool = True
    selected: tuple[str, ...] | None = None
    is_series: bool = False
    """groupby("k")["x"]: one column, not a list of one"""


@dataclass(eq=False)
class Rolling:
    """df["x"].rolling(7), .expanding(), .ewm(span=3): each value is computed of several rows."""

    held: Value
    """a series, groups, or a frame"""
    keys: tuple[Any, ...] = ()
    """trees of what partitions or orders the rows"""


@dataclass(eq=False)
class Accessor:
    """df["x"].str, .dt, .cat"""

    series: Series
    name: str


@dataclass(eq=False)
class Indexer:
    """df.loc, df.iloc, df.at, df.iat"""

    frame: DataFrame | Series
    kind: str


@dataclass(eq=False)
class Names:
    """df.columns, where not all of them are known: a function of names is remembered by its name."""

    frame: DataFrame
    changed: bool = False
    gone: list[str] = field(default_factory=list)
    """the names that the program has taken out of the list"""
    some: bool = False
    """whether a condition that only a run can tell has left names out"""

    affixes: tuple[str, str] = ("", "")
    """the texts before and behind each name"""

    def copy(self, changed: bool = False, gone: Iterable[str] = (), some: bool = False) -> Names:
        """Return a list of its own: with names changed, or without some more of them."""
        gone = [*self.gone, *gone]
        return Names(self.frame, self.changed | changed, gone, self.some | some, self.affixes)

    def with_affixes(self, affixes: tuple[str, str]) -> Names:
        """Return the names with texts before and behind them."""
        prefix, suffix = affixes
        made = self.copy()
        made.affixes = (prefix + self.affixes[0], self.affixes[1] + suffix)
        return made


def main_of(*held: Value) -> Series:
    """Return the series whose rows a value has that is made of several: the first with rows."""
    several = instances(held, Series)
    return next((each for each in several if not each.is_scalar), several[0])


def combine_series(first: Series, held: list[Value], tree: Any) -> Series:
    """Return a series that is made of several values."""
    several = instances(held, Series)
    parents = {
        id(relation): relation
        for each in several
        for relation in (each.table.relation, *each.parents)
        if relation is not first.table.relation
    }
    doubts = [each.doubt for each in several if each.doubt is not None]
    names = {each.name for each in several}
    watches = [each.watch for each in several if each.watch is not None]
    return Series(
        tree,
        first.name if len(names) == 1 else None,
        first.table,
        all(each.is_scalar for each in several),
        tuple(parents.values()),
        min(doubts) if doubts else None,
        first_or_none(watches),
    )


Wrap = Callable[[Run, Table], Value]
