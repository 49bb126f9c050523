"""What a user does with the page, done in Chromium."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lineal
from lineal.graph.change import parse as change_of
from lineal.graph.dataset_effects import effects_on_dataset
from lineal.graph.effects import effects
from lineal.projects.source_texts import SourceFiles
from lineal.web.data import texts_of

Open = Callable[..., Any]
SHOP = str(Path(__file__).parents[2] / "examples" / "shop")


def test_a_small_project_is_shown_as_a_whole(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    assert page.cards() == sorted(str(info.dataset) for info in shop.datasets)
    assert page.problems == [] and page.outside() == []


def test_hovering_lights_the_whole_path_and_nothing_else(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop).columns()
    page.row("int_customer_metrics", "lifetime_value").hover()
    start = shop.column("int_customer_metrics.lifetime_value")
    edges = [
        *shop.upstream(start),
        *(edge for edge in shop.downstream(start) if edge.edge.field_level),
    ]
    ends = {str(end) for edge in edges for end in (edge.source, edge.target)}
    assert page.lit() == ends | {str(start)}
    page.page.mouse.move(5, 300)
    assert page.lit() == set()


def test_a_click_pins_and_escape_lets_go(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop).columns()
    page.row("dim_customers", "email").click()
    path = {"raw_customers.email", "stg_customers.email", "dim_customers.email"}
    page.page.mouse.move(5, 300)
    assert page.lit() >= path
    assert "column=dim_customers.email" in page.page.url
    assert page.page.locator(".panel h2").inner_text() == "email"
    page.page.keyboard.press("Escape")
    page.page.mouse.move(5, 300)
    assert page.lit() == set()


def test_back_and_forward(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop).columns()
    page.row("dim_customers", "email").click()
    page.row("fct_orders", "amount").click()
    page.page.go_back()
    assert page.page.locator(".panel h2").inner_text() == "email"
    page.page.go_forward()
    assert page.page.locator(".panel h2").inner_text() == "amount"


def test_a_link_leads_to_the_same_picture(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop).open("#column=dim_customers.email")
    assert page.cards() == ["dim_customers", "raw_customers", "stg_customers"]
    assert page.lit() == {"raw_customers.email", "stg_customers.email", "dim_customers.email"}
    again = page.open(page.page.url.partition("#")[1] + page.page.url.partition("#")[2])
    assert again.cards() == ["dim_customers", "raw_customers", "stg_customers"]


def test_it_begins_with_what_the_command_named(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop, start="stg_orders.amount")
    assert page.page.locator(".panel h2").inner_text() == "amount"
    assert "raw_orders" in page.cards() and "raw_customers" not in page.cards()


def test_cards_expand_hop_by_hop(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop).open("#table=stg_orders&with=stg_orders")
    page.does(lambda: page.page.locator(".actions >> text=Only this").click())
    assert page.cards() == ["stg_orders"]
    up, down = page.page.locator(".expand.up"), page.page.locator(".expand.down")
    assert up.inner_text() == "‹ 0 of 1" and down.inner_text() == "0 of 6 ›"
    page.does(up.click)
    assert page.cards() == ["raw_orders", "stg_orders"]
    deeper = page.page.get_by_role("button", name="one step more downstream")
    page.does(deeper.click)
    page.does(deeper.click)
    assert page.page.locator(".depth output").all_inner_texts() == ["1", "2"]
    assert {"fct_orders", "rpt_customer_orders", "dim_customers"} <= set(page.cards())
    all_of_them = set(page.cards())
    page.does(page.page.get_by_role("button", name="one step less downstream").click)
    assert {"raw_orders", "stg_orders"} < set(page.cards()) < all_of_them


def test_siblings_with_the_same_neighbors_are_one_box(shown: Open) -> None:
    views = ";".join(f"CREATE VIEW v{number:02d} AS SELECT a FROM t" for number in range(45))
    page = shown(lineal.lineage(views), start="t")
    assert page.cards() == ["45 views", "t"]
    page.does(page.page.locator(".card.box .head").click)
    opened = page.cards()
    assert "v00 … v07" in opened and len(opened) < 12
    page.does(page.page.locator(".card.box .head").first.click)
    assert {"v00", "v07"} <= set(page.cards())
    same = page.cards()
    assert page.open("#" + page.page.url.partition("#")[2]).cards() == same


def test_lines_that_decide_rows_are_off_until_asked(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    assert page.page.locator(".wire.inspect").count() == 0
    page.does(lambda: page.page.keyboard.press("i"))
    assert page.page.locator(".wire.inspect").count() > 0


def test_kinds_differ_in_color_and_dash_and_say_their_name(
    shown: Open, shop: lineal.Lineage
) -> None:
    page = shown(shop).columns()
    page.does(lambda: page.page.keyboard.press("i"))
    styles = {
        kind: page.page.locator(f".wire.{kind}").first.evaluate(
            "(line) => [getComputedStyle(line).stroke, getComputedStyle(line).strokeDasharray]"
        )
        for kind in ("copy", "rename", "transform", "inspect")
    }
    assert len({stroke for stroke, _ in styles.values()}) == 4
    assert len({dash for _, dash in styles.values()}) == 3
    page.row("stg_products", "price").hover()
    assert "transform" in page.page.locator(".wire-label").all_text_contents()


def test_a_kind_can_be_hidden(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    page.does(lambda: page.page.get_by_label("rename").uncheck())
    assert page.page.locator(".wire.rename").count() == 0 < page.page.locator(".wire.copy").count()


def test_tables_and_groups(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    assert page.page.locator(".row").count() == 0
    pairs = page.page.locator(".wire").count()
    assert pairs == len(
        {(edge.source.dataset, edge.into) for edge in shop.edges if edge.field_level}
    )
    page.does(lambda: page.page.keyboard.press("g"))
    assert page.page.locator(".group").count() > 1


def test_an_edge_says_how_it_was_made(shown: Open) -> None:
    sql = "CREATE VIEW v AS\nSELECT\n  coalesce(a, b) AS c\nFROM t"
    page = shown(lineal.lineage({"v.sql": sql}), texts={"v.sql": sql}).columns()
    page.page.locator(".wire").first.dispatch_event("click")
    text = page.page.locator(".panel").inner_text()
    assert (
        "t.a → " in text
        and "TRANSFORMATION" in text
        and "coalesce(a, b)" in text
        and "v.sql:3:" in text
    )
    assert page.page.locator(".excerpt mark").inner_text() == "  coalesce(a, b) AS c"


def test_a_wide_table_scrolls_and_has_its_own_search(shown: Open) -> None:
    columns = ", ".join(f"c{number:03d}" for number in range(120))
    page = shown(lineal.lineage(f"CREATE VIEW v AS SELECT {columns} FROM t")).columns()
    card = page.page.locator(".card").filter(has=page.page.locator('.name:text-is("v")'))
    assert card.bounding_box()["height"] < 400
    card.locator(".find").fill("c07")
    assert card.locator("li:visible").count() == 10
    before = page.page.locator(".wire").first.get_attribute("d")
    card.locator(".find").fill("")
    card.locator(".rows").evaluate("(list) => { list.scrollTop = 800 }")
    page.page.wait_for_timeout(100)
    assert page.page.locator(".wire").first.get_attribute("d") != before


def test_search_by_keyboard(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    page.page.keyboard.press("Control+k")
    page.page.keyboard.type("dim cust email")
    first = page.page.locator(".palette [aria-selected=true]")
    assert first.locator(".hit-name").inner_text() == "dim_customers.email"
    page.page.keyboard.press("Enter")
    assert page.page.locator(".panel h2").inner_text() == "email"
    page.page.keyboard.press("/")
    page.page.keyboard.type("fctord")  # letters in order, not in a row
    assert page.page.locator(".palette .hit-name").first.inner_text().startswith("fct_orders")


def test_search_reads_descriptions(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    page.page.keyboard.press("/")
    page.page.keyboard.type("email address")
    assert "stg_customers.email" in page.page.locator(".palette .hit-name").all_inner_texts()


def test_hovering_web_page_in_impact_mode(shown: Open, web_views: lineal.Lineage) -> None:
    page = shown(web_views).columns()
    page.page.keyboard.press("2")
    page.row("web", "page").hover()
    expected = {str(each.column): each.why for each in web_views.impact("web.page")}
    assert page.marked() == expected
    assert expected["webinfo.wpage"] == "contributed"
    assert expected["webact.wpage"] == expected["info.wpage"] == "both"
    assert sorted(expected.values()).count("referenced") == 9
    colors = {
        why: page.page.locator(f'.row[data-why="{why}"]').first.evaluate(
            "(row) => getComputedStyle(row).color"
        )
        for why in ("contributed", "referenced", "both")
    }
    red, blue, orange = ([int(part) for part in colors[why][4:-1].split(",")] for why in colors)
    assert red[0] > 2 * max(red[1:]) and blue[2] > 1.5 * max(blue[:2])
    assert orange[0] > orange[1] > orange[2] and orange[1] > 2 * orange[2]


def test_impact_ranks_and_folds(shown: Open) -> None:
    chain = ["CREATE VIEW v0 AS SELECT b FROM t WHERE a > 0"]
    chain += [f"CREATE VIEW v{number} AS SELECT b FROM v{number - 1}" for number in range(1, 5)]
    page = shown(
        lineal.lineage(";".join([*chain, "CREATE VIEW w AS SELECT a + 1 AS a FROM t"]))
    ).columns()
    page.row("t", "a").click()
    page.does(page.page.get_by_role("button", name="Impact of a change").click)
    listed = page.page.locator(".impacts .link").all_inner_texts()
    assert listed == ["w.a", "v0.b"]
    assert (
        page.page.locator(".fold").inner_text() == "4 more columns that are far and only referenced"
    )
    page.does(page.page.locator(".fold").click)
    assert page.page.locator(".impacts .link").all_inner_texts() == [
        "w.a",
        "v0.b",
        "v1.b",
        "v2.b",
        "v3.b",
        "v4.b",
    ]


def test_the_list_has_everything(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    page.page.keyboard.press("3")
    assert page.page.locator(".list summary").count() == len(shop.datasets)
    page.page.locator(".list summary", has_text="stg_orders").focus()
    page.page.keyboard.press("Enter")
    row = page.page.locator(".list tr", has=page.page.locator("th", has_text="amount")).first
    assert (
        "raw_orders.amount" in row.inner_text()
        and "int_all_orders.order_amount" in row.inner_text()
    )


def test_the_page_exports_every_format(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop).open("#column=dim_customers.email")

    def exported(name: str) -> bytes:
        page.page.locator(".menu summary").click()
        with page.page.expect_download() as download:
            page.page.locator(".menu button", has_text=name).click()
        return download.value.path().read_bytes()

    rows = exported("CSV").decode().replace(f"{SHOP}/", "").splitlines()
    assert sorted(rows) == [
        "raw_customers,email,stg_customers,email,copy,HIGH,email,"
        "nodes/stg_customers/stg_customers.sql:4:3",
        "source,source_column,target,target_column,kind,confidence,expression,place",
        "stg_customers,email,dim_customers,email,copy,HIGH,c.email,"
        "nodes/dim_customers/dim_customers.sql:4:3",
    ]
    tables = exported("Mermaid of tables").decode()
    assert tables.startswith("flowchart LR\n") and tables.count("-->") == 2 and "|" not in tables
    assert exported("Mermaid of columns").decode().count('-->|"email"|') == 2
    assert exported("PNG").startswith(b"\x89PNG")
    svg = exported("SVG").decode()
    assert svg.startswith("<svg") and "dim_customers" in svg and "VARCHAR" in svg
    assert "path of dim_customers.email" in svg and svg.count("<marker") == 4 and "rename" in svg
    copy = page.file.with_name("copy.html")
    copy.write_bytes(exported("Page of this view"))
    page.page.goto(copy.as_uri())
    page.page.locator('.panel h2:text-is("email")').wait_for()
    assert page.cards() == ["dim_customers", "raw_customers", "stg_customers"]
    assert page.problems == []


def test_the_page_works_with_the_keyboard_alone(shown: Open, shop: lineal.Lineage) -> None:
    """Tab reaches a column, Enter pins it."""
    page = shown(shop).open("#table=stg_orders")
    page.page.locator(".card .head").first.focus()
    page.page.keyboard.press("Tab")
    focused = page.page.evaluate("document.activeElement.className")
    assert focused.startswith("row")
    page.page.keyboard.press("Enter")
    assert "column=" in page.page.url
    page.page.keyboard.press("?")
    assert page.page.locator(".help").is_visible()


def test_dark_and_light(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    ground = "() => getComputedStyle(document.body).backgroundColor"
    light = page.page.evaluate(ground)
    page.page.keyboard.press("d")
    assert page.page.evaluate(ground) != light
    page.page.emulate_media(color_scheme="dark")
    page.open()
    assert page.page.evaluate(ground) != light


def test_nothing_moves_for_those_who_asked_for_stillness(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop).columns()
    moving = "() => getComputedStyle(document.querySelector('.card')).transitionDuration"
    assert page.page.evaluate(moving) != "0s"
    page.page.emulate_media(reduced_motion="reduce")
    assert page.page.evaluate(moving) == "0s"


def test_diagnostics_and_coverage(shown: Open) -> None:
    schema = {"t": {"a": "int"}}
    page = shown(lineal.lineage("CREATE VIEW v AS SELECT a, nope FROM t", schema=schema))
    page.page.keyboard.press("p")
    page.page.get_by_role("tab", name="Diagnostics 1").click()
    assert "unresolved-column" in page.page.locator(".diagnostics").inner_text()
    page.page.get_by_role("tab", name="Coverage").click()
    assert page.page.locator(".share").inner_text() == "50 %"


def test_an_empty_lineage_is_reported(shown: Open) -> None:
    page = shown(lineal.lineage(""))
    assert "There is no lineage" in page.page.locator(".empty").inner_text()
    assert page.problems == []


def test_changes_are_marked(shown: Open) -> None:
    from lineal.graph.diff import diff, overlay

    before = lineal.lineage("CREATE VIEW v AS SELECT a, b FROM t; CREATE VIEW w AS SELECT b FROM v")
    after = lineal.lineage(
        "CREATE VIEW v AS SELECT a + 1 AS a, c FROM t; CREATE VIEW w AS SELECT a FROM v"
    )
    found = diff(before.graph, after.graph)
    page = shown(after, over=overlay(found), findings=found.findings)
    assert page.marked() == {"v.b": "removed", "v.c": "added", "w.b": "removed", "w.a": "added"}
    marks = page.page.evaluate(
        "() => [...document.querySelectorAll('.wire[data-mark]')].map((l) => l.dataset.mark)"
    )
    assert {mark: marks.count(mark) for mark in marks} == {"added": 2, "removed": 2, "changed": 1}
    assert page.page.locator(".level").all_inner_texts() == [
        finding.level.name for finding in found.findings
    ]
    assert page.problems == []


CHANGES = {"values": "values", "drop": "drop", "rename": "rename=other", "type": "type=DATE"}
STARS = """
CREATE TABLE t (a INT, b INT, c TEXT);
CREATE VIEW s AS SELECT * FROM t;
CREATE VIEW s2 AS SELECT * FROM s;
CREATE VIEW n AS SELECT a + 1 AS x, CAST(a AS TEXT) AS y, max(a) OVER () AS z FROM s2;
CREATE VIEW m AS SELECT x FROM n;
CREATE VIEW u AS SELECT * FROM s UNION ALL SELECT * FROM t;
CREATE VIEW e AS SELECT b FROM s WHERE EXISTS (SELECT 1 FROM t WHERE t.a = s.b);
CREATE VIEW g AS SELECT c, count(*) AS many FROM s2 GROUP BY c;
"""
LISTED = """() => Object.fromEntries([...document.querySelectorAll('.impacts li')].map((item) => [
  item.dataset.name,
  [item.closest('ol').dataset.effect, item.querySelector('.why').textContent, +item.querySelector('.hops').textContent],
]))"""


def impact_agrees(page: Any, found: lineal.Lineage, column: str) -> None:
    for name, said in CHANGES.items():
        page.open(f"#column={column}&mode=impact&change={name}&unfolded=1")
        wanted = effects(found.graph, found.column(column), change_of(said))
        expected = {
            str(each.column): [each.effect, each.impact.why, each.impact.depth]
            for each in wanted.columns
        }
        assert page.page.evaluate(LISTED) == expected, (column, name)
        breaking = {each.dataset.name for each in wanted.datasets if each.effect == "breaks"}
        assert set(page.page.locator(".broken .link").all_inner_texts()) == breaking, (column, name)


def test_impact_says_what_the_command_says(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    for column in ("raw_orders.amount", "stg_customers.customer_id", "raw_payments.amount"):
        impact_agrees(page, shop, column)


def test_impact_through_stars_set_operations_and_casts(shown: Open) -> None:
    found = lineal.lineage(STARS)
    page = shown(found)
    for column in ("t.a", "t.c", "s.b"):
        impact_agrees(page, found, column)
    assert page.problems == []


TABLES = """() => Object.fromEntries([...document.querySelectorAll('.impacts li')].map((item) =>
  [item.dataset.name, item.closest('ol').dataset.effect]))"""


@pytest.mark.parametrize("change", ["drop", "values"])
def test_the_impact_of_a_table_is_that_of_the_command(
    shown: Open, shop: lineal.Lineage, change: str
) -> None:
    page = shown(shop)
    for name in ("raw_orders", "stg_customers", "raw_payments", "fct_orders"):
        page.open(f"#table={name}&mode=impact&change={change}")
        wanted = effects_on_dataset(shop.graph, shop.graph.dataset(name), change_of(change))
        expected = {each.dataset.name: each.effect for each in wanted.datasets}
        assert page.page.evaluate(TABLES) == expected, name
    assert page.problems == []


def test_a_label_says_the_way_it_came(shown: Open) -> None:
    project = {"v": "SELECT mail AS m FROM t", "w": "SELECT m AS address FROM v"}
    found = lineal.lineage(project, schema={"t": {"mail": "TEXT"}})
    columns = found.extraction.datasets[found.column("t.mail").dataset].columns
    columns[0] = columns[0]._replace(classification=("pii",))
    found = lineal.Lineage(found.extraction)
    page = shown(found).open("#column=w.address")
    assert page.page.locator("dd.classification").inner_text() == "pii ← t.mail via v.m"
    page.page.locator("dd.classification .link").first.click()
    assert page.page.locator("dd.classification").inner_text() == "pii declared here"


def test_text_typed_in_a_card_does_not_hide_the_requested_column(shown: Open) -> None:
    columns = ", ".join(f"c{number:02d}" for number in range(30))
    page = shown(lineal.lineage(f"CREATE VIEW v AS SELECT {columns} FROM t"), start="v")
    page.page.locator(".card .find").last.fill("c05")
    page.page.locator(".panel .link:text-is('c29')").click()
    assert page.row("v", "c29").is_visible()


def test_a_field_in_a_link_leads_to_its_column(shown: Open) -> None:
    found = lineal.lineage("CREATE VIEW v AS SELECT address.city AS city FROM t", dialect="spark")
    page = shown(found).open("#column=t.address.city")
    assert page.page.locator(".panel h2").inner_text() == "address"
    page.open("#column=v.city")
    assert "t.address.city" in page.page.locator(".panel .ends").first.inner_text()


def test_the_table_s_panel_begins_at_its_top(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop, texts=texts_of(shop.graph, SourceFiles([SHOP]).text)).open(
        "#table=dim_customers"
    )
    assert page.page.locator(".panel .body").evaluate("(body) => body.scrollTop") == 0
    assert page.page.locator(".excerpt").count() == 1


def test_names_can_be_read_from_afar(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    assert page.page.locator(".stage.far").count() == 1
    heights = page.page.evaluate("""() => [...document.querySelectorAll('.far-name')].map((name) => {
        const box = name.getBoundingClientRect(); return [name.textContent, box.left, box.top, box.right, box.bottom];
    })""")
    assert min(bottom - top for _, _, top, _, bottom in heights) > 7
    for index, (name, left, top, right, bottom) in enumerate(heights):
        for other in heights[index + 1 :]:
            assert right <= other[1] or other[3] <= left or bottom <= other[2] or other[4] <= top, (
                name,
                other[0],
            )
