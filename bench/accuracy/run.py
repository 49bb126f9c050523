"""make accuracy: lineal and its peers on the same statements, in one run.

    python bench/accuracy/run.py [--cases] [--tpc] [--mimic] [--topics] [--differences NAME]
    MIMIC=path/to/mimic-code python bench/accuracy/run.py

Two readings of what a column comes from: every column in its expression, and only those that its
value is made of (not the tests of CASE, not the keys of windows). A peer gives one answer, which is
held against both. The peers are installed into .cache/accuracy, each into an environment of its own.
A run over cases and TPC queries writes results.json, which docs/charts.py draws.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter, defaultdict
from datetime import date
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent / "tests")]

from contenders import CONTENDERS, Answer, answers_of  # noqa: E402
from questions import Pair, Question, from_cases, from_mimic, from_tpc  # noqa: E402

RESULTS = HERE / "results.json"
TRUTHS = {
    "cases": "the edges that each case file states",
    "TPC-DS": "Spark's analyzed plan of each query",
    "TPC-H": "Spark's analyzed plan of each query",
}
AGREED = "no truth: what more than half of the systems that answer agree on"

Answers = dict[str, dict[str, Answer]]


class Score(NamedTuple):
    """Of one contender in one reading."""

    exact: int
    right: int
    said: int
    true: int

    @property
    def precision(self) -> float:
        return self.right / self.said if self.said else 0.0

    @property
    def recall(self) -> float:
        return self.right / self.true if self.true else 0.0


def main() -> int:
    asked = options()
    questions = gather_questions(asked)
    answers: Answers = {}
    for contender in CONTENDERS:
        answers[contender.name] = answers_of(
            contender, [question.asked() for question in questions]
        )
    questions = [with_majority_answer(question, answers) for question in questions]
    for suite in dict.fromkeys(question.suite for question in questions):
        chosen = [question for question in questions if question.suite == suite]
        print(f"\n{suite}: {len(chosen)} statements; truth: {TRUTHS.get(suite, AGREED)}")
        show_totals(chosen, answers)
    if not (asked.cases or asked.tpc or asked.mimic):
        write_results(questions, answers)
    if asked.topics:
        for kind in ("topic", "dialect"):
            show_by(
                kind, [question for question in questions if question.suite == "cases"], answers
            )
    if asked.differences:
        show_differences(questions, answers[asked.differences])
    return 0


def write_results(questions: list[Question], answers: Answers) -> None:
    """Write the exact answers of each contender by suite, with versions and date."""
    suites = {}
    for suite in dict.fromkeys(question.suite for question in questions):
        chosen = [question for question in questions if question.suite == suite]
        suites[suite] = {
            "statements": len(chosen),
            "exact": {name: score(chosen, found, "every").exact for name, found in answers.items()},
        }
    versions = {contender.name: contender.requirements[:1] for contender in CONTENDERS}
    made = {"date": f"{date.today():%Y-%m-%d}", "versions": versions, "suites": suites}
    RESULTS.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", action="store_true", help="only the case files")
    parser.add_argument("--tpc", action="store_true", help="only the TPC queries")
    parser.add_argument(
        "--mimic", action="store_true", help="only the MIMIC-IV concepts of the checkout MIMIC=path"
    )
    parser.add_argument(
        "--topics", action="store_true", help="exact answers by topic and by dialect, too"
    )
    parser.add_argument(
        "--differences", metavar="NAME", help="list what this contender answers otherwise"
    )
    return parser.parse_args()


def gather_questions(asked: argparse.Namespace) -> list[Question]:
    chosen = asked.cases or asked.tpc or asked.mimic
    questions = list(from_cases()) if asked.cases or not chosen else []
    if asked.tpc or not chosen:
        questions += from_tpc()
    if os.environ.get("MIMIC") and (asked.mimic or not chosen):
        questions += from_mimic(Path(os.environ["MIMIC"]))
    return questions


def with_majority_answer(question: Question, answers: Answers) -> Question:
    """Where nobody says what is true: what most say."""
    if question.every is not None:
        return question
    given = [
        found[question.name] for name, found in answers.items() if name != "lineal, value flow"
    ]
    given = [answer for answer in given if not answer.error]
    votes = Counter(pair for answer in given for pair in answer.pairs)
    most = frozenset(pair for pair, count in votes.items() if 2 * count > len(given))
    return question._replace(every=most)


def comparable_pairs(pairs: frozenset[Pair], question: Question) -> frozenset[Pair]:
    """Outputs without a name of their own are called differently by all: they are compared by their
    sources.
    """
    return frozenset(
        (table.rpartition(".")[2], column, name_of(output)) for table, column, output in pairs
    )


def name_of(output: str) -> str:
    return output if output.replace("_", "").isalnum() and not output.startswith("_col") else "?"


def score(questions: list[Question], found: dict[str, Answer], reading: str) -> Score:
    exact = right = said = true = 0
    for question in questions:
        truth = getattr(question, reading)
        if truth is None:
            continue
        truth, answer = comparable_pairs(truth, question), found[question.name]
        given = comparable_pairs(answer.pairs, question)
        exact += given == truth and not answer.error
        right += len(given & truth)
        said += len(given)
        true += len(truth)
    return Score(exact, right, said, true)


def show_totals(questions: list[Question], answers: Answers) -> None:
    titles = (
        "every column: exact",
        "precision",
        "recall",
        "value flow: exact",
        "precision",
        "recall",
        "errors",
        "CPU s",
    )
    print(f"  {'':20}" + "".join(f"{title:>{max(11, len(title) + 2)}}" for title in titles))
    for name, found in answers.items():
        cells = []
        for reading in ("every", "value"):
            result = score(questions, found, reading)
            known = sum(getattr(question, reading) is not None for question in questions)
            cells += (
                [f"{result.exact}/{known}", f"{result.precision:.1%}", f"{result.recall:.1%}"]
                if known
                else ["-"] * 3
            )
        cells.append(str(sum(bool(found[question.name].error) for question in questions)))
        cells.append(f"{sum(found[question.name].seconds for question in questions):.2f}")
        widths = (max(11, len(title) + 2) for title in titles)
        print(
            f"  {name:20}"
            + "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
        )


def show_by(kind: str, questions: list[Question], answers: Answers) -> None:
    """Exact answers, every column / value flow."""
    groups: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        groups[getattr(question, kind) or "no dialect"].append(question)
    print(f"\nThe cases by {kind}: exact answers, every column / value flow")
    print(f"  {'':16}{'all':>5}" + "".join(f"{name:>20}" for name in answers))
    for group, chosen in sorted(groups.items()):
        cells = [
            f"{score(chosen, found, 'every').exact}/{score(chosen, found, 'value').exact}"
            for found in answers.values()
        ]
        print(f"  {group:16}{len(chosen):5}" + "".join(f"{cell:>20}" for cell in cells))


def show_differences(questions: list[Question], found: dict[str, Answer]) -> None:
    for question in questions:
        truth, answer = (
            comparable_pairs(question.every or frozenset(), question),
            found[question.name],
        )
        given = comparable_pairs(answer.pairs, question)
        if given != truth or answer.error:
            print(
                f"\n{question.name}  {answer.error}\n  lacks {sorted(truth - given)}\n  has   {sorted(given - truth)}"
            )


if __name__ == "__main__":
    sys.exit(main())
