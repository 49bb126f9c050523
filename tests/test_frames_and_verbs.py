"""Frames come from the algebra's verbs: a front end that made one itself would say a clause's meaning once more."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from lineal.algebra import changes, edges, relation

EXTRACT = Path(__file__).resolve().parents[1] / "src" / "lineal" / "extract"
FRONT_ENDS = ("catalyst",)
"""The front ends that call verbs only."""

FRAMES = ("Frame", "Scan")


def constructions(path: Path) -> Iterator[str]:
    """Every place of a file that calls a frame's class, derives a class from it, or imports it under another name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and named(node.func) in FRAMES:
            yield f"{path.name}:{node.lineno} calls {named(node.func)}"
        elif isinstance(node, ast.ClassDef) and any(named(base) in FRAMES for base in node.bases):
            yield f"{path.name}:{node.lineno} derives {node.name} from a frame"
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name in FRAMES and alias.asname is not None:
                    yield f"{path.name}:{node.lineno} imports {alias.name} as {alias.asname}"


def named(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_a_front_end_constructs_no_frame(front_end: str) -> None:
    files = sorted((EXTRACT / front_end).rglob("*.py"))
    assert files
    assert [each for path in files for each in constructions(path)] == []


VERBS = (
    relation.scan,
    relation.project,
    relation.narrow,
    relation.join,
    relation.group,
    relation.distinct,
    relation.set_operation,
    relation.explode,
    relation.pivot,
    relation.unpivot,
    relation.rename,
    relation.merge,
    relation.recurse,
    changes.update,
    changes.delete,
    changes.merge_into,
    edges.name,
)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.__name__)
def test_a_verb_opens_with_its_sql(verb: object) -> None:
    """The first line is the text that it explains, and a sentence follows."""
    first, *rest = (inspect.getdoc(verb) or "").splitlines()
    assert first and not first.endswith("."), "the SQL stands first"
    assert "      " in first or any(line.strip() for line in rest), "the meaning follows"


def test_the_check_sees_what_it_forbids(tmp_path: Path) -> None:
    path = tmp_path / "front.py"
    lines = (
        "from lineal.algebra.frame import Frame as Relation",
        "Frame([], {})",
        "frame.Scan(t, [], True)",
        "class Own(Frame): ...",
    )
    path.write_text("\n".join(lines))
    assert len(list(constructions(path))) == 4
