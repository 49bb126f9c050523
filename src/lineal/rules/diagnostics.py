"""Diagnostics of reading as findings: every diagnostic is a rule under its own code."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from lineal.model.diagnostic import Code
from lineal.model.finding import Found
from lineal.rules.rule import Rule, Subject

OWN_RULES = (Code.CLASSIFICATION_CONFLICT, Code.UNKNOWN_REFERENCE)
"""Diagnostics that have a code of their own here."""


def find(code: Code, subject: Subject) -> Iterator[Found]:
    """Yield each diagnostic of a code as a finding."""
    for diagnostic in subject.diagnosed.get(code, ()):
        yield Found(diagnostic.message, diagnostic.place, diagnostic.hint)


RULES = tuple(
    Rule(code.code, code.code, code.severity, code.meaning, code.remedy, partial(find, code))
    for code in Code
    if code not in OWN_RULES
)
