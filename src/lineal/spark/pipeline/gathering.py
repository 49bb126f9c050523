"""Records of statements, put together: which edges they give, and which statements each edge comes
from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar, cast

from lineal.algebra.frame import Frame
from lineal.extract.entries import Definition
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.reading import offset_of
from lineal.incremental.memory import HeldScript, Memory, Record, Remembering
from lineal.model.edge import Column, Dataset, Edge
from lineal.model.extraction import Extraction
from lineal.model.names import Fold
from lineal.model.script import Corpus, Script
from lineal.model.way import Way
from lineal.resolve.catalog import PYTHON
from lineal.resolve.definitions import Definitions
from lineal.resolve.digests import is_whole
from lineal.resolve.edges import Edges
from lineal.resolve.scripts import Prepared
from lineal.spark.pipeline.clock import Blaming, Hear, TooLong
from lineal.spark.pipeline.facts import pack, unpack
from lineal.spark.pipeline.guard import Fault, too_long

Pair = tuple[Column, "Column | Dataset"]
Names = frozenset[str]
NOBODY: Names = frozenset()


class Resolved(NamedTuple):
    """The lineage of a corpus, with the statements that each edge comes from."""

    extraction: Extraction
    statements: dict[Pair, Names]
    poisoned: dict[str, str]
    """the statements that were given up, and why"""
    here: int
    """statements that had no record"""
    writes: list[Written]
    """the tables that the statements of a log write, in the order of definition"""


class Written(NamedTuple):
    """A statement, and a dataset that it writes, or a function that it defines."""

    statement: str
    target: Dataset
    offset: int | None
    """where in the script it starts; None where that is not known"""
    whole: bool
    """it counts with the script around it"""
    procedural: bool
    """a procedure holds it"""
    function: bool = False


class Noting(Definitions):
    """Notes which statements an edge comes from, and which are parsed."""

    def __init__(self, *about: Any) -> None:
        super().__init__(*about)
        self.statements_of: dict[Pair, Names] = {}
        self.names_of: dict[str, Names] = {}
        """of each file the set of its name: its edges share it"""
        self.read_here = 0
        self.hear: Hear | None = None
        """told which script is worked on"""
        self.clock = Blaming(60)

    def within(self, seconds: float) -> Extraction:
        """Everything together; TooLong, with who is to blame, if one statement takes longer."""
        self.clock = Blaming(seconds, self.hear)
        with self.clock.ticking():
            return self.extract()

    def prepare(self, script: Script) -> Prepared:
        """Read a script while the clock watches it."""
        self.clock.take(script)
        found = super().prepare(script)
        self.clock.take(None)
        return found

    def frame_of(self, definition: Definition, evaluation: Evaluation) -> Frame:
        """Evaluate a definition while the clock watches its script."""
        before = self.clock.take(definition.reading.script)
        try:
            return super().frame_of(definition, evaluation)
        finally:
            self.clock.take(before)

    def edges_into(self, definition: Definition, frame: Frame) -> list[Edge]:
        """Return the edges of a definition, and note its statement for each."""
        made = super().edges_into(definition, frame)
        for edge in made:
            self.note(edge.source, edge.target, definition)

        return made

    def add_closing(
        self, origin: Column, way: Way, target: Column, definition: Definition, edges: Edges
    ) -> None:
        """Add an edge through an open star, and note its statement."""
        self.note(origin, target, definition)
        super().add_closing(origin, way, target, definition, edges)

    def shown_statements(self) -> dict[Pair, Names]:
        """The statements that each edge comes from, by the names that are shown."""
        shown = self.output.shown
        if not shown.differ:
            return self.statements_of

        found: dict[Pair, Names] = {}
        for (source, target), files in self.statements_of.items():
            pair = shown.column(source), shown.target(target)
            found[pair] = found.get(pair, NOBODY) | files

        return found

    def note(self, source: Column, target: Column | Dataset, definition: Definition) -> None:
        """Note that a statement makes an edge."""
        file, pair = definition.reading.script.file, (source, target)
        own = self.names_of.setdefault(file, frozenset((file,)))
        held = self.statements_of.setdefault(pair, own)
        if held is not own:
            self.statements_of[pair] = held | own

    def writes(self) -> list[Written]:
        """Programs are left out: only scripts have them, and their statements are written down as
        they are.
        """
        shown = [
            each for each in self.order if not each.hidden and each.reading.script.dialect != PYTHON
        ]
        space = self.corpus.namespace
        routines = [
            (reading.script.file, Dataset(space, name)) for name, reading in self.routines_read
        ]
        return [
            *(_written_statement(each, self.output.shown.dataset(each.target)) for each in shown),
            *(Written(file, target, 0, True, True, True) for file, target in routines),
        ]

    def parse(self, reading: Any) -> list[Any]:
        """Parse a script here, and count it."""
        self.read_here += 1
        return super().parse(reading)


def _written_statement(definition: Definition, target: Dataset) -> Written:
    """Return a statement as a row can hold it."""
    reading, node = definition.reading, definition.plan.node
    offset = offset_of(node) if node is not None else None
    held = reading.found is not None
    is_function = definition.plan.kind == "function"
    return Written(reading.script.file, target, offset, is_whole(definition), held, is_function)


class Keys(Remembering):
    """Asked for the keys of scripts, over and over."""

    def __init__(self, corpus: Corpus, memory: Memory) -> None:
        super().__init__(corpus, memory)
        self.keys: dict[int, bytes] = {}

    def key_of(self, script: Script) -> bytes:
        """Return the key of a script, worked out once."""
        found = self.keys.get(id(script))
        if found is None:
            found = self.keys[id(script)] = super().key_of(script)

        return found


class Packed:
    """A record that is unpacked for each look at it, and held packed."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __getitem__(self, part: Any) -> Any:
        return unpack(self.data)[part]


class PackedRecords(Protocol):
    """Records by their keys, in memory or on disk."""

    def get(self, key: bytes) -> bytes | None:
        """Return a record, if there is one."""

    def __getitem__(self, key: bytes) -> bytes: ...


class PackedMemory(Memory):
    """A memory whose records stay packed."""

    def __init__(self, packed: PackedRecords) -> None:
        super().__init__()
        self.packed = packed

    def record(self, key: bytes) -> Record | None:
        """Unpack the record of a script."""
        data = self.packed.get(key)
        return unpack(data) if data is not None else None

    def changes(self, fold: Fold) -> dict[bytes, bytes]:
        """Return the records that have changed, packed."""
        self.settle()
        made = self.now.items()
        return {key: pack(record, fold) for key, record in made if not isinstance(record, Packed)}


class Gathering(Noting, Keys):
    """Puts records together."""

    memory: PackedMemory

    def hold(self, held: HeldScript) -> HeldScript:
        """Note a script, and pack its record again."""
        if held.record is not None:
            held.record = cast("Record", Packed(self.memory.packed[held.key]))

        return super().hold(held)


def forget_records(gathered: Gathering) -> None:
    """Everything is resolved, and kept for the next run: no table needs a record any more."""
    gathered.memory.packed, gathered.memory.now = {}, {}
    for held in gathered.held:
        held.record = None


Gathered = TypeVar("Gathered", bound=Noting)


class Faulty(Protocol):
    """Knows the statements that were given up, by their keys."""

    @property
    def faults(self) -> dict[bytes, Fault]:
        """Return why each of them was."""


def resolve_together(
    begin: Callable[[], Gathered], corpus: Corpus, state: Faulty, asked: Keys, seconds: float
) -> tuple[Gathered, Extraction, dict[str, str]]:
    """Resolve all scripts except those given up: a script that takes too long here is left out,
    too, and the others start over.
    """
    scripts = list(corpus.scripts)
    while True:
        poisoned = {
            script.file: fault.why
            for script in scripts
            if (fault := state.faults.get(asked.key_of(script))) is not None
        }
        corpus.scripts = [script for script in scripts if script.file not in poisoned]
        corpus.occurrences = [each for each in corpus.occurrences if each.name not in poisoned]
        gathered = begin()
        try:
            return gathered, gathered.within(seconds), poisoned
        except TooLong as late:
            state.faults[asked.key_of(late.hand)] = too_long(seconds)
