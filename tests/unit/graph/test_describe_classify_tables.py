from __future__ import annotations

import pytest
from handmade import dataset, extraction, graph, ranking

from lineal.graph.classify import Classification
from lineal.graph.describe import description_status
from lineal.graph.graph import Graph
from lineal.graph.select import ALL
from lineal.graph.tables import reaching, tables
from lineal.model.diagnostic import Code, Place
from lineal.model.extraction import ColumnInfo


@pytest.mark.parametrize(
    ("source", "target", "status"),
    [
        ("Key", "Key", "inherited"),
        ("Key", " Key\n", "inherited"),
        ("Key", "key", "modified"),
        ("", "Key", "missing"),
        ("Key", "", "missing"),
        ("", "", "missing"),
    ],
)
def test_description_status(source: str, target: str, status: str) -> None:
    about = {"t.a": ColumnInfo("a", "", source), "v.b": ColumnInfo("b", "", target)}
    found = graph("t.a -> v.b\nt.a => v  FILTER", about)
    assert [description_status(found, edge) for edge in found.edges] == [status, None]


def test_a_field_does_not_inherit_the_description_of_its_column() -> None:
    about = {
        "t.address": ColumnInfo("address", "", "Where"),
        "v.city": ColumnInfo("city", "", "Where"),
    }
    found = graph("t.address.city -> v.city", about)
    assert description_status(found, found.edges[0]) == "missing"


def labels(text: str, about: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    infos = {
        name: ColumnInfo(name.split(".")[1], classification=each) for name, each in about.items()
    }
    found = graph(text, infos)
    effective = Classification(found)
    columns = (each for known in found.infos for each in found.columns(known))
    return {str(each): effective.labels_of(each) for each in columns if effective.labels_of(each)}


def test_labels_travel_with_values_and_unite() -> None:
    text = "t.a -> v.x\nt.b -> v.x  TRANSFORMATION\nv.x -> w.y"
    assert labels(text, {"t.a": ("pii",), "t.b": ("internal",)}) == {
        "t.a": ("pii",),
        "t.b": ("internal",),
        "v.x": ("internal", "pii"),
        "w.y": ("internal", "pii"),
    }


@pytest.mark.parametrize(
    "usage", ["TRANSFORMATION masked", "CONDITIONAL", "WINDOW", "AGGREGATION masked, CONDITIONAL"]
)
def test_labels_stop_where_the_value_is_masked_or_only_decides(usage: str) -> None:
    assert labels(f"t.a -> v.x  {usage}", {"t.a": ("pii",)}) == {"t.a": ("pii",)}


def test_one_unmasked_path_is_enough() -> None:
    assert labels("t.a -> v.x  TRANSFORMATION masked, IDENTITY", {"t.a": ("pii",)})["v.x"] == (
        "pii",
    )


def test_a_declared_label_wins_and_travels_on() -> None:
    found = labels("t.a -> v.x\nv.x -> w.y", {"t.a": ("pii",), "v.x": ("public",)})
    assert found["v.x"] == found["w.y"] == ("public",)


def test_labels_go_round_a_cycle_once() -> None:
    found = labels(
        "t.a -> v.x\nv.x -> w.x\nw.x -> v.x\nu.b -> w.x", {"t.a": ("pii",), "u.b": ("internal",)}
    )
    assert found["v.x"] == found["w.x"] == ("internal", "pii")


def test_a_field_has_the_labels_of_its_column_unless_it_has_its_own() -> None:
    assert labels("t.address.city -> v.city", {"t.address": ("pii",)})["v.city"] == ("pii",)
    made = extraction("t.address.city -> v.city")
    made.datasets[dataset("t")].columns.append(
        ColumnInfo("address.city", classification=("public",))
    )
    found = Graph(made)
    assert Classification(found).labels_of(found.column("v.city")) == ("public",)


def ways(text: str, about: dict[str, tuple[str, ...]], column: str) -> list[str]:
    found = graph(
        text,
        {name: ColumnInfo(name.split(".")[1], classification=each) for name, each in about.items()},
    )
    return [str(each) for each in Classification(found).labels_brought(found.column(column))]


def test_a_label_that_was_brought_names_its_shortest_way() -> None:
    text = "t.a -> v.x\nv.x -> w.y\nw.y -> z.q\nv.x -> z.q\nu.b -> z.q"
    about = {"t.a": ("pii",), "u.b": ("internal",)}
    assert ways(text, about, "z.q") == ["internal ← u.b", "pii ← t.a via v.x"]
    assert ways(text, about, "v.x") == ["pii ← t.a"]
    assert ways(text, about, "t.a") == []


def test_the_way_ends_at_the_column_that_declares_the_label() -> None:
    text = "t.a -> v.x\nv.x -> w.y\nw.y -> v.x\nw.y -> z.q"
    assert ways(text, {"t.a": ("pii",), "v.x": ("pii",)}, "z.q") == ["pii ← v.x via w.y"]


def test_a_declared_field_brings_its_own_label_only_where_it_is_read() -> None:
    made = extraction("t.address.city -> v.city\nt.address.zip -> v.zip")
    made.datasets[dataset("t")].columns.append(ColumnInfo("address.city", classification=("pii",)))
    found = Graph(made)
    labels = Classification(found)
    assert [str(each) for each in labels.labels_brought(found.column("v.city"))] == [
        "pii ← t.address.city"
    ]
    assert labels.labels_of(found.column("v.zip")) == ()


def test_an_edge_passes_a_label_on_only_to_a_column_that_takes_it() -> None:
    about = {
        "t.a": ColumnInfo("a", classification=("pii",)),
        "w.y": ColumnInfo("y", classification=("public",)),
    }
    found = graph(
        "t.a -> v.x\nt.a -> w.y\nt.a -> v.m  TRANSFORMATION masked\nt.a => v  FILTER", about
    )
    labels = Classification(found)
    assert [str(edge.target) for edge in found.edges if labels.passes_on(edge, "pii")] == ["v.x"]


def test_a_conflict_is_a_diagnostic_at_the_declaration() -> None:
    about = {
        "t.a": ColumnInfo("a", classification=("pii",)),
        "v.x": ColumnInfo("x", classification=("public",), place=Place("v.yml", 3, 5)),
        "w.y": ColumnInfo("y", classification=("pii", "sensitive")),
    }
    (conflict,) = Classification(graph("t.a -> v.x\nt.a -> w.y", about)).conflicts()
    assert conflict.code is Code.CLASSIFICATION_CONFLICT
    assert (
        str(conflict)
        == "v.yml:3:5: info[classification-conflict]: v.x declares public, but t.a brings pii"
    )


def test_table_level_lineage_comes_from_reads() -> None:
    found = [
        (str(edge.source), str(edge.target), edge.columns, edge.clauses)
        for edge in tables(ranking())
    ]
    assert (
        "int_customer_metrics",
        "int_customer_ranking",
        ("customer_id",),
        ("FROM", "JOIN ON"),
    ) in found
    assert ("raw_orders", "stg_orders", (), ("FROM",)) in found
    assert len(found) == 6


def test_tables_around_a_dataset() -> None:
    every = tables(ranking())
    near = reaching(every, dataset("int_customer_metrics"), up=1, down=0)
    pairs = {(str(edge.source), str(edge.target)) for edge in near}
    assert pairs == {
        ("stg_customers", "int_customer_metrics"),
        ("stg_orders", "int_customer_metrics"),
    }
    assert len(reaching(every, dataset("int_customer_ranking"), up=ALL, down=0)) == 6
    assert len(reaching(every, dataset("raw_orders"), up=0, down=ALL)) == 3
