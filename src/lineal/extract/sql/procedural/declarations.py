"""Declarations of the languages with semicolons: variables, cursors, RESULTSETs.

DECLARE x INT := 1; c CURSOR FOR SELECT a FROM t; r orders%ROWTYPE;
"""

from __future__ import annotations

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.procedural.flow import Assignment, Ref, Refs
from lineal.extract.sql.procedural.record_types import fields_of_type, type_of_items
from lineal.extract.sql.procedural.text import (
    OPEN,
    Tokens,
    as_select,
    find_kind,
    find_word,
    items,
    kind_at,
    new_token,
    skip_words,
    unwrap,
    vocabulary,
    word,
    word_at,
)
from lineal.extract.sql.procedural.walker import Walker

SILENT = vocabulary(
    """
    NULL RAISE EXIT CONTINUE BREAK LEAVE ITERATE CLOSE COMMIT ROLLBACK SAVEPOINT ASSERT SIGNAL RESIGNAL GOTO
    PRAGMA GET PERFORM RELEASE DEALLOCATE PREPARE MOVE PIPE START AWAIT CANCEL ERROR LISTEN NOTIFY
    TYPE SUBTYPE PRINT USE_ROLE
    """
) | {"BEGIN TRANSACTION"}
"""Statements that move no data. BigQuery's BEGIN TRANSACTION is one word to the tokenizer."""

BEFORE_ITEMS = 4
"""rows_t IS TABLE OF      words from the name of a collection type to the type of its items"""

MOST_BEFORE_TYPE = 5
"""CREATE OR REPLACE EDITIONABLE TYPE      the words up to TYPE"""

BEFORE_NAMES = frozenset(("OR", "REPLACE", "VARIABLE", "VAR", "LET"))
"""DECLARE OR REPLACE VARIABLE x      what may precede the name of a variable"""

BEFORE_QUERIES = frozenset(("CURSOR", "NO", "SCROLL", "INSENSITIVE"))
"""c NO SCROLL CURSOR FOR SELECT …      what follows the name of a cursor"""

ENDS_TEXT = frozenset(("USING",))
"""EXECUTE IMMEDIATE sql USING (a)      what follows the text"""

OPENS_QUERY = frozenset(("SELECT", "WITH"))

TYPE_DEPTHS = {
    OPEN: 1,
    TokenType.R_PAREN: -1,
    TokenType.LT: 1,
    TokenType.GT: -1,
}
"""DECIMAL(10, 2), ARRAY<INT>      how tokens change the depth inside a type"""

ASSIGNMENTS = (TokenType.COLON_EQ, TokenType.EQ)

NAMES_ARGUMENT = (TokenType.FARROW, TokenType.COLON_EQ)
"""c(k => 1), c(k := 1)      the sign between a parameter and its argument"""


class Declarations(Walker):
    """A walker that reads declarations."""

    def declaration(self, tokens: Tokens) -> None:
        """Read one declaration.

        x INT := 1, a, b INT DEFAULT 0, c CURSOR FOR SELECT …, CURSOR c IS SELECT …, res
        RESULTSET
        """
        self.declare_type(tokens)
        if word_at(tokens, 0) in SILENT:
            return

        tokens = tokens[skip_words(tokens, 0, BEFORE_NAMES) :]
        if word_at(tokens, 0) == "CURSOR" and len(tokens) > 1:
            key = self.key(tokens[1])
            self.cursor(key, tokens[2:])
            if self.routine is None:
                self.shared_cursors[key] = tokens[2:]

            return

        targets, after = self.names_until(tokens, 0)
        if not targets:
            return

        if word_at(tokens, after) in BEFORE_QUERIES:
            self.cursor(targets[0], tokens[after:])
        elif word_at(tokens, after) == "ALIAS" and after + 2 < len(tokens):
            self.alias(targets[0], tokens[after + 2 :])
        else:
            self.declare_variables(targets, tokens, after)

    def declare_type(self, tokens: Tokens) -> None:
        """TYPE r IS RECORD (a INT), CREATE TYPE r AS OBJECT (a INT)      keep the fields of r"""
        if find_word(tokens[:MOST_BEFORE_TYPE], ("TYPE",)) < 0:
            return

        name, fields = fields_of_type(tokens)
        if fields:
            self.record_types[self.key(tokens[name])] = fields
            return

        start, item = type_of_items(tokens)
        if item is not None:
            self.declare_collection(self.key(tokens[start - BEFORE_ITEMS]), tokens, start, item)

    def declare_collection(self, name: str, tokens: Tokens, start: int, item: Token) -> None:
        """TYPE rows_t IS TABLE OF row_t, … OF orders%ROWTYPE      keep what a row of rows_t is"""
        fields = self.record_types.get(self.key(item))
        row_type = self.row_type(tokens, start)
        if fields is not None:
            self.record_types[name] = fields
        elif row_type is not None:
            self.item_rows[name] = row_type

    def type_key(self, type_name: str) -> str:
        """Return the key of a type's name, without the schema or package in front of it."""
        last = type_name.rpartition(".")[2]
        return self.facts.fold(last.strip('"'), '"' in last)

    def fields_of(self, type_name: str) -> Tokens:
        """The fields of a record type that the script declares; none for any other type."""
        return self.record_types.get(self.type_key(type_name), [])

    def declare_variables(self, targets: list[str], tokens: Tokens, after: int) -> None:
        """Declare variables of one type.

        a, b INT DEFAULT 0      the names, their type, and the value that they start with
        """
        row_type = self.row_type(tokens, after)
        if row_type is not None:
            row_type = self.item_rows.get(self.type_key(row_type), row_type)

        for target in targets:
            self.body.declare(target)
            if row_type is not None:
                self.body.row_types[target] = row_type
                fields = self.fields_of(row_type)
                if fields:
                    self.body.row_fields[target] = [field_.text for field_ in fields]

        value = initial_value(tokens, after)
        if word_at(tokens, after) == "RESULTSET":
            self.cursors[targets[0]] = None
            if value:
                self.resultset(targets[0], value)

            return

        for target in targets:
            self.assign(target, value)

    def alias(self, name: str, of: Tokens) -> None:
        """Read an alias of a variable.

        fresh ALIAS FOR new, a ALIAS FOR $1      another name of a variable, or of a parameter
        """
        row_type = self.body.row_types.get(self.key(of[0]))
        if row_type is not None:
            self.body.row_types[name] = row_type

        self.assign(name, of)

    def resultset(self, name: str, value: Tokens) -> None:
        """Read a RESULTSET.

        res RESULTSET := (SELECT …)

        rows that FOR goes through and RETURN TABLE gives back
        """
        if "EXECUTE" not in (word(value[0]), word_at(value, 1)):
            self.cursor_of(name, unwrap(value))
            return

        inner = value
        if value[0].token_type is OPEN:
            inner = value[1:-1]

        self.cursors[name] = None
        text = inner[2:]
        using = find_word(text, ENDS_TEXT)
        query = self.text_now(text if using < 0 else text[:using], value[0])
        if query is None:
            self.report_dynamic(value[0])
        else:
            self.cursor_of(name, query)

    def cursor(self, name: str, tokens: Tokens, arguments: Tokens | None = None) -> None:
        """Read a cursor.

        CURSOR (k INT) FOR SELECT …, with the arguments of OPEN c(1) if it is read for one
        """
        start = find_word(tokens, ("FOR", "IS"), missing=len(tokens))
        if find_word(tokens[:start], ("RETURN",)) > 0:
            self.returned_cursors.add(name)

        opening = find_kind(tokens[:start], (OPEN,), missing=start)
        parameters = [each for each in items(tokens[opening + 1 : start]) if each]
        if parameters:
            self.cursors_with_parameters[name] = tokens

        held = self.give_arguments(parameters, arguments or [])
        self.cursor_of(name, tokens[start + 1 :])
        for parameter, before in held.items():
            self.body.hide(parameter, before)

    def give_arguments(self, parameters: list[Tokens], arguments: Tokens) -> dict[str, Refs]:
        """Let the parameters of a cursor hold its arguments; return what their names held before.

        OPEN c(1, x), OPEN c(k => x)      a parameter without an argument holds no column
        """
        keys = [self.key(parameter[0]) for parameter in parameters]
        given = dict(zip(keys, items(arguments), strict=False))
        for item in list(given.values()):
            if kind_at(item, 1) in NAMES_ARGUMENT:
                given[self.key(item[0])] = item[2:]

        before = {key: self.body.held_now(key) for key in keys}
        for key, parameter in zip(keys, parameters, strict=True):
            value = given.get(key) or [new_token(TokenType.NULL, "NULL", parameter[0])]
            assignment = self.assignment(as_select(value), value)
            if assignment is not None:
                self.body.hide(key, (Ref(assignment, None),))

        return before

    def cursor_rows(self, name: str, arguments: Tokens | None = None) -> Assignment | None:
        """Return the query of a cursor, which the routine or the package around it declares.

        A cursor of a package is declared again in each routine that takes rows from it, and one
        with parameters for the arguments that it is given.
        """
        if name not in self.cursors and name in self.shared_cursors:
            self.cursor(name, self.shared_cursors[name])

        if arguments and name in self.cursors_with_parameters:
            self.cursor(name, self.cursors_with_parameters[name], arguments)

        return self.cursors.get(name)

    def cursor_of(self, name: str, query: Tokens) -> None:
        """Declare a cursor over a query or a RESULTSET.

        CURSOR FOR SELECT …, CURSOR FOR res      a query, or the rows of a RESULTSET
        """
        self.body.names.add(name)
        rows = None
        if word_at(query, 0) in ("SELECT", "WITH", "("):
            rows = self.assignment(query)
        elif len(query) == 1:
            rows = self.cursors.get(self.key(query[0]))

        self.cursors[name] = rows
        if rows is not None:
            self.body.assign(name, Ref(rows, None))


def initial_value(tokens: Tokens, after: int) -> Tokens:
    """Return the initial value of a declaration.

    … := 1, … DEFAULT 1, … = 1      the value that a declaration gives
    """
    depth = 0
    for position in range(after, len(tokens)):
        token = tokens[position]
        depth += TYPE_DEPTHS.get(token.token_type, 0)
        if depth > 0 or token.token_type in TYPE_DEPTHS:
            continue

        if token.token_type in ASSIGNMENTS or word(token) == "DEFAULT":
            return tokens[position + 1 :]

    return []
