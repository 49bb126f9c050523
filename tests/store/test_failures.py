"""Whatever happens to the disk, the server or another process: a clear line, and the store as it
was.
"""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path
from random import Random
from tempfile import gettempdir

import pytest
from random_lineage import lineage

from lineal.model.diagnostic import Place
from lineal.model.edge import Column, Dataset, Edge, Site, Usage
from lineal.model.extraction import Extraction
from lineal.model.way import IDENTITY
from lineal.store.errors import Busy, Damaged, StoreError, Unreadable
from lineal.store.lineage import Store, open_store, postgres
from lineal.store.saved import write, write_text

SOURCE = Path(__file__).resolve().parents[2] / "src"


def plain_lineage(edges: int, prefix: str = "c") -> Extraction:
    usage = Usage(IDENTITY, None, None, Site(None, "", ()))
    source, target = Dataset("", "source"), Dataset("", "target")
    names = [f"{prefix}{number}" for number in range(edges)]
    return Extraction(
        [Edge(Column(source, name), Column(target, name), (usage,)) for name in names]
    )


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A store in a file, with something in it."""
    path = str(tmp_path / "lineal.store.db")
    with open_store(path, create=True) as store:
        store.load("p", lineage(Random(1)))
    return path


def python(script: str, *arguments: str, **options: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,  # type: ignore[call-overload]
    )


# -- two writers -----------------------------------------------------------------------------------


def test_a_second_writer_waits_and_then_fails_with_a_message(address: str) -> None:
    with open_store(address, create=True) as first, open_store(address, wait=0.2) as second:
        first.load("p", lineage(Random(1)))
        with first.database.writing():
            began = time.monotonic()
            with pytest.raises(Busy, match="another process is writing to it: try again later"):
                second.load("p", lineage(Random(2)))
            assert 0.1 < time.monotonic() - began < 10
            assert write_text(second.extraction("p")) == write_text(lineage(Random(1)))
        second.load("p", lineage(Random(2)))
        assert write_text(first.extraction("p")) == write_text(lineage(Random(2)))


TOGETHER = """
import sys
from lineal.store.lineage import open_store
from lineal.store.saved import read_text
with open_store(sys.argv[1], create=True) as store:
    store.load(sys.argv[2], read_text(open(sys.argv[3], encoding="utf-8").read()))
"""


def test_two_that_make_a_store_at_once(address: str, tmp_path: Path) -> None:
    file = str(tmp_path / "some.lineal.json")
    write(lineage(Random(1)), file)
    loaders = [python(TOGETHER, address, name, file) for name in ("one", "two", "three")]
    assert [(loader.communicate()[1], loader.returncode) for loader in loaders] == [("", 0)] * 3
    with open_store(address) as store:
        assert store.namespaces() == ["one", "three", "two"]
        assert {write_text(store.extraction(name)) for name in store.namespaces()} == {
            write_text(lineage(Random(1)))
        }


def test_a_load_that_fails_leaves_nothing(store: Store) -> None:
    too_large = plain_lineage(5000)
    far = Usage(IDENTITY, None, None, Site(Place("x.sql", 10**30, 1), "", ()))
    too_large.edges.append(
        Edge(Column(Dataset("", "x"), "x"), Column(Dataset("", "y"), "y"), (far,))
    )
    with pytest.raises(StoreError, match="nothing was changed"):
        store.load("p", too_large)
    assert store.namespaces() == []
    store.load("p", lineage(Random(1)))
    with pytest.raises(StoreError, match="nothing was changed"):
        store.load("p", too_large)
    assert write_text(store.extraction("p")) == write_text(lineage(Random(1)))
    store.load("p", lineage(Random(2)))
    assert write_text(store.extraction("p")) == write_text(lineage(Random(2)))


# -- killed ----------------------------------------------------------------------------------------

LOADER = """
import sys
from lineal.store.lineage import open_store
from lineal.store.saved import read_text
address, *files = sys.argv[1:]
versions = [read_text(open(file, encoding="utf-8").read()) for file in files]
with open_store(address) as store:
    print("ready", flush=True)
    while True:
        for version in versions:
            store.load("p", version)
"""
MOMENTS = int(os.environ.get("LINEAL_TEST_KILLS", "6"))


def test_killed_at_any_moment_a_store_holds_the_old_or_the_new(
    address: str, tmp_path: Path
) -> None:
    random = Random(os.environ.get("LINEAL_TEST_SEED", "1"))
    versions = [plain_lineage(3000, "a"), plain_lineage(2000, "b"), lineage(random, size=200)]
    files = [str(tmp_path / f"{number}.lineal.json") for number in range(len(versions))]
    for version, written in zip(versions, files, strict=True):
        write(version, written)
    known = {write_text(version) for version in versions}
    with open_store(address, create=True) as store:
        store.load("p", versions[0])
    met = set()
    for _ in range(MOMENTS):
        loader = python(LOADER, address, *files)
        assert loader.stdout is not None and loader.stdout.readline() == "ready\n"
        time.sleep(random.random() * 0.4)
        loader.send_signal(signal.SIGKILL)
        loader.communicate()
        with open_store(address) as store:
            found = write_text(store.extraction("p"))
            with store.database.reading():
                ((edges,),) = store.database.rows("SELECT count(*) FROM edges WHERE to_run IS NULL")
        assert found in known
        assert edges >= len(store_edges(found))
        met.add(found)
    with open_store(address) as store:
        store.load("p", versions[2])
        assert write_text(store.extraction("p")) == write_text(versions[2])


def store_edges(text: str) -> list[object]:
    from lineal.store.saved import read_text

    return list(read_text(text).edges)


# -- a file ----------------------------------------------------------------------------------------


def test_a_file_that_is_not_a_store_is_reported(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("no database at all, " * 500)
    with pytest.raises(
        Damaged, match=r"notes\.txt: the file is damaged or no store: put back a copy"
    ):
        open_store(str(text))
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    for create in (False, True):
        with pytest.raises(
            StoreError, match="is an SQLite database, but no store of lineal's: name another file"
        ):
            open_store(str(other), create=create)
    with pytest.raises(Unreadable, match="cannot be opened: check the path"):
        open_store(str(tmp_path / "no" / "such" / "folder.db"), create=True)
    with pytest.raises(Unreadable, match="cannot be opened"):
        open_store(str(tmp_path))
    with pytest.raises(StoreError, match="mysql:// is not a store: name a file, or postgresql://"):
        open_store("mysql://someone:secret@host/x")


@pytest.mark.parametrize("seed", range(25))
def test_a_damaged_file_is_an_error_and_never_a_crash(file: str, seed: int) -> None:
    random = Random(seed)
    content = bytearray(Path(file).read_bytes())
    if seed % 5 == 0:
        del content[random.randrange(len(content)) :]
    for _ in range(random.choice((1, 20, 4000))):
        if content:
            content[random.randrange(len(content))] = random.randrange(256)
    Path(file).write_bytes(content)
    try:
        with open_store(file) as store:
            write_text(store.extraction("p"))
            store.load("p", lineage(Random(2)))
    except StoreError as problem:
        assert "\n" not in str(problem)


def test_a_full_disk_is_reported_and_nothing_is_lost(file: str) -> None:
    with open_store(file) as store:
        store.database.run("PRAGMA max_page_count = 60")
        with pytest.raises(
            Unreadable, match="the disk is full; nothing was changed: make room and try again"
        ):
            store.load("p", plain_lineage(20_000))
        assert write_text(store.extraction("p")) == write_text(lineage(Random(1)))
    with open_store(file) as store:
        store.load("p", plain_lineage(100))


SMALL_FILES = """
import resource, sys
from lineal.cli import main
main(["store", "load", sys.argv[1], "--store", sys.argv[2], "--namespace", "p"])
"""


def test_a_disk_that_takes_no_more(file: str, tmp_path: Path) -> None:
    """As on a full disk: the system refuses to make a file larger."""
    large = tmp_path / "large.lineal.json"
    write(plain_lineage(20_000), large)

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

    refused = python(SMALL_FILES, str(large), file, preexec_fn=limited)
    out, said = refused.communicate()
    assert refused.returncode == 2, said
    assert (out, said.count("\n")) == ("", 1)
    assert "nothing was changed" in said
    with open_store(file) as store:
        assert write_text(store.extraction("p")) == write_text(lineage(Random(1)))


def as_nobody(action: Callable[[], object]) -> str:
    """The message to a process without rights, or '' if nothing is wrong; root may do everything."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        said = ""
        try:
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            action()
        except BaseException as problem:
            said = f"{type(problem).__name__}: {problem}"
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as stream:
        said = stream.read()
    os.waitpid(child, 0)
    return said


def test_no_rights(file: str, tmp_path: Path) -> None:
    """A store that may be read and not written is read; one that may not be read is an error."""
    for folder in (
        tmp_path,
        *takewhile(lambda above: above != Path(gettempdir()), tmp_path.parents),
    ):
        folder.chmod(0o755)

    def read() -> None:
        with open_store(file) as store:
            assert write_text(store.extraction("p")) == write_text(lineage(Random(1)))

    def load() -> None:
        with open_store(file, create=True) as store:
            store.load("p", lineage(Random(2)))

    def check() -> None:
        with open_store(file, create=True) as store:
            store.check_writable()

    check()
    Path(file).chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        assert as_nobody(read) == ""
        said = as_nobody(load)
        assert as_nobody(check) == said
        assert said.startswith("Unreadable: ")
        assert "check the rights" in said
        Path(file).chmod(0o000)
        for action in (read, load):
            assert "rights" in as_nobody(action)
    finally:
        tmp_path.chmod(0o755)


# -- a server --------------------------------------------------------------------------------------


def test_a_server_that_takes_no_writes(empty_postgres: str) -> None:
    with open_store(empty_postgres, create=True) as store:
        store.check_writable()
    mark = "&" if "?" in empty_postgres else "?"
    with (
        open_store(
            f"{empty_postgres}{mark}options=-c%20default_transaction_read_only%3Don"
        ) as store,
        pytest.raises(Unreadable, match="the server takes no writes now"),
    ):
        store.check_writable()


def test_a_server_that_closes_the_connection(empty_postgres: str) -> None:
    import psycopg

    with open_store(empty_postgres, create=True) as store:
        store.load("p", lineage(Random(1)))
        with psycopg.connect(empty_postgres, autocommit=True) as admin:
            admin.execute(
                "SELECT pg_terminate_backend(%s)", [store.database.connection.info.backend_pid]
            )
        with pytest.raises(
            Unreadable, match="the server cannot be reached or closed the connection"
        ):
            store.load("p", lineage(Random(2)))
    with open_store(empty_postgres) as store:
        assert write_text(store.extraction("p")) == write_text(lineage(Random(1)))


def test_a_connection_that_breaks_during_a_load(empty_postgres: str) -> None:
    import psycopg

    with open_store(empty_postgres, create=True) as store:
        store.load("p", lineage(Random(1)))
        with pytest.raises(Unreadable, match="closed the connection"), store.database.writing():
            store.database.run("UPDATE edges SET to_run = 7")
            with psycopg.connect(empty_postgres, autocommit=True) as admin:
                admin.execute(
                    "SELECT pg_terminate_backend(%s)", [store.database.connection.info.backend_pid]
                )
            store.database.run("UPDATE usages SET to_run = 7")
    with open_store(empty_postgres) as store:
        assert write_text(store.extraction("p")) == write_text(lineage(Random(1)))


def test_a_user_without_rights_sees_the_missing_grants(empty_postgres: str) -> None:
    import psycopg

    with psycopg.connect(empty_postgres, autocommit=True) as admin:
        admin.execute("DROP ROLE IF EXISTS lineal_guest")
        admin.execute("CREATE ROLE lineal_guest LOGIN PASSWORD 'guest-secret'")
        try:
            guest = f"{empty_postgres}&user=lineal_guest&password=guest-secret"
            with pytest.raises(
                Unreadable, match="no rights: the user needs CREATE on the database"
            ):
                open_store(guest, create=True)
        finally:
            admin.execute("DROP ROLE lineal_guest")


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann:hunter2@127.0.0.1:1/x",
        "postgresql://ann:hunter2@127.0.0.1:1/x?connect_timeout=nonsense",
        "postgresql://ann@127.0.0.1:1/x?password=hunter2",
        "postgresql://ann:hunter2@[/x",
        "postgres://ann:hunter2@127.0.0.1:1:1/x",
        "postgresql://ann:hunter2@127.0.0.1:99999/x",
        "postgresql://ann:hunter2@127.0.0.1:1/x?hunter2=hunter2",
        "postgresql://ann:h%75nter2@127.0.0.1:1/x",
    ],
)
def test_no_password_is_shown(address: str) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(StoreError) as raised:
        open_store(address)
    assert "hunter2" not in str(raised.value)
    assert "h%75nter2" not in str(raised.value)
    assert "hunter2" not in postgres.public_address(address)
