"""A project whose nodes are read, and whose templates wait: other projects may name its models.

drafts = [open_draft(folder, request) for folder in folders]
share_names(drafts, report)
corpora = [draft.finish(request) for draft in drafts]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.grouping import group
from lineal.model.script import Corpus, Meaning
from lineal.model.sequences import flatten
from lineal.projects.dbt import files
from lineal.projects.dbt.consumers.assemble import Consumers
from lineal.projects.dbt.corpus import Assembly
from lineal.projects.dbt.index import Index
from lineal.projects.dbt.node import REFERABLE, Node, is_enabled, separate
from lineal.projects.dbt.options import DbtOptions
from lineal.projects.dbt.plain_models import plain_models_of
from lineal.projects.dbt.project import Package
from lineal.projects.dbt.render_cache import ByteCache
from lineal.projects.dbt.rendering import RenderingContext
from lineal.projects.schema import Schema
from lineal.projects.text import Report

GUESSED = "guessed"
"""The key of a target under which it says that nobody has named its database."""

LOCATED = "located"
"""The key of a target whose schema somebody has named: a profile, or a manifest."""


@dataclass(frozen=True)
class Request:
    """How projects are to be read."""

    dialect: str | None
    schema: Schema
    kept: ByteCache | None
    to_run: bool
    options: DbtOptions


@dataclass
class Draft:
    """A project whose nodes are read."""

    name: str
    file: str
    """dbt_project.yml or the manifest."""
    folder: Path | None
    nodes: list[Node]
    target: dict[str, str]
    macros: list[tuple[str, str, str]] = field(default_factory=list)
    variables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    namespaces: Mapping[str, list[str]] = field(default_factory=dict)
    packages: list[Package] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """Packages that the project asks for and that are not installed."""
    foreign: list[Node] = field(default_factory=list)
    """Models, seeds and snapshots of other projects, which ref() can name as well."""
    tests: list[Node] | None = None
    """The tests of a project that is to be run."""
    consumers: Consumers = field(default_factory=Consumers)
    notes: list[str] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    meanings: list[Meaning] = field(default_factory=list)
    engine: Mapping[str, Any] = field(default_factory=dict)
    is_alone: bool = False
    """Whether a model can be read again without the others: no other project names it, and it does
    not help to tell the adapter.
    """

    def finish(self, request: Request) -> Corpus:
        """Render the templates, and return the corpus."""
        index = Index(list(filter(is_enabled, (*self.nodes, *self.foreign))), self.name)
        by_id = {node.id: node for node in self.nodes}
        kitchen = RenderingContext(
            self.name, self.file, self.target, index, self.macros, self.variables, self.namespaces,
            by_id, request.kept,
        )  # fmt: skip
        assembly = Assembly(self.nodes, kitchen, request.dialect, request.schema, self.folder)
        assembly.missing_packages = self.missing
        assembly.consumers = self.consumers
        assembly.seed_files = seed_files(self.packages)
        corpus = assembly.finish(self.tests)
        if self.is_alone and not request.to_run:
            corpus.plain_models = plain_models_of(assembly, corpus.scripts)

        corpus.relations = self.relations()
        corpus.notes += self.notes
        corpus.meanings, corpus.engine = self.meanings, self.engine
        corpus.diagnostics = [*self.diagnostics, *corpus.diagnostics]
        return corpus

    def relations(self) -> dict[str, str]:
        """Return what the database calls the project's datasets, as far as somebody has said so."""
        found: dict[str, str] = {}
        is_whole = self.target.get(LOCATED) == "manifest" or GUESSED not in self.target
        for node in self.nodes:
            is_located = LOCATED in self.target or node.kind == "source"
            if is_located and is_enabled(node) and node.kind in ("source", *REFERABLE):
                parts = node.parts if is_whole else node.parts[1:]
                found[node.dataset] = ".".join(filter(None, parts))

        return found


def seed_files(packages: Iterable[Package]) -> dict[str, Path]:
    """Every CSV file below the folders of seeds, by its name."""
    found: dict[str, Path] = {}
    for package in packages:
        for path in files.files_below(package.paths["seeds"], (".csv",), lambda _: None):
            found.setdefault(path.stem.lower(), path)

    return found


# -- several projects ------------------------------------------------------------------------------


def share_names(drafts: list[Draft], report: Report) -> None:
    """Let projects name each other's models, and tell apart what two of them call the same."""
    if len(drafts) < 2:
        return

    for draft in drafts:
        draft.is_alone = False

    labels = label_projects(drafts, report)
    leave_to_owners(drafts)
    built = {id(node): draft for draft in drafts for node in draft.nodes if node.kind in REFERABLE}
    separate(flatten(draft.nodes for draft in drafts), drafts[0].name)
    for draft in drafts:
        own = {node.id for node in draft.nodes}
        draft.foreign = [
            node
            for other in drafts
            if other is not draft
            for node in other.nodes
            if id(node) in built and node.id not in own
        ]

    join_sources(drafts)
    tell_apart(drafts, labels)


def leave_to_owners(drafts: list[Draft]) -> None:
    """Take the nodes of a package out of projects that use it, if the package is read itself."""
    owned = {node.id for draft in drafts for node in draft.nodes if node.package == draft.name}
    for draft in drafts:
        draft.nodes = [
            node
            for node in draft.nodes
            if node.package == draft.name or node.kind == "source" or node.id not in owned
        ]


def label_projects(drafts: list[Draft], report: Report) -> list[str]:
    """Return what tells projects apart: their names; of two with one name, their folders."""
    counts = group(drafts, lambda draft: draft.name.lower())
    for several in counts.values():
        if len(several) > 1:
            named = ", ".join(str(draft.folder) for draft in several)
            message = f"{len(several)} projects are called {several[0].name}: {named}"
            report(Diagnostic(Code.PROJECT_NAME, message, Place(several[0].file, 1, 1)))

    labels: dict[int, str] = {}
    for several in counts.values():
        labels.update(zip(map(id, several), folder_labels(several), strict=True))

    return [labels[id(draft)] for draft in drafts]


def folder_labels(drafts: list[Draft]) -> list[str]:
    """Return the name of a project, or for projects of one name the end of their paths.

    /home/me/teams/a, /home/me/teams/b      a and b, wherever the repository is
    """
    if len(drafts) == 1:
        return [drafts[0].name]

    paths = [(draft.folder or Path(draft.file).parent).parts for draft in drafts]
    longest = max(map(len, paths))
    length = next(
        (n for n in range(1, longest) if len({path[-n:] for path in paths}) == len(paths)), longest
    )
    return [
        ".".join(part for part in path[-length:] if part not in ("/", ".", "..")) or draft.name
        for path, draft in zip(paths, drafts, strict=True)
    ]


def join_sources(drafts: list[Draft]) -> None:
    """Let a source that is the table of another project's model be that model, by its database name.

    Where nobody has named the database of one of the two projects, schema and table decide.
    """
    exact: dict[tuple[str, ...], Node] = {}
    tails: dict[tuple[str, ...], list[tuple[Draft, Node]]] = {}
    for draft in drafts:
        for node in draft.nodes:
            if node.kind in REFERABLE and is_enabled(node):
                key = node.relation_key
                exact.setdefault(key, node)
                tails.setdefault(key[1:], []).append((draft, node))

    for draft in drafts:
        own = set(map(id, draft.nodes))
        for node in draft.nodes:
            if node.kind != "source":
                continue

            key = node.relation_key
            model = exact.get(key) or only_tail(draft, tails.get(key[1:], []))
            if model is not None and id(model) not in own:
                node.joined = model
                node.parts = model.parts


def only_tail(draft: Draft, several: list[tuple[Draft, Node]]) -> Node | None:
    """Return the only model with a schema and table, if one of the two databases is a guess."""
    if len(several) != 1:
        return None

    other, node = several[0]
    is_guess = GUESSED in draft.target or GUESSED in other.target
    return node if is_guess and other is not draft else None


def tell_apart(drafts: list[Draft], labels: list[str]) -> None:
    """orders of a and orders of b      a.orders, b.orders"""
    claims: dict[str, set[tuple[str, ...]]] = {}
    for _, _, node in named_nodes(drafts, labels):
        claims.setdefault(node.dataset.lower(), set()).add((node.kind, *node.parts))

    owners: dict[str, set[str]] = {}
    for _, label, node in named_nodes(drafts, labels):
        owners.setdefault(node.dataset.lower(), set()).add(label)

    renamed = [
        (label, node)
        for _, label, node in named_nodes(drafts, labels)
        if len(owners[node.dataset.lower()]) > 1 and len(claims[node.dataset.lower()]) > 1
    ]
    for label, node in renamed:
        node.dataset = f"{label}.{node.dataset}"

    for _, _, node in named_nodes(drafts, labels, joined=True):
        if node.joined is not None:
            node.dataset = node.joined.dataset


def named_nodes(
    drafts: list[Draft], labels: list[str], joined: bool = False
) -> Iterator[tuple[Draft, str, Node]]:
    """List the nodes that have a name of their own in the graph, with their projects."""
    for draft, label in zip(drafts, labels, strict=True):
        for node in draft.nodes:
            if node.dataset and (joined or node.joined is None):
                yield draft, label, node
