"""Result types of operators and functions per family of dialects, where the engine's behavior is
known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from lineal.extract.sql.types.kinds import (
    DIGITS,
    INTEGERS,
    NULL,
    REALS,
    SPARK_DECIMALS,
    TEXTS,
    UNKNOWN,
    Kind,
    Type,
    adjust_decimal,
    bound_decimal,
    build_type,
    decimal,
    declared_type,
    element,
    is_same_type,
    spell_type,
    wider_decimal,
)  # fmt: skip

FAMILIES = {
    **dict.fromkeys(("spark", "spark2", "databricks"), "spark"),
    **dict.fromkeys(("trino", "presto", "athena"), "trino"),
    **dict.fromkeys(("postgres", "materialize", "risingwave"), "postgres"),
    "duckdb": "duckdb",
    "bigquery": "bigquery",
    "snowflake": "snowflake",
    "clickhouse": "clickhouse",
    "redshift": "redshift",
    "": "",
}

WORDS = {
    "spark": "text=STRING int=INT bigint=BIGINT double=DOUBLE boolean=BOOLEAN date=DATE timestamp=TIMESTAMP "
    "binary=BINARY",
    "duckdb": "text=VARCHAR int=INTEGER bigint=BIGINT double=DOUBLE boolean=BOOLEAN date=DATE huge=HUGEINT",
    "postgres": "text=TEXT int=INTEGER bigint=BIGINT double=DOUBLE_PRECISION boolean=BOOLEAN date=DATE huge=NUMERIC",
    "trino": "int=INTEGER bigint=BIGINT double=DOUBLE boolean=BOOLEAN date=DATE",
    "bigquery": "text=STRING int=INT64 bigint=INT64 double=FLOAT64 boolean=BOOL date=DATE timestamp=TIMESTAMP",
    "snowflake": "boolean=BOOLEAN date=DATE",
    "clickhouse": "",
    "redshift": "boolean=BOOLEAN date=DATE",
    "": "boolean=BOOLEAN",
    "other": "",
}
"""How each family spells the types that functions give; missing ones are not claimed."""

NORMAL = {
    family: {
        name: word.replace("_", " ")
        for name, _, word in (pair.partition("=") for pair in row.split())
    }
    for family, row in WORDS.items()
}

RESULTS = {
    "count": "spark=bigint duckdb=bigint postgres=bigint trino=bigint bigquery=bigint",
    "tally": "spark=bigint trino=bigint bigquery=bigint",
    "rank": "spark=int duckdb=bigint postgres=bigint trino=bigint bigquery=bigint",
    "tile": "spark=int duckdb=bigint postgres=int trino=bigint bigquery=bigint",
    "real": "spark=double duckdb=double trino=double",
    "share": "spark=double duckdb=double postgres=double trino=double bigquery=double",
    "length": "spark=int duckdb=bigint postgres=int trino=bigint bigquery=bigint",
    "part": "spark=int duckdb=bigint trino=bigint bigquery=bigint",
    "days": "duckdb=bigint trino=bigint bigquery=bigint",
    "digest": "spark=text duckdb=text",
    "hash32": "spark=int",
    "hash64": "spark=bigint",
    "day": "spark=date",
    "moment": "spark=timestamp",
    "bytes": "spark=binary",
}
"""The types of the rules of the function table: family=type."""

BY_RULE = {rule: dict(pair.split("=") for pair in row.split()) for rule, row in RESULTS.items()}

WITHOUT_LENGTHS = frozenset(("spark", "duckdb", "bigquery"))
"""Here a text is a text, however long: VARCHAR(10) combined with another is not a VARCHAR(20), and a literal
no VARCHAR(1).
"""

STEPWISE = frozenset(("spark", "duckdb", "postgres", "trino", "bigquery"))
"""Here an operation on two integers gives the wider of the two."""


class Rules:
    """The rules of one dialect."""

    def __init__(self, dialect: str) -> None:
        """Apply the typing rules of a dialect's family."""
        self.dialect = dialect
        self.family = FAMILIES.get(dialect, "other")

    def normal(self, word: str) -> Type:
        """Return a type by its name.

        text, bigint, …      in the dialect's own words
        """
        text = NORMAL[self.family].get(word)
        if text is not None:
            return declared_type(text, self.dialect)

        return UNKNOWN

    def array(self, of: Type) -> Type:
        """Return the type of an array of a type."""
        if of.kind is not None and of is not NULL:
            return build_type(self.dialect, Kind.ARRAY, of)

        return UNKNOWN

    # -- functions ---------------------------------------------------------------------------------

    def result(self, rule: str, arguments: Sequence[Type]) -> Type:
        """Return the result type of a function, by its row in the function table."""
        if rule in BY_RULE:
            return self.normal(BY_RULE[rule].get(self.family, ""))

        first = arguments[0] if arguments else UNKNOWN
        if rule == "text" and self.family == "bigquery" and not first.is_a(TEXTS):
            return UNKNOWN  # it may be BYTES

        handler = HANDLERS.get(rule)
        if handler is not None:
            return handler(self, first, arguments)

        return self.normal(rule)

    def same(self, first: Type, arguments: Sequence[Type]) -> Type:
        """Return the type of the first argument."""
        if first is not NULL:
            return first

        return UNKNOWN

    def second(self, first: Type, arguments: Sequence[Type]) -> Type:
        """Return the type of the second argument."""
        if len(arguments) > 1:
            return arguments[1]

        return UNKNOWN

    def sum(self, first: Type, arguments: Sequence[Type]) -> Type:
        """Return the type of a sum.

        sum(INT): BIGINT in Spark, HUGEINT in DuckDB, …
        """
        if first.is_a(INTEGERS):
            if self.family in ("spark", "trino", "bigquery"):
                return self.normal("bigint")

            if self.family == "postgres" and first.name is not Kind.BIGINT:
                return self.normal("bigint")

            return self.normal("huge")

        digits = decimal(first)
        if digits is not None:
            if self.family == "spark":
                return build_type(
                    self.dialect, Kind.DECIMAL, *bound_decimal(digits[0] + 10, digits[1])
                )

            if self.family in ("duckdb", "trino"):
                return build_type(self.dialect, Kind.DECIMAL, DIGITS, digits[1])

            return UNKNOWN

        if first.is_a(REALS):
            if self.family in ("spark", "duckdb"):
                return self.normal("double")

            return self.same(first, arguments)

        return UNKNOWN

    def avg(self, first: Type, arguments: Sequence[Type]) -> Type:
        """Return the type of an average.

        avg(INT): DOUBLE; avg(DECIMAL(p, s)): DECIMAL(p + 4, s + 4) in Spark
        """
        digits = decimal(first)
        if self.family == "duckdb" and (digits is not None or first.is_a(REALS)):
            return self.normal("double")

        if self.family == "spark" and first.is_a((Kind.DECIMAL,)) and digits is not None:
            return build_type(
                self.dialect, Kind.DECIMAL, *bound_decimal(digits[0] + 4, digits[1] + 4)
            )

        if self.family in ("spark", "trino", "bigquery") and first.is_a((*INTEGERS, Kind.DOUBLE)):
            return self.normal("double")

        if self.family == "spark" and first.is_a(REALS):
            return self.normal("double")

        return UNKNOWN

    def round_type(self, first: Type, arguments: Sequence[Type]) -> Type:
        """Return the type of a rounded number.

        round(a, 2)      the type of a, unless the digits of a decimal change
        """
        fits = first.is_a(REALS) or (self.family == "spark" and first.is_a(INTEGERS))
        if fits and self.family in ("spark", "duckdb", "trino", "bigquery"):
            return first

        return UNKNOWN

    def whole(self, first: Type, arguments: Sequence[Type]) -> Type:
        """Return the type of a number without its fraction.

        ceil(a)
        """
        if self.family == "spark" and first.is_a((*INTEGERS, *REALS)) and len(arguments) == 1:
            return self.normal("bigint")

        return UNKNOWN

    def array_of(self, first: Type, arguments: Sequence[Type]) -> Type:
        """Return the type of an array of the first argument."""
        return self.array(first)

    def element_of(self, first: Type, arguments: Sequence[Type]) -> Type:
        """Return the type of the first argument's elements."""
        return element(first, self.dialect)

    def join_type(self, first: Type, arguments: Sequence[Type]) -> Type:
        """Return the type of joined texts.

        concat(a, b), a || b      a text, where one of them is
        """
        if any(each.is_a(TEXTS) for each in arguments):
            return self.normal("text")

        return UNKNOWN

    def slice_type(self, first: Type, arguments: Sequence[Type]) -> Type:
        """Return the type of a part of a text.

        substring(a, 1, 3)      a text, unless a is binary
        """
        if first.is_a(TEXTS):
            return self.normal("text")

        return UNKNOWN

    def texts(self, first: Type, arguments: Sequence[Type]) -> Type:
        """Return the type of an array of texts.

        split(a, ',')
        """
        if self.family in ("spark", "duckdb"):
            return self.array(self.normal("text"))

        return UNKNOWN

    def widest(self, arguments: Sequence[Type]) -> Type:
        """Return the type that holds several types.

        CASE, COALESCE, UNION      the type that holds all of them; NULL fits anywhere
        """
        found: Type | None = None
        for each in arguments:
            if each is NULL:
                continue

            if each.kind is None and not (found is not None and found == each and each.spelled):
                if (
                    found is None
                    and each.spelled
                    and all(other == each or other is NULL for other in arguments)
                ):
                    return each

                return UNKNOWN

            found = each if found is None else self.wider(found, each)
            if found is UNKNOWN:
                return UNKNOWN

        if found is not None:
            return found

        return UNKNOWN

    def wider(self, left: Type, right: Type) -> Type:
        """Return the type that holds two types."""
        if is_same_type(left, right):
            return left

        if left.is_a(TEXTS) and right.is_a(TEXTS):
            if self.family in WITHOUT_LENGTHS:
                return self.normal("text")

            return UNKNOWN

        if self.family not in STEPWISE:
            return UNKNOWN

        if left.is_a(INTEGERS) and right.is_a(INTEGERS):
            if self.may_be_narrower(left, right):
                return UNKNOWN

            return self.respell(left if INTEGERS[left.name] >= INTEGERS[right.name] else right)

        if Kind.DOUBLE in (left.name, right.name) and all(
            each.is_a((*INTEGERS, *REALS, Kind.DECIMAL)) for each in (left, right)
        ):
            return self.normal("double")

        digits = decimal(left), decimal(right)
        if self.family == "spark" and digits[0] is not None and digits[1] is not None:
            found = wider_decimal(digits[0], digits[1])
            if found[0] <= DIGITS:
                return build_type(self.dialect, Kind.DECIMAL, *found)

            return UNKNOWN

        return UNKNOWN

    def respell(self, of: Type) -> Type:
        """Return the type of an operator's result, spelled again: a declared spelling does not carry
        over.
        """
        if of.kind is not None:
            return spell_type(of.kind, self.dialect)

        return UNKNOWN

    def may_be_narrower(self, left: Type, right: Type) -> bool:
        """Tell whether a constant may have a narrower type.

        DuckDB: a number that is written down is as narrow as what stands next to it
        """
        return (
            self.family == "duckdb"
            and Kind.INT in (left.name, right.name)
            and bool({left.name, right.name} & SHORT)
        )

    # -- operators ---------------------------------------------------------------------------------

    def arithmetic(self, node: exp.Expr, left: Type, right: Type) -> Type:
        """Return the type of an arithmetic expression.

        a + b, a * b, a / b, a % b
        """
        kind = type(node)
        if self.family not in STEPWISE or NULL in (left, right):
            return UNKNOWN

        both = (left, right)
        if all(each.is_a(INTEGERS) for each in both):
            if kind is exp.Div:
                if self.family in ("spark", "duckdb", "bigquery"):
                    return self.normal("double")

                return self.respell(self.wider(*both))

            return self.respell(self.wider(*both))

        if Kind.DOUBLE in (left.name, right.name) and all(
            each.is_a((*INTEGERS, *REALS, Kind.DECIMAL)) for each in both
        ):
            return self.normal("double")

        if self.family == "spark" and kind in SPARK_DECIMALS:
            return self.spark_decimal(node, left, right)

        if (
            self.family == "spark"
            and kind in (exp.Add, exp.Sub)
            and left.is_a((Kind.DATE,))
            and right.is_a(WHOLE)
        ):
            return left

        return UNKNOWN

    def spark_decimal(self, node: exp.Expr, left: Type, right: Type) -> Type:
        """Return Spark's type of an arithmetic expression over decimals."""
        digits = [decimal(left, literal(node.this)), decimal(right, literal(node.expression))]
        if (
            digits[0] is None
            or digits[1] is None
            or not any(each.is_a((Kind.DECIMAL,)) for each in (left, right))
        ):
            return UNKNOWN

        return build_type(
            self.dialect,
            Kind.DECIMAL,
            *adjust_decimal(*SPARK_DECIMALS[type(node)](digits[0], digits[1])),
        )


SHORT = {Kind.TINYINT, Kind.SMALLINT}
WHOLE = (Kind.TINYINT, Kind.SMALLINT, Kind.INT)


def literal(node: exp.Expr) -> str:
    """The digits of a number that is written down: Spark takes 5 for a DECIMAL(1, 0) next to a
    decimal.
    """
    while isinstance(node, exp.Paren):
        node = node.this

    if isinstance(node, exp.Literal) and not node.is_string:
        return node.name

    return ""


HANDLERS: dict[str, Callable[[Rules, Type, Sequence[Type]], Type]] = {
    "same": Rules.same,
    "second": Rules.second,
    "sum": Rules.sum,
    "avg": Rules.avg,
    "round": Rules.round_type,
    "whole": Rules.whole,
    "array": Rules.array_of,
    "element": Rules.element_of,
    "concat": Rules.join_type,
    "slice": Rules.slice_type,
    "texts": Rules.texts,
    "widest": lambda rules, first, arguments: rules.widest(arguments),
}
