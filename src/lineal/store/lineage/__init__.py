"""A store of lineage: extractions kept with their history, in a file or on a PostgreSQL server.

with open_store("lineal.store.db", create=True) as store:
    store.load("shop", extraction)                 what is gone is closed, what is new is opened
    store.extraction("shop", at="2026-11-16")      as it was then
    store.region("shop", [column], up=10)          what a trace of it visits, found by recursive SQL
    store.history("shop", column)                  when each of its edges came and went
"""

from __future__ import annotations

from lineal.store.lineage.store import Store, open_store

__all__ = ["Store", "open_store"]
