"""Definitions: a name is resolved by evaluating its definition first, whatever order the statements
came in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from lineal.algebra.edges import name as name_dataset
from lineal.algebra.frame import Frame, Scan, Slot, slot_at
from lineal.algebra.relation import extend, rename, scan_on_demand, union_by_name, values
from lineal.extract.entries import DEEPEST_DIRECT, Definition, Entry, Pending, Setting, State
from lineal.extract.sql.dialects import Facts, facts_of
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.evaluator import QueryEvaluation
from lineal.extract.sql.expansions import reading_of
from lineal.extract.sql.own_functions import OwnFunctions
from lineal.extract.sql.parse import deep, parse
from lineal.extract.sql.placeholders import is_open_name
from lineal.extract.sql.procedural.flow import Assignment
from lineal.extract.sql.procedural.pieces import Found, Routine
from lineal.extract.sql.procedural.routines import routines_of
from lineal.extract.sql.procedural.summary import Summary
from lineal.extract.sql.procedural.triggers import NO_TRIGGER, link_triggers, triggers_at
from lineal.extract.sql.procedural.values import Locals
from lineal.extract.sql.query import query, with_
from lineal.extract.sql.reading import Reading, starred
from lineal.extract.sql.scope import CTEs, Scope, Source
from lineal.extract.sql.statements.families import plan_of
from lineal.extract.sql.statements.steps import Plan, Shown, Step, Unsupported, Using
from lineal.extract.sql.structs import field_names, fields_at
from lineal.extract.sql.tables import named_in_text
from lineal.extract.sql.trees import columns_named, misnamed, nests_deeply
from lineal.model.boundary import Failures, culprits, internal_error, internal_errors
from lineal.model.collector import uncollected
from lineal.model.diagnostic import Code, Diagnostic, Place, order_of
from lineal.model.edge import Column, Dataset, Doubt, Edge, Read, Usage
from lineal.model.extraction import ColumnInfo, Coverage, DatasetInfo, Extraction, LateColumn
from lineal.model.job import Job
from lineal.model.names import Fold
from lineal.model.paths import is_path
from lineal.model.script import Corpus, Function, Script
from lineal.model.statement import Statement
from lineal.model.way import IDENTITY, Clause, Confidence, Way
from lineal.resolve.alterations import altered_columns, earlier, later
from lineal.resolve.naming import Naming, naming_of
from lineal.resolve.progress import Evaluated, Progress
from lineal.resolve.timeline import Timeline, order_matters
from lineal.resolve.types import Types
from lineal.resolve.versions import Arranged, Versions, evaluations_of, forgotten, named_columns

if TYPE_CHECKING:
    pass

PYTHON = "python"
"""The language of a script that is no SQL."""


def add_places(
    definition: Definition, evaluation: Evaluation, reads: dict[tuple[object, ...], Read]
) -> None:
    """Every place of a program that names a column, with how it stands there."""
    reading = definition.reading
    first = (
        (clause, *read) for clause, columns in evaluation.reads.items() for read in columns.items()
    )
    for clause, column, node in chain(first, evaluation.further or ()):
        key = (definition.target, column.dataset, column.name, clause, reading.place_of(node))
        if key not in reads:
            reads[key] = Read(*key, *reading.manner(node, column.name))


class Prepared(NamedTuple):
    """A script whose statements are parsed, and known for what they do."""

    reading: Reading
    facts: Facts
    steps: list[tuple[Step, Naming | None]]
    plain: bool = True
    """no statement says what the others' names mean"""


class Definitions:
    """Every name of a corpus, evaluated on first use and remembered."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.facts = facts_of(corpus.dialect)
        self.entries: dict[str, Entry] = {}
        self.declared: dict[str, DatasetInfo] = {}
        self.declared_so: dict[str, str] = {}
        self.shown: dict[str, tuple[str, str]] = {}
        self.spellings: dict[str, str] = {}
        self.order: list[Definition] = []
        self.own_functions = OwnFunctions(corpus.meanings, corpus.dialect)
        self.asked: set[Column] = set()
        self.types = Types(self)
        self.functions: dict[str, list[Routine]] = {}
        self.shapes: dict[str, Routine] = {}
        """the functions whose header tells what their result's columns are"""
        self.summaries: dict[int, Summary | None] = {}
        self.procedures: set[str] = set()
        self.routines_read: list[tuple[str, Reading]] = []
        """the functions that scripts define, each with its script"""
        self.calls: list[tuple[str, Place]] = []
        self.procedural_scripts: list[Found] = []
        """what scripts with procedural code hold"""
        self.diagnostics: list[Diagnostic] = list(corpus.diagnostics)
        self.coverage = Coverage()
        self.coverage.lose(len(internal_errors(corpus.diagnostics)))
        self.failures = Failures()
        self.failures.follow(self.diagnostics, self.coverage)
        self.evidence: dict[tuple[Dataset, str], int] | None = None
        self.learnt: dict[Dataset, dict[str, str]] | None = None
        self.depth = 0
        self.naming = naming_of(corpus.defaults, self.facts.fold_table, self.knows)
        self.created: set[str] = set()
        self.tabulated: set[str] = set()
        """the table functions"""
        self.versions = Versions(self)
        self.progress: Progress | None = None
        self.advanced: set[int] = set()
        """the definitions that progress has been told of"""
        self.programs: dict[str, int] = {}
        """the entry points among the Python files, and how often each of them writes"""
        self.gaps: dict[Dataset, set[Diagnostic]] = {}
        """the places on the way to what a program writes of which only a run knows what they do"""
        self.unread: list[Diagnostic] = []
        """the places of programs that may write something of which the text does not tell"""
        self.written_surely: set[Dataset] = set()
        """what programs write in no branch, whatever is there already"""

    def extract(self, progress: Progress | None = None) -> Extraction:
        with deep(), uncollected():
            self.gather_definitions()
            self.progress = progress
            self.advance_evaluated()
            self.report_unknown_calls()
            self.evaluate_all(self.order)
            self.decide()
            return self.extraction()

    # -- the boundary ------------------------------------------------------------------------------

    def give_up(self, definition: Definition, error: Exception) -> None:
        """A statement failed: nothing is known of what it writes, and nothing that it met on its
        way counts.
        """
        node = definition.plan.node
        definition.failure = failure_of(error, node, definition.reading)
        definition.frame = scan_on_demand(definition.target, [], False)
        definition.evaluation = QueryEvaluation(
            self, definition.reading, definition.facts, definition.target
        )
        definition.evaluation.definition = definition

    def fail(self, definition: Definition, error: Exception) -> None:
        """A part of a result failed, after others may have used the rest: the statement counts as
        not resolved.
        """
        node = definition.plan.node
        definition.failure = failure_of(error, node, definition.reading)
        self.tell_failure(definition)

    def tell_failure(self, definition: Definition) -> None:
        failure = definition.failure
        assert failure is not None
        columns = columns_named(definition.plan.node)
        self.failures.report(failure, (id(definition.reading), failure.place), columns=columns)

    def attempt_each(
        self, work: Callable[[Definition], object], definitions: Iterable[Definition]
    ) -> None:
        """Some work for each statement; the failure of one does not keep the others from it."""
        for definition in definitions:
            try:
                work(definition)
            except Exception as error:
                self.fail(definition, error)

    # -- what there is -----------------------------------------------------------------------------

    def gather_definitions(self) -> None:
        for info in self.corpus.datasets:
            self.attempt(partial(self.declare, info), info.place, "this declaration")
        for written, name in self.corpus.aliases.items():
            self.attempt(partial(self.add_alias, written, name), None, f"the name of {name}")
        for function in self.corpus.functions:
            at = Place(function.body.file, function.body.line, 1)
            self.attempt(partial(self.add_function, function), at, "this function")
        programs = [script for script in self.corpus.scripts if script.dialect == PYTHON]
        prepared = [
            self.prepare(script) for script in self.corpus.scripts if script.dialect != PYTHON
        ]
        link_triggers(self.procedural_scripts)
        for script in prepared:
            self.created.update(
                step.key for step, _ in script.steps if isinstance(step, Plan) and step.defines
            )
        arranged = self.named_apart(
            [each for script in prepared if (each := self.arranged(script)) is not None]
        )
        for each in arranged:
            self.add_script(each)
        if programs:
            from lineal.resolve.programs import define

            at = Place(programs[0].file, programs[0].line, 1)
            self.attempt(partial(define, self, programs), at, "this program", len(programs))

    def attempt(
        self, work: Callable[[], object], place: Place | None, what: str, statements: int = 1
    ) -> None:
        """Some work that belongs to no statement; if it fails, that counts as so many that were not
        read.
        """
        try:
            work()
        except Exception as error:
            self.lose(internal_error(error, place, what))
            self.coverage.lose(statements - 1)

    def add_alias(self, written: str, name: str) -> None:
        """How SQL writes a relation, and the dataset that it is."""
        key, of = named_in_text(written, self.facts)[1], table_key(name, self.facts.fold_table)
        if key != of:
            self.shown[key] = (of, name)

    def entry(self, key: str, spelling: str, kind: str) -> Entry:
        found = self.entries.get(key)
        if found is None:
            if key in self.shown:
                return self.entry(*self.shown[key], kind)
            if key not in self.declared and spelling in self.declared_so:
                return self.entry(self.declared_so[spelling], spelling, kind)
            info = self.declared.pop(key, None) or (
                self.family(key, spelling) if key.endswith("*") else None
            )
            if info is None and self.has_sessions:
                info = self.declared_for_all(key, spelling)
            if info is not None:
                spelling, kind = info.dataset.name, info.kind
            elif kind == "table" and is_path(spelling):
                kind = "file"
            display = (
                spelling if self.spellings.setdefault(spelling, key) == key else f'"{spelling}"'
            )
            found = self.entries[key] = Entry(Dataset(self.corpus.namespace, display), kind)
            found.declared = found.told = info
        return found

    @cached_property
    def has_sessions(self) -> bool:
        """Whether scripts come from several databases."""
        return any(script.catalog or script.schemas for script in self.corpus.scripts)

    def declared_for_all(self, key: str, spelling: str) -> DatasetInfo | None:
        """shop.mart.t, bank.mart.t      what is declared for mart.t holds for each of them"""
        shorter = key.partition(".")[2].removeprefix(".")
        info = self.declared.get(shorter) or (
            self.entries[shorter].told if shorter in self.entries else None
        )
        if info is None or not shorter:
            return None
        info = copy(info)
        info.dataset = Dataset(info.dataset.namespace, spelling)
        return info

    def family(self, key: str, spelling: str) -> DatasetInfo | None:
        """FROM `orders_*`      the columns of the last of BigQuery's tables whose names begin so"""
        known = {other: info for other, info in self.declared.items() if other.startswith(key[:-1])}
        known |= {
            other: entry.declared
            for other, entry in self.entries.items()
            if entry.declared is not None and other.startswith(key[:-1])
        }
        if not known:
            return None
        last = known[max(known)]
        return DatasetInfo(
            Dataset(self.corpus.namespace, spelling), "table", last.columns, last.complete
        )

    def declare(self, info: DatasetInfo) -> None:
        """A schema from YAML, a mapping, a seed: what is declared for a name; kept aside until the
        name is met.
        """
        name = info.dataset.name
        if info.exact:
            self.declared[self.facts.fold_table(name, True)] = info
            return
        key = (
            self.facts.table_keys[name]
            if "." not in name
            else table_key(name, self.facts.fold_table)
        )
        if self.naming.speaks:
            full, key = self.naming.created(name, key)
            info = copy(info)
            info.dataset = Dataset(info.dataset.namespace, full)
        held = self.declared.get(key)
        if held is None or info.complete:
            self.declared[key] = info
            self.declared_so[name] = key

    def add_function(self, function: Function) -> None:
        if not function.table:
            self.add_routines(routines_of(function, self.diagnostics))
            return
        reading = reading_of(function.body, self.failures)
        trees = self.parsed(reading)
        self.coverage.resolved += len(trees[:1])
        key = table_key(function.name, self.facts.fold_table)
        entry = self.entry(key, function.name, "function")
        entry.kind = "function"
        self.tabulated.add(key)
        columns = [(info.name, self.facts.fold(info.name, False)) for info in function.columns]
        for tree in trees[:1]:
            plan = Plan(function.name, key, "function", query=tree, columns=columns, node=tree)
            self.add(Definition(plan, reading, self.facts, entry, function.parameters))

    def knows(self, key: str) -> bool:
        """Whether anything defines or declares a table."""
        return key in self.created or self.declares(key)

    def declares(self, key: str) -> bool:
        return key in self.declared or key in self.entries

    def prepare(self, script: Script) -> Prepared:
        """The steps of a script, each with what names without a schema mean there; none, if it
        cannot be read.
        """
        reading = reading_of(script, self.failures)
        facts = facts_of(script.dialect)
        before = replace(self.coverage)
        try:
            return self.prepared(reading, facts)
        except Exception as error:
            self.fail_script(reading, error, before)
            return Prepared(reading, facts, [], False)

    def fail_script(self, reading: Reading, error: Exception, before: Coverage) -> None:
        """A script cannot be read: its statements, as far as they were counted by then, have no
        result.
        """
        script, coverage = reading.script, self.coverage
        statements = max(1, coverage.read - before.read)
        coverage.read, coverage.resolved = before.read + statements, before.resolved + statements
        reading.fail(error, Place(script.file, script.line, 1), statements, "this script")

    def prepared(self, reading: Reading, facts: Facts) -> Prepared:
        naming = self.naming.within(reading.script)
        steps: list[tuple[Step, Naming | None]] = []
        plain = True
        for step in self.steps_of(reading, facts, steps):
            try:
                if isinstance(step, Using):
                    naming = naming.using(step)
                    plain = False
                elif isinstance(step, Shown):
                    self.shown[step.key] = (step.of_key, step.of_name)
                    plain = False
                else:
                    steps.append(
                        (self.fully_named(step, naming), naming if naming.speaks else None)
                    )
            except Exception as error:
                reading.fail(error, reading.statement_near(getattr(step, "node", None)))
        return Prepared(reading, facts, steps, plain)

    def fully_named(self, step: Step, naming: Naming) -> Step:
        """A step with the full name of what it defines."""
        if naming.speaks and isinstance(step, Plan) and step.defines and step.name:
            step.name, step.key = naming.created(step.name, step.key)
        return step

    def steps_of(
        self, reading: Reading, facts: Facts, before: Sequence[Any] = ()
    ) -> Iterator[Step]:
        """What each statement does; one that cannot be traced is reported and costs only itself.

        A statement counts as resolved from here on, unless something fails over it.
        """
        for tree in self.parsed(reading):
            self.coverage.resolved += 1
            try:
                found = plan_of(tree, facts)
                if found is not Unsupported and reading.found is not None:
                    found = reading.found.dress(tree, found, len(before))
            except Exception as error:
                failure = failure_of(error, tree, reading)
                self.failures.report(
                    failure, (id(reading), failure.place), columns=columns_named(tree)
                )
                continue
            if found is Unsupported:
                self.coverage.resolved -= 1
                self.report(untraced(tree, reading))
            elif isinstance(found, list):
                yield from found
            elif found is not None:
                assert not isinstance(found, type)
                yield found

    def arranged(self, script: Prepared) -> Arranged | None:
        """A script with its names and its order; None if that fails."""
        try:
            return self.arrange(script)
        except Exception as error:
            self.fail_steps(script.reading, [step for step, _ in script.steps], error)
            return None

    def fail_steps(self, reading: Reading, steps: Sequence[Step], error: Exception) -> None:
        """Statements that are planned cannot be put in their places."""
        script = reading.script
        reading.fail(error, Place(script.file, script.line, 1), max(1, len(steps)), "this script")

    def named_apart(self, scripts: list[Arranged]) -> list[Arranged]:
        """The scripts whose temporary tables have names of their own."""
        try:
            self.versions.name_kept(scripts)
            return scripts
        except Exception as error:
            guilty = culprits(scripts, lambda some: self.versions.name_kept(list(some)))
            found = {id(script): problem for script, problem in guilty}
            for script in scripts:
                if not found or id(script) in found:
                    self.fail_steps(script.reading, script.steps, found.get(id(script), error))
            return [script for script in scripts if found and id(script) not in found]

    def arrange(self, script: Prepared) -> Arranged:
        """Every step has its full name, and where their order matters, its place in it."""
        reading, facts = script.reading, script.facts
        steps = [
            naming.located(step) if naming is not None else step for step, naming in script.steps
        ]
        self.name_bare(steps, reading, facts)
        timeline = Timeline(steps) if order_matters(steps) else None
        return Arranged(reading, facts, steps, [naming for _, naming in script.steps], timeline)

    def add_script(self, script: Arranged) -> None:
        if script.timeline is not None:
            self.add_versions(script)
            return
        for step, naming in zip(script.steps, script.namings, strict=True):
            if not isinstance(step, Plan):
                continue
            try:
                entry = self.entry(step.key, step.name, step.kind)
                definition = self.add_plan(step, script.reading, script.facts, entry)
            except Exception as error:
                script.reading.fail(error, script.reading.statement_near(step.node))
                continue
            if definition is not None and naming is not None:
                definition.setting = Setting(None, 0, naming)

    def add_versions(self, script: Arranged) -> None:
        """A script whose order matters; if that fails, none of its statements stays."""
        before = len(self.order)
        try:
            self.versions.add(script)
        except Exception as error:
            for definition in self.order[before:]:
                definition.entry.remove(definition)
            del self.order[before:]
            self.versions.forget(script)
            self.fail_steps(script.reading, script.steps, error)

    def add_plan(
        self, plan: Plan, reading: Reading, facts: Facts, entry: Entry
    ) -> Definition | None:
        if plan.schema is not None:
            info = DatasetInfo(entry.dataset, plan.kind, plan.schema, complete=bool(plan.schema))
            if entry.declared is None or not entry.declared.complete:
                entry.declared = info
            entry.like = plan.like
            return None
        if entry.declared is None and entry.kind != "temporary":
            entry.kind = plan.kind
        return self.add(Definition(plan, reading, facts, entry))

    def parsed(self, reading: Reading) -> list[Any]:
        trees, statements, diagnostics = parse(reading)
        self.coverage.read += statements
        self.coverage.parsed += len(trees)
        self.diagnostics.extend(diagnostics)
        lost = len(internal_errors(diagnostics))
        self.coverage.references += lost
        self.coverage.unresolved += lost
        if reading.found is not None:
            self.add_routines(reading.found.functions)
            self.routines_read += [(routine.name, reading) for routine in reading.found.functions]
            self.procedures |= reading.found.procedures
            self.calls += reading.found.calls
            self.procedural_scripts.append(reading.found)
        return trees

    def add_routines(self, routines: Iterable[Routine]) -> None:
        """CREATE FUNCTION f      under its full name and its last part"""
        for routine in routines:
            names = {routine.name.lower(), routine.name.lower().rsplit(".", 1)[-1]}
            self.shapes.update(
                dict.fromkeys(names if routine.columns or routine.shape else (), routine)
            )
            if routine.table:
                self.tabulated.add(routine.key)
            elif routine.returns:
                for name in names:
                    self.functions.setdefault(name, []).append(routine)

    def name_bare(self, steps: list[Step], reading: Reading, facts: Facts) -> None:
        """SELECT …: named after its model, its file, or its text."""
        bare = [step for step in steps if isinstance(step, Plan) and not step.name]
        if not bare:
            return
        script = reading.script
        name = script.target or file_stem(script.file)
        taken = {
            step.key for step in steps if isinstance(step, Plan) and step.name and step.defines
        }
        numbers = iter(range(1, len(bare) + len(taken) + 1))
        for plan in bare:
            plan.kind = script.kind
            if not name:
                plan.name = f"query_{text_hash(reading, plan.node)}"
                plan.key = table_key(plan.name, facts.fold_table)
            while not plan.key or plan.key in taken:  # x.sql may make a table x, too
                number = next(numbers)
                plan.name = name if number == 1 else f"{name}_{number}"
                plan.key = table_key(plan.name, facts.fold_table)

    def add(self, definition: Definition) -> Definition:
        entry = definition.entry
        checked = definition.plan.defines and not definition.reading.script.recurs
        others = {d.reading.script.file for d in entry.deciding} if checked else set()
        if others and definition.reading.script.file not in others:
            message = f"'{entry.dataset}' is defined in {', '.join(sorted(others))} too"
            at = place_of_statement(definition.reading, definition.plan.node)
            self.report(Diagnostic(Code.DUPLICATE_DEFINITION, message, at))
        entry.add(definition)
        self.order.append(definition)
        return definition

    def report(self, diagnostic: Diagnostic) -> None:
        self.diagnostics.append(diagnostic)

    def lose(self, diagnostic: Diagnostic) -> None:
        """Something was not read at all, for the reason that a diagnostic tells."""
        self.report(diagnostic)
        self.coverage.lose()

    def report_unknown_calls(self) -> None:
        """CALL p(1), where nobody defines p"""
        known = {name.rsplit(".", 1)[-1] for name in self.procedures} | self.functions.keys()
        for name, place in self.calls:
            if name.rsplit(".", 1)[-1] not in known:
                self.report(
                    Diagnostic(Code.UNKNOWN_PROCEDURE, f"what '{name}' does is not known", place)
                )

    # -- evaluation --------------------------------------------------------------------------------

    def evaluate_all(self, definitions: Iterable[Definition]) -> None:
        for definition in definitions:
            if definition.frame is None:
                try:
                    self.settle(definition)
                except Exception as error:
                    self.give_up(definition, error)

    def settle(self, definition: Definition) -> None:
        """Evaluate a definition; what it reads through a long chain goes first, by a work list."""
        waiting: list[Entry] = []
        while definition.frame is None:
            try:
                if waiting:
                    self.schema(waiting[-1])
                    waiting.pop()
                else:
                    self.evaluate(definition)
            except Pending as pending:
                if pending.entry in waiting:
                    self.cyclic(pending.entry, definition)
                    pending.entry.broken = True
                else:
                    waiting.append(pending.entry)

    def evaluate(self, definition: Definition) -> Frame:
        entry = definition.entry
        was_active, depth = entry.active, self.depth
        try:
            frame = self.evaluated(definition)
        except Exception as error:
            self.give_up(definition, error)
            assert definition.frame is not None
            frame = definition.frame
        finally:
            self.depth, entry.active = depth, was_active
        if self.progress is not None:
            self.advance(definition, self.progress)
        return frame

    def advance_evaluated(self) -> None:
        """Tell of the statements that programs have asked for, now that the number of all is known."""
        if self.progress is not None:
            for definition in self.order:
                if definition.evaluation is not None:
                    self.advance(definition, self.progress)

    def advance(self, definition: Definition, progress: Progress) -> None:
        """Tell of a statement that is evaluated, once; of one that is undecided when the whole
        corpus has decided.
        """
        evaluation = definition.evaluation if definition.failure is None else None
        undecided = evaluation is not None and bool(evaluation.undecided) and self.evidence is None
        if undecided or id(definition) in self.advanced:
            return
        self.advanced.add(id(definition))
        counts = (
            (evaluation.references, evaluation.ambiguous, evaluation.unresolved)
            if evaluation
            else (0, 0, 0)
        )
        progress(
            Evaluated(
                len(self.advanced), len(self.order), definition.target, *counts, evaluation is None
            )
        )

    def evaluated(self, definition: Definition) -> Frame:
        plan, entry = definition.plan, definition.entry
        if not plan.defines and entry.deciding:
            self.schema(entry)
        evaluation = QueryEvaluation(self, definition.reading, definition.facts, definition.target)
        evaluation.definition = definition
        entry.active = True
        self.depth += 1
        frame = named_frame(self.frame_of(definition, evaluation))
        if entry.changes:
            frame = later(frame, definition)
        definition.frame, definition.evaluation, definition.failure = frame, evaluation, None
        return frame

    def frame_of(self, definition: Definition, evaluation: Evaluation) -> Frame:
        """What a statement writes; one in a trigger's function writes it for each table that has
        the trigger.
        """
        moment = definition.plan.moment
        if moment is None or not moment.body.triggers:
            return self.frame_for(definition, evaluation, None)
        triggers = triggers_at(moment, definition.facts.fold_table)
        if len(triggers) < 2:
            return self.frame_for(definition, evaluation, triggers[0] if triggers else NO_TRIGGER)
        tried = [self.frame_for_table(definition, evaluation, trigger) for trigger in triggers]
        fitting = [each for each in tried if not each[1].has_errors] or tried
        for _, own in fitting:
            evaluation.absorb(own)
        evaluation.around = fitting[0][1].around
        for count in ("references", "ambiguous", "unresolved"):
            setattr(evaluation, count, max(getattr(own, count) for _, own in fitting))
        frames = [frame for frame, _ in fitting]
        return union_by_name(frames)

    def frame_for_table(
        self, definition: Definition, evaluation: Evaluation, trigger: Assignment
    ) -> tuple[Frame, Evaluation]:
        """What a statement of a trigger's function writes when NEW and OLD are rows of one of its
        tables.
        """
        own = QueryEvaluation(self, definition.reading, definition.facts, definition.target)
        own.definition = evaluation.definition
        return self.frame_for(definition, own, trigger), own

    def frame_for(
        self, definition: Definition, evaluation: Evaluation, trigger: Assignment | None
    ) -> Frame:
        plan = definition.plan
        parent: Scope | None = None
        ctes: CTEs = {}
        if plan.moment is not None:
            parent = evaluation.around = Locals(evaluation, plan.moment, trigger=trigger)
            ctes = evaluation.around.tables()
        elif definition.parameters:
            parent = parameter_scope(definition.parameters, evaluation)
        if plan.with_ is not None:
            ctes = with_(plan.with_, parent, ctes, evaluation)
        if plan.made is not None:
            return plan.made(evaluation, ctes)
        frame = query(plan.query, parent, ctes, evaluation)
        columns = plan.columns or (self.target_columns(definition) if plan.positional else [])
        if plan.partition is not None:
            columns = plan.partition.arranged(columns, frame)
        if columns:
            frame = self.listed(frame, columns, definition, evaluation)
        if plan.partition is not None:
            frame = extend(frame, (Slot(*named, {}) for named in plan.partition.given))
        return plan.after(frame, evaluation, ctes) if plan.after is not None else frame

    def listed(
        self,
        frame: Frame,
        columns: list[tuple[str, str]],
        definition: Definition,
        evaluation: Evaluation,
    ) -> Frame:
        """CREATE VIEW v (a, b) AS …, INSERT INTO t (a, b) …      by position"""
        shorter = (
            len(frame.slots) < len(columns)
            and not definition.plan.columns
            and definition.facts.fewer_values
        )
        differs = len(columns) != len(frame.slots) and not shorter
        if frame.complete and differs and definition.plan.node is not None:
            message = f"{len(columns)} columns are named, the query has {len(frame.slots)}"
            evaluation.report(Code.COLUMN_COUNT, message, definition.plan.node)
        return rename(frame, columns)

    def target_columns(self, definition: Definition) -> list[tuple[str, str]]:
        """INSERT INTO t SELECT …      the target's schema, where it is known and complete"""
        entry = definition.entry
        if isinstance(entry, State):
            if entry.before is None:
                return []
            frame = self.schema(entry.before)
        elif entry.deciding:
            frame = self.schema(entry)
        elif entry.like or (entry.declared is not None and entry.declared.complete):
            frame = self.declared_frame(entry)
        else:
            return []
        if entry.changes:
            frame = earlier(frame, entry, definition)
        return [(slot.name, slot.key) for slot in frame.slots] if frame.complete else []

    def scan(
        self, key: str, spelling: str, evaluation: Evaluation, node: Any
    ) -> tuple[Dataset | None, Frame]:
        """What a name stands for; a hidden version of it has no dataset, and its columns are what
        they are made of.
        """
        reader = evaluation.definition
        if reader is not None and reader.setting is not None:
            timeline, position, naming = reader.setting
            if naming is not None and key not in self.tabulated:
                spelling, key = naming.full(spelling, key)
            version = timeline.at(key, position) if timeline is not None else None
            if version is not None:
                version.read = True
                if version.entry is None:
                    return None, self.versions.frame_at(version, position, evaluation)
                return self.scan_entry(version.entry, evaluation, node)
        elif (
            reader is None and self.naming.speaks and key not in self.tabulated
        ):  # in the body of a function
            spelling, key = self.naming.full(spelling, key)
        entry = self.entries.get(key) or self.entry(key, spelling, "table")
        if entry.scanned is not None and not entry.changes:
            return entry.dataset, entry.scanned
        return self.scan_entry(entry, evaluation, node)

    def scan_entry(self, entry: Entry, evaluation: Evaluation, node: Any) -> tuple[Dataset, Frame]:
        if entry.scanned is None:
            if entry.active:
                if evaluation.target == entry.dataset:
                    return entry.dataset, self.former_state(entry)
                if entry.deciding:  # two INSERTs may cross
                    self.cyclic(entry, None, evaluation, node)
                return entry.dataset, self.declared_frame(entry)
            if entry.broken:
                return entry.dataset, self.declared_frame(entry)
            if self.depth >= DEEPEST_DIRECT and any(d.frame is None for d in entry.defining):
                raise Pending(entry)
        frame = self.schema(entry)
        if entry.changes and evaluation.definition is not None:
            frame = earlier(frame, entry, evaluation.definition)
        return entry.dataset, frame

    def schema(self, entry: Entry) -> Frame:
        """The scan of a dataset: its definition's columns, else the declared ones, else an open
        star.
        """
        if entry.scanned is None:
            if isinstance(entry, State):
                return self.versions.state_frame(entry)
            defining = entry.defining
            for definition in defining:
                if definition.frame is None:
                    self.evaluate(definition)
            try:
                entry.scanned = (
                    self.defined_frame(entry, defining) if defining else self.declared_frame(entry)
                )
            except Exception as error:
                entry.scanned = self.unknown_frame(entry, error)
        return entry.scanned

    def unknown_frame(self, entry: Entry, error: Exception) -> Frame:
        """What a dataset's columns are cannot be told: whoever reads it finds one that nothing is
        known of.
        """
        for definition in entry.defining:
            self.fail(definition, error)
        if not entry.defining:
            place = entry.declared.place if entry.declared is not None else None
            self.lose(internal_error(error, place, f"the declaration of {entry.dataset}"))
        return scan_on_demand(entry.dataset, [], False)

    def former_state(self, entry: Entry) -> Frame:
        """SELECT … FROM {{ this }}

        what the name was before: as its other statements made it, else as declared
        """
        made = [definition for definition in entry.defining if definition.frame is not None]
        if made:
            return self.defined_frame(entry, made)
        declared = self.declared_frame(entry)
        if entry.declared is None or entry.declared.complete or not entry.declared.names:
            return declared
        return scan_on_demand(
            entry.dataset,
            [(slot.name, slot.key) for slot in declared.slots if slot.star is None],
            True,
        )

    def declared_frame(self, entry: Entry) -> Frame:
        """What is declared for a name."""
        if entry.like:
            return self.likeness(entry)
        info = entry.declared
        columns = self.declared_columns(info) if info is not None else []
        if entry.changes:
            columns = altered_columns(columns, entry)
        return scan_on_demand(entry.dataset, columns, info is not None and info.complete)

    def likeness(self, entry: Entry) -> Frame:
        """CREATE TABLE t (LIKE s, a INT)      the columns of s, and those of its own"""
        like, entry.like = entry.like, ()  # a circle of likenesses ends here
        named = (self.entry(key, name, "table") for name, key in like)
        try:
            others = [self.schema(other) for other in named if other is not entry]
        finally:
            entry.like = like
        columns = {key: name for other in others for name, key in named_columns(other)}
        for name, key in (
            self.declared_columns(entry.declared) if entry.declared is not None else ()
        ):
            columns.setdefault(key, name)
        complete = all(other.complete for other in others)
        return scan_on_demand(
            entry.dataset, [(name, key) for key, name in columns.items()], complete
        )

    def declared_columns(self, info: DatasetInfo) -> list[tuple[str, str]]:
        """The columns with their keys; where "Id" and id are two columns, both are meant exactly."""
        keys, fold, quoted = self.facts.keys, self.facts.fold, info.quoted
        columns = [
            (name, fold(name, True) if name in quoted else keys[name]) for name in info.names
        ]
        if len({key for _, key in columns}) == len(columns):
            return columns
        return [(name, fold(name, True)) for name, _ in columns]

    def former(self, name: str, key: str, evaluation: Evaluation) -> tuple[Dataset, Frame]:
        """A table as it was before this script took its name for something else."""
        entry = self.entry(key, name, "table")
        reader = evaluation.definition
        timeline = (
            reader.setting.timeline if reader is not None and reader.setting is not None else None
        )
        here = any(
            d.setting is not None and d.setting.timeline is timeline for d in entry.definitions
        )
        return entry.dataset, self.declared_frame(entry) if here else self.schema(entry)

    def column_type(self, dataset: Dataset, name: str) -> str:
        """The type of a column as it was declared, also of one that views pass on as it is."""
        fold = self.facts.fold
        for _ in range(DEEPEST_DIRECT):
            entry = self.named(dataset)
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

    def row_type(self, type_: str) -> list[ColumnInfo]:
        """The fields of a composite type, or of a table's rows: both are names of one kind."""
        key = (
            table_key(type_, self.facts.fold_table)
            if '"' not in type_
            else named_in_text(type_, self.facts)[1]
        )
        if self.naming.speaks:
            key = self.naming.full(type_, key)[1]
        entry = self.entries.get(key)
        info = entry.declared if entry is not None else self.declared.get(key)
        return info.columns if info is not None and info.complete else []

    def named(self, dataset: Dataset) -> Entry | None:
        """The entry of a dataset; one that is meant exactly is called so, whatever the dialect
        folds.
        """
        entry = self.entries.get(table_key(dataset.name, self.facts.fold_table))
        if entry is None or entry.dataset != dataset:
            return self.entries.get(self.facts.fold_table(dataset.name, True), entry)
        return entry

    def defined_frame(self, entry: Entry, defining: list[Definition]) -> Frame:
        columns: dict[str, str] = {}
        complete = any(definition.plan.defines for definition in defining)
        if any(definition.reading.script.open for definition in defining):
            complete = False
        for definition in defining:
            assert definition.frame is not None
            for slot in definition.frame.slots:
                if slot.star is None:
                    columns.setdefault(slot.key, slot.name)
                else:
                    complete = False
        if not complete and entry.declared is not None:
            for info in entry.declared.columns:
                columns.setdefault(self.facts.fold(info.name, False), info.name)
            complete = entry.declared.complete
        listed = [(name, key) for key, name in columns.items()]
        return scan_on_demand(
            entry.dataset, altered_columns(listed, entry) if entry.changes else listed, complete
        )

    def cyclic(
        self,
        entry: Entry,
        definition: Definition | None,
        evaluation: Evaluation | None = None,
        node: Any = None,
    ) -> None:
        message = f"'{entry.dataset}' is defined through itself"
        if evaluation is not None:
            evaluation.report(Code.CYCLIC_DEFINITION, message, node)
        elif definition is not None:
            at = place_of_statement(definition.reading, definition.plan.node)
            self.report(Diagnostic(Code.CYCLIC_DEFINITION, message, at))

    # -- functions ---------------------------------------------------------------------------------

    def summary_of(self, function: Routine, evaluation: Evaluation) -> Summary | None:
        """What a function's value is made of, found on its first call; None inside of its own body."""
        held = self.summaries.get(id(function))
        if held is not None and not (held.evaluation.undecided and self.evidence is not None):
            return held
        if id(function) in self.summaries and held is None:
            return None
        self.summaries[id(function)] = None
        inner = QueryEvaluation(self, evaluation.reading, evaluation.facts, evaluation.target)
        try:
            found = self.summaries[id(function)] = Summary(function, inner)
        finally:
            if self.summaries[id(function)] is None:
                del self.summaries[id(function)]
        return found

    def struct_fields(self, origin: Column) -> Sequence[str]:
        """address.*

        by the declared type of the column, else by the definition that it comes from
        """
        entry = self.named(origin.dataset)
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

    # -- evidence ----------------------------------------------------------------------------------

    def witness(self, key: str, origins: dict[Column, Slot]) -> tuple[Column, str] | None:
        """x is only used qualified with orders: then an unqualified x is orders' x, too"""
        if self.evidence is None:
            return None
        fold = self.facts.fold
        counts = {
            origin: self.evidence.get((origin.dataset, fold(origin.name, False)), 0)
            for origin in origins
        }
        speaking = [origin for origin, count in counts.items() if count]
        if len(speaking) != 1:
            return None
        times = "once" if counts[speaking[0]] == 1 else f"{counts[speaking[0]]} times"
        return speaking[
            0
        ], f"`{speaking[0].name}` is only used with `{speaking[0].dataset}`, {times}"

    def decide(self) -> None:
        """What several sources may have is decided by the whole corpus, once all of it has been
        read.
        """
        undecided = [d for d in self.order if d.evaluation is not None and d.evaluation.undecided]
        if not undecided:
            return
        self.evidence = {}
        self.attempt_each(self.gather_evidence, self.order)
        again: set[int] = set()
        self.attempt_each(partial(self.decide_one, again=again), self.order)

    def gather_evidence(self, definition: Definition) -> None:
        """Count the references of a statement that were certain."""
        assert self.evidence is not None and definition.evaluation is not None
        fold = self.facts.fold
        for column, count in definition.evaluation.learnt.items():
            place = (column.dataset, fold(column.name, False))
            self.evidence[place] = self.evidence.get(place, 0) + count

    def decide_one(self, definition: Definition, again: set[int]) -> None:
        evaluation = definition.evaluation
        assert evaluation is not None
        if evaluation.undecided or any(id(state) in again for state in evaluation.composed):
            if isinstance(definition.entry, State):
                again.update(id(state) for state in forgotten(definition.entry))
            self.evaluate(definition)

    # -- the result --------------------------------------------------------------------------------

    def extraction(self) -> Extraction:
        edges = Edges()
        self.versions.show_unread()
        self.attempt_each(partial(self.collect, edges=edges), self.order)
        open_definitions = self.open_definitions()
        if open_definitions:
            several = (each.frame for each in chain.from_iterable(open_definitions.values()))
            self.coverage.open += sum(len(frame.stars) for frame in several if frame is not None)
            self.close_stars(open_definitions, edges)
            self.report_open_stars(open_definitions)
        self.attempt(
            lambda: self.diagnostics.extend(self.own_functions.without_effect()),
            None,
            "the set of functions",
        )
        return Extraction(
            edges=edges.all(),
            reads=self.reads,
            datasets=self.dataset_infos,
            diagnostics=sorted(set(self.diagnostics), key=order_of),
            coverage=self.coverage,
            occurrences=self.corpus.occurrences,
            statements=self.statements,
            jobs=self.jobs,
            failures=self.failures,
        )

    def collect(self, definition: Definition, edges: Edges) -> None:
        if definition.failure is not None:
            self.tell_failure(definition)
            return
        frame, evaluation = definition.frame, definition.evaluation
        assert frame is not None and evaluation is not None
        if not definition.hidden:
            edges.add(definition.target, self.edges_into(definition, frame))
        self.diagnostics.extend(evaluation.diagnostics)
        self.coverage.references += evaluation.references
        self.coverage.ambiguous += evaluation.ambiguous
        self.coverage.unresolved += evaluation.unresolved

    def edges_into(self, definition: Definition, frame: Frame) -> list[Edge]:
        """What one statement makes of its sources."""
        fallback = (definition.plan.query or definition.plan.node, None, None, None)
        return name_dataset(frame, definition.target, definition.reading, fallback)

    def reads(self) -> list[Read]:
        """Every name that a statement mentions, once per clause; that a program mentions, once per
        place.
        """
        reads: dict[tuple[object, ...], Read] = {}
        self.attempt_each(partial(self.add_reads, reads=reads), self.order)
        return list(reads.values())

    def add_reads(self, definition: Definition, reads: dict[tuple[object, ...], Read]) -> None:
        target, place_of = definition.target, definition.reading.place_of
        for evaluation in evaluations_of(definition) if not definition.hidden else ():
            for dataset, node in evaluation.datasets_read.items():
                key: tuple[Dataset, Dataset, str | None, Clause] = (
                    target,
                    dataset,
                    None,
                    Clause.FROM,
                )
                if key not in reads:
                    reads[key] = Read(*key, place_of(node))
            if evaluation.further is not None:
                add_places(definition, evaluation, reads)
                continue
            for clause, columns in evaluation.reads.items():
                for column, node in columns.items():
                    key = (target, column.dataset, column.name, clause)
                    if key not in reads:
                        reads[key] = Read(*key, place_of(node))

    def statements(self) -> list[Statement]:
        """What writes each dataset, with digests of what it says."""
        from lineal.resolve.digests import statements_of

        return statements_of(self)

    def jobs(self) -> list[Job]:
        """What writes each dataset, with its text."""
        from lineal.resolve.jobs import Jobs, written_by

        jobs = Jobs()
        self.attempt_each(
            lambda each: jobs.add(written_by(each)),
            [each for each in self.order if not each.hidden],
        )
        return jobs.all()

    def learnt_columns(self) -> dict[Dataset, dict[str, str]]:
        """What use tells of the columns of datasets whose schema is not known."""
        if self.learnt is None:
            self.learnt = {}
            self.attempt_each(self.learn_columns, self.order)
        return self.learnt

    def learn_columns(self, definition: Definition) -> None:
        assert definition.evaluation is not None and self.learnt is not None
        fold = self.facts.fold
        for column in definition.evaluation.learnt:
            self.learnt.setdefault(column.dataset, {}).setdefault(
                fold(column.name, False), column.name
            )

    def open_definitions(self) -> dict[Dataset, list[Definition]]:
        found: dict[Dataset, list[Definition]] = {}
        for definition in self.order:
            if definition.failure is not None or definition.hidden:
                continue
            if definition.frame is not None and definition.frame.stars:
                found.setdefault(definition.target, []).append(definition)
        return found

    def close_stars(self, open_definitions: dict[Dataset, list[Definition]], edges: Edges) -> None:
        """v := SELECT * FROM t, and v.a is used somewhere: then t.a → v.a, as far as use tells"""
        learnt = self.learnt_columns()
        waiting = [
            (dataset, key, name)
            for dataset in open_definitions
            for key, name in learnt.get(dataset, {}).items()
        ]
        while waiting:
            dataset, key, name = waiting.pop()
            for definition in open_definitions.get(dataset, ()):
                assert definition.frame is not None
                if key in definition.frame.index:
                    continue
                try:
                    origins = list(closings(definition.frame, key, name))
                    for origin, way in origins:
                        self.add_closing(origin, way, Column(dataset, name), definition, edges)
                except Exception as error:
                    self.fail(definition, error)
                    continue
                for origin, _ in origins:
                    origin_key = self.facts.fold(origin.name, False)
                    if origin_key not in learnt.setdefault(origin.dataset, {}):
                        learnt[origin.dataset][origin_key] = origin.name
                        waiting.append((origin.dataset, origin_key, origin.name))

    def report_open_stars(self, open_definitions: dict[Dataset, list[Definition]]) -> None:
        """SELECT * FROM t, and nothing tells the columns of t: said once, where the first such star
        stands
        """
        # those are open because of what they read themselves
        met: set[Dataset] = set(open_definitions)
        self.attempt_each(
            partial(self.report_stars_of, met=met), chain.from_iterable(open_definitions.values())
        )

    def report_stars_of(self, definition: Definition, met: set[Dataset]) -> None:
        assert definition.frame is not None
        for star in (slot.star for slot in definition.frame.stars if slot.star is not None):
            if star.dataset not in met:
                met.add(star.dataset)
                message = f"the columns of '{star.dataset}' are not known: * stays open"
                anchored = starred(definition.plan.query or definition.plan.node)
                self.report(
                    Diagnostic(Code.OPEN_STAR, message, definition.reading.place_of(anchored))
                )

    def add_closing(
        self, origin: Column, way: Way, target: Column, definition: Definition, edges: Edges
    ) -> None:
        assert definition.frame is not None
        several = len(definition.frame.stars) > 1
        level = Confidence.LOW if several else Confidence.MEDIUM
        doubt = Doubt(level, several, f"`{target.name}` is known only from its use")
        usage = Usage(way, doubt, (definition.plan.query, None, None, doubt), definition.reading)
        edges.add(target.dataset, [Edge(origin, target, (usage,))])

    def dataset_infos(self) -> dict[Dataset, DatasetInfo]:
        """Every dataset that is defined, declared or read: the defined ones in the order of their
        statements.
        """
        learnt = self.learnt_columns()
        for key, info in list(self.declared.items()):
            self.attempt(partial(self.entry, key, "", ""), info.place, "this declaration")
        infos: dict[Dataset, DatasetInfo] = {}
        for definition in self.order:
            entry = definition.entry
            if not definition.hidden and entry.dataset not in infos:
                infos[entry.dataset] = self.info_of(entry, learnt)
        for entry in sorted(self.entries.values(), key=lambda entry: entry.dataset):
            if entry.dataset not in infos and entry.kind != "type":
                infos[entry.dataset] = self.info_of(entry, learnt)
        return infos

    def info_of(self, entry: Entry, learnt: dict[Dataset, dict[str, str]]) -> DatasetInfo:
        """A dataset with its columns; without any, if that fails."""
        try:
            return self.dataset_info(entry, learnt)
        except Exception as error:
            self.unknown_frame(entry, error)
            return DatasetInfo(entry.dataset, entry.kind)

    def dataset_info(self, entry: Entry, learnt: dict[Dataset, dict[str, str]]) -> DatasetInfo:
        frame = entry.scanned if entry.scanned is not None else self.schema(entry)
        declared = {}
        if entry.declared is not None:
            declared = {self.facts.fold(info.name, False): info for info in entry.declared.columns}
            declared |= {info.name: info for info in entry.declared.columns}
        columns = []
        for slot in frame.slots:
            if slot.star is None:
                info = declared.get(slot.name) or declared.get(
                    self.facts.fold(slot.name, False), ColumnInfo("")
                )
                if info.type or not entry.definitions:
                    columns.append(info._replace(name=slot.name))
                else:
                    ask: Any = partial(self.types.of, entry, slot.key)
                    columns.append(LateColumn(slot.name, ask, *info[2:]))
        if not frame.complete:
            known = {self.facts.fold(info.name, False) for info in columns}
            columns += [
                ColumnInfo(n)
                for k, n in sorted(learnt.get(entry.dataset, {}).items())
                if k not in known
            ]
        described = entry.declared.description if entry.declared is not None else ""
        place = entry.declared.place if entry.declared is not None else None
        made = DatasetInfo(entry.dataset, entry.kind, columns, frame.complete, described, place)
        if entry.told is not None:
            made.declared, made.terminal = entry.told.columns, entry.told.terminal
        made.produced = self.produced(entry, columns)
        return made

    def produced(self, entry: Entry, columns: list[ColumnInfo]) -> list[ColumnInfo] | None:
        """What the statements make: the columns themselves, where nobody declares any."""
        frames = [definition.frame for definition in entry.deciding]
        if not frames or not all(frame is not None and frame.complete for frame in frames):
            return None
        if entry.declared is None:
            return columns
        ask: Any = partial(partial, self.types.made_of, entry)
        slots = {slot.key: slot for frame in frames if frame is not None for slot in frame.slots}
        return [LateColumn(slot.name, ask(key)) for key, slot in slots.items()]


class Edges:
    """Edges by the dataset they lead into; several statements into one target unite."""

    def __init__(self) -> None:
        self.into: dict[Dataset, list[Edge]] = {}
        self.united: dict[Dataset, dict[tuple[Column, Column | Dataset], Edge]] = {}
        """of the targets that several statements write"""

    def add(self, target: Dataset, edges: list[Edge]) -> None:
        held = self.into.setdefault(target, edges)
        if held is edges:
            return
        united = self.united.get(target)
        if united is None:
            united = self.united[target] = {(edge.source, edge.target): edge for edge in held}
        for edge in edges:
            before = united.get((edge.source, edge.target))
            if before is not None:
                edge = Edge(edge.source, edge.target, joined(before.usages, edge.usages))
            united[edge.source, edge.target] = edge

    def all(self) -> list[Edge]:
        united = ((target, self.united.get(target)) for target in self.into)
        return [
            edge
            for target, found in united
            for edge in (found.values() if found else self.into[target])
        ]


def joined(held: tuple[Usage, ...], more: tuple[Usage, ...]) -> tuple[Usage, ...]:
    """Two statements give one edge: each way once, the surer of two alike."""
    ways = {usage.way: usage for usage in held}
    for usage in more:
        before = ways.get(usage.way)
        if before is None or usage.level > before.level:
            ways[usage.way] = usage
    return tuple(ways.values())


def closings(frame: Frame, key: str, name: str) -> list[tuple[Column, Way]]:
    from lineal.algebra.frame import answer

    found = [answer(slot.star, name, key) for slot in frame.stars if slot.star is not None]
    return [influence for slot in found if slot is not None for influence in slot.lineage]


def named_frame(frame: Frame) -> Frame:
    """A frame whose columns are called by texts: a name of another kind would break whoever shows
    or keeps it.
    """
    if frame.__class__ is not Scan:
        for slot in frame.slots:
            if slot.name.__class__ is not str:
                raise TypeError(
                    f"a column is called by {type(slot.name).__name__}, which is no text"
                )
    return frame


def parameter_scope(parameters: tuple[str, ...], evaluation: Evaluation) -> Scope:
    """A function's parameters are names without lineage."""
    scope = Scope(evaluation, None, {})
    scope.add(Source("", "", values((name, evaluation.fold(name, False)) for name in parameters)))
    return scope


def table_key(name: str, fold: Fold) -> str:
    return ".".join(fold(part, False) for part in name.split("."))


def file_stem(path: str) -> str:
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    return name.rsplit(".", 1)[0] if "." in name else name


def text_hash(reading: Reading, tree: Any) -> str:
    """Of the statement's words: white space and comments do not count."""
    return hashlib.sha256(reading.words_of(tree).encode()).hexdigest()[:8]


def failure_of(error: Exception, tree: Any, reading: Reading) -> Diagnostic:
    """Why a statement has no result: it nests too deeply, gives a value as a name, or lineal fails
    over it.
    """
    place = reading.statement_near(tree)
    if isinstance(error, RecursionError):
        if nests_deeply(tree):
            return Diagnostic(Code.TOO_DEEP, "the statement nests too deeply", place)
    elif (node := misnamed(tree)) is not None:
        message = "the name that AS gives must be a word, not a parameter or a value"
        return Diagnostic(Code.PARSE_ERROR, message, reading.place_of(node) or place)
    return internal_error(error, place)


def untraced(tree: Any, reading: Reading) -> Diagnostic:
    """What is no statement at all did not parse, whatever sqlglot made of it."""
    from sqlglot import exp

    at = place_of_statement(reading, tree)
    if isinstance(tree, exp.Column) and is_open_name(tree.this):
        message = f"{tree.name} was not rendered: the statement is not read"
        return Diagnostic(Code.DYNAMIC, message, at)
    if isinstance(tree, (exp.Condition, exp.Alias, exp.Tuple)):
        return Diagnostic(Code.PARSE_ERROR, "this is not a statement", at)
    return Diagnostic(Code.UNSUPPORTED_STATEMENT, f"{statement_name(tree)} is not traced", at)


def statement_name(tree: Any) -> str:
    from sqlglot import exp

    if isinstance(tree, exp.Command):
        return f"{str(tree.this).upper()} …"
    return str(tree.key).upper()


def place_of_statement(reading: Reading, node: Any) -> Place | None:
    return reading.place_of_statement(node) if node is not None else None
