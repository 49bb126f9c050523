"""The changes between two lineages: for people, for a pull request, for programs, for code
scanning.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from lineal import __version__
from lineal.graph.diff import Detail, Difference, EdgeChange, Finding
from lineal.graph.diff.selection import select_affected
from lineal.graph.diff.witness import Experiment
from lineal.model.edge import Dataset
from lineal.model.policy import KINDS, Level
from lineal.views import experiments, selection
from lineal.views.findings.sarif import SCHEMA, physical_location
from lineal.views.json import place
from lineal.views.ledger import describe_percent
from lineal.views.markdown import code, fold_text
from lineal.views.markdown import table as rows_of
from lineal.views.safe import json_safe, make_visible
from lineal.views.terminal import Grid, Page, Piece, line
from lineal.views.words import NOTHING, count_noun

VERSION = 1
MOST_SHOWN = 12
"""Columns or datasets that are listed by name; of more, how many."""
MOST_DETAILS = 25
LONGEST = 160
MARKS = {Level.SAFE: "✅", Level.REVIEW: "🔎", Level.BLOCK: "⛔"}
SARIF_LEVELS = {Level.SAFE: "note", Level.REVIEW: "warning", Level.BLOCK: "error"}


class Compared(NamedTuple):
    """A difference, and what the two sides are called."""

    found: Difference
    base: str
    head: str
    other_seeds: tuple[Dataset, ...] = ()
    """The seeds whose rows differ."""
    experiments: Mapping[str, Experiment] = MappingProxyType({})
    """The results of running the changed statements, by dataset."""


# -- for people ------------------------------------------------------------------------------------


def text(shown: Compared) -> Page:
    """Return the difference as text for the terminal."""
    found = shown.found
    page: Page = [line(Piece(f"{found.verdict.name}: {summary(found)}", "heading")), line()]
    for finding in found.findings:
        page += _finding_lines(finding, shown.experiments.get(finding.dataset))

    for restyled in found.restyled:
        page.append(line(Piece("cosmetic", "note"), f"  {restyled.dataset} {restyled.note}"))

    for note in found.notes:
        page.append(line(Piece("note", "note"), f"  {detail_text(note)}"))

    if found.restyled or found.notes:
        page.append(line())

    if found.edges:
        page += [
            Grid(("", "EDGE", "BEFORE", "AFTER"), list(map(_edge_row, found.edges))),
            line(),
        ]

    return page


def _finding_lines(finding: Finding, experiment: Experiment | None) -> Iterator[Any]:
    """Yield the lines of one finding."""
    where = f"  {finding.place}" if finding.place else ""
    name = finding.dataset or "the input"
    yield line(
        Piece(finding.level.name, finding.level.label),
        "  ",
        Piece(name, "name"),
        Piece(where, "note"),
    )
    for detail in finding.details[:MOST_DETAILS]:
        yield line(f"  {detail_text(detail)}")

    if len(finding.details) > MOST_DETAILS:
        yield line(f"  … and {len(finding.details) - MOST_DETAILS:,} more")

    for said in _consequence_lines(finding):
        yield line("  ", Piece(said, "note"))

    if experiment is not None:
        for said in experiments.lines(experiment):
            yield line(f"  {said}")

    yield line()


def _consequence_lines(finding: Finding) -> Iterator[str]:
    """Yield the lines about breakage, knock-on changes and reach."""
    for broken in finding.reach.breaks[:MOST_SHOWN]:
        at = f" ({broken.place})" if broken.place else ""
        yield f"breaks {broken.dataset}: {broken.why}{at}"

    if len(finding.reach.breaks) > MOST_SHOWN:
        yield f"breaks {len(finding.reach.breaks) - MOST_SHOWN:,} more"

    if finding.follows:
        yield f"with it change {_list_names(finding.follows)}"

    if finding.reach.columns:
        yield f"reaches {_describe_reach(finding)}"


def _describe_reach(finding: Finding) -> str:
    """Return how far a finding reaches, in words."""
    reach = finding.reach
    counts = f"{count_noun(len(reach.columns), 'column')} of {count_noun(len(reach.datasets), 'dataset')}"
    return f"{counts}: {_list_names(reach.columns if len(reach.columns) <= MOST_SHOWN else reach.datasets)}"


def _list_names(names: Iterable[str]) -> str:
    """Return some names and the number of the others."""
    several = list(names)
    more = f" and {len(several) - MOST_SHOWN:,} more" if len(several) > MOST_SHOWN else ""
    return ", ".join(several[:MOST_SHOWN]) + more


def detail_text(detail: Detail) -> str:
    """value-changed total: orders.amount (AGGREGATION sum) → orders.amount (AGGREGATION avg)"""
    where = detail.column or detail.dataset
    if detail.kind in (
        "column-removed",
        "column-removed-read",
        "dataset-removed",
        "dataset-removed-read",
    ):
        return f"{detail.kind} {where}" + (f" ({detail.before})" if detail.before else "")

    if detail.kind in ("column-added", "dataset-added"):
        return f"{detail.kind} {where}" + (f" ({detail.after})" if detail.after else "")

    if detail.kind == "errors-added":
        return f"{detail.kind}: {detail.after}"

    if not detail.before and not detail.after:
        return f"{detail.kind} {where}"

    before, after = cut_pair(detail.before, detail.after)
    return f"{detail.kind} {where}: {before} → {after}"


CONTEXT = 30
"""Characters before the first difference that are shown of two long texts."""


def cut_pair(before: str, after: str) -> tuple[str, str]:
    """Return two texts on a line each, cut such that the place where they differ is shown."""
    left, right = (" ".join(said.split()) or NOTHING for said in (before, after))
    if len(left) <= LONGEST and len(right) <= LONGEST:
        return left, right

    same = next(
        (at for at, pair in enumerate(zip(left, right, strict=False)) if pair[0] != pair[1]),
        min(len(left), len(right)),
    )
    start = max(same - CONTEXT, 0) if same + CONTEXT > LONGEST else 0
    return _cut(left, start), _cut(right, start)


def _cut(shown: str, start: int) -> str:
    """Return a part of a text; three dots replace the parts before and behind it."""
    head = "…" if start else ""
    rest = shown[start:]
    if len(rest) <= LONGEST:
        return head + rest

    return f"{head}{rest[: LONGEST - 1]}…"


SIGNS = {"added": "+", "removed": "-", "changed": "~"}


def _edge_row(edge: EdgeChange) -> tuple[str, ...]:
    """Return the table row of a changed edge."""
    sign = SIGNS[edge.change]
    arrow = f"{edge.source} {edge.arrow} {edge.target}"
    return sign, arrow, ", ".join(edge.before) or NOTHING, ", ".join(edge.after) or NOTHING


def summary(found: Difference) -> str:
    """2 findings (1 block, 1 review), 3 cosmetic changes"""
    if found.is_empty:
        return "nothing has changed"

    levels = Counter(finding.level for finding in found.findings)
    each = ", ".join(
        f"{levels[level]} {level.label}" for level in sorted(Level, reverse=True) if levels[level]
    )
    parts = [f"{count_noun(len(found.findings), 'finding')}" + (f" ({each})" if each else "")]
    if found.restyled:
        parts.append(count_noun(len(found.restyled), "cosmetic change"))

    if found.notes:
        parts.append(f"{count_noun(len(found.notes), 'description')} changed")

    return ", ".join(parts)


# -- for a pull request ----------------------------------------------------------------------------


def markdown(shown: Compared) -> str:
    """Return the difference as Markdown for a pull request."""
    found = shown.found
    lines = [
        f"### Lineage: {MARKS[found.verdict]} {found.verdict.name}",
        "",
        f"{summary(found).capitalize()}, {code(shown.base)} → {code(shown.head)}.",
    ]
    if found.findings:
        lines += [
            "",
            *rows_of(
                ("", "Dataset", "Change", "Behind it"), map(_cells, found.findings[:MOST_ROWS])
            ),
        ]
        if len(found.findings) > MOST_ROWS:
            lines += ["", f"… and {len(found.findings) - MOST_ROWS:,} more findings."]

    if shown.experiments:
        title = f"{count_noun(len(shown.experiments), 'statement')} run over random tables"
        lines += ["", *fold_text(title, experiments.block(shown.experiments))]

    if found.restyled:
        rows = [(code(each.dataset), code(each.note)) for each in found.restyled[:MOST_ROWS]]
        title = f"{count_noun(len(found.restyled), 'cosmetic change')}: proven to return the same"
        lines += ["", *fold_text(title, rows_of(("Dataset", "Change"), rows))]

    if found.notes:
        written = [
            (code(_subject_of(each)), *map(code, cut_pair(each.before, each.after)))
            for each in found.notes[:MOST_ROWS]
        ]
        table = rows_of(("Description of", "Before", "After"), written)
        lines += ["", *fold_text(f"{count_noun(len(found.notes), 'description')} changed", table)]

    if found.edges:
        cells = [
            (sign, code(edge), code(before), code(after))
            for sign, edge, before, after in map(_edge_row, found.edges[:MOST_EDGES])
        ]
        title = f"{count_noun(len(found.edges), 'edge')} changed"
        more = f" (the first {MOST_EDGES})" if len(found.edges) > MOST_EDGES else ""
        lines += ["", *fold_text(title + more, rows_of(("", "Edge", "Before", "After"), cells))]

    base, head = found.coverage
    lines += [
        "",
        f"<sub>Coverage {describe_percent(base.percent)} → {describe_percent(head.percent)}, "
        f"lineal {__version__}</sub>",
    ]
    return "\n".join(lines) + "\n"


MOST_ROWS = 50
MOST_EDGES = 200
"""A comment of GitHub holds 65,536 characters."""


def _subject_of(detail: Detail) -> str:
    """Return the column or dataset of a detail."""
    if detail.column:
        return f"{detail.dataset}.{detail.column}"

    return detail.dataset


def _cells(finding: Finding) -> tuple[str, ...]:
    """Return the table row of a finding."""
    details = [code(detail_text(detail)) for detail in finding.details[:MOST_SHOWN]]
    if len(finding.details) > MOST_SHOWN:
        details.append(f"… and {len(finding.details) - MOST_SHOWN:,} more")

    behind = list(map(code, _consequence_lines(finding)))
    level = f"{MARKS[finding.level]} {finding.level.label}"
    return level, code(finding.dataset or NOTHING), "<br>".join(details), "<br>".join(behind)


# -- for programs ----------------------------------------------------------------------------------


def as_json(shown: Compared) -> str:
    """Return the difference as JSON."""
    found = shown.found
    base, head = found.coverage
    document = {
        "version": VERSION,
        "verdict": found.verdict.name,
        "base": shown.base,
        "head": shown.head,
        "findings": [
            _finding(each, shown.experiments.get(each.dataset)) for each in found.findings
        ],
        "cosmetic": [
            {"dataset": each.dataset, "note": each.note, "place": place(each.place)}
            for each in found.restyled
        ],
        "notes": list(map(_detail, found.notes)),
        "columns": list(map(_detail, found.columns)),
        "edges": list(map(_edge, found.edges)),
        "coverage": {"base": base.to_json(), "head": head.to_json()},
    }
    return json_safe(json.dumps(document, ensure_ascii=False, indent=2) + "\n")


def _finding(finding: Finding, experiment: Experiment | None) -> dict[str, object]:
    """Return a finding as JSON values."""
    made: dict[str, Any] = {
        "kind": finding.kind,
        "level": finding.level.label,
        "dataset": finding.dataset or None,
        "place": place(finding.place),
        "changes": list(map(_detail, finding.details)),
        "edges": list(map(_edge, finding.edges)),
        "follows": finding.follows,
        "reaches": {"columns": finding.reach.columns, "datasets": finding.reach.datasets},
        "breaks": [
            {"dataset": each.dataset, "why": each.why, "place": place(each.place)}
            for each in finding.reach.breaks
        ],
    }
    if experiment is not None:
        made["experiment"] = experiments.to_json(experiment)

    return made


def _detail(detail: Detail) -> dict[str, object]:
    """Return a detail as JSON values."""
    return {name: value or None for name, value in detail._asdict().items()}


def _edge(edge: EdgeChange) -> dict[str, object]:
    """Return a changed edge as JSON values."""
    return {
        "source": edge.source,
        "target": edge.target,
        "field_level": edge.field_level,
        "change": edge.change,
        "before": edge.before,
        "after": edge.after,
    }


# -- for code scanning -----------------------------------------------------------------------------


def sarif(shown: Compared) -> str:
    """Return the difference as a SARIF log."""
    kinds = list(KINDS)
    rules = [
        {
            "id": kind,
            "shortDescription": {"text": meaning},
            "defaultConfiguration": {"level": SARIF_LEVELS[level]},
        }
        for kind, (level, meaning) in KINDS.items()
    ]
    run = {
        "tool": {"driver": {"name": "lineal diff", "version": __version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "properties": {"verdict": shown.found.verdict.name},
        "results": [
            _result(finding, kinds.index(finding.kind)) for finding in shown.found.findings
        ],
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_safe(json.dumps(document, ensure_ascii=False, indent=2) + "\n")


def _result(finding: Finding, number: int) -> dict[str, object]:
    """Return a finding as a SARIF result."""
    said = "; ".join(map(detail_text, finding.details[:MOST_DETAILS]))
    message = make_visible(
        "; ".join([f"{finding.dataset or 'input'}: {said}", *_consequence_lines(finding)])
    )
    about = f"{finding.kind}\0{finding.dataset}\0{said}".encode("utf-8", "surrogatepass")
    location: dict[str, Any] = physical_location(finding.place)
    if finding.dataset:
        location["logicalLocations"] = [
            {"fullyQualifiedName": make_visible(finding.dataset), "kind": "type"}
        ]

    related = [
        {
            "id": number,
            **physical_location(each.place),
            "message": {"text": make_visible(f"{each.dataset} {each.why}")},
        }
        for number, each in enumerate(finding.reach.breaks, 1)
    ]
    made: dict[str, Any] = {
        "ruleId": finding.kind,
        "ruleIndex": number,
        "level": SARIF_LEVELS[finding.level],
        "message": {"text": message},
        "partialFingerprints": {"lineal/v1": hashlib.sha256(about).hexdigest()[:32]},
    }
    return (
        made
        | ({"locations": [location]} if location else {})
        | ({"relatedLocations": related} if related else {})
    )


def selectors(shown: Compared) -> str:
    """Return the names of the datasets that have to run, on one line."""
    affected = select_affected(shown.found, shown.other_seeds)
    return selection.as_selectors(affected, shown.found.pairs.head.graph)


def selected_as_json(shown: Compared) -> str:
    """Return the datasets that have to run, and why."""
    affected = select_affected(shown.found, shown.other_seeds)
    return selection.as_json(affected, shown.found.pairs.head.graph)


OUTPUTS: dict[str, Callable[[Compared], str | Page]] = {
    "text": text,
    "markdown": markdown,
    "json": as_json,
    "sarif": sarif,
}

SELECTIONS: dict[str, Callable[[Compared], str]] = {
    "text": selectors,
    "json": selected_as_json,
}
"""The formats of --select."""
