"""Patterns of the input: COLUMNS('…'), colRegex, re.sub of a program, LIKE.

    matches = compile_pattern("amt_.*").search

Python's engine goes back when a part does not fit, and a pattern of ten characters can keep it busy
for years: `(a+)+$`. `Pattern` therefore estimates how many ways there are to try before it looks at
a name, and refuses what may take long. Backreferences are refused, too, and so are lookarounds,
which the engines of DuckDB and ClickHouse do not have, unless the language has them. LIKE takes
time in proportion to the name and the pattern.
"""

from __future__ import annotations

import re

from lineal.model.late_pattern import late_pattern

MOST_WAYS = 2_000_000
"""Ways in which a pattern may be tried on one text: some milliseconds each."""
LONGEST_PATTERN = 1_000

PIECE = late_pattern(
    r"(?P<escape>\\.)|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<open>\((?:\?(?P<kind>P?<\w+>|:|[aims]+\)|[aims]+:|.))?)"
    r"|(?P<close>\))|(?P<or>\|)|(?P<times>[*+?]|\{\d*,?\d*\})[?+]?|(?P<other>.)",
    re.DOTALL,
)
"""A pattern, piece by piece."""


class SlowPattern(ValueError):
    """A pattern that may take long, or that is none."""


class Group:
    """The facts about a group of a pattern up to here."""

    def __init__(self) -> None:
        self.ways = 1
        """the ways to try it that do not depend on the length of the text"""
        self.loops = 0
        """its parts that may repeat as often as the text is long"""
        self.branches = 1

    @property
    def is_simple(self) -> bool:
        """Tell whether there is one way to try it."""
        return self.ways == 1 and self.loops == 0 and self.branches == 1


class Pattern:
    """A pattern of the input that takes no long time, whatever the text."""

    def __init__(self, text: str, flags: int = 0, looks_around: bool = False) -> None:
        if len(text) > LONGEST_PATTERN:
            raise SlowPattern("the pattern is too long")

        whole = measure(text, looks_around)
        self.ways, self.loops = whole.ways * whole.branches, whole.loops
        try:
            self._compiled = re.compile(text, flags)
        except (re.error, OverflowError, RecursionError) as error:
            raise SlowPattern(f"not a pattern: {error}") from error

    def search(self, text: str) -> re.Match[str] | None:
        """The first place in a text that fits."""
        self._check(text)
        return self._compiled.search(text)

    def match(self, text: str) -> re.Match[str] | None:
        """Match at the beginning of a text."""
        self._check(text)
        return self._compiled.match(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """The match of a whole text."""
        self._check(text)
        return self._compiled.fullmatch(text)

    def sub(self, by: str, text: str) -> str:
        """A text with what fits replaced."""
        self._check(text)
        try:
            return self._compiled.sub(by, text)
        except (re.error, IndexError) as error:
            raise SlowPattern(f"not a replacement: {error}") from error

    def _check(self, text: str) -> None:
        """Raise SlowPattern if matching a text of this length may take too long."""
        length = len(text) + 1
        if self.ways * length ** (self.loops + 1) > MOST_WAYS:
            raise SlowPattern("the pattern may take too long")


def compile_pattern(text: str, flags: int = 0, looks_around: bool = False) -> Pattern:
    """A pattern of the input; raises SlowPattern if it may take long."""
    return Pattern(text, flags, looks_around)


def measure(text: str, looks_around: bool = False) -> Group:
    """How many ways there are to try a pattern."""
    groups = [Group()]
    last: Group | None = None
    """the group that has just ended, to which a number of times may refer"""
    for piece in PIECE.finditer(text):
        if piece["open"]:
            open_group(groups, piece, looks_around)
            last = None
        elif piece["close"]:
            last = close_group(groups)
        elif piece["or"]:
            groups[-1].branches += 1
            last = None
        elif piece["times"]:
            repeat(groups[-1], last, piece["times"])
            last = None
        else:
            if piece["escape"] and piece["escape"][1] in "123456789gk":
                raise SlowPattern("a pattern with a backreference is not followed")

            last = None

    return groups[0]


LOOKS = ("=", "!", "<")
"""How a group begins that looks ahead or behind: (?=a), (?!a), (?<=a), (?<!a)."""


def open_group(groups: list[Group], piece: re.Match[str], looks_around: bool) -> None:
    """(a, (?:a, (?P<name>a      begin a group; (?i) is none"""
    kind = piece["kind"] or ":"
    if kind.endswith(")"):
        return

    if not kind.endswith((">", ":")) and not (looks_around and kind in LOOKS):
        raise SlowPattern("a pattern that looks ahead or behind is not followed")

    groups.append(Group())


def close_group(groups: list[Group]) -> Group:
    """The ways to try a group are those of the pattern around it, too."""
    if len(groups) == 1:
        raise SlowPattern("not a pattern: unbalanced parenthesis")

    inner = groups.pop()
    groups[-1].ways = min(groups[-1].ways * inner.ways * inner.branches, MOST_WAYS + 1)
    groups[-1].loops += inner.loops
    return inner


def repeat(around: Group, repeated: Group | None, times: str) -> None:
    """a*, (ab)+, [a-z]{2,5}      Count a part that is repeated."""
    if times == "?":
        around.ways = min(2 * around.ways, MOST_WAYS + 1)
        return

    least, _, most = times.strip("{}").partition(",")
    if repeated is not None and not repeated.is_simple:
        raise SlowPattern("a pattern that repeats a repetition is not followed")

    if times in "*+" or not most:
        is_fixed = times not in "*+" and "," not in times
        around.loops += not is_fixed
        return

    around.ways = min(around.ways * (1 + abs(int(most) - int(least or 0))), MOST_WAYS + 1)


def is_like(pattern: str, text: str) -> bool:
    """LIKE 'user%'      % for any characters, _ for one"""
    at = here = 0
    star, after = -1, 0
    while here < len(text):
        if pattern[at : at + 1] == "%":
            star, after = at, here
            at += 1
        elif pattern[at : at + 1] in ("_", text[here]):
            at, here = at + 1, here + 1
        elif star >= 0:
            after += 1
            at, here = star + 1, after
        else:
            return False

    return not pattern[at:].strip("%")
