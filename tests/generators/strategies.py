"""Every random query, statement, pair, project and tree of files, as Hypothesis strategies.

    statements("spark"), statements("duckdb")     a query, or a statement that writes
    queries(without={"star"})                     a query over a schema, without some constructs
    query_pairs()                                 two queries that mean the same, or nearly
    select_lists(names)                           a statement with those output columns
    histories(), long_projects(12)                projects, and edits of them
    file_trees("postgres")                        files in folders, over each other's tables

What a test finds shrinks by itself: every choice is drawn by Hypothesis. `rounds` draws a number of
examples from a seed, for the tests that judge many of them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from random import Random
from typing import TypeVar

from hypothesis import strategies as st

from generators.duck_queries import DuckWriter
from generators.file_trees import FileWriter
from generators.projects import Author
from generators.queries import SHOP, Query, write_query
from generators.rewritten_queries import write_pair
from generators.scope import Schema
from generators.spark_queries import write_statement
from generators.statement import Statement
from lineal.model.script import Corpus, Script

Thing = TypeVar("Thing")

WRITERS: dict[str, Callable[[Random], Statement]] = {
    "spark": write_statement,
    "duckdb": lambda random: DuckWriter(random).statement(),
}
"""Who writes a statement of a dialect."""


def randoms() -> st.SearchStrategy[Random]:
    """Sources of choices that Hypothesis controls."""
    return st.randoms(use_true_random=False)


def statements(dialect: str) -> st.SearchStrategy[Statement]:
    """Statements as an engine accepts them."""
    return randoms().map(WRITERS[dialect])


def queries(
    schema: Schema = SHOP, *, depth: int = 2, without: Collection[str] = ()
) -> st.SearchStrategy[Query]:
    """Queries that Spark accepts; `without` names the constructs that are left out."""
    return randoms().map(lambda random: write_query(random, schema, depth=depth, without=without))


def query_pairs() -> st.SearchStrategy[tuple[str, str]]:
    """One question written in two ways, or two questions that differ in one thing."""
    return randoms().map(write_pair)


@st.composite
def select_lists(
    draw: st.DrawFn, names: Sequence[str], items: Sequence[str]
) -> tuple[str, list[str]]:
    """A SELECT list with some of the names in some order, and that order.

    An item is a text with `{0}` for the name: `t."{0}" + 1 AS "{0}"`.
    """
    drawn = draw(st.lists(st.sampled_from(names), min_size=3, unique=True))
    chosen = [draw(st.sampled_from(items)).format(name) for name in drawn]
    return ", ".join(chosen), drawn


@st.composite
def histories(draw: st.DrawFn, *, defaults: bool = False) -> list[Corpus]:
    """A project and four edits of it, each on top of the one before."""
    author = Author(draw(randoms()))
    corpus = author.project()
    if defaults:
        corpus = author.set_defaults(corpus)
    found = [corpus]
    while len(found) < 5:
        found.append(author.edit(found[-1]))
    return found


@st.composite
def long_projects(draw: st.DrawFn, more: int, *, defaults: bool = False) -> Corpus:
    """A project with that many more files."""
    author = Author(draw(randoms()))
    corpus = author.project()
    corpus.scripts += [
        Script(author.text(number % 8), "", f"more{number}.sql") for number in range(more)
    ]
    return author.set_defaults(corpus) if defaults else corpus


def file_trees(dialect: str) -> st.SearchStrategy[list[Script]]:
    """Some files in some folders, over each other's tables."""
    return randoms().map(lambda random: FileWriter(random, dialect).tree())
