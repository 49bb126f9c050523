"""For programs: a finding a line."""

from __future__ import annotations

import json
from typing import Any

from lineal.model.edge import Column, Dataset
from lineal.model.finding import Finding
from lineal.views.findings import Verdict
from lineal.views.json import place
from lineal.views.safe import json_safe

VERSION = 1


def view(verdict: Verdict) -> str:
    """Return the findings as JSON, one per line."""
    lines = ",\n".join(f"    {_text(_finding(finding))}" for finding in verdict.findings)
    findings = f"[\n{lines}\n  ]" if lines else "[]"
    counts: dict[str, int] = {}
    for finding in verdict.findings:
        counts[finding.code] = counts.get(finding.code, 0) + 1

    parts = [
        f'  "version": {VERSION}',
        f'  "findings": {findings}',
        f'  "counts": {_text(dict(sorted(counts.items())))}',
        f'  "coverage": {_text(verdict.coverage.to_json())}',
    ]
    return json_safe("{\n" + ",\n".join(parts) + "\n}\n")


def _finding(finding: Finding) -> dict[str, object]:
    """Return a finding as JSON values."""
    found = finding.found
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.label,
        "message": found.message,
        "hint": found.hint or None,
        "place": place(found.place),
        "about": _end_values(found.about),
        "source": _end_values(found.source),
        "also": [{"place": place(spot.place), "text": spot.text} for spot in found.also],
    }


def _end_values(end: Column | Dataset | None) -> dict[str, Any] | None:
    """Return the end of an edge as JSON."""
    if isinstance(end, Column):
        return {"dataset": end.dataset.name, "column": ".".join((end.name, *end.path))}

    if end is not None:
        return {"dataset": end.name, "column": None}

    return None


def _text(value: Any) -> str:
    """Return a value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False)
