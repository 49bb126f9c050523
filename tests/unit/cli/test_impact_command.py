from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lineal.cli import main

ROOT = Path(__file__).resolve().parents[3]
SHOP = str(ROOT / "examples" / "shop")
GOLDEN = ROOT / "tests" / "golden" / "cli"


def impact(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(main, ["impact", *arguments], input=text)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("impact_drop", ("raw_products.active", "--change", "drop")),
        ("impact_type", ("stg_payments.amount", "--change", "type=DOUBLE", "--output", "markdown")),
        ("impact_rename", ("stg_products.category", "--change", "rename=kind", "--output", "json")),
    ],
)
def test_golden(name: str, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result, file = impact(arguments[0], "examples/shop", *arguments[1:]), GOLDEN / f"{name}.txt"
    assert result.exit_code == 0
    if os.environ.get("LINEAL_GOLDEN") == "write":
        file.write_bytes(result.stdout_bytes)
    assert result.stdout_bytes == file.read_bytes()


def test_the_footer_shows_the_coverage() -> None:
    assert "22 statements, 195 columns" in impact("raw_orders.amount", SHOP).stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("raw_orders.amont",), "did you mean amount?"),
        (("raw_orders", "--change", "rename=orders"), "is that of one column"),
        (("raw_ordrs",), "did you mean raw_orders?"),
        (("raw_orders.amount", "--change", "explode"), "unknown change explode"),
        (("raw_orders.amount", "--change", "rename"), "write rename=NEW"),
        (("raw_orders.amount", "--change", "rename=id"), "raw_orders has a column id already"),
    ],
)
def test_mistakes_are_one_line(arguments: tuple[str, ...], said: str) -> None:
    result = impact(arguments[0], SHOP, *arguments[1:])
    assert result.exit_code == 2
    assert said in result.stderr and result.stderr.count("\n") == 1


def test_a_missing_path_is_a_usage_error() -> None:
    assert impact("a.b", "nowhere").exit_code == 2


HOSTILE = 'CREATE VIEW "v`|<img src=x>" AS SELECT a AS "`|`@all\n[x](y)" FROM t'


@pytest.mark.parametrize("command", ["impact", "context"])
def test_swapped_arguments_are_recognized(command: str) -> None:
    result = CliRunner().invoke(main, [command, SHOP, "stg_orders.amount"])
    assert result.exit_code == 2
    assert result.stderr == (
        f"Error: {SHOP} is a path. "
        f"Name the column first: lineal {command} stg_orders.amount {SHOP}\n"
    )


def test_names_are_only_names_in_markdown() -> None:
    made = impact(
        "t.a",
        "-",
        "--dialect",
        "postgres",
        "--change",
        "drop",
        "--output",
        "markdown",
        text=HOSTILE,
    ).stdout
    rows = [line for line in made.splitlines() if line.startswith("| breaks")]
    assert len(rows) == 2
    for row in rows:
        assert row.count("|") - row.count("\\|") == row.count(" | ") + 2
        assert "``" in row and "\n[x]" not in row


def test_json_names_every_step() -> None:
    text = "CREATE VIEW v AS SELECT * FROM t; CREATE VIEW w AS SELECT a FROM v"
    made = json.loads(impact("t.a", "-", "--change", "drop", "--output", "json", text=text).stdout)
    assert made["change"] == {"kind": "drop", "to": None, "from_type": None}
    assert made["breaks"] is True
    assert [(each["dataset"], each["effect"]) for each in made["datasets"]] == [
        ("w", "breaks"),
        ("v", "disappears"),
    ]
    [first, _] = made["columns"]
    assert [step["dataset"] for step in first["path"]] == ["t", "v", "w"]
    assert made["coverage"]["percent"] == 50


def test_a_saved_lineage_answers_as_the_project_does(tmp_path: Path) -> None:
    file = str(tmp_path / "shop.lineal.json")
    CliRunner().invoke(main, ["lineage", SHOP, "--save", file])
    for change in ("drop", "type=TEXT", "values"):
        arguments = ("--change", change, "--output", "json")
        assert (
            impact("raw_orders.amount", file, *arguments).stdout
            == impact("raw_orders.amount", SHOP, *arguments).stdout
        )
