"""The time from which and up to which statements of a log are read."""

from __future__ import annotations

from typing import NamedTuple

from lineal.projects.errors import ProjectError
from lineal.projects.logs.statements import NUMBER, moment

SECONDS, MILLISECONDS, MICROSECONDS = 1e11, 1e14, 1e17
"""Numbers up to the first are seconds since 1970, up to the second milliseconds, and so on."""

NO_TIME = "without a time that can be read"
BEFORE = "before --since"
AFTER = "at or after --until"


class Period(NamedTuple):
    """From a moment on, and before another, in seconds since 1970; None has no bound."""

    since: float | None = None
    until: float | None = None

    def reason(self, time: str) -> str:
        """Return why a statement of this time is left out; empty if it is not."""
        if self == ALWAYS:
            return ""

        at = seconds_of(time)
        if not at:
            return NO_TIME

        if self.since is not None and at < self.since:
            return BEFORE

        if self.until is not None and at >= self.until:
            return AFTER

        return ""


ALWAYS = Period()


def make_period(since: str | None, until: str | None) -> Period:
    """Return the period of two options; a text that does not parse as a time is the caller's
    mistake.
    """
    return Period(_bound("--since", since), _bound("--until", until))


def _bound(option: str, time: str | None) -> float | None:
    """Return a limit of the period in seconds; raise ProjectError if it is not a time."""
    if time is None:
        return None

    at = seconds_of(time.strip())
    if not at:
        raise ProjectError(
            f"{option} {time} is not a time: write 2026-05-01 or 2026-05-01T10:00:00+02:00"
        )

    return at


def seconds_of(time: str) -> float:
    """Return a time of a log as seconds since 1970, 0 if it is none; numbers may be finer."""
    at = moment(time)
    if not NUMBER.fullmatch(time):
        return at

    for bound, scale in ((SECONDS, 1.0), (MILLISECONDS, 1e3), (MICROSECONDS, 1e6)):
        if abs(at) < bound:
            return at / scale

    return at / 1e9
