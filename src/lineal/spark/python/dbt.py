"""The object that a model receives as `dbt`: model(dbt, session)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class UnknownTable(LookupError):
    """A model names a table that is not there; the message says which."""


class Flag(int):
    """dbt.is_incremental is a property; called it says the same."""

    def __call__(self) -> bool:
        return bool(self)

    def __repr__(self) -> str:
        return repr(bool(self))


class Config:
    """dbt.config(materialized="table") was read from the text; dbt.config.get("x") gives what it
    and the YAML say.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings = settings

    def __call__(self, *args: Any, **settings: Any) -> None:
        return None

    def get(self, name: str, default: Any = None) -> Any:
        """Return a setting of the model."""
        return self._settings.get(name, default)

    def meta_get(self, name: str, default: object = None) -> Any:
        """Return an entry of the model's `meta`."""
        meta = self._settings.get("meta")
        if isinstance(meta, dict):
            return meta.get(name, default)

        return default


class This(str):
    """dbt.this: the model's own table, as SQL writes it."""

    database: str
    schema: str
    identifier: str

    @classmethod
    def from_parts(cls, written: str, database: str, schema: str, identifier: str) -> This:
        """Return the relation of a model."""
        made = cls(written)
        made.database, made.schema, made.identifier = database, schema, identifier
        return made

    @property
    def name(self) -> str:
        """Return the name of the model's table."""
        return self.identifier


class Dbt:
    """ref, source, var, config, this, is_incremental"""

    def __init__(self, told: Mapping[str, Any], session: Any) -> None:
        self._told = told
        self._session = session
        self.config = Config(told["settings"])
        self.is_incremental = Flag(told["incremental"])
        self.this = This.from_parts(told["this"], told["database"], told["schema"], told["name"])

    def ref(self, *names: str, **version: Any) -> Any:
        """dbt.ref("orders"), dbt.ref("package", "orders"): the DataFrame of a node."""
        return self._table("ref", names)

    def source(self, *names: str) -> Any:
        """dbt.source("raw", "orders"): the DataFrame of a source's table."""
        return self._table("source", names)

    def var(self, name: str, default: Any = None) -> Any:
        """A variable of the project."""
        return self._told["variables"].get(name, default)

    def _table(self, word: str, names: tuple[str, ...]) -> Any:
        """Return the table that dbt.ref or dbt.source names."""
        if not names or not all(isinstance(name, str) for name in names):
            raise TypeError(f"dbt.{word} needs names: dbt.{word}({', '.join(map(repr, names))})")

        relations = self._told["relations"]
        table = relations.get(".".join(names), names[-1])
        found = self._told["tables"].get(table.casefold())
        if found is None and not self._session.catalog.tableExists(quote_name(table)):
            said = ", ".join(map(repr, names))
            raise UnknownTable(
                f"dbt.{word}({said}): there is no table {table} in the warehouse{self._near(table)}"
            )

        return self._session.table(found or quote_name(table))

    def _near(self, name: str) -> str:
        """Return the hint with the closest table."""
        from lineal.model.names import closest

        near = closest(name, list(self._told["tables"]))
        if near:
            return f"; did you mean {near}?"

        return ""


def quote_name(name: str) -> str:
    """Return a name in Spark's quotes."""
    from lineal.spark.names import quote_name as written

    return str(written(name))
