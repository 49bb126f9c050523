"""SA01: columns: [{name: total}] in YAML, and the SQL has no total."""

from __future__ import annotations

from collections.abc import Iterator

from lineal.model import names
from lineal.model.diagnostic import Severity
from lineal.model.edge import Column
from lineal.model.finding import Found
from lineal.rules.rule import Rule, Subject


def find(subject: Subject) -> Iterator[Found]:
    """Yield each column that the YAML lists and the SQL does not make."""
    for info, made, declared in subject.compared_columns():
        free = [column.name for key, column in made.items() if key not in declared]
        for key, column in declared.items():
            if key not in made:
                near = names.closest(column.name, free)
                hint = (
                    f"The SQL makes {near}, which the YAML does not list: is that meant?"
                    if near
                    else ""
                )
                about = Column(info.dataset, column.name)
                yield Found(
                    f"{about} is declared, but the SQL does not make it", column.place, hint, about
                )


RULE = Rule(
    "SA01",
    "column-not-produced",
    Severity.ERROR,
    "The YAML of a model declares a column that its SQL does not make. Its readers expect the column.",
    "Remove the column from the YAML, or select it.",
    find,
)
