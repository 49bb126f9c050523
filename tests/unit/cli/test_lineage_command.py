from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result

import lineal
from lineal.cli import main

ROOT = Path(__file__).resolve().parents[3]
SHOP = str(ROOT / "examples" / "shop")
GOLDEN = ROOT / "tests" / "golden" / "cli"


def run(*arguments: str, text: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["lineage", *arguments], input=text)


def shop(*arguments: str) -> Result:
    return run(SHOP, *arguments)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        (
            "chain",
            ("-n", "int_customer_ranking", "--column", "customer_id", "--direction", "upstream"),
        ),
        ("table", ("-n", "dim_customers")),
        ("impact", ("--impact", "--column", "stg_products.active")),
        ("level_table", ("--level", "table", "-n", "rpt_customer_orders")),
        ("dot", ("+dim_customers.customer_id", "--output", "dot")),
        ("mermaid", ("+dim_customers.customer_id", "--output", "mermaid")),
    ],
)
def test_golden(name: str, arguments: tuple[str, ...]) -> None:
    result, file = shop(*arguments), GOLDEN / f"{name}.txt"
    assert result.exit_code == 0
    if os.environ.get("LINEAL_GOLDEN") == "write":
        GOLDEN.mkdir(parents=True, exist_ok=True)
        file.write_bytes(result.stdout_bytes)
    assert result.stdout_bytes == file.read_bytes()


def test_selectors_mean_the_same_as_the_flags() -> None:
    same = [
        (["+dim_customers.customer_id"], ["-n", "dim_customers", "--column", "customer_id"]),
        (["raw_orders.amount+"], ["--column", "raw_orders.amount", "--direction", "downstream"]),
        (
            ["+stg_orders.amount+"],
            ["-n", "stg_orders", "--column", "amount", "--direction", "both"],
        ),
        (["+dim_products"], ["-n", "dim_products", "--output", "chain"]),
    ]
    for selector, flags in same:
        assert shop(*selector).stdout == shop(*flags).stdout != ""
    assert (
        run("+dim_customers.customer_id", SHOP).stdout == shop("+dim_customers.customer_id").stdout
    )
    assert "3 nodes" in shop("2+dim_customers.customer_id").stdout


def test_the_default_path_is_the_current_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SHOP)
    assert "stg_customers" in run("-n", "dim_customers").stdout
    assert "CHAIN: dim_customers.email" in run("+dim_customers.email").stdout


def test_downstream_of_a_node() -> None:
    made = shop("-n", "stg_products", "--direction", "downstream").stdout
    assert "dim_products_extended" in made and "raw_products" not in made
    assert "raw_products" in shop("-n", "stg_products", "--direction", "both").stdout


def test_json_keeps_the_contract() -> None:
    schema = json.loads(
        (Path(lineal.__file__).parent / "views" / "lineage.schema.json").read_text()
    )
    for arguments in ((), ("-n", "fct_orders"), ("+fct_orders.amount+",), ("--level", "table")):
        jsonschema.Draft202012Validator(schema).validate(
            json.loads(shop("--output", "json", *arguments).stdout)
        )


def test_the_footer_is_on_standard_error() -> None:
    result = shop("-n", "dim_customers")
    assert " edges" in result.stderr and " edges, " not in result.stdout
    assert shop("--output", "json").stderr == ""
    assert run("-", text="SELECT 1 AS one").stderr == (
        "coverage 100 %: 1 file, 1 statement; 0 + 0 edges\n"
    )


def test_standard_input() -> None:
    result = run("-", "--output", "json", text="CREATE VIEW v AS SELECT a AS b FROM t")
    assert [edge["kind"] for edge in json.loads(result.stdout)["edges"]] == ["rename"]
    broken = run("-", text=b"SELECT 1;\nSELECT '\xff' AS a")
    assert broken.exit_code == 0
    assert "<input>:2:9: warning[not-utf8]: the text is not UTF-8 (byte 0xff)" in broken.stderr


def test_a_schema_file(tmp_path: Path) -> None:
    (tmp_path / "schema.yml").write_text("t: {a: int, b: int}")
    (tmp_path / "v.sql").write_text("CREATE VIEW v AS SELECT * FROM t")
    assert (
        run(str(tmp_path / "v.sql"), "--schema", str(tmp_path / "schema.yml")).stdout.count("copy")
        == 2
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-n", "dim_customer"), "unknown dataset dim_customer; did you mean dim_customers?"),
        (
            ("-n", "stg_orders", "--column", "amout"),
            "unknown column amout in stg_orders; did you mean amount?",
        ),
        (("+stg_orders.amout",), "unknown column amout in stg_orders; did you mean amount?"),
        (
            ("--column", "amount"),
            "raw_orders.amount, raw_payments.amount, stg_orders.amount, stg_payments.amount",
        ),
        (
            ("--column", "lifetime_valu"),
            "unknown column lifetime_valu; did you mean lifetime_value?",
        ),
        (("--column", "stg_orders"), "stg_orders names no column: write dataset.column"),
        (("--impact",), "--impact is that of one column: add --column NODE.COLUMN"),
        (("--impact", "+stg_orders"), "--impact is that of one column: stg_orders is a dataset"),
        (("--output", "chain"), "--output chain is that of a column"),
        (("--level", "table", "--output", "chain"), "--level table has no chain"),
        (("-n", "stg_orders", "+a.b"), "a selector says node, column and direction already"),
        (("another_path",), "no such file or folder: another_path"),
        (("+stg_orders", "+c.d"), "unknown dataset c"),
        (("--schema", "nowhere.yml"), "nowhere.yml"),
        (("--dialect", "sparc"), "spark"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(arguments: tuple[str, ...], said: str) -> None:
    result = shop(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ") and result.stderr.count("\n") == 1
    assert said in result.stderr


def test_a_missing_path_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    result = run(str(tmp_path / "model"))
    assert result.exit_code == 2
    assert (
        result.stderr
        == f"Error: no such file or folder: {tmp_path}/model; did you mean {tmp_path}/models?\n"
    )
    assert run("no\x1b[31mwhere").stderr == "Error: no such file or folder: no\\x1b[31mwhere\n"


def test_diagnostics_are_lines_on_standard_error_and_decide_the_exit_code(tmp_path: Path) -> None:
    file = tmp_path / "broken.sql"
    file.write_text("CREATE VIEW v AS SELECT a FROM t;\nCREATE VIEW w AS SELECT FROM WHERE;\n")
    result = run(str(file))
    assert result.exit_code == 1
    assert "t" in result.stdout  # the rest goes on
    lines = result.stderr.splitlines()
    assert lines[0].startswith(f"{file}:2:") and "error[parse-error]: " in lines[0]
    assert "1 error" in lines
    assert run(str(file), "--fail-on", "never").exit_code == 0
    as_json = run(str(file), "--output", "json")
    assert (
        as_json.exit_code == 1
        and json.loads(as_json.stdout)["diagnostics"][0]["code"] == "parse-error"
    )


def test_fail_on_asks_for_more(tmp_path: Path) -> None:
    file = tmp_path / "guess.sql"
    file.write_text("CREATE VIEW v AS SELECT x FROM a, b")
    result = run(str(file))
    assert result.exit_code == 0
    assert "warning[ambiguous-column]" in result.stderr and "1 warning\n" in result.stderr
    assert result.stdout.count("LOW ambiguous") == 2
    assert run(str(file), "--fail-on", "warning").exit_code == 1
    assert run(str(file), "--fail-on", "info").exit_code == 1


def test_colors_when_they_are_asked_for_and_never_in_a_pipe() -> None:
    assert "\x1b[" not in shop("-n", "dim_customers").stdout
    drawn = shop("-n", "dim_customers", "--color", "always").stdout
    assert "\x1b[" in drawn and "│" in drawn
    assert "\x1b[" in shop("+dim_customers.email", "--color", "always").stdout


def test_an_unexpected_failure_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the moon\nis full")

    monkeypatch.setattr("lineal.cli.answer_cache.answer_from_cache", fail)
    result = shop()
    assert result.exit_code == 70
    assert result.stderr.count("\n") == 1 and "RuntimeError: the moon\\nis full" in result.stderr
    monkeypatch.setenv("LINEAL_DEBUG", "1")
    assert isinstance(shop().exception, RuntimeError)


def python(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=environment, **options
    )  # type: ignore[call-overload,no-any-return]


def test_python_m_lineal_and_the_version() -> None:
    assert python("-m", "lineal", "--version").stdout == f"lineal {lineal.__version__}\n"
    assert python("-m", "lineal", "nonsense").returncode == 2


def test_a_closed_pipe_is_not_an_error() -> None:
    command = (
        f"'{sys.executable}' -m lineal lineage '{SHOP}' --output json | head -c 10 > {os.devnull}"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    result = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, env=environment
    )
    assert result.stderr == ""


def test_a_stream_that_knows_only_ascii_gets_escapes() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "ascii"}
    arguments = [sys.executable, "-m", "lineal", "lineage", SHOP, "+dim_customers.email"]
    result = subprocess.run(arguments, capture_output=True, text=True, env=environment)
    assert result.returncode == 0 and "\\u2502 copy \\u2192 description" in result.stdout


HEAVY = ("sqlglot", "rich", "yaml", "ruamel", "jinja2", "numpy", "click")


def test_import_lineal_brings_in_nothing_heavy() -> None:
    script = "import lineal, sys; print(sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = python("-c", script).stdout
    assert not [name for name in HEAVY if f"'{name}'" in loaded]


def test_help_brings_in_only_click() -> None:
    script = "import sys; from lineal.cli import main; main(['-h'], standalone_mode=False); print(list(sys.modules))"
    loaded = python("-c", script).stdout
    assert "Commands:" in loaded and "'click'" in loaded
    assert not [name for name in HEAVY if name != "click" and f"'{name}'" in loaded]


UNASKED = (
    "sqlglot.dialects.hive",
    "lineal.extract.sql.canonical",
    "lineal.extract.sql.procedural.pieces",
    "lineal.extract.pyspark",
    "jinja2",
)
"""Modules that a SELECT without a dialect does not need."""


def test_one_statement_loads_only_what_it_needs(tmp_path: Path) -> None:
    file = tmp_path / "one.sql"
    file.write_text("SELECT a + b AS c FROM t WHERE d", encoding="utf-8")
    listing = "import atexit, sys; atexit.register(lambda: print(list(sys.modules)))"
    call = f"from lineal.cli import main; main(['lineage', '--no-cache', {str(file)!r}])"
    loaded = python("-c", f"{listing}; {call}").stdout
    assert "'lineal.extract.sql.query'" in loaded
    assert not [name for name in UNASKED if f"'{name}'" in loaded]
