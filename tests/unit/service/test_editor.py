"""What an editor asks, without an editor: the questions of `lineal.service.editor`."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lineal.model.edge import Dataset
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Script
from lineal.resolve.mentions import Named, statements_in
from lineal.service.answers import Misasked
from lineal.service.editor.positions import Text
from lineal.service.editor.questions import answer
from lineal.service.editor.rename import edited_texts, plan_rename
from lineal.service.editor.spots import spots_in
from lineal.service.editor.templates import Alignment, edits_between
from lineal.service.editor.workspace import Workspace
from lineal.service.project import Project
from lineal.service.source import Source

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


class Desk:
    """A project that is open, asked by words in its files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workspace = Workspace(Project(Source((str(folder),))))

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def type(self, name: str, text: str) -> None:
        self.workspace.put(self.path(name), text)

    def ask(self, question: str, name: str, needle: str, inside: str = "", **more: Any) -> Any:
        text = self.workspace.text(self.path(name))
        offset = text.index(needle) + (needle.index(inside) if inside else 0)
        position = Text(text).position(offset)
        span = {"start": position, "end": position}
        asked = {"path": self.path(name), "position": position, "range": span, **more}
        return answer(self.workspace, question, asked)

    def at_end_of(self, question: str, name: str, needle: str) -> Any:
        """Ask at the end of a word."""
        text = self.workspace.text(self.path(name))
        position = Text(text).position(text.index(needle) + len(needle))
        return answer(self.workspace, question, {"path": self.path(name), "position": position})

    def edits(self, found: Any) -> list[str]:
        return [
            f"{Path(each['path']).relative_to(self.folder)}:{each['range']['start']['line'] + 1} "
            f"{each['new_text']}"
            for each in found["edits"]
        ]

    def locations(self, found: Any) -> list[str]:
        return [
            f"{Path(each['path']).relative_to(self.folder)}:{each['range']['start']['line'] + 1}"
            for each in found["locations"]
        ]

    def close(self) -> None:
        self.workspace.documents.close()


@pytest.fixture
def jaffle(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(Path(shutil.copytree(EXAMPLES / "jaffle", tmp_path / "jaffle")))
    yield desk
    desk.close()


@pytest.fixture
def warehouse(tmp_path: Path) -> Iterator[Desk]:
    """Plain SQL files, with a star, a USING, an INSERT and a column of two tables."""
    files = {
        "raw.sql": "CREATE TABLE orders (id INT, amount INT, day DATE);\n"
        "CREATE TABLE refunds (id INT, refunded INT);\n",
        "stg.sql": "CREATE VIEW stg AS SELECT id, amount AS cents, day FROM orders;\n",
        "wide.sql": "CREATE VIEW wide AS SELECT * FROM stg;\n",
        "mart.sql": "CREATE TABLE mart AS\nSELECT w.id, sum(w.cents) AS total\nFROM wide w\n"
        "GROUP BY w.id ORDER BY total;\n",
        "both.sql": "CREATE VIEW both AS SELECT id, cents, refunded FROM stg JOIN refunds USING (id);\n",
    }
    folder = tmp_path / "warehouse"
    folder.mkdir()
    for name, text in files.items():
        folder.joinpath(name).write_text(text)
    desk = Desk(folder)
    yield desk
    desk.close()


# -- texts -----------------------------------------------------------------------------------------


def test_positions_count_utf_16_units() -> None:
    text = Text("a\n😀x\n", "utf-16")
    assert text.position(3) == {"line": 1, "character": 2}
    assert text.offset({"line": 1, "character": 2}) == 3
    assert text.offset({"line": 99, "character": 0}) == len(text.text)
    assert Text("😀x", "utf-8").position(1) == {"line": 0, "character": 4}


def test_templates_are_aligned_outside_tags() -> None:
    file = "{{ config(\n  materialized='table'\n) }}\nselect {{ cents('a') }} as b\nfrom {{ ref('t') }}\n"
    script = "\n\n\nselect a / 100 as b\nfrom db.t\n"
    alignment = Alignment(file, script)

    start = script.index("as b")
    assert alignment.to_file(start, start + 4) == (file.index("as b"), file.index("as b") + 4)
    assert alignment.to_file(script.index("a / 100"), script.index("a / 100") + 1) is None
    assert alignment.patch(file.replace("as b", "as bc")) == script.replace("as b", "as bc")
    assert alignment.patch(file.replace("'a'", "'c'")) is None
    assert alignment.patch(file.replace("as b", "as {{ b }}")) is None


def test_edits_in_two_places_are_two_edits() -> None:
    assert edits_between("a b\nc\nd\n", "a x\nc\ny\n") == [(2, 3, "x"), (6, 7, "y")]


# -- questions -------------------------------------------------------------------------------------


def test_a_column_through_a_star_is_one_column(warehouse: Desk) -> None:
    definition = warehouse.ask("definition", "mart.sql", "w.cents", "cents")
    assert warehouse.locations(definition) == ["stg.sql:1"]
    references = warehouse.ask("references", "stg.sql", "AS cents", "cents")
    assert warehouse.locations(references) == ["both.sql:1", "mart.sql:2"]


def test_a_rename_goes_through_stars_and_keeps_other_names(warehouse: Desk) -> None:
    found = warehouse.ask("rename", "mart.sql", "w.cents", "cents", new_name="amount_cents")
    assert warehouse.edits(found) == [
        "both.sql:1 amount_cents as cents",
        "mart.sql:2 amount_cents",
        "stg.sql:1 amount_cents",
    ]


def test_a_name_next_to_a_star_is_the_column_of_the_source(warehouse: Desk) -> None:
    """The star has a column of that name, too; an expression reads the source."""
    text = "CREATE VIEW doubled AS SELECT *, cents * 2 AS twice FROM stg;\n"
    warehouse.folder.joinpath("doubled.sql").write_text(text)
    definition = warehouse.ask("definition", "doubled.sql", "cents * 2", "cents")
    assert warehouse.locations(definition) == ["stg.sql:1"]
    with pytest.raises(Misasked, match="already has a column id"):
        warehouse.ask("rename", "doubled.sql", "cents * 2", "cents", new_name="id")
    found = warehouse.ask("rename", "doubled.sql", "cents * 2", "cents", new_name="price")
    assert "doubled.sql:1 price" in warehouse.edits(found)


def test_an_output_is_renamed_with_its_order_by(warehouse: Desk) -> None:
    found = warehouse.ask("rename", "mart.sql", "AS total", "total", new_name="sum_total")
    assert warehouse.edits(found) == ["mart.sql:2 sum_total", "mart.sql:4 sum_total"]


REFUSALS = [
    ("both.sql", "USING (id)", "id", "does not tell which column is meant"),
    ("stg.sql", "AS cents", "cents", "already has a column day"),
    ("mart.sql", "FROM wide", "FROM", "no column here"),
]


@pytest.mark.parametrize(("name", "needle", "inside", "reason"), REFUSALS)
def test_a_rename_that_is_not_safe_is_refused(
    warehouse: Desk, name: str, needle: str, inside: str, reason: str
) -> None:
    with pytest.raises(Misasked, match=reason):
        warehouse.ask("rename", name, needle, inside, new_name="day")


def test_renames_in_a_dbt_project(jaffle: Desk) -> None:
    amount = jaffle.ask("rename", "models/marts/orders.sql", "as amount", "amount", new_name="paid")
    assert jaffle.edits(amount) == [
        "models/marts/customers.sql:9 paid",
        "models/marts/marts.yml:22 paid",
        "models/marts/orders.sql:17 paid",
        "tests/nobody_pays_less_than_nothing.sql:1 paid as amount",
        "tests/nobody_pays_less_than_nothing.sql:1 paid",
    ]
    dollars = jaffle.ask(
        "rename", "models/staging/stg_payments.sql", "as amount", "amount", new_name="dollars"
    )
    assert jaffle.edits(dollars) == [
        "models/intermediate/int_payments_by_order.sql:5 dollars",
        "models/intermediate/int_payments_by_order.sql:7 dollars",
        "models/staging/stg_payments.sql:5 dollars",
    ]
    reader = jaffle.folder / "models/marts/by_card.sql"
    reader.write_text("select card_amount from {{ ref('int_payments_by_order') }}\n")
    for name, needle, inside, reason in (
        ("models/staging/stg_orders.sql", "id as", "id", "header of a CSV file"),
        ("models/marts/by_card.sql", "card_amount", "", "a template writes it"),
        ("models/marts/marts.yml", "weekly_report", "", "no column here"),
    ):
        with pytest.raises(Misasked, match=reason):
            jaffle.ask("rename", name, needle, inside, new_name="renamed")


@pytest.mark.parametrize("example", ["jaffle", "shop"])
def test_an_applied_rename_gives_the_same_lineage(example: str, tmp_path: Path) -> None:
    """Of a sample of the columns: applied to a copy, and read from scratch."""
    desk = Desk(Path(shutil.copytree(EXAMPLES / example, tmp_path / example)))
    before = names_in(Project(Source((str(desk.folder),))).extraction(), {})
    made = [
        spot._replace(means=())
        for file in sorted(desk.workspace.state.scripts)
        for spot in spots_in(desk.workspace, file)
        if spot.makes is not None and isinstance(spot.makes.owner, Dataset) and spot.is_written
    ]
    applied = 0
    for spot in made[::23]:
        try:
            plan = plan_rename(desk.workspace, spot, "renamed_here")
        except Misasked:
            continue
        applied += 1
        copy = Path(shutil.copytree(desk.folder, tmp_path / f"copy{applied}"))
        for path, text in edited_texts(desk.workspace, plan).items():
            (copy / Path(path).relative_to(desk.folder)).write_text(text)
        after = Project(Source((str(copy),))).extraction()
        back = {(str(each.dataset), "renamed_here"): each.name for each in plan.columns}
        assert names_in(after, back) == before, spot.makes
    desk.close()
    assert applied >= 1


SEMANTICS = """semantic_models:
  - name: orders
    model: ref('orders')
    entities:
      - {name: order_id, type: primary}
    dimensions:
      - name: day   # of the order
        type: time
    measures:
      - name: amount
        agg: sum
      - name: doubled
        agg: sum
        expr: amount * 2
      - {name: row_count, agg: sum, expr: 1}
metrics:
  - name: amount
    type: simple
    type_params: {measure: amount}
  - name: days
    type: simple
    type_params: {measure: row_count}
    filter: "{{ Entity('order_id') }} > 7"
"""


@pytest.fixture
def cafe(tmp_path: Path) -> Iterator[Desk]:
    """A dbt project with a semantic model whose elements have no `expr`."""
    files = {
        "dbt_project.yml": "name: cafe\nprofile: duckdb\n",
        "models/orders.sql": "select id as order_id, total as amount, day from raw_orders\n",
        "models/semantics.yml": SEMANTICS,
    }
    folder = tmp_path / "cafe"
    for name, text in files.items():
        folder.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
        folder.joinpath(name).write_text(text)
    desk = Desk(folder)
    yield desk
    desk.close()


def test_elements_of_a_semantic_model_keep_their_names(cafe: Desk) -> None:
    """A rename adds `expr` where the name alone says which column is read."""
    sql = "models/orders.sql"
    amount = cafe.ask("rename", sql, "as amount", "amount", new_name="paid")
    assert cafe.edits(amount) == [
        "models/orders.sql:1 paid",
        "models/semantics.yml:10 \n        expr: paid",
        "models/semantics.yml:14 paid",
    ]
    order_id = cafe.ask("rename", sql, "as order_id", "order_id", new_name="key")
    assert cafe.edits(order_id)[1:] == ["models/semantics.yml:5 , expr: key"]
    day = cafe.ask("rename", sql, "day", new_name="date_")
    assert cafe.edits(day)[1:] == ["models/semantics.yml:7 \n        expr: date_"]


def test_columns_in_expressions_of_a_semantic_model_are_found(cafe: Desk) -> None:
    references = cafe.ask("references", "models/orders.sql", "as amount", "amount")
    assert cafe.locations(references) == ["models/semantics.yml:10", "models/semantics.yml:14"]
    definition = cafe.ask("definition", "models/semantics.yml", "amount * 2")
    assert cafe.locations(definition) == ["models/orders.sql:1"]
    hover = cafe.ask("hover", "models/semantics.yml", "name: doubled", "doubled")
    assert "`semantic_model:orders.doubled`" in hover["contents"]["value"]
    for asked, line in (("measure: amount", 10), ("('order_id')", 5)):
        metric = cafe.ask("definition", "models/semantics.yml", asked, asked[-5:])
        assert cafe.locations(metric) == [f"models/semantics.yml:{line}"]


def test_a_count_of_rows_breaks_with_its_model(cafe: Desk) -> None:
    lens = answer(cafe.workspace, "lens", {"dataset": "orders"})
    assert lens["title"].endswith("breaks 2 metrics, 1 semantic model")


def test_the_field_of_a_relationship_is_a_column_of_the_other_model(cafe: Desk) -> None:
    text = """models:
  - name: orders
    columns:
      - name: day
        tests:
          - relationships: {to: ref('days'), field: day}
"""
    cafe.folder.joinpath("models/days.sql").write_text("select day from raw_days\n")
    cafe.folder.joinpath("models/orders.yml").write_text(text)
    found = cafe.ask("rename", "models/orders.sql", "day", new_name="date_")
    assert cafe.edits(found) == [
        "models/orders.sql:1  as date_",
        "models/orders.yml:4 date_",
        "models/semantics.yml:7 \n        expr: date_",
    ]


def test_a_name_behind_a_call_over_several_lines_is_found(cafe: Desk) -> None:
    """Every item of a list of columns is, too."""
    sql = """select
    {{ concat([
        'id',
        'day'
    ]) }} as row_key,
    day
from raw_orders
"""
    text = """models:
  - name: keys
    tests:
      - dbt_utils.unique_combination_of_columns:
          combination_of_columns:
            - row_key
            - day
"""
    cafe.folder.joinpath("models/keys.sql").write_text(sql)
    cafe.folder.joinpath("models/keys.yml").write_text(text)
    found = cafe.ask("rename", "models/keys.sql", "as row_key", "row_key", new_name="key")
    assert cafe.edits(found) == ["models/keys.sql:5 key", "models/keys.yml:6 key"]


def test_a_refusal_names_the_test_that_cannot_be_edited(cafe: Desk) -> None:
    text = """unit_tests:
  - name: days_are_kept
    model: orders
    given: [{input: ref('orders'), rows: []}]
    expect: {rows: [{order_id: 1, day: '2020-01-01'}]}
"""
    cafe.folder.joinpath("models/unit.yml").write_text(text)
    with pytest.raises(Misasked, match=r"days_are_kept.* \(unit.yml:2\)"):
        cafe.ask("rename", "models/orders.sql", "as order_id", "order_id", new_name="number_")


def test_columns_of_ctes_are_those_that_stars_pass_on(cafe: Desk) -> None:
    ctes = "o as (select * from {{ ref('orders') }}), r as (select o.amount as paid, day from o)"
    text = f"with {ctes} select * from r\n"
    cafe.folder.joinpath("models/paid.sql").write_text(text)
    amount = cafe.ask("hover", "models/paid.sql", "o.amount", "amount")["contents"]["value"]
    assert "`orders.amount`" in amount
    paid = cafe.ask("hover", "models/paid.sql", "as paid", "paid")["contents"]["value"]
    assert "`paid.paid`" in paid
    source = "with s as (select * from raw_days), r as (select day from s) select * from r\n"
    cafe.folder.joinpath("models/days.sql").write_text(source)
    cafe.workspace.refresh()
    found = cafe.ask("rename", "models/days.sql", "select day", "day", new_name="date_")
    assert cafe.edits(found) == ["models/days.sql:1  as date_"]


def names_in(extraction: Extraction, back: dict[tuple[str, str], str]) -> Counter[str]:
    """The edges of a lineage, with some columns called by another name."""
    found: Counter[str] = Counter()
    for edge in extraction.edges:
        source, target = edge.source, edge.target
        start = back.get((str(source.dataset), source.name), source.name)
        end = str(target)
        if not isinstance(target, Dataset):
            end = f"{target.dataset}.{back.get((str(target.dataset), target.name), target.name)}"
        how = sorted(f"{usage.how.value} {usage.clause.value}" for usage in edge.usages)
        found[f"{source.dataset}.{start} -> {end} {how}"] += 1
    return found


# -- while typing ----------------------------------------------------------------------------------


def labels(found: Any) -> list[str]:
    return [each["label"] for each in found["items"]]


COMPLETIONS = [
    ("customers.email,", "customers.em", ["customer_id", "first_name", "last_name", "email"]),
    ("sum(amount)", "sum(am", ["orders", "order_id"]),
    ("ref('stg_customers')", "ref('stg", ["int_payments_by_order"]),
    ("ref('stg_customers')", "source('", ["web"]),
    ("ref('stg_customers')", "source('web', '", ["visits"]),
]


def test_half_typed_statements_are_completed(jaffle: Desk) -> None:
    name = "models/marts/customers.sql"
    text = jaffle.workspace.text(jaffle.path(name))
    for whole, typed, expected in COMPLETIONS:
        jaffle.type(name, text.replace(whole, typed))
        found = labels(jaffle.at_end_of("completion", name, typed))
        assert found[: len(expected)] == expected, typed


def test_the_columns_that_yaml_lacks_are_completed(jaffle: Desk) -> None:
    name = "models/marts/marts.yml"
    found = labels(jaffle.at_end_of("completion", name, "- name: email"))
    assert "number_of_orders" in found
    assert "customer_id" not in found


def test_lenses_count_and_name_consumers_that_break(jaffle: Desk) -> None:
    path = jaffle.path("models/marts/customers.sql")
    (lens,) = answer(jaffle.workspace, "lenses", {"path": path})["lenses"]
    found = answer(jaffle.workspace, "lens", lens["data"])
    assert found["title"] == "8 upstream · 0 downstream · breaks 1 exposure, 3 tests"
    assert found["arguments"] == ["customers"]


def test_actions_expand_stars_and_fill_yaml(jaffle: Desk) -> None:
    star = jaffle.ask("actions", "models/marts/orders.sql", "* from {{ ref('stg_orders')")[
        "actions"
    ]
    assert [each["title"] for each in star] == ["Expand * to 4 columns of orders"]
    assert star[0]["edits"][0]["new_text"].split() == [
        "order_id,", "customer_id,", "ordered_on,", "status",
    ]  # fmt: skip
    added = jaffle.ask("actions", "models/marts/customers.sql", ".last_name", "last")["actions"]
    titles = [each["title"] for each in added]
    assert "Add 5 columns to the YAML of customers" in titles


def test_an_edit_reports_broken_columns_in_other_files(warehouse: Desk) -> None:
    assert warehouse.workspace.state.findings is not None
    warehouse.type("stg.sql", "CREATE VIEW stg AS SELECT id, amount AS c, day FROM orders;\n")
    found = answer(warehouse.workspace, "check", {})["files"]
    broken = {
        Path(path).name: [each["code"] for each in several] for path, several in found.items()
    }
    assert "unresolved-column" in broken["mart.sql"]
    assert "unresolved-column" in broken["both.sql"]

    warehouse.type("stg.sql", "CREATE VIEW stg AS SELECT id, amount AS cents, day FROM orders;\n")
    found = answer(warehouse.workspace, "check", {})["files"]
    assert not any(
        each["code"] == "unresolved-column" for several in found.values() for each in several
    )


def test_a_hover_before_the_check_takes_no_diagnostics_away(jaffle: Desk) -> None:
    """The hover evaluates the edit; the check after it still names the files concerned."""
    name = "models/staging/stg_orders.sql"
    text = jaffle.workspace.text(jaffle.path(name))
    jaffle.workspace.check()
    jaffle.type(name, text.replace("id as order_id", "id as number"))
    assert jaffle.ask("hover", name, "id as number", "id")
    found = answer(jaffle.workspace, "check", {})["files"]
    codes = {each["code"] for each in found[jaffle.path("models/marts/orders.sql")]}
    assert "unresolved-column" in codes
    assert jaffle.path(name) in found
    assert answer(jaffle.workspace, "check", {})["files"] == {}


def test_an_edit_gives_what_reading_everything_gives(warehouse: Desk) -> None:
    """The incremental answer is the answer of a project that is read from scratch."""
    assert warehouse.workspace.state is not None
    text = "CREATE VIEW stg AS SELECT id, amount + 1 AS cents, day FROM orders WHERE amount > 0;\n"
    warehouse.type("stg.sql", text)
    followed = names_in(warehouse.workspace.state.extraction, {})
    warehouse.folder.joinpath("stg.sql").write_text(text)
    assert followed == names_in(Project(Source((str(warehouse.folder),))).extraction(), {})


def test_an_edit_of_yaml_gives_what_reading_everything_gives(cafe: Desk) -> None:
    """Each text is saved, and a project that was never read before gives the same."""
    name, before = "models/semantics.yml", SEMANTICS
    texts = (
        f"models:\n  - name: ordrs\n    columns: [{{name: day}}]\n{before}",
        f"models:\n  - name: orders\n    columns:\n      - name: dy\n        tests: [unique]\n{before}",
        f"models:\n  - name: orders\n    config: {{enabled: false}}\n{before}",
        "models: [",
        before.replace("total", "amount"),
        before,
    )
    cold_of: dict[str, Any] = {}
    for text in texts:
        cafe.type(name, text)
        typed = answer(cafe.workspace, "refresh", {})
        cafe.folder.joinpath(name).write_text(text)
        saved = answer(cafe.workspace, "refresh", {})
        cold = Desk(cafe.folder)
        cold_of[text] = answer(cold.workspace, "refresh", {})
        edges = names_in(cold.workspace.state.extraction, {})
        cold.close()
        assert typed == saved == cold_of[text]
        assert names_in(cafe.workspace.state.extraction, {}) == edges
    messages = [each["message"] for each in cold_of[texts[0]]["files"][cafe.path(name)]]
    assert any("describes the model ordrs, which has no file" in each for each in messages)


def test_a_save_that_changes_nothing_reads_nothing(cafe: Desk) -> None:
    state = cafe.workspace.state
    assert cafe.workspace.refresh()
    assert cafe.workspace.state is state
    cafe.type(
        "models/orders.sql", "select id as order_id, total + 1 as amount, day from raw_orders\n"
    )
    cafe.workspace.refresh()
    assert cafe.workspace.state is not state
    edited = cafe.workspace.state
    cafe.workspace.refresh()
    assert cafe.workspace.state is edited
    cafe.folder.joinpath("models/more.sql").write_text("select day from {{ ref('orders') }}\n")
    cafe.workspace.refresh()
    assert "more" in {each.name for each in cafe.workspace.state.extraction.datasets}


def test_the_name_under_the_cursor_is_that_of_the_page(jaffle: Desk) -> None:
    found = jaffle.ask("name", "models/marts/customers.sql", "sum(amount)", "amount")
    assert found == {"name": "orders.amount", "kind": "column"}
    assert jaffle.ask("name", "models/marts/customers.sql", "group by") == {
        "name": "",
        "kind": "table",
    }


def test_unknown_names_and_files_have_no_answer(jaffle: Desk) -> None:
    asked = {"path": jaffle.path("models/nowhere.sql"), "position": {"line": 3, "character": 9}}
    assert answer(jaffle.workspace, "hover", asked) == {}
    assert answer(jaffle.workspace, "references", asked) == {"locations": []}
    with pytest.raises(Misasked, match="unknown question"):
        answer(jaffle.workspace, "nonsense", {})


def test_programs_are_asked_like_sql(tmp_path: Path) -> None:
    tmp_path.joinpath("job.py").write_text(
        "from pyspark.sql import functions as F\n"
        "df = spark.table('orders')\n"
        "df.groupBy('day').agg(F.sum('amount').alias('total')).write.saveAsTable('daily')\n"
    )
    tmp_path.joinpath("mart.sql").write_text("CREATE TABLE mart AS SELECT total FROM daily;\n")
    desk = Desk(tmp_path)
    hover = desk.ask("hover", "job.py", "'amount'", "amount")["contents"]["value"]
    assert "`orders.amount`" in hover
    assert desk.locations(desk.ask("definition", "mart.sql", "total")) == ["job.py:3"]
    renamed = desk.edits(desk.ask("rename", "mart.sql", "total", new_name="revenue"))
    assert renamed == ["job.py:3 revenue", "mart.sql:1 revenue as total"]
    assert Named(Dataset("", "daily"), "total").dataset.name == "daily"
    desk.close()


def test_a_spot_that_is_named_by_two_sources() -> None:
    """A half-written text can put a dataset and an unknown source at one spot."""
    text = "FROM mystery\n parcel, cursor,\nFROM shipments s\nRIGHT JOIN parcels p ON s.id = p.id\n"
    read = statements_in(Corpus("spark", [Script(text, "spark", "a.sql")]))
    found = [each.name for statement in read.statements for each in statement.mentions]
    assert found[:2] == ["mystery", "cursor"]


LOOP = """{% set methods = ['card', 'cash'] %}
select
    order_id,
    {% for method in methods -%}
    sum(case when method = '{{ method }}' then amount
        else 0 end) as {{ method }}_amount
    {%- if not loop.last %},{% endif %}
    {% endfor -%}
from {{ ref('payments') }}
group by order_id
"""


def test_a_word_of_a_loop_is_in_the_script_once_per_round(cafe: Desk) -> None:
    """It is one word of the file: hovers find it, and a rename edits it once."""
    files = {
        "models/payments.sql": "select id as order_id, kind as method, total as amount from raw\n",
        "models/by_method.sql": LOOP,
    }
    for name, text in files.items():
        cafe.folder.joinpath(name).write_text(text)
    hover = cafe.ask("hover", "models/by_method.sql", "then amount", "amount")["contents"]["value"]
    assert "`payments.amount`" in hover
    assert "by_method.cash_amount" in hover
    found = cafe.ask("rename", "models/payments.sql", "as amount", "amount", new_name="paid")
    assert cafe.edits(found) == ["models/by_method.sql:5 paid", "models/payments.sql:1 paid"]
    found = cafe.ask("rename", "models/payments.sql", "as method", "method", new_name="way")
    assert cafe.edits(found) == ["models/by_method.sql:5 way", "models/payments.sql:1 way"]


def test_an_edit_in_a_loop_is_made_in_every_round() -> None:
    file = "select\n{% for n in (1, 2) %} a{{ n }} + b as c{{ n }},\n{% endfor %} d from t\n"
    script = "select\n a1 + b as c1, a2 + b as c2,\n d from t\n"
    alignment = Alignment(file, script)
    assert alignment.patch(file.replace("+ b", "+ bb")) == script.replace("+ b", "+ bb")
    assert alignment.patch(file.replace("d from", "dd from")) == script.replace("d from", "dd from")
    second = script.index("b as c2")
    assert alignment.to_file(second, second + 1) == (file.index("b as"), file.index("b as") + 1)
    assert alignment.to_file(script.index("c2"), script.index("c2") + 2) is None


def test_a_loop_that_is_not_only_rounds_has_no_words() -> None:
    file = "select {% for n in names %}{{ n }}, a, {% endfor %} b from t\n"
    alignment = Alignment(file, "select x, c, y, a,  b from t\n")
    assert alignment.to_file(10, 11) is None


def test_columns_of_create_table_are_defined_there(tmp_path: Path) -> None:
    """INSERT fills them by position: its aliases name nothing, and a hover says what they fill."""
    files = {
        "ddl.sql": "CREATE TABLE raw (id INT, cents INT);\nCREATE TABLE mart (\n  day DATE,\n"
        "  total INT\n);\n",
        "fill.sql": "INSERT INTO mart SELECT now(), sum(cents) AS s FROM raw;\n",
        "read.sql": "CREATE VIEW v AS SELECT total FROM mart;\n",
    }
    for name, text in files.items():
        tmp_path.joinpath(name).write_text(text)
    desk = Desk(tmp_path)
    assert desk.locations(desk.ask("definition", "read.sql", "total")) == ["ddl.sql:4"]
    assert desk.locations(desk.ask("definition", "fill.sql", "cents")) == ["ddl.sql:1"]
    assert desk.locations(desk.ask("references", "ddl.sql", "cents INT", "cents")) == ["fill.sql:1"]
    hover = desk.ask("hover", "fill.sql", " s FROM", "s")["contents"]["value"]
    assert "`mart.total`" in hover
    found = desk.ask("rename", "read.sql", "total", new_name="revenue")
    assert desk.edits(found) == ["ddl.sql:4 revenue", "read.sql:1 revenue as total"]
    with pytest.raises(Misasked, match=r"is declared in ddl\.sql; what fills the table"):
        desk.ask("rename", "fill.sql", "cents", new_name="amount")
    desk.close()


def test_the_header_of_a_seed_and_columns_that_no_model_makes(jaffle: Desk) -> None:
    described = "seeds:\n  - name: raw_orders\n    columns:\n      - name: status\n"
    jaffle.folder.joinpath("seeds/seeds.yml").write_text(described)
    described = "models:\n  - name: visits_by_day\n    columns:\n      - name: gone\n        description: No more.\n"
    jaffle.folder.joinpath("models/gone.yml").write_text(described)
    references = jaffle.ask("references", "seeds/raw_orders.csv", "status")
    assert jaffle.locations(references) == ["models/staging/stg_orders.sql:7"]
    hover = jaffle.ask("hover", "models/gone.yml", "gone")["contents"]["value"]
    assert "No more." in hover
    definition = jaffle.ask("definition", "models/gone.yml", "gone")
    assert jaffle.locations(definition) == ["models/gone.yml:4"]
    nothing = jaffle.ask("references", "models/staging/stg_orders.sql", "select")
    assert nothing == {"locations": []}


def test_expressions_of_tests_name_columns(cafe: Desk) -> None:
    text = """models:
  - name: orders
    tests:
      - dbt_utils.expression_is_true:
          expression: "amount >= order_id"
"""
    cafe.folder.joinpath("models/orders.yml").write_text(text)
    definition = cafe.ask("definition", "models/orders.yml", "amount >=", "amount")
    assert cafe.locations(definition) == ["models/orders.sql:1"]
    found = cafe.ask("rename", "models/orders.sql", "as order_id", "order_id", new_name="key")
    assert cafe.edits(found)[:2] == ["models/orders.sql:1 key", "models/orders.yml:5 key"]


def test_a_rename_that_an_analysis_would_not_follow_is_refused(cafe: Desk) -> None:
    cafe.folder.joinpath("analyses").mkdir()
    query = "select sum(amount) from {{ ref('orders') }}\n"
    cafe.folder.joinpath("analyses/report.sql").write_text(query)
    with pytest.raises(Misasked, match=r"analyses/report\.sql names the column"):
        cafe.ask("rename", "models/orders.sql", "as amount", "amount", new_name="paid")
    assert cafe.ask("rename", "models/orders.sql", "as order_id", "order_id", new_name="key")


def test_the_header_of_a_sqlmesh_model_names_columns(tmp_path: Path) -> None:
    header = """MODEL (
  name shop.stg_orders,
  kind INCREMENTAL_BY_UNIQUE_KEY (unique_key order_id),
  description 'order_id is the key',
  audits (not_null(columns := (order_id)))
);
"""
    files = {
        "config.yaml": "model_defaults: {dialect: duckdb}\n",
        "models/stg_orders.sql": f"{header}SELECT id AS order_id, status FROM raw.orders\n",
        "models/orders.sql": "MODEL (name shop.orders);\nSELECT order_id FROM shop.stg_orders\n",
    }
    for name, text in files.items():
        tmp_path.joinpath(name).parent.mkdir(exist_ok=True)
        tmp_path.joinpath(name).write_text(text)
    desk = Desk(tmp_path)
    name = "models/stg_orders.sql"
    definition = desk.ask("definition", name, "columns := (order_id)", "order_id")
    assert desk.locations(definition) == ["models/stg_orders.sql:7"]
    found = desk.ask("rename", name, "AS order_id", "order_id", new_name="key")
    assert desk.edits(found) == [
        "models/orders.sql:2 key as order_id",
        "models/stg_orders.sql:3 key",
        "models/stg_orders.sql:5 key",
        "models/stg_orders.sql:7 key",
    ]
    desk.close()
