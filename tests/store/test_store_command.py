"""lineal store …, lineal history, and a store where a path may be named."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lineal.cli import main
from lineal.store.lineage import open_store

ROOT = Path(__file__).resolve().parents[2]
SHOP = str(ROOT / "examples" / "shop")
GOLDEN = ROOT / "tests" / "golden" / "cli"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def out(*arguments: str) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_a_trace_in_a_store_is_shown_like_any_other(address: str) -> None:
    assert "shop: 194 edges came, 0 went, 194 hold since 20" in out(
        "store", "load", SHOP, "--store", address
    )
    assert (
        out("store", "load", SHOP, "--store", address)
        == "shop: nothing has changed, 194 edges hold\n"
    )
    for selector in (
        "+dim_customers.customer_id",
        "stg_orders.amount+",
        "+rpt_customer_orders",
        "2+dim_customers.email",
    ):
        for output in ("chain", "table", "dot"):
            asked = (selector, "--output", output)
            assert out("store", "query", *asked, "--store", address) == out("lineage", SHOP, *asked)


def test_history_of_a_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for day, query in enumerate(
        ("SELECT a, b FROM t", "SELECT sum(a) AS a, b FROM t", "SELECT b FROM t"), 1
    ):
        Path("v.sql").write_text(f"CREATE VIEW v AS {query}")
        moment(monkeypatch, f"2026-01-0{day}T09:30:00.000000Z")
        out("store", "load", "v.sql")
    shown = out("history", "v.a")
    assert shown == out("store", "history", "V.A")
    file = GOLDEN / "history.txt"
    if os.environ.get("LINEAL_GOLDEN") == "write":
        file.write_text(shown, encoding="utf-8")
    assert shown == file.read_text(encoding="utf-8")
    told = json.loads(out("history", "v.a", "--output", "json"))
    assert [
        (period["from"][:10], (period["to"] or "")[:10], period["used_as"]) for period in told
    ] == [
        ("2026-01-01", "2026-01-02", ["IDENTITY"]),
        ("2026-01-02", "2026-01-03", ["AGGREGATION"]),
    ]
    assert "t.a" in out("store", "query", "+v.a", "--at", "2026-01-01T12:00")
    assert out("store", "gc", "--before", "2026-01-04") == "1 edge dropped\n"
    assert json.loads(out("history", "v.b", "--output", "json"))[0]["to"] is None


def moment(monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    from lineal.store.lineage import load

    monkeypatch.setattr(load, "following_moment", lambda before, now="": at)


def test_a_store_is_a_path(tmp_path: Path) -> None:
    file = str(tmp_path / "my.store.db")
    out("store", "load", SHOP, "--store", file)
    for asked in (
        ("-n", "dim_customers"),
        ("+dim_customers.email",),
        ("--level", "table"),
        ("--output", "dot"),
    ):
        assert out("lineage", file, *asked) == out("lineage", SHOP, *asked)


def test_a_wrong_question_is_reported_in_one_line(tmp_path: Path) -> None:
    file = str(tmp_path / "two.store.db")
    with open_store(file, create=True):
        pass
    assert_mistake("has no lineage yet", "store", "query", "+a.b", "--store", file)
    script = tmp_path / "v.sql"
    script.write_text("CREATE VIEW v AS SELECT a FROM t")
    for name in ("one", "two"):
        out("store", "load", str(script), "--store", file, "--namespace", name)
    assert_mistake(
        "has several: name one of one, two with --namespace",
        "store",
        "query",
        "+v.a",
        "--store",
        file,
    )
    assert_mistake(
        "has no namespace three", "store", "query", "+v.a", "--store", file, "--namespace", "three"
    )
    one = ("--store", file, "--namespace", "one")
    assert_mistake("unknown column b in v", "store", "query", "+v.b", *one)
    assert_mistake("unknown dataset w", "history", "w.b", *one)
    assert_mistake("v is a dataset: name one of its columns", "history", "v", *one)
    assert_mistake("soon is not a time", "store", "gc", "--before", "soon", *one)
    assert_mistake(
        "has no lineage of one at 2020-01-01", "store", "query", "+v.a", "--at", "2020-01-01", *one
    )
    assert_mistake(
        "there is no store", "store", "query", "+v.a", "--store", str(tmp_path / "none.db")
    )
    assert not (tmp_path / "none.db").exists()


def assert_mistake(said: str, *arguments: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_no_password_is_shown_or_stored() -> None:
    pytest.importorskip("psycopg")
    assert_mistake(
        "cannot be reached",
        "store",
        "query",
        "+a.b",
        "--store",
        "postgresql://ann:hunter2@127.0.0.1:1/x",
    )
    result = run("store", "load", SHOP, "--store", "postgresql://ann:hunter2@127.0.0.1:1/x")
    assert "hunter2" not in result.output


def test_a_store_is_compared_with_what_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for day, query in enumerate(("SELECT a, b FROM t", "SELECT sum(a) AS a FROM t"), 1):
        Path("v.sql").write_text(f"CREATE VIEW v AS {query}")
        moment(monkeypatch, f"2026-01-0{day}T09:30:00.000000Z")
        out("store", "load", "v.sql")
    told = json.loads(out("diff", "--at", "2026-01-01T12:00", "--output", "json"))
    assert told == json.loads(
        out("diff", "lineal.store.db", "--at", "2026-01-01T12:00", "--output", "json")
    )
    assert told["verdict"] != "safe"
    assert "t.b → v.b" in out("diff", "--at", "2026-01-01T12:00")
    assert json.loads(out("diff", "--at", "2026-01-03", "--output", "json"))["findings"] == []
    assert (
        json.loads(
            out("diff", "lineal.store.db", "v.sql", "--at", "2026-01-03", "--output", "json")
        )["findings"]
        == []
    )
    assert_mistake("has no lineage of v at 2025-01-01", "diff", "--at", "2025-01-01")
    assert_mistake("name what to compare with", "diff")
