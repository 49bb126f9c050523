"""The local server: answers those who may ask, takes so much and no more, and never fails with a
traceback.

It listens on the loopback unless it is told otherwise, and then only with a token. A request is
refused if its Host is none of the server's own names (a page of another site that has rebound its
name to 127.0.0.1), if it comes from a page of another site (Origin), if it brings no token where
one is asked for, or if its body is larger than it may be.
"""

from __future__ import annotations

import json
import secrets
import time
import zlib
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedReader, RawIOBase
from socket import AF_INET, AF_INET6, socket
from threading import BoundedSemaphore
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

LOOPBACK = ("127.0.0.1", "::1", "localhost")
LARGEST = 16 * 1024 * 1024
LONGEST_QUERY = 20_000
MOST_QUESTIONS = 20
PATIENCE = 30.0
"""Seconds that a connection may be idle, and that an answer may take to be read."""
FOR_HEADERS = 10.0
"""Seconds from the first byte of a request to the end of its headers."""
FOR_A_BODY = 60.0
"""Seconds that a body may take."""
MOST_CONNECTIONS = 100
"""Connections at a time; further clients are asked to retry."""
FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\n"
    b"Content-Length: 0\r\n\r\n"
)


class Request(NamedTuple):
    method: str
    path: str
    body: bytes
    query: Mapping[str, str] = {}


class Answer(NamedTuple):
    status: int
    body: bytes = b""
    type: str = "application/json"


Route = Callable[[Request], Answer]
Routes = Mapping[tuple[str, str], Route]


class Refused(Exception):
    """A request that is not answered: its status, and why."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


def message_answer(status: int, message: str) -> Answer:
    """Return an answer with a message."""
    return Answer(status, json.dumps({"message": message}).encode())


class Server(ThreadingHTTPServer):
    """Routes behind a door."""

    daemon_threads = True
    request_queue_size = 128
    block_on_close = False

    def __init__(
        self,
        host: str,
        port: int,
        routes: Routes,
        token: str = "",
        largest: int = LARGEST,
        public: Collection[str] = (),
    ) -> None:
        self.routes = routes
        self.token = token
        self.public = frozenset(public)
        """paths that need no token"""
        self.largest = largest
        self.names = LOOPBACK if host in LOOPBACK else None
        self.places = BoundedSemaphore(MOST_CONNECTIONS)
        self.address_family = AF_INET6 if ":" in host else AF_INET
        super().__init__((host, port), Handler)

    @property
    def address(self) -> str:
        """Return the URL of the server."""
        host, port = self.server_address[:2]
        if ":" in str(host):
            return f"http://[{host!s}]:{port}"

        return f"http://{host!s}:{port}"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a connection in a thread, if there is a place for it."""
        if self.places.acquire(blocking=False):
            try:
                super().process_request(request, client_address)
            except BaseException:
                self.places.release()
                raise

            return

        with suppress(OSError):
            request.settimeout(1)
            request.sendall(FULL)

        self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer a connection, and give its place free."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.places.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is not reported."""


def answer_request(server: Server, handler: Handler) -> Answer:
    """Check a request, and return its answer; raise Refused if it is not allowed."""
    path = urlsplit(handler.path).path.rstrip("/") or "/"
    _check_host(server, handler.headers.get("Host", ""))
    _check_origin(server, handler.headers.get("Origin"))
    methods = [method for method, known in server.routes if known == path]
    if not methods:
        raise Refused(404, "there is nothing here")

    if handler.command not in methods:
        raise Refused(405, f"this takes {', '.join(sorted(methods))}")

    if path not in server.public:
        _check_token(server, handler.headers.get("Authorization", ""))

    query = _query(urlsplit(handler.path).query)
    return server.routes[handler.command, path](
        Request(handler.command, path, _body(server, handler), query)
    )


def _query(text: str) -> dict[str, str]:
    """Return the parameters of a query."""
    try:
        return dict(
            parse_qsl(text[:LONGEST_QUERY], keep_blank_values=True, max_num_fields=MOST_QUESTIONS)
        )
    except ValueError:
        raise Refused(400, f"a question has at most {MOST_QUESTIONS} parts") from None


def _check_host(server: Server, host: str) -> None:
    """Beyond this machine a server goes by names that it does not know, and asks for a token."""
    if server.names is not None and _name(host) not in server.names:
        raise Refused(403, "this name is not the server's own")


def _name(host: str) -> str:
    """Return the host name without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _check_origin(server: Server, origin: str | None) -> None:
    """Refuse requests from pages of other sites."""
    if origin is not None and origin.removeprefix("http://") != server.address.removeprefix(
        "http://"
    ):
        raise Refused(403, "pages of other sites may not ask")


def _check_token(server: Server, authorization: str) -> None:
    """Refuse requests without the token."""
    given = authorization.removeprefix("Bearer ").strip()
    if server.token and not secrets.compare_digest(given.encode(), server.token.encode()):
        raise Refused(401, "a token is needed: Authorization: Bearer …")


def _body(server: Server, handler: Handler) -> bytes:
    """Return the body of a request, unpacked; never more than the limit."""
    if handler.command in ("GET", "HEAD"):
        return b""

    if handler.headers.get("Transfer-Encoding"):
        raise Refused(411, "a body comes with its length")

    try:
        length = int(handler.headers.get("Content-Length", ""))
    except ValueError:
        raise Refused(411, "a body comes with its length") from None

    if not 0 <= length <= server.largest:
        raise Refused(413, f"at most {server.largest:,} bytes are taken at a time")

    if handler.headers.get_content_type() != "application/json":
        raise Refused(415, "this takes application/json")

    try:
        handler.reader.allow(FOR_A_BODY)
        body = handler.rfile.read(length)
    except TimeoutError:
        raise Refused(408, "the body takes too long") from None

    if len(body) < length:
        raise Refused(400, "the body is shorter than its length")

    return _unpack_body(
        body, handler.headers.get("Content-Encoding", "identity").lower(), server.largest
    )


def _unpack_body(body: bytes, encoding: str, largest: int) -> bytes:
    """Return a body unpacked; raise Refused if it is not gzip or too large."""
    if encoding == "identity":
        return body

    if encoding != "gzip":
        raise Refused(415, "a body is plain or gzip")

    try:
        unpacking = zlib.decompressobj(wbits=31)
        plain = unpacking.decompress(body, largest + 1)
    except zlib.error:
        raise Refused(400, "the body is not gzip") from None

    if len(plain) > largest:
        raise Refused(413, f"at most {largest:,} bytes are taken at a time")

    if not unpacking.eof:
        raise Refused(400, "the body is not whole")

    return plain


class TimedReader(RawIOBase):
    """Bytes of a socket, up to a moment: a client that sends one byte at a time gains nothing."""

    def __init__(self, connection: socket) -> None:
        self.connection = connection
        self.end = 0.0
        self.has_begun = True

    def await_request(self) -> None:
        """Wait for a request, whose headers then have to come in time."""
        self.allow(PATIENCE)
        self.has_begun = False

    def allow(self, seconds: float) -> None:
        """Let the next bytes take so many seconds together."""
        self.end = time.monotonic() + seconds

    def readable(self) -> bool:
        """Tell that this can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the available bytes; a TimeoutError if the moment has come."""
        left = self.end - time.monotonic()
        if left <= 0:
            raise TimeoutError

        self.connection.settimeout(left)
        count = self.connection.recv_into(buffer)
        if not self.has_begun:
            self.has_begun = True
            self.allow(FOR_HEADERS)

        return count


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    server_version = "lineal"
    sys_version = ""

    def setup(self) -> None:
        """Read from the connection by the clock."""
        super().setup()
        self.reader = TimedReader(self.connection)
        self.rfile = BufferedReader(self.reader)

    def handle_one_request(self) -> None:
        """Answer a request; one whose headers take too long is told so."""
        self.reader.await_request()
        self.raw_requestline = b""
        self.is_late = self.has_answered = False
        with suppress(OSError):  # the client has gone
            super().handle_one_request()
            if self.is_late and self.reader.has_begun and not self.has_answered:
                self.requestline, self.request_version, self.command = "", self.protocol_version, ""
                self._send(message_answer(408, "the request takes too long"))

    def log_error(self, format: str, *args: object) -> None:
        """Remember that the request was not read in time, which is all that is told here."""
        self.is_late = self.is_late or any(isinstance(each, TimeoutError) for each in args)

    def _answer(self) -> None:
        """Send the answer, or the reason for a refusal."""
        try:
            answer = answer_request(self.server, self)
        except Refused as refusal:
            answer = message_answer(refusal.status, str(refusal))
            self.close_connection = True  # what is left of the body is not read
        except Exception:
            answer = message_answer(503, "this could not be done")
            self.close_connection = True

        self._send(answer)

    def _send(self, answer: Answer) -> None:
        """Send an answer with its headers."""
        self.has_answered = True
        self.connection.settimeout(PATIENCE)
        self.send_response(answer.status)
        for name, value in HEADERS.items():
            self.send_header(name, value)

        self.send_header("Content-Type", answer.type)
        self.send_header("Content-Length", str(len(answer.body)))
        if self.close_connection:
            self.send_header("Connection", "close")

        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = _answer

    def log_message(self, format: str, *args: object) -> None:
        """The server says what it does by its answers."""


HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
}
