"""Read mutants of every format until the time is over, and print what is wrong, shrunk.

    python tools/hunt_mutants.py --seconds 600 --seed 7 --processes 2 --formats sql,pyspark

A round is some mutants of one format. The state of the rounds is in a file, so that the same
command goes on where it was stopped. A process that does not come back from a mutant is killed,
and the mutant is a finding. The exit code is 1 if anything is found.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from random import randrange
from typing import Any

HERE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HERE / "tests")]

from fuzz.mutants import Mutant  # noqa: E402
from fuzz.rounds import Round  # noqa: E402
from fuzz.seeds import FORMATS  # noqa: E402
from fuzz.verdicts import Bench  # noqa: E402

SHARES = {
    "sql": 400,
    "pyspark": 150,
    "notebook": 40,
    "log-csv": 60,
    "log-json": 40,
    "log-jsonl": 60,
    "lineal-project": 20,
    "dbt-project": 8,
    "schema": 60,
    "manifest": 40,
    "event": 80,
    "saved": 40,
    "dataframes": 120,
    "embedded": 60,
    "sqlmesh": 60,
    "dataform": 80,
    "consumers": 10,
    "policy": 60,
    "draft": 30,
    "unused": 40,
}
"""How many mutants of each format a round has: those that need other processes are few."""

SILENCE = 240
"""Seconds of CPU time after which a process that has not begun another mutant counts as hanging.
A machine that is busy with other work lets a process wait for minutes.
"""


TELL_EVERY = 30


class State:
    """What was read and found, in a file."""

    def __init__(self, file: Path, seed: str) -> None:
        self.file = file
        self.data: dict[str, Any] = {"seed": seed, "next": 0, "read": {}, "found": {}, "first": {}}
        if file.exists():
            self.data = json.loads(file.read_text(encoding="utf-8"))

    def save(self) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        beside = self.file.with_suffix(".new")
        beside.write_text(json.dumps(self.data, indent=1), encoding="utf-8")
        beside.replace(self.file)

    @property
    def read(self) -> int:
        return sum(self.data["read"].values())

    def add(self, format: str, read: int, found: dict[str, str], times: dict[str, int]) -> None:
        """A round is over."""
        self.data["read"][format] = self.data["read"].get(format, 0) + read
        for signature, text in found.items():
            key = f"{format} {signature}"
            if key not in self.data["found"]:
                self.data["found"][key] = text
                print(f"\n-- {key}\n{text}\n", flush=True)
            self.data["first"][key] = self.data["first"].get(key, 0) + times.get(signature, 1)
        self.save()


def rounds(formats: list[str], first: int) -> Iterator[tuple[int, str]]:
    """The formats in turn, numbered, from a number on."""
    number = first
    while True:
        yield number, formats[number % len(formats)]
        number += 1


def work(pipe: Connection, folder: str, current: str) -> None:
    """Run the rounds that arrive; the mutant that is being read is in a file."""
    where = Path(tempfile.mkdtemp(dir=folder))
    bench = Bench(where / "bench")

    def report_start(mutant: Mutant) -> None:
        Path(current).write_text(str(mutant), encoding="utf-8", errors="surrogateescape")

    while True:
        try:
            format, seed, count, known = pipe.recv()
        except EOFError:
            shutil.rmtree(where, ignore_errors=True)
            return
        made = Round(format, seed, count)
        made.run(bench, frozenset(known), report_start)
        found = {
            signature: f"{each.finding}\n{each.mutant}\n{each.trace}"
            for signature, each in made.found.items()
        }
        pipe.send((format, made.read, found, made.times))


def cpu_time_of(process: int | None) -> float:
    """The seconds of CPU time that a process has used; the time of day where nobody tells."""
    try:
        fields = (
            Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        )
    except OSError:
        return time.time()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Worker:
    """A process that runs rounds, and can be replaced."""

    def __init__(self, folder: Path, number: int) -> None:
        self.folder, self.number = folder, number
        self.current = folder / f"current-{number}"
        self.start()

    def start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.current.write_text("", encoding="utf-8")
        self.process: SpawnProcess = context.Process(
            target=work, args=(other, str(self.folder), str(self.current)), daemon=True
        )
        self.process.start()
        other.close()
        self.format = ""
        self.mark = (0.0, 0.0)
        """when the mutant at hand was begun, and the CPU time of the process then"""

    def send(self, format: str, seed: str, count: int, known: list[str]) -> None:
        self.format = format
        self.pipe.send((format, seed, count, known))
        os.utime(self.current)

    @property
    def is_silent(self) -> bool:
        begun, used = self.current.stat().st_mtime, cpu_time_of(self.process.pid)
        if begun != self.mark[0]:
            self.mark = begun, used
        return used - self.mark[1] > SILENCE

    def replace(self) -> str:
        """End the process, start another one, and say what the first was reading."""
        self.process.kill()
        self.process.join()
        text = self.current.read_text(encoding="utf-8", errors="replace")
        self.start()
        return text


def hunt(options: argparse.Namespace, state: State, folder: Path) -> None:
    """Keep every process busy until the time is over."""
    formats = options.formats.split(",") if options.formats else list(FORMATS)
    queue = rounds(formats, state.data["next"])
    workers = [Worker(folder, number) for number in range(options.processes)]
    end = time.monotonic() + options.seconds
    begun, before = time.monotonic(), state.read
    told = begun
    busy: set[Worker] = set()
    while True:
        for worker in workers:
            if worker not in busy and time.monotonic() < end:
                number, format = next(queue)
                count = max(1, SHARES[format] * options.size // 100)
                known = [key.partition(" ")[2] for key in state.data["found"]]
                worker.send(format, f"{state.data['seed']}-{number}", count, known)
                state.data["next"] = number + 1
                busy.add(worker)
        if not busy:
            return
        wait([worker.pipe for worker in busy], timeout=5)
        for worker in list(busy):
            if finish(worker, state):
                busy.remove(worker)
        if time.monotonic() - told > TELL_EVERY:
            told = time.monotonic()
            rate = (state.read - before) / (told - begun)
            found = len(state.data["found"])
            print(f"{state.read} inputs, {rate:.1f} a second, {found} findings", flush=True)


def finish(worker: Worker, state: State) -> bool:
    """Whether a process has finished its round, or will never."""
    if worker.pipe.poll():
        try:
            state.add(*worker.pipe.recv())
            return True
        except EOFError:
            pass
    elif worker.process.is_alive() and not worker.is_silent:
        return False
    how = "hang" if worker.process.is_alive() else f"process ended ({worker.process.exitcode})"
    format = worker.format
    text = worker.replace()
    state.add(format, 1, {f"{how} {hash(text)}": f"{how}\n{text}"}, {})
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600, help="how long to go on")
    parser.add_argument("--seed", default=str(randrange(10**9)), help="draw the same mutants again")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--formats", default="", help=f"some of {', '.join(FORMATS)}")
    parser.add_argument("--size", type=int, default=100, help="per cent of the usual round")
    parser.add_argument("--state", type=Path, help="the file to go on from")
    options = parser.parse_args()
    state = State(options.state or HERE / ".cache" / "fuzz" / f"{options.seed}.json", options.seed)
    print(f"SEED={state.data['seed']} state={state.file}", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="lineal-fuzz-"))
    try:
        hunt(options, state, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for format, read in sorted(state.data["read"].items()):
        keys = [key for key in state.data["found"] if key.startswith(f"{format} ")]
        times = sum(state.data["first"].get(key, 0) for key in keys)
        print(f"{format:16} {read:8} inputs {len(keys):4} findings {times:6} mutants with one")
    return 1 if state.data["found"] else 0


if __name__ == "__main__":
    sys.exit(main())
