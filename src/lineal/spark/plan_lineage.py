"""Spark as the exact engine: lineage from its own analyzed plan, of one statement or of a whole
corpus.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import chain
from shlex import quote
from typing import Any, NamedTuple

from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException, PySparkException

from lineal.api import Lineage
from lineal.extract.catalyst.plan import Names, extract
from lineal.extract.entries import Definition
from lineal.extract.sql.reading import offset_of
from lineal.extract.sql.translator import Translator
from lineal.graph.compare import compare
from lineal.graph.composition import compose_through
from lineal.model.boundary import internal_error
from lineal.model.diagnostic import Code, Diagnostic, Place, order_of
from lineal.model.edge import Dataset, Edge
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.grouping import group
from lineal.model.ledger import Coverage, Files, Statements
from lineal.model.script import Corpus, Script
from lineal.model.sequences import flatten
from lineal.resolve.catalog import PYTHON
from lineal.resolve.definitions import Definitions
from lineal.resolve.imported import add_schemas, unite_imported
from lineal.spark.availability import one_line
from lineal.spark.job_capture.record import read_deeply
from lineal.spark.plan import analyze, describe_plan
from lineal.spark.stand_in import StandIns, stand_in_names
from lineal.views.words import count_noun

SPARKS_OWN = frozenset(("spark", "spark2", "databricks", "hive"))
"""Dialects whose text Spark reads as it is; the others are transpiled."""

ANSI = "spark.sql.ansi.enabled"


def lineage(
    df_or_sql: Any, spark: Any = None, target: str | None = None, names: Names | None = None
) -> Lineage:
    """The lineage of a DataFrame or a statement, exactly as Spark's analyzer understands it.
    Nothing is executed.

    What comes out is what `lineal.lineage` gives. `target` is the name of the result; `query`, if
    none is given.
    """
    session = spark if spark is not None else session_of(df_or_sql)
    plan = analyze(df_or_sql, session)
    try:
        return Lineage(read_deeply(lambda: of_plan(plan, session, target, names)))
    except Exception as error:
        return Lineage(failed_extraction(error))


def failed_extraction(error: Exception) -> Extraction:
    """Return the result of a plan over which lineal failed: nothing but the reason."""
    coverage = Coverage(Files(1), Statements(1))
    coverage.fail(Code.INTERNAL_ERROR.code)
    reason = internal_error(error, None, "this plan")
    return Extraction(diagnostics=[reason], coverage=coverage)


def session_of(df_or_sql: Any) -> Any:
    """The session of a DataFrame; for a text, the one that is running."""
    if not isinstance(df_or_sql, str):
        if not hasattr(df_or_sql, "_jdf"):
            raise TypeError(
                f"a DataFrame or SQL text is needed, not {type(df_or_sql).__name__}; "
                "a DataFrame of Spark Connect has its plan on the server"
            )

        return df_or_sql.sparkSession

    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is None:
        raise ValueError("no session of Spark is running: lineage(sql, spark)")

    return running


def of_plan(
    plan: Any, spark: Any, target: str | None = None, names: Names | None = None
) -> Extraction:
    """Return the lineage of an analyzed plan."""
    if names is None:
        names = Names(
            database=str(spark._jsparkSession.sessionState().catalog().getCurrentDatabase())
        )

    return extract(describe_plan(plan, spark, names.views), target or "query", names)


class Engines(NamedTuple):
    """The lineage of a corpus by both engines."""

    static: Extraction
    exact: Extraction
    programs: set[Dataset]
    """the tables that Python programs write: Spark has their plans only while they run"""


def of_corpus(corpus: Corpus, spark: object) -> tuple[Extraction, Extraction]:
    """(static, exact): the text's lineage, and Spark's on empty tables made from the known schemas."""
    return run_both_engines(corpus, spark)[:2]


def run_both_engines(corpus: Corpus, spark: Any) -> Engines:
    """The SQL of a corpus by both engines. Programs, and lineage that is given, are read but not
    compared.
    """
    definitions = Definitions(add_schemas(corpus) if corpus.given else corpus)
    static = definitions.extract()
    statements = [definition for definition in definitions.order if not is_program(definition)]
    defined = {definition.target for definition in statements}
    tables = stand_in_names(map(str, {*defined, *static.datasets}))
    with StandIns(spark, corpus, tables) as stand_ins:
        stand_ins.add_functions()
        apart = beside_statements(definitions, corpus.given)
        for dataset, info in static.datasets.items():
            if dataset not in defined and dataset not in apart and info.kind != "function":
                stand_ins.add(info, inserted_into(dataset, statements))

        for info in former_states(statements):
            stand_ins.add(info)

        beside = inserted_beside(statements)
        exact = Exact(
            static,
            stand_ins,
            spark,
            hidden_once(definitions),
            beside,
            translator_of(corpus, tables),
        )
        for definition in in_order(definitions):
            try:
                exact.add(definition)
            except Exception as error:
                exact.report_failure(definition, error)

        found = exact.extraction()

    found.diagnostics = sorted(
        (*found.diagnostics, *not_compared(definitions.programs, corpus)), key=order_of
    )
    written = {definition.target for definition in definitions.order if is_program(definition)}
    return Engines(
        unite_imported(static, corpus.given), unite_imported(found, corpus.given), written
    )


def not_compared(programs: Mapping[str, int], corpus: Corpus) -> Iterator[Diagnostic]:
    """A diagnostic for each program, which says how to compare it; and one for lineage that is
    given.
    """
    models = {script.file for script in corpus.scripts if script.target is not None}
    for file, writes in sorted(programs.items()):
        message = f"{count_noun(writes, 'write')} of a program not compared: Spark has its plans only while it runs"
        yield Diagnostic(
            Code.NOT_COMPARED, message, Place(file, 1, 1), how_to_compare(file, file in models)
        )

    for given in corpus.given:
        message = f"{count_noun(len(given.edges), 'edge')} of a given lineage not compared: its statements are not here"
        yield Diagnostic(
            Code.NOT_COMPARED, message, None, "Compare the input that it was made from."
        )


def how_to_compare(file: str, is_model: bool) -> str:
    """The command that runs a program and compares it."""
    if is_model:
        return "`lineal run` builds the model and compares it."

    if file.endswith(".ipynb"):
        return "Export the notebook as a script, and run `lineal capture SCRIPT --compare`."

    return f"Run `lineal capture {quote(file)} --compare`."


def is_program(definition: Definition) -> bool:
    """Tell whether a Python program writes it: its plan exists only while it runs."""
    return definition.reading.script.dialect == PYTHON


def beside_statements(definitions: Definitions, given: Iterable[Extraction]) -> set[Dataset]:
    """The datasets of programs and of given lineage that no SQL statement names: these need no
    stand-in.
    """
    touched: dict[bool, set[Dataset]] = {True: set(), False: set()}
    for definition in definitions.order:
        read = definition.evaluation.datasets_read if definition.evaluation is not None else {}
        touched[is_program(definition)] |= {definition.target, *read}

    told = set(chain.from_iterable(each.datasets for each in given))
    return (touched[True] | told) - touched[False]


def former_states(statements: Iterable[Definition]) -> Iterator[DatasetInfo]:
    """CREATE OR REPLACE TABLE t AS SELECT … FROM t

    t as it is declared, before the statement
    """
    for definition in statements:
        declared = definition.entry.declared
        read = definition.evaluation.datasets_read if definition.evaluation is not None else {}
        if declared is not None and definition.target in read:
            yield declared


def compare_with_spark(corpus: Corpus, spark: Any) -> Extraction:
    """The text's lineage, and a diagnostic for every edge on which Spark does not agree."""
    static, exact, programs = run_both_engines(corpus, spark)
    functions = {dataset for dataset, info in static.datasets.items() if info.kind == "function"}
    refused = any(d.code is Code.ENGINE_REFUSED for d in exact.diagnostics)
    understood = {read.target for read in exact.reads} if refused else set(static.datasets)
    found = compare(compose_through(static.edges, functions), exact, targets=understood - programs)
    disagreements = [Diagnostic(Code.ENGINES_DISAGREE, str(disagreement)) for disagreement in found]
    diagnostics = sorted({*static.diagnostics, *exact.diagnostics, *disagreements}, key=order_of)
    return Extraction(
        static.edges, static.reads, static.datasets, diagnostics, static.coverage, static.occurrences,
        lambda: static.statements, failures=static.failures,
    )  # fmt: skip


def hidden_once(definitions: Definitions) -> dict[Dataset, bool]:
    """The temporary tables that are composed away, and whether a single statement writes them."""
    written = [definition.target for definition in definitions.order if definition.hidden]
    return {dataset: written.count(dataset) == 1 for dataset in written}


def written_by(definition: Definition) -> DatasetInfo:
    """Describe a temporary table, which does not belong to the result."""
    slots = definition.frame.slots if definition.frame is not None else ()
    return DatasetInfo(
        definition.target, "table", [ColumnInfo(slot.name) for slot in slots], complete=True
    )


def inserted_into(dataset: Dataset, statements: Iterable[Definition]) -> bool:
    """Tell whether a statement fills a dataset that another one creates."""
    return any(d.target == dataset and not d.plan.defines for d in statements)


def in_order(definitions: Definitions) -> Iterator[Definition]:
    """Each definition after those it reads."""
    by_target = group(definitions.order, lambda definition: definition.target)
    done: set[int] = set()
    for first in definitions.order:
        waiting = [first]
        while waiting:
            definition = waiting[-1]
            if id(definition) in done:
                waiting.pop()
                continue

            read = definition.evaluation.datasets_read if definition.evaluation is not None else {}
            needed = [
                d for dataset in read for d in by_target.get(dataset, ()) if id(d) not in done
            ]
            needed = [d for d in needed if d not in waiting and d.target != definition.target]
            if needed:
                waiting.extend(needed)
            else:
                done.add(id(definition))
                waiting.pop()
                yield definition


class NotAsked(Exception):
    """Spark is not asked about a statement; the message says why."""


class Exact:
    """The statements of a corpus, analyzed one after the other."""

    def __init__(
        self,
        static: Extraction,
        stand_ins: StandIns,
        spark: Any,
        hidden: dict[Dataset, bool],
        beside: dict[str, list[Dataset]],
        translator: Translator,
    ) -> None:
        self.static = static
        self.beside = beside
        self.translator = translator
        self.hidden = hidden
        self.stand_ins = stand_ins
        self.spark = spark
        self.edges: list[Edge] = []
        self.diagnostics: list[Diagnostic] = []
        self.coverage = Coverage(static.coverage.files.copy())
        self.parts: list[Extraction] = []

    def add(self, definition: Definition) -> None:
        """Let Spark analyze a statement, and read its plan."""
        if is_program(definition):
            self.coverage.statements.found += 1
            self.coverage.fail(Code.ENGINE_REFUSED.code)
            return

        if definition.plan.kind == "function":
            self.stand_ins.add_table_function(definition.plan.name)
            return

        self.coverage.statements.found += 1
        if not self.follows(definition):
            self.report_refusal(
                definition, NotAsked("a temporary table that it reads is written more than once")
            )
            return

        info = self.static.datasets.get(definition.target) or written_by(definition)
        inserts = not definition.plan.defines
        if inserts:
            self.stand_ins.add(info, as_table=True)

        statement = statement_of(definition)
        for other in self.beside.get(statement, ()):
            if other != definition.target and other in self.static.datasets:
                self.stand_ins.add(self.static.datasets[other], as_table=True)

        try:
            plan = self.analyze(rename_target(definition, statement, self.translator))
            found = of_plan(plan, self.spark, str(definition.target), self.stand_ins.names)
        except Exception as problem:
            self.report_refusal(definition, problem)
            self.stand_ins.add(info)
            return

        self.coverage.columns.add(found.coverage.columns)
        self.parts.append(found)
        self.edges.extend(edges_into(definition.target, found))
        self.diagnostics.extend(found.diagnostics)
        if not inserts:
            try:
                self.stand_ins.add_like(str(definition.target), plan, found)
            except Exception as problem:
                self.report_refusal(definition, problem)

    def analyze(self, statement: str) -> Any:
        """The plan of a statement. Where the type of a column is not known, Spark may cast it to
        any other.
        """
        try:
            return analyze(statement, self.spark)
        except AnalysisException as problem:
            if not (self.stand_ins.guessed and "DATATYPE_MISMATCH" in str(problem)):
                raise

            with implicit_casts(self.spark), suppress(AnalysisException):
                return analyze(statement, self.spark)

            raise

    def report_failure(self, definition: Definition, error: Exception) -> None:
        """lineal itself failed over what Spark made of a statement."""
        place = definition.reading.statement_near(definition.plan.node)
        self.tell(internal_error(error, place))

    def report_refusal(self, definition: Definition, problem: Exception) -> None:
        """Report a statement that Spark refuses."""
        if not isinstance(problem, (PySparkException, Py4JError, NotAsked)):
            self.report_failure(definition, problem)
            return

        offset = offset_of(definition.plan.node)
        place = definition.reading.place_at(offset) if offset is not None else None
        message = f"Spark refuses the statement: {one_line(problem)}"
        self.tell(Diagnostic(Code.ENGINE_REFUSED, message, place))

    def tell(self, diagnostic: Diagnostic) -> None:
        """Report why a statement has no result, and count it."""
        self.diagnostics.append(diagnostic)
        self.coverage.fail(diagnostic.code.code)

    def follows(self, definition: Definition) -> bool:
        """Whether what it reads has one state only: a stand-in does not change from statement to
        statement.
        """
        evaluation = definition.evaluation
        read = [state.dataset for state in evaluation.composed] if evaluation is not None else []
        return all(self.hidden.get(dataset, True) for dataset in (*read, definition.target))

    def extraction(self) -> Extraction:
        """Return the lineage of all plans."""
        return Extraction(
            edges=[
                edge
                for edge in compose_through(self.edges, set(self.hidden))
                if edge.into not in self.hidden
            ],
            reads=flatten(part.reads for part in self.parts),
            datasets=self.static.datasets,
            diagnostics=sorted({*self.diagnostics, *self.stand_ins.refusals}, key=order_of),
            coverage=self.coverage,
            occurrences=self.static.occurrences,
            statements=lambda: self.static.statements,
            failures=self.static.failures,
        )


def inserted_beside(statements: Iterable[Definition]) -> dict[str, list[Dataset]]:
    """FROM s INSERT INTO a … INSERT INTO b …

    the statement, and every dataset that it writes
    """
    found: dict[str, list[Dataset]] = {}
    for definition in statements:
        if not definition.plan.defines and definition.plan.kind != "function":
            try:
                statement = statement_of(definition)
            except Exception:  # noqa: S112  told when the statement itself is analyzed
                continue

            if statement[:4].upper() == "FROM":
                found.setdefault(statement, []).append(definition.target)

    return found


def edges_into(target: Dataset, found: Extraction) -> list[Edge]:
    """FROM s INSERT INTO a … INSERT INTO b …

    of a statement that writes several datasets, those of one
    """
    several = len({edge.into for edge in found.edges}) > 1
    if several:
        return [edge for edge in found.edges if edge.into == target]

    return found.edges


def statement_of(definition: Definition) -> str:
    """The statement's text where Spark reads its dialect, else its translation."""
    script = definition.reading.script
    node = definition.plan.node
    offset = offset_of(node)
    if script.dialect in SPARKS_OWN and offset is not None:
        return without_replace(definition.reading.statement_at(offset))

    return without_replace(str(node.sql(dialect="spark")))


def without_replace(text: str) -> str:
    """CREATE OR REPLACE TABLE t AS …

    the session catalog cannot replace a table, but it can analyze the query
    """
    return re.sub(
        r"^(\s*CREATE)\s+OR\s+REPLACE\s+(TABLE\b)", r"\1 \2", text, count=1, flags=re.IGNORECASE
    )


def translator_of(corpus: Corpus, tables: Mapping[str, str]) -> Translator:
    """analytics.dbt.orders is the dataset orders, and so is its stand-in called"""
    return Translator(corpus.dialect, corpus.aliases, tables)


def rename_target(definition: Definition, statement: str, translator: Translator) -> str:
    """A statement with the names of datasets where SQL writes relations: those of a dbt project."""
    if not translator.names:
        return statement

    return translator.statements(Script(statement, "spark", definition.reading.script.file))[0].sql


@contextmanager
def implicit_casts(spark: Any) -> Iterator[None]:
    """Spark casts as it did before ANSI: text in a sum is a number."""
    before = spark.conf.get(ANSI)
    spark.conf.set(ANSI, "false")
    try:
        yield
    finally:
        spark.conf.set(ANSI, before)
