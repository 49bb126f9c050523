"""Spark as the exact engine: lineage from its own analysed plan, of one statement or of a whole corpus."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lineal.extract.catalyst.plan import Names, extract
from lineal.extract.definitions import Definitions
from lineal.extract.entries import Definition
from lineal.extract.sql.reading import offset_of
from lineal.graph.compare import compare
from lineal.graph.through import through
from lineal.model.diagnostic import Code, Diagnostic, order_of
from lineal.model.edge import Dataset, Edge
from lineal.model.extraction import ColumnInfo, Coverage, DatasetInfo, Extraction
from lineal.model.script import Corpus
from lineal.spark.plan import analysed, described
from lineal.spark.session import one_line
from lineal.spark.stand_in import StandIns

SPARKS_OWN = frozenset(("spark", "spark2", "databricks", "hive"))
"""Dialects whose text Spark reads as it is; the others are transpiled."""


def lineage(df_or_sql: Any, spark: Any = None, target: str | None = None, names: Names | None = None) -> Extraction:
    """The lineage of a DataFrame or a statement, exactly as Spark's analyser understands it. Nothing is executed."""
    spark = spark if spark is not None else df_or_sql.sparkSession
    return of_plan(analysed(df_or_sql, spark), spark, target, names)


def of_plan(plan: Any, spark: Any, target: str | None = None, names: Names | None = None) -> Extraction:
    if names is None:
        names = Names(database=str(spark._jsparkSession.sessionState().catalog().getCurrentDatabase()))
    return extract(described(plan, spark, names.views), target or "query", names)


def of_corpus(corpus: Corpus, spark: Any) -> tuple[Extraction, Extraction]:
    """(static, exact): the text's lineage, and Spark's on empty tables made from the known schemas."""
    definitions = Definitions(corpus)
    static = definitions.extract()
    stand_ins = StandIns(spark, corpus)
    with stand_ins:
        stand_ins.add_functions()
        defined = {definition.target for definition in definitions.order}
        for dataset, info in static.datasets.items():
            if dataset not in defined and info.kind != "function":
                stand_ins.add(info, inserted_into(dataset, definitions))
        for info in former_states(definitions):
            stand_ins.add(info)
        exact = Exact(static, stand_ins, spark, hidden_once(definitions), inserted_beside(definitions))
        for definition in in_order(definitions):
            exact.add(definition)
    return static, exact.extraction()


def former_states(definitions: Definitions) -> Iterator[DatasetInfo]:
    """CREATE OR REPLACE TABLE t AS SELECT … FROM t      t as it is declared, before the statement"""
    for definition in definitions.order:
        declared = definition.entry.declared
        read = definition.evaluation.datasets_read if definition.evaluation is not None else {}
        if declared is not None and definition.target in read:
            yield declared


def compared(corpus: Corpus, spark: Any) -> Extraction:
    """The text's lineage, and a diagnostic for every edge on which Spark does not agree."""
    static, exact = of_corpus(corpus, spark)
    functions = {dataset for dataset, info in static.datasets.items() if info.kind == "function"}
    refused = any(d.code is Code.ENGINE_REFUSED for d in exact.diagnostics)
    understood = {read.target for read in exact.reads} if refused else set(static.datasets)
    found = compare(through(static.edges, functions), exact, targets=understood)
    disagreements = [Diagnostic(Code.ENGINES_DISAGREE, str(disagreement)) for disagreement in found]
    diagnostics = sorted({*static.diagnostics, *exact.diagnostics, *disagreements}, key=order_of)
    return Extraction(
        static.edges, static.reads, static.datasets, diagnostics, static.coverage, static.occurrences,
        lambda: static.statements,
    )  # fmt: skip


def hidden_once(definitions: Definitions) -> dict[Dataset, bool]:
    """The temporary tables that are composed away, and whether a single statement writes them."""
    written = [definition.target for definition in definitions.order if definition.hidden]
    return {dataset: written.count(dataset) == 1 for dataset in written}


def written_by(definition: Definition) -> DatasetInfo:
    """A temporary table, which is no dataset of the result."""
    slots = definition.frame.slots if definition.frame is not None else ()
    return DatasetInfo(definition.target, "table", [ColumnInfo(slot.name) for slot in slots], complete=True)


def inserted_into(dataset: Dataset, definitions: Definitions) -> bool:
    return any(d.target == dataset and not d.plan.defines for d in definitions.order)


def in_order(definitions: Definitions) -> Iterator[Definition]:
    """Each definition after those it reads."""
    by_target: dict[Dataset, list[Definition]] = {}
    for definition in definitions.order:
        by_target.setdefault(definition.target, []).append(definition)
    done: set[int] = set()
    for first in definitions.order:
        waiting = [first]
        while waiting:
            definition = waiting[-1]
            if id(definition) in done:
                waiting.pop()
                continue
            read = definition.evaluation.datasets_read if definition.evaluation is not None else {}
            needed = [d for dataset in read for d in by_target.get(dataset, ()) if id(d) not in done]
            needed = [d for d in needed if d not in waiting and d.target != definition.target]
            if needed:
                waiting.extend(needed)
            else:
                done.add(id(definition))
                waiting.pop()
                yield definition


class Exact:
    """The statements of a corpus, analysed one after the other."""

    def __init__(
        self,
        static: Extraction,
        stand_ins: StandIns,
        spark: Any,
        hidden: dict[Dataset, bool],
        beside: dict[str, list[Dataset]],
    ) -> None:
        self.static = static
        self.beside = beside
        self.hidden = hidden
        self.stand_ins = stand_ins
        self.spark = spark
        self.edges: list[Edge] = []
        self.diagnostics: list[Diagnostic] = []
        self.coverage = Coverage()
        self.parts: list[Extraction] = []

    def add(self, definition: Definition) -> None:
        if definition.plan.kind == "function":
            self.stand_ins.add_table_function(definition.plan.name)
            return
        self.coverage.read += 1
        if not self.follows(definition):
            self.refused(definition, ValueError("a temporary table that it reads is written more than once"))
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
            plan = analysed(statement, self.spark)
            found = of_plan(plan, self.spark, str(definition.target), self.stand_ins.names)
        except Exception as problem:
            self.refused(definition, problem)
            self.stand_ins.add(info)
            return
        self.coverage.parsed += 1
        self.coverage.resolved += 1
        self.coverage.references += found.coverage.references
        self.parts.append(found)
        self.edges.extend(edges_into(definition.target, found))
        self.diagnostics.extend(found.diagnostics)
        if not inserts:
            try:
                self.stand_ins.add_like(str(definition.target), plan, found)
            except Exception as problem:
                self.refused(definition, problem)

    def refused(self, definition: Definition, problem: Exception) -> None:
        offset = offset_of(definition.plan.node)
        place = definition.reading.place_at(offset) if offset is not None else None
        message = f"Spark refuses the statement: {one_line(problem)}"
        self.diagnostics.append(Diagnostic(Code.ENGINE_REFUSED, message, place))

    def follows(self, definition: Definition) -> bool:
        """Whether what it reads has one state only: a stand-in does not change from statement to statement."""
        evaluation = definition.evaluation
        read = [state.dataset for state in evaluation.composed] if evaluation is not None else []
        return all(self.hidden.get(dataset, True) for dataset in (*read, definition.target))

    def extraction(self) -> Extraction:
        return Extraction(
            edges=[edge for edge in through(self.edges, set(self.hidden)) if edge.into not in self.hidden],
            reads=[read for part in self.parts for read in part.reads],
            datasets=self.static.datasets,
            diagnostics=sorted({*self.diagnostics, *self.stand_ins.refusals}, key=order_of),
            coverage=self.coverage,
            occurrences=self.static.occurrences,
            statements=lambda: self.static.statements,
        )


def inserted_beside(definitions: Definitions) -> dict[str, list[Dataset]]:
    """FROM s INSERT INTO a … INSERT INTO b …      the statement, and every dataset that it writes"""
    found: dict[str, list[Dataset]] = {}
    for definition in definitions.order:
        if not definition.plan.defines and definition.plan.kind != "function":
            statement = statement_of(definition)
            if statement[:4].upper() == "FROM":
                found.setdefault(statement, []).append(definition.target)
    return found


def edges_into(target: Dataset, found: Extraction) -> list[Edge]:
    """FROM s INSERT INTO a … INSERT INTO b …      of a statement that writes several datasets, those of one"""
    several = len({edge.into for edge in found.edges}) > 1
    return [edge for edge in found.edges if edge.into == target] if several else found.edges


def statement_of(definition: Definition) -> str:
    """The statement's text where Spark reads its dialect, else its translation."""
    script = definition.reading.script
    node = definition.plan.node
    offset = offset_of(node)
    if script.dialect in SPARKS_OWN and offset is not None:
        return without_replace(definition.reading.statement_at(offset))
    return without_replace(str(node.sql(dialect="spark")))


def without_replace(text: str) -> str:
    """CREATE OR REPLACE TABLE t AS …      the session catalogue cannot replace a table, but it can analyse the query"""
    return re.sub(r"^(\s*CREATE)\s+OR\s+REPLACE\s+(TABLE\b)", r"\1 \2", text, count=1, flags=re.IGNORECASE)
