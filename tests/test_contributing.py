"""The recipes of CONTRIBUTING.md, each applied to a copy of the source.

A recipe is a section with patches, new files and the command that runs its test. The test must fail
while only the recipe's changes below tests/ are there, and pass with those below src/.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "CONTRIBUTING.md"

SECTION = re.compile(r"^### ([^\n]+)\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(
    r"(?:^`(?P<file>[^`\n]+)`:\n\n)?^(?P<fence>`{3,})(?P<kind>\w*)\n(?P<body>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
HEADER = re.compile(r"^--- a/.+\n\+\+\+ b/(.+)\n", re.MULTILINE)

WANTED = {
    "A function",
    "An expression",
    "A statement",
    "A dialect fact",
    "A repair",
    "A procedural construct",
    "A DataFrame method",
    "A plan operator",
    "A dbt feature",
    "A project kind",
    "A view",
    "A rule",
    "A diagnostic",
}

NEEDED = ("src", "tests/unit", "tests/golden")
"""The folders that a recipe may change or run; of tests/ also the files that stand there."""


class Hunk(NamedTuple):
    """Lines of a file, and the lines that take their place."""

    file: str
    before: list[str]
    after: list[str]


class Recipe(NamedTuple):
    """A section of the page: what it changes, and the tests that it runs."""

    title: str
    files: dict[str, str]
    hunks: list[Hunk]
    tests: list[str]

    @property
    def paths(self) -> set[str]:
        """Every file that the recipe changes or adds."""
        return {*self.files, *(hunk.file for hunk in self.hunks)}


def read_recipe(title: str, text: str) -> Recipe:
    """Return the blocks of a section by what they are for."""
    recipe = Recipe(title, {}, [], [])
    for block in BLOCK.finditer(text):
        if block["file"]:
            recipe.files[block["file"]] = block["body"]
        elif block["kind"] == "diff":
            recipe.hunks.extend(hunks_of(block["body"]))
        elif block["kind"] == "sh":
            recipe.tests.extend(shlex.split(block["body"])[1:])
    return recipe


def hunks_of(diff: str) -> list[Hunk]:
    """Return the hunks of a diff without line numbers: each is found by its lines."""
    _, *parts = HEADER.split(diff)
    found = []
    for file, body in zip(parts[::2], parts[1::2], strict=True):
        for hunk in body.split("@@\n")[1:]:
            lines = hunk.splitlines()
            assert all(line[:1] in ("+", "-", " ") for line in lines), f"not a diff: {hunk}"
            before = [line[1:] for line in lines if line[0] != "+"]
            after = [line[1:] for line in lines if line[0] != "-"]
            found.append(Hunk(file, before, after))
    return found


RECIPES = [read_recipe(*found) for found in SECTION.findall(PAGE.read_text(encoding="utf-8"))]


def copy_source(root: Path) -> None:
    """Copy the source and the tests that recipes run."""
    for folder in NEEDED:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, root / folder, ignore=ignored, dirs_exist_ok=True)
    for file in (ROOT / "tests").glob("*.py"):
        shutil.copy(file, root / "tests")
    shutil.copy(ROOT / "pyproject.toml", root)


def apply(recipe: Recipe, root: Path, below: str) -> None:
    """Apply what a recipe changes below a folder."""
    for file, text in recipe.files.items():
        if file.startswith(below):
            path = root / file
            assert not path.exists(), f"{recipe.title}: {file} is there already"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for hunk in recipe.hunks:
        if hunk.file.startswith(below):
            path = root / hunk.file
            lines = path.read_text(encoding="utf-8").splitlines()
            at = place_of(hunk, lines, recipe.title)
            lines[at : at + len(hunk.before)] = hunk.after
            path.write_text("\n".join([*lines, ""]), encoding="utf-8")


def place_of(hunk: Hunk, lines: list[str], title: str) -> int:
    """Return the only place of a file where the lines of a hunk stand."""
    size = len(hunk.before)
    places = [at for at in range(len(lines) - size + 1) if lines[at : at + size] == hunk.before]
    assert len(places) == 1, f"{title}: {hunk.file} has these lines {len(places)} times: {hunk}"
    return places[0]


def outcomes(root: Path) -> tuple[dict[str, bool], str]:
    """Run the tests of all recipes in one process; return which of them passed, and what pytest
    printed.
    """
    tests = [test for recipe in RECIPES for test in recipe.tests]
    result = root / "result.xml"
    options = ["-p", "no:cacheprovider", "-o", "junit_family=xunit1", f"--junit-xml={result}"]
    environment = {
        **os.environ,
        "PYTHONPATH": str(root / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *tests],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.exists(), done.stdout + done.stderr
    found = {
        f"{case.get('file')}::{case.get('name')}": case.find("failure") is None
        and case.find("error") is None
        for case in ElementTree.parse(result).iter("testcase")
    }
    assert set(tests) == set(found), done.stdout + done.stderr
    return found, done.stdout


def test_every_recipe_has_a_patch_and_a_test() -> None:
    assert {recipe.title for recipe in RECIPES} == WANTED
    for recipe in RECIPES:
        assert any(path.startswith("src/") for path in recipe.paths), recipe.title
        assert any(path.startswith("tests/") for path in recipe.paths), recipe.title
        assert recipe.tests, recipe.title


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source with the tests of all recipes."""
    root = tmp_path_factory.mktemp("recipes")
    copy_source(root)
    for recipe in RECIPES:
        apply(recipe, root, "tests/")
    return root


def test_the_tests_fail_without_the_patches_and_pass_with_them(source: Path) -> None:
    before, _ = outcomes(source)
    for recipe in RECIPES:
        assert not all(before[test] for test in recipe.tests), f"{recipe.title} needs no patch"
        apply(recipe, source, "src/")

    after, printed = outcomes(source)
    assert [test for test, passed in after.items() if not passed] == [], printed
