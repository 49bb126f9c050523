"""The caller's mistakes: a path or a schema that does not exist. A mistake *inside* a file is a
Diagnostic.
"""

from __future__ import annotations

from lineal.model.boundary import Passing
from lineal.model.redaction import redact_secrets


class ProjectError(Passing):
    """One line that says what the caller asked for and why it cannot be had, without secrets."""

    def __init__(self, message: object = "") -> None:
        super().__init__(redact_secrets(str(message)))
