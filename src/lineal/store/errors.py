"""Errors of a store: one line with the cause and the remedy."""

from __future__ import annotations

from lineal.model.boundary import Passing


class StoreError(Passing):
    """The store cannot do the requested work; nothing of it was changed."""


class NoStore(StoreError):
    """There is none at this place."""


class Busy(StoreError):
    """Another process is writing, and goes on for longer than we may wait."""


class Damaged(StoreError):
    """The content differs from the content that lineal wrote."""


class TooNew(StoreError):
    """The store was made by a later lineal."""


class Unreadable(StoreError):
    """The place cannot be read or written: rights, a full disk, a server that is gone."""
