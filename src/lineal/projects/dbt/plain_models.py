"""Plain models after an edit: their SQL is written again, and everything else of the project stays.

corpus.plain_models = plain_models_of(assembly, corpus.scripts)      when a project is read
replace_text(corpus, "models/orders.sql", text)                      after an edit
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lineal.model.script import Corpus, PlainModels, Script
from lineal.projects.dbt.index import Index
from lineal.projects.dbt.node import Node, is_enabled
from lineal.projects.dbt.static import config_of_call, plain_argument

if TYPE_CHECKING:
    from lineal.projects.dbt.corpus import Assembly


def plain_models_of(assembly: Assembly, scripts: Iterable[Script]) -> PlainModels | None:
    """Return the models that can be read again alone; None if a template lists columns of models,
    or if some models may not name others: then an edit of one model affects the diagnostics of
    more.
    """
    made, kitchen = assembly.made, assembly.kitchen
    if any(each.wanted for each in (*made.values(), *assembly.tested.values())):
        return None

    if any(node.config.get("access") == "private" for node in assembly.nodes):
        return None

    counts: Counter[str] = Counter()
    for script in scripts:
        counts[script.file] += 2 if script.expansions else 1

    several = [
        node
        for node in assembly.nodes
        if node.kind == "model" and is_plain(assembly, node) and counts[node.file] == 1
    ]
    models = {
        node.file: (node.package, made[node.id].plain_config or {}, config_of_call(node.text))
        for node in several
        if is_enabled(node)
    }
    setup = kitchen.index.setup()
    return PlainModels(kitchen.root, assembly.quote, setup["nodes"], setup["sources"], models)


def is_plain(assembly: Assembly, node: Node) -> bool:
    """Tell whether the template of a node needs no Jinja."""
    found = assembly.made.get(node.id)
    return found is not None and found.plain_config is not None


def replace_text(corpus: Corpus, file: str, text: str) -> bool:
    """Give a model its new text, in place; False if the project has to be read again for that."""
    models = corpus.plain_models
    about = models.models.get(file) if models is not None else None
    if models is None or about is None or not text.strip():
        return False

    package, config, location = about
    if config_of_call(text) != location:
        return False

    node = Node("", "model", package, "", file, text=text)
    found = plain_argument(node, KnownNodes(models), models.quote)
    if found is None or found.config != config:
        return False

    position = next(at for at, script in enumerate(corpus.scripts) if script.file == file)
    corpus.scripts[position] = replace(corpus.scripts[position], text=found.text)
    return True


class KnownNodes(Index):
    """The targets of ref() and source(), from the saved models of a project."""

    def __init__(self, models: PlainModels) -> None:
        super().__init__((), "")
        self.known = models
        self.root = models.root

    def ref(self, package: str, names: list[str], version: str = "") -> Node | None:
        """Return the node that `ref` means."""
        name = names[:2][-1]
        self.nodes = {name: list(map(known_node, self.known.nodes.get(name, ())))}
        return super().ref(package, names, version)

    def source(self, package: str, names: list[str]) -> Node | None:
        """Return the node that `source` means."""
        name = ".".join(names[:2])
        spelled = [each for each in (name, f"{package}.{name}") if each in self.known.sources]
        self.sources = {each: known_node(self.known.sources[each]) for each in spelled}
        return super().source(package, names)


def known_node(entry: list[Any]) -> Node:
    """Return a node with what a reference needs of it."""
    id_, package, parts, kind = entry
    database, schema, identifier = parts
    return Node(id_, kind, package, "", "", (database, schema, identifier))
