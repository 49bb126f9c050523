"""Steps: what a run does for each node of a dbt project, whether its files or a manifest tell.

A node's table has the name of its dataset in Spark, whatever database, schema and alias it has in
the warehouse; where Spark does not take that name, `table_names` makes one that it takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from lineal.model.diagnostic import Code, Diagnostic, Place, Severity
from lineal.model.plain import some_or_none
from lineal.model.script import ColumnTest, QueryTest, Script, Step
from lineal.projects.dbt.adapters import incremental_strategy
from lineal.projects.dbt.node import REFERABLE, Node, is_enabled
from lineal.projects.dbt.rendering import RenderedNode

if TYPE_CHECKING:
    from lineal.projects.dbt.corpus import Assembly

BUILT = {
    "materialized_view": "view",
    "dynamic_table": "view",
    "streaming_table": "table",
    "external": "table",
}
"""Materializations of some adapters, and their counterparts in Spark."""

MODEL_SETTINGS = (
    "unique_key", "incremental_strategy", "merge_update_columns", "merge_exclude_columns", "on_schema_change",
    "partition_by", "incremental_predicates", "predicates", "full_refresh",
)  # fmt: skip
SNAPSHOT_SETTINGS = (
    "strategy", "unique_key", "updated_at", "check_cols", "hard_deletes", "invalidate_hard_deletes",
    "dbt_valid_to_current", "snapshot_meta_column_names",
)  # fmt: skip
SEED_SETTINGS = ("delimiter", "column_types")
BUILTIN = {
    "unique": frozenset(("column_name",)),
    "not_null": frozenset(("column_name",)),
    "accepted_values": frozenset(("column_name", "values")),
    "relationships": frozenset(("column_name", "to", "field")),
}
"""The tests that dbt brings, and their arguments: where nothing else is said they are checked in
one pass.
"""

USUAL = {
    "where": "",
    "limit": "",
    "error_if": "!= 0",
    "warn_if": "!= 0",
    "fail_calc": "count(*)",
    "severity": "error",
}
"""How a test is run of which nothing is said; a manifest says so of each."""

IDENTIFIER = re.compile(r"[A-Za-z_]\w*\Z")
UNFIT = re.compile(r"[^A-Za-z0-9_]")


class Steps:
    """The steps of a project whose templates are rendered."""

    def __init__(
        self,
        assembly: Assembly,
        made: Mapping[str, RenderedNode],
        tests: list[Node],
        tested: Mapping[str, RenderedNode],
    ) -> None:
        self.assembly = assembly
        self.kitchen = assembly.kitchen
        self.dialect = assembly.corpus.dialect
        self.made = made
        self.nodes = [
            node
            for node in assembly.nodes
            if is_enabled(node) and node.kind in ("source", *REFERABLE)
        ]
        self.tables = table_names(node.dataset for node in self.nodes)
        self.tests = list(filter(is_enabled, tests))
        self.tested = tested
        self.owners = {node.id: node for node in self.nodes}
        self.overridden = overridden_tests(self.kitchen.macros)

    def all(self) -> list[Step]:
        """Every node's step; a source that is itself a seed or model has none of its own."""
        built = {node.dataset for node in self.nodes if node.kind != "source"}
        tests = self.tests_by_dataset()
        steps = [
            self.step(node, tests.get(node.dataset, []))
            for node in self.nodes
            if node.kind != "source"
        ]
        named = set(chain.from_iterable(step.refs for step in steps)) | set(tests)
        done: set[str] = set()
        for node in self.nodes:
            if node.kind == "source" and node.dataset not in built | done and node.dataset in named:
                done.add(node.dataset)
                steps.append(self.source(node, tests.get(node.dataset, [])))

        return [
            *steps,
            *(
                self.singular(node)
                for node in self.tests
                if not node.test or not node.test.attached
            ),
        ]

    # -- nodes -------------------------------------------------------------------------------------

    def step(self, node: Node, tests: list[Node]) -> Step:
        """The step of a seed, model or snapshot."""
        columns, queries = self.checks(node, tests)
        hooks = {
            key: nonempty_scripts(scripts)
            for key, scripts in self.assembly.hooks.get(node.id, {}).items()
        }
        first = (hooks.get("pre-hook", ()), hooks.get("post-hook", ()))
        later = (hooks.get("pre-hook again", ()), hooks.get("post-hook again", ()))
        common: dict[str, Any] = {
            "tests": tuple(columns), "queries": tuple(queries), "before": first[0], "after": first[1],
            "again": later if later != first else None, "lenient": True, "place": node.place,
            "table": self.table(node.dataset), "line": node.line, "refs": tuple(self.refs(node)),
            "tags": tags_of(node.config),
        }  # fmt: skip
        if node.kind == "seed":
            reader = "dbt-duckdb" if self.kitchen.target["type"] == "duckdb" else "dbt"
            settings = {"reader": reader, **pick_settings(node.config, SEED_SETTINGS)}
            return Step(node.dataset, "seed", node.file, settings=settings, **common)

        if node.is_python:
            return self.python(node, common)

        texts, problem = self.texts(node)
        if node.kind == "snapshot":
            settings = pick_settings(node.config, SNAPSHOT_SETTINGS)
            kind, materialized = "snapshot", "snapshot"
        else:
            strategy = incremental_strategy(self.kitchen.target["type"], node.config)
            settings = {
                **pick_settings(node.config, MODEL_SETTINGS),
                "incremental_strategy": strategy,
            }
            kind, materialized = "sql", node.materialized.lower() or "view"

        materialized = BUILT.get(materialized, materialized)
        return Step(
            node.dataset, kind, node.file, texts, materialized, settings, problem=problem, **common
        )

    def python(self, node: Node, common: Mapping[str, Any]) -> Step:
        """def model(dbt, session): …"""
        context = self.assembly.context(node)
        strategy = incremental_strategy(self.kitchen.target["type"], context.settings)
        return Step(
            node.dataset,
            "python",
            node.file,
            (node.text,),
            str(context.settings.get("materialized") or "table").lower(),
            {**context.settings, "incremental_strategy": strategy},
            relations=context.relations,
            variables=context.variables,
            **common,
        )

    def texts(self, node: Node) -> tuple[tuple[str, ...], Diagnostic | None]:
        """The SQL of a first and of a later build, and why it cannot be known."""
        made = self.made.get(node.id, RenderedNode())
        problem = problem_of(node, made)
        if node.compiled is not None and problem is not None:
            return (node.compiled, node.compiled), None

        return made.runs, problem

    def refs(self, node: Node) -> Iterator[str]:
        """Yield the datasets that a node needs."""
        made = self.made.get(node.id, RenderedNode())
        ids = made.refs if made.runs else node.depends
        for id_ in ids:
            held = self.assembly.by_id.get(id_)
            if held is not None and held.dataset != node.dataset:
                yield held.dataset

        for _, name, _, _ in made.unknown:
            yield str(name)

    def table(self, dataset: str) -> str:
        """The name in Spark, where it is not the dataset's own."""
        return self.tables.get(dataset, "")

    def source(self, node: Node, tests: list[Node]) -> Step:
        """Return the step of a source: where its rows come from, and its tests."""
        columns, queries = self.checks(node, tests)
        settings: dict[str, Any] = {"relation": list(filter(None, node.parts))}
        provider = self.assembly.providers.get(node.id)
        seed = provider.seed if provider is not None else None
        if seed is not None:
            settings["seed"] = seed.dataset
        elif provider is not None:
            settings["file"] = str(provider.file)

        return Step(
            node.dataset, "source", node.file, settings=settings, tests=tuple(columns), queries=tuple(queries),
            place=node.place, table=self.table(node.dataset), refs=(seed.dataset,) if seed is not None else (),
        )  # fmt: skip

    # -- tests -------------------------------------------------------------------------------------

    def tests_by_dataset(self) -> dict[str, list[Node]]:
        """Return the tests that belong to each dataset."""
        found: dict[str, list[Node]] = {}
        for node in self.tests:
            owner = self.owners.get(node.test.attached) if node.test else None
            if owner is not None:
                found.setdefault(owner.dataset, []).append(node)

        return found

    def checks(self, node: Node, tests: list[Node]) -> tuple[list[ColumnTest], list[QueryTest]]:
        """The tests of a node: those that are checked in one pass, and those that are queries."""
        columns: list[ColumnTest] = []
        queries: list[QueryTest] = []
        for test in tests:
            plain = self.plain(test)
            if plain is not None:
                columns.append(plain)
            else:
                queries.append(self.query(test, node.dataset))

        return columns, queries

    def plain(self, node: Node) -> ColumnTest | None:
        """A test that dbt brings, of which nothing special is said."""
        test = node.test
        if (
            test is None
            or test.name not in BUILTIN
            or test.name in self.overridden
            or not test.arguments
        ):
            return None

        arguments = {key: value for key, value in test.arguments.items() if key != "model"}
        if arguments.keys() - BUILTIN[test.name] or is_special(node.config):
            return None

        column = str(arguments.pop("column_name", ""))
        if not IDENTIFIER.match(column) or "{{" in str(arguments):
            return None

        if test.name == "relationships":
            to = self.kitchen.index.find_reference(node.package, str(arguments.get("to")))
            if to is None or not IDENTIFIER.match(str(arguments.get("field"))):
                return None

            arguments["to"] = to.dataset

        return ColumnTest(column, test.name, arguments, test.place)

    def query(self, node: Node, owner: str = "") -> QueryTest:
        """A test as a query."""
        test = node.test
        assert test is not None
        made = self.tested.get(node.id, RenderedNode())
        config = node.config | made.config
        problem = None if node.compiled is not None else problem_of(node, made)
        text = node.compiled or (made.runs[0] if made.runs and problem is None else "")
        reads = tuple(dict.fromkeys(name for name in self.test_refs(node, made) if name != owner))
        limit = config.get("limit")
        return QueryTest(
            node.name,
            Script(text, self.dialect, node.file, node.line),
            test.column,
            test.place or Place(node.file, node.line, 1),
            reads,
            str(config.get("severity") or "error").lower(),
            str(config.get("fail_calc") or "count(*)"),
            str(config.get("error_if") or "!= 0"),
            str(config.get("warn_if") or "!= 0"),
            int(str(limit)) if str(limit or "").isdigit() else None,
            problem.message if problem is not None else "",
        )

    def test_refs(self, node: Node, made: RenderedNode) -> Iterator[str]:
        """Yield the datasets that a test reads."""
        for id_ in made.refs or node.depends:
            held = self.assembly.by_id.get(id_)
            if held is not None:
                yield held.dataset

    def singular(self, node: Node) -> Step:
        """Return the step of a test in a file of its own."""
        query = self.query(node)
        taken = any(other.dataset.lower() == node.name.lower() for other in self.nodes)
        return Step(
            f"test.{node.name}" if taken else node.name,
            "test",
            node.file,
            queries=(query,),
            place=query.place,
            refs=query.reads,
        )


def nonempty_scripts(scripts: Iterable[Script]) -> tuple[Script, ...]:
    """Those that say something."""
    return tuple(script for script in scripts if script.text.strip())


def is_special(config: Mapping[str, object]) -> bool:
    """Tell whether a test is run in a way of its own."""
    return any(str(config.get(key) or usual).lower() != usual for key, usual in USUAL.items())


def problem_of(node: Node, made: RenderedNode) -> Diagnostic | None:
    """Why a template has no SQL that can be run."""
    here = Place(node.file, node.line, 1)
    if not made.runs:
        unable = Diagnostic(Code.TEMPLATE_ERROR, "there is no SQL to run", here)
        errors = (each for each in made.diagnostics if each.severity >= Severity.ERROR)
        return next(errors, unable)

    if made.unknown:
        _, _, said, line = made.unknown[0]
        place = Place(node.file, node.line + line - 1, 1)
        return Diagnostic(Code.UNKNOWN_REFERENCE, f"{said} is not in the project", place)

    if made.doubts:
        message, line = made.doubts[0]
        return Diagnostic(Code.DYNAMIC, message, Place(node.file, node.line + line - 1, 1))

    return None


def pick_settings(config: Mapping[str, object], keys: Iterable[str]) -> dict[str, object]:
    """Return the settings that have a value."""
    return {key: config[key] for key in keys if config.get(key) is not None}


def tags_of(config: Mapping[str, object]) -> tuple[str, ...]:
    """Return the tags of a node: `tags: nightly` is `tags: [nightly]`."""
    return tuple(map(str, some_or_none(config.get("tags"))))


def table_names(datasets: Iterable[str]) -> dict[str, str]:
    """The names that Spark does not take, and what it calls those tables: web.page-visits is
    web.page_visits.

    A name in Spark has letters, digits and underscores, and one dot at most; no two datasets share
    one.
    """
    several = list(dict.fromkeys(datasets))
    found: dict[str, str] = {}
    taken = {name.lower() for name in several if fits(name)}
    for name in several:
        if fits(name):
            continue

        *schema, last = (UNFIT.sub("_", part) or "_" for part in name.split("."))
        table = ".".join(filter(None, ("__".join(schema), last)))
        number = 1
        while f"{table}_{number}".lower() in taken if number > 1 else table.lower() in taken:
            number += 1

        found[name] = table if number == 1 else f"{table}_{number}"
        taken.add(found[name].lower())

    return found


def fits(name: str) -> bool:
    """Tell whether Spark accepts a name for a table."""
    return name.count(".") < 2 and all(part and not UNFIT.search(part) for part in name.split("."))


def overridden_tests(macros: Iterable[tuple[str, str, str]]) -> set[str]:
    """The tests of dbt that the project or a package has rewritten."""
    names = "|".join(BUILTIN)
    own = re.compile(rf"\{{%-?\s*(?:test\s+|macro\s+(?:\w+__)?test_)({names})\s*\(")
    return set(chain.from_iterable(own.findall(text) for _, _, text in macros))
