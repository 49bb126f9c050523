"""README and the guides show the real output: their console blocks and their Python are run.

LINEAL_GOLDEN=write puts the real output of each command into the pages.
"""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

from smoke.documents import COMMAND, CONSOLE, pages
from smoke.inside.program import failed_examples

ROOT = Path(__file__).resolve().parents[2]
PAGES = pages(ROOT)
SQL = re.compile(r"^```sql\n(CREATE .*?)^```$", re.MULTILINE | re.DOTALL)


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_print_what_the_page_shows(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    real = CONSOLE.sub(lambda block: f"```console\n{COMMAND.sub(again, block[1])}```", text)
    if os.environ.get("LINEAL_GOLDEN") == "write":
        page.write_text(real, encoding="utf-8")
    assert text == real


def again(shown: re.Match[str]) -> str:
    return f"$ {shown[1]}\n{output_of(shown[1])}"


def output_of(command: str) -> str:
    scripts = f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ.get('PATH', '')}"
    environment = {**os.environ, "PATH": scripts, "PYTHONIOENCODING": "utf-8"}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, env=environment, check=False, **streams
    )
    return done.stdout.decode("utf-8")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_python_does_what_the_page_shows(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert failed_examples(page) == 0


def test_readme_shows_the_files_that_it_runs() -> None:
    shown = SQL.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(
        path.read_text() for path in (ROOT / "examples" / "sales").glob("*.sql")
    )
