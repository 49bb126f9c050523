"""Compiled SQL: what dbt has put into it is taken out again, and its lines are those of the file
that users edit.
"""

from __future__ import annotations

import re
from collections.abc import Collection

INJECTED = re.compile(r"(?:(\bwith\b)\s*|(,)\s*)?__dbt__cte__(\w+)\s+as\s*\(", re.I)
PIECE = re.compile(r"""'(?:[^'\\]|\\.|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|/\*.*?\*/|[()]""", re.S)
FOLLOWING = re.compile(r"\s*,\s*")


def without_ephemeral(code: str, names: Collection[str]) -> str:
    """with __dbt__cte__a as (select …), b as (…) select …      with b as (…) select …

    A reference to __dbt__cte__a then means the ephemeral model a itself. One that is not in the
    manifest stays.
    """
    position = 0
    while (found := INJECTED.search(code, position)) is not None:
        end = closing(code, found.end())
        if found[3] not in names or end is None:
            position = found.end()
            continue
        rest = code[end:]
        comma = FOLLOWING.match(rest)
        if found[1]:  # the first of them: WITH stays if others follow
            code = code[: found.start()] + (f"with {rest[comma.end() :]}" if comma else rest)
        else:
            code = code[: found.start()] + rest
        position = found.start()
    return code


def closing(code: str, start: int) -> int | None:
    """Where the parenthesis ends that was opened before `start`."""
    depth = 1
    for piece in PIECE.finditer(code, start):
        if piece[0] == "(":
            depth += 1
        elif piece[0] == ")":
            depth -= 1
            if not depth:
                return piece.end()
    return None


def levelled(code: str, raw: str) -> str:
    """Insert blank lines where tags and comments lost theirs: a line that occurs once in the file
    gets its number back.
    """
    lines, wanted = code.split("\n"), raw.split("\n")
    if lines == wanted or len(wanted) <= 1:
        return code
    numbers: dict[str, int] = {}
    for number, line in enumerate(wanted):
        text = line.strip()
        numbers[text] = -1 if text in numbers else number
    made: list[str] = []
    for line in lines:
        number = numbers.get(line.strip(), -1)
        if number > len(made) and len(line.strip()) > 3:
            made += [""] * (number - len(made))
        made.append(line)
    return "\n".join(made)
