"""The server that takes events in: what it keeps, whom it refuses, and that it never fails."""

from __future__ import annotations

import gzip
import json
import socket
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from lineal.cli import main
from lineal.projects.openlineage import problem_of
from lineal.web.ingest import PATH, Inbox
from lineal.web.server import Answer, Request, Server

EVENT = {
    "eventType": "COMPLETE",
    "eventTime": "2024-01-01T00:00:00Z",
    "producer": "https://producer.example.com",
    "run": {"runId": "0176a8c2-fe01-7439-87e6-56a1a1b4029f"},
    "job": {"namespace": "jobs", "name": "load"},
    "odd": "\ud800 </script>",
}
JSON = {"Content-Type": "application/json"}


def broken(request: Request) -> Answer:
    raise RuntimeError("secret")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "events.ndjson"


@pytest.fixture
def server(file: Path) -> Iterator[Server]:
    made = Server(
        "127.0.0.1",
        0,
        {**Inbox(file, problem_of).routes, ("GET", "/broken"): broken},
        largest=10_000,
    )
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def ask(
    server: Server, body: Any = EVENT, method: str = "POST", path: str = PATH, **headers: str
) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", server.server_address[1], timeout=5)
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {**JSON, **{name.replace("_", "-"): value for name, value in headers.items()}}
    connection.request(method, path, data if method == "POST" else None, named)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def kept(file: Path) -> list[Any]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_an_event_is_kept_as_it_came(server: Server, file: Path) -> None:
    assert ask(server) == (201, "")
    assert ask(server, [EVENT, EVENT])[0] == 201
    assert ask(server, gzip.compress(json.dumps(EVENT).encode()), Content_Encoding="gzip")[0] == 201
    assert kept(file) == [EVENT] * 4


def test_a_line_that_was_not_ended_is_ended_first(server: Server, file: Path) -> None:
    file.write_text("{}")
    assert ask(server)[0] == 201
    assert kept(file) == [{}, EVENT]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"\xff\xfe", 400),
        (b"[" * 9_000, 400),
        (1, 422),
        ({}, 422),
        ([EVENT, {"eventTime": "x"}], 422),
        ({**EVENT, "run": {}}, 422),
        (b" " * 10_001, 413),
    ],
    ids=[
        "empty",
        "cut",
        "not utf-8",
        "deep",
        "number",
        "no event",
        "one of two",
        "no run id",
        "large",
    ],
)
def test_an_invalid_event_is_refused_and_leaves_nothing(
    server: Server, file: Path, body: Any, status: int
) -> None:
    assert ask(server, body)[0] == status
    assert file.read_text() == ""


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example.com"}, 403),
        ({"Host": ""}, 403),
        ({"Host": "["}, 403),
        ({"Origin": "http://["}, 403),
        ({"Origin": "https://evil.example.com"}, 403),
        ({"Origin": "null"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Encoding": "br"}, 415),
        ({"Content_Encoding": "gzip"}, 400),
        ({"Content_Length": "-1"}, 413),
        ({"Content_Length": "x"}, 411),
        ({"Transfer_Encoding": "chunked"}, 411),
    ],
    ids=lambda value: str(value),
)
def test_who_is_refused(server: Server, file: Path, headers: dict[str, str], status: int) -> None:
    assert ask(server, **headers)[0] == status
    assert file.read_text() == ""


def test_a_small_body_that_unpacks_to_a_large_one(server: Server, file: Path) -> None:
    assert ask(server, gzip.compress(b" " * 10_000_000)[:9_999], Content_Encoding="gzip")[0] == 413
    assert file.read_text() == ""


def test_other_paths_and_methods(server: Server) -> None:
    assert ask(server, path="/../../etc/passwd")[0] == 404
    assert ask(server, method="DELETE")[0] == 405
    assert ask(server, method="GET")[0] == 200
    status, text = ask(server, method="GET", path="/broken")
    assert status == 503 and "secret" not in text


def test_a_client_that_goes_away_does_no_harm(server: Server, file: Path) -> None:
    for half in (
        b"",
        b"POST",
        b"POST /api/v1/lineage HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{",
    ):
        with socket.create_connection(("127.0.0.1", server.server_address[1])) as client:
            client.sendall(half)
    assert ask(server)[0] == 201
    assert kept(file) == [EVENT]


def test_many_at_once_lose_nothing(server: Server, file: Path) -> None:
    threads = [threading.Thread(target=ask, args=(server,)) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kept(file) == [EVENT] * 40


def test_the_server_accepts_only_its_token(server: Server) -> None:
    server.token = "let me in"
    assert ask(server)[0] == 401
    assert ask(server, Authorization="Bearer other")[0] == 401
    assert ask(server, Authorization="Bearer let me in")[0] == 201


def test_beyond_this_machine_any_name_will_do() -> None:
    with Server("0.0.0.0", 0, {}, "token") as made:
        assert made.names is None
    with Server("::1", 0, {}) as made:
        assert made.address.startswith("http://[::1]:")


def test_a_server_beyond_this_machine_wants_a_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LINEAL_TOKEN", raising=False)
    asked = ["serve", "--ingest", str(tmp_path / "e.ndjson"), "--host", "0.0.0.0", "--port", "0"]
    failed = CliRunner().invoke(main, asked)
    assert (failed.exit_code, "LINEAL_TOKEN" in failed.stderr) == (2, True)
    failed = CliRunner().invoke(main, ["serve", "--ingest", str(tmp_path / "no" / "e.ndjson")])
    assert (failed.exit_code, "cannot write" in failed.stderr) == (2, True)


def test_a_full_disk_is_reported(
    server: Server, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask(server)[0] == 201
    file.chmod(0o400)
    monkeypatch.setattr(Path, "open", _full)
    status, text = ask(server)
    monkeypatch.undo()
    assert (status, "No space left" in text) == (507, True)
    assert kept(file) == [EVENT]


def _full(*args: Any, **options: Any) -> Any:
    raise OSError(28, "No space left on device")
