"""The map: what a first look shows, from three tables to ten thousand, and that it can be read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from test_geometry import geometry_is_right

import lineal
from lineal.model.edge import Column, Dataset, Edge, Read, Site, Usage
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.way import IDENTITY, Clause

Open = Callable[..., Any]
AREAS = ("sales", "finance", "support", "web", "hr")
LIMIT = 150

READ = """() => {
  const seen = [];
  const walk = document.createTreeWalker(document.querySelector('.world'), NodeFilter.SHOW_TEXT);
  const stage = document.querySelector('.stage').getBoundingClientRect();
  const scale = new DOMMatrix(getComputedStyle(document.querySelector('.world')).transform).a;
  for (let text = walk.nextNode(); text; text = walk.nextNode()) {
    const holder = text.parentElement;
    if (!holder.checkVisibility({opacityProperty: true, visibilityProperty: true}) || !text.data.trim()) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const box = range.getBoundingClientRect();
    if (!box.width || box.right < stage.left || box.left > stage.right) continue;
    if (box.bottom < stage.top || box.top > stage.bottom) continue;
    const clip = holder.getBoundingClientRect();
    const right = Math.min(box.right, clip.right);
    const size = parseFloat(getComputedStyle(holder).fontSize) * scale;
    seen.push({text: text.data, size, left: box.left, right, top: box.top, bottom: box.bottom,
      cut: box.right > clip.right + 1, tip: Boolean(holder.closest('[title]') ||
      holder.closest('.card')?.querySelector('[title]'))});
  }
  return seen;
}"""


def can_be_read(page: Any) -> None:
    """No letter under 9 px, no name over another, none cut off without a tooltip."""
    texts = page.page.evaluate(READ)
    assert texts
    assert min(each["size"] for each in texts) >= 9, min(texts, key=lambda each: each["size"])
    assert [each["text"] for each in texts if each["cut"] and not each["tip"]] == []
    for index, one in enumerate(texts):
        for other in texts[index + 1 :]:
            beside = one["right"] <= other["left"] + 1 or other["right"] <= one["left"] + 1
            above = one["bottom"] <= other["top"] + 3 or other["bottom"] <= one["top"] + 3
            assert beside or above, (one["text"], other["text"])


def layered(count: int) -> lineal.Lineage:
    """As many tables as asked in four layers and five areas, by a rule that needs no chance."""
    tables: dict[Dataset, DatasetInfo] = {}
    edges = []
    each = count // 20
    usage = Usage(IDENTITY, None, None, Site(None, "", ()))

    def table(layer: str, area: str, number: int, kind: str) -> Dataset:
        made = Dataset("", f"{layer}_{area}_{number:04d}")
        tables[made] = DatasetInfo(made, kind, [ColumnInfo("id", "INT")], True)
        return made

    def feeds(source: Dataset, target: Dataset) -> None:
        edges.append(Edge(Column(source, "id"), Column(target, "id"), (usage,)))

    for area in AREAS:
        made = {
            layer: [table(layer, area, number, kind) for number in range(each)]
            for layer, kind in (
                ("raw", "source"),
                ("stg", "view"),
                ("int", "view"),
                ("fct", "table"),
            )
        }
        for number in range(each):
            feeds(made["raw"][number], made["stg"][number])
            feeds(made["stg"][number], made["int"][number * 7 % each])
            feeds(made["int"][number], made["fct"][number * 3 % each])
    return lineal.Lineage(Extraction(edges, [], tables, []))


@pytest.mark.parametrize("count", [80, 840, 10_000])
def test_a_first_look_at_any_size(shown: Open, count: int) -> None:
    page = shown(layered(count))
    assert len(page.cards()) <= LIMIT
    assert page.page.locator(".strip .status").inner_text().startswith(f"{count:,} of {count:,}")
    geometry_is_right(page)
    can_be_read(page)
    if count > 80:
        bands = page.page.locator(".band button").all_inner_texts()
        assert [name.split()[0] for name in bands] == [
            "Sources",
            "Staging",
            "Intermediate",
            "Marts",
        ]
        page.does(page.page.locator(".card.box .head").first.click)
        assert len(page.cards()) <= LIMIT
        geometry_is_right(page)
    assert page.page.evaluate("window.arranged") == (1 if count == 80 else 2)
    assert page.problems == []


@pytest.mark.parametrize("size", [(1280, 800), (1600, 1000), (390, 844)], ids=str)
def test_the_sample_can_be_read(shown: Open, shop: lineal.Lineage, size: tuple[int, int]) -> None:
    page = shown(shop)
    page.page.set_viewport_size({"width": size[0], "height": size[1]})
    page.open()
    can_be_read(page)
    assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1")
    if size[0] == 390:
        assert page.cards() == ["Intermediate", "Marts", "Sources", "Staging"]
        page.does(page.page.locator(".card.box .head").first.click)
        assert "raw_orders" in page.cards()
    for _ in range(12):  # from afar
        page.page.keyboard.press("-")
        page.page.wait_for_timeout(20)
        if page.page.locator(".stage.tiny").count():
            break
        can_be_read(page)


def test_three_tables(shown: Open) -> None:
    page = shown(
        lineal.lineage("CREATE VIEW v AS SELECT a FROM t; CREATE VIEW w AS SELECT a FROM v")
    )
    assert page.cards() == ["t", "v", "w"]
    assert len(page.page.locator(".band").all()) == 3
    can_be_read(page)


def test_boxes_open_in_place_and_fold_again(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    page.does(page.page.locator(".band button", has_text="Marts").click)
    assert "Marts" in page.cards() and "fct_orders" not in page.cards()
    assert "raw_orders" in page.cards()
    page.does(page.page.locator('.card.box .head[data-open="marts"]').click)
    assert "fct_orders" in page.cards()
    same = page.cards()
    page.page.go_back()
    page.page.go_back()
    page.page.go_forward()
    page.page.go_forward()
    page.page.wait_for_timeout(500)
    assert page.cards() == same


def test_columns_appear_for_the_selection(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    assert page.page.locator(".row").count() == 0
    page.does(page.page.locator('.head[title="stg_orders"]').click)
    assert page.page.locator(".row").count() == 5
    page.does(page.row("stg_orders", "amount").click)
    card = page.page.locator(
        ".card[data-dataset]", has=page.page.locator('.head[title="stg_orders"]')
    )
    assert card.locator(".row").all_inner_texts()[0].startswith("amount")
    assert card.locator(".rest").inner_text() == "+4"
    page.does(card.locator(".rest").click)
    assert card.locator(".row").count() == 5 and "wide=stg_orders" in page.page.url


def test_links_hold_no_lists_of_tables(shown: Open) -> None:
    page = shown(layered(840))
    page.does(page.page.locator(".card.box .head").first.click)
    page.page.keyboard.press("/")
    page.page.keyboard.type("int_sales_0003")
    page.does(lambda: page.page.keyboard.press("Enter"))
    page.does(page.page.get_by_role("button", name="one step more upstream").click)
    address = "#" + page.page.url.partition("#")[2]
    assert len(address) < 60 and "up=3" in address, address
    same = page.cards()
    assert page.open(address).cards() == same


def test_unknown_names_in_a_link_are_reported(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop).open("#table=no_such_table")
    assert "“no_such_table”" in page.page.locator(".note").inner_text()
    page.page.get_by_role("button", name="close this message").click()
    assert page.page.locator(".note").count() == 0


def test_a_layout_can_be_cancelled(shown: Open) -> None:
    page = shown(layered(840))
    before = page.cards()
    page.page.evaluate(
        "() => { document.dispatchEvent(new KeyboardEvent('keydown', {key: 'i', bubbles: true}));"
        " document.querySelector('.working button').click() }"
    )
    page.page.wait_for_timeout(400)
    assert page.cards() == before and page.page.locator(".stage.arranging").count() == 0
    assert page.page.locator("[title^=Rows]").get_attribute("aria-pressed") == "false"
    assert page.problems == []


def test_hovering_a_table_says_why_others_are_reached(
    shown: Open, web_views: lineal.Lineage
) -> None:
    page = shown(web_views)
    page.page.locator('.head[title="web"]').hover()
    why = page.page.evaluate(
        "() => Object.fromEntries([...document.querySelectorAll('.card[data-why]')].map((card) =>"
        " [card.querySelector('.name').textContent, card.dataset.why]))"
    )
    assert why == {"webinfo": "both", "webact": "both", "info": "both"}
    page.page.locator('.head[title="customers"]').hover()
    signs = page.page.locator(".card[data-why] .name").first.evaluate(
        "(name) => getComputedStyle(name, '::after').content"
    )
    assert signs.strip('"') in "●○◐"


def test_consumers_are_grouped_by_what_happens_to_them(shown: Open) -> None:
    found = lineal.lineage("CREATE VIEW v AS SELECT a FROM t")
    for name, kind in (("unique_v_a", "test"), ("revenue", "metric"), ("board", "exposure")):
        reader = Dataset("", name)
        found.extraction.datasets[reader] = DatasetInfo(reader, kind, [], True)
        found.extraction.reads.append(Read(reader, Dataset("", "v"), "a", Clause.SELECT, None))
    page = shown(lineal.Lineage(found.extraction)).open("#table=t&mode=impact")
    headings = page.page.locator(".panel .consumers").all_inner_texts()
    assert headings == ["Tests that may fail 1", "Metrics that change 1", "Exposures that change 1"]
    page.open()
    assert {"unique_v_a", "revenue", "board"} <= set(page.cards())
    page.does(lambda: page.page.locator(".rail .filter").fill("consumer:metric"))
    assert page.cards() == ["revenue", "v"]


def test_impact_asks_for_a_column_or_table(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    page.page.keyboard.press("2")
    assert "Pick the column or the table" in page.page.locator(".panel").inner_text()
    page.does(page.page.locator('.head[title="raw_orders"]').click)
    listed = page.page.locator(".impacts .link").all_inner_texts()
    assert "stg_orders" in listed and "raw_customers" not in listed


def test_descriptions_are_markdown_without_markup(shown: Open) -> None:
    text = "**bold** `code` [link](javascript:alert(1))\n\n- one\n- <img src=x onerror=alert(1)>"
    found = lineal.lineage("CREATE VIEW v AS SELECT a FROM t")
    info = next(info for info in found.datasets if info.dataset.name == "v")
    info.description = text
    page = shown(lineal.Lineage(found.extraction), start="v")
    about = page.page.locator(".markdown").first
    assert about.locator("strong").inner_text() == "bold" and about.locator("li").count() == 2
    assert about.locator("a, img").count() == 0 and "<img" in about.inner_text()
    assert page.problems == []


def test_the_panel_can_be_closed_and_resized(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop).open("#table=stg_orders")
    panel = page.page.locator(".panel")
    before = panel.bounding_box()["width"]
    page.page.locator(".handle").focus()
    page.page.keyboard.press("ArrowLeft")
    assert panel.bounding_box()["width"] == before + 24
    page.page.get_by_role("button", name="close the details").click()
    assert not panel.is_visible()
