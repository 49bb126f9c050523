"""Macros in Python: what a function writes as SQL, as far as its text tells. Nothing is executed.

@macro()
def cents(evaluator, column):
    return f"{column} * 100"
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping

from lineal.extract.pyspark.embedded.statements import Collector
from lineal.extract.pyspark.embedded.trees import Evaluator, Trees, take_tree, text_of
from lineal.extract.pyspark.function_calls import call_function
from lineal.extract.pyspark.invocation import Invocation, Keywords
from lineal.extract.pyspark.program import Program
from lineal.extract.pyspark.run import Exhausted, Run
from lineal.extract.pyspark.values import Choice, Function, Tree, Value, positional_names
from lineal.model.sequences import present

PLAIN = {"str": str, "int": int, "float": float}
"""Annotations by which SQLMesh hands over a value of Python, and no expression."""


def new_macro_collector() -> Collector:
    """Return a collector that knows sqlglot and the decorators of SQLMesh."""
    collector = Collector()
    collector.handlers.append(take_tree)
    collector.decorators.append(decorate_macro)
    return collector


def decorate_macro(
    run: Run, collector: Collector, made: Function, library: str, keywords: Keywords
) -> Value | None:
    """@macro()      the function itself"""
    if library.startswith("sqlmesh"):
        return made

    return None


def call_macro(
    program: Program, function: Function, evaluator: Evaluator, given: list[Value], named: Keywords
) -> list[str]:
    """Return the texts that a call may write; none if only a run knows."""
    run = program.run
    run.start(function)
    run.reading = function.file.reading
    arguments = [evaluator, *coerce_arguments(function, given)]
    keywords = {name: coerce(held, annotation_of(function, name)) for name, held in named.items()}

    told = run.told

    try:
        made = call_function(run, function, Invocation(arguments, keywords, function.node))
    except (Exhausted, RecursionError):
        return []

    if run.told > told:
        return []  # a loop that was not followed to its end

    texts = list(map(text_written, made.options if isinstance(made, Choice) else [made]))
    if None in texts:
        return []

    return present(texts)


def text_written(made: Value) -> str | None:
    """Return what a macro writes: nothing for None."""
    if made is None:
        return ""

    return text_of(made)


def coerce_arguments(function: Function, given: Iterable[Value]) -> list[Value]:
    """Return positional arguments as SQLMesh hands them over, by the annotations."""
    spec = function.node.args
    names = positional_names(spec)[1:]
    found = []

    for number, held in enumerate(given):
        name = names[number] if number < len(names) else ""
        found.append(coerce(held, annotation_of(function, name)))

    return found


def annotation_of(function: Function, name: str) -> str:
    """Return the annotation of a parameter; '' if it has none."""
    spec = function.node.args
    for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs):
        if each.arg == name and each.annotation is not None:
            return ast.unparse(each.annotation).removesuffix(" | None")

    return ""


OPTIONAL = re.compile(r"(?:t\.|typing\.)?Optional\[(.*)\]")
STRINGS = re.compile(r"(?:t\.|typing\.)?(?:List|list|Tuple|tuple|Sequence)\[str\b.*\]")


def coerce(held: Value, annotation: str) -> Value:
    """name: str      the text without quotes; columns: list[str]      each of them"""
    found = OPTIONAL.fullmatch(annotation)
    kind = found[1] if found is not None else annotation
    if isinstance(held, Trees) and STRINGS.fullmatch(kind):
        return [coerce(each, "str") for each in held]

    if not isinstance(held, Tree):
        return held

    if held.upper() == "NULL":
        return None

    if kind == "bool":
        return held.upper() == "TRUE"

    return plain_value(held, kind)


def plain_value(held: Tree, kind: str) -> Value:
    """Return an expression as a value of Python, if its parameter asks for one."""
    text = str(held)
    if kind not in PLAIN:
        return held

    if kind == "str":
        if re.fullmatch(r"'[^']*'|\"[^\"]*\"", text):
            return text[1:-1]

        return text

    try:
        return PLAIN[kind](text)
    except ValueError:
        return held


def functions_of(program: Program) -> Mapping[str, Function]:
    """Return the functions of all files by their file and name."""
    found: dict[str, Function] = {}
    for file in program.files:
        program.load(program.run, file)
        for function in file.functions:
            found[f"{file.path}::{function.name}"] = function

    return found
