"""A process that answers questions, and the client that asks it.

    server (MCP, editor) ──line of JSON──▶ worker, which reads the project and answers
                         ◀──line of JSON──

    {"id": 1, "question": "upstream", "asked": {"column": "mart.total"}}
    {"id": 1, "answer": {…}}      {"id": 1, "mistake": "…"}      {"id": 1, "failure": "…"}

A protocol's session outlives a worker: a statement that takes too long ends the worker, not the
session. Each worker begins with {"started": true}, and whoever waits for an answer asks again.
"""

from __future__ import annotations

import asyncio
import json
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TextIO

from lineal.model.boundary import describe_error, is_debugging
from lineal.service.answers import QUESTIONS, Misasked

LONGEST_LINE = 1 << 26
"""Bytes of an answer; answers are bounded far below that."""
MOST_ATTEMPTS = 5
"""So many workers may end over one question."""

Reply = Callable[[str, Mapping[str, Any]], dict[str, Any]]
Greeting = Callable[[], list[tuple[str, Mapping[str, Any]]]]


class WorkerFailed(Exception):
    """The worker could not answer; the message says why."""


# -- the worker ------------------------------------------------------------------------------------


def answer_lines(
    questions: Iterable[str], answers: TextIO, reply: Reply, known: Container[str] = QUESTIONS
) -> None:
    """Answer each line until there are no more."""
    _write(answers, {"started": True})
    for line in questions:
        with suppress(ValueError):  # the rest of a line whose beginning another worker has read
            asked = json.loads(line)
            _write(answers, answer_question(asked, reply, known))


def answer_question(
    asked: Mapping[str, Any], reply: Reply, known: Container[str] = QUESTIONS
) -> dict[str, Any]:
    """Return what a question is answered with; no failure ends the worker."""
    if asked["question"] not in known:
        return {"id": asked["id"], "mistake": f"unknown question {asked['question']}"}

    try:
        return {"id": asked["id"], "answer": reply(asked["question"], asked["asked"])}
    except Misasked as mistake:
        return {"id": asked["id"], "mistake": str(mistake)}
    except Exception as problem:
        if is_debugging():
            raise

        return {"id": asked["id"], "failure": describe_error(problem)}


def _write(answers: TextIO, value: Mapping[str, object]) -> None:
    """Write one answer as a line of JSON."""
    answers.write(json.dumps(value) + "\n")
    answers.flush()


# -- its client ------------------------------------------------------------------------------------


class Worker:
    """A worker that is started with the first question, and again if it has ended."""

    def __init__(self, command: Sequence[str], greeting: Greeting = list) -> None:
        self.command = command
        self.greeting = greeting
        """the first message to every new worker"""
        self._process: Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._waiting: dict[int, _Question] = {}
        self._number = 0
        self._lock = asyncio.Lock()

    async def ask(self, question: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a question; Misasked or WorkerFailed if there is none."""
        self._number += 1
        number = self._number
        line = json.dumps({"id": number, "question": question, "asked": asked}) + "\n"
        waiting = self._waiting[number] = _Question(line.encode())
        try:
            await self._start()
            reply = await waiting.reply
        finally:
            self._waiting.pop(number, None)

        if "mistake" in reply:
            raise Misasked(reply["mistake"])

        if "failure" in reply:
            raise WorkerFailed(reply["failure"])

        found: dict[str, Any] = reply["answer"]
        return found

    async def start(self) -> None:
        """Let the worker read the project before the first question."""
        await self._start()

    async def close(self) -> None:
        """End the worker."""
        process, self._process = self._process, None
        if self._reading is not None:
            self._reading.cancel()

        if process is not None and process.returncode is None:
            with suppress(ProcessLookupError):
                process.terminate()

            await process.wait()

    def kill(self) -> None:
        """End the worker at once, from any thread."""
        process = self._process
        if process is not None and process.returncode is None:
            with suppress(ProcessLookupError):
                process.terminate()

    async def _start(self) -> None:
        """Start a worker, or hand the waiting questions to the one that runs."""
        async with self._lock:
            if self._process is None or self._process.returncode is not None:
                self._process = await asyncio.create_subprocess_exec(
                    *self.command, stdin=PIPE, stdout=PIPE, limit=LONGEST_LINE
                )
                self._reading = asyncio.create_task(self._read(self._process))
            elif self._is_ready:
                await self._hand_over()

    _is_ready = False

    async def _read(self, process: Process) -> None:
        """Take in the lines of a worker until it ends."""
        assert process.stdout is not None
        self._is_ready = False
        while line := await process.stdout.readline():
            reply = json.loads(line)
            if "started" in reply:
                self._is_ready = True
                for each in self._waiting.values():
                    each.is_asked = False

                await self._greet(process)
                await self._hand_over()
            elif reply["id"] in self._waiting:
                self._waiting[reply["id"]].settle(reply)

        await process.wait()
        self._is_ready = False
        message = "the process that reads the project has ended; its messages say why"
        for each in self._waiting.values():
            each.settle({"failure": message})

    async def _greet(self, process: Process) -> None:
        """Tell a new worker what the one before it knew."""
        assert process.stdin is not None
        with suppress(ConnectionError):
            for question, asked in self.greeting():
                said = {"id": 0, "question": question, "asked": asked}
                process.stdin.write(f"{json.dumps(said)}\n".encode())
                await process.stdin.drain()

    async def _hand_over(self) -> None:
        """Send the questions that this worker does not know yet."""
        process = self._process
        if process is None or process.stdin is None:
            return

        for each in list(self._waiting.values()):
            if each.is_asked:
                continue

            each.is_asked = True
            each.attempts += 1
            if each.attempts > MOST_ATTEMPTS:
                each.settle({"failure": "the process that reads the project ends again and again"})
                continue

            with suppress(ConnectionError):
                process.stdin.write(each.line)
                await process.stdin.drain()


class _Question:
    """A question that waits for its answer."""

    def __init__(self, line: bytes) -> None:
        self.line = line
        self.is_asked = False
        self.attempts = 0
        self.reply: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    def settle(self, reply: dict[str, Any]) -> None:
        """Give the answer to its waiting caller."""
        if not self.reply.done():
            self.reply.set_result(reply)
