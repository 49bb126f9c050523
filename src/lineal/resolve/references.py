"""References: what a statement asks about the names outside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from lineal.algebra.frame import Frame, slot_at
from lineal.algebra.relation import scan_any, scan_on_demand
from lineal.extract.entries import DEEPEST_DIRECT, Definition, Entry, Pending
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.own_functions import OwnFunctions
from lineal.extract.sql.structs import field_names, fields_at
from lineal.model.diagnostic import Code
from lineal.model.edge import Column, Dataset
from lineal.model.extraction import ColumnInfo
from lineal.model.sequences import second_of_each
from lineal.model.way import IDENTITY
from lineal.resolve.alterations import use_former_names
from lineal.resolve.catalog import NameCatalog
from lineal.resolve.evidence import Evidence
from lineal.resolve.file_names import folders_of
from lineal.resolve.hooks import EvaluationHooks
from lineal.resolve.routines import Routines
from lineal.resolve.schemas import Schemas, cycle_message
from lineal.resolve.timeline import Version

if TYPE_CHECKING:
    from lineal.extract.sql.procedural.pieces import Routine
    from lineal.extract.sql.procedural.summary import Summary


class References:
    """The catalog as a statement sees it (`lineal.extract.sql.evaluation.Catalog`)."""

    def __init__(
        self,
        catalog: NameCatalog,
        schemas: Schemas,
        routines: Routines,
        evidence: Evidence,
        hooks: EvaluationHooks,
    ) -> None:
        self.catalog = catalog
        self.schemas = schemas
        self.routines = routines
        self.corpus_evidence = evidence
        self.hooks = hooks
        self.facts = catalog.facts
        self.functions = routines.functions
        self.shapes = routines.shapes
        self.own_functions = OwnFunctions(catalog.corpus.meanings, catalog.corpus.dialect)
        self.asked: set[Column] = set()
        """the columns whose fields are being looked up"""

    def scan(
        self, key: str, spelling: str, evaluation: Evaluation, node: object
    ) -> tuple[Dataset | None, Frame]:
        """Return the frame of a name; a hidden version has no dataset, and its columns are their
        sources.
        """
        reader = evaluation.definition
        if reader is not None and reader.setting is not None:
            timeline, position, naming = reader.setting
            if naming is not None and key not in self.catalog.tabulated:
                spelling, key = naming.full(spelling, key)

            version = timeline.at(key, position) if timeline is not None else None
            if version is not None:
                version.read = True
                if version.entry is None:
                    return None, self.frame_at(version, position, evaluation)

                return self.scan_entry(version.entry, evaluation, node)
        elif reader is None and key not in self.catalog.tabulated:  # in the body of a function
            spelling, key = self.name_in_body(key, spelling, evaluation)

        if key in self.catalog.homes:
            return self.scan_candidates(key, spelling, evaluation, node)

        entry = self.catalog.entries.get(key) or self.catalog.entry(key, spelling, "table")
        if entry.dataset.name != spelling and entry.dataset not in evaluation.datasets_read:
            self.catalog.note_spelling(entry.dataset, spelling, id(evaluation.definition))

        if entry.scanned is not None and not entry.changes:
            return entry.dataset, entry.scanned

        return self.scan_entry(entry, evaluation, node)

    def name_in_body(self, key: str, spelling: str, evaluation: Evaluation) -> tuple[str, str]:
        """FUNCTION sales.f … SELECT a INTO v FROM t      sales.t, if there is one; the name, its key"""
        naming = self.catalog.naming
        around = evaluation.around
        if around is not None and around.moment is not None:
            naming = naming.in_body(around.moment.body.schema, evaluation.facts)

        if not naming.speaks:
            return spelling, key

        return naming.at(evaluation.reading.script.file, self.catalog.homes).full(spelling, key)

    def scan_entry(self, entry: Entry, evaluation: Evaluation, node: Any) -> tuple[Dataset, Frame]:
        """Return the frame of a name.

        FROM t      evaluates t first; inside t's own definition, what is known without it
        """
        if entry.scanned is None:
            if entry.active:
                if evaluation.target == entry.dataset:
                    return entry.dataset, self.schemas.former_state(entry)

                if entry.deciding:  # two INSERTs may cross
                    evaluation.report(Code.CYCLIC_DEFINITION, cycle_message(entry), node)

                return entry.dataset, self.schemas.declared_frame(entry)

            if entry.broken:
                return entry.dataset, self.schemas.declared_frame(entry)

            if self.schemas.depth >= DEEPEST_DIRECT and any(
                d.frame is None for d in entry.defining
            ):
                raise Pending(entry)

        frame = self.schemas.schema(entry)
        if entry.changes and evaluation.definition is not None:
            frame = use_former_names(frame, entry, evaluation.definition)

        return entry.dataset, frame

    def scan_candidates(
        self, key: str, spelling: str, evaluation: Evaluation, node: Any
    ) -> tuple[Dataset, Frame]:
        """FROM customer, which several folders define, none nearer than the others: all of them"""
        folder = folders_of(evaluation.reading.script.file)
        found: list[tuple[Dataset, Frame]] = []
        for home in self.catalog.homes[key].nearest(folder):
            entry = self.catalog.entry(home.key, home.show_name(spelling), "table")
            found.append(self.scan_entry(entry, evaluation, node))

        names = ", ".join(str(dataset) for dataset, _ in found)
        message = f"'{spelling}' may mean any of {names}"
        evaluation.report(Code.AMBIGUOUS_DATASET, message, node)
        for dataset, _ in found:
            evaluation.datasets_read.setdefault(dataset, node)

        return found[0][0], scan_any(second_of_each(found), message)

    def frame_at(self, version: Version, position: int, evaluation: Evaluation) -> Frame:
        """Return the frame of a version of a table.

        FROM #t      what #t holds at this place of the script
        """
        state = version.state_at(position)
        assert state is not None
        if state.scanned is None and state.broken:  # it needs itself: nothing is known of it
            return scan_on_demand(state.dataset, [], False)

        if state.scanned is None and self.schemas.depth >= DEEPEST_DIRECT:
            raise Pending(state)

        evaluation.composed.append(state)
        return self.schemas.schema(state)

    def former(self, name: str, key: str, evaluation: Evaluation) -> tuple[Dataset, Frame]:
        """A table as it was before this script took its name for something else."""
        entry = self.catalog.entry(key, name, "table")
        reader = evaluation.definition
        timeline = (
            reader.setting.timeline if reader is not None and reader.setting is not None else None
        )
        here = entry.active or any(
            d.setting is not None and d.setting.timeline is timeline for d in entry.definitions
        )
        frame = self.schemas.declared_frame(entry) if here else self.schemas.schema(entry)
        return entry.dataset, frame

    def column_type(self, dataset: Dataset, name: str) -> str:
        """The type of a column as it was declared, also of one that views pass on as it is."""
        fold = self.facts.fold
        for _ in range(DEEPEST_DIRECT):
            entry = self.catalog.entry_of(dataset)
            if entry is None:
                return ""

            frames = [
                definition.frame for definition in entry.defining if definition.frame is not None
            ]
            if not frames:
                declared = entry.declared.columns if entry.declared is not None else []
                alike = [info for info in declared if fold(info.name, False) == fold(name, False)]
                return next(
                    (info.type for info in alike if info.name == name),
                    alike[0].type if alike else "",
                )

            slot = slot_at(frames[0].index, fold(name, False))
            origins = list(slot.lineage) if slot is not None else []
            if len(origins) != 1 or origins[0][1] is not IDENTITY or origins[0][0].path:
                return ""

            dataset, name = origins[0][0].dataset, origins[0][0].name

        return ""

    def struct_fields(self, origin: Column) -> Sequence[str]:
        """Return the fields of a struct column.

        address.*

        by the declared type of the column, else by the definition that it comes from
        """
        entry = self.catalog.entry_of(origin.dataset)
        if entry is None or origin in self.asked:
            return ()

        fold = self.facts.fold
        key = fold(origin.name, False)
        for info in entry.declared.columns if entry.declared is not None else ():
            if info.type and fold(info.name, False) == key:
                return fields_at(info.type, origin.path, self.facts.name)

        for definition in entry.defining:
            if (
                definition.frame is not None
                and (slot := slot_at(definition.frame.index, key)) is not None
            ):
                self.asked.add(origin)
                try:
                    return field_names(slot.lineage, origin.path, self)
                finally:
                    self.asked.discard(origin)

        return ()

    def row_type(self, type_: str) -> list[ColumnInfo]:
        """The fields of a composite type, or of a table's rows: both are names of one kind."""
        return self.catalog.row_type(type_)

    def target_columns(self, definition: Definition | None) -> list[tuple[str, str]]:
        """Return the columns of the table that a statement writes.

        COPY INTO t FROM …      the target's columns, for a statement that writes by position; of
        one inside a program they are not asked for.
        """
        if definition is None:
            return []

        return self.hooks.target_columns(definition)

    def summary_of(self, function: Routine, evaluation: Evaluation) -> Summary | None:
        """Return the summary of a function's value; None inside its own body."""
        return self.routines.summary_of(function, evaluation, self, self.evidence is not None)

    def witness(self, key: str, origins: Iterable[Column]) -> tuple[Column, str] | None:
        """Find the one candidate that the corpus speaks for.

        x is only used qualified with orders: then an unqualified x is orders' x, too
        """
        return self.corpus_evidence.witness(origins)

    @property
    def evidence(self) -> dict[tuple[Dataset, str], int] | None:
        """Return the evidence of the whole corpus about columns; None until all of it is read."""
        return self.corpus_evidence.counts
