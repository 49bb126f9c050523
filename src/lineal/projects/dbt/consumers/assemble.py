"""Consumers on their way into a corpus: their scripts, their datasets, and what exposures read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.edge import Dataset, Read
from lineal.model.extraction import DatasetInfo, Extraction
from lineal.model.plain import as_list, as_mapping, one_or_more
from lineal.model.script import Script
from lineal.model.way import Clause
from lineal.projects.dbt.consumers.checks import (
    BUILTIN,
    TEST,
    Checks,
    UnitTest,
    is_enforced,
    test_name,
)
from lineal.projects.dbt.consumers.layer import Layer
from lineal.projects.dbt.consumers.semantic import Entry, text_of
from lineal.projects.dbt.node import Node, is_enabled
from lineal.projects.dbt.rendering import RenderedNode
from lineal.projects.intake import current

if TYPE_CHECKING:
    from lineal.projects.dbt.corpus import Assembly

METRIC_CALL = re.compile(r"metric\(\s*['\"]([^'\"]+)['\"]")


@dataclass
class Consumers:
    """The parts of a project that hold no data: tests, metrics, exposures."""

    tests: list[Node] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    unit_tests: list[UnitTest] = field(default_factory=list)


class Consuming:
    """Adds the consumers of a project to its corpus."""

    def __init__(
        self, assembly: Assembly, consumers: Consumers, made: Mapping[str, RenderedNode]
    ) -> None:
        self.assembly = assembly
        self.corpus = assembly.corpus
        self.consumers = consumers
        self.made = made
        report = self.corpus.diagnostics.append
        self.layer = Layer(
            consumers.entries, self.corpus.dialect, assembly.quote, self.find_entry, report
        )
        self.checks = Checks(self.corpus.dialect, assembly.quote, self.find, report)

    # -- names -------------------------------------------------------------------------------------

    def find(self, package: str, said: str) -> Node | None:
        """ref('orders'), {{ get_where_subquery(ref('orders')) }} or the id of a node"""
        held = self.assembly.by_id.get(said)
        if held is not None:
            return held

        text = said.strip().removeprefix("{{").removesuffix("}}").strip()
        if text.startswith("get_where_subquery("):
            text = text.removeprefix("get_where_subquery(").removesuffix(")")

        return self.assembly.kitchen.index.find_reference(package, text)

    def find_entry(self, entry: Entry, said: str) -> Node | None:
        """Return the model of a semantic model: as it says, else as its manifest says."""
        found = self.find(entry.package, said)
        if found is not None:
            return found

        several = map(self.assembly.by_id.get, entry.depends)
        return next((each for each in several if each is not None), None)

    # -- all of them -------------------------------------------------------------------------------

    def add(self, enabled: list[Node]) -> None:
        """Add every consumer to the corpus; one that fails costs only itself."""
        for node, target in self.named_tests():
            self.assembly.attempt(node, partial(self.add_test, node, target))

        for test in self.consumers.unit_tests:
            name = text_of(test.about.get("name"))
            if name:
                self.put(self.checks.unit(test, self.checks.dataset(name)), "", test.about.place)

        for node in enabled:
            if node.kind == "model" and is_enforced(node):
                target = self.checks.dataset(f"contract_{node.dataset}")
                self.put(self.checks.contract(node, target), "", node.place)

        self.corpus.aliases |= self.layer.aliases()
        for entry, script in zip(self.layer.entries, self.layer.scripts(), strict=True):
            self.put(script, text_of(entry.about.get("description")), entry.place)

        self.corpus.given += self.exposures(enabled)

    def put(self, script: Script, description: str, place: Place | None) -> None:
        """Add the script of a consumer, and the dataset that it is."""
        self.corpus.scripts.append(script)
        dataset = Dataset("", script.target or "")
        info = DatasetInfo(dataset, script.kind, [], False, description, place)
        self.corpus.datasets.append(info)

    # -- tests -------------------------------------------------------------------------------------

    def named_tests(self) -> Iterator[tuple[Node, str]]:
        """Yield the tests that are enabled, with the names of their datasets."""
        for node in self.consumers.tests:
            if is_enabled(node):
                yield node, self.checks.dataset(self.name_of(node))

    def name_of(self, node: Node) -> str:
        """Return the name that dbt gives to a test."""
        test = node.test
        owner = self.assembly.by_id.get(test.attached) if test is not None else None
        own = node.id.split(".")
        if test is None or not test.name or owner is None:
            return own[2] if len(own) > 2 else node.name

        if test.is_listed:
            return own[2]

        if node.name != test.name.rpartition(".")[2]:
            return node.name

        return test_name(test.name, owner, test.arguments or {})

    def add_test(self, node: Node, target: str) -> None:
        """Add a test: as it was compiled or rendered; a built-in one by its arguments."""
        test = node.test
        assert test is not None
        owner = self.assembly.by_id.get(test.attached)
        text = node.compiled or next(iter(self.texts_of(node)), "")
        if owner is not None and (test.name in BUILTIN or not text):
            self.put(self.checks.generic(node, owner, target), node.description, test.place)
            return

        if not text:
            return

        place = test.place or Place(node.file, 1, 1)
        is_own_file = not test.name
        if is_own_file:
            current().add(node.file)

        script = Script(
            text, self.corpus.dialect, node.file, place.line, target, TEST, one_line=not is_own_file
        )
        self.put(script, node.description, place)

    def texts_of(self, node: Node) -> tuple[str, ...]:
        """Return what a test renders to; what it reports counts only if the test is a file."""
        made = self.made.get(node.id)
        if made is None:
            return ()

        if node.test is not None and not node.test.name:
            self.assembly.take_diagnostics(node, made.diagnostics)

        return tuple(made.texts)

    # -- exposures ---------------------------------------------------------------------------------

    def exposures(self, nodes: list[Node]) -> list[Extraction]:
        """Return the reads of all exposures."""
        reads: list[Read] = []
        infos: dict[Dataset, DatasetInfo] = {}
        for node in nodes:
            if node.kind != "exposure":
                continue

            target = Dataset("", node.dataset)
            infos[target] = DatasetInfo(target, "exposure", [], True, node.description, node.place)
            reads += self.reads_of_exposure(node, target)

        return [Extraction(reads=reads, datasets=infos)] if infos else []

    def reads_of_exposure(self, node: Node, target: Dataset) -> Iterator[Read]:
        """Yield what an exposure reads: the columns that it names, else the dataset."""
        place = node.known_place
        named = columns_named(node)
        for said in node.depends:
            read = self.dataset_of(node, said)
            if read:
                columns: list[str | None] = list(named.pop(read, ()))
                for column in columns or [None]:
                    yield Read(target, Dataset("", read), column, Clause.FROM, place)
            elif said.strip().startswith(("ref", "source", "metric", "{{")):
                self.miss(f"{said} is not in the project", node)

        for owner in named:
            self.miss(f"{node.dataset} names columns of {owner}, on which it does not depend", node)

    def miss(self, message: str, node: Node) -> None:
        """Report a name of an exposure that is not there."""
        self.corpus.diagnostics.append(Diagnostic(Code.UNKNOWN_REFERENCE, message, node.place))

    def dataset_of(self, node: Node, said: str) -> str:
        """ref('orders'), metric('revenue'), metric.shop.revenue      the dataset; '' if there is none"""
        held = self.find(node.package, said)
        if held is not None:
            return held.dataset

        kind, _, rest = said.partition(".")
        name = rest.rpartition(".")[2]
        call = METRIC_CALL.match(said.strip().removeprefix("{{").strip())
        if call is not None:
            kind, name = "metric", call[1]

        wanted = f"{kind}:{name}"
        return wanted if any(each.dataset == wanted for each in self.layer.entries) else ""


def columns_named(node: Node) -> dict[str, list[str]]:
    """meta: {columns: [orders.amount]} or {columns: {orders: [amount]}}      the columns by dataset"""
    told = as_mapping(node.config.get("meta")).get("columns")
    found: dict[str, list[str]] = {}
    for owner, columns in as_mapping(told).items():
        found[str(owner)] = list(map(str, one_or_more(columns)))

    for each in as_list(told):
        owner, _, column = str(each).rpartition(".")
        if owner:
            found.setdefault(owner, []).append(column)

    return found
