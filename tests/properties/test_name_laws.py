"""Names over random trees of files: the order of files, the memory of an earlier run, and files that
have nothing to do with the others change nothing.
"""

from __future__ import annotations

from random import Random

import pytest

from casefile import edges_in
from lineal.incremental.extraction import extract
from lineal.incremental.memory import Memory
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Script

DIALECTS = ("spark", "postgres", "snowflake", "bigquery", "tsql", "duckdb", "oracle", "clickhouse")
FOLDERS = ("", "shop", "shop/old", "bank", "bank/eu", "bank/us", "bench/tpch", "bench/tpcds")
STEMS = ("query", "main", "orders", "customer", "load", "a", "b")
TABLES = ("orders", "customer", "items", "shop.orders", "raw")
COLUMNS = ("id", "name", "total", "city", "k1", "k2", "k3", "k4")


def spell(random: Random, name: str) -> str:
    """A name in one of its spellings."""
    return random.choice((name, name, name.upper(), name.capitalize()))


def column(random: Random, dialect: str) -> str:
    """A column, now and then in quotes."""
    name = spell(random, random.choice(COLUMNS))
    if random.random() < 0.15 and dialect in ("postgres", "snowflake", "oracle"):
        return f'"{name}"'
    return name


def select(random: Random, dialect: str) -> str:
    """SELECT t.a, t.b AS c FROM t [JOIN u ON …] [WHERE …]"""
    table = spell(random, random.choice(TABLES))
    items = [f"t.{column(random, dialect)} AS {name}" for name in random.sample(COLUMNS, 2)]
    text = f"FROM {table} t"
    if random.random() < 0.3:
        other = spell(random, random.choice(TABLES))
        text += f" JOIN {other} u ON t.id = u.id"
        items.append(f"{random.choice(COLUMNS)} AS z")
    if random.random() < 0.3:
        text += f" WHERE t.{column(random, dialect)} = 1"
    if random.random() < 0.1:
        items = ["*"]
    return f"SELECT {', '.join(items)} {text}"


def statement(random: Random, dialect: str) -> str:
    """DDL, a view, an INSERT, or a bare SELECT."""
    target = spell(random, random.choice(TABLES))
    kind = random.random()
    if kind < 0.3:
        names = random.sample(COLUMNS, random.randint(2, 5))
        return f"CREATE TABLE {target} ({', '.join(f'{spell(random, n)} INT' for n in names)})"
    if kind < 0.5:
        return f"CREATE VIEW {target} AS {select(random, dialect)}"
    if kind < 0.6:
        columns = ", ".join(spell(random, name) for name in random.sample(COLUMNS, 2))
        return f"INSERT INTO {target} ({columns}) SELECT t.id, t.name FROM raw t"
    return select(random, dialect)


def tree(random: Random, dialect: str) -> list[Script]:
    """Some files in some folders."""
    files: dict[str, Script] = {}
    for _ in range(random.randint(3, 9)):
        folder, stem = random.choice(FOLDERS), random.choice(STEMS)
        file = f"{folder}/{stem}.sql".lstrip("/")
        text = ";\n".join(statement(random, dialect) for _ in range(random.randint(1, 2)))
        files[file] = Script(text, dialect, file)
    return list(files.values())


def facts(extraction: Extraction) -> tuple[object, ...]:
    """All facts about a corpus, without an order."""
    return (
        sorted(edges_in(extraction)),
        sorted((*r.target, *r.dataset, r.column or "", r.clause.value) for r in extraction.reads),
        sorted(
            (str(info.dataset), info.kind, sorted(info.names), info.complete)
            for info in extraction.datasets.values()
        ),
        sorted((d.code.code, d.place) for d in extraction.diagnostics if d.place is not None),
        extraction.coverage,
    )


def cold(dialect: str, scripts: list[Script]) -> tuple[object, ...]:
    """The result for some files without any memory."""
    return facts(extract(Corpus(dialect, list(scripts))))


@pytest.mark.parametrize("seed", range(80))
def test_order_of_files_does_not_matter(seed):
    random = Random(seed)
    dialect = DIALECTS[seed % len(DIALECTS)]
    scripts = tree(random, dialect)
    expected = cold(dialect, scripts)
    for _ in range(3):
        random.shuffle(scripts)
        assert cold(dialect, scripts) == expected


@pytest.mark.parametrize("seed", range(40))
def test_memory_gives_what_a_cold_run_gives(seed):
    """After files are added, removed, renamed and edited."""
    random = Random(1000 + seed)
    dialect = DIALECTS[seed % len(DIALECTS)]
    scripts, others = tree(random, dialect), tree(random, dialect)
    data: bytes | None = None
    for _ in range(5):
        memory = Memory(data)
        found = facts(extract(Corpus(dialect, list(scripts)), memory))
        data = memory.data() or data
        assert found == cold(dialect, scripts)
        edit(random, scripts, others)


def edit(random: Random, scripts: list[Script], others: list[Script]) -> None:
    """Add, remove, rename or change a file."""
    kind = random.random()
    if kind < 0.4 and others:
        new = others.pop()
        scripts[:] = [each for each in scripts if each.file != new.file] + [new]
    elif kind < 0.6 and len(scripts) > 1:
        scripts.pop(random.randrange(len(scripts)))
    else:
        at = random.randrange(len(scripts))
        held = scripts[at]
        file = f"moved/{held.file}" if kind < 0.8 else held.file
        if all(each.file != file or each is held for each in scripts):
            scripts[at] = Script(held.text + " ", held.dialect, file)


@pytest.mark.parametrize("seed", range(40))
def test_unrelated_file_changes_nothing_else(seed):
    """A file in a folder of its own, with names of its own."""
    random = Random(2000 + seed)
    dialect = DIALECTS[seed % len(DIALECTS)]
    scripts = tree(random, dialect)
    text = "CREATE VIEW lonely AS SELECT l.x AS y FROM alone l WHERE l.w > 1;\nSELECT y FROM lonely"
    lonely = Script(text, dialect, "elsewhere/lonely_result.sql")
    alone = cold(dialect, [lonely])
    before, after = cold(dialect, scripts), cold(dialect, [*scripts, lonely])
    for part, own, both in zip(before[:4], alone[:4], after[:4], strict=True):
        assert sorted([*part, *own]) == both
