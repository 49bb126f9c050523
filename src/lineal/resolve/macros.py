"""Macros that Python writes: the files of a project's macros as one program that is read, never run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from lineal.extract.pyspark.embedded.macros import call_macro, functions_of, new_macro_collector
from lineal.extract.pyspark.embedded.trees import Evaluator, Trees
from lineal.extract.pyspark.files import files_of
from lineal.extract.pyspark.program import Program
from lineal.extract.pyspark.values import Function, Tree, Value
from lineal.model.boundary import internal_errors
from lineal.model.diagnostic import Diagnostic
from lineal.model.script import Corpus, Script
from lineal.resolve.catalog import PYTHON
from lineal.resolve.definitions import Definitions
from lineal.resolve.programs import Corpus as ProgramCorpus
from lineal.resolve.programs import program_over

Argument = str | list[Any]
"""A text of SQL, or a list of such arguments."""


class Question(NamedTuple):
    """A call of a macro: its function, its arguments as SQL, and what the run is like."""

    file: str
    function: str
    given: list[Argument]
    named: Mapping[str, Argument]
    attributes: Mapping[str, Any]
    columns_of: Callable[[str], Mapping[str, str]]


class MacroProgram:
    """The macros of a project."""

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        self.scripts = [Script(text, PYTHON, file) for file, text in texts]

    @cached_property
    def program(self) -> Program:
        """Return the program, opened when the first macro is called."""
        corpus = Corpus("", scripts=list(self.scripts))
        definitions = Definitions(Corpus(""))
        definitions.corpus = corpus
        boundary = definitions.boundary
        files = files_of(self.scripts, boundary.failures, boundary.lose)
        made = program_over(definitions, files, ProgramCorpus(definitions, {}))
        made.run.collector = new_macro_collector()
        return made

    @cached_property
    def functions(self) -> dict[str, Function]:
        """Return the functions of the files by file and name."""
        return dict(functions_of(self.program))

    def write(self, asked: Question) -> list[str]:
        """Return the texts that a macro may write; none if only a run knows."""
        function = self.functions.get(f"{asked.file.replace(chr(92), '/')}::{asked.function}")
        if function is None:
            return []

        self.program.run.grant()
        variables = asked.attributes.get("locals", {})
        evaluator = Evaluator(asked.attributes, variables, asked.columns_of)
        given = list(map(expression, asked.given))
        named = {key: expression(text) for key, text in asked.named.items()}
        return call_macro(self.program, function, evaluator, given, named)

    def take_failures(self) -> list[Diagnostic]:
        """Return the internal errors since the last call."""
        diagnostics = self.program.run.diagnostics
        found = internal_errors(diagnostics)
        diagnostics.clear()
        return found


def expression(held: Argument) -> Value:
    """Return an argument of a macro as SQLMesh hands it over: an expression, or a tuple of them."""
    if isinstance(held, str):
        return Tree(held)

    return Trees(map(expression, held))
