"""A MariaDB server of the tests' own: started in a folder that is thrown away."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SECONDS = 60
"""How long the server may take to answer."""


class NoServer(Exception):
    """MariaDB's programs are not there, or do not start."""


class Server:
    """Runs scripts by the client program."""

    def __init__(self, client: str, socket: Path, user: str) -> None:
        self.command = [client, "--no-defaults", f"--socket={socket}", f"--user={user}"]

    def run(self, script: str) -> str:
        """The rows that a script gives, one a line; a statement that fails gives none."""
        options = [
            "--batch",
            "--raw",
            "--skip-column-names",
            "--force",
            "--default-character-set=utf8mb4",
        ]
        done = subprocess.run(
            [*self.command, *options], input=script, capture_output=True, text=True, check=False
        )
        return done.stdout

    def answers(self) -> bool:
        """Whether the server takes statements."""
        asked = [*self.command, "--execute=SELECT 1"]
        return subprocess.run(asked, capture_output=True, check=False).returncode == 0


def program(name: str) -> str:
    """The path of a program, in the folders that tools/mariadb.sh prints."""
    found = shutil.which(name, path=os.environ.get("MARIADB_BIN", ""))
    if found is None:
        raise NoServer('no MariaDB: export MARIADB_BIN="$(tools/mariadb.sh)"')
    return found


@contextmanager
def server() -> Iterator[Server]:
    """A server with nothing in it, without a network."""
    user = "root" if os.getuid() == 0 else os.environ.get("USER", "lineal")
    with tempfile.TemporaryDirectory(prefix="lineal-mariadb-") as folder:
        data, socket = Path(folder, "data"), Path(folder, "socket")
        install = [program("mariadb-install-db"), "--no-defaults", f"--datadir={data}"]
        run_as = ["--user=root"] if os.getuid() == 0 else []
        made = subprocess.run(
            [*install, "--auth-root-authentication-method=normal", "--skip-test-db", *run_as],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if made.returncode:
            raise NoServer(f"mariadb-install-db: {made.stderr.strip() or made.stdout.strip()}")
        started = subprocess.Popen(
            [program("mariadbd"), "--no-defaults", f"--datadir={data}", f"--socket={socket}",
             f"--pid-file={folder}/pid", "--skip-networking", *run_as],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            yield waiting(
                Server(program("mariadb"), socket, "root" if user == "root" else user), started
            )
        finally:
            started.terminate()
            started.wait(timeout=SECONDS)


def waiting(found: Server, started: subprocess.Popen[bytes]) -> Server:
    """The server, as soon as it answers."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and started.poll() is None:
        if found.answers():
            return found
        time.sleep(0.1)
    raise NoServer("the server does not answer")
