"""Edits that lineal makes, checked on Spark: the edited project builds, with the rows it had.

`lineal unused` removes columns and models, the language server renames columns. Each edit is made
in a copy of a sample project, and original and copy are built by `lineal run`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from little import Run
from lsprotocol import types

from editors.editor_client import Editor, talk
from lineal.cli import main
from lineal.graph.graph import Graph
from lineal.incremental.extraction import extract
from lineal.projects import load

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
IGNORED = shutil.ignore_patterns(".lineal", "target", "logs", "*.duckdb")
SNAPSHOT_TIMES = ("dbt_scd_id", "dbt_updated_at", "dbt_valid_from", "dbt_valid_to")
"""Columns of a snapshot that differ in every run."""


@dataclass
class Built:
    """A project that Spark has built: the columns and rows of every table."""

    columns: dict[str, list[str]]
    rows: dict[str, list[tuple[Any, ...]]]

    def part(self, name: str, columns: list[str]) -> Counter[tuple[Any, ...]]:
        """Return the rows of a table, by these columns."""
        places = [self.columns[name].index(each) for each in columns]
        return Counter(tuple(row[at] for at in places) for row in self.rows[name])


def build(root: Path, spark: Any) -> Built:
    """Run a project, and read the tables that are in the warehouse."""
    run = Run(root, spark)
    assert set(run.status.values()) == {"ok"}, run.status
    assert run.summary.green
    warehouse = root / ".lineal" / "warehouse"
    entries = json.loads((warehouse / "state.json").read_text(encoding="utf-8"))["entries"]
    found = Built({}, {})
    for name, entry in entries.items():
        if (warehouse / name / entry["version"]).is_dir():
            frame = spark.read.parquet(str(warehouse / name / entry["version"]))
            frame = frame.drop(*SNAPSHOT_TIMES)
            found.columns[name] = frame.columns
            found.rows[name] = [tuple(map(repr, row)) for row in frame.collect()]
    assert found.rows
    return found


@pytest.fixture(scope="module", params=["shop", "jaffle"])
def sample(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, spark: Any
) -> tuple[Path, Built]:
    """A sample project as it is, and what Spark makes of it."""
    root = shutil.copytree(
        EXAMPLES / request.param,
        tmp_path_factory.mktemp("as_it_is") / request.param,
        ignore=IGNORED,
    )
    return root, build(root, spark)


def copy_of(root: Path, folder: Path) -> Path:
    return shutil.copytree(root, folder / root.name, ignore=IGNORED)


# -- what nobody reads is removed ------------------------------------------------------------------

REMOVALS = {"shop": ["--keep", "rpt_*", "--keep", "fct_orders"], "jaffle": ["--ignore-tests"]}
"""Fewer outputs, so that more is unused."""


def test_the_rest_builds_with_the_same_rows(
    sample: tuple[Path, Built], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark: Any
) -> None:
    original, before = sample
    root = copy_of(original, tmp_path)
    monkeypatch.chdir(root)
    done = CliRunner().invoke(main, ["unused", ".", "--patch", *REMOVALS[root.name]])
    assert done.exit_code == 0 and done.stdout, done.output
    subprocess.run(["git", "apply", "-"], input=done.stdout, text=True, check=True)
    assert load(root).scripts != load(original).scripts
    after = build(root, spark)
    assert set(after.columns) <= set(before.columns)
    for name, columns in after.columns.items():
        assert set(columns) <= set(before.columns[name])
        assert after.part(name, columns) == before.part(name, columns), name


# -- a column gets another name --------------------------------------------------------------------

RENAMES = {
    "shop": [
        ("nodes/stg_customers/stg_customers.sql", "as customer_name", "customer_name", "client"),
        ("nodes/int_orders_enriched/int_orders_enriched.sql", "as payment_total", "payment_total", "settled"),
        ("nodes/stg_customers/stg_customers.sql", "as signup_date", "signup_date", "joined_on"),
        ("nodes/stg_products/stg_products.sql", "  category,", "category", "family"),
    ],
    "jaffle": [
        ("models/marts/orders.sql", "as amount", "amount", "paid_total"),
        ("models/marts/customers.sql", "as spent", "spent", "lifetime_total"),
        ("models/staging/stg_orders.sql", "as order_id", "order_id", "order_number"),
    ],
}  # fmt: skip


def test_renamed_columns_have_the_same_lineage_and_rows(
    sample: tuple[Path, Built], tmp_path: Path, spark: Any
) -> None:
    original, before = sample
    root = copy_of(original, tmp_path)
    renames = RENAMES[root.name]

    async def conversation(editor: Editor) -> None:
        for name, needle, inside, new in renames:
            await rename(editor, name, needle, inside, new)

    talk(root, conversation)
    former = {new: old for _, _, old, new in renames}
    assert lineage(root, former) == lineage(original, {})
    after = build(root, spark)
    for name, columns in after.columns.items():
        assert [former.get(each, each) for each in columns] == before.columns[name]
        assert Counter(after.rows[name]) == Counter(before.rows[name]), name


async def rename(editor: Editor, name: str, needle: str, inside: str, new: str) -> None:
    """Ask the server for a rename, and write its edits to the files."""
    document = types.TextDocumentIdentifier(editor.uri(name))
    params = types.RenameParams(document, editor.at(name, needle, inside), new)
    found = await editor.client.text_document_rename_async(params)
    assert found is not None and found.document_changes
    for change in found.document_changes:
        assert isinstance(change, types.TextDocumentEdit)
        path = Path(change.text_document.uri.removeprefix("file://"))
        text = apply_edits(path.read_text(encoding="utf-8"), change.edits)
        editor.save(os.path.relpath(path, editor.folder), text)


def apply_edits(text: str, edits: Any) -> str:
    """Return a text with the edits of the protocol, from the last to the first."""
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:at])) for at in range(len(lines) + 1)]

    def offset(position: types.Position) -> int:
        return starts[position.line] + position.character

    spans = [(offset(each.range.start), offset(each.range.end), each.new_text) for each in edits]
    for start, end, new in sorted(spans, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def lineage(root: Path, former: dict[str, str]) -> Counter[str]:
    """Return the edges of a project, with former names of columns."""
    graph = Graph(extract(load(root)))
    found: Counter[str] = Counter()
    for edge in graph.edges:
        ends = []
        for each in (edge.source, edge.target):
            dataset, dot, column = str(each).rpartition(".")
            ends.append(f"{dataset}{dot}{former.get(column, column)}")
        usages = sorted(f"{usage.how.name} {usage.clause.value}" for usage in edge.usages)
        found[f"{ends[0]} -> {ends[1]} {usages}"] += 1
    return found
