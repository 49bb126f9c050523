"""Functions and methods that nobody calls: their parameters are open datasets."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from lineal.extract.pyspark.files import File, frame_like_names, session_like_names
from lineal.extract.pyspark.function_calls import call_function
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.session import open_dataset
from lineal.extract.pyspark.values import Class, Function, Instance, Session, Unknown, Value
from lineal.model.way import Confidence

Guard = Callable[[Function, Callable[[], Value]], None]
"""Carries out a call of a function, so that a failure costs only that function."""

SESSION_NAMES = frozenset(("spark", "spark_session", "session"))


@dataclass(frozen=True)
class OpenCalls:
    """Calls what a file defines and no program calls."""

    run: Run
    guard: Guard

    def call_all(self, file: File) -> None:
        """Call the functions of a file that no call has reached, then the methods of its classes."""
        for function in list(file.functions):
            if not self.is_called(function):
                self.call(function, file, None)
        for made in list(file.classes):
            self.call_methods(made, file)

    def is_called(self, function: Function) -> bool:
        """Return whether a call has reached a function."""
        return id(function.node) in self.run.called

    def call_methods(self, made: Class, file: File) -> None:
        """Call all methods of a class of which no method was ever called."""
        methods = [each for each in made.names.values() if isinstance(each, Function)]
        if not methods or any(map(self.is_called, methods)):
            return

        instance = Instance(made)
        init = made.find("__init__")
        if isinstance(init, Function):
            self.call(init, file, instance)
        for method in methods:
            if not self.is_called(method):
                self.call(method, file, instance)

    def call(self, function: Function, file: File, instance: Instance | None) -> None:
        """def clean(df): …      Call a function with open datasets."""
        run = self.run
        run.start(function)
        reading, run.reading = run.reading, file.reading
        spec = function.node.args
        parameters = [*spec.posonlyargs, *spec.args]
        arguments: list[Value] = []
        if parameters and instance is not None and "staticmethod" not in function.decorators:
            arguments.append(instance)
            parameters = parameters[1:]

        usage = Usage(frame_like_names(function.node), session_like_names(function.node))
        arguments += [open_parameter(run, each, function, usage) for each in parameters]
        keywords = {
            each.arg: open_parameter(run, each, function, usage) for each in spec.kwonlyargs
        }
        run.reading = reading
        self.guard(
            function, lambda: call_function(run, function, arguments, keywords, function.node)
        )


@dataclass(frozen=True)
class Usage:
    """How a function uses its names: like a DataFrame, like a session."""

    frames: set[str]
    sessions: set[str]


def open_parameter(run: Run, parameter: ast.arg, function: Function, usage: Usage) -> Value:
    """def clean(df), def clean(spark)      Return the value of a parameter that no call binds."""
    name = parameter.arg
    annotation = ast.unparse(parameter.annotation) if parameter.annotation is not None else ""
    if "SparkSession" in annotation or name in SESSION_NAMES or name in usage.sessions:
        return Session()
    if is_frame(name, annotation, usage):
        reason = "a parameter that no call binds"
        held = Unknown(f"{function.name}.{name}", reason, Confidence.HIGH)
        return open_dataset(run, held, function.node)

    return Unknown(name, f"the parameter {name} of {function.name}", Confidence.LOW)


def is_frame(name: str, annotation: str, usage: Usage) -> bool:
    """df: DataFrame, df: DataFrame | None, df      by its annotation or by how it is used"""
    if "DataFrame" in annotation and "[" not in annotation:
        return True
    return name in usage.frames and (not annotation or "|" in annotation)
