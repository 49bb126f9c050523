"""Work that is not done twice: calls with the same values, recursion, and rounds of loops that
change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple

from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run, Write
from lineal.extract.pyspark.values import Choice, ColumnValue, Function, Pattern, Unknown, Value

CONSTANTS = (str, int, float, bool, bytes, type(None))
MOST_PARTS = 60
"""Values inside a value that are looked at."""

DEEPEST_RECURSION = 4
"""How often a function may be inside itself with the same values, while something changes."""

FIRST_WATCHED = 2
"""The rounds of a loop that are followed before anybody asks what they change."""

STABLE_ROUNDS = 3
"""Rounds one after the other that change nothing: so will those that follow."""

LONG_ROUND = 2_000
"""The steps of a round that is too long to be followed again and again: it is watched from the start,
and one round that changes nothing is enough.
"""

SHARED = (*CONSTANTS, Unknown, Pattern, ColumnValue)
"""The values that several callers may share, because nobody can change them."""


class TooLarge(Exception):
    """A value has too many parts to be compared."""


def fingerprint(held: Value) -> Hashable:
    """Return what tells a value from others; objects are told apart by their identity."""
    budget = [MOST_PARTS]
    return print_of(held, budget)


def print_of(held: Value, budget: list[int]) -> Hashable:
    """Return the fingerprint of a value, of at most so many parts."""
    budget[0] -= 1
    if budget[0] < 0:
        raise TooLarge

    kind = held.__class__
    print_parts = PRINTS.get(kind)
    return kind, id(held) if print_parts is None else print_parts(held, budget)


def print_items(held: Iterable[Value], budget: list[int]) -> Hashable:
    """Return the fingerprints of items."""
    return tuple(print_of(each, budget) for each in held)


def print_pairs(held: dict[Any, Value], budget: list[int]) -> Hashable:
    """Return the keys of a dictionary with the fingerprints of its values."""
    return tuple((key, print_of(each, budget)) for key, each in held.items())


PRINTS: dict[type, Callable[[Any, list[int]], Hashable]] = {
    **dict.fromkeys((str, int, float, bool, bytes, type(None)), lambda held, budget: held),
    Unknown: lambda held, budget: (
        held.label,
        held.reason,
        held.level,
        held.variable,
        held.home,
        id(held.collected),
    ),
    Pattern: lambda held, budget: (str(held), held.level, held.home),
    list: print_items,
    tuple: print_items,
    dict: print_pairs,
    Choice: lambda held, budget: print_items(held.options, budget),
}
"""Class -> what of a value counts; any other value is only the same as itself"""


class Call(NamedTuple):
    """A call of a function of the program that is under way, or that has ended."""

    function: Any
    arguments: list[Value]
    keywords: dict[str, Value]

    def key(self) -> Hashable:
        """Return what tells the call from others; None if its values are too large."""
        try:
            given = fingerprint(self.arguments), fingerprint(self.keywords)
            hash(given)
        except (TooLarge, TypeError):
            return None

        return id(self.function.node), id(self.function.closure), given


class Mark(NamedTuple):
    """The state of a run when a call begins: a call that adds nothing to it has no effect."""

    changes: int
    told: int
    writes: int
    asked: int
    unread: int
    parted: bool


def mark_of(run: Run) -> Mark:
    """Return what a run has done so far."""
    return Mark(run.changes, run.told, len(run.writes), run.scans, run.left_unread, run.parted)


class Kept(NamedTuple):
    """The result of a call, and the number of changes before it."""

    changes: int
    given: Value
    call: Call
    """keeps the values alive by whose identity it is told from others"""


def recursion_of(run: Run, call: Call) -> Unknown | None:
    """Return what a call gives that is under way already, with the same values.

    def walk(node): return walk(node.parent)      where only a run knows the node

    Nothing new comes of it: what the other branches of the function give is all there is.
    """
    same = [each for each in run.under_way if each[0].function.node is call.function.node]
    if not same:
        return None

    key = call.key()
    if key is None:
        return None

    times = 0
    for other, changes in reversed(same):
        if other.key() == key:
            times += 1
            if changes == run.changes or times >= DEEPEST_RECURSION:
                return Unknown(f"{call.function.name}()", "a recursion that only a run ends")

    return None


def recall_call(run: Run, function: Function, key: Hashable) -> Kept | None:
    """Return what the same call gave before, if nothing has changed since."""
    held: Kept | None = run.memory.get(key)
    if held is not None and held.changes == run.changes:
        return held

    return None


def remember_call(run: Run, call: Call, key: Hashable, before: Mark, given: Value) -> None:
    """Keep what a call gave; a function with an effect is not asked for its key again."""
    if mark_of(run) != before or not isinstance(given, SHARED):
        run.effects.add(id(call.function.node))
        return

    run.memory[key] = Kept(run.changes, given, call)


class Rounds:
    """The rounds of a loop: it ends when they change nothing but numbers and write nothing new."""

    def __init__(self, run: Run) -> None:
        """Start counting the rounds of a loop that only a run can end."""
        self.run = run
        self.number = 0
        self.stable = 0
        self.is_long = self.is_watched = False
        self.targets: set[tuple[str, str]] | None = None

    def begin(self) -> None:
        """Begin a round."""
        self.number += 1
        self.writes = len(self.run.writes)
        self.run.round += 1
        self.since = self.run.round
        self.steps = self.run.steps
        self.is_watched = self.is_long or self.number > FIRST_WATCHED
        if self.is_watched:
            self.run.begin()

    def end(self) -> bool:
        """End a round; return whether those that follow would do the same again."""
        run = self.run
        self.is_long = self.is_long or run.steps - self.steps > LONG_ROUND
        written = {(each.name, each.kind) for each in run.writes[self.writes :]}
        before, self.targets = self.targets, written
        if not self.is_watched:
            return False

        journal = run.journals[-1] if run.journals else {}
        quiet = all(
            run.is_young(container, self.since) or is_alike(before, container)
            for container, before in journal.values()
        )
        run.keep()
        is_stable = quiet and (not written or written == before)
        self.stable = self.stable + 1 if is_stable else 0
        return self.stable >= STABLE_ROUNDS or (self.is_long and self.stable > 0)


def is_alike(before: Any, after: Any) -> bool:
    """Whether a container is what it was; numbers may differ."""
    if len(before) != len(after):
        return False

    if isinstance(after, dict):
        pairs = [(before.get(key), held) for key, held in after.items()]
    elif isinstance(after, list):
        pairs = list(zip(before, after, strict=True))
    else:
        return bool(before == after)

    return all(is_same(one, other) for one, other in pairs)


def is_same(one: Value, other: Value, exactly: bool = False) -> bool:
    """Whether two values are the same, two numbers, or DataFrames with the same lineage."""
    if one is other:
        return True

    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return not exactly or one == other

    if isinstance(one, Relation) and isinstance(other, Relation):
        return is_same_relation(one, other)

    alike = ALIKE.get(one.__class__)
    if alike is not None and one.__class__ is other.__class__:
        return alike(one, other)

    if isinstance(one, Write) and isinstance(other, Write):
        return one.name == other.name and is_same_relation(one.relation, other.relation)

    try:
        return fingerprint(one) == fingerprint(other)
    except TooLarge:
        return False


ALIKE: dict[type, Callable[[Value, Value], bool]] = {}
"""Class of a value of another library -> whether two of them have the same lineage"""


def is_same_relation(one: Relation, other: Relation) -> bool:
    """Whether two DataFrames have the same columns, made of the same sources in the same ways."""
    if len(one.attributes) != len(other.attributes) or one.rows.keys() != other.rows.keys():
        return False

    pairs = zip(one.attributes, other.attributes, strict=True)
    return all(
        left.key == right.key and left.slot.lineage.keys() == right.slot.lineage.keys()
        for left, right in pairs
    )
