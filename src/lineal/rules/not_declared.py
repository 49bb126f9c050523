"""SA02: SELECT id, total FROM …, and the YAML lists only id."""

from __future__ import annotations

from collections.abc import Iterator

from lineal.model.diagnostic import Severity
from lineal.model.edge import Column
from lineal.model.extraction import DatasetInfo
from lineal.model.finding import Found, Spot
from lineal.rules.rule import Rule, Subject, editable_columns, has_yaml, key_by_name

FEW = 5
"""So many names are listed before the rest is counted."""


def find(subject: Subject) -> Iterator[Found]:
    """Yield each column that the SQL makes and the YAML does not list."""
    for info in subject.infos:
        if not info.produced or info.declared is None:
            continue

        declared = key_by_name(editable_columns(info))
        if not declared:
            if has_yaml(info):
                yield _none_at_all(info)

            continue

        for key, column in key_by_name(info.produced).items():
            if key not in declared:
                about = Column(info.dataset, column.name)
                made = subject.made_at(about)
                home = _home(info) if made else ()
                yield Found(
                    f"{about} is made by the SQL, but not declared",
                    made or info.place,
                    "",
                    about,
                    None,
                    home,
                )


def _none_at_all(info: DatasetInfo) -> Found:
    """Return the finding of a dataset that declares no columns."""
    made = [column.name for column in info.produced_columns]
    several = ", ".join(made[:FEW]) + (f" and {len(made) - FEW} more" if len(made) > FEW else "")
    return Found(
        f"{info.dataset} declares no columns; its SQL makes {several}", info.place, "", info.dataset
    )


def _home(info: DatasetInfo) -> tuple[Spot, ...]:
    """Return where the dataset is declared, as a further spot."""
    if info.place is not None:
        return (Spot(info.place, f"{info.dataset} is declared here"),)

    return ()


RULE = Rule(
    "SA02",
    "column-not-declared",
    Severity.WARNING,
    "The SQL of a model makes a column that its YAML does not declare: the column has no description, no tests and no"
    " classification. A model whose YAML lists no columns at all is reported once.",
    "Add the column to the YAML, or leave it out of the SQL.",
    find,
)
