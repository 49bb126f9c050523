"""lineal against a live server: its records of what views read, and its plans. They agree, and
would say if not.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import live
import postgres_server
import psycopg
import pytest
import truth
from click.testing import CliRunner, Result
from test_corpora import as_view, blunt, tables_of
from test_live import SHOP
from test_views import FUNCTIONS, SCHEMA, VIEWS, column_edges, scripts

import tpc
from lineal.cli import main
from lineal.model.diagnostic import Code
from lineal.model.edge import Dataset, Read
from lineal.model.way import Clause
from lineal.projects import postgres
from lineal.projects.postgres import crosscheck
from lineal.projects.postgres.catalog import read_catalog
from lineal.projects.postgres.dependencies import disagreements, read_dependencies
from lineal.resolve.definitions import Definitions


@pytest.fixture(scope="module")
def views(database: Any) -> Any:
    database.execute(SCHEMA)
    database.execute(FUNCTIONS)
    for path in VIEWS:
        for script in scripts(path):
            database.execute(script.text.replace("CREATE VIEW", "CREATE OR REPLACE VIEW", 1))
    return database


@pytest.fixture
def fresh(postgres: str) -> Iterator[Any]:
    with postgres_server.database(postgres) as connection:
        yield connection


def both(connection: Any, *arguments: str) -> Result:
    return CliRunner().invoke(
        main, ["lineage", live.address(connection), "--engine", "both", *arguments]
    )


def said(done: Result) -> list[str]:
    return [line for line in done.stderr.splitlines() if "[engine" in line]


def test_the_server_agrees_on_every_hard_view(views: Any) -> None:
    before = live.fingerprint(views)
    done = both(views)
    assert (said(done), done.exit_code) == ([], 0)
    assert live.fingerprint(views) == before


def test_a_wrong_read_is_found_on_either_side(views: Any) -> None:
    with postgres.session(live.address(views)) as server:
        catalog, known = read_catalog(server), read_dependencies(server)
    texts = {".".join(parts): script.text for parts, script in catalog.views}
    reads = Definitions(postgres.load(live.address(views))).extract().reads
    changed = [
        each for each in reads if (each.target.name, each.column) != ("public.using_inner", "id")
    ]
    changed.append(
        Read(Dataset("", "public.field"), Dataset("", "public.orders"), "fee", Clause.SELECT, None)
    )
    found = [each.message for each in disagreements(changed, known, texts, catalog.datasets)]
    assert any(message.startswith("public.field reads public.orders.fee") for message in found)
    assert any(
        message.startswith("public.using_inner reads public.") and "pg_depend" in message
        for message in found
    )


def test_a_wrong_origin_is_found_on_either_side(
    views: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = crosscheck.Values.statement

    def another(self: Any, definition: Any) -> str:
        if definition.target.name == "public.casts":
            return "SELECT " + ", ".join(["fee"] * 20) + " FROM public.orders"
        return real(self, definition)

    monkeypatch.setattr(crosscheck.Values, "statement", another)
    found = said(both(views, "--all-diagnostics"))
    assert any(
        "public.orders.fee -> public.casts." in line and "only in plan" in line for line in found
    )
    assert [line for line in found if "public.casts." not in line] == []


def test_statements_over_missing_views_are_composed(fresh: Any, tmp_path: Path) -> None:
    fresh.execute(SHOP)
    before = live.fingerprint(fresh)
    (tmp_path / "later.sql").write_text(
        """
        CREATE VIEW paid AS SELECT amount AS a, id FROM orders WHERE amount > 0;
        CREATE VIEW listed (x, y) AS SELECT * FROM paid;
        CREATE VIEW dotted AS SELECT id AS c FROM orders;
        CREATE TABLE doubled AS SELECT q.x * 2 AS twice, d.c FROM listed q JOIN dotted d ON d.c = q.y;
        SELECT CASE WHEN true THEN id ELSE amount END AS c, coalesce(1, id) AS one FROM orders WHERE id = $1 OR id = $2;
        INSERT INTO orders (id, amount) SELECT "Id", id FROM "Orders" WHERE "Id" = $1;
        SELECT id FROM orders WHERE false;
        SELECT amount FROM orders WHERE id = 1 AND 'x' = E'\\'; COMMIT; CREATE TABLE made (id int); --';
        """
    )
    done = both(fresh, "--sql", str(tmp_path))
    assert (said(done), done.exit_code) == ([], 0)
    (tmp_path / "wrong.sql").write_text("SELECT id FROM people WHERE nonsense(id)")
    refused = both(fresh, "--sql", str(tmp_path))
    assert refused.exit_code == 1 and len(said(refused)) == 1
    assert "wrong.sql" in said(refused)[0] and "nonsense" in said(refused)[0]
    assert live.fingerprint(fresh) == before


def test_the_history_of_a_server_is_read_where_it_keeps_one(fresh: Any) -> None:
    fresh.execute(SHOP)
    if not fresh.execute(
        "SELECT 1 FROM pg_available_extensions WHERE name = 'pg_stat_statements'"
    ).fetchone():
        pytest.skip("the server has no pg_stat_statements")
    without = both(fresh, "--history")
    assert without.exit_code == 2 and "pg_stat_statements" in without.stderr
    if "pg_stat_statements" not in fresh.execute("SHOW shared_preload_libraries").fetchone()[0]:
        pytest.skip("shared_preload_libraries does not name pg_stat_statements")
    fresh.execute("CREATE EXTENSION pg_stat_statements")
    for number in (1, 2, 3):
        fresh.execute(f'INSERT INTO orders (amount) SELECT "Id" + {number} FROM "Orders"')
    corpus = postgres.load(live.address(fresh), with_history=True)
    texts = {script.target: script.text for script in corpus.scripts if script.target}
    runs = {
        texts[each.name]: each.runs
        for each in corpus.occurrences
        if texts[each.name].startswith("INSERT")
    }
    assert list(runs.values()) == [3]
    assert not any("lineal */" in text for text in texts.values())
    done = both(fresh, "--history", "-n", "public.orders")
    assert "Id" in done.stdout and said(done) == []


@pytest.mark.parametrize("name", list(tpc.SUITES))
def test_tpc_statements_have_the_origins_that_the_planner_has(
    name: str, fresh: Any, tmp_path: Path
) -> None:
    try:
        suite = tpc.suite(name)
    except tpc.NotFetched as problem:
        pytest.skip(str(problem))
    fresh.execute(tables_of(suite.schema))
    for number, query in enumerate(suite.queries, 1):
        (tmp_path / f"q{number}.sql").write_text(as_view("q", query).partition(" AS\n")[2])
    done = both(fresh, "--sql", str(tmp_path))
    assert (said(done), done.exit_code) == ([], 0)


@pytest.mark.skipif(
    "LINEAL_TEST_MIMIC" not in os.environ,
    reason="LINEAL_TEST_MIMIC names no checkout of mimic-code",
)
def test_mimic_views_are_read_as_the_server_has_stored_them(fresh: Any) -> None:
    folder = Path(os.environ["LINEAL_TEST_MIMIC"])
    concepts = folder / "concepts_postgres"
    order = re.findall(
        r"\\i (\S+/\S+\.sql)", (concepts / "postgres-make-concepts.sql").read_text(encoding="utf-8")
    )
    fresh.execute((folder / "buildmimic/postgres/create.sql").read_text(encoding="utf-8"))
    for file in order:
        text = (concepts / file).read_text(encoding="utf-8")
        fresh.execute(
            re.sub(
                r"DROP TABLE IF EXISTS [^;]*;\s*CREATE TABLE (\S+) AS", r"CREATE VIEW \1 AS", text
            )
        )
    corpus = postgres.load(live.address(fresh))
    found = crosscheck.compare_with_server(corpus, live.address(fresh))
    assert [str(each) for each in found.diagnostics if each.code is Code.ENGINES_DISAGREE] == []
    stored, edges = truth.edges(fresh, qualified=True), column_edges(found)
    assert len(stored) >= 60
    assert {
        v
        for v in stored
        if {blunt(x) for x in stored[v]} != {blunt(x) for x in edges.get(v, set())}
    } == set()


def test_a_connection_that_ends_while_plans_are_made_is_one_line(
    views: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = crosscheck.Values.statement

    def ending(self: Any, definition: Any) -> str:
        if definition.target.name == "public.casts":
            with psycopg.connect(live.address(views), autocommit=True) as other:
                other.execute(
                    "SELECT pg_terminate_backend(%s)", (self.server.connection.info.backend_pid,)
                )
        return real(self, definition)

    monkeypatch.setattr(crosscheck.Values, "statement", ending)
    done = both(views)
    assert (done.exit_code, done.stdout, len(done.stderr.strip().splitlines())) == (2, "", 1)
    assert "cannot read postgresql://" in done.stderr


def test_a_role_without_rights_is_refused_statement_by_statement(fresh: Any) -> None:
    fresh.execute(
        "CREATE TABLE secret (id int); CREATE TABLE known (id int); CREATE VIEW a AS SELECT id FROM secret;"
    )
    fresh.execute(
        "CREATE VIEW b AS SELECT id FROM known; CREATE ROLE lineal_guest LOGIN; GRANT SELECT ON b TO lineal_guest"
    )
    try:
        arguments = [
            "lineage",
            live.address(fresh, "lineal_guest"),
            "--engine",
            "both",
            "--no-cache",
        ]
        done = CliRunner().invoke(main, arguments)
        assert (
            done.exit_code == 1
            and len(said(done)) == 1
            and "permission denied for view a" in said(done)[0]
        )
        assert "public.known" in done.stdout and "public.secret" in done.stdout
    finally:
        fresh.execute("REVOKE ALL ON b FROM lineal_guest; DROP ROLE lineal_guest")
