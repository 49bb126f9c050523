"""Code actions: small edits that the lineage can make.

select * from orders                     select id, amount from orders
- name: amount                           - name: amount, with the description of its source
a column that YAML does not declare      - name: amount, below the others
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lineal.graph.describe import inheritance
from lineal.model.edge import Column, Dataset
from lineal.model.extraction import DatasetInfo
from lineal.model.names import insensitive
from lineal.projects.descriptions import Fill, write_descriptions
from lineal.resolve.mentions import Star, StatementMentions
from lineal.service.editor.navigation import column_in_graph, declaration_of
from lineal.service.editor.rename import Change
from lineal.service.editor.spots import YAML, Spot, spot_at
from lineal.service.editor.templates import edit_between
from lineal.service.editor.workspace import Workspace


class Action(NamedTuple):
    """An edit that an editor offers."""

    title: str
    kind: str
    change: Change


REWRITE, FIX = "refactor.rewrite", "quickfix"
"""Kinds of actions, as the protocol names them."""


def actions_at(workspace: Workspace, path: str, start: int, end: int) -> list[Action]:
    """Return the edits that can be made at a stretch of a file."""
    spot = spot_at(workspace, path, start)
    found = [*star_actions(workspace, path, start, end)]
    if spot is not None:
        found += declaration_actions(workspace, spot)

    return found


# -- stars -----------------------------------------------------------------------------------------


def star_actions(workspace: Workspace, path: str, start: int, end: int) -> Iterator[Action]:
    """Yield the stars at a stretch, spelled out."""
    for statement in workspace.statements(path):
        for star in statement.stars:
            span = workspace.align(path, statement.script).to_file(star.start, star.end)
            if span is not None and can_expand(star) and span[0] <= end and start <= span[1]:
                yield expand(workspace, path, span, star, statement)


def can_expand(star: Star) -> bool:
    """Tell whether every column of a star is known."""
    return bool(star.columns) and not star.is_open


def expand(
    workspace: Workspace,
    path: str,
    span: tuple[int, int],
    star: Star,
    statement: StatementMentions,
) -> Action:
    """Return the action that spells out a star, one column on each line.

    select *          select id,
    from orders              amount
                      from orders
    """
    text = workspace.text(path)
    line_start = text.rfind("\n", 0, span[0]) + 1
    head = text[line_start : span[0]]
    indent = " " * len(head) if head.strip() else head
    names = star.columns
    if text[span[0]] != "*" or len(set(star.qualifiers)) > 1:
        names = tuple(f"{q}.{name}" for q, name in zip(star.qualifiers, names, strict=True))

    listed = f",\n{indent}".join(names)
    change = Change(path, *span, listed, "spells out the star")
    return Action(f"Expand * to {len(names)} columns of {statement.target}", REWRITE, change)


# -- declarations ----------------------------------------------------------------------------------


def declaration_actions(workspace: Workspace, spot: Spot) -> Iterator[Action]:
    """Yield what can be added to the YAML of the column or dataset at a spot."""
    graph = workspace.graph
    columns = [column_in_graph(workspace, named) for named in spot.columns]
    datasets = {column.dataset for column in filter(None, columns)}
    if isinstance(spot.dataset, Dataset):
        datasets.add(spot.dataset)

    for column in filter(None, columns):
        yield from description_action(workspace, column)

    for dataset in sorted(datasets & graph.infos.keys()):
        yield from missing_action(workspace, graph.infos[dataset])


def description_action(workspace: Workspace, column: Column) -> Iterator[Action]:
    """Yield the description that a column can take over from its source.

    - name: amount        - name: amount
                            description: Dollars that were paid for it.
    """
    graph = workspace.graph
    dataset, info = graph.infos.get(column.dataset), declaration_of(graph, column)
    if dataset is None or dataset.place is None or info.description.strip():
        return

    inherited = inheritance(graph).get(column)
    if inherited is not None:
        fill = Fill(dataset.dataset.name, column.name, inherited.text, dataset.place, info.place)
        title = f"Take over the description of {inherited.source}"
        yield from fill_action(workspace, [fill], title)


def missing_action(workspace: Workspace, info: DatasetInfo) -> Iterator[Action]:
    """Yield the columns that a statement makes and YAML does not declare.

    columns:                columns:
      - name: id              - name: id
                              - name: amount
    """
    if info.place is None or info.produced is None:
        return

    declared = [column.name for column in info.declared_columns]
    known = {insensitive(name, False) for name in declared}
    produced = [column.name for column in info.produced]
    missing = [name for name in produced if insensitive(name, False) not in known]
    fills = [Fill(info.dataset.name, name, "", info.place, None) for name in missing]
    named = missing[0] if len(missing) == 1 else f"{len(missing)} columns"
    yield from fill_action(workspace, fills, f"Add {named} to the YAML of {info.dataset.name}")


def fill_action(workspace: Workspace, fills: list[Fill], title: str) -> Iterator[Action]:
    """Yield the action that writes declarations, if its YAML file can take them."""
    places = {(fill.column_at or fill.dataset_at).file for fill in fills}
    for path in places:
        text = workspace.text(path)
        made = write_descriptions(text, fills)
        if path.endswith(YAML) and made.text != text:
            yield Action(title, FIX, Change(path, *edit_between(text, made.text), title))
