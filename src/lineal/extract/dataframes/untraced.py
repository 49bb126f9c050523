"""Methods of DataFrames that are not followed, and values that only the data knows."""

from __future__ import annotations

import ast
from typing import Any

from lineal.extract.pyspark.collected import row_of, rows_of
from lineal.extract.pyspark.relation import Relation, open_star
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Unknown
from lineal.model.diagnostic import Code


def method_name(node: Any, otherwise: str = "this") -> str:
    """df.rows()      rows; another word for a call that names no method"""
    return getattr(getattr(node, "func", None), "attr", otherwise)


def report_untraced(run: Run, relation: Relation, method: str, node: ast.AST) -> Relation:
    """Report a method that is not followed, and return a frame with any columns.

    df.to_dummies()      DataFrame.to_dummies is not traced
    """
    run.report(Code.UNSUPPORTED_CONSTRUCT, f"{method} is not traced", node)
    return Relation([open_star()], dict(relation.rows), (relation,))


def collected_values(relation: Relation, node: Any) -> Unknown:
    """df.rows(), df.collect(), df.first()      values that only the data knows"""
    name = method_name(node)
    if name == "first" and not getattr(node, "args", ()):
        return row_of(f"{name}()", relation)

    return rows_of(f"{name}()", relation)
