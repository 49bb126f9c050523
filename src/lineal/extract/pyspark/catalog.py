"""The datasets that a running program knows: first its own writes, then the corpus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, cast

from lineal.algebra.frame import Frame
from lineal.algebra.relation import scan_on_demand
from lineal.extract.pyspark.names import is_placeholder, owned_name
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run, Write
from lineal.extract.sql.evaluation import Catalog, Evaluation
from lineal.extract.sql.procedural.pieces import Routine
from lineal.extract.sql.structs import field_names
from lineal.model.edge import Column, Dataset


class Known(Catalog, Protocol):
    """The datasets that the corpus knows."""

    def dataset(self, key: str, spelling: str) -> Dataset:
        """Return the dataset of a name, if the corpus has one."""
        ...

    def types(self, key: str) -> Mapping[str, str]:
        """Return the types of a dataset's columns, by name."""
        ...

    def declare_plan(self, plan: Any) -> None:
        """Declare what a statement of SQL creates."""
        ...

    def foresee(self, writes: Iterable[Write]) -> None:
        """Take note of what the program will have written."""
        ...

    def add_routines(self, routines: Iterable[Routine]) -> None:
        """Add functions and procedures that SQL of the program creates."""
        ...


class SessionCatalog:
    """The corpus' catalog, as a running program sees it: what it has written itself comes first."""

    def __init__(self, known: Known, run: Run) -> None:
        """Look up what the program made (`run`) before what the project knows (`known`)."""
        self.known = known
        self.run = run
        self.asked: set[Column] = set()
        self.own_functions, self.functions, self.shapes = (
            known.own_functions,
            known.functions,
            known.shapes,
        )

    def scan(
        self, key: str, spelling: str, evaluation: Evaluation, node: Any
    ) -> tuple[Dataset | None, Frame]:
        """Return a dataset and the frame that reading it gives."""
        if is_placeholder(spelling):
            spelling = owned_name(spelling, self.run.home)
            key = spelling.lower()

        table = self.run.program.located.get(spelling)
        if table is not None:
            key, spelling = table.lower(), table

        write = self.run.written.get(key)
        if write is not None and write.defines:
            return self.as_written(write.relation, key, spelling)

        self.run.scans += 1
        self.run.asked.setdefault(key, set()).add(self.run.script_key)
        home, frame = self.known.scan(key, spelling, evaluation, node)
        if write is not None and frame.stars:
            return self.as_written(write.relation, key, spelling)

        return home, frame

    def as_written(self, relation: Relation, key: str, spelling: str) -> tuple[Dataset, Frame]:
        """Return the frame of a table by the columns that are added to it; used only where no other
        schema is known.
        """
        home = self.known.dataset(key, spelling)
        columns = [
            (each.slot.name, each.key) for each in relation.attributes if each.slot.star is None
        ]
        return home, scan_on_demand(home, columns, relation.complete)

    def struct_fields(self, origin: Column) -> Sequence[str]:
        """Return the fields of a struct.

        p.*      of a struct that this program has written itself
        """
        write = self.run.written.get(origin.dataset.name.lower())
        held = write.relation.by_key.get(origin.name.lower(), ()) if write is not None else ()
        if len(held) == 1 and origin not in self.asked:
            self.asked.add(origin)
            found = field_names(held[0].slot.lineage, origin.path, cast(Catalog, self))
            self.asked.discard(origin)
            if found:
                return found

        return self.known.struct_fields(origin)

    def __getattr__(self, name: str) -> Any:
        """Everything else is asked of the corpus."""
        return getattr(self.known, name)
