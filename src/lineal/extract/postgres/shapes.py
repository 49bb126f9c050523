"""Shapes: the columns of derived tables, CTEs and views, which a plan names and does not list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlglot import exp

from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.naming import output_name
from lineal.extract.sql.nodes import holds, list_arg

NUMBERED = re.compile(r"_\d+$")
"""The server calls the second s of a plan s_1."""


class Shapes:
    """Alias → the column lists that a text gives under it."""

    def __init__(
        self, queries: Iterable[tuple[Any, Evaluation]], views: Mapping[str, Sequence[str]]
    ) -> None:
        """Collect the column names of the texts and of the views that a plan can mean."""
        self.views = views
        self.found: dict[str, list[list[str]]] = {}
        self.lists: dict[str, list[list[str]]] = {}
        """Alias → the names that a text gives to the first columns of a table"""
        self.exists = False
        """EXISTS (…) as a value: before version 17 a plan does not tell it from a subquery's value
        """
        for tree, evaluation in queries:
            self.evaluation = evaluation
            self.add(tree)
            self.exists = self.exists or tree.find(exp.Exists) is not None

    def add(self, tree: Any) -> None:
        """Note the columns of every alias and CTE in a query."""
        for derived in tree.find_all(exp.Subquery, exp.CTE):
            alias = derived.args.get("alias")
            if alias is not None and alias.this is not None:
                self.put(alias, self.alias_names(alias, self.names(derived.this)))

        for table in tree.find_all(exp.Table):
            alias = table.args.get("alias")
            held = self.of_table(table)
            self.note_list(alias)
            if alias is not None and alias.this is not None:
                for names in held:
                    self.put(alias, self.alias_names(alias, names))
            elif isinstance(table.this, exp.Identifier):
                for names in held:
                    self.put(table, names)

    def note_list(self, alias: exp.TableAlias | None) -> None:
        """Note the column list of a table's alias.

        FROM a AS t(one, two)
        """
        if alias is None or alias.this is None:
            return

        columns = list(map(self.key, list_arg(alias, "columns")))
        key = self.evaluation.fold_table(alias.this.name, alias.this.args.get("quoted"))
        self.lists.setdefault(key, []).append(columns)

    def columns_under_alias(self, alias: str, used: set[str], names: list[str]) -> list[str]:
        """The columns of a table under an alias: the first list of the text that has all that is
        used, else the table's own names.
        """
        for key in (alias, NUMBERED.sub("", alias)):
            for columns in self.lists.get(key, ()):
                listed = [*columns, *names[len(columns) :]]
                if used <= set(listed):
                    return listed

        return names

    def put(self, named: Any, names: list[str] | None) -> None:
        """Note the columns of an alias."""
        identifier = named.this
        self.keep(self.evaluation.fold_table(identifier.name, identifier.args.get("quoted")), names)

    def keep(self, key: str, names: list[str] | None) -> None:
        """Note one list of columns that a name may have."""
        lists = self.found.setdefault(key, [])
        if names is not None and names not in lists:
            lists.append(names)

    def alias_names(self, alias: exp.TableAlias, names: list[str] | None) -> list[str] | None:
        """Return the column names that an alias lists.

        AS s(a, b)
        """
        columns = list(map(self.key, list_arg(alias, "columns")))
        if names is None:
            return None

        return [*columns, *names[len(columns) :]]

    def of_table(self, table: exp.Table) -> list[list[str]]:
        """Return the columns of a CTE or view that a table names.

        FROM x, where x is a CTE or a view
        """
        if not isinstance(table.this, exp.Identifier):
            return []

        key = self.evaluation.fold_table(table.this.name, table.this.args.get("quoted"))
        if table.args.get("db") is None:
            return list(self.found.get(key, ())) + [
                list(v) for n, v in self.views.items() if n.endswith(f".{key}")
            ]

        full = f"{table.args['db'].name}.{table.this.name}"
        return [list(self.views[full])] if full in self.views else []

    def names(self, query: Any) -> list[str] | None:
        """The names of a query's columns; None where a star hides them."""
        while isinstance(query, (exp.Subquery, exp.SetOperation)):
            query = query.this

        if not isinstance(query, exp.Select):
            return None

        found = []
        for position, item in enumerate(query.expressions):
            if isinstance(item, exp.Star) or (holds(item, exp.Column, exp.Star)):
                return None

            if isinstance(item, exp.Alias):
                found.append(self.key(item.args["alias"]))
            else:
                name, quoted = output_name(item, position, self.evaluation)
                found.append(self.evaluation.fold(name, quoted))

        return found

    def key(self, identifier: Any) -> str:
        """Return the folded name of a column."""
        identifier = identifier.this if isinstance(identifier, exp.ColumnDef) else identifier
        return self.evaluation.fold(identifier.name, identifier.args.get("quoted"))

    def columns(self, alias: str, used: set[str], most: int) -> list[str] | None:
        """The one list that may be meant: it has all that is used, and no more columns than there
        are values.
        """
        for key in (alias, NUMBERED.sub("", alias)):
            fitting = [
                names
                for names in self.found.get(key, ())
                if used <= set(names) and len(names) <= most
            ]
            if fitting:
                places = {tuple(map(names.index, sorted(used))) for names in fitting}
                return fitting[0] if len(places) == 1 else None

        return None
