"""Simple statements of the languages with semicolons: assignments, queries into variables, cursors,
RETURN, EXECUTE.

x := 1; SELECT a INTO x FROM t; FETCH c INTO x; EXECUTE IMMEDIATE sql; RETURN QUERY SELECT …
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.dialects.procedures import (
    BOUND,
    EXECUTES_TEXTS_ANYWHERE,
    EXECUTORS,
    MACROS_ARE_PROCEDURES,
    NUMBERED_PARAMETERS,
    OWN_VARIABLES,
    SESSION_VARIABLES_WITH_DOLLAR,
    VARIABLES_HOLD_TABLES,
)
from lineal.extract.sql.procedural.assignments import name_values
from lineal.extract.sql.procedural.declarations import (
    ASSIGNMENTS,
    OPENS_QUERY,
    SILENT,
    Declarations,
)
from lineal.extract.sql.procedural.detection import kind_of
from lineal.extract.sql.procedural.dynamic import MARK, is_call, number_marks
from lineal.extract.sql.procedural.flow import Body
from lineal.extract.sql.procedural.pieces import Piece, Routine
from lineal.extract.sql.procedural.reader import MARKS
from lineal.extract.sql.procedural.results import is_result
from lineal.extract.sql.procedural.text import (
    CLOSE,
    OPEN,
    STRINGS,
    Tokens,
    closing_parenthesis,
    find_kind,
    find_outside,
    find_word,
    is_name,
    items,
    kind_at,
    new_token,
    skip_words,
    unwrap,
    vocabulary,
    word,
    word_at,
)
from lineal.model.diagnostic import Code
from lineal.model.sequences import first_of_each, present

SQL_WORDS = vocabulary(
    """
    SELECT WITH INSERT UPDATE DELETE MERGE CREATE DROP TRUNCATE ALTER COPY LOAD UNLOAD REPLACE VALUES TABLE
    FROM RENAME EXPORT LOCK ANALYZE COMMENT GRANT REVOKE USE
    """
)
"""First words of statements that the planners read."""

CHANGES = frozenset(("INSERT", "UPDATE", "DELETE", "MERGE"))

LOCKED = CHANGES | {"SELECT", "SEL", "INS", "UPD", "DEL", "WITH"}
"""LOCK ROW FOR ACCESS SELECT …      first words of statements behind a lock"""
PARTS = (TokenType.DOT, TokenType.L_BRACKET, OPEN)
"""r.a, x[1], x(1)      what follows a variable of which a part is set"""


class Simple(Declarations):
    """A walker that reads statements that hold no other."""

    def simple(self, tokens: Tokens) -> None:
        """Read one statement, by its first word."""
        if self.table_variables:
            tokens = self.without_marks(tokens)

        first = word(tokens[0])
        handler = HANDLERS.get(first)
        if handler is not None and (self.in_block or first in OUTSIDE):
            handler(self, tokens)
        elif not self.in_block and not (first in SILENT and self.body.open):
            self.sql(tokens)
        elif self.fills_table(tokens) or self.assigns(tokens) or first in SILENT:
            return
        elif first not in SQL_WORDS and self.is_call(tokens):
            self.call(tokens)
        else:
            self.sql(tokens)

    def async_(self, tokens: Tokens) -> None:
        """Read ASYNC.

        ASYNC (INSERT INTO t …)      Snowflake: the statement runs at the same time as those that follow
        """
        inner = unwrap(tokens[1:])
        if inner:
            self.simple(inner)

    def is_call(self, tokens: Tokens) -> bool:
        """Tell whether a statement is a bare call.

        pkg.p(1), p      Oracle calls a procedure by its name
        """
        parts, end = self.name_at(tokens, 0)
        return bool(parts) and kind_at(tokens, end) in (None, OPEN)

    # -- assignments -------------------------------------------------------------------------------

    def fills_table(self, tokens: Tokens) -> bool:
        """Read a query that fills a variable with rows, and tell whether it is one.

        x = SELECT …      SAP HANA: CREATE TEMPORARY TABLE x AS SELECT …
        """
        is_filled = kind_at(tokens, 1) in ASSIGNMENTS and word_at(tokens, 2) in OPENS_QUERY
        if not is_filled or not is_name(tokens[0]):
            return False

        if (self.script.written_in or self.script.dialect) not in VARIABLES_HOLD_TABLES:
            return False

        self.table_variables.add(self.key(tokens[0]))
        words = (
            (TokenType.CREATE, "CREATE"), (TokenType.TEMPORARY, "TEMPORARY"), (TokenType.TABLE, "TABLE"),
            (tokens[0].token_type, tokens[0].text), (TokenType.ALIAS, "AS"),
        )  # fmt: skip
        self.sql([*(new_token(*each, tokens[0]) for each in words), *tokens[2:]])
        return True

    def without_marks(self, tokens: Tokens) -> Tokens:
        """Drop the marks of variables that hold rows.

        FROM :x      SAP HANA: FROM x
        """
        return [
            token
            for token, following in zip(tokens, [*tokens[1:], tokens[-1]], strict=True)
            if token.token_type not in MARKS or self.key(following) not in self.table_variables
        ]

    def lock(self, tokens: Tokens) -> None:
        """Read a statement behind a lock.

        LOCK ROW FOR ACCESS SELECT …      Teradata: the query is a result like any other
        """
        at = find_word(tokens, LOCKED, missing=0)
        if word(tokens[at]) in ("SELECT", "SEL"):
            self.select(tokens[at:])
        else:
            self.sql(tokens)

    def assigns(self, tokens: Tokens) -> bool:
        """Read an assignment, and tell whether it is one.

        x := 1, r.a := 1, x[1] := 1, x = 1      reads an assignment; False, if it is none
        """
        key, end = self.variable_at(tokens, 0)
        if not key:
            return False

        field_, end = part_at(tokens, end)
        kind = kind_at(tokens, end)
        if kind is not TokenType.COLON_EQ and (
            kind is not TokenType.EQ or key not in self.body.names
        ):
            return False

        value = tokens[end + 1 :]
        if value and key in self.cursors:
            self.resultset(key, value)
        else:
            self.set_row(key, value, field_)
            self.assign(key, value, field_)

        return True

    def set_(self, tokens: Tokens) -> None:
        """Read SET.

        SET x = 1, SET (a, b) = (SELECT …), SET VAR x = 1; SET search_path = … is no assignment
        """
        start = skip_words(tokens, 1, ("VAR", "VARIABLE"))
        rest = tokens[start:]
        if kind_at(rest, 0) is OPEN:
            close = find_kind(rest, (CLOSE,), missing=len(rest))
            targets, _ = self.names_until(rest[:close], 1)
            self.take(targets, unwrap(rest[close + 2 :]))
            return

        parts = items(rest)
        pairs = present(map(self.assigned_pair, parts))
        are_variables = start > 1
        if self.script.dialect in SESSION_VARIABLES_WITH_DOLLAR and not self.in_block:
            pairs = [(f"${key}", value, None) for key, value, _ in pairs]
            are_variables = True

        are_variables = are_variables or all(self.is_known(key) for key, _, _ in pairs)
        if pairs and len(pairs) == len(parts) and are_variables:
            for pair in pairs:
                self.set_row(*pair)
                self.assign(*pair)
        elif self.routine is None or not pairs:
            self.sql(tokens)

    def assigned_pair(self, item: Tokens) -> tuple[str, Tokens, Token | None] | None:
        """Read one assignment of SET.

        x = 1, NEW.a = 1      the key of x, its value, and the field that is set
        """
        key, end = self.variable_at(item, 0)
        field_ = None
        if key in self.body.row_types:
            field_, end = part_at(item, end)

        if not key or kind_at(item, end) not in ASSIGNMENTS:
            return None

        return key, item[end + 1 :], field_

    def is_known(self, key: str) -> bool:
        """Tell whether a name is that of a variable."""
        return key in self.body.names or key.startswith("@")

    def let(self, tokens: Tokens) -> None:
        """Read LET.

        LET x INT := 1, LET c CURSOR FOR SELECT …
        """
        self.declaration(tokens[1:])

    # -- queries and changes -----------------------------------------------------------------------

    def select(self, tokens: Tokens) -> None:
        """Read SELECT.

        SELECT a INTO x FROM t; a SELECT that stands alone is a result; WITH … INSERT is an
        INSERT
        """
        if word(tokens[0]) == "WITH" and find_outside(tokens, 0, CHANGES) >= 0:
            self.change(tokens)
            return

        query, targets = self.without_into(tokens)
        if targets and (self.in_block or all(target.startswith("@") for target in targets)):
            self.take(targets, query)
            return

        routine = self.routine
        if routine is None:
            self.sql(tokens)
        elif routine.function:
            self.give_back(tokens)
        else:
            self.add_result(self.sql(tokens), routine)

    def add_result(self, piece: Piece | None, routine: Routine) -> None:
        """Add the result of a procedure.

        SELECT a FROM t in a procedure      a result of the procedure
        """
        if piece is not None and is_result(piece.tree):
            self.keep_result(piece, routine)

    def change(self, tokens: Tokens) -> None:
        """Read a statement that changes rows.

        INSERT … RETURNING id INTO x
        """
        tokens = self.with_fields(tokens)
        start = -1
        if self.in_block:
            start = find_word(tokens, ("RETURNING",))

        if start < 0:
            self.sql(tokens)
            return

        returned, targets = self.without_into(tokens[start:])
        self.sql(tokens[:start])
        if targets and len(returned) > 1:
            self.take(targets, [*tokens[:start], *returned])

    def with_fields(self, tokens: Tokens) -> Tokens:
        """INSERT INTO t VALUES r      Oracle: INSERT INTO t VALUES (r.*), where r is a record"""
        at = find_outside(tokens, 1, ("VALUES",)) + 1
        row, end = self.row_at(tokens, at) if at else (None, at)
        if row is None:
            return tokens

        dot, star = new_token(TokenType.DOT, ".", row), new_token(TokenType.STAR, "*", row)
        opens, closes = new_token(OPEN, "(", row), new_token(CLOSE, ")", row)
        return [*tokens[:at], opens, row, dot, star, closes, *tokens[end:]]

    def row_at(self, tokens: Tokens, at: int) -> tuple[Token | None, int]:
        """Return a variable that holds a row, and where its item ends; None for anything else.

        r, rows(i), shop.rows(i)      r; rows; a row of a package, of which nothing is known
        """
        parts, end = self.name_at(tokens, at)
        if not parts:
            return None, at

        while kind_at(tokens, end) is OPEN:
            end = closing_parenthesis(tokens, end, len(tokens)) + 1

        row, key = parts[-1], self.key(parts[-1])
        is_last = end == len(tokens) or word(tokens[end]) == "RETURNING"
        if not is_last or (len(parts) == 1 and key not in self.body.row_types):
            return None, at

        if len(parts) > 1:
            if key in self.body.names:
                return None, at

            name = ".".join(part.text for part in parts)
            self.report(Code.DYNAMIC, f"the fields of the row '{name}' are not known", row)
            self.body.declare(key)
            self.body.row_types[key] = ""

        return row, end

    def replace_(self, tokens: Tokens) -> None:
        """REPLACE INTO t SELECT …, REPLACE t SET a = 1      MySQL: INSERT INTO t …"""
        if kind_of(tokens, 0) >= 0 or word_at(tokens, 1) in ("VIEW", "RECURSIVE"):
            self.sql(tokens)
            return

        rest = tokens[skip_words(tokens, 1, REPLACING) :]
        verb = new_token(TokenType.INSERT, "INSERT", tokens[0])
        self.sql([verb, new_token(TokenType.INTO, "INTO", tokens[0]), *rest])

    # -- prepared statements -----------------------------------------------------------------------

    def prepare(self, tokens: Tokens) -> None:
        """PREPARE p FROM 'INSERT …', PREPARE p AS INSERT …      what EXECUTE p does"""
        start = find_word(tokens, ("FROM", "AS"))
        if start < 0 or len(tokens) < start + 2:
            return

        self.prepared[self.key(tokens[1])] = tokens[start:]

    def execute_prepared(self, tokens: Tokens) -> bool:
        """EXECUTE p USING @x, EXECUTE p(1)      whether p has been prepared"""
        held = self.prepared.get(self.key(tokens[1])) if len(tokens) > 1 else None
        if held is None:
            return False

        if word(held[0]) == "AS":
            self.sql(held[1:])
        else:
            using = find_word(tokens, ("USING",))
            bound = BOUND.get(self.script.dialect, "") * (using > 0)
            if bound:
                self.give_parameters(tokens[using + 1 :])

            self.execute(held[1:], tokens[0], [], bound)

        return True

    # -- cursors -----------------------------------------------------------------------------------

    def fetch(self, tokens: Tokens) -> None:
        """Read FETCH.

        FETCH c INTO x, y; FETCH c BULK COLLECT INTO rows LIMIT 100
        """
        _, targets = self.without_into(tokens)
        end = find_word(tokens, ("INTO", "BULK", "BULK COLLECT INTO"), missing=0)
        names = [self.key(token) for token in tokens[:end] if is_name(token)]
        if names:
            self.take_each(targets, self.cursor_rows(names[-1]))

    def open_(self, tokens: Tokens) -> None:
        """Read OPEN.

        OPEN c, OPEN c FOR SELECT …
        """
        start = find_word(tokens, ("FOR",)) + 1
        name = self.key(tokens[1]) if len(tokens) > 1 else ""
        if start < 2 and kind_at(tokens, 2) is OPEN:
            self.cursor_rows(name, unwrap(tokens[2:]))

        if start < 2 and name in self.returned_cursors and self.routine is not None:
            self.give_rows(name, self.routine)

        if start < 2 or start >= len(tokens):
            return

        if word(tokens[start]) not in OPENS_QUERY:
            self.report_dynamic(tokens[0])
            return

        self.cursor_of(name, tokens[start:])
        routine = self.routine
        if routine is not None and any(each.key == name for each in routine.parameters):
            self.give_rows(name, routine)

    def give_rows(self, name: str, routine: Routine) -> None:
        """OPEN out_cursor FOR SELECT …, RETURN TABLE(res)      the rows of a cursor are a result"""
        rows = self.cursors.get(name)
        if rows is None:
            return

        self.statements += 1
        piece = Piece(rows.query, rows.moment)
        self.order.append(piece)
        self.keep_result(piece, routine)

    # -- EXECUTE and CALL --------------------------------------------------------------------------

    def execute_(self, tokens: Tokens) -> None:
        """Read EXECUTE.

        EXECUTE 'INSERT …', EXECUTE IMMEDIATE sql INTO x USING a, EXECUTE PROCEDURE p(1)
        """
        second = word_at(tokens, 1)
        if self.prepared and self.execute_prepared(tokens):
            return

        if second == "STATEMENT" and (insert := find_word(tokens, ("INSERT",))) > 0:
            self.change(tokens[insert:])  # Flink: EXECUTE STATEMENT SET BEGIN INSERT …
        elif second == "IMMEDIATE":
            if word_at(tokens, 2) == "FROM":
                message = "the statement is in a file that is not read"
                self.report(Code.DYNAMIC, message, tokens[0])
            else:
                self.execute_text(tokens[2:], tokens[0])
        elif second in ("PROCEDURE", "FUNCTION", "TASK"):
            self.call(tokens[2:])
        elif self.in_block or self.script.dialect in EXECUTES_TEXTS_ANYWHERE:
            self.execute_text(tokens[1:], tokens[0])
        else:
            self.sql(tokens)

    def exec_(self, tokens: Tokens) -> None:
        """EXEC m (1, 'x')      Teradata: a call of the macro m"""
        if self.script.dialect in MACROS_ARE_PROCEDURES:
            self.call(tokens[1:])
        else:
            self.sql(tokens)

    def execute_text(self, tokens: Tokens, at: Token) -> None:
        """Read the text, targets and parameters of EXECUTE.

        'INSERT … $1' USING a, sql INTO x      a text, the variables it fills, its parameters
        """
        stop = find_outside(tokens, 0, ("INTO", "USING"))
        using = find_outside(tokens, 0, ("USING",))
        into: list[str] = []
        if stop >= 0 and word(tokens[stop]) == "INTO":
            into, _ = self.names_until(tokens, stop + 1)

        for target in into:
            self.body.declare(target)

        if using >= 0:
            self.give_parameters(tokens[using + 1 :])

        text = tokens
        if stop >= 0:
            text = tokens[:stop]

        bound = BOUND.get(self.script.dialect, "") * (using >= 0)
        query = self.query_of_text(text, at) if into else None
        if query is not None:
            self.take(into, number_marks(query, bound))
        else:
            self.execute(text, at, into, bound)

    def query_of_text(self, text: Tokens, at: Token) -> Tokens | None:
        """'SELECT …', 'SELECT … FROM ' || t      the words of a query; None if only a run knows them"""
        if len(text) == 1 and text[0].token_type in STRINGS:
            return self.body_tokens(text[0]) or []

        return self.text_now(text, at)

    def give_parameters(self, tokens: Tokens) -> None:
        """Define the parameters of a dynamic statement.

        EXECUTE '… $1 … $2' USING a, NEW      what the parameters of the text stand for
        """
        bound = BOUND.get(self.script.dialect)
        if bound is not None:
            for number, expression in enumerate(items(unwrap(tokens)), 1):
                mark = self.facts.fold(MARK.format(number), False)
                if word_at(expression, len(expression) - 2) == "AS":
                    name = expression[
                        -1
                    ].text.lower()  # USING a AS x, for BigQuery's @x and Spark's :x
                    mark = f"@{name}"
                    if bound == "by name":
                        mark = MARK.format(name)

                    expression = expression[:-2]

                self.assign(mark, expression[skip_words(expression, 0, ("IN",)) :])
        elif self.script.dialect in NUMBERED_PARAMETERS:
            for number, expression in enumerate(items(tokens), 1):
                self.assign(f"${number}", expression)

    def call_(self, tokens: Tokens) -> None:
        """Read CALL.

        CALL p(1)
        """
        name, end = self.name_at(tokens, 1)
        if self.table_key(name) in EXECUTORS.get(self.script.dialect, ()):
            self.execute(unwrap(tokens[end:]), tokens[0], [])
        else:
            self.call(tokens[1:])

    def do(self, tokens: Tokens) -> None:
        """Read DO.

        DO $$ BEGIN … END $$
        """
        at = find_kind(tokens, STRINGS)
        if at < 0:
            self.sql(tokens)
            return

        held = (self.body, self.cursors, self.in_block, self.routine)
        self.body, self.cursors, self.in_block, self.routine = Body(), {}, False, None
        self.body.names.update(OWN_VARIABLES.get(self.script.dialect, ()))
        self.walk_string(tokens[at])
        self.body, self.cursors, self.in_block, self.routine = held

    def pipe(self, tokens: Tokens) -> None:
        """Read PIPE ROW of Oracle: a row of what the function gives back.

        PIPE ROW (row_t(r.a, r.b)), PIPE ROW (r), PIPE ROW (rows(i))
        """
        routine = self.routine
        if routine is None or word_at(tokens, 1) != "ROW" or kind_at(tokens, 2) is not OPEN:
            return

        values = tokens[3 : closing_parenthesis(tokens, 2, len(tokens))]
        routine.table = True
        if is_call(values) and self.body.refs(self.key(values[0]), self.body.now()):
            self.pipe_item(values[0], routine)
            return

        select = new_token(TokenType.SELECT, "SELECT", tokens[0])
        self.give_back([select, *self.piped_columns(values, routine)])

    def piped_columns(self, row: Tokens, routine: Routine) -> Tokens:
        """row_t(r.a, r.b), rec      the columns of a row, named by the fields of its type"""
        parts, end = self.name_at(row, 0)
        if parts and kind_at(row, end) is OPEN and is_call(row[end - 1 :]):
            built = self.constructed_row(row)
            if not built:
                routine.row_type = ".".join(part.text for part in parts)

            return built or row[end + 1 : -1]

        type_ = self.body.row_types.get(self.key(row[0])) if len(row) == 1 else None
        fields = self.fields_of(type_ or "")
        if not fields:
            return self.row_columns(row, routine)

        dot = new_token(TokenType.DOT, ".", row[0])
        return name_values([[row[0], dot, field_] for field_ in fields], fields)

    def pipe_item(self, rows: Token, routine: Routine) -> None:
        """PIPE ROW (rows(i))      a row of the query that has filled rows, by position"""
        fields = self.fields_of(routine.shape)
        routine.columns = routine.columns or [(each.text, self.key(each)) for each in fields]
        if not routine.columns:
            message = f"the columns of {routine.shape or routine.name} are not known"
            self.report(Code.DYNAMIC, message, rows)
            return

        for ref in self.body.refs(self.key(rows), self.body.now()):
            self.body.iterate(ref.assignment)

        self.body.row_types.setdefault(self.key(rows), "")
        select = new_token(TokenType.SELECT, "SELECT", rows)
        dot = new_token(TokenType.DOT, ".", rows)
        self.give_back([select, rows, dot, new_token(TokenType.STAR, "*", rows)])

    # -- RETURN ------------------------------------------------------------------------------------

    def return_(self, tokens: Tokens) -> None:
        """Read RETURN.

        RETURN a + 1, RETURN QUERY SELECT …, RETURN NEXT, RETURN TABLE(res), RETURN (SELECT …)
        """
        routine = self.routine
        if routine is None:
            return

        second = word_at(tokens, 1)
        if second == "QUERY" and len(tokens) > 2:
            self.return_query(tokens)
        elif second == "NEXT":
            self.return_next(tokens, routine)
        elif second == "TABLE" and len(tokens) > 3:
            self.return_table(tokens[3:-1], routine)
        elif second in OPENS_QUERY:
            self.give_back(tokens[1:])
        elif len(tokens) == 2 and self.cursors.get(self.key(tokens[1])) is not None:
            self.return_table(tokens[1:], routine)
        elif routine.function and len(tokens) > 1:
            select = new_token(TokenType.SELECT, "SELECT", tokens[0])
            self.give_back([select, *tokens[1:]])

    def return_query(self, tokens: Tokens) -> None:
        """Read RETURN QUERY.

        RETURN QUERY SELECT …, RETURN QUERY EXECUTE '…'
        """
        if word(tokens[2]) == "EXECUTE":
            self.give_back_text(tokens[3:], tokens[0])
        else:
            self.give_back(tokens[2:])

    def give_back_text(self, tokens: Tokens, at: Token) -> None:
        """Read the text of RETURN QUERY EXECUTE.

        RETURN QUERY EXECUTE 'SELECT … $1' USING a      a query, unless only a run knows it
        """
        using = find_outside(tokens, 0, ("USING",))
        if using >= 0:
            self.give_parameters(tokens[using + 1 :])
            tokens = tokens[:using]

        query = self.text_now(tokens, at)
        if query is None:
            self.report_dynamic(at)
        else:
            self.give_back(query)

    def return_next(self, tokens: Tokens, routine: Routine) -> None:
        """Read RETURN NEXT.

        RETURN NEXT, RETURN NEXT r      the row of the OUT parameters, or of a record
        """
        select = new_token(TokenType.SELECT, "SELECT", tokens[0])
        if len(tokens) > 2:
            self.give_back([select, *self.row_columns(tokens[2:], routine)])
            return

        names = first_of_each(routine.columns) or [each.name for each in routine.outputs]
        listed: Tokens = []
        for name in names:
            listed.append(new_token(TokenType.COMMA, ",", tokens[0]))
            listed.append(new_token(TokenType.VAR, name, tokens[0]))

        if listed:
            self.give_back([select, *listed[1:]])

    def row_columns(self, row: Tokens, routine: Routine) -> Tokens:
        """Return the columns of a returned row.

        r      r.a, r.b, where the result has a and b; r.* for a record; any expression itself
        """
        if len(row) != 1:
            return row

        name = row[0]
        dot = new_token(TokenType.DOT, ".", name)
        if routine.columns and self.body.refs(self.key(name), self.body.now()):
            columns: Tokens = []
            for column, _ in routine.columns:
                comma = new_token(TokenType.COMMA, ",", name)
                columns += [comma, name, dot, new_token(TokenType.VAR, column, name)]

            return columns[1:]

        if self.key(name) in self.body.row_types:
            return [name, dot, new_token(TokenType.STAR, "*", name)]

        return row

    def return_table(self, tokens: Tokens, routine: Routine) -> None:
        """Read RETURN TABLE.

        RETURN TABLE(res)      the rows of a RESULTSET, or of a query
        """
        rows = None
        if len(tokens) == 1:
            rows = self.cursors.get(self.key(tokens[0]))

        if rows is None:
            if word(tokens[0]) in OPENS_QUERY:
                self.give_back(tokens)

            return

        routine.table = True
        self.give_rows(self.key(tokens[0]), routine)


HANDLERS: dict[str, Callable[[Simple, Tokens], None]] = {
    "SELECT": Simple.select,
    "WITH": Simple.select,
    "VALUES": Simple.select,
    "INSERT": Simple.change,
    "UPDATE": Simple.change,
    "DELETE": Simple.change,
    "REPLACE": Simple.replace_,
    "PREPARE": Simple.prepare,
    "SET": Simple.set_,
    "LET": Simple.let,
    "FETCH": Simple.fetch,
    "OPEN": Simple.open_,
    "EXECUTE": Simple.execute_,
    "EXEC": Simple.exec_,
    "CALL": Simple.call_,
    "DO": Simple.do,
    "RETURN": Simple.return_,
    "PIPE": Simple.pipe,
    "ASYNC": Simple.async_,
    "LOCK": Simple.lock,
    "LOCKING": Simple.lock,
}

REPLACING = ("INTO", "LOW_PRIORITY", "DELAYED")

OUTSIDE = vocabulary(
    """
    BEGIN END IF ELSE ELSEIF ELSIF CASE WHEN LOOP REPEAT WHILE UNTIL FOR DECLARE CREATE ALTER SET EXECUTE
    EXEC CALL DO LET SELECT WITH REPLACE PREPARE
    """
)
"""Statements that are procedural also outside a block."""


def part_at(tokens: Tokens, at: int) -> tuple[Token | None, int]:
    """Read the part of a variable that is set.

    .a, [1], (1)      the field that is set, if it is one, and where the target ends
    """
    field_ = None
    while kind_at(tokens, at) in PARTS:
        if tokens[at].token_type is TokenType.DOT and at + 1 < len(tokens):
            field_ = tokens[at + 1]
            at += 2
        else:
            at = find_kind(tokens, (TokenType.R_BRACKET, CLOSE), at, missing=len(tokens)) + 1

    return field_, at
