"""The parts of a script that macros have written, and how the statement uses them.

    select coalesce({{ cents_to_dollars('amount') }}, 0)      coalesce, then cents_to_dollars

The text of a macro is one thing to whoever wrote the template. To find the calls around it, the
script is read a second time with a plain name in the place of each macro's text, as long as the
text is, so that everything else stays where it was. Only scripts in which macros write expressions
are read twice, and only when somebody asks for calls.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import compress
from operator import not_
from typing import Any

from sqlglot import exp

from lineal.algebra.lineage import Trail
from lineal.extract.sql.nodes import meta_of
from lineal.extract.sql.parse import allow_deep_calls, parse
from lineal.extract.sql.reading import Reading, add_calls, call_name, offset_of, segments
from lineal.model.boundary import Failures
from lineal.model.edge import Call, Calls
from lineal.model.script import Expansion, Script

PLACEHOLDER = "m"
MOST_READINGS = 16
"""So often a script is read again, where the text with all macros replaced is not SQL."""

STOPS = (
    exp.Query, exp.From, exp.Join, exp.Where, exp.Having, exp.Qualify, exp.Group, exp.Lateral, exp.Table, exp.Values,
    exp.Update, exp.Merge, exp.When, exp.Insert, exp.Create, exp.CTE, exp.Schema, exp.Limit, exp.Fetch,
)  # fmt: skip
"""Where an expression ends, on the way out of it."""

BESIDE = (exp.Window, exp.Filter, exp.WithinGroup)
"""Nodes next to an aggregate and not in it."""

SILENT = (exp.If, exp.Kwarg, exp.PropertyEQ, exp.Where, exp.Filter)
"""Parts of a call that are not calls: WHEN a THEN b, f(name => a)."""

MOST_LEAVES = 2_000


class ExpandedReading(Reading):
    """A script in which macros have written: their text is named after the macro."""

    __slots__ = ("_expansions",)

    def __init__(self, script: Script, failures: Failures | None = None) -> None:
        """Read a script whose macros were expanded."""
        super().__init__(script, failures)
        self._expansions: Expansions | None = None

    def calls_along(self, trail: Trail) -> Calls:
        """The calls of a trail, with what macros have written under the macro's name."""
        if self._expansions is None:
            self._expansions = Expansions(self)

        return self._expansions.calls(trail)


def reading_of(script: Script, failures: Failures | None = None) -> Reading:
    """Return the reading of a script: few have text that macros wrote."""
    if script.expansions:
        return ExpandedReading(script, failures)

    return Reading(script, failures)


class Expansions:
    """The expansions of one script."""

    def __init__(self, reading: Reading) -> None:
        """Index the expansions of a text by where they start."""
        self.reading = reading
        self.script = reading.script
        self.starts = [each.start for each in self.script.expansions]
        self.readings = 0
        self.together: dict[int, tuple[str, ...]] | None = None
        self.known: dict[int, tuple[str, ...] | None] = {}

    def at(self, offset: int | None) -> Expansion | None:
        """The expansion that a place of the text is in."""
        if offset is None:
            return None

        number = bisect_right(self.starts, offset) - 1
        found = self.script.expansions[number] if number >= 0 else None
        if found is not None and offset < found.end:
            return found

        return None

    def calls(self, trail: Trail) -> Calls:
        """The calls of a trail, from the outermost inwards; those that a macro has written under
        its name.
        """
        path: list[Call] = []
        met: list[Any] = []
        last: Expansion | None = None
        for node, calls, is_body in segments(trail):
            if is_body:
                add_calls(path, self.reading.names_of(calls), is_body)
                continue

            expansion = self.expansion_of(node, calls)
            outside, inside = self.parts(node, calls, met, expansion)
            path.extend(outside)
            met += calls
            if expansion is None or not inside:
                continue

            if expansion is last and not outside:
                add_calls(path, inside, is_body=True)
            else:
                path.append((expansion.macro, *inside))

            last = expansion

        return tuple(path)

    def expansion_of(self, node: Any, calls: list[Any]) -> Expansion | None:
        """The expansion that a step of a trail is in; where it has no node, the innermost call
        tells.
        """
        if node is not None:
            return self.at(offset_of(node))

        found = self.at(offset_of(calls[-1])) if calls else None
        if found is None or is_outside(calls[-1], found):
            return None

        return found

    def parts(
        self, node: Any, calls: list[Any], met: list[Any], expansion: Expansion | None
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The calls around a macro's text, but for those that have been met on the trail, and the
        macro's own.
        """
        names_of = self.reading.names_of
        if expansion is None:
            return names_of(calls), ()

        around = self.around(expansion)
        if around is None:
            outer = [is_outside(call, expansion) for call in calls]
            return names_of(compress(calls, outer)), names_of(compress(calls, map(not_, outer)))

        start = node if node is not None else calls[-1]
        listed = names_of(call for call in met if is_inside(start, call))
        return around[len(listed) :], drop_outside_calls(names_of(calls), around[len(listed) :])

    def around(self, expansion: Expansion) -> tuple[str, ...] | None:
        """Return the calls around the text of a macro; None where that text is not a whole
        expression.
        """
        if self.together is None:
            self.together = self.read(self.script.expansions)

        found = self.together.get(expansion.start)
        if found is not None or len(self.script.expansions) == 1:
            return found

        if expansion.start not in self.known:
            alone = self.read([expansion]) if self.readings < MOST_READINGS else {}
            self.known[expansion.start] = alone.get(expansion.start)

        return self.known[expansion.start]

    def read(self, expansions: Iterable[Expansion]) -> dict[int, tuple[str, ...]]:
        """The calls around each of some expansions, by where they start, with a name in the place
        of each.
        """
        self.readings += 1
        text = self.script.text
        for start, end, _ in expansions:
            text = text[:start] + PLACEHOLDER * (end - start) + text[end:]

        with allow_deep_calls():
            trees, _, _ = parse(Reading(Script(text, self.script.dialect, target="placeholder")))

        ends = {start: end for start, end, _ in expansions}
        found: dict[int, tuple[str, ...]] = {}
        for tree in trees:
            for column in tree.find_all(exp.Column) if isinstance(tree, exp.Expr) else ():
                if isinstance(column.this, exp.Identifier) and len(column.parts) == 1:
                    at = column.this.meta
                else:
                    at = {}

                if at.get("start") in ends and at.get("end") == ends[at["start"]] - 1:
                    found[at["start"]] = tuple(reversed(list(calls_around(column))))

        return found


def drop_outside_calls(names: tuple[str, ...], outside: tuple[str, ...]) -> tuple[str, ...]:
    """Remove the calls outside a macro.

    coalesce, cast, divide without coalesce and cast

    divide: each of the names outside is left out once
    """
    left = list(names)
    for name in outside:
        if name in left:
            left.remove(name)

    return tuple(left)


def calls_around(node: exp.Expr) -> Iterable[str]:
    """Yield the names of the calls around a node, the innermost first."""
    parent = node.parent
    while parent is not None and not ends_expression(parent):
        if isinstance(parent, BESIDE) and parent.this is not node:
            call = aggregate_of(parent)
        else:
            call = parent

        name = "" if isinstance(call, SILENT) else call_name(call)
        if name:
            yield name

        node, parent = parent, parent.parent


def ends_expression(node: exp.Expr) -> bool:
    """Whether a node is around an expression, and not a part of one: WHERE is, but for FILTER
    (WHERE a).
    """
    return isinstance(node, STOPS) and not (
        isinstance(node, exp.Where) and isinstance(node.parent, exp.Filter)
    )


def is_inside(node: exp.Expr, call: exp.Expr) -> bool:
    """Whether a node is in a call, and not in a query inside it."""
    around: exp.Expr | None = node
    while around is not None and around is not call and not ends_expression(around):
        around = around.parent

    return around is call


def aggregate_of(node: exp.Expr) -> exp.Expr:
    """Return the aggregate that a modifier belongs to.

    sum(a) OVER (PARTITION BY b), sum(a) FILTER (WHERE b)      sum, which b has to do with
    """
    while isinstance(node, (*BESIDE, exp.IgnoreNulls, exp.RespectNulls)):
        node = node.this

    return node


def is_outside(call: Any, expansion: Expansion) -> bool:
    """Whether a part of a call is outside a macro's text, as far as the places of its parts
    tell.
    """
    for count, part in enumerate(call.walk()):
        start = meta_of(part).get("start")
        if start is not None and not expansion.start <= start < expansion.end:
            return True

        if count > MOST_LEAVES:
            break

    return False
