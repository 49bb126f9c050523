"""Types: read, spelled, compared. A type that was declared keeps its spelling for as long as it is
passed on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from sqlglot import exp

from lineal.extract.sql.words import FAILURES
from lineal.model.sequences import instances

Kind = exp.DType

INTEGERS = {Kind.TINYINT: 3, Kind.SMALLINT: 5, Kind.INT: 10, Kind.BIGINT: 20, Kind.INT128: 39}
"""The digits that each kind of integer takes, from the narrowest on."""
REALS = (Kind.FLOAT, Kind.DOUBLE)
TEXTS = frozenset((Kind.TEXT, Kind.VARCHAR, Kind.CHAR, Kind.NCHAR, Kind.NVARCHAR))
LONGEST = 2_000
DEEPEST = 40


class Type(NamedTuple):
    """A type as it is spelled, and as it is read; nothing is read of a type that sqlglot does not
    know.
    """

    spelled: str
    kind: exp.DataType | None = None

    @property
    def name(self) -> Any:
        """Return the kind of the type, or None where it is unknown."""
        if self.kind is not None:
            return self.kind.this

        return None

    @property
    def numbers(self) -> tuple[int, ...]:
        """Return the numbers of the type.

        10, 2 of DECIMAL(10, 2)
        """
        parts = self.kind.expressions if self.kind is not None else []
        return tuple(
            int(part.name)
            for part in parts
            if isinstance(part, exp.DataTypeParam) and part.name.isdigit()
        )

    @property
    def inner(self) -> list[exp.DataType]:
        """Return the types inside the type.

        INT of ARRAY<INT>, TEXT and INT of MAP<TEXT, INT>
        """
        parts = self.kind.expressions if self.kind is not None else []
        return instances(parts, exp.DataType)

    def is_a(self, names: Iterable[Any]) -> bool:
        """Tell whether the type is one of some kinds."""
        return self.kind is not None and self.kind.this in names


UNKNOWN = Type("")
NULL = Type("", exp.DataType(this=Kind.NULL))
"""NULL fits every type."""


@lru_cache(maxsize=4096)
def declared_type(text: str, dialect: str) -> Type:
    """Return a type from its declaration.

    DECIMAL(10,2), as somebody has written it down
    """
    if not text or len(text) > LONGEST or sum(map(text.count, "<([")) > DEEPEST:
        return Type(text if len(text) <= LONGEST else "")

    try:
        kind = exp.DataType.build(text, dialect=dialect or None, udt=True)
    except (RecursionError, *FAILURES):
        return Type(text)

    return Type(text, kind if kind.this not in (Kind.USERDEFINED, Kind.UNKNOWN) else None)


def spell_type(kind: exp.DataType, dialect: str) -> Type:
    """A type in the dialect's own words."""
    return Type(kind.sql(dialect=dialect or None), kind)


def build_type(dialect: str, name: Any, *parts: Any) -> Type:
    """Build a type from its parts.

    ARRAY of a type, DECIMAL of two numbers
    """
    if parts and isinstance(parts[0], int):
        numbers = [exp.DataTypeParam(this=exp.Literal.number(part)) for part in parts]
        return spell_type(exp.DataType(this=name, expressions=numbers), dialect)

    inner = [part.kind.copy() for part in parts]
    return spell_type(exp.DataType(this=name, expressions=inner, nested=bool(inner)), dialect)


@lru_cache(maxsize=4096)
def field(of: Type, name: str, dialect: str) -> Type:
    """Return the type of a field.

    address.city      the type of a struct's field, or of the fields of an array's structs
    """
    if of.is_a((Kind.STRUCT, Kind.OBJECT, Kind.NESTED)) and of.kind is not None:
        for part in of.kind.expressions:
            if (
                isinstance(part, exp.ColumnDef)
                and part.name.lower() == name.lower()
                and part.kind is not None
            ):
                return spell_type(part.kind, dialect)

    return UNKNOWN


@lru_cache(maxsize=4096)
def element(of: Type, dialect: str) -> Type:
    """Return the type of an array's elements.

    xs[1], explode(xs)      what an array holds
    """
    if of.is_a((Kind.ARRAY, Kind.LIST)) and len(of.inner) == 1:
        return spell_type(of.inner[0], dialect)

    return UNKNOWN


def is_same_type(left: Type, right: Type) -> bool:
    """Tell whether two known types are equal."""
    return left.kind is not None and left.kind == right.kind


# -- decimals --------------------------------------------------------------------------------------

DIGITS = 38


def decimal(of: Type, literal: str = "") -> tuple[int, int] | None:
    """Return the digits of a decimal.

    (precision, scale) of a decimal, or of the decimal that holds an integer
    """
    if literal.isdigit():
        return len(literal), 0

    if of.is_a(INTEGERS):
        if INTEGERS[of.name] <= DIGITS:
            return (INTEGERS[of.name], 0)

        return None

    if of.is_a((Kind.DECIMAL,)):
        if of.numbers:
            return (of.numbers[0], of.numbers[1] if len(of.numbers) > 1 else 0)

        return None

    return None


def bound_decimal(precision: int, scale: int) -> tuple[int, int]:
    """Cut the digits of a decimal to the largest that there are."""
    return min(precision, DIGITS), min(scale, DIGITS)


def adjust_decimal(precision: int, scale: int) -> tuple[int, int]:
    """Cut the digits of a decimal as Spark does.

    Spark: where 38 digits are too few, the fraction gives way, down to six digits
    """
    if precision <= DIGITS:
        return precision, scale

    whole = precision - scale
    return DIGITS, max(DIGITS - whole, min(scale, 6))


def _sum(left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int]:
    """Return precision and scale of a sum of decimals."""
    scale = max(left[1], right[1])
    return max(left[0] - left[1], right[0] - right[1]) + scale + 1, scale


def _product(left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int]:
    """Return precision and scale of a product of decimals."""
    return left[0] + right[0] + 1, left[1] + right[1]


def _quotient(left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int]:
    """Return precision and scale of a quotient of decimals."""
    scale = max(6, left[1] + right[0] + 1)
    return left[0] - left[1] + right[1] + scale, scale


def _remainder_digits(left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int]:
    """Return precision and scale of the remainder of a division of decimals."""
    scale = max(left[1], right[1])
    return min(left[0] - left[1], right[0] - right[1]) + scale, scale


SPARK_DECIMALS: dict[type, Callable[[tuple[int, int], tuple[int, int]], tuple[int, int]]] = {
    exp.Add: _sum, exp.Sub: _sum, exp.Mul: _product, exp.Div: _quotient, exp.Mod: _remainder_digits,
}  # fmt: skip


def wider_decimal(left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int]:
    """Return the digits that hold two decimals."""
    scale = max(left[1], right[1])
    return max(left[0] - left[1], right[0] - right[1]) + scale, scale
