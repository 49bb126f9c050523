"""Calls of procedures that give values back: CALL p(1, x) fills x, where p declares OUT.

Which parameters a procedure gives back is known only when all files have been read. So a call
assigns each variable among its arguments a node that is resolved when the value is asked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from lineal.extract.sql.expressions.outputs import output_of
from lineal.extract.sql.procedural.flow import Assignment, Ref
from lineal.extract.sql.procedural.pieces import Parameter, Routine
from lineal.extract.sql.procedural.text import (
    OPEN,
    Tokens,
    as_select,
    closing_parenthesis,
    items,
    kind_at,
    new_token,
    word,
)
from lineal.model.sequences import all_are, last_or_none

if TYPE_CHECKING:
    from lineal.extract.sql.procedural.assignments import Assignments

NAMES_ARGUMENT = (TokenType.FARROW, TokenType.COLON_EQ, TokenType.EQ)
"""p(x => 1), p(x := 1), EXEC p @x = 1"""


class Argument(NamedTuple):
    """An argument of a call: the parameter that it names, its value, and whether OUTPUT follows."""

    name: str
    value: Tokens
    marked: bool


def arguments_of(walker: Assignments, tokens: Tokens) -> list[Argument]:
    """(1, x => y), @x = @y OUTPUT, @z      the arguments behind the name of a procedure"""
    if kind_at(tokens, 0) is OPEN:
        tokens = tokens[1 : closing_parenthesis(tokens, 0, len(tokens))]

    found = []
    for item in items(tokens):
        marked = word(item[-1]) in ("OUTPUT", "OUT") and len(item) > 1
        value = item[:-1] if marked else item
        key, end = walker.variable_at(value, 0)
        is_named = bool(key) and kind_at(value, end) in NAMES_ARGUMENT
        found.append(
            Argument(key if is_named else "", value[end + 1 :] if is_named else value, marked)
        )

    return found


def fill_variables(walker: Assignments, name: str, tokens: Tokens, marks: bool) -> None:
    """Assign the variables that a call may fill.

    CALL p(1, x)      x holds what p leaves there

    Where a dialect `marks` them, only an argument with OUTPUT is filled.
    """
    given = arguments_of(walker, tokens)
    targets = [
        (position, target)
        for position, each in enumerate(given)
        if (each.marked or not marks) and (target := variable_in(walker, each.value))
    ]
    if not targets:
        return

    values = [walker.parse(as_select(each.value)) for each in given if each.value]
    if len(values) < len(given) or not all_are(values, exp.Select):
        return

    listed = [
        exp.Kwarg(this=exp.to_identifier(each.name), expression=value.expressions[0])
        if each.name
        else value.expressions[0]
        for each, value in zip(given, values, strict=True)
        if value is not None
    ]
    mentions = walker.mentions(tokens)
    now = walker.body.now()
    made = []
    for position, target in targets:
        certain = given[position].marked or not walker.body.refs(target.partition(".")[0], now)
        query = exp.Select(expressions=[output_of(name, listed, position, certain)])
        constant = None if certain else given[position].value
        assignment = Assignment(query, walker.reading, now, mentions, constant)
        assignment.after = last_or_none(walker.order)
        made.append((target, assignment))

    for target, assignment in made:
        variable, _, field = target.partition(".")
        walker.hold(variable, Ref(assignment, None, field))


def variable_in(walker: Assignments, value: Tokens) -> str:
    """x, @x, r.a      the variable that an argument is; '' for any other expression"""
    names, end = walker.names_until(value, 0)
    if len(names) != 1 or end != len(value):
        return ""

    variable = names[0].partition(".")[0]
    known = variable in walker.body.names or variable.startswith("@")
    return names[0] if known else ""


def keep_outputs(walker: Assignments, routine: Routine) -> None:
    """Keep what a procedure gives back.

    p(OUT a INT)      what a holds at the end, as the value of a function
    """
    inputs = [replace(each, out=False) for each in routine.inputs]
    for parameter in routine.parameters:
        if not parameter.back or not parameter.key:
            continue

        value = walker.assignment(as_select(name_tokens(walker, parameter)))
        if value is not None:
            routine.gives_back[parameter.key] = Routine(
                routine.name, routine.key, True, routine.body, inputs, returns=[value]
            )


def name_tokens(walker: Assignments, parameter: Parameter) -> Tokens:
    """The words of a parameter's name."""
    if not parameter.key.startswith("@"):
        return [new_token(TokenType.IDENTIFIER, parameter.key, walker.here)]

    sigil = new_token(TokenType.PARAMETER, "@", walker.here)
    return [sigil, new_token(TokenType.VAR, parameter.key[1:], walker.here)]
