"""Column-level lineage of SQL: where each column comes from, where it goes, and what a change would
break.

>>> import lineal
>>> found = lineal.lineage("CREATE VIEW mart AS SELECT id AS order_id FROM orders WHERE paid")
>>> for edge in found.edges:
...     print(edge)
orders.id -> mart.order_id  IDENTITY
orders.paid => mart  FILTER
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineal.api import Lineage, lineage
    from lineal.extract import UnknownDialect
    from lineal.graph.graph import UnknownName
    from lineal.graph.impact import Impact
    from lineal.model.diagnostic import Diagnostic
    from lineal.model.edge import Column, Dataset, Edge, Read, Usage
    from lineal.model.ledger import Coverage
    from lineal.projects import ProjectError
    from lineal.views.rows import ColumnLineageRelation

__version__ = "0.1.0"

__all__ = [
    "Column",
    "ColumnLineageRelation",
    "Coverage",
    "Dataset",
    "Diagnostic",
    "Edge",
    "Impact",
    "Lineage",
    "ProjectError",
    "Read",
    "UnknownDialect",
    "UnknownName",
    "Usage",
    "lineage",
]

_HOME = {
    "Column": "lineal.model.edge",
    "ColumnLineageRelation": "lineal.views.rows",
    "Coverage": "lineal.model.ledger",
    "Dataset": "lineal.model.edge",
    "Diagnostic": "lineal.model.diagnostic",
    "Edge": "lineal.model.edge",
    "Impact": "lineal.graph.impact",
    "Lineage": "lineal.api",
    "ProjectError": "lineal.projects",
    "Read": "lineal.model.edge",
    "UnknownDialect": "lineal.extract",
    "UnknownName": "lineal.graph.graph",
    "Usage": "lineal.model.edge",
    "lineage": "lineal.api",
}


def __getattr__(name: str) -> object:
    """Names are imported when they are first asked for, so that `import lineal` stays light."""
    if name not in _HOME:
        raise AttributeError(f"module 'lineal' has no attribute {name!r}")

    from importlib import import_module

    found = globals()[name] = getattr(import_module(_HOME[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
