"""Values of Polars programs: frames, expressions, selectors, groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple

from sqlglot import exp

from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.values import Value
from lineal.model.edge import Doubt
from lineal.model.way import Way


class Suffix(NamedTuple):
    """a.join(b, on="id", suffix="_b")      x_b is x of b, where a has an x, too"""

    text: str
    left: Relation
    right: Relation
    program: str
    """the text of the program: where it names x_b, a has an x"""

    def hides(self, earlier: Suffix) -> bool:
        """Tell whether every name that an earlier suffix explains is explained by this one."""
        return self.text == earlier.text and self.program is earlier.program


@dataclass
class PolarsFrame:
    """pl.DataFrame, pl.LazyFrame: frames that never change; both are followed alike."""

    relation: Relation
    suffixes: tuple[Suffix, ...] = ()
    """of the joins before, whose right sides have unknown columns"""
    order: tuple[exp.Column, ...] = ()
    """the columns that the rows are sorted by, as trees"""

    def derive(self, relation: Relation) -> PolarsFrame:
        """Return the next frame of a chain; its columns may still have the names of a join."""
        return PolarsFrame(relation, self.suffixes, self.order)


Rows = tuple[tuple[Way, Any], ...]
"""The changes of rows inside an expression (explode, filter, unique, sort), with their trees."""


@dataclass(frozen=True, slots=True)
class Expr:
    """pl.col("a").sum(): a tree of SQL, and how the column is called."""

    tree: Any
    name: str | None = None
    """the alias; None: the leftmost column"""
    root: str | None = None
    """the leftmost column; None: each of the columns that a selector takes"""
    rename: Callable[[str], str] | None = None
    """.name.suffix("_x")      from the name of the root"""
    rows: Rows = ()
    doubt: Doubt | None = None

    def with_tree(self, tree: Any, *others: Expr) -> Expr:
        """Return an expression over this one and others, which goes by this one's name."""
        doubts = [each.doubt for each in (self, *others) if each.doubt is not None]
        rows = tuple(chain.from_iterable(each.rows for each in (self, *others)))
        return replace(self, tree=tree, rows=rows, doubt=min(doubts) if doubts else None)

    def aggregate(self, tree: Any, *others: Expr) -> Expr:
        """Return an aggregate, for which the rows inside matter no longer."""
        return replace(self.with_tree(tree, *others), rows=())


class Open(NamedTuple):
    """The columns that a selector takes from a frame whose names are not known."""

    takes: bool
    certain: bool


EVERYTHING = Open(True, True)
NOTHING = Open(False, True)
PERHAPS = Open(True, False)


@dataclass(frozen=True)
class Selector:
    """pl.all(), pl.exclude("a"), cs.numeric(), pl.col("^x_.*$"): columns by name or type."""

    test: Callable[[str, str], bool | None]
    """whether it takes a column of a name and a type; None: only a run knows"""
    unnamed: Open = EVERYTHING
    excepted: frozenset[str] = frozenset()
    """the names that it certainly does not take"""
    names: tuple[str, ...] = ()
    """the names that it takes, where it lists them, in their order"""

    def __deepcopy__(self, memo: Any) -> Selector:
        """Return the selector itself: a copied tree keeps the same one."""
        return self


@dataclass
class When:
    """pl.when(test)      waits for .then(value)"""

    test: Expr
    before: tuple[Any, ...] = ()
    """the arms of the chain before it"""
    first: Expr | None = None


@dataclass
class Groups:
    """df.group_by("a"), df.group_by_dynamic("at", every="1d"), df.rolling("at", period="2d")"""

    frame: PolarsFrame
    keys: list[Expr]
    having: list[Expr] = field(default_factory=list)
    index: Expr | None = None
    """df.rolling("at", …): the column that orders the rows of a window, of which each row has one"""


@dataclass(frozen=True)
class Accessor:
    """expr.str, expr.dt, expr.list: the methods of a kind of value"""

    expr: Expr
    kind: str


@dataclass
class SqlContext:
    """pl.SQLContext(orders=lf)"""

    frames: dict[str, PolarsFrame]


@dataclass(frozen=True)
class SchemaNames:
    """df.collect_schema()"""

    relation: Relation


Frames = dict[str, Value]
