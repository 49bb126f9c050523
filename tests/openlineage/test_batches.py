"""Events in batches: what a catalog refuses costs no other event, and nothing is sent twice."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lineal.cli import main
from lineal.deliver.batches import MOST_BYTES, parts_of

VIEWS = ("a", "b", "c", "d", "e")
SQL = "".join(f"CREATE VIEW s.{name} AS SELECT x FROM s.t;\n" for name in VIEWS)
BATCH, SINGLE = "/api/v1/openlineage/lineage/batch", "/api/v1/openlineage/lineage"
Answer = Callable[[str, list[str]], tuple[int | None, Any]]


class Catalog(ThreadingHTTPServer):
    """Answers by the path and the jobs that a request is about; None closes the connection."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.requests: list[tuple[str, list[str]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def accepted_jobs(self) -> list[str]:
        """The jobs of the requests that were answered with 200."""
        return [job for path, jobs in self.requests for job in jobs if path]


class Handler(BaseHTTPRequestHandler):
    server: Catalog

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        jobs = [event["job"]["name"].removeprefix("s.") for event in body.get("events", [body])]
        status, said = self.server.answer(self.path, jobs)
        if status is None:
            self.close_connection = True
            return
        self.server.requests.append((self.path if status == 200 else "", jobs))
        data = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None: ...


@pytest.fixture
def catalog() -> Iterator[Callable[[Answer], Catalog]]:
    running: list[tuple[Catalog, threading.Thread]] = []

    def start(answer: Answer) -> Catalog:
        made = Catalog(answer)
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        running.append((made, thread))
        return made

    yield start
    for made, thread in running:
        made.shutdown()
        made.server_close()
        thread.join()


@pytest.fixture
def emit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    (tmp_path / "views.sql").write_text(SQL)
    monkeypatch.chdir(tmp_path)

    def run(server: Catalog, *options: str, resend: bool = False) -> Result:
        source = ["--resend", "left"] if resend else ["views.sql", "--unsent", "left"]
        command = ["emit", *source, "--to", "openmetadata", "--url", server.url]
        return CliRunner().invoke(main, [*command, "--retries", "0", *options])

    return run


def accept(path: str, jobs: list[str]) -> tuple[int, Any]:
    return 200, {"status": "success"}


def left_jobs() -> list[str]:
    file = Path("left")
    lines = file.read_text().splitlines() if file.exists() else []
    return [json.loads(line)["job"]["name"].removeprefix("s.") for line in lines]


def test_a_catalog_gets_one_request_with_all_events(emit: Any, catalog: Any) -> None:
    server = catalog(accept)
    sent = emit(server)
    assert sent.exit_code == 0, sent.stderr
    assert server.requests == [(BATCH, list(VIEWS))]
    assert "5 events sent" in sent.stderr and "accepted 5 column edges" in sent.stderr


def test_batch_says_how_many(emit: Any, catalog: Any) -> None:
    server = catalog(accept)
    emit(server, "--batch", "2")
    assert server.requests == [(BATCH, ["a", "b"]), (BATCH, ["c", "d"]), (BATCH, ["e"])]


def test_a_batch_of_one_goes_to_the_usual_address(emit: Any, catalog: Any) -> None:
    server = catalog(accept)
    emit(server, "--batch", "1")
    assert server.requests == [(SINGLE, [name]) for name in VIEWS]


def test_events_that_the_answer_lists_are_kept_and_sent_again(emit: Any, catalog: Any) -> None:
    def answer(path: str, jobs: list[str]) -> tuple[int, Any]:
        failed = [{"index": 1, "reason": "no such\ntable"}, {"index": 3, "reason": "x"}]
        return 200, {"status": "partial_success", "failedEvents": failed}

    partial = emit(catalog(answer))
    assert partial.exit_code == 1
    assert "3 of 5 events sent" in partial.stderr and "did not take it: no such" in partial.stderr
    assert left_jobs() == ["b", "d"]
    server = catalog(accept)
    assert emit(server, resend=True).exit_code == 0
    assert server.requests == [(BATCH, ["b", "d"])] and left_jobs() == []


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_refused_event_costs_no_other_of_its_batch(status: int, emit: Any, catalog: Any) -> None:
    server = catalog(lambda path, jobs: (status if "d" in jobs else 200, None))
    partial = emit(server)
    assert partial.exit_code == 1 and "4 of 5 events sent" in partial.stderr
    assert left_jobs() == ["d"]
    assert sorted(server.accepted_jobs()) == ["a", "b", "c", "e"]


def test_a_batch_with_only_failed_events(emit: Any, catalog: Any) -> None:
    failed = [{"index": index, "reason": "unknown table"} for index in range(5)]
    server = catalog(lambda path, jobs: (400, {"status": "failure", "failedEvents": failed}))
    partial = emit(server)
    assert "0 of 5 events sent" in partial.stderr and "unknown table" in partial.stderr
    assert left_jobs() == list(VIEWS) and len(server.requests) == 1


@pytest.mark.parametrize("status", [404, 405])
def test_a_server_without_batches_gets_events_one_by_one(
    status: int, emit: Any, catalog: Any
) -> None:
    server = catalog(lambda path, jobs: (status if path == BATCH else 200, None))
    assert emit(server).exit_code == 0
    assert server.requests == [("", list(VIEWS)), *((SINGLE, [name]) for name in VIEWS)]


def test_a_connection_that_breaks_between_batches(emit: Any, catalog: Any) -> None:
    broken = catalog(lambda path, jobs: (None if "c" in jobs else 200, None))
    partial = emit(broken, "--batch", "2")
    assert partial.exit_code == 1 and "2 of 5 events sent" in partial.stderr
    assert "the connection is refused or closed" in partial.stderr
    server = catalog(accept)
    assert emit(server, resend=True).exit_code == 0
    assert broken.accepted_jobs() == ["a", "b"] and server.accepted_jobs() == ["c", "d", "e"]


def test_an_expired_token_stops_the_delivery(emit: Any, catalog: Any) -> None:
    partial = emit(catalog(lambda path, jobs: (401, None)))
    assert partial.exit_code == 1 and "the token" in partial.stderr
    assert left_jobs() == list(VIEWS)


def test_datasets_that_the_catalog_does_not_find_are_reported(emit: Any, catalog: Any) -> None:
    answer = {"status": "partial_success", "unresolvedDatasets": [{"name": "s.t"}, "s.u\x1b[2J"]}
    sent = emit(catalog(lambda path, jobs: (200, answer)))
    assert "2 datasets not found there: s.t, s.u" in sent.stderr and "\x1b" not in sent.stderr


@pytest.mark.parametrize("said", [[], "fine", {"failedEvents": "x"}, {"failedEvents": [None, {}]}])
def test_an_answer_that_makes_no_sense_loses_nothing(said: Any, emit: Any, catalog: Any) -> None:
    sent = emit(catalog(lambda path, jobs: (200, said)))
    assert sent.exit_code == 0, sent.stderr
    assert "5 events sent" in sent.stderr


def test_a_large_event_goes_alone() -> None:
    events = [{"text": "x" * size} for size in (10, MOST_BYTES, 10, 10)]
    assert [len(part) for part in parts_of(events, 50)] == [1, 1, 2]
