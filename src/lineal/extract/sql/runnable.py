"""A statement's query in the SQL of DuckDB, and the tables that it reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from lineal.extract.sql.nodes import part_names
from lineal.extract.sql.normal.statement import query_of
from lineal.model.sequences import present

ENGINE = "duckdb"
NUMBERS, REAL, TEXT = "number", "real", "text"
DATE, TIME, BOOLEAN = "date", "timestamp", "boolean"
KINDS = {
    NUMBERS: "INTEGER",
    REAL: "DOUBLE",
    TEXT: "VARCHAR",
    DATE: "DATE",
    TIME: "TIMESTAMP",
    BOOLEAN: "BOOLEAN",
}
"""The kinds of columns that tables are filled for, and a type of each."""

DATE_FUNCTIONS = (
    exp.TimestampTrunc, exp.DateTrunc, exp.DateAdd, exp.DateSub, exp.DateDiff, exp.Extract, exp.Year,
    exp.Month, exp.Day,
)  # fmt: skip
TEXT_FUNCTIONS = (exp.Lower, exp.Upper, exp.Trim, exp.Like, exp.ILike, exp.DPipe, exp.Substring)


class NotRunnable(Exception):
    """A statement that cannot be run over random tables; the message says why."""


@dataclass
class Input:
    """A table that a query reads: its name as written, its name in the experiment, its columns."""

    name: str
    shown: str
    columns: dict[str, str] = field(default_factory=dict)
    """column → its kind, or '' where nothing tells it"""


@dataclass
class Runnable:
    """A query that can be run, and what it needs."""

    tree: Any
    inputs: dict[str, Input]
    columns: dict[str, dict[str, str]] = field(default_factory=dict)
    """table → the columns that the query names, and their kinds"""
    loose: dict[str, str] = field(default_factory=dict)
    """columns without a qualifier"""
    aliases: set[str] = field(default_factory=set)
    """names that the query gives to its own columns"""
    numbers: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)

    def rename(self, names: dict[str, str]) -> None:
        """Give the tables other names."""
        for table in self.tree.find_all(exp.Table):
            if table.name in names:
                table.set("this", exp.to_identifier(names[table.name]))

        for each in self.inputs.values():
            each.shown = names[each.shown]

        self.columns = {names.get(name, name): found for name, found in self.columns.items()}

    @property
    def sql(self) -> str:
        """Return the query for DuckDB."""
        try:
            made: str = self.tree.sql(dialect=ENGINE)
        except (SqlglotError, ValueError) as error:
            raise NotRunnable(f"it cannot be written for DuckDB: {error}") from None

        return made


def runnable_query(text: str, dialect: str) -> Runnable:
    """Return the query of a statement, ready to be run over other tables."""
    try:
        trees = present(sqlglot.parse(text, dialect=dialect or None))
    except SqlglotError as error:
        raise NotRunnable(f"it does not parse: {str(error).splitlines()[0]}") from None

    if len(trees) != 1:
        raise NotRunnable("its script counts as a whole")

    _, query = query_of(trees[0])
    if query is None:
        raise NotRunnable("it is not a query")

    found = Runnable(query, {})
    take_tables(found)
    take_columns(found)
    take_constants(found)
    return found


def take_tables(found: Runnable) -> None:
    """Give every table a plain name: what runs reads nothing else."""
    ctes = {cte.alias.lower() for cte in found.tree.find_all(exp.CTE)}
    for table in list(found.tree.find_all(exp.Table)):
        if not isinstance(table.this, exp.Identifier):
            raise NotRunnable("it reads a table function")

        if len(table.parts) == 1 and table.name.lower() in ctes:
            continue

        name = ".".join(part_names(table))
        shown = found.inputs.setdefault(name.lower(), Input(name, f"t{len(found.inputs)}")).shown
        alias = table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(table.name))
        table.replace(exp.Table(this=exp.to_identifier(shown), alias=alias))


def take_columns(found: Runnable) -> None:
    """Note which columns each table must have, and what kind they are used as."""
    names = {table.alias.lower(): table.name for table in found.tree.find_all(exp.Table)}
    found.aliases = {alias.alias.lower() for alias in found.tree.find_all(exp.Alias)}
    for column in found.tree.find_all(exp.Column):
        if isinstance(column.this, exp.Star):
            continue

        kind = kind_of_use(column)
        if column.table:
            table = names.get(column.table.lower(), "")
            note(found.columns.setdefault(table, {}), column.name, kind)
        else:
            note(found.loose, column.name, kind)


def note(columns: dict[str, str], name: str, kind: str) -> None:
    """Note a column, and its kind if that is new."""
    columns[name.lower()] = columns.get(name.lower()) or kind


def kind_of_use(column: exp.Column) -> str:
    """Return the kind of column that its surroundings ask for."""
    parent = column.parent
    if isinstance(parent, TEXT_FUNCTIONS):
        return TEXT

    if isinstance(parent, DATE_FUNCTIONS):
        return DATE

    if isinstance(parent, (exp.Predicate, exp.In, exp.Between, exp.Coalesce, exp.Nullif)):
        return kind_of_constants(parent)

    if isinstance(parent, exp.Cast) and parent.to.is_type(*exp.DataType.TEMPORAL_TYPES):
        return DATE

    return ""


def kind_of_constants(node: exp.Expr) -> str:
    """Return the kind of the constants that a column is compared with."""
    for each in node.iter_expressions():
        if isinstance(each, exp.Literal):
            return TEXT if each.is_string else NUMBERS

        if isinstance(each, exp.Boolean):
            return BOOLEAN

        if isinstance(each, exp.Cast) and each.to.is_type(*exp.DataType.TEMPORAL_TYPES):
            return DATE

    return ""


def take_constants(found: Runnable) -> None:
    """Note the constants: rows that have them are the ones that conditions tell apart."""
    for literal in found.tree.find_all(exp.Literal):
        if literal.is_string:
            found.texts.add(literal.this)
        else:
            found.numbers.add(literal.this)


def kind_of_type(type_: str, dialect: str) -> str:
    """Return the kind of a declared type; '' where it is not known or cannot be filled."""
    if not type_:
        return ""

    try:
        found = exp.DataType.build(type_, dialect=dialect or None)
    except (SqlglotError, ValueError):
        return ""

    return next((kind for kind, is_kind in kinds_of(found) if is_kind), "")


def kinds_of(found: exp.DataType) -> Iterator[tuple[str, bool]]:
    """Yield each kind, and whether a type is of it."""
    yield NUMBERS, found.is_type(*exp.DataType.INTEGER_TYPES)
    yield REAL, found.is_type(*exp.DataType.NUMERIC_TYPES)
    yield TEXT, found.is_type(*exp.DataType.TEXT_TYPES)
    yield BOOLEAN, found.is_type("boolean")
    yield DATE, found.is_type("date", "date32")
    yield TIME, found.is_type(*exp.DataType.TEMPORAL_TYPES)
