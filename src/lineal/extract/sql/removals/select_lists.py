"""The queries of a text, with the items of their SELECT lists; found in its words.

    with paid as (select id, amount as euros from orders where paid) select * from paid

Two queries: `paid` with the items `id` and `euros`, and the main one with a star over `paid`. Words
are enough: a template may keep a text from being parsed, and an edit needs exact offsets anyway.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlglot.tokenizer_core import Token, TokenType

OPENING = frozenset((TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE))
CLOSING = frozenset((TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE))
SET_OPERATIONS = frozenset((TokenType.UNION, TokenType.INTERSECT, TokenType.EXCEPT))
SOURCES_END = frozenset(
    (TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING, TokenType.ORDER_BY, TokenType.LIMIT,
     TokenType.QUALIFY, TokenType.WINDOW, TokenType.FETCH, TokenType.OFFSET, TokenType.SORT_BY,
     TokenType.CLUSTER_BY, TokenType.DISTRIBUTE_BY)
)  # fmt: skip
LIST_END = SOURCES_END | {TokenType.FROM, TokenType.INTO, TokenType.LATERAL}
BEFORE_ITEMS = {TokenType.DISTINCT: 1, TokenType.ALL: 1, TokenType.TOP: 2}
"""Words before a SELECT list, and how many words each has with it: TOP 10."""
NAMES = frozenset((TokenType.VAR, TokenType.IDENTIFIER))
JOINING = frozenset((TokenType.JOIN, TokenType.STRAIGHT_JOIN, TokenType.COMMA))


class Item(NamedTuple):
    """An item of a SELECT list: its first and last word."""

    first: int
    last: int


class Origin(NamedTuple):
    """A member of FROM: a name or a query in brackets, and what it is called."""

    name: str
    alias: str
    query: Query | None


@dataclass
class Select:
    """One SELECT: its list, and the clauses behind it up to `end`."""

    start: int
    items: list[Item] = field(default_factory=list)
    list_end: int = 0
    end: int = 0
    distinct: bool = False
    origins: list[Origin] = field(default_factory=list)


@dataclass
class Query:
    """The SELECTs of one level, joined by set operations."""

    first: int
    last: int
    name: str = ""
    """of a CTE"""
    has_column_list: bool = False
    """WITH a (x, y) AS (…): the names come from there"""
    selects: list[Select] = field(default_factory=list)
    inner: list[Query] = field(default_factory=list)


class Queries:
    """The words of one statement, and the queries in them."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        """Find the queries of a statement, and for each SELECT the sources it reads."""
        self.tokens = tokens
        self.partner = _partners(tokens)
        self.main = self._query(0, len(tokens) - 1)
        self.all = list(_walk(self.main))
        self.ctes = {query.name: query for query in self.all if query.name}
        for query in self.all:
            for select in query.selects:
                select.origins = list(self._origins(select))

    # -- levels ------------------------------------------------------------------------------------

    def _query(self, first: int, last: int) -> Query:
        """Read one level: the words from first to last, with the brackets inside."""
        query = Query(first, last)
        select: Select | None = None
        position = first
        while position <= last:
            kind = self.tokens[position].token_type
            if kind is TokenType.SELECT:
                select = self._begin(query, position)
            elif self._is_set_operation(position) and select is not None:
                select.end = position - 1
                select = None

            position = self._step(query, position)

        return query

    def _begin(self, query: Query, position: int) -> Select:
        """Begin a SELECT at a word, and read its list."""
        select = Select(position, end=query.last)
        query.selects.append(select)
        at = position + 1
        while at <= query.last and self.tokens[at].token_type in BEFORE_ITEMS:
            select.distinct |= self.tokens[at].token_type is TokenType.DISTINCT
            at += BEFORE_ITEMS[self.tokens[at].token_type]

        begin = at
        while at <= query.last and not self._ends_list(at):
            if self.tokens[at].token_type is TokenType.COMMA:
                select.items.append(Item(begin, at - 1))
                begin = at + 1

            at = self.partner.get(at, at) + 1

        if begin < at:
            select.items.append(Item(begin, at - 1))

        select.list_end = at - 1
        return select

    def _ends_list(self, position: int) -> bool:
        """Tell whether a word ends a SELECT list."""
        kind = self.tokens[position].token_type
        if kind is TokenType.FROM:
            return self.tokens[position - 1].token_type is not TokenType.DISTINCT

        return kind in LIST_END or self._is_set_operation(position)

    def _is_set_operation(self, position: int) -> bool:
        """a EXCEPT SELECT b      and not * EXCEPT (a)"""
        if self.tokens[position].token_type not in SET_OPERATIONS:
            return False

        ahead = self.tokens[position + 1 : position + 4]
        words = {token.token_type for token in ahead}
        return bool(words & {TokenType.SELECT, TokenType.ALL, TokenType.DISTINCT, TokenType.WITH})

    def _step(self, query: Query, position: int) -> int:
        """Return the next word of a level; a query in brackets is read on the way."""
        closing = self.partner.get(position)
        if closing is None:
            return position + 1

        self._add_inner(query, position, closing)
        return closing + 1

    def _add_inner(self, query: Query, opening: int, closing: int) -> None:
        """Read the words in a pair of brackets."""
        inner = self._query(opening + 1, closing - 1)
        if inner.selects:
            inner.name, inner.has_column_list = self._cte_name(opening)

        query.inner.append(inner)

    def _cte_name(self, opening: int) -> tuple[str, bool]:
        """WITH name AS (      the name of the query in these brackets; '' if it has none"""
        at = opening - 1
        while at > 0 and self.tokens[at].text.upper() in ("NOT", "MATERIALIZED"):
            at -= 1

        if at < 1 or self.tokens[at].token_type is not TokenType.ALIAS:
            return "", False

        before = self.tokens[at - 1]
        if before.token_type in CLOSING:
            start = next(a for a, b in self.partner.items() if b == at - 1)
            return self.tokens[start - 1].text.lower(), True

        return before.text.lower(), False

    # -- FROM --------------------------------------------------------------------------------------

    def _origins(self, select: Select) -> Iterator[Origin]:
        """Yield the members of FROM, with their joins."""
        at = select.list_end + 1
        expects = False
        while at <= select.end:
            kind = self.tokens[at].token_type
            if kind in SOURCES_END:
                return

            if expects and kind is not TokenType.LATERAL:
                yield self._origin(at, select.end)

            expects = kind is TokenType.FROM or kind in JOINING
            at = self.partner.get(at, at) + 1

    def _origin(self, position: int, end: int) -> Origin:
        """Return the member of FROM that begins at a word."""
        closing = self.partner.get(position)
        if closing is not None:
            query = next((each for each in self.all if each.first == position + 1), None)
            return Origin("", self._alias(closing + 1, end), query)

        at, name = position, self.tokens[position].text.lower()
        while at + 2 <= end and self.tokens[at + 1].token_type is TokenType.DOT:
            at += 2
            name = f"{name}.{self.tokens[at].text.lower()}"

        return Origin(
            name, self._alias(at + 1, end) or name.rpartition(".")[2], self.ctes.get(name)
        )

    def _alias(self, position: int, end: int) -> str:
        """Return the name behind a member of FROM, '' if there is none."""
        if position <= end and self.tokens[position].token_type is TokenType.ALIAS:
            position += 1

        if position <= end and self.tokens[position].token_type in NAMES:
            return self.tokens[position].text.lower()

        return ""

    # -- items -------------------------------------------------------------------------------------

    def is_star(self, item: Item) -> bool:
        """Tell whether an item is `*` or `t.*`, with or without EXCEPT and the like."""
        return any(self._is_plain_star(at, item) for at in range(item.first, item.last + 1))

    def _is_plain_star(self, position: int, item: Item) -> bool:
        """Tell whether a word is the star of an item, and not a product."""
        if self.tokens[position].token_type is not TokenType.STAR:
            return False

        is_start = position == item.first
        is_behind_dot = position > 0 and self.tokens[position - 1].token_type is TokenType.DOT
        return is_start or (is_behind_dot and position == item.first + 2)

    def star_origin(self, item: Item) -> str:
        """t.*      t; '' for a bare star"""
        if self.tokens[item.first].token_type is TokenType.STAR:
            return ""

        return self.tokens[item.first].text.lower()

    def name_of(self, item: Item) -> str:
        """Return the name of an output column, '' if the item does not tell."""
        last = self.tokens[item.last]
        if last.token_type in CLOSING or last.token_type is TokenType.END:
            return ""

        return last.text.lower()

    def is_reference(self, item: Item) -> bool:
        """Tell whether an item is a column as it is, whatever it is called: a, t.a AS b"""
        last = item.last
        if last > item.first and self.tokens[last - 1].token_type is TokenType.ALIAS:
            last -= 2

        return self._is_reference(item.first, last) and self.tokens[last].token_type in NAMES

    def is_aliased(self, item: Item) -> bool:
        """Tell whether an item has a name that its expression does not have."""
        if self._is_reference(item.first, item.last):
            return False

        alias_at = item.last - 1
        if self.tokens[alias_at].token_type is TokenType.ALIAS:
            before = self.tokens[alias_at - 1].text.lower()
            return not self._is_reference(item.first, alias_at - 1) or before != self.name_of(item)

        return True

    def _is_reference(self, first: int, last: int) -> bool:
        """Tell whether some words are a column: a, t.a"""
        between = range(first + 1, last + 1, 2)
        return all(self.tokens[at].token_type is TokenType.DOT for at in between)

    def words_in(self, first: int, last: int) -> Iterator[str]:
        """Yield the names among some words, in lower case."""
        for token in self.tokens[first : last + 1]:
            if token.token_type is not TokenType.STRING:
                yield token.text.lower()


def _walk(query: Query) -> Iterator[Query]:
    """Yield a query and all queries in it."""
    yield query
    for inner in query.inner:
        yield from _walk(inner)


def _partners(tokens: Sequence[Token]) -> dict[int, int]:
    """Return where each bracket that opens is closed."""
    found: dict[int, int] = {}
    waiting: list[int] = []
    for position, token in enumerate(tokens):
        if token.token_type in OPENING:
            waiting.append(position)
        elif token.token_type in CLOSING and waiting:
            found[waiting.pop()] = position

    return found
