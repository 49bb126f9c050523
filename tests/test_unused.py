"""`lineal unused`: the patch applies, the rest builds on DuckDB with the same rows, and has the same lineage."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner, Result

from lineal.cli import main
from lineal.graph.graph import Graph
from lineal.incremental.extraction import extract
from lineal.projects import load

ROOT = Path(__file__).resolve().parents[1]

FILES = {
    "lineal.yml": "dialect: duckdb\nvalidate:\n  terminal: [mart_*]\n",
    "nodes/raw_orders/raw_orders.yml": "kind: seed\nname: raw_orders\n",
    "nodes/raw_orders/raw_orders.csv": "id,customer,amount,tip,status,day,note\n"
    "1,1,60,5,paid,2026-01-01,x\n2,1,70,0,open,2026-01-02,y\n3,2,20,1,paid,2026-01-03,z\n",
    "nodes/raw_customers/raw_customers.yml": "kind: seed\nname: raw_customers\n",
    "nodes/raw_customers/raw_customers.csv": "id,name,country,phone\n1,Ann,DE,11\n2,Bob,FR,22\n3,Cid,DE,33\n",
    "nodes/raw_old/raw_old.yml": "kind: seed\nname: raw_old\n",
    "nodes/raw_old/raw_old.csv": "id,what\n1,a\n",
    "nodes/stg_orders/stg_orders.sql": """\
with source as (
    select * from raw_orders
),
renamed as (
    select
        id as order_id,
        customer as customer_id,
        amount,
        tip,
        status,
        day, -- of the order
        note
    from source
)
select * from renamed
""",
    "nodes/stg_orders/stg_orders.yml": """\
kind: sql
name: stg_orders
columns:
  - name: order_id
    description: Number of the order
  - name: tip
    description: What was left on the table
  - name: day
""",
    "nodes/stg_customers/stg_customers.sql": "select id as customer_id, name, country, phone\nfrom raw_customers\n",
    "nodes/stg_customers/stg_customers.yml": "kind: sql\nname: stg_customers\ncolumns:\n  - name: phone\n",
    "nodes/int_sums/int_sums.sql": """\
select
    customer_id,
    sum(amount) as total,
    max(tip) as best_tip,
    count(*) as n
from stg_orders
group by customer_id
""",
    "nodes/int_sums/int_sums.yml": "kind: sql\nname: int_sums\n",
    "nodes/int_flags/int_flags.sql": "select distinct customer_id, status from stg_orders",
    "nodes/int_flags/int_flags.yml": "kind: sql\nname: int_flags\n",
    "nodes/int_people/int_people.sql": "select * from stg_customers",
    "nodes/int_people/int_people.yml": "kind: sql\nname: int_people\n",
    "nodes/int_both/int_both.sql": "select customer_id, 'order' as origin from stg_orders\n"
    "union all\nselect customer_id, 'person' as origin from stg_customers\n",
    "nodes/int_both/int_both.yml": "kind: sql\nname: int_both\n",
    "nodes/dead_stage/dead_stage.sql": "select order_id, note from stg_orders",
    "nodes/dead_stage/dead_stage.yml": "kind: sql\nname: dead_stage\n",
    "nodes/dead_mart/dead_mart.sql": "select count(*) as n from dead_stage",
    "nodes/dead_mart/dead_mart.yml": "kind: sql\nname: dead_mart\n",
    "nodes/mart_people/mart_people.sql": """\
select p.customer_id, p.name, p.country, s.total, count(b.customer_id) as seen
from int_people p
left join int_sums s on s.customer_id = p.customer_id
left join int_both b on b.customer_id = p.customer_id
where exists (select 1 from int_flags f where f.customer_id = p.customer_id)
group by p.customer_id, p.name, p.country, s.total
""",
    "nodes/mart_people/mart_people.yml": "kind: sql\nname: mart_people\n",
}
REMOVED = [
    "dead_mart", "dead_stage", "raw_old", "int_sums.best_tip", "int_sums.n", "int_people.phone",
    "stg_customers.phone", "stg_orders.order_id", "stg_orders.tip", "stg_orders.day", "stg_orders.note",
]  # fmt: skip
KEPT = {
    "int_flags.status": "SELECT DISTINCT compares it",
    "int_both.origin": "UNION matches columns by position",
}
ORDER = (
    "stg_orders",
    "stg_customers",
    "int_sums",
    "int_flags",
    "int_people",
    "int_both",
    "mart_people",
)


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def read(folder: Path) -> Graph:
    return Graph(extract(load(folder)))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["unused", *map(str, arguments)])


def verdicts(*arguments: object) -> dict[str, tuple[str, str]]:
    done = run(*arguments, "--output", "json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["unused"]
    return {each["name"]: (each["status"], each["reason"] or "") for each in found}


def apply_patch(folder: Path, *arguments: object, monkeypatch: pytest.MonkeyPatch) -> str:
    """Apply the patch as a user would: from the folder itself, by git."""
    monkeypatch.chdir(folder)
    done = run(".", "--patch", *arguments)
    assert done.exit_code == 0, done.output
    applied = subprocess.run(
        ["git", "apply", "-"], input=done.stdout, text=True, capture_output=True, check=False
    )
    assert not applied.returncode, applied.stderr
    return done.stdout


def build(folder: Path) -> dict[str, tuple[list[str], list[tuple[object, ...]]]]:
    """Build the nodes of the project on DuckDB; return columns and rows."""
    database = duckdb.connect()
    for file in sorted(folder.glob("nodes/*/*.csv")):
        database.execute(f"create table {file.stem} as select * from read_csv('{file}')")
    for name in ORDER:
        text = (folder / "nodes" / name / f"{name}.sql").read_text()
        database.execute(f"create table {name} as {text}")
    found = {}
    for name in ORDER:
        rows = database.execute(f"select * from {name} order by all")
        found[name] = [each[0] for each in rows.description or ()], rows.fetchall()
    return found


def edges_into(folder: Path, dataset: str) -> set[tuple[str, str, str]]:
    graph = read(folder)
    return {
        (str(edge.source), str(edge.target), edge.kind)
        for edge in graph.edges
        if edge.into.name == dataset
    }


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return write(tmp_path, FILES)


def test_the_list_names_removals_and_why_the_rest_stays(shop: Path) -> None:
    found = verdicts(shop)
    assert sorted(name for name, each in found.items() if each[0] == "removed") == sorted(REMOVED)
    kept = {name: each[1] for name, each in found.items() if each[0] == "kept"}
    assert set(kept) == set(KEPT)
    assert all(KEPT[name] in kept[name] for name in KEPT)


def test_readers_come_first(shop: Path) -> None:
    names = list(verdicts(shop))
    assert names.index("dead_mart") < names.index("dead_stage") < names.index("stg_orders.note")
    assert names.index("int_sums.best_tip") < names.index("stg_orders.tip")


def test_the_rest_builds_with_the_same_rows_and_lineage(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, lineage = build(shop), edges_into(shop, "mart_people")
    apply_patch(shop, monkeypatch=monkeypatch)
    after = build(shop)
    assert after["mart_people"] == before["mart_people"]
    gone = {name for name in REMOVED if "." in name}
    for name, (columns, rows) in after.items():
        old_columns, old_rows = before[name]
        assert columns == [each for each in old_columns if f"{name}.{each}" not in gone]
        places = [old_columns.index(each) for each in columns]
        assert Counter(rows) == Counter(tuple(row[at] for at in places) for row in old_rows)
    assert edges_into(shop, "mart_people") == lineage
    assert not (shop / "nodes/dead_mart/dead_mart.sql").exists()
    assert not (shop / "nodes/raw_old/raw_old.csv").exists()
    assert (shop / "nodes/stg_orders/stg_orders.yml").read_text() == "kind: sql\nname: stg_orders\n"
    assert set(verdicts(shop)) == set(KEPT)


def test_outputs_can_be_named(shop: Path) -> None:
    found = verdicts(shop, "--keep", "dead_mart", "--keep", "int_s*")
    assert "dead_mart" not in found and "dead_stage" not in found
    assert "int_sums.n" not in found and "stg_orders.tip" not in found
    assert "stg_orders.note" in found
    unknown = run(shop, "--keep", "dead_mrat")
    assert unknown.exit_code == 2 and "did you mean dead_mart?" in unknown.stderr
    assert run(shop, "--keep", "zz*").exit_code == 2


def test_without_a_declaration_the_last_datasets_are_outputs(shop: Path) -> None:
    (shop / "lineal.yml").write_text("dialect: duckdb\n")
    done = run(shop)
    assert done.exit_code == 0
    assert "Outputs: dead_mart, mart_people, because nothing reads them." in done.stdout
    assert "dead_stage" not in [row.split()[1] for row in done.stdout.splitlines()[5:] if row]


def test_a_file_that_cannot_be_read_keeps_what_it_names(shop: Path) -> None:
    (shop / "nodes/broken").mkdir()
    (shop / "nodes/broken/broken.sql").write_text("select tip frm stg_orders where ((")
    (shop / "nodes/broken/broken.yml").write_text("kind: sql\nname: broken\n")
    status, reason = verdicts(shop)["stg_orders.tip"]
    assert status == "kept" and "could not be read completely" in reason


def test_a_script_loses_the_statement_and_keeps_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        "create table stage as select id, tip, note from raw;\n\n"
        "-- nobody reads this\ncreate table dead as select note from stage;\n\n"
        "insert into filled select id, tip from stage;\n"
    )
    write(tmp_path, {"all.sql": text})
    patch = apply_patch(tmp_path, "--keep", "filled", monkeypatch=monkeypatch)
    assert "-create table dead as select note from stage;" in patch
    left = (tmp_path / "all.sql").read_text()
    assert "create table stage as select id, tip from raw;" in left and "insert into" in left


DBT = {
    "dbt_project.yml": "name: cafe\nprofile: cafe\nversion: '1'\n",
    "profiles.yml": "cafe: {target: d, outputs: {d: {type: duckdb, path: cafe.duckdb}}}\n",
    "seeds/raw.csv": "id,amount,tip,kind\n1,5,1,a\n",
    "models/stg.sql": "select id, amount, tip, kind, 1 as extra, 2 as checked, 3 as promised from {{ ref('raw') }}",
    "models/mart.sql": "select id, amount from {{ ref('stg') }}",
    "models/old.sql": "select id, kind from {{ ref('stg') }}",
    "models/promise.sql": "select id, promised from {{ ref('stg') }}",
    "models/all.yml": """\
models:
  - name: stg
    columns:
      - name: id
        data_tests: [not_null]
      - name: tip
        data_tests: [not_null]
      - name: extra
  - name: old
    columns:
      - name: id
        data_tests: [unique]
  - name: promise
    config: {contract: {enforced: true}}
    columns:
      - {name: id, data_type: int}
      - {name: promised, data_type: int}
exposures:
  - name: board
    type: dashboard
    owner: {name: o, email: o@example.org}
    depends_on: [ref('mart')]
""",
    "tests/all_checked.sql": "select checked from {{ ref('stg') }} where checked < 0",
}


def test_a_dead_part_of_a_query_keeps_its_column_and_files_elsewhere_keep_nothing(
    tmp_path: Path,
) -> None:
    """`items` feeds a CTE's column that nothing reads: the text names it, no value comes of it."""
    files = {
        "dbt_project.yml": "name: shop\nversion: '1'\nprofile: shop\nmodel-paths: [models]\n",
        "queries/old.sql": "select 1 as one\n",
        "models/stg.sql": "select id, day, items, tip, note\nfrom raw\n",
        "models/mart.sql": "with orders as (select * from {{ ref('stg') }}),\n"
        "daily as (select day, sum(id) as n, sum(items) as i from orders group by day)\n"
        "select day, n from daily\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    done = CliRunner().invoke(main, ["unused", str(tmp_path), "--patch"])
    assert done.exit_code == 0, done.output
    assert "+select id, day, items\n" in done.stdout


def test_tests_are_consumers_unless_they_are_ignored(tmp_path: Path) -> None:
    write(tmp_path, DBT)
    found = verdicts(tmp_path)
    only_tested = ("kept", "only tests read it")
    assert found["stg.extra"] == ("removed", "")
    assert {name for name, each in found.items() if each == only_tested} == {
        "old", "stg.tip", "stg.checked",
    }  # fmt: skip
    assert "stg.promised" not in found, "a contract is a promise"


def test_ignored_tests_go_with_their_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, DBT)
    found = verdicts(tmp_path, "--ignore-tests")
    assert found["old"][0] == found["stg.tip"][0] == found["stg.kind"][0] == "removed"
    assert found["stg.checked"] == ("kept", "test:all_checked reads it and stays")
    apply_patch(tmp_path, "--ignore-tests", monkeypatch=monkeypatch)
    assert (tmp_path / "models/stg.sql").read_text() == (
        "select id, amount, 2 as checked, 3 as promised from {{ ref('raw') }}"
    )
    assert "old" not in (tmp_path / "models/all.yml").read_text()
    assert not read(tmp_path).extraction.diagnostics


def test_an_entry_that_two_models_share_keeps_its_column(tmp_path: Path) -> None:
    shared = "models:\n  - name: one\n    columns: &both\n      - name: id\n      - name: extra\n"
    write(
        tmp_path,
        {
            "dbt_project.yml": "name: p\nprofile: p\n",
            "models/one.sql": "select id, extra from raw.orders",
            "models/two.sql": "select id, extra from raw.orders",
            "models/last.sql": "select one.id from {{ ref('one') }} one join {{ ref('two') }} two on one.id = two.id",
            "models/all.yml": shared + "  - name: two\n    columns: *both\n",
        },
    )
    found = verdicts(tmp_path)
    assert found["one.extra"][0] == "kept"
    assert found["one.extra"][1].startswith("its YAML entry cannot be removed")


SAMPLES = (
    "examples/shop",
    "examples/jaffle",
    "examples/sales",
    "examples/bakery",
    "tests/data/cafe",
    "tests/data/bakery",
)


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_samples_keep_their_lineage(
    sample: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stays has the edges that it had, apart from those of removed columns."""
    folder = shutil.copytree(
        ROOT / sample, tmp_path / "copy", ignore=shutil.ignore_patterns("target", "logs")
    )
    before = read(folder)
    found = verdicts(folder)
    gone = {name for name, each in found.items() if each[0] == "removed"}
    if not gone:
        return
    apply_patch(folder, monkeypatch=monkeypatch)
    after = read(folder)
    wanted = {fact for fact in facts(before) if not gone & {fact[1], fact[1].rpartition(".")[0]}}
    assert facts(after) == wanted
    assert len(after.extraction.diagnostics) == len(before.extraction.diagnostics)


def facts(graph: Graph) -> set[tuple[str, str, tuple[str, ...]]]:
    return {
        (str(edge.source), str(edge.target), tuple(sorted(usage.how.name for usage in edge.usages)))
        for edge in graph.edges
    }
