"""The canonical form of a statement: two statements with one canonical form mean the same.

WITH w AS (SELECT x.id FROM t AS x) SELECT id FROM w WHERE 1 = 1      SELECT id FROM (SELECT id FROM
t) AS d

Most queries have a normal form (`normal/`): subqueries are merged, conditions moved, joins sorted.
The walk below is for the others. There, comments, brackets, letter case, aliases of tables, names
of CTEs and whether there are any, qualifiers, USING, written out stars, the order of conditions and
of a union's branches do not count. Literals and the order of columns do.

Two statements may mean the same and have different forms, never the other way round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from sqlglot import exp

from lineal.extract.sql import normal
from lineal.extract.sql.dialects import Facts, facts_of
from lineal.extract.sql.nodes import holds, list_arg
from lineal.extract.sql.normal import is_ordered, normal_form
from lineal.model.sequences import first_of_each, only_or_none, second_of_each
from lineal.model.text_digest import digest

Columns = Callable[[str], "list[str] | None"]
"""The columns of a table, by its folded name; None where they are not all known."""

VOLATILE = frozenset(
    (
        "rand", "random", "randn", "uuid", "newid", "gen_random_uuid", "generate_uuid", "uuid_string", "nextval",
        "monotonically_increasing_id",
    )
)  # fmt: skip
UNUSUAL = ("match", "connect", "into", "kind", "pivots", "operation_modifiers")
ALWAYS = "true()"
MOVABLE = ("table(", "rows(")
"""The sources that do not look at the sources before them."""


class Unproven(Exception):
    """A construct whose other ways of being written are not known here."""


class Source(NamedTuple):
    """A member of FROM: what it is called, what it is, and its columns where they are all known."""

    alias: str
    said: str
    columns: list[str] | None


class Scope:
    """The sources of one SELECT, and the scope around it."""

    def __init__(self, parent: Scope | None) -> None:
        """Start the scope of a query without sources."""
        self.parent = parent
        self.sources: list[Source] = []
        self.aliases: frozenset[str] = frozenset()
        self.merged: dict[str, int] = {}
        self.turned = False

    def source_position(self, alias: str) -> tuple[int, int] | None:
        """Return the position of a qualified column's source.

        x.a      how many queries further out x stands, and where in its FROM
        """
        scope: Scope | None = self
        up = 0
        while scope is not None:
            for at, source in enumerate(scope.sources):
                if source.alias == alias:
                    return up, at

            scope, up = scope.parent, up + 1

        return None

    def owner(self, name: str) -> int | None:
        """The one source here that a name without a qualifier can mean."""
        if name in self.aliases:
            return None

        if name in self.merged:
            return self.merged[name]

        if len(self.sources) == 1:
            only = self.sources[0]
            if only.columns is None or name in only.columns:
                return 0

            return None

        if any(source.columns is None for source in self.sources):
            return None

        having = [at for at, source in enumerate(self.sources) if name in (source.columns or ())]
        return only_or_none(having)


class Made(NamedTuple):
    """A query's canonical form, and what its columns are called where that is known."""

    said: str
    columns: list[str] | None
    whole: Source | None = None
    """SELECT * FROM t      the source that it is, with nothing done to it"""


class Join(NamedTuple):
    """The join between a source and those before it."""

    kind: str
    on: Any
    using: list[str]


Tables = dict[str, Made]


def canonical(tree: exp.Expr, dialect: str, columns: Columns) -> str:
    """Return a digest of the normal form, else of the canonical form; in a statement too unusual
    for either, every name counts as it is written.
    """
    facts = facts_of(dialect)
    try:
        shell, form = normal_form(tree, facts, columns)
    except normal.Unproven:
        return without_normal_form(tree, facts, columns)

    around = ""
    if shell is not None:
        around = AsWritten(facts, columns).form_of(shell, Scope(None), {})

    return digest(f"normal({around},{form})")


def without_normal_form(tree: exp.Expr, facts: Facts, columns: Columns) -> str:
    """A digest of the canonical form; where the order of rows can be seen, no join is turned."""
    try:
        return digest(Canon(facts, columns, is_ordered(tree)).form_of(tree, Scope(None), {}))
    except Unproven:
        return digest(AsWritten(facts, columns).form_of(tree, Scope(None), {}))


class Canon:
    """The walk: every node as a text in which only what counts is left."""

    def __init__(self, facts: Facts, columns: Columns, ordered: bool = False) -> None:
        """Rewrite by the rules of a dialect; `columns` tells the columns of tables."""
        self.facts = facts
        self.known = columns
        self.ordered = ordered
        """LIMIT 5 takes other rows of b JOIN a than of a JOIN b"""

    def form_of(self, node: exp.Expr, scope: Scope, tables: Tables) -> str:
        """Return the canonical form of a node."""
        if isinstance(node, (exp.Query, exp.Subquery)):
            return self.query(node, scope, tables).said

        handler = HANDLERS.get(type(node))
        if handler is not None:
            return handler(self, node, scope, tables)

        if node.args.get("with_"):
            tables = self.with_(node, scope, tables)

        return self.plain(node, scope, tables)

    def plain(
        self, node: exp.Expr, scope: Scope, tables: Tables, without: tuple[str, ...] = ("with_",)
    ) -> str:
        """Return any other node: its kind, and its parts."""
        parts = [
            f"{name}={self.value(node.args[name], scope, tables)}"
            for name in sorted(node.args)
            if name not in without and node.args[name] not in (None, False, [], "")
        ]
        return f"{node.key}({','.join(parts)})"

    def value(self, value: Any, scope: Scope, tables: Tables) -> str:
        """Return the canonical form of an argument of a node."""
        if isinstance(value, list):
            return f"[{','.join(self.value(each, scope, tables) for each in value)}]"

        if isinstance(value, exp.Expr):
            return self.form_of(value, scope, tables)

        return repr(value.lower() if isinstance(value, str) else value)

    def fold(self, node: exp.Expr) -> str:
        """Return the folded name of an identifier."""
        return self.facts.fold(node.name, bool(node.args.get("quoted")))

    # -- queries -----------------------------------------------------------------------------------

    def query(self, node: Any, scope: Scope, tables: Tables, named: bool = True) -> Made:
        """Return the canonical form of a query, and its columns."""
        if node.args.get("with_"):
            tables = self.with_(node, scope, tables)

        if isinstance(node, exp.Select):
            return self.select(node, scope, tables, named)

        if isinstance(node, exp.SetOperation):
            return self.set_operation(node, scope, tables)

        if isinstance(node, exp.Subquery) and not self.extra_arguments(
            node, "this", "alias", "with_"
        ):
            return self.query(node.this, scope, tables, named)

        raise Unproven(type(node).__name__)

    def extra_arguments(self, node: exp.Expr, *without: str) -> list[str]:
        """Return the arguments that a node has in addition to the named ones."""
        return [name for name, value in node.args.items() if value and name not in without]

    def with_(self, node: exp.Expr, scope: Scope, tables: Tables) -> Tables:
        """Return the tables in scope after a WITH.

        WITH w AS (…)      what each name stands for from here on
        """
        found = node.args["with_"]
        tables = dict(tables)
        for cte in found.expressions:
            name = self.fold(cte.args["alias"].this)
            if cte.args.get("scalar") or not isinstance(cte.this, exp.Query):
                raise Unproven("a CTE that is not a plain query")

            if any(
                call.name.lower() in VOLATILE or call.key in VOLATILE
                for call in cte.find_all(exp.Func)
            ):
                raise Unproven("a CTE that differs from one reading to the next")

            listed = list(map(self.fold, list_arg(cte.args["alias"], "columns")))
            if found.args.get("recursive"):
                inside = {**tables, name: self.itself(cte, listed)}
            else:
                inside = tables

            made = self.query(cte.this, Scope(None), inside)
            tables[name] = self.relabel(made, listed)

        return tables

    def itself(self, cte: exp.CTE, listed: list[str]) -> Made:
        """Return the name of a recursive CTE inside its own definition.

        WITH RECURSIVE w AS (SELECT a FROM t UNION ALL SELECT … FROM w)      w, inside w
        """
        names = [self.facts.fold(name, False) for name in cte.this.named_selects]
        outer = len(list(iter_parents(cte)))
        return Made(
            f"itself({outer})", listed or (names if all(names) and "*" not in names else None)
        )

    def relabel(self, made: Made, listed: list[str]) -> Made:
        """Return a query under the column names that an alias lists."""
        if listed:
            return Made(f"labels({listed},{digest(made.said)})", listed)

        return made

    def set_operation(self, node: exp.Expr, scope: Scope, tables: Tables) -> Made:
        """Return the canonical form of a set operation.

        a UNION b      in any order, under the names of the first
        """
        used = ("this", "expression", "distinct", "with_", "order", "limit", "offset")
        if self.extra_arguments(node, *used):
            raise Unproven("a set operation with more to it")

        branches = list(self.branches(node, type(node), bool(node.args.get("distinct"))))
        if any(
            branch.args.get(part) for branch in branches for part in ("order", "limit", "offset")
        ):
            raise Unproven("a branch with its own ORDER BY")

        first = self.query(branches[0], scope, tables)
        said = [self.query(branch, scope, tables, named=False).said for branch in branches]
        if isinstance(node, exp.Union) and not self.ordered:
            said = sorted(said if not node.args.get("distinct") else set(said))

        rest = self.plain(
            node, self.outputs(first.columns), tables, ("this", "expression", "with_")
        )
        return Made(f"{rest}{first.columns}[{','.join(said)}]", first.columns)

    def branches(self, node: exp.Expr, kind: Any, distinct: bool) -> Iterator[Any]:
        """Return the branches of a set operation.

        a UNION b UNION c

        all of them; what stands in brackets with something else around it is one
        """
        for side in (node.this, node.expression):
            while isinstance(side, exp.Subquery) and not self.extra_arguments(side, "this"):
                side = side.this

            alike = type(side) is kind and bool(side.args.get("distinct")) == distinct
            if (
                kind is exp.Union
                and alike
                and not self.extra_arguments(side, "this", "expression", "distinct")
            ):
                yield from self.branches(side, kind, distinct)
            else:
                yield side

    def outputs(self, columns: list[str] | None) -> Scope:
        """Return the scope that the clauses around a union see.

        ORDER BY of a union sees the names of its result
        """
        scope = Scope(None)
        scope.aliases = frozenset(columns or ())
        return scope

    def select(self, node: exp.Select, outer: Scope, tables: Tables, named: bool) -> Made:
        """Return the canonical form of a SELECT."""
        if any(map(node.args.get, UNUSUAL)):
            raise Unproven("a SELECT with more to it")

        inner = self.wrap(node)
        if inner is not None:
            return self.member_query(inner, outer, tables, named)

        scope = Scope(outer)
        joins = self.members(node, scope, tables)
        scope.aliases = frozenset(self.own_names(node))
        items = list(self.items(node, scope, tables))
        if not named:
            said = second_of_each(items)
        else:
            said = [f"{name}:{item}" for name, item in items]

        clauses = self.plain(
            node, scope, tables, ("expressions", "from_", "joins", "laterals", "with_", "where")
        )
        if node.args.get("where"):
            where = self.form_of(node.args["where"].this, scope, tables)
        else:
            where = ALWAYS

        if where != ALWAYS:
            clauses += f"where({where})"

        members = [source.said for source in scope.sources]
        conditions = self.conditions(joins, scope, tables)
        names = None if any(name == "*" for name, _ in items) else first_of_each(items)
        form = f"select([{','.join(said)}]from[{','.join(members)}]{conditions}{clauses})"
        source = only_or_none(scope.sources)
        return Made(
            form,
            names,
            source if source is not None and form == self.whole(source, named) else None,
        )

    def wrap(self, node: exp.Select) -> Any:
        """Return the query inside a SELECT that only passes it on.

        SELECT * FROM (…) AS x      the query or the CTE, and nothing is done to it
        """
        plain = not self.extra_arguments(node, "expressions", "from_", "with_", "where")
        items = node.expressions
        if not plain or len(items) != 1 or not node.args.get("from_") or self.restricts_rows(node):
            return None

        star = items[0].this if isinstance(items[0], exp.Column) else items[0]
        if isinstance(star, exp.Star) and not any(star.args.values()):
            return node.args["from_"].this

        return None

    def restricts_rows(self, node: exp.Select) -> bool:
        """Tell whether a WHERE leaves out any row."""
        where = node.args.get("where")
        return where is not None and self.form_of(where.this, Scope(None), {}) != ALWAYS

    def member_query(self, member: Any, outer: Scope, tables: Tables, named: bool) -> Made:
        """Return the canonical form of a FROM member that is passed on."""
        if isinstance(member, exp.Subquery) and not self.extra_arguments(
            member, "this", "alias", "with_"
        ):
            if not self.alias_columns(member):
                return self.query(member, outer, tables, named)
        elif isinstance(member, exp.Table) and not self.extra_arguments(member, "this", "alias"):
            if isinstance(member.this, exp.Identifier):
                made = tables.get(self.fold(member.this))
            else:
                made = None

            if made is not None and not self.alias_columns(member) and named:
                return made

        source = self.member(member, outer, tables)
        return Made(self.whole(source, named), source.columns, source)

    def whole(self, source: Source, named: bool) -> str:
        """Return the canonical form of a whole table.

        SELECT * FROM t
        """
        columns = source.columns
        if columns is not None:
            every = self.every(columns, named)
        elif named:
            every = "*:star(0)"
        else:
            every = "star(0)"

        return f"select([{every}]from[{source.said}]select())"

    def every(self, columns: list[str], named: bool) -> str:
        """Return the columns of a table that is read as a whole."""
        return ",".join(
            f"{name}:col(0,0,{name})" if named else f"col(0,0,{name})" for name in columns
        )

    # -- FROM --------------------------------------------------------------------------------------

    def members(self, node: exp.Select, scope: Scope, tables: Tables) -> list[Join]:
        """Add the members of FROM to a scope, and return the joins."""
        first = node.args.get("from_")
        for member in [first.this] if first is not None else ():
            scope.sources.append(self.member(member, scope, tables))

        joins = []
        for join in list_arg(node, "joins"):
            scope.sources.append(self.member(join.this, scope, tables))
            joins.append(self.join(join))

        for lateral in list_arg(node, "laterals"):
            scope.sources.append(self.member(lateral, scope, tables))

        self.merge(node, scope)
        movable = all(source.said.startswith(MOVABLE) for source in scope.sources)
        if len(joins) == 1 and len(scope.sources) == 2 and movable and not self.ordered:
            joins = [self.sides(joins[0], scope)]

        return joins

    def join(self, join: Any) -> Join:
        """Return a join without its sides."""
        if self.extra_arguments(join, "this", "on", "using", "kind", "side"):
            raise Unproven("a join with more to it")

        kind = " ".join(
            part for part in (join.args.get("side"), join.args.get("kind")) if part
        ).upper()
        kind = {"INNER": "", "CROSS": ""}.get(kind, kind.replace(" OUTER", ""))
        return Join(kind, join.args.get("on"), list(map(self.fold, list_arg(join, "using"))))

    def sides(self, join: Join, scope: Scope) -> Join:
        """Return the sides of a join in canonical order.

        a RIGHT JOIN b is b LEFT JOIN a; the sides of other joins have no order
        """
        left, right = scope.sources
        if join.kind == "RIGHT" or (join.kind in ("", "FULL") and right.said < left.said):
            scope.sources.reverse()
            scope.turned = True
            scope.merged = {name: 1 - at for name, at in scope.merged.items()}

        if join.kind == "RIGHT":
            return join._replace(kind="LEFT")

        return join

    def member(self, member: Any, scope: Scope, tables: Tables) -> Source:
        """Return a member of FROM as a source."""
        listed = self.alias_columns(member)
        alias = self.alias_of(member)
        if isinstance(member, exp.Subquery) and not self.extra_arguments(
            member, "this", "alias", "with_"
        ):
            return self.derived_table(
                alias, self.relabel(self.query(member, scope, tables), listed)
            )

        if holds(member, exp.Table, exp.Identifier):
            if self.extra_arguments(member, "this", "alias", "db", "catalog"):
                raise Unproven("a table with more to it")

            name = ".".join(
                self.facts.fold_dataset(part.name, bool(part.args.get("quoted")))
                for part in member.parts
            )
            cte = tables.get(self.fold(member.this)) if len(member.parts) == 1 else None
            if cte is not None:
                return self.derived_table(alias, self.relabel(cte, listed))

            columns = self.known(name)
            if columns is not None:
                found = [self.facts.fold(column, False) for column in columns]
            else:
                found = None

            return Source(alias, f"table({name},{listed})", listed or found)

        if isinstance(member, (exp.Unnest, exp.Lateral)) and not member.find(exp.Query):
            said = self.plain(member, scope, tables, ("alias",))
            return Source(alias, f"made({said},{listed})", listed or None)

        raise Unproven("a member of FROM that is not a table")

    def derived_table(self, alias: str, made: Made) -> Source:
        """Return a derived table as a source.

        FROM (SELECT * FROM t)      is FROM t
        """
        if made.whole is not None:
            return made.whole._replace(alias=alias)

        return Source(alias, f"rows({digest(made.said)})", made.columns)

    def alias_columns(self, member: Any) -> list[str]:
        """Return the columns that the alias of a member lists."""
        alias = member.args.get("alias")
        if alias is not None:
            return list(map(self.fold, list_arg(alias, "columns")))

        return []

    def alias_of(self, member: Any) -> str:
        """Return the alias of a FROM member.

        FROM t AS x

        the alias of a member, which sqlglot keeps as a TableAlias or as a plain name
        """
        alias = member.args.get("alias")
        if isinstance(alias, exp.Identifier):
            return self.fold(alias)

        if alias is not None and alias.this is not None:
            return self.fold(alias.this)

        if isinstance(member, exp.Table):
            return self.fold(member.this)

        return ""

    def conditions(self, joins: list[Join], scope: Scope, tables: Tables) -> str:
        """Return the canonical form of the join conditions."""
        said = []
        for at, join in enumerate(joins, 1):
            found = self.form_of(join.on, scope, tables) if join.on is not None else ALWAYS
            keys = [self.keys(key, at, join.kind, scope) for key in join.using]
            said.append(f"{join.kind}:{conjunction([found, *keys])}")

        if said:
            return f"on[{','.join(said)}]"

        return ""

    def keys(self, key: str, at: int, kind: str, scope: Scope) -> str:
        """Return the canonical form of a USING key.

        USING (k)      the first source that has it, and the one that is joined
        """
        left = self.left_of(key, at, scope)
        if kind not in ("", "LEFT", "RIGHT"):
            raise Unproven("merged keys")

        return equal(f"col(0,{left},{key})", f"col(0,{at},{key})")

    def left_of(self, key: str, at: int, scope: Scope) -> int:
        """Find the source on the left that has a USING key."""
        before = scope.sources[:at]
        if len(before) == 1:
            return 0

        having = [
            position
            for position, source in enumerate(before)
            if source.columns and key in source.columns
        ]
        if not having or any(source.columns is None for source in before):
            raise Unproven("merged keys of unknown tables")

        return having[0]

    # -- the list of items -------------------------------------------------------------------------

    def own_names(self, node: exp.Select) -> Iterator[str]:
        """Return the names that the SELECT list defines itself.

        SELECT a + 1 AS b      b is no column of a source, or need not be
        """
        for item in node.expressions:
            if isinstance(item, exp.Alias):
                alias = self.fold(item.args["alias"])
                inner = without_parentheses(item.this)
                if not (isinstance(inner, exp.Column) and self.fold(inner.this) == alias):
                    yield alias

    def items(self, node: exp.Select, scope: Scope, tables: Tables) -> Iterator[tuple[str, str]]:
        """Yield the name and the canonical form of each output column."""
        for item in map(without_parentheses, node.expressions):
            star = item.this if isinstance(item, exp.Column) else item
            if isinstance(star, exp.Star):
                yield from self.star(item, star, node, scope)
            elif isinstance(item, exp.Alias):
                yield self.fold(item.args["alias"]), self.form_of(item.this, scope, tables)
            elif isinstance(item, exp.Column):
                yield self.fold(item.parts[-1]), self.form_of(item, scope, tables)
            else:
                yield "", self.form_of(item, scope, tables)

    def merge(self, node: exp.Select, scope: Scope) -> None:
        """Note the keys that a USING merges.

        a JOIN b USING (k)      a k without a qualifier is that of a, or of b in a RIGHT JOIN
        """
        for at, join in enumerate(list_arg(node, "joins"), 1):
            for key in list_arg(join, "using"):
                name = self.fold(key)
                right = (join.args.get("side") or "").upper() == "RIGHT"
                scope.merged.setdefault(name, at if right else self.left_of(name, at, scope))

    def star(
        self, item: exp.Expr, star: exp.Star, node: exp.Select, scope: Scope
    ) -> Iterator[tuple[str, str]]:
        """Yield the columns that a star stands for."""
        if any(star.args.values()) or scope.merged or not scope.sources:
            raise Unproven("a star with more to it")

        if any(
            (join.args.get("kind") or "").upper() in ("SEMI", "ANTI")
            for join in list_arg(node, "joins")
        ):
            raise Unproven("a star over half a join")

        sources = list(enumerate(scope.sources))
        if scope.turned:
            sources.reverse()  # a star lists them as they are written

        if isinstance(item, exp.Column):
            alias = self.fold(item.args["table"])
            sources = [(at, source) for at, source in sources if source.alias == alias]

        for at, source in sources:
            if source.columns is None:
                yield "*", f"star({at})"
            else:
                yield from ((name, f"col(0,{at},{name})") for name in source.columns)


class AsWritten(Canon):
    """The walk without scopes: brackets, letter case, quotes and the order of conditions do not
    count, names do.
    """

    def query(self, node: Any, scope: Scope, tables: Tables, named: bool = True) -> Made:
        """Return the form of a query exactly as it is written."""
        return Made(self.plain(node, scope, tables, ()), None)

    def with_(self, node: exp.Expr, scope: Scope, tables: Tables) -> Tables:
        """Return the tables in scope, without those of a WITH."""
        return tables

    def plain(
        self, node: exp.Expr, scope: Scope, tables: Tables, without: tuple[str, ...] = ()
    ) -> str:
        """Return the form of a node exactly as it is written."""
        return super().plain(node, scope, tables, ())


def iter_parents(cte: exp.CTE) -> Iterator[exp.CTE]:
    """Yield the CTEs around a CTE."""
    around = cte.find_ancestor(exp.CTE)
    while around is not None:
        yield around
        around = around.find_ancestor(exp.CTE)


# -- expressions -----------------------------------------------------------------------------------


def column(canon: Canon, node: exp.Column, scope: Scope, tables: Tables) -> str:
    """Return the canonical form of a column.

    x.a, a, x.a.b      the column of which source, as far as it can be told
    """
    parts = list(map(canon.fold, node.parts))
    if isinstance(node.this, exp.Star):
        return f"star({parts})"

    if len(parts) > 1:
        found = scope.source_position(parts[0])
        if found is not None:
            return f"col({found[0]},{found[1]},{'.'.join(parts[1:])})"

        return f"named({parts})"

    at = scope.owner(parts[0])
    if at is not None:
        return f"col(0,{at},{parts[0]})"

    return f"named({parts})"


def identifier(canon: Canon, node: exp.Identifier, scope: Scope, tables: Tables) -> str:
    """Return the canonical form of a name."""
    return f"id({canon.fold(node)})"


def literal(canon: Canon, node: exp.Literal, scope: Scope, tables: Tables) -> str:
    """Return the canonical form of a constant."""
    if node.is_string:
        return f"text({node.this!r})"

    return f"number({node.this})"


def brackets(canon: Canon, node: exp.Paren, scope: Scope, tables: Tables) -> str:
    """Return the canonical form of what parentheses hold."""
    return canon.form_of(node.this, scope, tables)


def conjunction(operands: list[str]) -> str:
    """Return the canonical form of several conditions that must all hold."""
    kept = sorted({said for said in operands if said != ALWAYS})
    if len(kept) > 1:
        return f"and({','.join(kept)})"

    if kept:
        return kept[0]

    return ALWAYS


def and_(canon: Canon, node: exp.And, scope: Scope, tables: Tables) -> str:
    """Return the canonical form of a conjunction.

    a AND 1 = 1 AND b      in any order; what always holds is no condition
    """
    return conjunction([canon.form_of(each, scope, tables) for each in operands_of(node, exp.And)])


def or_(canon: Canon, node: exp.Or, scope: Scope, tables: Tables) -> str:
    """Return the canonical form of a disjunction."""
    return f"or({','.join(sorted({canon.form_of(each, scope, tables) for each in operands_of(node, exp.Or)}))})"


def without_parentheses(node: exp.Expr) -> Any:
    """Return the expression inside parentheses.

    ((a))      a
    """
    while isinstance(node, exp.Paren):
        node = node.this

    return node


def operands_of(node: exp.Expr, kind: Any) -> Iterator[Any]:
    """Return the operands of nested conjunctions or disjunctions.

    a AND (b AND c)      a, b, c
    """
    stack = [node]
    while stack:
        here = without_parentheses(stack.pop())
        if type(here) is kind:
            stack += [here.expression, here.this]
        else:
            yield here


def equal(left: str, right: str) -> str:
    """Return the canonical form of an equality."""
    return f"eq({','.join(sorted((left, right)))})"


def equality(canon: Canon, node: exp.EQ, scope: Scope, tables: Tables) -> str:
    """Return the canonical form of a comparison for equality.

    a = b, b = a; 1 = 1 always holds
    """
    left, right = (
        canon.form_of(node.this, scope, tables),
        canon.form_of(node.expression, scope, tables),
    )
    if left == right and left.startswith("number("):
        return ALWAYS

    return equal(left, right)


def neq(canon: Canon, node: exp.NEQ, scope: Scope, tables: Tables) -> str:
    """Return the canonical form of an inequality."""
    return "not" + equal(
        canon.form_of(node.this, scope, tables), canon.form_of(node.expression, scope, tables)
    )


def greater(canon: Canon, node: exp.Binary, scope: Scope, tables: Tables) -> str:
    """Turn a comparison around, so that the smaller side comes first.

    a > b      b < a
    """
    kind = "lt" if isinstance(node, exp.GT) else "lte"
    expression = canon.form_of(node.this, scope, tables)
    this = canon.form_of(node.expression, scope, tables)
    return f"{kind}(expression={expression},this={this})"


def boolean(canon: Canon, node: exp.Boolean, scope: Scope, tables: Tables) -> str:
    """Return the canonical form of TRUE or FALSE."""
    if node.this:
        return ALWAYS

    return "false()"


HANDLERS: dict[type, Callable[[Canon, Any, Scope, Tables], str]] = {
    exp.Column: column,
    exp.Identifier: identifier,
    exp.Literal: literal,
    exp.Paren: brackets,
    exp.And: and_,
    exp.Or: or_,
    exp.EQ: equality,
    exp.NEQ: neq,
    exp.GT: greater,
    exp.GTE: greater,
    exp.Boolean: boolean,
}
