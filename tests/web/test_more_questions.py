"""Ten more questions of somebody who sees the page for the first time: about consumers, jobs,
changes, doubts and losses. Each is answered within three clicks.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_questions import MOST_CLICKS, Visitor

import lineal
from lineal.graph.diff import diff, overlay

Open = Callable[..., Any]
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
DOUBTS = """
CREATE VIEW hashed AS SELECT sha2(email, 256) AS key FROM raw.people;
CREATE VIEW joined AS SELECT mail FROM raw.a JOIN raw.b ON a.id = b.id;
"""


@pytest.fixture(scope="module")
def jaffle() -> lineal.Lineage:
    return lineal.lineage(EXAMPLES / "jaffle")


@pytest.fixture(scope="module")
def bakery() -> lineal.Lineage:
    return lineal.lineage(EXAMPLES / "bakery")


@pytest.fixture(scope="module")
def edited(shop: lineal.Lineage, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The sample project after an edit of one line."""
    folder = tmp_path_factory.mktemp("edited") / "shop"
    shutil.copytree(EXAMPLES / "shop", folder, ignore=shutil.ignore_patterns(".lineal"))
    file = folder / "nodes" / "stg_orders" / "stg_orders.sql"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("amount,", "amount * 2 AS amount,"), encoding="utf-8")
    found = diff(shop.graph, lineal.lineage(folder).graph)
    return {"over": overlay(found), "findings": found.findings}


def test_which_tests_may_fail_when_a_model_goes(shown: Open, jaffle: lineal.Lineage) -> None:
    visitor = Visitor(shown(jaffle))
    visitor.search("stg_orders", "Shift+Enter")
    visitor.choose("drop")
    assert "Tests that may fail" in visitor.panel()
    assert "test:unique_stg_orders_order_id" in visitor.panel()
    answered(visitor)


def test_which_report_shows_the_customers(shown: Open, jaffle: lineal.Lineage) -> None:
    visitor = Visitor(shown(jaffle))
    visitor.click('.head[title="customers"]')
    assert "weekly_report" in visitor.panel().partition("Read by")[2]
    answered(visitor)


def test_which_task_loads_a_table(shown: Open, bakery: lineal.Lineage) -> None:
    visitor = Visitor(shown(bakery))
    visitor.search("raw.orders")
    assert "Job bakery.load_north" in visitor.panel()
    answered(visitor)


def test_which_line_of_sql_changed(shown: Open, shop: lineal.Lineage, edited: Any) -> None:
    visitor = Visitor(shown(shop, **edited))
    visitor.click("text=SQL before and after")
    gone = visitor.page.locator(".sides .code.removed").all_inner_texts()
    come = visitor.page.locator(".sides .code.added").all_inner_texts()
    assert [text.partition(":")[2].strip() for text in gone] == ["amount,"]
    assert [text.partition(":")[2].strip() for text in come] == ["amount * 2 AS amount,"]
    answered(visitor)


def test_the_change_reaches_its_readers(shown: Open, shop: lineal.Lineage, edited: Any) -> None:
    visitor = Visitor(shown(shop, **edited))
    visitor.click('.panel .link:text-is("stg_orders")')
    visitor.click('.panel [data-action="impact"]')
    assert {"fct_orders", "dim_customers"} <= visitor.marts()
    answered(visitor)


def test_files_that_were_not_read(shown: Open) -> None:
    found = lineal.lineage("CREATE VIEW v AS SELECT a FROM t; SELECT FROM WHERE (;")
    visitor = Visitor(shown(found))
    assert "1 of 2 statements was not read" in visitor.page.locator(".banner").inner_text()
    visitor.click(".banner button")
    assert "not parsed: 1" in visitor.panel()
    answered(visitor)


def test_does_the_email_stay_readable(shown: Open) -> None:
    visitor = Visitor(shown(lineal.lineage(DOUBTS, dialect="spark")))
    visitor.search("hashed.key")
    visitor.click(".panel .kind-mark")
    assert "the value cannot be read from the target" in visitor.panel()
    answered(visitor)


def test_how_sure_is_a_column(shown: Open) -> None:
    visitor = Visitor(shown(lineal.lineage(DOUBTS, dialect="spark")))
    visitor.filter("confidence:ambiguous")
    assert "joined" in visitor.shown.cards()
    visitor.search("joined.mail")
    visitor.click(".panel .kind-mark")
    assert "ambiguous" in visitor.panel()
    answered(visitor)


def test_unused_columns_are_listed(shown: Open, shop: lineal.Lineage) -> None:
    visitor = Visitor(shown(shop))
    visitor.click("[title^=Details]")
    assert "int_high_value_orders" in visitor.panel().partition("Ends")[2]
    answered(visitor)


def test_which_tables_are_seeds(shown: Open, shop: lineal.Lineage) -> None:
    visitor = Visitor(shown(shop))
    visitor.click(".rail summary")
    visitor.click('.chip[title="kind:seed"]')
    assert visitor.shown.cards() == ["raw_customers", "raw_orders", "raw_payments", "raw_products"]
    answered(visitor)


def answered(visitor: Visitor) -> None:
    assert visitor.clicks <= MOST_CLICKS
    assert visitor.shown.problems == []
