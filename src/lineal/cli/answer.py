"""From what is asked to a report."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lineal.cli.bar import Counted, bar
from lineal.cli.lineage import Mistake, Request
from lineal.graph.graph import Graph, UnknownName
from lineal.graph.select import ALL
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.edge import Column, Dataset
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Defaults
from lineal.store import Cache, digest, machinery
from lineal.views.report import DOWNSTREAM, UPSTREAM, Report, around, everything, impact_of, table_level, traced


def answer(request: Request, corpus: Corpus, kept: Cache | None = None) -> Report:
    """A report on the corpus; what is kept of an earlier run spares work."""
    from lineal.extract import UnknownDialect

    try:
        graph = Graph(ENGINES[request.engine](request, corpus, kept))
        at = _asked(graph, request)
        return _tables(graph, at, request) if request.level == "table" else _columns(graph, at, request)
    except (UnknownDialect, UnknownName) as mistake:
        raise Mistake(str(mistake)) from mistake


def corpus_of(request: Request) -> Corpus:
    """What there is to analyse, and what the options say about its names."""
    corpus = _read(request)
    corpus.collapse_temporary = request.collapse_temp
    if request.default_catalog or request.default_schema:
        corpus.defaults = Defaults(request.default_catalog, request.default_schema)
    return corpus


def _read(request: Request) -> Corpus:
    from lineal.projects import ProjectError, corpus_of_text, load

    try:
        if request.path != "-":
            return load(request.path, request.dialect, request.schema, request.log)
        text, diagnostics = _standard_input()
        corpus = corpus_of_text(text, request.dialect, request.schema)
    except ProjectError as mistake:
        raise Mistake(str(mistake)) from mistake
    corpus.diagnostics += diagnostics
    return corpus


def _by_text(request: Request, corpus: Corpus, kept: Cache | None) -> Extraction:
    """After an edit only what has to do with it is read again; what is new is shared out among processes."""
    from lineal.extract.definitions import extract
    from lineal.extract.memory import Memory
    from lineal.extract.parallel import remember_in_parallel

    where = str(Path(request.path).resolve())
    key = digest("memory", machinery(), where, corpus.dialect, corpus.collapse_temporary, request.log)
    memory = Memory(kept.get(key) if kept is not None else None)
    with bar(len(corpus.scripts), request.color) as tick:
        shared = remember_in_parallel(corpus, memory, request.jobs, tick)
        if not shared:
            corpus.scripts = Counted(corpus.scripts, tick)
        found = extract(corpus, memory if shared or kept is not None else None)
    data = memory.data() if kept is not None else None
    if kept is not None and data is not None:
        kept.put(key, data)
    return found


def _by_plan(request: Request, corpus: Corpus, kept: Cache | None) -> Extraction:
    """Spark's own analysis, on empty tables made from the known schemas."""
    from lineal.spark.exact import of_corpus

    return of_corpus(corpus, _spark())[1]


def _by_both(request: Request, corpus: Corpus, kept: Cache | None) -> Extraction:
    """The text's lineage, with a diagnostic for every edge on which Spark does not agree."""
    from lineal.spark.exact import compared

    return compared(corpus, _spark())


def _spark() -> Any:
    from lineal.spark.session import SparkUnavailable, session

    try:
        return session()
    except SparkUnavailable as problem:
        raise Mistake(str(problem)) from problem


ENGINES: dict[str, Callable[[Request, Corpus, Cache | None], Extraction]] = {
    "text": _by_text,
    "catalyst": _by_plan,
    "both": _by_both,
}


def _standard_input() -> tuple[list[str], list[Diagnostic]]:
    content = sys.stdin.buffer.read() if sys.stdin is not None else b""  # None: closed, as by <&-
    try:
        text = content.decode("utf-8-sig")
        nothing = [] if text.strip() else [Diagnostic(Code.NO_INPUT, "standard input is empty", Place("", 1, 1))]
        return [text], nothing
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        message = f"byte {content[problem.start]:#04x} is not UTF-8"
        return [], [Diagnostic(Code.NOT_UTF8, message, Place("", line, 1))]


def _asked(graph: Graph, request: Request) -> Column | Dataset | None:
    """The column or dataset that the selector or the options name."""
    if request.selection:
        return graph.find(request.selection.name)
    if request.node is None:
        return None if request.column is None else graph.column(request.column)
    dataset = graph.dataset(request.node)
    return dataset if request.column is None else graph.column_in(dataset, request.column)


def _columns(graph: Graph, at: Column | Dataset | None, request: Request) -> Report:
    if at is None:
        return everything(graph)
    if request.impact:
        if not isinstance(at, Column):
            raise Mistake(f"--impact is that of one column: {at} is a dataset")
        return impact_of(graph, at)
    if isinstance(at, Dataset) and not request.selection and request.view != "chain":
        return around(graph, at, request.direction or UPSTREAM)
    starts = [at] if isinstance(at, Column) else graph.columns(at)
    up, down = _hops(request, ALL)
    return traced(graph, starts, up=up, down=down, with_rows=request.with_rows)


def _tables(graph: Graph, at: Column | Dataset | None, request: Request) -> Report:
    if at is None:
        return table_level(graph)
    up, down = _hops(request, 1)
    return table_level(graph, at.dataset if isinstance(at, Column) else at, up=up, down=down)


def _hops(request: Request, far: int) -> tuple[int, int]:
    """How far to go upstream and downstream: as the selector says, or `far` in the direction that is asked for."""
    if request.selection:
        return request.selection.up, request.selection.down
    direction = request.direction or UPSTREAM
    return far * (direction != DOWNSTREAM), far * (direction != UPSTREAM)
