"""The verdicts of a policy on the last commits: for people and for programs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from lineal.graph.diff import Difference
from lineal.model.policy import Level
from lineal.views.safe import json_safe, make_visible
from lineal.views.terminal import Grid, Page, Piece, line
from lineal.views.words import count_noun

VERSION = 1
SHORT = 10
DAY = 10
"""Characters of a date that are its day."""


class Judged(NamedTuple):
    """One commit, and what the policy says of it."""

    commit: str
    date: str
    subject: str
    found: Difference | None
    problem: str = ""
    """why it could not be compared"""

    @property
    def verdict(self) -> str:
        """SAFE, REVIEW, BLOCK, or a dash where nothing could be compared"""
        if self.found is None:
            return "-"

        return self.found.verdict.name

    @property
    def reasons(self) -> list[str]:
        """Return the findings that decide the verdict, by kind and dataset."""
        if self.found is None:
            return [self.problem]

        worst = self.found.verdict
        several = [each for each in self.found.findings if each.level is worst is not Level.SAFE]
        return [f"{each.kind} {each.dataset}".strip() for each in several]


class Backtest(NamedTuple):
    """All commits, the newest first, and the policy that they were checked against."""

    policy: str
    commits: list[Judged]
    note: str = ""
    """why there are fewer commits than asked for"""


def text(made: Backtest) -> Page:
    """Return a table with a row for each commit."""
    counts = Counter(each.verdict for each in made.commits)
    told = ", ".join(f"{counts[name]} {name}" for name in ("BLOCK", "REVIEW", "SAFE", "-"))
    heading = f"{count_noun(len(made.commits), 'commit')} under {made.policy}: {told}"
    page: Page = [line(Piece(make_visible(heading), "heading")), line()]
    rows = list(map(_row, made.commits))
    page += [Grid(("VERDICT", "COMMIT", "DATE", "SUBJECT", "BECAUSE OF"), rows), line()]
    if made.note:
        page.append(line(Piece(make_visible(made.note), "note")))

    return page


def _row(each: Judged) -> tuple[str, ...]:
    """Return the table row of a commit."""
    because = ", ".join(each.reasons)
    return each.verdict, each.commit[:SHORT], each.date[:DAY], each.subject, because


def as_json(made: Backtest) -> str:
    """Return every commit with its findings."""
    document = {
        "version": VERSION,
        "policy": made.policy,
        "note": made.note or None,
        "commits": list(map(_commit, made.commits)),
    }
    return json_safe(json.dumps(document, ensure_ascii=False, indent=2) + "\n")


def _commit(each: Judged) -> dict[str, object]:
    """Return a commit as JSON values."""
    findings = each.found.findings if each.found is not None else ()
    return {
        "commit": each.commit,
        "date": each.date,
        "subject": each.subject,
        "verdict": each.verdict if each.found is not None else None,
        "problem": each.problem or None,
        "findings": [
            {"kind": found.kind, "level": found.level.label, "dataset": found.dataset or None}
            for found in findings
        ],
    }


OUTPUTS: dict[str, Callable[[Backtest], str | Page]] = {"text": text, "json": as_json}
