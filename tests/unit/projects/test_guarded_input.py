"""Every input file is opened in one place, `lineal.projects.intake`, and counted in the ledger."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import lineal
from lineal.model.ledger import Reason
from lineal.projects import corpus_of_text, load

SOURCE = Path(lineal.__file__).parent
OPENING = ("open", "read_text", "read_bytes", "read_installed", "walk")
"""Calls of methods and functions by these names open a file, unless intake or text define them."""

WRITERS = {
    "cli/console.py": "the null device, for output that nobody reads",
    "cli/emit.py": "the file of events that were not sent",
    "cli/supervisor.py": "the memory that a process takes, in /proc",
    "cli/pipeline.py": "creates the file of a store",
    "projects/git/snapshot.py": "writes the files of a commit down, each once",
    "projects/logs/rows.py": "a packer, over a stream that intake has opened",
}
"""Files that open something else than input, and what."""


def openings(file: Path) -> Iterator[str]:
    """The calls in a file that open files by themselves."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Attribute) and node.func.attr in OPENING:
            owner = ast.unparse(node.func.value)
            if owner not in ("webbrowser", "ast"):
                yield f"{file.name}:{node.lineno} {owner}.{node.func.attr}"
        elif isinstance(node.func, ast.Name) and node.func.id == "open":
            yield f"{file.name}:{node.lineno} open"


@pytest.mark.parametrize("room", ["projects", "cli"])
def test_input_is_opened_in_one_place(room: str) -> None:
    found = [
        opening
        for file in sorted((SOURCE / room).rglob("*.py"))
        if file.relative_to(SOURCE).as_posix() not in (*WRITERS, "projects/intake.py")
        for opening in openings(file)
    ]
    assert not found


def test_a_folder_of_scripts_is_counted_file_by_file(tmp_path: Path) -> None:
    for name in (
        "a.sql",
        "jobs/b.py",
        "tests/helpers.py",
        "tests/c.sql",
        "jobs/test_b.py",
        "jobs/b_test.py",
        "conftest.py",
        ".hidden.sql",
        ".git/config",
        "data.csv",
        "README.md",
        "node_modules/x/y.sql",
    ):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("SELECT 1 AS a" if name.endswith(".sql") else "x = 1\n")
    files = load(tmp_path).files
    assert sorted(Path(file).relative_to(tmp_path).as_posix() for file in files.due_files) == [
        "a.sql",
        "jobs/b.py",
        "tests/c.sql",
    ]
    assert dict(files.passed_over) == {
        Reason.PYTHON_TEST: 4,
        Reason.HIDDEN: 2,
        Reason.OTHER_KIND: 2,
        Reason.BUILD_FOLDER: 1,
    }
    assert files.chain().found == 12 and files.chain().rendered == 3


@pytest.mark.parametrize("name", ["tests", "tests/test_a.py"])
def test_naming_a_python_test_asks_for_it(tmp_path: Path, name: str) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text("spark.table('t').write.saveAsTable('u')\n")
    corpus = load(tmp_path / name)
    assert [Path(script.file).name for script in corpus.scripts] == ["test_a.py"]
    assert not corpus.files.passed_over


def dbt_project(folder: Path, **models: str) -> Path:
    (folder / "models").mkdir(parents=True)
    (folder / "dbt_project.yml").write_text("name: shop\nprofile: duckdb\n")
    for name, text in models.items():
        (folder / "models" / f"{name}.sql").write_text(text)
    return folder


def test_models_that_do_not_render_or_are_disabled(tmp_path: Path) -> None:
    folder = dbt_project(
        tmp_path / "shop",
        good="select id from raw",
        broken="select {{ 1 + }}",
        packaged="select {{ some_package.star('a') }} from raw",
        told="{{ config(enabled=false) }} select 1 as a",
        off="select 1 as a",
    )
    (folder / "models" / "schema.yml").write_text(
        "models:\n- name: off\n  config: {enabled: false}\n"
    )
    (folder / "models" / "bad.yml").write_text("models: [\n")
    files = load(folder).files
    reasons = {Path(file).name: reason for file, reason in files.due_files.items()}
    assert reasons == {
        "dbt_project.yml": None,
        "good.sql": None,
        "broken.sql": Reason.TEMPLATE_ERROR,
        "packaged.sql": Reason.MISSING_PACKAGE,
        "schema.yml": None,
        "bad.yml": Reason.INVALID,
    }
    assert files.passed_over[Reason.DISABLED] == 2
    chain = files.chain()
    assert (chain.found, chain.due, chain.read, chain.rendered) == (8, 6, 6, 3)


def test_texts_count_as_files_and_a_saved_lineage_brings_its_own(tmp_path: Path) -> None:
    assert list(corpus_of_text(["select 1", "select 2"]).files.due_files) == [
        "<input>",
        "<input 2>",
    ]
    assert list(corpus_of_text({"mart": "select 1 as a"}).files.due_files) == ["mart"]
    saved = tmp_path / "x.lineal.json"
    lineal.lineage("CREATE VIEW v AS SELECT a FROM t").save(saved)
    corpus = load(saved)
    assert not corpus.files.due_files
    assert corpus.given[0].coverage.files.found == 1


def test_an_empty_result_names_the_other_files(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n")
    assert load(tmp_path).diagnostics[0].message == (
        f"no .sql, .py or .ipynb files in {tmp_path}; found 1 .csv file"
    )
    (tmp_path / "none").mkdir()
    assert load(tmp_path / "none").diagnostics[0].message.endswith("none; it is empty")
    for name in ("a", "b"):
        dbt_project(tmp_path / "projects" / name)
    assert [found.message for found in load(tmp_path / "projects").diagnostics][:2] == [
        f"the project {tmp_path}/projects/{name} has no models, seeds or snapshots where it says "
        "that they are"
        for name in ("a", "b")
    ]


def test_the_ledger_spells_files_as_diagnostics_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.sql").write_text("SELECT FROM WHERE")
    (tmp_path / "b.txt").write_text("x")
    monkeypatch.chdir(tmp_path)
    corpus = load(".")
    assert list(corpus.files.due_files) == ["a.sql"]
    assert corpus.files.examples == {Reason.OTHER_KIND: ["b.txt"]}
