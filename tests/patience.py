"""Two seconds of a quiet machine: the time that processes wait for a CPU does not count."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path

SECONDS = 2.0
LONGEST = 60.0
"""However busy the machine is."""


class Patience:
    """How long processes may take to end, from now on.

    The kernel tells of each thread how long it was ready to run while others had the CPU. That time
    is added to the two seconds; on a quiet machine it is nothing.
    """

    def __init__(self, processes: Iterable[int]) -> None:
        self.began = time.monotonic()
        self.before = {each: delay_of(each) for each in (*processes, os.getpid())}
        self.waited = dict.fromkeys(self.before, 0.0)

    @property
    def taken(self) -> float:
        """The seconds since then."""
        return time.monotonic() - self.began

    @property
    def is_over(self) -> bool:
        """Whether more than two seconds have gone by in which the processes could have run."""
        for each, before in self.before.items():
            self.waited[each] = max(self.waited[each], delay_of(each) - before)
        return self.taken > min(SECONDS + sum(self.waited.values()), LONGEST)


def delay_of(process: int) -> float:
    """The seconds that the busiest thread of a process has waited for a CPU; 0 for one that is gone."""
    longest = 0.0
    try:
        threads = list(Path(f"/proc/{process}/task").iterdir())
    except OSError:
        return longest
    for thread in threads:
        try:
            delays = (thread / "schedstat").read_text(encoding="ascii").split()
            longest = max(longest, int(delays[1]) / 1e9)
        except (OSError, IndexError, ValueError):
            continue
    return longest
