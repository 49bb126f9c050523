"""A project's SQL as Spark runs it: relations under their names in Spark, other dialects
translated.

    translator = Translator("duckdb", {"shop.main.dim_customers": "customers"}, {})
    translator.statements(Script("select id::text from shop.main.dim_customers", "duckdb"))
                                                SELECT CAST(id AS STRING) FROM customers AS
                                                dim_customers

Text that Spark reads as it is keeps its lines: only the names of relations are replaced in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from sqlglot import exp

from lineal.extract.sql.annotation import ColumnsOf
from lineal.extract.sql.dialects import facts_of
from lineal.extract.sql.expansions import reading_of
from lineal.extract.sql.parse import allow_deep_calls, parse
from lineal.extract.sql.reading import Reading
from lineal.extract.sql.spark_writing import write
from lineal.extract.sql.tables import is_named, named_in_text, parts_of, spell_table
from lineal.extract.sql.translate import SPOKEN
from lineal.model.diagnostic import Place
from lineal.model.script import Script
from lineal.model.sequences import all_are, instances, present


def nothing_known(table: str) -> Mapping[str, str]:
    """Return no types."""
    return {}


class Untranslatable(Exception):
    """A text that cannot be said in Spark's SQL: why, and where."""

    def __init__(self, message: str, place: Place | None) -> None:
        """Build the error with the place of the expression that Spark cannot say."""
        super().__init__(message)
        self.message = message
        self.place = place


class Translated(NamedTuple):
    """One statement for Spark."""

    sql: str
    kept: bool
    """Whether its lines are those of the text."""
    notes: tuple[str, ...] = ()
    """The parts that it does not express exactly."""


class RowChange(NamedTuple):
    """DELETE, UPDATE, INSERT or TRUNCATE: which table, and what becomes of its rows."""

    kind: str
    """delete, update or insert"""
    table: str
    condition: str = ""
    assigned: tuple[tuple[str, str], ...] = ()
    query: str = ""
    columns: tuple[str, ...] = ()


class Edit(NamedTuple):
    """A part of a text, and its replacement."""

    start: int
    end: int
    text: str


class Translator:
    """The names of a project's relations in Spark, applied to its statements."""

    def __init__(
        self,
        dialect: str,
        aliases: Mapping[str, str],
        tables: Mapping[str, str],
        columns_of: ColumnsOf = nothing_known,
        accepts: Callable[[str], bool] = bool,
    ) -> None:
        """Translate from a dialect; `aliases` and `tables` rename what the text names."""
        self.facts = facts_of(dialect)
        self.columns_of = columns_of
        self.accepts = accepts
        """Whether Spark's grammar takes a text: Databricks says more than Spark reads."""
        self.tables = dict(tables)
        """Datasets and what they are called in Spark, where that is another name."""
        self.names: dict[str, str] = {}
        """The key of a relation, as SQL writes it, and its name in Spark."""
        for written, dataset in aliases.items():
            self.names[named_in_text(written, self.facts)[1]] = tables.get(dataset, dataset)

        for dataset, table in tables.items():
            if table != dataset:
                self.names[named_in_text(dataset, self.facts)[1]] = table

    def query(self, script: Script) -> Translated:
        """The one statement of a model."""
        found = self.statements(script)
        if len(found) != 1:
            if not found:
                message = "there is no SQL to run"
            else:
                message = f"{len(found)} statements: a model is one query"

            raise Untranslatable(message, Place(script.file, script.line, 1))

        return found[0]

    def statements(self, script: Script) -> list[Translated]:
        """Every statement of a text."""
        spoken = script.dialect.lower() in SPOKEN
        if spoken and not self.names:
            return [Translated(script.text, True)]

        reading = reading_of(script)
        with allow_deep_calls():
            trees, _, diagnostics = parse(reading)
            # Spark knows more of its own language than we do, and names the mistake
            if diagnostics and spoken:
                return [Translated(self.renamed_in_text(script.text), True)]

            if diagnostics:
                raise Untranslatable(
                    f"cannot be translated to Spark: {diagnostics[0].message}", diagnostics[0].place
                )

            if script.dialect and spoken and len(trees) == 1:
                text = apply_edits(script.text, list(self.edits(trees[0])))
                if self.accepts(text):
                    return [Translated(text, True)]

            return [self.translate_tree(tree, script) for tree in trees]

    def expression(self, text: str, dialect: str) -> str:
        """An expression in Spark's SQL; as it is if it cannot be translated: then Spark says why."""
        if dialect.lower() in SPOKEN:
            return text

        try:
            (found,) = self.statements(Script(f"select {text}", dialect))
        except (Untranslatable, ValueError):
            return text

        return found.sql.strip()[len("SELECT") :].strip()

    def row_change(self, sql: str) -> RowChange | None:
        """Return how a Spark statement changes the rows of one table, if it does nothing else."""
        trees, _, diagnostics = parse(Reading(Script(sql, "spark")))
        if diagnostics or len(trees) != 1:
            return None

        reader = ROW_CHANGES.get(type(trees[0]))
        if reader is None:
            return None

        found: RowChange | None = reader(trees[0])
        return found

    def point(self, dataset: str, table: str) -> None:
        """A dataset is that table in Spark: a source that the catalog has."""
        was = self.tables.get(dataset, dataset)
        self.tables[dataset] = table
        for key, name in self.names.items():
            if name == was:
                self.names[key] = table

    @property
    def datasets(self) -> dict[str, str]:
        """The tables in Spark that are named differently from their datasets, and those datasets."""
        return {table: dataset for dataset, table in self.tables.items() if table != dataset}

    def translate_tree(self, tree: exp.Expr, script: Script) -> Translated:
        """A tree in Spark's SQL, with the names that Spark knows."""
        for table in list(tree.find_all(exp.Table)):
            self.rename(table, tree)

        for column in list(tree.find_all(exp.Column)):
            self.shorten(column)

        try:
            made = write(tree, script.dialect, self.columns_of)
            return Translated(made.sql, False, made.notes)
        except (ValueError, TypeError, AttributeError, RecursionError) as problem:
            message = f"cannot be translated to Spark: {problem}"
            raise Untranslatable(message, Place(script.file, script.line, 1)) from None

    # -- trees -------------------------------------------------------------------------------------

    def name_of(self, table: Any, tree: exp.Expr) -> str | None:
        """Return the name of a table in Spark if it differs from the text."""
        if not is_named(table):
            return None

        spelling, key = spell_table(table, self.facts)
        if "." not in key and key in ctes_of(tree):
            return None

        name = self.names.get(key)
        if name is None or name == spelling:
            return None

        return name

    def rename(self, table: exp.Table, tree: exp.Expr) -> None:
        """Give a table the name that Spark knows."""
        name = self.name_of(table, tree)
        if name is None:
            return

        last = parts_of(table)[-1].name
        *schema, own = name.split(".")
        table.set("this", exp.to_identifier(own, quoted=True))
        table.set("db", exp.to_identifier(schema[0], quoted=True) if schema else None)
        table.set("catalog", None)
        if is_member(table) and not table.args.get("alias") and last.lower() != own.lower():
            table.set("alias", exp.TableAlias(this=exp.to_identifier(last, quoted=True)))

    def shorten(self, column: exp.Column) -> None:
        """Shorten the qualifiers of columns.

        shop.main.orders.id      orders.id
        """
        if self.is_long(column):
            column.set("db", None)
            column.set("catalog", None)

    def is_long(self, column: exp.Column) -> bool:
        """Whether a column is named with the whole name of a relation."""
        parts = present(map(column.args.get, ("catalog", "db", "table")))
        if len(parts) < 2:
            return False

        key = ".".join(
            self.facts.fold_dataset(part.name, part.args.get("quoted")) for part in parts
        )
        return key in self.names

    # -- text --------------------------------------------------------------------------------------

    def renamed_in_text(self, text: str) -> str:
        """Return a text that only Spark can read, with the dotted names of relations as Spark knows
        them.
        """
        for key, name in sorted(self.names.items(), key=lambda item: -len(item[0])):
            if "." in key:
                parts = (f"(?:{re.escape(part)}|`{re.escape(part)}`)" for part in key.split("."))
                dotted_name = re.compile(rf"(?<![\w.`]){'[.]'.join(parts)}(?![\w`])", re.I)
                text = dotted_name.sub(quote_with_backticks(name).replace("\\", r"\\"), text)

        return text

    def edits(self, tree: exp.Expr) -> Iterator[Edit]:
        """Return the replacements for a text that keeps its lines."""
        for table in tree.find_all(exp.Table):
            name = self.name_of(table, tree)
            ends = extent(parts_of(table)) if name is not None else None
            if name is None or ends is None:
                continue

            last, own = parts_of(table)[-1].name, name.rpartition(".")[2]
            alias = is_member(table) and not table.args.get("alias") and last.lower() != own.lower()
            yield Edit(
                *ends,
                quote_with_backticks(name) + (f" AS {quote_with_backticks(last)}" if alias else ""),
            )

        for column in tree.find_all(exp.Column):
            parts = list(map(column.args.get, ("catalog", "db")))
            ends = extent(present((*parts, column.args.get("table"))))
            if ends is not None and self.is_long(column):
                yield Edit(*ends, quote_with_backticks(column.args["table"].name))


def write_delete(tree: exp.Delete) -> RowChange | None:
    """Write DELETE.

    DELETE FROM t WHERE a
    """
    table = table_in(tree)
    if table is None or tree.args.get("using"):
        return None

    where = tree.args.get("where")
    return RowChange("delete", table, where.this.sql("spark") if where is not None else "")


def write_update(tree: exp.Update) -> RowChange | None:
    """Write UPDATE.

    UPDATE t SET a = b + 1 WHERE c
    """
    table = table_in(tree)
    if table is None or tree.args.get("from_") or not all_are(tree.expressions, exp.EQ):
        return None

    where = tree.args.get("where")
    assigned = tuple((each.this.name, each.expression.sql("spark")) for each in tree.expressions)
    return RowChange(
        "update", table, where.this.sql("spark") if where is not None else "", assigned
    )


def write_insert(tree: exp.Insert) -> RowChange | None:
    """Write INSERT.

    INSERT INTO t (a, b) SELECT …, INSERT INTO t VALUES (…)
    """
    schema = tree.this if isinstance(tree.this, exp.Schema) else None
    table = table_in(schema) if schema is not None else table_in(tree)
    query = tree.expression
    if (
        table is None
        or not isinstance(query, (exp.Query, exp.Values))
        or tree.args.get("overwrite")
    ):
        return None

    columns = tuple(each.name for each in schema.expressions) if schema is not None else ()
    if isinstance(query, exp.Values):
        query = exp.select("*").from_(query)

    return RowChange("insert", table, query=query.sql("spark"), columns=columns)


def write_truncate(tree: exp.TruncateTable) -> RowChange | None:
    """Write TRUNCATE.

    TRUNCATE TABLE t
    """
    tables = instances(tree.expressions, exp.Table)
    if len(tables) == 1:
        return RowChange("delete", join_name_parts(tables[0]))

    return None


ROW_CHANGES: dict[type[Any], Any] = {
    exp.Delete: write_delete,
    exp.Update: write_update,
    exp.Insert: write_insert,
    exp.TruncateTable: write_truncate,
}


def table_in(tree: exp.Expr) -> str | None:
    """The table that a statement changes, if it has no other name there."""
    table = tree.this
    if isinstance(table, exp.Table) and is_named(table) and not table.args.get("alias"):
        return join_name_parts(table)

    return None


def join_name_parts(table: exp.Table) -> str:
    """Return the dotted name of a table."""
    return ".".join(part.name for part in parts_of(table) if part)


def ctes_of(tree: exp.Expr) -> set[str]:
    """Return the names of a query's CTEs."""
    return {cte.alias.lower() for cte in tree.find_all(exp.CTE)}


def is_member(table: exp.Table) -> bool:
    """Tell whether a table is a member of FROM.

    FROM t, JOIN t      where a table can be given another name
    """
    return isinstance(table.parent, (exp.From, exp.Join))


def quote_with_backticks(name: str) -> str:
    """Return a name in backticks."""
    return ".".join(f"`{part.replace('`', '``')}`" for part in name.split("."))


def extent(parts: list[Any]) -> tuple[int, int] | None:
    """Where a dotted name begins and ends."""
    starts = [part.meta.get("start") for part in parts if part]
    ends = [part.meta.get("end") for part in parts if part]
    if not starts or None in starts or None in ends:
        return None

    return min(starts), max(ends) + 1


def apply_edits(text: str, edits: list[Edit]) -> str:
    """The text with its edits."""
    for edit in sorted(set(edits), reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]

    return text
