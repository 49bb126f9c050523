"""Traces: what an evaluation asked about other names, and what it was told. While the answers hold,
so does its result.

The questions are asked again in their order, as the evaluation itself would ask them; so whatever
they bring about (another definition is evaluated, a name is met for the first time) comes about as
it would without a memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from lineal.algebra.frame import Frame, Scan, Slot
from lineal.algebra.functions import Function
from lineal.extract.sql.own_functions import OwnFunctions
from lineal.model.boundary import Passing
from lineal.model.edge import Column, Dataset
from lineal.model.extraction import ColumnInfo

if TYPE_CHECKING:
    from lineal.extract.entries import Definition, State
    from lineal.extract.sql.evaluation import Evaluation
    from lineal.incremental.memory import Remembering

Question = tuple[Any, ...]
"""Its kind, the question, and last the answer."""

Heard = tuple[tuple[str, str], tuple[Dataset | None, Frame]]
"""A name that was asked for, and what it stands for."""


class Recorder:
    """Answers questions about other names, and writes down every question and answer."""

    def __init__(
        self, remembering: Remembering, definition: Definition, heard: list[Heard]
    ) -> None:
        self.remembering = remembering
        catalog = self.catalog = remembering.references
        self.heard = heard[::-1]
        self.definition = definition
        self.functions = catalog.functions
        self.shapes = catalog.shapes
        self.questions: list[Question] = [("functions", remembering.environment)]
        own = catalog.own_functions
        self.own_functions = Called(own, self.questions) if own.meanings else own
        self.whole = True
        """whether everything that was asked is in the list, and can be asked again"""

    def scan(
        self, key: str, spelling: str, evaluation: Evaluation, node: object
    ) -> tuple[Dataset | None, Frame]:
        """Ask what a name stands for, and write down what a reader sees of it."""
        reported = len(evaluation.diagnostics)
        dataset, frame = self.heard_before(key, spelling) or self.catalog.scan(
            key, spelling, evaluation, node
        )
        if dataset is None or len(evaluation.diagnostics) != reported:
            self.whole = False  # composed from the script around it, or part of a circle

        seen = known_signature(self.remembering, dataset, frame)
        self.questions.append(("scan", key, spelling, seen))
        return dataset, frame

    def heard_before(self, key: str, spelling: str) -> tuple[Dataset | None, Frame] | None:
        """The answer to a question without a result: in a cycle, a second question gets a different
        answer.
        """
        if not self.heard:
            return None

        asked, answer = self.heard.pop()
        if asked == (key, spelling):
            return answer

        self.heard.clear()
        return None

    def witness(self, key: str, origins: dict[Column, Slot]) -> tuple[Column, str] | None:
        """Ask whom the corpus speaks for, and write down the answer."""
        found = self.catalog.witness(key, origins)
        asked = tuple((*column.dataset, column.name, column.path) for column in origins)
        self.questions.append(("witness", key, asked, _plain_origin(found)))
        return found

    def column_type(self, dataset: Dataset, name: str) -> str:
        """Ask for the type of a column, and write down the answer."""
        found = self.catalog.column_type(dataset, name)
        self.questions.append(("column_type", tuple(dataset), name, found))
        return found

    def row_type(self, type_: str) -> list[ColumnInfo]:
        """Ask for the fields of a row, and write down the answer."""
        found = self.catalog.row_type(type_)
        self.questions.append(("row_type", type_, tuple((info.name, info.type) for info in found)))
        return found

    def struct_fields(self, origin: Column) -> Sequence[str]:
        """Ask for the fields of a column, and write down the answer."""
        found = self.catalog.struct_fields(origin)
        self.questions.append(
            ("struct_fields", (*origin.dataset, origin.name, origin.path), tuple(found))
        )
        return found

    def target_columns(self, definition: Definition) -> list[tuple[str, str]]:
        """Recorded by the memory: a definition asks itself, too."""
        return self.catalog.target_columns(definition)

    def __getattr__(self, name: str) -> Any:
        self.whole = False
        return getattr(self.catalog, name)


class Called(OwnFunctions):
    """The functions that the project explains, with every call written down: one without a call is
    reported.
    """

    def __init__(self, own: OwnFunctions, questions: list[Question]) -> None:
        self.rows, self.classes, self.meanings, self.used = (
            own.rows,
            own.classes,
            own.meanings,
            own.used,
        )
        self.explained = {meaning.name.lower() for meaning in own.meanings}
        self.questions = questions

    def find_meaning(self, name: str) -> Function | None:
        """Find what the project explains of a function, and write down that it was called."""
        if name in self.explained:
            self.questions.append(("called", name, True))

        return super().find_meaning(name)


class Changed(Passing):
    """An answer that cannot be had without the statement itself."""


class Asker:
    """Asks the questions of an evaluation again."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.target = evaluation.target
        self.reading = evaluation.reading
        self.datasets_read: dict[Dataset, Any] = {}
        self.definition = evaluation.definition
        self.composed: list[State] = []
        self.heard: list[Heard] = []

    def report(self, *said: Any) -> None:
        """Stop: an answer with a diagnostic needs the statement itself."""
        raise Changed


def holds(questions: list[Question], remembering: Remembering, asker: Asker) -> bool:
    """Tell whether every answer is still the same."""
    try:
        for question in questions:
            if AGAIN[question[0]](remembering, asker, *question[1:-1]) != question[-1]:
                return False
    except Changed:
        return False

    return True


def _scan(remembering: Remembering, asker: Asker, key: str, spelling: str) -> bytes:
    """Ask again what a scan of a name returns."""
    reader = cast("Evaluation", asker)
    dataset, frame = remembering.references.scan(key, spelling, reader, None)
    asker.heard.append(((key, spelling), (dataset, frame)))
    return known_signature(remembering, dataset, frame)


def _witness(
    remembering: Remembering,
    asker: Asker,
    key: str,
    asked: tuple[tuple[str, str, str, tuple[str, ...]], ...],
) -> Any:
    """Ask again which column testifies for a name."""
    origins = {
        Column(Dataset(space, table), name, path): None for space, table, name, path in asked
    }
    return _plain_origin(remembering.references.witness(key, origins))


def _column_type(
    remembering: Remembering, asker: Asker, dataset: tuple[str, str], name: str
) -> Any:
    """Ask again for the type of a column."""
    return remembering.references.column_type(Dataset(*dataset), name)


def _row_type(remembering: Remembering, asker: Asker, type_: str) -> Any:
    """Ask again for the fields of a named row type."""
    return tuple((info.name, info.type) for info in remembering.references.row_type(type_))


def _struct_fields(
    remembering: Remembering, asker: Asker, origin: tuple[str, str, str, tuple[str, ...]]
) -> Any:
    """Ask again for the fields of a struct column."""
    space, table, name, path = origin
    return tuple(remembering.references.struct_fields(Column(Dataset(space, table), name, path)))


def _is_own_function(remembering: Remembering, asker: Asker, name: str) -> bool:
    """Ask again whether the project defines a function of this name."""
    return remembering.references.own_functions.find_meaning(name) is not None


def _functions(remembering: Remembering, asker: Asker) -> Any:
    """Ask again for the functions and settings that all statements share."""
    return remembering.environment


def _target_columns(remembering: Remembering, asker: Asker) -> Any:
    """Ask again for the columns of the statement's target."""
    assert asker.definition is not None
    return tuple(map(tuple, remembering.references.target_columns(asker.definition)))


AGAIN: dict[str, Callable[..., Any]] = {
    "functions": _functions,
    "called": _is_own_function,
    "scan": _scan,
    "witness": _witness,
    "column_type": _column_type,
    "row_type": _row_type,
    "struct_fields": _struct_fields,
    "target_columns": _target_columns,
}


def _plain_origin(found: tuple[Column, str] | None) -> tuple[Any, ...] | None:
    """Return the answer of `witness` as a plain tuple."""
    return (
        None if found is None else (tuple(found[0].dataset), found[0].name, found[0].path, found[1])
    )


def known_signature(remembering: Remembering, dataset: Dataset | None, frame: Frame) -> bytes:
    """The signature of a frame, which is computed once: many statements read the same dataset. A
    scan learns columns: with each of them its signature is computed again.
    """
    known = len(frame.index) if frame.__class__ is Scan else 0
    key = (id(frame), dataset, known)
    held = remembering.signatures.get(key)
    if held is None:
        held = remembering.signatures[key] = (frame, signature(dataset, frame))

    return held[1]


def signature(dataset: Dataset | None, frame: Frame) -> bytes:
    """Return the part of a dataset that readers see: name, columns in order, and whether those are
    all.
    """
    if frame.__class__ is Scan:
        names = [
            value[1] if value.__class__ is tuple else value.name for value in frame.index.values()
        ]
        declared = getattr(frame, "declared_in", None) is not None
        seen: Any = (dataset, names, list(frame.index), bool(frame.stars), declared)
    else:
        seen = (
            dataset,
            [(slot.name, slot.key, slot.star, list(slot.lineage)) for slot in frame.slots],
        )

    return hashlib.blake2b(repr(seen).encode("utf-8", "surrogatepass"), digest_size=12).digest()
