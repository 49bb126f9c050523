"""Types by their names: which names are one type, whatever the engine that has them."""

from __future__ import annotations

ALIKE = (
    "int integer int4 signed mediumint",
    "bigint int8 long int64",
    "smallint int2 short int16",
    "tinyint int1 byte",
    "hugeint int128",
    "varchar text string charactervarying nvarchar varchar2 nvarchar2 clob",
    "char character bpchar nchar",
    "double float8 doubleprecision float64",
    "float float4 real float32",
    "decimal numeric number dec",
    "boolean bool",
    "timestamp timestampwithouttimezone datetime timestamp_ntz timestampntz",
    "timestamptz timestampwithtimezone timestamp_tz",
    "binary bytes blob bytea varbinary",
    "json jsonb variant",
)
SYNONYMS = {name: row.split()[0] for row in ALIKE for name in row.split()}


def same_type(left: str, right: str) -> bool:
    """INTEGER is int, numeric(10, 2) is DECIMAL(10,2)"""
    return _fold_type(left) == _fold_type(right)


def _fold_type(text: str) -> str:
    """Return a type in lower case without spaces, by the first of its synonyms."""
    name, bracket, rest = "".join(text.split()).lower().partition("(")
    return SYNONYMS.get(name, name) + bracket + rest
