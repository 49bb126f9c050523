"""lineal diff in odd repositories: what cannot be read is a diagnostic, and the rest is compared."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import zlib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lineal.cli import main


class OddRepository:
    """A repository whose objects are written by hand, as no git command would."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.email", "a@example.org")
        self.git("config", "user.name", "a")
        (folder / "a.sql").write_text("CREATE VIEW a AS SELECT x FROM t")
        self.git("add", ".")
        self.git("commit", "-qm", "first")

    def git(self, *arguments: str) -> str:
        made = subprocess.run(
            ["git", *arguments], cwd=self.folder, check=True, capture_output=True, text=True
        )
        return made.stdout.strip()

    def write_object(self, kind: str, content: bytes) -> str:
        data = f"{kind} {len(content)}".encode() + b"\0" + content
        name = hashlib.sha1(data, usedforsecurity=False).hexdigest()
        file = self.folder / ".git" / "objects" / name[:2] / name[2:]
        file.parent.mkdir(exist_ok=True)
        if not file.exists():
            file.write_bytes(zlib.compress(data))
        return name

    def write_tree(self, *entries: tuple[str, bytes, str]) -> str:
        rows = (
            mode.encode() + b" " + name + b"\0" + bytes.fromhex(at) for mode, name, at in entries
        )
        return self.write_object("tree", b"".join(rows))

    def commit_tree(self, tree: str) -> str:
        about = b"a <a@example.org> 1700000000 +0000"
        text = (
            b"tree " + tree.encode() + b"\nauthor " + about + b"\ncommitter " + about + b"\n\nodd\n"
        )
        commit = self.write_object("commit", text)
        self.git("update-ref", "refs/heads/odd", commit)
        return commit

    def blob(self, text: str) -> str:
        return self.write_object("blob", text.encode())

    def diff(self, *arguments: str) -> Result:
        return CliRunner().invoke(
            main, ["diff", *arguments, "--project", str(self.folder), "--output", "json"]
        )


@pytest.fixture
def odd(tmp_path: Path) -> OddRepository:
    return OddRepository(tmp_path / "repository")


GOOD = "CREATE VIEW a AS SELECT x, y FROM t"


def check(result: Result, *said: str) -> None:
    """The good file is compared, the odd one is left out and lowers the coverage."""
    assert result.exit_code in (0, 1), result.output
    made = json.loads(result.stdout)
    assert "y" in json.dumps(made["findings"])
    assert made["coverage"]["head"]["percent"] < 100
    for each in said:
        assert each in result.stderr + result.stdout


def test_a_name_that_no_file_system_takes(odd: OddRepository) -> None:
    entries = [
        ("100644", b"a.sql", odd.blob(GOOD)),
        ("100644", b"b" * 300 + b".sql", odd.blob(GOOD)),
    ]
    odd.commit_tree(odd.write_tree(*entries))
    check(odd.diff("main..odd"))


def test_a_file_below_many_folders(odd: OddRepository) -> None:
    tree = odd.write_tree(("100644", b"b.sql", odd.blob(GOOD)))
    for _ in range(1500):
        tree = odd.write_tree(("40000", b"d", tree))
    odd.commit_tree(odd.write_tree(("100644", b"a.sql", odd.blob(GOOD)), ("40000", b"d", tree)))
    check(odd.diff("main..odd"))


def test_a_duplicate_name_is_reported(odd: OddRepository) -> None:
    entries = [("100644", b"a.sql", odd.blob(GOOD))] * 2
    odd.commit_tree(odd.write_tree(*entries))
    check(odd.diff("main..odd"))


def test_a_file_and_a_folder_of_one_name(odd: OddRepository) -> None:
    inner = odd.write_tree(("100644", b"c.sql", odd.blob("CREATE VIEW c AS SELECT z FROM t")))
    entries = [
        ("100644", b"a.sql", odd.blob(GOOD)),
        ("100644", b"b.sql", odd.blob("CREATE VIEW b AS SELECT z FROM t")),
        ("40000", b"b.sql", inner),
    ]
    odd.commit_tree(odd.write_tree(*entries))
    check(odd.diff("main..odd"))


def test_a_tree_that_is_too_deep_for_a_path(odd: OddRepository) -> None:
    tree = odd.write_tree(("100644", b"deep.sql", odd.blob(GOOD.replace("VIEW a", "VIEW deep"))))
    for _ in range(40):
        tree = odd.write_tree(("40000", b"d" * 200, tree))
    odd.commit_tree(odd.write_tree(("100644", b"a.sql", odd.blob(GOOD)), ("40000", b"d", tree)))
    check(odd.diff("main..odd"))


def test_a_missing_blob_is_reported(odd: OddRepository) -> None:
    entries = [("100644", b"a.sql", odd.blob(GOOD)), ("100644", b"b.sql", "12" * 20)]
    odd.commit_tree(odd.write_tree(*entries))
    check(odd.diff("main..odd"))


def test_a_blob_that_is_damaged_costs_no_other(odd: OddRepository) -> None:
    damaged = odd.blob("CREATE VIEW b AS SELECT z FROM t")
    file = odd.folder / ".git" / "objects" / damaged[:2] / damaged[2:]
    file.write_bytes(b"not zlib at all")
    entries = [
        ("100644", b"0.sql", damaged),
        ("100644", b"a.sql", odd.blob(GOOD)),
        ("100644", b"b.sql", odd.blob("CREATE VIEW c AS SELECT z FROM t")),
    ]
    odd.commit_tree(odd.write_tree(*entries))
    check(odd.diff("main..odd"))


def test_a_submodule_is_reported(odd: OddRepository) -> None:
    entries = [("100644", b"a.sql", odd.blob(GOOD)), ("160000", b"sub", "34" * 20)]
    odd.commit_tree(odd.write_tree(*entries))
    check(odd.diff("main..odd"), "not readable in the revision")


def test_a_fifo_in_the_work_tree(odd: OddRepository) -> None:
    (odd.folder / "b.sql").write_text("CREATE VIEW b AS SELECT z FROM t")
    odd.git("add", ".")
    odd.git("commit", "-qm", "second")
    (odd.folder / "b.sql").unlink()
    os.mkfifo(odd.folder / "b.sql")
    (odd.folder / "a.sql").write_text(GOOD)
    check(odd.diff("main"), "b.sql")


def test_a_shallow_clone_says_what_to_do(odd: OddRepository, tmp_path: Path) -> None:
    odd.git("commit", "-q", "--allow-empty", "-m", "second")
    address = odd.folder.as_uri()
    subprocess.run(["git", "clone", "-q", "--depth", "1", address, str(tmp_path / "c")], check=True)
    result = CliRunner().invoke(main, ["diff", "HEAD~1", "--project", str(tmp_path / "c")])
    assert result.exit_code == 2 and "fetch --unshallow" in result.stderr
