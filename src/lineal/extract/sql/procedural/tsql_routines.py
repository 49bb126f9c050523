"""Routines of T-SQL: a procedure reaches to the end of its batch.

CREATE FUNCTION f (@a INT) RETURNS @t TABLE (x INT) AS BEGIN … END
"""

from __future__ import annotations

from sqlglot.tokenizer_core import TokenType

from lineal.extract.sql.procedural.boundaries import STARTERS
from lineal.extract.sql.procedural.header import parameters
from lineal.extract.sql.procedural.pieces import Routine
from lineal.extract.sql.procedural.results import Held
from lineal.extract.sql.procedural.text import (
    DEPTHS,
    SEMICOLON,
    Tokens,
    closing_parenthesis,
    find_word,
    kind_at,
    new_token,
    select_all,
    unwrap,
    word,
    word_at,
)
from lineal.extract.sql.procedural.tsql_statements import TSqlStatements


class TSqlRoutines(TSqlStatements):
    """A walker that reads the headings of procedures, functions and triggers."""

    def heading(self, routine: Routine, tokens: Tokens) -> None:
        """Read the header of a routine.

        (@a INT, @b INT = 2 OUTPUT) RETURNS @t TABLE (x INT)
        """
        returns = find_word(tokens, ("RETURNS",), missing=len(tokens))
        listed = unwrap(tokens[:returns])
        options = find_word(listed, ("WITH",), missing=len(listed))
        routine.parameters = [
            each for each in parameters(self, listed[:options]) if each.key.startswith("@")
        ]
        if kind_at(tokens, returns + 1) is TokenType.PARAMETER:
            routine.table, routine.result = True, tokens[returns + 2].text.lower()
        elif word_at(tokens, returns + 1) == "TABLE":
            routine.table = True

    def result_table(self, routine: Routine, tokens: Tokens) -> None:
        """Read the table that a function returns.

        RETURNS @t TABLE (x INT)      what stands in @t at the end is the result
        """
        self.table_variables.add(routine.result)
        start = find_word(tokens, ("RETURNS",), missing=len(tokens)) + 1
        close = closing_parenthesis(tokens, start + 3, len(tokens))
        self.table_variable(tokens[start : close + 1], 2)

    def end_routine(self, held: Held) -> None:
        """Go on with the code around the routine; a table variable may be its result."""
        routine = self.routine
        if routine is not None and routine.result:
            name = new_token(TokenType.IDENTIFIER, f"@{routine.result}", self.here)
            self.give_back(select_all([name], self.here))

        super().end_routine(held)

    def trigger(self, tokens: Tokens) -> None:
        """Read the header of a trigger.

        CREATE TRIGGER g ON t AFTER INSERT      `inserted` and `deleted` have the columns of t
        """
        on = find_word(tokens, ("ON",))
        if on < 0:
            return

        parts, after = self.name_at(tokens, on + 1)
        for name in ("inserted", "deleted"):
            query = self.assignment(select_all(tokens[on + 1 : after], tokens[on]))
            if query is not None and parts:
                self.body.tables[name] = query


def body_start(tokens: Tokens, at: int) -> int:
    """The AS after which the body starts, or what precedes its BEGIN; -1, if there is none."""
    depth = 0
    for position in range(at, len(tokens)):
        token = tokens[position]
        if token.token_type is SEMICOLON:
            return -1

        depth += DEPTHS.get(token.token_type, 0)
        if depth != 0:
            continue

        if word(token) == "BEGIN":
            return position - 1

        if word(token) == "AS" and opens_body(tokens, position):
            return position

    return -1


def opens_body(tokens: Tokens, at: int) -> bool:
    """Tell whether an AS opens the body.

    CREATE PROCEDURE p @a AS INT AS …      the last AS; WITH EXECUTE AS OWNER is none
    """
    before = tokens[at - 1]
    if word(before) in ("EXECUTE", "EXEC"):
        return False

    is_parameter = (
        before.token_type is TokenType.VAR and tokens[at - 2].token_type is TokenType.PARAMETER
    )
    is_type = at + 1 < len(tokens) and word(tokens[at + 1]) not in STARTERS
    return not (is_parameter and is_type)
