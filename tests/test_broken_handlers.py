"""Every handler of the tables, broken in turn: an internal-error, a lower percentage, and no other
statement loses.

Which statement reaches which handler is found out by running the cases once; the shortest case that
does is taken.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from casefile import Case, all_cases
from jobbook import JOBS
from jobbook import schema as job_schema
from lineal.cli import main
from lineal.incremental.extraction import extract
from lineal.model.boundary import internal_errors
from lineal.model.edge import Dataset
from lineal.model.extraction import Extraction
from lineal.model.ledger import Coverage
from lineal.model.script import Corpus, Script

pytestmark = pytest.mark.poisoned

PANDAS_JOBS = Path(__file__).parent / "pandas_jobs"
FRAME_PROGRAMS = Path(__file__).parent / "dataframes" / "expected"

SQL = {
    "expressions": ("expressions", "HANDLERS"),
    "roles of functions": ("expressions", "ROLES"),
    "queries": ("query", "QUERIES"),
    "relations": ("relations", "RELATIONS"),
    "tables in FROM": ("relations", "OTHER_TABLES"),
    "paths": ("paths", "PATHS"),
    "called paths": ("paths", "CALLED"),
    "names of expressions": ("naming", "NAMES"),
    "statements": ("statements.families", "PLANNERS"),
    "procedures": ("procedural.simple", "HANDLERS"),
    "blocks": ("procedural.blocks", "STEPS"),
    "T-SQL": ("procedural.tsql", "STEPS"),
    "simple T-SQL": ("procedural.tsql_statements", "SIMPLE"),
    "types of expressions": ("types.expressions", "HANDLERS"),
    "types by rule": ("types.rules", "HANDLERS"),
    "types of queries": ("types.queries", "QUERIES"),
    "types of relations": ("types.queries", "RELATIONS"),
    "places": ("reading", "FRONTS"),
    "canonical forms": ("canonical", "HANDLERS"),
}
PYSPARK = {
    "Python statements": ("statements", "STATEMENTS"),
    "Python expressions": ("dispatch", "EXPRESSIONS"),
    "DataFrame methods": ("dispatch", "FRAME_METHODS"),
    "Column methods": ("columns.methods", "METHODS"),
    "session": ("session", "SESSION"),
    "writes": ("dispatch", "BUILDERS"),
    "built-in functions": ("dispatch", "BUILTINS"),
}
FRAMES = {
    "pandas frames": ("pandas.frames", "FRAME"),
    "pandas frames themselves": ("pandas.frames", "SPECIAL"),
    "parts of pandas frames": ("pandas.frames", "PARTS"),
    "parts of pandas series": ("pandas.frames", "SERIES_PARTS"),
    "pandas series": ("pandas.series", "SERIES"),
    "pandas groups": ("pandas.groups", "GROUPED"),
    "pandas functions": ("pandas.library", "PANDAS"),
    "NumPy functions": ("pandas.library", "NUMPY"),
    "names that only data has": ("pandas.unknown_names", "METHODS"),
    "Polars frames": ("polars.frames", "FRAME_METHODS"),
    "Polars groups": ("polars.groups", "GROUP_METHODS"),
    "Polars expressions": ("polars.methods", "METHODS"),
    "Polars namespaces": ("polars.namespaces", "SPECIAL"),
    "Snowpark frames": ("snowpark.frames", "FRAME_METHODS"),
    "Snowpark groups": ("snowpark.frames", "GROUPED"),
    "Snowpark sessions": ("snowpark.session", "SESSION_METHODS"),
    "DuckDB relations": ("duckdb", "RELATIONS"),
    "estimators": ("training", "ESTIMATOR_METHODS"),
}
ROOMS = {
    **{name: ("sql", *place) for name, place in SQL.items()},
    **{name: ("pyspark", *place) for name, place in PYSPARK.items()},
    **{name: ("dataframes", *place) for name, place in FRAMES.items()},
}
FEWEST = {
    "expressions": 48, "roles of functions": 10, "queries": 12, "relations": 11, "statements": 21, "blocks": 17,
    "Python statements": 8, "Python expressions": 15, "DataFrame methods": 40,
    "pandas frames": 30, "pandas series": 20, "Polars expressions": 12, "Polars frames": 15, "Snowpark frames": 12,
}  # fmt: skip
"""How many handlers of a table the cases reach, at the least: a test of nothing must not pass."""

NEIGHBORS = (
    "CREATE VIEW neighbor_view AS SELECT a AS x, b FROM neighbor_source",
    "CREATE TABLE neighbor_table (a INT, b INT)",
    "INSERT INTO neighbor_insert SELECT c FROM neighbor_source",
    "UPDATE neighbor_update SET a = b",
    "DELETE FROM neighbor_delete WHERE a > 1",
    "SELECT count(*) AS n FROM neighbor_source",
)

Key = tuple[str, Any]
Table = dict[Any, Callable[..., Any]]


class Broken(Exception):
    """What a broken handler raises."""


class Input(NamedTuple):
    """A case as text: SQL, or the DataFrames of it."""

    name: str
    text: str
    corpus: Callable[[], Corpus]


def table_of(name: str) -> Table:
    room, module, attribute = ROOMS[name]
    import_module("lineal.extract.pyspark.program")  # with it every module has entered its handlers
    found: Table = getattr(import_module(f"lineal.extract.{room}.{module}"), attribute)
    return found


def functions_in(table: Table) -> list[tuple[Any, Callable[..., Any]]]:
    """The handlers of a table; its other rows cannot be broken."""
    return [(key, handler) for key, handler in table.items() if callable(handler)]


def of_sql(case: Case) -> Input:
    script = Script(case.sql, case.dialect, f"{case.path.stem}.sql", target="result")
    return Input(case.name, case.sql, lambda: corpus_beside(script, case))


def of_program(case: Case) -> Input:
    head = "from pyspark.sql import functions as F, Window\nfrom pyspark.sql.functions import col\n"
    ends = "".join(f'{name}.write.saveAsTable("{name}")\n' for name in case.results)
    script = Script(f"{head}{case.pyspark}\n{ends}", "python", f"{case.path.stem}.py")
    return Input(f"{case.name} (PySpark)", script.text, lambda: corpus_beside(script, case))


def of_job(path: Path) -> Input:
    script = Script(path.read_text(encoding="utf-8"), "python", path.name)
    return Input(path.name, script.text, lambda: corpus_beside(script))


def corpus_beside(script: Script, case: Case | None = None) -> Corpus:
    dialect, schema = (
        (case.dialect, list(case.schema)) if case is not None else ("spark", job_schema())
    )
    neighbors = [
        Script(text, dialect, f"neighbor_{number}.sql", target=f"neighbor_{number}")
        for number, text in enumerate(NEIGHBORS)
    ]
    corpus = Corpus(dialect, [script, *neighbors], schema)
    for each in corpus.scripts:
        corpus.files.add(each.file)
    return corpus


def worth_of(coverage: Coverage) -> tuple[float, float]:
    """The share of statements with a result, then the percentage: a lost statement takes the
    columns along that only a run would know.
    """
    statements = coverage.statements
    return statements.evaluated / statements.found, coverage.percent or 0.0


def looked_up(corpus: Corpus) -> Extraction:
    """An extraction of which everything has been asked that is looked up late: what travels has to
    be whole.
    """
    found = extract(corpus)
    assert pickle.dumps(found)
    return found


def result_of(name: str, found: Extraction) -> tuple[Any, ...]:
    """The result of one neighbor."""
    dataset = Dataset("", name)
    edges = [
        (edge.source, edge.target, [usage.way for usage in edge.usages]) for edge in found.edges
    ]
    reads = [read for read in found.reads if read.target == dataset]
    info = found.datasets.get(dataset)
    return [edge for edge in edges if name in str(edge[1])], reads, info.names if info else None


class Reached(NamedTuple):
    """What the inputs reach while no handler is broken."""

    inputs: dict[Key, Input]
    """the shortest input that reaches each handler"""
    neighbors: dict[str, list[tuple[str, set[Key]]]]
    """by dialect, the neighbors and the handlers that each of them reaches"""
    clean: dict[str, Extraction]
    """by input, what it gives"""


@pytest.fixture(scope="module")
def reached() -> Reached:
    met: set[Key] = set()
    with pytest.MonkeyPatch.context() as patched:
        for name in ROOMS:
            for key, handler in functions_in(table_of(name)):
                patched.setitem(table_of(name), key, noting(handler, (name, key), met))
        inputs = shortest(met)
        dialects = {each.corpus().dialect for each in inputs.values()}
        neighbors = {dialect: reached_by_neighbors(dialect, met) for dialect in dialects}
    clean = {each.name: looked_up(each.corpus()) for each in set(inputs.values())}
    return Reached(inputs, neighbors, clean)


def shortest(met: set[Key]) -> dict[Key, Input]:
    found: dict[Key, Input] = {}
    cases = all_cases()
    programs = [of_program(case) for case in cases if case.pyspark]
    jobs = [
        *sorted(JOBS.glob("*.py")),
        *sorted(PANDAS_JOBS.glob("*.py")),
        *sorted(FRAME_PROGRAMS.glob("*.py")),
    ]
    inputs = [*map(of_sql, cases), *programs, *map(of_job, jobs)]
    for each in sorted(inputs, key=lambda each: len(each.text)):
        met.clear()
        looked_up(each.corpus())
        for key in met:
            found.setdefault(key, each)
    return found


def reached_by_neighbors(dialect: str, met: set[Key]) -> list[tuple[str, set[Key]]]:
    found = []
    for number, text in enumerate(NEIGHBORS):
        met.clear()
        script = Script(text, dialect, f"neighbor_{number}.sql", target=f"neighbor_{number}")
        looked_up(Corpus(dialect, [script]))
        name = f"neighbor_{number}"
        if "SELECT count" not in text:
            name = "neighbor_" + text.split("neighbor_")[1].split()[0]
        found.append((name, set(met)))
    return found


def noting(handler: Callable[..., Any], key: Key, met: set[Key]) -> Callable[..., Any]:
    def noted(*arguments: Any, **named: Any) -> Any:
        met.add(key)
        return handler(*arguments, **named)

    return noted


def broken(*arguments: Any, **named: Any) -> Any:
    raise Broken("broken on purpose")


@pytest.mark.parametrize("table", list(ROOMS))
def test_a_broken_handler(table: str, reached: Reached, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [key for name, key in reached.inputs if name == table]
    assert len(keys) >= FEWEST.get(table, 1)
    wrong = [problem for key in keys for problem in problems((table, key), reached, monkeypatch)]
    assert wrong == []


def problems(at: Key, reached: Reached, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """What does not hold when a handler is broken."""
    table, key = at
    given = reached.inputs[at]
    said = f"{getattr(key, '__name__', key)} in {given.name}"
    clean = reached.clean[given.name]
    with monkeypatch.context() as patched:
        patched.setitem(table_of(table), key, broken)
        found = looked_up(given.corpus())
    errors = internal_errors(found.diagnostics)
    if not any("Broken: broken on purpose" in error.message for error in errors):
        yield f"{said}: no internal-error"
    if not all(error.place and error.place.line for error in errors):
        yield f"{said}: an error without a place"
    if not worth_of(found.coverage) < worth_of(clean.coverage):
        yield f"{said}: {found.coverage.percent} % of {clean.coverage.percent} %"
    spared = [name for name, met in reached.neighbors[given.corpus().dialect] if at not in met]
    lost = [name for name in spared if result_of(name, clean) != result_of(name, found)]
    if lost:
        yield f"{said}: {', '.join(lost)} lost"


TOGETHER = (
    "lineal.resolve.stars.Stars.settle",
    "lineal.resolve.stars.Stars.close_stars",
    "lineal.resolve.stars.Stars.report_open",
    "lineal.resolve.stars.Stars.report_stars_of",
    "lineal.resolve.stars.closings",
    "lineal.resolve.shown.ShownNames.edges",
    "lineal.resolve.shown.ShownNames.settle",
    "lineal.resolve.versions.Versions.show_unread",
    "lineal.graph.concerns.part_diagnostics",
    "lineal.views.json.diagnostic",
)
"""Work over all statements, and views over diagnostics."""
STARS = {
    "star.sql": "CREATE VIEW star AS SELECT * FROM nobody",
    "use.sql": "CREATE VIEW used AS SELECT a, b FROM star",
    "other.sql": "CREATE VIEW other AS SELECT c FROM t, u",
}


@pytest.mark.parametrize("view", ["table", "json"])
@pytest.mark.parametrize("name", TOGETHER)
def test_work_over_all_statements(
    name: str, view: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends as an internal-error with exit code 1, and every statement keeps its own edges."""
    for file, text in STARS.items():
        (tmp_path / file).write_text(text, "utf-8")
    call = ["lineage", str(tmp_path), "--output", view, "--no-cache", "-n", "other"]
    whole = CliRunner().invoke(main, call)
    with monkeypatch.context() as patched:
        patched.setattr(name, broken)
        found = CliRunner().invoke(main, call)
    is_asked = view == "json" or not name.startswith("lineal.views.json")
    assert (found.exit_code, "Broken: broken on purpose" in found.stderr) == (is_asked, is_asked)
    if view == "table":
        assert found.stdout == whole.stdout
        assert "coverage" in found.stderr


READERS = (
    "lineal.projects.dataform.project.load_project",
    "lineal.projects.sqlmesh.project.load_project",
    "lineal.projects.sqlmesh.is_config",
    "lineal.projects.dbt.project.read_package",
    "lineal.resolve.embedded.find_embedded",
    "lineal.extract.pyspark.embedded.airflow.about_task",
    "lineal.extract.pyspark.embedded.statements.Collector.keep",
    "lineal.resolve.file_names.has_bare_select",
    "lineal.resolve.gathering.Gatherer.tell_apart",
    "lineal.resolve.evidence.Evidence.decide",
)
"""Readers of projects and of SQL inside programs, and work over all names."""
REPOSITORY = {
    "plain.sql": "CREATE VIEW plain AS SELECT a FROM t",
    "flow/workflow_settings.yaml": "defaultProject: p\ndefaultDataset: d\n",
    "flow/definitions/a.sqlx": 'config { type: "table" }\nSELECT x FROM s.raw',
    "mesh/config.yaml": "model_defaults:\n  dialect: duckdb\n",
    "mesh/models/a.sql": "MODEL (name s.a, kind FULL);\nSELECT id FROM s.raw",
    "shop/dbt_project.yml": "name: shop\n",
    "shop/models/orders.sql": "select id from raw.orders",
    "dags/load.py": "from airflow import DAG\n"
    "from airflow.providers.postgres.operators.postgres import PostgresOperator\n"
    'PostgresOperator(task_id="t", sql="INSERT INTO m SELECT a FROM r")\n',
}


@pytest.mark.parametrize("name", READERS)
def test_a_broken_reader(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an internal-error, and costs neither another project nor plain SQL anything."""
    for file, text in REPOSITORY.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text, "utf-8")
    call = ["lineage", str(tmp_path), "--no-cache"]
    whole = CliRunner().invoke(main, call)
    with monkeypatch.context() as patched:
        patched.setattr(name, broken)
        found = CliRunner().invoke(main, call)
    assert (whole.exit_code, found.exit_code) == (0, 1)
    assert "Broken: broken on purpose" in found.stderr
    lost = {*whole.stdout.splitlines()} - {*found.stdout.splitlines()}
    assert len(lost) <= 1
    assert not any("plain" in line for line in lost)
