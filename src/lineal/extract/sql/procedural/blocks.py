"""Languages whose statements end with a semicolon: PL/pgSQL, PL/SQL, Snowflake, BigQuery, MySQL,
Databricks.

The walk goes from statement to statement. The classes build on each other:

    declarations   DECLARE x INT := 1
    simple         statements that hold no other
    constructs     BEGIN … END, IF … THEN … END IF, LOOP, WHILE, FOR, CASE, EXCEPTION
    bodies         bodies of routines
    blocks         the walk, and the table of constructs
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot.tokenizer_core import TokenType

from lineal.extract.sql.procedural.bodies import Bodies
from lineal.extract.sql.procedural.constructs import is_separator
from lineal.extract.sql.procedural.detection import kind_of
from lineal.extract.sql.procedural.header import header
from lineal.extract.sql.procedural.simple import OUTSIDE
from lineal.extract.sql.procedural.text import (
    SEMICOLON,
    Tokens,
    find_outside,
    find_word,
    is_name,
    kind_at,
    word,
    word_at,
)
from lineal.model.diagnostic import Code

LABELLED = frozenset(("LOOP", "WHILE", "FOR", "REPEAT", "BEGIN"))
"""outer: LOOP      constructs that may have a label"""

AMONG_DECLARATIONS = frozenset(("BEGIN", "FUNCTION", "PROCEDURE", "END"))
"""Words that start something else where declarations are expected."""

JOBS = {"TASK": frozenset(("AS",)), "EVENT": frozenset(("DO",))}
"""CREATE TASK t … AS INSERT …, CREATE EVENT e … DO INSERT …      the word before the statement"""


class Blocks(Bodies):
    """A walk from statement to statement."""

    def walk(self, tokens: Tokens) -> None:
        """Read all statements; a construct that is still open at the end is reported."""
        height = len(self.stack)
        held, self.declaring = self.declaring, False
        at = 0
        while at < len(tokens):
            at = self.step(tokens, at)

        while len(self.stack) > height:
            left = self.stack[-1]
            self.report(Code.PARSE_ERROR, f"this {left.kind} has no END", left.at)
            self.pop()

        self.declaring = held

    def step(self, tokens: Tokens, at: int) -> int:
        """Read one statement, or the opening of a construct."""
        self.here = tokens[at]
        if self.here.token_type is SEMICOLON or is_separator(tokens, at):
            return at + 1

        first = word(self.here)
        if self.declaring and first not in AMONG_DECLARATIONS:
            end = self.end_of(tokens, at)
            self.declaration(tokens[at:end])
            return end + 1

        handler = STEPS.get(first)
        if handler is not None and (self.in_block or first in OUTSIDE):
            following = handler(self, tokens, at)
            if following > at:
                return following

        after_label = past_label(tokens, at)
        if after_label > at:
            return after_label

        if not self.in_block:
            return self.statement_outside(tokens, at)

        end = self.end_of(tokens, at)
        self.simple(tokens[at:end])
        return end + 1

    def statement_outside(self, tokens: Tokens, at: int) -> int:
        """Read a statement outside blocks.

        INSERT INTO t WITH FUNCTION f … END; c AS (SELECT …) SELECT f(a) FROM c      Oracle

        the statement goes on behind the function: INSERT INTO t WITH c AS (SELECT …) SELECT …
        """
        if self.opening is not None and word(tokens[at]) in ("FUNCTION", "PROCEDURE"):
            return self.create(tokens, at)

        end = self.end_of(tokens, at)
        start = next((i for i in range(at, end) if opens_functions(tokens, i)), None)
        if start is not None:
            self.begun = tokens[at:start]
            self.opening = tokens[start]
            return self.create(tokens, start + 1)

        begun, self.begun = self.begun, []
        if self.opening is not None and word(tokens[at]) not in ("SELECT", "("):
            begun = [*begun, self.opening]

        self.opening = None
        self.simple([*begun, *tokens[at:end]])
        return end + 1

    # -- routines ----------------------------------------------------------------------------------

    def create(self, tokens: Tokens, at: int) -> int:
        """Read CREATE.

        CREATE FUNCTION f(a INT) …, CREATE PACKAGE BODY p AS …; any other CREATE is a statement
        """
        found = header(self, tokens, at)
        if found is None:
            self.declare_type(tokens[at : self.end_of(tokens, at)])
            return self.job(tokens, at)

        routine, body = found
        if routine is None:
            return body

        return self.routine_body(routine, tokens, at, body)

    def job(self, tokens: Tokens, at: int) -> int:
        """Read a scheduled job.

        CREATE TASK t SCHEDULE = '1 minute' AS INSERT …, CREATE EVENT e ON SCHEDULE … DO INSERT …
        """
        kind = find_word(tokens[: at + 5], JOBS, at + 1)
        if kind < 0:
            return at

        opening = find_outside(tokens, at, JOBS[word(tokens[kind])])
        if opening <= at:
            return at

        return opening + 1

    def with_function(self, tokens: Tokens, at: int) -> int:
        """WITH FUNCTION f(n NUMBER) RETURN NUMBER IS BEGIN … END; SELECT …      Oracle"""
        if not opens_functions(tokens, at):
            return at

        self.opening = tokens[at]
        return self.create(tokens, at + 1)

    def replace_routine(self, tokens: Tokens, at: int) -> int:
        """REPLACE PROCEDURE p …, REPLACE MACRO m …      Teradata"""
        if kind_of(tokens, at) < 0:
            return at

        return self.create(tokens, at)

    def nested_routine(self, tokens: Tokens, at: int) -> int:
        """Read a routine inside another one.

        PROCEDURE p IS … in a package or in declarations
        """
        return self.create(tokens, at)


def opens_functions(tokens: Tokens, at: int) -> bool:
    """WITH FUNCTION f …, WITH PROCEDURE p …      Oracle: functions of one statement"""
    return word(tokens[at]) == "WITH" and word_at(tokens, at + 1) in ("FUNCTION", "PROCEDURE")


STEPS: dict[str, Callable[[Blocks, Tokens, int], int]] = {
    "BEGIN": Blocks.begin,
    "END": Blocks.end,
    "IF": Blocks.if_,
    "ELSE": Blocks.else_,
    "ELSIF": Blocks.else_,
    "ELSEIF": Blocks.else_,
    "CASE": Blocks.case,
    "WHEN": Blocks.when,
    "EXCEPTION": Blocks.exception,
    "LOOP": Blocks.loop,
    "REPEAT": Blocks.loop,
    "WHILE": Blocks.while_,
    "UNTIL": Blocks.until,
    "FOR": Blocks.for_,
    "FOREACH": Blocks.for_,
    "FORALL": Blocks.forall,
    "DECLARE": Blocks.declare,
    "CREATE": Blocks.create,
    "REPLACE": Blocks.replace_routine,
    "WITH": Blocks.with_function,
    "PROCEDURE": Blocks.nested_routine,
    "FUNCTION": Blocks.nested_routine,
}
"""The reader of each construct, by its first word."""


def past_label(tokens: Tokens, at: int) -> int:
    """Skip a label.

    <<outer>>, outer: LOOP      where the label ends; `at`, if none is there
    """
    if tokens[at].token_type is TokenType.LT:
        if kind_at(tokens, at + 1) is TokenType.LT and at + 4 < len(tokens):
            return at + 5

        return at

    if at + 2 >= len(tokens):
        return at

    if word(tokens[at]) == "<<":
        return at + 3

    has_colon = is_name(tokens[at]) and tokens[at + 1].token_type is TokenType.COLON
    if has_colon and word_at(tokens, at + 2) in LABELLED:
        return at + 2

    return at
