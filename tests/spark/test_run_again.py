"""lineal run a second time: resume, selectors, kills, broken warehouses, two runs at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from little import Run, project, rows, shop

from lineal.graph.graph import UnknownName
from lineal.spark.run.state import WarehouseError, lock_warehouse


def test_resume_keeps_nodes_built_from_the_same_inputs(tmp_path: Path, spark) -> None:
    root = shop(tmp_path, totals_sql="select nonsense from paid\n", other_sql="select 1 as x")
    assert Run(root, spark).status == {
        "orders": "ok",
        "paid": "ok",
        "totals": "failed",
        "other": "ok",
    }
    (root / "nodes/totals/totals.sql").write_text(
        "select customer, sum(amount) as total from paid group by customer"
    )
    again = Run(root, spark, resume=True)
    assert again.summary.green
    assert again.status == {"orders": "kept", "paid": "kept", "totals": "ok", "other": "kept"}
    assert [again[name].rows for name in ("orders", "paid", "totals")] == [3, 2, 1]
    assert again["paid"].agreement is not None and again["paid"].agreement.static == (3, 1)
    assert set(Run(root, spark, resume=True).status.values()) == {"kept"}


def test_resume_rebuilds_nodes_with_changed_inputs(tmp_path: Path, spark) -> None:
    root = shop(tmp_path, other_sql="select 1 as x")
    Run(root, spark, check=False)
    csv = root / "nodes/orders/orders.csv"
    csv.write_text(csv.read_text() + "4,30,1.00,paid\n")
    again = Run(root, spark, resume=True, check=False)
    assert again.status == {"orders": "ok", "paid": "ok", "totals": "ok", "other": "kept"}
    assert len(rows(root, "totals", spark)) == 2
    assert set(Run(root, spark, check=False).status.values()) == {"ok"}


def test_resume_builds_again_what_failed_its_tests(tmp_path: Path, spark) -> None:
    about = "kind: sql\nmaterialized: table\ncolumns: [{name: customer, tests: [{max_value: 5}]}]\n"
    root = shop(tmp_path, totals_yml=about)
    assert Run(root, spark, check=False).status["totals"] == "failed"
    assert Run(root, spark, check=False, resume=True).status == {
        "orders": "kept",
        "paid": "kept",
        "totals": "failed",
    }


# -- selectors -------------------------------------------------------------------------------------


@pytest.fixture
def four(tmp_path: Path) -> Path:
    return shop(tmp_path, last_sql="select total from totals", ids_sql="select id from orders")


@pytest.mark.parametrize(
    ("select", "built"),
    [
        (("+paid",), {"orders", "paid"}),
        (("+totals", "ids"), {"orders", "paid", "totals", "ids"}),
        (("orders+1",), {"orders", "paid", "ids"}),
        (("1+TOTALS+",), {"paid", "totals", "last"}),
        (("orders.amount+",), {"orders", "paid", "totals", "last"}),
    ],
)
def test_selectors(four: Path, spark, select: tuple[str, ...], built: set[str]) -> None:
    assert set(Run(four, spark, select=select, check=False).outcomes) == built


def test_unselected_nodes_are_taken_from_the_warehouse(four: Path, spark) -> None:
    early = Run(four, spark, select=("totals",), check=False)
    assert "it reads paid, which is not in the warehouse: select +totals" in early.fault("totals")
    Run(four, spark, check=False)
    late = Run(four, spark, select=("totals", "last"))
    assert late.summary.green and list(late.outcomes) == ["totals", "last"]


def test_an_unknown_selector_says_what_may_be_meant(four: Path, spark) -> None:
    with pytest.raises(UnknownName, match=r"unknown dataset totls; did you mean totals\?"):
        Run(four, spark, select=("+totls",))


# -- broken warehouses -----------------------------------------------------------------------------


def test_a_table_that_is_cut_off_is_seen_and_built_again(tmp_path: Path, spark) -> None:
    root = shop(tmp_path)
    Run(root, spark, check=False)
    (part,) = (root / ".lineal/warehouse/totals").glob("*/part-*.parquet")
    part.write_bytes(part.read_bytes()[:-10])
    again = Run(root, spark, resume=True, check=False)
    assert again.status == {"orders": "kept", "paid": "kept", "totals": "ok"}
    assert again.notes == [
        "totals is half-written or gone from the warehouse: it is built again when its turn comes"
    ]
    assert len(rows(root, "totals", spark)) == 1


def test_the_rest_of_a_killed_run_is_swept_away(tmp_path: Path, spark) -> None:
    root = shop(tmp_path)
    Run(root, spark, check=False)
    rest = root / ".lineal/warehouse/totals/0123456789ab/_temporary"
    rest.mkdir(parents=True)
    assert Run(root, spark, resume=True, check=False).summary.green
    assert not rest.parent.exists()
    assert len(rows(root, "totals", spark)) == 1


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"format": 1, "entries": {"orders": {"x": 1}}}', '{"format": 99}']
)
def test_a_state_that_cannot_be_read_costs_time_only(tmp_path: Path, spark, content: str) -> None:
    root = project(tmp_path, {"a.sql": "select 1 as x"})
    Run(root, spark, check=False)
    (root / ".lineal/warehouse/state.json").write_text(content)
    assert Run(root, spark, resume=True, check=False).status == {"a": "ok"}


def test_a_read_only_warehouse_is_reported(tmp_path: Path, spark) -> None:
    root = shop(tmp_path / "p")
    (tmp_path / "file").write_text("")
    with pytest.raises(
        WarehouseError, match=r"cannot write to the warehouse .*file/below: Not a directory"
    ):
        Run(root, spark, warehouse=tmp_path / "file" / "below")


def test_two_runs_at_once(tmp_path: Path, spark) -> None:
    root = shop(tmp_path)
    with (
        lock_warehouse(root / ".lineal/warehouse"),
        pytest.raises(
            WarehouseError, match=f"another run is at work on .* \\(process {os.getpid()} on "
        ),
    ):
        Run(root, spark)


# -- the command itself ----------------------------------------------------------------------------


def lineal(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "lineal", "run", *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, **options)


def test_kill_9_in_the_middle_and_resume(tmp_path: Path, spark) -> None:
    endless = "select a.id from totals, range(1000000000) a, range(1000) b where a.id + b.id < 0"
    root = shop(
        tmp_path,
        slow_sql=endless,
        slow_yml="kind: sql\nmaterialized: table\n",
        done_sql="select * from slow",
    )
    quick = "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1"
    process = lineal(str(root), "--threads", "1", "--no-check", "--conf", quick)
    try:
        wait_for(lambda: "totals" in built(root) and any(versions(root, "slow")), process)
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert built(root) >= {"orders", "paid", "totals"}
    (root / "nodes/slow/slow.sql").write_text("select 1 as n")
    again = Run(root, spark, resume=True)
    assert again.summary.green
    assert again.status == {
        "orders": "kept",
        "paid": "kept",
        "totals": "kept",
        "slow": "ok",
        "done": "ok",
    }
    assert rows(root, "slow", spark) == [(1,)]


def wait_for(ready: Any, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 120
    while not ready():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.1)


def built(root: Path) -> set[str]:
    try:
        return set(json.loads((root / ".lineal/warehouse/state.json").read_text())["entries"])
    except (OSError, ValueError):
        return set()


def versions(root: Path, name: str) -> list[Path]:
    return list((root / ".lineal/warehouse" / name).glob("*"))


def test_no_free_port(tmp_path: Path, spark) -> None:
    """The port that is asked for is taken."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = f"spark.driver.port={server.getsockname()[1]}"
        process = lineal(str(shop(tmp_path)), "--conf", port, "--conf", "spark.port.maxRetries=0")
        said, complaint = process.communicate(timeout=240)
    assert process.returncode == 2
    assert said == ""
    assert complaint.startswith("Error: Spark does not start: no free port on this machine")
    assert len(complaint.splitlines()) == 1
