"""The effects of a change: what breaks first, then what changes, with the way that leads there."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from lineal.graph.effects import (
    BREAKS,
    DISAPPEARS,
    MAY_BE_RETYPED,
    RENAMED,
    RETYPED,
    REVALUED,
    SEVEREST_FIRST,
    STALE,
    ColumnEffect,
    DatasetEffect,
    Effects,
)
from lineal.graph.graph import Graph
from lineal.views.impact import RULE, path
from lineal.views.json import place, step
from lineal.views.markdown import code, fold_text
from lineal.views.markdown import table as rows_of
from lineal.views.safe import json_safe
from lineal.views.terminal import Grid, Page, Piece, line
from lineal.views.words import NOTHING, count_noun

WORDS = {
    BREAKS: "breaks",
    DISAPPEARS: "disappears",
    RENAMED: "is renamed",
    RETYPED: "changes type",
    MAY_BE_RETYPED: "may change type",
    STALE: "is not rebuilt",
    REVALUED: "changes values",
}
VERSION = 1
MOST_ROWS = 50
"""In Markdown, before the rest is folded away."""

COLUMNS = ("EFFECT", "COLUMN", "WHY", "DISTANCE", "REASON", "PATH")
DATASETS = ("EFFECT", "DATASET", "KIND", "COLUMNS", "REASON", "PLACE")
DESCRIPTIONS = ("DESCRIPTION OF", "WHY", "TEXT")
LONGEST_TEXT = 60
LONGEST_PATH = 100
"""Steps of a path in JSON; of a longer one the end."""


def table(found: Effects, graph: Graph) -> Page:
    """Return the effects of a change as tables for the terminal."""
    page: Page = [line(Piece(heading(found), "heading")), line(Piece(RULE, "rule")), line()]
    for grid in (
        Grid(DATASETS, _datasets(found.datasets), numbers=(3,)),
        Grid(("EFFECT", "CONSUMER", *DATASETS[2:]), _datasets(found.consumers), numbers=(3,)),
        Grid(COLUMNS, _columns(found), numbers=(3,), folds=True),
        Grid(
            DESCRIPTIONS,
            [(str(each.at), each.note, _cut(each.text)) for each in found.descriptions],
        ),
    ):
        if grid.rows:
            page += [grid, line()]

    return [*page, line(summary(found))]


def heading(found: Effects) -> str:
    """IMPACT: orders.amount  type=STRING (now DECIMAL(10,2))"""
    now = f" (now {found.from_type})" if found.change.kind == "type" and found.from_type else ""
    return f"IMPACT: {found.column}  {found.change}{now}"


def _columns(found: Effects) -> list[tuple[str, ...]]:
    """Return a row for each affected column."""
    return [
        (
            WORDS[each.effect],
            str(each.column),
            each.impact.why,
            str(each.impact.depth),
            each.note or NOTHING,
            path(each.impact),
        )
        for each in found.columns
    ]


def _datasets(found: Iterable[DatasetEffect]) -> list[tuple[str, ...]]:
    """Return a row for each affected dataset."""
    return [
        (
            WORDS[each.effect],
            each.dataset.name,
            each.kind,
            str(each.columns),
            each.note or NOTHING,
            str(each.place) if each.place else NOTHING,
        )
        for each in found
    ]


def summary(found: Effects) -> str:
    """20 columns of 6 datasets: 3 datasets break, 2 columns disappear, 15 columns change values."""
    if not found.columns and not found.datasets and not found.consumers:
        return "Nothing is affected."

    datasets = Counter(each.effect for each in (*found.datasets, *found.consumers))
    columns = Counter(each.effect for each in found.columns)
    parts = [_count_effect(effect, datasets[effect], "dataset") for effect in (BREAKS, STALE)]
    parts += [
        _count_effect(effect, columns[effect], "column")
        for effect in SEVEREST_FIRST
        if effect not in (BREAKS, STALE)
    ]
    if found.consumers:
        parts.append(f"{count_noun(len(found.consumers), 'consumer')} affected")

    reached = f"{count_noun(len(found.columns), 'column')} of {count_noun(len(found.datasets), 'dataset')}"
    return f"{reached}: {', '.join(filter(None, parts))}."


def _count_effect(effect: str, count: int, noun: str) -> str:
    """Return how many columns an effect concerns, in words."""
    plural = {
        "is": "are",
        "breaks": "break",
        "disappears": "disappear",
        "changes": "change",
        "may": "may",
    }
    verb, *rest = WORDS[effect].split()
    words = [verb if count == 1 else plural[verb], *rest]
    if count:
        return f"{count_noun(count, noun)} {' '.join(words)}"

    return ""


def _cut(text: str) -> str:
    """Return a text on one line, and cut if it is long."""
    shown = " ".join(text.split())
    if len(shown) <= LONGEST_TEXT:
        return shown

    return f"{shown[: LONGEST_TEXT - 1]}…"


def markdown(found: Effects, graph: Graph) -> str:
    """Return the effects of a change as Markdown for a pull request."""
    lines = [
        f"### Impact of {code(str(found.change))} on {code(str(found.column))}",
        "",
        summary(found),
    ]
    sections: list[tuple[str, Sequence[str], list[tuple[str, ...]]]] = [
        (
            "dataset",
            ("Effect", "Dataset", "Reason"),
            list(map(_dataset_cells, found.datasets)),
        ),
        (
            "consumer",
            ("Effect", "Consumer", "Reason"),
            list(map(_dataset_cells, found.consumers)),
        ),
        (
            "column",
            ("Effect", "Column", "Why", "Path"),
            [
                (
                    WORDS[each.effect],
                    code(str(each.column)),
                    each.impact.why,
                    code(path(each.impact)),
                )
                for each in found.columns
            ],
        ),
        (
            "description",
            ("Description of", "Why"),
            [(code(str(each.at)), code(each.note)) for each in found.descriptions],
        ),
    ]
    for noun, header, rows in sections:
        if rows:
            made = rows_of(header, rows)
            long = len(rows) > MOST_ROWS
            lines += ["", *(fold_text(count_noun(len(rows), noun), ["", *made]) if long else made)]

    return "\n".join(lines) + "\n"


def _dataset_cells(each: DatasetEffect) -> tuple[str, ...]:
    """Return the table row of an affected dataset."""
    at = f" ({each.place})" if each.place else ""
    return (
        WORDS[each.effect],
        code(each.dataset.name),
        code(f"{each.note}{at}") if each.note else "",
    )


def as_json(found: Effects, graph: Graph) -> str:
    """Return the effects of a change as JSON."""
    document = {
        "version": VERSION,
        "column": step(found.column),
        "change": {
            "kind": found.change.kind,
            "to": found.change.to or None,
            "from_type": found.from_type or None,
        },
        "breaks": found.breaks,
        "columns": list(map(_column, found.columns)),
        "datasets": list(map(_dataset, found.datasets)),
        "consumers": list(map(_dataset, found.consumers)),
        "exposures": list(map(_dataset, found.exposures)),
        "descriptions": [
            {**step(each.at), "text": each.text, "why": each.note} for each in found.descriptions
        ],
        "coverage": graph.extraction.coverage.to_json(),
    }
    return json_safe(json.dumps(document, ensure_ascii=False, indent=2) + "\n")


def _column(each: ColumnEffect) -> dict[str, object]:
    """Return an affected column as JSON values."""
    steps = list(islice(each.impact.backwards(), LONGEST_PATH))[::-1]
    return {
        **step(each.column),
        "effect": each.effect,
        "why": each.impact.why,
        "depth": each.impact.depth,
        "note": each.note or None,
        "path": list(map(step, steps)),
    }


def _dataset(each: DatasetEffect) -> dict[str, object]:
    """Return an affected dataset as JSON values."""
    return {
        "dataset": each.dataset.name,
        "kind": each.kind,
        "effect": each.effect,
        "columns": each.columns,
        "note": each.note or None,
        "place": place(each.place),
    }


OUTPUTS: dict[str, Callable[[Effects, Graph], str | Page]] = {
    "table": table,
    "json": as_json,
    "markdown": markdown,
}
