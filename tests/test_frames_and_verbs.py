"""Frames come from the algebra's verbs: a front end that made one itself would say a clause's
meaning once more.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from lineal.algebra import changes, edges, relation

EXTRACT = Path(__file__).resolve().parents[1] / "src" / "lineal" / "extract"
FRONT_ENDS = ("catalyst", "postgres", "pyspark", "sql")

FRAMES = ("Frame", "Scan", "Piped")


def constructions(path: Path) -> Iterator[str]:
    """Every place of a file that calls the class of a frame or derives a class from it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = set(frames_imported(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in names:
            yield f"{path.name}:{node.lineno} calls {ast.unparse(node.func)}"
        elif isinstance(node, ast.ClassDef) and any(
            ast.unparse(base) in names for base in node.bases
        ):
            yield f"{path.name}:{node.lineno} derives {node.name} from a frame"


def frames_imported(tree: ast.Module) -> Iterator[str]:
    """What the classes of frames are called in a file: by their own names, by others, or through
    their module.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "lineal.algebra.frame":
            yield from (alias.asname or alias.name for alias in node.names if alias.name in FRAMES)
        elif isinstance(node, ast.Import) or (
            isinstance(node, ast.ImportFrom) and node.module == "lineal.algebra"
        ):
            for alias in node.names:
                yield from (f"{alias.asname or alias.name}.{name}" for name in FRAMES)


@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_a_front_end_constructs_no_frame(front_end: str) -> None:
    files = sorted((EXTRACT / front_end).rglob("*.py"))
    assert files
    assert [each for path in files for each in constructions(path)] == []


def test_between_statements_only_the_codec_constructs_frames() -> None:
    """It reads back a frame that a verb has made before."""
    files = [path for path in sorted(EXTRACT.glob("*.py")) if path.name != "codec.py"]
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
        "from lineal.algebra import frame",
        "from lineal.algebra.frame import Frame",
        "from lineal.algebra.frame import Scan as Lazy",
        "from elsewhere import Piped",
        "Frame([], {})",
        "Lazy(t, [], True)",
        "frame.Frame([], {})",
        "class Own(Frame): ...",
        "Piped(1)",
    )
    path.write_text("\n".join(lines))
    assert sorted(each.split()[0] for each in constructions(path)) == [
        "front.py:5",
        "front.py:6",
        "front.py:7",
        "front.py:8",
    ]
