"""A walk through procedural code: what every language does with variables, queries, routines and
built strings.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.dialects import Facts, facts_of
from lineal.extract.sql.dialects.procedures import COLLECTIONS_IN_PARENTHESES, VARIABLES_FIRST
from lineal.extract.sql.one_statement import shallow_tree, why_unread
from lineal.extract.sql.procedural.dynamic import Dynamic, constant
from lineal.extract.sql.procedural.flow import Assignment, Body, Ref
from lineal.extract.sql.procedural.pieces import Found, Piece, Routine, Target
from lineal.extract.sql.procedural.text import (
    CLOSE,
    OPEN,
    QUOTED,
    SEMICOLON,
    closing,
    inside,
    made,
    tokens_of,
    vocabulary,
    word,
)
from lineal.extract.sql.procedural.triggers import expect_rows
from lineal.extract.sql.reading import Reading
from lineal.extract.sql.words import FAILURES
from lineal.model.diagnostic import Code, Diagnostic

Tokens = list[Token]
DEEPEST_STRINGS = 8
"""A body in a string may hold strings with bodies; so deep they are read."""
FOREIGN = vocabulary(
    """
    JAVASCRIPT PYTHON JAVA SCALA C PLPYTHON3U PLPYTHONU PLPERL PLPERLU PLV8 PLTCL PLR JS INTERNAL REMOTE
    """
)


class Held(NamedTuple):
    """What is walked around a routine, and goes on after it."""

    body: Body
    routine: Routine | None
    cursors: dict[str, Assignment | None]
    in_block: bool


class Walker:
    """What has been found so far, and the body that is being walked."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.script = reading.script
        self.text = reading.script.text
        self.facts: Facts = facts_of(reading.script.dialect)
        self.found = Found()
        self.order: list[Piece | Dynamic] = []
        self.starts: list[int] = []
        self.statements = 0
        self.body = Body()
        self.routine: Routine | None = None
        self.cursors: dict[str, Assignment | None] = {}
        self.in_block = False
        self._here = Token(SEMICOLON, "", 1, 1, 0, 0)
        self.strings = 0
        self.constants: dict[Assignment, str | None] = {}
        self.opened: dict[int, Tokens] = {}
        """tokens of the bodies in strings, by where the string starts"""

    # -- names -------------------------------------------------------------------------------------

    def key(self, token: Token) -> str:
        return self.facts.fold(token.text, token.token_type is TokenType.IDENTIFIER)

    def variable_at(self, tokens: Tokens, at: int) -> tuple[str, int]:
        """@x, :x, x, r.a      the key of a variable and where it ends; no key, if none is there"""
        if at >= len(tokens):
            return "", at
        token = tokens[at]
        if token.token_type is TokenType.PARAMETER and at + 1 < len(tokens):
            sigil = self.text[token.start : token.start + 1] if token.text in "@$" else "@"
            return f"{sigil if sigil in '@$' else '@'}{tokens[at + 1].text.lower()}", at + 2
        if token.token_type in (TokenType.COLON, TokenType.PLACEHOLDER) and at + 1 < len(tokens):
            return self.key(tokens[at + 1]), at + 2
        if is_name(token):
            return self.key(token), at + 1
        return "", at

    def mentions(self, tokens: Tokens) -> frozenset[str]:
        """The variables that a piece of code names."""
        names = self.body.names
        found = set()
        previous = None
        for token in tokens:
            if previous is not None and previous.token_type is TokenType.PARAMETER:
                key = f"{previous.text}{token.text.lower()}"
            else:
                key = self.key(token)
            if key in names:
                found.add(key)
            previous = token
        return frozenset(found)

    # -- what is done ------------------------------------------------------------------------------

    def sql(self, tokens: Tokens, target: Target | None = None) -> Piece | None:
        """A statement of SQL."""
        if not tokens:
            return None
        self.statements += 1
        self.starts.append(tokens[0].start)
        tree = self.parsed(self.whole_collections(tokens))
        if tree is None:
            return None
        piece = Piece(tree, self.body.now(), target)
        self.order.append(piece)
        return piece

    def parsed(self, tokens: Tokens) -> Any:
        first = tokens[0]
        if first.token_type in COMMANDS and len(tokens) > 1:
            rest = self.text[tokens[1].start : tokens[-1].end + 1]
            tokens = [first, made(TokenType.STRING, rest, tokens[1])]
        try:
            tree = shallow_tree(tokens, self.reading)
            if tree is not None and self.script.dialect in VARIABLES_FIRST:
                return self.with_variables(tree)
            return tree
        except Exception as error:
            self.found.diagnostics.append(why_unread(error, self.reading, first.start))
        return None

    def whole_collections(self, tokens: Tokens) -> Tokens:
        """VALUES (rows(i).id, ids(i))      Oracle: rows.id and ids, whichever of the items it is"""
        if self.script.dialect not in COLLECTIONS_IN_PARENTHESES or not self.in_block:
            return tokens
        found: Tokens = []
        at = 0
        while at < len(tokens):
            found.append(tokens[at])
            at += 1
            opens = at < len(tokens) and tokens[at].token_type is OPEN
            if opens and is_name(found[-1]) and self.key(found[-1]) in self.body.names:
                at = closing(tokens, at, len(tokens)) + 1
        return found

    def with_variables(self, tree: exp.Expression) -> exp.Expression:
        """SELECT a FROM t, where a is declared

        MySQL: the variable, not a column; SET a = … is a column
        """
        names = self.body.names if self.in_block else ()
        for column in list(tree.find_all(exp.Column)) if names else ():
            named = (
                column.args.get("table") is None and self.facts.fold(column.name, False) in names
            )
            if named and not (isinstance(column.parent, exp.EQ) and column.parent.arg_key == "expressions"
                              and column.arg_key == "this"):  # fmt: skip
                variable = exp.Placeholder(this=column.name)
                variable.meta.update(column.this.meta)
                column.replace(variable)
        return tree

    def report(self, code: Code, message: str, token: Token) -> None:
        self.found.diagnostics.append(Diagnostic(code, message, self.reading.place_at(token.start)))

    def assignment(self, tokens: Tokens, constant_: Tokens | None = None) -> Assignment | None:
        """A query whose columns are assigned."""
        tree = self.parsed(self.whole_collections(tokens))
        if tree is None:
            return None
        found = Assignment(tree, self.reading, self.body.now(), self.mentions(tokens), constant_)
        found.after = self.order[-1] if self.order else None
        return found

    def assign(self, variable: str, expression: Tokens, field_: Token | None = None) -> None:
        """x := expression"""
        if not expression:
            return
        select = [made(TokenType.SELECT, "SELECT", expression[0]), *expression]
        if field_ is not None:
            select += [made(TokenType.ALIAS, "AS", field_), field_]
        made_ = self.assignment(select, expression)
        if made_ is not None:
            self.hold(variable, Ref(made_, None, self.key(field_) if field_ is not None else ""))

    def hold(self, variable: str, ref: Ref) -> None:
        """Assign a value; where it is a field's, the other fields keep theirs."""
        if ref.field:
            construct = self.body.enter()
            self.body.assign(variable, ref)
            self.body.leave(construct)
        else:
            self.body.assign(variable, ref)

    def take(self, targets: list[str], query: Tokens) -> None:
        """SELECT a, b INTO x, y FROM t      x takes a, y takes b; a single one takes the row"""
        if not query:
            return
        made_ = self.assignment(query)
        if made_ is not None:
            self.take_from(targets, made_)

    def take_from(self, targets: list[str], assignment: Assignment) -> None:
        for position, target in enumerate(targets):
            variable, _, field_ = target.partition(".")
            self.hold(variable, Ref(assignment, position if len(targets) > 1 else None, field_))

    def declare_cursor(self, name: str, query: Tokens) -> None:
        """CURSOR c FOR SELECT …      a query that FETCH and FOR take rows from"""
        if (query and word(query[0]) in ("SELECT", "WITH", "")) or (
            query and query[0].token_type is OPEN
        ):
            self.cursors[name] = self.assignment(query)
        else:
            self.cursors[name] = None

    def call(self, tokens: Tokens) -> None:
        """CALL p(1), EXEC dbo.p @x      what p does is traced where p is defined"""
        name, _ = self.name_at(tokens, 0)
        if name:
            self.found.calls.append((self.table_key(name), self.reading.place_at(tokens[0].start)))

    def execute(self, tokens: Tokens, at: Token, into: list[str]) -> None:
        """EXECUTE IMMEDIATE 'INSERT …'      read when all assignments are known"""
        self.statements += 1
        self.order.append(Dynamic(tokens, at, self.body.now(), into, self.routine))

    def names_until(self, tokens: Tokens, at: int) -> tuple[list[str], int]:
        """INTO x, :y, @z, r.a

        the variables of a list, each with the field that is meant, and where it ends
        """
        targets: list[str] = []
        while at < len(tokens):
            key, following = self.variable_at(tokens, at)
            if not key:
                break
            while following + 1 < len(tokens) and tokens[following].token_type is TokenType.DOT:
                key = f"{key}.{self.key(tokens[following + 1])}"
                following += 2
            targets.append(key)
            at = following
            if at < len(tokens) and tokens[at].token_type is TokenType.COMMA:
                at += 1
            else:
                break
        return targets, at

    def without_into(self, tokens: Tokens) -> tuple[Tokens, list[str]]:
        """SELECT a INTO x FROM t      SELECT a FROM t, and x"""
        depth = 0
        for position, token in enumerate(tokens):
            kind = token.token_type
            if kind is OPEN:
                depth += 1
            elif kind is CLOSE:
                depth -= 1
            elif depth == 0 and word(token) in ("INTO", "BULK COLLECT INTO") and position:
                start = position
                if word(tokens[position - 1]) == "COLLECT":
                    start -= 2
                after = position + 1
                if after < len(tokens) and word(tokens[after]) == "STRICT":
                    after += 1
                targets, end = self.names_until(tokens, after)
                return tokens[:start] + tokens[end:], targets
        return tokens, []

    def row_type(self, tokens: Tokens, at: int) -> str | None:
        """record, orders%ROWTYPE, orders

        the name of a type that may be a row's; '' for record, None for others
        """
        if at < len(tokens) and word(tokens[at]) == "RECORD":
            return ""
        parts, after = self.name_at(tokens, at)
        marked = after < len(tokens) and tokens[after].token_type is TokenType.MOD
        if not parts or any(part.token_type not in NAMES for part in parts):
            return None
        if marked and (after + 1 == len(tokens) or word(tokens[after + 1]) != "ROWTYPE"):
            return None  # t.a%TYPE
        if self.key(parts[0]) in self.cursors:
            return ""
        return ".".join(self.text_of(part) for part in parts)

    def text_of(self, part: Token) -> str:
        if part.token_type is TokenType.IDENTIFIER:
            return f'"{part.text}"'

        return part.text

    # -- routines ----------------------------------------------------------------------------------

    def name_at(self, tokens: Tokens, at: int) -> tuple[list[Token], int]:
        """dbo.f      the parts of a name, and where it ends"""
        parts: list[Token] = []
        while at < len(tokens) and (is_name(tokens[at]) or tokens[at].token_type in QUOTED):
            parts.append(tokens[at])
            at += 1
            if at < len(tokens) and tokens[at].token_type is TokenType.DOT:
                at += 1
            else:
                break
        return parts, at

    def table_key(self, parts: list[Token]) -> str:
        return ".".join(
            self.facts.fold_table(p.text, p.token_type is TokenType.IDENTIFIER) for p in parts
        )

    def begin_routine(self, routine: Routine) -> Held:
        held = Held(self.body, self.routine, self.cursors, self.in_block)
        self.body, self.routine, self.cursors, self.in_block = routine.body, routine, {}, True
        for position, parameter in enumerate(routine.inputs):
            for key in (parameter.key, f"${position + 1}"):
                if key:
                    self.body.give(key, position)
        for parameter in routine.outputs:
            self.body.declare(parameter.key)
        self.body.names.update(OWN_VARIABLES.get(self.script.dialect, ()))
        self.body.row_types |= {each.key: each.type for each in routine.parameters if each.type}
        if routine.shape.lower() == "trigger":
            self.body.trigger_function = (routine.name, self.reading.place_at(self.here.start))
            expect_rows(self.body)
        if not routine.function:
            self.found.procedures.add(routine.key)
        return held

    def end_routine(self, held: Held) -> None:
        routine = self.routine
        assert routine is not None
        self.finish_results(routine)
        self.body, self.routine, self.cursors, self.in_block = held
        if routine.function:
            self.found.functions.append(routine)

    def finish_results(self, routine: Routine) -> None:
        """What a routine gives back: its OUT parameters, its RETURN QUERYs, the SELECTs that stand
        alone in it.
        """
        outputs = routine.outputs
        if routine.function and outputs and not routine.returns and not routine.selects:
            at = made(TokenType.SELECT, "SELECT", self.here)
            listed: Tokens = [at]
            for output in outputs:
                listed += [
                    made(TokenType.IDENTIFIER, output.name, at),
                    made(TokenType.COMMA, ",", at),
                ]
            self.give_back(listed[:-1])
        if routine.selects:
            widths = [width_of(piece.tree) for piece in routine.selects]
            last = widths[-1]
            number = 1
            first = True
            for piece, width in zip(routine.selects, widths, strict=True):
                if last is None or width is None or width == last:
                    piece.target = Target(routine.name, routine.key, routine.columns, first)
                    first = False
                else:
                    number += 1
                    piece.target = Target(f"{routine.name}_{number}", f"{routine.key}_{number}")

    @property
    def here(self) -> Token:
        return self._here

    def give_back(self, query: Tokens) -> None:
        """RETURN expression, RETURN QUERY SELECT …"""
        routine = self.routine
        if routine is None or not query:
            return
        if routine.table or not routine.function:
            piece = self.sql(query)
            if piece is not None:
                routine.selects.append(piece)
        else:
            made_ = self.assignment(query)
            if made_ is not None:
                routine.returns.append(made_)

    def foreign(self, routine: Routine, at: Token) -> None:
        """LANGUAGE JAVASCRIPT      what it does to data is not known"""
        if not routine.function:
            message = f"procedure '{routine.name}' is written in {routine.language.lower()}"
            self.report(Code.DYNAMIC, message, at)

    def body_tokens(self, token: Token) -> Tokens | None:
        """The tokens of a body in a string."""
        if self.strings >= DEEPEST_STRINGS:
            self.report(Code.TOO_DEEP, "strings with code in them nest too deeply", token)
            return None
        found = inside(token, self.script)
        if found is None:
            self.report(
                Code.PARSE_ERROR, "a string, a quoted name or a comment is not closed", token
            )
            return None
        self.opened[token.start] = found
        return found

    def walk_string(self, token: Token) -> None:
        found = self.body_tokens(token)
        if found:
            self.strings += 1
            self.walk(found)
            self.strings -= 1

    def walk(self, tokens: Tokens) -> None:
        raise NotImplementedError

    # -- the end -----------------------------------------------------------------------------------

    def resolve(self) -> list[Any]:
        """The trees of all statements, those of constant strings included."""
        trees: list[Any] = []
        waiting = self.order[::-1]
        last: Piece | None = None
        while waiting:
            item = waiting.pop()
            if isinstance(item, Piece):
                self.found.pieces[id(item.tree)] = last = item
                trees.append(item.tree)
            else:
                item.last = last
                waiting.extend(reversed(self.read_dynamic(item)))
        return trees

    def read_dynamic(self, item: Dynamic) -> list[Piece | Dynamic]:
        """EXECUTE IMMEDIATE 'INSERT …' is read; EXECUTE of a text that only a run knows is reported"""
        text = constant(item.tokens, item.moment, self)
        if text is None or item.depth > DEEPEST_STRINGS:
            self.report(Code.DYNAMIC, "the statement is built when it runs", item.at)
            return []
        tokens = self.dynamic_tokens(text, item)
        if tokens is None:
            return []
        before, self.order = self.order, []
        held = (self.body, self.routine, self.in_block)
        self.body, self.routine, self.in_block = item.moment.body, item.routine, False
        position, loop = self.body.position, self.body.loop
        self.body.position, self.body.loop = item.moment.position, item.moment.loop
        try:
            if not item.into:
                self.walk(tokens)
        finally:
            self.body.position, self.body.loop = position, loop
            self.body, self.routine, self.in_block = held
            found, self.order = self.order, before
        for each in found:
            if isinstance(each, Dynamic):
                each.depth = item.depth + 1
        return found

    def dynamic_tokens(self, text: str, item: Dynamic) -> Tokens | None:
        literal = next((token for token in item.tokens if token.token_type in QUOTED), None)
        if len(item.tokens) == 1 and literal is not None:
            return self.body_tokens(literal)
        try:
            tokens = tokens_of(text, self.script.dialect)
        except FAILURES:
            self.report(Code.DYNAMIC, "the statement is built when it runs", item.at)
            return None
        return placed_at(item.at, tokens)

    def flat(self, tokens: Tokens) -> Tokens:
        """The tokens of the script, with those of opened strings in their places."""
        if not self.opened:
            return tokens
        found: Tokens = []
        for token in tokens:
            inner = self.opened.get(token.start)
            found.extend(self.flat(inner) if inner is not None and inner is not tokens else [token])
        return found


OWN_VARIABLES = {"postgres": ("found", "sqlstate", "sqlerrm")}
"""Variables that every block of a language has, without lineage."""
NAMES = frozenset((TokenType.VAR, TokenType.IDENTIFIER))
"""Tokens of names that are not those of built-in types."""
COMMANDS = frozenset(
    (TokenType.COMMAND, TokenType.EXECUTE, TokenType.FETCH, TokenType.SHOW, TokenType.RENAME)
)
NAMELESS = QUOTED - {TokenType.IDENTIFIER} | {
    SEMICOLON, OPEN, CLOSE, TokenType.COMMA, TokenType.DOT, TokenType.NUMBER, TokenType.PARAMETER, TokenType.COLON,
    TokenType.PLACEHOLDER,
}  # fmt: skip


def placed_at(at: Token, tokens: Tokens) -> Tokens:
    """Tokens of a text that was put together: all stand where it is carried out."""
    for token in tokens:
        token.line, token.col, token.start, token.end = at.line, at.col, at.start, at.end
    return tokens


def is_name(token: Token) -> bool:
    """A word that may be the name of something."""
    return token.token_type not in NAMELESS and (
        token.text[:1].isalpha()
        or token.text[:1] in '_#@"'
        or token.token_type is TokenType.IDENTIFIER
    )


def width_of(tree: Any) -> int | None:
    """How many columns a query has; None, if it has a star."""
    while isinstance(tree, (exp.Subquery, exp.SetOperation)):
        tree = tree.this
    if not isinstance(tree, exp.Select) or any(item.is_star for item in tree.expressions):
        return None
    return len(tree.expressions)
