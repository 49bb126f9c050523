"""`lineal emit`: console, file and server say the same events; what does not arrive is not lost."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lineal.cli import main
from lineal.deliver.failures import is_page
from lineal.web.ingest import PATH

SQL = "CREATE VIEW a AS SELECT x FROM t;\nCREATE VIEW b AS SELECT x FROM a WHERE x > 0;\n"
TIME = ["--event-time", "2024-01-01T00:00:00Z"]


@pytest.fixture
def sql(tmp_path: Path) -> Path:
    file = tmp_path / "views.sql"
    file.write_text(SQL)
    return file


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (
        "OPENLINEAGE_URL",
        "OPENLINEAGE_API_KEY",
        "OPENLINEAGE_CONFIG",
        "OPENLINEAGE_DISABLED",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def emit(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["emit", *map(str, arguments), *TIME])


class Endpoint(ThreadingHTTPServer):
    """A server with prepared answers: a status, or None to close the connection."""

    def __init__(self, answers: Callable[[int], int | None]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = answers
        self.asked = 0
        self.bodies: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = self.server.answers(self.server.asked)
        self.server.asked += 1
        if status is None:
            self.close_connection = True
            return
        if status in (200, 201):
            self.server.bodies.append(json.loads(body))
            self.server.headers.append(dict(self.headers))
            self.server.paths.append(self.path)
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if status == 200 else "application/json")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None: ...


@pytest.fixture
def endpoint() -> Iterator[Callable[[Callable[[int], int | None]], Endpoint]]:
    running: list[tuple[Endpoint, threading.Thread]] = []

    def start(answers: Callable[[int], int | None]) -> Endpoint:
        made = Endpoint(answers)
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        running.append((made, thread))
        return made

    yield start
    for made, thread in running:
        made.shutdown()
        made.server_close()
        thread.join()


def test_every_way_says_the_same(sql: Path, tmp_path: Path, endpoint: Any) -> None:
    shown = CliRunner().invoke(main, ["lineage", str(sql), "--output", "openlineage", *TIME])
    console = emit(sql)
    assert (console.exit_code, console.stdout) == (0, shown.stdout)
    file = tmp_path / "events.ndjson"
    assert emit(sql, "--to", file).exit_code == 0
    assert file.read_text() == shown.stdout
    server = endpoint(lambda asked: 201)
    assert emit(sql, "--url", server.url, "--events", "job").exit_code == 0
    assert server.bodies == [json.loads(line) for line in shown.stdout.splitlines()]
    assert server.paths == [PATH] * 2


def test_a_server_gets_run_events(sql: Path, endpoint: Any) -> None:
    """No catalog takes the column lineage of job events."""
    server = endpoint(lambda asked: 201)
    assert emit(sql, "--url", server.url).exit_code == 0
    told = emit(sql, "--events", "run").stdout
    assert server.bodies == [json.loads(line) for line in told.splitlines()]
    assert [event["eventType"] for event in server.bodies] == ["START", "COMPLETE"] * 2


def test_emitted_events_are_emitted_again(sql: Path, tmp_path: Path) -> None:
    for options in (
        [],
        ["--legacy"],
        ["--facets", "both", "--describe"],
        ["--events", "run"],
        ["--events", "dataset"],
    ):
        first = emit(sql, *options).stdout
        (tmp_path / "events.ndjson").write_text(first)
        assert emit(tmp_path / "events.ndjson", *options).stdout == first


def test_the_key_comes_from_the_environment(
    sql: Path, endpoint: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = endpoint(lambda asked: 201)
    monkeypatch.setenv("OPENLINEAGE_API_KEY", "s3cret")
    monkeypatch.setenv("OPENLINEAGE_URL", server.url)
    assert emit(sql, "--transport", "http").exit_code == 0
    assert {headers["Authorization"] for headers in server.headers} == {"Bearer s3cret"}
    assert emit(sql, "--transport", "configured").exit_code == 0
    assert len(server.bodies) == 8


@pytest.mark.parametrize("token", ["secret\n", " secret", "\ufeffsecret\r\n"])
def test_blanks_around_a_token_are_not_sent(
    token: str, sql: Path, endpoint: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENLINEAGE_API_KEY", token)
    server = endpoint(lambda asked: 201)
    assert emit(sql, "--url", server.url).exit_code == 0
    assert {each["Authorization"] for each in server.headers} == {"Bearer secret"}


@pytest.mark.parametrize("token", ["\u201csecret\u201d", "secret\nX-Other: 1", "my secret"])
@pytest.mark.parametrize(
    ("catalog", "variable"),
    [
        ([], "OPENLINEAGE_API_KEY"),
        (["--to", "marquez"], "MARQUEZ_API_KEY"),
        (["--to", "unity"], "DATABRICKS_TOKEN"),
    ],
)
def test_a_token_that_no_header_can_hold_is_a_mistake(
    catalog: list[str],
    variable: str,
    token: str,
    sql: Path,
    endpoint: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(variable, token)
    server = endpoint(lambda asked: 201)
    failed = emit(sql, *catalog, "--url", server.url)
    assert failed.exit_code == 2 and variable in failed.stderr
    assert "secret" not in failed.output
    assert server.asked == 0


@pytest.mark.parametrize(
    ("kind", "body", "expected"),
    [
        ("text/html; charset=utf-8", b"", True),
        ("application/xhtml+xml", b"<?xml version='1.0'?>", True),
        ("", b"\n<!DOCTYPE html><title>Sign in</title>", True),
        ("application/json", b"<html><body>Sign in</body></html>", True),
        ("application/json", b"{}", False),
        ("", b"", False),
        ("text/plain", b"created", False),
    ],
)
def test_a_web_page_is_a_failure_of_a_lineage_endpoint(
    kind: str, body: bytes, expected: bool
) -> None:
    assert is_page(kind, body) is expected


def test_a_busy_server_is_asked_again(sql: Path, endpoint: Any) -> None:
    server = endpoint(lambda asked: (503, None, 201)[min(asked, 2)])
    assert emit(sql, "--url", server.url, "--retries", "3").exit_code == 0
    assert len(server.bodies) == 4


@pytest.mark.parametrize("status", [None, 400, 503])
def test_events_that_did_not_arrive_are_kept(
    status: int | None, sql: Path, tmp_path: Path, endpoint: Any
) -> None:
    whole = emit(sql, "--events", "run").stdout
    server = endpoint(lambda asked: 201 if asked == 0 else status)
    left = tmp_path / "left.ndjson"
    failed = emit(
        sql, "--url", server.url.replace("//", "//user:pa55@"), "--retries", "1", "--unsent", left
    )
    assert failed.exit_code == 1
    assert "1 of 4 events sent" in failed.stderr and str(left) in failed.stderr
    assert "pa55" not in failed.stderr and "Traceback" not in failed.stderr
    assert left.read_text() == "".join(whole.splitlines(keepends=True)[1:])
    again = endpoint(lambda asked: 201)
    assert emit("--resend", left, "--url", again.url).exit_code == 0
    assert left.read_text() == ""
    assert [*server.bodies, *again.bodies] == [json.loads(line) for line in whole.splitlines()]


def test_a_server_that_is_down(sql: Path, tmp_path: Path) -> None:
    import socket

    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
    left = tmp_path / "left.ndjson"
    failed = emit(sql, "--url", url, "--retries", "0", "--unsent", left)
    assert failed.exit_code == 1
    assert f"{url} cannot be reached: the connection is refused or closed" in failed.stderr
    assert "0 of 4 events sent" in failed.stderr
    assert len(left.read_text().splitlines()) == 4


def test_a_server_that_is_silent(sql: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        failed = emit(sql, "--url", url, "--timeout", "0.2", "--retries", "0")
    assert failed.exit_code == 1
    assert "0 of 4 events sent" in failed.stderr
    assert "no answer within the time that --timeout gives" in failed.stderr


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (200, "answers with a web page: check the address and --endpoint"),
        (401, "check the token, it may have expired"),
        (403, "the token does not allow this"),
        (404, "check the address and --endpoint"),
        (413, "the event is larger than it takes"),
        (302, "sends events to another address"),
        (503, "answers 503"),
    ],
)
def test_an_answer_says_what_to_do(sql: Path, endpoint: Any, status: int, said: str) -> None:
    server = endpoint(lambda asked: status)
    failed = emit(sql, "--url", server.url, "--retries", "0")
    assert failed.exit_code == 1
    assert "0 of 4 events sent" in failed.stderr and said in failed.stderr


@pytest.mark.parametrize(
    "url",
    [
        "http://",
        "http://local host:80",
        "http://localhost:port",
        "http://localhost:99999",
        "http://[::1",
        f"http://{'a' * 70}.example",
        "ftp://localhost",
    ],
)
@pytest.mark.parametrize("catalog", [[], ["--to", "openmetadata"], ["--to", "purview"]])
def test_an_invalid_address_is_a_usage_error(url: str, catalog: list[str], sql: Path) -> None:
    failed = emit(sql, *catalog, "--url", url)
    assert failed.exit_code == 2
    assert "is the address of a server" in failed.stderr


def test_a_refused_event_costs_no_other(sql: Path, tmp_path: Path, endpoint: Any) -> None:
    server = endpoint(lambda asked: 422 if asked == 1 else 201)
    left = tmp_path / "left.ndjson"
    failed = emit(sql, "--url", server.url, "--retries", "0", "--unsent", left)
    assert failed.exit_code == 1 and "3 of 4 events sent" in failed.stderr
    whole = emit(sql, "--events", "run").stdout.splitlines(keepends=True)
    assert left.read_text() == whole[1]
    assert server.bodies == [json.loads(each) for each in (whole[0], *whole[2:])]


def test_a_dry_run_sends_nothing(sql: Path, endpoint: Any) -> None:
    server = endpoint(lambda asked: 201)
    planned = emit(sql, "--to", "datahub", "--url", server.url, "--dry-run")
    assert planned.exit_code == 0 and planned.stdout == ""
    assert f"would send 4 events to DataHub at {server.url}/openapi/" in planned.stderr
    assert server.asked == 0


@pytest.mark.parametrize(
    ("text", "said"), [("[1]\n", "not an OpenLineage event"), ("{\n", "not an event in JSON")]
)
def test_only_events_are_sent_again(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "left.ndjson"
    file.write_text(text)
    failed = CliRunner().invoke(
        main, ["emit", "--resend", str(file), "--url", "http://localhost:1"]
    )
    assert failed.exit_code == 2 and f"{file}:1: {said}" in failed.stderr
    assert file.read_text() == text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--url", "localhost:5000"], "--url is the address of a server"),
        (["--transport", "http"], "--url is the address of a server"),
        (["--transport", "file"], "name the file with --to"),
        (["--to", "x", "--url", "http://x"], "give one of them"),
        (["--transport", "console", "--to", "x"], "does not go with --to"),
        (["--event-time", "yesterday"], "not a time with a zone"),
        (["--event-time", "2024-01-01"], "not a time with a zone"),
        (["--timeout", "0"], "--timeout"),
        (["--to", "datahub"], "DataHub needs the environment variable DATAHUB_GMS_URL"),
        (["--to", "datahub", "--transport", "file"], "does not go with --to datahub"),
        (["--resend", "x.ndjson"], "give it alone"),
    ],
)
def test_mistakes(sql: Path, options: list[str], said: str) -> None:
    failed = CliRunner().invoke(main, ["emit", str(sql), *options])
    assert failed.exit_code == 2
    assert said in failed.stderr


def test_a_file_that_cannot_be_written(sql: Path, tmp_path: Path) -> None:
    failed = emit(sql, "--to", tmp_path / "no" / "events.ndjson")
    assert failed.exit_code == 1
    assert "0 of 2 events sent" in failed.stderr


NO_CLIENT = """\
import sys
sys.modules["openlineage"] = None
from lineal.cli import main
main(sys.argv[1:], prog_name="lineal")
"""


def emit_without_client(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run `lineal emit` where openlineage-python cannot be imported."""
    command = [sys.executable, "-c", NO_CLIENT, "emit", *map(str, arguments), *TIME]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_the_console_and_a_file_need_no_client(sql: Path, tmp_path: Path) -> None:
    console = emit_without_client(sql, "--events", "run")
    assert console.returncode == 0 and console.stderr.endswith("\n4 events sent\n")
    assert "and SQL with literals" in console.stderr
    assert console.stdout == emit(sql, "--events", "run").stdout
    file = tmp_path / "events.ndjson"
    for times in (1, 2):
        assert emit_without_client(sql, "--to", file).returncode == 0
        assert file.read_text() == emit(sql).stdout * times


@pytest.mark.parametrize(
    "options",
    [["--url", "http://localhost:1"], ["--transport", "configured"], ["--to", "s3://lake/events"]],
)
def test_whatever_needs_the_client_says_what_to_install(sql: Path, options: list[str]) -> None:
    failed = emit_without_client(sql, *options)
    assert failed.returncode == 2
    assert failed.stderr.splitlines()[-1].endswith("pip install 'lineal[openlineage]'")


def test_a_server_gets_fields_in_the_order_of_the_select_list(
    tmp_path: Path, endpoint: Any
) -> None:
    file = tmp_path / "views.sql"
    file.write_text("CREATE VIEW v AS SELECT z, a, m + z AS b, c AS y FROM t WHERE q > 0;")
    server = endpoint(lambda asked: 201)
    assert emit(file, "--url", server.url).exit_code == 0
    facets = server.bodies[0]["outputs"][0]["facets"]
    assert list(facets["columnLineage"]["fields"]) == ["z", "a", "b", "y"]
    told = emit(file, "--events", "run").stdout.splitlines()[0]
    assert list(server.bodies[0]) == list(json.loads(told))
