"""For code scanning: SARIF 2.1.0, the static analysis results interchange format of OASIS."""

from __future__ import annotations

import hashlib
import json
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from lineal import __version__
from lineal.model.diagnostic import Place, Severity
from lineal.model.edge import Column, Dataset
from lineal.model.finding import Finding
from lineal.rules import Rule
from lineal.views.findings import Verdict
from lineal.views.safe import json_safe, make_visible

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def view(verdict: Verdict) -> str:
    """Return the findings as a SARIF log."""
    numbers = {rule.code: number for number, rule in enumerate(verdict.rules)}
    driver = {
        "name": "lineal",
        "version": __version__,
        "rules": list(map(_rule, verdict.rules)),
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, numbers[finding.code]) for finding in verdict.findings],
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_safe(json.dumps(document, ensure_ascii=False, indent=2) + "\n")


def _rule(rule: Rule) -> dict[str, object]:
    """Return a rule as SARIF describes it."""
    made: dict[str, Any] = {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.name.replace("-", " ")},
        "fullDescription": {"text": rule.meaning},
        "defaultConfiguration": {
            "enabled": rule.severity is not None,
            "level": LEVELS[rule.severity if rule.severity is not None else Severity.WARNING],
        },
    }
    if rule.remedy:
        return {**made, "help": {"text": rule.remedy}}

    return made


def _result(finding: Finding, number: int) -> dict[str, object]:
    """Return a finding as a SARIF result."""
    found = finding.found
    advice = f"\n{_text(found.hint)}" if found.hint else ""
    made: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": number,
        "level": LEVELS[finding.severity],
        "message": {"text": _text(found.message) + advice},
        "partialFingerprints": {"lineal/v1": _fingerprint(finding)},
    }
    location = {**physical_location(found.place), **_logical(found.about)}
    if location:
        made["locations"] = [location]

    if found.also:
        made["relatedLocations"] = [
            {"id": position, **physical_location(spot.place), "message": {"text": _text(spot.text)}}
            for position, spot in enumerate(found.also, 1)
        ]

    return made


def _text(text: str) -> str:
    """[here](1) would be a link: brackets that could be one are escaped."""
    if "](" in text:
        return make_visible(text).replace("[", "\\[").replace("]", "\\]")

    return make_visible(text)


def physical_location(place: Place | None) -> dict[str, object]:
    """Return the file and the region of a place."""
    if place is None or not place.file:
        return {}

    region = {"startLine": max(place.line, 1), "startColumn": max(place.column, 1)}
    return {"physicalLocation": {"artifactLocation": {"uri": uri(place.file)}, "region": region}}


def _logical(about: Column | Dataset | None) -> dict[str, object]:
    """Return the column or dataset that a finding is about."""
    if about is None:
        return {}

    kind = "member" if isinstance(about, Column) else "type"
    return {"logicalLocations": [{"fullyQualifiedName": make_visible(str(about)), "kind": kind}]}


def uri(file: str) -> str:
    """models/a b.sql → models/a%20b.sql; an absolute path is a file: URI"""
    path = PurePath(file)
    quoted = quote(path.as_posix().encode("utf-8", "surrogateescape"))
    if path.is_absolute():
        return f"file://{quoted}"

    return quoted


def _fingerprint(finding: Finding) -> str:
    """The same finding on another line is the same finding."""
    said = "\0".join(
        (finding.code, str(finding.found.about), str(finding.found.source), finding.found.message)
    )
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:32]
