"""Names of the columns that a PIVOT makes, as rows of a table per dialect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from sqlglot import exp

from lineal.extract.sql.nodes import items_in


class Text(NamedTuple):
    """A part of a column's name."""

    text: str
    quoted: bool = False
    open: bool = False
    """only data decides it"""
    behind: str | None = None
    """the part where another comes before it"""

    def following(self) -> Text:
        """The part as it is behind another: BigQuery's _2024 is total_2024, and not total__2024."""
        if self.behind is None:
            return self

        return self._replace(text=self.behind)


class Naming(NamedTuple):
    """How a dialect names columns after values and aggregates."""

    value: Callable[[Any], Text]
    alias: str
    """whether `sum(a) AS total` adds `total`: always, never, or where there are several aggregates
    """
    text: str
    """whether `sum(a)` adds anything"""
    aggregate_first: bool = False
    """total_Q1 instead of Q1_total"""
    values_first: bool = False
    """UNPIVOT gives the values, then the labels"""

    def adds_alias(self, count: int) -> bool:
        """Tell whether names include the aggregate's alias."""
        return adds(self.alias, count)

    def adds_text(self, count: int) -> bool:
        """Tell whether names include the aggregate's text."""
        return adds(self.text, count)


def adds(when: str, count: int) -> bool:
    """Tell whether a part is added to the name, given the number of aggregates."""
    return when == "always" or (when == "several" and count > 1)


def naming_of(dialect: str) -> Naming:
    """Return how a dialect names the columns of a pivot."""
    return NAMINGS.get(dialect, NAMINGS[""])


def alias_of(value: Any) -> Text | None:
    """Return the alias of a pivoted value.

    2024 AS this_year      this_year
    """
    if not isinstance(value, exp.PivotAlias):
        return None

    alias = value.args["alias"]
    return Text(alias.name, bool(alias.args.get("quoted")))


def plain_text(value: Any) -> Text:
    """Return the name of a pivoted value as plain text.

    2024, 'Q1', [Q1], -1, DATE '2024-01-01', TRUE, NULL

    the value as text; (2024, 'Q1'): 2024_Q1
    """
    return alias_of(value) or Text("_".join(texts_of(value)))


def duckdb(value: Any) -> Text:
    """Return the name that DuckDB gives to a pivoted value.

    NULL      NULL; else as text
    """
    if isinstance(value, exp.Null):
        return Text("NULL")

    return plain_text(value)


def spark(value: Any) -> Text:
    """Return the name that Spark gives to a pivoted value.

    (2024, 'Q1')      {2024, Q1}: a struct as text
    """
    texts = texts_of(value)
    return alias_of(value) or Text(
        f"{{{', '.join(texts)}}}" if isinstance(value, exp.Tuple) else texts[0]
    )


def as_written(value: Any) -> Text:
    """Return a pivoted value as it is written.

    'Q1'      the quotes are part of the name; (2024, 'Q1'): 2024_'Q1'
    """
    items = items_in(value)
    texts = [f"'{item.name}'" if is_string(item) else text_of(item) for item in items]
    return alias_of(value) or Text("_".join(texts), quoted=True)


def bigquery(value: Any) -> Text:
    """Return the name that BigQuery gives to a pivoted value.

    'Q1': Q1; 2024: _2024; -1: minus_1; 0.5: _0_point_5; DATE '2024-01-31': _2024_01_31; (1,
    'a'): _1_a; behind the alias of an aggregate 2024, 0_point_5, 2024_01_31, 1_a
    """
    items = items_in(value)
    text = "_".join(map(bigquery_text, items))
    mark = "_" * (text[:1].isdigit() and not is_string(items[0]))
    return alias_of(value) or Text(mark + text, behind=text)


def bigquery_text(value: Any) -> str:
    """Return one value as BigQuery writes it in a name."""
    text = text_of(value)
    if isinstance(value, exp.Null):
        return text.upper()

    if is_string(value):
        return text or "_empty_string_value"

    if isinstance(value, exp.Boolean):
        return text

    sign = "minus_" if text.startswith("-") else ""
    number = text.removeprefix("-").replace(".", "_point_")
    return sign + "".join(char if char.isalnum() else "_" for char in number)


def texts_of(value: Any) -> list[str]:
    """Return the texts of a value, one for each part of a tuple."""
    return list(map(text_of, items_in(value)))


def text_of(value: Any) -> str:
    """Return the text of a constant."""
    if isinstance(value, exp.Neg):
        return f"-{text_of(value.this)}"

    if isinstance(value, (exp.Cast, exp.Paren)):
        return text_of(value.this)

    if isinstance(value, (exp.Boolean, exp.Null)):
        return str(value.sql()).lower()

    return value.name or str(value.sql())


def is_string(value: Any) -> bool:
    """Tell whether a value is a string."""
    return isinstance(value, exp.Literal) and bool(value.is_string)


NAMINGS: dict[str, Naming] = {
    #               value       alias     text
    **dict.fromkeys(("spark", "spark2", "databricks", "hive"), Naming(spark, "several", "several")),
    "duckdb": Naming(duckdb, "always", "several"),
    "bigquery": Naming(bigquery, "always", "never", aggregate_first=True, values_first=True),
    "snowflake": Naming(as_written, "always", "several"),
    "oracle": Naming(as_written, "always", "several"),
    "tsql": Naming(plain_text, "never", "never", values_first=True),
    "fabric": Naming(plain_text, "never", "never", values_first=True),
    "": Naming(plain_text, "always", "several"),
}  # fmt: skip
