"""Plain SQL and schemas: a file, a folder, texts; JSON, YAML and mappings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lineal import projects
from lineal.model.diagnostic import Code, Place
from lineal.model.extraction import DatasetInfo
from lineal.model.script import Script
from lineal.projects import (
    ProjectError,
    corpus_of_text,
    load,
    read_schema,
    schema_of,
    unite_corpora,
)


def columns(info: DatasetInfo) -> list[tuple[str, str]]:
    return [(column.name, column.type) for column in info.columns]


def test_a_file_is_one_script(tmp_path: Path) -> None:
    for name in ("a.sql", "query.txt"):
        file = tmp_path / name
        file.write_bytes(b"\xef\xbb\xbfselect 1")
        corpus = load(file)
        assert corpus.scripts == [Script("select 1", "", str(file))]
        assert (corpus.dialect, corpus.diagnostics) == ("", [])


def test_a_folder_is_read_in_order_without_hidden_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("b.sql", "a/z.SQL", "a/a.sql", ".git/x.sql", ".x.sql", "notes.md", "a/.b/y.sql"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("select '{{ x }}'")
    monkeypatch.chdir(tmp_path)
    corpus = load(".", dialect="spark")
    assert [script.file for script in corpus.scripts] == ["b.sql", "a/a.sql", "a/z.SQL"]
    assert {(script.text, script.dialect, script.target) for script in corpus.scripts} == {
        ("select '{{ x }}'", "spark", None)
    }


def test_a_file_that_is_not_utf8_does_not_stop_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_bytes(b"select 1;\nselect '\xff'")
    (tmp_path / "b.sql").write_bytes("select 1".encode("utf-16"))
    (tmp_path / "c.sql").write_text("select 1")
    corpus = load(tmp_path)
    assert [(each.code, each.place) for each in corpus.diagnostics] == [
        (Code.NOT_UTF8, Place(str(tmp_path / "a.sql"), 2, 9)),
    ]
    assert [script.text for script in corpus.scripts] == [
        "select 1;\nselect 'ÿ'",
        "select 1",
        "select 1",
    ]


def test_a_link_to_nowhere_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "a.sql").symlink_to(tmp_path / "none")
    assert [each.code for each in load(tmp_path).diagnostics] == [Code.UNREADABLE]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "a.sql").touch(mode=0)
    (tmp_path / "b").mkdir(mode=0)
    assert {each.code for each in load(tmp_path).diagnostics} == {Code.UNREADABLE}


def test_an_empty_folder_is_reported(tmp_path: Path) -> None:
    corpus = load(tmp_path)
    assert [(each.code, each.severity.label) for each in corpus.diagnostics] == [
        (Code.NO_INPUT, "warning")
    ]


def test_a_missing_path_is_the_callers_mistake(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match=r"^no such file or folder: .*nowhere$"):
        load(tmp_path / "nowhere")


def test_texts() -> None:
    assert corpus_of_text("select 1").scripts == [Script("select 1", "")]
    assert corpus_of_text(["select 1", "select 2"], "spark").scripts == [
        Script("select 1", "spark"),
        Script("select 2", "spark"),
    ]
    assert corpus_of_text({"v": "select 1"}).scripts == [Script("select 1", "", "v", target="v")]
    assert [columns(info) for info in corpus_of_text("x", schema={"t": {"a": "int"}}).datasets] == [
        [("a", "int")]
    ]


def test_several_inputs_unite() -> None:
    one, two = (
        corpus_of_text("select 1", "spark", {"t": ["a"]}),
        corpus_of_text("select 2", schema={"T": {"a": "int"}}),
    )
    both = unite_corpora([one, two])
    assert (both.dialect, [script.text for script in both.scripts]) == (
        "spark",
        ["select 1", "select 2"],
    )
    assert [columns(info) for info in both.datasets] == [[("a", "int")]]
    assert unite_corpora([]).scripts == []


SCHEMAS = [
    ("s.yml", "t: {a: int, b: text}"),
    ("s.yml", "tables:\n  t:\n    a: int\n    b: text\n"),
    ("s.yml", "tables:\n  - name: t\n    columns: [{name: a, type: int}, {name: b, type: text}]\n"),
    ("s.yml", "t:\n  columns: [{name: a, type: int}, {name: b, data_type: text}]\n"),
    ("s.json", '{\n\t"t": {"a": "int",\t"b":"text"}\n}'),
    ("s.json", '{"tables": {"t": {"a": {"type": "int"}, "b": {"type": "text"}}}}'),
]


@pytest.mark.parametrize(("name", "text"), SCHEMAS)
def test_a_schema_can_be_written_in_many_ways(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    infos, diagnostics = read_schema(tmp_path / name)
    assert diagnostics == []
    assert [(info.dataset.name, info.kind, info.complete, columns(info)) for info in infos] == [
        ("t", "table", True, [("a", "int"), ("b", "text")])
    ]


def test_a_schema_file_has_places_and_descriptions(tmp_path: Path) -> None:
    file = tmp_path / "s.yml"
    file.write_text(
        "t:\n  a: {type: int, description: Key, classification: [PII]}\n  date: date\nu: [x]\nv:\n"
    )
    (t, u, v), _ = read_schema(file)
    assert t.columns[0][:5] == ("a", "int", "Key", ("pii",), Place(str(file), 2, 6))
    assert columns(t)[1] == ("date", "date")
    assert (columns(u), u.complete) == ([("x", "")], True)
    assert (columns(v), v.complete) == ([], False)


def test_a_table_may_be_called_tables() -> None:
    (info,) = schema_of({"tables": {"id": "int"}})
    assert (info.dataset.name, columns(info)) == ("tables", [("id", "int")])


def test_a_mapping_may_name_columns_only() -> None:
    (info,) = schema_of({"s3://bucket/t": ["a", "b"]})
    assert (info.dataset.name, columns(info), info.columns[0].place) == (
        "s3://bucket/t",
        [("a", ""), ("b", "")],
        None,
    )


def test_a_mapping_of_the_wrong_shape_is_the_callers_mistake() -> None:
    with pytest.raises(ProjectError, match=r"^schema: t: expected a list of columns, found '5'$"):
        schema_of({"t": 5})


@pytest.mark.parametrize("name", ["none.yml", "."])
def test_a_missing_schema_file_is_the_callers_mistake(tmp_path: Path, name: str) -> None:
    with pytest.raises(ProjectError, match=r"^there is no schema file "):
        corpus_of_text("select 1", schema=tmp_path / name)


@pytest.mark.parametrize(
    ("name", "data", "code", "line"),
    [
        ("s.yml", b"t: [a\n", Code.YAML_ERROR, 2),
        ("s.json", b'{"t":\n {"a" "int"}}', Code.YAML_ERROR, 2),
        ("s.json", b'{"t": {"a": "int",\n "a": "text"}}', Code.DUPLICATE_KEY, 2),
        ("s.yml", b"- a\n- 5\n- [x]\n", Code.YAML_TYPE, 3),
        ("s.yml", b"x\n", Code.YAML_TYPE, 1),
        ("s.yml", b"t:\n  a: [int]\n", Code.YAML_TYPE, 2),
        ("s.yml", b"t: 5\nu: {a: int}\n", Code.YAML_TYPE, 1),
        ("s.yml", b"t:\n  caf\xe9: int\n", Code.NOT_UTF8, 2),
    ],
)
def test_a_bad_schema_file_is_reported(
    tmp_path: Path, name: str, data: bytes, code: Code, line: int
) -> None:
    (tmp_path / name).write_bytes(data)
    corpus = corpus_of_text("select 1", schema=tmp_path / name)
    assert [(each.code, each.place and each.place.line) for each in corpus.diagnostics] == [
        (code, line)
    ]
    assert len(corpus.scripts) == 1


def test_the_import_brings_in_neither_jinja_nor_yaml() -> None:
    source = Path(projects.__file__).parents[2]
    script = f"import sys\nsys.path.insert(0, {str(source)!r})\nimport lineal.projects\n"
    script += "print({'jinja2', 'yaml'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], text=True, capture_output=True)
    assert (done.stdout, done.stderr) == ("set()\n", "")
