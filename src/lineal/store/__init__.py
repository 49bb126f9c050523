"""Data that outlives a process: the cache under the user's cache folder, saved lineages, and the
store in `lineage/`.

    cache()                         the user's cache, or None where there is no place for one
    cache().get(key), .put(key, …)  bytes under a key; what is damaged or gone is simply not there
    digest(…), machinery()          keys: the hash of everything that decides a result

A key says everything that its entry depends on, so that an entry is never out of date; it is only
no longer asked for.
"""

from __future__ import annotations

from lineal.store.cache import Cache, cache
from lineal.store.keys import corpus_digest, digest, machinery

__all__ = ["Cache", "cache", "corpus_digest", "digest", "machinery"]
