"""A PostgreSQL catalog by SQLAlchemy, compared with the one that lineal reads itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import live
import pytest
from click.testing import CliRunner
from test_live import SHOP

from lineal.cli import main
from lineal.projects import postgres
from lineal.projects.sqlalchemy_schema import inspect_database

pytest.importorskip("sqlalchemy", reason="no SQLAlchemy: pip install 'lineal[sqlalchemy]'")


@pytest.fixture(scope="module")
def shop(database: Any) -> Any:
    database.execute(SHOP)
    return database


def test_columns_and_comments_are_those_of_the_server(shop: Any) -> None:
    found = inspect_database(live.address(shop))
    assert (found.dialect, found.schema) == ("postgres", "public")
    ours = {
        info.dataset.name: info
        for info in postgres.load(live.address(shop)).datasets
        if info.kind != "type"
    }
    theirs = {info.dataset.name: info for info in found.datasets}
    assert set(theirs) == {name for name in ours if not name.startswith("pg_catalog.")}
    for name, info in theirs.items():
        assert [(c.name, c.description) for c in info.columns] == [
            (c.name, c.description) for c in ours[name].columns
        ]
        assert (info.kind, info.description) == (ours[name].kind, ours[name].description)


def test_a_folder_is_read_with_it(shop: Any, tmp_path: Path) -> None:
    (tmp_path / "mart.sql").write_text(
        'CREATE VIEW mart AS SELECT * FROM "Orders" JOIN public.orders o USING (id)'
    )
    arguments = [
        "lineage",
        str(tmp_path),
        "--schema-from",
        live.address(shop),
        "--only-schema",
        "public",
    ]
    done = CliRunner().invoke(main, [*arguments, "--no-cache"])
    assert done.exit_code == 0, done.output
    assert [line.split()[:2] for line in done.stdout.splitlines()[2:5]] == [
        ["public.Orders", "id"],
        ["public.Orders", "Id"],
        ["public.Orders", "a.b"],
    ]
