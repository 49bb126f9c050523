"""Parts of a program that only a run knows: named columns keep their edges, nothing is invented."""

from __future__ import annotations

from pathlib import Path

import pytest

import lineal
from lineal.model.diagnostic import Code
from lineal.model.way import Confidence


def read(tmp_path: Path, text: str) -> lineal.Lineage:
    """Return the lineage of one program."""
    job = tmp_path / "job.py"
    job.write_text(text)
    return lineal.lineage(job)


def test_names_read_after_an_unknown_selection_keep_their_edges(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "import pandas as pd\nfrom company.settings import KEEP\n"
        "part = pd.read_csv('in.csv')[KEEP]\npart['z'] = part['x'] * 2\n"
        "part[['z', 'w']].to_csv('out.csv')\n",
    )
    assert {f"{edge.source} -> {edge.target}" for edge in found.edges} == {
        "in.csv.x -> out.csv.z",
        "in.csv.w -> out.csv.w",
    }
    assert {usage.level for edge in found.edges for usage in edge.usages} == {Confidence.LOW}
    assert [each.code for each in found.diagnostics] == [Code.DYNAMIC]


@pytest.mark.parametrize(
    "write",
    [
        "df.write.format('delta').save('')",
        "df.write.saveAsTable('delta.``')",
        "spark.sql('INSERT INTO delta.`` SELECT a FROM t')",
    ],
)
def test_an_empty_path_is_not_a_dataset(write: str, tmp_path: Path) -> None:
    found = read(tmp_path, f"df = spark.table('t').select('a')\n{write}\n")
    assert not {"", "delta", "delta."} & {edge.into.name for edge in found.edges}
    assert Code.DYNAMIC in {each.code for each in found.diagnostics}


def test_a_join_with_an_unknown_side_gives_no_certain_edges(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "df = spark.table('t')\ndf.join(3, 'id').select('id', 'word').write.saveAsTable('o')\n",
    )
    words = [edge for edge in found.edges if str(edge.target) == "o.word"]
    assert all(usage.level <= Confidence.LOW for edge in words for usage in edge.usages)
    assert Code.DYNAMIC in {each.code for each in found.diagnostics}


def test_a_value_that_unknown_code_makes_of_a_frame_is_reported(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "from pyspark.sql import functions as F\nfrom helpers import estimate\n"
        "df = spark.table('t')\nleast = estimate(df)\n"
        "df.filter(F.col('a') > least).select('a').write.saveAsTable('o')\n",
    )
    assert [each.code for each in found.diagnostics] == [Code.DYNAMIC]


def test_paths_below_an_imported_folder_stay_apart(tmp_path: Path) -> None:
    """The folder is not in the input; the names below it tell two files from each other."""
    found = read(
        tmp_path,
        "from company.paths import INPUT, OUTPUT\n"
        "a = spark.read.csv(str(INPUT / 'customers.csv'), header=True)\n"
        "b = spark.read.csv(str(INPUT / 'codes' / 'regions.csv'), header=True)\n"
        "made = a.join(b, a.code == b.region).select(a['name'], b['title'])\n"
        "made.write.parquet(f'{OUTPUT}/customers.csv')\n",
    )
    assert {f"{edge.source} -> {edge.target}" for edge in found.edges if edge.field_level} == {
        "{INPUT}/customers.csv.name -> {OUTPUT}/customers.csv.name",
        "{INPUT}/codes/regions.csv.title -> {OUTPUT}/customers.csv.title",
    }
    assert {usage.level for edge in found.edges for usage in edge.usages} == {Confidence.LOW}
