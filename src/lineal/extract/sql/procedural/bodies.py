"""Bodies of routines in the languages with semicolons: blocks, strings, expressions.

CREATE FUNCTION f(a INT) RETURNS INT LANGUAGE sql AS $$ SELECT a + 1 $$
"""

from __future__ import annotations

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.dialects.procedures import (
    BODIES_AFTER_ARROW,
    CLASSES_IN_QUOTES,
    DECLARES_WITHOUT_KEYWORD,
)
from lineal.extract.sql.procedural.constructs import Constructs, Pending
from lineal.extract.sql.procedural.flow import Assignment
from lineal.extract.sql.procedural.header import parameters
from lineal.extract.sql.procedural.pieces import Routine, Trigger
from lineal.extract.sql.procedural.results import FOREIGN
from lineal.extract.sql.procedural.simple import SQL_WORDS
from lineal.extract.sql.procedural.text import (
    SEMICOLON,
    STRINGS,
    Tokens,
    as_select,
    find_kind,
    kind_at,
    select_all,
    skip_words,
    split_at,
    unwrap,
    word,
    word_at,
)
from lineal.extract.sql.procedural.triggers import give_rows

QUERIES = frozenset(("SELECT", "WITH", "VALUES", "FROM", "TABLE"))
"""First words of a body that is a query."""

BLOCKS = frozenset(("BEGIN", "DECLARE", "<<"))
"""First words of a body that is a block."""


class Bodies(Constructs):
    """A walker that enters the bodies of routines."""

    def routine_body(self, routine: Routine, tokens: Tokens, at: int, body: int) -> int:
        """Read the body of a routine, or enter the block that it is; returns the next position."""
        end = self.end_of(tokens, at)
        if routine.language in FOREIGN or self.is_class(tokens, body):
            self.report_foreign(routine, tokens[at])
            if routine.function:
                self.end_routine(self.begin_routine(routine))

            return end + 1

        string = find_kind(tokens[: body + 2], STRINGS, body)
        if string >= 0:
            self.string_body(routine, tokens[string])
            return max(end, string) + 1

        first = word_at(tokens, body)
        if first in ("BEGIN", "DECLARE") or self.declares_first(first):
            self.pending.append(Pending(self.begin_routine(routine), len(self.stack)))
            self.declaring = first != "BEGIN"
            return skip_words(tokens[: body + 1], body, ("DECLARE",))

        if body < end:
            self.expression_body(routine, self.after_arrow(routine, tokens[body:end]))

        return end + 1

    def declares_first(self, first: str) -> bool:
        """Tell whether declarations follow directly.

        FUNCTION f RETURN NUMBER IS x NUMBER; BEGIN      Oracle: declarations without a word
        """
        return self.script.dialect in DECLARES_WITHOUT_KEYWORD and first not in ("SELECT", "")

    def after_arrow(self, routine: Routine, tokens: Tokens) -> Tokens:
        """Read a ClickHouse function.

        CREATE FUNCTION f AS (a, b) -> a * b      ClickHouse: parameters, and then the body
        """
        if self.script.dialect not in BODIES_AFTER_ARROW:
            return tokens

        arrow = find_kind(tokens, (TokenType.ARROW,))
        if arrow < 0:
            return tokens

        routine.parameters = parameters(self, unwrap(tokens[:arrow]))
        return tokens[arrow + 1 :]

    def is_class(self, tokens: Tokens, body: int) -> bool:
        """Tell whether a body names a class.

        CREATE FUNCTION f AS 'com.example.F'      Hive, Spark: the name of a class
        """
        is_text = kind_at(tokens, body) is TokenType.STRING
        return is_text and self.script.dialect in CLASSES_IN_QUOTES

    def string_body(self, routine: Routine, token: Token) -> None:
        """Read a body in a string.

        AS $$ BEGIN … END $$, AS $$ SELECT … $$, AS 'a + b'
        """
        inner = self.body_tokens(token)
        if not inner:
            return

        is_block = word(inner[0]) in BLOCKS or inner[0].token_type is TokenType.LT
        if is_block or routine.language not in ("", "SQL"):
            self.walk_body(routine, inner)
            return

        while inner and inner[-1].token_type is SEMICOLON:
            inner.pop()

        self.expression_body(routine, inner)

    def walk_body(self, routine: Routine, tokens: Tokens) -> None:
        """Walk a block in a string, apart from the open constructs around it."""
        held = self.begin_routine(routine)
        stack, self.stack = self.stack, []
        pending, self.pending = self.pending, []
        self.strings += 1
        self.in_block = True
        self.walk(tokens)
        self.strings -= 1
        self.stack, self.pending = stack, pending
        self.end_routine(held)

    def expression_body(self, routine: Routine, tokens: Tokens) -> None:
        """Read a body that is an expression.

        AS (a + b), RETURN a + b, AS SELECT …, several statements of which the last is the result
        """
        held = self.begin_routine(routine)
        if word(tokens[0]) == "RETURN":
            tokens = tokens[1:]

        statements = list(filter(None, split_at(tokens, (SEMICOLON,))))
        for statement in statements[:-1]:
            self.simple(statement)

        for statement in statements[-1:]:
            self.last_statement(routine, statement)

        self.end_routine(held)

    def last_statement(self, routine: Routine, tokens: Tokens) -> None:
        """Read the last statement of a function.

        a + b, SELECT …, INSERT …      the result of a function, or the last thing it does
        """
        inner = unwrap(tokens)
        first = word(inner[0])
        if first in QUERIES:
            self.give_back(inner)
        elif first in SQL_WORDS or not routine.function:
            self.simple(tokens)
        else:
            self.give_back(as_select(tokens))

    # -- triggers ----------------------------------------------------------------------------------

    def give_trigger_rows(
        self, routine: Routine, table: Tokens, names: tuple[str, ...] = (), before: bool = False
    ) -> None:
        """Define NEW and OLD in the body of a trigger.

        CREATE TRIGGER … ON t BEGIN …      NEW and OLD are rows of t
        """
        row = self.rows_of(table)
        if row is not None:
            give_rows(routine, row, names, before)

    def link_trigger(
        self, function: Tokens, table: Tokens, names: tuple[str, ...], before: bool
    ) -> None:
        """Link a trigger to the function that it executes.

        CREATE TRIGGER … ON t EXECUTE FUNCTION f()      what f calls NEW and OLD are rows of t

        f may be defined later, or in another script: it is looked up when all of them have been
        read.
        """
        parts, _ = self.name_at(function, 0)
        if not parts or not table:
            return

        row = self.rows_of(table)
        if row is not None:
            self.found.triggers.append(Trigger(self.table_key(parts), row, names, before))

    def rows_of(self, table: Tokens) -> Assignment | None:
        """Return a query over all rows of a table.

        SELECT * FROM t
        """
        return self.assignment(select_all(table, table[0]))
