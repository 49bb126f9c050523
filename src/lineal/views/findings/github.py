"""For a pull request's lines: commands that GitHub Actions turns into annotations.

::warning file=models/a.sql,line=3,col=5,title=A050 undescribed-copy::a.id is a copy of raw.id, …
"""

from __future__ import annotations

from lineal.model.diagnostic import Severity
from lineal.model.finding import Finding
from lineal.views.findings import Verdict
from lineal.views.safe import make_visible

COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
IN_TEXT = {"%": "%25", "\r": "%0D", "\n": "%0A"}
IN_PROPERTY = {**IN_TEXT, ":": "%3A", ",": "%2C"}


def view(verdict: Verdict) -> str:
    """Return the findings as workflow commands, which GitHub shows as annotations."""
    return "".join(f"{_annotation(finding)}\n" for finding in verdict.findings)


def _annotation(finding: Finding) -> str:
    """Return the workflow command of one finding."""
    found = finding.found
    properties = {
        "title": f"{finding.code} {finding.name}" if finding.code != finding.name else finding.code
    }
    if found.place is not None and found.place.file:
        properties = {
            "file": found.place.file,
            "line": str(max(found.place.line, 1)),
            "col": str(max(found.place.column, 1)),
            **properties,
        }

    listed = ",".join(f"{name}={_escape(value, IN_PROPERTY)}" for name, value in properties.items())
    advice = f" ({found.hint})" if found.hint else ""
    return f"::{COMMANDS[finding.severity]} {listed}::{_escape(found.message + advice, IN_TEXT)}"


def _escape(text: str, table: dict[str, str]) -> str:
    """Return a text with the characters of a table replaced."""
    return "".join(table.get(character, character) for character in make_visible(text))
