"""Words as numbers, the same in all processes."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable
from functools import lru_cache

import numpy as np


@lru_cache(100_000)
def hash_of(*words: str) -> int:
    """Return a number of 64 bits for some words in their order."""
    said = "\0".join(words).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(said, digest_size=8).digest(), "little", signed=True)


def hashes(words: Iterable[str]) -> bytes:
    """Return the numbers of words as bytes."""
    return array("q", map(hash_of, words)).tobytes()


def numbers_in(data: bytes | memoryview) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the numbers that bytes hold."""
    return np.frombuffer(data, np.int64)
