"""The page without a mouse, and as a screen reader tells it: roles, names, focus and announcements."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lineal
from lineal.graph.diff import diff, overlay

Open = Callable[..., Any]
FOCUS = """() => {
  const at = document.activeElement;
  return {tag: at.tagName, name: at.getAttribute('aria-label') ?? at.textContent.trim(), class: at.className,
    seen: at.getBoundingClientRect().width > 0};
}"""
SAID = "() => document.querySelector('[data-live]').textContent"
REGION = """() => ['HEADER', 'NAV', 'ASIDE', 'SECTION'].map((tag) => document.activeElement.closest(tag)?.tagName)
  .find(Boolean) ?? (document.activeElement.closest('.stage-box') ? 'STAGE' : 'BODY')"""
NAMELESS = """() => [...document.querySelectorAll('button, input, select, [role]')]
  .filter((each) => each.checkVisibility() && !['presentation', 'status', 'group'].includes(each.getAttribute('role')))
  .filter((each) => !(each.getAttribute('aria-label') || each.getAttribute('aria-labelledby') ||
    each.textContent.trim() || each.labels?.length || each.title))
  .map((each) => each.outerHTML.slice(0, 120))"""


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.page.keyboard.press(key)
        page.page.wait_for_timeout(30)


def focused(page: Any) -> str:
    found: str = page.page.evaluate(FOCUS)["name"]
    return found


def test_the_first_stop_skips_to_the_lineage(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    press(page, "Tab")
    assert focused(page) == "Skip to the lineage"
    press(page, "Enter")
    assert focused(page).startswith("Lineage graph")
    press(page, "Tab")
    assert page.page.evaluate("document.activeElement.closest('.band, .card') !== null")


def test_the_focus_goes_as_the_eye_does(shown: Open, shop: lineal.Lineage) -> None:
    """Tools, rail, picture, details; the whole toolbar is one stop."""
    page = shown(shop).open("#table=stg_orders&up=1&down=0")
    regions, stops = [], 0
    for _ in range(60):
        press(page, "Tab")
        region = page.page.evaluate(REGION)
        stops += 1
        if not regions or regions[-1] != region:
            regions.append(region)
        if region == "ASIDE":
            break
    assert regions[-1] == "ASIDE" and stops < 60
    order = [each for each in regions if each in ("HEADER", "NAV", "STAGE", "ASIDE")]
    assert order == ["HEADER", "NAV", "STAGE", "ASIDE"]


def test_arrows_go_along_the_toolbar_and_the_focus_stays(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    page.page.locator(".toolbar button").first.focus()
    press(page, "ArrowRight", "ArrowRight", "ArrowRight")
    assert focused(page) == "Impact"
    press(page, "Enter")
    page.page.wait_for_timeout(300)
    assert focused(page) == "Impact" and "mode=impact" in page.page.url
    press(page, "End")
    assert focused(page) == "Details"
    press(page, "Home")
    assert focused(page) == "back (Alt+←)"


def test_arrows_go_from_table_to_table(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    page.page.locator('.head[title="raw_orders"]').focus()
    press(page, "ArrowRight")
    assert focused(page).startswith("stg_orders")
    press(page, "ArrowDown")
    assert focused(page).startswith("stg_payments")
    press(page, "ArrowUp", "ArrowLeft")
    assert focused(page).startswith("raw_orders")
    page.does(lambda: press(page, "Enter"))
    assert "table=raw_orders" in page.page.url or "sel" in page.page.url
    pressed = page.page.locator('.head[title="raw_orders"]').get_attribute("aria-pressed")
    assert pressed == "true" and focused(page).startswith("raw_orders")
    press(page, "Tab")
    assert focused(page).startswith("id")


def test_depth_is_changed_step_by_step(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop).open("#table=fct_orders&up=1&down=0")
    more = "one step more upstream"
    page.page.get_by_role("button", name=more).focus()
    for _ in range(2):
        page.does(lambda: press(page, "Enter"))
        assert focused(page) == more
    assert "up=3" in page.page.url


def test_filters_and_the_tree(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    page.page.locator(".rail summary").focus()
    press(page, "Enter")
    page.page.locator('.chip[title="kind:seed"]').focus()
    page.does(lambda: press(page, "Enter"))
    assert page.page.evaluate("document.activeElement.title") == "kind:seed"
    assert page.page.locator(".rail-count").inner_text() == "4 of 26 tables"
    page.page.locator(".tree").focus()
    press(page, "ArrowDown", "ArrowDown")
    at = page.page.locator(f"#{page.page.locator('.tree').get_attribute('aria-activedescendant')}")
    assert at.get_attribute("aria-posinset") == "3" and at.get_attribute("aria-setsize") == "4"
    press(page, "Enter")
    page.page.wait_for_timeout(300)
    assert page.page.locator(".panel h2").inner_text() == "raw_payments"
    press(page, "/")
    assert page.page.locator(".palette").is_visible()


def test_tabs_of_the_panel(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop).open("#table=stg_orders")
    page.page.locator("[role=tab]").first.focus()
    press(page, "ArrowRight", "ArrowRight", "Enter")
    assert focused(page) == "Coverage" and page.page.locator(".share").is_visible()
    labelled = page.page.locator("[role=tabpanel]").get_attribute("aria-labelledby")
    assert page.page.locator(f"#{labelled}").inner_text() == "Coverage"


def test_links_of_the_panel_lead_to_its_heading(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop).open("#table=stg_orders&up=2&down=1")
    page.page.locator('.panel .link:text-is("raw_orders")').focus()
    page.does(lambda: press(page, "Enter"))
    assert page.page.evaluate(FOCUS)["tag"] == "H2" and focused(page) == "raw_orders"


def test_shown_tables_are_announced(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    assert page.page.evaluate(SAID) == "Map: 26 tables in 26 boxes and cards."
    page.does(page.page.locator('.head[title="stg_orders"]').click)
    assert page.page.evaluate(SAID).endswith("Table stg_orders, 5 columns.")
    assert page.page.title() == "shop · map – lineal".replace("shop", "test")
    page.open("#column=raw_orders.amount&mode=impact")
    assert page.page.evaluate(SAID).startswith("Impact of a change: 15 tables")
    assert page.page.title().startswith("test · impact of a change of raw_orders.amount")
    press(page, "3")
    assert page.page.evaluate(SAID).startswith("List of tables.")


def test_the_search_says_how_many(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    press(page, "/")
    page.page.keyboard.type("email")
    said = page.page.locator(".palette [role=status]").inner_text()
    assert said == f"{page.page.locator('.palette [data-hit]').count()} found"
    press(page, "Escape")
    assert not page.page.locator(".palette").is_visible()


@pytest.mark.parametrize(
    "address", ["", "#column=dim_customers.email", "#table=stg_orders", "#mode=list"]
)
def test_everything_has_a_name(shown: Open, shop: lineal.Lineage, address: str) -> None:
    page = shown(shop).open(address) if "list" not in address else shown(shop)
    if "list" in address:
        press(page, "3")
    press(page, "p")
    assert page.page.evaluate(NAMELESS) == []
    assert page.page.locator("header, main, nav, aside").count() == 4
    assert page.page.locator("h1").count() == 1


def test_changes_by_keyboard(shown: Open) -> None:
    before = lineal.lineage("CREATE VIEW v AS SELECT a FROM t")
    after = lineal.lineage("CREATE VIEW v AS SELECT a + 1 AS a FROM t")
    found = diff(before.graph, after.graph)
    page = shown(after, over=overlay(found), findings=found.findings)
    page.page.get_by_role("button", name="SQL before and after").focus()
    page.does(lambda: press(page, "Enter"))
    sides = page.page.get_by_role("region", name="SQL before and after")
    assert sides.get_by_role("columnheader").all_inner_texts() == ["Before", "After"]
    assert sides.locator(".code.removed").inner_text().startswith("removed:")
    press(page, "Escape")
    page.page.wait_for_timeout(200)
    assert not sides.is_visible()
    assert Path(page.file).exists() and page.problems == []
