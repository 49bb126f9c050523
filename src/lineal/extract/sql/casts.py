"""Casts that look like calls."""

from __future__ import annotations

from sqlglot import exp

from lineal.extract.sql.dialects import Facts
from lineal.model.sequences import all_are


def cast_behind(node: exp.Expr, facts: Facts) -> exp.Column | None:
    """Read a cast that is written behind its column.

    a (INTEGER), t.a (CHAR(5))

    Teradata: CAST(a AS INTEGER); the column, or None for a call
    """
    if not facts.casts_behind or not isinstance(node, exp.Anonymous) or len(node.expressions) != 1:
        return None

    if not is_type(node.expressions[0]):
        return None

    table = node.parent.this.copy() if isinstance(node.parent, exp.Dot) else None
    return exp.Column(this=exp.to_identifier(node.name), table=table)


def is_type(node: exp.Expr) -> bool:
    """Tell whether a node in parentheses is a type.

    INTEGER, DECIMAL(10, 2), CHAR(5)

    as the parser takes them: a column, a type, a function of numbers
    """
    if isinstance(node, exp.Column):
        return not node.table and node.name.upper() in TYPES

    if isinstance(node, exp.DataType):
        return True

    if isinstance(node, exp.Anonymous):
        name = node.name
    else:
        if isinstance(node, exp.Chr):
            name = "CHAR"
        elif isinstance(node, exp.Func):
            name = node.sql_name()
        else:
            name = ""

    return name.upper() in TYPES and all_are(node.iter_expressions(), exp.Literal)


TYPES = frozenset(
    """INTEGER INT BYTEINT SMALLINT BIGINT DECIMAL NUMERIC DEC NUMBER FLOAT REAL CHAR CHARACTER VARCHAR DATE TIME
    TIMESTAMP BYTE VARBYTE CLOB BLOB""".split()  # noqa: SIM905
)
