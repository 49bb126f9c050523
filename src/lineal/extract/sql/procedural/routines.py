"""A project's functions as routines: the body is a text of its own."""

from __future__ import annotations

from lineal.extract.sql.procedural.blocks import Blocks
from lineal.extract.sql.procedural.flow import Body
from lineal.extract.sql.procedural.pieces import Parameter, Routine
from lineal.extract.sql.procedural.text import tokens_of
from lineal.extract.sql.reading import Reading
from lineal.extract.sql.words import FAILURES
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.script import Function


def routines_of(function: Function, diagnostics: list[Diagnostic]) -> list[Routine]:
    """A scalar function of a project; none, if its body cannot be read."""
    reading = Reading(function.body)
    walker = Blocks(reading)
    routine = Routine(function.name, function.name.lower(), True, Body())
    fold = walker.facts.fold
    routine.parameters = [Parameter(name, fold(name, False)) for name in function.parameters]
    try:
        tokens = tokens_of(function.body.text, function.body.dialect)
    except FAILURES as error:
        diagnostics.append(
            Diagnostic(Code.PARSE_ERROR, str(error).split("\n")[0][:200], reading.place_at(0))
        )
        return []

    if tokens:
        walker.expression_body(routine, tokens)

    diagnostics.extend(walker.found.diagnostics)
    return walker.found.functions
