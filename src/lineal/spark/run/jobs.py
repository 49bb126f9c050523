"""Jobs: the project's steps in the order in which they can be done, and what each of them waits
for.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from lineal.extract.sql.translate import callees_in, words_of_text
from lineal.model import names
from lineal.model.diagnostic import Code, Diagnostic, Severity
from lineal.model.extraction import ColumnInfo, Extraction
from lineal.model.script import Corpus, Function, Script, Step
from lineal.model.sequences import positions_of
from lineal.projects.imports import with_imports
from lineal.spark.run.result import Fault

PYTHON = "python"

BUILT_AS = {"view": "view", "table": "table", "incremental": "incremental", "ephemeral": "view"}
"""How a model is declared, and as what it is built."""

BUILT_OF_PYTHON = {**BUILT_AS, "view": "table", "ephemeral": "table"}
"""The same of a Python model: the rows that it makes are kept, since no query can make them again.
"""

KINDS = {
    "seed": "seed",
    "function": "function",
    "snapshot": "snapshot",
    "source": "source",
    "test": "test",
}
"""Kinds of steps that are built in one way only."""

EXTERNAL = "external"
"""Python that a run does not execute."""

WITHOUT_SQL = ("seed", "source", "test")
NO_DATA = ("function", "test")


@dataclass(frozen=True)
class Job:
    """One step, with what it waits for."""

    key: str
    step: Step
    dialect: str
    needs: frozenset[str] = frozenset()
    """The jobs that it reads or calls: if one of these fails, this one is skipped."""
    after: frozenset[str] = frozenset()
    """The jobs that its tests look at: it waits for them, even if they fail."""
    late: frozenset[str] = frozenset()
    """Later tables that its tests look at: those tests run at the end."""
    columns: tuple[ColumnInfo, ...] = ()
    function: Function | None = None
    fault: Fault | None = None
    """Why it cannot be done, if that is known before it begins."""

    @property
    def name(self) -> str:
        """Return the name of the node."""
        return self.step.name

    @property
    def kind(self) -> str:
        """Return what the node becomes: table, view, seed, test, …"""
        if self.is_python:
            built_as = BUILT_OF_PYTHON.get(self.step.materialized, self.step.materialized)
            if self.step.texts:
                return built_as

            return EXTERNAL

        return KINDS.get(self.step.kind) or BUILT_AS.get(
            self.step.materialized, self.step.materialized
        )

    @property
    def table(self) -> str:
        """Return the name of its table in Spark."""
        return self.step.table or self.step.name

    @property
    def slot(self) -> str:
        """The key of its table in the state of the warehouse."""
        return key_of(self.table)

    @property
    def is_python(self) -> bool:
        """Tell whether the node is a Python model."""
        return self.step.kind == PYTHON

    @property
    def is_data(self) -> bool:
        """Tell whether there is a table or a view at the end of it."""
        return self.kind not in NO_DATA

    @property
    def comes_along(self) -> bool:
        """Whether it is done for the jobs that need it, without being selected: a function, a source."""
        return self.kind in ("function", "source")


def key_of(name: str) -> str:
    """Spark does not tell upper and lower case apart."""
    return names.insensitive(name, False)


def jobs_of(corpus: Corpus, extraction: Extraction) -> dict[str, Job]:
    """Every job by its key, each after what it needs."""
    steps, faults = _distinct(corpus.steps)
    needs = _needs_of_jobs(corpus, extraction, steps)
    order = _order_jobs(
        needs, {key: _tested_datasets(step) & steps.keys() for key, step in steps.items()}
    )
    circles = _circles(needs, order)
    position = positions_of(order)
    columns = {key_of(info.dataset.name): tuple(info.columns) for info in corpus.datasets}
    functions = {key_of(function.name): function for function in corpus.functions}
    jobs: dict[str, Job] = {}
    for key in order:
        related = (_tested_datasets(steps[key]) & steps.keys()) - {key}
        early = frozenset(other for other in related if position[other] < position[key])
        jobs[key] = Job(
            key,
            steps[key],
            corpus.dialect,
            frozenset(needs[key]),
            early,
            frozenset(related - early),
            columns.get(key, ()),
            functions.get(key),
            faults.get(key)
            or _circle_fault(key, circles, steps)
            or _fault_before_start(steps[key], corpus.diagnostics),
        )

    return jobs


def _distinct(steps: Iterable[Step]) -> tuple[dict[str, Step], dict[str, Fault]]:
    """The steps by key; a second one of the same name is a fault of both, since neither is meant
    more.
    """
    found: dict[str, Step] = {}
    faults: dict[str, Fault] = {}
    for step in steps:
        key = key_of(step.name)
        if key in found:
            faults[key] = Fault(
                f"{found[key].file} is called {step.name}, too: give one of them another name",
                step.place,
            )

        found.setdefault(key, step)

    return found, faults


def _fault_before_start(step: Step, diagnostics: list[Diagnostic]) -> Fault | None:
    """Why a step cannot even be tried."""
    if step.kind in ("sql", PYTHON) and step.materialized not in BUILT_AS:
        near = names.closest(step.materialized, list(BUILT_AS))
        meant = f"; did you mean {near}?" if near else f": choose {', '.join(BUILT_AS)}"
        return Fault(f"materialized: {step.materialized} is not known{meant}", step.place)

    if step.problem is not None:
        return Fault(step.problem.message, step.problem.place)

    if step.kind not in WITHOUT_SQL and not step.texts:
        said = _errors_in(step, diagnostics)
        nothing = None if step.kind == PYTHON else Fault("there is no SQL to run", step.place)
        if said:
            return Fault(said[0].message, said[0].place)

        return nothing

    return None


def _errors_in(step: Step, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Return the errors in the files of a step."""
    files = {step.file, step.place.file if step.place else ""}
    return [
        each
        for each in diagnostics
        if each.severity == Severity.ERROR and each.place and each.place.file in files
    ]


# -- what needs what -------------------------------------------------------------------------------


def _needs_of_jobs(
    corpus: Corpus, extraction: Extraction, steps: Mapping[str, Step]
) -> dict[str, set[str]]:
    """Tables by the reads of the static lineage, functions by their calls."""
    needs: dict[str, set[str]] = {key: set() for key in steps}
    for read in extraction.reads:
        target = key_of(read.target.name)
        if target in needs:
            needs[target].add(key_of(read.dataset.name))

    functions = {key_of(function.name) for function in corpus.functions}
    unread = _unread_files(extraction)
    for key, step in steps.items():
        needs[key] |= set(map(key_of, step.depends))
        if step.kind == PYTHON:
            needs[key] = (
                needs[key] | _named_functions(step, unread, functions, steps)
            ) & steps.keys() - {key}
            continue

        for text in dict.fromkeys(step.texts):
            needs[key] |= callees_in(text, corpus.dialect) & functions
            if step.file in unread or _reads_below(step, corpus):
                needs[key] |= words_of_text(text, corpus.dialect) & steps.keys()

        needs[key] |= set(map(key_of, step.refs))
        needs[key] = {
            other for other in needs[key] & steps.keys() if steps[other].kind != "test"
        } - {key}

    return needs


def _named_functions(
    step: Step, unread: set[str], functions: set[str], steps: Mapping[str, Step]
) -> set[str]:
    """The functions that a Python model names; where it is not read completely, also the tables."""
    words = {key_of(word) for text in step.texts for word in WORD.findall(text)}
    found = {name for name in functions if name.rpartition(".")[2] in words}
    if step.file in unread:
        return found | {name for name in steps if name in words}

    return found


WORD = re.compile(r"\w+")


def _unread_files(extraction: Extraction) -> set[str]:
    """Files with a statement that the static lineage could not read: there every name counts."""
    lost = (
        Code.PARSE_ERROR,
        Code.TOO_DEEP,
        Code.UNSUPPORTED_STATEMENT,
        Code.DYNAMIC,
        Code.NOT_WRITTEN,
    )
    return {each.place.file for each in extraction.diagnostics if each.code in lost and each.place}


def _reads_below(step: Step, corpus: Corpus) -> bool:
    """A scalar function with a query in it: its reads are counted for its callers only."""
    return step.kind == "function" and any(
        "select" in words_of_text(text, corpus.dialect) for text in step.texts
    )


def _tested_datasets(step: Step) -> set[str]:
    """Return the datasets that the tests of a step read."""
    columns = {key_of(str(test.arguments["to"])) for test in step.tests if "to" in test.arguments}
    return columns | {key_of(name) for test in step.queries for name in test.reads}


def _order_jobs(needs: Mapping[str, set[str]], related: Mapping[str, set[str]]) -> list[str]:
    """Each after what it needs and, where that is possible, after what its tests look at; circles
    at the end.
    """
    rank = positions_of(needs)
    soft = {key: related[key] - {key} for key in needs}
    lacking = {key: len(needs[key]) for key in needs}
    hoping = {key: len(soft[key] - needs[key]) for key in needs}
    needed_by, hoped_by = (
        _followers(needs),
        _followers({key: soft[key] - needs[key] for key in needs}),
    )
    # in the order of rank: a heap already
    ready = [(rank[key], key) for key in needs if not lacking[key]]
    free = [each for each in ready if not hoping[each[1]]]
    order: dict[str, None] = {}
    while ready:
        _, key = heapq.heappop(free or ready)
        if key in order:
            continue

        order[key] = None
        for follower in needed_by.get(key, ()):
            lacking[follower] -= 1
            if not lacking[follower]:
                heapq.heappush(ready, (rank[follower], follower))

        for follower in hoped_by.get(key, ()):
            hoping[follower] -= 1

        for follower in {*needed_by.get(key, ()), *hoped_by.get(key, ())}:
            if not lacking[follower] and not hoping[follower]:
                heapq.heappush(free, (rank[follower], follower))

    return [*order, *(key for key in needs if key not in order)]


def _followers(needs: Mapping[str, set[str]]) -> dict[str, list[str]]:
    """Return which jobs need each job."""
    found: dict[str, list[str]] = {}
    for key, wanted in needs.items():
        for other in wanted:
            found.setdefault(other, []).append(key)

    return found


def _circles(needs: Mapping[str, set[str]], order: list[str]) -> dict[str, list[str]]:
    """Each job that needs itself through others, with the way around."""
    done: set[str] = set()
    circles: dict[str, list[str]] = {}
    for key in order:
        if needs[key] <= done:
            done.add(key)

    for key in (key for key in order if key not in done):
        way = _way_back(key, needs, done)
        if way:
            circles[key] = way

    return circles


def _way_back(start: str, needs: Mapping[str, set[str]], done: set[str]) -> list[str]:
    """Return the circle that a job is part of."""
    before: dict[str, str] = {}
    border = [start]
    while border:
        here = border.pop(0)
        for other in sorted(needs[here] - done):
            if other == start:
                way = [here]
                while way[-1] != start:
                    way.append(before[way[-1]])

                return way[::-1]

            if other not in before:
                before[other] = here
                border.append(other)

    return []


def _circle_fault(
    key: str, circles: Mapping[str, list[str]], steps: Mapping[str, Step]
) -> Fault | None:
    """Return the fault of a job that reads itself in a circle."""
    if key not in circles:
        return None

    way = " → ".join(steps[each].name for each in [*circles[key], key])
    return Fault(f"it reads itself in a cycle: {way}", steps[key].place)


# -- what a job is made of -------------------------------------------------------------------------


@dataclass
class Fingerprints:
    """The digest of each job: its own texts and files, and the versions of its inputs."""

    jobs: Mapping[str, Job]
    versions: dict[str, str] = field(default_factory=dict)

    def fingerprint_of(self, job: Job) -> str:
        """Return a digest of a node and the versions of its inputs."""
        inputs = sorted((key, self.versions.get(key, "")) for key in job.needs)
        return _digest([_identity_of(job), inputs])


def _identity_of(job: Job) -> list[object]:
    """Return everything that decides the result of a job, apart from its inputs."""
    step = job.step
    tests: list[object] = [
        (test.column, test.name, sorted(test.arguments.items())) for test in step.tests
    ]
    tests += [replace(test, place=None) for test in step.queries]
    hooks = list(map(_text, (*step.before, *step.after)))
    columns = (
        [(column.name, column.type) for column in job.columns]
        if step.kind in ("seed", "function")
        else []
    )
    function = (
        [job.function.parameters, job.function.types, job.function.returns] if job.function else []
    )
    file = step.file if step.kind == "seed" else str(step.settings.get("file", ""))
    rows = _file_digest(Path(file)) if step.kind in ("seed", "source") and file else ""
    settings = sorted(
        (key, value) for key, value in step.settings.items() if key not in NOT_PART_OF_IT
    )
    python = _python(step) if job.is_python else []
    return [
        job.kind,
        step.texts,
        settings,
        tests,
        hooks,
        columns,
        function,
        rows,
        job.dialect,
        *python,
    ]


NOT_PART_OF_IT = ("timeout",)
"""Settings that do not change the built table."""


def _python(step: Step) -> list[object]:
    """Return the inputs of a Python model apart from its text: imported modules, and the values of
    `dbt`.
    """
    roots = list(map(Path, step.roots))
    modules = with_imports(Path(step.file), roots)[1:] if roots else []
    texts = [*step.texts, *(module.read_text("utf-8", "replace") for module in modules)]
    variables = [
        (name, value)
        for name, value in step.variables.items()
        if any(name in text for text in texts)
    ]
    return [texts[1:], sorted(variables, key=str), sorted(step.relations.items())]


def _text(script: Script) -> str:
    """Return the text of a script."""
    return script.text


def _digest(value: object) -> str:
    """Return the digest of a plain value."""
    return hashlib.sha256(json.dumps(value, default=str).encode()).hexdigest()[:24]


def _file_digest(path: Path) -> str:
    """Return the digest of a file; '' if it cannot be read."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return ""
