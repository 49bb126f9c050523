"""The SDK's own client talks to `lineal mcp`, as an agent would start it."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

SOURCES = Path(__file__).resolve().parents[2] / "src"


class Agent:
    """A client with a session of its own for each conversation."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self.parameters = StdioServerParameters(
            command=sys.executable,
            args=["-m", "lineal", "mcp", *arguments],
            env={**os.environ, "PYTHONPATH": str(SOURCES), "LINEAL_CACHE": "", **environment},
        )

    @asynccontextmanager
    async def session(self) -> AsyncIterator[ClientSession]:
        with Path(os.devnull).open("w") as errors:
            async with (
                stdio_client(self.parameters, errlog=errors) as (reading, writing),
                ClientSession(reading, writing) as session,
            ):
                await session.initialize()
                yield session

    def talk(self, conversation: Callable[[ClientSession], Awaitable[Any]]) -> Any:
        async def run() -> Any:
            async with self.session() as session:
                return await conversation(session)

        return asyncio.run(run())

    def ask(self, *questions: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the structured answers to some questions of one session."""

        async def conversation(session: ClientSession) -> list[dict[str, Any]]:
            return [await call(session, name, asked) for name, asked in questions]

        found: list[dict[str, Any]] = self.talk(conversation)
        return found


async def call(session: ClientSession, name: str, asked: dict[str, Any]) -> dict[str, Any]:
    result = await session.call_tool(name, asked)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return result.structured_content


def shown(edge: dict[str, Any]) -> str:
    source, target = edge["source"], edge["target"]
    end = f"{target['dataset']}.{target['column']}" if target["column"] else target["dataset"]
    return f"{source['dataset']}.{source['column']} -> {end}"
