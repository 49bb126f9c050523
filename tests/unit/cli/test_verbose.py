"""-v: a line on standard error for each statement as it is evaluated, and the total."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lineal.cli import main
from lineal.cli.bar import FEWEST

SHOP = str(Path(__file__).resolve().parents[3] / "examples" / "shop")
LINE = re.compile(
    r" *(\d+)/(\d+)  (\S+)  (?:(\d+) of (\d+) columns? resolved( \(.*\))?|no column named|failed)"
)


def run(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(main, [*arguments], input=text)


def told(result: Result) -> tuple[list[re.Match[str]], list[str]]:
    """The lines of the statements, and those of the ledger."""
    lines = result.stderr.splitlines()
    end = next(at for at, line in enumerate(lines) if line.startswith("files: "))
    found = [LINE.fullmatch(line) for line in lines[:end]]
    assert all(found), lines[:end]
    return [each for each in found if each is not None], lines[end:]


@pytest.mark.parametrize("options", [(), ("--no-cache",)])
def test_each_model_is_listed_once_with_its_columns(options: tuple[str, ...]) -> None:
    result = run("lineage", SHOP, "-v", *options)
    lines, ledger = told(result)
    count = len(lines)
    assert [int(line[1]) for line in lines] == list(range(1, count + 1))
    assert {int(line[2]) for line in lines} == {count}
    assert {"stg_orders", "fct_orders", "rpt_order_volume"} <= {line[3] for line in lines}
    resolved, named = (sum(int(line[group] or 0) for line in lines) for group in (4, 5))
    assert f"statements: {count} found → {count} parsed → {count} evaluated" in ledger
    assert f"columns: {named} named → {resolved} resolved" in ledger


def test_the_result_is_the_same_and_the_second_time_as_well() -> None:
    plain = run("lineage", SHOP, "--output", "json")
    loud = [run("lineage", SHOP, "--output", "json", "-v") for _ in range(2)]
    assert {each.stdout for each in loud} == {plain.stdout}
    assert plain.stderr == ""
    assert loud[0].stderr == loud[1].stderr != ""


def test_late_decisions_are_listed_with_their_final_result() -> None:
    """Which table has b is only known when all is read: then the counts are those of the end."""
    lines, ledger = told(
        run(
            "lineage", "-", "-v", text="SELECT a, b FROM t, u; SELECT u.b FROM u; SELECT t.a FROM t"
        )
    )
    assert sorted(line[0].split("  ", 2)[2] for line in lines) == ["1 of 1 column resolved"] * 2 + [
        "2 of 2 columns resolved"
    ]
    assert "columns: 4 named → 4 resolved" in ledger


def test_doubts_are_counted() -> None:
    lines, ledger = told(
        run("lineage", "-", "-v", text="SELECT a FROM t, u; SELECT * FROM t; SELECT 1 AS one")
    )
    assert sorted(line[0].split("  ", 2)[2] for line in lines) == [
        "0 of 1 column resolved (1 ambiguous)", "no column named", "no column named",
    ]  # fmt: skip
    at = ledger.index("columns: 2 named → 0 resolved")
    assert ledger[at + 1 : at + 3] == ["  not resolved: 1 ambiguous", "  not resolved: 1 open"]


def test_a_store_reports_what_it_loads(tmp_path: Path) -> None:
    (tmp_path / "v.sql").write_text(
        "CREATE VIEW v AS SELECT a, sum(b) AS c FROM t GROUP BY a", encoding="utf-8"
    )
    store = str(tmp_path / "s.db")
    result = run("store", "load", str(tmp_path / "v.sql"), "--store", store, "-v")
    assert result.stderr.splitlines() == [
        "1/1  v  3 of 3 columns resolved",
        "files: 1 found → 1 due → 1 read → 1 rendered",
        "statements: 1 found → 1 parsed → 1 evaluated",
        "columns: 3 named → 3 resolved",
        "coverage 100 %: 1 file, 1 statement, 3 columns",
    ]  # fmt: skip
    assert result.stdout.startswith("v: 3 edges came")


def test_names_from_strangers_stay_on_their_line(tmp_path: Path) -> None:
    sql = 'CREATE VIEW "v\n99/99  x  1 of 1 column resolved" AS SELECT a FROM t'
    assert len(run("lineage", "-", "-v", "--output", "rows", text=sql).stderr.splitlines()) == 4


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_bar_ends_at_all_files(tmp_path: Path, jobs: str) -> None:
    """In a terminal: however often the files are looked at, each counts once."""
    for number in range(FEWEST + 7):
        (tmp_path / f"f{number}.sql").write_text(f"create view v{number} as select a from t")
    screen, terminal = pty.openpty()
    command = [sys.executable, "-m", "lineal", "lineage", ".", "--no-cache", "-n", "v1"]
    environment = {**os.environ, "TERM": "xterm", "NO_COLOR": ""}
    with subprocess.Popen(
        [*command, "--jobs", jobs], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=terminal,
        env=environment,
    ) as running:  # fmt: skip
        os.close(terminal)
        shown = read_all(screen)
        assert running.wait() == 0
    counts = re.findall(r"(\d+)/(\d+)", shown)
    total = str(FEWEST + 7)
    assert counts and counts[-1] == (total, total)
    assert all(int(done) <= int(whole) for done, whole in counts)


def read_all(terminal: int) -> str:
    """The output on a terminal after the last write."""
    found = b""
    with suppress(OSError):
        while part := os.read(terminal, 65536):
            found += part
    os.close(terminal)
    return found.decode()
