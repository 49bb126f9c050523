"""The diagnostics of files: those of the lineage and those of `lineal validate`, as editors take
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from lineal.model.diagnostic import Diagnostic, Place, Severity
from lineal.model.finding import Finding
from lineal.rules import REMEDIES
from lineal.service.editor.positions import Text, Values
from lineal.service.editor.workspace import Workspace
from lineal.views.safe import make_visible

LEVELS = {Severity.ERROR: 1, Severity.WARNING: 2, Severity.INFO: 3}
"""The severities of the protocol: error, warning, information."""
MOST_IN_FILE = 500
CHARACTER = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|.")
"""One character of a string of JSON."""
WORD = re.compile(r"[\w$]+(?:\.[\w$]+)*")


def problems_of(workspace: Workspace, encoding: str) -> dict[str, list[Values]]:
    """Return the diagnostics of every file of the project that has some."""
    found: dict[str, list[Values]] = {}
    texts: dict[str, Text] = {}
    findings = workspace.state.findings
    for finding in findings:
        add(workspace, finding_values(finding), finding.found.place, found, texts, encoding)

    for diagnostic in workspace.diagnostics_of_broken():
        add(workspace, diagnostic_values(diagnostic), diagnostic.place, found, texts, encoding)

    found.pop("", None)
    return found


def add(
    workspace: Workspace,
    values: Values,
    place: Place | None,
    found: dict[str, list[Values]],
    texts: dict[str, Text],
    encoding: str,
) -> None:
    """Add a diagnostic to those of its file."""
    place = place or Place("", 1, 1)
    file = place.file
    listed = found.setdefault(file, [])
    is_old = workspace.is_broken(file) and values["code"] != "parse-error"
    if not file or is_old or len(listed) >= MOST_IN_FILE:
        return

    if file not in texts:
        texts[file] = workspace.documents.lines(file, encoding)

    values["range"] = word_range(texts[file], place)
    listed.append(values)


def word_range(text: Text, place: Place) -> Values:
    """Return the range of the word at a place; the rest of the line if there is no word."""
    start = text.at(place.line, column_in_file(text, place))
    line_end = max(start, text.start_of(place.line - 1) + len(text.line(place.line - 1)))
    word = WORD.match(text.text, start, line_end)
    if word is None:
        return text.range(start, line_end)

    return text.range(*word.span())


def column_in_file(text: Text, place: Place) -> int:
    """Return the column of a place in its file: a line of a notebook's cell is a string of JSON.

    "df.select(\\"price\\")\\n",      column 12 of the cell is column 14 of the line
    """
    if not place.file.endswith(".ipynb"):
        return place.column

    line = text.line(place.line - 1)
    start = line.find('"') + 1
    before = islice(CHARACTER.finditer(line, start), max(place.column - 1, 0))
    return 1 + max((each.end() for each in before), default=start)


def finding_values(finding: Finding) -> Values:
    """Return a finding as the values of a diagnostic."""
    advice = finding.found.hint or REMEDIES.get(finding.code, "")
    return values_of(finding.code, finding.severity, finding.found.message, advice)


def diagnostic_values(diagnostic: Diagnostic) -> Values:
    """Return a diagnostic of the lineage as the values of one of an editor."""
    return values_of(
        diagnostic.code.code, diagnostic.severity, diagnostic.message, diagnostic.advice
    )


def values_of(code: str, severity: Severity, message: str, advice: str) -> Values:
    """Return the values of a diagnostic."""
    text = make_visible(message)
    if advice and advice not in message:
        text = f"{text}. {make_visible(advice)}"

    return {"code": code, "severity": LEVELS[severity], "message": text, "source": "lineal"}


def diagnostics_of(found: dict[str, list[Values]], paths: Iterable[str]) -> dict[str, list[Values]]:
    """Return the diagnostics of some files; a file without any has an empty list."""
    return {path: found.get(path, []) for path in paths}
