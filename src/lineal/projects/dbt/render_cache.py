"""A cache of rendered templates: an entry is valid until its template or the shared setting
changes.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Protocol

from lineal.model.boundary import FAILED
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.projects.render import Rendering, Setting, Template, expansions_of, render


class ByteCache(Protocol):
    """Bytes by what decides them."""

    def get(self, key: str) -> bytes | None:
        """Return the cached entry of a key."""

    def put(self, key: str, data: bytes) -> object:
        """Keep bytes under a key."""


def render_with_cache(
    templates: list[Template], setting: Setting, kept: ByteCache
) -> list[Rendering]:
    """Render the templates that the cache does not have."""
    key = _hash([setting.about, setting.project])
    held = _load_renderings(kept.get(key))
    keys = [_hash([each.text, each.file, each.line, each.about]) for each in templates]
    new = [number for number, each in enumerate(keys) if each not in held]
    if new:
        done = render([templates[number] for number in new], setting).renderings
        made = {
            keys[number]: _plain_rendering(rendering)
            for number, rendering in zip(new, done, strict=True)
        }
        lasting = {each: plain for each, plain in made.items() if plain is not None}
        kept.put(key, json.dumps({**held, **lasting}).encode())
        fresh = dict(zip(new, done, strict=True))
    else:
        fresh = {}

    return [
        fresh[number] if number in fresh else _rendering(held[each])
        for number, each in enumerate(keys)
    ]


def _hash(parts: list[Any]) -> str:
    """Return a hash of plain values."""
    said = json.dumps(parts, default=str, sort_keys=True).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(said, digest_size=20).hexdigest()


def _load_renderings(data: bytes | None) -> dict[str, Any]:
    """Return the renderings of a cache entry; an empty mapping if it is damaged."""
    try:
        found = json.loads(data) if data else {}
    except ValueError:
        found = {}

    if isinstance(found, dict):
        return found

    return {}


def _plain_rendering(rendering: Rendering) -> list[Any] | None:
    """Return a rendering as plain values; None if a limit or a defect stopped it, which may succeed
    next time.
    """
    if any(found.code in (Code.TEMPLATE_LIMIT, *FAILED) for found in rendering.diagnostics):
        return None

    faults = [
        (found.code.name, found.message, found.place, found.hint) for found in rendering.diagnostics
    ]
    return [rendering.texts, rendering.last, dict(rendering.said), faults, rendering.expansions]


def _rendering(plain: list[Any]) -> Rendering:
    """Return the rendering of its plain form."""
    texts, last, said, faults, expansions = plain
    found = (
        Diagnostic(Code[code], message, Place(*place), hint)
        for code, message, place, hint in faults
    )
    return Rendering(tuple(texts), tuple(found), last, said, expansions_of(expansions))
