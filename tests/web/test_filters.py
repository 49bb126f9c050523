"""The rail and the search: the same words filter tables, alone and combined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import lineal

Open = Callable[..., Any]


@pytest.fixture
def tagged(shop: lineal.Lineage) -> lineal.Lineage:
    found = lineal.lineage("examples/shop")
    for dataset, info in found.extraction.datasets.items():
        if dataset.name.endswith("orders"):
            info.tags = ("finance",)
    return lineal.Lineage(found.extraction)


WORDS = {
    "kind:seed": ["raw_customers", "raw_orders", "raw_payments", "raw_products"],
    "layer:sources,staging payments": ["raw_payments", "stg_payments", "stg_payments_star"],
    "tag:finance layer:staging": ["stg_orders"],
    "tag:finance -kind:sql kind:seed": ["raw_orders"],
    "label:pii layer:marts -kind:python": ["dim_customers", "fct_orders", "rpt_customer_orders"],
    'layer:"marts" days': ["fct_customer_days"],
}


def test_words_filter_the_map(shown: Open, tagged: lineal.Lineage) -> None:
    page = shown(tagged)
    for words, names in WORDS.items():
        page.does(lambda words=words: page.page.locator(".rail .filter").fill(words))
        assert page.cards() == names, words
        listed = page.page.locator(".tree-name").all_inner_texts()
        assert sorted(listed) == names, words
    page.page.locator(".rail .filter").press("Enter")
    address = "#" + page.page.url.partition("#")[2]
    assert page.open(address).cards() == ["fct_customer_days"]
    page.does(page.page.get_by_role("button", name="remove the filter").click)
    assert len(page.cards()) == 26


def test_filters_can_be_clicked_together(shown: Open, tagged: lineal.Lineage) -> None:
    page = shown(tagged)
    page.page.locator(".filters summary").click()
    legends = page.page.locator(".facet legend").all_inner_texts()
    assert {"Kind", "Layer", "Tag", "Classification", "Confidence"} <= set(legends)
    page.does(page.page.locator('.chip[title="layer:staging"]').click)
    page.does(page.page.locator('.chip[title="tag:finance"]').click)
    assert page.cards() == ["stg_orders"]
    page.does(page.page.locator('.chip[title="tag:finance"]').click)
    assert len(page.cards()) == 5
    page.does(lambda: page.page.locator(".rail .filter").fill("kind:nothing"))
    assert page.page.locator(".empty").inner_text() == "No table matches the filter."


def test_the_tree_is_worked_by_keys(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    page.page.locator(".tree").focus()
    page.page.keyboard.press("ArrowDown")
    page.page.keyboard.press("ArrowDown")
    page.does(lambda: page.page.keyboard.press("Enter"))
    assert page.page.locator(".panel h2").inner_text() == "dim_products_extended"
    assert (
        page.page.locator(".tree-row[aria-selected=true]").inner_text() == "dim_products_extended"
    )


def test_the_search_takes_the_same_words_and_forgives_slips(
    shown: Open, tagged: lineal.Lineage
) -> None:
    page = shown(tagged)

    def hits(words: str) -> list[str]:
        page.page.keyboard.press("/")
        page.page.locator(".palette input").fill(words)
        found = page.page.locator(".palette .hit-name").all_inner_texts()
        page.page.keyboard.press("Escape")
        return found

    assert hits("tag:finance kind:seed") == ["raw_orders"]
    emails = ["dim_customers.email", "rpt_customer_orders.email"]
    assert hits("label:pii layer:marts email") == emails
    assert hits("stg_ordres")[0] == "stg_orders"
    assert "raw_customers" in hits("custoemrs")
    assert hits("orders")[:1] != hits("stg_orders")[:1] and hits("stg_orders")[0] == "stg_orders"


def test_marks_on_tables_with_diagnostics(shown: Open) -> None:
    found = lineal.lineage(
        {
            "v.sql": "CREATE VIEW v AS SELECT a, nope FROM t",
            "w.sql": "CREATE VIEW w AS SELECT a FROM v",
        },
        schema={"t": {"a": "int"}},
    )
    page = shown(found)
    marked = page.page.locator(".card:has(.alarm) .name").all_inner_texts()
    assert marked == ["v"]
    page.does(lambda: page.page.locator(".rail .filter").fill("has:diagnostics"))
    assert page.cards() == ["v"]
