"""make bench: lineal next to sqlglot on the same text, in one run.

Every figure is the smallest of several rounds of process CPU time; the contenders take turns within
a round, after a full garbage collection, under the interpreter's default collector settings. Ratios
are what counts: times depend on the machine. The run fails if a bound is missed.

Each part runs in a process of its own, so that none inherits another's memory, threads or Spark
session. At the end one table shows every ratio with its bound; results.json has all figures, with
the load of the machine: wall-clock times of a busy machine say little, ratios of CPU time hold.

    python bench/run.py                  everything
    python bench/run.py start dbt        only these parts; the others keep their figures in results.json
"""

from __future__ import annotations

import ast
import gc
import json
import os
import platform
import resource
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from sqlglot import parse_one
from sqlglot.lineage import lineage as sqlglot_lineage
from sqlglot.schema import MappingSchema

import limits
import lineal
import shapes
import tpc
from lineal.incremental.extraction import extract
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus
from lineal.projects import corpus_of_text

QUICK_ROUNDS, SLOW_ROUNDS, SHAPE_ROUNDS, START_ROUNDS = 15, 3, 9, 20
MOST_OF_PARSE, MOST_OF_PARSE_EQUAL, LEAST_ALL, LEAST_EACH = 1.5, 1.6, 3.0, 10.0
MOST_SECONDS, MOST_GROWTH, MOST_OF_CLICK = 1.0, 2.4, 1.5
MOST_OF_SQLGLOT = 1.57
"""250 ms where importing sqlglot takes 159."""
MOST_OF_FREE = 1.05
MOST_OF_FRAMES = 25
MOST_OF_ENTRY = 80
"""Milliseconds of one entry point over a framework of thirty lines."""
MOST_OF_PROGRAMS = 3.0
MOST_OF_MANIFEST = 3.0
MOST_OF_JOB = 0.05
LEAST_OF_BARE, MOST_OF_TRACE = 0.5, 50.0
LEAST_OF_ROWS, MOST_OF_DRIVER, MOST_OF_PLAIN, MOST_OF_SCIPY = 6.0, 2.0, 1.5, 5.0
FILES, LEAST_AGAIN = 5_000, 10.0
LEAST_EDITED, LEAST_SAME = 8.0, 15.0
MOST_OF_PICTURE, MOST_OF_LARGE_PICTURE = 1000, 3000
MOST_OF_POINTING, MOST_OF_TASK, MOST_OF_SEARCH, MOST_OF_MEMORY = 100, 200, 50, 300

RESULTS = Path(__file__).with_name("results.json")
LONGEST = 1_800
"""Seconds that one part may take before it is ended."""

missed: list[str] = []
figures: list[dict[str, Any]] = []
"""Every row that this part has measured."""
headings: list[str] = []
"""The headings that this part has printed; a row belongs to the last one."""


def main() -> int:
    arguments = sys.argv[1:]
    if arguments[:1] == ["--part"]:
        return run_part(arguments[1], Path(arguments[2]))
    unknown = [name for name in arguments if name not in PARTS]
    if unknown:
        print(f"no part {', '.join(unknown)}: there are {', '.join(PARTS)}")
        return 2
    python, machine = platform.python_version(), platform.machine()
    print(
        f"lineal {lineal.__version__}, sqlglot[c] {tpc.version('sqlglot')}, Python {python}, {machine}"
    )
    rows = [each for name in arguments or PARTS for each in figures_of(name)]
    broken = print_table(rows)
    about: dict[str, Any] = {
        "lineal": lineal.__version__,
        "sqlglot": tpc.version("sqlglot"),
        "python": python,
    }
    about["date"] = f"{date.today():%Y-%m-%d}"
    about |= {"machine": machine, "cores": os.cpu_count()}
    measured = [{**each, **about} for each in rows]
    write_results(measured)
    return 1 if broken else 0


def write_results(rows: list[dict[str, Any]]) -> None:
    """Write the figures of this run; parts that were not measured now keep their rows."""
    earlier = (
        json.loads(RESULTS.read_text(encoding="utf-8"))["figures"] if RESULTS.is_file() else []
    )
    parts = {each["part"] for each in rows}
    kept = [each for each in earlier if each["part"] not in parts]
    order = list(PARTS)
    figures = sorted([*kept, *rows], key=lambda each: order.index(each["part"]))
    text = json.dumps({"figures": figures}, indent=1, ensure_ascii=False)
    RESULTS.write_text(text + "\n", encoding="utf-8")


def figures_of(name: str) -> list[dict[str, Any]]:
    """Measure a part in a process of its own; one that fails is a row that does not hold."""
    started = time.monotonic()
    with TemporaryDirectory() as folder:
        file = Path(folder, "figures.json")
        call = [sys.executable, __file__, "--part", name, str(file)]
        try:
            code = subprocess.run(call, timeout=LONGEST, check=False).returncode
        except subprocess.TimeoutExpired:
            code = -1
        rows = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
    load = f"{os.getloadavg()[0]:.1f}"
    rows = [{**each, "load": load} for each in rows]
    if code:
        ended = "it took too long" if code < 0 else f"it ended with {code}"
        rows.append({"part": name, "what": ended, "bound": "completes", "holds": False})
    print(f"  {name}: {time.monotonic() - started:.0f} s", flush=True)
    return rows


def run_part(name: str, file: Path) -> int:
    """Measure one part, and write its rows to a file."""
    try:
        PARTS[name]()
    except tpc.NotFetched as problem:
        print(problem)
        return 1
    finally:
        rows = [{"part": name, **each} for each in figures]
        rows += [
            {"part": name, "what": said, "bound": "is kept", "holds": False}
            for said in missed
            if not any(said.startswith(str(each["what"])) for each in rows)
        ]
        file.write_text(json.dumps(rows), encoding="utf-8")
    return 0


def print_table(rows: list[dict[str, Any]]) -> int:
    """Print every row that has a bound; how many do not hold."""
    stated = [each for each in rows if each.get("bound")]
    print(f"\n{'part':<10} {'figure':<46} {'ratio':>9}  {'bound':<14} holds")
    for each in stated:
        ratio = f"{each['ratio']:.3g}" if each.get("ratio") is not None else ""
        said = "yes" if each["holds"] else "NO"
        print(f"{each['part']:<10} {each['what']:<46} {ratio:>9}  {each['bound']:<14} {said}")
    broken = sum(not each["holds"] for each in stated)
    print(f"\n{len(stated) - broken} of {len(stated)} bounds hold")
    return broken


def benchmark_all_suites() -> None:
    benchmark_all_queries([benchmark_queries(tpc.suite(name)) for name in tpc.SUITES])


# -- queries ---------------------------------------------------------------------------------------


class Times(NamedTuple):
    """Seconds for the queries of a suite, under two conditions."""

    own: float
    parse: float
    own_equal: float
    """With the collector off, and with the time that it takes to free everything."""
    parse_equal: float


def benchmark_all_queries(times: list[Times]) -> None:
    heading("All 121 queries together")
    own, parse = sum(each.own for each in times), sum(each.parse for each in times)
    row("lineal: text to edges", own)
    row(
        "sqlglot: parse_one",
        parse,
        f"lineal takes {own / parse:.2f} of it",
        Bound(own / parse, most=MOST_OF_PARSE),
    )
    own = sum(each.own_equal for each in times)
    parse = sum(each.parse_equal for each in times)
    row("lineal: the same, collector off, freeing counted", own)
    row(
        "sqlglot: parse_one, under the same conditions",
        parse,
        f"lineal takes {own / parse:.2f} of it",
        Bound(own / parse, most=MOST_OF_PARSE_EQUAL),
    )


def benchmark_queries(suite: tpc.Suite) -> Times:
    corpus, schema = corpus_of(suite), MappingSchema(suite.schema)
    columns = [list(sqlglot_lineage(None, query, schema)) for query in suite.queries]
    found = extract(corpus)
    describe(suite, found, sum(map(len, columns)))
    quick = smallest_times(
        QUICK_ROUNDS,
        {
            "parse": lambda: parse_all(suite),
            "at once": lambda: force(extract(corpus)),
            "one by one": lambda: one_by_one(corpus),
        },
    )
    slow = smallest_times(
        SLOW_ROUNDS,
        {
            "all columns": lambda: all_columns(suite, schema),
            "each column": lambda: each_column(suite, schema, columns),
        },
    )
    equal = smallest_times(
        QUICK_ROUNDS,
        {"parse": lambda: parse_all(suite), "at once": lambda: force(extract(corpus))},
        equal=True,
    )
    own, parse = quick["at once"], quick["parse"]
    row("lineal: text to edges", own)
    row(
        "lineal: the same, one query at a time",
        quick["one by one"],
        f"{quick['one by one'] / parse:.2f} of parsing",
    )
    row("sqlglot: parse_one", parse, f"lineal takes {own / parse:.2f} of it")
    ratio = slow["all columns"] / own
    faster = f"lineal is {ratio:.1f} times faster"
    row(
        "sqlglot: lineage(None, trim_selects=False)",
        slow["all columns"],
        faster,
        Bound(ratio, least=LEAST_ALL),
    )
    ratio = slow["each column"] / own
    faster = f"lineal is {ratio:.1f} times faster"
    row(
        "sqlglot: lineage(column), column by column",
        slow["each column"],
        faster,
        Bound(ratio, least=LEAST_EACH),
    )
    return Times(own, parse, equal["at once"], equal["parse"])


def describe(suite: tpc.Suite, found: Extraction, columns: int) -> None:
    """How much there is; a column that is not found counts as a missed bound."""
    coverage, queries = found.coverage, len(suite.queries)
    fields = sum(edge.field_level for edge in found.edges)
    rows = len(found.edges) - fields
    usages = force(found)
    heading(f"{suite.name}: {queries} queries, {columns:,} output columns by name")
    print(f"  {fields:,} field-level and {rows:,} dataset-level edges with {usages:,} usages")
    doubts = (
        f"{coverage.columns.unresolved} unresolved, {coverage.columns.ambiguous} ambiguous, "
        f"{len(found.diagnostics)} diagnostics"
    )
    print(f"  {coverage.columns.named:,} column references: {doubts}")
    if (
        coverage.columns.unresolved
        or coverage.columns.ambiguous
        or found.diagnostics
        or coverage.statements.evaluated != queries
    ):
        missed.append(f"{suite.name}: {doubts}, {coverage.statements.evaluated} queries read")


def corpus_of(suite: tpc.Suite) -> Corpus:
    """The queries with their schema read, as the other contenders get a schema that is read."""
    named = {f"q{number}": query for number, query in enumerate(suite.queries, 1)}
    return corpus_of_text(named, None, suite.schema)


def one_by_one(corpus: Corpus) -> None:
    for script in corpus.scripts:
        force(extract(Corpus(corpus.dialect, [script], corpus.datasets)))


def force(found: Extraction) -> int:
    """Edges, usages, kinds and confidence; texts and places are looked up when a view asks, and not
    here.
    """
    usages = 0
    for edge in found.edges:
        edge.kind, edge.level, edge.score  # noqa: B018
        usages += len(edge.usages)
    return usages


def parse_all(suite: tpc.Suite) -> None:
    for query in suite.queries:
        parse_one(query)


def all_columns(suite: tpc.Suite, schema: MappingSchema) -> None:
    for query in suite.queries:
        sqlglot_lineage(None, query, schema, trim_selects=False)


def each_column(suite: tpc.Suite, schema: MappingSchema, columns: list[list[str]]) -> None:
    for query, names in zip(suite.queries, columns, strict=True):
        for name in names:
            sqlglot_lineage(name, query, schema)


# -- shapes ----------------------------------------------------------------------------------------


def benchmark_shapes() -> None:
    heading(
        f"Shapes that grow: each under {MOST_SECONDS:g} s, and how much longer twice the size takes"
    )
    for name, (shape, n) in {**shapes.BOUND, **shapes.OTHERS}.items():
        once, twice = times_of(shape, n)
        growth = twice / once
        if name in shapes.BOUND and once >= MOST_SECONDS:
            missed.append(f"{name}: {once:.2f} s")
        stated = Bound(growth, most=MOST_GROWTH) if name in shapes.BOUND else None
        row(name, once, f"twice the size: {growth:.2f} times", stated)


def times_of(shape: shapes.Shape, n: int) -> tuple[float, float]:
    """The time at size n and at twice the size, in turns."""
    corpora = [
        corpus_of_text({"result": sql}, None, schema) for sql, schema in (shape(n), shape(2 * n))
    ]
    once, twice = corpora
    times = smallest_times(
        SHAPE_ROUNDS, {"once": lambda: force(extract(once)), "twice": lambda: force(extract(twice))}
    )
    return times["once"], times["twice"]


# -- start-up --------------------------------------------------------------------------------------


def benchmark_start() -> None:
    heading("Start-up: CPU time of a process")
    command = Path(sysconfig.get_path("scripts")) / "lineal"
    with TemporaryDirectory() as place:
        file = Path(place, "one.sql")
        file.write_text("SELECT a + b AS c FROM t WHERE d", encoding="utf-8")
        calls = {
            "help": [str(command), "--help"],
            "click": [sys.executable, "-c", "import click"],
            "sqlglot": [sys.executable, "-c", "import sqlglot"],
            "one": [str(command), "lineage", "--no-cache", str(file)],
        }
        times = {name: cpu_of(call) for name, call in calls.items()}
        for _ in range(START_ROUNDS):
            times = {name: min(times[name], cpu_of(call)) for name, call in calls.items()}
    ratio = times["help"] / times["click"]
    row('python -c "import click"', times["click"])
    row(
        "lineal --help",
        times["help"],
        f"{ratio:.2f} of importing click",
        Bound(ratio, most=MOST_OF_CLICK),
    )
    ratio = times["one"] / times["sqlglot"]
    row('python -c "import sqlglot"', times["sqlglot"])
    row(
        "lineal lineage of one statement",
        times["one"],
        f"{ratio:.2f} of importing sqlglot",
        Bound(ratio, most=MOST_OF_SQLGLOT),
    )


def cpu_of(call: list[str], environment: dict[str, str] | None = None) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def benchmark_limits() -> None:
    heading("Limits: CPU time with them and without, in turns")
    for name, cost in limits.costs().items():
        row(f"{name}: without", cost.free)
        more = f"{cost.ratio:.3f} of it"
        row(f"{name}: with limits", cost.limited, more, Bound(cost.ratio, most=MOST_OF_FREE))


# -- a folder of many files ------------------------------------------------------------------------


def benchmark_folder() -> None:
    """The command on 5,000 files: without a cache, the first time with one, and again."""
    heading(f"The command on {FILES:,} files: CPU time of a process and its children")
    command = [str(Path(sysconfig.get_path("scripts")) / "lineal"), "lineage"]
    with TemporaryDirectory() as place:
        folder = shapes.folder(Path(place, "sql"), FILES)
        environment = {**os.environ, "LINEAL_CACHE": str(Path(place, "cache"))}
        for output in ("table", "json"):
            call = [*command, str(folder), "--output", output]
            without, first = cpu_of([*call, "--no-cache"], environment), cpu_of(call, environment)
            again = min(cpu_of(call, environment) for _ in range(3))
            row(f"lineal lineage --output {output} --no-cache", without)
            row("the first time with a cache", first, f"{first / without:.2f} of it")
            row(
                "the second time",
                again,
                f"{without / again:.1f} times faster",
                Bound(without / again, least=LEAST_AGAIN),
            )
        (folder / "m0" / "v0.sql").write_text("CREATE VIEW v0 AS SELECT id, k, x, z AS y FROM raw")
        edited = cpu_of([*command, str(folder), "--output", "table"], environment)
        row("after an edit of one file, --output table", edited)


# -- a dbt project ---------------------------------------------------------------------------------


def benchmark_dbt() -> None:
    """The command on 1,000 models: with a manifest and without, the first time and again."""
    import dbt

    heading(
        f"The command on a dbt project of {dbt.MODELS:,} models: CPU time of a process and its children"
    )
    command = [str(Path(sysconfig.get_path("scripts")) / "lineal"), "lineage", "--fail-on", "never"]
    with TemporaryDirectory() as place:
        compiled = dbt.project(Path(place, "compiled"))
        plain = dbt.project(Path(place, "plain"), manifest=False)
        manifest = str(compiled / "target" / "manifest.json")
        necessary = min(
            cpu_of([sys.executable, dbt.__file__, manifest]) for _ in range(SLOW_ROUNDS)
        )
        row("json.loads of the manifest, and sqlglot.parse", necessary)
        for what, folder in (("with its manifest", compiled), ("from its templates", plain)):
            call = [*command, str(folder)]
            caches = [
                {**os.environ, "LINEAL_CACHE": str(Path(place, f"{what}{each}"))}
                for each in range(SLOW_ROUNDS)
            ]
            first = min(cpu_of(call, cache) for cache in caches)
            again = min(cpu_of(call, cache) for cache in caches)
            cold, warm = first / necessary, first / again
            bound = Bound(cold, most=MOST_OF_MANIFEST) if folder is compiled else None
            row(f"lineal lineage {what}", first, f"{cold:.2f} of it", bound)
            row(
                "the second time", again, f"{warm:.1f} times faster", Bound(warm, least=LEAST_AGAIN)
            )


# -- the edit loop ---------------------------------------------------------------------------------


def benchmark_loop(size: int) -> None:
    """Commands on a dbt project: cold, after the edit of one model, and with nothing changed."""
    import edit_loop as loop

    models = loop.SIZES[size]
    heading(f"The edit loop in a dbt project of {models:,} models: CPU time, cold beside later")
    for name, found in loop.measure(models):
        row(f"{name}: cold", found.cold)
        edited = Bound(found.cold / found.edited, least=LEAST_EDITED)
        row(f"{name}: after an edit", found.edited, f"1/{edited.figure:.1f} of it", edited)
        same = Bound(found.cold / found.same, least=LEAST_SAME)
        row(f"{name}: nothing changed", found.same, f"1/{same.figure:.1f} of it", same)


# -- plans -----------------------------------------------------------------------------------------


def benchmark_programs() -> None:
    import programs

    corpus = programs.corpus()
    heading(f"A folder of {programs.FILES:,} PySpark jobs")
    contenders = {
        "own": lambda: extract(corpus),
        "parse": lambda: programs.parse_all(corpus.scripts),
    }
    times = smallest_times(SLOW_ROUNDS, contenders)
    ratio = times["own"] / times["parse"]
    row(
        "lineal: text to edges",
        times["own"],
        f"{ratio:.2f} of the parsing",
        Bound(ratio, most=MOST_OF_PROGRAMS),
    )
    row("ast.parse, and sqlglot.parse of the SQL inside", times["parse"])
    frames = programs.frames()
    contenders = {
        "own": lambda: extract(frames),
        "parse": lambda: [ast.parse(script.text) for script in frames.scripts],
    }
    times = smallest_times(SLOW_ROUNDS, contenders)
    ratio = times["own"] / times["parse"]
    row(
        f"lineal: text to edges of {programs.FILES:,} pandas jobs",
        times["own"],
        f"{ratio:.1f} of ast.parse",
        Bound(ratio, most=MOST_OF_FRAMES),
    )
    calls = programs.framework()
    each = smallest_times(SLOW_ROUNDS, {"own": lambda: extract(calls)})["own"] / programs.ENTRIES
    row(
        f"each of {programs.ENTRIES} entry points over one framework",
        each,
        "its calls are followed once more",
        Bound(each * 1000, most=MOST_OF_ENTRY),
    )


def benchmark_plans() -> None:
    heading(
        "TPC-DS on Spark: the engine's own analysis, and from its plans to edges (wall-clock time)"
    )
    import plans

    figures = plans.measure()
    ratio = figures.edges / figures.analysis
    row("Spark: text to analyzed plan", figures.analysis)
    row(
        "lineal: analyzed plan to edges",
        figures.edges,
        f"{ratio:.2f} of the analysis",
        Bound(ratio, most=1.0),
    )


# -- capture ---------------------------------------------------------------------------------------


def benchmark_capture() -> None:
    import capture

    heading(f"A Spark job of {capture.WRITES} writes, watched (wall-clock time)")
    figures = capture.measure()
    row("the job alone", figures.plain)
    more = f"{figures.cost:+.1%}, {figures.edges:,} edges"
    row(
        "the job under lineal capture", figures.watched, more, Bound(figures.cost, most=MOST_OF_JOB)
    )
    row("to begin to watch, the first time", figures.first)


# -- the store -------------------------------------------------------------------------------------


def benchmark_store() -> None:
    import store

    heading(
        f"The store: {store.EDGES:,} edges, beside the bare bulk load of the same rows (wall-clock time)"
    )
    for name, found in store.figures():
        if len(found.bare) > 1:
            row(
                f"{name}: bare load into the same tables",
                found.bare[-1],
                f"lineal: {found.speed:.2f} of its speed",
            )
        bound = Bound(found.speed_without, least=LEAST_OF_BARE)
        row(f"{name}: bare load, without indexes", found.bare[0])
        row(
            f"{name}: lineal store load",
            found.load,
            f"{found.speed_without:.2f} of its speed",
            bound,
        )
        row(f"{name}: the same again, which changes nothing", found.again)
        milliseconds = Bound(found.trace * 1000, most=MOST_OF_TRACE)
        row(
            f"{name}: {store.HOPS} hops, {found.traced:,} edges",
            found.trace,
            "milliseconds",
            milliseconds,
        )


# -- the page --------------------------------------------------------------------------------------


def benchmark_page() -> None:
    import page

    heading(
        f"The page in Chromium: {page.TABLES:,} tables of {page.COLUMNS} columns (wall-clock time, "
        "CPU where it says so)"
    )
    try:
        found = page.measure()
    except page.NotThere as reason:
        print(f"  {reason}")
        return
    searched = f"a search over {page.SEARCHED * page.COLUMNS:,} columns"
    for what, figure, most in (
        ("the first picture, CPU", found.first, MOST_OF_PICTURE),
        ("hovering over a column", found.hover, MOST_OF_POINTING),
        ("expanding a table, until it answers", found.expand, MOST_OF_POINTING),
        ("the longest task of any mode, CPU", found.longest_task, MOST_OF_TASK),
        (searched, found.search, MOST_OF_SEARCH),
        (f"the first picture of {page.LARGE:,} tables, CPU", found.large, MOST_OF_LARGE_PICTURE),
    ):
        row(what, figure / 1000, "milliseconds", Bound(figure, most=most))
    row("expanding a table, until it stands", found.expanded / 1000)
    print(
        f"  {'memory of the page':<44} {found.memory:>9,.1f} MB  {Bound(found.memory, most=MOST_OF_MEMORY)}"
    )
    memory = max(found.memory, found.large_memory)
    note("memory of the page, MB", None, Bound(memory, most=MOST_OF_MEMORY))
    if memory > MOST_OF_MEMORY:
        missed.append(f"memory of the page, {memory:.0f} MB")


# -- the pipeline ----------------------------------------------------------------------------------


def benchmark_pipeline() -> None:
    import bulk

    found = bulk.measure()
    heading(
        f"The pipeline: {bulk.ROWS:,} rows of a log, {found.statements:,} statements (wall-clock time)"
    )
    ratio = found.alone / found.pipeline
    row(f"each row by itself (from {bulk.SAMPLE:,} rows)", found.alone)
    row(
        "lineal pipeline",
        found.pipeline,
        f"{ratio:.1f} times the throughput",
        Bound(ratio, least=LEAST_OF_ROWS),
    )
    memory = Bound(found.driver / 1e9, most=MOST_OF_DRIVER)
    note("the driver's memory at its peak, GB", None, memory)
    print(f"  the driver's memory at its peak, with the JVM: {memory.figure:.2f} GB  {memory}")
    if not memory.kept:
        missed.append(f"the driver's memory, {memory}")
    ratio = found.cpu / found.plain
    row("one process: statements to tables (CPU)", found.plain)
    row(
        "executors and driver: the same (CPU)",
        found.cpu,
        f"{ratio:.2f} of it",
        Bound(ratio, most=MOST_OF_PLAIN),
    )


def benchmark_closure() -> None:
    import bulk

    heading(f"The closure of {bulk.EDGES:,} edges, {bulk.DEEP} deep (wall-clock time)")
    for share, made_of in ((0.0, "one"), (0.5, "one or two")):
        found = bulk.closure(share)
        row(f"scipy: columns of {made_of}", found.scipy)
        ratio = f"{found.ratio:.2f} of it"
        row(
            f"lineal: the same {found.pairs:,} pairs",
            found.own,
            ratio,
            Bound(found.ratio, most=MOST_OF_SCIPY),
        )


# -- measuring and printing ------------------------------------------------------------------------


class Bound(NamedTuple):
    """A figure with the most or the least that it may be."""

    figure: float
    most: float | None = None
    least: float | None = None

    @property
    def kept(self) -> bool:
        return (self.most is None or self.figure <= self.most) and (
            self.least is None or self.figure >= self.least
        )

    @property
    def stated(self) -> str:
        return f"at most {self.most:g}" if self.most is not None else f"at least {self.least:g}"

    def __str__(self) -> str:
        return f"{'ok' if self.kept else 'MISSED'}: {self.stated}"


def smallest_times(
    rounds: int, contenders: dict[str, Callable[[], object]], equal: bool = False
) -> dict[str, float]:
    """The contenders take turns; of each the smallest time counts.

    Under `equal` conditions nobody collects garbage on the way, and everybody frees all that was
    made: a parser leaves trees behind that only the collector can free.
    """
    times: dict[str, float] = {}
    for _ in range(rounds):
        for name, contender in contenders.items():
            gc.collect()
            took = time_of_freeing(contender) if equal else time_of(contender)
            times[name] = min(times.get(name, took), took)
    return times


def time_of(contender: Callable[[], object]) -> float:
    before = time.process_time()
    contender()
    return time.process_time() - before


def time_of_freeing(contender: Callable[[], object]) -> float:
    """The time of a contender with the collector off, and of one collection after it that looks
    only at what it has left behind.
    """
    gc.freeze()
    gc.disable()
    try:
        before = time.process_time()
        contender()
        gc.collect()
        return time.process_time() - before
    finally:
        gc.enable()
        gc.unfreeze()


def heading(text: str) -> None:
    headings.append(text)
    print(f"\n{text}")


def row(what: str, seconds: float, ratio: str = "", stated: Bound | None = None) -> None:
    print(
        f"  {what:<44} {seconds * 1000:>9,.1f} ms  {ratio:<29} {stated or ''}".rstrip(), flush=True
    )
    note(what, seconds, stated)
    if stated is not None and not stated.kept:
        missed.append(f"{what}, {ratio}, {stated}")


def note(what: str, seconds: float | None, stated: Bound | None = None) -> None:
    """Add a row to the results."""
    section = headings[-1] if headings else ""
    made: dict[str, Any] = {"section": section, "what": what, "seconds": seconds}
    if stated is not None:
        made |= {"ratio": stated.figure, "bound": stated.stated, "holds": stated.kept}
    figures.append(made)


PARTS: dict[str, Callable[[], None]] = {
    "queries": benchmark_all_suites,
    "shapes": benchmark_shapes,
    "start": benchmark_start,
    "limits": benchmark_limits,
    "folder": benchmark_folder,
    "dbt": benchmark_dbt,
    "loop": partial(benchmark_loop, 0),
    "large-loop": partial(benchmark_loop, 1),
    "programs": benchmark_programs,
    "plans": benchmark_plans,
    "capture": benchmark_capture,
    "page": benchmark_page,
    "store": benchmark_store,
    "pipeline": benchmark_pipeline,
    "closure": benchmark_closure,
}
"""What is measured, in this order."""


if __name__ == "__main__":
    sys.exit(main())
