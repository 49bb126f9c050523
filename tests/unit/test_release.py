"""The checks of `make release` that need no build."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import release

ROOT = Path(__file__).resolve().parents[2]


def test_a_file_that_does_not_belong_there_ends_the_release() -> None:
    names = ["lineal/__init__.py", "lineal/samples/shop/lineal.yml", "tests/test_cases.py"]
    with pytest.raises(release.Failed, match=r"x\.whl holds files .*: tests/test_cases\.py"):
        release.check_names("x.whl", names, release.IN_WHEEL)
    with pytest.raises(release.Failed, match=r"\.lineal/warehouse"):
        release.check_names(
            "x.whl", [*names[:2], "lineal/samples/shop/.lineal/warehouse"], release.IN_WHEEL
        )
    assert release.check_names("x.whl", names[:2], release.IN_WHEEL) == "x.whl 2 files"


def test_the_samples_must_be_there() -> None:
    with pytest.raises(release.Failed, match="lacks the samples"):
        release.check_names("x.whl", ["lineal/__init__.py"], release.IN_WHEEL)


def test_the_section_of_a_version_is_found() -> None:
    text = "# Changelog\n\n## [Unreleased]\n\n- new\n\n## [0.2.0] - 2026-12-01\n\n- old\n"
    assert release.changelog_section(text, "Unreleased") == "- new\n"
    assert release.changelog_section(text, "0.2.0") == "- old\n"
    assert release.changelog_section(text, "0.3.0") == ""


def test_no_address_is_invented() -> None:
    pattern = re.compile(
        r"YOUR-ORG|(?-i:\bOWNER/)|github\.com/lineal|lineal\.(?:dev|io|org|readthedocs)\b", re.I
    )
    pages = [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob(".github/**/*"),
        *ROOT.glob("*.cff"),
    ]
    texts = [
        *ROOT.glob("templates/*"),
        *ROOT.glob("editors/**/*.json"),
        *ROOT.glob("src/lineal/**/*.json"),
        *ROOT.glob("src/lineal/**/*.py"),
    ]
    files = [*pages, *texts, *map(ROOT.joinpath, ("pyproject.toml", "Dockerfile", "action.yml"))]
    found = [
        str(file.relative_to(ROOT))
        for file in files
        if file.is_file() and pattern.search(file.read_text(encoding="utf-8"))
    ]
    assert found == []
