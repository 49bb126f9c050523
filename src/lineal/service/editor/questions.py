"""The questions of an editor, each answered in plain values that have the shapes of the protocol.

answer(workspace, "hover", {"path": "/p/models/orders.sql", "position": {"line": 3, …}})
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lineal.model.edge import Dataset
from lineal.service.answers import Misasked
from lineal.service.editor.actions import actions_at
from lineal.service.editor.completion import items_at
from lineal.service.editor.hover import hover_text
from lineal.service.editor.lenses import COMMAND, lens_spots, title_of
from lineal.service.editor.navigation import (
    Span,
    column_in_graph,
    definitions_of,
    references_to,
)
from lineal.service.editor.positions import Text, Values
from lineal.service.editor.problems import diagnostics_of, problems_of
from lineal.service.editor.rename import Change, column_to_rename, plan_rename
from lineal.service.editor.spots import Spot, spot_at
from lineal.service.editor.workspace import Workspace

Asked = Mapping[str, Any]


def answer(workspace: Workspace, question: str, asked: Asked) -> Values:
    """Return the answer to a question of QUESTIONS."""
    if question not in QUESTIONS:
        raise Misasked(f"unknown question {question}")

    if question in RENAMES or asked.get("is_behind"):
        workspace.catch_up()

    return QUESTIONS[question](workspace, asked)


# -- documents -------------------------------------------------------------------------------------


def put(workspace: Workspace, asked: Asked) -> Values:
    """Take the text of an open document."""
    workspace.put(str(asked["path"]), str(asked["text"]))
    return {}


def drop(workspace: Workspace, asked: Asked) -> Values:
    """Forget a document that was closed."""
    workspace.drop(str(asked["path"]))
    return {}


def check(workspace: Workspace, asked: Asked) -> Values:
    """Return the diagnostics of the files that the last edits concern."""
    files = workspace.check()
    found = problems_of(workspace, encoding_of(asked))
    return {"files": diagnostics_of(found, sorted(files)), "is_stale": workspace.is_stale}


def refresh(workspace: Workspace, asked: Asked) -> Values:
    """Read the project again; return all of its diagnostics."""
    workspace.refresh()
    found = problems_of(workspace, encoding_of(asked))
    return {"files": found, "problem": workspace.problem}


# -- the name under the cursor ---------------------------------------------------------------------


def hover(workspace: Workspace, asked: Asked) -> Values:
    """Return the text about the name under the cursor."""
    text, spot = look_up(workspace, asked)
    shown = hover_text(workspace, spot)
    if not shown:
        return {}

    return {
        "contents": {"kind": "markdown", "value": shown},
        "range": text.range(spot.start, spot.end),
    }


def definition(workspace: Workspace, asked: Asked) -> Values:
    """Return where the name under the cursor is defined."""
    _, spot = look_up(workspace, asked)
    spans = definitions_of(workspace, spot)
    return {"locations": locations(workspace, spans, asked)}


def references(workspace: Workspace, asked: Asked) -> Values:
    """Return every spot that reads the name under the cursor."""
    _, spot = look_up(workspace, asked)
    with_declaration = bool(asked.get("include_declaration"))
    spans = references_to(workspace, spot, with_declaration)
    return {"locations": locations(workspace, spans, asked)}


# -- edits -----------------------------------------------------------------------------------------


def prepare_rename(workspace: Workspace, asked: Asked) -> Values:
    """Return the range and the name of the column that would be renamed."""
    text, spot = look_up(workspace, asked)
    named = column_to_rename(workspace, spot)
    return {"range": text.range(spot.start, spot.end), "placeholder": named.column}


def rename(workspace: Workspace, asked: Asked) -> Values:
    """Return the edits that rename the column under the cursor."""
    _, spot = look_up(workspace, asked)
    plan = plan_rename(workspace, spot, str(asked["new_name"]))
    return {"edits": edits(workspace, plan.changes, asked)}


def actions(workspace: Workspace, asked: Asked) -> Values:
    """Return the edits that are offered at a range."""
    path = workspace.name_of(str(asked["path"]))
    text = workspace.documents.lines(path, encoding_of(asked))
    start, end = (text.offset(asked["range"][each]) for each in ("start", "end"))
    found = [
        {
            "title": each.title,
            "kind": each.kind,
            "edits": edits(workspace, [each.change], asked),
        }
        for each in actions_at(workspace, path, start, end)
    ]
    return {"actions": found}


def completion(workspace: Workspace, asked: Asked) -> Values:
    """Return what can be written at a position."""
    path = workspace.name_of(str(asked["path"]))
    text = workspace.documents.lines(path, encoding_of(asked))
    found = items_at(workspace, path, text.offset(asked["position"]))
    return {"items": [each.values() for each in found]}


# -- the neighbors of a dataset --------------------------------------------------------------------


def lenses(workspace: Workspace, asked: Asked) -> Values:
    """Return the places of lenses; their texts are asked for when they are seen."""
    path = workspace.name_of(str(asked["path"]))
    start = {"character": 0}
    found = [
        {
            "range": {"start": {"line": line, **start}, "end": {"line": line, **start}},
            "data": {"dataset": dataset.name},
        }
        for line, dataset in lens_spots(workspace, path)
    ]
    return {"lenses": found}


def lens(workspace: Workspace, asked: Asked) -> Values:
    """Return the text of a lens."""
    dataset = workspace.graph.dataset(str(asked["dataset"]))
    title = title_of(workspace.graph, dataset)
    return {"title": title, "command": COMMAND, "arguments": [dataset.name]}


def name(workspace: Workspace, asked: Asked) -> Values:
    """Return the dataset or column under the cursor, as the page and the command line name it."""
    _, spot = look_up(workspace, asked)
    known = filter(None, (column_in_graph(workspace, each) for each in spot.columns))
    found = [{"name": str(column), "kind": "column"} for column in known]
    if isinstance(spot.dataset, Dataset):
        found.append({"name": spot.dataset.name, "kind": "table"})

    return next(iter(found), {"name": "", "kind": "table"})


# -- shapes ----------------------------------------------------------------------------------------


def encoding_of(asked: Asked) -> str:
    """Return the encoding that the editor counts characters in."""
    return str(asked.get("encoding") or "utf-16")


def look_up(workspace: Workspace, asked: Asked) -> tuple[Text, Spot]:
    """Return the text of a document, and the spot at a position; an empty one if nothing is there."""
    state = workspace.state
    path = workspace.name_of(str(asked["path"]))
    assert state is not None
    text = workspace.documents.lines(path, encoding_of(asked))
    offset = text.offset(asked["position"])
    return text, spot_at(workspace, path, offset) or Spot(path, offset, offset)


def locations(workspace: Workspace, spans: list[Span], asked: Asked) -> list[Values]:
    """Return stretches of files as locations."""
    texts: dict[str, Text] = {}
    found: list[Values] = []
    for path, start, end in spans:
        if path not in texts:
            texts[path] = workspace.documents.lines(path, encoding_of(asked))

        found.append({"path": path, "range": texts[path].range(start, end)})

    return found


def edits(workspace: Workspace, changes: Iterable[Change], asked: Asked) -> list[Values]:
    """Return changes of files as text edits, each with its file and label."""
    texts: dict[str, Text] = {}
    found: list[Values] = []
    for change in changes:
        text = texts.setdefault(
            change.path, workspace.documents.lines(change.path, encoding_of(asked))
        )
        found.append(
            {
                "path": change.path,
                "range": text.range(change.start, change.end),
                "new_text": change.new,
                "label": change.label,
            }
        )

    return found


RENAMES = ("prepare_rename", "rename")
"""Questions whose answers write: they see every file as it is now, whether a client tells or not."""

QUESTIONS: dict[str, Callable[[Workspace, Asked], Values]] = {
    "put": put,
    "drop": drop,
    "check": check,
    "refresh": refresh,
    "hover": hover,
    "definition": definition,
    "references": references,
    "prepare_rename": prepare_rename,
    "rename": rename,
    "actions": actions,
    "completion": completion,
    "lenses": lenses,
    "lens": lens,
    "name": name,
}
