"""Names, descriptions and SQL are text: whatever they look like, nothing of them runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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


def test_sixty_payloads_in_every_field(shown: Open) -> None:
    assert len(PAYLOADS) >= 60
    for payload in PAYLOADS:
        page = shown(hostile(payload), start=payload, texts={payload: f"{payload}\n{payload}"})
        page.page.evaluate(STEPS)
        page.page.keyboard.press("i")
        page.page.keyboard.press("/")
        page.page.locator(".palette input").fill(payload[:50])
        page.page.keyboard.press("Enter")
        page.page.keyboard.press("Escape")
        for key in "23":
            page.page.keyboard.press(key)
        page.page.evaluate(
            "() => document.querySelectorAll('details').forEach((each) => { each.open = true })"
        )
        assert page.page.evaluate("() => window.hit") is None, payload
        assert (
            page.page.locator(
                "main script, main iframe, main img, main svg[onload], main a"
            ).count()
            == 0
        ), payload
        assert page.problems == [], payload
        assert page.outside() == [], payload
        page.page.close()
