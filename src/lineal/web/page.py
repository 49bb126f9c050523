"""The file: program, style and data in one, under a policy that lets nothing else in and nothing
out.

Everything that comes from the lineage is inside the data, which is base 64: no text of it can
end a tag, and the program sets it as text only.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from typing import Any

from lineal.views.safe import make_visible

POLICY = (
    "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; img-src data: blob:; "
    "worker-src blob:; connect-src {connect}; base-uri 'none'; form-action 'none'"
)

SHELL = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<noscript>This page draws the lineage with JavaScript, which is turned off here.</noscript>
<script type="application/octet-stream" id="lineage">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def html(data: dict[str, Any] | None, title: str) -> str:
    """A page with its data inside; with none it asks the server that it came from."""
    script, style = _read_built_file("page.js"), _read_built_file("page.css")
    policy = POLICY.format(
        script=_hash(script), style=_hash(style), connect="'none'" if data is not None else "'self'"
    )
    packed = _pack_data(data) if data is not None else ""
    return SHELL.format(
        policy=policy, title=escape(make_visible(title)), style=style, script=script, data=packed
    )  # fmt: skip


def shell_size() -> int:
    """How many bytes a page has in addition to its data."""
    return len(html({}, "").encode())


def _read_built_file(name: str) -> str:
    """Return a built file of the page."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8").strip()


def _hash(text: str) -> str:
    """Return the hash of a script, for the content security policy."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _pack_data(data: Mapping[str, object]) -> str:
    """Return the data of the page, compressed and encoded."""
    written = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(written.encode("utf-8", "replace"), 9)).decode()
