"""The types of a query's columns: the same walk as that of lineage, with a type in the place of
each lineage.

Where it is not certain which column a name means, its type is not known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeVar

from sqlglot import exp

from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.naming import output_name
from lineal.extract.sql.nodes import holds, items_in, list_arg
from lineal.extract.sql.types.kinds import UNKNOWN, Kind, Type, element, field, spell_type
from lineal.extract.sql.types.rules import Rules
from lineal.model.edge import Dataset
from lineal.model.sequences import first_of_each, instances, second_of_each

Key = TypeVar("Key")
Column = tuple[str, Type]
DatasetsBy = dict[Key, list[Dataset]]


class ScannedTypes(Protocol):
    """A source of the columns of datasets, with their types."""

    def columns_of(self, dataset: Dataset) -> Table:
        """Return the columns of a dataset."""
        ...


class Table:
    """The columns of a relation: key and type of each, in order; more than these, if it is not
    complete.
    """

    __slots__ = ("_index", "columns", "complete")

    def __init__(self, columns: list[Column], complete: bool) -> None:
        """Hold the typed columns of a relation; `complete` tells whether these are all."""
        self.columns = columns
        self.complete = complete
        self._index: dict[str, Type] | None = None

    @property
    def index(self) -> dict[str, Type]:
        """The types by key; of a key that is there twice nothing is known."""
        if self._index is None:
            times = Counter(first_of_each(self.columns))
            self._index = {key: kind if times[key] == 1 else UNKNOWN for key, kind in self.columns}

        return self._index

    def by_key(self) -> dict[str, Type]:
        """Return the known types, by key."""
        return {key: kind for key, kind in self.index.items() if kind.spelled}

    def find(self, key: str) -> Type | None:
        """None if there is no such column."""
        return self.index.get(key)


OPEN = Table([], False)


class Source(NamedTuple):
    alias: str
    table: Table
    hidden: frozenset[str] = frozenset()
    """USING (id)      a merged column no longer belongs to this side"""


class Scope:
    """The members of FROM, what USING has merged of them, and the aliases that came before."""

    def __init__(self, parent: Scope | None) -> None:
        """Start the scope of a SELECT without sources."""
        self.parent = parent
        self.sources: list[Source] = []
        self.merged: list[Column] = []
        self.aliases: dict[str, Type] = {}
        self.variables: frozenset[str] = frozenset()

    @property
    def complete(self) -> bool:
        """Tell whether the columns of every source are known."""
        return all(source.table.complete for source in self.sources)

    def source_of(self, alias: str) -> Source | None:
        """Return the source of an alias."""
        return next((source for source in self.sources if source.alias == alias), None)

    def column(self, key: str) -> Type:
        """Return the type of a column without a qualifier.

        x      the only source that has it, where every other one is known not to
        """
        if key in self.variables:
            return UNKNOWN

        merged = next((kind for each, kind in self.merged if each == key), None)
        if merged is not None:
            return merged

        found = [kind for source in self.sources if (kind := source.table.find(key)) is not None]
        if len(found) == 1 and (self.complete or len(self.sources) == 1):
            return found[0]

        if found or not self.complete:
            return UNKNOWN

        if key in self.aliases:
            return self.aliases[key]

        if self.parent is not None:
            return self.parent.column(key)

        return UNKNOWN

    def visible(self) -> Table:
        """Return the columns that a star shows.

        *
        """
        rest = [
            column
            for source in self.sources
            for column in source.table.columns
            if column[0] not in source.hidden
        ]
        return Table([*self.merged, *rest], self.complete)


CTEs = dict[str, Table]


class Typing:
    """One statement: where its names are looked up, and by which rules."""

    def __init__(self, types: ScannedTypes, evaluation: Evaluation) -> None:
        """Type queries with the types of scanned columns and the rules of a dialect."""
        self.types = types
        self.evaluation = evaluation
        self.dialect = evaluation.facts.name
        self.rules = Rules(self.dialect)

    def statement(self, query: exp.Expr, with_: Any) -> Table:
        """Return the types of a statement's columns."""
        return self.query(query, None, self.ctes(with_, None, {}) if with_ is not None else {})

    def key(self, identifier: Any) -> str:
        """Return the key of a column's name."""
        return self.evaluation.fold(identifier.name, identifier.args.get("quoted"))

    def table_key(self, identifier: Any) -> str:
        """Return the key of a table's name."""
        return self.evaluation.fold_table(identifier.name, identifier.args.get("quoted"))

    # -- queries -----------------------------------------------------------------------------------

    def query(self, node: Any, parent: Scope | None, ctes: CTEs) -> Table:
        """Return the types of a query's columns."""
        handler = QUERIES.get(type(node))
        if handler is not None:
            return handler(self, node, parent, ctes)

        return OPEN

    def ctes(self, node: exp.Expr, parent: Scope | None, ctes: CTEs) -> CTEs:
        """Return the types of CTEs, by name.

        WITH a AS (…), b AS (…)

        a recursive one has the types of its anchor, if the step has them, too
        """
        known = dict(ctes)
        for cte in node.expressions:
            alias = cte.args["alias"]
            key = self.table_key(alias.this)
            if cte.args.get("scalar"):
                known[key] = OPEN
                continue

            body = cte.this
            if node.args.get("recursive") and isinstance(body.unnest(), exp.SetOperation):
                anchor = self.rename_columns(
                    self.query(body.unnest().this, parent, {**known, key: OPEN}), alias
                )
                known[key] = anchor

            known[key] = self.rename_columns(self.query(body, parent, known), alias)

        return known

    def select(self, node: exp.Select, parent: Scope | None, ctes: CTEs) -> Table:
        """Return the types of a SELECT's columns."""
        args = node.args
        if args.get("with_") is not None:
            ctes = self.ctes(args["with_"], parent, ctes)

        scope = Scope(parent)
        if args.get("from_") is not None:
            self.relation(args["from_"].this, scope, ctes)

        for lateral in args.get("laterals") or ():
            self.relation(lateral, scope, ctes)

        for join in args.get("joins") or ():
            self.join(join, scope, ctes)

        if args.get("kind") in ("STRUCT", "VALUE"):
            return OPEN

        return self.project(node, scope, ctes)

    def project(self, node: exp.Select, scope: Scope, ctes: CTEs) -> Table:
        """Return the types of a SELECT list."""
        columns: list[Column] = []
        complete = True
        for position, item in enumerate(node.expressions):
            alias = item.args["alias"] if isinstance(item, exp.Alias) else None
            value = item.unalias()
            if value.is_star:
                table = self.star(value, scope)
                columns += table.columns
                complete = complete and table.complete
            elif isinstance(value, SEVERAL) or value.find(exp.Columns) is not None:
                made = self.generator_types(item, value, scope, ctes)
                columns += made.columns
                complete = complete and made.complete
            else:
                kind = self.expression(value, scope, ctes)
                key = self.key(alias) if alias is not None else self.output_key(value, position)
                columns.append((key, kind))
                if alias is not None and self.evaluation.facts.lateral_aliases:
                    scope.aliases.setdefault(key, kind)

        return Table(columns, complete)

    def output_key(self, value: Any, position: int) -> str:
        """Return the key of an output column."""
        name, quoted = output_name(value, position, self.evaluation)
        return self.evaluation.fold(name, quoted)

    def expression(self, node: exp.Expr, scope: Scope, ctes: CTEs) -> Type:
        """Return the type of an expression."""
        from lineal.extract.sql.types.expressions import type_of

        return type_of(node, self, scope, ctes)

    def star(self, node: exp.Expr, scope: Scope) -> Table:
        """Return the types that a star stands for.

        *, t.*      edited stars are left to those who ask by name
        """
        star = node.this if isinstance(node, exp.Column) else node
        if not isinstance(star, exp.Star) or any(star.args.values()):
            if isinstance(node, exp.Star):
                return self.apply_modifiers(star, scope)

            return OPEN

        if not isinstance(node, exp.Column):
            return scope.visible()

        if node.args.get("db") is None:
            source = scope.source_of(self.table_key(node.args["table"]))
        else:
            source = None

        if source is not None:
            return source.table

        return OPEN

    def apply_modifiers(self, star: Any, scope: Scope) -> Table:
        """Return the columns that a star's modifiers leave.

        * EXCEPT (a)      without those; what is replaced or renamed is not typed
        """
        if not isinstance(star, exp.Star) or any(map(star.args.get, ("rename", "ilike"))):
            return OPEN

        if any(isinstance(item, exp.Column) and item.table for item in list_arg(star, "except_")):
            return OPEN  # one source's column, or a field of a struct

        whole = scope.visible()
        left_out = {
            self.key(item.this if isinstance(item, exp.Column) else item)
            for item in list_arg(star, "except_")
        }
        changed = {
            self.key(item.args["alias"])
            for item in list_arg(star, "replace")
            if isinstance(item, exp.Alias)
        }
        kept = [
            (key, UNKNOWN if key in changed else kind)
            for key, kind in whole.columns
            if key not in left_out
        ]
        return Table(kept, whole.complete)

    def generator_types(self, item: exp.Expr, value: Any, scope: Scope, ctes: CTEs) -> Table:
        """Return the types of a generator in the SELECT list.

        SELECT explode(xs) AS x
        """
        call = value.this if isinstance(value, exp.Aliases) else value
        if isinstance(value, exp.Aliases):
            names = list(map(self.key, value.expressions))
        else:
            names = []

        if isinstance(item, exp.Alias):
            names = [self.key(item.args["alias"])]

        types = self.explode_types(call, scope, ctes)
        if not types or (names and len(names) != len(types)):
            return OPEN

        default = ["col"] if len(types) == 1 else ["pos", "col"]
        return Table(list(zip(names or default, types, strict=True)), True)

    def explode_types(self, call: Any, scope: Scope, ctes: CTEs) -> list[Type]:
        """Return the types of an exploding function.

        explode(xs): an element; posexplode(xs): its position and the element
        """
        if not isinstance(call, (exp.Explode, exp.Posexplode)) or call.expressions:
            return []

        of = self.expression(call.this, scope, ctes)
        if of.is_a((Kind.MAP,)) and len(of.inner) == 2:
            inner = [spell_type(each, self.dialect) for each in of.inner]
        else:
            inner = [element(of, self.dialect)]

        if isinstance(call, exp.Posexplode):
            return [self.rules.normal("int"), *inner]

        return inner

    def subquery(self, node: exp.Subquery, parent: Scope | None, ctes: CTEs) -> Table:
        """Return the types of a query in parentheses."""
        if node.args.get("with_") is not None:
            ctes = self.ctes(node.args["with_"], parent, ctes)

        if isinstance(node.this, exp.Table) or node.args.get("pivots"):
            return OPEN

        return self.query(node.this, parent, ctes)

    def set_operation(self, node: exp.Expr, parent: Scope | None, ctes: CTEs) -> Table:
        """Return the types of a set operation.

        a UNION b      by position, each type wide enough for every branch
        """
        if node.args.get("with_") is not None:
            ctes = self.ctes(node.args["with_"], parent, ctes)

        branches: list[Any] = []
        here = node
        while isinstance(here, exp.SetOperation) and (here is node or not here.args.get("with_")):
            branches.append(here.expression)
            if here.args.get("by_name"):
                return OPEN

            here = here.this

        tables = [self.query(branch, parent, ctes) for branch in (here, *reversed(branches))]
        width = len(tables[0].columns)
        if not all(table.complete and len(table.columns) == width for table in tables):
            return OPEN

        columns = zip(*(table.columns for table in tables), strict=True)
        return Table(
            [(column[0][0], self.rules.widest(second_of_each(column))) for column in columns],
            True,
        )

    def values(self, node: exp.Values, parent: Scope | None, ctes: CTEs) -> Table:
        """Return the types of VALUES.

        VALUES (1, 'a'), (2, 'b')
        """
        rows = list(map(items_in, node.expressions))
        if not rows or len(set(map(len, rows))) != 1:
            return OPEN

        scope = Scope(parent)
        first, prefix = self.evaluation.facts.values_names
        kinds = [
            self.rules.widest([self.expression(item, scope, ctes) for item in column])
            for column in zip(*rows, strict=True)
        ]
        return Table(
            [(f"{prefix}{position + first}", kind) for position, kind in enumerate(kinds)], True
        )

    def bare_table(self, node: exp.Table, parent: Scope | None, ctes: CTEs) -> Table:
        """Return the types of a query without SELECT."""
        scope = Scope(parent)
        self.relation(node, scope, ctes)
        return scope.visible()

    # -- members of FROM ---------------------------------------------------------------------------

    def relation(self, node: exp.Expr, scope: Scope, ctes: CTEs) -> None:
        """Add a member of FROM to the scope."""
        alias = node.args.get("alias")
        handler = RELATIONS.get(type(node))
        table = handler(self, node, scope, ctes) if handler is not None else OPEN
        if node.args.get("pivots") or node.args.get("match") is not None:
            table = OPEN

        name = ""
        if isinstance(alias, exp.TableAlias):
            table = self.rename_columns(table, alias)
            name = self.table_key(alias.this) if alias.this is not None else ""
        elif holds(node, exp.Table, exp.Identifier):
            name = self.table_key(node.this)

        scope.sources.append(Source(name, table))
        for join in list_arg(node, "joins"):
            self.join(join, scope, ctes)

        for lateral in list_arg(node, "laterals"):
            self.relation(lateral, scope, ctes)

    def rename_columns(self, table: Table, alias: Any) -> Table:
        """Rename the columns of a table by an alias.

        AS d(p, q)
        """
        names = [
            self.key(name)
            for name in list_arg(alias, "columns")
            if isinstance(name, exp.Identifier)
        ]
        if not names:
            return table

        if not table.complete or len(names) > len(table.columns):
            return OPEN

        renamed = [(name, kind) for name, (_, kind) in zip(names, table.columns, strict=False)]
        return Table([*renamed, *table.columns[len(names) :]], True)

    def table_types(self, node: exp.Table, scope: Scope, ctes: CTEs) -> Table:
        """Return the types of a table.

        FROM t, FROM db.t      a CTE, else a dataset that the statement was found to read
        """
        if not isinstance(node.this, exp.Identifier):
            return OPEN

        key = self.table_key(node.this)
        if node.args.get("db") is None and key in ctes:
            return ctes[key]

        by_node, by_name = self.datasets_read
        parts = [
            part for part in (node.args.get("catalog"), node.args.get("db"), node.this) if part
        ]
        named = by_name.get(".".join(map(self.table_key, parts)), [])
        found = {*by_node.get(id(node), []), *named}
        if len(found) == 1:
            return self.types.columns_of(found.pop())

        return OPEN

    @cached_property
    def datasets_read(self) -> tuple[DatasetsBy[int], DatasetsBy[str]]:
        """The datasets that the statement reads, by the node that names them and by name."""
        by_node: DatasetsBy[int] = {}
        by_name: DatasetsBy[str] = {}
        fold = self.evaluation.fold_table
        for dataset, at in self.evaluation.datasets_read.items():
            by_node.setdefault(id(at), []).append(dataset)
            key = ".".join(fold(part, False) for part in str(dataset.name).split("."))
            by_name.setdefault(key, []).append(dataset)

        return by_node, by_name

    def derived_types(self, node: exp.Subquery, scope: Scope, ctes: CTEs) -> Table:
        """Return the types of a derived table."""
        return self.subquery(node, scope.parent, ctes)

    def listed_values(self, node: exp.Values, scope: Scope, ctes: CTEs) -> Table:
        """Return the types of VALUES in FROM."""
        return self.values(node, scope, ctes)

    def lateral(self, node: exp.Lateral, scope: Scope, ctes: CTEs) -> Table:
        """Return the types of a lateral view or query.

        LATERAL VIEW explode(xs) t AS x, JOIN LATERAL (SELECT …)
        """
        if isinstance(node.this, exp.Subquery):
            return self.query(node.this, scope, ctes)

        types = self.explode_types(node.this, scope, ctes)
        if types:
            return Table([("col", kind) for kind in types], True)

        return OPEN

    def unnest(self, node: exp.Unnest, scope: Scope, ctes: CTEs) -> Table:
        """Return the types of UNNEST.

        CROSS JOIN UNNEST(xs) AS u(x)
        """
        alias = node.args.get("alias")
        if (
            len(node.expressions) != 1
            or node.args.get("offset")
            or alias is None
            or not alias.args.get("columns")
        ):
            return OPEN

        kind = element(self.expression(node.expressions[0], scope, ctes), self.dialect)
        if not kind.is_a((Kind.STRUCT,)):
            return Table([("col", kind)], True)

        return OPEN

    def join(self, node: exp.Join, scope: Scope, ctes: CTEs) -> None:
        """Add a join to the scope."""
        before = len(scope.sources)
        self.relation(node.this, scope, ctes)
        using = list(map(self.key, list_arg(node, "using")))
        if node.args.get("method") == "NATURAL":
            scope.sources[-1] = Source("", OPEN)
        elif using:
            self.merge(using, node, scope, before)

        if node.args.get("kind") in ("SEMI", "ANTI"):
            del scope.sources[before:]

    def merge(self, using: Sequence[str], node: exp.Join, scope: Scope, before: int) -> None:
        """Merge the keys of USING.

        USING (id)      the left one, the right one, or a type for both
        """
        side = node.args.get("side")
        right = scope.sources[before]
        rest = [column for column in scope.merged if column[0] not in using]
        shown: list[Column] = []
        for key in using:
            held = next((kind for each, kind in scope.merged if each == key), None)
            lefts = [
                kind
                for source in scope.sources[:before]
                if (kind := source.table.find(key)) is not None
            ]
            if held is not None:
                left = held
            elif len(lefts) == 1:
                left = lefts[0]
            else:
                left = UNKNOWN

            other = right.table.find(key) or UNKNOWN
            taken = {"RIGHT": other, "FULL": self.rules.widest([left, other])}.get(side or "", left)
            shown.append((key, taken))

        scope.merged = [*shown, *rest]
        hidden = frozenset(using)
        scope.sources = [source._replace(hidden=source.hidden | hidden) for source in scope.sources]

    # -- names -------------------------------------------------------------------------------------

    def column(self, node: exp.Column, scope: Scope) -> Type:
        """Return the type of a column.

        x, t.x, t.x.field, x.field
        """
        parts = instances(node.parts, exp.Identifier)
        if len(parts) != len(node.parts):
            return UNKNOWN

        start = 0
        found = scope.column(self.key(parts[0])) if len(parts) == 1 else None
        here: Scope | None = scope
        while found is None and here is not None:
            source = here.source_of(self.table_key(parts[0]))
            if source is not None:
                found, start = source.table.find(self.key(parts[1])) or UNKNOWN, 1

            here = here.parent

        if found is None:
            found = scope.column(self.key(parts[0]))

        for part in parts[start + 1 :]:
            found = field(found, part.name, self.dialect)

        return found


SEVERAL = (
    exp.Explode, exp.ExplodeOuter, exp.Posexplode, exp.PosexplodeOuter, exp.Inline, exp.Unnest, exp.Stack, exp.Aliases,
)  # fmt: skip

QUERIES: dict[type, Callable[[Typing, Any, Scope | None, CTEs], Table]] = {
    exp.Select: Typing.select,
    exp.Subquery: Typing.subquery,
    exp.Union: Typing.set_operation,
    exp.Intersect: Typing.set_operation,
    exp.Except: Typing.set_operation,
    exp.Values: Typing.values,
    exp.Table: Typing.bare_table,
}

RELATIONS: dict[type, Callable[[Typing, Any, Scope, CTEs], Table]] = {
    exp.Table: Typing.table_types,
    exp.Subquery: Typing.derived_types,
    exp.Values: Typing.listed_values,
    exp.Lateral: Typing.lateral,
    exp.Unnest: Typing.unnest,
}
