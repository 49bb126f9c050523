"""Columns, taken out of the SELECT lists that make them.

    remove_columns(text, "models/orders.sql", "duckdb", ["tip"])

    select id, tip, amount from raw          select id, amount from raw

A column that a star brings from a CTE of the same text is taken out of the CTE. The columns of CTEs
that were read for a removed column, and for nothing else, go with it. A removal that could change
other columns or rows is refused with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.removals.edits import Cut, Refused, cut_text, line_end, line_start
from lineal.extract.sql.removals.select_lists import NAMES, Item, Origin, Queries, Query, Select
from lineal.extract.sql.removals.templates import Template, read_template
from lineal.extract.sql.words import FAILURES, words
from lineal.model.script import Script
from lineal.model.sequences import flatten

INCREMENTAL = "incremental"
OF_INCREMENTAL = "the model is incremental: its table keeps the column until a full refresh"
COUNTING = frozenset((TokenType.GROUP_BY, TokenType.ORDER_BY))
"""Clauses that may name items by their position."""
BY_POSITION = "INSERT"
GENERATORS = frozenset(
    (
        "explode", "explode_outer", "posexplode", "posexplode_outer", "inline", "inline_outer",
        "stack", "unnest", "flatten", "generate_series", "generate_subscripts", "json_each",
        "jsonb_each", "json_array_elements", "jsonb_array_elements", "json_array_elements_text",
        "jsonb_array_elements_text", "json_object_keys", "jsonb_object_keys", "arrayjoin",
        "regexp_split_to_table", "string_to_table", "regexp_matches",
    )
)  # fmt: skip
"""Functions that make rows in a SELECT list."""
NOT_A_COLUMN = frozenset((TokenType.L_PAREN, TokenType.DOT))
"""The tokens that follow the name of a function, and a qualifier."""


class Passed(Refused):
    """The column comes through a star from a dataset outside the text."""


@dataclass
class Removed:
    """A text without some columns."""

    text: str
    removed: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    passed: dict[str, str] = field(default_factory=dict)
    """columns that a star passes on: they go when their source goes"""
    lingering: set[str] = field(default_factory=set)
    """removed columns whose sources the text still names, in a CTE"""


class Spot(NamedTuple):
    """An item of a SELECT list."""

    select: Select
    item: Item


def remove_columns(
    text: str, file: str, dialect: str, columns: Iterable[str], line: int = 1
) -> Removed:
    """Take columns out of the statement at a line of a text, one after the other."""
    found = Removed(text)
    for column in columns:
        try:
            edit = _Edit(found.text, file, dialect, line)
            edit.remove_output(column.lower())
            text = edit.result()
        except Passed as reason:
            found.passed[column] = str(reason)
        except Refused as reason:
            found.refused[column] = str(reason)
        else:
            found.text = text
            found.removed.append(column)
            found.lingering |= {column} if edit.lingers else set()

    return found


class _Edit:
    """The removal of one output column from one statement."""

    def __init__(self, text: str, file: str, dialect: str, line: int) -> None:
        """Start an edit of one statement: nothing is removed yet."""
        self.text = text
        self.template: Template = read_template(text, file)
        own, self.around = _statement(self.template.masked, dialect, line)
        self.tokens: list[Token] = own
        self.queries = Queries(own)
        self.gone: list[Spot] = []
        self.lingers = False

    # -- removed parts -----------------------------------------------------------------------------

    def remove_output(self, name: str) -> None:
        """Take a column out of the query that the statement is about."""
        self._raise_first(OF_STATEMENT, name)
        self._remove(self._main, name)
        self._cascade()

    def _raise_first(self, obstacles: Obstacles, *about: Any) -> None:
        """Refuse a removal for the first obstacle in its way."""
        for is_in_the_way, reason in obstacles:
            if is_in_the_way(self, *about):
                raise Refused(reason)

    def is_incremental(self, name: str) -> bool:
        """Tell whether runs add rows to a table that stays."""
        return self.is_set_up(INCREMENTAL)

    def is_insert(self, name: str) -> bool:
        """INSERT INTO t SELECT …"""
        return self.tokens[0].text.upper() == BY_POSITION

    def is_set_up(self, word: str) -> bool:
        """{{ config(unique_key='id') }}, MODEL (grain id), CREATE VIEW v (id): words around the query"""
        if word in self.around or word in self._header:
            return True

        items = [
            item for query in self.queries.all for each in query.selects for item in each.items
        ]
        spans = [(self.tokens[item.first].start, self.tokens[item.last].end) for item in items]
        return any(
            not any(first <= part.start and part.end <= last + 1 for first, last in spans)
            for part in self.template.says(word)
        )

    @property
    def _main(self) -> Query:
        """Return the query that makes the columns: the outermost one that selects."""
        query = self.queries.main
        while not query.selects:
            inside = [each for each in query.inner if each.selects]
            if len(inside) != 1:
                raise Refused("its SELECT list was not found")

            query = inside[0]

        return query

    @property
    def _header(self) -> set[str]:
        """Return the words of the statement before its query."""
        first = self._main.selects[0].start
        start = next(
            (at for at in range(first) if self.tokens[at].token_type is TokenType.WITH), first
        )
        return set(self.queries.words_in(0, start - 1))

    def _remove(self, query: Query, name: str) -> None:
        """Take a column out of a query."""
        if len(query.selects) != 1:
            raise Refused("a set operation such as UNION matches columns by position")

        if query.has_column_list:
            raise Refused("the CTE lists its columns by position")

        select = query.selects[0]
        spot = self._spot(select, name)
        if spot is None:
            self._remove_from_star(select, name)
            return

        self._check(spot, name)
        self.gone.append(spot)

    def _spot(self, select: Select, name: str) -> Spot | None:
        """Return the item that makes a column; None if only a star can."""
        found = [item for item in select.items if self.queries.name_of(item) == name]
        if len(found) > 1:
            raise Refused("two items of the SELECT list have this name")

        if found:
            return Spot(select, found[0])

        if not any(map(self.queries.is_star, select.items)):
            raise Refused("no item of the SELECT list has this name: a macro or a loop makes it")

        return None

    def _remove_from_star(self, select: Select, name: str) -> None:
        """Take a column out of the query that a star reads."""
        if select.distinct:
            raise Refused("SELECT DISTINCT compares it")

        if name in self._words_besides(select, ()):
            raise Refused("the statement names it in addition to the star")

        for star in filter(self.queries.is_star, select.items):
            wanted = self.queries.star_origin(star)
            origins = [each for each in select.origins if wanted in ("", each.alias)]
            if len(origins) == 1:
                self._remove_from_origin(origins[0], name)
                return

        raise Refused("it comes through a star over several datasets")

    def _remove_from_origin(self, origin: Origin, name: str) -> None:
        """Take a column out of a CTE or subquery that nothing else reads."""
        if origin.query is None:
            raise Passed("SELECT * passes it on")

        if self._readers_of(origin.query) != 1:
            raise Refused(f"several queries read {origin.alias}")

        self._remove(origin.query, name)

    def _readers_of(self, query: Query) -> int:
        """Return how often a query is a member of FROM."""
        selects = chain.from_iterable(each.selects for each in self.queries.all)
        return sum(origin.query is query for select in selects for origin in select.origins)

    # -- whether it may ----------------------------------------------------------------------------

    def _check(self, spot: Spot, name: str) -> None:
        """Refuse a removal that changes rows, or that other words need."""
        self._raise_first(OF_ITEM, spot, name)

    def is_compared(self, spot: Spot, name: str) -> bool:
        """SELECT DISTINCT a"""
        return spot.select.distinct

    def is_alone(self, spot: Spot, name: str) -> bool:
        """SELECT a FROM t"""
        gone = sum(each.select is spot.select for each in self.gone)
        return len(spot.select.items) - gone < 2

    def is_named_beside(self, spot: Spot, name: str) -> bool:
        """SELECT a + b AS c, c * 2 AS d"""
        return self.queries.is_aliased(spot.item) and self._is_mentioned(spot, name)

    def makes_rows(self, spot: Spot, name: str) -> bool:
        """SELECT count(*) AS n, 1 AS x; SELECT id, explode(xs): an item that more or fewer rows need"""
        own = self._expression(spot.item)
        if GENERATORS & set(own):
            return True

        is_grouped = any(True for _ in self._clauses(spot.select, TokenType.GROUP_BY))
        others = [
            item for item in spot.select.items if item not in {each.item for each in self.gone}
        ]
        has_column = any(
            self.queries.is_reference(item) or self.queries.is_star(item)
            for item in others
            if item != spot.item
        )
        return "(" in own and "over" not in own and not is_grouped and not has_column

    def _is_mentioned(self, spot: Spot, name: str) -> bool:
        """Tell whether a SELECT has a name outside one item."""
        if name in self._words_besides(spot.select, [spot.item]):
            return True

        own = (self.tokens[spot.item.first].start, self.tokens[spot.item.last].end + 1)
        return any(part.start < own[0] or part.end > own[1] for part in self.template.says(name))

    def is_key(self, spot: Spot, name: str) -> bool:
        """Tell whether GROUP BY names an item, by its expression, its name or ALL."""
        own = self._expression(spot.item)
        is_call = "(" in own
        for keys in self._clauses(spot.select, TokenType.GROUP_BY):
            if own in keys or [name] in keys or own[:-1] in keys:
                return True

            if not is_call and (["all"] in keys or own[-1:] in [key[-1:] for key in keys]):
                return True

        return False

    def _expression(self, item: Item) -> list[str]:
        """Return the words of an item without its alias."""
        own = list(self.queries.words_in(item.first, item.last))
        return own[:-2] if own[-2:-1] == ["as"] else own

    def _clauses(self, select: Select, kind: TokenType) -> Iterator[list[list[str]]]:
        """Yield the items of the GROUP BY or ORDER BY of a SELECT, each as its words."""
        at = select.list_end + 1
        while at <= select.end:
            if self.tokens[at].token_type is kind:
                yield list(self._items_from(at + 1, select.end))

            at = self.queries.partner.get(at, at) + 1

    def _items_from(self, first: int, end: int) -> Iterator[list[str]]:
        """Yield the parts between commas, each as its words, up to the next clause."""
        own: list[str] = []
        at = first
        while at <= end and not self._is_clause(at):
            if self.tokens[at].token_type is TokenType.COMMA:
                yield own
                own = []
            else:
                closing = self.queries.partner.get(at, at)
                own += self.queries.words_in(at, closing)
                at = closing

            at += 1

        yield own

    def _is_clause(self, position: int) -> bool:
        """Tell whether HAVING, LIMIT, QUALIFY or a sorting clause starts at a position."""
        kind = self.tokens[position].token_type
        return kind in (TokenType.HAVING, TokenType.LIMIT, TokenType.QUALIFY, *COUNTING)

    def is_counted(self, spot: Spot, name: str) -> bool:
        """Tell whether a clause counts up to an item or beyond it: GROUP BY 1, 2."""
        position = spot.select.items.index(spot.item) + 1
        items = (
            key for kind in COUNTING for keys in self._clauses(spot.select, kind) for key in keys
        )
        return any(int(key[0]) >= position for key in items if key and key[0].isdecimal())

    def _words_besides(self, select: Select, items: Iterable[Item]) -> set[str]:
        """Return the words of a SELECT outside some items and of removed items."""
        skipped = [*items, *(spot.item for spot in self.gone if spot.select is select)]
        found: set[str] = set()
        for at in range(select.start, select.end + 1):
            if not any(item.first <= at <= item.last for item in skipped):
                found.update(self.queries.words_in(at, at))

        return found

    # -- parts that depend on removed ones ---------------------------------------------------------

    def _cascade(self) -> None:
        """Take out the columns of CTEs and subqueries that only removed items have read."""
        for spot in self.gone:  # grows on the way
            own = self.tokens[spot.item.first : spot.item.last + 1]
            self.lingers |= bool(self.queries.ctes) and any(map(_is_select, own))
            for name, qualifier in self._references(spot.item):
                self._remove_inside(spot, name, qualifier)

    def _references(self, item: Item) -> Iterator[tuple[str, str]]:
        """Yield the columns that an item may name, each with its qualifier."""
        first, last = item.first, item.last
        if last > first and self.tokens[last - 1].token_type is TokenType.ALIAS:
            last -= 2

        for at in range(first, last + 1):
            following = self.tokens[min(at + 1, last)].token_type
            if self.tokens[at].token_type in NAMES and following not in NOT_A_COLUMN:
                dotted = at > first and self.tokens[at - 1].token_type is TokenType.DOT
                yield self.tokens[at].text.lower(), self.tokens[at - 2].text.lower() * dotted

    def _remove_inside(self, spot: Spot, name: str, qualifier: str) -> None:
        """Take a column out of the CTE that a removed item has read, if that is safe."""
        origins = [
            origin
            for origin in spot.select.origins
            if qualifier in ("", origin.alias) and self._may_have(origin.query, name)
        ]
        for origin in origins:
            needed = self._words_besides(spot.select, [spot.item])
            has_star = any(map(self.queries.is_star, spot.select.items))
            if name in needed or has_star:
                continue

            before = len(self.gone)
            try:
                self._remove_from_origin(origin, name)
            except Passed:
                continue  # an import CTE: its star names nothing
            except Refused:
                del self.gone[before:]
                self.lingers = True

    def _may_have(self, query: Query | None, name: str) -> bool:
        """Tell whether a query may have a column of a name."""
        if query is None:
            return False

        items = flatten(select.items for select in query.selects)
        return any(map(self.queries.is_star, items)) or name in map(self.queries.name_of, items)

    # -- the text ----------------------------------------------------------------------------------

    def result(self) -> str:
        """Return the text without the removed items."""
        selects = {id(spot.select): spot.select for spot in self.gone}
        cuts = flatten(map(self._cuts, selects.values()))
        if any(map(self.template.cuts_tag, cuts)):
            raise Refused("a tag of the template is in between")

        return cut_text(self.text, cuts)

    def _cuts(self, select: Select) -> Iterator[Cut]:
        """Yield the parts of a SELECT list that go: items with the commas that part them."""
        gone = {spot.item for spot in self.gone if spot.select is select}
        kept = [item for item in select.items if item not in gone]
        for item in select.items:
            if item in gone and item < kept[-1]:
                yield from self._cut_with_next_comma(item)
            elif item in gone:
                yield from self._cut_with_comma_before(item)

    def _cut_with_next_comma(self, item: Item) -> Iterator[Cut]:
        """a, b, c      **a,** b, c"""
        start = self.tokens[item.first].start
        end = self.tokens[item.last + 1].end + 1
        own_lines = self._own_lines(start, end)
        if own_lines is not None:
            yield own_lines
            return

        following = self.tokens[item.last + 2].start
        if "\n" in self.text[end:following]:
            following = end

        yield Cut(start, following)

    def _cut_with_comma_before(self, item: Item) -> Iterator[Cut]:
        """a, b, c      a, b**, c**"""
        comma = self.tokens[item.first - 1]
        start, end = self.tokens[item.first].start, self.tokens[item.last].end + 1
        own_lines = self._own_lines(start, end) or self._own_lines(comma.start, end)
        yield Cut(comma.start, comma.end + 1)
        if own_lines is not None:
            yield own_lines
        elif "\n" in self.text[comma.end : start]:
            yield Cut(start, end)
        else:
            yield Cut(comma.start, end)

    def _own_lines(self, start: int, end: int) -> Cut | None:
        """Return the whole lines of a part of the text, if nothing else is on them."""
        first, last = line_start(self.text, start), line_end(self.text, end)
        after = self.text[end:last].strip()
        is_alone = not self.text[first:start].strip() and (not after or after.startswith("--"))
        return Cut(first, last) if is_alone else None


Obstacles = tuple[tuple[Callable[..., bool], str], ...]

OF_STATEMENT: Obstacles = (
    (_Edit.is_insert, "INSERT matches columns by position"),
    (_Edit.is_incremental, OF_INCREMENTAL),
    (_Edit.is_set_up, "the settings of the model name it"),
)
"""The nodes that keep a column in a statement, with the reason to report."""

OF_ITEM: Obstacles = (
    (_Edit.is_compared, "SELECT DISTINCT compares it, so it decides which rows there are"),
    (_Edit.is_alone, "it is the only column of its SELECT"),
    (_Edit.is_key, "it is a grouping key"),
    (_Edit.makes_rows, "it decides how many rows there are: an aggregate or a list of rows"),
    (_Edit.is_counted, "GROUP BY or ORDER BY counts positions of the SELECT list"),
    (_Edit.is_named_beside, "another part of its SELECT names it"),
)
"""The same for an item of a SELECT list."""


def _statement(masked: str, dialect: str, line: int) -> tuple[list[Token], set[str]]:
    """Return the words of the statement at a line, and those of the statements around it. If only
    one statement has a query, it is that one, wherever it is.
    """
    try:
        tokens, _ = words(Script(masked, dialect))
    except FAILURES as problem:
        raise Refused("its text does not fall into words") from problem

    statements = list(_split(tokens))
    found = [each for each in statements if any(map(_is_select, each))]
    if len(found) == 1:
        others = (token for each in statements if each is not found[0] for token in each)
        return found[0], {token.text.lower() for token in others}

    at = [each for each in found if each[0].line <= line <= each[-1].line]
    if len(at) != 1:
        raise Refused("its statement was not found")

    return at[0], set()


def _is_select(token: Token) -> bool:
    """Tell whether a token is the word SELECT."""
    return token.token_type is TokenType.SELECT


def _split(tokens: list[Token]) -> Iterator[list[Token]]:
    """Yield the words of each statement."""
    own: list[Token] = []
    for token in tokens:
        if token.token_type is TokenType.SEMICOLON:
            if own:
                yield own

            own = []
        else:
            own.append(token)

    if own:
        yield own
