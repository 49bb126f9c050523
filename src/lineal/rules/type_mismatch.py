"""SA03: type: VARCHAR in YAML, and the SQL makes a number."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lineal.model.diagnostic import Severity
from lineal.model.edge import Column
from lineal.model.finding import Found, Spot
from lineal.rules.rule import Rule, Subject

FAMILIES = {
    "integer": "int integer bigint smallint tinyint mediumint hugeint int2 int4 int8 int16 int32 int64 int128 int256"
    " uint8 uint16 uint32 uint64 ubigint uinteger usmallint utinyint long short byte byteint serial bigserial",
    "decimal": "decimal dec numeric number bignumeric bigdecimal money smallmoney",
    "real": "float double real float4 float8 float32 float64 binary_float binary_double",
    "text": "varchar string text char character nvarchar nchar varchar2 nvarchar2 bpchar clob nclob ntext longtext"
    " mediumtext tinytext",
    "boolean": "boolean bool",
    "date": "date date32",
    "time": "time timetz",
    "timestamp": "timestamp timestamptz timestampltz timestampntz timestamp_tz timestamp_ltz timestamp_ntz"
    " timestamp_s timestamp_ms timestamp_ns datetime datetime2 datetime64 smalldatetime datetimeoffset",
    "binary": "binary varbinary bytea blob bytes image",
    "uuid": "uuid uniqueidentifier",
    "json": "json jsonb variant super",
    "array": "array list",
    "map": "map",
    "struct": "struct row object record",
}
"""Types that are not told apart: VARCHAR(20) and STRING are both text."""

FAMILY = {word: family for family, words in FAMILIES.items() for word in words.split()}
FITS = {("decimal", "integer")}
"""declared, made: Oracle's and Snowflake's NUMBER holds integers, too"""


def find(subject: Subject) -> Iterator[Found]:
    """Yield each column whose declared type differs from the one the SQL makes."""
    for info, made, declared in subject.compared_columns():
        for key, column in declared.items():
            kind = made[key].type if key in made and column.type else ""
            if kind and differ(column.type, kind):
                about = Column(info.dataset, column.name)
                spots = (Spot(at, "made here"),) if (at := subject.made_at(about)) else ()
                message = f"{about} is declared {column.type}, but the SQL makes {kind}"
                yield Found(
                    message,
                    column.place,
                    f"Declare {kind}, or cast the expression.",
                    about,
                    None,
                    spots,
                )


def differ(declared: str, made: str) -> bool:
    """Whether two types cannot be meant alike; of types that nobody knows nothing is claimed."""
    left, right = family(declared), family(made)
    return bool(left and right) and left != right and (left, right) not in FITS


def family(kind: str) -> str:
    """NUMERIC(10, 2) → decimal, INT[] → array, DOUBLE PRECISION → real"""
    text = kind.strip().lower()
    if text.endswith("]"):
        return "array"

    word = re.match(r"\w+", text)
    if word:
        return FAMILY.get(word[0], "")

    return ""


RULE = Rule(
    "SA03",
    "type-mismatch",
    Severity.WARNING,
    "The YAML declares a type of a different kind than the SQL returns, as far as the text shows it. Lengths and widths"
    " are not compared.",
    "Declare the type that is made, or cast the expression.",
    find,
)
