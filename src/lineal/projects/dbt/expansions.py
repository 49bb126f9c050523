"""The parts of compiled SQL that macros have written: the template, compared with its result.

    select {{ cents('amount') }} as amount from …        the template
    select amount / 100.0 as amount from …               its result: what cents has written stands
    between

Text that is in no tag stands in the result as it is, but for white space. What lies between two
such pieces is what the tags between them have written. Where a template branches or loops, only a
run knows what was written how often: from there on, the next piece of text is looked for. Where the
two do not fit, no macro is named.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from lineal.model.script import Expansion

TAG = re.compile(r"\{\{-?(?P<output>.*?)-?\}\}|\{%-?(?P<statement>.*?)-?%\}|\{#.*?#\}", re.S)
CALL = re.compile(r"\s*(?:(?P<package>\w+)\.)?(?P<name>\w+)\s*\(")
SILENT = re.compile(r"\s*(config|log|print)\s*\(")
"""The nodes of a template that write nothing."""
MACRO = re.compile(r"\{%-?\s*macro\s+(\w+)")
BLOCKS = (
    "if",
    "for",
    "call",
    "filter",
    "macro",
    "raw",
    "block",
    "test",
    "materialization",
    "snapshot",
)
SHORT = 4
"""So few characters may be anywhere: alone they do not say where a macro ends."""


class Piece(NamedTuple):
    """A part of a template: text, a call of a macro, or anything else that may write text."""

    text: str = ""
    macro: str = ""


GAP = Piece()


def macro_names(texts: Collection[str]) -> frozenset[str]:
    """The names of all macros that some files define."""
    return frozenset(name for text in texts if "macro" in text for name in MACRO.findall(text))


def expansions_in(
    compiled: str, template: str, macros: Collection[str], own: Collection[str]
) -> tuple[Expansion, ...]:
    """Return the parts of a compiled text that macros have written; packages in `own` need no
    prefix.
    """
    if not any(name in template for name in macros):
        return ()

    places = [at for at, char in enumerate(compiled) if not char.isspace()]
    result = "".join(compiled[at] for at in places)
    found = list(align_expansions(list(pieces(template, macros, own)), result))
    if not found or found[-1] is None:
        return ()

    return tuple(
        Expansion(places[each.start], places[each.end - 1] + 1, each.macro)
        for each in found
        if each is not None and each.start < each.end
    )


def align_expansions(several: list[Piece], result: str) -> Iterator[Expansion | None]:
    """Yield what lies between pieces of text in a result without white space; last None, where they
    do not fit.
    """
    position, is_certain = 0, True
    pending = ""
    for piece in several:
        if not piece.text:
            pending = piece.macro if is_certain and not pending else ""
            is_certain = False
            continue

        if is_certain:
            if not result.startswith(piece.text, position):
                yield None
                return

            position += len(piece.text)
            continue

        ends = balanced_ends(result, piece.text, position)
        end = next(ends, -1)
        if end < 0:
            yield None
            return

        if len(piece.text) < SHORT and next(ends, -1) >= 0:
            pending = ""
            continue

        if pending:
            yield Expansion(position, end, pending)

        position, is_certain, pending = end + len(piece.text), True, ""

    if pending:
        yield Expansion(position, len(result), pending)
    elif is_certain and position < len(result):
        yield None


def balanced_ends(result: str, text: str, start: int) -> Iterator[int]:
    """Yield the offsets of a text before which all brackets are closed again."""
    depth, at = 0, start
    found = result.find(text, start)
    while found >= 0:
        depth += result.count("(", at, found) - result.count(")", at, found)
        at = found
        if depth == 0:
            yield found

        found = result.find(text, found + 1)


def pieces(template: str, macros: Collection[str], own: Collection[str]) -> Iterator[Piece]:
    """Yield the parts of a template in order; a branch, a loop or a definition is one gap."""
    position, depth = 0, 0
    for tag in TAG.finditer(template):
        data = "".join(template[position : tag.start()].split())
        position = tag.end()
        if data and depth == 0:
            yield Piece(data)

        statement = tag["statement"]
        if statement is not None:
            depth += steps(statement)
            if depth > 0 or steps(statement) < 0:
                yield GAP
        elif tag["output"] is not None and depth == 0 and not SILENT.match(tag["output"]):
            yield parse_macro_call(tag["output"], macros, own)

    data = "".join(template[position:].split())
    if data and depth == 0:
        yield Piece(data)


def steps(statement: str) -> int:
    """How much deeper a statement leads: {% if %} by one, {% endif %} out again, {% set a = 1 %}
    not at all.
    """
    word, _, rest = statement.strip().partition(" ")
    if word.startswith("end"):
        return -1

    return int(word in BLOCKS or (word == "set" and "=" not in rest))


def parse_macro_call(output: str, macros: Collection[str], own: Collection[str]) -> Piece:
    """cents('amount'), dbt_utils.star(x)

    the macro that is called; else something that may write text
    """
    call = CALL.match(output)
    if call is None or call["name"] not in macros:
        return GAP

    package = call["package"]
    return Piece(
        macro=call["name"] if package is None or package in own else f"{package}.{call['name']}"
    )
