"""The plan of a removal: verdicts on unused datasets and columns, and the edits that carry them out.

    plan = plan_removals(Subject(source, corpus, graph), find_unused(graph, outputs))
    plan.verdicts       what is unused, readers first; each is removed, or kept for a reason
    plan.edits          the files before and after

The edits are applied to a copy of the project, which is read again. If the lineage of anything that
stays would change, the edits of that dataset are taken back, and it is kept with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from lineal.graph.graph import Graph
from lineal.graph.names_used import NamesUsed
from lineal.graph.remainder import Change, Removal, differences, new_diagnostics
from lineal.graph.unused import (
    KEPT,
    REMOVED,
    SEED,
    Outputs,
    Unused,
    Verdict,
    find_unused,
    in_removal_order,
    outputs_of,
)
from lineal.model import names
from lineal.model.consumers import TEST
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.edge import Column, Dataset, dataset_of
from lineal.model.grouping import group
from lineal.model.script import Corpus
from lineal.model.sequences import positions_of
from lineal.model.statement import Statement
from lineal.projects.removals import (
    INCREMENTAL,
    OF_INCREMENTAL,
    FileEdit,
    Refused,
    entry_lines,
    has_word,
    is_yaml,
    patch_of,
    remove_columns,
    remove_entries,
    remove_statement,
    settings_in,
)
from lineal.service.project import Project
from lineal.service.removal_files import EditedFiles, edited_copy
from lineal.service.source import Source

MOST_ATTEMPTS = 6
"""So often a plan is made again without what turned out not to be safe."""
ABOUT_FILES = (Code.STALE_MANIFEST, Code.OUTSIDE_PATHS)
"""Diagnostics about files that every edited copy brings: they say nothing of a lineage."""
PROGRAM = "python"
ONLY_TESTED = "only tests read it"
CSV = ".csv"

LOSSES = frozenset(
    (
        Code.PARSE_ERROR, Code.LEFT_OVER, Code.TOO_DEEP, Code.INTERNAL_ERROR, Code.LIMIT_EXCEEDED,
        Code.UNRESOLVED_COLUMN, Code.AMBIGUOUS_COLUMN, Code.AMBIGUOUS_DATASET, Code.OPEN_STAR,
        Code.UNSUPPORTED_STATEMENT, Code.UNSUPPORTED_CONSTRUCT, Code.UNKNOWN_PROCEDURE, Code.NOT_TRACED,
        Code.UNRENDERED, Code.UNREADABLE, Code.YAML_ERROR, Code.TEMPLATE_ERROR, Code.TEMPLATE_LIMIT,
        Code.UNKNOWN_REFERENCE, Code.MISSING_PACKAGE, Code.OTHER_LIBRARY,
    )
)  # fmt: skip
"""A file with such a diagnostic may read more columns than are known."""


@dataclass(frozen=True)
class Plan:
    """Verdicts on unused datasets and columns, and the patch that removes them."""

    outputs: Outputs
    verdicts: tuple[Verdict, ...]
    edits: tuple[FileEdit, ...]

    @property
    def patch(self) -> str:
        """Return a unified diff of all files."""
        return "".join(chain.from_iterable(map(patch_of, self.edits)))


class Subject(NamedTuple):
    """A project that is asked about."""

    source: Source
    corpus: Corpus
    graph: Graph


def plan_unused(
    subject: Subject, patterns: tuple[str, ...] = (), *, ignore_tests: bool = False
) -> Plan:
    """Find unused datasets and columns, and plan their removal."""
    graph = subject.graph
    outputs = outputs_of(graph, patterns, subject.corpus.checks.terminal)
    unused = find_unused(graph, outputs, loaded_seeds(subject), ignore_tests=ignore_tests)
    return plan_removals(subject, unused)


def loaded_seeds(subject: Subject) -> frozenset[Dataset]:
    """Return the seeds whose table a source reads under another name."""
    graph, relations = subject.graph, subject.corpus.relations
    tables = {
        _last_part(relations.get(name.name, name.name))
        for name, info in graph.infos.items()
        if info.kind == "source"
    }
    seeds = (name for name, info in graph.infos.items() if info.kind == SEED)
    return frozenset(
        name for name in seeds if _last_part(relations.get(name.name, name.name)) in tables
    )


def _last_part(name: str) -> str:
    """Return the last part of a name in lower case."""
    return names.insensitive(name.rpartition(".")[2], False)


def plan_removals(subject: Subject, unused: Unused) -> Plan:
    """Plan a removal so that everything else stays as it is."""
    blocked: dict[Column | Dataset, str] = {}
    plan = Plan(unused.outputs, (), ())
    for _ in range(MOST_ATTEMPTS):
        planner = _Planner(subject, unused, blocked)
        plan = planner.plan()
        if not plan.edits:
            return plan

        problems = planner.check(plan)
        if not problems:
            return plan

        blocked.update(problems)

    everything: list[Column | Dataset] = [*unused.datasets, *unused.columns]
    return _Planner(
        subject, unused, {**dict.fromkeys(everything, "the rest would change"), **blocked}
    ).plan()


class _Planner:
    """One attempt: readers first, each removal with what blocks it."""

    def __init__(
        self, subject: Subject, unused: Unused, blocked: dict[Column | Dataset, str]
    ) -> None:
        self.subject = subject
        self.graph = subject.graph
        self.unused = unused
        self.blocked = blocked
        self.used = NamesUsed(self.graph)
        self.files = EditedFiles(subject.source)
        self.entries: dict[str, list[Place]] = {}
        self.gone: set[Column | Dataset] = set()
        self.reasons: dict[Column | Dataset, str] = {}
        self.passing: dict[Column, list[Column]] = {}
        self.lingering: set[Column] = set()

    def plan(self) -> Plan:
        """Try each removal, readers first."""
        by_dataset = group(self.unused.columns, lambda each: each.dataset)
        whole = set(self.unused.datasets)
        for name in in_removal_order(self.graph):
            if name in whole:
                self._attempt(name)
            elif name in by_dataset:
                self._remove_columns(name, by_dataset[name])

        self._settle_passing()
        self._remove_entries()
        verdicts = list(map(self._verdict, self._in_order()))
        return Plan(self.unused.outputs, tuple(verdicts), tuple(self.files.edits()))

    def _in_order(self) -> list[Column | Dataset]:
        """Return everything that is unused, readers first."""
        rank = positions_of(in_removal_order(self.graph))
        unused, tested = (self.unused.datasets, self.unused.columns), self.unused.tested
        found = dict.fromkeys((*unused[0], *unused[1], *tested))
        return sorted(found, key=lambda at: rank[dataset_of(at)])

    def _verdict(self, at: Column | Dataset) -> Verdict:
        """Return what becomes of a column or dataset, and why."""
        kind = "column" if isinstance(at, Column) else self.graph.kind(at)
        status = REMOVED if at in self.gone else KEPT
        is_tested = at in self.unused.tested
        reason = self.reasons.get(at, ONLY_TESTED if is_tested and status == KEPT else "")
        return Verdict(at, kind, status, reason, self._place(at), is_tested)

    def _place(self, at: Column | Dataset) -> Place | None:
        """Return where something is made, else where it is declared."""
        if isinstance(at, Column):
            made = next((edge.place for edge in self.graph.into(at) if edge.place), None)
            info = self.graph.info(at)
            return made or (info.place if info else None) or self._place(at.dataset)

        statement = next(iter(self._statements.get(at, ())), None)
        return (statement.place if statement else None) or self.graph.infos[at].place

    # -- datasets ----------------------------------------------------------------------------------

    def _attempt(self, name: Dataset) -> None:
        """Remove a dataset, or note why it stays."""
        try:
            self._check_blocked(name)
            self._check_readers(name)
            self._check_unread_files(name.name, name)
            self._check_entry(name)
            self._delete(name)
            self.gone.add(name)
        except Refused as reason:
            self.reasons[name] = str(reason)

    def _check_blocked(self, at: Column | Dataset) -> None:
        """Raise Refused if something keeps a column or dataset from removal."""
        if at in self.blocked:
            raise Refused(self.blocked[at])

    def _check_readers(self, name: Dataset) -> None:
        """Refuse a dataset that something that stays reads."""
        for reader in self._readers.get(name, ()):
            if reader in self.gone or self._goes_with(reader, name):
                continue

            raise Refused(f"{reader} reads it and stays")

    def _goes_with(self, reader: Dataset, name: Dataset) -> bool:
        """Tell whether a test is declared in the YAML entry of a dataset, and goes with it."""
        own, entry = self.graph.infos[reader], self.graph.infos[name].place
        if own.kind != TEST or own.place is None or not is_yaml(entry) or entry is None:
            return False

        if own.place.file != entry.file:
            return False

        return own.place.line in entry_lines(self.files.text(entry.file), entry)

    def _delete(self, name: Dataset) -> None:
        """Delete the files or statements of a dataset, and its YAML entry."""
        files = self._files_of(name)
        if not files:
            raise Refused("no file of the project makes it")

        for file in files:
            text = self.files.text(file)
            others = {each.target for each in self._by_file.get(file, ())} - {name}
            if not others:
                self.files.write(file, None)
            else:
                lines = [each.place.line for each in self._statements[name] if each.place]
                dialect = self._statements[name][0].dialect
                self.files.write(file, remove_statement(text, file, dialect, lines))

        place = self.graph.infos[name].place
        if place is not None and is_yaml(place):
            self.files.text(place.file)
            self.entries.setdefault(place.file, []).append(place)

    def _files_of(self, name: Dataset) -> list[str]:
        """Return the files that make a dataset: its SQL or Python, or the CSV of a seed."""
        files = {each.file: None for each in self._statements.get(name, ()) if each.file}
        info = self.graph.infos[name]
        places = [info.place, *(column.place for column in info.columns)]
        if info.kind == SEED:
            own = (each.file for each in places if each and each.file.lower().endswith(CSV))
            files.update(dict.fromkeys(own))

        return list(files)

    # -- columns -----------------------------------------------------------------------------------

    def _remove_columns(self, name: Dataset, columns: list[Column]) -> None:
        """Remove columns of a dataset that stays, or note why they stay."""
        wanted = list(filter(self._may_go, columns))
        if not wanted:
            return

        try:
            statement = self._statement_of(name)
            text = self.files.text(statement.file)
        except Refused as reason:
            self.reasons.update(dict.fromkeys(wanted, str(reason)))
            return

        line = statement.place.line if statement.place else 1
        found = remove_columns(
            text, statement.file, statement.dialect, [each.name for each in wanted], line
        )
        self.files.write(statement.file, found.text)
        for column in wanted:
            if column.name in found.refused:
                self.reasons[column] = found.refused[column.name]
            elif column.name in found.passed:
                self.passing[column] = [edge.source for edge in self.graph.into(column)]
            else:
                self.gone.add(column)
                self._note_entry(column)

        self.lingering |= {each for each in wanted if each.name in found.lingering}

    def _may_go(self, column: Column) -> bool:
        """Tell whether nothing that stays reads a column; else note what does."""
        try:
            self._check_blocked(column)
            self._check_settings(column)
            self._check_tests(column)
            self._check_unread_files(column.name, column.dataset)
            for reader, naming in self.used.readers(column).items():
                if reader != column.dataset:
                    self._check_reader(column, reader, named=naming is not None)

            self._check_entry(column)
        except Refused as reason:
            self.reasons[column] = str(reason)
            return False

        return True

    def _check_entry(self, at: Column | Dataset) -> None:
        """Refuse a column or dataset whose YAML entry cannot be removed alone."""
        info = self.graph.info(at) if isinstance(at, Column) else self.graph.infos[at]
        if info is not None and info.place is not None and is_yaml(info.place):
            remove_entries(self.files.text(info.place.file), [info.place])

    def _check_tests(self, column: Column) -> None:
        """Refuse a column that a test of another dataset compares with: relationships: {to, field}"""
        for step in self.subject.corpus.steps:
            compared = (test.arguments for test in step.tests if test.arguments.get("to"))
            for arguments in compared:
                field = str(arguments.get("field", ""))
                is_same = names.is_same_name(field, column.name) and names.is_same_name(
                    str(arguments["to"]), column.dataset.name
                )
                if is_same and not self._is_gone(step.name):
                    raise Refused(f"a test of {step.name} compares with it")

    def _is_gone(self, name: str) -> bool:
        """Tell whether a dataset of this name is removed."""
        return any(isinstance(each, Dataset) and each.name == name for each in self.gone)

    def _check_reader(self, column: Column, reader: Dataset, *, named: bool) -> None:
        """Refuse a column that a reader still needs."""
        if reader in self.gone or self._goes_with(reader, column.dataset):
            return

        if reader in self.unused.datasets or self.graph.kind(reader) == TEST:
            raise Refused(f"{reader} reads it and stays")

        targets = [
            edge.target
            for edge in self.graph.out_of(column)
            if edge.into == reader and isinstance(edge.target, Column)
        ]
        for target in targets:
            if target in self.lingering:
                raise Refused(f"a CTE of {reader} still names it")

            if target not in self.gone and target not in self.passing:
                raise Refused(f"{target} is made of it and stays")

            if not named and self.used.by_position(target):
                raise Refused(f"{reader} matches columns by position")

    def _check_settings(self, column: Column) -> None:
        """Refuse a column that the YAML of its dataset names outside its own entry."""
        entry = self.graph.infos[column.dataset].place
        if entry is None or not is_yaml(entry):
            return

        text = self.files.text(entry.file)
        info = self.graph.info(column)
        own = range(0)
        if info is not None and info.place is not None and info.place.file == entry.file:
            own = entry_lines(text, info.place)

        for number, line in settings_in(text, entry):
            if number not in own and has_word(line, column.name):
                raise Refused(f"{entry.file}:{number} names it")

            if has_word(line, INCREMENTAL):
                raise Refused(OF_INCREMENTAL)

    def _statement_of(self, name: Dataset) -> Statement:
        """Return the one statement that makes a dataset."""
        found = self._statements.get(name, [])
        spots = {(each.file, each.place.line if each.place else 0) for each in found}
        if len(spots) > 1:
            raise Refused("several statements write its dataset")

        if not spots or not found[0].file:
            raise Refused("no file of the project makes its dataset")

        if found[0].kind == PROGRAM or found[0].file.endswith((".py", ".ipynb", ".js", ".ts")):
            raise Refused("a program makes it")

        return found[0]

    def _settle_passing(self) -> None:
        """A column that a star passes on goes with its sources, or stays with them."""
        for column in reversed(self.passing):
            sources = self.passing[column]
            shown = ", ".join(map(str, sources))
            if sources and all(source in self.gone for source in sources):
                self.gone.add(column)
                self.reasons[column] = f"SELECT * passes on {shown}, so it goes with it"
                self._note_entry(column)
            else:
                self.reasons[column] = f"SELECT * passes on {shown}, which stays"

    def _note_entry(self, column: Column) -> None:
        """Note the YAML entry of a column that goes."""
        info = self.graph.info(column)
        if info is not None and info.place is not None and is_yaml(info.place):
            self.files.text(info.place.file)
            self.entries.setdefault(info.place.file, []).append(info.place)

    def _remove_entries(self) -> None:
        """Take the YAML entries of removed datasets and columns out of their files."""
        for file, places in self.entries.items():
            self.files.write(file, remove_entries(self.files.before[file], places))

    # -- what may be read by files that were not read ----------------------------------------------

    def _check_unread_files(self, word: str, dataset: Dataset) -> None:
        """Refuse what a file names that lineal could not read completely."""
        short = dataset.name.rpartition(".")[2]
        for file, text in self._unread.items():
            if has_word(text, short) and ("*" in text or has_word(text, word)):
                raise Refused(f"{file} could not be read completely and names {short}")

    @cached_property
    def _unread(self) -> dict[str, str]:
        """Return the texts of the files that may read more columns than lineal knows."""
        found: dict[str, str] = {}
        for each in self.graph.extraction.diagnostics:
            if each.code in LOSSES and each.file:
                with suppress(Refused):
                    found[each.file] = self.files.text(each.file)

        return found

    # -- known facts -------------------------------------------------------------------------------

    @cached_property
    def _statements(self) -> dict[Dataset, list[Statement]]:
        """Return the statements that write each dataset."""
        return group(self.graph.extraction.statements, lambda each: each.target)

    @cached_property
    def _by_file(self) -> dict[str, list[Statement]]:
        """Return the statements of each file."""
        return group(self.graph.extraction.statements, lambda each: each.file)

    @cached_property
    def _readers(self) -> dict[Dataset, set[Dataset]]:
        """Return the datasets that each dataset is read for."""
        reads = group(self.graph.reads, lambda each: each.dataset)
        return {name: {each.target for each in own} - {name} for name, own in reads.items()}

    # -- the check ---------------------------------------------------------------------------------

    def check(self, plan: Plan) -> dict[Column | Dataset, str]:
        """Read the edited project; return removals to take back, with the reasons."""
        gone = Removal(
            {each for each in self.gone if isinstance(each, Column)},
            {each for each in self.gone if isinstance(each, Dataset)},
        )
        with edited_copy(self.subject.source, list(plan.edits)) as (source, folder):
            after = Project(source).graph()
            changes = list(differences(self.graph, after, gone))
            fresh = new_diagnostics(
                self.graph.extraction.diagnostics,
                after.extraction.diagnostics,
                lambda each: self._plain_message(each, folder),
            )

        fresh = [each for each in fresh if each.code not in ABOUT_FILES]
        found: dict[Column | Dataset, str] = {}
        for change in (*changes, *self._of_diagnostics(fresh)):
            found.update(self._blame(change))

        if (changes or fresh) and not found:
            found = dict.fromkeys(self.gone, "the rest of the project would change")

        return found

    def _plain_message(self, diagnostic: Diagnostic, folder: str) -> str:
        """Return a message without the folder of the copy."""
        return diagnostic.message.replace(folder, "")

    def _of_diagnostics(self, fresh: list[Diagnostic]) -> Iterator[Change]:
        """Yield the datasets whose files have new diagnostics."""
        for each in fresh:
            for own, statements in self._by_file.items():
                if each.file and own.endswith(each.file.removeprefix("./")):
                    for statement in statements:
                        yield Change(statement.target, each.message)

    def _blame(self, change: Change) -> Iterator[tuple[Column | Dataset, str]]:
        """Yield the removals that may have changed a dataset: those of its columns and sources,
        and of these only the columns that the problem names, if it names any.
        """
        reason = f"the check failed: {change.dataset}: {change.problem}"
        sources = {name for name, readers in self._readers.items() if change.dataset in readers}
        near = {change.dataset, *sources}
        suspects = [at for at in self.gone if dataset_of(at) in near]
        named = [
            at for at in suspects if isinstance(at, Column) and f"'{at.name}'" in change.problem
        ]
        for at in named or suspects:
            yield at, reason
