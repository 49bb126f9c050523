"""The route that takes OpenLineage events in: each is checked, and appended to a file as it came.

POST /api/v1/lineage      an event, or a list of them      201, and the file has them
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lineal.web.server import Answer, Request, Routes, message_answer

PATH = "/api/v1/lineage"

Problem = Callable[[Any], str]
"""The reason why a value is not an event; '' for one that is."""


class Inbox:
    """A file of events, one a line: an answer of 201 means that the event is in it as a whole."""

    def __init__(self, file: str | os.PathLike[str], problem_of: Problem) -> None:
        self.file = Path(file)
        self.problem_of = problem_of
        self._lock = threading.Lock()
        self._append(b"")

    @property
    def routes(self) -> Routes:
        """Return the function that answers each path."""
        return {("POST", PATH): self.take, ("GET", PATH): self.explain}

    def explain(self, request: Request) -> Answer:
        """Answer a GET with how to post events."""
        return message_answer(200, f"POST OpenLineage events to {PATH}")

    def take(self, request: Request) -> Answer:
        """Check the posted events and append them to the file."""
        try:
            given = json.loads(request.body)
        except (ValueError, RecursionError):
            return message_answer(400, "the body is not JSON")

        events = given if isinstance(given, list) else [given]
        for number, event in enumerate(events):
            problem = self.problem_of(event)
            if problem:
                return message_answer(
                    422, f"event {number}: {problem}" if isinstance(given, list) else problem
                )

        return self._keep_events(events)

    def _keep_events(self, events: Sequence[object]) -> Answer:
        """Append events to the file."""
        lines = "".join(f"{json.dumps(event)}\n" for event in events)
        try:
            self._append(lines.encode())
        except OSError as problem:
            return message_answer(507, f"the event is not kept: {problem.strerror}")

        return Answer(201)

    def _append(self, lines: bytes) -> None:
        """Append all of the lines or none: after a failure the written part is cut off again."""
        with self._lock, self.file.open("ab") as stream:
            before = stream.seek(0, os.SEEK_END)
            try:
                if before and lines and not self._ends_a_line():
                    lines = b"\n" + lines

                stream.write(lines)
                stream.flush()
            except OSError:
                os.truncate(self.file, before)
                raise

    def _ends_a_line(self) -> bool:
        """Tell whether the file ends with a line break."""
        with self.file.open("rb") as stream:
            stream.seek(-1, os.SEEK_END)
            return stream.read(1) == b"\n"
