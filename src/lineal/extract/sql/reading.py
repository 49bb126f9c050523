"""Reading a statement again: places, texts and calls, looked up only when a view asks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import accumulate
from typing import Any, NamedTuple

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from lineal.algebra.functions import Role, known
from lineal.algebra.lineage import Trail
from lineal.extract.sql.item_bounds import Items
from lineal.extract.sql.words import open_replacements, statements, words
from lineal.model.boundary import Failures
from lineal.model.diagnostic import Place
from lineal.model.edge import Call, Calls
from lineal.model.script import Script
from lineal.model.way import Confidence

OPERATORS: dict[type[exp.Expr], str] = {
    exp.Add: "add", exp.Sub: "subtract", exp.Mul: "multiply", exp.Div: "divide", exp.IntDiv: "divide",
    exp.Mod: "modulo",
    exp.EQ: "compare", exp.NEQ: "compare", exp.GT: "compare", exp.GTE: "compare", exp.LT: "compare", exp.LTE: "compare",
    exp.NullSafeEQ: "compare", exp.NullSafeNEQ: "compare", exp.DPipe: "concat", exp.Concat: "concat", exp.Case: "case",
    exp.Cast: "cast", exp.TryCast: "cast", exp.Neg: "negate", exp.Bracket: "getitem", exp.Dot: "getfield",
    exp.Column: "getfield",
}  # fmt: skip


class Spot:
    """A node that was met in an earlier run: where it starts, and the calls on the trail to it."""

    __slots__ = ("calls", "offset")

    def __init__(self, offset: int | None, calls: Calls = ()) -> None:
        """Keep an offset in the text, and the calls around it."""
        self.offset = offset
        self.calls = calls


AGGREGATES = (Role.AGGREGATE, Role.ORDERED, Role.VALUE_AT)

MOST_CALLS = 32
"""So many calls of a path are listed."""


class Body(NamedTuple):
    """The calls that the body of a function makes around a parameter; or, to the end, around all
    that it reads.
    """

    calls: Any
    to_the_end: bool = False


def nodes_of(calls: Any) -> list[Any]:
    """The calls of a trail, from the outermost inwards."""
    found: list[Any] = []
    while calls is not None:
        call, calls = calls
        found.append(call)

    found.reverse()
    return found


def segments(trail: Trail | None) -> Iterator[tuple[Any, list[Any], bool]]:
    """Yield the steps of a trail: a node, the calls around it, and whether these are in the body of
    a function.
    """
    to_the_end, count = False, 0
    while trail is not None and count <= MOST_CALLS:
        node, calls, trail, _ = trail
        is_body = calls.__class__ is Body
        to_the_end = to_the_end or (is_body and calls.to_the_end)
        around = nodes_of(calls.calls if is_body else calls)
        count += len(around)
        yield node, around, is_body or to_the_end


def add_calls(path: list[Call], names: tuple[str, ...], is_body: bool) -> None:
    """Add the calls of a step to a path; those of a body go to the function that is called."""
    if not is_body or not path:
        path.extend(names)
    elif names:
        called = path[-1]
        path[-1] = (called, *names) if isinstance(called, str) else (*called, *names)


class Reading:
    """A script's text, with the indexes to find places in it."""

    __slots__ = (
        "_chunks",
        "_items",
        "_lines",
        "_starts",
        "_tokens",
        "failures",
        "found",
        "script",
        "statements",
    )

    level = Confidence.HIGH
    every_place = False
    """Whether each place counts that names a column, or the first of each clause."""

    def __init__(self, script: Script, failures: Failures | None = None) -> None:
        """Read a script; tokens and lines are made when they are asked for."""
        self.script = script
        self.failures = failures
        """where a look-up that fails is reported; without it, it is raised"""
        self.statements: list[Any] = []
        self.found: Any = None
        """the values of procedural code"""
        self._chunks: list[list[Token]] | None = None
        self._lines: list[int] | None = None
        self._starts: list[int] | None = None
        self._tokens: list[Token] | None = None
        self._items: Items | None = None

    def place(self, trail: Trail | None) -> Place | None:
        """Return the place that a trail leads to."""
        node = anchor(trail)
        if node is not None:
            return self.place_of(node)

        return None

    def expression(self, trail: Trail | None) -> str:
        """Return the item that a trail leads to, as it is written."""
        node = anchor(trail)
        offset = offset_of(node) if node is not None else None
        if offset is not None:
            return self.item_around(offset)

        return ""

    def calls(self, trail: Trail | None) -> Calls:
        """Return the calls around a column.

        coalesce(sum(x), 0)

        coalesce, sum: from the outermost inwards, through every subquery on the way
        """
        if trail is None:
            return ()

        if trail[0].__class__ is Spot:
            return trail[0].calls

        if trail[1] is None and trail[2] is None:
            return ()

        return self.calls_along(trail)

    def calls_along(self, trail: Trail) -> Calls:
        """The calls of a trail that has some."""
        path: list[Call] = []
        for _, calls, is_body in segments(trail):
            add_calls(path, self.names_of(calls), is_body)

        return tuple(path)

    def names_of(self, calls: Iterable[Any]) -> tuple[str, ...]:
        """The names of calls, without those that only group."""
        return tuple(name for call in calls if (name := self.name_of(call)))

    def name_of(self, call: Any) -> str:
        """Return the name of a call."""
        return call_name(call)

    def manner(self, node: exp.Expr, name: str) -> tuple[bool, bool]:
        """Whether a column is in an aggregate, and whether a variable holds its name; SQL has no
        variables here.
        """
        return self.stands_in_aggregate(node), False

    def stands_in_aggregate(self, node: Any) -> bool:
        """Tell whether a column is in an aggregate.

        sum(a), coalesce(max(a), 0)      a does, whatever is around the aggregate
        """
        around = node.parent if isinstance(node, exp.Expr) else None
        while around is not None and not isinstance(around, exp.Query):
            row = known(self.name_of(around)) if isinstance(around, exp.Func) else None
            if isinstance(around, exp.AggFunc) or (row is not None and row.role in AGGREGATES):
                return True

            around = around.parent

        return False

    def place_of(self, node: exp.Expr) -> Place | None:
        """Return the place of a node."""
        offset = offset_of(node)
        if offset is not None:
            return self.place_at(offset)

        return None

    def place_of_statement(self, tree: Any) -> Place | None:
        """Return where a statement starts: the first word of the statement that holds the tree, or
        of the one at the same position in the script.
        """
        starts = self.starts
        offset = offset_of(tree)
        if offset is not None:
            position = bisect_right(starts, offset) - 1
        else:
            order = [id(statement) for statement in self.statements if statement is not None]
            if id(tree) in order and len(order) == len(starts):
                position = order.index(id(tree))
            else:
                position = -1

        if position >= 0:
            return self.place_at(starts[position])

        return None

    def statement_near(self, node: Any) -> Place:
        """Where a statement starts; where that cannot be said, its script."""
        try:
            found = self.place_of_statement(node) if node is not None else None
        except Exception:
            found = None

        return found or Place(self.script.file, self.script.line, 1)

    def report_failure(self, error: Exception, trail: Trail | None) -> None:
        """Report that a view could not look something up: the statement counts as not resolved."""
        self.fail(error, self.statement_near(first_node(trail)))

    def fail(
        self, error: Exception, place: Place, statements: int = 1, what: str = "this statement"
    ) -> None:
        """A statement failed, or so many of the script; it is told once for each place."""
        if self.failures is None:
            raise error

        self.failures.add(error, place, (id(self), place), what, statements)

    @property
    def chunks(self) -> list[list[Token]]:
        """The words of each statement; a script of a thousand statements is cut once, not once for
        each.
        """
        if self._chunks is None:
            self._chunks = list(statements(self.tokens))

        return self._chunks

    @property
    def starts(self) -> list[int]:
        """Where each statement starts."""
        if self._starts is None:
            self._starts = [chunk[0].start for chunk in self.chunks]

        return self._starts

    def place_at(self, offset: int) -> Place:
        """Return the place of an offset."""
        if self.script.one_line:
            return Place(self.script.file, self.script.line, offset + 1)

        lines = self.lines
        line = bisect_right(lines, offset)
        return Place(self.script.file, line + self.script.line - 1, offset - lines[line - 1] + 1)

    def place_in(self, line: int, column: int) -> Place:
        """The place of a line and column of the text."""
        if self.script.one_line:
            return self.place_at(self.lines[min(line, len(self.lines)) - 1] + column - 1)

        return Place(self.script.file, line + self.script.line - 1, column)

    @property
    def lines(self) -> list[int]:
        """Where each line of the text starts."""
        if self._lines is None:
            lengths = (len(line) + 1 for line in self.script.text.split("\n"))
            self._lines = list(accumulate(lengths, initial=0))[:-1]

        return self._lines

    def item_around(self, offset: int) -> str:
        """Return the item of its clause that holds a name.

        The item of its clause that a name stands in, as it was written: SELECT …, **sum(x) AS
        total**, …
        """
        if self._items is None:
            self._items = Items(open_replacements(self.tokens, self.script), self.starts)

        tokens = self._items.tokens
        here = bisect_right(tokens, offset, key=lambda token: token.start) - 1
        return self._items.text_at(here, self.script.text)

    def words_of(self, tree: Any) -> str:
        """A statement's words with one space between them, whatever stood there; upper and lower
        case are one.
        """
        tokens = self.tokens
        if ";" in self.script.text:
            start, end = self._bounds(offset_of(tree) or 0)
            tokens = [token for token in tokens if start <= token.start < end]

        return " ".join([token.text for token in tokens]).lower()

    def statement_at(self, offset: int) -> str:
        """The text of the statement that a place belongs to."""
        start, end = self._bounds(offset)
        return self.script.text[start:end].strip()

    def _bounds(self, offset: int) -> tuple[int, int]:
        """Return where the statement around an offset starts and ends."""
        start, end = 0, len(self.script.text)
        for token in self.tokens:
            if token.token_type is TokenType.SEMICOLON:
                if token.start >= offset:
                    end = token.start
                    break

                start = token.end + 1

        return start, end

    def text_of(self, node: exp.Expr) -> str:
        """Return the item of SELECT that holds a node, as it was written."""
        offset = offset_of(node)
        if offset is not None:
            return self.item_around(offset)

        return ""

    def spelling_of(self, name: str) -> str:
        """Return how the text spells a word that the parser has folded; '' if it occurs only as a
        string.
        """
        alike = (token for token in self.tokens if token.text.upper() == name.upper())
        return next((token.text for token in alike if token.token_type is not TokenType.STRING), "")

    def forget_words(self) -> None:
        """Let the words of the script go: they are read again when somebody asks for them."""
        self._chunks = self._tokens = self._items = None

    def remember(self, tokens: list[Token], starts: list[int] | None = None) -> None:
        """Keep the tokens of the script."""
        self._tokens = tokens
        self._chunks = None
        self._items = None
        if starts is not None:
            self._starts = sorted(starts)

    @property
    def tokens(self) -> list[Token]:
        """Return the tokens of the script."""
        if self._tokens is None:
            self._tokens, _ = words(self.script)

        return self._tokens


def anchor(trail: Trail | None) -> Any:
    """The outermost node on a trail: where the statement names the column."""
    node = first_node(trail)
    if isinstance(node, exp.Query):
        return node_of_unnamed(node)

    return node


def first_node(trail: Trail | None) -> Any:
    """The outermost node on a trail, whatever it is."""
    while trail is not None:
        if trail[0] is not None:
            return trail[0]

        trail = trail[2]

    return None


def node_of_unnamed(query: exp.Expr) -> Any:
    """Return the node of a statement's unnamed columns: its star, else the query itself."""
    while isinstance(query, (exp.Subquery, exp.SetOperation)):
        query = query.this

    if isinstance(query, exp.Select):
        return next((item for item in query.expressions if item.is_star), query)

    return query


def offset_of(node: Any) -> int | None:
    """Where a node starts; only leaves know, so the leftmost leaf that does."""
    kind = node.__class__
    if kind is Spot:
        return node.offset  # type: ignore[no-any-return]

    if kind is exp.Column or kind is exp.Table:
        args = node.args
        meta = (args.get("catalog") or args.get("db") or args.get("table") or args["this"])._meta
        if meta is not None and "start" in meta:
            return meta["start"]  # type: ignore[no-any-return]

    if kind in LEFT:
        farthest = farthest_left(node)
        found = offset_of(farthest) if farthest is not None else None
        if found is not None:
            return found

        return leftmost(node)

    fronts = FRONTS.get(kind)
    if fronts is not None:
        starts = [start for part in fronts(node.args) if (start := offset_of(part)) is not None]
        if starts:
            return min(starts)

    return leftmost(node)


def farthest_left(node: exp.Expr) -> Any:
    """Return the leftmost node of an expression.

    a + b + c      a
    """
    while node.__class__ in LEFT:
        node = node.args["this"]

    return node


def leftmost(node: exp.Expr) -> int | None:
    """Return the smallest offset in an expression."""
    stack = [node]
    best: int | None = None
    while stack:
        here = stack.pop()
        meta = here._meta
        if meta is not None and "start" in meta:
            start = meta["start"]
            best = start if best is None else min(best, start)
            continue

        stack.extend(here.iter_expressions())

    return best


Args = dict[str, Any]


def _front_of_select(args: Args) -> list[Any]:
    """Return the node that a SELECT starts with.

    SELECT a, b FROM t

    a; t, for FROM t SELECT a, b; c, for WHEN c THEN INTO t VALUES (a); and n, for SELECT TOP n a
    """
    items, from_, where = args.get("expressions"), args.get("from_"), args.get("where")
    if not items or any(map(args.get, ("hint", "distinct"))):
        return []

    return [
        items[0],
        *(part.this for part in (from_, where) if part is not None),
        *_parts_present(args, "with_"),
        *_parts_present(args, "limit"),
    ]


def _front_of_write(args: Args) -> list[Any]:
    """Return the node that a write starts with.

    UPDATE t SET …, INSERT INTO t SELECT a …

    the name; or a, for FROM s INSERT INTO t SELECT a
    """
    if (
        any(args.get(part) is not None for part in ("properties", "hint"))
        or args.get("this") is None
    ):
        return []

    return _parts_present(args, "with_", "this", "expression")


def _front_of_with(args: Args) -> list[Any]:
    """Return the node that a WITH starts with.

    WITH a AS (…), b AS (…)      a
    """
    return args["expressions"][:1]  # type: ignore[no-any-return]


def _front_of_named(args: Args) -> list[Any]:
    """Return the node that an alias starts with.

    a AS b; or b = a, and b AS (SELECT a …), where the name comes first
    """
    return _parts_present(args, "this", "alias")


def _parts_present(args: Args, *parts: str) -> list[Any]:
    """Return the expressions among some parts of a node."""
    return [args[part] for part in parts if isinstance(args.get(part), exp.Expression)]


FRONTS: dict[type[Any], Callable[[Args], list[Any]]] = {
    exp.Select: _front_of_select,
    exp.Update: _front_of_write,
    exp.Merge: _front_of_write,
    exp.Insert: _front_of_write,
    exp.Create: _front_of_write,
    exp.With: _front_of_with,
    exp.CTE: _front_of_named,
    exp.Alias: _front_of_named,
}
"""The parts of a node of which one comes before everything else; nothing, where that is not
certain. Statements are
large, and where they start is asked often."""

LEFT = frozenset(
    (
        exp.Schema, exp.And, exp.Or, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In, exp.Is,
        exp.Like, exp.Add, exp.Sub, exp.Mul, exp.Div,
    )
)  # fmt: skip
"""The nodes that start at their first part."""


def call_name(node: exp.Expr) -> str:
    """The name that a call has on a path; nothing for what only groups."""
    kind: Any = type(node)
    if isinstance(node, (exp.Anonymous, exp.AnonymousAggFunc)):
        return _known_name(node.name.lower())

    return _name_of_kind(kind)


@cache
def _name_of_kind(kind: Any) -> str:
    """Return the name that messages give to a class of expressions."""
    if kind in OPERATORS:
        return OPERATORS[kind]

    if issubclass(kind, exp.Func):
        return _known_name(kind.sql_name().lower())

    if issubclass(kind, GROUPING):
        return ""

    return str(kind.key).lower()


def _known_name(name: str) -> str:
    """Return a function's name as the function table spells it."""
    row = known(name)
    if row is not None:
        return row.name

    return name


GROUPING = (exp.Window, exp.Paren, exp.Alias, exp.Order, exp.Ordered, exp.Distinct, exp.Subquery)
