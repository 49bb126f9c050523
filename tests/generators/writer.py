"""The core of all writers of random SQL: choices, names, expressions, conditions and joins.

A dialect is a `Grammar` (tables of templates, kinds of joins) and a subclass of `SqlWriter` with the
constructs that only this dialect has. Every choice is drawn from one `random`. Hypothesis hands in
its own, so that a statement that fails becomes smaller; see `strategies`.

A template is SQL with marks: `coalesce(@N, @n)`.

    @n @t       a number, a text                    @N @T       the same, with a column in it
    @c          a condition                         @1 @2       the first, the second value again
    others      a mark of the grammar: a choice of `picks`, or a method of `parts`
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import NamedTuple, TypeVar

from generators.scope import NUMBER, TEXT, Field, Scope, common_names, has_unique_names

Thing = TypeVar("Thing")
MARK = re.compile(r"@(\w)")
VALUES = {"n": (NUMBER, False), "t": (TEXT, False), "N": (NUMBER, True), "T": (TEXT, True)}


class Sourced(NamedTuple):
    """The text behind FROM, and the columns that the query can name then."""

    text: str
    scope: list[Field]


@dataclass(frozen=True)
class Grammar:
    """What a dialect has to choose from."""

    forms: Mapping[str, Sequence[str]]
    """templates of expressions, by the kind of their value"""
    conditions: Sequence[str]
    aggregates: Mapping[str, Sequence[str]]
    joins: Sequence[str]
    narrowing: Sequence[str]
    """joins that keep the columns of the left side only"""
    using: Callable[[Scope, Scope, Sequence[str]], list[Field]]
    """the scope that USING makes"""
    numbers: tuple[int, int]
    texts: Sequence[str]
    as_number: str
    as_text: str
    """how a column of the other kind is turned into a number, into a text"""
    gap: str = " "
    """between the parts of FROM"""
    nested: Mapping[str, int] = field(default_factory=dict)
    """how often an expression has others inside it: percent, by kind"""
    literals: int = 15
    by_name: int = 50
    """how often a join is made by common names: percent"""
    picks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)


class SqlWriter:
    """Draws every choice from `random`; the counters make every name unique."""

    grammar: Grammar

    def __init__(self, random: Random) -> None:
        self.random = random
        self.numbers = {letter: count(1) for letter in ("t", "w", "c", "n", "e", "q", "out")}

    # -- choices and names -------------------------------------------------------------------------

    def new(self, letter: str) -> str:
        """Return a name that the statement does not use yet: t1, t2, …"""
        return f"{letter}{next(self.numbers[letter])}"

    def choose(self, things: Sequence[Thing]) -> Thing:
        """Return one of the things. A failing statement shrinks to the first."""
        return self.random.choice(things)

    def maybe(self, percent: int) -> bool:
        """Tell whether to write the rarer form. A failing statement shrinks to the plain one."""
        return self.random.randint(0, 99) >= 100 - percent

    def some(self, things: Sequence[Thing]) -> list[Thing]:
        """Return one or two of the things."""
        return self.random.sample(list(things), self.random.randint(1, min(2, len(things))))

    def spell(self, field: Field, scope: Scope) -> str:
        """Return `t1.a`, or `a` alone where no other column has that name."""
        if field.merged:
            return field.name
        if self.may_be_bare(field, scope) and self.maybe(50):
            return field.name
        return f"{field.alias}.{field.name}"

    def may_be_bare(self, field: Field, scope: Scope) -> bool:
        """Tell whether the name alone means this column."""
        return sum(each.name == field.name for each in scope) == 1

    def nameable(self, field: Field, scope: Scope) -> bool:
        """Tell whether the column can be named at all."""
        return True

    # -- expressions -------------------------------------------------------------------------------

    def fill(self, template: str, scope: Scope, depth: int) -> str:
        """Return the template with a value for each of its marks, drawn from left to right."""
        drawn: list[str] = []

        def value(mark: re.Match[str]) -> str:
            if mark[1].isdigit():
                return drawn[int(mark[1]) - 1]
            drawn.append(self.value_of_mark(mark[1], scope, depth))
            return drawn[-1]

        return MARK.sub(value, template)

    def value_of_mark(self, mark: str, scope: Scope, depth: int) -> str:
        """Return a value for one mark of a template."""
        if mark in VALUES:
            kind, needs_column = VALUES[mark]
            return self.expression(scope, kind, depth, needs_column=needs_column)
        if mark == "c":
            return self.condition(scope, 0)
        if mark in self.grammar.picks:
            return self.choose(self.grammar.picks[mark])
        made: str = getattr(self, self.grammar.parts[mark])(scope, depth)
        return made

    def literal(self, kind: str) -> str:
        """Return a number or a text."""
        if kind == NUMBER:
            return str(self.random.randint(*self.grammar.numbers))
        return self.choose(self.grammar.texts)

    def fields(self, scope: Scope, kind: str) -> list[Field]:
        """Return the columns of a kind that can be named."""
        return [each for each in scope if each.kind == kind and self.nameable(each, scope)]

    def column(self, scope: Scope, kind: str) -> str:
        """Return a column of the kind, or a value that is made of another column."""
        fields = self.fields(scope, kind)
        if fields:
            return self.spell(self.choose(fields), scope)
        return self.other_column(scope, kind)

    def other_column(self, scope: Scope, kind: str) -> str:
        """Return a number as a text, or a text as a number: no column has the kind."""
        return self.cast(self.spell(self.choose(list(scope)), scope), kind)

    def cast(self, text: str, kind: str) -> str:
        """Return a value as one of another kind."""
        template = self.grammar.as_number if kind == NUMBER else self.grammar.as_text
        return template.format(text)

    def expression(self, scope: Scope, kind: str, depth: int, *, needs_column: bool = False) -> str:
        """Return a value of the kind: a column, a literal, or a template around others."""
        if depth == 0 or not self.maybe(self.grammar.nested.get(kind, 60)):
            literal = not needs_column and self.maybe(self.grammar.literals)
            return self.literal(kind) if literal else self.column(scope, kind)
        return self.fill(self.choose(self.grammar.forms[kind]), scope, depth - 1)

    def condition(self, scope: Scope, depth: int) -> str:
        """Return a condition without a query in it."""
        text = self.fill(self.choose(self.grammar.conditions), scope, depth)
        if depth > 0 and self.maybe(20):
            text = f"({text} {self.choose(('AND', 'OR'))} {self.condition(scope, depth - 1)})"
        return f"NOT ({text})" if self.maybe(10) else text

    def call(self, scope: Scope, kind: str, depth: int) -> str:
        """Return a call of an aggregate function."""
        return self.fill(self.choose(self.grammar.aggregates[kind]), scope, depth)

    # -- joins -------------------------------------------------------------------------------------

    def join(self, left: Sourced, right: Sourced) -> Sourced:
        """Return both relations, joined in one of the ways; or the left one, if they would clash."""
        join = self.choose(self.grammar.joins)
        if self.would_clash(left.scope, right.scope):
            return left
        if join == "CROSS JOIN":
            return Sourced(f"{left.text}{self.cross()}{right.text}", [*left.scope, *right.scope])
        special = self.special_join(left, right)
        if special is not None:
            return special
        narrowing = join in self.grammar.narrowing
        keys = self.keys_of_join(left.scope, right.scope, narrowing)
        if keys and self.maybe(self.grammar.by_name):
            return self.join_by_names(left, right, join, keys)
        condition = self.join_condition(left.scope, right.scope)
        scope = left.scope if narrowing else [*left.scope, *right.scope]
        return Sourced(f"{left.text}{self.grammar.gap}{join} {right.text} ON {condition}", scope)

    def would_clash(self, left: Scope, right: Scope) -> bool:
        """Tell whether the merged column of an earlier USING could not be named any more."""
        merged = {each.name for each in left if each.merged and not each.hidden}
        return not merged.isdisjoint(each.name for each in right if not each.hidden)

    def cross(self) -> str:
        """Return the words of a cross join."""
        return f"{self.grammar.gap}CROSS JOIN "

    def special_join(self, left: Sourced, right: Sourced) -> Sourced | None:
        """Return a join that only this dialect has."""
        return None

    def keys_of_join(self, left: Scope, right: Scope, narrowing: bool) -> list[str]:
        """Return the names that USING may list."""
        return common_names(left, right)

    def join_by_names(
        self, left: Sourced, right: Sourced, join: str, keys: Sequence[str]
    ) -> Sourced:
        """a NATURAL JOIN b, a JOIN b USING (k)"""
        natural = self.may_be_natural(left.scope, right.scope) and self.maybe(30)
        kept = keys if natural else keys[: self.random.randint(1, len(keys))]
        scope = self.grammar.using(left.scope, right.scope, kept)
        if join in self.grammar.narrowing:
            scope = left.scope
        gap = self.grammar.gap
        if natural and self.are_all_shared(kept, left.scope, right.scope):
            return Sourced(f"{left.text}{gap}NATURAL {join} {right.text}", scope)
        return Sourced(f"{left.text}{gap}{join} {right.text} USING ({', '.join(kept)})", scope)

    def may_be_natural(self, left: Scope, right: Scope) -> bool:
        """Tell whether NATURAL finds each key once."""
        return has_unique_names(left)

    def are_all_shared(self, keys: Sequence[str], left: Scope, right: Scope) -> bool:
        """Tell whether NATURAL joins by these keys only."""
        return True

    def joinable(self, field: Field, scope: Scope) -> bool:
        """Tell whether a join may compare the column."""
        return self.nameable(field, scope)

    def join_condition(self, left: Scope, right: Scope, extra: bool = True) -> str:
        """a.x = b.y, and perhaps something else"""
        scope = [*left, *right]
        pairs = [
            (one, other)
            for one in left
            for other in right
            if one.kind == other.kind and self.joinable(one, scope) and self.joinable(other, scope)
        ]
        if not pairs:
            return self.unrelated(scope)
        one, other = self.choose(pairs)
        text = f"{self.spell(one, scope)} = {self.spell(other, scope)}"
        return f"{text} AND {self.condition(scope, 0)}" if extra and self.maybe(25) else text

    def unrelated(self, scope: Scope) -> str:
        """Return the condition of a join whose sides have no kind in common."""
        return self.condition(scope, 0)
