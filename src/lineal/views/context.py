"""The context view: what a language model needs to know about a column, in Markdown of bounded size.

A section that does not fit ends with the number of lines that were left out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence

from lineal.graph.change import parse
from lineal.graph.describe import description
from lineal.graph.effects import Effects, effects
from lineal.graph.graph import Graph
from lineal.graph.trace import TracedEdge, upstream
from lineal.model.edge import Column
from lineal.views.effects import WORDS
from lineal.views.markdown import code
from lineal.views.words import count_noun

SHARES = (0.45, 0.35, 0.2)
"""How much of the size the sources, what breaks, and what else changes may take."""

LONGEST_SNIPPET = 300
RESERVE = 60
"""The characters that the line about left-out parts may take."""


def context(graph: Graph, column: Column, size: int) -> str:
    """Return path, SQL and impact of a column in Markdown of at most `size` characters."""
    head = "\n".join([*heading(graph, column), ""])
    room = max(0, size - len(head))
    lost = effects(graph, column, parse("drop"))
    changed = effects(graph, column, parse("values"))
    sections = (
        ("Where it comes from", list(sources(graph, column)), "No source is known."),
        ("What breaks if it is dropped", list(breaking(lost)), "Nothing breaks."),
        ("What changes if its values change", list(change_lines(changed)), "Nothing changes."),
    )
    made = head + "".join(section(title, lines or [nothing]) for title, lines, nothing in sections)
    if len(made) <= size:
        return made

    made = head
    for (title, lines, nothing), share in zip(sections, SHARES, strict=True):
        spare = size - len(made) - room + round(room * share)
        room -= round(room * share)
        made += section(title, lines or [nothing], spare)

    return made[:size]


def heading(graph: Graph, column: Column) -> Iterator[str]:
    """Yield the facts about the column itself."""
    yield f"# Column {code(str(column))}"
    yield ""
    yield f"- dataset: {code(column.dataset.name)}, {graph.kind(column.dataset)}"
    kind = graph.type_of(column)
    if kind:
        yield f"- type: {code(kind)}"

    said = description(graph, column)
    if said:
        yield f"- description: {code(shorten(said))}"

    percent = graph.extraction.coverage.percent
    if percent is not None:
        yield f"- coverage of the analysis: {percent:g} %"


def sources(graph: Graph, column: Column) -> Iterator[str]:
    """Yield a line for each edge upstream, the nearest first, with the SQL that makes it."""
    for traced in upstream(graph, [column], with_rows=True):
        yield edge_line(traced)


def edge_line(traced: TracedEdge) -> str:
    """- 1: `orders.amount` → `daily.total` AGGREGATION `sum(amount) AS total` (models/daily.sql:3:8)"""
    edge = traced.edge
    arrow = "→" if edge.field_level else "⇒"
    how = ", ".join(sorted({usage.how.value for usage in edge.usages}))
    text = f"- {traced.depth}: {code(str(edge.source))} {arrow} {code(str(edge.target))} {how}"
    snippets = dict.fromkeys(usage.expression for usage in edge.usages if usage.expression)
    for snippet in snippets:
        text += f" {code(shorten(snippet))}"

    return f"{text} ({edge.place})" if edge.place is not None else text


def breaking(found: Effects) -> Iterator[str]:
    """Yield a line for each dataset or consumer that a loss of the column touches."""
    for each in (*found.datasets, *found.consumers):
        at = f" ({each.place})" if each.place is not None else ""
        note = f": {code(each.note)}" if each.note else ""
        yield f"- {each.kind} {code(each.dataset.name)} {WORDS[each.effect]}{note}{at}"


def change_lines(found: Effects) -> Iterator[str]:
    """Yield a line for each column downstream."""
    for each in found.columns:
        yield f"- {code(str(each.column))} ({each.impact.why}, {count_noun(each.impact.depth, 'step')})"


def section(title: str, lines: Sequence[str], size: int = sys.maxsize) -> str:
    """Return a section of at most `size` characters; what does not fit is counted."""
    made = f"\n## {title}\n\n"
    if len(made) > size:
        return ""

    kept = list(lines_that_fit(lines, size - len(made) - RESERVE))
    made += "".join(f"{line}\n" for line in kept)
    left = len(lines) - len(kept)
    return f"{made}- … and {left} more\n" if left else made


def lines_that_fit(lines: Iterable[str], size: int) -> Iterator[str]:
    """Yield lines as long as they fit."""
    for line in lines:
        size -= len(line) + 1
        if size < 0:
            return

        yield line


def shorten(text: str) -> str:
    """Return a text on one line, and cut if it is long."""
    shown = " ".join(text.split())
    return shown if len(shown) <= LONGEST_SNIPPET else f"{shown[: LONGEST_SNIPPET - 1]}…"
