"""From nodes to a corpus: scripts, datasets, names, consumers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from pathlib import Path

from lineal.extract.pyspark.forms import form_of
from lineal.model.boundary import attempt
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.edge import Dataset
from lineal.model.extraction import DatasetInfo
from lineal.model.grouping import group
from lineal.model.ledger import Reason
from lineal.model.plain import as_text, one_or_more, some_or_none
from lineal.model.reach import reach
from lineal.model.script import Corpus, DbtContext, Expansion, Script, Step
from lineal.model.sequences import flatten
from lineal.projects.columns import merge_infos
from lineal.projects.dbt.adapters import DIALECTS
from lineal.projects.dbt.compiled import is_level, lay_out
from lineal.projects.dbt.consumers.assemble import Consumers, Consuming
from lineal.projects.dbt.consumers.checks import BUILTIN
from lineal.projects.dbt.expansions import expansions_in, macro_names
from lineal.projects.dbt.index import Index
from lineal.projects.dbt.node import REFERABLE, Node, aliases_of, base_of, is_enabled, is_terminal
from lineal.projects.dbt.providers import Provider, provider_of, with_columns
from lineal.projects.dbt.rendering import Columns, RenderedNode, RenderingContext, own_macros
from lineal.projects.dbt.sandbox.relation import quote_of, relation_sql
from lineal.projects.dbt.snapshots import snapshot_query
from lineal.projects.intake import current
from lineal.projects.render import JINJA, MISSING_PACKAGE
from lineal.projects.schema import Schema, schema_datasets

TEST_MACRO = re.compile(r"\{%-?\s*(?:(?:data_)?test\s+|macro\s+(?:\w+__)?test_)(\w+)\s*\(")
"""{% test is_positive(model, column_name) %}"""

HOOKS = ("pre-hook", "post-hook")
ASKING = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/|\()*(?:select|with|grant|set|show)\b", re.I | re.S)
"""A hook that writes nothing: a query of its own would be taken for the model."""


class Assembly:
    """All nodes of a project on their way into a corpus."""

    def __init__(
        self,
        nodes: list[Node],
        kitchen: RenderingContext,
        dialect: str | None,
        schema: Schema,
        folder: Path | None = None,
    ) -> None:
        self.nodes = nodes
        self.folder = folder
        """The project's own, if it is there."""
        self.seed_files: dict[str, Path] = {}
        """Files of seeds by their names, those of disabled ones included."""
        self.providers: dict[str, Provider] = {}
        """Where a run finds the rows of sources."""
        self.missing_packages: list[str] = []
        """Packages that the project asks for and that are not installed."""
        self.missed_macros: dict[str, dict[str, list[Node]]] = {}
        """By package that is not installed: the macros that are called, and the nodes that do."""
        self.unknown: dict[str, list[Place]] = {}
        """The unknown names in ref() and source(), with their places."""
        self.missed_in_hooks: dict[str, dict[str, list[Node]]] = {}
        self.missed_hooks: set[str] = set()
        """The hooks that do not render without a package."""
        self.hooks: dict[str, dict[str, list[Script]]] = {}
        """The hooks of each node, as a run carries them out."""
        self.relations: dict[str, dict[str, str]] = {}
        """The meaning of dbt.ref and dbt.source in the Python models of a package."""
        self.made: dict[str, RenderedNode] = {}
        """The rendering of each template."""
        self.tested: dict[str, RenderedNode] = {}
        """The same for tests."""
        self.consumers = Consumers()
        """Tests, unit tests and the semantic layer."""
        self.by_id = {node.id: node for node in nodes}
        self.twins: dict[str, list[Node]] = group(nodes, lambda node: base_of(node.id))
        self.kitchen = kitchen
        self.corpus = Corpus(dialect if dialect is not None else dialect_of(kitchen.target["type"]))
        self.corpus.aliases = aliases_of(nodes, kitchen.target["type"])
        self.given = schema_datasets(schema, "", self.corpus.diagnostics.append)

    @property
    def quote(self) -> str:
        """Return the quote character of the target."""
        return quote_of(self.kitchen.target["type"])

    def finish(self, tests: list[Node] | None = None) -> Corpus:
        """The corpus; with its steps, where tests are given, be they none."""
        corpus = self.corpus
        if tests is not None:
            self.provide()

        self.declare()
        models = [
            node for node in self.nodes if node.kind in ("model", "snapshot") and not node.is_python
        ]
        made = self.made = self.kitchen.render_nodes(
            list(filter(needs_rendering, models)), self.columns_of
        )
        for node in models:
            if node.id in made:
                self.attempt(node, partial(self.take, node, made[node.id]))

        self.lay_out(models)
        kept = list(filter(is_enabled, self.nodes))
        count_files(self.nodes)
        for node in kept:
            self.attempt(node, partial(self.add_scripts, node, made))

        self.run_hooks([node for node in kept if node.kind in ("model", "snapshot", "seed")])
        gone = {node.dataset for node in self.nodes if not is_enabled(node)} - {
            node.dataset for node in kept
        }
        corpus.datasets = [info for info in corpus.datasets if info.dataset.name not in gone]
        corpus.diagnostics += [*self.report_packages(), *self.report_unknown()]
        self.add_consumers(kept, made)
        if tests is not None:
            corpus.steps = self.steps(made, tests)
            named = (
                self.kitchen.target["schema"],
                *(node.parts[1] for node in kept if node.kind in REFERABLE),
            )
            corpus.schemas = tuple(
                dict.fromkeys(name for name in named if name.isidentifier() and name.isascii())
            )

        return corpus

    def lay_out(self, models: Iterable[Node]) -> None:
        """Put compiled SQL on the lines of its file, where loops and macros have moved it.

        Their templates are rendered for their lines only: the compiled words count.
        """
        moved = [
            each for each in models if each.compiled and not is_level(each.compiled, each.text)
        ]
        waiting = [node for node in moved if node.id not in self.made]
        beside = {**self.made, **self.kitchen.render_nodes(waiting, self.columns_of)}
        for node in moved:
            node.compiled = lay_out(node.compiled or "", beside[node.id].texts)

    def attempt(self, node: Node, work: Callable[[], object]) -> None:
        """Some work for a node; if it fails, that costs only the node."""
        attempt(
            work,
            None,
            Place(node.file, node.line, 1),
            self.corpus.diagnostics.append,
            f"this {node.kind}",
        )

    def add_consumers(self, kept: list[Node], made: Mapping[str, RenderedNode]) -> None:
        """Add tests, contracts, exposures and the semantic layer."""
        known = {each.id for each in self.kitchen_tests()}
        waiting = [node for node in self.consumers.tests if node.id in known]
        tested = self.tested = self.kitchen.render_nodes(
            waiting, lambda ids, more: self.columns_of(ids, {**made, **more})
        )
        Consuming(self, self.consumers, tested).add(kept)
        self.report_private([node for node in kept if node.kind in FILE_KINDS], made)

    def report_private(self, nodes: Iterable[Node], made: Mapping[str, RenderedNode]) -> None:
        """Report the nodes that read a private model from outside its group."""
        for node in nodes:
            for id_ in dict.fromkeys(self.refs(node, made)):
                held = self.by_id.get(id_)
                if held is None or held.config.get("access") != "private":
                    continue

                group = held.config.get("group")
                if group != node.config.get("group"):
                    message = (
                        f"{node.name} reads {held.name}, which is private to the group {group}"
                    )
                    place = Place(node.file, node.line, 1)
                    self.corpus.diagnostics.append(
                        Diagnostic(Code.PRIVATE_REFERENCE, message, place)
                    )

    def kitchen_tests(self) -> Iterable[Node]:
        """Yield the tests that have to be rendered: singular ones, and those whose macro is known."""
        for node in self.consumers.tests:
            test = node.test
            if test is None or node.compiled is not None or not is_enabled(node):
                continue

            short = test.name.rpartition(".")[2]
            if not test.name or (test.name not in BUILTIN and short in self.test_macros):
                yield node

    def steps(self, made: Mapping[str, RenderedNode], tests: list[Node]) -> list[Step]:
        """Return the steps of a run; tests are rendered last, because they ask for columns of
        models.
        """
        from lineal.projects.dbt.steps import Steps

        waiting = [node for node in tests if is_enabled(node) and node.compiled is None]
        tested = self.kitchen.render_nodes(
            waiting, lambda ids, more: self.columns_of(ids, {**made, **more})
        )
        return Steps(self, made, tests, tested).all()

    def provide(self) -> None:
        """Find the provider of each source, and take over its columns."""
        seeds = [node for node in self.nodes if node.kind == "seed" and is_enabled(node)]
        built = {node.dataset for node in self.nodes if node.kind != "source"}
        for node in self.nodes:
            if node.kind == "source" and node.dataset not in built:
                provider = provider_of(node, seeds, self.seed_files, self.folder)
                if provider is not None:
                    self.providers[node.id] = provider
                    with_columns(node, provider)

    def declare(self) -> None:
        """Add a dataset for each node."""
        infos = [
            DatasetInfo(
                Dataset("", node.dataset),
                node.kind,
                node.columns,
                node.complete,
                node.description,
                node.place,
                terminal=is_terminal(node),
                tags=tags_of(node),
            )
            for node in self.nodes
            if node.kind in ("source", *REFERABLE)
        ]
        self.corpus.datasets = merge_infos([*infos, *self.given])

    def take(self, node: Node, made: RenderedNode) -> None:
        """Add the results of rendering a node."""
        node.config = made.config
        if not is_enabled(node):
            return

        self.take_diagnostics(node, made.diagnostics)
        for parts, name, said, line in made.unknown:
            self.corpus.aliases.setdefault(relation_sql(tuple(parts), self.quote), name)
            self.unknown.setdefault(said, []).append(Place(node.file, node.line + line - 1, 1))

    def take_diagnostics(self, node: Node, diagnostics: Iterable[Diagnostic]) -> None:
        """Take what rendering a template has reported; macros of missing packages are told once."""
        for found in diagnostics:
            macro = MISSING_MACRO.match(found.message)
            if found.hint != MISSING_PACKAGE or macro is None:
                self.corpus.diagnostics.append(found)
                continue

            current().files.leave_out(node.file, Reason.MISSING_PACKAGE)
            missed = self.missed_macros.setdefault(macro["package"], {})
            missed.setdefault(macro["name"], []).append(node)

    def take_hook_diagnostics(
        self, node: Node, hook: str, diagnostics: Iterable[Diagnostic]
    ) -> None:
        """Take what rendering a hook has reported.

        A hook that needs a missing package is a statement that is not read. The node itself is.
        """
        for found in diagnostics:
            macro = MISSING_MACRO.match(found.message)
            if found.hint != MISSING_PACKAGE or macro is None or node.kind == "operation":
                self.take_diagnostics(node, [found])
                continue

            missed = self.missed_in_hooks.setdefault(macro["package"], {})
            missed.setdefault(macro["name"], []).append(node)
            if hook not in self.missed_hooks:
                self.missed_hooks.add(hook)
                script = Script(hook, self.corpus.dialect, node.file, one_line=True)
                self.corpus.scripts.append(script)

    def report_packages(self) -> Iterable[Diagnostic]:
        """Name each package that is not installed once, with what the project calls of it."""
        told = (
            (self.missed_macros, "node does", "nodes do"),
            (self.missed_in_hooks, "node has hooks that do", "nodes have hooks that do"),
        )
        for missed, one, several in told:
            for package, macros in sorted(missed.items()):
                yield report_package(package, macros, one, several)

    def report_unknown(self) -> Iterable[Diagnostic]:
        """Name each unknown reference once, with a hint at packages that are not installed."""
        hint = ""
        if self.missing_packages:
            hint = f"Run `dbt deps`: {', '.join(self.missing_packages)} are not installed."

        for said, places in self.unknown.items():
            more = f" ({len(places)} times)" if len(places) > 1 else ""
            message = f"{said} is not in the project{more}"
            yield Diagnostic(Code.UNKNOWN_REFERENCE, message, min(places), hint)

    def add_scripts(self, node: Node, made: Mapping[str, RenderedNode]) -> None:
        """Add the scripts of a node."""
        self.corpus.scripts += list(self.scripts(node, made))

    def scripts(self, node: Node, made: Mapping[str, RenderedNode]) -> Iterable[Script]:
        """Yield the scripts of a node: its rendered texts, or its Python."""
        if node.kind not in ("model", "snapshot"):
            return

        if node.is_python:
            context = self.context(node)
            yield Script(
                node.text, "python", node.file, target=node.dataset, kind="model", dbt=context
            )
            return

        rendered = made.get(node.id, RenderedNode())
        texts = [] if node.compiled is None else [node.compiled]
        texts += [text for text in rendered.texts if text not in texts]
        for text in texts:
            query, offset = text, 0
            if node.kind == "snapshot":
                query, offset = snapshot_query(text, node.config, self.corpus.dialect)

            expansions = tuple(
                Expansion(start + offset, end + offset, macro)
                for start, end, macro in self.expansions(node, text, rendered)
            )
            yield Script(
                query, self.corpus.dialect, node.file, node.line, node.dataset, node.kind, open=rendered.open,
                expansions=expansions,
            )  # fmt: skip

    def expansions(self, node: Node, text: str, rendered: RenderedNode) -> tuple[Expansion, ...]:
        """Return the parts of a node's text that macros have written: from the renderer, or else
        from its template.
        """
        if text in rendered.expansions:
            return rendered.expansions[text]

        if JINJA.search(node.text):
            return expansions_in(text, node.text, self.macros, ("dbt", node.package))

        return ()

    @cached_property
    def macros(self) -> frozenset[str]:
        """Return the names of all macros."""
        return macro_names([text for _, _, text in (*self.kitchen.macros, *own_macros())])

    @cached_property
    def test_macros(self) -> frozenset[str]:
        """Return the names of the generic tests that the project and its packages define."""
        texts = (text for _, _, text in self.kitchen.macros)
        return frozenset(chain.from_iterable(map(TEST_MACRO.findall, texts)))

    def context(self, node: Node) -> DbtContext:
        """Return the values that `dbt` gives to a Python model."""
        if node.package not in self.relations:
            self.relations[node.package] = relations_of(self.kitchen.index, node.package)

        settings = {key: value for key, value in node.config.items() if key not in HOOKS}
        variables = {
            **self.kitchen.variables.get("", {}),
            **self.kitchen.variables.get(node.package, {}),
        }
        return DbtContext(
            self.relations[node.package], variables, {**settings, **form_of(node.text).config}
        )

    def run_hooks(self, nodes: list[Node]) -> None:
        """pre_hook="insert into audit …"      statements of the node, in its file"""
        keyed = [
            (node, key, text)
            for node in nodes
            for key in HOOKS
            for text in hook_texts(node.config.get(key))
        ]
        keyed += [
            (node, "", node.text)
            for node in self.nodes
            if node.kind == "operation" and node.text.strip()
        ]
        rendered = self.kitchen.hooks([(node, text) for node, _, text in keyed])
        for (node, key, hook), rendering in zip(keyed, rendered, strict=True):
            self.take_hook_diagnostics(node, hook, rendering.diagnostics)
            for text in rendering.texts[:1]:
                script = Script(text, self.corpus.dialect, node.file, one_line=True)
                if text.strip() and not ASKING.match(text):
                    self.corpus.scripts.append(script)

                self.keep_hook(node, key, script, rendering.last or text)

    def keep_hook(self, node: Node, key: str, script: Script, later: str) -> None:
        """Keep a hook as a run carries it out: for a first build, and for an incremental one."""
        if key:
            held = self.hooks.setdefault(node.id, {})
            held.setdefault(key, []).append(script)
            held.setdefault(f"{key} again", []).append(replace(script, text=later))
        elif "on-run-end" in node.id or "on-run-end" in node.name:
            self.corpus.after.append(script)
        else:
            self.corpus.before.append(script)

    # -- columns that templates ask for ------------------------------------------------------------

    def columns_of(self, ids: list[str], made: Mapping[str, RenderedNode]) -> dict[str, Columns]:
        """Return the columns of nodes, as far as the models rendered so far tell them."""
        from lineal.resolve.columns import columns_of

        needed = self.upstream(ids, made)
        present = [
            node for node in self.nodes if base_of(node.id) in needed and self.remains(node, made)
        ]
        scripts = flatten(self.scripts(node, made) for node in present)
        part = Corpus(
            self.corpus.dialect, scripts, self.corpus.datasets, aliases=self.corpus.aliases
        )
        names = {id_: self.by_id[id_].dataset for id_ in ids if id_ in self.by_id}
        infos = columns_of(part, names.values())
        return {
            id_: (
                [(column.name, column.type) for column in infos[name].columns],
                infos[name].complete,
            )
            for id_, name in names.items()
        }

    def remains(self, node: Node, made: Mapping[str, RenderedNode]) -> bool:
        """Tell whether it is enabled, by what its template says of itself."""
        return is_enabled(node) and (
            node.id not in made or is_enabled(replace(node, config=made[node.id].config))
        )

    def upstream(self, ids: list[str], made: Mapping[str, RenderedNode]) -> set[str]:
        """Return the ids of the nodes that some nodes need."""

        def refs_of(id_: str) -> Iterator[str]:
            """Yield the ids that a node and its twins refer to."""
            for twin in self.twins.get(base_of(id_), ()):
                yield from self.refs(twin, made)

        return set(map(base_of, [*ids, *reach(ids, refs_of)]))

    def refs(self, node: Node, made: Mapping[str, RenderedNode]) -> list[str]:
        """Return the ids that a node refers to."""
        if node.id in made:
            return made[node.id].refs

        return node.depends


def tags_of(node: Node) -> tuple[str, ...]:
    """tags: daily, tags: [daily, finance]; a group and an access are tags of their own"""
    found = list(map(str, some_or_none(node.config.get("tags"))))
    found += [f"{key}:{node.config[key]}" for key in ("group", "access") if node.config.get(key)]
    return tuple(found)


MISSING_MACRO = re.compile(r"there is no macro (?P<package>\w+)\.(?P<name>\w+)")
MOST_NAMED = 5


def shorten_list(names: list[str]) -> str:
    """a, b, c and 7 more"""
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


FILE_KINDS = ("model", "snapshot", "seed")
"""The kinds of nodes that have a file of their own."""


def count_files(nodes: Iterable[Node]) -> None:
    """Enter the files of nodes in the ledger, also those whose SQL a manifest holds."""
    several = [node for node in nodes if node.kind in FILE_KINDS]
    enabled = {node.file for node in several if is_enabled(node)}
    for node in several:
        if node.file in enabled:
            current().add(node.file)
        else:
            current().pass_over(node.file, Reason.DISABLED)


def relations_of(index: Index, package: str) -> dict[str, str]:
    """dbt.ref("x"), dbt.ref("package", "x") and dbt.source("a", "b"), as a package sees them: the
    datasets' names.
    """
    found: dict[str, str] = {}
    for name, several in index.nodes.items():
        found |= {f"{each.package}.{name}": each.dataset for each in several}
        found[name] = (index.ref(package, [name]) or several[0]).dataset

    return {**found, **{name: node.dataset for name, node in index.sources.items()}}


def needs_rendering(node: Node) -> bool:
    """Tell whether a node is not compiled yet, or is compiled for only one of its two ways
    to run.
    """
    return bool(node.text) and (node.compiled is None or node.incremental)


def dialect_of(adapter: str) -> str:
    """Return the SQL dialect of an adapter."""
    return DIALECTS.get(adapter, "")


def report_package(
    package: str, macros: Mapping[str, list[Node]], one: str, several: str
) -> Diagnostic:
    """Report a package that is not installed, with what a project calls of it."""
    found = {node.id: node for nodes in macros.values() for node in nodes}
    nodes = list(found.values())
    called = shorten_list([f"{package}.{name}" for name in sorted(macros)])
    lost = shorten_list([node.name for node in nodes])
    verb = one if len(nodes) == 1 else several
    message = (
        f"the package {package} is not installed: {len(nodes)} {verb} not render without "
        f"{called}: {lost}"
    )
    return Diagnostic(Code.MISSING_PACKAGE, message, Place(nodes[0].file, nodes[0].line, 1))


def hook_texts(hooks: object) -> Iterable[str]:
    """ "…", ["…", {sql: "…"}]"""
    for hook in one_or_more(hooks):
        text = as_text(hook.get("sql") if isinstance(hook, dict) else hook)
        if text.strip():
            yield text
