"""The results of a project's statements, kept in the cache: a base, and the records after it.

After an edit only the new records are written; the base is written again once they are many.
"""

from __future__ import annotations

import marshal

from lineal.incremental.memory import Memory, Record
from lineal.model.collector import without_collector
from lineal.store import Cache, digest

MOST_NEW = 0.2
"""The new records are at most this part of the base."""
MOST = 4
"""A base has at most so many times the records that the last run has used."""


class KeptMemory:
    """The memory of one project in a cache."""

    def __init__(self, cache: Cache, key: str) -> None:
        self.cache = cache
        self.base_key = digest("memory base", key)
        self.news_key = digest("memory news", key)
        self.base: dict[bytes, Record] = {}
        self.news: dict[bytes, Record] = {}

    def load(self) -> Memory:
        """Return the kept memory; an empty one if there is none."""
        memory = Memory()
        with without_collector():
            self.base = _records(self.cache.get(self.base_key))
            self.news = _records(self.cache.get(self.news_key))

        memory.records = {**self.base, **self.news}
        return memory

    def save(self, memory: Memory) -> None:
        """Keep what the next run may use."""
        memory.settle()
        base, now = self.base, memory.now
        fresh = {key: record for key, record in now.items() if base.get(key) is not record}
        if all(self.news.get(key) is record for key, record in fresh.items()):
            return

        news = {**self.news, **fresh}
        if len(news) <= MOST_NEW * len(base):
            self.cache.put(self.news_key, marshal.dumps(news))
            return

        whole = {**base, **news}
        self.cache.put(
            self.base_key, marshal.dumps(whole if len(whole) <= MOST * len(now) else now)
        )
        self.cache.put(self.news_key, marshal.dumps({}))


def _records(data: bytes | None) -> dict[bytes, Record]:
    """Return the records of a saved memory."""
    if not data:
        return {}

    found: dict[bytes, Record] = marshal.loads(data)  # noqa: S302  what we wrote ourselves, and its checksum holds
    return found
