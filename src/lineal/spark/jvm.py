"""The JVM of a session ends with the process that has started it, however that one ends.

Spark's JVM ends by itself when the pipe to its parent is closed, after seconds of tidying up. On
Linux the kernel ends it at once; the workers that it has started see the end of their pipes.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

TOLD_OF_PARENTS_DEATH = 1
"""PR_SET_PDEATHSIG"""


@contextmanager
def jvm_ends_with_us() -> Iterator[None]:
    """Tie any JVM that pyspark starts in this block to the life of this process.

    The kernel counts the end of the thread that has started it, so that only the main thread will do.
    """
    if sys.platform != "linux" or threading.current_thread() is not threading.main_thread():
        yield
        return

    from pyspark import java_gateway

    module: Any = java_gateway
    before = module.Popen
    module.Popen = _Tied
    try:
        yield
    finally:
        module.Popen = before


class _Tied(subprocess.Popen[bytes]):
    """A process that the kernel ends with the one that has started it."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        import ctypes

        prepare = options.get("preexec_fn")
        prctl = ctypes.CDLL(None).prctl

        def begin() -> None:
            """Prepare the child process, and end it when its parent ends."""
            if prepare is not None:
                prepare()

            prctl(TOLD_OF_PARENTS_DEATH, signal.SIGKILL)

        super().__init__(*arguments, **{**options, "preexec_fn": begin})
