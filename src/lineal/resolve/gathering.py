"""Gathering: from scripts and declarations to definitions."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial
from typing import Any

from lineal.extract.entries import Definition, Entry, Setting
from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.expansions import reading_of
from lineal.extract.sql.procedural.routines import routines_of
from lineal.extract.sql.procedural.triggers import link_triggers
from lineal.extract.sql.reading import Reading
from lineal.extract.sql.statements.steps import Plan, Step
from lineal.model.boundary import culprits
from lineal.model.diagnostic import Place
from lineal.model.extraction import DatasetInfo
from lineal.model.script import Function
from lineal.resolve.boundary import Boundary
from lineal.resolve.catalog import NameCatalog, table_key
from lineal.resolve.hooks import ReadingHooks
from lineal.resolve.routines import Routines
from lineal.resolve.scripts import Prepared
from lineal.resolve.timeline import Timeline, order_matters
from lineal.resolve.versions import Arranged, Versions

PYTHON = "python"
"""The language of a script that is no SQL."""


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

    def gather(self) -> None:
        """Declare and define everything that is no program."""
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
            self.hooks.prepare(script) for script in corpus.scripts if script.dialect != PYTHON
        ]
        link_triggers(self.routines.procedural_scripts)
        for script in prepared:
            self.catalog.created.update(
                step.key for step, _ in script.steps if isinstance(step, Plan) and step.defines
            )
        arranged = self.name_temporaries(
            [each for script in prepared if (each := self.try_arrange(script)) is not None]
        )
        for each in arranged:
            self.add_script(each)

    def add_function(self, function: Function) -> None:
        """Add a function of the project; one that gives a table is a definition."""
        if not function.table:
            self.routines.add(routines_of(function, self.boundary.diagnostics))
            return
        reading = reading_of(function.body, self.boundary.failures)
        trees = self.hooks.parsed(reading)
        self.boundary.coverage.resolved += len(trees[:1])
        key = table_key(function.name, self.facts.fold_table)
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
            self.fail_steps(script.reading, [step for step, _ in script.steps], error)
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
            naming.located(step) if naming is not None else step for step, naming in script.steps
        ]
        self.name_bare(steps, reading, facts)
        timeline = Timeline(steps) if order_matters(steps) else None
        return Arranged(reading, facts, steps, [naming for _, naming in script.steps], timeline)

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
            entry.like = plan.like
            return None
        if entry.declared is None and entry.kind != "temporary":
            entry.kind = plan.kind
        return self.catalog.add_definition(Definition(plan, reading, facts, entry))


def file_stem(path: str) -> str:
    """models/orders.sql      orders"""
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    return name.rsplit(".", 1)[0] if "." in name else name


def text_hash(reading: Reading, tree: Any) -> str:
    """Of the statement's words: white space and comments do not count."""
    return hashlib.sha256(reading.words_of(tree).encode()).hexdigest()[:8]
