"""The tool server over HTTP: on this machine only, and only for who has the token."""

from __future__ import annotations

import hmac
from typing import Any

import uvicorn
from mcp.server.mcpserver import MCPServer
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

PATH = "/mcp"


class TokenRequired:
    """Lets a request through if it has the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app = app
        self.expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self.is_allowed(scope):
            refusal = PlainTextResponse(
                "send the token as Authorization: Bearer TOKEN\n",
                401,
                {"WWW-Authenticate": "Bearer"},
            )
            await refusal(scope, receive, send)
            return

        await self.app(scope, receive, send)

    def is_allowed(self, scope: Scope) -> bool:
        """Tell whether a request has the token."""
        headers: dict[bytes, bytes] = dict(scope["headers"])
        return hmac.compare_digest(headers.get(b"authorization", b""), self.expected)


def make_app(server: MCPServer[Any], token: str) -> ASGIApp:
    """Return the server as an application that asks for the token."""
    return TokenRequired(server.streamable_http_app(streamable_http_path=PATH), token)


def serve(server: MCPServer[Any], host: str, port: int, token: str) -> None:
    """Serve until Ctrl-C."""
    config = uvicorn.Config(make_app(server, token), host=host, port=port, log_level="warning")
    uvicorn.Server(config).run()
