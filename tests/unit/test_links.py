"""Links of pages lead somewhere, and what the pages for developers name is there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from test_contributing import RECIPES
from test_room_imports import ROOMS

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "lineal"
PAGES = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/**/*.md"),
    *ROOT.glob("examples/**/*.md"),
    ROOT / "tests/cases/README.md",
]
FOR_DEVELOPERS = [
    ROOT / "ARCHITECTURE.md",
    ROOT / "CONTRIBUTING.md",
    *ROOT.glob("docs/decisions/*.md"),
]
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^(?P<fence>`{3,}).*?^(?P=fence)$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]*)`")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)


@pytest.mark.parametrize("page", sorted(PAGES), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = CODE.sub("", FENCED.sub("", page.read_text(encoding="utf-8")))
    assert [link for link in LINK.findall(text) if not leads_somewhere(link, page)] == []


def leads_somewhere(link: str, page: Path) -> bool:
    if link.startswith(("http://", "https://", "mailto:")):
        return True
    path, _, heading = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.exists() or not target.is_relative_to(ROOT):
        return False
    return not heading or heading in headings(target)


def headings(page: Path) -> set[str]:
    return {
        re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")
        for title in HEADING.findall(page.read_text(encoding="utf-8"))
    }


# -- the pages for developers ----------------------------------------------------------------------

PATH = re.compile(r"[\w.-]*[\w-](?:/[\w.-]+)*(?:/|\.(?:py|md|ts|toml|txt|yml|mjs|sh))")
MODULE = re.compile(r"lineal(?:\.\w+)+")
NAME = re.compile(r"_*[A-Za-z]\w*(?:\.\w+)?")
WORDS = frozenset(
    """None adapter ast amount diagnostics edges evaluation files mart mypy orders paid plan pyspark python ref
    run saveAsTable self spark sqlglot target test var filter groupBy sum TrimmedMean trimmed_mean""".split()  # noqa: SIM905
)
"""What stands in backticks and is no name of lineal: of SQL, Python, dbt and Spark, and variables."""

NEW = {path for recipe in RECIPES for path in recipe.files}
"""The files that a recipe adds."""


def code_in(page: Path) -> set[str]:
    """Return everything that a page sets as code, but for blocks."""
    return set(CODE.findall(FENCED.sub("", page.read_text(encoding="utf-8"))))


@pytest.mark.parametrize("page", FOR_DEVELOPERS, ids=lambda page: page.name)
def test_every_file_and_folder_that_is_named_exists(page: Path) -> None:
    named = {word for word in code_in(page) if PATH.fullmatch(word)} - NEW
    assert sorted(word for word in named if not is_there(word)) == []


def is_there(path: str) -> bool:
    """Whether a path exists below the repository or src/lineal."""
    return any((root / path).exists() for root in (ROOT, SOURCE))


@pytest.mark.parametrize("page", FOR_DEVELOPERS, ids=lambda page: page.name)
def test_every_module_and_function_that_is_named_exists(page: Path) -> None:
    named = {word for word in code_in(page) if MODULE.fullmatch(word)}
    assert sorted(word for word in named if not is_defined(word)) == []


def is_defined(dotted: str) -> bool:
    """Whether a dotted name is a module, or something that a module defines or passes on."""
    module, _, rest = dotted.partition(".")
    path = SOURCE.parent / module
    while rest:
        name, _, rest = rest.partition(".")
        inside, file = path / name, path / f"{name}.py"
        if inside.is_dir():
            path = inside
        elif file.is_file():
            path = file
        else:
            file = path / "__init__.py" if path.is_dir() else path
            return ".".join(filter(None, (name, rest))) in set(names_in(file))
    return True


def names_in(file: Path, imports: bool = True) -> Iterator[str]:
    """Yield what a file defines, imports or lists in `_HOME`, and Class.member of its classes."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in tree.body:
        if imports and isinstance(node, ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        yield from defined_by(node)
        if isinstance(node, ast.ClassDef):
            members = [name for part in node.body for name in defined_by(part)]
            yield from (f"{node.name}.{member}" for member in members)


def defined_by(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement gives."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
        return
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    for target in targets:
        if isinstance(target, ast.Name):
            yield target.id
        elif isinstance(target, ast.Tuple):
            yield from (item.id for item in target.elts if isinstance(item, ast.Name))
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_HOME":
        assert isinstance(node.value, ast.Dict)
        yield from (str(key.value) for key in node.value.keys if isinstance(key, ast.Constant))


@pytest.mark.parametrize("page", FOR_DEVELOPERS[:2], ids=lambda page: page.name)
def test_every_name_of_the_code_is_defined_somewhere(page: Path) -> None:
    words = {word for word in code_in(page) if NAME.fullmatch(word) and not PATH.fullmatch(word)}
    assert sorted(word for word in words - WORDS if not is_known(word)) == []


def is_known(word: str) -> bool:
    """Whether some file defines a name, or the member of a class; of `run.dynamic` the member."""
    held, _, member = word.partition(".")
    return word in known_names() or (held.islower() and member in known_names())


FILES = [
    *SOURCE.rglob("*.py"),
    ROOT / "tests/test_room_imports.py",
    *ROOT.glob("tests/unit/views/*.py"),
]


@cache
def known_names() -> frozenset[str]:
    """Return the names that some file defines, and the members of classes by themselves."""
    defined = {name for file in FILES for name in names_in(file, imports=False)}
    return frozenset(defined | {name.rpartition(".")[2] for name in defined})


def test_the_table_of_rooms_is_the_one_that_imports_are_checked_by() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)/` \| [^|]+ \| ([^|]*)\|$", text, re.MULTILINE)
    assert {room: set(filter(None, cell.strip().split(", "))) for room, cell in rows} == {
        room: set(allowed) for room, allowed in ROOMS.items()
    }
