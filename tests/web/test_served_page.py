"""The page and the API over a real server: access, answers, and following
its files.
"""

from __future__ import annotations

import json
import os
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lineal
from lineal.cli.serve import _page
from lineal.cli.source import Source
from lineal.web.server import Server

TOKEN = "a-token-of-the-test"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "v.sql").write_text("CREATE VIEW v AS SELECT a, b + 1 AS c FROM t WHERE d > 0")
    (tmp_path / "w.sql").write_text("CREATE VIEW w AS SELECT a FROM v")
    return tmp_path


@pytest.fixture
def server(project: Path) -> Iterator[Server]:
    with Server(
        "127.0.0.1", 0, _page(Source((str(project),), use_cache=False)), TOKEN, public={"/"}
    ) as started:
        thread = threading.Thread(target=started.serve_forever, daemon=True)
        thread.start()
        yield started
        started.shutdown()


def ask(server: Server, path: str, method: str = "GET", **headers: str) -> tuple[int, Any]:
    sent = {
        "Authorization": f"Bearer {TOKEN}",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    request = urllib.request.Request(server.address + path, headers=sent, method=method)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read()


def asked(server: Server, path: str) -> Any:
    status, body = ask(server, path)
    assert status == 200, body
    return json.loads(body)


def test_answers_are_those_of_the_graph(server: Server, project: Path) -> None:
    found = lineal.lineage(project)
    assert [hit["name"] for hit in asked(server, "/api/search?q=v.a")["hits"]] == ["v.a"]
    node = asked(server, "/api/node?name=v")
    assert [column["name"] for column in node["columns"]] == ["a", "c"]
    assert len(node["into"]) == 3 and len(node["out_of"]) == 1
    column = asked(server, "/api/column?name=t.a")
    assert column["dataset"] == "t" and [
        edge["target"]["dataset"] for edge in column["out_of"]
    ] == ["v"]
    trace = asked(server, "/api/trace?column=w.a&direction=upstream")["edges"]
    assert (
        [edge["depth"] for edge in trace]
        == [edge.depth for edge in found.upstream("w.a")]
        == [1, 2]
    )
    assert len(asked(server, "/api/trace?column=w.a&direction=upstream&depth=1")["edges"]) == 1
    impact = asked(server, "/api/impact?column=t.a&change=drop")
    assert impact["breaks"] and {
        (each["dataset"], each["column"]) for each in impact["columns"]
    } >= {("w", "a")}


def test_changes_since_the_base(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    base = tmp_path_factory.mktemp("base")
    (base / "v.sql").write_text("CREATE VIEW v AS SELECT a FROM t")
    routes = _page(Source((str(project),), use_cache=False), str(base))
    with Server("127.0.0.1", 0, routes, TOKEN, public={"/"}) as started:
        threading.Thread(target=started.serve_forever, daemon=True).start()
        found = asked(started, "/api/diff")
        assert found["verdict"] in ("SAFE", "REVIEW", "BLOCK") and "v" in json.dumps(
            found["findings"]
        )
        assert asked(started, "/api/lineage")["diff"]["columns"]
        started.shutdown()


def test_nothing_is_compared(server: Server) -> None:
    status, body = ask(server, "/api/diff?base=/etc/passwd")
    assert status == 404 and b"lineal serve --diff" in body


def test_only_those_who_may_ask_are_answered(server: Server) -> None:
    assert ask(server, "/api/version")[0] == 200
    assert ask(server, "/api/version", Authorization="Bearer wrong")[0] == 401
    assert ask(server, "/api/version", Authorization="")[0] == 401
    assert ask(server, "/api/version", Host="evil.example")[0] == 403
    assert ask(server, "/", Host="evil.example")[0] == 403
    assert ask(server, "/api/version", Origin="http://evil.example")[0] == 403
    assert ask(server, "/api/version", Origin=server.address)[0] == 200
    assert ask(server, "/api/version", method="POST", Content_Type="application/json")[0] == 405
    assert ask(server, "/api/version", method="OPTIONS")[0] == 405


HOSTILE = [
    "/api/search", "/api/search?q=", "/api/search?q=%00", "/api/search?q=" + "x" * 10_000, "/api/node",
    "/api/node?name=nope", "/api/node?name=../../etc/passwd", "/../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
    "//etc/passwd",
    "/page.js", "/api/column?name=v", "/api/column?name=v.%ff%fe", "/api/trace?column=v.a&direction=sideways",
    "/api/trace?column=v.a&depth=-1", "/api/trace?column=v.a&depth=1e9", "/api/trace?column=v.a&depth=" + "9" * 400,
    "/api/trace?column=v.a&depth=²", "/api/impact?column=v.a&change=explode", "/api/impact?column=v.a&change=rename=",
    "/api/impact?" + "a=1&" * 1000, "/api", "/api/", "/api/lineage/../version", "/?token=x", "/favicon.ico",
]  # fmt: skip


@pytest.mark.parametrize("path", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_that_is_asked_breaks_it(server: Server, path: str) -> None:
    status, body = ask(server, urllib.parse.quote(path, safe="/?&=%"))
    assert status < 500
    assert b"root:x:0" not in body
    assert ask(server, "/api/version")[0] == 200


def test_the_page_follows_its_files(browser: Any, server: Server, project: Path) -> None:
    page = browser.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(f"{server.address}/?token={TOKEN}")
    page.locator(".card").first.wait_for()
    assert sorted(page.locator(".card .name").all_inner_texts()) == ["t", "v", "w"]
    file = project / "x.sql"
    file.write_text("CREATE VIEW x AS SELECT c FROM v")
    os.utime(file)
    page.locator('.card .name:text-is("x")').wait_for(timeout=20_000)
    assert problems == []
    page.close()


def test_a_page_without_a_token_is_reported(browser: Any, server: Server) -> None:
    page = browser.new_page()
    page.goto(f"{server.address}/")
    page.get_by_text("cannot be shown: the server says 401").wait_for(timeout=10_000)
    page.close()


def test_files_that_cannot_be_read_again_are_reported(server: Server, project: Path) -> None:
    before = asked(server, "/api/lineage")
    elsewhere = project.with_name(f"{project.name}-moved")
    project.rename(elsewhere)
    try:
        time.sleep(0.6)
        problem = asked(server, "/api/version")["problem"]
        stays = asked(server, "/api/lineage")
    finally:
        elsewhere.rename(project)
    time.sleep(0.6)

    assert "no such" in problem or "there is no" in problem
    assert stays["edges"] == before["edges"]
    assert "problem" not in asked(server, "/api/version")
