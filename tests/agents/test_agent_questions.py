"""Questions of an agent, each with the answer that was worked out by hand: right, or "not known"."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from mcp_agent import Agent, shown

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROJECTS: dict[str, list[dict[str, Any]]] = yaml.safe_load((HERE / "questions.yml").read_text())

Answer = dict[str, Any]


def edges_of(answer: Answer) -> set[str]:
    return {shown(each) for each in answer["items"]}


def names_of(answer: Answer) -> set[str]:
    return {each["name"] for each in answer["items"]}


def broken_in(answer: Answer) -> set[str]:
    found = (each for each in answer["items"] if each["what"] != "column")
    return {each["dataset"] for each in found if each["effect"] == "breaks"}


def effects_in(answer: Answer, wanted: dict[str, str]) -> dict[str, str]:
    found = {
        f"{each['dataset']}.{each['column']}": each["effect"]
        for each in answer["items"]
        if each["what"] == "column"
    }
    return {name: found.get(name, "none") for name in wanted}


def usage_of(answer: Answer) -> dict[str, Any]:
    [edge] = answer["items"]
    found: dict[str, Any] = edge["usages"][0]
    return found


CHECKS: dict[str, Callable[[Answer, Any], bool]] = {
    "status": lambda answer, wanted: answer["status"] == wanted,
    "note": lambda answer, wanted: wanted in answer["note"],
    "edges": lambda answer, wanted: edges_of(answer) == set(wanted),
    "contains": lambda answer, wanted: set(wanted) <= edges_of(answer),
    "names": lambda answer, wanted: names_of(answer) == set(wanted),
    "columns": lambda answer, wanted: [each["name"] for each in answer["items"]] == wanted,
    "breaks": lambda answer, wanted: answer["breaks"] is wanted,
    "broken": lambda answer, wanted: broken_in(answer) == set(wanted),
    "effects": lambda answer, wanted: effects_in(answer, wanted) == wanted,
    "reads": lambda answer, wanted: set(answer["reads"]) == set(wanted),
    "read_by": lambda answer, wanted: set(answer["read_by"]) == set(wanted),
    "kind": lambda answer, wanted: answer["dataset"]["kind"] == wanted,
    "sources": lambda answer, wanted: answer["column"]["sources"] == wanted,
    "classification": lambda answer, wanted: answer["column"]["classification"] == wanted,
    "complete": lambda answer, wanted: answer["coverage"]["complete"] is wanted,
    "expression": lambda answer, wanted: wanted in usage_of(answer)["expression"],
    "transform": lambda answer, wanted: usage_of(answer)["transform"] == wanted,
    "clause": lambda answer, wanted: usage_of(answer)["clause"] == wanted,
    "line": lambda answer, wanted: usage_of(answer)["place"]["line"] == wanted,
}
"""What a question expects, and how an answer is held against it."""
ASKED = ("ask", "tool", "with")


def test_there_are_sixty_questions() -> None:
    assert sum(map(len, PROJECTS.values())) >= 60


@pytest.mark.parametrize("project", PROJECTS)
def test_every_answer_is_right(project: str) -> None:
    folder = ROOT / project if project.startswith("examples/") else HERE / "projects" / project
    questions = PROJECTS[project]
    answers = Agent(str(folder)).ask(*((each["tool"], each["with"]) for each in questions))
    wrong = [
        f"{question['ask']} {name}: {question[name]}; answer: {summary(answer)}"
        for question, answer in zip(questions, answers, strict=True)
        for name in question
        if name not in ASKED and not CHECKS[name](answer, question[name])
    ]
    assert wrong == []


def summary(answer: Answer) -> str:
    """Return the part of an answer that a failed check is about."""
    items = [shown(each) if "target" in each else each for each in answer["items"]]
    kept = {
        name: answer[name]
        for name in ("status", "note", "breaks", "reads", "read_by")
        if name in answer
    }
    return f"{kept} {items}"[:1500]
