"""Steps: what a run does for each node, as far as its YAML says so.

materialized: view | table | incremental          also under config:
unique_key: order_id                              the rows that an incremental model replaces
columns: [{name: id, tests: [unique, not_null, {accepted_values: {values: [a, b]}}]}]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from lineal.model.diagnostic import Diagnostic
from lineal.model.script import ColumnTest, Script, Step
from lineal.projects.columns import pairs
from lineal.projects.nodes import Node
from lineal.projects.render import Rendering
from lineal.projects.text import Report
from lineal.projects.yaml import Value

MATERIALIZED_KEYS = ("materialized", "materialization")
TEST_KEYS = ("tests", "data_tests")
SETTINGS = ("delimiter", "unique_key")
REFERENCE = re.compile(r"(?:ref|source)\(.*?['\"]([^'\"]+)['\"]\s*\)")
"""to: ref('orders') and to: source('shop', 'orders') name orders."""


@dataclass(frozen=True)
class Waiting:
    """A step whose templates are not rendered yet: the numbers of its own one and of its hooks."""

    step: Step
    own: tuple[int, ...] = ()
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()

    def step_with_texts(self, renderings: list[Rendering], scripts: list[list[Script]]) -> Step:
        """The step with its texts. One whose template does not render has none; Python is no
        template.
        """
        rendered = tuple(chain.from_iterable(renderings[number].runs for number in self.own))
        texts = rendered if self.own else self.step.texts
        before, after = (
            _hooks(numbers, renderings, scripts) for numbers in (self.before, self.after)
        )
        return replace(self.step, texts=texts, before=before, after=after)


def _hooks(
    numbers: tuple[int, ...], renderings: list[Rendering], scripts: list[list[Script]]
) -> tuple[Script, ...]:
    """The hooks of a first build: what they say of later ones does not decide what they do."""
    return tuple(scripts[number][0] for number in numbers if renderings[number].runs)


def step_of(node: Node, materialized: str, report: Report) -> Step:
    """Return the step of a node from its YAML; `materialized` is the project's default."""
    file = {"seed": node.csv, "python": node.py}.get(node.kind, node.sql)
    said = (node.about, node.about.part("config"))
    as_what = next(
        (text for value in said if (text := value.text(report, *MATERIALIZED_KEYS))), materialized
    )
    settings = {
        key: found.plain()
        for value in said
        for key in SETTINGS
        if (found := value.get(key)) is not None
    }
    return Step(
        name=node.name,
        kind=node.kind,
        file=str(file) if file is not None else node.place.file,
        materialized=as_what.lower(),
        settings=settings,
        tests=tuple(_tests(node.about.part("columns"), report)),
        place=node.place,
    )


def _tests(columns: Value, report: Report) -> Iterator[ColumnTest]:
    """Yield the tests of columns."""
    heard: list[Diagnostic] = []  # what is wrong with the columns themselves has been said
    for column, about in pairs(columns, heard.append):
        for test in about.items_of(*TEST_KEYS):
            yield from _test(column, test, report)


def _test(column: str, test: Value, report: Report) -> Iterator[ColumnTest]:
    """unique, {accepted_values: {values: [a, b]}} or {accepted_values: [a, b]}"""
    if isinstance(test.data, dict):
        for name, value in test.data.items():
            yield ColumnTest(column, name, _arguments(value), value.place)
    elif isinstance(test.data, list):
        report(test.report_unexpected("the name of a test"))
    elif test.data is not None:
        yield ColumnTest(column, test.as_text(report), place=test.place)


def _arguments(value: Value) -> dict[str, object]:
    """Return scalars as they are written: `1.10` is compared as 1.10, and yes stays a text."""
    if isinstance(value.data, list):
        return {"values": [item.raw for item in value.data]}

    arguments = value.get("arguments") or value
    if not isinstance(arguments.data, dict):
        return {"value": arguments.raw}

    return {key: _argument(item) for key, item in arguments.data.items()}


def _argument(value: Value) -> object:
    """Return an argument of a test; a reference becomes the name it refers to."""
    if isinstance(value.data, list):
        return [item.raw for item in value.data]

    found = REFERENCE.fullmatch(value.raw.strip())
    if found:
        return found[1]

    return value.raw
