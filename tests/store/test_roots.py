"""What a load knows its statements by does not depend on the working directory, nor on how the path
is written.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from lineal.cli import main
from lineal.incremental.extraction import extract
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Script
from lineal.store.lineage import Store, open_store

State = Callable[[], dict[str, list[tuple[object, ...]]]]

LOOSE = {
    "sql/q.sql": "SELECT a, sum(b) AS b FROM t GROUP BY a",
    "sql/v.sql": "CREATE VIEW v AS SELECT nowhere.a FROM q",
    "jobs/job.py": "from lib import names\nspark.table('t').select('a').write.saveAsTable(names.TARGET)\n",
    "jobs/lib/__init__.py": "",
    "jobs/lib/names.py": "TARGET = 'made'\n",
}
PROJECT = {
    "lineal.yml": "name: p\ndialect: spark\n",
    "nodes/s/s.yml": "kind: source\ntables: [{name: t, columns: [{name: a, description: the a}, {name: b}]}]\n",
    "nodes/m/m.yml": "kind: sql\ncolumns: [{name: a, description: the a}]\n",
    "nodes/m/m.sql": "select a, {{ missing() }} from t",
    "nodes/n/n.yml": "kind: sql\n",
    "nodes/n/n.sql": "select upper(b) as b from t",
}
DBT = {
    "dbt_project.yml": "name: shop\nversion: '1.0'\nprofile: duckdb\n",
    "models/s.yml": "sources: [{name: raw, tables: [{name: t, columns: [{name: id}, {name: name}]}]}]\n"
    "exposures: [{name: board, type: dashboard, owner: {name: x}, depends_on: [ref('m')]}]\n",
    "models/m.sql": "select id, name from {{ source('raw', 't') }}",
    "seeds/codes.csv": "code,label\n1,a\n",
}
LOG = {"log.jsonl": '{"sql": "create table made as select a from t"}\n{"sql": "select b from t"}\n'}


def put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def load(*arguments: str, store: str) -> str:
    result = CliRunner().invoke(
        main, ["store", "load", *arguments, "--store", store, "--namespace", "p"]
    )
    assert result.exit_code == 0, result.stderr
    return result.stdout


def files(store: Store) -> set[str]:
    with store.database.reading():
        return {name for (name,) in store.database.rows("SELECT name FROM files")}


@pytest.mark.parametrize(
    ("kind", "file"),
    [(LOOSE, "jobs/job.py"), (PROJECT, "nodes/m/m.sql"), (DBT, "models/m.sql"), (LOG, "log.jsonl")],
    ids=["folder", "project", "dbt", "log"],
)
def test_the_working_directory_does_not_matter(
    kind: dict[str, str], file: str, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "here" / "proj"
    put(folder, kind)
    (folder / "below").mkdir()
    name = "log.jsonl" if kind is LOG else ""
    ways = [
        (tmp_path / "here", f"proj/{name}"), (folder, name or "."), (folder / "below", f"../{name}"),
        (tmp_path, str(folder / name)), (tmp_path, f"./here/proj/{name}"), (tmp_path, f"here/../here/proj/{name}"),
    ]  # fmt: skip
    where = address if "://" in address else str(tmp_path / "s.db")
    told = []
    for working, path in ways:
        monkeypatch.chdir(working)
        told.append(load(path.rstrip("/") if name else path, store=where))
    assert "edges came, 0 went" in told[0]
    assert set(told[1:]) == {
        told[0].partition(":")[0] + f": nothing has changed, {told[0].split()[1]} edges hold\n"
    }
    with open_store(where) as store:
        assert file in files(store)
        assert not any(name.startswith(("/", ".", "here", "proj")) for name in files(store))


def test_several_paths_are_named_from_the_folder_that_all_are_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "a", {"x.sql": "CREATE VIEW one AS SELECT i FROM t"})
    put(tmp_path / "b" / "c", {"x.sql": "CREATE VIEW two AS SELECT i FROM one"})
    where = str(tmp_path / "s.db")
    monkeypatch.chdir(tmp_path)
    assert "2 edges came" in load("a", "b/c/x.sql", store=where)
    monkeypatch.chdir(tmp_path / "b")
    assert load("../a", "c/x.sql", store=where) == "p: nothing has changed, 2 edges hold\n"
    with open_store(where) as store:
        assert files(store) == {"a/x.sql", "b/c/x.sql"}


def test_a_manifest_is_named_from_its_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, {**DBT, "target/manifest.json": '{"metadata": {}, "nodes": {}}'})
    where = str(tmp_path / "s.db")
    monkeypatch.chdir(tmp_path)
    load(".", store=where)
    for path in ("target", "target/manifest.json", "dbt_project.yml"):
        assert "nothing has changed" in load(path, store=where)


def test_a_saved_lineage_keeps_the_names_of_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "proj", LOOSE)
    monkeypatch.chdir(tmp_path)
    saved = str(tmp_path / "proj" / "x.lineal.json")
    CliRunner().invoke(main, ["lineage", "proj", "--save", saved, "--fail-on", "never"])
    load(saved, store="s.db")
    monkeypatch.chdir(tmp_path / "proj")
    assert "nothing has changed" in load("x.lineal.json", store="../s.db")
    with open_store("../s.db") as store:
        assert "proj/sql/q.sql" in files(store)


# -- stores of version 1 ---------------------------------------------------------------------------


def lineage(folder: str) -> Extraction:
    texts = {
        "a.sql": "CREATE VIEW v AS SELECT x FROM t",
        "b.sql": "CREATE VIEW w AS SELECT upper(x) AS y FROM v",
    }
    return extract(
        Corpus("", [Script(text, "", f"{folder}{file}") for file, text in texts.items()])
    )


def aged(store: Store) -> None:
    """As if the version before had written it."""
    with store.database.writing():
        store.database.run("DELETE FROM versions WHERE version = 2")
        store.database.run("ALTER TABLE reads DROP COLUMN manner")


@pytest.mark.parametrize("source", ["proj", "proj/", "./proj", "../far/proj", "/abs/proj"])
def test_an_older_store_continues_under_the_new_names(address: str, source: str) -> None:
    folder = source.removeprefix("./").rstrip("/") + "/"
    with open_store(address, create=True) as store:
        store.load("p", lineage(folder), source=source)
        store.load("q", lineage("q/"), source="other")
        aged(store)
    with open_store(address) as store:
        change = store.load("p", lineage(""), source=".")
        assert (change.opened, change.closed, change.edges) == (0, 0, 2)
        assert files(store) == {"a.sql", "b.sql", "q/a.sql", "q/b.sql"}


def test_two_files_of_an_older_store_never_become_one(address: str) -> None:
    with open_store(address, create=True) as store:
        store.load("p", lineage(""), source=".", now="2026-01-01T00:00:00.000000Z")
        store.load("p", lineage("proj/"), source="proj", now="2026-01-02T00:00:00.000000Z")
        aged(store)
    with open_store(address, create=True) as store:
        assert files(store) == {"a.sql", "b.sql", "proj/a.sql", "proj/b.sql"}
        change = store.load("p", lineage(""), source=".")
        assert (change.opened, change.closed, change.edges) == (2, 2, 2)
        assert {edge.place.file for edge in store.extraction("p").edges if edge.place} == {
            "a.sql",
            "b.sql",
        }
        before = store.extraction("p", at="2026-01-02").edges
        assert {edge.place.file for edge in before if edge.place} == {"proj/a.sql", "proj/b.sql"}


def test_reading_an_older_store_does_not_change_it(
    address: str, store: Store, state: State
) -> None:
    store.load("p", lineage("proj/"), source="proj")
    aged(store)
    before = state()
    with open_store(address) as reader:
        assert len(reader.extraction("p").edges) == 2
        assert reader.namespaces() == ["p"]
    assert state() == before
