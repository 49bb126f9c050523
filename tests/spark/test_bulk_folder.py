"""The folder of an output: one run at a time, only ours, here or elsewhere."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from logbook import contents, rows, table, write_json

from lineal.spark.pipeline import BulkError, Options, guard, run
from lineal.spark.pipeline.state import open_state
from lineal.store.outputs import TABLES


def test_a_child_does_not_outlive_its_parent(tmp_path: Path) -> None:
    read, write = os.pipe()

    def work(items: list[int], note: Any) -> list[int]:
        if items:
            os.write(write, str(os.getpid()).encode())
            time.sleep(600)
        return items

    parent = os.fork()
    if not parent:
        guard.run_guarded(work, [1], 600)
        os._exit(0)
    child = int(os.read(read, 20))
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    for _ in range(100):
        if (
            not Path(f"/proc/{child}").exists()
            or "zombie" in Path(f"/proc/{child}/status").read_text()
        ):
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the child lives on")


@pytest.mark.parametrize(
    "others",
    [
        {"manifest.json": '{"metadata": {"dbt_version": "1.9"}}', "run_results.json": "{}"},
        {"manifest.json": "no JSON"},
        {"manifest.json": "[1]"},
        {"thesis.txt": "years of work"},
    ],
)
def test_a_folder_of_another_program_is_left_alone(tmp_path: Path, others: dict[str, str]) -> None:
    for name, text in others.items():
        (tmp_path / name).write_text(text)
    for fresh in (False, True):
        with (
            pytest.raises(BulkError, match="has other things in it: name a new folder"),
            open_state(tmp_path, fresh=fresh),
        ):
            pass
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == others


def test_starting_over_leaves_other_files(spark: Any, tmp_path: Path) -> None:
    log, out = write_json(tmp_path / "log.jsonl", rows(9)), tmp_path / "out"
    run(Options((log,), out), spark)
    expected = contents(out)
    (out / "README.md").write_text("what this is")
    (out / "manifest.json").write_text("torn")
    with pytest.raises(
        BulkError, match=r"manifest.json that cannot be read: start over with --fresh"
    ):
        run(Options((log,), out), spark)
    run(Options((log,), out, fresh=True), spark)
    assert contents(out) == expected | {"README.md": b"what this is"}


def test_the_closure_of_an_earlier_run_does_not_stay(spark: Any, tmp_path: Path) -> None:
    log, out = write_json(tmp_path / "log.jsonl", rows(9)), tmp_path / "out"
    run(Options((log,), out), spark)
    manifest = json.loads((out / "manifest.json").read_text())
    assert {name: said["rows"] for name, said in manifest["tables"].items()} == {
        name: len(table(out, name)) for name in (*TABLES, "nodes", "closure")
    }
    run(Options((log,), out, closure=False), spark)
    assert not (out / "closure").exists() and not (out / "nodes").exists()
    assert "closure" not in json.loads((out / "manifest.json").read_text())["tables"]


# -- addresses -------------------------------------------------------------------------------------


def without_checksums(folder: Path) -> dict[str, bytes]:
    """Hadoop's own local file system keeps them next to its files."""
    return {name: data for name, data in contents(folder).items() if not name.endswith(".crc")}


def test_a_folder_of_hadoop(spark: Any, tmp_path: Path) -> None:
    log = write_json(tmp_path / "log.jsonl", rows(70))
    run(Options((log,), tmp_path / "here"), spark)
    here = contents(tmp_path / "here")
    conf = spark._jsc.hadoopConfiguration()
    conf.set("fs.viewfs.mounttable.default.link./store", f"file://{tmp_path}")
    address = "viewfs:///store"
    there = tmp_path / "deep" / "out"

    first = run(Options((f"{address}/log.jsonl",), f"{address}/deep/out"), spark)
    assert first.parsed and without_checksums(there) == here
    again = run(Options((log,), f"{address}/deep/out/"), spark)
    assert again.parsed == 0 and without_checksums(there) == here

    (there / "manifest.json").unlink()  # killed between two steps
    (there / "_records" / "torn.records").write_bytes(b"half of a file")
    (there / "_unfinished" / "edges").mkdir(parents=True)
    run(Options((log,), f"{address}/deep/out"), spark)
    assert without_checksums(there) == here

    with pytest.raises(BulkError, match="viewfs:///store has other things in it"):
        run(Options((log,), address), spark)
    with pytest.raises(BulkError, match="is a file: name a folder"):
        run(Options((log,), f"{address}/log.jsonl"), spark)


def test_addresses_of_this_machine(spark: Any, tmp_path: Path) -> None:
    strange = tmp_path / "it's 100% [mine] {a,b}*"
    strange.mkdir()
    log = write_json(strange / "log ?.jsonl", rows(9))
    strange_out = tmp_path / "out {a,b} [c]"
    run(Options((log,), strange_out), spark)
    run(Options((f"file://{strange}",), f"file://{tmp_path}/out"), spark)
    assert contents(tmp_path / "out") == contents(strange_out)
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["rows"] == 9
    with pytest.raises(BulkError, match="file://data/out names a machine"):
        run(Options((log,), "file://data/out"), spark)


@pytest.mark.parametrize(
    ("address", "says"),
    [
        (
            "gs://bucket/x",
            r"gs://bucket/x.*GoogleHadoopFileSystem not found: name the package of its connector with --conf",
        ),
        ("klingon://x/y", r"klingon://x/y.*No FileSystem for scheme .?klingon.?: name the package"),
        ("s3a://bucket/x", r"s3a://bucket/x.*S3AFileSystem not found: name the package"),
        ("hdfs://127.0.0.1:1/x", r"hdfs://127.0.0.1:1/x.*(refused|failed)"),
    ],
)
def test_addresses_that_cannot_be_reached(
    spark: Any, tmp_path: Path, address: str, says: str
) -> None:
    log = write_json(tmp_path / "log.jsonl", rows(3))
    spark._jsc.hadoopConfiguration().set("ipc.client.connect.max.retries", "0")
    with pytest.raises(BulkError, match=says):
        run(Options((log,), address), spark)
    with pytest.raises(BulkError, match=says):
        run(Options((address,), tmp_path / "out", format="parquet"), spark)


def test_an_output_in_its_own_log(spark: Any, tmp_path: Path) -> None:
    write_json(tmp_path / "log.jsonl", rows(3))
    with pytest.raises(
        BulkError,
        match=r"out is inside .*, and the next run would read it: choose a folder outside",
    ):
        run(Options((str(tmp_path),), tmp_path / "out"), spark)


def test_scripts_that_are_elsewhere(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(
        BulkError,
        match=r"s3a://bucket/models is not on this machine: scripts are read by the driver",
    ):
        run(Options(("s3a://bucket/models",), tmp_path / "out", format="files"), spark)
