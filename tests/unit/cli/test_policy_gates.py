"""lineal-policy.yml: levels by reader, labels and contracts; seeded violations and clean commits."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lineal.cli import main

POLICY = """
consumers: {exposure: block, metric: block, test: review, model: review}
classifications:
  - label: pii
    not_into: [exposure, access:public, share_*]
contracts:
  - dataset: orders
    columns: [id, amount]
"""
SCHEMA = """
version: 2
sources:
  - name: raw
    tables:
      - name: customers
        columns: [{name: id}, {name: email, meta: {classification: pii}}, {name: city}]
      - name: orders
        columns: [{name: id}, {name: customer}, {name: amount}, {name: note}]
models:
  - name: customers
    columns: [{name: id, data_tests: [not_null]}]
  - name: orders
    columns: [{name: id}]
  - name: cities
    config: {access: public}
  - name: totals
    config: {contract: {enforced: true}}
    columns: [{name: customer, data_type: int}, {name: total, data_type: int}]
exposures:
  - name: dashboard
    type: dashboard
    owner: {name: Ann}
    depends_on: [ref('totals'), ref('cities')]
"""
MODELS = {
    "customers": "select id, email, city from {{ source('raw', 'customers') }}",
    "orders": "select id, customer, amount, note from {{ source('raw', 'orders') }}",
    "cities": "select city, count(*) as n from {{ ref('customers') }} group by city",
    "totals": "select customer, sum(amount) as total from {{ ref('orders') }} group by customer",
    "notes": "select id, note from {{ ref('orders') }}",
    "share_ids": "select id from {{ ref('customers') }}",
}


class Project:
    """A dbt project in a repository."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "-q", "-b", "main")
        self.write(
            "dbt_project.yml", "name: shop\nversion: '1'\nprofile: shop\nmodel-paths: [models]\n"
        )
        self.write("lineal-policy.yml", POLICY)
        self.write("models/schema.yml", SCHEMA)
        for name, query in MODELS.items():
            self.model(name, query)
        self.commit("start")

    def write(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def model(self, name: str, query: str) -> None:
        self.write(f"models/{name}.sql", query)

    def schema(self, before: str, after: str) -> None:
        assert before in SCHEMA
        self.write("models/schema.yml", SCHEMA.replace(before, after))

    def git(self, *arguments: str) -> None:
        who = ["-c", "user.name=ann", "-c", "user.email=ann@example.com"]
        subprocess.run(["git", *who, *arguments], cwd=self.folder, check=True, capture_output=True)

    def commit(self, subject: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", subject)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    yield Project(folder)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["diff", *arguments])


def judged(*arguments: str) -> dict[str, Any]:
    result = run("HEAD", "--output", "json", *arguments)
    assert result.exit_code in (0, 1), result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def kinds(found: dict[str, Any]) -> set[tuple[str, str, str]]:
    return {(each["dataset"], each["kind"], each["level"]) for each in found["findings"]}


VIOLATIONS = {
    "pii into a public model": (
        {"cities": "select city, max(email) as n from {{ ref('customers') }} group by city"},
        ("cities", "label-reached", "block"),
    ),
    "pii into an exposure, through two models": (
        {
            "orders": "select o.id, o.customer, o.amount, c.email as note from {{ source('raw', 'orders') }} o"
            " join {{ source('raw', 'customers') }} c on c.id = o.customer",
            "totals": "select customer, max(note) as total from {{ ref('orders') }} group by customer",
        },
        ("dashboard", "label-reached", "block"),
    ),
    "pii into a dataset by its name": (
        {"share_ids": "select id, lower(email) as mail from {{ ref('customers') }}"},
        ("share_ids", "label-reached", "block"),
    ),
    "a column of the policy's contract is gone": (
        {
            "orders": "select id, customer, note from {{ source('raw', 'orders') }}",
            "totals": "select customer, count(*) as total from {{ ref('orders') }} group by customer",
        },
        ("orders", "contract-broken", "block"),
    ),
    "a column of the policy's contract has another name": (
        {
            "orders": "select id, customer, amount as price, note from {{ source('raw', 'orders') }}",
            "totals": "select customer, sum(price) as total from {{ ref('orders') }} group by customer",
        },
        ("orders", "contract-broken", "block"),
    ),
    "another value before an exposure": (
        {"totals": "select customer, sum(amount) * 2 as total from {{ ref('orders') }} group by customer"},
        ("totals", "value-changed", "block"),
    ),
    "other rows before an exposure": (
        {"orders": MODELS["orders"] + " where amount > 0"},
        ("orders", "rows-changed", "block"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", VIOLATIONS)
def test_a_seeded_violation_is_found(project: Project, name: str) -> None:
    edits, expected = VIOLATIONS[name]
    for model, query in edits.items():
        project.model(model, query)
    found = judged()
    assert expected in kinds(found)
    assert found["verdict"] == "BLOCK"


def test_a_promised_column_keeps_the_type_that_its_statement_makes(project: Project) -> None:
    """YAML still says int; the statement makes a text."""
    total = "select customer, {} as total from {{{{ ref('orders') }}}} group by customer"
    project.model("totals", total.format("cast(sum(amount) as int)"))
    project.commit("count")
    project.model("totals", total.format("cast(sum(amount) as varchar)"))
    assert ("totals", "contract-broken", "block") in kinds(judged())


def test_a_mistake_in_the_policy_of_the_base_names_its_file(project: Project) -> None:
    project.write("lineal-policy.yml", "levls: {}\n")
    project.commit("slip")
    result = run("HEAD")
    assert result.exit_code == 2
    assert "lineal-policy.yml: a policy knows no levls; did you mean levels?" in result.stderr
    assert "/" not in result.stderr


def test_a_contract_of_the_project_counts_as_the_base_has_it(project: Project) -> None:
    """Column and contract are dropped in one commit."""
    project.model("totals", "select customer from {{ ref('orders') }} group by customer")
    project.schema(", {name: total, data_type: int}]", "]")
    assert ("totals", "contract-broken", "block") in kinds(judged())


def test_a_dataset_under_a_contract_is_gone(project: Project) -> None:
    (project.folder / "models" / "orders.sql").unlink()
    assert ("orders", "contract-broken", "block") in kinds(judged())


CLEAN = {
    "nothing": {},
    "another layout": {"cities": "select city,\n  count(1) as n\nfrom {{ ref('customers') }}\ngroup by 1"},
    "a CTE": {
        "totals": "with o as (select customer, amount from {{ ref('orders') }})"
        " select customer, sum(amount) as total from o group by customer"
    },
    "a new model without pii": {"fresh": "select city from {{ ref('cities') }}"},
    "masked pii in a public model": {
        "cities": "select city, count(*) as n, max(md5(email)) as h from {{ ref('customers') }} group by city"
    },
    "pii that only filters": {
        "share_ids": "select id from {{ ref('customers') }} where email is not null"
    },
    "pii where it may be": {"mails": "select id, email from {{ ref('customers') }}"},
    "a column outside of the contract": {
        "orders": "select id, customer, amount from {{ source('raw', 'orders') }}",
        "notes": "select id from {{ ref('orders') }}",
    },
}  # fmt: skip


@pytest.mark.parametrize("name", CLEAN)
def test_a_clean_change_breaks_no_rule(project: Project, name: str) -> None:
    for model, query in CLEAN[name].items():
        project.model(model, query)
    found = judged()
    rules = {each["kind"] for each in found["findings"]}
    assert not rules & {"label-reached", "contract-broken"}
    assert found["verdict"] != "BLOCK"


@pytest.mark.parametrize(
    "label", ["{name: email}", "{name: email, meta: {classification: public}}"]
)
def test_a_change_cannot_take_the_label_away_and_leak_the_column(
    project: Project, label: str
) -> None:
    project.schema("{name: email, meta: {classification: pii}}", label)
    assert "label-reached" not in {each["kind"] for each in judged()["findings"]}
    project.model("share_ids", "select id, email from {{ ref('customers') }}")
    assert ("share_ids", "label-reached", "block") in kinds(judged())


def test_existing_violations_are_not_findings(project: Project) -> None:
    project.model("share_ids", "select id, email from {{ ref('customers') }}")
    project.commit("leak")
    project.model("notes", "select id, upper(note) as note from {{ ref('orders') }}")
    assert kinds(judged()) == {("notes", "value-changed", "review")}


def test_levels_by_reader(project: Project) -> None:
    project.write("lineal-policy.yml", "consumers: {model: block}")
    project.commit("policy")
    project.model("notes", "select id, upper(note) as note from {{ ref('orders') }}")
    assert kinds(judged()) == {("notes", "value-changed", "review")}
    project.model("orders", MODELS["orders"].replace("note", "upper(note) as note"))
    assert ("orders", "value-changed", "block") in kinds(judged())


def test_a_test_is_a_reader(project: Project) -> None:
    project.write("lineal-policy.yml", "consumers: {test: block}")
    project.commit("policy")
    project.model(
        "customers", "select id + 1 as id, email, city from {{ source('raw', 'customers') }}"
    )
    assert ("customers", "value-changed", "block") in kinds(judged())


def test_the_policy_of_the_base_counts(project: Project) -> None:
    """A change cannot weaken the rule that it is checked against."""
    project.write("lineal-policy.yml", "levels: {label-reached: safe}")
    project.model("share_ids", "select id, email from {{ ref('customers') }}")
    assert ("share_ids", "label-reached", "block") in kinds(judged())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("consumer: {test: block}", "did you mean consumers?"),
        ("consumers: {tests: block}", "did you mean test?"),
        ("consumers: {test: maybe}", "write safe, review or block"),
        ("classifications: {label: pii}", "classifications is a list"),
        ("classifications: [{lable: pii, not_into: [x]}]", "did you mean label?"),
        ("classifications: [{label: pii}]", "has no not_into"),
        ("classifications: [{label: pii, not_into: exposure}]", "not_into is a list"),
        ("contracts: [{columns: [a]}]", "dataset is missing"),
        ("contracts: [{dataset: a, column: [a]}]", "did you mean columns?"),
        ("contracts: [orders]", "contracts is a mapping with dataset, columns, level"),
    ],
)
def test_a_policy_with_a_slip_is_an_error(project: Project, text: str, said: str) -> None:
    project.write("policy.yml", text)
    result = run("HEAD", "--policy", "policy.yml")
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_policy_is_tried_on_the_last_commits(project: Project) -> None:
    project.model("share_ids", "select id, email from {{ ref('customers') }}")
    project.commit("Share the mails")
    project.model("share_ids", MODELS["share_ids"])
    project.commit("Take it back")
    project.model("cities", CLEAN["another layout"]["cities"])
    project.commit("Lay it out")
    result = run("--backtest", "10", "--output", "json")
    assert result.exit_code == 0, result.output
    made = json.loads(result.stdout)
    told = [(each["subject"], each["verdict"]) for each in made["commits"]]
    assert told == [
        ("Lay it out", "SAFE"), ("Take it back", "REVIEW"), ("Share the mails", "BLOCK"), ("start", None),
    ]  # fmt: skip
    assert made["policy"] == "lineal-policy.yml"
    assert made["note"] == "the history has 4 commits of 10"
    shown = run("--backtest", "3").stdout
    assert "3 commits under lineal-policy.yml: 1 BLOCK, 1 REVIEW, 1 SAFE" in shown
    assert "label-reached share_ids" in shown


def test_another_policy_is_tried(project: Project) -> None:
    project.model("share_ids", "select id, email from {{ ref('customers') }}")
    project.commit("Share the mails")
    project.write("draft.yml", "levels: {value-changed: block}")
    result = run("--backtest", "1", "--policy", "draft.yml", "--output", "json")
    assert [each["verdict"] for each in json.loads(result.stdout)["commits"]] == ["SAFE"]


def test_a_shallow_clone_is_reported(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.model("notes", "select id from {{ ref('orders') }}")
    project.commit("Drop notes")
    clone = project.folder.parent / "clone"
    origin = f"file://{project.folder}"
    subprocess.run(["git", "clone", "-q", "--depth", "1", origin, str(clone)], check=True)
    monkeypatch.chdir(clone)
    result = run("--backtest", "5")
    assert result.exit_code == 0
    assert "git fetch --unshallow" in result.stdout
    result = run("HEAD~1")
    assert result.exit_code == 2
    assert "git fetch --unshallow" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["main", "--backtest", "3"], "takes no BASE"),
        (["--backtest", "3", "--output", "sarif"], "text or json"),
        (["--backtest", "3", "--policy", "none.yml"], "no such policy file: none.yml"),
        (["--backtest", "0"], "0 is not in the range"),
        (["no-such-branch"], "unknown revision no-such-branch"),
    ],
)
def test_mistakes_are_reported(project: Project, arguments: list[str], said: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_side_that_does_not_render_blocks(project: Project) -> None:
    project.model("cities", "select city, {% if %} from {{ ref('customers') }}")
    found = judged()
    assert found["verdict"] == "BLOCK"
    assert "errors-added" in {each["kind"] for each in found["findings"]}


def test_a_base_that_does_not_render_is_compared_as_far_as_it_goes(project: Project) -> None:
    project.model("cities", "select city, {% if %} from {{ ref('customers') }}")
    project.commit("broken")
    project.model("cities", MODELS["cities"])
    project.model("share_ids", "select id, email from {{ ref('customers') }}")
    assert ("share_ids", "label-reached", "block") in kinds(judged())
