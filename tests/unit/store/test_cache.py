"""The cache: all of an entry or none of it, whatever happens to the process, the file or the
folder.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path
from random import Random

import pytest

from lineal.store import Cache, cache
from lineal.store.cache import KEY, MAGIC, UNFINISHED, _signature, users_key

SOURCE = Path(__file__).resolve().parents[3] / "src"
WRITER = """
import sys
from pathlib import Path
from lineal.store import Cache
kept = Cache(Path(sys.argv[1]))
print("ready", flush=True)
for number in range(100_000):
    key = f"{number % 5:040x}"
    assert kept.get(key) in (None, key.encode() * 20_000)
    kept.put(key, key.encode() * 20_000)
"""


def entry(number: int) -> tuple[str, bytes]:
    key = f"{number:040x}"
    return key, key.encode() * 20_000


def writer(folder: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    started = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder)], env=environment, stdout=subprocess.PIPE
    )
    assert started.stdout is not None and started.stdout.readline() == b"ready\n"
    return started


def whole(folder: Path) -> int:
    """How many entries there are; each of them as it was put."""
    found = [Cache(folder).get(entry(number)[0]) for number in range(5)]
    assert all(data in (None, entry(number)[1]) for number, data in enumerate(found))
    return sum(data is not None for data in found)


def test_an_entry_can_be_read_back(tmp_path: Path) -> None:
    kept = Cache(tmp_path / "deep" / "down")
    assert kept.get("a" * 40) is None
    for data in (b"", b"x", os.urandom(100_000)):
        assert kept.put("a" * 40, data) and kept.get("a" * 40) == data
    assert [found.name for found in kept.folder.iterdir()] == ["a" * 40]
    if os.name == "posix":
        assert kept.folder.stat().st_mode & 0o077 == 0


def test_killed_at_any_moment(tmp_path: Path) -> None:
    random = Random(7)
    for _ in range(12):
        started = writer(tmp_path)
        time.sleep(random.uniform(0.0, 0.05))
        started.send_signal(signal.SIGKILL)
        started.communicate()
        whole(tmp_path)
    last = writer(tmp_path)
    until_there(tmp_path, 1)
    last.kill()
    last.communicate()
    assert whole(tmp_path) > 0


def until_there(folder: Path, entries: int) -> None:
    """A busy machine may take its time."""
    patience = time.monotonic() + 60
    while whole(folder) < entries and time.monotonic() < patience:
        time.sleep(0.01)


def test_two_write_and_others_read(tmp_path: Path) -> None:
    several = [writer(tmp_path) for _ in range(2)]
    until = time.monotonic() + 1.0
    while time.monotonic() < until:
        whole(tmp_path)
    until_there(tmp_path, 5)
    assert all(each.poll() is None for each in several), "a writer has stopped over what it read"
    for each in several:
        each.kill()
        each.communicate()
    assert whole(tmp_path) == 5


def test_a_damaged_entry_is_ignored(tmp_path: Path) -> None:
    key, data = entry(1)
    kept = Cache(tmp_path)
    kept.put(key, data)
    good = (tmp_path / key).read_bytes()
    random = Random(7)
    for _ in range(50):
        at = random.randrange(len(good))
        damaged = random.choice(
            [
                good[:at],
                good[:at] + bytes([good[at] ^ 1 << random.randrange(8)]) + good[at + 1 :],
                good + b"x",
                b"",
                good[at:],
            ]
        )
        (tmp_path / key).write_bytes(damaged)
        assert kept.get(key) == (data if damaged == good else None)
    (tmp_path / entry(2)[0]).write_bytes(good)
    assert kept.get(entry(2)[0]) is None, "an entry under another name"
    assert kept.put(key, data) and kept.get(key) == data


def test_the_longest_unused_go_first(tmp_path: Path) -> None:
    kept = Cache(tmp_path, most_bytes=45_000)
    for number in range(6):
        kept.put(f"{number:040}", os.urandom(10_000))
        os.utime(tmp_path / f"{number:040}", (number, number))
        if number == 3:
            assert kept.get(f"{0:040}") is not None  # used just now
    assert sorted(int(found.name) for found in tmp_path.iterdir()) == [0, 3, 4, 5]
    assert not kept.put("b" * 40, os.urandom(20_000)), (
        "one that would take a great part of the room"
    )


def test_unfinished_entries_are_removed(tmp_path: Path) -> None:
    for name, age in (("old", 7200), ("new", 60)):
        path = tmp_path / f"{name}{UNFINISHED}"
        path.write_bytes(b"x")
        os.utime(path, (time.time() - age,) * 2)
    Cache(tmp_path).put("a" * 40, b"x")
    assert sorted(found.name for found in tmp_path.iterdir()) == ["a" * 40, f"new{UNFINISHED}"]


def test_a_folder_that_cannot_be_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    for folder in (
        tmp_path / "file",
        tmp_path / "file" / "below",
        Path("/proc/none"),
        Path("a\0b"),
    ):
        kept = Cache(folder)
        assert not kept.put("a" * 40, b"x") and kept.get("a" * 40) is None


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_still_read(tmp_path: Path) -> None:
    kept = Cache(tmp_path)
    kept.put("a" * 40, b"x")
    tmp_path.chmod(0o500)
    try:
        assert not kept.put("b" * 40, b"x") and kept.get("a" * 40) == b"x"
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.skipif(os.name != "posix", reason="owners are a thing of POSIX")
def test_entries_of_others_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Cache(tmp_path)
    kept.put("a" * 40, b"x")
    monkeypatch.setattr(os, "getuid", lambda: 4711)
    assert kept.get("a" * 40) is None


# -- entries that nobody should believe -----------------------------------------------------------


def forged(key: str, data: bytes, secret: bytes) -> bytes:
    """An entry that is right but for the secret."""
    body = zlib.compress(data, 1)
    return MAGIC + _signature(secret, key, body) + body


def test_a_forged_entry_is_ignored(tmp_path: Path) -> None:
    key, data = entry(1)
    kept = Cache(tmp_path)
    for secret in (b"", bytes(32), b"x" * 32, os.urandom(32)):
        (tmp_path / key).write_bytes(forged(key, data, secret))
        assert kept.get(key) is None
    assert kept.secret is not None
    (tmp_path / key).write_bytes(forged(key, data, kept.secret))
    assert kept.get(key) == data, "the forger lacks nothing but the secret"


def test_a_shared_secret_carries_a_cache_to_another_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "of the team")
    Cache(tmp_path).put("a" * 40, b"x")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another home"))
    assert Cache(tmp_path).get("a" * 40) == b"x"
    monkeypatch.setenv(KEY, "of another team")
    assert Cache(tmp_path).get("a" * 40) is None
    monkeypatch.delenv(KEY)
    assert Cache(tmp_path).get("a" * 40) is None


@pytest.mark.skipif(sys.platform != "linux", reason="the place of the state is that of Linux")
def test_the_secret_is_made_once_for_its_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    command = [sys.executable, "-c", "from lineal.store.cache import users_key as k; print(k())"]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    several = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) for _ in range(4)]
    assert len({each.communicate()[0] for each in several}) == 1
    (file,) = (tmp_path / "state" / "lineal").iterdir()
    assert file.stat().st_mode & 0o077 == 0 and len(file.read_bytes()) == 32
    assert users_key() == file.read_bytes()


@pytest.mark.skipif(sys.platform != "linux", reason="the place of the state is that of Linux")
def test_without_a_place_for_the_secret_there_is_no_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", "/proc/none")
    kept = Cache(tmp_path)
    assert not kept.put("a" * 40, b"x") and kept.get("a" * 40) is None
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="pipes and devices are things of POSIX")
def test_a_file_that_is_not_regular_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ("a" * 40))
    (tmp_path / ("b" * 40)).symlink_to("/dev/zero")
    (tmp_path / ("c" * 40)).mkdir()
    kept = Cache(tmp_path)
    assert [kept.get(letter * 40) for letter in "abc"] == [None] * 3


# -- where it is -----------------------------------------------------------------------------------


def folder_of(
    monkeypatch: pytest.MonkeyPatch, platform: str = "linux", **variables: str
) -> str | None:
    monkeypatch.setenv(KEY, "a secret")  # so that no file is made in a home that is not there
    for name in ("LINEAL_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/ann", **variables}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    found = cache()
    return str(found.folder) if found is not None else None


def test_each_system_has_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    assert folder_of(monkeypatch) == "/home/ann/.cache/lineal"
    assert folder_of(monkeypatch, XDG_CACHE_HOME="/var/x") == "/var/x/lineal"
    assert folder_of(monkeypatch, XDG_CACHE_HOME="relative") == "/home/ann/.cache/lineal"
    assert folder_of(monkeypatch, "darwin") == "/home/ann/Library/Caches/lineal"
    assert folder_of(monkeypatch, "win32", LOCALAPPDATA="/C/Local") == "/C/Local/lineal"
    assert folder_of(monkeypatch, LINEAL_CACHE="/elsewhere") == "/elsewhere"
    assert folder_of(monkeypatch, LINEAL_CACHE="") is None


def test_without_a_home_folder_there_is_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nowhere)
    assert folder_of(monkeypatch) is None
