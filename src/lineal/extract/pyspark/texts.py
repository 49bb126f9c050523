"""Texts that a program puts together; parts that only a run knows stay placeholders."""

from __future__ import annotations

import ast
import re
from typing import Any

from lineal.extract.pyspark.collected import tree_in
from lineal.extract.pyspark.dispatch import EXPRESSIONS, computed_by, value
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.knowledge import is_known, is_text
from lineal.extract.pyspark.protocols import as_text
from lineal.extract.pyspark.run import Environment, Run
from lineal.extract.pyspark.sizes import LONGEST_TEXT, TOO_LONG, is_writable, written_length
from lineal.extract.pyspark.values import Choice, Library, Pattern, Unknown, Value, label_of
from lineal.model.sequences import instances
from lineal.model.way import Confidence

WIDE = re.compile(r"\d{5}")
"""A width that makes a text of a few characters a large one."""


def f_string(run: Run, node: ast.JoinedStr, env: Environment) -> Value:
    """Evaluate an f-string.

    f"{schema}.orders"
    """
    parts = [format_part(run, part, env) for part in node.values]
    if run.elements:
        computed = computed_by(parts, {})
        if computed is not None:
            return computed(run, "format", Invocation(parts, {}, node))

    return text_of_parts(parts)


def format_part(run: Run, part: ast.expr, env: Environment) -> Value:
    """Return a part of an f-string.

    {name:>10}, {name!r}
    """
    if isinstance(part, ast.Constant):
        return part.value

    assert isinstance(part, ast.FormattedValue)
    held = as_text(run, value(run, part.value, env), part)
    if part.format_spec is not None:
        spec = value(run, part.format_spec, env)
        if is_known(held) and is_text(spec) and not WIDE.search(spec):
            return format_value(held, spec)

    if part.conversion == ord("r") and is_known(held) and is_writable(held):
        return repr(held)

    is_named = isinstance(part.value, (ast.Name, ast.Attribute))
    if isinstance(held, Unknown) and (is_named or held.label == "…"):
        return held.rename(label_of(part.value))

    return held


def format_value(held: Value, spec: str) -> Value:
    """Return a constant as its format says.

    {day:02d}
    """
    try:
        return format(held, spec)
    except (ValueError, TypeError):
        return held


def text_of_parts(parts: list[Value]) -> Value:
    """Return the text of several values side by side; an unknown part stays a placeholder."""
    choices = instances(parts, Choice)
    if choices and len(choices[0].options) <= 8 and len(set(map(id, choices))) == 1:
        several = [
            text_of_parts([one if part is choices[0] else part for part in parts])
            for one in choices[0].options
        ]
        return Choice(tuple(several))

    level, reason, variable, home = Confidence.HIGH, "", "", ""
    texts = []
    values: dict[str, Any] = {}

    for part in parts:
        if isinstance(part, (Unknown, Pattern)):
            values.update(values_in(part))
            variable, home = variable or part.variable, home or part.home
            if part.level < level or not reason:
                level, reason = min(level, part.level), part.reason

            texts.append(str(part) if isinstance(part, Pattern) else f"{{{part.label}}}")
        elif is_known(part) and is_writable(part):
            texts.append(str(part))
        else:
            level, reason = Confidence.UNKNOWN, "not followed"
            texts.append(f"{{{placeholder_of(part)}}}")

    if sum(map(len, texts)) > LONGEST_TEXT:
        return Unknown("…", TOO_LONG)

    text = "".join(texts)
    if reason:
        return Pattern(text, min(level, Confidence.LOW), reason, variable, home, values)

    return text


def placeholder_of(part: Value) -> str:
    """Return what a value that is not followed is called: an imported name by its name.

    from company.paths import DATA      DATA / "orders.csv" is {DATA}/orders.csv
    """
    if isinstance(part, Library):
        return part.name.rpartition(".")[2]

    return "…"


def values_in(part: Unknown | Pattern) -> dict[str, Any]:
    """f"{latest}"      Return the expressions of collected values by their placeholders."""
    if isinstance(part, Pattern):
        return part.values

    tree = tree_in(part)
    if tree is None:
        return {}

    return {f"{{{part.label}}}": tree}


def is_short_format(text: str, arguments: Value) -> bool:
    """Whether "%s.orders" % schema stays short; a field of a dict may be written many times."""
    if WIDE.search(text) or "*" in text:
        return False

    times = text.count("%") if isinstance(arguments, dict) else 1
    return times * written_length(arguments) <= LONGEST_TEXT


def format_percent(text: str, arguments: Value) -> Value:
    """Evaluate a percent format.

    "%s.orders" % schema
    """
    if is_known(arguments) and is_text(text) and is_short_format(text, arguments):
        try:
            return text % arguments
        except (TypeError, ValueError, KeyError):
            return Unknown("…", "a text that is made with %")

    if isinstance(arguments, dict):
        named = re.split(r"%\((\w+)\)[sd]", text)
        return text_of_parts(
            [arguments.get(part) if at % 2 else part for at, part in enumerate(named)]
        )

    values = arguments if isinstance(arguments, tuple) else (arguments,)
    pieces = re.split("%[sd]", text)
    if len(pieces) != len(values) + 1:
        return Unknown("…", "a text that is made with %")

    parts: list[Value] = [pieces[0]]
    for held, piece in zip(values, pieces[1:], strict=True):
        parts += [held, piece]

    return text_of_parts(parts)


EXPRESSIONS.update({ast.JoinedStr: f_string})
