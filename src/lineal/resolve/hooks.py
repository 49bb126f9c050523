"""Hooks: the steps of an extraction that a kind of definitions may take in its own way.

`Definitions` takes them as they are; one with a memory looks first whether it knows the result, and
one for many processes leaves to others what is theirs. The parts of an extraction call each other
directly, but for these steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from lineal.algebra.frame import Frame
    from lineal.extract.entries import Definition
    from lineal.extract.sql.evaluation import Evaluation
    from lineal.extract.sql.reading import Reading
    from lineal.model.edge import Column, Edge
    from lineal.model.ledger import Statements
    from lineal.model.script import Script
    from lineal.model.way import Way
    from lineal.resolve.edges import Edges
    from lineal.resolve.scripts import Prepared


class ReadingHooks(Protocol):
    """The steps from a text to what its statements do."""

    def prepare(self, script: Script) -> Prepared:
        """Read a script, and plan its statements."""
        ...

    def parse(self, reading: Reading) -> list[Any]:
        """Parse a script into trees, one for each statement."""
        ...

    def fail_script(self, reading: Reading, error: Exception, before: Statements) -> None:
        """Report that a script cannot be read at all."""
        ...


class EvaluationHooks(Protocol):
    """The steps from a definition to its frame."""

    def evaluate(self, definition: Definition) -> Frame:
        """Evaluate a definition, and what it reads before it."""
        ...

    def frame_of(self, definition: Definition, evaluation: Evaluation) -> Frame:
        """Work out what a statement writes."""
        ...

    def target_columns(self, definition: Definition) -> list[tuple[str, str]]:
        """Name the columns of the target that a statement writes by position."""
        ...

    def give_up(self, definition: Definition, error: Exception) -> None:
        """Leave a statement without a result."""
        ...


class OutputHooks(Protocol):
    """The steps from frames to edges."""

    def edges_into(self, definition: Definition, frame: Frame) -> list[Edge]:
        """Draw the edges into the target of one statement."""
        ...

    def add_closing(
        self, origin: Column, way: Way, target: Column, definition: Definition, edges: Edges
    ) -> None:
        """Draw the edge of a column that passes through an open star."""
        ...
