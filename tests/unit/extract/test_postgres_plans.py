"""PostgreSQL's plans: what flows into each output, in the words of several versions."""

from __future__ import annotations

from typing import Any

import pytest
import sqlglot

from lineal.extract.postgres import Shapes, value_flow
from lineal.extract.sql.dialects import facts_of
from lineal.extract.sql.evaluator import QueryEvaluation
from lineal.extract.sql.reading import Reading
from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.script import Corpus, Script
from lineal.resolve.definitions import Definitions

TABLES = {"public.a": ["id", "x", "y"], "public.b": ["id", "z", "k"]}


def scan(table: str, *outputs: str, alias: str = "", **more: Any) -> dict[str, Any]:
    said = {
        "Node Type": "Seq Scan",
        "Relation Name": table,
        "Schema": "public",
        "Alias": alias or table,
    }
    return {**said, "Output": list(outputs), **more}


def node(kind: str, *outputs: str, plans: tuple[Any, ...] = (), **more: Any) -> dict[str, Any]:
    said: dict[str, Any] = {"Node Type": kind, "Plans": list(plans)}
    return {**said, **({"Output": list(outputs)} if outputs else {}), **more}


def flow(plan: dict[str, Any], query: str = "SELECT 1") -> list[str]:
    """x, y: the columns of each output; with a question mark where the plan does not tell all."""
    infos = [
        DatasetInfo(
            Dataset("", name),
            "table",
            [ColumnInfo(column, quoted=True) for column in columns],
            True,
            exact=True,
        )
        for name, columns in TABLES.items()
    ]
    definitions = Definitions(Corpus("postgres", [], infos))
    definitions.gather_definitions()
    reading = Reading(Script(query, "postgres"))
    evaluation = QueryEvaluation(
        definitions.references, reading, facts_of("postgres"), Dataset("", "plan")
    )
    shapes = Shapes([(sqlglot.parse_one(query, read="postgres"), evaluation)], {})
    found = value_flow({"Plan": plan}, shapes, evaluation)
    return [
        " ".join(
            [*sorted(str(origin) for origin in output.origins), *([] if output.whole else ["?"])]
        )
        for output in found.outputs
    ]


def test_columns_expressions_and_what_only_decides() -> None:
    test = "CASE WHEN (a.x > 1) THEN b.z ELSE 0 END"
    plan = node(
        "Hash Join", "a.id", "(a.x + b.z)", test, plans=(scan("a", "a.id", "a.x"), scan("b", "b.z"))
    )
    assert flow(plan) == ["public.a.id", "public.a.x public.b.z", "public.b.z"]


def test_one_table_needs_no_alias_and_a_row_is_all_of_it() -> None:
    assert flow(scan("a", "id", "(x * 2)")) == ["public.a.id", "public.a.x"]
    assert flow(scan("a", "a.*")) == ["public.a.id public.a.x public.a.y"]


def test_plans_lack_windows_and_have_arguments() -> None:
    assert flow(
        node("WindowAgg", "sum(a.x) OVER (?)", "rank() OVER w1", plans=(scan("a", "a.x"),))
    ) == [
        "public.a.x",
        "",
    ]


@pytest.mark.parametrize("kind", ["Append", "Merge Append"])
def test_the_first_member_speaks_for_all(kind: str) -> None:
    both = node(kind, plans=(scan("a", "a.id", "a.x"), scan("b", "b.z", "b.k")))
    assert flow(both) == ["public.a.id public.b.z", "public.a.x public.b.k"]
    above = node("Sort", "(a.x + 1)", "a.id", plans=(both,))
    assert flow(above) == ["public.a.x public.b.k", "public.a.id public.b.z"]


def test_members_that_look_alike_are_not_distinguished() -> None:
    both = node("Append", plans=(scan("a", "a.id", "a.id"), scan("b", "b.z", "b.k")))
    assert flow(node("Unique", "a.id", plans=(both,))) == ["?"]


def test_of_except_only_the_first_branch_flows() -> None:
    sides = [
        node(
            "Subquery Scan",
            f'"*SELECT* {n}".id',
            str(n),
            plans=(scan(t, f"{t}.id"),),
            Alias=f"*SELECT* {n}",
        )
        for n, t in ((1, "a"), (2, "b"))
    ]
    plan = node(
        "SetOp",
        '"*SELECT* 1".id',
        "(0)",
        plans=(node("Append", plans=tuple(sides)),),
        Command="Except",
    )
    assert flow(plan)[0] == "public.a.id"


def test_subqueries_and_ctes_are_shaped_by_the_text() -> None:
    inner = node("Limit", "(sum(a.x))", "a.id", plans=(scan("a", "a.x", "a.id"),))
    derived = node("Subquery Scan", "s.id", "s.total", plans=(inner,), Alias="s")
    assert flow(derived, "SELECT * FROM (SELECT sum(x) AS total, id FROM a) s") == [
        "public.a.id",
        "public.a.x",
    ]
    assert flow(derived, "SELECT * FROM (SELECT * FROM a) s") == ["?", "?"]
    cte = scan("a", "a.id", "a.x", **{"Subplan Name": "CTE w", "Parent Relationship": "InitPlan"})
    plan = node("CTE Scan", "w.second", plans=(cte,), Alias="w", **{"CTE Name": "w"})
    assert flow(plan, "WITH w(first, second) AS (SELECT id, x FROM a) SELECT second FROM w") == [
        "public.a.x"
    ]


def test_a_recursion_ends_with_all_that_flows_round() -> None:
    again = node("WorkTable Scan", "r_1.m", "r_1.n", Alias="r_1", **{"CTE Name": "r"})
    union = node(
        "Recursive Union", plans=(scan("a", "a.id", "a.x"), again), **{"Subplan Name": "CTE r"}
    )
    plan = node("CTE Scan", "r.n", plans=(union,), Alias="r", **{"CTE Name": "r"})
    query = "WITH RECURSIVE r(n, m) AS (SELECT id, x FROM a UNION ALL SELECT m, n FROM r) SELECT n FROM r"
    assert flow(plan, query) == ["public.a.id public.a.x"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("$0", "InitPlan 1 (returns $0)"),
        ("(InitPlan 1).col1", "InitPlan 1"),
        ("(SubPlan 1)", "SubPlan 1"),
    ],
)
def test_subplans_have_values_in_every_version(text: str, name: str) -> None:
    below = scan("b", "b.z", **{"Subplan Name": name})
    assert flow(scan("a", f"(a.x + {text})", Plans=[below])) == ["public.a.x public.b.z"]
    quoted = scan("a", f"(a.y || '{text}'::text)", Plans=[below])
    assert flow(quoted) == ["public.a.y"]


def test_gaps_of_a_plan_are_reported() -> None:
    below = scan("b", "b.z", **{"Subplan Name": "SubPlan 1"})
    assert flow(scan("a", "(hashed SubPlan 1)", Plans=[below])) == ["?"]
    assert flow(scan("a", "EXISTS(SubPlan 1)", Plans=[below])) == [""]
    assert flow(scan("a", "(SubPlan 1)", Plans=[below]), "SELECT EXISTS (SELECT 1)") == ["?"]
    assert flow(scan("a", "a.x +* (")) == ["?"]
    assert flow(scan("a", "elsewhere.x")) == ["?"]
    assert flow(node("Values Scan", '"*VALUES*".column1', Alias="*VALUES*")) == ["?"]
    assert flow(node("Foreign Scan", "(r1.x)")) == ["?"]


def test_functions_in_from_pass_on_what_they_take() -> None:
    call = {"Function Name": "unnest", "Schema": "pg_catalog", "Function Call": "unnest(a.x)"}
    plan = node(
        "Nested Loop",
        "u.u",
        plans=(scan("a", "a.x"), node("Function Scan", "u.u", Alias="u", **call)),
    )
    assert flow(plan) == ["public.a.x"]
    own = node("Function Scan", "u.u", Alias="u", **{**call, "Schema": "public"})
    assert flow(node("Nested Loop", "u.u", plans=(scan("a", "a.x"), own))) == ["?"]


def test_an_empty_plan_has_no_outputs() -> None:
    assert flow({}) == []
    assert flow(node("Result")) == []
