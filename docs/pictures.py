"""Makes the pictures of README and docs/how-to/page.md from the samples: python docs/pictures.py,
with the extra `web`. `python docs/pictures.py column-light column-dark` makes only these.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from playwright.sync_api import sync_playwright
from smaller import smaller

import lineal
from lineal.graph.diff import diff, overlay
from lineal.projects.source_texts import SourceFiles
from lineal.web.data import page_data, texts_of
from lineal.web.page import html

ROOT = Path(__file__).resolve().parents[1]
PICTURES = Path(__file__).resolve().parent / "pictures"
SHOP = "examples/shop"
SALES = "examples/sales"
LARGEST = 150_000
FLAGS = ["--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--font-render-hinting=none"]


class Scene(NamedTuple):
    address: str
    theme: str = "light"
    page: str = "shop"
    size: tuple[int, int] = (1280, 800)
    scale: int = 1
    keys: str = ""
    """The keys that are pressed before the picture is taken."""
    part: str = "body"
    """The part of the page that is in the picture."""


VALUE = "#column=customer_value.lifetime_value"

SCENES = {
    "column-light": Scene(VALUE, "light", "sales", (900, 370), 2, "bpf", ".stage"),
    "column-dark": Scene(VALUE, "dark", "sales", (900, 370), 2, "bpf", ".stage"),
    "start": Scene(""),
    "pinned": Scene("#column=dim_customers.lifetime_value"),
    "edge": Scene("#column=dim_customers.lifetime_value"),
    "path": Scene("#column=dim_customers.lifetime_value&mode=strip"),
    "impact": Scene("#column=raw_orders.amount&mode=impact&change=drop"),
    "diff": Scene("#table=dim_customers&mode=diff", page="diff"),
    "dark": Scene("#column=fct_orders.payment_total", theme="dark"),
}


def main() -> int:
    os.chdir(ROOT)
    PICTURES.mkdir(exist_ok=True)
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        pages = write_pages(Path(folder))
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        for name, scene in SCENES.items():
            if sys.argv[1:] and name not in sys.argv[1:]:
                continue

            width, height = scene.size
            context = browser.new_context(
                viewport={"width": width, "height": height},
                device_scale_factor=scene.scale,
                color_scheme=scene.theme,
                reduced_motion="reduce",
            )
            page = context.new_page()
            page.goto(pages[scene.page].as_uri() + scene.address)
            ready = ".hop" if name == "path" else ".stage:not(.arranging) .wire"
            page.locator(ready).first.wait_for(state="attached")
            if name == "edge":
                page.locator(".kind-mark.copy").first.click()
            for key in scene.keys:
                page.keyboard.press(key)
                page.wait_for_timeout(500)

            page.wait_for_timeout(500)
            take_picture(page.locator(scene.part), PICTURES / f"{name}.png")
            context.close()
        browser.close()
    return 0


def take_picture(part: Any, file: Path) -> None:
    file.write_bytes(smaller(part.screenshot()))
    assert file.stat().st_size <= LARGEST, f"{file.name} has more than {LARGEST:,} bytes"


def write_pages(folder: Path) -> dict[str, Path]:
    """The pages: two samples, and what two edits of one would change."""
    shop = lineal.lineage(SHOP)
    sales = lineal.lineage(SALES)
    edited = folder / "shop"
    shutil.copytree(SHOP, edited, ignore=shutil.ignore_patterns(".lineal"))
    edit(edited / "nodes/stg_orders/stg_orders.sql", "amount", "amount * 2 AS amount")
    edit(edited / "nodes/dim_customers/dim_customers.sql", "c.email,", "lower(c.email) AS contact,")
    found = diff(shop.graph, lineal.lineage(edited).graph)
    over = overlay(found)
    data = {
        "shop": page_data(
            shop.graph, title="shop", texts=texts_of(shop.graph, SourceFiles([SHOP]).text)
        ),
        "sales": page_data(sales.graph, title="sales"),
        "diff": page_data(over.graph, title="shop", over=over, findings=found.findings),
    }
    pages = {name: folder / f"{name}.html" for name in data}
    for name, file in pages.items():
        file.write_text(html(data[name], f"{name} – lineal"), encoding="utf-8")
    return pages


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text, f"{file} has no {old}"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
