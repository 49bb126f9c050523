"""Changes that a column may see: drop, rename=NEW, type=T, values."""

from __future__ import annotations

from typing import NamedTuple

from lineal.model.boundary import Passing

DROP, RENAME, TYPE, VALUES = "drop", "rename", "type", "values"
KINDS = (DROP, RENAME, TYPE, VALUES)
WITH_OBJECT = {RENAME: "NEW", TYPE: "TYPE"}


class UnknownChange(Passing, ValueError):
    """The text names no change; the message says what does."""


class Change(NamedTuple):
    """The change of a column; a rename and a type have the new value."""

    kind: str
    to: str = ""

    @property
    def loses_name(self) -> bool:
        """Tell whether the column is no longer there under its name."""
        return self.kind in (DROP, RENAME)

    def __str__(self) -> str:
        if self.to:
            return f"{self.kind}={self.to}"

        return self.kind


def parse(text: str) -> Change:
    """Read a change as the command line writes it: `drop`, `rename=NEW`, `type=TYPE` or `values`."""
    kind, _, to = text.partition("=")
    kind, to = kind.strip().lower(), to.strip()
    if kind not in KINDS:
        raise UnknownChange(f"unknown change {text}: write drop, rename=NEW, type=TYPE or values")

    if (kind in WITH_OBJECT) != bool(to):
        example = f"{kind}={WITH_OBJECT[kind]}" if kind in WITH_OBJECT else kind
        raise UnknownChange(f"{text}: write {example}")

    return Change(kind, to)
