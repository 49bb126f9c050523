"""Disks, folders, files and servers that are against us: one line says what failed, where and what
to do; nothing is lost, and nothing is mixed.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from random_lineage import lineage
from test_failures import plain_lineage, python

from lineal.store.errors import Damaged, NoStore, StoreError, TooNew, Unreadable
from lineal.store.lineage import open_store, schema
from lineal.store.saved import write, write_text

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX")

READY = "import sys; from lineal.cli import main; print('ready', flush=True); main(sys.argv[1:])"
COMMAND = "import sys; from lineal.cli import main; main(sys.argv[1:])"


def lineal(*arguments: str, preexec: Callable[[], None] | None = None) -> tuple[int, str, str]:
    """The exit code and the output of a command."""
    process = python(COMMAND, *arguments, preexec_fn=preexec)
    out, said = process.communicate(timeout=120)
    return process.returncode, out, said


def assert_one_line(said: str, *words: str) -> None:
    assert said.startswith("Error: ") and said.count("\n") == 1, said
    for word in words:
        assert word in said, said


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A store in a file, with something in it."""
    path = tmp_path / "lineal.store.db"
    with open_store(str(path), create=True) as store:
        store.load("p", lineage(Random(1)))
    return path


@pytest.fixture
def large(tmp_path: Path) -> str:
    """A saved lineage that takes more than a megabyte in a store."""
    path = tmp_path / "large.lineal.json"
    write(plain_lineage(20_000), path)
    return str(path)


def holds(path: Path | str, expected: int = 1) -> bool:
    with open_store(str(path)) as store:
        return write_text(store.extraction("p")) == write_text(lineage(Random(expected)))


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of half a megabyte."""
    where = tmp_path / "disk"
    where.mkdir()
    mounted = (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(where)],
            capture_output=True,
            check=False,
        )
        if shutil.which("mount")
        else None
    )
    if mounted is None or mounted.returncode:
        pytest.skip("only root mounts a disk")
    try:
        yield where
    finally:
        subprocess.run(["umount", "-l", str(where)], check=True)


# -- a disk that is full ---------------------------------------------------------------------------


def test_a_new_store_on_a_full_disk(disk: Path, large: str) -> None:
    store = disk / "s.db"
    code, out, said = lineal("store", "load", large, "--store", str(store), "--namespace", "p")
    assert (code, out) == (2, "")
    assert_one_line(said, str(store), "disk is full", "make room")
    assert "no store" in lineal("store", "query", "a.b", "--store", str(store))[2]
    assert not list(disk.iterdir()), "nothing is left of a store that could not be made"


def test_a_disk_without_a_free_byte(disk: Path, large: str) -> None:
    with pytest.raises(OSError), (disk / "filler").open("wb") as filler:
        filler.write(b"x" * 1_000_000)
    store = disk / "s.db"
    code, out, said = lineal("store", "load", large, "--store", str(store), "--namespace", "p")
    assert (code, out) == (2, "")
    assert_one_line(said, str(store), "disk is full", "make room")
    assert [each.name for each in disk.iterdir()] == ["filler"]


def test_a_load_on_a_disk_that_fills(disk: Path, file: Path, large: str) -> None:
    store = disk / "s.db"
    shutil.copy(file, store)
    code, out, said = lineal("store", "load", large, "--store", str(store), "--namespace", "p")
    assert (code, out) == (2, "")
    assert_one_line(said, str(store), "disk is full", "nothing was changed", "make room")
    assert holds(store)
    with open_store(str(store)) as opened:
        opened.load("p", lineage(Random(2)))
    assert holds(store, 2)


def test_forgetting_on_a_disk_that_is_full(disk: Path) -> None:
    """Dropped rows are dropped: only the file is not made smaller."""
    store = disk / "s.db"
    with open_store(str(store), create=True) as opened:
        opened.load("p", plain_lineage(600, "a"), now="2026-01-01")
        opened.load("p", plain_lineage(10, "b"), now="2026-01-02")
    with pytest.raises(OSError), (disk / "filler").open("wb", buffering=0) as filler:
        while True:
            filler.write(b"x" * 1024)
    code, out, said = lineal("store", "gc", "--before", "2026-01-03", "--store", str(store))
    (disk / "filler").unlink()
    with open_store(str(store)) as opened:
        edges = opened.database.rows("SELECT count(*) FROM edges")[0][0]
        assert write_text(opened.extraction("p")) == write_text(plain_lineage(10, "b"))
    if edges == 10:
        assert (code, out) == (0, "600 edges dropped\n"), said
    else:
        assert code == 2
        assert_one_line(said, "disk is full", "nothing was changed")


def test_a_file_size_limit_for_a_new_store(tmp_path: Path, large: str) -> None:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    store = tmp_path / "new.db"
    code, out, said = lineal(
        "store", "load", large, "--store", str(store), "--namespace", "p", preexec=limited
    )
    assert (code, out) == (2, "")
    assert_one_line(said, str(store), "nothing was changed")
    assert not list(tmp_path.glob("new.db*"))


def test_a_file_size_limit_below_what_there_is(file: Path, large: str) -> None:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    code, out, said = lineal(
        "store", "load", large, "--store", str(file), "--namespace", "p", preexec=limited
    )
    assert (code, out) == (2, "")
    assert_one_line(said, str(file), "nothing was changed")
    assert holds(file)


def test_a_saved_lineage_on_a_full_disk(disk: Path, tmp_path: Path) -> None:
    """The file that was there stays as it was."""
    kept = disk / "s.lineal.json"
    write(plain_lineage(10), kept)
    before = kept.read_bytes()
    many = tmp_path / "many.lineal.json"
    write(plain_lineage(20_000), many)
    code, _, said = lineal("lineage", str(many), "--save", str(kept))
    assert code == 2
    assert_one_line(said, str(kept), "No space left")
    assert kept.read_bytes() == before and [each.name for each in disk.iterdir()] == [kept.name]


# -- folders and files that may not be written -----------------------------------------------------


def test_a_disk_that_is_read_only(disk: Path, file: Path, large: str) -> None:
    store = disk / "s.db"
    shutil.copy(file, store)
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    assert holds(store)
    code, out, said = lineal("store", "load", large, "--store", str(store), "--namespace", "p")
    assert (code, out) == (2, "")
    assert_one_line(said, str(store), "cannot be written", "check the rights")
    code, out, said = lineal(
        "store", "load", large, "--store", str(disk / "new.db"), "--namespace", "p"
    )
    assert (code, out) == (2, "")
    assert_one_line(said, str(disk / "new.db"), "check the path")


def test_a_read_only_disk_with_the_log_of_a_killed_writer(disk: Path) -> None:
    """The last load is only in the log next to the store: it is read, or reported; the state before it
    is not shown as if it were the last.
    """
    store = disk / "s.db"
    kill = (
        "import os, sys; from lineal.store.lineage import open_store; from random import Random;"
        "sys.path.insert(0, sys.argv[2]); from random_lineage import lineage;"
        "s = open_store(sys.argv[1], create=True); s.load('p', lineage(Random(1)));"
        "s.load('p', lineage(Random(2))); os.kill(os.getpid(), 9)"
    )
    python(kill, str(store), str(Path(__file__).parent)).communicate()
    assert Path(f"{store}-wal").stat().st_size
    Path(f"{store}-shm").unlink()
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    try:
        assert holds(store, 2)
    except StoreError as problem:
        assert str(store) in str(problem) and "log" in str(problem) and "copy" in str(problem)


# -- places that are no store ----------------------------------------------------------------------


@pytest.mark.parametrize("address", ["", ":memory:", "file:x.db?mode=memory"])
def test_an_address_that_keeps_nothing(
    address: str, large: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A load is there afterwards, or lineal reports that it is not."""
    monkeypatch.chdir(tmp_path)
    code, out, said = lineal("store", "load", large, "--store", address, "--namespace", "p")
    if code == 0:
        with open_store(address) as store:
            assert len(store.extraction("p").edges) == 20_000
    else:
        assert (code, out) == (2, "")
        assert_one_line(said, "name a file")


@posix
@pytest.mark.parametrize("kind", ["fifo", "socket", "device", "folder", "dangling", "loop"])
def test_a_file_that_is_not_regular(kind: str, tmp_path: Path, large: str) -> None:
    """Said at once; nobody waits for what never comes."""
    place = tmp_path / "place.db"
    if kind == "fifo":
        os.mkfifo(place)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as held:
            held.bind(str(place))
    elif kind == "device":
        place.symlink_to("/dev/zero")
    elif kind == "folder":
        place.mkdir()
    elif kind == "dangling":
        place.symlink_to(tmp_path / "nowhere" / "x.db")
    else:
        place.symlink_to(place)
    for arguments in (("load", large, "--namespace", "p"), ("query", "a.b")):
        code, out, said = lineal("store", *arguments, "--store", str(place))
        assert (code, out) == (2, "")
        assert_one_line(said, str(place))


def test_a_store_behind_a_link(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(file)
    with open_store(str(link), create=True) as store:
        store.load("p", lineage(Random(2)))
    assert link.is_symlink() and holds(file, 2)


@pytest.mark.parametrize(
    "name", ["a?b.db", "a%20b.db", "a#b.db", "ü ' \" ;.db", "a\nb.db", "file:x.db"]
)
def test_names_that_mean_something_elsewhere(name: str, tmp_path: Path) -> None:
    place = tmp_path / "d" / name
    place.parent.mkdir()
    with open_store(str(place), create=True) as store:
        store.load("p", lineage(Random(1)))
    assert holds(place) and [each.name for each in place.parent.iterdir()] == [name]
    place.chmod(0o444)
    assert holds(place)


def test_an_empty_file(tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    place.touch()
    with pytest.raises(NoStore, match="there is no store at"):
        open_store(str(place))
    with open_store(str(place), create=True) as store:
        store.load("p", lineage(Random(1)))
    assert holds(place)


# -- versions --------------------------------------------------------------------------------------


def set_versions(address: str, *versions: int) -> None:
    with open_store(address) as store:
        prefix = "" if store.database.dialect is schema.SQLITE else "lineal."
        with store.database.writing():
            store.database.run(f"DELETE FROM {prefix}versions")
            for version in versions:
                store.database.run(
                    f"INSERT INTO {prefix}versions VALUES (?, '2026-01-01T00:00:00Z', '9.9')",
                    [version],
                )


def test_a_newer_store_is_named_by_every_command(file: Path, large: str) -> None:
    set_versions(str(file), 1, 2, 99)
    before = file.read_bytes()
    for arguments in (
        ("store", "load", large, "--namespace", "p", "--store", str(file)),
        ("store", "query", "a.b", "--store", str(file)),
        ("store", "history", "a.b", "--store", str(file)),
        ("store", "gc", "--before", "2026-01-01", "--store", str(file)),
        ("lineage", str(file)),
    ):
        code, out, said = lineal(*arguments)
        assert (code, out) == (2, ""), arguments
        assert_one_line(
            said, str(file), "version 99", "9.9", f"up to {schema.VERSION}", "later lineal"
        )
    assert file.read_bytes() == before


def test_a_newer_store_on_a_server(empty_postgres: str) -> None:
    with open_store(empty_postgres, create=True) as store:
        store.load("p", lineage(Random(1)))
    set_versions(empty_postgres, 1, 2, 99)
    with pytest.raises(TooNew, match=r"version 99.*lineal 9\.9.*up to 2.*later lineal"):
        open_store(empty_postgres, create=True)


def test_a_list_of_versions_that_is_empty_or_nonsense(address: str) -> None:
    with open_store(address, create=True) as store:
        store.load("p", lineage(Random(1)))
    set_versions(address)
    for create in (False, True):
        with pytest.raises(Damaged, match="put back a copy"):
            open_store(address, create=create)
    set_versions_raw(address)
    with pytest.raises(StoreError):
        open_store(address)


def set_versions_raw(address: str) -> None:
    """A version that nobody has made."""
    if "://" in address:
        import psycopg

        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("INSERT INTO lineal.versions VALUES (-3, 'x', 'x')")
        return
    with sqlite3.connect(address) as connection:
        connection.execute("INSERT INTO versions VALUES (-3, 'x', 'x')")
    connection.close()


# -- a file that somebody has damaged or forged ----------------------------------------------------


def forge(file: Path, *statements: str) -> None:
    connection = sqlite3.connect(file)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    "statement",
    [
        """UPDATE runs SET layout = replace(layout, '"edges":[[1,', '"edges":[[-5000000000,')""",
        "UPDATE runs SET layout = '{}'",
        "UPDATE runs SET layout = '[1]'",
        'UPDATE runs SET layout = \'{"edges":[[1,99999999999]],"reads":[],"dataset_infos":[],"column_infos":[]}\'',
        "UPDATE runs SET coverage = 'x'",
        'UPDATE runs SET coverage = \'{"read": "many"}\'',
        "UPDATE edges SET source_id = 999999",
        "UPDATE usages SET way_id = 999999",
        "UPDATE ways SET how = 'MAGIC'",
        "UPDATE ways SET level = 77",
        "DELETE FROM edges",
        "DELETE FROM columns",
        "DROP TABLE usages",
        "ALTER TABLE reads DROP COLUMN clause",
        "UPDATE usages SET calls = '[[[[[[[[[[['",
        "UPDATE usages SET expression = x'80ff'",
        "UPDATE datasets SET name = 5",
        "UPDATE counters SET next = 1",
        "UPDATE dataset_infos SET rest = 'x'",
    ],
)
def test_a_store_that_says_nonsense(file: Path, statement: str) -> None:
    """Each is an error that names the file, or has no influence; none takes all memory, and none
    gives another lineage.
    """
    forge(file, statement)

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (2_000_000_000, 2_000_000_000))

    copy = file.with_name("copy.lineal.json")
    options = ("--save", str(copy), "--no-cache", "--fail-on", "never")  # it has errors of its own
    code, _, said = lineal("lineage", str(file), *options, preexec=limited)
    if code == 2:
        assert_one_line(said, str(file))
        assert any(word in said for word in ("put back", "load again", "gc", "no lineage")), said
    else:
        assert code == 0 and copy.read_text() == write_text(lineage(Random(1)))
    try:
        with open_store(str(file)) as store:
            store.load("q", lineage(Random(2)))
            found = write_text(store.extraction("q"))
    except StoreError as problem:
        assert "\n" not in str(problem) and str(file) in str(problem), problem
    else:
        assert found == write_text(lineage(Random(2)))


def test_the_log_of_another_store(file: Path, tmp_path: Path) -> None:
    """SQLite knows its own log: another's changes nothing."""
    other = tmp_path / "other.db"
    kill = (
        "import os, sys; from lineal.store.lineage import open_store; from random import Random;"
        "sys.path.insert(0, sys.argv[2]); from random_lineage import lineage;"
        "s = open_store(sys.argv[1], create=True); s.load('q', lineage(Random(3))); os.kill(os.getpid(), 9)"
    )
    python(kill, str(other), str(Path(__file__).parent)).communicate()
    log = Path(f"{other}-wal").read_bytes()
    for content in (log[: len(log) // 2], b"x" * 5000, b""):
        Path(f"{file}-wal").write_bytes(content)
        try:
            assert holds(file)
        except StoreError as problem:
            assert str(file) in str(problem)


def test_a_file_that_is_cut_off_anywhere(file: Path) -> None:
    whole = file.read_bytes()
    for part in range(0, len(whole), len(whole) // 12 + 1):
        for name in ("-wal", "-shm"):
            Path(f"{file}{name}").unlink(missing_ok=True)
        file.write_bytes(whole[:part])
        with pytest.raises(StoreError) as raised:
            holds(file)
        assert str(file) in str(raised.value)


# -- several at once -------------------------------------------------------------------------------

SEVERAL = """
import sys
from random import Random
sys.path.insert(0, sys.argv[2])
from random_lineage import lineage
from lineal.store.lineage import open_store
for turn in range(6):
    with open_store(sys.argv[1], create=True) as store:
        store.load("p", lineage(Random(int(sys.argv[3]) + turn % 2)))
        store.load(sys.argv[3], lineage(Random(int(sys.argv[3]))))
"""


def test_several_write_one_namespace(address: str) -> None:
    """Each load counts as a whole; the last one stays."""
    here = str(Path(__file__).parent)
    several = [python(SEVERAL, address, here, str(seed)) for seed in (10, 20, 30)]
    assert [(each.communicate()[1], each.returncode) for each in several] == [("", 0)] * 3
    known = {write_text(lineage(Random(seed + turn))) for seed in (10, 20, 30) for turn in (0, 1)}
    with open_store(address) as store:
        runs = store.runs("p")
        assert all(write_text(store.extraction("p", at=run.at)) in known for run in runs)
        assert [run.at for run in runs] == sorted({run.at for run in runs})
        for seed in (10, 20, 30):
            assert write_text(store.extraction(str(seed))) == write_text(lineage(Random(seed)))


def test_a_store_that_is_deleted_during_a_load(file: Path) -> None:
    """A load into a file without a name would be lost: it is reported."""
    with open_store(str(file)) as store:
        file.unlink()
        with pytest.raises(StoreError, match="deleted or replaced"):
            store.load("p", lineage(Random(2)))


@posix
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_load_that_is_interrupted(file: Path, large: str, sign: int) -> None:
    for pause in (0.1, 0.4, 0.7, 1.0):
        loader = python(READY, "store", "load", large, "--store", str(file), "--namespace", "p")
        assert loader.stdout is not None and loader.stdout.readline() == "ready\n"
        time.sleep(pause)
        loader.send_signal(sign)
        began = time.monotonic()
        _, said = loader.communicate()
        assert time.monotonic() - began < 5
        assert "Traceback" not in said
        with open_store(str(file)) as store:
            found = store.extraction("p")
        assert write_text(found) == write_text(lineage(Random(1))) or len(found.edges) == 20_000


# -- a server --------------------------------------------------------------------------------------


def with_settings(address: str, **settings: str) -> str:
    mark = "&" if "?" in address else "?"
    spelt = "%20".join(f"-c%20{name}%3D{value}" for name, value in settings.items())
    return f"{address}{mark}options={spelt}"


def test_a_schema_that_is_somebody_elses(empty_postgres: str) -> None:
    import psycopg

    with psycopg.connect(empty_postgres, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA lineal")
        connection.execute("CREATE TABLE lineal.edges (mine TEXT)")
        connection.execute("INSERT INTO lineal.edges VALUES ('kept')")
        with pytest.raises(StoreError, match=r"the schema `lineal`.*another database"):
            open_store(empty_postgres, create=True)
        connection.execute("CREATE TABLE lineal.versions (version TEXT, mine TEXT)")
        connection.execute("INSERT INTO lineal.versions VALUES ('one', 'kept')")
        for create in (True, False):
            with pytest.raises(
                StoreError, match="its list of versions is not one that lineal writes"
            ):
                open_store(empty_postgres, create=create)
        assert connection.execute("SELECT * FROM lineal.edges").fetchall() == [("kept",)]


def test_a_server_with_limits(empty_postgres: str) -> None:
    """A time limit and a limit for temporary files end a load, and nothing of it is there."""
    with open_store(empty_postgres, create=True) as store:
        store.load("p", lineage(Random(1)))
    hurried = with_settings(empty_postgres, statement_timeout="5ms")
    with pytest.raises(StoreError, match="after its timeout"), open_store(hurried) as store:
        store.load("p", plain_lineage(50_000))
    assert holds(empty_postgres)


def test_a_database_that_is_not_unicode(empty_postgres: str) -> None:
    """Text that such a database cannot hold is reported with a remedy; nothing is changed."""
    import psycopg

    with psycopg.connect(empty_postgres, autocommit=True) as admin:
        admin.execute("DROP DATABASE IF EXISTS lineal_latin")
        admin.execute(
            "CREATE DATABASE lineal_latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
        )
        said = psycopg.conninfo.conninfo_to_dict(empty_postgres)
        said["dbname"] = "lineal_latin"
        from urllib.parse import quote

        latin = "postgresql://?" + "&".join(
            f"{n}={quote(str(v), safe='')}" for n, v in said.items()
        )
        try:
            with open_store(latin, create=True) as store:
                store.load("p", plain_lineage(3, "a"))
                with pytest.raises(StoreError, match="use a database whose encoding is UTF8"):
                    store.load("p", plain_lineage(3, "日本"))
                assert write_text(store.extraction("p")) == write_text(plain_lineage(3, "a"))
        finally:
            admin.execute("DROP DATABASE lineal_latin WITH (FORCE)")


def test_a_server_without_a_free_connection(empty_postgres: str) -> None:
    import psycopg

    with psycopg.connect(empty_postgres, autocommit=True) as admin:
        admin.execute("DROP ROLE IF EXISTS lineal_single")
        admin.execute("CREATE ROLE lineal_single LOGIN PASSWORD 'x' CONNECTION LIMIT 0")
        try:
            with pytest.raises(Unreadable, match=r"too many connections.*try again later"):
                open_store(f"{empty_postgres}&user=lineal_single&password=x")
        finally:
            admin.execute("DROP ROLE lineal_single")
