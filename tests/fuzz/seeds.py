"""The texts that mutants are made of: every case, job, program, log, project and example of this
repository.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import lineal
from casefile import Case, all_cases
from lineal.store import saved
from lineal.views.openlineage import Emission
from lineal.views.openlineage import view as events_of
from lineal.views.report import report_of_all
from unit.cli.test_policy_gates import POLICY
from unit.projects import test_dataform, test_embedded_sql, test_sqlmesh

HERE = Path(__file__).parents[1]
REPOSITORY = HERE.parent
DBT = (REPOSITORY / "examples/jaffle", HERE / "data/bakery")
SHOP = REPOSITORY / "examples/shop"
BAKERY = REPOSITORY / "examples/bakery"
SQLMESH, DATAFORM, CAFE = BAKERY / "sqlmesh", BAKERY / "dataform", HERE / "data/cafe"


@dataclass(frozen=True)
class Seed:
    """A text that lineal reads, where it belongs in a project, and the dialect that it is in."""

    name: str
    text: str
    dialect: str = ""
    project: Path | None = None
    """the project that it is a file of"""

    def __repr__(self) -> str:
        return f"Seed({self.name!r})"


def texts_below(folder: Path, *suffixes: str) -> list[Path]:
    """The files below a folder that end like this, sorted."""
    return sorted(path for path in folder.rglob("*") if path.name.endswith(suffixes))


def seed_of(path: Path, dialect: str = "", project: Path | None = None) -> Seed:
    name = str(path.relative_to(project or REPOSITORY))
    return Seed(name, path.read_text(encoding="utf-8"), dialect, project)


@cache
def cases() -> tuple[Case, ...]:
    """Small cases first, so that a finding shrinks to one of them."""
    return tuple(sorted(all_cases(), key=lambda case: (len(case.sql), case.name)))


def sql() -> list[Seed]:
    """The statements of every case in its dialect, and the SQL files of the examples."""
    files = [
        *texts_below(REPOSITORY / "examples/sales", ".sql"),
        *texts_below(REPOSITORY / "examples/sales-changed", ".sql"),
    ]
    return [*(Seed(case.name, case.sql, case.dialect) for case in cases()), *map(seed_of, files)]


HEADER = """from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.functions import col

spark = SparkSession.builder.getOrCreate()
"""


def pyspark() -> list[Seed]:
    """The DataFrame programs of the cases, the jobs, the programs and the models of the projects."""
    small = [
        Seed(f"{case.name}.py", f"{HEADER}{case.pyspark}", "python")
        for case in cases()
        if case.pyspark
    ]
    folders = (HERE / "jobs", HERE / "programs", SHOP, *DBT)
    return [*small, *(seed_of(path) for folder in folders for path in texts_below(folder, ".py"))]


def notebooks() -> list[Seed]:
    """Notebooks with cells of Python, of SQL behind a magic, and of text."""
    programs = [seed.text for seed in pyspark()[:120]]
    statements = [case.sql for case in cases()[:120]]
    made = []
    for number, (program, statement) in enumerate(zip(programs, statements, strict=True)):
        cells = [
            {"cell_type": "markdown", "metadata": {}, "source": ["# title\n", "text"]},
            code_cell(program),
            code_cell(f"%%sql\n{statement}"),
            code_cell(f"%sql\n{statement}"),
            code_cell(f"df = spark.sql('''{statement}''')\ndf.write.saveAsTable('made_{number}')"),
        ]
        metadata = {"language_info": {"name": "python"}}
        book = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
        made.append(Seed(f"notebook {number}", json.dumps(book), "python"))
    return made


def code_cell(text: str) -> dict[str, object]:
    return {
        "cell_type": "code",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
        "source": text.splitlines(keepends=True),
    }


ROWS = 3


def log_rows() -> list[tuple[str, list[dict[str, str]]]]:
    """Rows of query logs: the statements of some cases, with who ran them and when."""
    made = []
    for first in range(0, 240, ROWS):
        rows = [
            {
                "query_id": str(number),
                "query_text": case.sql,
                "user_name": f"user{number % 5}",
                "start_time": f"2024-01-{number % 28 + 1:02} 10:00:00",
                "database_name": "db",
            }
            for number, case in enumerate(cases()[first : first + ROWS], first)
        ]
        made.append((f"log {first}", rows))
    return made


def csv_logs() -> list[Seed]:
    made = [seed_of(path) for path in texts_below(HERE / "data/logs", ".csv")]
    for name, rows in log_rows():
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
        made.append(Seed(name, text.getvalue()))
    return made


def json_logs() -> list[Seed]:
    return [Seed(name, json.dumps(rows, indent=1)) for name, rows in log_rows()]


def jsonl_logs() -> list[Seed]:
    """Rows, one each: whatever happens to a row, its neighbours keep their results."""
    files = [*texts_below(HERE / "data/logs", ".jsonl"), REPOSITORY / "examples/logs/queries.jsonl"]
    lines = [
        Seed(f"{path.name}:{number}", line)
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    ]
    return [
        *lines,
        *(
            Seed(f"{name}:{number}", json.dumps(row))
            for name, rows in log_rows()
            for number, row in enumerate(rows)
        ),
    ]


def lineal_projects() -> list[Seed]:
    return [seed_of(path, "", SHOP) for path in texts_below(SHOP, ".yml", ".sql")]


def dbt_projects() -> list[Seed]:
    return [
        seed_of(path, "", project)
        for project in DBT
        for path in texts_below(project, ".yml", ".sql", ".csv")
        if path.name != "profiles.yml"
    ]


def schemas() -> list[Seed]:
    """Schema files, in YAML and in JSON."""
    files = [REPOSITORY / "examples/sales/schema.yml", *texts_below(SHOP, ".yml")]
    tables = {"nb_source": {"a": "int", "b": "struct<x:int,y:array<string>>", "c": "decimal(10,2)"}}
    columns = {"tables": [{"name": "nb_source", "columns": [{"name": "a", "type": "int"}]}]}
    return [
        *(Seed("schema", json.dumps(made)) for made in (tables, columns)),
        *map(seed_of, files),
    ]


def manifests() -> list[Seed]:
    """The manifest of the sample project, whole and with one model at a time."""
    path = HERE / "data/jaffle/manifest.json"
    whole = json.loads(path.read_text(encoding="utf-8"))
    made = []
    for name, node in whole["nodes"].items():
        part = {**whole, "nodes": {name: node}, "macros": {}, "docs": {}}
        made.append(Seed(f"manifest of {name}", json.dumps(part)))
    return [*sorted(made, key=lambda seed: len(seed.text)), Seed("manifest", json.dumps(whole))]


@cache
def sample() -> lineal.Lineage:
    return lineal.lineage(SHOP)


def events() -> list[Seed]:
    """OpenLineage events, one each."""
    report = report_of_all(sample().graph)
    lines = events_of(report, Emission("2024-01-01T00:00:00Z")).splitlines()
    return [Seed(f"event {number}", line) for number, line in enumerate(lines)]


def saved_lineages() -> list[Seed]:
    """Lineage as lineal saves it, and as LineageX writes it."""
    found = [
        lineal.lineage("CREATE VIEW v AS SELECT a, b + 1 AS c FROM t WHERE d > 1"),
        lineal.lineage(REPOSITORY / "examples/sales"),
        sample(),
    ]
    texts = [
        *(saved.write_text(each.extraction) for each in found),
        *(each.to("lineagex") for each in found),
    ]
    return [Seed(f"saved {number}", text) for number, text in enumerate(texts)]


def dataframes() -> list[Seed]:
    """Programs over pandas, Polars, Snowpark and the libraries that train models."""
    folders = [HERE / "pandas_jobs", *(HERE / "dataframes" / name for name in FRONT_ENDS)]
    return [
        replace(seed_of(path), dialect="python")
        for folder in folders
        for path in texts_below(folder, ".py")
    ]


FRONT_ENDS = ("expected", "models", "polars", "snowpark")


def embedded() -> list[Seed]:
    """SQL that Python hands to a database: tasks of Airflow, cursors, clients."""
    texts = {
        **{name: test_embedded_sql.HEAD + text for name, (text, *_) in AIRFLOW.items()},
        **{name: text for name, (text, _) in test_embedded_sql.CLIENTS.items()},
    }
    made = [Seed(name, text, "python") for name, text in texts.items()]
    return [*made, *map(seed_of, texts_below(BAKERY / "dags", ".py"))]


AIRFLOW = test_embedded_sql.AIRFLOW


def sqlmesh_projects() -> list[Seed]:
    """Every file of the sample project, and models with each macro."""
    made = [
        Seed("models/mutant.sql", f"MODEL (name s.x);\n{text}", "", SQLMESH)
        for text, _ in test_sqlmesh.MACROS.values()
    ]
    files = texts_below(SQLMESH, ".sql", ".yaml", ".py", ".csv")
    return [*made, *(seed_of(path, "", SQLMESH) for path in files)]


def dataform_projects() -> list[Seed]:
    """Every file of the sample project, and actions with each construct."""
    made = [
        Seed("definitions/mutant.sqlx", text, "", DATAFORM)
        for text, _ in test_dataform.TEXTS.values()
    ]
    files = texts_below(DATAFORM, ".sqlx", ".yaml", ".js")
    return [*made, *(seed_of(path, "", DATAFORM) for path in files)]


def consumers() -> list[Seed]:
    """Exposures, semantic models, metrics, tests: the YAML of dbt that reads columns."""
    return [
        seed_of(path, "", project)
        for project in (CAFE, *DBT)
        for path in texts_below(project / "models", ".yml")
    ]


def policies() -> list[Seed]:
    """Policies for `lineal diff`: each key alone, and several together."""
    texts = (
        "levels:\n  rows-changed: block\n  column-removed: safe\n",
        "ignore: [tmp_*, 'sandbox.*', '*a*b*c']\n",
        "consumers:\n  exposure: block\n  test: review\n",
        "classifications:\n  - {label: pii, not_into: ['nb_*'], level: review}\n",
        "contracts:\n  - dataset: nb_*\n    columns: [x, y]\n    level: safe\n",
        POLICY,
    )
    return [Seed(f"policy {number}", text) for number, text in enumerate(texts)]


def drafts() -> list[Seed]:
    """Texts that an editor has open: SQL, and the templates of a project."""
    return [*sql()[::4], *(seed_of(path) for path in texts_below(DBT[0] / "models", ".sql"))]


def with_unused() -> list[Seed]:
    """Files from which `lineal unused` removes columns: of a folder, and of a project."""
    return [*sql()[::3], *lineal_projects()]


FORMATS = {
    "sql": sql,
    "pyspark": pyspark,
    "notebook": notebooks,
    "log-csv": csv_logs,
    "log-json": json_logs,
    "log-jsonl": jsonl_logs,
    "lineal-project": lineal_projects,
    "dbt-project": dbt_projects,
    "schema": schemas,
    "manifest": manifests,
    "event": events,
    "saved": saved_lineages,
    "dataframes": dataframes,
    "embedded": embedded,
    "sqlmesh": sqlmesh_projects,
    "dataform": dataform_projects,
    "consumers": consumers,
    "policy": policies,
    "draft": drafts,
    "unused": with_unused,
}
"""Every format that lineal reads, and its seeds."""


@cache
def seeds(format: str) -> tuple[Seed, ...]:
    return tuple(FORMATS[format]())
