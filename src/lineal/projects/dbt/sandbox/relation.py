"""Tables as dbt's templates hold them: `ref('orders')` is an object with a database, a schema and
an identifier.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*\Z")
RESERVED = frozenset(
    """
    all and any as asc between by case cast column create cross current default delete desc distinct drop else end
    except exists false for from full group having if in index inner insert interval intersect into is join key left
    like limit natural not null on or order outer partition primary references right row rows select set table then
    to trigger true union unique update user using values view when where window with
    """.split()  # noqa: SIM905
)
"""Words that a name must be quoted for, whatever the adapter."""

QUOTES = {
    "bigquery": "`",
    "spark": "`",
    "databricks": "`",
    "clickhouse": "`",
    "mysql": "`",
    "athena": "`",
}


def quote_of(adapter: str) -> str:
    """Return the quote character of an adapter."""
    return QUOTES.get(adapter, '"')


def relation_sql(parts: tuple[str, ...], quote: str) -> str:
    """("db", "shop", "order")      db.shop."order" """
    return ".".join(quote_if_needed(part, quote) for part in parts if part)


def quote_if_needed(name: str, quote: str) -> str:
    """As far as it must be; some projects write the quotes into the name themselves."""
    is_so = len(name) > 2 and name[0] == name[-1] and name[0] in '"`'
    if is_so or is_plain(name):
        return name

    return f"{quote}{name}{quote}"


def is_plain(name: str) -> bool:
    """Tell whether a name needs no quotes."""
    return PLAIN.match(name) is not None and name.lower() not in RESERVED


class Relation:
    """A table, a view, or one that a template has made up."""

    def __init__(
        self, parts: tuple[str, str, str], quote: str, node: str = "", kind: str = ""
    ) -> None:
        self.database, self.schema, self.identifier = parts
        self.node = node
        self.type = kind or "table"
        self._quote = quote

    @property
    def parts(self) -> tuple[str, str, str]:
        """Return database, schema and identifier."""
        return self.database, self.schema, self.identifier

    @property
    def name(self) -> str:
        """Return the identifier."""
        return self.identifier

    table = alias = name

    @property
    def path(self) -> Relation:
        """Return the relation itself, which has the parts of its path."""
        return self

    @property
    def is_view(self) -> bool:
        """Tell whether the relation is a view."""
        return self.type == "view"

    @property
    def is_table(self) -> bool:
        """Tell whether the relation is a table."""
        return self.type != "view"

    is_cte = False
    is_materialized_view = False
    can_be_renamed = True

    def render(self) -> str:
        """Return the relation as SQL."""
        return relation_sql(self.parts, self._quote)

    __str__ = render

    def __repr__(self) -> str:
        return f"<Relation {self}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Relation) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(self.parts)

    def __call__(self) -> str:
        return str(self)

    def with_parts(self, *parts: object) -> Relation:
        """Return the relation with other parts."""
        database, schema, identifier = (str(part) if part is not None else "" for part in parts)
        return Relation((database, schema, identifier), self._quote, self.node, self.type)

    def include(
        self, database: bool = True, schema: bool = True, identifier: bool = True
    ) -> Relation:
        """Return the relation with only some of its parts."""
        kept = zip(self.parts, (database, schema, identifier), strict=True)
        return self.with_parts(*(part if wanted else "" for part, wanted in kept))

    def quote(self, *args: Any, **kwargs: Any) -> Relation:
        """Return the relation itself: quotes do not matter here."""
        return self

    def without_identifier(self) -> Relation:
        """Return the schema of the relation."""
        return self.with_parts(self.database, self.schema, "")

    def replace_path(self, **named: object) -> Relation:
        """Return the relation with some parts replaced."""
        return self.with_parts(
            *(named.get(key, getattr(self, key)) for key in ("database", "schema", "identifier"))
        )

    def incorporate(self, path: object = None, type: object = None, **kwargs: object) -> Relation:
        """Return the relation with another path or type."""
        made = self.replace_path(**path) if isinstance(path, dict) else self.with_parts(*self.parts)
        made.type = str(type or self.type)
        return made

    def information_schema(self, view: object = None) -> str:
        """Return the name of a view of the information schema."""
        return relation_sql(
            (self.database, "information_schema", str(view or "tables")), self._quote
        )


class Column:
    """A column of a relation, as `adapter.get_columns_in_relation` lists it."""

    def __init__(
        self,
        name: str,
        data_type: str = "",
        quote: str = '"',
        asked: Callable[[Column], None] | None = None,
    ) -> None:
        self.name = self.column = name
        self.known_type = data_type
        self.quoted = f"{quote}{name}{quote}"
        self._asked = asked

    @property
    def data_type(self) -> str:
        """Return the type, and note that it was asked for."""
        if self._asked is not None:
            self._asked(self)

        return self.known_type

    dtype = data_type

    char_size = numeric_precision = numeric_scale = None

    def is_string(self) -> bool:
        """Tell whether the type is one of texts."""
        return any(word in self.known_type.lower() for word in ("char", "text", "string"))

    def is_number(self) -> bool:
        """Tell whether the type is one of numbers."""
        return any(
            word in self.known_type.lower()
            for word in ("int", "num", "dec", "float", "double", "real")
        )

    is_numeric = is_integer = is_float = is_number

    def string_type(self, *args: object) -> str:
        """Return the type of texts."""
        return "varchar"

    def __str__(self) -> str:
        return self.name


class Columns(list[Column]):
    """The columns of a relation, and whether these are all of them."""

    all_known = True
    asked = False
    """Whether the template has asked if these are all: then it knows what to do if they are not."""

    @property
    def complete(self) -> bool:
        """Tell whether all columns are known, and note that it was asked."""
        self.asked = True
        return self.all_known
