"""Break the functions that read an input, one after the other, and print what does not hold.

    python tools/hunt_broken.py --seconds 300 --seed 7 --inputs dataform,embedded

Each input is a small folder with one model per kind of reading, and neighbors of plain SQL. First
the functions of lineal are noted that a run over the input calls. Then each of them raises an
error: at each call, and in another run only where its arguments tell of the input. Whatever
breaks, `lineal lineage` ends without a traceback, and not with the exit code 0 and a full
percentage, unless its output is the same. A function that fails over the input alone costs the
neighbors nothing, in whatever module it is. The exit code is 1 if anything is found.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import inspect
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple
from unittest.mock import patch

from click.testing import CliRunner

HERE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HERE / "src")]

import lineal  # noqa: E402
from lineal.cli import main as command  # noqa: E402

HOME = Path(lineal.__file__).parent
NEIGHBORS = {
    "plain/neighbor_view.sql": "CREATE VIEW neighbor_view AS SELECT a AS x, b FROM neighbor_source",
    "plain/neighbor_insert.sql": "INSERT INTO neighbor_insert SELECT c FROM neighbor_source",
}
MANIFEST = {
    "metadata": {
        "dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json",
        "adapter_type": "postgres",
        "project_name": "shop",
    },
    "nodes": {
        "model.shop.orders": {
            "unique_id": "model.shop.orders",
            "resource_type": "model",
            "name": "orders",
            "alias": "orders",
            "schema": "mart",
            "database": "db",
            "package_name": "shop",
            "path": "orders.sql",
            "original_file_path": "models/orders.sql",
            "raw_code": "select id, amount from raw.orders",
            "compiled_code": "select id, amount from raw.orders",
            "language": "sql",
            "columns": {"id": {"name": "id", "description": "the key"}},
            "config": {"materialized": "table", "enabled": True},
            "depends_on": {"nodes": [], "macros": []},
        }
    },
    "sources": {},
    "macros": {},
    "exposures": {},
    "metrics": {},
}
INPUTS: dict[str, dict[str, str]] = {
    "sql": {
        "sql/a.sql": "CREATE TABLE t (id INT, a INT);\nCREATE VIEW v AS SELECT * FROM t WHERE a > 1",
        "sql/b.sql": "INSERT INTO w SELECT sum(a) OVER (PARTITION BY id) AS s FROM v JOIN u USING (id)",
    },
    "dataform": {
        "flow/workflow_settings.yaml": "defaultProject: p\ndefaultDataset: d\n",
        "flow/definitions/a.sqlx": 'config { type: "table", description: "a" }\n'
        'js { const c = "id"; }\nSELECT ${c}, x FROM ${ref("raw")}',
        "flow/definitions/raw.sqlx": 'config { type: "declaration", schema: "s", name: "raw" }',
        "flow/definitions/b.js": 'publish("b", { type: "view" }).query(ctx => `SELECT x FROM ${ctx.ref("a")}`);',
        "flow/includes/constants.js": 'const y = 1;\nmodule.exports = { y };',
    },
    "sqlmesh": {
        "mesh/config.yaml": "model_defaults:\n  dialect: duckdb\n",
        "mesh/models/a.sql": "MODEL (name s.a, kind FULL);\n"
        "SELECT id, @DOUBLE(x) AS y FROM s.raw WHERE @IF(TRUE, x > 1)",
        "mesh/macros/m.py": "from sqlmesh import macro\n\n@macro()\ndef double(evaluator, x):\n    return f'{x} * 2'\n",
        "mesh/external_models.yaml": "- name: s.raw\n  columns:\n    id: int\n    x: int\n",
    },
    "embedded": {
        "dags/load.py": "from airflow import DAG\n"
        "from airflow.providers.postgres.operators.postgres import PostgresOperator\n"
        "import pandas as pd\n"
        'with DAG("load") as dag:\n'
        '    PostgresOperator(task_id="t", sql="INSERT INTO m SELECT a FROM {{ params.x }}", params={"x": "r"})\n'
        '    PostgresOperator(task_id="f", sql="sql/f.sql")\n'
        'def read(conn):\n    conn.execute("INSERT INTO n SELECT b FROM r")\n'
        '    return pd.read_sql("SELECT c FROM r", conn)\n',
        "dags/sql/f.sql": "INSERT INTO o SELECT d FROM r WHERE day = '{{ ds }}'",
    },
    "pyspark": {
        "jobs/job.py": "from pyspark.sql import SparkSession, functions as F\n"
        "spark = SparkSession.builder.getOrCreate()\n"
        'df = spark.table("r").filter("a > 1").groupBy("b").agg(F.sum("a").alias("s"))\n'
        'df.write.saveAsTable("g")\n',
    },
    "frames": {
        "jobs/pandas_job.py": "import pandas as pd\n"
        'df = pd.read_csv("a.csv")\ndf["x"] = df["a"].fillna(0) + 1\n'
        'df = df[df["b"] > 1].merge(pd.read_csv("b.csv"), on="k", how="left")\n'
        'df.groupby("k").agg({"x": "sum"}).reset_index().to_csv("c.csv")\n',
        "jobs/polars_job.py": "import polars as pl\n"
        'df = pl.read_csv("a.csv").filter(pl.col("a") > 1)\n'
        'df = df.with_columns(x=pl.col("b").str.to_uppercase()).join(pl.read_csv("b.csv"), on="k")\n'
        'df.group_by("k").agg(pl.col("x").sum()).write_csv("d.csv")\n',
        "jobs/snowpark_job.py": "from snowflake.snowpark import Session\n"
        "from snowflake.snowpark.functions import col, sum as sum_\n"
        "session = Session.builder.create()\n"
        'df = session.table("r").filter(col("a") > 1).group_by("b").agg(sum_("a").alias("s"))\n'
        'df.write.save_as_table("g")\n',
    },
    "manifest": {
        "shop/dbt_project.yml": "name: shop\nprofile: shop\n",
        "shop/models/orders.sql": "select id, amount from raw.orders",
        "shop/target/manifest.json": json.dumps(MANIFEST),
    },
    "dbt": {
        "shop/dbt_project.yml": "name: shop\nprofile: shop\n",
        "shop/models/orders.sql": "{{ config(materialized='table') }}\nselect id from {{ source('raw', 'orders') }}",
        "shop/models/mart.sql": "select id from {{ ref('orders') }} {% if is_incremental() %} where id > 1 {% endif %}",
        "shop/models/schema.yml": "version: 2\nsources:\n- name: raw\n  tables:\n  - name: orders\n",
    },
}  # fmt: skip
"""By name: the files of a folder, next to those of the neighbors."""

PACKAGES = (
    "resolve", "algebra", "extract/sql", "extract/pyspark", "extract/catalyst", "extract/dataframes",
    "projects/dataform", "projects/sqlmesh", "projects/dbt", "projects/embedded.py", "graph", "views",
)  # fmt: skip
"""Where the functions are that are broken; those that start a run and hold it together are not."""

EVERYWHERE = ("",)

HOLD = (
    "resolve/boundary.py", "resolve/definitions.py", "resolve/catalog.py", "graph/boundary.py", "graph/graph.py",
    "resolve/evaluator.py", "projects/dbt/options.py", "resolve/edges.py",
    "views/ledger.py", "views/terminal.py", "views/safe.py", "resolve/progress.py", "resolve/output.py",
)  # fmt: skip
"""Modules that put the parts of a run together: without them there is nothing to contain."""

BOUNDARIES = (
    "Gatherer.gather", "Gatherer.try_arrange", "Gatherer.add_script", "ScriptReader.prepare",
    "ScriptReader.fail_script", "Gatherer.attempt_all", "star_slot", "_any_column",
)  # fmt: skip
"""Functions that contain the failures of others, and what stands in for a failed statement."""

MARK = "poison"
"""What the paths and names of an input hold, and those of its neighbors do not."""

TELLING = (
    "text", "script", "reading", "file", "path", "target", "name", "dataset", "definition", "plan", "this", "folder",
    "entry", "source", "into", "place",
)  # fmt: skip
"""The attributes that tell what a value is about."""

CONTAINERS = ("Decision.", "attempt_project", "read_dbt", "start_of_", "find_launches")
"""Functions that contain the failures of the files of a tree, and the places that they report."""

OUTERMOST = (
    "cli", "service/inputs.py", "service/project.py", "incremental/extraction.py", "projects/__init__.py",
    "model/boundary.py", "model/ledger.py", "model/plain.py", "model/redaction.py", "model/sequences.py",
    "resolve/boundary.py",
)  # fmt: skip
"""Modules that hold the outermost boundaries, and helpers that those need themselves."""


class Outcome(NamedTuple):
    """How a run ended."""

    exit: int
    percent: float | None
    edges: frozenset[str]
    errors: int
    document: str


class Broken(Exception):
    """What a broken function raises."""


def write_input(folder: Path, files: dict[str, str]) -> Path:
    """Write the files of an input and of its neighbors."""
    marked = {f"{MARK}_{name}": text for name, text in files.items()}
    for name, text in {**marked, **NEIGHBORS}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def outcome_of(folder: Path) -> Outcome:
    """Run `lineal lineage` over a folder."""
    call = ["lineage", str(folder), "--output", "json", "--no-cache"]
    result = CliRunner().invoke(command, call)
    if result.exit_code not in (0, 1) or not result.stdout.strip():
        return Outcome(result.exit_code, None, frozenset(), 0, "")
    found = json.loads(result.stdout)
    edges = frozenset(
        f"{edge['source']} {edge['target']}" for edge in found["edges"] if "neighbor_" in str(edge)
    )
    errors = sum(each["code"] == "internal-error" for each in found["diagnostics"])
    kept = json.dumps([found["edges"], found["datasets"]], sort_keys=True)
    return Outcome(result.exit_code, found["coverage"]["percent"], edges, errors, kept)


def called_in(folder: Path, packages: tuple[str, ...]) -> list[CodeType]:
    """Return the functions that a run calls, of some packages."""
    found: dict[CodeType, None] = {}

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            found.setdefault(frame.f_code)

    sys.setprofile(note)
    try:
        outcome_of(folder)
    finally:
        sys.setprofile(None)
    return [code for code in found if is_inside(code, packages)]


def is_inside(code: CodeType, packages: tuple[str, ...]) -> bool:
    """Tell whether a function with a name is one of some packages."""
    path = Path(code.co_filename)
    if not path.is_relative_to(HOME) or "<" in code.co_qualname or "__" in code.co_name:
        return False
    return path.relative_to(HOME).as_posix().startswith(packages)


def can_be_broken(code: CodeType) -> bool:
    """Tell whether the run survives a function that fails at each call."""
    inner = Path(code.co_filename).relative_to(HOME).as_posix()
    return inner.startswith(PACKAGES) and inner not in HOLD and code.co_qualname not in BOUNDARIES


def can_be_poisoned(code: CodeType) -> bool:
    """Tell whether the run survives a function that fails over one input."""
    inner = Path(code.co_filename).relative_to(HOME).as_posix()
    return not inner.startswith(OUTERMOST) and not code.co_qualname.startswith(CONTAINERS)


def holder_of(code: CodeType) -> tuple[Any, str] | None:
    """Return where a function is found by its name: a module or a class."""
    inner = Path(code.co_filename).relative_to(HOME.parent).with_suffix("")
    module = importlib.import_module(".".join(part for part in inner.parts if part != "__init__"))
    *outer, name = code.co_qualname.split(".")
    holder: Any = module
    for part in outer:
        holder = getattr(holder, part, None)
    held = inspect.getattr_static(holder, name, None)
    function = inspect.unwrap(held) if callable(held) else None
    return (holder, name) if getattr(function, "__code__", None) is code else None


def fail(*arguments: Any, **named: Any) -> Any:
    """Stand in for a function that fails."""
    raise Broken("broken on purpose")


def tells_of_input(value: Any, depth: int = 5) -> bool:
    """Tell whether a value is about the input rather than about its neighbors."""
    if isinstance(value, (str, Path)):
        return MARK in str(value)

    if not depth or value is None or isinstance(value, (int, bytes)):
        return False

    if isinstance(value, (list, tuple)) and len(value) < 9:
        return any(tells_of_input(each, depth - 1) for each in value)

    held = getattr(value, "__dict__", {})
    inner = [
        held[name] if name in held else inspect.getattr_static(value, name, None)
        for name in TELLING
    ]
    return any(tells_of_input(each, depth - 1) for each in inner)


def poisoned(function: Any) -> Any:
    """Return a function that fails over the input, and works over its neighbors."""

    @functools.wraps(function)
    def fail_over_input(*arguments: Any, **named: Any) -> Any:
        if any(map(tells_of_input, (*arguments, *named.values()))):
            raise Broken("broken on purpose")

        return function(*arguments, **named)

    return fail_over_input


def problems(folder: Path, clean: Outcome, is_apart: bool) -> Iterator[str]:
    """Yield what does not hold in a run with a broken function; neighbors may need it themselves."""
    found = outcome_of(folder)
    if found.exit not in (0, 1):
        yield f"exit code {found.exit}"
    elif found.document == clean.document and found.exit == clean.exit:
        return
    elif found.exit == 0 and found.percent is not None and found.percent >= (clean.percent or 0):
        yield "another answer that looks complete"
    elif is_apart and not found.edges >= clean.edges:
        yield "a neighbor lost its edges"


def hunt_input(name: str, end: float, chance: random.Random) -> Iterator[str]:
    """Break the functions that read one input until a time, and yield what does not hold."""
    with tempfile.TemporaryDirectory() as place:
        common = {*called_in(write_input(Path(place), {}), EVERYWHERE)}
    with tempfile.TemporaryDirectory() as place:
        folder = write_input(Path(place), INPUTS[name])
        clean = outcome_of(folder)
        codes = called_in(folder, EVERYWHERE)
        chance.shuffle(codes)
        for code in codes:
            held = holder_of(code)
            if held is None or time.monotonic() > end:
                continue
            where = f"{name}: {code.co_filename}:{code.co_qualname}"
            if can_be_broken(code):
                with patch.object(*held, fail):
                    yield ""
                    for each in problems(folder, clean, code not in common):
                        yield f"{where}: {each}"
            if can_be_poisoned(code):
                with patch.object(*held, poisoned(inspect.getattr_static(*held))):
                    yield ""
                    for each in problems(folder, clean, True):
                        yield f"{where}: over the input: {each}"


def hunt(names: list[str], seconds: float, chance: random.Random) -> list[str]:
    """Break functions until the time is over, and return what was found."""
    end = time.monotonic() + seconds
    found: list[str] = []
    for number, name in enumerate(names):
        now = time.monotonic()
        share = (end - now) / (len(names) - number)
        found += hunt_input(name, now + share, chance)
    wrong = list(filter(None, found))
    print(f"{len(found) - len(wrong)} functions broken, {len(wrong)} findings")
    return wrong


def main() -> int:
    """Run the hunt, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--inputs", default=",".join(INPUTS))
    asked = parser.parse_args()
    wrong = hunt(asked.inputs.split(","), asked.seconds, random.Random(asked.seed))
    for each in wrong:
        print(each.replace(f"{HOME.parent}/", ""))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
