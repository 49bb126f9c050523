"""One ledger: command line, JSON, page, server, store and API show the same numbers, which add up."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner, Result

import lineal
from lineal.cli import main
from lineal.model.ledger import Coverage, Files, Statements
from lineal.views.ledger import summarize

HERE = Path(__file__).resolve().parents[1]
BROKEN = {
    "models/a.sql": "SELECT x, y FROM t JOIN u ON t.id = u.id;\nSELEC 1",
    "models/b.sql": "CREATE VIEW b AS SELECT * FROM nobody",
    "models/c.sql": "\0\1\2",
    "jobs/d.py": "from pyspark.sql import SparkSession\nspark.table('b').write.saveAsTable('d')\n",
    "jobs/e.txt": "nothing",
}


@pytest.fixture(params=["shop", "jaffle", "sales", "broken"])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param != "broken":
        return HERE / "examples" / str(request.param)
    folder = tmp_path / "broken"
    for name, text in BROKEN.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--no-cache"])


def ledger_of_page(file: Path) -> Any:
    found = re.search(r'id="lineage">([^<]*)<', file.read_text("utf-8"))
    assert found is not None
    return json.loads(zlib.decompress(base64.b64decode(found[1])))["coverage"]


def ledger_of_server(path: Path) -> Any:
    call = [sys.executable, "-m", "lineal", "serve", str(path), "--port", "0", "--no-open"]
    environment = {**os.environ, "PYTHONPATH": str(HERE / "src"), "LINEAL_CACHE": ""}
    pipe, same = subprocess.PIPE, subprocess.STDOUT
    with subprocess.Popen(call, env=environment, stdout=pipe, stderr=same, text=True) as server:
        assert server.stdout is not None
        said = ""
        while not (found := re.search(r"(http://\S+?)/?\?token=(\S+)", said)):
            line = server.stdout.readline()
            assert line, said
            said += line
        address, token = found.groups()
        try:
            asked = Request(f"{address}/api/coverage", headers={"Authorization": f"Bearer {token}"})
            with urlopen(asked) as answer:
                return json.load(answer)
        finally:
            server.terminate()


def test_everybody_shows_the_same_numbers(project: Path, tmp_path: Path) -> None:
    coverage = lineal.lineage(project).coverage
    ledger = coverage.to_json()
    shown = run("lineage", str(project), "--output", "json")
    assert json.loads(shown.stdout)["coverage"] == ledger
    assert summarize(coverage) in run("lineage", str(project)).stderr
    page = tmp_path / "page.html"
    assert run("show", str(project), "--out", str(page), "--no-open").exit_code in (0, 1)
    assert ledger_of_page(page) == ledger
    saved = tmp_path / "saved.lineal.json"
    run("lineage", str(project), "--save", str(saved))
    assert lineal.lineage(saved).coverage.to_json() == ledger
    assert ledger_of_server(project) == ledger


def test_the_numbers_add_up(project: Path) -> None:
    coverage = lineal.lineage(project).coverage
    share = 1.0
    for chain in coverage.chains.values():
        counts = [chain.reaching(stage) for stage in chain.stages]
        assert counts == sorted(counts, reverse=True) and counts[-1] >= 0
        assert counts[0] - counts[-1] == sum(loss.count for loss in chain.losses())
        share *= chain.complete / chain.due if chain.due else 1
    assert coverage.percent == int(share * 1000 + 1e-9) / 10


def test_a_reason_is_named_once_for_several_stages():
    """A statement that is not parsed, and one of a procedure that is not evaluated for it."""
    coverage = Coverage(Files(1), Statements(9))
    coverage.statements.lose("parsed", "parse-error", 2)
    coverage.statements.lose("evaluated", "parse-error", 1)
    assert "6 of 9 statements evaluated (3 parse-error)" in summarize(coverage)
