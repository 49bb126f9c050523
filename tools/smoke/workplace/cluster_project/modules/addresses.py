"""What both models know of addresses; their functions call it on the workers of a cluster."""

from __future__ import annotations

from urllib.parse import urlsplit


def host(address: str | None) -> str | None:
    return urlsplit(address).hostname if address else None
