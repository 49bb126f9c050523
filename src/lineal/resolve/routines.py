"""Routines: the functions and procedures of a corpus, and what their values are made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lineal.extract.sql.dialects.procedures import WITHOUT_TABLES
from lineal.extract.sql.evaluation import Catalog, Evaluation
from lineal.extract.sql.evaluator import QueryEvaluation
from lineal.extract.sql.reading import Reading
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.resolve.boundary import Boundary
from lineal.resolve.catalog import NameCatalog

if TYPE_CHECKING:
    from lineal.extract.sql.procedural.pieces import Found, Routine
    from lineal.extract.sql.procedural.summary import Summary


class Routines:
    """The functions and procedures that the scripts define, and the calls of them."""

    def __init__(self, catalog: NameCatalog, boundary: Boundary) -> None:
        self.catalog = catalog
        self.boundary = boundary
        self.functions: dict[str, list[Routine]] = {}
        self.shapes: dict[str, Routine] = {}
        """the functions whose header tells what their result's columns are"""
        self.summaries: dict[int, Summary | None] = {}
        self.procedures: set[str] = set()
        self.read: list[tuple[str, Reading]] = []
        """the functions that scripts define, each with its script"""
        self.calls: list[tuple[str, Place]] = []
        self.procedural_scripts: list[Found] = []
        """the values of scripts with procedural code"""

    def add(self, routines: Iterable[Routine]) -> None:
        """Add a routine.

        CREATE FUNCTION f      under its full name and its last part
        """
        for routine in routines:
            names = {routine.name.lower(), routine.name.lower().rsplit(".", 1)[-1]}
            self.shapes.update(
                dict.fromkeys(names if routine.columns or routine.shape else (), routine)
            )
            if routine.table:
                self.catalog.tabulated.add(routine.key)
            elif routine.returns:
                for name in names:
                    self.functions.setdefault(name, []).append(routine)

    def add_script(self, reading: Reading, found: Found) -> None:
        """Add what a script with procedural code holds."""
        self.add(found.functions)
        for routine in found.bodies:
            for name in {routine.name.lower(), routine.name.lower().rsplit(".", 1)[-1]}:
                self.functions.setdefault(f"{name}#", []).append(routine)

        self.read += [(routine.name, reading) for routine in found.functions]
        self.procedures |= found.procedures
        self.calls += found.calls
        self.procedural_scripts.append(found)

    def report_unknown_calls(self) -> None:
        """Report the routines that are called and not defined.

        CALL p(1), where nobody defines p
        """
        known = {name.rsplit(".", 1)[-1] for name in self.procedures} | self.functions.keys()
        for name, place in self.calls:
            parts = name.split(".")
            if parts[-1] not in known and WITHOUT_TABLES.isdisjoint(parts):
                self.boundary.report(
                    Diagnostic(
                        Code.UNKNOWN_PROCEDURE,
                        f"procedure '{name}' is not defined in the input",
                        place,
                    )
                )

    def summary_of(
        self, function: Routine, evaluation: Evaluation, catalog: Catalog, decided: bool
    ) -> Summary | None:
        """Return the summary of a function's value, computed on its first call; None inside its own
        body.

        Once the corpus has decided whose columns are whose, what was undecided is found again.
        """
        from lineal.extract.sql.procedural.summary import Summary

        held = self.summaries.get(id(function))
        if held is not None and not (held.evaluation.undecided and decided):
            return held

        if id(function) in self.summaries and held is None:
            return None

        self.summaries[id(function)] = None
        inner = QueryEvaluation(catalog, evaluation.reading, evaluation.facts, evaluation.target)
        try:
            found = self.summaries[id(function)] = Summary(function, inner)
        finally:
            if self.summaries[id(function)] is None:
                del self.summaries[id(function)]

        return found
