"""The hover text of the column or dataset under the cursor, in Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from lineal.graph.graph import Graph
from lineal.model.consumers import CONSUMERS
from lineal.model.edge import Column, Dataset, Edge
from lineal.model.way import Confidence
from lineal.resolve.mentions import Local, Named
from lineal.service.answers import missing_part
from lineal.service.editor.navigation import column_in_graph, declaration_of, same_named
from lineal.service.editor.spots import Spot
from lineal.service.editor.workspace import Workspace
from lineal.service.questions import Questions
from lineal.views.markdown import code
from lineal.views.safe import make_visible

MOST_LISTED = 8
MOST_NAMES = 30
LONGEST = 120


def hover_text(workspace: Workspace, spot: Spot) -> str:
    """Return the text about the column or dataset of a spot; '' for nothing."""
    columns = dict.fromkeys(
        chain(spot.columns, *(columns_passed_on(spot, each) for each in spot.columns))
    )
    parts = [about_column(workspace, named, spot) for named in columns]
    if isinstance(spot.dataset, Dataset):
        parts.append(about_dataset(workspace, spot.dataset))
    elif isinstance(spot.dataset, Local):
        parts.append(about_relation(workspace, spot, spot.dataset))

    texts = ["\n".join(part) for part in parts]
    notes = {
        f"Written here by a template: {spot.why}.": spot.why,
        f"The project could not be read again: {make_visible(workspace.problem)}": workspace.problem,
    }
    texts += [text for text, is_so in notes.items() if is_so]
    return "\n\n---\n\n".join(texts)


# -- columns ---------------------------------------------------------------------------------------


def about_column(workspace: Workspace, named: Named, spot: Spot) -> Iterator[str]:
    """Yield the lines about a column.

    **orders.amount** DECIMAL(10, 2)
    From: …
    Read by: …
    """
    column = column_in_graph(workspace, named)
    if column is None:
        yield from about_inner(spot, named)
        return

    graph = workspace.graph
    kind = graph.type_of(column)
    yield f"**{code(str(column))}**" + (f" {code(kind)}" if kind else "")
    yield from description_lines(declaration_of(graph, column).description)
    labels = questions_of(workspace).report.labels.labels_of(column)
    yield from name_lines("Classification: ", labels)
    yield from upstream_lines(graph, column)
    yield from downstream_lines(graph, column)


def columns_passed_on(spot: Spot, named: Named) -> list[Named]:
    """Return the columns of datasets that a column of a CTE is, because stars pass it on.

    with o as (select * from orders) select o.amount from o      o.amount is orders.amount
    insert into mart select amount as total from o               total fills a column of mart
    """
    if spot.statement is None or not isinstance(named.owner, Local):
        return []

    pairs = list(spot.statement.passed.items())
    pairs += [(source, made) for made, source in pairs]
    found = {named: None}
    for each in iter_growing(found):
        found |= {other: None for one, other in pairs if same_named(one, each)}

    filled = map(spot.statement.fills.get, found)
    return [each for each in (*found, *filter(None, filled)) if isinstance(each.owner, Dataset)]


def iter_growing(found: dict[Named, None]) -> Iterator[Named]:
    """Yield the items of a dictionary, and those that are added meanwhile."""
    seen = 0
    while seen < len(found):
        yield next(islice(found, seen, None))
        seen += 1


def about_inner(spot: Spot, named: Named) -> Iterator[str]:
    """Yield the lines about a column of a CTE or subquery."""
    if spot.statement is None or not isinstance(named.owner, Local):
        return

    _, name = spot.statement.relations.get(named.owner, (0, "subquery"))
    yield f"**{code(f'{name}.{named.column}')}** of this statement"
    ways: dict[str, dict[str, None]] = {}
    for column, how in spot.statement.made_of.get(named, []):
        ways.setdefault(code(str(column)), {})[how] = None

    shown = [f"- {column} {', '.join(several)}" for column, several in ways.items()]
    yield from ["", "From:" if shown else "Made of no column.", *cut(shown)]


def questions_of(workspace: Workspace) -> Questions:
    """Return the questions about the current graph; what they need is kept with the state."""
    state = workspace.state
    held: Questions | None = vars(state).get("questions")
    if held is None:
        held = vars(state)["questions"] = Questions(state.graph)

    return held


def upstream_lines(graph: Graph, column: Column) -> Iterator[str]:
    """Yield where a column comes from, with the expressions."""
    edges = graph.into(column)
    yield ""
    if not edges:
        info = graph.infos[column.dataset]
        is_made = any(edge.into == column.dataset for edge in graph.extraction.edges)
        yield f"A column of a {info.kind}." if not is_made else "Made of no column."
        return

    yield "From:"
    yield from cut([edge_line(edge, edge.source) for edge in edges])


def downstream_lines(graph: Graph, column: Column) -> Iterator[str]:
    """Yield who reads a column."""
    edges = [*graph.out_of(column), *graph.decided_by(column)]
    checks = graph.checked_by(column)
    yield ""
    if not edges and not checks:
        yield f"Nothing that was read reads it. {missing_part(graph)}".rstrip()
        return

    yield "Read by:"
    yield from cut([edge_line(edge, edge.target) for edge in edges])
    if checks:
        kinds = Counter(graph.kind(edge.into) for edge in checks)
        yield f"- {', '.join(count_phrase(count, kind) for kind, count in kinds.items())}"


def edge_line(edge: Edge, end: Column | Dataset) -> str:
    """Return one edge as an item: its other end, how, and the expression.

    - customers.spent AGGREGATION: sum(amount) as spent
    """
    usage = next(iter(edge.usages), None)
    how = ", ".join(dict.fromkeys(each.how.value for each in edge.usages))
    text = usage.expression if usage is not None else ""
    shown = f": {code(text[:LONGEST])}" if text and edge.kind == "transform" else ""
    doubt = f" ({edge.level.name})" if edge.level < Confidence.HIGH else ""
    doubt = f"{doubt} ambiguous" if edge.ambiguous else doubt
    return f"- {code(str(end))} {how}{doubt}{shown}"


# -- datasets --------------------------------------------------------------------------------------


def about_dataset(workspace: Workspace, dataset: Dataset) -> Iterator[str]:
    """Yield the lines about a dataset; its name only if a half-written text alone mentions it."""
    graph = workspace.graph
    info = graph.infos.get(dataset)
    if info is None:
        yield f"**{code(dataset.name)}**"
        return

    yield f"**{code(dataset.name)}** {info.kind}"
    yield from description_lines(info.description)
    yield from name_lines("Columns: ", [column.name for column in graph.columns(dataset)])
    reads, readers = questions_of(workspace).neighbors(dataset)
    yield ""
    yield f"{count_phrase(len(reads), 'upstream')} · {count_phrase(len(readers), 'downstream')}"


def about_relation(workspace: Workspace, spot: Spot, local: Local) -> Iterator[str]:
    """Yield the lines about a CTE."""
    assert spot.statement is not None
    _, name = spot.statement.relations.get(local, (0, "subquery"))
    columns = [each.column for each in spot.statement.made_of if each.owner == local]
    yield f"**{code(name)}** CTE"
    yield from name_lines("Columns: ", columns)


def description_lines(description: str) -> list[str]:
    """Return the lines of a description; none if there is none."""
    return ["", prose(description.strip())] if description.strip() else []


def name_lines(title: str, names: Sequence[str]) -> list[str]:
    """Return a line with names; none if there are none."""
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ["", f"{title}{', '.join(map(code, names[:MOST_NAMES]))}{more}"] if names else []


# -- words -----------------------------------------------------------------------------------------


MARKUP = re.compile(r"([\\`*_\[\]<>#|~&])")


def prose(text: str) -> str:
    """Return text of the input as plain words: no markup, no links."""
    lines = list(map(make_visible, text.splitlines()[:12]))
    return "\n".join(MARKUP.sub(r"\\\1", line) for line in lines)


def cut(lines: Iterable[str]) -> list[str]:
    """Return the first lines, and how many more there are."""
    several = list(lines)
    if len(several) <= MOST_LISTED:
        return several

    return [*several[:MOST_LISTED], f"- and {len(several) - MOST_LISTED} more"]


def count_phrase(count: int, what: str) -> str:
    """1 metric, 2 saved queries, 3 upstream"""
    noun = what.replace("_", " ")
    if what in ("upstream", "downstream") or count == 1:
        return f"{count} {noun}"

    plural = {"saved query": "saved queries"}.get(noun, f"{noun}s")
    return f"{count} {plural}"


__all__ = ["CONSUMERS", "count_phrase", "hover_text", "questions_of"]
