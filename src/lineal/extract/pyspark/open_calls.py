"""Functions and methods that nobody calls: their parameters are open datasets."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lineal.extract.pyspark.files import File, frame_like_names, session_like_names, strong_names
from lineal.extract.pyspark.frame_libraries import library_of, open_value
from lineal.extract.pyspark.function_calls import call_function
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.session import open_dataset
from lineal.extract.pyspark.values import Class, Function, Instance, Session, Unknown, Value
from lineal.model.sequences import instances
from lineal.model.way import Confidence

Guard = Callable[[Function, Callable[[], Value]], None]
"""Carries out a call of a function, so that a failure costs only that function."""

SESSION_NAMES = frozenset(("spark", "spark_session", "session"))


class Mentions:
    """The names that the functions of a program use, and which functions do."""

    def __init__(self, files: list[File]) -> None:
        """Index the functions of all files by the names that they mention."""
        self.users: dict[str, set[int]] = {}
        for file in files:
            for node in functions_in(file.tree):
                for name in names_in(node):
                    self.users.setdefault(name, set()).add(id(node))

    def is_entry(self, name: str, node: ast.AST) -> bool:
        """Return whether no function but itself uses the name of a function or class."""
        return not self.users.get(name, set()) - {id(node)}


def functions_in(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the functions of a module and the methods of its classes, not those inside them."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield node
            elif isinstance(node, ast.stmt):
                waiting.append(node)


def names_in(node: ast.AST) -> set[str]:
    """Return the names and attributes that a function uses."""
    found = set()
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            found.add(each.id)
        elif isinstance(each, ast.Attribute):
            found.add(each.attr)

    return found


@dataclass(frozen=True)
class OpenCalls:
    """Calls what a file defines and no program calls."""

    run: Run
    guard: Guard
    mentions: Mentions

    def call_entries(self, file: File) -> None:
        """Call the functions and classes of a file that no other function names: entry points."""
        self.call_some(file, self.mentions.is_entry)

    def call_rest(self, file: File) -> None:
        """Call the functions that are still uncalled, then the methods of the classes."""
        self.call_some(file, lambda name, node: True)

    def call_some(self, file: File, wanted: Callable[[str, ast.AST], bool]) -> None:
        """Call the uncalled functions of a file, then the methods of its classes."""
        for function in list(file.functions):
            if not self.is_called(function) and wanted(function.name, function.node):
                self.call(function, file, None)

        for made in list(file.classes):
            nodes = [each.node for each in made.names.values() if isinstance(each, Function)]
            if nodes and wanted(made.name, nodes[0]):
                self.call_methods(made, file)

    def call_wanted(self, file: File, wanted: set[int]) -> None:
        """Call some functions and methods of a file, whether or not a call has reached them."""
        for function in list(file.functions):
            if id(function.node) in wanted:
                self.call(function, file, None)

        for made in list(file.classes):
            methods = instances(made.names.values(), Function)
            if wanted.isdisjoint(id(each.node) for each in methods):
                continue

            instance = Instance(made)
            init = made.find("__init__")
            if isinstance(init, Function):
                self.call(init, file, instance)

            for method in methods:
                if id(method.node) in wanted and method is not init:
                    self.call(method, file, instance)

    def is_called(self, function: Function) -> bool:
        """Return whether a call has reached a function."""
        return id(function.node) in self.run.called

    def call_methods(self, made: Class, file: File) -> None:
        """Call all methods of a class of which no method was ever called.

        A search for SQL calls every method that no call has reached: a text of SQL stays one, even
        if the program at hand uses another method of the same class.
        """
        methods = instances(made.names.values(), Function)
        reached = [each for each in methods if self.is_called(each)]
        is_search = self.run.collector is not None
        if len(reached) == len(methods) or (reached and not is_search):
            return

        instance = Instance(made)
        init = made.find("__init__")
        if isinstance(init, Function):
            self.call(init, file, instance)

        entries = [each for each in methods if self.mentions.is_entry(each.name, each.node)]
        for method in (*entries, *methods):
            if not self.is_called(method):
                self.call(method, file, instance)

    def call(self, function: Function, file: File, instance: Instance | None) -> None:
        """Call a function with open datasets.

        def clean(df): …
        """
        run = self.run
        run.start(function)
        reading, run.reading = run.reading, file.reading
        run.home = file.label
        spec = function.node.args
        parameters = [*spec.posonlyargs, *spec.args]
        arguments: list[Value] = []
        if parameters and instance is not None and "staticmethod" not in function.decorators:
            arguments.append(instance)
            parameters = parameters[1:]

        strong = strong_names(file.library)
        usage = Usage(frame_like_names(function.node, strong), session_like_names(function.node))
        arguments += [open_parameter(run, each, function, usage) for each in parameters]
        keywords = {
            each.arg: open_parameter(run, each, function, usage) for each in spec.kwonlyargs
        }
        run.reading = reading
        self.guard(
            function,
            lambda: call_function(run, function, Invocation(arguments, keywords, function.node)),
        )


@dataclass(frozen=True)
class Usage:
    """How a function uses its names: like a DataFrame, like a session."""

    frames: set[str]
    sessions: set[str]


def open_parameter(run: Run, parameter: ast.arg, function: Function, usage: Usage) -> Value:
    """Return the value of a parameter that no call binds.

    def clean(df), def clean(spark)
    """
    name = parameter.arg
    annotation = ast.unparse(parameter.annotation) if parameter.annotation is not None else ""
    library = library_of(function.file.words, annotation)
    is_session = annotation.endswith("Session") or name in SESSION_NAMES
    if is_session and library is not None and library.open_session is not None:
        return library.open_session()

    if "SparkSession" in annotation or name in SESSION_NAMES or name in usage.sessions:
        return Session()

    if is_frame(name, annotation, usage):
        reason = "a parameter that no call binds"
        held = Unknown(f"{function.name}.{name}", reason, Confidence.HIGH)
        relation = open_dataset(run, held, function.node)
        return open_value(run, relation, library)

    return Unknown(name, f"the parameter {name} of {function.name}", Confidence.LOW)


def is_frame(name: str, annotation: str, usage: Usage) -> bool:
    """Tell whether a parameter is a DataFrame.

    df: DataFrame, df: DataFrame | None, df      by its annotation or by how it is used
    """
    if "DataFrame" in annotation and "[" not in annotation:
        return True

    return name in usage.frames and (not annotation or "|" in annotation)
