"""For all tests: nobody's cache is read or written, and no input makes lineal fail inside."""

import os
import signal
from collections.abc import Iterator

import pytest

os.environ["LINEAL_CACHE"] = ""

from lineal.model import boundary

POISONED = "poisoned"
"""The mark of a test that breaks lineal on purpose."""


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as shells start commands behind `&`
        signal.signal(signal.SIGINT, signal.default_int_handler)

    config.addinivalue_line(
        "markers", f"{POISONED}: the test breaks a part of lineal, which has to say so"
    )


@pytest.fixture(autouse=True)
def no_internal_error(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """The boundary keeps a failure from spreading; it must not keep it from being seen."""
    failures: list[str] = []
    name_trace = boundary.trace_id

    def noted(error: BaseException) -> str:
        failures.append(boundary.describe_error(error))
        return name_trace(error)

    monkeypatch.setattr(boundary, "trace_id", noted)
    yield
    if request.node.get_closest_marker(POISONED) is None:
        assert failures == [], "lineal failed inside; LINEAL_DEBUG=1 shows where"
