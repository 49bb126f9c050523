"""Options of the command line for dbt: --target, --profile and --vars."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lineal.model.diagnostic import Diagnostic
from lineal.projects import yaml

TARGET, PROFILE = "DBT_TARGET", "DBT_PROFILE"
"""The environment variables that dbt reads in their place."""


@dataclass(frozen=True)
class DbtOptions:
    """Which target of which profile is meant, and the variables that win over all others."""

    target: str = ""
    profile: str = ""
    variables: Mapping[str, Any] = field(default_factory=dict)

    @property
    def target_name(self) -> str:
        """The target that is asked for; '' for the profile's own."""
        return self.target or os.environ.get(TARGET, "")

    @property
    def profile_name(self) -> str:
        """The profile that is asked for; '' for the project's own."""
        return self.profile or os.environ.get(PROFILE, "")


def parse_variables(text: str) -> dict[str, object]:
    """'{start: 2024}', '{"start": 2024}'      the value of --vars; ValueError if not a mapping"""
    if not text.strip():
        return {}

    problems: list[Diagnostic] = []
    value = yaml.parse(text, "--vars", problems.append)
    if problems or value is None or not isinstance(value.data, dict):
        reason = problems[0].message if problems else "it is not a mapping"
        raise ValueError(f"--vars is YAML such as '{{start: 2024}}': {reason}")

    return {key: each.plain() for key, each in value.data.items()}


NO_OPTIONS = DbtOptions()
