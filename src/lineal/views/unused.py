"""Unused datasets and columns: a table for people, a document for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from lineal.graph.graph import Graph
from lineal.graph.unused import CONSUMED, DECLARED, FINAL, KEPT, REMOVED, Outputs, Verdict
from lineal.model.edge import Column
from lineal.views.impact import RULE
from lineal.views.json import place
from lineal.views.safe import json_safe
from lineal.views.terminal import Grid, Page, Piece, line
from lineal.views.words import NOTHING, count_noun

VERSION = 1
HEADER = ("PATCH", "UNUSED", "KIND", "WHY", "PLACE")
WORDS = {REMOVED: "removes", KEPT: "keeps"}
MOST_NAMES = 5

CHOSEN = {
    DECLARED: "Outputs: {names}, and what consumers read.",
    CONSUMED: "Outputs: what exposures, metrics and other consumers read. Name more with --keep.",
    FINAL: "Outputs: {names}, because nothing reads them. Name the outputs with --keep.",
}


def table(outputs: Outputs, verdicts: Sequence[Verdict], graph: Graph) -> Page:
    """Return the verdicts as a table for the terminal, readers first."""
    if not graph.infos:
        return [line("The input has no dataset.")]

    page: Page = [line(Piece("UNUSED", "heading")), line(Piece(RULE, "rule")), line()]
    if verdicts:
        page += [Grid(HEADER, list(map(_row, verdicts)), paths=True), line()]

    return [*page, line(summary(verdicts)), line(describe_outputs(outputs))]


def _row(verdict: Verdict) -> tuple[str, ...]:
    """Return the row of a verdict."""
    return (
        WORDS[verdict.status],
        str(verdict.at),
        verdict.kind,
        verdict.reason or NOTHING,
        str(verdict.place) if verdict.place else NOTHING,
    )


def summary(verdicts: Sequence[Verdict]) -> str:
    """4 datasets and 1 column are unused; the patch removes 4 datasets, and keeps 1 column."""
    if not verdicts:
        return "Everything is read."

    removed = [each for each in verdicts if each.status == REMOVED]
    kept = [each for each in verdicts if each.status == KEPT]
    return f"Unused: {_count(verdicts)}. The patch removes {_count(removed)}, and keeps {_count(kept)}."


def _count(verdicts: Sequence[Verdict]) -> str:
    """4 datasets and 1 column"""
    columns = sum(isinstance(each.at, Column) for each in verdicts)
    datasets = len(verdicts) - columns
    counts = [(datasets, "dataset"), (columns, "column")]
    return " and ".join(count_noun(count, noun) for count, noun in counts if count) or "nothing"


def describe_outputs(outputs: Outputs) -> str:
    """Say which datasets count as outputs, and why."""
    shown = [each.name for each in outputs.datasets[:MOST_NAMES]]
    rest = len(outputs.datasets) - len(shown)
    if rest > 0:
        shown.append(f"{rest:,} more")

    return CHOSEN[outputs.chosen].format(names=", ".join(shown))


def document(
    graph: Graph, outputs: Outputs, verdicts: Sequence[Verdict], patch: str
) -> dict[str, object]:
    """Return everything in plain values."""
    return {
        "version": VERSION,
        "outputs": {
            "chosen": outputs.chosen,
            "datasets": [each.name for each in outputs.datasets],
        },
        "unused": list(map(row, verdicts)),
        "patch": patch,
        "coverage": graph.extraction.coverage.to_json(),
    }


def row(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict in plain values."""
    at = verdict.at
    is_column = isinstance(at, Column)
    return {
        "name": str(at),
        "dataset": at.dataset.name if isinstance(at, Column) else at.name,
        "column": at.name if is_column else None,
        "kind": verdict.kind,
        "status": verdict.status,
        "reason": verdict.reason or None,
        "only_tested": verdict.only_tested,
        "place": place(verdict.place),
    }


def as_json(graph: Graph, outputs: Outputs, verdicts: Sequence[Verdict], patch: str) -> str:
    """Return everything as JSON."""
    made = document(graph, outputs, verdicts, patch)
    return json_safe(json.dumps(made, indent=2, ensure_ascii=False) + "\n")
