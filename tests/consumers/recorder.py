"""A server that records what catalogs are sent, and answers as they do where nothing is wrong."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import unquote
from uuid import NAMESPACE_URL, uuid5

Answer = Callable[[str, str], tuple[int, Any]]
DATAHUB = {"noCode": "true", "versions": {"acryldata/datahub": {"version": "v1.7.0"}}}
TABLES = "/api/v1/tables/name/"


def page_answer(method: str, path: str) -> tuple[int, Any]:
    """A login page, whatever is asked."""
    return 200, b"<!DOCTYPE html><title>Sign in</title>"


def openmetadata_answer(method: str, path: str) -> tuple[int, Any]:
    """Every table that OpenMetadata is asked for is there; no edge is."""
    if path.startswith(TABLES):
        return 200, {"id": str(uuid5(NAMESPACE_URL, unquote(path.removeprefix(TABLES))))}
    if "getLineageEdge" in path:
        return 404, {}
    return 200, DATAHUB


class Recorder(ThreadingHTTPServer):
    """Used in a `with`: it runs as long as that, and keeps what it was asked."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.asked: list[tuple[str, str, Any]] = []
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def bodies(self, part: str = "") -> list[Any]:
        """Return what was posted or put to a path."""
        return [body for method, path, body in self.asked if method != "GET" and part in path]

    def __enter__(self) -> Recorder:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.shutdown()
        self.server_close()
        self._thread.join()


class Handler(BaseHTTPRequestHandler):
    server: Recorder

    def respond(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size)) if size else None
        self.server.asked.append((self.command, self.path, body))
        status, said = self.server.answer(self.command, self.path)
        is_page = isinstance(said, bytes)
        data = said if is_page else json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if is_page else "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_PATCH = respond

    def log_message(self, format: str, *args: Any) -> None: ...
