"""A saved lineage is the lineage: nothing is lost, and other files are refused."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest
from click.testing import CliRunner

import lineal
from lineal.cli import main
from lineal.model.edge import Usage
from lineal.model.extraction import Extraction
from lineal.store.saved import SavedError, read_text, write, write_text

SHOP = str(Path(__file__).parents[3] / "examples" / "shop")
ODD = """
CREATE TABLE "Ta ""ble" ("a.b" INT, s STRUCT(city TEXT));
CREATE VIEW v AS
SELECT "a.b" AS "é\u2028", s.city, count(*) OVER (PARTITION BY s.city) AS n FROM "Ta ""ble" WHERE "a.b" > 0;
CREATE VIEW w AS SELECT x, md5(y) AS y FROM p JOIN q USING (k);
CREATE VIEW z AS SELECT * FROM unknown;
"""


def all_of(extraction: Extraction) -> bytes:
    """Every field, with places and texts looked up; a field that saving forgets would differ."""
    looked_up = pickle.loads(pickle.dumps(extraction))
    return repr(looked_up.__reduce__()[1]).encode()


@pytest.mark.parametrize("source", [SHOP, ODD], ids=["shop", "odd"])
def test_nothing_is_lost(source: str) -> None:
    extraction = lineal.lineage(source, dialect="duckdb").extraction
    assert all_of(read_text(write_text(extraction))) == all_of(extraction)


def test_saving_a_restored_lineage_is_the_same_file() -> None:
    text = write_text(lineal.lineage(SHOP).extraction)
    assert write_text(read_text(text)) == text


def test_a_saved_file_answers_as_the_project_does(tmp_path: Path) -> None:
    file = tmp_path / "shop.lineal.json"
    first = CliRunner().invoke(main, ["lineage", SHOP, "--save", str(file), "--output", "json"])
    again = CliRunner().invoke(main, ["lineage", str(file), "--output", "json"])
    assert first.exit_code == again.exit_code == 0
    assert again.stdout == first.stdout
    chain = ["--column", "dim_customers.email"]
    assert (
        CliRunner().invoke(main, ["lineage", str(file), *chain]).stdout
        == CliRunner().invoke(main, ["lineage", SHOP, *chain]).stdout
        != ""
    )


def test_it_joins_the_other_input(tmp_path: Path) -> None:
    staged, mart = tmp_path / "a.lineal.json", tmp_path / "mart.sql"
    write(
        lineal.lineage("CREATE VIEW stg AS SELECT id, amount * 2 AS amount FROM raw").extraction,
        staged,
    )
    mart.write_text("CREATE VIEW mart AS SELECT * FROM stg")
    shown = CliRunner().invoke(
        main, ["lineage", str(staged), str(mart), "+mart.amount", "--output", "json"]
    )
    edges = {
        (edge["source"]["dataset"], edge["target"]["dataset"])
        for edge in json.loads(shown.stdout)["edges"]
    }
    assert edges == {("raw", "stg"), ("stg", "mart")}


def test_loading_it_twice_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "x.lineal.json"
    write(lineal.lineage(SHOP).extraction, file)
    once, twice = lineal.lineage(file), lineal.lineage([file, file])
    assert [str(edge) for edge in twice.edges] == [str(edge) for edge in once.edges]
    assert [len(edge.usages) for edge in twice.edges] == [len(edge.usages) for edge in once.edges]
    assert all(isinstance(usage, Usage) for edge in twice.edges for usage in edge.usages)


DAMAGED = {
    "no json": ("{", "not a saved lineage"),
    "other json": ("[1, 2]", 'it has no "lineal"'),
    "later": ('{"lineal":999}', "format 999"),
    "truncated": ('{"lineal":1}', "damaged"),
    "a number for a name": (
        '{"lineal":1,"coverage":{},"files":[3],"names":[]}',
        "3 is not a text",
    ),
    "deep": ('{"lineal":1,"x":' + "[" * 100_000, "not a saved lineage"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_file_that_is_not_a_saved_lineage_is_one_line(name: str, tmp_path: Path) -> None:
    text, said = DAMAGED[name]
    with pytest.raises(SavedError, match=said):
        read_text(text)
    file = tmp_path / "x.lineal.json"
    file.write_text(text)
    result = CliRunner().invoke(main, ["lineage", str(file)])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1 and said in result.stderr


def test_a_missing_folder_gives_no_traceback(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        main, ["lineage", SHOP, "--save", str(tmp_path / "no" / "x.lineal.json")]
    )
    assert result.exit_code == 2 and "cannot write" in result.stderr
