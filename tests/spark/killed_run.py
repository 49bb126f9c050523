"""lineal pipeline …, killed with all that it has started, at a moment.

python killed_run.py file:7 log.jsonl --out out              before it touches files of the output
for the 7th time
python killed_run.py sql:30 log.jsonl --out out --store s    before the 30th statement to the store
python killed_run.py delta:3 log.jsonl --out out             before it makes the 3rd table a Delta
table
python killed_run.py extract:0.5 log.jsonl --out out         half a second after this stage begins
python killed_run.py count log.jsonl --out out               never; but says how many such moments
there are
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import time
from pathlib import Path
from threading import Thread
from typing import Any

from lineal.cli import main
from lineal.spark.pipeline import output, parts, resolve
from lineal.spark.pipeline import stages as pipeline

TOUCHED = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "shutil.rmtree")
seen = {"file": 0, "sql": 0, "delta": 0}


def moment(kind: str, wanted: str) -> None:
    seen[kind] += 1
    if wanted == f"{kind}:{seen[kind]}":
        kill()


def kill() -> None:
    os.killpg(0, signal.SIGKILL)
    time.sleep(60)  # the end of everything is a moment away


def files_of(folder: Path, wanted: str) -> None:
    def hook(event: str, about: tuple[Any, ...]) -> None:
        if event not in TOUCHED or (event == "open" and about[1] in ("r", "rb")):
            return
        if isinstance(about[0], (str, Path)) and Path(about[0]).is_relative_to(folder):
            moment("file", wanted)

    sys.addaudithook(hook)


def statements_of(wanted: str) -> None:
    connect = sqlite3.connect

    def connected(*about: Any, **more: Any) -> Any:
        made = connect(*about, **more)
        made.set_trace_callback(lambda statement: moment("sql", wanted))
        return made

    sqlite3.connect = connected  # type: ignore[assignment]


def conversions_of(wanted: str) -> None:
    convert = output.Output.convert

    def converted(self: Any, *about: Any) -> None:
        moment("delta", wanted)
        convert(self, *about)

    output.Output.convert = converted  # type: ignore[method-assign]


def stages_of(wanted: str) -> None:
    name, _, seconds = wanted.partition(":")
    stage = pipeline.Run.stage

    def timed(self: Any, begun: str, work: Any) -> Any:
        if begun == name:
            Thread(target=lambda: (time.sleep(float(seconds)), kill()), daemon=True).start()
        return stage(self, begun, work)

    pipeline.Run.stage = timed  # type: ignore[method-assign]


if __name__ == "__main__":
    wanted, arguments = sys.argv[1], sys.argv[2:]
    resolve.FEWEST = parts.PER_PART = 8
    files_of(Path(arguments[arguments.index("--out") + 1]).absolute(), wanted)
    statements_of(wanted)
    conversions_of(wanted)
    stages_of(wanted)
    try:
        main(["pipeline", *arguments])
    finally:
        print(f"{seen['file']} {seen['sql']}", file=sys.stderr)
