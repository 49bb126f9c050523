"""An incremental model reads what it was before: rendered both ways, its edges unite, its own among
them.
"""

from casefile import edges_in
from lineal.incremental.extraction import extract
from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.script import Corpus, Script

FIRST = "SELECT id, amount FROM src"
AGAIN = "SELECT id, amount FROM src WHERE id > (SELECT max(id) FROM log)"
EDGES = [
    "log.id => log  FILTER",
    "src.amount -> log.amount  IDENTITY",
    "src.id -> log.id  IDENTITY",
    "src.id => log  FILTER",
]


def corpus(*texts: str, declared: bool) -> Corpus:
    scripts = [Script(text, "spark", "log.sql", target="log", kind="sql") for text in texts]
    columns = [ColumnInfo("id", "int"), ColumnInfo("amount", "int")]
    datasets = [DatasetInfo(Dataset("", "src"), "source", columns, complete=True)]
    if declared:
        datasets.append(DatasetInfo(Dataset("", "log"), "sql", columns))
    return Corpus("spark", scripts, datasets)


def test_the_first_build_gives_the_former_columns():
    assert sorted(edges_in(extract(corpus(FIRST, AGAIN, declared=False)))) == EDGES


def test_a_declaration_gives_the_former_columns():
    assert sorted(edges_in(extract(corpus(AGAIN, declared=True)))) == EDGES
