"""The cross-check: the lineage of the text, compared with that of Spark's analyzed
plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import chain
from threading import Lock
from typing import Any

from lineal.extract.catalyst.plan import Names
from lineal.extract.sql.translator import Translated, Translator
from lineal.graph.compare import Disagreement, Fact, compare, fact_text, facts
from lineal.graph.graph import Graph
from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.model.edge import Column, Dataset, Edge, Usage
from lineal.model.extraction import Extraction
from lineal.model.grouping import group, group_pairs
from lineal.model.script import Corpus, DbtContext, Script
from lineal.model.way import Confidence, compose
from lineal.resolve.catalog import PYTHON
from lineal.spark.plan_lineage import lineage
from lineal.spark.run.errors import message_of
from lineal.spark.run.jobs import Job, key_of
from lineal.spark.run.python_models import PythonModels, Trace
from lineal.spark.run.result import Agreement

DEEPEST = 20
"""Functions that read functions are followed so far."""


class Crosscheck:
    """Compares one model after the other."""

    def __init__(
        self,
        corpus: Corpus,
        static: Extraction,
        spark: Any,
        translator: Translator,
        python: PythonModels | None = None,
    ) -> None:
        self.corpus = corpus
        self.static = static
        self.translator = translator
        self.python = python
        self.namespace = corpus.namespace
        self.meanings = corpus.meanings
        self.spark = spark
        self.texts = texts_by_model(corpus)
        self.functions = frozenset(
            Dataset(corpus.namespace, each.name) for each in corpus.functions if each.table
        )
        self.inlined = Inlined(static, self.functions)
        self.branches: dict[bool, Inlined] = {}
        """The static lineage of Python models with the answer that dbt.is_incremental gave."""
        self.without_hooks: Inlined | None = None
        """The static lineage of the models' own queries, made when it is asked for."""
        self.one_at_a_time = Lock()
        """Reading a plan is Python's work: side by side it would be no faster."""

    def compare_job(self, job: Job) -> Agreement:
        """Static compared with exact, for all the ways in which the model can be rendered."""
        if job.is_python:
            return self.of_python(job)

        static = self.inlined.into(Dataset(self.namespace, job.name))
        try:
            with self.one_at_a_time:
                statements = self.statements(job)
                exact = self.exact(job, statements)
                return self.compare_edges(job, static, exact, statements)
        except Exception as problem:
            return Agreement(
                counts(static), (0, 0), (), f"Spark's plan cannot be read: {message_of(problem)}"
            )

    def compare_edges(
        self, job: Job, static: list[Edge], exact: list[Edge], statements: list[Translated]
    ) -> Agreement:
        """Return the edges that only one engine has, without those that cannot be compared."""
        found = compare(static, exact)
        left: list[Fact] = []
        reasons: list[str] = []
        for reason, excuse in EXCUSES:
            if found:
                facts_ = {
                    fact_text(fact): fact for fact in excuse(self, job, static, exact, statements)
                }
                excused = [each for each in found if each.edge in facts_]
                found = [each for each in found if each.edge not in facts_]
                left += [facts_[each.edge] for each in excused]
                reasons += [reason] if excused else []

        columns = tuple(sorted({target.partition(" ")[2] for _, target, _ in left}))
        return Agreement(
            counts(static), counts(exact), tuple(found), "", columns, "; ".join(reasons)
        )

    def of_python(self, job: Job) -> Agreement:
        """Static compared with what Spark has seen of the model that ran. Both go the same way where
        dbt.is_incremental is
        asked; what the text leaves open is not comparable."""
        assert self.python is not None
        trace = self.python.traces[job.key]
        with self.one_at_a_time:
            static = self.branch(job, trace).into(Dataset(self.namespace, job.name))

        if trace.problem:
            return Agreement(
                counts(static), (0, 0), (), f"Spark's plan cannot be read: {trace.problem}"
            )

        exact = unite_edges(trace.edges)
        is_open = any(
            each.code in LEAVES_OPEN and each.file in trace.files
            for each in self.static.diagnostics
        )
        found = Comparison(static, exact, is_open or any(_is_open(edge.target) for edge in static))
        return Agreement(counts(static), counts(exact), found.disagreements, "", found.incomparable)

    def branch(self, job: Job, trace: Trace) -> Inlined:
        """The static lineage of the branch that has run, of a model that asks for it."""
        if not any(ASKS in text for text in job.step.texts):
            return self.inlined

        if trace.incremental not in self.branches:
            scripts = [with_answer(script, trace.incremental) for script in self.corpus.scripts]
            static = extract(replace(self.corpus, scripts=scripts))
            self.branches[trace.incremental] = Inlined(static, self.functions)

        return self.branches[trace.incremental]

    def statements(self, job: Job) -> list[Translated]:
        """Every way in which the model can be rendered, as Spark reads it."""
        texts = self.texts.get(job.key, job.step.texts)
        return [self.translator.query(Script(text, job.dialect)) for text in dict.fromkeys(texts)]

    def exact(self, job: Job, statements: list[Translated]) -> list[Edge]:
        """Return the edges that Spark's plans of these statements have."""
        names = Names(
            namespace=self.namespace, meanings=self.meanings, datasets=self.translator.datasets
        )
        found = [lineage(each.sql, self.spark, job.name, names) for each in statements]
        return unite_edges(chain.from_iterable(extraction.edges for extraction in found))

    # -- what cannot be compared -------------------------------------------------------------------

    def of_hooks(
        self, job: Job, static: list[Edge], exact: list[Edge], statements: list[Translated]
    ) -> set[Fact]:
        """Return the lineage that a project's hooks add to a model: a plan covers only its query."""
        if self.without_hooks is None:
            scripts = [script for script in self.corpus.scripts if script.target is not None]
            own = (
                extract(replace(self.corpus, scripts=scripts))
                if len(scripts) < len(self.corpus.scripts)
                else None
            )
            self.without_hooks = Inlined(own or self.static, self.functions)

        bare = facts(self.without_hooks.into(Dataset(self.namespace, job.name)), None)
        return facts(static, None).keys() - bare.keys()

    def of_open_stars(
        self, job: Job, static: list[Edge], exact: list[Edge], statements: list[Translated]
    ) -> set[Fact]:
        """SELECT * over a table whose columns the text does not know: Spark knows them."""
        if not any(_is_open(edge.target) or edge.source.name == "*" for edge in static):
            return set()

        sure = facts(map(certain_usages, static), None)
        return (facts(static, None).keys() - sure.keys()) | (
            facts(exact, None).keys() - facts(static, None).keys()
        )

    def of_translation(
        self, job: Job, static: list[Edge], exact: list[Edge], statements: list[Translated]
    ) -> set[Fact]:
        """How a column is used, where the translation says it in other words: IF(b = 0, NULL, a /
        b) for a / b.

        Static reading of the translation must agree with Spark, and the text of the model have the
        same edge.
        """
        if all(each.kept for each in statements):
            return set()

        ours, theirs, spoken = (
            facts(each, None) for each in (static, exact, self.translated_edges(job, statements))
        )
        pairs = {fact[:2] for fact in ours} & {fact[:2] for fact in theirs}
        beside = (ours.keys() ^ theirs.keys()) & (ours.keys() ^ spoken.keys())
        return {fact for fact in beside if fact[:2] in pairs}

    def translated_edges(self, job: Job, statements: list[Translated]) -> list[Edge]:
        """The static lineage of a translation."""
        scripts = [Script(each.sql, "spark", job.step.file, target=job.name) for each in statements]
        infos = [info for info in self.static.datasets.values() if info.dataset.name != job.name]
        names = {table: name for table, name in self.translator.datasets.items() if table != name}
        corpus = Corpus(
            "spark", scripts, infos, meanings=self.meanings, namespace=self.namespace, aliases=names,
        )  # fmt: skip
        return [edge for edge in extract(corpus).edges if edge.into.name == job.name]


EXCUSES: tuple[tuple[str, Callable[..., set[Fact]]], ...] = (
    ("a hook changes them", Crosscheck.of_hooks),
    ("the text does not know all columns of a table", Crosscheck.of_open_stars),
    ("the translation says them in other words", Crosscheck.of_translation),
)
"""Why a fact may be known to one side only, and which facts those are."""


LEAVES_OPEN = frozenset((Code.DYNAMIC, Code.UNSUPPORTED_CONSTRUCT, Code.TOO_DEEP, Code.NOT_WRITTEN))
"""Where one of these stands, static reading has said that it does not know everything."""

ASKS = "is_incremental"


def with_answer(script: Script, incremental: bool) -> Script:
    """A Python model that is told whether it is incremental."""
    if script.dialect != PYTHON or script.target is None:
        return script

    return replace(script, dbt=replace(script.dbt or DbtContext(), incremental=incremental))


def _is_open(target: Column | Dataset) -> bool:
    """m.*, m.<pivot:status>: columns of which only a run knows the names."""
    return isinstance(target, Column) and (target.name == "*" or target.name.startswith("<"))


class Comparison:
    """The facts of two engines about a Python model: those that only one has, as far as they can be
    compared.

    An edge that the text leaves in doubt, because it stands in one of several branches, need not be
    in a plan. An edge of a plan need not be in the text where static reading has said that it does
    not know everything.
    """

    def __init__(self, static: list[Edge], exact: list[Edge], is_open: bool) -> None:
        sure = facts((certain_usages(edge) for edge in static if not _is_open(edge.target)), None)
        ours, theirs = facts(static, None), facts(exact, None)
        self.only_ours = [fact for fact in ours if fact not in theirs and fact in sure]
        beyond = [fact for fact in theirs if fact not in ours]
        self.only_theirs = [] if is_open else beyond
        doubtful = [fact for fact in ours if fact not in theirs and fact not in sure]
        self.left_out = [*doubtful, *(beyond if is_open else [])]
        self.targets = {**ours, **theirs}

    @property
    def disagreements(self) -> tuple[Disagreement, ...]:
        """Return every edge that only one engine has."""
        sides = (("static", self.only_ours), ("catalyst", self.only_theirs))
        found = [
            Disagreement(self.targets[fact], fact_text(fact), side)
            for side, facts_ in sides
            for fact in facts_
        ]
        return tuple(sorted(found))

    @property
    def incomparable(self) -> tuple[str, ...]:
        """The columns that cannot be compared, or the dataset itself for its rows; placeholders of
        columns without names are left out.
        """
        targets = {target.partition(" ")[2] for _, target, _ in self.left_out}
        return tuple(sorted(name for name in targets if not name.endswith((".*", ">"))))


def certain_usages(edge: Edge) -> Edge:
    """Return an edge with only the usages that are certain."""
    return edge._replace(
        usages=tuple(usage for usage in edge.usages if usage.level >= Confidence.HIGH)
    )


def texts_by_model(corpus: Corpus) -> Mapping[str, list[str]]:
    """Return the texts of each model."""
    return group_pairs(
        (key_of(script.target), script.text)
        for script in corpus.scripts
        if script.target is not None
    )


def counts(edges: Iterable[Edge]) -> tuple[int, int]:
    """104 + 9: the field-level edges, and the inspect edges of columns that no field-level edge
    has.
    """
    graph = Graph(Extraction(list(edges)))
    fields = sum(edge.field_level for edge in graph.edges)
    return fields, sum(
        not edge.field_level and not graph.also_selected(edge) for edge in graph.edges
    )


def unite_edges(edges: Iterable[Edge]) -> list[Edge]:
    """One edge for each pair of ends, with all its usages."""
    found: dict[tuple[Column, Column | Dataset], Edge] = {}
    for edge in edges:
        ends = (edge.source, edge.target)
        held = found.get(ends)
        found[ends] = edge if held is None else Edge(*ends, distinct((*held.usages, *edge.usages)))

    return list(found.values())


def distinct(usages: Iterable[Usage]) -> tuple[Usage, ...]:
    """Return usages, each way once."""
    return tuple({usage.way: usage for usage in usages}.values())


class Inlined:
    """The static edges as Spark sees them: a table function's body replaces its call."""

    def __init__(self, static: Extraction, functions: frozenset[Dataset]) -> None:
        self.functions = functions
        self.edges: dict[Dataset, list[Edge]] = group(static.edges, lambda edge: edge.into)
        self.calls: dict[Dataset, set[Dataset]] = {}
        for read in static.reads if functions else ():
            if read.dataset in functions:
                self.calls.setdefault(read.target, set()).add(read.dataset)

    def into(self, target: Dataset, depth: int = 0) -> list[Edge]:
        """Return the edges into a dataset, through the functions that it calls."""
        edges = self.edges.get(target, [])
        called = self.calls.get(target, set()) - {target}
        if not called or depth > DEEPEST:
            return edges

        bodies = {function: self.into(function, depth + 1) for function in called}
        own = [edge for edge in edges if edge.source.dataset not in bodies]
        through = [
            compose_edges(edge, inner)
            for edge in edges
            for inner in bodies.get(edge.source.dataset, ())
            if inner.target == edge.source
        ]
        rows = [
            Edge(edge.source, target, edge.usages)
            for body in bodies.values()
            for edge in body
            if not edge.field_level
        ]
        return unite_edges([*own, *through, *rows])


def compose_edges(outer: Edge, inner: Edge) -> Edge:
    """outer ∘ inner: source of the one, target of the other."""
    pairs = ((there, here) for there in outer.usages for here in inner.usages)
    usages = (there._replace(way=compose(there.way, here.way)) for there, here in pairs)
    return Edge(inner.source, outer.target, distinct(usages))
