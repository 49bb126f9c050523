"""The rules of .gitignore, compared with git itself."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from lineal.model.ledger import Reason
from lineal.projects.ignore import IgnoreFile, IgnoreStack, PathPatterns
from lineal.projects.intake import read_quietly
from lineal.projects.tree import Tree

GIT = shutil.which("git")

PATHS = [
    "a.log",
    "keep.log",
    "b/a.log",
    "b/keep.log",
    "build/x.sql",
    "b/build/x.sql",
    "b/c/d/x.sql",
    "b/c/x.sql",
    "c/x.sql",
    "foo bar.sql",
    "foo.sql ",
    "#hash",
    "!bang",
    "x1.sql",
    "xa.sql",
    "x-.sql",
    "x].sql",
    "deep/er/est/y.csv",
    "ümlaut.sql",
    "a*b",
    "star/a*b",
    "b/b/b",
]

PATTERNS = [
    *("*.log", "!keep.log", "build/", "/build/", "/b/build", "b/**", "**/c/", "b/**/x.sql"),
    *("**/x.sql", "c/*.sql", "/c/*", "foo\\ bar.sql", "foo.sql\\ ", "foo.sql ", "\\#hash", "#hash"),
    *(
        "\\!bang",
        "!bang",
        "x[0-9].sql",
        "x[!0-9].sql",
        "x[^a-z].sql",
        "x[[:alpha:]].sql",
        "x[]].sql",
    ),
    *("x[", "x[z-a].sql", "deep", "deep/er/**", "/deep/**/y.csv", "*/er", "?mlaut.sql", "a\\*b"),
    *("a**b", "**", "!**/", "/", "b/", "!b/", "", "   ", "star/*", "!star/a*b", "/*", "!/b", "x\\"),
    *("**foo", "b/b/b/", "b/b", "/b/b/b", "er/", "est", "[a-c]/", "x[\\]].sql", "*.sql", "!x1.sql"),
]


def ignored_by_git(folder: Path) -> set[str]:
    """What git says: the untracked files that it does not list."""
    assert GIT is not None
    command = [GIT, "-c", "core.quotepath=off", "ls-files", "-o", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=folder, capture_output=True, check=True).stdout
    return set(PATHS) - set(listed.decode().split("\0"))


def ignored_here(folder: Path) -> set[str]:
    """What lineal says: a folder that is ignored takes everything below it along."""
    stack = IgnoreStack(str(folder), read_quietly)
    return {path for path in PATHS if is_ignored(stack, folder, path)}


def is_ignored(stack: IgnoreStack, folder: Path, path: str) -> bool:
    here = folder
    *above, name = path.split("/")
    for each in above:
        if stack.is_ignored(str(here), each, True):
            return True
        here = here / each
    return stack.is_ignored(str(here), name, False)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if GIT is None:
        pytest.skip("there is no git")
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run([GIT, "init", "-q", "."], cwd=folder, check=True)
    for path in PATHS:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return folder


@pytest.mark.parametrize("pattern", PATTERNS)
def test_each_pattern_means_what_git_means(repository: Path, pattern: str) -> None:
    (repository / ".gitignore").write_text(pattern + "\n")
    assert ignored_here(repository) == ignored_by_git(repository)


@pytest.mark.parametrize("seed", range(60))
def test_several_files_of_patterns_mean_what_git_means(repository: Path, seed: int) -> None:
    chance = random.Random(seed)
    inner = repository / "b" / ".gitignore"
    (repository / ".gitignore").write_text("\n".join(chance.sample(PATTERNS, 5)) + "\n")
    inner.write_text("\n".join(chance.sample(PATTERNS, 3)) + "\n")
    try:
        assert ignored_here(repository) == ignored_by_git(repository)
    finally:
        inner.unlink()


def test_rules_above_hold_unless_the_folder_itself_is_named(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("*.tmp.sql\nout/\n")
    (tmp_path / "sql").mkdir()
    (tmp_path / "out").mkdir()
    inside = IgnoreStack(str(tmp_path / "sql"), read_quietly)
    assert inside.is_ignored(str(tmp_path / "sql"), "a.tmp.sql", False)
    assert not inside.is_ignored(str(tmp_path / "sql"), "a.sql", False)
    named = IgnoreStack(str(tmp_path / "out"), read_quietly)
    assert not named.is_ignored(str(tmp_path / "out"), "a.tmp.sql", False)


def test_patterns_of_options_name_files_and_folders(tmp_path: Path) -> None:
    patterns = PathPatterns(str(tmp_path), ["archive/", "*_old.sql"])
    assert patterns.match(str(tmp_path / "archive" / "2020" / "a.sql"), False)
    assert patterns.match(str(tmp_path / "x" / "a_old.sql"), False)
    assert not patterns.match(str(tmp_path / "a.sql"), False)
    assert not PathPatterns(str(tmp_path), [])


def test_a_tree_says_why_an_entry_is_left_out(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("scratch/\n")
    (tmp_path / "myenv").mkdir()
    (tmp_path / "myenv" / "pyvenv.cfg").touch()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "setup.py").touch()
    tree = Tree(str(tmp_path), read_quietly, exclude=("old/",))
    here = str(tmp_path)
    reasons = {
        name: tree.reason(here, name, True)
        for name in ("scratch", "old", "target", "myenv", "build", ".git", "models")
    }
    assert reasons == {
        "scratch": Reason.IGNORED,
        "old": Reason.EXCLUDED,
        "target": Reason.BUILD_FOLDER,
        "myenv": Reason.BUILD_FOLDER,
        "build": None,
        ".git": Reason.HIDDEN,
        "models": None,
    }
    assert tree.reason(str(tmp_path / "sub"), "build", True) is Reason.BUILD_FOLDER


def test_a_tracked_file_is_not_ignored(tmp_path: Path) -> None:
    if GIT is None:
        pytest.skip("there is no git")
    (tmp_path / "build").mkdir()
    for name in ("build/kept.sql", "build/left.sql", "a.sql"):
        (tmp_path / name).write_text("select 1")
    (tmp_path / ".gitignore").write_text("/build/*\n")
    for version in ("2", "4"):
        subprocess.run([GIT, "init", "-q", "."], cwd=tmp_path, check=True)
        subprocess.run([GIT, "add", "-f", "build/kept.sql", "a.sql"], cwd=tmp_path, check=True)
        command = [GIT, "update-index", "--index-version", version]
        subprocess.run(command, cwd=tmp_path, check=True)
        tree = Tree(str(tmp_path), read_quietly)
        inside = str(tmp_path / "build")
        assert tree.reason(str(tmp_path), "build", True) is None
        assert tree.reason(inside, "kept.sql", False) is None
        assert tree.reason(inside, "left.sql", False) is Reason.IGNORED


@pytest.mark.parametrize(
    "pattern", ["*a" * 40 + "b", "**/" * 200 + "*a" * 40 + "b", "**/a*/" * 30 + "b"]
)
def test_a_pattern_of_many_stars_takes_no_long_time(tmp_path: Path, pattern: str) -> None:
    """Going through every length of every star would take years."""
    rules = IgnoreFile(str(tmp_path), pattern)
    assert rules.decide(str(tmp_path / ("a" * 120 + ".sql")), False) is None
    assert rules.decide(str(tmp_path / "/".join(["a"] * 300) / "c"), False) is None
