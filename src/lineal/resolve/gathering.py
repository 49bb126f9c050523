"""Gathering: from scripts and declarations to definitions."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TypeVar

from sqlglot import exp

from lineal.extract.entries import Definition, Entry, Setting
from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.expansions import reading_of
from lineal.extract.sql.reading import Reading
from lineal.extract.sql.statements.steps import Plan, Step
from lineal.model.boundary import culprits, internal_error
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.grouping import group
from lineal.model.script import Function
from lineal.model.sequences import first_of_each, positions_of, second_of_each
from lineal.resolve.boundary import Boundary, place_of_statement
from lineal.resolve.catalog import PYTHON, NameCatalog, table_key
from lineal.resolve.file_names import file_stem, folders_of, name_files
from lineal.resolve.folders import Definer, Home, HomesOfName, definers_of, homes_of, open_homes
from lineal.resolve.hooks import ReadingHooks
from lineal.resolve.naming import Naming
from lineal.resolve.progress import watch
from lineal.resolve.routines import Routines
from lineal.resolve.scripts import Prepared
from lineal.resolve.timeline import Timeline, order_matters
from lineal.resolve.versions import Arranged, Versions

Scripts = TypeVar("Scripts", Prepared, Arranged)

MOST_NAMED = 5
"""A message names so many files."""


class Gatherer:
    """Fills the catalog with what a corpus declares and defines."""

    def __init__(
        self,
        catalog: NameCatalog,
        versions: Versions,
        routines: Routines,
        boundary: Boundary,
        hooks: ReadingHooks,
    ) -> None:
        self.catalog = catalog
        self.versions = versions
        self.routines = routines
        self.boundary = boundary
        self.hooks = hooks
        self.facts = catalog.facts
        self.file_names: dict[str, str] = {}
        """the names of files that share a stem"""
        self.declared_apart: dict[Dataset, tuple[Entry, Facts]] = {}
        """the names that the DDL of several files declares"""
        self.on_declare: Callable[[Plan, Reading, Entry], None] | None = None
        """is told each statement that only declares a table"""

    def gather(self) -> None:
        """Declare and define everything except programs."""
        corpus = self.catalog.corpus
        for info in corpus.datasets:
            self.boundary.attempt(
                partial(self.catalog.declare, info), info.place, "this declaration"
            )

        for written, name in corpus.aliases.items():
            self.boundary.attempt(
                partial(self.catalog.add_alias, written, name), None, f"the name of {name}"
            )

        for function in corpus.functions:
            at = Place(function.body.file, function.body.line, 1)
            self.boundary.attempt(partial(self.add_function, function), at, "this function")

        prepared = [
            self.hooks.prepare(script)
            for script in watch(corpus.scripts)
            if script.dialect != PYTHON
        ]
        if self.routines.procedural_scripts:
            prepared = self.attempt_all(self.link_triggers, prepared, "the triggers")

        for script in prepared:
            plans = [step for step, _ in script.steps if isinstance(step, Plan) and step.defines]
            self.catalog.created.update(plan.key for plan in plans)
            for plan in plans:
                self.catalog.note_without_project((plan.name, plan.key))

        prepared = self.attempt_all(self.share_used, prepared, "the schemas of USE")
        attempt = self.boundary.attempt
        attempt(partial(self.name_all_bare, prepared), None, "the names of files")
        prepared = self.attempt_all(self.tell_apart, prepared, "the folders of names")
        attempt(partial(self.choose_spellings, prepared), None, "the spellings of names")
        arranged = self.attempt_all(
            self.name_temporaries,
            [each for script in prepared if (each := self.try_arrange(script)) is not None],
            "the names of temporary tables",
        )
        for each in arranged:
            self.add_script(each)

        for entry, facts in self.declared_apart.values():
            entry.declared = unite_declarations(entry.ddl, facts)

    def link_triggers(self, scripts: list[Prepared]) -> list[Prepared]:
        """Give triggers' functions their rows; what they set in a row is written into its table."""
        from lineal.extract.sql.procedural.triggers import link_triggers

        link_triggers(self.routines.procedural_scripts)
        return [script._replace(steps=list(self.set_rows(script))) for script in scripts]

    def set_rows(self, script: Prepared) -> Iterator[tuple[Step, Naming | None]]:
        """Yield the steps of a script, with plans for the tables whose rows a trigger sets."""
        from lineal.extract.sql.procedural.triggers import aim_at_tables, unknown_row

        for step, naming in script.steps:
            if not isinstance(step, Plan) or not step.sets_row:
                yield step, naming
                continue

            for plan in aim_at_tables(step, script.facts):
                yield plan, naming

            if not step.moment.body.triggers and step.node.find(exp.Column) is not None:
                self.boundary.report(unknown_row(step.moment.body))

    def attempt_all(
        self, work: Callable[[list[Scripts]], list[Scripts]], scripts: list[Scripts], what: str
    ) -> list[Scripts]:
        """Return what some work makes of all scripts; the scripts as they are if that fails."""
        try:
            return work(scripts)
        except Exception as error:
            self.boundary.lose(internal_error(error, None, what))
            return scripts

    def name_all_bare(self, scripts: list[Prepared]) -> None:
        """Name the bare SELECTs of all scripts: several files may share a stem."""
        catalog = self.catalog
        taken = catalog.created | catalog.declared.keys()
        found = name_files(scripts, taken, self.facts.fold_dataset)
        self.file_names = found.names
        catalog.file_named.update(found.names.values())
        for key, name in found.tails.items():
            own = table_key(name, self.facts.fold_dataset)
            if key != own:
                catalog.shown[key] = (own, name)

        for script in scripts:
            try:
                self.name_bare(first_of_each(script.steps), script.reading, script.facts)
            except Exception:  # noqa: S112  `arrange` meets it again, and reports it
                continue

    def tell_apart(self, scripts: list[Prepared]) -> list[Prepared]:
        """A name that scripts of several folders define differently is a dataset in each of them;
        else the doubt is reported.
        """
        catalog = self.catalog
        for key, definers in definers_of(scripts).items():
            file = definers[0].file
            work = partial(self.find_homes, key, definers)
            self.boundary.attempt(work, Place(file, 1, 1), f"the definitions of {key}")

        for key, homes in open_homes(scripts, catalog.created | catalog.declared.keys()).items():
            catalog.homes.setdefault(key, homes)

        if not catalog.homes:
            return scripts

        catalog.naming = catalog.naming.at("", catalog.homes)
        catalog.created.update(home.key for homes in catalog.homes.values() for home in homes.all)
        return list(map(self.tell_script_apart, scripts))

    def share_used(self, scripts: list[Prepared]) -> list[Prepared]:
        """Let scripts without USE mean the tables that other scripts create after USE."""
        used = self.catalog.used
        if self.facts.leaves_out_project:  # a table that is created as d.t stays what it is
            used = {key: full for key, full in used.items() if not self.catalog.defines(key)}

        if not used:
            return scripts

        naming = self.catalog.naming = self.catalog.naming._replace(used=used)
        return [
            script._replace(
                steps=[(step, (own or naming)._replace(used=used)) for step, own in script.steps]
            )
            for script in scripts
        ]

    def choose_spellings(self, scripts: list[Prepared]) -> None:
        """CREATE TABLE Orders …; CREATE TABLE ORDERS …: the most frequent spelling is shown."""
        names: dict[str, list[str]] = {}
        for script in scripts:
            for step, _ in script.steps:
                if isinstance(step, Plan) and step.defines:
                    names.setdefault(step.key, []).append(step.name)

        self.catalog.preferred = {
            key: spelled[0] if len(spelled) == 1 else most_frequent(spelled)
            for key, spelled in names.items()
        }

    def find_homes(self, key: str, definers: list[Definer]) -> None:
        """Find out whether a name is one dataset, or several; report one that is defined twice."""
        by_folder = group(definers, lambda each: folders_of(each.file))
        several: list[Home] = []
        if len(by_folder) > 1 and key not in self.catalog.declared:
            several = homes_of(key, definers, self.facts.fold_dataset)

        if not several:
            self.report_duplicates(definers)
            return

        self.catalog.homes[key] = HomesOfName(several)
        for home in several:
            inside = chain.from_iterable(by_folder[folder] for folder in home.folders)
            self.report_duplicates(sorted(inside, key=lambda each: each.file))

    def report_duplicates(self, definers: list[Definer]) -> None:
        """Report definitions of one dataset in several files, unless they are the same DDL."""
        declared = all(each.plan.schema is not None for each in definers)
        if declared and len({each.outline for each in definers}) == 1:
            return

        files = list(dict.fromkeys(each.file for each in definers))
        number_of = positions_of(files)
        for each in definers[1:]:
            number = number_of[each.file]
            if number:
                more = f" and {number - MOST_NAMED} more" if number > MOST_NAMED else ""
                others = ", ".join(files[: min(number, MOST_NAMED)]) + more
                message = f"'{each.plan.name}' is defined in {others} too"
                at = place_of_statement(each.script.reading, each.plan.node)
                self.boundary.report(Diagnostic(Code.DUPLICATE_DEFINITION, message, at))

    def tell_script_apart(self, script: Prepared) -> Prepared:
        """A script with the names that its folder means."""
        file, homes = script.reading.script.file, self.catalog.homes
        steps: list[tuple[Step, Naming | None]] = []
        for step, naming in script.steps:
            near = (naming or self.catalog.naming).at(file, homes)
            if isinstance(step, Plan) and step.defines:
                step.name, step.key = near.near(step.name, step.key)

            steps.append((step, near))

        return script._replace(steps=steps)

    def add_function(self, function: Function) -> None:
        """Add a function of the project; one that gives a table is a definition."""
        if not function.table:
            from lineal.extract.sql.procedural.routines import routines_of

            problems: list[Diagnostic] = []
            self.routines.add(routines_of(function, problems))
            for problem in problems:
                self.boundary.report(problem)

            if problems:
                self.boundary.coverage.miss(problems[0].code.code)

            return

        reading = reading_of(function.body, self.boundary.failures)
        trees = self.hooks.parse(reading)
        key = table_key(function.name, self.facts.fold_dataset)
        entry = self.catalog.entry(key, function.name, "function")
        entry.kind = "function"
        self.catalog.tabulated.add(key)
        columns = [(info.name, self.facts.fold(info.name, False)) for info in function.columns]
        for tree in trees[:1]:
            plan = Plan(function.name, key, "function", query=tree, columns=columns, node=tree)
            self.catalog.add_definition(
                Definition(plan, reading, self.facts, entry, function.parameters)
            )

    def try_arrange(self, script: Prepared) -> Arranged | None:
        """A script with its names and its order; None if that fails."""
        try:
            return self.arrange(script)
        except Exception as error:
            self.fail_steps(script.reading, first_of_each(script.steps), error)
            return None

    def fail_steps(self, reading: Reading, steps: Sequence[Step], error: Exception) -> None:
        """Statements that are planned cannot be put in their places."""
        script = reading.script
        reading.fail(error, Place(script.file, script.line, 1), max(1, len(steps)), "this script")

    def name_temporaries(self, scripts: list[Arranged]) -> list[Arranged]:
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
            naming.with_full_name(step) if naming is not None else step
            for step, naming in script.steps
        ]
        self.name_bare(steps, reading, facts)
        timeline = Timeline(steps) if order_matters(steps) else None
        return Arranged(reading, facts, steps, second_of_each(script.steps), timeline)

    def name_bare(self, steps: list[Step], reading: Reading, facts: Facts) -> None:
        """SELECT …: named after its model, its file, or its text."""
        bare = [step for step in steps if isinstance(step, Plan) and not step.name]
        if not bare:
            return

        script = reading.script
        name = script.target or self.file_names.get(script.file) or file_stem(script.file)
        made = [step for step in steps if isinstance(step, Plan) and step.name and step.defines]
        if script.target is not None:  # a model may declare its own table first
            made = [step for step in made if step.schema is None]

        taken = {step.key for step in made}
        numbers = iter(range(1, len(bare) + len(taken) + 1))
        for plan in bare:
            plan.kind = script.kind
            if not name:
                plan.name = f"query_{text_hash(reading, plan.node)}"
                plan.key = table_key(plan.name, facts.fold_dataset)

            while not plan.key or plan.key in taken:  # x.sql may make a table x, too
                number = next(numbers)
                plan.name = name if number == 1 else f"{name}_{number}"
                plan.key = table_key(plan.name, facts.fold_dataset)

    def add_script(self, script: Arranged) -> None:
        """Add the definitions of a script, under the names that they write."""
        if script.timeline is not None:
            self.add_versions(script)
            return

        for step, naming in zip(script.steps, script.namings, strict=True):
            if not isinstance(step, Plan):
                continue

            try:
                entry = self.catalog.entry(step.key, step.name, step.kind)
                definition = self.add_plan(step, script.reading, script.facts, entry)
            except Exception as error:
                script.reading.fail(error, script.reading.statement_near(step.node))
                continue

            if definition is not None and naming is not None:
                definition.setting = Setting(None, 0, naming)

    def add_versions(self, script: Arranged) -> None:
        """A script whose order matters; if that fails, none of its statements stays."""
        before = len(self.catalog.order)
        try:
            self.versions.add(script, self.add_plan)
        except Exception as error:
            self.catalog.remove_since(before)
            self.versions.forget(script)
            self.fail_steps(script.reading, script.steps, error)

    def add_plan(
        self, plan: Plan, reading: Reading, facts: Facts, entry: Entry
    ) -> Definition | None:
        """CREATE TABLE t (a INT) declares t; whatever else writes into t is a definition of it."""
        if plan.schema is not None:
            info = DatasetInfo(entry.dataset, plan.kind, plan.schema, complete=bool(plan.schema))
            if entry.declared is None or not entry.declared.complete:
                entry.declared = info
                entry.ddl[reading.script.file] = info
            elif entry.ddl and reading.script.file not in entry.ddl:
                entry.ddl[reading.script.file] = info
                self.declared_apart[entry.dataset] = (entry, facts)

            entry.declared_in |= {reading.script.file}
            if self.on_declare is not None:
                self.on_declare(plan, reading, entry)

            if not entry.deciding and entry.told is None and entry.kind != "temporary":
                entry.kind = plan.kind

            entry.like = plan.like
            return None

        definition = self.catalog.add_definition(Definition(plan, reading, facts, entry))
        decides = plan.defines or entry.declared is None
        if decides and entry.told is None and entry.kind != "temporary":
            entry.kind = (entry.deciding or entry.definitions)[-1].plan.kind

        return definition


def most_frequent(spelled: list[str]) -> str:
    """Return the spelling that occurs most often; of several the first by code point."""
    votes = Counter(spelled)
    return min(votes, key=lambda name: (-votes[name], name))


def unite_declarations(ddl: dict[str, DatasetInfo], facts: Facts) -> DatasetInfo:
    """CREATE TABLE t (a INT), CREATE TABLE t (a INT, b INT)      the columns of both, by file"""
    columns: dict[str, ColumnInfo] = {}
    infos = [ddl[file] for file in sorted(ddl)]
    for info in infos:
        for column in info.columns:
            columns.setdefault(facts.fold(column.name, column.quoted), column)

    complete = all(info.complete for info in infos)
    return replace(infos[0], columns=list(columns.values()), complete=complete)


def text_hash(reading: Reading, tree: object) -> str:
    """Of the statement's words: white space and comments do not count."""
    said = reading.words_of(tree).encode("utf-8", "surrogatepass")
    return hashlib.sha256(said).hexdigest()[:8]
