"""The evaluation of SQL: what an expression asks of the queries and stars around it."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from lineal.algebra.frame import Frame, Slot
from lineal.algebra.lineage import Lineage
from lineal.extract.sql.columns import star_slots
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.expressions import function_name, value_of
from lineal.extract.sql.query import query
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.sources import CTEs
from lineal.model.way import IDENTITY


class QueryEvaluation(Evaluation):
    """An evaluation whose queries are SQL."""

    __slots__ = ()

    def query(self, node: Any, parent: Scope | None, ctes: CTEs) -> Frame:
        """Return the frame of any query inside another."""
        return query(node, parent, ctes, self)

    def value_of(self, node: exp.Expr, scope: Scope) -> Lineage:
        """The lineage of an expression's value."""
        return value_of(node, IDENTITY, scope)

    def has_body(self, node: exp.Expr) -> bool:
        """Whether a call is that of a function which the project defines itself."""
        functions = self.catalog.functions
        return bool(functions) and function_name(node) in functions

    def star_slots(self, node: Any, scope: Scope) -> list[Slot]:
        """The columns that a star stands for."""
        return star_slots(node, scope)
