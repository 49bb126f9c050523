"""Ten questions of somebody who sees the page for the first time, each answered within three clicks.

A click is a click or a search that is typed and confirmed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lineal
from lineal.projects.source_texts import SourceFiles
from lineal.web.data import texts_of

Open = Callable[..., Any]
SHOP = str(Path(__file__).parents[2] / "examples" / "shop")
MOST_CLICKS = 3


class Visitor:
    """Counts what it does."""

    def __init__(self, shown: Any) -> None:
        self.shown = shown
        self.page = shown.page
        self.clicks = 0

    def click(self, selector: str) -> None:
        self.clicks += 1
        self.page.locator(selector).first.click()
        self.page.wait_for_timeout(350)

    def search(self, words: str, confirm: str = "Enter") -> None:
        self.clicks += 1
        self.page.keyboard.press("Control+k")
        self.page.locator(".palette input").fill(words)
        self.page.keyboard.press(confirm)
        self.page.wait_for_timeout(350)

    def filter(self, words: str) -> None:
        self.clicks += 1
        self.page.locator(".rail .filter").fill(words)
        self.page.wait_for_timeout(350)

    def choose(self, change: str) -> None:
        self.clicks += 1
        self.page.locator(".panel select").select_option(change)
        self.page.wait_for_timeout(350)

    def panel(self) -> str:
        text: str = self.page.locator(".panel").inner_text()
        return text

    def marts(self) -> set[str]:
        """The tables of the marts that are lit or listed."""
        names = set(self.page.locator(".impacts .link").all_inner_texts())
        return {name for name in names if is_mart(name)}


def is_mart(name: str) -> bool:
    return name.split("_")[0] in ("dim", "fct", "rpt", "feat")


def behind(name: str) -> set[str]:
    """The names of all tables that are made of one, by values or rows."""
    pairs = {(str(edge.source.dataset), str(edge.into)) for edge in lineal.lineage(SHOP).edges}
    found = {name}
    while more := {target for source, target in pairs if source in found} - found:
        found |= more
    return found - {name}


@pytest.fixture
def visitor(shown: Open, shop: lineal.Lineage) -> Visitor:
    return Visitor(shown(shop, texts=texts_of(shop.graph, SourceFiles([SHOP]).text)))


def which_marts_depend_on_raw_payments(visitor: Visitor) -> None:
    visitor.search("raw_payments")
    visitor.click('.panel [data-action="impact"]')
    assert visitor.marts() == {name for name in behind("raw_payments") if is_mart(name)}


def where_does_the_email_go_unmasked(visitor: Visitor) -> None:
    visitor.search("raw_customers.email")
    assert "stg_customers.email" in visitor.panel()
    visitor.click('.panel [data-action="focus"]')
    assert {"dim_customers", "rpt_customer_orders"} <= set(visitor.shown.cards())


def what_is_in_the_project(visitor: Visitor) -> None:
    bands = [text.split()[0] for text in visitor.page.locator(".band button").all_inner_texts()]
    assert bands == ["Sources", "Staging", "Intermediate", "Marts"]


def how_is_the_lifetime_value_made(visitor: Visitor) -> None:
    visitor.search("dim_customers.lifetime_value")
    visitor.click('.panel [data-action="strip"]')
    text = visitor.page.locator(".hops-view").inner_text()
    assert "int_customer_metrics.lifetime_value" in text and "sum" in text.lower()
    assert visitor.page.locator(".hop mark").count() > 0


def what_breaks_when_the_amount_is_dropped(visitor: Visitor) -> None:
    visitor.search("raw_orders.amount", "Shift+Enter")
    visitor.choose("drop")
    assert "stg_orders" in visitor.page.locator(".broken").inner_text()


def which_tables_hold_personal_data(visitor: Visitor) -> None:
    visitor.filter("label:pii")
    assert {"stg_customers", "dim_customers", "fct_orders"} <= set(visitor.shown.cards())


def what_does_a_table_read(visitor: Visitor) -> None:
    visitor.click('.head[title="fct_orders"]')
    assert "int_orders_enriched" in visitor.panel() and "Made from" in visitor.panel()


def how_much_was_read(visitor: Visitor) -> None:
    visitor.click("[title^=Details]")
    visitor.click("[role=tab]:has-text('Coverage')")
    assert visitor.page.locator(".share").inner_text().endswith("%")


def which_tables_are_made_by_python(visitor: Visitor) -> None:
    visitor.filter("kind:python")
    assert "rpt_customer_segments" in visitor.shown.cards() and len(visitor.shown.cards()) == 5


def where_is_the_code_of_a_table(visitor: Visitor) -> None:
    visitor.click('.tree-row[title="rpt_customer_orders"]')
    assert "rpt_customer_orders.yml" in visitor.panel()
    assert visitor.page.locator(".excerpt").count() == 1


QUESTIONS = [
    which_marts_depend_on_raw_payments,
    where_does_the_email_go_unmasked,
    what_is_in_the_project,
    how_is_the_lifetime_value_made,
    what_breaks_when_the_amount_is_dropped,
    which_tables_hold_personal_data,
    what_does_a_table_read,
    how_much_was_read,
    which_tables_are_made_by_python,
    where_is_the_code_of_a_table,
]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda each: each.__name__)
def test_a_first_time_user_finds_out(visitor: Visitor, question: Callable[[Visitor], None]) -> None:
    question(visitor)
    assert visitor.clicks <= MOST_CLICKS
    assert visitor.shown.problems == []
