"""A PostgreSQL server for the tests: one that is thrown away, or the one that LINEAL_TEST_POSTGRES
names.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

FINDER = Path(__file__).parents[2] / "tools" / "postgres.sh"

READY = "database system is ready to accept connections"
UNSAFE_AND_FAST = (
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "shared_buffers=16MB",
    "jit=off",
)


class NoServer(Exception):
    """There is no server, and none may be installed."""


@contextmanager
def address(settings: Sequence[str] = UNSAFE_AND_FAST) -> Iterator[str]:
    """The address of a server, as libpq reads it."""
    given = os.environ.get("LINEAL_TEST_POSTGRES")
    if given:
        yield given
        return
    programs = found_programs()
    folder = Path(tempfile.mkdtemp(prefix="lineal-postgres-"))
    owner = unprivileged()
    if owner is not None:
        shutil.chown(folder, owner)
    try:
        with running(programs, folder, owner, settings) as conninfo:
            yield conninfo
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def database(server: str) -> Iterator[Any]:
    """A connection to an empty database, which is dropped afterwards."""
    import psycopg
    from psycopg import sql

    name = sql.Identifier(f"lineal_test_{uuid4().hex}")
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(name))
        try:
            with psycopg.connect(
                server, dbname=name.as_string(None).strip('"'), autocommit=True
            ) as connection:
                yield connection
        finally:
            admin.execute(sql.SQL("DROP DATABASE {}").format(name))


def found_programs() -> Path:
    done = subprocess.run([FINDER], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoServer(done.stderr.strip().splitlines()[-1])
    return Path(done.stdout.strip())


def unprivileged() -> str | None:
    """Whom the server runs as: it refuses to be root."""
    if os.getuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


@contextmanager
def running(
    programs: Path, folder: Path, owner: str | None, given: Sequence[str], port: int = 0
) -> Iterator[str]:
    """A server in a folder of its own, that listens on a socket there, and on loopback if a port is
    named.
    """
    data = folder / "data"
    log = folder / "log"
    as_owner: dict[str, Any] = (
        {"user": owner, "group": pwd.getpwnam(owner).pw_gid, "extra_groups": []} if owner else {}
    )
    made = subprocess.run(
        [programs / "initdb", "-D", data, "-U", "lineal", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
        cwd=folder, capture_output=True, text=True, check=False, **as_owner,
    )  # fmt: skip
    if made.returncode:
        raise NoServer(f"initdb failed: {made.stderr.strip()}")
    where = ("listen_addresses=127.0.0.1", f"port={port}") if port else ("listen_addresses=",)
    settings = [
        word for setting in (*given, *preloaded(programs), *where) for word in ("-c", setting)
    ]
    with log.open("w") as out:
        server = subprocess.Popen(
            [programs / "postgres", "-D", data, "-k", folder, *settings],
            cwd=folder, stdout=out, stderr=out, **as_owner,
        )  # fmt: skip
    try:
        wait_for(server, log)
        yield f"host={folder} user=lineal dbname=postgres" + (f" port={port}" if port else "")
    finally:
        server.terminate()
        try:
            server.wait(timeout=30)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def preloaded(programs: Path) -> list[str]:
    """The history of statements, where the server's package brings it along."""
    done = subprocess.run(
        [programs / "pg_config", "--pkglibdir"], capture_output=True, text=True, check=False
    )
    folders = [Path(done.stdout.strip()), programs.parent / "lib"]
    there = any((folder / "pg_stat_statements.so").exists() for folder in folders)
    return ["shared_preload_libraries=pg_stat_statements"] if there else []


def wait_for(server: subprocess.Popen[bytes], log: Path, seconds: float = 60) -> None:
    """Waits until the server says that it takes connections."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        if READY in log.read_text(encoding="utf-8"):
            return
        time.sleep(0.05)
    raise NoServer(f"the server did not start: {log.read_text(encoding='utf-8')[-500:]}")
