"""`adapter`, as templates know it: what can be said without a database, and a note where it cannot."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .relation import Column, Columns, Relation, quote_if_needed
from .values import Dynamic

if TYPE_CHECKING:
    from .renderer import Dbt

SILENT = frozenset(
    [
        "create_schema",
        "drop_schema",
        "drop_relation",
        "truncate_relation",
        "rename_relation",
        "expand_target_column_types",
        "execute",
        "cache_added",
        "cache_dropped",
        "cache_renamed",
        "commit",
        "verify_database",
        "valid_incremental_strategies",
        "alter_table_add_columns",
        "add_query_to_log",
    ]
)
"""The methods that change the database and return nothing."""


class Adapter:
    def __init__(self, renderer: Dbt) -> None:
        self._renderer = renderer

    def dispatch(
        self, macro_name: str, macro_namespace: str | None = None, **kwargs: object
    ) -> Any:
        """Return the macro for the current adapter."""
        renderer = self._renderer
        return renderer.library.dispatch(
            str(macro_name), str(macro_namespace or ""), renderer.package
        )

    def type(self) -> str:
        """Return the name of the adapter."""
        return self._renderer.library.adapter

    def quote(self, name: Any) -> str:
        """Quote a name only where it needs quotes: dialects fold quoted names in other ways."""
        return quote_if_needed(str(name), self._renderer.quote)

    def quote_as_configured(self, name: object, *args: object) -> str:
        """Return a name in quotes."""
        return self.quote(name)

    def quote_seed_column(self, name: object, *args: object) -> str:
        """Return the name of a seed's column in quotes."""
        return self.quote(name)

    def get_columns_in_relation(self, relation: object) -> Columns:
        """Return the columns of a relation, as far as they are known."""
        return self._renderer.columns_of(relation)

    def get_missing_columns(self, source: object, target: object) -> Columns:
        """Return the columns of one relation that another one lacks."""
        there = {column.name.lower() for column in self.get_columns_in_relation(target)}
        return Columns(
            column
            for column in self.get_columns_in_relation(source)
            if column.name.lower() not in there
        )

    def get_relation(
        self, database: object = None, schema: object = None, identifier: object = None
    ) -> Relation | None:
        """Return a relation of the project, if it is one."""
        return self._renderer.known_relation(str(schema or ""), str(identifier or ""))

    def check_schema_exists(self, *args: object, **kwargs: object) -> bool:
        """Answer that every schema exists."""
        return True

    def list_relations(
        self, database: object = None, schema: object = None, **kwargs: object
    ) -> list[Relation]:
        """Return the relations of a schema that the project knows."""
        return self._renderer.relations_in(str(schema or ""))

    list_relations_without_caching = list_relations

    def __getitem__(self, name: str) -> Callable[..., Any]:
        """Any other method: only a run knows what it gives."""
        if name in SILENT:
            return lambda *args, **kwargs: ""

        def unknown(*args: Any, **kwargs: Any) -> Dynamic:
            """Return a placeholder for a method of the adapter that only a run can answer."""
            self._renderer.note(f"adapter.{name}() is only known when it runs")
            return self._renderer.placeholder(f"{name}_value")

        return unknown


class Api:
    """api.Relation.create(…), api.Column(…)"""

    def __init__(self, renderer: Dbt) -> None:
        self.Relation = RelationMaker(renderer)
        self.Column = ColumnMaker(renderer)


class RelationMaker:
    def __init__(self, renderer: Dbt) -> None:
        self._renderer = renderer

    def create(
        self,
        database: object = None,
        schema: object = None,
        identifier: object = None,
        **kwargs: object,
    ) -> Relation:
        """Return the relation of these names."""
        found = (
            self._renderer.known_relation(str(schema or ""), str(identifier or ""))
            if schema
            else None
        )
        if found is not None:
            return found

        parts = tuple(
            str(part) if part is not None else "" for part in (database, schema, identifier)
        )
        return Relation(parts, self._renderer.quote, kind=str(kwargs.get("type") or ""))  # type: ignore[arg-type]

    def get_default_quote_policy(self) -> Any:
        """Return which parts of a name are quoted: none."""
        return {"database": False, "schema": False, "identifier": False}

    def __getitem__(self, name: str) -> str:
        return name.lower()


class ColumnMaker:
    def __init__(self, renderer: Dbt) -> None:
        self._renderer = renderer

    def __call__(self, column: Any, dtype: Any = "", *args: Any, **kwargs: Any) -> Column:
        return Column(str(column), str(dtype or ""), self._renderer.quote)

    def create(self, name: object, data_type: object = "") -> Column:
        """Return a column."""
        return self(name, data_type)

    def translate_type(self, data_type: object) -> str:
        """Return a type as it is."""
        return str(data_type)

    def string_type(self, *args: object) -> str:
        """Return the type of texts."""
        return "varchar"

    def numeric_type(self, *args: object) -> str:
        """Return the type of numbers."""
        return "numeric"
