"""The command remembers: the same bytes from the cache as without it, and never those of another
question.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[3] / "src"
QUESTIONS = (
    (),
    ("--output", "json"),
    ("--output", "dot"),
    ("-n", "v"),
    ("+v.a",),
    ("--color", "always"),
    ("--level", "table"),
    ("--dialect", "snowflake"),
    ("--column", "v.b", "--impact"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "sql"
    made.mkdir()
    (made / "v.sql").write_text(
        "CREATE VIEW v AS SELECT a, b + 1 AS b, c FROM t JOIN u ON t.i = u.i"
    )
    (made / "w.sql").write_text("CREATE VIEW w AS SELECT * FROM v WHERE a > 1")
    (made / "bad.sql").write_text("SELECT FROM WHERE \x1b[31m")
    return made


def lineal(cache: Path | str, *arguments: str | Path, **more: str) -> tuple[int, bytes, bytes]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(SOURCE),
        "LINEAL_CACHE": str(cache),
        "PYTHONUTF8": "1",
        **more,
    }
    command = [sys.executable, "-m", "lineal", "lineage", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    return done.returncode, done.stdout, done.stderr


def test_the_same_bytes_every_time(tmp_path: Path, folder: Path) -> None:
    kept = tmp_path / "cache"
    fresh = {question: lineal("", folder, *question) for question in QUESTIONS}
    # here the dialects agree
    assert len({said for _, said, _ in fresh.values()}) == len(QUESTIONS) - 1
    for _ in range(2):
        for question in QUESTIONS:
            assert lineal(kept, folder, *question) == fresh[question]
    assert len(list(kept.iterdir())) >= len(QUESTIONS)
    assert (
        not (tmp_path / "none").exists()
        and lineal(tmp_path / "none", folder, "--no-cache") == fresh[()]
    )
    assert not (tmp_path / "none").exists()


def test_a_changed_file_is_read_again(tmp_path: Path, folder: Path) -> None:
    kept = tmp_path / "cache"
    schema = tmp_path / "schema.yml"
    changes = (
        lambda: None,
        lambda: (folder / "v.sql").write_text("CREATE VIEW v AS SELECT a, d FROM t"),
        lambda: (folder / "bad.sql").unlink(),
        lambda: (folder / "v.sql").rename(folder / "x.sql"),
        lambda: (folder / "t.sql").write_text("CREATE TABLE t (a INT)"),
        lambda: schema.write_text("t: {a: int, d: int}"),
    )
    schema.write_text("t: {a: int, e: int}")
    seen = set()
    for change in changes:
        change()
        said = lineal(kept, folder, "--schema", schema, "--output", "json")
        assert said == lineal("", folder, "--schema", schema, "--output", "json")
        seen.add(said)
    assert len(seen) == len(changes)


def test_a_missing_cache_is_not_an_error(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "file").write_text("")
    fresh = lineal("", folder)
    assert lineal(tmp_path / "file", folder) == fresh
    assert lineal("/proc/none", folder) == fresh
    for entry in ("a", "b"):
        (tmp_path / entry).mkdir()
    assert lineal(tmp_path / "a", folder) == fresh
    for found in (tmp_path / "a").iterdir():
        found.write_bytes(b"lineal2\nnot at all")
    assert lineal(tmp_path / "a", folder) == fresh


def test_entries_that_somebody_has_forged_or_exchanged(tmp_path: Path, folder: Path) -> None:
    kept, other = tmp_path / "cache", tmp_path / "other"
    fresh = lineal("", folder)
    (tmp_path / "w.sql").write_text("CREATE VIEW other AS SELECT z FROM y", "utf-8")
    wrong = lineal(other, tmp_path / "w.sql")
    assert lineal(kept, folder) == fresh != wrong
    of_another = {"LINEAL_CACHE_KEY": "a forger has one of his own"}
    forged_ones = [found.read_bytes() for found in other.iterdir()]
    assert forged_ones
    for forged in forged_ones:  # a good entry, with the wrong answer, under the name of another
        for found in kept.iterdir():
            found.write_bytes(forged)
        assert lineal(kept, folder) == fresh
    for found in kept.iterdir():
        found.unlink()
    assert lineal(kept, folder, **of_another) == fresh
    for found in kept.iterdir():  # marshal of a forger, which nobody reads
        assert found.read_bytes()[8:40] != bytes(32)
    assert lineal(kept, folder) == fresh


def test_entries_of_another_version_are_not_asked(tmp_path: Path, folder: Path) -> None:
    """The files of lineal, and the versions of what it reads with, are part of every key."""
    copy = tmp_path / "copy"
    shutil.copytree(
        SOURCE / "lineal", copy / "lineal", ignore=shutil.ignore_patterns("__pycache__")
    )
    kept = tmp_path / "cache"
    fresh = lineal(kept, folder)
    entries = set(kept.iterdir())
    words = copy / "lineal" / "views" / "words.py"
    words.write_text(words.read_text("utf-8") + "\n# another version\n", "utf-8")
    assert lineal(kept, folder, PYTHONPATH=str(copy)) == fresh
    assert entries.isdisjoint(set(kept.iterdir()) - entries) and len(set(kept.iterdir())) > len(
        entries
    )


def test_several_processes_share_a_cache(tmp_path: Path, folder: Path) -> None:
    """Each asks its own questions about its own files, all in one cache, at the same time."""
    kept = tmp_path / "cache"
    folders = []
    for number in range(3):
        made = shutil.copytree(folder, tmp_path / f"copy{number}")
        (made / "x.sql").write_text(f"CREATE VIEW x AS SELECT a{number} AS a FROM w", "utf-8")
        folders.append(made)
    asked = [(made, question) for made in folders for question in ((), ("-n", "v"))]
    fresh = [lineal("", made, *question) for made, question in asked]
    with ThreadPoolExecutor(len(asked)) as pool:
        for _ in range(2):
            said = pool.map(lambda each: lineal(kept, each[0], *each[1]), asked)
            assert list(said) == fresh


def test_any_number_of_jobs_gives_the_same_bytes(tmp_path: Path) -> None:
    made = tmp_path / "many"
    made.mkdir()
    for number in range(450):
        source = f"v{number * 7 % 450}" if number % 3 else "t"
        (made / f"{number}.sql").write_text(
            f"CREATE VIEW v{number} AS SELECT *, a + 1 AS b, c FROM {source}, u"
        )
    fresh = lineal("", made, "--output", "json", "--jobs", "1")
    assert {lineal("", made, "--output", "json", "--jobs", jobs) for jobs in ("2", "3")} == {fresh}
    assert lineal(tmp_path / "c", made, "--output", "json", "-j", "2") == fresh


def test_the_exit_code_is_that_of_this_call(tmp_path: Path, folder: Path) -> None:
    assert [
        lineal(tmp_path / "c", folder, "--fail-on", least)[0]
        for least in ("error", "never", "info")
    ] == [1, 0, 1]
