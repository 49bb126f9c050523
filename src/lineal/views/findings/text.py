"""For people: each finding with the line that it is about, and what to do.

warning[A051]: dim_customers.customer_name says "Customer full name", but is a copy of …
  --> nodes/dim_customers/dim_customers.yml:14:5
   |
14 |   - name: customer_name
   |     ^^^^^^^^^^^^^^^^^^^
   = also: nodes/dim_customers/dim_customers.sql:3:5: copy of stg_customers.customer_name
   = help: Make the descriptions equal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lineal.model.diagnostic import Place
from lineal.model.finding import Finding
from lineal.model.redaction import redact_text
from lineal.views.findings import Verdict
from lineal.views.safe import make_visible, width
from lineal.views.terminal import Line, Page, Piece, line

LONGEST = 160
"""So much of a line is shown, around the spot."""
TAB = "    "
_NAME = r"(?:[\w$@]+|\"[^\"]*\"|`[^`]*`)"
_SPOT = re.compile(rf"{_NAME}(?:\.{_NAME})*(?:\s*:\s+[^#\n]*[^#\s])?|\{{[^}}]*\}}|\S")
"""A name; in YAML also what it is set to: name: customer_id; a mapping in braces"""


def view(verdict: Verdict) -> Page:
    """Return the findings as text, each with the line it is about."""
    page: Page = []
    for several in group_findings(verdict.findings):
        if page:
            page.append(line())

        page += _finding(several[0], verdict) if len(several) == 1 else _group(several)

    return page


BY_SOURCE = "A051"
"""The rule whose findings are shown together if they compare with the same column upstream."""


def group_findings(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Return findings that are shown together, where the first of them stands."""
    groups: dict[object, list[Finding]] = {}
    for number, finding in enumerate(findings):
        source = finding.found.source if finding.code == BY_SOURCE else None
        key = (finding.code, source) if source is not None else number
        groups.setdefault(key, []).append(finding)

    return list(groups.values())


def _group(several: list[Finding]) -> Iterator[Line]:
    """Yield the lines of findings about one source column: one line for each of its copies."""
    first = several[0]
    severity = first.severity.label
    said = (
        f"{len(several)} columns are described differently from their source {first.found.source}"
    )
    yield line(Piece(f"{severity}[{first.code}]", severity), Piece(f": {said}", "heading"))
    for finding in several:
        where = f"{finding.found.place}: " if finding.found.place is not None else ""
        yield line(Piece("  --> ", "arrow"), f"{where}{finding.found.message}")

    if first.found.hint:
        yield line(Piece("  = ", "arrow"), Piece("help: ", "note"), first.found.hint)


def _finding(finding: Finding, verdict: Verdict) -> Iterator[Line]:
    """Yield the lines of one finding."""
    found, severity = finding.found, finding.severity.label
    yield line(
        Piece(f"{severity}[{finding.code}]", severity), Piece(f": {found.message}", "heading")
    )
    margin = " "
    if found.place is not None:
        margin = " " * (len(str(found.place.line)) + 1)
        yield line(Piece(f"{margin[:-1]}--> ", "arrow"), str(found.place))
        yield from _excerpt(found.place, verdict, margin, severity)

    for spot in found.also:
        yield line(
            Piece(f"{margin}= ", "arrow"), Piece("also: ", "note"), f"{spot.place}: {spot.text}"
        )

    if found.hint:
        yield line(Piece(f"{margin}= ", "arrow"), Piece("help: ", "note"), found.hint)


def _excerpt(place: Place, verdict: Verdict, margin: str, severity: str) -> Iterator[Line]:
    """Yield the source line of a place, without secrets, with a mark below it."""
    written = verdict.line(place)
    if not written.strip():
        return

    shown, at = redact_text(written), max(place.column - 1, 0)
    if shown != written:
        at = len(redact_text(written[:at]))

    text, before, spot = _window(shown, at)
    yield line(Piece(f"{margin}|", "arrow"))
    yield line(Piece(f"{place.line} | ", "arrow"), text)
    yield line(
        Piece(f"{margin}| ", "arrow"),
        " " * width(make_visible(before)),
        Piece("^" * max(width(spot), 1), severity),
    )


def _window(text: str, at: int) -> tuple[str, str, str]:
    """The part of a line that is shown, the text before the spot in it, and the spot."""
    at = min(at, len(text.rstrip()))
    start = max(at - LONGEST // 2, 0) if len(text) > LONGEST else 0
    word = _SPOT.match(text, at, start + LONGEST)
    shown, before = text[start : start + LONGEST], text[start:at]
    spot = make_visible(word[0].replace("\t", TAB)) if word else ""
    return shown.replace("\t", TAB).rstrip(), before.replace("\t", TAB), spot
