"""Names, descriptions and SQL are text: whatever they look like, nothing of them runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import lineal
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.edge import Column, Dataset, Edge, Site, Usage
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.way import IDENTITY

Open = Callable[..., Any]

CALLS = "window.hit=1", "alert(1)", "fetch('http://127.0.0.1:9/x')"
PAYLOADS = [
    *(f"<script>{call}</script>" for call in CALLS),
    *(f"</script><script>{call}</script>" for call in CALLS),
    *(f"<img src=x onerror={call}>" for call in CALLS),
    *(f"<svg onload={call}>" for call in CALLS),
    *(f'"><svg/onload={call}>' for call in CALLS),
    *(f"'-({call})-'" for call in CALLS),
    *(f"${{{call}}}" for call in CALLS),
    *(f"`${{{call}}}`" for call in CALLS),
    *(f"{{{{{call}}}}}" for call in CALLS),
    *(f"javascript:{call}" for call in CALLS),
    *(f"<a href=javascript:{call}>x</a>" for call in CALLS),
    *(f"<iframe srcdoc='<script>{call}</script>'></iframe>" for call in CALLS),
    *(f"<style>@import 'x'</style><body onload={call}>" for call in CALLS),
    *(f"--><script>{call}</script><!--" for call in CALLS),
    *(f"]]><script>{call}</script>" for call in CALLS),
    *(f"\u2028{call}//" for call in CALLS),
    "\u202eevil\u202c",
    "\u2066x\u2069\u200f",
    "a\u0000b",
    "line\nbreak\r\n",
    "tab\tand\x1b[31mred\x07",
    "👩\u200d🚀",
    "x" * 10_000,
    "'; DROP TABLE users; --",
    "%00%0a<%=7*7%>",
    "\\u003cscript\\u003e",
    "&lt;script&gt;&amp;",
    "constructor",
    "__proto__",
    "toString",
]


def hostile(text: str) -> lineal.Lineage:
    """A lineage with the text in every field that can hold one."""
    here, there = Dataset(text, f"{text}"), Dataset("", f"t.{text}")
    place = Place(text, 1, 1)
    usage = Usage(IDENTITY, None, None, Site(place, text, (text,)))
    source, target = Column(here, text, (text,)), Column(there, text)
    info = ColumnInfo(text, text, text, (text,), place)
    other = info._replace(description=f"{text} changed", classification=())
    found = Extraction(
        [Edge(source, target, (usage,)), Edge(source, there, (usage,))],
        [],
        {
            here: DatasetInfo(here, text, [info], True, text, place),
            there: DatasetInfo(there, "view", [other], True, text, place),
        },
        [Diagnostic(Code.DYNAMIC, text, place, text)],
    )
    return lineal.Lineage(found)


STEPS = """() => {
  for (const part of ['.row', '.head', '.wire', '[role=tab]', '[data-open-edge]', '[data-pin]', '.menu summary']) {
    for (const each of document.querySelectorAll(part)) {
      each.dispatchEvent(new PointerEvent('pointerover', {bubbles: true}));
      each.dispatchEvent(new MouseEvent('click', {bubbles: true}));
    }
  }
}"""


def union(parts: list[Extraction]) -> lineal.Lineage:
    """Several lineages in one."""
    return lineal.Lineage(
        Extraction(
            [edge for part in parts for edge in part.edges],
            [],
            {name: info for part in parts for name, info in part.datasets.items()},
            [found for part in parts for found in part.diagnostics],
        )
    )


PARSED = "main script, main iframe, main img, main svg[onload], main a, main style, main link"
TOGETHER = 6
"""So many payloads are on one page: a picture of them shows every table and column."""


@pytest.mark.parametrize("first", range(0, len(PAYLOADS), TOGETHER))
def test_sixty_payloads_in_every_field(shown: Open, first: int) -> None:
    assert len(PAYLOADS) >= 60
    payloads = PAYLOADS[first : first + TOGETHER]
    texts = {payload: f"{payload}\n{payload}" for payload in payloads}
    found = union([hostile(payload).extraction for payload in payloads])
    page = shown(found, start=payloads[0], texts=texts).open("#level=column&inspect=1")
    assert page.page.locator(".card").count() == 2 * len(payloads)
    page.page.evaluate(STEPS)
    for payload in payloads:
        page.page.keyboard.press("Control+k")
        page.page.locator(".palette input").fill(payload[:50])
        page.page.keyboard.press("Enter")
        page.page.keyboard.press("Escape")
        for key in "25":
            page.page.keyboard.press(key)
    page.page.keyboard.press("3")
    page.page.evaluate(
        "() => document.querySelectorAll('details').forEach((each) => { each.open = true })"
    )
    assert page.page.evaluate("() => window.hit") is None
    assert page.page.locator(PARSED).count() == 0
    assert page.problems == [] and page.outside() == []
