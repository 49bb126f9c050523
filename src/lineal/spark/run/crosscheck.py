"""The cross-check: the lineage that the text gives, beside the one that Spark's analysed plan gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from threading import Lock
from typing import Any

from lineal.extract.catalyst.plan import Names
from lineal.extract.sql.translate import statement
from lineal.graph.compare import compare
from lineal.graph.graph import Graph
from lineal.model.edge import Column, Dataset, Edge, Usage
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus
from lineal.model.way import compose
from lineal.spark.exact import lineage
from lineal.spark.run.errors import message_of
from lineal.spark.run.jobs import Job, key_of
from lineal.spark.run.result import Agreement

DEEPEST = 20
"""Functions that read functions are followed so far."""


class Crosscheck:
    """Compares one model after the other."""

    def __init__(self, corpus: Corpus, static: Extraction, spark: Any) -> None:
        self.namespace = corpus.namespace
        self.meanings = corpus.meanings
        self.spark = spark
        self.texts = texts_by_model(corpus)
        functions = frozenset(Dataset(corpus.namespace, each.name) for each in corpus.functions if each.table)
        self.inlined = Inlined(static, functions)
        self.one_at_a_time = Lock()
        """Reading a plan is Python's work: side by side it would be no faster."""

    def of(self, job: Job) -> Agreement:
        """Static beside exact, for all the ways in which the model can be rendered."""
        static = self.inlined.into(Dataset(self.namespace, job.name))
        try:
            with self.one_at_a_time:
                exact = self.exact(job)
        except Exception as problem:
            return Agreement(counts(static), (0, 0), (), f"Spark's plan cannot be read: {message_of(problem)}")
        return Agreement(counts(static), counts(exact), tuple(compare(static, exact)))

    def exact(self, job: Job) -> list[Edge]:
        names = Names(namespace=self.namespace, meanings=self.meanings)
        texts = self.texts.get(job.key, job.step.texts)
        found = [lineage(statement(text, job.dialect), self.spark, job.name, names) for text in dict.fromkeys(texts)]
        return united(edge for extraction in found for edge in extraction.edges)


def texts_by_model(corpus: Corpus) -> Mapping[str, list[str]]:
    texts: dict[str, list[str]] = {}
    for script in corpus.scripts:
        if script.target is not None:
            texts.setdefault(key_of(script.target), []).append(script.text)
    return texts


def counts(edges: Iterable[Edge]) -> tuple[int, int]:
    """104 + 9: the field-level edges, and the inspect edges of columns that no field-level edge has."""
    graph = Graph(Extraction(list(edges)))
    fields = sum(edge.field_level for edge in graph.edges)
    return fields, sum(not edge.field_level and not graph.also_selected(edge) for edge in graph.edges)


def united(edges: Iterable[Edge]) -> list[Edge]:
    """One edge for each pair of ends, with all its usages."""
    found: dict[tuple[Column, Column | Dataset], Edge] = {}
    for edge in edges:
        ends = (edge.source, edge.target)
        held = found.get(ends)
        found[ends] = edge if held is None else Edge(*ends, distinct((*held.usages, *edge.usages)))
    return list(found.values())


def distinct(usages: Iterable[Usage]) -> tuple[Usage, ...]:
    return tuple({usage.way: usage for usage in usages}.values())


class Inlined:
    """The static edges as Spark sees them: a table function's body stands in place of its call."""

    def __init__(self, static: Extraction, functions: frozenset[Dataset]) -> None:
        self.functions = functions
        self.edges: dict[Dataset, list[Edge]] = {}
        for edge in static.edges:
            self.edges.setdefault(edge.into, []).append(edge)
        self.calls: dict[Dataset, set[Dataset]] = {}
        for read in static.reads if functions else ():
            if read.dataset in functions:
                self.calls.setdefault(read.target, set()).add(read.dataset)

    def into(self, target: Dataset, depth: int = 0) -> list[Edge]:
        """What leads into a dataset, through the functions that it calls."""
        edges = self.edges.get(target, [])
        called = self.calls.get(target, set()) - {target}
        if not called or depth > DEEPEST:
            return edges
        bodies = {function: self.into(function, depth + 1) for function in called}
        own = [edge for edge in edges if edge.source.dataset not in bodies]
        through = [
            composed(edge, inner)
            for edge in edges
            for inner in bodies.get(edge.source.dataset, ())
            if inner.target == edge.source
        ]
        rows = [
            Edge(edge.source, target, edge.usages) for body in bodies.values() for edge in body if not edge.field_level
        ]
        return united([*own, *through, *rows])


def composed(outer: Edge, inner: Edge) -> Edge:
    """outer ∘ inner: source of the one, target of the other."""
    pairs = ((there, here) for there in outer.usages for here in inner.usages)
    usages = (there._replace(way=compose(there.way, here.way)) for there, here in pairs)
    return Edge(inner.source, outer.target, distinct(usages))
