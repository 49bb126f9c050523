"""A memory of a corpus's results: after an edit only the statements that it affects are read and
evaluated again.

    memory = Memory(data)                         what `memory.data()` gave the last time, or None
    extract(corpus, memory)                       exactly what extract(corpus) gives

A script is known by its text and what is said about it; its statements' results are used as long as
the answers to what they asked about other names are the same (`trace`). A script in which the order
of statements matters, or which defines functions or procedures, is always read again, and so is one
that changes by USE what names mean.
"""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

from lineal.algebra.frame import Frame
from lineal.extract.entries import Definition, Entry
from lineal.extract.sql.dialects import facts_of
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.evaluator import QueryEvaluation
from lineal.extract.sql.expansions import reading_of
from lineal.extract.sql.parse import allow_deep_calls
from lineal.extract.sql.procedural.detection import stands_in
from lineal.extract.sql.reading import Reading, Spot, anchor
from lineal.extract.sql.statements.outlines import outline_of
from lineal.extract.sql.statements.steps import Plan, Step
from lineal.extract.sql.trees import take_apart
from lineal.extract.sql.types.kinds import Type
from lineal.incremental import codec
from lineal.incremental.questions import Asker, Question, Recorder, holds
from lineal.incremental.sizes import is_large
from lineal.model.boundary import internal_errors
from lineal.model.collector import without_collector
from lineal.model.diagnostic import Place
from lineal.model.edge import Dataset
from lineal.model.extraction import Extraction
from lineal.model.ledger import Statements
from lineal.model.script import Corpus, Script
from lineal.resolve.catalog import PYTHON
from lineal.resolve.definitions import Definitions
from lineal.resolve.evaluator import check_column_names
from lineal.resolve.naming import Naming
from lineal.resolve.progress import Progress
from lineal.resolve.scripts import Prepared
from lineal.resolve.timeline import order_matters
from lineal.resolve.types import Types

Record = tuple[Any, ...]
"""A script: counts, diagnostics, statements, plans, and of each plan its first and second
evaluation.
"""


Counts = tuple[int, tuple[tuple[str, str, int], ...]]
"""The statements of a script, and those that were lost by stage and reason."""


class Memory:
    """Records of scripts by their keys."""

    def __init__(self, data: bytes | None = None) -> None:
        self.records: dict[bytes, Record] = marshal.loads(data) if data else {}  # noqa: S302  our own, and checked
        self.now: dict[bytes, Record] = {}
        self.told = False
        self.keys: dict[int, tuple[Script, bytes, bytes]] = {}
        """the diagnostics of all scripts that were met, and their keys"""
        self.pending: Callable[[], None] | None = None
        """fills `now`: records are made when somebody wants to keep them, after the answer"""

    @classmethod
    def after(cls, memory: Memory) -> Memory:
        """Return the memory of a run that follows another one in the same process."""
        memory.settle()
        following = cls()
        following.records = memory.now
        return following

    def join(self, other: Memory) -> None:
        """Keep what another memory knows by now, too."""
        other.settle()
        self.settle()
        self.now = {**self.now, **other.now}

    def settle(self) -> None:
        """Make the records of the evaluated statements."""
        pending, self.pending = self.pending, None
        if pending is not None:
            pending()

    def record(self, key: bytes) -> Record | None:
        """Find the record of a script."""
        return self.records.get(key)

    def tell(self, records: dict[bytes, Record]) -> None:
        """Add the results of other processes."""
        self.records.update(records)
        self.told = True

    def data(self) -> bytes | None:
        """Return the data to keep for the next run; None if nothing changed."""
        self.settle()
        return marshal.dumps(self.now) if self.told or self.now != self.records else None


class Note(NamedTuple):
    """An evaluation that took place."""

    questions: list[Question] | None
    frame: Frame
    evaluation: Evaluation


class Settled(NamedTuple):
    """An evaluation that took place, in its plain form: its tree is not needed any more."""

    questions: list[Question] | None
    made: tuple[Any, ...]
    definition: Definition


class HeldScript:
    """A script, with its remembered results and its new ones."""

    __slots__ = (
        "counts",
        "diagnostics",
        "key",
        "names",
        "notes",
        "plans",
        "reading",
        "record",
        "revived",
        "settled",
        "waiting",
    )

    def __init__(
        self, key: bytes, reading: Reading, plans: list[Plan], record: Record | None
    ) -> None:
        self.key = key
        self.reading = reading
        self.plans = plans
        self.record = record
        self.revived = record is None
        self.notes: dict[tuple[int, bool], Note] = {}
        self.settled: dict[tuple[int, bool], Settled | None] = {}
        self.waiting = len(plans)
        """the statements whose results still need the tree"""
        self.names: list[dict[str, Any]] = []
        self.counts: Counts = (0, ())
        self.diagnostics: list[tuple[Any, ...]] = []


class Remembering(Definitions):
    """Definitions with a memory."""

    def __init__(self, corpus: Corpus, memory: Memory, keeps: bool = True) -> None:
        super().__init__(corpus)
        corpus = self.corpus
        self.memory = memory
        self.keeps = keeps
        """whether a later run may use the results"""
        self.releases = is_large(corpus)
        """whether the tree of a script goes once its statements are evaluated"""
        self.held: list[HeldScript] = []
        self.plans: dict[int, tuple[HeldScript, int]] = {}
        self.recorders: list[Recorder] = []
        self.known = codec.Columns()
        self.signatures: dict[tuple[int, Dataset | None, int], tuple[Frame, bytes]] = {}
        """the columns that a reader sees of a dataset, for frames that were asked for"""
        self.procedural = [script.key() for script in corpus.scripts if makes_functions(script)]
        about = (
            corpus.dialect,
            corpus.namespace,
            corpus.functions,
            corpus.collapse_temporary,
            corpus.defaults,
        )
        self.about = repr((*about, corpus.meanings) if corpus.meanings else about).encode()

    def build_types(self) -> Types:
        """Return types that are computed from trees: remembered statements are parsed again for
        them.
        """
        return RevivingTypes(self)

    def extract(self, progress: Progress | None = None) -> Extraction:
        """Extract as ever; the memory can make records of it for the next run."""
        found = super().extract(progress)
        if self.keeps:
            self.memory.pending = self.keep_records

        return found

    def keep_records(self) -> None:
        """Keep in the memory what the next run may use."""
        with allow_deep_calls(), without_collector():
            for held in self.held:
                record = self.usable_record(held)
                if record is not None:
                    self.memory.now[held.key] = record

    def usable_record(self, held: HeldScript) -> Record | None:
        """Return the record of a script; None if it has none, or if none can be made of it."""
        try:
            record = self.renew_record(held)
            if record is not None and record is not held.record:
                marshal.dumps(record)

            return record
        except Exception as error:
            held.reading.fail(error, Place(held.reading.script.file, held.reading.script.line, 1))
            return None

    @cached_property
    def environment(self) -> bytes:
        """The functions and procedures that the scripts define: another one among them may change
        any call.
        """
        return hashlib.blake2b(b"\0".join(self.procedural), digest_size=20).digest()

    # -- scripts -----------------------------------------------------------------------------------

    def prepare(self, script: Script) -> Prepared:
        """Recall a script that is known; else read it, and hold what may be kept of it."""
        if not (script.file or script.target):
            return super().prepare(script)

        key = self.key_of(script)
        record = self.memory.record(key)
        if record is not None:
            return self.recall(key, script, record)

        boundary = self.boundary
        reported = len(boundary.diagnostics)
        before = boundary.coverage.statements.copy()
        prepared = super().prepare(script)
        plans = [step for step, _ in prepared.steps if isinstance(step, Plan)]
        if prepared.reading.found is not None:
            self.procedural.append(script.key())
        elif (
            prepared.plain and len(plans) == len(prepared.steps) and not self.failed_since(reported)
        ):
            held = self.hold(HeldScript(key, prepared.reading, plans, None))
            held.counts = counted_since(before, boundary.coverage.statements)
            held.diagnostics = list(map(codec.diagnostic_out, boundary.diagnostics[reported:]))
            held.names = [{"name": plan.name, "key": plan.key, "kind": plan.kind} for plan in plans]
            if self.releases and not order_matters(list(plans)):
                self.release_trees(held)

        return prepared

    def failed_since(self, reported: int) -> bool:
        """Whether lineal has failed over a statement: the result of a defect is not kept for the
        next run.
        """
        return bool(internal_errors(self.boundary.diagnostics[reported:]))

    def key_of(self, script: Script) -> bytes:
        """The key of a script: a digest of its text and of all that is said about it."""
        held = self.memory.keys.get(id(script))
        if held is not None and held[1] == self.about:
            return held[2]

        key = hashlib.blake2b(self.about + b"\0" + script.key(), digest_size=20).digest()
        self.memory.keys[id(script)] = (script, self.about, key)
        return key

    def recall(self, key: bytes, script: Script, record: Record) -> Prepared:
        """Take the plans of a script from its record, without reading the script."""
        (found, lost), diagnostics, statements, made, _, _ = record
        reading = reading_of(script, self.boundary.failures)
        plans = [codec.plan_in(fields, spot(query), spot(node)) for fields, query, node, _ in made]
        reading.statements = [object() if there else None for there in statements]
        for plan, (_, _, _, position) in zip(plans, made, strict=True):
            if position is not None:
                reading.statements[position] = plan.node

        counts = Statements(found, {(stage, reason): count for stage, reason, count in lost})
        self.boundary.coverage.statements.add(counts)
        self.boundary.diagnostics += map(codec.diagnostic_in, diagnostics)
        self.hold(HeldScript(key, reading, plans, record))
        facts = facts_of(script.dialect)
        naming = self.naming.within(script)
        namings = [naming.around(plan, facts) for plan in plans]
        for plan, own in zip(plans, namings, strict=True):
            self.catalog.note_short_names(plan, own)

        steps: list[tuple[Step, Naming | None]] = [
            (plan, own if own.speaks else None) for plan, own in zip(plans, namings, strict=True)
        ]
        return Prepared(reading, facts, steps)

    def hold(self, held: HeldScript) -> HeldScript:
        """Note a script whose record may be kept."""
        self.held.append(held)
        self.plans.update((id(plan), (held, number)) for number, plan in enumerate(held.plans))
        return held

    def revive(self, held: HeldScript, facts: Any) -> None:
        """Read a script after all: the trees go into the plans that are there."""
        if held.revived:
            return

        held.revived = True
        with self.boundary.silence():
            steps = list(self.reader.steps_of(held.reading, facts))

        fresh = [step for step in steps if isinstance(step, Plan)]
        for plan, again in zip(held.plans, fresh, strict=True):
            for name in codec.TREES:
                setattr(plan, name, getattr(again, name))

    # -- evaluations -------------------------------------------------------------------------------

    def frame_of(self, definition: Definition, evaluation: Evaluation) -> Frame:
        """Take a result that still holds; else evaluate, and write down the questions asked."""
        held, number = self.plans.get(id(definition.plan), (None, 0))
        if held is None or (
            definition.setting is not None and definition.setting.timeline is not None
        ):
            return super().frame_of(definition, evaluation)

        second = self.evidence.counts is not None
        asker = Asker(evaluation)
        if held.record is not None:
            kept = held.record[4 + second][number]
            if kept is not None and holds(kept[0], self, asker):
                return codec.evaluation_in(kept[1], evaluation, self.known)

        self.revive(held, definition.facts)
        recorder = Recorder(self, definition, asker.heard)
        evaluation.catalog, evaluation.own_functions = recorder, recorder.own_functions
        self.recorders.append(recorder)
        try:
            frame = super().frame_of(definition, evaluation)
        finally:
            self.recorders.pop()

        note = Note(recorder.questions if recorder.whole else None, frame, evaluation)
        if self.releases:
            return self.settle_result(held, number, definition, note)

        held.notes[number, second] = note
        return frame

    def settle_result(
        self, held: HeldScript, number: int, definition: Definition, note: Note
    ) -> Frame:
        """Return a result with positions in place of nodes; after the last one of its script, the
        trees go.
        """
        evaluation, at = note.evaluation, (number, self.evidence.counts is not None)
        check_column_names(note.frame)  # while the tree is there to tell what is wrong
        try:
            made = codec.Encoder(held.reading).evaluation(note.frame, evaluation)
        except Exception:  # `result` meets it again, and reports it
            held.notes[at] = note
            return note.frame

        held.settled[at] = Settled(note.questions, made, definition) if self.keeps else None
        evaluation.catalog, evaluation.own_functions = (
            self.references,
            self.references.own_functions,
        )
        evaluation.frames, evaluation.shared = {}, None
        frame = codec.evaluation_in(made, evaluation, self.known)
        held.waiting -= 1
        if not held.waiting:
            self.release_trees(held)

        return frame

    def release_trees(self, held: HeldScript) -> None:
        """Let the trees of a script go: positions are enough, and a tree is revived when it is needed
        again.
        """
        reading = held.reading
        trees = [tree for tree in reading.statements if tree is not None]
        spots: dict[int, Any] = {id(tree): object() for tree in trees} | {id(None): None}
        for plan in held.plans:
            plan.outline = outline_of(plan, facts_of(reading.script.dialect))
            trees += (plan.query, plan.node)
            query, node = spot(start_of_query(plan)), spot(start(plan.node))
            spots[id(plan.node)] = node
            plan.query, plan.node = query, node
            plan.with_ = plan.made = plan.after = plan.partition = None
            plan.columns = []

        reading.statements = [spots[id(tree)] for tree in reading.statements]
        reading.forget_words()
        held.revived = False
        take_apart(trees)

    def evaluate_again(self, definition: Definition) -> Evaluation | None:
        """Compute again the facts that a remembered evaluation took from its tree."""
        held, number = self.plans.get(id(definition.plan), (None, 0))
        if held is None or any((number, second) in held.notes for second in (False, True)):
            return definition.evaluation

        self.revive(held, definition.facts)
        evaluation = QueryEvaluation(
            self.references, definition.reading, definition.facts, definition.target
        )
        evaluation.definition = definition
        super().frame_of(definition, evaluation)
        return evaluation

    def target_columns(self, definition: Definition) -> list[tuple[str, str]]:
        """Name the target's columns; the evaluated statement has asked for them."""
        found = super().target_columns(definition)
        if self.recorders and self.recorders[-1].definition is definition:
            self.recorders[-1].questions.append(("target_columns", tuple(map(tuple, found))))

        return found

    # -- for the next time -------------------------------------------------------------------------

    def renew_record(self, held: HeldScript) -> Record | None:
        """The record of a script as it is now; None for one that is always read again."""
        if held.record is not None and not held.notes and not held.settled:
            return held.record

        if order_matters(list(held.plans)):
            return None

        try:
            outline = held.record if held.record is not None else outline_script(held)
            first, again = (
                [self.result(held, number, second) for number in range(len(held.plans))]
                for second in (False, True)
            )
        except codec.Unfit:
            return None

        return (*outline[:4], first, again)

    def result(self, held: HeldScript, number: int, second: bool) -> tuple[Any, ...] | None:
        """The result of one plan, as it is kept; None for one that is evaluated every time."""
        settled = held.settled.get((number, second))
        if settled is not None:
            failed = settled.definition.failure is not None
            return None if settled.questions is None or failed else settled[:2]

        note = held.notes.get((number, second))
        if note is None:
            return held.record[4 + second][number] if held.record is not None else None

        if note.questions is None or has_failed(note.evaluation):
            return None

        try:
            return note.questions, codec.Encoder(held.reading).evaluation(
                note.frame, note.evaluation
            )
        except Exception as error:
            held.reading.fail(error, held.reading.statement_near(held.plans[number].node))
            return None


def has_failed(evaluation: Evaluation) -> bool:
    """Tell whether a statement has no result: it is evaluated again, and fails again."""
    return evaluation.definition is not None and evaluation.definition.failure is not None


def makes_functions(program: Script) -> bool:
    """Tell whether a program defines functions of SQL.

    spark.sql("CREATE FUNCTION f …")      any statement may call it from then on
    """
    folded = program.text.lower() if program.dialect == PYTHON else ""
    return stands_in(folded, "create") and any(
        stands_in(folded, kind) for kind in ("function", "macro")
    )


class RevivingTypes(Types):
    """Types, which are computed from trees. They are kept, too, by a digest of everything that they
    follow from; a statement without kept types is parsed again when a type is asked for.
    """

    def __init__(self, remembering: Remembering) -> None:
        super().__init__(remembering.catalog, remembering.schemas, remembering.boundary)
        self.remembering = remembering
        self.digests: dict[int, bytes | None] = {}
        self.spelled: dict[int, tuple[dict[str, str], dict[str, str]] | None] = {}
        """the known facts of each entry, and those that follow from the statements alone"""

    def type_of(self, entry: Entry, key: str) -> str:
        """The type of a column, as it is kept or computed."""
        kept = self.kept_types(entry)
        if kept is None:
            return super().type_of(entry, key)

        return kept[0].get(key, "")

    def inferred_type_of(self, entry: Entry, key: str) -> str:
        """The type that follows from the statements alone, as it is kept or computed."""
        kept = self.kept_types(entry)
        if kept is None:
            return super().inferred_type_of(entry, key)

        return kept[1].get(key, "")

    def kept_types(self, entry: Entry) -> tuple[dict[str, str], dict[str, str]] | None:
        """Return the types of an entry by key, spelled; None if they cannot be kept."""
        if id(entry) not in self.spelled:
            self.spelled[id(entry)] = self.recall_or_compute(entry)

        return self.spelled[id(entry)]

    def recall_or_compute(self, entry: Entry) -> tuple[dict[str, str], dict[str, str]] | None:
        """Recall the types of an entry, else compute them and put them into the memory."""
        digest = self.digest_of(entry)
        if digest is None:
            return None

        memory = self.remembering.memory
        record = memory.record(digest)
        if record is None:
            failed = len(self.boundary.diagnostics)
            super().type_of(entry, "")
            found, made = self.found.get(id(entry), {}), self.made.get(id(entry), {})
            record = (spellings(found), spellings(made))
            if internal_errors(self.boundary.diagnostics[failed:]):
                return record

        memory.now[digest] = record
        known, follows = record
        return known, follows

    def digest_of(self, entry: Entry) -> bytes | None:
        """Return a digest of the facts that an entry's types follow from: its statements, its
        declaration, and the same of all that it reads. None if its statements are not remembered.
        """
        waiting, begun = [entry], set()
        while waiting:
            at = waiting[-1]
            if id(at) in self.digests:
                waiting.pop()
            elif id(at) in begun:
                waiting.pop()
                self.digests[id(at)] = self.digest_from(at)
            else:
                begun.add(id(at))
                waiting.extend(each for each in self.read_by(at) if id(each) not in begun)

        return self.digests[id(entry)]

    def digest_from(self, entry: Entry) -> bytes | None:
        """The digest of an entry; those of all that it reads are known, but for circles."""
        if entry.changes or entry.like:
            return None

        declared = entry.declared.columns if entry.declared is not None else []
        said: list[object] = [
            tuple(entry.dataset),
            [(info.name, info.type) for info in declared],
            self.remembering.environment,
            self.remembering.about,
        ]
        for definition in entry.defining:
            held, number = self.remembering.plans.get(id(definition.plan), (None, 0))
            if held is None or definition.failure is not None:
                return None

            said.append((held.key, number))

        for each in self.read_by(entry):
            digest = self.digests.get(id(each), b"circle")
            if digest is None:
                return None

            said.append(digest)

        text = repr(said).encode("utf-8", "surrogatepass")
        return b"types" + hashlib.blake2b(text, digest_size=20).digest()

    def types_of(self, definition: Definition) -> dict[str, Type]:
        """The types of what one statement writes, from trees that are read again."""
        remembered = definition.evaluation
        try:
            definition.evaluation = self.remembering.evaluate_again(definition)
            return super().types_of(definition)
        except Exception as error:
            self.boundary.fail(definition, error)
            return {}
        finally:
            definition.evaluation = remembered


def spellings(types: dict[str, Type]) -> dict[str, str]:
    """The types of columns as they are spelled."""
    return {key: found.spelled for key, found in types.items()}


def outline_script(held: HeldScript) -> Record:
    """Return the definitions of a script, with nothing evaluated yet."""
    statements = [tree is not None for tree in held.reading.statements]
    nothing = [None] * len(held.plans)
    return held.counts, held.diagnostics, statements, outline_plans(held), nothing, nothing


def outline_plans(held: HeldScript) -> list[tuple[Any, ...]]:
    """The plans of a script, each with where its query and its statement start, and which statement
    it is.
    """
    positions = {id(tree): position for position, tree in enumerate(held.reading.statements)}
    made = []
    for plan, names in zip(held.plans, held.names, strict=True):
        plan.outline = outline_of(plan, facts_of(held.reading.script.dialect))
        made.append(
            (
                {**codec.plan_out(plan), **names},
                start_of_query(plan),
                start(plan.node),
                positions.get(id(plan.node)),
            )
        )

    return made


def start_of_query(plan: Plan) -> tuple[int | None] | None:
    """Encode the place of a plan's query."""
    query = anchor((plan.query, None, None, None)) if plan.query is not None else None
    return start(query)


def start(node: Any) -> tuple[int | None] | None:
    """Encode the place of a node."""
    return (codec.offset(node),) if node is not None else None


def spot(made: tuple[int | None] | None) -> Spot | None:
    """Decode the place of a node."""
    return Spot(*made) if made is not None else None


def counted_since(before: Statements, after: Statements) -> Counts:
    """Return the statements that were counted meanwhile, and those of them that were lost."""
    lost = ((*key, count - before.lost.get(key, 0)) for key, count in after.lost.items())
    return after.found - before.found, tuple(each for each in lost if each[-1])
