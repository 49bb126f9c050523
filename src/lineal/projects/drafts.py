"""A project in the making: its settings, and the diagnostics reported while it is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Protocol, Self, TypeVar

from lineal.model.diagnostic import Diagnostic
from lineal.projects.text import Report


class Spoken(Protocol):
    """Settings that name the dialect of a project."""

    dialect: str


SettingsType = TypeVar("SettingsType", bound=Spoken)


@dataclass
class ProjectDraft(Generic[SettingsType]):
    """The folder, settings, dialect and diagnostics of a project."""

    folder: Path
    settings: SettingsType
    dialect: str
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @classmethod
    def begin(
        cls, folder: Path, dialect: str | None, read: Callable[[Path, Report], SettingsType]
    ) -> Self:
        """Read the settings of a project; the dialect that is asked for wins over theirs."""
        problems: list[Diagnostic] = []
        settings = read(folder, problems.append)
        spoken = settings.dialect
        if dialect is not None:
            spoken = dialect

        return cls(folder, settings, spoken, problems)

    @property
    def report(self) -> Report:
        """Return the function that takes diagnostics."""
        return self.diagnostics.append
