"""Types of columns, as far as they decide lineage: which columns fillna(0) fills, which
groupBy().sum() sums.
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from typing import Any

from sqlglot import exp

from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.rules import by_rules
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.schemas import parsed_schema, top_level, type_text
from lineal.extract.pyspark.values import (
    FieldValue,
    SchemaValue,
    TypeValue,
    Unknown,
    Value,
    note_of,
)
from lineal.extract.sql.nodes import list_arg
from lineal.model.sequences import all_are

NUMERIC = re.compile(
    r"^(tiny|small|big)?int(eger)?|^(byte|short|long|float|double|real)|^(decimal|numeric|dec)|^number"
)
STRING = re.compile(r"^(string|varchar|char|text)")
BOOLEAN = re.compile(r"^bool")


def is_numeric(kind: str) -> bool:
    """Tell whether a type is a number."""
    return bool(NUMERIC.match(kind.lower()))


def is_text_type(kind: str) -> bool:
    """Tell whether a type is a text."""
    return bool(STRING.match(kind.lower()))


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


WHOLE = re.compile(r"^(tiny|small|big)?int(eger)?$|^(byte|short|long)$")
FRACTION = re.compile(r"^(double|float|real)$")
A_NUMBER = "number"
"""a type of which only that much is known"""

ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Mod, exp.Neg, exp.Abs, exp.Round, exp.Sum)
QUOTIENTS = (exp.Div, exp.Avg, exp.Stddev, exp.StddevSamp, exp.StddevPop, exp.Variance)
SMALL_NUMBERS = (exp.Length, exp.RowNumber, exp.Rank, exp.DenseRank, exp.Ntile, exp.Year, exp.Month, exp.Day,
                 exp.DateDiff)  # fmt: skip
COUNTS = (exp.Count, exp.ApproxDistinct)
TEXTS = (exp.Concat, exp.ConcatWs, exp.Upper, exp.Lower, exp.Trim, exp.Substring, exp.RegexpReplace, exp.Initcap,
         exp.RegexpExtract, exp.SubstringIndex, exp.Translate, exp.Format, exp.Pad, exp.Left, exp.Right,
         exp.MD5, exp.SHA2, exp.TimeToStr)  # fmt: skip
TRUTHS = (exp.Predicate, exp.Not, exp.Connector)
THROUGH = (
    exp.Paren,
    exp.Window,
    exp.Max,
    exp.Min,
    exp.First,
    exp.Last,
    exp.Lag,
    exp.Lead,
    exp.IgnoreNulls,
)
FIXED = (
    (COUNTS, "bigint"),
    (SMALL_NUMBERS, "int"),
    ((exp.Boolean, *TRUTHS), "boolean"),
    (TEXTS, "string"),
)
CALCULATED = (exp.Coalesce, exp.Case, *ARITHMETIC, *QUOTIENTS)
DEEPEST = 20


def type_of(tree: Any, relation: Relation, depth: int = 0) -> str:
    """The type of an expression, where its outermost steps tell; '' where they do not."""
    if depth > DEEPEST or tree is None:
        return ""

    kind = tree.__class__
    if kind is exp.Column and tree.args.get("table") is None:
        held = relation.by_key.get(tree.name.lower(), [])
        if len(held) == 1:
            return relation.types.get(held[0].id, "")

        return ""

    fixed = fixed_type(kind)
    if fixed is not None:
        return fixed or by_rules(tree, relation).spelled.lower()

    if isinstance(tree, exp.Cast):
        return cast_text(tree.to)

    if isinstance(tree, exp.Literal):
        if tree.is_string:
            return "string"

        if "." in tree.name:
            return "double"

        return "int"

    if isinstance(tree, exp.Struct):
        return struct_type(tree, relation, depth)

    if isinstance(tree, THROUGH):
        return type_of(tree.this, relation, depth + 1)

    return calculated_type(tree, {type_of(each, relation, depth + 1) for each in operands(tree)})


def struct_type(tree: exp.Struct, relation: Relation, depth: int) -> str:
    """struct("a", col("b").alias("c"))      struct<a:int,c:string>; '' where a name is missing"""
    fields = []
    for item in tree.expressions:
        if isinstance(item, exp.PropertyEQ):
            name, held = item.this.name, item.expression
        elif isinstance(item, (exp.Alias, exp.Column)) and not item.is_star:
            name, held = item.alias_or_name, item.unalias()
        else:
            return ""

        fields.append(f"`{name}`:{type_of(held, relation, depth + 1) or 'void'}")

    return f"struct<{','.join(fields)}>"


def cast_text(kind: exp.DataType) -> str:
    """Return a type as Spark writes it in a cast.

    DECIMAL(10, 2)      as Spark writes it
    """
    plain = not any(kind.args.get(part) for part in kind.args if part != "this")
    if plain:
        return simple_text(kind.this)

    return str(kind.sql("spark")).lower()


@lru_cache(maxsize=256)
def simple_text(kind: Any) -> str:
    """Return a type as Spark prints it."""
    return str(exp.DataType(this=kind).sql("spark")).lower()


@lru_cache(maxsize=1_024)
def fixed_type(kind: type) -> str | None:
    """The type of every expression of a kind, '' where nothing tells; None where its operands do."""
    if issubclass(kind, (exp.Cast, exp.Literal, exp.Struct)):
        return None

    for classes, found in FIXED:
        if issubclass(kind, classes):
            return found

    if issubclass(kind, (*THROUGH, *CALCULATED)):
        return None

    return ""


def operands(tree: Any) -> list[Any]:
    """The values that an expression is made of."""
    if isinstance(tree, exp.Coalesce):
        values = [tree.this, *tree.expressions]
    elif isinstance(tree, exp.Case):
        values = [
            *(branch.args["true"] for branch in list_arg(tree, "ifs")),
            tree.args.get("default"),
        ]
    elif isinstance(tree, exp.Binary):
        values = [tree.this, tree.expression]
    else:
        values = [tree.this]

    return [value for value in values if value is not None and not isinstance(value, exp.Null)]


def calculated_type(tree: Any, kinds: set[str]) -> str:
    """Return the type of an arithmetic expression.

    bigint + int is a bigint, int / int a double; of decimals only that they are numbers
    """
    if not isinstance(tree, (*ARITHMETIC, *QUOTIENTS)) and len(kinds) == 1:
        return kinds.pop()

    if all(map(WHOLE.match, kinds)):
        if isinstance(tree, QUOTIENTS):
            return "double"

        if isinstance(tree, exp.Sum) or len(kinds) > 1:
            return "bigint"

        if kinds:
            return kinds.pop()

        return ""

    if all(WHOLE.match(kind) or FRACTION.match(kind) for kind in kinds):
        return "double"

    if isinstance(tree, (*ARITHMETIC, *QUOTIENTS)) or all(map(is_numeric, kinds)):
        return A_NUMBER

    return ""


def schema_of(run: Run, value: Value, node: ast.AST) -> SchemaValue | None:
    """Return the columns of a schema.

    A schema as PySpark takes it: StructType, "a INT, b STRING", ["a", "b"]
    """
    if isinstance(value, SchemaValue):
        return value

    if isinstance(value, str):
        return parsed_schema(value)

    if isinstance(value, (list, tuple)) and value:
        if all_are(value, FieldValue):
            return SchemaValue(
                [(item.name, item.type_name) for item in value],
                {item.name: item.nullable for item in value},
            )

        if all_are(value, str):
            return SchemaValue([(item, "") for item in value])

    return None


SPELLED = {
    "integer": "int",
    "long": "bigint",
    "short": "smallint",
    "byte": "tinyint",
    "real": "float",
    "text": "string",
}
LONG_NAMES = {"int": "integer", "bigint": "long", "smallint": "short", "tinyint": "byte"}


def spark_spelling(kind: str) -> str | Unknown:
    """Return a type as Spark spells it.

    df.dtypes, field.dataType.simpleString()      one spelling for each type, without spaces
    """
    found = re.sub(r"\s+", "", kind.lower())
    if found in ("", A_NUMBER):
        return Unknown("type", "the type is not known")

    if found.startswith(("varchar", "char")):
        return "string"

    return SPELLED.get(found, "decimal(10,0)" if found == "decimal" else found)


def type_value(kind: str) -> Value:
    """Return a type as a value.

    field.dataType
    """
    found = spark_spelling(kind)
    if isinstance(found, str) and found.startswith("struct<"):
        return parsed_schema(found) or Unknown("type", "the type is not known")

    if isinstance(found, str):
        return TypeValue(found)

    return found


def type_method(held: TypeValue, name: str) -> Value:
    """Call a method of a type.

    field.dataType.typeName(), .simpleString(), .elementType
    """
    outer, _, inner = held.type_name.partition("<")
    base = outer.partition("(")[0]
    if name == "typeName":
        return LONG_NAMES.get(base, base)

    if name in ("simpleString", "jsonValue"):
        return held.type_name

    if name == "elementType" and base == "array":
        return type_value(inner.removesuffix(">"))

    if name in ("keyType", "valueType") and base == "map" and inner:
        return type_value(top_level(inner.removesuffix(">"))[name == "valueType"])

    return Unknown(name, "a property of a type")


def is_of_type(held: Value, name: str) -> bool:
    """Tell whether a type is of a class.

    isinstance(field.dataType, StringType)
    """
    kind = "struct" if isinstance(held, SchemaValue) else str(getattr(held, "type_name", ""))
    if name in ("DataType", "NumericType"):
        return name == "DataType" or is_numeric(kind)

    if name == "IntegralType":
        return bool(WHOLE.match(kind))

    if name == "FractionalType":
        return is_numeric(kind) and not WHOLE.match(kind)

    wanted = TYPE_NAMES.get(name, name.removesuffix("Type").lower())
    return re.split(r"[<(]", kind)[0] == wanted


TYPE_NAMES = {
    "StringType": "string", "IntegerType": "int", "LongType": "bigint", "DoubleType": "double", "FloatType": "float",
    "BooleanType": "boolean", "DateType": "date", "TimestampType": "timestamp", "ShortType": "smallint",
    "ByteType": "tinyint", "BinaryType": "binary", "DecimalType": "decimal", "NullType": "void",
    "TimestampNTZType": "timestamp_ntz", "VarcharType": "string", "CharType": "string", "VariantType": "variant",
}  # fmt: skip


def type_call(run: Run, name: str, call: Invocation) -> Value:
    """Build a type.

    StringType(), StructType([…]), StructField("a", StringType()), ArrayType(…)
    """
    if name == "StructType":
        fields = call.argument(0, "fields")
        if isinstance(fields, (list, tuple)):
            return schema_of(run, list(fields), call.node) or SchemaValue([])

        return SchemaValue([])

    if name == "StructField":
        given = (
            dict(zip(("name", "dataType", "nullable"), call.arguments, strict=False))
            | call.keywords
        )
        if isinstance(given.get("name"), Unknown):
            run.dynamic(note_of("a name", given["name"]), call.node)

        kind = given.get("dataType")
        text = kind if isinstance(kind, str) else getattr(kind, "type_name", "struct")
        if isinstance(kind, SchemaValue):
            text = f"struct<{','.join(f'{field}:{inner}' for field, inner in kind.fields)}>"

        return FieldValue(str(given.get("name")), text, given.get("nullable", True))

    if name == "DecimalType" and len(call.arguments) == 2:
        return TypeValue(f"decimal({call.arguments[0]}, {call.arguments[1]})")

    if name in ("ArrayType", "MapType"):
        inner = list(
            map(type_text, (*call.arguments, *call.keywords.values())[: 1 + (name == "MapType")])
        )
        return TypeValue(f"{name.removesuffix('Type').lower()}<{','.join(inner)}>")

    return TypeValue(TYPE_NAMES.get(name, name.removesuffix("Type").lower()))
