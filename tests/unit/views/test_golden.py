"""Each view against a file of tests/golden, byte for byte. LINEAL_GOLDEN=write makes the files
again: read the diff.
"""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from handmade import LINEAGEX, column, dataset, graph, ranking

from lineal.graph.select import ALL
from lineal.views import text, view
from lineal.views.report import (
    Report,
    edges_around,
    impact_of,
    report_of_all,
    report_of_trace,
    table_level,
)
from lineal.views.terminal import draw_page

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "views"

DIAMONDS = """
    a.x -> b.x
    a.x -> c.x
    b.x -> d.x
    c.x -> d.x
    d.x -> e.x
    d.x -> f.x
    e.x -> g.x
    f.x -> g.x  IDENTITY [LOW ambiguous]
    g.x -> a.x
"""

REPORTS: dict[str, tuple[str, Report]] = {
    "table_node": ("table", edges_around(ranking(), dataset("int_customer_ranking"))),
    "table_downstream": ("table", edges_around(ranking(), dataset("stg_customers"), "downstream")),
    "table_doubtful": ("table", report_of_all(graph(DIAMONDS))),
    "table_empty": ("table", report_of_all(graph("-> v.one"))),
    "table_level": ("table", table_level(ranking())),
    "chain_linear": (
        "chain",
        report_of_trace(ranking(), [column("int_customer_ranking.customer_id")], up=ALL),
    ),
    "chain_paths": (
        "chain",
        report_of_trace(ranking(), [column("int_customer_ranking.value_per_order")], up=ALL),
    ),
    "chain_rows": (
        "chain",
        report_of_trace(
            ranking(), [column("int_customer_ranking.lifetime_value")], up=ALL, with_rows=True
        ),
    ),
    "chain_no_sources": (
        "chain",
        report_of_trace(ranking(), [column("int_customer_ranking.made_by")], up=ALL),
    ),
    "chain_cycle": ("chain", report_of_trace(graph(DIAMONDS), [column("g.x")], up=ALL)),
    "chain_field": (
        "chain",
        report_of_trace(
            graph("r.j -> t.address\nt.address.city -> v.city"), [column("v.city")], up=ALL
        ),
    ),
    "tree": ("chain", report_of_trace(ranking(), [column("raw_customers.id")], down=ALL)),
    "tree_linear": ("chain", report_of_trace(ranking(), [column("raw_orders.user_id")], down=ALL)),
    "tree_cycle": ("chain", report_of_trace(graph(DIAMONDS), [column("a.x")], down=ALL)),
    "chain_both": (
        "chain",
        report_of_trace(
            ranking(), [column("int_customer_metrics.lifetime_value")], up=ALL, down=ALL
        ),
    ),
    "impact": ("table", impact_of(graph(LINEAGEX), column("web.page"))),
    "impact_none": ("table", impact_of(graph(LINEAGEX), column("info.wpage"))),
    "dot": ("dot", edges_around(ranking(), dataset("int_customer_ranking"))),
    "dot_level": ("dot", table_level(ranking())),
    "mermaid": ("mermaid", edges_around(ranking(), dataset("int_customer_ranking"))),
    "mermaid_level": ("mermaid", table_level(ranking())),
    "lineagex": ("lineagex", report_of_all(graph(LINEAGEX))),
    "graphml": ("graphml", edges_around(ranking(), dataset("int_customer_ranking"))),
    "graphml_level": ("graphml", table_level(ranking())),
    "json": (
        "json",
        report_of_trace(ranking(), [column("int_customer_ranking.customer_id")], up=ALL),
    ),
}


@pytest.mark.parametrize("name", REPORTS)
def test_golden(name: str) -> None:
    output, report = REPORTS[name]
    made, file = text(output, report).encode(), GOLDEN / f"{name}.txt"
    if os.environ.get("LINEAL_GOLDEN") == "write":
        GOLDEN.mkdir(parents=True, exist_ok=True)
        file.write_bytes(made)
    assert made == file.read_bytes()


def test_every_golden_file_has_its_test() -> None:
    assert {file.stem for file in GOLDEN.iterdir()} == set(REPORTS)


def test_a_long_path_is_one_straight_line_and_a_deep_tree_names_its_continuation() -> None:
    hops = 2_000
    straight = graph("\n".join(f"t{number}.x -> t{number + 1}.x" for number in range(hops)))
    for report in (
        report_of_trace(straight, [column("t0.x")], down=ALL),
        report_of_trace(straight, [column(f"t{hops}.x")], up=ALL),
    ):
        made = text("chain", report)
        assert made.count("\n") == 2 * hops + 1 + 5 and f"{hops + 1:,} nodes" in made
    comb = graph(
        "\n".join(
            f"t{number}.x -> t{number + 1}.x\nt{number}.x -> leaf{number}.x"
            for number in range(hops)
        )
    )
    made = text("chain", report_of_trace(comb, [column("t0.x")], down=ALL))
    assert "⋮ continues: ask for the chain of t30.x" in made and made.count("\n") < 200


def test_a_ladder_of_diamonds_has_as_many_paths_as_it_needs() -> None:
    """2^100 ways through, and each hop is written once."""
    rungs = "\n".join(
        f"{a}{number}.x -> {b}{number + 1}.x"
        for number in range(100)
        for a, b in (("lm", "lr") if number % 2 == 0 else ("ml", "rl"))
    )
    made = text("chain", report_of_trace(graph(rungs), [column("l100.x")], up=ALL))
    assert made.count("│") == rungs.count("->")


@pytest.mark.parametrize("columns", [20, 80, 150, 400])
def test_a_box_breaks_no_name(columns: int) -> None:
    """Where a terminal is too narrow for the box, the grid has none, and names are shortened."""
    from rich.console import Console
    from rich.text import Text

    for name in ("table_node", "impact"):
        page = view(*REPORTS[name])
        assert not isinstance(page, str)
        console = Console(
            file=io.StringIO(), width=columns, markup=False, emoji=False, highlight=False
        )
        with console.capture() as capture:
            for part in draw_page(page, columns):
                console.print(part, soft_wrap=isinstance(part, Text))
        shown = capture.get()
        assert ("╭" in shown) == (columns >= 150 or (columns == 80 and name == "impact"))
        column = "value_per_order" if name == "table_node" else "webinfo.wpage"
        is_fitted = columns == 80 and name == "table_node"
        assert (column in shown) == (not is_fitted)
        assert not is_fitted or max(map(len, shown.splitlines())) <= columns
