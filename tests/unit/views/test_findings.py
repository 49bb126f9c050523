"""Findings as text, JSON, SARIF and annotations; names from strangers stay names."""

from __future__ import annotations

import json

import pytest

from lineal.model.diagnostic import Place, Severity
from lineal.model.edge import Column, Dataset
from lineal.model.finding import Finding, Found, Spot
from lineal.model.ledger import Coverage
from lineal.rules import RULES
from lineal.views.findings import FORMATS, Verdict, view
from lineal.views.findings.sarif import uri
from lineal.views.terminal import plain_page

HOSTILE = "\x1b[31m%0A::error::x,y:z\r\n\u202e[here](1)"
TEXT = ["select", "\tcustomers.id,", "  中 as \x1b[1mx", "x" * 500, ""]


def verdict(*founds: Found, severity: Severity = Severity.WARNING) -> Verdict:
    rules = [rule for rule in RULES if rule.code == "A050"]
    findings = [Finding("A050", "undescribed-copy", severity, found) for found in founds]
    return Verdict(findings, rules, Coverage(), line)


def line(place: Place) -> str:
    return TEXT[place.line - 1] if place.file == "a.sql" and place.line <= len(TEXT) else ""


def text(name: str, made: Verdict) -> str:
    shown = view(name, made)
    return shown if isinstance(shown, str) else plain_page(shown)


def test_the_spot_is_underlined_behind_tabs_wide_letters_and_escapes() -> None:
    found = Found(
        "said", Place("a.sql", 2, 2), "Do it.", also=(Spot(Place("b.yml", 7, 1), "there"),)
    )
    assert text("text", verdict(found)).splitlines() == [
        "warning[A050]: said",
        " --> a.sql:2:2",
        "  |",
        "2 |     customers.id,",
        "  |     ^^^^^^^^^^^^",
        "  = also: b.yml:7:1: there",
        "  = help: Do it.",
    ]
    wide = text("text", verdict(Found("said", Place("a.sql", 3, 3)))).splitlines()
    assert wide[3:] == ["3 |   中 as \\x1b[1mx", "  |   ^^"]


@pytest.mark.parametrize(
    "place", [None, Place("a.sql", 5, 1), Place("a.sql", 99, 1), Place("gone.sql", 1, 1)]
)
def test_without_a_line_there_is_no_excerpt(place: Place | None) -> None:
    shown = text("text", verdict(Found("said", place)))
    assert "^" not in shown and "|" not in shown


def test_a_long_line_is_shown_around_the_spot() -> None:
    shown = text("text", verdict(Found("said", Place("a.sql", 4, 300)))).splitlines()
    assert shown[3] == "4 | " + "x" * 160
    assert shown[4] == "  | " + " " * 80 + "^" * 80


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_hostile_gets_through(name: str) -> None:
    about = Column(Dataset("", HOSTILE), HOSTILE)
    spot = Spot(Place(HOSTILE, 1, 1), HOSTILE)
    shown = text(
        name, verdict(Found(HOSTILE, Place(HOSTILE, 0, 0), HOSTILE, about, about, (spot,)))
    )
    assert "\x1b" not in shown and "\r" not in shown and "\u202e" not in shown
    if name == "github":
        assert shown.count("\n") == 1
        properties, _, message = shown.removeprefix("::warning ").partition("::")
        assert properties.count(",") == 3 and ":" not in properties
        assert "%250A" in message and "%0A" not in message.replace("%250A", "")
    if name in ("json", "sarif"):
        json.loads(shown)
    if name == "sarif":
        (result,) = json.loads(shown)["runs"][0]["results"]
        said = [result["message"]["text"], result["relatedLocations"][0]["message"]["text"]]
        assert all("\\[here\\](1)" in each and "[here](" not in each for each in said)


def test_json_says_what_it_is_about() -> None:
    about, source = Column(Dataset("", "mart"), "s", ("f",)), Column(Dataset("", "raw"), "id")
    found = Found(
        "said", Place("a.sql", 2, 2), "", about, source, (Spot(Place("b.yml", 7, 1), "there"),)
    )
    made = json.loads(text("json", verdict(found, Found("other", None, "hint", about.dataset))))
    assert made["version"] == 1 and made["counts"] == {"A050": 2}
    assert made["findings"][0] == {
        "code": "A050",
        "name": "undescribed-copy",
        "severity": "warning",
        "message": "said",
        "hint": None,
        "place": {"file": "a.sql", "line": 2, "column": 2},
        "about": {"dataset": "mart", "column": "s.f"},
        "source": {"dataset": "raw", "column": "id"},
        "also": [{"place": {"file": "b.yml", "line": 7, "column": 1}, "text": "there"}],
    }
    assert made["findings"][1]["about"] == {"dataset": "mart", "column": None}
    assert made["findings"][1]["place"] is made["findings"][1]["source"] is None


def test_sarif_has_the_parts_that_code_scanning_reads() -> None:
    found = Found(
        "said", Place("models/a b.sql", 2, 5), "Do it.", Column(Dataset("", "mart"), "id")
    )
    moved = found._replace(place=Place("models/a b.sql", 9, 5))
    made = json.loads(
        text("sarif", verdict(found, moved, Found("no place"), severity=Severity.INFO))
    )
    assert made["version"] == "2.1.0" and made["$schema"].endswith("sarif-2.1.0.json")
    (run,) = made["runs"]
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["id"] == "A050" and rule["defaultConfiguration"] == {
        "enabled": True,
        "level": "warning",
    }
    first, second, third = run["results"]
    assert (first["ruleId"], first["ruleIndex"], first["level"]) == ("A050", 0, "note")
    assert first["message"] == {"text": "said\nDo it."}
    (location,) = first["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "models/a%20b.sql"},
        "region": {"startLine": 2, "startColumn": 5},
    }
    assert location["logicalLocations"] == [{"fullyQualifiedName": "mart.id", "kind": "member"}]
    assert (
        first["partialFingerprints"]
        == second["partialFingerprints"]
        != third["partialFingerprints"]
    )
    assert "locations" not in third


def test_places_are_uris() -> None:
    assert uri("ä/b#c?.sql") == "%C3%A4/b%23c%3F.sql"
    assert uri("/tmp/a b.sql") == "file:///tmp/a%20b.sql"


def test_findings_are_github_annotations() -> None:
    found = Found("50 % of it", Place("a,b:c.sql", 2, 5), "Do it.")
    assert text("github", verdict(found, Found("no place"), severity=Severity.ERROR)) == (
        "::error file=a%2Cb%3Ac.sql,line=2,col=5,title=A050 undescribed-copy::50 %25 of it (Do it.)\n"
        "::error title=A050 undescribed-copy::no place\n"
    )
