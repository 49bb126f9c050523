"""How a source column takes part in a target: the nine subtypes, and the law by which steps
compose.
"""

from __future__ import annotations

from enum import Enum, IntEnum


class How(Enum):
    """One of OpenLineage's nine transformation subtypes."""

    IDENTITY = "IDENTITY"
    TRANSFORMATION = "TRANSFORMATION"
    AGGREGATION = "AGGREGATION"
    JOIN = "JOIN"
    FILTER = "FILTER"
    GROUP_BY = "GROUP_BY"
    SORT = "SORT"
    WINDOW = "WINDOW"
    CONDITIONAL = "CONDITIONAL"

    __hash__ = object.__hash__  # members are single: hashing them by identity keeps look-ups quick

    @property
    def direct(self) -> bool:
        """Tell whether a value of this subtype flows into the target."""
        return self in STRENGTH

    @property
    def type(self) -> str:
        """Return the type of the subtype: DIRECT or INDIRECT."""
        return "DIRECT" if self.direct else "INDIRECT"


STRENGTH = {How.IDENTITY: 0, How.TRANSFORMATION: 1, How.AGGREGATION: 2}


class Clause(Enum):
    """The part of a statement that holds a name."""

    SELECT = "SELECT"
    FROM = "FROM"
    JOIN_ON = "JOIN ON"
    USING = "USING"
    NATURAL = "NATURAL JOIN"
    LATERAL = "LATERAL"
    WHERE = "WHERE"
    GROUP_BY = "GROUP BY"
    HAVING = "HAVING"
    QUALIFY = "QUALIFY"
    WINDOW = "WINDOW"
    ORDER_BY = "ORDER BY"
    LIMIT = "LIMIT"
    DISTINCT = "DISTINCT"
    DISTINCT_ON = "DISTINCT ON"
    UNION = "UNION"
    INTERSECT = "INTERSECT"
    EXCEPT = "EXCEPT"
    PIVOT = "PIVOT"
    MATCH = "MATCH_RECOGNIZE"
    SET = "SET"
    VALUES = "VALUES"

    __hash__ = object.__hash__


class Confidence(IntEnum):
    """How good the evidence is; EXACT is an engine's own plan."""

    UNKNOWN = 0
    LOW = 1
    MEDIUM = 2
    HIGH = 3
    EXACT = 4

    @property
    def factor(self) -> float:
        """Return the factor by which a score is reduced."""
        return FACTOR[self]


FACTOR = {
    Confidence.UNKNOWN: 0.25,
    Confidence.LOW: 0.5,
    Confidence.MEDIUM: 0.8,
    Confidence.HIGH: 1.0,
    Confidence.EXACT: 1.0,
}


class Way:
    """A subtype with its clause, and whether the value is masked or made by a window on the way.

    Ways are few and interned, so that composing two of them is one look-up in `after`.
    """

    __slots__ = ("after", "clause", "direct", "how", "masked", "windowed")

    def __init__(self, how: How, clause: Clause, masked: bool, windowed: bool) -> None:
        self.how = how
        self.clause = clause
        self.masked = masked
        self.windowed = windowed
        self.direct = how.direct
        self.after: dict[Way, Way] = {}

    def __repr__(self) -> str:
        marks = (" masked" if self.masked else "") + (" windowed" if self.windowed else "")
        return f"{self.how.value} in {self.clause.value}{marks}"

    def __reduce__(self) -> tuple[object, ...]:
        return way, (self.how, self.clause, self.masked, self.windowed)


_WAYS: dict[tuple[How, Clause, bool, bool], Way] = {}


def way(
    how: How, clause: Clause = Clause.SELECT, masked: bool = False, windowed: bool = False
) -> Way:
    """The one Way with these parts."""
    key = (how, clause, masked, windowed)
    found = _WAYS.get(key)
    if found is None:
        found = _WAYS.setdefault(key, Way(how, clause, masked, windowed))

    return found


def compose(outer: Way, inner: Way) -> Way:
    """Return the way of `inner` after `outer` is applied to its result.

    SELECT max(x) FROM (SELECT a + b AS x …)    AGGREGATION after TRANSFORMATION = AGGREGATION
    … WHERE rn = 1 over row_number() OVER (… k) FILTER after WINDOW = FILTER
    SELECT x + 1 over CASE WHEN k THEN …        TRANSFORMATION after CONDITIONAL = CONDITIONAL
    """
    found = outer.after.get(inner)
    if found is None:
        found = outer.after[inner] = _compose(outer, inner)

    return found


def _compose(outer: Way, inner: Way) -> Way:
    """Return the way that two ways make one after the other."""
    windowed = outer.windowed or (outer.how is How.IDENTITY and inner.windowed)
    masked = outer.masked or inner.masked
    if not outer.direct:
        return way(outer.how, outer.clause, masked, windowed)

    if not inner.direct:
        return way(inner.how, inner.clause, masked, windowed)

    stronger = max(outer.how, inner.how, key=STRENGTH.__getitem__)
    return way(stronger, outer.clause, masked, windowed)


IDENTITY = way(How.IDENTITY)
