"""lineal: the schema as a mapping; LINEAL_READING=value leaves out what only decides a value."""

from __future__ import annotations

import os
from typing import Any

from loop import Pairs, answer_all

import lineal

VALUE_ONLY = os.environ.get("LINEAL_READING") == "value"


def pairs_of(question: dict[str, Any]) -> Pairs:
    found = lineal.lineage(
        {"result": question["sql"]}, dialect=question["dialect"], schema=question["schema"]
    )
    wrong = [problem for problem in found.diagnostics if problem.severity.name == "ERROR"]
    if wrong and not found.edges:
        raise ValueError(wrong[0].message)
    for edge in found.edges:
        if edge.field_level and (not VALUE_ONLY or any(usage.how.direct for usage in edge.usages)):
            yield edge.source.dataset.name, edge.source.name, edge.target.name


answer_all(pairs_of)
