"""Languages whose statements end with a semicolon: PL/pgSQL, PL/SQL, Snowflake, BigQuery, MySQL, Databricks.

BEGIN … END, IF … THEN … END IF, LOOP, WHILE, FOR, CASE, EXCEPTION: the statements inside are found, and the variables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.procedural.flow import Body, Construct, Ref
from lineal.extract.sql.procedural.header import header
from lineal.extract.sql.procedural.pieces import Routine
from lineal.extract.sql.procedural.text import CLOSE, OPEN, SEMICOLON, STRINGS, items, made, vocabulary, word
from lineal.extract.sql.procedural.walker import FOREIGN, Held, Tokens, Walker, is_name
from lineal.extract.sql.reading import Reading
from lineal.model.diagnostic import Code

TRANSACTIONS = vocabulary(
    """
    TRANSACTION TRAN WORK READ ISOLATION DEFERRED IMMEDIATE EXCLUSIVE NAME
    """
)
SILENT = vocabulary(
    """
    NULL RAISE EXIT CONTINUE BREAK LEAVE ITERATE CLOSE COMMIT ROLLBACK SAVEPOINT ASSERT SIGNAL RESIGNAL GOTO
    PRAGMA GET PERFORM RELEASE DEALLOCATE PREPARE MOVE PIPE START AWAIT ASYNC CANCEL ERROR LISTEN NOTIFY
    TYPE SUBTYPE PRINT USE_ROLE
    """
)
"""Statements that move no data."""
DEEPEST_BLOCKS = 5_000
END_OF_LOOP = frozenset(("LOOP", "DO"))
DML = frozenset(("INSERT", "UPDATE", "DELETE", "MERGE", "SELECT", "WITH", "EXECUTE"))
DECLARING = vocabulary(
    """
    postgres redshift oracle snowflake materialize risingwave exasol teradata
    """
)
"""DECLARE opens a list of declarations that ends with BEGIN; elsewhere each has a DECLARE of its own."""


class Open(NamedTuple):
    """A construct that waits for its END."""

    kind: str
    construct: Construct
    at: Token
    routine: Held | None = None


class Blocks(Walker):
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
        if tokens[at].token_type is TokenType.LT and at + 4 < len(tokens) and tokens[at + 1].token_type is TokenType.LT:
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

    def find(self, tokens: Tokens, at: int, wanted: frozenset[str]) -> int:
        """The first of some words outside of parentheses and CASE; -1, if the statement ends before."""
        depth = cases = 0
        for position in range(at, len(tokens)):
            token = tokens[position]
            kind = token.token_type
            if kind is OPEN:
                depth += 1
            elif kind is CLOSE:
                depth -= 1
            elif kind is SEMICOLON:
                return -1
            elif depth == 0:
                here = word(token)
                if cases == 0 and here in wanted:
                    return position
                if here == "CASE":
                    cases += 1
                elif here == "END" and cases:
                    cases -= 1
        return -1

    # -- constructs --------------------------------------------------------------------------------------------

    def push(self, kind: str, at: Token, loops: bool = False, routine: Held | None = None) -> None:
        self.stack.append(Open(kind, self.body.enter(loops), at, routine))

    def pop(self) -> str:
        """The innermost construct ends; with it the handlers that stand in it, and the routine whose body it was."""
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
        if following in TRANSACTIONS or (following in (";", "") and not self.in_block and self.pending is None):
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
        return then + 1

    def else_(self, tokens: Tokens, at: int) -> int:
        """ELSE, ELSIF b THEN"""
        if not self.stack or self.stack[-1].kind not in ("IF", "CASE"):
            return at
        construct = self.stack[-1].construct
        self.body.branch(construct)
        if word(tokens[at]) == "ELSE":
            construct.exhaustive = True
            return at + 1
        then = self.find(tokens, at + 1, THEN)
        return then + 1 if then >= 0 else at + 1

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
        return end if end > 0 else at

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
            self.body.declare(target)
        first = word(rows[0]) if rows else ""
        if first in ("SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "VALUES"):
            self.take(targets, rows)
        elif rows and rows[0].token_type is OPEN and word(rows[1]) in ("SELECT", "WITH") and len(rows) > 2:
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
        return found if found > 0 else at

    # -- declarations ------------------------------------------------------------------------------------------

    def declare(self, tokens: Tokens, at: int) -> int:
        """DECLARE x INT := 1; y INT; BEGIN, DECLARE x INT DEFAULT 1;"""
        if self.script.dialect in DECLARING:
            self.declaring = True
            if not self.in_block and self.pending is None and not self.stack:
                self.body = Body()
            return at + 1
        following = word(tokens[at + 1]) if at + 1 < len(tokens) else ""
        if following in ("CONTINUE", "EXIT", "UNDO") and at + 2 < len(tokens) and word(tokens[at + 2]) == "HANDLER":
            return self.handler(tokens, at)
        end = self.end_of(tokens, at)
        self.declaration(tokens[at + 1 : end])
        return end + 1

    def handler(self, tokens: Tokens, at: int) -> int:
        """DECLARE EXIT HANDLER FOR SQLEXCEPTION ROLLBACK; … BEGIN … END;"""
        found = self.find(
            tokens, at + 4, frozenset(("BEGIN", "SET", "INSERT", "UPDATE", "DELETE", "ROLLBACK", "CALL", "RESIGNAL"))
        )
        return found if found > 0 else self.end_of(tokens, at) + 1

    def declaration(self, tokens: Tokens) -> None:
        """x INT := 1, a, b INT DEFAULT 0, c CURSOR FOR SELECT …, CURSOR c IS SELECT …, res RESULTSET"""
        words = [word(token) for token in tokens[:4]]
        if not words or words[0] in SILENT:
            return
        start = 0
        while start < len(tokens) and word(tokens[start]) in ("OR", "REPLACE", "VARIABLE", "VAR", "LET"):
            start += 1
        tokens = tokens[start:]
        if not tokens:
            return
        if word(tokens[0]) == "CURSOR" and len(tokens) > 1:
            self.cursor(self.key(tokens[1]), tokens[2:])
            return
        targets, after = self.names_until(tokens, 0)
        if not targets:
            return
        if after < len(tokens) and word(tokens[after]) in ("CURSOR", "NO", "SCROLL", "INSENSITIVE"):
            self.cursor(targets[0], tokens[after:])
            return
        for target in targets:
            self.body.declare(target)
        given = self.initial(tokens, after)
        if self.is_resultset(tokens, after):
            self.cursors[targets[0]] = None
        if given:
            if self.is_resultset(tokens, after):
                self.resultset(targets[0], given)
            else:
                for target in targets:
                    self.assign(target, given)

    def initial(self, tokens: Tokens, after: int) -> Tokens:
        """… := 1, … DEFAULT 1, … = 1      the value that a declaration gives"""
        depth = 0
        for position in range(after, len(tokens)):
            token = tokens[position]
            if token.token_type in (OPEN, TokenType.LT):
                depth += 1
            elif token.token_type in (CLOSE, TokenType.GT):
                depth -= 1
            elif depth <= 0 and (token.token_type in (TokenType.COLON_EQ, TokenType.EQ) or word(token) == "DEFAULT"):
                return tokens[position + 1 :]
        return []

    def is_resultset(self, tokens: Tokens, after: int) -> bool:
        return after < len(tokens) and word(tokens[after]) == "RESULTSET"

    def resultset(self, name: str, value: Tokens) -> None:
        """res RESULTSET := (SELECT …)      rows that FOR goes through and RETURN TABLE gives back"""
        if word(value[0]) == "EXECUTE" or (len(value) > 1 and word(value[1]) == "EXECUTE"):
            inner = value[1:-1] if value[0].token_type is OPEN else value
            self.cursors[name] = None
            literal = inner[2:] if len(inner) > 2 else []
            if len(literal) == 1 and literal[0].token_type in STRINGS:
                self.cursor_of(name, self.body_tokens(literal[0]) or [])
            else:
                self.report(Code.DYNAMIC, "the statement is built when it runs", value[0])
            return
        self.cursor_of(name, unwrapped(value))

    def cursor(self, name: str, tokens: Tokens) -> None:
        start = next((i for i, token in enumerate(tokens) if word(token) in ("FOR", "IS")), len(tokens))
        self.cursor_of(name, tokens[start + 1 :])

    def cursor_of(self, name: str, query: Tokens) -> None:
        self.body.names.add(name)
        self.cursors[name] = None
        if query and word(query[0]) in ("SELECT", "WITH", "("):
            self.cursors[name] = self.assignment(query)
            if self.cursors[name] is not None:
                self.body.assign(name, Ref(self.cursors[name], None))  # type: ignore[arg-type]

    # -- simple statements -------------------------------------------------------------------------------------

    def simple(self, tokens: Tokens) -> None:
        first = word(tokens[0])
        handler = SIMPLE.get(first)
        if handler is not None and (self.in_block or first in OUTSIDE):
            handler(self, tokens)
            return
        if self.in_block and self.assigns(tokens):
            return
        if self.in_block and first in SILENT:
            return
        if self.in_block and first not in SQL_WORDS and len(tokens) > 1 and self.is_call(tokens):
            self.call(tokens)
            return
        self.sql(tokens)

    def is_call(self, tokens: Tokens) -> bool:
        """pkg.p(1), p      Oracle calls a procedure by its name"""
        parts, end = self.name_at(tokens, 0)
        return bool(parts) and (end == len(tokens) or tokens[end].token_type is OPEN)

    def assigns(self, tokens: Tokens) -> bool:
        """x := 1, r.a := 1, x[1] := 1, x = 1"""
        key, end = self.variable_at(tokens, 0)
        if not key:
            return False
        field_ = None
        while end < len(tokens) and tokens[end].token_type in (TokenType.DOT, TokenType.L_BRACKET, OPEN):
            if tokens[end].token_type is TokenType.DOT and end + 1 < len(tokens):
                field_ = tokens[end + 1]
                end += 2
            else:
                closer = next(
                    (i for i in range(end, len(tokens)) if tokens[i].token_type in (TokenType.R_BRACKET, CLOSE)),
                    len(tokens),
                )
                end = closer + 1
        if end >= len(tokens):
            return False
        kind = tokens[end].token_type
        if kind is not TokenType.COLON_EQ and not (kind is TokenType.EQ and key in self.body.names):
            return False
        value = tokens[end + 1 :]
        if value and key in self.cursors:
            self.resultset(key, value)
        else:
            self.assign(key, value, field_)
        return True

    def select(self, tokens: Tokens) -> None:
        """SELECT a INTO x FROM t; a SELECT that stands alone is a result"""
        if self.in_block:
            query, targets = self.without_into(tokens)
            if targets:
                self.take(targets, query)
                return
        if self.routine is not None and self.routine.function:
            self.give_back(tokens)
            return
        piece = self.sql(tokens)
        if piece is not None and self.routine is not None and is_query(piece.tree):
            self.routine.selects.append(piece)

    def change(self, tokens: Tokens) -> None:
        """INSERT … RETURNING id INTO x"""
        start = next((i for i, token in enumerate(tokens) if word(token) == "RETURNING"), -1) if self.in_block else -1
        if start < 0:
            self.sql(tokens)
            return
        returned, targets = self.without_into(tokens[start:])
        self.sql(tokens[:start])
        name_at = next((i for i, token in enumerate(tokens) if word(token) in ("INTO", "UPDATE", "FROM")), -1) + 1
        parts, end = self.name_at(tokens, name_at)
        if targets and parts and len(returned) > 1:
            select = made(TokenType.SELECT, "SELECT", returned[0])
            self.take(targets, [select, *returned[1:], made(TokenType.FROM, "FROM", returned[0]), *tokens[name_at:end]])

    def set_(self, tokens: Tokens) -> None:
        """SET x = 1, SET (a, b) = (SELECT …), SET VAR x = 1; SET search_path = … is no assignment"""
        start = 1
        while start < len(tokens) and word(tokens[start]) in ("VAR", "VARIABLE"):
            start += 1
        explicit = start > 1
        rest = tokens[start:]
        if rest and rest[0].token_type is OPEN:
            close = next((i for i, token in enumerate(rest) if token.token_type is CLOSE), len(rest))
            targets, _ = self.names_until(rest[:close], 1)
            self.take(targets, unwrapped(rest[close + 2 :]))
            return
        parts = items(rest)
        pairs = []
        for item in parts:
            key, end = self.variable_at(item, 0)
            if key and end < len(item) and item[end].token_type in (TokenType.EQ, TokenType.COLON_EQ):
                pairs.append((key, item[end + 1 :]))
        if self.script.dialect == "snowflake" and not self.in_block:
            pairs = [(f"${key}", value) for key, value in pairs]
            explicit = True
        known = [key in self.body.names or key.startswith("@") or explicit for key, _ in pairs]
        if len(pairs) == len(parts) and pairs and all(known):
            for key, value in pairs:
                self.assign(key, value)
        elif self.routine is None or not pairs:
            self.sql(tokens)

    def let(self, tokens: Tokens) -> None:
        """LET x INT := 1, LET c CURSOR FOR SELECT …"""
        self.declaration(tokens[1:])

    def fetch(self, tokens: Tokens) -> None:
        """FETCH c INTO x, y"""
        before, targets = self.without_into(tokens)
        name = next((self.key(token) for token in reversed(before) if is_name(token)), "")
        cursor = self.cursors.get(name)
        if cursor is not None:
            self.take_from(targets, cursor)

    def open_(self, tokens: Tokens) -> None:
        """OPEN c, OPEN c FOR SELECT …"""
        start = next((i for i, token in enumerate(tokens) if word(token) == "FOR"), -1)
        if start > 0 and start + 1 < len(tokens):
            if word(tokens[start + 1]) in ("SELECT", "WITH"):
                self.cursor_of(self.key(tokens[1]), tokens[start + 1 :])
            else:
                self.report(Code.DYNAMIC, "the statement is built when it runs", tokens[0])

    def execute_(self, tokens: Tokens) -> None:
        """EXECUTE 'INSERT …', EXECUTE IMMEDIATE sql INTO x USING a, EXECUTE PROCEDURE p(1)"""
        start = 1
        if len(tokens) > 1 and word(tokens[1]) == "IMMEDIATE":
            start = 2
            if len(tokens) > 2 and word(tokens[2]) == "FROM":
                self.report(Code.DYNAMIC, "the statement stands in a file that is not read", tokens[0])
                return
        elif len(tokens) > 1 and word(tokens[1]) in ("PROCEDURE", "FUNCTION", "TASK"):
            self.call(tokens[2:])
            return
        elif not self.in_block and self.script.dialect not in ("bigquery", "snowflake"):
            self.sql(tokens)
            return
        body = tokens[start:]
        stop = self.find(body, 0, frozenset(("INTO", "USING")))
        into: list[str] = []
        if stop >= 0 and word(body[stop]) == "INTO":
            into, _ = self.names_until(body, stop + 1)
        using = self.find(body, 0, frozenset(("USING",)))
        ends = [position for position in (stop, using) if position >= 0]
        self.execute(body[: min(ends)] if ends else body, tokens[0], into)

    def call_(self, tokens: Tokens) -> None:
        self.call(tokens[1:])

    def do(self, tokens: Tokens) -> None:
        """DO $$ BEGIN … END $$"""
        string = next((token for token in tokens if token.token_type in STRINGS), None)
        if string is None:
            self.sql(tokens)
            return
        held = (self.body, self.cursors, self.in_block, self.routine)
        self.body, self.cursors, self.in_block, self.routine = Body(), {}, False, None
        self.walk_string(string)
        self.body, self.cursors, self.in_block, self.routine = held

    def return_(self, tokens: Tokens) -> None:
        """RETURN a + 1, RETURN QUERY SELECT …, RETURN NEXT, RETURN TABLE(res), RETURN (SELECT …)"""
        if self.routine is None:
            return
        second = word(tokens[1]) if len(tokens) > 1 else ""
        if second == "QUERY" and len(tokens) > 2:
            if word(tokens[2]) == "EXECUTE":
                self.report(Code.DYNAMIC, "the statement is built when it runs", tokens[0])
            else:
                self.give_back(tokens[2:])
        elif second == "NEXT":
            self.return_next(tokens)
        elif second == "TABLE" and len(tokens) > 3:
            self.return_table(tokens[3:-1])
        elif len(tokens) > 1 and (self.routine.function or second in ("SELECT", "WITH")):
            select = made(TokenType.SELECT, "SELECT", tokens[0])
            query = second in ("SELECT", "WITH")
            self.give_back(tokens[1:] if query else [select, *tokens[1:]])

    def return_next(self, tokens: Tokens) -> None:
        """RETURN NEXT, RETURN NEXT r      the row of the OUT parameters, or of a record"""
        assert self.routine is not None
        select = made(TokenType.SELECT, "SELECT", tokens[0])
        if len(tokens) > 2:
            cursor = self.body.refs(self.key(tokens[2]), self.body.now())
            if len(tokens) == 3 and cursor and self.routine.columns:
                rows: Tokens = [select]
                for position, (name, _) in enumerate(self.routine.columns):
                    dot = [tokens[2], made(TokenType.DOT, ".", tokens[2]), made(TokenType.VAR, name, tokens[2])]
                    rows += [*([made(TokenType.COMMA, ",", tokens[2])] if position else []), *dot]
                self.give_back(rows)
            else:
                self.give_back([select, *tokens[2:]])
            return
        names = [name for name, _ in self.routine.columns] or [output.name for output in self.routine.outputs]
        listed: Tokens = []
        for name in names:
            listed += [made(TokenType.COMMA, ",", tokens[0]), made(TokenType.VAR, name, tokens[0])]
        if listed:
            self.give_back([select, *listed[1:]])

    def return_table(self, tokens: Tokens) -> None:
        """RETURN TABLE(res)      the rows of a RESULTSET, or of a query"""
        assert self.routine is not None
        key = self.key(tokens[0]) if len(tokens) == 1 else ""
        cursor = self.cursors.get(key)
        if cursor is not None:
            self.routine.table = True
            self.statements += 1
            from lineal.extract.sql.procedural.pieces import Piece

            piece = Piece(cursor.tree, cursor.moment)
            self.order.append(piece)
            self.routine.selects.append(piece)
        elif word(tokens[0]) in ("SELECT", "WITH"):
            self.give_back(tokens)

    # -- routines ----------------------------------------------------------------------------------------------

    def create(self, tokens: Tokens, at: int) -> int:
        """CREATE FUNCTION f(a INT) …, CREATE PACKAGE BODY p AS …; any other CREATE is a statement"""
        found = header(self, tokens, at)
        if found is None:
            return at
        routine, body = found
        if routine is None:
            return body
        return self.routine_body(routine, tokens, at, body)

    def nested(self, tokens: Tokens, at: int) -> int:
        """PROCEDURE p IS … in a package or in declarations"""
        return self.create(tokens, at)

    def rows_of_trigger(self, routine: Routine, table: Tokens) -> None:
        """CREATE TRIGGER … ON t      NEW and OLD are rows of t"""
        held, self.body = self.body, routine.body
        at = table[0]
        star = [made(TokenType.SELECT, "SELECT", at), made(TokenType.STAR, "*", at), made(TokenType.FROM, "FROM", at)]
        self.take(["new"], [*star, *table])
        self.take(["old"], [*star, *table])
        self.body = held

    def routine_body(self, routine: Routine, tokens: Tokens, at: int, body: int) -> int:
        first = word(tokens[body]) if body < len(tokens) else ""
        end = self.end_of(tokens, at)
        if routine.language in FOREIGN:
            self.foreign(routine, tokens[at])
            if routine.function:
                self.end_routine(self.begin_routine(routine))
            return end + 1
        string = next((i for i in range(body, min(body + 2, len(tokens))) if tokens[i].token_type in STRINGS), -1)
        if string >= 0:
            self.string_body(routine, tokens[string])
            return max(end, string) + 1
        if first in ("BEGIN", "DECLARE") or (self.script.dialect in ("oracle",) and first not in ("SELECT", "")):
            self.pending = self.begin_routine(routine)
            self.declaring = first != "BEGIN"
            return body + 1 if first == "DECLARE" else body
        if body < end:
            self.expression_body(routine, tokens[body:end])
        return end + 1

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


ANONYMOUS = Held(Body(), None, {}, False)
THEN, WHEN = frozenset(("THEN",)), frozenset(("WHEN",))
SQL_WORDS = vocabulary(
    """
    SELECT WITH INSERT UPDATE DELETE MERGE CREATE DROP TRUNCATE ALTER COPY LOAD UNLOAD REPLACE VALUES TABLE
    FROM RENAME EXPORT LOCK ANALYZE COMMENT GRANT REVOKE USE
    """
)

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
OUTSIDE = vocabulary(
    """
    BEGIN END IF ELSE ELSEIF ELSIF CASE WHEN LOOP REPEAT WHILE UNTIL FOR DECLARE CREATE ALTER SET EXECUTE
    CALL DO LET SELECT WITH
    """
)
"""What is procedural also outside of a block."""

SIMPLE: dict[str, Callable[[Blocks, Tokens], None]] = {
    "SELECT": Blocks.select,
    "WITH": Blocks.select,
    "VALUES": Blocks.select,
    "INSERT": Blocks.change,
    "UPDATE": Blocks.change,
    "DELETE": Blocks.change,
    "SET": Blocks.set_,
    "LET": Blocks.let,
    "FETCH": Blocks.fetch,
    "OPEN": Blocks.open_,
    "EXECUTE": Blocks.execute_,
    "CALL": Blocks.call_,
    "DO": Blocks.do,
    "RETURN": Blocks.return_,
}


def alone(tokens: Tokens, at: int) -> bool:
    """Whether a token has a line of its own."""
    line = tokens[at].line
    return all(not 0 <= near < len(tokens) or tokens[near].line != line for near in (at - 1, at + 1))


def unwrapped(tokens: Tokens) -> Tokens:
    """(SELECT …)      without the parentheses"""
    from lineal.extract.sql.procedural.text import closing

    while len(tokens) > 2 and tokens[0].token_type is OPEN and closing(tokens, 0, len(tokens)) == len(tokens) - 1:
        tokens = tokens[1:-1]
    return tokens


def split(tokens: Tokens) -> list[Tokens]:
    found: list[Tokens] = [[]]
    for token in tokens:
        if token.token_type is SEMICOLON:
            found.append([])
        else:
            found[-1].append(token)
    return [part for part in found if part]


def is_query(tree: object) -> bool:
    from sqlglot import exp

    return isinstance(tree, exp.Query) and tree.args.get("into") is None
