"""Fingerprints: statements that differ only in literals which cannot change their lineage have the
same one.

WHERE a = 5, a IN (1, 2), a BETWEEN 1 AND 9, a LIKE 'x%', LIMIT 10, INSERT … VALUES (1, 'x')
are masked; SELECT 'x' AS k, a * 2 AS b, date_add(d, 7) AS e and PARTITION (day = 'x') too
ORDER BY 1, PIVOT (… IN ('x')), j -> 'key', stack(2, …), COLUMNS('x.*'), f(5), SELECT a = 5
are not

In a SELECT list a literal is masked only under an alias: without one, dialects name the column
after its text. A literal that is part of a value keeps its kind, which decides the value's type.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from enum import Enum
from itertools import pairwise

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.literal_kinds import DATE_FUNCTIONS, kind_of_number, kind_of_string
from lineal.extract.sql.words import words
from lineal.model.script import Script

MASK = "?"


def fingerprint(script: Script) -> str:
    """The same for two texts exactly when one analysis does for both."""
    tokens, unread = words(script)
    said = script.text if unread else "\x1f".join(masked_words(tokens))
    return hashlib.sha256(
        f"{script.dialect}\x1e{said}".encode("utf-8", "surrogatepass")
    ).hexdigest()


def masked_words(tokens: list[Token]) -> list[str]:
    """Return the words of a text, with a question mark for every literal that cannot matter;
    repeated rows are kept once.
    """
    return Masks(tokens).words()


class Clause(Enum):
    """Where a word stands, as far as it matters here."""

    OTHER = "other"
    ITEM = "item"
    CONDITION = "condition"
    ON = "on"
    VALUES = "values"
    EXPRESSION = "expression"
    BLOCKED = "blocked"

    __hash__ = object.__hash__


T = TokenType
LITERALS = frozenset((T.NUMBER, T.STRING, T.NULL, T.TRUE, T.FALSE))
COMPARING = frozenset(
    (T.EQ, T.NEQ, T.LT, T.LTE, T.GT, T.GTE, T.NULLSAFE_EQ, T.LIKE, T.ILIKE, T.BETWEEN)
)
QUOTES = {
    T.IDENTIFIER: '"', T.STRING: "'", T.NATIONAL_STRING: "n", T.RAW_STRING: "r", T.HEX_STRING: "x", T.BIT_STRING: "b",
    T.BYTE_STRING: "y", T.HEREDOC_STRING: "$", T.UNICODE_STRING: "u",
}  # fmt: skip
TYPED = frozenset(
    (
        T.DATE,
        T.TIME,
        T.TIMESTAMP,
        T.TIMESTAMPTZ,
        T.TIMESTAMPLTZ,
        T.TIMESTAMPNTZ,
        T.DATETIME,
        T.INTERVAL,
    )
)
"""DATE '2024-01-01'      a literal of two words"""
COUNTING = frozenset((T.LIMIT, T.OFFSET))
ARITHMETIC = frozenset((T.PLUS, T.DASH, T.STAR, T.SLASH, T.MOD, T.DIV))
OPERANDS = frozenset(
    (T.VAR, T.IDENTIFIER, T.R_PAREN, T.R_BRACKET, T.CURRENT_DATE, T.CURRENT_TIMESTAMP)
)
"""The last words of operands other than literals; T.L_PAREN may start one."""
BEFORE_CONSTANT = frozenset((T.SELECT, T.DISTINCT, T.COMMA))
PATHS = frozenset(
    (T.ARROW, T.DARROW, T.HASH_ARROW, T.DHASH_ARROW, T.DOT, T.COLON, T.L_BRACKET, T.DCOLON)
)
"""a + 1 -> 'x'      these bind more tightly"""
UNSETTLED = frozenset(
    (T.PIVOT, T.UNPIVOT, T.MATCH_RECOGNIZE, T.DECLARE, T.EXECUTE, T.COMMAND, T.BEGIN, T.PROCEDURE,
     T.FUNCTION, T.USE)
)  # fmt: skip
"""Where one of these is, a value may become a name or a statement."""
DYNAMIC = frozenset(("EXEC", "EXECUTE", "IMMEDIATE", "PREPARE", "DECLARE", "DO", "MACRO", "LET"))
BY_KIND = 2
"""The mark of a literal that is part of a value."""
OPENING = frozenset((T.L_PAREN, T.L_BRACKET, T.L_BRACE))
CLOSING = frozenset((T.R_PAREN, T.R_BRACKET, T.R_BRACE))
BEFORE_ITEM = frozenset((T.L_PAREN, T.COMMA))
AFTER_ITEM = frozenset((T.R_PAREN, T.COMMA))
WRITING = frozenset((T.INSERT, T.UPDATE, T.MERGE))
STARTS = frozenset(
    (T.SELECT, T.WITH, T.INSERT, T.UPDATE, T.DELETE, T.MERGE, T.CREATE, T.FROM, T.L_PAREN)
)
"""Of other statements nobody knows what their literals mean: SET search_path = 'x', COPY, EXECUTE.
"""

CLAUSES: dict[TokenType, Clause] = {
    T.SELECT: Clause.ITEM,
    T.WHERE: Clause.CONDITION, T.HAVING: Clause.CONDITION, T.QUALIFY: Clause.CONDITION, T.ON: Clause.ON,
    T.SET: Clause.CONDITION, T.VALUES: Clause.VALUES,
    **dict.fromkeys(
        (T.FROM, T.JOIN, T.USING, T.GROUP_BY, T.ORDER_BY, T.SORT_BY, T.CLUSTER_BY, T.DISTRIBUTE_BY, T.PARTITION_BY,
         T.WINDOW, T.UNION, T.EXCEPT, T.INTERSECT, T.LATERAL, T.TABLE_SAMPLE, T.WITH, T.PIPE_GT, T.FETCH),
        Clause.OTHER,
    ),
    **dict.fromkeys(
        (T.PIVOT, T.UNPIVOT, T.MATCH_RECOGNIZE, T.DECLARE, T.EXECUTE, T.COMMAND, T.USE, T.ALTER, T.DROP, T.BEGIN),
        Clause.BLOCKED,
    ),
}  # fmt: skip
ITEMS_KEEP = frozenset((T.VALUES, T.SET, T.USE, T.BEGIN, T.FETCH, T.WINDOW, T.ON))
"""Words that may be names in a SELECT list, or be in DISTINCT ON."""
CONDITIONS = frozenset((Clause.ITEM, Clause.CONDITION, Clause.ON, Clause.EXPRESSION, Clause.VALUES))


def said_by(token: Token) -> str:
    """Return a word; quoted words differ from unquoted ones, whatever the quotes were."""
    return QUOTES.get(token.token_type, " ") + token.text


def kind_of(token: Token, mark: int) -> str:
    """Return the kind of a masked literal that is part of a value; nothing for another one."""
    if mark != BY_KIND:
        return ""

    return kind_of_number(token.text) if token.token_type is T.NUMBER else QUOTES[T.STRING]


class Level:
    """The words between two brackets, and the literals of a SELECT item that wait for its alias."""

    __slots__ = ("between", "clause", "function", "listed", "path", "row", "start", "waiting")

    def __init__(
        self, clause: Clause, listed: bool = False, row: bool = False, start: int = 0
    ) -> None:
        """Open a level of parentheses inside a clause."""
        self.clause = clause
        self.listed = listed
        self.row = row
        self.start = start
        self.between = False
        self.function = ""
        """whose arguments these are"""
        self.path = False
        """a[1]      between such brackets, at any depth"""
        self.waiting: list[tuple[int, int]] = []


class Masks:
    """Goes through the words of a text once, and finds the literals that cannot matter."""

    def __init__(self, tokens: list[Token]) -> None:
        """Start without a masked token."""
        self.tokens = tokens
        self.kinds = [token.token_type for token in tokens]
        self.masked = bytearray(len(tokens))
        self.signs: list[int] = []
        self.commas: list[int] = []
        self.rows: list[tuple[int, int]] = []
        self.between = -1
        self.levels = [Level(Clause.BLOCKED)]
        self.writes = False
        self.settled = UNSETTLED.isdisjoint(self.kinds)

    def words(self) -> list[str]:
        """Return the words of the text, with masked literals."""
        if LITERALS.isdisjoint(self.kinds):
            return list(map(said_by, self.tokens))

        self.mark()
        said = [
            MASK + kind_of(token, masked) if masked else said_by(token)
            for token, masked in zip(self.tokens, self.masked, strict=True)
        ]
        for at in self.surplus(said):
            said[at] = ""

        return [word for word in said if word]

    def mark(self) -> None:
        """Mark the literals that do not matter to lineage."""
        kinds = self.kinds
        self.settled = self.settled and DYNAMIC.isdisjoint(
            token.text.upper() for token in self.tokens if token.token_type is T.VAR
        )
        starting = True
        for at, kind in enumerate(kinds):
            if starting:
                starting = False
                self.levels = [Level(Clause.OTHER if kind in STARTS else Clause.BLOCKED)]
                self.writes = False

            if kind in LITERALS:
                self.literal(at)
            elif kind in OPENING:
                self.open(at)
            elif kind in CLOSING:
                self.close(at)
            elif kind is T.SEMICOLON:
                self.end_all(at)
                starting = True
            elif kind is T.COMMA:
                self.comma(at)
            elif kind is T.AND:
                self.second_bound(at)
            else:
                self.word(at, kind)

        self.end_all(len(kinds))

    # -- words -------------------------------------------------------------------------------------

    def word(self, at: int, kind: TokenType) -> None:
        """Read one keyword."""
        level = self.levels[-1]
        if kind is T.BETWEEN:
            level.between = True

        if kind in WRITING:
            self.writes = True

        if kind in COUNTING and self.kind(at + 1) is T.NUMBER:
            self.turn(at, Clause.OTHER)

        clause = CLAUSES.get(kind)
        before = self.kind(at - 1)
        if clause is None or before is T.DOT or (before is T.DISTINCT and kind in (T.FROM, T.ON)):
            return

        if level.clause is Clause.ITEM and kind in ITEMS_KEEP:
            return

        if kind in (T.SET, T.VALUES) and not self.writes:
            clause = Clause.BLOCKED

        if level.clause is Clause.BLOCKED and kind is not T.SELECT:
            return

        self.turn(at, clause)

    def turn(self, at: int, clause: Clause) -> None:
        """Start a clause."""
        level = self.levels[-1]
        if level.clause is Clause.BLOCKED and len(self.levels) == 1:
            return

        self.end_item(at, level)
        level.clause, level.listed, level.between = clause, False, False

    def second_bound(self, at: int) -> None:
        """Note an AND that belongs to a BETWEEN.

        BETWEEN 1 AND 9      this AND is that of the BETWEEN
        """
        level = self.levels[-1]
        if level.between:
            level.between, self.between = False, at

    def comma(self, at: int) -> None:
        """Read a comma."""
        level = self.levels[-1]
        if level.listed and not level.row:
            self.commas.append(at)

        if level.clause is Clause.ITEM:
            self.end_item(at, level)
        elif level.clause is Clause.ON:
            level.clause = Clause.OTHER

    # -- brackets ----------------------------------------------------------------------------------

    def open(self, at: int) -> None:
        """Read an opening parenthesis."""
        level, before = self.levels[-1], self.kind(at - 1)
        inner = Clause.EXPRESSION if level.clause in CONDITIONS else Clause.OTHER
        if before is not None and self.tokens[at - 1].text.upper() == "COLUMNS":
            inner = Clause.OTHER

        if before is T.PARTITION and self.writes and level.clause is Clause.OTHER:
            inner = Clause.CONDITION  # PARTITION (day = '2026-01-31')

        if self.kinds[at] is not T.L_PAREN or inner is Clause.OTHER:
            opened = Level(inner)
        else:
            row = level.clause is Clause.VALUES and before in (T.VALUES, T.COMMA)
            listed = row or before is T.IN or (level.listed and before in BEFORE_ITEM)
            opened = Level(inner, listed, row, at)
            opened.function = self.tokens[at - 1].text.upper() if at else ""

        opened.path = level.path or self.kinds[at] is not T.L_PAREN
        self.levels.append(opened)

    def close(self, at: int) -> None:
        """Read a closing parenthesis."""
        if len(self.levels) == 1:
            return

        level = self.levels[-1]
        self.end_item(at, level)
        if level.row:
            self.rows.append((level.start, at))

        self.levels.pop()

    def end_all(self, at: int) -> None:
        """Close every open parenthesis."""
        while len(self.levels) > 1:
            self.close(at)

        self.end_item(at, self.levels[0])

    def end_item(self, at: int, level: Level) -> None:
        """Note the end of an item of the SELECT list.

        … AS name      then the literals in it cannot be part of a name
        """
        waiting, level.waiting = level.waiting, []
        if waiting and self.kind(at - 2) is T.ALIAS:
            for found, mark in waiting:
                self.mask(found, len(self.levels) - 1, mark)

    # -- literals ----------------------------------------------------------------------------------

    def literal(self, at: int) -> None:
        """Decide whether a literal is masked."""
        first = at - 1 if self.has_sign(at) else at
        before = self.kind(first - 1)
        level = self.levels[-1]
        if before in COUNTING or self.second_of_limit(at):
            allowed = level.clause is not Clause.BLOCKED
        elif level.clause not in CONDITIONS:
            return
        else:
            if before is T.INTERVAL or (before in TYPED and self.kinds[at] is T.STRING):
                before = self.kind(first - 2)
                first -= 1

            allowed = self.is_compared(first, before) or (
                level.listed and before in BEFORE_ITEM and self.kind(at + 1) in AFTER_ITEM
            )

        if allowed or self.is_part_of_value(at, first, before):
            self.mask(at, len(self.levels), 1 if allowed else BY_KIND)
            if self.has_sign(at):
                self.signs.append(at - 1)

    def is_compared(self, first: int, before: TokenType | None) -> bool:
        """Tell whether a literal is compared with something.

        a = 5, a LIKE 'x', a BETWEEN 1 AND 9; but not SELECT * LIKE 'x', nor @a = 5, which may be
        an assignment
        """
        if before not in COMPARING:
            return before is T.AND and self.between == first - 1

        left = self.kind(first - 2)
        return left is not T.STAR and self.kind(first - 3) is not T.PARAMETER

    def is_part_of_value(self, at: int, first: int, before: TokenType | None) -> bool:
        """Tell whether a literal is a value of its own, or a part of one that is computed.

        SELECT 'x' AS k, a * 2 AS b, date_add(d, 7) AS e, d - INTERVAL '1 day' AS f
        """
        level = self.levels[-1]
        kind = self.kinds[at]
        if not self.settled or level.path or kind not in (T.NUMBER, T.STRING):
            return False

        is_item = level.clause is Clause.ITEM and before in BEFORE_CONSTANT
        if is_item and self.kind(at + 1) is T.ALIAS:
            return True

        if level.function in DATE_FUNCTIONS and before in BEFORE_ITEM:
            is_date = kind is T.NUMBER or kind_of_string(self.tokens[at].text) == "'d"
            return is_date and self.kind(at + 1) in AFTER_ITEM

        if kind is T.STRING and first == at:  # j - 'key' takes a key out of a document
            return False

        return self.is_operand(at, first, before)

    def is_operand(self, at: int, first: int, before: TokenType | None) -> bool:
        """Tell whether a number is computed with a column or another expression.

        a * 2, (a + b) / 100, 1 - a
        """
        after = self.kind(at + 1)
        if before in ARITHMETIC and self.kind(first - 2) in OPERANDS:
            return after not in PATHS

        if before is T.SELECT or before in BEFORE_ITEM:
            other = self.kind(at + 2)
            return after in ARITHMETIC and (other in OPERANDS or other is T.L_PAREN)

        return False

    def second_of_limit(self, at: int) -> bool:
        """Tell whether a literal is the second number of LIMIT.

        LIMIT 5, 10
        """
        return (
            self.kind(at - 1) is T.COMMA
            and self.kind(at - 2) is T.NUMBER
            and self.kind(at - 3) is T.LIMIT
        )

    def has_sign(self, at: int) -> bool:
        """Tell whether a number has a sign.

        = -5, (-5, …      the sign belongs to the number
        """
        before = self.kind(at - 2)
        return self.kind(at - 1) is T.DASH and (
            before in COMPARING or before in BEFORE_ITEM or before in (T.AND, T.SELECT)
        )

    def mask(self, at: int, depth: int, mark: int) -> None:
        """Mask a literal, once the SELECT item around it, if there is one, turns out to have an
        alias.
        """
        for level in reversed(self.levels[:depth]):
            if level.clause is Clause.ITEM:
                level.waiting.append((at, mark))
                return

        self.masked[at] = mark

    def kind(self, at: int) -> TokenType | None:
        """Return the kind of a token, or None outside the text."""
        if 0 <= at < len(self.kinds):
            return self.kinds[at]

        return None

    # -- repetitions -------------------------------------------------------------------------------

    def surplus(self, said: list[str]) -> Iterator[int]:
        """Yield the repeated items of lists.

        IN (?, ?, ?) is IN (?), VALUES (?, ?), (?, ?) is VALUES (?, ?)

        how many there are decides nothing
        """
        yield from (at for at in self.signs if self.masked[at + 1])
        for at in self.commas:
            after = at + 2 if self.kind(at + 1) is T.DASH else at + 1
            if self.masked[at - 1] == 1 and after < len(said) and self.masked[after] == 1:
                yield from (at, after)

        for (start, end), (next_start, next_end) in pairwise(self.rows):
            if next_start == end + 2 and said[start : end + 1] == said[next_start : next_end + 1]:
                yield from range(end + 1, next_end + 1)
