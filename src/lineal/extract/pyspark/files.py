"""The Python files of a program: text, tree, and names that tell what they are by the way they are
used.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from lineal.extract.pyspark.attributes import SESSION_NAMES, STRONG
from lineal.extract.pyspark.forms import Form, form_of
from lineal.extract.pyspark.frame_libraries import FrameLibrary, library_of
from lineal.extract.pyspark.notebooks import NotANotebook, python_of
from lineal.extract.pyspark.reading import PythonReading
from lineal.extract.pyspark.run import Environment
from lineal.extract.pyspark.syntax import parse_python
from lineal.extract.pyspark.values import Class, Function, Value
from lineal.extract.sql.reading import Reading
from lineal.model.boundary import Failures, Report, internal_error
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.script import Script

MODULE = "module"
"""The kind of a script that is only there to be imported."""

NOTEBOOK = "Save the notebook again, or leave the file out."

IMPORTS = re.compile(r"^[ \t]*(?:from|import)[ \t]+([^#\n]+)", re.MULTILINE)


class File:
    """One Python file or notebook."""

    __slots__ = (
        "_form",
        "_frame_like",
        "_library",
        "_tree",
        "_words",
        "classes",
        "environment",
        "flows",
        "functions",
        "label",
        "parts",
        "path",
        "pipelines",
        "problems",
        "reading",
        "script",
    )

    def __init__(
        self,
        script: Script,
        embedded: dict[int, tuple[Any, Reading]],
        failures: Failures | None = None,
    ) -> None:
        """Parse a Python file; a text that does not parse has an empty tree and a diagnostic."""
        self.script = script
        self.path = script.file.replace("\\", "/")
        self.label = self.path
        """how datasets are named that only this file knows: jobs/daily.py"""
        self._library: tuple[FrameLibrary | None] | None = None
        self.problems: list[Diagnostic] = []
        """the places that cannot be read, and those of other versions of Python"""
        text, lines = self.python_of(script)
        self.reading = PythonReading(text, script.file, lines, embedded, failures)
        self.parts = tuple(
            part
            for part in re.sub(r"\.(py|ipynb)$", "", self.path).split("/")
            if part not in ("", ".")
        )
        self.functions: list[Function] = []
        self.classes: list[Class] = []
        self.flows: list[Callable[[], None]] = []
        """changes that a pipeline applies once its datasets are defined"""
        self.pipelines: list[tuple[Function, str, str, Any, list[Value]]] = []
        self.environment: Environment | None = None
        self._tree: ast.Module | None = None
        self._frame_like: set[str] | None = None
        self._words: set[str] | None = None
        self._form: Form | None = None

    def python_of(self, script: Script) -> tuple[str, list[int] | None]:
        """The Python of the file; a damaged notebook has none, and a diagnostic."""
        try:
            return python_of(script.text, self.path)
        except NotANotebook as problem:
            place = Place(script.file, script.line, 1)
            self.problems.append(Diagnostic(Code.PARSE_ERROR, str(problem), place, NOTEBOOK))
            return "", []

    @property
    def is_node(self) -> bool:
        """A node of a project: its name is known, and a run executes it by itself."""
        return self.script.target is not None

    @property
    def is_module(self) -> bool:
        """It is only there to be imported."""
        return self.script.kind == MODULE

    @property
    def name(self) -> str:
        """The dataset that it makes, if it does not name one."""
        return self.script.target or (self.parts[-1] if self.parts else "model")

    @property
    def form(self) -> Form:
        """Tell what kind of file this is."""
        if self._form is None:
            self._form = form_of(self.text)

        return self._form

    @property
    def text(self) -> str:
        """Return the text of the file."""
        return self.reading.script.text

    @property
    def tree(self) -> ast.Module:
        """Return the syntax tree of the file."""
        if self._tree is None:
            self._tree = self.parse()

        return self._tree

    def parse(self) -> ast.Module:
        """Parse the file; a statement that cannot be parsed is left out, with a diagnostic."""
        try:
            found = parse_python(self.text)
        except (ValueError, RecursionError, MemoryError) as error:
            place = Place(self.script.file, 1, 1)
            message = f"the file cannot be parsed ({type(error).__name__})"
            self.problems.append(Diagnostic(Code.TOO_DEEP, message, place))
            return ast.Module([], [])

        for code, message, line, column, hint in found.problems:
            place = self.reading.at(line, column - 1)
            self.problems.append(Diagnostic(code, message, place, hint))

        return found.tree

    @property
    def failed(self) -> bool:
        """Whether a part of the file, or all of it, is not read."""
        return any(each.code is not Code.NEAREST_DIALECT for each in self.problems)

    @property
    def words(self) -> set[str]:
        """Return the words of the file's imports."""
        if self._words is None:
            self._words = imported_words(self.text)

        return self._words

    @property
    def library(self) -> FrameLibrary | None:
        """Return the library of the file's DataFrames; None if they are Spark's."""
        if self._library is None:
            self._library = (library_of(self.words),)

        return self._library[0]

    @property
    def frame_like(self) -> set[str]:
        """Names of this file that are used as only a DataFrame can be."""
        if self._frame_like is None:
            self._frame_like = frame_like_names(self.tree, strong_names(self.library))

        return self._frame_like


def strong_names(library: FrameLibrary | None) -> frozenset[str]:
    """Return the names that only the DataFrames of a library have; Spark's for None."""
    if library is None:
        return STRONG

    return library.strong


def frame_like_names(tree: ast.AST, strong: frozenset[str] = STRONG) -> set[str]:
    """Return the names on which methods of a DataFrame are called."""
    return {
        node.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.attr in strong
    }


def files_of(scripts: Iterable[Script], failures: Failures, report: Report) -> list[File]:
    """The files of a program; they stay the same, however often it is run. One that cannot be read
    is left out.
    """
    embedded: dict[int, tuple[Any, Reading]] = {}
    files = []

    for script in scripts:
        try:
            files.append(File(script, embedded, failures))
        except Exception as error:
            report(internal_error(error, Place(script.file, script.line, 1), "this program"))

    return files


def label_files(files: list[File]) -> None:
    """Name absolute files from the folder that they have in common, and others as they are."""
    absolute = [file for file in files if file.path.startswith("/")]
    if not absolute:
        return

    common = posixpath.commonpath([posixpath.dirname(file.path) for file in absolute])
    for file in absolute:
        file.label = posixpath.relpath(file.path, common)


def imported_words(text: str) -> set[str]:
    """Every word of a file's imports, read without parsing it."""
    return set(chain.from_iterable(re.findall(r"\w+", line) for line in IMPORTS.findall(text)))


def session_like_names(tree: ast.AST) -> set[str]:
    """Return the names on which methods of a session are called."""
    return {
        node.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in SESSION_NAMES
        and "spark" in node.value.id.lower()
    }  # fmt: skip
