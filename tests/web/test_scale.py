"""A warehouse of 2,000 tables with 20 columns each: what is drawn is bounded, whatever there is.
Times: make bench.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import lineal
from page import warehouse

Open = Callable[..., Any]
MOST_NODES = 40_000
"""Elements of a page; a browser lays out so many without a pause."""


@pytest.fixture(scope="module")
def large() -> lineal.Lineage:
    return lineal.lineage(warehouse(2_000))


def nodes(page: Any) -> int:
    count: int = page.page.evaluate("document.querySelectorAll('*').length")
    return count


def test_it_begins_with_a_part(shown: Open, large: lineal.Lineage) -> None:
    page = shown(large)
    assert 2 <= len(page.cards()) <= 30 and nodes(page) < 5_000
    assert page.page.locator(".status").inner_text().endswith("of 2000 tables")
    page.does(page.page.locator(".expand:not([disabled])").first.click)
    assert nodes(page) < 6_000 and page.problems == []


def test_all_upstream_while_somebody_clicks_around(shown: Open, large: lineal.Lineage) -> None:
    """The layout of a thousand cards takes a while; what was clicked meanwhile is what stands in
    the end.
    """
    page = shown(large, start="t1999")
    page.page.locator(".panel >> text=All upstream").click()
    page.page.keyboard.press("t")
    page.page.locator(".panel .link").first.click()
    page.page.keyboard.press("t")
    page.does(lambda: page.page.locator(".actions >> text=Only this").click())
    page.page.wait_for_timeout(1500)
    assert len(page.cards()) == 1 and page.page.locator(".wire").count() == 0
    assert page.page.locator(".stage.arranging").count() == 0
    assert page.problems == []


def test_a_thousand_tables_are_shown_without_their_columns(
    shown: Open, large: lineal.Lineage
) -> None:
    page = shown(large, start="t1999")
    page.page.set_default_timeout(90_000)
    page.does(page.page.locator(".panel >> text=All upstream").click)
    assert len(page.cards()) > 500 and page.page.locator(".row").count() == 0
    assert nodes(page) < MOST_NODES
    assert page.page.locator(".far-name").first.is_visible() and page.problems == []


def test_an_impact_on_everything_is_bounded(shown: Open, large: lineal.Lineage) -> None:
    page = shown(large).open("#column=t0000.c00&mode=impact&change=drop&unfolded=1")
    assert len(page.cards()) <= 120 and page.page.locator(".impacts li").count() <= 1000
    assert nodes(page) < MOST_NODES


WIDE = ", ".join(f"c{number:04d}" for number in range(5_000))
MANY = ";".join(f"INSERT INTO v (total) SELECT c{number:04d} FROM t" for number in range(3_000))
SHAPES = {
    "nothing": ("", 0),
    "one": ("CREATE TABLE t (a INT)", 1),
    "no columns": ("CREATE VIEW v AS SELECT count(*) AS n FROM t", 2),
    "five thousand columns": (f"CREATE VIEW v AS SELECT {WIDE} FROM t", 2),
    "three thousand sources": (MANY, 2),
    "three thousand readers": (
        ";".join(f"CREATE VIEW v{n} AS SELECT a FROM t" for n in range(3_000)),
        7,
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(shown: Open, name: str) -> None:
    sql, cards = SHAPES[name]
    page = shown(lineal.lineage(sql or "SELECT 1"))
    if name == "nothing":
        assert page.page.locator(".panel h2").count() == 1
        return
    assert len(page.cards()) == cards
    page.page.locator(".row").last.click()
    page.page.keyboard.press("z")
    page.page.keyboard.press("2")
    page.page.keyboard.press("3")
    page.page.locator(".list summary").first.click()
    page.page.keyboard.press("1")
    assert page.problems == []
