"""An input without anything to read is never an answer that looks complete."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lineal.cli import main


def run(*arguments: str) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(main, list(arguments))


@pytest.mark.parametrize(
    "arguments",
    [
        ("lineage",),
        ("unused",),
        ("validate",),
        ("show", "--no-open", "--out", "page.html"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_each_command_says_that_the_folder_is_empty(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()

    result = run(*arguments, "empty")

    assert "warning[no-input]" in result.output
    assert "no file is due" in result.output
    assert "Everything is read" not in result.output


@pytest.mark.parametrize("command", ["impact", "context"])
def test_a_name_in_an_empty_folder(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()

    result = run(command, "orders.amount", "empty")

    assert result.exit_code == 2
    assert "unknown dataset orders: the input has no dataset" in result.output
