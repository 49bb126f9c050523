"""A project that is being edited: its lineage, with the unsaved texts of open documents.

    workspace.put(path, text)       an edit
    workspace.check()               evaluates what has to do with it; returns the files concerned
    workspace.refresh()             reads the project again as a whole

After an edit the statements of that file are evaluated against the columns that all other datasets
have. If the columns of its dataset have changed, so are the statements that read them, and so on.
A text that does not parse changes nothing but its own diagnostics.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from lineal.graph.graph import Graph
from lineal.model.boundary import describe_error
from lineal.model.consumers import TEST, VIRTUAL
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.edge import Dataset
from lineal.model.extraction import DatasetInfo, Extraction
from lineal.model.finding import Construct, Finding
from lineal.model.grouping import group_pairs
from lineal.model.script import Corpus, Script
from lineal.model.sequences import flatten
from lineal.projects.relative import root_of
from lineal.projects.source_texts import SourceFiles, Texts
from lineal.resolve.mentions import CorpusMentions, StatementMentions, statements_in
from lineal.rules import Subject, active_rules, check
from lineal.service.editor.documents import Documents
from lineal.service.editor.templates import Alignment, edit_between
from lineal.service.project import Project

WORD = re.compile(r"\w+")
DECLARED = re.compile(
    r"\bcreate\b[\w\s]*?\btable\s+(?:if\s+not\s+exists\s+)?"
    r"(?:[\w\"`\[\]$-]+\s*\.\s*)*[\"`\[]?(?P<name>\w+)[\"`\]]?\s*\(",
    re.I,
)
"""CREATE TABLE shop.orders (      orders"""
PYTHON = "python"
MOST_AFFECTED = 2_000
"""So many statements are evaluated after an edit; with more, the project is read as a whole."""
OF_THE_WHOLE = frozenset(("unused-column", "unused-suppression"))
"""Rules whose findings follow from the whole project."""
BROKEN = frozenset((Code.PARSE_ERROR, Code.INTERNAL_ERROR, Code.TEMPLATE_ERROR))
"""Diagnostics of a text that says nothing about its columns."""

Constructs = Callable[[Corpus], list[Construct]]


@dataclass
class State:
    """The lineage of a project at one moment."""

    corpus: Corpus
    extraction: Extraction
    findings: list[Finding] = field(default_factory=list)
    scripts: dict[str, list[int]] = field(default_factory=dict)
    """the numbers of the scripts of each file"""

    @cached_property
    def graph(self) -> Graph:
        """The lineage, ready for questions."""
        return Graph(self.extraction)

    @cached_property
    def targets(self) -> dict[str, list[int]]:
        """The numbers of the scripts that make a dataset, by its name."""
        return group_pairs(
            (script.target, number)
            for number, script in enumerate(self.corpus.scripts)
            if script.target
        )

    @cached_property
    def readers(self) -> dict[Dataset, set[int]]:
        """The numbers of the scripts that read each dataset."""
        found: dict[Dataset, set[int]] = {}
        for read in self.extraction.reads:
            numbers = self.targets.get(read.target.name)
            if numbers is None and read.place is not None:
                numbers = self.scripts.get(read.place.file)

            found.setdefault(read.dataset, set()).update(numbers or ())

        return found

    @cached_property
    def made_in(self) -> dict[Dataset, str]:
        """The file whose statements make each dataset."""
        found: dict[Dataset, str] = {}
        for edge in self.extraction.edges:
            place = edge.place if edge.into not in found else None
            if place is not None:
                found[edge.into] = place.file

        for dataset in self.extraction.datasets:
            numbers = self.targets.get(dataset.name)
            if numbers:
                found[dataset] = self.corpus.scripts[numbers[0]].file

        return found

    @cached_property
    def declaring(self) -> dict[str, list[str]]:
        """The files with a CREATE TABLE of a name, by the last part of that name."""
        found: dict[str, list[str]] = {}
        for script in self.corpus.scripts:
            for declared in DECLARED.finditer(script.text) if is_statement(script) else ():
                files = found.setdefault(declared["name"].lower(), [])
                if script.file not in files:
                    files.append(script.file)

        return found

    def declared_in(self, dataset: Dataset) -> list[str]:
        """Return the files that may declare a dataset by CREATE TABLE."""
        return self.declaring.get(dataset.name.rpartition(".")[2].lower(), [])


class Workspace:
    """A project with the unsaved texts of its open documents."""

    def __init__(self, project: Project, constructs: Constructs = lambda corpus: []) -> None:
        self.project = project
        self.constructs = constructs
        self.files = SourceFiles(project.source.paths)
        self.documents = Documents(self.files.text)
        self.problem = ""
        """why the project could not be read again; '': it could"""
        self.is_stale = False
        """an edit cannot be followed without reading the project again"""
        self._state: State | None = None
        self._edited: dict[str, None] = {}
        self._concerned: set[str] = set()
        """the files whose diagnostics may have changed since the last check"""
        self._known: dict[str, str] = {}
        self._names: dict[tuple[str, str, int], list[StatementMentions]] = {}
        self._aligned: dict[tuple[str, str, int], Alignment] = {}
        self._broken: dict[str, list[Diagnostic]] = {}
        self._good: dict[tuple[str, str], str] = {}
        """the last text that was read of scripts that cannot be read now, by file and target"""

    # -- documents ---------------------------------------------------------------------------------

    def put(self, path: str, text: str) -> None:
        """Take an unsaved text."""
        path = self.name_of(path)
        self._known.setdefault(path, self.documents.text(path))
        self.documents.put(path, text)
        self._edited[path] = None

    def drop(self, path: str) -> None:
        """Go back to what a file holds."""
        path = self.name_of(path)
        before = self.documents.text(path)
        self.documents.drop(path)
        if self.documents.text(path) != before:
            self._edited[path] = None

    def name_of(self, path: str) -> str:
        """Return the name that the project has for a file."""
        state = self._state
        if state is not None and path not in state.scripts:
            real = os.path.realpath(path)
            if real in state.scripts:
                return real

        return path

    def text(self, path: str) -> str:
        """Return the text of a file as it is now."""
        return self.documents.text(path)

    @property
    def root(self) -> Path:
        """The folder of the project."""
        return root_of(Path(self.project.source.paths[0]))

    # -- known facts -------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """The lineage now, with every edit that can be followed."""
        if self._state is None:
            self._state = self.read()
            self._known.clear()
            self._edited.clear()

        self.follow_edits()
        return self._state

    @property
    def graph(self) -> Graph:
        """The lineage as it is now."""
        return self.state.graph

    def read(self) -> State:
        """CorpusMentions the project as a whole; if no file has changed since, the state before is right."""
        self.project.update()
        corpus = self.project.corpus()
        extraction = self.project.extraction()
        before = self._state
        if before is not None and before.corpus is corpus and before.extraction is extraction:
            return before

        state = State(corpus, extraction, scripts=scripts_by_file(corpus))
        state.findings = self.findings(state, Texts(corpus, self.project.source.paths))
        return state

    def refresh(self) -> bool:
        """CorpusMentions the project again; if that fails, the state before stays, and `problem` says why."""
        try:
            found = self.read()
        except Exception as problem:  # a file that is half typed now is whole the next time
            self.problem = describe_error(problem)
            return False

        self._state, self.problem, self.is_stale = found, "", False
        self._known = dict(self.documents.texts)
        self._edited.clear()
        self._broken.clear()
        self._good.clear()
        self._names.clear()
        self._aligned.clear()
        return True

    def catch_up(self) -> None:
        """CorpusMentions the project again if a file has changed: a place in the text that was read before is
        another place now.
        """
        if self._state is not None and self.project.update():
            self.refresh()

    def findings(self, state: State, texts: Texts) -> list[Finding]:
        """Return what `lineal validate` finds."""
        corpus = state.corpus
        subject = Subject(state.graph, corpus.checks, lambda: self.constructs(corpus))
        return list(check(subject, active_rules(corpus.checks), texts.suppressions()))

    # -- after an edit -----------------------------------------------------------------------------

    def check(self) -> set[str]:
        """Return the files that the edits since the last check concern.

        A hover that is asked for before the check has evaluated them already.
        """
        if self._state is None:
            self._concerned.update(self.state.scripts)

        self.follow_edits()
        concerned, self._concerned = self._concerned, set()
        return concerned

    def follow_edits(self) -> None:
        """Evaluate what the edits since the last time change."""
        edited, self._edited = list(self._edited), {}
        if self._state is None or not edited:
            return

        self._concerned.update(edited)
        changed: set[int] = set()
        corpus = replace(self._state.corpus, scripts=[*self._state.corpus.scripts])
        for path in edited:
            changed |= self.follow(path, corpus)

        if changed:
            self._concerned |= self.evaluate(corpus, changed)

    def follow(self, path: str, corpus: Corpus) -> set[int]:
        """Give the scripts of a file their new texts; the project is stale if that cannot be.

        a plain file        its script is its text
        a dbt model         the edit is made in the rendered SQL, if it is outside Jinja
        anything else       the project is stale
        """
        assert self._state is not None
        before, text = self._known.get(path, ""), self.documents.text(path)
        numbers = self._state.scripts.get(path, [])
        if text == before:
            return set()

        patched: dict[int, Script] = {}
        for number in numbers:
            script = corpus.scripts[number]
            found = Alignment(before, script.text, script.line).patch(text)
            if found is not None and not script.one_line and script.kind not in VIRTUAL:
                patched[number] = replace(script, text=found, expansions=())

        if not patched:
            self.is_stale = True
            return set()

        self._known[path] = text
        for number, script in patched.items():
            corpus.scripts[number] = script

        return set(patched)

    def evaluate(self, corpus: Corpus, changed: set[int]) -> set[str]:
        """Evaluate statements, and those that read what they change.

        stg_orders loses order_id: the models that name it are evaluated, too, and report it
        """
        assert self._state is not None
        before = self._state
        numbers = set(changed)
        while True:
            part = part_of(corpus, numbers, before)
            found = statements_in(part).extraction
            files = {corpus.scripts[number].file for number in changed}
            broken = [each for each in found.diagnostics if is_broken_in(each, files)]
            if broken:
                return self.keep_broken(corpus, changed, broken)

            more = self.affected_scripts(found, before) - numbers
            if not more or len(numbers) > MOST_AFFECTED:
                self.is_stale = self.is_stale or bool(more)
                break

            numbers |= more

        for file in files:
            self._broken.pop(file, None)

        self._good = {key: text for key, text in self._good.items() if key[0] not in files}
        self._state = self.merge(before, corpus, numbers, part, found)
        self._names.clear()
        return {corpus.scripts[number].file for number in numbers}

    def keep_broken(self, corpus: Corpus, changed: set[int], broken: list[Diagnostic]) -> set[str]:
        """Keep the texts that do not parse; all that is known of other files stays."""
        assert self._state is not None
        files = {corpus.scripts[number].file for number in changed}
        for number in changed:
            script = self._state.corpus.scripts[number]
            self._good.setdefault((script.file, script.target or ""), script.text)

        for file in files:
            self._broken[file] = [each for each in broken if is_broken_in(each, {file})]

        self._state = replace(self._state, corpus=corpus)
        return files

    def affected_scripts(self, found: Extraction, before: State) -> set[int]:
        """Return the scripts that read a dataset whose columns have changed.

        select id, amount      after an edit: select id, amount, status
        the readers of the model are concerned: one of them may have a star
        """
        numbers: set[int] = set()
        for dataset, info in found.datasets.items():
            known = before.extraction.datasets.get(dataset)
            if known is not None and (known.names, known.complete) != (info.names, info.complete):
                numbers |= before.readers.get(dataset, set())

        return numbers

    def merge(
        self, before: State, corpus: Corpus, numbers: set[int], part: Corpus, found: Extraction
    ) -> State:
        """Return a state in which some scripts are evaluated again.

        the edges into the datasets of the edited file are new; all others stay
        """
        files = {script.file for script in part.scripts}
        made = {dataset for dataset in found.datasets if self.is_made_by(dataset, part, before)}
        old = before.extraction
        fresh = {dataset: found.datasets[dataset] for dataset in made}

        def is_in_files(diagnostic: Diagnostic) -> bool:
            """Tell whether a diagnostic is in one of the files."""
            return diagnostic.file in files

        extraction = Extraction(
            edges=renew(old.edges, found.edges, lambda edge: edge.into in made),
            reads=renew(old.reads, found.reads, lambda read: read.target in made),
            datasets={**old.datasets, **fresh},
            diagnostics=renew(old.diagnostics, found.diagnostics, is_in_files),
            coverage=old.coverage,
            occurrences=old.occurrences,
            texts=old.texts,
        )
        state = State(corpus, extraction, scripts=before.scripts)
        state.findings = self.merged_findings(before, State(part, found), files)
        return state

    def is_made_by(self, dataset: Dataset, part: Corpus, before: State) -> bool:
        """Tell whether a script of a part makes a dataset."""
        targets = {script.target for script in part.scripts}
        files = {script.file for script in part.scripts if not script.target}
        return dataset.name in targets or before.made_in.get(dataset) in files

    def merged_findings(self, before: State, part: State, files: set[str]) -> list[Finding]:
        """Return the findings with those of some files found again."""
        texts = Texts(replace(part.corpus, datasets=[]), [])
        fresh = self.findings(part, texts)

        def is_new(finding: Finding) -> bool:
            """Tell whether a finding is in one of the files."""
            place = finding.found.place
            if place is None or finding.name in OF_THE_WHOLE:
                return False

            return place.file in files

        return renew(before.findings, fresh, is_new)

    # -- the names of a file -----------------------------------------------------------------------

    def statements(self, path: str, text: str | None = None) -> list[StatementMentions]:
        """Return the statements of a file with what each name in them means.

        A text that does not parse is read without the lines that are at fault. `text` is one that
        is tried instead of the document's own.
        """
        state = self.state
        numbers = state.scripts.get(path, [])
        key = (path, text or "", id(state))
        if key not in self._names:
            make_room(self._names)
            self._names[key] = self.read_names(path, numbers, text)

        return self._names[key]

    def read_names(
        self, path: str, numbers: list[int], text: str | None
    ) -> list[StatementMentions]:
        """Evaluate the statements of a file against the datasets of the project."""
        state = self.state
        scripts = filter(is_statement, (state.corpus.scripts[number] for number in numbers))
        if text is not None:
            scripts = filter(None, (self.patch_script(path, script, text) for script in scripts))

        return flatten(
            read_partly(state, script, self._good.get((path, script.target or ""), ""))
            for script in scripts
        )

    def patch_script(self, path: str, script: Script, text: str) -> Script | None:
        """Return a script of a file with another text; None if the text takes more to read."""
        new = self.align(path, script).patch(text)
        return replace(script, text=new) if new is not None else None

    def align(self, path: str, script: Script) -> Alignment:
        """Return which part of a file is which of a script."""
        key = (path, script.text, script.line)
        if key not in self._aligned:
            written = self._known.get(path, self.text(path))
            make_room(self._aligned)
            is_in_place = script.kind in VIRTUAL
            self._aligned[key] = Alignment(written, script.text, script.line, is_in_place)

        return self._aligned[key]

    def diagnostics_of_broken(self) -> Iterator[Diagnostic]:
        """Yield the diagnostics of texts that do not parse."""
        for several in self._broken.values():
            yield from several

    def is_broken(self, path: str) -> bool:
        """Tell whether the text of a file does not parse."""
        return path in self._broken


Listed = TypeVar("Listed")


def is_broken_in(diagnostic: Diagnostic, files: set[str]) -> bool:
    """Tell whether a diagnostic says that a text of some files cannot be read."""
    place = diagnostic.place
    return place is not None and place.file in files and diagnostic.code in BROKEN


def renew(
    before: list[Listed], after: list[Listed], is_renewed: Callable[[Listed], bool]
) -> list[Listed]:
    """Return a list in which some items are replaced.

    renew([a1, b1], [a2, b2], is_b)      [a1, b2]
    """
    kept = [each for each in before if not is_renewed(each)]
    return [*kept, *filter(is_renewed, after)]


# -- parts of a project ----------------------------------------------------------------------------


MOST_KEPT = 200


def make_room(kept: dict[Any, Any]) -> None:
    """Forget everything once there is too much of it: memory stays bounded."""
    if len(kept) > MOST_KEPT:
        kept.clear()


def is_statement(script: Script) -> bool:
    """Tell whether the text of a script is SQL that its file spells out; a hook is on one line."""
    return not script.one_line and script.dialect != PYTHON


def scripts_by_file(corpus: Corpus) -> dict[str, list[int]]:
    """Return the numbers of the scripts of each file."""
    found: dict[str, list[int]] = {}
    for number, script in enumerate(corpus.scripts):
        found.setdefault(script.file, []).append(number)

    return found


def part_of(corpus: Corpus, numbers: Iterable[int], state: State) -> Corpus:
    """Return a corpus of some scripts; all other datasets are declared with the columns that they
    have.

    one model, and the 30 datasets that it may name, instead of 1,000 models
    """
    scripts = [corpus.scripts[number] for number in sorted(numbers)]
    if any(script.dialect == "python" for script in scripts):
        scripts += [each for each in corpus.scripts if each.kind == "module"]

    return corpus_with(corpus, scripts, state)


def corpus_with(corpus: Corpus, scripts: list[Script], state: State) -> Corpus:
    """Return a corpus of these scripts, with what they may name."""
    words = set(chain.from_iterable(WORD.findall(script.text.lower()) for script in scripts))
    targets = {script.target for script in scripts}
    files = {script.file for script in scripts if not script.target}
    datasets = state.extraction.datasets
    made = targets | {each.name for each in datasets if state.made_in.get(each) in files}
    named = {each.name for each in datasets if is_named(each.name, words)}
    if files:  # a table that an INSERT of these files fills may be declared in another one
        made -= {each.name for each in datasets if set(state.declared_in(each)) - files} - targets

    own = [info for info in corpus.datasets if info.dataset.name in made]
    others = [
        known_columns(info)
        for dataset, info in datasets.items()
        if dataset.name in named - made and info.kind != TEST
    ]
    kept = {name: value for name, value in corpus.aliases.items() if value in named | made}
    return replace(
        corpus,
        scripts=scripts,
        datasets=[*own, *others],
        aliases=kept,
        relations={},
        diagnostics=[],
        steps=[],
        before=[],
        after=[],
        occurrences=[],
        given=[],
        main=None,
    )


def known_columns(info: DatasetInfo) -> DatasetInfo:
    """Return a dataset as it is known: its columns are as good as declared."""
    return replace(info, declared=info.columns, produced=None)


def is_named(name: str, words: set[str]) -> bool:
    """Tell whether a text with these words may name a dataset.

    shop.orders and semantic_model:orders are named by a text that has the word orders
    """
    last = name.rpartition(".")[2].rpartition(":")[2]
    return all(word in words for word in WORD.findall(last.lower()))


def read_partly(state: State, script: Script, good: str) -> list[StatementMentions]:
    """Return the mentions of a script; of one that no grammar takes, without the lines at fault.

    `good` is the last text of the script that was read.

    select id, coalesce( from orders      id is resolved; the half-typed call is not
    """
    found, errors = read_text(state, script, script.text)
    if not errors:
        return found

    for lines in suspects(script.text, good, errors):
        several, faults = read_text(state, script, without_lines(script.text, lines))
        if count_mentions(several) > count_mentions(found):
            found = several

        if not faults:
            break

    return found


def suspects(text: str, good: str, errors: list[int]) -> Iterator[set[int]]:
    """Yield the lines that may keep a text from being read: the ones just typed, and those that the
    grammar stumbles over.

    select
        id,
        coalesce(        this line was typed: without it, the statement can be read
    from orders
    """
    if good:
        start, _, new = edit_between(good, text)
        first = text.count("\n", 0, start)
        yield set(range(first, first + new.count("\n") + 1))

    yield set(errors)
    yield {line - 1 for line in errors}
    yield set(chain.from_iterable((line - 1, line) for line in errors))


def without_lines(text: str, numbers: set[int]) -> str:
    """Return a text with spaces in place of some lines; every other word stays where it is."""
    lines = text.split("\n")
    for number in numbers:
        if 0 <= number < len(lines):
            lines[number] = " " * len(lines[number])

    return "\n".join(lines)


def count_mentions(several: list[StatementMentions]) -> int:
    """Return how many names were resolved."""
    return sum(len(each.mentions) for each in several)


def read_text(state: State, script: Script, text: str) -> tuple[list[StatementMentions], list[int]]:
    """Return the mentions of a text, and the lines that no grammar takes, counted from 0."""
    read = read_script(state, replace(script, text=text))
    errors = [
        each.place.line - script.line
        for each in read.extraction.diagnostics
        if each.code is Code.PARSE_ERROR and each.place is not None
    ]
    return read.statements, errors


def read_script(state: State, script: Script) -> CorpusMentions:
    """Evaluate one script against the datasets of a state."""
    return statements_in(corpus_with(state.corpus, [script], state))
