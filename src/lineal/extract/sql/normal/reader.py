"""Parsed queries as values: every name is replaced by the column that it means."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.nodes import holds, list_arg
from lineal.extract.sql.normal.errors import Unproven
from lineal.extract.sql.normal.expressions import operand_names, term_of
from lineal.extract.sql.normal.query import Block, Item, Left, Query, SetOperation, Source
from lineal.extract.sql.normal.terms import (
    Term,
    as_filter,
    column,
    equality,
    not_,
    operands,
)

Columns = Callable[[str], "list[str] | None"]
Tables = dict[str, tuple[Any, "Tables"]]
"""The CTEs in scope: the query of each, and the CTEs that it sees."""

LARGEST = 6000
"""Nodes of one statement, every CTE counted as often as it is read."""
CLAUSES = frozenset(
    ("expressions", "from_", "joins", "where", "group", "having", "distinct", "order", "with_")
)


@dataclass
class Scope:
    """The sources of one SELECT, and the scope around it."""

    parent: Scope | None
    tables: Tables
    sources: dict[str, Source] = field(default_factory=dict)
    merged: dict[str, Term] = field(default_factory=dict)
    """USING (k)      what k means without a qualifier"""
    aliases: set[str] = field(default_factory=set)
    """SELECT a + 1 AS b      a name that is a column of no source, or need not be one"""
    after_items: bool = False
    """GROUP BY, HAVING and ORDER BY see aliases, by rules that differ between dialects"""


class Reader:
    """Reads one statement; the effort is limited."""

    def __init__(self, facts: Facts, columns: Columns) -> None:
        """Read queries of a dialect; `columns` tells the columns of tables."""
        self.facts = facts
        self.known = columns
        self.left = LARGEST

    def spend(self) -> None:
        """Count a node; a statement with too many is not proven."""
        self.left -= 1
        if self.left < 0:
            raise Unproven("too large to prove")

    def fold(self, node: exp.Expr) -> str:
        """Return the folded name of an identifier."""
        return self.facts.fold(node.name, bool(node.args.get("quoted")))

    # -- queries -----------------------------------------------------------------------------------

    def query(self, node: Any, outer: Scope) -> Query:
        """Return a query as a value."""
        self.spend()
        tables = self.with_(node, outer.tables)
        if isinstance(node, exp.Select):
            return self.select(node, Scope(outer, tables))

        if isinstance(node, exp.SetOperation):
            return self.set_operation(node, Scope(outer, tables))

        if isinstance(node, exp.Subquery) and set(operand_names(node)) <= {
            "this",
            "alias",
            "with_",
        }:
            return self.query(node.this, Scope(outer.parent, tables, outer.sources, outer.merged))

        raise Unproven(type(node).__name__)

    def with_(self, node: exp.Expr, tables: Tables) -> Tables:
        """Return the CTEs in scope after a WITH."""
        found = node.args.get("with_")
        if found is None:
            return tables

        if found.args.get("recursive"):
            raise Unproven("a recursive CTE")

        tables = dict(tables)
        for cte in found.expressions:
            if cte.args.get("scalar") or cte.args["alias"].args.get("columns"):
                raise Unproven("a CTE with a list of columns")

            tables[self.fold(cte.args["alias"].this)] = (cte.this, dict(tables))

        return tables

    def set_operation(self, node: exp.Expr, scope: Scope) -> SetOperation:
        """a UNION b"""
        if set(operand_names(node)) - {"this", "expression", "distinct", "with_"}:
            raise Unproven("a set operation with more to it")

        branches = [self.query(side, scope) for side in (node.this, node.expression)]
        if any(branch.names is None for branch in branches):
            raise Unproven("a set operation over columns that are not known")

        return SetOperation(node.key, bool(node.args.get("distinct")), branches)

    def select(self, node: exp.Select, scope: Scope) -> Block:
        """SELECT … FROM … WHERE … GROUP BY … HAVING …"""
        if set(operand_names(node)) - CLAUSES:
            raise Unproven("a SELECT with more to it")

        block = Block()
        self.read_from(node, block, scope)
        self.note_aliases(node, scope)
        block.items = list(self.items(node, scope))
        if node.args.get("where"):
            block.conditions += self.conditions(node.args["where"].this, scope)

        scope.after_items = True
        self.read_groups(node, block, scope)
        self.read_distinct(node, block)
        self.read_order(node, block, scope)
        return block

    def conditions(self, node: exp.Expr, scope: Scope) -> list[Term]:
        """Return the conditions that have to hold, one by one."""
        return [*operands("and", as_filter(term_of(self, node, scope)))]

    # -- FROM --------------------------------------------------------------------------------------

    def read_from(self, node: exp.Select, block: Block, scope: Scope) -> None:
        """Add the members of FROM to a block and its scope."""
        first = node.args.get("from_")
        if first is None:
            return

        block.sources.append(self.member(first.this, scope))
        for join in list_arg(node, "joins"):
            self.read_join(join, block, scope)

    def read_join(self, join: exp.Join, block: Block, scope: Scope) -> None:
        """Add a join to a block: an inner one is a source and conditions."""
        if set(operand_names(join)) - {"this", "on", "using", "kind", "side"}:
            raise Unproven("a join with more to it")

        side = (join.args.get("side") or "").upper()
        kind = (join.args.get("kind") or "").upper()
        if kind in ("SEMI", "ANTI"):
            self.read_half_join(join, block, scope, kind)
            return

        if kind not in ("", "INNER", "CROSS", "OUTER") or side not in ("", "LEFT", "RIGHT"):
            raise Unproven(f"{side} {kind} JOIN")

        source = self.member(join.this, scope)
        conditions = self.join_conditions(join, block, source, scope, side)
        if side == "LEFT":
            block.lefts.append(Left(source, conditions))
        elif side == "RIGHT":
            self.turn(block, source, conditions)
        else:
            block.sources.append(source)
            block.conditions += conditions

    def turn(self, block: Block, source: Source, conditions: list[Term]) -> None:
        """a RIGHT JOIN b is b LEFT JOIN a"""
        if len(block.sources) != 1 or block.lefts or block.conditions:
            raise Unproven("a RIGHT JOIN after other joins")

        block.lefts.append(Left(block.sources.pop(), conditions))
        block.sources.append(source)

    def read_half_join(self, join: exp.Join, block: Block, scope: Scope, kind: str) -> None:
        """a LEFT SEMI JOIN b ON c is WHERE EXISTS (SELECT 1 FROM b WHERE c)"""
        if join.args.get("using") or not join.args.get("on") or join.args.get("side") == "RIGHT":
            raise Unproven("a half join without a condition")

        inner = Scope(scope, scope.tables)
        found = Block(sources=[self.member(join.this, inner)])
        found.conditions = self.conditions(join.args["on"], inner)
        test: Term = ("exists", found)
        block.conditions.append(test if kind == "SEMI" else not_(test))

    def join_conditions(
        self, join: exp.Join, block: Block, source: Source, scope: Scope, side: str
    ) -> list[Term]:
        """Return the conditions of ON or USING."""
        found: list[Term] = []
        if join.args.get("on"):
            found += self.conditions(join.args["on"], scope)

        for key in list_arg(join, "using"):
            name = self.fold(key)
            left = scope.merged.get(name)
            if left is None:
                left = self.using_left(name, block)

            right = column(source.number, name)
            found.append(equality(left, right))
            scope.merged[name] = right if side == "RIGHT" else left

        return found

    def using_left(self, name: str, block: Block) -> Term:
        """Return the column on the left that USING names."""
        having = [each for each in block.all_sources if name in (each.columns or ())]
        if len(block.all_sources) == 1:
            having = block.all_sources
        elif any(each.columns is None for each in block.all_sources):
            raise Unproven("USING over tables that are not known")

        if len(having) != 1:
            raise Unproven("USING with several candidates")

        return column(having[0].number, name)

    def member(self, member: Any, scope: Scope) -> Source:
        """Return a member of FROM, and note it in the scope under its alias."""
        if isinstance(member, exp.Subquery) and set(operand_names(member)) <= {
            "this",
            "alias",
            "with_",
        }:
            source = self.derived_source(member, Scope(scope.parent, scope.tables))
        elif holds(member, exp.Table, exp.Identifier):
            source = self.table(member, scope)
        else:
            raise Unproven("a member of FROM that is not a table")

        alias = self.alias_of(member)
        if alias in scope.sources:
            raise Unproven("two sources of one name")

        scope.sources[alias or f"#{source.number}"] = source
        return source

    def table(self, member: exp.Table, scope: Scope) -> Source:
        """Return a table, or the CTE that goes by its name."""
        if set(operand_names(member)) - {"this", "alias", "db", "catalog"}:
            raise Unproven("a table with more to it")

        cte = scope.tables.get(self.fold(member.this)) if len(member.parts) == 1 else None
        if cte is not None:
            query, tables = cte
            return self.derived_source(query, Scope(None, tables))

        name = ".".join(
            self.facts.fold_table(part.name, bool(part.args.get("quoted"))) for part in member.parts
        )
        columns = self.known(name)
        if columns is None:
            return Source(name)

        return Source(name, None, [self.facts.fold(each, False) for each in columns])

    def derived_source(self, node: exp.Expr, scope: Scope) -> Source:
        """Return a subquery or a CTE as a source."""
        query = self.query(node, scope)
        names = query.names
        if names is not None and len(set(names)) < len(names):
            raise Unproven("two columns of one name")

        if names is None and (not isinstance(query, Block) or len(query.items) != 1):
            raise Unproven("a star next to other columns")

        if isinstance(query, (Block, SetOperation)) and query.order:
            raise Unproven("a subquery with an order")

        return Source("", query, names)

    def alias_of(self, member: Any) -> str:
        """Return the alias of a member of FROM."""
        alias = member.args.get("alias")
        if alias is not None and (alias.args.get("columns") or isinstance(alias, exp.Identifier)):
            raise Unproven("an alias with a list of columns")

        if alias is not None and alias.this is not None:
            return self.fold(alias.this)

        if isinstance(member, exp.Table):
            return self.fold(member.this)

        return ""

    # -- names -------------------------------------------------------------------------------------

    def column(self, node: exp.Column, scope: Scope) -> Term:
        """Return the column that a name means."""
        parts = list(map(self.fold, node.parts))
        if len(parts) == 2:
            return self.qualified_column(parts[0], parts[1], scope)

        if len(parts) == 1:
            return self.unqualified_column(parts[0], scope)

        raise Unproven("a name of three parts")

    def qualified_column(self, alias: str, name: str, scope: Scope) -> Term:
        """t.a"""
        here: Scope | None = scope
        while here is not None:
            source = here.sources.get(alias)
            if source is not None:
                if source.columns is not None and name not in source.columns:
                    raise Unproven("a column that does not exist")

                return column(source.number, name)

            here = here.parent

        raise Unproven("a qualifier without a source")

    def unqualified_column(self, name: str, scope: Scope) -> Term:
        """a: the column of the innermost query that has one of this name."""
        here: Scope | None = scope
        while here is not None:
            found = self.column_of_scope(name, here)
            if found is not None:
                return found

            here = here.parent

        raise Unproven("a name without a source")

    def column_of_scope(self, name: str, scope: Scope) -> Term | None:
        """Return the column of one scope that a name means; None if the scope has none."""
        if name in scope.merged:
            return scope.merged[name]

        sources = list(scope.sources.values())
        having = [each for each in sources if name in (each.columns or ())]
        unknown = [each for each in sources if each.columns is None]
        if name in scope.aliases and (scope.after_items or unknown or not having):
            raise Unproven("a name that may be an alias")

        if unknown and len(sources) > 1:
            raise Unproven("a name that several tables may have")

        found = [*having, *unknown]
        if len(found) > 1:
            raise Unproven("an ambiguous name")

        return column(found[0].number, name) if found else None

    def note_aliases(self, node: exp.Select, scope: Scope) -> None:
        """Note the names that the SELECT list gives to something else than a column of that name."""
        for item in node.expressions:
            if isinstance(item, exp.Alias):
                name, inner = self.fold(item.args["alias"]), item.this.unnest()
                if not (isinstance(inner, exp.Column) and self.fold(inner.this) == name):
                    scope.aliases.add(name)

    # -- the other clauses -------------------------------------------------------------------------

    def items(self, node: exp.Select, scope: Scope) -> Iterator[Item]:
        """Yield the output columns."""
        for item in (each.unnest() for each in node.expressions):
            star = item.this if isinstance(item, exp.Column) else item
            if isinstance(star, exp.Star):
                yield from self.star(item, star, node, scope)
            elif isinstance(item, exp.Alias):
                yield Item(self.fold(item.args["alias"]), term_of(self, item.this, scope))
            elif isinstance(item, exp.Column):
                yield Item(self.fold(item.parts[-1]), term_of(self, item, scope))
            elif isinstance(item, exp.Aliases):
                raise Unproven("an item with several names")
            else:
                yield Item(f"?{item.sql().lower()}", term_of(self, item, scope))

    def star(self, item: exp.Expr, star: Any, node: exp.Select, scope: Scope) -> Iterator[Item]:
        """Yield the columns of a star."""
        halves = any(
            (join.args.get("kind") or "").upper() in ("SEMI", "ANTI")
            for join in list_arg(node, "joins")
        )
        if operand_names(star) or scope.merged or halves:
            raise Unproven("a star with more to it")

        sources = list(scope.sources.values())
        if isinstance(item, exp.Column):
            alias = self.fold(item.args["table"]) if item.args.get("table") else ""
            if alias not in scope.sources:
                raise Unproven("a star of a row")

            sources = [scope.sources[alias]]

        for source in sources:
            if source.columns is None:
                yield Item("*", ("star", source.number))
            else:
                yield from (Item(name, column(source.number, name)) for name in source.columns)

    def read_groups(self, node: exp.Select, block: Block, scope: Scope) -> None:
        """Read GROUP BY and HAVING; an aggregate without keys makes one group of all rows."""
        group, having = node.args.get("group"), node.args.get("having")
        if group is not None:
            if set(operand_names(group)) - {"expressions"}:
                raise Unproven("groups with more to them")

            block.keys = [self.by_position(each, block, scope) for each in group.expressions]
        elif having is not None or any(map(holds_aggregate, node.expressions)):
            block.keys = []

        if having is not None:
            block.having = self.conditions(having.this, scope)

    def by_position(self, node: exp.Expr, block: Block, scope: Scope) -> Term:
        """GROUP BY 1, GROUP BY alias"""
        found = node.unnest()
        if isinstance(found, exp.Literal):
            position = int(found.this) if not found.is_string else 0
            if not 0 < position <= len(block.items) or block.names is None:
                raise Unproven("a position that does not exist")

            return block.items[position - 1].term

        if isinstance(found, exp.Column) and len(found.parts) == 1:
            return self.by_alias(found, block, scope)

        return term_of(self, found, scope)

    def by_alias(self, node: exp.Column, block: Block, scope: Scope) -> Term:
        """Return what a name in GROUP BY or ORDER BY means, if that is one thing only."""
        name = self.fold(node.this)
        named = {item.term for item in block.items if item.name == name}
        if name not in scope.aliases:
            return term_of(self, node, scope)

        sources = scope.sources.values()
        if any(each.columns is None or name in each.columns for each in sources):
            raise Unproven("a name that may be an alias")

        if len(named) != 1:
            raise Unproven("two columns of one name")

        return named.pop()

    def read_distinct(self, node: exp.Select, block: Block) -> None:
        """SELECT DISTINCT"""
        distinct = node.args.get("distinct")
        if distinct is None:
            return

        if operand_names(distinct):
            raise Unproven("DISTINCT ON")

        block.distinct = True

    def read_order(self, node: exp.Select, block: Block, scope: Scope) -> None:
        """ORDER BY: the order of a result counts."""
        order = node.args.get("order")
        if order is None:
            return

        if operand_names(order) != ["expressions"]:
            raise Unproven("an order with more to it")

        for each in order.expressions:
            term = self.by_position(each.this, block, scope)
            down, first = bool(each.args.get("desc")), bool(each.args.get("nulls_first"))
            block.order.append(("node", "ordered", (("this", term), ("prim", f"{down}{first}"))))


def holds_aggregate(node: exp.Expr) -> bool:
    """Tell whether an item holds an aggregate of its own query, other than a window."""
    for found in node.find_all(exp.AggFunc):
        around = found.parent
        while isinstance(around, (exp.Filter, exp.IgnoreNulls, exp.RespectNulls)):
            around = around.parent

        nested = found.find_ancestor(exp.Query)
        if not isinstance(around, exp.Window) and nested is node.parent_select:
            return True

    return False
