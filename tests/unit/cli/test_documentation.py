from __future__ import annotations

import doctest
import re
import runpy
import tomllib
from pathlib import Path

import lineal

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_generated_pages_are_up_to_date() -> None:
    pages = runpy.run_path(str(DOCS / "generate.py"))["PAGES"]
    for name, page in pages.items():
        written = (DOCS / "reference" / name).read_text(encoding="utf-8")
        assert written == page(), f"{name} is out of date: run python docs/generate.py"


def test_every_public_name_is_documented_with_an_example_that_runs() -> None:
    page = DOCS / "reference" / "api.md"
    titles = ", ".join(
        re.findall(r"^## (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    ).split(", ")
    assert sorted(titles) == sorted(lineal.__all__)
    assert len(lineal.__all__) < 15
    assert doctest.testfile(str(page), module_relative=False, encoding="utf-8").failed == 0


def test_the_examples_in_the_code_run() -> None:
    import lineal.api

    assert doctest.testmod(lineal).failed == doctest.testmod(lineal.api).failed == 0


def test_every_public_name_has_a_docstring() -> None:
    assert all(getattr(lineal, name).__doc__ for name in lineal.__all__)
    assert set(lineal.__all__) <= set(dir(lineal))


def test_json_md_names_every_key_of_the_schema() -> None:
    import json

    schema = json.loads(
        (Path(lineal.__file__).parent / "views" / "lineage.schema.json").read_text(encoding="utf-8")
    )
    page = (DOCS / "reference" / "json.md").read_text(encoding="utf-8")
    keys = {
        key for part in (schema, *schema["$defs"].values()) for key in part.get("properties", {})
    }
    assert not {key for key in keys if f'"{key}"' not in page and f"`{key}`" not in page}


def test_the_version_comes_from_the_package() -> None:
    settings = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["project"]["dynamic"] == ["version"]
    home = DOCS.parent / settings["tool"]["hatch"]["version"]["path"]
    assert f'__version__ = "{lineal.__version__}"' in home.read_text(encoding="utf-8")
