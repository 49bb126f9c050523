"""A statement or file that takes too much is abandoned and named; everything else keeps its result.

The commands run as processes, in which one part of lineal is replaced by compiled code that never
ends, takes memory without end, or ends its process.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lineal
from lineal.model.diagnostic import Code
from lineal.model.limits import (
    Board,
    LimitExceeded,
    Limits,
    Reason,
    Task,
    check,
    current_limits,
    is_abandoned,
    key_of,
    set_limits,
    size_of,
)

forks = pytest.mark.skipif(sys.platform != "linux", reason="memory is looked up in /proc")

GOOD = {
    "a.sql": "CREATE VIEW doubled AS SELECT id, amount * 2 AS twice FROM orders WHERE paid",
    "z.sql": "CREATE VIEW last AS SELECT twice FROM doubled",
}
BAD = "CREATE VIEW before AS SELECT id FROM orders;\nCREATE VIEW poison AS SELECT id AS poison FROM orders;"
EDGES = {("orders.amount", "doubled.twice"), ("doubled.twice", "last.twice")}
BESIDE = {("orders.id", "before.id")}
"""the edge of the statement in the same file"""

WAYS = {
    "time": "sum(itertools.repeat(0))",
    "memory": "list(itertools.repeat(0))",
    "crash": "os.kill(os.getpid(), 11)",
}
STAGES = {
    "reading": ("lineal.projects.files", "read_text"),
    "parsing": ("lineal.extract.sql.parse lineal.extract.sql.repairs", "parse_words"),
    "evaluating": ("lineal.resolve.frames", "query"),
    "edges": ("lineal.resolve.output", "name_dataset"),
    "programs": ("lineal.extract.pyspark.program", "Program.enter"),
}
START = """
import itertools, os, sys
from importlib import import_module

modules, name, way = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)
*holders, name = name.split(".")
for module in modules.split():
    holder = import_module(module)
    for each in holders:
        holder = getattr(holder, each)

    def poisoned(*arguments, sound=getattr(holder, name)):
        words = arguments[-1] if name == "parse_words" and arguments[-1] else arguments
        file = getattr(arguments[-1], "script", None)
        if "poison" in f"{words} {file}":
            eval(way)
        return sound(*arguments)

    setattr(holder, name, poisoned)
from lineal.cli import main
main()
"""
LIMITS = {"LINEAL_STATEMENT_TIMEOUT": "0.5", "LINEAL_MEMORY_LIMIT": "300MB", "LINEAL_CACHE": ""}


def environment() -> dict[str, str]:
    return {**os.environ, **LIMITS, "PYTHONPATH": str(Path(lineal.__file__).parents[1])}


def project(path: Path, **files: str) -> Path:
    path.mkdir(exist_ok=True)
    for name, text in {**GOOD, **files}.items():
        (path / name).write_text(text, encoding="utf-8")
    return path


def run(
    stage: str, way: str, *arguments: str | Path, given: str = ""
) -> subprocess.CompletedProcess[str]:
    """A command of which one stage never ends, or worse, over everything that says "poison"."""
    call = [sys.executable, "-c", START, *STAGES[stage], WAYS[way], *map(str, arguments)]
    return subprocess.run(
        call, input=given, capture_output=True, text=True, timeout=120, env=environment()
    )


def edges_of(shown: dict[str, Any]) -> set[tuple[str, str]]:
    return {
        tuple(f"{end['dataset']}.{end.get('column')}" for end in (edge["source"], edge["target"]))
        for edge in shown["edges"]
    }  # type: ignore[misc]


def check_result(result: subprocess.CompletedProcess[str], said: str, file: str, line: int) -> None:
    shown = json.loads(result.stdout)
    failures = [each for each in shown["diagnostics"] if each["severity"] == "error"]
    assert [each["code"] for each in failures] == ["limit-exceeded"]
    assert said in failures[0]["message"]
    assert (Path(failures[0]["place"]["file"]).name, failures[0]["place"]["line"]) == (file, line)
    assert edges_of(shown) >= EDGES
    assert result.returncode == 1 and shown["coverage"]["percent"] < 100


@forks
@pytest.mark.parametrize("stage", ["reading", "parsing", "evaluating", "edges"])
def test_a_statement_that_never_ends(tmp_path: Path, stage: str) -> None:
    folder = project(tmp_path / "sql", **{"poison.sql": BAD})
    result = run(stage, "time", "lineage", folder, "--output", "json")
    check_result(
        result, "takes more than 0.5 s of CPU time", "poison.sql", 1 if stage == "reading" else 2
    )
    if stage != "reading":
        assert edges_of(json.loads(result.stdout)) >= BESIDE
    assert "reading again without it" in result.stderr


@forks
@pytest.mark.parametrize(
    ("way", "said"),
    [("memory", "takes more than 300 MB of memory"), ("crash", "ended the process that read it")],
)
def test_a_statement_that_takes_all_memory_or_ends_its_process(
    tmp_path: Path, way: str, said: str
) -> None:
    folder = project(tmp_path / "sql", **{"poison.sql": BAD})
    check_result(
        run("evaluating", way, "lineage", folder, "--output", "json"), said, "poison.sql", 2
    )


@forks
def test_a_program(tmp_path: Path) -> None:
    job = 'spark.table("orders").select("id").write.saveAsTable("{}")\n'
    files = {"job.py": job.format("fine"), "poison.py": job.format("poison")}
    folder = project(tmp_path / "sql", **files)
    result = run("programs", "time", "lineage", folder, "--output", "json")
    check_result(result, "takes more than 0.5 s of CPU time", "poison.py", 1)
    assert ("orders.id", "fine.id") in edges_of(json.loads(result.stdout))


@forks
def test_standard_input_is_read_once(tmp_path: Path) -> None:
    result = run("evaluating", "time", "lineage", "-", "--output", "json", given=BAD)
    shown = json.loads(result.stdout)
    assert edges_of(shown) == BESIDE and result.returncode == 1
    assert [each["code"] for each in shown["diagnostics"]] == ["limit-exceeded"]


COMMANDS = {
    "show": ("show", "PROJECT", "--no-open", "--out", "PROJECT/page.html"),
    "impact": ("impact", "orders.amount", "PROJECT"),
    "validate": ("validate", "PROJECT"),
    "emit": ("emit", "PROJECT"),
    "store": ("store", "load", "PROJECT", "--store", "PROJECT/lineage.db"),
    "diff": ("diff", "BASE", "PROJECT"),
    "jobs": ("lineage", "PROJECT", "--jobs", "2"),
}


@forks
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command(tmp_path: Path, command: str) -> None:
    folder = project(tmp_path / "sql", **{"poison.sql": BAD})
    base = project(tmp_path / "base")
    words = [
        word.replace("PROJECT", str(folder)).replace("BASE", str(base))
        for word in COMMANDS[command]
    ]
    result = run("evaluating", "time", *words)
    assert result.returncode == 1
    assert (result.stdout + result.stderr).count("takes more than 0.5 s of CPU time") >= 1


WORKERS = """
import sys
from lineal.incremental import parallel
parallel.FEWEST = 10
"""


@forks
def test_a_worker_process(tmp_path: Path) -> None:
    """Only the worker is killed: its parent continues without the statement."""
    views = {
        f"{number}.sql": f"CREATE VIEW v{number} AS SELECT a{number} FROM t" for number in range(40)
    }
    folder = project(tmp_path / "sql", **views, **{"poison.sql": BAD})
    call = [sys.executable, "-c", WORKERS + START, *STAGES["evaluating"], WAYS["time"]]
    result = subprocess.run(
        [*call, "lineage", str(folder), "--output", "json", "--jobs", "2"],
        capture_output=True, text=True, timeout=120, env=environment(),
    )  # fmt: skip
    check_result(result, "takes more than 0.5 s of CPU time", "poison.sql", 2)
    assert edges_of(json.loads(result.stdout)) >= {
        (f"t.a{number}", f"v{number}.a{number}") for number in range(40)
    }
    assert "reading again" not in result.stderr


@forks
def test_a_server_keeps_its_address(tmp_path: Path) -> None:
    folder = project(tmp_path / "sql")
    call = [sys.executable, "-c", START, *STAGES["evaluating"], WAYS["time"]]
    process = subprocess.Popen(
        [*call, "serve", str(folder), "--port", "0", "--no-open"],
        stderr=subprocess.PIPE, text=True, env=environment(),
    )  # fmt: skip
    try:
        assert process.stderr is not None
        address = next(found[1] for line in process.stderr if (found := PAGE.search(line)))
        before = answer_of(address)
        assert before["diagnostics"] == []
        project(folder, **{"poison.sql": BAD})
        time.sleep(0.6)
        found = wait_for_failure(address)
        assert len(found["datasets"][0]) > len(before["datasets"][0])
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)


PAGE = re.compile(r"the page is at (http\S+)")


def answer_of(address: str) -> dict[str, Any]:
    page, _, token = address.partition("?token=")
    request = urllib.request.Request(
        f"{page}api/lineage", headers={"Authorization": f"Bearer {token}"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        found: dict[str, Any] = json.load(answer)
        return found


def wait_for_failure(address: str) -> dict[str, Any]:
    """The first answer that tells of an abandoned statement; connections break in between."""
    for _ in range(300):
        try:
            found = answer_of(address)
        except OSError:
            found = {"diagnostics": []}
        if any(each["code"] == "limit-exceeded" for each in found["diagnostics"]):
            return found
        time.sleep(0.1)
    raise AssertionError("no statement was abandoned")


def test_limits_of_the_command_line(tmp_path: Path) -> None:
    folder = project(tmp_path / "sql")
    call = [sys.executable, "-m", "lineal", "lineage", str(folder), "--memory-limit", "much"]
    result = subprocess.run(
        call, capture_output=True, text=True, env={**environment(), "LINEAL_MEMORY_LIMIT": ""}
    )
    assert result.returncode == 2 and "'much' is not a size" in result.stderr


# -- in a process that nobody watches --------------------------------------------------------------


@pytest.fixture
def little_time() -> Iterator[None]:
    before = current_limits()
    set_limits(Limits(0.2))
    yield
    set_limits(before)


DOUBLING = ", ".join(
    f"c{step} AS (SELECT x.*, y.* FROM c{step - 1} AS x, c{step - 1} AS y)" for step in range(1, 60)
)


def test_the_interface_for_programs_checks_between_queries(little_time: None) -> None:
    texts = {
        "doubling": f"WITH c0 AS (SELECT a, b FROM t), {DOUBLING} SELECT * FROM c59",
        "fine": "SELECT a FROM t",
    }
    found = lineal.lineage(texts)
    assert [each.code for each in found.diagnostics] == [Code.LIMIT_EXCEEDED]
    assert found.coverage.percent is not None and found.coverage.percent < 100
    assert [str(edge.target) for edge in found.edges] == ["fine.a"]


def test_a_task_inside_another_counts_for_itself(little_time: None) -> None:
    with Task("outer") as outer:
        check()
        before = outer.deadline
        with Task("inner"):
            spend(0.15)
            check()
        check()
        assert outer.deadline > before
        spend(0.25)
        with pytest.raises(LimitExceeded, match=r"more than 0\.2 s"):
            check()


def spend(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_long_texts_may_take_longer(little_time: None) -> None:
    assert Task("a", size=1_000).allowance == 0.2
    assert Task("a", size=10 << 20).allowance == pytest.approx(2.0)


def test_the_board_announces_and_abandons_tasks() -> None:
    board, before = Board(), current_limits()
    board.take_slot(0)
    set_limits(Limits(1.0, 1 << 30), board)
    try:
        with Task("a") as task:
            assert [said.key for _, said in board.announcements()] == [task.key]
        assert [said.key for _, said in board.announcements()] == [0]
        assert board.abandon(task.key, Reason.MEMORY) and not board.abandon(task.key, Reason.TIME)
        assert is_abandoned(key_of("a")) and not is_abandoned(key_of("b"))
        with pytest.raises(LimitExceeded, match="more than 1,024 MB of memory"), Task("a"):
            pass
        board.save({"port": 5000})
        board.save({"port": 5001, "token": "x"})
        assert board.saved_values() == {"port": 5001, "token": "x"}
        assert not board.is_committed
        board.commit()
        assert board.is_committed and is_abandoned(key_of("a"))
    finally:
        set_limits(before)


@pytest.mark.parametrize(
    ("text", "size"),
    [("500", 500 << 20), ("4GB", 4 << 30), ("1.5 g", 3 << 29), ("64KiB", 64 << 10), ("0", 0)],
)
def test_sizes(text: str, size: int) -> None:
    assert size_of(text) == size
