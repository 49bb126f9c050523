"""Literals of the recorded jobs, replaced by a name that is imported from outside the input: an edge
is lost only with a diagnostic.

Of the literals in one role, the same argument of the same method, some are taken; all of them with
LINEAL_EVERY_LITERAL=1, as `make hunt` does.
"""

from __future__ import annotations

import ast
import os
from collections import Counter
from collections.abc import Iterator

import pytest

from jobbook import JOBS, Job, all_jobs, facts_in, schema
from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Diagnostic
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Script

ALL = all_jobs()
IMPORT = "from company.settings import OUTSIDE;"
MOST_OF_A_ROLE = 10_000 if os.environ.get("LINEAL_EVERY_LITERAL") else 3


def literals_of(text: str) -> Iterator[ast.Constant]:
    """Yield the constants in expressions: no docstrings, no parts of f-strings."""
    tree = ast.parse(text)
    skipped = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped.update(id(each) for each in ast.walk(node))
        elif isinstance(node, (ast.Expr, ast.MatchValue)):
            skipped.add(id(node.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in skipped:
            yield node


def roles_in(text: str) -> dict[tuple[int, int], str]:
    """What each literal is to the call or the expression around it, by its place."""
    found = {}
    for node in ast.walk(ast.parse(text)):
        around = type(node).__name__
        if isinstance(node, ast.Call):
            callee = node.func
            around = getattr(callee, "attr", None) or getattr(callee, "id", "")
        for field, value in ast.iter_fields(node):
            values = value if isinstance(value, list) else [value]
            for number, each in enumerate(values):
                name = getattr(each, "arg", "")
                literal = each.value if isinstance(each, ast.keyword) else each
                if isinstance(literal, ast.Constant):
                    kind = type(literal.value).__name__
                    place = (literal.lineno, literal.col_offset)
                    found[place] = f"{around} {field} {number} {name} {kind}"
    return found


def chosen_literals() -> dict[tuple[str, str], list[ast.Constant]]:
    """The literals that are replaced, by job and file."""
    taken: Counter[str] = Counter()
    chosen: dict[tuple[str, str], list[ast.Constant]] = {}
    for job in ALL:
        for path in job.files:
            text = path.read_text()
            roles = roles_in(text)
            for literal in literals_of(text):
                role = roles.get((literal.lineno, literal.col_offset), "")
                taken[role] += 1
                if taken[role] <= MOST_OF_A_ROLE:
                    chosen.setdefault((job.name, str(path)), []).append(literal)
    return chosen


CHOSEN = chosen_literals()


def without_literal(text: str, literal: ast.Constant) -> str:
    """Return a program in which an import takes the place of a literal, on the same line."""
    lines = text.encode().split(b"\n")
    end = lines[literal.end_lineno - 1][literal.end_col_offset :]
    start = lines[literal.lineno - 1][: literal.col_offset]
    gone = literal.end_lineno - literal.lineno
    around = b" " if start[-1:].isalnum() else b""
    lines[literal.lineno - 1 : literal.end_lineno] = [
        start + around + b"OUTSIDE" + end,
        *[b""] * gone,
    ]
    changed = b"\n".join(lines).decode()
    first = next(
        node
        for node in ast.parse(text).body
        if not isinstance(node, ast.Expr) and not is_future(node)
    )
    rows = changed.split("\n")
    rows[first.lineno - 1] = f"{IMPORT} {rows[first.lineno - 1]}"
    if isinstance(first, (ast.ClassDef, ast.FunctionDef)):
        rows[first.lineno - 1] = rows[first.lineno - 1].removeprefix(f"{IMPORT} ")
        rows.insert(first.lineno - 1 - len(first.decorator_list), IMPORT)
    return "\n".join(rows)


def is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def read(job: Job, changed: dict[str, str]) -> Extraction:
    root = job.entry.parent if job.entry.parent != JOBS else JOBS
    scripts = []
    for path in job.files:
        name = str(path.relative_to(root))
        scripts.append(Script(changed.get(name, path.read_text()), "python", name))
    return extract(Corpus("spark", scripts, schema()))


def messages(diagnostics: list[Diagnostic]) -> set[tuple[str, str]]:
    return {(each.code.value[0], each.message) for each in diagnostics}


@pytest.mark.parametrize("job", ALL, ids=[job.name for job in ALL])
def test_an_edge_is_lost_only_with_a_diagnostic(job):
    before = read(job, {})
    facts, said = facts_in(before), messages(before.diagnostics)
    root = job.entry.parent
    silent = []
    for path in job.files:
        name, text = str(path.relative_to(root)), path.read_text()
        for literal in CHOSEN.get((job.name, str(path)), ()):
            after = read(job, {name: without_literal(text, literal)})
            lost = facts - facts_in(after)
            if lost and not messages(after.diagnostics) - said:
                silent.append(f"{name}:{literal.lineno} {literal.value!r}: {sorted(lost)[0]}")
    assert silent == []
