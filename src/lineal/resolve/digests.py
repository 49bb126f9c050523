"""The statements of a corpus, each with digests of what it says: by them two revisions of it are
compared.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

from lineal.extract.entries import Definition
from lineal.extract.sql.digests import Words, kind_of, meaning, words_of
from lineal.extract.sql.expansions import reading_of
from lineal.extract.sql.reading import Reading, offset_of
from lineal.model.boundary import Failures
from lineal.model.diagnostic import Place
from lineal.model.edge import Dataset
from lineal.model.statement import LateStatement, Statement
from lineal.model.text_digest import digest
from lineal.resolve.boundary import place_of_statement
from lineal.resolve.references import References

if TYPE_CHECKING:
    from lineal.extract.sql.canonical import Columns

PYTHON = "python"

Said = TypeVar("Said")


def statements_of(
    references: References, failures: Failures, shown: Callable[[Dataset], Dataset]
) -> list[Statement]:
    """Return the statements that write each dataset, in order of definition, and the functions they
    call.
    """
    columns = partial(_columns, references)
    order = references.catalog.order
    found = [_statement(each, shown(each.target), columns) for each in order if not each.hidden]
    return [*found, *_functions(references, failures, columns)]


def _statement(definition: Definition, target: Dataset, columns: Columns) -> Statement:
    """Return the statement of a definition, which is digested when it is asked for."""
    script = definition.reading.script
    if script.dialect == PYTHON:
        return LateStatement.build(target, script.dialect, Program(definition))

    saying = Sql(definition.reading, definition.plan.node, is_whole(definition), columns)
    saying.is_function = definition.plan.kind == "function"
    return LateStatement.build(target, script.dialect, saying)


def is_whole(definition: Definition) -> bool:
    """Whether the script counts as a whole: the order of its statements matters, or a procedure
    holds them.
    """
    ordered = definition.setting is not None and definition.setting.timeline is not None
    return ordered or definition.reading.found is not None or definition.plan.node is None


class LazyDigests:
    """The digests of a statement, computed on first comparison; a failure is reported, and the
    digest is empty.
    """

    reading: Reading
    node: Any

    @property
    def text(self) -> str:
        """The text of the script."""
        return self.reading.script.text

    @property
    def file(self) -> str:
        """The file of the script."""
        return self.reading.script.file

    @property
    def sql(self) -> str | None:
        """The statement's own text; none where the text around it counts as well."""
        return None

    def look_up(self, work: Callable[[], Said], otherwise: Said) -> Said:
        """Do some work; if it fails, report that, and give something else."""
        try:
            return work()
        except Exception as error:
            self.reading.fail(error, self.reading.statement_near(self.node))
            return otherwise


class Program(LazyDigests):
    """df.write.saveAsTable("t")

    one write of a program, which counts as a whole, without its layout
    """

    kind = PYTHON

    def __init__(self, definition: Definition) -> None:
        self.reading = definition.reading
        self.node = definition.plan.node

    @property
    def place(self) -> Place | None:
        """Return the place of the program."""
        return self.look_up(lambda: place_of_statement(self.reading, self.node), None)

    @cached_property
    def words(self) -> str:
        """Return the digest of the program, without its layout and comments."""
        try:
            return digest(ast.dump(ast.parse(self.text)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return digest(self.text)

    @property
    def meaning(self) -> str:
        """Return the digest of the program's meaning."""
        return self.words


class Sql(LazyDigests):
    """A statement; with all around it, where their order matters or a procedure holds them."""

    is_function = False

    def __init__(self, reading: Reading, node: Any, whole: bool, columns: Columns) -> None:
        self.reading = reading
        self.node = node
        """its tree, or where it starts"""
        self.whole = whole
        self.columns = columns

    @property
    def kind(self) -> str:
        """Return the kind of the statement.

        CREATE VIEW, INSERT …      by the first words
        """
        if self.is_function:
            return "function"

        return self.look_up(lambda: kind_of(self.chunks[0]) if self.chunks else "", "")

    @cached_property
    def place(self) -> Place | None:
        """Return the place of the statement."""
        return self.look_up(lambda: place_of_statement(self.reading, self.node), None)

    @cached_property
    def chunks(self) -> list[Words]:
        """Return the words of the statement, and of those around it."""
        return self.look_up(self.own_chunks, [])

    @property
    def sql(self) -> str | None:
        """The statement's own text; none where the text around it counts as well."""
        if self.is_function or len(self.chunks) != 1:
            return None

        words = self.chunks[0]
        return self.text[words[0].start : words[-1].end + 1]

    def own_chunks(self) -> list[Words]:
        """The words of the statement; of all around it, where it counts with them."""
        chunks = self.reading.chunks
        if len(chunks) < 2 or self.whole:
            return chunks

        offset = offset_of(self.node)
        if offset is None:
            return chunks

        position = bisect_right(chunks, offset, key=lambda chunk: chunk[0].start) - 1
        return [chunks[max(position, 0)]]

    @cached_property
    def words(self) -> str:
        """Return the digest of the statement's words."""
        return self.look_up(
            lambda: digest("\x1d".join(map(words_of, self.chunks))), digest(self.text)
        )

    @cached_property
    def meaning(self) -> str:
        """Return the digest of the statement's meaning."""
        return self.look_up(
            lambda: meaning(self.reading.script, self.chunks, self.columns, self.words), self.words
        )


class Body(LazyDigests):
    """CREATE FUNCTION f …      the body of a function counts as well as its callers"""

    kind = "function"

    def __init__(self, reading: Reading, columns: Columns) -> None:
        self.reading = reading
        self.node = None
        self.columns = columns

    @property
    def place(self) -> Place | None:
        """Return the place of the script."""
        return self.look_up(lambda: self.reading.place_at(0), None)

    @cached_property
    def chunks(self) -> list[Words]:
        """Return the words of every statement of the script."""
        return self.look_up(lambda: self.reading.chunks, [])

    @cached_property
    def words(self) -> str:
        """Return the digest of the script's words."""
        return self.look_up(
            lambda: digest("\x1d".join(map(words_of, self.chunks))), digest(self.text)
        )

    @cached_property
    def meaning(self) -> str:
        """Return the digest of the script's meaning."""
        return self.look_up(
            lambda: meaning(self.reading.script, self.chunks, self.columns, self.words), self.words
        )


def _functions(references: References, failures: Failures, columns: Columns) -> Iterator[Statement]:
    """Yield the functions of a corpus as statements."""
    corpus = references.catalog.corpus
    bodies = [each for each in corpus.functions if not each.table]
    named = [(each.name, reading_of(each.body, failures)) for each in bodies]
    for name, reading in [*named, *references.routines.read]:
        target = Dataset(corpus.namespace, name)
        yield LateStatement.build(target, reading.script.dialect, Body(reading, columns))


def _columns(references: References, key: str) -> list[str] | None:
    """The columns of a table as the corpus knows it; None where they are not all known."""
    catalog = references.catalog
    entry = catalog.entries.get(key)
    if entry is None:
        info = catalog.declared.get(key)
        return info.names if info is not None and info.complete else None

    frame = references.schemas.schema(entry)
    return [slot.name for slot in frame.slots] if frame.complete else None
