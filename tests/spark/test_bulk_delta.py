"""Where the session has Delta, the tables are Delta tables over the same files. Run by `make
test-delta`.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow.parquet as pq
import pytest
from lakes import SMALL, needs_delta, settings
from logbook import contents, rows, write_json

from lineal.spark.pipeline import Options, output, resolve, run
from lineal.spark.pipeline.follow import Following, follow

pytestmark = needs_delta

LESS, MORE = 60, 90
"""Rows of the log, before and after it has grown."""


@pytest.fixture(autouse=True)
def _few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolve, "FEWEST", 8)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], str]:
    folder = tmp_path_factory.mktemp("logs")
    return lambda count: write_json(folder / f"{count}.jsonl", rows(count))


@pytest.fixture(scope="module")
def plain(
    spark: Any, logs: Callable[[int], str], tmp_path_factory: pytest.TempPathFactory
) -> dict[int, Path]:
    """The outputs of a session that has no Delta."""
    folder = tmp_path_factory.mktemp("plain")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(output, "DELTA", "an extension that nobody has")
        for count in (LESS, MORE):
            run(Options((logs(count),), folder / str(count)), spark)
    return {count: folder / str(count) for count in (LESS, MORE)}


def assert_same(spark: Any, out: Path, plain: Path) -> None:
    """The same files, and the same rows by Delta's own account."""
    assert {
        name: data for name, data in contents(out).items() if "_delta_log" not in name
    } == contents(plain)
    for name in output.NAMES:
        assert in_log(out / name) == sorted(filter(has_rows, (out / name).rglob("part-*.parquet")))
        told = spark.read.format("delta").load(str(out / name))
        assert in_order(told) == in_order(spark.read.parquet(str(plain / name)))


def in_log(table: Path) -> list[Path]:
    """The files that Delta takes for the table's: those that have rows."""
    told = [
        json.loads(line)
        for log in table.glob("_delta_log/*.json")
        for line in log.read_text().splitlines()
    ]
    return sorted(table / unquote(action["add"]["path"]) for action in told if "add" in action)


def has_rows(file: Path) -> bool:
    return bool(pq.read_metadata(file).num_rows)


def in_order(table: Any) -> list[str]:
    columns = sorted(table.columns)
    return sorted(repr(row) for row in table.select(*columns).collect())


def test_a_log_that_grows_and_one_that_does_not(
    spark: Any, logs: Callable[[int], str], plain: dict[int, Path], tmp_path: Path
) -> None:
    out = tmp_path / "out `put"
    parsed = []
    for count in (LESS, MORE, MORE):
        parsed.append(run(Options((logs(count),), out), spark).parsed)
        assert_same(spark, out, plain[count])
    first, grown, unchanged = parsed
    assert first > grown > unchanged == 0


@pytest.mark.parametrize("moment", ["delta:3", "file:30"])
def test_a_killed_run_continues(
    spark: Any, logs: Callable[[int], str], plain: dict[int, Path], tmp_path: Path, moment: str
) -> None:
    """Before the third table is one of Delta; while tables are put in their places."""
    out = tmp_path / "out"
    script = Path(__file__).with_name("killed_run.py")
    of_session = {**SMALL, **settings("LINEAL_TEST_DELTA")}
    conf = [part for key, value in of_session.items() for part in ("--conf", f"{key}={value}")]
    command = [
        sys.executable,
        str(script),
        moment,
        logs(LESS),
        "--out",
        str(out),
        "--master",
        "local[2]",
        *conf,
    ]
    killed = subprocess.run(
        command, capture_output=True, text=True, start_new_session=True, timeout=900, check=False
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    run(Options((logs(LESS),), out), spark)
    assert_same(spark, out, plain[LESS])


@pytest.mark.usefixtures("closed_callbacks")
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
def test_a_table_of_query_events_is_followed(
    spark: Any, tmp_path: Path, logs: Callable[[int], str], plain: dict[int, Path]
) -> None:
    """Rows are appended between two looks; in the end the output is that of one run."""
    events = str(tmp_path / "events")
    options = Options((events,), tmp_path / "out", format="delta")
    for start, end in ((0, LESS), (LESS, MORE)):
        frame = spark.createDataFrame(rows(MORE)[start:end])
        frame.write.format("delta").mode("append").save(events)
        found = follow(options, Following(every=None), spark)
        assert found is not None and found.rows == end
    tables = {name for name in contents(tmp_path / "out") if not name.startswith("_")}
    data = {name for name in tables if "_delta_log" not in name}
    for name in data:
        assert (tmp_path / "out" / name).read_bytes() == (plain[MORE] / name).read_bytes(), name
