"""State of every reader of procedural code, and how it reads names."""

from __future__ import annotations

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.dialects import Facts, facts_of
from lineal.extract.sql.procedural.dynamic import Dynamic
from lineal.extract.sql.procedural.flow import Assignment, Body
from lineal.extract.sql.procedural.pieces import Found, Piece, Routine
from lineal.extract.sql.procedural.text import (
    DEPTHS,
    QUOTED,
    SEMICOLON,
    Tokens,
    is_name,
    kind_at,
    word,
    word_at,
)
from lineal.extract.sql.reading import Reading
from lineal.model.diagnostic import Code, Diagnostic

NAMES = frozenset((TokenType.VAR, TokenType.IDENTIFIER))
"""Tokens of names that are not those of built-in types."""

MARKS = (TokenType.COLON, TokenType.PLACEHOLDER)
""":x, ?x      what may precede the name of a variable"""


class Reader:
    """The pieces found so far, and the body that is being walked."""

    def __init__(self, reading: Reading) -> None:
        """Start reading a script: no statement, no variable yet."""
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
        self.shared_cursors: dict[str, Tokens] = {}
        """CURSOR c IS …      in a package, outside its routines"""
        self.cursors_with_parameters: dict[str, Tokens] = {}
        """CURSOR c (k INT) IS …      read again for the arguments of each OPEN"""
        self.table_variables: set[str] = set()
        """x = SELECT …      the variables that hold rows"""
        self.in_block = False
        self.item_rows: dict[str, str] = {}
        """TYPE rows_t IS TABLE OF orders%ROWTYPE      rows_t: orders"""
        self.record_types: dict[str, Tokens] = {}
        """TYPE r IS RECORD (a INT)      the fields of the types that the script declares"""
        self.returned_cursors: set[str] = set()
        """CURSOR WITH RETURN FOR SELECT …      the cursors whose rows are a result when opened"""
        self.prepared: dict[str, Tokens] = {}
        """PREPARE p FROM '…'      what the prepared statements are"""
        self.here = Token(SEMICOLON, "", 1, 1, 0, 0)
        """the first token of the statement that is read"""
        self.strings = 0
        self.constants: dict[Assignment, str | None] = {}
        self.opened: dict[int, Tokens] = {}
        """tokens of the bodies in strings, by where the string starts"""

    def report(self, code: Code, message: str, token: Token) -> None:
        """Add a diagnostic at the place of a token."""
        self.found.diagnostics.append(Diagnostic(code, message, self.reading.place_at(token.start)))

    def report_dynamic(self, token: Token) -> None:
        """Report a statement that is only known at run time.

        EXECUTE sql      the statement is known only when it runs
        """
        self.report(Code.DYNAMIC, "the statement is built when it runs", token)

    # -- names -------------------------------------------------------------------------------------

    def key(self, token: Token) -> str:
        """The key of a name, in the case that the dialect folds it to."""
        return self.facts.fold(token.text, token.token_type is TokenType.IDENTIFIER)

    def variable_at(self, tokens: Tokens, at: int) -> tuple[str, int]:
        """Read a variable.

        @x, :x, x, r.a      the key of a variable and where it ends; no key, if none is there
        """
        if at >= len(tokens):
            return "", at

        token = tokens[at]
        if at + 1 < len(tokens):
            following = tokens[at + 1]
            if token.token_type is TokenType.PARAMETER:
                return f"{self.sigil_of(token)}{following.text.lower()}", at + 2

            if token.token_type in MARKS:
                return self.key(following), at + 2

        if is_name(token):
            return self.key(token), at + 1

        return "", at

    def sigil_of(self, token: Token) -> str:
        """Return the mark of a variable.

        @x, $1      the mark before a variable, as the script has it; @ for any other
        """
        sigil = self.text[token.start : token.start + 1]
        if token.text in "@$" and sigil in "@$":
            return sigil

        return "@"

    def mentions(self, tokens: Tokens) -> frozenset[str]:
        """The variables that a piece of code names; @x is one also where nothing declares it."""
        found = set()
        marked = set()
        sigil: str | None = None
        for token in tokens:
            if sigil is None:
                found.add(self.key(token))
            else:
                marked.add(f"{sigil}{token.text.lower()}")

            sigil = token.text if token.token_type is TokenType.PARAMETER else None

        return frozenset(found & self.body.names | marked)

    def names_until(self, tokens: Tokens, at: int) -> tuple[list[str], int]:
        """Read a list of variables.

        INTO x, :y, @z, r.a

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
            if kind_at(tokens, at) is not TokenType.COMMA:
                break

            at += 1

        return targets, at

    def without_into(self, tokens: Tokens) -> tuple[Tokens, list[str]]:
        """Remove the INTO clause of a query.

        SELECT a INTO x FROM t      SELECT a FROM t, and x
        """
        at = into_in(tokens)
        if at < 0:
            return tokens, []

        start = at
        if word(tokens[at - 1]) == "COLLECT":
            start -= 2

        after = at + 1
        if word_at(tokens, after) == "STRICT":
            after += 1

        targets, end = self.names_until(tokens, after)
        return tokens[:start] + tokens[end:], targets

    def row_type(self, tokens: Tokens, at: int) -> str | None:
        """Return the row type that a declaration names.

        record, orders%ROWTYPE, orders

        the name of a type that may be a row's; '' for record, None for others
        """
        if word_at(tokens, at) == "RECORD":
            return ""

        parts, after = self.name_at(tokens, at)
        if not parts or any(part.token_type not in NAMES for part in parts):
            return None

        if kind_at(tokens, after) is TokenType.MOD and word_at(tokens, after + 1) != "ROWTYPE":
            return None  # t.a%TYPE

        if self.key(parts[0]) in self.cursors:
            return ""

        return ".".join(map(spelling_of, parts))

    def name_at(self, tokens: Tokens, at: int) -> tuple[Tokens, int]:
        """Read a dotted name.

        dbo.f      the parts of a name, and where it ends
        """
        parts: Tokens = []
        while at < len(tokens) and (is_name(tokens[at]) or tokens[at].token_type in QUOTED):
            parts.append(tokens[at])
            at += 1
            if kind_at(tokens, at) is not TokenType.DOT:
                break

            at += 1

        return parts, at

    def table_key(self, parts: Tokens) -> str:
        """Return the key of a dotted name.

        dbo.f      the key of a table or a routine
        """
        fold = self.facts.fold_dataset
        keys = [fold(part.text, part.token_type is TokenType.IDENTIFIER) for part in parts]
        return ".".join(keys)


def spelling_of(part: Token) -> str:
    """A part of a name as it is written, with its quotes."""
    if part.token_type is TokenType.IDENTIFIER:
        return f'"{part.text}"'

    return part.text


def into_in(tokens: Tokens) -> int:
    """Find the INTO of a query.

    SELECT a INTO x FROM t      where INTO is, outside parentheses; -1, if it is not there
    """
    depth = 0
    for position, token in enumerate(tokens):
        depth += DEPTHS.get(token.token_type, 0)
        if depth == 0 and position and word(token) in ("INTO", "BULK COLLECT INTO"):
            return position

    return -1
