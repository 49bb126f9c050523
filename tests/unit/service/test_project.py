"""A project that is kept up to date: after any edits its answers are those of a cold run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from lineal.api import Lineage
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus
from lineal.projects.git import Repository
from lineal.projects.relative import relative
from lineal.service import kept_corpus
from lineal.service.corpus_codec import decode, encode
from lineal.service.files import look_at
from lineal.service.inputs import corpus_of
from lineal.service.project import Project, extract_text, no_input
from lineal.service.revisions import KeptRevision
from lineal.service.source import Source
from lineal.store.cache import Cache

MODELS = {
    "stg_orders": "select id, amount, status from {{ source('raw', 'orders') }}\n",
    "stg_customers": "select id, name, email from {{ source('raw', 'customers') }}\n",
    "orders": "select o.id, o.amount, c.name\nfrom {{ ref('stg_orders') }} o\n"
    "join {{ ref('stg_customers') }} c on c.id = o.id\n",
    "totals": "select name, sum(amount) as total from {{ ref('orders') }} group by name\n",
    "copies": "{{ config(materialized='table') }}\nselect * from {{ ref('totals') }}\n",
    "loops": "select id, {% for x in ['a', 'b'] %}amount as {{ x }}, {% endfor %} status\n"
    "from {{ ref('stg_orders') }}\n",
}


def write_project(folder: Path) -> Path:
    files = {
        "dbt_project.yml": "name: shop\nprofile: shop\nmodels: {shop: {+materialized: view}}\n",
        "profiles.yml": "shop: {target: dev, outputs: {dev: {type: duckdb, schema: main}}}\n",
        "models/sources.yml": "sources:\n  - name: raw\n    tables:\n      - name: orders\n"
        "        columns:\n          - {name: id, data_type: int}\n      - name: customers\n",
        "models/models.yml": "models:\n  - name: totals\n    description: Sums.\n    columns:\n"
        "      - {name: total, description: The sum., data_type: decimal, tests: [not_null]}\n"
        "exposures:\n  - name: board\n    type: dashboard\n    depends_on: [ref('totals')]\n",
        **{f"models/{name}.sql": text for name, text in MODELS.items()},
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def everything(found: Extraction) -> tuple[object, ...]:
    """All that can be asked of a result, in its order."""
    usages = [
        (edge.source, edge.target, [(u.way, u.place, u.expression, u.calls) for u in edge.usages])
        for edge in found.edges
    ]
    statements = [(each.target, each.words, each.meaning) for each in found.statements]
    return (
        usages,
        found.reads,
        list(found.datasets.items()),
        found.diagnostics,
        found.coverage.to_json(),
        statements,
        Lineage(found).to("json"),
    )


def source_of(folder: Path) -> Source:
    return Source((str(folder),))


def cold(folder: Path) -> tuple[object, ...]:
    return everything(Project(source_of(folder)).extraction())


EDITS: dict[str, Callable[[Path, Random], None]] = {}


def edit(work: Callable[[Path, Random], None]) -> Callable[[Path, Random], None]:
    EDITS[work.__name__] = work
    return work


@edit
def another_expression(folder: Path, random: Random) -> None:
    file = folder / "models" / "stg_orders.sql"
    file.write_text(
        f"select id, amount + {random.randrange(99)} as amount, status from "
        "{{ source('raw', 'orders') }}\n"
    )


@edit
def another_column(folder: Path, random: Random) -> None:
    columns = random.sample(["id", "amount", "status", "Id as ID2", "day"], 3)
    text = f"select {', '.join(columns)} from {{{{ source('raw', 'orders') }}}}\n"
    (folder / "models" / "stg_orders.sql").write_text(text)


@edit
def another_reference(folder: Path, random: Random) -> None:
    name = random.choice(["totals", "orders", "stg_customers", "nobody"])
    text = f"{{{{ config(materialized='table') }}}}\nselect * from {{{{ ref('{name}') }}}}\n"
    (folder / "models" / "copies.sql").write_text(text)


@edit
def another_location(folder: Path, random: Random) -> None:
    text = f"{{{{ config(schema='s{random.randrange(3)}') }}}}\n{MODELS['totals']}"
    (folder / "models" / "totals.sql").write_text(text)


@edit
def a_template(folder: Path, random: Random) -> None:
    text = MODELS["loops"].replace("'b'", f"'b{random.randrange(9)}'")
    (folder / "models" / "loops.sql").write_text(text)


@edit
def jinja_in_a_plain_model(folder: Path, random: Random) -> None:
    text = MODELS["stg_customers"].replace("email", "{% if true %}email{% endif %}")
    (folder / "models" / "stg_customers.sql").write_text(text)


@edit
def a_mistake(folder: Path, random: Random) -> None:
    (folder / "models" / "orders.sql").write_text("select from {{ ref('stg_orders') }} where\n")


@edit
def nothing_but_spaces(folder: Path, random: Random) -> None:
    (folder / "models" / "orders.sql").write_text("  \n")


@edit
def another_description(folder: Path, random: Random) -> None:
    file = folder / "models" / "models.yml"
    file.write_text(file.read_text().replace("Sums", f"Sums {random.randrange(99)}"))


@edit
def a_new_model(folder: Path, random: Random) -> None:
    text = "select total from {{ ref('totals') }}\n"
    (folder / "models" / f"new_{random.randrange(3)}.sql").write_text(text)


@edit
def one_model_less(folder: Path, random: Random) -> None:
    (folder / "models" / "copies.sql").unlink(missing_ok=True)


@edit
def all_as_it_was(folder: Path, random: Random) -> None:
    write_project(folder)


@edit
def nothing_at_all(folder: Path, random: Random) -> None:
    pass


@pytest.mark.parametrize("seed", range(2))
def test_any_edits_give_what_a_cold_run_gives(tmp_path: Path, seed: int) -> None:
    folder, cache, random = (
        write_project(tmp_path / "shop"),
        Cache(tmp_path / "cache"),
        Random(seed),
    )
    followed = Project(source_of(folder), cache)
    assert everything(followed.extraction()) == cold(folder)
    for name in random.sample(sorted(EDITS), len(EDITS)):
        EDITS[name](folder, random)
        fresh = cold(folder)
        later = Project(source_of(folder), cache)
        assert everything(later.extraction()) == fresh, f"another process, after {name}"
        followed.update()
        assert everything(followed.extraction()) == fresh, f"the same process, after {name}"


def test_a_plain_edit_reads_one_file_and_parses_one_statement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, cache = write_project(tmp_path / "shop"), Cache(tmp_path / "cache")
    Project(source_of(folder), cache).extraction()
    another_expression(folder, Random(1))
    fresh = cold(folder)
    parsed: list[str] = []
    import lineal.resolve.scripts as scripts

    parse = scripts.parse
    monkeypatch.setattr(
        scripts, "parse", lambda reading: parsed.append(reading.script.target) or parse(reading)
    )
    monkeypatch.setattr("lineal.service.project.corpus_of", None)
    found = Project(source_of(folder), cache).extraction()
    assert parsed == ["stg_orders"]
    monkeypatch.undo()
    assert everything(found) == fresh


def test_types_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, cache = write_project(tmp_path / "shop"), Cache(tmp_path / "cache")
    source = source_of(folder)
    made = extract_text(source, corpus_of(source, no_input), cache, Project(source).watching)
    types = [
        (info.dataset, column.name, column.type)
        for info in made.extraction.datasets.values()
        for column in (*info.columns, *(info.produced or ()))
    ]
    made.save()
    monkeypatch.setattr("lineal.resolve.scripts.parse", None)
    again = extract_text(source, corpus_of(source, no_input), cache, Project(source).watching)
    assert types == [
        (info.dataset, column.name, column.type)
        for info in again.extraction.datasets.values()
        for column in (*info.columns, *(info.produced or ()))
    ]


def test_a_corpus_is_the_same_after_it_was_kept(tmp_path: Path) -> None:
    source = source_of(write_project(tmp_path / "shop"))
    corpus = corpus_of(source, no_input)
    data = encode(corpus)
    assert data is not None
    again = decode(data)
    assert again is not None
    given, corpus.given = corpus.given, []
    more, again.given = again.given, []
    assert again == corpus
    assert [everything(each) for each in more] == [everything(each) for each in given]
    assert decode(b"") is None and decode(data[:-9]) is None


def test_a_file_that_was_just_written_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "a.sql"
    file.write_text("select 1")
    first = look_at([str(file)])
    changed = file.stat()
    file.write_text("select 2")
    os.utime(file, ns=(changed.st_atime_ns, changed.st_mtime_ns))
    second = look_at([str(file)], first)
    assert second.changed_since(first.digests) == [str(file)]
    assert second.stamp != first.stamp


def test_files_that_are_left_alone_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.sql"
    file.write_text("select 1")
    first = look_at([str(file)])._replace(taken=file.stat().st_ctime_ns + 10**10)
    monkeypatch.setattr("lineal.service.files.content_of", None)
    assert look_at([str(file)], first).digests == first.digests


# -- revisions -------------------------------------------------------------------------------------


def commit(folder: Path) -> None:
    author = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    for call in (("init", "-q"), ("add", "-A"), (*author, "commit", "-qm", "first")):
        subprocess.run(["git", *call], cwd=folder, check=True)


def read_work_tree(repository: Repository, source: Source) -> Corpus:
    with repository.work_tree() as snapshot:
        corpus = corpus_of(source._replace(paths=(str(snapshot.folder),)), no_input)
        return relative(corpus, snapshot.top)


def test_the_work_tree_of_a_diff_is_read_again_in_part(tmp_path: Path) -> None:
    folder, cache = write_project(tmp_path / "shop"), Cache(tmp_path / "cache")
    commit(folder)
    source, repository = source_of(folder), Repository.around(folder)
    base = KeptRevision(repository, repository.commit("HEAD"), source, cache)
    head = KeptRevision(repository, None, source, cache)
    assert base.recall() is None and head.recall() is None
    head.keep(read_work_tree(repository, source))
    assert head.recall() is not None
    another_expression(folder, Random(3))
    edited = KeptRevision(repository, None, source, cache)
    assert edited.stamp != head.stamp
    found = edited.recall()
    assert found is not None
    fresh = read_work_tree(repository, source)
    assert [script.text for script in found.scripts] == [script.text for script in fresh.scripts]
    assert [script.file for script in found.scripts] == [script.file for script in fresh.scripts]
    a_new_model(folder, Random(3))
    assert KeptRevision(repository, None, source, cache).recall() is None


def test_a_commit_is_read_once(tmp_path: Path) -> None:
    folder, cache = write_project(tmp_path / "shop"), Cache(tmp_path / "cache")
    commit(folder)
    source, repository = source_of(folder), Repository.around(folder)
    name = repository.commit("HEAD")
    kept = KeptRevision(repository, name, source, cache)
    with repository.revision(name) as snapshot:
        corpus = corpus_of(source._replace(paths=(str(snapshot.folder),)), no_input)
        kept.keep(relative(corpus, snapshot.top))
    another_expression(folder, Random(3))
    again = KeptRevision(repository, name, source, cache).recall()
    assert again is not None
    assert any("amount" in script.text for script in again.scripts)
    assert kept_corpus.can_follow(source)
