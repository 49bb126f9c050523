"""The page as the output of a notebook's cell, or in a tab of its own.

A frame without an origin of its own holds it: what the page shows can neither read the notebook nor
change it, and the page's policy lets nothing out.
"""

from __future__ import annotations

import os
import tempfile
import webbrowser
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Protocol

SANDBOX = "allow-scripts allow-downloads"
HEIGHT = 640
TALLEST = 4000

LIVE = ("JPY_SESSION_NAME", "VSCODE_PID", "COLAB_RELEASE_TAG")
"""Environment variables of a kernel that a front end talks to: Jupyter's server, VS Code, Colab. A
kernel that only
executes a notebook (nbconvert, papermill) has none of them, and nobody who could draw a widget."""

MOST_IN_A_CELL = 1_400_000
"""Characters of a page that a cell shows unasked: with the widget's copy it stays below the 3 MB in
3 seconds that
Jupyter's server lets through."""

ESM = """
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "%(sandbox)s");
  frame.title = "lineage";
  frame.style.cssText = "box-sizing:border-box;width:100%%;border:1px solid #8884;border-radius:6px";
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
    """The output of a notebook cell: a widget, or HTML."""

    page: str
    height: int

    def _repr_html_(self) -> str:
        """Return the HTML that a notebook shows."""


class Frame:
    """The page in a frame of HTML: for notebooks without widgets, and for those that are exported."""

    def __init__(self, page: str, height: int) -> None:
        self.page = page
        self.height = height

    def _repr_html_(self) -> str:
        """Return the page in a sandboxed frame."""
        style = f"box-sizing:border-box;width:100%;height:{self.height}px;border:1px solid #8884;border-radius:6px"
        return f'<iframe sandbox="{SANDBOX}" title="lineage" style="{style}" srcdoc="{escape(self.page)}"></iframe>'


def display(page: str, height: int) -> Display:
    """A widget where anywidget is installed and a front end can draw it, else a frame."""
    height = max(200, min(height, TALLEST))
    widget = _widget() if is_live() else None
    if widget is None:
        return Frame(page, height)

    made: Display = widget(page=page, height=height)
    return made


def is_live() -> bool:
    """Tell whether somebody looks at what this kernel shows."""
    return any(map(os.environ.get, LIVE))


def cell_view(page: str) -> dict[str, object]:
    """Return the output of a cell that ends with a lineage, by MIME type: HTML, and a widget if one
    can be drawn.
    """
    if len(page) > MOST_IN_A_CELL or not is_live() or _widget() is None:
        return {"text/html": html_view(page)}

    made: Any = display(page, HEIGHT)
    return dict(made._repr_mimebundle_()[0])


def html_view(page: str) -> str:
    """The page in a frame; of a page that is too large for a cell, the calls that show it
    elsewhere.
    """
    if len(page) <= MOST_IN_A_CELL:
        return Frame(page, HEIGHT)._repr_html_()

    return (
        f"<p>The page of this lineage has {len(page) / 1e6:.1f} MB, too much for the output of a cell. "
        "<code>show_tab()</code> opens it in a tab, <code>save('folder/')</code> writes it to a file, "
        "<code>show()</code> draws it here anyway.</p>"
    )


@cache
def _widget() -> Any:
    """The class of the widget; None where anywidget is not installed."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        return None

    base: Any = anywidget.AnyWidget

    class LineagePage(base):  # type: ignore[misc]
        """The page, held by a widget: setting `page` or `height` draws it again."""

        _esm = ESM
        page = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int().tag(sync=True)

        def _repr_html_(self) -> str:
            """Return the page as HTML for a notebook."""
            return Frame(self.page, self.height)._repr_html_()

        def _repr_mimebundle_(self, **kwargs: object) -> Any:
            """The widget for a front end, and HTML for exports of the notebook."""
            shown: Any = super()._repr_mimebundle_(**kwargs) or ({}, {})
            return {**shown[0], "text/html": self._repr_html_()}, shown[1]

    return LineagePage


def open_tab(page: str) -> Path:
    """Writes the page into a file that only its owner reads, and opens it."""
    file = Path(tempfile.mkdtemp(prefix="lineal-"), "lineage.html")
    file.write_text(page, encoding="utf-8")
    webbrowser.open(file.as_uri())
    return file
