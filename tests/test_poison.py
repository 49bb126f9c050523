"""One poison statement among 10,000 leaves the other 9,999 results unchanged, and is listed with its file and line."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import lineal

COUNT = 10_000
POISONS = {
    "no SQL": "SELECT FROM WHERE GROUP",
    "an open quote": "SELECT 'a FROM t",
    "nested too deeply": f"SELECT {'(' * 5000}a{')' * 5000} FROM t",
    "binary": "SELECT \x01\x02 \ufffd ]]> FROM",
    "another language": "import os; os.system('true')",
}


def statement(number: int) -> str:
    return f"CREATE VIEW v{number} AS SELECT a{number % 7} AS x, sum(b) AS y FROM s{number % 11} WHERE c > 1 GROUP BY 1"


def folder(path: Path, texts: list[str]) -> tuple[Path, list[tuple[str, int]]]:
    path.mkdir()
    for number, text in enumerate(texts):
        (path / f"{number:05}.sql").write_text(text, encoding="utf-8")
    return path, [(str(path / f"{number:05}.sql"), 1) for number in range(len(texts))]


def log(path: Path, texts: list[str]) -> tuple[Path, list[tuple[str, int]]]:
    file = path.with_suffix(".jsonl")
    file.write_text("".join(json.dumps({"query_text": text}) + "\n" for text in texts), encoding="utf-8")
    return file, [(str(file), number + 1) for number in range(len(texts))]


def results(found: lineal.Lineage) -> dict[str, list[tuple[object, ...]]]:
    """Everything that is said of each dataset, without places, in which a line more shows."""
    said: dict[str, list[tuple[object, ...]]] = {}
    for edge in found.edges:
        usages = [(usage.way, usage.doubt, usage.calls) for usage in edge.usages]
        said.setdefault(edge.into.name, []).append((edge.source, edge.target, usages, edge.score))
    for read in found.reads:
        said[read.target.name].append(read[:4])
    for info in found.datasets:
        said.setdefault(info.dataset.name, []).append((info.kind, info.names, info.complete))
    return said


@pytest.mark.parametrize("made", [folder, log])
@pytest.mark.parametrize("poison", POISONS)
def test_poison(tmp_path: Path, made: Callable[..., tuple[Path, list[tuple[str, int]]]], poison: str) -> None:
    count = COUNT if poison == "no SQL" else 300
    texts = [statement(number) for number in range(count)]
    clean = lineal.lineage(made(tmp_path / "clean", texts)[0])
    assert clean.diagnostics == []
    at = count // 3
    texts.insert(at, POISONS[poison])
    source, places = made(tmp_path / "poisoned", texts)
    found = lineal.lineage(source)
    assert {(each.place.file, each.place.line) for each in found.diagnostics if each.place} == {places[at]}
    gc.collect()  # what 10,000 statements leave behind is not for the next test to go through
    before, after = results(clean), results(found)
    assert len(before) == count + 11 and {name: after[name] for name in before} == before
