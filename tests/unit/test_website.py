"""The documentation site: its pages, links and generated parts, and a strict build."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from lineal.model.diagnostic import Code
from lineal.projects.featherflow import PROJECT_KEYS
from lineal.rules import RULES
from lineal.rules.diagnostics import RULES as DIAGNOSED
from website.constructs import cases_of, read_cases, read_constructs
from website.pages import Staged, dead_links, headings_of
from website.problems import EXPLANATIONS, explanations
from website.staging import Nav, navigation, stage

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def staged() -> Staged:
    return stage()


def test_no_link_of_the_site_is_dead(staged: Staged) -> None:
    assert dead_links(staged.pages, staged.files) == []


def test_dead_links_are_found() -> None:
    pages = {"a/x.md": "# X\n\n[y](../b/y.md#there) [z](z.md) [top](#x)", "b/y.md": "# Here\n"}
    assert dead_links(pages, {}) == ["a/x.md: ../b/y.md#there", "a/x.md: z.md"]
    assert headings_of("# A `b` c\n\n## D {#e}\n") == {"a-b-c", "e"}


def test_every_page_is_in_the_navigation_once(staged: Staged) -> None:
    listed = sorted(places_in(navigation(staged.pages)))
    assert listed == sorted(staged.pages)


def places_in(tree: Nav) -> list[str]:
    """Return all pages of a navigation."""
    found = []
    for entry in tree:
        for value in entry.values():
            found += [value] if isinstance(value, str) else places_in(value)
    return found


def test_every_code_and_rule_is_explained() -> None:
    own = {rule.code for rule in RULES if rule not in DIAGNOSED}
    assert {*(code.code for code in Code), *own} == set(explanations()), f"see {EXPLANATIONS.name}"


def test_every_page_of_a_problem_has_the_same_sections(staged: Staged) -> None:
    pages = [
        text
        for place, text in staged.pages.items()
        if re.match(r"reference/(rules|diag\w+)/", place)
    ]
    assert len(pages) == len(explanations())
    for text in pages:
        headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
        assert headings[:4] == ["What it means", "Why it matters", "Example", "How to fix"], text


def test_every_construct_has_cases() -> None:
    cases = read_cases()
    assert [each.name for each in read_constructs() if not cases_of(each, cases)] == []


def test_a_construct_shows_its_edges(staged: Staged) -> None:
    text = staged.pages["constructs/coalesce-and-nvl.md"]
    assert "COALESCE(mobile, landline, 'none')" in text
    assert "contacts.mobile -> result.phone  TRANSFORMATION, CONDITIONAL" in text


def test_every_case_is_on_the_site(staged: Staged) -> None:
    missing = [
        case.path
        for case in read_cases()
        if f"{{ #{case.anchor} }}" not in staged.pages[f"constructs/cases-{case.topic}.md"]
    ]
    assert missing == []


def test_the_configuration_page_names_every_key_and_variable() -> None:
    page = (ROOT / "docs" / "reference" / "configuration.md").read_text(encoding="utf-8")
    sources = (ROOT / "src" / "lineal").rglob("*.py")
    variables = {
        name
        for file in sources
        for name in re.findall(r'"(LINEAL_[A-Z_]+)"', file.read_text("utf-8"))
    }
    assert sorted(name for name in variables if f"`{name}`" not in page) == []
    assert sorted(key for key in PROJECT_KEYS if f"`{key}" not in page) == []


@pytest.mark.skipif(find_spec("mkdocs") is None, reason="the extra docs is not installed")
def test_a_strict_build_has_no_warning(staged: Staged, tmp_path: Path) -> None:
    """Build the pages that differ in kind; `make docs` builds all of them with the same settings."""
    chosen = tmp_path / "docs"
    for place in ("index.md", "concepts/edges.md", "constructs/case.md"):
        (chosen / place).parent.mkdir(parents=True, exist_ok=True)
        text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", staged.pages[place])
        (chosen / place).write_text(re.sub(r"<[^>]*>", "", text), encoding="utf-8")
    (chosen / "assets").mkdir()
    (chosen / "assets" / "extra.css").write_bytes((ROOT / "docs" / "site.css").read_bytes())
    settings = tmp_path / "mkdocs.yml"
    settings.write_text(
        f"INHERIT: {ROOT / 'docs' / 'mkdocs.yml'}\ndocs_dir: {chosen}\nsite_dir: {tmp_path / 'site'}\n"
        f"theme: {{custom_dir: {ROOT / 'docs' / 'theme'}}}\n"
    )
    call = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(settings)]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "site" / "constructs" / "case.html").read_text(encoding="utf-8")
    addresses = re.findall(r'(?:src|href)="(https?:[^"]*)"', page)
    assert addresses == []
