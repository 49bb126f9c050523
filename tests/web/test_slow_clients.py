"""The server's deadlines: a slow client, or one with many connections, keeps no other client out."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from threading import Thread

import pytest

from lineal.web import server as server_module
from lineal.web.server import Answer, Server


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(server_module, "FOR_HEADERS", 0.5)
    monkeypatch.setattr(server_module, "FOR_A_BODY", 0.5)
    monkeypatch.setattr(server_module, "PATIENCE", 1.0)
    monkeypatch.setattr(server_module, "MOST_CONNECTIONS", 3)
    routes = {
        ("GET", "/"): lambda request: Answer(200, b"hello"),
        ("POST", "/"): lambda request: Answer(200, request.body),
    }
    made = Server("127.0.0.1", 0, routes)
    thread = Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()


def connect(server: Server) -> socket.socket:
    return socket.create_connection(server.server_address[:2], timeout=5)


def read_all(client: socket.socket) -> bytes:
    parts = []
    while part := client.recv(65536):
        parts.append(part)
    return b"".join(parts)


def send_slowly(client: socket.socket, data: bytes) -> bytes:
    """Send a byte every tenth of a second, until the server has had enough."""
    for byte in data:
        try:
            client.sendall(bytes([byte]))
        except OSError:
            break
        time.sleep(0.1)
    try:
        return read_all(client)
    except ConnectionError:
        return b""


def test_headers_that_take_too_long_are_a_408(server: Server) -> None:
    began = time.monotonic()
    with connect(server) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        found = read_all(client)
    assert found.startswith(b"HTTP/1.1 408 ") and time.monotonic() - began < 3


def test_a_byte_at_a_time_gains_nothing(server: Server) -> None:
    began = time.monotonic()
    with connect(server) as client:
        found = send_slowly(client, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"x" * 200)
    assert found == b"" or found.startswith(b"HTTP/1.1 408 ")
    assert time.monotonic() - began < 10


def test_a_body_that_takes_too_long_is_a_408(server: Server) -> None:
    head = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    with connect(server) as client:
        client.sendall(head + b"Content-Length: 10\r\n\r\n{")
        assert read_all(client).startswith(b"HTTP/1.1 408 ")


def test_an_idle_connection_is_closed_without_a_word(server: Server) -> None:
    with connect(server) as client:
        assert read_all(client) == b""


def test_one_connection_too_many_is_asked_to_retry(server: Server) -> None:
    request = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    idle = [connect(server) for _ in range(3)]
    time.sleep(0.2)
    with connect(server) as client:
        client.sendall(request)
        assert read_all(client).startswith(b"HTTP/1.1 503 ")
    for each in idle:
        each.close()
    time.sleep(0.3)
    with connect(server) as client:
        client.sendall(request)
        assert read_all(client).endswith(b"hello")


def test_two_requests_on_one_connection(server: Server) -> None:
    request = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    last = request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    with connect(server) as client:
        client.sendall(request + last)
        assert read_all(client).count(b"HTTP/1.1 200 ") == 2
