"""Forms of a Python node: dbt's model(dbt, session), a plain Spark job, or neither.

The text is parsed, never executed. The same answer decides how a node is traced and how a run
executes it.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

SESSIONS = frozenset(("spark", "spark_session", "session", "sparkSession", "sess"))
"""Names of parameters that receive a SparkSession."""

STARTS = ("main", "run", "job", "build", "execute", "process", "etl", "transform")
"""Functions that start a job, the most usual first."""

SPARK = re.compile(
    r"^\s*(?:from|import)\s+(?:pyspark|delta|awsglue|databricks)\b|\bspark\s*\.|\bSparkSession\b",
    re.M,
)
"""A file that works with Spark."""


class Kind(StrEnum):
    MODEL = "model"
    """def model(dbt, session): the DataFrame that it returns is the table."""
    JOB = "job"
    """A program that writes the table itself."""
    OTHER = "other"
    """Python that lineal neither traces nor runs."""


@dataclass(frozen=True)
class Form:
    """The kind of a Python file, and its entry point."""

    kind: Kind
    entry: str = ""
    """The function that is called after the file was executed: of a model `model`, of a job one
    that takes a session
    and that nothing in the file calls."""
    sessions: int = 0
    """How many parameters of that function of a job take a session."""
    line: int = 1
    """The line that this function starts on."""
    config: Mapping[str, Any] = field(default_factory=dict)
    """dbt.config(materialized="incremental", unique_key="id"): the arguments that are literals."""


def form_of(text: str) -> Form:
    """The form of a Python file. One that cannot be parsed is a job if it speaks of Spark."""
    spoken = Kind.JOB if SPARK.search(text) or "def model(dbt" in text else Kind.OTHER
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Form(spoken)

    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    model = functions.get("model")
    if model is not None and [each.arg for each in model.args.args][:1] == ["dbt"]:
        return Form(Kind.MODEL, "model", line=model.lineno, config=dict(_config(model)))

    entry = functions.get(_entry(tree, functions)) if spoken is Kind.JOB else None
    if entry is None:
        return Form(spoken)

    return Form(spoken, entry.name, len(required_parameters(entry)), entry.lineno)


def _config(model: ast.FunctionDef) -> Iterator[tuple[str, Any]]:
    """Yield the options of `dbt.config(...)` that the text states as literals."""
    for node in ast.walk(model):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "dbt.config":
            for keyword in node.keywords:
                if keyword.arg is not None:
                    try:
                        yield keyword.arg, ast.literal_eval(keyword.value)
                    except ValueError:
                        continue  # only a run knows it: what the YAML says counts


def _entry(tree: ast.Module, functions: Mapping[str, ast.FunctionDef]) -> str:
    """Return the entry function of a file.

    def run(spark): …

    the one that nothing in the file calls; of several the one with the most usual name
    """
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    free = {name: node for name, node in functions.items() if name not in named}
    takers = [name for name, node in free.items() if takes_session(node)]
    if len(takers) == 1:
        return takers[0]

    alone = [name for name in STARTS[:3] if name in free and not required_parameters(free[name])]
    return next(
        (name for name in STARTS if name in takers), alone[0] if alone and not takers else ""
    )


def takes_session(function: ast.FunctionDef) -> bool:
    """Whether a session is all that a function needs."""
    needed = required_parameters(function)
    by_name = {each.arg for each in function.args.kwonlyargs}
    return bool(needed) and all(is_session(each) and each.arg not in by_name for each in needed)


def is_session(parameter: ast.arg) -> bool:
    """Tell whether a parameter is a session.

    def main(spark), def main(s: SparkSession)
    """
    annotation = ast.unparse(parameter.annotation) if parameter.annotation is not None else ""
    return "SparkSession" in annotation or parameter.arg in SESSIONS


def required_parameters(function: ast.FunctionDef) -> list[ast.arg]:
    """The parameters without a default."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    bare = positional[: len(positional) - len(arguments.defaults)]
    keywords = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return [*bare, *(each for each, default in keywords if default is None)]
