"""The question that a user asks about the lineage."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from lineal.graph.select import Selection


class Request(NamedTuple):
    """The user's request, apart from its input."""

    selections: tuple[Selection, ...]
    node: str | None
    column: str | None
    direction: str | None
    impact: bool
    level: str
    with_rows: bool
    output: str | None
    classification: str | None

    @property
    def traces(self) -> bool:
        """Tell whether a column is asked for, or a selector that follows columns."""
        return self.column is not None or any(each.follows for each in self.selections)

    @property
    def view(self) -> str:
        """The view: a chain for a trace of columns, else a table."""
        return self.output or ("chain" if self.traces and self.level == "column" else "table")
