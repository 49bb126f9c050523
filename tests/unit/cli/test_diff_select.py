"""lineal diff --select: what dbt has to build and test again."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lineal.cli import main

CAFE = Path(__file__).resolve().parents[2] / "data" / "cafe"


@pytest.fixture
def cafe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cafe"
    shutil.copytree(CAFE, folder)
    git = ["git", "-C", str(folder), "-c", "user.name=ann", "-c", "user.email=ann@example.com"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "before"]):
        subprocess.run([*git, *command], check=True)
    monkeypatch.chdir(folder)
    return folder


def select(*options: str) -> Result:
    return CliRunner().invoke(main, ["diff", "HEAD", "--select", *options])


def edit(file: Path, before: str, after: str) -> None:
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after, 1))


def test_nothing_changed_selects_nothing(cafe: Path) -> None:
    found = select()
    assert (found.exit_code, found.stdout) == (0, "")


def test_a_comment_selects_nothing(cafe: Path) -> None:
    edit(cafe / "models" / "orders.sql", "select id", "select -- all of them\n  id")
    assert select().stdout == ""


def test_a_value_selects_its_model_and_the_tests_that_read_it(cafe: Path) -> None:
    edit(
        cafe / "models" / "orders.sql",
        "amount, tip, status",
        "amount, tip, lower(status) as status",
    )
    assert select().stdout.split() == ["orders", "accepted_values_orders_status__paid__open"]


def test_rows_of_a_seed_select_all_that_reads_them(cafe: Path) -> None:
    with (cafe / "seeds" / "raw_customers.csv").open("a") as stream:
        stream.write("7,Zoe,Oslo\n")
    assert select().stdout.split() == [
        "cities", "customers", "raw_customers",
        "relationships_orders_customer_id__customer_id__ref_customers_",
    ]  # fmt: skip


def test_a_seed_that_is_moved_selects_nothing(cafe: Path) -> None:
    (cafe / "seeds" / "raw").mkdir()
    (cafe / "seeds" / "raw_customers.csv").rename(cafe / "seeds" / "raw" / "raw_customers.csv")
    assert select().stdout == ""


@pytest.mark.parametrize("settings", ["+column_types: {id: varchar}", "+delimiter: ';'"])
def test_settings_of_a_seed_select_it(cafe: Path, settings: str) -> None:
    """They decide how the file is loaded: the rows may be others."""
    with (cafe / "dbt_project.yml").open("a") as stream:
        stream.write(f"\nseeds:\n  cafe:\n    {settings}\n")
    assert "raw_customers" in select().stdout.split()


def test_json_has_the_reasons_and_the_consumers(cafe: Path) -> None:
    edit(cafe / "models" / "orders.sql", "amount, tip, status", "amount + 1 as amount, tip, status")
    rows = json.loads(select("--output", "json").stdout)["select"]
    nodes = {row["dataset"]: row["node"] for row in rows}
    assert nodes["orders"] == "orders"
    assert nodes["metric:revenue"] is None
    assert "customers" not in nodes
    assert all(row["why"] for row in rows)


def test_other_formats_are_refused(cafe: Path) -> None:
    found = select("--output", "sarif")
    assert found.exit_code == 2
    assert "--select prints text or json" in found.output
