"""The jaffle example, compiled by dbt itself and rendered here: both ways give the same lineage."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from lineal.incremental.extraction import extract
from lineal.model.extraction import Extraction
from lineal.projects import load

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "jaffle"
RECORDED = ROOT / "tests" / "data" / "jaffle" / "manifest.json"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example as it is, without results of earlier builds."""
    return copied(tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example with the manifest that dbt makes of it."""
    found = subprocess.run([ROOT / "tools" / "dbt.sh"], capture_output=True, text=True, check=False)
    if found.returncode:
        pytest.skip(f"no dbt: {found.stderr.strip()[-200:]}")
    folder = copied(tmp_path_factory.mktemp("compiled"))
    call = [
        found.stdout.strip(),
        "--no-send-anonymous-usage-stats",
        "compile",
        "--profiles-dir",
        ".",
        "--quiet",
    ]
    done = subprocess.run(
        call, cwd=folder, env=os.environ.copy(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def copied(place: Path) -> Path:
    return shutil.copytree(
        EXAMPLE, place / "jaffle", ignore=shutil.ignore_patterns("target", "logs")
    )


def edges(found: Extraction) -> set[tuple[str, str, tuple[str, ...]]]:
    return {
        (str(e.source), str(e.target), tuple(sorted(str(u.way) for u in e.usages)))
        for e in found.edges
    }


def reads(found: Extraction) -> set[tuple[str, str, str | None, str]]:
    return {
        (str(each.target), str(each.dataset), each.column, str(each.clause)) for each in found.reads
    }


def columns(found: Extraction) -> dict[str, list[tuple[str, str, tuple[str, ...]]]]:
    return {
        str(dataset): [(each.name, each.description, each.classification) for each in info.columns]
        for dataset, info in found.datasets.items()
    }


def same_lineage(left: Extraction, right: Extraction) -> None:
    assert edges(left) == edges(right)
    assert reads(left) == reads(right)
    assert columns(left) == columns(right)
    assert left.diagnostics == right.diagnostics == []


def test_sql_compiled_by_dbt_and_rendered_here_has_the_same_lineage(
    plain: Path, compiled: Path
) -> None:
    rendered, taken = extract(load(plain)), extract(load(compiled))
    assert len(rendered.edges) > 60
    same_lineage(rendered, taken)
    kinds = {info.kind for info in taken.datasets.values()}
    assert kinds == {"model", "seed", "snapshot", "source", "exposure", "test"}


def test_a_target_folder_and_a_manifest_are_the_project(compiled: Path) -> None:
    whole = extract(load(compiled))
    same_lineage(whole, extract(load(compiled / "target")))
    same_lineage(whole, extract(load(compiled / "target" / "manifest.json")))


def test_a_manifest_that_only_was_parsed_is_rendered(compiled: Path, tmp_path: Path) -> None:
    """dbt parse, and dbt test, write manifests without compiled SQL."""
    whole = extract(load(compiled))
    folder = shutil.copytree(compiled, tmp_path / "parsed")
    file = folder / "target" / "manifest.json"
    manifest = json.loads(file.read_text("utf-8"))
    for node in manifest["nodes"].values():
        node.pop("compiled_code", None)
    file.write_text(json.dumps(manifest), "utf-8")
    same_lineage(whole, extract(load(folder)))


def test_the_recorded_manifest_alone_is_enough(plain: Path, tmp_path: Path) -> None:
    """A manifest of dbt 1.10, far from its project: what only files say (the headers of seeds) is
    missing.
    """
    shutil.copy(RECORDED, tmp_path / "manifest.json")
    alone, whole = extract(load(tmp_path / "manifest.json")), extract(load(plain))
    assert {each[:2] for each in edges(alone)} == {each[:2] for each in edges(whole)}
