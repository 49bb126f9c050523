"""A live server as input: what lineal reads from its catalog is what the server has stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import live
import psycopg
import pytest
import truth
from click.testing import CliRunner, Result
from test_corpora import blunt
from test_views import FUNCTIONS, SCHEMA, VIEWS, column_edges, scripts

import lineal
from lineal.cli import main
from lineal.incremental.extraction import extract
from lineal.projects import ProjectError, postgres

SHOP = """
CREATE SCHEMA "Sch.ema";
CREATE SCHEMA "we""ird";
CREATE TABLE "Orders" ("Id" int, id int, "a.b" text, "q""uote" text, "日本" int, "select" int);
CREATE TABLE orders (id int, amount numeric);
CREATE TABLE "Sch.ema"."t.x" (c int);
CREATE TABLE "we""ird"."ta""ble" (c int);
CREATE TABLE nothing ();
CREATE TYPE addr AS (street text, city text);
CREATE DOMAIN cents AS int;
CREATE TABLE people (id int, home addr, wage cents);
COMMENT ON TABLE orders IS 'what was <b>bought</b>';
COMMENT ON COLUMN "Orders"."Id" IS 'big';
COMMENT ON COLUMN "Orders".id IS 'small';
CREATE VIEW copied AS SELECT * FROM "Orders";
CREATE VIEW "Joined" AS SELECT o."Id", p.amount AS "Amount" FROM "Orders" o JOIN orders p USING (id);
CREATE VIEW dotted AS SELECT * FROM "Sch.ema"."t.x";
CREATE VIEW "we""ird"."v;drop" AS SELECT * FROM "we""ird"."ta""ble";
CREATE MATERIALIZED VIEW counted AS SELECT count(*) AS n, sum("Id") AS s FROM "Orders" GROUP BY id;
CREATE VIEW systems AS SELECT relname FROM pg_class;
CREATE VIEW empty AS SELECT 1 AS one FROM nothing;
CREATE VIEW homes AS SELECT (home).city AS town, (home).*, wage FROM people;
CREATE FUNCTION dearest(x numeric) RETURNS numeric LANGUAGE sql AS 'SELECT x * (SELECT max(amount) FROM orders)';
CREATE VIEW priced AS SELECT dearest(id) AS price FROM orders;
CREATE FUNCTION recent(n int) RETURNS TABLE (number int, total numeric) LANGUAGE sql
    AS 'SELECT id, sum(amount) FROM orders WHERE id > n GROUP BY id';
CREATE VIEW latest AS SELECT r.total FROM recent(3) r;
CREATE AGGREGATE together (numeric) (sfunc = numeric_add, stype = numeric, initcond = '0');
CREATE VIEW summed AS SELECT together(amount) AS s FROM orders;
CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO orders VALUES (new.id, 1); RETURN new; END $$;
"""

EDGES = """
Sch.ema.t.x.c -> public.dotted.c  IDENTITY
pg_catalog.pg_class.relname -> public.systems.relname  IDENTITY
public.Orders.Id -> public.Joined.Id  IDENTITY
public.Orders.Id -> public.copied.Id  IDENTITY
public.Orders.Id -> public.counted.s  AGGREGATION
public.Orders.a.b -> public.copied.a.b  IDENTITY
public.Orders.id -> public.copied.id  IDENTITY
public.Orders.id => public.Joined  JOIN
public.Orders.id => public.counted  GROUP_BY
public.Orders.q"uote -> public.copied.q"uote  IDENTITY
public.Orders.select -> public.copied.select  IDENTITY
public.Orders.日本 -> public.copied.日本  IDENTITY
public.orders.amount -> public.Joined.Amount  IDENTITY
public.orders.amount -> public.priced.price  AGGREGATION
public.orders.amount -> public.recent.total  AGGREGATION
public.orders.amount -> public.summed.s  AGGREGATION
public.orders.id -> public.priced.price  TRANSFORMATION
public.orders.id -> public.recent.number  IDENTITY
public.orders.id => public.Joined  JOIN
public.orders.id => public.recent  FILTER, GROUP_BY
public.people.home.city -> public.homes.city  TRANSFORMATION
public.people.home.city -> public.homes.town  TRANSFORMATION
public.people.home.street -> public.homes.street  TRANSFORMATION
public.people.wage -> public.homes.wage  IDENTITY
public.recent.total -> public.latest.total  IDENTITY
we"ird.ta"ble.c -> we"ird.v;drop.c  IDENTITY
"""


@pytest.fixture(scope="module")
def shop(database: Any) -> Any:
    database.execute(SHOP)
    return database


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["lineage", "--no-cache", *arguments])


def test_names_types_functions_and_comments_are_those_of_the_catalog(shop: Any) -> None:
    found = lineal.lineage(live.address(shop))
    assert sorted(str(edge) for edge in found.edges) == sorted(EDGES.strip().splitlines())
    assert [str(diagnostic) for diagnostic in found.diagnostics] == []
    infos = {info.dataset.name: info for info in found.datasets}
    assert [(c.name, c.type, c.description) for c in infos["public.Orders"].columns[:2]] == [
        ("Id", "integer", "big"),
        ("id", "integer", "small"),
    ]
    assert (infos["public.orders"].description, infos["public.orders"].kind) == (
        "what was <b>bought</b>",
        "table",
    )
    assert [(c.name, c.type) for c in infos["public.homes"].columns][-1] == ("wage", "public.cents")
    assert infos["public.nothing"].complete and infos["public.counted"].kind == "view"


def test_nothing_is_changed_and_nothing_can_be(shop: Any) -> None:
    before = live.fingerprint(shop)
    assert run(live.address(shop)).exit_code == 0
    with (
        pytest.raises(ProjectError, match="read-only"),
        postgres.session(live.address(shop)) as session,
    ):
        session.rows("CREATE TABLE made (id int)")
    assert live.fingerprint(shop) == before


def test_every_wait_has_an_end(shop: Any) -> None:
    with postgres.session(live.address(shop)) as session:
        limits = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
        assert [session.one(f"SHOW {name}")[0] for name in limits] == ["1min", "10s", "10min"]
        assert session.one("SHOW application_name") == ("lineal",)
    with postgres.session(live.address(shop) + "&options=-c%20statement_timeout%3D5s") as session:
        assert session.one("SHOW statement_timeout") == ("5s",)


def test_files_next_to_a_server_read_its_tables_and_redefine_its_views(
    shop: Any, tmp_path: Path
) -> None:
    (tmp_path / "new.sql").write_text(
        'CREATE VIEW dotted AS SELECT amount FROM orders; CREATE VIEW later AS SELECT * FROM dotted, "Orders"'
    )
    done = run(
        live.address(shop), "--sql", str(tmp_path), "-n", "public.later", "--output", "mermaid"
    )
    assert done.exit_code == 0
    again = run(live.address(shop), "--sql", str(tmp_path), "-n", "public.dotted")
    assert "amount" in again.stdout and "t.x" not in again.stdout
    assert "duplicate" not in again.stderr
    assert run(live.address(shop), "--only-schema", 'we"ird').stdout.count("v;drop") == 1
    assert "there are" in run(live.address(shop), "--only-schema", "nowhere").stderr


def test_all_views_have_the_edges_that_the_server_has_stored(postgres_views: Any) -> None:
    stored = truth.edges(postgres_views, qualified=True)
    found = column_edges(extract(postgres.load(live.address(postgres_views))))
    differing = {
        view for view, edges in stored.items() if blunted(edges) != blunted(found.get(view, set()))
    }
    assert len(stored) >= len(VIEWS)
    # what the function makes of its argument is nothing
    assert differing == {"public.own_function_record"}


def blunted(lines: set[str]) -> set[str]:
    return {blunt(line) for line in lines}


@pytest.fixture(scope="module")
def postgres_views(postgres: str) -> Any:
    import postgres_server

    with postgres_server.database(postgres) as connection:
        connection.execute(SCHEMA)
        connection.execute(FUNCTIONS)
        for path in VIEWS:
            for script in scripts(path):
                connection.execute(script.text.replace("CREATE VIEW", "CREATE OR REPLACE VIEW", 1))
        yield connection


# -- what can go wrong -----------------------------------------------------------------------------


def test_a_password_is_nowhere_to_be_read(shop: Any) -> None:
    secret = "hush/p@ss word"
    shop.execute("DROP ROLE IF EXISTS lineal_reader")
    shop.execute(f"CREATE ROLE lineal_reader LOGIN PASSWORD '{secret}'")
    try:
        address = live.address(shop, "lineal_reader", secret)
        outputs = [run(address, "--output", output) for output in ("table", "json", "dot")]
        assert [done.exit_code for done in outputs] == [0, 0, 0]
        outputs.append(run(address + "&nonsense=1"))
        outputs.append(run(address.replace("/lineal_test", "/no_such")))
        outputs.append(run("postgresql://ann:hush/p@ss word@nowhere.invalid/x"))
        outputs.append(run("postgresql://ann:hush%zz@nowhere.invalid/x"))
        outputs.append(run("postgresql:/ann:hush@nowhere.invalid/x"))
        outputs.append(run("postgresql://nowhere.invalid/x?user=ann&password=hush"))
        assert [done.exit_code for done in outputs[3:]] == [2] * 6
        for done in outputs:
            assert "hush" not in done.output and "p@ss" not in done.output
            assert done.exit_code == 0 or len(done.stderr.strip().splitlines()) == 1
    finally:
        shop.execute("DROP ROLE lineal_reader")


@pytest.mark.parametrize(
    "command",
    [
        ["show", "ADDRESS", "--out", "FOLDER/page.html", "--no-open"],
        ["validate", "ADDRESS"],
        ["describe", "ADDRESS", "--dry-run"],
        ["impact", "public.orders.amount", "ADDRESS"],
        ["emit", "ADDRESS", "--to", "FOLDER/events.ndjson"],
        ["store", "load", "ADDRESS", "--store", "FOLDER/x.store.db"],
        ["diff", "ADDRESS", "ADDRESS"],
        ["lineage", "ADDRESS", "--save", "FOLDER/x.lineal.json", "--output", "openlineage"],
        ["lineage", "ADDRESS", "--engine", "catalyst"],
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_no_command_shows_or_keeps_a_password(
    command: list[str], shop: Any, tmp_path: Path
) -> None:
    """Not even in its mistakes: the address says its password twice, and only the second one is
    asked for.
    """
    address = live.address(shop, password="hush%hush") + "&password=hush"
    words = [word.replace("ADDRESS", address).replace("FOLDER", str(tmp_path)) for word in command]
    done = CliRunner().invoke(main, words)
    assert "hush" not in done.output and done.exit_code in (0, 1, 2)
    for file in tmp_path.rglob("*"):
        assert file.is_dir() or b"hush" not in file.read_bytes()


def test_a_connection_that_ends_is_one_line(shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from lineal.projects.postgres import catalog

    ending = "SELECT pg_terminate_backend(pg_backend_pid()), %s::text[]"
    monkeypatch.setattr(catalog, "FUNCTIONS", ending)
    done = run(live.address(shop))
    assert (done.exit_code, len(done.stderr.strip().splitlines())) == (2, 1)
    assert "terminating connection" in done.stderr
    monkeypatch.setattr(catalog, "FUNCTIONS", "SELECT pg_sleep(20), %s::text[]")
    late = run(live.address(shop) + "&options=-c%20statement_timeout%3D50ms")
    assert (late.exit_code, "statement timeout" in late.stderr) == (2, True)


def test_a_missing_server_is_reported_in_one_line(tmp_path: Path) -> None:
    done = run(f"postgresql://ann@/shop?host={tmp_path}")
    assert (done.exit_code, len(done.stderr.strip().splitlines())) == (2, 1)
    assert "cannot read postgresql://ann@/shop" in done.stderr


def test_the_environment_counts_as_for_psql(
    shop: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    info = shop.info
    monkeypatch.setenv("PGHOST", info.host)
    monkeypatch.setenv("PGPORT", str(info.port))
    monkeypatch.setenv("PGUSER", info.user)
    if info.password:
        monkeypatch.setenv("PGPASSWORD", info.password)
    assert run(f"postgresql:///{info.dbname}").exit_code == 0
    (tmp_path / "services").write_text(f"[shop]\ndbname={info.dbname}\n")
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    assert run("postgresql://?service=shop").exit_code == 0


def test_a_role_without_rights_reads_the_catalog_all_the_same(shop: Any) -> None:
    shop.execute("CREATE ROLE lineal_stranger LOGIN")
    try:
        shop.execute("REVOKE ALL ON SCHEMA public FROM public")
        refused = pytest.raises(psycopg.errors.InsufficientPrivilege)
        with psycopg.connect(live.address(shop, "lineal_stranger")) as stranger, refused:
            stranger.execute("SELECT * FROM public.orders")
        found = lineal.lineage(live.address(shop, "lineal_stranger"))
        assert len(found.edges) == len(EDGES.strip().splitlines())
    finally:
        shop.execute("GRANT ALL ON SCHEMA public TO public")
        shop.execute("DROP ROLE lineal_stranger")
