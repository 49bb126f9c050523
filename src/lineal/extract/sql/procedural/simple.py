"""Simple statements of the languages with semicolons: assignments, queries into variables, cursors,
RETURN, EXECUTE.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.dialects.procedures import (
    EXECUTES_TEXTS_ANYWHERE,
    NUMBERED_PARAMETERS,
    SESSION_VARIABLES_WITH_DOLLAR,
)
from lineal.extract.sql.procedural.flow import Body, Ref
from lineal.extract.sql.procedural.pieces import Piece
from lineal.extract.sql.procedural.text import (
    CLOSE,
    OPEN,
    SEMICOLON,
    STRINGS,
    closing,
    items,
    made,
    vocabulary,
    word,
)
from lineal.extract.sql.procedural.walker import OWN_VARIABLES, Tokens, Walker, is_name
from lineal.model.diagnostic import Code

SILENT = vocabulary(
    """
    NULL RAISE EXIT CONTINUE BREAK LEAVE ITERATE CLOSE COMMIT ROLLBACK SAVEPOINT ASSERT SIGNAL RESIGNAL GOTO
    PRAGMA GET PERFORM RELEASE DEALLOCATE PREPARE MOVE PIPE START AWAIT ASYNC CANCEL ERROR LISTEN NOTIFY
    TYPE SUBTYPE PRINT USE_ROLE
    """
)
"""Statements that move no data."""
SQL_WORDS = vocabulary(
    """
    SELECT WITH INSERT UPDATE DELETE MERGE CREATE DROP TRUNCATE ALTER COPY LOAD UNLOAD REPLACE VALUES TABLE
    FROM RENAME EXPORT LOCK ANALYZE COMMENT GRANT REVOKE USE
    """
)


"""EXECUTE '…' USING      the text calls what is given $1, $2"""
CHANGES = frozenset(("INSERT", "UPDATE", "DELETE", "MERGE"))


class Simple(Walker):
    """A statement that holds no other."""

    # -- declarations ------------------------------------------------------------------------------

    def declaration(self, tokens: Tokens) -> None:
        """x INT := 1, a, b INT DEFAULT 0, c CURSOR FOR SELECT …, CURSOR c IS SELECT …, res
        RESULTSET
        """
        words = [word(token) for token in tokens[:4]]
        if not words or words[0] in SILENT:
            return
        start = 0
        while start < len(tokens) and word(tokens[start]) in (
            "OR",
            "REPLACE",
            "VARIABLE",
            "VAR",
            "LET",
        ):
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
        if after + 2 < len(tokens) and word(tokens[after]) == "ALIAS":
            self.alias(targets[0], tokens[after + 2])
            return
        row_type = self.row_type(tokens, after)
        for target in targets:
            self.body.declare(target)
            if row_type is not None:
                self.body.row_types[target] = row_type
        given = self.initial(tokens, after)
        if self.is_resultset(tokens, after):
            self.cursors[targets[0]] = None
        if given:
            if self.is_resultset(tokens, after):
                self.resultset(targets[0], given)
            else:
                for target in targets:
                    self.assign(target, given)

    def alias(self, name: str, of: Token) -> None:
        """fresh ALIAS FOR new      another name of a variable"""
        row_type = self.body.row_types.get(self.key(of))
        if row_type is not None:
            self.body.row_types[name] = row_type
        self.assign(name, [of])

    def initial(self, tokens: Tokens, after: int) -> Tokens:
        """… := 1, … DEFAULT 1, … = 1      the value that a declaration gives"""
        depth = 0
        for position in range(after, len(tokens)):
            token = tokens[position]
            if token.token_type in (OPEN, TokenType.LT):
                depth += 1
            elif token.token_type in (CLOSE, TokenType.GT):
                depth -= 1
            elif depth <= 0 and (
                token.token_type in (TokenType.COLON_EQ, TokenType.EQ) or word(token) == "DEFAULT"
            ):
                return tokens[position + 1 :]
        return []

    def is_resultset(self, tokens: Tokens, after: int) -> bool:
        return after < len(tokens) and word(tokens[after]) == "RESULTSET"

    def resultset(self, name: str, value: Tokens) -> None:
        """res RESULTSET := (SELECT …)

        rows that FOR goes through and RETURN TABLE gives back
        """
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
        """CURSOR (k INT) FOR SELECT …"""
        start = next(
            (i for i, token in enumerate(tokens) if word(token) in ("FOR", "IS")), len(tokens)
        )
        opening = next((i for i in range(start) if tokens[i].token_type is OPEN), start)
        for parameter in items(tokens[opening + 1 : start]):
            self.body.declare(self.key(parameter[0]))
        self.cursor_of(name, tokens[start + 1 :])

    def cursor_of(self, name: str, query: Tokens) -> None:
        """CURSOR FOR SELECT …, CURSOR FOR res      a query, or the rows of a RESULTSET"""
        self.body.names.add(name)
        held = self.cursors.get(self.key(query[0])) if len(query) == 1 else None
        if query and word(query[0]) in ("SELECT", "WITH", "("):
            held = self.assignment(query)
        self.cursors[name] = held
        if held is not None:
            self.body.assign(name, Ref(held, None))

    # -- simple statements -------------------------------------------------------------------------

    def simple(self, tokens: Tokens) -> None:
        first = word(tokens[0])
        handler = HANDLERS.get(first)
        if handler is not None and (self.in_block or first in OUTSIDE):
            handler(self, tokens)
            return
        if self.in_block and self.assigns(tokens):
            return
        if self.in_block and first in SILENT:
            return
        if self.in_block and first not in SQL_WORDS and self.is_call(tokens):
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
        while end < len(tokens) and tokens[end].token_type in (
            TokenType.DOT,
            TokenType.L_BRACKET,
            OPEN,
        ):
            if tokens[end].token_type is TokenType.DOT and end + 1 < len(tokens):
                field_ = tokens[end + 1]
                end += 2
            else:
                closer = next(
                    (
                        i
                        for i in range(end, len(tokens))
                        if tokens[i].token_type in (TokenType.R_BRACKET, CLOSE)
                    ),
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
        """SELECT a INTO x FROM t; a SELECT that stands alone is a result; WITH … INSERT is an
        INSERT
        """
        if word(tokens[0]) == "WITH" and self.find(tokens, 0, CHANGES) >= 0:
            self.change(tokens)
            return
        query, targets = self.without_into(tokens)
        if targets and (self.in_block or all(target.startswith("@") for target in targets)):
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
        if self.in_block:
            start = next((i for i, token in enumerate(tokens) if word(token) == "RETURNING"), -1)
        else:
            start = -1
        if start < 0:
            self.sql(tokens)
            return
        returned, targets = self.without_into(tokens[start:])
        self.sql(tokens[:start])
        name_at = (
            next(
                (i for i, token in enumerate(tokens) if word(token) in ("INTO", "UPDATE", "FROM")),
                -1,
            )
            + 1
        )
        parts, end = self.name_at(tokens, name_at)
        if targets and parts and len(returned) > 1:
            select = made(TokenType.SELECT, "SELECT", returned[0])
            self.take(
                targets,
                [
                    select,
                    *returned[1:],
                    made(TokenType.FROM, "FROM", returned[0]),
                    *tokens[name_at:end],
                ],
            )

    def set_(self, tokens: Tokens) -> None:
        """SET x = 1, SET (a, b) = (SELECT …), SET VAR x = 1; SET search_path = … is no assignment"""
        start = 1
        while start < len(tokens) and word(tokens[start]) in ("VAR", "VARIABLE"):
            start += 1
        explicit = start > 1
        rest = tokens[start:]
        if rest and rest[0].token_type is OPEN:
            close = next(
                (i for i, token in enumerate(rest) if token.token_type is CLOSE), len(rest)
            )
            targets, _ = self.names_until(rest[:close], 1)
            self.take(targets, unwrapped(rest[close + 2 :]))
            return
        parts = items(rest)
        pairs = []
        for item in parts:
            key, end = self.variable_at(item, 0)
            if (
                key
                and end < len(item)
                and item[end].token_type in (TokenType.EQ, TokenType.COLON_EQ)
            ):
                pairs.append((key, item[end + 1 :]))
        if self.script.dialect in SESSION_VARIABLES_WITH_DOLLAR and not self.in_block:
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
        """FETCH c INTO x, y; FETCH c BULK COLLECT INTO rows LIMIT 100"""
        _, targets = self.without_into(tokens)
        end = next(
            (
                at
                for at, token in enumerate(tokens)
                if word(token) in ("INTO", "BULK", "BULK COLLECT INTO")
            ),
            0,
        )
        name = next((self.key(token) for token in reversed(tokens[:end]) if is_name(token)), "")
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
                self.report(
                    Code.DYNAMIC, "the statement stands in a file that is not read", tokens[0]
                )
                return
        elif len(tokens) > 1 and word(tokens[1]) in ("PROCEDURE", "FUNCTION", "TASK"):
            self.call(tokens[2:])
            return
        elif not self.in_block and self.script.dialect not in EXECUTES_TEXTS_ANYWHERE:
            self.sql(tokens)
            return
        body = tokens[start:]
        stop = self.find(body, 0, frozenset(("INTO", "USING")))
        into: list[str] = []
        if stop >= 0 and word(body[stop]) == "INTO":
            into, _ = self.names_until(body, stop + 1)
        using = self.find(body, 0, frozenset(("USING",)))
        ends = [position for position in (stop, using) if position >= 0]
        text = body[: min(ends)] if ends else body
        for target in into:
            self.body.declare(target)
        if using >= 0:
            self.give_parameters(body[using + 1 :])
        if into and len(text) == 1 and text[0].token_type in STRINGS:
            self.take(into, self.body_tokens(text[0]) or [])
        else:
            self.execute(text, tokens[0], into)

    def give_parameters(self, tokens: Tokens) -> None:
        """EXECUTE '… $1 … $2' USING a, NEW      what the parameters of the text stand for"""
        if self.script.dialect not in NUMBERED_PARAMETERS:
            return
        for number, expression in enumerate(items(tokens), 1):
            self.assign(f"${number}", expression)

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
        self.body.names.update(OWN_VARIABLES.get(self.script.dialect, ()))
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
                    dot = [
                        tokens[2],
                        made(TokenType.DOT, ".", tokens[2]),
                        made(TokenType.VAR, name, tokens[2]),
                    ]
                    rows += [*([made(TokenType.COMMA, ",", tokens[2])] if position else []), *dot]
                self.give_back(rows)
            elif len(tokens) == 3 and self.key(tokens[2]) in self.body.row_types:
                star = [made(TokenType.DOT, ".", tokens[2]), made(TokenType.STAR, "*", tokens[2])]
                self.give_back([select, tokens[2], *star])
            else:
                self.give_back([select, *tokens[2:]])
            return
        names = [name for name, _ in self.routine.columns] or [
            output.name for output in self.routine.outputs
        ]
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
            piece = Piece(cursor.tree, cursor.moment)
            self.order.append(piece)
            self.routine.selects.append(piece)
        elif word(tokens[0]) in ("SELECT", "WITH"):
            self.give_back(tokens)

    def find(self, tokens: Tokens, at: int, wanted: frozenset[str]) -> int:
        """The first of some words outside of parentheses and CASE; -1, if the statement ends
        before.
        """
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


HANDLERS: dict[str, Callable[[Simple, Tokens], None]] = {
    "SELECT": Simple.select,
    "WITH": Simple.select,
    "VALUES": Simple.select,
    "INSERT": Simple.change,
    "UPDATE": Simple.change,
    "DELETE": Simple.change,
    "SET": Simple.set_,
    "LET": Simple.let,
    "FETCH": Simple.fetch,
    "OPEN": Simple.open_,
    "EXECUTE": Simple.execute_,
    "CALL": Simple.call_,
    "DO": Simple.do,
    "RETURN": Simple.return_,
}

OUTSIDE = vocabulary(
    """
    BEGIN END IF ELSE ELSEIF ELSIF CASE WHEN LOOP REPEAT WHILE UNTIL FOR DECLARE CREATE ALTER SET EXECUTE
    CALL DO LET SELECT WITH
    """
)
"""What is procedural also outside of a block."""
"""What is procedural also outside of a block."""


def unwrapped(tokens: Tokens) -> Tokens:
    """(SELECT …)      without the parentheses"""
    while (
        len(tokens) > 2
        and tokens[0].token_type is OPEN
        and closing(tokens, 0, len(tokens)) == len(tokens) - 1
    ):
        tokens = tokens[1:-1]
    return tokens


def is_query(tree: object) -> bool:
    return isinstance(tree, exp.Query) and tree.args.get("into") is None
