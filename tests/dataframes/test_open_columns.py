"""Programs over frames whose columns are not known, or that only a run selects: no edge is too sure."""

from __future__ import annotations

import pytest

from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Script

HEAD = """
import glob, json
import numpy as np
import pandas as pd
names = json.load(open("names.json"))
df = pd.read_csv("a.csv")
known = pd.read_csv("a.csv", usecols=["p", "q"])
"""

PROGRAMS: dict[str, tuple[str, set[str]]] = {
    "every function of an element changes a column": (
        'df.applymap(str.strip)[["p"]].to_csv("x.csv")',
        {"a.csv.p -> x.csv.p TRANSFORMATION HIGH"},
    ),
    "an operator over a frame changes its columns": (
        '(df * 2)[["p"]].to_csv("x.csv")',
        {"a.csv.p -> x.csv.p TRANSFORMATION HIGH"},
    ),
    "a function of numpy changes the columns of a frame": (
        'np.log(df)[["p"]].to_csv("x.csv")',
        {"a.csv.p -> x.csv.p TRANSFORMATION HIGH"},
    ),
    "two frames are computed column by column": (
        'other = pd.read_csv("b.csv")\n(df - other)[["p"]].to_csv("x.csv")',
        {"a.csv.p -> x.csv.p TRANSFORMATION LOW", "b.csv.p -> x.csv.p TRANSFORMATION LOW"},
    ),
    "a window of rows aggregates each column": (
        'df.rolling(3).mean()[["p"]].to_csv("x.csv")',
        {"a.csv.p -> x.csv.p AGGREGATION HIGH"},
    ),
    "an average of each column is kept by name": (
        'means = df.mean()\ndf["z"] = df["p"] - means["q"]\ndf[["z"]].to_csv("x.csv")',
        {"a.csv.p -> x.csv.z TRANSFORMATION HIGH", "a.csv.q -> x.csv.z AGGREGATION MEDIUM"},
    ),
    "rows that are repeated are found by every column": (
        'df[~df.duplicated()][["p"]].to_csv("x.csv")',
        {"a.csv.p -> x.csv.p IDENTITY HIGH", "a.csv.* => x.csv FILTER HIGH"},
    ),
    "columns that only a run drops make the others unsure": (
        'known.drop(columns=names)[["p"]].to_csv("x.csv")',
        {"a.csv.p -> x.csv.p IDENTITY LOW"},
    ),
    "columns that only a run selects are found by their names": (
        'part = known[names]\npart["z"] = part["p"] + 1\npart[["z"]].to_csv("x.csv")',
        {"a.csv.p -> x.csv.z TRANSFORMATION LOW"},
    ),
    "columns without a value leave the others unsure": (
        'known.dropna(axis=1)[["p"]].to_csv("x.csv")',
        {"a.csv.p -> x.csv.p IDENTITY LOW"},
    ),
    "a column that is taken out of the list of names is not written": (
        'left = df.columns.tolist()\nleft.remove("y")\ndf[left].drop(columns="y", errors="ignore")'
        '[["p"]].to_csv("x.csv")',
        {"a.csv.p -> x.csv.p IDENTITY HIGH"},
    ),
    "a prefix makes names that the source does not have": (
        'df.columns = ["x_" + name for name in df.columns]\ndf[["x_p"]].to_csv("x.csv")',
        set(),
    ),
    "a column that is set in some rows may be new": (
        'df.loc[df["p"] > 1, "z"] = 0\ndf[["z"]].to_csv("x.csv")',
        {"a.csv.p -> x.csv.z CONDITIONAL HIGH", "a.csv.z -> x.csv.z TRANSFORMATION MEDIUM"},
    ),
    "a column that is named after data is no condition": (
        'for kind in df["kind"].unique():\n    df[kind] = 1\ndf[["p"]].to_csv("x.csv")',
        {"a.csv.p -> x.csv.p IDENTITY MEDIUM"},
    ),
    "a library that is not read makes values less sure": (
        "import torch\n"
        'names = [f"{name}.png" for name in df["name"].tolist()]\n'
        'df["z"] = np.ravel(torch.predict(names[0]))\ndf[["z"]].to_csv("x.csv")',
        {"a.csv.name -> x.csv.z TRANSFORMATION MEDIUM"},
    ),
    "predictions have no name": (
        "from sklearn.linear_model import Ridge\n"
        'model = Ridge().fit(known[["p"]], known["q"])\n'
        'pd.DataFrame(model.predict(known[["p"]])).to_csv("x.csv")',
        {
            "a.csv.p -> job.py::model.prediction AGGREGATION HIGH",
            "a.csv.q -> job.py::model.prediction AGGREGATION HIGH",
            "a.csv.p -> x.csv.0 TRANSFORMATION HIGH",
            "job.py::model.prediction -> x.csv.0 TRANSFORMATION HIGH",
        },
    ),
    "what decides the rows of a value that is looked up decides the value": (
        'other = pd.read_csv("b.csv")\n'
        'df["z"] = df["id"].apply(lambda i: other[other["id"] == i]["v"].sum())\n'
        'df[["z"]].to_csv("x.csv")',
        {
            "b.csv.v -> x.csv.z AGGREGATION HIGH",
            "b.csv.id -> x.csv.z FILTER HIGH",
            "a.csv.id -> x.csv.z FILTER HIGH",
        },
    ),
    "a pattern of files is one dataset": (
        'pd.concat([pd.read_csv(path) for path in glob.glob("in/*.csv")])[["p"]].to_csv("x.csv")',
        {"in/*.csv.p -> x.csv.p IDENTITY HIGH"},
    ),
    "a workbook is read sheet by sheet": (
        'book = pd.ExcelFile("book.xlsx")\nbook.parse("Sheet1")[["p"]].to_csv("x.csv")',
        {"book.xlsx.p -> x.csv.p IDENTITY HIGH"},
    ),
    "several files of one call": (
        'pd.read_parquet(["b.parquet", "c.parquet"])[["p"]].to_csv("x.csv")',
        {"b.parquet.p -> x.csv.p IDENTITY HIGH", "c.parquet.p -> x.csv.p IDENTITY MEDIUM"},
    ),
    "rows that are appended": (
        'both = pd.DataFrame()\nboth = both.append(known)\nboth[["p"]].to_csv("x.csv")',
        {"a.csv.p -> x.csv.p IDENTITY HIGH"},
    ),
}


def read(program: str) -> Extraction:
    return extract(Corpus("spark", [Script(HEAD + program, "python", "job.py")], []))


def facts_of(extraction: Extraction) -> set[str]:
    return {
        f"{edge.source} {'->' if edge.field_level else '=>'} {edge.target} "
        f"{usage.how.value} {usage.level.name}"
        for edge in extraction.edges
        for usage in edge.usages
    }


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_edges_are_those_expected(name):
    program, expected = PROGRAMS[name]
    assert facts_of(read(program)) == expected


@pytest.mark.parametrize(
    "program",
    [
        'known.drop(columns=names).to_csv("x.csv")',
        'known[names].to_csv("x.csv")',
        'known.dropna(axis=1).to_csv("x.csv")',
        'df[[name for name in df.columns if name.startswith("f_")]].to_csv("x.csv")',
        'df.groupby("k").shift(1).to_csv("x.csv")',
    ],
)
def test_what_only_a_run_knows_is_reported(program):
    assert Code.DYNAMIC in {each.code for each in read(program).diagnostics}
