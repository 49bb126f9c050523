"""Project folders: lineal.yml or featherflow.yml, nodes, seeds, sources, functions, macros, hooks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from lineal.model.diagnostic import Code, Diagnostic, Place, Severity
from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.script import Corpus, Script
from lineal.projects import load


def project(
    root: Path, files: Mapping[str, str | bytes], head: str = "name: p\ndialect: spark\n"
) -> Path:
    """A project on disk; "orders.sql" stands for nodes/orders/orders.sql."""
    for name, content in {"lineal.yml": head, **files}.items():
        path = (
            root / name
            if "/" in name or name in ("lineal.yml", "featherflow.yml")
            else root / _node_path(name)
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def _node_path(name: str) -> str:
    return f"nodes/{name.rpartition('.')[0]}/{name}"


def infos(corpus: Corpus) -> dict[str, DatasetInfo]:
    return {info.dataset.name: info for info in corpus.datasets}


def names(info: DatasetInfo) -> list[str]:
    return [column.name for column in info.columns]


def told(corpus: Corpus, root: Path) -> list[tuple[Code, str, int]]:
    """Each diagnostic: its code, its file below the project, its line."""
    places = [(each.code, each.place or Place("", 0, 0)) for each in corpus.diagnostics]
    return [(code, str(Path(place.file).relative_to(root)), place.line) for code, place in places]


def quiet(corpus: Corpus) -> Corpus:
    assert corpus.diagnostics == []
    return corpus


ORDERS = {"orders.sql": "select id from raw", "orders.yml": "kind: sql\n"}


def test_a_sql_node_is_a_script_and_a_dataset(tmp_path: Path) -> None:
    yml = (
        "kind: sql\ndescription: Orders\nowner: me\ncolumns:\n"
        "  - name: id\n    type: INTEGER\n    description: Key\n    classification: PII\n    tests: [unique]\n"
        "  - name: total\n    data_type: DECIMAL(10,2)\n    classification: [Internal, PII]\n"
    )
    corpus = quiet(
        load(project(tmp_path, {"orders.sql": "select {{ var('x', 1) }}\n", "orders.yml": yml}))
    )
    folder = tmp_path / "nodes/orders"
    assert corpus.dialect == "spark"
    assert corpus.scripts == [
        Script("select 1\n", "spark", str(folder / "orders.sql"), 1, target="orders", kind="sql"),
    ]
    info = infos(corpus)["orders"]
    assert (info.dataset, info.kind, info.complete, info.description) == (
        Dataset("", "orders"),
        "sql",
        False,
        "Orders",
    )
    file = str(folder / "orders.yml")
    assert info.columns == [
        ColumnInfo("id", "INTEGER", "Key", ("pii",), Place(file, 5, 5)),
        ColumnInfo("total", "DECIMAL(10,2)", "", ("internal", "pii"), Place(file, 10, 5)),
    ]


def test_paths_are_shown_as_they_were_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project(tmp_path / "shop", ORDERS)
    monkeypatch.chdir(tmp_path)
    for given in ("shop", "shop/", "./shop", "shop/lineal.yml"):
        assert [script.file for script in load(given).scripts] == ["shop/nodes/orders/orders.sql"]
    monkeypatch.chdir(tmp_path / "shop")
    assert [script.file for script in load(".").scripts] == ["nodes/orders/orders.sql"]


def test_the_project_file_names_folders_vars_and_namespace(tmp_path: Path) -> None:
    head = (
        "nodes: [a, b/c]\nmacros: m\nnamespace: shop\nvars: {day: 2024-01-01, on: true, n: 1.5}\n"
    )
    files: dict[str, str | bytes] = {
        "a/x/x.sql": "select {{ one('c') }}",
        "a/x/x.yml": "kind: model\n",
        "b/c/d/y/y.sql": "select '{{ var('day') }}', {{ var('n') }}, {{ var('on') }}",
        "b/c/d/y/y.yml": "kind: sql\n",
        "m/deep/one.sql": "{% macro one(c) %}{{ c }} + 1{% endmacro %}",
        "nodes/z/z.sql": "select 1",
    }
    corpus = load(project(tmp_path, files, head))
    assert [found.code for found in corpus.diagnostics] == [Code.OUTSIDE_PATHS]
    assert "nodes/z/z.sql" in corpus.diagnostics[0].message
    assert [script.text for script in corpus.scripts] == [
        "select c + 1",
        "select '2024-01-01', 1.5, True",
    ]
    assert (corpus.dialect, corpus.namespace) == ("", "shop")
    assert [info.dataset for info in corpus.datasets] == [
        Dataset("shop", "x"),
        Dataset("shop", "y"),
    ]


def test_featherflow_projects_are_read_unchanged(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "featherflow.yml": "name: p\nversion: 1.0.0\nmaterialization: view\n"
        "node_paths: [nodes]\nmacro_paths: [macros]\n"
        "database: {default: {type: duckdb, path: ':memory:'}}\nvars:\n  tier: gold\n",
        "macros/m.sql": "{% macro cents(c) %}({{ c }} / 100.0){% endmacro %}",
        "a.sql": "select {{ cents('x') }} as x, {{ hash('y') }} as y, {{ coalesce_columns(['p', 'q']) }} as z,\n"
        "  {{ surrogate_key(['p', 'q']) }} as k\nfrom raw",
        "a.yml": "version: 1\nkind: sql\n",
        "src.yml": "kind: sources\nschema: main\ntables:\n  - name: raw\n"
        "    columns:\n      - {name: x, type: INTEGER}\n",
    }
    root = project(tmp_path, files)
    (root / "lineal.yml").unlink()
    corpus = quiet(load(root))
    assert corpus.dialect == "duckdb"
    assert corpus.scripts[0].text == (
        "select (x / 100.0) as x, md5(cast(y as varchar)) as y, coalesce(p, q) as z,\n"
        "  md5(coalesce(cast(p as varchar), '') || '|' || coalesce(cast(q as varchar), '')) as k\nfrom raw"
    )
    assert infos(corpus)["raw"].kind == "source"


def test_the_callers_dialect_wins(tmp_path: Path) -> None:
    corpus = load(project(tmp_path, ORDERS), dialect="duckdb")
    assert (corpus.dialect, corpus.scripts[0].dialect) == ("duckdb", "duckdb")


def test_both_ways_are_scripts_of_one_target(tmp_path: Path) -> None:
    sql = "select id from raw\n{% if is_incremental() %}\nwhere at > (select max(at) from {{ this }})\n{% endif %}\n"
    corpus = quiet(load(project(tmp_path, {"orders.sql": sql, "orders.yml": "kind: sql\n"})))
    assert [script.target for script in corpus.scripts] == ["orders", "orders"]
    assert corpus.scripts[1].text.split("\n")[2] == "where at > (select max(at) from orders)"


def test_hooks_are_statements_of_their_own(tmp_path: Path) -> None:
    yml = (
        "kind: sql\npre_hook: delete from {{ this }}\n"
        "post_hook:\n  - insert into log select 1\n  - |\n    analyze\n    t\n"
        "config:\n  post_hook: {sql: vacuum}\n"
    )
    corpus = quiet(load(project(tmp_path, {"orders.sql": "select 1", "orders.yml": yml})))
    file = str(tmp_path / "nodes/orders/orders.yml")
    assert [(each.text.strip(), each.line, each.target) for each in corpus.scripts] == [
        ("delete from orders", 2, None),
        ("select 1", 1, "orders"),
        ("insert into log select 1", 4, None),
        ("analyze\nt", 6, None),
        ("vacuum", 9, None),
    ]
    assert {each.file for each in corpus.scripts if each.target is None} == {file}


def test_a_hook_that_does_not_render_has_its_line(tmp_path: Path) -> None:
    yml = "kind: sql\npost_hook:\n  - |\n    a\n    {{ nope }}\n"
    corpus = load(project(tmp_path, {"orders.sql": "select 1", "orders.yml": yml}))
    assert told(corpus, tmp_path) == [(Code.TEMPLATE_ERROR, "nodes/orders/orders.yml", 5)]
    assert [script.target for script in corpus.scripts] == ["orders"]


def test_a_seed_has_the_columns_of_its_yaml(tmp_path: Path) -> None:
    files = {
        "raw.csv": "id,name\n1,a\n",
        "raw.yml": "kind: seed\ncolumns: [{name: id, type: int}, {name: name}]\n",
    }
    info = infos(quiet(load(project(tmp_path, dict(files)))))["raw"]
    assert (info.kind, info.complete, names(info)) == ("seed", True, ["id", "name"])


def test_a_seed_and_its_source_entry_are_one_dataset(tmp_path: Path) -> None:
    source = (
        "kind: source\ntables:\n  - name: RAW\n    description: Rows\n    columns:\n"
        "      - {name: id, type: int, description: Key, classification: pii}\n      - {name: name, type: text}\n"
        "  - name: other\n    columns: [a, b]\n  - name: bare\n  - plain\n"
    )
    bare = {"raw.csv": "id,name\n1,a\n", "raw.yml": "kind: seed\n", "src.yml": source}
    found = infos(quiet(load(project(tmp_path / "1", dict(bare)))))
    assert list(found) == ["raw", "other", "bare", "plain"]
    assert (found["raw"].kind, found["raw"].complete, found["raw"].description) == (
        "seed",
        True,
        "Rows",
    )
    assert [column[:4] for column in found["raw"].columns] == [
        ("id", "int", "Key", ("pii",)),
        ("name", "text", "", ()),
    ]
    assert [(info.kind, info.complete) for info in list(found.values())[1:]] == [
        ("source", n) for n in (True, False, False)
    ]

    own = {
        **bare,
        "raw.yml": "kind: seed\ndescription: Mine\ncolumns: [{name: id, description: Mine}, {name: name}]\n",
    }
    raw = infos(quiet(load(project(tmp_path / "2", dict(own)))))["raw"]
    assert raw.description == "Mine"
    assert [column[:3] for column in raw.columns] == [("id", "int", "Mine"), ("name", "text", "")]


def test_a_source_entry_comes_before_the_header(tmp_path: Path) -> None:
    source = "kind: source\ntables: [{name: raw, columns: [id]}]\n"
    files = {"raw.csv": "id,extra\n", "raw.yml": "kind: seed\n", "src.yml": source}
    raw = infos(quiet(load(project(tmp_path, dict(files)))))["raw"]
    assert names(raw) == ["id"]
    assert not raw.complete  # the file has a column more, which may well be selected


def test_a_seed_without_anything_else_has_its_header(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "raw.csv": b'\xef\xbb\xbf"id"; na\xc3\xafve ;x\r\n1;2;3\r\n',
        "raw.yml": "kind: seed\ndelimiter: ;\n",
    }
    raw = infos(quiet(load(project(tmp_path, files))))["raw"]
    assert (raw.complete, names(raw), {column.type for column in raw.columns}) == (
        True,
        ["id", "naïve", "x"],
        {""},
    )


@pytest.mark.parametrize(
    ("csv", "code"),
    [
        (b"", Code.SEED_ERROR),
        (b"a,a\n", Code.SEED_ERROR),
        (b"a,,b\n", Code.SEED_ERROR),
        (b'"a,b\n', Code.SEED_ERROR),
        (b"a,b\xe9\n", Code.NOT_UTF8),
        (None, Code.SEED_ERROR),
    ],
)
def test_a_bad_seed_is_reported(tmp_path: Path, csv: bytes | None, code: Code) -> None:
    files: dict[str, str | bytes] = {"raw.yml": "kind: seed\n", **ORDERS}
    corpus = load(project(tmp_path, files if csv is None else {**files, "raw.csv": csv}))
    assert [each.code for each in corpus.diagnostics] == [code]
    assert [script.target for script in corpus.scripts] == ["orders"]
    assert infos(corpus)["raw"].kind == "seed"


def test_a_scalar_function(tmp_path: Path) -> None:
    for n, arguments in enumerate(
        (
            "args: [{name: a, data_type: INT}, {name: b}]",
            "arguments: [a, b]",
            "args: {a: INT, b: INT}",
        )
    ):
        yml = f"kind: function\nfunction_type: scalar\n{arguments}\nreturns: {{type: INT}}\n"
        corpus = quiet(
            load(project(tmp_path / str(n), {"div.sql": "a / {{ 'b' }}", "div.yml": yml}))
        )
        (function,) = corpus.functions
        assert (function.name, function.table, function.parameters, function.columns) == (
            "div",
            False,
            ("a", "b"),
            (),
        )
        assert (function.body.text, function.body.dialect) == ("a / b", "spark")
        assert function.body.file.endswith("nodes/div/div.sql")
        assert (corpus.datasets, corpus.scripts) == ([], [])


def test_a_table_function(tmp_path: Path) -> None:
    yml = "kind: functions\nname: volumes\nfunction_type: table\narguments: [{name: n}]\n"
    yml += "returns:\n  columns:\n    - {name: status, type: text}\n"
    corpus = quiet(load(project(tmp_path, {"f.sql": "select status from orders", "f.yml": yml})))
    (function,) = corpus.functions
    assert (function.name, function.table, [column[:2] for column in function.columns]) == (
        "volumes",
        True,
        [("status", "text")],
    )
    info = infos(corpus)["volumes"]
    assert (info.kind, info.complete, names(info)) == ("function", True, ["status"])


def test_a_missing_kind_is_inferred(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.sql": "select 1",
        "a.yml": "version: 1\n",
        "b.csv": "x\n",
        "b.yml": "",
        "c.yml": "tables: [{name: t}]\n",
        "d.sql": "x + 1",
        "d.yml": "function_type: scalar\nargs: [x]\n",
    }
    corpus = quiet(load(project(tmp_path, files)))
    assert {name: info.kind for name, info in infos(corpus).items()} == {
        "a": "sql",
        "b": "seed",
        "t": "source",
    }
    assert [function.name for function in corpus.functions] == ["d"]


def test_an_unknown_kind_is_reported_and_inferred(tmp_path: Path) -> None:
    corpus = load(project(tmp_path, {"a.sql": "select 1", "a.yml": "version: 1\nkind: table\n"}))
    assert [str(each).partition(": ")[2] for each in corpus.diagnostics] == [
        "error[yaml-type]: kind: expected sql, python, seed, source or function, found 'table'"
    ]
    assert [script.target for script in corpus.scripts] == ["a"]


def test_a_python_node_is_known_by_its_yaml(tmp_path: Path) -> None:
    corpus = load(
        project(tmp_path, {"a.yml": "kind: python\ncolumns: [{name: x}]\n", "nodes/a/a.py": "pass"})
    )
    assert told(corpus, tmp_path) == [(Code.NOT_TRACED, "nodes/a/a.yml", 1)]
    assert corpus.diagnostics[0].severity is Severity.INFO
    assert names(infos(corpus)["a"]) == ["x"]


def test_sql_that_lies_loose_is_read_too(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "nodes/staging/a.sql": "select 1",
        "nodes/staging/a.yml": "kind: sql\n",
        "nodes/staging/schema.yml": "models: []\n",
        "nodes/staging/data.csv": "x\n",
        "nodes/staging/raw.yml": "kind: source\ntables: [t]\n",
        "nodes/.hidden/b.sql": "select 1",
    }
    corpus = quiet(load(project(tmp_path, files)))
    assert list(infos(corpus)) == ["a", "t"]


def test_missing_yaml_is_a_warning_and_missing_sql_an_error(tmp_path: Path) -> None:
    corpus = load(
        project(
            tmp_path, {"a.sql": "select 1", "b.yml": "kind: sql\n", "c.yml": "kind: function\n"}
        )
    )
    assert told(corpus, tmp_path) == [
        (Code.MISSING_YAML, "nodes/a/a.sql", 1),
        (Code.MISSING_SQL, "nodes/b/b.yml", 1),
        (Code.MISSING_SQL, "nodes/c/c.yml", 1),
    ]
    assert corpus.diagnostics[0].severity is Severity.WARNING
    assert corpus.diagnostics[0].advice == "Write a.yml beside a.sql."
    assert [script.target for script in corpus.scripts] == ["a"]


BAD_FILES: list[tuple[dict[str, str | bytes], Code, str, int]] = [
    ({"a.sql": b"select '\xe9'", "a.yml": "kind: sql\n"}, Code.NOT_UTF8, "nodes/a/a.sql", 1),
    ({"a.yml": b"kind: source\nx: \xe9\n"}, Code.NOT_UTF8, "nodes/a/a.yml", 2),
    ({"a.yml": "kind: source\nx: [\n"}, Code.YAML_ERROR, "nodes/a/a.yml", 3),
    ({"a.yml": "kind: source\nkind: seed\n"}, Code.DUPLICATE_KEY, "nodes/a/a.yml", 2),
    ({"a.yml": "- kind\n"}, Code.YAML_TYPE, "nodes/a/a.yml", 1),
    ({"a.yml": "kind: source\ntables:\n  - {columns: [x]}\n"}, Code.YAML_TYPE, "nodes/a/a.yml", 3),
    (
        {"a.yml": "kind: source\ntables:\n  - name: t\n    columns: 5\n"},
        Code.YAML_TYPE,
        "nodes/a/a.yml",
        4,
    ),
    (
        {"a.yml": "kind: source\ntables:\n  - name: t\n    columns:\n      - name: [x]\n"},
        Code.YAML_TYPE,
        "nodes/a/a.yml",
        5,
    ),
    (
        {"a.yml": "kind: source\ntables:\n  - name: t\n    columns: [x, X]\n"},
        Code.DUPLICATE_KEY,
        "nodes/a/a.yml",
        4,
    ),
    ({"a.sql": "x", "a.yml": "kind: function\nargs: 5\n"}, Code.YAML_TYPE, "nodes/a/a.yml", 2),
    (
        {"a.sql": "x", "a.yml": "kind: sql\ndescription: {a: 1}\n"},
        Code.YAML_TYPE,
        "nodes/a/a.yml",
        2,
    ),
    ({"a.csv": "x\n", "a.yml": "kind: seed\ndelimiter: ab\n"}, Code.YAML_TYPE, "nodes/a/a.yml", 2),
    ({"a.sql": "x\n{{ nope }}", "a.yml": "kind: sql\n"}, Code.TEMPLATE_ERROR, "nodes/a/a.sql", 2),
    (
        {"a.sql": "x\n{{ 'x' * 10**10 }}", "a.yml": "kind: sql\n"},
        Code.TEMPLATE_LIMIT,
        "nodes/a/a.sql",
        2,
    ),
    (
        {"a.sql": "{{ 1 }}", "a.yml": "kind: sql\n", "macros/m.sql": "\n{% oops %}"},
        Code.TEMPLATE_ERROR,
        "macros/m.sql",
        2,
    ),
    ({"macros/m.sql": b"\xe9"}, Code.NOT_UTF8, "macros/m.sql", 1),
    ({"lineal.yml": "vars: 5\n"}, Code.YAML_TYPE, "lineal.yml", 1),
    ({"lineal.yml": "name: x\nmacros: none\n"}, Code.UNREADABLE, "lineal.yml", 2),
    ({"lineal.yml": "name: [\n"}, Code.YAML_ERROR, "lineal.yml", 2),
    ({"lineal.yml": "- x\n"}, Code.YAML_TYPE, "lineal.yml", 1),
    ({"lineal.yml": "name: x\nname: y\n"}, Code.DUPLICATE_KEY, "lineal.yml", 2),
]


@pytest.mark.parametrize(("files", "code", "file", "line"), BAD_FILES)
def test_bad_input_is_one_diagnostic_and_the_rest_is_read(
    tmp_path: Path, files: dict[str, str | bytes], code: Code, file: str, line: int
) -> None:
    corpus = load(project(tmp_path, {**ORDERS, **files}))
    assert told(corpus, tmp_path) == [(code, file, line)]
    assert "orders" in [script.target for script in corpus.scripts]


def test_a_node_whose_yaml_is_broken_keeps_its_sql(tmp_path: Path) -> None:
    corpus = load(project(tmp_path, {"a.sql": "select 1", "a.yml": "kind: [\n"}))
    assert told(corpus, tmp_path) == [(Code.YAML_ERROR, "nodes/a/a.yml", 2)]
    assert [script.target for script in corpus.scripts] == ["a"]


def test_an_empty_project_is_reported(tmp_path: Path) -> None:
    assert told(load(project(tmp_path, {})), tmp_path) == [(Code.NO_INPUT, "lineal.yml", 1)]


def test_a_schema_adds_to_the_project(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"src.yml": "kind: source\ntables: [{name: raw}]\n", **ORDERS}
    schema = {"raw": {"id": "int"}, "orders": {"id": "int"}, "extra": ["x"]}
    found = infos(quiet(load(project(tmp_path, files), schema=schema)))
    assert [(name, info.kind, info.complete, names(info)) for name, info in found.items()] == [
        ("orders", "sql", False, ["id"]),
        ("raw", "source", True, ["id"]),
        ("extra", "table", True, ["x"]),
    ]


def test_a_node_that_two_folders_reach_is_read_once(tmp_path: Path) -> None:
    corpus = quiet(load(project(tmp_path, dict(ORDERS), "nodes: [nodes, nodes/orders]\n")))
    assert len(corpus.scripts) == 1


def test_messages_are_one_line(tmp_path: Path) -> None:
    for n, (files, *_) in enumerate(BAD_FILES):
        found: list[Diagnostic] = load(project(tmp_path / str(n), {**ORDERS, **files})).diagnostics
        assert not any("\n" in str(each) for each in found)
