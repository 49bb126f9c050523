"""Nodes: models, seeds, snapshots, sources, exposures, whether a manifest or the files of a project
name them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from lineal.model.diagnostic import Place
from lineal.model.extraction import ColumnInfo
from lineal.model.plain import as_mapping
from lineal.projects.dbt.sandbox.relation import quote_of, relation_sql
from lineal.projects.yaml import Value

AGAIN = "#"
"""The suffix of the id of a second node of one name."""

REFERABLE = ("model", "seed", "snapshot")
"""The kinds of nodes that ref() can name."""

TIME_SPINE = "metricflow_time_spine"
"""The model that metrics over time are joined to, if no other says that it is one."""

Parts = tuple[str, str, str]
"""The database, schema and identifier of a relation."""


@dataclass(frozen=True)
class DataTest:
    """The name of a test, and its arguments."""

    name: str
    """unique, dbt_utils.at_least_one; '' for a singular one"""
    arguments: dict[str, Any] | None = None
    column: str = ""
    attached: str = ""
    """The id of the node that it belongs to."""
    place: Place | None = None
    is_listed: bool = False
    """Whether a manifest lists it, and so has named it."""


@dataclass
class Node:
    """One node, with its properties from all files that describe it."""

    id: str
    """model.shop.orders: what dbt calls it"""
    kind: str
    package: str
    name: str
    file: str
    parts: Parts = ("", "", "")
    text: str = ""
    """Its SQL or Python, as it is written."""
    line: int = 1
    compiled: str | None = None
    config: dict[str, Any] = field(default_factory=dict)
    columns: list[ColumnInfo] = field(default_factory=list)
    complete: bool = False
    description: str = ""
    place: Place | None = None
    version: str = ""
    latest: bool = False
    """Of a model with versions: the one that is meant when none is named."""
    depends: list[str] = field(default_factory=list)
    relations: list[str] = field(default_factory=list)
    """How else SQL writes it: a manifest's own spelling."""
    incremental: bool = False
    """Whether its text asks is_incremental(), as far as that is known."""
    dataset: str = ""
    """The name that users see."""
    about: Value | None = None
    """Its entry in YAML, which a manifest does not keep."""
    fqn: list[str] = field(default_factory=list)
    """Its package, the folders below the path of its kind, and its name."""
    joined: Node | None = None
    """Of a source: the model of another project whose table it is."""
    test: DataTest | None = None
    """Of a test: what it is."""
    constraints: list[dict[str, Any]] = field(default_factory=list)
    """Of a model: the constraints of its contract."""

    @property
    def is_python(self) -> bool:
        """Tell whether the node is a Python model."""
        return self.file.endswith(".py")

    @property
    def known_place(self) -> Place:
        """Return where YAML describes the node, else the beginning of its file."""
        return self.place or Place(self.file, 1, 1)

    @property
    def relation_key(self) -> tuple[str, ...]:
        """Return database, schema and name of the relation in lower case."""
        return tuple(map(str.lower, self.parts))

    @property
    def materialized(self) -> str:
        """Return the materialization of the node."""
        return str(self.config.get("materialized") or "")


def is_enabled(node: Node) -> bool:
    """enabled: false, as a value or as a template has rendered it"""
    return str(node.config.get("enabled", True)).strip().lower() not in ("false", "none", "")


def is_terminal(node: Node) -> bool:
    """meta: {lineal: {terminal: true}}, access: public, a time spine      it is read outside SQL"""
    if node.config.get("access") == "public" or node.config.get("time_spine"):
        return True

    if node.name == TIME_SPINE:
        return True

    return as_mapping(as_mapping(node.config.get("meta")).get("lineal")).get("terminal") is True


def base_of(id_: str) -> str:
    """Return the id of a node without the mark of a further statement."""
    return id_.partition(AGAIN)[0]


def name_datasets(nodes: Iterable[Node], root: str) -> None:
    """orders, raw.orders for a source; a package's node keeps its package where the project has one
    of that name.
    """
    several = list(nodes)
    taken: dict[str, Node] = {}
    for node in sorted(several, key=lambda each: (each.kind == "exposure", each.package != root)):
        plain = f"{node.name}_v{node.version}" if node.version else node.name
        twin = taken.get(plain.lower())
        if twin is not None and base_of(twin.id) == base_of(node.id):
            plain = twin.dataset
        elif twin is not None:
            plain = f"exposure:{plain}" if node.kind == "exposure" else f"{node.package}.{plain}"

        taken.setdefault(plain.lower(), node)
        node.dataset = plain


def separate(nodes: Iterable[Node], root: str) -> None:
    """Two nodes of one relation: their schemas differ by what only a run knows, and so here by the
    nodes' names.
    """
    taken: set[tuple[str, ...]] = set()
    several = [node for node in nodes if node.kind in REFERABLE]
    for node in sorted(several, key=lambda each: each.package != root):
        key = node.relation_key
        if key in taken:
            node.parts = (
                node.parts[0],
                f"{node.parts[1]}_{node.package}_{node.name}",
                node.parts[2],
            )

        taken.add(key)


def aliases_of(nodes: Iterable[Node], adapter: str) -> dict[str, str]:
    """How SQL writes each node, and the dataset it is.

    A source that is the very table of a model or seed is that model or seed. A name without its
    database means the one node that has it, unless a dataset is called so.
    """
    quote = quote_of(adapter)
    several = sorted(
        (node for node in nodes if node.kind in ("source", *REFERABLE)),
        key=lambda n: n.kind == "source",
    )
    full: dict[str, str] = {}
    short: dict[str, set[str]] = {}
    names = {node.dataset.lower() for node in several}
    for node in several:
        spelled = relation_sql(node.parts, quote)
        dataset = full.setdefault(spelled, node.dataset)
        if node.kind == "source":
            node.dataset = dataset

        for relation in node.relations:
            full.setdefault(relation, dataset)

        short.setdefault(relation_sql(("", *node.parts[1:]), quote), set()).add(dataset)

    for spelled, datasets in short.items():
        if len(datasets) == 1 and spelled.lower() not in names and spelled not in full:
            full[spelled] = next(iter(datasets))

    return {spelled: dataset for spelled, dataset in full.items() if spelled != dataset}
