"""Completions at the cursor: columns in scope, names of datasets, arguments of ref() and source()."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lineal.graph.graph import Graph
from lineal.model.consumers import CONSUMERS
from lineal.model.diagnostic import Place
from lineal.model.edge import Column, Dataset
from lineal.model.extraction import ColumnInfo
from lineal.resolve.mentions import VisibleSources
from lineal.service.editor.navigation import declaration_of
from lineal.service.editor.positions import Values
from lineal.service.editor.spots import YAML, block_at
from lineal.service.editor.templates import Alignment
from lineal.service.editor.workspace import Workspace

CURSOR = "lineal_cursor"
"""A name that is put at the cursor while the text is tried."""
MOST = 500

FIELD, CLASS, MODULE, VARIABLE = 5, 7, 9, 6
"""Kinds of items, as the protocol numbers them: a column, a dataset, a source, a CTE or alias."""

IN_REF = re.compile(r"\bref\s*\(\s*(?:['\"][\w.-]+['\"]\s*,\s*)?['\"]([\w.-]*)\Z")
IN_SOURCE = re.compile(r"\bsource\s*\(\s*['\"]([\w.-]*)\Z")
IN_TABLE = re.compile(r"\bsource\s*\(\s*['\"]([\w.-]+)['\"]\s*,\s*['\"]([\w.-]*)\Z")
IN_PROGRAM_TABLE = re.compile(r"\.(?:table|read_table|saveAsTable|insertInto)\(\s*['\"]([\w.]*)\Z")
IN_STRING = re.compile(r"['\"]([\w]*)\Z")
AFTER_FROM = re.compile(r"\b(?:from|join|into|update|table)\s+([\w.]*)\Z", re.I)
QUALIFIED = re.compile(r"([\w$]+)\.([\w$]*)\Z")
END_OF_WORD, START_OF_WORD = re.compile(r"[\w$]*\Z"), re.compile(r"\A[\w$]*")


class Item(NamedTuple):
    """Something that can be written."""

    label: str
    kind: int
    detail: str = ""
    documentation: str = ""

    def values(self) -> Values:
        """Return the item as plain values."""
        made: Values = {"label": self.label, "kind": self.kind}
        if self.detail:
            made["detail"] = self.detail

        if self.documentation:
            made["documentation"] = self.documentation

        return made


def items_at(workspace: Workspace, path: str, offset: int) -> list[Item]:
    """Return what can be written at an offset of a file.

    ref('|                 models
    select o.|             the columns of o
      - name: |            the columns that YAML does not declare yet
    """
    text = workspace.text(path)
    head = text[max(0, offset - 400) : offset]
    for pattern, complete in CONTEXTS:
        found = pattern.search(head)
        if found is not None:
            return list(complete(workspace, found))[:MOST]

    if path.endswith(YAML):
        return list(missing_columns(workspace, path, offset))[:MOST]

    if path.endswith((".py", ".ipynb")):
        is_string = IN_STRING.search(head) is not None
        return list(columns_of_program(workspace, path))[:MOST] if is_string else []

    return list(in_statement(workspace, path, text, offset))[:MOST]


# -- names of datasets -----------------------------------------------------------------------------


def references_to_offer(workspace: Workspace, found: re.Match[str]) -> Iterator[Item]:
    """ref('…      the models, seeds and snapshots"""
    graph = workspace.graph
    for dataset, info in graph.infos.items():
        if info.kind in ("model", "seed", "snapshot"):
            yield Item(dataset.name, CLASS, info.kind, info.description)


def source_names(workspace: Workspace, found: re.Match[str]) -> Iterator[Item]:
    """source('…      the sources"""
    names = dict.fromkeys(name for name, _, _ in sources(workspace))
    yield from (Item(name, MODULE, "source") for name in names)


def source_tables(workspace: Workspace, found: re.Match[str]) -> Iterator[Item]:
    """source('shop', '…      the tables of a source"""
    for name, table, description in sources(workspace):
        if name == found[1]:
            yield Item(table, CLASS, f"source {name}", description)


def sources(workspace: Workspace) -> Iterator[tuple[str, str, str]]:
    """Yield the tables of sources: the source, the table and its description."""
    for dataset, info in workspace.graph.infos.items():
        name, dot, table = dataset.name.partition(".")
        if info.kind == "source" and dot:
            yield name, table, info.description


def dataset_names(workspace: Workspace, found: re.Match[str]) -> Iterator[Item]:
    """FROM …      every dataset"""
    for dataset, info in workspace.graph.infos.items():
        if info.kind not in CONSUMERS:
            yield Item(dataset.name, CLASS, info.kind, info.description)


CONTEXTS = (
    (IN_TABLE, source_tables),
    (IN_SOURCE, source_names),
    (IN_REF, references_to_offer),
    (IN_PROGRAM_TABLE, dataset_names),
    (AFTER_FROM, dataset_names),
)
"""How the text before the cursor ends, and what completes it."""


# -- columns ---------------------------------------------------------------------------------------


def in_statement(workspace: Workspace, path: str, text: str, offset: int) -> Iterator[Item]:
    """Yield the columns of the sources in scope; of one source, if a qualifier names it."""
    scope = scope_at(workspace, path, text, offset)
    if scope is None:
        return

    qualifier = QUALIFIED.search(text[:offset])
    for alias, owner, columns in scope.sources:
        detail = owner.name if isinstance(owner, Dataset) else alias
        if qualifier is None:
            yield Item(alias, VARIABLE, "source")

        if qualifier is None or qualifier[1].lower() == alias.lower():
            yield from column_items(workspace.graph, owner, columns, detail)


def column_items(
    graph: Graph, owner: object, columns: Iterable[str], detail: str
) -> Iterator[Item]:
    """Yield columns with their types and descriptions."""
    for name in columns:
        info = ColumnInfo(name)
        if isinstance(owner, Dataset):
            info = declaration_of(graph, Column(owner, name))

        yield Item(name, FIELD, f"{detail} {info.type}".rstrip(), info.description)


def scope_at(workspace: Workspace, path: str, text: str, offset: int) -> VisibleSources | None:
    """Return what can be named at an offset: the innermost SELECT around it.

    with a as (select | from t) select …      the SELECT inside a
    """
    for tried, at in candidates(text, offset):
        for statement in workspace.statements(path, tried):
            here = Alignment(tried, statement.script.text, statement.script.line).to_script(at)
            around = [
                each
                for each in statement.scopes
                if here is not None and each.start <= here <= each.end and each.sources
            ]
            if around:
                return min(around, key=lambda each: each.end - each.start)

    return None


def candidates(text: str, offset: int) -> Iterator[tuple[str, int]]:
    """Yield texts that may be whole, with a name at the cursor.

    select o.| from orders o      select o.lineal_cursor from orders o
    select sum(|                  select sum(lineal_cursor)
    """
    start = offset - len(END_OF_WORD.search(text[:offset])[0])  # type: ignore[index]
    head, tail = text[:start], START_OF_WORD.sub("", text[offset:], count=1)
    rest = tail[len(tail.partition("\n")[0]) :]
    for end in (tail, rest, f",{tail}", f",{rest}", f"){tail}", f"){rest}", f" = 1{tail}"):
        yield head + CURSOR + end, start


def missing_columns(workspace: Workspace, path: str, offset: int) -> Iterator[Item]:
    """- name: …      the columns of the model that YAML does not declare yet"""
    graph = workspace.graph
    text = workspace.documents.lines(path, "utf-32")
    for dataset, info in graph.infos.items():
        place = info.place or Place("", 1, 1)
        start, end = block_at(text, place.line)
        if place.file == path and start <= offset <= end:
            declared = {column.name for column in info.declared_columns}
            names = [name for name in info.names if name not in declared]
            yield from column_items(graph, dataset, names, dataset.name)


def columns_of_program(workspace: Workspace, path: str) -> Iterator[Item]:
    """F.col("…      the columns of the datasets that a program reads"""
    graph = workspace.graph
    read = {
        each.dataset: None
        for each in graph.reads
        if each.place is not None and each.place.file == path
    }
    for dataset in read:
        names = [column.name for column in graph.columns(dataset) if column.name != "*"]
        yield from column_items(graph, dataset, names, dataset.name)
