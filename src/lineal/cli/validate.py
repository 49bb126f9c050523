"""lineal validate: the findings of the rules about a project."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

from lineal.cli.console import complain, report_failures, show
from lineal.cli.coverage import fail_under, falls_short, footer
from lineal.cli.source import (
    check_paths,
    graph_in,
    mistakes,
    mistakes_of,
    project_of,
    source_options,
)
from lineal.model.boundary import FAILED, internal_errors
from lineal.service.source import Source

if TYPE_CHECKING:
    from lineal.cli.answer_cache import ShownAnswer
    from lineal.graph.graph import Graph
    from lineal.model.script import Corpus
    from lineal.rules import Rule
    from lineal.views.findings import Verdict

Value = TypeVar("Value")

FAIL_ON = ("error", "warning", "info", "never")
FORMATS = ("text", "json", "sarif", "github")


@click.command(name="validate")
@click.argument("arguments", nargs=-1, metavar="[PATH]…")
@click.option(
    "--output",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="For people, for programs, for code scanning, or as annotations of GitHub Actions.",
)
@click.option(
    "--select",
    metavar="CODES",
    multiple=True,
    help="Run only these rules: A050,SA01 or A05*; rules that are off, too.",
)
@click.option("--ignore", metavar="CODES", multiple=True, help="Leave out these rules.")
@click.option("--explain", metavar="CODE", help="Explain a rule, and check nothing.")
@click.option(
    "--fail-on",
    type=click.Choice(FAIL_ON),
    default="error",
    show_default=True,
    help="Exit with 1 if there is a finding of this severity or above.",
)
@fail_under
@source_options
def command(
    source: Source,
    arguments: tuple[str, ...],
    output: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    explain: str | None,
    fail_on: str,
    fail_under: float | None,
) -> None:
    """Check declarations, descriptions, classifications and references against the SQL.

    PATH is what `lineal lineage` takes: a project, a .sql or .py file, a folder of them, a saved
    lineage.  [default: .]

    The section `validate:` of lineal.yml sets severities; `-- lineal: ignore[A050]` in SQL, or # in
    YAML and Python, silences a rule on a line, at the head of a file in all of it.

    \b
    lineal validate                             every rule that is on
    lineal validate --select 'A05*,SA01'        these only
    lineal validate --explain A051              what it means, and what to do
    lineal validate --output sarif > lineal.sarif

    Exit codes: 0 fine, 1 findings (see --fail-on), 2 a usage error.
    """
    if explain is not None:
        _explain(explain, source.color)
        return

    source = source._replace(paths=check_paths(arguments))
    found = _answer(source, _split_codes(select), _split_codes(ignore), output)
    worst, told = found.facts
    show(found.made, source.color)
    for said in found.footer.splitlines():
        complain(said)

    failed = not told and report_failures(found.diagnostics, source.color)
    short = falls_short(found.coverage, fail_under)
    is_bad = fail_on != "never" and (failed or _is_bad(worst, fail_on))
    sys.exit(int(short or is_bad))


def _split_codes(values: tuple[str, ...]) -> list[str]:
    """--select A050,SA01 --select S005"""
    return [name.strip() for value in values for name in value.split(",") if name.strip()]


def _answer(source: Source, select: list[str], ignore: list[str], output: str) -> ShownAnswer:
    """Return the findings of a project; if nothing has changed, as the last run reported them."""
    from lineal.cli.answer_cache import decided_by, kept_answer

    with mistakes():
        project = project_of(source)

        def work() -> ShownAnswer:
            """Check the lineage against the rules."""
            return _show_findings(*_verdict(source, project.corpus(), select, ignore), output)

        if project.stamp is None:
            return work()

        decided = ("validate", *decided_by(source, project), select, ignore, output)
        return kept_answer(source, decided, work)


def _verdict(
    source: Source, corpus: Corpus, select: list[str], ignore: list[str]
) -> tuple[Verdict, Graph]:
    """Return the findings, and the lineage that was checked."""
    from lineal.extract.sql.constructs import constructs_of
    from lineal.model.finding import move_finding
    from lineal.projects.source_texts import Texts
    from lineal.rules import RULES, Subject, active_rules, check, check_settings
    from lineal.views.findings import Verdict

    severities = _or_mistake(lambda: active_rules(corpus.checks, select, ignore))
    corpus.diagnostics += check_settings(corpus.checks)
    graph = graph_in(source, corpus)
    texts = Texts(corpus, source.paths)
    subject = Subject(graph, corpus.checks, lambda: constructs_of(corpus))
    findings = [
        move_finding(finding, texts.original)
        for finding in check(subject, severities, texts.suppressions())
    ]
    rules = [rule for rule in RULES if rule.code in severities]
    return Verdict(findings, rules, graph.extraction.coverage, texts.line), graph


def _show_findings(verdict: Verdict, graph: Graph, output: str) -> ShownAnswer:
    """The findings, their count below a text, and what decides the exit code."""
    from lineal.cli.answer_cache import ShownAnswer
    from lineal.views.findings import counts_by_code, view

    last: list[str] = []
    if output in ("text", "github"):
        last = [*counts_by_code(verdict), verdict.count, footer(graph)]

    codes = {code.code for code in FAILED}
    told = any(finding.code in codes for finding in verdict.findings)
    worst = max((int(finding.severity) for finding in verdict.findings), default=-1)
    return ShownAnswer(
        view(output, verdict),
        internal_errors(graph.extraction.diagnostics),
        "\n".join(last),
        verdict.coverage,
        (worst, told),
    )


def _is_bad(worst: int, fail_on: str) -> bool:
    """Tell whether the worst finding is severe enough to fail."""
    from lineal.model.diagnostic import Severity

    return worst >= Severity[fail_on.upper()]


def _explain(name: str, color: str) -> None:
    """Print what a rule means and how to fix its findings."""
    from lineal.cli.console import show
    from lineal.rules import rule_called

    rule = _or_mistake(lambda: rule_called(name))
    show(explain_rule(rule), color)


def explain_rule(rule: Rule) -> str:
    """A051 description-drift (warning), what it means and what to do."""
    level = rule.severity.label if rule.severity is not None else "off unless it is asked for"
    named = rule.code if rule.code == rule.name else f"{rule.code} {rule.name}"
    return "\n".join(
        [f"{named} ({level})", "", rule.meaning, *([rule.remedy] if rule.remedy else []), ""]
    )


def _or_mistake(ask: Callable[[], Value]) -> Value:
    """Return the answer; an unknown rule is a mistake of the user."""
    from lineal.rules import UnknownRule

    with mistakes_of(UnknownRule):
        return ask()
