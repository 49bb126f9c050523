"""Python programs in a corpus: what they write are definitions like those of SQL statements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import lineal.extract.dataframes  # noqa: F401  (its front ends enter their handlers)
from lineal.algebra.frame import Frame, Slot
from lineal.algebra.lineage import Lineage, add_doubt
from lineal.algebra.relation import decided_rows, extend, project, scan_on_demand
from lineal.extract.entries import Definition, Entry
from lineal.extract.pyspark.catalog import Known
from lineal.extract.pyspark.code_texts import FOREIGN_CELL
from lineal.extract.pyspark.files import File, files_of
from lineal.extract.pyspark.program import Program
from lineal.extract.pyspark.relation import ancestors
from lineal.extract.pyspark.run import Run, Write, key_of_script
from lineal.extract.pyspark.values import Function
from lineal.extract.sql.dialects import facts_of
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.procedural.pieces import Routine
from lineal.extract.sql.statements.steps import Plan
from lineal.model.boundary import FAILED
from lineal.model.diagnostic import Code
from lineal.model.edge import Dataset, Doubt
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.grouping import group
from lineal.model.reach import reach
from lineal.model.script import Script
from lineal.model.way import Confidence
from lineal.resolve.frames import rename_by_position

if TYPE_CHECKING:
    from lineal.resolve.definitions import Definitions

PLACEHOLDER = Doubt(Confidence.LOW, False, "a name with parts that only a run knows")


MOST_ROUNDS = 3


def define(definitions: Definitions, scripts: list[Script]) -> None:
    """Run the programs abstractly, and add what they write.

    A program may ask for the columns of a table that another one writes: then all run again, now
    that these are known, and each after those whose tables it reads.
    """
    boundary, catalog = definitions.boundary, definitions.catalog
    files = files_of(scripts, boundary.failures, boundary.lose)
    run, foreseen = execute_in_rounds(definitions, files)
    forget(definitions)
    boundary.diagnostics.extend(run.diagnostics)
    definitions.unread = run.unread
    for code in failed_in(run):
        boundary.coverage.miss(code)

    targets = [catalog.entry(key_of(write), write.name, write.kind) for write in run.writes]
    again = Again(definitions, files, run, foreseen)
    for number, (write, entry) in enumerate(zip(run.writes, targets, strict=True)):
        boundary.coverage.statements.found += 1
        try:
            add(definitions, write, entry, number, again)
        except Exception as error:
            write.reading.fail(error, write.reading.statement_near(write.node))

        if write.certain and write.reached and not write.keeps:
            definitions.written_surely.add(entry.dataset)

    definitions.programs = {
        **dict.fromkeys(run.program.entered, 0),
        **Counter(map(program_of, run.writes)),
    }


def execute_in_rounds(
    definitions: Definitions, files: list[File]
) -> tuple[Run, dict[str, Foreseen]]:
    """Run the programs until what they know of each other's tables stays; return the last run, and
    what it knew.
    """
    order = [file for file in files if file.is_node]
    foreseen: dict[str, Foreseen] = {}
    run: Run | None = None
    wanted: set[int] | None = None
    for _ in range(MOST_ROUNDS):
        corpus = Corpus(definitions, dict(foreseen))
        corpus.lend_all()
        try:
            run = execute(definitions, files, corpus, order, run, wanted)
            read = read_by_statements(definitions)
            order = in_order(order, run, definitions)
        finally:
            corpus.take_back()

        asked = [
            key_of(write)
            for write in run.writes
            if asked_elsewhere(run, write) or key_of(write) in read
        ]
        if not asked:
            break

        before, foreseen = foreseen, foreseen_in(run)
        if all(before.get(key) == foreseen[key] for key in asked):
            break

        changed = changed_keys(before, foreseen) | defined_by_statements(definitions)
        wanted = None if order else readers_of(run, changed)
        forget(definitions)

    assert run is not None
    return run, corpus.foreseen


def execute(
    definitions: Definitions,
    files: list[File],
    corpus: Corpus,
    order: list[File] | None,
    before: Run | None,
    wanted: set[int] | None,
) -> Run:
    """Run the programs; of those that ran before, only the scripts that are wanted run again.

    A script that then writes more or fewer tables may depend on the others: all run again.
    """
    if before is not None and wanted is not None:
        part = program_over(definitions, files, corpus).execute_again(wanted, before)
        both = join_runs(before, part, wanted)
        if both is not None:
            return both

    return program_over(definitions, files, corpus).execute(order)


def join_runs(before: Run, part: Run, wanted: set[int]) -> Run | None:
    """Return the run of some scripts with what the others did before; None if they do not fit."""
    fresh = group(part.writes, lambda write: key_of_script(write.script))
    writes = list(before.writes)
    for number, write in enumerate(before.writes):
        key = key_of_script(write.script)
        if key not in wanted:
            continue

        if not fresh.get(key) or key_of(fresh[key][0]) != key_of(write):
            return None

        writes[number] = fresh[key].pop(0)

    if any(map(fresh.get, wanted)):
        return None

    said = {**before.said, **{key: part.said.get(key, {}) for key in wanted}}
    heads = [
        each for each in part.diagnostics if not any(each in held for held in part.said.values())
    ]
    part.diagnostics = list(dict.fromkeys([*chain.from_iterable(said.values()), *heads]))
    part.said = said
    part.unread_in = {
        **before.unread_in,
        **{key: part.unread_in.get(key, []) for key in wanted},
    }
    for table, askers in before.asked.items():
        part.asked[table] = {*part.asked.get(table, ()), *(askers - wanted)}

    part.writes = writes
    part.program.entered = before.program.entered
    return part


def changed_keys(before: Mapping[str, Foreseen], after: Mapping[str, Foreseen]) -> set[str]:
    """The tables whose columns differ from those known before."""
    return {key for key in {*before, *after} if before.get(key) != after.get(key)}


def defined_by_statements(definitions: Definitions) -> set[str]:
    """The tables and views that statements of SQL files define."""
    entries = definitions.catalog.entries
    return {key for key, entry in entries.items() if entry.definitions}


def readers_of(run: Run, keys: set[str]) -> set[int]:
    """The scripts that read one of these tables."""
    return {asker for key, askers in run.asked.items() if key in keys for asker in askers}


def program_over(
    definitions: Definitions,
    files: list[File],
    known: Corpus,
    speaks: Callable[[str], bool] | None = None,
) -> Program:
    """Return the program of a corpus, with the files next to it that it may read."""
    corpus = definitions.corpus
    contents = {
        script.file.replace("\\", "/"): script.text
        for script in corpus.scripts
        if script.file.endswith(".sql")
    }
    contents.update(corpus.contents)
    program = Program(files, cast(Known, known), corpus.main, contents, speaks)
    program.launches = corpus.launches
    return program


UNREAD = (Code.PARSE_ERROR, Code.TOO_DEEP, *FAILED)


def failed_in(run: Run) -> list[str]:
    """Why parts of the programs that do not parse, and those that the interpreter failed over: a
    file, a text of SQL.
    """
    return [
        found.code.code
        for found in run.diagnostics
        if found.code in UNREAD or found.message.startswith(FOREIGN_CELL)
    ]


def asked_elsewhere(run: Run, write: Write) -> bool:
    """Whether a script reads what another one writes, or a node its own table: what an earlier run
    has left there.
    """
    is_node = isinstance(write.script, File) and write.script.is_node
    own = key_of_script(write.script)
    return any(is_node or asker != own for asker in run.asked.get(key_of(write), ()))


def in_order(files: list[File], run: Run, definitions: Definitions) -> list[File]:
    """Each file after those that write what it reads, by itself or through the statements of SQL
    files.
    """
    writers = {
        key_of(write): write.script for write in run.writes if isinstance(write.script, File)
    }
    statements = {
        str(each.target).lower(): [
            str(dataset).lower() for dataset in each.evaluation.datasets_read
        ]
        for each in definitions.order
        if each.evaluation is not None
    }
    reads: dict[int, set[str]] = {}
    for key, askers in run.asked.items():
        for asker in askers:
            reads.setdefault(asker, set()).add(key)

    numbers = {id(file): number for number, file in enumerate(files)}
    order = TopologicalSorter[int]()
    for file in files:
        before = {
            id(writers[key])
            for key in tables_behind(reads.get(id(file), set()), writers, statements)
        }
        order.add(
            numbers[id(file)],
            *(numbers[each] for each in before if each in numbers and each != id(file)),
        )

    try:
        return [files[number] for number in order.static_order()]
    except CycleError:
        return files


def tables_behind(
    keys: set[str], writers: Mapping[str, object], statements: Mapping[str, list[str]]
) -> set[str]:
    """The tables that programs write, among these or below the views among these."""
    below = reach(keys, lambda key: statements.get(key, ()))
    return {*keys, *below} & writers.keys()


def read_by_statements(definitions: Definitions) -> set[str]:
    """Return the reads of SQL that a program asks for: a view over a table that another program
    writes.
    """
    evaluated = [each.evaluation for each in definitions.order if each.evaluation is not None]
    return {
        str(dataset).lower() for evaluation in evaluated for dataset in evaluation.datasets_read
    }


class Again:
    """The programs once more, with what the whole corpus tells of columns that several sources may
    have.
    """

    def __init__(
        self,
        definitions: Definitions,
        files: list[File],
        run: Run,
        foreseen: dict[str, Foreseen],
    ) -> None:
        self.definitions = definitions
        self.files = files
        self.first = run
        self.foreseen = foreseen
        """the frames of the first run for tables that programs write"""
        self.views = defined_by_statements(definitions)
        self.second: Run | None = None
        self.placeholders = any(
            "{" in entry.dataset.name for entry in definitions.catalog.entries.values()
        )

    def write(self, number: int) -> Write:
        """The same write as it is now known; only once the evidence has been gathered."""
        if self.definitions.evidence.counts is None:
            return self.first.writes[number]

        if self.second is None:
            foreseen = foreseen_in(self.first)
            corpus = Corpus(self.definitions, foreseen)
            wanted = self.undecided_scripts(foreseen)
            self.second = execute(self.definitions, self.files, corpus, None, self.first, wanted)
            said = set(self.first.diagnostics)
            boundary = self.definitions.boundary
            kept = [each for each in boundary.diagnostics if each not in said]
            boundary.diagnostics[:] = [*kept, *self.second.diagnostics]
            for code in failed_in(self.second)[len(failed_in(self.first)) :]:
                boundary.coverage.miss(code)

        writes = self.second.writes
        return (
            writes[number] if len(writes) == len(self.first.writes) else self.first.writes[number]
        )

    def undecided_scripts(self, foreseen: dict[str, Foreseen]) -> set[int] | None:
        """The scripts whose tables may now be known better; None if that may be all of them."""
        if any(file.is_node for file in self.files):
            return None

        changed = changed_keys(self.foreseen, foreseen)
        found = readers_of(self.first, changed | self.views)
        for write in self.first.writes:
            pasts = [relation.evaluation for relation in ancestors(write.relation)]
            if any(past is not None and past.undecided for past in pasts):
                found.add(key_of_script(write.script))

        return found


def forget(definitions: Definitions) -> None:
    """Drop all evaluations made while a program ran: they did not know of the program's writes."""
    for entry in definitions.catalog.entries.values():
        entry.scanned = None

    for definition in definitions.order:
        definition.frame = definition.evaluation = definition.failure = None


class Foreseen(NamedTuple):
    """The columns of a table that a program writes, as an earlier round has found them."""

    columns: tuple[tuple[str, str], ...]
    complete: bool
    types: tuple[str, ...]


def foreseen_in(run: Run) -> dict[str, Foreseen]:
    """The columns of all tables that the programs of a run write."""
    return {key_of(write): foreseen_of(write) for write in run.writes}


def foreseen_of(write: Write) -> Foreseen:
    """The columns of a table as a program writes it."""
    relation = write.relation
    named = [each for each in relation.attributes if each.slot.star is None]
    return Foreseen(
        tuple((each.slot.name, each.key) for each in named),
        write.defines and (relation.complete or adds_to_itself(write)),
        tuple(relation.types.get(each.id, "") for each in named),
    )


def program_of(write: Write) -> str:
    """The file of the entry point that writes; a function that nothing calls is an entry point of
    its own.
    """
    home = write.script.file if isinstance(write.script, Function) else write.script
    return str(home.script.file)


def adds_to_itself(write: Write) -> bool:
    """Tell whether a program reads the table that it writes.

    spark.table("t").union(new).write.saveAsTable("t")

    the old table had the columns of the new one
    """
    stars = [each.slot.star for each in write.relation.attributes if each.slot.star is not None]
    datasets = {star.dataset.name.lower() for first in stars for star in (first, *first.beside)}
    return datasets == {key_of(write)}


def key_of(write: Write) -> str:
    """The key of what a program writes: paths are meant exactly."""
    return write.name if write.kind in ("file", "ml_model") else write.name.lower()


class Corpus:
    """The corpus, as a program asks for it."""

    def __init__(self, definitions: Definitions, foreseen: dict[str, Foreseen]) -> None:
        self.catalog = definitions.catalog
        self.references = definitions.references
        self.foreseen = foreseen
        self.lent: list[tuple[Entry, DatasetInfo | None]] = []
        self.declared_types: dict[int, tuple[DatasetInfo, Mapping[str, str]]] = {}

    def __getattr__(self, name: str) -> Any:
        """Everything else is asked as statements ask it."""
        return getattr(self.references, name)

    def foresee(self, writes: Iterable[Write]) -> None:
        """Make the writes of a program known to later programs, and to the views they read."""
        for write in writes:
            key = key_of(write)
            self.foreseen[key] = foreseen_of(write)
            self.lend(key)

    def lend_all(self) -> None:
        """The columns that an earlier round has found are declared for this round, so that views
        see them, too.
        """
        for key in self.foreseen:
            self.lend(key)

    def lend(self, key: str) -> None:
        """Declare for this round the columns that an earlier one has found."""
        entry, held = self.catalog.entries.get(key), self.foreseen[key]
        if (
            entry is None
            or entry.definitions
            or (entry.declared is not None and entry.declared.complete)
        ):
            return

        columns = [
            ColumnInfo(name, kind) for (name, _), kind in zip(held.columns, held.types, strict=True)
        ]
        self.lent.append((entry, entry.declared))
        entry.declared = DatasetInfo(entry.dataset, entry.kind, columns, complete=held.complete)
        entry.scanned = None

    def take_back(self) -> None:
        """Restore the declarations that the lent columns have replaced."""
        for entry, declared in reversed(self.lent):
            entry.declared, entry.scanned = declared, None

    def scan(
        self, key: str, spelling: str, evaluation: Evaluation, node: object
    ) -> tuple[Dataset | None, Frame]:
        """Find what a name stands for; a table of another program has the columns foreseen."""
        dataset, frame = self.references.scan(key, spelling, evaluation, node)
        held = self.foreseen.get(key)
        if held is not None and frame.stars and dataset is not None:
            return dataset, scan_on_demand(dataset, held.columns, held.complete)

        return dataset, frame

    def dataset(self, key: str, spelling: str) -> Dataset:
        """The dataset of a name."""
        return self.catalog.entry(key, spelling, "table").dataset

    def types(self, key: str) -> Mapping[str, str]:
        """The types of a table's columns, by their names."""
        entry = self.catalog.entries.get(key)
        held = self.foreseen.get(key)
        if held is not None and (entry is None or entry.declared is None):
            return {name: kind for (_, name), kind in zip(held.columns, held.types, strict=True)}

        if entry is None or entry.declared is None:
            return {}

        return self.types_declared(entry.declared)

    def types_declared(self, info: DatasetInfo) -> Mapping[str, str]:
        """A schema is asked for by every program that reads its table, and worked out once."""
        known = self.declared_types.get(id(info))
        if known is None:
            known = self.declared_types[id(info)] = (
                info,
                {each.name.lower(): each.type for each in info.columns},
            )

        return known[1]

    def add_routines(self, routines: Iterable[Routine]) -> None:
        """Add the functions that a program defines.

        CREATE FUNCTION f …      in place of another f: a program may be run more than once
        """
        for routine in routines:
            for name in (routine.name.lower(), routine.name.lower().rsplit(".", 1)[-1]):
                self.references.functions.pop(name, None)

            self.references.routines.add([routine])

    def declare_plan(self, plan: Plan) -> None:
        """Declare the columns of a table that a program creates.

        CREATE TABLE t (a INT)
        """
        entry = self.catalog.entry(plan.key, plan.name, plan.kind)
        if plan.schema and (entry.declared is None or not entry.declared.complete):
            entry.declared = DatasetInfo(entry.dataset, plan.kind, plan.schema, complete=True)
            entry.scanned = None


def add(definitions: Definitions, write: Write, entry: Entry, number: int, again: Again) -> None:
    """Add what a program writes as a definition."""
    facts = facts_of("spark")
    key = key_of(write)
    plan = Plan(
        write.name,
        key,
        write.kind,
        defines=write.defines,
        positional=write.positional,
        node=write.node,
    )
    definition = Definition(plan, write.reading, facts, entry)

    def frame_now(evaluation: Evaluation, ctes: Any) -> Frame:
        """Return the frame of a write, from a run of the program as of now."""
        now = again.write(number)
        remember(now, evaluation)
        gaps = definitions.gaps.setdefault(definition.target, set())
        gaps.update(*(relation.gaps for relation in ancestors(now.relation)))
        frame = written_frame(now) if again.placeholders else now.relation.frame
        columns = write.columns or (
            definitions.target_columns(definition) if write.positional else []
        )
        if write.partition is not None and write.positional:
            columns = write.partition.column_names(columns, frame)

        if columns:
            frame = rename_by_position(frame, columns, definition, evaluation)

        if write.partition is not None:
            frame = extend(frame, (Slot(*named, {}) for named in write.partition.given))

        return frame

    plan.made = frame_now
    if entry.declared is None:
        entry.kind = write.kind

    definitions.catalog.add_definition(definition)


def written_frame(write: Write) -> Frame:
    """Return the frame of a write; its lineage is uncertain where only a run knows the name of a
    source or of the target.
    """
    frame = write.relation.frame
    everything = "{" in write.name
    slots = [slot._replace(lineage=doubt_origins(slot.lineage, everything)) for slot in frame.slots]
    return project(decided_rows(doubt_origins(frame.rows, everything)), slots)


def doubt_origins(lineage: Lineage, everything: bool) -> Lineage:
    """Doubt the origins whose names are known only in parts, or all of them."""
    if not everything and not any("{" in origin.dataset.name for origin, _ in lineage):
        return lineage

    doubtful = {
        key: trail for key, trail in lineage.items() if everything or "{" in key[0].dataset.name
    }
    return {**lineage, **add_doubt(doubtful, PLACEHOLDER)}


def remember(write: Write, evaluation: Evaluation) -> None:
    """Add the reads of every DataFrame that a write is made of to the write's own reads."""
    datasets_read, reads, learnt = evaluation.datasets_read, evaluation.reads, evaluation.learnt
    for relation in ancestors(write.relation):
        past = relation.evaluation
        if past is None:
            continue

        for dataset, node in past.datasets_read.items():
            datasets_read.setdefault(dataset, node)

        for clause, columns in past.reads.items():
            held = reads[clause]
            if held and evaluation.further is not None:
                evaluation.further += [
                    (clause, column, node) for column, node in columns.items() if column in held
                ]

            reads[clause] = {**held, **columns, **held} if held else dict(columns)

        if past.further and evaluation.further is not None:
            evaluation.further += past.further

        for column, count in past.learnt.items():
            learnt[column] = learnt.get(column, 0) + count

        evaluation.undecided |= past.undecided
        evaluation.references += past.references
        evaluation.ambiguous += past.ambiguous
        evaluation.unresolved += past.unresolved
