"""The page can be used by everybody: what axe-core finds of a serious kind is nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lineal

AXE = Path(__file__).resolve().parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
FIND = """async () => {
  const found = await axe.run(document, {resultTypes: ['violations']});
  return found.violations.filter((each) => ['serious', 'critical'].includes(each.impact))
    .map((each) => `${each.id}: ${each.nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(' | ')}`);
}"""
SCENES = {
    "whole": ("", ()),
    "pinned": ("#column=dim_customers.email", ()),
    "impact": ("#column=raw_orders.amount&mode=impact", ()),
    "list": ("#mode=list", ()),
    "search": ("", ("/",)),
    "help": ("", ("?",)),
    "folded": ("#open=", ()),
    "filters": ("#q=layer:staging", ()),
    "around": ("#table=stg_orders", ()),
    "path": ("#column=dim_customers.email&mode=strip", ()),
    "table impact": ("#table=raw_orders&mode=impact", ()),
}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("scene", SCENES)
def test_axe_finds_nothing_serious(
    browser: Any, shown: Callable[..., Any], shop: lineal.Lineage, scene: str, theme: str
) -> None:
    if not AXE.exists():
        pytest.skip("no axe-core: tools/page.sh fetches it")
    address, keys = SCENES[scene]
    page = shown(shop)
    page.page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.page.goto("about:blank")
    page.page.goto(f"{page.file.as_uri()}{address}")
    page.page.wait_for_timeout(600)
    for key in keys:
        page.page.keyboard.press(key)
    page.page.evaluate(AXE.read_text(encoding="utf-8"))
    assert page.page.evaluate(FIND) == []
