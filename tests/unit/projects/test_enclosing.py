"""A folder of a SQLMesh or Dataform project is read with the project around it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.projects import load
from lineal.projects.enclosing import project_around

FILES = {
    "shop/config.yaml": "model_defaults:\n  dialect: duckdb\n",
    "shop/models/marts/x.sql": "MODEL (name s.x);\nSELECT @twice(a) AS b FROM raw.t",
    "shop/macros/m.py": "@macro()\ndef twice(evaluator, c):\n    return f'2 * {c}'\n",
    "forms/definitions/marts/y.sqlx": 'config { type: "table", schema: "d" }\n'
    "SELECT a FROM ${ref('raw', 't')}",
    "plain/models/z.sql": "CREATE TABLE z AS SELECT a FROM t",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("shop/models", "raw.t.a transform s.x.b"),
        ("shop/models/marts", "raw.t.a transform s.x.b"),
        ("shop/macros", "raw.t.a transform s.x.b"),
        ("forms/definitions/marts", "raw.t.a copy d.y.a"),
        ("forms", "raw.t.a copy d.y.a"),
        ("plain/models", "t.a copy z.a"),
    ],
)
def test_a_folder_of_a_project(folder: Path, asked: str, expected: str) -> None:
    found = extract(load(folder / asked))
    assert {f"{each.source} {each.kind} {each.target}" for each in found.edges} == {expected}
    told = [each.message for each in found.diagnostics if each.code is Code.WHOLE_PROJECT]
    is_part = asked not in ("forms", "plain/models")
    assert len(told) == is_part
    assert all("which is read as a whole" in message for message in told)


def test_a_file_of_a_project_says_what_to_do(folder: Path) -> None:
    found = load(folder / "shop/models/marts/x.sql")
    told = [each.message for each in found.diagnostics if each.code is Code.WHOLE_PROJECT]
    assert len(told) == 1
    assert "name the project" in told[0]


def test_the_search_ends_at_a_repository(folder: Path) -> None:
    (folder / "shop/models/.git").mkdir()
    assert project_around(folder / "shop/models/marts") is None


def test_paths_stay_as_the_user_writes_them(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder / "shop" / "models")
    around = project_around(Path("marts"))
    assert around is not None
    assert around.folder == Path("..")
