"""`lineal mcp --http`: on this machine, and only with the token."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import httpx2
import pytest
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp_agent import SOURCES, call, shown

TOKEN = "a-token-of-the-test"


@pytest.fixture
def address(project: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **os.environ, "PYTHONPATH": str(SOURCES), "LINEAL_CACHE": "", "LINEAL_TOKEN": TOKEN,
    }  # fmt: skip
    command = [sys.executable, "-m", "lineal", "mcp", str(project), "--http", "--port", str(port)]
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as server:
        wait_for(port)
        yield f"http://127.0.0.1:{port}/mcp"
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) in (0, -signal.SIGTERM, 128 + signal.SIGTERM)


def wait_for(port: int) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_a_client_with_the_token(address: str) -> None:
    async def run() -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            streamable_http_client(address, http_client=http) as (reading, writing, *_),
            ClientSession(reading, writing) as session,
        ):
            await session.initialize()
            return await call(session, "upstream", {"column": "mart.email"})

    answer = asyncio.run(run())

    assert [shown(each) for each in answer["items"]] == ["customers.email -> mart.email"]


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer another"}])
def test_without_the_token_nothing_is_answered(address: str, headers: dict[str, str]) -> None:
    with pytest.raises(HTTPError) as refused:
        urlopen(Request(address, b"{}", headers), timeout=30)

    with refused.value:
        assert refused.value.code == 401


def test_another_host_name_is_refused(address: str) -> None:
    headers = {
        "Authorization": f"Bearer {TOKEN}",
        "Host": "rebound.example",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    with pytest.raises(HTTPError) as refused:
        urlopen(Request(address, b"{}", headers), timeout=30)

    with refused.value:
        assert refused.value.code == 421
