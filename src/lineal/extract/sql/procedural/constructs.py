"""Constructs of the languages with semicolons: blocks, branches, loops, handlers.

BEGIN … EXCEPTION WHEN OTHERS THEN … END; IF a > 1 THEN … ELSE … END IF; FOR r IN SELECT … LOOP …
"""

from __future__ import annotations

from typing import NamedTuple

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.dialects.procedures import DECLARES_BEFORE_BEGIN, DECLARES_CURSORS
from lineal.extract.sql.procedural.flow import Assignment, Body, Construct
from lineal.extract.sql.procedural.results import Held
from lineal.extract.sql.procedural.simple import Simple
from lineal.extract.sql.procedural.text import (
    CLOSE,
    OPEN,
    SEMICOLON,
    Tokens,
    find_outside,
    find_word,
    is_name,
    new_token,
    skip_words,
    unwrap,
    vocabulary,
    word,
    word_at,
)
from lineal.extract.sql.procedural.triggers import test_of_table
from lineal.extract.sql.reading import Reading
from lineal.model.diagnostic import Code

TRANSACTIONS = vocabulary(
    """
    TRANSACTION TRAN WORK READ ISOLATION DEFERRED IMMEDIATE EXCLUSIVE NAME
    """
)
"""BEGIN TRANSACTION, BEGIN WORK      a statement, and no block"""

DEEPEST_BLOCKS = 5_000
END_OF_LOOP = frozenset(("LOOP", "DO"))
THEN = frozenset(("THEN",))
DML = frozenset(("INSERT", "UPDATE", "DELETE", "MERGE", "SELECT", "WITH", "EXECUTE"))
ROWS = frozenset(("SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "VALUES"))
"""FOR r IN SELECT … LOOP      what gives rows to a loop"""

BOUNDS = frozenset(("COUNT", "FIRST", "LAST"))
"""FOR i IN 1..rows.COUNT LOOP      what bounds a loop over the items of a collection"""

HANDLED = frozenset(("BEGIN", "SET", "INSERT", "UPDATE", "DELETE", "ROLLBACK", "CALL", "RESIGNAL"))
"""DECLARE EXIT HANDLER FOR SQLEXCEPTION ROLLBACK      first words of what a handler does"""


class Open(NamedTuple):
    """A construct that waits for its END."""

    kind: str
    construct: Construct
    at: Token
    body: Body
    """The body that the construct belongs to; a declaration inside may have another one."""
    routine: Held | None = None


ANONYMOUS = Held(Body(), None, {}, False)
"""The routine of a block that belongs to none."""


class Pending(NamedTuple):
    """A routine whose declarations are read: PROCEDURE p IS x INT; …"""

    held: Held
    depth: int
    """how many constructs are open around its block"""


class Constructs(Simple):
    """A walker that opens and closes constructs; the open ones are on a stack of its own.

    A method takes the tokens and a position, and returns the next position; the same one, if its
    construct is not there.
    """

    def __init__(self, reading: Reading) -> None:
        """Start outside any block."""
        super().__init__(reading)
        self.stack: list[Open] = []
        self.script_body = self.body
        self.declaring = False
        self.package: Tokens = []
        """the name of the package that is read"""
        self.schema = ""
        """the schema of the routine or package that is read"""
        self.pending: list[Pending] = []
        """the routines whose blocks are about to open; inner ones are declared before BEGIN"""
        self.begun: Tokens = []
        """INSERT INTO t WITH FUNCTION …      the words of a statement before its functions"""
        self.opening: Token | None = None
        """the WITH before the functions of a statement that has not been read"""

    def end_of(self, tokens: Tokens, at: int) -> int:
        """Where the statement ends: the next semicolon, or the end of the text."""
        for position in range(at, len(tokens)):
            if tokens[position].token_type is SEMICOLON:
                return position

            if position > at and is_separator(tokens, position):
                return position

        return len(tokens)

    def push(self, kind: str, at: Token, loops: bool = False, routine: Held | None = None) -> None:
        """Open a construct."""
        construct = self.body.enter(loops, kind in ("IF", "CASE"))
        self.stack.append(Open(kind, construct, at, self.body, routine))

    def pop(self) -> str:
        """End the innermost construct, with its handlers, and with the routine whose body
        it was.
        """
        left = self.stack.pop()
        if left.kind == "HANDLERS":
            left = self.stack.pop()

        left.body.leave(left.construct)
        if left.kind == "PACKAGE":
            self.declaring = self.in_block = False
        elif left.routine is None and self.innermost == "PACKAGE":
            self.pop()  # the block that starts a package ends with it
        elif left.routine is ANONYMOUS:
            self.body, self.in_block = self.script_body, False
        elif left.routine is not None:
            self.end_routine(left.routine)
            self.declaring = self.innermost == "PACKAGE" or self.awaits_block

        return left.kind

    @property
    def awaits_block(self) -> bool:
        """Whether the next BEGIN opens the block of a routine that is declared here."""
        return bool(self.pending) and self.pending[-1].depth == len(self.stack)

    @property
    def innermost(self) -> str:
        """The kind of the innermost construct; '' outside all."""
        if self.stack:
            return self.stack[-1].kind

        return ""

    # -- blocks ------------------------------------------------------------------------------------

    def begin(self, tokens: Tokens, at: int) -> int:
        """Read BEGIN.

        BEGIN, BEGIN ATOMIC, BEGIN NOT ATOMIC; BEGIN TRANSACTION is a statement
        """
        following = word_at(tokens, at + 1)
        if following in TRANSACTIONS:
            return self.end_of(tokens, at) + 1

        if following in (";", "") and not self.in_block and not self.pending:
            return self.end_of(tokens, at) + 1

        if len(self.stack) >= DEEPEST_BLOCKS:
            return at + 1

        routine = self.pending.pop().held if self.awaits_block else None
        self.declaring = False
        if self.in_block:
            self.push("BEGIN", tokens[at], routine=routine)
        else:
            self.in_block = True
            self.push("BEGIN", tokens[at], routine=ANONYMOUS)

        return skip_words(tokens, at + 1, ("ATOMIC", "NOT"))

    def end(self, tokens: Tokens, at: int) -> int:
        """Read END.

        END, END IF, END LOOP outer
        """
        end = self.end_of(tokens, at)
        if self.awaits_block or (self.declaring and self.innermost == "BEGIN"):
            self.declaring = False
            self.report(Code.PARSE_ERROR, "these declarations have no BEGIN", tokens[at])

        while self.awaits_block:
            self.end_routine(self.pending.pop().held)

        if self.stack:
            self.pop()

        return end + 1

    def exception(self, tokens: Tokens, at: int) -> int:
        """Read EXCEPTION.

        EXCEPTION WHEN OTHERS THEN
        """
        if self.innermost != "BEGIN":
            return at

        left = self.stack[-1]
        self.stack.append(Open("HANDLERS", left.construct, tokens[at], left.body))
        left.construct.exhaustive = True
        return at + 1

    # -- branches ----------------------------------------------------------------------------------

    def if_(self, tokens: Tokens, at: int) -> int:
        """Read IF.

        IF a > 1 THEN
        """
        then = find_outside(tokens, at + 1, THEN)
        if then < 0:
            return at

        self.push("IF", tokens[at])
        self.test_table(tokens[at + 1 : then])
        return then + 1

    def test_table(self, condition: Tokens) -> None:
        """Read a test of the trigger's table.

        IF TG_TABLE_NAME = 't' THEN      what stands in this arm runs for t only
        """
        test = test_of_table(condition)
        if test is not None:
            self.body.test_table(self.stack[-1].construct, test)

    def else_(self, tokens: Tokens, at: int) -> int:
        """Read ELSE.

        ELSE, ELSIF b THEN
        """
        if self.innermost not in ("IF", "CASE"):
            return at

        construct = self.stack[-1].construct
        self.body.branch(construct)
        if word(tokens[at]) == "ELSE":
            construct.exhaustive = True
            self.body.test_others(construct)
            return at + 1

        then = find_outside(tokens, at + 1, THEN)
        if then < 0:
            return at + 1

        self.test_table(tokens[at + 1 : then])
        return then + 1

    def case(self, tokens: Tokens, at: int) -> int:
        """Read CASE.

        CASE x WHEN 1 THEN …; END CASE;
        """
        when = find_outside(tokens, at + 1, ("WHEN",))
        if when < 0:
            return at

        then = find_outside(tokens, when + 1, THEN)
        if then < 0:
            return at

        self.push("CASE", tokens[at])
        return then + 1

    def when(self, tokens: Tokens, at: int) -> int:
        """Read WHEN.

        WHEN 2 THEN, WHEN OTHERS THEN
        """
        then = find_outside(tokens, at + 1, THEN)
        if then < 0 or not self.stack:
            return at

        left = self.stack[-1]
        if left.kind == "CASE":
            self.body.branch(left.construct)
        elif left.kind == "HANDLERS":
            self.body.handlers(self.stack[-2].construct)

        return then + 1

    # -- loops -------------------------------------------------------------------------------------

    def loop(self, tokens: Tokens, at: int) -> int:
        """Read LOOP.

        LOOP, REPEAT
        """
        self.push(word(tokens[at]), tokens[at], loops=True)
        return at + 1

    def while_(self, tokens: Tokens, at: int) -> int:
        """Read WHILE.

        WHILE a > 1 LOOP, WHILE a > 1 DO
        """
        do = find_outside(tokens, at + 1, END_OF_LOOP)
        if do < 0:
            return at

        self.push("WHILE", tokens[at], loops=True)
        return do + 1

    def until(self, tokens: Tokens, at: int) -> int:
        """Read UNTIL.

        UNTIL a > 1 END REPEAT
        """
        return max(find_outside(tokens, at + 1, ("END",)), at)

    def for_(self, tokens: Tokens, at: int) -> int:
        """Read FOR.

        FOR r IN SELECT … LOOP, FOR r IN c DO, FOR i IN 1..10 LOOP, FOR r AS SELECT … DO
        """
        do = find_outside(tokens, at + 1, END_OF_LOOP)
        if do < at + 3:
            return at

        targets, start = self.names_until(tokens, at + 1)
        self.push("FOR", tokens[at], loops=True)
        if start < do:
            self.loop_over(targets, tokens[start + 1 : do], tokens[at])

        return do + 1

    def loop_over(self, targets: list[str], rows: Tokens, at: Token) -> None:
        """Assign the variables of a loop.

        FOR r IN …      what the variables of a loop take
        """
        for target in targets:
            if len(targets) == 1 and target not in self.body.names and not is_range(rows):
                self.body.row_types[target] = ""

            self.body.declare(target)

        rows = rows_of_cursor(rows)
        first = word_at(rows, 0)
        for query in self.filling(collections_in(rows)):
            self.body.iterate(query)

        if first in ROWS:
            self.take_each(targets, self.assignment(rows))
        elif is_query_in_parentheses(rows):
            self.take_each(targets, self.assignment(without_parentheses(rows)))
        elif first == "ARRAY" and len(rows) > 1:
            self.take_each(targets, self.assignment(unnest(rows[1:])))
        elif first == "EXECUTE":
            self.loop_over_text(targets, rows[1:], at)
        elif rows and is_name(rows[0]):
            self.take_each(targets, self.cursor_rows(self.key(rows[0]), unwrap(rows[1:])))

    def loop_over_text(self, targets: list[str], text: Tokens, at: Token) -> None:
        """FOR r IN EXECUTE 'SELECT … $1' USING a LOOP      reported, if only a run knows the query"""
        using = find_outside(text, 0, ("USING",))
        if using >= 0:
            self.give_parameters(text[using + 1 :])
            text = text[:using]

        query = self.query_of_text(text, at)
        if query:
            self.take_each(targets, self.assignment(query))
        else:
            self.report_dynamic(at)

    def forall(self, tokens: Tokens, at: int) -> int:
        """FORALL i IN 1..rows.COUNT INSERT …      for each row of the query that has filled rows"""
        end = max(find_outside(tokens, at + 1, DML), at)
        if end > at + 1:
            self.body.declare(self.key(tokens[at + 1]))

        self.body.repeated = self.filling(tokens[at + 1 : end])
        return end

    def filling(self, tokens: Tokens) -> tuple[Assignment, ...]:
        """Return the queries that fill the variables among some words."""
        names = {self.key(token) for token in tokens if is_name(token)}
        moment = self.body.now()
        return tuple(
            ref.assignment
            for name in sorted(names & self.body.names)
            for ref in self.body.refs(name, moment)
            if ref.assignment.tree is not None
        )

    # -- declarations ------------------------------------------------------------------------------

    def declare(self, tokens: Tokens, at: int) -> int:
        """Read DECLARE.

        DECLARE x INT := 1; y INT; BEGIN, DECLARE x INT DEFAULT 1;
        """
        written_in = self.script.written_in or self.script.dialect
        is_outside = not self.in_block and not self.pending and not self.stack
        end = self.end_of(tokens, at)
        is_cursor = is_outside and written_in in DECLARES_CURSORS
        is_cursor = is_cursor and find_outside(tokens[:end], at + 2, CURSOR) > 0
        is_cursor = is_cursor and not opens_block(tokens, end)
        if written_in in DECLARES_BEFORE_BEGIN and not is_cursor:
            self.declaring = True
            if is_outside:
                self.body = Body()

            return at + 1

        is_handler = word_at(tokens, at + 2) == "HANDLER"
        if is_handler and word_at(tokens, at + 1) in ("CONTINUE", "EXIT", "UNDO"):
            return self.handler(tokens, at)

        self.declaration(tokens[at + 1 : end])
        return end + 1

    def handler(self, tokens: Tokens, at: int) -> int:
        """Read an exception handler.

        DECLARE EXIT HANDLER FOR SQLEXCEPTION ROLLBACK; … BEGIN … END;
        """
        found = find_outside(tokens, at + 4, HANDLED)
        if found <= 0:
            return self.end_of(tokens, at) + 1

        if word(tokens[found]) != "BEGIN":
            return found

        height = len(self.stack)
        following = self.begin(tokens, found)
        for opened in self.stack[height:]:
            opened.construct.exhaustive = False  # it runs only after an error

        return following


CURSOR = frozenset(("CURSOR",))
TRANSACTION = frozenset(("", ";", "TRANSACTION", "WORK", "ISOLATION", "READ"))


def opens_block(tokens: Tokens, at: int) -> bool:
    """DECLARE … BEGIN INSERT …      whether a block follows, and not only BEGIN TRANSACTION"""
    return any(
        word(tokens[position]) == "BEGIN" and word_at(tokens, position + 1) not in TRANSACTION
        for position in range(at, len(tokens))
    )


def is_range(rows: Tokens) -> bool:
    """Tell whether a loop runs over a range.

    FOR i IN 1..10, FOR i IN REVERSE n..1
    """
    if not rows or rows[0].token_type is TokenType.NUMBER:
        return True

    return any(token.text in ("..", ".") for token in rows[:3])


def collections_in(rows: Tokens) -> Tokens:
    """Return the names of the collections whose items a loop runs over.

    FOR i IN 1..rows.COUNT LOOP, FOR i IN rows.FIRST..rows.LAST LOOP
    """
    return [
        token
        for at, token in enumerate(rows)
        if word_at(rows, at + 2) in BOUNDS and rows[at + 1].token_type is TokenType.DOT
    ]


def is_query_in_parentheses(rows: Tokens) -> bool:
    """Tell whether a loop runs over a query in parentheses.

    FOR r IN (SELECT …) LOOP
    """
    if not rows or rows[0].token_type is not OPEN:
        return False

    return word(rows[1]) in ("SELECT", "WITH") and len(rows) > 2


def unnest(array: Tokens) -> Tokens:
    """FOREACH x IN ARRAY xs      SELECT UNNEST(xs)"""
    words = ((TokenType.SELECT, "SELECT"), (TokenType.UNNEST, "UNNEST"), (OPEN, "("))
    start = [new_token(*each, array[0]) for each in words]
    return [*start, *array, new_token(CLOSE, ")", array[-1])]


def without_parentheses(rows: Tokens) -> Tokens:
    """Return a query without its parentheses.

    (SELECT …)      SELECT …
    """
    if rows[-1].token_type is CLOSE:
        return rows[1:-1]

    return rows


def is_separator(tokens: Tokens, at: int) -> bool:
    """Tell whether a slash ends a unit.

    / on a line of its own ends a unit in Oracle's tools
    """
    if tokens[at].token_type is not TokenType.SLASH:
        return False

    line = tokens[at].line
    near = [*tokens[max(at - 1, 0) : at], *tokens[at + 1 : at + 2]]
    return all(token.line != line for token in near)


def rows_of_cursor(rows: Tokens) -> Tokens:
    """FOR r AS c CURSOR FOR SELECT … DO      the query behind the name of the cursor"""
    if "CURSOR" not in (word_at(rows, 1), word_at(rows, 2)):
        return rows

    return rows[find_word(rows, ("FOR",), missing=-1) + 1 :]
