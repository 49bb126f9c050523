"""The consumers' environments, and a line that counts the checks that were skipped."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

WHERE = Path(os.environ.get("LINEAL_CONSUMERS", ""))


@pytest.fixture(scope="session")
def consumers() -> Path:
    """The folder with an environment for each consumer."""
    if not os.environ.get("LINEAL_CONSUMERS"):
        pytest.skip("run `make test-consumers`")
    return WHERE


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = len(terminalreporter.stats.get("skipped", ()))
    if os.environ.get("LINEAL_CONSUMERS"):
        terminalreporter.write_line(f"checks with consumers that were skipped: {skipped}")
