"""The projects of the contract tests: those of this repository, and checkouts of others."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HELD_OUT = os.environ.get("LINEAL_HELD_OUT", "")
INNER = ("dbt_packages", "dbt_modules", "integration_tests", "target", "node_modules")


def held_out_projects() -> list[Path]:
    """Return the dbt projects of the checkouts below LINEAL_HELD_OUT."""
    if not HELD_OUT:
        return []
    found: list[Path] = []
    for checkout in sorted(Path(HELD_OUT).iterdir()):
        for file in sorted(checkout.rglob("dbt_project.yml")):
            inner = file.relative_to(checkout).parts
            if not any(part in INNER for part in inner):
                found.append(file.parent)
    return found


def dbt_projects() -> list[Path]:
    """Return the dbt projects of this repository, and those that are held out."""
    own = [ROOT / "examples" / "jaffle", ROOT / "tests" / "data" / "cafe"]
    return [*own, *held_out_projects()]
