"""How much the commands list: --all-diagnostics."""

from __future__ import annotations


class Listing:
    """The settings of this process for lists of diagnostics."""

    all_diagnostics = False
    """Whether every diagnostic is listed, and not only the first of each code."""
