"""The page names the jobs that write a table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import lineal

BAKERY = Path(__file__).resolve().parents[2] / "examples" / "bakery"


def test_a_table_names_its_tasks(shown: Callable[..., Any]) -> None:
    page = shown(lineal.lineage(BAKERY), start="raw.orders")

    assert page.page.locator(".panel .job").all_inner_texts() == [
        "Job bakery.load_north",
        "Job bakery.load_south",
    ]
