"""The same input gives the same bytes: whatever the hash seed, the order of the files, or what ran
before.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest

import lineal

ROOT = Path(__file__).resolve().parents[1]
SHOP = ROOT / "examples" / "shop"

STATEMENTS = {
    "info": "CREATE VIEW info AS SELECT c.name, c.age, o.oid, w.* FROM customers c JOIN orders o ON c.cid = o.cid "
    "JOIN webact w ON c.cid = w.wcid",
    "webact": "CREATE VIEW webact AS SELECT w.wcid, w.wdate, w.wpage, w.wreg FROM webinfo w INTERSECT "
    "SELECT w1.cid, w1.date, w1.page, w1.reg FROM web w1",
    "webinfo": "CREATE VIEW webinfo AS SELECT c.cid AS wcid, w.date AS wdate, w.page AS wpage, w.reg AS wreg "
    "FROM customers c JOIN web w ON c.cid = w.cid WHERE EXTRACT(YEAR FROM w.date) = 2022",
    "unsure": "CREATE VIEW unsure AS SELECT name, x, y + z AS s FROM info, elsewhere, nowhere WHERE x > y GROUP BY 1",
    "broken": "CREATE VIEW broken AS SELECT FROM WHERE",
    "around": "CREATE VIEW around AS SELECT a FROM again; CREATE VIEW again AS SELECT a FROM around",
}


FORMATS = ("json", "dot", "mermaid", "table")
SCRIPT = f"""
import sys, lineal
for source in sys.argv[1:]:
    found = lineal.lineage(source)
    sys.stdout.write("".join(map(found.to, {FORMATS})))
"""


def started(*arguments: str, seed: str = "0") -> bytes:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        "PYTHONHASHSEED": seed,
        "PYTHONUTF8": "1",
    }
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, env=environment, check=True
    ).stdout


def folder(path: Path, names: dict[str, str]) -> Path:
    """Each statement in a file of its own, under another name."""
    path.mkdir()
    for statement, name in names.items():
        (path / f"{name}.sql").write_text(STATEMENTS[statement])
    return path


def test_the_hash_seed_does_not_matter(tmp_path: Path) -> None:
    made = folder(tmp_path / "all", {name: name for name in STATEMENTS})
    written = {
        started("-c", SCRIPT, str(SHOP), str(made), seed=seed) for seed in ("0", "1", "4711")
    }
    assert len(written) == 1


def without_files(document: dict[str, Any]) -> Any:
    """A document as a set of facts: no places, no order of files."""

    def bare(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: bare(item) for key, item in value.items() if key not in ("place", "file")}
        return [bare(item) for item in value] if isinstance(value, list) else value

    return {
        key: sorted(map(json.dumps, bare(value))) if isinstance(value, list) else value
        for key, value in document.items()
    }


def test_the_names_of_the_files_do_not_matter(tmp_path: Path) -> None:
    """Files are independent scripts over one catalog: read in another order they say the same."""
    orders = Random(7).sample(list(permutations("abcdef")), 12)
    documents = []
    for number, letters in enumerate(orders):
        made = folder(tmp_path / str(number), dict(zip(STATEMENTS, letters, strict=True)))
        documents.append(without_files(json.loads(lineal.lineage(made).to("json"))))
    for document in documents[1:]:
        assert document == documents[0]


def test_the_order_of_the_texts_does_not_matter() -> None:
    first = None
    for order in permutations([*STATEMENTS][:4]):
        document = without_files(
            json.loads(lineal.lineage([STATEMENTS[name] for name in order]).to("json"))
        )
        first = first or document
        assert document == first


@pytest.mark.parametrize("format", FORMATS)
def test_twice_in_one_process(format: str) -> None:
    """The state that is kept between calls (interned ways, caches of folds and handlers) does not show."""
    first = lineal.lineage(SHOP).to(format)
    lineal.lineage(list(STATEMENTS.values()), dialect="snowflake").to(format)
    lineal.lineage("SELECT count(DISTINCT a) OVER (PARTITION BY b) FROM t").to(format)
    assert lineal.lineage(SHOP).to(format) == first


def test_asking_changes_nothing() -> None:
    """Traces, impacts and views read the graph and leave it as it is."""
    found = lineal.lineage(SHOP)
    before = found.to("json")
    for column in found.columns:
        found.upstream(column, with_rows=True)
        found.downstream(column)
        found.impact(column)
    found.to("table")
    assert found.to("json") == before


def test_a_process_and_the_command_say_the_same() -> None:
    assert lineal.lineage(SHOP).to("json").encode() == started(
        "-m", "lineal", "lineage", str(SHOP), "--output", "json"
    )


def test_the_machine_does_not_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the folder of a project, nor the time, when it is named relatively."""
    import shutil

    for name in ("here", "there"):
        shutil.copytree(SHOP, tmp_path / name / "shop")
    made = []
    for name in ("here", "there"):
        monkeypatch.chdir(tmp_path / name)
        made.append(lineal.lineage("shop").to("json"))
    assert made[0] == made[1] and str(tmp_path) not in made[0]
