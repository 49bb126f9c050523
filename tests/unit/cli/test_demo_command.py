"""lineal demo: the tour in a pipe and on a terminal, and the folder that it unpacks into."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from lineal.cli import demo, main


def run_demo(*arguments: str) -> int:
    """Run the command in this process, without its question about Spark; return its exit code."""
    with pytest.raises(SystemExit) as ended:
        main.main(["demo", *arguments], prog_name="lineal")
    return int(ended.value.code or 0)


@pytest.fixture
def without_spark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(demo.PROVIDERS, "spark", "a_package_that_is_not_installed")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("without_spark")
def test_a_pipe_gets_every_question_with_its_answer(capfd: pytest.CaptureFixture[str]) -> None:
    assert run_demo() == 0
    said = capfd.readouterr().out
    assert [f"\n{number}. " in said for number in range(1, 6)] == [True] * 5
    assert (
        "$ lineal lineage lineal-demo -n int_customer_ranking --column customer_id\nCHAIN" in said
    )
    assert "raw_customers.id  " in said
    assert "pip install 'lineal[spark]'" in said
    assert "\x1b" not in said
    assert "Press Enter" not in said


@pytest.mark.usefixtures("without_spark")
def test_files_of_an_earlier_tour_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(demo, "QUESTIONS", ())
    assert run_demo("shop") == 0
    edited = tmp_path / "shop" / "nodes" / "dim_customers" / "dim_customers.sql"
    assert edited.is_file()
    edited.write_text("SELECT 1 AS one")
    assert run_demo("shop") == 0
    assert edited.read_text() == "SELECT 1 AS one"


@pytest.mark.usefixtures("without_spark")
def test_a_folder_with_other_files_is_left_alone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    assert run_demo("mine") == 2
    assert capsys.readouterr().err == (
        "Error: mine is not an empty folder: name another one, or remove it\n"
    )
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]


@pytest.mark.usefixtures("without_spark")
def test_the_samples_of_the_guides_are_unpacked(tmp_path: Path) -> None:
    assert run_demo("--samples") == 0
    found = {path.name for path in (tmp_path / "examples").iterdir()}
    assert found == {"bakery", "jaffle", "logs", "sales", "sales-changed", "shop"}


def test_a_terminal_waits_before_each_question(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    call = [sys.executable, "-m", "lineal", "demo"]
    with subprocess.Popen(call, stdin=theirs, stdout=theirs, stderr=theirs, cwd=tmp_path) as tour:
        os.close(theirs)
        first = read_until(ours, "question 1 of 5, or q to end: ")
        os.write(ours, b"\n")
        second = read_until(ours, "question 2 of 5, or q to end: ")
        os.write(ours, b"q\n")
        rest = read_until(ours, "your own files")
        assert tour.wait(30) == 0
    os.close(ours)
    assert "Where does a column come from?" not in first
    assert "Where does a column come from?" in second
    assert "2. And a column" not in rest


def read_until(terminal: int, end: str) -> str:
    """Return what a terminal shows up to some words."""
    shown = ""
    while end not in shown:
        shown += os.read(terminal, 4096).decode("utf-8", "replace")
    return shown
