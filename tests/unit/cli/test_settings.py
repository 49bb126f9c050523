"""`functions:` of a project file: every entry has an effect, or says that it has none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from lineal.cli import main


def answer(folder: Path) -> Any:
    result = CliRunner().invoke(main, ["lineage", str(folder), "--output", "json"])
    return json.loads(result.stdout)


def usages(found: Any) -> dict[str, list[tuple[str, bool]]]:
    """The usage of each source column, and whether it is masked."""
    return {
        edge["source"]["column"]: sorted((use["subtype"], use["masking"]) for use in edge["usages"])
        for edge in found["edges"]
    }


def told(found: Any) -> list[tuple[str, int | None]]:
    places = [(each["code"], each["place"]) for each in found["diagnostics"]]
    return [(code, place["line"] if place else None) for code, place in places]


def folder(root: Path, settings: str, sql: str) -> Path:
    (root / "lineal.yml").write_text(settings, encoding="utf-8")
    (root / "v.sql").write_text(sql, encoding="utf-8")
    return root


SQL = "SELECT {} AS x FROM t"
MASKED, SUMMED = [("TRANSFORMATION", True)], [("AGGREGATION", False)]


@pytest.mark.parametrize(
    ("dialect", "listed", "call"),
    [
        ("spark", "tokenize_pii", "tokenize_pii(a)"),
        ("spark", "Tokenize_PII", "TOKENIZE_pii(a)"),
        ("snowflake", "security.scramble", "security.scramble(a)"),
        ("snowflake", "scramble_it", "prod.security.scramble_it(a)"),
        ("snowflake", "to_char", "to_char(a, 'x')"),
        ("spark", "date_format", "date_format(a, 'y')"),
        ("postgres", "left", "left(a, 1)"),
        ("duckdb", "concat", "concat(a, 'x')"),
        ("bigquery", "substr", "substr(a, 1)"),
        ("tsql", "my_hash", "dbo.my_hash(a)"),
        ("", "upper", "upper(a)"),
    ],
)
def test_masking(tmp_path: Path, dialect: str, listed: str, call: str) -> None:
    settings = f"dialect: '{dialect}'\nfunctions:\n  masking: [{listed}]\n"
    found = answer(folder(tmp_path, settings, SQL.format(call)))
    assert (usages(found), told(found)) == ({"a": MASKED}, [])


def test_aggregates(tmp_path: Path) -> None:
    sql = SQL.format("my_sum(a) + my_count(b) + other(c)")
    settings = "dialect: trino\nfunctions:\n  aggregates:\n    - my_sum\n    - my_count\n  masking: my_count\n"
    assert usages(answer(folder(tmp_path, settings, sql))) == {
        "a": SUMMED,
        "b": [("AGGREGATION", True)],
        "c": [("TRANSFORMATION", False)],
    }


def test_a_masking_aggregate_stays_one_in_a_window(tmp_path: Path) -> None:
    settings = "functions: {aggregates: [k_anonymous], masking: [k_anonymous]}"
    found = answer(folder(tmp_path, settings, SQL.format("k_anonymous(a) OVER (PARTITION BY b)")))
    assert usages(found) == {"a": [("AGGREGATION", True)], "b": [("WINDOW", False)]}


def test_a_function_that_the_project_defines_may_be_listed(tmp_path: Path) -> None:
    files = {
        "lineal.yml": "dialect: spark\nfunctions: {masking: [shorten]}\n",
        "nodes/shorten/shorten.yml": "kind: function\narguments: [s]\nreturns: string\n",
        "nodes/shorten/shorten.sql": "left(s, 1)",
        "nodes/v/v.yml": "kind: sql\n",
        "nodes/v/v.sql": "SELECT shorten(a) AS x FROM t",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert usages(answer(tmp_path)) == {"a": MASKED}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (
            "functions:\n  masking: [tokenise]\n  aggregates: [a_b]",
            [("no-effect", 2), ("no-effect", 3)],
        ),
        ("functions:\n  maskin: [f]", [("unknown-key", 2)]),
        ("function:\n  masking: [f]", [("unknown-key", 2)]),
        ("functions: [f]", [("yaml-type", 1)]),
        ("functions:\n  masking: {f: 1}", [("yaml-type", 2)]),
        ("functions:\n  masking: ['f g', [h]]", [("yaml-type", 2), ("yaml-type", 2)]),
        ("functions:\n  masking: ['f(x); drop']", [("yaml-type", 2)]),
        ("functions:", []),
        ("functions: {masking: }", []),
    ],
)
def test_a_setting_without_effect_is_reported(
    tmp_path: Path, settings: str, expected: list[tuple[str, int | None]]
) -> None:
    found = answer(folder(tmp_path, settings, SQL.format("f(a)")))
    assert (usages(found), told(found)) == ({"a": [("TRANSFORMATION", False)]}, expected)


def test_the_message_says_what_may_have_been_meant(tmp_path: Path) -> None:
    found = answer(folder(tmp_path, "dialetc: spark", SQL.format("a")))
    assert [each["message"] for each in found["diagnostics"]] == [
        "lineal.yml: unknown key 'dialetc', did you mean 'dialect'?"
    ]
