"""Two lineages compared: findings, knock-on changes, and
cosmetic changes of the same.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

import lineal
from lineal.graph.diff import Difference, diff
from lineal.model.policy import Level, Policy

BASE = {
    "raw": "SELECT 1 AS id, 2 AS a, 3 AS b",
    "stg": "SELECT * FROM raw",
    "mart": "SELECT s.id, sum(s.a) AS total FROM stg s WHERE s.b > 1 GROUP BY s.id",
    "rpt": "SELECT id, total FROM mart",
}


def compared(
    head: Mapping[str, str], base: Mapping[str, str] = BASE, policy: Policy | None = None
) -> Difference:
    before, after = lineal.lineage(base, "duckdb").graph, lineal.lineage(head, "duckdb").graph
    return diff(before, after, policy or Policy())


def changed(**models: str) -> Difference:
    return compared({**BASE, **models})


def found(made: Difference) -> list[tuple[str, str]]:
    return [(finding.dataset, finding.kind) for finding in made.findings]


def kinds(made: Difference) -> list[str]:
    return [detail.kind for finding in made.findings for detail in finding.details]


def test_the_same_is_the_same() -> None:
    made = compared(BASE)
    assert made.is_empty and made.verdict is Level.SAFE
    assert (made.columns, made.edges) == ([], [])


def test_one_real_and_one_cosmetic_change_are_one_finding() -> None:
    made = changed(
        mart="""-- per customer
        with staged as (select * from stg)
        select staged.id, sum(a) as total from staged where (1 < b) group by staged.id""",
        rpt="SELECT id, total * 2 AS total FROM mart",
    )
    assert found(made) == [("rpt", "value-changed")]
    assert [(each.dataset, each.note) for each in made.restyled] == [
        ("mart", "is written in another way")
    ]
    assert made.verdict is Level.REVIEW


REAL = {
    "a literal": ({"mart": BASE["mart"].replace("> 1", "> 2")}, "logic-changed", Level.REVIEW),
    "another filter": (
        {"mart": BASE["mart"].replace("s.b > 1", "s.a > 1")},
        "rows-changed",
        Level.REVIEW,
    ),
    "another value": (
        {"rpt": "SELECT id, abs(total) AS total FROM mart"},
        "value-changed",
        Level.REVIEW,
    ),
    "a column more": (
        {"raw": "SELECT 1 AS id, 2 AS a, 3 AS b, 4 AS c"},
        "column-added",
        Level.SAFE,
    ),
    "a column that is read is gone": (
        {"raw": "SELECT 1 AS id, 2 AS a"},
        "column-removed-read",
        Level.BLOCK,
    ),
    "a column that nobody reads is gone": (
        {"rpt": "SELECT id FROM mart"},
        "column-removed",
        Level.REVIEW,
    ),
    "another type": ({"raw": "SELECT 1 AS id, 'x' AS a, 3 AS b"}, "type-changed-read", Level.BLOCK),
    "another order": ({"raw": "SELECT 2 AS a, 1 AS id, 3 AS b"}, "columns-reordered", Level.REVIEW),
    "another name": ({"rpt": "SELECT id, total AS paid FROM mart"}, "column-renamed", Level.REVIEW),
    "a new model": ({"more": "SELECT id FROM rpt"}, "dataset-added", Level.SAFE),
    "no statement any more": ({"rpt": "SELEC id"}, "errors-added", Level.BLOCK),
}


@pytest.mark.parametrize("name", REAL)
def test_one_change_is_one_finding(name: str) -> None:
    models, kind, level = REAL[name]
    made = changed(**models)
    assert found(made) == [(next(iter(models)), kind)]
    assert made.verdict is level


def test_a_finding_says_what_it_breaks_what_follows_and_what_it_reaches() -> None:
    [finding] = changed(raw="SELECT 1 AS id, 2 AS a").findings
    assert [(each.dataset, each.why) for each in finding.reach.breaks] == [("mart", "names raw.b")]
    assert finding.follows == ("mart", "stg")
    assert finding.reach.datasets == ("mart", "rpt", "stg")
    assert "rpt.total" in finding.reach.columns


def test_a_reader_that_is_changed_along_with_it_does_not_break() -> None:
    made = changed(
        raw="SELECT 1 AS id, 2 AS a", mart="SELECT s.id, sum(s.a) AS total FROM stg s GROUP BY s.id"
    )
    assert sorted(found(made)) == [("mart", "rows-changed"), ("raw", "column-removed")]
    assert made.verdict is Level.REVIEW


def test_a_renamed_model_is_renamed() -> None:
    models = {name: text for name, text in BASE.items() if name != "stg"} | {"stage": BASE["stg"]}
    made = compared(models)
    assert found(made) == [("stage", "dataset-renamed-read")]
    assert [each.dataset for each in made.findings[0].reach.breaks] == ["mart"]
    made = compared(models | {"mart": BASE["mart"].replace("stg", "stage")})
    assert found(made) == [("stage", "dataset-renamed")]
    assert made.findings[0].follows == ("mart",)


def test_a_renamed_column_is_renamed_where_it_is_read_too() -> None:
    base = {**BASE, "stg": "SELECT id, a, b FROM raw"}
    head = {
        **BASE,
        "stg": "SELECT id, a AS paid, b FROM raw",
        "mart": BASE["mart"].replace("s.a", "s.paid"),
    }
    made = compared(head, base)
    assert found(made) == [("stg", "column-renamed")]
    assert made.findings[0].follows == ("mart",)
    still = compared({**head, "mart": BASE["mart"]}, base)
    assert found(still) == [("stg", "column-renamed-read")] and still.verdict is Level.BLOCK


def test_a_removed_model_blocks_while_it_is_read() -> None:
    assert found(compared({k: v for k, v in BASE.items() if k != "mart"})) == [
        ("mart", "dataset-removed-read")
    ]
    assert found(compared({k: v for k, v in BASE.items() if k != "rpt"})) == [
        ("rpt", "dataset-removed")
    ]


def test_a_moved_file_is_only_moved() -> None:
    from lineal.graph.graph import Graph
    from lineal.incremental.extraction import extract
    from lineal.model.script import Corpus, Script

    text = "CREATE VIEW v AS SELECT a FROM t"
    before, after = (
        Graph(extract(Corpus("duckdb", [Script(text, "duckdb", file)])))
        for file in ("a.sql", "b/c.sql")
    )
    made = diff(before, after)
    assert [(each.dataset, each.note) for each in made.restyled] == [
        ("v", "moved from a.sql to b/c.sql")
    ]
    assert made.findings == ()


def test_comments_and_layout_are_cosmetic() -> None:
    made = changed(mart=f"/* per customer */ {BASE['mart']}")
    assert [each[:2] for each in made.restyled] == [
        ("mart", "has other comments or another layout")
    ]
    assert made.findings == ()


def test_descriptions_are_notes_and_classifications_findings() -> None:
    sql = {"v": "SELECT a FROM t"}
    said: list[Mapping[str, object]] = [
        {"t": {"a": {"type": "int", "description": "One"}}},
        {"t": {"a": {"type": "int", "description": "Two"}}},
        {
            "t": {
                "columns": [
                    {"name": "a", "type": "int", "description": "One", "classification": "pii"}
                ]
            }
        },
    ]
    one, two, three = (lineal.lineage(sql, "duckdb", schema).graph for schema in said)
    made = diff(one, two)
    assert [str(note) for note in made.notes] == ["description-changed t.a: One → Two"]
    assert made.findings == () and not made.is_empty
    assert found(diff(one, two, Policy({"description-changed": Level.BLOCK}))) == [
        ("t", "description-changed")
    ]
    assert found(diff(one, three)) == [("t", "classification-changed")]


def test_usage_of_a_table_is_not_a_schema() -> None:
    made = compared({"v": "SELECT a, b FROM t"}, {"v": "SELECT a FROM t"})
    assert found(made) == [("v", "column-added")]


def test_a_policy_decides() -> None:
    head = {**BASE, "mart": BASE["mart"].replace("> 1", "> 2")}
    assert compared(head, policy=Policy({"logic-changed": Level.BLOCK})).verdict is Level.BLOCK
    assert compared(head, policy=Policy(ignored=("MA*",))).findings == ()


def test_a_changed_function_is_the_finding_of_those_that_call_it() -> None:
    made = "CREATE FUNCTION f(x INT) RETURNS INT AS $$ SELECT {} $$ LANGUAGE sql"
    texts = [{"f.sql": made.format(said), "v": "SELECT f(t.a) AS y FROM t"} for said in ("x", "1")]
    one, two = (lineal.lineage(text, "postgres").graph for text in texts)
    [finding] = diff(one, two).findings
    assert (finding.dataset, finding.kind, finding.follows) == ("f", "logic-changed", ("v",))


def test_a_program_is_one_finding_however_much_it_writes() -> None:
    from lineal.graph.graph import Graph
    from lineal.incremental.extraction import extract
    from lineal.model.script import Corpus, Script

    text = (
        "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n"
        'spark.table("t").select("a").write.saveAsTable("x")\nspark.table("t").select("{}").write.saveAsTable("y")\n'
    )
    one, two, three = (
        Graph(extract(Corpus("spark", [Script(text.format(name) + rest, "python", "job.py")])))
        for name, rest in (("a", ""), ("b", ""), ("a", "# done\n"))
    )
    made = diff(one, two)
    assert len(made.findings) == 1 and made.findings[0].dataset == "y"
    assert diff(one, three).findings == ()


def test_one_way_and_back_again() -> None:
    for models, _, _ in REAL.values():
        head = {**BASE, **models}
        there, back = compared(head), compared(BASE, head)
        forward = {(edge.source, edge.target, edge.before, edge.after) for edge in there.edges}
        backward = {(edge.source, edge.target, edge.after, edge.before) for edge in back.edges}
        assert forward == backward
        gone, new = (
            {(d.dataset, d.column) for d in there.columns if d.kind == f"column-{k}"}
            for k in ("removed", "added")
        )
        assert {(d.dataset, d.column) for d in back.columns if d.kind == "column-added"} == gone
        assert {(d.dataset, d.column) for d in back.columns if d.kind == "column-removed"} == new


def test_cycles_end() -> None:
    base = {"a": "SELECT x FROM b", "b": "SELECT x FROM c", "c": "SELECT x FROM a"}
    made = compared({**base, "b": "SELECT x + 1 AS x FROM c"}, base)
    assert found(made) == [("b", "value-changed")]
