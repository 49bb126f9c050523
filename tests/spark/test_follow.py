"""A history that is followed as it grows: in the end its output is that of one run over all of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from logbook import contents, rows, write_json

from lineal.spark.pipeline import BulkError, Options, history, resolve, run
from lineal.spark.pipeline.follow import Following, follow
from lineal.spark.pipeline.stages import Run, Summary

CALLBACKS = [
    pytest.mark.usefixtures("closed_callbacks"),
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]
"""py4j closes no socket when the thread of a batch ends."""

pytestmark = CALLBACKS

NOW = Following(every=None)


@pytest.fixture(autouse=True)
def _few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolve, "FEWEST", 8)


class Killed(Exception):
    pass


@pytest.fixture(scope="module")
def whole(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The output of one run over all rows."""
    folder = tmp_path_factory.mktemp("whole")
    log = write_json(folder / "log.jsonl", rows(90))
    run(Options((log,), folder / "out"), spark)
    return tables_in(folder / "out")


def tables_in(out: Path) -> dict[str, bytes]:
    """The files of the tables; what a stream keeps for itself is not among them."""
    return {name: data for name, data in contents(out).items() if not name.startswith("_")}


def grow(folder: Path, start: int, end: int) -> None:
    folder.mkdir(exist_ok=True)
    write_json(folder / f"rows-{start}.jsonl", rows(90)[start:end])


def test_files_that_come_one_after_the_other(
    spark: Any, tmp_path: Path, whole: dict[str, bytes]
) -> None:
    log, out = tmp_path / "history", tmp_path / "out"
    told: list[tuple[int, int]] = []

    def after(number: int, summary: Summary) -> None:
        told.append((number, summary.rows))

    def followed() -> Summary | None:
        return follow(Options((str(log),), out), NOW, spark, after=after)

    grow(log, 0, 50)
    (log / "README.md").write_text("not a log")
    first = followed()
    grow(log, 50, 90)
    second = followed()
    assert first is not None and second is not None
    assert told == [(0, 50), (1, 90)]
    assert second.parsed < second.statements
    assert tables_in(out) == whole
    assert followed() is None


def test_a_batch_that_is_killed_counts_once(
    spark: Any, tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed after it was counted, after its tables were written, and before it was reported."""
    log, out = tmp_path / "history", tmp_path / "out"
    options = Options((str(log),), out)
    grow(log, 0, 40)
    follow(options, NOW, spark)
    grow(log, 40, 90)

    for owner, name in ((history.History, "read"), (Run, "all"), (history.History, "settle")):
        with monkeypatch.context() as patched:
            patched.setattr(owner, name, killed_after(getattr(owner, name)))
            with pytest.raises(Killed):
                follow(options, NOW, spark)

    found = follow(options, NOW, spark)
    assert found is not None and found.rows == 90
    assert tables_in(out) == whole


def killed_after(work: Callable[..., Any]) -> Callable[..., Any]:
    def killed(*arguments: Any) -> Any:
        work(*arguments)
        raise Killed

    return killed


def test_many_batches_are_added_up(
    spark: Any, tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "MOST_PARTS", 1)
    log, out = tmp_path / "history", tmp_path / "out"
    options = Options((str(log),), out)
    for start in (0, 30, 60):
        grow(log, start, start + 30)
        follow(options, NOW, spark)
    assert tables_in(out) == whole
    parts = {each.name for each in (out / "_history").iterdir() if each.is_dir()}
    assert parts == {"upto-2"}


def test_a_stream_is_followed_as_it_grows(spark: Any, tmp_path: Path) -> None:
    """Files that come while it runs are merged; it ends when it is stopped."""
    log, out = tmp_path / "history", tmp_path / "out"
    grow(log, 0, 20)
    seen: list[int] = []

    class Enough(Exception):
        pass

    def after(number: int, summary: Summary) -> None:
        seen.append(summary.rows)
        if summary.rows == 50:
            raise Enough
        grow(log, 20, 50)

    with pytest.raises(Enough):
        follow(Options((str(log),), out), Following(every=0.1), spark, after=after)
    assert seen == [20, 50]


def test_inputs_that_cannot_be_followed_are_refused(spark: Any, tmp_path: Path) -> None:
    log, out = tmp_path / "history", tmp_path / "out"
    grow(log, 0, 9)
    file = str(log / "rows-0.jsonl")

    def refused(paths: tuple[str, ...], out: Path, **more: Any) -> str:
        with pytest.raises(BulkError) as found:
            follow(Options(paths, out, **more), NOW, spark)
        return str(found.value)

    assert "is a file" in refused((file,), out)
    assert "no such folder" in refused((str(tmp_path / "missing"),), out)
    assert "spark-sql-kafka-0-10_2.13" in refused(("kafka://localhost:1/topic",), out)
    assert "followed alone" in refused(("kafka://localhost:1/topic", str(log)), out)
    assert "folder of scripts" in refused((str(log),), out, format="files")
    assert "no preset nobody" in refused((str(log),), out, preset="nobody")


def test_streams_and_runs_do_not_share_a_folder(spark: Any, tmp_path: Path) -> None:
    log, stream, plain = tmp_path / "history", tmp_path / "stream", tmp_path / "plain"
    grow(log, 0, 9)
    follow(Options((str(log),), stream), NOW, spark)
    with pytest.raises(BulkError, match="output of a stream"):
        run(Options((str(log),), stream), spark)
    with pytest.raises(BulkError, match="with other options"):
        follow(Options((str(log),), stream, log=(("user", "query_id"),)), NOW, spark)

    run(Options((str(log),), plain), spark)
    with pytest.raises(BulkError, match="without a stream"):
        follow(Options((str(log),), plain), NOW, spark)
    found = follow(Options((str(log),), plain, fresh=True), NOW, spark)
    assert found is not None and found.rows == 9


def test_the_source_is_asked_before_anything_is_written(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(BulkError):
        follow(Options((str(tmp_path / "missing"),), tmp_path / "out"), NOW, spark)
    assert not (tmp_path / "out" / "_history").exists()
