"""A walk through procedural code: what every language does with bodies and built strings.

The classes build on each other:

    reader        what is kept, and how names are read
    assignments   statements of SQL, variables, cursors
    results       routines: parameters, and what they give back
    walker        bodies in strings, EXECUTE of texts, and the trees at the end
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from lineal.extract.sql.procedural.dynamic import Dynamic, constant, number_marks
from lineal.extract.sql.procedural.pieces import Piece
from lineal.extract.sql.procedural.results import Results
from lineal.extract.sql.procedural.text import QUOTED, Tokens, place_at, tokens_in, tokens_inside
from lineal.extract.sql.words import FAILURES
from lineal.model.diagnostic import Code

DEEPEST_STRINGS = 8
"""A body in a string may hold strings with bodies; so deep they are read."""


class Walker(Results):
    """A reader that opens strings with code in them."""

    def walk(self, tokens: Tokens) -> None:
        """Read one statement after the other."""
        raise NotImplementedError

    # -- bodies in strings -------------------------------------------------------------------------

    def body_tokens(self, token: Token) -> Tokens | None:
        """The tokens of a body in a string."""
        if self.strings >= DEEPEST_STRINGS:
            self.report(Code.TOO_DEEP, "strings with code in them nest too deeply", token)
            return None

        tokens = tokens_inside(token, self.script)
        if tokens is None:
            message = "a string, a quoted name or a comment is not closed"
            self.report(Code.PARSE_ERROR, message, token)
            return None

        self.opened[token.start] = tokens
        return tokens

    def walk_string(self, token: Token) -> None:
        """Walk the statements in a string.

        DO $$ BEGIN … END $$      the statements inside
        """
        tokens = self.body_tokens(token)
        if tokens:
            self.strings += 1
            self.walk(tokens)
            self.strings -= 1

    def execute(self, tokens: Tokens, at: Token, into: list[str], bound: str = "") -> None:
        """Record a dynamic statement.

        EXECUTE IMMEDIATE 'INSERT …'      read when all assignments are known
        """
        self.statements += 1
        self.order.append(Dynamic(tokens, at, self.body.now(), into, self.routine, bound))

    def text_now(self, tokens: Tokens, at: Token) -> Tokens | None:
        """The words of a text that is known where it is executed; None in a loop, whose end may
        change it.
        """
        item = Dynamic(tokens, at, self.body.now(), [], self.routine)
        text = constant(tokens, item.moment, self)
        if text is None or self.body.loop is not None:
            return None

        return self.dynamic_tokens(text, item)

    # -- the end -----------------------------------------------------------------------------------

    def resolve(self) -> list[exp.Expr]:
        """The trees of all statements, those of constant strings included."""
        trees: list[exp.Expr] = []
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
        """Read the dynamic statements whose texts are known.

        EXECUTE IMMEDIATE 'INSERT …' is read; EXECUTE of a text that only a run knows is reported
        """
        text = constant(item.tokens, item.moment, self)
        if text is None or item.depth > DEEPEST_STRINGS:
            self.report_dynamic(item.at)
            return []

        tokens = self.dynamic_tokens(text, item)
        if tokens is None:
            return []

        tokens = number_marks(tokens, item.bound)
        self.statements -= 1  # the statements of the text count instead
        if item.into:  # in a loop, whose end may change the text
            self.report_dynamic(item.at)
            return []

        statements = self.walk_at(tokens, item)
        for each in statements:
            if isinstance(each, Dynamic):
                each.depth = item.depth + 1

        return statements

    def walk_at(self, tokens: Tokens, item: Dynamic) -> list[Piece | Dynamic]:
        """Walk a text as if it were at the moment of its EXECUTE; returns its statements."""
        before, self.order = self.order, []
        held = (self.body, self.routine, self.in_block)
        self.body, self.routine, self.in_block = item.moment.body, item.routine, False
        position, loop = self.body.position, self.body.loop
        self.body.position, self.body.loop = item.moment.position, item.moment.loop
        try:
            self.walk(tokens)
        finally:
            self.body.position, self.body.loop = position, loop
            self.body, self.routine, self.in_block = held
            statements, self.order = self.order, before

        return statements

    def dynamic_tokens(self, text: str, item: Dynamic) -> Tokens | None:
        """The tokens of a text that is executed; None, and a diagnostic, if it has none."""
        if len(item.tokens) == 1 and item.tokens[0].token_type in QUOTED:
            return self.body_tokens(item.tokens[0])

        try:
            tokens = tokens_in(text, self.script)
        except FAILURES:
            self.report_dynamic(item.at)
            return None

        return place_at(item.at, tokens)

    def flat(self, tokens: Tokens) -> Tokens:
        """The tokens of the script, with those of opened strings in their places."""
        if not self.opened:
            return tokens

        found: Tokens = []
        for token in tokens:
            inner = self.opened.get(token.start)
            if inner is None or inner is tokens:
                found.append(token)
            else:
                found.extend(self.flat(inner))

        return found
