"""The statements of a corpus, each with digests of what it says: by them two revisions of it are compared."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from lineal.extract.entries import Definition
from lineal.extract.sql.canonical import Columns, digest
from lineal.extract.sql.reading import Reading, offset_of
from lineal.extract.sql.said import Words, kind_of, meaning, words_of
from lineal.extract.sql.words import statements
from lineal.model.edge import Dataset
from lineal.model.statement import LateStatement, Statement

if TYPE_CHECKING:
    from lineal.extract.definitions import Definitions

PYTHON = "python"


def statements_of(definitions: Definitions) -> list[Statement]:
    """What writes each dataset, in the order of definition, and the functions that are called."""
    columns = partial(_columns, definitions)
    found = [_statement(each, columns) for each in definitions.order if not each.hidden]
    return [*found, *_functions(definitions, columns)]


def _statement(definition: Definition, columns: Columns) -> Statement:
    reading = definition.reading
    place = reading.place_of_statement(definition.plan.node) if definition.plan.node is not None else None
    script = reading.script
    if script.dialect == PYTHON:
        said = digest(_program(script.text))
        return Statement(definition.target, PYTHON, place, script.dialect, said, said)
    chunks = _chunks(definition)
    kind = "function" if definition.plan.kind == "function" else kind_of(chunks[0]) if chunks else ""
    return _of_words(definition.target, kind, place, reading, chunks, columns)


def _of_words(
    target: Dataset, kind: str, place: Any, reading: Reading, chunks: list[Words], columns: Columns
) -> Statement:
    said = digest("\x1d".join(map(words_of, chunks)))
    ask: Any = partial(meaning, reading.script, chunks, columns, said)
    return LateStatement(target, kind, place, reading.script.dialect, said, ask)


def _chunks(definition: Definition) -> list[Words]:
    """The words of the statement; of all around it, where their order matters or a procedure holds them."""
    reading = definition.reading
    chunks = list(statements(reading.tokens))
    ordered = definition.setting is not None and definition.setting.timeline is not None
    if len(chunks) < 2 or ordered or reading.found is not None or definition.plan.node is None:
        return chunks
    offset = offset_of(definition.plan.node)
    if offset is None:
        return chunks
    position = bisect_right([chunk[0].start for chunk in chunks], offset) - 1
    return [chunks[max(position, 0)]]


def _program(text: str) -> str:
    """A Python program without its layout and comments."""
    try:
        return ast.dump(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text


def _functions(definitions: Definitions, columns: Columns) -> Iterator[Statement]:
    """CREATE FUNCTION f …      what is called counts as well as what calls it"""
    for function in definitions.corpus.functions:
        if not function.table:
            reading = Reading(function.body)
            place = reading.place_at(0)
            target = Dataset(definitions.corpus.namespace, function.name)
            yield _of_words(target, "function", place, reading, list(statements(reading.tokens)), columns)
    for name, reading in definitions.routines_read:
        target = Dataset(definitions.corpus.namespace, name)
        chunks = list(statements(reading.tokens))
        yield _of_words(target, "function", reading.place_at(0), reading, chunks, columns)


def _columns(definitions: Definitions, key: str) -> list[str] | None:
    """The columns of a table as the corpus knows it; None where they are not all known."""
    entry = definitions.entries.get(key)
    if entry is None:
        info = definitions.declared.get(key)
        return info.names if info is not None and info.complete else None
    frame = definitions.schema(entry)
    return [slot.name for slot in frame.slots] if frame.complete else None
