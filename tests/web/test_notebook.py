"""`show()` in a notebook: the widget and the HTML hold the page, in a frame that can do nothing to
its notebook.
"""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from typing import Any

import pytest

import lineal
from lineal.web.notebook import ESM, Frame

NOTEBOOK = """<!doctype html><meta charset="utf-8"><title>notebook</title><h1>A notebook</h1><div id="out"></div>"""
RENDER = """async ([esm, values]) => {
  const blob = URL.createObjectURL(new Blob([esm], {type: 'text/javascript'}));
  const { default: widget } = await import(blob);
  const model = {get: (name) => values[name], on: () => {}};
  widget.render({model, el: document.getElementById('out')});
}"""


@pytest.fixture
def notebook(browser: Any, tmp_path: Path) -> Any:
    file = tmp_path / "notebook.html"
    file.write_text(NOTEBOOK, encoding="utf-8")
    page = browser.new_page(viewport={"width": 1200, "height": 800})
    page.problems = []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on(
        "console",
        lambda message: page.problems.append(message.text) if message.type == "error" else None,
    )
    page.on("dialog", lambda dialog: (page.problems.append(dialog.message), dialog.dismiss()))
    page.goto(file.as_uri())
    yield page
    page.close()


def used(notebook: Any, cards: list[str]) -> None:
    """The page in the frame can be used: pinned, taken back, and looked at."""
    inside = notebook.frame_locator("iframe")
    inside.locator(".card").first.wait_for(timeout=20_000)
    assert sorted(inside.locator(".card .name").all_inner_texts()) == cards
    inside.locator(".card .head").first.press("Enter")
    inside.locator(".row").first.wait_for()
    before = inside.locator(".panel h2").inner_text()
    inside.locator(".row").first.click()
    assert (
        inside.locator(".panel h2").inner_text()
        == inside.locator(".row .column-name").first.inner_text()
    )
    inside.locator("button[title^=back]").click()
    inside.locator(f'.panel h2:text-is("{before}")').wait_for()
    assert notebook.problems == [] and "#" not in notebook.url


def test_without_widgets_it_is_html(
    notebook: Any, shop: lineal.Lineage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    from lineal.web.notebook import _widget

    _widget.cache_clear()
    found = shop.show("dim_customers.email")
    assert isinstance(found, Frame)
    notebook.evaluate(
        "(html) => { document.getElementById('out').innerHTML = html }", found._repr_html_()
    )
    used(notebook, ["dim_customers", "raw_customers", "stg_customers"])


def test_the_widget_draws_the_page(notebook: Any, shop: lineal.Lineage) -> None:
    found = lineal.lineage("CREATE VIEW v AS SELECT a FROM t").show(height=500)
    notebook.evaluate(RENDER, [ESM, {"page": found.page, "height": found.height}])
    used(notebook, ["t", "v"])
    assert notebook.locator("iframe").bounding_box()["height"] == pytest.approx(502, abs=2)


WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def open_notebook(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A kernel that Jupyter's server has started, for a notebook that somebody looks at."""
    anywidget = pytest.importorskip(
        "anywidget", reason="no anywidget: pip install 'lineal[jupyter]'"
    )
    from lineal.web.notebook import _widget

    _widget.cache_clear()
    monkeypatch.setenv("JPY_SESSION_NAME", "demo.ipynb")
    return anywidget


def test_it_is_a_widget_where_anywidget_is_and_somebody_looks(open_notebook: Any) -> None:
    found: Any = lineal.lineage("SELECT a FROM t").show()
    assert isinstance(found, open_notebook.AnyWidget)
    assert found.page.startswith("<!doctype html>") and found._esm == ESM and found.height == 640
    shown = found._repr_mimebundle_()[0]
    assert WIDGET in shown and shown["text/html"] == Frame(found.page, 640)._repr_html_()


def test_a_kernel_without_a_viewer_shows_html(
    open_notebook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """nbconvert --execute would keep a widget, and draw it with programs from the network."""
    monkeypatch.delenv("JPY_SESSION_NAME")
    found = lineal.lineage("SELECT a FROM t")
    assert isinstance(found.show(), Frame)
    assert found._repr_mimebundle_() == {}


def test_a_lineage_at_the_end_of_a_cell_is_its_page(notebook: Any, open_notebook: Any) -> None:
    found = lineal.lineage("CREATE VIEW v AS SELECT a FROM t")
    shown = found._repr_mimebundle_()
    assert WIDGET in shown
    assert shown["text/html"] == found._repr_html_()
    assert repr(found) == "<Lineage: 2 datasets, 1 edge>"
    notebook.evaluate(
        "(html) => { document.getElementById('out').innerHTML = html }", found._repr_html_()
    )
    used(notebook, ["t", "v"])


def test_a_page_that_is_too_large_for_a_cell_says_where_to_look(
    open_notebook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lineal.web.notebook.MOST_IN_A_CELL", 1000)
    shown = lineal.lineage("SELECT a FROM t")._repr_mimebundle_()
    assert list(shown) == ["text/html"]
    assert "0.2 MB" in shown["text/html"] and "<code>show_tab()</code>" in shown["text/html"]


def test_hostile_text_stays_text_in_the_notebook(notebook: Any) -> None:
    evil = "</iframe><img src=x onerror=alert(1)>\"'><script>parent.hit=1;alert(2)</script>"
    found = lineal.lineage(
        f'CREATE VIEW "{evil.replace(chr(34), chr(34) * 2)}" AS SELECT a FROM t', dialect="postgres"
    )
    html = Frame(found._page(None), 400)._repr_html_()
    notebook.evaluate("(html) => { document.getElementById('out').innerHTML = html }", html)
    notebook.frame_locator("iframe").locator(".card").first.wait_for(timeout=20_000)
    notebook.wait_for_timeout(200)
    assert notebook.problems == []
    assert notebook.evaluate("window.hit") is None
    assert notebook.locator("#out > *").count() == 1


def test_a_lineage_opens_in_a_separate_tab(
    shop: lineal.Lineage, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    file = shop.show_tab("dim_customers")
    assert opened == [file.as_uri()]
    assert file.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert file.parent.stat().st_mode & 0o077 == 0
    file.unlink()
    file.parent.rmdir()


def test_an_unknown_name_is_reported(shop: lineal.Lineage) -> None:
    with pytest.raises(LookupError, match="did you mean dim_customers"):
        shop.show("dim_customer")


def test_the_wheel_is_the_notebook_s(notebook: Any) -> None:
    found = lineal.lineage("CREATE VIEW v AS SELECT a FROM t")
    notebook.evaluate(
        "(html) => { document.getElementById('out').innerHTML = html }", found._repr_html_()
    )
    inside = notebook.frame_locator("iframe")
    inside.locator(".card").first.wait_for(timeout=20_000)
    world = inside.locator(".world")
    before = settled_style(notebook, world)
    box = notebook.locator("iframe").bounding_box()
    notebook.mouse.move(box["x"] + 300, box["y"] + 300)
    notebook.mouse.wheel(0, 120)
    assert settled_style(notebook, world) == before
    notebook.keyboard.down("Control")
    notebook.mouse.wheel(0, 120)
    notebook.keyboard.up("Control")
    for _ in range(100):
        if world.get_attribute("style") != before:
            break

        notebook.wait_for_timeout(100)

    assert world.get_attribute("style") != before


def settled_style(page: Any, world: Any) -> str:
    """Return how the drawing is moved and scaled, once that stays the same for 300 ms."""
    style, now = None, world.get_attribute("style")
    while now != style:
        page.wait_for_timeout(300)
        style, now = now, world.get_attribute("style")

    return now
