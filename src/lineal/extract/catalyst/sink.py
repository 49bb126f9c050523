"""The targets of commands."""

from __future__ import annotations

from dataclasses import dataclass, field

from lineal.algebra.frame import Frame


@dataclass
class Sink:
    """A dataset with the frame that is written to it."""

    name: str
    kind: str
    frame: Frame
    columns: list[str] = field(default_factory=list)
