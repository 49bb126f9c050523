"""T-SQL: statements end where the next one starts, variables have an @, a procedure reaches to the
end of its batch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.procedural.boundaries import STARTERS, end_of
from lineal.extract.sql.procedural.detection import kind_of
from lineal.extract.sql.procedural.dynamic import constant
from lineal.extract.sql.procedural.flow import Body, Construct
from lineal.extract.sql.procedural.header import parameters
from lineal.extract.sql.procedural.pieces import Routine
from lineal.extract.sql.procedural.text import (
    CLOSE,
    OPEN,
    SEMICOLON,
    closing,
    items,
    made,
    tokens_of,
    vocabulary,
    word,
)
from lineal.extract.sql.procedural.walker import Held, Tokens, Walker, is_name, placed_at
from lineal.extract.sql.reading import Reading
from lineal.model.diagnostic import Code

SILENT = vocabulary(
    """
    PRINT RAISERROR THROW GRANT DENY REVOKE CLOSE DEALLOCATE COMMIT ROLLBACK SAVE BREAK CONTINUE GOTO
    WAITFOR DBCC BACKUP RESTORE KILL CHECKPOINT RECONFIGURE OPEN
    """
)
"""Statements that move no data."""


class Open(NamedTuple):
    """BEGIN waits for END; IF and WHILE wait for one statement."""

    kind: str
    construct: Construct
    at: Token


class TSql(Walker):
    """A walk from statement to statement."""

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self.stack: list[Open] = []
        self.table_variables: set[str] = set()
        self.held: Held | None = None

    def walk(self, tokens: Tokens) -> None:
        height = len(self.stack)
        at = 0
        while at < len(tokens):
            at = self.step(tokens, at)
        self.close(height)
        if not self.strings and height == 0:
            self.end_batch()

    def close(self, height: int) -> None:
        while len(self.stack) > height:
            left = self.stack.pop()
            self.body.leave(left.construct)
            if left.kind in ("BEGIN", "TRY", "CATCH"):
                self.report(Code.PARSE_ERROR, "this BEGIN has no END", left.at)

    def end_batch(self) -> None:
        """GO      ends a procedure, and the life of every variable"""
        self.close(0)
        if self.held is not None:
            self.end_routine(self.held)
            self.held = None
        self.body, self.cursors, self.table_variables = Body(), {}, set()
        self.in_block = False

    def step(self, tokens: Tokens, at: int) -> int:
        token = tokens[at]
        self._here = token
        if token.token_type is SEMICOLON:
            if self.text[token.start] in "gG":
                self.end_batch()
            return at + 1
        first = word(token)
        handler = STEPS.get(first)
        if handler is not None:
            return handler(self, tokens, at)
        if at + 1 < len(tokens) and tokens[at + 1].token_type is TokenType.COLON and is_name(token):
            return at + 2
        end = end_of(tokens, at)
        self.simple(tokens[at:end])
        self.done(tokens, end)
        return self.past(tokens, end)

    # -- where a statement ends --------------------------------------------------------------------

    def past(self, tokens: Tokens, at: int) -> int:
        """The statement's own semicolon; a GO is left to end the batch."""
        if (
            at < len(tokens)
            and tokens[at].token_type is SEMICOLON
            and self.text[tokens[at].start] == ";"
        ):
            return at + 1
        return at

    # -- constructs --------------------------------------------------------------------------------

    def done(self, tokens: Tokens, at: int) -> None:
        """A statement has ended: so has the IF or WHILE that waited for it, unless ELSE follows."""
        at = self.past(tokens, at)
        following = word(tokens[at]) if at < len(tokens) else ""
        while self.stack and self.stack[-1].kind in ("IF", "ELSE", "WHILE"):
            left = self.stack[-1]
            if left.kind == "IF" and following == "ELSE":
                return
            self.stack.pop()
            self.body.leave(left.construct)

    def begin(self, tokens: Tokens, at: int) -> int:
        """BEGIN, BEGIN TRY, BEGIN CATCH; BEGIN TRANSACTION is a statement"""
        following = word(tokens[at + 1]) if at + 1 < len(tokens) else ""
        if following in ("TRAN", "TRANSACTION", "DISTRIBUTED", "DIALOG", "CONVERSATION"):
            end = end_of(tokens, at)
            self.done(tokens, end)
            return self.past(tokens, end)
        if following == "CATCH" and self.stack and self.stack[-1].kind == "TRIED":
            left = self.stack.pop()
            self.body.handlers(left.construct)
            left.construct.exhaustive = True
            self.stack.append(Open("CATCH", left.construct, tokens[at]))
            return at + 2
        kind = following if following in ("TRY", "CATCH") else "BEGIN"
        self.stack.append(Open(kind, self.body.enter(), tokens[at]))
        return at + (1 if kind == "BEGIN" else 2)

    def end(self, tokens: Tokens, at: int) -> int:
        """END, END TRY, END CATCH"""
        following = word(tokens[at + 1]) if at + 1 < len(tokens) else ""
        after = at + (2 if following in ("TRY", "CATCH", "CONVERSATION") else 1)
        while self.stack and self.stack[-1].kind in ("IF", "ELSE", "WHILE"):
            self.body.leave(self.stack.pop().construct)
        if not self.stack:
            self.report(Code.PARSE_ERROR, "this END has no BEGIN", tokens[at])
            return self.past(tokens, after)
        left = self.stack.pop()
        if left.kind == "TRY" and self.follows(tokens, after, ("BEGIN", "CATCH")):
            self.stack.append(Open("TRIED", left.construct, left.at))
            return self.past(tokens, after)
        self.body.leave(left.construct)
        self.done(tokens, after)
        return self.past(tokens, after)

    def follows(self, tokens: Tokens, at: int, words: tuple[str, ...]) -> bool:
        at = self.past(tokens, at)
        return [word(token) for token in tokens[at : at + len(words)]] == list(words)

    def if_(self, tokens: Tokens, at: int) -> int:
        """IF EXISTS (…)      the next statement is its branch"""
        end = end_of(tokens, at)
        self.stack.append(Open("IF", self.body.enter(conditional=True), tokens[at]))
        return end

    def else_(self, tokens: Tokens, at: int) -> int:
        if self.stack and self.stack[-1].kind == "IF":
            left = self.stack.pop()
            self.body.branch(left.construct)
            left.construct.exhaustive = True
            self.stack.append(Open("ELSE", left.construct, left.at))
        else:
            self.report(Code.PARSE_ERROR, "this ELSE has no IF", tokens[at])
        return at + 1

    def while_(self, tokens: Tokens, at: int) -> int:
        """WHILE @i < 10      the next statement is its body"""
        end = end_of(tokens, at)
        self.stack.append(Open("WHILE", self.body.enter(loops=True), tokens[at]))
        return end

    # -- statements --------------------------------------------------------------------------------

    def simple(self, tokens: Tokens) -> None:
        first = word(tokens[0])
        handler = SIMPLE.get(first)
        if handler is not None:
            handler(self, tokens)
        elif first in SILENT:
            return
        elif (
            first == ""
            or first in STARTERS
            or tokens[0].token_type in (OPEN,)
            or not is_name(tokens[0])
        ):
            self.sql(self.with_tables(tokens))
        else:
            self.sql(tokens)

    def with_tables(self, tokens: Tokens) -> Tokens:
        """INSERT INTO @t      a table variable is a table that is called @t"""
        if not self.table_variables:
            return tokens
        found: Tokens = []
        for token in tokens:
            before = found[-1] if found else None
            if (
                before is not None
                and before.token_type is TokenType.PARAMETER
                and token.text.lower() in self.table_variables
            ):
                found[-1] = Token(
                    TokenType.IDENTIFIER,
                    f"@{token.text}",
                    before.line,
                    before.col,
                    before.start,
                    token.end,
                )
            else:
                found.append(token)
        return found

    def declare(self, tokens: Tokens) -> None:
        """DECLARE @x INT = 1, @t TABLE (a INT), c CURSOR FOR SELECT …"""
        if len(tokens) > 2 and is_name(tokens[1]):
            start = next((i for i, token in enumerate(tokens) if word(token) == "FOR"), len(tokens))
            self.declare_cursor(self.key(tokens[1]), self.with_tables(tokens[start + 1 :]))
            return
        for item in items(tokens[1:]):
            key, after = self.variable_at(item, 0)
            if not key.startswith("@"):
                continue
            if after < len(item) and word(item[after]) == "AS":
                after += 1
            if after < len(item) and word(item[after]) == "TABLE":
                self.table_variable(item, after)
                continue
            self.body.declare(key)
            value = next(
                (i for i in range(after, len(item)) if item[i].token_type is TokenType.EQ),
                len(item),
            )
            self.assign(key, self.with_tables(item[value + 1 :]))

    def table_variable(self, item: Tokens, table: int) -> None:
        """@t TABLE (a INT)      CREATE TABLE @t (a INT)"""
        name = item[1]
        self.table_variables.add(name.text.lower())
        identifier = Token(
            TokenType.IDENTIFIER, f"@{name.text}", name.line, name.col, item[0].start, name.end
        )
        self.sql(
            [made(TokenType.CREATE, "CREATE", item[0]), item[table], identifier, *item[table + 1 :]]
        )

    def set_(self, tokens: Tokens) -> None:
        """SET @x = 1, SET @x += 1; SET NOCOUNT ON"""
        key, after = self.variable_at(tokens, 1)
        if not key.startswith("@") or after >= len(tokens):
            return
        if tokens[after].token_type is TokenType.EQ:
            value = tokens[after + 1 :]
            if value and word(value[0]) == "CURSOR":
                start = next(
                    (i for i, token in enumerate(value) if word(token) == "FOR"), len(value)
                )
                self.declare_cursor(key, self.with_tables(value[start + 1 :]))
            else:
                self.assign(key, self.with_tables(value))
        elif after + 1 < len(tokens) and tokens[after + 1].token_type is TokenType.EQ:
            self.assign(
                key, [*tokens[1:after], tokens[after], *self.with_tables(tokens[after + 2 :])]
            )

    def select(self, tokens: Tokens) -> None:
        """SELECT @x = a, @y = b FROM t; a SELECT that stands alone is a result"""
        targets, query = self.assigned(tokens)
        if targets:
            self.take(targets, self.with_tables(query))
            return
        piece = self.sql(self.with_tables(tokens))
        if piece is not None and self.routine is not None and stands_alone(piece.tree):
            self.routine.selects.append(piece)

    def assigned(self, tokens: Tokens) -> tuple[list[str], Tokens]:
        """SELECT @x = a, @y += b FROM t      @x, @y, and SELECT a, @y + b FROM t"""
        if word(tokens[0]) != "WITH":
            start = next((i for i, token in enumerate(tokens) if word(token) == "SELECT"), 0)
        else:
            start = -1
        if start < 0:
            start = main_select(tokens)
        first = start + 1
        while first < len(tokens) and word(tokens[first]) in ("DISTINCT", "ALL"):
            first += 1
        if first < len(tokens) and word(tokens[first]) == "TOP":
            if tokens[first + 1].token_type is OPEN:
                first = closing(tokens, first + 1, len(tokens)) + 1
            else:
                first = first + 2
        if first >= len(tokens) or tokens[first].token_type is not TokenType.PARAMETER:
            return [], tokens
        end = self.list_end(tokens, first)
        targets: list[str] = []
        query = tokens[:first]
        for item in items(tokens[first:end]):
            key, after = self.variable_at(item, 0)
            if not key.startswith("@") or after >= len(item):
                return [], tokens
            if item[after].token_type is TokenType.EQ:
                value = item[after + 1 :]
            elif after + 1 < len(item) and item[after + 1].token_type is TokenType.EQ:
                value = [*item[:after], item[after], *item[after + 2 :]]
            else:
                return [], tokens
            query = [*query, *([made(TokenType.COMMA, ",", item[0])] if targets else []), *value]
            targets.append(key)
        return targets, [*query, *tokens[end:]]

    def list_end(self, tokens: Tokens, at: int) -> int:
        depth = 0
        for position in range(at, len(tokens)):
            kind = tokens[position].token_type
            depth += kind is OPEN
            depth -= kind is CLOSE
            if depth == 0 and word(tokens[position]) in (
                "FROM",
                "WHERE",
                "ORDER BY",
                "GROUP BY",
                "OPTION",
                "FOR",
                "UNION",
            ):
                return position
        return len(tokens)

    def insert(self, tokens: Tokens) -> None:
        """INSERT INTO t EXEC p      the rows that p gives back"""
        depth = 0
        for position, token in enumerate(tokens):
            depth += token.token_type is OPEN
            depth -= token.token_type is CLOSE
            if depth == 0 and word(token) in ("EXEC", "EXECUTE"):
                parts, after = self.name_at(tokens, position + 1)
                if (
                    not parts
                    or parts[-1].text.lower() == "sp_executesql"
                    or token.token_type is OPEN
                ):
                    self.report(Code.DYNAMIC, "the statement is built when it runs", token)
                    return
                self.call(tokens[position + 1 :])
                star = [made(TokenType.SELECT, "SELECT", token), made(TokenType.STAR, "*", token)]
                query = [*star, made(TokenType.FROM, "FROM", token), *tokens[position + 1 : after]]
                self.sql(self.with_tables([*tokens[:position], *query]))
                return
        self.sql(self.with_tables(tokens))

    def fetch(self, tokens: Tokens) -> None:
        """FETCH NEXT FROM c INTO @x, @y"""
        before, targets = self.without_into(tokens)
        name, _ = self.variable_at(before, len(before) - 1)
        if len(before) > 1 and before[-2].token_type is TokenType.PARAMETER:
            name = f"@{before[-1].text.lower()}"
        cursor = self.cursors.get(name)
        if cursor is not None:
            self.take_from(targets, cursor)

    def exec_(self, tokens: Tokens) -> None:
        """EXEC p @x, EXEC @r = p, EXEC (@sql), EXEC sp_executesql N'…'"""
        rest = tokens[1:]
        if not rest:
            return
        if rest[0].token_type is TokenType.PARAMETER:
            key, after = self.variable_at(rest, 0)
            if after < len(rest) and rest[after].token_type is TokenType.EQ:
                rest = rest[after + 1 :]
            else:
                self.report(
                    Code.DYNAMIC, f"which procedure {key} names is known when it runs", tokens[0]
                )
                return
        if rest and rest[0].token_type is OPEN:
            close = closing(rest, 0, len(rest))
            self.execute(rest[1:close], tokens[0], [])
            return
        parts, after = self.name_at(rest, 0)
        if parts and parts[-1].text.lower() == "sp_executesql":
            arguments = items(rest[after:])
            if arguments:
                self.execute(named_argument(arguments[0]), tokens[0], [])
            return
        if (
            parts
            and parts[-1].text.lower() == "sp_rename"
            and len(names := items(rest[after:])) == 2
        ):
            self.rename(named_argument(names[0]), named_argument(names[1]), tokens[0])
            return
        self.call(rest)

    def rename(self, old: Tokens, new: Tokens, at: Token) -> None:
        """EXEC sp_rename 'dbo.t', 'u'      ALTER TABLE dbo.t RENAME TO u"""
        texts = [constant(each, self.body.now(), self) for each in (old, new)]
        if None not in texts:
            self.sql(
                placed_at(
                    at,
                    tokens_of(
                        f"ALTER TABLE {texts[0]} RENAME TO [{texts[1]}]", self.script.dialect
                    ),
                )
            )

    def return_(self, tokens: Tokens) -> None:
        """RETURN @x + 1, RETURN (SELECT …), RETURN"""
        routine = self.routine
        if routine is None or not routine.function or len(tokens) < 2:
            return
        value = self.with_tables(tokens[1:])
        if routine.table:
            while (
                value
                and value[0].token_type is OPEN
                and closing(value, 0, len(value)) == len(value) - 1
            ):
                value = value[1:-1]
            self.give_back(value)
        else:
            self.give_back([made(TokenType.SELECT, "SELECT", value[0]), *value])

    # -- routines ----------------------------------------------------------------------------------

    def create(self, tokens: Tokens, at: int) -> int:
        """CREATE OR ALTER PROCEDURE p @a INT = 1 AS …, CREATE FUNCTION f(@a INT) RETURNS …"""
        kind_at = kind_of(tokens, at)
        kind = word(tokens[kind_at]) if kind_at >= 0 else ""
        if kind not in ("PROC", "PROCEDURE", "FUNCTION", "TRIGGER"):
            end = end_of(tokens, at)
            self.sql(self.with_tables(tokens[at:end]))
            self.done(tokens, end)
            return self.past(tokens, end)
        parts, after = self.name_at(tokens, kind_at + 1)
        body = self.body_start(tokens, after)
        if not parts or body < 0:
            return end_of(tokens, at)
        self.end_batch()
        function = kind == "FUNCTION"
        name = ".".join(part.text for part in parts)
        routine = Routine(name, self.table_key(parts), function, Body())
        heading = tokens[after:body]
        if kind == "TRIGGER":
            self.held = self.begin_routine(routine)
            self.trigger(heading)
            return body + 1
        self.heading(routine, heading)
        self.held = self.begin_routine(routine)
        if routine.result:
            self.table_variables.add(routine.result)
            self.result_table(routine, heading)
        return body + 1

    def body_start(self, tokens: Tokens, at: int) -> int:
        """The AS after which the body starts."""
        depth = 0
        for position in range(at, len(tokens)):
            token = tokens[position]
            depth += token.token_type is OPEN
            depth -= token.token_type is CLOSE
            if token.token_type is SEMICOLON:
                return -1
            if (
                depth == 0
                and word(token) == "AS"
                and word(tokens[position - 1]) not in ("EXECUTE", "EXEC")
            ):
                before = tokens[position - 1]
                after_name = (
                    before.token_type is TokenType.VAR
                    and tokens[position - 2].token_type is TokenType.PARAMETER
                )
                if (
                    after_name
                    and position + 1 < len(tokens)
                    and word(tokens[position + 1]) not in STARTERS
                ):
                    continue  # @a AS INT
                return position
            if depth == 0 and word(token) == "BEGIN":
                return position - 1
        return -1

    def heading(self, routine: Routine, tokens: Tokens) -> None:
        """(@a INT, @b INT = 2 OUTPUT) RETURNS @t TABLE (x INT)"""
        returns = next(
            (i for i, token in enumerate(tokens) if word(token) == "RETURNS"), len(tokens)
        )
        listed = tokens[:returns]
        while (
            listed
            and listed[0].token_type is OPEN
            and closing(listed, 0, len(listed)) == len(listed) - 1
        ):
            listed = listed[1:-1]
        stop = next((i for i, token in enumerate(listed) if word(token) == "WITH"), len(listed))
        routine.parameters = [p for p in parameters(self, listed[:stop]) if p.key.startswith("@")]
        result = tokens[returns + 1 :]
        if result and result[0].token_type is TokenType.PARAMETER:
            routine.table, routine.result = True, result[1].text.lower()
        elif result and word(result[0]) == "TABLE":
            routine.table = True

    def result_table(self, routine: Routine, tokens: Tokens) -> None:
        """RETURNS @t TABLE (x INT)      what stands in @t at the end is the result"""
        start = (
            next((i for i, token in enumerate(tokens) if word(token) == "RETURNS"), len(tokens)) + 1
        )
        close = closing(tokens, start + 3, len(tokens))
        self.table_variable(tokens[start : close + 1], 2)

    def end_routine(self, held: Held) -> None:
        routine = self.routine
        if routine is not None and routine.result:
            at = self.here
            words = [(TokenType.SELECT, "SELECT"), (TokenType.STAR, "*"), (TokenType.FROM, "FROM"),
                     (TokenType.IDENTIFIER, f"@{routine.result}")]  # fmt: skip
            self.give_back([made(kind, text, at) for kind, text in words])
        super().end_routine(held)

    def trigger(self, tokens: Tokens) -> None:
        """CREATE TRIGGER g ON t AFTER INSERT      `inserted` and `deleted` have the columns of t"""
        on = next((i for i, token in enumerate(tokens) if word(token) == "ON"), -1)
        parts, after = self.name_at(tokens, on + 1)
        for name in ("inserted", "deleted"):
            star = [
                made(TokenType.SELECT, "SELECT", tokens[on]),
                made(TokenType.STAR, "*", tokens[on]),
            ]
            query = self.assignment(
                [*star, made(TokenType.FROM, "FROM", tokens[on]), *tokens[on + 1 : after]]
            )
            if query is not None and parts:
                self.body.tables[name] = query


STEPS: dict[str, Callable[[TSql, Tokens, int], int]] = {
    "BEGIN": TSql.begin,
    "END": TSql.end,
    "IF": TSql.if_,
    "ELSE": TSql.else_,
    "WHILE": TSql.while_,
    "CREATE": TSql.create,
    "ALTER": TSql.create,
}
SIMPLE: dict[str, Callable[[TSql, Tokens], None]] = {
    "DECLARE": TSql.declare,
    "SET": TSql.set_,
    "SELECT": TSql.select,
    "WITH": TSql.select,
    "INSERT": TSql.insert,
    "FETCH": TSql.fetch,
    "EXEC": TSql.exec_,
    "EXECUTE": TSql.exec_,
    "RETURN": TSql.return_,
}


def main_select(tokens: Tokens) -> int:
    """WITH c AS (…) SELECT      where SELECT stands"""
    depth = 0
    for position, token in enumerate(tokens):
        depth += token.token_type is OPEN
        depth -= token.token_type is CLOSE
        if depth == 0 and word(token) == "SELECT":
            return position
    return 0


def named_argument(tokens: Tokens) -> Tokens:
    """@stmt = N'…'"""
    if (
        len(tokens) > 3
        and tokens[0].token_type is TokenType.PARAMETER
        and tokens[2].token_type is TokenType.EQ
    ):
        return tokens[3:]
    return tokens


def stands_alone(tree: object) -> bool:
    from sqlglot import exp

    return isinstance(tree, exp.Query) and tree.args.get("into") is None
