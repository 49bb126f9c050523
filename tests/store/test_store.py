"""A store returns the loaded lineage, knows its history, and changes nothing that has not
changed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from random_lineage import HOSTILE, lineage

import lineal
from lineal.incremental.extraction import extract
from lineal.model.edge import Column, Dataset, Edge
from lineal.model.extraction import Extraction
from lineal.projects import corpus_of_text, load
from lineal.store.errors import NoStore, StoreError, TooNew
from lineal.store.lineage import Store, database, numbers, open_store, rows, schema
from lineal.store.lineage.texts import storable
from lineal.store.saved import write_text

State = Callable[[], dict[str, list[tuple[object, ...]]]]
SHOP = Path(__file__).resolve().parents[2] / "examples" / "shop"


def of_text(**files: str) -> Extraction:
    return extract(corpus_of_text(files, None, None))


def all_of(extraction: Extraction) -> tuple[str, list[object]]:
    return write_text(extraction), list(extraction.statements)


def test_the_sample_project_comes_back_as_it_was(store: Store) -> None:
    found = extract(load(str(SHOP), None, None, {}))
    store.load("shop", found)
    assert len(found.edges) > 100
    assert all_of(store.extraction("shop")) == all_of(found)


@pytest.mark.parametrize("seed", range(8))
def test_any_lineage_comes_back_as_it_was(store: Store, seed: int) -> None:
    found = lineage(Random(seed))
    store.load("any", found)
    assert all_of(store.extraction("any")) == all_of(found)


@pytest.mark.parametrize("at_once", [1, 7])
def test_batches_of_any_size_make_the_same_lineage(
    store: Store, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    for module in (database, numbers, rows):
        monkeypatch.setattr(module, "AT_ONCE", at_once)
    for seed in (3, 4):
        found = lineage(Random(seed), names=HOSTILE)
        store.load("any", found)
        assert all_of(store.extraction("any")) == all_of(found)


def test_names_of_every_kind_come_back(store: Store) -> None:
    found = lineage(Random(5), size=200, names=HOSTILE)
    store.load("'; DROP TABLE edges; --\0", found)
    assert all_of(store.extraction("'; DROP TABLE edges; --\0")) == all_of(found)
    assert store.namespaces() == ["'; DROP TABLE edges; --\0"]


def test_nothing_at_all_can_be_stored(store: Store) -> None:
    assert store.load("empty", Extraction()).run is not None
    assert all_of(store.extraction("empty")) == all_of(Extraction())
    assert store.load("empty", Extraction()).run is None


def test_loading_twice_changes_nothing(store: Store, state: State) -> None:
    found = lineage(Random(1), size=100)
    assert store.load("twice", found).opened > 50
    before = state()
    change = store.load("twice", store.extraction("twice"))
    assert (change.run, change.opened, change.closed) == (None, 0, 0)
    assert state() == before


@pytest.mark.parametrize("seed", range(4))
def test_every_state_of_the_past_comes_back(store: Store, seed: int) -> None:
    random = Random(seed)
    versions = {
        f"2026-01-{day:02}": lineage(random, size=random.randrange(40)) for day in range(1, 7)
    }
    for day, found in versions.items():
        store.load("other", lineage(random), now=day)
        store.load("past", found, now=day)
    for day, found in versions.items():
        assert all_of(store.extraction("past", at=f"{day}T12:00")) == all_of(found)
    with pytest.raises(NoStore, match="first loaded at 2026-01-01"):
        store.extraction("past", at="2025-12-31")


def test_removed_edges_are_closed_and_others_untouched(store: Store, state: State) -> None:
    store.load("p", of_text(v="CREATE VIEW v AS SELECT a, b FROM t"), now="2026-01-01")
    kept = {row[:6] for row in state()["edges"]}
    change = store.load("p", of_text(v="CREATE VIEW v AS SELECT a, c FROM t"), now="2026-01-02")
    assert (change.opened, change.closed, change.edges) == (1, 1, 2)
    edges = state()["edges"]
    assert kept < {row[:6] for row in edges}
    assert [row[6] for row in sorted(edges)] == [None, 2, None]


def test_an_edge_outlives_a_change_of_its_lines(store: Store) -> None:
    store.load("p", of_text(v="CREATE VIEW v AS SELECT a FROM t"))
    moved = of_text(v="-- a comment\n\nCREATE VIEW v AS SELECT a FROM t")
    change = store.load("p", moved)
    assert change.run is not None
    assert (change.opened, change.closed) == (0, 0)
    assert all_of(store.extraction("p")) == all_of(moved)


def test_two_statements_are_two_edges_and_one_row(store: Store, state: State) -> None:
    found = of_text(
        x="CREATE TABLE m (a INT); INSERT INTO m SELECT a FROM t; INSERT INTO m SELECT sum(a) FROM t"
    )
    assert [str(edge) for edge in found.edges] == ["t.a -> m.a  AGGREGATION, IDENTITY"]
    store.load("p", found)
    assert len(state()["edges"]) == 2
    assert lineage_rows(store) == {("t", "a", "m", "a"): ("aggregation", 0.9)}
    assert all_of(store.extraction("p")) == all_of(found)


def test_two_edges_between_one_pair_are_one(store: Store) -> None:
    (edge,) = of_text(v="CREATE VIEW v AS SELECT a FROM t").edges
    store.load("p", Extraction([edge, edge]))
    assert [str(each) for each in store.extraction("p").edges] == [str(edge)]


def lineage_rows(store: Store, namespace: str = "p") -> dict[tuple[str, ...], tuple[str, float]]:
    with store.database.reading():
        rows = store.database.rows(
            "SELECT source_object, source_column, target_object, target_column, transformation_type, confidence"
            " FROM columns_lineage WHERE namespace = ?",
            [namespace],
        )
    found = {row[:4]: row[4:] for row in rows}
    assert len(found) == len(rows)
    return found


def test_the_example_of_the_rows(store: Store) -> None:
    query = """
        CREATE TABLE customers AS
        SELECT c.customer_id AS customer_id, c.first_name, c.last_name,
            COUNT(o.order_id) AS total_orders, SUM(o.amount) AS total_spent
        FROM stg_customers c LEFT JOIN stg_orders o ON c.customer_id = o.customer_id
        GROUP BY c.customer_id, c.first_name, c.last_name"""
    store.load("p", of_text(customers=query))
    assert lineage_rows(store) == {
        ("stg_customers", "customer_id", "customers", "customer_id"): ("direct", 0.95),
        ("stg_customers", "first_name", "customers", "first_name"): ("direct", 0.95),
        ("stg_customers", "last_name", "customers", "last_name"): ("direct", 0.95),
        ("stg_orders", "order_id", "customers", "total_orders"): ("aggregation", 0.90),
        ("stg_orders", "amount", "customers", "total_spent"): ("aggregation", 0.90),
    }


@pytest.mark.parametrize("seed", range(4))
def test_rows_say_what_the_edges_say(store: Store, seed: int) -> None:
    found = lineage(Random(seed), size=60)
    store.load("p", found)
    fields = [edge for edge in found.edges if isinstance(edge.target, Column)]
    assert lineage_rows(store) == {
        names_of(edge): (edge.transformation_type, edge.score) for edge in fields
    }


def names_of(edge: Edge) -> tuple[str, ...]:
    ends = (edge.source, edge.target)
    return tuple(
        storable(name)
        for end in ends
        for name in (_object(end.dataset), ".".join((end.name, *end.path)))
    )


def _object(dataset: Dataset) -> str:
    return f"{dataset.namespace}/{dataset.name}" if dataset.namespace else dataset.name


def test_namespaces_do_not_see_each_other(store: Store) -> None:
    one, two = (
        of_text(v="CREATE VIEW v AS SELECT a FROM t"),
        of_text(v="CREATE VIEW v AS SELECT b FROM t"),
    )
    store.load("acme/one", one)
    store.load("acme/two", two)
    assert store.namespaces() == ["acme/one", "acme/two"]
    store.load("acme/two", Extraction())
    assert all_of(store.extraction("acme/one")) == all_of(one)
    assert lineage_rows(store, "acme/two") == {}
    with pytest.raises(NoStore, match="has no namespace three: it has acme/one, acme/two"):
        store.extraction("three")


def test_namespaces_that_grow_side_by_side_are_not_mixed_up(store: Store) -> None:
    versions = {
        name: [lineage(Random(f"{name}{number}"), size=15) for number in range(4)] for name in "abc"
    }
    for number in range(4):
        for name, several in versions.items():
            store.load(name, several[number], now=f"2026-01-0{number + 1}")
    for name, several in versions.items():
        for number, found in enumerate(several):
            assert all_of(store.extraction(name, at=f"2026-01-0{number + 1}T12:00")) == all_of(
                found
            )


def test_a_wide_dataset(store: Store) -> None:
    names = ", ".join(f"c{number}" for number in range(10_000))
    found = of_text(v=f"CREATE VIEW v AS SELECT {names} FROM t")
    store.load("wide", found)
    assert all_of(store.extraction("wide")) == all_of(found)
    part = store.region("wide", [Column(Dataset("", "v"), "c9999")], up=1)
    assert [str(edge) for edge in part.edges] == ["t.c9999 -> v.c9999  IDENTITY"]


def test_history_says_when_edges_came_and_went(store: Store) -> None:
    for day, query in enumerate(
        ("SELECT a, b FROM t", "SELECT a FROM t", "SELECT sum(a) AS a FROM t"), 1
    ):
        store.load("p", of_text(v=f"CREATE VIEW v AS {query}"), now=f"2026-01-0{day}")
    told = [
        (
            str(period.source),
            str(period.target),
            period.hows,
            period.came[:10],
            (period.went or "")[:10],
        )
        for name in ("a", "b")
        for period in store.history("p", Column(Dataset("", "v"), name))
    ]
    assert told == [
        ("t.a", "v.a", ("IDENTITY",), "2026-01-01", "2026-01-03"),
        ("t.a", "v.a", ("AGGREGATION",), "2026-01-03", ""),
        ("t.b", "v.b", ("IDENTITY",), "2026-01-01", "2026-01-02"),
    ]


def test_dropped_edges_are_gone_and_the_rest_stays(store: Store, state: State) -> None:
    random = Random(3)
    versions = {f"2026-01-{day:02}": lineage(random, size=20) for day in range(1, 6)}
    for day, found in versions.items():
        store.load("p", found, now=day)
    count = len(state()["edges"])
    dropped = store.drop("p", before="2026-01-04T12:00")
    assert 0 < dropped == count - len(state()["edges"])
    assert store.drop("p", before="2026-01-04T12:00") == 0
    for day in ("2026-01-04", "2026-01-05"):
        assert all_of(store.extraction("p", at=f"{day}T12:00")) == all_of(versions[day])
    with pytest.raises(NoStore, match="has dropped"):
        store.extraction("p", at="2026-01-03")
    before = state()
    assert store.load("p", versions["2026-01-05"]).run is None
    assert state() == before
    store.load("p", versions["2026-01-01"])
    assert all_of(store.extraction("p")) == all_of(versions["2026-01-01"])


def test_a_clock_that_goes_back_does_not_mix_up_the_order(store: Store) -> None:
    first, second = (
        of_text(v="CREATE VIEW v AS SELECT a FROM t"),
        of_text(v="CREATE VIEW v AS SELECT b FROM t"),
    )
    store.load("p", first, now="2026-01-02")
    store.load("p", second, now="2026-01-01")
    assert [run.at for run in store.runs("p")] == [
        "2026-01-02T00:00:00.000000Z",
        "2026-01-02T00:00:00.000001Z",
    ]
    assert all_of(store.extraction("p")) == all_of(second)


def test_an_invalid_time_is_reported(store: Store) -> None:
    store.load("p", Extraction())
    with pytest.raises(StoreError, match="yesterday is not a time: write 2026-11-16"):
        store.extraction("p", at="yesterday")


# -- versions --------------------------------------------------------------------------------------


def test_a_store_says_which_versions_it_went_through(store: Store, state: State) -> None:
    versions = [(version, made_by) for version, _, made_by in state()["versions"]]
    assert versions == [(version, lineal.__version__) for version in range(1, schema.VERSION + 1)]


def test_an_older_store_is_brought_up_to_date(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = lineage(Random(2))
    with open_store(address, create=True) as store:
        store.load("p", found)
    first = schema.migration
    later = schema.VERSION + 1
    added = ["CREATE TABLE owners (id INTEGER)", "ALTER TABLE runs ADD COLUMN note TEXT"]
    monkeypatch.setattr(schema, "VERSION", later)
    monkeypatch.setattr(schema, "READABLE", later)
    monkeypatch.setattr(
        schema,
        "migration",
        lambda spelt, number: added if number == later else first(spelt, number),
    )
    for _ in range(2):
        with open_store(address) as store:
            assert store.database.versions() == [*range(1, later + 1)]
            assert all_of(store.extraction("p")) == all_of(found)
            with store.database.reading():
                assert store.database.rows("SELECT count(*) FROM owners") == [(0,)]


def test_a_migration_that_fails_leaves_the_store_as_it_was(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_store(address, create=True).close()
    broken = ["CREATE TABLE owners (id INTEGER)", "ALTER TABLE nothing ADD COLUMN note TEXT"]
    with monkeypatch.context() as patch:
        patch.setattr(schema, "VERSION", schema.VERSION + 1)
        patch.setattr(schema, "READABLE", schema.VERSION + 1)
        patch.setattr(schema, "migration", lambda spelt, number: broken)
        with pytest.raises(StoreError):
            open_store(address)
    with open_store(address) as store:
        assert store.database.versions() == [*range(1, schema.VERSION + 1)]
        store.load("p", Extraction())


def test_a_newer_store_is_refused(address: str) -> None:
    with open_store(address, create=True) as store, store.database.writing():
        store.database.run(
            "INSERT INTO versions (version, applied_at, lineal) VALUES (99, '', '9.9')"
        )
    with pytest.raises(
        TooNew,
        match=r"has version 99, which lineal 9\.9 has written, .* up to 2: use a later lineal",
    ):
        open_store(address)


def test_there_is_no_store_before_something_is_loaded(address: str) -> None:
    with pytest.raises(NoStore, match="`lineal store load` makes one"):
        open_store(address)
