"""T-SQL: statements end where the next one starts, variables have an @, a procedure reaches to the
end of its batch.

The classes build on each other:

    boundaries        where a statement ends
    tsql_statements   statements that hold no other
    tsql_routines     headings of procedures, functions and triggers
    tsql              the walk, and BEGIN, IF, WHILE, TRY
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.procedural.boundaries import end_of
from lineal.extract.sql.procedural.detection import kind_of
from lineal.extract.sql.procedural.flow import Body, Construct
from lineal.extract.sql.procedural.header import schema_of
from lineal.extract.sql.procedural.pieces import Routine
from lineal.extract.sql.procedural.results import Held
from lineal.extract.sql.procedural.text import (
    SEMICOLON,
    Tokens,
    closing_parenthesis,
    is_name,
    kind_at,
    word,
    word_at,
)
from lineal.extract.sql.procedural.tsql_routines import TSqlRoutines, body_start
from lineal.extract.sql.reading import Reading
from lineal.model.diagnostic import Code

BLOCKS = frozenset(("BEGIN", "TRY", "CATCH"))
"""Constructs that wait for an END."""

ONE_STATEMENT = frozenset(("IF", "ELSE", "WHILE"))
"""Constructs that wait for one statement."""

TRANSACTIONS = frozenset(("TRAN", "TRANSACTION", "DISTRIBUTED", "DIALOG", "CONVERSATION"))
"""BEGIN TRANSACTION      a statement, and no block"""

ROUTINES = frozenset(("PROC", "PROCEDURE", "FUNCTION", "TRIGGER"))


class Open(NamedTuple):
    """BEGIN waits for END; IF and WHILE wait for one statement."""

    kind: str
    construct: Construct
    at: Token


class TSql(TSqlRoutines):
    """A walk from statement to statement."""

    def __init__(self, reading: Reading) -> None:
        """Start outside any block."""
        super().__init__(reading)
        self.stack: list[Open] = []
        self.held: Held | None = None

    def walk(self, tokens: Tokens) -> None:
        """Read all statements; the end of the script ends its last batch."""
        height = len(self.stack)
        at = 0
        while at < len(tokens):
            at = self.step(tokens, at)

        self.close(height)
        if not self.strings and height == 0:
            self.end_batch()

    def close(self, height: int) -> None:
        """Leave the constructs that are open above a height; a BEGIN among them is reported."""
        while len(self.stack) > height:
            left = self.stack.pop()
            self.body.leave(left.construct)
            if left.kind in BLOCKS:
                self.report(Code.PARSE_ERROR, "this BEGIN has no END", left.at)

    def end_batch(self) -> None:
        """End a batch.

        GO      ends a procedure, and the life of every variable
        """
        self.close(0)
        if self.held is not None:
            self.end_routine(self.held)
            self.held = None

        self.body, self.cursors, self.table_variables = Body(), {}, set()
        self.in_block = False

    def step(self, tokens: Tokens, at: int) -> int:
        """Read one statement, or the opening of a construct."""
        token = self.here = tokens[at]
        if token.token_type is SEMICOLON:
            if self.text[token.start] in "gG":
                self.end_batch()

            return at + 1

        handler = STEPS.get(word(token))
        if handler is not None:
            return handler(self, tokens, at)

        if kind_at(tokens, at + 1) is TokenType.COLON and is_name(token):
            return at + 2

        end = end_of(tokens, at)
        self.simple(tokens[at:end])
        return self.finish(tokens, end)

    # -- where a statement ends --------------------------------------------------------------------

    def past(self, tokens: Tokens, at: int) -> int:
        """The statement's own semicolon; a GO is left to end the batch."""
        if kind_at(tokens, at) is SEMICOLON and self.text[tokens[at].start] == ";":
            return at + 1

        return at

    def finish(self, tokens: Tokens, end: int) -> int:
        """End a statement, and what waited for it; returns where the next one starts."""
        self.done(tokens, end)
        return self.past(tokens, end)

    def done(self, tokens: Tokens, at: int) -> None:
        """A statement has ended: so has the IF or WHILE that waited for it, unless ELSE follows."""
        following = word_at(tokens, self.past(tokens, at))
        while self.innermost in ONE_STATEMENT:
            if self.innermost == "IF" and following == "ELSE":
                return

            self.body.leave(self.stack.pop().construct)

    @property
    def innermost(self) -> str:
        """The kind of the innermost construct; '' outside all."""
        if self.stack:
            return self.stack[-1].kind

        return ""

    # -- constructs --------------------------------------------------------------------------------

    def begin(self, tokens: Tokens, at: int) -> int:
        """Read BEGIN.

        BEGIN, BEGIN ATOMIC WITH (…), BEGIN TRY, BEGIN CATCH; BEGIN TRANSACTION is a statement
        """
        following = word_at(tokens, at + 1)
        if following in TRANSACTIONS:
            return self.finish(tokens, end_of(tokens, at))

        if following == "CATCH" and self.innermost == "TRIED":
            left = self.stack.pop()
            self.body.handlers(left.construct)
            left.construct.exhaustive = True
            self.stack.append(Open("CATCH", left.construct, tokens[at]))
            return at + 2

        if following in ("TRY", "CATCH"):
            self.stack.append(Open(following, self.body.enter(), tokens[at]))
            return at + 2

        self.stack.append(Open("BEGIN", self.body.enter(), tokens[at]))
        if following == "ATOMIC" and word_at(tokens, at + 2) == "WITH":
            return closing_parenthesis(tokens, at + 3, len(tokens)) + 1

        return at + 1

    def end(self, tokens: Tokens, at: int) -> int:
        """Read END.

        END, END TRY, END CATCH
        """
        after = at + 1
        if word_at(tokens, after) in ("TRY", "CATCH", "CONVERSATION"):
            after += 1

        while self.innermost in ONE_STATEMENT:
            self.body.leave(self.stack.pop().construct)

        if not self.stack:
            self.report(Code.PARSE_ERROR, "this END has no BEGIN", tokens[at])
            return self.past(tokens, after)

        left = self.stack.pop()
        if left.kind == "TRY" and self.catch_follows(tokens, after):
            self.stack.append(Open("TRIED", left.construct, left.at))
            return self.past(tokens, after)

        self.body.leave(left.construct)
        return self.finish(tokens, after)

    def catch_follows(self, tokens: Tokens, at: int) -> bool:
        """Tell whether CATCH follows.

        END TRY BEGIN CATCH
        """
        at = self.past(tokens, at)
        return (word_at(tokens, at), word_at(tokens, at + 1)) == ("BEGIN", "CATCH")

    def if_(self, tokens: Tokens, at: int) -> int:
        """Read IF.

        IF EXISTS (…)      the next statement is its branch
        """
        end = end_of(tokens, at)
        self.stack.append(Open("IF", self.body.enter(conditional=True), tokens[at]))
        return end

    def else_(self, tokens: Tokens, at: int) -> int:
        """Read ELSE.

        ELSE      the other branch of the IF before
        """
        if self.innermost != "IF":
            self.report(Code.PARSE_ERROR, "this ELSE has no IF", tokens[at])
            return at + 1

        left = self.stack.pop()
        self.body.branch(left.construct)
        left.construct.exhaustive = True
        self.stack.append(Open("ELSE", left.construct, left.at))
        return at + 1

    def while_(self, tokens: Tokens, at: int) -> int:
        """Read WHILE.

        WHILE @i < 10      the next statement is its body
        """
        end = end_of(tokens, at)
        self.stack.append(Open("WHILE", self.body.enter(loops=True), tokens[at]))
        return end

    # -- routines ----------------------------------------------------------------------------------

    def create(self, tokens: Tokens, at: int) -> int:
        """Read CREATE.

        CREATE OR ALTER PROCEDURE p @a INT = 1 AS …, CREATE FUNCTION f(@a INT) RETURNS …
        """
        kind_position = kind_of(tokens, at)
        kind = word(tokens[kind_position]) if kind_position >= 0 else ""
        if kind not in ROUTINES:
            end = end_of(tokens, at)
            self.sql(self.with_tables(tokens[at:end]))
            return self.finish(tokens, end)

        parts, after = self.name_at(tokens, kind_position + 1)
        body = body_start(tokens, after)
        if not parts or body < 0:
            return end_of(tokens, at)

        self.end_batch()
        name = ".".join(part.text for part in parts)
        routine = Routine(name, self.table_key(parts), kind == "FUNCTION", Body())
        routine.body.schema = schema_of(parts)
        heading = tokens[after:body]
        if kind == "TRIGGER":
            self.held = self.begin_routine(routine)
            self.trigger(heading)
            return body + 1

        self.heading(routine, heading)
        self.held = self.begin_routine(routine)
        if routine.result:
            self.result_table(routine, heading)

        return body + 1


STEPS: dict[str, Callable[[TSql, Tokens, int], int]] = {
    "BEGIN": TSql.begin,
    "END": TSql.end,
    "IF": TSql.if_,
    "ELSE": TSql.else_,
    "WHILE": TSql.while_,
    "CREATE": TSql.create,
    "ALTER": TSql.create,
}
"""The reader of each construct, by its first word."""
