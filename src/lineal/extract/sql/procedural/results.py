"""Routines while they are walked: their parameters, and what they give back.

CREATE FUNCTION f(a INT) RETURNS INT AS BEGIN RETURN a + 1; END
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.dialects.procedures import OWN_VARIABLES
from lineal.extract.sql.procedural.assignments import Assignments
from lineal.extract.sql.procedural.call_outputs import keep_outputs
from lineal.extract.sql.procedural.flow import Assignment, Body
from lineal.extract.sql.procedural.pieces import Parameter, Piece, Routine, Target
from lineal.extract.sql.procedural.text import Tokens, new_token, vocabulary
from lineal.extract.sql.procedural.triggers import expect_rows
from lineal.model.diagnostic import Code

FOREIGN = vocabulary(
    """
    JAVASCRIPT PYTHON JAVA SCALA C PLPYTHON3U PLPYTHONU PLPERL PLPERLU PLV8 PLTCL PLR JS INTERNAL REMOTE
    """
)
"""Languages of routines that are not read."""


class Held(NamedTuple):
    """The state around a routine, to go on with after it."""

    body: Body
    routine: Routine | None
    cursors: dict[str, Assignment | None]
    in_block: bool


class Results(Assignments):
    """A reader that enters routines, and keeps what they give back."""

    def begin_routine(self, routine: Routine) -> Held:
        """Walk the body of a routine from here on; return the state to go on with after it."""
        held = Held(self.body, self.routine, self.cursors, self.in_block)
        cursors: dict[str, Assignment | None] = {}
        if self.in_block:  # inside a package or routine, whose declarations this one sees
            routine.body.names |= self.body.names
            cursors |= self.cursors

        self.body, self.routine, self.cursors, self.in_block = routine.body, routine, cursors, True
        for position, parameter in enumerate(routine.inputs):
            self.give_parameter(parameter, position)

        for parameter in routine.outputs:
            self.body.declare(parameter.key)

        self.body.names.update(OWN_VARIABLES.get(self.script.dialect, ()))
        self.body.row_types |= {each.key: each.type for each in routine.parameters if each.type}
        if routine.shape.lower() == "trigger":
            self.body.trigger_function = (routine.name, self.reading.place_at(self.here.start))
            expect_rows(self.body)

        if not routine.function:
            self.found.procedures.add(routine.key)

        return held

    def give_parameter(self, parameter: Parameter, position: int) -> None:
        """Define a parameter under its name and number.

        f(a INT, TEXT)      a and $1, $2
        """
        if parameter.key:
            self.body.give(parameter.key, position)

        self.body.give(f"${position + 1}", position)

    def end_routine(self, held: Held) -> None:
        """Go on with the code around the routine."""
        routine = self.routine
        assert routine is not None
        self.finish_results(routine)
        if not routine.function:
            keep_outputs(self, routine)
            self.found.bodies.append(routine)

        self.body, self.routine, self.cursors, self.in_block = held
        if routine.function:
            self.found.functions.append(routine)

    def finish_results(self, routine: Routine) -> None:
        """Add the results of a routine: its OUT parameters, RETURN QUERYs and bare SELECTs."""
        if routine.function and routine.outputs and not routine.returns and not routine.selects:
            self.give_back_outputs(routine)

        if not routine.function:
            self.give_back_tables(routine)

        if routine.selects:
            name_results(routine)

    def give_back_tables(self, routine: Routine) -> None:
        """Add the tables that a procedure gives back as its results, in the order of its parameters.

        p(OUT x TABLE (a INT))      SAP HANA: SELECT * FROM x
        """
        filled = [output for output in routine.outputs if output.key in self.table_variables]
        for output in filled:
            words = (
                (TokenType.SELECT, "SELECT"),
                (TokenType.STAR, "*"),
                (TokenType.FROM, "FROM"),
                (TokenType.VAR, output.name),
            )
            self.give_back([new_token(*each, self.here) for each in words])

    def give_back_outputs(self, routine: Routine) -> None:
        """Add the output parameters as a result of the routine.

        f(OUT a INT, OUT b INT)      SELECT a, b
        """
        at = new_token(TokenType.SELECT, "SELECT", self.here)
        listed: Tokens = [at]
        for output in routine.outputs:
            listed.append(new_token(TokenType.IDENTIFIER, output.name, at))
            listed.append(new_token(TokenType.COMMA, ",", at))

        self.give_back(listed[:-1])

    def give_back(self, query: Tokens) -> None:
        """Add a result of the routine.

        RETURN expression, RETURN QUERY SELECT …
        """
        routine = self.routine
        if routine is None or not query:
            return

        if routine.table or not routine.function:
            piece = self.sql(query)
            if piece is not None:
                self.keep_result(piece, routine)
                row = Assignment(piece.tree, self.reading, piece.moment, self.mentions(query))
                routine.rows.append(row)

            return

        assignment = self.assignment(query)
        if assignment is not None:
            routine.returns.append(assignment)

    def keep_result(self, piece: Piece, routine: Routine) -> None:
        """SELECT a FROM t, RETURN QUERY SELECT …      a result set, by its number"""
        if not routine.function:
            piece.result = self.body.number_result()

        routine.selects.append(piece)

    def report_foreign(self, routine: Routine, at: Token) -> None:
        """Report a body in another language.

        LANGUAGE JAVASCRIPT      what it does to data is not known
        """
        if not routine.function:
            message = f"procedure '{routine.name}' is written in {routine.language.lower()}"
            self.report(Code.DYNAMIC, message, at)


def name_results(routine: Routine) -> None:
    """Name what the queries of a routine define: p, p_2, p_3, in the order of the result sets.

    The branches of an IF give one result set, if they are equally wide.
    """
    names: dict[tuple[int, int | None], Target] = {}
    for piece in routine.selects:
        width = width_of(piece.tree) if piece.result else None
        held = names.get((piece.result, width)) or names.get((piece.result, None))
        if held is not None:
            piece.target = replace(held, first=False)
            continue

        number = len(names) + 1
        if number == 1:
            piece.target = Target(
                routine.name, routine.key, routine.columns, True, routine.row_type
            )
        else:
            piece.target = Target(f"{routine.name}_{number}", f"{routine.key}_{number}")

        names[piece.result, width] = piece.target


def width_of(tree: exp.Expr) -> int | None:
    """How many columns a query has; None, if it has a star."""
    while isinstance(tree, (exp.Subquery, exp.SetOperation)):
        tree = tree.this

    if not isinstance(tree, exp.Select) or any(item.is_star for item in tree.expressions):
        return None

    return len(tree.expressions)


def is_result(tree: exp.Expr) -> bool:
    """Tell whether a query is a result.

    SELECT a FROM t      a query that stands alone; SELECT … INTO t writes
    """
    return isinstance(tree, exp.Query) and tree.args.get("into") is None
