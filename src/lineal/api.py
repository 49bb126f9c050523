"""The public interface: `lineal.lineage(source)` and what it gives."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lineal.graph.boundary import graph_of, sound_part
from lineal.graph.files import FileCoverage, files_of
from lineal.graph.graph import Graph
from lineal.graph.impact import Impact, impact
from lineal.graph.select import ALL
from lineal.graph.trace import TracedEdge, downstream, upstream
from lineal.model.diagnostic import Diagnostic
from lineal.model.edge import Column, Edge, Read
from lineal.model.extraction import DatasetInfo, Extraction
from lineal.model.ledger import Coverage
from lineal.model.sequences import flatten
from lineal.views.report import Report, edges_around, report_of_all, report_of_trace

if TYPE_CHECKING:
    from lineal.model.script import Corpus
    from lineal.projects import Rules
    from lineal.projects.logs.period import Period
    from lineal.views.rows import ColumnLineageRelation
    from lineal.web.notebook import Display

PathOrText: TypeAlias = str | os.PathLike[str]
Source: TypeAlias = PathOrText | Iterable[PathOrText] | Mapping[str, str]
Schema: TypeAlias = str | os.PathLike[str] | Mapping[str, object]

KEYWORD = re.compile(
    r"\b(select|with|create|insert|update|delete|merge|values|from)\b", re.IGNORECASE
)

ADDRESS = re.compile(r"postgres(ql)?://", re.IGNORECASE)


def lineage(
    source: Source,
    dialect: str | None = None,
    schema: Schema | None = None,
    *,
    log: Mapping[str, str] | None = None,
    since: str | datetime | None = None,
    until: str | datetime | None = None,
    default_catalog: str | None = None,
    default_schema: str | Iterable[str] = (),
    collapse_temp: bool = True,
    encoding: str | None = None,
    follow_links: bool = False,
    max_file_size: int | None = None,
) -> Lineage:
    """The lineage of a path (project, file, folder, or the address of a PostgreSQL server), of SQL
    text, of a list of either, or of a mapping name → SQL.

    `log` names the columns of a query log: text, user, time, id, database. Of a log, only what ran
    at `since` or later and before `until` is read.

    >>> found = lineage({"mart": "SELECT sum(amount) AS total FROM orders"})
    >>> [str(edge) for edge in found.upstream("mart.total")]
    ['orders.amount -> mart.total  AGGREGATION']

    A name without a schema stands in the default schema, the first of several that has it.
    Temporary tables are composed into what reads them, unless `collapse_temp` is false.
    `encoding` is that of files without a byte order mark. Files larger than `max_file_size` bytes
    are left out; so are links that leave the project, unless `follow_links` is true.
    """
    from lineal.incremental.extraction import extract
    from lineal.model.script import Defaults
    from lineal.projects import make_rules
    from lineal.projects.source_texts import SourceFiles

    rules = make_rules(encoding, follow_links, max_file_size)
    if not isinstance(source, (str, os.PathLike, Mapping)):
        source = list(source)

    way = _ReadingOptions(log, rules, _period(since, until))
    corpus = _corpus(source, dialect, schema, way)
    corpus.collapse_temporary = collapse_temp
    schemas = (default_schema,) if isinstance(default_schema, str) else tuple(default_schema)
    if default_catalog or schemas:
        corpus.defaults = Defaults(default_catalog, schemas)

    return Lineage(extract(corpus), SourceFiles(_paths_in(source), rules).text)


class Lineage:
    """Edges, columns, reads and diagnostics of one input, and the questions that can be asked of
    them.

    >>> found = lineage("CREATE VIEW v AS SELECT a, b + c AS d FROM t")
    >>> [str(column) for column in found.columns if column.dataset.name == "v"]
    ['v.a', 'v.d']
    """

    def __init__(
        self, extraction: Extraction, read_source: Callable[[str], str] = lambda _: ""
    ) -> None:
        self.extraction = extraction
        self._read_source = read_source

    @cached_property
    def graph(self) -> Graph:
        """Made when the first question is asked."""
        return graph_of(self.extraction)

    @property
    def edges(self) -> list[Edge]:
        """Every edge, in the order in which targets are defined."""
        return self.extraction.edges

    @property
    def datasets(self) -> list[DatasetInfo]:
        """Every dataset with its kind and columns, in the order of definition."""
        return list(self.graph.infos.values())

    @cached_property
    def columns(self) -> list[Column]:
        """Every column of every dataset, those without sources included."""
        return flatten(self.graph.columns(dataset) for dataset in self.graph.infos)

    @property
    def reads(self) -> list[Read]:
        """Everything that a statement names, also what reaches no output."""
        return self.extraction.reads

    @property
    def coverage(self) -> Coverage:
        """How much of the input was understood."""
        return self.extraction.coverage

    @cached_property
    def files(self) -> list[FileCoverage]:
        """How much of each file is known: columns with their sources, and places that were not
        followed.
        """
        return files_of(self.edges, self.reads, self.diagnostics)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Return the diagnostics: what failed, where, and what to do about it."""
        return self._everything.diagnostics

    def upstream(
        self, column: Column | str, *, with_rows: bool = False, depth: int | None = None
    ) -> list[TracedEdge]:
        """The edges that a column comes along, each with its `.depth`; with rows: also what decides
        the rows.
        """
        return upstream(self.graph, [self.column(column)], with_rows=with_rows, depth=depth)

    def downstream(self, column: Column | str, *, depth: int | None = None) -> list[TracedEdge]:
        """The edges that lead on from a column, each with its `.depth`; what it only inspects is a
        leaf.
        """
        return downstream(self.graph, [self.column(column)], depth=depth)

    def impact(self, column: Column | str) -> list[Impact]:
        """Every column that a change of this column reaches: contributed, referenced or both."""
        return impact(self.graph, self.column(column))

    def column(self, name: Column | str) -> Column:
        """The column that `dataset.column` names, whatever its case; UnknownName says what may have
        been meant.
        """
        if isinstance(name, Column) and name.dataset in self.graph.infos:
            return self.graph.column_in(name.dataset, ".".join((name.name, *name.path)))

        return self.graph.column(str(name))

    def relations(self, dataset: str | None = None) -> list[ColumnLineageRelation]:
        """The columns with their sources, as `to("rows-grouped")` writes them: of one dataset, or
        of all of them.
        """
        from lineal.views.rows import relations

        report = (
            self._everything
            if dataset is None
            else edges_around(self.graph, self.graph.dataset(dataset))
        )
        return relations(report)

    def to(self, format: str, column: Column | str | None = None) -> str:
        """The lineage as text, in any format that `lineal lineage --output` knows: json, dot,
        mermaid, openlineage, …

        Of one column: its upstream and downstream. Events are of this moment.
        """
        from lineal.views import OUTPUTS

        if format not in OUTPUTS:
            raise ValueError(f"unknown format {format!r}: choose one of {', '.join(OUTPUTS)}")

        if column is None and format == "chain":
            raise ValueError("a chain is that of one column: to('chain', 'dataset.column')")

        starts = [] if column is None else [self.column(column)]

        def write(part: Extraction) -> str:
            """Write one part of the lineage in the requested format."""
            graph = self._graph_of(part)
            return _format_report(
                format,
                report_of_trace(graph, starts, up=ALL, down=ALL)
                if starts
                else report_of_all(graph),
            )

        return sound_part(self.extraction, write)

    def show(self, column: Column | str | None = None, *, height: int = 640) -> Display:
        """The page, as the output of a notebook's cell: all of it, or beginning with a column or
        `dataset`.

        With the extra `jupyter` it is a widget in a notebook that is open, else a frame of HTML.
        """
        from lineal.web.notebook import display

        return display(self._page(column), height)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the lineage to `x.json`, its page to `x.html`, or both into a folder; return the
        path that was written.

        A folder gets `lineage.json`, which `lineage()` and every command can read, and
        `lineage.html`. It is one if it is there already, ends with a slash or has no suffix.
        """
        where = Path(path)
        if _is_folder(path):
            where.mkdir(parents=True, exist_ok=True)
            for name in ("lineage.json", "lineage.html"):
                self._write(where / name)
        elif where.suffix.lower() in (".json", ".html"):
            self._write(where)
        else:
            raise ValueError(
                f"{where.name} is neither .json nor .html; the name of a new folder ends with a slash"
            )

        return where

    def _write(self, file: Path) -> None:
        """Save the lineage as JSON, or as a page."""
        from lineal.store import saved
        from lineal.store.files import replace_file

        if file.suffix.lower() == ".json":
            saved.write(self.extraction, file)
        else:
            replace_file(file, self._page(None).encode("utf-8", "replace"))

    def show_tab(self, column: Column | str | None = None) -> Path:
        """Write the page to a file, open it in a tab of the browser, and return the path of the
        file.
        """
        from lineal.web.notebook import open_tab

        return open_tab(self._page(column))

    def _page(self, start: Column | str | None) -> str:
        """Return the page as HTML."""
        from lineal.web.data import page_data, texts_of
        from lineal.web.page import html

        found = self.graph.find(start) if isinstance(start, str) else start
        named = "" if found is None else str(found)

        def draw(part: Extraction) -> str:
            """Draw one part of the lineage as a page."""
            graph = self._graph_of(part)
            texts = texts_of(graph, self._read_source)
            data = page_data(graph, title="lineage", start=named, texts=texts)
            return html(data, "lineage – lineal")

        return sound_part(self.extraction, draw)

    @cached_property
    def _everything(self) -> Report:
        """Return the report about the whole graph."""
        return report_of_all(self.graph)

    def _repr_html_(self) -> str:
        """The page at the end of a notebook's cell: it needs no network and no widget, also in an
        export.
        """
        from lineal.web.notebook import html_view

        return html_view(self._page(None))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        """The same with a widget, in a notebook that is open; a terminal asks for neither."""
        from lineal.web.notebook import cell_view, is_live

        if is_live():
            return cell_view(self._page(None))

        return {}

    def _graph_of(self, part: Extraction) -> Graph:
        """The graph of all that can be shown; usually that is everything."""
        if part is self.extraction:
            return self.graph

        return Graph(part)

    def __repr__(self) -> str:
        from lineal.views.words import count_noun

        return f"<Lineage: {count_noun(len(self.graph.infos), 'dataset')}, {count_noun(len(self.edges), 'edge')}>"


def _is_folder(path: str | os.PathLike[str]) -> bool:
    """A folder that is there, or the name of one: with a slash at its end, or without a suffix."""
    return os.fspath(path).endswith(("/", os.sep)) or Path(path).is_dir() or not Path(path).suffix


def _format_report(format: str, report: Report) -> str:
    """Return a report in a format."""
    from lineal.views import openlineage, text

    if format == "openlineage":
        return openlineage.view(report, openlineage.Emission(datetime.now(UTC).isoformat()))

    return text(format, report)


class _ReadingOptions(NamedTuple):
    """How paths are read."""

    log: Mapping[str, str] | None
    rules: Rules
    period: Period | None


def _period(since: str | datetime | None, until: str | datetime | None) -> Period | None:
    """Return the time that is asked for; None if all of it is."""
    if since is None and until is None:
        return None

    from lineal.projects.logs.period import make_period

    return make_period(_time(since), _time(until))


def _time(at: str | datetime | None) -> str | None:
    """Return a time as a text."""
    return at.isoformat() if isinstance(at, datetime) else at


def _corpus(
    source: Source, dialect: str | None, schema: Schema | None, way: _ReadingOptions
) -> Corpus:
    """Return the project of a path, a text or a mapping of texts."""
    from lineal.projects import corpus_of_text, unite_corpora

    if isinstance(source, Mapping):
        return corpus_of_text(source, dialect, schema)

    if isinstance(source, (str, os.PathLike)):
        return _corpus_of_one(source, dialect, schema, way)

    several = [_corpus_of_one(each, dialect, None, way) for each in source]
    return unite_corpora([*several, corpus_of_text((), dialect, schema)])


def _paths_in(source: Source) -> list[str]:
    """Return what of a source is a path that exists."""
    if isinstance(source, Mapping):
        return []

    several = [source] if isinstance(source, (str, os.PathLike)) else source
    return [os.fspath(each) for each in several if _exists(each)]


def _exists(source: PathOrText) -> bool:
    """Tell whether the source is a path that exists."""
    try:
        return source != "" and Path(source).exists()
    except (OSError, ValueError):  # a text that is too long for a path, or has a NUL in it
        return False


def _corpus_of_one(
    source: PathOrText, dialect: str | None, schema: Schema | None, way: _ReadingOptions
) -> Corpus:
    """A path if it is one, else SQL; a word that is neither is a path that is not there."""
    from lineal.projects import corpus_of_text, load

    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"a path or SQL text is needed, not {type(source).__name__}")

    if _exists(source) or ADDRESS.match(os.fspath(source)):
        return load(source, dialect, schema, way.log, rules=way.rules, period=way.period)

    if isinstance(source, str) and (
        not source or re.search(r"\s", source) or KEYWORD.search(source)
    ):
        return corpus_of_text(source, dialect, schema)

    raise FileNotFoundError(f"no such file or folder: {os.fspath(source)!r}; it is not SQL either")
