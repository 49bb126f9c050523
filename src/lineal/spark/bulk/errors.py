"""What the caller has to change."""

from __future__ import annotations


class BulkError(Exception):
    """The pipeline cannot do what it was asked for; the message says what to change."""
