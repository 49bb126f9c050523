"""`Lineage.save`: a file or a folder, and what every command reads of it again."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import lineal
from lineal.cli import main

SQL = "CREATE VIEW paid AS SELECT id, amount AS euros FROM orders WHERE status = 'paid'"


def edges(found: lineal.Lineage) -> list[str]:
    return [str(edge) for edge in found.edges]


@pytest.mark.parametrize("name", ["new", "new/", "deeper/down", "with.dots/"])
def test_a_folder_gets_the_lineage_and_its_page(tmp_path: Path, name: str) -> None:
    found = lineal.lineage(SQL)
    where = found.save(f"{tmp_path}/{name}")
    assert where == tmp_path / name
    assert sorted(each.name for each in where.iterdir()) == ["lineage.html", "lineage.json"]
    assert (where / "lineage.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert edges(lineal.lineage(where / "lineage.json")) == edges(found) != []
    assert edges(lineal.lineage(where)) == edges(found)


def test_an_existing_folder_keeps_its_files(tmp_path: Path) -> None:
    kept = tmp_path / "release.1"
    kept.mkdir()
    (kept / "paid.sql").write_text(SQL, encoding="utf-8")
    lineal.lineage("CREATE VIEW v AS SELECT a FROM t").save(kept)
    assert sorted(each.name for each in kept.iterdir()) == [
        "lineage.html",
        "lineage.json",
        "paid.sql",
    ]
    assert edges(lineal.lineage(kept)) == edges(lineal.lineage(SQL)), (
        "a folder with scripts in it is read anew"
    )


@pytest.mark.parametrize(
    ("name", "begins"),
    [("x.lineal.json", '{"lineal":'), ("x.json", '{"lineal":'), ("x.html", "<!")],
)
def test_a_file_gets_what_its_suffix_says(tmp_path: Path, name: str, begins: str) -> None:
    assert lineal.lineage(SQL).save(tmp_path / name) == tmp_path / name
    assert [each.name for each in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(begins)


def test_another_suffix_is_the_callers_mistake(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match=r"x\.csv is neither \.json nor \.html; the name of a new folder ends with"
    ):
        lineal.lineage(SQL).save(tmp_path / "x.csv")
    assert list(tmp_path.iterdir()) == []


def test_two_saved_folders_are_compared(tmp_path: Path) -> None:
    lineal.lineage(SQL).save(tmp_path / "before")
    lineal.lineage(SQL.replace("amount AS", "amount * 2 AS")).save(tmp_path / "after")
    done = CliRunner().invoke(main, ["diff", str(tmp_path / "before"), str(tmp_path / "after")])
    assert done.exit_code == 0 and "value-changed euros" in done.output
