"""Blocks of Airflow: with DAG(…):, with TaskGroup(…):."""

from __future__ import annotations

from lineal.extract.pyspark.embedded.statements import Collector
from lineal.extract.pyspark.values import Builder, Unknown, Value

DAG, GROUP = "dag", "task_group"


def enter_context(collector: Collector, manager: Value) -> bool:
    """with DAG(…):, with TaskGroup(…):      Return whether the manager is one of these."""
    if isinstance(manager, Builder) and manager.kind == DAG:
        collector.dags.append(manager)
        return True

    if isinstance(manager, Builder) and manager.kind == GROUP:
        collector.groups.append(id_text(manager.parts.get("id"), "group"))
        return True

    return False


def leave_context(collector: Collector, manager: Builder) -> None:
    """The block of a DAG or task group ends."""
    if manager.kind == DAG:
        collector.dags.pop()
    else:
        collector.groups.pop()


def id_text(held: Value, otherwise: str) -> str:
    """Return an id as text; a part that only a run knows is a placeholder."""
    if isinstance(held, str):
        return str(held)

    if isinstance(held, Unknown):
        return f"{{{held.label}}}"

    return otherwise
