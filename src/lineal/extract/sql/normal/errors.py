"""Reasons that stop a proof."""

from __future__ import annotations


class Unproven(Exception):
    """A construct for which no sound rule is known, or a statement that is too large."""
