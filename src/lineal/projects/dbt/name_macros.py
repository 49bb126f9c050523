"""generate_schema_name, generate_alias_name, generate_database_name: where a project builds its nodes.

A project that overrides one of these macros decides with it what its tables are called. The macros
are evaluated in the sandbox, for each node.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.projects.dbt.node import REFERABLE, Node
from lineal.projects.dbt.rendering import RenderingContext
from lineal.projects.render import Rendering, Template
from lineal.projects.text import Report

MACROS = {
    "generate_database_name": "database",
    "generate_schema_name": "schema",
    "generate_alias_name": "alias",
}
"""Each macro, and the setting of a node that it is called with; in the order of a name's parts."""

DEFINED = re.compile(r"\bmacro\s+(?:\w+__)?(generate_(?:database|schema|alias)_name)\s*\(")
BETWEEN = "\x1f"


def overridden_macros(macros: list[tuple[str, str, str]]) -> dict[str, str]:
    """Return the macros that the project overrides, each with the package that does."""
    found: dict[str, str] = {}
    for package, _, text in macros:
        for name in DEFINED.findall(text) if "generate_" in text else ():
            found.setdefault(name, package)

    return found


def apply_name_macros(nodes: list[Node], kitchen: RenderingContext, report: Report) -> None:
    """Give nodes the database, schema and alias that the project's own macros say."""
    macros = overridden_macros(kitchen.macros)
    built = [node for node in nodes if node.kind in REFERABLE and not is_placed(node)]
    if not macros or not built:
        return

    templates = [template_of(node, macros, kitchen) for node in built]
    failed: list[Node] = []
    for node, rendering in zip(built, kitchen.renderings(templates), strict=True):
        parts = parts_of(rendering)
        if parts is None:
            failed.append(node)
        else:
            database, schema, alias = (
                new or old for new, old in zip(parts, node.parts, strict=True)
            )
            node.parts = (database, schema, alias)

    if failed:
        several = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
        message = (
            f"{', '.join(macros)} cannot be evaluated for {failed[0].name}{several}: "
            "the names that dbt gives by default are used"
        )
        report(Diagnostic(Code.DYNAMIC, message, Place(failed[0].file, 1, 1)))


def is_placed(node: Node) -> bool:
    """Tell whether a snapshot says itself where it is: target_schema."""
    return node.kind == "snapshot" and bool(node.config.get("target_schema"))


def template_of(node: Node, macros: dict[str, str], kitchen: RenderingContext) -> Template:
    """Return a template that calls the macros for a node."""
    calls = []
    for name, setting in MACROS.items():
        if name not in macros:
            calls.append("")
            continue

        prefix = "" if macros[name] == kitchen.root else f"{macros[name]}."
        calls.append(f"{{{{ {prefix}{name}(lineal_{setting}, lineal_node) }}}}")

    template = kitchen.template(node, BETWEEN.join(calls))
    names: dict[str, Any] = {
        f"lineal_{setting}": node.config.get(setting) or None for setting in MACROS.values()
    }
    names["lineal_node"] = {
        "unique_id": node.id,
        "name": node.name,
        "resource_type": node.kind,
        "package_name": node.package,
        "fqn": node.fqn,
        "path": node.file,
        "original_file_path": node.file,
        "config": node.config,
        "unrendered_config": node.config,
        "tags": node.config.get("tags") or [],
        "meta": node.config.get("meta") or {},
        "version": node.version or None,
        "database": node.parts[0],
        "schema": node.parts[1],
        "alias": node.parts[2],
    }
    return replace(template, about={**template.about, "names": names, "package": kitchen.root})


def parts_of(rendering: Rendering) -> list[str] | None:
    """Return the parts that a template gave; None if it failed, or asked for what only a run knows."""
    if not rendering.texts or rendering.diagnostics or rendering.said.get("placeholders"):
        return None

    parts = [part.strip() for part in rendering.texts[0].split(BETWEEN)]
    return parts if len(parts) == len(MACROS) else None
