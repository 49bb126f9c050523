"""The built page that is in the repository is what its sources make, and is all that a user needs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import lineal
from lineal.web.data import page_data
from lineal.web.page import html, shell_size

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "web"
BUILT = ROOT / "src" / "lineal" / "web"


@pytest.fixture(scope="module")
def node() -> str:
    program = shutil.which("node")
    if program is None or not (WEB / "node_modules" / "esbuild").exists():
        pytest.skip("no Node.js with web/node_modules: tools/page.sh fetches them")
    return program


def test_building_it_again_gives_the_same_bytes(node: str, tmp_path: Path) -> None:
    subprocess.run([node, "build.mjs", str(tmp_path)], cwd=WEB, check=True, timeout=120)
    for name in ("page.js", "page.css", "page.licenses.txt"):
        assert (tmp_path / name).read_bytes() == (BUILT / name).read_bytes(), (
            f"{name} is not up to date: make page"
        )


def test_the_lock_file_names_no_address() -> None:
    lock = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: each for name, each in lock["packages"].items() if name}
    assert all("resolved" not in each and each["integrity"] for each in packages.values())
    wanted = json.loads((WEB / "package.json").read_text(encoding="utf-8"))
    for name, version in {**wanted["dependencies"], **wanted["devDependencies"]}.items():
        assert packages[f"node_modules/{name}"]["version"] == version


def test_the_licenses_of_bundled_libraries_are_in_the_package() -> None:
    lock = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))
    text = (BUILT / "page.licenses.txt").read_text(encoding="utf-8")
    bundled = [name for name, each in lock["packages"].items() if name and not each.get("dev")]
    assert bundled
    for name in bundled:
        assert f"{name.removeprefix('node_modules/')} {lock['packages'][name]['version']}" in text
    assert "Permission is hereby granted" in text


def test_its_types_hold(node: str) -> None:
    checker = WEB / "node_modules" / "typescript" / "bin" / "tsc"
    found = subprocess.run(
        [node, str(checker), "--noEmit"], cwd=WEB, capture_output=True, text=True, timeout=300
    )
    assert found.stdout == ""


def test_the_shell_is_small() -> None:
    assert 50_000 < shell_size() < 400_000


def test_the_page_names_no_other_place() -> None:
    text = html(page_data(lineal.lineage("SELECT a FROM t").graph, title="x"), "x")
    assert set(re.findall(r"https?://[\w./-]+", text)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xhtml",
    }
    assert (
        "default-src 'none'" in text
        and "connect-src 'none'" in text
        and "unsafe" not in text.split("</title>")[0]
    )
