"""A small warehouse that agents ask about; without the extra `mcp` these tests are skipped."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

collect_ignore_glob = [] if find_spec("mcp") else ["test_*.py"]

MODELS = {
    "raw.sql": "CREATE TABLE orders (id INT, customer_id INT, amount DECIMAL(10, 2), status TEXT);\n"
    "CREATE TABLE customers (id INT, email TEXT);\n",
    "stg_orders.sql": "CREATE VIEW stg_orders AS\nSELECT id, customer_id, amount * 100 AS cents\n"
    "FROM orders\nWHERE status <> 'void';\n",
    "mart.sql": "CREATE TABLE mart AS\nSELECT c.id, md5(c.email) AS email, sum(o.cents) AS total,\n"
    "  1 AS version\nFROM customers c JOIN stg_orders o ON o.customer_id = c.id\n"
    "GROUP BY c.id, c.email;\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "warehouse"
    folder.mkdir()
    for name, text in MODELS.items():
        folder.joinpath(name).write_text(text)
    return folder
