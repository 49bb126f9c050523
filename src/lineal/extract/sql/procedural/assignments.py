"""Statements of SQL inside procedural code, and the assignments of variables.

SET @m = (SELECT max(a) FROM t); SELECT a, b INTO x, y FROM t; INSERT INTO u VALUES (x)
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.dialects.procedures import (
    COLLECTIONS_IN_PARENTHESES,
    OUTPUTS_ARE_MARKED,
    VARIABLES_FIRST,
)
from lineal.extract.sql.one_statement import shallow_tree, why_unread, words_left_over
from lineal.extract.sql.procedural.call_outputs import fill_variables
from lineal.extract.sql.procedural.dynamic import is_call
from lineal.extract.sql.procedural.flow import Assignment, Ref
from lineal.extract.sql.procedural.pieces import Piece
from lineal.extract.sql.procedural.reader import Reader
from lineal.extract.sql.procedural.text import (
    CLOSE,
    OPEN,
    Tokens,
    as_select,
    closing_parenthesis,
    is_name,
    items,
    kind_at,
    new_token,
    word,
    word_at,
)
from lineal.model.diagnostic import Code
from lineal.model.sequences import last_or_none

COMMANDS = frozenset(
    (TokenType.COMMAND, TokenType.EXECUTE, TokenType.FETCH, TokenType.SHOW, TokenType.RENAME)
)
"""First tokens of statements that the parser takes as words."""


class Assignments(Reader):
    """A reader that finds statements of SQL, and assignments to variables."""

    # -- statements --------------------------------------------------------------------------------

    def sql(self, tokens: Tokens) -> Piece | None:
        """Add a statement of SQL; None if it cannot be read."""
        if not tokens:
            return None

        self.statements += 1
        self.starts.append(tokens[0].start)
        self.repeat_for_current_row(tokens)
        tree = self.parse(self.whole_collections(tokens))
        if tree is None:
            return None

        piece = Piece(tree, self.body.now())
        self.order.append(piece)
        self.body.repeated = ()
        return piece

    def repeat_for_current_row(self, tokens: Tokens) -> None:
        """UPDATE t SET a = 1 WHERE CURRENT OF c      the rows of c decide which rows are changed"""
        at = len(tokens) - 2
        while at > 0 and word(tokens[at]) != "OF":
            at -= 1

        if at < 1 or word(tokens[at - 1]) != "CURRENT":
            return

        rows = self.cursor_rows(self.key(tokens[-1]))
        if rows is not None:
            self.body.repeated = (*self.body.repeated, rows)
        else:
            message = f"the rows of cursor '{tokens[-1].text}' are not known"
            self.report(Code.DYNAMIC, message, tokens[at])

    def cursor_rows(self, name: str) -> Assignment | None:
        """Return the query of a cursor."""
        return self.cursors.get(name)

    def parse(self, tokens: Tokens) -> exp.Expr | None:
        """The tree of a statement; None, and a diagnostic, if it cannot be read."""
        first = tokens[0]
        if first.token_type in COMMANDS and len(tokens) > 1:
            rest = self.text[tokens[1].start : tokens[-1].end + 1]
            tokens = [first, new_token(TokenType.STRING, rest, tokens[1])]

        try:
            tree: exp.Expr | None = shallow_tree(tokens, self.reading)
            left_over = words_left_over(tree, self.reading, first.start)
            self.found.diagnostics.extend(left_over)
            if tree is not None and self.script.dialect in VARIABLES_FIRST:
                self.put_variables(tree)

            return tree
        except Exception as error:
            self.found.diagnostics.append(why_unread(error, self.reading, first.start))

        return None

    def whole_collections(self, tokens: Tokens) -> Tokens:
        """Replace the items of collections by the collections.

        VALUES (rows(i).id, ids(i))      Oracle: rows.id and ids, whichever of the items it is
        """
        if self.script.dialect not in COLLECTIONS_IN_PARENTHESES or not self.in_block:
            return tokens

        found: Tokens = []
        further = further_indexes(tokens)
        at = 0
        while at < len(tokens):
            if at in further:
                at = further[at]
                continue

            token = tokens[at]
            found.append(token)
            at += 1
            is_item = is_name(token) and self.key(token) in self.body.names
            while is_item and kind_at(tokens, at) is OPEN:
                at = closing_parenthesis(tokens, at, len(tokens)) + 1

        return found

    def put_variables(self, tree: exp.Expr) -> None:
        """Put variables in place of the columns that they hide.

        SELECT a FROM t, where a is declared

        MySQL: the variable, not a column; SET a = … is a column
        """
        if not self.in_block or not self.body.names:
            return

        for column in list(tree.find_all(exp.Column)):
            if self.is_variable(column) and not is_target(column):
                variable = exp.Placeholder(this=column.name)
                variable.meta.update(column.this.meta)
                column.replace(variable)

    def is_variable(self, column: exp.Column) -> bool:
        """Tell whether a name without a table is that of a variable."""
        if column.args.get("table") is not None:
            return False

        return self.facts.fold(column.name, False) in self.body.names

    # -- assignments -------------------------------------------------------------------------------

    def constructed_row(self, row: Tokens) -> Tokens:
        """row_t(r.a, r.b)      the columns of a row, named by the fields of its type"""
        parts, end = self.name_at(row, 0)
        if not parts or kind_at(row, end) is not OPEN or not is_call(row[end - 1 :]):
            return []

        values = items(row[end + 1 : -1])
        fields = self.record_types.get(self.key(parts[-1]), [])
        return name_values(values, fields) if len(fields) == len(values) else []

    def assignment(self, tokens: Tokens, constant_: Tokens | None = None) -> Assignment | None:
        """A query whose columns are assigned; None if it cannot be read."""
        tree = self.parse(self.whole_collections(tokens))
        if tree is None:
            return None

        found = Assignment(tree, self.reading, self.body.now(), self.mentions(tokens), constant_)
        found.after = last_or_none(self.order)
        return found

    def assign(self, variable: str, expression: Tokens, field_: Token | None = None) -> None:
        """Add an assignment of an expression.

        x := expression, r.a := expression
        """
        if not expression:
            return

        select = as_select(self.constructed_row(expression) or expression)
        field = ""
        if field_ is not None:
            select += [new_token(TokenType.ALIAS, "AS", field_), field_]
            field = self.key(field_)

        assignment = self.assignment(select, expression)
        if assignment is not None:
            self.hold(variable, Ref(assignment, None, field))

    def hold(self, variable: str, ref: Ref) -> None:
        """Assign a value; where it is a field's, the other fields keep theirs."""
        if ref.field:
            self.body.assign_field(variable, ref)
        else:
            self.body.assign(variable, ref)

    def take(self, targets: list[str], query: Tokens) -> None:
        """Add the assignments of a SELECT INTO.

        SELECT a, b INTO x, y FROM t      x takes a, y takes b; a single one takes the row
        """
        if query:
            self.take_from(targets, self.assignment(query))
            self.set_fields(targets, query[0])

    def set_fields(self, targets: list[str], near: Token) -> None:
        """Add what a trigger writes into its table.

        SELECT a INTO NEW.b FROM t      INSERT INTO "NEW ROW" (b) SELECT NEW.b, which holds a
        """
        for target in targets:
            variable, _, field = target.partition(".")
            if field and variable in self.body.new_rows:
                name = new_token(TokenType.VAR, field, near)
                row = new_token(TokenType.VAR, variable, near)
                self.set_row(variable, [row, new_token(TokenType.DOT, ".", near), name], name)

    def set_row(self, key: str, value: Tokens, field_: Token | None) -> None:
        """Add what a trigger writes into its table.

        NEW.a := b      INSERT INTO "NEW ROW" (a) SELECT b, until the table is known
        """
        if key not in self.body.new_rows or field_ is None or not value:
            return

        words = (
            (TokenType.INSERT, "INSERT"), (TokenType.INTO, "INTO"), (TokenType.VAR, "NEW ROW"),
            (OPEN, "("), (field_.token_type, field_.text), (CLOSE, ")"),
        )  # fmt: skip
        tokens = [new_token(*each, field_) for each in words]
        piece = self.sql([*tokens, *as_select(value)])
        if piece is not None:
            piece.sets_row = True

    def take_each(self, targets: list[str], assignment: Assignment | None) -> None:
        """FOR r IN (SELECT …), FETCH c INTO r      one row of a query after the other"""
        self.body.iterate(assignment)
        self.take_from(targets, assignment)

    def take_from(self, targets: list[str], assignment: Assignment | None) -> None:
        """Add the assignments of a FETCH.

        FETCH c INTO x, y      each variable takes a column; nothing, where c is not known
        """
        if assignment is None:
            return

        for position, target in enumerate(targets):
            variable, _, field = target.partition(".")
            column = position if len(targets) > 1 else None
            self.hold(variable, Ref(assignment, column, field))

    def declare_cursor(self, name: str, query: Tokens) -> None:
        """Declare a cursor.

        CURSOR c FOR SELECT …      a query that FETCH and FOR take rows from
        """
        self.cursors[name] = None
        if query and (query[0].token_type is OPEN or word(query[0]) in ("SELECT", "WITH", "")):
            self.cursors[name] = self.assignment(query)

    def call(self, tokens: Tokens) -> None:
        """Record a call of a procedure.

        CALL p(1, x), EXEC dbo.p @x      what p does is traced where p is defined; it may fill x
        """
        parts, end = self.name_at(tokens, 0)
        if not parts:
            return

        self.found.calls.append((self.table_key(parts), self.reading.place_at(tokens[0].start)))
        name = ".".join(part.text for part in parts).lower()
        fill_variables(self, name, tokens[end:], self.script.dialect in OUTPUTS_ARE_MARKED)


def is_target(column: exp.Column) -> bool:
    """Tell whether a column is the target of an assignment.

    SET a = 1      a column that is set is no variable
    """
    parent = column.parent
    return (
        isinstance(parent, exp.EQ) and parent.arg_key == "expressions" and column.arg_key == "this"
    )


def name_values(values: list[Tokens], fields: Tokens) -> Tokens:
    """a, b      a AS id, b AS v"""
    columns: Tokens = []
    for value, field_ in zip(values, fields, strict=True):
        comma, as_ = (TokenType.COMMA, ","), (TokenType.ALIAS, "AS")
        columns += [new_token(*comma, field_), *value, new_token(*as_, field_), field_]

    return columns[1:]


def further_indexes(tokens: Tokens) -> dict[int, int]:
    """Return where the second index of an item of a package starts, and where the last one ends.

    shop.rows(i)(j)      (j)
    """
    found: dict[int, int] = {}
    for at in range(1, len(tokens) - 1):
        is_part = tokens[at - 1].token_type is TokenType.DOT and is_name(tokens[at])
        if not is_part or tokens[at + 1].token_type is not OPEN:
            continue

        start = end = closing_parenthesis(tokens, at + 1, len(tokens)) + 1
        while kind_at(tokens, end) is OPEN and word_at(tokens, end + 1) not in NO_INDEX:
            end = closing_parenthesis(tokens, end, len(tokens)) + 1

        if end > start:
            found[start] = end

    return found


NO_INDEX = ("SELECT", "WITH", "+", "(")
"""INSERT INTO s.t (a) (SELECT …), s.f(t.a) (+): what else is in parentheses behind others"""
