"""What reads columns besides models: tests, contracts, the semantic layer and exposures of dbt."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from lineal.cli import main
from lineal.graph.change import parse
from lineal.graph.diff import diff
from lineal.graph.effects import BREAKS, effects
from lineal.graph.graph import Graph
from lineal.graph.select import members
from lineal.graph.select import parse as selector
from lineal.graph.trace import downstream
from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.model.extraction import Extraction
from lineal.model.policy import Level
from lineal.projects import load
from lineal.projects.dbt.consumers.checks import branches_of
from lineal.rules import unused_column
from lineal.rules.rule import Subject

ROOT = Path(__file__).resolve().parents[3]
CAFE = ROOT / "tests" / "data" / "cafe"

SEMANTIC_EDGES = """
orders.order_id -> semantic_model:orders.order_id IDENTITY
orders.customer_id -> semantic_model:orders.customer IDENTITY
orders.ordered_at -> semantic_model:orders.ordered_at IDENTITY
orders.status -> semantic_model:orders.is_paid TRANSFORMATION
orders.amount -> semantic_model:orders.revenue AGGREGATION
orders.tip -> semantic_model:orders.tips AGGREGATION
customers.customer_id -> semantic_model:customers.customer IDENTITY
customers.city -> semantic_model:customers.city IDENTITY
semantic_model:orders.revenue -> metric:revenue.revenue IDENTITY
semantic_model:orders.revenue -> metric:paid_revenue.paid_revenue IDENTITY
semantic_model:orders.is_paid -> metric:paid_revenue FILTER
semantic_model:orders.tips -> metric:tips.tips IDENTITY
metric:tips.tips -> metric:tip_rate.tip_rate TRANSFORMATION
metric:revenue.revenue -> metric:tip_rate.tip_rate TRANSFORMATION
metric:revenue.revenue -> metric:net.net TRANSFORMATION
metric:tips.tips -> metric:net.net TRANSFORMATION
semantic_model:orders.revenue -> metric:revenue_so_far.revenue_so_far TRANSFORMATION
metric:revenue.revenue -> saved_query:by_city.revenue IDENTITY
metric:net.net -> saved_query:by_city.net IDENTITY
semantic_model:customers.city -> saved_query:by_city.customer__city IDENTITY
semantic_model:orders.ordered_at -> saved_query:by_city.metric_time IDENTITY
semantic_model:orders.is_paid -> saved_query:by_city FILTER
"""

TEST_READS = {
    "test:unique_orders_order_id": {"orders.order_id"},
    "test:not_null_orders_order_id": {"orders.order_id"},
    "test:relationships_orders_customer_id__customer_id__ref_customers_": {
        "orders.customer_id",
        "customers.customer_id",
    },
    "test:accepted_values_orders_status__paid__open": {"orders.status", "orders.tip"},
    "test:is_positive_orders_ordered_at__amount": {"orders.amount", "orders.ordered_at"},
    "test:tip_below_amount": {"orders.order_id", "orders.tip", "orders.amount"},
    "test:totals_add_up": {
        "orders.order_id",
        "orders.total",
        "raw_orders.id",
        "raw_orders.amount",
        "raw_orders.tip",
    },
    "test:contract_cities": {"cities.city", "cities.customers"},
}


@pytest.fixture(scope="module")
def cafe() -> Extraction:
    return extract(load(CAFE))


def edges(found: Extraction) -> set[str]:
    return {
        f"{each.source} -> {each.target} {','.join(sorted(u.how.value for u in each.usages))}"
        for each in found.edges
        if ":" in each.into.name
    }


def reads(found: Extraction) -> dict[str, set[str]]:
    made: dict[str, set[str]] = {}
    for each in found.reads:
        if each.target.name.startswith("test:") and each.column is not None:
            made.setdefault(each.target.name, set()).add(f"{each.dataset}.{each.column}")
    return made


def written(root: Path, files: dict[str, str]) -> Extraction:
    for name, text in {"dbt_project.yml": "name: shop\nprofile: duckdb\n", **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return extract(load(root))


def messages(found: Extraction, code: Code) -> list[str]:
    return [each.message for each in found.diagnostics if each.code is code]


def test_the_semantic_layer_is_datasets_with_edges(cafe: Extraction) -> None:
    assert edges(cafe) == set(SEMANTIC_EDGES.strip().split("\n"))
    assert cafe.diagnostics == []


def test_tests_read_what_they_name_and_make_nothing(cafe: Extraction) -> None:
    assert reads(cafe) == TEST_READS
    tests = [info for info in cafe.datasets.values() if info.kind == "test"]
    assert len(tests) == len(TEST_READS)
    assert not any(info.columns for info in tests)
    assert not any(each.into.name.startswith("test:") for each in cafe.edges)


def test_the_manifest_of_dbt_gives_the_same(cafe: Extraction, tmp_path: Path) -> None:
    found = subprocess.run([ROOT / "tools" / "dbt.sh"], capture_output=True, text=True, check=False)
    if found.returncode:
        pytest.skip(f"no dbt: {found.stderr.strip()[-200:]}")
    folder = shutil.copytree(CAFE, tmp_path / "cafe")
    call = [found.stdout.strip(), "--no-send-anonymous-usage-stats", "compile", "--quiet"]
    done = subprocess.run(
        [*call, "--profiles-dir", "."],
        cwd=folder,
        env=os.environ.copy(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    compiled = extract(load(folder / "target"))
    assert edges(compiled) == edges(cafe)
    assert reads(compiled) == reads(cafe)
    assert {name: info.kind for name, info in compiled.datasets.items()} == {
        name: info.kind for name, info in cafe.datasets.items()
    }


def test_places_are_those_of_the_yaml(cafe: Extraction) -> None:
    lines = (CAFE / "models" / "semantics.yml").read_text("utf-8").split("\n")
    (revenue,) = [e for e in cafe.edges if str(e.target) == "semantic_model:orders.revenue"]
    assert revenue.place is not None
    assert lines[revenue.place.line - 1].strip() == "expr: amount"
    (net,) = [each for each in cafe.datasets.values() if each.dataset.name == "metric:net"]
    assert net.place is not None
    assert lines[net.place.line - 1].strip() == "- name: net"


# -- what a change does ----------------------------------------------------------------------------


def broken(found: Extraction, column: str) -> set[str]:
    graph = Graph(found)
    made = effects(graph, graph.column(column), parse("drop"))
    return {each.dataset.name for each in made.consumers if each.effect == BREAKS}


def test_a_dropped_column_breaks_the_consumers_that_name_it(cafe: Extraction) -> None:
    assert broken(cafe, "orders.tip") == {
        "semantic_model:orders",
        "metric:tips",
        "metric:tip_rate",
        "metric:net",
        "saved_query:by_city",
        "test:accepted_values_orders_status__paid__open",
        "test:tip_below_amount",
    }
    assert broken(cafe, "orders.total") == {"test:totals_add_up"}
    assert broken(cafe, "cities.customers") == {"test:contract_cities"}


def test_other_changes_reach_tests_and_exposures_as_leaves(cafe: Extraction) -> None:
    graph = Graph(cafe)
    made = effects(graph, graph.column("raw_customers.city"), parse("values"))
    reached = {each.dataset.name: each.effect for each in made.consumers}
    assert reached["test:contract_cities"] == "values"
    assert reached["weekly_board"] == "values"
    assert "test:unique_orders_order_id" not in reached
    into = {str(each.target) for each in downstream(graph, [graph.column("orders.order_id")])}
    assert "test:unique_orders_order_id" in into
    assert "semantic_model:orders.order_id" in into


def test_a_column_that_only_a_measure_names_blocks_its_removal(tmp_path: Path) -> None:
    base = shutil.copytree(CAFE, tmp_path / "base")
    head = shutil.copytree(CAFE, tmp_path / "head")
    (base / "models" / "marts.yml").unlink()
    (head / "models" / "marts.yml").unlink()
    for folder in (base, head):
        shutil.rmtree(folder / "tests")
    sql = head / "models" / "orders.sql"
    sql.write_text(sql.read_text("utf-8").replace(" tip, status", " status"), "utf-8")
    found = diff(Graph(extract(load(base))), Graph(extract(load(head))))
    assert found.verdict is Level.BLOCK
    breaks = {each.dataset for finding in found.findings for each in finding.reach.breaks}
    assert {"semantic_model:orders", "metric:tips", "metric:net"} <= breaks


def test_a_model_that_only_a_metric_reads_is_read(tmp_path: Path) -> None:
    files = {
        "models/orders.sql": "select 1 as id, 2 as amount, 3 as spare",
        "models/m.yml": (
            "models:\n  - name: orders\n    columns: [{name: id, data_tests: [unique]}]\n"
            "semantic_models:\n  - name: orders\n    model: ref('orders')\n"
            "    measures: [{name: revenue, agg: sum, expr: amount}]\n"
            "metrics:\n  - {name: revenue, type: simple, type_params: {measure: revenue}}\n"
        ),
    }
    graph = Graph(written(tmp_path, files))
    unused = [each.message for each in unused_column.find(Subject(graph))]
    assert unused == ["only a test reads orders.id", "nothing reads orders.spare"]


def test_time_spines_and_public_models_are_read_elsewhere(tmp_path: Path) -> None:
    files = {
        "models/metricflow_time_spine.sql": "select 1 as date_day",
        "models/hours.sql": "select 1 as hour",
        "models/shared.sql": "select 1 as id",
        "models/m.yml": (
            "models:\n  - {name: hours, time_spine: {standard_granularity_column: hour}}\n"
            "  - {name: shared, access: public}\n"
        ),
    }
    graph = Graph(written(tmp_path, files))
    assert list(unused_column.find(Subject(graph))) == []


def test_groups_and_access_select_models_and_private_ones_are_guarded(tmp_path: Path) -> None:
    files = {
        "models/secret.sql": "select 1 as id",
        "models/inside.sql": "select id from {{ ref('secret') }}",
        "models/outside.sql": "select id from {{ ref('secret') }}",
        "models/m.yml": (
            "models:\n  - {name: secret, access: private, group: sales}\n"
            "  - {name: inside, config: {group: sales}}\n"
        ),
    }
    found = written(tmp_path, files)
    assert messages(found, Code.PRIVATE_REFERENCE) == [
        "outside reads secret, which is private to the group sales"
    ]
    graph = Graph(found)
    for text, names in (("group:sales", ["inside", "secret"]), ("access:private", ["secret"])):
        selection = selector(text)
        assert selection is not None
        assert sorted(map(str, members(graph, selection))) == names


# -- the shapes of dbt 2, and of dbt before 1.6 ----------------------------------------------------

NEW_SHAPE = """
models:
  - name: orders
    semantic_model:
      enabled: true
      name: orders
    agg_time_dimension: ordered_at
    columns:
      - name: order_id
        entity: {type: primary, name: order}
      - name: ordered_at
        granularity: day
        dimension: {type: time}
      - name: status
        dimension: {type: categorical}
    derived_semantics:
      dimensions:
        - {name: is_paid, type: categorical, expr: "status = 'paid'"}
    metrics:
      - {name: revenue, type: simple, agg: sum, expr: amount}
      - name: paid_revenue
        type: simple
        agg: sum
        expr: amount
        filter: "{{ Dimension('order__is_paid') }}"
      - {name: tips, type: simple, agg: sum, expr: tip}
      - {name: tip_rate, type: ratio, numerator: tips, denominator: revenue}
      - name: net
        type: derived
        expr: gross - tips
        input_metrics: [{name: revenue, alias: gross}, {name: tips}]
      - {name: so_far, type: cumulative, input_metric: revenue}
"""


def test_the_shape_of_dbt_2_has_the_same_meaning(tmp_path: Path) -> None:
    files = {
        "models/orders.sql": "select * from (select 1 as order_id, 2 as amount, 3 as tip, 'x' as status, "
        "4 as ordered_at) as t",
        "models/m.yml": NEW_SHAPE,
    }
    found = written(tmp_path, files)
    assert found.diagnostics == []
    assert {
        "orders.amount -> semantic_model:orders.revenue AGGREGATION",
        "orders.order_id -> semantic_model:orders.order IDENTITY",
        "orders.status -> semantic_model:orders.is_paid TRANSFORMATION",
        "semantic_model:orders.revenue -> metric:revenue.revenue IDENTITY",
        "semantic_model:orders.paid_revenue -> metric:paid_revenue.paid_revenue IDENTITY",
        "semantic_model:orders.is_paid -> metric:paid_revenue FILTER",
        "metric:tips.tips -> metric:tip_rate.tip_rate TRANSFORMATION",
        "metric:revenue.revenue -> metric:net.net TRANSFORMATION",
        "metric:revenue.revenue -> metric:so_far.so_far TRANSFORMATION",
    } <= edges(found)


def test_metrics_of_older_versions_aggregate_columns_of_a_model(tmp_path: Path) -> None:
    yml = (
        "metrics:\n  - name: revenue\n    model: ref('orders')\n    calculation_method: sum\n    expression: amount\n"
        "    filters: [{field: status, operator: '=', value: \"'paid'\"}]\n"
        "  - name: doubled\n    calculation_method: derived\n    expression: \"{{ metric('revenue') }} * 2\"\n"
    )
    found = written(
        tmp_path, {"models/orders.sql": "select 1 as amount, 'x' as status", "models/m.yml": yml}
    )
    assert edges(found) == {
        "orders.amount -> metric:revenue.revenue AGGREGATION",
        "orders.status -> metric:revenue FILTER",
        "metric:revenue.revenue -> metric:doubled.doubled TRANSFORMATION",
    }


ROWS_OF_METRICS = """
semantic_models:
  - name: accounts
    model: ref('accounts')
    defaults: {agg_time_dimension: day}
    entities:
      - {name: account, type: primary, expr: account_id}
      - {name: customer, type: foreign, expr: customer_id}
    dimensions:
      - {name: day, type: time, type_params: {time_granularity: day}}
      - {name: channel, type: categorical}
    measures:
      - name: balance
        agg: sum
        expr: balance_eur
        non_additive_dimension: {name: day, window_choice: max, window_groupings: [customer]}
      - {name: visits, agg: sum, expr: visited}
      - {name: buys, agg: sum, expr: bought}
metrics:
  - {name: balance, type: simple, type_params: {measure: balance}}
  - name: conversion
    type: conversion
    type_params:
      conversion_type_params:
        entity: account
        base_measure: {name: visits}
        conversion_measure: {name: buys}
        constant_properties: [{base_property: channel, conversion_property: channel}]
saved_queries:
  - name: sorted
    query_params:
      metrics: [balance]
      group_by: ["Dimension('account__channel')"]
      order_by: ["Metric('balance').descending(True)", "Dimension('account__color')"]
"""


def test_keys_of_a_metric_decide_its_rows(tmp_path: Path) -> None:
    """A non-additive measure takes the rows of one day; a conversion joins the events of an entity."""
    names = ["account_id", "customer_id", "day", "channel", "balance_eur", "visited", "bought"]
    sql = f"select {', '.join(f'1 as {name}' for name in names)}"
    found = written(tmp_path, {"models/accounts.sql": sql, "models/m.yml": ROWS_OF_METRICS})
    assert {each for each in edges(found) if "-> metric:" in each} == {
        "semantic_model:accounts.balance -> metric:balance.balance IDENTITY",
        "semantic_model:accounts.day -> metric:balance FILTER",
        "semantic_model:accounts.customer -> metric:balance FILTER",
        "semantic_model:accounts.visits -> metric:conversion.conversion TRANSFORMATION",
        "semantic_model:accounts.buys -> metric:conversion.conversion TRANSFORMATION",
        "semantic_model:accounts.account -> metric:conversion FILTER",
        "semantic_model:accounts.channel -> metric:conversion FILTER",
    }
    assert "metric:balance" in broken(found, "accounts.customer_id")
    assert messages(found, Code.UNKNOWN_REFERENCE) == [
        "saved_query:sorted names Dimension('account__color'), which is not in the project"
    ]


def test_a_metric_of_dbt_2_can_be_bound_to_rows(tmp_path: Path) -> None:
    yml = NEW_SHAPE.replace(
        "{name: tips, type: simple, agg: sum, expr: tip}",
        "{name: tips, type: simple, agg: sum, expr: tip, "
        "non_additive_dimension: {name: ordered_at, window_agg: max, group_by: [order]}}",
    )
    files = {
        "models/orders.sql": "select 1 as order_id, 2 as amount, 3 as tip, 'x' as status, 4 as ordered_at",
        "models/m.yml": yml,
    }
    assert {
        "semantic_model:orders.ordered_at -> metric:tips FILTER",
        "semantic_model:orders.order -> metric:tips FILTER",
    } <= edges(written(tmp_path, files))


# -- exposures -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "meta",
    [
        "{columns: [orders.amount, raw.people.name]}",
        "{columns: {orders: amount, raw.people: [name]}}",
    ],
)
@pytest.mark.parametrize("where", ["meta: {}", "config: {{meta: {}}}"])
def test_an_exposure_reads_the_columns_that_it_names(tmp_path: Path, meta: str, where: str) -> None:
    yml = (
        "sources: [{name: raw, tables: [{name: people}]}]\n"
        "exposures:\n  - name: board\n    type: dashboard\n    owner: {name: ann}\n"
        "    depends_on: [ref('orders'), \"source('raw', 'people')\", ref('days')]\n"
        f"    {where.format(meta)}\n"
    )
    files = {
        "models/orders.sql": "select 1 as amount, 2 as tip",
        "models/days.sql": "select 1 as day",
        "models/m.yml": yml,
    }
    found = written(tmp_path, files)
    assert {
        (str(each.dataset), each.column) for each in found.reads if each.target.name == "board"
    } == {
        ("orders", "amount"),
        ("raw.people", "name"),
        ("days", None),
    }
    assert broken(found, "orders.amount") == {"board"}
    graph = Graph(found)
    tip = effects(graph, graph.column("orders.tip"), parse("drop"))
    assert [each.dataset.name for each in tip.consumers] == []
    unused = [each.message for each in unused_column.find(Subject(graph))]
    assert unused == ["nothing reads orders.tip"]


def test_an_exposure_that_names_columns_of_something_else(tmp_path: Path) -> None:
    yml = (
        "exposures:\n  - name: board\n    depends_on: [ref('orders')]\n"
        "    meta: {columns: {orders: [amount], others: [x]}}\n"
    )
    found = written(tmp_path, {"models/orders.sql": "select 1 as amount", "models/m.yml": yml})
    assert messages(found, Code.UNKNOWN_REFERENCE) == [
        "board names columns of others, on which it does not depend"
    ]


# -- what is wrong ---------------------------------------------------------------------------------


def test_missing_names_are_diagnostics(tmp_path: Path) -> None:
    yml = (
        "semantic_models:\n  - name: orders\n    model: ref('orders')\n"
        "    entities: [{name: order, type: primary, expr: id}]\n"
        "    measures: [{name: revenue, agg: sum, expr: amount}, {name: lost, agg: sum, expr: gone}]\n"
        "  - {name: nowhere, model: ref('nothing'), measures: [{name: x, agg: sum}]}\n"
        "metrics:\n  - {name: typo, type: simple, type_params: {measure: revenues}}\n"
        "  - {name: rate, type: ratio, type_params: {numerator: typo, denominator: absent}}\n"
        "  - name: filtered\n    type: simple\n    type_params: {measure: revenue}\n"
        "    filter: \"{{ Dimension('order__color') }} = 'red'\"\n"
        "saved_queries:\n  - {name: q, query_params: {metrics: [unknown_metric]}}\n"
    )
    found = written(
        tmp_path, {"models/orders.sql": "select 1 as id, 2 as amount", "models/m.yml": yml}
    )
    assert messages(found, Code.UNKNOWN_REFERENCE) == [
        "semantic_model:nowhere needs ref('nothing'), which is not in the project",
        "metric:typo names measure revenues, which is not in the project",
        "metric:rate names metric absent, which is not in the project",
        "metric:filtered names Dimension('order__color'), which is not in the project",
        "saved_query:q names metric unknown_metric, which is not in the project",
    ]
    assert "gone" in " ".join(messages(found, Code.UNRESOLVED_COLUMN))
    assert "metric:typo.typo -> metric:rate.rate TRANSFORMATION" in edges(found)


def test_missing_names_are_diagnostics_in_the_format_of_dbt_2(tmp_path: Path) -> None:
    yml = (
        "models:\n  - name: orders\n    semantic_model: true\n"
        "    columns: [{name: id, entity: {type: primary, name: order}}]\n"
        "    metrics:\n"
        "      - {name: revenue, type: simple, agg: sum, expr: amount}\n"
        "      - {name: lost, type: simple, agg: sum, expr: gone}\n"
        "      - {name: rate, type: ratio, numerator: revenue, denominator: absent}\n"
        "      - {name: so_far, type: cumulative, input_metric: nothing}\n"
        "      - {name: a, type: derived, expr: b + 1, input_metrics: [{name: b}]}\n"
        "      - {name: b, type: derived, expr: a + 1, input_metrics: [{name: a}]}\n"
    )
    found = written(
        tmp_path, {"models/orders.sql": "select 1 as id, 2 as amount", "models/m.yml": yml}
    )
    assert messages(found, Code.UNKNOWN_REFERENCE) == [
        "metric:rate names metric absent, which is not in the project",
        "metric:so_far names metric nothing, which is not in the project",
    ]
    assert "gone" in " ".join(messages(found, Code.UNRESOLVED_COLUMN))
    assert len(messages(found, Code.CYCLIC_DEFINITION)) == 1
    assert "metric:revenue.revenue -> metric:rate.rate TRANSFORMATION" in edges(found)


def test_metrics_in_a_circle_are_a_diagnostic(tmp_path: Path) -> None:
    yml = (
        "metrics:\n"
        "  - {name: a, type: derived, type_params: {expr: b + 1, metrics: [b]}}\n"
        "  - {name: b, type: derived, type_params: {expr: a + 1, metrics: [a]}}\n"
        "  - {name: own, type: derived, type_params: {expr: own + 1, metrics: [own]}}\n"
    )
    found = written(tmp_path, {"models/orders.sql": "select 1 as id", "models/m.yml": yml})
    circles = messages(found, Code.CYCLIC_DEFINITION)
    assert any("metric:a" in each or "metric:b" in each for each in circles)
    assert any("metric:own" in each for each in circles)


WRONG_METRICS = {
    "metrics:\n  - {name: a, type: derived, type_params: {expr: b + 1, metrics: [b]}}\n"
    "  - {name: b, type: derived, type_params: {expr: a + 1, metrics: [a]}}\n": (
        1,
        "error[cyclic-definition]",
    ),
    "metrics:\n  - {name: typo, type: simple, type_params: {measure: revenues}}\n": (
        0,
        "warning[unknown-reference]: metric:typo names measure revenues",
    ),
}


@pytest.mark.parametrize("yml", WRONG_METRICS)
def test_wrong_metrics_have_a_place_and_the_documented_exit_code(tmp_path: Path, yml: str) -> None:
    written(tmp_path, {"models/orders.sql": "select 1 as id", "models/m.yml": yml})
    code, said = WRONG_METRICS[yml]
    events = tmp_path / "events.ndjson"
    for command in (["lineage"], ["emit", "--to", str(events)]):
        done = CliRunner().invoke(main, [*command, str(tmp_path)])
        assert done.exit_code == code, done.stderr
        assert said in done.stderr and "m.yml:" in done.stderr
        assert "Traceback" not in done.stderr
    assert events.read_text(), "the models are sent in spite of it"


def test_a_test_of_a_package_that_is_not_installed_reads_by_its_arguments(tmp_path: Path) -> None:
    yml = (
        "models:\n  - name: orders\n    data_tests:\n"
        "      - dbt_utils.unique_combination_of_columns: {combination_of_columns: [id, day]}\n"
        "      - dbt_utils.expression_is_true: {expression: amount >= tip}\n"
        "    columns:\n      - name: amount\n        data_tests:\n"
        "          - dbt_utils.expression_is_true: {expression: '>= 0'}\n"
    )
    found = written(
        tmp_path,
        {
            "models/orders.sql": "select 1 as id, 2 as day, 3 as amount, 4 as tip",
            "models/m.yml": yml,
        },
    )
    assert found.diagnostics == []
    assert list(reads(found).values()) == [
        {"orders.id", "orders.day"},
        {"orders.amount", "orders.tip"},
        {"orders.amount"},
    ]


def test_tests_of_a_seed_that_is_listed_among_models(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "seeds").mkdir()
    (tmp_path / "dbt_project.yml").write_text("name: shop\nprofile: duckdb\n")
    (tmp_path / "seeds" / "visits.csv").write_text("id,page\n1,a\n")
    (tmp_path / "models" / "all.yml").write_text(
        "models:\n  - name: visits\n    columns: [{name: id, data_tests: [not_null]}]\n"
    )
    found = extract(load(tmp_path))
    reads = {(read.target.name, read.dataset.name, read.column) for read in found.reads}
    assert ("test:not_null_visits_id", "visits", "id") in reads


@pytest.mark.parametrize(
    ("folder", "setting"),
    [("tests", ""), ("checks", "test-paths: [checks]\n"), ("macros", "")],
)
def test_yaml_next_to_other_files_lists_tests_too(
    tmp_path: Path, folder: str, setting: str
) -> None:
    yml = "models:\n  - name: orders\n    columns: [{name: id, data_tests: [unique]}]\n"
    found = written(
        tmp_path,
        {
            "dbt_project.yml": f"name: shop\nprofile: duckdb\n{setting}",
            "models/orders.sql": "select 1 as id",
            f"{folder}/orders.yml": yml,
        },
    )
    assert reads(found) == {"test:unique_orders_id": {"orders.id"}}


def test_both_branches_of_a_condition_count() -> None:
    """dbt renders `where` by variables of a run: either branch may be meant."""
    text = "{% if var('all', false) %}1=1{% else %}day >= now() - {{ var('days', 7) }}{% endif %}"
    assert branches_of(text) == ["1=1", "day >= now() - {{ var('days', 7) }}"]
    assert branches_of("a {%- if x -%} > b {%- endif %}") == ["a ", "a  > b "]
    assert branches_of("day > 1") == ["day > 1"]
