"""Schemas from a database by SQLAlchemy: --schema-from."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lineal.cli import main
from lineal.projects import ProjectError
from lineal.projects.sqlalchemy_schema import inspect_database

pytest.importorskip("sqlalchemy", reason="no SQLAlchemy: pip install 'lineal[sqlalchemy]'")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    file = tmp_path / "shop #1.db"
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE orders (id INTEGER, amount DECIMAL(10, 2), customer_id INT)")
        database.execute("CREATE TABLE customers (customer_id INT, name TEXT, odd)")
        database.execute("CREATE VIEW paid AS SELECT id, amount FROM orders")
    database.close()
    (tmp_path / "sql").mkdir()
    (tmp_path / "sql" / "mart.sql").write_text(
        "CREATE VIEW mart AS SELECT * FROM paid JOIN customers ON customer_id = id"
    )
    return file


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["lineage", "--no-cache", *arguments])


def url_of(file: Path) -> str:
    return f"sqlite:///{file}"


def test_tables_and_views_have_their_columns_and_types(shop: Path) -> None:
    found = inspect_database(url_of(shop))
    assert (found.dialect, found.schema) == ("sqlite", "")
    listed = {
        info.dataset.name: (info.kind, [(c.name, c.type) for c in info.columns])
        for info in found.datasets
    }
    assert listed == {
        "customers": ("table", [("customer_id", "INTEGER"), ("name", "TEXT"), ("odd", "")]),
        "orders": (
            "table",
            [("id", "INTEGER"), ("amount", "DECIMAL(10, 2)"), ("customer_id", "INTEGER")],
        ),
        "paid": ("view", [("id", "INTEGER"), ("amount", "DECIMAL(10, 2)")]),
    }


def test_stars_and_names_of_a_folder_are_resolved_by_it(shop: Path) -> None:
    done = run(str(shop.parent / "sql"), "--schema-from", url_of(shop), "--output", "json")
    assert done.exit_code == 0 and '"paid"' in done.stdout and '"odd"' in done.stdout
    assert done.stderr == "" and '"confidence": "MEDIUM"' not in done.stdout


def test_nothing_is_written_or_created(shop: Path, tmp_path: Path) -> None:
    before = shop.read_bytes()
    inspect_database(url_of(shop))
    assert shop.read_bytes() == before
    with pytest.raises(ProjectError, match="there is no file"):
        inspect_database(f"sqlite:///{tmp_path}/none.db")
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize(
    "url",
    [
        "nonsense://ann:hush@host/x",
        "postgresql://ann:hush@nowhere.invalid:1/x?connect_timeout=1",
        "postgresql://ann:hush@host:notaport/x",
        "mysql+nosuchdriver://ann:hush@host/x",
        "sqlite:///none.db?password=hush",
        "no address hush",
    ],
)
def test_an_error_is_one_line_without_a_password(shop: Path, url: str) -> None:
    done = run(str(shop.parent / "sql"), "--schema-from", url)
    assert (done.exit_code, len(done.stderr.strip().splitlines())) == (2, 1), done.output
    assert "hush" not in done.output or url == "no address hush"


def test_an_unknown_schema_and_a_broken_file_are_reported(shop: Path, tmp_path: Path) -> None:
    assert (
        "has no schema mart: there are main"
        in run(".", "--schema-from", url_of(shop), "--only-schema", "mart").stderr
    )
    (tmp_path / "broken.db").write_text("this is no database, whatever it is called" * 20)
    done = run(".", "--schema-from", url_of(tmp_path / "broken.db"))
    assert done.exit_code == 2 and "not a database" in done.stderr
