"""Short digests of texts."""

from __future__ import annotations

import hashlib


def digest(text: str) -> str:
    """Return a short digest of a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
