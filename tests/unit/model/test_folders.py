"""The folders below a folder."""

from __future__ import annotations

import inspect
import os
import sys
from pathlib import Path

from lineal.model.folders import walk_folders


def make_tree(root: Path) -> None:
    for name in ("a/b/c.sql", "a/d.sql", "e/f.sql", "g.sql"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    (root / "link").symlink_to("a")
    (root / "gone").symlink_to("nowhere")


def test_a_walk_finds_what_python_finds(tmp_path: Path) -> None:
    make_tree(tmp_path)
    for follow_links in (False, True):
        expected = sorted(
            (where, sorted(folders), sorted(names))
            for where, folders, names in os.walk(tmp_path, followlinks=follow_links)
        )
        found = walk_folders(tmp_path, follow_links=follow_links)
        assert (
            sorted((where, sorted(inner), sorted(names)) for where, inner, names in found)
            == expected
        )


def test_a_folder_that_is_taken_from_the_list_is_not_entered(tmp_path: Path) -> None:
    make_tree(tmp_path)
    entered = []
    for where, folders, _ in walk_folders(tmp_path):
        folders[:] = [name for name in folders if name != "a"]
        entered.append(Path(where).name)
    assert entered == [tmp_path.name, "e"]


def test_a_walk_goes_deeper_than_calls_may_nest(tmp_path: Path) -> None:
    """Python 3.11's own walk calls itself for each level."""
    (tmp_path / "/".join("d" * 100)).mkdir(parents=True)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 40)
    try:
        levels = sum(1 for _ in walk_folders(tmp_path))
    finally:
        sys.setrecursionlimit(before)
    assert levels == 101


def test_a_folder_that_cannot_be_listed_is_reported(tmp_path: Path) -> None:
    problems: list[OSError] = []
    assert list(walk_folders(tmp_path / "nowhere", problems.append)) == []
    assert [type(each) for each in problems] == [FileNotFoundError]
