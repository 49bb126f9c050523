"""The caller's mistakes: a path or a schema that is not there. What is wrong *inside* a file is a
Diagnostic.
"""

from __future__ import annotations

from lineal.model.boundary import Passing


class ProjectError(Passing):
    """One line that says what the caller asked for and why it cannot be had."""
