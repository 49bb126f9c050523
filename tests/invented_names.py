"""Names that nobody has given: every dataset and column of a result occurs in the text or in a
schema, or is a documented synthetic name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lineal.extract.sql.columns import OPERATORS
from lineal.extract.sql.dialects.table_functions import (
    CHANGE_COLUMNS,
    COLUMNS,
    OF_A_SERIES,
    TABLE_CHANGES,
    WITH_HISTORY,
)
from lineal.model.edge import Column, Dataset, Edge
from lineal.model.extraction import DatasetInfo

WORD = re.compile(r"[^\W_]+")

SYNTHETIC = re.compile(
    r"""
    \*                                          # an open star
    | result(_\d+)? | query_[0-9a-f]+           # a query without a name
    | element\d | _?c(ol)?_?\d+ | _col_?\d+ | col\d+ | column_?\d+ | f\d+_? | expr\$?\d+ | \?column\?  # no alias
    | <pivot:.*>.* | .*_<.*>                    # a column that only data names
    | [^(]*\.md::\{.*\} | [^(]*::\{\d+\}       # a placeholder, shown with its file
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
"""The names that docs/reference/names.md lists."""

FURTHER = re.compile(r"(.+?)(?:__?col)?_\d+", re.DOTALL)
"""p_2      a further result set of the procedure p, or a second column p"""

VERSION = re.compile(r"(?=.*@\d+|.*::)(?:[^(]*::)?(.+?)(?:@\d+)?", re.DOTALL)
"""load.sql::#t@2, load.sql::t      a version of a table that is shown with its file"""

SPELLINGS = {"s3a": "s3", "s3n": "s3", "int": "int4", "integer": "int4", "trim": "btrim"}
"""Words that lineal or the engine spells in another way: paths, and names of expressions."""

ENGINE_WORDS = frozenset(("star", "point", "minus", *(name.lower() for name in OPERATORS.values())))
"""count_star(), minus_1, plus(a, 1)      words of the names that engines give to columns"""

OF_FUNCTIONS = frozenset(
    name.lower()
    for names in (*COLUMNS.values(), *OF_A_SERIES.values(), CHANGE_COLUMNS, TABLE_CHANGES, WITH_HISTORY)
    for name in names
) | {
    "key", "value", "pos", "col", "ordinality", "offset", "seq", "index", "this", "path", "number", "id",
    "window_start", "window_end", "window_time", "column_value", "label", "name", "type", "element", "distance",
    "base", "query", "match_number", "classifier", "start", "end", "window", "session_window", "data", "all",
}  # fmt: skip
"""Columns that functions in FROM give their rows."""


def invented_names(
    text: str,
    edges: Iterable[Edge],
    datasets: Iterable[DatasetInfo],
    given: Iterable[DatasetInfo] = (),
) -> list[str]:
    """The names of a result that nobody has given."""
    known = words_of(text) | ENGINE_WORDS
    for info in given:
        known |= words_of(info.dataset.name)
        for column in info.columns:
            known |= words_of(f"{column.name} {column.type}")
    return sorted({name for name in names_in(edges, datasets) if not is_known(name, known)})


def words_of(text: str) -> set[str]:
    """The words of a text, in lower case."""
    found = {word.lower() for word in WORD.findall(text)}
    return found | {SPELLINGS[word] for word in found & SPELLINGS.keys()}


def is_known(name: str, known: set[str]) -> bool:
    """Whether each word of a name occurs, or the name is one that lineal makes."""
    if SYNTHETIC.fullmatch(name) or name.lower() in OF_FUNCTIONS or words_of(name) <= known:
        return True

    further = VERSION.fullmatch(name) or FURTHER.fullmatch(name)
    return further is not None and is_known(further[1], known)


def names_in(edges: Iterable[Edge], datasets: Iterable[DatasetInfo]) -> Iterator[str]:
    """Every dataset and column of a result, part by part."""
    for edge in edges:
        for end in (edge.source, edge.target):
            yield from parts_of(end)
    for info in datasets:
        yield from parts_of(info.dataset)
        yield from (column.name for column in info.columns)


def parts_of(end: Column | Dataset) -> Iterator[str]:
    """db.t.a.b      the parts of a name"""
    if isinstance(end, Column):
        yield end.name
        yield from end.path
        end = end.dataset
    yield end.name
