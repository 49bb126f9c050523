"""Languages whose statements end with a semicolon: PL/pgSQL, PL/SQL, Snowflake, BigQuery, MySQL,
Databricks.

BEGIN … END, IF … THEN … END IF, LOOP, WHILE, FOR, CASE, EXCEPTION: the statements inside are found,
and the variables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.dialects.procedures import (
    BODIES_AFTER_ARROW,
    CLASSES_IN_QUOTES,
    DECLARES_BEFORE_BEGIN,
    DECLARES_WITHOUT_KEYWORD,
)
from lineal.extract.sql.procedural.flow import Assignment, Body, Construct
from lineal.extract.sql.procedural.header import header, parameters
from lineal.extract.sql.procedural.pieces import Routine, Trigger
from lineal.extract.sql.procedural.simple import OUTSIDE, SQL_WORDS, Simple, unwrapped
from lineal.extract.sql.procedural.text import (
    CLOSE,
    OPEN,
    SEMICOLON,
    STRINGS,
    made,
    vocabulary,
    word,
)
from lineal.extract.sql.procedural.triggers import give_rows, test_of_table
from lineal.extract.sql.procedural.walker import FOREIGN, Held, Tokens, is_name
from lineal.extract.sql.reading import Reading
from lineal.model.diagnostic import Code

TRANSACTIONS = vocabulary(
    """
    TRANSACTION TRAN WORK READ ISOLATION DEFERRED IMMEDIATE EXCLUSIVE NAME
    """
)
DEEPEST_BLOCKS = 5_000
END_OF_LOOP = frozenset(("LOOP", "DO"))
THEN, WHEN = frozenset(("THEN",)), frozenset(("WHEN",))
DML = frozenset(("INSERT", "UPDATE", "DELETE", "MERGE", "SELECT", "WITH", "EXECUTE"))
"""DECLARE opens a list of declarations that ends with BEGIN; elsewhere each has a DECLARE of its
own.
"""


class Open(NamedTuple):
    """A construct that waits for its END."""

    kind: str
    construct: Construct
    at: Token
    routine: Held | None = None


class Blocks(Simple):
    """A walk from statement to statement; what is open stands on a stack of its own."""

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self.stack: list[Open] = []
        self.script_body = self.body
        self.declaring = False
        self.pending: Held | None = None
        """the routine whose block is about to open"""

    def walk(self, tokens: Tokens) -> None:
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
        """One statement, or the opening of a construct."""
        token = tokens[at]
        self._here = token
        if token.token_type is SEMICOLON or self.separates(tokens, at):
            return at + 1
        first = word(token)
        if self.declaring and first not in ("BEGIN", "FUNCTION", "PROCEDURE", "END"):
            end = self.end_of(tokens, at)
            self.declaration(tokens[at:end])
            return end + 1
        handler = STEPS.get(first)
        if handler is not None and (self.in_block or first in OUTSIDE):
            following = handler(self, tokens, at)
            if following > at:
                return following
        label = self.label(tokens, at)
        if label:
            return label
        end = self.end_of(tokens, at)
        self.simple(tokens[at:end])
        return end + 1

    def separates(self, tokens: Tokens, at: int) -> bool:
        """/ on a line of its own ends a unit in Oracle's tools"""
        token = tokens[at]
        return token.token_type is TokenType.SLASH and alone(tokens, at)

    def label(self, tokens: Tokens, at: int) -> int:
        """<<outer>>, outer: LOOP"""
        if (
            tokens[at].token_type is TokenType.LT
            and at + 4 < len(tokens)
            and tokens[at + 1].token_type is TokenType.LT
        ):
            return at + 5
        if word(tokens[at]) == "<<" and at + 2 < len(tokens):
            return at + 3
        if (
            at + 2 < len(tokens)
            and is_name(tokens[at])
            and tokens[at + 1].token_type is TokenType.COLON
            and word(tokens[at + 2]) in ("LOOP", "WHILE", "FOR", "REPEAT", "BEGIN")
        ):
            return at + 2
        return 0

    def end_of(self, tokens: Tokens, at: int) -> int:
        """Where the statement ends: the next semicolon, or the end of the text."""
        for position in range(at, len(tokens)):
            token = tokens[position]
            if token.token_type is SEMICOLON:
                return position
            if token.token_type is TokenType.SLASH and position > at and alone(tokens, position):
                return position
        return len(tokens)

    # -- constructs --------------------------------------------------------------------------------

    def push(self, kind: str, at: Token, loops: bool = False, routine: Held | None = None) -> None:
        self.stack.append(Open(kind, self.body.enter(loops, kind in ("IF", "CASE")), at, routine))

    def pop(self) -> str:
        """The innermost construct ends; with it the handlers that stand in it, and the routine
        whose body it was.
        """
        left = self.stack.pop()
        if left.kind == "HANDLERS":
            left = self.stack.pop()
        self.body.leave(left.construct)
        if left.routine is ANONYMOUS:
            self.body, self.in_block = self.script_body, False
        elif left.routine is not None:
            self.end_routine(left.routine)
            self.declaring = bool(self.stack) and self.stack[-1].kind == "PACKAGE"
        return left.kind

    def begin(self, tokens: Tokens, at: int) -> int:
        """BEGIN, BEGIN ATOMIC, BEGIN NOT ATOMIC; BEGIN TRANSACTION is a statement"""
        following = word(tokens[at + 1]) if at + 1 < len(tokens) else ";"
        if following in TRANSACTIONS or (
            following in (";", "") and not self.in_block and self.pending is None
        ):
            return self.end_of(tokens, at) + 1
        if len(self.stack) >= DEEPEST_BLOCKS:
            return at + 1
        routine, self.pending = self.pending, None
        self.declaring = False
        if not self.in_block:
            self.in_block = True
            self.stack.append(Open("BEGIN", self.body.enter(), tokens[at], ANONYMOUS))
        else:
            self.push("BEGIN", tokens[at], routine=routine)
        at += 1
        while at < len(tokens) and word(tokens[at]) in ("ATOMIC", "NOT"):
            at += 1
        return at

    def end(self, tokens: Tokens, at: int) -> int:
        """END, END IF, END LOOP outer"""
        end = self.end_of(tokens, at)
        if not self.stack:
            return end + 1
        self.pop()
        return end + 1

    def if_(self, tokens: Tokens, at: int) -> int:
        """IF a > 1 THEN"""
        then = self.find(tokens, at + 1, THEN)
        if then < 0:
            return at
        self.push("IF", tokens[at])
        self.test_table(tokens[at + 1 : then])
        return then + 1

    def test_table(self, condition: Tokens) -> None:
        """IF TG_TABLE_NAME = 't' THEN      what stands in this arm runs for t only"""
        test = test_of_table(condition)
        if test is not None:
            self.body.test_table(self.stack[-1].construct, test)

    def else_(self, tokens: Tokens, at: int) -> int:
        """ELSE, ELSIF b THEN"""
        if not self.stack or self.stack[-1].kind not in ("IF", "CASE"):
            return at
        construct = self.stack[-1].construct
        self.body.branch(construct)
        if word(tokens[at]) == "ELSE":
            construct.exhaustive = True
            self.body.test_others(construct)
            return at + 1
        then = self.find(tokens, at + 1, THEN)
        if then < 0:
            return at + 1
        self.test_table(tokens[at + 1 : then])
        return then + 1

    def case(self, tokens: Tokens, at: int) -> int:
        """CASE x WHEN 1 THEN …; END CASE;"""
        when = self.find(tokens, at + 1, WHEN)
        if when < 0:
            return at
        then = self.find(tokens, when + 1, THEN)
        if then < 0:
            return at
        self.push("CASE", tokens[at])
        return then + 1

    def when(self, tokens: Tokens, at: int) -> int:
        """WHEN 2 THEN, WHEN OTHERS THEN"""
        then = self.find(tokens, at + 1, THEN)
        if then < 0 or not self.stack:
            return at
        left = self.stack[-1]
        if left.kind == "CASE":
            self.body.branch(left.construct)
        elif left.kind == "HANDLERS":
            self.body.handlers(self.stack[-2].construct)
        return then + 1

    def exception(self, tokens: Tokens, at: int) -> int:
        """EXCEPTION WHEN OTHERS THEN"""
        if not self.stack or self.stack[-1].kind != "BEGIN":
            return at
        left = self.stack[-1]
        self.stack.append(Open("HANDLERS", left.construct, tokens[at]))
        left.construct.exhaustive = True
        return at + 1

    def loop(self, tokens: Tokens, at: int) -> int:
        """LOOP, REPEAT"""
        self.push(word(tokens[at]), tokens[at], loops=True)
        return at + 1

    def while_(self, tokens: Tokens, at: int) -> int:
        """WHILE a > 1 LOOP, WHILE a > 1 DO"""
        do = self.find(tokens, at + 1, END_OF_LOOP)
        if do < 0:
            return at
        self.push("WHILE", tokens[at], loops=True)
        return do + 1

    def until(self, tokens: Tokens, at: int) -> int:
        """UNTIL a > 1 END REPEAT"""
        end = self.find(tokens, at + 1, frozenset(("END",)))
        if end > 0:
            return end

        return at

    def for_(self, tokens: Tokens, at: int) -> int:
        """FOR r IN SELECT … LOOP, FOR r IN c DO, FOR i IN 1..10 LOOP, FOR r AS SELECT … DO"""
        do = self.find(tokens, at + 1, END_OF_LOOP)
        if do < 0 or at + 3 > do:
            return at
        targets, start = self.names_until(tokens, at + 1)
        self.push("FOR", tokens[at], loops=True)
        if start < do:
            self.loop_over(targets, tokens[start + 1 : do], tokens[at])
        return do + 1

    def loop_over(self, targets: list[str], rows: Tokens, at: Token) -> None:
        for target in targets:
            if len(targets) == 1 and target not in self.body.names and not is_range(rows):
                self.body.row_types[target] = ""
            self.body.declare(target)
        first = word(rows[0]) if rows else ""
        if first in ("SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "VALUES"):
            self.take(targets, rows)
        elif (
            rows
            and rows[0].token_type is OPEN
            and word(rows[1]) in ("SELECT", "WITH")
            and len(rows) > 2
        ):
            self.take(targets, rows[1:-1] if rows[-1].token_type is CLOSE else rows)
        elif first == "EXECUTE":
            self.report(Code.DYNAMIC, "the statement is built when it runs", at)
        elif rows and is_name(rows[0]):
            cursor = self.cursors.get(self.key(rows[0]))
            if cursor is not None:
                self.take_from(targets, cursor)

    def forall(self, tokens: Tokens, at: int) -> int:
        """FORALL i IN 1..n INSERT …"""
        found = self.find(tokens, at + 1, DML)
        if found > 0:
            return found

        return at

    # -- declarations ------------------------------------------------------------------------------

    def declare(self, tokens: Tokens, at: int) -> int:
        """DECLARE x INT := 1; y INT; BEGIN, DECLARE x INT DEFAULT 1;"""
        if self.script.dialect in DECLARES_BEFORE_BEGIN:
            self.declaring = True
            if not self.in_block and self.pending is None and not self.stack:
                self.body = Body()
            return at + 1
        following = word(tokens[at + 1]) if at + 1 < len(tokens) else ""
        if (
            following in ("CONTINUE", "EXIT", "UNDO")
            and at + 2 < len(tokens)
            and word(tokens[at + 2]) == "HANDLER"
        ):
            return self.handler(tokens, at)
        end = self.end_of(tokens, at)
        self.declaration(tokens[at + 1 : end])
        return end + 1

    def handler(self, tokens: Tokens, at: int) -> int:
        """DECLARE EXIT HANDLER FOR SQLEXCEPTION ROLLBACK; … BEGIN … END;"""
        found = self.find(
            tokens,
            at + 4,
            frozenset(
                ("BEGIN", "SET", "INSERT", "UPDATE", "DELETE", "ROLLBACK", "CALL", "RESIGNAL")
            ),
        )
        if found > 0:
            return found

        return self.end_of(tokens, at) + 1

    # -- routines ----------------------------------------------------------------------------------

    def create(self, tokens: Tokens, at: int) -> int:
        """CREATE FUNCTION f(a INT) …, CREATE PACKAGE BODY p AS …; any other CREATE is a statement"""
        found = header(self, tokens, at)
        if found is None:
            return self.job(tokens, at)
        routine, body = found
        if routine is None:
            return body
        return self.routine_body(routine, tokens, at, body)

    def job(self, tokens: Tokens, at: int) -> int:
        """CREATE TASK t SCHEDULE = '1 minute' AS INSERT …, CREATE EVENT e ON SCHEDULE … DO INSERT …"""
        opening = JOBS.get(
            next((word(token) for token in tokens[at + 1 : at + 5] if word(token) in JOBS), "")
        )
        found = self.find(tokens, at, opening) if opening is not None else -1
        if found > at:
            return found + 1

        return at

    def nested(self, tokens: Tokens, at: int) -> int:
        """PROCEDURE p IS … in a package or in declarations"""
        return self.create(tokens, at)

    def rows_of_trigger(self, routine: Routine, table: Tokens) -> None:
        """CREATE TRIGGER … ON t BEGIN …      NEW and OLD are rows of t"""
        row = self.rows_of(table)
        if row is not None:
            give_rows(routine, row)

    def rows_of(self, table: Tokens) -> Assignment | None:
        """SELECT * FROM t"""
        at = table[0]
        star = [
            made(TokenType.SELECT, "SELECT", at),
            made(TokenType.STAR, "*", at),
            made(TokenType.FROM, "FROM", at),
        ]
        return self.assignment([*star, *table])

    def rows_of_trigger_function(
        self, function: Tokens, table: Tokens, names: tuple[str, ...]
    ) -> None:
        """CREATE TRIGGER … ON t EXECUTE FUNCTION f()      what f calls NEW and OLD are rows of t

        f may be defined later, or in another script: it is looked up when all of them have been
        read.
        """
        parts, _ = self.name_at(function, 0)
        row = self.rows_of(table) if parts and table else None
        if row is not None:
            self.found.triggers.append(Trigger(self.table_key(parts), row, names))

    def routine_body(self, routine: Routine, tokens: Tokens, at: int, body: int) -> int:
        first = word(tokens[body]) if body < len(tokens) else ""
        end = self.end_of(tokens, at)
        if routine.language in FOREIGN or self.is_class(tokens, body):
            self.foreign(routine, tokens[at])
            if routine.function:
                self.end_routine(self.begin_routine(routine))
            return end + 1
        string = next(
            (i for i in range(body, min(body + 2, len(tokens))) if tokens[i].token_type in STRINGS),
            -1,
        )
        if string >= 0:
            self.string_body(routine, tokens[string])
            return max(end, string) + 1
        if first in ("BEGIN", "DECLARE") or (
            self.script.dialect in DECLARES_WITHOUT_KEYWORD and first not in ("SELECT", "")
        ):
            self.pending = self.begin_routine(routine)
            self.declaring = first != "BEGIN"
            if first == "DECLARE":
                return body + 1

            return body
        if body < end:
            arrow = next(
                (i for i in range(body, end) if tokens[i].token_type is TokenType.ARROW), -1
            )
            # CREATE FUNCTION f AS (a, b) -> a * b
            if self.script.dialect in BODIES_AFTER_ARROW and arrow > 0:
                routine.parameters = parameters(self, unwrapped(tokens[body:arrow]))
                body = arrow + 1
            self.expression_body(routine, tokens[body:end])
        return end + 1

    def is_class(self, tokens: Tokens, body: int) -> bool:
        """CREATE FUNCTION f AS 'com.example.F'      Hive, Spark: the name of a class"""
        quoted = body < len(tokens) and tokens[body].token_type is TokenType.STRING
        return quoted and self.script.dialect in CLASSES_IN_QUOTES

    def string_body(self, routine: Routine, token: Token) -> None:
        """AS $$ BEGIN … END $$, AS $$ SELECT … $$, AS 'a + b'"""
        inner = self.body_tokens(token)
        if not inner:
            return
        first = word(inner[0])
        procedural = first in ("BEGIN", "DECLARE", "<<") or inner[0].token_type is TokenType.LT
        if not procedural and routine.language in ("", "SQL"):
            while inner and inner[-1].token_type is SEMICOLON:
                inner.pop()
            self.expression_body(routine, inner)
            return
        held = self.begin_routine(routine)
        stack, self.stack = self.stack, []
        pending, self.pending = self.pending, None
        self.strings += 1
        self.in_block = True
        self.walk(inner)
        self.strings -= 1
        self.stack, self.pending = stack, pending
        self.end_routine(held)

    def expression_body(self, routine: Routine, tokens: Tokens) -> None:
        """AS (a + b), RETURN a + b, AS SELECT …, several statements of which the last is the result"""
        held = self.begin_routine(routine)
        if word(tokens[0]) == "RETURN":
            tokens = tokens[1:]
        parts = split(tokens)
        for part in parts[:-1]:
            self.simple(part)
        last = parts[-1] if parts else []
        if last:
            first = word(unwrapped(last)[0])
            if first in ("SELECT", "WITH", "VALUES", "FROM", "TABLE"):
                self.give_back(unwrapped(last))
            elif first in SQL_WORDS or not routine.function:
                self.simple(last)
            else:
                self.give_back([made(TokenType.SELECT, "SELECT", last[0]), *last])
        self.end_routine(held)


JOBS = {"TASK": frozenset(("AS",)), "EVENT": frozenset(("DO",))}
ANONYMOUS = Held(Body(), None, {}, False)

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
    "PROCEDURE": Blocks.nested,
    "FUNCTION": Blocks.nested,
}


def is_range(rows: Tokens) -> bool:
    """FOR i IN 1..10, FOR i IN REVERSE n..1"""
    return (
        not rows
        or rows[0].token_type is TokenType.NUMBER
        or any(token.text in ("..", ".") for token in rows[:3])
    )


def alone(tokens: Tokens, at: int) -> bool:
    """Whether a token has a line of its own."""
    line = tokens[at].line
    return all(
        not 0 <= near < len(tokens) or tokens[near].line != line for near in (at - 1, at + 1)
    )


def split(tokens: Tokens) -> list[Tokens]:
    found: list[Tokens] = [[]]
    for token in tokens:
        if token.token_type is SEMICOLON:
            found.append([])
        else:
            found[-1].append(token)
    return [part for part in found if part]
