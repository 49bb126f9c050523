"""Catalogs by their own interfaces: servers that answer as their documentation says.

Each server keeps what it accepts, so that every edge that was sent can be looked for in it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from uuid import NAMESPACE_URL, uuid5

import pytest
from click.testing import CliRunner, Result

from lineal.cli import main

TIME = ["--event-time", "2024-01-01T00:00:00Z"]
QUIET = ["--retries", "0", "--timeout", "2"]

SQL = """\
CREATE VIEW wh.mart.daily AS SELECT o.day, o.amount * r.rate AS total FROM wh.raw.orders o
JOIN wh.raw.rates r ON o.day = r.day WHERE o.paid;
CREATE VIEW wh.mart.best AS SELECT max(total) AS best FROM wh.mart.daily;
"""
EDGES = {
    ("wh.raw.orders.day", "wh.mart.daily.day"),
    ("wh.raw.orders.amount", "wh.mart.daily.total"),
    ("wh.raw.rates.rate", "wh.mart.daily.total"),
    ("wh.mart.daily.total", "wh.mart.best.best"),
}
"""Written by hand from SQL."""


class Catalog(ThreadingHTTPServer):
    """A server with a table of answers: (method, path, body) to a status and a body."""

    def __init__(self, answer: Callable[[str, str, Any], tuple[int, Any]]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.asked: list[tuple[str, str, Any]] = []
        self.tokens: set[str | None] = set()
        self.fail: dict[int, int | str] = {}
        """what to answer instead to the request of a number"""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def bodies(self, part: str) -> list[Any]:
        return [body for method, path, body in self.asked if part in path and method != "GET"]


class Handler(BaseHTTPRequestHandler):
    server: Catalog

    def respond(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size)) if size else None
        self.server.tokens.add(self.headers.get("Authorization"))
        number = len(self.server.asked)
        self.server.asked.append((self.command, self.path, body))
        instead = self.server.fail.get(number)
        if instead == "cut":
            self.close_connection = True
            return
        if instead == "page":
            self.write(200, b"<html>log in</html>", "text/html")
            return
        status, said = (instead, None) if instead else self.server.answer(*self.server.asked[-1])
        self.write(int(status), json.dumps(said).encode(), "application/json")

    def write(self, status: int, data: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        if status == 429:
            self.send_header("Retry-After", "0.1")
        if status == 302:
            self.send_header("Location", "/elsewhere")
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_PATCH = respond

    def log_message(self, format: str, *args: Any) -> None: ...


@pytest.fixture
def start() -> Iterator[Callable[[Callable[[str, str, Any], tuple[int, Any]]], Catalog]]:
    running: list[tuple[Catalog, threading.Thread]] = []

    def begin(answer: Callable[[str, str, Any], tuple[int, Any]]) -> Catalog:
        made = Catalog(answer)
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        running.append((made, thread))
        return made

    yield begin
    for made, thread in running:
        made.shutdown()
        made.server_close()
        thread.join()


@pytest.fixture
def sql(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "views.sql"
    file.write_text(SQL)
    return file


def emit(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["emit", *map(str, arguments), *TIME])


# -- OpenMetadata ----------------------------------------------------------------------------------


def openmetadata(method: str, path: str, body: Any) -> tuple[int, Any]:
    if "getLineageEdge" in path:
        return 404, {}
    if method == "GET":
        name = unquote(path.removeprefix("/api/v1/tables/name/"))
        return 200, {"id": str(uuid5(NAMESPACE_URL, name)), "fullyQualifiedName": name}
    assert (method, path) == ("PUT", "/api/v1/lineage")
    return 200, {}


def to_openmetadata(server: Catalog, *more: str | Path) -> list[str | Path]:
    return ["--to", "openmetadata", "--native", "--url", server.url, *more]


def openmetadata_edges(server: Catalog) -> set[tuple[str, str]]:
    return {
        (source.removeprefix("prod."), each["toColumn"].removeprefix("prod."))
        for body in server.bodies("lineage")
        for each in body["edge"]["lineageDetails"]["columnsLineage"]
        for source in each["fromColumns"]
    }


def test_openmetadata_gets_every_edge(
    sql: Path, start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENMETADATA_SERVICE", "prod")
    monkeypatch.setenv("OPENMETADATA_TOKEN", "s3cret")
    server = start(openmetadata)
    sent = emit(sql, *to_openmetadata(server), "--namespace", "snowflake://acme")
    assert sent.exit_code == 0, sent.stderr
    assert openmetadata_edges(server) == EDGES
    assert server.tokens == {"Bearer s3cret"} and "s3cret" not in sent.stderr
    assert "2 events sent to OpenMetadata" in sent.stderr and "4 column edges" in sent.stderr
    totals = [
        each
        for body in server.bodies("lineage")
        for each in body["edge"]["lineageDetails"]["columnsLineage"]
        if each["toColumn"] == "prod.wh.mart.daily.total"
    ]
    assert {each["function"] for each in totals} == {"o.amount * r.rate AS total"}


def test_a_table_that_openmetadata_lacks_is_named(
    sql: Path, start: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENMETADATA_SERVICE", "prod")

    def without_rates(method: str, path: str, body: Any) -> tuple[int, Any]:
        return (404, {}) if path.endswith("rates") else openmetadata(method, path, body)

    server = start(without_rates)
    left = tmp_path / "left.ndjson"
    failed = emit(sql, *to_openmetadata(server), "--unsent", left, *QUIET)
    assert failed.exit_code == 1
    assert "1 of 2 events sent" in failed.stderr
    assert "no table prod.wh.raw.rates: ingest its database first" in failed.stderr
    whole = start(openmetadata)
    again = emit("--resend", left, *to_openmetadata(whole))
    assert again.exit_code == 0, again.stderr
    assert openmetadata_edges(server) | openmetadata_edges(whole) == EDGES


def test_openmetadata_keeps_the_columns_that_it_has(
    tmp_path: Path, start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two jobs fill one table from another, and somebody has drawn an edge by hand."""
    monkeypatch.setenv("OPENMETADATA_SERVICE", "prod")
    (tmp_path / "one.sql").write_text("INSERT INTO wh.mart.t (a) SELECT x FROM wh.raw.s;")
    (tmp_path / "two.sql").write_text("INSERT INTO wh.mart.t (b) SELECT y FROM wh.raw.s;")
    column = "prod.wh.{}".format
    held = [{"fromColumns": [column("raw.s.z")], "toColumn": column("mart.t.a")}]
    edge = {"columnsLineage": held}

    def keeping(method: str, path: str, body: Any) -> tuple[int, Any]:
        if "getLineageEdge" in path:
            return 200, {"edge": edge}
        if method == "PUT":
            edge["columnsLineage"] = body["edge"]["lineageDetails"]["columnsLineage"]
        return openmetadata(method, path, body)

    server = start(keeping)
    sent = emit(tmp_path, *to_openmetadata(server))
    assert sent.exit_code == 0, sent.stderr
    assert [(each["fromColumns"], each["toColumn"]) for each in edge["columnsLineage"]] == [
        ([column("raw.s.z"), column("raw.s.x")], column("mart.t.a")),
        ([column("raw.s.y")], column("mart.t.b")),
    ]


# -- Unity Catalog ---------------------------------------------------------------------------------


class UnityCatalog:
    """Refuses what it has, as the real one does, and takes it as an update."""

    def __init__(self) -> None:
        self.metadata: dict[str, Any] = {}
        self.lineage: dict[str, Any] = {}

    def __call__(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        kept = self.metadata if "external-metadata" in path else self.lineage
        key = json.dumps(body.get("name") or [body["source"], body["target"]])
        if method == "POST" and key in kept:
            return 409, {"error_code": "ALREADY_EXISTS"}
        if method == "PATCH" and key not in kept:
            return 404, {"error_code": "NOT_FOUND"}
        kept[key] = body
        return 200, body

    def edges(self) -> set[tuple[str, str]]:
        return {
            (f"{name_of(each['source'])}.{pair['source']}", f"{name_of(each['target'])}.{pair['target']}")
            for each in self.lineage.values()
            for pair in each["columns"]
        }  # fmt: skip


def name_of(end: dict[str, Any]) -> str:
    (said,) = end.values()
    name: str = said["name"]
    return name.removeprefix("db:5432.")


def test_unity_catalog_gets_every_edge_and_takes_it_again(
    sql: Path, start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABRICKS_TOKEN", "s3cret")
    unity = UnityCatalog()
    server = start(unity)
    command = [sql, "--to", "unity", "--url", server.url, "--namespace", "postgres://db:5432"]
    sent = emit(*command)
    assert sent.exit_code == 0, sent.stderr
    assert unity.edges() == EDGES
    (orders,) = [each for each in unity.metadata.values() if each["name"].endswith("orders")]
    assert orders["system_type"] == "POSTGRESQL" and orders["name"] == "db:5432.wh.raw.orders"
    assert {"day", "amount", "paid"} == set(orders["columns"])
    before = dict(unity.lineage)
    assert emit(*command).exit_code == 0
    assert unity.lineage == before
    assert server.tokens == {"Bearer s3cret"}


def test_unity_catalog_gets_its_own_tables_by_name(sql: Path, tmp_path: Path, start: Any) -> None:
    """It records what happens between its own tables itself: only what crosses the border is sent."""
    (tmp_path / "lineal.yml").write_text(
        "namespace: databricks://acme\nopenlineage:\n  namespaces: {wh.raw: 'postgres://db:5432'}\n"
    )
    unity = UnityCatalog()
    server = start(unity)
    sent = emit(tmp_path, "--to", "unity", "--url", server.url)
    assert sent.exit_code == 0, sent.stderr
    assert unity.edges() == {each for each in EDGES if each[0].startswith("wh.raw")}
    (first, *_) = unity.lineage.values()
    assert first["target"] == {"table": {"name": "wh.mart.daily"}}
    assert set(first["source"]) == {"external_metadata"}
    assert (
        "accepted 3 column edges; 1 pair of the catalog's own tables were left out" in sent.stderr
    )


def test_consumers_are_left_out_and_counted(start: Any) -> None:
    cafe = Path(__file__).parents[1] / "data" / "cafe"
    unity = UnityCatalog()
    server = start(unity)
    sent = emit(cafe, "--to", "unity", "--url", server.url, "--fail-on", "never")
    assert sent.exit_code == 0, sent.stderr
    assert "(tests, metrics and others) are not its tables and were left out" in sent.stderr
    assert not [each for each in unity.metadata.values() if ":" in each["name"]]


# -- Microsoft Purview -----------------------------------------------------------------------------


def purview(method: str, path: str, body: Any) -> tuple[int, Any]:
    assert method == "POST" and "api-version=2023-09-01" in path
    return 200, {}


def purview_edges(server: Catalog) -> set[tuple[str, str]]:
    found = set()
    for body in server.bodies("entity/bulk"):
        process = body["entities"][-1]
        for each in json.loads(process["attributes"]["columnMapping"]):
            ends = each["DatasetMapping"]
            for pair in each["ColumnMapping"]:
                found.add((f"{ends['Source']}.{pair['Source']}", f"{ends['Sink']}.{pair['Sink']}"))
    return found


@pytest.mark.parametrize(
    ("namespace", "start_of_name", "kind"),
    [
        ("postgres://db:5432", "postgres://db:5432/", "DataSet"),
        ("mssql://srv.database.windows.net:1433", "mssql://srv.database.windows.net/", "azure_sql_table"),
    ],
)  # fmt: skip
def test_purview_gets_every_edge(
    namespace: str, start_of_name: str, kind: str, sql: Path, start: Any
) -> None:
    server = start(purview)
    sent = emit(sql, "--to", "purview", "--url", server.url, "--namespace", namespace)
    assert sent.exit_code == 0, sent.stderr
    separator = "." if kind == "DataSet" else "/"

    def name_of(column: str) -> str:
        table, _, name = column.rpartition(".")
        return f"{start_of_name}{table.replace('.', separator)}.{name}"

    assert purview_edges(server) == {(name_of(source), name_of(target)) for source, target in EDGES}
    (types,) = server.bodies("typedefs")
    (definition,) = types["entityDefs"]
    assert definition["superTypes"] == ["Process"]
    for body in server.bodies("entity/bulk"):
        *tables, process = body["entities"]
        assert process["typeName"] == definition["name"]
        used = (*process["attributes"]["inputs"], *process["attributes"]["outputs"])
        assert {each["typeName"] for each in used} == {kind}
        # a table that no scan knows is created with the process that names it
        created = {each["attributes"]["qualifiedName"] for each in tables}
        named_here = {each["uniqueAttributes"]["qualifiedName"] for each in used}
        assert created == (named_here if kind == "DataSet" else set())


# -- whatever goes wrong ---------------------------------------------------------------------------


def unsent_tables(file: Path) -> list[str]:
    return [json.loads(line)["outputs"][0]["name"] for line in file.read_text().splitlines()]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (401, "check the token, it may have expired"),
        (403, "the token does not allow this"),
        (413, "the event is larger than it takes"),
        (429, "it asks for fewer events at a time"),
        (500, "answers 500"),
        (302, "sends events to another address"),
        ("page", "answers with a web page"),
        ("cut", "the connection is refused or closed"),
    ],
)
def test_no_event_is_lost_and_the_message_has_a_remedy(
    answer: int | str, said: str, sql: Path, tmp_path: Path, start: Any
) -> None:
    server = start(purview)
    server.fail = dict.fromkeys(range(2, 9), answer)  # after the types and the first event
    left = tmp_path / "left.ndjson"
    command = [sql, "--to", "purview", "--url", server.url, "--unsent", left, *QUIET]
    failed = emit(*command)
    assert failed.exit_code == 1 and "1 of 2 events sent" in failed.stderr
    assert said in failed.stderr and "Traceback" not in failed.stderr
    assert unsent_tables(left) == ["wh.mart.daily"]
    server.fail = {}
    again = emit("--resend", left, "--to", "purview", "--url", server.url)
    assert again.exit_code == 0 and left.read_text() == ""
    accepted = server.bodies("entity/bulk")
    names = [body["entities"][-1]["attributes"]["name"] for body in (accepted[0], accepted[-1])]
    assert names == ["wh.mart.best", "wh.mart.daily"]


@pytest.mark.parametrize("answer", [429, 500, 503, "cut"])
def test_a_busy_server_is_asked_again(answer: int | str, sql: Path, start: Any) -> None:
    server = start(purview)
    server.fail = {1: answer}
    sent = emit(sql, "--to", "purview", "--url", server.url, "--retries", "2")
    assert sent.exit_code == 0, sent.stderr
    assert len(server.asked) == 4


def test_a_server_that_is_down(sql: Path, tmp_path: Path) -> None:
    import socket

    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
    left = tmp_path / "left.ndjson"
    failed = emit(sql, "--to", "unity", "--url", url, "--unsent", left, *QUIET)
    assert failed.exit_code == 1
    assert "0 of 2 events sent" in failed.stderr and "cannot be reached" in failed.stderr
    assert len(unsent_tables(left)) == 2


def test_a_server_that_is_slow(sql: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        failed = emit(sql, "--to", "unity", "--url", url, "--timeout", "0.2", "--retries", "0")
    assert failed.exit_code == 1
    assert "no answer within the time that --timeout gives" in failed.stderr


def test_an_interrupted_run_is_resumed(
    sql: Path, tmp_path: Path, start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process ends between two events: the file lists the events that are still to be sent."""
    from lineal.deliver.native import Purview

    server = start(purview)
    whole = Purview.send
    sent = 0

    def stop_at_the_second(self: Purview, event: dict[str, Any]) -> None:
        nonlocal sent
        sent += 1
        if sent == 2:
            raise KeyboardInterrupt
        whole(self, event)

    left = tmp_path / "left.ndjson"
    monkeypatch.setattr(Purview, "send", stop_at_the_second)
    stopped = emit(sql, "--to", "purview", "--url", server.url, "--unsent", left)
    assert stopped.exit_code != 0
    assert len(unsent_tables(left)) == 2 and len(server.bodies("entity/bulk")) == 1
    monkeypatch.setattr(Purview, "send", whole)
    again = emit("--resend", left, "--to", "purview", "--url", server.url)
    assert again.exit_code == 0 and "1 event sent" in again.stderr
    names = [body["entities"][-1]["attributes"]["name"] for body in server.bodies("entity/bulk")]
    assert sorted(names) == ["wh.mart.best", "wh.mart.daily"]
    assert left.read_text() == "" and not left.with_name("left.ndjson.sent").exists()


def test_events_of_an_earlier_failure_stay_in_the_file(
    sql: Path, tmp_path: Path, start: Any
) -> None:
    server = start(purview)
    server.fail = dict.fromkeys(range(99), 401)
    left = tmp_path / "left.ndjson"
    command = [sql, "--to", "purview", "--url", server.url, "--unsent", left, *QUIET]
    assert emit(*command).exit_code == 1
    assert emit(*command).exit_code == 1
    assert len(unsent_tables(left)) == 4
    server.fail = {}
    assert emit(*command).exit_code == 0
    assert len(unsent_tables(left)) == 4
    left.unlink()
    assert emit(*command).exit_code == 0
    assert not left.exists()


def test_a_dry_run_asks_nothing(sql: Path, tmp_path: Path, start: Any) -> None:
    server = start(purview)
    left = tmp_path / "left.ndjson"
    planned = emit(sql, "--to", "unity", "--url", server.url, "--dry-run", "--unsent", left)
    assert planned.exit_code == 0 and "would send 2 events to Unity Catalog" in planned.stderr
    assert server.asked == [] and not left.exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--native"], "--native goes with --to datahub"),
        (["--native", "--to", "marquez"], "--native goes with --to datahub"),
        (["--to", "unity"], "Unity Catalog needs the environment variable DATABRICKS_HOST"),
        (["--to", "purview"], "Microsoft Purview needs the environment variable PURVIEW_ENDPOINT"),
        (["--to", "unity", "--transport", "console"], "does not go with --to unity"),
    ],
)
def test_mistakes(
    sql: Path, options: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DATABRICKS_HOST", "PURVIEW_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    failed = emit(sql, *options)
    assert failed.exit_code == 2 and said in failed.stderr


def test_datahub_natively_needs_its_client(sql: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "datahub", None)
    failed = emit(sql, "--to", "datahub", "--native", "--url", "http://127.0.0.1:1")
    assert failed.exit_code == 2
    assert "pip install 'lineal[datahub]'" in failed.stderr
