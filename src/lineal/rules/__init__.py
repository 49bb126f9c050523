"""The rules room: the checks of `lineal validate`, one file per rule.

    check(Subject(graph), asked(checks))      every finding of the rules that are asked for, in
    order

A new rule is a file with `find` and `RULE`, a name in `RULES`, and cases under tests/rules/<code>/.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lineal.model.boundary import Passing
from lineal.model.diagnostic import Code, Diagnostic, Severity
from lineal.model.finding import Checks, Finding, Found, Suppression, order_of
from lineal.model.names import closest
from lineal.model.sequences import flatten
from lineal.rules import (
    classification_conflict,
    cte,
    derived_table,
    description_drift,
    not_declared,
    not_produced,
    personal_data,
    type_mismatch,
    undescribed_copy,
    undescribed_transform,
    unknown_reference,
    unused_column,
    unused_suppression,
)
from lineal.rules import diagnostics as diagnosed
from lineal.rules.rule import Rule, Subject
from lineal.rules.suppressions import Silence

__all__ = [
    "RULES",
    "Rule",
    "Severities",
    "Subject",
    "UnknownRule",
    "asked",
    "check",
    "misnamed",
    "rule_called",
]

RULES: tuple[Rule, ...] = (
    cte.RULE,
    derived_table.RULE,
    not_produced.RULE,
    not_declared.RULE,
    type_mismatch.RULE,
    unused_column.RULE,
    undescribed_copy.RULE,
    description_drift.RULE,
    undescribed_transform.RULE,
    classification_conflict.RULE,
    personal_data.RULE,
    unknown_reference.RULE,
    unused_suppression.RULE,
    *diagnosed.RULES,
)

Severities = Mapping[str, Severity]
"""The codes of the rules that are on, and how bad each is."""

LEVELS: Mapping[str, Severity | None] = {
    "off": None,
    "info": Severity.INFO,
    "warning": Severity.WARNING,
    "error": Severity.ERROR,
}


REMEDIES = {rule.code: rule.remedy for rule in RULES}
"""The remedy for the findings of each rule."""


class UnknownRule(Passing, LookupError):
    """No rule is called so; the message says which one may have been meant."""


def rule_called(text: str) -> Rule:
    """Return the rule with this code or name."""
    return _find_rules(text)[0]


def active_rules(
    checks: Checks, select: Sequence[str] = (), ignore: Sequence[str] = ()
) -> Severities:
    """The rules that are on: as the project says, then only those selected, without those ignored."""
    levels = {rule.code: rule.severity for rule in RULES}
    for name, (level, _) in checks.severities.items():
        for rule in RULES:
            if rule.is_called(name) and level in LEVELS:
                levels[rule.code] = LEVELS[level]

    if select:
        chosen = {rule.code for name in select for rule in _find_rules(name)}
        levels = {code: level for code, level in levels.items() if code in chosen}
        levels = {
            code: Severity.WARNING if level is None else level for code, level in levels.items()
        }

    left_out = {rule.code for name in ignore for rule in _find_rules(name)}
    return {
        code: level for code, level in levels.items() if level is not None and code not in left_out
    }


def check_settings(checks: Checks) -> list[Diagnostic]:
    """Return the settings of rules that do not exist, or whose values mean nothing."""
    found = []
    for name, (level, place) in checks.severities.items():
        try:
            _find_rules(name)
        except UnknownRule as unknown:
            found.append(Diagnostic(Code.UNKNOWN_KEY, f"validate.severity: {unknown}", place))

        if level not in LEVELS:
            message = f"validate.severity.{name}: expected {', '.join(LEVELS)}, found {level!r}"
            found.append(Diagnostic(Code.YAML_TYPE, message, place))

    return found


def check(
    subject: Subject, severities: Severities, suppressions: Iterable[Suppression] = ()
) -> list[Finding]:
    """Return the findings of the rules without silenced ones; a comment that silences nothing is a
    finding.
    """
    silence = Silence(suppressions, RULES)
    findings = [
        Finding(rule.code, rule.name, severities[rule.code], found)
        for rule in RULES
        if rule.code in severities
        for found in _run_rule(rule, subject)
        if not silence.covers(rule, found)
    ]
    last = unused_suppression.RULE
    if last.code in severities:
        level = severities[last.code]
        findings += (
            Finding(last.code, last.name, level, found)
            for found in silence.unused_comments(severities)
        )

    return sorted(dict.fromkeys(map(_add_advice, findings)), key=order_of)


def _run_rule(rule: Rule, subject: Subject) -> list[Found]:
    """Return the findings of a rule; none, with a diagnostic, if it fails."""
    try:
        return list(rule.find(subject))
    except Exception as error:
        subject.graph.extraction.failures.add(error, None, rule.code, f"rule {rule.code}")
        vars(subject).pop("diagnosed", None)  # there is one more now
        return []


def _add_advice(finding: Finding) -> Finding:
    """A finding that has no advice of its own has that of its rule."""
    if finding.found.hint:
        return finding

    remedy = REMEDIES[finding.code]
    return finding._replace(found=finding.found._replace(hint=remedy))


def _find_rules(text: str) -> list[Rule]:
    """Return the rules of a code or name; raise UnknownRule if there is none."""
    found = [rule for rule in RULES if rule.is_called(text)]
    if not found:
        near = closest(text, flatten((rule.code, rule.name) for rule in RULES))
        meant = f"did you mean {near}?" if near else "write a code or name: A051, unused-column"
        raise UnknownRule(f"there is no rule {text}; {meant}")

    return found
