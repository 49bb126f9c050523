"""The rooms of src/lineal: which may import which, and when each is imported.

The table is that of ARCHITECTURE.md; an import that it does not allow fails here, wherever in a
file it stands.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src"
FILES = sorted((SOURCE / "lineal").rglob("*.py"))

ROOMS = {
    "model": (),
    "algebra": ("model",),
    "extract": ("model", "algebra"),
    "resolve": ("model", "algebra", "extract"),
    "incremental": ("model", "algebra", "extract", "resolve"),
    "projects": ("model", "extract", "resolve", "store"),
    "graph": ("model",),
    "rules": ("model", "graph"),
    "views": ("model", "algebra", "graph", "rules"),
    "store": ("model",),
    "spark": (
        "model",
        "algebra",
        "extract",
        "resolve",
        "incremental",
        "graph",
        "store",
        "projects",
        "views",
        "deliver",
        "web",
        "api",
    ),
    "prove": ("model", "extract", "graph"),
    "deliver": ("model", "views"),
    "web": ("model", "graph", "views", "store", "service"),
    "service": ("model", "resolve", "incremental", "projects", "graph", "rules", "views", "store"),
    "lsp": ("model", "service"),
    "mcp": ("model", "service"),
    "cli": (
        "model",
        "algebra",
        "extract",
        "resolve",
        "incremental",
        "projects",
        "graph",
        "rules",
        "views",
        "store",
        "spark",
        "deliver",
        "web",
        "api",
        "service",
        "mcp",
        "lsp",
        "prove",
    ),
}
FOR_TYPES = {"extract": ("resolve",)}
"""Rooms that a type checker may see besides: a definition holds where its names are looked up."""

FRONT_ENDS = {
    "sql": (),
    "pyspark": ("sql",),
    "dataframes": ("sql", "pyspark"),
    "catalyst": (),
    "postgres": ("sql",),
}
"""The rooms of extract/, and their only imports of each other."""

HEAVY = {
    "sqlglot": (
        "extract/sql",
        "extract/pyspark",
        "extract/dataframes",
        "extract/postgres",
        "resolve",
    ),
    "yaml": ("projects",),
    "jinja2": ("projects",),
    "click": ("cli",),
    "rich": ("cli", "views"),
    "pyspark": ("spark",),
    "filelock": ("spark",),
    "py4j": ("spark",),
    "numpy": ("spark",),
    "pandas": ("spark",),
    "pyarrow": ("spark", "store"),
    "openlineage": ("deliver",),
    "pygls": ("lsp",),
    "lsprotocol": ("lsp",),
    "mcp": ("mcp",),
    "mcp_types": ("mcp",),
    "pydantic": ("mcp",),
    "starlette": ("mcp",),
    "uvicorn": ("mcp",),
    "anywidget": ("web",),
    "traitlets": ("web",),
    "duckdb": ("prove",),
    "psycopg": ("projects/postgres", "store"),
}
"""A library, and where it may be imported."""

STANDARD_ONLY = ("model", "algebra", "graph")


class Import(NamedTuple):
    file: str
    line: int
    module: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} imports {self.module}"


def inside(path: Path) -> str:
    return path.relative_to(SOURCE / "lineal").as_posix()


def imports(path: Path) -> Iterator[Import]:
    """Every import of a file, those inside functions and for type checkers included."""
    file = inside(path)
    package = ["lineal", *path.relative_to(SOURCE / "lineal").parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(file, node.lineno, alias.name)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                yield Import(file, node.lineno, f"{module}.{alias.name}")


@cache
def every_import() -> tuple[Import, ...]:
    """Return the imports of all files; read once, when the first test asks."""
    return tuple(each for path in FILES for each in imports(path))


def room_of(file: str) -> str:
    return file.split("/")[0] if "/" in file else ""


def test_every_room_is_in_the_table() -> None:
    found = {room_of(path.relative_to(SOURCE / "lineal").as_posix()) for path in FILES} - {""}
    assert found <= set(ROOMS)
    front_ends = {
        path.parent.name for path in (SOURCE / "lineal" / "extract").glob("*/__init__.py")
    }
    assert front_ends <= set(FRONT_ENDS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_it_may(room: str) -> None:
    allowed = {room, *ROOMS[room]}
    for_types = {f"lineal.{other}." for other in FOR_TYPES.get(room, ())}
    named = [
        each
        for each in every_import()
        if room_of(each.file) == room and each.module.split(".")[0] == "lineal"
    ]
    running = {name for path in FILES if room_of(inside(path)) == room for name in needed(path)}
    named = [
        each
        for each in named
        if not each.module.startswith(tuple(for_types)) or each.module.rpartition(".")[0] in running
    ]
    wrong = [
        str(each)
        for each in named
        if (each.module.split(".")[1:] or [""])[0] not in allowed | {"__version__"}
    ]
    assert wrong == []


@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_front_ends_do_not_know_each_other(front_end: str) -> None:
    others = {*FRONT_ENDS} - {front_end, *FRONT_ENDS[front_end]}
    forbidden = tuple(f"lineal.extract.{other}" for other in others)
    here = [each for each in every_import() if each.file.startswith(f"extract/{front_end}/")]
    wrong = [
        str(each)
        for each in here
        if f"{each.module}.".startswith(tuple(f"{name}." for name in forbidden))
    ]
    assert wrong == []


def needed(path: Path) -> Iterator[str]:
    """The modules of lineal that a file needs to run, inside functions or not; a type checker's are
    left out.
    """
    me = module_of(path)
    for node in running(ast.parse(path.read_text(encoding="utf-8"))):
        named = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            named = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in named:
            parts = name.split(".")
            found = [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
            yield from (
                each for each in found if each in MODULES and not f"{me}.".startswith(f"{each}.")
            )


def running(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node, but for those that only a type checker sees."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield node
            yield from running(node)


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in FILES}


def test_no_modules_import_each_other() -> None:
    """Not even inside functions: a reader may begin with the modules that it imports."""
    graph = {module: set(needed(path)) for module, path in MODULES.items()}
    assert len(graph) > 400
    TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("library", HEAVY)
def test_a_heavy_library_stays_in_its_room(library: str) -> None:
    users = [each for each in every_import() if each.module.split(".")[0] == library]
    wrong = [str(each) for each in users if not each.file.startswith(HEAVY[library])]
    assert wrong == []


@pytest.mark.parametrize("room", STANDARD_ONLY)
def test_the_inner_rooms_need_the_standard_library_only(room: str) -> None:
    outside = [
        each
        for each in every_import()
        if room_of(each.file) == room and each.module.split(".")[0] != "lineal"
    ]
    assert [
        str(each) for each in outside if each.module.split(".")[0] not in sys.stdlib_module_names
    ] == []


def test_every_library_is_in_the_table() -> None:
    known = {"lineal", *sys.stdlib_module_names, *HEAVY}
    assert [str(each) for each in every_import() if each.module.split(".")[0] not in known] == []


def test_only_the_command_line_prints() -> None:
    said = []
    for path in FILES:
        inside = path.relative_to(SOURCE / "lineal").as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Name)
                and node.id in ("print", "pprint", "breakpoint")
                and room_of(inside) != "cli"
            ):
                said.append(f"{inside}:{node.lineno} names {node.id}")
    assert said == []


# -- what comes in when ----------------------------------------------------------------------------

LATE = ("psycopg", "sqlglot", "rich", "yaml", "jinja2", "numpy", "pyspark", "pandas", "pyarrow")


def modules_after(script: str) -> set[str]:
    """The top-level modules that a fresh interpreter has after running a script."""
    code = f"import sys\n{script}\nsys.stderr.write(' '.join({{name.split('.')[0] for name in sys.modules}}))"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    return set(done.stderr.split())


@pytest.mark.parametrize(
    ("script", "also"),
    [
        ("import lineal", ("click",)),
        ("import lineal.model.edge, lineal.algebra.frame, lineal.graph", ("click",)),
        ("from lineal.cli import main\nmain(['--help'], standalone_mode=False)", ()),
        ("from lineal.cli import main\nmain(['--version'], standalone_mode=False)", ()),
        ("from lineal.cli import main\nmain(['lineage', '--help'], standalone_mode=False)", ()),
    ],
    ids=["import", "inner rooms", "help", "version", "help of a command"],
)
def test_nothing_heavy_comes_in_before_it_is_needed(script: str, also: tuple[str, ...]) -> None:
    loaded = modules_after(script)
    assert "lineal" in loaded
    assert loaded & {*LATE, *also} == set()


def test_plain_sql_needs_neither_yaml_nor_templates_nor_colors() -> None:
    loaded = modules_after("import lineal\nassert lineal.lineage('SELECT a FROM t').to('json')")
    assert "sqlglot" in loaded
    assert loaded & {"yaml", "jinja2", "rich", "numpy", "pyspark", "click"} == set()


def test_the_catalyst_front_end_never_sees_pyspark() -> None:
    """A plan is JSON: reading one needs no Spark."""
    assert "pyspark" not in modules_after("import lineal.extract.catalyst")


def rooms_after(arguments: list[str], folder: Path) -> set[str]:
    """The modules of lineal that a fresh interpreter has after running a command in a folder."""
    code = (
        "import sys\nfrom lineal.cli import main\n"
        f"try:\n    main({arguments!r}, standalone_mode=False)\n"
        "except SystemExit:\n    pass\n"
        "sys.stderr.write('\\n' + ' '.join(name for name in sys.modules if name[:7] == 'lineal.'))"
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "LINEAL_CACHE": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=environment,
        cwd=folder,
        check=True,
    )
    return set(done.stderr.splitlines()[-1].split())


def test_a_file_of_sql_loads_no_other_kind_of_input(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("CREATE VIEW v AS SELECT a FROM t")
    loaded = rooms_after(["lineage", "a.sql"], tmp_path)
    assert "lineal.extract.sql.query" in loaded
    others = (
        "lineal.extract.pyspark",
        "lineal.extract.catalyst",
        "lineal.incremental.parallel",
        "lineal.projects.logs",
        "lineal.projects.openlineage",
        "lineal.projects.repository",
        "lineal.projects.sqlmesh",
        "lineal.store.lineage",
        "lineal.views.openlineage",
        "lineal.web",
    )
    assert [name for name in loaded if name.startswith(others)] == []


def test_an_answer_from_the_cache_loads_no_front_end_and_no_graph(tmp_path: Path) -> None:
    (tmp_path / "dbt_project.yml").write_text("name: shop\nprofile: duckdb\n")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "a.sql").write_text("select 1 as x")
    assert "lineal.extract.sql.query" in rooms_after(["impact", "a.x"], tmp_path)
    loaded = rooms_after(["impact", "a.x"], tmp_path)
    heavy = ("lineal.extract", "lineal.resolve", "lineal.incremental", "lineal.graph.graph")
    assert [name for name in loaded if name.startswith(heavy)] == []
