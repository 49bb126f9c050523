"""Entries of YAML files that describe a model or seed without a file.

models:
  - name: custmers      models/customers.sql is there: its YAML describes nothing
"""

from __future__ import annotations

from collections.abc import Iterator

from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.names import closest
from lineal.model.sequences import first_of_each, flatten
from lineal.projects.dbt.files import files_below, versions_of
from lineal.projects.dbt.node import Node
from lineal.projects.dbt.project import Package
from lineal.projects.dbt.properties import Properties
from lineal.projects.intake import current
from lineal.projects.yaml import Value

FILED = ("models", "seeds", "snapshots")
"""Kinds of nodes that are named after files."""
ENDINGS = (".sql", ".py", ".csv")
"""The endings of such files."""
MOST_COMPARED = 100_000
"""Pairs of names; beyond that nothing is suggested."""


def entries_without_files(
    package: Package, properties: Properties, nodes: list[Node]
) -> Iterator[Diagnostic]:
    """Report each model and seed that YAML describes, and that no file of the package defines.

    The file of a disabled model counts. If patterns exclude files, nothing is reported: one of
    them may be meant.
    """
    known = {node.name for node in nodes}
    listed = (("model", properties.models), ("seed", properties.seeds))
    suspects = [
        (kind, name, entry)
        for kind, entries in listed
        for name, entry in entries.items()
        if name not in known
    ]
    tree = current().tree
    if not suspects or (tree is not None and tree.excluded):
        return

    stems = file_stems(package)
    missing = [each for each in suspects if stems.isdisjoint(files_of(*each[1:]))]
    candidates = sorted(known | stems)
    is_cheap = len(missing) * len(candidates) <= MOST_COMPARED
    for kind, name, entry in missing:
        near = closest(name, candidates) if is_cheap else None
        hint = f"Did you mean {near}?" if near else ""
        message = f"YAML describes the {kind} {name}, which has no file in the project"
        yield Diagnostic(Code.NO_EFFECT, message, entry.at("name"), hint)


def files_of(name: str, entry: Value) -> list[str]:
    """Return the names that the file of an entry may have: its own, and those of its versions."""
    return [name, *first_of_each(versions_of(entry))]


def file_stems(package: Package) -> set[str]:
    """Return the names of all files that may define a node, without their endings."""
    folders = flatten(package.paths[kind] for kind in FILED)
    return {path.stem for path in files_below(folders, ENDINGS, lambda problem: None)}
