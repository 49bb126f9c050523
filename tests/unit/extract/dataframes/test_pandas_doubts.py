"""pandas: what only a run knows is reported, and edges are as certain as the text."""

from __future__ import annotations

import pytest

from casefile import edges_in
from lineal.extract.pyspark.frame_libraries import KNOWN, TRACED
from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Script
from lineal.model.way import Confidence

HEAD = "import pandas as pd\n"


def read(text: str) -> Extraction:
    return extract(Corpus("spark", [Script(HEAD + text, "python", "job.py")], []))


def lines(text: str) -> set[str]:
    return {line for line in edges_in(read(text), ()) if not line.startswith("->")}


REPORTED = {
    "a method": (
        "pd.read_csv('a.csv').new_method().to_csv('b.csv')\n",
        Code.UNSUPPORTED_CONSTRUCT,
        "new_method",
    ),
    "a method of groups": (
        "pd.read_csv('a.csv').groupby('k').new_method().to_csv('b.csv')\n",
        Code.UNSUPPORTED_CONSTRUCT,
        "new_method",
    ),
    "a function of pandas": (
        "pd.new_function(pd.read_csv('a.csv')).to_csv('b.csv')\n",
        Code.UNSUPPORTED_CONSTRUCT,
        "new_function",
    ),
    "columns from elsewhere": (
        "from conf import names\npd.read_csv('a.csv')[names].to_csv('b.csv')\n",
        Code.DYNAMIC,
        "names",
    ),
    "a value of a library": (
        "import model\ndf = pd.read_csv('a.csv')\ndf['p'] = model.predict(df)\ndf.to_csv('b.csv')\n",
        Code.DYNAMIC,
        "predict",
    ),
    "a column that is not there": (
        "pd.read_csv('a.csv', usecols=['x'])[['y']].to_csv('b.csv')\n",
        Code.UNRESOLVED_COLUMN,
        "'y'",
    ),
}


@pytest.mark.parametrize("name", REPORTED)
def test_doubts_are_reported(name: str) -> None:
    text, code, word = REPORTED[name]
    told = [each.message for each in read(text).diagnostics if each.code is code]
    assert any(word in message for message in told), told


def test_an_unknown_method_gives_no_edge_between_columns() -> None:
    assert (
        lines("pd.read_csv('a.csv', usecols=['x']).new_method()[['x']].to_csv('b.csv')\n") == set()
    )


DOUBTED = {
    "two files of unknown columns": (
        "a = pd.read_csv('a.csv').merge(pd.read_csv('b.csv'), on='k')\na[['x']].to_csv('c.csv', index=False)\n",
        {
            "a.csv.x -> c.csv.x  IDENTITY  [LOW ambiguous]",
            "b.csv.x -> c.csv.x  IDENTITY  [LOW ambiguous]",
            "a.csv.k => c.csv  JOIN",
            "b.csv.k => c.csv  JOIN",
        },
    ),
    "a branch of the program": (
        "import os\ndf = pd.read_csv('a.csv', usecols=['x', 'y'])\n"
        "if os.environ.get('FULL'):\n    df['x'] = df['y']\ndf[['x']].to_csv('c.csv', index=False)\n",
        {
            "a.csv.x -> c.csv.x  IDENTITY  [MEDIUM]",
            "a.csv.y -> c.csv.x  IDENTITY  [MEDIUM]",
        },
    ),
    "names that a function changes": (
        "df = pd.read_csv('a.csv')\ndf.columns = df.columns.str.lower()\n"
        "df[['x']].to_csv('c.csv', index=False)\n",
        {"a.csv.x -> c.csv.x  IDENTITY  [MEDIUM]"},
    ),
    "a function of another library": (
        "import geo\ndf = pd.read_csv('a.csv', usecols=['x'])\ndf['y'] = geo.code(df['x'])\n"
        "df[['y']].to_csv('c.csv', index=False)\n",
        {"a.csv.x -> c.csv.y  TRANSFORMATION  [MEDIUM]"},
    ),
    "a parameter that no call binds": (
        "def clean(df: pd.DataFrame):\n    df['y'] = df['x'] + 1\n"
        "    df[['y']].to_csv('c.csv', index=False)\n",
        {"job.py::clean.df.x -> c.csv.y  TRANSFORMATION"},
    ),
}


@pytest.mark.parametrize("name", DOUBTED)
def test_edges_are_as_certain_as_the_text(name: str) -> None:
    text, expected = DOUBTED[name]
    assert lines(text) == expected


def test_an_expression_that_doubles_is_widened() -> None:
    text = (
        "df = pd.read_csv('a.csv', usecols=['x'])\ns = df['x']\n"
        f"for i in {list(range(40))}:\n    s = s + s\n"
        "df['y'] = s\ndf[['y']].to_csv('c.csv', index=False)\n"
    )
    assert lines(text) == {"a.csv.x -> c.csv.y  TRANSFORMATION  [LOW]"}


def test_an_expression_that_a_loop_over_numbers_repeats_keeps_its_sources() -> None:
    text = (
        "df = pd.read_csv('a.csv', usecols=['x'])\ns = df['x']\nfor i in range(40):\n    s = s + s\n"
        "df['y'] = s\ndf[['y']].to_csv('c.csv', index=False)\n"
    )
    assert lines(text) == {"a.csv.x -> c.csv.y  TRANSFORMATION"}


def test_every_traced_library_lists_its_methods() -> None:
    assert {"groupby", "merge", "to_csv"} <= KNOWN["pandas"]["DataFrame"]
    assert "pandas" in TRACED


def test_evidence_counts_only_for_columns_of_that_name():
    found = read("""
people = pd.read_csv("people.csv")
both = pd.concat([people, people["name"].str.split(" ", expand=True)], axis=1)
both["twice"] = people["age"] * 2
both[["age", "city"]].to_csv("out.csv", index=False)
""")
    sources = {(str(edge.source), edge.target.name, edge.ambiguous) for edge in found.edges}
    assert sources == {
        ("people.csv.age", "age", False),
        ("people.csv.city", "city", True),
        ("people.csv.name", "city", True),
    }


def test_rounding_is_less_certain_for_columns_that_may_be_texts():
    found = read(
        "df = pd.read_csv('a.csv', usecols=['name', 'x'])\n"
        "df['x'] = df['x'] / 2\n"
        "df.round(1).to_csv('b.csv', index=False)\n"
    )
    levels = {edge.target.name: edge.level for edge in found.edges}
    assert levels == {"name": Confidence.MEDIUM, "x": Confidence.HIGH}


def test_a_series_that_doubles_in_a_loop_is_widened_once_and_keeps_its_sources():
    found = read(
        "df = pd.read_csv('a.csv', usecols=['x', 'y'])\n"
        "s = df['x'].copy()\n"
        f"for j in {list(range(40))}:\n"
        "    s[j] = s[j] * s[j] + df['y'][j]\n"
        "df['z'] = s\n"
        "df[['z']].to_csv('b.csv', index=False)\n"
    )
    assert {edge.source.name: edge.level for edge in found.edges} == {
        "x": Confidence.LOW,
        "y": Confidence.LOW,
    }
