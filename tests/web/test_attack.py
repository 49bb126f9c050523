"""What a hurried user, a strange address and a strange window do to the page."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from test_injection import PAYLOADS

import lineal
from lineal.cli.serve import _page
from lineal.cli.source import Source
from lineal.web.server import Server

Open = Callable[..., Any]

ADDRESSES = [
    "#", "#column=", "#column=nope.nope", "#column=dim_customers", "#column=DIM_CUSTOMERS.EMAIL",
    "#table=nope&mode=impact", "#mode=impact", "#mode=diff", "#mode=sideways", "#mode=list&column=dim_customers.email",
    "#with=nope&with=dim_customers", "#column=dim_customers.email&change=explode&mode=impact",
    "#without=copy,rename,transform,inspect,x", "#%", "#%ff=%fe", "#column=%3Cimg%20src=x%20onerror=alert(1)%3E",
    "#level=table&grouped=1&inspect=1", "#" + "x" * 20_000,
]  # fmt: skip
KEYS = ["i", "t", "g", "1", "2", "3", "u", "Shift+U", "z", "f", "Escape", "+", "-"]
CLICK = "([buttons, at]) => { const all = document.querySelectorAll(buttons); all[at % all.length]?.click() }"


def test_addresses_written_by_hand(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    for address in ADDRESSES:
        page.page.evaluate("(hash) => { location.hash = hash }", address)
        page.page.wait_for_timeout(30)
    page.page.evaluate("() => { location.hash = '#column=dim_customers.email' }")
    page.page.locator('.panel h2:text-is("email")').wait_for()
    for address in ADDRESSES:
        page.page.goto("about:blank")
        page.page.goto(page.file.as_uri() + address)
        page.page.locator(".panel h2").wait_for(state="attached")
    assert page.problems == []


def test_everything_at_once(shown: Open, shop: lineal.Lineage) -> None:
    """Keys and clicks faster than any layout: the final view is that of the address."""
    chance = random.Random(9)
    page = shown(shop)
    buttons = ".row, .head, .expand:not([disabled]), .panel button, .toolbar .set button:not([title^=back])"
    for _ in range(120):
        if chance.random() < 0.5:
            page.page.keyboard.press(chance.choice(KEYS))
        else:
            page.page.evaluate(CLICK, [buttons, chance.randrange(10_000)])
        if page.page.locator("dialog[open]").count():
            page.page.keyboard.press("Escape")
    page.page.keyboard.press("Escape")
    page.page.keyboard.press("1")
    page.page.wait_for_timeout(800)
    assert page.problems == []
    assert page.page.locator(".stage.arranging").count() == 0
    count = page.page.locator(".strip .status").inner_text().split()[0]
    assert str(len(page.cards())) == count


def test_two_fast_clicks_pin_and_let_go(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop).columns()
    page.page.keyboard.press("p")  # the first click would open the panel under the second
    page.page.keyboard.press("f")
    page.row("dim_customers", "email").dblclick()
    page.page.mouse.move(5, 300)
    assert page.lit() == set() and page.problems == []


def test_windows_of_any_size(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    for width, height in ((320, 480), (700, 500), (2560, 1440), (1280, 800)):
        page.page.set_viewport_size({"width": width, "height": height})
        page.page.wait_for_timeout(60)
        assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1"), width
    for _ in range(40):
        page.page.keyboard.press("-")
    for _ in range(60):
        page.page.keyboard.press("+")
    page.page.keyboard.press("f")
    box = page.page.locator(".card").first.bounding_box()
    assert 0 <= box["x"] <= 920 and box["width"] > 20
    page.page.emulate_media(media="print")
    assert (
        not page.page.locator(".panel").is_visible()
        and page.page.locator(".card").first.is_visible()
    )
    assert page.problems == []


def test_a_smaller_window_shows_all_that_was_shown(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    page.page.set_viewport_size({"width": 1180, "height": 740})
    page.page.wait_for_timeout(100)
    stage = page.page.locator(".stage").bounding_box()
    for card in page.page.locator(".card").all():
        box = card.bounding_box()
        assert box["x"] >= stage["x"] and box["x"] + box["width"] <= stage["x"] + stage["width"]


def test_the_keyboard_alone(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop).open("#column=dim_customers.email")
    page.page.keyboard.press("Escape")
    page.page.locator(".stage").focus()
    for _ in range(3):
        page.page.keyboard.press("Tab")
    assert page.page.evaluate("document.activeElement.matches('.row, .head')")
    page.page.locator(".row").nth(2).focus()
    page.page.keyboard.press("Enter")
    assert (
        page.page.locator(".panel h2").inner_text()
        == page.page.locator(".row .column-name").nth(2).inner_text()
    )
    outline = page.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none" and page.problems == []


def test_motion_is_reduced_on_request(shown: Open, shop: lineal.Lineage) -> None:
    page = shown(shop)
    page.page.emulate_media(reduced_motion="reduce")
    assert (
        page.page.locator(".card").first.evaluate(
            "(card) => getComputedStyle(card).transitionDuration"
        )
        == "0s"
    )


def test_hostile_text_over_the_server(browser: Any, tmp_path: Path) -> None:
    quoted = [payload.replace('"', '""') for payload in PAYLOADS if "\x00" not in payload]
    views = [
        f'CREATE VIEW v{n} AS SELECT "{text}" AS "{text}" FROM "{text}"'
        for n, text in enumerate(quoted)
    ]
    (tmp_path / "all.sql").write_text(";\n".join(views), encoding="utf-8")
    routes = _page(Source((str(tmp_path),), dialect="postgres", use_cache=False))
    with Server("127.0.0.1", 0, routes, "t", public={"/"}) as started:
        threading.Thread(target=started.serve_forever, daemon=True).start()
        page, problems, asked = browser.new_page(), [], []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "console",
            lambda message: problems.append(message.text) if message.type == "error" else None,
        )
        page.on("dialog", lambda dialog: (problems.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{started.address}/?token=t#mode=list")
        page.locator(".list summary").first.wait_for()
        for summary in page.locator(".list summary").all()[:60]:
            summary.click()
        page.wait_for_timeout(200)
        assert page.evaluate("window.hit") is None and problems == []
        assert [
            url for url in asked if not url.startswith((started.address, "data:", "blob:"))
        ] == []
        page.close()
        started.shutdown()


def test_names_of_ten_thousand_letters(shown: Open) -> None:
    name = "x" * 10_000
    view = f'CREATE VIEW "{name}" AS SELECT "{name}" AS "{name}y" FROM "{name}z"'
    page = shown(lineal.lineage(view, dialect="postgres"))
    assert (
        max(
            page.page.locator(".card").evaluate_all(
                "(cards) => cards.map((card) => card.offsetWidth)"
            )
        )
        < 800
    )
    page.columns().page.locator(".row").first.click()
    page.page.keyboard.press("/")
    page.page.keyboard.type("xxx")
    page.page.keyboard.press("Enter")
    assert (
        page.page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1")
        and page.problems == []
    )
