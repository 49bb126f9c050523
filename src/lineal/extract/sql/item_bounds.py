"""Items: the part of a clause around a name, found in the words of a script.

SELECT a, **sum(x) AS total** FROM t … MERGE … ON **t.id = s.id** WHEN MATCHED THEN …

One pass over the words cuts them all; who asks for an item looks it up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlglot.tokenizer_core import Token, TokenType

OPENING = frozenset((TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE))
CLOSING = frozenset((TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE))

ALWAYS = frozenset(
    (TokenType.SELECT, TokenType.WHERE, TokenType.HAVING, TokenType.QUALIFY, TokenType.JOIN, TokenType.GROUP_BY,
     TokenType.SORT_BY, TokenType.CLUSTER_BY, TokenType.DISTRIBUTE_BY, TokenType.STRAIGHT_JOIN)
)  # fmt: skip
"""Words between items wherever they stand."""

IN_QUERIES = frozenset(
    (TokenType.ON, TokenType.ORDER_BY, TokenType.FROM, TokenType.USING, TokenType.SET, TokenType.VALUES,
     TokenType.WINDOW, TokenType.LIMIT, TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT, TokenType.OFFSET,
     TokenType.FETCH, TokenType.INTO, TokenType.RETURNING, TokenType.PREWHERE, TokenType.CONNECT_BY,
     TokenType.START_WITH, TokenType.ORDER_SIBLINGS_BY, TokenType.PIVOT, TokenType.UNPIVOT)
)  # fmt: skip
"""Words between items of a query; in the brackets of a call they are its own."""

JOINS = frozenset(
    (TokenType.LEFT, TokenType.RIGHT, TokenType.INNER, TokenType.FULL, TokenType.CROSS, TokenType.NATURAL,
     TokenType.OUTER, TokenType.SEMI, TokenType.ANTI, TokenType.ASOF)
)  # fmt: skip
JOIN_WORDS = frozenset((*JOINS, TokenType.JOIN, TokenType.LATERAL))

QUERY_STARTS = frozenset(
    ("SELECT", "SEL", "WITH", "VALUES", "FROM", "INSERT", "UPDATE", "DELETE", "MERGE", "PIVOT", "UNPIVOT", "TABLE")
)  # fmt: skip

ROWS_AFTER = frozenset(("VALUES", "USING"))
"""Words whose brackets hold items of their own."""

BRANCHES = frozenset(("WHEN", "THEN", "ELSE"))
"""Words of CASE; outside it, of MERGE and INSERT ALL."""

WORDS: dict[str, frozenset[str]] = {
    "OUTPUT": frozenset(("INSERTED", "DELETED", "$", "$ACTION")),
    "OPTION": frozenset("("),
    "LOOP": frozenset(),
    "SETTINGS": frozenset(),
    "FORMAT": frozenset(),
    "KEYS": frozenset("("),
    "APPLY": frozenset(("AS", "(")),
    "SEQUENCE": frozenset(("BY",)),
    "STORED": frozenset(("AS",)),
    "COLUMNS": frozenset("*"),
    "LOG": frozenset(("ERRORS",)),
    "WITH": frozenset(
        ("CHECK", "LOCAL", "CASCADED", "READ", "NO", "DATA", "SCHEMA", "TIES", "ROLLUP", "CUBE")
    ),
    "START": frozenset(("WITH",)),
    "CONNECT": frozenset(("BY",)),
    "SEGMENTED": frozenset(("BY",)),
    "UNSEGMENTED": frozenset(("ALL",)),
    "DISTRIBUTED": frozenset(("BY", "RANDOMLY", "REPLICATED")),
    "DISTRIBUTE": frozenset(("ON", "BY")),
    "CYCLE": frozenset(),
    "SEARCH": frozenset(("DEPTH", "BREADTH")),
    "GROUPING": frozenset(("SETS",)),
    "FOR": frozenset(("UPDATE", "XML", "JSON", "SHARE", "BROWSE", "READ", "FETCH")),
    "MATCH_CONDITION": frozenset("("),
    "INSERT": frozenset(("INTO", "OVERWRITE", "VALUES", "(", "ROW", "*", "DEFAULT")),
    "UPDATE": frozenset(("SET", "*")),
    "EXPAND": frozenset(("ON",)),
    "MODEL": frozenset(),
    "RETURNING": frozenset(),
    "RETURN": frozenset(),
    "ORDER": frozenset(("SIBLINGS",)),
    "VALUES": frozenset("("),
    **dict.fromkeys(("PRINT", "OPEN", "EXEC", "CLOSE", "DEALLOCATE", "DECLARE"), frozenset()),
}
"""A word, and what follows it where it ends an item; nothing: whatever an item may begin with."""

BELONGING: dict[str, frozenset[str]] = {
    "WHEN": frozenset(("NOT", "MATCHED", "BY", "SOURCE", "TARGET", "AND")),
    "ON": frozenset(("DUPLICATE", "KEY", "UPDATE")),
    "START": frozenset(("WITH",)),
    "CONNECT": frozenset(("BY", "NOCYCLE")),
    "CONNECT BY": frozenset(("NOCYCLE",)),
    "ORDER": frozenset(("SIBLINGS", "BY")),
    "UNPIVOT": frozenset(("INCLUDE", "EXCLUDE", "NULLS")),
    "CROSS": frozenset(("APPLY",)),
    "OUTER": frozenset(("APPLY",)),
}
"""A word between items, and those that belong to it."""

PATTERN_WORDS = frozenset(
    ("PARTITION BY", "ORDER BY", "MEASURES", "ONE", "ALL", "AFTER", "PATTERN", "SUBSET", "DEFINE", "WITHIN")
)  # fmt: skip
"""The clauses of MATCH_RECOGNIZE."""

OPERANDS = frozenset(
    (TokenType.VAR, TokenType.IDENTIFIER, TokenType.STRING, TokenType.NUMBER, TokenType.R_PAREN,
     TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END, TokenType.NULL, TokenType.TRUE, TokenType.FALSE,
     TokenType.STAR, TokenType.PARAMETER)
)  # fmt: skip
"""The tokens that an expression may end with."""

OPERATORS = frozenset(
    (TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.GT, TokenType.LTE, TokenType.GTE, TokenType.PLUS,
     TokenType.DASH, TokenType.STAR, TokenType.SLASH, TokenType.DPIPE, TokenType.COMMA, TokenType.DOT,
     TokenType.AND, TokenType.OR)
)  # fmt: skip

COMPARISONS = frozenset((TokenType.LT, TokenType.GT, TokenType.LTE, TokenType.GTE))

INERT = frozenset(
    (*(OPERATORS - {TokenType.COMMA}), TokenType.IDENTIFIER, TokenType.STRING, TokenType.NUMBER, TokenType.NULL,
     TokenType.TRUE, TokenType.FALSE)
)  # fmt: skip
"""Kinds of words that never separate items; most words of a text are of one of them, or names."""

SEPARATING_NAMES = frozenset((*WORDS, *BRANCHES, "BY"))
"""The words that may separate items, among those that the tokenizer takes for names."""


class Bounds(NamedTuple):
    """The first and the last word of an item."""

    first: int
    last: int


class Level:
    """A pair of brackets, or the statement around all of them."""

    __slots__ = ("cases", "item", "own", "pattern", "query", "since")

    def __init__(self, item: int, query: bool, pattern: bool = False) -> None:
        """Open a level of parentheses inside an item."""
        self.item = item
        """the item that the words at this level belong to"""
        self.query = query
        self.pattern = pattern
        self.own = False
        """whether the item begins at this level, rather than around it"""
        self.cases = 0
        self.since = ""
        """the word that the item follows"""


class Items:
    """The items of a script's words."""

    def __init__(self, tokens: Sequence[Token], starts: Sequence[int]) -> None:
        """Assign every token to the innermost item around it."""
        self.tokens = tokens
        self.starts = frozenset(starts)
        self.owner = [0] * len(tokens)
        self.bounds: list[Bounds] = [Bounds(0, len(tokens) - 1)]
        self.levels: list[Level] = [Level(0, query=True)]
        self.skip = 0
        self.shown = (-1, "")
        """the item that was shown last, and its text: all columns of an item show the same"""
        for position in range(len(tokens)):
            self.read(position)

        while len(self.levels) > 1:
            self.close(len(tokens) - 1)
            self.levels.pop()

        self.close(len(tokens) - 1)

    def at(self, position: int) -> Bounds:
        """Return the item that a word belongs to."""
        return self.bounds[self.owner[position]]

    def text_at(self, position: int, text: str) -> str:
        """Return the item that a word belongs to, on one line."""
        item = self.owner[position]
        if item != self.shown[0]:
            first, last = self.bounds[item]
            written = text[self.tokens[first].start : self.tokens[last].end + 1]
            self.shown = item, " ".join(written.split())

        return self.shown[1]

    # -- one word ------------------------------------------------------------------------------

    def read(self, position: int) -> None:
        """Take one word."""
        token = self.tokens[position]
        kind = token.token_type
        if kind is TokenType.SEMICOLON or token.start in self.starts:
            self.begin_statement(position)

        level = self.levels[-1]
        if kind in INERT or (kind is TokenType.VAR and self.is_plain_name(position, level)):
            self.owner[position] = level.item
        elif kind in OPENING:
            self.owner[position] = level.item
            self.open(position)
        elif kind in CLOSING:
            self.end_brackets(position)
        elif position < self.skip:
            self.owner[position] = level.item
        elif kind is TokenType.COMMA:
            if level.own:
                self.begin(position + 1, level, level.since)

            self.owner[position] = level.item
        elif self.is_between(position, level):
            self.skip = self.after_words(position)
            self.begin(self.skip, level, token.text.upper(), end=position - 1)
            self.owner[position] = level.item
        else:
            self.count_case(position, level)
            self.owner[position] = level.item

    def begin_statement(self, position: int) -> None:
        """Forget the brackets of the statement before."""
        first = position + (self.tokens[position].token_type is TokenType.SEMICOLON)
        while len(self.levels) > 1:
            self.close(position - 1)
            self.levels.pop()

        base = self.levels[0]
        base.cases = 0
        self.begin(first, base, "", end=position - 1)

    def begin(self, first: int, level: Level, since: str, end: int | None = None) -> None:
        """Begin an item at a level; the one before ends there."""
        if level.own or len(self.levels) == 1:
            self.close(first - 2 if end is None else end)

        first = min(first, len(self.tokens) - 1)  # ON, and the text ends
        self.bounds.append(Bounds(first, first))
        level.item = len(self.bounds) - 1
        level.own = True
        level.since = since

    def close(self, last: int) -> None:
        """End the item of the innermost level, if it has one of its own."""
        level = self.levels[-1]
        if level.own or len(self.levels) == 1:
            first = self.bounds[level.item].first
            self.bounds[level.item] = Bounds(first, max(first, last))

    def open(self, position: int) -> None:
        """Begin a pair of brackets."""
        before = self.tokens[position - 1].text.upper() if position else ""
        level = self.levels[-1]
        inner = Level(level.item, self.holds_query(position), before == "MATCH_RECOGNIZE")
        self.levels.append(inner)
        of_rows = before == "," and level.since == "VALUES" and level.own
        distinct_on = (
            before == "ON" and position > 1 and is_word(self.tokens[position - 2], "DISTINCT")
        )
        listed = before in ROWS_AFTER and level.since == before
        if (listed or of_rows or distinct_on) and not inner.query:
            self.begin(position + 1, inner, "")

    def end_brackets(self, position: int) -> None:
        """End a pair of brackets; behind DISTINCT ON (…) the list of SELECT begins."""
        if len(self.levels) > 1:
            self.close(position - 1)
            self.levels.pop()
        else:
            # the brackets around a statement
            self.begin(position + 1, self.levels[0], "", end=position - 1)

        level = self.levels[-1]
        self.owner[position] = level.item
        if level.since == "DISTINCT ON":
            self.begin(position + 1, level, "SELECT")

    def count_case(self, position: int, level: Level) -> None:
        """CASE … END      its WHEN, THEN and ELSE are inside an item"""
        kind = self.tokens[position].token_type
        if position and self.tokens[position - 1].token_type is TokenType.DOT:
            return

        if kind is TokenType.CASE:
            level.cases += 1
        elif kind is TokenType.END and level.cases:
            level.cases -= 1

    # -- words between items ---------------------------------------------------------------------

    def is_plain_name(self, position: int, level: Level) -> bool:
        """Tell whether a name never separates items."""
        if level.pattern or self.tokens[position].text.upper() in SEPARATING_NAMES:
            return False

        return position == 0 or self.tokens[position - 1].token_type is not TokenType.PIPE_GT

    def is_between(self, position: int, level: Level) -> bool:
        """Tell whether a word separates two items."""
        token = self.tokens[position]
        kind = token.token_type
        before = self.tokens[position - 1].token_type if position else None
        if before is TokenType.DOT or kind is TokenType.IDENTIFIER or kind is TokenType.STRING:
            return False

        if is_word(self.following(position), "."):
            return False

        if kind is TokenType.PIPE_GT or before is TokenType.PIPE_GT:
            return True

        if kind in ALWAYS:
            return True

        if level.pattern:
            return token.text.upper() in PATTERN_WORDS

        if kind in JOINS:
            return self.is_join(position)

        word = token.text.upper()
        if word in BRANCHES:
            return level.query and not level.cases

        if kind is TokenType.PARTITION_BY:
            return level.query and level.since in ("FROM", "JOIN")

        if kind is TokenType.END:
            return level.query and not level.cases

        if kind in IN_QUERIES:
            return (level.query or self.in_join(level)) and self.is_clause(position, level)

        if kind in (TokenType.ALL, TokenType.DISTINCT):
            return (
                level.query
                and level.since in ("SELECT", "UNION", "EXCEPT", "INTERSECT")
                and (position == self.bounds[level.item].first)
            )

        return level.query and self.is_word_between(position, level)

    def in_join(self, level: Level) -> bool:
        """(u JOIN w USING (a))      the words of a join count in its brackets, too"""
        return level.own and level.since == "JOIN"

    def is_join(self, position: int) -> bool:
        """LEFT JOIN, OUTER APPLY      and not LEFT(a, 2)"""
        following = self.following(position)
        if following is None:
            return False

        return following.token_type in JOIN_WORDS or following.text.upper() == "APPLY"

    def is_clause(self, position: int, level: Level) -> bool:
        """Tell a clause from another use of its word."""
        kind = self.tokens[position].token_type
        before = self.tokens[position - 1] if position else None
        following = self.following(position)
        if kind is TokenType.VALUES:
            return before is None or before.token_type not in OPERATORS

        if kind is TokenType.EXCEPT:
            return not is_word(before, "MULTISET") and self.is_set_operation(position)

        if kind is TokenType.FROM:
            # a IS DISTINCT FROM b
            return not is_word(before, "DISTINCT")

        if kind is TokenType.USING:
            return following is None or following.token_type not in COMPARISONS

        if kind is TokenType.PIVOT and not is_word(following, "("):
            return True

        if kind in (TokenType.OFFSET, TokenType.SET, TokenType.WINDOW, TokenType.PIVOT):
            return not is_word(before, "WITH") and not is_word(before, "AS")

        if kind is TokenType.ON and is_word(before, "DISTINCT"):
            self.levels[-1].since = "DISTINCT ON"
            return False

        return not is_word(before, "AS") or level.since != "SELECT"

    def is_set_operation(self, position: int) -> bool:
        """a EXCEPT SELECT b      and not * EXCEPT (a)"""
        for token in self.tokens[position + 1 : position + 4]:
            if token.text.upper() in QUERY_STARTS or token.text.upper() in ("ALL", "DISTINCT"):
                return True

            if token.token_type is not TokenType.L_PAREN:
                return False

        return False

    def is_word_between(self, position: int, level: Level) -> bool:
        """Tell whether a word that may be a name ends an item."""
        word = self.tokens[position].text.upper()
        if word == "BY":
            return level.since == "LIMIT"

        follow = WORDS.get(word)
        if follow is None or position == self.bounds[level.item].first:
            return False

        if self.tokens[position - 1].token_type not in OPERANDS and word not in (
            "INSERT",
            "UPDATE",
        ):
            return False

        following = self.following(position)
        if following is None:
            return word in ("RETURN", "LOOP")

        if follow:
            return following.text.upper() in follow

        return following.token_type not in IN_QUERIES | CLOSING | OPERATORS

    def after_words(self, position: int) -> int:
        """Return where the item behind a word begins.

        WHEN NOT MATCHED BY SOURCE AND t.a = 1      t.a
        """
        place = position + 1
        belonging = BELONGING.get(self.tokens[position].text.upper())
        if belonging is None:
            return place

        while place < len(self.tokens) and self.tokens[place].text.upper() in belonging:
            place += 1
            if is_word(self.tokens[place - 1], "AND"):
                break

        return place

    # -- words around ----------------------------------------------------------------------------

    def following(self, position: int) -> Token | None:
        """Return the next word."""
        return self.tokens[position + 1] if position + 1 < len(self.tokens) else None

    def holds_query(self, position: int) -> bool:
        """(SELECT …), ((SELECT …) UNION …)      brackets around a query"""
        for token in self.tokens[position + 1 : position + 9]:
            if token.token_type is not TokenType.L_PAREN:
                return token.text.upper() in QUERY_STARTS

        return False


def is_word(token: Token | None, word: str) -> bool:
    """Tell whether a token is a certain word."""
    return token is not None and token.text.upper() == word
