"""Shared parts of the servers on standard input: how they end, and the process that answers for
them.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence

import click

from lineal.cli.supervisor import supervise
from lineal.model import lifeline
from lineal.model.limits import Limits
from lineal.service.source import Source

ANSWERING = "--answer-lines"

answering_option = click.option(ANSWERING, "server", type=int, hidden=True)
"""The option of the process that does the work, with the id of its server; see
`lineal.service.worker`.
"""


def answering_command(name: str, arguments: Sequence[str]) -> list[str]:
    """Return the command line of the process that answers for this one."""
    return [sys.executable, "-m", "lineal", name, ANSWERING, str(os.getpid()), *arguments]


def begin_answering(server: int, source: Source) -> None:
    """Begin the process that does the work: it keeps its limits, and ends with its server."""
    lifeline.end_with(server)
    supervise(Limits(source.statement_timeout, source.memory_limit))


def end_at_interrupt() -> None:
    """End this process at Ctrl-C, even while a thread of it waits for a client's next line."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
