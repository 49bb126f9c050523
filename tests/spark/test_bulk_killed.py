"""A driver that is killed with everything it has started: the same command gives what it would have
given. The killed runs resolve the log in parts, the other one as a whole.

LINEAL_TEST_KILLS=20 kills it at so many moments more, in all stages.
"""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from logbook import contents, rows, write_json

from lineal.cli import main
from lineal.spark.pipeline import parts, resolve, ship

MOMENTS = ("extract:0.5", "file:30", "sql:40")
"""While executors read; while tables are put in their places; while the store is written."""

MORE = int(os.environ.get("LINEAL_TEST_KILLS", "0"))
QUICK = "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("killed")


@pytest.fixture(scope="module")
def whole(spark: Any, folder: Path) -> tuple[str, dict[str, bytes], list[Any]]:
    """A log, and its output and store when nobody disturbs."""
    log = write_json(folder / "log.jsonl", [*rows(150), *alone(20)])
    undisturbed(spark, log, folder / "whole", per_part=1_000)
    return log, contents(folder / "whole"), rows_of(folder / "whole.db")


def alone(count: int) -> list[dict[str, Any]]:
    """Statements that have no table in common with any other."""
    return [
        {
            **rows(1)[0],
            "query_text": f"SELECT a, b{at} FROM raw.alone{at}",
            "query_id": f"alone{at}",
        }
        for at in range(count)
    ]


def arguments(log: str, out: Path) -> list[str]:
    return [log, "--out", str(out), "--store", str(out.with_suffix(".db")), "--namespace", "shop"]


def undisturbed(spark: Any, log: str, out: Path, per_part: int = 8) -> None:
    @contextmanager
    def started(*_: object) -> Iterator[Any]:
        yield spark

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ship, "start_session", started)
        patched.setattr(resolve, "FEWEST", 8)
        patched.setattr(parts, "PER_PART", per_part)
        done = CliRunner().invoke(main, ["pipeline", *arguments(log, out)])
    assert done.exit_code == 0, done.output


def killed(moment: str, log: str, out: Path) -> tuple[int, str]:
    """How it ended, and what it said, when it was killed at the moment."""
    script = Path(__file__).with_name("killed_run.py")
    command = [
        sys.executable,
        str(script),
        moment,
        *arguments(log, out),
        "--master",
        "local[2]",
        "--conf",
        QUICK,
    ]
    run = subprocess.run(
        command, capture_output=True, text=True, start_new_session=True, check=False
    )
    return run.returncode, run.stderr


def rows_of(store: Path) -> list[Any]:
    """All rows of a store, without their times."""
    with sqlite3.connect(store) as database:
        names = [
            name
            for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        told = {
            name: sorted(database.execute(f'SELECT * FROM "{name}"'), key=repr)
            for name in sorted(names)
        }
    for name in ("runs", "versions"):
        told[name] = [re.sub(r"'\d{4}-\d\d-\d\dT[^']*'", "", repr(row)) for row in told[name]]
    return list(told.items())


def assert_it_goes_on(
    spark: Any, moment: str, whole: tuple[str, dict[str, bytes], list[Any]], out: Path
) -> None:
    log, expected, told = whole
    status, said = killed(moment, log, out)
    assert status == -signal.SIGKILL, said
    undisturbed(spark, log, out)
    assert contents(out) == expected
    assert rows_of(out.with_suffix(".db")) == told


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_driver_that_is_killed(
    spark: Any, whole: tuple[str, dict[str, bytes], list[Any]], tmp_path: Path, moment: str
) -> None:
    assert_it_goes_on(spark, moment, whole, tmp_path / "out")


@pytest.mark.skipif(MORE == 0, reason="LINEAL_TEST_KILLS says how many")
def test_at_many_moments(
    spark: Any, whole: tuple[str, dict[str, bytes], list[Any]], tmp_path: Path
) -> None:
    status, said = killed("count", whole[0], tmp_path / "counted")
    assert status == 0, said
    touched, told = map(int, said.split()[-2:])
    assert contents(tmp_path / "counted") == whole[1]
    stages = ["read:0.3", "read:1", "extract:0.1", "extract:1", "closure:0.1", "closure:0.4"]
    among = [f"file:{1 + at * touched // MORE}" for at in range(MORE)]
    into_store = [f"sql:{1 + at * told // 5}" for at in range(5)]
    for number, moment in enumerate([*stages, *among, *into_store]):
        print(moment, flush=True)
        assert_it_goes_on(spark, moment, whole, tmp_path / str(number))
