"""How a run is shown: a table of the built datasets, the failures below it, and one line that sums
it up.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from lineal.views.safe import json_safe
from lineal.views.terminal import Grid, Line, Page, Piece, line
from lineal.views.words import NOTHING, count_noun

if TYPE_CHECKING:
    from lineal.spark.run.result import Agreement, Outcome, Summary, Tested

HEADER = ("node", "built as", "result", "rows", "seconds", "tests", "edges: static = Catalyst")
NUMBERS = (3, 4)
STATUSES = ("ok", "kept", "external", "failed", "missing", "skipped")


def page(summary: Summary) -> Page:
    """Return the summary as a table, with details of what failed."""
    shown = [
        outcome for outcome in summary.outcomes if outcome.kind != "function" or not outcome.green
    ]
    parts: Page = [Grid(HEADER, list(map(_row, shown)), NUMBERS)]
    for outcome in shown:
        parts += _details(outcome)

    return [*parts, line(), line(Piece(total(summary), "heading"))]


def is_node(outcome: Outcome) -> bool:
    """Whether it counts as a node: a test of its own counts as a test, a function only where it
    fails.
    """
    return outcome.kind != "test" and (outcome.kind != "function" or not outcome.green)


def _row(outcome: Outcome) -> tuple[str, ...]:
    """Return the table row of a node."""
    built = outcome.status.stands or outcome.rows is not None
    return (
        outcome.name,
        outcome.kind,
        outcome.status.value,
        NOTHING if outcome.rows is None else f"{outcome.rows:,}",
        f"{outcome.seconds:.1f}" if built else NOTHING,
        tests_of(outcome.tests),
        edges_of(outcome.agreement),
    )


def tests_of(tests: tuple[Tested, ...]) -> str:
    """7 passed, 2 of 7 failed"""
    counts = Counter(test.status for test in tests)
    if not tests:
        return NOTHING

    said = (
        [f"{counts['passed']} passed"]
        if not counts["failed"]
        else [f"{counts['failed']} of {len(tests)} failed"]
    )
    return ", ".join(
        [
            *said,
            *(f"{counts[status]} {status}" for status in ("warned", "skipped") if counts[status]),
        ]
    )


def edges_of(agreement: Agreement | None) -> str:
    """8 + 1 = 8 + 1, or 8 ≠ 9"""
    if agreement is None:
        return NOTHING

    if agreement.problem:
        return f"{_sum(agreement.static)} = ?"

    return (
        f"{_sum(agreement.static)} {_sign(agreement)} {_sum(agreement.exact)}{_left_out(agreement)}"
    )


def _sign(agreement: Agreement) -> str:
    """Return whether both engines agree: =, ≈ if only in part comparable, or ≠."""
    if not agreement.agrees:
        return "≠"

    if agreement.static == agreement.exact and not agreement.incomparable:
        return "="

    return "≈"


def _left_out(agreement: Agreement) -> str:
    """2 columns that cannot be compared"""
    if agreement.incomparable:
        return f", {len(agreement.incomparable)} not comparable"

    return ""


def _sum(counts: tuple[int, int]) -> str:
    """Return how many edges of columns and of rows there are."""
    fields, rows = counts
    if rows:
        return f"{fields:,} + {rows:,}"

    return f"{fields:,}"


def _details(outcome: Outcome) -> Iterator[Line]:
    """Return the lines that explain why one node failed."""
    said = list(complaints(outcome))
    if said:
        yield line()
        yield line(
            Piece(outcome.name, "name"), "  ", Piece(outcome.status.value, outcome.status.value)
        )
        yield from (line("  ", each) for each in said)


def complaints(outcome: Outcome) -> Iterator[str]:
    """Yield what went wrong with a node."""
    if outcome.because:
        yield f"not built, because {outcome.because} {outcome.lacks}"

    yield from map(str, outcome.faults)
    yield from outcome.notes
    for test in outcome.tests:
        if test.status != "passed":
            where = f"{test.place}: " if test.place else ""
            yield f"{where}{test}"

    if outcome.agreement is not None:
        yield from ([outcome.agreement.problem] if outcome.agreement.problem else [])
        yield from map(str, outcome.agreement.disagreements)
        if outcome.agreement.incomparable:
            agreement = outcome.agreement
            yield f"not comparable, because {agreement.reason}: {', '.join(agreement.incomparable)}"


def total(summary: Summary) -> str:
    """20 nodes: 20 ok; 98 tests passed; 104 + 9 edges, static = Catalyst; 18.3 s"""
    parts = [_nodes(summary), _tests(summary), _edges(summary), f"{summary.seconds:.1f} s"]
    return "; ".join(filter(None, parts))


def _nodes(summary: Summary) -> str:
    """Return how many nodes have which status."""
    data = list(filter(is_node, summary.outcomes))
    counts = Counter(outcome.status.value for outcome in data)
    each = ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
    if each:
        return f"{count_noun(len(data), 'node')}: {each}"

    return "nothing to build"


def _tests(summary: Summary) -> str:
    """Return how many tests passed, failed, warned and were skipped."""
    counts = Counter(test.status for outcome in summary.outcomes for test in outcome.tests)
    said = [
        f"{counts[status]} {status}" for status in ("failed", "warned", "skipped") if counts[status]
    ]
    if counts:
        return ", ".join([f"{count_noun(counts['passed'], 'test')} passed", *said])

    return ""


def _edges(summary: Summary) -> str:
    """Return how many edges there are, and whether both engines agree."""
    compared = [outcome.agreement for outcome in summary.outcomes if outcome.agreement is not None]
    if not compared:
        return ""

    fields, rows = (sum(each.static[at] for each in compared) for at in (0, 1))
    wrong = sum(not each.agrees for each in compared)
    if wrong:
        return f"{_sum((fields, rows))} edges, static ≠ Catalyst in {count_noun(wrong, 'model')}"

    left_out = sum(len(each.incomparable) for each in compared)
    beside = f", {count_noun(left_out, 'column')} not comparable" if left_out else ""
    return f"{_sum((fields, rows))} edges, static = Catalyst{beside}"


def as_json(summary: Summary) -> str:
    """The same as a document."""
    data = {
        "ok": summary.green,
        "seconds": round(summary.seconds, 3),
        "nodes": list(map(_node, summary.outcomes)),
    }
    return json_safe(json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def _node(outcome: Outcome) -> dict[str, object]:
    """Return a node as JSON values."""
    return {
        "name": outcome.name,
        "kind": outcome.kind,
        "status": outcome.status.value,
        "rows": outcome.rows,
        "seconds": round(outcome.seconds, 3),
        "because": outcome.because or None,
        "notes": list(outcome.notes),
        "faults": [{"message": fault.message, **_place(fault.place)} for fault in outcome.faults],
        "tests": [{**asdict(test), "place": None} | _place(test.place) for test in outcome.tests],
        "edges": None if outcome.agreement is None else _agreement(outcome.agreement),
    }


def _place(place: Any) -> dict[str, Any]:
    """Return a place as JSON values."""
    if place:
        return {"file": place.file, "line": place.line, "column": place.column}

    return {}


def _agreement(agreement: Agreement) -> dict[str, object]:
    """Return the comparison of both engines as JSON values."""
    return {
        "agree": agreement.agrees,
        "static": dict(zip(("field", "inspect"), agreement.static, strict=True)),
        "catalyst": dict(zip(("field", "inspect"), agreement.exact, strict=True)),
        "disagreements": [
            {"edge": each.edge, "only_in": each.only_in} for each in agreement.disagreements
        ],
        "not_comparable": list(agreement.incomparable),
        "problem": agreement.problem or None,
    }
