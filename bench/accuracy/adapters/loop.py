"""What every adapter does: questions in, one a line; answers out, one a line; none may take long or
stop the others.

A question: {"id", "sql", "dialect", "schema": {table: {column: type}}}.
An answer:  {"id", "pairs": [[source table, source column, target column], …], "error", "seconds"}.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

LONGEST = 20

Pairs = Iterable[tuple[str, str, str]]


def answer_all(pairs_of: Callable[[dict[str, Any]], Pairs]) -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a peer prints is no answer
    signal.signal(signal.SIGALRM, too_long)
    for line in sys.stdin:
        question = json.loads(line)
        start, error, found = time.process_time(), "", []
        signal.alarm(LONGEST)
        try:
            found = sorted(
                {(str(t).lower(), str(c).lower(), str(o).lower()) for t, c, o in pairs_of(question)}
            )
        except BaseException as problem:
            if isinstance(problem, KeyboardInterrupt):
                raise
            error = f"{type(problem).__name__}: {problem}".splitlines()[0][:200]
        signal.alarm(0)
        took = time.process_time() - start
        print(
            json.dumps({"id": question["id"], "pairs": found, "error": error, "seconds": took}),
            file=answers,
        )
    answers.flush()


def too_long(*_: Any) -> None:
    raise TimeoutError(f"more than {LONGEST} s")
