"""The page as the output of a notebook's cell, or in a tab of its own.

A frame without an origin of its own holds it: what the page shows can neither read the notebook nor change it, and the
page's policy lets nothing out.
"""

from __future__ import annotations

import tempfile
import webbrowser
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Protocol

SANDBOX = "allow-scripts allow-downloads"
TALLEST = 4000

ESM = """
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "%(sandbox)s");
  frame.title = "lineage";
  frame.style.cssText = "width:100%%;border:1px solid #8884;border-radius:6px";
  const draw = () => {
    frame.style.height = `${model.get("height")}px`;
    frame.srcdoc = model.get("page");
  };
  model.on("change:page", draw);
  model.on("change:height", draw);
  draw();
  el.append(frame);
}
export default { render };
""" % {"sandbox": SANDBOX}  # noqa: UP031  braces are JavaScript's


class Display(Protocol):
    """What a notebook shows: a widget, or HTML."""

    page: str
    height: int


class Frame:
    """The page in a frame of HTML: for notebooks without widgets, and for those that are saved."""

    def __init__(self, page: str, height: int) -> None:
        self.page = page
        self.height = height

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{self.height}px;border:1px solid #8884;border-radius:6px"
        return f'<iframe sandbox="{SANDBOX}" title="lineage" style="{style}" srcdoc="{escape(self.page)}"></iframe>'


def display(page: str, height: int) -> Display:
    """A widget where anywidget is installed, else a frame."""
    height = max(200, min(height, TALLEST))
    try:
        widget = _widget()
    except ImportError:
        return Frame(page, height)
    made: Display = widget(page=page, height=height)
    return made


@cache
def _widget() -> Any:
    import anywidget
    import traitlets

    base: Any = anywidget.AnyWidget

    class LineagePage(base):  # type: ignore[misc]
        """The page, held by a widget: setting `page` or `height` draws it again."""

        _esm = ESM
        page = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int().tag(sync=True)

    return LineagePage


def open_tab(page: str) -> Path:
    """Writes the page into a file that only its owner reads, and opens it."""
    file = Path(tempfile.mkdtemp(prefix="lineal-"), "lineage.html")
    file.write_text(page, encoding="utf-8")
    webbrowser.open(file.as_uri())
    return file
