"""Runs every command that README and the guides show, as installed: PYTHONPATH=tools python -m
smoke

--list            only list the commands, and what is done with each
--only EXTRA      only the commands of this extra
--keep            keep the environments and workplaces, and say where they are
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from smoke import workplace
from smoke.documents import Unreadable, commands_of, pages
from smoke.environments import Environment, NotInstalled, build_wheel, make_environment
from smoke.plan import (
    BASE,
    EXTRAS,
    Action,
    Answer,
    Notes,
    Parsed,
    Step,
    Uncovered,
    make_plan,
    read_notes,
    refusals,
)
from smoke.processes import at_the_end, end_everything
from smoke.running import INSIDE, Result, Room, Screen, free_port

ROOT = Path(__file__).resolve().parents[2]
NOTES = Path(__file__).with_name("commands.toml")
sys.path.insert(0, str(ROOT / "tests" / "postgres"))  # postgres_server.py

LANES = (("spark",), tuple(extra for extra in EXTRAS if extra != "spark"))
"""The extras whose commands are run one after the other; the lanes go side by side."""


class Work(NamedTuple):
    """What all threads share."""

    folder: Path
    wheel: Path
    notes: Notes
    screen: Screen

    def environment(self, extra: str) -> Environment:
        began = time.monotonic()
        made = make_environment(
            self.folder / "environments" / extra, extra, self.wheel, ROOT / "constraints.txt"
        )
        named = "lineal" if extra == BASE else f"lineal[{extra}]"
        self.screen.show(
            f"  made    {time.monotonic() - began:5.1f} s  {extra:<11} pip install '{named}'"
        )
        return made


def main() -> int:
    options = parse_options()
    began = time.monotonic()
    screen = Screen()
    folder = Path(tempfile.mkdtemp(prefix="lineal-smoke-"))
    at_the_end(lambda: remove(folder))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end_everything)
    try:
        return smoke(options, folder, screen, began)
    except (Uncovered, Unreadable, NotInstalled) as problem:
        screen.show(f"smoke: {problem}")
        return 1
    finally:
        if options.keep:
            screen.show(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def remove(folder: Path) -> None:
    """Removes a folder, although a thread may still be copying into it."""
    for _ in range(3):
        shutil.rmtree(folder, ignore_errors=True)


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="smoke", description="Run every command that the documentation shows."
    )
    parser.add_argument(
        "--list", action="store_true", help="only list the commands, and what is done with each"
    )
    parser.add_argument(
        "--only", choices=EXTRAS, action="append", help="only the commands of this extra"
    )
    parser.add_argument("--keep", action="store_true", help="keep the environments and workplaces")
    return parser.parse_args()


def smoke(options: argparse.Namespace, folder: Path, screen: Screen, began: float) -> int:
    """Everything: 0 if all commands did what they should."""
    wanted = options.only or EXTRAS
    screen.show(f"smoke: {len(commands_of(ROOT))} commands on {len(pages(ROOT))} pages")
    work = Work(folder, build_wheel(ROOT, folder), read_notes(NOTES), screen)
    workplace.prepare(ROOT, folder / "workplace")
    lanes = [[extra for extra in lane if extra in wanted] for lane in LANES]
    with ThreadPoolExecutor(len(lanes)) as threads:
        first = {
            lane[0]: threads.submit(work.environment, lane[0])
            for lane in lanes
            if lane and not options.list
        }
        base = first[BASE].result() if BASE in first else work.environment(BASE)
        steps = make_plan(ROOT, work.notes, lambda requests: ask_parser(base, requests))
        if options.list:
            return list_steps(steps, screen)
        running = [
            threads.submit(run_lane, work, lane, steps, {**first, BASE: finished_future(base)})
            for lane in lanes
            if lane
        ]
        results = [result for lane in running for result in lane.result()]
    return summarize(results, steps, wanted, screen, time.monotonic() - began)


def finished_future(environment: Environment) -> Future[Environment]:
    future: Future[Environment] = Future()
    future.set_result(environment)
    return future


def ask_parser(base: Environment, requests: list[list[str]]) -> Answer:
    """What lineal's own parser says of these arguments, in the base environment."""
    command = [str(base.python), str(INSIDE / "arguments.py")]
    said = subprocess.run(
        command,
        input=json.dumps(requests),
        capture_output=True,
        text=True,
        check=False,
        env=base.variables(base.folder),
    )
    if said.returncode:
        raise NotInstalled(said.stderr)
    answer = json.loads(said.stdout)
    if not Path(answer["lineal"]).is_relative_to(base.folder):
        raise NotInstalled(
            f"{answer['lineal']} is not the lineal that was installed in {base.folder}"
        )
    return Answer([Parsed(*one) for one in answer["found"]], set(answer["options"]))


def run_lane(
    work: Work, lane: Sequence[str], steps: Sequence[Step], made: Mapping[str, Future[Environment]]
) -> list[Result]:
    """The commands of some extras, one after the other."""
    results = []
    for extra in lane:
        environment = made[extra].result() if extra in made else work.environment(extra)
        mine = [
            step
            for step in steps
            if step.extra == extra and step.action in (Action.RUN, Action.CHECK)
        ]
        folder, template = work.folder / "rooms" / extra, work.folder / "workplace"
        with (
            Room(environment, folder, template, work.notes, ROOT) as room,
            provide_server(room) as missing,
        ):
            for step in mine:
                if missing and step.action is Action.RUN:
                    step = step._replace(action=Action.CHECK, reason=missing)
                results.append(room.run(step))
                work.screen.show_result(results[-1])
            for step in refusals(steps) if extra == BASE else ():
                results.append(room.refuse(step))
                work.screen.show_result(results[-1])
    return results


@contextmanager
def provide_server(room: Room) -> Iterator[str]:
    """The server that the commands of an extra need; if there is none, the reason."""
    if room.environment.extra != "postgres":
        yield ""
        return
    import postgres_server

    try:
        programs = postgres_server.found_programs()
    except postgres_server.NoServer as problem:
        yield f"needs a PostgreSQL server: {problem}"
        return
    folder, owner, port = (
        Path(tempfile.mkdtemp(prefix="lineal-postgres-")),
        postgres_server.unprivileged(),
        free_port(),
    )
    at_the_end(lambda: end_server(folder))
    try:
        if owner is not None:
            shutil.chown(folder, owner)
        settings = postgres_server.UNSAFE_AND_FAST
        with postgres_server.running(programs, folder, owner, settings, port) as server:
            failure = room.finished([*room.python("database.py"), server])
            if failure:
                raise NotInstalled(failure)
            room.variables |= {"PGHOSTADDR": "127.0.0.1", "PGPORT": str(port), "PGUSER": "ann"}
            yield ""
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def end_server(folder: Path) -> None:
    """Ends the PostgreSQL server of a folder, whose first line of postmaster.pid is its number."""
    os.kill(int((folder / "data" / "postmaster.pid").read_text().split()[0]), signal.SIGQUIT)
    shutil.rmtree(folder, ignore_errors=True)


def list_steps(steps: Sequence[Step], screen: Screen) -> int:
    for step in steps:
        about = f" ({step.reason})" if step.reason else ""
        text = step.text.strip().splitlines()[0]
        screen.show(f"  {step.action.value:<9} {step.extra:<11} {step.shown.place}  {text}{about}")
    return 0


def summarize(
    results: Sequence[Result],
    steps: Sequence[Step],
    wanted: Sequence[str],
    screen: Screen,
    seconds: float,
) -> int:
    """The last line; what has no result is a failure."""
    covered = {(result.step.shown, result.step.extra) for result in results}
    missing = [
        step
        for step in steps
        if step.action in (Action.RUN, Action.CHECK)
        and step.extra in wanted
        and (step.shown, step.extra) not in covered
    ]
    for step in missing:
        screen.show(f"{step.shown.place}: nothing has run or checked: {step.text}")
    failed = [result for result in results if result.failure]
    ways = Counter(result.way for result in results)
    actions = Counter(step.action for step in steps)
    parts = (
        f"{ways['run'] + ways['shared'] + ways['again']} commands run in {len(wanted)} environments",
        f"{ways['again']} of them again, alone",
        f"{ways['refused']} refused without their extra",
        f"{ways['checked']} only checked",
        f"{actions[Action.MENTION]} mentions, {actions[Action.INSTALL]} of pip, {actions[Action.MAKE]} of make",
        f"{len(failed) + len(missing)} failed",
        f"{seconds:.0f} s",
    )
    screen.show(f"smoke: {'; '.join(parts)}")
    return int(bool(failed or missing))


if __name__ == "__main__":
    sys.exit(main())
