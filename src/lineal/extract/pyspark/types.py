"""Types of columns, as far as they decide lineage: which columns fillna(0) fills, which groupBy().sum() sums."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import SchemaValue, Value

NUMERIC = re.compile(
    r"^(tiny|small|big)?int(eger)?|^(byte|short|long|float|double|real)|^(decimal|numeric|dec)|^number"
)
STRING = re.compile(r"^(string|varchar|char|text)")
BOOLEAN = re.compile(r"^bool")


@dataclass(frozen=True)
class TypeValue:
    """T.StringType(), T.DecimalType(10, 2)"""

    type_name: str


@dataclass(frozen=True)
class FieldValue:
    """StructField("id", IntegerType())"""

    name: str
    type_name: str


def is_numeric(kind: str) -> bool:
    return bool(NUMERIC.match(kind.lower()))


def fits(kind: str, value: Value) -> bool:
    """Whether fillna(value) fills a column of that type."""
    kind = kind.lower()
    if isinstance(value, bool):
        return bool(BOOLEAN.match(kind))
    if isinstance(value, (int, float)):
        return bool(NUMERIC.match(kind))
    if isinstance(value, str):
        return bool(STRING.match(kind))
    return True


NUMBERS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Count, exp.Sum, exp.Avg, exp.Round, exp.Length, exp.Neg,
           exp.RowNumber, exp.Rank, exp.DenseRank, exp.Year, exp.Month, exp.Day, exp.DateDiff, exp.Abs)  # fmt: skip
TEXTS = (exp.Concat, exp.ConcatWs, exp.Upper, exp.Lower, exp.Trim, exp.Substring, exp.RegexpReplace)
TRUTHS = (exp.Predicate, exp.Not, exp.Connector)


def type_of(tree: Any, relation: Relation) -> str:
    """The type of an expression, where its outermost step tells; '' where it does not."""
    for _ in range(20):
        if isinstance(tree, exp.Column):
            held = relation.by_key.get(tree.name.lower(), [])
            return relation.types.get(held[0].id, "") if len(held) == 1 else ""
        if isinstance(tree, exp.Cast):
            return str(tree.to.sql("spark")).lower()
        if isinstance(tree, exp.Literal):
            return "string" if tree.is_string else "double" if "." in tree.name else "int"
        if isinstance(tree, (exp.Boolean, *TRUTHS)):
            return "boolean"
        if isinstance(tree, TEXTS):
            return "string"
        if isinstance(tree, NUMBERS):
            return "double"
        if isinstance(tree, (exp.Paren, exp.Window, exp.Max, exp.Min, exp.First, exp.Last, exp.Lag, exp.Lead)):
            tree = tree.this
        elif isinstance(tree, exp.Coalesce):
            tree = tree.expressions[-1] if tree.expressions else tree.this
        elif isinstance(tree, exp.Case) and tree.args.get("ifs"):
            tree = tree.args["ifs"][0].args["true"]
        else:
            return ""
    return ""


def schema_of(run: Run, value: Value, node: Any) -> SchemaValue | None:
    """A schema as PySpark takes it: StructType, "a INT, b STRING", ["a", "b"]"""
    if isinstance(value, SchemaValue):
        return value
    if isinstance(value, str):
        return parsed_schema(value)
    if isinstance(value, (list, tuple)) and value:
        if all(isinstance(item, FieldValue) for item in value):
            return SchemaValue([(item.name, item.type_name) for item in value])
        if all(isinstance(item, str) for item in value):
            return SchemaValue([(item, "") for item in value])
    return None


def parsed_schema(text: str) -> SchemaValue | None:
    """a INT, b STRUCT<c: INT>, d DECIMAL(10, 2)"""
    fields: list[tuple[str, str]] = []
    inner = text.strip()
    if inner.lower().startswith("struct<") and inner.endswith(">"):
        inner = inner[7:-1]
    for part in top_level(inner):
        found = re.match(r"\s*(?:`([^`]+)`|([^\s:]+))\s*:?\s*(.*)", part, re.DOTALL)
        if found is None or not (found[1] or found[2]):
            return None
        kind = re.sub(r"\s+(NOT NULL|COMMENT .*)", "", found[3], flags=re.IGNORECASE | re.DOTALL)
        fields.append((found[1] or found[2], kind.strip().lower()))
    if len(fields) == 1 and not fields[0][1]:
        return SchemaValue([("value", fields[0][0].lower())])
    return SchemaValue(fields) if fields else None


def top_level(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for position, char in enumerate(text):
        depth += (char in "(<") - (char in ")>")
        if char == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    return [part for part in [*parts, text[start:]] if part.strip()]


TYPE_NAMES = {
    "StringType": "string", "IntegerType": "int", "LongType": "bigint", "DoubleType": "double", "FloatType": "float",
    "BooleanType": "boolean", "DateType": "date", "TimestampType": "timestamp", "ShortType": "smallint",
    "ByteType": "tinyint", "BinaryType": "binary", "DecimalType": "decimal", "NullType": "void",
    "TimestampNTZType": "timestamp_ntz", "VarcharType": "string", "CharType": "string", "VariantType": "variant",
}  # fmt: skip


def type_call(run: Run, name: str, arguments: list[Value], keywords: dict[str, Value], node: Any) -> Value:
    """StringType(), StructType([…]), StructField("a", StringType()), ArrayType(…)"""
    if name == "StructType":
        fields = arguments[0] if arguments else keywords.get("fields")
        return (
            schema_of(run, list(fields), node) or SchemaValue([])
            if isinstance(fields, (list, tuple))
            else SchemaValue([])
        )
    if name == "StructField":
        given = dict(zip(("name", "dataType"), arguments, strict=False)) | keywords
        kind = given.get("dataType")
        text = kind if isinstance(kind, str) else getattr(kind, "type_name", "struct")
        return FieldValue(str(given.get("name")), text)
    if name == "DecimalType" and len(arguments) == 2:
        return TypeValue(f"decimal({arguments[0]}, {arguments[1]})")
    return TypeValue(TYPE_NAMES.get(name, name.removesuffix("Type").lower()))
