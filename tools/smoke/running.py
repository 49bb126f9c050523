"""Runs the commands of one extra, in its environment and its copy of the workplace."""

from __future__ import annotations

import contextlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from smoke.cluster import DRIVER, QUICK_JVM, Cluster, Late, wait_until
from smoke.documents import Form
from smoke.environments import Environment, make_bare
from smoke.plan import Action, Notes, Step
from smoke.processes import TooLong, end_group, run_process, start_group

INSIDE = Path(__file__).with_name("inside")
LONGEST = 300
"""Seconds that a command may take."""
START = 60
"""Seconds that a server may take to start."""
OK = 200
MISTAKE = 2
"""The exit code of a command that cannot do what was asked."""
READY = "Ctrl-C ends it"
ADDRESS = re.compile(r"http://[^\s]+")
CLUSTER, BARE = "SPARK_CLUSTER", "BARE_PYTHON"
"""Variables of commands.toml: the address of a cluster of two workers, and a Python without any
package.
"""
SHARING = re.compile(r"^lineal (?:run|pipeline|capture)|^lineal \w+(?=.* --engine)")
"""Commands that may be run in one process with others, so that they share a Spark."""


class Result(NamedTuple):
    """What became of a command."""

    step: Step
    failure: str
    """empty if all is well"""
    seconds: float
    way: str
    """run, shared (in one process with others), again (alone, after it failed there), checked or
    refused
    """


class Room:
    """An environment, and a workplace for each page to run its commands in."""

    def __init__(
        self, environment: Environment, folder: Path, template: Path, notes: Notes, root: Path
    ) -> None:
        self.environment, self.template, self.notes, self.root = environment, template, notes, root
        self.scratch = folder
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        self.workplace = folder
        self.variables = {"SPARK_SUBMIT_OPTS": QUICK_JVM} if environment.extra == "spark" else {}
        self.stack = contextlib.ExitStack()
        self._kinds: set[str] = set()
        self._sessions: dict[str, str] = {}
        self._shared: Path | None = None
        self._times_shared = 0
        self.port = free_port()

    def __enter__(self) -> Room:
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()

    def run(self, step: Step) -> Result:
        """Runs one command; what goes wrong is in the result."""
        began = time.monotonic()
        way = "run"
        try:
            self.enter(step.shown.page)
            if step.action is Action.CHECK:
                way, failure = "checked", self.checked(step)
            elif step.shown.form is Form.SESSION:
                failure = self.ran_sessions(step.shown.page)
            elif step.shown.form.is_python:
                way, failure = self.ran_shared_or_alone(step, self.ran_program)
            elif step.text.startswith("lineal serve"):
                failure = self.served(step)
            else:
                way, failure = self.ran_shared_or_alone(step, self.ran_beside)
        except (Late, TooLong, OSError, subprocess.SubprocessError) as problem:
            failure = str(problem)
        return Result(step, failure, time.monotonic() - began, way)

    def refuse(self, step: Step) -> Result:
        """Runs a command without the extra that it needs: it must end with one line that says what
        to install.
        """
        began = time.monotonic()
        try:
            self.enter(step.shown.page)
            done = self.shell(step.text)
            failure = fault(done, MISTAKE)
            if not failure and f"pip install 'lineal[{step.extra}]'" not in done.stdout:
                failure = f"does not name the extra that it needs:\n{done.stdout.strip()}"
        except (Late, TooLong, OSError) as problem:
            failure = str(problem)
        without = step._replace(
            extra=self.environment.extra, reason=f"without lineal[{step.extra}]"
        )
        return Result(without, failure, time.monotonic() - began, "refused")

    def enter(self, page: str) -> None:
        """Goes to the workplace of a page, so that what other pages have left behind cannot help or
        harm it.
        """
        self.workplace = self.scratch / Path(page).stem
        if self.workplace.exists():
            return
        shutil.copytree(self.template, self.workplace, symlinks=True)
        for setup in self.notes.setup:
            if (setup.page, setup.extra) == (page, self.environment.extra):
                failure = fault(self.shell(setup.run), 0)
                if failure:
                    raise Late(f"{setup.run}: {failure}")

    def ran_beside(self, step: Step, shared: bool) -> str:
        if not step.beside:
            return self.ran(step, shared)
        with self.server(step.beside):
            return self.ran(step, shared)

    def ran(self, step: Step, shared: bool) -> str:
        """Runs a command in bash; a console block must show what comes out."""
        text = step.text.replace("localhost:5000", f"localhost:{self.port}")
        done = self.shell(self.with_cluster(text), shared)
        if step.shown.form is Form.CONSOLE:
            if done.stdout != step.shown.output:
                return f"the page shows something else than:\n{done.stdout}"
            return ""
        return fault(done, step.code)

    def with_cluster(self, text: str) -> str:
        """Starts the cluster when the first command names it."""
        if f"${CLUSTER}" in text and CLUSTER not in self.variables:
            folder = self.scratch / "cluster"
            folder.mkdir()
            home = next(self.environment.folder.glob("lib/python*/site-packages/pyspark"))
            cluster = self.stack.enter_context(Cluster(folder, home))
            conf = " ".join(f"--conf {name}={value}" for name, value in DRIVER.items())
            bare = make_bare(self.scratch / "bare", "bare").python
            self.variables |= {CLUSTER: cluster.master, BARE: str(bare), f"{CLUSTER}_CONF": conf}
        return text

    def shell(self, text: str, shared: bool = False) -> subprocess.CompletedProcess[str]:
        first = self.shims("client.py") if shared else None
        variables = self.surroundings(first)
        if shared:
            variables["LINEAL_SMOKE_SOCKET"] = str(self.shared())
        return run_process(["bash", "-c", text], self.workplace, variables, LONGEST)

    def may_share(self, step: Step) -> bool:
        """Whether Spark may be shared: not by the first of its kind, and not by a command that runs
        a job.
        """
        kind = "a program" if step.shown.form.is_python else first_match(SHARING, step.text)
        if self.environment.extra != "spark" or not kind:
            return False
        first = kind not in self._kinds
        self._kinds.add(kind)
        return not first

    def shared(self) -> Path:
        """The socket of the process in which commands share a Spark; started when the first one
        comes.
        """
        if self._shared is None:
            self._times_shared += 1
            where = self.scratch / f"shared{self._times_shared}"
            log = self.stack.enter_context(where.with_suffix(".log").open("wb"))
            variables = self.surroundings()
            server = start_group([*self.python("shared.py"), where], self.workplace, variables, log)
            self.stack.callback(end_group, server)
            wait_until(lambda: where.exists() or server.poll() is not None, START)
            self._shared = where
        return self._shared

    def ran_shared_or_alone(self, step: Step, run: Callable[[Step, bool], str]) -> tuple[str, str]:
        """Run a command where Spark is shared, if it may; if it fails there, run it again alone.

        Only the second run is what a user does, so only its failure counts. Its line says `again`,
        and the commands after it get another shared process.
        """
        if not self.may_share(step):
            return "run", run(step, False)
        if not run(step, True):
            return "shared", ""
        self._shared = None
        return "again", run(step, False)

    def ran_program(self, step: Step, shared: bool) -> str:
        """Runs a Python program of a page; in the environment for notebooks, as one."""
        file = self.scratch / f"{Path(step.shown.page).stem}-{step.shown.line}.py"
        file.write_text(step.shown.text, encoding="utf-8")
        if shared:
            return fault(self.shell(f"lineal --program {shlex.quote(str(file))}", shared), 0)
        notebook = ["--notebook"] if self.environment.extra == "jupyter" else []
        return self.finished([*self.python("program.py"), *notebook, file])

    def ran_sessions(self, page: str) -> str:
        """All console sessions of a page are one, as they are for its reader."""
        if page not in self._sessions:
            command = [*self.python("program.py"), "--session", self.root / page]
            self._sessions[page] = self.finished(command)
        return self._sessions[page]

    def checked(self, step: Step) -> str:
        """Looks at the arguments only: what is called `lineal` here does not run."""
        variables = self.surroundings(self.shims("arguments.py"))
        done = run_process(["bash", "-c", step.text], self.workplace, variables, LONGEST)
        return fault(done, 0)

    def served(self, step: Step) -> str:
        """Starts a server, asks it for a page, and ends it as Ctrl-C would."""
        with self.server(step.text) as address:
            try:
                with urllib.request.urlopen(address, timeout=START) as answer:
                    code = answer.status
            except urllib.error.HTTPError as refused:
                code = refused.code
        return "" if code == OK else f"{address} answers with {code}"

    @contextlib.contextmanager
    def server(self, text: str) -> Iterator[str]:
        """`lineal serve …` on a port that is free, until the block ends; the address that it
        prints.
        """
        command = f"exec {text} --port {self.port}"
        log = self.scratch / "server.log"
        with log.open("wb") as stream:
            variables = self.surroundings()
            server = start_group(["bash", "-c", command], self.workplace, variables, stream)
        try:
            wait_until(lambda: READY in log.read_text() or server.poll() is not None, START)
            addresses = ADDRESS.findall(log.read_text())
            if server.poll() is not None or not addresses:
                raise Late(f"the server does not start: {log.read_text().strip()}")
            yield addresses[-1]
            server.send_signal(signal.SIGINT)
            if server.wait(timeout=START) != 0:
                raise Late(f"the server ends with {server.returncode}: {log.read_text().strip()}")
        finally:
            end_group(server)

    def surroundings(self, first: Path | None = None) -> dict[str, str]:
        """The environment variables of a command; `first` is a folder of programs that come before
        all others.
        """
        return {**self.environment.variables(self.home, first), **self.variables}

    def python(self, program: str) -> list[str | Path]:
        return [self.environment.python, INSIDE / program]

    def finished(self, command: list[str | Path]) -> str:
        variables = self.surroundings()
        return fault(run_process(command, self.workplace, variables, LONGEST), 0)

    def shims(self, program: str) -> Path:
        """A folder with a `lineal` that is another program."""
        folder = self.scratch / f"shims-{Path(program).stem}"
        folder.mkdir(exist_ok=True)
        file = folder / "lineal"
        file.write_text(
            f'#!/bin/sh\nexec {shlex.quote(str(self.environment.python))} {INSIDE / program} "$@"\n'
        )
        file.chmod(0o755)
        return folder


def fault(done: subprocess.CompletedProcess[str], wanted: int) -> str:
    if done.returncode == wanted and "Traceback (most recent call last)" not in done.stdout:
        return ""
    return f"exit code {done.returncode}, not {wanted}:\n{done.stdout[-3000:].strip()}"


def first_match(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found[0] if found else ""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Screen:
    """Prints a line for each command as it ends, whichever thread it is of."""

    def __init__(self, write: Callable[[str], object] = sys.stdout.write) -> None:
        self._lock = threading.Lock()
        self._write = write

    def show(self, text: str) -> None:
        with self._lock:
            self._write(f"{text}\n")
            sys.stdout.flush()

    def show_result(self, result: Result) -> None:
        step = result.step
        word = "FAILED" if result.failure else result.way
        about = f" ({step.reason})" if step.reason else ""
        first = step.text.strip().splitlines()
        text = f"{first[0]} …" if len(first) > 1 else first[0]
        self.show(
            f"  {word:<7} {result.seconds:5.1f} s  {step.extra:<11} {step.shown.place}  {text}{about}"
        )
        if result.failure:
            self.show("\n".join(f"      {line}" for line in result.failure.splitlines()))
