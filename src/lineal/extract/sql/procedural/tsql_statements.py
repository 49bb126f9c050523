"""Simple statements of T-SQL: variables with an @, table variables, EXEC.

DECLARE @x INT = 1; SELECT @x = a FROM t; INSERT INTO @t SELECT b FROM s; EXEC dbo.p @x
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.procedural.dynamic import constant
from lineal.extract.sql.procedural.flow import Assignment, Ref
from lineal.extract.sql.procedural.results import is_result
from lineal.extract.sql.procedural.text import (
    DEPTHS,
    OPEN,
    Tokens,
    as_select,
    closing_parenthesis,
    find_kind,
    find_outside,
    find_word,
    is_name,
    items,
    kind_at,
    new_token,
    place_at,
    select_all,
    skip_words,
    tokens_of,
    unwrap,
    vocabulary,
    word,
    word_at,
)
from lineal.extract.sql.procedural.walker import Walker
from lineal.extract.sql.reading import Reading
from lineal.model.diagnostic import Code

SILENT = vocabulary(
    """
    PRINT RAISERROR THROW GRANT DENY REVOKE CLOSE DEALLOCATE COMMIT ROLLBACK SAVE BREAK CONTINUE GOTO
    WAITFOR DBCC BACKUP RESTORE KILL CHECKPOINT RECONFIGURE OPEN REVERT
    """
)
"""Statements that move no data."""

AFTER_LIST = frozenset(("FROM", "WHERE", "ORDER BY", "GROUP BY", "OPTION", "FOR", "UNION"))
"""SELECT @x = a FROM t      what ends the SELECT list"""


class TSqlStatements(Walker):
    """A walker that reads the statements of T-SQL that hold no other."""

    def __init__(self, reading: Reading) -> None:
        """Start without table variables."""
        super().__init__(reading)
        self.table_variables: set[str] = set()

    def simple(self, tokens: Tokens) -> None:
        """Read one statement, by its first word."""
        first = word(tokens[0])
        handler = SIMPLE.get(first)
        if handler is not None:
            handler(self, tokens)
        elif first not in SILENT:
            self.sql(self.with_tables(tokens))

    # -- table variables ---------------------------------------------------------------------------

    def with_tables(self, tokens: Tokens) -> Tokens:
        """Join the parts of table variables.

        INSERT INTO @t      a table variable is a table that is called @t
        """
        if not self.table_variables:
            return tokens

        found: Tokens = []
        before: TokenType | None = None
        for token in tokens:
            if before is TokenType.PARAMETER and token.text.lower() in self.table_variables:
                found[-1] = variable_name(found[-1], token)
            else:
                found.append(token)

            before = found[-1].token_type

        return found

    def table_variable(self, item: Tokens, table: int) -> None:
        """Rewrite a table variable as CREATE TABLE.

        @t TABLE (a INT)      CREATE TABLE @t (a INT)
        """
        name, sigil = item[1], item[0]
        self.table_variables.add(name.text.lower())
        create = new_token(TokenType.CREATE, "CREATE", sigil)
        self.sql([create, item[table], variable_name(name, name, sigil), *item[table + 1 :]])

    # -- variables ---------------------------------------------------------------------------------

    def declare(self, tokens: Tokens) -> None:
        """Read DECLARE.

        DECLARE @x INT = 1, @t TABLE (a INT), c CURSOR FOR SELECT …
        """
        if len(tokens) > 2 and is_name(tokens[1]):
            self.cursor(self.key(tokens[1]), tokens)
            return

        for item in items(tokens[1:]):
            key, after = self.variable_at(item, 0)
            if key.startswith("@"):
                self.declare_variable(key, item, skip_words(item[: after + 1], after, ("AS",)))

    def declare_variable(self, key: str, item: Tokens, after: int) -> None:
        """Read the declaration of one variable.

        @x INT = 1, @t TABLE (a INT)
        """
        if word_at(item, after) == "TABLE":
            self.table_variable(item, after)
            return

        self.body.declare(key)
        value = find_kind(item, (TokenType.EQ,), after, missing=len(item))
        self.assign(key, self.with_tables(item[value + 1 :]))

    def cursor(self, name: str, tokens: Tokens) -> None:
        """Read a cursor.

        c CURSOR FOR SELECT …
        """
        start = find_word(tokens, ("FOR",), missing=len(tokens))
        self.declare_cursor(name, self.with_tables(tokens[start + 1 :]))

    def set_(self, tokens: Tokens) -> None:
        """Read SET.

        SET @x = 1, SET @x += 1; SET NOCOUNT ON
        """
        key, after = self.variable_at(tokens, 1)
        if not key.startswith("@"):
            return

        value = assigned_value(tokens[1:], after - 1)
        if value is None:
            return

        if word_at(value, 0) == "CURSOR":
            self.cursor(key, value)
        else:
            self.assign(key, self.with_tables(value))

    def select(self, tokens: Tokens) -> None:
        """Read SELECT.

        SELECT @x = a, @y = b FROM t; a SELECT that stands alone is a result
        """
        targets, query = self.without_targets(tokens)
        if targets:
            self.take(targets, self.with_tables(query))
            return

        piece = self.sql(self.with_tables(tokens))
        if piece is not None and self.routine is not None and is_result(piece.tree):
            self.keep_result(piece, self.routine)

    def without_targets(self, tokens: Tokens) -> tuple[list[str], Tokens]:
        """Separate the variables of a SELECT from its query.

        SELECT @x = a, @y += b FROM t      @x, @y, and SELECT a, @y + b FROM t
        """
        first = first_item(tokens)
        if kind_at(tokens, first) is not TokenType.PARAMETER:
            return [], tokens

        end = list_end(tokens, first)
        targets: list[str] = []
        values: Tokens = []
        for item in items(tokens[first:end]):
            key, after = self.variable_at(item, 0)
            value = assigned_value(item, after)
            if value is None or not key.startswith("@"):
                return [], tokens

            values += [new_token(TokenType.COMMA, ",", item[0]), *value]
            targets.append(key)

        return targets, [*tokens[:first], *values[1:], *tokens[end:]]

    def fetch(self, tokens: Tokens) -> None:
        """Read FETCH.

        FETCH NEXT FROM c INTO @x, @y
        """
        before, targets = self.without_into(tokens)
        name, _ = self.variable_at(before, len(before) - 1)
        if len(before) > 1 and before[-2].token_type is TokenType.PARAMETER:
            name = f"@{before[-1].text.lower()}"

        self.take_each(targets, self.cursors.get(name))

    # -- EXEC --------------------------------------------------------------------------------------

    def insert(self, tokens: Tokens) -> None:
        """Read INSERT.

        INSERT INTO t EXEC p      the rows that p gives back
        """
        at = exec_in(tokens)
        if at < 0:
            self.sql(self.with_tables(tokens))
            return

        call = tokens[at + 1 :]
        parts, after = self.name_at(call, 0)
        if not parts or parts[-1].text.lower() == "sp_executesql":
            self.insert_executed(tokens[:at], call[after:], tokens[at])
            return

        self.call(call)
        self.sql(self.with_tables([*tokens[:at], *select_all(call[:after], tokens[at])]))

    def insert_executed(self, target: Tokens, arguments: Tokens, at: Token) -> None:
        """INSERT INTO t EXEC ('SELECT a FROM s')      INSERT INTO t SELECT a FROM s"""
        texts = list(map(argument_value, items(arguments)))
        text = constant(texts[0], self.body.now(), self) if texts else None
        query = place_at(at, tokens_of(text, self.script.dialect)) if text is not None else []
        if query and word(query[0]) in ("SELECT", "WITH"):
            self.sql(self.with_tables([*target, *query]))
        else:
            self.report_dynamic(at)

    def update(self, tokens: Tokens) -> None:
        """UPDATE t SET @v = a = a + 1      a takes the value, and so does @v"""
        piece = self.sql(self.with_tables(tokens))
        if piece is None or not isinstance(piece.tree, exp.Update):
            return

        for assignment in piece.tree.expressions:
            key, value = variable_of(assignment)
            if key:
                self.assign_from_update(key, value, piece.tree)

    def assign_from_update(self, key: str, value: exp.Expr, update: exp.Update) -> None:
        """@v = a + 1 in UPDATE t SET … FROM s WHERE c      SELECT a + 1 FROM t, s WHERE c"""
        source = update.args.get("from_") or exp.From(this=update.this)
        query = exp.Select(expressions=[value.copy()], from_=source.copy())
        if update.args.get("where") is not None:
            query.set("where", update.args["where"].copy())

        mentions = frozenset(f"@{each.name.lower()}" for each in query.find_all(exp.Parameter))
        assignment = Assignment(query, self.reading, self.body.now(), mentions, None)
        assignment.after = self.order[-1]
        self.hold(key, Ref(assignment, None, ""))

    def exec_(self, tokens: Tokens) -> None:
        """Read EXEC.

        EXEC p @x, EXEC @r = p, EXEC (@sql), EXEC sp_executesql N'…'
        """
        if word_at(tokens, 1) == "AS":  # EXECUTE AS USER = 'ann': whose rights count
            return

        rest = tokens[1:]
        if kind_at(rest, 0) is TokenType.PARAMETER:
            key, after = self.variable_at(rest, 0)
            if kind_at(rest, after) is not TokenType.EQ:
                message = f"the procedure that {key} names is only known when it runs"
                self.report(Code.DYNAMIC, message, tokens[0])
                return

            rest = rest[after + 1 :]

        if kind_at(rest, 0) is OPEN:
            self.execute(rest[1 : closing_parenthesis(rest, 0, len(rest))], tokens[0], [])
            return

        parts, after = self.name_at(rest, 0)
        name = parts[-1].text.lower() if parts else ""
        arguments = list(map(argument_value, items(rest[after:])))
        if name == "sp_executesql":
            self.execute_with(items(rest[after:]), tokens[0])
        elif name == "sp_xml_preparedocument" and len(arguments) > 1:
            key, _ = self.variable_at(arguments[0], 0)
            self.assign(key, self.with_tables(arguments[1]))
        elif name == "sp_xml_removedocument":
            return
        elif name == "sp_rename" and len(arguments) == 2:
            self.rename(arguments[0], arguments[1], tokens[0])
        else:
            self.call(rest)

    def execute_with(self, given: list[Tokens], at: Token) -> None:
        """Read a text with parameters.

        EXEC sp_executesql N'SELECT @x = MAX(a) FROM t WHERE b = @k', N'…', @k = @j, @x = @n OUTPUT
        """
        filled: list[tuple[str, Tokens]] = []
        for each in given[1:]:
            key, end = self.variable_at(each, 0)
            if not key or kind_at(each, end) is not TokenType.EQ:
                continue

            if word(each[-1]) in ("OUTPUT", "OUT"):
                filled.append((self.variable_at(each, end + 1)[0], each[:end]))
                each = each[:-1]

            if self.variable_at(each, end + 1)[0] != key:
                self.assign(key, each[end + 1 :])

        for text in map(argument_value, given[:1]):
            known = self.text_now(text, at) if filled else None
            if known is None:
                self.execute(text, at, [])
            else:
                self.strings += 1
                self.walk(known)
                self.strings -= 1

        for target, value in filled:
            self.assign(target, value)

    def rename(self, old: Tokens, new: Tokens, at: Token) -> None:
        """Read a call of sp_rename.

        EXEC sp_rename 'dbo.t', 'u'      ALTER TABLE dbo.t RENAME TO u
        """
        before, after = (constant(each, self.body.now(), self) for each in (old, new))
        if before is None or after is None:
            return

        text = f"ALTER TABLE {before} RENAME TO [{after}]"
        self.sql(place_at(at, tokens_of(text, self.script.dialect)))

    def return_(self, tokens: Tokens) -> None:
        """Read RETURN.

        RETURN @x + 1, RETURN (SELECT …), RETURN
        """
        routine = self.routine
        self.body.end_way()
        if routine is None or not routine.function or len(tokens) < 2:
            return

        value = self.with_tables(tokens[1:])
        if routine.table:
            self.give_back(unwrap(value))
        else:
            self.give_back(as_select(value))


SIMPLE: dict[str, Callable[[TSqlStatements, Tokens], None]] = {
    "DECLARE": TSqlStatements.declare,
    "SET": TSqlStatements.set_,
    "SELECT": TSqlStatements.select,
    "WITH": TSqlStatements.select,
    "INSERT": TSqlStatements.insert,
    "UPDATE": TSqlStatements.update,
    "FETCH": TSqlStatements.fetch,
    "EXEC": TSqlStatements.exec_,
    "EXECUTE": TSqlStatements.exec_,
    "RETURN": TSqlStatements.return_,
}
"""The reader of each statement, by its first word; any other is SQL."""


def variable_of(assignment: exp.Expr) -> tuple[str, exp.Expr]:
    """@v = a = b + 1, @v = b      @v, and the value; '' where no variable is assigned"""
    if not isinstance(assignment, exp.EQ) or not isinstance(assignment.this, exp.Parameter):
        return "", assignment

    value: exp.Expr = assignment.expression
    if isinstance(value, exp.EQ):
        value = value.expression

    return f"@{assignment.this.name.lower()}", value


def variable_name(start: Token, name: Token, sigil: Token | None = None) -> Token:
    """Join a variable's mark and name into one token.

    @t      one token, the name of a table
    """
    first = sigil or start
    text = f"@{name.text}"
    return Token(TokenType.IDENTIFIER, text, start.line, start.col, first.start, name.end)


def assigned_value(item: Tokens, after: int) -> Tokens | None:
    """Return the value of an assignment in a SELECT list.

    @x = a, @y += b      a, and @y + b; None, if nothing is assigned
    """
    if kind_at(item, after) is TokenType.EQ:
        return item[after + 1 :]

    if kind_at(item, after + 1) is TokenType.EQ:
        return [*item[:after], item[after], *item[after + 2 :]]

    return None


def first_item(tokens: Tokens) -> int:
    """Find the first item of a SELECT list.

    SELECT DISTINCT TOP (10) @x = a      where the first item of the SELECT list is
    """
    if word(tokens[0]) == "WITH":
        select = max(find_outside(tokens, 0, ("SELECT",)), 0)
    else:
        select = find_word(tokens, ("SELECT",), missing=0)

    first = skip_words(tokens, select + 1, ("DISTINCT", "ALL"))
    if word_at(tokens, first) != "TOP":
        return first

    if tokens[first + 1].token_type is OPEN:
        return closing_parenthesis(tokens, first + 1, len(tokens)) + 1

    return first + 2


def list_end(tokens: Tokens, at: int) -> int:
    """Find the end of a SELECT list.

    SELECT @x = a FROM t      where the SELECT list ends
    """
    depth = 0
    for position in range(at, len(tokens)):
        depth += DEPTHS.get(tokens[position].token_type, 0)
        if depth == 0 and word(tokens[position]) in AFTER_LIST:
            return position

    return len(tokens)


def exec_in(tokens: Tokens) -> int:
    """Find the EXEC of an INSERT.

    INSERT INTO t EXEC p      where EXEC is, outside parentheses; -1, if it is not there
    """
    depth = 0
    for position, token in enumerate(tokens):
        depth += DEPTHS.get(token.token_type, 0)
        if depth == 0 and word(token) in ("EXEC", "EXECUTE"):
            return position

    return -1


def argument_value(tokens: Tokens) -> Tokens:
    """Return the value of a named argument.

    @stmt = N'…'      the value of a named argument
    """
    is_named = len(tokens) > 3 and tokens[0].token_type is TokenType.PARAMETER
    if is_named and tokens[2].token_type is TokenType.EQ:
        return tokens[3:]

    return tokens
