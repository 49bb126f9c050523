"""The processes that lineal starts end with it: terminated, killed or interrupted, within two
seconds.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import lineal
from lineal.cli import supervisor
from lineal.projects import render
from patience import Patience

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")

SIGNALS = [signal.SIGTERM, signal.SIGKILL, signal.SIGINT]

START = """
import sys, time
from lineal.incremental import parallel
from lineal.model import lifeline

def work_for_ever(*_):
    while True:
        time.sleep(0.01)

parallel.FEWEST = 2
parallel.Share.read = work_for_ever
if sys.argv[2] == "thread":
    lifeline._end_by_kernel = lambda parent: None
from lineal.cli import main
main(["lineage", sys.argv[1], "--jobs", "2", "--no-cache"])
"""
"""lineal, whose workers never end of themselves."""

HANG = """
import itertools
from lineal.extract.sql import parse

parse.parse_words = lambda *_: sum(itertools.repeat(0))
from lineal.cli import main
main()
"""
"""lineal, which never ends of itself, and which no signal interrupts."""

ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
"""A template that takes all the CPU time it may have, which is five seconds."""


def started(*arguments: str, stdin: int | None = None) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(lineal.__file__).parents[1]),
        "LINEAL_CACHE": "",
    }
    quiet = subprocess.DEVNULL
    return subprocess.Popen(
        [sys.executable, *arguments], env=environment, stdin=stdin, stdout=quiet, stderr=quiet
    )


def descendants_of(process: int) -> set[int]:
    """The processes that a process has started, and those that these have started."""
    parents: dict[int, int] = {}
    for each in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = each.read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(each.parent.name)] = int(fields[1])
    found = {process}
    while True:
        more = {each for each, parent in parents.items() if parent in found} - found
        if not more:
            return found - {process}
        found |= more


def is_at_work(process: int) -> bool:
    try:
        state = (
            Path(f"/proc/{process}/stat")
            .read_text(encoding="ascii", errors="replace")
            .rpartition(")")[2]
            .split()[0]
        )
    except OSError:
        return False
    return state != "Z"


def wait_for_descendants(process: subprocess.Popen[bytes], count: int) -> set[int]:
    """The process that does the work, and those that it starts."""
    began = time.monotonic()
    while time.monotonic() - began < 60:
        found = descendants_of(process.pid)
        if len(found) >= count:
            time.sleep(0.3)  # they have begun, and know whose they are
            return descendants_of(process.pid)
        assert process.poll() is None
        time.sleep(0.02)
    raise AssertionError("no worker was started")


def check_that_all_end(process: subprocess.Popen[bytes], workers: set[int], sign: int) -> None:
    patience = Patience([process.pid, *workers])
    process.send_signal(sign)
    try:
        while process.poll() is None or any(map(is_at_work, workers)):
            assert not patience.is_over, patience.taken
            time.sleep(0.02)
    finally:
        for worker in filter(is_at_work, workers):
            os.kill(worker, signal.SIGKILL)
        process.kill()
        process.wait()


@pytest.mark.parametrize("way", ["kernel", "thread"])
@pytest.mark.parametrize("sign", SIGNALS)
def test_processes_that_read_many_files(tmp_path: Path, sign: int, way: str) -> None:
    for number in range(200):
        (tmp_path / f"{number}.sql").write_text(
            f"CREATE VIEW v{number} AS SELECT a FROM t", encoding="utf-8"
        )
    process = started("-c", START, str(tmp_path), way)
    check_that_all_end(process, wait_for_descendants(process, 3), sign)


@pytest.mark.parametrize("sign", SIGNALS)
def test_the_process_that_renders_templates(tmp_path: Path, sign: int) -> None:
    (tmp_path / "lineal.yml").write_text("name: shop\n", encoding="utf-8")
    (tmp_path / "nodes" / "a").mkdir(parents=True)
    (tmp_path / "nodes" / "a" / "a.sql").write_text(f"SELECT {ENDLESS} a FROM t", encoding="utf-8")
    process = started("-m", "lineal", "lineage", str(tmp_path))
    check_that_all_end(process, wait_for_descendants(process, 2), sign)


COMMANDS = {
    "lineage": "lineage PROJECT --save OUT",
    "show": "show PROJECT --no-open --out OUT",
    "validate": "validate PROJECT",
    "emit": "emit PROJECT --to OUT",
    "impact": "impact t.a PROJECT",
    "context": "context t.a PROJECT",
    "unused": "unused PROJECT",
    "describe": "describe PROJECT --write",
    "diff": "diff PROJECT PROJECT",
    "store": "store load PROJECT --store OUT",
    "demo": "demo PROJECT/demo",
}
"""Each command that reads SQL and needs no Spark; OUT is the file that it writes."""


@pytest.mark.parametrize("sign", SIGNALS)
@pytest.mark.parametrize("command", COMMANDS)
def test_compiled_code_that_no_signal_interrupts(tmp_path: Path, command: str, sign: int) -> None:
    (tmp_path / "a.sql").write_text("CREATE VIEW v AS SELECT a FROM t", encoding="utf-8")
    out = tmp_path / "out.lineal.json"
    words = COMMANDS[command].replace("PROJECT", str(tmp_path)).replace("OUT", str(out))
    process = started("-c", HANG, *words.split())
    check_that_all_end(process, wait_for_descendants(process, 1), sign)
    assert not out.exists()


@pytest.mark.parametrize("sign", SIGNALS)
def test_a_server(tmp_path: Path, sign: int) -> None:
    (tmp_path / "a.sql").write_text("CREATE VIEW v AS SELECT a FROM t", encoding="utf-8")
    process = started("-m", "lineal", "serve", str(tmp_path), "--port", "0", "--no-open")
    check_that_all_end(process, wait_for_descendants(process, 1), sign)


@pytest.mark.parametrize("sign", SIGNALS)
@pytest.mark.parametrize("command", ["mcp", "lsp"])
def test_a_server_on_standard_input(tmp_path: Path, command: str, sign: int) -> None:
    """The client has not closed its end, and the process that answers is at work."""
    pytest.importorskip({"mcp": "mcp", "lsp": "pygls"}[command])
    (tmp_path / "lineal.yml").write_text("name: shop\n", encoding="utf-8")
    (tmp_path / "nodes" / "a").mkdir(parents=True)
    (tmp_path / "nodes" / "a" / "a.sql").write_text(f"SELECT {ENDLESS} a FROM t", encoding="utf-8")
    process = started("-m", "lineal", command, str(tmp_path), stdin=subprocess.PIPE)
    assert process.stdin is not None
    if command == "lsp":
        folder = {"processId": None, "rootUri": tmp_path.as_uri(), "capabilities": {}}
        for number, method in enumerate(("initialize", "initialized")):
            message = {"jsonrpc": "2.0", "method": method, "params": {} if number else folder}
            data = json.dumps({**message, **({} if number else {"id": 1})}).encode()
            process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        process.stdin.flush()
    check_that_all_end(process, wait_for_descendants(process, 3), sign)
    process.stdin.close()


def test_a_process_in_a_separate_session_is_left_alone() -> None:
    """A browser that a command has opened stays, a JVM does not."""
    jvm = subprocess.Popen(["sleep", "60"])
    browser = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        found = supervisor.descendants_of(os.getpid())
        assert jvm.pid in found and browser.pid not in found
    finally:
        for each in (jvm, browser):
            each.kill()
            each.wait()


def test_a_renderer_sees_the_end_of_its_pipe(tmp_path: Path) -> None:
    """Where no kernel tells it: in the middle of a template, too."""
    script = tmp_path / "worker.py"
    text = render.WORKER.read_text(encoding="utf-8").replace(
        'if sys.platform == "linux"', "if False"
    )
    assert "if False" in text
    script.write_text(text, encoding="utf-8")
    command = [sys.executable, "-I", "-S", str(script), *render._folders_of("jinja2", "markupsafe")]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(json.dumps(render._setup(render.ALONE)).encode() + b"\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline()) == {"ready": True}
    process.stdin.write(
        json.dumps({"file": "a.sql", "text": ENDLESS, "this": "a"}).encode() + b"\n"
    )
    process.stdin.flush()
    time.sleep(0.3)
    assert process.poll() is None
    process.stdin.close()
    patience = Patience([process.pid])
    while process.poll() is None:
        assert not patience.is_over, patience.taken
        time.sleep(0.02)
    assert process.returncode == 0
    process.stdout.close()
