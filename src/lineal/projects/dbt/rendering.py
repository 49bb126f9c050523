"""From templates to SQL: plain ones here, others in the worker; those that list columns once these
are known.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from lineal.model.boundary import internal_error
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.grouping import group_pairs
from lineal.model.script import Expansion
from lineal.model.sequences import flatten
from lineal.projects.dbt.index import Index
from lineal.projects.dbt.node import Node
from lineal.projects.dbt.render_cache import ByteCache, render_with_cache
from lineal.projects.dbt.sandbox.relation import quote_of, relation_sql
from lineal.projects.dbt.stamp import SECRET
from lineal.projects.dbt.static import plain_argument
from lineal.projects.intake import read_installed
from lineal.projects.render import JINJA, Rendering, Setting, Template, render

HERE = Path(__file__).parent
MOST_ROUNDS = 12
ENVIRONMENT = re.compile(r"env_var\(\s*['\"](DBT_\w+)['\"]")

THIS = re.compile(r"\{\{\s*this\s*\}\}")
GRAPH_NAME = re.compile(r"\bgraph\b")
GRAPH = ("nodes", "sources", "exposures", "metrics", "groups", "semantic_models", "saved_queries")

Columns = tuple[list[tuple[str, str]], bool]
"""Names and types, and whether these are all."""


@dataclass
class RenderedNode:
    """The result of rendering a node's template."""

    texts: tuple[str, ...] = ()
    refs: list[str] = field(default_factory=list)
    config: dict[str, Any] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    unknown: list[list[Any]] = field(default_factory=list)
    wanted: list[str] = field(default_factory=list)
    open: bool = False
    """Only a run knows all of its columns."""
    expansions: dict[str, tuple[Expansion, ...]] = field(default_factory=dict)
    """The parts of each text that macros have written."""
    runs: tuple[str, ...] = ()
    """The texts that a run can choose from: the text of a first build, and that of every later one; '' if it
    does not render.
    """
    doubts: list[tuple[str, int]] = field(default_factory=list)
    """The values that decide the text and that only a run knows: the reason, and the line."""
    plain_config: dict[str, Any] | None = None
    """The values of config() in a template that needs no Jinja; None for every other template."""


@dataclass(frozen=True)
class RenderingContext:
    """The state that all templates of a project share."""

    root: str
    project_file: str
    target: Mapping[str, str]
    index: Index
    macros: list[tuple[str, str, str]]
    """Package, file, text."""
    variables: Mapping[str, Mapping[str, Any]]
    namespaces: Mapping[str, list[str]] = field(default_factory=dict)
    nodes: Mapping[str, Node] = field(default_factory=dict)
    kept: ByteCache | None = None

    def setting(self, texts: Iterable[str]) -> Setting:
        """Return all that a template can refer to."""
        several = [*texts, *(text for _, _, text in self.macros)]
        words = {word for text in several if "graph" in text for word in GRAPH_NAME.findall(text)}
        about = {
            **self.index.setup(),
            "project_name": self.root,
            "target": dict(self.target),
            "vars": self.variables,
            "dispatch": self.namespaces,
            "macro_files": self.macros,
            "own_macros": own_macros(),
            "environment": environment(several),
            "graph": graph_of(self.nodes.values()) if "graph" in words else {},
        }
        return Setting(
            project=self.project_file, renderer=(str(HERE), "sandbox.renderer"), about=about
        )

    # -- nodes -------------------------------------------------------------------------------------

    def render_nodes(
        self,
        nodes: list[Node],
        columns_of: Callable[[list[str], Mapping[str, RenderedNode]], Mapping[str, Columns]],
    ) -> dict[str, RenderedNode]:
        """Each node's texts. What lists columns waits for those of the nodes that it asks for."""
        quote = quote_of(self.target["type"])
        made: dict[str, RenderedNode] = {}
        waiting: list[Node] = []
        for node in nodes:
            try:
                found = plain_argument(node, self.index, quote)
            except Exception as error:
                made[node.id] = node_of_failure(node, error)
                continue

            if found is not None:
                config = {**node.config, **found.config}
                made[node.id] = RenderedNode(
                    (found.text,),
                    found.refs,
                    config,
                    runs=(found.text, found.text),
                    plain_config=found.config,
                )
            else:
                waiting.append(node)

        known: dict[str, Columns] = {}
        self.round(waiting, known, made)
        for _ in range(MOST_ROUNDS):
            askers = [
                node
                for node in waiting
                if made[node.id].wanted and not known.keys() >= {*made[node.id].wanted}
            ]
            if not askers:
                break

            ready = [
                node for node in askers if not self.depends(made[node.id].wanted, askers, made)
            ] or askers
            asked = sorted(
                set(chain.from_iterable(made[node.id].wanted for node in ready)) - known.keys()
            )
            answered = columns_of(asked, made)
            known |= {id_: answered.get(id_, ([], False)) for id_ in asked}
            self.round(ready, known, made)

        return made

    def depends(
        self, wanted: list[str], askers: list[Node], made: Mapping[str, RenderedNode]
    ) -> bool:
        """Whether one of the wanted nodes is itself waiting, or has an upstream node that is."""
        unfinished = {node.id for node in askers}
        seen: set[str] = set()
        stack = list(wanted)
        while stack:
            id_ = stack.pop()
            if id_ in unfinished:
                return True

            if id_ not in seen:
                seen.add(id_)
                stack += made[id_].refs if id_ in made else []

        return False

    def round(
        self, nodes: list[Node], known: Mapping[str, Columns], made: dict[str, RenderedNode]
    ) -> None:
        """Render the nodes, and add the results."""
        if not nodes:
            return

        templates = []
        for node in nodes:
            asked = made[node.id].wanted if node.id in made else []
            columns = {id_: known[id_] for id_ in asked if id_ in known}
            arguments = node.test.arguments if node.test is not None else None
            templates.append(self.template(node, node.text, columns, arguments))

        done = self.renderings(templates)
        for node, rendering in zip(nodes, done, strict=True):
            try:
                made[node.id] = made_of(node, rendering)
            except Exception as error:
                made[node.id] = node_of_failure(node, error)

    def renderings(self, templates: list[Template]) -> list[Rendering]:
        """Return the rendering of each template; a cached one is used while its setting is the
        same.
        """
        setting = self.setting(template.text for template in templates)
        if self.kept is None:
            return list(render(templates, setting).renderings)

        return render_with_cache(templates, setting, self.kept)

    def template(
        self,
        node: Node,
        text: str,
        columns: Mapping[str, Columns] | None = None,
        arguments: Mapping[str, Any] | None = None,
    ) -> Template:
        """Return the template of a node."""
        about: dict[str, Any] = {
            "package": node.package,
            "config": node.config,
            "names": {},
            "columns": columns or {},
            "node": {
                "id": node.id,
                "unique_id": node.id,
                "name": node.name,
                "resource_type": node.kind,
                "parts": list(node.parts),
                "path": Path(node.file).name,
                "original_file_path": node.file,
                "version": node.version or None,
            },
        }
        if arguments is not None:
            about["arguments"] = arguments

        return Template(text, node.file, node.line, about=about)

    # -- other texts -------------------------------------------------------------------------------

    def values(self, texts: Iterable[tuple[str, str]]) -> dict[str, dict[str, Any]]:
        """Jinja in YAML: +enabled: "{{ var('x', true) }}", as the package sees it that says so; by
        package and text.

        What does not render stays as it is written.
        """
        several = list(dict.fromkeys(texts))
        found: dict[str, dict[str, Any]] = {}
        templates = [
            self.template(Node("", "", package, "", self.project_file), text)
            for package, text in several
        ]
        for (package, text), rendering in zip(
            several, self.renderings(templates) if several else (), strict=True
        ):
            if rendering.texts:
                found.setdefault(package, {})[text] = native(rendering.texts[0])

        return found

    def hooks(self, hooks: list[tuple[Node, str]]) -> list[Rendering]:
        """A hook of a whole folder is rendered for two nodes; if it is the same for both, it is for
        all.
        """
        quote = quote_of(self.target["type"])
        texts = [
            THIS.sub(relation_sql(node.parts, quote).replace("\\", ""), text)
            for node, text in hooks
        ]
        numbers = group_pairs(
            ((node.package, texts[number]), number)
            for number, (node, _) in enumerate(hooks)
            if JINJA.search(texts[number])
        )
        done = {number: Rendering((text,)) for number, text in enumerate(texts)}
        self.cook(flatten(several[:2] for several in numbers.values()), hooks, texts, done)
        for several in numbers.values():
            done |= dict.fromkeys(several[2:], done[several[0]])

        apart = [
            several
            for several in numbers.values()
            if done[several[0]].texts != done[several[1 % len(several)]].texts
        ]
        self.cook(flatten(several[2:] for several in apart), hooks, texts, done)
        return [done[number] for number in range(len(hooks))]

    def cook(
        self,
        numbers: list[int],
        hooks: list[tuple[Node, str]],
        texts: list[str],
        done: dict[int, Rendering],
    ) -> None:
        """Render hooks, and add the results."""
        if numbers:
            templates = [self.template(hooks[number][0], texts[number]) for number in numbers]
            done |= zip(numbers, self.renderings(templates), strict=True)


def node_of_failure(node: Node, error: Exception) -> RenderedNode:
    """Of a node over which lineal fails, nothing but that."""
    return RenderedNode(
        config=node.config,
        diagnostics=[internal_error(error, Place(node.file, node.line, 1), "this model")],
    )


def made_of(node: Node, rendering: Rendering) -> RenderedNode:
    """Return what a rendering says about its node."""
    said = rendering.said
    names = list(map(str, said.get("placeholders", ())))
    texts = [
        settle_placeholders(text, names, expansions)
        for text, expansions in rendering.parts
        if text.strip()
    ]
    found = RenderedNode(
        tuple(text for text, _, _ in texts),
        list(said.get("refs", ())),
        {**node.config, **said.get("config", {})},
        list(rendering.diagnostics),
        list(map(list, said.get("unknown", ()))),
        [id_ for id_ in said.get("wanted", ()) if id_ != node.id],
        any(is_open for _, is_open, _ in texts),
        {text: expansions for text, _, expansions in texts},
        runs_of(rendering),
        [(str(message), int(line)) for message, line in said.get("doubts", ())],
    )
    for message, line in said.get("notes", ()):
        found.diagnostics.append(
            Diagnostic(Code.DYNAMIC, message, Place(node.file, node.line + line - 1, 1))
        )

    return found


def runs_of(rendering: Rendering) -> tuple[str, ...]:
    """The text of a first build and that of a later one."""
    if not rendering.texts or rendering.diagnostics:
        return ()

    first_fault, later_fault = rendering.said.get("failed", ("", ""))
    return ("" if first_fault else rendering.texts[0], "" if later_fault else rendering.last)


Expansions = tuple[Expansion, ...]


def settle_placeholders(
    text: str, placeholders: list[str], expansions: Expansions = ()
) -> tuple[str, bool, Expansions]:
    """where id > max_id_value      a placeholder that stands for a value is none of the columns

    One that is part of a name stays; and where one is, other names may be next to it.
    """
    is_open = False
    for name in placeholders:
        if name in text:
            word = re.escape(name)
            alone = (
                rf"(?<![\w.'\"`])(?<!\bas )(?<!\bfrom )(?<!\bjoin )(?<!\binto ){word}(?![\w.'\"`(])"
            )
            places = [found.span() for found in re.finditer(alone, text, re.I)]
            text = re.sub(alone, VALUE, text, flags=re.I)
            expansions = tuple(move_expansion(each, places) for each in expansions)
            is_open = is_open or name in LITERAL.sub("", text)

    return text, is_open, expansions


VALUE = "null"
"""The placeholder of a value that only a run knows."""


def move_expansion(expansion: Expansion, places: list[tuple[int, int]]) -> Expansion:
    """Where an expansion is, after the words at some places have been replaced by VALUE."""
    start, end = (
        at + sum(len(VALUE) - (stop - begin) for begin, stop in places if stop <= at)
        for at in (expansion.start, expansion.end)
    )
    return Expansion(start, end, expansion.macro)


LITERAL = re.compile(r"'(?:[^'\\]|\\.|'')*'|--[^\n]*|/\*.*?\*/", re.S)


def native(text: str) -> Any:
    """'False' is false, '3' stays what it is called"""
    return {"true": True, "false": False, "none": None}.get(text.strip().lower(), text.strip())


def environment(texts: Iterable[str]) -> dict[str, str]:
    """The variables that a project asks for: only those that are called DBT_…, and no secrets."""
    asked = {name for text in texts if "env_var" in text for name in ENVIRONMENT.findall(text)}
    return {
        name: os.environ[name]
        for name in sorted(asked)
        if name in os.environ and not name.startswith(SECRET)
    }


def own_macros() -> list[tuple[str, str, str]]:
    """Return lineal's own versions of the macros of dbt and of the most common packages."""
    files = sorted((HERE / "macros").glob("*.sql"))
    return [(file.stem, f"lineal's {file.stem}", read_installed(file)) for file in files]


GRAPH_PARTS = {"source": "sources", "exposure": "exposures"}
"""Where templates find a node: graph.sources, graph.exposures; all others in graph.nodes."""


def graph_of(nodes: Iterable[Node]) -> dict[str, Any]:
    """graph.nodes, graph.sources: as far as templates look at them"""
    found: dict[str, dict[str, Any]] = {kind: {} for kind in GRAPH}
    for node in nodes:
        held = found[GRAPH_PARTS.get(node.kind, "nodes")]
        held[node.id] = {
            "unique_id": node.id, "name": node.name, "resource_type": node.kind, "package_name": node.package,
            "database": node.parts[0], "schema": node.parts[1], "alias": node.parts[2], "identifier": node.parts[2],
            "original_file_path": node.file, "path": node.file, "config": {"materialized": node.materialized},
            "tags": [], "columns": {}, "meta": {}, "description": node.description, "fqn": [node.package, node.name],
            "depends_on": {"nodes": [], "macros": []}, "relation_name": relation_sql(node.parts, '"'),
        }  # fmt: skip

    return found
