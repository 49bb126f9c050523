"""What a change of a column does: what breaks, what a star hands on, how far a type goes."""

from __future__ import annotations

import pytest

import lineal
from lineal.graph.change import UnknownChange, parse
from lineal.graph.effects import Effects, effects
from lineal.graph.graph import Graph
from lineal.model.edge import Dataset, Read
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.script import Corpus, Script
from lineal.model.way import Clause

RAW = "CREATE TABLE raw (id INT, a DECIMAL(10, 2), b INT);"


def found(change: str, *statements: str, column: str = "raw.a", dialect: str = "duckdb") -> Effects:
    graph = lineal.lineage(RAW + ";\n".join(statements), dialect).graph
    return effects(graph, graph.column(column), parse(change))


def columns(made: Effects) -> dict[str, str]:
    return {str(each.column): each.effect for each in made.columns}


def datasets(made: Effects) -> dict[str, str]:
    return {each.dataset.name: each.effect for each in made.datasets}


def test_a_statement_that_names_a_dropped_column_breaks_and_its_readers_are_not_rebuilt() -> None:
    made = found(
        "drop",
        "CREATE VIEW v AS SELECT id, a + 1 AS x FROM raw",
        "CREATE VIEW w AS SELECT id FROM v",
    )
    assert datasets(made) == {"v": "breaks", "w": "stale"}
    assert columns(made) == {"v.x": "breaks"}
    [v, _] = made.datasets
    assert (v.note, str(v.place)) == ("names raw.a in SELECT", "<input>:1:80")


def test_a_star_passes_the_loss_to_each_reader_of_the_column() -> None:
    views = [
        "CREATE VIEW v AS SELECT * FROM raw",
        "CREATE VIEW w AS SELECT * FROM v",
        "CREATE VIEW x AS SELECT max(a) AS m FROM w",
        "CREATE VIEW y AS SELECT m FROM x",
    ]
    made = found("drop", *views)
    assert columns(made) == {
        "x.m": "breaks",
        "v.a": "disappears",
        "w.a": "disappears",
        "y.m": "stale",
    }
    assert found("rename=amount", *views).columns[1].effect == "renamed"


@pytest.mark.parametrize(
    "view",
    [
        "SELECT id FROM raw WHERE a > 1",
        "SELECT id FROM raw ORDER BY a",
        "SELECT raw.id FROM raw JOIN (SELECT 1 AS a) USING (a)",
        "WITH c AS (SELECT * FROM raw) SELECT a FROM c",
        "WITH c AS (SELECT * FROM raw), d AS (SELECT a AS k FROM c) SELECT k FROM d",
        "WITH dead AS (SELECT a FROM raw) SELECT 1 AS one",
        "SELECT * EXCLUDE (a) FROM raw",
        "SELECT count(*) AS n FROM raw GROUP BY a",
        "SELECT * FROM raw UNION ALL SELECT 1 AS id, 2 AS a, id AS b FROM raw",
    ],
)
def test_every_clause_that_names_the_column_breaks(view: str) -> None:
    assert datasets(found("drop", f"CREATE VIEW v AS {view}")) == {"v": "breaks"}


@pytest.mark.parametrize(
    "view",
    [
        "SELECT id FROM raw",
        "SELECT id FROM (SELECT * FROM raw) AS d",
        "SELECT count(*) AS n FROM raw",
        "SELECT b FROM raw",
    ],
)
def test_datasets_that_do_not_need_the_column_are_unaffected(view: str) -> None:
    made = found("drop", f"CREATE VIEW v AS {view}")
    assert (made.columns, made.datasets) == ((), ())


def test_a_row_as_a_value_only_changes() -> None:
    assert columns(found("drop", "CREATE VIEW v AS SELECT to_json(raw) AS j FROM raw")) == {
        "v.j": "values"
    }


def test_positions_shift_when_a_column_goes_and_stay_when_it_is_renamed() -> None:
    insert = ["CREATE TABLE t (id INT, a INT, b INT)", "INSERT INTO t SELECT * FROM raw"]
    assert datasets(found("drop", *insert)) == {"t": "breaks"}
    other = "CREATE VIEW v AS SELECT * FROM raw UNION ALL SELECT * FROM raw2"
    union = ["CREATE TABLE raw2 (id INT, a INT, b INT)", other]
    assert datasets(found("drop", *union)) == {"v": "breaks"}
    assert columns(found("rename=z", *union)) == {"v.a": "renamed"}


def test_a_type_goes_along_copies_and_ends_at_a_cast() -> None:
    made = found(
        "type=TEXT",
        "CREATE VIEW v AS SELECT a, a AS r, CAST(a AS INT) AS c, a + 1 AS e, count(a) AS n, max(a) AS m FROM raw",
        "CREATE VIEW w AS SELECT r, c + 1 AS d, e FROM v WHERE n > 1",
    )
    types = {
        "v.a": "type", "v.r": "type", "v.m": "type", "v.c": "values", "v.e": "maybe-type", "v.n": "values",
        "w.r": "type", "w.d": "values", "w.e": "maybe-type",
    }  # fmt: skip
    assert columns(made) == types
    assert made.from_type == "DECIMAL(10, 2)"


def test_the_type_that_it_has_changes_nothing() -> None:
    made = found("type=decimal(10,2)", "CREATE VIEW v AS SELECT a FROM raw")
    assert (made.columns, made.datasets, made.descriptions) == ((), (), ())


def test_values_reach_what_impact_reaches() -> None:
    made = found("values", "CREATE VIEW v AS SELECT id, a FROM raw WHERE a > 1")
    why = {str(each.column): each.impact.why for each in made.columns}
    assert why == {"v.id": "referenced", "v.a": "both"}
    assert set(columns(made).values()) == {"values"}


def test_cycles_and_self_reads_end() -> None:
    made = found(
        "drop",
        "CREATE VIEW v AS SELECT * FROM raw UNION ALL SELECT id, a, b FROM w",
        "CREATE VIEW w AS SELECT * FROM v",
    )
    assert datasets(made)["v"] == "breaks"
    again = found(
        "drop", "INSERT INTO raw SELECT id, a, b FROM raw", "CREATE VIEW v AS SELECT * FROM raw"
    )
    assert datasets(again) == {"v": "disappears"}


def test_exposures_share_the_fate_of_what_they_read() -> None:
    scripts = [
        Script(
            RAW + "CREATE VIEW v AS SELECT * FROM raw; CREATE VIEW w AS SELECT id FROM raw",
            "duckdb",
            "m.sql",
        )
    ]
    from lineal.incremental.extraction import extract

    base = extract(Corpus("duckdb", scripts))
    v, w, one, two = (Dataset("", name) for name in ("v", "w", "dashboard", "report"))
    shown = {each: DatasetInfo(each, "exposure") for each in (one, two)}
    reads = [Read(one, v, None, Clause.FROM, None), Read(two, w, None, Clause.FROM, None)]
    graph = Graph(Extraction(base.edges, base.reads + reads, base.datasets | shown))
    for change, effect in (("drop", "disappears"), ("type=TEXT", "type"), ("values", "values")):
        made = effects(graph, graph.column("raw.a"), parse(change))
        assert [(each.dataset.name, each.effect) for each in made.exposures] == [
            ("dashboard", effect)
        ]


def test_descriptions_that_repeat_or_name_the_column() -> None:
    infos = {
        "raw": DatasetInfo(
            Dataset("", "raw"),
            "table",
            [ColumnInfo("a", "INT", "What was paid")],
            True,
            "All a values",
        ),
        "v": DatasetInfo(
            Dataset("", "v"),
            "sql",
            [
                ColumnInfo("a", "", "What was paid"),
                ColumnInfo("x", "", "The a of a day"),
                ColumnInfo("y", "", "Paid?"),
            ],
        ),
    }
    from lineal.incremental.extraction import extract

    script = Script("SELECT a, a AS x, a AS y FROM raw", "duckdb", "v.sql", target="v", kind="sql")
    graph = Graph(extract(Corpus("duckdb", [script], list(infos.values()))))
    made = effects(graph, graph.column("raw.a"), parse("drop"))
    said = {str(each.at): each.note for each in made.descriptions}
    assert said == {
        "raw.a": "describes the column itself",
        "v.a": "repeats that of raw.a",
        "v.x": "names a",
        "raw": "names a",
    }


@pytest.mark.parametrize("text", ["", "delete", "rename", "rename=", "type", "drop=x", "values=1"])
def test_an_invalid_change_is_reported(text: str) -> None:
    with pytest.raises(UnknownChange):
        parse(text)


def test_many_views_in_a_row() -> None:
    views = ["CREATE VIEW v0 AS SELECT * FROM raw"]
    views += [f"CREATE VIEW v{number} AS SELECT * FROM v{number - 1}" for number in range(1, 500)]
    made = found("drop", *views, "CREATE VIEW last AS SELECT a FROM v499")
    assert len(made.columns) == 501
    assert made.columns[0].effect == "breaks"
