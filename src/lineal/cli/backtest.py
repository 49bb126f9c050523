"""lineal diff --backtest N: what a policy would have said of the last commits."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from lineal.cli.comparison import ComparisonRequest, compare_under, open_revision
from lineal.cli.source import Mistake, exists, mistakes, shown_path
from lineal.service.source import Source

if TYPE_CHECKING:
    from lineal.graph.diff import Difference
    from lineal.model.policy import Policy
    from lineal.projects.git import Commit, Repository
    from lineal.views.backtest import Backtest, Judged


def backtest(source: Source, project: str, most: int, policy: str | None, output: str) -> int:
    """Print the verdict of each commit, and return the exit code: a dry run fails nobody."""
    from lineal.cli.console import show
    from lineal.views.backtest import OUTPUTS

    if output not in OUTPUTS:
        raise Mistake("--backtest prints text or json: leave --output out, or write --output json")

    if not exists(project):
        raise Mistake(f"no such file or folder: {shown_path(project)}")

    with mistakes():
        made = judge_history(source, project, most, policy)

    show(OUTPUTS[output](made), source.color)
    return 0


def judge_history(source: Source, project: str, most: int, policy: str | None) -> Backtest:
    """Return the last commits of a project, each checked against one policy."""
    from lineal.projects.git import Repository
    from lineal.views.backtest import Backtest

    repository = Repository.around(project)
    name, rules = policy_at_hand(project, policy)
    commits = repository.history(most)
    judged = [judge(source, repository, each, project, rules) for each in commits]
    note = ""
    if len(commits) < most:
        note = f"the history has {len(commits)} commits of {most}{repository.shallow_note()}"

    return Backtest(name, judged, note)


def policy_at_hand(project: str, policy: str | None) -> tuple[str, Policy]:
    """Return the policy to try: the one that is named, else that of the work tree."""
    from lineal.model.policy import DEFAULT
    from lineal.projects.policy import FILE, read_policy

    file = Path(policy) if policy is not None else Path(project) / FILE
    if file.is_file():
        return shown_path(str(file)), read_policy(file)

    if policy is not None:
        raise Mistake(f"no such policy file: {policy}")

    return "the usual policy", DEFAULT


def judge(
    source: Source, repository: Repository, commit: Commit, project: str, rules: Policy
) -> Judged:
    """Return the verdict on one commit, compared with its first parent."""
    from lineal.projects import ProjectError
    from lineal.views.backtest import Judged

    told = commit.name, commit.date, commit.subject
    if not commit.parent:
        return Judged(*told, None, f"it has no parent here{repository.shallow_note()}")

    try:
        found = compare_commits(source, repository, commit, project, rules)
    except (ProjectError, Mistake) as problem:
        return Judged(*told, None, str(problem))

    return Judged(*told, found)


def compare_commits(
    source: Source, repository: Repository, commit: Commit, project: str, rules: Policy
) -> Difference:
    """Return what a commit changes."""
    asked = ComparisonRequest(commit.parent, commit.name, project)
    with ExitStack() as opened:
        before = open_revision(repository, asked.base, project, opened)
        after = open_revision(repository, asked.head, project, opened)
        return compare_under(source, (before, after), lambda made: made.found, rules)
