"""A saved lineage or a store that names files of the machine: only those of its project have a text."""

from __future__ import annotations

import base64
import json
import os
import re
import zlib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import lineal
from lineal.cli import main
from lineal.model.diagnostic import Place
from lineal.model.edge import Column, Dataset, Edge, Site, Usage
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.way import IDENTITY
from lineal.projects import make_rules
from lineal.projects.source_texts import SourceFiles
from lineal.store import saved
from lineal.store.lineage import open_store

SECRET = "the text that nobody may see"
SOURCE = "CREATE VIEW v AS SELECT a FROM t"
FORGED = (
    "/etc/passwd", "../../../../../../../../../../etc/passwd", "../outside.sql", "./../outside.sql",
    "models/../../outside.sql", "link.sql", "linked/outside.sql", "passwd.sql", "pipe.sql", ".env", ".hidden/a.sql",
    "key.pem", "a\0.sql", "x" * 5000 + ".sql", "~/outside.sql", "file:///etc/passwd",
)  # fmt: skip
"""Names of files that are outside the project, hidden, or no source."""


def forge(files: tuple[str, ...]) -> Extraction:
    """A lineage whose places are in these files."""
    source, target = Dataset("", "t"), Dataset("", "v")
    usages = tuple(Usage(IDENTITY, None, None, Site(Place(file, 1, 1), "a", ())) for file in files)
    infos = {each: DatasetInfo(each, "table", [ColumnInfo("a")]) for each in (source, target)}
    return Extraction([Edge(Column(source, "a"), Column(target, "a"), usages)], [], infos)


def texts_on(page: str) -> dict[str, str]:
    """The texts that a page has, by file."""
    packed = re.search(r'id="lineage">([^<]*)<', page)
    assert packed is not None
    data: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(packed[1])))
    return dict(data["texts"])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a source of its own, and with ways that lead out of it."""
    folder = tmp_path / "project"
    (folder / "models").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    (folder / "models" / "own.sql").write_text(SOURCE)
    for file in (".env", ".hidden/a.sql", "key.pem", "../outside.sql"):
        (folder / file).write_text(SECRET)
    (folder / "link.sql").symlink_to(tmp_path / "outside.sql")
    (folder / "linked").symlink_to(tmp_path)
    (folder / "passwd.sql").symlink_to("/etc/passwd")
    os.mkfifo(folder / "pipe.sql")
    return folder


@pytest.fixture(params=["saved", "store"])
def forged(request: pytest.FixtureRequest, project: Path) -> Path:
    """The file of a lineage that names the files of the machine, and one of its own."""
    outside = str(project.parent / "outside.sql")
    extraction = forge((*FORGED, outside, f"{project}/../outside.sql", "models/own.sql"))
    if request.param == "saved":
        file = project / "x.lineal.json"
        saved.write(extraction, file)
        return file
    file = project / "x.db"
    with open_store(str(file), create=True) as store:
        store.load("default", extraction)
    return file


@pytest.mark.parametrize("elsewhere", [False, True])
def test_show_reads_only_files_of_the_project(
    forged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, elsewhere: bool
) -> None:
    monkeypatch.chdir(tmp_path if elsewhere else forged.parent)
    out = tmp_path / "page.html"
    asked = ["show", str(forged), "--out", str(out), "--no-open"]
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == 0, done.output
    assert texts_on(out.read_text()) == {"models/own.sql": SOURCE}


def test_the_api_reads_only_files_of_the_project(forged: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    lineal.lineage(forged).save(out)
    assert texts_on(out.read_text()) == {"models/own.sql": SOURCE}


def test_a_lineage_without_an_input_reads_no_file(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    lineal.Lineage(forge((str(project / "models" / "own.sql"),))).save(out)
    assert texts_on(out.read_text()) == {}


def test_links_are_followed_only_if_asked_and_names_never_lead_out(project: Path) -> None:
    files = SourceFiles([str(project)], make_rules(None, True, None))
    assert files.text("link.sql") == SECRET
    assert [files.text(name) for name in ("../outside.sql", "/etc/passwd", ".env")] == [""] * 3


def test_a_project_shows_its_own_texts(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    own = project / "models" / "own.sql"
    assert (
        CliRunner().invoke(main, ["show", str(own), "--out", str(out), "--no-open"]).exit_code == 0
    )
    assert texts_on(out.read_text()) == {str(own): SOURCE}
